//! The driver interface of Onze: the contract between the Direct3D 11 runtime and a driver.
//!
//! These ten rules are the basis of every driver:
//!
//! 1. **The runtime validates, the driver assumes.** Arguments are within D3D11's limits, and every handle
//!    that a call passes is open, so a driver contains no debug checks of the application's input.
//! 2. **An adapter is opened first** ([`Driver::open_adapter`]). The driver lists its versions, the runtime
//!    chooses one ([`negotiate`]), and device creation then passes all the settings of the device at once.
//! 3. **The device table is free-threaded and never changes.** It contains the create, destroy, calc and
//!    check entries ([`DeviceFuncs`]), and the calc entries depend only on their arguments.
//! 4. **A context is entered by one thread at a time** ([`ContextFuncs`]). Each call lends the context's
//!    state to the driver ([`Entry`]), so a driver keeps no context state in globals.
//! 5. **Handles are context-local.** An object's immediate handle is created first and closed last, while a
//!    deferred context opens its own handle when a recording first uses the object. Private bytes are in the
//!    runtime's [`HandleStorage`], on separate cache lines for each context, and read-only data is an `Arc`
//!    that all contexts share.
//! 6. **Errors belong to an entry and to a context.** An entry can return only the errors that its error type
//!    allows, and [`DriverBug`] covers everything else and removes the device.
//! 7. **Destruction is deferred.** Any thread may call [`DeviceFuncs::destroy`]. Memory that the GPU may
//!    still use is deallocated after the submission that used it, or in a later [`ImmediateFuncs::flush`],
//!    even if that flush has nothing to submit. Only the memory of primaries is deallocated at once.
//! 8. **Amortized processing is the driver's duty.** Before writing the next preamble, the driver requests
//!    amortized processing: after each submission and, on a deferred context, each time that a command buffer
//!    is full.
//! 9. **Preambles are made from the state callbacks** ([`StateRefresh`]), so a driver need not shadow the
//!    bindings.
//! 10. **The immediate table may be replaced** at any time, by the driver
//!     ([`DeviceCoreLayer::publish_immediate_table`]) or by the runtime. A call that is already running ends
//!     in the table that it entered.
//!
//! The [`guide`] explains how to write a driver and includes a small driver that compiles. `CONTRACT.md`
//! lists every clause of the contract with its implementation, its tests, and the [`verifier`] rules that
//! enforce it on any driver.
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
pub mod forward;
#[doc = include_str!("guide.md")]
pub mod guide {
    #[allow(unused_imports, reason = "links in the guide are resolved in this scope")]
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
pub mod stream_output;
pub mod swap_chain;
pub mod tessellation;
pub mod texture;
pub mod topology;
pub mod upload_page;
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
pub use stream_output::*;
pub use swap_chain::*;
pub use tessellation::*;
pub use texture::*;
pub use topology::*;
pub use upload_page::{PageSlice, UploadPage};
pub use version::{DdiVersion, negotiate};
pub use view::*;
