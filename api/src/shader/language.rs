//! Recognises HLSL and GLSL where WGSL is expected, for a parser says of them only that they are not WGSL.

/// What gives a language away: HLSL first, whose words are rarer in other languages.
const SIGNS: [(&str, &[&str]); 2] = [
    (
        "HLSL",
        &[
            "cbuffer",
            "tbuffer",
            "float2",
            "float3",
            "float4",
            "float4x4",
            "float3x3",
            "Texture2D",
            "SamplerState",
            "SV_Target",
            "SV_Target0",
            "SV_Position",
            "SV_POSITION",
            "SV_TARGET",
            "SV_VertexID",
            "SV_DispatchThreadID",
            "StructuredBuffer",
            "RWStructuredBuffer",
            "numthreads",
            "register",
        ],
    ),
    ("GLSL", &["#version", "gl_Position", "gl_FragColor", "sampler2D", "layout", "varying", "precision"]),
];

/// WGSL's attributes of entry points, which no other language has.
const ENTRY_POINTS: [&str; 3] = ["@vertex", "@fragment", "@compute"];

/// A foreign language, and the word that gives it away. `None` for what is WGSL, with or without mistakes.
pub(super) fn foreign(text: &str) -> Option<(&'static str, &'static str)> {
    let code = without_comments(text);
    if ENTRY_POINTS.iter().any(|attribute| code.contains(attribute)) {
        return None;
    }
    let is_word_part = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    let words: Vec<&str> = code.split(|c| !is_word_part(c)).collect();
    let sign = |signs: &'static [&str]| signs.iter().copied().find(|sign| words.contains(sign));
    SIGNS.iter().find_map(|(language, signs)| Some((*language, sign(signs)?)))
}

/// WGSL's name for a type of HLSL or GLSL that stands in a program of WGSL.
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

/// The text without `//` and `/* */`, of which all three languages have the same.
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
    fn hlsl_and_glsl_are_told_apart_and_wgsl_is_neither() {
        for (text, expected) in [
            ("cbuffer A : register(b0) { float4 c; };", Some("HLSL")),
            ("float4 main() : SV_Target { return 0; }", Some("HLSL")),
            ("Texture2D t : register(t0);", Some("HLSL")),
            ("#version 450\nvoid main() {}", Some("GLSL")),
            ("layout(location = 0) out vec4 color;", Some("GLSL")),
            ("void main() { gl_Position = vec4(0.0); }", Some("GLSL")),
            ("@fragment fn m() -> @location(0) float4 { }", None),
            ("// a cbuffer, /* float4 */\nfn m( {}", None),
            ("/* #version 450 */ fn m( {}", None),
            ("fn float4s() {", None),
            ("", None),
            ("/", None),
            ("/* float4", None),
        ] {
            assert_eq!(foreign(text).map(|(language, _)| language), expected, "{text}");
        }
    }
}
