//! A shader of a test suite.

use std::{path::PathBuf, sync::Arc};

use onze_hlsl::Macro;

use crate::shader_test::{Model, Stage};

/// Flags of `D3DCompile` that change the language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Matrices that say nothing of it are packed by rows: `/Zpr`.
    pub row_major: bool,
    /// The functions and types of Direct3D 9: `/Gec`.
    pub backwards_compatible: bool,
    /// `/Ges`
    pub strict: bool,
}

/// A refusal that is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The number of the first error.
    pub code: u16,
    /// What is wrong with the shader.
    pub reason: &'static str,
}

/// A text with an entry point, and what a compiler must make of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// A line of the acceptance table: `A1`.
    pub measure: &'static str,
    /// The file, as messages name it.
    pub file: String,
    /// The line of its text in the file, from 0.
    pub line: u32,
    /// The text.
    pub source: Arc<str>,
    /// The folders in which included files are looked for. The first is that of the source.
    pub folders: Vec<PathBuf>,
    /// Macros that are defined from outside.
    pub macros: Vec<Macro>,
    /// The function that is the entry point.
    pub entry: String,
    /// The stage.
    pub stage: Stage,
    /// The shader model.
    pub model: Model,
    /// The language's options.
    pub options: Options,
    /// It must be refused.
    pub fails: bool,
    /// How it must be refused, if that is known.
    pub refusal: Option<Refusal>,
    /// FXC's listing, which the reflection must match.
    pub listing: Option<Arc<str>>,
}

impl Unit {
    /// A text for shader model 5.0 that must compile, with the options of a plain call of FXC.
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

    /// As a user finds it: file, line, entry point and profile.
    pub fn title(&self) -> String {
        let line = if self.line > 0 { format!(":{}", self.line) } else { String::new() };
        let entry = if self.entry == "main" { String::new() } else { format!(" {}", self.entry) };
        format!("{}{line}{entry} {}", self.file, self.profile())
    }

    /// `ps_5_0`
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
