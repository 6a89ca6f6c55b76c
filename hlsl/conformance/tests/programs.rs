//! The programs of this project must compile, and must compute the values in their comments.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use std::path::Path;

use onze_hlsl_conformance::{
    engine::{self, Verdict},
    programs::programs,
    vkd3d,
};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs")
}

#[test]
fn programs_compile_and_are_written_in_all_languages() {
    let programs = programs(&folder()).unwrap();
    assert!(programs.len() >= 40);
    let mut failures = Vec::new();
    for (name, test) in &programs {
        let units = vkd3d::units(name, test);
        assert!(!units.is_empty(), "{name} has no shader");
        for unit in units {
            match engine::judge(&unit).verdict {
                Verdict::Accepted { unwritten } if unwritten.is_empty() => {}
                verdict => failures.push(format!("{}: {verdict:#?}", unit.title())),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[cfg(feature = "run")]
#[test]
fn programs_give_their_values() {
    let mut failures = Vec::new();
    let mut probes = 0;
    for (name, test) in &programs(&folder()).unwrap() {
        let result = onze_hlsl_conformance::run::run(name, test);
        probes += result.probes.0;
        // If a draw fails, its probes also fail, but only the message of the draw is useful.
        let reported = result.failures.into_iter().filter(|(_, message)| message != "its draw failed");
        failures.extend(reported.map(|(line, message)| format!("{name}:{line}: {message}")));
    }
    if failures.iter().any(|failure| failure.contains("no device"))
        && std::env::var_os("ONZE_ALLOW_NO_GPU").is_some()
    {
        return;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(probes > 1_000);
}
