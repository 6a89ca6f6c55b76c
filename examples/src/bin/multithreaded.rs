//! Thousands of boxes recorded by several threads at once, where each box needs a map, a write and a draw.
//!
//! Each thread records its share of the boxes into a command list, with a deferred context that is kept for
//! all frames. The immediate context executes the lists in order, so the picture does not depend on the
//! number of threads. The same function records into deferred contexts and into the immediate context.
//! Because the browser build has no threads, it records the lists one after another.
//!
//! In the window, Space switches between deferred and immediate recording, and the title shows the time to
//! record a frame and execute its lists. Compare the times in a release build. Escape closes the window.

use std::ops::Range;

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("multithreaded.wgsl");
const BOXES: usize = 8000;
/// The colour of the air, which distant boxes fade into.
const AIR: [f32; 4] = [0.30, 0.42, 0.55, 1.0];

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
}

/// Per-frame shader constants in `b0`, written once per frame before the lists are executed.
#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Scene {
    to_clip: Mat4,
    air: [f32; 4],
}

/// Per-box shader constants in `b1`, written with `Map(WRITE_DISCARD)` before each draw.
#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Block {
    to_world: Mat4,
    color: [f32; 4],
}

/// The targets and the time of a frame, shared by all threads.
#[derive(Clone, Copy)]
struct Target<'a> {
    color: &'a RenderTargetView,
    depth: Option<&'a DepthStencilView>,
    viewport: Viewport,
    time: f32,
}

fn cube() -> Vec<Corner> {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = up.cross(normal);
        corners.map(|(x, y)| Corner {
            position: ((normal + right * x + up * y) * 0.5).to_array(),
            normal: normal.to_array(),
        })
    };
    sides.into_iter().flat_map(side).collect()
}

/// Computes box `n`. Box 0 is the ground, while the other boxes are arranged like the seeds of a sunflower,
/// and waves run through them.
fn block(n: usize, time: f32) -> Block {
    if n == 0 {
        let to_world = Mat4::from_translation(Vec3::NEG_Y) * Mat4::from_scale(Vec3::new(150.0, 2.0, 150.0));
        return Block { to_world, color: [0.02, 0.015, 0.06, 1.0] };
    }
    let n = (n - 1) as f32;
    let (away, angle) = (0.56 * n.sqrt(), n * 2.399_963); // the golden angle
    let (x, z) = (away * angle.cos(), away * angle.sin());
    let other = (x - 14.0).hypot(z + 10.0);
    let wave = 0.5 + 0.25 * ((0.62 * away - 1.6 * time).sin() + (0.45 * other - 1.1 * time).sin());
    let height = 0.3 + 3.6 * wave * wave;
    let turn = Mat4::from_translation(Vec3::new(x, height / 2.0, z)) * Mat4::from_rotation_y(-angle);
    let color = [0.06 + 0.94 * wave.powf(0.8), 0.04 + 0.8 * wave * wave * wave, 0.42 - 0.36 * wave, 1.0];
    Block { to_world: turn * Mat4::from_scale(Vec3::new(0.78, height, 0.78)), color }
}

struct Renderer {
    cube: VertexBuffer<Corner>,
    layout: InputLayout,
    vs: VertexShader,
    ps: PixelShader,
    solid: RasterizerState,
    scene: ConstantBuffer<Scene>,
    block: ConstantBuffer<Block>,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        Ok(Self {
            cube: device.create_vertex_buffer(&cube())?,
            layout: device.create_input_layout_of::<Corner>(&vs)?,
            vs,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            solid: device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?,
            scene: device.create_constant_buffer(&Scene { to_clip: Mat4::ZERO, air: AIR })?,
            block: device.create_constant_buffer(&block(0, 0.0))?,
        })
    }

    /// Clears the targets and writes the camera, once per frame before the lists are executed.
    fn begin(&self, context: &mut DeviceContext, target: Target<'_>) -> Result<(), onze::Error> {
        let angle = 0.1 * target.time;
        let camera = Vec3::new(26.0 * angle.sin(), 15.0, 26.0 * angle.cos());
        let view = look_at_mat4(camera, Vec3::new(0.0, -1.0, 0.0), Vec3::Y);
        let aspect_ratio = target.viewport.width / target.viewport.height;
        let to_clip = perspective(50_f32.to_radians(), aspect_ratio, 0.5, 150.0) * view;
        context.update(&self.scene, &Scene { to_clip, air: AIR })?;
        context.clear_render_target_view(target.color, AIR);
        if let Some(depth) = target.depth {
            context.clear_depth_stencil(depth);
        }
        Ok(())
    }

    /// Records a range of boxes into the immediate context or a deferred context, after binding all state
    /// because a deferred context begins with nothing bound.
    ///
    /// All contexts write the same constant buffer, but each draw sees the last write of the context that
    /// recorded it.
    fn record(
        &self,
        context: &mut DeviceContext,
        target: Target<'_>,
        boxes: Range<usize>,
    ) -> Result<(), onze::Error> {
        context.om_set_render_targets(target.color, target.depth);
        context.rs_set_viewports(target.viewport);
        context.rs_set_state(&self.solid);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.cube);
        context.vs_set_shader(&self.vs);
        context.ps_set_shader(&self.ps);
        for (slot, buffer) in [(0, self.scene.buffer()), (1, self.block.buffer())] {
            context.vs_set_constant_buffers(slot, buffer);
            context.ps_set_constant_buffers(slot, buffer);
        }
        for n in boxes {
            context.update(&self.block, &block(n, target.time))?;
            context.draw(self.cube.len(), 0);
        }
        Ok(())
    }

    /// Records one command list with each context, each with an equal share of the boxes. Recording is
    /// parallel except in browsers.
    fn record_lists(
        &self,
        contexts: &mut [DeferredContext],
        target: Target<'_>,
    ) -> Result<Vec<CommandList>, onze::Error> {
        let count = contexts.len();
        let record = |part: usize, context: &mut DeferredContext| {
            self.record(context, target, BOXES * part / count..BOXES * (part + 1) / count)?;
            context.finish()
        };
        let parts = contexts.iter_mut().enumerate();
        #[cfg(target_arch = "wasm32")]
        return parts.map(|(part, context)| record(part, context)).collect();
        // An engine would keep its threads between frames, and send them work over channels or as tasks.
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::scope(|scope| {
            let record = &record;
            let threads: Vec<_> =
                parts.map(|(part, context)| scope.spawn(move || record(part, context))).collect();
            let lists = threads.into_iter().map(|thread| {
                // A panic in a recording thread is resumed in this thread, so that the program reports it.
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            lists.collect()
        })
    }

    /// Draws a frame from command lists, or with the immediate context alone if `contexts` is empty.
    fn draw(
        &self,
        context: &mut ImmediateContext,
        contexts: &mut [DeferredContext],
        target: Target<'_>,
    ) -> Result<(), onze::Error> {
        self.begin(context, target)?;
        if contexts.is_empty() {
            return self.record(context, target, 0..BOXES);
        }
        for list in self.record_lists(contexts, target)? {
            context.execute(&list);
        }
        Ok(())
    }
}

/// Shows in the window's title, twice a second, the time to record a frame and execute its lists.
#[cfg(not(target_arch = "wasm32"))]
fn show_time(frame: &Frame<'_>, begun: std::time::Instant, threads: usize) {
    if let Some(window) = frame.window
        && (frame.time * 2.0).floor() != ((frame.time - frame.delta) * 2.0).floor()
    {
        let how = if threads == 0 { "immediate".to_owned() } else { format!("{threads} threads") };
        let time = begun.elapsed().as_secs_f64() * 1e3;
        window.set_title(&format!("{BOXES} draws, {how}: {time:.1} ms"));
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Multithreaded", 960, 540).with_depth().with_args(), |setup| {
        let renderer = Renderer::new(setup.device)?;
        let threads = std::thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 8));
        let mut contexts =
            (0..threads).map(|_| setup.device.create_deferred_context()).collect::<Result<Vec<_>, _>>()?;
        let mut is_deferred = true;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            is_deferred ^= frame.input.key_pressed(KeyCode::Space);
            let target = Target {
                color: frame.target,
                depth: frame.depth,
                viewport: Viewport::sized(frame.width as f32, frame.height as f32),
                time: frame.time,
            };
            let used = if is_deferred { &mut contexts[..] } else { &mut [] };
            #[cfg(not(target_arch = "wasm32"))]
            let begun = std::time::Instant::now();
            renderer.draw(frame.context, used, target)?;
            #[cfg(not(target_arch = "wasm32"))]
            show_time(frame, begun, used.len());
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_does_not_matter() -> Result<(), onze::Error> {
        let made = create_device(&DeviceDesc::default());
        if made.is_err() && std::env::var_os("ONZE_ALLOW_NO_GPU").is_some() {
            println!("not run: there is no adapter to draw with");
            return Ok(());
        }
        let (device, mut context) = made?;
        let renderer = Renderer::new(&device)?;
        let target = device.create_render_target(Format::R8G8B8A8_UNORM_SRGB, 160, 90)?;
        let depth = device.create_depth_target(Format::D32_FLOAT, 160, 90)?;
        // Returns the picture at `time` seconds, recorded by this number of threads, or by the immediate
        // context if `threads` is 0.
        let mut picture = |threads: usize, time: f32| {
            let mut contexts =
                (0..threads).map(|_| device.create_deferred_context()).collect::<Result<Vec<_>, _>>()?;
            let target_of_frame = Target {
                color: &target.render_target_view,
                depth: Some(&depth.depth_stencil_view),
                viewport: Viewport::sized(160.0, 90.0),
                time,
            };
            renderer.draw(&mut context, &mut contexts, target_of_frame)?;
            context.read_texture_2d(&target.texture, 0)
        };
        let expected = picture(0, 1.0)?;
        for threads in [1, 2, 3, 8] {
            assert!(picture(threads, 1.0)? == expected, "{threads} threads draw another picture");
        }
        assert!(picture(2, 1.1)? != expected, "the waves do not move");
        Ok(())
    }
}
