//! Queries: what the application can ask about work that it has submitted.
//!
//! ```
//! use onze_ddi::{QueryDesc, QueryType};
//!
//! // An event has an end only; what is visible is asked of the draws between two calls.
//! assert!(!QueryType::Event.has_beginning());
//! assert!(QueryType::OcclusionPredicate.has_beginning());
//! // A kind alone is a descriptor without flags.
//! assert_eq!(QueryDesc::from(QueryType::Timestamp).query, QueryType::Timestamp);
//! ```

use bitflags::bitflags;

use crate::caps::Features;

/// What a query asks. D3D11: `D3D11_QUERY`, with its values.
///
/// Queries about stream output need [`Features::STREAM_OUTPUT`], which no driver has yet.
#[doc(alias = "D3D11_QUERY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum QueryType {
    /// Whether the GPU has done everything before `end`. `D3D11_QUERY_EVENT`.
    #[doc(alias = "D3D11_QUERY_EVENT")]
    Event = 0,
    /// How many samples of the draws between `begin` and `end` have passed the depth and stencil tests. Where
    /// [`Features::OCCLUSION_COUNTS`] is missing the query is refused. `D3D11_QUERY_OCCLUSION`.
    #[doc(alias = "D3D11_QUERY_OCCLUSION")]
    Occlusion = 1,
    /// The GPU's clock at `end`, in ticks. Needs [`Features::TIMESTAMPS`]. `D3D11_QUERY_TIMESTAMP`.
    #[doc(alias = "D3D11_QUERY_TIMESTAMP")]
    Timestamp = 2,
    /// How many ticks a second has, and whether the clock was steady between `begin` and `end`. Needs
    /// [`Features::TIMESTAMPS`]. `D3D11_QUERY_TIMESTAMP_DISJOINT`.
    #[doc(alias = "D3D11_QUERY_TIMESTAMP_DISJOINT")]
    TimestampDisjoint = 3,
    /// What the stages of the pipeline have done between `begin` and `end`. Needs
    /// [`Features::PIPELINE_STATISTICS`]. `D3D11_QUERY_PIPELINE_STATISTICS`.
    #[doc(alias = "D3D11_QUERY_PIPELINE_STATISTICS")]
    PipelineStatistics = 4,
    /// Whether any sample of the draws between `begin` and `end` has passed the depth and stencil tests.
    /// `D3D11_QUERY_OCCLUSION_PREDICATE`.
    #[doc(alias = "D3D11_QUERY_OCCLUSION_PREDICATE")]
    OcclusionPredicate = 5,
    /// What was streamed out, of all streams. `D3D11_QUERY_SO_STATISTICS`.
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS")]
    SoStatistics = 6,
    /// Whether any stream had too little room. `D3D11_QUERY_SO_OVERFLOW_PREDICATE`.
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE")]
    SoOverflowPredicate = 7,
    /// What was streamed out to stream 0. `D3D11_QUERY_SO_STATISTICS_STREAM0`.
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM0")]
    SoStatisticsStream0 = 8,
    /// Whether stream 0 had too little room. `D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM0`.
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM0")]
    SoOverflowPredicateStream0 = 9,
    /// What was streamed out to stream 1. `D3D11_QUERY_SO_STATISTICS_STREAM1`.
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM1")]
    SoStatisticsStream1 = 10,
    /// Whether stream 1 had too little room. `D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM1`.
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM1")]
    SoOverflowPredicateStream1 = 11,
    /// What was streamed out to stream 2. `D3D11_QUERY_SO_STATISTICS_STREAM2`.
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM2")]
    SoStatisticsStream2 = 12,
    /// Whether stream 2 had too little room. `D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM2`.
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM2")]
    SoOverflowPredicateStream2 = 13,
    /// What was streamed out to stream 3. `D3D11_QUERY_SO_STATISTICS_STREAM3`.
    #[doc(alias = "D3D11_QUERY_SO_STATISTICS_STREAM3")]
    SoStatisticsStream3 = 14,
    /// Whether stream 3 had too little room. `D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM3`.
    #[doc(alias = "D3D11_QUERY_SO_OVERFLOW_PREDICATE_STREAM3")]
    SoOverflowPredicateStream3 = 15,
}

impl QueryType {
    /// All kinds.
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

    /// Bytes of the answer in Direct3D 11. D3D11: `ID3D11Asynchronous::GetDataSize`.
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

    /// Whether the query asks about what lies between a beginning and an end, not about the end alone.
    pub const fn has_beginning(self) -> bool {
        !matches!(self, Self::Event | Self::Timestamp)
    }

    /// Whether commands can depend on the answer. D3D11: `ID3D11Predicate`.
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

    /// What a device must have for such a query.
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
    /// Flags of a query. D3D11: `D3D11_QUERY_MISC_FLAG`.
    #[doc(alias = "D3D11_QUERY_MISC_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct QueryMiscFlags: u32 {
        /// The answer of a predicate is a hint: commands that depend on it may be executed all the same, so that
        /// nothing waits for it, and it cannot be asked for. `D3D11_QUERY_MISC_PREDICATEHINT`.
        #[doc(alias = "D3D11_QUERY_MISC_PREDICATEHINT")]
        const PREDICATEHINT = 1;
    }
}

/// A kind of work of the GPU. D3D11.3: `D3D11_CONTEXT_TYPE`, with its values.
///
/// There is one queue, which does all of it in its order. So a query of one kind answers as a query of all kinds.
#[doc(alias = "D3D11_CONTEXT_TYPE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum ContextType {
    /// Any. `D3D11_CONTEXT_TYPE_ALL`.
    #[doc(alias = "D3D11_CONTEXT_TYPE_ALL")]
    #[default]
    All = 0,
    /// Draws. `D3D11_CONTEXT_TYPE_3D`.
    #[doc(alias = "D3D11_CONTEXT_TYPE_3D")]
    ThreeD = 1,
    /// Dispatches. `D3D11_CONTEXT_TYPE_COMPUTE`.
    #[doc(alias = "D3D11_CONTEXT_TYPE_COMPUTE")]
    Compute = 2,
    /// Copies. `D3D11_CONTEXT_TYPE_COPY`.
    #[doc(alias = "D3D11_CONTEXT_TYPE_COPY")]
    Copy = 3,
    /// Video. `D3D11_CONTEXT_TYPE_VIDEO`.
    #[doc(alias = "D3D11_CONTEXT_TYPE_VIDEO")]
    Video = 4,
}

/// A query: what it asks, and how. D3D11: `D3D11_QUERY_DESC`, `D3D11_QUERY_DESC1`.
///
/// A [`QueryType`] alone is a descriptor without flags.
#[doc(alias = "D3D11_QUERY_DESC")]
#[doc(alias = "D3D11_QUERY_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueryDesc {
    /// What is asked. `Query`.
    pub query: QueryType,
    /// Flags. `MiscFlags`.
    pub misc_flags: QueryMiscFlags,
    /// Of which work it asks. D3D11.3: `D3D11_QUERY_DESC1::ContextType`.
    pub context_type: ContextType,
}

impl QueryDesc {
    /// Without flags.
    pub const fn new(query: QueryType) -> Self {
        Self { query, misc_flags: QueryMiscFlags::empty(), context_type: ContextType::All }
    }
}

impl From<QueryType> for QueryDesc {
    fn from(query: QueryType) -> Self {
        Self::new(query)
    }
}

/// The answer of [`QueryType::TimestampDisjoint`]. D3D11: `D3D11_QUERY_DATA_TIMESTAMP_DISJOINT`.
#[doc(alias = "D3D11_QUERY_DATA_TIMESTAMP_DISJOINT")]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TimestampDisjoint {
    /// Ticks of [`QueryData::Timestamp`] in a second.
    pub frequency: u64,
    /// The clock was not steady: differences between timestamps mean nothing.
    pub disjoint: bool,
}

/// The answer of [`QueryType::PipelineStatistics`]: how often something happened between `begin` and `end`.
/// D3D11: `D3D11_QUERY_DATA_PIPELINE_STATISTICS`.
///
/// Invocations of shaders are the GPU's own figures: caches of vertices make them fewer, and helper pixels more.
///
/// The wgpu driver counts what the input assembler reads, and runs of compute shaders, from the arguments of the calls. So
/// it leaves out those of indirect calls, and counts strips as if no index cut them.
#[doc(alias = "D3D11_QUERY_DATA_PIPELINE_STATISTICS")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineStatistics {
    /// Vertices that were read by the input assembler.
    #[doc(alias = "IAVertices")]
    pub ia_vertices: u64,
    /// Primitives that it has made of them.
    #[doc(alias = "IAPrimitives")]
    pub ia_primitives: u64,
    /// Runs of the vertex shader.
    #[doc(alias = "VSInvocations")]
    pub vs_invocations: u64,
    /// Runs of the geometry shader.
    #[doc(alias = "GSInvocations")]
    pub gs_invocations: u64,
    /// Primitives that the geometry shader has made.
    #[doc(alias = "GSPrimitives")]
    pub gs_primitives: u64,
    /// Primitives that came to the rasterizer.
    #[doc(alias = "CInvocations")]
    pub c_invocations: u64,
    /// Primitives that were left after clipping.
    #[doc(alias = "CPrimitives")]
    pub c_primitives: u64,
    /// Runs of the pixel shader.
    #[doc(alias = "PSInvocations")]
    pub ps_invocations: u64,
    /// Runs of the hull shader.
    #[doc(alias = "HSInvocations")]
    pub hs_invocations: u64,
    /// Runs of the domain shader.
    #[doc(alias = "DSInvocations")]
    pub ds_invocations: u64,
    /// Threads of the compute shader.
    #[doc(alias = "CSInvocations")]
    pub cs_invocations: u64,
}

/// An answer, of the query's kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum QueryData {
    /// The event has happened.
    Event(bool),
    /// Samples that were visible.
    Occlusion(u64),
    /// The GPU's clock, in ticks.
    Timestamp(u64),
    /// How long a tick is.
    TimestampDisjoint(TimestampDisjoint),
    /// What the stages have done.
    PipelineStatistics(PipelineStatistics),
    /// Whether anything was visible. False if nothing was drawn.
    OcclusionPredicate(bool),
}

impl QueryData {
    /// The kind of query that is answered so.
    pub const fn query_type(&self) -> QueryType {
        match self {
            Self::Event(_) => QueryType::Event,
            Self::Occlusion(_) => QueryType::Occlusion,
            Self::Timestamp(_) => QueryType::Timestamp,
            Self::TimestampDisjoint(_) => QueryType::TimestampDisjoint,
            Self::PipelineStatistics(_) => QueryType::PipelineStatistics,
            Self::OcclusionPredicate(_) => QueryType::OcclusionPredicate,
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
