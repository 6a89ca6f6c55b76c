//! Mechanisms that make encoding cheaper and change no result.

pub(in crate::encode) mod bundle;
pub(crate) mod by_index;
pub(in crate::encode) mod hoisted_copies;
pub(in crate::encode) mod replica;
