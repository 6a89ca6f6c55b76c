//! The wgpu driver of Onze.
//!
//! The source has five rooms, and each imports itself and those below it:
//!
//! | room | what is in it |
//! | --- | --- |
//! | the files beside the rooms | adapters, the device and its table, the tables of contexts, interop |
//! | `submit` | runs, workers, the immediate context's submissions, uploads, readback, presenting, statistics |
//! | `encode` | pages to wgpu commands: passes, bindings, pipelines, bundles, copies |
//! | `record` | commands, pages, object tables, the recorder, upload pages, command lists |
//! | `objects` | buffers, textures, views, shaders, state objects, queries, and their memory |
//! | `services` | the wgpu device, adapter facts, errors, cache invalidation, conversions, locks |
//!
//! `tests/tests/rooms.rs` in the workspace fails on an import that runs upwards.
//!
//! What its maintainer must know:
//!
//! 1. **The runtime has validated.** Nothing here checks the application's input again. What this
//!    adapter or wgpu cannot do is refused where the object is created, by name; nothing that was
//!    created may fail later.
//! 2. **A wgpu error is a bug of ours.** One that is not caught in a scope is logged, reported and
//!    removes the device (`services::gpu`).
//! 3. **A context writes 16-byte commands into pages** (`record::command`, `record::page`); it names objects by
//!    their index in an object table (`record::object_table`), which keeps them alive until they were submitted. So
//!    there is one reference count per object and page of the immediate context, and per object and list;
//!    none per command.
//! 4. **A page stands alone.** It begins with the whole state, fetched from the runtime; any worker may
//!    encode it at any time.
//! 5. **Identities move, homes do not** (`objects::identity`). Replacing the contents of a buffer gives the
//!    name another slice of an upload page; the GPU writes homes only.
//! 6. **Constant buffers share wgpu buffers** (`objects::allocator`), as wgpu's passes cost by the number of
//!    live buffers; everything that a fetch could read out of bounds has its own.
//! 7. **Immutable things are made once and shared** (`resource`, `view`, `state` and `shader` in `objects`);
//!    what changes with recording is plain bytes in the context's own handle storage.
//! 8. **Caches belong to a worker.** Two threads that touch one bind group fight over its count. What goes
//!    tells them so (`services::cache_invalidation`), and gives the GPU's memory back whatever they keep.
//!    Pipelines are shared, and compiled on no thread of the application's (`encode::compiler`).
//! 9. **Only the immediate context's thread submits**, in recording order; then what was destroyed is
//!    retired. Dropping an object is safe at any time after that, on any thread.
//! 10. **A draw has two bind groups**, of constants and of all else, for both stages; uniform bindings have
//!     dynamic offsets. `objects::shader` has the plan.
#![forbid(unsafe_code)]

mod adapter;
mod context;
mod deferred;
mod device;
mod device_table;
mod encode;
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
