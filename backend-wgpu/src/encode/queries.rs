//! Queries: the open query scopes, and the segments that are being counted.
//!
//! A pass has a wgpu query set of occlusion only if such a query is open when it begins, so draws outside of queries
//! cost nothing more. While a query is open, every draw of such a pass, and every dispatch, lies in a segment.
//!
//! A timestamp is written where its query ends: within the open pass, or outside of passes, or with an empty pass, as the
//! adapter can.

use crate::{
    encode::query_segments::{CountedScope, InputCounts, SegmentSet},
    objects::{
        query::{Measure, QueryScope},
        shader::Shader,
        stage::PIXEL,
    },
    record::{page::InstancedDraw, run_page::QueryScopes},
};

use super::{
    DeviceEncoding, Encoder,
    pass::{OpenPass, PassState},
};

/// What a run has to tell query scopes: what is read back, and what the encoder knows.
pub(super) type QueryResults = (Vec<SegmentSet>, Vec<CountedScope>);

/// A scope of which more segments may come.
#[derive(Debug)]
struct OpenScope<'r> {
    scope: &'r QueryScope,
    /// Its first segment: which set, and where there.
    from: (usize, u32),
    /// What was counted before it, of [`RunQueries::input`].
    input: InputCounts,
}

/// What is measured in one way.
#[derive(Debug, Default)]
struct QuerySegments<'r> {
    open: Vec<OpenScope<'r>>,
    /// The last one takes segments.
    sets: Vec<SegmentSet>,
    /// A segment is being counted in the open pass.
    counting: bool,
}

impl<'r> QuerySegments<'r> {
    /// From the next segment on there is a scope.
    fn open(&mut self, scope: &'r QueryScope, input: InputCounts) {
        let from = self.sets.last().map_or((0, 0), |last| (self.sets.len() - 1, last.len()));
        self.open.push(OpenScope { scope, from, input });
    }

    /// The scopes of a query, or all, have no more segments. `now` is what was counted so far.
    fn close(&mut self, of: Option<&QueryScope>, now: InputCounts, counted: &mut Vec<CountedScope>) {
        let sets = &mut self.sets;
        self.open.retain(|OpenScope { scope, from, input }| {
            let ends = of.is_none_or(|of| of.is_same_query(scope));
            if ends {
                for (at, set) in sets.iter_mut().enumerate().skip(from.0) {
                    set.add_scope(if at == from.0 { from.1 } else { 0 }, scope);
                }
                counted.extend(now.since(*input, scope));
            }
            !ends
        });
    }

    /// The set that takes the next segment.
    fn set(&mut self, encoding: &DeviceEncoding, measure: Measure) -> Option<&mut SegmentSet> {
        if self.sets.last().is_none_or(SegmentSet::is_full) {
            self.sets.push(encoding.take_segments(measure));
        }
        self.sets.last_mut()
    }
}

/// The queries of a run.
#[derive(Debug, Default)]
pub(super) struct RunQueries<'r> {
    /// Of the page that is being encoded.
    scopes: Option<&'r QueryScopes>,
    visibility: QuerySegments<'r>,
    /// Queries among them that count samples, and the sums.
    samples: QuerySegments<'r>,
    statistics: QuerySegments<'r>,
    times: QuerySegments<'r>,
    /// Of the draws and dispatches that were made while statistics were open.
    input: InputCounts,
    /// What closed scopes have of it.
    counted: Vec<CountedScope>,
    /// The open pass counts from its first draw on.
    waiting: bool,
    /// The open segment of statistics is of draws without a pixel shader.
    without_pixels: bool,
}

impl<'r> RunQueries<'r> {
    /// Whether each draw must be counted.
    pub(super) fn has_statistics(&self) -> bool {
        !self.statistics.open.is_empty()
    }

    /// Whether a query is open that sees draws.
    pub(super) fn sees_draws(&self) -> bool {
        !self.visibility.open.is_empty() || self.has_statistics()
    }

    /// Whether passes have a sample counter.
    #[inline]
    pub(super) fn counts_samples(&self) -> bool {
        !self.samples.open.is_empty()
    }

    /// The place of the next sum of samples.
    pub(super) fn next_samples(&mut self, encoding: &DeviceEncoding) -> Option<(wgpu::Buffer, u32)> {
        let set = self.samples.set(encoding, Measure::Samples)?;
        let at = set.add();
        Some((set.sums(), at))
    }

    /// A pass has begun. Its segments begin with its first draw, when it has a pipeline: lavapipe of Mesa 22.3 crashes
    /// at a query without one.
    pub(super) fn begin_pass(&mut self) {
        self.waiting = self.sees_draws();
    }

    /// Whether the pass counts nothing yet and should.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Begins the segments of the open pass.
    fn begin_segments(&mut self, encoding: &DeviceEncoding, open: &mut OpenPass) {
        self.waiting = false;
        self.begin_visibility(open);
        let pass = open.pass();
        if let Some((set, at)) = self.next_statistics(encoding) {
            pass.begin_pipeline_statistics_query(&set, at);
        }
    }

    /// The place of the next segment of statistics, if there is a query that it counts for, in a pass that is open.
    fn next_statistics(&mut self, encoding: &DeviceEncoding) -> Option<(wgpu::QuerySet, u32)> {
        if !self.has_statistics() {
            return None;
        }
        let set = self.statistics.set(encoding, Measure::Statistics)?;
        let at = set.add();
        if self.without_pixels {
            set.mark_last();
        }
        let set = set.queries()?;
        self.statistics.counting = true;
        Some((set, at))
    }

    /// Begins a segment of visibility, if there is a query that it counts for, in a pass that has the last set.
    fn begin_visibility(&mut self, pass: &mut OpenPass) {
        let QuerySegments { open, sets, counting } = &mut self.visibility;
        if let Some(set) = sets.last_mut()
            && !open.is_empty()
        {
            let at = set.add();
            if pass.counts_samples() {
                set.mark_last();
            }
            pass.pass().begin_occlusion_query(at);
            *counting = true;
        }
    }

    /// Ends the segments that are being counted. Whether anything was drawn while a query was open.
    pub(super) fn end_segments(&mut self, pass: &mut wgpu::RenderPass<'static>) -> bool {
        let is_waiting = std::mem::take(&mut self.waiting);
        if std::mem::take(&mut self.visibility.counting) {
            pass.end_occlusion_query();
        }
        if std::mem::take(&mut self.statistics.counting) {
            pass.end_pipeline_statistics_query();
        }
        !is_waiting
    }

    /// After the last pass of a run: reads everything back and returns what is counted.
    pub(super) fn finish(mut self, encoder: &mut wgpu::CommandEncoder) -> QueryResults {
        self.close_all();
        let Self { visibility, samples, statistics, times, counted, .. } = self;
        let all = [visibility, samples, statistics, times].into_iter().flat_map(|segments| segments.sets);
        (all.filter(|set| set.len() > 0).inspect(|set| set.read_back(encoder)).collect(), counted)
    }

    fn close_all(&mut self) {
        let Self { visibility, samples, statistics, input, counted, .. } = self;
        visibility.close(None, InputCounts::default(), counted);
        samples.close(None, InputCounts::default(), counted);
        statistics.close(None, *input, counted);
    }

    fn open(&mut self, scope: &'r QueryScope) {
        let nothing = InputCounts::default();
        match scope.measure() {
            Measure::Visibility => self.visibility.open(scope, nothing),
            Measure::Samples => {
                // Where a pass has no sample counter, it is known whether anything was visible.
                self.visibility.open(scope, nothing);
                self.samples.open(scope, nothing);
            }
            Measure::Statistics => self.statistics.open(scope, self.input),
            Measure::Time | Measure::Nothing => {}
        }
    }

    fn close(&mut self, scope: &QueryScope) {
        let Self { visibility, samples, statistics, input, counted, .. } = self;
        let nothing = InputCounts::default();
        match scope.measure() {
            Measure::Visibility => visibility.close(Some(scope), nothing, counted),
            Measure::Samples => {
                visibility.close(Some(scope), nothing, counted);
                samples.close(Some(scope), nothing, counted);
            }
            Measure::Statistics => statistics.close(Some(scope), *input, counted),
            Measure::Time | Measure::Nothing => {}
        }
    }
}

impl<'r> Encoder<'r> {
    /// Begins a page, at whose start only what is begun around its list is open.
    pub(super) fn begin_page_queries(&mut self, scopes: Option<&'r QueryScopes>) {
        self.queries.scopes = scopes;
        if self.queries.sees_draws() || scopes.is_some_and(|scopes| !scopes.around.is_empty()) {
            let is_summed = |scope: &QueryScope| scope.measure() == Measure::Samples;
            if self.queries.counts_samples()
                || scopes.is_some_and(|scopes| scopes.around.iter().any(is_summed))
            {
                self.cut_samples();
            }
            self.queries.close_all();
            scopes.iter().flat_map(|scopes| &scopes.around).for_each(|scope| self.queries.open(scope));
            self.cut_segments(Measure::Visibility);
            self.cut_segments(Measure::Statistics);
        }
    }

    pub(super) fn begin_query(&mut self, at: u32) {
        if let Some(scope) = self.scope(at) {
            if scope.measure() == Measure::Samples {
                self.cut_samples();
            }
            self.queries.open(scope);
            self.cut_segments(scope.measure());
        }
    }

    pub(super) fn end_query(&mut self, at: u32) {
        let Some(scope) = self.scope(at) else { return };
        if scope.measure() == Measure::Time {
            self.write_timestamp(scope);
        } else {
            if scope.measure() == Measure::Samples {
                self.cut_samples();
            }
            self.queries.close(scope);
            self.cut_segments(scope.measure());
        }
    }

    fn scope(&self, at: u32) -> Option<&'r QueryScope> {
        self.queries.scopes?.own.get(at as usize)
    }

    /// What is open has changed: the segment ends, and the next begins if the open pass can count it.
    fn cut_segments(&mut self, measure: Measure) {
        match measure {
            Measure::Visibility => self.cut_visibility(),
            Measure::Statistics => self.cut_statistics(),
            // The pass has ended.
            Measure::Samples | Measure::Time | Measure::Nothing => {}
        }
    }

    fn cut_visibility(&mut self) {
        let Some(open) = self.pass.render() else { return };
        if self.queries.waiting {
            // The next draw begins what is open then; without a set it needs another pass.
            if !open.counts && !self.queries.visibility.open.is_empty() {
                self.end_pass();
            }
            return;
        }
        let segments = &mut self.queries.visibility;
        let pass = open.pass();
        if std::mem::take(&mut segments.counting) {
            pass.end_occlusion_query();
        }
        if segments.open.is_empty() {
            return;
        }
        let has_room = segments.sets.last().is_some_and(|set| !set.is_full());
        if open.counts && has_room {
            self.queries.begin_visibility(open);
        } else {
            self.end_pass();
        }
    }

    /// Statistics need no set in the pass: the next segment follows at once.
    fn cut_statistics(&mut self) {
        let Self { queries, encoding, .. } = self;
        let Some(open) = self.pass.render() else { return };
        if queries.waiting {
            return;
        }
        let pass = open.pass();
        if std::mem::take(&mut queries.statistics.counting) {
            pass.end_pipeline_statistics_query();
        }
        if let Some((set, at)) = queries.next_statistics(encoding) {
            pass.begin_pipeline_statistics_query(&set, at);
        }
    }

    /// Before the first draw of a pass, which has its pipeline.
    #[cold]
    pub(super) fn begin_segments(&mut self) {
        if let Some(open) = self.pass.render() {
            self.queries.begin_segments(self.encoding, open);
        }
    }

    /// Before a draw, while statistics are open: wgpu has a pixel shader for each pass with colour targets, and Direct3D 11
    /// counts none where there is none.
    pub(super) fn tell_pixels_apart(&mut self) {
        let without = self.state.bindings.stages[PIXEL].shader.is_none();
        if std::mem::replace(&mut self.queries.without_pixels, without) != without {
            self.cut_statistics();
        }
    }

    /// After a draw, while statistics are open.
    pub(super) fn count_input(&mut self, args: &InstancedDraw) {
        let instances = u64::from(args.instance_count);
        // Strips are counted as if no index cut them.
        let primitives = u64::from(self.state.topology.primitive_count(args.count));
        self.queries.input.vertices += u64::from(args.count) * instances;
        self.queries.input.primitives += primitives * instances;
    }

    /// After a dispatch: its groups, each with the threads of the shader.
    pub(super) fn count_threads(&mut self, groups: [u16; 3], shader: &Shader) {
        if self.queries.has_statistics() {
            let product = |counts: [u64; 3]| counts.into_iter().product::<u64>();
            let threads = shader.code.reflection.workgroup_size.map(u64::from);
            self.queries.input.threads += product(groups.map(u64::from)) * product(threads);
        }
    }

    /// Writes the GPU's clock after all commands before, as far as wgpu orders them.
    fn write_timestamp(&mut self, scope: &'r QueryScope) {
        self.flush_all_clears();
        let Some(set) = self.queries.times.set(self.encoding, Measure::Time) else { return };
        let at = set.add();
        set.add_scope(at, scope);
        let Some(queries) = set.queries() else { return };
        if !self.gpu.features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES) {
            self.end_pass();
        }
        match &mut self.pass {
            PassState::Render(open) => open.pass().write_timestamp(&queries, at),
            PassState::Compute(pass) => pass.write_timestamp(&queries, at),
            PassState::None
                if self.gpu.features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS) =>
            {
                self.outside().write_timestamp(&queries, at);
            }
            PassState::None => {
                let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
                    query_set: &queries,
                    beginning_of_pass_write_index: Some(at),
                    end_of_pass_write_index: None,
                });
                let desc = wgpu::ComputePassDescriptor { label: Some("timestamp"), timestamp_writes };
                drop(self.outside_for_pass().begin_compute_pass(&desc));
            }
        }
    }

    /// The set of a pass that is about to begin, with room for a segment; `None` if no query is open.
    pub(super) fn pass_queries(&mut self) -> Option<wgpu::QuerySet> {
        let segments = &mut self.queries.visibility;
        if segments.open.is_empty() {
            return None;
        }
        segments.set(self.encoding, Measure::Visibility)?.queries()
    }
}
