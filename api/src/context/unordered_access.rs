//! Unordered-access views of the compute stage, which dispatches write. Those of the pixel stage are bound with the
//! [render targets](super::targets).

use onze_ddi::{Handle, ShaderStage, SlotClass, UnorderedAccessViews};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::ObjectShared,
    objects::{Slots, UnorderedAccessView, sealed::Sealed as _},
    report::MessageId,
};

impl UnorderedAccessView {
    /// The stages whose shaders write through such views.
    pub(crate) const STAGES: [ShaderStage; 2] = [ShaderStage::Pixel, ShaderStage::Compute];
}

impl DeviceContext {
    /// Binds views to consecutive `u` slots, which a compute shader reads and writes.
    /// D3D11: `CSSetUnorderedAccessViews`, for views without a counter.
    ///
    /// Slots are within `0..8`; beyond, or when two views of the call see a common part of a resource,
    /// nothing changes and [`MessageId::SetUnorderedAccessViewsInvalid`] is reported. What a view sees is
    /// bound nowhere else afterwards: other unordered-access views, targets, shader resources, vertex buffers and the
    /// index buffer that see it are unbound ([`MessageId::SetUnorderedAccessViewsHazard`]).
    #[doc(alias = "CSSetUnorderedAccessViews")]
    pub fn cs_set_unordered_access_views(&mut self, start: u32, views: impl Slots<UnorderedAccessView>) {
        let id = MessageId::SetUnorderedAccessViewsInvalid;
        let used = ObjectUse::of(Call::CsSetUnorderedAccessViews);
        if !self.slots_fit(id, used, SlotClass::UnorderedAccess, start, views.count()) {
            return;
        }
        for (i, view) in (0..views.count()).filter_map(|i| Some((i, views.get(i)?))) {
            if self.handle_state_for(view, used.in_slot(start as usize + i)).is_none() {
                return;
            }
        }
        let given = || (0..views.count()).filter_map(|i| views.get(i));
        if let Err(reason) = check_apart(given().map(|view| &*view.owner().shared), std::iter::empty()) {
            self.report(id, reason);
            return;
        }
        self.unbind_users_of(start, &views);
        let handle = |i| views.get(i).map(|view| Handle::new(view.key()));
        let handles = (0..views.count()).map(handle);
        self.bind_slots::<UnorderedAccessViews>(ShaderStage::Compute, start as usize, handles);
    }

    /// The views of `count` `u` slots. D3D11: `CSGetUnorderedAccessViews`.
    #[doc(alias = "CSGetUnorderedAccessViews")]
    pub fn cs_get_unordered_access_views(&self, start: u32, count: u32) -> Vec<Option<UnorderedAccessView>> {
        self.get_unordered_access_views(ShaderStage::Compute, start, count)
    }

    /// The views of `count` `u` slots of a stage.
    pub(super) fn get_unordered_access_views(
        &self,
        stage: ShaderStage,
        start: u32,
        count: u32,
    ) -> Vec<Option<UnorderedAccessView>> {
        self.get_slots::<UnorderedAccessViews, _>(stage, start, count, |view| Some(view?.key()))
    }
}

/// Whether new unordered-access views see no common part of a resource, and none that one of `others` sees. Else says
/// what to do.
pub(super) fn check_apart<'a>(
    views: impl Iterator<Item = &'a ObjectShared> + Clone,
    others: impl Iterator<Item = &'a ObjectShared> + Clone,
) -> Result<(), String> {
    for (i, view) in views.clone().enumerate() {
        if views.clone().take(i).chain(others.clone()).any(|other| view.sees_part_of(other)) {
            return Err(format!(
                "{} shows a part that another view of the call shows too; give views of different parts",
                view.name()
            ));
        }
    }
    Ok(())
}
