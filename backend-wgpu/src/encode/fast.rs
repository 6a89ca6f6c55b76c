//! Mechanisms that make encoding cheaper without changing any result.

pub(in crate::encode) mod bundle;
pub(crate) mod by_index;
pub(in crate::encode) mod hoisted_copies;
pub(in crate::encode) mod replica;
