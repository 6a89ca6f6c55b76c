//! The null driver of Onze, which keeps the whole contract of `onze-ddi` and draws nothing.
//!
//! ```
//! use onze_ddi::Driver;
//!
//! let driver = onze_null::driver();
//! assert_eq!(driver.name(), "null");
//! ```
//!
//! It measures the cost of the API and its runtime alone, tests them without a GPU, and shows authors of
//! drivers how to keep each part of the contract.
//!
//! 1. **Resources are bytes in memory.** Maps, updates, copies and initial data really move them, while
//!    clears, draws and mip generation leave them unchanged.
//! 2. **The immediate context executes as it records** but behaves as if a GPU did the work later. Work is
//!    announced with `render` when the command buffer is full or flushed, and only then do its queries return
//!    results and its staging maps succeed.
//! 3. **A deferred context records** the commands that move data, and the list replays them on the resources'
//!    contents at the time of execution, so a list sees a DISCARD that came after its recording. The
//!    list keeps the bytes that it wrote through its own maps and writes them again at each execution.
//! 4. **Both record through one `Page`**, the table of the distinct objects that a command buffer uses, each
//!    entered once. Two numbers in the object's private bytes in that context tell whether the object is in
//!    the table, so a bind touches no memory that another context touches.
//! 5. **Memory is deallocated only after the submission that may have used it**, because destroyed objects
//!    wait in a lock-free queue for the next flush.
//!
//! Files have the same names as in `onze-ddi`, except `page.rs` and `command_list.rs`, which contain the
//! parts that only a driver has.
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

/// Returns the null driver with its defaults: both interfaces, command lists, and no limits.
pub fn driver() -> Arc<dyn onze_ddi::Driver> {
    Arc::new(NullDriver::default())
}
