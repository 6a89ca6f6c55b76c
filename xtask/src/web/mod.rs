//! `cargo xtask web`: games in a browser.
//!
//! [`toolchain`] sees to a standard library and a linker for WebAssembly, [`pack`] makes what a browser loads,
//! [`server`] serves it, [`browser`] drives Chromium, and [`picture`] compares pictures.

mod browser;
mod pack;
mod picture;
mod server;
mod test;
mod toolchain;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::server::Server;
use self::toolchain::Toolchain;
use crate::WebArgs;
use crate::command::{self, cargo, workspace_root};
use crate::error::Error;

/// The target of browsers.
const TARGET: &str = "wasm32-unknown-unknown";

/// The profile of the root `Cargo.toml` that makes small programs.
const PROFILE: &str = "wasm";

/// The games: binaries of the examples crate that use `onze_winit::run`.
const PROGRAMS: &[&str] = &[
    "triangle_window",
    "textured_cube",
    "shadow_map",
    "sprite_batch",
    "light_culling",
    "particles",
    "bitonic_sort",
    "oit",
];

/// Builds the games, then serves or tests them.
pub(crate) fn run(args: &WebArgs) -> Result<ExitCode, Error> {
    let programs = chosen(&args.programs)?;
    let root = workspace_root();
    let folder = target_folder(&root).join("web");
    build(&root, &programs, &folder)?;
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

/// The games of these names; all of them if there are none.
fn chosen(names: &[String]) -> Result<Vec<&'static str>, Error> {
    if names.is_empty() {
        return Ok(PROGRAMS.to_vec());
    }
    let find = |name: &String| PROGRAMS.iter().copied().find(|program| program == name);
    names
        .iter()
        .map(|name| {
            find(name).ok_or_else(|| {
                Error::Web(format!(
                    "there is no game `{name}` for a browser; there are {}",
                    PROGRAMS.join(", ")
                ))
            })
        })
        .collect()
}

/// Builds the games, and writes what a browser loads into the folder.
fn build(root: &Path, programs: &[&str], folder: &Path) -> Result<(), Error> {
    let toolchain = Toolchain::ensure()?;
    let mut build = cargo();
    build.args(["build", "--package", "onze-examples", "--target", TARGET, "--profile", PROFILE]);
    build.args(programs.iter().flat_map(|program| ["--bin", program])).current_dir(root);
    toolchain.apply(&mut build);
    command::run(&mut build)?;
    let built = target_folder(root).join(TARGET).join(PROFILE);
    for program in programs {
        let bytes = pack::pack(&built.join(program).with_extension("wasm"), folder)?;
        println!("web: {program}: {:.1} MB", bytes as f64 / 1e6);
    }
    let page = folder.join("index.html");
    std::fs::write(&page, pack::page(PROGRAMS)).map_err(|error| at(&page, &error))?;
    println!("web: wrote {}", page.display());
    Ok(())
}

/// The folder of cargo's output.
fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// A file that cannot be read or written.
fn at(path: &Path, error: &io::Error) -> Error {
    Error::Web(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_chosen_by_name() {
        assert_eq!(chosen(&[]).unwrap(), PROGRAMS);
        assert_eq!(chosen(&["textured_cube".to_owned()]).unwrap(), ["textured_cube"]);
        let error = chosen(&["textured_cube".to_owned(), "triangle".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("`triangle`") && error.contains("triangle_window"), "{error}");
    }

    #[test]
    fn games_are_binaries_of_the_examples() {
        for program in PROGRAMS {
            let source = workspace_root().join("examples/src/bin").join(program).with_extension("rs");
            let text = std::fs::read_to_string(&source).unwrap();
            assert!(text.contains("onze_winit::run("), "{program}");
        }
    }
}
