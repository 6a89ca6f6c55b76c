//! Draws frames without a window, and writes a picture of the last frame.

use std::path::Path;

use onze::{Format, create_device};
use winit_input_helper::WinitInputHelper;

use crate::{Frame, Game, Result, Setup, WindowDesc, targets::Targets};

const FORMAT: Format = Format::R8G8B8A8_UNORM_SRGB;

const INTERVAL: f32 = 1.0 / 60.0;

/// Draws frames of a game and writes the last frame into a PNG file.
pub(crate) fn draw<G: Game>(
    desc: WindowDesc,
    path: &Path,
    init: impl FnOnce(&mut Setup<'_>) -> Result<G>,
) -> Result<()> {
    let (width, height) = (desc.width, desc.height);
    let (device, mut context) = create_device(&desc.device)?;
    let target = device.create_render_target(FORMAT, width, height)?;
    let targets = Targets::new(&device, &desc, FORMAT, (width, height))?;
    let mut setup =
        Setup { device: &device, context: &mut context, format: FORMAT, width, height, window: None };
    let mut game = init(&mut setup)?;
    let input = WinitInputHelper::new();
    for n in 0..desc.frames.unwrap_or(1).max(1) {
        let mut frame = Frame {
            device: &device,
            context: &mut context,
            target: targets.target(&target.render_target_view),
            depth: targets.depth(),
            width,
            height,
            time: n as f32 * INTERVAL,
            delta: if n == 0 { 0.0 } else { INTERVAL },
            input: &input,
            window: None,
            title: &desc.title,
            ends: false,
        };
        game.frame(&mut frame)?;
        let ends = frame.ends;
        context.om_set_render_targets(None, None);
        targets.resolve(&mut context, &target.texture);
        context.flush();
        if ends {
            break;
        }
    }
    let pixels = context.read_texture_2d(&target.texture, 0)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let (color, format) = (image::ColorType::Rgba8, image::ImageFormat::Png);
    image::save_buffer_with_format(path, &pixels, width, height, color, format)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use onze::prelude::*;

    use super::*;

    const SHADER: &str = "
        @vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            return vec4f(f32(i >> 1u) * 2.0 - 1.0, f32(i & 1u) * 2.0 - 1.0, 0.5, 1.0);
        }
        @fragment fn ps_main() -> @location(0) vec4f { return vec4f(1.0); }";

    /// Draws a white triangle with a sloping edge on black, and returns the distinct values of the red
    /// channel.
    fn reds(samples: u32) -> Vec<u8> {
        let path = std::env::temp_dir().join(format!("onze-winit-{}-{samples}.png", std::process::id()));
        let device = DeviceDesc { driver_type: DriverType::Software, debug: true, ..DeviceDesc::default() };
        let desc =
            WindowDesc { device, ..WindowDesc::new("Samples", 16, 16) }.with_depth().with_samples(samples);
        draw(desc, &path, |setup| {
            let vs = setup.device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
            let ps = setup.device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
            Ok(move |frame: &mut Frame<'_>| {
                let info = frame.device.info_queue().clone();
                let context = frame.begin([0.0, 0.0, 0.0, 1.0]);
                context.rs_set_viewports(Viewport::sized(10.0, 13.0));
                context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                context.vs_set_shader(&vs);
                context.ps_set_shader(&ps);
                context.draw(3, 0);
                let errors = info.take().into_iter().filter(|message| message.severity <= Severity::Error);
                assert_eq!(errors.collect::<Vec<_>>(), []);
                Ok(())
            })
        })
        .unwrap();
        let picture = image::open(&path).unwrap().into_rgba8();
        std::fs::remove_file(path).unwrap();
        let mut reds: Vec<_> = picture.pixels().map(|pixel| pixel.0[0]).collect();
        reds.sort_unstable();
        reds.dedup();
        reds
    }

    #[test]
    fn a_frame_with_samples_has_smooth_edges() {
        if let Err(onze::Error::NotFound(_)) =
            create_device(&DeviceDesc { driver_type: DriverType::Software, ..DeviceDesc::default() })
        {
            return;
        }
        assert_eq!(reds(1), [0, 255]);
        let smooth = reds(4);
        assert!(smooth.len() > 2 && smooth.first() == Some(&0) && smooth.last() == Some(&255), "{smooth:?}");
    }
}
