//! Reads and runs the tests of other HLSL compilers.

#![forbid(unsafe_code)]

pub mod preprocess;
pub mod shader_test;
pub mod syntax;
