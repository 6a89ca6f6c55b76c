//! The protocols' synchronization primitives, built on `loom`. At every access, `loom` may run another
//! thread, and a read may return any value that the memory model allows.
//!
//! The models of queues, swapped pointers and set-once values provide only the acquire and release ordering
//! that the original crates guarantee.

use std::sync::Mutex as Plain;

pub(crate) use loom::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence},
};

/// Maximum number of values that a model pushes into a queue.
const SLOTS: usize = 3;

/// An unbounded queue for any number of threads, like `crossbeam`'s `SegQueue`.
#[derive(Debug)]
pub(crate) struct SegQueue<T> {
    slots: [Slot<T>; SLOTS],
    next: AtomicUsize,
}

#[derive(Debug)]
struct Slot<T> {
    value: Plain<Option<T>>,
    full: AtomicBool,
}

impl<T> SegQueue<T> {
    pub(crate) fn new() -> Self {
        let slot = |_| Slot { value: Plain::new(None), full: AtomicBool::new(false) };
        Self { slots: std::array::from_fn(slot), next: AtomicUsize::new(0) }
    }

    pub(crate) fn push(&self, value: T) {
        let slot = &self.slots[self.next.fetch_add(1, Ordering::Relaxed)];
        *slot.value.lock().unwrap() = Some(value);
        slot.full.store(true, Ordering::Release);
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.full().find_map(|slot| slot.value.lock().unwrap().take())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.full().all(|slot| slot.value.lock().unwrap().is_none())
    }

    /// The pushed values that are visible to this thread, in order.
    fn full(&self) -> impl Iterator<Item = &Slot<T>> {
        self.slots.iter().take_while(|slot| slot.full.load(Ordering::Acquire))
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.iter().filter(|slot| slot.value.lock().unwrap().is_some()).count()
    }
}

/// A bounded queue for any number of threads, like `crossbeam`'s `ArrayQueue`.
#[derive(Debug)]
pub(crate) struct ArrayQueue<T> {
    values: Plain<Vec<T>>,
    capacity: usize,
    changes: AtomicUsize,
}

impl<T> ArrayQueue<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { values: Plain::new(Vec::new()), capacity, changes: AtomicUsize::new(0) }
    }

    pub(crate) fn push(&self, value: T) -> Result<(), T> {
        self.changes.fetch_add(1, Ordering::AcqRel);
        let mut values = self.values.lock().unwrap();
        if values.len() == self.capacity {
            return Err(value);
        }
        values.push(value);
        Ok(())
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.values.lock().unwrap().pop()
    }
}

/// A pointer that is replaced atomically, like `arc_swap`'s `ArcSwap`.
#[derive(Debug)]
pub(crate) struct ArcSwap<T> {
    values: Plain<Vec<std::sync::Arc<T>>>,
    current: AtomicUsize,
}

impl<T> ArcSwap<T> {
    pub(crate) fn from_pointee(value: T) -> Self {
        Self { values: Plain::new(vec![std::sync::Arc::new(value)]), current: AtomicUsize::new(0) }
    }

    pub(crate) fn store(&self, value: std::sync::Arc<T>) {
        let number = {
            let mut values = self.values.lock().unwrap();
            values.push(value);
            values.len() - 1
        };
        self.current.swap(number, Ordering::AcqRel);
    }

    pub(crate) fn load_full(&self) -> std::sync::Arc<T> {
        let number = self.current.load(Ordering::Acquire);
        self.values.lock().unwrap()[number].clone()
    }
}

/// A value that is set at most once, like the standard library's `OnceLock`.
#[derive(Debug)]
pub(crate) struct OnceLock<T> {
    value: std::sync::OnceLock<T>,
    set: AtomicBool,
}

impl<T> OnceLock<T> {
    pub(crate) fn new() -> Self {
        Self { value: std::sync::OnceLock::new(), set: AtomicBool::new(false) }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        if self.set.load(Ordering::Acquire) { self.value.get() } else { None }
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        self.value.set(value)?;
        self.set.store(true, Ordering::Release);
        Ok(())
    }
}

/// Number of shards, because with two, a model covers threads with a common shard and with different shards.
pub(crate) const SHARDS: usize = 2;

/// The number of the calling thread, which is unique and never 0.
pub(crate) fn thread_number() -> u64 {
    loom::lazy_static! {
        // Numbers restart with each schedule, so that schedules are reproducible.
        static ref NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    }
    loom::thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

/// The state for parking a thread, needed because `loom`'s own parking loses a wake-up that precedes the
/// sleep.
#[derive(Debug)]
pub(crate) struct Sleep {
    woken: Mutex<bool>,
    waking: loom::sync::Condvar,
}

loom::thread_local! {
    static SLEEP: std::cell::RefCell<Option<std::sync::Arc<Sleep>>> = std::cell::RefCell::new(None);
}

impl Sleep {
    pub(crate) fn new() -> std::sync::Arc<Self> {
        std::sync::Arc::new(Self { woken: Mutex::new(false), waking: loom::sync::Condvar::new() })
    }

    /// Makes the calling thread use this state for all later parking.
    pub(crate) fn attach(self: &std::sync::Arc<Self>) {
        SLEEP.with(|sleep| *sleep.borrow_mut() = Some(self.clone()));
    }

    pub(crate) fn unpark(&self) {
        *self.woken.lock().unwrap() = true;
        self.waking.notify_one();
    }

    pub(crate) fn park(&self) {
        let mut woken = self.woken.lock().unwrap();
        while !std::mem::take(&mut *woken) {
            woken = self.waking.wait(woken).unwrap();
        }
    }
}

/// Sleeps until the thread is woken, or returns immediately if it was woken since the last call.
pub(crate) fn park() {
    let sleep = SLEEP.with(|sleep| sleep.borrow().clone());
    sleep.unwrap().park();
}
