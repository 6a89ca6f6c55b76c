//! System values that a geometry shader writes: slices, viewports, numbers of primitives, clip and cull distances.

use onze::{Features, Rect, prelude::*};
use onze_tests::{CommandPath, Harness, gpu_matrix, on_each};

/// Width and height of the targets in texels.
pub(super) const SIZE: u32 = 8;

/// The vertex shader, whose output is the number of the vertex.
const VERTEX: &str = "
    struct V { nointerpolation uint number : NUMBER; };
    V vs_main(uint number : SV_VertexID) { V v; v.number = number; return v; }";

/// Returns a program whose geometry shader turns each point into a triangle that covers the viewport. `members` are
/// the further members of a vertex, and `set` sets them for corner `k` of the triangle for point `n`. The pixel shader
/// returns `color`.
pub(super) fn program(members: &str, set: &str, color: &str) -> String {
    format!(
        "{VERTEX}
        cbuffer Constants : register(b0) {{ uint4 numbers[16]; }}
        struct O {{ float4 position : SV_Position; nointerpolation uint number : NUMBER; {members} }};
        [maxvertexcount(3)] void gs_main(point V v[1], inout TriangleStream<O> to) {{
            uint n = v[0].number;
            for (uint k = 0; k < 3; k++) {{
                O o = (O)0;
                o.position = float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, (8 - n) / 16.0, 1);
                o.number = n;
                {set}
                to.Append(o);
            }}
        }}
        uint ps_main(O o, uint primitive : SV_PrimitiveID) : SV_Target {{ return {color}; }}"
    )
    // A pixel shader that does not read the number of the primitive has no such input.
    .replace(if color.contains("primitive") { "\0" } else { ", uint primitive : SV_PrimitiveID" }, "")
}

/// Shaders and constants of a test.
pub(super) struct Scene {
    pub(super) vs: VertexShader,
    pub(super) gs: GeometryShader,
    pub(super) ps: PixelShader,
    constants: Buffer,
}

impl Scene {
    pub(super) fn new(device: &Device, text: &str, numbers: &[u32]) -> Self {
        let mut constants = [[0_u32; 4]; 16];
        constants.iter_mut().zip(numbers).for_each(|(to, number)| to[0] = *number);
        let desc = BufferDesc::immutable(size_of_val(&constants) as u32, BindFlags::CONSTANT_BUFFER);
        Self {
            vs: device.create_vertex_shader(ShaderSource::hlsl(text, "vs_main")).unwrap(),
            gs: device.create_geometry_shader(ShaderSource::hlsl(text, "gs_main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::hlsl(text, "ps_main")).unwrap(),
            constants: device.create_buffer(&desc, Some(bytemuck::cast_slice(&constants))).unwrap(),
        }
    }

    pub(super) fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.gs_set_shader(&self.gs);
        cx.ps_set_shader(&self.ps);
        cx.gs_set_constant_buffers(0, &self.constants);
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
    }
}

/// A texture of several slices, and a view of all of them.
pub(super) struct Slices {
    pub(super) texture: Texture2d,
    pub(super) view: RenderTargetView,
}

impl Slices {
    pub(super) fn new(device: &Device, slices: u32) -> Self {
        let desc = Texture2dDesc {
            array_size: slices,
            ..Texture2dDesc::render_target(Format::R32_UINT, SIZE, SIZE)
        };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let view = device.create_render_target_view(&texture, None).unwrap();
        Self { texture, view }
    }

    /// Asserts that all texels of each slice have one value.
    pub(super) fn expect(&self, h: &mut Harness, expected: &[u32], what: &str) {
        for (slice, expected) in (0..).zip(expected) {
            let texels = h.read_u32(&self.texture, slice);
            assert!(texels.iter().all(|texel| texel == expected), "{what}, slice {slice}: {texels:x?}");
        }
    }
}

pub(super) const LAYER: &str = "uint slice : SV_RenderTargetArrayIndex;";

/// Only the first vertex selects the slice.
const SET_LAYER: &str = "o.slice = k == 0 ? numbers[n].x : 1;";

#[test]
fn primitives_select_a_slice_of_the_targets() {
    on_each(&gpu_matrix(), |h| {
        // The pixel shader gets the slice as the geometry shader wrote it.
        let text = program(LAYER, SET_LAYER, "(o.number + 1) << 16 | (o.slice & 0xffff)");
        let slices = [2, 0, 3, 0xffff_0000, 2, 4, 1, 3];
        let scene = Scene::new(&h.device, &text, &slices);
        let targets = Slices::new(&h.device, 4);
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.bind(cx);
                cx.om_set_render_targets(&targets.view, None);
                cx.clear_render_target_view(&targets.view, [0.0; 4]);
                cx.draw(8, 0);
            });
            // The last primitive of each slice is visible. Slices beyond the last one are the first slice.
            targets.expect(h, &[0x6_0004, 0x7_0001, 0x5_0002, 0x8_0003], "slices");
        }
        // A draw without a geometry shader draws to the first slice only.
        let plain = h.device.create_vertex_shader(ShaderSource::hlsl(
            "float4 main(uint k : SV_VertexID) : SV_Position { return float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0, 1); }",
            "main",
        ));
        let ps = "uint main(uint slice : SV_RenderTargetArrayIndex, uint viewport : SV_ViewportArrayIndex) : SV_Target {
            return 0x55 + slice + viewport;
        }";
        let ps = h.device.create_pixel_shader(ShaderSource::hlsl(ps, "main")).unwrap();
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.om_set_render_targets(&targets.view, None);
            cx.draw(8, 0);
            cx.gs_set_shader(None);
            cx.vs_set_shader(plain.as_ref().unwrap());
            cx.ps_set_shader(&ps);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.draw(3, 0);
        });
        targets.expect(h, &[0x55, 0x7_0001, 0x5_0002, 0x8_0003], "a plain draw");
    });
}

#[test]
fn each_slice_has_its_own_depth() {
    on_each(&gpu_matrix(), |h| {
        // Later points are nearer.
        let text = program(LAYER, SET_LAYER, "o.number + 1");
        let scene = Scene::new(&h.device, &text, &[1, 0, 1, 0, 2]);
        let targets = Slices::new(&h.device, 3);
        let desc =
            Texture2dDesc { array_size: 3, ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIZE, SIZE) };
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let depth = h.device.create_depth_stencil_view(&depth, None).unwrap();
        let greater = DepthStencilDesc { depth_func: ComparisonFunc::Greater, ..DepthStencilDesc::default() };
        let greater = h.device.create_depth_stencil_state(&greater).unwrap();
        for (state, clear, expected) in [(None, 1.0, [4, 3, 5]), (Some(&greater), 0.0, [2, 1, 5])] {
            h.record(CommandPath::Deferred, |cx| {
                scene.bind(cx);
                cx.om_set_render_targets(&targets.view, &depth);
                cx.om_set_depth_stencil_state(state, 0);
                cx.clear_render_target_view(&targets.view, [0.0; 4]);
                cx.clear_depth_stencil_view(&depth, ClearFlags::DEPTH, clear, 0);
                cx.draw(5, 0);
                // Nothing passes the test again.
                cx.draw(2, 0);
            });
            targets.expect(h, &expected, "depth");
        }
    });
}

#[test]
fn slices_of_a_3d_texture_are_selected() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::TEXTURE_1D_3D) {
            return;
        }
        let text = program(LAYER, SET_LAYER, "o.number + 1");
        let scene = Scene::new(&h.device, &text, &[1, 0, 2, 9]);
        let desc = Texture3dDesc {
            bind_flags: BindFlags::RENDER_TARGET,
            ..Texture3dDesc::new(Format::R32_UINT, SIZE, SIZE, 4)
        };
        let texture = h.device.create_texture_3d(&desc, None).unwrap();
        // The view begins at the second slice.
        let view = RenderTargetViewDesc {
            dimension: Some(RenderTargetViewDimension::Texture3d {
                mip_slice: 0,
                first_w_slice: 1,
                w_size: 3,
            }),
            ..RenderTargetViewDesc::default()
        };
        let whole = h.device.create_render_target_view(&texture, None).unwrap();
        let view = h.device.create_render_target_view(&texture, Some(&view)).unwrap();
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.clear_render_target_view(&whole, [0.0; 4]);
            cx.om_set_render_targets(&view, None);
            cx.draw(4, 0);
        });
        let bytes = h.immediate.read_texture_3d(&texture, 0).unwrap();
        let texels: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        for (slice, expected) in texels.chunks((SIZE * SIZE) as usize).zip([0, 4, 1, 3]) {
            assert!(slice.iter().all(|texel| *texel == expected), "{expected}: {slice:?}");
        }
    });
}

#[test]
fn primitives_select_a_viewport() {
    on_each(&gpu_matrix(), |h| {
        let text = program(
            "uint viewport : SV_ViewportArrayIndex;",
            "o.viewport = k == 0 ? numbers[n].x : 2;",
            "(o.number + 1) << 16 | (o.viewport & 0xffff)",
        );
        let target = Slices::new(&h.device, 1);
        let half = SIZE as f32 / 2.0;
        let viewports = [(0.0, 0.0), (half, 0.0), (0.0, half)].map(|(x, y)| Viewport {
            top_left_x: x,
            top_left_y: y,
            ..Viewport::sized(half, half)
        });
        // The third scissor rectangle is narrower than its viewport.
        let size = SIZE as i32;
        let whole = Rect { left: 0, top: 0, right: size, bottom: size };
        let rects = [whole, whole, Rect { left: 1, ..whole }];
        let desc = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let scissor = h.device.create_rasterizer_state(&desc).unwrap();
        // Viewport 5 is not set, and viewports from 16 on are the first one.
        for (numbers, expected) in [
            ([0, 1, 2, 5, 1, 0], [0x6_0000, 0x5_0001, 0x3_0002]),
            ([16, 1, 2, 2, 15, 99], [0x6_0063, 0x2_0001, 0x4_0002]),
            ([5, 2, 15, 3, 4, 5], [0, 0, 0x2_0002]),
        ] {
            let scene = Scene::new(&h.device, &text, &numbers);
            h.record(CommandPath::Immediate, |cx| {
                scene.bind(cx);
                cx.rs_set_viewports(&viewports[..]);
                cx.rs_set_scissor_rects(&rects[..]);
                cx.rs_set_state(&scissor);
                cx.om_set_render_targets(&target.view, None);
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.draw(6, 0);
            });
            let texels = h.read_u32(&target.texture, 0);
            for (at, texel) in (0..).zip(&texels) {
                let (x, y) = (at % SIZE, at / SIZE);
                let expected = match (x < SIZE / 2, y < SIZE / 2) {
                    (true, true) => expected[0],
                    (false, true) => expected[1],
                    (true, false) if x > 0 => expected[2],
                    _ => 0,
                };
                assert_eq!(*texel, expected, "{numbers:?}: ({x}, {y})");
            }
        }
    });
}

#[test]
fn slices_and_viewports_are_selected_together() {
    on_each(&gpu_matrix(), |h| {
        let text = program(
            "uint viewport : SV_ViewportArrayIndex; uint slice : SV_RenderTargetArrayIndex;",
            "o.viewport = numbers[n].x & 1; o.slice = numbers[n].x >> 1;",
            "o.number + 1",
        );
        let scene = Scene::new(&h.device, &text, &[3, 0, 2, 1]);
        let targets = Slices::new(&h.device, 2);
        let half = SIZE as f32 / 2.0;
        let viewports = [0.0, half].map(|x| Viewport { top_left_x: x, ..Viewport::sized(half, SIZE as f32) });
        h.record(CommandPath::Nested, |cx| {
            scene.bind(cx);
            cx.rs_set_viewports(&viewports[..]);
            cx.om_set_render_targets(&targets.view, None);
            cx.clear_render_target_view(&targets.view, [0.0; 4]);
            cx.draw(4, 0);
        });
        for (slice, expected) in [[2, 4], [3, 1]].into_iter().enumerate() {
            let texels = h.read_u32(&targets.texture, slice as u32);
            let rows = texels.chunks(SIZE as usize);
            let is_right =
                |row: &[u32]| (0..).zip(row).all(|(x, texel)| *texel == expected[usize::from(x >= SIZE / 2)]);
            assert!(rows.into_iter().all(is_right), "slice {slice}: {texels:?}");
        }
    });
}

#[test]
fn the_pixel_shader_gets_the_number_that_the_first_vertex_has() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::PRIMITIVE_ID) {
            return;
        }
        let target = Slices::new(&h.device, 1);
        let mut last = |members: &str, set: &str| {
            let scene = Scene::new(&h.device, &program(members, set, "primitive << 8 | o.number"), &[]);
            h.record(CommandPath::Immediate, |cx| {
                scene.bind(cx);
                cx.om_set_render_targets(&target.view, None);
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.draw(5, 0);
            });
            h.read_u32(&target.texture, 0)[9]
        };
        let written = "uint id : SV_PrimitiveID;";
        assert_eq!(last(written, "o.id = k == 0 ? 7 * n + 3 : 1;"), (7 * 4 + 3) << 8 | 4);
        // In a register with other values.
        let shared = "uint other : SV_RenderTargetArrayIndex; uint id : SV_PrimitiveID;";
        assert_eq!(last(shared, "o.id = k == 0 ? 9 : 1;"), 9 << 8 | 4);
        assert_eq!(last("", ""), 4, "a geometry shader that writes no number");
    });
}

#[test]
fn negative_distances_at_all_vertices_cull_a_primitive() {
    on_each(&gpu_matrix(), |h| {
        // Bit 3 * d + k of a number is the sign of distance d at corner k.
        let text = program(
            "float3 a : SV_CullDistance0; float b : SV_CullDistance1;",
            "for (uint d = 0; d < 4; d++) {
                float distance = (numbers[n].x >> (3 * d + k) & 1) ? -1 : 0.5;
                if (d < 3) o.a[d] = distance; else o.b = distance;
            }",
            "o.number + 1",
        );
        let target = Slices::new(&h.device, 1);
        for (signs, is_culled) in [
            (0, false),
            (0b111, true),
            (0b101, false),
            (0b110_011_101_110, false),
            (0b111_000_000_000, true),
            (0b001_111_010_100, true),
            (0b011_011_111_000, true),
        ] {
            let scene = Scene::new(&h.device, &text, &[signs]);
            h.record(CommandPath::Immediate, |cx| {
                scene.bind(cx);
                cx.om_set_render_targets(&target.view, None);
                cx.clear_render_target_view(&target.view, [0.0; 4]);
                cx.draw(1, 0);
            });
            target.expect(h, &[u32::from(!is_culled)], &format!("{signs:b}"));
        }
    });
}

#[test]
fn distances_of_the_appended_vertices_clip() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::CLIP_DISTANCES) {
            return;
        }
        // The first distance keeps the left half, the second one the upper half.
        let text = program(
            "float a : SV_ClipDistance0; float b : SV_ClipDistance1;",
            "o.a = -o.position.x; o.b = o.position.y;",
            "o.number + 1",
        );
        let scene = Scene::new(&h.device, &text, &[]);
        let target = Slices::new(&h.device, 1);
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.om_set_render_targets(&target.view, None);
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            cx.draw(1, 0);
        });
        let texels = h.read_u32(&target.texture, 0);
        for (at, texel) in (0..).zip(&texels) {
            let is_kept = at % SIZE < SIZE / 2 && at / SIZE < SIZE / 2;
            assert_eq!(*texel, u32::from(is_kept), "{texels:?}");
        }
    });
}

#[test]
fn wgsl_writes_the_same_values() {
    on_each(&gpu_matrix(), |h| {
        let text = "
            struct V { @location(0) @interpolate(flat) number: u32 }
            struct O {
                @builtin(position) position: vec4f,
                @location(0) @interpolate(flat) number: u32,
                @location(1) @interpolate(flat) layer: u32,
                @location(2) cull_distances: vec2f,
            }
            struct VertexOutput {
                @builtin(position) position: vec4f,
                @location(0) @interpolate(flat) number: u32,
            }
            fn append0(vertex: O) {}
            fn restart0() {}
            @vertex fn vs_main(@builtin(vertex_index) number: u32) -> VertexOutput {
                return VertexOutput(vec4f(), number);
            }
            fn gs_main(v: array<V, 1>, primitive: u32, instance: u32) {
                // Each point has a triangle in its own slice and, for every second point, in the next one.
                for (var k = 0u; k < 3u; k++) {
                    let at = vec4f(select(-1.0, 3.0, k == 1u), select(1.0, -3.0, k == 2u), 0.5, 1.0);
                    let kept = select(-1.0, 1.0, instance == 0u || primitive % 2u == 0u);
                    append0(O(at, v[0].number * 2u + instance + 1u, v[0].number + instance, vec2f(kept, 1.0)));
                }
                restart0();
            }
            @fragment fn ps_main(@location(0) @interpolate(flat) number: u32) -> @location(0) u32 {
                return number;
            }";
        let desc = GeometryShaderDesc::new(InputPrimitive::Point, 3, &[StreamTopology::TriangleStrips]);
        let desc = desc.with_instances(2);
        let gs =
            h.device.create_geometry_shader(ShaderSource::wgsl_geometry(text, "gs_main", &desc)).unwrap();
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(text, "vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps_main")).unwrap();
        let targets = Slices::new(&h.device, 4);
        h.record(CommandPath::Immediate, |cx| {
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&gs);
            cx.ps_set_shader(&ps);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
            cx.om_set_render_targets(&targets.view, None);
            cx.clear_render_target_view(&targets.view, [0.0; 4]);
            cx.draw(3, 0);
        });
        // Point 0 is in slices 0 and 1, point 1 in slice 1, and point 2 in slices 2 and 3.
        targets.expect(h, &[1, 3, 5, 6], "WGSL");
    });
}

#[test]
fn instances_of_large_draws_are_drawn_in_order() {
    on_each(&gpu_matrix(), |h| {
        // The invocations of an instance do not fit into one index buffer of the driver. The last point of the first
        // instance and the first point of the second instance cover the target.
        let text = "
            struct V { nointerpolation uint2 number : NUMBER; };
            struct O { float4 position : SV_Position; nointerpolation uint color : COLOR; };
            V vs_main(uint number : SV_VertexID, uint instance : SV_InstanceID) {
                V v = { uint2(number, instance) };
                return v;
            }
            [maxvertexcount(200)] void gs_main(point V v[1], inout TriangleStream<O> to) {
                uint2 n = v[0].number;
                if (all(n == uint2(499, 0)) || all(n == uint2(0, 1))) {
                    for (uint k = 0; k < 3; k++) {
                        O o = { float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0, 1), n.y + 1 };
                        to.Append(o);
                    }
                }
            }
            uint ps_main(O o) : SV_Target { return o.color; }";
        let scene = Scene::new(&h.device, text, &[]);
        let target = Slices::new(&h.device, 1);
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.om_set_render_targets(&target.view, None);
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            cx.draw_instanced(500, 2, 0, 0);
        });
        target.expect(h, &[2], "two instances");
    });
}

#[test]
fn slices_beside_a_larger_depth_target_are_selected() {
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(&h.device, &program(LAYER, SET_LAYER, "o.number + 1"), &[1, 0, 1, 2]);
        let targets = Slices::new(&h.device, 3);
        let desc = Texture2dDesc {
            array_size: 3,
            ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, 2 * SIZE, 2 * SIZE)
        };
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let depth = h.device.create_depth_stencil_view(&depth, None).unwrap();
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.clear_render_target_view(&targets.view, [0.0; 4]);
            cx.clear_depth_stencil_view(&depth, ClearFlags::DEPTH, 1.0, 0);
            cx.om_set_render_targets(&targets.view, &depth);
            cx.draw(4, 0);
        });
        targets.expect(h, &[2, 3, 4], "a larger depth target");
    });
}

#[test]
fn system_values_may_be_signed() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::PRIMITIVE_ID) {
            return;
        }
        let text = program(
            "int slice : SV_RenderTargetArrayIndex; int id : SV_PrimitiveID;",
            "o.slice = 1; o.id = 5;",
            "primitive",
        );
        let scene = Scene::new(&h.device, &text, &[]);
        let targets = Slices::new(&h.device, 2);
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.clear_render_target_view(&targets.view, [0.0; 4]);
            cx.om_set_render_targets(&targets.view, None);
            cx.draw(1, 0);
        });
        targets.expect(h, &[0, 5], "signed numbers");
    });
}

#[test]
fn vertices_without_a_position_draw_nothing() {
    on_each(&gpu_matrix(), |h| {
        h.watch.allow(&[MessageId::DrawNoPixelShader]);
        let text = format!(
            "{VERTEX}
            struct O {{ float4 value : VALUE; }};
            [maxvertexcount(3)] void gs_main(point V v[1], inout TriangleStream<O> to) {{
                for (uint k = 0; k < 3; k++) {{ O o = {{ v[0].number.xxxx }}; to.Append(o); }}
            }}
            uint ps_main() : SV_Target {{ return 1; }}"
        );
        let scene = Scene::new(&h.device, &text, &[]);
        let target = Slices::new(&h.device, 1);
        h.record(CommandPath::Immediate, |cx| {
            scene.bind(cx);
            cx.ps_set_shader(None);
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            cx.om_set_render_targets(&target.view, None);
            cx.draw(3, 0);
        });
        target.expect(h, &[0], "no position");
    });
}
