//! The workload as a well-written program in raw wgpu. [`crate::onze_side`] implements the same workload with
//! Onze.
//!
//! * Each frame has one submission, and each thread has one command encoder with one render pass.
//! * Pipelines and bind groups are created in advance. Each thread has its own bind groups, because threads
//!   that set the same bind group contend for its reference count.
//! * All constants of a thread are in one uniform buffer, and a dynamic offset selects the constants of a
//!   draw. They are written to mapped staging memory and copied to the buffer once per frame. The staging
//!   memory is reused. `Queue::write_buffer` would allocate new memory each time, and allocating 2.56 MB
//!   costs more than the writes.
//! * Structured buffers are ranges of one storage buffer, also selected by dynamic offsets. The shader is the
//!   same as with Onze, so it indexes elements from 0.
//! * All dispatches are in one compute pass.
//! * The steps between constants are as small as the adapter's alignment allows.
//! * A [`Form`] is a way to make the draws. Most programs use [`Form::Draws`]. The other forms need an
//!   expert who knows the scene.
//! * Draws that are repeated in every frame are in a render bundle.

mod indexed;
mod recorder;
mod resources;

use wgpu::util::DeviceExt as _;

pub use indexed::IndexedRecorder;
pub use recorder::Recorder;

use crate::wgpu_side::resources::{
    best_entry, constants_entry, pipeline, structured_entry, surface_entry, texture, texture_desc,
    texture_entries, written_entry,
};
use crate::workload::{
    COMBINATIONS, Constants, PIXEL_SHADERS, SCENE_MESHES, SCENE_SHADERS, TARGET, TEXTURE, TEXTURES, Variant,
    Workload,
};

const BINDINGS: &str = r"
@group(0) @binding(0) var albedo: texture_2d<f32>;
@group(0) @binding(1) var filtering: sampler;
@group(0) @binding(2) var detail_map: texture_2d<f32>;
@group(0) @binding(3) var gloss_map: texture_2d<f32>;
@group(1) @binding(0) var<uniform> object: Object;
@group(1) @binding(1) var<uniform> surface: Object;
@group(1) @binding(0) var<storage> objects: array<Object>;
@group(0) @binding(0) var<storage, read_write> written: array<vec4f>;
";

/// The constants of an instance in the best form: the objects of both stages.
const BEST: &str = r"
struct Box { object: Object, surface: Object }
@group(1) @binding(2) var<storage> boxes: array<Box>;
struct BoxCorner {
    @builtin(position) position: vec4f,
    @location(0) tint: vec4f,
    @location(1) place: vec2f,
    @location(2) @interpolate(flat) instance: u32,
}
@vertex fn vs_best(@location(0) position: vec3f, @builtin(instance_index) instance: u32) -> BoxCorner {
    let corner = moved(position, boxes[instance].object);
    return BoxCorner(corner.position, corner.tint, corner.place, instance);
}
@fragment fn ps_best(corner: BoxCorner) -> @location(0) vec4f {
    return textureSample(albedo, filtering, corner.place) * corner.tint * boxes[corner.instance].surface.tint;
}
";

/// The form of a program's draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One draw per object, each with its own dynamic offsets.
    Draws,
    /// The minimum number of draws: boxes are sorted by mesh in advance, all constants are in one storage
    /// buffer, and each mesh has one instanced draw.
    Best,
    /// One draw per object, whose constants and texture the first instance selects in a storage buffer and in
    /// a binding array. No bind group changes between draws.
    ByIndex,
    /// Like [`Form::ByIndex`], but all draws are one indirect call.
    MultiDraw,
}

impl Form {
    /// All forms, in the order of the tables.
    pub const ALL: [Self; 4] = [Self::Draws, Self::Best, Self::ByIndex, Self::MultiDraw];

    /// Returns the name in reports and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draws => "wgpu",
            Self::Best => "best",
            Self::ByIndex => "by-index",
            Self::MultiDraw => "multi-draw",
        }
    }

    /// Returns whether a variant has this form on a device.
    pub fn exists(self, variant: Variant, device: &wgpu::Device) -> bool {
        let has_index = match variant {
            Variant::V1 | Variant::Boxes | Variant::BoxesSorted => true,
            Variant::V2 => device.features().contains(INDEXED_TEXTURES),
            _ => false,
        };
        match self {
            Self::Draws => true,
            Self::Best => variant.is_boxes(),
            Self::ByIndex => has_index,
            Self::MultiDraw => {
                has_index && device.features().contains(wgpu::Features::INDIRECT_FIRST_INSTANCE)
            }
        }
    }
}

/// The features that a shader needs to choose a texture by an index that differs between draws.
pub const INDEXED_TEXTURES: wgpu::Features = wgpu::Features::TEXTURE_BINDING_ARRAY
    .union(wgpu::Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING);

/// Size in bytes of a box's constants for both stages.
const BOX: usize = 2 * size_of::<Constants>();

/// The objects that all threads share, created once per device.
#[derive(Debug)]
pub struct Objects {
    device: wgpu::Device,
    queue: wgpu::Queue,
    work: Workload,
    picture: wgpu::Texture,
    target: wgpu::TextureView,
    pipelines: Vec<wgpu::RenderPipeline>,
    structured_pipeline: wgpu::RenderPipeline,
    written_pipeline: wgpu::RenderPipeline,
    boxes_pipeline: wgpu::RenderPipeline,
    best_pipeline: wgpu::RenderPipeline,
    /// The scene's pipelines, one per combination.
    scene_pipelines: Vec<wgpu::RenderPipeline>,
    dispatch_pipeline: wgpu::ComputePipeline,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    /// The vertex buffer, the index buffer and the number of indices of each of the scene's meshes.
    scene_meshes: Vec<(wgpu::Buffer, wgpu::Buffer, u32)>,
    constants_layout: wgpu::BindGroupLayout,
    structured_layout: wgpu::BindGroupLayout,
    written_layout: wgpu::BindGroupLayout,
    boxes_layout: wgpu::BindGroupLayout,
    best_layout: wgpu::BindGroupLayout,
    texture_layout: wgpu::BindGroupLayout,
    material_layout: wgpu::BindGroupLayout,
    textures: Vec<wgpu::TextureView>,
    sampler: wgpu::Sampler,
}

impl Objects {
    /// Creates the objects on a device, and uploads the data that draws do not change.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, work: Workload) -> Self {
        let picture = device.create_texture(&texture_desc(
            TARGET,
            wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        ));
        let bind_group_layout = |entries: &[wgpu::BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
        };
        let constants_layout = bind_group_layout(&[constants_entry()]);
        let structured_layout = bind_group_layout(&[structured_entry()]);
        let written_layout = bind_group_layout(&[written_entry()]);
        let boxes_layout = bind_group_layout(&[constants_entry(), surface_entry()]);
        let best_layout = bind_group_layout(&[best_entry()]);
        let texture_layout = bind_group_layout(&texture_entries(1));
        let material_layout = bind_group_layout(&texture_entries(3));
        let source = format!("{}{BEST}", crate::workload::shaders(BINDINGS));
        let source = wgpu::ShaderSource::Wgsl(source.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline_layout = |groups: [&wgpu::BindGroupLayout; 2]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &groups.map(Some),
                immediate_size: 0,
            })
        };
        let with_constants = pipeline_layout([&texture_layout, &constants_layout]);
        let with_structured = pipeline_layout([&texture_layout, &structured_layout]);
        let with_written = pipeline_layout([&written_layout, &constants_layout]);
        let with_boxes = pipeline_layout([&texture_layout, &boxes_layout]);
        let with_best = pipeline_layout([&texture_layout, &best_layout]);
        let with_material = pipeline_layout([&material_layout, &boxes_layout]);
        let first = PIXEL_SHADERS[0];
        let buffer = |contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
        };
        Self {
            // One pipeline per combination, in the order in which draws use them.
            pipelines: (0..COMBINATIONS)
                .map(|index| {
                    let shaders = ("vs_main", PIXEL_SHADERS[index % PIXEL_SHADERS.len()]);
                    pipeline(device, &module, &with_constants, shaders, index)
                })
                .collect(),
            structured_pipeline: pipeline(device, &module, &with_structured, ("vs_structured", first), 0),
            written_pipeline: pipeline(device, &module, &with_structured, ("vs_written", first), 0),
            boxes_pipeline: pipeline(device, &module, &with_boxes, ("vs_main", "ps_boxes"), 0),
            best_pipeline: pipeline(device, &module, &with_best, ("vs_best", "ps_best"), 0),
            scene_pipelines: (0..COMBINATIONS)
                .map(|index| {
                    let shaders = ("vs_main", SCENE_SHADERS[index % SCENE_SHADERS.len()]);
                    pipeline(device, &module, &with_material, shaders, index)
                })
                .collect(),
            dispatch_pipeline: device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: Some(&with_written),
                module: &module,
                entry_point: Some("cs_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            }),
            target: picture.create_view(&wgpu::TextureViewDescriptor::default()),
            picture,
            vertices: buffer(bytemuck::cast_slice(&work.vertices), wgpu::BufferUsages::VERTEX),
            indices: buffer(bytemuck::cast_slice(&work.indices), wgpu::BufferUsages::INDEX),
            scene_meshes: (0..SCENE_MESHES)
                .map(|mesh| {
                    let (vertices, indices) = work.scene_mesh(mesh);
                    let count = indices.len() as u32;
                    // Copies to buffers need a multiple of 4 bytes.
                    let padded: Vec<_> =
                        indices.iter().copied().chain([0]).take(indices.len().next_multiple_of(2)).collect();
                    (
                        buffer(bytemuck::cast_slice(vertices), wgpu::BufferUsages::VERTEX),
                        buffer(bytemuck::cast_slice(&padded), wgpu::BufferUsages::INDEX),
                        count,
                    )
                })
                .collect(),
            constants_layout,
            structured_layout,
            written_layout,
            boxes_layout,
            best_layout,
            texture_layout,
            material_layout,
            textures: (0..TEXTURES).map(|index| texture(device, queue, index)).collect(),
            // The default sampler uses point filtering and clamps all coordinates.
            sampler: device.create_sampler(&wgpu::SamplerDescriptor::default()),
            device: device.clone(),
            queue: queue.clone(),
            work,
        }
    }

    /// Returns the render target of all draws, for comparing pictures.
    pub fn picture(&self) -> &wgpu::Texture {
        &self.picture
    }

    /// Returns the device of the objects, for waiting and reading back.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Returns the queue to which the recordings of all threads are submitted.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Creates a small texture and a view that shaders can read.
    pub fn create_texture(&self) -> (wgpu::Texture, wgpu::TextureView) {
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
        let texture = self.device.create_texture(&texture_desc(TEXTURE, usage));
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        (texture, view)
    }

    /// Begins a render pass. If `clear` is true, the target is cleared.
    fn pass<'a>(&'a self, encoder: &'a mut wgpu::CommandEncoder, clear: bool) -> wgpu::RenderPass<'a> {
        let load = if clear { wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT) } else { wgpu::LoadOp::Load };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        })
    }

    /// Encodes a pass that clears the target and executes a bundle `times` times.
    pub fn replay(&self, bundle: &wgpu::RenderBundle, times: u32) -> wgpu::CommandBuffer {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = self.pass(&mut encoder, true);
        pass.execute_bundles((0..times).map(|_| bundle));
        drop(pass);
        encoder.finish()
    }
}
