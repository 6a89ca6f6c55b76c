//! Paint callbacks: the program's own draws between egui's shapes.

use std::sync::Arc;

use egui::PaintCallback;
use onze::{DeviceContext, Error, Rect, RenderTargetView, Viewport};

type Draw = dyn Fn(&mut DeviceContext, &CallbackInfo<'_>) -> Result<(), Error> + Send + Sync;

/// Draws of the program's own inside of a user interface, for example a scene in a panel.
///
/// egui wants a closure that any thread may call, so it owns what it draws with: Onze's objects are cheap clones.
///
/// ```
/// # use onze::prelude::*;
/// /// A turning model that fills what is left of the panel.
/// fn viewer(ui: &mut egui::Ui, model: &Model, angle: f32) {
///     let (rect, _response) = ui.allocate_exact_size(ui.available_size(), egui::Sense::drag());
///     let model = model.clone();
///     ui.painter().add(onze_egui::Callback::at(rect, move |context, info| {
///         let turned = Constants { angle, aspect_ratio: info.aspect_ratio() };
///         context.update(&model.constants, &turned)?;
///         context.vs_set_constant_buffers(0, &model.constants);
///         context.vs_set_shader(&model.vs);
///         context.ps_set_shader(&model.ps);
///         context.om_set_blend(None);
///         context.draw(36, 0);
///         Ok(())
///     }));
/// }
/// # #[derive(Clone)]
/// # struct Model { vs: VertexShader, ps: PixelShader, constants: ConstantBuffer<Constants> }
/// # #[derive(Clone, Copy, NoUninit)]
/// # #[bytemuck(crate = "onze::bytemuck")]
/// # #[repr(C)]
/// # struct Constants { angle: f32, aspect_ratio: f32 }
/// ```
///
/// When it is called:
///
/// * The render target is bound without a depth buffer, with a viewport of the callback's rectangle.
/// * The scissor rectangle is what egui shows of it, and the rasterizer state lets it cut and culls nothing. A state of
///   the closure's own needs `scissor_enable`, or it draws over the panel's edges.
/// * All else is what [`Painter::paint`](crate::Painter::paint) has bound; the topology is a triangle list.
///
/// It may leave anything behind: the painter binds its own state again.
pub struct Callback(Box<Draw>);

impl std::fmt::Debug for Callback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Callback").finish_non_exhaustive()
    }
}

impl Callback {
    /// A shape that draws into a rectangle, which is in points. [`egui::Painter::add`] takes it.
    ///
    /// An error that `draw` returns is what [`Painter::paint`](crate::Painter::paint) returns.
    pub fn at(
        rect: egui::Rect,
        draw: impl Fn(&mut DeviceContext, &CallbackInfo<'_>) -> Result<(), Error> + Send + Sync + 'static,
    ) -> PaintCallback {
        PaintCallback { rect, callback: Arc::new(Self(Box::new(draw))) }
    }

    pub(crate) fn call(&self, context: &mut DeviceContext, info: &CallbackInfo<'_>) -> Result<(), Error> {
        (self.0)(context, info)
    }
}

/// What a [`Callback`] draws into.
#[derive(Clone, Copy, Debug)]
pub struct CallbackInfo<'a> {
    /// The render target. To draw with depth, bind it again with a depth buffer of the same size.
    pub target: &'a RenderTargetView,
    /// Width and height of the target in pixels.
    pub target_size: [u32; 2],
    /// The callback's rectangle in pixels; parts may lie outside of the target.
    pub viewport: Viewport,
    /// What is to be seen of it, in pixels.
    pub scissor: Rect,
    /// Pixels of a point, egui's unit of length.
    pub pixels_per_point: f32,
}

impl CallbackInfo<'_> {
    /// Width over height of the viewport.
    pub fn aspect_ratio(&self) -> f32 {
        self.viewport.width / self.viewport.height
    }
}
