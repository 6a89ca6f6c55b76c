//! Queries of a run: the open query scopes and the segments that are being counted.

use crate::{
    encode::{
        device_encoding::DeviceEncoding,
        parts::{
            passes::OpenPass,
            query_segments::{CountedDraws, CountedScope, InputCounts, SegmentSet},
        },
    },
    objects::query::{Measure, QueryScope},
    record::run_page::QueryScopes,
};

/// The query results of a run: the segments that are read back, and the counts of the encoder.
pub(crate) type QueryResults = (Vec<SegmentSet>, Vec<CountedScope>);

/// A scope that is open, so more segments may follow.
#[derive(Debug)]
struct OpenScope<'r> {
    scope: &'r QueryScope,
    /// The set of its first segment, and the index within that set.
    from: (usize, u32),
    /// Value of [`RunQueries::input`] at the scope's beginning, which only statistics use.
    input: InputCounts,
}

/// The open scopes and the segments of one measurement.
#[derive(Debug, Default)]
struct QuerySegments<'r> {
    open: Vec<OpenScope<'r>>,
    /// The sets of segments, with the one that receives new segments at the end.
    sets: Vec<SegmentSet>,
    /// The open pass has a query of the measurement.
    counting: bool,
}

impl<'r> QuerySegments<'r> {
    /// Opens a scope, which begins with the next segment.
    fn open(&mut self, scope: &'r QueryScope, input: InputCounts) {
        let from = self.sets.last().map_or((0, 0), |last| (self.sets.len() - 1, last.len()));
        self.open.push(OpenScope { scope, from, input });
    }

    /// Closes the scopes of a query, or all scopes, given the current value of [`RunQueries::input`] in
    /// `now`.
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

    /// Returns the set for the next segment, and adds a set if the last one is full.
    fn set(&mut self, encoding: &DeviceEncoding, measure: Measure) -> Option<&mut SegmentSet> {
        if self.sets.last().is_none_or(SegmentSet::is_full) {
            self.sets.push(encoding.take_segments(measure));
        }
        self.sets.last_mut()
    }
}

#[derive(Debug, Default)]
pub(crate) struct RunQueries<'r> {
    /// The query scopes of the page that is being encoded.
    scopes: Option<&'r QueryScopes>,
    visibility: QuerySegments<'r>,
    /// The queries in `visibility` that count samples, and their sums.
    samples: QuerySegments<'r>,
    statistics: QuerySegments<'r>,
    times: QuerySegments<'r>,
    /// The queries of stream output.
    streams: QuerySegments<'r>,
    /// The queries in `statistics`, for the primitives that geometry shaders append.
    primitives: QuerySegments<'r>,
    /// The patches that indirect draws do not draw. They are read back without a query.
    lost_patches: QuerySegments<'r>,
    /// Counts of the draws and dispatches that were encoded while statistics were open.
    input: InputCounts,
    counted: Vec<CountedScope>,
    /// Segments of the open pass begin with its next draw.
    waiting: bool,
    /// The draws of the open segment of statistics.
    draws: CountedDraws,
}

impl<'r> RunQueries<'r> {
    /// Begins a page with its query scopes.
    pub(crate) fn begin_page(&mut self, scopes: Option<&'r QueryScopes>) {
        self.scopes = scopes;
    }

    /// Returns a query scope of the page's own queries.
    pub(crate) fn scope(&self, at: u32) -> Option<&'r QueryScope> {
        self.scopes?.own.get(at as usize)
    }

    /// Returns whether the encoder must count each draw.
    pub(crate) fn has_statistics(&self) -> bool {
        !self.statistics.open.is_empty()
    }

    /// Returns whether a query is open that measures draws.
    pub(crate) fn measures_draws(&self) -> bool {
        self.sees_draws() || !self.streams.open.is_empty()
    }

    pub(crate) fn sees_draws(&self) -> bool {
        !self.visibility.open.is_empty() || self.has_statistics()
    }

    #[inline]
    pub(crate) fn counts_samples(&self) -> bool {
        !self.samples.open.is_empty()
    }

    /// Returns the buffer and the index of the next sum of samples.
    pub(crate) fn next_samples(&mut self, encoding: &DeviceEncoding) -> Option<(wgpu::Buffer, u32)> {
        let set = self.samples.set(encoding, Measure::Samples)?;
        let at = set.add();
        Some((set.sums(), at))
    }

    /// Returns the buffer and the index of the next segment of stream output, if an open query needs it.
    pub(crate) fn next_streams(&mut self, encoding: &DeviceEncoding) -> Option<(wgpu::Buffer, u32)> {
        if self.streams.open.is_empty() {
            return None;
        }
        let set = self.streams.set(encoding, Measure::Streams)?;
        let at = set.add();
        Some((set.sums(), at))
    }

    /// Notes that a pass has begun, whose segments begin with its first draw, because lavapipe of Mesa 22.3
    /// crashes at a query without a pipeline.
    pub(crate) fn begin_pass(&mut self) {
        self.waiting = self.sees_draws();
    }

    /// Returns whether the pass must begin its segments with the next draw.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting
    }

    pub(crate) fn begin_segments(&mut self, encoding: &DeviceEncoding, open: &mut OpenPass) {
        self.waiting = false;
        self.begin_visibility(open);
        self.begin_statistics(encoding, open.pass());
    }

    /// Ends the segment of visibility after the open queries have changed, and begins the next one. Returns
    /// `false` if the pass must end instead, because it cannot count the next draws.
    pub(crate) fn cut_visibility(&mut self, open: &mut OpenPass) -> bool {
        let QuerySegments { open: scopes, sets, counting } = &mut self.visibility;
        if self.waiting {
            // The next draw begins the segments, for which a pass without a query set must end.
            return open.has_query_set() || scopes.is_empty();
        }
        let pass = open.pass();
        if std::mem::take(counting) {
            pass.end_occlusion_query();
        }
        if scopes.is_empty() {
            return true;
        }
        let has_room = sets.last().is_some_and(|set| !set.is_full());
        if !(open.has_query_set() && has_room) {
            return false;
        }
        self.begin_visibility(open);
        true
    }

    /// Ends the segment of statistics and begins the next one at once, because statistics need no query set
    /// in the pass.
    pub(crate) fn cut_statistics(&mut self, encoding: &DeviceEncoding, open: &mut OpenPass) {
        if self.waiting {
            return;
        }
        let pass = open.pass();
        if std::mem::take(&mut self.statistics.counting) {
            pass.end_pipeline_statistics_query();
        }
        self.begin_statistics(encoding, pass);
    }

    fn begin_statistics(&mut self, encoding: &DeviceEncoding, pass: &mut wgpu::RenderPass<'static>) {
        if let Some((set, at)) = self.next_statistics(encoding) {
            pass.begin_pipeline_statistics_query(&set, at);
        }
    }

    /// Sets the properties of the next draw, and returns whether the draw before it had others.
    pub(crate) fn changes_draws(&mut self, draws: CountedDraws) -> bool {
        std::mem::replace(&mut self.draws, draws) != draws
    }

    pub(crate) const fn input_mut(&mut self) -> &mut InputCounts {
        &mut self.input
    }

    /// Returns the buffer and the index of the next segment for primitives that geometry shaders append, if statistics
    /// are open. `of_pass_through` states whether the shader is the driver's own.
    pub(crate) fn next_primitives(
        &mut self,
        encoding: &DeviceEncoding,
        of_pass_through: bool,
    ) -> Option<(wgpu::Buffer, u32)> {
        if self.primitives.open.is_empty() {
            return None;
        }
        let set = self.primitives.set(encoding, Measure::Primitives)?;
        let at = set.add_draws(CountedDraws { of_pass_through, ..CountedDraws::default() });
        Some((set.sums(), at))
    }

    /// Returns the buffer and the index of the next number of patches that an indirect draw does not draw.
    pub(crate) fn next_lost_patches(&mut self, encoding: &DeviceEncoding) -> Option<(wgpu::Buffer, u32)> {
        let set = self.lost_patches.set(encoding, Measure::LostPatches)?;
        let at = set.add();
        Some((set.sums(), at))
    }

    pub(crate) fn count_threads(&mut self, threads: u64) {
        self.input.threads += threads;
    }

    /// Returns the set and the index of the next timestamp, which is the result of a query.
    pub(crate) fn next_timestamp(
        &mut self,
        encoding: &DeviceEncoding,
        scope: &QueryScope,
    ) -> Option<(wgpu::QuerySet, u32)> {
        let set = self.times.set(encoding, Measure::Time)?;
        let at = set.add();
        set.add_scope(at, scope);
        Some((set.queries()?, at))
    }

    /// Returns the query set for a pass that begins next, with room for a segment. Returns `None` if no
    /// occlusion query is open.
    pub(crate) fn pass_set(&mut self, encoding: &DeviceEncoding) -> Option<wgpu::QuerySet> {
        if self.visibility.open.is_empty() {
            return None;
        }
        self.visibility.set(encoding, Measure::Visibility)?.queries()
    }

    /// Returns the set and the index of the next segment of statistics in the open pass, if an open query
    /// needs it.
    fn next_statistics(&mut self, encoding: &DeviceEncoding) -> Option<(wgpu::QuerySet, u32)> {
        if !self.has_statistics() {
            return None;
        }
        let set = self.statistics.set(encoding, Measure::Statistics)?;
        let at = set.add_draws(self.draws);
        let set = set.queries()?;
        self.statistics.counting = true;
        Some((set, at))
    }

    /// Begins a segment of visibility in a pass that uses the last query set, if an open query needs it.
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

    /// Ends the open segments, and returns `false` if the pass had a query but no draw.
    pub(crate) fn end_segments(&mut self, pass: &mut wgpu::RenderPass<'static>) -> bool {
        let is_waiting = std::mem::take(&mut self.waiting);
        if std::mem::take(&mut self.visibility.counting) {
            pass.end_occlusion_query();
        }
        if std::mem::take(&mut self.statistics.counting) {
            pass.end_pipeline_statistics_query();
        }
        !is_waiting
    }

    /// Reads all segments back after the last pass of a run, and returns them with the encoder's counts.
    pub(crate) fn finish(mut self, encoder: &mut wgpu::CommandEncoder) -> QueryResults {
        self.close_all();
        let Self {
            visibility, samples, statistics, times, streams, primitives, lost_patches, counted, ..
        } = self;
        let all = [visibility, samples, statistics, times, streams, primitives, lost_patches]
            .into_iter()
            .flat_map(|segments| segments.sets);
        (all.filter(|set| set.len() > 0).inspect(|set| set.read_back(encoder)).collect(), counted)
    }

    pub(crate) fn close_all(&mut self) {
        let Self { visibility, samples, statistics, streams, primitives, input, counted, .. } = self;
        for segments in [visibility, samples, streams, primitives] {
            segments.close(None, InputCounts::default(), counted);
        }
        statistics.close(None, *input, counted);
    }

    pub(crate) fn open(&mut self, scope: &'r QueryScope) {
        let nothing = InputCounts::default();
        match scope.measure() {
            Measure::Visibility => self.visibility.open(scope, nothing),
            Measure::Samples => {
                // If a pass has no sample counter, visibility still shows whether any sample was visible.
                self.visibility.open(scope, nothing);
                self.samples.open(scope, nothing);
            }
            Measure::Statistics => {
                self.statistics.open(scope, self.input);
                self.primitives.open(scope, nothing);
            }
            Measure::Streams => self.streams.open(scope, nothing),
            Measure::Primitives | Measure::LostPatches | Measure::Time | Measure::Nothing => {}
        }
    }

    pub(crate) fn close(&mut self, scope: &QueryScope) {
        let Self { visibility, samples, statistics, streams, primitives, input, counted, .. } = self;
        let nothing = InputCounts::default();
        match scope.measure() {
            Measure::Visibility => visibility.close(Some(scope), nothing, counted),
            Measure::Samples => {
                visibility.close(Some(scope), nothing, counted);
                samples.close(Some(scope), nothing, counted);
            }
            Measure::Statistics => {
                statistics.close(Some(scope), *input, counted);
                primitives.close(Some(scope), nothing, counted);
            }
            Measure::Streams => streams.close(Some(scope), nothing, counted),
            Measure::Primitives | Measure::LostPatches | Measure::Time | Measure::Nothing => {}
        }
    }
}
