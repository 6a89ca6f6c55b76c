//! Checks statements in the book's chapter about HLSL and in CONFORMANCE.md, each with a program.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends with a panic")]

use std::{fs, path::Path};

use onze_hlsl::{
    CompileOptions, Compiled, Diagnostics, Profile, compile,
    reflection::{ResourceKind, VariableClass},
};

fn document(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).unwrap()
}

/// Returns the text between a second-level heading and the next one.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("{heading}"));
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}

fn code_spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn compiled(text: &str, profile: &str) -> Result<Compiled, Diagnostics> {
    compile(text, "book.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default())
}

#[test]
fn the_table_maps_registers_to_slots_of_the_setters() {
    let page = document("docs/book/src/hlsl.md");
    let rows: Vec<_> = section(&page, "Registers")
        .lines()
        .filter(|line| line.starts_with("| `") || line.starts_with("| var"))
        .collect();
    assert_eq!(rows.len(), 5);
    for row in rows {
        let [left, right] = row.trim_matches('|').split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        if left.contains("variables outside") {
            let text = "float4 tint; cbuffer Frame : register(b0) { float4 a; };
                float4 main() : SV_Target { return tint * a; }";
            let reflection = compiled(text, "ps_5_0").unwrap().reflection;
            let globals = reflection.resources.iter().find(|resource| resource.name == "$Globals").unwrap();
            assert_eq!(globals.slot, 1, "{row}");
            continue;
        }
        let setter = code_spans(right)[0];
        let (name, arguments) = setter.split_once('(').unwrap();
        let slot: u32 = arguments.split(',').next().unwrap().parse().unwrap();
        for declaration in code_spans(left) {
            let body = if declaration.starts_with("cbuffer") { " { float4 tint; }" } else { "" };
            let variable = declaration.split(" : ").next().unwrap().rsplit(' ').next().unwrap();
            let used = match declaration.split(['<', ' ']).next().unwrap() {
                "cbuffer" => "seen[0] = tint".to_owned(),
                "Texture2D" => format!("seen[0] = {variable}.Load(0)"),
                "StructuredBuffer" => format!("seen[0] = {variable}[0].color"),
                "SamplerState" => format!("seen[0] = other.SampleLevel({variable}, 0, 0)"),
                "RWStructuredBuffer" => format!("seen[0] = {variable}[0]"),
                "AppendStructuredBuffer" => format!("{variable}.Append(1)"),
                other => panic!("{other}"),
            };
            let text = format!(
                "struct Light {{ float4 color; }}; Texture2D other : register(t9); {declaration}{body};
                RWBuffer<float4> seen : register(u6);
                [numthreads(1, 1, 1)] void main() {{ {used}; }}"
            );
            let reflection =
                compiled(&text, "cs_5_0").unwrap_or_else(|errors| panic!("{text}: {errors}")).reflection;
            let resource = reflection.resources.iter().find(|resource| resource.name == variable).unwrap();
            assert_eq!(resource.slot, slot, "{declaration}");
            let expected = match resource.kind {
                ResourceKind::ConstantBuffer => "set_constant_buffers",
                ResourceKind::Sampler => "set_samplers",
                ResourceKind::Texture | ResourceKind::Structured => "set_shader_resources",
                _ => "set_unordered_access_views",
            };
            assert_eq!(&name[3..], expected, "{declaration}");
        }
    }
}

#[test]
fn offsets_in_the_book_match_the_reflection() {
    let page = document("docs/book/src/hlsl.md");
    let (_, rest) = section(&page, "Constant buffers").split_once("```hlsl\n").unwrap();
    let (code, _) = rest.split_once("```").unwrap();
    let text = format!(
        "{code} float4 main() : SV_Target {{ return View[0] + Eye.x + Time + Size.x + Sun.x + Weights[0]; }}"
    );
    let reflection = compiled(&text, "ps_5_0").unwrap().reflection;
    let frame = reflection.constant_buffer("Frame").unwrap();
    let mut count = 0;
    for line in code.lines() {
        let Some((declaration, comment)) = line.split_once("; //").or_else(|| line.split_once("//")) else {
            continue;
        };
        let declared = declaration.trim().trim_end_matches(';').split_whitespace().nth(1).unwrap();
        let name = declared.split('[').next().unwrap();
        let offset: u32 =
            comment.trim().split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
        assert_eq!(frame.variable(name).unwrap().offset, offset, "{line}");
        count += 1;
    }
    assert_eq!(count, 6);
}

/// Programs that the book lists as unsupported, each with the beginning of a bullet in the book, its profile,
/// and a part of the message.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "`SV_StencilRef`",
        "float4 main(out uint d : SV_StencilRef) : SV_Target { d = 1; return 0; }",
        "ps_5_0",
        "SV_StencilRef",
    ),
    (
        "`SV_StencilRef`",
        "float4 main(uint d : SV_InnerCoverage) : SV_Target { return d; }",
        "ps_5_0",
        "SV_InnerCoverage",
    ),
    (
        "`double`",
        "uint2 a; float4 main() : SV_Target { return (float) asdouble(a.x, a.y); }",
        "ps_5_0",
        "asdouble",
    ),
    (
        "Atomic functions",
        "RWTexture2D<uint> t : register(u1); float4 main() : SV_Target { uint v; InterlockedExchange(t[uint2(0, 0)], 1, v); return v; }",
        "ps_5_0",
        "",
    ),
    (
        "`EvaluateAttributeAtSample`",
        "float4 main(float4 a : A) : SV_Target { float4 b = a; return EvaluateAttributeAtSample(b, 0); }",
        "ps_5_0",
        "EvaluateAttributeAtSample",
    ),
    (
        "Objects as interfaces",
        "interface I { float f(); }; class C : I { float f() { return 1; } }; I i; float4 main() : SV_Target { return i.f(); }",
        "ps_5_0",
        "interface",
    ),
];

#[test]
fn each_bullet_about_unsupported_features_has_an_error() {
    let page = document("docs/book/src/hlsl.md");
    let refused = section(&page, "What is refused");
    let (refused, _) = refused.split_once("These features work with differences").unwrap();
    // These bullets have no row: Direct3D 9 sources cause ordinary FXC errors, effect profiles are refused
    // before the source is read, and bytecode is not source code.
    let beside = ["Features of Shader Models 1 to 3", "Effects", "DXBC"];
    for bullet in refused.lines().filter_map(|line| line.strip_prefix("* ")) {
        let has_row = REFUSED.iter().map(|row| row.0).chain(beside).any(|start| bullet.starts_with(start));
        assert!(has_row, "no program shows: {bullet}");
    }
    for (bullet, text, profile, name) in REFUSED {
        assert!(refused.contains(&format!("* {bullet}")), "{bullet} is not a bullet");
        let errors = compiled(text, profile).expect_err(text);
        let first = errors.errors().next().unwrap();
        assert_eq!(first.code.number(), 9004, "{text}: {errors}");
        assert!(first.message.contains(name), "{text}: {errors}");
    }
    for value in code_spans(refused).into_iter().filter(|span| span.starts_with("SV_")) {
        let is_shown = REFUSED.iter().any(|(_, text, ..)| text.contains(value));
        assert!(is_shown, "no program shows that {value} is refused");
    }
    for name in ["fx_5_0", "fx_4_0"] {
        assert!(name.parse::<Profile>().is_err(), "{name}");
    }
}

#[test]
fn each_system_value_of_the_book_compiles() {
    let page = document("docs/book/src/hlsl.md");
    let (_, list) =
        section(&page, "Semantics").split_once("Onze supports these system values of Direct3D 11:").unwrap();
    let listed = code_spans(list.split_once('.').unwrap().0);
    let pixel_input = "float4 main(@ v : VALUE) : SV_Target { return v.x; }";
    let compute_input = "RWBuffer<float> r; [numthreads(1, 1, 1)] void main(@ v : VALUE) { r[0] = v.x; }";
    let geometry_input = "struct V { float4 p : SV_Position; };
        [maxvertexcount(1)] void main(point V input[1], uint v : VALUE, inout PointStream<V> s) {
            V result; result.p = v; s.Append(result);
        }";
    let hull = "struct V { float4 p : P; }; struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
        C constants() { return (C)0; }
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
        [patchconstantfunc(\"constants\")] V main(InputPatch<V, 3> p, uint v : VALUE) { return p[v]; }";
    let domain_input = "[domain(\"tri\")] float4 main(@ : VALUE) : SV_Position { return v[0]; }";
    let programs = [
        ("SV_Position", "ps_5_0", pixel_input.replace('@', "float4")),
        ("SV_VertexID", "vs_5_0", "float4 main(uint v : VALUE) : SV_Position { return v; }".into()),
        ("SV_InstanceID", "vs_5_0", "float4 main(uint v : VALUE) : SV_Position { return v; }".into()),
        ("SV_IsFrontFace", "ps_5_0", pixel_input.replace('@', "bool")),
        ("SV_PrimitiveID", "ps_5_0", pixel_input.replace('@', "uint")),
        ("SV_GSInstanceID", "gs_5_0", geometry_input.into()),
        ("SV_RenderTargetArrayIndex", "ps_5_0", pixel_input.replace('@', "uint")),
        ("SV_ViewportArrayIndex", "ps_5_0", pixel_input.replace('@', "uint")),
        ("SV_SampleIndex", "ps_5_0", pixel_input.replace('@', "uint")),
        ("SV_Coverage", "ps_5_0", pixel_input.replace('@', "uint")),
        ("SV_ClipDistance", "ps_5_0", pixel_input.replace('@', "float")),
        ("SV_CullDistance", "ps_5_0", pixel_input.replace('@', "float")),
        ("SV_Depth", "ps_5_0", "float main() : VALUE { return 1; }".into()),
        ("SV_Target0", "ps_5_0", "float4 main() : VALUE { return 1; }".into()),
        ("SV_Target7", "ps_5_0", "float4 main() : VALUE { return 1; }".into()),
        ("SV_DispatchThreadID", "cs_5_0", compute_input.replace('@', "uint3")),
        ("SV_GroupID", "cs_5_0", compute_input.replace('@', "uint3")),
        ("SV_GroupThreadID", "cs_5_0", compute_input.replace('@', "uint3")),
        ("SV_GroupIndex", "cs_5_0", compute_input.replace('@', "uint")),
        ("SV_OutputControlPointID", "hs_5_0", hull.into()),
        ("SV_DomainLocation", "ds_5_0", domain_input.replace('@', "float3 v")),
        ("SV_TessFactor", "ds_5_0", domain_input.replace('@', "float v[3]")),
        ("SV_InsideTessFactor", "ds_5_0", domain_input.replace('@', "float v[1]")),
    ];
    assert_eq!(listed, programs.each_ref().map(|(name, ..)| *name));
    for (name, profile, text) in programs {
        if let Err(errors) = compiled(&text.replace("VALUE", name), profile) {
            panic!("{name}: {errors}");
        }
    }
}

#[test]
fn the_matrix_table_agrees_with_the_packing() {
    let page = document("docs/book/src/hlsl.md");
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `mul(")).collect();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let [shader, glam, bytes] = row.trim_matches('|').split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let by_rows = shader.contains("row_major");
        let text = format!(
            "cbuffer C {{ {} float4x4 World; }} float4 main(float4 position : P) : SV_Target {{ return {}; }}",
            if by_rows { "row_major" } else { "" },
            code_spans(shader)[0]
        );
        let reflection = compiled(&text, "ps_5_0").unwrap().reflection;
        let class = reflection.constant_buffer("C").unwrap().variable("World").unwrap().ty.class;
        assert_eq!(class == VariableClass::MatrixRows, by_rows, "{row}");
        // A vector on the left of `mul` is a row, so its matrix must be the transpose of the matrix for a
        // column vector. `glam` stores columns, but DirectXMath stores the rows of matrices for vectors on
        // the left.
        let is_transposed = shader.contains("mul(position, World)") && !by_rows;
        assert_eq!(code_spans(glam), [if is_transposed { "world.transpose()" } else { "world" }], "{row}");
        assert_eq!(bytes.trim().starts_with("transposed"), is_transposed, "{row}");
    }
}

/// Rows of the table of HLSL and WGSL, each with the beginning of the left cell, a program, its profile, and
/// parts of the right cell. The parts must also occur in the WGSL of the program.
const IN_WGSL: &[(&str, &str, &str, &[&str])] = &[
    (
        "`cbuffer",
        "cbuffer Camera : register(b0) { float4 a; } float4 main() : SV_Target { return a; }",
        "ps_5_0",
        &["@group(0) @binding(0)", "var<uniform>"],
    ),
    (
        "`Texture2D",
        "Texture2D image : register(t3); float4 main() : SV_Target { return image.Load(0); }",
        "ps_5_0",
        &["@group(1) @binding(3)", "var image: texture_2d<f32>;"],
    ),
    (
        "`StructuredBuffer",
        "struct Light { float4 a; }; StructuredBuffer<Light> lights : register(t1);
        float4 main() : SV_Target { return lights[0].a; }",
        "ps_5_0",
        &["@group(1) @binding(1)", "var<storage"],
    ),
    (
        "`SamplerState",
        "SamplerState linear : register(s0); Texture2D t; float4 main() : SV_Target { return t.Sample(linear, 0); }",
        "ps_5_0",
        &["@group(2) @binding(0)", ": sampler;"],
    ),
    (
        "`GetRenderTargetSampleCount",
        "float4 main() : SV_Target { return GetRenderTargetSampleCount(); }",
        "ps_5_0",
        &["override render_target_sample_count: u32 = 1"],
    ),
    (
        "`RWStructuredBuffer",
        "RWStructuredBuffer<uint> result : register(u0); [numthreads(1, 1, 1)] void main() { result[0] = 1; }",
        "cs_5_0",
        &["@group(3) @binding(0)", "var<storage, read_write> result: "],
    ),
    (
        "`SV_Position`",
        "float4 main(uint v : SV_VertexID, uint i : SV_InstanceID) : SV_Position { return v + i; }",
        "vs_5_0",
        &["@builtin(position)", "vertex_index", "instance_index"],
    ),
    (
        "`SV_Target0`",
        "float4 main(out float d : SV_Depth) : SV_Target0 { d = 1; return 1; }",
        "ps_5_0",
        &["@location(0)", "@builtin(frag_depth)"],
    ),
    (
        "`SV_DispatchThreadID`",
        "RWBuffer<uint> r; [numthreads(1, 1, 1)]
        void main(uint3 a : SV_DispatchThreadID, uint3 b : SV_GroupID, uint3 c : SV_GroupThreadID) { r[0] = a.x + b.x + c.x; }",
        "cs_5_0",
        &["global_invocation_id", "workgroup_id", "local_invocation_id"],
    ),
    (
        // Products of matrices are written as dot products.
        "`mul(",
        "float4x4 m; float4 main(float4 v : V) : SV_Target { float4x4 local = m; return mul(local, v); }",
        "ps_5_0",
        &[],
    ),
    (
        "`image.Sample(",
        "SamplerState s; Texture2D t; float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv); }",
        "ps_5_0",
        &["textureSample("],
    ),
    (
        "`image.Load(",
        "Texture2D t; float4 main() : SV_Target { return t.Load(int3(1, 2, 0)); }",
        "ps_5_0",
        &["textureLoad("],
    ),
    (
        // `lerp` and `saturate` are written as arithmetic.
        "`lerp`",
        "float4 main(float4 v : V) : SV_Target {
            return frac(v.x) + rsqrt(v.x) + ddx(v.x);
        }",
        "ps_5_0",
        &["fract", "inverseSqrt", "dpdx"],
    ),
    ("`clip(", "float4 main(float4 v : V) : SV_Target { clip(v.x); return 1; }", "ps_5_0", &["discard"]),
    (
        "`groupshared",
        "groupshared float tile[64]; RWBuffer<float> r; [numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
            tile[i] = 1; GroupMemoryBarrierWithGroupSync(); r[0] = tile[i + 1]; }",
        "cs_5_0",
        &["var<workgroup> tile: array<f32, 64>;"],
    ),
];

#[test]
fn programs_become_the_wgsl_of_the_table() {
    let page = document("docs/book/src/from_d3d11.md");
    let (_, table) = page.split_once("| HLSL | WGSL |\n| --- | --- |\n").unwrap();
    let rows: Vec<_> = table.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), IN_WGSL.len());
    for (row, (start, text, profile, parts)) in rows.into_iter().zip(IN_WGSL) {
        let (left, right) = row.trim_matches(['|', ' ']).split_once(" | ").unwrap();
        assert!(left.starts_with(start), "{row}");
        let wgsl = compiled(text, profile).unwrap_or_else(|errors| panic!("{errors}")).wgsl().unwrap();
        for part in *parts {
            assert!(right.contains(part), "{part} is not in the row of {start}");
            let name = part.to_lowercase();
            assert!(wgsl.to_lowercase().contains(&name), "{part} is not in:\n{wgsl}");
        }
    }
}

#[test]
fn functions_of_direct3d_9_need_the_compatibility_option() {
    let text = "sampler2D s; float4 main(float2 a : A) : COLOR { return tex2D(s, a); }";
    let options = CompileOptions { backwards_compatible: true, ..CompileOptions::default() };
    assert!(compile(text, "a", "main", "ps_5_0".parse().unwrap(), &options).is_ok());
    assert!(compiled(text, "ps_5_0").is_err());
}

#[test]
fn conformance_lists_the_unsupported_system_values() {
    let page = document("hlsl/CONFORMANCE.md");
    let (_, refused) = section(&page, "What is missing").split_once("* Refused by name:").unwrap();
    let values = code_spans(refused).into_iter().filter(|name| name.starts_with("SV_"));
    for name in values {
        let is_shown = REFUSED.iter().any(|(_, text, ..)| text.contains(name));
        assert!(is_shown, "no program shows that {name} is refused");
    }
}

#[test]
fn each_row_of_the_control_flow_table_has_its_message() {
    let page = document("hlsl/CONFORMANCE.md");
    let shown = document("hlsl/tests/diagnostics.rs");
    let rows: Vec<_> = section(&page, "Control flow")
        .lines()
        .filter_map(|line| line.strip_prefix("| X")?.get(..4))
        .collect();
    assert_eq!(rows.len(), 7);
    for number in rows {
        let number: u16 = number.parse().unwrap();
        let code = onze_hlsl::Code::ALL.iter().find(|code| code.number() == number).unwrap();
        assert!(shown.contains(&format!("Code::{code:?},")), "X{number}");
    }
}
