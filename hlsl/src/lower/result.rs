//! Names that all files of the lowering import.

use crate::session::source::Span;

/// The program cannot be lowered. The error was already reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoweringFailed;

pub(crate) type Lowered<T> = Result<T, LoweringFailed>;

/// A value at run time.
pub(crate) type Value = naga::Handle<naga::Expression>;

/// Converts a source position to naga's type.
pub(crate) fn naga_span(span: Span) -> naga::Span {
    naga::Span::new(span.start, span.end)
}
