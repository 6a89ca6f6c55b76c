//! Queries for counts, timestamps and events of GPU work: their types, descriptors and results.
//!
//! ```
//! use onze_ddi::{QueryDesc, QueryType};
//!
//! // An event query has only an end, but an occlusion query covers the draws between `begin` and `end`.
//! assert!(!QueryType::Event.has_beginning());
//! assert!(QueryType::OcclusionPredicate.has_beginning());
//! // A query type converts to a descriptor without flags.
//! assert_eq!(QueryDesc::from(QueryType::Timestamp).query, QueryType::Timestamp);
//! ```

use std::ops::Range;

use bitflags::bitflags;

use crate::{caps::Features, stream_output::STREAM_COUNT};

/// The type of a query (D3D11: `D3D11_QUERY`, with its values).
///
/// Stream-output queries need [`Features::STREAM_OUTPUT`].
#[doc(alias = "D3D11_QUERY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum QueryType {
    /// Whether the GPU has completed all commands before `end` (`D3D11_QUERY_EVENT`).
    #[doc(alias = "D3D11_QUERY_EVENT")]
    Event = 0,
    /// Number of samples that passed the depth and stencil tests between `begin` and `end`
    /// (`D3D11_QUERY_OCCLUSION`), which needs [`Features::OCCLUSION_COUNTS`].
    #[doc(alias = "D3D11_QUERY_OCCLUSION")]
    Occlusion = 1,
    /// The GPU's clock at `end`, in ticks (`D3D11_QUERY_TIMESTAMP`), which needs [`Features::TIMESTAMPS`].
    #[doc(alias = "D3D11_QUERY_TIMESTAMP")]
    Timestamp = 2,
    /// Number of ticks per second, and whether the clock's frequency changed between `begin` and `end`
    /// (`D3D11_QUERY_TIMESTAMP_DISJOINT`), which needs [`Features::TIMESTAMPS`].
    #[doc(alias = "D3D11_QUERY_TIMESTAMP_DISJOINT")]
    TimestampDisjoint = 3,
    /// Counts of pipeline work between `begin` and `end` (`D3D11_QUERY_PIPELINE_STATISTICS`), which needs
    /// [`Features::PIPELINE_STATISTICS`].
    #[doc(alias = "D3D11_QUERY_PIPELINE_STATISTICS")]
    PipelineStatistics = 4,
    /// Whether any sample passed the depth and stencil tests between `begin` and `end`
    /// (`D3D11_QUERY_OCCLUSION_PREDICATE`).
    #[doc(alias = "D3D11_QUERY_OCCLUSION_PREDICATE")]
    OcclusionPredicate = 5,
    /// Number of primitives written to the buffers of stream 0 between `begin` and `end` (`D3D11_QUERY_SO_STATISTICS`).
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS")]
    SoStatistics = 6,
    /// Whether any stream overflowed between `begin` and `end` (`D3D11_QUERY_SO_OVERFLOW_PREDICATE`).
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE")]
    SoOverflowPredicate = 7,
    /// Number of primitives written to the buffers of stream 0 between `begin` and `end`
    /// (`D3D11_QUERY_SO_STATISTICS_STREAM0`).
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM0")]
    SoStatisticsStream0 = 8,
    /// Whether stream 0 overflowed between `begin` and `end` (`D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM0`).
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM0")]
    SoOverflowPredicateStream0 = 9,
    /// Number of primitives written to the buffers of stream 1 between `begin` and `end`
    /// (`D3D11_QUERY_SO_STATISTICS_STREAM1`).
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM1")]
    SoStatisticsStream1 = 10,
    /// Whether stream 1 overflowed between `begin` and `end` (`D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM1`).
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM1")]
    SoOverflowPredicateStream1 = 11,
    /// Number of primitives written to the buffers of stream 2 between `begin` and `end`
    /// (`D3D11_QUERY_SO_STATISTICS_STREAM2`).
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM2")]
    SoStatisticsStream2 = 12,
    /// Whether stream 2 overflowed between `begin` and `end` (`D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM2`).
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM2")]
    SoOverflowPredicateStream2 = 13,
    /// Number of primitives written to the buffers of stream 3 between `begin` and `end`
    /// (`D3D11_QUERY_SO_STATISTICS_STREAM3`).
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM3")]
    SoStatisticsStream3 = 14,
    /// Whether stream 3 overflowed between `begin` and `end` (`D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM3`).
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM3")]
    SoOverflowPredicateStream3 = 15,
}

impl QueryType {
    /// All query types.
    pub const ALL: [Self; 16] = [
        Self::Event,
        Self::Occlusion,
        Self::Timestamp,
        Self::TimestampDisjoint,
        Self::PipelineStatistics,
        Self::OcclusionPredicate,
        Self::SoStatistics,
        Self::SoOverflowPredicate,
        Self::SoStatisticsStream0,
        Self::SoOverflowPredicateStream0,
        Self::SoStatisticsStream1,
        Self::SoOverflowPredicateStream1,
        Self::SoStatisticsStream2,
        Self::SoOverflowPredicateStream2,
        Self::SoStatisticsStream3,
        Self::SoOverflowPredicateStream3,
    ];

    /// Size of the result in Direct3D 11, in bytes (D3D11: `ID3D11Asynchronous::GetDataSize`).
    #[doc(alias = "GetDataSize")]
    pub const fn data_size(self) -> u32 {
        match self {
            Self::TimestampDisjoint => 16,
            Self::PipelineStatistics => 88,
            Self::Occlusion | Self::Timestamp => 8,
            Self::SoStatistics
            | Self::SoStatisticsStream0
            | Self::SoStatisticsStream1
            | Self::SoStatisticsStream2
            | Self::SoStatisticsStream3 => 16,
            _ => 4,
        }
    }

    /// Whether the query covers the commands between `begin` and `end`, instead of having only an end.
    pub const fn has_beginning(self) -> bool {
        !matches!(self, Self::Event | Self::Timestamp)
    }

    /// Whether the query can be a predicate, whose result determines whether commands are skipped (D3D11:
    /// `ID3D11Predicate`).
    #[doc(alias = "ID3D11Predicate")]
    pub const fn is_predicate(self) -> bool {
        matches!(
            self,
            Self::OcclusionPredicate
                | Self::SoOverflowPredicate
                | Self::SoOverflowPredicateStream0
                | Self::SoOverflowPredicateStream1
                | Self::SoOverflowPredicateStream2
                | Self::SoOverflowPredicateStream3
        )
    }

    /// The streams that a stream-output query measures, or `None` for other queries.
    pub const fn streams(self) -> Option<Range<usize>> {
        match self {
            Self::SoOverflowPredicate => Some(0..STREAM_COUNT),
            Self::SoStatistics | Self::SoStatisticsStream0 | Self::SoOverflowPredicateStream0 => Some(0..1),
            Self::SoStatisticsStream1 | Self::SoOverflowPredicateStream1 => Some(1..2),
            Self::SoStatisticsStream2 | Self::SoOverflowPredicateStream2 => Some(2..3),
            Self::SoStatisticsStream3 | Self::SoOverflowPredicateStream3 => Some(3..4),
            Self::Event
            | Self::Occlusion
            | Self::Timestamp
            | Self::TimestampDisjoint
            | Self::PipelineStatistics
            | Self::OcclusionPredicate => None,
        }
    }

    /// The features without which a device cannot create the query.
    pub const fn needs(self) -> Features {
        match self {
            Self::Event | Self::OcclusionPredicate => Features::empty(),
            Self::Occlusion => Features::OCCLUSION_COUNTS,
            Self::Timestamp | Self::TimestampDisjoint => Features::TIMESTAMPS,
            Self::PipelineStatistics => Features::PIPELINE_STATISTICS,
            _ => Features::STREAM_OUTPUT,
        }
    }
}

bitflags! {
    /// Flags that change a query's meaning (D3D11: `D3D11_QUERY_MISC_FLAG`).
    #[doc(alias = "D3D11_QUERY_MISC_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct QueryMiscFlags: u32 {
        /// Makes the result of a predicate a hint (`D3D11_QUERY_MISC_PREDICATEHINT`). If the result is not
        /// yet known, predicated commands are executed without waiting for the result. The application cannot
        /// read the result.
        #[doc(alias = "D3D11_QUERY_MISC_PREDICATEHINT")]
        const PREDICATEHINT = 1;
    }
}

/// The type of GPU work that a query covers (D3D11.3: `D3D11_CONTEXT_TYPE`, with its values).
///
/// All work runs in order on one queue, so the result does not depend on this type.
#[doc(alias = "D3D11_CONTEXT_TYPE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum ContextType {
    /// Work of all types (default, `D3D11_CONTEXT_TYPE_ALL`).
    #[doc(alias = "D3D11_CONTEXT_TYPE_ALL")]
    #[default]
    All = 0,
    /// Work of the 3D pipeline, such as draws (`D3D11_CONTEXT_TYPE_3D`).
    #[doc(alias = "D3D11_CONTEXT_TYPE_3D")]
    ThreeD = 1,
    /// Work of the compute pipeline, such as dispatches (`D3D11_CONTEXT_TYPE_COMPUTE`).
    #[doc(alias = "D3D11_CONTEXT_TYPE_COMPUTE")]
    Compute = 2,
    /// Work that copies between resources (`D3D11_CONTEXT_TYPE_COPY`).
    #[doc(alias = "D3D11_CONTEXT_TYPE_COPY")]
    Copy = 3,
    /// Work that decodes or processes video (`D3D11_CONTEXT_TYPE_VIDEO`).
    #[doc(alias = "D3D11_CONTEXT_TYPE_VIDEO")]
    Video = 4,
}

/// The description of a query: its type, its flags and the work that it covers (D3D11: `D3D11_QUERY_DESC`,
/// `D3D11_QUERY_DESC1`).
///
/// A [`QueryType`] converts to a descriptor without flags.
#[doc(alias = "D3D11_QUERY_DESC")]
#[doc(alias = "D3D11_QUERY_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueryDesc {
    /// The type of the query, which determines the type of its result.
    pub query: QueryType,
    /// Flags of the query (default: none).
    pub misc_flags: QueryMiscFlags,
    /// The type of work that the query covers (D3D11.3: `D3D11_QUERY_DESC1::ContextType`).
    pub context_type: ContextType,
}

impl QueryDesc {
    /// Creates a descriptor without flags, for all types of work.
    pub const fn new(query: QueryType) -> Self {
        Self { query, misc_flags: QueryMiscFlags::empty(), context_type: ContextType::All }
    }
}

impl From<QueryType> for QueryDesc {
    fn from(query: QueryType) -> Self {
        Self::new(query)
    }
}

/// The result of [`QueryType::TimestampDisjoint`], which converts timestamps to seconds (D3D11:
/// `D3D11_QUERY_DATA_TIMESTAMP_DISJOINT`).
#[doc(alias = "D3D11_QUERY_DATA_TIMESTAMP_DISJOINT")]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TimestampDisjoint {
    /// Number of ticks of [`QueryData::Timestamp`] per second.
    pub frequency: u64,
    /// Whether the clock's frequency changed between `begin` and `end`, which makes timestamp differences
    /// meaningless.
    pub disjoint: bool,
}

/// The result of [`QueryType::PipelineStatistics`]: counts of pipeline work between `begin` and `end` (D3D11:
/// `D3D11_QUERY_DATA_PIPELINE_STATISTICS`).
///
/// The GPU counts most shader invocations, so vertex caches reduce the counts and helper pixels increase
/// them.
///
/// The wgpu driver computes the input assembler's counts and the compute shader invocations from the
/// arguments of calls, so these counts do not include indirect calls and assume that no index cuts a strip. The
/// same applies to the invocations of vertex and geometry shaders in draws with a geometry shader, and in draws that
/// only write streams. A dispatch counts the primitives of geometry shaders, so these counts include indirect draws.
#[doc(alias = "D3D11_QUERY_DATA_PIPELINE_STATISTICS")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineStatistics {
    /// Number of vertices read by the input assembler (D3D11: `IAVertices`).
    #[doc(alias = "IAVertices")]
    pub ia_vertices: u64,
    /// Number of primitives assembled by the input assembler (D3D11: `IAPrimitives`).
    #[doc(alias = "IAPrimitives")]
    pub ia_primitives: u64,
    /// Number of invocations of the vertex shader (D3D11: `VSInvocations`).
    #[doc(alias = "VSInvocations")]
    pub vs_invocations: u64,
    /// Number of invocations of the geometry shader (D3D11: `GSInvocations`).
    #[doc(alias = "GSInvocations")]
    pub gs_invocations: u64,
    /// Number of primitives emitted by the geometry shader (D3D11: `GSPrimitives`).
    #[doc(alias = "GSPrimitives")]
    pub gs_primitives: u64,
    /// Number of primitives sent to the rasterizer, before clipping (D3D11: `CInvocations`).
    #[doc(alias = "CInvocations")]
    pub c_invocations: u64,
    /// Number of primitives left after clipping (D3D11: `CPrimitives`).
    #[doc(alias = "CPrimitives")]
    pub c_primitives: u64,
    /// Number of invocations of the pixel shader (D3D11: `PSInvocations`).
    #[doc(alias = "PSInvocations")]
    pub ps_invocations: u64,
    /// Number of invocations of the hull shader (D3D11: `HSInvocations`).
    #[doc(alias = "HSInvocations")]
    pub hs_invocations: u64,
    /// Number of invocations of the domain shader (D3D11: `DSInvocations`).
    #[doc(alias = "DSInvocations")]
    pub ds_invocations: u64,
    /// Number of invocations of the compute shader, one per thread (D3D11: `CSInvocations`).
    #[doc(alias = "CSInvocations")]
    pub cs_invocations: u64,
}

/// The result of a query of stream output: the primitives that a stream wrote between `begin` and `end` (D3D11:
/// `D3D11_QUERY_DATA_SO_STATISTICS`).
#[doc(alias = "D3D11_QUERY_DATA_SO_STATISTICS")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SoStatistics {
    /// Number of primitives that were written to buffers (D3D11: `NumPrimitivesWritten`).
    #[doc(alias = "NumPrimitivesWritten")]
    pub num_primitives_written: u64,
    /// Number of primitives that buffers of any size would have received (D3D11: `PrimitivesStorageNeeded`).
    #[doc(alias = "PrimitivesStorageNeeded")]
    pub primitives_storage_needed: u64,
}

/// The result of a query, with a variant for each type of result.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum QueryData {
    /// Whether the GPU has completed all commands before the query's end.
    Event(bool),
    /// Number of samples that passed the depth and stencil tests.
    Occlusion(u64),
    /// The GPU's clock, in ticks at [`TimestampDisjoint::frequency`] per second.
    Timestamp(u64),
    /// The clock's frequency, and whether it changed between `begin` and `end`.
    TimestampDisjoint(TimestampDisjoint),
    /// The counts of work in the pipeline stages between `begin` and `end`.
    PipelineStatistics(PipelineStatistics),
    /// Whether any sample passed the depth and stencil tests, which is false if nothing was drawn.
    OcclusionPredicate(bool),
    /// The primitives that the streams of the query wrote to buffers.
    SoStatistics(SoStatistics),
    /// Whether a buffer had no room for a primitive of the query's streams.
    SoOverflowPredicate(bool),
}

impl QueryData {
    /// Whether a query of a type has this type of result.
    pub const fn is_result_of(&self, query: QueryType) -> bool {
        use QueryType as Q;
        match self {
            Self::Event(_) => matches!(query, Q::Event),
            Self::Occlusion(_) => matches!(query, Q::Occlusion),
            Self::Timestamp(_) => matches!(query, Q::Timestamp),
            Self::TimestampDisjoint(_) => matches!(query, Q::TimestampDisjoint),
            Self::PipelineStatistics(_) => matches!(query, Q::PipelineStatistics),
            Self::OcclusionPredicate(_) => matches!(query, Q::OcclusionPredicate),
            Self::SoStatistics(_) => query.streams().is_some() && !query.is_predicate(),
            Self::SoOverflowPredicate(_) => query.streams().is_some() && query.is_predicate(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_values_of_direct3d() {
        for (at, kind) in QueryType::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, at, "{kind:?}");
            assert!(!kind.is_predicate() || (kind.has_beginning() && kind.data_size() == 4), "{kind:?}");
        }
    }
}
