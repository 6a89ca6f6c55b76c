//! Fireworks of many thousand particles. Compute shaders emit, move and remove the particles, and the CPU
//! does not read back their number.
//!
//! The shaders append to lists and consume from them through hidden counters. The counters are copied into
//! the arguments of indirect dispatches and of an indirect draw. The option `--hlsl` uses the shaders in
//! `particles.hlsl`. Escape closes the window.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_examples::languages::Shaders;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const WGSL: &str = include_str!("particles.wgsl");
const HLSL: &str = include_str!("particles.hlsl");
/// Maximum number of particles.
const CAPACITY: u32 = 1 << 14;
/// Maximum number of requests for new particles in a step.
const REQUESTS: u32 = 1 << 10;
/// The shader's structure `Particle` as words, because only shaders access its fields.
type Particle = [u32; 12];
/// The shader's structure `Request` as words.
type Request = [u32; 8];

/// Simulation steps per second.
const STEPS_PER_SECOND: f32 = 60.0;
/// Number of steps between two rockets.
const STEPS_PER_ROCKET: u32 = 24;
/// Number of steps before the first picture, so that it is not empty.
const FIRST_STEPS: u32 = 260;
/// Maximum number of steps per frame, so on a slow machine the fireworks are slower.
const MOST_STEPS: u32 = 4;
const FADE: f32 = 0.93;

/// The initial count that keeps a counter unchanged (D3D11: -1).
const KEEP: u32 = u32::MAX;

const EMIT_ARGUMENTS: u32 = 0;
const UPDATE_ARGUMENTS: u32 = 12;
const DRAW_ARGUMENTS: u32 = 24;
/// Initial indirect arguments: the group counts in x, y and z for emitting and for updating, then the draw's
/// vertex count, instance count, first vertex and first instance. The GPU overwrites both x counts and the
/// instance count.
const ARGUMENTS: [u32; 10] = [0, 1, 1, 0, 1, 1, 4, 0, 0, 0];

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    to_clip: Mat4,
    aspect_ratio: f32,
    pixel: f32,
    step: u32,
    padding: u32,
}

impl Constants {
    fn new(width: u32, height: u32, step: u32) -> Self {
        let aspect_ratio = width as f32 / height as f32;
        let view = look_at_mat4(Vec3::new(0.0, 10.0, 170.0), Vec3::new(0.0, 45.0, 0.0), Vec3::Y);
        let to_clip = perspective(45_f32.to_radians(), aspect_ratio, 1.0, 500.0) * view;
        Self { to_clip, aspect_ratio, pixel: 2.0 / height as f32, step, padding: 0 }
    }
}

struct Particles {
    particles: StructuredBuffer<Particle>,
    /// Indices of unused elements of `particles`, where emitting consumes an index, and the end of a particle
    /// appends it.
    free: StructuredBuffer<u32>,
    /// Indices of the used elements of `particles`, in this step and in the next step.
    alive: [StructuredBuffer<u32>; 2],
    requests: StructuredBuffer<Request>,
    counts: Buffer,
    arguments: Buffer,
    arguments_write: UnorderedAccessView,
    launch: ComputeShader,
    emit: ComputeShader,
    groups: ComputeShader,
    update: ComputeShader,
}

impl Particles {
    fn new(device: &Device, shaders: Shaders) -> Result<Self, onze::Error> {
        let places: Vec<u32> = (0..CAPACITY).collect();
        let empty = |len| device.create_empty_structured_buffer(len as usize, BufferUavFlags::APPEND);
        let shader = |name| device.create_compute_shader(shaders.entry(name));
        let desc = BufferDesc::indirect(size_of_val(&ARGUMENTS) as u32, BindFlags::UNORDERED_ACCESS);
        let arguments = device.create_buffer(&desc, Some(bytemuck::cast_slice(&ARGUMENTS)))?;
        let raw = UnorderedAccessViewDesc::raw_buffer(0, ARGUMENTS.len() as u32);
        Ok(Self {
            particles: device.create_empty_structured_buffer(CAPACITY as usize, BufferUavFlags::empty())?,
            free: device.create_structured_buffer_with(&places, BufferUavFlags::APPEND)?,
            alive: [empty(CAPACITY)?, empty(CAPACITY)?],
            requests: device.create_empty_structured_buffer(REQUESTS as usize, BufferUavFlags::APPEND)?,
            counts: device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None)?,
            arguments_write: device.create_unordered_access_view(&arguments, Some(&raw))?,
            arguments,
            launch: shader("launch_main")?,
            emit: shader("emit_main")?,
            groups: shader("groups_main")?,
            update: shader("update_main")?,
        })
    }

    fn reset(&self, context: &mut DeviceContext) {
        let views = [
            &self.free.unordered_access_view,
            &self.alive[0].unordered_access_view,
            &self.requests.unordered_access_view,
        ];
        context.cs_set_unordered_access_views_with_counts(1, views, &[CAPACITY, 0, 0]);
    }

    /// Runs a step, after which `alive[0]` contains the indices of the living particles.
    fn step(&mut self, context: &mut DeviceContext, constants: &ConstantBuffer<Constants>, launches: bool) {
        let [alive, next_alive] = &self.alive;
        context.cs_set_constant_buffers(0, constants);
        if launches {
            context.cs_set_shader(&self.launch);
            context.cs_set_unordered_access_views(3, &self.requests.unordered_access_view);
            context.dispatch(1, 1, 1);
            // The next dispatch reads the requests, and a resource cannot be bound for reading and for
            // writing at the same time.
            context.cs_set_unordered_access_views(3, None);
        }

        // One group per request, but the shader also needs the number of free indices, because it must not
        // consume more.
        context.copy_structure_count(&self.arguments, EMIT_ARGUMENTS, &self.requests.unordered_access_view);
        context.copy_structure_count(&self.counts, 0, &self.free.unordered_access_view);
        context.cs_set_shader(&self.emit);
        context.cs_set_constant_buffers(1, &self.counts);
        context.cs_set_shader_resources(2, &self.requests.shader_resource_view);
        let views = [
            &self.particles.unordered_access_view,
            &self.free.unordered_access_view,
            &alive.unordered_access_view,
        ];
        context.cs_set_unordered_access_views(0, views);
        context.dispatch_indirect(&self.arguments, EMIT_ARGUMENTS);

        // One group per 64 particles, computed by a shader because the CPU does not know the number of
        // particles.
        context.copy_structure_count(&self.counts, 4, &alive.unordered_access_view);
        context.cs_set_shader(&self.groups);
        context.cs_set_unordered_access_views(4, &self.arguments_write);
        context.dispatch(1, 1, 1);
        context.cs_set_unordered_access_views(4, None);

        // All requests have been handled, so the list of requests starts empty again, as does the next step's
        // list of particles.
        context.cs_set_shader(&self.update);
        context.cs_set_shader_resources(2, None);
        let views = [
            &self.particles.unordered_access_view,
            &self.free.unordered_access_view,
            &next_alive.unordered_access_view,
            &self.requests.unordered_access_view,
        ];
        context.cs_set_unordered_access_views_with_counts(0, views, &[KEEP, KEEP, 0, 0]);
        context.cs_set_shader_resources(1, &alive.shader_resource_view);
        context.dispatch_indirect(&self.arguments, UPDATE_ARGUMENTS);

        // The number of instances is the second argument of the draw.
        context.copy_structure_count(&self.arguments, DRAW_ARGUMENTS + 4, &next_alive.unordered_access_view);
        context.cs_set_shader_resources(1, None);
        context.cs_set_unordered_access_views(0, [None, None, None, None]);
        self.alive.swap(0, 1);
    }
}

struct Renderer {
    particles: Particles,
    steps: u32,
    constants: ConstantBuffer<Constants>,
    trails: RenderTarget,
    size: (u32, u32),
    sampler: SamplerState,
    fading: BlendState,
    additive: BlendState,
    screen_vs: VertexShader,
    fade_ps: PixelShader,
    spark_vs: VertexShader,
    spark_ps: PixelShader,
    scene_ps: PixelShader,
}

impl Renderer {
    fn new(device: &Device, shaders: Shaders, width: u32, height: u32) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(shaders.entry(name));
        let pixel = |name| device.create_pixel_shader(shaders.entry(name));
        let additive = RenderTargetBlendDesc::additive();
        let fading = RenderTargetBlendDesc { dest_blend: Blend::BlendFactor, ..additive };
        Ok(Self {
            particles: Particles::new(device, shaders)?,
            steps: 0,
            constants: device.create_constant_buffer(&Constants::new(width, height, 0))?,
            trails: new_trails(device, width, height)?,
            size: (width, height),
            sampler: device.create_sampler_state(&SamplerDesc::default())?,
            fading: device.create_blend_state(&BlendDesc::all(fading))?,
            additive: device.create_blend_state(&BlendDesc::all(additive))?,
            screen_vs: vertex("screen_vs_main")?,
            fade_ps: pixel("fade_main")?,
            spark_vs: vertex("spark_vs_main")?,
            spark_ps: pixel("spark_ps_main")?,
            scene_ps: pixel("scene_ps_main")?,
        })
    }

    fn step(&mut self, context: &mut DeviceContext) -> Result<(), onze::Error> {
        let (width, height) = self.size;
        context.update(&self.constants, &Constants::new(width, height, self.steps))?;
        if self.steps == 0 {
            self.particles.reset(context);
        }
        let launches = self.steps.is_multiple_of(STEPS_PER_ROCKET);
        self.particles.step(context, &self.constants, launches);
        self.steps += 1;

        context.om_set_render_targets(&self.trails.render_target_view, None);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.om_set_blend_state(&self.fading, [FADE; 4], u32::MAX);
        context.vs_set_shader(&self.screen_vs);
        context.ps_set_shader(&self.fade_ps);
        context.draw(3, 0);

        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.om_set_blend_state(&self.additive, [1.0; 4], u32::MAX);
        context.vs_set_shader(&self.spark_vs);
        context.vs_set_constant_buffers(0, &self.constants);
        context.vs_set_shader_resources(
            0,
            [&self.particles.particles.shader_resource_view, &self.particles.alive[0].shader_resource_view],
        );
        context.ps_set_shader(&self.spark_ps);
        context.draw_instanced_indirect(&self.particles.arguments, DRAW_ARGUMENTS);
        context.vs_set_shader_resources(0, [None, None]);
        Ok(())
    }

    fn draw(&mut self, frame: &mut Frame<'_>) -> Result<(), onze::Error> {
        if self.size != (frame.width, frame.height) {
            self.size = (frame.width, frame.height);
            self.trails = new_trails(frame.device, frame.width, frame.height)?;
        }
        let (context, target) = (&mut *frame.context, frame.target);
        context.rs_set_viewports(Viewport::sized(frame.width as f32, frame.height as f32));
        context.ia_set_input_layout(None);
        // The first frame runs `FIRST_STEPS` steps, and later frames run the steps of the elapsed time.
        let wanted = FIRST_STEPS + (frame.time * STEPS_PER_SECOND).round() as u32;
        let most = if self.steps == 0 { FIRST_STEPS } else { MOST_STEPS };
        for _ in 0..wanted.saturating_sub(self.steps).min(most) {
            self.step(context)?;
        }

        context.update(&self.constants, &Constants::new(frame.width, frame.height, self.steps))?;
        context.om_set_render_targets(target, None);
        context.om_set_blend_state(None, [1.0; 4], u32::MAX);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&self.screen_vs);
        context.ps_set_shader(&self.scene_ps);
        context.ps_set_constant_buffers(0, &self.constants);
        context.ps_set_shader_resources(3, &self.trails.shader_resource_view);
        context.ps_set_samplers(0, &self.sampler);
        context.draw(3, 0);
        context.ps_set_shader_resources(3, None);
        Ok(())
    }
}

/// Creates the target for the sparks. It starts black, and its format can store values above 1 because many
/// sparks overlap.
fn new_trails(device: &Device, width: u32, height: u32) -> Result<RenderTarget, onze::Error> {
    device.create_render_target(Format::R16G16B16A16_FLOAT, width, height)
}

fn main() -> onze_winit::Result<()> {
    let (desc, shaders) = Shaders::with_args(WindowDesc::new("Particles", 1280, 720), WGSL, HLSL);
    onze_winit::run(desc, move |setup| {
        let mut renderer = Renderer::new(setup.device, shaders, setup.width, setup.height)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            renderer.draw(frame)?;
            Ok(())
        })
    })
}
