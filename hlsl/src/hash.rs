//! Maps and sets with a fast hash.
//!
//! Keys are small numbers and names of the program. The order of iteration is the same in every run, so that a program
//! always gives the same module.

pub(crate) use naga::{FastHashMap as HashMap, FastHashSet as HashSet};
