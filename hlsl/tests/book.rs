//! Checks statements of the book's chapter about HLSL and of CONFORMANCE.md, each with a program.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends with a panic")]

use std::{fs, path::Path};

use onze_hlsl::{CompileOptions, Compiled, Diagnostics, Profile, compile, reflection::ResourceKind};

/// Reads a document of the repository.
fn document(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).unwrap()
}

/// Returns the text between a second-level heading and the next one.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("{heading}"));
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}

/// Returns the parts of a text between backticks.
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

/// Programs that the documents list as unsupported: the beginning of a bullet in the book, a program, its profile, and
/// a part of the message.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "Geometry, hull",
        "struct V { float4 p : SV_Position; }; [maxvertexcount(1)] void main(point V v[1], inout PointStream<V> s) { s.Append(v[0]); }",
        "gs_5_0",
        "a geometry shader",
    ),
    (
        "`SV_CullDistance`",
        "float4 main(out float d : SV_CullDistance) : SV_Position { d = 1; return 0; }",
        "vs_5_0",
        "SV_CullDistance",
    ),
    (
        "`SV_CullDistance`",
        "float4 main(out uint d : SV_RenderTargetArrayIndex) : SV_Position { d = 1; return 0; }",
        "vs_5_0",
        "SV_RenderTargetArrayIndex",
    ),
    (
        "`SV_CullDistance`",
        "float4 main(uint d : SV_ViewportArrayIndex) : SV_Target { return d; }",
        "ps_5_0",
        "SV_ViewportArrayIndex",
    ),
    (
        "`SV_CullDistance`",
        "float4 main(out uint d : SV_StencilRef) : SV_Target { d = 1; return 0; }",
        "ps_5_0",
        "SV_StencilRef",
    ),
    (
        "`SV_CullDistance`",
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
    // Direct3D 9 sources give one of FXC's errors, effect profiles are refused before any source is read, and bytecode
    // is not a source.
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
    for name in ["fx_5_0", "fx_4_0"] {
        assert!(name.parse::<Profile>().is_err(), "{name}");
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
