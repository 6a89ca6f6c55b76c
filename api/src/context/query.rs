//! Queries in a context: beginning, ending and reading of results.

use onze_ddi::{GetDataError, Handle, Key, QueryData, QueryMiscFlags, QueryType};

use super::ImmediateContext;
use super::{
    ContextCore, DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::{HandleState, ObjectData, ObjectShared},
    objects::{Query, QueryResult, sealed::Sealed as _},
    report::{Error, MessageId},
};

impl DeviceContext {
    /// Begins a query, which measures the commands of this context, including executed lists, until
    /// [`end`](Self::end) (D3D11: `Begin`).
    ///
    /// If the query is already active, it starts again and loses its previous measurement
    /// ([`MessageId::BeginDuplicate`]). Several queries may be active at once. Event and timestamp queries
    /// have no beginning, so a call with such a query is skipped and reported as [`MessageId::BeginInvalid`].
    #[doc(alias = "Begin")]
    pub fn begin(&mut self, query: &Query) {
        if !query.query_type().has_beginning() {
            let text = format_args!(
                "{} has no beginning because it is of QueryType::{:?}; call `end` alone",
                query.owner().shared.name(),
                query.query_type()
            );
            self.report_about(MessageId::BeginInvalid, query.key(), text);
        } else if self.is_predicate(query) {
            self.report_predicate(MessageId::BeginInvalid, query);
        } else if self.handle_state_for(query, ObjectUse::of(Call::Begin)).is_ok() {
            let (key, handle) = (query.key(), Handle::new(query.key()));
            if self.core.rt.begun.contains(&key) {
                let text = format_args!("{} is begun already", query.owner().shared.name());
                self.report_about(MessageId::BeginDuplicate, query.key(), text);
                self.core.with(move |f, cx| f.query_end(cx.entry(), handle));
            } else {
                self.core.rt.begun.push(key);
            }
            self.core.with(move |f, cx| f.query_begin(cx.entry(), handle));
        }
    }

    /// Ends a query. An event is set when the GPU has finished all earlier commands, and a timestamp reads
    /// the GPU clock at that time (D3D11: `End`).
    ///
    /// If the query was not begun in this context, it begins and ends at once, so its result is empty
    /// ([`MessageId::EndWithoutBegin`]). The current predicate cannot be ended ([`MessageId::EndInvalid`]).
    /// On the immediate context, a timestamp must be inside an active [`QueryType::TimestampDisjoint`] query,
    /// because the length of a tick is unknown otherwise ([`MessageId::TimestampOutsideDisjoint`]).
    #[doc(alias = "End")]
    pub fn end(&mut self, query: &Query) {
        if self.handle_state_for(query, ObjectUse::of(Call::End)).is_err() {
            return;
        }
        if self.is_predicate(query) {
            self.report_predicate(MessageId::EndInvalid, query);
            return;
        }
        let (key, handle) = (query.key(), Handle::new(query.key()));
        match self.core.rt.begun.iter().position(|begun| *begun == key) {
            Some(at) => {
                self.core.rt.begun.swap_remove(at);
                self.query_ended(query.query_type());
            }
            None if query.query_type().has_beginning() => {
                let text = format_args!("{} was not begun in this context", query.owner().shared.name());
                self.report_about(MessageId::EndWithoutBegin, query.key(), text);
                self.core.with(move |f, cx| f.query_begin(cx.entry(), handle));
            }
            None => self.check_timestamp(query),
        }
        self.core.with(move |f, cx| f.query_end(cx.entry(), handle));
        if self.is_deferred() {
            self.core.list_ends_query(key);
        } else {
            query.owner().shared.set_query_issued();
        }
    }

    /// Reports a query that cannot begin or end because it is the current predicate.
    fn report_predicate(&self, id: MessageId, query: &Query) {
        let text = format_args!(
            "commands depend on {}; call `set_predication` with None first",
            query.owner().shared.name()
        );
        self.report_about(id, query.key(), text);
    }

    /// Reports a timestamp outside all disjoint queries. Only the immediate context is checked, because a
    /// command list may be executed inside such a query.
    fn check_timestamp(&self, query: &Query) {
        if query.query_type() != QueryType::Timestamp || self.is_deferred() {
            return;
        }
        let is_disjoint = |key: &Key| match self.core.shared(*key).map(|query| &query.data) {
            Some(ObjectData::Query(desc)) => desc.query == QueryType::TimestampDisjoint,
            _ => false,
        };
        if self.core.device.info().is_enabled() && !self.core.rt.begun.iter().any(is_disjoint) {
            let name = query.owner().shared.name();
            let text =
                format_args!("{name} was ended while no query of QueryType::TimestampDisjoint is begun");
            self.report_about(MessageId::TimestampOutsideDisjoint, query.key(), text);
        }
    }

    /// Ends the active queries, because a list ends all queries that it begins.
    pub(crate) fn end_open_queries(&mut self) {
        for key in std::mem::take(&mut self.core.rt.begun) {
            let name = self.core.shared(key).map(ObjectShared::name).unwrap_or_default();
            self.report_about(MessageId::FinishCommandListOpenQuery, key, format_args!("{name} was ended"));
            self.core.with(move |f, cx| f.query_end(cx.entry(), Handle::new(key)));
            self.core.list_ends_query(key);
        }
    }
}

impl ContextCore {
    /// Records that the current recording ends a query, so that the execution of its list issues the query.
    fn list_ends_query(&mut self, key: Key) {
        if let Some(state) = self.handles.runtime_mut::<HandleState>(key) {
            state.set_query_ended();
        }
    }
}

impl ImmediateContext {
    /// Returns a query's result without waiting, or `None` if the result is not available yet (D3D11:
    /// `GetData`).
    ///
    /// For a [`TypedQuery`](crate::TypedQuery), the result has the type of the query. For an untyped
    /// [`Query`](crate::Query), it is a [`QueryData`].
    ///
    /// Unless `do_not_flush` is true, the commands that the query waits for are submitted, so repeated calls
    /// eventually succeed.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if the query was not ended, if it is active in this context, or if it is a hint
    /// ([`QueryMiscFlags::PREDICATEHINT`](crate::QueryMiscFlags::PREDICATEHINT)); [`Error::InvalidArg`] for a
    /// query of another device; [`Error::DeviceRemoved`] if the device was removed.
    #[doc(alias = "GetData")]
    pub fn get_data<Q: QueryResult>(
        &mut self,
        query: &Q,
        do_not_flush: bool,
    ) -> Result<Option<Q::Data>, Error> {
        let Some(data) = self.get_any_data(query.query(), do_not_flush)? else { return Ok(None) };
        let converted = Q::convert(data).ok_or_else(|| {
            let asked = query.query().query_type();
            Error::Fail(format!("the driver answered a query of {asked:?} with {data:?}"))
        });
        converted.map(Some)
    }

    fn get_any_data(&mut self, query: &Query, do_not_flush: bool) -> Result<Option<QueryData>, Error> {
        self.core.device.check_removed()?;
        if self.handle_state_for(query, ObjectUse::of(Call::GetData)).is_err() {
            let name = query.owner().shared.name();
            return Err(Error::InvalidArg(format!("`get_data` was given {name}, made by another device")));
        }
        if query.desc().misc_flags.contains(QueryMiscFlags::PREDICATEHINT) {
            return self.refuse_data(query, "is a hint and has no answer; create it without PREDICATEHINT");
        }
        if !query.owner().shared.is_query_issued() {
            return self.refuse_data(query, "was never ended; call `end` before `get_data`");
        }
        if self.core.rt.begun.contains(&query.key()) {
            return self.refuse_data(query, "is begun and not ended; call `end` before `get_data`");
        }
        let handle = Handle::new(query.key());
        match self.core.with_immediate(|f, cx| f.query_get_data(cx.entry(), handle, do_not_flush)) {
            None | Some(Err(GetDataError::StillDrawing)) => Ok(None),
            Some(Ok(data)) => Ok(Some(data)),
            Some(Err(error)) => Err(self.core.device.driver_error(error)),
        }
    }

    fn refuse_data<T>(&self, query: &Query, why: &str) -> Result<T, Error> {
        let error = Error::InvalidCall(format!("{} {why}", query.owner().shared.name()));
        self.core.device.info().report_returned(MessageId::GetDataInvalid, &error);
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop")]

    use crate::prelude::*;

    #[test]
    fn a_dropped_query_leaves_the_begun_queries() {
        let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (device, mut immediate) = create_device(&desc).unwrap();
        let [dropped, kept] = [(); 2].map(|()| device.create_query(QueryType::OcclusionPredicate).unwrap());
        immediate.begin(&dropped);
        immediate.begin(&kept);
        drop(dropped);
        immediate.flush();
        assert_eq!(immediate.core.rt.begun.len(), 1);
        immediate.end(&kept);
        assert!(immediate.core.rt.begun.is_empty());
    }
}
