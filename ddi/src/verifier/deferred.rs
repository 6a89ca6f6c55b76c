//! The verifier's table for deferred contexts, which checks handles and recordings.

use std::sync::Arc;

use super::{
    breach::{CheckResult, Rule, ensure, lock},
    context::VerifiedTable,
    registry::{LifeStage, ObjectAddress, address},
    watch::{ContextWatch, EntryRole, OpenHandle},
};
use crate::{
    RecordError,
    context::{ClosingEntry, DeferredFuncs, Dependency, Entry, OpenArgs},
    device::HandleSize,
    forward::ForwardDeferred,
    handle::{Handle, HandleType, Key, kind},
    recycle::{Cached, Dead, DriverList, Live},
    storage::HandleStorage,
};

impl VerifiedTable<dyn DeferredFuncs> {
    /// Checks that the storage contains the handle's object and zeroed private bytes.
    fn check_storage(&self, handles: &mut HandleStorage, args: &OpenArgs<'_>) -> CheckResult {
        let stored = handles.object(Handle::<kind::Resource>::new(args.key)).map(address);
        let same = stored == Some(address(args.object));
        ensure(same, Rule::HandleOpen, || format!("{:?} {:?} is not in the storage", args.kind, args.key))?;
        let bytes = handles.private_bytes_mut(args.key).unwrap_or_default();
        let size = HandleSize { kind: args.kind, size: bytes.len() };
        let listed = self.watch.device.sizes.get().is_none_or(|sizes| sizes.contains(&size));
        let ready = listed && bytes.iter().all(|b| *b == 0);
        ensure(ready, Rule::PrivateBytesReady, || format!("{} bytes for {:?}", bytes.len(), args.kind))
    }

    /// Checks that the handle's dependency is open in this context, and that it is the dependency with which
    /// the object was created.
    fn check_dependency(&self, args: &OpenArgs<'_>) -> CheckResult {
        let made_with =
            lock(&self.watch.device.registry).dependency(address(args.object), args.kind, args.key);
        let given = match args.dependency {
            Dependency::None => None,
            Dependency::Resource(resource) => Some(resource),
        };
        let right = given.map(|resource| address(resource.object)) == made_with;
        ensure(right, Rule::DependencyFirst, || format!("{:?} is given {given:?}", args.kind))?;
        let Some(resource) = given else { return Ok(()) };
        let open = lock(&self.watch.state).open.contains_key(&resource.handle.key());
        ensure(open, Rule::DependencyFirst, || format!("{:?} is not open", resource.handle))
    }

    fn check_close(&self, handles: &HandleStorage, kind: HandleType, key: Key) -> CheckResult {
        let (open, dependants) = {
            let mut state = lock(&self.watch.state);
            if state.not_opened.remove(&key) {
                return Ok(());
            }
            let open = state.open.remove(&key);
            (open, state.open.values().filter(|open| open.dependency == Some(key)).count())
        };
        let Some(open) = open else {
            return Err((Rule::CloseOpened, format!("{kind:?} {key:?}")));
        };
        lock(&self.watch.device.registry).close(open.object, open.kind, key);
        ensure(open.kind == kind, Rule::HandleKind, || format!("{:?} is closed as {kind:?}", open.kind))?;
        ensure(handles.contains(key), Rule::HandleOpen, || format!("{key:?} has left the storage already"))?;
        ensure(dependants == 0, Rule::DependencyLast, || format!("{dependants} views of {key:?} are open"))
    }

    fn home(&self) -> ObjectAddress {
        Arc::as_ptr(&self.watch).addr()
    }

    /// Resets the tracked state at the end of a recording, whether finished or abandoned.
    fn end_recording(&self) {
        let mut state = lock(&self.watch.state);
        state.discarded.clear();
        state.nested.clear();
        state.queries.clear();
        state.lost = false;
        state.recorded = false;
        state.ended = true;
    }
}

impl ForwardDeferred for VerifiedTable<dyn DeferredFuncs> {
    fn open(&self, cx: Entry<'_>, args: OpenArgs<'_>) -> Result<(), RecordError> {
        let entry = "open";
        let OpenArgs { kind, key, object, dependency } = args;
        self.record(entry, self.check_storage(cx.handles, &args));
        let again = lock(&self.watch.state).open.contains_key(&key);
        self.record(entry, ensure(!again, Rule::OpenOnce, || format!("{kind:?} {key:?}")));
        let lives = lock(&self.watch.device.registry).open(address(object), kind, key);
        let exists = lives.is_ok();
        self.record(entry, lives);
        if exists {
            self.record(entry, self.check_dependency(&args));
        }
        let opened = self.call(entry, EntryRole::Other, cx, |t, cx| t.open(cx, args));
        let dependency = match dependency {
            Dependency::None => None,
            Dependency::Resource(resource) => Some(resource.handle.key()),
        };
        let bug = matches!(opened, Err(RecordError::Bug(_)));
        self.record(entry, ensure(!bug, Rule::ErrorAllowed, || format!("{opened:?}")));
        let mut state = lock(&self.watch.state);
        state.lost |= opened == Err(RecordError::OutOfMemory);
        if opened.is_ok() {
            state.open.insert(key, OpenHandle { kind, object: address(object), dependency });
        } else {
            state.not_opened.insert(key);
            drop(state);
            lock(&self.watch.device.registry).close(address(object), kind, key);
        }
        opened
    }

    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key) {
        let entry = "close";
        self.record(entry, self.check_close(cx.handles, kind, key));
        self.record(entry, ContextWatch::check_unbound(cx.state, key));
        self.record(entry, self.watch.end_maps(Some(key)));
        self.call_closing(entry, EntryRole::Close, cx, |t, cx| t.close(cx, kind, key));
    }

    fn recycle_command_list(&self, cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached> {
        let entry = "recycle_command_list";
        let home = self.home();
        let (check, _) = lock(&self.watch.device.registry).take_list(
            address(list.object()),
            Some(LifeStage::Dead),
            Some(home),
        );
        self.record(entry, check);
        let list = self.call_closing(entry, EntryRole::Close, cx, |t, cx| t.recycle_command_list(cx, list));
        let check =
            lock(&self.watch.device.registry).list_went(address(list.object()), LifeStage::Cached, home);
        self.record(entry, check);
        list
    }

    fn create_command_list(
        &self,
        cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError> {
        let entry = "create_command_list";
        self.record(entry, self.watch.end_maps(None));
        self.record(entry, self.watch.end_queries(None));
        if let Some(cached) = &cached {
            let (at, home) = (Some(LifeStage::Cached), Some(self.home()));
            let (check, _) = lock(&self.watch.device.registry).take_list(address(cached.object()), at, home);
            self.record(entry, check);
        }
        let list = self.call(entry, EntryRole::Other, cx, |t, cx| t.create_command_list(cx, cached));
        match &list {
            Ok(list) => {
                let (open, used) = {
                    let mut state = lock(&self.watch.state);
                    let open: Vec<_> = state.open.iter().map(|(key, o)| (o.object, *key)).collect();
                    (open, (std::mem::take(&mut state.nested), std::mem::take(&mut state.queries)))
                };
                let check =
                    lock(&self.watch.device.registry).list_created(list.object(), self.home(), &open, used);
                self.record(entry, check);
            }
            Err(error) => {
                let bug = matches!(error, RecordError::Bug(_));
                self.record(entry, ensure(!bug, Rule::ErrorAllowed, || error.to_string()));
            }
        }
        self.end_recording();
        list
    }

    fn abandon_command_list(&self, cx: ClosingEntry<'_>) {
        // Abandoning a recording also ends its open maps and begun queries, so these are not breaches.
        let _ = (self.watch.end_maps(None), self.watch.end_queries(None));
        self.call_closing("abandon_command_list", EntryRole::Other, cx, |t, cx| t.abandon_command_list(cx));
        self.end_recording();
    }
}
