//! Services that every layer uses: the wgpu device, adapter information, the policy, errors, cache
//! invalidation, conversions and locks.
//!
//! This is the lowest layer of the driver, and imports no other layer.

pub(crate) mod adapter_kind;
pub(crate) mod cache_invalidation;
pub(crate) mod convert;
pub(crate) mod error_scope;
pub(crate) mod gpu;
pub(crate) mod ids;
pub(crate) mod names;
pub(crate) mod packing;
pub(crate) mod platform;
pub(crate) mod policy;
pub(crate) mod sizes;
pub(crate) mod sync;
