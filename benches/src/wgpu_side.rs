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
//! * Boxes exist in two forms. [`Form::Draws`] makes one draw per box, as most programs do. [`Form::Best`] is
//!   an expert's solution for this scene: it sorts boxes by mesh in advance, stores all constants in one
//!   storage buffer, and makes one instanced draw per mesh.
//! * Draws that are repeated in every frame are in a render bundle.

use std::ops::Range;
use std::sync::Arc;

use wgpu::util::{DeviceExt as _, RenderEncoder, StagingBelt};

use crate::workload::{
    COMBINATIONS, Constants, Mesh, PIXEL_SHADERS, SLOT, TARGET, TEXTURE, TEXTURES, Variant, Workload, mesh_of,
};

const BINDINGS: &str = r"
@group(0) @binding(0) var albedo: texture_2d<f32>;
@group(0) @binding(1) var filtering: sampler;
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

/// The form of a program's draws. It matters only for the variants with boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One draw per object, each with its own dynamic offsets.
    Draws,
    /// The minimum number of draws. Only the variants with boxes have this form.
    Best,
}

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

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
    dispatch_pipeline: wgpu::ComputePipeline,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    constants_layout: wgpu::BindGroupLayout,
    structured_layout: wgpu::BindGroupLayout,
    written_layout: wgpu::BindGroupLayout,
    boxes_layout: wgpu::BindGroupLayout,
    best_layout: wgpu::BindGroupLayout,
    texture_layout: wgpu::BindGroupLayout,
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
        let texture_layout = bind_group_layout(&texture_entries());
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
        let first = PIXEL_SHADERS[0];
        let buffer = |contents, usage| {
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
            constants_layout,
            structured_layout,
            written_layout,
            boxes_layout,
            best_layout,
            texture_layout,
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

/// Records a range of the draws on any thread, with its own buffers and bind groups.
#[derive(Debug)]
pub struct Recorder {
    objects: Arc<Objects>,
    variant: Variant,
    form: Form,
    part: Range<usize>,
    uploads: StagingBelt,
    uniforms: wgpu::Buffer,
    constants: wgpu::BindGroup,
    textures: Vec<wgpu::BindGroup>,
    /// Bind groups to write and to read the dispatches' buffer, if the variant has dispatches.
    written: Option<(wgpu::BindGroup, wgpu::BindGroup)>,
    /// The draws of each mesh, for the best form.
    by_mesh: Vec<(Mesh, Vec<usize>)>,
}

impl Recorder {
    /// Creates a recorder for a range of the draws in one of the forms.
    pub fn new(objects: &Arc<Objects>, variant: Variant, form: Form, part: Range<usize>) -> Self {
        let device = &objects.device;
        let (usage, layout) = match variant {
            Variant::V7 => (wgpu::BufferUsages::STORAGE, &objects.structured_layout),
            _ => (wgpu::BufferUsages::UNIFORM, &objects.constants_layout),
        };
        let (usage, slot) = match (variant.is_boxes(), form) {
            (true, Form::Best) => (wgpu::BufferUsages::STORAGE, BOX),
            (true, Form::Draws) => (usage, 2 * SLOT),
            (false, _) => (usage, SLOT),
        };
        let uniforms = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (part.len().max(1) * slot) as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // A variant without changes uploads no other constants.
        if let Some(first) = objects.work.constants.first() {
            objects.queue.write_buffer(&uniforms, 0, bytemuck::bytes_of(first));
        }
        let constants = match (variant.is_boxes(), form) {
            (true, Form::Best) => buffers_group(device, &objects.best_layout, &uniforms, &[(2, None)]),
            (true, Form::Draws) => {
                let size = Some(size_of::<Constants>());
                buffers_group(device, &objects.boxes_layout, &uniforms, &[(0, size), (1, size)])
            }
            (false, _) => buffer_group(device, layout, &uniforms, Some(size_of::<Constants>())),
        };
        let written = (variant == Variant::V6).then(|| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: (part.len().max(1) * size_of::<Constants>()) as u64,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            let group = |layout| buffer_group(device, layout, &buffer, None);
            (group(&objects.written_layout), group(&objects.structured_layout))
        });
        let textures = objects.textures.iter().map(|texture| {
            let view =
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(texture) };
            let sampler = wgpu::BindingResource::Sampler(&objects.sampler);
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &objects.texture_layout,
                entries: &[view, wgpu::BindGroupEntry { binding: 1, resource: sampler }],
            })
        });
        Self {
            by_mesh: by_mesh(&objects.work, variant, part.clone()),
            textures: textures.collect(),
            objects: objects.clone(),
            variant,
            form,
            part,
            uploads: StagingBelt::new(device.clone(), uniforms.size()),
            uniforms,
            constants,
            written,
        }
    }

    /// Records the draws in a pass. If the range begins with draw 0, the pass also clears the target.
    pub fn record(&mut self) -> wgpu::CommandBuffer {
        let device = &self.objects.device;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let size = wgpu::BufferSize::new(self.uniforms.size()).filter(|_| self.variant != Variant::V0);
        let mut slots = size.map(|size| self.uploads.write_buffer(&mut encoder, &self.uniforms, 0, size));
        let mut write = |offset, constants: &[u8]| {
            if let Some(slots) = &mut slots {
                slots.slice(offset..offset + constants.len()).copy_from_slice(constants);
            }
        };
        if let Some((output, _)) = &self.written {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.dispatch(&mut pass, output, &mut write);
        }
        let mut pass = self.objects.pass(&mut encoder, self.part.start == 0);
        self.draw(&mut pass, write);
        drop((pass, slots));
        self.uploads.finish_and_recall_on_submit(&encoder);
        encoder.finish()
    }

    /// Records the draws in a render bundle, and uploads the constants.
    pub fn bundle(&self) -> wgpu::RenderBundle {
        let device = &self.objects.device;
        let mut encoder = device.create_render_bundle_encoder(&wgpu::RenderBundleEncoderDescriptor {
            color_formats: &[Some(FORMAT)],
            sample_count: 1,
            ..Default::default()
        });
        self.draw(&mut encoder, |offset, constants| {
            self.objects.queue.write_buffer(&self.uniforms, offset as u64, constants);
        });
        encoder.finish(&wgpu::RenderBundleDescriptor::default())
    }

    fn dispatch(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        output: &wgpu::BindGroup,
        mut write: impl FnMut(usize, &[u8]),
    ) {
        pass.set_pipeline(&self.objects.dispatch_pipeline);
        pass.set_bind_group(0, Some(output), &[]);
        for (slot, draw) in self.part.clone().enumerate() {
            let offset = slot * SLOT;
            write(offset, bytemuck::bytes_of(&self.objects.work.constants[draw]));
            pass.set_bind_group(1, Some(&self.constants), &[offset as u32]);
            pass.dispatch_workgroups(1, 1, 1);
        }
    }

    /// Records the draws. The variants that differ only in how Onze passes constants are identical for wgpu.
    fn draw<'a>(&'a self, pass: &mut impl RenderEncoder<'a>, mut write: impl FnMut(usize, &[u8])) {
        let Self { objects, variant, part, constants, textures, .. } = self;
        pass.set_vertex_buffer(0, Some(objects.vertices.slice(..)));
        pass.set_index_buffer(objects.indices.slice(..), wgpu::IndexFormat::Uint16);
        pass.set_bind_group(0, Some(&textures[0]), &[]);
        if let Some((_, input)) = &self.written {
            pass.set_pipeline(&objects.written_pipeline);
            pass.set_bind_group(1, Some(input), &[0]);
            return pass.draw_indexed(0..3, 0, 0..part.len() as u32);
        }
        if variant.is_boxes() {
            return match self.form {
                Form::Best => self.draw_at_best(pass, write),
                Form::Draws => self.draw_boxes(pass, write),
            };
        }
        let is_structured = *variant == Variant::V7;
        pass.set_pipeline(if is_structured { &objects.structured_pipeline } else { &objects.pipelines[0] });
        pass.set_bind_group(1, Some(constants), &[0]);
        if *variant == Variant::V0 {
            return part.clone().for_each(|_| pass.draw_indexed(0..3, 0, 0..1));
        }
        let mut bound = None;
        for (slot, place) in part.clone().enumerate() {
            let (draw, offset) = (objects.work.draw_at(*variant, place), slot * SLOT);
            write(offset, bytemuck::bytes_of(&objects.work.constants[draw]));
            let is_other =
                *variant == Variant::V2Sorted && bound.replace(draw % TEXTURES) != Some(draw % TEXTURES);
            if variant.changes_texture() || is_other {
                pass.set_bind_group(0, Some(&textures[draw % TEXTURES]), &[]);
            }
            pass.set_bind_group(1, Some(constants), &[offset as u32]);
            if *variant == Variant::V3 {
                pass.set_pipeline(&objects.pipelines[draw % COMBINATIONS]);
            }
            pass.draw_indexed(0..3, 0, 0..1);
        }
    }
}

impl Recorder {
    /// Draws the boxes one by one, each with its own constants.
    fn draw_boxes<'a>(&'a self, pass: &mut impl RenderEncoder<'a>, mut write: impl FnMut(usize, &[u8])) {
        let work = &self.objects.work;
        pass.set_pipeline(&self.objects.boxes_pipeline);
        for (slot, place) in self.part.clone().enumerate() {
            let (draw, offset) = (work.draw_at(self.variant, place), 2 * slot * SLOT);
            write(offset, bytemuck::bytes_of(&work.constants[draw]));
            write(offset + SLOT, bytemuck::bytes_of(&work.surfaces[draw]));
            pass.set_bind_group(1, Some(&self.constants), &[offset as u32, (offset + SLOT) as u32]);
            let Mesh { indices, base_vertex } = work.mesh(draw);
            pass.draw_indexed(indices.clone(), *base_vertex, 0..1);
        }
    }

    /// Draws the boxes with one instanced draw per mesh.
    fn draw_at_best<'a>(&'a self, pass: &mut impl RenderEncoder<'a>, mut write: impl FnMut(usize, &[u8])) {
        let work = &self.objects.work;
        pass.set_pipeline(&self.objects.best_pipeline);
        pass.set_bind_group(1, Some(&self.constants), &[]);
        let mut first = 0;
        for (mesh, draws) in &self.by_mesh {
            for (instance, draw) in (first..).zip(draws) {
                let offset = instance * BOX;
                write(offset, bytemuck::bytes_of(&work.constants[*draw]));
                write(offset + BOX / 2, bytemuck::bytes_of(&work.surfaces[*draw]));
            }
            let Mesh { indices, base_vertex } = mesh;
            let end = first + draws.len();
            pass.draw_indexed(indices.clone(), *base_vertex, first as u32..end as u32);
            first = end;
        }
    }
}

/// Size in bytes of a box's constants for both stages.
const BOX: usize = 2 * size_of::<Constants>();

/// Groups the draws of a range by mesh.
fn by_mesh(work: &Workload, variant: Variant, part: Range<usize>) -> Vec<(Mesh, Vec<usize>)> {
    let mut sorted: Vec<_> = work.meshes.iter().map(|mesh| (mesh.clone(), Vec::new())).collect();
    for place in part {
        let draw = work.draw_at(variant, place);
        sorted[mesh_of(draw)].1.push(draw);
    }
    sorted
}

/// Creates a bind group in which all bindings are ranges of one buffer. Each binding has a size in bytes, or
/// covers the whole buffer.
fn buffers_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffer: &wgpu::Buffer,
    bindings: &[(u32, Option<usize>)],
) -> wgpu::BindGroup {
    let entry = |&(binding, size): &(u32, Option<usize>)| {
        let size = size.and_then(|size| wgpu::BufferSize::new(size as u64));
        let range = wgpu::BufferBinding { buffer, offset: 0, size };
        wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(range) }
    };
    let entries: Vec<_> = bindings.iter().map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// Creates a bind group with `size` bytes of a buffer, or with the whole buffer.
fn buffer_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffer: &wgpu::Buffer,
    size: Option<usize>,
) -> wgpu::BindGroup {
    buffers_group(device, layout, buffer, &[(0, size)])
}

fn constants_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::VERTEX | wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: wgpu::BufferSize::new(size_of::<Constants>() as u64),
        },
        count: None,
    }
}

fn surface_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding: 1, visibility: wgpu::ShaderStages::FRAGMENT, ..constants_entry() }
}

fn best_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 2,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: wgpu::BufferSize::new(BOX as u64),
        },
        count: None,
    }
}

/// Returns a layout entry for a range of a storage buffer, selected by a dynamic offset.
fn structured_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: true,
            min_binding_size: wgpu::BufferSize::new(size_of::<Constants>() as u64),
        },
        ..constants_entry()
    }
}

fn written_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: false },
            has_dynamic_offset: false,
            min_binding_size: wgpu::BufferSize::new(size_of::<[f32; 4]>() as u64),
        },
        count: None,
    }
}

fn texture_entries() -> [wgpu::BindGroupLayoutEntry; 2] {
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    [(0, texture), (1, sampler)].map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty,
        count: None,
    })
}

fn texture_desc(size: u32, usage: wgpu::TextureUsages) -> wgpu::TextureDescriptor<'static> {
    wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage,
        view_formats: &[],
    }
}

fn texture(device: &wgpu::Device, queue: &wgpu::Queue, index: usize) -> wgpu::TextureView {
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let (desc, texels) = (texture_desc(TEXTURE, usage), crate::workload::texels(index));
    let texture =
        device.create_texture_with_data(queue, &desc, wgpu::util::TextureDataOrder::default(), &texels);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    (vs, ps): (&str, &str),
    index: usize,
) -> wgpu::RenderPipeline {
    let shaders = PIXEL_SHADERS.len();
    let blends = index / shaders % 2 == 1;
    let culls = index / (2 * shaders) % 2 == 1;
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vs),
            compilation_options: Default::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: 12,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![0 => Float32x3],
            })],
        },
        primitive: wgpu::PrimitiveState {
            front_face: wgpu::FrontFace::Cw,
            cull_mode: culls.then_some(wgpu::Face::Back),
            ..Default::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(ps),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: FORMAT,
                blend: blends.then_some(wgpu::BlendState::ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
