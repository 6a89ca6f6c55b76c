//! Geometry shaders: the functions and structures of the module, and the reflection.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_hlsl::{
    CompileOptions, Compiled, compile,
    reflection::{GeometryDesc, InputPrimitive, StreamTopology, SystemValue},
};

fn compiled(profile: &str, text: &str) -> Compiled {
    compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn refusal(profile: &str, text: &str) -> String {
    let result = compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default());
    result.err().and_then(|errors| Some(errors.errors().next()?.to_string())).unwrap_or_default()
}

/// Returns the names of the functions that the pipeline provides or calls.
fn functions(compiled: &Compiled) -> Vec<&str> {
    let functions = compiled.module.functions.iter().filter_map(|(_, function)| function.name.as_deref());
    functions.filter(|name| name.starts_with("onze.")).collect()
}

/// Returns the locations of a structure's members and their numbers of components, such as `0:4` or `Position:4`.
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
        match member.binding.as_ref().unwrap() {
            naga::Binding::Location { location, .. } => format!("{location}:{components}"),
            naga::Binding::BuiltIn(_) => format!("Position:{components}"),
        }
    };
    members.iter().map(member).collect::<Vec<_>>().join(" ")
}

/// Returns the used components of each input in order, such as `xy-w`.
fn used(compiled: &Compiled) -> String {
    let inputs = compiled.reflection.inputs.iter().map(|parameter| {
        let components = "xyzw".chars().enumerate();
        let components = components.filter(|(at, _)| parameter.mask >> at & 1 == 1);
        components
            .map(|(at, name)| if parameter.used >> at & 1 == 1 { name } else { '-' })
            .collect::<String>()
    });
    inputs.collect::<Vec<_>>().join(" ")
}

fn desc(compiled: &Compiled) -> &GeometryDesc {
    compiled.reflection.geometry.as_ref().unwrap()
}

#[test]
fn the_reflection_contains_the_primitives() {
    let inputs = [
        ("point", 1, InputPrimitive::Point),
        ("line", 2, InputPrimitive::Line),
        ("triangle", 3, InputPrimitive::Triangle),
        ("lineadj", 4, InputPrimitive::LineAdjacency),
        ("triangleadj", 6, InputPrimitive::TriangleAdjacency),
    ];
    let streams = [
        ("PointStream", StreamTopology::Points),
        ("LineStream", StreamTopology::LineStrips),
        ("TriangleStream", StreamTopology::TriangleStrips),
    ];
    for ((name, count, input), (stream, topology)) in inputs.into_iter().flat_map(|a| streams.map(|b| (a, b)))
    {
        let text = format!(
            "struct V {{ float4 p : SV_Position; }};
             [maxvertexcount(5)] void main({name} V v[{count}], inout {stream}<V> s) {{ s.Append(v[{count} - 1]); }}"
        );
        let compiled = compiled("gs_4_0", &text);
        let desc = desc(&compiled);
        assert_eq!((desc.input, &desc.streams[..]), (input, &[topology][..]), "{text}");
        assert_eq!((desc.max_vertex_count, desc.instance_count), (5, 1));
    }
    let text = "
        struct V { float4 p : P; };
        [instance(32)] [maxvertexcount(32)]
        void main(InputPatch<V, 17> v, inout PointStream<V> a, inout PointStream<V> b) { b.Append(v[16]); }";
    let patch = compiled("gs_5_0", text);
    let desc = desc(&patch);
    assert_eq!((desc.input, desc.instance_count, desc.streams.len()), (InputPrimitive::Patch(17), 32, 2));
    assert!(compiled("vs_5_0", "float4 main() : SV_Position { return 0; }").reflection.geometry.is_none());
}

#[test]
fn each_output_names_its_stream() {
    let text = "
        struct V { float4 p : P; };
        struct A { float4 p : SV_Position; float2 uv : UV; uint layer : SV_RenderTargetArrayIndex; };
        struct B { float2 uv : UV; };
        [maxvertexcount(2)] void main(point V v[1], inout PointStream<A> a, inout PointStream<B> b) {
            A first = { v[0].p, v[0].p.xy, 3 };
            a.Append(first);
            B second = { v[0].p.zw };
            b.Append(second);
        }";
    let compiled = compiled("gs_5_0", text);
    let outputs = compiled.reflection.outputs.iter();
    let outputs: Vec<_> = outputs
        .map(|output| (output.stream, output.semantic_name.as_str(), output.register.unwrap(), output.mask))
        .collect();
    let expected =
        [(0, "SV_Position", 0, 15), (0, "UV", 1, 3), (0, "SV_RenderTargetArrayIndex", 2, 1), (1, "UV", 0, 3)];
    assert_eq!(outputs, expected);
    assert_eq!(compiled.reflection.outputs[2].system_value, SystemValue::RenderTargetArrayIndex);
    assert_eq!(members(&compiled, "Stream0"), "Position:4 1:2 2:1");
    assert_eq!(members(&compiled, "Stream1"), "0:2");
}

#[test]
fn the_module_has_only_the_functions_that_the_shader_calls() {
    let rows = [
        ("s.Append(v[0]);", "onze.append0 onze.vertex onze.geometry"),
        ("s.Append(v[0]); s.RestartStrip();", "onze.append0 onze.restart0 onze.vertex onze.geometry"),
        ("V w = { float4(1, 2, 3, 4) }; s.Append(w);", "onze.append0 onze.geometry"),
        ("", "onze.geometry"),
        ("V w = { v[0].p }; s.Append(w);", "onze.append0 onze.vertex onze.geometry"),
    ];
    for (body, expected) in rows {
        let text = format!(
            "struct V {{ float4 p : P; }};
             [maxvertexcount(2)] void main(line V v[2], inout LineStream<V> s) {{ {body} }}"
        );
        let compiled = compiled("gs_5_0", &text);
        assert_eq!(functions(&compiled).join(" "), expected, "{body}");
        assert_eq!(compiled.module.entry_points[0].stage, naga::ShaderStage::Compute);
        assert_eq!(compiled.entry_point, "main");
    }
}

/// The previous stage need not write elements that no vertex reads.
#[test]
fn vertices_contain_only_elements_that_are_read() {
    let rows = [
        ("append(s, v[0].a);", "xyzw -- ---", "0:4"),
        ("append(s, v[1].b.y);", "---- -y ---", "1:2"),
        ("for (int i = 0; i < 3; i++) append(s, v[i].c.x);", "---- -- x--", "2:1"),
        ("append(s, sum(v));", "xyzw -- --z", "0:4 2:3"),
        ("append(s, first(v[number % 3]));", "---- x- ---", "1:1"),
        ("V all[3] = v; append(s, all[0].a);", "xyzw xy xyz", "0:4 1:2 2:3"),
        ("append(s, 0);", "---- -- ---", "none"),
    ];
    for (body, components, expected) in rows {
        let text = format!(
            "struct V {{ float4 a : A; float2 b : B; nointerpolation float3 c : C; }};
             struct O {{ float4 p : P; }};
             float4 sum(V v[3]) {{ return v[0].a + v[2].c.z; }}
             float4 first(V v) {{ return v.b.x; }}
             void append(inout TriangleStream<O> s, float4 p) {{ O o = {{ p }}; s.Append(o); }}
             [maxvertexcount(3)]
             void main(triangle V v[3], uint number : SV_PrimitiveID, inout TriangleStream<O> s) {{ {body} }}"
        );
        let compiled = compiled("gs_5_0", &text);
        let number = if body.contains("number") { "x" } else { "-" };
        assert_eq!(used(&compiled), format!("{components} {number}"), "{body}");
        assert_eq!(members(&compiled, "Vertex"), expected, "{body}");
    }
}

#[test]
fn vertices_may_have_no_elements() {
    let text = "
        struct V {};
        void emit(V v, inout TriangleStream<V> stream) { stream.Append(v); }
        [maxvertexcount(3)] void main(triangle V v[3], inout TriangleStream<V> stream) {
            emit(v[0], stream);
            stream.RestartStrip();
        }";
    let compiled = compiled("gs_5_0", text);
    assert_eq!(functions(&compiled).join(" "), "onze.append0 onze.restart0 onze.geometry");
    assert_eq!(
        (members(&compiled, "Vertex"), members(&compiled, "Stream0")),
        ("none".to_owned(), "none".to_owned())
    );
}

#[test]
fn a_position_may_share_its_register() {
    let text = "
        struct V { float t : T; float3 p : SV_Position; };
        [maxvertexcount(1)] void main(point V v[1], inout PointStream<V> s) { V o = { v[0].t, v[0].p.zyx }; s.Append(o); }";
    let compiled = compiled("gs_5_0", text);
    assert_eq!(members(&compiled, "Vertex"), "Position:4 0:1");
    assert_eq!(members(&compiled, "Stream0"), "Position:4 0:1");
}

#[test]
fn instances_and_vertices_are_limited_together() {
    let shader = |instances: u32, vertices: u32| {
        let text = format!(
            "struct V {{ float p : P; }}; [instance({instances})] [maxvertexcount({vertices})]
             void main(point V v[1], inout PointStream<V> s) {{ s.Append(v[0]); }}"
        );
        refusal("gs_5_0", &text)
    };
    for (instances, vertices) in [(32, 32), (1, 1024), (31, 33)] {
        assert_eq!(shader(instances, vertices), "", "{instances} {vertices}");
    }
    for (instances, vertices) in [(32, 33), (2, 513)] {
        let error = shader(instances, vertices);
        assert!(error.contains("at most 1024"), "{error}");
    }
    for instances in [0, 33] {
        let error = shader(instances, 1);
        assert!(error.contains("from 1 to 32"), "{error}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_geometry_shader_keeps_its_functions() {
    let text = "
        struct V { float4 p : P; };
        [maxvertexcount(2)] void main(line V v[2], inout LineStream<V> s) { s.Append(v[1]); s.RestartStrip(); }";
    let compiled = compiled("gs_5_0", text);
    let loaded = Compiled::from_bytes(&compiled.to_bytes().unwrap()).unwrap();
    assert_eq!(functions(&loaded), functions(&compiled));
    assert_eq!(loaded.reflection, compiled.reflection);
}
