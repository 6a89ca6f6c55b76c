//! From tokens to the syntax tree, which represents the source.

pub(crate) mod ast;
pub(crate) mod builtin;
mod keyword;
mod parser;

pub(crate) use parser::parse;
