//! The error of a check that has already reported its reason.

/// The call has no effect, and the reason has already been reported. The caller returns without another
/// report.
///
/// In a lost recording nothing is reported for each call, because losing the recording was reported once.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped;
