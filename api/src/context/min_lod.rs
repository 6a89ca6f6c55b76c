//! The least mip level that shaders see of a texture.

use onze_ddi::{MiscFlags, ResourceDesc};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{objects::Resource, report::MessageId};

impl DeviceContext {
    /// Sets the least mip level that shaders see of a texture, in all its shader-resource views. D3D11:
    /// `SetResourceMinLOD`.
    ///
    /// It counts from the first level of the texture, whichever levels a view has. Samples take at least this level, also
    /// between two; loads of levels before it give 0. Where a view has no level left, its texels are 0. It holds for what
    /// follows, a list sets it each time that it is executed, and no call but this one changes it:
    /// [`clear_state`](Self::clear_state) neither. A negative number is 0.
    ///
    /// A resource that is no texture with [`MiscFlags::RESOURCE_CLAMP`], or what is no number, changes nothing and is
    /// reported ([`MessageId::SetResourceMinLodInvalid`]).
    #[doc(alias = "SetResourceMinLOD")]
    pub fn set_resource_min_lod(&mut self, resource: &impl Resource, min_lod: f32) {
        if self.handle_state_for(resource, ObjectUse::of(Call::SetResourceMinLod)).is_none() {
            return;
        }
        let shared = &resource.owner().shared;
        let refused = match shared.resource_desc() {
            Some(ResourceDesc::Texture(desc)) if desc.misc_flags.contains(MiscFlags::RESOURCE_CLAMP) => {
                min_lod.is_nan().then_some("the level is not a number")
            }
            _ => Some("it was made without `MiscFlags::RESOURCE_CLAMP`"),
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

    /// The least mip level of a texture, as it was last set. D3D11: `GetResourceMinLOD`.
    ///
    /// The last call counts, of any context, whether its list was executed or not. 0 if there was none.
    #[doc(alias = "GetResourceMinLOD")]
    pub fn get_resource_min_lod(&self, resource: &impl Resource) -> f32 {
        resource.owner().shared.min_lod()
    }
}
