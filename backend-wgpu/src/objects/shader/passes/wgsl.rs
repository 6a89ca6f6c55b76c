//! WGSL text that several passes share.

pub(crate) mod elements;
pub(crate) mod images;
