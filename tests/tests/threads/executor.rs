//! The thread that executes the other threads' lists and checks the results of each list.

use std::{
    collections::BTreeMap,
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use onze::prelude::*;
use onze_tests::{
    Harness, Random, Target,
    state::{Everything, Snapshot},
    wait_for,
};

use crate::{
    common::{BYTES, Check, Common, Recorded, SIDE, WORDS},
    watch::Activity,
};

pub(crate) struct Executor<'a> {
    h: &'a mut Harness,
    common: Arc<Common>,
    activity: Activity,
    r: Random,
    threads: usize,
    /// Checks of executed lists that have not been made yet.
    waiting: Vec<(usize, Check)>,
    target: Target,
    everything: Everything,
    /// Number of executed lists by recording thread, so that a test can check that each thread took part.
    pub(crate) lists: BTreeMap<usize, u32>,
    pub(crate) checked: BTreeMap<&'static str, u32>,
}

impl<'a> Executor<'a> {
    pub(crate) fn new(
        h: &'a mut Harness,
        seed: u64,
        threads: usize,
        common: Arc<Common>,
        activity: Activity,
    ) -> Self {
        Self {
            target: Target::new(&h.device, SIDE, SIDE),
            everything: Everything::new(&h.device, 1),
            h,
            common,
            activity,
            r: Random::new(!seed),
            threads,
            waiting: Vec::new(),
            lists: BTreeMap::new(),
            checked: BTreeMap::new(),
        }
    }

    /// Executes lists until all senders have been dropped, and when the time is up and each thread has sent a
    /// list, makes the other threads stop.
    pub(crate) fn run(&mut self, jobs: &mpsc::Receiver<Recorded>, time: Duration) {
        let start = Instant::now();
        loop {
            if start.elapsed() >= time && self.lists.len() >= self.threads {
                self.common.stop();
            }
            self.activity.step("wait for a list");
            match jobs.recv_timeout(Duration::from_millis(20)) {
                Ok(recorded) => self.execute(recorded),
                Err(mpsc::RecvTimeoutError::Timeout) => self.between(),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        self.look();
        self.activity.done();
    }

    fn execute(&mut self, recorded: Recorded) {
        let Recorded { list, checks, thread } = recorded;
        *self.lists.entry(thread).or_default() += 1;
        for _ in 0..1 + self.r.below(2) {
            let late = self.write_late(&checks);
            if self.r.one_in(8) {
                self.activity.step("execute a list and get the state back");
                self.everything.bind(&mut self.h.immediate);
                self.h.immediate.execute_command_list(&list, true);
                assert_eq!(Snapshot::of(&self.h.immediate), self.everything.snapshot());
                self.h.immediate.clear_state();
            } else {
                self.activity.step("execute a list");
                self.h.immediate.execute_command_list(&list, self.r.one_in(2));
            }
            self.look_at_late(&checks, late);
        }
        self.waiting.extend(checks.into_iter().map(|check| (thread, check)));
        if self.r.one_in(2) {
            drop(list);
        } else {
            self.common.pass(&mut self.r, Box::new(list));
        }
        if self.r.one_in(3) || self.waiting.len() > 100 {
            self.look();
        }
        self.between();
    }

    fn write_late(&mut self, checks: &[Check]) -> Option<u32> {
        checks.iter().any(|check| matches!(check, Check::Late(_))).then(|| {
            let value = self.r.bits() as u32;
            let mut mapped = self.h.immediate.map(&self.common.late, 0, MapType::WriteDiscard).unwrap();
            mapped.write_slice(0, &[value; WORDS]);
            value
        })
    }

    /// Checks these results at once, because another thread's list may execute the same list later.
    fn look_at_late(&mut self, checks: &[Check], late: Option<u32>) {
        self.activity.step("read what was copied late");
        for check in checks {
            if let (Check::Late(buffer), Some(value)) = (check, late) {
                let found = self.h.immediate.read_buffer::<u32>(buffer).unwrap();
                assert_eq!(found, [value; WORDS], "copied late");
                *self.checked.entry("copied late").or_default() += 1;
            }
        }
    }

    fn look(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.r.shuffle(&mut waiting);
        for (thread, check) in waiting {
            let what = match check {
                Check::Late(_) => continue,
                Check::Words(what, buffer, expected) => {
                    self.activity.step("read a buffer");
                    let found = self.h.immediate.read_buffer::<u32>(&buffer).unwrap();
                    assert_eq!(found, expected, "{what}, recorded by thread {thread}");
                    what
                }
                Check::Texels { drawn: true, .. } if !self.h.draws() => continue,
                Check::Texels { what, texture, subresource, expected, .. } => {
                    self.activity.step("read a texture");
                    let found = self.h.read_u32(&texture, subresource);
                    assert!(
                        found == expected,
                        "{what}, by thread {thread}: {found:08x?}, not {expected:08x?}"
                    );
                    what
                }
                Check::Answer(query, expected) => {
                    self.activity.step("wait for a query");
                    let found = wait_for("a query has a result", || {
                        self.h.immediate.get_data(&query, false).unwrap()
                    });
                    if self.h.draws() || matches!(expected, QueryData::Event(_)) {
                        assert_eq!(found, expected, "recorded by thread {thread}");
                    }
                    "a query"
                }
            };
            *self.checked.entry(what).or_default() += 1;
        }
    }

    fn between(&mut self) {
        match self.r.below(8) {
            0 => {
                self.activity.step("flush");
                self.h.immediate.flush();
            }
            1 => {
                self.activity.step("trim");
                self.h.immediate.trim();
            }
            2 => {
                self.activity.step("draw");
                let quad = self.common.quad.clone();
                self.target.bind(&mut self.h.immediate);
                quad.draw(&mut self.h.immediate, [1.0, 0.0, 0.0, 1.0]);
                if self.h.draws() {
                    onze_tests::drawing::assert_all(&self.target.read(self.h), 0xff00_00ff, "between lists");
                }
            }
            3 => {
                self.activity.step("discard what lists discard");
                let words = [self.r.bits() as u32; WORDS];
                let dynamic = self.common.dynamic.clone();
                let mut mapped = self.h.immediate.map(&dynamic, 0, MapType::WriteDiscard).unwrap();
                mapped.write_slice(0, &words);
                drop(mapped);
                let found = self.h.immediate.read_buffer::<u32>(&dynamic).unwrap();
                assert_eq!(found, words, "discarded between lists");
            }
            4 => {
                self.activity.step("clear the state");
                self.h.immediate.clear_state();
            }
            5 => {
                self.activity.step("create and drop");
                let desc = BufferDesc::new(BYTES, BindFlags::VERTEX_BUFFER);
                drop(self.h.device.create_buffer(&desc, None).unwrap());
                assert!(self.h.device.statistics().live_objects > 0);
            }
            _ => {}
        }
    }
}
