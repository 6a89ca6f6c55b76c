//! Tokens, which the lexer creates, the preprocessor rewrites, and the parser reads.

use crate::session::{names::Symbol, source::Span};

/// A token, which is kept to 20 bytes because a program has many tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    pub(crate) spaced: bool,
    pub(crate) first: bool,
}

/// The kind of a token, whose text is the source text of its span.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TokenKind {
    Name(Symbol),
    /// A number such as `1`, `0x1fu`, `.5h` or `1e+3`. Other characters after it form separate tokens: `1abc`
    /// is a number and a name, and `1.xxx` is a number, a dot and a name.
    Number,
    String,
    Punct(Punct),
    /// The pragma `pack_matrix`, which sets the packing of all following matrices that are declared without
    /// one.
    PackMatrix(Packing),
    Unknown(char),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Packing {
    /// Each register contains a row, so a `float3x4` takes three registers.
    RowMajor,
    /// Each register contains a column, so a `float3x4` takes four registers.
    ColumnMajor,
}

macro_rules! puncts {
    ($($name:ident $text:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Punct {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Punct {
            pub(crate) const ALL: &[Punct] = &[$(Punct::$name,)*];

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
    pub(crate) fn at(text: &[u8]) -> Option<Punct> {
        let begins = |punct: &Punct| text.starts_with(punct.text().as_bytes());
        PUNCTS_BY_BYTE.get(usize::from(*text.first()?))?.iter().flatten().copied().find(begins)
    }
}

const MOST_ALIKE: usize = 4;

/// Operators and separators, grouped by their first character, with longer ones first in each group.
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
