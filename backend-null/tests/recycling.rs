//! Lists and recordings go from living to dead to cached and back, in any order, and cost nothing then.
#![allow(clippy::unwrap_used, reason = "a test may stop")]

mod common;

use std::sync::Arc;

use common::{Dc, Object, Options, Runtime};
use onze_ddi::{verifier::Verifier, *};
use onze_null::driver;
use proptest::prelude::*;

/// A step of a program. Numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    /// Records a write of a value, and a copy of it.
    Record {
        context: usize,
        value: u8,
    },
    /// Records that a list is executed.
    Nest {
        context: usize,
        list: usize,
    },
    Finish {
        context: usize,
    },
    Abandon {
        context: usize,
    },
    Execute {
        list: usize,
    },
    Destroy {
        list: usize,
    },
    /// Destroys a context between two recordings, and makes another one.
    Renew {
        context: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (context, list) = (0..CONTEXTS, 0..100_usize);
    let step = prop_oneof![
        4 => (context.clone(), 1..=255_u8).prop_map(|(context, value)| Step::Record { context, value }),
        2 => (context.clone(), list.clone()).prop_map(|(context, list)| Step::Nest { context, list }),
        4 => context.clone().prop_map(|context| Step::Finish { context }),
        1 => context.clone().prop_map(|context| Step::Abandon { context }),
        4 => list.clone().prop_map(|list| Step::Execute { list }),
        3 => list.prop_map(|list| Step::Destroy { list }),
        1 => context.prop_map(|context| Step::Renew { context }),
    ];
    proptest::collection::vec(step, 0..120)
}

const CONTEXTS: usize = 3;

/// A device, and what each list and recording is expected to leave in the buffer.
struct World {
    r: Runtime,
    dynamic: Object,
    result: Object,
    contexts: Vec<Dc>,
    /// `None`: nothing is written.
    recorded: Vec<Option<u8>>,
    lists: Vec<(DriverObject, Option<u8>)>,
    now: u8,
}

impl World {
    fn new(driver: &Arc<dyn Driver>) -> Self {
        let mut r = Runtime::with(driver, Options { page_draws: Some(3), ..Options::default() }).unwrap();
        let (dynamic, result) = (r.dynamic(), r.staging());
        let contexts = (0..CONTEXTS).map(|_| r.deferred()).collect();
        Self { r, dynamic, result, contexts, recorded: vec![None; CONTEXTS], lists: Vec::new(), now: 0 }
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
                let Some(index) = list.checked_rem(self.lists.len()) else { return };
                let dc = &mut self.contexts[context];
                let (list, value) = &self.lists[index];
                dc.open(&self.dynamic);
                dc.funcs.command_list_execute(dc.ctx.entry(), list);
                self.recorded[context] = value.or(self.recorded[context]);
            }
            Step::Finish { context } => {
                let list = self.contexts[context].finish();
                self.lists.push((list, self.recorded[context].take()));
            }
            Step::Abandon { context } => self.abandon(context),
            Step::Execute { list } => {
                let Some(index) = list.checked_rem(self.lists.len()) else { return };
                let (list, value) = &self.lists[index];
                self.r.execute(list);
                self.now = value.unwrap_or(self.now);
                assert_eq!(self.r.read(&self.result).0, [self.now; 16]);
            }
            Step::Destroy { list } => {
                let Some(index) = list.checked_rem(self.lists.len()) else { return };
                self.r.device.destroy_command_list(self.lists.swap_remove(index).0);
            }
            Step::Renew { context } => {
                self.abandon(context);
                let new = self.r.deferred();
                let old = std::mem::replace(&mut self.contexts[context], new);
                self.r.device.destroy_deferred_context(old.ctx.private);
            }
        }
    }

    fn abandon(&mut self, context: usize) {
        let dc = &mut self.contexts[context];
        dc.funcs.abandon_command_list(dc.ctx.entry());
        dc.close_all();
        self.recorded[context] = None;
    }

    fn end(mut self) {
        (0..CONTEXTS).for_each(|context| self.abandon(context));
        for (list, _) in self.lists {
            self.r.device.destroy_command_list(list);
        }
        for dc in self.contexts {
            self.r.device.destroy_deferred_context(dc.ctx.private);
        }
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
    fn lists_come_and_go_in_any_order_and_keep_what_they_recorded(steps in steps()) {
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
fn recording_the_same_again_allocates_nothing() {
    let mut r = Runtime::with(&driver(), Options { page_draws: Some(16), ..Options::default() }).unwrap();
    let (a, b) = (r.staging(), r.staging());
    let mut dc = r.deferred();
    dc.ctx.layer.quiet = true;
    let mut record = || {
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
        let before = [record(), record(), record()];
        before.into_iter().for_each(|list| r.device.destroy_command_list(list));
    };
    (0..3).for_each(|_| frame());
    let cost = allocation_counter::measure(|| (0..10).for_each(|_| frame()));
    assert_eq!(cost.count_total, 0, "{cost:?}");
}
