//! The preprocessor, with the rules of FXC where these differ from C's:
//!
//! * Names may be joined: `A::B` is one name, and can be a macro's.
//! * A macro with parameters is used only if `(` stands on the line of its name.
//! * If the arguments are too few, too many or not closed, the macro's name is all that is left of its use.
//! * `##` joins in macros with parameters, and in their arguments, but not in other macros.
//! * `#` makes a string of any name in a macro with parameters, not of its parameters alone.
//! * Directives between the arguments of a macro are obeyed.
//! * Numbers in `#if` are unsigned and have 32 bits.
//! * `#pragma` is not subject to macros.
//! * Strings may go over several lines.
//! * Unbalanced conditions, unknown directives and text behind a directive are warnings.
//!
//! Elsewhere the rules are C's: arguments are expanded before they are inserted, unless `#` or `##` takes them; and a
//! macro is not expanded within its own expansion.
//!
//! | file | what it does |
//! | --- | --- |
//! | `input` | where tokens come from: files, and expansions on top of them |
//! | `macros` | definitions of macros |
//! | `expand` | uses of macros |
//! | `substitute` | the text of a macro with its arguments: `#` and `##` |
//! | `directives` | which directive it is, and the simple ones |
//! | `conditions`, `expression` | `#if` and what belongs to it |
//! | `include` | `#include`, and where its files come from |
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

use input::{Expansion, FileInput};
use macros::Definition;
use pragma::Pragma;

/// How many tokens a compilation may read and produce. A program of this size takes FXC minutes.
const MOST_TOKENS: usize = 500_000;

/// How many bytes of a program are a token, with its space and comments.
const BYTES_PER_TOKEN: usize = 8;

/// A macro that is defined from outside, as by a compiler's option `/D`.
///
/// D3D11: `D3D_SHADER_MACRO`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(alias = "D3D_SHADER_MACRO")]
pub struct Macro {
    /// Its name. A macro whose name is not an identifier is never used: it cannot have parameters.
    pub name: String,
    /// What stands for it. It may use other macros.
    pub definition: String,
}

impl Macro {
    /// A macro with a name and a definition.
    pub fn new(name: impl Into<String>, definition: impl Into<String>) -> Macro {
        Macro { name: name.into(), definition: definition.into() }
    }
}

/// What the preprocessor is given beside the text.
#[derive(Clone, Copy, Default)]
pub struct PreprocessOptions<'a> {
    /// Macros that are defined at the beginning. Of two with one name, the later counts.
    pub macros: &'a [Macro],
    /// Where included files come from. Without it, `#include` is an error.
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

/// A text without directives and macros.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preprocessed {
    /// The text. It has `#line`, so that messages name the places in the original files, and `#pragma`.
    pub text: String,
    /// The warnings.
    pub diagnostics: Diagnostics,
}

/// Obeys the directives of a text and replaces its macros.
///
/// `name` is the file's name, for messages, `__FILE__` and `#include`. Compiling the result is the same as compiling
/// the text.
///
/// D3D11: `D3DPreprocess`.
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
/// `#error`, a file that cannot be included, a directive or an expression that is not well-formed, a string without an
/// end, and a text that exceeds a limit: 500,000 tokens, 32 files within each other, 256 conditions or parentheses
/// within each other.
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

/// The tokens of a text after preprocessing, ending with [`TokenKind::End`]. Errors are in the session.
pub(crate) fn preprocess_tokens(
    session: &mut Session,
    name: &str,
    text: &str,
    options: &PreprocessOptions<'_>,
) -> Vec<Token> {
    Preprocessor::new(session, options).run(name, text).tokens
}

/// What the preprocessor makes.
#[derive(Default)]
struct Output {
    tokens: Vec<Token>,
    /// The pragmas, in their order.
    pragmas: Vec<Pragma>,
}

/// Names that the preprocessor knows.
struct Words {
    line: Symbol,
    file: Symbol,
    defined: Symbol,
}

struct Preprocessor<'a> {
    session: &'a mut Session,
    options: &'a PreprocessOptions<'a>,
    words: Words,
    macros: HashMap<Symbol, Rc<Definition>>,
    /// The file that is read, on top of those that include it.
    files: Vec<FileInput>,
    /// The expansions that are read, the innermost last.
    expansions: Vec<Expansion>,
    output: Output,
    /// Files with `#pragma once`.
    once: HashSet<Arc<str>>,
    /// The next token that is put out is the first of its line.
    line_begins: bool,
    /// How many bytes the included files have.
    included: usize,
    /// How many tokens may still be read and produced.
    tokens_left: usize,
    /// How many arguments are expanded within each other.
    depth: usize,
    /// The tokens are those of an expression: the name behind `defined` is not a use of a macro.
    in_expression: bool,
    /// A limit is exceeded: there are no more tokens.
    stopped: bool,
}

impl<'a> Preprocessor<'a> {
    fn new(session: &'a mut Session, options: &'a PreprocessOptions<'a>) -> Preprocessor<'a> {
        let words = Words {
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
            output: Output::default(),
            once: HashSet::default(),
            line_begins: false,
            included: 0,
            tokens_left: MOST_TOKENS,
            depth: 0,
            in_expression: false,
            stopped: false,
        }
    }

    fn run(mut self, name: &str, text: &str) -> Output {
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
                self.stop(Span::default(), "the text is longer than 2 GiB");
                Span::default()
            }
        };
        self.output.tokens.push(Token { kind: TokenKind::End, span: end, spaced: true, first: true });
        self.output
    }

    /// Puts a token out. A joined name becomes several.
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

    /// Counts tokens that are read or produced. False if there are too many.
    fn spend(&mut self, tokens: usize, span: Span) -> bool {
        match self.tokens_left.checked_sub(tokens) {
            Some(left) => {
                self.tokens_left = left;
                !self.stopped
            }
            None => {
                self.stop(
                    span,
                    format!("the text has more than {MOST_TOKENS} tokens with those of its macros"),
                );
                false
            }
        }
    }

    /// A limit is exceeded.
    fn stop(&mut self, span: Span, message: impl Into<String>) {
        if !self.stopped {
            self.session.error(Code::LimitExceeded, span, message);
            self.stopped = true;
        }
    }
}

#[cfg(test)]
mod tests;
