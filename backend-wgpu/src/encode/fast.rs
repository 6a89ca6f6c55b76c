//! Mechanisms that make encoding cheaper without changing any result.

pub(crate) mod bundle;
pub(crate) mod by_index;
pub(crate) mod replica;
pub(crate) mod stretch;
