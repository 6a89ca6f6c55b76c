//! Query segments: the measurements of wgpu's queries within passes, and the query scopes that contain them.

use std::ops::Range;

use crossbeam_queue::SegQueue;
use onze_ddi::STREAM_COUNT;

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

/// Indices in the query result.
const VERTICES: usize = 0;
const PRIMITIVES: usize = 1;
const VERTEX_SHADER: usize = 2;
const GEOMETRY_INVOCATIONS: usize = 3;
const GEOMETRY_PRIMITIVES: usize = 4;
const CLIPPER: usize = 5;
const PIXEL_SHADER: usize = 7;
const HULL_SHADER: usize = 8;
const DOMAIN_SHADER: usize = 9;

/// The draws of a segment of statistics, as far as the counts of wgpu depend on them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedDraws {
    /// The draws have no pixel shader, although wgpu may count one.
    pub(crate) without_pixels: bool,
    /// The draws are expanded for a geometry shader, so that wgpu counts too many vertices and primitives.
    pub(crate) expanded: bool,
    /// The draws are tessellated, so that wgpu counts domain points as vertices.
    pub(crate) tessellated: bool,
    /// The counted primitives are those of a geometry shader of the driver's own, which no count may show.
    pub(crate) of_pass_through: bool,
}

/// A set of segments in a run, and the scopes that contain them.
#[derive(Debug)]
pub(crate) struct SegmentSet {
    measure: Measure,
    set: Option<wgpu::QuerySet>,
    /// The results of the query set, or those of the driver's own dispatches, in a buffer that cannot be mapped.
    resolved: wgpu::Buffer,
    pub(crate) readback: wgpu::Buffer,
    used: u32,
    /// The scopes and the segments that each of them contains.
    scopes: Vec<(Range<u32>, QueryScope)>,
    /// Segments whose samples are also counted, for visibility.
    special: Vec<Range<u32>>,
    /// The draws of each segment, for statistics and primitives.
    draws: Vec<CountedDraws>,
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
            Measure::Samples
            | Measure::Streams
            | Measure::Primitives
            | Measure::LostPatches
            | Measure::Nothing => None,
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
            draws: Vec::new(),
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

    /// Adds a segment of statistics or primitives.
    pub(crate) fn add_draws(&mut self, draws: CountedDraws) -> u32 {
        self.draws.push(draws);
        self.add()
    }

    /// Marks the last segment as special: its samples are also counted.
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

    /// Adds the results to the scopes, and empties the set. Returns the number of patches that were not drawn.
    ///
    /// # Errors
    /// Returns an error if wgpu cannot map the range of the readback buffer that contains the results.
    pub(crate) fn tell(&mut self) -> Result<u64, ()> {
        let mut lost_patches = 0;
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
            if self.measure == Measure::LostPatches {
                lost_patches = words.iter().sum();
            }
        }
        self.readback.unmap();
        self.clear();
        Ok(lost_patches)
    }

    fn tell_segment(&self, scope: &QueryScope, segment: u32, words: &[u64]) {
        let draws = self.draws.get(segment as usize).copied().unwrap_or_default();
        let is_special = self.special.iter().any(|range| range.contains(&segment));
        match self.measure {
            Measure::LostPatches | Measure::Nothing => {}
            // Segments whose samples are counted must not add their visibility.
            Measure::Visibility if scope.measure() == Measure::Samples && is_special => {}
            Measure::Visibility => scope.add(0, words.iter().any(|word| *word != 0).into()),
            Measure::Samples | Measure::Time => scope.add(0, words.iter().sum()),
            Measure::Streams => {
                words.iter().enumerate().for_each(|(number, word)| scope.add(number, *word));
            }
            Measure::Primitives => {
                // A count of primitives is less than 2³², and the high words have the input of an indirect
                // draw and the numbers of the tessellator.
                let low = |word: u64| word & u64::from(u32::MAX);
                let appended = words.iter().skip(1).step_by(2).map(|word| low(*word)).sum();
                let word = |at: usize| words.get(at).copied().unwrap_or_default();
                // The first stream is rasterized, and has no room if nothing is.
                scope.add(CLIPPER, low(word(0)));
                let [vertices, primitives, invocations, patches, domain_points] =
                    [0, 1, 2, 3, 4].map(|at| word(at) >> 32);
                for (number, more) in [
                    (VERTICES, vertices),
                    (PRIMITIVES, primitives),
                    (VERTEX_SHADER, vertices),
                    (HULL_SHADER, patches),
                    (DOMAIN_SHADER, domain_points),
                ] {
                    scope.add(number, more);
                }
                if !draws.of_pass_through {
                    scope.add(GEOMETRY_INVOCATIONS, invocations);
                    scope.add(GEOMETRY_PRIMITIVES, appended);
                }
            }
            Measure::Statistics => {
                for ((_, number), word) in STATISTICS.into_iter().zip(words) {
                    let is_wrong = match number {
                        PIXEL_SHADER => draws.without_pixels,
                        VERTEX_SHADER => draws.expanded || draws.tessellated,
                        CLIPPER => draws.expanded,
                        _ => false,
                    };
                    if !is_wrong {
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
        self.draws.clear();
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
    /// The invocations of vertex shaders that wgpu does not count as such.
    pub(crate) vertex_shader: u64,
    pub(crate) geometry_shader: u64,
    /// The primitives of the clipper that wgpu does not count as such.
    pub(crate) clipper: u64,
}

impl InputCounts {
    /// Returns the counts since `before` for a scope, or `None` if there are none.
    pub(crate) fn since(self, before: Self, scope: &QueryScope) -> Option<CountedScope> {
        let input = Self {
            vertices: self.vertices - before.vertices,
            primitives: self.primitives - before.primitives,
            threads: self.threads - before.threads,
            vertex_shader: self.vertex_shader - before.vertex_shader,
            geometry_shader: self.geometry_shader - before.geometry_shader,
            clipper: self.clipper - before.clipper,
        };
        (input != Self::default()).then(|| CountedScope { scope: scope.clone(), input })
    }
}

impl CountedScope {
    pub(crate) fn tell(&self) {
        let InputCounts { vertices, primitives, threads, vertex_shader, geometry_shader, clipper } =
            self.input;
        for (number, more) in [
            (VERTICES, vertices),
            (PRIMITIVES, primitives),
            (VERTEX_SHADER, vertex_shader),
            (GEOMETRY_INVOCATIONS, geometry_shader),
            (CLIPPER, clipper),
            (10, threads),
        ] {
            self.scope.add(number, more);
        }
    }
}

/// Returns the size of a segment in the readback buffer, in bytes.
pub(crate) fn bytes(measure: Measure) -> u64 {
    let words = match measure {
        Measure::Statistics => STATISTICS.len() as u64,
        Measure::Streams | Measure::Primitives => 2 * STREAM_COUNT as u64,
        Measure::Visibility | Measure::Samples | Measure::Time | Measure::LostPatches | Measure::Nothing => 1,
    };
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
