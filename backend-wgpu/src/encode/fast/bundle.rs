//! Bundles: the draws of a command list's page, encoded once and executed many times.
//!
//! wgpu validates every command when an encoder is finished, and this is most of the cost of a draw. It
//! validates the commands of a render bundle only once. Therefore the second encoding of a list's page with
//! the same imports records its draws into bundles, which stay with the page and are executed from then on.
//! The first encoding records nothing, because most lists are executed once.
//!
//! A bundle contains a *span* of commands: draws and the setters between them. A span ends
//!
//! * if the pass ends,
//! * at a command that is neither a draw nor a setter,
//! * if state changes that a bundle cannot contain: viewport, scissor, blend factor or stencil reference.
//!
//! A page begins with the whole state, so a span depends only on the page and its imports, which are the
//! buffers and views that draws read. An imported target may be a different texture each time, because the
//! pass contains the targets. Copies are encoded each time. There are four exceptions:
//!
//! * Pending clears and the prologue depend on reads, so a span declares its reads to
//!   [`accesses`](crate::encode::parts::accesses) when its bundle is executed.
//! * Draws that use padded copies of buffers ([`guard`](crate::encode::emulate::guard)) are in no span,
//!   because each of them makes its own copies.
//! * Draws are in no span if they write through views, have a placeholder target, or have a fitted viewport.
//!   The same applies to all draws of a pass in which a draw has written through views.
//! * A page during which a query is open is encoded without bundles.

use std::ops::Range;

use crate::{
    encode::{
        emulate_hooks::MemberCopies,
        encoder::Encoder,
        fast_hooks::Bundling,
        parts::{
            bundle_spans::{
                Bundle, BundleBuilder, BundleOp, BundleSpan, EncodeMode, PagePosition, PageReplay,
                RememberedEncoding,
            },
            page_objects::PageObjects,
            vertices::DrawArea,
        },
    },
    objects::shader::PULL_GROUP,
    record::{command::CommandClass, page::Page, run_page::RunPage},
};

/// Chooses how to encode a page now, and takes or updates its remembered encoding.
fn encode_mode(run_page: &RunPage, least_draws: u32) -> EncodeMode {
    let page = &run_page.page;
    if !page.is_listed || run_page.scopes.is_some() || page.draws < least_draws {
        return EncodeMode::Direct;
    }
    let Some(mut remembered) = PageReplay::take(page) else { return EncodeMode::Direct };
    let knows = remembered.knows(run_page);
    let spans = remembered.spans.clone();
    if knows && spans.is_none() {
        return EncodeMode::Record(remembered);
    }
    PageReplay::put(page, remembered);
    spans.map_or(EncodeMode::Direct, EncodeMode::Replay)
}

/// Encodes the commands of a span in a pass or in a bundle. wgpu has a trait for both, but that trait
/// requires pipelines that live as long as the pass.
macro_rules! play {
    ($ops:expr, $caches:expr => $to:expr) => {{
        let mut used = 0;
        for op in &$ops.ops {
            match op {
                BundleOp::Pipeline(place) => {
                    if let Some(Some(compiled)) = $caches.pipelines.pipelines.get(*place) {
                        $to.set_pipeline(&compiled.pipeline);
                    }
                }
                BundleOp::Group(at, place, count) => {
                    let offsets = $ops.offsets.get(used..used + count).unwrap_or_default();
                    used += count;
                    if let Some(group) = $caches.groups.get(*place) {
                        $to.set_bind_group(*at, group, offsets);
                    }
                }
                BundleOp::Pulled(place) => {
                    if let Some(group) = $caches.pulled.get(*place) {
                        $to.set_bind_group(PULL_GROUP as u32, group, &[]);
                    }
                }
                BundleOp::Vertex(slot, slice) => $to.set_vertex_buffer(*slot, *slice),
                BundleOp::Index(slice, format) => $to.set_index_buffer(*slice, *format),
                BundleOp::Draw(vertices, instances) => $to.draw(vertices.clone(), instances.clone()),
                BundleOp::DrawIndexed(indices, base_vertex, instances) => {
                    $to.draw_indexed(indices.clone(), *base_vertex, instances.clone());
                }
            }
        }
    }};
}

impl<'r> Bundling<'r> for Encoder<'r> {
    fn encode_commands(&mut self, run_page: &'r RunPage, objects: &PageObjects<'r>) {
        let page = &*run_page.page;
        match encode_mode(run_page, self.least_draws()) {
            EncodeMode::Direct => self.encode(page, objects, &page.commands),
            EncodeMode::Record(remembered) => self.record(page, objects, remembered),
            EncodeMode::Replay(spans) => self.replay(page, objects, &spans),
        }
    }

    fn choose_bundle(&mut self, area: &DrawArea, fits: bool) {
        let Some(recording) = &self.recording else { return };
        let (is_open, at) = (recording.open.is_some(), recording.at);
        if is_open && fits && self.has_dynamic_state(area) {
            return;
        }
        self.finish_bundle();
        if !fits {
            return;
        }
        self.bind_dynamic_state(area);
        self.forget_objects();
        // The draw that begins the span is already counted.
        let ops = BundleBuilder::new(&self.targets, at, self.stats.draws - 1);
        if let Some(recording) = &mut self.recording {
            recording.open = Some(ops);
        }
    }

    #[inline]
    fn begin_in_bundle(&mut self, draw: usize) {
        if let Some(recording) = &mut self.recording {
            recording.at.draw = draw;
        }
    }

    #[inline]
    fn end_in_bundle(&mut self, draw: usize, all: usize) {
        if let Some(recording) = &mut self.recording
            && let Some(open) = &mut recording.open
        {
            let command = recording.at.command;
            open.end = if draw < all {
                PagePosition { command, draw }
            } else {
                PagePosition { command: command + 1, draw: 0 }
            };
            open.draws.end = self.stats.draws;
        }
    }

    fn finish_bundle(&mut self) {
        let Some(mut ops) = self.recording.as_mut().and_then(|recording| recording.open.take()) else {
            return;
        };
        ops.make_waiting();
        let draws = ops.draws.end - ops.draws.start;
        if draws < self.least_draws() {
            self.play(&ops);
            return;
        }
        let bundle = self.make_bundle(&ops);
        if let Some(open) = self.pass.render() {
            bundle.execute(open.pass());
        }
        self.forget_objects();
        self.ready.forget();
        if let Some(recording) = &mut self.recording {
            let (commands, reads, casts) = (ops.first..ops.end, self.accesses.notes(), self.casts.notes());
            recording.spans.push(BundleSpan { commands, bundle, draws, reads, casts });
        }
    }
}

impl<'r> Encoder<'r> {
    fn least_draws(&self) -> u32 {
        let policy = &self.gpu.policy;
        policy.bundle_draws.map_or(u32::MAX, |draws| draws.min(policy.page_draws))
    }

    fn record(&mut self, page: &'r Page, objects: &PageObjects<'r>, mut remembered: RememberedEncoding) {
        self.recording = Some(Box::default());
        self.accesses.take_notes();
        self.casts.take_notes();
        for (at, command) in page.commands.iter().enumerate() {
            if let Some(recording) = &mut self.recording {
                recording.at = PagePosition { command: at, draw: 0 };
            }
            self.encode(page, objects, std::slice::from_ref(command));
        }
        self.finish_bundle();
        self.accesses.drop_notes();
        self.casts.drop_notes();
        let Some(recording) = self.recording.take() else { return };
        remembered.spans = Some(recording.spans.into());
        PageReplay::put(page, remembered);
    }

    fn replay(&mut self, page: &'r Page, objects: &PageObjects<'r>, spans: &[BundleSpan]) {
        let mut at = PagePosition { command: 0, draw: 0 };
        for span in spans {
            let Range { start, end } = span.commands;
            self.encode_between(page, objects, at, start);
            self.replay_span(span);
            at = end;
            if end.command < page.commands.len() {
                let setters = page.commands.get(start.command..end.command).unwrap_or_default();
                for command in setters.iter().filter(|command| !command.is_draw()) {
                    self.encode(page, objects, std::slice::from_ref(command));
                }
            }
        }
        self.encode_between(page, objects, at, PagePosition { command: page.commands.len(), draw: 0 });
    }

    /// Encodes the commands and draws between two positions, which may be within a command.
    fn encode_between(
        &mut self,
        page: &'r Page,
        objects: &PageObjects<'r>,
        start: PagePosition,
        end: PagePosition,
    ) {
        let whole = if start.draw == 0 { start.command } else { start.command + 1 };
        if whole > start.command {
            let last = if start.command == end.command { end.draw } else { usize::MAX };
            self.draw_part(page, start.command, start.draw..last);
        }
        self.encode(page, objects, page.commands.get(whole..end.command).unwrap_or_default());
        if end.draw > 0 && whole <= end.command {
            self.draw_part(page, end.command, 0..end.draw);
        }
    }

    fn draw_part(&mut self, page: &'r Page, at: usize, part: Range<usize>) {
        if let Some(CommandClass::Draw(draw)) = page.commands.get(at).map(|command| command.class()) {
            self.encode_draws(page, draw, part);
        }
    }

    fn replay_span(&mut self, span: &BundleSpan) {
        self.stats.draws += span.draws;
        self.ready.forget();
        self.resolve_targets();
        self.resolve_area();
        // Both result from the same setters as when the bundle was recorded.
        let Some(area) = self.area.filter(|_| self.targets.is_drawable()) else { return };
        span.reads.iter().for_each(|part| self.reads(*part));
        self.reads_noted_members(&span.casts);
        if self.pass.has_writes() {
            // The bundle may read ranges that draws of the pass have written.
            self.end_pass();
        }
        self.open_pass();
        self.bind_dynamic_state(&area);
        if let Some(open) = self.pass.render() {
            span.bundle.execute(open.pass());
        }
        self.forget_objects();
    }

    /// Encodes the commands of a span in the open pass.
    fn play(&mut self, ops: &BundleBuilder<'_>) {
        if let Some(open) = self.pass.render() {
            let pass = open.pass();
            play!(ops, self.caches => pass);
        }
    }

    fn make_bundle(&self, ops: &BundleBuilder<'_>) -> Bundle {
        let desc = wgpu::RenderBundleEncoderDescriptor {
            label: Some("draws of a list"),
            color_formats: ops.formats.get(..ops.colors).unwrap_or_default(),
            depth_stencil: ops.depth,
            sample_count: ops.samples,
            multiview: None,
        };
        let mut bundle = self.gpu.device.create_render_bundle_encoder(&desc);
        play!(ops, self.caches => bundle);
        let bundle = bundle.finish(&wgpu::RenderBundleDescriptor { label: Some("draws of a list") });
        let pipelines = ops.ops.iter().filter_map(|op| match op {
            BundleOp::Pipeline(place) => self.caches.pipelines.pipelines.get(*place)?.as_ref(),
            BundleOp::Group(..)
            | BundleOp::Pulled(_)
            | BundleOp::Vertex(..)
            | BundleOp::Index(..)
            | BundleOp::Draw(..)
            | BundleOp::DrawIndexed(..) => None,
        });
        let stencil =
            pipelines.filter(|compiled| compiled.reads_stencil_ref).map(|c| c.pipeline.clone()).next();
        Bundle { bundle, stencil }
    }
}
