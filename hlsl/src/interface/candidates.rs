//! Functions that look like entry points, and the stages that they look like.
//!
//! HLSL does not mark entry points, so the stage is guessed from attributes and system values. Messages
//! suggest these functions if the requested entry point does not exist, or if it is compiled for a stage that
//! it does not look like.

use crate::{
    check::tree::{Direction, Function, Program, Semantic, Type},
    session::profile::ShaderStage,
};

/// Maximum number of candidates in a message, because more names would obscure the message.
const MOST: usize = 8;

const ATTRIBUTES: [(&str, ShaderStage); 5] = [
    ("numthreads", ShaderStage::Compute),
    ("maxvertexcount", ShaderStage::Geometry),
    ("patchconstantfunc", ShaderStage::Hull),
    ("outputcontrolpoints", ShaderStage::Hull),
    ("domain", ShaderStage::Domain),
];

const INPUTS: [(&str, ShaderStage); 12] = [
    ("SV_VertexID", ShaderStage::Vertex),
    ("SV_OutputControlPointID", ShaderStage::Hull),
    ("SV_DomainLocation", ShaderStage::Domain),
    ("SV_GSInstanceID", ShaderStage::Geometry),
    ("SV_IsFrontFace", ShaderStage::Pixel),
    ("SV_SampleIndex", ShaderStage::Pixel),
    ("SV_Coverage", ShaderStage::Pixel),
    ("SV_InnerCoverage", ShaderStage::Pixel),
    ("SV_DispatchThreadID", ShaderStage::Compute),
    ("SV_GroupID", ShaderStage::Compute),
    ("SV_GroupThreadID", ShaderStage::Compute),
    ("SV_GroupIndex", ShaderStage::Compute),
];

/// System values that only one stage writes, for the stages that `ATTRIBUTES` does not identify.
const OUTPUTS: [(&str, ShaderStage); 7] = [
    ("SV_Position", ShaderStage::Vertex),
    ("SV_Target", ShaderStage::Pixel),
    ("SV_Depth", ShaderStage::Pixel),
    ("SV_DepthGreaterEqual", ShaderStage::Pixel),
    ("SV_DepthLessEqual", ShaderStage::Pixel),
    ("SV_StencilRef", ShaderStage::Pixel),
    ("SV_Coverage", ShaderStage::Pixel),
];

/// Returns the stage that a function looks like, or `None` if it lacks an attribute or semantic that is
/// specific to a stage.
pub(crate) fn likely_stage(program: &Program, function: &Function) -> Option<ShaderStage> {
    let by_attribute = ATTRIBUTES.iter().find(|(name, _)| function.attribute(name).is_some());
    if let Some((_, stage)) = by_attribute {
        return Some(*stage);
    }
    let mut semantics = Vec::new();
    collect(program, function, &mut semantics);
    let stage_of = |(semantic, is_output): &(&Semantic, bool)| {
        let table: &[_] = if *is_output { &OUTPUTS } else { &INPUTS };
        table.iter().find(|(name, _)| semantic.name.eq_ignore_ascii_case(name)).map(|(_, stage)| *stage)
    };
    semantics.iter().find_map(stage_of)
}

/// Lists the functions that look like entry points, for example
/// `'vs_main' (vertex shader) and 'ps_main' (pixel shader)`, or returns `None` if there are none.
pub(crate) fn describe(program: &Program) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for function in &program.functions {
        if function.object.is_some() || function.body.is_none() {
            continue;
        }
        if let Some(stage) = likely_stage(program, function) {
            let name = format!("'{}' ({})", function.name, stage.name());
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let others = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    if others > 0 {
        names.push(format!("{others} more"));
    }
    let (last, first) = names.split_last()?;
    Some(if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) })
}

/// Collects the semantics of a function's result and parameters, with a flag that is true for outputs.
fn collect<'a>(program: &'a Program, function: &'a Function, found: &mut Vec<(&'a Semantic, bool)>) {
    let mut add = |ty: &'a Type, semantic: Option<&'a Semantic>, is_output: bool| match semantic {
        Some(semantic) => found.push((semantic, is_output)),
        None => collect_fields(program, ty, is_output, found),
    };
    add(&function.result, function.result_semantic.as_ref(), true);
    for parameter in &function.parameters {
        let ty = &function.local(parameter.local).ty;
        let is_output = parameter.direction == Direction::Out;
        add(ty, parameter.semantic.as_ref(), is_output);
    }
}

fn collect_fields<'a>(
    program: &'a Program,
    ty: &'a Type,
    is_output: bool,
    found: &mut Vec<(&'a Semantic, bool)>,
) {
    match ty {
        Type::Struct(id) => {
            for field in &program[*id].fields {
                match &field.semantic {
                    Some(semantic) => found.push((semantic, is_output)),
                    None => collect_fields(program, &field.ty, is_output, found),
                }
            }
        }
        Type::Array(array) => collect_fields(program, &array.element, is_output, found),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

    use crate::{CompileOptions, Diagnostics, ShaderStage, compile};

    fn refused(text: &str, entry: &str, profile: &str) -> Diagnostics {
        compile(text, "a.hlsl", entry, profile.parse().unwrap(), &CompileOptions::default()).unwrap_err()
    }

    const ALL: &str = "
        struct Corner { float4 position : SV_Position; float2 uv : TEXCOORD0; };
        float helper(float a) { return a * 2; }
        Corner vs(float3 p : POSITION) { Corner c; c.position = float4(p, helper(1)); c.uv = 0; return c; }
        void vs_id(uint id : SV_VertexID, out float4 position : SV_Position) { position = id; }
        float4 ps(Corner c) : SV_Target { return float4(c.uv, 0, 1); }
        void ps_depth(Corner c, out float depth : SV_Depth) { depth = 0; }
        float4 ps_face(bool f : SV_IsFrontFace) : COLOR { return f; }
        [numthreads(1, 1, 1)] void cs() {}
        float4 unclear(float4 a : TEXCOORD0) : TEXCOORD1 { return a; }";

    #[test]
    fn a_missing_entry_point_lists_those_that_exist() {
        let text = refused(ALL, "main", "ps_5_0").to_string();
        let list = "'main': entrypoint not found; the program has 'vs' (vertex shader), 'vs_id' (vertex shader), 'ps' \
                    (pixel shader), 'ps_depth' (pixel shader), 'ps_face' (pixel shader) and 'cs' (compute shader)";
        assert!(text.contains(list), "{text}");
        let text = refused("float helper() { return 1; }", "main", "ps_5_0").to_string();
        assert!(
            text.contains("'main': entrypoint not found\n") || text.ends_with("entrypoint not found"),
            "{text}"
        );
    }

    #[test]
    fn a_long_list_of_entry_points_is_cut() {
        let text: String =
            (0..20).map(|i| format!("float4 ps{i}() : SV_Target {{ return {i}; }}\n")).collect();
        let text = refused(&text, "main", "ps_5_0").to_string();
        assert!(text.contains("'ps7' (pixel shader) and 12 more"), "{text}");
    }

    #[test]
    fn a_function_of_another_stage_gets_a_note() {
        for (entry, profile, likely) in [
            ("ps", "vs_5_0", Some(ShaderStage::Pixel)),
            ("ps_depth", "vs_5_0", Some(ShaderStage::Pixel)),
            ("vs", "ps_5_0", Some(ShaderStage::Vertex)),
            ("vs", "cs_5_0", Some(ShaderStage::Vertex)),
            ("unclear", "cs_5_0", None),
        ] {
            let diagnostics = refused(ALL, entry, profile);
            assert_eq!(diagnostics.likely_stage(), likely, "{entry} {profile}");
            let note = likely.map(|stage| format!("note: '{entry}' looks like a {}", stage.name()));
            let text = diagnostics.to_string();
            assert_eq!(text.contains("looks like"), likely.is_some(), "{text}");
            assert!(note.is_none_or(|note| text.contains(&note)), "{text}");
        }
        let text = "float4 main() : SV_Target { return undeclared; }";
        assert_eq!(refused(text, "main", "ps_5_0").likely_stage(), None);
    }
}
