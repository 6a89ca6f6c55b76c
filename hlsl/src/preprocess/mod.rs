//! The preprocessor. It follows FXC where FXC differs from C:
//!
//! * Names may be joined: `A::B` is one name, and a macro can have it.
//! * A macro with parameters is used only if `(` is on the line of its name.
//! * If a use of a macro has the wrong number of arguments or is not closed, only the macro's name remains.
//! * `##` joins tokens in macros with parameters, and in their arguments, but not in other macros.
//! * `#` makes a string of any name in a macro with parameters, not only of its parameters.
//! * Directives between the arguments of a macro take effect.
//! * Numbers in `#if` are unsigned and have 32 bits.
//! * `#pragma` is not subject to macros.
//! * Strings may extend over several lines.
//! * Unbalanced conditions, unknown directives and tokens after a directive are warnings.
//!
//! In all other respects the rules are C's. Arguments are expanded before they are inserted, unless `#` or
//! `##` is applied to them, and a macro is not expanded within its own expansion.
//!
//! | file | contents |
//! | --- | --- |
//! | `input` | the sources of tokens: files, and expansions on top of them |
//! | `macros` | definitions of macros |
//! | `expand` | uses of macros |
//! | `substitute` | replacement of parameters by arguments, `#` and `##` |
//! | `directives` | the dispatch of directives, and the simple ones |
//! | `conditions`, `expression` | `#if` and related directives |
//! | `include` | `#include`, and the handlers that provide its files |
//! | `pragma` | `#pragma` |
//! | `text` | tokens as text |

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

use crate::hash::{HashMap, HashSet};
use std::{fmt, rc::Rc, sync::Arc};

pub use include::{FolderIncludes, IncludeHandler, IncludeKind, IncludeRequest, IncludedFile, TextIncludes};

use crate::{
    Diagnostics,
    code::Code,
    lexer::Lexer,
    session::Session,
    source::{OutOfPositions, Span},
    token::{Symbol, Token, TokenKind},
};

use input::{FileInput, MacroExpansion};
use macros::MacroDefinition;
use pragma::Pragma;

/// Maximum number of tokens that a compilation may read and produce, because FXC already takes minutes for a
/// program of this size.
const MOST_TOKENS: usize = 500_000;

/// The estimated number of bytes for a token of a program, with its space and comments.
const BYTES_PER_TOKEN: usize = 8;

/// A macro that the options define, as with a compiler's option `/D` or D3D11's `D3D_SHADER_MACRO`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(alias = "D3D_SHADER_MACRO")]
pub struct Macro {
    /// The name of the macro, which cannot have parameters, so a macro is never used if its name is not an
    /// identifier.
    pub name: String,
    /// The replacement text of the macro, which may itself use other macros.
    pub definition: String,
}

impl Macro {
    /// Creates a macro without parameters from its name and its replacement text.
    pub fn new(name: impl Into<String>, definition: impl Into<String>) -> Macro {
        Macro { name: name.into(), definition: definition.into() }
    }
}

/// Options of the preprocessor: predefined macros and the source of included files.
#[derive(Clone, Copy, Default)]
pub struct PreprocessOptions<'a> {
    /// Macros that are defined at the beginning, where the later of two macros with the same name counts.
    pub macros: &'a [Macro],
    /// The handler that provides included files, without which every `#include` is an error.
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

/// A source without directives and macros, as [`preprocess`] returns it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preprocessed {
    /// The text, which keeps `#pragma`s and has `#line` directives so that messages name the places in the
    /// original files.
    pub text: String,
    /// The warnings of the preprocessor, since errors are returned instead of this structure.
    pub diagnostics: Diagnostics,
}

/// Runs the directives of a source and replaces its macros, as D3D11's `D3DPreprocess` does.
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
/// Reports `#error`, files that cannot be included, malformed directives and expressions, and strings that
/// are not closed. It also fails if the source exceeds a limit: 500,000 tokens, 32 nested files, 4096 nested
/// conditions, or 256 nested parentheses of an expression.
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

/// Returns the tokens of a source after preprocessing, ending with [`TokenKind::End`], and leaves errors in
/// the session.
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
    /// The file that is being read, on top of those that include it.
    files: Vec<FileInput>,
    expansions: Vec<MacroExpansion>,
    output: PreprocessOutput,
    once: HashSet<Arc<str>>,
    line_begins: bool,
    included: usize,
    /// The number of tokens that may still be read and produced before [`MOST_TOKENS`] is reached.
    tokens_left: usize,
    depth: usize,
    /// Whether the tokens belong to an expression, in which the name after `defined` is not a use of a macro.
    in_expression: bool,
    /// Whether a limit was exceeded, after which no more tokens are read.
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

    /// Adds a token to the output, as several tokens if it is a joined name.
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

    /// Counts tokens that are read or produced, and returns false if there are too many.
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
