//! Unordered-access views of the compute stage, which dispatches write.

use std::ops::Range;

use onze_ddi::{Handle, KEEP_COUNT, SlotClass, UnorderedAccessViewHandle, ViewDesc};

use super::{
    DeviceContext,
    bound::UNORDERED_ACCESS_SLOTS,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{Slots, UnorderedAccessView, sealed::Sealed as _},
    report::MessageId,
};

impl DeviceContext {
    /// Binds views to consecutive `u` slots, which a compute shader reads and writes. Their counters stay as they
    /// are. D3D11: `CSSetUnorderedAccessViews`, with NULL for the initial counts.
    ///
    /// Slots are within `0..8`; beyond, or when two views of the call see a common part of a resource,
    /// nothing changes and [`MessageId::SetUnorderedAccessViewsInvalid`] is reported. What a view sees is
    /// bound nowhere else afterwards: other unordered-access views, targets and shader resources that see it
    /// are unbound ([`MessageId::SetUnorderedAccessViewsHazard`]).
    #[doc(alias = "CSSetUnorderedAccessViews")]
    pub fn cs_set_unordered_access_views(&mut self, start: u32, views: impl Slots<UnorderedAccessView>) {
        self.set_unordered_access_views(Call::CsSetUnorderedAccessViews, start, &views, &[]);
    }

    /// The same, and sets the hidden counters of the views. D3D11: `CSSetUnorderedAccessViews`.
    ///
    /// There is an initial count for each view; with more or fewer of them nothing changes and
    /// [`MessageId::SetUnorderedAccessViewsInvalid`] is reported. `u32::MAX`, D3D11's -1, leaves a counter as it is,
    /// and the count of a view without a counter means nothing. A count is set at this point of the commands, also if
    /// the view is bound already; in a command list each time that the list is executed.
    ///
    /// A shader that counts where no view with a counter is bound, which Direct3D 11 leaves undefined, counts from 0 in
    /// each dispatch, and nothing of it stays.
    #[doc(alias = "CSSetUnorderedAccessViews")]
    #[doc(alias = "pUAVInitialCounts")]
    pub fn cs_set_unordered_access_views_with_counts(
        &mut self,
        start: u32,
        views: impl Slots<UnorderedAccessView>,
        initial_counts: &[u32],
    ) {
        let call = Call::CsSetUnorderedAccessViewsWithCounts;
        if initial_counts.len() == views.count() {
            self.set_unordered_access_views(call, start, &views, initial_counts);
        } else {
            let (used, views, counts) = (ObjectUse::of(call), views.count(), initial_counts.len());
            let text = format_args!(
                "{used} was given {views} views and {counts} initial counts; give one for each, `u32::MAX` to keep a \
                 counter"
            );
            self.report(MessageId::SetUnorderedAccessViewsInvalid, text);
        }
    }

    /// Checks views and binds them; the first of them have initial counts, the others keep their counters.
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
        self.unbind_users_of(start, views);
        let bound = (0..views.count()).map(|i| {
            let view = views.get(i);
            let count = initial_counts.get(i).copied().filter(|_| view.is_some_and(has_counter));
            (view.map(|view| Handle::new(view.key())), count.unwrap_or(KEEP_COUNT))
        });
        self.bind_unordered_access_views(start as usize, bound);
    }

    /// Stores views into consecutive slots and tells the driver what has changed, and which counts are set: only views
    /// with a counter come with one.
    pub(crate) fn bind_unordered_access_views(
        &mut self,
        start: usize,
        views: impl Iterator<Item = (Option<UnorderedAccessViewHandle>, u32)>,
    ) {
        let slots = &mut self.core.rt.bound.cs_unordered_access_views;
        let mut counts = [KEEP_COUNT; UNORDERED_ACCESS_SLOTS];
        let mut told: Option<Range<usize>> = None;
        for ((slot, (view, count)), place) in (start..).zip(views).zip(counts.iter_mut().skip(start)) {
            *place = count;
            // A count is set whether or not the slot has the view already.
            if slots.set(slot, view) || count != KEEP_COUNT {
                told = Some(told.map_or(slot, |told| told.start)..slot + 1);
            }
        }
        let Some(told) = told else { return };
        let copy = slots.copy(told.clone());
        self.core.rt.dispatch.changed();
        self.core.with(move |f, cx| {
            let (views, counts) = (&copy[..told.len()], &counts[told.clone()]);
            f.cs_set_unordered_access_views(cx.entry(), told.start as u32, views, counts);
        });
    }

    /// Unbinds what is in a slot.
    pub(crate) fn unbind_unordered_access_view(&mut self, slot: usize) {
        self.bind_unordered_access_views(slot, std::iter::once((None, KEEP_COUNT)));
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

/// Whether a view has a hidden counter.
fn has_counter(view: &UnorderedAccessView) -> bool {
    view.desc().and_then(ViewDesc::buffer).is_some_and(|view| view.counter)
}

/// Whether two views see a common part of one resource.
fn overlaps(a: &UnorderedAccessView, b: &UnorderedAccessView) -> bool {
    match (a.owner().shared.view(), b.owner().shared.view()) {
        (Some((a, from)), Some((b, of))) => from.key == of.key && a.overlaps(b),
        _ => false,
    }
}
