//! The removal of a device, as an event that threads can wait for.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::{Duration, Instant},
};

/// Whether the device was removed, and the waiting threads and tasks.
#[derive(Default)]
pub(crate) struct Removal {
    waiting: Mutex<RemovalWaiters>,
    happened: Condvar,
}

#[derive(Default)]
struct RemovalWaiters {
    removed: bool,
    wakers: Vec<Waker>,
}

impl Removal {
    fn lock(&self) -> MutexGuard<'_, RemovalWaiters> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the lock, so that a test sees which calls wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        self.lock()
    }

    /// Records the removal, and wakes all waiting threads and tasks.
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

/// An event that is set when a device is removed because its GPU was lost or its driver failed. It is created
/// by [`Device::removed_event`](crate::Device::removed_event) and cheap to clone.
///
/// Threads and tasks can wait for the event, and it does not keep the device alive.
#[derive(Clone)]
pub struct DeviceRemovedEvent {
    pub(crate) removal: Arc<Removal>,
}

impl DeviceRemovedEvent {
    /// Returns whether the device was removed, without waiting.
    pub fn is_set(&self) -> bool {
        self.removal.lock().removed
    }

    /// Waits until the device is removed and returns true, or returns false if the timeout passes first.
    /// Without a timeout, the call waits indefinitely, even after the device was destroyed. In a browser,
    /// calls cannot block, so this call returns at once.
    pub fn wait(&self, timeout: Option<Duration>) -> bool {
        // This check comes before `Instant::now`, because the standard library's clock does not work in a
        // browser either.
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

    /// Completes when the device is removed, and is used by asynchronous tasks instead of
    /// [`wait`](Self::wait).
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
