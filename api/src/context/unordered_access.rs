//! Unordered-access views of the compute stage, which dispatches write.

use onze_ddi::{Handle, SlotClass, UnorderedAccessViewHandle};

use super::{
    DeviceContext,
    bound::SlotStore as _,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{Slots, UnorderedAccessView, sealed::Sealed as _},
    report::MessageId,
};

impl DeviceContext {
    /// Binds views to consecutive `u` slots, which a compute shader reads and writes.
    /// D3D11: `CSSetUnorderedAccessViews`, for views without a counter.
    ///
    /// Slots are within `0..8`; beyond, or when two views of the call see a common part of a resource,
    /// nothing changes and [`MessageId::SetUnorderedAccessViewsInvalid`] is reported. What a view sees is
    /// bound nowhere else afterwards: other unordered-access views, targets and shader resources that see it
    /// are unbound ([`MessageId::SetUnorderedAccessViewsHazard`]).
    #[doc(alias = "CSSetUnorderedAccessViews")]
    pub fn cs_set_unordered_access_views(&mut self, start: u32, views: impl Slots<UnorderedAccessView>) {
        let id = MessageId::SetUnorderedAccessViewsInvalid;
        let used = ObjectUse::of(Call::CsSetUnorderedAccessViews);
        if !self.slots_fit(id, used, SlotClass::UnorderedAccess, start, views.count()) {
            return;
        }
        let given = || (0..views.count()).filter_map(|i| views.get(i));
        for (i, view) in (0..views.count()).filter_map(|i| Some((i, views.get(i)?))) {
            if self.handle_state_for(view, used.in_slot(start as usize + i)).is_none() {
                return;
            }
        }
        for (i, view) in given().enumerate() {
            if given().take(i).any(|other| overlaps(view, other)) {
                let text = format_args!(
                    "{} shows a part that another view of the call shows too; give views of different elements",
                    view.owner().shared.name()
                );
                self.report(id, text);
                return;
            }
        }
        self.unbind_users_of(start, &views);
        let handle = |i| views.get(i).map(|view| Handle::new(view.key()));
        self.bind_unordered_access_views(start as usize, (0..views.count()).map(handle));
    }

    /// Stores views into consecutive slots and tells the driver what has changed.
    pub(crate) fn bind_unordered_access_views(
        &mut self,
        start: usize,
        views: impl Iterator<Item = Option<UnorderedAccessViewHandle>>,
    ) {
        let slots = &mut self.core.rt.bound.cs_unordered_access_views;
        let Some((first, end)) = slots.store(start, views) else { return };
        let copy = slots.copy(first..end);
        self.core.rt.dispatch.changed();
        self.core.with(move |f, cx| {
            f.cs_set_unordered_access_views(cx.entry(), first as u32, &copy[..end - first]);
        });
    }

    /// The views of `count` `u` slots. D3D11: `CSGetUnorderedAccessViews`.
    #[doc(alias = "CSGetUnorderedAccessViews")]
    pub fn cs_get_unordered_access_views(&self, start: u32, count: u32) -> Vec<Option<UnorderedAccessView>> {
        let slots = &self.core.rt.bound.cs_unordered_access_views;
        (start..start.saturating_add(count).min(SlotClass::UnorderedAccess.slots()))
            .map(|slot| self.core.object(slots.at(slot as usize).map(|h| h.key())))
            .collect()
    }
}

/// Whether two views see a common part of one resource.
fn overlaps(a: &UnorderedAccessView, b: &UnorderedAccessView) -> bool {
    match (a.owner().shared.view(), b.owner().shared.view()) {
        (Some((a, from)), Some((b, of))) => from.key == of.key && a.overlaps(b),
        _ => false,
    }
}
