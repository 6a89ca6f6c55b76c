//! Maps and sets with a fast hash for small numbers and names of the program.
//!
//! The iteration order is the same in every run, so compiling a program again yields the same module.

pub(crate) use naga::{FastHashMap as HashMap, FastHashSet as HashSet};
