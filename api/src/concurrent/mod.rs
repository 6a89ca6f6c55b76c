//! The protocols between threads, each small enough to be tested under every possible schedule.
//!
//! The protocols are independent of graphics, so `tests/models` can compile them a second time, with `loom`'s
//! primitives as `crate::sync`, and check the guarantees of each protocol.

pub(crate) mod budget;
pub(crate) mod indices;
pub(crate) mod numbers;
pub(crate) mod ownership;
pub(crate) mod published;
pub(crate) mod recycled;
pub(crate) mod release_queue;
pub(crate) mod serial;
pub(crate) mod sharded;
pub(crate) mod unique;
