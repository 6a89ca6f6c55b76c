//! How long each pass of a frame takes on the GPU, as bars in the corner.
//!
//! * **Timestamps** (`QueryType::Timestamp`) are what the GPU's clock shows when it comes to them: one before the first
//!   pass and one after each. A pass took the difference of two.
//! * **`QueryType::TimestampDisjoint`**, begun and ended around them, says how many ticks a second has, and whether the
//!   clock was steady: if not, the differences mean nothing.
//! * **Several sets of queries** are used in turn, one for each frame on its way: the GPU is behind the program, so the
//!   answers are those of some frames ago. `get_data` is asked without a flush and never waits.
//!
//! The scene is light that glows: a pass of shapes, two of a blur, across and down, and one that adds both up. The bars
//! are in this order, and a line is a millisecond. Before the first answers, and on an adapter without
//! `Features::TIMESTAMPS`, they show figures of this source. Escape closes the window.

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("timing.wgsl");

/// Passes that are measured.
const PASSES: usize = 4;

/// Frames whose answers may still be on their way.
const SETS: usize = 4;

/// Milliseconds that the bars show before there are answers.
const NO_ANSWERS: [f32; PASSES] = [2.4, 1.3, 1.1, 0.6];

/// Brighter than 1 where light adds up.
const HDR: Format = Format::R16G16B16A16_FLOAT;

/// What the shaders read of a frame: `b0`.
#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    milliseconds: [f32; PASSES],
    size: [f32; 2],
    time: f32,
    padding: f32,
}

/// The queries of a frame.
struct FrameQueries {
    disjoint: onze::Query,
    stamps: Vec<onze::Query>,
    /// It was ended once, so there is an answer to ask for.
    is_ended: bool,
}

impl FrameQueries {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let stamps =
            (0..=PASSES).map(|_| device.create_query(QueryType::Timestamp)).collect::<Result<_, _>>()?;
        Ok(Self { disjoint: device.create_query(QueryType::TimestampDisjoint)?, stamps, is_ended: false })
    }

    /// Milliseconds of each pass; `None` if the answers have not arrived, or mean nothing.
    fn read(&self, context: &mut ImmediateContext) -> Result<Option<[f32; PASSES]>, onze::Error> {
        if !self.is_ended {
            return Ok(None);
        }
        let Some(QueryData::TimestampDisjoint(clock)) = context.get_data(&self.disjoint, true)? else {
            return Ok(None);
        };
        let mut ticks = [0; PASSES + 1];
        for (to, stamp) in ticks.iter_mut().zip(&self.stamps) {
            let Some(QueryData::Timestamp(at)) = context.get_data(stamp, true)? else { return Ok(None) };
            *to = at;
        }
        let milliseconds = |from: u64, to: u64| to.saturating_sub(from) as f32 * 1e3 / clock.frequency as f32;
        let passes = std::array::from_fn(|pass| milliseconds(ticks[pass], ticks[pass + 1]));
        Ok((!clock.disjoint).then_some(passes))
    }
}

/// Measures passes.
struct Timer {
    /// Empty without timestamps.
    sets: Vec<FrameQueries>,
    /// Which of them is in use.
    current: usize,
    milliseconds: [f32; PASSES],
}

impl Timer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let has = device.check_feature_support().features.contains(Features::TIMESTAMPS);
        let sets = if has { SETS } else { 0 };
        let sets = (0..sets).map(|_| FrameQueries::new(device)).collect::<Result<_, _>>()?;
        Ok(Self { sets, current: 0, milliseconds: NO_ANSWERS })
    }

    /// Begins a frame: takes the answers of the oldest set, which then measures this frame.
    fn begin(&mut self, context: &mut ImmediateContext) -> Result<(), onze::Error> {
        self.current = (self.current + 1) % SETS;
        let Some(set) = self.sets.get(self.current) else { return Ok(()) };
        if let Some(now) = set.read(context)? {
            // A moving average, as single frames differ.
            self.milliseconds = std::array::from_fn(|pass| 0.9 * self.milliseconds[pass] + 0.1 * now[pass]);
        }
        context.begin(&set.disjoint);
        context.end(&set.stamps[0]);
        Ok(())
    }

    /// A pass is over.
    fn end_pass(&mut self, context: &mut ImmediateContext, pass: usize) {
        if let Some(set) = self.sets.get_mut(self.current) {
            context.end(&set.stamps[pass + 1]);
            if pass + 1 == PASSES {
                context.end(&set.disjoint);
                set.is_ended = true;
            }
        }
    }
}

/// What has the size of the window: the shapes, and both steps of the blur at half of it.
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

/// Draws over a whole target with what a shader makes of textures.
fn draw_whole(
    context: &mut DeviceContext,
    shader: &PixelShader,
    from: &[&ShaderResourceView],
    to: &RenderTargetView,
    (width, height): (u32, u32),
) {
    // In this order: no texture is bound to be read and to be drawn into at the same time.
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
        let no_constants = Constants { milliseconds: [0.0; PASSES], size: [1.0; 2], time: 0.0, padding: 0.0 };
        let constants = device.create_constant_buffer(&no_constants)?;
        let mut sized = SizedTargets::new(&device, setup.width, setup.height)?;
        let mut timer = Timer::new(&device)?;
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
            context.update(
                &constants,
                &Constants { milliseconds: timer.milliseconds, size, time, padding: 0.0 },
            )?;
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.vs_set_shader(&whole);
            context.vs_set_constant_buffers(0, &constants);
            context.ps_set_constant_buffers(0, &constants);
            context.ps_set_samplers(0, &linear);

            let half = (width.div_ceil(2), height.div_ceil(2));
            draw_whole(context, &shapes, &[], &sized.shapes.render_target_view, sized.size);
            timer.end_pass(context, 0);
            let light = &sized.shapes.shader_resource_view;
            draw_whole(context, &across, &[light], &sized.across.render_target_view, half);
            timer.end_pass(context, 1);
            let blurred = &sized.across.shader_resource_view;
            draw_whole(context, &down, &[blurred], &sized.down.render_target_view, half);
            timer.end_pass(context, 2);
            draw_whole(context, &sum, &[light, &sized.down.shader_resource_view], target, sized.size);
            timer.end_pass(context, 3);

            // The bars themselves are not measured.
            let (left, bar_width, bar_height) = (0.03 * size[1], 0.38 * size[0], 0.2 * size[1]);
            context.rs_set_viewports(Viewport {
                top_left_x: left,
                top_left_y: size[1] - left - bar_height,
                ..Viewport::sized(bar_width, bar_height)
            });
            context.ps_set_shader(&bars);
            context.draw(3, 0);
            // The next frame draws into them.
            context.ps_set_shader_resources(0, [None, None]);
            Ok(())
        })
    })
}
