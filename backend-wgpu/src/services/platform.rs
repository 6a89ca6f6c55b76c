//! Differences between browsers, in which this driver has one thread, and systems with threads.

/// Whether a call can wait for the GPU, true everywhere except in a browser.
///
/// In a browser, the GPU's results arrive between two iterations of the event loop, so a call that waits for
/// a result would hang the page. For this reason, calls that wait in D3D11 return "still drawing" there or do
/// without the result.
pub(crate) const CAN_WAIT: bool = cfg!(not(target_arch = "wasm32"));
