//! Values that tests of vkd3d and of Wine publish (`tests/d3d12_tessellation.c` of vkd3d-proton, `tests/hlsl` of vkd3d),
//! which were found on Windows.

use onze::{SoStatistics, StreamOutputBinding, TypedQuery, prelude::*};
use onze_tests::{CommandPath, Target, on_each, wait_for};

use super::stages::{FORMS, Stages, constants, table};

const GREEN: u32 = 0xff00_ff00;

/// A square patch of four control points, which are not in the order of its edges.
fn quad(output: &str) -> String {
    format!(
        "cbuffer Factors : register(b0) {{ float4 edges; float2 inside; }};
        struct P {{ float4 position : POSITION; }};
        P vs_main(uint k : SV_VertexID) {{ P p = {{ float4(k & 2 ? 1 : -1, k & 1 ? 1 : -1, 0, 1) }}; return p; }}
        struct C {{ float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; }};
        C constants() {{
            C c;
            c.edges[0] = edges.x; c.edges[1] = edges.y; c.edges[2] = edges.z; c.edges[3] = edges.w;
            c.inside[0] = inside.x; c.inside[1] = inside.y;
            return c;
        }}
        [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"{output}\")] [outputcontrolpoints(4)]
        [patchconstantfunc(\"constants\")]
        P hs_main(InputPatch<P, 4> p, uint k : SV_OutputControlPointID) {{ return p[k]; }}
        struct D {{ float4 position : SV_Position; }};
        [domain(\"quad\")] D ds_main(C c, float2 uv : SV_DomainLocation, const OutputPatch<P, 4> p) {{
            D d;
            float4 a = lerp(p[0].position, p[1].position, uv.x);
            d.position = lerp(a, lerp(p[2].position, p[3].position, uv.x), uv.y);
            return d;
        }}
        float4 ps_main() : SV_Target {{ return float4(0, 1, 0, 1); }}"
    )
}

#[test]
fn a_captured_quad_has_the_published_triangles() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::new(&device, 16, 16);
        let white = u32::MAX;
        let points = |order: [(i32, i32); 6]| -> Vec<f32> {
            order.iter().flat_map(|(x, y)| [*x as f32, *y as f32, 0.0, 1.0]).collect()
        };
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4)];
        for (output, order, color) in [
            ("triangle_ccw", [(-1, -1), (1, -1), (-1, 1), (-1, 1), (1, -1), (1, 1)], white),
            ("triangle_cw", [(-1, -1), (-1, 1), (1, -1), (-1, 1), (1, 1), (1, -1)], GREEN),
        ] {
            let stages = Stages::new(&device, &quad(output));
            let ones = constants(&device, &[[1.0_f32; 4]; 2]);
            let draw = |cx: &mut DeviceContext| {
                cx.hs_set_constant_buffers(0, &ones);
                cx.ia_set_primitive_topology(PrimitiveTopology::PatchList4);
                cx.draw(4, 0);
            };
            let found = stages.capture(h, &entries, draw);
            assert_eq!(bytemuck::cast_slice::<u32, f32>(&found), points(order), "{output}");
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&target.view, [1.0; 4]);
                target.bind(cx);
                stages.bind(cx);
                draw(cx);
            });
            assert!(target.read(h).iter().all(|texel| *texel == color), "{output}");
        }
    });
}

#[test]
fn quads_have_the_published_numbers_of_primitives() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let stages = Stages::new(&device, &quad("triangle_cw"));
        let so = stages.capturing(&device, &[SoDeclarationEntry::new("SV_Position", 0, 4)], None);
        let buffer = device.create_buffer(&BufferDesc::new(1024, BindFlags::STREAM_OUTPUT), None).unwrap();
        let queries = [0; 2].map(|_| device.create_so_statistics_query(Some(0)).unwrap());
        // The second patch is culled.
        let draws: [&[f32]; 2] = [&[2.0, 0.0], &[5.0]];
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                stages.bind(cx);
                cx.gs_set_shader(&so);
                cx.ia_set_primitive_topology(PrimitiveTopology::PatchList4);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                for (query, first) in queries.iter().zip(draws) {
                    cx.begin(query);
                    for first in first {
                        let factors = [[*first, 2.0, 2.0, 2.0], [1.0; 4]];
                        cx.hs_set_constant_buffers(0, &constants(&device, &factors));
                        cx.draw(4, 0);
                    }
                    cx.end(query);
                }
            });
            let written = |query: &TypedQuery<SoStatistics>| {
                let found = wait_for("the statistics", || h.immediate.get_data(query, false).unwrap());
                (found.num_primitives_written, found.primitives_storage_needed)
            };
            assert_eq!(queries.each_ref().map(written), [(8, 8), (11, 11)], "{how:?}");
        }
    });
}

#[test]
fn captured_lines_have_the_published_vertices() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let text = "
            struct P { float4 position : POSITION; float3 color : COLOR; float density : DENSITY; float detail : DETAIL; };
            P vs_main(uint k : SV_VertexID) {
                P p = { float4(k, 0, 0, 1), float3(k / 2.0, 1, 0), k % 2 + 1, k / 2 + 1 };
                return p;
            }
            struct C { float lines[2] : SV_TessFactor; };
            C constants(InputPatch<P, 1> p) {
                C c;
                c.lines[0] = p[0].density; c.lines[1] = p[0].detail;
                return c;
            }
            [domain(\"isoline\")] [partitioning(\"integer\")] [outputtopology(\"line\")] [outputcontrolpoints(1)]
            [patchconstantfunc(\"constants\")]
            P hs_main(InputPatch<P, 1> p, uint k : SV_OutputControlPointID) { return p[k]; }
            struct D { float4 position : SV_Position; float4 color : COLOR; float4 id : PRIMITIVE_ID; };
            [domain(\"isoline\")] D ds_main(C c, float2 uv : SV_DomainLocation, const OutputPatch<P, 1> p,
                                            uint id : SV_PrimitiveID) {
                D d = { p[0].position, float4(p[0].color, 1), (float4)id };
                return d;
            }";
        let stages = Stages::new(&device, text);
        let entries = [
            SoDeclarationEntry::new("SV_Position", 0, 4),
            SoDeclarationEntry::new("COLOR", 0, 4),
            SoDeclarationEntry::new("PRIMITIVE_ID", 0, 4),
        ];
        let found = stages.capture(h, &entries, |cx| {
            cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
            cx.draw(4, 0);
        });
        // 9 lines: each patch has its number of lines, with its number of segments each.
        let mut expected = Vec::new();
        for (patch, lines) in [(0.0, 1), (1.0, 2), (2.0, 2), (3.0, 4)] {
            let vertex = [patch, 0.0, 0.0, 1.0, patch / 2.0, 1.0, 0.0, 1.0, patch, patch, patch, patch];
            (0..2 * lines).for_each(|_| expected.extend(vertex));
        }
        assert_eq!(bytemuck::cast_slice::<u32, f32>(&found), expected);
    });
}

#[test]
fn domain_shaders_read_factors_and_other_constants() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let text = "
            struct P { float4 position : POSITION; };
            P vs_main(uint k : SV_VertexID) { P p = { float4(1, 2, 3, 4) }; return p; }
            struct C { float lines[2] : SV_TessFactor; float3 a : A; float3 b : B; };
            C constants() {
                C c;
                c.lines[0] = 2; c.lines[1] = 1;
                c.a = float3(1, 6, 9);
                c.b = float3(9, 4, 10);
                return c;
            }
            [domain(\"isoline\")] [partitioning(\"integer\")] [outputtopology(\"line\")] [outputcontrolpoints(1)]
            [patchconstantfunc(\"constants\")]
            P hs_main(InputPatch<P, 1> p, uint k : SV_OutputControlPointID) { return p[k]; }
            [domain(\"isoline\")] void ds_main(C c, float lines[2] : SV_TessFactor, float2 uv : SV_DomainLocation,
                    float3 a : A, float3 b : B, const OutputPatch<P, 1> p,
                    out float4 position : SV_Position, out float4 color : COLOR) {
                position = float4(p[0].position.xy, uv);
                color = float4(0.5 * (a.xy + b.yz), lines[0], lines[1]);
            }";
        let stages = Stages::new(&device, text);
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4), SoDeclarationEntry::new("COLOR", 0, 4)];
        let found = stages.capture(h, &entries, |cx| {
            cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
            cx.draw(1, 0);
        });
        let vertex = |u, v| [1.0, 2.0, u, v, 2.5, 8.0, 2.0, 1.0_f32];
        let expected = [(0.0, 0.0), (1.0, 0.0), (0.0, 0.5), (1.0, 0.5)].map(|(u, v)| vertex(u, v)).concat();
        assert_eq!(bytemuck::cast_slice::<u32, f32>(&found), expected);
    });
}

/// A triangle that covers the target, with a body of the hull shader and one of the pixel shader.
fn triangle(hull: &str, constants: &str, pixel: &str) -> String {
    format!(
        "struct P {{ float4 position : SV_Position; float r : RED; float g : GREEN; float b : BLUE; }};
        P vs_main(uint k : SV_VertexID) {{
            float2 at = float2((k << 1) & 2, k & 2);
            P p = {{ float4(at * float2(2, -2) + float2(-1, 1), 0, 1), 0, 1, 0 }};
            return p;
        }}
        struct C {{
            float edges[3] : SV_TessFactor; float3 color : COLOR; float inside : SV_InsideTessFactor;
        }};
        void constants(InputPatch<P, 3> p, out C c) {{
            c.edges[0] = c.edges[1] = c.edges[2] = c.inside = 1;
            {constants}
        }}
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
        [patchconstantfunc(\"constants\")]
        {hull}
        struct D {{ float4 position : SV_Position; float3 color : COLOR; float3 points : POINTS; }};
        [domain(\"tri\")] void ds_main(C c, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> p, out D d) {{
            d.position = uvw.x * p[0].position + uvw.y * p[1].position + uvw.z * p[2].position;
            d.color = c.color;
            d.points = uvw.x * float3(p[0].r, p[0].g, p[0].b) + uvw.y * float3(p[1].r, p[1].g, p[1].b)
                + uvw.z * float3(p[2].r, p[2].g, p[2].b);
        }}
        float4 ps_main(D d) : SV_Target {{ return float4({pixel}, 1); }}"
    )
}

#[test]
fn hull_shaders_pass_points_and_constants_on() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::new(&device, 16, 16);
        let returns = "P hs_main(InputPatch<P, 3> p, uint k : SV_OutputControlPointID) { return p[k]; }";
        let passes = "void hs_main(InputPatch<P, 3> p) {}";
        let color = "c.color = float3(p[0].b, p[2].g, 0.5 * p[1].g);";
        for (hull, constants, pixel, expected) in [
            (returns, "c.color = 0;", "d.points", GREEN),
            (passes, "c.color = 0;", "d.points", GREEN),
            // A constant that shares its register with a factor.
            (returns, color, "d.color", 0xff80_ff00),
            (passes, color, "d.color", 0xff80_ff00),
        ] {
            let stages = Stages::new(&device, &triangle(hull, constants, pixel));
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&target.view, [1.0; 4]);
                    target.bind(cx);
                    stages.bind(cx);
                    cx.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
                    cx.draw(3, 0);
                });
                onze_tests::drawing::assert_all(&target.read(h), expected, pixel);
            }
        }
    });
}

#[test]
fn patches_have_a_number_in_all_stages() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 16, 16);
        let text = "
            StructuredBuffer<uint> expected : register(t0);
            struct P { float4 position : POSITION; uint number : NUMBER; };
            P vs_main(uint k : SV_VertexID) {
                uint corner = k < 3 ? k : k - 2;
                P p = { float4(corner & 2 ? 1 : -1, corner & 1 ? 1 : -1, 0, 1), k / 3 + 1 };
                return p;
            }
            struct C { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; uint id : ID; };
            C constants(InputPatch<P, 3> p, uint id : SV_PrimitiveID) {
                C c;
                c.edges[0] = c.edges[1] = c.edges[2] = c.inside = expected[id] == p[0].number ? 3 : 0;
                c.id = id;
                return c;
            }
            [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
            [patchconstantfunc(\"constants\")]
            P hs_main(InputPatch<P, 3> p, uint k : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
                P o = p[k];
                if (expected[id] != p[k].number) o.position = 0;
                return o;
            }
            struct D { float4 position : SV_Position; nointerpolation uint id : ID; };
            [domain(\"tri\")] D ds_main(C c, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> p,
                                        uint id : SV_PrimitiveID) {
                D d;
                d.position = uvw.x * p[0].position + uvw.y * p[1].position + uvw.z * p[2].position;
                d.id = id == c.id ? id : 7;
                return d;
            }
            uint ps_main(D d, uint id : SV_PrimitiveID) : SV_Target { return 16 * (d.id + 1) + id + 1; }";
        let stages = Stages::new(&device, text);
        let numbers = table(&device, &[1_u32, 2]);
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let both = device.create_rasterizer_state(&both).unwrap();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                target.bind(cx);
                stages.bind(cx);
                cx.rs_set_state(&both);
                cx.hs_set_shader_resources(0, &numbers);
                cx.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
                // The numbers begin again in each instance.
                cx.draw_instanced(6, 2, 0, 0);
            });
            let texels = target.read(h);
            // The first triangle is the lower left one.
            let right = |x: u32, y: u32| if y > x { 0x11 } else { 0x22 };
            for (x, y) in (0..256).map(|at| (at % 16, at / 16)).filter(|(x, y)| x != y) {
                assert_eq!(target.at(&texels, x, y), right(x, y), "{how:?}: {x} {y}");
            }
        }
    });
}
