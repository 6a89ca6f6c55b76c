//! The lowering: from the typed tree to a module of naga with one entry point.
//!
//! Each function is lowered when it is called, once for each combination of the objects that are its arguments, so no
//! object is ever passed at run time.
//!
//! How HLSL's types look in naga:
//!
//! | HLSL | naga |
//! | --- | --- |
//! | `float`, `half`, `min16float`, `min10float` | `f32` |
//! | `int`, `min16int`, `min12int` / `uint`, `min16uint` | `i32` / `u32` |
//! | `bool` | `bool` |
//! | `float3` and so on; a vector of one component | a vector; a scalar |
//! | `float3x4` | `array<vec4<f32>, 3>`: its rows |
//! | an array, a structure | the same without objects |
//! | an object | nothing: it is known where it is used |

mod builder;
mod intrinsics;
mod methods;

use crate::source::Span;

/// Something cannot be lowered; that was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

pub(crate) type Lowered<T> = Result<T, Failed>;

/// A value at run time.
pub(crate) type Value = naga::Handle<naga::Expression>;

/// The span of a part of the module.
pub(crate) fn naga_span(span: Span) -> naga::Span {
    naga::Span::new(span.start, span.end)
}
