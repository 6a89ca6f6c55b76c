//! The error of a step whose draw is skipped.

/// A draw is skipped, because it draws nothing or because the problem was already reported.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped;
