//! Draws egui's user interfaces with Onze.
//!
//! In each frame, [egui](https://docs.rs/egui) produces triangles and texture changes. A [`Painter`] draws
//! them into a render-target view, on the immediate context or on a deferred context:
//!
//! ```
//! use onze::prelude::*;
//! use onze_egui::Painter;
//!
//! # fn main() -> Result<(), onze::Error> {
//! # let desc = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
//! # let (device, mut context) = create_device(&desc)?;
//! # let target = device.create_render_target(Format::R8G8B8A8_UNORM_SRGB, 640, 480)?;
//! # let target = &target.render_target_view;
//! // Once:
//! let egui = egui::Context::default();
//! let mut painter = Painter::new(&device)?;
//! let mut speed = 1.0;
//!
//! // In each frame, after the scene:
//! let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(640.0, 480.0));
//! let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
//! let output = egui.run_ui(input, |ui| {
//!     egui::Window::new("Settings").show(ui.ctx(), |ui| {
//!         ui.add(egui::Slider::new(&mut speed, 0.0..=10.0).text("speed"));
//!     });
//! });
//! let primitives = egui.tessellate(output.shapes, output.pixels_per_point);
//! painter.paint(&mut context, target, output.pixels_per_point, output.textures_delta, &primitives)?;
//! # Ok(())
//! # }
//! ```
//!
//! In a window, `egui_winit::State` turns winit's events into the `input` and carries out the requests in
//! `output.platform_output`, as Onze's example `ui` shows.
//!
//! * **Images of the application**: [`Painter::register_texture`] shows a texture in egui, for example one
//!   that a scene was drawn into.
//! * **Draws between egui's shapes**: a [`Callback`] draws, for example, a model in a panel.
//! * **Colours**: egui mixes sRGB-encoded colours. In targets of sRGB and floating-point formats, its colours
//!   are converted to linear light, so opaque colours look the same, but translucent pixels, including the
//!   edges of letters, are blended in linear light. egui's own painter for wgpu produces the same pixels.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod callback;
mod painter;
mod textures;

pub use callback::{Callback, CallbackInfo};
pub use egui;
pub use painter::Painter;

/// Returns whether views of this format read or write linear light instead of the stored values.
fn is_linear(format: onze::Format) -> bool {
    format.is_srgb() || format.component_kind() == onze::ddi::ComponentKind::Float
}
