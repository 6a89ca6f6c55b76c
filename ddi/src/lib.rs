//! The driver interface of Onze: the contract between the Direct3D 11 runtime and a driver.
//!
//! What a driver author must know:
//!
//! 1. **The runtime validates, the driver assumes.** Arguments are within D3D11's limits and handles
//!    are open where they are used. A driver holds no debug checks of the application's input.
//! 2. **An adapter is opened first** ([`Driver::open_adapter`]); versions are listed by the driver and
//!    chosen by the runtime ([`negotiate`]); then a device is created with all that it will ever be told.
//! 3. **The device table is free-threaded and never changes**: create, destroy, calc and check
//!    ([`DeviceFuncs`]). Calc entries depend on nothing but their arguments.
//! 4. **A context is entered by one thread at a time** ([`ContextFuncs`]). Its state comes with the call
//!    ([`Entry`]) and goes back with it; a driver keeps nothing of a context in a global place.
//! 5. **Handles are context-local.** The immediate one exists first and last; a deferred context opens
//!    its own at the first use in a recording. Private bytes live in the runtime's
//!    [`HandleStorage`], on cache lines of their own; read-only data is an `Arc` that all share.
//! 6. **Errors belong to an entry and to a context.** An entry can answer only what its error type
//!    allows; [`DriverBug`] is for all else and removes the device.
//! 7. **Destruction is deferred.** [`DeviceFuncs::destroy`] comes from any thread: what the GPU may
//!    still use is deallocated after the submission that used it, at the latest in a
//!    [`ImmediateFuncs::flush`], also an empty one. Primaries are the exception: gone at once.
//! 8. **Amortized processing is the driver's duty**: after each submission, and each time that a
//!    deferred context runs out of room, before the next preamble.
//! 9. **Preambles are made from the state callbacks** ([`StateRefresh`]), so a driver need not shadow
//!    what is bound.
//! 10. **The immediate table may be replaced** at any time by either side
//!     ([`DeviceCoreLayer::publish_immediate_table`]); a call runs in the table that it entered.
//!
//! The [`guide`] tells how to write a driver, with one that compiles. `CONTRACT.md` has every clause, with
//! where it is kept, which test shows it and which rule of the [`verifier`] enforces it on any driver.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod adapter;
pub mod argument;
pub mod binding;
pub mod callbacks;
pub mod caps;
pub mod context;
pub mod device;
pub mod error;
pub mod format;
#[doc = include_str!("guide.md")]
pub mod guide {
    #[allow(unused_imports, reason = "the links of the text are resolved here")]
    use super::*;
}
pub mod handle;
pub mod indirect;
pub mod map;
pub mod number;
pub mod query;
pub mod recycle;
pub mod resource;
pub mod sampler;
pub mod shader;
pub mod slots;
pub mod stage;
pub mod state;
pub mod statistics;
pub mod storage;
pub mod swap_chain;
pub mod texture;
pub mod topology;
pub mod verifier;
pub mod version;
pub mod view;

pub use naga;
pub use raw_window_handle;

pub use adapter::*;
pub use argument::Argument;
pub use binding::*;
pub use callbacks::*;
pub use caps::*;
pub use context::*;
pub use device::*;
pub use error::*;
pub use format::{ComponentKind, Format, copy_compatible};
pub use handle::*;
pub use indirect::*;
pub use map::{MapBlock, MapPage, MapType, MappedMemory, Written, zeroed_page};
pub use number::UnknownNumber;
pub use query::*;
pub use recycle::*;
pub use resource::*;
pub use sampler::*;
pub use shader::*;
pub use slots::*;
pub use stage::*;
pub use state::*;
pub use statistics::{DrawWays, DriverStatistics};
pub use storage::HandleStorage;
pub use swap_chain::*;
pub use texture::*;
pub use topology::*;
pub use version::{DdiVersion, negotiate};
pub use view::*;
