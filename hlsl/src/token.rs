//! Tokens, which the lexer creates, the preprocessor rewrites and the parser reads.

use crate::hash::HashMap;
use std::sync::Arc;

use crate::source::Span;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// Returns the index of the name.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The interned names of a compilation.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    /// For each symbol's index, whether the name consists of several names joined by `::`.
    joined: Vec<bool>,
    symbols: HashMap<Arc<str>, Symbol>,
}

impl Names {
    /// Returns the symbol of a name.
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.joined.push(text.contains("::"));
        self.symbols.insert(text, symbol);
        symbol
    }

    /// Returns all names, in the order of their symbols' indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// Returns whether a name consists of several names joined by `::`.
    pub(crate) fn is_joined(&self, symbol: Symbol) -> bool {
        self.joined[symbol.0 as usize]
    }

    /// Returns the name of a symbol.
    pub(crate) fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}

/// A token, which takes four words of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether white space or a comment precedes the token.
    pub(crate) spaced: bool,
    /// Whether the token is the first of its line.
    pub(crate) first: bool,
}

/// The kind of a token. Its text is that of its span.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TokenKind {
    /// An identifier or a keyword.
    Name(Symbol),
    /// A number: `1`, `0x1fu`, `.5h`, `1e+3`. `1abc` is a number and a name, `1.xxx` a number, a point and a name.
    Number,
    /// A string with its quotes.
    String,
    /// An operator or a separator.
    Punct(Punct),
    /// `#pragma pack_matrix`, the packing of all following matrices that do not declare theirs.
    PackMatrix(Packing),
    /// A character that the language does not use.
    Unknown(char),
    /// The end of the text.
    End,
}

/// The layout of a matrix in a constant buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Packing {
    /// Each register holds a row.
    RowMajor,
    /// Each register holds a column.
    ColumnMajor,
}

macro_rules! puncts {
    ($($name:ident $text:literal,)*) => {
        /// An operator or a separator.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Punct {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Punct {
            /// All operators and separators.
            pub(crate) const ALL: &[Punct] = &[$(Punct::$name,)*];

            /// Returns the spelling.
            pub(crate) const fn text(self) -> &'static str {
                match self {
                    $(Punct::$name => $text,)*
                }
            }
        }
    };
}

puncts! {
    ShiftLeftAssign "<<=",
    ShiftRightAssign ">>=",
    Ellipsis "...",
    AddAssign "+=",
    SubtractAssign "-=",
    MultiplyAssign "*=",
    DivideAssign "/=",
    ModuloAssign "%=",
    AndAssign "&=",
    OrAssign "|=",
    XorAssign "^=",
    ShiftLeft "<<",
    ShiftRight ">>",
    Increment "++",
    Decrement "--",
    LogicalAnd "&&",
    LogicalOr "||",
    Equal "==",
    NotEqual "!=",
    LessEqual "<=",
    GreaterEqual ">=",
    Scope "::",
    Paste "##",
    Add "+",
    Subtract "-",
    Multiply "*",
    Divide "/",
    Modulo "%",
    And "&",
    Or "|",
    Xor "^",
    Not "!",
    Complement "~",
    Less "<",
    Greater ">",
    Assign "=",
    Question "?",
    Colon ":",
    Semicolon ";",
    Comma ",",
    Dot ".",
    Hash "#",
    OpenParenthesis "(",
    CloseParenthesis ")",
    OpenBracket "[",
    CloseBracket "]",
    OpenBrace "{",
    CloseBrace "}",
}

impl Punct {
    /// Returns the longest operator or separator at the beginning of a text.
    pub(crate) fn at(text: &[u8]) -> Option<Punct> {
        let begins = |punct: &Punct| text.starts_with(punct.text().as_bytes());
        PUNCTS_BY_BYTE.get(usize::from(*text.first()?))?.iter().flatten().copied().find(begins)
    }
}

/// Maximum number of operators with the same first character.
const MOST_ALIKE: usize = 4;

/// Operators and separators by their first character, longer ones first.
static PUNCTS_BY_BYTE: [[Option<Punct>; MOST_ALIKE]; 128] = puncts_by_byte();

const fn puncts_by_byte() -> [[Option<Punct>; MOST_ALIKE]; 128] {
    let mut table = [[None; MOST_ALIKE]; 128];
    let mut index = 0;
    while index < Punct::ALL.len() {
        let punct = Punct::ALL[index];
        let alike = &mut table[punct.text().as_bytes()[0] as usize];
        let mut free = 0;
        while alike[free].is_some() {
            free += 1;
        }
        alike[free] = Some(punct);
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_symbol() {
        let mut names = Names::default();
        let (a, b) = (names.intern("a"), names.intern("b"));
        assert_ne!(a, b);
        assert_eq!(names.intern("a"), a);
        assert_eq!(&**names.text(b), "b");
        let joined = names.intern("a::b");
        assert!(names.is_joined(joined) && !names.is_joined(a));
    }

    #[test]
    fn operators_are_found_by_their_first_character() {
        for punct in Punct::ALL {
            assert_eq!(Punct::at(punct.text().as_bytes()), Some(*punct));
            assert_eq!(Punct::at(format!("{} a", punct.text()).as_bytes()), Some(*punct));
        }
        for text in ["", "@", "a", "\u{e4}"] {
            assert_eq!(Punct::at(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn longer_operators_come_before_their_beginnings() {
        for (index, punct) in Punct::ALL.iter().enumerate() {
            for earlier in &Punct::ALL[..index] {
                assert!(!punct.text().starts_with(earlier.text()), "{earlier:?} hides {punct:?}");
            }
        }
    }
}
