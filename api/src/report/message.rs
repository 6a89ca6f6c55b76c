//! The debug layer: messages about calls that were ignored or rejected, and about probable mistakes.
//!
//! Each message identifier has one row in a table, with its severity, its category, the event and the fix. A
//! device with the debug flag stores messages in its [`InfoQueue`], and logs each message once unless the
//! call returned the same text as an error. Without the flag, a report costs one test of a boolean.

use std::{
    collections::{HashSet, VecDeque},
    fmt::{self, Display},
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, RandomState},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

mod filter;
mod output;
mod table;

use filter::FilterStack;
pub use filter::{InfoQueueFilter, InfoQueueFilterDesc};
use table::TABLE;
pub use table::{Category, MessageId, Severity};

/// One message of the debug layer (D3D11: `D3D11_MESSAGE`).
#[doc(alias = "D3D11_MESSAGE")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Identifies the rule or event that the message is about.
    pub id: MessageId,
    /// The severity, equal to [`MessageId::severity`] unless the application added the message with another
    /// severity.
    pub severity: Severity,
    /// The category, equal to [`MessageId::category`] unless the application added the message with another
    /// category.
    pub category: Category,
    /// The event, the details, including the types and labels of the objects, and the fix.
    pub description: String,
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}: {}", self.severity, self.id, self.description)
    }
}

/// Default of [`InfoQueue::set_message_count_limit`], the maximum number of stored messages.
pub const DEFAULT_MESSAGE_COUNT_LIMIT: usize = 1024;

/// Maximum number of hashes of logged messages, at which the set is cleared so that its memory stays bounded.
const LOGGED_LIMIT: usize = 4096;

/// The messages of a device with the debug flag (D3D11: `ID3D11InfoQueue`).
///
/// The flag is [`DeviceDesc::debug`](crate::DeviceDesc::debug), which is on by default in debug builds, and
/// without the flag, the queue stays empty. A clone is another handle to the same queue, and any thread may
/// use it.
///
/// A message is also logged, but only the first time that it occurs with the same details about the same
/// objects. It goes to `tracing` (target `onze::debug`), or to standard error if the thread has no `tracing`
/// subscriber. Messages of [`Severity::Info`] and [`Severity::Message`] do not go to standard error.
/// [`set_mute_debug_output`](Self::set_mute_debug_output) turns off all logging. If a call also returns the
/// message's text as an [`Error`](crate::Error), the message is stored but not logged, because a program that
/// prints its errors would print the text twice.
#[doc(alias = "ID3D11InfoQueue")]
#[derive(Clone)]
pub struct InfoQueue {
    shared: Arc<InfoQueueShared>,
}

struct InfoQueueShared {
    enabled: bool,
    log_repeats: AtomicBool,
    mute_output: AtomicBool,
    hasher: RandomState,
    state: Mutex<InfoQueueState>,
}

struct InfoQueueState {
    messages: VecDeque<Message>,
    limit: usize,
    discarded: u64,
    /// Number of occurrences of each message, indexed by identifier.
    counts: Box<[u64]>,
    /// Whether messages are muted, indexed by identifier.
    muted: Box<[bool]>,
    storage_filters: FilterStack,
    retrieval_filters: FilterStack,
    /// Number of messages that passed the storage filters and were stored.
    allowed: u64,
    /// Number of messages that were counted but not stored.
    denied: u64,
    break_on: BreakOn,
    /// Hashes of logged messages, each covering the identifier, the description and the subject.
    logged: HashSet<u64>,
}

/// Identifies the objects or the source text that a message is about.
///
/// Two objects may have the same label, so a message is a repetition only if both its description and its
/// subject are equal.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject(u64);

impl Subject {
    /// The subject of messages that name no object.
    pub(crate) const NONE: Self = Self(0);

    /// Hashes the keys of the objects that a message names.
    pub(crate) fn of(subject: impl Hash) -> Self {
        Self(BuildHasherDefault::<DefaultHasher>::default().hash_one(subject))
    }
}

/// Selects the messages that make the calling thread panic.
struct BreakOn {
    /// A bit for each severity whose messages break.
    severities: u8,
    /// A bit for each category whose messages break.
    categories: u16,
    /// Whether a message breaks, indexed by identifier.
    ids: Box<[bool]>,
}

impl BreakOn {
    fn has(&self, message: &Message) -> bool {
        self.severities & message.severity.bit() != 0
            || self.categories & message.category.bit() != 0
            || self.ids[message.id as usize]
    }
}

impl fmt::Debug for InfoQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InfoQueue")
            .field("enabled", &self.shared.enabled)
            .field("messages", &self.lock().messages.len())
            .finish_non_exhaustive()
    }
}

impl InfoQueue {
    /// Creates a queue, which ignores all messages unless `enabled` is true.
    pub(crate) fn new(enabled: bool) -> Self {
        let state = InfoQueueState {
            messages: VecDeque::new(),
            limit: DEFAULT_MESSAGE_COUNT_LIMIT,
            discarded: 0,
            counts: vec![0; TABLE.len()].into_boxed_slice(),
            muted: vec![false; TABLE.len()].into_boxed_slice(),
            storage_filters: FilterStack::default(),
            retrieval_filters: FilterStack::default(),
            allowed: 0,
            denied: 0,
            break_on: BreakOn {
                severities: 0,
                categories: 0,
                ids: vec![false; TABLE.len()].into_boxed_slice(),
            },
            logged: HashSet::new(),
        };
        Self {
            shared: Arc::new(InfoQueueShared {
                enabled,
                log_repeats: AtomicBool::new(false),
                mute_output: AtomicBool::new(false),
                hasher: RandomState::new(),
                state: Mutex::new(state),
            }),
        }
    }

    /// Whether the queue stores messages, which is the case if the device has the debug flag.
    pub fn is_enabled(&self) -> bool {
        self.shared.enabled
    }

    /// Copies the messages that pass the [retrieval filter](Self::push_retrieval_filter), oldest first
    /// (D3D11: `ID3D11InfoQueue::GetMessage` for each of them).
    #[doc(alias = "GetMessage")]
    pub fn messages(&self) -> Vec<Message> {
        self.lock().shown().cloned().collect()
    }

    /// Returns [`messages`](Self::messages) and empties the queue, including messages that the retrieval
    /// filter hides (D3D11: `ID3D11InfoQueue::GetMessage` and `ClearStoredMessages`).
    #[doc(alias = "GetMessage")]
    #[doc(alias = "ClearStoredMessages")]
    pub fn take(&self) -> Vec<Message> {
        let mut state = self.lock();
        let mut messages = std::mem::take(&mut state.messages);
        messages.retain(|message| state.retrieval_filters.allows(message));
        messages.into()
    }

    /// Removes all stored messages from the queue (D3D11: `ID3D11InfoQueue::ClearStoredMessages`).
    #[doc(alias = "ClearStoredMessages")]
    pub fn clear(&self) {
        self.lock().messages.clear();
    }

    /// The number of messages in the queue, regardless of the retrieval filter (D3D11:
    /// `ID3D11InfoQueue::GetNumStoredMessages`).
    #[doc(alias = "GetNumStoredMessages")]
    pub fn len(&self) -> usize {
        self.lock().messages.len()
    }

    /// Returns whether the queue contains no messages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of times that a message has occurred since the device was created, including muted,
    /// filtered and removed messages.
    pub fn count(&self, id: MessageId) -> u64 {
        self.lock().counts[id as usize]
    }

    /// The number of old messages that were removed because the queue was full (D3D11:
    /// `ID3D11InfoQueue::GetNumMessagesDiscardedByMessageCountLimit`).
    #[doc(alias = "GetNumMessagesDiscardedByMessageCountLimit")]
    pub fn discarded(&self) -> u64 {
        self.lock().discarded
    }

    /// Sets the maximum number of stored messages, so that a new message in a full queue replaces the oldest
    /// one (D3D11: `ID3D11InfoQueue::SetMessageCountLimit`).
    #[doc(alias = "SetMessageCountLimit")]
    pub fn set_message_count_limit(&self, limit: usize) {
        let mut state = self.lock();
        state.limit = limit;
        state.shrink();
    }

    /// Returns the maximum number of stored messages, by default [`DEFAULT_MESSAGE_COUNT_LIMIT`] (D3D11:
    /// `ID3D11InfoQueue::GetMessageCountLimit`).
    #[doc(alias = "GetMessageCountLimit")]
    pub fn get_message_count_limit(&self) -> usize {
        self.lock().limit
    }

    /// Mutes or unmutes a message. A muted message is counted but neither stored nor logged, regardless of
    /// the storage filters.
    ///
    /// Direct3D 11 has no such call; applications use the deny list of a [storage
    /// filter](Self::add_storage_filter_entries).
    pub fn set_muted(&self, id: MessageId, muted: bool) {
        self.lock().muted[id as usize] = muted;
    }

    /// Sets whether messages of a severity break. By default, no message breaks (D3D11:
    /// `ID3D11InfoQueue::SetBreakOnSeverity`). After a message that breaks is stored and logged, the thread
    /// that caused it panics, so that a debugger or a backtrace shows the call. Messages that are not stored
    /// do not break.
    #[doc(alias = "SetBreakOnSeverity")]
    pub fn set_break_on_severity(&self, severity: Severity, enable: bool) {
        let bits = &mut self.lock().break_on.severities;
        *bits = if enable { *bits | severity.bit() } else { *bits & !severity.bit() };
    }

    /// Sets whether messages of a category break, as [`set_break_on_severity`](Self::set_break_on_severity)
    /// describes (D3D11: `ID3D11InfoQueue::SetBreakOnCategory`).
    #[doc(alias = "SetBreakOnCategory")]
    pub fn set_break_on_category(&self, category: Category, enable: bool) {
        let bits = &mut self.lock().break_on.categories;
        *bits = if enable { *bits | category.bit() } else { *bits & !category.bit() };
    }

    /// Sets whether messages with this identifier break, as
    /// [`set_break_on_severity`](Self::set_break_on_severity) describes (D3D11:
    /// `ID3D11InfoQueue::SetBreakOnID`).
    #[doc(alias = "SetBreakOnID")]
    pub fn set_break_on_id(&self, id: MessageId, enable: bool) {
        self.lock().break_on.ids[id as usize] = enable;
    }

    /// Whether messages of a severity break (D3D11: `ID3D11InfoQueue::GetBreakOnSeverity`).
    #[doc(alias = "GetBreakOnSeverity")]
    pub fn get_break_on_severity(&self, severity: Severity) -> bool {
        self.lock().break_on.severities & severity.bit() != 0
    }

    /// Whether messages of a category break (D3D11: `ID3D11InfoQueue::GetBreakOnCategory`).
    #[doc(alias = "GetBreakOnCategory")]
    pub fn get_break_on_category(&self, category: Category) -> bool {
        self.lock().break_on.categories & category.bit() != 0
    }

    /// Whether a message breaks because of its identifier (D3D11: `ID3D11InfoQueue::GetBreakOnID`).
    #[doc(alias = "GetBreakOnID")]
    pub fn get_break_on_id(&self, id: MessageId) -> bool {
        self.lock().break_on.ids[id as usize]
    }

    /// Sets whether repetitions of a message are also logged (default: false).
    pub fn set_log_repeats(&self, enable: bool) {
        self.shared.log_repeats.store(enable, Ordering::Relaxed);
    }

    /// Sets whether messages are only stored in the queue and not logged. Default: false (D3D11:
    /// `ID3D11InfoQueue::SetMuteDebugOutput`).
    #[doc(alias = "SetMuteDebugOutput")]
    pub fn set_mute_debug_output(&self, mute: bool) {
        self.shared.mute_output.store(mute, Ordering::Relaxed);
    }

    /// Whether messages are only stored and not logged (D3D11: `ID3D11InfoQueue::GetMuteDebugOutput`).
    #[doc(alias = "GetMuteDebugOutput")]
    pub fn get_mute_debug_output(&self) -> bool {
        self.shared.mute_output.load(Ordering::Relaxed)
    }

    /// Adds a message from the application (D3D11: `ID3D11InfoQueue::AddApplicationMessage`).
    #[doc(alias = "AddApplicationMessage")]
    pub fn add_application_message(&self, severity: Severity, text: &str) {
        let id = MessageId::ApplicationMessage;
        self.add_message(id.category(), severity, id, text);
    }

    /// Adds a message with the given text, for layers above this library (D3D11:
    /// `ID3D11InfoQueue::AddMessage`).
    #[doc(alias = "AddMessage")]
    pub fn add_message(&self, category: Category, severity: Severity, id: MessageId, text: &str) {
        if self.shared.enabled {
            self.push(Message { id, severity, category, description: text.to_owned() }, Subject::NONE);
        }
    }

    /// Reports a message whose details name no object, at the cost of one test in a disabled queue.
    #[inline]
    pub(crate) fn report(&self, id: MessageId, details: impl Display) {
        self.report_about(id, Subject::NONE, details);
    }

    /// Reports a message whose details name the subject's objects by label, at the cost of one test in a
    /// disabled queue.
    #[inline]
    pub(crate) fn report_about(&self, id: MessageId, subject: Subject, details: impl Display) {
        if self.shared.enabled {
            self.report_enabled(id, subject, &details);
        }
    }

    /// Reports an error that the call also returns to the application, so it is stored and counted and may
    /// break, but is not logged.
    #[inline]
    pub(crate) fn report_returned(&self, id: MessageId, error: impl Display) {
        if self.shared.enabled {
            self.push_with(describe(id, &error), None);
        }
    }

    #[cold]
    fn report_enabled(&self, id: MessageId, subject: Subject, details: &dyn Display) {
        self.push(describe(id, details), subject);
    }

    /// Stores, counts and logs a message, and breaks if the settings require it.
    fn push(&self, message: Message, subject: Subject) {
        let hash = self.shared.hasher.hash_one((message.id, &message.description, subject));
        self.push_with(message, Some(hash));
    }

    /// Stores and counts a message, logs it unless `log_hash` is `None`, and breaks if the settings require
    /// it.
    fn push_with(&self, message: Message, log_hash: Option<u64>) {
        let mut state = self.lock();
        if !state.admits(&message) {
            return;
        }
        let breaks = state.break_on.has(&message);
        let repeats = self.shared.log_repeats.load(Ordering::Relaxed);
        let is_due = log_hash.is_some_and(|hash| state.is_first(hash) || repeats);
        let logs = is_due && !self.get_mute_debug_output();
        // Logging and panicking can run application code that uses this queue, so both happen after unlocking
        // it.
        let outside = (logs || breaks).then(|| message.clone());
        state.messages.push_back(message);
        state.shrink();
        drop(state);
        let Some(message) = outside else { return };
        if logs {
            output::log(&message);
        }
        assert!(!breaks, "the info queue is set to break on this message: {message}");
    }

    /// Holds the queue's lock, so that a test can detect calls that take it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, InfoQueueState> {
        // A poisoned queue is consistent, because nothing panics between two changes of its fields.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Builds the message for an identifier with the given details.
fn describe(id: MessageId, details: &dyn Display) -> Message {
    let row = id.row();
    let advice = if row.advice.is_empty() { String::new() } else { format!(" {}", row.advice) };
    let description = format!("{}: {details}.{advice}", row.what);
    Message { id, severity: row.severity, category: row.category, description }
}

impl InfoQueueState {
    fn shrink(&mut self) {
        while self.messages.len() > self.limit {
            self.messages.pop_front();
            self.discarded += 1;
        }
    }

    /// Records the hash of a message and returns whether it is new since the set was last cleared.
    fn is_first(&mut self, hash: u64) -> bool {
        if self.logged.len() >= LOGGED_LIMIT && !self.logged.contains(&hash) {
            self.logged.clear();
        }
        self.logged.insert(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue that does not log to standard error.
    fn quiet() -> InfoQueue {
        let queue = InfoQueue::new(true);
        queue.set_mute_debug_output(true);
        queue
    }

    #[test]
    fn each_id_has_one_row_with_complete_sentences() {
        assert_eq!(TABLE.len(), MessageId::ALL.len());
        for (i, (row, &id)) in TABLE.iter().zip(MessageId::ALL).enumerate() {
            assert_eq!(id as usize, i, "{id:?}");
            assert_eq!(
                TABLE.iter().filter(|other| other.what == row.what).count(),
                1,
                "{id:?} has the same event text as another row"
            );
            assert!(!row.what.is_empty() && !row.what.ends_with('.'), "{id:?}");
            assert!(row.what.starts_with(char::is_lowercase), "{id:?}");
            let is_sentence =
                row.advice.ends_with('.') && row.advice.starts_with(|c: char| !c.is_lowercase());
            assert!(row.advice.is_empty() || is_sentence, "{id:?}");
            assert!(!row.advice.contains("  ") && !row.what.contains("  "), "{id:?}");
        }
    }

    #[test]
    fn a_description_has_event_details_and_advice() {
        let queue = quiet();
        queue.report(MessageId::DrawTopologyUndefined, "draw(3, 0)");
        let [message] = &queue.messages()[..] else { panic!("{:?}", queue.messages()) };
        assert_eq!((message.severity, message.category), (Severity::Error, Category::Execution));
        for part in
            [MessageId::DrawTopologyUndefined.what(), "draw(3, 0)", MessageId::DrawTopologyUndefined.advice()]
        {
            assert!(message.description.contains(part), "{}", message.description);
        }
    }

    #[test]
    fn without_the_debug_flag_nothing_is_formatted_or_kept() {
        struct Never;
        impl Display for Never {
            fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
                panic!("formatted");
            }
        }
        let queue = InfoQueue::new(false);
        queue.set_break_on_severity(Severity::Error, true);
        queue.report(MessageId::MapInvalid, Never);
        queue.add_application_message(Severity::Error, "x");
        assert!(queue.is_empty() && queue.count(MessageId::MapInvalid) == 0 && !queue.is_enabled());
    }

    #[test]
    fn a_full_queue_drops_the_oldest_and_counts_them() {
        let queue = quiet();
        for i in 0..DEFAULT_MESSAGE_COUNT_LIMIT + 10 {
            queue.report(MessageId::MapInvalid, i);
        }
        assert_eq!((queue.len(), queue.discarded()), (DEFAULT_MESSAGE_COUNT_LIMIT, 10));
        assert!(queue.messages()[0].description.contains(": 10."));
        assert_eq!(queue.get_message_count_limit(), DEFAULT_MESSAGE_COUNT_LIMIT);
        queue.set_message_count_limit(2);
        assert_eq!(queue.get_message_count_limit(), 2);
        let messages = queue.take();
        assert_eq!(messages.len(), 2);
        assert!(messages[1].description.contains(&format!(": {}.", DEFAULT_MESSAGE_COUNT_LIMIT + 9)));
        assert!(queue.is_empty());
        assert_eq!(queue.count(MessageId::MapInvalid), DEFAULT_MESSAGE_COUNT_LIMIT as u64 + 10);
    }

    #[test]
    fn muted_messages_are_only_counted() {
        let queue = quiet();
        queue.set_muted(MessageId::DrawMapped, true);
        queue.set_break_on_severity(Severity::Error, true);
        queue.report(MessageId::DrawMapped, "muted");
        assert!(queue.is_empty());
        assert_eq!(queue.count(MessageId::DrawMapped), 1);
        queue.set_break_on_severity(Severity::Error, false);
        queue.set_muted(MessageId::DrawMapped, false);
        queue.report(MessageId::DrawMapped, "heard");
        assert_eq!(queue.len(), 1);
        queue.clear();
        assert!(queue.is_empty());
    }

    #[test]
    fn a_break_panics_with_the_message_and_leaves_the_queue_usable() {
        let queue = quiet();
        queue.set_break_on_severity(Severity::Warning, true);
        queue.report(MessageId::MapInvalid, "an error does not break");
        let panicked = std::panic::catch_unwind(|| queue.report(MessageId::DrawNoTargets, "boom"));
        let text = panicked.expect_err("a warning must break");
        let text = text.downcast_ref::<String>().expect("a formatted panic");
        assert!(text.contains("boom"), "{text}");
        assert_eq!(queue.len(), 2);
        queue.set_break_on_severity(Severity::Warning, false);
        queue.report(MessageId::DrawNoTargets, "quiet");
        assert_eq!(queue.len(), 3);
    }

    #[test]
    fn breaks_by_category_and_by_id_are_switched_apart() {
        let queue = quiet();
        let breaks = |id| std::panic::catch_unwind(|| queue.report(id, "x")).is_err();
        let (map, draw) = (MessageId::MapInvalid, MessageId::DrawNoTargets);
        assert!(!breaks(map) && !breaks(draw));
        queue.set_break_on_category(draw.category(), true);
        assert!(!breaks(map) && breaks(draw));
        assert!(queue.get_break_on_category(draw.category()) && !queue.get_break_on_category(map.category()));
        queue.set_break_on_id(map, true);
        queue.set_break_on_category(draw.category(), false);
        assert!(breaks(map) && !breaks(draw) && queue.get_break_on_id(map) && !queue.get_break_on_id(draw));
        queue.set_break_on_id(map, false);
        queue.set_break_on_severity(Severity::Warning, true);
        assert!(queue.get_break_on_severity(Severity::Warning));
        assert!(!queue.get_break_on_severity(Severity::Error) && !breaks(map) && breaks(draw));
    }

    #[test]
    fn returned_errors_are_stored_counted_and_break() {
        let queue = quiet();
        queue.set_break_on_severity(Severity::Error, true);
        let breaks = || queue.report_returned(MessageId::CreateBufferInvalid, "the size is 0");
        assert!(std::panic::catch_unwind(breaks).is_err());
        assert_eq!((queue.len(), queue.count(MessageId::CreateBufferInvalid)), (1, 1));
        assert_eq!(queue.messages()[0].description, "the buffer was not created: the size is 0.");
        assert!(queue.lock().logged.is_empty());
    }

    #[test]
    fn a_layer_above_adds_messages_in_the_librarys_name() {
        let queue = quiet();
        queue.add_message(Category::Shader, Severity::Info, MessageId::DrawNoTargets, "from the engine");
        let [message] = &queue.messages()[..] else { panic!("{:?}", queue.messages()) };
        assert_eq!((message.category, message.severity), (Category::Shader, Severity::Info));
        assert_eq!(message.description, "from the engine");
        assert_eq!(queue.count(MessageId::DrawNoTargets), 1);
    }

    #[test]
    fn the_set_of_logged_messages_is_bounded() {
        let queue = quiet();
        for i in 0..2 * LOGGED_LIMIT {
            queue.report(MessageId::UnmapInvalid, i);
        }
        assert!(queue.lock().logged.len() <= LOGGED_LIMIT);
    }

    #[test]
    fn handles_share_one_queue_between_threads() {
        let queue = quiet();
        std::thread::scope(|s| {
            for _ in 0..4 {
                let queue = queue.clone();
                s.spawn(move || (0..100).for_each(|i| queue.report(MessageId::GetDataInvalid, i)));
            }
        });
        assert_eq!((queue.count(MessageId::GetDataInvalid), queue.len()), (400, 400));
    }
}
