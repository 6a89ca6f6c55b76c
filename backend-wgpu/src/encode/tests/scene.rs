//! Shaders, objects and pages that the tests of the encoder share.

use std::{num::NonZeroU32, sync::Arc};

use naga::{AddressSpace, Binding, ScalarKind as NagaKind, TypeInner};
use onze_ddi::{
    BindFlags, ConstantBufferSlot, DsvFlags, ElementDesc, Format, HandleType, InputClassification, Key,
    MiscFlags, PrimitiveTopology, ResourceDesc, ResourceKind, ResourceSlot, SampleKind, SampledPair,
    SamplerSlot, ScalarKind, ShaderCode, ShaderInput, ShaderOutput, ShaderProgram, ShaderReflection,
    ShaderStage, SubresourceRange, Texture2dDesc, TextureDimension, TextureViewDesc, ViewDimension, Viewport,
};

use crate::{
    device::Device,
    encode::{EncodedRun, PipelineStore, Run, WorkerCaches, encode_run, run::EncodeStats},
    objects::{
        allocator::{Storage, own_storage},
        identity::Identity,
        resource::Resource,
        shader::Shader,
        state::ElementLayout,
        view::View,
    },
    record::{
        command::{Bind, Binds, Command, NO_OBJECT, ObjectIndex, SideRange, stage_bit},
        object_table::{ObjectTable, PageObject},
        page::{BoundTargets, Page},
        run_page::RunPage,
    },
    testing::{self, FakeRuntime},
};

/// Returns a key for a resource, which no test looks up.
fn key() -> Key {
    Key::new(1, NonZeroU32::MIN)
}

fn new_caches() -> WorkerCaches {
    WorkerCaches::new(&Arc::new(PipelineStore::default()), false, false)
}

/// A device with the caches of one encoding thread.
pub(super) struct Bench {
    pub(super) device: Arc<Device>,
    pub(super) runtime: Arc<FakeRuntime>,
    pub(super) caches: WorkerCaches,
}

impl Bench {
    pub(super) fn new() -> Option<Self> {
        let (device, runtime) = testing::gpu()?;
        Some(Self { device, runtime, caches: new_caches() })
    }

    /// Creates a device on the no-op backend.
    pub(super) fn noop() -> Self {
        let (device, runtime) = testing::noop();
        Self { device, runtime, caches: new_caches() }
    }

    /// Encodes pages as one run, without submitting it.
    pub(super) fn encode(&mut self, pages: Vec<Recording>) -> EncodedRun {
        let pages = pages.into_iter().map(Recording::finish).collect();
        encode_run(&self.device.encoding, &mut self.caches, Run { pages, draws: 0 })
    }

    /// Encodes pages as one run, submits it and returns its statistics.
    pub(super) fn run(&mut self, pages: Vec<Recording>) -> EncodeStats {
        self.run_pages(pages.into_iter().map(Recording::finish).collect())
    }

    /// Encodes pages as one run and submits it, like `run`, although the pages may have been encoded before.
    pub(super) fn run_pages(&mut self, pages: Vec<RunPage>) -> EncodeStats {
        let encoded = encode_run(&self.device.encoding, &mut self.caches, Run { pages, draws: 0 });
        assert_eq!(encoded.error, None);
        self.device.gpu.queue.submit(encoded.command_buffers);
        self.runtime.assert_clean();
        encoded.stats
    }

    pub(super) fn texture(&self, desc: Texture2dDesc) -> Arc<Resource> {
        Resource::new(&self.device.objects, key(), &ResourceDesc::from(desc), &[]).unwrap()
    }

    /// Creates a texture that can be a render target and that shaders can read.
    pub(super) fn target(&self, format: Format, width: u32, height: u32) -> Arc<Resource> {
        self.texture(Texture2dDesc::render_target(format, width, height))
    }

    /// Creates a depth-stencil texture of a typeless format that shaders can also read.
    pub(super) fn depth(&self, format: Format, width: u32, height: u32) -> Arc<Resource> {
        let mut desc = Texture2dDesc::depth_stencil(format, width, height);
        desc.bind_flags |= BindFlags::SHADER_RESOURCE;
        self.texture(desc)
    }

    /// Creates a texture with all mip levels, which `GenerateMips` can fill.
    pub(super) fn mipped(&self, format: Format, width: u32, height: u32) -> Arc<Resource> {
        let mut desc = Texture2dDesc::render_target(format, width, height);
        desc.mip_levels = desc.width.max(desc.height).ilog2() + 1;
        desc.misc_flags = MiscFlags::GENERATE_MIPS;
        self.texture(desc)
    }

    pub(super) fn view(
        &self,
        kind: HandleType,
        resource: &Arc<Resource>,
        desc: &TextureViewDesc,
    ) -> Arc<View> {
        View::new(&self.device.gpu, kind, resource, desc).unwrap()
    }

    pub(super) fn rtv(&self, resource: &Arc<Resource>, format: Format) -> Arc<View> {
        self.view(HandleType::RenderTargetView, resource, &desc(format))
    }

    pub(super) fn srv(&self, resource: &Arc<Resource>, format: Format) -> Arc<View> {
        self.view(HandleType::ShaderResourceView, resource, &desc(format))
    }

    pub(super) fn dsv(&self, resource: &Arc<Resource>, format: Format, flags: DsvFlags) -> Arc<View> {
        self.view(HandleType::DepthStencilView, resource, &TextureViewDesc { flags, ..desc(format) })
    }

    /// Creates a wgpu buffer that contains `bytes` and allows every usage in the tests.
    pub(super) fn buffer(&self, bytes: &[u8]) -> Arc<Storage> {
        let usage = wgpu::BufferUsages::VERTEX
            | wgpu::BufferUsages::INDEX
            | wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::INDIRECT
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let storage = own_storage(&self.device.gpu.device, "test", bytes.len() as u64, usage).unwrap();
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(4), 0);
        self.device.gpu.queue.write_buffer(&storage.buffer, 0, &padded);
        storage
    }

    pub(super) fn shader(&self, stage: ShaderStage, source: &str) -> Arc<Shader> {
        Shader::new(&self.device.gpu, &code(stage, source), None, "test").unwrap()
    }

    pub(super) fn vertex(&self, source: &str) -> Arc<Shader> {
        self.shader(ShaderStage::Vertex, source)
    }

    pub(super) fn pixel(&self, source: &str) -> Arc<Shader> {
        self.shader(ShaderStage::Pixel, source)
    }

    /// Creates a layout of one element in slot 0 at location 0.
    pub(super) fn layout(&self, format: Format, class: InputClassification) -> Arc<ElementLayout> {
        let step_rate = u32::from(class == InputClassification::PerInstanceData);
        ElementLayout::new(
            &self.device.gpu,
            &[ElementDesc { location: 0, format, input_slot: 0, offset: 0, class, step_rate }],
        )
        .unwrap()
    }

    /// Reads back the texels of a mip level of a slice.
    pub(super) fn texels(&self, resource: &Resource, mip: u32, slice: u32) -> Vec<u8> {
        testing::read_texture(&self.device, &resource.texture().unwrap().texture, mip, slice)
    }

    /// Reads back the first texel of an RGBA8 texture.
    pub(super) fn corner(&self, resource: &Resource) -> [u8; 4] {
        self.texels(resource, 0, 0)[..4].try_into().unwrap()
    }

    pub(super) fn bytes(&self, storage: &Storage) -> Vec<u8> {
        testing::read_buffer(&self.device, &storage.buffer, 0, storage.size)
    }
}

fn desc(format: Format) -> TextureViewDesc {
    TextureViewDesc {
        format,
        dimension: ViewDimension::Texture2d,
        range: SubresourceRange::FIRST,
        flags: DsvFlags::empty(),
    }
}

/// A page that is being recorded, with its objects and imports.
#[derive(Default)]
pub(super) struct Recording {
    pub(super) page: Page,
    objects: ObjectTable,
    imports: Vec<Identity>,
}

impl Recording {
    pub(super) fn finish(self) -> RunPage {
        RunPage::new(Arc::new(self.page), Arc::new(self.objects), self.imports.into(), &[])
    }

    pub(super) fn object(&mut self, object: PageObject) -> ObjectIndex {
        self.objects.enter(object)
    }

    pub(super) fn buffer(&mut self, storage: &Arc<Storage>) -> ObjectIndex {
        self.object(PageObject::Buffer(storage.clone()))
    }

    /// Adds an import of a command list, with its identity in the current execution.
    pub(super) fn import(&mut self, identity: Identity) -> ObjectIndex {
        self.imports.push(identity);
        self.object(PageObject::Import(self.imports.len() as u32 - 1))
    }

    pub(super) fn resource(&mut self, resource: &Arc<Resource>) -> ObjectIndex {
        self.object(PageObject::Resource(resource.clone()))
    }

    pub(super) fn view(&mut self, view: &Arc<View>) -> ObjectIndex {
        self.object(PageObject::View(view.clone()))
    }

    pub(super) fn push(&mut self, command: impl Into<Command>) -> &mut Self {
        self.page.commands.push(command.into());
        self
    }

    pub(super) fn clear(&mut self, view: &Arc<View>, color: [f32; 4]) -> &mut Self {
        let object = self.view(view);
        self.page.colors.push(color);
        let color = self.page.colors.len() as u32 - 1;
        self.push(Command::ClearRenderTarget { object, color })
    }

    pub(super) fn clear_depth(&mut self, view: &Arc<View>, flags: u8, depth: f32, stencil: u8) -> &mut Self {
        let object = self.view(view);
        self.push(Command::ClearDepthStencil { object, flags, stencil, depth })
    }

    /// Binds targets, and a viewport of the size of the first one.
    pub(super) fn targets(&mut self, color: &[Option<&Arc<View>>], depth: Option<&Arc<View>>) -> &mut Self {
        let mut targets = BoundTargets { color: [NO_OBJECT; 8], depth_stencil: NO_OBJECT };
        for (to, view) in targets.color.iter_mut().zip(color) {
            if let Some(view) = view {
                *to = self.view(view);
            }
        }
        if let Some(view) = depth {
            targets.depth_stencil = self.view(view);
        }
        self.page.targets.push(targets);
        let at = self.page.targets.len() as u32 - 1;
        self.push(Command::SetTargets(at));
        if let Some(view) = color.iter().flatten().next().copied().or(depth) {
            self.viewport(Viewport::sized(view.width as f32, view.height as f32));
        }
        self
    }

    pub(super) fn viewport(&mut self, viewport: Viewport) -> &mut Self {
        let range = SideRange::append(&mut self.page.viewports, &[viewport]);
        self.push(Command::SetViewports(range))
    }

    pub(super) fn shaders(&mut self, vertex: &Arc<Shader>, pixel: Option<&Arc<Shader>>) -> &mut Self {
        for shader in [Some(vertex), pixel].into_iter().flatten() {
            let object = self.object(PageObject::Shader(shader.clone()));
            self.push(Bind::Shader { stage: shader.code.reflection.stage, object });
        }
        self.push(Bind::Topology(PrimitiveTopology::TriangleList))
    }

    pub(super) fn layout(&mut self, layout: &Arc<ElementLayout>) -> &mut Self {
        let object = self.object(PageObject::ElementLayout(layout.clone()));
        self.push(Bind::InputLayout(object))
    }

    pub(super) fn vertices(
        &mut self,
        storage: &Arc<Storage>,
        stride: u16,
        offset: u32,
        size: u32,
    ) -> &mut Self {
        let object = self.buffer(storage);
        self.push(Command::SetVertexBuffer { slot: 0, object, stride, offset, size })
    }

    pub(super) fn indices(
        &mut self,
        storage: &Arc<Storage>,
        wide: bool,
        offset: u32,
        size: u32,
    ) -> &mut Self {
        let object = self.buffer(storage);
        self.push(Command::SetIndexBuffer { wide, object, offset, size })
    }

    pub(super) fn constants(
        &mut self,
        stage: ShaderStage,
        storage: &Arc<Storage>,
        offset: u32,
        size: u32,
    ) -> &mut Self {
        let object = self.buffer(storage);
        self.push(Command::SetConstantBuffer { stages: stage_bit(stage), slot: 0, object, offset, size })
    }

    pub(super) fn draw(&mut self, vertex_count: u32, start_vertex: u32) -> &mut Self {
        self.push(Command::Draw { vertex_count, start_vertex })
    }
}

impl From<Bind> for Command {
    fn from(bind: Bind) -> Self {
        Self::Binds(Binds::new(bind))
    }
}

/// A triangle that covers the whole target and reads no buffer.
pub(super) const COVER: &str = "
    @vertex fn main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i & 1u) * 4.0 - 1.0, 1.0 - f32(i >> 1u) * 4.0, 0.5, 1.0);
    }";

/// Covers the target with the colour in the constant buffer b0.
pub(super) const TINT: &str = "
    @group(0) @binding(0) var<uniform> tint: vec4f;
    @fragment fn main() -> @location(0) vec4f { return tint; }";

pub(super) const WHITE: &str = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";

pub(super) fn color(color: [f32; 4]) -> Vec<u8> {
    bytemuck::cast_slice(&color).to_vec()
}

fn kind(inner: &TypeInner) -> (ScalarKind, u8) {
    let (scalar, components) = match *inner {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { size, scalar } => (scalar, size as u8),
        ref other => panic!("no input or output: {other:?}"),
    };
    let kind = match scalar.kind {
        NagaKind::Sint => ScalarKind::Sint,
        NagaKind::Uint => ScalarKind::Uint,
        _ => ScalarKind::Float,
    };
    (kind, components)
}

/// Returns the bindings and types of a value, or of the members of a struct.
fn bindings(
    module: &naga::Module,
    ty: naga::Handle<naga::Type>,
    own: Option<&Binding>,
) -> Vec<(Binding, TypeInner)> {
    match (&module.types[ty].inner, own) {
        (inner, Some(binding)) => vec![(binding.clone(), inner.clone())],
        (TypeInner::Struct { members, .. }, None) => {
            members.iter().flat_map(|m| bindings(module, m.ty, m.binding.as_ref())).collect()
        }
        _ => Vec::new(),
    }
}

fn resource_kind(inner: &TypeInner) -> ResourceKind {
    if let TypeInner::Array { stride, .. } = *inner {
        return ResourceKind::Buffer { stride, size: stride };
    }
    let TypeInner::Image { dim, arrayed, class } = *inner else { panic!("no texture: {inner:?}") };
    let dimension = match (dim, arrayed) {
        (naga::ImageDimension::D1, _) => TextureDimension::D1,
        (naga::ImageDimension::D2, false) => TextureDimension::D2,
        (naga::ImageDimension::D2, true) => TextureDimension::D2Array,
        (naga::ImageDimension::Cube, false) => TextureDimension::Cube,
        (naga::ImageDimension::Cube, true) => TextureDimension::CubeArray,
        (naga::ImageDimension::D3, _) => TextureDimension::D3,
    };
    let (sample, multisampled) = match class {
        naga::ImageClass::Sampled { kind: NagaKind::Sint, multi } => (SampleKind::Sint, multi),
        naga::ImageClass::Sampled { kind: NagaKind::Uint, multi } => (SampleKind::Uint, multi),
        naga::ImageClass::Sampled { multi, .. } => (SampleKind::Float, multi),
        naga::ImageClass::Depth { multi } => (SampleKind::Depth, multi),
        ref other => panic!("no texture that is read: {other:?}"),
    };
    ResourceKind::Texture { dimension, multisampled, sample }
}

/// Returns the shader code that the runtime would hand over, limited to the properties that the encoder
/// reads.
pub(super) fn code(stage: ShaderStage, source: &str) -> Arc<ShaderCode> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let info =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all())
            .validate(&module)
            .unwrap();
    let mut constant_buffers = Vec::new();
    let mut resources = Vec::new();
    let mut samplers = Vec::new();
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    for (binding, variable) in module.global_variables.iter() {
        let Some(place) = &variable.binding else { continue };
        let (slot, name, inner) = (place.binding, String::new(), &module.types[variable.ty].inner);
        match (place.group, variable.space, inner) {
            (0, AddressSpace::Uniform, _) => {
                let size = layouter[variable.ty].size;
                constant_buffers.push(ConstantBufferSlot { slot, name, size, binding });
            }
            (1, ..) => resources.push(ResourceSlot { slot, name, kind: resource_kind(inner), binding }),
            (2, _, TypeInner::Sampler { comparison }) => {
                samplers.push(SamplerSlot { slot, name, comparison: *comparison, binding });
            }
            other => panic!("not in the convention: {other:?}"),
        }
    }
    constant_buffers.sort_by_key(|b| b.slot);
    resources.sort_by_key(|t| t.slot);
    samplers.sort_by_key(|s| s.slot);
    let pairs = resources.iter().flat_map(|t| samplers.iter().map(|s| (t.slot, s.slot)));
    let sampled_pairs = pairs.map(|(resource, sampler)| SampledPair { resource, sampler }).collect();
    let entry = &module.entry_points[0];
    let arguments: Vec<_> =
        entry.function.arguments.iter().flat_map(|a| bindings(&module, a.ty, a.binding.as_ref())).collect();
    let results: Vec<_> =
        entry.function.result.iter().flat_map(|r| bindings(&module, r.ty, r.binding.as_ref())).collect();
    let has =
        |list: &[(Binding, TypeInner)], built_in| list.iter().any(|(b, _)| *b == Binding::BuiltIn(built_in));
    let inputs = arguments.iter().filter_map(|(binding, inner)| {
        let Binding::Location { location, interpolation, sampling, .. } = *binding else { return None };
        let ((kind, components), name) = (kind(inner), String::new());
        let (semantic_name, semantic_index) = (String::new(), 0);
        Some(ShaderInput {
            location,
            name,
            semantic_name,
            semantic_index,
            kind,
            components,
            component_kinds: kind.of_components(components),
            interpolation,
            sampling,
        })
    });
    let outputs = results.iter().filter_map(|(binding, inner)| {
        let Binding::Location { location, interpolation, sampling, blend_src, .. } = *binding else {
            return None;
        };
        let ((kind, components), name) = (kind(inner), String::new());
        let (semantic_name, semantic_index) = (String::new(), 0);
        Some(ShaderOutput {
            location,
            name,
            semantic_name,
            semantic_index,
            kind,
            components,
            component_kinds: kind.of_components(components),
            interpolation,
            sampling,
            blend_src,
        })
    });
    let reflection = ShaderReflection {
        stage,
        constant_buffers,
        resources,
        samplers,
        unordered_access: Vec::new(),
        counters: Vec::new(),
        workgroup_size: [0; 3],
        sampled_pairs,
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        uses_vertex_index: has(&arguments, naga::BuiltIn::VertexIndex),
        uses_instance_index: has(&arguments, naga::BuiltIn::InstanceIndex),
        uses_position: false,
        uses_front_facing: false,
        runs_per_sample: false,
        uses_sample_mask: false,
        writes_depth: has(&results, naga::BuiltIn::FragDepth),
        writes_sample_mask: has(&results, naga::BuiltIn::SampleMask),
        dual_source: false,
        system_outputs: Vec::new(),
        discards: false,
    };
    let program = ShaderProgram::EntryPoint(entry.name.clone());
    Arc::new(ShaderCode { module, info, program, reflection })
}
