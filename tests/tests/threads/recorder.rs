//! A thread of a stress test, which creates, records, finishes and drops objects until it is stopped.

use std::{
    any::Any,
    sync::{
        Arc,
        mpsc::{SyncSender, TrySendError},
    },
    thread,
    time::Duration,
};

use onze::{MapToken, prelude::*};
use onze_tests::{
    Random,
    state::{Everything, Snapshot},
};

use crate::{
    common::{BYTES, Check, Common, Recorded, WORDS},
    create, pictures,
    watch::Activity,
};

const KEPT: usize = 40;
/// Maximum number of checks of an offered list, limited because each outer list adds its own checks.
const OFFERED_CHECKS: usize = 16;

pub(crate) struct Recorder {
    pub(crate) thread: usize,
    pub(crate) r: Random,
    pub(crate) common: Arc<Common>,
    pub(crate) context: DeferredContext,
    /// Checks that the executor makes after it has executed the recording.
    pub(crate) checks: Vec<Check>,
    tokens: Vec<MapToken>,
    kept: Vec<Box<dyn Any + Send>>,
    activity: Activity,
    send: SyncSender<Recorded>,
}

impl Recorder {
    pub(crate) fn new(
        thread: usize,
        seed: u64,
        common: Arc<Common>,
        activity: Activity,
        send: SyncSender<Recorded>,
    ) -> Self {
        let context = common.device.create_deferred_context().unwrap();
        let (checks, tokens, kept) = (Vec::new(), Vec::new(), Vec::new());
        let r = Random::new(seed ^ (0x517c_c1b7_2722_0a95_u64.wrapping_mul(thread as u64 + 1)));
        Self { thread, r, common, context, checks, tokens, kept, activity, send }
    }

    /// Runs until the test is stopped, and returns the objects that are still alive.
    pub(crate) fn run(mut self) -> Vec<Box<dyn Any + Send>> {
        // Each thread sends at least one list, even in a very short test.
        self.update();
        let first = self.finish(false);
        let _ = self.send.send(first);
        while !self.common.is_stopped() {
            self.step();
        }
        self.activity.step("hand back what is left");
        self.activity.done();
        let Self { context, checks, tokens, mut kept, .. } = self;
        kept.extend(tokens.into_iter().map(|token| Box::new(token) as _));
        kept.push(Box::new(context));
        kept.push(Box::new(checks));
        kept
    }

    fn step(&mut self) {
        type Step = (&'static str, u32, fn(&mut Recorder));
        const STEPS: &[Step] = &[
            ("create objects", 8, create::object),
            ("drop or pass objects", 6, Recorder::drop_some),
            ("update a buffer", 4, Recorder::update),
            ("copy from a buffer and drop it", 4, Recorder::copy),
            ("discard a buffer that all threads discard", 4, Recorder::discard),
            ("keep a map open", 2, Recorder::keep_map),
            ("copy late", 2, Recorder::late),
            ("draw", 6, pictures::draw),
            ("clear", 2, pictures::clear),
            ("write texels", 3, pictures::texels),
            ("generate mips", 1, pictures::mips),
            ("execute a list in a list", 4, Recorder::nest),
            ("set and get all state", 1, Recorder::state),
            ("get state", 2, Recorder::getters),
            ("end a query", 1, Recorder::query),
            ("ask whether a picture is visible", 2, Recorder::predicate),
            ("annotate", 1, Recorder::annotate),
            ("finish and hand over", 8, Recorder::hand_over),
            ("finish and drop", 2, Recorder::finish_and_drop),
            ("drop the context in mid-recording", 1, Recorder::new_context),
        ];
        let total = STEPS.iter().map(|step| step.1).sum();
        let mut at = self.r.below(total);
        for (what, weight, step) in STEPS {
            if at < *weight {
                self.activity.step(what);
                return step(self);
            }
            at -= weight;
        }
    }

    pub(crate) fn keep(&mut self, object: impl Any + Send) {
        if self.kept.len() >= KEPT {
            let at = self.r.below(self.kept.len() as u32) as usize;
            self.kept.swap_remove(at);
        }
        self.kept.push(Box::new(object));
    }

    fn drop_some(&mut self) {
        for _ in 0..1 + self.r.below(6) {
            if self.kept.is_empty() {
                return;
            }
            let at = self.r.below(self.kept.len() as u32) as usize;
            let thing = self.kept.swap_remove(at);
            if self.r.one_in(2) {
                self.common.pass(&mut self.r, thing);
            }
        }
    }

    pub(crate) fn words(&mut self) -> Vec<u32> {
        (0..WORDS).map(|_| self.r.bits() as u32).collect()
    }

    pub(crate) fn target(&mut self) -> Buffer {
        let flags = *self.r.pick(&[BindFlags::VERTEX_BUFFER, BindFlags::INDEX_BUFFER, BindFlags::empty()]);
        self.common.device.create_buffer(&BufferDesc::new(BYTES, flags), None).unwrap()
    }

    fn update(&mut self) {
        let (target, mut words) = (self.target(), self.words());
        self.context.update_subresource(&target, 0, None, &words, 0, 0);
        if self.r.one_in(2) {
            let (at, value) = (self.r.below(WORDS as u32), self.r.bits() as u32);
            let part = Box3d::bytes(4 * at..4 * at + 4);
            self.context.update_subresource(&target, 0, Some(part), &[value], 0, 0);
            words[at as usize] = value;
        }
        self.checks.push(Check::Words("updated", target, words));
    }

    /// Copies from a buffer that is dropped right after the copy is recorded, so the list must keep the
    /// buffer alive.
    fn copy(&mut self) {
        let (target, mut words) = (self.target(), self.words());
        let desc = match self.r.below(3) {
            0 => BufferDesc::immutable(BYTES, BindFlags::VERTEX_BUFFER),
            1 => BufferDesc::new(BYTES, BindFlags::CONSTANT_BUFFER),
            _ => BufferDesc::dynamic(BYTES, BindFlags::INDEX_BUFFER),
        };
        let source = self.common.device.create_buffer(&desc, Some(bytemuck::cast_slice(&words))).unwrap();
        if self.r.one_in(2) {
            self.context.copy_resource(&target, &source);
        } else {
            let part = Box3d::bytes(BYTES / 2..BYTES);
            self.context.copy_subresource_region(&target, 0, [0; 3], &source, 0, Some(part));
            words.rotate_left(WORDS / 2);
            words[WORDS / 2..].fill(0);
        }
        drop(source);
        self.checks.push(Check::Words("copied from a dropped buffer", target, words));
    }

    /// Discards a buffer that all threads discard, so each list must see only its own writes. The second map
    /// promises not to overwrite the bytes that the first copy reads.
    fn discard(&mut self) {
        let (first, second, words) = (self.target(), self.target(), self.words());
        let (front, back) = words.split_at(WORDS / 2);
        let dynamic = &self.common.dynamic;
        self.context.map(dynamic, 0, MapType::WriteDiscard).unwrap().write_slice(0, front);
        let part = Box3d::bytes(0..BYTES / 2);
        self.context.copy_subresource_region(&first, 0, [0; 3], dynamic, 0, Some(part));
        let mut expected = front.to_vec();
        expected.resize(WORDS, 0);
        self.checks.push(Check::Words("discarded in the list", first, expected));
        let mut mapped = self.context.map(dynamic, 0, MapType::WriteNoOverwrite).unwrap();
        mapped.write_slice(BYTES as usize / 2, back);
        drop(mapped);
        self.context.copy_resource(&second, dynamic);
        self.checks.push(Check::Words("written with no-overwrite in the list", second, words));
    }

    /// Maps a buffer until an unmap, a drop of the token, or the end of the recording or the context.
    fn keep_map(&mut self) {
        let words = self.words();
        let desc = BufferDesc::dynamic(BYTES, BindFlags::CONSTANT_BUFFER);
        let buffer = self.common.device.create_buffer(&desc, None).unwrap();
        let token = self.context.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
        self.context.bytes_mut(&token).copy_from_slice(bytemuck::cast_slice(&words));
        match self.r.below(4) {
            0 => self.context.unmap(token),
            1 => drop(token),
            _ => self.tokens.push(token),
        }
        self.checks.push(Check::Words("written by a map", buffer, words));
    }

    fn late(&mut self) {
        let target = self.target();
        self.context.copy_resource(&target, &self.common.late);
        self.checks.push(Check::Late(target));
    }

    fn nest(&mut self) {
        if let Some(Recorded { list, checks, .. }) = self.common.offered(&mut self.r) {
            self.context.execute_command_list(&list, self.r.one_in(2));
            self.checks.extend(checks);
        }
    }

    fn state(&mut self) {
        let everything = Everything::new(&self.common.device, self.r.below(3));
        everything.bind(&mut self.context);
        assert_eq!(Snapshot::of(&self.context), everything.snapshot(), "after all was set");
        let expected = everything.snapshot();
        if self.r.one_in(2) {
            // Only the bindings keep the objects alive now, and getters must return them.
            drop((everything, expected));
            drop(Snapshot::of(&self.context));
        } else {
            self.finish(true);
            assert_eq!(Snapshot::of(&self.context), expected, "after a finish that keeps the state");
        }
        self.context.clear_state();
        assert_eq!(Snapshot::of(&self.context), Snapshot::default_state());
    }

    fn getters(&mut self) {
        let cx = &self.context;
        let objects = (
            (cx.ia_get_vertex_buffers(0, 4), cx.ia_get_index_buffer(), cx.ia_get_input_layout()),
            (cx.vs_get_shader(), cx.ps_get_shader(), cx.om_get_render_targets(), cx.rs_get_state()),
            (cx.vs_get_constant_buffers(0, 2), cx.ps_get_shader_resources(0, 2), cx.ps_get_samplers(0, 2)),
        );
        if self.r.one_in(2) {
            self.keep(objects);
        }
    }

    fn query(&mut self) {
        let query = self.common.device.create_query(QueryType::Event).unwrap();
        self.context.end(&query);
        self.checks.push(Check::Answer(query, QueryData::Event(true)));
    }

    fn predicate(&mut self) {
        let query = self.common.device.create_query(QueryType::OcclusionPredicate).unwrap();
        let visible = self.r.one_in(2);
        self.context.begin(&query);
        if visible {
            pictures::draw(self);
        } else {
            pictures::clear(self);
        }
        self.context.end(&query);
        self.checks.push(Check::Answer(query, QueryData::OcclusionPredicate(visible)));
    }

    fn annotate(&mut self) {
        self.context.begin_event("group");
        self.context.set_marker("mark");
        if self.r.one_in(2) {
            self.context.end_event();
        }
    }

    fn finish(&mut self, restore: bool) -> Recorded {
        let list = self.context.finish_command_list(restore).unwrap();
        // The end of the recording has ended all maps.
        self.tokens.clear();
        Recorded { list, checks: std::mem::take(&mut self.checks), thread: self.thread }
    }

    fn finish_and_drop(&mut self) {
        let restore = self.r.one_in(2);
        drop(self.finish(restore));
    }

    fn hand_over(&mut self) {
        let restore = self.r.one_in(2);
        let recorded = self.finish(restore);
        if recorded.checks.len() <= OFFERED_CHECKS && self.r.one_in(2) {
            self.common.offer(&mut self.r, recorded.clone());
        }
        if self.r.one_in(4) {
            // Some lists are never executed, like a frame that is recorded but not shown.
            return;
        }
        self.activity.step("wait for the executing thread");
        let mut next = Some(recorded);
        while let Some(recorded) = next.take() {
            match self.send.try_send(recorded) {
                Err(TrySendError::Full(back)) if !self.common.is_stopped() => {
                    next = Some(back);
                    thread::sleep(Duration::from_millis(1));
                }
                // The list was sent, or the executor has stopped.
                _ => {}
            }
        }
    }

    fn new_context(&mut self) {
        self.context = self.common.device.create_deferred_context().unwrap();
        self.checks.clear();
        // Some of the tokens outlive their context.
        if self.r.one_in(2) {
            self.tokens.clear();
        }
    }
}
