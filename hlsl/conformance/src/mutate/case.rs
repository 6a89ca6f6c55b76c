use std::{path::PathBuf, sync::Arc};

use onze_hlsl::{CompileOptions, FolderIncludes, IncludeHandler, Macro, PreprocessOptions};
use serde::{Deserialize, Serialize};

use crate::unit::Unit;

/// A program and everything else that a worker needs to compile it.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Case {
    /// The file of the original program, named in a report together with the number of the input.
    pub file: String,
    /// The source text, usually a mutation of the file's contents.
    pub source: Arc<str>,
    /// The folders that are searched for included files, beginning with the folder of the source.
    pub folders: Vec<PathBuf>,
    /// The names and definitions of predefined macros.
    pub macros: Vec<(String, String)>,
    /// The name of the entry point.
    pub entry: String,
    /// The name of the profile, such as `ps_5_0`, whose stage may differ from the program's.
    pub profile: String,
    /// Whether matrices are packed by rows by default, as with FXC's `/Zpr`.
    pub row_major: bool,
    /// Whether Direct3D 9 functions and types are available, as with FXC's `/Gec`.
    pub backwards_compatible: bool,
    /// Whether deprecated syntax is an error, as with FXC's `/Ges`.
    pub strict: bool,
}

impl Case {
    /// Creates a case, not yet mutated, from a shader of a test suite.
    pub fn new(unit: &Unit) -> Case {
        Case {
            file: unit.file.clone(),
            source: unit.source.clone(),
            folders: unit.folders.clone(),
            macros: unit.macros.iter().map(|one| (one.name.clone(), one.definition.clone())).collect(),
            entry: unit.entry.clone(),
            profile: unit.profile(),
            row_major: unit.options.row_major,
            backwards_compatible: unit.options.backwards_compatible,
            strict: unit.options.strict,
        }
    }

    /// Calls a function with the compile options, which borrow from the case.
    pub fn with_options<R>(&self, f: impl FnOnce(&CompileOptions<'_>) -> R) -> R {
        let macros: Vec<_> =
            self.macros.iter().map(|(name, definition)| Macro::new(name, definition)).collect();
        let includes = self.folders.split_first().map(|(first, others)| {
            others.iter().fold(FolderIncludes::new(first), FolderIncludes::with_folder)
        });
        let include = includes.as_ref().map(|includes| includes as &dyn IncludeHandler);
        f(&CompileOptions {
            preprocess: PreprocessOptions { macros: &macros, include },
            pack_matrices_by_rows: self.row_major,
            strict: self.strict,
            backwards_compatible: self.backwards_compatible,
            ..CompileOptions::default()
        })
    }

    /// Returns the program after preprocessing, or `None` if preprocessing fails.
    pub fn preprocessed(&self) -> Option<Case> {
        let text = self.with_options(|options| {
            onze_hlsl::preprocess(&self.source, &self.file, &options.preprocess).ok()
        });
        Some(Case { source: text?.text.into(), folders: Vec::new(), macros: Vec::new(), ..self.clone() })
    }

    /// Returns the options as command-line arguments for reports.
    pub fn options(&self) -> String {
        let mut text = format!("-T {} -E {}", self.profile, self.entry);
        for (is_set, option) in
            [(self.row_major, " /Zpr"), (self.backwards_compatible, " /Gec"), (self.strict, " /Ges")]
        {
            if is_set {
                text.push_str(option);
            }
        }
        for (name, definition) in &self.macros {
            text.push_str(&format!(" -D {name}={definition}"));
        }
        text
    }
}
