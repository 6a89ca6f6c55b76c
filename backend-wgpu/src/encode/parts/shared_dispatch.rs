//! Dispatches that draws share: each draw has a record, and each thread finds the record of its draw.
//!
//! A dispatch costs much more than a thread. So consecutive draws that differ only in their arguments store their
//! vertices or their patches in one dispatch. The shader code is in `objects/shader/passes/streams/text.rs`.

use crate::{
    encode::parts::{
        gathered_constants::ConstantSet,
        hash::SlabIndex,
        pulled::{PulledDraw, PulledSource},
        streams::{MOST_THREADS, StreamNumbers, StreamPipelines},
    },
    objects::shader::{PullConstants, THREADS_OF_GROUP},
};

/// Number of words at the end of a record: the number of the draw's first thread, the place of its first invocation, and
/// the number of its copied constants.
const PLACE_WORDS: usize = 4;

/// A draw whose vertices or patches a dispatch stores.
#[derive(Debug)]
pub(crate) struct RecordedDraw {
    pub(crate) pipelines: StreamPipelines,
    /// The bind group of the vertex and index buffers, if the shaders read any.
    pub(crate) pulled: Option<SlabIndex>,
    /// The constants of the pulled vertices.
    pub(crate) constants: Vec<u32>,
    pub(crate) numbers: StreamNumbers,
    /// The constant buffers, if they are copied for each draw.
    pub(crate) gathered: ConstantSet,
}

impl RecordedDraw {
    /// Replaces the arguments of the draw.
    pub(crate) fn set_arguments(&mut self, draw: &PulledDraw, numbers: StreamNumbers) {
        self.numbers = numbers;
        let ([vertex, instance], [primitives, first]) = (draw.starts, draw.primitives);
        self.constants
            .iter_mut()
            .zip([vertex, instance, primitives, first])
            .for_each(|(to, from)| *to = from);
        let slots = &self.pipelines.pulled.slots;
        let is_index = |(source, _): &(PulledSource, _)| *source == PulledSource::Indices;
        if let Some(slot) = slots.iter().position(is_index)
            && let Some(stride) = self.constants.get_mut(PullConstants::stride_place(slot) as usize)
        {
            *stride = draw.first_index;
        }
    }
}

/// A dispatch for all draws that were added to it.
#[derive(Debug)]
pub(crate) struct SharedDispatch {
    pub(crate) pipelines: StreamPipelines,
    pub(crate) pulled: Option<SlabIndex>,
    records: Vec<u32>,
    threads: u32,
}

impl SharedDispatch {
    pub(crate) fn new(draw: &RecordedDraw) -> Self {
        let (pipelines, pulled) = (draw.pipelines.clone(), draw.pulled);
        let mut dispatch = Self { pipelines, pulled, records: Vec::new(), threads: 0 };
        dispatch.add(draw, 0, 0);
        dispatch
    }

    /// Returns whether a draw can be added.
    pub(crate) fn accepts(&self, draw: &RecordedDraw) -> bool {
        self.pipelines.write == draw.pipelines.write
            && self.pulled == draw.pulled
            && self.threads + draw.numbers.threads <= MOST_THREADS
    }

    /// Adds a draw, whose invocations are stored from a place on. `constants` is the number of its copied constants.
    pub(crate) fn add(&mut self, draw: &RecordedDraw, first_stored: u32, constants: u32) {
        let numbers = draw.numbers.words();
        let numbers = numbers.iter().take(numbers.len() - PLACE_WORDS);
        self.records.extend(draw.constants.iter().chain(numbers));
        self.records.extend([self.threads, first_stored, constants, 0]);
        self.threads += draw.numbers.threads;
    }

    pub(crate) fn records(&self) -> &[u32] {
        &self.records
    }

    /// Returns the number of workgroups.
    pub(crate) const fn groups(&self) -> u32 {
        self.threads.div_ceil(THREADS_OF_GROUP)
    }
}
