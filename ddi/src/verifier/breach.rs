//! The rules, and where breaches of them go.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::ThreadId,
};

use crate::{callbacks::DeviceCoreLayer, error::DriverBug};

/// Who has to keep a rule.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The driver.
    Driver,
    /// The runtime: whoever calls the driver.
    Runtime,
}

macro_rules! rules {
    ($($name:ident, $side:ident, $sentence:literal;)*) => {
        /// A rule of the contract that the verifier checks.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $sentence] $name,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Who has to keep it.
            pub const fn side(self) -> Side {
                match self { $(Self::$name => Side::$side,)* }
            }

            /// The rule in words.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

rules! {
    // Opening.
    InterfaceListed, Runtime, "A device is created with an interface that the driver lists.";
    ThreadingAnnounced, Runtime, "A device is entered with at most the threading that the driver announced.";
    SameCountTwice, Driver, "A list that is asked for twice has as many entries both times.";
    RoomForAll, Runtime, "A list is asked for with room for as many entries as were counted.";
    // Threads.
    OneThreadPerContext, Runtime, "A context is entered by one thread at a time.";
    Serialized, Runtime, "A driver that is not free-threaded is entered by one thread at a time.";
    DeferredAllowed, Runtime,
        "Deferred contexts exist only where the driver has command lists and the device is not single-threaded.";
    OwnPrivateData, Runtime, "A context is entered, and destroyed, with its own private data.";
    ReentryOnlyToClose, Runtime, "A context is entered again only to close and destroy, in amortized processing.";
    // Sizes.
    PrivateSizeLimit, Driver, "A private size is at most MAX_PRIVATE_BYTES.";
    PrivateSizePure, Driver, "A private size depends on nothing but the arguments.";
    HandleSizeListed, Driver, "The size of a deferred context's handle is one of those listed for its kind.";
    PrivateBytesReady, Runtime, "Private bytes have the size that the driver asked for, and are zeroed.";
    // Objects and handles.
    KeyUnused, Runtime, "An object is created with a key that no living object has.";
    HandleOpen, Runtime, "A handle is open in the context that it is used in.";
    HandleKind, Runtime, "A handle is of the kind that it is used as.";
    ImmediateFirst, Runtime, "An object is created before a deferred context opens it.";
    ImmediateLast, Runtime, "An object is destroyed after all deferred contexts have closed it.";
    OpenOnce, Runtime, "A deferred context opens a handle that is not open there.";
    CloseOpened, Runtime, "A deferred context closes a handle that is open there.";
    DependencyFirst, Runtime, "A view is created, and opened, after its resource and with it.";
    DependencyLast, Runtime, "A resource is destroyed, and closed, after its views.";
    ClosedAfterRecording, Runtime,
        "All handles of a deferred context are closed between two recordings and before it is destroyed.";
    RecordingEnded, Runtime, "A deferred context is destroyed after its recording was ended or abandoned.";
    DestroyedOnce, Runtime, "An object, list or swap chain that exists is destroyed, once.";
    DestroyedAsCreated, Runtime, "An object is destroyed as the kind that it was created as.";
    AllDestroyed, Runtime, "Everything is destroyed before the device.";
    // Maps.
    MapTypeAllowed, Runtime, "A map entry is called with a map type that it has.";
    MapOnce, Runtime, "A subresource that is mapped in a context is not mapped again there.";
    UnmapMapped, Runtime, "An unmap gives back the memory that the map returned.";
    MapsEnded, Runtime, "Maps are ended before a list is finished and before the handle is closed.";
    DiscardFirst, Runtime, "A recording maps with WriteNoOverwrite after it has mapped with WriteDiscard.";
    MappedWhole, Driver, "Mapped memory holds the whole buffer.";
    // Lists and state.
    ListExists, Runtime, "A list that is executed was made by this device and is not destroyed.";
    RenamableOpen, Runtime,
        "The renamable resources of a list are open in the context that executes it.";
    StateShowsNewBinding, Runtime, "Within a setter the state callbacks show the new binding.";
    // Callbacks.
    AmortizedOnce, Driver, "Amortized processing is asked for at most once in an entry.";
    CallbackArguments, Driver, "A callback gets the private data and the handles that the entry was called with.";
    RenderImmediate, Driver, "Only entries of the immediate context submit.";
    ErrorAllowed, Driver, "An entry reports only errors that its context may report.";
    DeallocateAllocated, Driver, "Memory is deallocated that was allocated, and once.";
    AllDeallocated, Driver, "All memory is deallocated when the device is destroyed.";
    PrimaryDeallocated, Driver, "A primary's memory is deallocated before destroying it returns.";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The rule.
    pub rule: Rule,
    /// The entry that was called, or in which the callback was called.
    pub entry: &'static str,
    /// The thread that called.
    pub thread: ThreadId,
    /// What exactly was wrong.
    pub details: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.rule.side() {
            Side::Driver => "driver",
            Side::Runtime => "runtime",
        };
        write!(f, "{side} breach in `{}`: {} ({})", self.entry, self.rule, self.details)
    }
}

/// Where breaches are told.
pub type Sink = Arc<dyn Fn(&Breach) + Send + Sync>;

/// Breaches that are kept in a list.
const KEPT: usize = 1000;

static PROCESS: Mutex<Vec<Breach>> = Mutex::new(Vec::new());

/// The breaches that all verified drivers of the process without a sink of their own have seen so far,
/// oldest first; at most the first thousand.
pub fn breaches() -> Vec<Breach> {
    lock(&PROCESS).clone()
}

/// A lock of the verifier's books, which stay usable when a test fails while it holds one.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a check answers.
pub(super) type Check = Result<(), (Rule, String)>;

/// Fails unless a condition holds.
pub(super) fn ensure(holds: bool, rule: Rule, details: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err((rule, details())) }
}

/// The breaches of one driver.
pub(super) struct Log {
    sink: Option<Sink>,
    list: Mutex<Vec<Breach>>,
}

impl Log {
    pub(super) fn new(sink: Option<Sink>) -> Self {
        Self { sink, list: Mutex::new(Vec::new()) }
    }

    pub(super) fn list(&self) -> Vec<Breach> {
        lock(&self.list).clone()
    }

    /// Records a check that failed. No lock of the verifier may be held: a sink may do what it likes.
    pub(super) fn record(&self, core: Option<&dyn DeviceCoreLayer>, entry: &'static str, check: Check) {
        let Err((rule, details)) = check else { return };
        let breach = Breach { rule, entry, thread: std::thread::current().id(), details };
        let keep = |list: &Mutex<Vec<Breach>>| {
            let mut list = lock(list);
            if list.len() < KEPT {
                list.push(breach.clone());
            }
        };
        keep(&self.list);
        match &self.sink {
            Some(sink) => sink(&breach),
            None => {
                keep(&PROCESS);
                if let (Side::Driver, Some(core)) = (rule.side(), core) {
                    core.report_bug(DriverBug(breach.to_string().into()));
                }
            }
        }
    }
}
