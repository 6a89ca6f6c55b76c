//! The preprocessor. It behaves like FXC in the following cases, in which FXC differs from C:
//!
//! * Names may be joined with `::`, so `A::B` is a single name, which can be the name of a macro.
//! * A macro with parameters is expanded only if `(` is on the same line as its name.
//! * If a macro use has the wrong number of arguments or is not closed, only the macro's name remains in the
//!   output.
//! * `##` pastes tokens in macros with parameters and in their arguments, but not in other macros, and its
//!   operands are expanded first.
//! * In a macro with parameters, `#` turns any name into a string, not only a parameter.
//! * Directives between the arguments of a macro take effect.
//! * Numbers in `#if` are unsigned and have 32 bits.
//! * Macros are not expanded in `#pragma`.
//! * Strings may extend over several lines.
//! * Unbalanced conditions, unknown directives and extra tokens after a directive are only warnings.
//!
//! In all other respects the rules of C apply. Arguments are expanded before they are inserted, unless they
//! are operands of `#`, and a macro is not expanded within its own expansion.
//!
//! | file | contents |
//! | --- | --- |
//! | `input` | the input tokens: files and macro expansions |
//! | `macros` | definitions of macros |
//! | `expand` | uses of macros |
//! | `substitute` | replacement of parameters with arguments, `#` and `##` |
//! | `directives` | the dispatch of directives, `#error` and `#line` |
//! | `conditions`, `expression` | `#if` and related directives |
//! | `include` | `#include`, and the handlers that provide the included files |
//! | `pragma` | `#pragma` |
//! | `text` | writing tokens as text |

mod conditions;
mod directives;
mod expand;
mod expression;
mod include;
mod input;
mod macros;
mod pragma;
mod substitute;
mod text;

use std::{fmt, rc::Rc, sync::Arc};

pub use include::{FolderIncludes, IncludeHandler, IncludeKind, IncludeRequest, IncludedFile, TextIncludes};

use crate::{
    Diagnostics,
    session::{
        Session,
        code::Code,
        hash::{HashMap, HashSet},
        names::Symbol,
        source::{OutOfPositions, Span},
    },
    text::{
        lexer::Lexer,
        token::{Token, TokenKind},
    },
};

use input::{FileInput, MacroExpansion};
use macros::MacroDefinition;
use pragma::Pragma;

/// Maximum number of tokens that a compilation may read and produce, because FXC already takes minutes for a
/// program of this size.
const MOST_TOKENS: usize = 500_000;

/// The estimated number of bytes per token in a source, including white space and comments.
const BYTES_PER_TOKEN: usize = 8;

/// A predefined macro (FXC: the option `/D`, D3D11: `D3D_SHADER_MACRO`).
#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(alias = "D3D_SHADER_MACRO")]
pub struct Macro {
    /// The name of the macro, without parameters. It should be an identifier, because other names cannot be
    /// used.
    pub name: String,
    /// The replacement text of the macro, which may contain other macros.
    pub definition: String,
}

impl Macro {
    /// Creates a macro without parameters from its name and its replacement text.
    pub fn new(name: impl Into<String>, definition: impl Into<String>) -> Macro {
        Macro { name: name.into(), definition: definition.into() }
    }
}

/// Options of the preprocessor: predefined macros, and the handler for included files.
#[derive(Clone, Copy, Default)]
pub struct PreprocessOptions<'a> {
    /// Macros that are defined before the source is read. If two have the same name, the later one is used.
    pub macros: &'a [Macro],
    /// The handler that provides included files, without which each `#include` is an error.
    pub include: Option<&'a dyn IncludeHandler>,
}

impl fmt::Debug for PreprocessOptions<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PreprocessOptions")
            .field("macros", &self.macros)
            .field("include", &self.include.map(|_| "IncludeHandler"))
            .finish()
    }
}

/// The result of [`preprocess`]: a source without directives and macros.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preprocessed {
    /// The text, which still contains `#pragma`s, and `#line` directives so that later messages refer to the
    /// original files.
    pub text: String,
    /// The warnings of the preprocessor. If there are errors, [`preprocess`] returns an error instead of this
    /// structure.
    pub diagnostics: Diagnostics,
}

/// Executes the directives of a source and expands its macros (D3D11: `D3DPreprocess`).
///
/// `name` is the file name that messages, `__FILE__` and `#include` use. Compiling the result is equivalent
/// to compiling the source.
///
/// ```
/// use onze_hlsl::{Macro, PreprocessOptions, preprocess};
///
/// let macros = [Macro::new("SIZE", "4")];
/// let options = PreprocessOptions { macros: &macros, ..PreprocessOptions::default() };
/// let result = preprocess("#if SIZE > 2\nfloat a[SIZE];\n#endif", "a.hlsl", &options)?;
/// assert_eq!(result.text, "#line 1 \"a.hlsl\"\n\nfloat a [ 4 ] ; \n");
/// # Ok::<(), onze_hlsl::Diagnostics>(())
/// ```
///
/// # Errors
///
/// Reports `#error` directives, files that cannot be included, malformed directives and expressions, and
/// strings that are not closed. It also fails if the source exceeds a limit: 500,000 tokens, 32 nested files,
/// 4,096 nested conditions, or 256 nested parentheses in an expression.
#[doc(alias = "D3DPreprocess")]
pub fn preprocess(
    source: &str,
    name: &str,
    options: &PreprocessOptions<'_>,
) -> Result<Preprocessed, Diagnostics> {
    let mut session = Session::default();
    let output = Preprocessor::new(&mut session, options).run(name, source);
    if session.diagnostics.has_errors() {
        return Err(session.diagnostics);
    }
    Ok(Preprocessed { text: text::write(&session, name, &output), diagnostics: session.diagnostics })
}

/// Returns the tokens of a source after preprocessing, ending with [`TokenKind::End`], and adds errors to the
/// session.
pub(crate) fn preprocess_tokens(
    session: &mut Session,
    name: &str,
    text: &str,
    options: &PreprocessOptions<'_>,
) -> Vec<Token> {
    Preprocessor::new(session, options).run(name, text).tokens
}

#[derive(Default)]
struct PreprocessOutput {
    tokens: Vec<Token>,
    pragmas: Vec<Pragma>,
}

struct DirectiveNames {
    line: Symbol,
    file: Symbol,
    defined: Symbol,
}

struct Preprocessor<'a> {
    session: &'a mut Session,
    options: &'a PreprocessOptions<'a>,
    words: DirectiveNames,
    macros: HashMap<Symbol, Rc<MacroDefinition>>,
    /// The file that is being read, preceded by the files that include it.
    files: Vec<FileInput>,
    expansions: Vec<MacroExpansion>,
    output: PreprocessOutput,
    once: HashSet<Arc<str>>,
    line_begins: bool,
    included: usize,
    /// The number of tokens that may still be read and produced before [`MOST_TOKENS`] is reached.
    tokens_left: usize,
    depth: usize,
    /// Whether the tokens belong to an expression, in which the name after `defined` is not expanded.
    in_expression: bool,
    /// Whether a limit was exceeded, so that no more tokens are read.
    stopped: bool,
}

impl<'a> Preprocessor<'a> {
    fn new(session: &'a mut Session, options: &'a PreprocessOptions<'a>) -> Preprocessor<'a> {
        let words = DirectiveNames {
            line: session.names.intern("__LINE__"),
            file: session.names.intern("__FILE__"),
            defined: session.names.intern("defined"),
        };
        Preprocessor {
            session,
            options,
            words,
            macros: HashMap::default(),
            files: Vec::new(),
            expansions: Vec::new(),
            output: PreprocessOutput::default(),
            once: HashSet::default(),
            line_begins: false,
            included: 0,
            tokens_left: MOST_TOKENS,
            depth: 0,
            in_expression: false,
            stopped: false,
        }
    }

    fn run(mut self, name: &str, text: &str) -> PreprocessOutput {
        for definition in self.options.macros {
            self.define_from_outside(definition);
        }
        let text: Arc<str> = text.into();
        let end = match self.session.sources.add_file(name, text.clone()) {
            Ok(span) => {
                self.session.warnings.begin_file(span.start, Vec::new());
                self.output.tokens.reserve(text.len() / BYTES_PER_TOKEN);
                self.files.push(FileInput::new(name.into(), text, span.start));
                while let Some(item) = self.next_expanded(input::FILES) {
                    self.emit(item.token);
                }
                span.ending()
            }
            Err(OutOfPositions) => {
                self.stop(Span::default(), "the source is longer than 2 GiB");
                Span::default()
            }
        };
        self.output.tokens.push(Token { kind: TokenKind::End, span: end, spaced: true, first: true });
        self.output
    }

    /// Adds a token to the output, splitting a joined name into several tokens.
    fn emit(&mut self, mut token: Token) {
        token.first |= std::mem::take(&mut self.line_begins);
        let joined = match token.kind {
            TokenKind::Name(symbol) => self.session.names.is_joined(symbol),
            _ => false,
        };
        if !joined {
            self.output.tokens.push(token);
            return;
        }
        let text: Arc<str> = self.session.sources.text(token.span).into();
        let mut lexer = Lexer::plain(text, token.span.start);
        let (mut spaced, mut first) = (token.spaced, token.first);
        loop {
            let part = lexer.next(self.session);
            if part.kind == TokenKind::End {
                return;
            }
            self.output.tokens.push(Token { spaced, first, ..part });
            (spaced, first) = (false, false);
        }
    }

    /// Counts tokens that are read or produced, and returns `false` if there are too many.
    fn spend(&mut self, tokens: usize, span: Span) -> bool {
        match self.tokens_left.checked_sub(tokens) {
            Some(left) => {
                self.tokens_left = left;
                !self.stopped
            }
            None => {
                self.stop(
                    span,
                    format!("the source has more than {MOST_TOKENS} tokens, including those of its macros"),
                );
                false
            }
        }
    }

    fn stop(&mut self, span: Span, message: impl Into<String>) {
        if !self.stopped {
            self.session.error(Code::LimitExceeded, span, message);
            self.stopped = true;
        }
    }
}

#[cfg(test)]
mod tests;
