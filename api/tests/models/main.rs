//! Protocols between threads, tested under every schedule with at most three preemptions.
//!
//! The tests compile the library's own code with `loom`'s primitives, and the name of each test states a
//! guarantee of its protocol. Every access multiplies the number of schedules, so a scene has only two or
//! three threads with one or two steps each.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "the threads of a model take turns on one thread")]

#[path = "../../src/concurrent/mod.rs"]
#[allow(dead_code, reason = "a model needs only part of it")]
mod concurrent;
#[allow(dead_code, unused_imports, reason = "the driver's models need it too")]
mod sync;

use std::sync::{Arc, Weak};

use loom::{
    cell::UnsafeCell,
    sync::{
        Arc as Counted,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use concurrent::{
    budget::Budget,
    indices::Indices,
    numbers::Numbers,
    ownership::Ownership,
    published::Published,
    recycled::{Recycled, recycle},
    release_queue::ReleaseQueue,
    serial::SerialLock,
    sharded::ShardedSum,
    unique::Unique,
};

/// Runs `scene` under every schedule with at most three preemptions, because no known fault needs as many.
fn model(scene: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(scene);
}

fn start<T: 'static, R: 'static>(
    with: &Arc<T>,
    run: impl FnOnce(&T) -> R + 'static,
) -> thread::JoinHandle<R> {
    let with = with.clone();
    thread::spawn(move || run(&with))
}

fn join<R, const N: usize>(threads: [thread::JoinHandle<R>; N]) -> [R; N] {
    threads.map(|thread| thread.join().unwrap())
}

/// Memory without synchronization, for which `loom` reports a data race if a change is not ordered with
/// another thread's access.
#[derive(Default)]
struct Memory(UnsafeCell<u32>);

impl Memory {
    fn change(&self) {
        self.0.with_mut(|_| ());
    }

    fn look(&self) {
        self.0.with(|_| ());
    }
}

/// A queue of released objects with the final steps of its consumer, as in `api/src/device_core.rs`.
struct Releases {
    queue: ReleaseQueue<usize>,
    /// The state that the immediate context leaves to the threads that destroy objects after the context's
    /// end.
    parked: Memory,
    destroyed: [AtomicUsize; 2],
}

impl Releases {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            queue: ReleaseQueue::new(),
            parked: Memory::default(),
            destroyed: Default::default(),
        })
    }

    fn destroy_all(&self) {
        while let Some(object) = self.queue.pop() {
            self.destroyed[object].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn release(&self, object: usize) {
        if self.queue.push(object) {
            self.parked.look();
            self.destroy_all();
        }
    }

    /// Ends the immediate context, and destroys the remaining objects.
    fn finish(&self) {
        self.parked.change();
        self.queue.close();
        self.destroy_all();
    }

    fn destructions(&self) -> [usize; 2] {
        [0, 1].map(|object: usize| self.destroyed[object].load(Ordering::Relaxed))
    }
}

#[test]
fn a_release_while_the_consumer_closes_destroys_once() {
    model(|| {
        let releases = Releases::new();
        let other = start(&releases, |releases| releases.release(0));
        releases.finish();
        other.join().unwrap();
        assert_eq!(releases.destructions(), [1, 0], "nobody else would come for it");
    });
}

#[test]
fn two_threads_that_come_late_destroy_everything_between_them() {
    model(|| {
        let releases = Releases::new();
        let others = [0, 1].map(|object| start(&releases, move |releases| releases.release(object)));
        releases.finish();
        let [(), ()] = join(others);
        assert_eq!(releases.destructions(), [1, 1]);
    });
}

/// A model of `api/src/device_core/object.rs`, reduced to the state that threads share: an object and its
/// owner.
struct Object {
    ownership: Ownership<Owner>,
    released: Arc<ReleaseQueue<Arc<Object>>>,
    destructions: Arc<AtomicUsize>,
}

/// The state that the application's clones of an object share.
struct Owner {
    object: Arc<Object>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.object.released.push(self.object.clone());
    }
}

impl Object {
    fn new() -> Arc<Self> {
        let (released, destructions) = (Arc::new(ReleaseQueue::new()), Arc::new(AtomicUsize::new(0)));
        Arc::new(Self { ownership: Ownership::new(), released, destructions })
    }

    fn owner(self: &Arc<Self>) -> Arc<Owner> {
        self.ownership.owner(|| Owner { object: self.clone() })
    }
}

/// Destroys released objects that are unused, with the same rule as `RuntimeContext::drain`.
fn drain(released: &ReleaseQueue<Arc<Object>>, waiting: &mut Vec<Arc<Object>>) {
    while let Some(object) = released.pop() {
        waiting.push(object);
    }
    waiting.dedup_by(|a, b| Arc::ptr_eq(a, b));
    waiting.retain(|object| {
        let owned = object.ownership.try_is_owned();
        let unused = owned == Some(false) && Arc::strong_count(object) == 1;
        if unused {
            object.destructions.fetch_add(1, Ordering::Relaxed);
        }
        owned != Some(true) && !unused
    });
}

#[test]
fn an_object_brought_back_dies_after_its_next_owner_only() {
    model(|| {
        let object = Object::new();
        let (released, destructions) = (object.released.clone(), object.destructions.clone());
        let first = object.owner();
        // A deferred context has opened the object, and one of its getters returns the object to the
        // application.
        let other = thread::spawn(move || {
            let second = object.owner();
            drop(object);
            let destroyed = second.object.destructions.load(Ordering::Relaxed);
            assert_eq!(destroyed, 0, "the application has it");
        });
        drop(first);
        let mut waiting = Vec::new();
        drain(&released, &mut waiting);
        other.join().unwrap();
        drain(&released, &mut waiting);
        assert_eq!(destructions.load(Ordering::Relaxed), 1);
        assert!(waiting.is_empty());
    });
}

#[test]
fn an_object_has_one_owner_however_many_ask() {
    model(|| {
        let object = Object::new();
        let other = {
            let object = object.clone();
            thread::spawn(move || object.owner())
        };
        let here = object.owner();
        let there = other.join().unwrap();
        assert!(Arc::ptr_eq(&here, &there) && object.ownership.is_owned());
        drop((here, there));
        assert!(!object.ownership.is_owned());
        while object.released.pop().is_some() {}
    });
}

/// The table without functions that replaces the driver's table when the device is removed.
const NOTHING: u32 = 0;
/// The tables that the driver publishes.
const TABLES: [u32; 2] = [1, 2];

/// Creates the immediate context's table in its initial state.
fn published() -> Arc<Published<u32>> {
    let table = Published::new(NOTHING);
    table.publish(TABLES[0], || NOTHING);
    Arc::new(table)
}

fn withdraw(table: &Published<u32>) -> bool {
    table.withdraw("as a test".to_owned(), || NOTHING)
}

#[test]
fn a_removed_device_keeps_the_empty_table_whoever_publishes() {
    model(|| {
        let table = published();
        let driver = start(&table, |table| table.publish(TABLES[1], || NOTHING));
        assert!(withdraw(&table));
        driver.join().unwrap();
        assert_eq!(*table.load(), NOTHING);
        assert_eq!(table.reason(), Some("as a test"));
    });
}

#[test]
fn a_publisher_after_the_removal_sees_the_empty_table() {
    model(|| {
        let table = published();
        let remover = start(&table, withdraw);
        table.publish(TABLES[1], || NOTHING);
        if table.reason().is_none() {
            table.publish(TABLES[0], || NOTHING);
        }
        assert!(remover.join().unwrap());
        assert_eq!(*table.load(), NOTHING);
    });
}

#[test]
fn a_table_published_after_the_removal_is_never_seen() {
    model(|| {
        let table = published();
        assert!(withdraw(&table));
        let driver = start(&table, |table| table.publish(TABLES[1], || NOTHING));
        assert_eq!(*table.load(), NOTHING);
        driver.join().unwrap();
    });
}

#[test]
fn a_reader_never_sees_an_older_table_again() {
    model(|| {
        let table = published();
        let mut reader = table.reader();
        let remover = start(&table, |table| {
            table.publish(TABLES[1], || NOTHING);
            withdraw(table)
        });
        let seen = [*reader.get(), *reader.get()];
        let age = |seen| [TABLES[0], TABLES[1], NOTHING].iter().position(|table| *table == seen).unwrap();
        assert!(age(seen[0]) <= age(seen[1]));
        assert!(remover.join().unwrap());
        assert_eq!(*reader.get(), NOTHING);
    });
}

#[test]
fn a_table_is_unchanged_until_the_next_if_the_fast_path_is_on() {
    model(|| {
        let table = published();
        let mut reader = table.reader();
        let mut slow = table.reader();
        slow.disable_fast_path();
        let driver = start(&table, |table| table.publish(TABLES[1], || NOTHING));
        assert!(reader.unchanged().is_none_or(|seen| *seen == TABLES[0]));
        driver.join().unwrap();
        assert!(reader.unchanged().is_none());
        assert_eq!(*reader.get(), TABLES[1]);
        assert_eq!(reader.unchanged(), Some(&TABLES[1]));
        assert!(slow.unchanged().is_none());
        assert_eq!(*slow.get(), TABLES[1]);
        assert!(slow.unchanged().is_none());
    });
}

#[test]
fn a_device_is_removed_once() {
    model(|| {
        let table = published();
        let other = start(&table, withdraw);
        let (here, there) = (withdraw(&table), other.join().unwrap());
        assert!(here != there);
    });
}

#[test]
fn a_call_that_must_not_be_lost_avoids_the_empty_table() {
    model(|| {
        let table = published();
        let remover = start(&table, withdraw);
        let driver = start(&table, |table| table.publish(TABLES[1], || NOTHING));
        assert!(table.live().is_none_or(|live| TABLES.contains(&live)));
        remover.join().unwrap();
        driver.join().unwrap();
        assert_eq!(table.live(), None, "then it goes to the device table");
    });
}

#[test]
fn a_serial_driver_is_entered_by_one_thread_reentrantly() {
    struct Driver {
        lock: SerialLock,
        memory: Memory,
    }
    impl Driver {
        fn call(&self) {
            let outer = self.lock.enter();
            assert!(outer.is_some(), "only a thread that is inside gets no guard");
            self.memory.change();
            let inner = self.lock.enter();
            assert!(inner.is_none(), "or it would wait for itself");
            drop(inner);
            self.memory.change();
        }
    }
    model(|| {
        let driver = Arc::new(Driver { lock: SerialLock::new(true), memory: Memory::default() });
        let others = [(), ()].map(|()| start(&driver, Driver::call));
        driver.call();
        driver.call();
        let [(), ()] = join(others);
    });
}

struct List {
    recorded: bool,
    contents: Memory,
    home: Weak<Recycled<List>>,
    /// Number of recordings that were returned to the driver.
    freed: Arc<std::sync::atomic::AtomicUsize>,
}

impl List {
    fn empty(&mut self) {
        if std::mem::take(&mut self.recorded) {
            self.contents.change();
            self.freed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        self.empty();
    }
}

/// A clone of a list, held by the application.
struct ListClone(Counted<List>);

impl ListClone {
    /// Executes the list, and then drops the clone.
    fn execute(self) {
        self.0.contents.look();
    }
}

impl Drop for ListClone {
    fn drop(&mut self) {
        recycle(&mut self.0, |list| {
            let home = list.home.upgrade()?;
            list.empty();
            Some(home)
        });
    }
}

/// A deferred context that records lists one after another.
struct Recorder {
    recycled: Arc<Recycled<List>>,
    freed: Arc<std::sync::atomic::AtomicUsize>,
}

impl Recorder {
    fn new() -> Self {
        Self { recycled: Arc::new(Recycled::new(1)), freed: Arc::default() }
    }

    fn record(&self) -> ListClone {
        let home = Arc::downgrade(&self.recycled);
        let mut list = self.recycled.take(|| {
            let (home, freed) = (home.clone(), self.freed.clone());
            Counted::new(List { recorded: false, contents: Memory::default(), home, freed })
        });
        let own = Counted::get_mut(&mut list).unwrap_or_else(|| panic!("somebody else holds it"));
        assert!(!own.recorded, "it is empty");
        own.recorded = true;
        own.contents.change();
        ListClone(list)
    }
}

#[test]
fn a_list_is_recorded_again_only_when_its_last_user_has_let_go() {
    model(|| {
        let recorder = Recorder::new();
        let list = recorder.record();
        let clone = ListClone(list.0.clone());
        let other = thread::spawn(move || clone.execute());
        list.execute();
        let next = recorder.record();
        other.join().unwrap();
        drop(next);
        drop(recorder.record());
        assert_eq!(recorder.freed.load(Ordering::Relaxed), 3, "each recording is handed back once");
    });
}

#[test]
fn lists_dropped_at_once_by_two_threads_return_once_each() {
    model(|| {
        let recorder = Recorder::new();
        let others = [(), ()].map(|()| {
            let list = recorder.record();
            thread::spawn(move || list.execute())
        });
        drop(recorder.record());
        let [(), ()] = join(others);
        assert_eq!(recorder.freed.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn a_list_dropped_while_its_context_goes_returns_once() {
    model(|| {
        let recorder = Recorder::new();
        let (freed, list) = (recorder.freed.clone(), recorder.record());
        let other = thread::spawn(move || list.execute());
        drop(recorder);
        other.join().unwrap();
        assert_eq!(freed.load(Ordering::Relaxed), 1);
    });
}

#[derive(Default)]
struct State {
    given_up: std::sync::atomic::AtomicBool,
    found: AtomicUsize,
}

/// Returns the existing state for a descriptor, or creates it.
fn create(states: &Unique<&'static str, State>) -> Arc<State> {
    let found = |state: &Arc<State>| {
        let found = state.clone();
        // Another thread may run between these two steps, although the lock is held.
        found.found.fetch_add(1, Ordering::Relaxed);
        found.found.fetch_add(1, Ordering::Relaxed);
        found
    };
    let create = |_: &mut _| {
        let state = Arc::<State>::default();
        Ok::<_, ()>((state.clone(), state))
    };
    states.find_or_create("a descriptor", found, create).unwrap()
}

#[test]
fn a_state_that_is_being_destroyed_is_not_found_any_more() {
    model(|| {
        let states = Arc::new(Unique::new());
        let last = create(&states);
        let other = start(&states, create);
        last.found.load(Ordering::Relaxed);
        if states.forget(&"a descriptor", &last, 1) {
            last.given_up.store(true, Ordering::Relaxed);
        }
        let found = other.join().unwrap();
        assert!(!found.given_up.load(Ordering::Relaxed));
        assert!(Arc::ptr_eq(&found, &create(&states)), "it is the one of its descriptor now");
    });
}

#[test]
fn equal_descriptors_give_one_state_on_any_threads() {
    model(|| {
        let states = Arc::new(Unique::new());
        let other = start(&states, create);
        let here = create(&states);
        assert!(Arc::ptr_eq(&here, &other.join().unwrap()));
    });
}

#[test]
fn a_request_beyond_the_budget_does_not_block_one_that_fits() {
    model(|| {
        let budget = Arc::new(Budget::new(Some(100)));
        let fits = start(&budget, |budget| budget.take(60));
        let large = start(&budget, |budget| budget.take(200));
        assert!(budget.take(40));
        assert!(fits.join().unwrap() && !large.join().unwrap());
        assert_eq!(budget.used(), 100);
    });
}

#[test]
fn the_budget_is_never_exceeded_and_what_is_given_back_counts() {
    model(|| {
        let budget = Arc::new(Budget::new(Some(100)));
        let take = |budget: &Budget| {
            let taken = budget.take(60);
            assert!(budget.used() <= 100);
            if taken {
                budget.give(60);
            }
            taken
        };
        let others = [(), ()].map(|()| start(&budget, take));
        let taken = join(others);
        assert!(taken.contains(&true));
        assert_eq!(budget.used(), 0);
    });
}

#[test]
fn threads_subtract_from_a_sum_what_others_added() {
    model(|| {
        let sum = Arc::new(ShardedSum::default());
        sum.add(5);
        let others = [start(&sum, |sum| sum.sub(5)), start(&sum, |sum| sum.add(7))];
        assert!(sum.get() <= 12, "never as if below zero");
        let [(), ()] = join(others);
        assert_eq!(sum.get(), 7);
    });
}

#[test]
fn no_two_threads_get_the_same_number() {
    model(|| {
        let counter = sync::AtomicU64::new(Numbers::FIRST);
        let numbers = Arc::new(Numbers::new(counter));
        let two = |numbers: &Numbers| {
            let mine = std::cell::Cell::new(0);
            [numbers.next(&mine), numbers.next(&mine)]
        };
        let others = [(), ()].map(|()| start(&numbers, two));
        let mut all: Vec<_> = join(others).into_iter().chain([two(&numbers)]).flatten().collect();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == 6 && !all.contains(&0), "{all:?}");
    });
}

#[test]
fn an_index_is_nobody_elses_until_it_is_given_back() {
    model(|| {
        let indices = Arc::new(Indices::new());
        let dropped = indices.take();
        // The other thread gives back an index that this thread took, while both threads take indices.
        let other = start(&indices, move |indices| {
            indices.give(dropped);
            indices.take()
        });
        let mine = [indices.take(), indices.take()];
        let theirs = other.join().unwrap();
        assert!(mine[0] != mine[1] && !mine.contains(&theirs), "{mine:?} {theirs}");
    });
}
