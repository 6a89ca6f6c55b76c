//! From source text to tokens: the lexer and the preprocessor.

pub(crate) mod lexer;
pub(crate) mod number;
pub(crate) mod preprocess;
pub(crate) mod token;
