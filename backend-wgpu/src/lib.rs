//! The wgpu driver of Onze.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! let driver = onze_wgpu::driver();
//! assert_eq!(driver.name(), "wgpu");
//! ```
//!
//! The folders are layers, called rooms. ARCHITECTURE.md in the repository lists the rooms and explains how a
//! draw passes through them. The test `tests/tests/rooms/main.rs` in the workspace fails if a file imports from a
//! higher room.
//!
//! Principles for maintainers:
//!
//! 1. **The runtime has validated every call**, so this crate does not check the application's input again.
//!    An object that the adapter or wgpu cannot support is rejected at its creation, with an error that names
//!    it.
//! 2. **A wgpu error is a bug of this crate.** An error outside an error scope is logged and reported, and it
//!    removes the device (`services::gpu`).
//! 3. **A context writes 16-byte commands into pages** (`record::command`, `record::page`). Commands refer to
//!    objects by their index in an object table (`record::object_table`), which keeps the objects alive until
//!    the commands are submitted. A list, or a page of the immediate context, takes one reference to each
//!    object that it uses, so that single commands need none.
//! 4. **A page is self-contained.** It begins with commands that set the runtime's entire current state, so
//!    any worker can encode it at any time.
//! 5. **Identities move, base storage does not** (`objects::identity`). When the contents of a buffer are
//!    replaced, the buffer gets another slice of upload memory, because the GPU writes only to base storage.
//! 6. **Constant buffers share wgpu buffers** (`objects::allocator`), because the cost of a wgpu pass grows
//!    with the number of live buffers. A buffer that a vertex or index fetch could read out of bounds has a
//!    separate wgpu buffer.
//! 7. **Immutable objects are created once and shared** (`resource`, `view`, `state` and `shader` in
//!    `objects`), while state that changes during recording is stored as plain bytes in the context's handle
//!    storage.
//! 8. **Each worker has its own caches**, because two threads that use one bind group contend for its
//!    reference count. Destroying an object invalidates the workers' caches (`services::cache_invalidation`),
//!    and the GPU memory of textures and shared buffers is freed even while a cache refers to it. Pipelines
//!    are shared and, if the driver has its own threads, compiled on them (`encode::compile`).
//! 9. **Only the immediate context's thread submits**, in recording order. Destroyed objects are kept until
//!    the next submission, so an object may be dropped at any time and on any thread.
//! 10. **A draw has two bind groups**, one for constants and one for all other resources, each shared by both
//!     stages. Uniform bindings have dynamic offsets. `objects::shader` describes the layout of the groups.
//! 11. **Tuned numbers are in one file** (`services::policy`), where each tuned mechanism can be switched
//!     off.
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
/// The version of wgpu that this driver uses and whose objects [`interop`] exposes.
pub use wgpu;
