//! Vertex shaders that select slices and viewports and write cull distances, without a geometry shader.

use onze::{Features, prelude::*};
use onze_tests::{CommandPath, Harness, Target, gpu_matrix, on_each};

use super::values::{SIZE, Slices};

/// Triangles that cover the viewport. `members` and `set` are the further results for vertex `k` of triangle `n`.
fn program(members: &str, set: &str, color: &str) -> String {
    format!(
        "struct O {{ float4 position : SV_Position; nointerpolation uint number : NUMBER; {members} }};
        O vs_main(uint vertex : SV_VertexID, uint instance : SV_InstanceID) {{
            uint n = vertex / 3, k = vertex % 3;
            O o = (O)0;
            o.position = float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0.5, 1);
            o.number = n + 1;
            {set}
            return o;
        }}
        uint ps_main(O o, uint primitive : SV_PrimitiveID) : SV_Target {{ return {color}; }}"
    )
}

struct Shaders {
    vs: VertexShader,
    ps: PixelShader,
}

impl Shaders {
    fn new(h: &Harness, text: &str) -> Self {
        Self {
            vs: h.device.create_vertex_shader(ShaderSource::hlsl(text, "vs_main")).unwrap(),
            ps: h.device.create_pixel_shader(ShaderSource::hlsl(text, "ps_main")).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
    }
}

#[test]
fn a_vertex_shader_selects_slices() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::PRIMITIVE_ID) {
            return;
        }
        let text = program(
            "uint slice : SV_RenderTargetArrayIndex;",
            "o.slice = k == 0 ? (n + instance) % 3 : 9;",
            "o.number << 8 | o.slice << 4 | primitive",
        );
        let shaders = Shaders::new(h, &text);
        let plain = program("", "", "0x77");
        let plain = Shaders::new(h, &plain);
        let targets = Slices::new(&h.device, 3);
        for how in CommandPath::ALL {
            let draw = |cx: &mut DeviceContext| {
                cx.clear_render_target_view(&targets.view, [0.0; 4]);
                cx.om_set_render_targets(&targets.view, None);
                shaders.bind(cx);
                cx.draw(9, 0);
            };
            h.record(how, draw);
            targets.expect(h, &[0x100, 0x211, 0x322], "slices");
            // The number of the primitive begins again in each instance.
            h.record(how, |cx| {
                draw(cx);
                cx.draw_instanced(3, 2, 0, 0);
            });
            targets.expect(h, &[0x100, 0x110, 0x322], "instances");
            h.record(how, |cx| {
                draw(cx);
                plain.bind(cx);
                cx.draw(3, 0);
                shaders.bind(cx);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                cx.draw(3, 0);
            });
            targets.expect(h, &[0x100, 0x211, 0x322], "after a plain draw");
        }
    });
}

#[test]
fn a_vertex_shader_selects_viewports() {
    on_each(&gpu_matrix(), |h| {
        let text = program("uint viewport : SV_ViewportArrayIndex;", "o.viewport = 3 - n;", "o.number")
            .replace(", uint primitive : SV_PrimitiveID", "");
        let shaders = Shaders::new(h, &text);
        let target = Target::with_format(&h.device, Format::R32_UINT, 4, 1);
        h.record(CommandPath::Deferred, |cx| {
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            cx.om_set_render_targets(&target.view, None);
            shaders.bind(cx);
            let viewports =
                [0, 1, 2, 3].map(|x| Viewport { top_left_x: x as f32, ..Viewport::sized(1.0, 1.0) });
            cx.rs_set_viewports(viewports);
            cx.draw(12, 0);
        });
        assert_eq!(target.read(h), [4, 3, 2, 1]);
    });
}

#[test]
fn a_vertex_shader_culls_and_clips() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::CLIP_DISTANCES) {
            return;
        }
        // Triangle 0 has a negative distance at two vertices, triangle 1 at all, and triangle 2 is clipped at x > 0.
        let text = program(
            "float2 cull : SV_CullDistance; float clip : SV_ClipDistance;",
            "o.cull = n == 1 ? float2(1, -1) : float2(k == 0 ? 1 : -1, 1);
             o.clip = n == 2 ? -o.position.x : 1;",
            "o.number",
        )
        .replace(", uint primitive : SV_PrimitiveID", "");
        let shaders = Shaders::new(h, &text);
        let target = Target::with_format(&h.device, Format::R32_UINT, 2, 1);
        let indices = h.device.create_index_buffer(&[0_u16, 1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        for (first, expected) in [(0, [1, 1]), (3, [0, 0]), (6, [3, 0])] {
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.om_set_render_targets(&target.view, None);
                shaders.bind(cx);
                cx.rs_set_viewports(Viewport::sized(2.0, 1.0));
                // SV_VertexID does not contain the first vertex.
                cx.ia_set_index_buffer(indices.buffer(), Format::R16_UINT, 0);
                cx.draw_indexed(3, first, 0);
            });
            assert_eq!(target.read(h), expected, "first {first}");
        }
    });
}
