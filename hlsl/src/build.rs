//! Compiles shaders in a build script, so that a program can embed them as bytes.
//!
//! To use it in `build.rs`, add `onze-hlsl = { version = "0.1", features = ["serde"] }` to the
//! `[build-dependencies]`:
//!
//! ```no_run
//! use onze_hlsl::build::{BuildError, Shaders};
//!
//! fn main() -> Result<(), BuildError> {
//!     Shaders::new()
//!         .shader("src/waves.hlsl", "VS", "vs_5_0")
//!         .shader("src/waves.hlsl", "PS", "ps_5_0")
//!         .compile()
//! }
//! ```
//!
//! Each shader becomes a file in Cargo's `OUT_DIR`, here `waves.VS.shader` and `waves.PS.shader`. The program
//! includes the file and loads it with [`Compiled::from_bytes`]:
//!
//! ```ignore
//! const VS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/waves.VS.shader"));
//! ```
//!
//! An error in a shader fails the build with FXC's message. When a source file or an included file changes,
//! Cargo runs the build script again. A custom include handler must report the path of each file that it
//! reads through [`IncludeHandler::path`].

use std::{
    cell::RefCell,
    collections::BTreeSet,
    env, fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{
    CompileOptions, Compiled, FolderIncludes, IncludeHandler, IncludeRequest, IncludedFile, Macro, compile,
};

/// A set of shaders that a build script compiles, instead of a build step that runs FXC, such as
/// `fxc /T vs_5_0 /E VS /Fo waves.VS.cso waves.hlsl`.
#[derive(Clone, Debug, Default)]
pub struct Shaders<'a> {
    shaders: Vec<Shader>,
    options: CompileOptions<'a>,
    folders: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
struct Shader {
    name: String,
    file: PathBuf,
    entry: String,
    profile: String,
    macros: Vec<Macro>,
}

/// The reasons why shaders were not compiled.
///
/// `Debug` writes the same text as `Display`, because Cargo prints an error that `main` returns with `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct BuildError {
    messages: Vec<String>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Editors recognise a source position only at the beginning of a line.
        write!(out, "shaders were not compiled:\n{}", self.messages.join("\n"))
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl std::error::Error for BuildError {}

impl<'a> Shaders<'a> {
    /// Creates an empty set of shaders with default options and no folders.
    pub fn new() -> Shaders<'a> {
        Shaders::default()
    }

    /// Adds an entry point of a file, for a profile such as `vs_5_0`.
    ///
    /// The path is relative to the package, and the output file is named after the source file and the entry
    /// point, for example `waves.VS.shader`.
    #[must_use]
    pub fn shader(self, file: impl Into<PathBuf>, entry: &str, profile: &str) -> Shaders<'a> {
        let file = file.into();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}.{entry}");
        self.variant(&name, file, entry, profile, &[])
    }

    /// Adds an entry point of a file with additional macros, and names the output file `NAME.shader`.
    #[must_use]
    pub fn variant(
        mut self,
        name: &str,
        file: impl Into<PathBuf>,
        entry: &str,
        profile: &str,
        macros: &[Macro],
    ) -> Shaders<'a> {
        self.shaders.push(Shader {
            name: name.to_owned(),
            file: file.into(),
            entry: entry.to_owned(),
            profile: profile.to_owned(),
            macros: macros.to_vec(),
        });
        self
    }

    /// Sets the options of all shaders, and defines the options' macros before the macros of a variant.
    ///
    /// Without an include handler, `#include` searches first the folder of the including file and then the
    /// folders added with [`folder`](Shaders::folder).
    #[must_use]
    pub fn options(mut self, options: CompileOptions<'a>) -> Shaders<'a> {
        self.options = options;
        self
    }

    /// Adds a folder that is searched for included files, like FXC's option `/I`.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Shaders<'a> {
        self.folders.push(folder.into());
        self
    }

    /// Compiles all shaders to files in `OUT_DIR`.
    ///
    /// It also tells Cargo which files the shaders depend on, and prints the compiler's warnings as Cargo
    /// warnings.
    ///
    /// # Errors
    ///
    /// Fails if a shader has errors, if a file cannot be read or written, if two output files have the same
    /// name, or if `OUT_DIR` is not set because Cargo does not run the program. Return the error from `main`,
    /// so that Cargo prints it and the build fails.
    pub fn compile(&self) -> Result<(), BuildError> {
        let folder = env::var_os("OUT_DIR").ok_or_else(|| BuildError {
            messages: vec![
                "OUT_DIR is not set: shaders are compiled in a build script, which Cargo runs".to_owned(),
            ],
        })?;
        self.compile_into(Path::new(&folder), &mut io::stdout())
    }

    /// Compiles all shaders to files in a folder, and writes the directives for Cargo to `cargo`.
    ///
    /// # Errors
    ///
    /// Fails for the same reasons as [`compile`](Shaders::compile), except that `OUT_DIR` is not needed.
    pub fn compile_into(&self, folder: &Path, cargo: &mut dyn io::Write) -> Result<(), BuildError> {
        let mut messages = Vec::new();
        let mut names = BTreeSet::new();
        let mut files = BTreeSet::new();
        for shader in &self.shaders {
            if !names.insert(&shader.name) {
                messages
                    .push(format!("two shaders are called {}; add one of them with `variant`", shader.name));
                continue;
            }
            match self.compile_one(shader, &mut files) {
                Ok((warnings, bytes)) => {
                    // A warning for Cargo must fit on one line.
                    for line in warnings.lines() {
                        write(cargo, "warning", line, &mut messages);
                    }
                    let path = folder.join(format!("{}.shader", shader.name));
                    if let Err(error) = fs::write(&path, bytes) {
                        messages.push(format!("{}: {error}", path.display()));
                    }
                }
                Err(message) => messages.push(message),
            }
        }
        for file in files {
            write(cargo, "rerun-if-changed", &file, &mut messages);
        }
        if messages.is_empty() { Ok(()) } else { Err(BuildError { messages }) }
    }

    /// Compiles a shader, returns its warnings and its bytes, and adds the paths of the files that it reads
    /// to `files`.
    fn compile_one(
        &self,
        shader: &Shader,
        files: &mut BTreeSet<String>,
    ) -> Result<(String, Vec<u8>), String> {
        let name = shader.file.to_string_lossy();
        files.insert(name.clone().into_owned());
        let text = fs::read(&shader.file).map_err(|error| format!("{name}: {error}"))?;
        let text = String::from_utf8_lossy(&text);
        let profile = shader.profile.parse().map_err(|error| format!("{name}: {error}"))?;
        let macros = [self.options.preprocess.macros, &shader.macros].concat();
        let of_folders = self.folders.iter().fold(FolderIncludes::new(""), FolderIncludes::with_folder);
        let includes = Recording {
            handler: self.options.preprocess.include.unwrap_or(&of_folders),
            opened: RefCell::default(),
        };
        let mut options = self.options;
        options.preprocess.macros = &macros;
        options.preprocess.include = Some(&includes);
        let result = compile(&text, &name, &shader.entry, profile, &options);
        // A handler may generate source text under a path that is not a file.
        let opened = includes.opened.take().into_iter().filter(|path| path.is_file());
        files.extend(opened.map(|path| path.to_string_lossy().into_owned()));
        let compiled: Compiled = result.map_err(|diagnostics| diagnostics.to_string())?;
        let bytes = compiled.to_bytes().map_err(|error| format!("{name}: {error}"))?;
        Ok((compiled.warnings.to_string(), bytes))
    }
}

fn write(cargo: &mut dyn io::Write, key: &str, value: &str, messages: &mut Vec<String>) {
    if let Err(error) = writeln!(cargo, "cargo::{key}={value}") {
        messages.push(error.to_string());
    }
}

struct Recording<'a> {
    handler: &'a dyn IncludeHandler,
    opened: RefCell<BTreeSet<PathBuf>>,
}

impl IncludeHandler for Recording<'_> {
    fn open(&self, request: &IncludeRequest<'_>) -> Result<IncludedFile, String> {
        let file = self.handler.open(request)?;
        self.opened.borrow_mut().insert(self.path(&file.name));
        Ok(file)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.handler.path(name)
    }
}
