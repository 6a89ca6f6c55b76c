//! Queries. D3D11: `ID3D11Query`.

use onze_ddi::{ObjectDesc, QueryType};

use super::{Device, object, sealed::Sealed as _};
use crate::{
    device_core::ObjectData,
    report::{Error, MessageId},
};

object! {
    /// A question about submitted work. D3D11: `ID3D11Query`.
    #[doc(alias = "ID3D11Query")]
    Query
}

impl Query {
    /// What is asked. D3D11: `ID3D11Query::GetDesc`.
    #[doc(alias = "GetDesc")]
    pub fn query_type(&self) -> QueryType {
        match self.owner.shared.data {
            ObjectData::Query(query_type) => query_type,
            _ => QueryType::Event,
        }
    }
}

impl Device {
    /// Makes a query. D3D11: `ID3D11Device::CreateQuery` and `CreatePredicate`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceRemoved`].
    #[doc(alias = "CreateQuery")]
    #[doc(alias = "CreatePredicate")]
    pub fn create_query(&self, query_type: QueryType) -> Result<Query, Error> {
        let core = &self.core;
        let result = self.here().create_object(
            &ObjectDesc::Query(query_type),
            ObjectData::Query(query_type),
            self.new_name(),
            None,
        );
        Ok(Query::from_shared(&core.reject(MessageId::CreateQueryInvalid, result)?.shared))
    }
}
