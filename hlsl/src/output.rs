//! The results of a compilation: the compiled program, its reflection, and its stored form.

pub(crate) mod compiled;
pub(crate) mod reflect;
pub mod reflection;
#[cfg(feature = "serde")]
pub(crate) mod stored;
