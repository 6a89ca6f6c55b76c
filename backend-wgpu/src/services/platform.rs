//! What differs between a system with threads and a browser's single one.

/// Whether a call can wait for the GPU.
///
/// In a browser the GPU's answers arrive between two turns of the event loop, so a call that waited for one would
/// hang the page. There, what D3D11 waits for is answered with "still drawing" or done without an answer.
pub(crate) const CAN_WAIT: bool = cfg!(not(target_arch = "wasm32"));
