use std::{path::PathBuf, sync::Arc};

use onze_hlsl::{CompileOptions, FolderIncludes, IncludeHandler, Macro, PreprocessOptions};
use serde::{Deserialize, Serialize};

use crate::unit::Unit;

/// A program with everything that its compilation depends on, so that a worker needs nothing else.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Case {
    /// The file of the original program, which a report names together with the number of the input.
    pub file: String,
    /// The source text, which is usually a mutation of the file's text.
    pub source: Arc<str>,
    /// The folders that are searched for included files, beginning with the folder of the source.
    pub folders: Vec<PathBuf>,
    /// Names and definitions of macros that are defined before the source, as if from the command line.
    pub macros: Vec<(String, String)>,
    /// The name of the function that is compiled as the entry point.
    pub entry: String,
    /// The name of the profile, such as `ps_5_0`, which may be for a stage other than that of the program.
    pub profile: String,
    /// Whether matrices are packed by rows unless they are declared otherwise, as with FXC's `/Zpr`.
    pub row_major: bool,
    /// Whether the functions and types of Direct3D 9 are available, as with FXC's `/Gec`.
    pub backwards_compatible: bool,
    /// Whether the compiler is strict and refuses deprecated syntax, as with FXC's `/Ges`.
    pub strict: bool,
}

impl Case {
    /// Creates a case from a shader of a test suite, before it is mutated.
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

    /// Calls a function with the compiler's options, which borrow from the case.
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

    /// Returns the same program without directives and macros, or `None` if preprocessing fails.
    pub fn preprocessed(&self) -> Option<Case> {
        let text = self.with_options(|options| {
            onze_hlsl::preprocess(&self.source, &self.file, &options.preprocess).ok()
        });
        Some(Case { source: text?.text.into(), folders: Vec::new(), macros: Vec::new(), ..self.clone() })
    }

    /// Returns the options in the form of a command line, for reports.
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
