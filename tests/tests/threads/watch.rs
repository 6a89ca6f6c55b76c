//! A watchdog that records each thread's last step and the time of that step.

use std::{
    io::Write as _,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use onze_tests::PATIENCE;

#[derive(Clone)]
pub(crate) struct Activity {
    name: Arc<str>,
    state: Arc<Mutex<State>>,
}

#[derive(Copy, Clone)]
struct State {
    what: &'static str,
    since: Instant,
    steps: u64,
    done: bool,
}

impl Activity {
    fn new(name: &str) -> Self {
        let state = State { what: "nothing yet", since: Instant::now(), steps: 0, done: false };
        Self { name: name.into(), state: Arc::new(Mutex::new(state)) }
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn get(&self) -> State {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn step(&self, what: &'static str) {
        self.update(|state| {
            *state = State { what, since: Instant::now(), steps: state.steps + 1, done: false };
        });
    }

    pub(crate) fn done(&self) {
        self.update(|state| state.done = true);
    }

    fn is_stuck(&self, now: Instant, patience: Duration) -> bool {
        let State { since, done, .. } = self.get();
        !done && now.saturating_duration_since(since) > patience
    }
}

pub(crate) struct Watchdog {
    activities: Vec<Activity>,
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts a watchdog that prints the last step of each thread and ends the process if one of the named
    /// threads is stuck.
    pub(crate) fn new(test: &str, names: &[impl AsRef<str>]) -> Self {
        let test = test.to_owned();
        Self::with(names, PATIENCE, move |report| {
            // The test harness captures `eprintln`, so its text would not appear if the test never ended.
            let _ = writeln!(std::io::stderr(), "\n{test} is stuck:\n{report}");
            std::process::abort();
        })
    }

    fn with(
        names: &[impl AsRef<str>],
        patience: Duration,
        on_stuck: impl FnOnce(String) + Send + 'static,
    ) -> Self {
        let activities: Vec<_> = names.iter().map(|name| Activity::new(name.as_ref())).collect();
        let (stop, stopped) = mpsc::channel::<()>();
        let watched = activities.clone();
        let watch = move || {
            let tick = (patience / 20).max(Duration::from_millis(1));
            while stopped.recv_timeout(tick) == Err(mpsc::RecvTimeoutError::Timeout) {
                let now = Instant::now();
                if watched.iter().any(|activity| activity.is_stuck(now, patience)) {
                    return on_stuck(report(&watched));
                }
            }
        };
        Self { activities, stop: Some(stop), thread: Some(thread::spawn(watch)) }
    }

    pub(crate) fn activity(&self, index: usize) -> Activity {
        self.activities[index].clone()
    }
}

fn report(activities: &[Activity]) -> String {
    let line = |activity: &Activity| {
        let State { what, since, steps, done } = activity.get();
        let state = if done { "done, last did" } else { "does" };
        format!("  {}: {state} \"{what}\" (step {steps}, {:.1?} ago)\n", activity.name, since.elapsed())
    };
    activities.iter().map(line).collect()
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[test]
fn the_watchdog_reports_every_thread_when_one_is_stuck() {
    let (send, receive) = mpsc::channel();
    let dog = Watchdog::with(&["first", "second", "third"], Duration::from_millis(300), move |report| {
        send.send(report).unwrap();
    });
    dog.activity(0).step("draw");
    dog.activity(0).done();
    dog.activity(1).step("wait for what never comes");
    let busy = dog.activity(2);
    let report = loop {
        busy.step("work");
        match receive.recv_timeout(Duration::from_millis(10)) {
            Ok(report) => break report,
            Err(_) => assert!(dog.activity(1).get().since.elapsed() < PATIENCE, "it sleeps"),
        }
    };
    for part in ["first: done, last did \"draw\"", "second: does \"wait for what never comes\"", "third:"] {
        assert!(report.contains(part), "{report}");
    }
}

#[test]
fn working_and_finished_threads_are_not_stuck() {
    const PATIENCE: Duration = Duration::from_secs(10);
    let activity = Activity::new("worker");
    let is_stuck = |after: u64| {
        let since = activity.get().since;
        activity.is_stuck(since + Duration::from_secs(after), PATIENCE)
    };
    assert!(!is_stuck(10) && is_stuck(11), "from the beginning on");
    activity.step("work");
    assert!(!is_stuck(10) && is_stuck(11), "from the last step on");
    // The watchdog may have read the clock before this step was recorded.
    assert!(!activity.is_stuck(activity.get().since - Duration::from_secs(1), PATIENCE));
    activity.done();
    assert!(!is_stuck(11));
    activity.step("work again");
    assert!(is_stuck(11));
}
