//! The verifier: a driver that wraps another driver and checks that both sides follow the contract.
//!
//! The verifier intercepts the calls and callbacks between the runtime and the driver. It records and reports
//! each breach of a [`Rule`] with the number of its clause in `CONTRACT.md`, the entry and the thread. The
//! call then continues normally, so a verified driver behaves like an unverified one. Without the wrapper,
//! nothing is checked and no overhead occurs.
//!
//! Both sides are wrapped. On the side of the [`Driver`], these are its tables for the adapter, the device
//! and the contexts, including tables that it publishes later. On the side of the runtime, these are the
//! callbacks. Private data and objects are not wrapped, because the driver must find its own data in the
//! handle storage. The verifier has data of its own for each device and each context, and identifies objects
//! by their addresses.
//!
//! The counterparts in D3D11 are the Windows Driver Verifier and the checks of the debug runtime.
//!
//! ```
//! use std::sync::Arc;
//!
//! use onze_ddi::{Driver, verifier};
//!
//! /// Wraps a driver so that every breach by the driver or its caller panics.
//! fn under_test(driver: Arc<dyn Driver>) -> Arc<dyn Driver> {
//!     verifier::verify_with(driver, Arc::new(|breach| panic!("{breach}")))
//! }
//! ```

mod adapter;
mod breach;
mod callbacks;
mod context;
mod deferred;
mod device;
mod immediate;
mod memory;
mod registry;
mod stream_output;
mod tessellation;
mod watch;

use std::sync::Arc;

use breach::BreachLog;
pub use breach::{Breach, Rule, Side, Sink, breaches};

use crate::{
    adapter::{AdapterFuncs, BoxFuture, Driver, OpenAdapterArgs, OpenAdapterError},
    forward::ForwardDriver,
};

/// Wraps a driver, reports breaches by the driver with [`crate::DeviceCoreLayer::report_bug`], and lists
/// breaches by both sides in [`breaches`].
pub fn verify(driver: Arc<dyn Driver>) -> Arc<dyn Driver> {
    Arc::new(Verifier::new(driver))
}

/// Wraps a driver and passes every breach by either side to `sink`, on the thread that detected it. Breaches
/// are not reported anywhere else.
pub fn verify_with(driver: Arc<dyn Driver>, sink: Sink) -> Arc<dyn Driver> {
    Arc::new(Verifier::with_sink(driver, sink))
}

/// A wrapped driver; see the [module](self).
pub struct Verifier {
    inner: Arc<dyn Driver>,
    log: Arc<BreachLog>,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").field("driver", &self.inner.name()).finish_non_exhaustive()
    }
}

impl Verifier {
    /// Wraps a driver like [`verify`]. The caller can list the breaches of this driver alone with
    /// [`Verifier::breaches`].
    pub fn new(driver: Arc<dyn Driver>) -> Self {
        Self { inner: driver, log: Arc::new(BreachLog::new(None)) }
    }

    /// Wraps a driver like [`verify_with`], with `sink` in place of both the process-wide list and
    /// `report_bug`.
    pub fn with_sink(driver: Arc<dyn Driver>, sink: Sink) -> Self {
        Self { inner: driver, log: Arc::new(BreachLog::new(Some(sink))) }
    }

    /// Returns the breaches recorded so far for this driver, oldest first, up to the first thousand.
    pub fn breaches(&self) -> Vec<Breach> {
        self.log.list()
    }
}

impl ForwardDriver for Verifier {
    type Inner = dyn Driver;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        Box::pin(async move {
            let inner = self.inner.open_adapter(args).await?;
            Ok(Arc::new(adapter::VerifiedAdapter::new(inner, self.log.clone())) as Arc<dyn AdapterFuncs>)
        })
    }
}
