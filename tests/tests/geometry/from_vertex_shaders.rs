//! Vertex shaders that select slices and viewports and write cull distances, without a geometry shader.

use onze::{Features, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, on_each};

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

/// Returns shaders that draw the same triangle, directly and with a domain shader that selects a viewport: first those that do
/// not select one.
fn interpolating(modifier: &str) -> [String; 2] {
    ["", "uint viewport : SV_ViewportArrayIndex;"].map(|member| {
        format!(
            "struct V {{ {modifier} float2 value : VALUE; float4 position : SV_Position; {member} }};
            V vertex(uint k) {{
                V v = (V)0;
                v.position = float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0.5, 1) * (1 + k);
                v.value = k * 0.25;
                return v;
            }}
            V vs_main(uint k : SV_VertexID) {{ return vertex(k); }}
            struct P {{ float unused : UNUSED; }};
            P point_vs() {{ return (P)0; }}
            struct C {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; }};
            C constants() {{ C c; c.e[0] = c.e[1] = c.e[2] = c.i = 1; return c; }}
            [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
            [patchconstantfunc(\"constants\")] P hs_main(InputPatch<P, 1> p) {{ return p[0]; }}
            [domain(\"tri\")] V ds_main(C c, float3 at : SV_DomainLocation) {{ return vertex((uint)(at.y + 2 * at.z)); }}
            float ps_main({modifier} float2 value : VALUE) : SV_Target {{ return value.x; }}"
        )
    })
}

/// Returns the same domain shaders and pixel shader in WGSL.
fn interpolating_wgsl(attribute: &str) -> [String; 2] {
    ["", "@location(1) @interpolate(flat) viewport: u32,"].map(|member| {
        format!(
            "struct C {{ tess_factor: array<f32, 3>, inside_tess_factor: f32 }}
            struct V {{ @builtin(position) position: vec4f, {member} @location(0) {attribute} value: vec2f }}
            fn ds_main(c: C, at: vec3f) -> V {{
                let k = at.y + 2.0 * at.z;
                var v: V;
                v.position = vec4f(select(-1.0, 3.0, k == 1.0), select(1.0, -3.0, k == 2.0), 0.5, 1.0) * (1.0 + k);
                v.value = vec2f(k * 0.25);
                return v;
            }}
            @fragment fn ps_main(@location(0) {attribute} value: vec2f) -> @location(0) f32 {{ return value.x; }}"
        )
    })
}

#[test]
fn shaders_that_select_viewports_interpolate_as_declared() {
    let modifiers = [
        "",
        "linear",
        "centroid",
        "sample",
        "nointerpolation",
        "noperspective",
        "noperspective centroid",
        "noperspective sample",
    ];
    let attributes = [
        "",
        "@interpolate(flat)",
        "@interpolate(flat, either)",
        "@interpolate(perspective)",
        "@interpolate(perspective, centroid)",
        "@interpolate(linear)",
        "@interpolate(linear, center)",
        "@interpolate(linear, sample)",
    ];
    on_each(&[Config::GPU, Config::GPU.with_stored_geometry()], |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_FLOAT, 8, 8);
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let both = device.create_rasterizer_state(&both).unwrap();
        let hull_text = &interpolating("")[0];
        let points = device.create_vertex_shader(ShaderSource::hlsl(hull_text, "point_vs")).unwrap();
        let hull = device.create_hull_shader(ShaderSource::hlsl(hull_text, "hs_main")).unwrap();
        let mut picture = |vs: &VertexShader, ds: Option<&DomainShader>, ps: &PixelShader| {
            h.record(CommandPath::Immediate, |cx| {
                cx.clear_render_target_view(&target.view, [-1.0; 4]);
                target.bind(cx);
                cx.rs_set_state(&both);
                cx.vs_set_shader(vs);
                cx.ps_set_shader(ps);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                if ds.is_some() {
                    cx.hs_set_shader(&hull);
                    cx.ds_set_shader(ds);
                    cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
                }
                cx.draw(if ds.is_some() { 1 } else { 3 }, 0);
            });
            h.assert_silent();
            target.read(h)
        };
        let mut pictures = Vec::new();
        for modifier in modifiers {
            let of_text = interpolating(modifier).map(|text| {
                let vs = device.create_vertex_shader(ShaderSource::hlsl(&text, "vs_main")).unwrap();
                let ds = device.create_domain_shader(ShaderSource::hlsl(&text, "ds_main")).unwrap();
                let ps = device.create_pixel_shader(ShaderSource::hlsl(&text, "ps_main")).unwrap();
                [picture(&vs, None, &ps), picture(&points, Some(&ds), &ps)]
            });
            let [plain, selecting] = of_text;
            assert_eq!(plain, selecting, "{modifier}");
            pictures.push(plain[1].clone());
        }
        let is_alike = |a: usize, b: usize| pictures[a] == pictures[b];
        assert!(is_alike(0, 1) && !is_alike(0, 4) && !is_alike(0, 5) && !is_alike(4, 5));
        for attribute in attributes {
            let [plain, selecting] = interpolating_wgsl(attribute).map(|text| {
                let ds = ShaderSource::wgsl_domain(&text, "ds_main", TessellatorDomain::Triangle);
                let ds = device.create_domain_shader(ds).unwrap();
                let ps = device.create_pixel_shader(ShaderSource::wgsl(&text, "ps_main")).unwrap();
                picture(&points, Some(&ds), &ps)
            });
            assert_eq!(plain, selecting, "{attribute}");
            assert!(pictures.contains(&plain), "{attribute}");
        }
    });
}
