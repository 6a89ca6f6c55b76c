//! The removal of a device as an event that threads wait for.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::{Duration, Instant},
};

/// Whether the device is removed, and who waits for that.
#[derive(Default)]
pub(crate) struct Removal {
    waiting: Mutex<Waiting>,
    happened: Condvar,
}

#[derive(Default)]
struct Waiting {
    removed: bool,
    wakers: Vec<Waker>,
}

impl Removal {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the lock, so that a test sees which calls wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        self.lock()
    }

    /// The device is removed: all who wait go on.
    pub(super) fn happen(&self) {
        let wakers = {
            let mut waiting = self.lock();
            waiting.removed = true;
            std::mem::take(&mut waiting.wakers)
        };
        self.happened.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Tells when a device is removed: because its GPU was lost, or its driver failed. From
/// [`Device::removed_event`](crate::Device::removed_event). A cheap clone.
///
/// It does not keep the device, and may be waited for by a thread of its own, or by a task.
#[derive(Clone)]
pub struct DeviceRemovedEvent {
    pub(crate) removal: Arc<Removal>,
}

impl DeviceRemovedEvent {
    /// Whether the device was removed.
    pub fn is_set(&self) -> bool {
        self.removal.lock().removed
    }

    /// Waits until the device is removed; false if that does not happen within a time. Without a time it waits for as
    /// long as it takes, also when all of the device was dropped. In a browser, where no call can wait, it answers at
    /// once.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        // A browser has no clock of the standard library either.
        if !super::platform::CAN_WAIT {
            return self.is_set();
        }
        let began = Instant::now();
        let mut waiting = self.removal.lock();
        while !waiting.removed {
            let Some(most) = timeout else {
                waiting = self.removal.happened.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = most.saturating_sub(began.elapsed());
            if left.is_zero() {
                break;
            }
            let (again, _) =
                self.removal.happened.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner);
            waiting = again;
        }
        waiting.removed
    }

    /// Is ready when the device is removed.
    pub async fn removed(&self) {
        std::future::poll_fn(|task| {
            let mut waiting = self.removal.lock();
            if waiting.removed {
                return Poll::Ready(());
            }
            if !waiting.wakers.iter().any(|waker| waker.will_wake(task.waker())) {
                waiting.wakers.push(task.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

impl std::fmt::Debug for DeviceRemovedEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceRemovedEvent").field("is_set", &self.is_set()).finish()
    }
}
