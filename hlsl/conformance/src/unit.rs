//! A shader of a test suite and its expected outcome.

use std::{path::PathBuf, sync::Arc};

use onze_hlsl::Macro;

use crate::shader_test::{Model, Stage};

/// Flags of `D3DCompile` that change the accepted language.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Packs matrices by rows by default, like FXC's `/Zpr`.
    pub row_major: bool,
    /// Also accepts Direct3D 9 functions and types, like FXC's `/Gec`.
    pub backwards_compatible: bool,
    /// Refuses deprecated syntax, like FXC's `/Ges`.
    pub strict: bool,
}

/// An expected error, which must be the first one that the compiler reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The error number without the X.
    pub code: u16,
    /// The reason for the expected error.
    pub reason: &'static str,
}

/// A shader source with its entry point, options and expected outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// The row of the acceptance table that includes the result, such as `A1`.
    pub measure: &'static str,
    /// The name of the file in messages and reports.
    pub file: String,
    /// The line of the file where the source begins, counted from 0, and therefore 0 for a whole file.
    pub line: u32,
    /// The HLSL source text, without other parts of the file.
    pub source: Arc<str>,
    /// The folders that are searched for included files, beginning with the folder of the source.
    pub folders: Vec<PathBuf>,
    /// The predefined macros.
    pub macros: Vec<Macro>,
    /// The name of the entry point.
    pub entry: String,
    /// The shader stage.
    pub stage: Stage,
    /// The shader model, which together with the stage determines the profile.
    pub model: Model,
    /// The compile options.
    pub options: Options,
    /// Whether the compilation must fail, with any error if `refusal` is `None`.
    pub fails: bool,
    /// The expected error, or `None` if no error or any error is expected.
    pub refusal: Option<Refusal>,
    /// FXC's listing of the compiled shader, if the suite contains it, for comparison with the reflection.
    pub listing: Option<Arc<str>>,
}

impl Unit {
    /// Creates a unit that must compile with shader model 5.0 and FXC's default options.
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

    /// Returns the title for messages: the file, the line, the entry point and the profile.
    pub fn title(&self) -> String {
        let line = if self.line > 0 { format!(":{}", self.line) } else { String::new() };
        let entry = if self.entry == "main" { String::new() } else { format!(" {}", self.entry) };
        format!("{}{line}{entry} {}", self.file, self.profile())
    }

    /// Returns the name of the profile, such as `ps_5_0`.
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
