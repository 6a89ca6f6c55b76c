//! Hull and domain shaders: the functions and structures of the module, and the reflection.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use naga::valid::{Capabilities, ValidationFlags, Validator};
use onze_hlsl::{
    CompileOptions, Compiled, compile,
    reflection::{
        HullReflection, SignatureParameter, SystemValue, TessellatorDomain, TessellatorOutput,
        TessellatorPartitioning,
    },
};

fn compiled(profile: &str, text: &str) -> Compiled {
    let compiled = compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let info =
        Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&compiled.module).unwrap();
    naga::back::spv::write_vec(&compiled.module, &info, &naga::back::spv::Options::default(), None).unwrap();
    // The text is valid too, although naga does not know that its extensions are available.
    compiled.wgsl().unwrap();
    compiled
}

fn refusal(profile: &str, text: &str) -> String {
    let result = compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default());
    result.err().and_then(|errors| Some(errors.errors().next()?.to_string())).unwrap_or_default()
}

/// Returns the names of the functions that the pipeline provides or calls.
fn functions(compiled: &Compiled) -> String {
    let functions = compiled.module.functions.iter().filter_map(|(_, function)| function.name.as_deref());
    let functions = functions.filter_map(|name| name.strip_prefix("onze."));
    functions.collect::<Vec<_>>().join(" ")
}

/// Returns a structure's members: `factor`, the position, or the location and the number of components.
fn members(compiled: &Compiled, name: &str) -> String {
    let module = &compiled.module;
    let Some((_, ty)) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)) else {
        return "none".to_owned();
    };
    let naga::TypeInner::Struct { members, .. } = &ty.inner else { panic!("{ty:?}") };
    let member = |member: &naga::StructMember| {
        let components = match module.types[member.ty].inner {
            naga::TypeInner::Vector { size, .. } => size as u32,
            _ => 1,
        };
        match &member.binding {
            Some(naga::Binding::Location { location, .. }) => format!("{location}:{components}"),
            Some(naga::Binding::BuiltIn(naga::BuiltIn::Position { .. })) => format!("Position:{components}"),
            Some(binding) => format!("{binding:?}"),
            None => "factor".to_owned(),
        }
    };
    members.iter().map(member).collect::<Vec<_>>().join(" ")
}

/// Returns parameters with their registers and components, such as `COLOR1:6.xyz`, or `COLOR1` without a register.
fn registers(parameters: &[SignatureParameter]) -> String {
    let place = |parameter: &SignatureParameter| {
        let components = "xyzw".chars().enumerate().filter(|(at, _)| parameter.mask >> at & 1 == 1);
        let components: String = components.map(|(_, name)| name).collect();
        let register =
            parameter.register.map_or(String::new(), |register| format!(":{register}.{components}"));
        format!("{}{}{register}", parameter.semantic_name, parameter.semantic_index)
    };
    parameters.iter().map(place).collect::<Vec<_>>().join(" ")
}

/// A hull shader with these members of patch constants, body of the patch constant function and main function.
fn hull_text(domain: &str, members: &str, body: &str, main: &str) -> String {
    let topology = if domain == "isoline" { "line" } else { "triangle_cw" };
    format!(
        "struct V {{ float4 position : SV_Position; float2 uv : UV; nointerpolation uint n : N; }};
         struct O {{ float3 p : P; float2 uv : UV; }};
         struct C {{ {members} }};
         C constants(InputPatch<V, 4> v, OutputPatch<O, 3> o, uint id : SV_PrimitiveID) {{ C c = (C)0; {body} return c; }}
         [domain(\"{domain}\")] [partitioning(\"integer\")] [outputtopology(\"{topology}\")] [outputcontrolpoints(3)]
         [patchconstantfunc(\"constants\")] {main}"
    )
}

const TRIANGLE: &str = "float e[3] : SV_TessFactor; float i : SV_InsideTessFactor;";

const PASS: &str = "O main(InputPatch<V, 4> v, uint k : SV_OutputControlPointID) {
    O o = { v[k].position.xyz, v[k].uv }; return o; }";

#[test]
fn the_reflection_contains_the_tessellators_settings() {
    use {TessellatorDomain as D, TessellatorOutput as O, TessellatorPartitioning as P};
    let domains = [
        ("isoline", "float e[2] : SV_TessFactor;", D::Isoline),
        ("tri", TRIANGLE, D::Triangle),
        ("quad", "float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor;", D::Quad),
    ];
    let outputs = [
        ("point", O::Point),
        ("line", O::Line),
        ("triangle_cw", O::TriangleCw),
        ("triangle_ccw", O::TriangleCcw),
    ];
    let partitionings = [
        ("integer", P::Integer),
        ("pow2", P::Pow2),
        ("fractional_odd", P::FractionalOdd),
        ("fractional_even", P::FractionalEven),
    ];
    for ((domain, members, expected), (output, expected_output), (partitioning, rounding)) in domains
        .into_iter()
        .flat_map(|domain| outputs.map(|output| (domain, output)))
        .flat_map(|(domain, output)| partitionings.map(|partitioning| (domain, output, partitioning)))
    {
        if output != "point" && (output == "line") != (domain == "isoline") {
            continue;
        }
        let text = format!(
            "struct V {{ float4 p : P; }}; struct C {{ {members} }};
             C constants(InputPatch<V, 17> v) {{ return (C)0; }}
             [domain(\"{domain}\")] [partitioning(\"{partitioning}\")] [outputtopology(\"{output}\")]
             [outputcontrolpoints(9)] [maxtessfactor(15.5)] [patchconstantfunc(\"constants\")]
             V main(InputPatch<V, 17> v, uint i : SV_OutputControlPointID) {{ return v[i]; }}"
        );
        let compiled = compiled("hs_5_0", &text);
        let HullReflection { domain, partitioning, output, max_tess_factor, .. } =
            compiled.reflection.hull.clone().unwrap();
        assert_eq!((domain, partitioning, output), (expected, rounding, expected_output), "{text}");
        assert_eq!(max_tess_factor, 15.5);
        let hull = compiled.reflection.hull.as_ref().unwrap();
        assert_eq!((hull.input_control_points, hull.output_control_points), (17, 9));
        let factors = domain.edge_factors() + domain.inside_factors();
        assert_eq!(members_of("factor", factors), self::members(&compiled, "PatchConstants"));
        assert!(compiled.reflection.domain.is_none() && compiled.reflection.geometry.is_none());
        assert_eq!(compiled.module.entry_points[0].stage, naga::ShaderStage::Compute);
    }
    let without = compiled("hs_5_0", &hull_text("tri", TRIANGLE, "", PASS));
    assert_eq!(without.reflection.hull.unwrap().max_tess_factor, 64.0);
}

fn members_of(member: &str, count: u32) -> String {
    vec![member; count as usize].join(" ")
}

#[test]
fn signatures_have_points_constants_and_generated_values() {
    let text = hull_text("tri", TRIANGLE, "c.e[id % 3] = o[0].uv.y; c.i = v[1].n;", PASS);
    let hull = compiled("hs_5_0", &text);
    let reflection = &hull.reflection;
    assert_eq!(
        registers(&reflection.inputs),
        "SV_Position0:0.xyzw UV0:1.xy N0:2.x SV_OutputControlPointID0 SV_PrimitiveID0"
    );
    assert_eq!(registers(&reflection.outputs), "P0:0.xyz UV0:1.xy");
    let factors = "SV_TessFactor0:0.x SV_TessFactor1:1.x SV_TessFactor2:2.x SV_InsideTessFactor0:3.x";
    assert_eq!(registers(&reflection.patch_constants), factors);
    let systems: Vec<_> = reflection.patch_constants.iter().map(|one| one.system_value).collect();
    assert_eq!(systems[2..], [SystemValue::TessFactor, SystemValue::InsideTessFactor]);
    let domain = compiled(
        "ds_5_0",
        &format!(
            "struct V {{ float3 p : P; float2 uv : UV; }}; struct C {{ {TRIANGLE} }};
             [domain(\"tri\")] float4 main(C c, OutputPatch<V, 3> v, float3 at : SV_DomainLocation,
                                           uint id : SV_PrimitiveID) : SV_Position {{ return at.x + c.i + v[2].uv.x + id; }}"
        ),
    );
    let reflection = &domain.reflection;
    assert_eq!(registers(&reflection.inputs), "P0:0.xyz UV0:1.xy SV_DomainLocation0 SV_PrimitiveID0");
    assert_eq!(registers(&reflection.patch_constants), factors);
    let desc = reflection.domain.as_ref().unwrap();
    assert_eq!((desc.domain, desc.control_points), (TessellatorDomain::Triangle, Some(3)));
    let read: Vec<_> = reflection.patch_constants.iter().map(|one| one.used).collect();
    assert_eq!(read, [0, 0, 0, 1]);
    let alone = compiled("ds_5_0", "[domain(\"quad\")] float4 main() : SV_Position { return 0; }");
    let desc = alone.reflection.domain.as_ref().unwrap();
    assert_eq!((desc.domain, desc.control_points), (TessellatorDomain::Quad, None));
}

/// The stages are matched by registers, so both sides of the same structure must agree.
#[test]
fn both_stages_give_patch_constants_the_same_registers() {
    let factors = "float e[3] : SV_TessFactor; float i : SV_InsideTessFactor;";
    let (first, second) = ("float3 a[2] : A; uint n : N;", "float2x3 m : M; float b : B;");
    for members in [
        format!("{factors} {first} {second}"),
        format!("{first} {second} {factors}"),
        format!("{first} {factors} {second}"),
        format!("{first} float i : SV_InsideTessFactor; {second} float e[3] : SV_TessFactor;"),
        format!("struct {{ {first} struct {{ {factors} }} inner; }} outer; {second}"),
        format!(
            "float e2 : SV_TessFactor2; {first} float e0 : SV_TessFactor; float i : SV_InsideTessFactor; {second}
             float e1 : SV_TessFactor1;"
        ),
    ] {
        let hull = compiled("hs_5_0", &hull_text("tri", &members, "", PASS));
        let domain = compiled(
            "ds_5_0",
            &format!(
                "struct C {{ {members} }};
                 [domain(\"tri\")] float4 main(uint id : SV_PrimitiveID, C c, float3 at : SV_DomainLocation) : SV_Position {{
                     return c.b + c.m[1][0] + id + at.x; }}"
            ),
        );
        let written = registers(&hull.reflection.patch_constants);
        assert_eq!(written, registers(&domain.reflection.patch_constants), "{members}");
        let own: Vec<_> = hull.reflection.patch_constants.iter().map(|one| one.register.unwrap()).collect();
        assert!(own.iter().all(|register| *register < 10), "{written}");
        let factors = hull.reflection.patch_constants.iter().filter(|one| one.system_value != SystemValue::Undefined);
        let mut factors: Vec<_> = factors.map(|one| one.register.unwrap()).collect();
        factors.sort_unstable();
        factors.dedup();
        assert_eq!(factors.len(), 4, "{written}");
    }
}

/// vkd3d's test `tessellation-patch-vars` has this structure, and states FXC's registers.
#[test]
fn other_constants_share_the_registers_of_factors() {
    let members = "float e[3] : SV_TessFactor; float3 color : COLOR; float inside : SV_InsideTessFactor;";
    let hull = compiled("hs_5_0", &hull_text("tri", members, "", PASS));
    let expected =
        "SV_TessFactor0:0.x SV_TessFactor1:1.x SV_TessFactor2:2.x COLOR0:0.yzw SV_InsideTessFactor0:3.x";
    assert_eq!(registers(&hull.reflection.patch_constants), expected);
    assert_eq!(members_of("factor", 4) + " 0:4", self::members(&hull, "PatchConstants"));
}

#[test]
fn modules_have_only_the_functions_that_the_shader_reads() {
    let hulls = [
        ("", "O main() { return (O)0; }", "control_point patch_constants"),
        ("", PASS, "input_point control_point patch_constants"),
        ("c.i = o[id % 3].p.y;", "O main() { return (O)0; }", "output_point control_point patch_constants"),
        ("c.i = v[3].n;", "O main() { return (O)0; }", "input_point control_point patch_constants"),
        ("c.i = v[3].n + o[0].uv.x;", PASS, "input_point output_point control_point patch_constants"),
    ];
    for (body, main, expected) in hulls {
        let compiled = compiled("hs_5_0", &hull_text("tri", TRIANGLE, body, main));
        assert_eq!(functions(&compiled), expected, "{body} {main}");
    }
    let domains = [
        ("0", "domain"),
        ("v[1].p.y", "point domain"),
        ("c.e[1]", "constants domain"),
        ("c.a.y + v[id].p.x", "point constants domain"),
        ("at.x", "domain"),
    ];
    for (value, expected) in domains {
        let text = format!(
            "struct V {{ float3 p : P; float2 uv : UV; }}; struct C {{ {TRIANGLE} float3 a : A; }};
             [domain(\"tri\")] float4 main(C c, OutputPatch<V, 3> v, float3 at : SV_DomainLocation,
                                           uint id : SV_PrimitiveID) : SV_Position {{ return {value}; }}"
        );
        assert_eq!(functions(&compiled("ds_5_0", &text)), expected, "{value}");
    }
}

/// The previous stage need not write elements that no function reads.
#[test]
fn points_contain_only_elements_that_are_read() {
    let rows = [
        ("c.i = v[0].uv.y;", "O main() { return (O)0; }", "1:2", "none"),
        ("c.i = sum(v);", "O main() { return (O)0; }", "Position:4 2:1", "none"),
        ("c.i = v[id % 4].n + o[2].uv.x;", PASS, "Position:4 1:2 2:1", "1:1"),
        ("O last = o[2]; c.i = last.uv.x;", PASS, "Position:4 1:2", "0:3 1:2"),
        ("for (uint k = 0; k < id; k++) c.i += o[k % 3].p.z;", PASS, "Position:4 1:2", "0:3"),
    ];
    for (body, main, inputs, outputs) in rows {
        let text = hull_text("tri", TRIANGLE, body, main).replace(
            "C constants",
            "float sum(InputPatch<V, 4> p) { return p[0].position.x + p[2].n; } C constants",
        );
        let compiled = compiled("hs_5_0", &text);
        assert_eq!(
            (members(&compiled, "InputPoint"), members(&compiled, "OutputPoint")),
            (inputs.into(), outputs.into()),
            "{body}"
        );
        assert_eq!(members(&compiled, "ControlPoint"), "0:3 1:2");
    }
}

#[test]
fn patch_constants_follow_all_factors() {
    let rows = [
        (
            "tri",
            "float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float2 a : A;",
            "factor factor factor factor 0:3",
        ),
        ("tri", "float4 a : A; float e1 : SV_TessFactor1;", "factor factor factor factor 0:4"),
        ("quad", "uint2 a[2] : A;", "factor factor factor factor factor factor 0:2 1:2"),
        ("isoline", "float4 p : SV_Position; float2 e : SV_TessFactor;", "factor factor 0:4"),
    ];
    for (domain, constants, expected) in rows {
        let compiled = compiled("hs_5_0", &hull_text(domain, constants, "", PASS));
        assert_eq!(members(&compiled, "PatchConstants"), expected, "{constants}");
    }
}

#[test]
fn only_written_components_are_used() {
    let text = hull_text(
        "tri",
        "float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float4 a : A;",
        "",
        PASS,
    )
    .replace("C c = (C)0;", "C c; c.e[0] = 1; c.e[2] = 2; c.a.yz = 3;")
    .replace("O o = { v[k].position.xyz, v[k].uv };", "O o; o.uv.y = v[k].uv.x; o.p = 0;");
    let compiled = compiled("hs_5_0", &text);
    let used = |parameters: &[SignatureParameter]| parameters.iter().map(|one| one.used).collect::<Vec<_>>();
    assert_eq!(used(&compiled.reflection.patch_constants), [1, 0, 1, 0, 0b0110]);
    assert_eq!(used(&compiled.reflection.outputs), [0b0111, 0b0010]);
    assert_eq!(used(&compiled.reflection.inputs), [0, 1, 0, 1, 0]);
}

#[test]
fn a_hull_shader_without_outputs_passes_its_points_on() {
    let text = hull_text("tri", TRIANGLE, "c.i = o[id % 3].n;", "void main(InputPatch<V, 3> v) {}")
        .replace("InputPatch<V, 4>", "InputPatch<V, 3>")
        .replace("OutputPatch<O, 3>", "OutputPatch<V, 3>");
    let passed = compiled("hs_5_0", &text);
    assert_eq!(functions(&passed), "output_point patch_constants");
    assert_eq!(members(&passed, "OutputPoint"), "2:1");
    let expected = "SV_Position0:0.xyzw UV0:1.xy N0:2.x";
    assert_eq!(registers(&passed.reflection.outputs), expected);
    assert_eq!(registers(&passed.reflection.inputs), format!("{expected} SV_PrimitiveID0"));
    assert!(passed.reflection.inputs[..3].iter().all(|input| input.used == input.mask));
    assert!(passed.reflection.outputs.iter().all(|output| output.used == output.mask));
    let error = refusal(
        "hs_5_0",
        &text
            .replace("outputcontrolpoints(3)", "outputcontrolpoints(2)")
            .replace("OutputPatch<V, 3>", "OutputPatch<V, 2>"),
    );
    assert!(error.contains("passes its 3 control points on, but outputcontrolpoints is 2"), "{error}");
    // Without elements there is nothing to compute.
    let empty = hull_text("tri", TRIANGLE, "", "E main() { E e; return e; }")
        .replace("struct C", "struct E {}; struct C")
        .replace("OutputPatch<O, 3>", "OutputPatch<E, 3>");
    assert_eq!(functions(&compiled("hs_5_0", &empty)), "patch_constants");
}

#[test]
fn a_domain_shader_returns_what_a_vertex_shader_returns() {
    let outputs = "
        struct O {
            float4 position : SV_Position; float2 uv : UV; nointerpolation uint n : N;
            float clip[2] : SV_ClipDistance; float cull : SV_CullDistance;
            uint slice : SV_RenderTargetArrayIndex; uint viewport : SV_ViewportArrayIndex;
        };
        O value() { O o; o.position = 1; o.uv = 2; o.n = 3; o.clip[0] = 4; o.clip[1] = 5; o.cull = 6; o.slice = 7;
                    o.viewport = 8; return o; }";
    let vertex = compiled("vs_5_0", &format!("{outputs} O main() {{ return value(); }}"));
    let domain = compiled("ds_5_0", &format!("{outputs} [domain(\"quad\")] O main() {{ return value(); }}"));
    assert_eq!(members(&vertex, "Output"), members(&domain, "Output"));
    assert_eq!(vertex.reflection.outputs, domain.reflection.outputs);
    let result =
        domain.module.functions.iter().find(|(_, function)| function.name.as_deref() == Some("onze.domain"));
    let (_, function) = result.unwrap();
    let ty = function.result.as_ref().unwrap().ty;
    assert_eq!(domain.module.types[ty].name.as_deref(), Some("Output"));
    let arguments: Vec<_> =
        function.arguments.iter().map(|argument| &domain.module.types[argument.ty].inner).collect();
    let three = naga::TypeInner::Vector { size: naga::VectorSize::Tri, scalar: naga::Scalar::F32 };
    assert_eq!(arguments, [&three, &naga::TypeInner::Scalar(naga::Scalar::U32)]);
}

#[test]
fn indices_of_points_are_checked_where_the_code_runs() {
    let sum = "float sum(InputPatch<V, 4> v, uint i) { return v[i].n; } C constants";
    let read =
        |body: &str| refusal("hs_5_0", &hull_text("tri", TRIANGLE, body, PASS).replace("C constants", sum));
    for body in
        ["c.i = v[4].n;", "c.i = o[3].uv.x;", "[unroll] for (int i = 0; i < 5; i++) c.i += sum(v, i);"]
    {
        let error = read(body);
        let is_out_of_bounds = error.contains("X3504");
        assert_eq!(is_out_of_bounds, !body.contains("sum"), "{body}: {error}");
    }
    assert_eq!(read("if (false) c.i = v[4].n;"), "");
    assert_eq!(read("[loop] for (uint i = 0; i < id; i++) c.i += v[i].n;"), "");
}

#[test]
fn domain_shaders_need_a_domain() {
    let error = refusal("ds_5_0", "float4 main() : SV_Position { return 0; }");
    assert!(error.contains("a domain shader needs the attribute domain"), "{error}");
    let error = refusal("ds_5_0", "[domain(\"line\")] float4 main() : SV_Position { return 0; }");
    assert!(error.contains("takes one of"), "{error}");
}

#[test]
fn parameters_of_any_kind_are_passed() {
    let text = "
        struct V { float4 p : P; };
        struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; };
        struct Numbers { int id : SV_PrimitiveID; };
        float helper(C c, inout float3 a) { a += c.e[3]; return a.x; }
        void constants(out C c, Numbers numbers, out float3 color : COLOR, InputPatch<V, 2> v) {
            c = (C)0; color = numbers.id; color.x = helper(c, color) + v[numbers.id & 1].p.x;
        }
        [domain(\"quad\")] [partitioning(\"pow2\")] [outputtopology(\"point\")] [outputcontrolpoints(1)]
        [patchconstantfunc(\"constants\")] V main(uniform float4 scale, InputPatch<V, 2> v) { v[0].p; V o = { scale }; return o; }";
    let hull = compiled("hs_5_0", text);
    // The result gets the first registers, then the parameters in order.
    assert!(registers(&hull.reflection.patch_constants).ends_with("COLOR0:0.yzw"), "{:?}", hull.reflection);
    assert!(hull.reflection.constant_buffer("$Params").is_some());
    let text = "
        Texture2D t; SamplerState s;
        struct V { float4 p : P; };
        [domain(\"isoline\")] void main(float2 at : SV_DomainLocation, OutputPatch<V, 2> v, out float4 p : SV_Position,
                                      Texture2D own, uniform uint k) {
            p = lerp(v[0].p, v[k].p, at.x) + t.SampleLevel(s, at, 0) + own.Load(0);
        }";
    let domain = compiled("ds_5_0", text);
    assert!(domain.reflection.resource("own").is_some());
}

#[test]
fn an_object_of_the_patch_constant_function_is_refused() {
    let text = hull_text("tri", TRIANGLE, "", PASS).replace("uint id :", "Texture2D t, uint id :");
    let error = refusal("hs_5_0", &text);
    assert!(error.contains("X9004") && error.contains("use a global variable"), "{error}");
}

#[cfg(feature = "serde")]
#[test]
fn stored_shaders_keep_their_functions() {
    let hull = compiled("hs_5_0", &hull_text("tri", TRIANGLE, "c.i = v[0].n + o[id % 3].p.x;", PASS));
    let text = "[domain(\"tri\")] float4 main(float3 at : SV_DomainLocation, float e[3] : SV_TessFactor) : SV_Position {
                    return at.x * e[1]; }";
    for shader in [hull, compiled("ds_5_0", text)] {
        let loaded = Compiled::from_bytes(&shader.to_bytes().unwrap()).unwrap();
        assert_eq!(functions(&loaded), functions(&shader));
        assert_eq!(loaded.reflection, shader.reflection);
        assert!(loaded.reflection.hull.is_some() || loaded.reflection.domain.is_some());
    }
}
