//! Tests of the pipeline, and of passes whose effect shows in complete modules.

mod by_index;
mod counts;
pub(crate) mod languages;
mod order;
mod outputs;
mod patches;
mod streams;
mod typed;
