//! Runs: groups of pages and lists that wait to be encoded together.
//!
//! An executed list is gathered as a whole, whatever its length. The thread that encodes a run requests the
//! pages of the run's range from the list. Therefore executing a longer list costs no more, and several
//! threads can encode a long list at the same time.

use std::{ops::Range, sync::Arc};

use crate::{
    encode::Run,
    objects::identity::Identity,
    record::{command_list::List, min_lods::MinLods, run_page::RunPage},
    services::{adapter_kind::pass_splits_are_expensive, gpu::Gpu, policy::RunPolicy},
};

/// Bounds of the length of runs, in draws, from [`RunPolicy`].
#[derive(Clone, Debug)]
pub(crate) struct RunLength {
    least: u64,
    most: u64,
    objects_per_draw: Option<u64>,
}

impl RunLength {
    /// Returns the run length for an adapter, which is longer if splitting a pass is expensive on it.
    pub(crate) fn of(gpu: &Gpu) -> Self {
        Self::new(&gpu.policy.runs, pass_splits_are_expensive(&gpu.info))
    }

    fn new(policy: &RunPolicy, splits_are_expensive: bool) -> Self {
        if let Some(draws) = policy.exactly {
            let draws = u64::from(draws.max(1));
            return Self { least: draws, most: draws, objects_per_draw: None };
        }
        let is_long = splits_are_expensive && policy.long_on_expensive_splits;
        Self {
            least: if is_long { policy.long_draws } else { policy.draws },
            most: policy.long_draws,
            objects_per_draw: policy.objects_per_draw,
        }
    }

    /// Returns the run length while `live` wgpu buffers and textures exist.
    pub(crate) fn beside(&self, live: u64) -> u64 {
        self.objects_per_draw.map_or(self.least, |objects| (live / objects).clamp(self.least, self.most))
    }
}

#[derive(Clone, Debug)]
struct ListExecution {
    list: Arc<List>,
    imports: Arc<[Identity]>,
    min_lods: MinLods,
    /// Range of the list's draws, counted from its beginning and including the pages that begin in the range.
    part: Range<u64>,
    /// Number of the list's draws that cost as much as one draw of a run.
    per_draw: u64,
}

impl ListExecution {
    fn draws(&self) -> u64 {
        self.part.end - self.part.start
    }

    fn weight(&self) -> u64 {
        self.draws().div_ceil(self.per_draw)
    }

    /// Cuts the range after a weight of `weight`, and returns the second part.
    fn split_off(&mut self, weight: u64) -> Self {
        let at = self.part.start.saturating_add(weight.saturating_mul(self.per_draw)).min(self.part.end);
        let after = Self { part: at..self.part.end, ..self.clone() };
        self.part.end = at;
        after
    }

    fn some(self) -> Option<Self> {
        (!self.part.is_empty()).then_some(self)
    }
}

#[derive(Clone, Debug)]
enum RunItem {
    Page(RunPage),
    List(ListExecution),
}

/// Work that is encoded together, in recording order. Only the last item may be longer than a run.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    items: Vec<RunItem>,
    weight: u64,
    draws: u64,
    run: u64,
    replayed_per_draw: u64,
}

impl Gathered {
    pub(crate) fn new(run: u64, replayed_per_draw: u64) -> Self {
        Self { items: Vec::new(), weight: 0, draws: 0, run, replayed_per_draw }
    }

    pub(crate) fn run(&self) -> u64 {
        self.run
    }

    /// Sets the length of the following runs, but not of jobs that were already taken.
    pub(crate) fn size_runs(&mut self, run: u64) {
        self.run = run;
    }

    fn take(&mut self) -> Self {
        let empty = Self::new(self.run, self.replayed_per_draw);
        std::mem::replace(self, empty)
    }

    /// Number of draws, counting other work as the number of draws that cost as much.
    pub(crate) fn draws(&self) -> u64 {
        self.draws
    }

    pub(crate) fn is_enough(&self) -> bool {
        self.weight >= self.run
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(crate) fn add_page(&mut self, page: RunPage) {
        let weight = page.page.weight();
        self.weight = self.weight.saturating_add(weight);
        self.draws = self.draws.saturating_add(weight);
        self.items.push(RunItem::Page(page));
    }

    /// Appends a list, which requires that no query is in it or active around it.
    pub(crate) fn add_list(&mut self, list: &Arc<List>, imports: Arc<[Identity]>, min_lods: MinLods) {
        let per_draw = if list.is_replayed() { self.replayed_per_draw } else { 1 };
        self.add(ListExecution { list: list.clone(), imports, min_lods, part: 0..list.weight(), per_draw });
    }

    fn add(&mut self, execution: ListExecution) {
        if let Some(execution) = execution.some() {
            self.weight = self.weight.saturating_add(execution.weight());
            self.draws = self.draws.saturating_add(execution.draws());
            self.items.push(RunItem::List(execution));
        }
    }

    /// Takes out complete runs as one job, or returns `None` if there is not enough work for one run. The
    /// rest of a long list stays if it is not enough for another run.
    pub(crate) fn take_job(&mut self) -> Option<RunJob> {
        if !self.is_enough() {
            return None;
        }
        let mut first = self.take();
        let mut rest = None;
        if let Some(RunItem::List(last)) = first.items.last_mut() {
            let before = first.weight.saturating_sub(last.weight());
            let mut after = last.split_off(self.run.saturating_sub(before));
            first.weight = before + last.weight();
            first.draws = first.draws.saturating_sub(after.draws());
            self.add(after.split_off(after.weight() / self.run * self.run));
            rest = after.some();
        }
        Some(RunJob { first, rest })
    }

    /// Takes out everything as one run, even if it is shorter than a run should be.
    pub(crate) fn take_all(&mut self) -> RunJob {
        RunJob { first: self.take(), rest: None }
    }

    /// Resolves all items to pages, which for lists are the pages of their ranges.
    pub(crate) fn into_run(self) -> Run {
        let mut pages = Vec::new();
        for item in self.items {
            match item {
                RunItem::Page(page) => pages.push(page),
                RunItem::List(ListExecution { list, imports, min_lods, part, .. }) => {
                    list.for_each_page(part, imports, Vec::new(), |page| pages.push(page.on(&min_lods)));
                }
            }
        }
        let draws = pages.iter().map(|page| page.page.draws).sum();
        Run { pages, draws }
    }
}

/// Consecutive runs that are handed over together: a first run of any items, followed by runs of a single
/// list.
#[derive(Debug)]
pub(crate) struct RunJob {
    first: Gathered,
    /// A range of a list that can be cut into complete runs.
    rest: Option<ListExecution>,
}

impl RunJob {
    pub(crate) fn runs(&self) -> u64 {
        1 + self.rest.as_ref().map_or(0, |rest| rest.weight() / self.first.run)
    }

    /// Number of draws, counting other work as the number of draws that cost as much.
    pub(crate) fn draws(&self) -> u64 {
        self.rest.as_ref().map_or(0, ListExecution::draws).saturating_add(self.first.draws())
    }

    /// Returns the first run, and a job with the remaining runs if there are any.
    pub(crate) fn split(self) -> (Gathered, Option<Self>) {
        let Gathered { run, replayed_per_draw, .. } = self.first;
        let rest = self.rest.map(|mut next| {
            let rest = next.split_off(run).some();
            let mut first = Gathered::new(run, replayed_per_draw);
            first.add(next);
            Self { first, rest }
        });
        (self.first, rest)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::{
        record::{page::Page, run_page::no_imports},
        services::policy::Policy,
    };

    fn page(draws: u64) -> Arc<Page> {
        Arc::new(Page { draws: draws as u32, ..Page::default() })
    }

    fn run_page(draws: u64) -> RunPage {
        RunPage::new(page(draws), Arc::default(), no_imports(), &[])
    }

    fn list(pages: &[u64]) -> Arc<List> {
        let mut list = List::default();
        pages.iter().for_each(|draws| list.add_page(page(*draws)));
        Arc::new(list)
    }

    fn names(run: Run) -> Vec<*const Page> {
        run.pages.iter().map(|page| Arc::as_ptr(&page.page)).collect()
    }

    fn pages(list: &Arc<List>, part: Range<u64>) -> Vec<*const Page> {
        let mut pages = Vec::new();
        list.for_each_page(part, no_imports(), Vec::new(), |page| pages.push(Arc::as_ptr(&page.page)));
        pages
    }

    /// Nested lists with cheap and expensive pages, including empty lists and pages that are longer than a
    /// run.
    fn nested() -> Arc<List> {
        let mut lists = vec![Arc::new(List::default())];
        for n in 1..80_usize {
            let mut list = List::default();
            for k in 0..n % 5 {
                list.add_page(page(((n * 37 + k * 101) % 300) as u64));
                if n % 11 == k {
                    list.add_page(page(2500));
                }
                let inner = &lists[(n * 7 + k * 3) % n];
                // Without this limit, nested lists would grow exponentially.
                if inner.weight() < 20_000 {
                    list.add_list(inner.clone(), 0..0, Vec::new(), MinLods::default());
                }
            }
            lists.push(Arc::new(list));
        }
        let mut all = List::default();
        lists.into_iter().for_each(|list| all.add_list(list, 0..0, Vec::new(), MinLods::default()));
        Arc::new(all)
    }

    #[test]
    fn a_cut_list_keeps_all_pages_in_order() {
        let list = nested();
        let all = pages(&list, 0..u64::MAX);
        assert!(all.len() > 400 && list.weight() > 100_000, "{} pages, {}", all.len(), list.weight());
        for step in [97, 1000, 30_000] {
            let mut found = Vec::new();
            let mut at = 0;
            while at < list.weight() {
                found.append(&mut pages(&list, at..at + step));
                at += step;
            }
            assert!(found == all, "in parts of {step}");
        }
        assert_eq!(pages(&list, list.weight()..u64::MAX).len(), 0);
    }

    #[test]
    fn pending_draws_are_cut_into_runs_of_the_wanted_length() {
        type Draws = &'static [u64];
        // Draws of the pages that are gathered first, draws of the pages of a list after them, draws of each
        // expected run, and draws that remain.
        let cases: [(Draws, Draws, Draws, u64); 8] = [
            (&[], &[300; 3], &[], 900),
            (&[999], &[], &[], 999),
            (&[1200], &[], &[1200], 0),
            (&[], &[500; 6], &[1000, 1000, 1000], 0),
            (&[400], &[256; 10], &[1000, 1000], 960),
            (&[400], &[600], &[1000], 0),
            (&[1], &[32; 63], &[1000, 1000], 17),
            (&[], &[5000, 1], &[1000; 5], 1),
        ];
        for (before, listed, runs, stays) in cases {
            let mut gathered = Gathered::new(1000, 128);
            before.iter().for_each(|draws| gathered.add_page(run_page(*draws)));
            gathered.add_list(&list(listed), no_imports(), MinLods::default());
            let all = names(gathered.clone().into_run());
            let weight = gathered.draws();
            let mut job = gathered.take_job();
            let what = format!("{before:?}, {listed:?}");
            let (count, cost) = job.as_ref().map_or((0, 0), |job| (job.runs(), job.draws()));
            assert_eq!((count, cost), (runs.len() as u64, weight - stays), "{what}");
            let (mut found, mut weights) = (Vec::new(), Vec::new());
            while let Some((run, rest)) = job.map(RunJob::split) {
                weights.push(run.draws());
                found.append(&mut names(run.into_run()));
                job = rest;
            }
            assert_eq!((&weights[..], gathered.draws()), (runs, stays), "{what}");
            found.append(&mut names(gathered.into_run()));
            assert!(found == all, "{what}");
        }
    }

    fn replayed(pages: &[u64]) -> Arc<List> {
        let list = list(pages);
        list.for_each_page(0..u64::MAX, no_imports(), Vec::new(), |page| {
            page.page.encoding.set_replayed(true);
        });
        list
    }

    #[test]
    fn replayed_draws_weigh_little_in_runs_but_fill_the_backlog() {
        // The weights are one and a half runs, less than one run, and pages of less than one draw each.
        let lists = [replayed(&[512; 375]), replayed(&[100; 10]), replayed(&[1; 7])];
        let mut gathered = Gathered::new(1000, 128);
        gathered.add_page(run_page(10));
        lists.iter().for_each(|list| gathered.add_list(list, no_imports(), MinLods::default()));
        gathered.add_list(&list(&[600; 4]), no_imports(), MinLods::default());
        let all = names(gathered.clone().into_run());
        let mut draws = gathered.draws();
        assert_eq!(draws, 10 + 192_000 + 1000 + 7 + 2400);
        let (mut found, mut runs, mut announced) = (Vec::new(), 0, 0);
        loop {
            let job = gathered.take_job().or_else(|| (!gathered.is_empty()).then(|| gathered.take_all()));
            let Some(job) = job else { break };
            announced += job.runs();
            let mut next = Some(job);
            while let Some((run, rest)) = next.map(RunJob::split) {
                runs += 1;
                draws -= run.draws();
                found.append(&mut names(run.into_run()));
                next = rest;
            }
        }
        assert!(found == all && draws == 0, "{draws}");
        assert_eq!(runs, announced);
        assert!(runs <= 4, "{runs}");
    }

    #[test]
    fn a_list_is_replayed_if_its_costliest_page_is() {
        let (kept, new) = (replayed(&[3, 700, 20]), list(&[3, 700, 20]));
        let nest = |lists: &[&Arc<List>]| {
            let mut outer = List::default();
            outer.add_page(page(2));
            lists
                .iter()
                .for_each(|list| outer.add_list(Arc::clone(list), 0..0, Vec::new(), MinLods::default()));
            Arc::new(outer)
        };
        assert!(kept.is_replayed() && !new.is_replayed() && !List::default().is_replayed());
        assert!(nest(&[&kept]).is_replayed() && !nest(&[&new]).is_replayed());
        assert!(nest(&[&list(&[5]), &nest(&[&kept])]).is_replayed());
        assert!(!nest(&[&replayed(&[5]), &new]).is_replayed());
    }

    #[test]
    fn runs_are_longer_beside_many_objects() {
        let runs = Policy::default().runs;
        let beside = |policy: &RunPolicy, splits_are_expensive: bool| {
            let length = RunLength::new(policy, splits_are_expensive);
            [0, 5_000, 24_000, u64::MAX].map(|live| length.beside(live))
        };
        assert_eq!(beside(&runs, false), [1000, 1000, 4000, 16_000]);
        assert_eq!(beside(&runs, true), [16_000; 4]);
        let short = RunPolicy { long_on_expensive_splits: false, objects_per_draw: None, ..runs.clone() };
        assert_eq!((beside(&short, true), beside(&short, false)), ([1000; 4], [1000; 4]));
        let exactly = |draws| beside(&RunPolicy { exactly: Some(draws), ..runs.clone() }, true);
        assert_eq!((exactly(0), exactly(70)), ([1; 4], [70; 4]));
        let mut gathered = Gathered::new(1000, 128);
        gathered.size_runs(4000);
        gathered.add_list(&list(&[500; 39]), no_imports(), MinLods::default());
        let job = gathered.take_job().unwrap();
        assert_eq!((job.runs(), job.draws(), gathered.draws()), (4, 16_000, 3500));
        let (first, rest) = job.split();
        assert_eq!((first.draws(), rest.unwrap().split().0.draws()), (4000, 4000));
        assert!(gathered.take_job().is_none());
        gathered.add_page(run_page(500));
        assert_eq!(gathered.take_job().unwrap().draws(), 4000);
    }
}
