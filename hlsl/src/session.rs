//! State that all steps of a compilation share: source text, positions, names, messages and limits.
//!
//! This is the lowest room of the crate. It imports no other room.

pub(crate) mod code;
pub(crate) mod diagnostic;
pub(crate) mod foreign;
pub(crate) mod hash;
pub(crate) mod names;
pub(crate) mod nearest;
pub(crate) mod profile;
pub(crate) mod source;
pub(crate) mod stack;
pub(crate) mod warnings;

use std::cell::Cell;

use crate::{
    Diagnostics,
    session::{
        code::Code,
        names::Names,
        nearest::{MOST_COMPARED, Nearest},
        source::{SourceMap, Span},
        stack::RecursionLimits,
        warnings::{WarningAction, WarningRules},
    },
};

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) sources: SourceMap,
    pub(crate) names: Names,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) warnings: WarningRules,
    /// Whether `ConstantBuffer<T>` and `TextureBuffer<T>` are types, as in Shader Model 5.1.
    pub(crate) has_buffer_types: bool,
    pub(crate) limits: RecursionLimits,
    pub(crate) too_deep: bool,
    /// The number of names compared so far to suggest names for unknown ones.
    compared: Cell<u32>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            sources: SourceMap::default(),
            names: Names::default(),
            diagnostics: Diagnostics::default(),
            warnings: WarningRules::default(),
            has_buffer_types: false,
            limits: RecursionLimits::shallow(),
            too_deep: false,
            compared: Cell::default(),
        }
    }
}

impl Session {
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.error(&self.sources, code, span, message);
    }

    /// Reports that the program exceeds one of the [`RecursionLimits`], so that it is compiled again with
    /// more stack.
    pub(crate) fn too_deep(&mut self, span: Span, message: impl Into<String>) {
        self.too_deep = true;
        self.error(Code::LimitExceeded, span, message);
    }

    /// Adds a warning, unless `#pragma warning` disables it or turns it into an error.
    pub(crate) fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) {
        match self.warnings.action(self.sources.in_file(span).start, code) {
            WarningAction::Show | WarningAction::Once => {
                self.diagnostics.warn(&self.sources, code, span, message);
            }
            WarningAction::Error => self.error(code, span, message),
            WarningAction::Disable => {}
        }
    }

    /// Reports a known index that is not less than the number of elements.
    pub(crate) fn index_out_of_bounds(&mut self, span: Span, index: i64, count: u32) {
        let message = format!("array index out of bounds: {index} is not below {count}");
        self.error(Code::IndexOutOfBounds, span, message);
    }

    /// Returns the end of a message about an unknown name, for example `; did you mean 'color'?`, or an empty
    /// string if no known name is similar.
    pub(crate) fn did_you_mean<'k>(&self, name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
        let left = MOST_COMPARED.saturating_sub(self.compared.get());
        let mut nearest = Nearest::new(name);
        for known in known.into_iter().take(left as usize) {
            self.compared.set(self.compared.get() + 1);
            nearest.compare(known);
        }
        nearest.name().map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
    }

    pub(crate) fn note(&mut self, span: Span, note: impl Into<String>) {
        self.diagnostics.note(&self.sources, span, note);
    }
}
