//! `cargo xtask test`.

use crate::command::workspace_root;
use crate::display::{self, Xvfb};
use crate::error::Error;
use crate::steps::{Report, Step};
use crate::{gpu, smoke, toolchain, valgrind};

/// Environment variable that makes tests which need a GPU report a missing adapter instead of failing.
const ALLOW_NO_GPU: &str = "ONZE_ALLOW_NO_GPU";

/// Environment variable that makes tests which open a window fail without a display.
const REQUIRE_DISPLAY: &str = "ONZE_REQUIRE_DISPLAY";

/// The feature that runs HLSL programs instead of only compiling them.
const RUN_HLSL: &str = "onze-hlsl-conformance/run";

#[derive(Debug)]
struct Machine {
    has_adapter: bool,
    xvfb: Option<Xvfb>,
}

/// Sets the machine up and runs each step until one fails, and ends with `cargo xtask web --test` if `web` is
/// set.
pub(crate) fn run(allow_no_gpu: bool, web: bool) -> Result<(), Error> {
    let mut report = Report::default();
    let machine = report.time("set-up", || set_up(allow_no_gpu))?;
    let display = machine.xvfb.as_ref().map(|xvfb| xvfb.display.as_str());
    let root = workspace_root();
    let mut steps = steps(allow_no_gpu, machine.has_adapter, display);
    if web {
        let program =
            ["run", "--quiet", "--package", "xtask", "--features", "web", "--", "web", "--all", "--test"];
        steps.push(Step::cargo("the examples in a browser", &program));
    }
    report.run(&steps, |step| step.run(&root))?;
    println!("\n{}", report.table());
    Ok(())
}

fn set_up(allow_no_gpu: bool) -> Result<Machine, Error> {
    toolchain::ensure_components()?;
    valgrind::ensure_valgrind()?;
    let has_adapter = if allow_no_gpu {
        // A run that allows a missing GPU does not install a software driver.
        gpu::has_adapter()?
    } else {
        gpu::ensure_adapter()?;
        true
    };
    // Without an adapter no window can show anything, so no display is needed.
    let xvfb = if has_adapter { display::ensure_display()? } else { None };
    Ok(Machine { has_adapter, xvfb })
}

/// Returns the steps that a change must pass, starting with steps that fail quickly and often.
fn steps(allow_no_gpu: bool, has_adapter: bool, display: Option<&str>) -> Vec<Step> {
    let mut steps = vec![
        Step::cargo("formatting", &["fmt", "--all", "--check"]),
        Step::cargo(
            "clippy",
            &["clippy", "--workspace", "--features", RUN_HLSL, "--all-targets", "--", "-D", "warnings"],
        ),
        Step::cargo("docs", &["doc", "--workspace", "--no-deps"]).with_env("RUSTDOCFLAGS", "-D warnings"),
        // A single run shows all failures and includes the doc tests.
        Step::cargo("tests", &["test", "--workspace", "--features", RUN_HLSL, "--no-fail-fast"]),
    ];
    steps.extend(smoke::steps().map(|(step, needs_gpu)| {
        let skip = needs_gpu && !has_adapter;
        Step { skipped: skip.then_some("there is no GPU adapter"), ..step }
    }));
    let with_display = |step: Step| match display {
        // winit prefers Wayland if it is available, so removing its variables keeps the tests on their own
        // display.
        Some(display) => {
            step.with_env("DISPLAY", display).without_env("WAYLAND_DISPLAY").without_env("WAYLAND_SOCKET")
        }
        None => step,
    };
    let with_gpu_rule = |step: Step| match allow_no_gpu {
        true => step.with_env(ALLOW_NO_GPU, "1"),
        // The variable is removed, because otherwise it could hide that a test did not run.
        false => step.without_env(ALLOW_NO_GPU),
    };
    // If there is an adapter, the set-up has provided a display.
    let with_display_rule = |step: Step| match has_adapter && cfg!(target_os = "linux") {
        true => step.with_env(REQUIRE_DISPLAY, "1"),
        false => step.without_env(REQUIRE_DISPLAY),
    };
    steps.into_iter().map(with_display).map(with_gpu_rule).map(with_display_rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value that every step sets for a variable, or `Some(None)` if the steps remove the
    /// variable.
    fn env_of_all(steps: &[Step], name: &str) -> Option<Option<String>> {
        let value = |step: &Step| {
            let found = step.env.iter().find(|(key, _)| *key == name)?;
            Some(found.1.as_ref().map(|value| value.to_string_lossy().into_owned()))
        };
        let first = value(&steps[0]);
        assert!(steps.iter().all(|step| value(step) == first), "{name} differs among the steps");
        first
    }

    #[test]
    fn the_steps_check_everything_in_order() {
        let lines: Vec<_> = steps(false, true, None).iter().map(|step| step.args.join(" ")).collect();
        assert_eq!(
            lines[..4],
            [
                "fmt --all --check",
                "clippy --workspace --features onze-hlsl-conformance/run --all-targets -- -D warnings",
                "doc --workspace --no-deps",
                "test --workspace --features onze-hlsl-conformance/run --no-fail-fast",
            ]
        );
        assert_eq!(lines.len(), 4 + smoke::steps().count());
        let docs = &steps(false, true, None)[2];
        assert!(docs.env.contains(&("RUSTDOCFLAGS", Some("-D warnings".into()))));
    }

    #[test]
    fn tests_may_run_without_a_gpu_only_if_allowed() {
        let allowed = env_of_all(&steps(true, true, None), ALLOW_NO_GPU);
        assert_eq!(allowed, Some(Some("1".to_owned())));
        assert_eq!(env_of_all(&steps(false, true, None), ALLOW_NO_GPU), Some(None));
    }

    #[test]
    fn without_an_adapter_only_runs_that_need_one_are_skipped() {
        let steps = steps(true, false, None);
        assert!(steps[..4].iter().all(|step| step.skipped.is_none()));
        for ((_, needs_gpu), step) in smoke::steps().zip(&steps[4..]) {
            assert_eq!(step.skipped.is_some(), needs_gpu, "{}", step.name);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn windows_are_tested_wherever_there_is_an_adapter() {
        let required = |has_adapter| env_of_all(&steps(true, has_adapter, None), REQUIRE_DISPLAY);
        assert_eq!(required(true), Some(Some("1".to_owned())));
        assert_eq!(required(false), Some(None));
    }

    #[test]
    fn tests_use_only_the_display_that_was_started() {
        let ours = steps(false, true, Some(":7"));
        assert_eq!(env_of_all(&ours, "DISPLAY"), Some(Some(":7".to_owned())));
        assert_eq!(env_of_all(&ours, "WAYLAND_DISPLAY"), Some(None));
        assert_eq!(env_of_all(&ours, "WAYLAND_SOCKET"), Some(None));
        assert_eq!(env_of_all(&steps(false, true, None), "DISPLAY"), None);
    }
}
