//! Texture reads in shaders: unbound slots, views, mip levels, slices, formats and out-of-range positions.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{FormatSupport, ShaderResourceViewDimension, prelude::*};
use onze_tests::{
    CommandPath, Harness, Quad, Target, gpu_matrix, on_each,
    shapes::{Cover, GREEN, expect},
};

fn texel(x: u32, y: u32, mip: u32, slice: u32) -> u32 {
    0x8000_0000 | (slice * 40 + mip * 13 + 1) << 16 | (y * 15 + 5) << 8 | (x * 15 + 9)
}

fn texture(device: &Device, size: u32, mips: u32, slices: u32) -> Texture2d {
    let desc = Texture2dDesc {
        mip_levels: mips,
        array_size: slices,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, size, size)
    };
    textured(device, &desc)
}

fn textured(device: &Device, desc: &Texture2dDesc) -> Texture2d {
    let levels: Vec<(u32, Vec<u32>)> = (0..desc.array_size)
        .flat_map(|slice| (0..desc.resolved_mip_levels()).map(move |mip| (mip, slice)))
        .map(|(mip, slice)| {
            let (w, h) = desc.mip_size(mip);
            (w * 4, (0..w * h).map(|n| texel(n % w, n / w, mip, slice)).collect())
        })
        .collect();
    let data: Vec<_> = levels
        .iter()
        .map(|(row_pitch, texels)| SubresourceData {
            bytes: bytemuck::cast_slice(texels),
            row_pitch: *row_pitch,
            depth_pitch: 0,
        })
        .collect();
    device.create_texture_2d(desc, Some(&data)).unwrap()
}

fn view(texture: &Texture2d) -> ShaderResourceView {
    texture.device().create_shader_resource_view(texture, None).unwrap()
}

fn part(
    texture: &Texture2d,
    most_detailed_mip: u32,
    mip_levels: u32,
    slice: u32,
    array_size: u32,
) -> ShaderResourceView {
    let dimension = ShaderResourceViewDimension::Texture2dArray {
        most_detailed_mip,
        mip_levels,
        first_array_slice: slice,
        array_size,
    };
    let desc = ShaderResourceViewDesc::dimension(dimension);
    texture.device().create_shader_resource_view(texture, Some(&desc)).unwrap()
}

/// Reads of every type from an empty slot (Wine 10.0, d3d11 tests, lines 9849, 21839 and 10469).
const UNBOUND: [(&str, &str, &str); 16] = [
    ("load", "texture_2d<f32>", "textureLoad(t, vec2<i32>(0), 0)"),
    ("load mip 3", "texture_2d<f32>", "textureLoad(t, vec2<i32>(5), 3)"),
    ("load of an array", "texture_2d_array<f32>", "textureLoad(t, vec2<i32>(0), 0, 0)"),
    ("load of uints", "texture_2d<u32>", "vec4<f32>(textureLoad(t, vec2<i32>(0), 0))"),
    ("load of sints", "texture_2d<i32>", "vec4<f32>(textureLoad(t, vec2<i32>(0), 0))"),
    ("load of sints of an array", "texture_2d_array<i32>", "vec4<f32>(textureLoad(t, vec2<i32>(0), 0, 0))"),
    ("load of depth", "texture_depth_2d", "vec4<f32>(textureLoad(t, vec2<i32>(0), 0))"),
    ("sample", "texture_2d<f32>", "textureSample(t, s, uv)"),
    ("sample with bias", "texture_2d<f32>", "textureSampleBias(t, s, uv, 2.0)"),
    ("sample a level", "texture_2d<f32>", "textureSampleLevel(t, s, uv, 1.0)"),
    ("sample with gradients", "texture_2d<f32>", "textureSampleGrad(t, s, uv, uv, uv)"),
    ("gather", "texture_2d<f32>", "textureGather(3, t, s, uv)"),
    ("sample an array", "texture_2d_array<f32>", "textureSample(t, s, uv, 2)"),
    ("sample a cube", "texture_cube<f32>", "textureSample(t, s, vec3<f32>(uv, 1.0))"),
    ("sample a cube array", "texture_cube_array<f32>", "textureSample(t, s, vec3<f32>(uv, 1.0), 1)"),
    ("sample depth", "texture_depth_2d", "vec4<f32>(textureSample(t, s, uv))"),
];

#[test]
fn an_unbound_texture_reads_as_0_in_all_components() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let d = h.device.clone();
        let target = Target::new(&d, 4, 4);
        let full = view(&texture(&d, 4, 1, 1));
        let sampler = d.create_sampler_state(&SamplerDesc::default()).unwrap();
        for (what, kind, read) in UNBOUND {
            if kind.contains("cube_array")
                && !h.device.check_feature_support().features.contains(Features::CUBE_ARRAYS)
            {
                continue;
            }
            let declarations =
                format!("@group(1) @binding(3) var t: {kind}; @group(2) @binding(1) var s: sampler;");
            let body = format!("let uv = position.xy * 0.25; return {read};");
            let cover = Cover::new(&d, &declarations, &body);
            let draw = |cx: &mut DeviceContext| {
                // Both adjacent slots have a texture.
                cx.ps_set_shader_resources(2, [&full, &full, &full]);
                cx.ps_set_shader_resources(3, None);
                cx.ps_set_samplers(1, &sampler);
                cover.draw(cx);
            };
            expect(h, &target, what, draw, |_, _| 0);
        }
    });
}

/// Some of the texels, levels and slices do not exist (Wine 10.0, d3d11 tests, line 9250).
#[test]
fn out_of_range_texels_levels_and_slices_load_zero() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 16, 16);
        let texture = texture(&d, 8, 3, 3);
        let (flat, array) = (part(&texture, 0, 3, 0, 1), part(&texture, 0, 3, 0, 3));
        let flat = {
            drop(flat);
            let desc = ShaderResourceViewDesc::texture_2d(Format::UNKNOWN, 0, 3);
            d.create_shader_resource_view(&texture, Some(&desc)).unwrap()
        };
        for level in [0, 1, 2, 3, 9, -1] {
            let body = format!("return textureLoad(t, vec2<i32>(position.xy) - 4, {level});");
            let cover = Cover::new(&d, "@group(1) @binding(0) var t: texture_2d<f32>;", &body);
            let draw = |cx: &mut DeviceContext| {
                cx.ps_set_shader_resources(0, &flat);
                cover.draw(cx);
            };
            expect(h, &target, &format!("level {level}"), draw, |x, y| loaded(x, y, level, 0));
            for slice in [0, 1, 2, 3, 100, -1] {
                let body = format!("return textureLoad(t, vec2<i32>(position.xy) - 4, {slice}, {level});");
                let cover = Cover::new(&d, "@group(1) @binding(0) var t: texture_2d_array<f32>;", &body);
                let draw = |cx: &mut DeviceContext| {
                    cx.ps_set_shader_resources(0, &array);
                    cover.draw(cx);
                };
                expect(h, &target, &format!("level {level}, slice {slice}"), draw, |x, y| {
                    loaded(x, y, level, slice)
                });
            }
        }
    });
}

/// Returns the expected texel at (x - 4, y - 4) of a texture with 8 x 8 texels, 3 levels and 3 slices, or 0
/// if it does not exist.
fn loaded(x: u32, y: u32, level: i32, slice: i32) -> u32 {
    let (Some(x), Some(y)) = (x.checked_sub(4), y.checked_sub(4)) else { return 0 };
    let inside = (0..3).contains(&level) && (0..3).contains(&slice);
    if inside && x < 8 >> level && y < 8 >> level { texel(x, y, level as u32, slice as u32) } else { 0 }
}

#[test]
fn a_view_begins_at_its_own_first_level_and_slice() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 8, 8);
        let texture = texture(&d, 8, 4, 5);
        let declarations = "
            @group(1) @binding(0) var t: texture_2d_array<f32>;
            struct Place { level: i32, slice: i32, a: i32, b: i32 }
            @group(0) @binding(0) var<uniform> place: Place;
        ";
        let load = "return textureLoad(t, vec2<i32>(position.xy), place.slice, place.level);";
        let cover = Cover::new(&d, declarations, load);
        let place = d.create_buffer(&BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
        for (mip, mips, slice, slices) in
            [(0, 4, 0, 5), (1, 2, 0, 5), (0, 1, 3, 2), (2, 2, 1, 1), (3, 1, 4, 1)]
        {
            let view = part(&texture, mip, mips, slice, slices);
            for (level, layer) in (0..4).flat_map(|level| (0..5).map(move |layer| (level, layer))) {
                let draw = |cx: &mut DeviceContext| {
                    cx.map(&place, 0, MapType::WriteDiscard)
                        .unwrap()
                        .write(0, &[level as i32, layer as i32, 0, 0]);
                    cx.ps_set_constant_buffers(0, &place);
                    cx.ps_set_shader_resources(0, &view);
                    cover.draw(cx);
                };
                let row = format!("view {mip}+{mips} {slice}+{slices}, level {level}, layer {layer}");
                expect(h, &target, &row, draw, |x, y| {
                    let size = 8 >> (mip + level);
                    let inside = level < mips && layer < slices && x < size && y < size;
                    if inside { texel(x, y, mip + level, slice + layer) } else { 0 }
                });
            }
        }
    });
}

/// The vertex stage has its own slots, and the last slot of each stage works.
#[test]
fn the_last_slot_of_each_stage_is_read_by_that_stage() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 4, 4);
        let source = "
            @group(1) @binding(127) var t: texture_2d<f32>;
            @group(2) @binding(15) var s: sampler;
            struct Corner { @builtin(position) position: vec4<f32>, @location(0) @interpolate(flat) color: vec4<f32> }

            @vertex
            fn vs_main(@builtin(vertex_index) n: u32) -> Corner {
                let place = vec4<f32>(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0);
                return Corner(place, textureSampleLevel(t, s, vec2<f32>(0.375, 0.625), 0.0));
            }

            @fragment
            fn ps_main(corner: Corner) -> @location(0) vec4<f32> {
                let other = textureSample(t, s, vec2<f32>(0.5));
                return vec4<f32>(corner.color.xy, other.xy);
            }
        ";
        let vs = d.create_vertex_shader(ShaderSource::wgsl(source, "vs_main")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(source, "ps_main")).unwrap();
        let texture = texture(&d, 4, 1, 1);
        let by_vertex = view(&texture);
        let white = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8_UNORM, 1, 1) };
        let white = d.create_texture_2d(
            &white,
            Some(&[SubresourceData { bytes: &[0x99, 0x44], row_pitch: 2, depth_pitch: 0 }]),
        );
        let by_pixel = view(&white.unwrap());
        let point = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp);
        let point = d.create_sampler_state(&point).unwrap();
        let draw = |cx: &mut DeviceContext| {
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.vs_set_shader_resources(127, &by_vertex);
            cx.ps_set_shader_resources(127, &by_pixel);
            cx.vs_set_samplers(15, &point);
            cx.ps_set_samplers(15, &point);
            cx.draw(3, 0);
        };
        expect(h, &target, "stages", draw, |_, _| 0x4499_0000 | texel(1, 2, 0, 0) & 0xffff);
    });
}

/// One texel of each format, with its bytes and the values that a shader reads (Wine 10.0, d3d11 tests, line
/// 9250).
const TEXELS: &[(Format, &[u8], [f32; 4])] = &[
    (Format::R8G8B8A8_UNORM, &[0, 51, 255, 102], [0.0, 0.2, 1.0, 0.4]),
    (Format::R8G8B8A8_SNORM, &[0x81, 0x7f, 0x80, 0], [-1.0, 1.0, -1.0, 0.0]),
    (Format::R8G8B8A8_UNORM_SRGB, &[0xb1, 0xc4, 0xde, 0x80], [0.439_657, 0.552_011, 0.730_461, 0.501_961]),
    (Format::B8G8R8A8_UNORM, &[0, 51, 255, 102], [1.0, 0.2, 0.0, 0.4]),
    (Format::R8_UNORM, &[51], [0.2, 0.0, 0.0, 1.0]),
    (Format::R8G8_UNORM, &[51, 102], [0.2, 0.4, 0.0, 1.0]),
    (Format::R8G8_SNORM, &[0x81, 0x7f], [-1.0, 1.0, 0.0, 1.0]),
    (Format::R16_FLOAT, &[0, 0xc0], [-2.0, 0.0, 0.0, 1.0]),
    (Format::R16G16_FLOAT, &[0, 0x3c, 0, 0x38], [1.0, 0.5, 0.0, 1.0]),
    (Format::R32_FLOAT, &[0, 0, 0x40, 0x40], [3.0, 0.0, 0.0, 1.0]),
    (Format::R32G32_FLOAT, &[0, 0, 0x40, 0x40, 0, 0, 0, 0xbf], [3.0, -0.5, 0.0, 1.0]),
    (Format::R9G9B9E5_SHAREDEXP, &[0x00, 0x01, 0x00, 0x80], [1.0, 0.0, 0.0, 1.0]),
    (Format::R10G10B10A2_UNORM, &[0xff, 0x03, 0x00, 0x80], [1.0, 0.0, 0.0, 0.666_667]),
    (Format::R11G11B10_FLOAT, &[0xc0, 0x03, 0, 0], [1.0, 0.0, 0.0, 1.0]),
    (Format::R8G8B8A8_UINT, &[1, 2, 3, 200], [1.0, 2.0, 3.0, 200.0]),
    (Format::R16G16_SINT, &[0xff, 0xff, 7, 0], [-1.0, 7.0, 0.0, 1.0]),
    (Format::R32_UINT, &[0, 0, 1, 0], [65_536.0, 0.0, 0.0, 1.0]),
];

#[test]
fn texels_are_converted_and_missing_channels_are_0_0_0_1() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::with_format(&d, Format::R32G32B32A32_FLOAT, 1, 1);
        for (format, bytes, expected) in TEXELS {
            assert!(h.has_format(*format, FormatSupport::SHADER_LOAD), "{format:?}");
            let kind = match format.component_kind() {
                onze::ddi::ComponentKind::Uint => "u32",
                onze::ddi::ComponentKind::Sint => "i32",
                _ => "f32",
            };
            let declaration = format!("@group(1) @binding(0) var t: texture_2d<{kind}>;");
            let cover = Cover::new(&d, &declaration, "return vec4<f32>(textureLoad(t, vec2<i32>(0), 0));");
            let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(*format, 1, 1) };
            let data = SubresourceData { bytes, row_pitch: bytes.len() as u32, depth_pitch: 0 };
            let texture = view(&d.create_texture_2d(&desc, Some(&[data])).unwrap());
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    target.bind(cx);
                    cx.ps_set_shader_resources(0, &texture);
                    cover.draw(cx);
                });
                let read: Vec<f32> = bytemuck::pod_collect_to_vec(&h.read(&target.texture, 0));
                let near = read.iter().zip(expected).all(|(a, e)| (a - e).abs() < 2e-3);
                assert!(near, "{format:?}, {how:?}: {read:?}, not {expected:?}");
            }
        }
    });
}

/// Draws to the texture and reads it through linear and sRGB views.
#[test]
fn a_typeless_texture_is_srgb_in_srgb_views_only() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 4, 4);
        let typeless = Texture2dDesc::render_target(Format::R8G8B8A8_TYPELESS, 4, 4);
        let typeless = d.create_texture_2d(&typeless, None).unwrap();
        let quad = Quad::new(&d);
        let cover = Cover::new(
            &d,
            "@group(1) @binding(0) var t: texture_2d<f32>;",
            "return textureLoad(t, vec2<i32>(position.xy), 0);",
        );
        let (linear, srgb) = (Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB);
        for (output, input, expected) in [
            (linear, linear, 0x8033_3333),
            (srgb, srgb, 0x8033_3333),
            // 0.2 is encoded as 0x7c, and 0x33 is decoded to 0.0331.
            (srgb, linear, 0x807c_7c7c),
            (linear, srgb, 0x8008_0808),
        ] {
            let output_view = RenderTargetViewDesc::format(output);
            let output_view = d.create_render_target_view(&typeless, Some(&output_view)).unwrap();
            let input_view = ShaderResourceViewDesc::format(input);
            let input_view = d.create_shader_resource_view(&typeless, Some(&input_view)).unwrap();
            let draw = |cx: &mut DeviceContext| {
                cx.om_set_render_targets(&output_view, None);
                quad.draw(cx, [0.2, 0.2, 0.2, 0.501_961]);
                target.bind(cx);
                cx.ps_set_shader_resources(0, &input_view);
                cover.draw(cx);
            };
            expect(h, &target, &format!("{output:?} to {input:?}"), draw, |_, _| expected);
        }
    });
}

#[test]
fn each_face_of_a_cube_is_seen_in_its_direction() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 6, 1);
        let desc = Texture2dDesc {
            mip_levels: 1,
            array_size: 6,
            misc_flags: MiscFlags::TEXTURECUBE,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 1, 1)
        };
        let cube = view(&textured(&d, &desc));
        let cover = Cover::new(
            &d,
            "@group(1) @binding(0) var t: texture_cube<f32>; @group(2) @binding(0) var s: sampler;",
            "var directions = array<vec3<f32>, 6>(
                vec3<f32>(1.0, 0.1, 0.2), vec3<f32>(-1.0, 0.3, 0.1), vec3<f32>(0.2, 1.0, 0.1),
                vec3<f32>(0.1, -1.0, 0.2), vec3<f32>(0.3, 0.2, 1.0), vec3<f32>(0.1, 0.2, -1.0));
            return textureSampleLevel(t, s, directions[i32(position.x)], 0.0);",
        );
        let point = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp);
        let point = d.create_sampler_state(&point).unwrap();
        let draw = |cx: &mut DeviceContext| {
            cx.ps_set_shader_resources(0, &cube);
            cx.ps_set_samplers(0, &point);
            cover.draw(cx);
        };
        expect(h, &target, "faces", draw, |face, _| texel(0, 0, 0, face));
    });
}

/// Makes 16 draws that each read contents that were written just before the draw.
#[test]
fn each_draw_reads_the_texture_that_was_written_before_it() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 16, 1);
        let desc = Texture2dDesc {
            mip_levels: 1,
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 1, 1)
        };
        let dynamic = d.create_texture_2d(&desc, None).unwrap();
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 1, 1) };
        let updated = d.create_texture_2d(&desc, None).unwrap();
        let (one, other) = (view(&dynamic), view(&updated));
        let load = "return textureLoad(t, vec2<i32>(0), 0);";
        let cover = Cover::new(&d, "@group(1) @binding(0) var t: texture_2d<f32>;", load);
        let color = |x: u32| 0xff00_0000 | (x * 11) << 16 | (200 - x * 7) << 8 | (x * 16);
        let draw = |cx: &mut DeviceContext| {
            for x in 0..16 {
                cx.rs_set_viewports(Viewport { top_left_x: x as f32, ..Viewport::sized(1.0, 1.0) });
                if x % 2 == 0 {
                    cx.map(&dynamic, 0, MapType::WriteDiscard).unwrap().write(0, &color(x));
                    cx.ps_set_shader_resources(0, &one);
                } else {
                    cx.update_subresource(&updated, 0, None, &[color(x)], 4, 0);
                    cx.ps_set_shader_resources(0, &other);
                }
                cover.draw(cx);
            }
        };
        expect(h, &target, "draws", draw, |x, _| color(x));
    });
}

/// One recording draws into a texture, generates its mip levels and reads each level.
#[test]
fn generated_mips_are_read_by_the_next_draw() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 4, 1);
        let desc = Texture2dDesc {
            mip_levels: 4,
            misc_flags: MiscFlags::GENERATE_MIPS,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8)
        };
        let chain = d.create_texture_2d(&desc, None).unwrap();
        let (input, quad) = (view(&chain), Quad::new(&d));
        let output = RenderTargetViewDesc::texture_2d(Format::UNKNOWN, 0);
        let output = d.create_render_target_view(&chain, Some(&output)).unwrap();
        let load = "return textureLoad(t, vec2<i32>(0), i32(position.x));";
        let cover = Cover::new(&d, "@group(1) @binding(0) var t: texture_2d<f32>;", load);
        let draw = |cx: &mut DeviceContext| {
            for (color, last) in [([1.0, 0.0, 0.0, 1.0], false), ([0.0, 1.0, 0.0, 1.0], true)] {
                cx.ps_set_shader_resources(0, None);
                cx.om_set_render_targets(&output, None);
                cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
                quad.draw(cx, color);
                cx.om_set_render_targets(None::<&RenderTargetView>, None);
                cx.generate_mips(&input);
                if last {
                    target.bind(cx);
                    cx.ps_set_shader_resources(0, &input);
                    cover.draw(cx);
                }
            }
        };
        expect(h, &target, "levels", draw, |_, _| GREEN);
    });
}

/// A view with another dimension reads as zero, and a view with another component type as raw bits. Both are
/// reported.
#[test]
fn mismatched_views_read_as_zero_or_as_bits() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 4, 4);
        let texture = texture(&d, 4, 1, 2);
        let array = view(&texture);
        let load = "return textureLoad(t, vec2<i32>(position.xy), 0);";
        let flat = Cover::new(&d, "@group(1) @binding(0) var t: texture_2d<f32>;", load);
        let load = "return bitcast<vec4<f32>>(textureLoad(t, vec2<i32>(position.xy), 1, 0));";
        let uints = Cover::new(&d, "@group(1) @binding(0) var t: texture_2d_array<u32>;", load);
        for (cover, has_bits) in [(&flat, false), (&uints, true)] {
            let draw = |cx: &mut DeviceContext| {
                cx.ps_set_shader_resources(0, &array);
                cover.draw(cx);
            };
            let expected = |x, y| if has_bits { texel(x, y, 0, 1) } else { 0 };
            expect(h, &target, "another kind", draw, expected);
            h.assert_reported(MessageId::DrawShaderResourceMismatch);
        }
    });
}

/// A depth texture is drawn, then read through each of its views (Wine 10.0, d3d11 tests, line 10541).
#[test]
fn drawn_depth_is_read_through_a_depth_view() {
    on_each(&gpu_matrix(), |h| {
        let formats = [
            (Format::R32_TYPELESS, Format::D32_FLOAT, Format::R32_FLOAT),
            (Format::R16_TYPELESS, Format::D16_UNORM, Format::R16_UNORM),
            (Format::R24G8_TYPELESS, Format::D24_UNORM_S8_UINT, Format::R24_UNORM_X8_TYPELESS),
            (Format::R32G8X24_TYPELESS, Format::D32_FLOAT_S8X24_UINT, Format::R32_FLOAT_X8X24_TYPELESS),
        ];
        for (typeless, depth_format, color_format) in formats {
            if h.has_format(depth_format, FormatSupport::DEPTH_STENCIL) {
                read_depth(h, typeless, depth_format, color_format);
            }
        }
    });
}

fn read_depth(h: &mut Harness, typeless: Format, depth_format: Format, color_format: Format) {
    let d = h.device.clone();
    let target = Target::new(&d, 4, 4);
    let desc = Texture2dDesc::depth_stencil(typeless, 4, 4);
    let bind_flags = BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE;
    let texture = d.create_texture_2d(&Texture2dDesc { bind_flags, ..desc }, None).unwrap();
    let output = DepthStencilViewDesc::format(depth_format);
    let output = d.create_depth_stencil_view(&texture, Some(&output)).unwrap();
    let input = ShaderResourceViewDesc::format(color_format);
    let input = d.create_shader_resource_view(&texture, Some(&input)).unwrap();
    let quad = Quad::new(&d);
    let point = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp);
    let point = d.create_sampler_state(&point).unwrap();
    let flat = "@group(1) @binding(0) var t: texture_2d<f32>; @group(2) @binding(0) var s: sampler;";
    let deep = "@group(1) @binding(0) var t: texture_depth_2d; @group(2) @binding(0) var s: sampler;";
    let reads = [
        (flat, "return vec4<f32>(textureLoad(t, vec2<i32>(position.xy), 0).x, 0.0, 0.0, 1.0);"),
        (flat, "return vec4<f32>(textureSample(t, s, position.xy * 0.25).x, 0.0, 0.0, 1.0);"),
        (deep, "return vec4<f32>(textureLoad(t, vec2<i32>(position.xy), 0), 0.0, 0.0, 1.0);"),
        (deep, "return vec4<f32>(textureSample(t, s, position.xy * 0.25), 0.0, 0.0, 1.0);"),
    ];
    for (declarations, body) in reads {
        let cover = Cover::new(&d, declarations, body);
        let draw = |cx: &mut DeviceContext| {
            cx.om_set_render_targets(None::<&RenderTargetView>, &output);
            cx.clear_depth_stencil_view(&output, ClearFlags::DEPTH, 1.0, 0);
            quad.draw_at(cx, [1.0; 4], [-1.0, -1.0, 0.0, 1.0], 0.4);
            quad.draw_at(cx, [1.0; 4], [0.0, -1.0, 1.0, 0.0], 0.8);
            target.bind(cx);
            cx.ps_set_shader_resources(0, &input);
            cx.ps_set_samplers(0, &point);
            cover.draw(cx);
        };
        expect(h, &target, &format!("{typeless:?}, {body}"), draw, |x, y| match (x < 2, y < 2) {
            (true, _) => 0xff00_0066,
            (false, true) => 0xff00_00ff,
            (false, false) => 0xff00_00cc,
        });
    }
}
