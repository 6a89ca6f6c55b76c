//! Recording: the same code records a pass or part of a pass into the immediate context or a deferred
//! context, because both types dereference to `DeviceContext`.

use std::ops::Range;

use onze::prelude::*;

use super::resources::Resources;
use super::targets::Targets;
use crate::constants::{ObjectConstants, PassConstants};
use crate::plan::{Frame, Pass, Step};
use crate::scene::{Object, Scene};
use onze_examples::content::{AlphaMode, Vertex};

/// The stencil value of the water's pixels, which limits the mirrored pass to these pixels.
const WATER: u32 = 1;
const ALL_SAMPLES: u32 = u32::MAX;

/// The inputs of a frame, which all recording threads share by reference.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) resources: &'a Resources,
    pub(crate) scene: &'a Scene,
    pub(crate) frame: &'a Frame,
    pub(crate) targets: &'a Targets,
}

/// The dynamic constant buffers of one recording context.
///
/// Several contexts may also map the same dynamic buffer, because each context sees only the contents that it
/// wrote, but separate buffers avoid contention between recording threads.
#[derive(Debug)]
pub(crate) struct Recorder {
    object: Buffer,
    pass: Buffer,
}

impl Recorder {
    /// Creates the two dynamic buffers, which are rewritten with `Map(WRITE_DISCARD)`.
    pub(crate) fn new(device: &Device) -> Result<Self, onze::Error> {
        let buffer = |size: usize, label| {
            let desc = BufferDesc::dynamic(size as u32, BindFlags::CONSTANT_BUFFER);
            device.create_buffer(&desc.label(label), None)
        };
        Ok(Self {
            object: buffer(size_of::<ObjectConstants>(), "object constants")?,
            pass: buffer(size_of::<PassConstants>(), "pass constants")?,
        })
    }

    /// Records the steps `range` of a pass, after clearing the targets if `range` starts at 0.
    ///
    /// A deferred context begins with the default state and does not inherit state from the immediate
    /// context, so each part of a pass binds all state that it needs.
    pub(crate) fn record(
        &self,
        ctx: &mut DeviceContext,
        job: Job<'_>,
        pass: Pass,
        range: Range<usize>,
    ) -> Result<(), onze::Error> {
        ctx.begin_event(pass.name());
        ctx.clear_state();
        if range.start == 0 {
            clear(ctx, job, pass);
        }
        let constants = PassConstants::new(job.frame, pass);
        ctx.map(&self.pass, 0, MapType::WriteDiscard)?.write(0, &constants);
        self.bind_pass(ctx, job, pass);
        let mut drawing = Drawing { job, pass, object: &self.object, material: None };
        for &step in job.frame.steps(pass).get(range).unwrap_or_default() {
            drawing.draw(ctx, step)?;
        }
        ctx.end_event();
        Ok(())
    }

    /// Binds the targets and resources that do not change during the pass.
    fn bind_pass(&self, ctx: &mut DeviceContext, job: Job<'_>, pass: Pass) {
        let resources = job.resources;
        let shadow_map = &resources.shadow_map;
        match pass {
            Pass::Shadow => {
                let extent = super::targets::SHADOW_EXTENT as f32;
                ctx.om_set_render_targets(None::<&RenderTargetView>, &shadow_map.depth);
                ctx.rs_set_viewports(Viewport::sized(extent, extent));
            }
            Pass::Mirror | Pass::Main => {
                ctx.om_set_render_targets(&job.targets.color, &job.targets.depth);
                ctx.rs_set_viewports(job.targets.viewport);
                ctx.ps_set_shader_resources(5, &shadow_map.view);
                ctx.ps_set_samplers(5, &shadow_map.sampler);
            }
        }
        ctx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        ctx.vs_set_constant_buffers(0, [&self.object, &self.pass]);
        ctx.ps_set_constant_buffers(0, [&self.object, &self.pass]);
        ctx.ps_set_constant_buffers(3, &resources.lights);
    }
}

fn clear(ctx: &mut DeviceContext, job: Job<'_>, pass: Pass) {
    let depth = &job.targets.depth;
    match pass {
        Pass::Shadow => {
            ctx.clear_depth_stencil_view(&job.resources.shadow_map.depth, ClearFlags::DEPTH, 1.0, 0);
        }
        Pass::Mirror => {
            ctx.clear_render_target_view(&job.targets.color, [0.0, 0.0, 0.0, 1.0]);
            ctx.clear_depth_stencil_view(depth, ClearFlags::DEPTH | ClearFlags::STENCIL, 1.0, 0);
        }
        // Do not clear the colour, because the main pass blends the water over the mirrored picture.
        Pass::Main => ctx.clear_depth_stencil_view(depth, ClearFlags::DEPTH, 1.0, 0),
    }
}

/// The recording of part of a pass, with the state that is tracked between draws.
struct Drawing<'a> {
    job: Job<'a>,
    pass: Pass,
    object: &'a Buffer,
    /// The bound material, `None` at the start and after the water or the sky has changed the bindings.
    material: Option<usize>,
}

impl Drawing<'_> {
    fn draw(&mut self, ctx: &mut DeviceContext, step: Step) -> Result<(), onze::Error> {
        match step {
            Step::MarkWater => self.mark_water(ctx),
            Step::Water => self.water(ctx),
            Step::Sky => {
                self.sky(ctx);
                Ok(())
            }
            Step::Object(index) => self.object(ctx, index),
        }
    }

    fn object(&mut self, ctx: &mut DeviceContext, index: usize) -> Result<(), onze::Error> {
        let Job { resources, scene, .. } = self.job;
        let Some(object) = scene.objects.get(index) else {
            return Ok(());
        };
        self.bind_material(ctx, object.material);
        // The mirrored view and a transform that mirrors the object each reverse the winding of every
        // triangle, so together they cancel each other.
        let clockwise = resources.inside_out[index] != (self.pass == Pass::Mirror);
        let both_sides = resources.materials[object.material].double_sided;
        let shadow = self.pass == Pass::Shadow;
        ctx.rs_set_state(resources.states.rasterizer(shadow, clockwise, both_sides));
        self.draw_mesh(ctx, object)
    }

    /// Binds a material's shaders, states, constants, textures and samplers, unless the material is already
    /// bound.
    fn bind_material(&mut self, ctx: &mut DeviceContext, index: usize) {
        if self.material.replace(index) == Some(index) {
            return;
        }
        let Resources { shaders, states, materials, .. } = self.job.resources;
        let material = &materials[index];
        ctx.ia_set_input_layout(&shaders.layout);
        ctx.vs_set_shader(&shaders.vs_surface);
        ctx.ps_set_shader(match (self.pass, material.alpha) {
            (Pass::Shadow, AlphaMode::Mask(_)) => Some(&shaders.ps_shadow_cut),
            (Pass::Shadow, _) => None,
            (_, AlphaMode::Mask(_)) => Some(&shaders.ps_surface_cut),
            _ => Some(&shaders.ps_surface),
        });
        let blended = material.alpha == AlphaMode::Blend;
        ctx.om_set_blend_state(blended.then_some(&states.blend), [1.0; 4], ALL_SAMPLES);
        let depth = match (self.pass, blended) {
            (Pass::Mirror, false) => Some(&states.mirrored),
            (Pass::Mirror, true) => Some(&states.mirrored_read),
            (_, false) => None,
            (_, true) => Some(&states.depth_read),
        };
        ctx.om_set_depth_stencil_state(depth, WATER);
        ctx.ps_set_constant_buffers(2, &material.constants);
        ctx.ps_set_shader_resources(0, &material.textures);
        ctx.ps_set_samplers(0, &material.samplers);
    }

    /// Writes the object's constants and draws its mesh with the current bindings.
    fn draw_mesh(&mut self, ctx: &mut DeviceContext, object: &Object) -> Result<(), onze::Error> {
        let mesh = &self.job.resources.meshes[object.mesh];
        let constants = ObjectConstants::new(object, self.job.frame.time);
        ctx.map(self.object, 0, MapType::WriteDiscard)?.write(0, &constants);
        ctx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&mesh.vertices, size_of::<Vertex>() as u32));
        ctx.ia_set_index_buffer(&mesh.indices, Format::R32_UINT, 0);
        ctx.draw_indexed(mesh.index_count, 0, 0);
        Ok(())
    }

    /// Draws the water without a pixel shader, so that only the stencil changes.
    fn mark_water(&mut self, ctx: &mut DeviceContext) -> Result<(), onze::Error> {
        let Resources { shaders, states, .. } = self.job.resources;
        self.material = None;
        ctx.ia_set_input_layout(&shaders.layout);
        ctx.vs_set_shader(&shaders.vs_surface);
        ctx.ps_set_shader(None);
        ctx.rs_set_state(states.rasterizer(false, false, false));
        ctx.om_set_depth_stencil_state(&states.mark, WATER);
        self.draw_mesh(ctx, &self.job.scene.water)
    }

    fn water(&mut self, ctx: &mut DeviceContext) -> Result<(), onze::Error> {
        let Resources { shaders, states, .. } = self.job.resources;
        self.material = None;
        ctx.ia_set_input_layout(&shaders.layout);
        ctx.vs_set_shader(&shaders.vs_surface);
        ctx.ps_set_shader(&shaders.ps_water);
        ctx.rs_set_state(states.rasterizer(false, false, false));
        ctx.om_set_blend_state(&states.blend_premultiplied, [1.0; 4], ALL_SAMPLES);
        ctx.om_set_depth_stencil_state(None, 0);
        self.draw_mesh(ctx, &self.job.scene.water)
    }

    fn sky(&mut self, ctx: &mut DeviceContext) {
        let Resources { shaders, states, .. } = self.job.resources;
        self.material = None;
        ctx.ia_set_input_layout(None);
        ctx.vs_set_shader(&shaders.vs_sky);
        ctx.ps_set_shader(&shaders.ps_sky);
        ctx.rs_set_state(states.rasterizer(false, false, true));
        ctx.om_set_blend_state(None, [1.0; 4], ALL_SAMPLES);
        let mirrored = self.pass == Pass::Mirror;
        let depth = if mirrored { &states.mirrored_sky } else { &states.depth_sky };
        ctx.om_set_depth_stencil_state(depth, WATER);
        ctx.draw(3, 0);
    }
}
