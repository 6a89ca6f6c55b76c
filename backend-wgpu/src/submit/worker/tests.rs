//! Tests of runs, jobs and results with different numbers of threads.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
use std::ops::Range;

use super::*;
use crate::{
    device::Device,
    encode::compiler::tests::wait_until,
    objects::allocator::{Storage, own_storage},
    record::{
        command::Command,
        command_list::List,
        min_lods::MinLods,
        object_table::{ObjectTable, PageObject},
        page::{BufferPlace, CopyCommand, Page},
        run_page::{RunPage, no_imports},
    },
    testing,
};

/// A page that is long enough for a run and copies one word of a buffer to the first word of another buffer.
fn page(word: u64) -> Arc<Page> {
    let copy = CopyCommand::BufferToBuffer {
        src: BufferPlace { object: 0, offset: word * 4 },
        dst: BufferPlace { object: 1, offset: 0 },
        size: 4,
    };
    Arc::new(Page { copies: vec![copy], commands: vec![Command::Copy(0)], ..Page::default() })
}

fn objects(from: &Arc<Storage>, to: &Arc<Storage>) -> Arc<ObjectTable> {
    let objects = vec![PageObject::Buffer(from.clone()), PageObject::Buffer(to.clone())];
    Arc::new(objects.into())
}

fn copy(from: &Arc<Storage>, word: u64, to: &Arc<Storage>) -> RunJob {
    let mut gathered = Gathered::new(1, 1);
    gathered.add_page(RunPage::new(page(word), objects(from, to), no_imports(), &[]));
    gathered.take_job().unwrap()
}

fn list(from: &Arc<Storage>, words: Range<u64>, to: &Arc<Storage>) -> Arc<List> {
    let mut list = List::default();
    list.add_table(objects(from, to));
    words.for_each(|word| list.add_page(page(word)));
    Arc::new(list)
}

fn listed(list: &Arc<List>) -> RunJob {
    let mut gathered = Gathered::new(1, 1);
    gathered.add_list(list, no_imports(), MinLods::default());
    gathered.take_job().unwrap()
}

fn word(run: &EncodedRun) -> u64 {
    match &run.pages[..] {
        [RunPage { page, .. }] => match page.copies[..] {
            [CopyCommand::BufferToBuffer { src, .. }] => src.offset / 4,
            _ => panic!("{page:?}"),
        },
        pages => panic!("{} pages", pages.len()),
    }
}

fn words(device: &Device, count: u32) -> Arc<Storage> {
    let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let storage = own_storage(&device.gpu.device, "words", u64::from(count) * 4, usage).unwrap();
    let words: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
    device.gpu.queue.write_buffer(&storage.buffer, 0, &words);
    storage
}

#[test]
fn runs_come_back_in_order_whoever_encodes_them() {
    let Some((device, runtime)) = testing::gpu() else { return };
    for workers in [0, 1, 4] {
        let mut pool = WorkerPool::new(&device.encoding, workers);
        let (from, to) = (words(&device, 64), words(&device, 4));
        for round in [0..16, 16..48] {
            round.clone().for_each(|n| pool.submit(copy(&from, n, &to)));
            assert_eq!(pool.pending(), (round.end - round.start));
            for (n, run) in round.clone().zip(pool.finish()) {
                assert_eq!(run.error, None);
                assert_eq!(word(&run), n, "{workers} workers");
                device.gpu.queue.submit(run.command_buffers);
            }
            assert_eq!(pool.pending(), 0);
            let last = (round.end as u32 - 1).to_le_bytes();
            assert_eq!(testing::read_buffer(&device, &to.buffer, 0, 4), last, "{workers} workers");
        }
        assert_eq!(pool.handed(), 48);
    }
    runtime.assert_clean();
}

#[test]
fn a_long_list_is_encoded_in_many_runs_between_those_around_it() {
    let (device, _) = testing::noop();
    let (from, to) = (words(&device, 64), words(&device, 4));
    let (long, longer) = (list(&from, 1..20, &to), list(&from, 21..60, &to));
    for workers in [0, 1, 4] {
        let mut pool = WorkerPool::new(&device.encoding, workers);
        for round in 0..100 {
            pool.submit(copy(&from, 0, &to));
            pool.submit(listed(&long));
            pool.submit(copy(&from, 20, &to));
            pool.submit(listed(&longer));
            assert_eq!((pool.pending(), pool.is_empty()), (60, false));
            let mut last = Gathered::new(1, 1);
            last.add_page(RunPage::new(page(60), objects(&from, &to), no_imports(), &[]));
            pool.submit(last.take_all());
            let runs = pool.finish();
            let found: Vec<_> = runs.iter().map(word).collect();
            assert_eq!(found, (0..=60).collect::<Vec<_>>(), "{workers} workers, round {round}");
        }
    }
    assert_eq!(Arc::strong_count(&long), 1, "who has encoded all of it lets it go");
}

#[test]
fn finished_runs_are_taken_in_order_without_waiting() {
    let (device, _) = testing::noop();
    let (from, to) = (words(&device, 64), words(&device, 4));
    let mut none = WorkerPool::new(&device.encoding, 0);
    none.submit(copy(&from, 0, &to));
    assert!(none.take_finished().is_empty(), "nobody has encoded it");
    assert_eq!(none.pending(), 1);
    for workers in [1, 4] {
        let mut pool = WorkerPool::new(&device.encoding, workers);
        pool.submit(copy(&from, 0, &to));
        pool.submit(listed(&list(&from, 1..40, &to)));
        let mut taken = Vec::new();
        wait_until("all is done", || {
            assert_eq!(pool.pending(), (40 - taken.len() as u64));
            taken.extend(pool.take_finished().iter().map(word));
            taken.len() == 40
        });
        assert_eq!(taken, (0..40).collect::<Vec<_>>(), "{workers} workers");
    }
}

#[test]
fn runs_encoded_here_follow_the_submitted_runs() {
    let (device, _) = testing::noop();
    let (from, to) = (words(&device, 64), words(&device, 4));
    for workers in [0, 1, 4] {
        let mut pool = WorkerPool::new(&device.encoding, workers);
        pool.submit(copy(&from, 0, &to));
        pool.encode_here(listed(&list(&from, 1..4, &to)));
        pool.submit(copy(&from, 4, &to));
        assert_eq!((pool.pending(), pool.handed()), (5, 2));
        assert_eq!(pool.finish().iter().map(word).collect::<Vec<_>>(), [0, 1, 2, 3, 4], "{workers} workers");
        assert!(pool.is_empty());
    }
}

#[test]
fn a_worker_that_takes_one_run_wakes_another_for_the_rest() {
    let (device, _) = testing::noop();
    let (from, to) = (words(&device, 4), words(&device, 4));
    let shared = Arc::new(PoolShared::new(2));
    let (taken, runs) = channel();
    let go_on: Vec<_> = (0..2)
        .map(|worker| {
            let (shared, taken) = (shared.clone(), taken.clone());
            let (go_on, wait) = channel::<()>();
            thread::spawn(move || {
                shared.threads[worker].get_or_init(thread::current);
                while let Some(job) = shared.queue.next(worker) {
                    taken.send((worker, shared.take_run(job).0)).unwrap();
                    wait.recv().unwrap();
                }
            });
            go_on
        })
        .collect();
    for round in 0..200 {
        wait_until("both sleep", || !shared.queue.is_awaited());
        shared.push((round * 2, listed(&list(&from, 0..2, &to))));
        let mut both: Vec<_> =
            (0..2).map(|_| runs.recv_timeout(testing::PATIENCE).expect("a worker sleeps on")).collect();
        both.sort_unstable();
        assert_eq!(both.iter().map(|(worker, _)| *worker).collect::<Vec<_>>(), [0, 1]);
        both.sort_unstable_by_key(|(_, number)| *number);
        assert_eq!(both.iter().map(|(_, number)| *number).collect::<Vec<_>>(), [round * 2, round * 2 + 1]);
        go_on.iter().for_each(|go_on| go_on.send(()).unwrap());
    }
    shared.queue.close();
    shared.threads.iter().for_each(|thread| thread.get().unwrap().unpark());
}

#[test]
fn a_worker_that_sleeps_is_woken_for_every_run() {
    let (device, _) = testing::noop();
    for workers in [1, 2] {
        let mut pool = WorkerPool::new(&device.encoding, workers);
        let (from, to) = (words(&device, 64), words(&device, 4));
        for n in 0..2000 {
            // The second job arrives while the worker is busy, about to sleep, or asleep.
            pool.submit(copy(&from, n % 64, &to));
            (0..n % 50).for_each(|_| std::hint::spin_loop());
            pool.submit(copy(&from, 0, &to));
            let mut taken = 0;
            // Nothing else takes the jobs, so the test fails if a wake-up is lost.
            wait_until("both are done", || {
                taken += pool.take_finished().len();
                taken == 2
            });
        }
    }
}

#[test]
fn workers_that_could_not_be_started_count_for_nothing() {
    let (device, _) = testing::noop();
    let none: SpawnThread = |_, _| none_left();
    let only_one: SpawnThread = |builder, work| {
        // Only the name in the debug output distinguishes the threads.
        if format!("{builder:?}").contains("onze-encode-0") { builder.spawn(work) } else { none_left() }
    };
    for (spawn, workers) in [(none, 0), (only_one, 1)] {
        let mut pool = WorkerPool::start(&device.encoding, 3, spawn);
        assert_eq!(pool.workers(), workers);
        wait_until("all sleep", || !pool.is_awake());
        let (from, to) = (words(&device, 64), words(&device, 4));
        for n in 0..20 {
            pool.submit(copy(&from, n, &to));
            wait_until("the worker wakes", || workers == 0 || pool.is_answered());
            assert_eq!(pool.finish().iter().map(word).collect::<Vec<_>>(), [n]);
        }
    }
}

fn none_left() -> io::Result<JoinHandle<()>> {
    Err(io::Error::other("as a test"))
}

#[test]
fn a_panic_is_an_answer() {
    let Some((device, _)) = testing::gpu() else { return };
    let mut encoder = RunEncoder::new(&Arc::default(), false, false);
    let run = encoder.answer(|_| panic!("as a test"));
    assert_eq!(run.error.as_deref(), Some("the encoder panicked"));
    let (from, to) = (words(&device, 8), words(&device, 4));
    let (run, _) = copy(&from, 0, &to).split();
    assert_eq!(encoder.encode(&device.encoding, run).error, None, "the next run is as good as ever");
}

#[test]
fn a_run_is_answered_even_by_a_worker_that_ends() {
    let (to, from) = channel();
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let _answer = TakenRun { to: &to, number: 1, draws: 3, run: lost_run() };
        panic!("as a test");
    }));
    assert!(ended.is_err());
    let mut answers = EarlyResults::default();
    answers.put(from.recv().unwrap());
    assert!(answers.take().is_none(), "the one before has not come");
    answers.put((0, 2, EncodedRun::default()));
    let found: Vec<_> = std::iter::from_fn(|| answers.take()).collect();
    assert_eq!(
        found.iter().map(|(draws, run)| (*draws, run.error.is_some())).collect::<Vec<_>>(),
        [(2, false), (3, true)]
    );
}

#[test]
fn a_lost_device_answers_every_run() {
    let Some((device, _)) = testing::gpu() else { return };
    for workers in [0, 2] {
        let mut pool = WorkerPool::new(&device.encoding, workers);
        let (from, to) = (words(&device, 8), words(&device, 4));
        device.gpu.lose("as a test");
        pool.submit(copy(&from, 0, &to));
        pool.submit(listed(&list(&from, 1..7, &to)));
        let runs = pool.finish();
        assert_eq!(runs.iter().map(word).collect::<Vec<_>>(), (0..7).collect::<Vec<_>>());
        assert!(runs.iter().all(|run| run.error.is_some() && run.command_buffers.is_empty()));
    }
}

#[test]
fn dropping_the_pool_ends_its_threads_whatever_waits() {
    let Some((device, _)) = testing::gpu() else { return };
    let mut pool = WorkerPool::new(&device.encoding, 2);
    let (from, to) = (words(&device, 64), words(&device, 4));
    let long = list(&from, 32..64, &to);
    (0..32).for_each(|n| pool.submit(copy(&from, n, &to)));
    pool.submit(listed(&long));
    let shared = Arc::downgrade(&pool.shared);
    drop(pool);
    assert!(shared.upgrade().is_none(), "no thread holds the queue any more");
    assert_eq!(Arc::strong_count(&long), 1);
}
