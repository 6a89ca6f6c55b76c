//! The words of a [`ShaderError`] in the language of the shader.
//!
//! `Display` speaks WGSL, in which most variants have the same words for each language.

use super::{ShaderError, terms::Language};

impl ShaderError {
    /// The error in the terms of the language in which the shader was written.
    pub(crate) fn message(&self, language: Language) -> String {
        if language == Language::Wgsl {
            return self.to_string();
        }
        match self {
            Self::EntryPointNotFound { entry_point, available } if available.is_empty() => {
                format!("the source has no entry point `{entry_point}`, and no other one")
            }
            Self::Override { name } => override_words(language, name),
            Self::WrongGroup { variable, kind, group, expected, registers } => format!(
                "`{variable}` is {} and belongs in {}, the {registers} registers, not in {}",
                kind_words(language, kind),
                language.group(*expected),
                language.group(*group)
            ),
            Self::SlotOutOfRange { variable, registers, slot, slots } => format!(
                "`{variable}` is in slot {registers}{slot}; the slots are {registers}0 to {registers}{}, so give it \
                 another {}",
                slots - 1,
                language.binding()
            ),
            Self::DuplicateSlot { first, second, registers, slot } => format!(
                "`{first}` and `{second}` are both in slot {registers}{slot}; give one of them another {}",
                language.binding()
            ),
            Self::NoCounter { variable, slot } => format!(
                "`{variable}` is in {}, which has the counters of the u registers; declare the counter of u{slot} as a \
                 buffer of one unsigned integer that atomic functions change, or use another {}",
                language.group(4),
                if language == Language::Spirv { "DescriptorSet" } else { "set" }
            ),
            Self::UnorderedAccess { variable, kind } => format!(
                "`{variable}` is {}, which needs an unordered-access view (the u registers{}); pixel and compute shaders \
                 have them",
                kind_words(language, kind),
                if language == Language::Hlsl { String::new() } else { format!(", {}", language.group(3)) }
            ),
            Self::Offset1d { variable } => format!(
                "`{variable}` is a 1D texture and sampled at an offset, which does not work; add the offset to the \
                 coordinate"
            ),
            Self::UnsupportedResource { variable, kind } => {
                format!("`{variable}` is {}, which Direct3D 11 does not have", kind_words(language, kind))
            }
            Self::GroupTooLarge { x, y, z } => format!(
                "a group has {x} x {y} x {z} threads; at most 1024 x 1024 x 64 are possible, and 1024 in all, so make \
                 {} smaller and dispatch more groups",
                match language {
                    Language::Hlsl => "`numthreads`",
                    Language::Glsl => "`local_size`",
                    Language::Wgsl | Language::Spirv => "`LocalSize`",
                }
            ),
            Self::GroupMemoryTooLarge { bytes, most } => format!(
                "the {} variables have {bytes} bytes; a group shares at most {most}, so make them smaller, or use a \
                 buffer",
                match language {
                    Language::Hlsl => "`groupshared`",
                    Language::Glsl => "`shared`",
                    Language::Wgsl | Language::Spirv => "`Workgroup`",
                }
            ),
            Self::LocationOutOfRange { what, name, location, locations } => format!(
                "{what}{} is at {}; the last one is {}, so give it another one",
                if name.is_empty() { String::new() } else { format!(" `{name}`") },
                language.location(*location),
                locations - 1
            ),
            other => other.to_string(),
        }
    }
}

fn override_words(language: Language, name: &str) -> String {
    let what = match language {
        Language::Spirv => "the specialization constant",
        Language::Glsl => "the constant with `constant_id`",
        Language::Hlsl | Language::Wgsl => "the pipeline constant",
    };
    format!("{what} `{name}` cannot be set: use a constant, or a constant buffer")
}

/// The kind of a resource, which [`ShaderError`] names in WGSL's terms.
fn kind_words(language: Language, kind: &'static str) -> &'static str {
    match (language, kind) {
        (Language::Glsl, "a uniform buffer") => "a `uniform` block",
        (Language::Glsl, "a read-only storage buffer") => "a `readonly buffer` block",
        (Language::Glsl, "a storage buffer that can be written") => "a `buffer` block that can be written",
        (Language::Glsl, "a storage texture") => "an image",
        (Language::Spirv, "a storage texture") => "a storage image",
        (Language::Hlsl, "a uniform buffer") => "a constant buffer",
        (Language::Hlsl, "a read-only storage buffer") => "a buffer",
        (Language::Hlsl, "a storage buffer that can be written") => "a buffer that can be written",
        (Language::Hlsl, "a storage texture") => "a texture that can be written",
        _ => kind,
    }
}
