//! Queries. D3D11: `ID3D11Query`.

use onze_ddi::{ObjectDesc, QueryDesc, QueryType};

use super::{Device, object, sealed::Sealed as _};
use crate::{
    device_core::ObjectData,
    report::{Error, MessageId},
    validate,
};

object! {
    /// A question about submitted work. D3D11: `ID3D11Query`.
    #[doc(alias = "ID3D11Query")]
    Query
}

impl Query {
    /// What is asked, and how. D3D11: `ID3D11Query::GetDesc`, `ID3D11Query1::GetDesc1`.
    #[doc(alias = "GetDesc")]
    #[doc(alias = "GetDesc1")]
    pub fn desc(&self) -> QueryDesc {
        match self.owner.shared.data {
            ObjectData::Query(desc) => desc,
            _ => QueryDesc::new(QueryType::Event),
        }
    }

    /// What is asked: the `query` of [`desc`](Self::desc).
    pub fn query_type(&self) -> QueryType {
        self.desc().query
    }

    /// Bytes of the answer in Direct3D 11, for code that stores answers as bytes; here the answer is a
    /// [`QueryData`](crate::QueryData). D3D11: `ID3D11Asynchronous::GetDataSize`.
    #[doc(alias = "GetDataSize")]
    pub fn get_data_size(&self) -> u32 {
        self.query_type().data_size()
    }
}

impl Device {
    /// Makes a query. D3D11: `ID3D11Device::CreateQuery`, `ID3D11Device3::CreateQuery1`.
    ///
    /// A [`QueryType`] will do as the descriptor.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a hint that is no occlusion predicate; [`Error::Unsupported`] for a kind whose
    /// feature is missing ([`QueryType::needs`]); [`Error::OutOfMemory`], [`Error::DeviceRemoved`].
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
    /// // In this frame, or in one of the next.
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

    /// Makes a query on whose answer commands can depend. D3D11: `ID3D11Device::CreatePredicate`.
    ///
    /// As [`create_query`](Self::create_query), for predicates only.
    ///
    /// # Errors
    /// Also [`Error::InvalidArg`] for a kind that is no predicate ([`QueryType::is_predicate`]).
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
