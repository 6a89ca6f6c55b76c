//! Measures how long each pass of a frame takes on the GPU, and shows the times as bars in the corner.
//!
//! `GpuTimer` ends each pass with a timestamp of the GPU's clock, and subtracts the previous pass's
//! timestamp. The timer does not wait for the GPU, so the times are a few frames old, and the bars show
//! moving averages.
//!
//! The scene is glowing light: one pass draws shapes, two passes blur them across and down, and the last pass
//! adds the glow to the shapes. The bars are in the order of the passes, and each line is a millisecond.
//! Before the first results, and on an adapter without `Features::TIMESTAMPS`, the bars show constants.
//! Escape closes the window.

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("timing.wgsl");

/// The measured passes, each with the time in milliseconds that its bar shows before there are results.
const PASSES: [(&str, f32); 4] = [("shapes", 2.4), ("across", 1.3), ("down", 1.1), ("sum", 0.6)];

/// A format that can store values above 1, because light adds up.
const HDR: Format = Format::R16G16B16A16_FLOAT;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    milliseconds: [f32; PASSES.len()],
    size: [f32; 2],
    time: f32,
    padding: f32,
}

/// Targets that depend on the window's size. The shapes have the window's size, and both steps of the blur
/// have half of that size.
struct SizedTargets {
    size: (u32, u32),
    shapes: RenderTarget,
    across: RenderTarget,
    down: RenderTarget,
}

impl SizedTargets {
    fn new(device: &Device, width: u32, height: u32) -> Result<Self, onze::Error> {
        let (half_width, half_height) = (width.div_ceil(2), height.div_ceil(2));
        Ok(Self {
            size: (width, height),
            shapes: device.create_render_target(HDR, width, height)?,
            across: device.create_render_target(HDR, half_width, half_height)?,
            down: device.create_render_target(HDR, half_width, half_height)?,
        })
    }
}

/// Covers a whole target with the output of a pixel shader that reads textures.
fn draw_whole(
    context: &mut DeviceContext,
    shader: &PixelShader,
    from: &[&ShaderResourceView],
    to: &RenderTargetView,
    (width, height): (u32, u32),
) {
    // This order ensures that no texture is bound for reading and as a target at the same time.
    context.ps_set_shader_resources(0, [None, None]);
    context.om_set_render_targets(to, None);
    context.ps_set_shader_resources(0, from);
    context.rs_set_viewports(Viewport::sized(width as f32, height as f32));
    context.ps_set_shader(shader);
    context.draw(3, 0);
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Timing", 960, 540).with_args(), |setup| {
        let device = setup.device.clone();
        let pixel = |name: &str| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
        let (shapes, across, down) = (pixel("shapes_main")?, pixel("across_main")?, pixel("down_main")?);
        let (sum, bars) = (pixel("sum_main")?, pixel("bars_main")?);
        let whole = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let linear = SamplerDesc {
            address_u: TextureAddressMode::Clamp,
            address_v: TextureAddressMode::Clamp,
            ..SamplerDesc::default()
        };
        let linear = device.create_sampler_state(&linear)?;
        let no_constants =
            Constants { milliseconds: [0.0; PASSES.len()], size: [1.0; 2], time: 0.0, padding: 0.0 };
        let constants = device.create_constant_buffer(&no_constants)?;
        let mut sized = SizedTargets::new(&device, setup.width, setup.height)?;
        let mut timer = GpuTimer::new(&device);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let (width, height) = (frame.width, frame.height);
            if sized.size != (width, height) {
                sized = SizedTargets::new(frame.device, width, height)?;
            }
            let (context, target, time) = (&mut *frame.context, frame.target, frame.time);
            timer.begin(context)?;
            let size = [width as f32, height as f32];
            let milliseconds = PASSES.map(|(name, first)| timer.milliseconds(name).unwrap_or(first));
            context.update(&constants, &Constants { milliseconds, size, time, padding: 0.0 })?;
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&whole);
            context.vs_set_constant_buffers(0, &constants);
            context.ps_set_constant_buffers(0, &constants);
            context.ps_set_samplers(0, &linear);

            let half = (width.div_ceil(2), height.div_ceil(2));
            draw_whole(context, &shapes, &[], &sized.shapes.render_target_view, sized.size);
            timer.end_pass(context, "shapes")?;
            let light = &sized.shapes.shader_resource_view;
            draw_whole(context, &across, &[light], &sized.across.render_target_view, half);
            timer.end_pass(context, "across")?;
            let blurred = &sized.across.shader_resource_view;
            draw_whole(context, &down, &[blurred], &sized.down.render_target_view, half);
            timer.end_pass(context, "down")?;
            draw_whole(context, &sum, &[light, &sized.down.shader_resource_view], target, sized.size);
            timer.end_pass(context, "sum")?;
            timer.end(context);

            let (left, bar_width, bar_height) = (0.03 * size[1], 0.38 * size[0], 0.2 * size[1]);
            context.rs_set_viewports(Viewport {
                top_left_x: left,
                top_left_y: size[1] - left - bar_height,
                ..Viewport::sized(bar_width, bar_height)
            });
            context.ps_set_shader(&bars);
            context.draw(3, 0);
            // The next frame draws into these textures, so they must not stay bound for reading.
            context.ps_set_shader_resources(0, [None, None]);
            Ok(())
        })
    })
}
