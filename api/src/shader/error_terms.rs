//! Messages of a [`ShaderError`] in the terms of the shader's language.
//!
//! `Display` uses the terms of WGSL, and also formats the variants whose messages are the same in all
//! languages.

use super::{ShaderError, terms::SourceLanguage};

impl ShaderError {
    /// Formats the error in the terms of the shader's language.
    pub(crate) fn message(&self, language: SourceLanguage) -> String {
        if language == SourceLanguage::Wgsl {
            return self.to_string();
        }
        match self {
            Self::EntryPointNotFound { entry_point, available } if available.is_empty() => {
                format!("the source has no entry point `{entry_point}`, or any other")
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
                "`{variable}` is in {}, which is for the counters of the u registers; declare the counter of u{slot} as a \
                 buffer of one unsigned integer that atomic functions change, or use another {}",
                language.group(4),
                if language == SourceLanguage::Spirv { "DescriptorSet" } else { "set" }
            ),
            Self::UnorderedAccess { variable, kind } => format!(
                "`{variable}` is {}, which needs an unordered-access view (the u registers{}); pixel and compute shaders \
                 have them",
                kind_words(language, kind),
                if language == SourceLanguage::Hlsl {
                    String::new()
                } else {
                    format!(", {}", language.group(3))
                }
            ),
            Self::Offset1d { variable } => format!(
                "`{variable}` is a 1D texture, which cannot be sampled at an offset; add the offset to the \
                 coordinate"
            ),
            Self::UnsupportedResource { variable, kind } => {
                format!("`{variable}` is {}, which Direct3D 11 does not have", kind_words(language, kind))
            }
            Self::GroupTooLarge { x, y, z } => format!(
                "a group has {x} x {y} x {z} threads; the limits are 1024 x 1024 x 64, and 1024 in total, so make \
                 {} smaller and dispatch more groups",
                match language {
                    SourceLanguage::Hlsl => "`numthreads`",
                    SourceLanguage::Glsl => "`local_size`",
                    SourceLanguage::Wgsl | SourceLanguage::Spirv => "`LocalSize`",
                }
            ),
            Self::GroupMemoryTooLarge { bytes, most } => format!(
                "the {} variables take {bytes} bytes; a group can share at most {most}, so make them smaller, or use a \
                 buffer",
                match language {
                    SourceLanguage::Hlsl => "`groupshared`",
                    SourceLanguage::Glsl => "`shared`",
                    SourceLanguage::Wgsl | SourceLanguage::Spirv => "`Workgroup`",
                }
            ),
            Self::LocationOutOfRange { what, name, location, locations } => format!(
                "{what}{} is at {}; the last location is {}, so choose a lower one",
                if name.is_empty() { String::new() } else { format!(" `{name}`") },
                language.location(*location),
                locations - 1
            ),
            other => other.to_string(),
        }
    }
}

fn override_words(language: SourceLanguage, name: &str) -> String {
    let what = match language {
        SourceLanguage::Spirv => "the specialization constant",
        SourceLanguage::Glsl => "the constant with `constant_id`",
        SourceLanguage::Hlsl | SourceLanguage::Wgsl => "the pipeline constant",
    };
    format!("{what} `{name}` cannot be set: use a constant, or a constant buffer")
}

/// Translates a kind of resource from WGSL's terms, in which [`ShaderError`] stores kinds.
fn kind_words(language: SourceLanguage, kind: &'static str) -> &'static str {
    match (language, kind) {
        (SourceLanguage::Glsl, "a uniform buffer") => "a `uniform` block",
        (SourceLanguage::Glsl, "a read-only storage buffer") => "a `readonly buffer` block",
        (SourceLanguage::Glsl, "a storage buffer that can be written") => {
            "a `buffer` block that can be written"
        }
        (SourceLanguage::Glsl, "a storage texture") => "an image",
        (SourceLanguage::Spirv, "a storage texture") => "a storage image",
        (SourceLanguage::Hlsl, "a uniform buffer") => "a constant buffer",
        (SourceLanguage::Hlsl, "a read-only storage buffer") => "a buffer",
        (SourceLanguage::Hlsl, "a storage buffer that can be written") => "a buffer that can be written",
        (SourceLanguage::Hlsl, "a storage texture") => "a texture that can be written",
        _ => kind,
    }
}
