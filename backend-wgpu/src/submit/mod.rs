//! Submission: runs, workers, uploads, readback and presenting.

pub(crate) mod belt;
pub(crate) mod immediate;
pub(crate) mod query_counts;
pub(crate) mod run;
pub(crate) mod run_queue;
pub(crate) mod statistics;
pub(crate) mod swap_chain;
pub(crate) mod worker;
