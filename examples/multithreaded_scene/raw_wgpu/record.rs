//! Records a pass or part of a pass, like `gpu/record.rs` with the library.

use std::ops::Range;

use bytemuck::bytes_of;

use super::constants::Constants;
use super::pipelines::Surface;
use super::resources::{GpuMaterial, Resources};
use crate::constants::ObjectConstants;
use crate::plan::{Frame, Pass, Step};
use crate::scene::Scene;

const WATER: u32 = 1;

#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) resources: &'a Resources,
    pub(super) scene: &'a Scene,
    pub(super) frame: &'a Frame,
    pub(super) stride: usize,
}

/// Writes the constants of consecutive objects, starting with object `first`, with the water after the last
/// object.
pub(super) fn write_objects(job: Job<'_>, slots: &mut [u8], first: usize) {
    let objects = job.scene.objects.iter().chain([&job.scene.water]).skip(first);
    for (slot, object) in slots.chunks_exact_mut(job.stride).zip(objects) {
        let constants = ObjectConstants::new(object, job.frame.time);
        slot[..size_of::<ObjectConstants>()].copy_from_slice(bytes_of(&constants));
    }
}

#[derive(Debug)]
pub(super) struct Recorder {
    passes: [wgpu::BindGroup; 3],
    materials: Vec<wgpu::BindGroup>,
    object: wgpu::BindGroup,
}

fn bind_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: Vec<wgpu::BindingResource<'_>>,
) -> wgpu::BindGroup {
    let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
    let entries: Vec<_> = (0..).zip(resources).map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

impl Recorder {
    pub(super) fn new(device: &wgpu::Device, resources: &Resources, constants: &Constants) -> Self {
        let (layouts, targets) = (&resources.layouts, &resources.targets);
        let pass = |pass| match pass {
            Pass::Shadow => bind_group(device, &layouts.shadow_pass, vec![constants.pass(pass)]),
            Pass::Mirror | Pass::Main => {
                let shadow_map = wgpu::BindingResource::TextureView(&targets.shadow);
                let sampler = wgpu::BindingResource::Sampler(&targets.shadow_sampler);
                let all = vec![constants.pass(pass), constants.lights(), shadow_map, sampler];
                bind_group(device, &layouts.scene_pass, all)
            }
        };
        let material = |material: &GpuMaterial| {
            let mut all = vec![material.constants.as_entire_binding()];
            all.extend(material.textures.iter().map(wgpu::BindingResource::TextureView));
            all.extend(material.samplers.iter().map(wgpu::BindingResource::Sampler));
            bind_group(device, &layouts.material, all)
        };
        Self {
            passes: Pass::ALL.map(pass),
            materials: resources.materials.iter().map(material).collect(),
            object: bind_group(device, &layouts.object, vec![constants.object()]),
        }
    }

    /// Records the draw calls `range` of a pass, and clears the targets if `range` starts at 0.
    pub(super) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        job: Job<'_>,
        pass: Pass,
        range: Range<usize>,
    ) {
        let mut commands = begin(encoder, job, pass, range.start == 0);
        commands.set_bind_group(0, &self.passes[pass as usize], &[]);
        if pass == Pass::Mirror {
            commands.set_stencil_reference(WATER);
        }
        let bound = Bound::default();
        let mut drawing = Drawing { recorder: self, job, pass, commands, bound };
        for &step in job.frame.steps(pass).get(range).unwrap_or_default() {
            drawing.draw(step);
        }
    }
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    job: Job<'_>,
    pass: Pass,
    clears: bool,
) -> wgpu::RenderPass<'a> {
    let targets = &job.resources.targets;
    // Only the mirrored pass clears the colour, because the main pass blends the water over the mirrored
    // picture.
    let clears_picture = clears && pass == Pass::Mirror;
    let color = wgpu::RenderPassColorAttachment {
        view: &targets.color,
        depth_slice: None,
        resolve_target: None,
        ops: operations(clears_picture.then_some(wgpu::Color::BLACK)),
    };
    let is_shadow = pass == Pass::Shadow;
    let depth = wgpu::RenderPassDepthStencilAttachment {
        view: if is_shadow { &targets.shadow } else { &targets.depth },
        depth_ops: Some(operations(clears.then_some(1.0))),
        stencil_ops: (!is_shadow).then(|| operations(clears_picture.then_some(0))),
    };
    let colors = [Some(color)];
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(pass.name()),
        color_attachments: if is_shadow { &[] } else { &colors },
        depth_stencil_attachment: Some(depth),
        ..wgpu::RenderPassDescriptor::default()
    })
}

fn operations<T>(clear: Option<T>) -> wgpu::Operations<T> {
    wgpu::Operations {
        load: clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
        store: wgpu::StoreOp::Store,
    }
}

#[derive(Debug, Default)]
struct Bound {
    pipeline: Option<usize>,
    material: Option<usize>,
    mesh: Option<usize>,
}

struct Drawing<'a> {
    recorder: &'a Recorder,
    job: Job<'a>,
    pass: Pass,
    commands: wgpu::RenderPass<'a>,
    bound: Bound,
}

impl Drawing<'_> {
    fn draw(&mut self, step: Step) {
        let Job { resources, scene, .. } = self.job;
        let pipelines = &resources.pipelines;
        match step {
            Step::Object(index) => self.object(index),
            Step::MarkWater => {
                self.set_other_pipeline(&pipelines.mark_water);
                self.draw_mesh(scene.water.mesh, scene.objects.len());
            }
            Step::Water => {
                self.set_other_pipeline(&pipelines.water);
                self.draw_mesh(scene.water.mesh, scene.objects.len());
            }
            Step::Sky => {
                let is_mirrored = self.pass == Pass::Mirror;
                self.set_other_pipeline(if is_mirrored { &pipelines.mirrored_sky } else { &pipelines.sky });
                self.commands.draw(0..3, 0..1);
            }
        }
    }

    fn object(&mut self, index: usize) {
        let Job { resources, scene, .. } = self.job;
        let Some(object) = scene.objects.get(index) else {
            return;
        };
        let material = &resources.materials[object.material];
        let surface = Surface {
            pass: self.pass,
            alpha: material.alpha,
            // The mirrored view and a transform that mirrors the object each reverse the winding of every
            // triangle, so together they cancel each other.
            clockwise: resources.inside_out[index] != (self.pass == Pass::Mirror),
            both_sides: material.double_sided,
        };
        let pipeline = surface.index();
        if self.bound.pipeline.replace(pipeline) != Some(pipeline) {
            self.commands.set_pipeline(&resources.pipelines.surfaces[pipeline]);
        }
        if surface.has_material() && self.bound.material.replace(object.material) != Some(object.material) {
            self.commands.set_bind_group(1, &self.recorder.materials[object.material], &[]);
        }
        self.draw_mesh(object.mesh, index);
    }

    fn set_other_pipeline(&mut self, pipeline: &wgpu::RenderPipeline) {
        self.bound.pipeline = None;
        self.commands.set_pipeline(pipeline);
    }

    fn draw_mesh(&mut self, index: usize, slot: usize) {
        let mesh = &self.job.resources.meshes[index];
        if self.bound.mesh.replace(index) != Some(index) {
            self.commands.set_vertex_buffer(0, mesh.vertices.slice(..));
            self.commands.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
        }
        let offset = (slot * self.job.stride) as u32;
        self.commands.set_bind_group(2, &self.recorder.object, &[offset]);
        self.commands.draw_indexed(0..mesh.index_count, 0, 0..1);
    }
}
