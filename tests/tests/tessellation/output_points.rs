//! Functions of patch constants that read output control points.

use onze::prelude::*;
use onze_tests::on_each;

use super::stages::{FORMS, Stages};

/// The numbers of a patch's control points: in the input and in the output.
const SIZES: [[u32; 2]; 5] = [[3, 3], [3, 5], [4, 1], [2, 32], [32, 2]];

/// A hull shader whose control-point function changes `static` variables that the function of patch constants reads and
/// changes as well. Its output has members of all kinds. The domain shader outputs the patch constants, and the sum of
/// the signed numbers of the control points.
fn text([inputs, outputs]: [u32; 2]) -> String {
    format!(
        "struct V {{ uint n : N; }};
        V vs_main(uint n : SV_VertexID, uint instance : SV_InstanceID) {{ V v = {{ n * 3 + instance }}; return v; }}

        static uint calls = 5;
        static uint seen[3] = {{ 1, 2, 3 }};

        struct Pair {{ uint word; float fraction; }};
        struct P {{ float4 place : SV_Position; int4 sign : SIGN; uint2 n : N; float2 f : F; Pair pairs[3] : PAIRS; }};
        struct C {{
            float e[3] : SV_TessFactor; float i : SV_InsideTessFactor;
            uint4 statics : STATICS; uint4 points : POINTS; float4 floats : FLOATS;
        }};

        C constants(InputPatch<V, {inputs}> v, const OutputPatch<P, {outputs}> p, uint id : SV_PrimitiveID) {{
            C c;
            c.e[0] = c.e[1] = c.e[2] = c.i = 1;
            c.statics.x = calls;
            calls += 1000;
            uint at = (v[0].n + id) % {outputs};
            int sum = 0;
            float fractions = 0;
            for (uint k = 0; k < {outputs}; k++) {{
                sum += p[k].sign.y * int(k + 1);
                fractions += p[k].pairs[(k + id) % 3].fraction;
            }}
            c.points = uint4(uint(sum), p[at].n.y, p[{outputs} - 1 - at].pairs[id % 3].word, v[{inputs} - 1].n);
            c.floats = float4(p[at].f, fractions, p[at].place.z);
            c.statics.yzw = uint3(calls, seen[id % 3], seen[0]);
            return c;
        }}
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"point\")] [outputcontrolpoints({outputs})]
        [patchconstantfunc(\"constants\")]
        P hs_main(InputPatch<V, {inputs}> v, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {{
            calls += i + 1;
            seen[i % 3] += calls;
            P p;
            p.place = float4(0, 0, i + 0.5, 1);
            p.sign = 9; p.sign.y = int(id) - int(v[i % {inputs}].n);
            p.n = uint2(calls, seen[i % 3] * 100 + i);
            p.f = float2(i * 0.25, calls * 0.5);
            for (uint k = 0; k < 3; k++) {{ p.pairs[k].word = 10 * i + k; p.pairs[k].fraction = i + k * 0.125; }}
            return p;
        }}
        struct D {{
            float4 place : SV_Position;
            uint4 statics : STATICS; uint4 points : POINTS; float4 floats : FLOATS; int sum : SUM;
        }};
        [domain(\"tri\")] D ds_main(C c, const OutputPatch<P, {outputs}> p, float3 uvw : SV_DomainLocation) {{
            D d = {{ float4(0, 0, 0, 1), c.statics, c.points, c.floats, 0 }};
            for (uint k = 0; k < {outputs}; k++) d.sum += p[k].sign.y;
            return d;
        }}"
    )
}

/// Returns the words that the domain shader of [`text`] outputs for a patch.
fn expected([inputs, outputs]: [u32; 2], id: u32, instance: u32) -> [u32; 13] {
    let n = |k: u32| (id * inputs + k) * 3 + instance;
    let sign = |i: u32| id as i32 - n(i % inputs) as i32;
    let at = (n(0) + id) % outputs;
    let calls = 5 + at + 1;
    let seen = [1, 2, 3];
    let sum: i32 = (0..outputs).map(|k| sign(k) * (k as i32 + 1)).sum();
    let fractions: f32 = (0..outputs).map(|k| k as f32 + ((k + id) % 3) as f32 * 0.125).sum();
    let second = (seen[at as usize % 3] + calls) * 100 + at;
    let floats = [at as f32 * 0.25, calls as f32 * 0.5, fractions, at as f32 + 0.5].map(f32::to_bits);
    let [x, y, z, w] = floats;
    let word = 10 * (outputs - 1 - at) + id % 3;
    let all: i32 = (0..outputs).map(sign).sum();
    let statics = [5, 1005, seen[id as usize % 3], 1];
    let [calls, after, of_patch, first] = statics;
    [calls, after, of_patch, first, sum as u32, second, word, n(inputs - 1), x, y, z, w, all as u32]
}

const ENTRIES: [(&str, u8); 4] = [("STATICS", 4), ("POINTS", 4), ("FLOATS", 4), ("SUM", 1)];

#[test]
fn phases_of_hull_shaders_do_not_share_static_variables() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        for sizes @ [inputs, _] in SIZES {
            let stages = Stages::new(&device, &text(sizes));
            let entries = ENTRIES.map(|(name, count)| SoDeclarationEntry::new(name, 0, count));
            let topology = PrimitiveTopology::patch_list(inputs).unwrap();
            for (patches, instances) in [(1, 1), (7, 1), (5, 3)] {
                let arguments = [patches * inputs, instances, 0, 0];
                let desc = BufferDesc::indirect(16, BindFlags::empty());
                let buffer = device.create_buffer(&desc, Some(bytemuck::cast_slice(&arguments))).unwrap();
                // Patches beyond the memory of an indirect draw are not drawn.
                let is_limited = h.config.geometry_memory.is_some();
                for is_indirect in [false, true].into_iter().filter(|is| !is || !is_limited) {
                    let found = stages.capture(h, &entries, |cx| {
                        cx.ia_set_primitive_topology(topology);
                        match is_indirect {
                            true => cx.draw_instanced_indirect(&buffer, 0),
                            false => cx.draw_instanced(arguments[0], instances, 0, 0),
                        }
                    });
                    let all = (0..instances).flat_map(|of| (0..patches).map(move |id| (id, of)));
                    // A triangle that is not divided has three points.
                    let expected: Vec<u32> =
                        all.flat_map(|(id, of)| expected(sizes, id, of).repeat(3)).collect();
                    assert_eq!(found, expected, "{sizes:?}, {patches:?}, indirect {is_indirect}");
                }
            }
        }
    });
}

/// Returns a hull shader that passes its points on. `first` and `second` are the values that the function of patch
/// constants reads from the patch, and `parameter` is its patch.
fn passing(parameter: &str, first: &str, second: &str) -> String {
    format!(
        "struct V {{ float4 place : SV_Position; uint a : A; float b : B; }};
        V vs_main(uint n : SV_VertexID) {{ V v = {{ float4(n, 1, 2, 3), n + 10, n + 0.5 }}; return v; }}
        struct C {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float2 c : C; }};
        C constants({parameter} p, uint id : SV_PrimitiveID) {{
            C c;
            c.e[0] = c.e[1] = c.e[2] = c.i = 1;
            c.c = float2({first}, {second});
            return c;
        }}
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"point\")] [outputcontrolpoints(2)]
        [patchconstantfunc(\"constants\")] void hs_main(InputPatch<V, 2> p) {{}}
        struct D {{ float4 place : SV_Position; float2 c : C; float3 p : P; }};
        [domain(\"tri\")] D ds_main(C c, const OutputPatch<V, 2> p, float3 uvw : SV_DomainLocation) {{
            D d = {{ float4(0, 0, 0, 1), c.c, p[1].place.x, p[0].a, p[1].b }};
            return d;
        }}"
    )
}

#[test]
fn points_that_are_passed_on_keep_all_members() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        for (parameter, first, second, expected) in [
            ("const OutputPatch<V, 2>", "p[id % 2].b", "p[1].b", |id: u32| {
                [2 * id + id % 2, 2 * id + 1].map(|n| n as f32 + 0.5)
            }),
            ("const OutputPatch<V, 2>", "p[id % 2].place.x", "p[0].place.w", |id| {
                [(2 * id + id % 2) as f32, 3.0]
            }),
            ("InputPatch<V, 2>", "p[1].a", "p[id % 2].a", |id| {
                [2 * id + 11, 2 * id + id % 2 + 10].map(|n| n as f32)
            }),
            ("InputPatch<V, 2>", "7", "id", |id: u32| [7.0, id as f32]),
        ] as [(_, _, _, fn(u32) -> [f32; 2]); 4]
        {
            let stages = Stages::new(&device, &passing(parameter, first, second));
            let entries = [SoDeclarationEntry::new("C", 0, 2), SoDeclarationEntry::new("P", 0, 3)];
            let found = stages.capture(h, &entries, |cx| {
                cx.ia_set_primitive_topology(PrimitiveTopology::PatchList2);
                cx.draw(6, 0);
            });
            let found: &[f32] = bytemuck::cast_slice(&found);
            let of_patch = |id: u32| {
                let [x, y] = expected(id);
                [x, y, (2 * id + 1) as f32, (2 * id + 10) as f32, 2.0 * id as f32 + 1.5].repeat(3)
            };
            assert_eq!(found, (0..3).flat_map(of_patch).collect::<Vec<_>>(), "{parameter} {first}");
        }
    });
}
