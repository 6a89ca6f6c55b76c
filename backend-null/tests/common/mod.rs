//! A minimal runtime that can call a driver through its interface.
#![allow(dead_code, reason = "not every test uses all of it")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]
#![allow(unreachable_pub, reason = "shared by several tests")]

mod callbacks;
mod deferred;
pub mod faulty;

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use onze_ddi::*;

pub use callbacks::{Core, Kernel, Layer};
pub use deferred::Dc;

pub fn now<T>(mut future: BoxFuture<'_, T>) -> T {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the driver waits"),
    }
}

/// The names of all callbacks, in call order.
pub type Events = Arc<Mutex<Vec<String>>>;

pub fn take(events: &Events) -> Vec<String> {
    std::mem::take(&mut events.lock().unwrap())
}

pub struct Ctx {
    pub private: PrivateData,
    pub handles: HandleStorage,
    pub layer: Layer,
}

impl Ctx {
    pub fn new(private: PrivateData, events: Events) -> Self {
        Self { private, handles: HandleStorage::new(), layer: Layer { events, ..Layer::default() } }
    }

    pub fn entry(&mut self) -> Entry<'_> {
        Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.layer }
    }

    pub fn closing(&mut self) -> ClosingEntry<'_> {
        ClosingEntry { private: &mut *self.private, handles: &mut self.handles, state: &self.layer }
    }
}

#[derive(Clone, Debug)]
pub struct Object {
    pub kind: HandleType,
    pub key: Key,
    pub driver: DriverObject,
    pub resource: Option<Box<Object>>,
}

impl Object {
    pub fn handle<K: HandleKind>(&self) -> Handle<K> {
        assert_eq!(K::TYPE, self.kind);
        Handle::new(self.key)
    }

    pub fn reference(&self) -> ObjectRef<'_, kind::Resource> {
        ObjectRef { handle: self.handle(), object: &self.driver }
    }

    pub fn r(&self) -> ResourceHandle {
        self.handle()
    }
}

pub struct Runtime {
    pub device: Arc<dyn DeviceFuncs>,
    pub immediate: Arc<dyn ImmediateFuncs>,
    pub ctx: Ctx,
    pub kernel: Arc<Kernel>,
    pub core: Arc<Core>,
    pub events: Events,
    next: u32,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub interface: u32,
    pub threading: ThreadingCaps,
    pub flags: CreateDeviceFlags,
    pub page_draws: Option<u32>,
    pub level: FeatureLevel,
    pub build: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            interface: DdiVersion::V11_1.interface,
            threading: ThreadingCaps::CommandLists,
            flags: CreateDeviceFlags::empty(),
            page_draws: None,
            level: FeatureLevel::Core11,
            build: 1,
        }
    }
}

pub fn open(driver: &Arc<dyn Driver>, core: &Arc<Core>) -> Arc<dyn AdapterFuncs> {
    now(driver.open_adapter(OpenAdapterArgs { adapter: 0, window: None, callbacks: core.clone() })).unwrap()
}

impl Runtime {
    pub fn new(driver: &Arc<dyn Driver>) -> Self {
        Self::with(driver, Options::default()).unwrap()
    }

    pub fn with(driver: &Arc<dyn Driver>, options: Options) -> Result<Self, CreateDeviceError> {
        let core = Arc::new(Core::default());
        let adapter = open(driver, &core);
        let kernel = Arc::new(Kernel::default());
        let created = now(adapter.create_device(CreateDeviceArgs {
            interface: options.interface,
            version: options.build,
            runtime_device: RuntimeDevice(1),
            feature_level: options.level,
            flags: options.flags,
            threading: options.threading,
            tuning: Tuning { workers: None, page_draws: options.page_draws, ..Tuning::default() },
            kernel: kernel.clone(),
            core: core.clone(),
            window: None,
            label: None,
        }))?;
        let events = kernel.events.clone();
        Ok(Self {
            device: created.funcs,
            immediate: Arc::from(created.immediate_funcs),
            ctx: Ctx::new(created.immediate, events.clone()),
            kernel,
            core,
            events,
            next: 0,
        })
    }

    pub fn key(&mut self) -> Key {
        self.next += 1;
        Key::new(self.next, NonZeroU32::MIN)
    }

    pub fn create(
        &mut self,
        desc: &ObjectDesc<'_>,
        resource: Option<&Object>,
    ) -> Result<Object, CreateError> {
        let key = self.key();
        let size = self.device.calc_private_size(desc);
        let driver = self.device.create(key, desc, &mut vec![0; size])?;
        assert!(self.ctx.handles.open(key, size, driver.clone(), Arc::new(())));
        Ok(Object { kind: desc.kind(), key, driver, resource: resource.cloned().map(Box::new) })
    }

    pub fn buffer(&mut self, desc: BufferDesc, data: &[u8]) -> Object {
        let data = SubresourceData { bytes: data, row_pitch: 0, depth_pitch: 0 };
        let initial_data: &[_] = if data.bytes.is_empty() { &[] } else { &[data] };
        self.create(&ObjectDesc::Resource { desc: &ResourceDesc::Buffer(desc), initial_data }, None).unwrap()
    }

    pub fn dynamic(&mut self) -> Object {
        self.buffer(BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER), &[])
    }

    pub fn staging(&mut self) -> Object {
        self.buffer(BufferDesc::staging(16, CpuAccessFlags::READ | CpuAccessFlags::WRITE), &[])
    }

    pub fn texture(&mut self, desc: Texture2dDesc, initial_data: &[SubresourceData<'_>]) -> Object {
        let desc = ResourceDesc::from(desc);
        self.create(&ObjectDesc::Resource { desc: &desc, initial_data }, None).unwrap()
    }

    pub fn view(&mut self, texture: &Object) -> Object {
        let desc = view_desc();
        let desc = ObjectDesc::ShaderResourceView { resource: texture.reference(), desc: &desc };
        self.create(&desc, Some(texture)).unwrap()
    }

    pub fn structured(&mut self) -> Object {
        let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        self.buffer(BufferDesc::structured(16, 4, flags), &[])
    }

    /// Creates a view through which compute shaders write a range of a buffer's elements.
    pub fn written(&mut self, buffer: &Object, first_element: u32, elements: u32) -> Object {
        self.unordered(buffer, first_element, elements, false)
    }

    pub fn counted(&mut self, buffer: &Object) -> Object {
        self.unordered(buffer, 0, 4, true)
    }

    fn unordered(&mut self, buffer: &Object, first_element: u32, elements: u32, counter: bool) -> Object {
        let desc = ViewDesc::Buffer(BufferViewDesc {
            format: Format::UNKNOWN,
            stride: 16,
            first_element,
            elements,
            raw: false,
            counter,
            append: false,
        });
        let desc = ObjectDesc::UnorderedAccessView { resource: buffer.reference(), desc: &desc };
        self.create(&desc, Some(buffer)).unwrap()
    }

    /// Creates a view through which shaders read all elements of a structured buffer.
    pub fn read_view(&mut self, buffer: &Object) -> Object {
        let desc = ViewDesc::Buffer(BufferViewDesc {
            format: Format::UNKNOWN,
            stride: 16,
            first_element: 0,
            elements: 4,
            raw: false,
            counter: false,
            append: false,
        });
        let desc = ObjectDesc::ShaderResourceView { resource: buffer.reference(), desc: &desc };
        self.create(&desc, Some(buffer)).unwrap()
    }

    pub fn compute_shader(&mut self) -> Object {
        let code = Self::shader_code("@compute @workgroup_size(1) fn main() {}", ShaderStage::Compute);
        self.create(&ObjectDesc::Shader { code: &code, stream_output: None, label: "main" }, None).unwrap()
    }

    /// Returns the code of a shader without bindings, inputs and outputs.
    pub fn shader_code(source: &str, stage: ShaderStage) -> Arc<ShaderCode> {
        let module = naga::front::wgsl::parse_str(source).unwrap();
        let (flags, caps) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
        let info = naga::valid::Validator::new(flags, caps).validate(&module).unwrap();
        let reflection = ShaderReflection {
            stage,
            constant_buffers: Vec::new(),
            resources: Vec::new(),
            samplers: Vec::new(),
            unordered_access: Vec::new(),
            counters: Vec::new(),
            sampled_pairs: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            workgroup_size: [1; 3],
            uses_vertex_index: false,
            uses_instance_index: false,
            uses_position: false,
            uses_front_facing: false,
            runs_per_sample: false,
            uses_sample_mask: false,
            writes_depth: false,
            writes_sample_mask: false,
            dual_source: false,
            system_outputs: Vec::new(),
            discards: false,
        };
        let program = ShaderProgram::EntryPoint("main".into());
        Arc::new(ShaderCode { module, info, program, reflection })
    }

    pub fn query(&mut self) -> Object {
        self.create(&ObjectDesc::Query(QueryType::Event.into()), None).unwrap()
    }

    pub fn predicate(&mut self) -> Object {
        self.create(&ObjectDesc::Query(QueryType::OcclusionPredicate.into()), None).unwrap()
    }

    pub fn close(&mut self, object: &Object) {
        self.immediate.close(self.ctx.closing(), object.kind, object.key);
        self.ctx.handles.close(object.key);
    }

    pub fn destroy(&mut self, object: Object) {
        self.close(&object);
        self.device.destroy(object.kind, object.driver);
    }

    pub fn deferred(&mut self) -> Dc {
        let created = self.device.create_deferred_context(&CreateDeferredContextArgs::default()).unwrap();
        self.deferred_of(created)
    }

    pub fn revived(&mut self, dead: DriverContext<Dead>) -> Dc {
        let cached = self.device.recycle_deferred_context(dead);
        let args = CreateDeferredContextArgs::default();
        let created = self.device.recycle_create_deferred_context(cached, &args).unwrap();
        self.deferred_of(created)
    }

    fn deferred_of(&mut self, created: CreatedDeferredContext) -> Dc {
        let ctx = Ctx::new(created.private.into_inner(), self.events.clone());
        let (device, nothing) = (self.device.clone(), Arc::new(()));
        Dc { funcs: created.funcs, ctx, open: Vec::new(), cached: Vec::new(), device, nothing }
    }

    pub fn flush(&mut self) -> bool {
        self.immediate.flush(self.ctx.entry(), FlushFlags::empty())
    }

    pub fn draw(&mut self) {
        self.immediate.draw(self.ctx.entry(), 3, 0);
    }

    pub fn execute(&mut self, list: &DriverList<Live>) {
        self.immediate.command_list_execute(self.ctx.entry(), list);
    }

    pub fn copy(&mut self, dst: &Object, src: &Object) {
        self.immediate.resource_copy(self.ctx.entry(), dst.r(), src.r());
    }

    pub fn write(&mut self, buffer: &Object, map_type: MapType, value: u8) {
        let mut memory = self.immediate.dynamic_map(self.ctx.entry(), buffer.r(), 0, map_type).unwrap();
        memory.bytes_mut().fill(value);
        self.immediate.dynamic_unmap(self.ctx.entry(), buffer.r(), 0, memory, Written::All);
    }

    pub fn read(&mut self, staging: &Object) -> (Vec<u8>, u32) {
        let map = self.immediate.staging_map(self.ctx.entry(), staging.r(), 0, MapType::Read, false);
        let memory = map.unwrap();
        let (bytes, pitch) = (memory.bytes().to_vec(), memory.row_pitch);
        self.immediate.staging_unmap(self.ctx.entry(), staging.r(), 0, memory, Written::Nothing);
        (bytes, pitch)
    }

    pub fn destroy_device(self) {
        let Self { device, ctx, .. } = self;
        device.destroy_device(ctx.private);
    }
}

pub fn view_desc() -> ViewDesc {
    ViewDesc::Texture(TextureViewDesc {
        format: Format::R8G8B8A8_UNORM,
        dimension: ViewDimension::Texture2d,
        range: SubresourceRange::FIRST,
        flags: DsvFlags::empty(),
    })
}

#[derive(Debug)]
pub struct NoWindow;

impl raw_window_handle::HasWindowHandle for NoWindow {
    fn window_handle(&self) -> Result<raw_window_handle::WindowHandle<'_>, raw_window_handle::HandleError> {
        Err(raw_window_handle::HandleError::Unavailable)
    }
}

impl raw_window_handle::HasDisplayHandle for NoWindow {
    fn display_handle(&self) -> Result<raw_window_handle::DisplayHandle<'_>, raw_window_handle::HandleError> {
        Err(raw_window_handle::HandleError::Unavailable)
    }
}

pub fn swap_chain_args() -> CreateSwapChainArgs {
    CreateSwapChainArgs {
        window: Arc::new(NoWindow),
        width: 4,
        height: 4,
        format: Format::R8G8B8A8_UNORM,
        bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
        buffer_count: 2,
        swap_effect: SwapEffect::Sequential,
        maximum_frame_latency: 2,
        alpha_mode: AlphaMode::Unspecified,
        label: None,
    }
}
