//! The output merger's states: blending, depth and stencil.

use onze_ddi::{BlendBinding, DepthStencilBinding, Handle};

use super::{
    DeviceContext, Skipped,
    draw_checks::DrawPart,
    object_use::{Call, ObjectUse},
};
use crate::objects::{BlendState, DepthStencilState, Nullable, sealed::Sealed as _};

impl DeviceContext {
    /// Binds a blend state with a blend factor and a sample mask; `None` binds the default state (D3D11:
    /// `OMSetBlendState`). Pass `[1.0; 4]` instead of a null factor, and `u32::MAX` for all samples.
    #[doc(alias = "OMSetBlendState")]
    pub fn om_set_blend_state<'a>(
        &mut self,
        state: impl Nullable<'a, BlendState>,
        blend_factor: [f32; 4],
        sample_mask: u32,
    ) {
        let state = state.object();
        let handle = state.map(|state| Handle::new(state.key()));
        let used = ObjectUse::of(Call::OmSetBlendState);
        if handle != self.core.rt.bound.blend_state.state && !self.is_known_for(state, used) {
            return;
        }
        self.bind_blend(BlendBinding { state: handle, factor: blend_factor, sample_mask });
    }

    /// Binds a blend state with a blend factor of one, for all samples; `None` binds the default state.
    /// Equivalent to `OMSetBlendState` with a null factor and a sample mask of `0xffffffff`.
    ///
    /// The rules of [`om_set_blend_state`](Self::om_set_blend_state) apply.
    #[doc(alias = "OMSetBlendState")]
    pub fn om_set_blend<'a>(&mut self, state: impl Nullable<'a, BlendState>) {
        self.om_set_blend_state(state, [1.0; 4], u32::MAX);
    }

    pub(crate) fn bind_blend(&mut self, blend: BlendBinding) {
        // Compares the bits of the factors, which takes less code than comparing numbers, although equal
        // numbers with different bits cause a redundant call.
        let key = |b: &BlendBinding| (b.state, b.sample_mask, b.factor.map(f32::to_bits));
        if key(&self.core.rt.bound.blend_state) != key(&blend) {
            self.core.rt.bound.blend_state = blend;
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            self.core.with(move |f, cx| f.om_set_blend_state(cx.entry(), blend));
        }
    }

    /// Returns the blend state (`None` for the default state), the blend factor and the sample mask (D3D11:
    /// `OMGetBlendState`).
    #[doc(alias = "OMGetBlendState")]
    pub fn om_get_blend_state(&self) -> (Option<BlendState>, [f32; 4], u32) {
        let b = self.core.rt.bound.blend_state;
        (self.core.object(b.state.map(|h| h.key())), b.factor, b.sample_mask)
    }

    /// Binds a depth-stencil state with the reference value of the stencil test; `None` binds the default
    /// state (D3D11: `OMSetDepthStencilState`). Only the low eight bits of the reference value are used.
    #[doc(alias = "OMSetDepthStencilState")]
    pub fn om_set_depth_stencil_state<'a>(
        &mut self,
        state: impl Nullable<'a, DepthStencilState>,
        stencil_ref: u32,
    ) {
        let state = match state.object() {
            None => None,
            Some(state) => match self.handle_state_for(state, ObjectUse::of(Call::OmSetDepthStencilState)) {
                Ok(_) => Some(Handle::new(state.key())),
                Err(Skipped) => return,
            },
        };
        self.bind_depth_stencil(DepthStencilBinding { state, stencil_ref: stencil_ref as u8 });
    }

    /// Binds a depth-stencil state with a reference value of 0; `None` binds the default state (D3D11:
    /// `OMSetDepthStencilState` with a `StencilRef` of 0).
    ///
    /// The rules of [`om_set_depth_stencil_state`](Self::om_set_depth_stencil_state) apply.
    #[doc(alias = "OMSetDepthStencilState")]
    pub fn om_set_depth_stencil<'a>(&mut self, state: impl Nullable<'a, DepthStencilState>) {
        self.om_set_depth_stencil_state(state, 0);
    }

    pub(crate) fn bind_depth_stencil(&mut self, binding: DepthStencilBinding) {
        if self.core.rt.bound.depth_stencil_state != binding {
            self.core.rt.bound.depth_stencil_state = binding;
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            self.core.with(move |f, cx| f.om_set_depth_stencil_state(cx.entry(), binding));
        }
    }

    /// Returns the depth-stencil state (`None` for the default state) and the reference value (D3D11:
    /// `OMGetDepthStencilState`).
    #[doc(alias = "OMGetDepthStencilState")]
    pub fn om_get_depth_stencil_state(&self) -> (Option<DepthStencilState>, u32) {
        let b = self.core.rt.bound.depth_stencil_state;
        (self.core.object(b.state.map(|h| h.key())), b.stencil_ref.into())
    }
}
