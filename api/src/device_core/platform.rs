//! Differences between systems with threads and a browser's single thread.

pub(crate) const HAS_THREADS: bool = cfg!(not(target_arch = "wasm32"));

/// Whether a call can wait for the GPU, which is impossible in a browser, because results arrive only after
/// the call has returned to the event loop.
pub(crate) const CAN_WAIT: bool = HAS_THREADS;

/// Returns the number of CPU cores that threads can run on.
pub(crate) fn processors() -> u32 {
    if HAS_THREADS {
        std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
    } else {
        1
    }
}

/// Yields to the browser, and returns in a later turn of its event loop.
#[cfg(target_arch = "wasm32")]
pub(crate) async fn turn() {
    gloo_timers::future::TimeoutFuture::new(0).await;
}

/// Has no effect, because calls can wait on this platform.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) async fn turn() {}
