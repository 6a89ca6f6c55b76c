//! Recording by index: the first instance of a draw selects its constants in a storage buffer, and its texture
//! in a binding array. All draws share their bind groups, so they can be one indirect call.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use wgpu::util::{DrawIndexedIndirectArgs, StagingBelt};

use crate::wgpu_side::resources::{buffer_group, buffers_group, pipeline, texture_entries, texture_group};
use crate::wgpu_side::{BOX, Form, Objects};
use crate::workload::{Constants, Mesh, TEXTURES, Variant, shaders};

/// Bindings and entry points for a texture that the index selects.
const BINDINGS: &str = r"
enable wgpu_binding_array;
@group(0) @binding(0) var maps: binding_array<texture_2d<f32>>;
@group(0) @binding(1) var filtering: sampler;
@group(0) @binding(2) var albedo: texture_2d<f32>;
@group(0) @binding(3) var detail_map: texture_2d<f32>;
@group(0) @binding(4) var gloss_map: texture_2d<f32>;
@group(1) @binding(0) var<uniform> object: Object;
@group(1) @binding(1) var<uniform> surface: Object;
@group(1) @binding(0) var<storage> objects: array<Object>;
@group(0) @binding(0) var<storage, read_write> written: array<vec4f>;
struct MappedCorner {
    @builtin(position) position: vec4f,
    @location(0) tint: vec4f,
    @location(1) place: vec2f,
    @location(2) @interpolate(flat) map: u32,
}
@vertex fn vs_mapped(@location(0) position: vec3f, @builtin(instance_index) instance: u32) -> MappedCorner {
    let corner = moved(position, objects[instance]);
    return MappedCorner(corner.position, corner.tint, corner.place, u32(objects[instance].place.w));
}
@fragment fn ps_mapped(corner: MappedCorner) -> @location(0) vec4f {
    return textureSample(maps[corner.map], filtering, corner.place) * corner.tint;
}
";

/// Records a range of the draws by index, in [`Form::ByIndex`] or [`Form::MultiDraw`].
#[derive(Debug)]
pub struct IndexedRecorder {
    objects: Arc<Objects>,
    variant: Variant,
    form: Form,
    part: Range<usize>,
    uploads: StagingBelt,
    elements: wgpu::Buffer,
    argument_uploads: StagingBelt,
    arguments: wgpu::Buffer,
    pipeline: wgpu::RenderPipeline,
    textures: wgpu::BindGroup,
    constants: wgpu::BindGroup,
    /// The dynamic offsets of `constants`.
    offsets: &'static [u32],
}

impl IndexedRecorder {
    /// Creates a recorder for a range of the draws. The variant must have the form.
    pub fn new(objects: &Arc<Objects>, variant: Variant, form: Form, part: Range<usize>) -> Self {
        let device = &objects.device;
        let buffer = |bytes: usize, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: (part.len().max(1) * bytes) as u64,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let element = if variant.is_boxes() { BOX } else { size_of::<Constants>() };
        let elements = buffer(element, wgpu::BufferUsages::STORAGE);
        let arguments = buffer(size_of::<DrawIndexedIndirectArgs>(), wgpu::BufferUsages::INDIRECT);
        let (views, sampler) = (&objects.textures, &objects.sampler);
        let first_texture = || texture_group(device, &objects.texture_layout, &[&views[0]], sampler);
        let (pipeline, textures) = match variant {
            Variant::V2 => mapped(objects),
            _ if variant.is_boxes() => (objects.best_pipeline.clone(), first_texture()),
            _ => (objects.written_pipeline.clone(), first_texture()),
        };
        let (constants, offsets): (_, &[u32]) = if variant.is_boxes() {
            (buffers_group(device, &objects.best_layout, &elements, &[(2, None)]), &[])
        } else {
            (buffer_group(device, &objects.structured_layout, &elements, None), &[0])
        };
        Self {
            objects: objects.clone(),
            variant,
            form,
            part,
            uploads: StagingBelt::new(device.clone(), elements.size()),
            elements,
            argument_uploads: StagingBelt::new(device.clone(), arguments.size()),
            arguments,
            pipeline,
            textures,
            constants,
            offsets,
        }
    }

    /// Records the draws in a pass. If the range begins with draw 0, the pass also clears the target.
    pub fn record(&mut self) -> wgpu::CommandBuffer {
        let Self { objects, variant, part, .. } = self;
        let (variant, work) = (*variant, &objects.work);
        let mut encoder = objects.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let element = if variant.is_boxes() { BOX } else { size_of::<Constants>() };
        let mut elements = wgpu::BufferSize::new(self.elements.size())
            .map(|size| self.uploads.write_buffer(&mut encoder, &self.elements, 0, size));
        let mut write = |instance: usize, draw: usize| {
            let Some(elements) = &mut elements else { return };
            let at = instance * element;
            let mut put = |at: usize, constants: &Constants| {
                elements
                    .slice(at..at + size_of::<Constants>())
                    .copy_from_slice(bytemuck::bytes_of(constants));
            };
            put(at, &work.constants[draw]);
            if variant.is_boxes() {
                put(at + BOX / 2, &work.surfaces[draw]);
            }
        };
        let mesh = |draw| match work.mesh(draw) {
            Mesh { indices, base_vertex } if variant.is_boxes() => (indices.clone(), *base_vertex),
            _ => (0..3, 0),
        };
        let is_multi = self.form == Form::MultiDraw;
        let mut arguments = wgpu::BufferSize::new(self.arguments.size())
            .filter(|_| is_multi)
            .map(|size| self.argument_uploads.write_buffer(&mut encoder, &self.arguments, 0, size));
        let mut pass = objects.pass(&mut encoder, part.start == 0);
        pass.set_pipeline(&self.pipeline);
        pass.set_vertex_buffer(0, Some(objects.vertices.slice(..)));
        pass.set_index_buffer(objects.indices.slice(..), wgpu::IndexFormat::Uint16);
        pass.set_bind_group(0, Some(&self.textures), &[]);
        pass.set_bind_group(1, Some(&self.constants), self.offsets);
        for (instance, place) in part.clone().enumerate() {
            let draw = work.draw_at(variant, place);
            write(instance, draw);
            let (indices, base_vertex) = mesh(draw);
            match &mut arguments {
                Some(arguments) => {
                    let call = DrawIndexedIndirectArgs {
                        index_count: indices.end - indices.start,
                        instance_count: 1,
                        first_index: indices.start,
                        base_vertex,
                        first_instance: instance as u32,
                    };
                    let (at, bytes) = (instance * size_of_val(&call), call.as_bytes());
                    arguments.slice(at..at + bytes.len()).copy_from_slice(bytes);
                }
                None => pass.draw_indexed(indices, base_vertex, instance as u32..instance as u32 + 1),
            }
        }
        if is_multi {
            pass.multi_draw_indexed_indirect(&self.arguments, 0, part.len() as u32);
        }
        drop((pass, elements, arguments));
        self.uploads.finish_and_recall_on_submit(&encoder);
        self.argument_uploads.finish_and_recall_on_submit(&encoder);
        encoder.finish()
    }
}

/// Creates the pipeline of draws whose texture the index selects, and the bind group with all textures.
fn mapped(objects: &Objects) -> (wgpu::RenderPipeline, wgpu::BindGroup) {
    let device = &objects.device;
    let source = wgpu::ShaderSource::Wgsl(shaders(BINDINGS).into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let mut entries = texture_entries(1);
    if let Some(texture) = entries.iter_mut().find(|entry| entry.binding == 0) {
        texture.count = NonZeroU32::new(TEXTURES as u32);
    }
    let textures_layout =
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&textures_layout), Some(&objects.structured_layout)],
        immediate_size: 0,
    });
    let views: Vec<_> = objects.textures.iter().collect();
    let textures = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &textures_layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureViewArray(&views) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&objects.sampler) },
        ],
    });
    (pipeline(device, &module, &layout, ("vs_mapped", "ps_mapped"), 0), textures)
}
