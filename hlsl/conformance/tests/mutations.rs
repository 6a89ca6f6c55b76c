//! Randomly mutated programs of this project must not cause compiler failures.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use std::{path::Path, thread::available_parallelism};

use onze_hlsl_conformance::mutate::{Case, FaultKind, Inputs, Pool, Settings, Worker, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_onze-hlsl-conformance");

#[test]
fn mutated_programs_do_not_make_the_compiler_fail() {
    let pool = Pool::of_project().unwrap();
    let inputs = Inputs { seed: 11, first: 0, count: 1000 };
    let threads = available_parallelism().map_or(1, usize::from);
    let settings = Settings { threads, program: Path::new(PROGRAM), tries: 100 };
    let findings = run(&pool, inputs, settings, |_| {}).unwrap();
    assert_eq!(findings.inputs, inputs.count);
    assert!(findings.accepted > 80, "{}", findings.accepted);
    let failures: Vec<_> = findings.failures().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_worker_that_exits_is_reported_and_replaced() {
    let case = Pool::of_text("a", "float4 main() : SV_Target { return 1; }").programs.remove(0);
    // A program that is not a worker, such as Cargo, exits at once.
    let answer = Worker::new(Path::new(PROGRAM)).ask(&case).unwrap();
    assert_eq!((answer.accepted, answer.faults), (true, Vec::new()));
    let mut other = Worker::new(Path::new(env!("CARGO")));
    for _ in 0..2 {
        assert_eq!(other.ask(&case).unwrap().faults[0].kind, FaultKind::Abort);
    }
    let refused = Case { source: "float4 main() : SV_Target { return 1 }".into(), ..case };
    let answer = Worker::new(Path::new(PROGRAM)).ask(&refused).unwrap();
    assert_eq!((answer.accepted, answer.faults), (false, Vec::new()));
}
