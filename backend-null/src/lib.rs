//! The null driver of Onze, which implements the whole contract of `onze-ddi` but draws nothing.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! let driver = onze_null::driver();
//! assert_eq!(driver.name(), "null");
//! ```
//!
//! Use the null driver to measure the cost of the API and its runtime alone, and to test them without a GPU.
//! Its source also shows driver authors how to follow each part of the contract.
//!
//! 1. **Resources are bytes in memory.** Maps, updates, copies and initial data move these bytes, but clears,
//!    draws and mip generation leave them unchanged.
//! 2. **The immediate context executes as it records**, but behaves as if a GPU did the work later. When the
//!    command buffer is full or flushed, the driver submits it with `render`. Only after this submission do
//!    its queries return results and its staging maps succeed.
//! 3. **A deferred context records** the commands that move data. The list replays these commands on the
//!    contents that the resources have at execution, so a list sees a DISCARD that came after its recording.
//!    The bytes that the recording wrote through maps belong to the list, and each execution writes them
//!    again.
//! 4. **Both contexts record through one `Page` type**, which contains a table of the distinct objects that a
//!    command buffer uses. Each object is entered once. Two numbers in the private bytes of the object's
//!    handle show whether the object is already in the table, so a bind accesses no memory that another
//!    context accesses.
//! 5. **Memory is deallocated only after the submission that may have used it.** Until then, destroyed
//!    objects wait in a lock-free queue.
//!
//! Files have the same names as in `onze-ddi`. Only `page.rs` and `command_list.rs` have no counterpart in
//! `onze-ddi`, because only drivers have pages and the commands of lists.
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

/// Returns the null driver with its default capabilities: both interfaces, command lists, and no limits.
pub fn driver() -> Arc<dyn onze_ddi::Driver> {
    Arc::new(NullDriver::default())
}
