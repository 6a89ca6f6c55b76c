//! A shader of a test suite, with the expected outcome.

use std::{path::PathBuf, sync::Arc};

use onze_hlsl::Macro;

use crate::shader_test::{Model, Stage};

/// Flags of `D3DCompile` that change the language which the compiler accepts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Packs matrices by rows unless they are declared otherwise, like FXC's `/Zpr`.
    pub row_major: bool,
    /// Enables the functions and types of Direct3D 9 in addition, like FXC's `/Gec`.
    pub backwards_compatible: bool,
    /// `/Ges`
    pub strict: bool,
}

/// An expected error, which must be the first one that the compiler reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The number of the first error, without the X before it.
    pub code: u16,
    /// The fault in the shader, as a phrase that explains the expected error.
    pub reason: &'static str,
}

/// A source with an entry point and the expected outcome of its compilation.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// The row of the acceptance table that the result counts for, such as `A1`.
    pub measure: &'static str,
    /// The name of the file, as messages and reports show it.
    pub file: String,
    /// The line of the file where the source begins, counted from 0, which is 0 for a whole file.
    pub line: u32,
    /// The source text, without the parts of the file that are not HLSL.
    pub source: Arc<str>,
    /// The folders that are searched for included files, beginning with the folder of the source.
    pub folders: Vec<PathBuf>,
    /// Macros that are defined before the source, as if on the command line.
    pub macros: Vec<Macro>,
    /// The name of the function that the stage runs as its entry point.
    pub entry: String,
    /// The shader stage, which decides whether the shader is compiled or only checked.
    pub stage: Stage,
    /// The shader model, which together with the stage makes the profile.
    pub model: Model,
    /// The options of the language that the suite sets for this shader.
    pub options: Options,
    /// Whether the compilation must end with an error, which may be any one if `refusal` is `None`.
    pub fails: bool,
    /// The expected error, or `None` if any error is right or none is expected.
    pub refusal: Option<Refusal>,
    /// FXC's listing of the compiled shader, which the reflection must match, if the suite has one.
    pub listing: Option<Arc<str>>,
}

impl Unit {
    /// Creates a unit that must compile for shader model 5.0 with FXC's default options.
    pub fn new(
        measure: &'static str,
        file: impl Into<String>,
        source: impl Into<Arc<str>>,
        entry: &str,
        stage: Stage,
    ) -> Unit {
        Unit {
            measure,
            file: file.into(),
            line: 0,
            source: source.into(),
            folders: Vec::new(),
            macros: Vec::new(),
            entry: entry.to_owned(),
            stage,
            model: Model::Sm5_0,
            options: Options::default(),
            fails: false,
            refusal: None,
            listing: None,
        }
    }

    /// Returns the title for messages, which has the file, the line, the entry point and the profile.
    pub fn title(&self) -> String {
        let line = if self.line > 0 { format!(":{}", self.line) } else { String::new() };
        let entry = if self.entry == "main" { String::new() } else { format!(" {}", self.entry) };
        format!("{}{line}{entry} {}", self.file, self.profile())
    }

    /// Returns the name of the profile, such as `ps_5_0`, that the compiler parses.
    pub fn profile(&self) -> String {
        let stage = match self.stage {
            Stage::Vertex => "vs",
            Stage::Hull => "hs",
            Stage::Domain => "ds",
            Stage::Geometry => "gs",
            Stage::Pixel => "ps",
            Stage::Compute => "cs",
            Stage::Effect => "fx",
        };
        let model = match self.model {
            Model::Sm2_0 => "2_0",
            Model::Sm3_0 => "3_0",
            Model::Sm4_0 => "4_0",
            Model::Sm4_1 => "4_1",
            Model::Sm5_0 => "5_0",
            Model::Sm5_1 => "5_1",
            Model::Sm6_0 => "6_0",
            Model::Sm6_2 => "6_2",
        };
        format!("{stage}_{model}")
    }
}
