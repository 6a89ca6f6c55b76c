//! Maps and sets with a hash function that is fast for small numbers and for names.
//!
//! The iteration order is the same in every run, so compiling a program again yields the same module.

pub(crate) use naga::{FastHashMap as HashMap, FastHashSet as HashSet};
