//! Modules of HLSL geometry shaders, executed as compute shaders. The bodies of the functions that a driver replaces
//! read vertices from a buffer and write events to another one.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use onze::prelude::*;
use onze_hlsl::{CompileOptions, compile};
use onze_tests::{CommandPath, Config, Harness};

/// Number of the primitive, and of the instance.
const NUMBERS: [u32; 2] = [7, 2];

/// An event of the stream with this number.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    /// A vertex, with the components of all members as bits.
    Append(u32, Vec<u32>),
    Restart(u32),
}

/// Returns an event for a vertex whose components are all numbers of type `float`.
fn append(stream: u32, components: &[f32]) -> Event {
    Event::Append(stream, components.iter().map(|component| component.to_bits()).collect())
}

/// Returns the names of a structure's members, with their component types and numbers of components.
fn members(wgsl: &str, name: &str) -> Vec<(String, String, usize)> {
    let Some((_, rest)) = wgsl.split_once(&format!("struct {name} {{\n")) else { return Vec::new() };
    let (body, _) = rest.split_once("\n}").unwrap();
    let member = |line: &str| {
        let (name, ty) = line.trim().trim_end_matches(',').rsplit_once(": ").unwrap();
        let name = name.rsplit(' ').next().unwrap().to_owned();
        match ty.strip_prefix("vec") {
            Some(vector) => {
                let (size, scalar) = vector.trim_end_matches('>').split_once('<').unwrap();
                (name, scalar.to_owned(), size.parse().unwrap())
            }
            None => (name, ty.to_owned(), 1),
        }
    };
    body.lines().map(member).collect()
}

/// Replaces the body of a function that only returns, if there is one with a name that ends like this.
fn with_body(wgsl: &str, name: &str, body: &str) -> String {
    match wgsl.split_once(&format!("fn onze_u002e_{name}")) {
        Some((before, rest)) => format!("{before}fn onze_u002e_{name}{}", rest.replacen("return;", body, 1)),
        None => wgsl.to_owned(),
    }
}

/// Replaces the functions that do nothing. Each member of a vertex is in four words of `given`.
fn with_bodies(wgsl: &str) -> String {
    let mut text = format!(
        "@group(1) @binding(9) var<storage> given: array<vec4<u32>>;
         @group(3) @binding(0) var<storage, read_write> events: array<u32>;
         fn push(value: u32) {{ events[0] += 1u; events[events[0]] = value; }}\n{wgsl}"
    )
    .replace("geometry(0u, 0u)", &format!("geometry({}u, {}u)", NUMBERS[0], NUMBERS[1]));
    for stream in 0..4 {
        let (append, restart) = (format!("append{stream}_("), format!("restart{stream}_("));
        // The argument's name is unique in the module.
        if let Some((_, rest)) = wgsl.split_once(&append) {
            let (vertex, _) = rest.split_once(':').unwrap();
            let mut body = format!("push({}u);", 100 + stream);
            for (name, _, size) in members(wgsl, &format!("Stream{stream}_")) {
                for component in [".x", ".y", ".z", ".w"].into_iter().take(size) {
                    let component = if size == 1 { "" } else { component };
                    write!(body, " push(bitcast<u32>({vertex}.{name}{component}));").unwrap();
                }
            }
            text = with_body(&text, &append, &body);
        }
        text = with_body(&text, &restart, &format!("push({}u);", 200 + stream));
    }
    let vertex = members(wgsl, "Vertex");
    let mut body = "var vertex: Vertex;".to_owned();
    for (at, (name, scalar, size)) in vertex.iter().enumerate() {
        let ty = if *size == 1 { scalar.clone() } else { format!("vec{size}<{scalar}>") };
        let components = &"xyzw"[..*size];
        let from = format!("given[index * {}u + {at}u].{components}", vertex.len());
        write!(body, " vertex.{name} = bitcast<{ty}>({from});").unwrap();
    }
    text.replace("return Vertex();", &format!("{body} return vertex;"))
}

/// Executes a geometry shader, and returns its events. `given` contains the words of all vertices.
fn events(profile: &str, text: &str, given: &[[u32; 4]]) -> Option<Vec<Event>> {
    let compiled =
        compile(text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default()).unwrap();
    let wgsl = compiled.wgsl().unwrap();
    let mut h = Harness::start(Config::GPU)?;
    let words = {
        let device = &h.device;
        let text = with_bodies(&wgsl);
        let shader = device.create_compute_shader(ShaderSource::wgsl(text.as_str(), "main"));
        let shader = shader.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let desc = BufferDesc::structured(16, given.len() as u32, BindFlags::SHADER_RESOURCE);
        let given = device.create_buffer(&desc, Some(bytemuck::cast_slice(given))).unwrap();
        let given = given.create_shader_resource_view().unwrap();
        let desc = BufferDesc::structured(4, 1024, BindFlags::UNORDERED_ACCESS);
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
    let count =
        |stream| members(&wgsl, &format!("Stream{stream}_")).iter().map(|(.., size)| size).sum::<usize>();
    let mut rest = &words[1..=words[0] as usize];
    let mut found = Vec::new();
    while let [kind, after @ ..] = rest {
        rest = after;
        let stream = kind % 100;
        found.push(if *kind < 200 {
            let (vertex, after) = rest.split_at(count(stream));
            rest = after;
            Event::Append(stream, vertex.to_vec())
        } else {
            Event::Restart(stream)
        });
    }
    Some(found)
}

fn bits(components: [f32; 4]) -> [u32; 4] {
    components.map(f32::to_bits)
}

#[test]
fn a_point_becomes_the_corners_of_a_quad() {
    let text = "
        struct V { float3 center : CENTER; float4 color : COLOR; };
        struct O { float2 uv : UV; float4 position : SV_Position; float alpha : ALPHA; };
        [maxvertexcount(4)] void main(point V v[1], inout TriangleStream<O> stream) {
            for (uint k = 0; k < 4; k++) {
                O o;
                o.uv = float2(k & 1, k >> 1);
                o.position = float4(v[0].center.xy + o.uv * 2 - 1, v[0].center.z, 1);
                o.alpha = v[0].color.a;
                stream.Append(o);
            }
        }";
    let given = [bits([3.0, 4.0, 0.5, 0.0]), bits([0.1, 0.2, 0.3, 0.75])];
    let Some(found) = events("gs_4_0", text, &given) else { return };
    // The position is the first member, and the other elements share a register.
    let corner =
        |x: f32, y: f32| append(0, &[3.0 + x * 2.0 - 1.0, 4.0 + y * 2.0 - 1.0, 0.5, 1.0, x, y, 0.75]);
    assert_eq!(found, [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0)]);
}

#[test]
fn streams_are_passed_to_functions_and_restarted() {
    let text = "
        struct V { float4 place : PLACE; uint number : NUMBER; };
        struct O { float4 place : SV_Position; nointerpolation uint4 numbers : NUMBERS; };
        static uint appended = 10;
        void corner(V v, inout TriangleStream<O> to, uint3 numbers) {
            O o;
            o.place = v.place;
            o.numbers = uint4(v.number, numbers);
            to.Append(o);
            appended++;
        }
        bool skips(V v[3]) { return v[1].number == 99; }
        [instance(3)] [maxvertexcount(9)]
        void main(triangle V v[3], uint primitive : SV_PrimitiveID, uint instance : SV_GSInstanceID,
                  inout TriangleStream<O> stream) {
            if (skips(v)) return;
            [loop] for (int k = 2; k >= 0; k--) {
                if (v[k].number == 5) { stream.RestartStrip(); continue; }
                corner(v[k], stream, uint3(primitive, instance, appended));
            }
            stream.RestartStrip();
            corner(v[primitive % 3], stream, uint3(0, 0, appended));
        }";
    let vertices = |middle: u32| {
        let vertex = |x: f32, number: u32| [bits([x, 0.0, 0.0, 1.0]), [number, 0, 0, 0]];
        [vertex(1.0, 3), vertex(2.0, middle), vertex(3.0, 8)].concat()
    };
    let corner =
        |x: f32, numbers: [u32; 4]| Event::Append(0, [&bits([x, 0.0, 0.0, 1.0])[..], &numbers].concat());
    let [primitive, instance] = NUMBERS;
    let Some(found) = events("gs_5_0", text, &vertices(4)) else { return };
    let expected = [
        corner(3.0, [8, primitive, instance, 10]),
        corner(2.0, [4, primitive, instance, 11]),
        corner(1.0, [3, primitive, instance, 12]),
        Event::Restart(0),
        corner(2.0, [4, 0, 0, 13]),
    ];
    assert_eq!(found, expected);
    let expected = [
        corner(3.0, [8, primitive, instance, 10]),
        Event::Restart(0),
        corner(1.0, [3, primitive, instance, 11]),
        Event::Restart(0),
        corner(2.0, [5, 0, 0, 12]),
    ];
    assert_eq!(events("gs_5_0", text, &vertices(5)).unwrap(), expected);
    assert_eq!(events("gs_5_0", text, &vertices(99)).unwrap(), []);
}

#[test]
fn each_of_several_streams_has_its_own_vertices() {
    let text = "
        struct V { float4 p : P; };
        struct A { float4 p : SV_Position; };
        struct B { float2 pair : PAIR; int3 triple : TRIPLE; };
        [maxvertexcount(8)] void main(line V v[2], inout PointStream<A> a, inout PointStream<B> b) {
            B second;
            second.pair = v[1].p.zw;
            second.triple = int3(-1, 2, -3);
            b.Append(second);
            A first = { v[0].p + v[1].p };
            a.Append(first);
            second.pair += 1;
            b.Append(second);
        }";
    let given = [bits([1.0, 2.0, 3.0, 4.0]), bits([10.0, 20.0, 30.0, 40.0])];
    let Some(found) = events("gs_5_0", text, &given) else { return };
    let second =
        |x: f32, y: f32| Event::Append(1, vec![x.to_bits(), y.to_bits(), -1_i32 as u32, 2, -3_i32 as u32]);
    assert_eq!(found, [second(30.0, 40.0), append(0, &[11.0, 22.0, 33.0, 44.0]), second(31.0, 41.0)]);
}

/// The primitive is in two parameters or a patch, and its vertices have arrays, matrices and integers.
#[test]
fn vertices_have_all_kinds_of_elements() {
    let text = "
        struct O { float4 sum : SUM; int2 whole : WHOLE; };
        [maxvertexcount(1)] void main(
            lineadj float2x2 turn[4] : TURN, lineadj int whole[4] : WHOLE, inout PointStream<O> to) {
            O o;
            o.sum = float4(mul(turn[1], float2(1, 10)), mul(turn[2], float2(1, 10)));
            o.whole = int2(whole[0], whole[3]);
            to.Append(o);
        }";
    // A matrix takes a register for each column.
    let vertex = |n: f32, whole: i32| {
        [bits([n, n + 0.25, 0.0, 0.0]), bits([n + 0.5, n + 0.75, 0.0, 0.0]), [whole as u32, 0, 0, 0]]
    };
    let given = [vertex(1.0, -7), vertex(2.0, 0), vertex(3.0, 0), vertex(4.0, 9)].concat();
    let Some(found) = events("gs_4_0", text, &given) else { return };
    let turned = |n: f32| [n + 10.0 * (n + 0.5), n + 0.25 + 10.0 * (n + 0.75)];
    let sum = [turned(2.0), turned(3.0)].concat();
    let words: Vec<u32> = sum.iter().map(|sum| sum.to_bits()).chain([-7_i32 as u32, 9]).collect();
    assert_eq!(found, [Event::Append(0, words)]);

    let text = "
        struct V { float4 p : P; float2 pair[2] : PAIR; };
        struct O { float4 p : P; };
        float4 second(InputPatch<V, 5> patch, int at) { return float4(patch[at].pair[1], patch[at - 1].pair[0]); }
        [maxvertexcount(2)] void main(InputPatch<V, 5> patch, inout PointStream<O> to) {
            O o = { patch[4].p };
            to.Append(o);
            o.p = second(patch, int(patch[0].p.x));
            to.Append(o);
        }";
    let given: Vec<_> = (0..15).map(|n| bits([1.0, 2.0, 3.0, 4.0].map(|k| k + 10.0 * n as f32))).collect();
    let given = [&[bits([2.0, 0.0, 0.0, 0.0])], &given[1..]].concat();
    let found = events("gs_5_0", text, &given).unwrap();
    assert_eq!(found, [append(0, &[121.0, 122.0, 123.0, 124.0]), append(0, &[81.0, 82.0, 41.0, 42.0])]);
}

/// A short position shares its register with another element, but it is a member of its own.
#[test]
fn positions_may_have_fewer_components() {
    let text = "
        struct V { float a : A; float2 p : SV_Position; };
        struct O { float2 sum : SUM; float2 p : SV_Position; };
        [maxvertexcount(1)] void main(point V v[1], inout PointStream<O> to) {
            O o = { v[0].a, v[0].p.y, v[0].p.yx };
            to.Append(o);
        }";
    let given = [bits([1.0, 2.0, 3.0, 4.0]), bits([5.0, 6.0, 7.0, 8.0])];
    let Some(found) = events("gs_5_0", text, &given) else { return };
    // The position comes first.
    assert_eq!(found, [append(0, &[2.0, 1.0, 0.0, 0.0, 5.0, 2.0])]);
}
