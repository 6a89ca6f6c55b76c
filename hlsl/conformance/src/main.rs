//! Runs test suites of other HLSL compilers, which are not part of this repository.
//!
//! ```text
//! cargo run -p onze-hlsl-conformance -- --corpus vkd3d/tests --suite preprocess
//! ```
//!
//! It prints the cases that failed, with the line of the file, and how many passed.

#![forbid(unsafe_code)]

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, ValueEnum};

use onze_hlsl_conformance::{preprocess, shader_test::ShaderTest, syntax};

/// Runs a test suite of another HLSL compiler.
#[derive(Parser, Debug)]
struct Arguments {
    /// A folder with test files, also in folders below.
    #[arg(long)]
    corpus: PathBuf,
    /// What is tested.
    #[arg(long, value_enum)]
    suite: Suite,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum Suite {
    /// The blocks `[preproc]` of vkd3d's `.shader_test` files.
    Preprocess,
    /// Shaders that a compiler takes for shader models 4.0 to 5.0: their grammar is read.
    Syntax,
    /// Reads vkd3d's `.shader_test` files.
    Format,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", arguments.corpus.display());
            ExitCode::FAILURE
        }
    }
}

/// Runs a suite and prints what failed. Whether all passed.
fn run(arguments: &Arguments) -> io::Result<bool> {
    let mut files = Vec::new();
    find_files(&arguments.corpus, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err(io::Error::other("there are no .shader_test files in the folder"));
    }
    let (mut passed, mut all) = (0, 0);
    for path in &files {
        let name = path.strip_prefix(&arguments.corpus).unwrap_or(path).display();
        let text = std::fs::read_to_string(path)?;
        let (of_file, failures) = match (ShaderTest::parse(&text), arguments.suite) {
            (Ok(test), Suite::Preprocess) => preprocess::run(&test),
            (Ok(test), Suite::Syntax) => syntax::run(&test),
            (Ok(_), Suite::Format) => (1, Vec::new()),
            (Err(error), _) => (0, vec![(error.line, error.message)]),
        };
        for (line, message) in &failures {
            println!("{name}:{line}: {message}");
        }
        passed += of_file;
        all += of_file + failures.len();
    }
    println!("{passed} of {all} passed");
    Ok(passed == all)
}

/// The test files in a folder and below it.
fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "shader_test") {
            files.push(path);
        }
    }
    Ok(())
}
