//! `cargo xtask web`: the gallery in a browser.
//!
//! [`toolchain`] provides a standard library and a linker for WebAssembly, [`pack`] writes the files that a
//! browser loads, and [`page`] writes the web page. [`server`] serves these files, [`browser`] drives
//! Chromium, and [`picture`] compares pictures.

mod browser;
mod pack;
mod page;
mod picture;
mod server;
mod test;
mod toolchain;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::server::Server;
use self::toolchain::Toolchain;
use crate::WebArgs;
use crate::command::{self, cargo, workspace_root};
use crate::error::Error;
use crate::examples::{self, Example};

const TARGET: &str = "wasm32-unknown-unknown";

/// The profile for small programs, defined in the root `Cargo.toml`.
const PROFILE: &str = "wasm";

pub(crate) fn run(args: &WebArgs) -> Result<ExitCode, Error> {
    let programs = chosen(&args.examples)?;
    let root = workspace_root();
    let folder = target_folder(&root).join("web");
    build(&root, &programs, args.test, &folder)?;
    page::write(&root, &programs, &folder)?;
    println!("web: wrote {}", folder.join("index.html").display());
    if args.test {
        test::run(&root, &programs, &folder)?;
    }
    if args.serve {
        let server = Server::start(&folder, server::PORT)?;
        println!("web: serving {} until Ctrl+C", server.address());
        server.wait();
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the examples with these names, or all examples if the list is empty.
fn chosen(names: &[String]) -> Result<Vec<&'static Example>, Error> {
    if names.is_empty() {
        return Ok(examples::all().collect());
    }
    let find = |name: &String| examples::all().find(|example| example.name == name);
    names
        .iter()
        .map(|name| {
            find(name).ok_or_else(|| {
                let all = examples::all().map(|example| example.name).collect::<Vec<_>>();
                Error::Web(format!(
                    "there is no example `{name}` for a browser; choose one of {}",
                    all.join(", ")
                ))
            })
        })
        .collect()
}

/// Builds the examples and optionally the checks, and writes the files that a browser loads into `folder`.
fn build(root: &Path, examples: &[&Example], with_checks: bool, folder: &Path) -> Result<(), Error> {
    let toolchain = Toolchain::ensure()?;
    let mut build = cargo();
    build.args(["build", "--target", TARGET, "--profile", PROFILE]).current_dir(root);
    let mut programs: Vec<_> = examples.iter().map(|example| (example.package(root), example.name)).collect();
    programs.extend(with_checks.then(|| (test::CHECKS_PACKAGE.to_owned(), test::CHECKS)));
    let packages: BTreeSet<_> = programs.iter().map(|(package, _)| package).collect();
    build.args(packages.iter().flat_map(|package| ["--package", package]));
    build.args(programs.iter().flat_map(|(_, name)| ["--bin", name]));
    toolchain.apply(&mut build);
    command::run(&mut build)?;
    let built = target_folder(root).join(TARGET).join(PROFILE);
    for (_, name) in programs {
        let bytes = pack::pack(&built.join(name).with_extension("wasm"), folder)?;
        println!("web: {name}: {:.1} MB", bytes as f64 / 1e6);
    }
    Ok(())
}

fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

fn at(path: &Path, error: &io::Error) -> Error {
    Error::Web(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_chosen_by_name() {
        let names = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            chosen(&names).map(|chosen| chosen.iter().map(|example| example.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap(), examples::all().map(|example| example.name).collect::<Vec<_>>());
        assert_eq!(names(&["textured_cube"]).unwrap(), ["textured_cube"]);
        let error = names(&["textured_cube", "triangle"]).unwrap_err().to_string();
        assert!(error.contains("`triangle`") && error.contains("triangle_window"), "{error}");
    }
}
