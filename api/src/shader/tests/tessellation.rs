//! Tests of the programs of hull and domain shaders.

use naga::{Expression, Function, Handle, Statement, TypeInner};
#[cfg(feature = "hlsl")]
use onze_ddi::ScalarKind;
use onze_ddi::{
    DomainProgram, HullProgram, OutputValue, ShaderCode, ShaderProgram, ShaderStage, TessellatorDomain,
    TessellatorOutput, TessellatorPartitioning,
};

use crate::shader::{HullShaderDesc, ShaderError, ShaderSource, compile};

const STRUCTS: &str = "
    struct V { @builtin(position) at: vec4f, @location(0) a: vec4f, @location(3) b: vec2u }
    struct P { @location(1) c: vec3f, @builtin(position) at: vec4f }
    struct Tri { @location(2) y: vec3f, inside_tess_factor: f32, @location(0) x: u32, tess_factor: array<f32, 3> }
    struct Quad { tess_factor: array<f32, 4>, @location(5) z: f32, inside_tess_factor: array<f32, 2> }
    struct Lines { tess_factor: array<f32, 2> }
    struct Out { @location(0) color: vec4f, @builtin(position) at: vec4f, @location(1) layer: u32 }
    @group(0) @binding(3) var<uniform> size: f32;
    fn tri() -> Tri { return Tri(vec3f(), 1.0, 2, array(3.0, 4.0, 5.0)); }
    fn quad() -> Quad { return Quad(array(1.0, 2.0, 3.0, 4.0), 0.5, array(5.0, 6.0)); }
    fn lines() -> Lines { return Lines(array(1.0, 2.0)); }";

fn hull(functions: &str, desc: &HullShaderDesc<'_>) -> Result<ShaderCode, ShaderError> {
    let text = format!("{STRUCTS} {functions}");
    compile(ShaderSource::wgsl_hull(&text, "constants", desc), ShaderStage::Hull)
}

fn domain(functions: &str, domain: TessellatorDomain) -> Result<ShaderCode, ShaderError> {
    let text = format!("{STRUCTS} {functions}");
    compile(ShaderSource::wgsl_domain(&text, "main", domain), ShaderStage::Domain)
}

fn hull_program(code: &ShaderCode) -> &HullProgram {
    match &code.program {
        ShaderProgram::Hull(program) => program,
        other => panic!("{other:?}"),
    }
}

fn domain_program(code: &ShaderCode) -> &DomainProgram {
    match &code.program {
        ShaderProgram::Domain(program) => program,
        other => panic!("{other:?}"),
    }
}

/// Returns a function's name, the names of its arguments, and the name of its result's type.
fn signature(code: &ShaderCode, function: Option<Handle<Function>>) -> Option<String> {
    let function = &code.module.functions[function?];
    let arguments: Vec<_> =
        function.arguments.iter().map(|argument| argument.name.as_deref().unwrap()).collect();
    let result = function.result.as_ref().and_then(|result| code.module.types[result.ty].name.as_deref());
    Some(format!("{}({}) -> {}", function.name.as_deref().unwrap(), arguments.join(", "), result.unwrap()))
}

/// Returns the locations and numbers of components of the inputs, and of the outputs.
fn elements(code: &ShaderCode) -> [Vec<(u32, u8)>; 2] {
    let (inputs, outputs) = (code.reflection.inputs.iter(), code.reflection.outputs.iter());
    [
        inputs.map(|input| (input.location, input.components)).collect(),
        outputs.map(|output| (output.location, output.components)).collect(),
    ]
}

/// Returns the members of the structure that a function returns, with their offsets.
fn members(code: &ShaderCode, function: Handle<Function>) -> Vec<(String, u32)> {
    let result = code.module.functions[function].result.as_ref().unwrap();
    let TypeInner::Struct { members, .. } = &code.module.types[result.ty].inner else { panic!() };
    members.iter().map(|member| (member.name.clone().unwrap(), member.offset)).collect()
}

/// Returns the indices in the calls of one function by another one.
fn fetched(code: &ShaderCode, caller: Handle<Function>, called: Option<Handle<Function>>) -> Vec<u32> {
    let caller = &code.module.functions[caller];
    let calls = caller.body.iter().filter_map(|statement| match statement {
        Statement::Call { function, arguments, .. } if Some(*function) == called => Some(arguments[0]),
        _ => None,
    });
    let index = |index| match caller.expressions[index] {
        Expression::Literal(naga::Literal::U32(index)) => index,
        ref other => panic!("{other:?}"),
    };
    calls.map(index).collect()
}

const POINTS: &str = "fn points(v: array<V, 4>, point: u32, primitive: u32) -> P {
        return P(v[point].a.xyz * size, vec4f(f32(primitive)));
    }";

#[test]
fn functions_in_wgsl_become_a_hull_program() {
    let text = format!(
        "{POINTS} fn constants(v: array<V, 4>, points: array<P, 3>, primitive: u32) -> Tri {{
            return Tri(points[2].c, v[1].a.x, primitive, array(1.0, 2.0, 3.0));
        }}"
    );
    let desc = HullShaderDesc::new(TessellatorDomain::Triangle, 4)
        .with_control_points("points", 3)
        .with_partitioning(TessellatorPartitioning::FractionalOdd)
        .with_output(TessellatorOutput::TriangleCcw)
        .with_max_tess_factor(7.5);
    let code = hull(&text, &desc).unwrap();
    let program = hull_program(&code);
    assert_eq!((program.name.as_str(), program.input_points, program.output_points), ("constants", 4, 3));
    assert_eq!(program.domain, TessellatorDomain::Triangle);
    assert_eq!(program.partitioning, TessellatorPartitioning::FractionalOdd);
    assert_eq!((program.output, program.max_tess_factor), (TessellatorOutput::TriangleCcw, 7.5));
    let signature = |function| signature(&code, function);
    assert_eq!(signature(program.control_point).unwrap(), "onze.control_point(index, primitive) -> P");
    let constants = Some(program.patch_constants);
    assert_eq!(signature(constants).unwrap(), "onze.patch_constants(primitive) -> PatchConstants");
    assert_eq!(signature(program.input_point).unwrap(), "onze.input_point(index) -> V");
    assert_eq!(signature(program.output_point).unwrap(), "onze.output_point(index) -> P");
    // Factors come first, and other members by location.
    let expected = [("edge0", 0), ("edge1", 4), ("edge2", 8), ("inside0", 12), ("x", 16), ("y", 32)];
    assert_eq!(members(&code, program.patch_constants), expected.map(|(name, at)| (name.to_owned(), at)));
    let outputs = program.patch_outputs.iter();
    let outputs: Vec<_> = outputs.map(|output| (output.location, output.name.as_str())).collect();
    assert_eq!(outputs, [(0, "x"), (2, "y")]);
    assert_eq!(elements(&code), [vec![(0, 4), (3, 2)], vec![(1, 3)]]);
    assert_eq!((code.reflection.stage, code.reflection.workgroup_size), (ShaderStage::Hull, [0; 3]));
    assert_eq!(code.reflection.constant_buffers[0].slot, 3);
    assert_eq!(fetched(&code, program.control_point.unwrap(), program.input_point), [0, 1, 2, 3]);
    // The function of the shader gets the number of the point, and then that of the patch.
    let function = &code.module.functions[program.control_point.unwrap()];
    let arguments = function.body.iter().find_map(|statement| match statement {
        Statement::Call { function, arguments, .. } if Some(*function) != program.input_point => {
            Some(&arguments[1..])
        }
        _ => None,
    });
    let numbers = arguments.unwrap().iter().map(|number| match function.expressions[*number] {
        Expression::FunctionArgument(at) => at,
        ref other => panic!("{other:?}"),
    });
    assert_eq!(numbers.collect::<Vec<_>>(), [0, 1]);
    assert_eq!(fetched(&code, program.patch_constants, program.input_point), [0, 1, 2, 3]);
    assert_eq!(fetched(&code, program.patch_constants, program.output_point), [0, 1, 2]);
}

/// Returns which member of the shader's structure, and which of its elements, each component of the flat structure is.
fn sources(code: &ShaderCode) -> Vec<(u32, Option<u32>)> {
    let function = &code.module.functions[hull_program(code).patch_constants];
    let Some(Statement::Return { value: Some(value) }) = function.body.last() else { panic!() };
    let Expression::Compose { components, .. } = &function.expressions[*value] else { panic!() };
    let source = |component: &Handle<Expression>| {
        let Expression::AccessIndex { base, index } = function.expressions[*component] else { panic!() };
        match function.expressions[base] {
            Expression::AccessIndex { index: member, .. } => (member, Some(index)),
            _ => (index, None),
        }
    };
    components.iter().map(source).collect()
}

#[test]
fn factors_and_constants_get_their_places() {
    let rows = [
        (
            TessellatorDomain::Triangle,
            "Tri { return tri(); }",
            vec![(3, Some(0)), (3, Some(1)), (3, Some(2)), (1, None), (2, None), (0, None)],
        ),
        (
            TessellatorDomain::Quad,
            "Quad { return quad(); }",
            vec![
                (0, Some(0)),
                (0, Some(1)),
                (0, Some(2)),
                (0, Some(3)),
                (2, Some(0)),
                (2, Some(1)),
                (1, None),
            ],
        ),
        (TessellatorDomain::Isoline, "Lines { return lines(); }", vec![(0, Some(0)), (0, Some(1))]),
    ];
    for (shape, function, expected) in rows {
        let desc = HullShaderDesc::new(shape, 4);
        let code = hull(&format!("fn constants(v: array<V, 4>) -> {function}"), &desc).unwrap();
        assert_eq!(sources(&code), expected, "{shape:?}");
        let program = hull_program(&code);
        let output = match shape {
            TessellatorDomain::Isoline => TessellatorOutput::Line,
            _ => TessellatorOutput::TriangleCw,
        };
        assert_eq!((program.output, program.partitioning), (output, TessellatorPartitioning::Integer));
        assert_eq!(program.max_tess_factor, 64.0);
    }
}

#[test]
fn without_a_function_control_points_pass_through() {
    let desc = HullShaderDesc::new(TessellatorDomain::Isoline, 4);
    let code = hull("fn constants(v: array<V, 4>, p: array<V, 4>) -> Lines { return lines(); }", &desc);
    let code = code.unwrap();
    let program = hull_program(&code);
    assert_eq!((program.control_point, program.output_points), (None, 4));
    assert_eq!(signature(&code, program.output_point).unwrap(), "onze.output_point(index) -> V");
    assert_eq!(elements(&code), [vec![(0, 4), (3, 2)], vec![(0, 4), (3, 2)]]);
    // A patch without control points has only constants.
    let mut desc = desc;
    desc.output_control_points = 0;
    let code = hull("fn constants(v: array<V, 4>) -> Lines { return lines(); }", &desc).unwrap();
    assert_eq!(elements(&code), [vec![(0, 4), (3, 2)], vec![]]);
    let code = hull("fn constants() -> Lines { return lines(); }", &desc).unwrap();
    assert_eq!((elements(&code), hull_program(&code).input_point), ([vec![], vec![]], None));
}

#[test]
fn arguments_of_a_hull_shader_may_be_absent() {
    let desc = HullShaderDesc::new(TessellatorDomain::Isoline, 4).with_control_points("points", 4);
    for points in ["", "v: array<V, 4>", "n: u32", "v: array<V, 4>, n: u32", "n: u32, m: u32"] {
        for constants in
            ["", "v: array<V, 4>", "v: array<V, 4>, p: array<P, 4>", "n: u32", "v: array<V, 4>, n: u32"]
        {
            let text = format!(
                "fn points({points}) -> P {{ return P(); }} fn constants({constants}) -> Lines {{ return lines(); }}"
            );
            let code = hull(&text, &desc).unwrap_or_else(|error| panic!("{text}: {error}"));
            let reads = text.contains('V');
            assert_eq!(hull_program(&code).input_point.is_some(), reads, "{text}");
        }
    }
}

#[test]
fn a_function_in_wgsl_becomes_a_domain_program() {
    let text = "
        fn main(constants: Tri, points: array<P, 3>, location: vec3f, primitive: u32) -> Out {
            return Out(vec4f(points[0].c, constants.tess_factor[2]), vec4f(location, size), primitive);
        }";
    let code = domain(text, TessellatorDomain::Triangle).unwrap();
    let program = domain_program(&code);
    assert_eq!((program.name.as_str(), program.domain), ("main", TessellatorDomain::Triangle));
    assert_eq!((program.points, program.has_position), (Some(3), true));
    let signature = |function| signature(&code, function);
    assert_eq!(signature(Some(program.function)).unwrap(), "onze.domain(location, primitive) -> Out");
    assert_eq!(signature(program.point).unwrap(), "onze.point(index) -> P");
    assert_eq!(signature(program.constants).unwrap(), "onze.constants() -> PatchConstants");
    let expected = [("edge0", 0), ("edge1", 4), ("edge2", 8), ("inside0", 12), ("x", 16), ("y", 32)];
    assert_eq!(members(&code, program.constants.unwrap()), expected.map(|(name, at)| (name.to_owned(), at)));
    let inputs: Vec<_> =
        program.patch_inputs.iter().map(|input| (input.location, input.components)).collect();
    assert_eq!(inputs, [(0, 1), (2, 3)]);
    assert_eq!(elements(&code), [vec![(1, 3)], vec![(0, 4), (1, 1)]]);
    let layer = &code.reflection.system_outputs[0];
    assert_eq!((layer.value, layer.location), (OutputValue::RenderTargetArrayIndex, 1));
    assert_eq!(fetched(&code, program.function, program.point), [0, 1, 2]);
    let body = &code.module.functions[program.function];
    // The structure of the shader is composed from the flat one.
    let factors = body.expressions.iter().filter_map(|(_, expression)| match expression {
        Expression::AccessIndex { index, .. } => Some(*index),
        _ => None,
    });
    assert_eq!(factors.collect::<Vec<_>>(), [5, 3, 4, 0, 1, 2]);
}

#[test]
fn arguments_of_a_domain_shader_may_be_absent() {
    let all = ["c: Lines", "p: array<P, 3>", "at: vec3f", "n: u32"];
    for present in 0..16_u32 {
        let arguments = (0..4).filter(|at| present & 1 << at != 0).map(|at| all[at]);
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        let text = format!("fn main({arguments}) -> Out {{ return Out(); }}");
        let code = domain(&text, TessellatorDomain::Isoline).unwrap_or_else(|e| panic!("{text}: {e}"));
        let program = domain_program(&code);
        assert_eq!(program.constants.is_some(), present & 1 != 0, "{text}");
        assert_eq!(program.points.is_some() && program.point.is_some(), present & 2 != 0, "{text}");
    }
    let code = domain("fn main() -> P { return P(); }", TessellatorDomain::Quad).unwrap();
    assert!(domain_program(&code).has_position);
    let text = "struct N { @location(0) a: f32 } fn main() -> N { return N(); }";
    assert!(!domain_program(&domain(text, TessellatorDomain::Quad).unwrap()).has_position);
}

#[test]
fn shaders_belong_to_one_stage() {
    let hull = HullShaderDesc::new(TessellatorDomain::Isoline, 4);
    let text = format!("{STRUCTS} fn main(v: array<V, 4>) -> Lines {{ return lines(); }}");
    let hull = ShaderSource::wgsl_hull(&text, "main", &hull);
    let text = format!("{STRUCTS} fn main() -> Out {{ return Out(); }}");
    let domain = ShaderSource::wgsl_domain(&text, "main", TessellatorDomain::Quad);
    for (source, own) in [(hull, ShaderStage::Hull), (domain, ShaderStage::Domain)] {
        for stage in ShaderStage::ALL {
            match compile(source, stage) {
                Ok(_) => assert_eq!(stage, own),
                Err(error) => {
                    assert_ne!(stage, own);
                    let words = format!("call `create_{}_shader`", own.name());
                    assert!(error.to_string().contains(&words), "{stage:?}: {error}");
                }
            }
        }
        let wgsl = ShaderSource::wgsl("@compute @workgroup_size(1) fn main() {}", "main");
        let error = compile(wgsl, own).unwrap_err().to_string();
        assert!(error.contains(&format!("use `ShaderSource::wgsl_{}`", own.name())), "{error}");
    }
}

#[test]
fn the_type_of_a_single_array_tells_which_points_it_has() {
    let desc = HullShaderDesc::new(TessellatorDomain::Isoline, 4);
    let reads_input = POINTS;
    let reads_none = "fn points(point: u32) -> P { return P(); }";
    let same_type = "fn points(v: array<P, 4>, point: u32) -> P { return v[point]; }";
    // The function of control points, the array, and whether it has the input and the output control points.
    let rows = [
        (reads_input, "array<P, 3>", 3, [true, true]),
        (reads_input, "array<V, 4>", 3, [true, false]),
        (reads_none, "array<P, 3>", 3, [false, true]),
        (reads_none, "array<V, 4>", 3, [true, false]),
        (same_type, "array<P, 4>", 3, [true, false]),
    ];
    for (points, array, outputs, expected) in rows {
        let text =
            format!("{points} fn constants(v: {array}) -> Lines {{ let a = v[1].at; return lines(); }}");
        let code = hull(&text, &desc.with_control_points("points", outputs)).unwrap();
        let program = hull_program(&code);
        let found = [program.input_point.is_some(), program.output_point.is_some()];
        assert_eq!(found, expected, "{points} {array}");
        let of_constants = fetched(&code, program.patch_constants, program.output_point);
        assert_eq!(!of_constants.is_empty(), expected[1], "{points} {array}");
    }
    let text = format!("{POINTS} fn constants(v: array<P, 4>) -> Lines {{ return lines(); }}");
    let error = hull(&text, &desc.with_control_points("points", 3)).unwrap_err().to_string();
    assert!(error.contains("outputs: array<P, 3>"), "{error}");
}

#[test]
fn mistakes_in_wgsl_hull_shaders_are_named() {
    use TessellatorDomain::{Isoline, Quad, Triangle};
    let lines = "fn constants(v: array<V, 4>) -> Lines { return lines(); }";
    let usual = HullShaderDesc::new(Isoline, 4);
    let points = usual.with_control_points("points", 3);
    let changed = |change: fn(&mut HullShaderDesc<'_>)| {
        let mut desc = usual;
        change(&mut desc);
        desc
    };
    assert!(hull(lines, &usual).is_ok());
    let rows = [
        (lines, changed(|desc| desc.input_control_points = 0), "input_control_points is 0"),
        (lines, HullShaderDesc::new(Isoline, 33), "input_control_points is 33"),
        (lines, changed(|desc| desc.output_control_points = 33), "output_control_points is 33"),
        (lines, changed(|desc| desc.output_control_points = 3), "they can only differ"),
        (lines, usual.with_control_points("points", 0), "output_control_points is 0, so"),
        (lines, usual.with_max_tess_factor(0.5), "max_tess_factor is 0.5"),
        (lines, usual.with_max_tess_factor(64.5), "max_tess_factor is 64.5"),
        (lines, usual.with_max_tess_factor(f32::NAN), "max_tess_factor is NaN"),
        (lines, usual.with_output(TessellatorOutput::TriangleCcw), "TessellatorOutput::TriangleCcw"),
        (lines, HullShaderDesc::new(Quad, 4).with_output(TessellatorOutput::Line), "TessellatorOutput::Line"),
        (lines, points, "no function `points`"),
        ("fn other() {}", usual, "no function `constants`"),
        ("fn constants() {}", usual, "array<V, 4>"),
        ("fn constants() -> f32 { return 1.0; }", usual, "array<V, 4>"),
        ("fn constants(v: array<V, 3>) -> Lines { return lines(); }", usual, "array<V, 4>"),
        ("fn constants(v: array<vec4f, 4>) -> Lines { return lines(); }", usual, "are structures"),
        ("fn constants(v: array<V, 4>, n: i32) -> Lines { return lines(); }", usual, "primitive: u32"),
        (
            "fn constants(v: array<V, 4>, n: u32, m: u32) -> Lines { return lines(); }",
            usual,
            "primitive: u32",
        ),
        ("fn constants() -> Lines { return lines(); }", usual, "declares the members of the control points"),
        (
            "fn constants(v: array<V, 4>, p: array<P, 4>) -> Lines { return lines(); }",
            usual,
            "they are of type `V`",
        ),
        (
            "fn points(v: array<P, 4>) -> P { return v[0]; } fn constants(v: array<V, 4>) -> Lines { return lines(); }",
            points,
            "both read the same points",
        ),
        (
            "fn points() -> P { return P(); } fn constants(v: array<V, 4>, p: array<V, 3>) -> Lines { return lines(); }",
            points,
            "they are of type `P`",
        ),
        (
            "fn points() -> P { return P(); } fn constants(v: array<V, 4>, p: array<P, 4>) -> Lines { return lines(); }",
            points,
            "outputs: array<P, 3>",
        ),
        ("fn points() {} fn constants() -> Lines { return lines(); }", points, "`points` must be declared"),
        (
            "fn points(n: u32, m: u32, o: u32) -> P { return P(); } fn constants() -> Lines { return lines(); }",
            points,
            "`points` must be declared",
        ),
        (
            "fn points(v: array<V, 3>) -> P { return P(); } fn constants() -> Lines { return lines(); }",
            points,
            "`points` must be declared",
        ),
        (
            "struct W { a: vec4f } fn constants(v: array<W, 4>) -> Lines { return lines(); }",
            usual,
            "`W` needs a @location",
        ),
        (
            "struct W { a: vec4f } fn points() -> W { return W(); } fn constants() -> Lines { return lines(); }",
            points,
            "`W` needs a @location",
        ),
        (
            "struct C { @location(0) x: f32 } fn constants(v: array<V, 4>) -> C { return C(); }",
            usual,
            "must have the member `tess_factor: array<f32, 2>` for TessellatorDomain::Isoline",
        ),
        (
            "struct C { tess_factor: array<f32, 3> } fn constants(v: array<V, 4>) -> C { return C(); }",
            usual,
            "must be array<f32, 2>",
        ),
        (
            "struct C { tess_factor: array<u32, 2> } fn constants(v: array<V, 4>) -> C { return C(); }",
            usual,
            "must be array<f32, 2>",
        ),
        (
            "struct C { tess_factor: array<f32, 2>, inside_tess_factor: f32 }
             fn constants(v: array<V, 4>) -> C { return C(); }",
            usual,
            "has no such factors",
        ),
        (
            "struct C { tess_factor: array<f32, 3>, inside_tess_factor: array<f32, 1> }
             fn constants(v: array<V, 4>) -> C { return C(); }",
            HullShaderDesc::new(Triangle, 4),
            "must be f32 for TessellatorDomain::Triangle",
        ),
        (
            "struct C { tess_factor: array<f32, 4> } fn constants(v: array<V, 4>) -> C { return C(); }",
            HullShaderDesc::new(Quad, 4),
            "inside_tess_factor: array<f32, 2>",
        ),
        (
            "struct C { tess_factor: array<f32, 2>, @builtin(position) p: vec4f }
             fn constants(v: array<V, 4>) -> C { return C(); }",
            usual,
            "patch constants have none",
        ),
        (
            "struct C { tess_factor: array<f32, 2>, size: f32 } fn constants(v: array<V, 4>) -> C { return C(); }",
            usual,
            "`size` of `C` needs a @location",
        ),
        (
            "var<workgroup> w: u32; fn constants(v: array<V, 4>) -> Lines { w = 1u; return lines(); }",
            usual,
            "var<workgroup>",
        ),
        ("fn constants(v: array<V, 4>) -> Lines { workgroupBarrier(); return lines(); }", usual, "a barrier"),
        (
            "fn points() -> P { workgroupBarrier(); return P(); } fn constants() -> Lines { return lines(); }",
            points,
            "a barrier",
        ),
    ];
    for (text, desc, words) in rows {
        match hull(text, &desc) {
            Err(ShaderError::Hull { reason }) => assert!(reason.contains(words), "{text}: {reason}"),
            other => panic!("{text}: {words}: {other:?}"),
        }
    }
}

#[test]
fn patch_constants_and_points_have_limits() {
    let isoline = HullShaderDesc::new(TessellatorDomain::Isoline, 4);
    for (members, is_valid) in [(30, true), (31, false)] {
        let members: String = (0..members).map(|at| format!(", @location({at}) m{at}: f32")).collect();
        let text = format!(
            "struct C {{ tess_factor: array<f32, 2>{members} }} fn constants(v: array<V, 4>) -> C {{ return C(); }}"
        );
        assert_eq!(hull(&text, &isoline).is_ok(), is_valid, "{members}");
    }
    // 31 locations and the position have 128 components, so 31 points have 3,968.
    let members: String = (0..31).map(|at| format!("@location({at}) m{at}: vec4f, ")).collect();
    let text = format!(
        "struct W {{ {members} @builtin(position) at: vec4f }} fn points() -> W {{ return W(); }}
         fn constants() -> Lines {{ return lines(); }}"
    );
    for (count, is_valid) in [(31, true), (32, false)] {
        assert_eq!(hull(&text, &isoline.with_control_points("points", count)).is_ok(), is_valid, "{count}");
    }
}

#[test]
fn mistakes_in_wgsl_domain_shaders_are_named() {
    let rows = [
        ("fn other() {}", "no function `main`"),
        ("fn main() {}", "must be declared as"),
        ("fn main() -> vec4f { return vec4f(); }", "must be declared as"),
        ("fn main(p: array<P, 3>, c: Quad) -> Out { return Out(); }", "constants: C, points: array<P, N>"),
        ("fn main(at: vec2f) -> Out { return Out(); }", "location: vec3f"),
        ("fn main(n: i32) -> Out { return Out(); }", "primitive: u32"),
        ("fn main(c: Tri) -> Out { return Out(); }", "must be array<f32, 4> for TessellatorDomain::Quad"),
        ("fn main(p: array<P, 33>) -> Out { return Out(); }", "not 33"),
        ("struct W { a: f32 } fn main(p: array<W, 3>) -> Out { return Out(); }", "`W` needs a @location"),
        ("struct W { a: f32 } fn main() -> W { return W(); }", "`W` needs a @location"),
        ("struct W { @location(0) layer: f32 } fn main() -> W { return W(); }", "must be u32"),
        ("struct W { @location(0) primitive_id: u32 } fn main() -> W { return W(); }", "`primitive_id`"),
        ("struct W { @location(0) clip_distances: f32 } fn main() -> W { return W(); }", "@builtin(clip"),
        ("var<workgroup> w: u32; fn main() -> Out { w = 1u; return Out(); }", "var<workgroup>"),
        ("fn main() -> Out { workgroupBarrier(); return Out(); }", "a barrier"),
    ];
    for (text, words) in rows {
        match domain(text, TessellatorDomain::Quad) {
            Err(ShaderError::Domain { reason }) => assert!(reason.contains(words), "{text}: {reason}"),
            other => panic!("{text}: {words}: {other:?}"),
        }
    }
    let written =
        "@group(3) @binding(0) var<storage, read_write> w: u32; fn main() -> Out { w = 1u; return Out(); }";
    let error = domain(written, TessellatorDomain::Quad);
    assert!(matches!(error, Err(ShaderError::UnorderedAccess { .. })), "{error:?}");
}

#[test]
fn a_domain_shader_may_write_8_clip_distances() {
    let compiled = |ty: &str| {
        let text = format!(
            "enable clip_distances; {STRUCTS}
             struct C {{ @builtin(clip_distances) distances: {ty}, @builtin(position) at: vec4f }}
             fn main() -> C {{ return C(); }}"
        );
        let source = ShaderSource::wgsl_domain(&text, "main", TessellatorDomain::Quad);
        let capabilities = crate::shader::BASE_CAPABILITIES | naga::valid::Capabilities::CLIP_DISTANCES;
        crate::shader::compile_with(source, ShaderStage::Domain, capabilities, &mut |_| {})
    };
    for ty in ["array<f32, 1>", "array<f32, 8>"] {
        let shader = compiled(ty).map_err(|error| error.to_string()).unwrap();
        assert!(domain_program(&shader.code).has_position);
        assert!(shader.code.reflection.system_outputs.is_empty());
    }
    for ty in ["array<f32, 9>", "array<u32, 2>", "f32", "vec4f"] {
        match compiled(ty).map(|shader| shader.code) {
            Err(ShaderError::Domain { reason }) => {
                assert!(reason.contains("at most 8 f32"), "{ty}: {reason}");
            }
            other => panic!("{ty}: {other:?}"),
        }
    }
}

#[cfg(feature = "hlsl")]
mod hlsl {
    use super::*;

    const HULL: &str = "
        struct V { float4 p : SV_Position; float2 uv : UV; float3 n : N; };
        struct P { float2 uv : UV; float w : W; };
        struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float2 tint : TINT; float x[2] : X; };
        cbuffer Sizes : register(b3) { float size; };
        C constants(InputPatch<V, 4> v, const OutputPatch<P, 3> p, uint id : SV_PrimitiveID) {
            C c = (C)0;
            c.e[0] = v[1].p.x + size;
            c.tint = p[2].uv + id;
            return c;
        }
        [domain(\"tri\")] [partitioning(\"fractional_odd\")] [outputtopology(\"triangle_ccw\")]
        [outputcontrolpoints(3)] [maxtessfactor(7.5)] [patchconstantfunc(\"constants\")]
        P main(InputPatch<V, 4> v, uint i : SV_OutputControlPointID) { P p = { v[i].uv, size }; return p; }";

    fn compiled(text: &str, stage: ShaderStage) -> ShaderCode {
        compile(ShaderSource::hlsl(text, "main"), stage).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn the_hull_program_names_the_functions_of_the_module() {
        let code = compiled(HULL, ShaderStage::Hull);
        let program = hull_program(&code);
        assert_eq!((program.name.as_str(), program.input_points, program.output_points), ("main", 4, 3));
        assert_eq!(program.domain, TessellatorDomain::Triangle);
        assert_eq!(program.partitioning, TessellatorPartitioning::FractionalOdd);
        assert_eq!((program.output, program.max_tess_factor), (TessellatorOutput::TriangleCcw, 7.5));
        let name = |function: Option<Handle<Function>>| {
            code.module.functions[function.unwrap()].name.clone().unwrap()
        };
        assert_eq!(name(program.control_point), "onze.control_point");
        assert_eq!(name(Some(program.patch_constants)), "onze.patch_constants");
        assert_eq!(name(program.input_point), "onze.input_point");
        assert_eq!(name(program.output_point), "onze.output_point");
        // Only the elements that the shader reads are inputs. `uv` and `w` share a register.
        let [inputs, outputs] = elements(&code);
        assert_eq!((inputs, outputs), (vec![(1, 2)], vec![(0, 3)]));
        assert!(code.reflection.uses_position && !program.patch_outputs.is_empty());
        let members = members(&code, program.patch_constants);
        let offsets: Vec<_> = members.iter().take(4).map(|(_, offset)| *offset).collect();
        assert_eq!(offsets, [0, 4, 8, 12]);
        assert_eq!(members.len(), 4 + program.patch_outputs.len());
        assert_eq!(code.reflection.constant_buffers[0].slot, 3);
    }

    #[test]
    fn the_domain_program_names_the_functions_of_the_module() {
        let text = "
            struct P { float2 uv : UV; float4 p : SV_Position; };
            struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; float3 tint : TINT; };
            struct O { float3 tint : TINT; float4 p : SV_Position; uint layer : SV_RenderTargetArrayIndex; };
            [domain(\"quad\")] O main(C c, const OutputPatch<P, 9> p, float2 at : SV_DomainLocation) {
                O o = { c.tint * c.i[1], float4(p[3].uv, at) + p[1].p, 1 };
                return o;
            }";
        let code = compiled(text, ShaderStage::Domain);
        let program = domain_program(&code);
        assert_eq!((program.name.as_str(), program.points), ("main", Some(9)));
        assert_eq!((program.domain, program.has_position), (TessellatorDomain::Quad, true));
        // The constant is in the components after a factor.
        let inputs = program.patch_inputs.iter().map(|input| (input.location, input.components));
        assert_eq!(inputs.collect::<Vec<_>>(), [(0, 4)]);
        assert!(program.point.is_some() && program.constants.is_some() && code.reflection.uses_position);
        let [inputs, outputs] = elements(&code);
        assert_eq!((inputs, outputs), (vec![(0, 2)], vec![(0, 3), (2, 1)]));
        let layer = &code.reflection.system_outputs[0];
        assert_eq!((layer.value, layer.location), (OutputValue::RenderTargetArrayIndex, 2));
    }

    #[test]
    fn every_attribute_is_converted() {
        let domains = [
            ("tri", TessellatorDomain::Triangle, "triangle_cw", TessellatorOutput::TriangleCw),
            ("quad", TessellatorDomain::Quad, "triangle_ccw", TessellatorOutput::TriangleCcw),
            ("isoline", TessellatorDomain::Isoline, "line", TessellatorOutput::Line),
            ("tri", TessellatorDomain::Triangle, "point", TessellatorOutput::Point),
        ];
        let partitionings = [
            ("integer", TessellatorPartitioning::Integer),
            ("pow2", TessellatorPartitioning::Pow2),
            ("fractional_odd", TessellatorPartitioning::FractionalOdd),
            ("fractional_even", TessellatorPartitioning::FractionalEven),
        ];
        for (shape, domain, topology, output) in domains {
            for (words, partitioning) in partitionings {
                let inside = match domain.inside_factors() {
                    0 => String::new(),
                    1 => "float i : SV_InsideTessFactor;".to_owned(),
                    count => format!("float i[{count}] : SV_InsideTessFactor;"),
                };
                let text = format!(
                    "struct V {{ float4 p : SV_Position; }};
                     struct C {{ float e[{}] : SV_TessFactor; {inside} }};
                     C constants() {{ return (C)1; }}
                     [domain(\"{shape}\")] [partitioning(\"{words}\")] [outputtopology(\"{topology}\")]
                     [outputcontrolpoints(5)] [patchconstantfunc(\"constants\")]
                     V main(InputPatch<V, 5> v, uint i : SV_OutputControlPointID) {{ return v[i]; }}",
                    domain.edge_factors()
                );
                let code = compiled(&text, ShaderStage::Hull);
                let program = hull_program(&code);
                let found = (program.domain, program.output, program.partitioning);
                assert_eq!(found, (domain, output, partitioning), "{text}");
                assert_eq!(program.max_tess_factor, 64.0);
            }
        }
    }

    /// The patch-constant function reads no point, so no function of the module has their elements.
    #[test]
    fn passed_control_points_have_all_elements() {
        let text = "
            struct V { float4 p : SV_Position; float2 uv : UV; float w : W; uint2 id : ID; };
            struct C { float e[2] : SV_TessFactor; };
            C constants() { C c = { 1, 2 }; return c; }
            [domain(\"isoline\")] [partitioning(\"integer\")] [outputtopology(\"line\")]
            [outputcontrolpoints(4)] [patchconstantfunc(\"constants\")]
            void main(InputPatch<V, 4> v) {}";
        let code = compiled(text, ShaderStage::Hull);
        let program = hull_program(&code);
        assert_eq!((program.control_point, program.output_points), (None, 4));
        assert_eq!(elements(&code), [vec![(1, 3), (2, 2)], vec![(1, 3), (2, 2)]]);
        let kinds: Vec<_> = code.reflection.outputs.iter().map(|output| output.kind).collect();
        assert_eq!(kinds, [ScalarKind::Float, ScalarKind::Uint]);
        let names: Vec<_> = code.reflection.inputs.iter().map(|input| input.semantic_name.as_str()).collect();
        assert_eq!(names, ["UV", "ID"]);
    }

    #[test]
    fn shaders_of_other_stages_are_refused() {
        let pixel = "float4 main() : SV_Target { return 1; }";
        for stage in [ShaderStage::Hull, ShaderStage::Domain] {
            assert!(compile(ShaderSource::hlsl(pixel, "main"), stage).is_err(), "{stage:?}");
        }
        for stage in ShaderStage::ALL.into_iter().filter(|stage| *stage != ShaderStage::Hull) {
            assert!(compile(ShaderSource::hlsl(HULL, "main"), stage).is_err(), "{stage:?}");
        }
    }
}
