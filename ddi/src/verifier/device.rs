//! The verifier's device table, which checks objects, command lists and results.

use std::{
    any::Any,
    collections::HashSet,
    sync::{Arc, Mutex, OnceLock},
};

use super::{
    breach::{Rule, ensure, lock},
    context::VerifiedTable,
    memory::{CalcGuard, CreateGuard},
    registry::{LifeStage, address},
    watch::{ContextWatch, DeviceWatch},
};
use crate::{
    adapter::CreateDeviceFlags,
    caps::{FormatSupport, FormatSupport2, ThreadingCaps},
    device::{
        CreateDeferredContextArgs, CreatedDeferredContext, DeviceFuncs, DriverObject, HandleSize, ObjectDesc,
        PrivateData,
    },
    error::CreateError,
    format::Format,
    forward::ForwardDevice,
    handle::{HandleType, Key},
    recycle::{Cached, Dead, DriverContext, DriverList, Ended, Live},
    storage::MAX_PRIVATE_BYTES,
};

pub(super) struct VerifiedDevice {
    inner: Arc<dyn DeviceFuncs>,
    watch: Arc<DeviceWatch>,
    immediate: Arc<ContextWatch>,
    /// The number of handle sizes that the driver returned in its first call.
    sizes: OnceLock<usize>,
    /// The handle types whose calc entries were already checked on another thread, with a flag that is true
    /// for `calc_deferred_context_handle_size` and false for `calc_private_size`.
    calculated: Mutex<HashSet<(HandleType, bool)>>,
}

impl VerifiedDevice {
    pub(super) fn new(
        inner: Arc<dyn DeviceFuncs>,
        watch: Arc<DeviceWatch>,
        immediate: Arc<ContextWatch>,
    ) -> Self {
        let device = Self { inner, watch, immediate, sizes: OnceLock::new(), calculated: Mutex::default() };
        device.list_sizes();
        device
    }

    /// Queries the handle sizes in advance, as the runtime does, because the checks need them.
    fn list_sizes(&self) {
        let entry = "check_deferred_context_handle_sizes";
        let count = self.inner.check_deferred_context_handle_sizes(None);
        let unused = HandleSize { kind: HandleType::Resource, size: usize::MAX };
        let mut sizes = vec![unused; count];
        let again = self.inner.check_deferred_context_handle_sizes(Some(&mut sizes));
        let same = ensure(again == count && !sizes.contains(&unused), Rule::SameCountTwice, || {
            format!("{count}, then {again}: {sizes:?}")
        });
        self.watch.record(entry, same);
        sizes.retain(|size| *size != unused);
        for size in &sizes {
            self.limit(entry, size.size);
        }
        self.sizes.get_or_init(|| count);
        self.watch.sizes.get_or_init(|| sizes);
    }

    fn watched(&self, created: CreatedDeferredContext) -> CreatedDeferredContext {
        let watch = self.put_context(created.private.private(), LifeStage::Live);
        let CreatedDeferredContext { funcs, private } = created;
        CreatedDeferredContext { funcs: Arc::new(VerifiedTable { inner: funcs, watch, number: 0 }), private }
    }

    fn put_context(&self, private: &(dyn Any + Send), at: LifeStage) -> Arc<ContextWatch> {
        let watch = ContextWatch::new(self.watch.clone(), true);
        watch.set_private(private);
        lock(&watch.state).at = at;
        lock(&self.watch.contexts).push(watch.clone());
        watch
    }

    /// Stops tracking a deferred context, and checks that it is in the stage `at`, unless this is `None`.
    fn take_context(&self, entry: &'static str, private: &(dyn Any + Send), at: Option<LifeStage>) {
        let mut contexts = lock(&self.watch.contexts);
        // Zero-sized private data has no unique address, so several contexts may match.
        let sure = contexts.iter().filter(|context| context.owns(private)).count() == 1;
        let owner = contexts.iter().position(|context| context.owns(private));
        let context = owner.map(|index| contexts.swap_remove(index));
        drop(contexts);
        let own = ensure(context.is_some(), Rule::OwnPrivateData, || "of no living deferred context".into());
        self.watch.record(entry, own);
        let (Some(context), true) = (context, sure) else { return };
        let (open, recorded, was) = {
            let state = lock(&context.state);
            (state.open.len(), state.recorded, state.at)
        };
        let there = ensure(at.is_none_or(|at| at == was), Rule::StageKept, || format!("{was:?}, not {at:?}"));
        self.watch.record(entry, there);
        let closed = ensure(open == 0, Rule::ClosedAfterRecording, || format!("{open} are open"));
        self.watch.record(entry, closed);
        let ended = ensure(!recorded, Rule::RecordingEnded, || "commands are recorded".into());
        self.watch.record(entry, ended);
    }

    fn calc(&self, calc: impl FnOnce(&dyn DeviceFuncs) -> usize) -> usize {
        let _calculating = CalcGuard::enter();
        calc(&*self.inner)
    }

    /// Checks that a calc entry returns the same size when it is repeated on this thread. At the first call
    /// for a handle type, the entry is also repeated on another thread.
    fn check_calc(
        &self,
        entry: &'static str,
        kind: (HandleType, bool),
        size: usize,
        calc: impl Fn() -> usize + Sync,
    ) {
        let again = calc();
        let details = || format!("{size}, then {again}");
        self.watch.record(entry, ensure(size == again, Rule::PrivateSizePure, details));
        if !lock(&self.calculated).insert(kind) {
            return;
        }
        let there = std::thread::scope(|scope| {
            // If no thread can be started, the comparison is skipped.
            let thread = std::thread::Builder::new().spawn_scoped(scope, &calc).ok()?;
            thread.join().ok()
        });
        let same = there.is_none_or(|there| there == again);
        let details = || format!("{again} here, {there:?} on another thread");
        self.watch.record(entry, ensure(same, Rule::CalcAnyThread, details));
    }

    fn check_answer(&self, entry: &'static str, format: Format, samples: u32, answer: u32) {
        let before = *lock(&self.watch.answers).entry((entry, format, samples)).or_insert(answer);
        let details = || format!("{format:?}, {samples}: {before:#x}, then {answer:#x}");
        self.watch.record(entry, ensure(before == answer, Rule::DeviceTableFixed, details));
    }

    fn check_sizes(&self, entry: &'static str, sizes: &[HandleSize]) {
        let first = self.watch.sizes.get().map_or(&[][..], Vec::as_slice);
        let details = || format!("{first:?}, then {sizes:?}");
        self.watch.record(entry, ensure(sizes == first, Rule::DeviceTableFixed, details));
    }

    fn limit(&self, entry: &'static str, size: usize) {
        let check = ensure(size <= MAX_PRIVATE_BYTES, Rule::PrivateSizeLimit, || format!("{size} bytes"));
        self.watch.record(entry, check);
    }

    fn destroying(
        &self,
        entry: &'static str,
        kind: HandleType,
        object: DriverObject,
        call: impl FnOnce(&dyn DeviceFuncs, DriverObject),
    ) {
        let _serial = self.watch.enter(entry);
        // The immediate table of a removed device does nothing, so the runtime destroys primaries with this
        // entry.
        let removed = self.watch.is_removed();
        let (check, exists) = {
            let mut registry = lock(&self.watch.registry);
            let primary = removed && registry.is_primary(address(&object));
            let check = registry.destroy(address(&object), kind, primary);
            (check, registry.exists(address(&object)))
        };
        self.watch.record(entry, check);
        let ids = if exists { Vec::new() } else { lock(&self.watch.memory).destroying(address(&object)) };
        call(&*self.inner, object);
        lock(&self.watch.memory).destroyed(&ids);
    }
}

impl ForwardDevice for VerifiedDevice {
    type Inner = dyn DeviceFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn forward<'a, R>(&'a self, entry: &'static str, call: impl FnOnce(&'a Self::Inner) -> R) -> R {
        let _serial = self.watch.enter(entry);
        call(self.inner())
    }

    fn check_deferred_context_handle_sizes(&self, sizes: Option<&mut [HandleSize]>) -> usize {
        let entry = "check_deferred_context_handle_sizes";
        let _serial = self.watch.enter(entry);
        let room = sizes.as_ref().map(|list| list.len());
        let mut sizes = sizes;
        let count = self.inner.check_deferred_context_handle_sizes(sizes.as_deref_mut());
        if let Some(sizes) = sizes.filter(|sizes| sizes.len() == count) {
            self.check_sizes(entry, sizes);
        }
        let first = *self.sizes.get_or_init(|| count);
        let same = ensure(count == first, Rule::SameCountTwice, || format!("{first}, then {count}"));
        self.watch.record(entry, same);
        let fits = ensure(room.is_none_or(|room| room == first), Rule::RoomForAll, || {
            format!("{room:?} of {first}")
        });
        self.watch.record(entry, fits);
        count
    }

    fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize {
        let entry = "calc_private_size";
        let calc = || self.calc(|inner| inner.calc_private_size(desc));
        let size = calc();
        self.limit(entry, size);
        self.check_calc(entry, (desc.kind(), false), size, calc);
        size
    }

    fn calc_deferred_context_handle_size(&self, kind: HandleType, object: &DriverObject) -> usize {
        let entry = "calc_deferred_context_handle_size";
        let calc = || self.calc(|inner| inner.calc_deferred_context_handle_size(kind, object));
        let size = calc();
        self.check_calc(entry, (kind, true), size, calc);
        let listed = self.watch.sizes.get().is_some_and(|sizes| sizes.contains(&HandleSize { kind, size }));
        let check = ensure(listed, Rule::HandleSizeListed, || format!("{size} bytes for {kind:?}"));
        self.watch.record(entry, check);
        size
    }

    fn create(
        &self,
        key: Key,
        desc: &ObjectDesc<'_>,
        private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        let entry = "create";
        let _serial = self.watch.enter(entry);
        let check = lock(&self.watch.registry).may_create(key, desc);
        self.watch.record(entry, check);
        let (size, asked) = (private.len(), self.calc(|inner| inner.calc_private_size(desc)));
        let ready = size == asked && private.iter().all(|b| *b == 0);
        let details = || format!("{size} of {asked} bytes for {:?}", desc.kind());
        self.watch.record(entry, ensure(ready, Rule::PrivateBytesReady, details));
        let shared = matches!(desc, ObjectDesc::Resource { desc, .. } if desc.is_shared());
        let creation = CreateGuard::enter(self.watch.place(), false, shared);
        let object = self.inner.create(key, desc, private).inspect_err(|error| {
            let bug = matches!(error, CreateError::Bug(_));
            self.watch.record(entry, ensure(!bug, Rule::ErrorAllowed, || error.to_string()));
        })?;
        lock(&self.watch.registry).created(key, desc, &object);
        lock(&self.watch.memory).created(address(&object), creation.allocated());
        Ok(object)
    }

    fn destroy(&self, kind: HandleType, object: DriverObject) {
        self.destroying("destroy", kind, object, |inner, object| inner.destroy(kind, object));
    }

    fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
        self.destroying("destroy_unused", kind, object, |inner, object| inner.destroy_unused(kind, object));
    }

    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        let entry = "create_deferred_context";
        let _serial = self.watch.enter(entry);
        let DeviceWatch { threading, flags, .. } = &*self.watch;
        let allowed =
            *threading == ThreadingCaps::CommandLists && !flags.contains(CreateDeviceFlags::SINGLETHREADED);
        let details = || format!("{threading:?}, {flags:?}");
        self.watch.record(entry, ensure(allowed, Rule::DeferredAllowed, details));
        let created = self.inner.create_deferred_context(args)?;
        Ok(self.watched(created))
    }

    fn recycle_destroy_deferred_context(&self, context: DriverContext<Live>) -> DriverContext<Dead> {
        let entry = "recycle_destroy_deferred_context";
        let _serial = self.watch.enter(entry);
        self.take_context(entry, context.private(), Some(LifeStage::Live));
        let dead = self.inner.recycle_destroy_deferred_context(context);
        self.put_context(dead.private(), LifeStage::Dead);
        dead
    }

    fn recycle_deferred_context(&self, context: DriverContext<Dead>) -> DriverContext<Cached> {
        let entry = "recycle_deferred_context";
        let _serial = self.watch.enter(entry);
        self.take_context(entry, context.private(), Some(LifeStage::Dead));
        let cached = self.inner.recycle_deferred_context(context);
        self.put_context(cached.private(), LifeStage::Cached);
        cached
    }

    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        let entry = "recycle_create_deferred_context";
        let _serial = self.watch.enter(entry);
        self.take_context(entry, context.private(), Some(LifeStage::Cached));
        let created = self.inner.recycle_create_deferred_context(context, args)?;
        Ok(self.watched(created))
    }

    fn destroy_deferred_context(&self, context: DriverContext<Ended>) {
        let entry = "destroy_deferred_context";
        let _serial = self.watch.enter(entry);
        self.take_context(entry, context.private(), None);
        self.inner.destroy_deferred_context(context);
    }

    fn recycle_destroy_command_list(&self, list: DriverList<Live>) -> DriverList<Dead> {
        let entry = "recycle_destroy_command_list";
        let _serial = self.watch.enter(entry);
        let (check, home) =
            lock(&self.watch.registry).take_list(address(list.object()), Some(LifeStage::Live), None);
        self.watch.record(entry, check);
        let dead = self.inner.recycle_destroy_command_list(list);
        let check = lock(&self.watch.registry).list_went(address(dead.object()), LifeStage::Dead, home);
        self.watch.record(entry, check);
        dead
    }

    fn destroy_command_list(&self, list: DriverList<Ended>) {
        let entry = "destroy_command_list";
        let _serial = self.watch.enter(entry);
        let (check, _) = lock(&self.watch.registry).take_list(address(list.object()), None, None);
        self.watch.record(entry, check);
        self.inner.destroy_command_list(list);
    }

    fn check_format_support(&self, format: Format) -> FormatSupport {
        let entry = "check_format_support";
        let _serial = self.watch.enter(entry);
        let support = self.inner.check_format_support(format);
        self.check_answer(entry, format, 0, support.bits());
        support
    }

    fn check_format_support2(&self, format: Format) -> FormatSupport2 {
        let entry = "check_format_support2";
        let _serial = self.watch.enter(entry);
        let support = self.inner.check_format_support2(format);
        self.check_answer(entry, format, 0, support.bits());
        support
    }

    fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32 {
        let entry = "check_multisample_quality_levels";
        let _serial = self.watch.enter(entry);
        let levels = self.inner.check_multisample_quality_levels(format, sample_count);
        self.check_answer(entry, format, sample_count, levels);
        levels
    }

    fn destroy_device(&self, immediate: PrivateData) {
        let entry = "destroy_device";
        let _serial = self.watch.enter(entry);
        let own =
            ensure(self.immediate.owns(&*immediate), Rule::OwnPrivateData, || "of another context".into());
        self.watch.record(entry, own);
        let check = lock(&self.watch.registry).all_destroyed();
        self.watch.record(entry, check);
        let contexts = std::mem::take(&mut *lock(&self.watch.contexts)).len();
        let none = ensure(contexts == 0, Rule::AllDestroyed, || format!("{contexts} deferred contexts"));
        self.watch.record(entry, none);
        self.inner.destroy_device(immediate);
        let check = lock(&self.watch.memory).all_deallocated();
        self.watch.record(entry, check);
    }
}
