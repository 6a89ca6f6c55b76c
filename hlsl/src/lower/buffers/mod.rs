//! Buffers: structured ones, those of bytes, and hidden counters.

mod counters;
mod raw;
mod storage;
mod structured;

#[cfg(test)]
mod tests;

pub(super) use self::structured::Part;
