//! Queries: what the application can ask about work that it has submitted.
//!
//! ```
//! use onze_ddi::QueryType;
//!
//! // An event has an end only; what is visible is asked of the draws between two calls.
//! assert!(!QueryType::Event.has_beginning());
//! assert!(QueryType::OcclusionPredicate.has_beginning());
//! ```

/// What a query asks. D3D11: `D3D11_QUERY`.
#[doc(alias = "D3D11_QUERY")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum QueryType {
    /// Whether the GPU has done everything before `end`. `D3D11_QUERY_EVENT`.
    #[doc(alias = "D3D11_QUERY_EVENT")]
    Event,
    /// Whether any sample of the draws between `begin` and `end` has passed the depth and stencil tests.
    /// `D3D11_QUERY_OCCLUSION_PREDICATE`.
    #[doc(alias = "D3D11_QUERY_OCCLUSION_PREDICATE")]
    OcclusionPredicate,
}

impl QueryType {
    /// Whether the query asks about what lies between a beginning and an end, not about the end alone.
    pub const fn has_beginning(self) -> bool {
        match self {
            Self::Event => false,
            Self::OcclusionPredicate => true,
        }
    }
}

/// An answer, of the query's kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum QueryData {
    /// The event has happened.
    Event(bool),
    /// Whether anything was visible. False if nothing was drawn.
    OcclusionPredicate(bool),
}
