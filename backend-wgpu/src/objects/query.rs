//! Queries: events, answered by the fences of submissions, and whether anything was visible, answered by
//! the occlusion queries of passes.
//!
//! wgpu's occlusion queries begin and end within a pass, one at a time. Those of D3D11 overlap, and span
//! passes, pages, runs and lists. So what lies between a beginning and an end is a list of *parts*: an
//! encoder ends a part and begins the next one whenever a query begins or ends, and with each pass, and the
//! answer is whether anything was visible in one of the parts that the query covers.
//!
//! Each time that a query is begun it is another [`Round`], also when a list is executed again: parts count
//! for their round only. Rounds are numbered on the immediate context's thread, in the order in which pages
//! are queued ([`Rounds`]); nobody else looks at a query's state, also that of a query in a list.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
    },
};

use onze_ddi::{Fence, QueryData, QueryType};

use crate::{device::Device, objects::staging::readback_buffer, record::page::Page};

/// Where a query is between its end and its answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Never ended.
    New,
    /// Ended; what it waits for is not submitted yet.
    Recorded,
    /// Known when this fence is signalled.
    Submitted(Fence),
}

/// A query; see the [module](self). Atomics for the sake of the shared object only.
#[derive(Debug)]
pub(crate) struct Query {
    /// What is asked.
    pub(crate) asks: QueryType,
    /// [`NEW`], [`RECORDED`] or a fence.
    state: AtomicU64,
    /// How often it was begun.
    round: AtomicU64,
    /// Something was visible in this round.
    visible: AtomicBool,
}

/// Fences are counted from 1, and nobody counts to the last number.
const RECORDED: u64 = u64::MAX;
const NEW: u64 = u64::MAX - 1;

impl Query {
    /// A query that was never ended.
    pub(crate) fn new(asks: QueryType) -> Arc<Self> {
        let (state, round) = (AtomicU64::new(NEW), AtomicU64::new(0));
        Arc::new(Self { asks, state, round, visible: AtomicBool::new(false) })
    }

    /// Where it is.
    pub(crate) fn event(&self) -> Event {
        match self.state.load(Ordering::Relaxed) {
            NEW => Event::New,
            RECORDED => Event::Recorded,
            fence => Event::Submitted(Fence(fence)),
        }
    }

    /// Moves it on.
    pub(crate) fn set_event(&self, event: Event) {
        let state = match event {
            Event::New => NEW,
            Event::Recorded => RECORDED,
            Event::Submitted(Fence(fence)) => fence,
        };
        self.state.store(state, Ordering::Relaxed);
    }

    /// What is answered when everything has arrived.
    pub(crate) fn answer(&self) -> QueryData {
        match self.asks {
            QueryType::OcclusionPredicate => {
                QueryData::OcclusionPredicate(self.visible.load(Ordering::Relaxed))
            }
            _ => QueryData::Event(true),
        }
    }

    fn next_round(&self) {
        self.round.fetch_add(1, Ordering::Relaxed);
        self.visible.store(false, Ordering::Relaxed);
    }
}

/// A query from one time that it is begun until it is ended.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    query: Arc<Query>,
    number: u64,
}

impl Round {
    /// The one that was begun last.
    pub(crate) fn current(query: &Arc<Query>) -> Self {
        Self { query: query.clone(), number: query.round.load(Ordering::Relaxed) }
    }

    /// Whether both are of one query.
    pub(crate) fn is_same_query(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.query, &other.query)
    }

    /// Something was visible. Nothing happens if the query was begun again since.
    fn saw(&self) {
        if self.query.round.load(Ordering::Relaxed) == self.number {
            self.query.visible.store(true, Ordering::Relaxed);
        }
    }
}

/// The rounds that matter to a page at its place in a run.
#[derive(Debug)]
pub(crate) struct Rounds {
    /// Of the page's queries, in their order.
    pub(crate) own: Vec<Round>,
    /// Of the queries that are begun around the list that the page belongs to.
    pub(crate) around: Vec<Round>,
}

impl Rounds {
    /// Of a page that is being queued; `None` if no query matters to it.
    pub(crate) fn of(page: &Page, around: &[Round]) -> Option<Arc<Self>> {
        if page.queries.is_empty() && around.is_empty() {
            return None;
        }
        let own = page.queries.iter().map(|entered| {
            if !entered.continues {
                entered.query.next_round();
            }
            Round::current(&entered.query)
        });
        Some(Arc::new(Self { own: own.collect(), around: around.to_vec() }))
    }
}

/// Parts in a set: about as many as a run has draws.
const PARTS: u32 = 1024;

/// Room for the parts of a run, and what they count for.
#[derive(Debug)]
pub(crate) struct PartSet {
    pub(crate) set: wgpu::QuerySet,
    /// What wgpu resolves the set to; nothing that can be mapped.
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
    used: u32,
    /// Which parts lie in which round.
    rounds: Vec<(Range<u32>, Round)>,
}

impl PartSet {
    /// An empty set: a used one, or a new one.
    pub(crate) fn take(device: &Device) -> Self {
        device.part_sets.pop().unwrap_or_else(|| Self::new(&device.device))
    }

    fn new(device: &wgpu::Device) -> Self {
        let size = u64::from(PARTS) * u64::from(wgpu::QUERY_SIZE);
        Self {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("parts of queries"),
                ty: wgpu::QueryType::Occlusion,
                count: PARTS,
            }),
            resolved: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("resolved queries"),
                size,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            readback: readback_buffer(device, size),
            used: 0,
            rounds: Vec::new(),
        }
    }

    /// How many parts it has.
    pub(crate) fn len(&self) -> u32 {
        self.used
    }

    /// Whether there is no room for another part.
    pub(crate) fn is_full(&self) -> bool {
        self.used >= PARTS
    }

    /// The index of another part.
    pub(crate) fn add(&mut self) -> u32 {
        self.used += 1;
        self.used - 1
    }

    /// The parts from `first` on lie in a round.
    pub(crate) fn add_round(&mut self, first: u32, round: &Round) {
        if first < self.used {
            self.rounds.push((first..self.used, round.clone()));
        }
    }

    fn bytes(&self) -> u64 {
        u64::from(self.used) * u64::from(wgpu::QUERY_SIZE)
    }

    /// Appends what reads the parts back to the commands that have counted them.
    pub(crate) fn read_back(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.set, 0..self.used, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, 0, self.bytes());
    }

    /// Tells the rounds what was seen, and empties the set.
    ///
    /// # Errors
    /// The bytes are not there.
    fn tell(&mut self) -> Result<(), ()> {
        {
            let view = self.readback.get_mapped_range(..self.bytes()).map_err(|_| ())?;
            let counts: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
            for (parts, round) in self.rounds.drain(..) {
                let counts = counts.get(parts.start as usize..parts.end as usize).unwrap_or_default();
                if counts.iter().any(|count| *count != 0) {
                    round.saw();
                }
            }
        }
        self.readback.unmap();
        self.used = 0;
        Ok(())
    }
}

const WAITING: u8 = 0;
const ARRIVED: u8 = 1;
const FAILED: u8 = 2;

/// Parts that were submitted, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Counting(VecDeque<(Fence, PartSet, Arc<AtomicU8>)>);

impl Counting {
    /// Asks for the parts of a submission that was just made.
    pub(crate) fn receive(&mut self, fence: Fence, parts: PartSet) {
        let state = Arc::new(AtomicU8::new(WAITING));
        let arrived = state.clone();
        parts.readback.map_async(wgpu::MapMode::Read, ..parts.bytes(), move |result| {
            arrived.store(if result.is_ok() { ARRIVED } else { FAILED }, Ordering::Release);
        });
        self.0.push_back((fence, parts, state));
    }

    /// Whether parts of a submission, or of one before it, have not arrived.
    pub(crate) fn waits_for(&self, fence: Fence) -> bool {
        self.0.front().is_some_and(|(oldest, ..)| *oldest <= fence)
    }

    /// Counts what has arrived.
    pub(crate) fn count(&mut self, device: &Device) {
        while let Some((.., state)) = self.0.front() {
            let state = state.load(Ordering::Acquire);
            if state == WAITING {
                return;
            }
            let Some((_, mut parts, _)) = self.0.pop_front() else { return };
            if state == FAILED || parts.tell().is_err() {
                device.lose("the answers of queries could not be read back");
                return;
            }
            device.part_sets.push(parts);
        }
    }
}
