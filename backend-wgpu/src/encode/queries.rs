//! Queries: the open query scopes, and the segments that are being counted.
//!
//! A pass has an occlusion query set only if an occlusion query is open when it begins, so draws outside of
//! queries cost nothing extra. While a query is open, every draw of such a pass is in a segment. Dispatches
//! need no segments, because the encoder counts their threads.
//!
//! A timestamp is written where its query ends. Depending on the adapter, it is written in the open pass,
//! outside of passes, or with an empty pass.

use onze_ddi::ShaderStage;

use crate::{
    encode::{emulate_hooks::SampleCounting, encoder::Encoder, parts::query_segments::CountedDraws},
    objects::{
        query::{Measure, QueryScope},
        shader::{Shader, geometry_program},
    },
    record::{page::InstancedDraw, run_page::QueryScopes},
};

impl<'r> Encoder<'r> {
    /// Begins a page, at whose start only the queries that were begun around its command list are open.
    pub(super) fn begin_page_queries(&mut self, scopes: Option<&'r QueryScopes>) {
        self.queries.begin_page(scopes);
        if self.queries.measures_draws() || scopes.is_some_and(|scopes| !scopes.around.is_empty()) {
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
        if let Some(scope) = self.queries.scope(at) {
            if scope.measure() == Measure::Samples {
                self.cut_samples();
            }
            self.queries.open(scope);
            self.cut_segments(scope.measure());
        }
    }

    pub(super) fn end_query(&mut self, at: u32) {
        let Some(scope) = self.queries.scope(at) else { return };
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

    /// Ends a segment after the open queries have changed, and begins the next one at once if the open pass
    /// can count it.
    fn cut_segments(&mut self, measure: Measure) {
        match measure {
            Measure::Visibility => self.cut_visibility(),
            Measure::Statistics => self.cut_statistics(),
            // These queries have no segments within a pass, so nothing has to be cut.
            Measure::Samples
            | Measure::Streams
            | Measure::Primitives
            | Measure::LostPatches
            | Measure::Time
            | Measure::Nothing => {}
        }
    }

    fn cut_visibility(&mut self) {
        if let Some(open) = self.pass.render()
            && !self.queries.cut_visibility(open)
        {
            self.end_pass();
        }
    }

    fn cut_statistics(&mut self) {
        if let Some(open) = self.pass.render() {
            self.queries.cut_statistics(self.encoding, open);
        }
    }

    /// Begins the segments before the first draw of a pass, after its pipeline is bound.
    #[cold]
    pub(super) fn begin_segments(&mut self) {
        if let Some(open) = self.pass.render() {
            self.queries.begin_segments(self.encoding, open);
        }
    }

    /// Cuts the segment between draws for which the counts of wgpu have another meaning, while statistics are open.
    /// wgpu has a fragment stage in every pass with colour targets, but Direct3D 11 counts no runs for draws without a
    /// pixel shader.
    pub(super) fn tell_draws_apart(&mut self) {
        let draws = CountedDraws {
            without_pixels: self.bindings.shader(ShaderStage::Pixel).is_none(),
            expanded: self.bindings.shader(ShaderStage::Geometry).is_some(),
            tessellated: self.bindings.shader(ShaderStage::Hull).is_some(),
            of_pass_through: false,
        };
        if self.queries.changes_draws(draws) {
            self.cut_statistics();
        }
    }

    /// Counts the vertices and primitives of a draw, while statistics are open.
    pub(super) fn count_input(&mut self, args: &InstancedDraw) {
        let instances = u64::from(args.instance_count);
        let vertices = u64::from(args.count) * instances;
        // The count does not take restarts of strips into account.
        let primitives = u64::from(self.state.topology.primitive_count(args.count)) * instances;
        let of_stage = |shader: &Shader| geometry_program(&shader.code).map(|program| program.instance_count);
        let geometry = self.bindings.shader(ShaderStage::Geometry).and_then(of_stage);
        let is_rasterized = self.state.stream_shader.is_none_or(Shader::is_rasterized);
        let counts = self.queries.input_mut();
        counts.vertices += vertices;
        counts.primitives += primitives;
        if geometry.is_some() || !is_rasterized {
            counts.vertex_shader += vertices;
        }
        match geometry {
            // The geometry shader is the driver's own.
            Some(_) if self.state.passes_through => {
                counts.clipper += if is_rasterized { primitives } else { 0 };
            }
            Some(invocations) => counts.geometry_shader += primitives * u64::from(invocations),
            None => {}
        }
    }

    /// Counts the control points and patches of a tessellated draw, while statistics are open.
    pub(super) fn count_patches(&mut self, args: &InstancedDraw) {
        let instances = u64::from(args.instance_count);
        let vertices = u64::from(args.count) * instances;
        let patches = u64::from(self.state.topology.primitive_count(args.count)) * instances;
        let counts = self.queries.input_mut();
        counts.vertices += vertices;
        counts.primitives += patches;
        counts.vertex_shader += vertices;
    }

    /// Counts the threads of a dispatch in the encoder itself, while statistics are open.
    pub(super) fn count_threads(&mut self, groups: [u16; 3], shader: &Shader) {
        if self.queries.has_statistics() {
            let product = |counts: [u64; 3]| counts.into_iter().product::<u64>();
            let threads = shader.code.reflection.workgroup_size.map(u64::from);
            self.queries.count_threads(product(groups.map(u64::from)) * product(threads));
        }
    }

    /// Writes a timestamp after all earlier commands, as far as wgpu orders them.
    fn write_timestamp(&mut self, scope: &'r QueryScope) {
        self.flush_all_clears();
        let Some((queries, at)) = self.queries.next_timestamp(self.encoding, scope) else { return };
        if !self.gpu.features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES) {
            self.end_pass();
        }
        if self.pass.write_timestamp(&queries, at) {
            return;
        }
        if self.gpu.features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS) {
            self.outside().write_timestamp(&queries, at);
            return;
        }
        let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
            query_set: &queries,
            beginning_of_pass_write_index: Some(at),
            end_of_pass_write_index: None,
        });
        let desc = wgpu::ComputePassDescriptor { label: Some("timestamp"), timestamp_writes };
        drop(self.outside_for_pass().begin_compute_pass(&desc));
    }
}
