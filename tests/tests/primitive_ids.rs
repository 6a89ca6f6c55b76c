//! SV_PrimitiveID in HLSL and WGSL pixel shaders: the index of a primitive within its instance.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Features, prelude::*};
use onze_tests::{CommandPath, Harness, Target, gpu_matrix, on_each, shapes::indices_of};

use PrimitiveTopology as T;

/// Number of primitives in a draw, each on one texel in the row of its instance.
const COUNT: u32 = 8;
/// Number of rows in the target, one for each of the two instances of two draws.
const ROWS: u32 = 4;

/// A topology, the number of vertices before the first primitive, the number of vertices per primitive, and
/// the position of vertex `k` in texels, as an expression in HLSL and in WGSL.
const TOPOLOGIES: [(T, u32, u32, [&str; 2]); 5] = [
    (T::PointList, 0, 1, ["float2(k + 0.5, 0.5)", "vec2f(f32(k) + 0.5, 0.5)"]),
    (
        T::TriangleList,
        0,
        3,
        [
            "float2(k / 3 + 0.1 + 0.4 * (k % 3), k % 3 == 1 ? 0.95 : 0.1)",
            "vec2f(f32(k / 3) + 0.1 + 0.4 * f32(k % 3), select(0.1, 0.95, k % 3 == 1))",
        ],
    ),
    // Consecutive triangles share an edge, and each triangle is one texel wide at half its height.
    (T::TriangleStrip, 2, 1, ["float2(k - 0.5, k & 1)", "vec2f(f32(k) - 0.5, f32(k & 1))"]),
    (
        T::TriangleListAdj,
        0,
        6,
        [
            "float2(k / 6 + 0.1 + 0.4 * (k / 2 % 3), k / 2 % 3 == 1 ? 0.95 : 0.1)",
            "vec2f(f32(k / 6) + 0.1 + 0.4 * f32(k / 2 % 3), select(0.1, 0.95, k / 2 % 3 == 1))",
        ],
    ),
    (T::LineList, 0, 2, ["float2(k / 2 + k % 2, 0.5)", "vec2f(f32(k / 2 + k % 2), 0.5)"]),
];

fn hlsl(place: &str) -> String {
    format!(
        "float4 vs(uint k : SV_VertexID, uint instance : SV_InstanceID) : SV_Position {{
            float2 place = {place} + float2(0, instance);
            return float4(place.x / 4.0 - 1.0, 1.0 - place.y, 0, 1);
        }}
        uint ps(uint id : SV_PrimitiveID) : SV_Target {{ return id; }}"
    )
}

fn wgsl(place: &str) -> String {
    format!(
        "enable primitive_index;
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) instance: u32)
            -> @builtin(position) vec4f {{
            let place = {place} + vec2f(0.0, f32(instance));
            return vec4f(place.x / 4.0 - 1.0, 1.0 - place.y, 0.0, 1.0);
        }}
        @fragment fn ps(@builtin(primitive_index) id: u32) -> @location(0) u32 {{ return id; }}"
    )
}

/// Creates the pixel shader, or without the feature asserts that the error names the feature and returns
/// `None`.
fn create(h: &Harness, source: ShaderSource<'_>) -> Option<PixelShader> {
    let has_feature = h.has_feature(Features::PRIMITIVE_ID);
    match h.device.create_pixel_shader(source) {
        Ok(ps) if has_feature => Some(ps),
        Ok(_) => panic!("a shader that reads the primitive's number needs Features::PRIMITIVE_ID"),
        Err(error) => {
            assert!(!has_feature, "{error}");
            assert!(error.to_string().contains("Features::PRIMITIVE_ID"), "{error}");
            h.assert_reported(MessageId::CreateShaderInvalid);
            None
        }
    }
}

#[test]
fn primitives_are_numbered_from_0_in_each_instance() {
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let target = Target::with_format(&device, Format::R32_UINT, COUNT, ROWS);
        let desc = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let both_sides = device.create_rasterizer_state(&desc).unwrap();
        for (topology, before, each, places) in TOPOLOGIES {
            let texts = [(true, hlsl(places[0])), (false, wgsl(places[1]))];
            for (is_hlsl, text) in &texts {
                let source = |entry_point| match is_hlsl {
                    true => ShaderSource::hlsl(text, entry_point),
                    false => ShaderSource::wgsl(text, entry_point),
                };
                let vs = device.create_vertex_shader(source("vs")).unwrap();
                let Some(ps) = create(h, source("ps")) else { continue };
                // With indices, the last primitive of a list is drawn first and gets the number 0, but strips
                // keep the order of their vertices.
                let is_strip = before > 0;
                let primitive = |number: u32| (number * each)..(number * each + before + each);
                let indices: Vec<u32> = match is_strip {
                    true => (0..COUNT * each + before).collect(),
                    false => (0..COUNT).rev().flat_map(primitive).collect(),
                };
                let indices = indices_of(&device, Format::R32_UINT, &indices);
                for (how, indexed) in CommandPath::ALL.into_iter().flat_map(|how| [(how, false), (how, true)])
                {
                    h.record(how, |cx| {
                        cx.clear_render_target_view(&target.view, [99.0; 4]);
                        cx.om_set_render_targets(&target.view, None);
                        cx.ia_set_primitive_topology(topology);
                        cx.rs_set_state(&both_sides);
                        cx.vs_set_shader(&vs);
                        cx.ps_set_shader(&ps);
                        cx.ia_set_index_buffer(&indices, Format::R32_UINT, 0);
                        // The numbers start at 0 again in the second draw.
                        for row in [0.0, 2.0] {
                            let viewport = Viewport { top_left_y: row, ..Viewport::sized(COUNT as f32, 2.0) };
                            cx.rs_set_viewports(viewport);
                            let count = COUNT * each + before;
                            match indexed {
                                true => cx.draw_indexed_instanced(count, 2, 0, 0, 0),
                                false => cx.draw_instanced(count, 2, 0, 0),
                            }
                        }
                    });
                    let expected: Vec<u32> = (0..COUNT * ROWS)
                        .map(|texel| texel % COUNT)
                        .map(|x| if indexed && !is_strip { COUNT - 1 - x } else { x })
                        .collect();
                    let what = format!("{topology:?}, HLSL {is_hlsl}, {how:?}, indexed {indexed}");
                    assert_eq!(target.read(h), expected, "{what}");
                }
            }
        }
    });
}
