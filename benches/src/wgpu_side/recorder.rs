//! Recording with a draw per object, or with the fewest draws.

use std::ops::Range;
use std::sync::Arc;

use wgpu::util::{RenderEncoder, StagingBelt};

use crate::wgpu_side::resources::{FORMAT, buffer_group, buffers_group, texture_group};
use crate::wgpu_side::{BOX, Form, Objects};
use crate::workload::{
    COMBINATIONS, Constants, MATERIALS, Mesh, SLOT, TEXTURES, Variant, Workload, material_textures, mesh_of,
};

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
    /// The step between the constants of two stages or draws in bytes, in [`Form::Draws`].
    step: usize,
    /// A bind group for each texture, or for each material of the scene.
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
        let step = step(device, variant);
        let (usage, size) = match (variant, form) {
            (Variant::Scene, _) => (usage, scene_bytes(&objects.work, &part, step)),
            (_, Form::Best) if variant.is_boxes() => (wgpu::BufferUsages::STORAGE, part.len() * BOX),
            _ if variant.is_boxes() => (usage, part.len() * 2 * step),
            _ => (usage, part.len() * step),
        };
        let uniforms = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size.max(SLOT) as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // A variant without changes uploads no other constants.
        if let Some(first) = objects.work.constants.first() {
            objects.queue.write_buffer(&uniforms, 0, bytemuck::bytes_of(first));
        }
        let size = Some(size_of::<Constants>());
        let constants = match form {
            Form::Best => buffers_group(device, &objects.best_layout, &uniforms, &[(2, None)]),
            _ if variant.is_boxes() || variant == Variant::Scene => {
                buffers_group(device, &objects.boxes_layout, &uniforms, &[(0, size), (1, size)])
            }
            _ => buffer_group(device, layout, &uniforms, size),
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
        let views = &objects.textures;
        let textures: Vec<_> = if variant == Variant::Scene {
            let group = |material| {
                let textures = material_textures(material).map(|texture| &views[texture]);
                texture_group(device, &objects.material_layout, &textures, &objects.sampler)
            };
            (0..MATERIALS).map(group).collect()
        } else {
            let group = |view| texture_group(device, &objects.texture_layout, &[view], &objects.sampler);
            views.iter().map(group).collect()
        };
        Self {
            by_mesh: by_mesh(&objects.work, variant, part.clone()),
            textures,
            step,
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
            let offset = slot * self.step;
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
        if *variant == Variant::Scene {
            return self.draw_scene(pass, write);
        }
        if variant.is_boxes() {
            return match self.form {
                Form::Best => self.draw_at_best(pass, write),
                Form::Draws | Form::ByIndex | Form::MultiDraw => self.draw_boxes(pass, write),
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
            let (draw, offset) = (objects.work.draw_at(*variant, place), slot * self.step);
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
            let (draw, offset) = (work.draw_at(self.variant, place), 2 * slot * self.step);
            write(offset, bytemuck::bytes_of(&work.constants[draw]));
            write(offset + self.step, bytemuck::bytes_of(&work.surfaces[draw]));
            pass.set_bind_group(1, Some(&self.constants), &[offset as u32, (offset + self.step) as u32]);
            let Mesh { indices, base_vertex } = work.mesh(draw);
            pass.draw_indexed(indices.clone(), *base_vertex, 0..1);
        }
    }

    /// Draws the scene. Everything that stays the same from one draw to the next is bound once.
    fn draw_scene<'a>(&'a self, pass: &mut impl RenderEncoder<'a>, mut write: impl FnMut(usize, &[u8])) {
        const PADDING: [u8; SLOT] = [0; SLOT];
        let Self { objects, textures, .. } = self;
        let work = &objects.work;
        let (mut mesh, mut material, mut combination) = (None, None, None);
        let mut at = 0;
        for draw in self.part.clone() {
            let scene = &work.scene[draw];
            let offsets = [&work.constants[draw], &work.surfaces[draw]].into_iter().zip(scene.bytes).map(
                |(constants, bytes)| {
                    let offset = at;
                    write(offset, bytemuck::bytes_of(constants));
                    write(offset + size_of::<Constants>(), &PADDING[size_of::<Constants>()..bytes]);
                    at += bytes.next_multiple_of(self.step);
                    offset as u32
                },
            );
            let offsets: Vec<_> = offsets.collect();
            if combination.replace(scene.combination) != Some(scene.combination) {
                pass.set_pipeline(&objects.scene_pipelines[scene.combination]);
            }
            if material.replace(scene.material) != Some(scene.material) {
                pass.set_bind_group(0, Some(&textures[scene.material]), &[]);
            }
            let (vertices, indices, count) = &objects.scene_meshes[scene.mesh];
            if mesh.replace(scene.mesh) != Some(scene.mesh) {
                pass.set_vertex_buffer(0, Some(vertices.slice(..)));
                pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint16);
            }
            pass.set_bind_group(1, Some(&self.constants), &offsets);
            pass.draw_indexed(0..*count, 0, 0..1);
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

/// Returns the step between the constants of two draws or stages: their size, or the adapter's alignment if
/// that is larger.
fn step(device: &wgpu::Device, variant: Variant) -> usize {
    let limits = device.limits();
    let alignment = match variant {
        Variant::V7 => limits.min_storage_buffer_offset_alignment,
        _ => limits.min_uniform_buffer_offset_alignment,
    };
    size_of::<Constants>().next_multiple_of(alignment.max(1) as usize)
}

/// Returns the size of the constants of a range of the scene's draws.
fn scene_bytes(work: &Workload, part: &Range<usize>, step: usize) -> usize {
    work.scene[part.clone()]
        .iter()
        .flat_map(|draw| draw.bytes)
        .map(|bytes| bytes.next_multiple_of(step))
        .sum()
}

/// Groups the draws of a range by mesh.
fn by_mesh(work: &Workload, variant: Variant, part: Range<usize>) -> Vec<(Mesh, Vec<usize>)> {
    let mut sorted: Vec<_> = work.meshes.iter().map(|mesh| (mesh.clone(), Vec::new())).collect();
    for place in part {
        let draw = work.draw_at(variant, place);
        sorted[mesh_of(draw)].1.push(draw);
    }
    sorted
}
