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
    /// There can be at most 16 viewports. For each viewport, `-32768 <= left` and `left + width <= 32767` are
    /// required, as are the same limits for `top` and `height`, and `0 <= min_depth <= max_depth <= 1`.
    /// Otherwise the call is skipped and reported as [`MessageId::SetViewportsInvalid`]. Without a viewport,
    /// nothing is drawn. Draws use the first viewport, unless a geometry shader, or a vertex shader in HLSL, selects
    /// another one for each primitive (`SV_ViewportArrayIndex`;
    /// [`Features::MULTIPLE_VIEWPORTS`](crate::Features::MULTIPLE_VIEWPORTS)).
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

    /// Returns all viewports that were set. The result can be passed to
    /// [`rs_set_viewports`](Self::rs_set_viewports) (D3D11: `RSGetViewports`).
    #[doc(alias = "RSGetViewports")]
    pub fn rs_get_viewports(&self) -> Vec<Viewport> {
        self.core.rt.bound.viewports.clone()
    }

    /// Replaces all scissor rectangles, with coordinates in pixels and exclusive right and bottom edges
    /// (D3D11: `RSSetScissorRects`).
    ///
    /// A call with more than 16 rectangles is skipped and reported as [`MessageId::SetScissorRectsInvalid`].
    /// Rectangles apply only if the rasterizer state has `scissor_enable`. With `scissor_enable` but without
    /// a rectangle, nothing is drawn. Each rectangle belongs to the viewport with the same index, so draws
    /// use the first one.
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

    /// Returns all scissor rectangles that were set. The result can be passed to
    /// [`rs_set_scissor_rects`](Self::rs_set_scissor_rects) (D3D11: `RSGetScissorRects`).
    #[doc(alias = "RSGetScissorRects")]
    pub fn rs_get_scissor_rects(&self) -> Vec<Rect> {
        self.core.rt.bound.scissor_rects.clone()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop")]

    use onze_ddi::Rect;

    use crate::{prelude::*, validate::VIEWPORT_SLOTS};

    type SetAreas = (Vec<Viewport>, Vec<Rect>);

    /// Returns different viewports and rectangles, which depend on `seed`.
    fn all(seed: u16) -> SetAreas {
        let numbers = (0..VIEWPORT_SLOTS as u16).map(|i| seed + i);
        let viewport = |n: u16| Viewport { top_left_x: n.into(), ..Viewport::sized(4.0, f32::from(n)) };
        let rect = |n: u16| Rect { left: -1, top: n.into(), right: 5, bottom: i32::from(n) + 1 };
        (numbers.clone().map(viewport).collect(), numbers.map(rect).collect())
    }

    fn set(context: &mut DeviceContext, (viewports, rects): &SetAreas) {
        context.rs_set_viewports(viewports);
        context.rs_set_scissor_rects(rects);
    }

    fn get(context: &DeviceContext) -> SetAreas {
        (context.rs_get_viewports(), context.rs_get_scissor_rects())
    }

    fn device() -> (Device, ImmediateContext) {
        let desc = DeviceDesc {
            driver_type: DriverType::Null,
            debug: true,
            verify_driver: true,
            ..DeviceDesc::default()
        };
        create_device(&desc).unwrap()
    }

    #[test]
    fn a_change_of_any_of_16_viewports_is_stored() {
        let (_, mut context) = device();
        let mut state = all(1);
        set(&mut context, &state);
        assert_eq!(get(&context), state);
        for slot in 0..VIEWPORT_SLOTS {
            state.0[slot].max_depth = 0.5;
            state.1[slot].right += 1;
            set(&mut context, &state);
            assert_eq!(get(&context), state, "slot {slot}");
        }
        state.0.truncate(3);
        state.1.truncate(15);
        set(&mut context, &state);
        assert_eq!(get(&context), state, "a shorter call replaces all");
        context.clear_state();
        assert_eq!(get(&context), SetAreas::default());
    }

    #[test]
    fn a_seventeenth_viewport_is_reported_and_changes_nothing() {
        let (device, mut context) = device();
        let state = all(1);
        set(&mut context, &state);
        context.rs_set_viewports([Viewport::sized(1.0, 1.0); 17]);
        context.rs_set_scissor_rects([Rect::default(); 17]);
        let messages = device.info_queue().take();
        let ids: Vec<_> = messages.iter().map(|message| message.id).collect();
        assert_eq!(ids, [MessageId::SetViewportsInvalid, MessageId::SetScissorRectsInvalid]);
        for (message, text) in messages.iter().zip(["17 viewports", "17 rectangles"]) {
            let expected = format!("{text}; there are at most 16");
            assert!(message.description.contains(&expected), "{}", message.description);
        }
        assert_eq!(get(&context), state);
    }

    #[test]
    fn context_states_and_lists_keep_all_16_viewports() {
        let (device, mut context) = device();
        let [first, second] = [all(1), all(100)];
        set(&mut context, &first);
        let mut other = device.create_device_context_state();
        context.swap_device_context_state(&mut other);
        assert_eq!(get(&context), SetAreas::default());
        set(&mut context, &second);
        context.swap_device_context_state(&mut other);
        assert_eq!(get(&context), first);

        let mut deferred = device.create_deferred_context().unwrap();
        assert_eq!(get(&deferred), SetAreas::default());
        set(&mut deferred, &second);
        let list = deferred.finish_command_list(true).unwrap();
        assert_eq!(get(&deferred), second, "finishing restores the state");
        context.execute_command_list(&list, true);
        assert_eq!(get(&context), first, "executing restores the state");
        context.execute_command_list(&list, false);
        assert_eq!(get(&context), SetAreas::default());
        context.swap_device_context_state(&mut other);
        assert_eq!(get(&context), second);
    }
}
