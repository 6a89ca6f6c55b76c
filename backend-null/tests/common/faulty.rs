//! A driver that breaks one rule, by wrapping a driver that follows all rules.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use onze_ddi::{
    forward::{
        ForwardAdapter, ForwardContext, ForwardDeferred, ForwardDevice, ForwardDriver, ForwardImmediate,
    },
    *,
};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    SizesGrow,
    SizeTooLarge,
    SizeImpure,
    SizeUnlisted,
    LeakAllocation,
    DeallocateUnknown,
    DeallocatePart,
    KeepPrimary,
    AmortizeTwice,
    OtherArguments,
    RenderAnywhere,
    OutOfMemory,
    SmallMap,
    OpenFails,
    Publish,
    RenderOnly,
    PresentAnywhere,
    DisplayModeAnywhere,
    PreambleEarly,
    Bug,
    BugOfCreate,
    BugOfGetData,
    OtherAnswer,
    BugOfPresent,
    ErrorOfDestroy,
    DeallocateEarly,
    KeepShared,
    KeepDestroyed,
    AllocateElsewhere,
    AnswersChange,
    SizesChange,
    SizeOfThread,
    CalcAllocates,
    SameList,
    StagingWaits,
    Remove,
    KeepSlices,
}

/// State outside of devices and contexts, which a correct driver lacks but this driver needs for its faults.
#[derive(Default)]
struct Memory {
    calls: AtomicUsize,
    list: Mutex<Option<DriverObject>>,
    kept: Mutex<Vec<Allocation>>,
}

/// Wraps the runtime's memory callbacks and, depending on the fault, changes or drops the driver's calls.
struct FaultyKernel {
    inner: Arc<dyn KernelCallbacks>,
    fault: Fault,
    memory: Arc<Memory>,
}

impl KernelCallbacks for FaultyKernel {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        if self.fault == Fault::AllocateElsewhere {
            return std::thread::scope(|s| s.spawn(|| self.inner.allocate(args)).join().unwrap());
        }
        self.inner.allocate(args)
    }

    fn deallocate(&self, allocation: Allocation) {
        match self.fault {
            Fault::DeallocatePart => self.inner.deallocate(Allocation::new(allocation.id(), 1)),
            Fault::KeepShared | Fault::KeepDestroyed => self.memory.kept.lock().unwrap().push(allocation),
            _ => self.inner.deallocate(allocation),
        }
    }

    fn signal(&self, fence: Fence) {
        self.inner.signal(fence);
    }

    fn signalled(&self) -> Fence {
        self.inner.signalled()
    }
}

pub struct FaultyDriver {
    pub inner: Arc<dyn Driver>,
    pub fault: Fault,
}

impl ForwardDriver for FaultyDriver {
    type Inner = dyn Driver;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn name(&self) -> &str {
        "faulty"
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        Box::pin(async move {
            let inner = self.inner.open_adapter(args).await?;
            Ok(Arc::new(FaultyAdapter { inner, fault: self.fault }) as _)
        })
    }
}

struct FaultyAdapter {
    inner: Arc<dyn AdapterFuncs>,
    fault: Fault,
}

impl ForwardAdapter for FaultyAdapter {
    type Inner = dyn AdapterFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        Box::pin(async move {
            let (fault, memory) = (self.fault, Arc::new(Memory::default()));
            let inner = args.kernel.clone();
            let kernel = Arc::new(FaultyKernel { inner, fault, memory: memory.clone() });
            let created = self.inner.create_device(CreateDeviceArgs { kernel, ..args.clone() }).await?;
            let table = Arc::<dyn ImmediateFuncs>::from(created.immediate_funcs);
            let core = args.core.clone();
            Ok(CreatedDevice {
                funcs: Arc::new(FaultyDevice {
                    inner: created.funcs,
                    fault,
                    args,
                    table: table.clone(),
                    memory: memory.clone(),
                }),
                immediate_funcs: Box::new(Faulty { inner: table, fault, core, memory }),
                immediate: created.immediate,
            })
        })
    }
}

struct FaultyDevice {
    inner: Arc<dyn DeviceFuncs>,
    fault: Fault,
    args: CreateDeviceArgs,
    table: Arc<dyn ImmediateFuncs>,
    memory: Arc<Memory>,
}

impl FaultyDevice {
    fn table<T: ?Sized>(&self, inner: Arc<T>, fault: Fault) -> Faulty<T> {
        Faulty { inner, fault, core: self.args.core.clone(), memory: self.memory.clone() }
    }

    fn count(&self) -> usize {
        self.memory.calls.fetch_add(1, Ordering::Relaxed)
    }
}

impl ForwardDevice for FaultyDevice {
    type Inner = dyn DeviceFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn check_deferred_context_handle_sizes(&self, mut sizes: Option<&mut [HandleSize]>) -> usize {
        let grown = usize::from(self.fault == Fault::SizesGrow && sizes.is_some());
        let count = self.inner.check_deferred_context_handle_sizes(sizes.as_deref_mut());
        if self.fault == Fault::SizesChange
            && let Some(sizes) = sizes
        {
            sizes[0].size += self.count();
        }
        count + grown
    }

    fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize {
        thread_local! {
            static SIZE: usize = {
                static THREADS: AtomicUsize = AtomicUsize::new(0);
                THREADS.fetch_add(1, Ordering::Relaxed)
            };
        }
        match self.fault {
            Fault::SizeTooLarge => storage::MAX_PRIVATE_BYTES + 1,
            Fault::SizeImpure => self.count(),
            Fault::SizeOfThread => SIZE.with(|size| *size),
            Fault::CalcAllocates => {
                let args = AllocateArgs { size: 1, primary: false, shared: false };
                self.args.kernel.allocate(args).map(|a| self.args.kernel.deallocate(a)).unwrap();
                self.inner.calc_private_size(desc)
            }
            _ => self.inner.calc_private_size(desc),
        }
    }

    fn calc_deferred_context_handle_size(&self, kind: HandleType, object: &DriverObject) -> usize {
        let size = self.inner.calc_deferred_context_handle_size(kind, object);
        if self.fault == Fault::SizeUnlisted { size + 1 } else { size }
    }

    fn create(
        &self,
        key: Key,
        desc: &ObjectDesc<'_>,
        private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        if self.fault == Fault::BugOfCreate {
            return Err(DriverBug("made up".into()).into());
        }
        if self.fault == Fault::DeallocateEarly && matches!(desc, ObjectDesc::Resource { .. }) {
            let args = AllocateArgs { size: 1, primary: false, shared: false };
            self.memory.kept.lock().unwrap().push(self.args.kernel.allocate(args).unwrap());
        }
        if self.fault == Fault::LeakAllocation {
            let args = AllocateArgs { size: 1, primary: false, shared: false };
            self.args.kernel.allocate(args).map_err(|_| CreateError::OutOfMemory)?;
        }
        self.inner.create(key, desc, private)
    }

    fn destroy(&self, kind: HandleType, object: DriverObject) {
        if self.fault == Fault::DeallocateUnknown {
            self.args.kernel.deallocate(Allocation::new(u64::MAX, 1));
        }
        if self.fault == Fault::DeallocateEarly {
            self.memory.kept.lock().unwrap().drain(..).for_each(|a| self.args.kernel.deallocate(a));
        }
        self.inner.destroy(kind, object);
    }

    fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
        ForwardDevice::destroy(self, kind, object);
    }

    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        let created = self.inner.create_deferred_context(args)?;
        let funcs = Arc::new(self.table(created.funcs, self.fault));
        Ok(CreatedDeferredContext { funcs, private: created.private })
    }

    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        let created = self.inner.recycle_create_deferred_context(context, args)?;
        let funcs = Arc::new(self.table(created.funcs, self.fault));
        Ok(CreatedDeferredContext { funcs, private: created.private })
    }

    fn check_format_support(&self, format: Format) -> FormatSupport {
        if self.fault == Fault::Publish {
            let table = self.table(self.table.clone(), Fault::AmortizeTwice);
            self.args.core.publish_immediate_table(Box::new(table));
        }
        if self.fault == Fault::AnswersChange && self.count() > 0 {
            return FormatSupport::empty();
        }
        self.inner.check_format_support(format)
    }

    fn check_format_support2(&self, format: Format) -> FormatSupport2 {
        if self.fault == Fault::AnswersChange && self.count() > 0 {
            return FormatSupport2::empty();
        }
        self.inner.check_format_support2(format)
    }
}

struct Faulty<T: ?Sized> {
    inner: Arc<T>,
    fault: Fault,
    core: Arc<dyn DeviceCoreLayer>,
    memory: Arc<Memory>,
}

impl<T: ContextFuncs + ?Sized> ForwardContext for Faulty<T> {
    type Inner = T;

    fn inner(&self) -> &T {
        &self.inner
    }

    fn draw(&self, mut cx: Entry<'_>, vertex_count: u32, start_vertex: u32) {
        if self.fault != Fault::KeepSlices {
            cx.handles.uploads.clear_slices();
        }
        self.inner.draw(cx.reborrow(), vertex_count, start_vertex);
        self.break_rule_after_draw(cx);
    }

    fn dynamic_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, RecordError> {
        match self.fault {
            Fault::SmallMap => Ok(MappedMemory::new(zeroed_page(1), 0..1, 0, 1, 1)),
            _ => self.inner.dynamic_map(cx, resource, subresource, map_type),
        }
    }
}

impl<T: ContextFuncs + ?Sized> Faulty<T> {
    fn break_rule_after_draw(&self, cx: Entry<'_>) {
        match self.fault {
            Fault::AmortizeTwice => {
                cx.core.perform_amortized_processing(cx.private, cx.handles);
                cx.core.perform_amortized_processing(cx.private, cx.handles);
            }
            Fault::OtherArguments => cx.core.perform_amortized_processing(&mut 0_u64, cx.handles),
            Fault::RenderAnywhere => drop(cx.core.render(RenderArgs::default())),
            Fault::OutOfMemory => cx.core.set_error(ContextError::OutOfMemory),
            Fault::RenderOnly => drop(cx.core.render(RenderArgs::default())),
            Fault::PresentAnywhere => drop(cx.core.present(PresentArgs { sync_interval: 0, copied: false })),
            Fault::DisplayModeAnywhere => {
                drop(cx.core.set_display_mode(DisplayMode { width: 1, height: 1 }));
            }
            Fault::PreambleEarly => {
                drop(cx.core.render(RenderArgs::default()));
                cx.core.primitive_topology();
                cx.core.perform_amortized_processing(cx.private, cx.handles);
            }
            Fault::Bug => cx.core.set_error(DriverBug("made up".into()).into()),
            Fault::Remove => self.core.device_removed("made up".into()),
            _ => {}
        }
    }
}

impl ForwardImmediate for Faulty<dyn ImmediateFuncs> {
    fn staging_map(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
        do_not_wait: bool,
    ) -> Result<MappedMemory, MapError> {
        if self.fault == Fault::StagingWaits {
            return Err(MapError::StillDrawing);
        }
        self.inner.staging_map(cx, resource, subresource, map_type, do_not_wait)
    }

    fn query_get_data(
        &self,
        cx: Entry<'_>,
        query: QueryHandle,
        do_not_flush: bool,
    ) -> Result<QueryData, GetDataError> {
        if self.fault == Fault::BugOfGetData {
            return Err(DriverBug("made up".into()).into());
        }
        let answer = self.inner.query_get_data(cx, query, do_not_flush);
        if self.fault == Fault::OtherAnswer { answer.map(|_| QueryData::Event(true)) } else { answer }
    }

    fn create_swap_chain(
        &self,
        cx: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<CreatedSwapChain, PresentError> {
        if self.fault == Fault::BugOfPresent {
            return Err(DriverBug("made up".into()).into());
        }
        self.inner.create_swap_chain(cx, args)
    }

    fn destroy_swap_chain(&self, cx: Entry<'_>, swap_chain: DriverObject) {
        if self.fault == Fault::ErrorOfDestroy {
            cx.core.set_error(ContextError::Application("made up".into()));
        }
        self.inner.destroy_swap_chain(cx, swap_chain);
    }

    fn destroy_primary(&self, cx: Entry<'_>, primary: DriverObject) {
        if self.fault != Fault::KeepPrimary {
            self.inner.destroy_primary(cx, primary);
        }
    }
}

impl ForwardDeferred for Faulty<dyn DeferredFuncs> {
    fn open(&self, cx: Entry<'_>, args: OpenArgs<'_>) -> Result<(), RecordError> {
        if self.fault == Fault::OpenFails {
            return Err(RecordError::OutOfMemory);
        }
        self.inner.open(cx, args)
    }

    fn create_command_list(
        &self,
        cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError> {
        let list = self.inner.create_command_list(cx, cached)?;
        if self.fault == Fault::SameList {
            let mut first = self.memory.list.lock().unwrap();
            return Ok(DriverList::new(first.get_or_insert(list.into_inner()).clone()));
        }
        Ok(list)
    }
}
