//! Occlusion queries: which rounds are open, and the part that is being counted.
//!
//! A pass has wgpu's query set only if it begins while a query is open, so a draw outside of queries is as
//! if there were none. While one is open, every draw of such a pass lies in a part.

use crate::{encode::query_parts::PartSet, objects::query::Round, record::run_page::Rounds};

use super::Encoder;

/// A round of which more parts may come.
#[derive(Debug)]
struct Open<'r> {
    round: &'r Round,
    /// Its first part: which set, and where there.
    from: (usize, u32),
}

/// The queries of a run.
#[derive(Debug, Default)]
pub(super) struct Queries<'r> {
    /// Of the page that is being encoded.
    rounds: Option<&'r Rounds>,
    open: Vec<Open<'r>>,
    /// The last one takes parts.
    sets: Vec<PartSet>,
    /// A part is being counted in the open pass.
    counting: bool,
}

impl<'r> Queries<'r> {
    /// From the next part on there is a round.
    fn open(&mut self, round: &'r Round) {
        let from = self.sets.last().map_or((0, 0), |last| (self.sets.len() - 1, last.len()));
        self.open.push(Open { round, from });
    }

    /// The rounds of a query, or all, have no more parts.
    fn close(&mut self, of: Option<&Round>) {
        let sets = &mut self.sets;
        self.open.retain(|Open { round, from }| {
            let ends = of.is_none_or(|of| of.is_same_query(round));
            if ends {
                for (at, set) in sets.iter_mut().enumerate().skip(from.0) {
                    set.add_round(if at == from.0 { from.1 } else { 0 }, round);
                }
            }
            !ends
        });
    }

    /// Begins a part, if there is a query that it counts for, in a pass that has the last set.
    pub(super) fn begin_part(&mut self, pass: &mut wgpu::RenderPass<'static>) {
        if let Some(set) = self.sets.last_mut()
            && !self.open.is_empty()
        {
            pass.begin_occlusion_query(set.add());
            self.counting = true;
        }
    }

    /// Ends the part that is being counted, if there is one.
    pub(super) fn end_part(&mut self, pass: &mut wgpu::RenderPass<'static>) {
        if std::mem::take(&mut self.counting) {
            pass.end_occlusion_query();
        }
    }

    /// After the last pass of a run: reads everything back and returns what is counted.
    pub(super) fn finish(mut self, encoder: &mut wgpu::CommandEncoder) -> Vec<PartSet> {
        self.close(None);
        self.sets.iter().for_each(|set| set.read_back(encoder));
        self.sets
    }
}

impl<'r> Encoder<'r> {
    /// Begins a page, at whose start only what is begun around its list is open.
    pub(super) fn begin_page_queries(&mut self, rounds: Option<&'r Rounds>) {
        self.queries.rounds = rounds;
        if !self.queries.open.is_empty() || rounds.is_some_and(|rounds| !rounds.around.is_empty()) {
            self.queries.close(None);
            rounds.iter().flat_map(|rounds| &rounds.around).for_each(|round| self.queries.open(round));
            self.cut_part();
        }
    }

    pub(super) fn begin_query(&mut self, at: u32) {
        if let Some(round) = self.round(at) {
            self.queries.open(round);
            self.cut_part();
        }
    }

    pub(super) fn end_query(&mut self, at: u32) {
        if let Some(round) = self.round(at) {
            self.queries.close(Some(round));
            self.cut_part();
        }
    }

    fn round(&self, at: u32) -> Option<&'r Round> {
        self.queries.rounds?.own.get(at as usize)
    }

    /// What is open has changed: the part ends, and the next begins if the open pass can count it.
    fn cut_part(&mut self) {
        let Some(open) = self.pass.render() else { return };
        self.queries.end_part(&mut open.pass);
        if self.queries.open.is_empty() {
            return;
        }
        if open.counts && self.queries.sets.last().is_some_and(|set| !set.is_full()) {
            self.queries.begin_part(&mut open.pass);
        } else {
            self.end_pass();
        }
    }

    /// The set of a pass that is about to begin, with room for a part; `None` if no query is open.
    pub(super) fn pass_queries(&mut self) -> Option<wgpu::QuerySet> {
        let Queries { open, sets, .. } = &mut self.queries;
        if open.is_empty() {
            return None;
        }
        if sets.last().is_none_or(PartSet::is_full) {
            sets.push(self.encoding.take_parts());
        }
        sets.last().map(|set| set.set.clone())
    }
}
