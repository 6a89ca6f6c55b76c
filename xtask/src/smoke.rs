//! The smoke runs: each program and each bench runs once, for as short a time as possible.

use crate::bench::BENCH;
use crate::demo::DEMO;
use crate::examples::{self, Example};
use crate::gpu::PROBE;
use crate::steps::Step;

#[derive(Debug)]
struct SmokeRun {
    name: &'static str,
    args: &'static [&'static str],
    needs_gpu: bool,
}

/// The binaries outside the [gallery](examples), compared with the workspace by a test so that none is
/// missing.
const PROGRAMS: &[SmokeRun] = &[
    SmokeRun { name: PROBE, args: &[], needs_gpu: true },
    SmokeRun { name: "triangle", args: &[], needs_gpu: true },
    SmokeRun {
        name: DEMO,
        args: &[
            "--raw-wgpu",
            "--frames",
            "2",
            "--size",
            "320x180",
            "--objects",
            "64",
            "--out",
            "target/smoke",
        ],
        needs_gpu: true,
    },
    SmokeRun {
        name: BENCH,
        args: &["--quick", "--filter", "immediate/v0", "--json", "target/smoke/bench/report.json"],
        // Without an adapter the benchmark still measures, and omits only the comparison of pictures.
        needs_gpu: false,
    },
    SmokeRun { name: "browser_checks", args: &[], needs_gpu: true },
    SmokeRun {
        name: "onze-hlsl-conformance",
        args: &["--corpus", "hlsl/conformance/sample", "--suite", "preprocess"],
        needs_gpu: false,
    },
    SmokeRun { name: "frame", args: &["--headless", "--quick"], needs_gpu: true },
    SmokeRun { name: "geometry", args: &["--quick"], needs_gpu: true },
    SmokeRun { name: "tessellation", args: &["--quick"], needs_gpu: true },
];

/// The examples that belong to a single crate, compared with the workspace by a test so that none is missing.
const CRATE_EXAMPLES: &[SmokeRun] = &[SmokeRun {
    name: "hlslc",
    args: &["hlsl/tests/programs/loops.hlsl", "-E", "main", "-T", "cs_5_0", "--reflection", "--assembly"],
    needs_gpu: false,
}];

/// The benches, compared with the workspace by a test so that none is missing.
const BENCHES: &[SmokeRun] = &[
    SmokeRun { name: "record", args: &[], needs_gpu: false },
    SmokeRun { name: "lists", args: &[], needs_gpu: false },
    SmokeRun { name: "objects", args: &[], needs_gpu: false },
    SmokeRun { name: "instructions", args: &[], needs_gpu: false },
];

/// Returns the smoke runs as steps of `cargo xtask test`, with a flag that is true if the step needs a GPU
/// adapter.
pub(crate) fn steps() -> impl Iterator<Item = (Step, bool)> {
    let gallery = examples::all().map(|example| (picture(example), true));
    let programs = PROGRAMS.iter().map(|run| (run.program(), run.needs_gpu));
    let of_crates = CRATE_EXAMPLES.iter().map(|run| (run.example(), run.needs_gpu));
    gallery.chain(programs).chain(of_crates).chain(BENCHES.iter().map(|run| (run.bench(), run.needs_gpu)))
}

fn picture(example: &Example) -> Step {
    let mut step = Step::cargo(&format!("run {}", example.name), &["run", "--bin", example.name, "--"]);
    step.args.extend(example.args());
    step.args.extend(["--out".to_owned(), format!("target/smoke/{}.png", example.name)]);
    step
}

impl SmokeRun {
    fn program(&self) -> Step {
        let cargo = ["run", "--bin", self.name, "--"];
        Step::cargo(&format!("run {}", self.name), &[&cargo, self.args].concat())
    }

    fn example(&self) -> Step {
        let cargo = ["run", "--example", self.name, "--"];
        Step::cargo(&format!("run {}", self.name), &[&cargo, self.args].concat())
    }

    fn bench(&self) -> Step {
        // Without `-p`, the features are those of the whole workspace, so the bench links the libraries that
        // the tests have built. The instruction counts for the dev profile are valid only for this build,
        // because features change inlining. With `--test`, criterion runs each benchmark once and measures
        // nothing.
        let cargo = ["bench", "--profile", "dev", "--bench", self.name, "--", "--test"];
        Step::cargo(&format!("bench {}", self.name), &[&cargo, self.args].concat())
            .without_env("CARGO_INCREMENTAL")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::command::{cargo, output, workspace_root};

    /// Returns the target kind and the name of each program in the workspace's packages.
    fn programs() -> Vec<(String, String)> {
        let mut metadata = cargo();
        metadata.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]);
        let text = output(metadata.current_dir(workspace_root())).unwrap();
        let metadata: Value = serde_json::from_str(&text).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        // The comparison programs use other graphics libraries and only open windows, so they are compiled
        // and their lines are counted, but they are not run. A test of the book runs the book's programs.
        let not_run = ["xtask", "onze-comparison", "onze-book"];
        let is_run = |package: &&Value| !not_run.iter().any(|name| package["name"] == *name);
        let others = packages.iter().filter(is_run);
        let targets = others.flat_map(|package| package["targets"].as_array().unwrap());
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        targets.map(|target| (word(&target["kind"][0]), word(&target["name"]))).collect()
    }

    #[test]
    fn every_example_and_every_bench_has_a_smoke_run() {
        let programs = programs();
        assert!(programs.iter().any(|(kind, name)| kind == "lib" && name == "onze"));
        for (kind, name) in programs {
            let rows = match kind.as_str() {
                "bin" => {
                    PROGRAMS.iter().map(|run| run.name).chain(examples::all().map(|one| one.name)).collect()
                }
                "bench" => BENCHES.iter().map(|run| run.name).collect::<Vec<_>>(),
                "example" => CRATE_EXAMPLES.iter().map(|run| run.name).collect(),
                _ => continue,
            };
            let rows = rows.iter().filter(|row| **row == name).count();
            assert_eq!(rows, 1, "rows for the {kind} `{name}`");
        }
    }

    #[test]
    fn a_smoke_run_is_a_cargo_command() {
        let run = SmokeRun { name: "a", args: &["--b", "c"], needs_gpu: true };
        assert_eq!(run.program().args, ["run", "--bin", "a", "--", "--b", "c"]);
        assert_eq!(run.example().args, ["run", "--example", "a", "--", "--b", "c"]);
        assert_eq!(
            run.bench().args,
            ["bench", "--profile", "dev", "--bench", "a", "--", "--test", "--b", "c"]
        );
    }
}
