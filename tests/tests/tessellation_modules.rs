//! Modules of HLSL hull and domain shaders, executed as compute shaders. The bodies of the functions that a driver
//! replaces read control points and patch constants from a buffer, and the results are written to another one.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, fmt::Write};

use onze::prelude::*;
use onze_hlsl::{CompileOptions, compile};
use onze_tests::{CommandPath, Config, Harness};

/// The number of the patch.
const PRIMITIVE: u32 = 6;

/// The rows of a control point in the given data: 31 registers, and the position.
const POINT_ROWS: usize = 32;
const POSITION_ROW: usize = 31;
/// The first rows of the patch constants' registers and of the tessellation factors in the given data.
const CONSTANT_ROWS: usize = 1024;
const FACTOR_ROWS: usize = 1056;
const ROWS: usize = 1064;

/// The content of a structure member, which identifies members of different structures.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Slot {
    Factor(usize),
    Position,
    Location(usize),
}

struct Member {
    slot: Slot,
    name: String,
    scalar: String,
    size: usize,
}

impl Member {
    fn components(&self) -> &'static str {
        ["", "x", "xy", "xyz", "xyzw"][self.size]
    }

    fn ty(&self) -> String {
        if self.size == 1 { self.scalar.clone() } else { format!("vec{}<{}>", self.size, self.scalar) }
    }
}

/// Returns the members of a structure.
fn members(wgsl: &str, name: &str) -> Vec<Member> {
    let Some((_, rest)) = wgsl.split_once(&format!("struct {name} {{\n")) else { return Vec::new() };
    let (body, _) = rest.split_once("\n}").unwrap();
    let member = |(at, line): (usize, &str)| {
        let (name, ty) = line.trim().trim_end_matches(',').rsplit_once(": ").unwrap();
        let slot = match name.split_once("@location(") {
            Some((_, rest)) => Slot::Location(rest.split_once(')').unwrap().0.parse().unwrap()),
            None if name.contains("@builtin(position)") => Slot::Position,
            None if name.contains("factor") => Slot::Factor(at),
            // The clip distances are also in their registers.
            None => return None,
        };
        let name = name.rsplit(' ').next().unwrap().to_owned();
        let (size, scalar) = match ty.strip_prefix("vec") {
            Some(vector) => {
                let (size, scalar) = vector.trim_end_matches('>').split_once('<').unwrap();
                (size.parse().unwrap(), scalar.to_owned())
            }
            None => (1, ty.to_owned()),
        };
        Some(Member { slot, name, scalar, size })
    };
    body.lines().enumerate().filter_map(member).collect()
}

/// Returns statements that assign the given rows to a structure. `first` is an expression for its first row.
fn read(wgsl: &str, name: &str, first: &str) -> String {
    let mut body = format!("var value: {name};");
    for member in members(wgsl, name) {
        let row = match member.slot {
            Slot::Factor(factor) => FACTOR_ROWS - CONSTANT_ROWS + factor,
            Slot::Position => POSITION_ROW,
            Slot::Location(location) => location,
        };
        let (name, ty, components) = (&member.name, member.ty(), member.components());
        write!(body, " value.{name} = bitcast<{ty}>(given[{first} + {row}u].{components});").unwrap();
    }
    body + " return value;"
}

/// Returns statements that write the members of a structure, each with its slot and its number of components.
fn push(wgsl: &str, name: &str, value: &str) -> String {
    let mut body = String::new();
    for member in members(wgsl, name) {
        let slot = match member.slot {
            Slot::Factor(factor) => 200 + factor,
            Slot::Position => 100,
            Slot::Location(location) => location,
        };
        write!(body, " push({slot}u); push({}u);", member.size).unwrap();
        for component in member.components().chars() {
            let component = if member.size == 1 { String::new() } else { format!(".{component}") };
            write!(body, " push(bitcast<u32>({value}.{}{component}));", member.name).unwrap();
        }
    }
    body + " push(999u);"
}

/// The components of each member of a structure, as bits.
type Written = BTreeMap<Slot, Vec<u32>>;

fn floats(written: &Written, slot: Slot) -> Vec<f32> {
    written[&slot].iter().map(|bits| f32::from_bits(*bits)).collect()
}

/// Executes a module with other functions of the pipeline, and returns the structures that `main` pushes.
fn run(wgsl: &str, main: &str, given: &[[u32; 4]]) -> Option<Vec<Written>> {
    let declared = "@group(1) @binding(9) var<storage> given: array<vec4<u32>>;";
    run_with(&format!("{declared}\n{wgsl}"), main, given)
}

/// Like [`run`], for a module that declares the given data itself.
fn run_with(wgsl: &str, main: &str, given: &[[u32; 4]]) -> Option<Vec<Written>> {
    let (functions, _) = wgsl.split_once("@compute").unwrap();
    // Only vertex shaders have clip distances.
    let functions = functions.replace("enable clip_distances;", "").replace("@builtin(clip_distances)", "");
    let text = format!(
        "@group(3) @binding(0) var<storage, read_write> results: array<u32>;
         fn push(value: u32) {{ results[0] += 1u; results[results[0]] = value; }}
         {functions}
         @compute @workgroup_size(1) fn main() {{ {main} }}"
    );
    let mut h = Harness::start(Config::GPU)?;
    let words = {
        let device = &h.device;
        let shader = device.create_compute_shader(ShaderSource::wgsl(text.as_str(), "main"));
        let shader = shader.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let desc = BufferDesc::structured(16, given.len() as u32, BindFlags::SHADER_RESOURCE);
        let given = device.create_buffer(&desc, Some(bytemuck::cast_slice(given))).unwrap();
        let given = given.create_shader_resource_view().unwrap();
        let desc = BufferDesc::structured(4, 1 << 16, BindFlags::UNORDERED_ACCESS);
        let buffer = device.create_buffer(&desc, None).unwrap();
        let written = buffer.create_unordered_access_view().unwrap();
        h.record(CommandPath::Immediate, |cx| {
            cx.cs_set_shader(&shader);
            cx.cs_set_shader_resources(9, &given);
            cx.cs_set_unordered_access_views(0, &written);
            cx.dispatch(1, 1, 1);
            cx.cs_set_unordered_access_views(0, None);
            cx.cs_set_shader_resources(9, None);
            cx.cs_set_shader(None);
        });
        h.immediate.read_buffer::<u32>(&buffer).unwrap()
    };
    h.finish();
    let mut rest = &words[1..=words[0] as usize];
    let mut all = vec![Written::new()];
    while let [slot, after @ ..] = rest {
        rest = after;
        if *slot == 999 {
            all.push(Written::new());
            continue;
        }
        let (size, after) = rest.split_first().unwrap();
        let (components, after) = after.split_at(*size as usize);
        rest = after;
        let slot = match *slot as usize {
            100 => Slot::Position,
            factor @ 200.. => Slot::Factor(factor - 200),
            location => Slot::Location(location),
        };
        all.last_mut().unwrap().insert(slot, components.to_vec());
    }
    all.pop();
    Some(all)
}

fn wgsl_of(profile: &str, text: &str) -> String {
    let compiled = compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default());
    compiled.unwrap_or_else(|errors| panic!("{errors}\n{text}")).wgsl().unwrap()
}

/// Executes a hull shader, and returns its output control points, then its patch constants.
fn hull(text: &str, points: u32, given: &[[u32; 4]]) -> Option<Vec<Written>> {
    let mut wgsl = wgsl_of("hs_5_0", text);
    let outputs = members(&wgsl, "ControlPoint");
    let input = read(&wgsl, "InputPoint", &format!("index * {POINT_ROWS}u"));
    let mut output = "var value: OutputPoint;".to_owned();
    for member in members(&wgsl, "OutputPoint") {
        let from = outputs.iter().find(|output| output.slot == member.slot).unwrap();
        let components = if from.size == 1 { "" } else { member.components() };
        let dot = if components.is_empty() { "" } else { "." };
        write!(output, " value.{} = point.{}{dot}{components};", member.name, from.name).unwrap();
    }
    let output = format!("let point = points[index]; {output} return value;");
    wgsl = wgsl.replace("return InputPoint();", &input.replace("index", &index_of(&wgsl, "input_point")));
    wgsl = wgsl.replace("return OutputPoint();", &output.replace("index", &index_of(&wgsl, "output_point")));
    wgsl = format!("var<private> points: array<ControlPoint, {points}>;\n{wgsl}");
    let mut main = String::new();
    for point in 0..points {
        write!(main, "points[{point}] = onze_u002e_control_point({point}u, {PRIMITIVE}u);").unwrap();
        main += &push(&wgsl, "ControlPoint", &format!("points[{point}]"));
    }
    let constants = push(&wgsl, "PatchConstants", "constants");
    write!(main, "let constants = onze_u002e_patch_constants({PRIMITIVE}u); {constants}").unwrap();
    run(&wgsl, &main, given)
}

/// Returns the name of a function's argument.
fn index_of(wgsl: &str, function: &str) -> String {
    let Some((_, rest)) = wgsl.split_once(&format!("fn onze_u002e_{function}(")) else {
        return String::new();
    };
    rest.split_once(':').unwrap().0.to_owned()
}

/// Executes a domain shader at a location.
fn domain(text: &str, location: [f32; 3], given: &[[u32; 4]]) -> Option<Written> {
    let mut wgsl = wgsl_of("ds_5_0", text);
    let point = read(&wgsl, "InputPoint", &format!("index * {POINT_ROWS}u"));
    wgsl = wgsl.replace("return InputPoint();", &point.replace("index", &index_of(&wgsl, "point")));
    wgsl = wgsl.replace("return Constants();", &read(&wgsl, "Constants", &format!("{CONSTANT_ROWS}u")));
    let [u, v, w] = location;
    let main = format!("let vertex = onze_u002e_domain(vec3<f32>({u:?}, {v:?}, {w:?}), {PRIMITIVE}u);");
    let main = main + &push(&wgsl, "Output", "vertex");
    run(&wgsl, &main, given)?.pop()
}

fn bits(components: [f32; 4]) -> [u32; 4] {
    components.map(f32::to_bits)
}

#[test]
fn control_points_are_read_with_any_index() {
    let text = "
        struct V { float4 position : SV_Position; float r : RED; float2 g : GREEN; nointerpolation uint2 k[2] : K; };
        struct O { float4 position : SV_Position; float2 sums : SUMS; uint id : ID; };
        struct P { float e[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float4 all : ALL; uint2 ids[2] : IDS; };
        static uint calls = 5;
        float sum(InputPatch<V, 4> points, uint first) {
            float sum = 0;
            [loop] for (uint i = 0; i < 4; i++) sum += points[(first + i) % 4].r * points[i].k[i & 1].y;
            calls++;
            return sum;
        }
        P constants(InputPatch<V, 4> v, const OutputPatch<O, 3> o, uint id : SV_PrimitiveID) {
            P p;
            [unroll] for (int i = 0; i < 3; i++) p.e[i] = o[(id + i) % 3].sums.y + i;
            p.inside = calls;
            p.all = float4(sum(v, id), v[id % 4].g, o[id % 2].position.x);
            p.ids[0] = uint2(o[2].id, id);
            p.ids[1] = v[3].k[0];
            return p;
        }
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
        [patchconstantfunc(\"constants\")]
        O main(InputPatch<V, 4> v, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
            O o;
            o.position = v[3 - i].position;
            o.sums = float2(sum(v, i), v[i].g.y);
            o.id = i * 100 + id + calls;
            return o;
        }";
    let mut given = vec![[0; 4]; ROWS];
    let (r, k) = ([2.0_f32, 3.0, 5.0, 7.0], [[11_u32, 13], [17, 19], [23, 29], [31, 37]]);
    for point in 0..4 {
        let at = point as f32;
        let first = point * POINT_ROWS;
        given[first + POSITION_ROW] = bits([at, 0.5, 0.25, 1.0]);
        given[first + 1] = bits([r[point], 10.0 + at, 20.0 + at, 0.0]);
        given[first + 2] = [k[point][0], k[point][1], 0, 0];
        given[first + 3] = [k[point][1], k[point][0], 0, 0];
    }
    let Some(found) = hull(text, 3, &given) else { return };
    let sum = |first: usize| (0..4).map(|i| r[(first + i) % 4] * k[i][1 - (i & 1)] as f32).sum::<f32>();
    for (i, point) in found[..3].iter().enumerate() {
        assert_eq!(floats(point, Slot::Position), [3.0 - i as f32, 0.5, 0.25, 1.0]);
        assert_eq!(floats(point, Slot::Location(1)), [sum(i), 20.0 + i as f32]);
        // The calls are in one invocation, so they share the static variable.
        assert_eq!(point[&Slot::Location(2)], [i as u32 * 101 + PRIMITIVE + 6]);
    }
    let constants = &found[3];
    let factors: Vec<_> = (0..4).map(|factor| floats(constants, Slot::Factor(factor))[0]).collect();
    assert_eq!(factors, [20.0, 22.0, 24.0, 8.0]);
    let all = [sum(PRIMITIVE as usize), 12.0, 22.0, 3.0];
    assert_eq!(floats(constants, Slot::Location(4)), all);
    assert_eq!(constants[&Slot::Location(5)], [202 + PRIMITIVE + 6, PRIMITIVE]);
    assert_eq!(constants[&Slot::Location(6)], k[3].map(|number| number));
}

#[test]
fn a_domain_shader_reads_points_constants_and_location() {
    let text = "
        struct V { float4 position : SV_Position; float2 uv : UV; };
        struct P {
            float3 first : FIRST;
            float inside : SV_InsideTessFactor;
            struct { float2x2 matrix_ : MATRIX; uint id[2] : ID; } nested;
            float e[3] : SV_TessFactor;
        };
        struct O { float4 position : SV_Position; float4 a : A; float clip : SV_ClipDistance; uint2 b : B; };
        float4 at(OutputPatch<V, 3> v, float3 uvw) {
            float4 sum = 0;
            [loop] for (int i = 0; i < 3; i++) sum += v[i].position * uvw[i];
            return sum;
        }
        [domain(\"tri\")]
        O main(P p, const OutputPatch<V, 3> v, float3 uvw : SV_DomainLocation, uint id : SV_PrimitiveID) {
            O o;
            o.position = at(v, uvw);
            o.a = float4(p.first.y, p.nested.matrix_[1][0], p.e[2], p.inside);
            o.clip = v[id % 3].uv.y;
            o.b = uint2(p.nested.id[1], id);
            return o;
        }";
    let mut given = vec![[0; 4]; ROWS];
    for (point, x) in [1.0, 10.0, 100.0].into_iter().enumerate() {
        given[point * POINT_ROWS + POSITION_ROW] = bits([x, x, 0.0, 1.0]);
        given[point * POINT_ROWS + 1] = bits([0.0, x + 0.5, 0.0, 0.0]);
    }
    for register in 0..32 {
        given[CONSTANT_ROWS + register] = bits([0.0, 1.0, 2.0, 3.0].map(|at| register as f32 + at / 8.0));
    }
    for factor in 0..4 {
        given[FACTOR_ROWS + factor] = bits([50.0 + factor as f32, 0.0, 0.0, 0.0]);
    }
    let compiled =
        compile(text, "a.hlsl", "main", "ds_5_0".parse().unwrap(), &CompileOptions::default()).unwrap();
    let register = |name: &str, index: u32| {
        let all = &compiled.reflection.patch_constants;
        let found = all.iter().find(|one| one.semantic_name == name && one.semantic_index == index).unwrap();
        (found.register.unwrap(), found.mask.trailing_zeros())
    };
    let value = |name: &str, index: u32, component: u32| {
        let (register, start) = register(name, index);
        register as f32 + (start + component) as f32 / 8.0
    };
    let Some(found) = domain(text, [0.5, 0.25, 0.125], &given) else { return };
    let x = 0.5 + 2.5 + 12.5;
    assert_eq!(floats(&found, Slot::Position), [x, x, 0.0, 0.875]);
    // Matrices are stored by columns.
    let expected = [value("FIRST", 0, 1), value("MATRIX", 0, 1), 52.0, 53.0];
    assert_eq!(floats(&found, Slot::Location(1)), expected);
    assert_eq!(floats(&found, Slot::Location(2)), [1.5]);
    assert_eq!(found[&Slot::Location(3)], [value("ID", 1, 0).to_bits(), PRIMITIVE]);
}

#[test]
fn indices_beyond_a_patch_read_its_last_point() {
    let text = "
        struct V { float4 p : P; };
        struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
        C constants(InputPatch<V, 3> v, uint id : SV_PrimitiveID) {
            C c;
            int before = 2 - int(id);
            c.e[0] = v[id].p.x; c.e[1] = v[before].p.x; c.e[2] = v[id - 5].p.x; c.i = v[id * 0x10000000].p.x;
            return c;
        }
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
        [patchconstantfunc(\"constants\")] V main() { return (V)0; }";
    let mut given = vec![[0; 4]; ROWS];
    for point in 0..ROWS / POINT_ROWS {
        given[point * POINT_ROWS] = bits([point as f32 + 10.0, 0.0, 0.0, 0.0]);
    }
    let Some(found) = hull(text, 1, &given) else { return };
    let factors: Vec<_> = (0..4).map(|factor| floats(&found[1], Slot::Factor(factor))[0]).collect();
    assert_eq!(factors, [12.0, 12.0, 11.0, 12.0]);
}

#[test]
fn factors_beyond_the_domain_change_no_others() {
    let text = "
        struct V { float4 p : P; };
        struct C { float i[2] : SV_InsideTessFactor; float e[4] : SV_TessFactor; };
        C constants() { C c; for (int k = 0; k < 4; k++) c.e[k] = k + 1; c.i[0] = 7; c.i[1] = 8; return c; }
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
        [patchconstantfunc(\"constants\")] V main() { return (V)0; }";
    let Some(found) = hull(text, 1, &[[0; 4]]) else { return };
    let factors: Vec<_> = (0..4).map(|factor| floats(&found[1], Slot::Factor(factor))[0]).collect();
    assert_eq!(factors, [1.0, 2.0, 3.0, 7.0]);
    let text = "[domain(\"tri\")] float4 main(float e[4] : SV_TessFactor, float i[2] : SV_InsideTessFactor) : SV_Position {
                    return float4(e[2], e[3], i[0], i[1]); }";
    let mut given = vec![[0; 4]; ROWS];
    for factor in 0..8 {
        given[FACTOR_ROWS + factor] = bits([factor as f32 + 1.0, 0.0, 0.0, 0.0]);
    }
    let Some(found) = domain(text, [0.0; 3], &given) else { return };
    assert_eq!(floats(&found, Slot::Position), [3.0, 0.0, 4.0, 0.0]);
}

/// The values are those of the class `CHLSLTessellator` of the reference tessellator: for each row the function, the
/// partitioning, four factors of edges and two scales, and the results in the order of the arguments.
const FACTORS: &str = include_str!("tessellation_modules/factors.tsv");

struct FactorRow {
    given: Vec<f32>,
    expected: Vec<f32>,
}

/// Returns a hull shader that processes factors in a buffer with two rows for each patch.
fn process_shader(function: &str, partitioning: &str) -> String {
    let (domain, reduction) = function.split_at(function.len() - 3);
    let of_inside = |edges: &str, scale: &str, inside: &str, unrounded: &str| {
        format!(
            "Process{domain}TessFactors{reduction}(given[i * 2].{edges}, given[i * 2 + 1].{scale}, p.edges.{edges},
                                                   p.others.{inside}, p.others.{unrounded});"
        )
    };
    let call = match domain {
        "Tri" => of_inside("xyz", "x", "x", "z"),
        "Quad" => of_inside("xyzw", "x", "xy", "zw"),
        "2DQuad" => of_inside("xyzw", "xy", "xy", "zw"),
        _ => "ProcessIsolineTessFactors(given[i * 2].x, given[i * 2].y, p.edges.x, p.edges.y);".to_owned(),
    };
    format!(
        "StructuredBuffer<float4> given : register(t9);
         struct V {{ float4 p : P; }};
         struct P {{
             float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor;
             float4 edges : EDGES; float4 others : OTHERS;
         }};
         P constants(InputPatch<V, 1> v, uint id : SV_PrimitiveID) {{
             P p = (P)0;
             uint i = id - {PRIMITIVE};
             {call}
             return p;
         }}
         [domain(\"quad\")] [partitioning(\"{partitioning}\")] [outputtopology(\"triangle_cw\")]
         [outputcontrolpoints(1)] [patchconstantfunc(\"constants\")]
         V main(InputPatch<V, 1> v) {{ return v[0]; }}"
    )
}

#[test]
fn processed_factors_equal_the_reference() {
    let mut all: BTreeMap<(&str, &str), Vec<FactorRow>> = BTreeMap::new();
    let numbers = |text: &str| text.split(' ').map(|number| number.parse().unwrap()).collect::<Vec<f32>>();
    for line in FACTORS.lines() {
        let [function, partitioning, given, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let row = FactorRow { given: numbers(given), expected: numbers(expected) };
        all.entry((function, partitioning)).or_default().push(row);
    }
    assert_eq!(all.len(), 40);
    for ((function, partitioning), rows) in all {
        let given: Vec<[u32; 4]> = rows
            .iter()
            .flat_map(|row| {
                let [x, y, z, w, u, v] = row.given[..] else { panic!("{:?}", row.given) };
                [bits([x, y, z, w]), bits([u, v, 0.0, 0.0])]
            })
            .collect();
        let shader = process_shader(function, partitioning);
        let Some(found) = processed(&shader, rows.len() as u32, &given) else { return };
        for (row, found) in rows.iter().zip(found) {
            let edges = match function {
                "Isoline" => 2,
                function if function.starts_with("Tri") => 3,
                _ => 4,
            };
            let inside = if function == "Isoline" { 0 } else { edges - 2 };
            // The six factors are in registers of their own.
            let mut results = floats(&found, Slot::Location(6))[..edges].to_vec();
            let others = floats(&found, Slot::Location(7));
            results.extend(&others[..inside]);
            results.extend(&others[2..2 + inside]);
            let is_near = |(found, expected): (&f32, &f32)| (found - expected).abs() <= expected * 1e-6;
            assert_eq!(results.len(), row.expected.len());
            assert!(
                results.iter().zip(&row.expected).all(is_near),
                "{function} {partitioning} {:?}: {results:?} is not {:?}",
                row.given,
                row.expected
            );
        }
    }
}

/// Returns the patch constants of patches whose factors are given.
fn processed(text: &str, patches: u32, given: &[[u32; 4]]) -> Option<Vec<Written>> {
    // The shader's buffer has the binding of the data for control points, which it does not read.
    let wgsl = wgsl_of("hs_5_0", text);
    assert!(wgsl.contains("@binding(9)"), "{wgsl}");
    let constants = push(&wgsl, "PatchConstants", "constants");
    let main = format!(
        "for (var patch_id = 0u; patch_id < {patches}u; patch_id++) {{
             let constants = onze_u002e_patch_constants({PRIMITIVE}u + patch_id); {constants} }}"
    );
    run_with(&wgsl, &main, given)
}
