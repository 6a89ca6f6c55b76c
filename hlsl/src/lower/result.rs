//! The names that all files of the lowering import.

use crate::session::source::Span;

/// Something cannot be lowered; that was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoweringFailed;

pub(crate) type Lowered<T> = Result<T, LoweringFailed>;

/// A value at run time.
pub(crate) type Value = naga::Handle<naga::Expression>;

/// The span of a part of the module.
pub(crate) fn naga_span(span: Span) -> naga::Span {
    naga::Span::new(span.start, span.end)
}
