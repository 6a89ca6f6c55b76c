//! Separate access to depth and stencil: views of one plane, read-only planes, initial contents and maps.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, on_each, shapes::Cover};

const SIZE: u32 = 4;

/// A typeless format, and its formats for depth-stencil views, for reads of depth and for reads of stencil.
const COMBINED: [(Format, Format, Format, Format); 2] = [
    (
        Format::R24G8_TYPELESS,
        Format::D24_UNORM_S8_UINT,
        Format::R24_UNORM_X8_TYPELESS,
        Format::X24_TYPELESS_G8_UINT,
    ),
    (
        Format::R32G8X24_TYPELESS,
        Format::D32_FLOAT_S8X24_UINT,
        Format::R32_FLOAT_X8X24_TYPELESS,
        Format::X32_TYPELESS_G8X24_UINT,
    ),
];

fn texel(format: Format, depth: f32, stencil: u8) -> Vec<u8> {
    let fixed = |most: f64| (f64::from(depth) * most).round() as u32;
    let mut bytes = match format {
        Format::R24G8_TYPELESS | Format::D24_UNORM_S8_UINT => {
            (fixed(16_777_215.0) | u32::from(stencil) << 24).to_le_bytes().to_vec()
        }
        Format::R16_TYPELESS | Format::D16_UNORM => (fixed(65535.0) as u16).to_le_bytes().to_vec(),
        _ => depth.to_bits().to_le_bytes().to_vec(),
    };
    if format.bytes_per_block() == 8 {
        bytes.extend([stencil, 0, 0, 0]);
    }
    bytes
}

struct Scene {
    texture: Texture2d,
    depth: ShaderResourceView,
    stencil: ShaderResourceView,
    target_format: Format,
    /// Shows depth as red, stencil as green, and the other components of the stencil view as blue.
    show: Cover,
}

impl Scene {
    fn new(h: &Harness, (format, target_format, depth, stencil): (Format, Format, Format, Format)) -> Self {
        let desc = Texture2dDesc {
            mip_levels: 1,
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::new(format, SIZE, SIZE)
        };
        let bytes: Vec<u8> =
            (0..SIZE * SIZE).flat_map(|n| texel(format, n as f32 / 16.0, 10 * n as u8)).collect();
        let data = [SubresourceData { bytes: &bytes, row_pitch: format.row_pitch(SIZE), depth_pitch: 0 }];
        let texture = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
        let view = |format| {
            let desc = ShaderResourceViewDesc::texture_2d(format, 0, 1);
            h.device.create_shader_resource_view(&texture, Some(&desc)).unwrap()
        };
        let show = Cover::new(
            &h.device,
            "@group(1) @binding(0) var depth: texture_2d<f32>;
            @group(1) @binding(1) var stencil: texture_2d<u32>;",
            "let s = textureLoad(stencil, vec2u(position.xy), 0);
            let d = textureLoad(depth, vec2u(position.xy), 0).r;
            return vec4f(d, f32(s.y) / 255.0, f32(s.x + s.z) / 255.0, 1.0);",
        );
        let (depth, stencil) = (view(depth), view(stencil));
        Self { texture, depth, stencil, target_format, show }
    }

    fn dsv(&self, flags: DsvFlags) -> DepthStencilView {
        let desc = DepthStencilViewDesc { flags, ..DepthStencilViewDesc::texture_2d(self.target_format, 0) };
        self.texture.device().create_depth_stencil_view(&self.texture, Some(&desc)).unwrap()
    }

    fn show(&self, cx: &mut DeviceContext, target: &Target) {
        target.bind(cx);
        cx.ps_set_shader_resources(0, [&self.depth, &self.stencil]);
        self.show.draw(cx);
    }
}

fn color(depth: f32, stencil: u32) -> u32 {
    0xff00_0000 | stencil << 8 | (depth * 255.0).round() as u32
}

fn assert_shown(h: &mut Harness, target: &Target, expected: impl Fn(u32) -> u32, what: &str) {
    for (n, found) in (0..).zip(target.read(h)) {
        let expected = expected(n);
        assert!(
            onze_tests::drawing::is_close(found, expected, 1),
            "{what}: {found:x} at {n}, not {expected:x}"
        );
    }
}

/// Shaders read the stencil value from component `y` (Wine 10.0, d3d11 tests, line 10541).
#[test]
fn stencil_is_read_in_y_after_contents_clears_and_copies() {
    on_each(&gpu_matrix(), |h| {
        for formats in COMBINED {
            for how in CommandPath::ALL {
                let (scene, other) = (Scene::new(h, formats), Scene::new(h, formats));
                let dsv = scene.dsv(DsvFlags::empty());
                let targets = [(); 5].map(|()| Target::new(&h.device, SIZE, SIZE));
                h.record(how, |cx| {
                    scene.show(cx, &targets[0]);
                    cx.clear_depth_stencil_view(&dsv, ClearFlags::STENCIL, 0.0, 100);
                    scene.show(cx, &targets[1]);
                    cx.clear_depth_stencil_view(&dsv, ClearFlags::DEPTH, 0.5, 7);
                    scene.show(cx, &targets[2]);
                    cx.clear_depth_stencil_view(&dsv, ClearFlags::all(), 1.0, 255);
                    scene.show(cx, &targets[3]);
                    cx.copy_resource(&scene.texture, &other.texture);
                    scene.show(cx, &targets[4]);
                });
                let what = format!("{:?}, {how:?}", formats.0);
                let given = |n: u32| color(n as f32 / 16.0, 10 * n);
                assert_shown(h, &targets[0], given, &format!("{what}, contents"));
                let stencil = |n: u32| color(n as f32 / 16.0, 100);
                assert_shown(h, &targets[1], stencil, &format!("{what}, stencil cleared"));
                assert_shown(h, &targets[2], |_| color(0.5, 100), &format!("{what}, depth cleared"));
                assert_shown(h, &targets[3], |_| color(1.0, 255), &format!("{what}, both cleared"));
                assert_shown(h, &targets[4], given, &format!("{what}, copied"));
            }
        }
    });
}

/// With one read-only plane, a draw reads that plane and writes the other plane. With two read-only planes, a
/// draw reads both planes and writes neither of them (Wine 10.0, d3d11 tests, line 32419).
#[test]
fn a_plane_is_read_while_the_target_must_not_write_it() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet, MessageId::SetShaderResourcesHazard]);
        for formats in COMBINED {
            for how in CommandPath::ALL {
                let both = DsvFlags::READ_ONLY_DEPTH | DsvFlags::READ_ONLY_STENCIL;
                for flags in [DsvFlags::READ_ONLY_DEPTH, DsvFlags::READ_ONLY_STENCIL, both] {
                    let scene = Scene::new(h, formats);
                    let dsv = scene.dsv(flags);
                    let state = DepthStencilDesc {
                        depth_func: ComparisonFunc::Always,
                        stencil_enable: true,
                        front_face: DepthStencilOpDesc {
                            stencil_pass_op: StencilOp::Replace,
                            ..DepthStencilOpDesc::default()
                        },
                        ..DepthStencilDesc::default()
                    };
                    let state = h.device.create_depth_stencil_state(&state).unwrap();
                    let (target, after) =
                        (Target::new(&h.device, SIZE, SIZE), Target::new(&h.device, SIZE, SIZE));
                    h.record(how, |cx| {
                        target.bind(cx);
                        cx.om_set_render_targets([&target.view], &dsv);
                        cx.om_set_depth_stencil_state(&state, 77);
                        cx.ps_set_shader_resources(0, [&scene.depth, &scene.stencil]);
                        scene.show.draw(cx);
                        scene.show.draw(cx);
                        cx.om_set_depth_stencil_state(None, 0);
                        scene.show(cx, &after);
                    });
                    let reads = |plane: DsvFlags, n: u32| if flags.contains(plane) { n } else { 0 };
                    let read = |n: u32| {
                        let depth = reads(DsvFlags::READ_ONLY_DEPTH, n) as f32 / 16.0;
                        color(depth, 10 * reads(DsvFlags::READ_ONLY_STENCIL, n))
                    };
                    let what = format!("{:?}, {flags:?}, {how:?}", formats.0);
                    assert_shown(h, &target, read, &what);
                    // The triangle has depth 0.
                    let left = |n: u32| {
                        let stencil = if flags.contains(DsvFlags::READ_ONLY_STENCIL) { 10 * n } else { 77 };
                        color(reads(DsvFlags::READ_ONLY_DEPTH, n) as f32 / 16.0, stencil)
                    };
                    assert_shown(h, &after, left, &format!("{what}, afterwards"));
                    h.take_errors();
                }
            }
        }
    });
}

/// Returns whether texels are equal, except that a 24-bit depth may differ by one step because it is
/// converted to a float.
fn is_same(format: Format, a: &[u8], b: &[u8]) -> bool {
    let is_fixed = matches!(format, Format::R24G8_TYPELESS | Format::D24_UNORM_S8_UINT);
    let words = |bytes: &[u8]| -> Vec<u32> { bytemuck::pod_collect_to_vec(bytes) };
    if is_fixed {
        let near = |(a, b): (&u32, &u32)| a >> 24 == b >> 24 && (a & 0xff_ffff).abs_diff(b & 0xff_ffff) <= 1;
        words(a).iter().zip(&words(b)).all(near)
    } else {
        a == b
    }
}

/// Covers initial contents, reads, and writes through staging textures in all depth formats.
#[test]
fn depth_formats_return_the_contents_written_to_them() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        for format in [
            Format::D16_UNORM,
            Format::R16_TYPELESS,
            Format::D24_UNORM_S8_UINT,
            Format::R24G8_TYPELESS,
            Format::D32_FLOAT,
            Format::R32_TYPELESS,
            Format::D32_FLOAT_S8X24_UINT,
            Format::R32G8X24_TYPELESS,
        ] {
            let desc = Texture2dDesc {
                mip_levels: 2,
                array_size: 2,
                bind_flags: BindFlags::DEPTH_STENCIL,
                ..Texture2dDesc::new(format, 6, 4)
            };
            let contents: Vec<_> = (0..4_u32)
                .map(|at| {
                    let (width, height) = desc.mip_size(at % 2);
                    let texels = (0..width * height).map(|n| (at * 24 + n) as f32 / 100.0);
                    let bytes: Vec<u8> =
                        texels.enumerate().flat_map(|(n, depth)| texel(format, depth, n as u8 + 3)).collect();
                    (bytes, format.row_pitch(width))
                })
                .collect();
            let data: Vec<_> = contents
                .iter()
                .map(|(bytes, row_pitch)| SubresourceData { bytes, row_pitch: *row_pitch, depth_pitch: 0 })
                .collect();
            let texture = h.device.create_texture_2d(&desc, Some(&data)).unwrap();
            let copy = h.device.create_texture_2d(&desc, None).unwrap();
            let staging = Texture2dDesc {
                usage: Usage::Staging,
                bind_flags: BindFlags::empty(),
                cpu_access_flags: CpuAccessFlags::WRITE,
                ..desc.clone()
            };
            let staging = h.device.create_texture_2d(&staging, None).unwrap();
            for (at, (bytes, row_pitch)) in (0..).zip(&contents) {
                let found = h.read(&texture, at);
                assert!(
                    is_same(format, &found, bytes),
                    "{format:?}, subresource {at}: {found:?}, not {bytes:?}"
                );
                let mut mapped = h.immediate.map(&staging, at, MapType::Write).unwrap();
                let pitch = mapped.row_pitch() as usize;
                for (y, row) in bytes.chunks(*row_pitch as usize).enumerate() {
                    mapped.write_slice(y * pitch, row);
                }
            }
            h.immediate.copy_resource(&copy, &staging);
            for (at, (bytes, _)) in (0..).zip(&contents) {
                let found = h.read(&copy, at);
                assert!(
                    is_same(format, &found, bytes),
                    "{format:?}, {at} from staging: {found:?}, not {bytes:?}"
                );
            }
        }
    });
}

/// A depth texture without stencil can be viewed in every format of its family, where an integer format shows
/// the bits of the depth.
#[test]
fn depth_without_stencil_is_read_as_its_bits() {
    on_each(&gpu_matrix(), |h| {
        for (typeless, target_format, unsigned, bits) in [
            (Format::R32_TYPELESS, Format::D32_FLOAT, Format::R32_UINT, [0x3f80_0000, 0x3e80_0000]),
            (Format::R16_TYPELESS, Format::D16_UNORM, Format::R16_UINT, [0xffff_u32, 0x4000]),
        ] {
            let desc = Texture2dDesc {
                mip_levels: 1,
                bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
                ..Texture2dDesc::new(typeless, SIZE, SIZE)
            };
            let texture = h.device.create_texture_2d(&desc, None).unwrap();
            let dsv = DepthStencilViewDesc::texture_2d(target_format, 0);
            let dsv = h.device.create_depth_stencil_view(&texture, Some(&dsv)).unwrap();
            let srv = ShaderResourceViewDesc::texture_2d(unsigned, 0, 1);
            let srv = h.device.create_shader_resource_view(&texture, Some(&srv)).unwrap();
            let show = Cover::new(
                &h.device,
                "@group(1) @binding(0) var bits: texture_2d<u32>;",
                "let b = textureLoad(bits, vec2u(position.xy), 0).r;
                return vec4f(vec3f(vec3u(b >> 16u, b >> 8u, b) & vec3u(255u)) / 255.0, 1.0);",
            );
            for how in CommandPath::ALL {
                let targets = [(); 2].map(|()| Target::new(&h.device, SIZE, SIZE));
                h.record(how, |cx| {
                    // The second clear must change the texture, although the first draw has read it.
                    for (target, depth) in targets.iter().zip([1.0, 0.25]) {
                        cx.clear_depth_stencil_view(&dsv, ClearFlags::DEPTH, depth, 0);
                        target.bind(cx);
                        cx.ps_set_shader_resources(0, &srv);
                        show.draw(cx);
                    }
                });
                for (target, bits) in targets.iter().zip(bits) {
                    let expected = 0xff00_0000 | (bits & 0xff) << 16 | bits & 0xff00 | bits >> 16 & 0xff;
                    assert_shown(h, target, |_| expected, &format!("{unsigned:?}, {how:?}"));
                }
            }
        }
    });
}
