//! Depth in the rasterizer: the depth bias of a rasterizer state, and clipping at the near and far planes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Features, prelude::*};
use onze_tests::{
    CommandPath, Config, Harness, Quad, gpu_matrix, on_each,
    shapes::{Painter, RED, Vertex, vertices},
};

const RED_F: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

fn state(device: &Device, desc: RasterizerDesc) -> RasterizerState {
    device.create_rasterizer_state(&desc).unwrap()
}

struct Depth {
    texture: Texture2d,
    view: DepthStencilView,
    always: DepthStencilState,
    quad: Quad,
}

impl Depth {
    const SIZE: u32 = 4;

    fn new(device: &Device, format: Format) -> Self {
        let desc = Texture2dDesc::depth_stencil(format, Self::SIZE, Self::SIZE);
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let always = DepthStencilDesc { depth_func: ComparisonFunc::Always, ..Default::default() };
        Self {
            view: device.create_depth_stencil_view(&texture, None).unwrap(),
            texture,
            always: device.create_depth_stencil_state(&always).unwrap(),
            quad: Quad::new(device),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.clear_depth_stencil_view(&self.view, ClearFlags::DEPTH, 0.0625, 0);
        cx.om_set_render_targets(None::<&RenderTargetView>, &self.view);
        cx.om_set_depth_stencil_state(&self.always, 0);
        cx.rs_set_viewports(Viewport::sized(Self::SIZE as f32, Self::SIZE as f32));
    }

    /// Returns the depth of all texels in order, or the stored integers for D16.
    fn read(&self, h: &mut Harness) -> Vec<f32> {
        let bytes = h.read(&self.texture, 0);
        match self.texture.desc().format {
            Format::D16_UNORM => {
                let texels: Vec<u16> = bytemuck::pod_collect_to_vec(&bytes);
                texels.into_iter().map(f32::from).collect()
            }
            _ => bytemuck::pod_collect_to_vec(&bytes),
        }
    }
}

/// See Wine 10.0, d3d11 tests, line 32014.
#[test]
fn depth_out_of_range_is_clipped_or_clamped_to_the_viewport() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let depth = Depth::new(&d, Format::D32_FLOAT);
        let range = Viewport { min_depth: 0.4, max_depth: 0.6, ..Viewport::sized(4.0, 4.0) };
        let clamp = d
            .check_feature_support()
            .features
            .contains(Features::DEPTH_CLIP_DISABLE)
            .then(|| state(&d, RasterizerDesc { depth_clip_enable: false, ..Default::default() }));
        let untouched = 0.0625;
        for (z, clipped, clamped) in
            [(0.0, 0.4, 0.4), (0.5, 0.5, 0.5), (1.0, 0.6, 0.6), (2.0, untouched, 0.6), (-1.0, untouched, 0.4)]
        {
            let rows = [(None, clipped), (clamp.as_ref(), clamped)];
            for (bound, expected) in rows.iter().take(if clamp.is_some() { 2 } else { 1 }) {
                for how in CommandPath::ALL {
                    h.record(how, |cx| {
                        depth.bind(cx);
                        cx.rs_set_viewports(range);
                        cx.rs_set_state(*bound);
                        depth.quad.draw_at(cx, RED_F, Quad::ALL, z);
                    });
                    let read = depth.read(h);
                    let near = read.iter().all(|depth| (depth - expected).abs() < 1e-6_f32);
                    let clip = bound.is_none();
                    assert!(near, "z {z}, clip {clip}, {how:?}: {read:?}, not {expected}");
                }
            }
        }
    });
}

fn clamped(bias: f32, clamp: f32) -> f32 {
    if clamp > 0.0 {
        bias.min(clamp)
    } else if clamp < 0.0 {
        bias.max(clamp)
    } else {
        bias
    }
}

/// See Wine 10.0, d3d11 tests, line 28430.
#[test]
fn a_depth_bias_counts_in_steps_of_the_format_and_is_clamped() {
    on_each(&[Config::GPU, Config { page_draws: Some(1), ..Config::GPU }], |h| {
        let d = h.device.clone();
        let (float, unorm) = (Depth::new(&d, Format::D32_FLOAT), Depth::new(&d, Format::D16_UNORM));
        for depth_bias in [0, 1, -1, 10, -10, 100, -100, 1000, -1000, 10_000, -10_000] {
            for clamp in [0.0, 1e-5, -1e-5] {
                let desc = RasterizerDesc { depth_bias, depth_bias_clamp: clamp, ..Default::default() };
                let biased = state(&d, desc);
                for z in [0.125_f32, 0.25, 0.5, 1.0] {
                    let row = format!("bias {depth_bias}, clamp {clamp}, z {z}");
                    let step = (z.log2().floor() - 23.0).exp2();
                    let expected = (z + clamped(depth_bias as f32 * step, clamp)).clamp(0.0, 1.0);
                    let read = biased_depth(h, &float, &biased, z);
                    let near = read.iter().all(|depth| (depth - expected).abs() <= 2.0 * step);
                    assert!(near, "float, {row}: {read:?}, not {expected}");
                    // For unorm formats, Vulkan lets the adapter use a step of up to twice the format's own
                    // step, but Direct3D uses the format's own step.
                    let [one, two] = [1.0, 2.0].map(|steps| {
                        let bias = clamped(depth_bias as f32 * steps / 65_535.0, clamp);
                        (z + bias).clamp(0.0, 1.0) * 65_535.0
                    });
                    let read = biased_depth(h, &unorm, &biased, z);
                    let near = read.iter().all(|d| (one.min(two) - 1.5..=one.max(two) + 1.5).contains(d));
                    assert!(near, "unorm, {row}: {read:?}, neither {one} nor {two}");
                }
            }
        }
        h.immediate.clear_state();
    });
}

fn biased_depth(h: &mut Harness, depth: &Depth, biased: &RasterizerState, z: f32) -> Vec<f32> {
    let cx = &mut h.immediate;
    depth.bind(cx);
    cx.rs_set_state(biased);
    depth.quad.draw_at(cx, RED_F, Quad::ALL, z);
    depth.read(h)
}

/// The depth increases by 0.1 per pixel to the right and by 0.05 per pixel downwards, so the horizontal slope
/// is used.
#[test]
fn a_slope_scaled_bias_counts_the_steepest_slope() {
    on_each(&[Config::GPU, Config { page_draws: Some(1), ..Config::GPU }], |h| {
        let d = h.device.clone();
        let (depth, painter) = (Depth::new(&d, Format::D32_FLOAT), Painter::new(&d));
        let z = |x: f32, y: f32| 0.2 + 0.1 * x + 0.05 * y;
        let corner = |x: f32, y: f32| Vertex::new(x / 2.0 - 1.0, 1.0 - y / 2.0, z(x, y), RED);
        let shape = [corner(0.0, 4.0), corner(0.0, 0.0), corner(4.0, 4.0), corner(4.0, 0.0)];
        let shape = vertices(&d, &shape);
        for slope in [0.0, 0.5, 1.0, -1.0] {
            let desc = RasterizerDesc { slope_scaled_depth_bias: slope, ..Default::default() };
            let biased = state(&d, desc);
            let cx = &mut h.immediate;
            depth.bind(cx);
            painter.bind(cx, &shape, PrimitiveTopology::TriangleStrip);
            cx.rs_set_state(&biased);
            cx.draw(4, 0);
            for (n, read) in depth.read(h).iter().enumerate() {
                let expected = z((n % 4) as f32 + 0.5, (n / 4) as f32 + 0.5) + slope * 0.1;
                assert!((read - expected).abs() < 1e-5, "slope {slope}, {n}: {read}, not {expected}");
            }
        }
        h.immediate.clear_state();
    });
}

#[test]
fn a_bias_does_not_move_points_and_lines() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let (depth, painter) = (Depth::new(&d, Format::D32_FLOAT), Painter::new(&d));
        let row = [Vertex::at(4, 0.5, 0.5, RED), Vertex::at(4, 3.5, 0.5, RED)]
            .map(|v| Vertex { position: [v.position[0], v.position[1], 0.5], ..v });
        let row = vertices(&d, &row);
        let biased = state(&d, RasterizerDesc { depth_bias: 1 << 20, ..Default::default() });
        for topology in [PrimitiveTopology::LineList, PrimitiveTopology::PointList] {
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    depth.bind(cx);
                    painter.bind(cx, &row, topology);
                    cx.rs_set_state(&biased);
                    cx.draw(2, 0);
                });
                assert_eq!(depth.read(h)[0], 0.5, "{topology:?}, {how:?}");
            }
        }
    });
}
