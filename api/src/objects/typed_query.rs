//! Queries with a static result type, so that the result of `get_data` needs no conversion.

use std::{fmt, marker::PhantomData, ops::Deref};

use onze_ddi::{PipelineStatistics, QueryData, QueryType, STREAM_COUNT, SoStatistics, TimestampDisjoint};

use super::{Device, Nullable, Query};
use crate::report::Error;

/// A query whose result has the type `T` (D3D11: `ID3D11Query`).
/// [`get_data`](crate::ImmediateContext::get_data) returns a value of this type. The query dereferences to a
/// [`Query`], so `begin`, `end` and `set_predication` accept it.
///
/// | call | result |
/// | --- | --- |
/// | [`Device::create_event_query`] | `bool`: true; there is no result before the event |
/// | [`Device::create_occlusion_query`] | `u64`: samples that passed the depth and stencil tests |
/// | [`Device::create_occlusion_predicate`] | `bool`: whether any sample passed |
/// | [`Device::create_timestamp_query`] | `u64`: the GPU clock in ticks |
/// | [`Device::create_timestamp_disjoint_query`] | [`TimestampDisjoint`] |
/// | [`Device::create_pipeline_statistics_query`] | [`PipelineStatistics`] |
/// | [`Device::create_so_statistics_query`] | [`SoStatistics`] |
/// | [`Device::create_so_overflow_predicate`] | `bool`: whether a buffer had no room for a primitive |
#[doc(alias = "ID3D11Query")]
pub struct TypedQuery<T> {
    query: Query,
    data: PhantomData<fn() -> T>,
}

/// A [`Query`] or a [`TypedQuery`], with its result type.
pub trait QueryResult: sealed::SealedQuery {
    /// The type of the result, which is [`QueryData`] for an untyped query.
    type Data;

    /// Returns the untyped query.
    fn query(&self) -> &Query;

    #[doc(hidden)]
    fn convert(data: QueryData) -> Option<Self::Data>;
}

mod sealed {
    pub trait SealedQuery {}
    impl SealedQuery for super::Query {}
    impl<T> SealedQuery for super::TypedQuery<T> {}
}

impl QueryResult for Query {
    type Data = QueryData;

    fn query(&self) -> &Query {
        self
    }

    fn convert(data: QueryData) -> Option<QueryData> {
        Some(data)
    }
}

/// Implements [`QueryResult`] for each result type, with the variants of [`QueryData`] that contain it.
macro_rules! results {
    ($($type:ty: $($variant:ident)|+;)*) => {$(
        impl QueryResult for TypedQuery<$type> {
            type Data = $type;

            fn query(&self) -> &Query {
                &self.query
            }

            fn convert(data: QueryData) -> Option<$type> {
                match data {
                    $(QueryData::$variant(data))|+ => Some(data),
                    _ => None,
                }
            }
        }
    )*};
}
results! {
    bool: Event | OcclusionPredicate | SoOverflowPredicate;
    u64: Occlusion | Timestamp;
    TimestampDisjoint: TimestampDisjoint;
    PipelineStatistics: PipelineStatistics;
    SoStatistics: SoStatistics;
}

impl<T> Deref for TypedQuery<T> {
    type Target = Query;

    fn deref(&self) -> &Query {
        &self.query
    }
}

impl<'a, T> Nullable<'a, Query> for &'a TypedQuery<T> {
    fn object(self) -> Option<&'a Query> {
        Some(&self.query)
    }
}

impl<T> Clone for TypedQuery<T> {
    fn clone(&self) -> Self {
        Self { query: self.query.clone(), data: PhantomData }
    }
}

impl<T> PartialEq for TypedQuery<T> {
    fn eq(&self, other: &Self) -> bool {
        self.query == other.query
    }
}

impl<T> Eq for TypedQuery<T> {}

impl<T> fmt::Debug for TypedQuery<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedQuery").field(&self.query).finish()
    }
}

impl Device {
    fn typed_query<T>(&self, query: QueryType) -> Result<TypedQuery<T>, Error> {
        Ok(TypedQuery { query: self.create_query(query)?, data: PhantomData })
    }

    /// Creates a query whose result is available when the GPU has finished all commands before the query's
    /// `end` (D3D11: `ID3D11Device::CreateQuery` with `D3D11_QUERY_EVENT`).
    ///
    /// # Errors
    /// Returns the same errors as [`create_query`](Self::create_query).
    #[doc(alias = "D3D11_QUERY_EVENT")]
    #[doc(alias = "CreateQuery")]
    pub fn create_event_query(&self) -> Result<TypedQuery<bool>, Error> {
        self.typed_query(QueryType::Event)
    }

    /// Creates a query that counts the samples that pass the depth and stencil tests (D3D11:
    /// `ID3D11Device::CreateQuery` with `D3D11_QUERY_OCCLUSION`).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let samples = device.create_occlusion_query()?;
    /// context.begin(&samples);
    /// // Draws.
    /// context.end(&samples);
    /// // In this frame or a later one:
    /// let count: Option<u64> = context.get_data(&samples, false)?;
    /// if let Some(count) = count {
    ///     println!("{count} samples are visible");
    /// }
    /// # assert!(count.is_none_or(|count| count == 0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_query`](Self::create_query).
    #[doc(alias = "D3D11_QUERY_OCCLUSION")]
    #[doc(alias = "CreateQuery")]
    pub fn create_occlusion_query(&self) -> Result<TypedQuery<u64>, Error> {
        self.typed_query(QueryType::Occlusion)
    }

    /// Creates a query for whether any sample passes the depth and stencil tests. It can be used as a
    /// predicate for [`set_predication`](crate::DeviceContext::set_predication). Equivalent to
    /// `ID3D11Device::CreatePredicate` with `D3D11_QUERY_OCCLUSION_PREDICATE`.
    ///
    /// # Errors
    /// Returns the same errors as [`create_predicate`](Self::create_predicate).
    #[doc(alias = "D3D11_QUERY_OCCLUSION_PREDICATE")]
    #[doc(alias = "CreatePredicate")]
    pub fn create_occlusion_predicate(&self) -> Result<TypedQuery<bool>, Error> {
        self.typed_query(QueryType::OcclusionPredicate)
    }

    /// Creates a query that reads the GPU clock at the query's `end`, in ticks (D3D11:
    /// `ID3D11Device::CreateQuery` with `D3D11_QUERY_TIMESTAMP`). [`GpuTimer`](crate::GpuTimer) measures
    /// passes with such queries.
    ///
    /// # Errors
    /// Returns the same errors as [`create_query`](Self::create_query).
    #[doc(alias = "D3D11_QUERY_TIMESTAMP")]
    #[doc(alias = "CreateQuery")]
    pub fn create_timestamp_query(&self) -> Result<TypedQuery<u64>, Error> {
        self.typed_query(QueryType::Timestamp)
    }

    /// Creates a query for the frequency of the GPU clock in ticks per second, and for whether the frequency
    /// was stable (D3D11: `ID3D11Device::CreateQuery` with `D3D11_QUERY_TIMESTAMP_DISJOINT`).
    ///
    /// # Errors
    /// Returns the same errors as [`create_query`](Self::create_query).
    #[doc(alias = "D3D11_QUERY_TIMESTAMP_DISJOINT")]
    #[doc(alias = "CreateQuery")]
    pub fn create_timestamp_disjoint_query(&self) -> Result<TypedQuery<TimestampDisjoint>, Error> {
        self.typed_query(QueryType::TimestampDisjoint)
    }

    /// Creates a query that counts the work of the pipeline stages (D3D11: `ID3D11Device::CreateQuery` with
    /// `D3D11_QUERY_PIPELINE_STATISTICS`).
    ///
    /// # Errors
    /// Returns the same errors as [`create_query`](Self::create_query).
    #[doc(alias = "D3D11_QUERY_PIPELINE_STATISTICS")]
    #[doc(alias = "CreateQuery")]
    pub fn create_pipeline_statistics_query(&self) -> Result<TypedQuery<PipelineStatistics>, Error> {
        self.typed_query(QueryType::PipelineStatistics)
    }

    /// Creates a query that counts the primitives that a stream writes to buffers: stream 0 if `stream` is `None` (D3D11:
    /// `ID3D11Device::CreateQuery` with `D3D11_QUERY_SO_STATISTICS`, or `D3D11_QUERY_SO_STATISTICS_STREAM0` to
    /// `STREAM3`).
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a stream above 3, and the same errors as [`create_query`](Self::create_query), in
    /// particular on a device without [`Features::STREAM_OUTPUT`](crate::Features::STREAM_OUTPUT).
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS")]
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM0")]
    #[doc(alias = "CreateQuery")]
    pub fn create_so_statistics_query(&self, stream: Option<u32>) -> Result<TypedQuery<SoStatistics>, Error> {
        self.typed_query(match stream {
            None => QueryType::SoStatistics,
            Some(0) => QueryType::SoStatisticsStream0,
            Some(1) => QueryType::SoStatisticsStream1,
            Some(2) => QueryType::SoStatisticsStream2,
            Some(3) => QueryType::SoStatisticsStream3,
            Some(stream) => return Err(no_such_stream(stream)),
        })
    }

    /// Creates a query for whether a buffer of stream output had no room for a primitive, in one stream or in any of
    /// them. It can be used as a predicate for [`set_predication`](crate::DeviceContext::set_predication). Equivalent
    /// to `ID3D11Device::CreatePredicate` with `D3D11_QUERY_SO_OVERFLOW_PREDICATE`, or
    /// `D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM0` to `STREAM3`.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a stream above 3, and the same errors as
    /// [`create_predicate`](Self::create_predicate), in particular on a device without
    /// [`Features::STREAM_OUTPUT`](crate::Features::STREAM_OUTPUT).
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE")]
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM0")]
    #[doc(alias = "CreatePredicate")]
    pub fn create_so_overflow_predicate(&self, stream: Option<u32>) -> Result<TypedQuery<bool>, Error> {
        self.typed_query(match stream {
            None => QueryType::SoOverflowPredicate,
            Some(0) => QueryType::SoOverflowPredicateStream0,
            Some(1) => QueryType::SoOverflowPredicateStream1,
            Some(2) => QueryType::SoOverflowPredicateStream2,
            Some(3) => QueryType::SoOverflowPredicateStream3,
            Some(stream) => return Err(no_such_stream(stream)),
        })
    }
}

fn no_such_stream(stream: u32) -> Error {
    let most = STREAM_COUNT - 1;
    Error::InvalidArg(format!(
        "a query of stream output measures stream 0 to {most}, or all of them with None, found {stream}"
    ))
}
