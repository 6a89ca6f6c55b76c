//! Presenting: frames are counted, nothing is shown.

use std::sync::atomic::{AtomicU64, Ordering};

/// The presenting half of a swap chain.
///
/// A driver-level test finds it behind the [`onze_ddi::DriverObject`] that `create_swap_chain` returned.
#[derive(Debug, Default)]
pub struct NullSwapChain {
    frames: AtomicU64,
}

impl NullSwapChain {
    /// How often it was presented.
    pub fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) {
        self.frames.fetch_add(1, Ordering::Relaxed);
    }
}
