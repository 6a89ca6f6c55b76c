//! What differs between a system with threads and a browser's single one.

/// Whether threads can be started.
pub(crate) const HAS_THREADS: bool = cfg!(not(target_arch = "wasm32"));

/// Whether a call can wait for the GPU: a browser gives its answers between two calls only.
pub(crate) const CAN_WAIT: bool = HAS_THREADS;

/// Processors that threads can run on.
pub(crate) fn processors() -> u32 {
    if HAS_THREADS {
        std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX))
    } else {
        1
    }
}

/// Lets the browser go on, and returns in a later turn of its event loop.
#[cfg(target_arch = "wasm32")]
pub(crate) async fn turn() {
    gloo_timers::future::TimeoutFuture::new(0).await;
}

/// Does nothing: here calls wait.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) async fn turn() {}
