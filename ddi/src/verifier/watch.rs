//! The state that the verifier tracks for a device and for each context, such as active calls, open handles
//! and maps.

use std::{
    any::Any,
    collections::{HashMap, HashSet},
    ops::Range,
    sync::{Arc, Mutex, OnceLock, Weak, atomic::AtomicU64},
    thread::ThreadId,
};

use super::{
    breach::{BreachLog, CheckResult, Rule, ensure, lock},
    memory::{CalcGuard, MemoryWatch},
    registry::{LifeStage, ObjectAddress, Registry, address},
};
use crate::{
    adapter::{CreateDeviceArgs, CreateDeviceFlags},
    callbacks::{DeviceCoreLayer, KernelCallbacks, StateRefresh},
    caps::ThreadingCaps,
    device::HandleSize,
    format::Format,
    handle::{Handle, HandleType, Key, QueryHandle, kind},
    map::{MappedMemory, Written},
    query::QueryType,
    storage::HandleStorage,
};

pub(super) struct DeviceWatch {
    log: Arc<BreachLog>,
    /// The runtime's device, as a weak reference because the runtime may own the tables, and the tables own
    /// this struct.
    core: Weak<dyn DeviceCoreLayer>,
    pub(super) threading: ThreadingCaps,
    pub(super) flags: CreateDeviceFlags,
    pub(super) sizes: OnceLock<Vec<HandleSize>>,
    pub(super) registry: Mutex<Registry>,
    /// Deferred contexts, each removed when it is destroyed, which also breaks the reference cycle.
    pub(super) contexts: Mutex<Vec<Arc<ContextWatch>>>,
    pub(super) memory: Mutex<MemoryWatch>,
    pub(super) kernel: Arc<dyn KernelCallbacks>,
    pub(super) fence: AtomicU64,
    /// The newest immediate table, and for each thread, the newest table that it has published.
    pub(super) tables: Mutex<PublishedTables>,
    /// Threads on which the driver has removed the device.
    removed: Mutex<HashSet<ThreadId>>,
    pub(super) answers: Mutex<HashMap<(&'static str, Format, u32), u32>>,
    /// The threads inside the driver, tracked only if the device is serialized.
    inside: Mutex<Vec<ThreadId>>,
}

/// Numbers of the immediate context's published tables, in the order of publication.
#[derive(Debug, Default)]
pub(super) struct PublishedTables {
    pub(super) newest: u64,
    pub(super) by_thread: HashMap<ThreadId, u64>,
}

/// Marks a thread as being inside the driver, until the guard is dropped.
pub(super) struct SerialGuard<'a>(&'a DeviceWatch);

impl Drop for SerialGuard<'_> {
    fn drop(&mut self) {
        let mut inside = lock(&self.0.inside);
        let thread = std::thread::current().id();
        if let Some(index) = inside.iter().rposition(|t| *t == thread) {
            inside.remove(index);
        }
    }
}

impl DeviceWatch {
    pub(super) fn new(log: Arc<BreachLog>, args: &CreateDeviceArgs) -> Self {
        Self {
            log,
            core: Arc::downgrade(&args.core),
            threading: args.threading,
            flags: args.flags,
            sizes: OnceLock::new(),
            registry: Mutex::default(),
            contexts: Mutex::default(),
            memory: Mutex::default(),
            kernel: args.kernel.clone(),
            fence: AtomicU64::new(0),
            tables: Mutex::default(),
            removed: Mutex::default(),
            answers: Mutex::default(),
            inside: Mutex::default(),
        }
    }

    pub(super) fn record(&self, entry: &'static str, check: CheckResult) {
        if check.is_err() {
            self.log.record(self.core.upgrade().as_deref(), entry, check);
        }
    }

    /// The address of this struct, which identifies the device.
    pub(super) fn place(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    pub(super) fn remove(&self) {
        lock(&self.removed).insert(std::thread::current().id());
    }

    /// Whether the driver has removed the device on any thread.
    pub(super) fn is_removed(&self) -> bool {
        !lock(&self.removed).is_empty()
    }

    /// Checks that a callback is not called within a calc entry.
    pub(super) fn called_back(&self, callback: &'static str) {
        let check = ensure(!CalcGuard::is_now(), Rule::CalcCallsNothing, || "within a calc entry".into());
        self.record(callback, check);
    }

    /// Tracks that this thread enters the driver and, on a serialized device, also checks that no other
    /// thread is inside.
    #[must_use]
    pub(super) fn enter(&self, entry: &'static str) -> Option<SerialGuard<'_>> {
        if self.threading != ThreadingCaps::Serialized {
            return None;
        }
        let thread = std::thread::current().id();
        let other = {
            let mut inside = lock(&self.inside);
            inside.push(thread);
            inside.iter().find(|t| **t != thread).copied()
        };
        self.record(entry, ensure(other.is_none(), Rule::Serialized, || format!("{other:?} is also inside")));
        Some(SerialGuard(self))
    }
}

/// The type of an entry, as far as it affects the tracked state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum EntryRole {
    State,
    Command,
    /// An entry that closes a handle or destroys an object of the context, possibly within amortized
    /// processing.
    Close,
    Other,
}

/// A call into a context that has not returned yet.
#[derive(Copy, Clone, Debug)]
struct ActiveEntry {
    thread: ThreadId,
    entry: &'static str,
    /// Whether the runtime is performing amortized processing at the driver's request.
    amortizing: bool,
    /// Whether amortized processing was already called in this entry.
    amortized: bool,
    /// Whether amortized processing still has to follow a reported submission.
    owed: bool,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct OpenHandle {
    pub(super) kind: HandleType,
    pub(super) object: ObjectAddress,
    pub(super) dependency: Option<Key>,
}

#[derive(Debug, Default)]
pub(super) struct ContextState {
    inside: Option<ActiveEntry>,
    /// Deferred contexts: the stage, as defined in [`crate::recycle`].
    pub(super) at: LifeStage,
    pub(super) open: HashMap<Key, OpenHandle>,
    /// Deferred contexts: handles that could not be opened, which the runtime may close anyway.
    pub(super) not_opened: HashSet<Key>,
    /// The immediate context: descriptions of objects that were closed while deferred contexts had them open.
    /// If the context is entered again, these become breaches. If the context ends instead, closing these
    /// objects was correct, because deferred contexts may outlive the immediate context.
    pub(super) closed_early: Vec<String>,
    /// Deferred contexts: resources that this recording has mapped with `WriteDiscard`.
    pub(super) discarded: HashSet<Key>,
    pub(super) recorded: bool,
    /// Deferred contexts: objects used by the lists that this recording executes.
    pub(super) nested: Vec<ObjectAddress>,
    begun: HashSet<Key>,
    /// Deferred contexts: queries that begin in this recording or in the lists that it executes.
    pub(super) queries: HashSet<Key>,
    /// Deferred contexts: whether the recording ran out of memory.
    pub(super) lost: bool,
    /// Deferred contexts: whether a recording has ended and the next one has not begun.
    pub(super) ended: bool,
    /// Cookies and addresses of mapped memory, by resource and subresource.
    maps: HashMap<(Key, u32), (u64, usize)>,
}

pub(super) struct ContextWatch {
    pub(super) device: Arc<DeviceWatch>,
    pub(super) deferred: bool,
    /// The address of the driver's private data, as soon as it is known.
    private: OnceLock<usize>,
    pub(super) state: Mutex<ContextState>,
}

/// Returns the address of private data, which several zero-sized values may share.
pub(super) fn private_address(private: &(dyn Any + Send)) -> usize {
    std::ptr::from_ref(private).cast::<()>().addr()
}

/// Marks a context as entered, until the guard is dropped.
pub(super) struct EntryGuard<'a> {
    watch: &'a ContextWatch,
    before: Option<ActiveEntry>,
}

impl Drop for EntryGuard<'_> {
    fn drop(&mut self) {
        let left = std::mem::replace(&mut lock(&self.watch.state).inside, self.before);
        let Some(ActiveEntry { entry, owed, .. }) = left else { return };
        let check = ensure(!owed, Rule::AmortizedAfterRender, || "the entry returns without".into());
        self.watch.device.record(entry, check);
    }
}

impl ContextWatch {
    pub(super) fn new(device: Arc<DeviceWatch>, deferred: bool) -> Arc<Self> {
        Arc::new(Self { device, deferred, private: OnceLock::new(), state: Mutex::default() })
    }

    pub(super) fn set_private(&self, private: &(dyn Any + Send)) {
        // A second call has no effect, and entries are called only after the address is set.
        let _ = self.private.set(private_address(private));
    }

    pub(super) fn owns(&self, private: &(dyn Any + Send)) -> bool {
        self.private.get().is_none_or(|at| *at == private_address(private))
    }

    /// Tracks that this thread enters the context, and checks that it may do so.
    #[must_use]
    pub(super) fn enter(
        &self,
        entry: &'static str,
        role: EntryRole,
        private: &(dyn Any + Send),
    ) -> EntryGuard<'_> {
        let owns = ensure(self.owns(private), Rule::OwnPrivateData, || "of another context".into());
        self.device.record(entry, owns);
        let thread = std::thread::current().id();
        let (before, stale, lost, early) = {
            let mut state = lock(&self.state);
            let inside = ActiveEntry { thread, entry, amortizing: false, amortized: false, owed: false };
            let before = state.inside.replace(inside);
            // A call begins the next recording, unless it only closes handles of the previous recording.
            let begins = role != EntryRole::Close && std::mem::take(&mut state.ended);
            state.recorded |= role == EntryRole::Command;
            let ends = role == EntryRole::Close || entry == "abandon_command_list";
            let stale = if begins { state.open.len() } else { 0 };
            let early = if ends { Vec::new() } else { std::mem::take(&mut state.closed_early) };
            (before, stale, state.lost && !ends, early)
        };
        early
            .into_iter()
            .for_each(|details| self.device.record("close", Err((Rule::ImmediateLast, details))));
        let kept = ensure(!lost, Rule::LostSilent, || "the recording is lost".into());
        self.device.record(entry, kept);
        self.device.record(entry, self.may_enter_removed(role, thread));
        self.device.record(entry, may_enter(before, thread, role));
        self.device.record(
            entry,
            ensure(stale == 0, Rule::ClosedAfterRecording, || {
                format!("{stale} are open from the last recording")
            }),
        );
        EntryGuard { watch: self, before }
    }

    fn may_enter_removed(&self, role: EntryRole, thread: ThreadId) -> CheckResult {
        let silent = self.deferred || role == EntryRole::Close;
        let removed = !silent && lock(&self.device.removed).contains(&thread);
        ensure(!removed, Rule::RemovedSilent, || "the device is removed".into())
    }

    pub(super) fn rendered(&self) {
        if let Some(inside) = &mut lock(&self.state).inside {
            inside.owed = true;
        }
    }

    pub(super) fn amortize(&self, entry: &'static str) {
        let (again, owed) = {
            let mut state = lock(&self.state);
            let Some(inside) = &mut state.inside else { return };
            inside.amortizing = true;
            (std::mem::replace(&mut inside.amortized, true), std::mem::take(&mut inside.owed))
        };
        // On the immediate context, amortized processing must follow a submission, while on a deferred
        // context, it may be called once per entry.
        let worked = if self.deferred { !again } else { owed };
        let details = || if again { "again in the same entry" } else { "nothing was submitted" }.into();
        self.device.record(entry, ensure(worked, Rule::AmortizedOnce, details));
    }

    pub(super) fn amortized(&self) {
        if let Some(inside) = &mut lock(&self.state).inside {
            inside.amortizing = false;
        }
    }

    /// Records that commands of the immediate context use objects.
    pub(super) fn uses(&self, handles: &HandleStorage, keys: impl IntoIterator<Item = Key>) {
        if self.deferred {
            return;
        }
        let registry = lock(&self.device.registry);
        let mut memory = lock(&self.device.memory);
        // The storage ignores the type of the handle.
        let objects = keys.into_iter().filter_map(|key| handles.object(Handle::<kind::Resource>::new(key)));
        for object in objects.flat_map(|object| registry.with_dependency(address(object))) {
            memory.uses(object);
        }
    }

    /// Checks, before a handle is closed, that the state callbacks do not return it.
    pub(super) fn check_unbound(state: &dyn StateRefresh, key: Key) -> CheckResult {
        let mut bound = false;
        state.for_each_bound(&mut |other| bound |= other == key);
        ensure(!bound, Rule::UnboundBeforeClosed, || format!("{key:?} is shown as bound"))
    }

    pub(super) fn handle(&self, entry: &'static str, handles: &HandleStorage, kind: HandleType, key: Key) {
        self.device.record(entry, self.check_handle(handles, kind, key));
    }

    fn check_handle(&self, handles: &HandleStorage, kind: HandleType, key: Key) -> CheckResult {
        // The storage ignores the type of the handle.
        let Some(object) = handles.object(Handle::<kind::Resource>::new(key)) else {
            return Err((Rule::HandleOpen, format!("{kind:?} {key:?} is not in the context's storage")));
        };
        let is = lock(&self.device.registry).is(address(object), kind);
        ensure(is, Rule::HandleKind, || format!("{key:?} is not a live {kind:?}"))?;
        let opened = !self.deferred || lock(&self.state).open.contains_key(&key);
        ensure(opened, Rule::HandleOpen, || format!("{kind:?} {key:?} is in the storage but was not opened"))
    }

    pub(super) fn may_map(&self, key: Key, subresource: u32) -> CheckResult {
        let mapped = lock(&self.state).maps.contains_key(&(key, subresource));
        ensure(!mapped, Rule::MapOnce, || format!("{key:?}, subresource {subresource}"))
    }

    pub(super) fn mapped(
        &self,
        key: Key,
        subresource: u32,
        memory: &MappedMemory,
        buffer_bytes: u32,
    ) -> CheckResult {
        let what = (memory.cookie(), memory.bytes().as_ptr().addr());
        lock(&self.state).maps.insert((key, subresource), what);
        let bytes = memory.bytes().len();
        ensure(bytes >= buffer_bytes as usize, Rule::MappedWhole, || {
            format!("{bytes} bytes of {buffer_bytes}")
        })
    }

    pub(super) fn unmap(
        &self,
        key: Key,
        subresource: u32,
        memory: &MappedMemory,
        written: &Written,
    ) -> CheckResult {
        let what = (memory.cookie(), memory.bytes().as_ptr().addr());
        let mapped = lock(&self.state).maps.remove(&(key, subresource));
        ensure(mapped == Some(what), Rule::UnmapMapped, || match mapped {
            None => format!("{key:?}, subresource {subresource}, is not mapped"),
            Some(_) => format!("{key:?}, subresource {subresource}, has other memory"),
        })?;
        let bytes = memory.bytes().len();
        let fits = |range: &Range<u32>| range.start < range.end && range.end as usize <= bytes;
        let is_right = match written {
            Written::Nothing | Written::All => true,
            Written::Range(range) => fits(range),
            Written::Ranges(ranges) => {
                ranges.iter().all(fits) && ranges.windows(2).all(|pair| pair[0].end < pair[1].start)
            }
        };
        ensure(is_right, Rule::WrittenApart, || format!("{written:?} of {bytes} bytes"))
    }

    pub(super) fn begin_or_end(
        &self,
        handles: &HandleStorage,
        query: QueryHandle,
        begins: bool,
    ) -> CheckResult {
        let asks = self.asks(handles, query).filter(|asks| asks.has_beginning());
        let key = query.key();
        if asks.is_none() {
            return ensure(!begins, Rule::QueryHasBeginning, || format!("{key:?} has none"));
        }
        let mut state = lock(&self.state);
        if begins {
            if self.deferred {
                state.queries.insert(key);
            }
            ensure(state.begun.insert(key), Rule::QueryBegunOnce, || format!("{key:?} is begun"))
        } else {
            ensure(state.begun.remove(&key), Rule::QueryEndedBegun, || format!("{key:?} is not begun"))
        }
    }

    pub(super) fn asks(&self, handles: &HandleStorage, query: QueryHandle) -> Option<QueryType> {
        let object = address(handles.object(query)?);
        lock(&self.device.registry).query(object, query.key())
    }

    pub(super) fn is_begun(&self, query: Key) -> bool {
        lock(&self.state).begun.contains(&query)
    }

    /// Checks that no query is begun, and stops tracking begun queries. With `Some`, this applies only to the
    /// query whose handle is closed, and with `None`, it applies to all queries, because a list is finished
    /// or a recording is discarded.
    pub(super) fn end_queries(&self, of: Option<Key>) -> CheckResult {
        let mut state = lock(&self.state);
        let before = state.begun.len();
        state.begun.retain(|key| of.is_some_and(|of| of != *key));
        let left = before - state.begun.len();
        drop(state);
        ensure(left == 0, Rule::QueriesEnded, || format!("{left} are begun"))
    }

    /// Checks that no map is open, and stops tracking open maps. With `Some`, this applies only to the
    /// resource whose handle is closed, and with `None`, it applies to all maps, because a list is finished
    /// or a recording is discarded.
    pub(super) fn end_maps(&self, of: Option<Key>) -> CheckResult {
        let mut state = lock(&self.state);
        let before = state.maps.len();
        state.maps.retain(|(key, _), _| of.is_some_and(|of| of != *key));
        let left = before - state.maps.len();
        drop(state);
        ensure(left == 0, Rule::MapsEnded, || format!("{left} are mapped"))
    }
}

fn may_enter(before: Option<ActiveEntry>, thread: ThreadId, role: EntryRole) -> CheckResult {
    let Some(before) = before else { return Ok(()) };
    ensure(before.thread == thread, Rule::OneThreadPerContext, || {
        format!("{:?} is in `{}`", before.thread, before.entry)
    })?;
    ensure(before.amortizing && role == EntryRole::Close, Rule::ReentryOnlyToClose, || {
        format!("within `{}`", before.entry)
    })
}
