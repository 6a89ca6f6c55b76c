//! Differences between systems with threads and a browser, which has one.

/// Whether a call can wait for the GPU, which is true everywhere except in a browser.
///
/// In a browser the GPU's results arrive between two turns of the event loop, so a call that waits for one
/// would hang the page. Calls that wait in D3D11 there return "still drawing" or do without the result.
pub(crate) const CAN_WAIT: bool = cfg!(not(target_arch = "wasm32"));
