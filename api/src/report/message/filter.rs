//! Message filters, which select the messages to store and the stored messages to return.

use super::{Category, InfoQueue, InfoQueueState, Message, MessageId, Severity};

/// Selects messages by category, severity and identifier (D3D11: `D3D11_INFO_QUEUE_FILTER_DESC`).
#[doc(alias = "D3D11_INFO_QUEUE_FILTER_DESC")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InfoQueueFilterDesc {
    /// Categories of messages that the list allows or denies.
    pub categories: Vec<Category>,
    /// Severities of messages that the list allows or denies.
    pub severities: Vec<Severity>,
    /// Identifiers of messages that the list allows or denies.
    pub ids: Vec<MessageId>,
}

impl InfoQueueFilterDesc {
    /// Whether at least one of the three lists contains the message.
    fn names(&self, message: &Message) -> bool {
        self.categories.contains(&message.category)
            || self.severities.contains(&message.severity)
            || self.ids.contains(&message.id)
    }

    /// Whether every list that is not empty contains the message.
    fn covers(&self, message: &Message) -> bool {
        (self.categories.is_empty() || self.categories.contains(&message.category))
            && (self.severities.is_empty() || self.severities.contains(&message.severity))
            && (self.ids.is_empty() || self.ids.contains(&message.id))
    }

    fn extend(&mut self, more: &Self) {
        self.categories.extend(&more.categories);
        self.severities.extend(&more.severities);
        self.ids.extend(&more.ids);
    }
}

/// Selects messages by an allow list and a deny list. By default, all messages pass (D3D11:
/// `D3D11_INFO_QUEUE_FILTER`).
///
/// ```
/// use onze::{Category, InfoQueueFilter, InfoQueueFilterDesc, MessageId};
///
/// // All messages about draws, except one.
/// let filter = InfoQueueFilter {
///     allow_list: InfoQueueFilterDesc { categories: vec![Category::Execution], ..Default::default() },
///     deny_list: InfoQueueFilterDesc { ids: vec![MessageId::DrawNoTargets], ..Default::default() },
/// };
/// # let (device, _context) = onze::create_device(&onze::DeviceDesc {
/// #     driver_type: onze::DriverType::Null, ..Default::default()
/// # })?;
/// device.info_queue().push_storage_filter(filter);
/// # Ok::<(), onze::Error>(())
/// ```
#[doc(alias = "D3D11_INFO_QUEUE_FILTER")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InfoQueueFilter {
    /// To pass, a message must match each of these lists that is not empty.
    pub allow_list: InfoQueueFilterDesc,
    /// A message that matches any of these lists does not pass.
    pub deny_list: InfoQueueFilterDesc,
}

impl InfoQueueFilter {
    /// Returns whether a message passes both lists of the filter.
    pub fn allows(&self, message: &Message) -> bool {
        self.allow_list.covers(message) && !self.deny_list.names(message)
    }
}

/// A stack of filters, with only the top filter in use. If the stack is empty, all messages pass.
#[derive(Debug, Default)]
pub(super) struct FilterStack(Vec<InfoQueueFilter>);

impl FilterStack {
    pub(super) fn allows(&self, message: &Message) -> bool {
        self.0.last().is_none_or(|filter| filter.allows(message))
    }

    fn top(&self) -> InfoQueueFilter {
        self.0.last().cloned().unwrap_or_default()
    }

    /// Adds entries to the top filter, or to a new filter if the stack is empty.
    fn add(&mut self, entries: &InfoQueueFilter) {
        if self.0.is_empty() {
            self.0.push(InfoQueueFilter::default());
        }
        if let Some(top) = self.0.last_mut() {
            top.allow_list.extend(&entries.allow_list);
            top.deny_list.extend(&entries.deny_list);
        }
    }

    fn push_copy(&mut self) {
        self.0.push(self.top());
    }

    fn clear_top(&mut self) {
        if let Some(top) = self.0.last_mut() {
            *top = InfoQueueFilter::default();
        }
    }
}

/// There are two kinds of filters. Messages that pass the *storage filter* are stored and logged and may
/// break, while all other messages are only counted. The *retrieval filter* selects the stored messages that
/// [`messages`](Self::messages) returns.
impl InfoQueue {
    /// Adds entries to the top storage filter, after pushing a new filter if the stack is empty (D3D11:
    /// `ID3D11InfoQueue::AddStorageFilterEntries`).
    #[doc(alias = "AddStorageFilterEntries")]
    pub fn add_storage_filter_entries(&self, entries: &InfoQueueFilter) {
        self.lock().storage_filters.add(entries);
    }

    /// Returns the top storage filter, or a filter that every message passes if the stack is empty (D3D11:
    /// `ID3D11InfoQueue::GetStorageFilter`).
    #[doc(alias = "GetStorageFilter")]
    pub fn get_storage_filter(&self) -> InfoQueueFilter {
        self.lock().storage_filters.top()
    }

    /// Removes all entries of the storage filter on top of the stack (D3D11:
    /// `ID3D11InfoQueue::ClearStorageFilter`).
    #[doc(alias = "ClearStorageFilter")]
    pub fn clear_storage_filter(&self) {
        self.lock().storage_filters.clear_top();
    }

    /// Pushes a storage filter that every message passes (D3D11: `ID3D11InfoQueue::PushEmptyStorageFilter`).
    #[doc(alias = "PushEmptyStorageFilter")]
    pub fn push_empty_storage_filter(&self) {
        self.push_storage_filter(InfoQueueFilter::default());
    }

    /// Pushes a copy of the storage filter on top of the stack (D3D11:
    /// `ID3D11InfoQueue::PushCopyOfStorageFilter`).
    #[doc(alias = "PushCopyOfStorageFilter")]
    pub fn push_copy_of_storage_filter(&self) {
        self.lock().storage_filters.push_copy();
    }

    /// Pushes a storage filter, which is in use while it is on top of the stack (D3D11:
    /// `ID3D11InfoQueue::PushStorageFilter`).
    #[doc(alias = "PushStorageFilter")]
    pub fn push_storage_filter(&self, filter: InfoQueueFilter) {
        self.lock().storage_filters.0.push(filter);
    }

    /// Pops the storage filter on top of the stack, if there is one (D3D11:
    /// `ID3D11InfoQueue::PopStorageFilter`).
    #[doc(alias = "PopStorageFilter")]
    pub fn pop_storage_filter(&self) -> Option<InfoQueueFilter> {
        self.lock().storage_filters.0.pop()
    }

    /// The number of storage filters on the stack, initially 0 (D3D11:
    /// `ID3D11InfoQueue::GetStorageFilterStackSize`).
    #[doc(alias = "GetStorageFilterStackSize")]
    pub fn get_storage_filter_stack_size(&self) -> usize {
        self.lock().storage_filters.0.len()
    }

    /// Adds entries to the top retrieval filter, after pushing a new filter if the stack is empty (D3D11:
    /// `ID3D11InfoQueue::AddRetrievalFilterEntries`).
    #[doc(alias = "AddRetrievalFilterEntries")]
    pub fn add_retrieval_filter_entries(&self, entries: &InfoQueueFilter) {
        self.lock().retrieval_filters.add(entries);
    }

    /// Returns the top retrieval filter, or a filter that every message passes if the stack is empty (D3D11:
    /// `ID3D11InfoQueue::GetRetrievalFilter`).
    #[doc(alias = "GetRetrievalFilter")]
    pub fn get_retrieval_filter(&self) -> InfoQueueFilter {
        self.lock().retrieval_filters.top()
    }

    /// Removes all entries of the retrieval filter on top of the stack (D3D11:
    /// `ID3D11InfoQueue::ClearRetrievalFilter`).
    #[doc(alias = "ClearRetrievalFilter")]
    pub fn clear_retrieval_filter(&self) {
        self.lock().retrieval_filters.clear_top();
    }

    /// Pushes a retrieval filter that every message passes (D3D11:
    /// `ID3D11InfoQueue::PushEmptyRetrievalFilter`).
    #[doc(alias = "PushEmptyRetrievalFilter")]
    pub fn push_empty_retrieval_filter(&self) {
        self.push_retrieval_filter(InfoQueueFilter::default());
    }

    /// Pushes a copy of the retrieval filter on top of the stack (D3D11:
    /// `ID3D11InfoQueue::PushCopyOfRetrievalFilter`).
    #[doc(alias = "PushCopyOfRetrievalFilter")]
    pub fn push_copy_of_retrieval_filter(&self) {
        self.lock().retrieval_filters.push_copy();
    }

    /// Pushes a retrieval filter, which is in use while it is on top of the stack (D3D11:
    /// `ID3D11InfoQueue::PushRetrievalFilter`).
    #[doc(alias = "PushRetrievalFilter")]
    pub fn push_retrieval_filter(&self, filter: InfoQueueFilter) {
        self.lock().retrieval_filters.0.push(filter);
    }

    /// Pops the retrieval filter on top of the stack, if there is one (D3D11:
    /// `ID3D11InfoQueue::PopRetrievalFilter`).
    #[doc(alias = "PopRetrievalFilter")]
    pub fn pop_retrieval_filter(&self) -> Option<InfoQueueFilter> {
        self.lock().retrieval_filters.0.pop()
    }

    /// The number of retrieval filters on the stack, initially 0 (D3D11:
    /// `ID3D11InfoQueue::GetRetrievalFilterStackSize`).
    #[doc(alias = "GetRetrievalFilterStackSize")]
    pub fn get_retrieval_filter_stack_size(&self) -> usize {
        self.lock().retrieval_filters.0.len()
    }

    /// The number of messages that passed the storage filters since the device was created (D3D11:
    /// `ID3D11InfoQueue::GetNumMessagesAllowedByStorageFilter`).
    #[doc(alias = "GetNumMessagesAllowedByStorageFilter")]
    pub fn get_num_messages_allowed_by_storage_filter(&self) -> u64 {
        self.lock().allowed
    }

    /// The number of messages since the device was created that a storage filter rejected or that were
    /// [muted](Self::set_muted) (D3D11: `ID3D11InfoQueue::GetNumMessagesDeniedByStorageFilter`).
    #[doc(alias = "GetNumMessagesDeniedByStorageFilter")]
    pub fn get_num_messages_denied_by_storage_filter(&self) -> u64 {
        self.lock().denied
    }

    /// The number of stored messages that pass the retrieval filter and that [`messages`](Self::messages)
    /// returns (D3D11: `ID3D11InfoQueue::GetNumStoredMessagesAllowedByRetrievalFilter`).
    #[doc(alias = "GetNumStoredMessagesAllowedByRetrievalFilter")]
    pub fn get_num_stored_messages_allowed_by_retrieval_filter(&self) -> usize {
        self.lock().shown().count()
    }
}

impl InfoQueueState {
    /// The stored messages that pass the retrieval filter, oldest first.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| self.retrieval_filters.allows(message))
    }

    /// Counts a new message and returns whether to store it.
    pub(super) fn admits(&mut self, message: &Message) -> bool {
        self.counts[message.id as usize] += 1;
        let is_allowed = !self.muted[message.id as usize] && self.storage_filters.allows(message);
        *(if is_allowed { &mut self.allowed } else { &mut self.denied }) += 1;
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three messages that differ in category, severity and identifier.
    const IDS: [MessageId; 3] =
        [MessageId::MapInvalid, MessageId::DrawNoTargets, MessageId::CreateBufferInvalid];

    fn quiet() -> InfoQueue {
        let queue = InfoQueue::new(true);
        queue.set_mute_debug_output(true);
        queue
    }

    /// The ids of the messages that pass the retrieval filter.
    fn shown(queue: &InfoQueue) -> Vec<MessageId> {
        queue.messages().iter().map(|message| message.id).collect()
    }

    fn report_all(queue: &InfoQueue) {
        IDS.into_iter().for_each(|id| queue.report(id, "x"));
    }

    fn ids(ids: &[MessageId]) -> InfoQueueFilterDesc {
        InfoQueueFilterDesc { ids: ids.to_vec(), ..Default::default() }
    }

    #[test]
    fn each_list_of_a_filter_allows_and_denies() {
        let [map, draw, _] = IDS;
        for desc in [
            ids(&[draw]),
            InfoQueueFilterDesc { categories: vec![draw.category()], ..Default::default() },
            InfoQueueFilterDesc { severities: vec![draw.severity()], ..Default::default() },
        ] {
            for is_retrieval in [false, true] {
                for is_denied in [false, true] {
                    let queue = quiet();
                    let (allow_list, deny_list) = match is_denied {
                        true => (InfoQueueFilterDesc::default(), desc.clone()),
                        false => (desc.clone(), InfoQueueFilterDesc::default()),
                    };
                    let filter = InfoQueueFilter { allow_list, deny_list };
                    match is_retrieval {
                        true => queue.push_retrieval_filter(filter),
                        false => queue.push_storage_filter(filter),
                    }
                    report_all(&queue);
                    let others = IDS.into_iter().filter(|id| *id != draw).collect::<Vec<_>>();
                    let expected = if is_denied { others } else { vec![draw] };
                    assert_eq!(shown(&queue), expected, "{desc:?}");
                    assert_eq!(queue.get_num_stored_messages_allowed_by_retrieval_filter(), expected.len());
                    let denied = if is_retrieval { 0 } else { 3 - expected.len() as u64 };
                    assert_eq!(queue.get_num_messages_denied_by_storage_filter(), denied);
                    assert_eq!(queue.get_num_messages_allowed_by_storage_filter(), 3 - denied);
                    assert_eq!(queue.len() as u64, 3 - denied, "number of stored messages");
                    assert_eq!(queue.count(map), 1, "a rejected message must be counted");
                }
            }
        }
    }

    #[test]
    fn a_message_passes_if_every_nonempty_list_contains_it() {
        let [map, draw, create] = IDS;
        let queue = quiet();
        // The category of one message and the severity of another.
        let mut allow_list = InfoQueueFilterDesc { categories: vec![draw.category()], ..ids(&[]) };
        allow_list.severities.push(map.severity());
        queue.push_storage_filter(InfoQueueFilter { allow_list, ..Default::default() });
        report_all(&queue);
        assert_eq!(shown(&queue), []);
        // A message that is both allowed and denied is denied.
        let filter = InfoQueueFilter { allow_list: ids(&[draw, create]), deny_list: ids(&[create]) };
        queue.push_storage_filter(filter);
        report_all(&queue);
        assert_eq!(shown(&queue), [draw]);
    }

    #[test]
    fn the_top_filter_is_in_use_until_it_is_popped() {
        let [map, draw, create] = IDS;
        let deny = |id| InfoQueueFilter { deny_list: ids(&[id]), ..Default::default() };
        let queue = quiet();
        let expect = |expected: &[MessageId]| {
            report_all(&queue);
            assert_eq!(queue.take().iter().map(|message| message.id).collect::<Vec<_>>(), expected);
        };
        assert_eq!((queue.get_storage_filter_stack_size(), queue.pop_storage_filter()), (0, None));
        queue.clear_storage_filter();
        queue.add_storage_filter_entries(&deny(map));
        assert_eq!(queue.get_storage_filter_stack_size(), 1);
        expect(&[draw, create]);
        queue.push_copy_of_storage_filter();
        queue.add_storage_filter_entries(&deny(draw));
        expect(&[create]);
        queue.push_empty_storage_filter();
        expect(&IDS);
        assert_eq!(queue.get_storage_filter(), InfoQueueFilter::default());
        assert_eq!(queue.pop_storage_filter(), Some(InfoQueueFilter::default()));
        assert_eq!(queue.get_storage_filter().deny_list, ids(&[map, draw]));
        queue.clear_storage_filter();
        expect(&IDS);
        assert_eq!(queue.get_storage_filter_stack_size(), 2);
        assert!(queue.pop_storage_filter().is_some());
        expect(&[draw, create]);
        // The storage filters above have no effect here, because retrieval filters have a separate stack.
        assert_eq!(queue.get_retrieval_filter_stack_size(), 0);
        queue.push_retrieval_filter(deny(create));
        expect(&[draw]);
        queue.push_copy_of_retrieval_filter();
        queue.add_retrieval_filter_entries(&deny(draw));
        expect(&[]);
        queue.clear_retrieval_filter();
        expect(&[draw, create]);
        queue.push_empty_retrieval_filter();
        assert_eq!(queue.get_retrieval_filter_stack_size(), 3);
        queue.pop_retrieval_filter();
        queue.pop_retrieval_filter();
        assert_eq!(queue.get_retrieval_filter(), deny(create));
    }

    #[test]
    fn a_filtered_message_does_not_break() {
        let queue = quiet();
        queue.set_break_on_id(IDS[1], true);
        queue.push_storage_filter(InfoQueueFilter { deny_list: ids(&[IDS[1]]), ..Default::default() });
        report_all(&queue);
        queue.pop_storage_filter();
        assert!(std::panic::catch_unwind(|| queue.report(IDS[1], "x")).is_err());
    }
}
