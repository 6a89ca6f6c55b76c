//! The project's own commands, available through the alias `cargo xtask`.
//!
//! * `demo` sets the machine up and runs the demo.
//! * `bench` runs the benchmark.
//! * `web` builds the examples for a browser, serves them and tests them.
//! * `book` builds the book and checks its links.
//! * `gallery` draws the examples' pictures and lists them in `examples/README.md`.
//! * `hlsl` compiles and runs the test suites of other HLSL compilers.
//! * `test` sets the machine up and runs everything that a change must pass.
//!
//! Modules: [`packages`] installs packages, [`gpu`] provides a graphics adapter, [`display`] provides a
//! display for the window tests, and [`toolchain`] provides rustfmt and clippy. [`steps`] runs and times the
//! test steps. [`smoke`] lists the smoke runs of the programs and benches, and [`examples`] lists the
//! gallery. This crate uses none of Onze's crates, so it builds in seconds and works even if they do not
//! compile. The dependencies of `web` and `book` take longer to build, so they are optional features, and
//! these two commands build this crate again with the features.

#![forbid(unsafe_code)]

#[cfg(not(all(feature = "book", feature = "web")))]
mod again;
mod bench;
#[cfg(feature = "book")]
mod book;
mod command;
mod demo;
mod display;
mod error;
mod examples;
mod gallery;
mod gpu;
mod hlsl;
mod packages;
mod smoke;
mod steps;
mod test;
mod toolchain;
mod valgrind;
#[cfg(feature = "web")]
mod web;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The project's own commands")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Set the machine up, then run the demo with ARGS (`demo --help` shows the demo's options)
    // The demo receives every option after the word `demo`, including `--help`.
    #[command(disable_help_flag = true)]
    Demo {
        /// Passed to the demo unchanged
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        args: Vec<OsString>,
    },
    /// Run the benchmark with ARGS (`bench --help` shows its options)
    #[command(disable_help_flag = true)]
    Bench {
        /// Passed to the benchmark unchanged
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        args: Vec<OsString>,
    },
    /// Build the examples for a browser into target/web, with all files that they need
    Web(WebArgs),
    /// Build the book into target/book, and check its links
    Book,
    /// Draw the examples' missing and outdated pictures, and list all pictures in examples/README.md
    Gallery,
    /// Set the machine up, then run HLSL's test suites with ARGS (`hlsl --help` shows the options)
    #[command(disable_help_flag = true)]
    Hlsl {
        /// Passed to the runner unchanged
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        args: Vec<OsString>,
    },
    /// Set the machine up, then check formatting, lints and docs and run every test and example
    Test {
        /// Allow tests that need a GPU adapter to report a missing one instead of failing
        #[arg(long)]
        allow_no_gpu: bool,
        /// Then also test the examples in a browser
        #[arg(long)]
        web: bool,
    },
}

/// The options of `cargo xtask web`.
#[derive(Debug, clap::Args)]
#[cfg_attr(not(feature = "web"), allow(dead_code, reason = "read only with the feature"))]
struct WebArgs {
    /// Examples to build; all if none is named
    #[arg(value_name = "EXAMPLE")]
    examples: Vec<String>,
    /// Build all examples, as if none were named
    #[arg(long, conflicts_with = "examples")]
    all: bool,
    /// Then serve them on this machine, until interrupted
    #[arg(long)]
    serve: bool,
    /// Then open each in Chromium and compare its picture with that of the same program without a browser
    #[arg(long)]
    test: bool,
}

fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::Demo { args } => demo::run(&args),
        Task::Bench { args } => bench::run(&args),
        Task::Hlsl { args } => hlsl::run(&args),
        #[cfg(feature = "web")]
        Task::Web(args) => web::run(&args),
        #[cfg(not(feature = "web"))]
        Task::Web(_) => again::run("web"),
        #[cfg(feature = "book")]
        Task::Book => book::run().map(|()| ExitCode::SUCCESS),
        #[cfg(not(feature = "book"))]
        Task::Book => again::run("book"),
        Task::Gallery => gallery::run().map(|()| ExitCode::SUCCESS),
        Task::Test { allow_no_gpu, web } => test::run(allow_no_gpu, web).map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn passed_on(line: &[&str]) -> Vec<OsString> {
        match Cli::try_parse_from(line).unwrap().task {
            Task::Demo { args } | Task::Bench { args } | Task::Hlsl { args } => args,
            task @ (Task::Web(_) | Task::Book | Task::Gallery | Task::Test { .. }) => {
                panic!("{line:?} gave {task:?}")
            }
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn demo_and_bench_pass_everything_after_them_through() {
        for args in [
            &["--frames", "2", "--size", "320x180", "--model", "a b.glb", "--model", "c.gltf"][..],
            &["--help"],
            &["-h"],
            &["--version"],
            &["--adapter=software", "--no-such-option"],
            &["positional", "--window", "--", "more"],
            &[],
        ] {
            for task in ["demo", "bench"] {
                let line = [&["xtask", task], args].concat();
                assert_eq!(passed_on(&line), args, "{line:?}");
            }
        }
    }

    #[test]
    fn test_takes_only_its_own_options() {
        let parse = |line: &[&str]| Cli::try_parse_from(line).map(|cli| cli.task);
        let test = |line: &[&str]| match parse(line) {
            Ok(Task::Test { allow_no_gpu, web }) => (allow_no_gpu, web),
            other => panic!("{line:?} gave {other:?}"),
        };
        assert_eq!(test(&["xtask", "test"]), (false, false));
        assert_eq!(test(&["xtask", "test", "--allow-no-gpu"]), (true, false));
        assert_eq!(test(&["xtask", "test", "--web"]), (false, true));
        assert!(parse(&["xtask", "test", "--frames"]).is_err());
        assert!(parse(&["xtask"]).is_err());
    }
}
