//! The null driver of Onze: it keeps the whole contract of `onze-ddi`, and draws nothing.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! let driver = onze_null::driver();
//! assert_eq!(driver.name(), "null");
//! ```
//!
//! What it is for: to measure what the API and its runtime cost alone, to test them where there is no
//! GPU, and to show to an author of a driver what each part of the contract looks like when it is kept.
//!
//! 1. **Resources are bytes in memory.** Maps, updates, copies and initial data really move them; clears,
//!    draws and mips leave them as they are.
//! 2. **The immediate context executes as it records**, but behaves as if a GPU did it later: work is
//!    announced with `render` when the command buffer is full or flushed, and only then are its queries
//!    answered and its staging maps granted.
//! 3. **A deferred context records** the commands that move data, and the list replays them against what
//!    the resources hold *then*: so a list sees a DISCARD that came after its recording. What the list
//!    itself wrote through maps, it keeps, and writes again at each execution.
//! 4. **Both record through one `Page`**: the table of the distinct objects that a command
//!    buffer uses, entered once each. Whether an object is in it is told by two numbers in its private
//!    bytes in that context, so a bind touches no memory that another context touches.
//! 5. **Nothing is deallocated before the submission that may have used it**: destroyed objects wait in a
//!    lock-free queue for the next flush.
//!
//! Files have the names that they have in `onze-ddi`; `page.rs` and `command_list.rs` hold what a driver
//! has of its own.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod adapter;
mod caps;
mod command_list;
mod context;
mod deferred;
mod device;
mod immediate;
mod page;
mod query;
mod resource;

use std::sync::Arc;

pub use adapter::NullDriver;

/// The null driver as a user wants it: both interfaces, command lists, no limits.
pub fn driver() -> Arc<dyn onze_ddi::Driver> {
    Arc::new(NullDriver::default())
}
