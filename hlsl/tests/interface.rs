//! Signatures contain only components that programs read or write. Render targets that are never written keep
//! their contents, and inputs that are never read do not need a matching output of the previous stage.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, Compiled, compile, reflection::SignatureParameter};

fn compiled(profile: &str, text: &str) -> Compiled {
    compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Returns the bindings of the entry point's arguments or results and their numbers of components, such as
/// `0:4` or `FragDepth:1`.
fn bindings(compiled: &Compiled, is_output: bool) -> String {
    let module = &compiled.module;
    let components = |ty: naga::Handle<naga::Type>| match module.types[ty].inner {
        naga::TypeInner::Vector { size, .. } => size as u32,
        _ => 1,
    };
    let written = |binding: &naga::Binding, ty| match binding {
        naga::Binding::Location { location, .. } => format!("{location}:{}", components(ty)),
        naga::Binding::BuiltIn(naga::BuiltIn::Position { .. }) => format!("Position:{}", components(ty)),
        naga::Binding::BuiltIn(built_in) => format!("{built_in:?}:{}", components(ty)),
    };
    let function = &module.entry_points[0].function;
    let mut found: Vec<String> = if is_output {
        let members = function.result.iter().flat_map(|result| match &module.types[result.ty].inner {
            naga::TypeInner::Struct { members, .. } => members.as_slice(),
            _ => &[],
        });
        members.map(|member| written(member.binding.as_ref().unwrap(), member.ty)).collect()
    } else {
        let arguments = function.arguments.iter();
        arguments.map(|argument| written(argument.binding.as_ref().unwrap(), argument.ty)).collect()
    };
    found.sort();
    found.join(" ")
}

/// Returns the used components of a signature in order, such as `xy-w`.
fn used(list: &[SignatureParameter]) -> String {
    let written = |parameter: &SignatureParameter| {
        assert_eq!(parameter.used & !parameter.mask, 0, "{parameter:?}");
        let components = "xyzw".chars().enumerate();
        let components = components.filter(|(at, _)| parameter.mask >> at & 1 == 1);
        components
            .map(|(at, name)| if parameter.used >> at & 1 == 1 { name } else { '-' })
            .collect::<String>()
    };
    list.iter().map(written).collect::<Vec<_>>().join(" ")
}

const OUTPUTS: &str = "struct O { float4 a : SV_Target0; float4 b : SV_Target1; float d : SV_Depth; \
                       uint c : SV_Coverage; };";

/// Checks the outputs of pixel shaders in rows of a program that follows [`OUTPUTS`], the outputs of its
/// module, and the used components.
fn assert_outputs(rows: &[(&str, &str, &str)]) {
    for (text, expected, components) in rows {
        let compiled = compiled("ps_5_0", &format!("{OUTPUTS}\n{text}"));
        assert_eq!(bindings(&compiled, true), *expected, "{text}");
        assert_eq!(used(&compiled.reflection.outputs), *components, "{text}");
    }
}

#[test]
fn unwritten_elements_of_output_arrays_are_removed() {
    assert_outputs(&[
        ("void main(out float4 o[4] : SV_Target) { o[1] = 1; }", "1:4", "---- xyzw ---- ----"),
        (
            "void main(out float4 o[4] : SV_Target) { for (int i = 1; i < 3; i++) o[i] = i; }",
            "1:4 2:4",
            "---- xyzw xyzw ----",
        ),
        (
            "void set(out float4 o[3], int n) { o[n] = 1; } void main(out float4 o[3] : SV_Target) { set(o, 2); }",
            "2:4",
            "---- ---- xyzw",
        ),
        (
            "uint n; void main(out float4 o[3] : SV_Target) { o[min(n, 1)] = 1; }",
            "0:4 1:4 2:4",
            "xyzw xyzw xyzw",
        ),
        ("void main(out float4 o[2] : SV_Target) { o[0] = 1; o[1] = 0; }", "0:4 1:4", "xyzw xyzw"),
        ("struct R { float4 c[2] : SV_Target; }; void main(out R r) { r.c[1] = 1; }", "1:4", "---- xyzw"),
    ]);
}

#[test]
fn unassigned_output_members_are_removed() {
    assert_outputs(&[
        ("O main() { O o; o.b = 1; return o; }", "1:4", "---- xyzw - -"),
        ("O main() { O o; o.a = 1; o.d = 0.5; return o; }", "0:4 FragDepth:1", "xyzw ---- x -"),
        ("O main() { O o; o.a = 1; o.c = 1; return o; }", "0:4 SampleMask:1", "xyzw ---- - x"),
        ("O main() { O o = (O)0; o.a = 1; return o; }", "0:4 1:4 FragDepth:1 SampleMask:1", "xyzw xyzw x x"),
        ("O main() { O o; o.a.xz = 1; o.b.w = 2; return o; }", "0:4 1:4", "x-z- ---w - -"),
        ("O main() { O o; o.a = 1; O p = o; O q; q = p; return q; }", "0:4", "xyzw ---- - -"),
    ]);
}

#[test]
fn writes_in_functions_and_methods_keep_outputs() {
    assert_outputs(&[
        ("O f() { O o; o.b = 1; return o; } O main() { return f(); }", "1:4", "---- xyzw - -"),
        ("void f(inout O o) { o.b = 1; } O main() { O o; f(o); return o; }", "1:4", "---- xyzw - -"),
        ("void f(inout float4 c) { c.x = 1; } O main() { O o; f(o.a); return o; }", "0:4", "x--- ---- - -"),
        (
            "void f(inout O o) { O p = o; p.a = 1; o = p; } O main() { O o; f(o); return o; }",
            "0:4 1:4 FragDepth:1 SampleMask:1",
            "xyzw xyzw x x",
        ),
        (
            "struct M { O o; void set() { o.a = 1; } }; O main() { M m; m.set(); return m.o; }",
            "0:4",
            "xyzw ---- - -",
        ),
    ]);
}

#[test]
fn a_write_on_one_path_keeps_an_output() {
    assert_outputs(&[
        ("float n; O main() { O o; o.a = 1; if (n > 0) o.b = 1; return o; }", "0:4 1:4", "xyzw xyzw - -"),
        (
            "float n; O main() { O o; if (n > 0) { o.a = 1; return o; } o.b = 1; return o; }",
            "0:4 1:4",
            "xyzw xyzw - -",
        ),
        (
            "float n; O main() { O o; o.a = n; if (n > 0) return o; else { o.a = 2; return o; } }",
            "0:4",
            "xyzw ---- - -",
        ),
        (
            "int n; O main() { O o; o.a = n; switch (n) { case 1: return o; default: o.a = 2; return o; } }",
            "0:4",
            "xyzw ---- - -",
        ),
        ("O main() { O o; if (false) o.b = 1; o.a = 1; return o; }", "0:4", "xyzw ---- - -"),
    ]);
}

#[test]
fn a_vertex_shader_keeps_its_registers() {
    let text = "struct V { float4 p : SV_Position; float4 a : A; float4 b : B; float2 c : C; };
        V main() { V v; v.p = 1; v.a.xy = 1; v.c = 2; return v; }";
    let compiled = compiled("vs_5_0", text);
    assert_eq!(bindings(&compiled, true), "1:4 2:4 3:2 Position:4");
    assert_eq!(used(&compiled.reflection.outputs), "xyzw xy-- ---- xy");
}

const INPUTS: &str = "struct V { float4 p : SV_Position; float4 a : A; float2 b : B; float2 c : C; uint s : SV_SampleIndex; };";

/// Checks the inputs of pixel shaders like [`assert_outputs`].
fn assert_inputs(rows: &[(&str, &str, &str)]) {
    for (text, expected, components) in rows {
        let compiled = compiled("ps_5_0", &format!("{INPUTS}\n{text}"));
        assert_eq!(bindings(&compiled, false), *expected, "{text}");
        assert_eq!(used(&compiled.reflection.inputs), *components, "{text}");
    }
}

/// Input layouts refer to all inputs of a vertex shader, so their locations must not depend on the inputs
/// that are read.
#[test]
fn a_vertex_shader_keeps_unread_inputs() {
    let text = "float4 main(float4 a : A, float2 b : B, uint n : SV_VertexID, float3 c : C) : SV_Position {
        return c.xyzz; }";
    assert_eq!(bindings(&compiled("vs_5_0", text), false), "0:4 1:2 2:3");
}

#[test]
fn unread_inputs_are_removed() {
    assert_inputs(&[
        ("float4 main(V v) : SV_Target { return 1; }", "", "---- ---- -- -- -"),
        ("float4 main(V v) : SV_Target { return v.a; }", "1:4", "---- xyzw -- -- -"),
        ("float4 main(V v) : SV_Target { return v.c.xyxy; }", "2:4", "---- ---- -- zw -"),
        ("float4 main(V v) : SV_Target { return v.b.x; }", "2:1", "---- ---- x- -- -"),
        ("float4 main(V v) : SV_Target { return v.a.yyyx; }", "1:2", "---- xy-- -- -- -"),
        ("float4 main(V v) : SV_Target { return v.a[1] + v.s; }", "1:2 SampleIndex:1", "---- -y-- -- -- x"),
        ("uint n; float4 main(V v) : SV_Target { return v.a[n]; }", "1:4", "---- xyzw -- -- -"),
    ]);
}

#[test]
fn reads_in_functions_and_methods_keep_inputs() {
    assert_inputs(&[
        (
            "float f(V v) { return v.a.x; } float4 main(V v) : SV_Target { return f(v); }",
            "1:1",
            "---- x--- -- -- -",
        ),
        (
            "float g(V v) { return v.b.y; } float f(V v) { return g(v); } float4 main(V v) : SV_Target { return f(v); }",
            "2:2",
            "---- ---- -y -- -",
        ),
        (
            "struct W { V v; float get() { return v.p.x; } }; float4 main(W w) : SV_Target { return w.get(); }",
            "Position:4",
            "x--- ---- -- -- -",
        ),
        (
            "void f(inout V v) { v.a = 1; } float4 main(V v) : SV_Target { f(v); return v.b.x; }",
            "1:4 2:4 Position:4 SampleIndex:1",
            "xyzw xyzw xy zw x",
        ),
        (
            "void f(out float4 a) { a = 1; } float4 main(V v) : SV_Target { f(v.a); return v.b.x; }",
            "2:1",
            "---- ---- x- -- -",
        ),
        (
            "float4 main(V v) : SV_Target { v.a = 1; V w = v; return w.a; }",
            "1:4 2:4 Position:4 SampleIndex:1",
            "xyzw xyzw xy zw x",
        ),
        ("float4 main(float3x2 m : M) : SV_Target { return m[2][1]; }", "1:3", "--- --z"),
        ("float4 main(float4 a[2] : A) : SV_Target { return a[1]; }", "1:4", "---- xyzw"),
        ("float4 main(row_major float3x2 m : M) : SV_Target { return m[2][1]; }", "2:2", "-- -- -y"),
        (
            "void f(out float4 a) { a = 1; a *= 2; } float4 main(V v) : SV_Target { f(v.a); return v.b.x; }",
            "2:1",
            "---- ---- x- -- -",
        ),
        (
            "struct W { float4 x : X; V v; }; float f(V v) { return v.p.y; } \
             float4 main(W w) : SV_Target { return f(w.v); }",
            "Position:4",
            "---- -y-- ---- -- -- -",
        ),
    ]);
}

#[test]
fn an_unread_sample_index_does_not_run_a_shader_per_sample() {
    let requirements = |body: &str| {
        let text = format!("{INPUTS} float4 main(V v, sample float4 k : K) : SV_Target {{ {body} }}");
        compiled("ps_5_0", &text).reflection.requirements
    };
    let per_sample = onze_hlsl::reflection::Requirements::SAMPLE_FREQUENCY;
    assert!(!requirements("return v.a;").contains(per_sample));
    assert!(requirements("return v.s;").contains(per_sample));
    assert!(requirements("return k;").contains(per_sample));
}
