//! HLSL, the shading language of Direct3D 11, in safe Rust.
//!
//! * [`compile`] makes a module of naga of a vertex, pixel or compute shader. D3D11: `D3DCompile`. [`reflection`] says
//!   what the shader takes, gives and needs. D3D11: `D3DReflect`.
//! * [`preprocess`] obeys directives and replaces macros, as FXC does. D3D11: `D3DPreprocess`.
//! * [`check_syntax`] reads a text by the grammar.
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `serde` | programs are stored as bytes and loaded: `Compiled::to_bytes`; `build` for build scripts; `Serialize` and `Deserialize` of reflections |
//!
//! Depth, size and steps are bounded whatever the text is. Errors have FXC's numbers.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod availability;
mod bindings;
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub mod build;
mod candidates;
mod check;
mod code;
mod compile;
mod diagnostic;
mod entry;
mod flow;
mod foreign;
mod hash;
mod layout;
mod lexer;
mod lower;
mod nearest;
mod number;
mod preprocess;
mod profile;
mod reads;
mod reflect;
pub mod reflection;
mod session;
mod signature;
mod source;
mod stack;
mod stages;
#[cfg(feature = "serde")]
mod stored;
mod stores;
mod syntax;
#[cfg(test)]
mod testing;
mod token;
mod tree;
mod usage;
mod warnings;

pub use code::Code;
pub use compile::{CompileOptions, Compiled, RENDER_TARGET_SAMPLE_COUNT, compile};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use preprocess::{
    FolderIncludes, IncludeHandler, IncludeKind, IncludeRequest, IncludedFile, Macro, PreprocessOptions,
    Preprocessed, TextIncludes, preprocess,
};
pub use profile::{Profile, ShaderModel, ShaderStage, UnknownProfile};
pub use source::{Expansion, Place};
#[cfg(feature = "serde")]
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
pub use stored::StoredError;

/// Reads a text by the grammar of HLSL, without looking at types and at what names mean.
///
/// `name` is the file's name, for messages, `__FILE__` and `#include`. All stages and effects are read; techniques and
/// states of effects are skipped with a warning. The result is the warnings.
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
/// All errors of the preprocessor and of the grammar, and a type that nothing declares. A text that exceeds a limit:
/// those of [`preprocess`], 128 statements inside each other (a block in a statement is two), 4,096 operators, calls and
/// parentheses inside each other, 2,048 links of an `else if` chain. In browsers the limits are 700 operators, 256 calls and
/// parentheses, and 128 links.
pub fn check_syntax(
    source: &str,
    name: &str,
    options: &PreprocessOptions<'_>,
) -> Result<Diagnostics, Diagnostics> {
    let mut session = session::Session::default();
    // The profile is not known, so the types of all shader models are.
    session.has_buffer_types = true;
    let tokens = preprocess::preprocess_tokens(&mut session, name, source, options);
    stack::with_enough_stack(&mut session, |session| drop(syntax::parse(session, &tokens)));
    if session.diagnostics.has_errors() { Err(session.diagnostics) } else { Ok(session.diagnostics) }
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
