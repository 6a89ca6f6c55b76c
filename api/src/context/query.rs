//! Queries in a context.

use onze_ddi::{GetDataError, Handle, QueryData, QueryType};

use super::DeviceContext;
use crate::{Error, ImmediateContext, Query, message::MessageId, object::sealed::Sealed as _};

impl DeviceContext {
    /// Starts a query. D3D11: `Begin`.
    ///
    /// Event queries have no start: the call is ignored and [`MessageId::BeginInvalid`] is reported.
    pub fn begin(&mut self, query: &Query) {
        if query.query_type() == QueryType::Event {
            self.report(MessageId::BeginInvalid, "an event query has only an end");
        } else if self.hot(query).is_some() {
            let handle = Handle::new(query.key());
            self.core.with(|f, cx| f.query_begin(cx, handle));
        }
    }

    /// Ends a query: an event happens when the GPU has done all that came before. D3D11: `End`.
    pub fn end(&mut self, query: &Query) {
        if self.hot(query).is_some() {
            let handle = Handle::new(query.key());
            self.core.with(|f, cx| f.query_end(cx, handle));
            if !self.is_deferred() {
                query.owner().shared.set_query_issued();
            } else if let Some(hot) = self.core.handles.runtime_mut::<crate::object::Hot>(query.key()) {
                // The list issues it when it is executed.
                hot.discarded = 1;
            }
        }
    }
}

impl ImmediateContext {
    /// Asks for a query's answer; `None` while it is not known. Never waits. D3D11: `GetData`.
    ///
    /// Unless `do_not_flush`, what the query waits for is submitted, so that asking again and again will
    /// succeed.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] before the query was ended; [`Error::DeviceRemoved`];
    /// [`Error::InvalidArg`] for a query of another device.
    pub fn get_data(&mut self, query: &Query, do_not_flush: bool) -> Result<Option<QueryData>, Error> {
        self.core.device.check_removed()?;
        if self.hot(query).is_none() {
            return Err(Error::InvalidArg(format!("\"{}\" is not of this device", query.label())));
        }
        if !query.owner().shared.is_query_issued() {
            let error = Error::InvalidCall("the query was never ended".to_owned());
            self.report(MessageId::GetDataInvalid, &error);
            return Err(error);
        }
        let handle = Handle::new(query.key());
        match self.core.with_immediate(|f, cx| f.query_get_data(cx, handle, do_not_flush)) {
            None | Some(Err(GetDataError::StillDrawing)) => Ok(None),
            Some(Ok(data)) => Ok(Some(data)),
            Some(Err(error)) => Err(self.core.device.driver_error(error)),
        }
    }
}
