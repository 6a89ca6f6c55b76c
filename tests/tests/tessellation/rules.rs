//! One test for each rule of hull and domain shaders that random draws do not reach or only rarely.

use onze::{SoStatistics, StreamOutputBinding, TypedQuery, prelude::*};
use onze_tests::{CommandPath, Harness, Target, on_each, wait_for};

use super::stages::{FORMS, Stages, constants, table};

/// Returns shaders whose patches have no control points. `factors` are statements that set the members `e` and `i` of
/// the patch constants `c`, `members` are outputs of the domain shader, and `set` sets them in `d`. The patches cover
/// the viewport.
fn patches(declared: &str, factors: &str, members: &str, set: &str, result: &str) -> String {
    format!(
        "struct P {{ uint n : N; }};
        P vs_main(uint n : SV_VertexID) {{ P p = {{ n }}; return p; }}
        struct C {{ float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; uint n : N; }};
        {declared}
        C constants(InputPatch<P, 1> p, uint id : SV_PrimitiveID) {{
            C c;
            c.e[0] = c.e[1] = c.e[2] = c.e[3] = c.i[0] = c.i[1] = 2;
            c.n = p[0].n;
            {factors}
            return c;
        }}
        [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(0)]
        [patchconstantfunc(\"constants\")] void hs_main(InputPatch<P, 1> p) {{}}
        struct D {{ float4 position : SV_Position; nointerpolation uint n : N; {members} }};
        [domain(\"quad\")] D ds_main(C c, float2 uv : SV_DomainLocation) {{
            D d = (D)0;
            d.position = float4(uv.x * 2 - 1, 1 - uv.y * 2, 0.5, 1);
            d.n = c.n;
            {set}
            return d;
        }}
        uint ps_main(D d) : SV_Target {{ return {result}; }}"
    )
}

/// Draws patches of one control point.
fn draw(cx: &mut DeviceContext, count: u32) {
    cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
    cx.draw(count, 0);
}

/// Returns the texels after a draw on each command path, which must be the same.
fn picture(h: &mut Harness, target: &Target, stages: &Stages, draw: impl Fn(&mut DeviceContext)) -> Vec<u32> {
    let mut all = CommandPath::ALL.map(|how| {
        h.record(how, |cx| {
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            target.bind(cx);
            stages.bind(cx);
            draw(cx);
        });
        target.read(h)
    });
    assert!(all.iter().all(|texels| *texels == all[0]));
    h.assert_silent();
    std::mem::take(&mut all[0])
}

#[test]
fn later_patches_are_drawn_over_earlier_ones() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 16, 16);
        // Every second patch is culled, and so is the last one.
        let stages =
            Stages::new(&device, &patches("", "if (id % 2 != 0) c.e[id % 4] = 0;", "", "", "d.n + 1"));
        for count in [1, 2, 3, 7, 8, 256, 300] {
            let texels = picture(h, &target, &stages, |cx| draw(cx, count));
            let last = (count - 1) / 2 * 2 + 1;
            assert!(texels.iter().all(|texel| *texel == last), "{count}: {texels:?}");
        }
    });
}

#[test]
fn only_edge_factors_above_zero_keep_a_patch() {
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let set = "c.e[0] = f[0].x; c.e[1] = f[0].y; c.e[2] = f[0].z; c.e[3] = f[0].w; c.i[0] = f[1].x; c.i[1] = f[1].y;";
        let text = patches("cbuffer F : register(b0) { float4 f[2]; };", set, "", "", "1");
        let stages = Stages::new(&device, &text);
        let mut triangles = |edges: [f32; 4], inside: [f32; 2]| {
            let factors = constants(&device, &[edges, [inside[0], inside[1], 0.0, 0.0]]);
            let entries = [SoDeclarationEntry::new("N", 0, 1)];
            let words = stages.capture(h, &entries, |cx| {
                cx.hs_set_constant_buffers(0, &factors);
                draw(cx, 1);
            });
            words.len() / 3
        };
        for edge in 0..4 {
            for factor in [0.0, -0.0, -1.0, nan, -nan, -infinity] {
                let mut edges = [2.0; 4];
                edges[edge] = factor;
                assert_eq!(triangles(edges, [2.0; 2]), 0, "edge {edge}: {factor}");
            }
            for (factor, segments) in [(1.0e-7, 1), (1.5, 2), (16.0, 16), (64.5, 64), (infinity, 64)] {
                let mut edges = [1.0; 4];
                edges[edge] = factor;
                // Each edge has its segments, and the inside has one point.
                assert_eq!(triangles(edges, [2.0; 2]), 3 + segments, "edge {edge}: {factor}");
            }
        }
        // Factors of the inside have the lower bound unless they are above it.
        for factor in [nan, -nan, -5.0, 0.0, 1.0, -infinity] {
            assert_eq!(triangles([1.0; 4], [factor; 2]), 2, "inside {factor}");
            assert_eq!(triangles([2.0; 4], [factor, 2.0]), 8, "inside {factor}");
        }
        assert_eq!(triangles([1.0; 4], [3.0, infinity]), 4 + 2 * 62 + 2 + 2 * 62);
    });
}

#[test]
fn limits_of_factors_are_seen_by_the_domain_shader() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let members = "float4 edges : EDGES; float2 inside : INSIDE;";
        let set = "d.edges = float4(c.e[0], c.e[1], c.e[2], c.e[3]); d.inside = float2(c.i[0], c.i[1]);";
        let text = patches("", "c.e[1] = 1.5; c.e[2] = 50; c.i[0] = -3; c.i[1] = 9;", members, set, "1");
        let text = text.replace("[partitioning", "[maxtessfactor(5.5)] [partitioning");
        let stages = Stages::new(&device, &text);
        let entries = [SoDeclarationEntry::new("EDGES", 0, 4), SoDeclarationEntry::new("INSIDE", 0, 2)];
        let found = stages.capture(h, &entries, |cx| draw(cx, 1));
        let found: &[f32] = bytemuck::cast_slice(&found);
        assert_eq!(found[..6], [2.0, 1.5, 5.5, 2.0, -3.0, 5.5]);
        // The tessellator rounds the limit itself to 6, so u has one and v has six segments.
        assert!(found.len() > 6 * 3 * 8);
    });
}

#[test]
fn hull_and_domain_shaders_have_their_own_resources() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        let declared = "cbuffer H : register(b3) { uint4 number; };
            StructuredBuffer<uint> words : register(t2);
            Texture2D<float4> picture : register(t5);
            SamplerState nearest : register(s4);";
        let text = patches(
            declared,
            "c.n = number.z + words[1] + uint(picture.SampleLevel(nearest, float2(0.25, 0.75), 0).y * 255);",
            "",
            "d.n += 1000 * (number.z + words[1] + uint(picture.SampleLevel(nearest, float2(0.75, 0.25), 0).x * 255));",
            "d.n",
        );
        let stages = Stages::new(&device, &text);
        let texture = |texels: [u32; 4]| {
            let desc = Texture2dDesc {
                bind_flags: BindFlags::SHADER_RESOURCE,
                mip_levels: 1,
                ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 2, 2)
            };
            let data = SubresourceData::rows(bytemuck::bytes_of(&texels), 8);
            let texture = device.create_texture_2d(&desc, Some(&[data])).unwrap();
            device.create_shader_resource_view(&texture, None).unwrap()
        };
        let (first, second) = (texture([0, 0, 30 << 8, 0]), texture([0, 40, 0, 0]));
        let sampler = SamplerDesc { filter: Filter::MIN_MAG_MIP_POINT, ..SamplerDesc::default() };
        let sampler = device.create_sampler_state(&sampler).unwrap();
        let texels = picture(h, &target, &stages, |cx| {
            cx.hs_set_constant_buffers(3, &constants(&device, &[0_u32, 0, 2, 0]));
            cx.ds_set_constant_buffers(3, &constants(&device, &[0_u32, 0, 5, 0]));
            cx.hs_set_shader_resources(2, &table(&device, &[0_u32, 100]));
            cx.ds_set_shader_resources(2, &table(&device, &[0_u32, 200]));
            cx.hs_set_shader_resources(5, &first);
            cx.ds_set_shader_resources(5, &second);
            cx.hs_set_samplers(4, &sampler);
            cx.ds_set_samplers(4, &sampler);
            draw(cx, 1);
        });
        assert!(texels.iter().all(|texel| *texel == 132 + 1000 * 245), "{texels:?}");
    });
}

#[test]
fn domain_shaders_select_slices_and_viewports() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let desc = Texture2dDesc { array_size: 3, ..Texture2dDesc::render_target(Format::R32_UINT, 4, 4) };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let view = device.create_render_target_view(&texture, None).unwrap();
        let text = patches(
            "",
            "",
            "uint slice : SV_RenderTargetArrayIndex; uint viewport : SV_ViewportArrayIndex;",
            "d.slice = c.n / 2; d.viewport = c.n % 2;",
            "d.n + 1",
        );
        let stages = Stages::new(&device, &text);
        let side = |x: f32| Viewport { top_left_x: x, ..Viewport::sized(2.0, 4.0) };
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&view, [0.0; 4]);
                cx.om_set_render_targets(&view, None);
                stages.bind(cx);
                cx.rs_set_viewports([side(0.0), side(2.0)]);
                draw(cx, 8);
            });
            // Slices beyond the last one are the first slice.
            for (slice, [left, right]) in (0..).zip([[7, 8], [3, 4], [5, 6]]) {
                let texels = h.read_u32(&texture, slice);
                let right = |at: usize| if at % 4 < 2 { left } else { right };
                assert!(texels.iter().enumerate().all(|(at, texel)| *texel == right(at)), "{texels:?}");
            }
        }
    });
}

#[test]
fn domain_shaders_clip_and_cull() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        // Triangles whose corners are all in the upper half are culled.
        let text =
            patches("", "", "float cull : SV_CullDistance;", "d.cull = uv.y <= 0.5 ? -1 : 1;", "d.n + 1");
        let stages = Stages::new(&device, &text);
        let texels = picture(h, &target, &stages, |cx| draw(cx, 1));
        assert!(texels.iter().enumerate().all(|(at, texel)| *texel == u32::from(at >= 8)), "{texels:?}");
        if !h.has_feature(Features::CLIP_DISTANCES) {
            return;
        }
        let text =
            patches("", "", "float2 clip : SV_ClipDistance;", "d.clip = uv - float2(0.25, 0.5);", "d.n + 1");
        let stages = Stages::new(&device, &text);
        let texels = picture(h, &target, &stages, |cx| draw(cx, 1));
        let is_kept = |at: usize| at % 4 >= 1 && at / 4 >= 2;
        assert!(texels.iter().enumerate().all(|(at, texel)| *texel == u32::from(is_kept(at))), "{texels:?}");
    });
}

#[test]
fn predicates_skip_tessellated_draws() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        let stages = Stages::new(&device, &patches("", "", "", "", "d.n + 1"));
        let occlusion = device.create_predicate(QueryType::OcclusionPredicate).unwrap();
        let so = stages.capturing(&device, &[SoDeclarationEntry::new("N", 0, 1)], Some(0));
        let buffer = device.create_buffer(&BufferDesc::new(256, BindFlags::STREAM_OUTPUT), None).unwrap();
        for how in CommandPath::ALL {
            for (is_visible, value) in [(false, false), (false, true), (true, false), (true, true)] {
                let zeros = [0_u32; 64];
                h.immediate.update_subresource(&buffer, 0, None, &zeros, 0, 0);
                h.record(how, |cx| {
                    target.bind(cx);
                    stages.bind(cx);
                    cx.begin(&occlusion);
                    if is_visible {
                        draw(cx, 1);
                    }
                    cx.end(&occlusion);
                    cx.clear_render_target_view(&target.view, [0.0; 4]);
                    cx.gs_set_shader(&so);
                    cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                    cx.set_predication(&occlusion, value);
                    draw(cx, 2);
                    cx.set_predication(None, false);
                });
                let is_drawn = is_visible != value;
                let texels = target.read(h);
                assert!(texels.iter().all(|texel| *texel == 2 * u32::from(is_drawn)), "{how:?} {texels:?}");
                let words: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
                let last = words.iter().rposition(|word| *word == 1);
                assert_eq!(last, is_drawn.then_some(47), "{how:?} {is_visible} {value}");
            }
        }
    });
}

#[test]
fn statistics_of_tessellated_draws_are_exact() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let Ok(query) = device.create_pipeline_statistics_query() else { return };
        let target = Target::with_format(&device, Format::R32_UINT, 4, 4);
        let stages = Stages::new(&device, &patches("", "if (id == 1) c.e[0] = -1;", "", "", "d.n + 1"));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                target.bind(cx);
                stages.bind(cx);
                cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
                cx.begin(&query);
                cx.draw_instanced(3, 2, 0, 0);
                cx.end(&query);
            });
            let found = wait_for("the statistics", || h.immediate.get_data(&query, false).unwrap());
            assert_eq!((found.ia_vertices, found.ia_primitives, found.vs_invocations), (6, 6, 6));
            // Four of six patches have 9 points and 8 triangles.
            assert_eq!((found.hs_invocations, found.ds_invocations), (6, 36), "{how:?}");
            assert_eq!((found.gs_invocations, found.gs_primitives, found.c_invocations), (0, 0, 32));
        }
    });
}

#[test]
fn captured_points_can_be_drawn_automatically() {
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 3, 3);
        let text = patches("", "", "", "d.n = uint(uv.x * 2) + 3 * uint(uv.y * 2) + 1;", "d.n")
            .replace("triangle_cw", "point");
        let stages = Stages::new(&device, &text);
        let so = stages.capturing(&device, &[SoDeclarationEntry::new("N", 0, 1)], None);
        let flags = BindFlags::STREAM_OUTPUT | BindFlags::VERTEX_BUFFER;
        let buffer = device.create_buffer(&BufferDesc::new(256, flags), None).unwrap();
        let other = "
            struct O { float4 position : SV_Position; nointerpolation uint n : N; };
            O vs_main(uint n : N) {
                float2 at = float2((n - 1) % 3, (n - 1) / 3) + 0.5;
                O o = { float4(at / 1.5 - 1, 0, 1), n };
                o.position.y *= -1;
                return o;
            }
            uint ps_main(O o) : SV_Target { return o.n; }";
        let vs = device.create_vertex_shader(ShaderSource::hlsl(other, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::hlsl(other, "ps_main")).unwrap();
        let layout =
            device.create_input_layout(&[InputElementDesc::new("N", 0, Format::R32_UINT)], &vs).unwrap();
        let query: TypedQuery<SoStatistics> = device.create_so_statistics_query(None).unwrap();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                stages.bind(cx);
                cx.ps_set_shader(None);
                cx.gs_set_shader(&so);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                cx.begin(&query);
                draw(cx, 1);
                cx.end(&query);
                cx.so_set_targets(None);
                // The draw without hull and domain shaders is a plain one.
                cx.hs_set_shader(None);
                cx.ds_set_shader(None);
                cx.gs_set_shader(None);
                target.bind(cx);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ia_set_input_layout(&layout);
                cx.ia_set_vertex_buffers(0, &[(Some(buffer.clone()), 4, 0)][..]);
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.draw_auto();
            });
            let found = wait_for("the statistics", || h.immediate.get_data(&query, false).unwrap());
            assert_eq!(found.num_primitives_written, 9, "{how:?}");
            assert_eq!(target.read(h), (1..10).collect::<Vec<u32>>(), "{how:?}");
        }
    });
}

/// The vertices that are left over after the last whole patch are not drawn.
#[test]
fn captured_vertices_can_be_drawn_automatically_as_patches() {
    let text = "
        struct P { uint n : N; };
        P capture(uint n : SV_VertexID) { P p = { n * n }; return p; }
        P vs_main(uint n : N) { P p = { n + 1 }; return p; }
        struct C { float e[4] : SV_TessFactor; float i[2] : SV_InsideTessFactor; };
        C constants() { C c = { { 1, 1, 1, 1 }, { 1, 1 } }; return c; }
        [domain(\"quad\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
        [patchconstantfunc(\"constants\")]
        P hs_main(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
        struct D { float4 position : SV_Position; nointerpolation uint n : N; };
        [domain(\"quad\")]
        D ds_main(C c, float2 uv : SV_DomainLocation, uint id : SV_PrimitiveID, const OutputPatch<P, 3> p) {
            D d = { float4(uv.x + id - 1, 1 - uv.y * 2, 0.5, 1), p[0].n + 100 * p[1].n + 10000 * p[2].n };
            return d;
        }
        uint ps_main(D d) : SV_Target { return d.n; }";
    on_each(&FORMS, |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 4, 1);
        let stages = Stages::new(&device, text);
        let first = device.create_vertex_shader(ShaderSource::hlsl(text, "capture")).unwrap();
        let entries = [SoDeclarationEntry::new("N", 0, 1)];
        let so = device.create_geometry_shader_with_stream_output(&first, &entries, &[], None).unwrap();
        let number = InputElementDesc::new("N", 0, Format::R32_UINT);
        let layout = device.create_input_layout(&[number], &stages.vs).unwrap();
        let flags = BindFlags::STREAM_OUTPUT | BindFlags::VERTEX_BUFFER;
        let buffer = device.create_buffer(&BufferDesc::new(256, flags), None).unwrap();
        for count in [2, 3, 5, 6, 8] {
            let texels = picture(h, &target, &stages, |cx| {
                cx.hs_set_shader(None);
                cx.ds_set_shader(None);
                cx.ps_set_shader(None);
                cx.vs_set_shader(&first);
                cx.gs_set_shader(&so);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.draw(count, 0);
                cx.so_set_targets(None);
                stages.bind(cx);
                cx.ia_set_input_layout(&layout);
                cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&buffer, 4));
                cx.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
                cx.draw_auto();
                cx.ia_set_input_layout(None);
            });
            let of_patch = |id: u32| {
                let value = |n: u32| n * n + 1;
                let points = value(3 * id) + 100 * value(3 * id + 1) + 10_000 * value(3 * id + 2);
                if id < count / 3 { points } else { 0 }
            };
            assert_eq!(texels, [of_patch(0), of_patch(0), of_patch(1), of_patch(1)], "{count}");
        }
    });
}

/// With the memory of the second form, the indices of one patch fit and those of two do not.
#[test]
fn patches_after_the_room_for_indices_are_drawn() {
    on_each(&FORMS[..3], |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 48, 16);
        let factors = "if (id < 2) c.e[0] = c.e[1] = c.e[2] = c.e[3] = c.i[0] = c.i[1] = 24;";
        let set = "d.position = float4((uv.x + c.n) / 1.5 - 1, 1 - uv.y * 2, 0.5, 1);";
        let stages = Stages::new(&device, &patches("", factors, "", set, "d.n + 1"));
        let texels = picture(h, &target, &stages, |cx| draw(cx, 3));
        for (at, texel) in texels.iter().enumerate() {
            assert_eq!(*texel as usize, at % 48 / 16 + 1, "{at}");
        }
    });
}

/// Equal factors result in equal points, so the edges of adjacent patches meet.
#[test]
fn patches_with_one_edge_in_common_leave_no_gap() {
    on_each(&FORMS[..1], |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, 64, 64);
        let set = "d.position = float4((uv.x + c.n) * 1.02 - 1.01, 1.01 - uv.y * 2.02, 0.5, 1);";
        for partitioning in ["integer", "fractional_odd", "fractional_even"] {
            // Edge 2 of patch 0 is edge 0 of patch 1.
            let factors =
                "c.e[0] = id == 0 ? 3 : 10.3; c.e[2] = id == 0 ? 10.3 : 5.5; c.i[1] = id == 0 ? 20 : 4.4;";
            let text = patches("", factors, "", set, "d.n + 1");
            let stages =
                Stages::new(&device, &text.replace("(\"integer\")", &format!("(\"{partitioning}\")")));
            let texels = picture(h, &target, &stages, |cx| draw(cx, 2));
            assert!(texels.iter().all(|texel| *texel != 0), "{partitioning}");
        }
    });
}
