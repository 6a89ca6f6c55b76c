//! The minimum mip level that shaders can access in a texture.

use onze_ddi::{MiscFlags, ResourceDesc};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{objects::Resource, report::MessageId};

impl DeviceContext {
    /// Sets the minimum mip level that shaders can access in a texture, through all its shader-resource views
    /// (D3D11: `SetResourceMinLOD`).
    ///
    /// The level is relative to the first level of the texture, even for views that start at another level.
    /// It may be a fraction between two levels; a negative number means 0. Samples are taken from this level
    /// or from higher levels, and loads from lower levels return 0. If a view has no remaining level, its
    /// texels are 0.
    ///
    /// The level applies to all later commands, and a command list that contains this call sets the level at
    /// each execution. No other call changes the level; [`clear_state`](Self::clear_state) does not reset it.
    ///
    /// If the resource is not a texture with [`MiscFlags::RESOURCE_CLAMP`], or if the level is NaN, the call
    /// is skipped and reported as [`MessageId::SetResourceMinLodInvalid`].
    #[doc(alias = "SetResourceMinLOD")]
    pub fn set_resource_min_lod(&mut self, resource: &impl Resource, min_lod: f32) {
        if self.handle_state_for(resource, ObjectUse::of(Call::SetResourceMinLod)).is_err() {
            return;
        }
        let shared = &resource.owner().shared;
        let refused = match shared.resource_desc() {
            Some(ResourceDesc::Texture(desc)) if desc.misc_flags.contains(MiscFlags::RESOURCE_CLAMP) => {
                min_lod.is_nan().then_some("the level is not a number")
            }
            _ => Some("it was created without `MiscFlags::RESOURCE_CLAMP`"),
        };
        if let Some(reason) = refused {
            let name = shared.name();
            let text = format_args!("{name}: {reason}");
            return self.report_about(MessageId::SetResourceMinLodInvalid, shared.key, text);
        }
        let min_lod = min_lod.max(0.0);
        shared.set_min_lod(min_lod);
        let handle = onze_ddi::Handle::new(resource.key());
        self.core.with(move |f, cx| f.set_resource_min_lod(cx.entry(), handle, min_lod));
    }

    /// Returns the minimum mip level that was last set for a texture (D3D11: `GetResourceMinLOD`).
    ///
    /// The result is the level of the last call on any context, even if that call is in a command list that
    /// was not executed, or 0 without such a call.
    #[doc(alias = "GetResourceMinLOD")]
    pub fn get_resource_min_lod(&self, resource: &impl Resource) -> f32 {
        resource.owner().shared.min_lod()
    }
}
