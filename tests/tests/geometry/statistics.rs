//! Pipeline statistics of draws with geometry shaders and stream output.

use onze::{StreamOutputBinding, prelude::*};
use onze_tests::{CommandPath, Harness, Target, gpu_matrix, on_each, wait_for};

/// Point n becomes a strip of n + 1 small triangles and a strip that is too short.
const SHADERS: &str = "
    struct V { nointerpolation uint number : NUMBER; };
    struct O { float4 position : SV_Position; nointerpolation uint number : NUMBER; };
    V vs_main(uint number : SV_VertexID) { V v; v.number = number; return v; }
    [maxvertexcount(12)] [instance(2)] void gs_main(point V v[1], inout TriangleStream<O> to) {
        for (uint k = 0; k < v[0].number + 5; k++) {
            O o;
            o.position = float4((k % 2) * 0.5, k / 12.0, 0.5, 1);
            o.number = v[0].number;
            to.Append(o);
            if (k == v[0].number + 2) to.RestartStrip();
        }
    }
    uint ps_main(O o) : SV_Target { return o.number + 1; }";

#[test]
fn statistics_of_geometry_shaders_are_exact() {
    on_each(&gpu_matrix(), |h| {
        let Ok(query) = h.device.create_pipeline_statistics_query() else { return };
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(SHADERS, "vs_main")).unwrap();
        let gs = h.device.create_geometry_shader(ShaderSource::hlsl(SHADERS, "gs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::hlsl(SHADERS, "ps_main")).unwrap();
        let entries = [SoDeclarationEntry::new("NUMBER", 0, 1)];
        let with_streams = |rasterized| {
            h.device.create_geometry_shader_with_stream_output(&gs, &entries, &[], rasterized).unwrap()
        };
        let (drawn, not_drawn) = (with_streams(Some(0)), with_streams(None));
        let of_vertices =
            h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None).unwrap();
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::STREAM_OUTPUT), None).unwrap();
        let target = Target::with_format(&h.device, Format::R32_UINT, 16, 16);
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let both = h.device.create_rasterizer_state(&both).unwrap();
        let arguments = h
            .device
            .create_buffer(
                &BufferDesc::indirect(16, BindFlags::empty()),
                Some(bytemuck::cast_slice(&[3_u32, 2, 0, 0])),
            )
            .unwrap();
        // Three points in two instances have 2 * (1 + 2 + 3) triangles for each invocation.
        let (vertices, invocations, triangles) = (6, 12, 24);
        for (shader, is_indirect, is_drawn) in [
            (&gs, false, true),
            (&gs, true, true),
            (&drawn, false, true),
            (&drawn, true, true),
            (&not_drawn, false, false),
            (&not_drawn, true, false),
            (&of_vertices, false, false),
        ] {
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&target.view, [0.0; 4]);
                    cx.om_set_render_targets(&target.view, None);
                    cx.rs_set_viewports(Viewport::sized(16.0, 16.0));
                    cx.rs_set_state(&both);
                    cx.vs_set_shader(&vs);
                    cx.gs_set_shader(shader);
                    cx.ps_set_shader(&ps);
                    cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                    cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                    cx.begin(&query);
                    match is_indirect {
                        true => cx.draw_instanced_indirect(&arguments, 0),
                        false => cx.draw_instanced(3, 2, 0, 0),
                    }
                    cx.end(&query);
                });
                let found = wait_for("statistics", || h.immediate.get_data(&query, false).unwrap());
                let what = format!("{how:?}, indirect {is_indirect}, drawn {is_drawn}: {found:?}");
                let has_geometry = shader != &of_vertices;
                assert_eq!((found.ia_vertices, found.ia_primitives), (6, 6), "{what}");
                assert_eq!(found.vs_invocations, vertices, "{what}");
                let of_geometry = u64::from(has_geometry);
                assert_eq!(found.gs_invocations, invocations * of_geometry, "{what}");
                assert_eq!(found.gs_primitives, triangles * of_geometry, "{what}");
                let of_rasterizer = if is_drawn { triangles } else { 0 };
                assert_eq!(found.c_invocations, of_rasterizer, "{what}");
                assert_eq!(found.c_primitives, of_rasterizer, "{what}");
                assert_eq!(found.ps_invocations > 0, is_drawn, "{what}");
            }
        }
    });
}

#[test]
fn selecting_vertex_shaders_have_the_statistics_of_plain_draws() {
    on_each(&gpu_matrix(), |h: &mut Harness| {
        let Ok(query) = h.device.create_pipeline_statistics_query() else { return };
        let text = "struct O { float4 position : SV_Position; uint viewport : SV_ViewportArrayIndex; };
            O main(uint k : SV_VertexID) { O o = { float4(k % 3 == 1, k % 3 == 2, 0, 1), 0 }; return o; }";
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(text, "main")).unwrap();
        let target = Target::with_format(&h.device, Format::R32_UINT, 16, 16);
        let desc = BufferDesc::indirect(16, BindFlags::empty());
        let arguments = [12_u32, 1, 0, 0];
        let arguments = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&arguments))).unwrap();
        h.watch.expect(&[MessageId::DrawNoPixelShader]);
        for is_indirect in [false, true] {
            h.record(CommandPath::Immediate, |cx| {
                cx.om_set_render_targets(&target.view, None);
                cx.rs_set_viewports(Viewport::sized(16.0, 16.0));
                cx.vs_set_shader(&vs);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.begin(&query);
                match is_indirect {
                    true => cx.draw_instanced_indirect(&arguments, 0),
                    false => cx.draw(12, 0),
                }
                cx.end(&query);
            });
            let found = wait_for("statistics", || h.immediate.get_data(&query, false).unwrap());
            let what = format!("indirect {is_indirect}");
            assert_eq!((found.ia_vertices, found.ia_primitives, found.vs_invocations), (12, 4, 12), "{what}");
            assert_eq!((found.gs_invocations, found.gs_primitives, found.c_invocations), (0, 0, 4), "{what}");
        }
    });
}

/// The streams that are written and those whose primitives are counted differ.
#[test]
fn statistics_count_the_primitives_of_all_streams() {
    on_each(&gpu_matrix(), |h| {
        let Ok(query) = h.device.create_pipeline_statistics_query() else { return };
        let text = "
            struct V { nointerpolation uint number : NUMBER; };
            struct P { float4 position : SV_Position; };
            V vs_main(uint number : SV_VertexID) { V v; v.number = number; return v; }
            [maxvertexcount(8)]
            void gs_main(point V v[1], inout PointStream<V> s0, inout PointStream<P> s1, inout PointStream<V> s2) {
                V a = v[0];
                P p = { float4(0, 0, 0, 1) };
                s0.Append(a);
                s1.Append(p); s1.Append(p);
                if (WRITES) { s2.Append(a); s2.Append(a); s2.Append(a); }
            }
            uint ps_main() : SV_Target { return 1; }";
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::STREAM_OUTPUT), None).unwrap();
        let target = Target::with_format(&h.device, Format::R32_UINT, 1, 1);
        // The written stream is the third one, which may have no vertices at all.
        for (writes, appended) in [("true", 6), ("false", 3)] {
            let text = text.replace("WRITES", writes);
            let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, "vs_main")).unwrap();
            let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, "ps_main")).unwrap();
            let entries = [SoDeclarationEntry::new("NUMBER", 0, 1).stream(2)];
            let source = ShaderSource::hlsl(&text, "gs_main");
            let so =
                h.device.create_geometry_shader_with_stream_output(source, &entries, &[], Some(1)).unwrap();
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    cx.om_set_render_targets(&target.view, None);
                    cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
                    cx.vs_set_shader(&vs);
                    cx.gs_set_shader(&so);
                    cx.ps_set_shader(&ps);
                    cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                    cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                    cx.begin(&query);
                    cx.draw(2, 0);
                    cx.end(&query);
                });
                let found = wait_for("statistics", || h.immediate.get_data(&query, false).unwrap());
                assert_eq!((found.gs_invocations, found.gs_primitives), (2, 2 * appended), "{how:?}");
                assert_eq!((found.c_invocations, found.vs_invocations), (4, 2), "{how:?}");
            }
        }
    });
}
