//! The outcome of a step after which nothing is drawn.

/// A draw is skipped, because it draws nothing or because its mistake was reported.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::encode) struct Skipped;
