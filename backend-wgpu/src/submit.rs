//! Submission: runs, workers, uploads, readback and presenting.
//!
//! The immediate context gathers pages and lists into runs, workers encode them, and the immediate context's
//! thread submits. State that the device table also needs is in [`DeviceSubmission`].

pub(crate) mod belt;
mod casts;
mod device_submission;
pub(crate) mod immediate;
pub(crate) mod query_counts;
pub(crate) mod run;
pub(crate) mod run_queue;
pub(crate) mod statistics;
pub(crate) mod swap_chain;
pub(crate) mod worker;

pub(crate) use device_submission::DeviceSubmission;
