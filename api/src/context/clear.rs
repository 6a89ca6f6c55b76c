//! Clearing of views, and generation of mip levels.

use onze_ddi::{ClearFlags, Handle};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{
        DepthStencilView, RenderTargetView, ShaderResourceView, UnorderedAccessView, sealed::Sealed as _,
    },
    report::MessageId,
    validate,
};

impl DeviceContext {
    /// Sets every texel of a view to a colour, given as red, green, blue and alpha (D3D11:
    /// `ClearRenderTargetView`).
    ///
    /// The view does not have to be bound, and viewports and scissor rectangles have no effect.
    #[doc(alias = "ClearRenderTargetView")]
    pub fn clear_render_target_view(&mut self, view: &RenderTargetView, color: [f32; 4]) {
        if self.handle_state_for(view, ObjectUse::of(Call::ClearRenderTargetView)).is_ok() {
            let handle = Handle::new(view.key());
            self.core.with(move |f, cx| f.clear_render_target_view(cx.entry(), handle, color));
        }
    }

    /// Sets the depth, the stencil value or both for every texel of a view (D3D11: `ClearDepthStencilView`).
    ///
    /// The depth is clamped to the range 0 to 1. If the depth is NaN, the call is skipped and reported as
    /// [`MessageId::ClearDepthStencilViewInvalid`].
    #[doc(alias = "ClearDepthStencilView")]
    pub fn clear_depth_stencil_view(
        &mut self,
        view: &DepthStencilView,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    ) {
        if depth.is_nan() {
            let name = view.owner().shared.name();
            let text = format_args!("the depth for {name} is not a number (NaN); pass 0.0 to 1.0");
            self.report(MessageId::ClearDepthStencilViewInvalid, text);
        } else if !flags.is_empty()
            && self.handle_state_for(view, ObjectUse::of(Call::ClearDepthStencilView)).is_ok()
        {
            if flags.contains(ClearFlags::DEPTH) {
                self.note_contents(view.key());
            }
            let (handle, depth) = (Handle::new(view.key()), depth.clamp(0.0, 1.0));
            self.core
                .with(move |f, cx| f.clear_depth_stencil_view(cx.entry(), handle, flags, depth, stencil));
        }
    }

    /// Sets every depth to 1, the farthest, and every stencil value to 0 (D3D11: `ClearDepthStencilView` with
    /// `D3D11_CLEAR_DEPTH | D3D11_CLEAR_STENCIL`, 1.0 and 0).
    ///
    /// To clear a reversed depth buffer to 0, use [`clear_depth_stencil_view`](Self::clear_depth_stencil_view).
    #[doc(alias = "D3D11_CLEAR_DEPTH")]
    #[doc(alias = "D3D11_CLEAR_STENCIL")]
    #[doc(alias = "ClearDepthStencilView")]
    pub fn clear_depth_stencil(&mut self, view: &DepthStencilView) {
        self.clear_depth_stencil_view(view, ClearFlags::DEPTH | ClearFlags::STENCIL, 1.0, 0);
    }

    /// Writes integers into all texels or elements of a view (D3D11: `ClearUnorderedAccessViewUint`).
    ///
    /// For texture views and typed buffer views, each component of a texel or element gets the lowest bits of
    /// the corresponding value, without conversion to the format. For structured and raw buffer views, each
    /// 32-bit word is set to `values[0]`. The view does not have to be bound. Earlier draws and dispatches
    /// see the previous contents, and later draws and dispatches see the new values.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let binds = BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE;
    /// let counts = device.create_buffer(&BufferDesc::structured(64, 4, binds), None)?;
    /// let view = device.create_unordered_access_view(&counts, None)?;
    /// context.clear_unordered_access_view_uint(&view, [0; 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "ClearUnorderedAccessViewUint")]
    pub fn clear_unordered_access_view_uint(&mut self, view: &UnorderedAccessView, values: [u32; 4]) {
        if self.handle_state_for(view, ObjectUse::of(Call::ClearUnorderedAccessViewUint)).is_ok() {
            let handle = Handle::new(view.key());
            self.core.with(move |f, cx| f.clear_unordered_access_view_uint(cx.entry(), handle, values));
        }
    }

    /// Writes floats into all texels or elements of a view, converted to its format (D3D11:
    /// `ClearUnorderedAccessViewFloat`).
    ///
    /// The view's format must have float, UNORM or SNORM components. For components of 16, 11 and 10 bits,
    /// values are rounded towards zero, and finite values out of range become the largest representable
    /// number. UNORM and SNORM values are rounded to the nearest representable number. A structured or raw
    /// buffer view has no format, so the call is skipped, as in Direct3D 11, and reported as
    /// [`MessageId::ClearUnorderedAccessViewInvalid`]. To clear such a view, use
    /// [`clear_unordered_access_view_uint`](Self::clear_unordered_access_view_uint) with `f32::to_bits`.
    #[doc(alias = "ClearUnorderedAccessViewFloat")]
    pub fn clear_unordered_access_view_float(&mut self, view: &UnorderedAccessView, values: [f32; 4]) {
        let used = ObjectUse::of(Call::ClearUnorderedAccessViewFloat);
        if self.handle_state_for(view, used).is_err() {
            return;
        }
        let Some(desc) = view.desc() else { return };
        match validate::clear_bits(desc, values) {
            Ok(bits) => {
                let handle = Handle::new(view.key());
                self.core.with(move |f, cx| f.clear_unordered_access_view_uint(cx.entry(), handle, bits));
            }
            Err(reason) => {
                let name = view.owner().shared.name();
                let text = format_args!("{name}: {reason}");
                self.report_about(MessageId::ClearUnorderedAccessViewInvalid, view.key(), text);
            }
        }
    }

    /// Fills the smaller mip levels of a view from its first mip level (D3D11: `GenerateMips`).
    ///
    /// Unless the texture has `MiscFlags::GENERATE_MIPS` and a format that can be filtered and rendered to
    /// (`FormatSupport::MIP_AUTOGEN`), the call is skipped and reported as
    /// [`MessageId::GenerateMipsInvalid`].
    #[doc(alias = "GenerateMips")]
    pub fn generate_mips(&mut self, view: &ShaderResourceView) {
        if self.handle_state_for(view, ObjectUse::of(Call::GenerateMips)).is_err() {
            return;
        }
        let id = MessageId::GenerateMipsInvalid;
        let Some((desc, resource)) = view.owner().shared.view() else { return };
        let Some(texture) = resource.resource_desc() else { return };
        let support = |format| self.device().check_format_support(format);
        match validate::generate_mips(texture, desc, support) {
            Ok(()) => {
                let handle = Handle::new(view.key());
                self.core.with(move |f, cx| f.generate_mips(cx.entry(), handle));
            }
            Err(reason) => {
                self.report_about(id, resource.key, format_args!("{}: {reason}", resource.name()));
            }
        }
    }
}
