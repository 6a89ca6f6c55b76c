//! The wgpu driver of Onze.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! let driver = onze_wgpu::driver();
//! assert_eq!(driver.name(), "wgpu");
//! ```
//!
//! The source has five rooms. Each imports itself and the rooms below it:
//!
//! | room | contents |
//! | --- | --- |
//! | the files beside the rooms | adapters, the device and its table, the tables of contexts, interop |
//! | `submit` | runs, workers, the immediate context's submissions, uploads, readback, presenting, statistics |
//! | `encode` | pages to wgpu commands: passes, bindings, pipelines, bundles, copies |
//! | `record` | commands, pages, object tables, the recorder, upload pages, command lists |
//! | `objects` | buffers, textures, views, shaders, state objects, queries, and their memory |
//! | `services` | the wgpu device, adapter facts, the policy, errors, cache invalidation, conversions, locks |
//!
//! `tests/tests/rooms.rs` in the workspace fails on an import that runs upwards.
//!
//! What its maintainer must know:
//!
//! 1. **The runtime has validated.** This crate does not check the application's input again. Objects that this
//!    adapter or wgpu cannot support are refused by name when they are created. A created object never fails later.
//! 2. **A wgpu error is a bug of ours.** An error outside of an error scope is logged, reported and removes the device
//!    (`services::gpu`).
//! 3. **A context writes 16-byte commands into pages** (`record::command`, `record::page`). Commands name objects by
//!    their index in an object table (`record::object_table`), which keeps the objects alive until they were
//!    submitted. So there is one reference count for each object and page of the immediate context, and for each
//!    object and list; none for a command.
//! 4. **A page stands alone.** It begins with the whole state, fetched from the runtime. Any worker may encode it at
//!    any time.
//! 5. **Identities move, base storage does not** (`objects::identity`). Replacing the contents of a buffer gives its
//!    name another slice of an upload page. The GPU writes base storage only.
//! 6. **Constant buffers share wgpu buffers** (`objects::allocator`), because the cost of a wgpu pass grows with the
//!    number of live buffers. Every buffer that a fetch could read out of bounds has its own.
//! 7. **Immutable objects are made once and shared** (`resource`, `view`, `state` and `shader` in `objects`). State
//!    that changes while recording is plain bytes in the context's own handle storage.
//! 8. **Caches belong to a worker.** Two threads that touch one bind group share its reference count, which is slow.
//!    Destroyed objects invalidate the workers' caches (`services::cache_invalidation`) and free GPU memory even while
//!    cached. Pipelines are shared, and compiled by the driver's own threads if it has any (`encode::compile`).
//! 9. **Only the immediate context's thread submits**, in recording order; then destroyed objects are retired.
//!    Dropping an object is safe at any time after that, on any thread.
//! 10. **A draw has two bind groups**, one of constants and one of all other resources, for both stages. Uniform
//!     bindings have dynamic offsets. `objects::shader` has the plan.
//! 11. **Tuned numbers stand in one place** (`services::policy`), where each mechanism can be switched off.
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
/// wgpu, of the version whose objects [`interop`] hands out.
pub use wgpu;
