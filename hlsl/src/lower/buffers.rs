//! Structured buffers, byte address buffers and hidden counters.

mod counters;
mod raw;
mod storage;
mod structured;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_tests;
