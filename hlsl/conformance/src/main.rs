//! Runs test suites of other HLSL compilers, which are not part of this repository.
//!
//! ```text
//! cargo run -p onze-hlsl-conformance -- --corpus vkd3d/tests --suite compile --file swizzle
//! ```
//!
//! The program prints the failed cases with their lines, then the causes of the failures, and finally the
//! number of cases that passed.

#![forbid(unsafe_code)]

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
    thread::available_parallelism,
    time::Duration,
};

use clap::{Parser, ValueEnum};

use onze_hlsl_conformance::{
    corpora::{self, directxtk, dxc, effects, glslang, miniengine, samples, sema},
    engine, mutate, preprocess, programs,
    report::{Filter, Report},
    shader_test::ShaderTest,
    syntax,
    unit::Unit,
    vkd3d,
};

/// Runs a test suite of another HLSL compiler.
#[derive(Parser, Clone, Debug)]
struct Arguments {
    /// Folder of test files, searched recursively (default for `--suite mutate`: the programs of this
    /// project).
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The suite to run.
    #[arg(long, value_enum, default_value_t = Suite::All)]
    suite: Suite,
    /// Run only files whose names contain this string.
    #[arg(long)]
    file: Option<String>,
    /// Print only failures whose causes contain this string.
    #[arg(long)]
    cause: Option<String>,
    /// Print all messages of a failure.
    #[arg(long, short)]
    verbose: bool,
    /// Number of threads (default: one per CPU core).
    #[arg(long)]
    threads: Option<usize>,
    /// Number of inputs that `--suite mutate` generates.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// Seed of the inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of the first input, which together with `--count 1` reproduces a single input.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Compile cases from standard input as a worker of `--suite mutate`.
    #[arg(long, hide = true)]
    worker: bool,
}

impl Arguments {
    fn corpus(&self) -> io::Result<&Path> {
        self.corpus
            .as_deref()
            .ok_or_else(|| io::Error::other("the suite needs a folder of test files: pass --corpus DIR"))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Suite {
    /// All suites whose files are in the folder, with one row of the acceptance table for each.
    All,
    /// Preprocess the `[preproc]` blocks of vkd3d's `.shader_test` files.
    Preprocess,
    /// Parse the shaders that a compiler accepts for shader models 4.0 to 5.0.
    Syntax,
    /// Parse vkd3d's `.shader_test` files without running them.
    Format,
    /// Compile the shaders of vkd3d's `.shader_test` files and compare the errors.
    Compile,
    /// Run vkd3d's `.shader_test` files on a graphics adapter.
    #[cfg(feature = "run")]
    Run,
    /// DirectXTK's shaders.
    Directxtk,
    /// The DirectX SDK shaders among DXC's tests.
    Sdk,
    /// The shaders that the C++ code of the DirectX SDK samples compiles.
    Samples,
    /// MiniEngine's shaders.
    Miniengine,
    /// SMAA, FXAA, AMD's effects, and the shaders of Dear ImGui and SDL.
    Effects,
    /// glslang's HLSL tests.
    Glslang,
    /// DXC's error tests, compared line by line.
    Sema,
    /// Randomly mutated programs.
    Mutate,
    /// Measure the compile time of this project's programs on one CPU core.
    Speed,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    engine::keep_panics_silent();
    let passed = match arguments.suite {
        _ if arguments.worker => mutate::serve().map(|()| true),
        Suite::Mutate => mutate(&arguments),
        Suite::Speed => speed(),
        Suite::Preprocess | Suite::Syntax | Suite::Format => by_file(&arguments),
        Suite::All => all(&arguments),
        Suite::Sema => sema(&arguments),
        #[cfg(feature = "run")]
        Suite::Run => run(&arguments),
        _ => units(&arguments).and_then(|units| judge(&arguments, &units)),
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let corpus = arguments.corpus.as_deref().unwrap_or(Path::new(""));
            eprintln!("{}: {error}", corpus.display());
            ExitCode::FAILURE
        }
    }
}

/// Runs all suites whose files are in the folder and prints their scores, and returns whether all cases
/// passed.
fn all(arguments: &Arguments) -> io::Result<bool> {
    let mut passed = true;
    let mut row = |measure: &str, (good, count): (usize, usize)| {
        passed &= good == count;
        println!("{measure:14} {good:5} of {count:5}");
    };
    for suite in [
        Suite::Compile,
        Suite::Directxtk,
        Suite::Sdk,
        Suite::Samples,
        Suite::Miniengine,
        Suite::Effects,
        Suite::Glslang,
    ] {
        let Ok(units) = units(&Arguments { suite, ..arguments.clone() }) else {
            println!("{suite:?}: no files found");
            continue;
        };
        // Compile times are measured on a single thread, so that no other thread affects them.
        let threads = if suite == Suite::Directxtk { Some(1) } else { arguments.threads };
        let report = Report::new(&units, &engine::run(&units, threads));
        for (measure, totals) in report.totals() {
            row(measure, *totals);
        }
        if suite == Suite::Directxtk && !units.is_empty() {
            println!("{:14} {:.3} s for {} shaders", "A17", report.time().as_secs_f64(), units.len());
        }
    }
    if let Ok(tests) = sema::tests(arguments.corpus()?) {
        for (measure, totals) in sema::totals(&sema::run(&tests, arguments.threads)) {
            row(measure, totals);
        }
    }
    if let Ok(tests) = shader_tests(arguments) {
        let tests: Vec<_> = tests
            .into_iter()
            .filter_map(|(name, text)| Some((name, ShaderTest::parse(&text).ok()?)))
            .collect();
        let counted = tests.iter().map(|(_, test)| preprocess::run(test));
        let sum = counted
            .fold((0, 0), |(good, all), (passed, failures)| (good + passed, all + passed + failures.len()));
        row("A5", sum);
        #[cfg(feature = "run")]
        {
            let results = engine::for_each(&tests, arguments.threads, |(name, test)| {
                onze_hlsl_conformance::run::run(name, test)
            });
            for (measure, totals) in onze_hlsl_conformance::run::totals(&results) {
                row(measure, totals);
            }
        }
    }
    Ok(passed)
}

/// Runs a suite that does not compile shaders, prints its failures, and returns whether all cases passed.
fn by_file(arguments: &Arguments) -> io::Result<bool> {
    let (mut passed, mut all) = (0, 0);
    for (name, text) in shader_tests(arguments)? {
        let (of_file, failures) = match (ShaderTest::parse(&text), arguments.suite) {
            (Ok(test), Suite::Preprocess) => preprocess::run(&test),
            (Ok(test), Suite::Syntax) => syntax::run(&test),
            (Ok(_), _) => (1, Vec::new()),
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

fn units(arguments: &Arguments) -> io::Result<Vec<Unit>> {
    let corpus = arguments.corpus()?;
    let mut units = match arguments.suite {
        Suite::Directxtk => directxtk::units(corpus)?,
        Suite::Sdk => dxc::units(corpus)?,
        Suite::Samples => samples::units(corpus)?,
        Suite::Miniengine => miniengine::units(corpus)?,
        Suite::Effects => effects::units(corpus)?,
        Suite::Glslang => glslang::units(corpus)?,
        _ => vkd3d_units(arguments)?,
    };
    if let Some(file) = &arguments.file {
        units.retain(|unit| unit.title().contains(file.as_str()));
    }
    Ok(units)
}

fn vkd3d_units(arguments: &Arguments) -> io::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for (name, text) in shader_tests(arguments)? {
        match ShaderTest::parse(&text) {
            Ok(test) => units.extend(vkd3d::units(&name, &test)),
            Err(error) => eprintln!("{name}:{}: {}", error.line, error.message),
        }
    }
    Ok(units)
}

/// Compiles the programs of this project repeatedly, and prints the CPU time of the fastest round.
fn speed() -> io::Result<bool> {
    const ROUNDS: usize = 50;
    let mut units = Vec::new();
    for (name, test) in programs::programs(&programs::folder())? {
        units.extend(vkd3d::units(&name, &test));
    }
    let round = || units.iter().map(|unit| engine::judge(unit).time).sum::<Duration>();
    let fastest = (0..ROUNDS).map(|_| round()).min().unwrap_or_default();
    let bytes: usize = units.iter().map(|unit| unit.source.len()).sum();
    println!("{:.2} ms for {} shaders of {bytes} bytes", fastest.as_secs_f64() * 1e3, units.len());
    Ok(true)
}

/// Compiles randomly mutated programs, prints the failures, and returns whether all programs passed.
fn mutate(arguments: &Arguments) -> io::Result<bool> {
    let mut pool = match &arguments.corpus {
        Some(corpus) => mutate::Pool::of_suites(corpus)?,
        None => mutate::Pool::of_project()?,
    };
    if let Some(file) = &arguments.file {
        pool.programs.retain(|case| case.file.contains(file.as_str()));
    }
    let Arguments { seed, first, count, .. } = *arguments;
    let threads = arguments.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
    let program = std::env::current_exe()?;
    let settings = mutate::Settings { threads, program: &program, tries: 3000 };
    let findings = mutate::run(&pool, mutate::Inputs { seed, first, count }, settings, |failure| {
        println!("{failure}\n");
    })?;
    println!("{findings}");
    Ok(findings.failures().next().is_none())
}

/// Compiles shaders, prints the failures, and returns whether all shaders passed.
fn judge(arguments: &Arguments, units: &[Unit]) -> io::Result<bool> {
    let judged = engine::run(units, arguments.threads);
    let report = Report::new(units, &judged);
    let mut text = String::new();
    let filter = Filter { verbose: arguments.verbose, cause: arguments.cause.clone() };
    report.print(&filter, &mut text).map_err(io::Error::other)?;
    print!("{text}");
    Ok(report.passed())
}

/// Compares FXC's errors with the compiler's line by line, prints the differences, and returns whether all
/// lines match.
fn sema(arguments: &Arguments) -> io::Result<bool> {
    let mut tests = sema::tests(arguments.corpus()?)?;
    if let Some(file) = &arguments.file {
        tests.retain(|test| test.file().contains(file.as_str()));
    }
    let judged = sema::run(&tests, arguments.threads);
    let filter = Filter { verbose: arguments.verbose, cause: arguments.cause.clone() };
    print!("{}", sema::summary(&tests, &judged, &filter));
    Ok(sema::totals(&judged).iter().all(|(_, (good, all))| good == all))
}

/// Runs tests on a graphics adapter, prints the failures, and returns whether all tests passed.
#[cfg(feature = "run")]
fn run(arguments: &Arguments) -> io::Result<bool> {
    use onze_hlsl_conformance::run;

    let tests: Vec<_> = shader_tests(arguments)?
        .into_iter()
        .filter_map(|(name, text)| Some((name, ShaderTest::parse(&text).ok()?)))
        .collect();
    let results = engine::for_each(&tests, arguments.threads, |(name, test)| run::run(name, test));
    let text =
        run::summary(tests.iter().map(|(name, _)| name.as_str()), &results, arguments.cause.as_deref());
    print!("{text}");
    Ok(results.iter().all(|result| result.failures.is_empty()))
}

fn shader_tests(arguments: &Arguments) -> io::Result<Vec<(String, String)>> {
    let files = corpora::find_files(arguments.corpus()?, "shader_test")?;
    if files.is_empty() {
        return Err(io::Error::other(
            "the folder has no .shader_test files; pass another one as --corpus DIR",
        ));
    }
    let mut texts = Vec::new();
    for path in &files {
        let name = path.strip_prefix(arguments.corpus()?).unwrap_or(path).display().to_string();
        if arguments.file.as_ref().is_none_or(|file| name.contains(file.as_str())) {
            texts.push((name, std::fs::read_to_string(path)?));
        }
    }
    Ok(texts)
}
