//! Frames without a window, and a picture of the last one.

use std::path::Path;

use onze::{Format, create_device};
use winit_input_helper::WinitInputHelper;

use crate::{Frame, Game, Result, Setup, WindowDesc};

/// The format of pictures.
const FORMAT: Format = Format::R8G8B8A8_UNORM_SRGB;

/// Seconds between two frames.
const INTERVAL: f32 = 1.0 / 60.0;

/// Draws frames of a game, and writes the last one into a file.
pub(crate) fn draw<G: Game>(
    desc: WindowDesc,
    path: &Path,
    init: impl FnOnce(&mut Setup<'_>) -> Result<G>,
) -> Result<()> {
    let (width, height) = (desc.width, desc.height);
    let (device, mut context) = create_device(&desc.device)?;
    let target = device.create_render_target(FORMAT, width, height)?;
    let depth = desc.depth.map(|format| device.create_depth_target(format, width, height)).transpose()?;
    let mut setup =
        Setup { device: &device, context: &mut context, format: FORMAT, width, height, window: None };
    let mut game = init(&mut setup)?;
    let input = WinitInputHelper::new();
    for n in 0..desc.frames.unwrap_or(1).max(1) {
        let mut frame = Frame {
            device: &device,
            context: &mut context,
            target: &target.render_target_view,
            depth: depth.as_ref().map(|depth| &depth.depth_stencil_view),
            width,
            height,
            time: n as f32 * INTERVAL,
            delta: if n == 0 { 0.0 } else { INTERVAL },
            input: &input,
            window: None,
            ends: false,
        };
        game.frame(&mut frame)?;
        let ends = frame.ends;
        context.om_set_render_targets(None, None);
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
