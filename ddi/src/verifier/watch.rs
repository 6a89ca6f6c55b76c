//! The verifier's books of a device and of each context: who is inside, what is open, what is mapped.

use std::{
    any::Any,
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, Weak},
    thread::ThreadId,
};

use super::{
    breach::{Check, Log, Rule, ensure, lock},
    registry::{Address, Registry, address},
};
use crate::{
    adapter::CreateDeviceFlags,
    callbacks::DeviceCoreLayer,
    caps::ThreadingCaps,
    context::Entry,
    device::HandleSize,
    handle::{Handle, HandleKind, HandleType, Key},
    map::MappedMemory,
    storage::HandleStorage,
};

/// The books of a device.
pub(super) struct DeviceWatch {
    log: Arc<Log>,
    /// Weak: the runtime's side may hold the tables, which hold this.
    core: Weak<dyn DeviceCoreLayer>,
    pub(super) threading: ThreadingCaps,
    pub(super) flags: CreateDeviceFlags,
    /// The handle sizes that the driver lists.
    pub(super) sizes: OnceLock<Vec<HandleSize>>,
    pub(super) registry: Mutex<Registry>,
    /// Deferred contexts that live; taken out when they are destroyed, which also ends the circle.
    pub(super) contexts: Mutex<Vec<Arc<ContextWatch>>>,
    /// Memory that is allocated, and whether for a primary.
    pub(super) allocations: Mutex<HashMap<u64, bool>>,
    /// Threads inside, when only one may be.
    inside: Mutex<Vec<ThreadId>>,
}

/// A thread is inside the driver.
pub(super) struct Serial<'a>(&'a DeviceWatch);

impl Drop for Serial<'_> {
    fn drop(&mut self) {
        let mut inside = lock(&self.0.inside);
        let thread = std::thread::current().id();
        if let Some(index) = inside.iter().rposition(|t| *t == thread) {
            inside.remove(index);
        }
    }
}

impl DeviceWatch {
    pub(super) fn new(
        log: Arc<Log>,
        core: &Arc<dyn DeviceCoreLayer>,
        threading: ThreadingCaps,
        flags: CreateDeviceFlags,
    ) -> Self {
        Self {
            log,
            core: Arc::downgrade(core),
            threading,
            flags,
            sizes: OnceLock::new(),
            registry: Mutex::default(),
            contexts: Mutex::default(),
            allocations: Mutex::default(),
            inside: Mutex::default(),
        }
    }

    /// Records a check that failed.
    pub(super) fn record(&self, entry: &'static str, check: Check) {
        if check.is_err() {
            self.log.record(self.core.upgrade().as_deref(), entry, check);
        }
    }

    /// Enters the driver, by an entry that is not free-threaded unless the driver says so.
    #[must_use]
    pub(super) fn enter(&self, entry: &'static str) -> Option<Serial<'_>> {
        if self.threading != ThreadingCaps::Serialized {
            return None;
        }
        let thread = std::thread::current().id();
        let other = {
            let mut inside = lock(&self.inside);
            inside.push(thread);
            inside.iter().find(|t| **t != thread).copied()
        };
        self.record(entry, ensure(other.is_none(), Rule::Serialized, || format!("{other:?} is inside too")));
        Some(Serial(self))
    }
}

/// What kind of entry is called, as far as the books are concerned.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Binds something.
    State,
    /// Records a command.
    Command,
    /// Closes a handle, or destroys what belongs to the context: may come within amortized processing.
    Close,
    /// Anything else.
    Other,
}

/// A context is entered.
#[derive(Copy, Clone, Debug)]
struct Inside {
    thread: ThreadId,
    entry: &'static str,
    /// The runtime is processing, on the driver's request.
    amortizing: bool,
    /// It has done so in this entry.
    amortized: bool,
}

/// A handle that a deferred context has open.
#[derive(Copy, Clone, Debug)]
pub(super) struct Open {
    pub(super) kind: HandleType,
    pub(super) object: Address,
    /// A view's resource.
    pub(super) dependency: Option<Key>,
}

/// What a context's books say now.
#[derive(Debug, Default)]
pub(super) struct ContextState {
    inside: Option<Inside>,
    /// Deferred contexts: what is open.
    pub(super) open: HashMap<Key, Open>,
    /// Deferred contexts: what could not be opened; the runtime may close it all the same.
    pub(super) not_opened: HashSet<Key>,
    /// Deferred contexts: what this recording has mapped with `WriteDiscard`.
    pub(super) discarded: HashSet<Key>,
    /// Deferred contexts: whether something is recorded.
    pub(super) recorded: bool,
    /// Deferred contexts: a recording has ended and the next has not begun.
    pub(super) ended: bool,
    /// Cookie and address of what is mapped.
    maps: HashMap<(Key, u32), (u64, usize)>,
}

/// The books of a context.
pub(super) struct ContextWatch {
    pub(super) device: Arc<DeviceWatch>,
    pub(super) deferred: bool,
    /// Where the driver's private data is, once it is known.
    private: OnceLock<usize>,
    pub(super) state: Mutex<ContextState>,
}

/// Where private data is. Of two data without bytes, both may be at the same place.
pub(super) fn private_address(private: &(dyn Any + Send)) -> usize {
    std::ptr::from_ref(private).cast::<()>().addr()
}

/// A context is entered; leaves it when dropped.
pub(super) struct Visit<'a> {
    watch: &'a ContextWatch,
    before: Option<Inside>,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        lock(&self.watch.state).inside = self.before;
    }
}

impl ContextWatch {
    pub(super) fn new(device: Arc<DeviceWatch>, deferred: bool) -> Arc<Self> {
        Arc::new(Self { device, deferred, private: OnceLock::new(), state: Mutex::default() })
    }

    /// Notes where the private data is.
    pub(super) fn set_private(&self, private: &(dyn Any + Send)) {
        // Set once: a table can be entered only after its context exists.
        let _ = self.private.set(private_address(private));
    }

    /// Whether the private data is this context's.
    pub(super) fn owns(&self, private: &(dyn Any + Send)) -> bool {
        self.private.get().is_none_or(|at| *at == private_address(private))
    }

    /// Enters the context.
    #[must_use]
    pub(super) fn enter(&self, entry: &'static str, role: Role, cx: &Entry<'_>) -> Visit<'_> {
        let owns = ensure(self.owns(cx.private), Rule::OwnPrivateData, || "of another context".into());
        self.device.record(entry, owns);
        let thread = std::thread::current().id();
        let (before, stale) = {
            let mut state = lock(&self.state);
            let inside = Inside { thread, entry, amortizing: false, amortized: false };
            let before = state.inside.replace(inside);
            // Whatever is not the end of the last recording is the beginning of the next.
            let begins = role != Role::Close && std::mem::take(&mut state.ended);
            state.recorded |= role == Role::Command;
            (before, if begins { state.open.len() } else { 0 })
        };
        self.device.record(entry, may_enter(before, thread, role));
        self.device.record(
            entry,
            ensure(stale == 0, Rule::ClosedAfterRecording, || {
                format!("{stale} are open from the last recording")
            }),
        );
        Visit { watch: self, before }
    }

    /// The driver asks for amortized processing.
    pub(super) fn amortize(&self, entry: &'static str) {
        let twice = {
            let mut state = lock(&self.state);
            let Some(inside) = &mut state.inside else { return };
            inside.amortizing = true;
            std::mem::replace(&mut inside.amortized, true)
        };
        self.device.record(entry, ensure(!twice, Rule::AmortizedOnce, || "again in the same entry".into()));
    }

    /// Amortized processing is over.
    pub(super) fn amortized(&self) {
        if let Some(inside) = &mut lock(&self.state).inside {
            inside.amortizing = false;
        }
    }

    /// Checks a handle that is used.
    pub(super) fn handle<K: HandleKind>(
        &self,
        entry: &'static str,
        handles: &HandleStorage,
        handle: Handle<K>,
    ) {
        self.device.record(entry, self.check_handle(handles, handle));
    }

    fn check_handle<K: HandleKind>(&self, handles: &HandleStorage, handle: Handle<K>) -> Check {
        let Some(object) = handles.object(handle) else {
            return Err((Rule::HandleOpen, format!("{handle:?} is not in the context's storage")));
        };
        let is = lock(&self.device.registry).is(address(object), K::TYPE);
        ensure(is, Rule::HandleKind, || format!("{handle:?} is no living object of that kind"))?;
        let opened = !self.deferred || lock(&self.state).open.contains_key(&handle.key());
        ensure(opened, Rule::HandleOpen, || format!("{handle:?} is in the storage but was not opened"))
    }

    /// Before a map.
    pub(super) fn may_map(&self, key: Key, subresource: u32) -> Check {
        let mapped = lock(&self.state).maps.contains_key(&(key, subresource));
        ensure(!mapped, Rule::MapOnce, || format!("{key:?}, subresource {subresource}"))
    }

    /// After a map.
    pub(super) fn mapped(
        &self,
        key: Key,
        subresource: u32,
        memory: &MappedMemory,
        buffer_bytes: u32,
    ) -> Check {
        let what = (memory.cookie(), memory.bytes().as_ptr().addr());
        lock(&self.state).maps.insert((key, subresource), what);
        let bytes = memory.bytes().len();
        ensure(bytes >= buffer_bytes as usize, Rule::MappedWhole, || {
            format!("{bytes} bytes of {buffer_bytes}")
        })
    }

    /// Before an unmap.
    pub(super) fn unmap(&self, key: Key, subresource: u32, memory: &MappedMemory) -> Check {
        let what = (memory.cookie(), memory.bytes().as_ptr().addr());
        let mapped = lock(&self.state).maps.remove(&(key, subresource));
        ensure(mapped == Some(what), Rule::UnmapMapped, || match mapped {
            None => format!("{key:?}, subresource {subresource}, is not mapped"),
            Some(_) => format!("{key:?}, subresource {subresource}, has other memory"),
        })
    }

    /// Before a list is finished (`None`) or a handle closed: forgets maps that were left.
    pub(super) fn end_maps(&self, of: Option<Key>) -> Check {
        let mut state = lock(&self.state);
        let before = state.maps.len();
        state.maps.retain(|(key, _), _| of.is_some_and(|of| of != *key));
        let left = before - state.maps.len();
        drop(state);
        ensure(left == 0, Rule::MapsEnded, || format!("{left} are mapped"))
    }
}

fn may_enter(before: Option<Inside>, thread: ThreadId, role: Role) -> Check {
    let Some(before) = before else { return Ok(()) };
    ensure(before.thread == thread, Rule::OneThreadPerContext, || {
        format!("{:?} is in `{}`", before.thread, before.entry)
    })?;
    ensure(before.amortizing && role == Role::Close, Rule::ReentryOnlyToClose, || {
        format!("within `{}`", before.entry)
    })
}
