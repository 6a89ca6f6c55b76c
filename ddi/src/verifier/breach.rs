//! The rules of the contract, and the log of their breaches.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::ThreadId,
};

use crate::{callbacks::DeviceCoreLayer, error::DriverBug};

/// The side that must follow a rule, so that a breach of the rule is attributed to this side.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The wrapped driver.
    Driver,
    /// The runtime, or any other caller of the driver.
    Runtime,
}

macro_rules! rules {
    ($($name:ident, $clause:literal, $side:ident, $sentence:literal;)*) => {
        /// A rule of the contract that the verifier checks, for one clause and one side.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $sentence] $name,)*
        }

        impl Rule {
            /// All rules that the verifier checks.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The side that must follow the rule.
            pub const fn side(self) -> Side {
                match self { $(Self::$name => Side::$side,)* }
            }

            /// The number of the rule's clause in `CONTRACT.md`, such as 20 for C20.
            pub const fn clause(self) -> u32 {
                match self { $(Self::$name => $clause,)* }
            }

            /// The rule as a sentence, for the text of a breach.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

rules! {
    // Rules for opening an adapter and creating a device.
    SameCountTwice, 3, Driver, "A list that is requested twice has the same number of entries both times.";
    RoomForAll, 3, Runtime, "A list is requested with room for exactly the counted entries.";
    LevelOffered, 6, Runtime, "A device is created with a feature level that the adapter offers.";
    InterfaceListed, 8, Runtime, "A device is created with an interface that the driver lists.";
    BuildListed, 9, Runtime, "A device is created with a build that is not newer than those listed.";
    OwnPrivateData, 11, Runtime, "A context is entered, and destroyed, with its own private data.";
    // Rules for the threads that enter a device.
    ThreadingAnnounced, 17, Runtime, "A device is entered with at most the threading that the driver announced.";
    Serialized, 18, Runtime, "A driver that is not free-threaded is entered by one thread at a time.";
    OneThreadPerContext, 20, Runtime, "A context is entered by one thread at a time.";
    ReentryOnlyToClose, 95, Runtime, "A context is entered again only to close and destroy, in amortized processing.";
    DeferredAllowed, 96, Runtime,
        "Deferred contexts exist only if the driver has command lists and the device is not single-threaded.";
    // Rules for the callbacks that a driver calls.
    AllocateInCreate, 22, Driver,
        "Memory of a shared resource or a primary is allocated on the thread and in the entry that creates it.";
    PresentInPresent, 24, Driver, "The present callback is called only in the present entry.";
    DisplayModeInResize, 25, Driver, "The display mode is set only in the entry that resizes a swap chain.";
    RenderImmediate, 26, Driver, "Only entries of the immediate context submit.";
    AmortizedAfterRender, 38, Driver,
        "After each submission, amortized processing is requested before the entry returns.";
    CallbackArguments, 39, Driver, "A callback gets the private data and the handles of its entry.";
    PreambleAfterAmortized, 41, Driver,
        "After a submission, the state callbacks are used only when amortized processing is done.";
    AmortizedOnce, 42, Driver, "A context does work between two requests for amortized processing.";
    ErrorAllowed, 49, Driver, "An entry reports only the errors that the contract allows it.";
    // Rules for memory and submissions.
    RenderBeforeDeallocate, 28, Driver,
        "Memory is deallocated only after the submission of the commands that may use it.";
    SharedByFlush, 30, Driver, "The memory of a destroyed shared resource is deallocated when a flush returns.";
    FlushRetires, 31, Driver,
        "A flush deallocates the memory of all objects destroyed before it, if the GPU is idle.";
    AllDeallocated, 32, Driver, "All memory is deallocated when the device is destroyed.";
    PrimaryDeallocated, 66, Driver, "A primary's memory is deallocated before its destroy entry returns.";
    AllocatedApart, 109, Runtime,
        "An allocation has the requested size and a unique identifier.";
    DeallocateAllocated, 109, Driver, "Only allocated memory is deallocated, and only once.";
    DeallocateWhole, 109, Driver, "Memory is deallocated with the size of its allocation.";
    // Rules for the tables of a device.
    DeviceTableFixed, 35, Driver, "The device table returns the same answers as long as the device exists.";
    NewestTable, 37, Runtime, "After a new immediate table was published, calls go to that table.";
    RemovedSilent, 108, Runtime,
        "After the driver has removed the device, its immediate table is entered only to close and destroy.";
    // Rules for the sizes of private data.
    CalcAnyThread, 50, Driver, "A calc entry returns the same value on every thread.";
    PrivateSizePure, 53, Driver, "A private size depends on nothing but the arguments.";
    CalcCallsNothing, 53, Driver, "A calc entry calls nothing in the runtime.";
    PrivateSizeLimit, 76, Driver, "A private size is at most MAX_PRIVATE_BYTES.";
    PrivateBytesReady, 76, Runtime, "Private bytes have the size that the driver asked for, and are zeroed.";
    KeyUnused, 76, Runtime, "An object is created with a key that no live object has.";
    HandleSizeListed, 83, Driver, "The size of a deferred context's handle is one of those listed for its kind.";
    // Rules for objects and handles.
    ListsLast, 55, Runtime, "An object is destroyed after all lists that use it.";
    UnboundBeforeClosed, 55, Runtime, "A handle is closed only when the state callbacks do not show it.";
    ImmediateFirst, 71, Runtime, "An object is created before a deferred context opens it.";
    ImmediateLast, 71, Runtime,
        "All deferred contexts close an object before it is destroyed and before an immediate context that goes on closes it.";
    DependencyFirst, 74, Runtime, "A view is created and opened after its resource, which is passed along.";
    DependencyLast, 74, Runtime, "A resource is destroyed and closed after its views.";
    OpenOnce, 85, Runtime, "A deferred context opens only handles that are not open in it.";
    HandleOpen, 88, Runtime, "A handle is open in the context that uses it.";
    HandleKind, 97, Runtime, "A handle has the kind that it is used as.";
    CloseOpened, 98, Runtime, "A deferred context closes only handles that are open in it.";
    ClosedAfterRecording, 99, Runtime,
        "All handles of a deferred context are closed between two recordings and before it is destroyed.";
    RecordingEnded, 99, Runtime, "A deferred context is destroyed after its recording was ended or abandoned.";
    DestroyedOnce, 100, Runtime, "Only existing objects, lists and swap chains are destroyed, and only once.";
    DestroyedAsCreated, 100, Runtime, "An object is destroyed as the kind that it was created as.";
    AllDestroyed, 101, Runtime, "Everything is destroyed before the device.";
    // Rules for maps of resources.
    MapTypeAllowed, 102, Runtime, "A map entry is called with a map type that it supports.";
    MapOnce, 102, Runtime, "A subresource that is mapped in a context is not mapped again in it.";
    SliceInside, 102, Runtime,
        "A slice of the upload page has the size of its buffer, is within the used bytes, and is discarded once.";
    SlicesTaken, 102, Driver, "An entry that records or sets state takes the waiting slices of the upload page.";
    UnmapMapped, 102, Runtime, "An unmap gives back the memory that the map returned.";
    WrittenApart, 115, Runtime,
        "The written ranges of an unmap are within the memory, in ascending order and separate.";
    MappedWhole, 102, Driver, "Mapped memory covers the whole buffer.";
    MapsEnded, 103, Runtime, "Maps are ended before a list is finished and before the handle is closed.";
    QueriesEnded, 103, Runtime, "Queries are ended before a list is finished.";
    DiscardFirst, 104, Runtime, "A recording maps with WriteNoOverwrite only after it has mapped with WriteDiscard.";
    // Rules for lists, recordings and the state.
    LostSilent, 93, Runtime, "A recording that ran out of memory is only abandoned, and its handles are closed.";
    ListExists, 105, Runtime, "A list that is executed was made by this device and is not destroyed.";
    RenamableOpen, 105, Runtime,
        "The renamable resources and back buffers of a list are open in the context that executes it.";
    ListQueriesFree, 105, Runtime,
        "No query that a list begins is begun in the context that executes the list.";
    DispatchReady, 117, Runtime,
        "A dispatch comes with a compute shader, and with at most 65,535 groups in each dimension.";
    WrittenAlone, 118, Runtime,
        "At a dispatch, the memory of an unordered-access view is bound nowhere else.";
    ArgumentsInside, 123, Runtime,
        "The arguments of an indirect call are within a buffer created for them, at a multiple of 4 bytes.";
    CountsCounters, 124, Runtime,
        "A view whose counter is set has a counter.";
    CountCopied, 125, Runtime,
        "A view whose counter is copied has one, and the copy is within a buffer, at a multiple of 4 bytes.";
    ResolvesSamples, 131, Runtime,
        "The source of a resolve is multisampled, and the destination has one sample.";
    StreamTargets, 134, Runtime,
        "Stream-output targets are buffers for stream output, each in one slot and not an input of the same draw.";
    StreamOffset, 135, Runtime, "A filled size is a multiple of 4 and belongs to a buffer for stream output.";
    StreamDeclaration, 136, Runtime, "Stream output writes components that its shader has, to valid slots and strides.";
    AutoSource, 137, Runtime,
        "A draw of streamed vertices has a buffer for stream output in vertex-buffer slot 0.";
    StreamQuery, 138, Runtime, "Only an occlusion predicate is a hint.";
    WholeTessellation, 141, Runtime,
        "A draw has both a hull and a domain shader or neither, and patches have one of the shaders that read them.";
    BackBuffersCounted, 119, Runtime,
        "A swap chain exists and has at most the number of back buffers that it was created for.";
    RotatedTogether, 120, Runtime, "Only back buffers of one swap chain rotate.";
    RotatedOnce, 120, Runtime, "At least two back buffers rotate, each once.";
    StateShowsNewBinding, 106, Runtime, "Within a setter, the state callbacks show the new binding.";
    QueryHasBeginning, 110, Runtime, "Only queries that have a beginning are begun.";
    QueryBegunOnce, 110, Runtime, "A query that is begun in a context is ended in it before it is begun again.";
    QueryEndedBegun, 110, Runtime, "A query that has a beginning is ended in the context where it is begun.";
    QueryAskedEnded, 110, Runtime, "The result of a begun query is not requested.";
    AnswerKind, 110, Driver, "A result has the query's kind.";
    RecycledWhenDead, 107, Driver, "A recording becomes a list that is not already live.";
    StageKept, 107, Runtime,
        "A list or deferred context goes from live to dead to cached and back through the driver's entries, and a list returns to the context that recorded it.";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

/// A breach of a rule, which a [`Sink`] receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The rule that the call broke.
    pub rule: Rule,
    /// The entry that was called, or in which the callback was called.
    pub entry: &'static str,
    /// The thread that called the entry or callback.
    pub thread: ThreadId,
    /// The details that the check found, as text.
    pub details: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.rule.side() {
            Side::Driver => "driver",
            Side::Runtime => "runtime",
        };
        let Self { rule, entry, thread, details } = self;
        write!(f, "C{}, {side} breach in `{entry}` on {thread:?}: {rule} ({details})", rule.clause())
    }
}

/// A function that receives breaches, on the thread that detected them.
pub type Sink = Arc<dyn Fn(&Breach) + Send + Sync>;

/// Maximum number of breaches in each list.
const KEPT: usize = 1000;

static PROCESS: Mutex<Vec<Breach>> = Mutex::new(Vec::new());

/// Returns the breaches recorded so far for all verified drivers without a sink in this process, oldest
/// first, up to the first thousand.
pub fn breaches() -> Vec<Breach> {
    lock(&PROCESS).clone()
}

/// Locks a mutex of the verifier, which stays usable if a test panics while it is locked.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) type CheckResult = Result<(), (Rule, String)>;

/// Returns an error with `rule` and the text of `details` unless `holds` is true.
pub(super) fn ensure(holds: bool, rule: Rule, details: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err((rule, details())) }
}

pub(super) struct BreachLog {
    sink: Option<Sink>,
    list: Mutex<Vec<Breach>>,
}

impl BreachLog {
    pub(super) fn new(sink: Option<Sink>) -> Self {
        Self { sink, list: Mutex::new(Vec::new()) }
    }

    pub(super) fn list(&self) -> Vec<Breach> {
        lock(&self.list).clone()
    }

    /// Records and reports a failed check. The caller must hold no lock of the verifier, because a sink may
    /// call arbitrary code.
    pub(super) fn record(&self, core: Option<&dyn DeviceCoreLayer>, entry: &'static str, check: CheckResult) {
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
