//! The verifier: a driver that wraps any other one and checks both sides of the contract.
//!
//! It stands between runtime and driver and sees every call and every callback. A breach of a
//! [`Rule`] is recorded and told, with the number of its clause in `CONTRACT.md`, the entry and the
//! thread, and the call goes on as if nothing were: so what is verified behaves as it does unverified. Without the wrapper nothing is checked and nothing costs.
//!
//! What wraps what: the driver's tables are wrapped ([`Driver`], adapter, device, both kinds of
//! context, also tables that are published later), and so are the runtime's callbacks. Private data and
//! objects pass through untouched, as the driver must find its own in the storage; the verifier keeps
//! its books per device and per context table, by the objects' addresses.
//!
//! D3D11's counterpart is Driver Verifier, with the checks of the debug runtime.
//!
//! ```
//! use std::sync::Arc;
//!
//! use onze_ddi::{Driver, verifier};
//!
//! /// Has every breach of a driver, and of what calls it, end a test.
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
mod watch;

use std::sync::Arc;

use breach::Log;
pub use breach::{Breach, Rule, Side, Sink, breaches};

use crate::{
    adapter::{AdapterFuncs, BoxFuture, Driver, OpenAdapterArgs, OpenAdapterError},
    caps::AdapterInfo,
};

/// Wraps a driver. The driver's breaches are reported with
/// [`crate::DeviceCoreLayer::report_bug`]; both sides' are listed by [`breaches`].
pub fn verify(driver: Arc<dyn Driver>) -> Arc<dyn Driver> {
    Arc::new(Verifier::new(driver))
}

/// Wraps a driver; every breach of either side goes to `sink`, on the thread that saw it, and nowhere
/// else.
pub fn verify_with(driver: Arc<dyn Driver>, sink: Sink) -> Arc<dyn Driver> {
    Arc::new(Verifier::with_sink(driver, sink))
}

/// A driver under watch; see the [module](self).
pub struct Verifier {
    inner: Arc<dyn Driver>,
    log: Arc<Log>,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").field("driver", &self.inner.name()).finish_non_exhaustive()
    }
}

impl Verifier {
    /// As [`verify`], for those who want to ask for the breaches of this driver alone.
    pub fn new(driver: Arc<dyn Driver>) -> Self {
        Self { inner: driver, log: Arc::new(Log::new(None)) }
    }

    /// As [`verify_with`].
    pub fn with_sink(driver: Arc<dyn Driver>, sink: Sink) -> Self {
        Self { inner: driver, log: Arc::new(Log::new(Some(sink))) }
    }

    /// The breaches that this driver's devices have seen so far, oldest first; at most the first
    /// thousand.
    pub fn breaches(&self) -> Vec<Breach> {
        self.log.list()
    }
}

impl Driver for Verifier {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn adapters(&self) -> BoxFuture<'_, Vec<AdapterInfo>> {
        self.inner.adapters()
    }

    fn open_adapter(
        &self,
        args: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn AdapterFuncs>, OpenAdapterError>> {
        Box::pin(async move {
            let inner = self.inner.open_adapter(args).await?;
            Ok(Arc::new(adapter::Adapter::new(inner, self.log.clone())) as Arc<dyn AdapterFuncs>)
        })
    }
}
