//! The results of predicates, for which the context waits unless they are already known.

use std::sync::Arc;

use onze_ddi::{Entry, Fence};

use super::{ImmediateScope, submission::submit_without_preamble};
use crate::{
    objects::query::{Measure, Query, QueryEvent},
    services::platform::CAN_WAIT,
};

/// Whether the GPU has reached `fence` and, for a query that measures something, whether all query segments
/// up to that fence have also arrived.
pub(crate) fn is_known(entry: &mut Entry<'_>, query: &Query, fence: Fence) -> bool {
    let Some(scope) = ImmediateScope::enter(entry) else { return false };
    let gpu = scope.writer.r.gpu.clone();
    let is_measured = query.measure != Measure::Nothing;
    let segments_wait = is_measured && scope.writer.r.end.waits_for_segments(fence);
    gpu.kernel.signalled() >= fence && !segments_wait
}

/// Returns whether anything was visible to a predicate. Waits for an unknown result, but returns `None` if
/// the predicate is only a hint. The open page must be new, and it has no preamble when this function
/// returns.
pub(super) fn answer(entry: &mut Entry<'_>, query: &Arc<Query>) -> Option<bool> {
    if query.event() == QueryEvent::Recorded && !query.is_hint() {
        submit_without_preamble(entry, None);
    }
    let fence = match query.event() {
        // The query was never issued, so nothing was visible to it.
        QueryEvent::New => return Some(false),
        QueryEvent::Recorded => return None,
        QueryEvent::Submitted(fence) => fence,
    };
    if is_known(entry, query, fence) {
        return Some(query.is_true());
    }
    if query.is_hint() || !CAN_WAIT {
        return None;
    }
    let scope = ImmediateScope::enter(entry)?;
    let (gpu, device) = (scope.writer.r.gpu.clone(), scope.writer.r.end.device.clone());
    device.counters.predicate_waited();
    if let Err(error) = gpu.device.poll(wgpu::PollType::wait_indefinitely()) {
        gpu.lose(error.to_string());
    }
    if !is_known(entry, query, fence) && !gpu.is_lost() {
        gpu.report_bug("the result of a predicate did not arrive with its submission");
    }
    Some(query.is_true())
}
