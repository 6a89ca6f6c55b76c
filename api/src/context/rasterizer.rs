//! The rasterizer: its state, viewports and scissor rectangles.

use onze_ddi::{Handle, RasterizerStateHandle, Rect, Viewport};

use super::{
    DeviceContext,
    draw_checks::DrawPart,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{Nullable, RasterizerState, sealed::Sealed as _},
    report::MessageId,
    validate,
};

/// One or several values, as an argument of the calls for viewports and scissor rectangles.
#[diagnostic::on_unimplemented(
    message = "this call takes one or several `{T}`, but the argument is `{Self}`",
    label = "expected `{T}`, or an array, a slice or a vector of them"
)]
pub trait OneOrMany<T> {
    /// Returns the values as a slice, in the order of the slots.
    fn as_slice(&self) -> &[T];
}

impl<T> OneOrMany<T> for T {
    fn as_slice(&self) -> &[T] {
        std::slice::from_ref(self)
    }
}

impl<T> OneOrMany<T> for &[T] {
    fn as_slice(&self) -> &[T] {
        self
    }
}

impl<T> OneOrMany<T> for &Vec<T> {
    fn as_slice(&self) -> &[T] {
        self
    }
}

impl<T, const N: usize> OneOrMany<T> for [T; N] {
    fn as_slice(&self) -> &[T] {
        self
    }
}

impl<T, const N: usize> OneOrMany<T> for &[T; N] {
    fn as_slice(&self) -> &[T] {
        *self
    }
}

impl DeviceContext {
    /// Binds a rasterizer state; `None` binds the default state (D3D11: `RSSetState`).
    #[doc(alias = "RSSetState")]
    pub fn rs_set_state<'a>(&mut self, state: impl Nullable<'a, RasterizerState>) {
        let state = state.object();
        let handle = state.map(|state| Handle::new(state.key()));
        let used = ObjectUse::of(Call::RsSetState);
        if handle == self.core.rt.bound.rasterizer_state || !self.is_known_for(state, used) {
            return;
        }
        self.bind_rasterizer_state(handle);
    }

    pub(crate) fn bind_rasterizer_state(&mut self, state: Option<RasterizerStateHandle>) {
        if self.core.rt.bound.rasterizer_state != state {
            self.core.rt.bound.rasterizer_state = state;
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            self.core.with(move |f, cx| f.rs_set_state(cx.entry(), state));
        }
    }

    /// Returns the rasterizer state, or `None` for the default state (D3D11: `RSGetState`).
    #[doc(alias = "RSGetState")]
    pub fn rs_get_state(&self) -> Option<RasterizerState> {
        self.core.object(self.core.rt.bound.rasterizer_state.map(|h| h.key()))
    }

    /// Replaces all viewports, with coordinates in pixels (D3D11: `RSSetViewports`).
    ///
    /// There can be at most 16 viewports. Each viewport must satisfy `-32768 <= left` and `left + width <=
    /// 32767`, the same limits for `top` and `height`, and `0 <= min_depth <= max_depth <= 1`. Otherwise the
    /// call is skipped and reported as [`MessageId::SetViewportsInvalid`]. Without a viewport, nothing is
    /// drawn. Draws use only the first viewport, as in D3D11 without `SV_ViewportArrayIndex`, because no
    /// shader can select another viewport
    /// ([`Features::MULTIPLE_VIEWPORTS`](crate::Features::MULTIPLE_VIEWPORTS)).
    #[doc(alias = "RSSetViewports")]
    pub fn rs_set_viewports(&mut self, viewports: impl OneOrMany<Viewport>) {
        let viewports = viewports.as_slice();
        match validate::viewports(viewports) {
            Ok(()) => self.bind_viewports(viewports),
            Err(reason) => self.report(MessageId::SetViewportsInvalid, reason),
        }
    }

    pub(crate) fn bind_viewports(&mut self, viewports: &[Viewport]) {
        let bound = &mut self.core.rt.bound.viewports;
        if bound[..] != *viewports {
            bound.clear();
            bound.extend_from_slice(viewports);
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            self.core.with(move |f, cx| f.rs_set_viewports(cx.entry(), viewports));
        }
    }

    /// Returns the viewports, which can be passed to [`rs_set_viewports`](Self::rs_set_viewports) (D3D11:
    /// `RSGetViewports`).
    #[doc(alias = "RSGetViewports")]
    pub fn rs_get_viewports(&self) -> Vec<Viewport> {
        self.core.rt.bound.viewports.clone()
    }

    /// Replaces all scissor rectangles, with coordinates in pixels and exclusive right and bottom edges
    /// (D3D11: `RSSetScissorRects`).
    ///
    /// A call with more than 16 rectangles is skipped and reported as [`MessageId::SetScissorRectsInvalid`].
    /// Rectangles apply only if the rasterizer state has `scissor_enable`. With `scissor_enable` but without
    /// a rectangle, nothing is drawn. Draws use the first rectangle, because it belongs to the first
    /// viewport.
    #[doc(alias = "RSSetScissorRects")]
    pub fn rs_set_scissor_rects(&mut self, rects: impl OneOrMany<Rect>) {
        let rects = rects.as_slice();
        match validate::scissor_rects(rects) {
            Ok(()) => self.bind_scissor_rects(rects),
            Err(reason) => self.report(MessageId::SetScissorRectsInvalid, reason),
        }
    }

    pub(crate) fn bind_scissor_rects(&mut self, rects: &[Rect]) {
        let bound = &mut self.core.rt.bound.scissor_rects;
        if bound[..] != *rects {
            bound.clear();
            bound.extend_from_slice(rects);
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            self.core.with(move |f, cx| f.rs_set_scissor_rects(cx.entry(), rects));
        }
    }

    /// Returns the scissor rectangles, which can be passed to
    /// [`rs_set_scissor_rects`](Self::rs_set_scissor_rects) (D3D11: `RSGetScissorRects`).
    #[doc(alias = "RSGetScissorRects")]
    pub fn rs_get_scissor_rects(&self) -> Vec<Rect> {
        self.core.rt.bound.scissor_rects.clone()
    }
}
