//! An immediate context that several owners share (D3D11: the result of `GetImmediateContext`, with
//! `ID3D11Multithread`).

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::ImmediateContext;
use crate::{report::Error, sync::thread_number};

/// A shared immediate context, cheap to clone (D3D11: `ID3D11Multithread`, with explicit locking). It is
/// meant for applications in which many objects store the context, such as ports of code that calls
/// `GetImmediateContext` in many functions.
///
/// Prefer to store the [`ImmediateContext`] in one object and to pass it to functions as `&mut
/// DeviceContext`. The compiler then detects the conflicts that this type detects only at run time, and no
/// lock is needed.
///
/// With this type, each use [enters](Self::enter) the context, and leaves it when the guard is dropped.
/// Entering the context while another guard exists is an error:
///
/// * on the same thread, because the thread would wait for itself (pass the context of the first guard to
///   functions instead);
/// * on another thread, unless [`set_multithread_protected`](Self::set_multithread_protected) makes it wait.
///
/// ```
/// use onze::{SharedContext, prelude::*};
///
/// struct Terrain {
///     context: SharedContext,
/// }
///
/// impl Terrain {
///     fn draw(&self) -> Result<(), onze::Error> {
///         let mut context = self.context.enter()?;
///         context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
///         // Entering the context again would fail, so pass it on.
///         draw_trees(&mut context);
///         Ok(())
///     }
/// }
///
/// fn draw_trees(context: &mut DeviceContext) {
///     context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
/// }
///
/// # fn main() -> Result<(), onze::Error> {
/// # let desc = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
/// let (device, immediate) = create_device(&desc)?;
/// let context = SharedContext::new(immediate);
/// let terrain = Terrain { context: context.clone() };
/// terrain.draw()?;
/// context.enter()?.flush();
/// # Ok(())
/// # }
/// ```
#[doc(alias = "ID3D11Multithread")]
#[derive(Clone)]
pub struct SharedContext {
    shared: Arc<SharedContextState>,
}

struct SharedContextState {
    context: Mutex<ImmediateContext>,
    /// The number of the thread that has entered the context, or 0.
    inside: AtomicU64,
    /// Whether threads wait for the thread that has entered the context.
    protected: AtomicBool,
}

impl SharedContext {
    /// Shares a context between threads, which initially do not wait for each other, as in Direct3D 11.
    pub fn new(context: ImmediateContext) -> Self {
        let (inside, protected) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { shared: Arc::new(SharedContextState { context: Mutex::new(context), inside, protected }) }
    }

    /// Enters the context, and leaves it again when the guard is dropped (D3D11: `Enter` and `Leave`).
    ///
    /// The call waits for another thread only after [`set_multithread_protected`](Self::set_multithread_protected).
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if this thread already has a guard, or if another thread has a guard and
    /// threads do not wait for each other.
    #[doc(alias = "Enter")]
    #[doc(alias = "Leave")]
    pub fn enter(&self) -> Result<ContextGuard<'_>, Error> {
        let (shared, me) = (&*self.shared, thread_number());
        // Only this thread stores its own number, so a stale value cannot be equal to it.
        if shared.inside.load(Ordering::Relaxed) == me {
            return Err(Error::InvalidCall(
                "this thread has already entered the shared context; drop its guard first, or pass the context of that \
                 guard on"
                    .to_owned(),
            ));
        }
        let context = if shared.protected.load(Ordering::Relaxed) {
            shared.context.lock().unwrap_or_else(PoisonError::into_inner)
        } else {
            match shared.context.try_lock() {
                Ok(context) => context,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::InvalidCall(
                        "another thread has entered the shared context; call `set_multithread_protected(true)` to let \
                         threads wait for each other"
                            .to_owned(),
                    ));
                }
            }
        };
        shared.inside.store(me, Ordering::Relaxed);
        Ok(ContextGuard { inside: &shared.inside, context })
    }

    /// Sets whether threads wait for each other, and returns the previous setting (D3D11:
    /// `SetMultithreadProtected`).
    #[doc(alias = "SetMultithreadProtected")]
    pub fn set_multithread_protected(&self, protected: bool) -> bool {
        self.shared.protected.swap(protected, Ordering::Relaxed)
    }

    /// Returns whether threads wait for each other (D3D11: `GetMultithreadProtected`).
    #[doc(alias = "GetMultithreadProtected")]
    pub fn is_multithread_protected(&self) -> bool {
        self.shared.protected.load(Ordering::Relaxed)
    }

    /// Returns the context if this is the only clone.
    ///
    /// # Errors
    /// Returns `self` if there are other clones.
    pub fn into_inner(self) -> Result<ImmediateContext, Self> {
        match Arc::try_unwrap(self.shared) {
            Ok(shared) => Ok(shared.context.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Err(shared) => Err(Self { shared }),
        }
    }
}

impl std::fmt::Debug for SharedContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedContext")
            .field("is_entered", &(self.shared.inside.load(Ordering::Relaxed) != 0))
            .field("is_multithread_protected", &self.is_multithread_protected())
            .finish_non_exhaustive()
    }
}

/// A guard for an entered [`SharedContext`] that dereferences to the [`ImmediateContext`] and leaves the
/// context when it is dropped.
pub struct ContextGuard<'a> {
    inside: &'a AtomicU64,
    context: MutexGuard<'a, ImmediateContext>,
}

impl Deref for ContextGuard<'_> {
    type Target = ImmediateContext;

    fn deref(&self) -> &ImmediateContext {
        &self.context
    }
}

impl DerefMut for ContextGuard<'_> {
    fn deref_mut(&mut self) -> &mut ImmediateContext {
        &mut self.context
    }
}

impl std::fmt::Debug for ContextGuard<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ContextGuard").field(&*self.context).finish()
    }
}

impl Drop for ContextGuard<'_> {
    fn drop(&mut self) {
        // Clears the number before the lock is released, because a later store could erase the number of the
        // next thread.
        self.inside.store(0, Ordering::Relaxed);
    }
}
