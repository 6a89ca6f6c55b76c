//! Views of 1D and 3D textures: shader reads and writes, draws, clears, and overlapping views.

use onze::prelude::*;
use onze::{SubresourceRange, ViewDesc, ViewDimension};
use onze_tests::{CommandPath, Config, Harness, Quad, gpu_matrix, matrix, on_each};

const READ: BindFlags = BindFlags::SHADER_RESOURCE;
const WRITTEN: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS);
const DRAWN: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::RENDER_TARGET);

fn row(h: &Harness, width: u32, array_size: u32, bind_flags: BindFlags) -> Texture1d {
    let desc = Texture1dDesc { array_size, bind_flags, ..Texture1dDesc::new(Format::R32_UINT, width) };
    h.device.create_texture_1d(&desc, None).unwrap()
}

fn block(h: &Harness, (w, height, d): (u32, u32, u32), bind_flags: BindFlags) -> Texture3d {
    let desc = Texture3dDesc { bind_flags, ..Texture3dDesc::new(Format::R32_UINT, w, height, d) };
    h.device.create_texture_3d(&desc, None).unwrap()
}

fn number(
    h: &mut Harness,
    texture: &impl onze::Resource,
    at: u32,
    (w, height, d): (u32, u32, u32),
    first: u32,
) {
    let texels: Vec<u32> = (0..w * height * d).map(|n| first + n).collect();
    h.immediate.update_subresource(texture, at, None, &texels, 4 * w, 4 * w * height);
}

fn words(bytes: onze::Error) -> ! {
    panic!("{bytes}")
}

fn as_words(bytes: Vec<u8>) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

struct Answers(Buffer, UnorderedAccessView);

impl Answers {
    fn new(h: &Harness, count: u32) -> Self {
        let desc = BufferDesc::structured(4, count, BindFlags::UNORDERED_ACCESS);
        let buffer = h.device.create_buffer(&desc, Some(&vec![0xee; 4 * count as usize])).unwrap();
        let view = buffer.create_unordered_access_view().unwrap();
        Self(buffer, view)
    }

    /// Returns the words that a single-threaded shader with the body `text` writes into `answers`, with
    /// `view` bound to `t0`.
    fn of(
        h: &mut Harness,
        how: CommandPath,
        declarations: &str,
        text: &str,
        view: &ShaderResourceView,
        count: u32,
    ) -> Vec<u32> {
        let answers = Self::new(h, count);
        let cs = compute(h, declarations, text);
        h.record(how, |cx| {
            cx.cs_set_shader(&cs);
            cx.cs_set_shader_resources(0, view);
            cx.cs_set_unordered_access_views(0, &answers.1);
            cx.dispatch(1, 1, 1);
            cx.cs_set_unordered_access_views(0, None::<&UnorderedAccessView>);
        });
        h.immediate.read_buffer(&answers.0).unwrap_or_else(|e| words(e))
    }
}

fn compute(h: &Harness, declarations: &str, text: &str) -> ComputeShader {
    let source = format!(
        "{declarations}
        @group(3) @binding(0) var<storage, read_write> answers: array<u32>;
        @compute @workgroup_size(1) fn main() {{ {text} }}"
    );
    h.device.create_compute_shader(ShaderSource::wgsl(&source, "main")).unwrap()
}

/// Loads every texel of every mip level and an out-of-range texel on each side, and queries the view's sizes
/// and number of mip levels.
#[test]
fn shaders_load_1d_textures_and_zeros_beyond() {
    on_each(&gpu_matrix(), |h| {
        let texture = row(h, 6, 3, READ);
        for at in 0..9 {
            let width = 6 >> (at % 3);
            number(h, &texture, at, (width.max(1), 1, 1), 100 * (at + 1));
        }
        for (first, mips) in [(0, 3), (1, 2), (2, 1), (0, 1)] {
            let desc = ShaderResourceViewDesc::texture_1d(Format::UNKNOWN, first, mips);
            let view = h.device.create_shader_resource_view(&texture, &desc).unwrap();
            let text = "
                answers[0] = textureNumLevels(t);
                answers[1] = textureDimensions(t);
                answers[2] = textureDimensions(t, textureNumLevels(t) - 1u);
                for (var level = 0; level < 4; level++) {
                    for (var x = -1; x < 7; x++) { answers[3 + level * 8 + x + 1] = textureLoad(t, x, level).x; }
                }";
            for how in CommandPath::ALL {
                let found =
                    Answers::of(h, how, "@group(1) @binding(0) var t: texture_1d<u32>;", text, &view, 35);
                let width = |mip: u32| 6_u32 >> mip;
                let mut expected = vec![mips, width(first), width(first + mips - 1)];
                for level in 0..4 {
                    let is_there = |x: i32| level < mips && (0..width(first + level) as i32).contains(&x);
                    expected.extend(
                        (-1..7).map(|x| if is_there(x) { 100 * (first + level + 1) + x as u32 } else { 0 }),
                    );
                }
                assert_eq!(found, expected, "{first} {mips} {how:?}");
            }
        }
        // WGSL has no 1D arrays, so shaders declare them as 2D arrays with a height of 1.
        let desc = ShaderResourceViewDesc::texture_1d_array(Format::UNKNOWN, 1, 2);
        let view = h.device.create_shader_resource_view(&texture, &desc).unwrap();
        let text = "
            answers[0] = textureNumLayers(t);
            answers[1] = textureDimensions(t, 1).x;
            answers[2] = textureDimensions(t, 1).y;
            for (var slice = 0; slice < 2; slice++) {
                for (var x = 0; x < 4; x++) { answers[3 + slice * 4 + x] = textureLoad(t, vec2i(x, 0), slice, 1).x; }
            }";
        let declared = "@group(1) @binding(0) var t: texture_2d_array<u32>;";
        let found = Answers::of(h, CommandPath::Immediate, declared, text, &view, 11);
        assert_eq!(found, [2, 3, 1, 500, 501, 502, 0, 800, 801, 802, 0]);
    });
}

#[test]
fn shaders_load_3d_textures_and_zeros_beyond() {
    on_each(&gpu_matrix(), |h| {
        let texture = block(h, (4, 2, 6), READ);
        for (at, size) in [(0, (4, 2, 6)), (1, (2, 1, 3)), (2, (1, 1, 1))] {
            number(h, &texture, at, size, 1000 * (at + 1));
        }
        let text = "
            answers[0] = textureNumLevels(t);
            let size = textureDimensions(t);
            answers[1] = size.x * 100u + size.y * 10u + size.z;
            for (var z = -1; z < 7; z++) {
                for (var y = -1; y < 3; y++) { answers[2 + (z + 1) * 4 + y + 1] = textureLoad(t, vec3i(1, y, z), 0).x; }
            }";
        let declared = "@group(1) @binding(0) var t: texture_3d<u32>;";
        for (first, mips, (width, height, depth)) in [(0, 3, (4, 2, 6)), (1, 2, (2, 1, 3)), (1, 1, (2, 1, 3))]
        {
            let desc = ShaderResourceViewDesc::texture_3d(Format::UNKNOWN, first, mips);
            let view = h.device.create_shader_resource_view(&texture, &desc).unwrap();
            let found = Answers::of(h, CommandPath::Deferred, declared, text, &view, 34);
            let mut expected = vec![mips, 100 * width as u32 + 10 * height as u32 + depth as u32];
            for z in -1..7 {
                for y in -1..3 {
                    let is_there = (0..height).contains(&y) && (0..depth).contains(&z);
                    let n = (z * height + y) * width + 1;
                    expected.push(if is_there { 1000 * (first + 1) + n as u32 } else { 0 });
                }
            }
            assert_eq!(found, expected, "{first} {mips}");
        }
    });
}

/// Samples a 3D texture in a compute shader and a 1D texture in a pixel shader, both with a linear filter.
#[test]
fn samplers_filter_1d_and_3d_textures() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet]);
        let format = Format::R8_UNORM;
        let desc = Texture1dDesc { mip_levels: 2, ..Texture1dDesc::new(format, 2) };
        let texel = |bytes: &'static [u8]| SubresourceData { bytes, row_pitch: 2, depth_pitch: 2 };
        let texture = h.device.create_texture_1d(&desc, Some(&[texel(&[0, 255]), texel(&[51])])).unwrap();
        let row = texture.create_shader_resource_view().unwrap();
        let texture = h.device.create_texture_3d_with(format, 1, 1, 2, &[0_u8, 255]).unwrap();
        let block = texture.create_shader_resource_view().unwrap();
        let sampler = h.device.create_sampler_state(&SamplerDesc::default()).unwrap();
        h.immediate.cs_set_samplers(0, &sampler);
        let declared = "@group(1) @binding(0) var t: texture_1d<f32>; @group(2) @binding(0) var s: sampler;";
        let declared_3d =
            "@group(1) @binding(0) var t: texture_3d<f32>; @group(2) @binding(0) var s: sampler;";
        let text = "answers[0] = u32(round(255.0 * textureSampleLevel(t, s, vec3f(0.5), 0.0).x));
            answers[1] = u32(round(255.0 * textureSampleLevel(t, s, vec3f(0.5, 0.5, 0.875), 0.0).x));";
        let found = Answers::of(h, CommandPath::Immediate, declared_3d, text, &block, 2);
        assert!(found[0].abs_diff(128) < 2 && found[1].abs_diff(255) < 2, "{found:?}");
        // WGSL samples 1D textures only in pixel shaders, so this half of the test draws.
        let vs = h
            .device
            .create_vertex_shader(ShaderSource::wgsl(
                "@vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
                    return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0);
                }",
                "main",
            ))
            .unwrap();
        let source = format!(
            "{declared}
            fn seen(image: texture_1d<f32>, x: f32) -> vec4f {{ return textureSample(image, s, x); }}
            @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {{
                return vec4f(seen(t, at.x / 4.0).x, f32(textureNumLevels(t)) / 255.0, 0.0, 1.0);
            }}"
        );
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(&source, "main")).unwrap();
        let target = h.device.create_render_target(Format::R8G8B8A8_UNORM, 4, 1).unwrap();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.om_set_render_targets(&target.render_target_view, None);
                cx.rs_set_viewports([Viewport::sized(4.0, 1.0)]);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.ps_set_shader_resources(0, &row);
                cx.ps_set_samplers(0, &sampler);
                cx.draw(3, 0);
                cx.om_set_render_targets(None, None);
            });
            let found = h.read(&target.texture, 0);
            let red: Vec<u8> = found.chunks_exact(4).map(|texel| texel[0]).collect();
            assert!(
                red.iter().zip([0, 64, 191, 255]).all(|(a, b): (&u8, u8)| a.abs_diff(b) < 3),
                "{red:?} {how:?}"
            );
            assert!(found.chunks_exact(4).all(|texel| texel[1] == 2), "{found:?}");
        }
    });
}

/// Consecutive dispatches bind a 1D texture, a typed buffer and nothing to a slot that is declared as a 1D
/// texture.
#[test]
fn a_1d_slot_shows_a_buffer_or_a_texture() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let texture = row(h, 4, 1, READ);
        number(h, &texture, 0, (4, 1, 1), 10);
        let desc = BufferDesc::new(16, READ);
        let bytes: Vec<u8> = [20_u32, 21, 22, 23].iter().flat_map(|n| n.to_le_bytes()).collect();
        let buffer = h.device.create_buffer(&desc, Some(&bytes)).unwrap();
        let typed = ShaderResourceViewDesc::typed_buffer(Format::R32_UINT, 1, 3);
        let typed = h.device.create_shader_resource_view(&buffer, &typed).unwrap();
        let image = texture.create_shader_resource_view().unwrap();
        let cs = compute(
            h,
            "@group(1) @binding(0) var t: texture_1d<u32>; @group(0) @binding(0) var<uniform> at: vec4u;",
            "answers[at.x] = textureLoad(t, 1, 0).x + 1000u * textureDimensions(t);",
        );
        for how in CommandPath::ALL {
            let answers = Answers::new(h, 6);
            let at: Vec<_> = (0..6_u32)
                .map(|n| h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[n, 0, 0, 0]).unwrap())
                .collect();
            h.record(how, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, &answers.1);
                let views = [Some(&image), Some(&typed), None, Some(&image), None, Some(&typed)];
                for (view, at) in views.into_iter().zip(&at) {
                    cx.cs_set_constant_buffers(0, at);
                    cx.cs_set_shader_resources(0, view);
                    cx.dispatch(1, 1, 1);
                }
                cx.cs_set_unordered_access_views(0, None::<&UnorderedAccessView>);
            });
            let found: Vec<u32> = h.immediate.read_buffer(&answers.0).unwrap();
            assert_eq!(found, [4011, 3022, 0, 4011, 0, 3022], "{how:?}");
        }
        drop(h.take_errors());
    });
}

#[test]
fn shaders_write_1d_textures_and_arrays() {
    on_each(&gpu_matrix(), |h| {
        for how in CommandPath::ALL {
            let texture = row(h, 8, 3, WRITTEN);
            let one = UnorderedAccessViewDesc::texture_1d(Format::UNKNOWN, 1);
            let one = h.device.create_unordered_access_view(&texture, &one).unwrap();
            let several = UnorderedAccessViewDesc::texture_1d_array(Format::UNKNOWN, 0, 1, 2);
            let several = h.device.create_unordered_access_view(&texture, &several).unwrap();
            let answers = Answers::new(h, 1);
            let cs = compute(
                h,
                "@group(3) @binding(1) var one: texture_storage_1d<r32uint, write>;
                @group(3) @binding(2) var several: texture_storage_2d_array<r32uint, write>;",
                "for (var x = -1; x < 5; x++) { textureStore(one, x, vec4u(u32(x) + 50u)); }
                textureStore(several, vec2u(7u, 0u), 1, vec4u(77u));
                textureStore(several, vec2u(0u, 0u), 2, vec4u(66u));
                answers[0] = textureDimensions(one);",
            );
            h.record(how, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, [&answers.1, &one, &several]);
                cx.dispatch(1, 1, 1);
                cx.cs_set_unordered_access_views(0, [None::<&UnorderedAccessView>; 3]);
            });
            let mut read = |at| as_words(h.immediate.read_texture_1d(&texture, at).unwrap());
            assert_eq!(read(1), [50, 51, 52, 53], "{how:?}");
            assert_eq!((read(0), read(4)), (vec![0; 8], vec![0; 8]), "{how:?}");
            assert_eq!(read(8), [0, 0, 0, 0, 0, 0, 0, 77], "{how:?}");
            assert_eq!(h.immediate.read_buffer::<u32>(&answers.0).unwrap(), [4], "{how:?}");
        }
    });
}

/// In a view of a range of depth slices, coordinate 0 is the first slice of the range, and writes outside the
/// range do nothing.
#[test]
fn shaders_write_depth_slices_of_a_range() {
    on_each(&gpu_matrix(), |h| {
        let cs = compute(
            h,
            "@group(3) @binding(1) var image: texture_storage_3d<r32uint, read_write>;
            fn put(z: i32) {
                textureStore(image, vec3i(1, 0, z), vec4u(10u + u32(z) + textureLoad(image, vec3i(0, 0, z)).x));
            }",
            "for (var z = -1; z < 6; z++) { put(z); }
            let size = textureDimensions(image);
            answers[0] = 100u * size.x + 10u * size.y + size.z;
            answers[1] = textureLoad(image, vec3i(0, 0, 5)).x + textureLoad(image, vec3i(0, 0, -1)).x;",
        );
        for (mip, depth) in [(0_u32, 4_u32), (1, 2)] {
            for first in 0..depth {
                for count in (1..=depth - first).chain([u32::MAX]) {
                    let texture = block(h, (4, 2, 4), WRITTEN);
                    let (width, height) = (4 >> mip, 2 >> mip);
                    number(h, &texture, mip, (width, height, depth), 1000);
                    let desc = UnorderedAccessViewDesc::texture_3d(Format::UNKNOWN, mip, first, count);
                    let view = h.device.create_unordered_access_view(&texture, &desc).unwrap();
                    let answers = Answers::new(h, 2);
                    let how = CommandPath::ALL[(first + count.min(9)) as usize % CommandPath::ALL.len()];
                    h.record(how, |cx| {
                        cx.cs_set_shader(&cs);
                        cx.cs_set_unordered_access_views(0, [&answers.1, &view]);
                        cx.dispatch(1, 1, 1);
                        cx.cs_set_unordered_access_views(0, [None::<&UnorderedAccessView>; 2]);
                    });
                    let count = count.min(depth - first);
                    let mut expected: Vec<u32> = (0..width * height * depth).map(|n| 1000 + n).collect();
                    for z in 0..count {
                        let at = ((first + z) * width * height) as usize;
                        expected[at + 1] = 10 + z + expected[at];
                    }
                    let found = as_words(h.immediate.read_texture_3d(&texture, mip).unwrap());
                    assert_eq!(found, expected, "mip {mip}, {count} from {first}, {how:?}");
                    let found: Vec<u32> = h.immediate.read_buffer(&answers.0).unwrap();
                    assert_eq!(
                        found,
                        [100 * width + 10 * height + count, 0],
                        "mip {mip}, {count} from {first}"
                    );
                }
            }
        }
    });
}

/// Only the range of depth slices changes between dispatches.
#[test]
fn another_range_of_depth_slices_is_another_view() {
    on_each(&gpu_matrix(), |h| {
        let cs = compute(
            h,
            "@group(3) @binding(1) var image: texture_storage_3d<r32uint, write>;",
            "textureStore(image, vec3u(0u), vec4u(textureDimensions(image).z)); answers[0] = 1u;",
        );
        let texture = block(h, (1, 1, 6), WRITTEN);
        let answers = Answers::new(h, 1);
        let ranges = [(1, 1), (2, 1), (3, 3), (0, 6)];
        let views = ranges.map(|(first, count)| {
            let desc = UnorderedAccessViewDesc::texture_3d(Format::UNKNOWN, 0, first, count);
            h.device.create_unordered_access_view(&texture, &desc).unwrap()
        });
        h.record(CommandPath::Deferred, |cx| {
            cx.cs_set_shader(&cs);
            for view in &views {
                cx.cs_set_unordered_access_views(0, [&answers.1, view]);
                cx.dispatch(1, 1, 1);
            }
            cx.cs_set_unordered_access_views(0, [None::<&UnorderedAccessView>; 2]);
        });
        assert_eq!(as_words(h.immediate.read_texture_3d(&texture, 0).unwrap()), [6, 1, 1, 3, 0, 0]);
    });
}

/// A clear covers all slices of a target, and a draw covers only the first slice. Covers every range of depth
/// slices, and 1D arrays.
#[test]
fn targets_are_cleared_whole_and_drawn_to_in_their_first_slice() {
    on_each(&gpu_matrix(), |h| {
        let format = Format::R8G8B8A8_UNORM;
        let quad = Quad::new(&h.device);
        let (black, red, green) = (0, 0xff00_00ff_u32, 0xff00_ff00_u32);
        for (mip, depth) in [(0_u32, 5_u32), (1, 2)] {
            for (first, count) in (0..depth).flat_map(|first| (1..=depth - first).map(move |n| (first, n))) {
                for draws in [false, true] {
                    let desc = Texture3dDesc { bind_flags: DRAWN, ..Texture3dDesc::new(format, 4, 2, 5) };
                    let texture = h.device.create_texture_3d(&desc, None).unwrap();
                    let view = RenderTargetViewDesc::texture_3d(Format::UNKNOWN, mip, first, count);
                    let view = h.device.create_render_target_view(&texture, &view).unwrap();
                    let how = CommandPath::ALL[(first + count) as usize % CommandPath::ALL.len()];
                    h.record(how, |cx| {
                        cx.clear_render_target_view(&view, [1.0, 0.0, 0.0, 1.0]);
                        if draws {
                            cx.om_set_render_targets(&view, None);
                            cx.rs_set_viewports([Viewport::sized((4 >> mip) as f32, (2 >> mip) as f32)]);
                            quad.bind(cx);
                            quad.draw(cx, [0.0, 1.0, 0.0, 1.0]);
                            cx.om_set_render_targets(None, None);
                        }
                    });
                    let found = as_words(h.immediate.read_texture_3d(&texture, mip).unwrap());
                    let texels = ((4 >> mip) * (2 >> mip)) as usize;
                    for (slice, found) in (0..).zip(found.chunks_exact(texels)) {
                        let expected = match slice {
                            slice if slice == first && draws => green,
                            slice if (first..first + count).contains(&slice) => red,
                            _ => black,
                        };
                        let row = format!("mip {mip}, {count} from {first}, slice {slice}, {draws} {how:?}");
                        assert!(found.iter().all(|texel| *texel == expected), "{row}: {found:x?}");
                    }
                }
            }
        }
        let desc = Texture1dDesc { bind_flags: DRAWN, array_size: 4, ..Texture1dDesc::new(format, 4) };
        let texture = h.device.create_texture_1d(&desc, None).unwrap();
        let view = RenderTargetViewDesc::texture_1d_array(Format::UNKNOWN, 0, 1, 2);
        let view = h.device.create_render_target_view(&texture, &view).unwrap();
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&view, [1.0, 0.0, 0.0, 1.0]);
            cx.om_set_render_targets(&view, None);
            cx.rs_set_viewports([Viewport::sized(4.0, 1.0)]);
            quad.bind(cx);
            quad.draw(cx, [0.0, 1.0, 0.0, 1.0]);
            cx.om_set_render_targets(None, None);
        });
        for (slice, expected) in [black, green, red, black].into_iter().enumerate() {
            let at = texture.subresource(0, slice as u32);
            assert_eq!(
                as_words(h.immediate.read_texture_1d(&texture, at).unwrap()),
                [expected; 4],
                "{slice}"
            );
        }
    });
}

/// Two depth slices of one mip level can be two targets of a draw, but overlapping slices are refused.
#[test]
fn depth_slices_are_targets_of_one_draw() {
    on_each(&gpu_matrix(), |h| {
        let desc = Texture3dDesc::render_target(Format::R8G8B8A8_UNORM, 2, 2, 3);
        let texture = h.device.create_texture_3d(&desc, None).unwrap();
        let slice = |first, count| {
            let desc = RenderTargetViewDesc::texture_3d(Format::UNKNOWN, 0, first, count);
            h.device.create_render_target_view(&texture, &desc).unwrap()
        };
        let (front, back, both) = (slice(0, 1), slice(2, 1), slice(0, 3));
        let vs = "@vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
                return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0);
            }";
        let ps = "struct Out { @location(0) a: vec4f, @location(1) b: vec4f }
            @fragment fn main() -> Out { return Out(vec4f(1.0), vec4f(0.0, 0.0, 0.0, 1.0)); }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(vs, "main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(ps, "main")).unwrap();
        h.immediate.om_set_render_targets([&front, &both], None);
        h.assert_reported(MessageId::SetRenderTargetsInvalid);
        h.record(CommandPath::Immediate, |cx| {
            cx.om_set_render_targets([&front, &back], None);
            cx.rs_set_viewports([Viewport::sized(2.0, 2.0)]);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.draw(3, 0);
            cx.om_set_render_targets(None, None);
        });
        let found = as_words(h.immediate.read_texture_3d(&texture, 0).unwrap());
        let expected: Vec<u32> = [u32::MAX, 0, 0xff00_0000].iter().flat_map(|texel| [*texel; 4]).collect();
        assert_eq!(found, expected);
    });
}

/// Tests against a depth texture with one row, then reads the texture back.
#[test]
fn a_1d_texture_can_hold_depth() {
    on_each(&gpu_matrix(), |h| {
        for format in [Format::D32_FLOAT, Format::D16_UNORM] {
            let bind_flags = BindFlags::DEPTH_STENCIL;
            let desc =
                Texture1dDesc { bind_flags, mip_levels: 1, array_size: 2, ..Texture1dDesc::new(format, 4) };
            let depth = h.device.create_texture_1d(&desc, None).unwrap();
            let view = DepthStencilViewDesc::texture_1d_array(format, 0, 1, 1);
            let view = h.device.create_depth_stencil_view(&depth, &view).unwrap();
            let desc =
                Texture1dDesc { mip_levels: 1, ..Texture1dDesc::render_target(Format::R8G8B8A8_UNORM, 4) };
            let color = h.device.create_texture_1d(&desc, None).unwrap();
            let target = color.create_render_target_view().unwrap();
            let quad = Quad::new(&h.device);
            h.record(CommandPath::Deferred, |cx| {
                cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 0.5, 0);
                cx.om_set_render_targets(&target, &view);
                cx.rs_set_viewports([Viewport::sized(4.0, 1.0)]);
                quad.bind(cx);
                quad.draw_at(cx, [1.0, 1.0, 1.0, 1.0], [-1.0, -1.0, 0.0, 1.0], 0.25);
                quad.draw_at(cx, [1.0, 1.0, 1.0, 1.0], [0.0, -1.0, 1.0, 1.0], 0.75);
                cx.om_set_render_targets(None, None);
            });
            let found = as_words(h.immediate.read_texture_1d(&color, 0).unwrap());
            assert_eq!(found, [u32::MAX, u32::MAX, 0, 0], "{format:?}");
            let bytes = h.immediate.read_texture_1d(&depth, 1).unwrap();
            if format == Format::D32_FLOAT {
                assert_eq!(as_words(bytes), [0.25_f32, 0.25, 0.5, 0.5].map(f32::to_bits), "{format:?}");
            } else {
                assert_eq!(bytes.len(), 8);
            }
        }
    });
}

/// For 3D textures and 1D arrays, a clear changes exactly the texels of its view.
#[test]
fn clears_through_unordered_access_views_keep_to_their_range() {
    on_each(&matrix(), |h| {
        let draws = h.draws();
        let value = |is_seen: bool| if is_seen && draws { 7 } else { 0 };
        for how in CommandPath::ALL {
            let texture = block(h, (4, 2, 5), WRITTEN);
            let desc = UnorderedAccessViewDesc::texture_3d(Format::UNKNOWN, 0, 1, 3);
            let view = h.device.create_unordered_access_view(&texture, &desc).unwrap();
            let rows = row(h, 4, 3, WRITTEN);
            let desc = UnorderedAccessViewDesc::texture_1d_array(Format::UNKNOWN, 1, 1, 2);
            let of_rows = h.device.create_unordered_access_view(&rows, &desc).unwrap();
            h.record(how, |cx| {
                cx.clear_unordered_access_view_uint(&view, [7, 8, 9, 10]);
                cx.clear_unordered_access_view_uint(&of_rows, [7, 8, 9, 10]);
            });
            let expected: Vec<u32> = (0..40).map(|n| value((1..4).contains(&(n / 8)))).collect();
            assert_eq!(as_words(h.immediate.read_texture_3d(&texture, 0).unwrap()), expected, "{how:?}");
            for at in 0..9 {
                let found = as_words(h.immediate.read_texture_1d(&rows, at).unwrap());
                assert!(found.iter().all(|n| *n == value(at == 4 || at == 7)), "{at} {how:?} {found:?}");
            }
        }
    });
}

/// A texel of a mip level is the mean of 2 x 2 x 2 texels, or of two texels in a 1D texture.
#[test]
fn mip_levels_are_generated_for_each_shape() {
    on_each(&gpu_matrix(), |h| {
        let (bind_flags, misc_flags) = (DRAWN, MiscFlags::GENERATE_MIPS);
        let format = Format::R8_UNORM;
        for how in CommandPath::ALL {
            let desc = Texture3dDesc { bind_flags, misc_flags, ..Texture3dDesc::new(format, 4, 4, 4) };
            let texture = h.device.create_texture_3d(&desc, None).unwrap();
            let value = |x: u8, y: u8, z: u8| 20 * (x / 2) + 60 * (y / 2) + 100 * (z / 2);
            let all =
                |n: u8| (0..n).flat_map(move |z| (0..n).flat_map(move |y| (0..n).map(move |x| (x, y, z))));
            let texels: Vec<u8> = all(4).map(|(x, y, z)| value(x, y, z)).collect();
            let view = texture.create_shader_resource_view().unwrap();
            let desc =
                Texture1dDesc { bind_flags, misc_flags, array_size: 2, ..Texture1dDesc::new(format, 8) };
            let rows = h.device.create_texture_1d(&desc, None).unwrap();
            let of_rows = rows.create_shader_resource_view().unwrap();
            h.record(how, |cx| {
                cx.update_subresource(&texture, 0, None, &texels, 4, 16);
                cx.generate_mips(&view);
                cx.update_subresource(
                    &rows,
                    rows.subresource(0, 1),
                    None,
                    &[0_u8, 0, 40, 40, 80, 80, 200, 200],
                    8,
                    8,
                );
                cx.generate_mips(&of_rows);
            });
            let half: Vec<u8> = all(2).map(|(x, y, z)| 20 * x + 60 * y + 100 * z).collect();
            assert_eq!(h.immediate.read_texture_3d(&texture, 1).unwrap(), half, "{how:?}");
            assert_eq!(h.immediate.read_texture_3d(&texture, 2).unwrap(), [90], "{how:?}");
            let mut read = |mip| h.immediate.read_texture_1d(&rows, rows.subresource(mip, 1)).unwrap();
            assert_eq!(
                (read(1), read(2), read(3)),
                (vec![0, 40, 80, 200], vec![20, 140], vec![80]),
                "{how:?}"
            );
            assert_eq!(h.immediate.read_texture_1d(&rows, 1).unwrap(), [0; 4]);
        }
    });
}

/// Views without a descriptor, and counts that descriptors leave open, have default values, and invalid
/// descriptors are refused.
#[test]
fn views_of_each_shape_have_their_defaults() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let rows = row(h, 16, 4, WRITTEN.union(BindFlags::RENDER_TARGET));
        let single = row(h, 16, 1, WRITTEN.union(BindFlags::RENDER_TARGET));
        let block = block(h, (16, 16, 8), WRITTEN.union(BindFlags::RENDER_TARGET));
        let seen = |view: Option<&ViewDesc>| view.and_then(ViewDesc::texture).map(|v| (v.dimension, v.range));
        let whole =
            |mips, slices, w_size| SubresourceRange { mips, slices, w_size, ..SubresourceRange::FIRST };
        use ViewDimension as D;
        let view = single.create_shader_resource_view().unwrap();
        assert_eq!(seen(view.desc()), Some((D::Texture1d, whole(5, 1, 1))));
        let view = rows.create_shader_resource_view().unwrap();
        assert_eq!(seen(view.desc()), Some((D::Texture1dArray, whole(5, 4, 1))));
        let view = block.create_shader_resource_view().unwrap();
        assert_eq!(seen(view.desc()), Some((D::Texture3d, whole(5, 1, 8))));
        let view = rows.create_render_target_view().unwrap();
        assert_eq!(seen(view.desc()), Some((D::Texture1dArray, whole(1, 4, 1))));
        let view = block.create_render_target_view().unwrap();
        assert_eq!(seen(view.desc()), Some((D::Texture3d, whole(1, 1, 8))));
        let view = block.create_unordered_access_view().unwrap();
        assert_eq!(seen(view.desc()), Some((D::Texture3d, whole(1, 1, 8))));
        for mip in 0..6 {
            for first in [0, 1, 3, 4, 7, 8] {
                for count in [0, 1, 4, 8, u32::MAX] {
                    let depth = (8_u32 >> mip).max(1);
                    let size = if count == u32::MAX { depth.saturating_sub(first) } else { count };
                    let valid = mip < 5 && size > 0 && first + size <= depth;
                    let desc = RenderTargetViewDesc::texture_3d(Format::UNKNOWN, mip, first, count);
                    let view = h.device.create_render_target_view(&block, &desc);
                    let expected = SubresourceRange {
                        first_mip: mip,
                        first_w: first,
                        w_size: size,
                        ..SubresourceRange::FIRST
                    };
                    let found = view.as_ref().ok().and_then(|view| seen(view.desc()));
                    assert_eq!(found, valid.then_some((D::Texture3d, expected)), "{mip} {first} {count}");
                    if !valid {
                        h.assert_reported(MessageId::CreateRenderTargetViewInvalid);
                    }
                    let desc = UnorderedAccessViewDesc::texture_3d(Format::UNKNOWN, mip, first, count);
                    assert_eq!(h.device.create_unordered_access_view(&block, &desc).is_ok(), valid);
                    assert_eq!(h.take_errors().is_empty(), valid);
                }
            }
        }
        let of_2d = ShaderResourceViewDesc::texture_2d(Format::UNKNOWN, 0, 1);
        let of_3d = ShaderResourceViewDesc::texture_3d(Format::UNKNOWN, 0, 1);
        let of_1d = ShaderResourceViewDesc::texture_1d(Format::UNKNOWN, 0, 1);
        for (result, valid) in [
            (h.device.create_shader_resource_view(&rows, &of_1d), true),
            (h.device.create_shader_resource_view(&rows, &of_2d), false),
            (h.device.create_shader_resource_view(&rows, &of_3d), false),
            (h.device.create_shader_resource_view(&block, &of_1d), false),
            (h.device.create_shader_resource_view(&block, &of_2d), false),
            (h.device.create_shader_resource_view(&block, &of_3d), true),
        ] {
            assert_eq!(result.is_ok(), valid, "{result:?}");
        }
        h.assert_reported(MessageId::CreateShaderResourceViewInvalid);
    });
}

/// Tries a target and a writable view with a common depth slice, and a pair without one.
#[test]
fn outputs_exclude_each_other_by_depth_slices() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        h.watch.expect(&[MessageId::SetRenderTargetsHazard, MessageId::SetUnorderedAccessViewsHazard]);
        let texture = block(h, (4, 4, 4), WRITTEN.union(BindFlags::RENDER_TARGET));
        let target = |first, count| {
            let desc = RenderTargetViewDesc::texture_3d(Format::UNKNOWN, 0, first, count);
            h.device.create_render_target_view(&texture, &desc).unwrap()
        };
        let written = |first, count| {
            let desc = UnorderedAccessViewDesc::texture_3d(Format::UNKNOWN, 0, first, count);
            h.device.create_unordered_access_view(&texture, &desc).unwrap()
        };
        let all = texture.create_shader_resource_view().unwrap();
        let (front, back) = (target(0, 2), written(2, 2));
        h.immediate.ps_set_shader_resources(0, &all);
        h.immediate.om_set_render_targets(&front, None);
        assert_eq!(h.immediate.ps_get_shader_resources(0, 1), [None]);
        h.immediate.cs_set_unordered_access_views(0, &back);
        assert_eq!(h.immediate.om_get_render_targets().0[0], Some(front.clone()), "other depth slices");
        h.immediate.cs_set_unordered_access_views(0, &written(1, 2));
        assert_eq!(h.immediate.om_get_render_targets().0[0], None, "a common depth slice");
        h.immediate.clear_state();
        drop(h.take_errors());
    });
}
