//! Messages of a [`LinkageError`] in the terms of the two shaders' languages.

use onze_ddi::{ShaderInput, ShaderOutput, ShaderReflection};

use super::{
    LinkageError,
    terms::{ShaderTerms, SourceLanguage},
};

/// Formats the error, with the names of inputs, outputs and types in the language of their shader.
pub(crate) fn linkage_message(
    error: &LinkageError,
    previous: ShaderTerms<'_>,
    next: ShaderTerms<'_>,
) -> String {
    if previous.language == SourceLanguage::Wgsl && next.language == SourceLanguage::Wgsl {
        return error.to_string();
    }
    let (previous_stage, next_stage) = (previous.code.stage.name(), next.code.stage.name());
    let location = match error {
        LinkageError::Missing { location, .. } | LinkageError::Type { location, .. } => *location,
    };
    let Some(input) = next.code.input(location) else { return error.to_string() };
    let wanted = next.input(input);
    let Some(output) = previous.code.output(location) else {
        let place = match previous.language {
            SourceLanguage::Hlsl => "an output of that semantic in that register".to_owned(),
            language => format!("an output at {}", language.location(location)),
        };
        return format!(
            "the {next_stage} shader's input {wanted} is not written by the {previous_stage} shader, which needs {place}"
        );
    };
    format!(
        "the {next_stage} shader's input {wanted} is {}, but the {previous_stage} shader writes {} to {}",
        next.language.value_type(input.kind, input.components),
        previous.language.value_type(output.kind, output.components),
        previous.output(output)
    )
}

impl<'a> ShaderTerms<'a> {
    /// Returns terms for patch constants, which `code` has in place of control points. HLSL's signatures list control
    /// points, so the terms do not use them.
    pub(crate) const fn of_patch_constants(self, code: &'a ShaderReflection) -> Self {
        Self {
            code,
            #[cfg(feature = "hlsl")]
            hlsl: None,
            ..self
        }
    }
}

impl ShaderTerms<'_> {
    /// Names an input that comes from the previous stage.
    fn input(self, input: &ShaderInput) -> String {
        let ShaderInput { name, location, .. } = input;
        self.varying(name, *location, true)
    }

    /// Names an output that goes to the next stage.
    fn output(self, output: &ShaderOutput) -> String {
        let ShaderOutput { name, location, .. } = output;
        self.varying(name, *location, false)
    }

    /// Names an input or output that connects two stages, in HLSL by all semantics that share the register.
    fn varying(self, name: &str, location: u32, is_input: bool) -> String {
        #[cfg(feature = "hlsl")]
        if let Some(hlsl) = self.hlsl {
            let list = if is_input { &hlsl.inputs } else { &hlsl.outputs };
            let shared = list.iter().filter(|parameter| parameter.register == Some(location));
            let names: Vec<_> =
                shared.map(|p| format!("`{}{}`", p.semantic_name, p.semantic_index)).collect();
            if !names.is_empty() {
                return format!("{} (register {location})", names.join(" and "));
            }
        }
        let _ = is_input;
        match name {
            "" => format!("at {}", self.language.location(location)),
            name => format!("`{name}` ({})", self.language.location(location)),
        }
    }
}
