//! Unordered-access views of the compute stage, whereas those of the pixel stage are bound together with the
//! [render targets](super::targets).

use onze_ddi::{Handle, KEEP_COUNT, ShaderStage, SlotClass, UnorderedAccessViews, ViewDesc};

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
    /// The stages whose shaders can write through unordered-access views.
    pub(crate) const STAGES: [ShaderStage; 2] = [ShaderStage::Pixel, ShaderStage::Compute];
}

impl DeviceContext {
    /// Binds unordered-access views to consecutive `u` slots of the compute stage, and leaves their counters
    /// unchanged (D3D11: `CSSetUnorderedAccessViews`, with NULL for the initial counts).
    ///
    /// Slots must be within `0..8`, and no two views of the call may overlap. A call that breaks one of these rules is
    /// skipped and reported as [`MessageId::SetUnorderedAccessViewsInvalid`]. Other unordered-access views, targets,
    /// shader resources, vertex buffers and the index buffer are unbound if they overlap with a new view
    /// ([`MessageId::SetUnorderedAccessViewsHazard`]).
    #[doc(alias = "CSSetUnorderedAccessViews")]
    pub fn cs_set_unordered_access_views(&mut self, start: u32, views: impl Slots<UnorderedAccessView>) {
        self.set_unordered_access_views(Call::CsSetUnorderedAccessViews, start, &views, &[]);
    }

    /// Works like [`cs_set_unordered_access_views`](Self::cs_set_unordered_access_views), and also sets the
    /// hidden counters of the views (D3D11: `CSSetUnorderedAccessViews`).
    ///
    /// There must be one initial count for each view, or no counts at all. Otherwise the call is skipped and
    /// reported as [`MessageId::SetUnorderedAccessViewsInvalid`]. A count of `u32::MAX`, D3D11's -1, leaves
    /// the counter unchanged, and the count of a view without a counter is ignored. Counts are set at this
    /// point of the command stream even if a view is already bound, and a command list sets them at each
    /// execution.
    ///
    /// If a shader uses a counter but the bound view has none, the shader counts from 0 in each dispatch and
    /// the result is lost, whereas Direct3D 11 leaves the behaviour undefined.
    #[doc(alias = "CSSetUnorderedAccessViews")]
    #[doc(alias = "pUAVInitialCounts")]
    pub fn cs_set_unordered_access_views_with_counts(
        &mut self,
        start: u32,
        views: impl Slots<UnorderedAccessView>,
        initial_counts: &[u32],
    ) {
        let call = Call::CsSetUnorderedAccessViewsWithCounts;
        if self.counts_fit(MessageId::SetUnorderedAccessViewsInvalid, call, &views, initial_counts) {
            self.set_unordered_access_views(call, start, &views, initial_counts);
        }
    }

    /// Checks and binds views, leaving the counters of views without an initial count unchanged.
    fn set_unordered_access_views(
        &mut self,
        call: Call,
        start: u32,
        views: &impl Slots<UnorderedAccessView>,
        initial_counts: &[u32],
    ) {
        let id = MessageId::SetUnorderedAccessViewsInvalid;
        let used = ObjectUse::of(call);
        if !self.slots_fit(id, used, SlotClass::UnorderedAccess, start, views.count()) {
            return;
        }
        for (i, view) in (0..views.count()).filter_map(|i| Some((i, views.get(i)?))) {
            if self.handle_state_for(view, used.in_slot(start as usize + i)).is_err() {
                return;
            }
        }
        let given = || (0..views.count()).filter_map(|i| views.get(i));
        if let Err(reason) = check_apart(given().map(|view| &*view.owner().shared), std::iter::empty()) {
            self.report(id, reason);
            return;
        }
        self.unbind_users_of(start, views);
        let handles = (0..views.count()).map(|i| views.get(i).map(|view| Handle::new(view.key())));
        self.bind_slots::<UnorderedAccessViews>(ShaderStage::Compute, start as usize, handles);
        self.set_structure_counts(views, initial_counts);
    }

    /// Returns whether there is one initial count for each view, or no counts at all, and reports a mismatch.
    pub(super) fn counts_fit(
        &self,
        id: MessageId,
        call: Call,
        views: &impl Slots<UnorderedAccessView>,
        initial_counts: &[u32],
    ) -> bool {
        let fits = initial_counts.is_empty() || initial_counts.len() == views.count();
        if !fits {
            let (used, views, counts) = (ObjectUse::of(call), views.count(), initial_counts.len());
            let text = format_args!(
                "{used} was given {views} views and {counts} initial counts; give one for each, `u32::MAX` to keep a \
                 counter"
            );
            self.report(id, text);
        }
        fits
    }

    /// Sets the counters of the views that have a counter, except where the count is `u32::MAX`.
    pub(super) fn set_structure_counts(
        &mut self,
        views: &impl Slots<UnorderedAccessView>,
        initial_counts: &[u32],
    ) {
        for (i, count) in initial_counts.iter().enumerate().filter(|(_, count)| **count != KEEP_COUNT) {
            if let Some(view) = views.get(i).filter(|view| has_counter(view)) {
                let (view, count) = (Handle::new(view.key()), *count);
                self.core.with(move |f, cx| f.set_structure_count(cx.entry(), view, count));
            }
        }
    }

    /// Returns the views of `count` `u` slots (D3D11: `CSGetUnorderedAccessViews`).
    #[doc(alias = "CSGetUnorderedAccessViews")]
    pub fn cs_get_unordered_access_views(&self, start: u32, count: u32) -> Vec<Option<UnorderedAccessView>> {
        self.get_unordered_access_views(ShaderStage::Compute, start, count)
    }

    /// Returns the views of `count` `u` slots of a stage.
    pub(super) fn get_unordered_access_views(
        &self,
        stage: ShaderStage,
        start: u32,
        count: u32,
    ) -> Vec<Option<UnorderedAccessView>> {
        self.get_slots::<UnorderedAccessViews, _>(stage, start, count, |view| Some(view?.key()))
    }
}

/// Checks that new unordered-access views overlap neither with each other nor with `others`, with advice in
/// the error.
pub(super) fn check_apart<'a>(
    views: impl Iterator<Item = &'a ObjectShared> + Clone,
    others: impl Iterator<Item = &'a ObjectShared> + Clone,
) -> Result<(), String> {
    for (i, view) in views.clone().enumerate() {
        if views.clone().take(i).chain(others.clone()).any(|other| view.sees_part_of(other)) {
            return Err(format!(
                "{} overlaps with another view of the call; give views of different parts",
                view.name()
            ));
        }
    }
    Ok(())
}

/// Returns whether a view has a hidden counter, because it was created with APPEND or COUNTER.
fn has_counter(view: &UnorderedAccessView) -> bool {
    view.desc().and_then(ViewDesc::buffer).is_some_and(|view| view.counter)
}
