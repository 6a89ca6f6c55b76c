//! Paint callbacks, which let the application draw between egui's shapes.

use std::sync::Arc;

use egui::PaintCallback;
use onze::{DeviceContext, Error, Rect, RenderTargetView, Viewport};

type Draw = dyn Fn(&mut DeviceContext, &CallbackInfo<'_>) -> Result<(), Error> + Send + Sync;

/// A shape that the application itself draws inside a user interface, for example a scene in a panel.
///
/// egui requires a closure that is `Send`, `Sync` and `'static`, so the closure must own the objects it uses.
/// Onze's objects are cheap to clone.
///
/// ```
/// # use onze::prelude::*;
/// /// A turning model that fills the rest of the panel.
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
/// State when the closure is called:
///
/// * The render target is bound without a depth buffer, with a viewport that covers the callback's rectangle.
/// * The scissor rectangle is the visible part of that rectangle. The bound rasterizer state enables the
///   scissor test and culls nothing. If the closure binds another rasterizer state, enable `scissor_enable`
///   in it, because otherwise the closure draws over the panel's edges.
/// * All other state is as [`Painter::paint`](crate::Painter::paint) has bound it, with a triangle list as
///   the topology.
///
/// The closure may change any state, because the painter binds its own state again.
pub struct Callback(Box<Draw>);

impl std::fmt::Debug for Callback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Callback").finish_non_exhaustive()
    }
}

impl Callback {
    /// Creates a shape for [`egui::Painter::add`] that calls `draw` for a rectangle in points. If `draw`
    /// returns an error, [`Painter::paint`](crate::Painter::paint) returns that error.
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

/// The target and rectangle of a [`Callback`], which its closure receives together with the context.
#[derive(Clone, Copy, Debug)]
pub struct CallbackInfo<'a> {
    /// The render target. To draw with a depth test, bind this view again together with a depth buffer of the
    /// same size.
    pub target: &'a RenderTargetView,
    /// Width and height of the target in pixels.
    pub target_size: [u32; 2],
    /// The callback's rectangle in pixels, which may be partly outside the target.
    pub viewport: Viewport,
    /// The visible part of the callback's rectangle, in pixels.
    pub scissor: Rect,
    /// Pixels per point, egui's unit of length.
    pub pixels_per_point: f32,
}

impl CallbackInfo<'_> {
    /// Returns the viewport's width divided by its height.
    pub fn aspect_ratio(&self) -> f32 {
        self.viewport.width / self.viewport.height
    }
}
