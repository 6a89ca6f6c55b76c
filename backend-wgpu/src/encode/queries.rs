//! Occlusion queries: the open query scopes, and the segment that is being counted.
//!
//! A pass has a wgpu query set only if a query is open when it begins, so draws outside of queries cost nothing more.
//! While a query is open, every draw of such a pass lies in a segment.

use crate::{encode::query_segments::SegmentSet, objects::query::QueryScope, record::run_page::QueryScopes};

use super::Encoder;

/// A scope of which more segments may come.
#[derive(Debug)]
struct Open<'r> {
    scope: &'r QueryScope,
    /// Its first segment: which set, and where there.
    from: (usize, u32),
}

/// The queries of a run.
#[derive(Debug, Default)]
pub(super) struct Queries<'r> {
    /// Of the page that is being encoded.
    scopes: Option<&'r QueryScopes>,
    open: Vec<Open<'r>>,
    /// The last one takes segments.
    sets: Vec<SegmentSet>,
    /// A segment is being counted in the open pass.
    counting: bool,
}

impl<'r> Queries<'r> {
    /// From the next segment on there is a scope.
    fn open(&mut self, scope: &'r QueryScope) {
        let from = self.sets.last().map_or((0, 0), |last| (self.sets.len() - 1, last.len()));
        self.open.push(Open { scope, from });
    }

    /// The scopes of a query, or all, have no more segments.
    fn close(&mut self, of: Option<&QueryScope>) {
        let sets = &mut self.sets;
        self.open.retain(|Open { scope, from }| {
            let ends = of.is_none_or(|of| of.is_same_query(scope));
            if ends {
                for (at, set) in sets.iter_mut().enumerate().skip(from.0) {
                    set.add_scope(if at == from.0 { from.1 } else { 0 }, scope);
                }
            }
            !ends
        });
    }

    /// Begins a segment, if there is a query that it counts for, in a pass that has the last set.
    pub(super) fn begin_segment(&mut self, pass: &mut wgpu::RenderPass<'static>) {
        if let Some(set) = self.sets.last_mut()
            && !self.open.is_empty()
        {
            pass.begin_occlusion_query(set.add());
            self.counting = true;
        }
    }

    /// Ends the segment that is being counted, if there is one.
    pub(super) fn end_segment(&mut self, pass: &mut wgpu::RenderPass<'static>) {
        if std::mem::take(&mut self.counting) {
            pass.end_occlusion_query();
        }
    }

    /// After the last pass of a run: reads everything back and returns what is counted.
    pub(super) fn finish(mut self, encoder: &mut wgpu::CommandEncoder) -> Vec<SegmentSet> {
        self.close(None);
        self.sets.iter().for_each(|set| set.read_back(encoder));
        self.sets
    }
}

impl<'r> Encoder<'r> {
    /// Begins a page, at whose start only what is begun around its list is open.
    pub(super) fn begin_page_queries(&mut self, scopes: Option<&'r QueryScopes>) {
        self.queries.scopes = scopes;
        if !self.queries.open.is_empty() || scopes.is_some_and(|scopes| !scopes.around.is_empty()) {
            self.queries.close(None);
            scopes.iter().flat_map(|scopes| &scopes.around).for_each(|scope| self.queries.open(scope));
            self.cut_segment();
        }
    }

    pub(super) fn begin_query(&mut self, at: u32) {
        if let Some(scope) = self.scope(at) {
            self.queries.open(scope);
            self.cut_segment();
        }
    }

    pub(super) fn end_query(&mut self, at: u32) {
        if let Some(scope) = self.scope(at) {
            self.queries.close(Some(scope));
            self.cut_segment();
        }
    }

    fn scope(&self, at: u32) -> Option<&'r QueryScope> {
        self.queries.scopes?.own.get(at as usize)
    }

    /// What is open has changed: the segment ends, and the next begins if the open pass can count it.
    fn cut_segment(&mut self) {
        let Some(open) = self.pass.render() else { return };
        self.queries.end_segment(open.pass());
        if self.queries.open.is_empty() {
            return;
        }
        if open.counts && self.queries.sets.last().is_some_and(|set| !set.is_full()) {
            self.queries.begin_segment(open.pass());
        } else {
            self.end_pass();
        }
    }

    /// The set of a pass that is about to begin, with room for a segment; `None` if no query is open.
    pub(super) fn pass_queries(&mut self) -> Option<wgpu::QuerySet> {
        let Queries { open, sets, .. } = &mut self.queries;
        if open.is_empty() {
            return None;
        }
        if sets.last().is_none_or(SegmentSet::is_full) {
            sets.push(self.encoding.take_segments());
        }
        sets.last().map(|set| set.set.clone())
    }
}
