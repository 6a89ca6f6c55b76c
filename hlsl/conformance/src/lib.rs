//! Runs the tests of other HLSL compilers and the test programs of this project.

#![forbid(unsafe_code)]

pub mod clock;
pub mod compiler;
pub mod corpora;
pub mod engine;
pub mod listing;
pub mod mutate;
pub mod preprocess;
pub mod programs;
pub mod report;
#[cfg(feature = "run")]
pub mod run;
pub mod shader_test;
pub mod shown;
pub mod syntax;
pub mod unit;
pub mod vkd3d;
pub mod writers;
