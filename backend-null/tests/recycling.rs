//! Tests that lists and recordings can go through the stages live, dead and cached in any order, without
//! allocations.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;

use std::sync::Arc;

use common::{Dc, Object, Options, Runtime};
use onze_ddi::{verifier::Verifier, *};
use onze_null::driver;
use proptest::prelude::*;

/// A step of a random program, with indices taken modulo the number of items.
#[derive(Clone, Debug)]
enum Step {
    /// Records a write of a value and a copy of the buffer.
    Record {
        context: usize,
        value: u8,
    },
    /// Records the execution of a list.
    Nest {
        context: usize,
        list: usize,
    },
    /// Creates a list, with the memory of a cached list if there is one.
    Finish {
        context: usize,
    },
    Abandon {
        context: usize,
    },
    Execute {
        list: usize,
    },
    /// Turns a live list into a dead one.
    Die {
        list: usize,
    },
    /// Returns a dead list to its context.
    TakeBack {
        dead: usize,
    },
    /// Destroys a list in the stage with this number.
    Destroy {
        list: usize,
        stage: usize,
    },
    /// Recycles or destroys a context between two recordings and creates another one.
    Renew {
        context: usize,
        recycle: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (context, list) = (0..CONTEXTS, 0..100_usize);
    let step = prop_oneof![
        4 => (context.clone(), 1..=255_u8).prop_map(|(context, value)| Step::Record { context, value }),
        2 => (context.clone(), list.clone()).prop_map(|(context, list)| Step::Nest { context, list }),
        6 => context.clone().prop_map(|context| Step::Finish { context }),
        1 => context.clone().prop_map(|context| Step::Abandon { context }),
        4 => list.clone().prop_map(|list| Step::Execute { list }),
        3 => list.clone().prop_map(|list| Step::Die { list }),
        3 => list.clone().prop_map(|dead| Step::TakeBack { dead }),
        2 => (list, 0..3_usize).prop_map(|(list, stage)| Step::Destroy { list, stage }),
        1 => (context, any::<bool>()).prop_map(|(context, recycle)| Step::Renew { context, recycle }),
    ];
    proptest::collection::vec(step, 0..150)
}

const CONTEXTS: usize = 3;

/// A live list and the value that the list should leave in the buffer.
struct Recorded {
    list: DriverList<Live>,
    home: Option<usize>,
    value: Option<u8>,
}

struct World {
    r: Runtime,
    dynamic: Object,
    result: Object,
    contexts: Vec<Dc>,
    /// The value that each recording should leave in the buffer.
    recorded: Vec<Option<u8>>,
    live: Vec<Recorded>,
    dead: Vec<(DriverList<Dead>, Option<usize>)>,
    now: u8,
}

fn pick<T>(list: usize, of: &mut Vec<T>) -> Option<T> {
    Some(of.swap_remove(list.checked_rem(of.len())?))
}

impl World {
    fn new(driver: &Arc<dyn Driver>) -> Self {
        let mut r = Runtime::with(driver, Options { page_draws: Some(3), ..Options::default() }).unwrap();
        let (dynamic, result) = (r.dynamic(), r.staging());
        let contexts = (0..CONTEXTS).map(|_| r.deferred()).collect();
        let recorded = vec![None; CONTEXTS];
        Self { r, dynamic, result, contexts, recorded, live: Vec::new(), dead: Vec::new(), now: 0 }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Record { context, value } => {
                let dc = &mut self.contexts[context];
                dc.discard(&self.dynamic, value);
                dc.copy(&self.result, &self.dynamic);
                self.recorded[context] = Some(value);
            }
            Step::Nest { context, list } => {
                let Some(index) = list.checked_rem(self.live.len()) else { return };
                let (dc, inner) = (&mut self.contexts[context], &self.live[index]);
                dc.open(&self.dynamic);
                dc.funcs.command_list_execute(dc.ctx.entry(), &inner.list);
                self.recorded[context] = inner.value.or(self.recorded[context]);
            }
            Step::Finish { context } => {
                let list = self.contexts[context].finish();
                let value = self.recorded[context].take();
                self.live.push(Recorded { list, home: Some(context), value });
            }
            Step::Abandon { context } => self.abandon(context),
            Step::Execute { list } => {
                let Some(index) = list.checked_rem(self.live.len()) else { return };
                let Recorded { list, value, .. } = &self.live[index];
                self.r.execute(list);
                self.now = value.unwrap_or(self.now);
                assert_eq!(self.r.read(&self.result).0, [self.now; 16]);
            }
            Step::Die { list } => {
                let Some(Recorded { list, home, .. }) = pick(list, &mut self.live) else { return };
                self.dead.push((self.r.device.recycle_destroy_command_list(list), home));
            }
            Step::TakeBack { dead } => {
                let Some((dead, home)) = pick(dead, &mut self.dead) else { return };
                match home {
                    Some(home) => self.contexts[home].take_back(dead),
                    None => self.r.device.destroy_command_list(dead.end()),
                }
            }
            Step::Destroy { list, stage } => self.destroy(list, stage),
            Step::Renew { context, recycle } => self.renew(context, recycle),
        }
    }

    fn destroy(&mut self, list: usize, stage: usize) {
        let ended = match stage {
            0 => pick(list, &mut self.live).map(|recorded| recorded.list.end()),
            1 => pick(list, &mut self.dead).map(|(list, _)| list.end()),
            _ => pick(list, &mut self.contexts[list % CONTEXTS].cached).map(DriverList::end),
        };
        if let Some(ended) = ended {
            self.r.device.destroy_command_list(ended);
        }
    }

    fn renew(&mut self, context: usize, recycle: bool) {
        self.abandon(context);
        let old = self.contexts.remove(context);
        let new = if recycle {
            let dead = old.die();
            self.r.revived(dead)
        } else {
            old.destroy();
            self.r.deferred()
        };
        self.contexts.insert(context, new);
        let homes = self.live.iter_mut().map(|l| &mut l.home).chain(self.dead.iter_mut().map(|(_, h)| h));
        homes.filter(|home| **home == Some(context)).for_each(|home| *home = None);
    }

    fn abandon(&mut self, context: usize) {
        self.contexts[context].abandon();
        self.recorded[context] = None;
    }

    fn end(mut self) {
        (0..CONTEXTS).for_each(|context| self.abandon(context));
        let live = self.live.drain(..).map(|recorded| recorded.list.end());
        for list in live.chain(self.dead.drain(..).map(|(list, _)| list.end())) {
            self.r.device.destroy_command_list(list);
        }
        self.contexts.drain(..).for_each(Dc::destroy);
        self.r.destroy(self.dynamic);
        self.r.destroy(self.result);
        self.r.flush();
        let kernel = self.r.kernel.clone();
        self.r.destroy_device();
        assert!(kernel.live.lock().unwrap().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lists_keep_their_commands_in_any_order_of_destruction(steps in steps()) {
        let verifier = Arc::new(Verifier::with_sink(driver(), Arc::new(|_| {})));
        let mut world = World::new(&(verifier.clone() as Arc<dyn Driver>));
        for step in &steps {
            world.step(step);
        }
        world.end();
        prop_assert_eq!(verifier.breaches(), []);
    }
}

#[test]
fn repeating_a_recording_allocates_nothing() {
    let mut r = Runtime::with(&driver(), Options { page_draws: Some(16), ..Options::default() }).unwrap();
    let (a, b) = (r.staging(), r.staging());
    let mut dc = r.deferred();
    dc.ctx.layer.quiet = true;
    let record = |dc: &mut Dc| {
        dc.open(&a);
        dc.open(&b);
        let (funcs, ctx) = (dc.funcs.clone(), &mut dc.ctx);
        for _ in 0..50 {
            funcs.resource_copy(ctx.entry(), a.r(), b.r());
            funcs.draw(ctx.entry(), 3, 0);
        }
        dc.finish()
    };
    let mut frame = || {
        let lists = [record(&mut dc), record(&mut dc), record(&mut dc)];
        lists.into_iter().for_each(|list| dc.recycle(list));
    };
    (0..3).for_each(|_| frame());
    let cost = allocation_counter::measure(|| (0..10).for_each(|_| frame()));
    assert_eq!(cost.count_total, 0, "{cost:?}");
}
