//! The wgpu driver of Onze.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! let driver = onze_wgpu::driver();
//! assert_eq!(driver.name(), "wgpu");
//! ```
//!
//! The folders are layers, called rooms. ARCHITECTURE.md in the repository lists them and explains how a draw
//! passes through them, and `tests/tests/rooms.rs` in the workspace fails on an import of a higher room.
//!
//! Principles for maintainers:
//!
//! 1. **The runtime has validated every call**, so this crate does not check the application's input again.
//!    Objects that the adapter or wgpu cannot support are refused by name at creation, so a created object
//!    never fails later.
//! 2. **A wgpu error is a bug of this crate.** An error outside of an error scope is logged, reported and
//!    removes the device (`services::gpu`).
//! 3. **A context writes 16-byte commands into pages** (`record::command`, `record::page`). Commands name
//!    objects by their index in an object table (`record::object_table`), which keeps the objects alive until
//!    they are submitted. This costs one reference count for each object and page of the immediate context,
//!    and one for each object and list, while a command counts no references.
//! 4. **A page is self-contained.** It begins with the whole state, fetched from the runtime, so any worker
//!    may encode it at any time.
//! 5. **Identities move, base storage does not** (`objects::identity`). Replacing the contents of a buffer
//!    gives it another slice of upload memory, while the GPU writes only to base storage.
//! 6. **Constant buffers share wgpu buffers** (`objects::allocator`), because the cost of a wgpu pass grows
//!    with the number of live buffers. A buffer that a fetch could read out of bounds has a wgpu buffer of
//!    its own.
//! 7. **Immutable objects are made once and shared** (`resource`, `view`, `state` and `shader` in `objects`).
//!    State that changes during recording is plain bytes in the context's own handle storage.
//! 8. **Caches belong to a worker**, because two threads that touch one bind group share its reference count,
//!    which is slow. Destroyed objects invalidate the workers' caches (`services::cache_invalidation`) and
//!    free GPU memory even while they are cached. Pipelines are shared, and the driver's own threads compile
//!    them, if it has any (`encode::compile`).
//! 9. **Only the immediate context's thread submits**, in recording order. Destroyed objects are retired
//!    afterwards, so dropping an object is safe at any time after that and on any thread.
//! 10. **A draw has two bind groups**, one for constants and one for all other resources, each shared by both
//!     stages. Uniform bindings have dynamic offsets, and `objects::shader` describes the plan.
//! 11. **Tuned numbers are in one place** (`services::policy`), where each mechanism can be switched off.
#![forbid(unsafe_code)]

mod adapter;
mod context;
mod deferred;
mod device;
mod device_table;
mod encode;
mod format_support;
mod immediate;
pub mod interop;
mod objects;
pub mod pipeline_cache;
mod record;
mod services;
mod submit;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use adapter::{driver, noop_driver};
/// The version of wgpu whose objects [`interop`] exposes.
pub use wgpu;
