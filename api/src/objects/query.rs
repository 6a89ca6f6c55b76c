//! Queries, which measure or signal the execution of commands on the GPU (D3D11: `ID3D11Query`).

use onze_ddi::{ObjectDesc, QueryDesc, QueryType};

use super::{Device, object, sealed::Sealed as _};
use crate::{
    device_core::ObjectData,
    report::{Error, MessageId},
    validate,
};

object! {
    /// Measures or signals the execution of submitted commands (D3D11: `ID3D11Query`).
    #[doc(alias = "ID3D11Query")]
    Query
}

impl Query {
    /// Returns the descriptor that the query was created with (D3D11: `ID3D11Query::GetDesc`,
    /// `ID3D11Query1::GetDesc1`).
    #[doc(alias = "GetDesc")]
    #[doc(alias = "GetDesc1")]
    pub fn desc(&self) -> QueryDesc {
        match self.owner.shared.data {
            ObjectData::Query(desc) => desc,
            _ => QueryDesc::new(QueryType::Event),
        }
    }

    /// Returns the type of the query: the field `query` of [`desc`](Self::desc).
    pub fn query_type(&self) -> QueryType {
        self.desc().query
    }

    /// Returns the size in bytes that the result has in Direct3D 11, for code that stores results as bytes
    /// (D3D11: `ID3D11Asynchronous::GetDataSize`). Here the result is a [`QueryData`](crate::QueryData)
    /// instead.
    #[doc(alias = "GetDataSize")]
    pub fn get_data_size(&self) -> u32 {
        self.query_type().data_size()
    }
}

impl Device {
    /// Creates a query with the type and the flags of a descriptor (D3D11: `ID3D11Device::CreateQuery`,
    /// `ID3D11Device3::CreateQuery1`).
    ///
    /// If no flags are needed, a [`QueryType`] can be passed instead of a descriptor.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for unknown flags, or for the hint flag on a query that is not an occlusion
    /// predicate; [`Error::Unsupported`] if the device lacks the feature that the type needs
    /// ([`QueryType::needs`]); [`Error::OutOfMemory`] if there is not enough memory; [`Error::DeviceRemoved`]
    /// if the device was removed.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let samples = device.create_query(QueryType::Occlusion)?;
    /// context.begin(&samples);
    /// // Draws.
    /// context.end(&samples);
    /// context.flush();
    /// # let mut answered = false;
    /// // In this frame or a later one:
    /// if let Some(QueryData::Occlusion(count)) = context.get_data(&samples, false)? {
    ///     println!("{count} samples are visible");
    /// #   answered = true;
    /// }
    /// # assert!(answered);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CreateQuery")]
    #[doc(alias = "CreateQuery1")]
    pub fn create_query(&self, desc: impl Into<QueryDesc>) -> Result<Query, Error> {
        let desc = desc.into();
        self.create_checked_query(desc, validate::query(&desc, &self.core.caps))
    }

    /// Creates a query that can be used as a predicate (D3D11: `ID3D11Device::CreatePredicate`).
    ///
    /// The call works like [`create_query`](Self::create_query), but accepts only predicate types.
    ///
    /// # Errors
    /// Returns the same errors as [`create_query`](Self::create_query), and [`Error::InvalidArg`] for a type
    /// that is not a predicate ([`QueryType::is_predicate`]).
    #[doc(alias = "CreatePredicate")]
    #[doc(alias = "ID3D11Predicate")]
    pub fn create_predicate(&self, desc: impl Into<QueryDesc>) -> Result<Query, Error> {
        let desc = desc.into();
        self.create_checked_query(desc, validate::predicate(&desc, &self.core.caps))
    }

    fn create_checked_query(&self, desc: QueryDesc, verdict: Result<(), Error>) -> Result<Query, Error> {
        let result = verdict.and_then(|()| {
            self.here().create_object(
                &ObjectDesc::Query(desc),
                ObjectData::Query(desc),
                self.new_name(),
                None,
            )
        });
        let result = result.map_err(|error| self.named(error));
        Ok(Query::from_shared(&self.core.reject(MessageId::CreateQueryInvalid, result)?.shared))
    }
}
