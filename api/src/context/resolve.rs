//! Resolving, which averages the samples of a multisampled texture.

use onze_ddi::{Format, Handle};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{Texture2d, sealed::Sealed as _},
    report::MessageId,
    validate,
};

impl DeviceContext {
    /// Averages the samples of each texel of a subresource, and writes the results to a texture with one
    /// sample per texel, at this point of the command stream (D3D11: `ResolveSubresource`).
    ///
    /// The source must be multisampled, the destination must have one sample and default usage, and both
    /// subresources must have the same size. If neither texture is typeless, `format` must be the format of
    /// both, and if one is typeless, the format of the other. If both are typeless, it can be any member of
    /// their family. For sRGB formats, the linear values are averaged instead of the stored values. Integers
    /// and depth cannot be resolved
    /// ([`FormatSupport::MULTISAMPLE_RESOLVE`](crate::FormatSupport::MULTISAMPLE_RESOLVE)), but a shader can
    /// read their samples. An invalid call is skipped and reported as
    /// [`MessageId::ResolveSubresourceInvalid`].
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let format = Format::R8G8B8A8_UNORM;
    /// let picture = Texture2dDesc::render_target(format, 640, 480);
    /// let samples = device.create_texture_2d(&Texture2dDesc { sample_count: 4, ..picture.clone() }, None)?;
    /// let picture = device.create_texture_2d(&picture, None)?;
    /// context.om_set_render_targets(&samples.create_render_target_view()?, None);
    /// // Draws, and then:
    /// context.resolve_subresource(&picture, 0, &samples, 0, format);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "ResolveSubresource")]
    pub fn resolve_subresource(
        &mut self,
        dst: &Texture2d,
        dst_subresource: u32,
        src: &Texture2d,
        src_subresource: u32,
        format: Format,
    ) {
        let used = ObjectUse::of(Call::ResolveSubresource);
        if self.handle_state_for(dst, used.as_destination()).is_err()
            || self.handle_state_for(src, used.as_source()).is_err()
        {
            return;
        }
        let (to, from) = (dst.texture(), src.texture());
        let support = |format| self.device().check_format_support(format);
        let checked =
            validate::resolve_subresource(to, dst_subresource, from, src_subresource, format, support);
        if let Err(reason) = checked {
            let (to, from) = (dst.owner().shared.name(), src.owner().shared.name());
            let text = format_args!("from {from} to {to}: {reason}");
            self.report_about(MessageId::ResolveSubresourceInvalid, [src.key(), dst.key()], text);
            return;
        }
        self.note_contents(dst.key());
        let (dst, src) = (Handle::new(dst.key()), Handle::new(src.key()));
        self.core.with(move |f, cx| {
            f.resource_resolve_subresource(cx.entry(), dst, dst_subresource, src, src_subresource, format);
        });
    }
}
