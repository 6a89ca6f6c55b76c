//! Recognition of programs that were passed to the `ShaderSource` constructor of another language.
//!
//! For such a program, the compiler only reports that it cannot be parsed. After a failure, this file
//! identifies the program's language by its words or magic number, so that the error can name the right
//! constructor.

use super::{ShaderError, ShaderSource};

/// A shading language or a format of compiled shaders that can be recognised.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ProgramKind {
    Wgsl,
    Hlsl,
    Glsl,
    Spirv,
    /// Bytecode of Shader Model 5, which FXC compiles.
    Dxbc,
    /// Bytecode of Shader Model 6, which DXC compiles.
    Dxil,
    /// A shader that `onze-hlsl` has compiled and stored.
    Stored,
}

impl ProgramKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "WGSL",
            Self::Hlsl => "HLSL",
            Self::Glsl => "GLSL",
            Self::Spirv => "SPIR-V",
            Self::Dxbc => "DXBC, the bytecode of FXC",
            Self::Dxil => "DXIL, the bytecode of DXC",
            Self::Stored => "a stored shader of `onze-hlsl`",
        }
    }

    /// Returns advice that names the constructor for programs of this kind.
    fn cure(self) -> String {
        let with = |constructor: &str, feature: &str, is_on: bool| {
            if is_on {
                format!("use `ShaderSource::{constructor}`")
            } else {
                format!("use `ShaderSource::{constructor}`, with the feature `{feature}` of the crate `onze`")
            }
        };
        match self {
            Self::Wgsl => "use `ShaderSource::wgsl`".to_owned(),
            Self::Hlsl => with("hlsl", "hlsl", cfg!(feature = "hlsl")),
            Self::Glsl => with("glsl", "glsl", cfg!(feature = "glsl")),
            Self::Spirv => with("spirv", "spirv", cfg!(feature = "spirv")),
            Self::Stored => with("compiled", "hlsl-compiled", cfg!(feature = "hlsl-compiled")),
            Self::Dxbc | Self::Dxil => {
                format!("give the source in HLSL: {}", with("hlsl", "hlsl", cfg!(feature = "hlsl")))
            }
        }
    }
}

/// Words that only HLSL has, so any of them identifies HLSL.
const HLSL: [&str; 35] = [
    "cbuffer",
    "tbuffer",
    "float2",
    "float3",
    "float4",
    "float4x4",
    "float3x3",
    "uint2",
    "uint3",
    "uint4",
    "Texture2D",
    "Texture2DArray",
    "Texture3D",
    "TextureCube",
    "RWTexture2D",
    "SamplerState",
    "SamplerComparisonState",
    "SV_Target",
    "SV_Target0",
    "SV_Position",
    "SV_POSITION",
    "SV_TARGET",
    "SV_Depth",
    "SV_VertexID",
    "SV_InstanceID",
    "SV_DispatchThreadID",
    "SV_GroupID",
    "SV_GroupIndex",
    "StructuredBuffer",
    "RWStructuredBuffer",
    "ByteAddressBuffer",
    "RWByteAddressBuffer",
    "groupshared",
    "numthreads",
    "register",
];

/// Words that identify GLSL in a text that contains no word of [`HLSL`].
const GLSL: [&str; 9] = [
    "gl_Position",
    "gl_FragColor",
    "gl_FragCoord",
    "gl_VertexIndex",
    "gl_VertexID",
    "gl_GlobalInvocationID",
    "layout",
    "varying",
    "precision",
];

/// A type of both GLSL and HLSL, which identifies GLSL only where HLSL is not expected.
const GLSL_OR_HLSL: &str = "sampler2D";

/// Attributes that only WGSL has, so any of them identifies WGSL.
const WGSL: [&str; 4] = ["@vertex", "@fragment", "@compute", "@group("];

/// A keyword of WGSL that does not identify WGSL by itself, although where WGSL is expected, a text with this
/// word is treated as WGSL.
const WGSL_KEYWORD: &str = "fn";

/// Finds the language of a text and the word that identifies it, or returns `None` if no word identifies a
/// language other than `expected`.
fn of_text(text: &str, expected: ProgramKind) -> Option<(ProgramKind, &'static str)> {
    let code = without_comments(text);
    let is_word_part = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    let words: Vec<&str> = code.split(|c| !is_word_part(c)).collect();
    let sign = |signs: &'static [&'static str]| signs.iter().copied().find(|sign| words.contains(sign));
    let found = if let Some(attribute) = WGSL.iter().find(|attribute| code.contains(**attribute)) {
        Some((ProgramKind::Wgsl, attribute.trim_end_matches('(')))
    } else if words.contains(&"#version") {
        Some((ProgramKind::Glsl, "#version"))
    } else if let Some(word) = sign(&HLSL) {
        Some((ProgramKind::Hlsl, word))
    } else if let Some(word) = sign(&GLSL) {
        Some((ProgramKind::Glsl, word))
    } else if expected != ProgramKind::Hlsl && words.contains(&GLSL_OR_HLSL) {
        Some((ProgramKind::Glsl, GLSL_OR_HLSL))
    } else {
        None
    };
    let is_expected = expected == ProgramKind::Wgsl && words.contains(&WGSL_KEYWORD);
    found.filter(|(kind, _)| *kind != expected && !is_expected)
}

/// Finds the kind of a binary program by its magic number.
fn of_bytes(bytes: &[u8]) -> Option<ProgramKind> {
    match bytes {
        [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => Some(ProgramKind::Spirv),
        // LLVM bitcode outside a container.
        [b'B', b'C', 0xc0, 0xde, ..] => Some(ProgramKind::Dxil),
        _ if bytes.starts_with(b"DXBC") => {
            let is_dxil = parts(bytes).any(|part| part == b"DXIL");
            Some(if is_dxil { ProgramKind::Dxil } else { ProgramKind::Dxbc })
        }
        _ if bytes.starts_with(b"onzehlsl") => Some(ProgramKind::Stored),
        _ => None,
    }
}

/// Returns the names of the parts in a DXBC container.
fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize);
    // A 16-byte hash, the version and the size follow the magic number.
    let count = number(28).unwrap_or(0).min(64);
    (0..count).filter_map(move |part| bytes.get(number(32 + 4 * part)?..)?.get(..4))
}

/// Creates the error for a program in a language other than `expected`, which is the language of
/// `constructor`. Returns `None` if the program is in the expected language or its language cannot be
/// identified.
pub(super) fn foreign(
    program: &[u8],
    expected: ProgramKind,
    constructor: &'static str,
) -> Option<ShaderError> {
    let (found, word) = match of_bytes(program) {
        Some(found) if found == expected => return None,
        Some(found) => (found, None),
        None => {
            let (found, word) = of_text(std::str::from_utf8(program).ok()?, expected)?;
            (found, Some(word))
        }
    };
    Some(refusal(found, word, constructor))
}

fn refusal(found: ProgramKind, word: Option<&str>, constructor: &'static str) -> ShaderError {
    let sign = word.map(|word| format!(" (`{word}`)")).unwrap_or_default();
    ShaderError::ForeignLanguage { found: format!("{}{sign}", found.name()), constructor, cure: found.cure() }
}

impl ShaderSource<'_> {
    /// Returns the name of the constructor of this source, for messages.
    pub(super) const fn constructor(self) -> &'static str {
        match self {
            Self::Wgsl { .. } => "ShaderSource::wgsl",
            Self::WgslGeometry { .. } => "ShaderSource::wgsl_geometry",
            Self::WgslHull { .. } => "ShaderSource::wgsl_hull",
            Self::WgslDomain { .. } => "ShaderSource::wgsl_domain",
            Self::Naga { .. } => "ShaderSource::naga",
            #[cfg(feature = "hlsl")]
            Self::Hlsl { .. } => "ShaderSource::hlsl",
            #[cfg(feature = "hlsl")]
            Self::HlslFile { .. } => "ShaderSource::hlsl_file",
            #[cfg(feature = "hlsl-compiled")]
            Self::Compiled { .. } => "ShaderSource::compiled",
            #[cfg(feature = "spirv")]
            Self::Spirv { .. } => "ShaderSource::spirv",
            #[cfg(feature = "glsl")]
            Self::Glsl { .. } => "ShaderSource::glsl",
        }
    }

    /// Creates the error that names the program's language, if the constructor is for another language.
    pub(super) fn foreign_language(self) -> Option<ShaderError> {
        let constructor = self.constructor();
        match self {
            Self::Wgsl { text, .. }
            | Self::WgslGeometry { text, .. }
            | Self::WgslHull { text, .. }
            | Self::WgslDomain { text, .. } => foreign(text.as_bytes(), ProgramKind::Wgsl, constructor),
            Self::Naga { .. } => None,
            #[cfg(feature = "hlsl")]
            Self::Hlsl { text, .. } => foreign(text.as_bytes(), ProgramKind::Hlsl, constructor),
            #[cfg(feature = "hlsl")]
            Self::HlslFile { path, .. } => {
                foreign(&std::fs::read(path).ok()?, ProgramKind::Hlsl, constructor)
            }
            #[cfg(feature = "hlsl-compiled")]
            Self::Compiled { bytes } => foreign(bytes, ProgramKind::Stored, constructor),
            #[cfg(feature = "spirv")]
            Self::Spirv { bytes, .. } => foreign(bytes, ProgramKind::Spirv, constructor),
            #[cfg(feature = "glsl")]
            Self::Glsl { text } => foreign(text.as_bytes(), ProgramKind::Glsl, constructor),
        }
    }
}

/// Returns WGSL's name for a type of HLSL or GLSL.
pub(super) fn wgsl_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "float" => "f32",
        "int" => "i32",
        "uint" => "u32",
        "float2" | "vec2" => "vec2f",
        "float3" | "vec3" => "vec3f",
        "float4" | "vec4" => "vec4f",
        "float3x3" | "mat3" => "mat3x3f",
        "float4x4" | "mat4" => "mat4x4f",
        "Texture2D" | "sampler2D" => "texture_2d<f32>",
        "SamplerState" => "sampler",
        _ => return None,
    })
}

/// Removes `//` and `/* */` comments, which all three languages share.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('/') {
        let (before, from) = rest.split_at(start);
        code.push_str(before);
        let end = if from.starts_with("//") {
            from.find('\n')
        } else if from.starts_with("/*") {
            from.find("*/").map(|end| end + 2)
        } else {
            code.push('/');
            Some(1)
        };
        match end {
            Some(end) => rest = &from[end..],
            None => return code,
        }
    }
    code + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hlsl_and_glsl_are_recognised_and_wgsl_is_neither() {
        for (text, expected) in [
            ("cbuffer A : register(b0) { float4 c; };", Some("HLSL")),
            ("float4 main() : SV_Target { return 0; }", Some("HLSL")),
            ("Texture2D t : register(t0);", Some("HLSL")),
            ("#version 450\nvoid main() {}", Some("GLSL")),
            ("#version 450\n#define float4 vec4\nvoid main() {}", Some("GLSL")),
            ("layout(location = 0) out vec4 color;", Some("GLSL")),
            ("void main() { gl_Position = vec4(0.0); }", Some("GLSL")),
            ("uniform sampler2D picture;", Some("GLSL")),
            ("@fragment fn m() -> @location(0) float4 { }", None),
            ("// a cbuffer, /* float4 */\nfn m( {}", None),
            ("/* #version 450 */ fn m( {}", None),
            ("fn float4s() {", None),
            ("", None),
            ("/", None),
            ("/* float4", None),
        ] {
            let found = of_text(text, ProgramKind::Wgsl).map(|(kind, _)| kind.name());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_program_of_the_expected_language_is_not_foreign() {
        use ProgramKind::{Glsl, Hlsl, Wgsl};
        for (text, is) in [
            ("sampler2D picture; float4 main() : COLOR { return tex2D(picture, 0); }", Hlsl),
            ("sampler2D picture; half main() { return 0 }", Hlsl),
            ("float4 layout() : SV_Target { return varying }", Hlsl),
            ("#version 450\nuniform sampler2D picture; void main() { float4 a; }", Glsl),
            ("@compute @workgroup_size(1) fn main() { let cbuffer = float4(); }", Wgsl),
            ("fn half(varying: f32) -> f32 { let precision = float4(); }", Wgsl),
        ] {
            for expected in [Glsl, Hlsl, Wgsl] {
                let found = of_text(text, expected).map(|(kind, _)| kind);
                assert!(expected != is || found.is_none(), "{text}: {found:?}");
            }
        }
    }

    /// A DXBC container with one part.
    fn container(part: &[u8; 4]) -> Vec<u8> {
        let mut bytes = b"DXBC".to_vec();
        bytes.extend([0; 24]);
        bytes.extend([1, 0, 0, 0, 36, 0, 0, 0]);
        bytes.extend(part);
        bytes
    }

    #[test]
    fn binary_programs_are_recognised_by_their_first_bytes() {
        for (bytes, expected) in [
            (&[3, 2, 0x23, 7, 0, 0, 1, 0][..], Some(ProgramKind::Spirv)),
            (&[7, 0x23, 2, 3], Some(ProgramKind::Spirv)),
            (&container(b"SHEX"), Some(ProgramKind::Dxbc)),
            (&container(b"DXIL"), Some(ProgramKind::Dxil)),
            (b"DXBC", Some(ProgramKind::Dxbc)),
            (b"DXBC and no more of it, but with a number of parts that is", Some(ProgramKind::Dxbc)),
            (b"BC\xc0\xde", Some(ProgramKind::Dxil)),
            (b"onzehlsl", Some(ProgramKind::Stored)),
            (b"float4 main()", None),
            (b"", None),
        ] {
            assert_eq!(of_bytes(bytes), expected, "{bytes:?}");
        }
    }
}
