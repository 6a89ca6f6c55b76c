//! Names, and what they mean.

/// The scopes around the place that is checked.
#[derive(Debug, Default)]
pub(crate) struct Scopes {}
