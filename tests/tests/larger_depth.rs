//! Depth-stencil targets that are larger than the render targets, so that draws cover the area that all
//! targets have in common.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, Quad, gpu_matrix, on_each, wait_for};

/// Width and height of the render targets.
const SMALL: (u32, u32) = (5, 3);
/// Width and height of the larger depth-stencil target.
const LARGE: (u32, u32) = (8, 8);

/// The left quarter of a viewport's upper half.
const CORNER: [f32; 4] = [-1.0, 0.0, -0.5, 1.0];

struct Scene {
    colors: Vec<(Texture2d, RenderTargetView)>,
    depth: (Texture2d, DepthStencilView),
    quad: Quad,
    ps: PixelShader,
}

impl Scene {
    /// Creates a scene with `texture` and `seen` as the formats of the render targets and of their views.
    /// With `inner`, the views show the second mip level of the second slice.
    fn new(h: &Harness, texture: Format, seen: Format, targets: u32, depth: (u32, u32), inner: bool) -> Self {
        let d = &h.device;
        let (level, slice) = if inner { (1, 1) } else { (0, 0) };
        let color = |_| {
            let (width, height) = (SMALL.0 << level, SMALL.1 << level);
            let desc = Texture2dDesc {
                mip_levels: level + 1,
                array_size: slice + 1,
                ..Texture2dDesc::render_target(texture, width, height)
            };
            let texture = d.create_texture_2d(&desc, None).unwrap();
            let dimension = inner.then_some(RenderTargetViewDimension::Texture2dArray {
                mip_slice: level,
                first_array_slice: slice,
                array_size: 1,
            });
            let desc = RenderTargetViewDesc { format: seen, dimension, plane_slice: 0 };
            let view = d.create_render_target_view(&texture, Some(&desc)).unwrap();
            (texture, view)
        };
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, depth.0, depth.1);
        let texture = d.create_texture_2d(&desc, None).unwrap();
        let view = texture.create_depth_stencil_view().unwrap();
        let (kind, scale) = match format!("{seen:?}") {
            name if name.ends_with("UINT") => ("vec4u", "255.0"),
            name if name.ends_with("SINT") => ("vec4i", "127.0"),
            _ => ("vec4f", "1.0"),
        };
        let outputs: String = (0..targets).map(|at| format!("@location({at}) o{at}: {kind}, ")).collect();
        let values: Vec<_> =
            (0..targets).map(|at| format!("{kind}(constants.color * {scale} / {}.0)", at + 1)).collect();
        let source = format!(
            "struct Constants {{ color: vec4f, rect: vec4f, depth: vec4f }}
            @group(0) @binding(0) var<uniform> constants: Constants;
            struct Out {{ {outputs} }}
            @fragment fn main() -> Out {{ return Out({}); }}",
            values.join(", ")
        );
        Self {
            colors: (0..targets).map(color).collect(),
            depth: (texture, view),
            quad: Quad::new(d),
            ps: d.create_pixel_shader(ShaderSource::wgsl(&source, "main")).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext, depth: bool) {
        let views: Vec<_> = self.colors.iter().map(|(_, view)| Some(view)).collect();
        cx.om_set_render_targets(&views[..], depth.then_some(&self.depth.1));
    }

    fn draw(&self, cx: &mut DeviceContext, color: [f32; 4], rect: [f32; 4], depth: f32) {
        self.quad.bind(cx);
        cx.ps_set_shader(&self.ps);
        self.quad.set(cx, color, rect, depth);
        cx.draw(4, 0);
    }

    /// Draws without depth, then with depth, and with `clears` also clears a target in between.
    fn commands(&self, cx: &mut DeviceContext, clears: bool) {
        for (_, view) in &self.colors {
            cx.clear_render_target_view(view, [0.25, 0.5, 0.125, 1.0]);
        }
        cx.clear_depth_stencil_view(&self.depth.1, ClearFlags::DEPTH, 1.0, 0);
        cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
        self.bind(cx, false);
        self.draw(cx, [0.75, 0.0, 0.5, 1.0], [-1.0, 0.5, 1.0, 1.0], 0.0);
        if clears {
            cx.clear_render_target_view(&self.colors[0].1, [0.5, 0.125, 0.25, 1.0]);
        }
        self.bind(cx, true);
        self.draw(cx, [0.0, 1.0, 0.0, 1.0], CORNER, 0.5);
        // The depth test rejects the corner, and the rectangle ends at the fifth row.
        self.draw(cx, [1.0, 0.0, 0.0, 0.5], [-1.0, -0.25, 1.0, 0.75], 0.75);
        self.bind(cx, false);
        self.draw(cx, [0.0, 0.0, 1.0, 1.0], [-0.25, -1.0, 0.0, 1.0], 0.0);
    }

    fn read(&self, h: &mut Harness) -> Vec<Vec<u8>> {
        let last = |texture: &Texture2d| texture.desc().mip_levels * texture.desc().array_size - 1;
        self.colors.iter().map(|(texture, _)| h.read(texture, last(texture))).collect()
    }
}

const FORMATS: &[(Format, Format)] = &[
    (Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM),
    (Format::R8G8B8A8_UNORM_SRGB, Format::R8G8B8A8_UNORM_SRGB),
    (Format::R8G8B8A8_TYPELESS, Format::R8G8B8A8_UNORM_SRGB),
    (Format::R8G8B8A8_TYPELESS, Format::R8G8B8A8_UINT),
    (Format::R8G8B8A8_SINT, Format::R8G8B8A8_SINT),
    (Format::R16G16B16A16_FLOAT, Format::R16G16B16A16_FLOAT),
    (Format::R32_UINT, Format::R32_UINT),
    (Format::B5G6R5_UNORM, Format::B5G6R5_UNORM),
    (Format::A8_UNORM, Format::A8_UNORM),
];

/// The results are the same with a larger depth target as with one of the targets' size. Covers several
/// formats, loads and clears, one target and three, and a target that is a mip level of a slice.
#[test]
fn larger_depth_draws_as_depth_of_the_targets_size_does() {
    on_each(&gpu_matrix(), |h| {
        for (texture, seen) in FORMATS {
            if !h.has_format(*seen, FormatSupport::RENDER_TARGET) {
                continue;
            }
            for (targets, clears, inner) in [(1, false, false), (1, true, true), (3, true, false)] {
                for how in [CommandPath::Immediate, CommandPath::Deferred] {
                    let drawn = [LARGE, SMALL].map(|depth| {
                        let scene = Scene::new(h, *texture, *seen, targets, depth, inner);
                        h.record(how, |cx| scene.commands(cx, clears));
                        scene.read(h)
                    });
                    let what = format!("{texture:?} as {seen:?}, {targets}, {clears}, {inner}, {how:?}");
                    assert_eq!(drawn[0], drawn[1], "{what}");
                }
            }
        }
        h.assert_silent();
    });
}

/// Compares each texel's colour and depth, where the depth outside the targets' area must be unchanged.
#[test]
fn draws_reach_the_area_that_all_targets_have() {
    on_each(&gpu_matrix(), |h| {
        let rgba8 = Format::R8G8B8A8_UNORM;
        let scene = Scene::new(h, rgba8, rgba8, 1, LARGE, false);
        let list = {
            let mut deferred = h.device.create_deferred_context().unwrap();
            scene.commands(&mut deferred, false);
            deferred.finish_command_list(false).unwrap()
        };
        // During the second execution, the draws are recorded into bundles, which the third execution uses.
        for time in 0..3 {
            h.immediate.execute_command_list(&list, false);
            let texels: Vec<u32> = bytemuck::pod_collect_to_vec(&scene.read(h)[0]);
            let color = |x: u32, y: u32| match (x, y) {
                (3, _) => 0xffff_0000,
                (0 | 1, _) => 0xff00_ff00,
                (_, 0) => 0xff80_00bf,
                _ => 0x8000_00ff,
            };
            for (at, texel) in texels.iter().enumerate() {
                let (x, y) = (at as u32 % SMALL.0, at as u32 / SMALL.0);
                assert!(
                    onze_tests::drawing::is_close(*texel, color(x, y), 1),
                    "{x}, {y}: {texel:#x}, {time}"
                );
            }
            let depths: Vec<f32> = bytemuck::pod_collect_to_vec(&h.read(&scene.depth.0, 0));
            for (at, depth) in depths.iter().enumerate() {
                let expected = match (at % 8, at / 8) {
                    (0 | 1, 0..3) => 0.5,
                    (2..5, 1..3) => 0.75,
                    _ => 1.0,
                };
                assert_eq!(*depth, expected, "{at}, {time}");
            }
        }
        h.assert_silent();
    });
}

/// Queries count only the samples in the common area.
#[test]
fn samples_are_counted_in_the_common_area() {
    on_each(&gpu_matrix(), |h| {
        if !h.has_feature(Features::OCCLUSION_COUNTS) {
            return;
        }
        let rgba8 = Format::R8G8B8A8_UNORM;
        let scene = Scene::new(h, rgba8, rgba8, 1, LARGE, false);
        let queries = [(); 2].map(|()| h.device.create_query(QueryType::Occlusion).unwrap());
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_depth_stencil_view(&scene.depth.1, ClearFlags::DEPTH, 1.0, 0);
            cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
            scene.bind(cx, true);
            for (query, (rect, depth)) in queries.iter().zip([(CORNER, 0.5), (Quad::ALL, 0.75)]) {
                cx.begin(query);
                scene.draw(cx, [1.0; 4], rect, depth);
                cx.end(query);
            }
        });
        let counts = queries
            .each_ref()
            .map(|query| wait_for("there is an answer", || h.immediate.get_data(query, false).unwrap()));
        assert_eq!(counts, [QueryData::Occlusion(6), QueryData::Occlusion(9)]);
        h.assert_silent();
    });
}
