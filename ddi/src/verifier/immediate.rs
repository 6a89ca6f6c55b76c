//! The verifier's table for the immediate context.

use std::sync::atomic::Ordering;

use super::{
    breach::{CheckResult, Rule, ensure, lock},
    context::VerifiedTable,
    memory::CreateGuard,
    registry::{ObjectAddress, address},
    watch::{ContextWatch, EntryRole},
};
use crate::{
    CreateError, DriverBug, GetDataError, MapError, PresentError, QueryData,
    context::{ClosingEntry, Entry, FlushFlags, ImmediateFuncs},
    device::DriverObject,
    forward::ForwardImmediate,
    handle::{Handle, HandleType, Key, QueryHandle, ResourceHandle, kind},
    map::{MapType, MappedMemory, Written},
    resource::MiscFlags,
    storage::HandleStorage,
    swap_chain::{CreateSwapChainArgs, CreatedSwapChain, PresentStatus},
    texture::TextureDesc,
};

impl VerifiedTable<dyn ImmediateFuncs> {
    /// Runs an entry that flushes, and checks that the entry deallocates the required memory.
    fn retires<R>(&self, entry: &'static str, call: impl FnOnce() -> R) -> R {
        let device = &self.watch.device;
        let done = device.kernel.signalled().0 >= device.fence.load(Ordering::Relaxed);
        let retirable = lock(&device.memory).retirable();
        let result = call();
        if device.is_removed() {
            return result;
        }
        let checks = lock(&device.memory).flushed(&retirable, done);
        checks.into_iter().for_each(|check| self.record(entry, check));
        result
    }

    /// Checks, before an object's handle is closed, that the handles of its views are closed. If deferred
    /// contexts still have the object open, this is recorded: it is a breach unless the immediate context is
    /// ending.
    fn check_last(
        &self,
        handles: &HandleStorage,
        object: ObjectAddress,
        kind: HandleType,
        key: Key,
    ) -> CheckResult {
        let (open_in, views) = {
            let registry = lock(&self.watch.device.registry);
            let views = registry.views(object).filter(|view| handles.contains(*view)).count();
            (registry.open_in(object, kind, key), views)
        };
        if open_in > 0 {
            lock(&self.watch.state).closed_early.push(format!("{kind:?} {key:?} is open in {open_in}"));
        }
        ensure(views == 0, Rule::DependencyLast, || format!("{views} views of {key:?} are open"))
    }

    /// Checks that an entry did not return [`DriverBug`].
    fn no_bug(&self, entry: &'static str, bug: Option<&DriverBug>) {
        self.record(entry, ensure(bug.is_none(), Rule::ErrorAllowed, || format!("{bug:?}")));
    }

    fn no_present_bug<R>(&self, entry: &'static str, result: &Result<R, PresentError>) {
        let bug = if let Err(PresentError::Bug(bug)) = result { Some(bug) } else { None };
        self.no_bug(entry, bug);
    }
}

impl ForwardImmediate for VerifiedTable<dyn ImmediateFuncs> {
    fn staging_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
        do_not_wait: bool,
    ) -> Result<MappedMemory, MapError> {
        let types = (map_type, &[MapType::Read, MapType::Write, MapType::ReadWrite][..]);
        let entry = "staging_map";
        let result = self.map(entry, cx, resource, subresource, types, |t, cx| {
            t.staging_map(cx, resource, subresource, map_type, do_not_wait)
        });
        let waits = result.as_ref().err() == Some(&MapError::StillDrawing);
        // On the web, blocking is not allowed, so any map may fail instead of waiting.
        let may = do_not_wait || cfg!(target_arch = "wasm32");
        self.record(entry, ensure(may || !waits, Rule::ErrorAllowed, || "it was told to wait".into()));
        result
    }

    fn staging_unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        let back = (memory, written);
        self.unmap("staging_unmap", cx, resource, subresource, back, |t, cx, memory, written| {
            t.staging_unmap(cx, resource, subresource, memory, written);
        });
    }

    fn query_get_data(
        &self,
        cx: Entry<'_>,
        query: QueryHandle,
        do_not_flush: bool,
    ) -> Result<QueryData, GetDataError> {
        let entry = "query_get_data";
        self.watch.handle(entry, cx.handles, HandleType::Query, query.key());
        let ended = !self.watch.is_begun(query.key());
        self.record(entry, ensure(ended, Rule::QueryAskedEnded, || format!("{query:?} is begun")));
        let asks = self.watch.asks(cx.handles, query);
        let result =
            self.call(entry, EntryRole::Other, cx, |t, cx| t.query_get_data(cx, query, do_not_flush));
        if let (Some(asks), Ok(answer)) = (asks, &result) {
            let is_of_kind = answer.is_result_of(asks);
            self.record(entry, ensure(is_of_kind, Rule::AnswerKind, || format!("{answer:?} to {asks:?}")));
        }
        self.no_bug(entry, if let Err(GetDataError::Bug(bug)) = &result { Some(bug) } else { None });
        result
    }

    fn flush(&self, cx: Entry<'_>, flags: FlushFlags) -> bool {
        self.retires("flush", || self.call("flush", EntryRole::Other, cx, |t, cx| t.flush(cx, flags)))
    }

    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key) {
        let entry = "close";
        // The storage ignores the type of the handle.
        let object = cx.handles.object(Handle::<kind::Resource>::new(key)).map(address);
        self.record(entry, ensure(object.is_some(), Rule::HandleOpen, || format!("{kind:?} {key:?}")));
        if let Some(object) = object {
            let is = lock(&self.watch.device.registry).is(object, kind);
            self.record(entry, ensure(is, Rule::HandleKind, || format!("{key:?} is not a live {kind:?}")));
            self.record(entry, self.check_last(cx.handles, object, kind, key));
        }
        self.record(entry, ContextWatch::check_unbound(cx.state, key));
        self.record(entry, self.watch.end_maps(Some(key)));
        // The handle of a begun query may be closed, so this is not a breach.
        let _ = self.watch.end_queries(Some(key));
        self.call_closing(entry, EntryRole::Close, cx, |t, cx| t.close(cx, kind, key));
    }

    fn create_swap_chain(
        &self,
        cx: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<CreatedSwapChain, PresentError> {
        let entry = "create_swap_chain";
        let created = self.call(entry, EntryRole::Other, cx, |t, cx| t.create_swap_chain(cx, args));
        self.no_present_bug(entry, &created);
        let created = created?;
        lock(&self.watch.device.registry).swap_chain_created(&created.object, args.buffer_count);
        Ok(created)
    }

    fn destroy_swap_chain(&self, cx: Entry<'_>, swap_chain: DriverObject) {
        let entry = "destroy_swap_chain";
        let check = lock(&self.watch.device.registry).destroy_swap_chain(address(&swap_chain));
        self.record(entry, check);
        self.call(entry, EntryRole::Close, cx, |t, cx| t.destroy_swap_chain(cx, swap_chain));
    }

    fn create_primary(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        desc: &TextureDesc,
        private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        let entry = "create_primary";
        let ready = ensure(private.iter().all(|b| *b == 0), Rule::PrivateBytesReady, || "not zeroed".into());
        self.record(entry, ready);
        let check = lock(&self.watch.device.registry).may_create_primary(address(swap_chain));
        self.record(entry, check);
        let shared = desc.misc_flags.contains(MiscFlags::SHARED);
        let creation = CreateGuard::enter(self.watch.device.place(), true, shared);
        let created =
            self.call(entry, EntryRole::Other, cx, |t, cx| t.create_primary(cx, swap_chain, desc, private));
        self.no_bug(entry, if let Err(CreateError::Bug(bug)) = &created { Some(bug) } else { None });
        let created = created?;
        lock(&self.watch.device.registry).created_primary(address(swap_chain), &created);
        lock(&self.watch.device.memory).created(address(&created), creation.allocated());
        Ok(created)
    }

    fn destroy_primary(&self, cx: Entry<'_>, primary: DriverObject) {
        let entry = "destroy_primary";
        let check = lock(&self.watch.device.registry).destroy(address(&primary), HandleType::Resource, true);
        self.record(entry, check);
        let memory = lock(&self.watch.device.memory).of_primary(address(&primary));
        let ids = lock(&self.watch.device.memory).destroying(address(&primary));
        self.call(entry, EntryRole::Close, cx, |t, cx| t.destroy_primary(cx, primary));
        lock(&self.watch.device.memory).destroyed(&ids);
        let check = lock(&self.watch.device.memory).primary_destroyed(&memory);
        self.record(entry, check);
    }

    fn resize_swap_chain(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        width: u32,
        height: u32,
    ) -> Result<(), PresentError> {
        let entry = "resize_swap_chain";
        let resized = self
            .call(entry, EntryRole::Other, cx, |t, cx| t.resize_swap_chain(cx, swap_chain, width, height));
        self.no_present_bug(entry, &resized);
        resized
    }

    fn test_present(&self, cx: Entry<'_>, swap_chain: &DriverObject) -> Result<PresentStatus, PresentError> {
        let entry = "test_present";
        let tested = self.call(entry, EntryRole::Other, cx, |t, cx| t.test_present(cx, swap_chain));
        self.no_present_bug(entry, &tested);
        tested
    }

    fn present(
        &self,
        cx: Entry<'_>,
        swap_chain: &DriverObject,
        back_buffer: ResourceHandle,
        sync_interval: u32,
    ) -> Result<PresentStatus, PresentError> {
        let entry = "present";
        self.watch.handle(entry, cx.handles, HandleType::Resource, back_buffer.key());
        self.watch.uses(cx.handles, [back_buffer.key()]);
        let presented = self
            .call(entry, EntryRole::Other, cx, |t, cx| t.present(cx, swap_chain, back_buffer, sync_interval));
        self.no_present_bug(entry, &presented);
        presented
    }

    fn rotate_resource_identities(&self, cx: Entry<'_>, back_buffers: &[ResourceHandle]) {
        let entry = "rotate_resource_identities";
        for handle in back_buffers {
            self.watch.handle(entry, cx.handles, HandleType::Resource, handle.key());
        }
        let objects: Vec<_> =
            back_buffers.iter().filter_map(|h| cx.handles.object(*h).map(address)).collect();
        let check = lock(&self.watch.device.registry).may_rotate(&objects);
        self.record(entry, check);
        self.call(entry, EntryRole::Other, cx, |t, cx| t.rotate_resource_identities(cx, back_buffers));
    }
}
