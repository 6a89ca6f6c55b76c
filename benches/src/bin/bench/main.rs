//! The benchmark: compares the cost of recording with Onze and with raw wgpu in the same process.
//!
//! `cargo xtask bench` runs the benchmark. It first draws every variant visibly on both sides and compares
//! the pictures ([`check`]). Then it measures the sides alternately, frame by frame ([`rows`]), and measures
//! single calls ([`pieces`]). Finally it compares the ratios with the project's goals ([`ratios`]), and
//! writes the results as a table and as JSON ([`report`]), as Markdown for this repository ([`results`]) and
//! as a picture ([`plot`]).
#![forbid(unsafe_code)]

mod args;
mod check;
mod crew;
mod frames;
mod instructions;
mod machine;
mod measure;
mod pieces;
mod plot;
mod print;
mod progress;
mod ratios;
mod report;
mod results;
mod rows;
mod soak;

use std::path::Path;
use std::process::ExitCode;

use args::{Args, Stop};
use onze_benches::error::Error;
use print::{print, print_error};
use report::Report;

fn main() -> ExitCode {
    let args = match Args::parse_line(std::env::args_os()) {
        Ok(args) => args,
        Err(Stop::Text(text)) => return exit_code(print(&text)),
        Err(Stop::Error(sentence)) => {
            print_error(&format!("error: {sentence}"));
            return ExitCode::from(2);
        }
    };
    exit_code(match &args.count[..] {
        [side, variant] => instructions::run(side, variant),
        _ if args.soak => soak::run(&args),
        _ => run(&args),
    })
}

fn exit_code(result: Result<(), Error>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Checks the pictures, measures all rows and single calls, and writes the report.
fn run(args: &Args) -> Result<(), Error> {
    let plan = rows::plan(args)?;
    let checked = check::run(args)?;
    print(&format!("check: {checked}\n"))?;
    let measured = rows::run(args, &plan)?;
    let pieces = pieces::run(args)?;
    let mut missing = pieces.missing;
    missing.extend(checked.missing());
    let ratios = ratios::all(args.backend().name(), &measured.rows, &pieces.pieces, &mut missing);
    let report = Report::new(args, measured, pieces.pieces, ratios, missing);
    print(&report.text())?;

    report.write_json(&args.json)?;
    let folder = args.json.parent().unwrap_or(Path::new(""));
    let picture = folder.join("record.svg");
    plot::write(&report, &picture)?;
    let markdown = folder.join("RESULTS.md");
    results::write(&markdown, &results::document(&report))?;
    print(&format!("\nwritten: {}, {}, {}\n", args.json.display(), picture.display(), markdown.display()))?;
    if args.publish {
        results::publish(&report)?;
        print("published: docs/book/src/performance.md, benches/RESULTS.md, docs/record.svg\n")?;
    }
    Ok(())
}
