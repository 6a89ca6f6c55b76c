//! Queries: what the application can ask about work that it has submitted.

/// What a query asks. D3D11: `D3D11_QUERY`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueryType {
    /// Whether the GPU has done everything before `end`. `D3D11_QUERY_EVENT`.
    Event,
}

/// An answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryData {
    /// The event has happened.
    Event(bool),
}
