//! A driver that records the runtime's calls, and runs a function of the test when the application sets a
//! marker.
#![allow(unreachable_pub, reason = "shared by several tests")]
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::ThreadId,
};

use onze_ddi::{
    forward::{
        ForwardAdapter, ForwardContext, ForwardDeferred, ForwardDevice, ForwardDriver, ForwardImmediate,
    },
    *,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub entry: &'static str,
    /// Number of the deferred context, counted from 1, or 0 for the immediate context and for the device.
    pub context: usize,
    /// The number of the published table that received the call.
    pub table: usize,
    pub kind: Option<HandleType>,
    pub key: Option<Key>,
    /// A number among the entry's arguments, which for an entry that fills a list is the list's capacity.
    pub number: Option<usize>,
    pub thread: ThreadId,
}

impl Call {
    fn of(entry: &'static str) -> Self {
        let thread = std::thread::current().id();
        Self { entry, context: 0, table: 0, kind: None, key: None, number: None, thread }
    }
}

/// The function that the driver runs when a marker is set.
type OnMarker = Box<dyn FnMut(&str, Entry<'_>) + Send>;

/// The function that receives each call before the driver does.
type OnCall = Box<dyn Fn(&Call) + Send>;

#[derive(Default)]
pub struct Spy {
    pub calls: Mutex<Vec<Call>>,
    pub args: Mutex<Vec<CreateDeviceArgs>>,
    pub swap_chain_args: Mutex<Vec<CreateSwapChainArgs>>,
    pub hardware: Mutex<Option<HardwareInfo>>,
    pub on_marker: Mutex<Option<OnMarker>>,
    pub on_call: Mutex<Option<OnCall>>,
    /// The error that the following creations return, or `None` if they succeed.
    pub create_fails: Mutex<Option<CreateError>>,
    /// Whether fences stay unsignalled, as on a busy GPU.
    pub gpu_is_busy: Arc<AtomicBool>,
    /// Whether the driver requests more private bytes than the runtime supports.
    pub sizes_too_large: AtomicBool,
    immediate: Mutex<Option<Arc<dyn ImmediateFuncs>>>,
    contexts: Mutex<usize>,
}

impl Spy {
    pub fn driver(self: &Arc<Self>, inner: onze_null::NullDriver) -> Arc<dyn Driver> {
        Arc::new(SpyDriver { inner: Arc::new(inner), spy: self.clone() })
    }

    /// Returns the calls that were recorded since the last `take`.
    pub fn take(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// Takes the calls that were recorded since the last `take`, and returns the calls of one entry.
    pub fn take_of(&self, entry: &str) -> Vec<Call> {
        let mut calls = self.take();
        calls.retain(|call| call.entry == entry);
        calls
    }

    pub fn core(&self) -> Arc<dyn DeviceCoreLayer> {
        self.args.lock().unwrap().last().unwrap().core.clone()
    }

    /// Makes the driver publish a new immediate table, whose calls are recorded with the number `table`.
    pub fn publish(self: &Arc<Self>, table: usize) {
        let inner = self.immediate.lock().unwrap().clone().unwrap();
        let table = SpyTable { inner, spy: self.clone(), context: 0, table };
        self.core().publish_immediate_table(Box::new(table));
    }

    pub fn on_marker(&self, call: impl FnMut(&str, Entry<'_>) + Send + 'static) {
        *self.on_marker.lock().unwrap() = Some(Box::new(call));
    }

    fn note(&self, call: Call) {
        if let Some(on_call) = &*self.on_call.lock().unwrap() {
            on_call(&call);
        }
        self.calls.lock().unwrap().push(call);
    }
}

struct SpyDriver {
    inner: Arc<dyn Driver>,
    spy: Arc<Spy>,
}

impl ForwardDriver for SpyDriver {
    type Inner = dyn Driver;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn name(&self) -> &str {
        "spy"
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        self.spy.note(Call::of("open_adapter"));
        *self.spy.hardware.lock().unwrap() = Some(args.callbacks.query_adapter_info());
        Box::pin(async {
            let inner = self.inner.open_adapter(args).await?;
            Ok(Arc::new(SpyAdapter { inner, spy: self.spy.clone() }) as _)
        })
    }
}

struct SpyAdapter {
    inner: Arc<dyn AdapterFuncs>,
    spy: Arc<Spy>,
}

impl ForwardAdapter for SpyAdapter {
    type Inner = dyn AdapterFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn supported_versions(&self, versions: Option<&mut [u64]>) -> usize {
        let number = versions.as_ref().map(|v| v.len());
        self.spy.note(Call { number, ..Call::of("supported_versions") });
        self.inner.supported_versions(versions)
    }

    fn threading_caps(&self) -> ThreadingCaps {
        self.spy.note(Call::of("threading_caps"));
        self.inner.threading_caps()
    }

    fn pipeline_caps(&self) -> PipelineCaps {
        // Reports more capable hardware than the null driver, because the interface is independent of feature levels.
        let mut caps = self.inner.pipeline_caps();
        caps.feature_levels.insert(0, FeatureLevel::Level11_0);
        caps
    }

    fn create_device(
        &self,
        args: CreateDeviceArgs,
    ) -> BoxFuture<'_, Result<CreatedDevice, CreateDeviceError>> {
        self.spy.note(Call::of("create_device"));
        self.spy.args.lock().unwrap().push(args.clone());
        let kernel = SlowKernel { inner: args.kernel.clone(), is_busy: self.spy.gpu_is_busy.clone() };
        let args = CreateDeviceArgs { kernel: Arc::new(kernel), ..args };
        Box::pin(async {
            let created = self.inner.create_device(args).await?;
            let inner = Arc::<dyn ImmediateFuncs>::from(created.immediate_funcs);
            *self.spy.immediate.lock().unwrap() = Some(inner.clone());
            Ok(CreatedDevice {
                funcs: Arc::new(SpyDevice { inner: created.funcs, spy: self.spy.clone() }),
                immediate_funcs: Box::new(SpyTable { inner, spy: self.spy.clone(), context: 0, table: 0 }),
                immediate: created.immediate,
            })
        })
    }
}

/// Leaves fences unsignalled while the GPU is marked as busy.
struct SlowKernel {
    inner: Arc<dyn KernelCallbacks>,
    is_busy: Arc<AtomicBool>,
}

impl KernelCallbacks for SlowKernel {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        self.inner.allocate(args)
    }

    fn deallocate(&self, allocation: Allocation) {
        self.inner.deallocate(allocation);
    }

    fn signal(&self, fence: Fence) {
        if !self.is_busy.load(Ordering::Relaxed) {
            self.inner.signal(fence);
        }
    }

    fn signalled(&self) -> Fence {
        self.inner.signalled()
    }
}

/// The device entries whose calls are not recorded, because they only query the driver.
const UNRECORDED: [&str; 7] = [
    "check_format_support",
    "check_format_support2",
    "check_multisample_quality_levels",
    "statistics",
    "poll",
    "driver_object",
    "driver_object_of",
];

struct SpyDevice {
    inner: Arc<dyn DeviceFuncs>,
    spy: Arc<Spy>,
}

impl SpyDevice {
    fn watched(&self, created: CreatedDeferredContext) -> CreatedDeferredContext {
        let context = {
            let mut contexts = self.spy.contexts.lock().unwrap();
            *contexts += 1;
            *contexts
        };
        let table = SpyTable { inner: created.funcs, spy: self.spy.clone(), context, table: 0 };
        CreatedDeferredContext { funcs: Arc::new(table), private: created.private }
    }
}

impl ForwardDevice for SpyDevice {
    type Inner = dyn DeviceFuncs;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn forward<'a, R>(&'a self, entry: &'static str, call: impl FnOnce(&'a Self::Inner) -> R) -> R {
        if !UNRECORDED.contains(&entry) {
            self.spy.note(Call::of(entry));
        }
        call(self.inner())
    }

    fn check_deferred_context_handle_sizes(&self, mut sizes: Option<&mut [HandleSize]>) -> usize {
        let number = sizes.as_ref().map(|s| s.len());
        self.spy.note(Call { number, ..Call::of("check_deferred_context_handle_sizes") });
        let count = self.inner.check_deferred_context_handle_sizes(sizes.as_deref_mut());
        if self.spy.sizes_too_large.load(Ordering::SeqCst)
            && let Some(sizes) = sizes
        {
            sizes[0].size = storage::MAX_PRIVATE_BYTES + 1;
        }
        count
    }

    fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize {
        self.spy.note(Call { kind: Some(desc.kind()), ..Call::of("calc_private_size") });
        self.inner.calc_private_size(desc)
    }

    fn calc_deferred_context_handle_size(&self, kind: HandleType, object: &DriverObject) -> usize {
        self.spy.note(Call { kind: Some(kind), ..Call::of("calc_deferred_context_handle_size") });
        self.inner.calc_deferred_context_handle_size(kind, object)
    }

    fn create(
        &self,
        key: Key,
        desc: &ObjectDesc<'_>,
        private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        self.spy.note(Call { kind: Some(desc.kind()), key: Some(key), ..Call::of("create") });
        match self.spy.create_fails.lock().unwrap().clone() {
            Some(error) => Err(error),
            None => self.inner.create(key, desc, private),
        }
    }

    fn destroy(&self, kind: HandleType, object: DriverObject) {
        self.spy.note(Call { kind: Some(kind), ..Call::of("destroy") });
        self.inner.destroy(kind, object);
    }

    fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
        ForwardDevice::destroy(self, kind, object);
    }

    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.spy.note(Call::of("create_deferred_context"));
        Ok(self.watched(self.inner.create_deferred_context(args)?))
    }

    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.spy.note(Call::of("recycle_create_deferred_context"));
        Ok(self.watched(self.inner.recycle_create_deferred_context(context, args)?))
    }
}

struct SpyTable<T: ?Sized> {
    inner: Arc<T>,
    spy: Arc<Spy>,
    context: usize,
    table: usize,
}

impl<T: ?Sized> SpyTable<T> {
    fn note(&self, entry: &'static str, kind: Option<HandleType>, key: Option<Key>) {
        self.spy.note(Call { context: self.context, table: self.table, kind, key, ..Call::of(entry) });
    }
}

impl<T: ContextFuncs + ?Sized> ForwardContext for SpyTable<T> {
    type Inner = T;

    fn inner(&self) -> &T {
        &self.inner
    }

    fn forward<R>(&self, entry: &'static str, cx: Entry<'_>, call: impl FnOnce(&T, Entry<'_>) -> R) -> R {
        self.note(entry, None, None);
        call(&self.inner, cx)
    }

    fn forward_closing<R>(
        &self,
        entry: &'static str,
        cx: ClosingEntry<'_>,
        call: impl FnOnce(&T, ClosingEntry<'_>) -> R,
    ) -> R {
        self.note(entry, None, None);
        call(&self.inner, cx)
    }

    fn set_marker(&self, mut cx: Entry<'_>, name: &str) {
        self.note("set_marker", None, None);
        // The lock is not held during the call, because the function may take it.
        let on_marker = self.spy.on_marker.lock().unwrap().take();
        if let Some(mut on_marker) = on_marker {
            on_marker(name, cx.reborrow());
            self.spy.on_marker.lock().unwrap().get_or_insert(on_marker);
        }
        self.inner.set_marker(cx, name);
    }
}

impl ForwardImmediate for SpyTable<dyn ImmediateFuncs> {
    fn create_swap_chain(
        &self,
        cx: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<CreatedSwapChain, PresentError> {
        self.note("create_swap_chain", None, None);
        self.spy.swap_chain_args.lock().unwrap().push(args.clone());
        self.inner.create_swap_chain(cx, args)
    }

    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key) {
        self.note("close", Some(kind), Some(key));
        self.inner.close(cx, kind, key);
    }
}

impl ForwardDeferred for SpyTable<dyn DeferredFuncs> {
    fn open(&self, cx: Entry<'_>, args: OpenArgs<'_>) -> Result<(), RecordError> {
        self.note("open", Some(args.kind), Some(args.key));
        self.inner.open(cx, args)
    }

    fn close(&self, cx: ClosingEntry<'_>, kind: HandleType, key: Key) {
        self.note("close", Some(kind), Some(key));
        self.inner.close(cx, kind, key);
    }
}
