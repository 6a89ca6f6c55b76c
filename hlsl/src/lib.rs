//! A compiler in safe Rust for HLSL, the shading language of Direct3D 11.
//!
//! * [`compile`] compiles a shader of any stage to a naga module (D3D11: `D3DCompile`). [`Compiled::reflection`] describes
//!   its inputs, outputs and resources (D3D11: `D3DReflect`). [`Compiled::module`] describes how hull, domain and geometry
//!   shaders, which naga lacks, become functions.
//! * [`preprocess`] executes directives and expands macros, like FXC (D3D11: `D3DPreprocess`).
//! * [`check_syntax`] parses a source without checking its types.
//!
//! | feature | adds |
//! | --- | --- |
//! | `serde` | `Compiled::to_bytes` and `Compiled::from_bytes` to store and load programs, the module `build`
//! for build scripts, and `Serialize` and `Deserialize` for reflection types |
//!
//! The nesting depth, the program size and the number of compilation steps are bounded for any input, and
//! errors use FXC's error codes.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub mod build;
mod check;
mod compile;
mod interface;
mod lower;
mod output;
mod session;
mod syntax;
#[cfg(test)]
mod testing;
mod text;

pub use compile::{CompileOptions, compile};
pub use lower::RENDER_TARGET_SAMPLE_COUNT;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub use output::stored::StoredError;
pub use output::{compiled::Compiled, reflection};
pub use session::{
    code::Code,
    diagnostic::{Diagnostic, Diagnostics, Severity},
    profile::{Profile, ShaderModel, ShaderStage, UnknownProfile},
    source::{Expansion, Place},
};
pub use text::preprocess::{
    FolderIncludes, IncludeHandler, IncludeKind, IncludeRequest, IncludedFile, Macro, PreprocessOptions,
    Preprocessed, TextIncludes, preprocess,
};

/// Parses HLSL source code, but resolves only type names and does not check the types of expressions.
///
/// `name` is the file name that messages, `__FILE__` and `#include` use. The grammar covers all stages and
/// effects, but techniques and effect states are skipped with a warning. On success, the result contains the
/// warnings.
///
/// ```
/// use onze_hlsl::{PreprocessOptions, check_syntax};
///
/// let errors = check_syntax("float4 main() : SV_Target { return }", "a.hlsl", &PreprocessOptions::default());
/// assert_eq!(
///     errors.unwrap_err().to_string(),
///     "a.hlsl(1,36): error X3000: syntax error: unexpected token '}'\n    \
///      float4 main() : SV_Target { return }\n                                       ^"
/// );
/// ```
///
/// # Errors
///
/// Returns all preprocessor errors, syntax errors and undeclared types, and also fails if the source exceeds
/// a limit. The limits are those of [`preprocess`], 128 nested statements (a block inside a statement counts
/// as two), 4,096 nested operators, calls and parentheses, and 2,048 links of an `else if` chain. In
/// browsers, the last three limits are 700 operators, 256 calls and parentheses, and 128 links.
pub fn check_syntax(
    source: &str,
    name: &str,
    options: &PreprocessOptions<'_>,
) -> Result<Diagnostics, Diagnostics> {
    let mut session = session::Session::default();
    // The profile is unknown here, so the types of all shader models are accepted.
    session.has_buffer_types = true;
    let tokens = text::preprocess::preprocess_tokens(&mut session, name, source, options);
    session::stack::with_enough_stack(&mut session, |session| drop(syntax::parse(session, &tokens)));
    if session.diagnostics.has_errors() { Err(session.diagnostics) } else { Ok(session.diagnostics) }
}

/// Runs the examples in the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
