//! Predication, which skips commands depending on the result of a query.

use onze_ddi::{Features, Handle, PredicationBinding};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::HandleState,
    objects::{Nullable, Query, sealed::Sealed as _},
    report::MessageId,
};

impl DeviceContext {
    /// Skips the following commands if the result of a query is `value`, until another predicate or `None` is
    /// set (D3D11: `SetPredication`).
    ///
    /// | skipped | not skipped |
    /// | --- | --- |
    /// | draws, dispatches | state, maps, initial counts of views |
    /// | clears of all views | queries, annotations |
    /// | copies, `copy_structure_count`, `update_subresource` | flushes, presents |
    /// | `generate_mips` | executions of command lists (each starts without a predicate) |
    ///
    /// The result belongs to the query's last `end` before this call. If the call is in a command list, the
    /// result is evaluated at each execution. If the query was never ended, the result is false. If the
    /// result is not known yet, the earlier commands are flushed, and the call or the execution of the list
    /// waits for the result ([`Statistics::predicate_waits`](crate::Statistics)). If the query is a hint
    /// ([`QueryMiscFlags::PREDICATEHINT`](crate::QueryMiscFlags::PREDICATEHINT)), an unknown result causes
    /// neither a flush nor a wait, and the commands are executed.
    ///
    /// The call is skipped and reported as [`MessageId::SetPredicationInvalid`] if the query is not a
    /// predicate, if it is active in this context, or if the device lacks [`Features::PREDICATION`]. While a
    /// query is set as the predicate, it can neither begin nor end in this context
    /// ([`MessageId::BeginInvalid`], [`MessageId::EndInvalid`]).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let visible = device.create_predicate(QueryType::OcclusionPredicate)?;
    /// context.begin(&visible);
    /// // Draws the bounding box of an object, without writing colour or depth.
    /// context.end(&visible);
    /// context.set_predication(&visible, false);
    /// // Draws the object, but not if the whole box was hidden.
    /// context.set_predication(None, false);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "SetPredication")]
    pub fn set_predication<'a>(&mut self, predicate: impl Nullable<'a, Query>, value: bool) {
        let predicate = predicate.object();
        if !self.is_known_for(predicate, ObjectUse::of(Call::SetPredication)) {
            return;
        }
        if let Some(why) = predicate.and_then(|predicate| self.why_no_predicate(predicate)) {
            self.report_about(MessageId::SetPredicationInvalid, predicate.map(|query| query.key()), why);
            return;
        }
        let predicate = predicate.map(|predicate| Handle::new(predicate.key()));
        if let Some(handle) = predicate
            && let Some(state) = self.core.handles.runtime_mut::<HandleState>(handle.key())
        {
            state.set_predicate();
        }
        self.bind_predication(PredicationBinding { predicate, value });
    }

    fn why_no_predicate(&self, query: &Query) -> Option<String> {
        let (kind, name) = (query.query_type(), query.owner().shared.name());
        if !kind.is_predicate() {
            return Some(format!(
                "commands cannot depend on {name}, which is of QueryType::{kind:?}; use QueryType::OcclusionPredicate"
            ));
        }
        if self.core.rt.begun.contains(&query.key()) {
            return Some(format!("{name} is begun in this context; end it first"));
        }
        let has = self.core.device.caps.features.contains(Features::PREDICATION);
        (!has).then(|| format!("{name} needs `Features::PREDICATION`, which this device lacks"))
    }

    pub(crate) fn bind_predication(&mut self, predication: PredicationBinding) {
        if self.core.rt.bound.predication != predication {
            self.core.rt.bound.predication = predication;
            self.core.with(move |f, cx| f.set_predication(cx.entry(), predication));
        }
    }

    /// Returns whether a query is the predicate that is set in this context.
    pub(crate) fn is_predicate(&self, query: &Query) -> bool {
        self.core.rt.bound.predication.predicate.is_some_and(|handle| handle.key() == query.key())
    }

    /// Returns the predicate, and the query result for which commands are skipped (D3D11: `GetPredication`).
    #[doc(alias = "GetPredication")]
    pub fn get_predication(&self) -> (Option<Query>, bool) {
        let PredicationBinding { predicate, value } = self.core.rt.bound.predication;
        (self.core.object(predicate.map(|handle| handle.key())), value)
    }
}
