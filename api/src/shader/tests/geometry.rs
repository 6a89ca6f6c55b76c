//! Tests of the programs of geometry shaders.

use onze_ddi::{GeometryProgram, InputPrimitive, ShaderCode, ShaderProgram, ShaderStage, StreamTopology};

use crate::shader::{GeometryShaderDesc, ShaderError, ShaderSource, compile};

fn geometry(source: ShaderSource<'_>) -> (ShaderCode, GeometryProgram) {
    let code = compile(source, ShaderStage::Geometry).unwrap();
    let ShaderProgram::Geometry(program) = code.program.clone() else { panic!("{:?}", code.program) };
    (code, program)
}

/// Returns the name of a function in the shader's module.
fn name(code: &ShaderCode, function: Option<naga::Handle<naga::Function>>) -> Option<&str> {
    function.map(|function| code.module.functions[function].name.as_deref().unwrap())
}

/// Returns the locations and numbers of components of the inputs, and of the outputs.
fn elements(code: &ShaderCode) -> [Vec<(u32, u8)>; 2] {
    let (inputs, outputs) = (code.reflection.inputs.iter(), code.reflection.outputs.iter());
    [
        inputs.map(|input| (input.location, input.components)).collect(),
        outputs.map(|output| (output.location, output.components)).collect(),
    ]
}

#[cfg(feature = "hlsl")]
#[test]
fn the_program_names_the_functions_of_the_module() {
    let text = "
        struct V { float4 a : A; float3 b : B; float4 p : SV_Position; };
        struct O { float4 p : SV_Position; float2 c : C; uint d : D; };
        struct Q { float4 e : E; };
        cbuffer Sizes : register(b3) { float size; };
        [instance(4)] [maxvertexcount(6)]
        void main(point V v[1], inout PointStream<O> first, inout PointStream<Q> second, inout PointStream<Q> third) {
            O o = { v[0].p * size, v[0].b.xy, 7 };
            first.Append(o);
            first.RestartStrip();
            Q q = { v[0].p };
            third.Append(q);
        }";
    let (code, program) = geometry(ShaderSource::hlsl(text, "main"));
    let name = |function| name(&code, function);
    assert_eq!((program.name.as_str(), code.program.name()), ("main", "main"));
    assert_eq!(
        (program.input, program.max_vertex_count, program.instance_count),
        (InputPrimitive::Point, 6, 4)
    );
    assert_eq!(name(Some(program.function)), Some("onze.geometry"));
    assert_eq!(name(program.vertex), Some("onze.vertex"));
    let streams = program.streams.iter().map(|stream| {
        assert_eq!(stream.topology, StreamTopology::Points);
        (name(stream.append), name(stream.restart), stream.has_position)
    });
    let expected = [
        (Some("onze.append0"), Some("onze.restart0"), true),
        (None, None, false),
        (Some("onze.append2"), None, false),
    ];
    assert_eq!(streams.collect::<Vec<_>>(), expected);
    let reflection = &code.reflection;
    assert_eq!((reflection.stage, reflection.workgroup_size), (ShaderStage::Geometry, [0; 3]));
    assert_eq!(reflection.constant_buffers[0].slot, 3);
    // Only the elements that the shader reads are inputs, and the outputs are those of the first stream.
    assert_eq!(elements(&code), [vec![(1, 2)], vec![(1, 2), (2, 1)]]);
    let outputs = |stream: usize| -> Vec<_> {
        program.streams[stream].outputs.iter().map(|o| (o.location, o.components)).collect()
    };
    assert_eq!((outputs(0), outputs(1), outputs(2)), (vec![(1, 2), (2, 1)], vec![], vec![(0, 4)]));
}

#[cfg(feature = "hlsl")]
#[test]
fn every_primitive_and_topology_is_converted() {
    let inputs = [
        ("point V v[1]", InputPrimitive::Point),
        ("line V v[2]", InputPrimitive::Line),
        ("triangle V v[3]", InputPrimitive::Triangle),
        ("lineadj V v[4]", InputPrimitive::LineAdjacency),
        ("triangleadj V v[6]", InputPrimitive::TriangleAdjacency),
        ("InputPatch<V, 9> v", InputPrimitive::Patch(9)),
    ];
    let streams = [
        ("PointStream", StreamTopology::Points),
        ("LineStream", StreamTopology::LineStrips),
        ("TriangleStream", StreamTopology::TriangleStrips),
    ];
    for ((input, primitive), (stream, topology)) in inputs.into_iter().flat_map(|a| streams.map(|b| (a, b))) {
        let text = format!(
            "struct V {{ float4 p : SV_Position; }};
             [maxvertexcount(1)] void main({input}, inout {stream}<V> s) {{ s.Append(v[0]); }}"
        );
        let (_, program) = geometry(ShaderSource::hlsl(&text, "main"));
        assert_eq!((program.input, program.streams[0].topology), (primitive, topology), "{text}");
    }
}

#[test]
fn a_compute_shader_is_no_geometry_shader() {
    let wgsl = ShaderSource::wgsl("@compute @workgroup_size(1) fn main() {}", "main");
    let error = compile(wgsl, ShaderStage::Geometry).unwrap_err();
    assert!(error.to_string().contains("use `ShaderSource::wgsl_geometry`"), "{error}");
}

#[test]
fn a_geometry_shader_is_no_shader_of_another_stage() {
    let text = format!("{STRUCTS} fn append0(v: Q) {{}} fn main(v: array<V, 1>) {{ append0(Q(v[0].a)); }}");
    let desc = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
    for stage in ShaderStage::ALL.into_iter().filter(|stage| *stage != ShaderStage::Geometry) {
        let error = compile(ShaderSource::wgsl_geometry(&text, "main", &desc), stage).unwrap_err();
        assert!(error.to_string().contains("call `create_geometry_shader`"), "{stage:?}: {error}");
    }
}

/// Other shaders of the same source may use shared memory and barriers.
#[test]
fn only_the_geometry_shader_itself_may_not_use_shared_memory() {
    let compute = "
        var<workgroup> tile: array<f32, 64>;
        @compute @workgroup_size(64) fn blur() { tile[0] = 1.0; workgroupBarrier(); }
        fn append0(v: Q) {} fn main(v: array<V, 1>) { append0(Q(v[0].a)); }";
    let desc = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
    assert!(wgsl(compute, &desc).is_ok());
}

#[test]
fn a_vertex_has_the_registers_of_all_streams() {
    let streams = [StreamTopology::Points; 2];
    let text = "
        struct A { @location(0) a: vec4f, @location(1) b: f32 }
        struct B { @location(1) b: vec2f, @builtin(position) p: vec4f }
        fn append0(v: A) {} fn append1(v: B) {}
        fn main(v: array<V, 1>) { append0(A(v[0].a, 1.0)); append1(B(vec2f(), v[0].a)); }";
    // Locations 0 and 1 have 4 and 2 components, and the position has 4.
    for (count, is_valid) in [(102, true), (103, false)] {
        let desc = GeometryShaderDesc::new(InputPrimitive::Point, count, &streams);
        assert_eq!(wgsl(text, &desc).is_ok(), is_valid, "{count}");
    }
}

#[test]
fn a_vertex_has_at_most_32_members() {
    for (members, is_valid) in [(31, true), (32, false)] {
        let locations: String = (0..members).map(|i| format!("@location({i}) m{i}: f32, ")).collect();
        let text = format!(
            "struct W {{ {locations} @builtin(position) p: vec4f }} fn main(v: array<W, 1>) {{ let w = v[0]; }}"
        );
        let desc = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
        assert_eq!(wgsl(&text, &desc).is_ok(), is_valid, "{members}");
    }
}

const STRUCTS: &str = "
    struct V { @location(0) a: vec4f, @location(3) b: vec2u, @builtin(position) p: vec4f }
    struct O { @builtin(position) p: vec4f, @location(0) c: vec2f, @location(1) d: u32 }
    struct Q { @location(0) e: vec4f }
    @group(0) @binding(3) var<uniform> size: f32;";

fn wgsl(functions: &str, desc: &GeometryShaderDesc<'_>) -> Result<ShaderCode, ShaderError> {
    let text = format!("{STRUCTS} {functions}");
    compile(ShaderSource::wgsl_geometry(&text, "main", desc), ShaderStage::Geometry)
}

#[test]
fn a_function_in_wgsl_becomes_a_program() {
    let text = format!(
        "{STRUCTS}
         fn append0(vertex: O) {{}}
         fn append1(vertex: Q) {{ return; }}
         fn restart1() {{}}
         fn helper(v: array<V, 3>, at: u32) -> vec4f {{ return v[at].a * size; }}
         fn main(v: array<V, 3>, primitive: u32, instance: u32) {{
             for (var k = 0u; k < 3u; k++) {{ append0(O(helper(v, k), v[k].a.xy, primitive)); }}
             append1(Q(vec4f(f32(instance))));
             restart1();
         }}"
    );
    let streams = [StreamTopology::Points; 3];
    let desc = GeometryShaderDesc::new(InputPrimitive::Triangle, 8, &streams).with_instances(5);
    let (code, program) = geometry(ShaderSource::wgsl_geometry(&text, "main", &desc));
    assert_eq!((program.name.as_str(), program.input), ("main", InputPrimitive::Triangle));
    assert_eq!((program.max_vertex_count, program.instance_count), (8, 5));
    assert_eq!(name(&code, Some(program.function)), Some("onze.geometry"));
    assert_eq!(name(&code, program.vertex), Some("onze.vertex"));
    let streams = program.streams.iter();
    let streams: Vec<_> = streams
        .map(|stream| (name(&code, stream.append), name(&code, stream.restart), stream.has_position))
        .collect();
    let expected = [
        (Some("onze.append0"), None, true),
        (Some("onze.append1"), Some("onze.restart1"), false),
        (None, None, false),
    ];
    assert_eq!(streams, expected);
    assert_eq!(elements(&code), [vec![(0, 4), (3, 2)], vec![(0, 2), (1, 1)]]);
    assert_eq!(code.reflection.constant_buffers[0].slot, 3);
    // Each vertex of the primitive is fetched once, in order.
    let function = &code.module.functions[program.function];
    let calls = function.body.iter().filter_map(|statement| match statement {
        naga::Statement::Call { function, arguments, .. } if Some(*function) == program.vertex => {
            Some(arguments[0])
        }
        _ => None,
    });
    let indices: Vec<_> = calls.map(|index| function.expressions[index].clone()).collect();
    let literal = |index| naga::Expression::Literal(naga::Literal::U32(index));
    // The shader gets the number of the primitive, and then that of the instance.
    let shader = function.body.iter().find_map(|statement| match statement {
        naga::Statement::Call { function, arguments, .. } if Some(*function) != program.vertex => {
            Some(arguments)
        }
        _ => None,
    });
    let numbers = shader.unwrap()[1..].iter().map(|number| match function.expressions[*number] {
        naga::Expression::FunctionArgument(at) => at,
        ref other => panic!("{other:?}"),
    });
    assert_eq!(numbers.collect::<Vec<_>>(), [0, 1]);
    assert_eq!(indices.len(), 3);
    for (found, index) in indices.iter().zip(0..) {
        assert!(format!("{found:?}") == format!("{:?}", literal(index)), "{found:?}");
    }
}

#[test]
fn the_numbers_of_primitive_and_instance_may_be_absent() {
    let desc = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
    for arguments in ["", ", primitive: u32", ", primitive: u32, instance: u32"] {
        let code = wgsl(
            &format!("fn append0(v: Q) {{}} fn main(v: array<V, 1>{arguments}) {{ append0(Q(v[0].a)); }}"),
            &desc,
        );
        assert!(code.is_ok(), "{arguments}: {code:?}");
    }
}

#[test]
fn mistakes_in_wgsl_geometry_shaders_are_named() {
    let points = [StreamTopology::Points; 5];
    let desc = |count, instances, streams: usize| {
        GeometryShaderDesc::new(InputPrimitive::Line, count, &points[..streams]).with_instances(instances)
    };
    let good =
        "fn append0(v: O) {} fn restart0() {} fn main(v: array<V, 2>) { append0(O(v[0].p, v[1].a.xy, 1)); }";
    let mixed = [StreamTopology::Points, StreamTopology::LineStrips];
    let usual = desc(4, 1, 1);
    assert!(wgsl(good, &usual).is_ok());
    let rows = [
        (good, desc(0, 1, 1), "max_vertex_count is 0"),
        (good, desc(1025, 1, 1), "max_vertex_count is 1025"),
        (good, desc(4, 0, 1), "instance_count is 0"),
        (good, desc(4, 33, 1), "instance_count is 33"),
        (good, desc(100, 11, 1), "make 1100"),
        // A vertex has 7 components.
        (good, desc(147, 1, 1), "make 1029"),
        (good, desc(4, 1, 0), "there are 0 streams"),
        (good, desc(4, 1, 5), "there are 5 streams"),
        (good, GeometryShaderDesc::new(InputPrimitive::Line, 4, &mixed), "several streams"),
        (good, GeometryShaderDesc::new(InputPrimitive::Patch(33), 4, &points[..1]), "not 33"),
        (good, GeometryShaderDesc::new(InputPrimitive::Triangle, 4, &points[..1]), "array<V, 3>"),
        ("fn other() {}", usual, "no function `main`"),
        ("fn main() {}", usual, "array<V, 2>"),
        ("fn main(v: array<vec4f, 2>) {}", usual, "where V is a structure"),
        ("fn main(v: array<V, 2>, n: i32) {}", usual, "primitive: u32"),
        ("fn main(v: array<V, 2>, n: u32, m: u32, o: u32) {}", usual, "primitive: u32"),
        ("fn main(v: array<V, 2>) -> u32 { return 1u; }", usual, "array<V, 2>"),
        (
            "fn append0(v: O) { discard; } fn main(v: array<V, 2>) {}",
            usual,
            "`append0` must have an empty body",
        ),
        (
            "fn append0(v: O) -> u32 { return 1u; } fn main(v: array<V, 2>) {}",
            usual,
            "`append0` must have an empty",
        ),
        ("fn append0(v: vec4f) {} fn main(v: array<V, 2>) {}", usual, "`append0` must have one argument"),
        ("fn restart0(v: O) {} fn main(v: array<V, 2>) {}", usual, "`restart0` must have no arguments"),
        (
            "struct W { a: vec4f } fn main(v: array<W, 2>) {}",
            usual,
            "the member `a` of `W` needs a @location",
        ),
        ("struct W { @location(32) a: vec4f } fn main(v: array<W, 2>) {}", usual, "below 32"),
        (
            "struct W { @location(0) a: f32, @location(0) b: f32 } fn main(v: array<W, 2>) {}",
            usual,
            "@location(0)",
        ),
        ("struct W { a: array<f32, 2> } fn main(v: array<W, 2>) {}", usual, "must be a scalar or a vector"),
        (
            "struct W { @location(0) a: vec2<bool> } fn main(v: array<W, 2>) {}",
            usual,
            "must be f32, i32 or u32",
        ),
        (
            "struct W { @builtin(position) a: vec4f, @builtin(position) b: vec4f } fn main(v: array<W, 2>) {}",
            usual,
            "two members of `W` have @builtin(position)",
        ),
        ("struct W { @builtin(position) a: vec2f } fn main(v: array<W, 2>) {}", usual, "must be a vec4f"),
        ("struct W { @builtin(position) a: vec4u } fn main(v: array<W, 2>) {}", usual, "must be a vec4f"),
        ("fn append1(v: Q) {} fn main(v: array<V, 2>) { append1(Q(v[0].a)); }", usual, "has no stream 1"),
        ("fn restart3() {} fn main(v: array<V, 2>) {}", desc(4, 1, 3), "has no stream 3"),
        ("var<workgroup> w: u32; fn main(v: array<V, 2>) { w = 1u; }", usual, "var<workgroup>"),
        ("fn main(v: array<V, 2>) { workgroupBarrier(); }", usual, "a barrier"),
    ];
    for (text, desc, words) in rows {
        match wgsl(text, &desc) {
            Err(ShaderError::Geometry { reason }) => assert!(reason.contains(words), "{text}: {reason}"),
            other => panic!("{text}: {words}: {other:?}"),
        }
    }
    let written =
        "@group(3) @binding(0) var<storage, read_write> w: u32; fn main(v: array<V, 2>) { w = 1u; }";
    assert!(matches!(wgsl(written, &usual), Err(ShaderError::UnorderedAccess { .. })));
    assert!(matches!(wgsl("fn main(v: array<V, 2>) { x }", &usual), Err(ShaderError::Parse { .. })));
}
