//! Query segments: the measurements of wgpu's queries within passes, and the query scopes that contain them.

use std::ops::Range;

use crossbeam_queue::SegQueue;

use crate::{
    objects::{
        query::{Measure, QueryScope},
        staging::readback_buffer,
    },
    services::sizes::QUERY_SEGMENTS,
};

/// The statistics that wgpu counts, in the order of their bits, each with its index in the query result. The
/// encoder itself counts the threads of compute shaders.
pub(crate) const STATISTICS: [(wgpu::PipelineStatisticsTypes, usize); 4] = [
    (wgpu::PipelineStatisticsTypes::VERTEX_SHADER_INVOCATIONS, 2),
    (wgpu::PipelineStatisticsTypes::CLIPPER_INVOCATIONS, 5),
    (wgpu::PipelineStatisticsTypes::CLIPPER_PRIMITIVES_OUT, 6),
    (wgpu::PipelineStatisticsTypes::FRAGMENT_SHADER_INVOCATIONS, PIXEL_SHADER),
];

/// Index of the pixel shader invocations in the query result.
pub(crate) const PIXEL_SHADER: usize = 7;

/// A set of segments in a run, and the scopes that contain them.
#[derive(Debug)]
pub(crate) struct SegmentSet {
    measure: Measure,
    set: Option<wgpu::QuerySet>,
    /// The results of the query set, or the sums of samples, in a buffer that cannot be mapped.
    resolved: wgpu::Buffer,
    pub(crate) readback: wgpu::Buffer,
    used: u32,
    /// The scopes and the segments that each of them contains.
    scopes: Vec<(Range<u32>, QueryScope)>,
    /// Segments of draws without a pixel shader, for statistics, or segments whose samples are also counted,
    /// for visibility.
    special: Vec<Range<u32>>,
}

impl SegmentSet {
    fn new(device: &wgpu::Device, measure: Measure) -> Self {
        let size = u64::from(QUERY_SEGMENTS) * bytes(measure);
        let ty = match measure {
            Measure::Time => Some(wgpu::QueryType::Timestamp),
            Measure::Statistics => {
                let all = STATISTICS.map(|(kind, _)| kind).into_iter().collect();
                Some(wgpu::QueryType::PipelineStatistics(all))
            }
            Measure::Visibility => Some(wgpu::QueryType::Occlusion),
            Measure::Samples | Measure::Nothing => None,
        };
        let filled =
            if ty.is_some() { wgpu::BufferUsages::QUERY_RESOLVE } else { wgpu::BufferUsages::STORAGE };
        let label = Some("segments of queries");
        Self {
            measure,
            set: ty.map(|ty| {
                device.create_query_set(&wgpu::QuerySetDescriptor { label, ty, count: QUERY_SEGMENTS })
            }),
            resolved: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("resolved queries"),
                size,
                usage: filled | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            readback: readback_buffer(device, size),
            used: 0,
            scopes: Vec::new(),
            special: Vec::new(),
        }
    }

    pub(crate) fn queries(&self) -> Option<wgpu::QuerySet> {
        self.set.clone()
    }

    pub(crate) fn sums(&self) -> wgpu::Buffer {
        self.resolved.clone()
    }

    pub(crate) fn len(&self) -> u32 {
        self.used
    }

    pub(crate) fn is_full(&self) -> bool {
        self.used >= QUERY_SEGMENTS
    }

    pub(crate) fn add(&mut self) -> u32 {
        self.used += 1;
        self.used - 1
    }

    /// Adds the segments from `first` on to a scope.
    pub(crate) fn add_scope(&mut self, first: u32, scope: &QueryScope) {
        if first < self.used {
            self.scopes.push((first..self.used, scope.clone()));
        }
    }

    /// Marks the last segment as special: its draws have no pixel shader, or its samples are also counted.
    pub(crate) fn mark_last(&mut self) {
        match self.special.last_mut() {
            Some(last) if last.end + 1 == self.used => last.end = self.used,
            _ => self.special.extend(self.used.checked_sub(1).map(|last| last..self.used)),
        }
    }

    /// Returns the size of the segments in the readback buffer.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.used) * bytes(self.measure)
    }

    /// Encodes the readback of the segments, after the commands that they measure.
    pub(crate) fn read_back(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(set) = &self.set {
            encoder.resolve_query_set(set, 0..self.used, &self.resolved, 0);
        }
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, 0, self.bytes());
    }

    /// Adds the results to the scopes, and empties the set.
    ///
    /// # Errors
    /// Returns an error if wgpu cannot map the range of the readback buffer that contains the results.
    pub(crate) fn tell(&mut self) -> Result<(), ()> {
        {
            let view = self.readback.get_mapped_range(..self.bytes()).map_err(|_| ())?;
            let words: Vec<u64> = bytemuck::pod_collect_to_vec(&view);
            let words_of = |segment: u32| {
                let each = (bytes(self.measure) / u64::from(wgpu::QUERY_SIZE)) as usize;
                let first = segment as usize * each;
                words.get(first..first + each).unwrap_or_default()
            };
            for (segments, scope) in &self.scopes {
                for segment in segments.clone() {
                    self.tell_segment(scope, segment, words_of(segment));
                }
            }
        }
        self.readback.unmap();
        self.clear();
        Ok(())
    }

    fn tell_segment(&self, scope: &QueryScope, segment: u32, words: &[u64]) {
        let is_special = self.special.iter().any(|range| range.contains(&segment));
        match self.measure {
            Measure::Nothing => {}
            // Segments whose samples are counted must not add their visibility.
            Measure::Visibility if scope.measure() == Measure::Samples && is_special => {}
            Measure::Visibility => scope.add(0, words.iter().any(|word| *word != 0).into()),
            Measure::Samples | Measure::Time => scope.add(0, words.iter().sum()),
            Measure::Statistics => {
                for ((_, number), word) in STATISTICS.into_iter().zip(words) {
                    if number != PIXEL_SHADER || !is_special {
                        scope.add(number, *word);
                    }
                }
            }
        }
    }

    fn clear(&mut self) {
        self.used = 0;
        self.scopes.clear();
        self.special.clear();
    }
}

/// The counts of the encoder itself for a scope.
#[derive(Debug)]
pub(crate) struct CountedScope {
    scope: QueryScope,
    input: InputCounts,
}

/// Vertices and primitives of draws, and threads of dispatches.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InputCounts {
    pub(crate) vertices: u64,
    pub(crate) primitives: u64,
    pub(crate) threads: u64,
}

impl InputCounts {
    /// Returns the counts since `before` for a scope, or `None` if there are none.
    pub(crate) fn since(self, before: Self, scope: &QueryScope) -> Option<CountedScope> {
        let input = Self {
            vertices: self.vertices - before.vertices,
            primitives: self.primitives - before.primitives,
            threads: self.threads - before.threads,
        };
        (input != Self::default()).then(|| CountedScope { scope: scope.clone(), input })
    }
}

impl CountedScope {
    pub(crate) fn tell(&self) {
        let InputCounts { vertices, primitives, threads } = self.input;
        for (number, more) in [(0, vertices), (1, primitives), (10, threads)] {
            self.scope.add(number, more);
        }
    }
}

/// Returns the size of a segment in the readback buffer, in bytes.
pub(crate) fn bytes(measure: Measure) -> u64 {
    let words = if measure == Measure::Statistics { STATISTICS.len() as u64 } else { 1 };
    words * u64::from(wgpu::QUERY_SIZE)
}

/// Empty segment sets that wait for reuse, by measurement.
#[derive(Debug, Default)]
pub(crate) struct SegmentSets([SegQueue<SegmentSet>; Measure::SEGMENTED.len()]);

impl SegmentSets {
    fn of(&self, measure: Measure) -> Option<&SegQueue<SegmentSet>> {
        self.0.get(Measure::SEGMENTED.iter().position(|one| *one == measure)?)
    }

    pub(crate) fn take(&self, device: &wgpu::Device, measure: Measure) -> SegmentSet {
        let used = self.of(measure).and_then(SegQueue::pop);
        used.unwrap_or_else(|| SegmentSet::new(device, measure))
    }

    pub(crate) fn put(&self, set: SegmentSet) {
        if let Some(sets) = self.of(set.measure) {
            sets.push(set);
        }
    }

    pub(crate) fn trim(&self) {
        self.0.iter().for_each(|sets| while sets.pop().is_some() {});
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(SegQueue::len).sum()
    }
}
