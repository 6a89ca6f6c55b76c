//! Gathering what waits to be encoded into runs.
//!
//! A list that is executed is gathered as a whole, whatever its length: who encodes a run asks the list for
//! the pages of its part. So executing a list costs no more if it is longer, and a long one is still encoded
//! in several runs at once.

use std::{ops::Range, sync::Arc};

use crate::{
    command_list::List,
    identity::Identity,
    page::{Page, Run, RunPage},
};

/// Draws after which a run goes to the workers: what makes a pass that is neither dear to begin nor
/// dear to grow.
pub(crate) const RUN_DRAWS: u64 = 1000;

/// Commands without a draw that cost about as much as one.
const COMMANDS_PER_DRAW: usize = 16;

/// What a page costs to encode, in draws; at least 1.
pub(crate) fn weight(page: &Page) -> u64 {
    u64::from(page.draws).max((page.commands.len() / COMMANDS_PER_DRAW) as u64).max(1)
}

/// One execution of a list, or a part of it.
#[derive(Clone, Debug)]
struct Execution {
    list: Arc<List>,
    /// What the list's imports are.
    imports: Arc<[Identity]>,
    /// The pages that begin there, in draws from the list's beginning.
    part: Range<u64>,
}

impl Execution {
    fn weight(&self) -> u64 {
        self.part.end - self.part.start
    }

    /// Cuts what is after the first `weight` draws off.
    fn split_off(&mut self, weight: u64) -> Self {
        let at = self.part.start + weight.min(self.weight());
        let after = Self { part: at..self.part.end, ..self.clone() };
        self.part.end = at;
        after
    }

    fn some(self) -> Option<Self> {
        (!self.part.is_empty()).then_some(self)
    }
}

#[derive(Clone, Debug)]
enum Item {
    Page(RunPage),
    List(Execution),
}

/// What is encoded together, in recording order. Only the last of it may be long.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    items: Vec<Item>,
    weight: u64,
}

impl Gathered {
    /// What it costs, in draws.
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    /// Whether it is enough for a run.
    pub(crate) fn is_enough(&self) -> bool {
        self.weight >= RUN_DRAWS
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Appends a page.
    pub(crate) fn add_page(&mut self, page: RunPage) {
        self.weight = self.weight.saturating_add(weight(&page.page));
        self.items.push(Item::Page(page));
    }

    /// Appends a list, of which no query matters and around which none is begun.
    pub(crate) fn add_list(&mut self, list: &Arc<List>, imports: Arc<[Identity]>) {
        self.add(Execution { list: list.clone(), imports, part: 0..list.weight() });
    }

    fn add(&mut self, execution: Execution) {
        if let Some(execution) = execution.some() {
            self.weight = self.weight.saturating_add(execution.weight());
            self.items.push(Item::List(execution));
        }
    }

    /// Takes out what is enough for runs, in one piece. The end of a long list, which is not, stays.
    pub(crate) fn take_job(&mut self) -> Option<Job> {
        if !self.is_enough() {
            return None;
        }
        let mut first = std::mem::take(self);
        let mut rest = None;
        if let Some(Item::List(last)) = first.items.last_mut() {
            let before = first.weight.saturating_sub(last.weight());
            let mut after = last.split_off(RUN_DRAWS.saturating_sub(before));
            first.weight = before + last.weight();
            self.add(after.split_off(after.weight() / RUN_DRAWS * RUN_DRAWS));
            rest = after.some();
        }
        Some(Job { first, rest })
    }

    /// One run of all that is there, be it enough or not.
    pub(crate) fn into_job(self) -> Job {
        Job { first: self, rest: None }
    }

    /// All its pages.
    pub(crate) fn into_run(self) -> Run {
        let mut pages = Vec::new();
        for item in self.items {
            match item {
                Item::Page(page) => pages.push(page),
                Item::List(Execution { list, imports, part }) => {
                    list.for_each_page(part, imports, Vec::new(), |page| pages.push(page));
                }
            }
        }
        let draws = pages.iter().map(|page| page.page.draws).sum();
        Run { pages, draws }
    }
}

/// Consecutive runs, as they are handed over: any, and after it those of one list.
#[derive(Debug)]
pub(crate) struct Job {
    first: Gathered,
    /// Whole runs.
    rest: Option<Execution>,
}

impl Job {
    /// How many they are.
    pub(crate) fn runs(&self) -> u64 {
        1 + self.rest.as_ref().map_or(0, |rest| rest.weight() / RUN_DRAWS)
    }

    /// What they cost, in draws.
    pub(crate) fn weight(&self) -> u64 {
        self.rest.as_ref().map_or(0, Execution::weight).saturating_add(self.first.weight())
    }

    /// The first run, and what comes after it.
    pub(crate) fn split(self) -> (Gathered, Option<Self>) {
        let rest = self.rest.map(|mut next| {
            let rest = next.split_off(RUN_DRAWS).some();
            let mut first = Gathered::default();
            first.add(next);
            Self { first, rest }
        });
        (self.first, rest)
    }
}
