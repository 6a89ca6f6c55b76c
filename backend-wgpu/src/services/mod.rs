//! Services that every room uses: the wgpu device, cache invalidation, conversions and locks.

pub(crate) mod convert;
pub(crate) mod gone;
pub(crate) mod gpu;
pub(crate) mod ids;
pub(crate) mod sync;
