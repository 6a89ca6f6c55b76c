//! Occlusion queries: which passes have a query set, and which scopes their segments count for.

use std::sync::Arc;

use onze_ddi::{Fence, Format, QueryData, QueryType, ShaderStage};

use crate::{
    encode::EncodedRun,
    objects::query::Query,
    record::{command::Command, page::PageQuery},
    submit::query_counts::SubmittedSegments,
};

use super::{
    copying::copy_bytes,
    scene::{Bench, COVER, Recording, TINT, color},
};

const RGBA8: Format = Format::R8G8B8A8_UNORM;

fn predicate() -> Arc<Query> {
    Query::new(QueryType::OcclusionPredicate.into())
}

/// A device, and the common state of pages that draw to one target.
struct Pages {
    bench: Bench,
    blank: Box<dyn Fn() -> Recording>,
}

impl Pages {
    fn new() -> Option<Self> {
        let bench = Bench::new()?;
        let target = bench.target(RGBA8, 4, 4);
        let rtv = bench.rtv(&target, RGBA8);
        let (vs, ps) = (bench.vertex(COVER), bench.pixel(TINT));
        let constants = bench.buffer(&color([1.0; 4]));
        let blank = Box::new(move || {
            let mut page = Recording::default();
            page.targets(&[Some(&rtv)], None).shaders(&vs, Some(&ps)).constants(
                ShaderStage::Pixel,
                &constants,
                0,
                16,
            );
            page
        });
        Some(Self { bench, blank })
    }

    /// Returns a page that binds the common state and then records `write`.
    fn page(&self, write: impl FnOnce(&mut Recording)) -> Recording {
        let mut page = (self.blank)();
        write(&mut page);
        page
    }

    /// Submits a run, waits for its segments and adds their counts to the queries.
    fn count(&self, encoded: EncodedRun) {
        assert_eq!(encoded.error, None);
        let device = &self.bench.device;
        device.gpu.queue.submit(encoded.command_buffers);
        let mut counting = SubmittedSegments::default();
        let (before, sets) = (device.encoding.segment_sets.len(), encoded.segments.len());
        encoded.segments.into_iter().for_each(|segments| counting.receive(Fence(1), segments));
        assert_eq!(counting.waits_for(Fence(1)), sets > 0);
        device.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        counting.count(&device.encoding);
        assert!(!counting.waits_for(Fence(1)), "all have arrived");
        assert_eq!(device.encoding.segment_sets.len(), before + sets, "they can be used again");
        self.bench.runtime.assert_clean();
    }
}

impl Recording {
    fn begin(&mut self, query: &Arc<Query>, continues: bool) -> u32 {
        let at = self.page.queries.len() as u32;
        self.page.queries.push(PageQuery { query: query.clone(), continues });
        self.push(Command::BeginQuery(at));
        at
    }

    /// Draws a triangle over the whole target, or two vertices that make no triangle.
    fn triangle(&mut self, visible: bool) {
        self.draw(if visible { 3 } else { 2 }, 0);
    }
}

fn seen(query: &Query) -> bool {
    query.answer(1) == QueryData::OcclusionPredicate(true)
}

#[test]
fn only_passes_with_queries_have_a_query_set() {
    let Some(mut pages) = Pages::new() else { return };
    let plain = pages.page(|page| (0..3).for_each(|_| page.triangle(true)));
    let encoded = pages.bench.encode(vec![plain]);
    assert_eq!((encoded.segments.len(), encoded.stats.passes), (0, 1));
    pages.count(encoded);
    let (hidden, shown) = (predicate(), predicate());
    let asked = pages.page(|page| {
        page.triangle(true);
        for (query, visible) in [(&hidden, false), (&shown, true)] {
            let at = page.begin(query, false);
            page.triangle(visible);
            page.push(Command::EndQuery(at));
            page.triangle(true);
        }
    });
    let plain = pages.page(|page| page.triangle(true));
    let encoded = pages.bench.encode(vec![asked, plain]);
    // The first pass ends before the first query, and the second one contains all other draws.
    assert_eq!((encoded.segments.len(), encoded.stats.passes), (1, 2));
    pages.count(encoded);
    assert_eq!((seen(&hidden), seen(&shown)), (false, true));
}

#[test]
fn a_page_in_a_query_is_encoded_alone() {
    let Some(mut pages) = Pages::new() else { return };
    for visible in [[false, false], [true, false], [false, true]] {
        let query = predicate();
        let first = pages.page(|page| {
            page.begin(&query, false);
            page.triangle(visible[0]);
        });
        let second = pages.page(|page| {
            let at = page.begin(&query, true);
            page.triangle(visible[1]);
            page.push(Command::EndQuery(at));
            page.triangle(true);
        });
        // Scopes are numbered in recording order, so the order of submission and counting does not matter.
        let runs = [first, second].map(|page| pages.bench.encode(vec![page]));
        runs.into_iter().rev().for_each(|run| pages.count(run));
        assert_eq!(seen(&query), visible.contains(&true), "{visible:?}");
    }
}

#[test]
fn late_counts_of_an_earlier_scope_are_ignored() {
    let Some(mut pages) = Pages::new() else { return };
    let query = predicate();
    let mut ask = |visible| {
        let page = pages.page(|page| {
            let at = page.begin(&query, false);
            page.triangle(visible);
            page.push(Command::EndQuery(at));
        });
        pages.bench.encode(vec![page])
    };
    let (first, second) = (ask(true), ask(false));
    pages.count(first);
    assert!(!seen(&query));
    pages.count(second);
    assert!(!seen(&query));
}

#[test]
fn full_query_sets_get_successors_and_are_reused() {
    let Some(mut pages) = Pages::new() else { return };
    let queries: Vec<_> = (0..1500).map(|_| predicate()).collect();
    for turn in 0..2 {
        let page = pages.page(|page| {
            for (n, query) in queries.iter().enumerate() {
                let at = page.begin(query, false);
                page.triangle(n % 2 == turn);
                page.push(Command::EndQuery(at));
            }
        });
        let encoded = pages.bench.encode(vec![page]);
        assert_eq!((encoded.segments.len(), encoded.stats.passes), (2, 2));
        pages.count(encoded);
        assert_eq!(pages.bench.device.encoding.segment_sets.len(), 2);
        let wrong = queries.iter().enumerate().position(|(n, query)| seen(query) != (n % 2 == turn));
        assert_eq!(wrong, None);
    }
}

/// The constants are written before the pass, so the padded copy of the second draw begins a section.
#[test]
fn a_query_counts_the_draws_of_all_sections() {
    let Some(mut pages) = Pages::new() else { return };
    for visible in [[true, false], [false, true], [false, false]] {
        let (query, source) = (predicate(), pages.bench.buffer(&[1; 8]));
        let written = pages.bench.buffer(&[0; 8]);
        let page = pages.page(|page| {
            copy_bytes(page, (&source, 0), (&written, 0), 8);
            let at = page.begin(&query, false);
            page.triangle(visible[0]);
            page.constants(ShaderStage::Pixel, &written, 0, 8);
            page.triangle(visible[1]);
            page.push(Command::EndQuery(at));
        });
        let encoded = pages.bench.encode(vec![page]);
        assert_eq!((encoded.command_buffers.len(), encoded.stats.passes), (3, 2));
        pages.count(encoded);
        assert_eq!(seen(&query), visible.contains(&true), "{visible:?}");
    }
}

/// The samples of a pass are summed after it, which opens the debug group outside of passes.
#[test]
fn samples_and_debug_groups_continue_in_each_section() {
    let Some(mut pages) = Pages::new() else { return };
    let query = Query::new(QueryType::Occlusion.into());
    let (source, written) = (pages.bench.buffer(&[1; 8]), pages.bench.buffer(&[0; 8]));
    let page = pages.page(|page| {
        page.page.names.push("group".into());
        copy_bytes(page, (&source, 0), (&written, 0), 8);
        let at = page.begin(&query, false);
        page.push(Command::BeginEvent(0));
        page.triangle(true);
        page.constants(ShaderStage::Pixel, &written, 0, 8);
        page.triangle(true);
        page.push(Command::EndEvent).push(Command::EndQuery(at));
    });
    let encoded = pages.bench.encode(vec![page]);
    assert_eq!((encoded.command_buffers.len(), encoded.stats.passes), (3, 2));
    pages.count(encoded);
    assert_eq!(query.answer(1), QueryData::Occlusion(32), "two draws of 16 texels");
}

/// The draw that begins the last section is skipped, so the section contains only the readback.
#[test]
fn a_section_without_draws_reads_queries_back() {
    let Some(mut pages) = Pages::new() else { return };
    let (query, source, written) = (predicate(), pages.bench.buffer(&[1; 8]), pages.bench.buffer(&[0; 8]));
    let page = pages.page(|page| {
        copy_bytes(page, (&source, 0), (&written, 0), 8);
        let at = page.begin(&query, false);
        page.triangle(true);
        page.constants(ShaderStage::Pixel, &written, 0, 8);
        page.viewport(onze_ddi::Viewport::default()).triangle(true);
        page.push(Command::EndQuery(at));
    });
    let encoded = pages.bench.encode(vec![page]);
    assert_eq!((encoded.command_buffers.len(), encoded.stats.passes), (3, 1));
    pages.count(encoded);
    assert!(seen(&query));
}
