//! Samplers: address modes, filters, levels of detail and comparisons.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Features, FormatSupport, prelude::*};
use onze_tests::{
    CommandPath, Harness, Quad, Target, gpu_matrix,
    image::draw_everywhere,
    on_each,
    shapes::{BLACK, COMPARISONS, Cover, WHITE, expect, passes},
};

const PLAIN: &str = "@group(1) @binding(0) var t: texture_2d<f32>; @group(2) @binding(0) var s: sampler;";

fn draw<'a>(
    cover: &Cover,
    cx: &mut DeviceContext,
    view: &ShaderResourceView,
    sampler: impl Into<Option<&'a SamplerState>>,
) {
    cx.ps_set_shader_resources(0, view);
    cx.ps_set_samplers(0, sampler.into());
    cover.draw(cx);
}

fn sampler(device: &Device, desc: SamplerDesc) -> SamplerState {
    device.create_sampler_state(&desc).unwrap()
}

fn point() -> SamplerDesc {
    SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp)
}

fn flat(device: &Device, width: u32, height: u32, texels: &[u32]) -> ShaderResourceView {
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, width, height) };
    let data = SubresourceData { bytes: bytemuck::cast_slice(texels), row_pitch: width * 4, depth_pitch: 0 };
    let texture = device.create_texture_2d(&desc, Some(&[data])).unwrap();
    device.create_shader_resource_view(&texture, None).unwrap()
}

fn texel(x: i32, y: i32) -> u32 {
    BLACK | ((x * 31 + y * 17) as u32 % 200 + 40) << 16 | (y as u32 * 60 + 20) << 8 | (x as u32 * 60 + 10)
}

/// Returns which of four texels an address mode selects, or `None` for the border.
fn found(mode: TextureAddressMode, place: i32) -> Option<i32> {
    match mode {
        TextureAddressMode::Wrap => Some(place.rem_euclid(4)),
        TextureAddressMode::Mirror => {
            let place = place.rem_euclid(8);
            Some(if place < 4 { place } else { 7 - place })
        }
        TextureAddressMode::Border => Some(place).filter(|place| (0..4).contains(place)),
        _ => Some(place.clamp(0, 3)),
    }
}

/// The texture coordinates range from -1 to 2, for each pair of address modes for u and v.
#[test]
fn address_modes_decide_reads_beyond_each_axis() {
    use TextureAddressMode::{Border, Clamp, Mirror, Wrap};
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 24, 24);
        let texels: Vec<u32> = (0..16).map(|n| texel(n % 4, n / 4)).collect();
        let texture = flat(&d, 4, 4, &texels);
        let cover = Cover::new(&d, PLAIN, "return textureSampleLevel(t, s, position.xy / 8.0 - 1.0, 0.0);");
        let has_border = d.check_feature_support().features.contains(Features::BORDER_ADDRESS);
        let modes = [Wrap, Mirror, Clamp, Border];
        for (u, v) in modes.iter().flat_map(|u| modes.map(|v| (*u, v))) {
            if [u, v].contains(&Border) && !has_border {
                continue;
            }
            for border_color in [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [1.0; 4]] {
                let desc = SamplerDesc { address_u: u, address_v: v, border_color, ..point() };
                let bound = sampler(&d, desc);
                let border = u32::from_le_bytes(border_color.map(|c| (c * 255.0) as u8));
                let draw = |cx: &mut DeviceContext| draw(&cover, cx, &texture, &bound);
                expect(h, &target, &format!("{u:?}, {v:?}, {border_color:?}"), draw, |x, y| {
                    let (x, y) = (found(u, x as i32 / 2 - 4), found(v, y as i32 / 2 - 4));
                    x.zip(y).map_or(border, |(x, y)| texel(x, y))
                });
                if ![u, v].contains(&Border) {
                    break;
                }
            }
        }
    });
}

fn magnified(name: &str, filter: Filter, address: TextureAddressMode) {
    draw_everywhere(
        name,
        &gpu_matrix(),
        (32, 32),
        |h| {
            let texels = [0xff00_00ff, 0xff00_ff00, 0xffff_0000, 0xffff_ffff];
            let cover = Cover::new(&h.device, PLAIN, "return textureSample(t, s, position.xy / 32.0);");
            (cover, flat(&h.device, 2, 2, &texels), sampler(&h.device, SamplerDesc::new(filter, address)))
        },
        |(cover, texture, sampler), target, cx| {
            target.bind(cx);
            draw(cover, cx, texture, sampler);
        },
    );
}

#[test]
fn a_point_filter_takes_the_nearest_texel() {
    magnified("point_filter", Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp);
}

#[test]
fn a_linear_filter_blends_the_four_nearest_texels() {
    magnified("linear_filter", Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Clamp);
}

#[test]
fn a_linear_filter_blends_across_a_wrapping_edge() {
    magnified("linear_filter_wrap", Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Wrap);
}

/// The texture has a black texel and a white texel, so a linear filter with clamping gives a gradient.
#[test]
fn the_default_sampler_filters_linearly_and_clamps() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet]);
        let d = h.device.clone();
        let target = Target::new(&d, 32, 1);
        let texture = flat(&d, 2, 1, &[BLACK, WHITE]);
        let body = "return textureSample(t, s, vec2<f32>(position.x / 16.0 - 0.5, 0.5));";
        let cover = Cover::new(&d, PLAIN, body);
        let draw = |cx: &mut DeviceContext| draw(&cover, cx, &texture, None);
        expect(h, &target, "default", draw, |x, _| {
            let u = (x as f32 + 0.5) / 16.0 - 0.5;
            let white = (u * 2.0 - 0.5).clamp(0.0, 1.0);
            BLACK | ((white * 255.0).round() as u32 * 0x01_0101)
        });
    });
}

/// Sixteen texels, alternating between black and white, are magnified to 32 pixels and minified to 8 pixels.
#[test]
fn minification_and_magnification_have_filters_of_their_own() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let texels: Vec<u32> = (0..16).map(|n| if n % 2 == 0 { BLACK } else { WHITE }).collect();
        let texture = flat(&d, 16, 1, &texels);
        for (min_linear, mag_linear) in [(false, false), (false, true), (true, false), (true, true)] {
            let filter = Filter { min_linear, mag_linear, ..Filter::MIN_MAG_MIP_POINT };
            let bound = sampler(&d, SamplerDesc::new(filter, TextureAddressMode::Clamp));
            for (width, linear) in [(32, mag_linear), (8, min_linear)] {
                let target = Target::new(&d, width, 1);
                let body = format!("return textureSample(t, s, vec2<f32>(position.x / {width}.0, 0.5));");
                let cover = Cover::new(&d, PLAIN, &body);
                let draw = |cx: &mut DeviceContext| draw(&cover, cx, &texture, &bound);
                let row = format!("min {min_linear}, mag {mag_linear}, {width} pixels");
                expect(h, &target, &row, draw, |x, _| {
                    // The position in texels, relative to the centre of the first texel.
                    let place = (x as f32 + 0.5) * 16.0 / width as f32 - 0.5;
                    let white = if linear {
                        let (low, part) = (place.max(0.0).floor(), place.max(0.0).fract());
                        let shade = |n: f32| n.min(15.0) % 2.0;
                        shade(low) * (1.0 - part) + shade(low + 1.0) * part
                    } else {
                        // Halfway between two texels, the following texel is selected.
                        (place + 0.5).floor() % 2.0
                    };
                    BLACK | ((white * 255.0).round() as u32 * 0x01_0101)
                });
            }
        }
    });
}

/// Three mip levels with one colour each, the largest with 4 x 4 texels.
struct Levels {
    view: ShaderResourceView,
}

const LEVELS: [u32; 3] = [0xff20_1080, 0xff80_2010, 0xff10_8020];

impl Levels {
    fn new(device: &Device) -> Self {
        let desc = Texture2dDesc { mip_levels: 3, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
        let texels = [[LEVELS[0]; 16], [LEVELS[1]; 16], [LEVELS[2]; 16]];
        let data = [0, 1, 2].map(|mip| SubresourceData {
            bytes: bytemuck::cast_slice(&texels[mip][..16 >> (2 * mip)]),
            row_pitch: 16 >> mip,
            depth_pitch: 0,
        });
        let texture = device.create_texture_2d(&desc, Some(&data)).unwrap();
        Self { view: device.create_shader_resource_view(&texture, None).unwrap() }
    }

    /// Asserts that `read` (an expression of `uv`) returns the expected colour everywhere in a picture of
    /// `size` pixels.
    fn check(&self, h: &mut Harness, size: u32, desc: SamplerDesc, read: &str, expected: u32) {
        let d = h.device.clone();
        let target = Target::new(&d, size, size);
        let bound = sampler(&d, desc);
        let body = format!("let uv = position.xy / {size}.0; return {read};");
        let cover = Cover::new(&d, PLAIN, &body);
        let draw = |cx: &mut DeviceContext| draw(&cover, cx, &self.view, &bound);
        let row = format!("{size} pixels, {read}, {:?}, {} to {}", desc.filter, desc.min_lod, desc.max_lod);
        expect(h, &target, &row, draw, |_, _| expected);
    }
}

fn average(a: u32, b: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes([0, 1, 2, 3].map(|i| (a[i] / 2) + (b[i] / 2)))
}

/// See Wine 10.0, d3d11 tests, line 9250.
#[test]
fn a_level_is_rounded_to_the_nearest_or_blended_and_clamped() {
    on_each(&gpu_matrix(), |h| {
        let levels = Levels::new(&h.device);
        for (level, mip) in [
            (-1.0, 0),
            (0.0, 0),
            (0.4, 0),
            (0.6, 1),
            (1.0, 1),
            (1.4, 1),
            (1.6, 2),
            (2.0, 2),
            (2.7, 2),
            (50.0, 2),
        ] {
            let read = format!("textureSampleLevel(t, s, uv, {level:?})");
            levels.check(h, 4, point(), &read, LEVELS[mip]);
        }
        let blended = SamplerDesc { filter: Filter::MIN_MAG_POINT_MIP_LINEAR, ..point() };
        for (level, expected) in [
            (0.0, LEVELS[0]),
            (0.5, average(LEVELS[0], LEVELS[1])),
            (1.0, LEVELS[1]),
            (1.5, average(LEVELS[1], LEVELS[2])),
            (3.0, LEVELS[2]),
        ] {
            levels.check(h, 4, blended, &format!("textureSampleLevel(t, s, uv, {level:?})"), expected);
        }
    });
}

#[test]
fn pixel_size_and_bias_choose_the_level_of_a_sample() {
    on_each(&gpu_matrix(), |h| {
        let levels = Levels::new(&h.device);
        for (size, mip) in [(16, 0), (4, 0), (2, 1)] {
            levels.check(h, size, point(), "textureSample(t, s, uv)", LEVELS[mip]);
        }
        for (bias, mip) in [(-3.0, 0), (0.0, 0), (0.4, 0), (0.6, 1), (1.4, 1), (1.6, 2), (9.0, 2)] {
            levels.check(h, 4, point(), &format!("textureSampleBias(t, s, uv, {bias:?})"), LEVELS[mip]);
        }
        for (size, mip) in [("0.25", 0), ("0.5", 1), ("1.0", 2), ("8.0", 2)] {
            let read = format!("textureSampleGrad(t, s, uv, vec2<f32>({size}, 0.0), vec2<f32>(0.0, {size}))");
            levels.check(h, 4, point(), &read, LEVELS[mip]);
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 9250.
#[test]
fn the_level_is_clamped_to_the_samplers_range() {
    on_each(&gpu_matrix(), |h| {
        let levels = Levels::new(&h.device);
        for (min_lod, max_lod) in
            [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (1.0, 1.0), (1.0, 9.0), (2.0, 2.0), (-5.0, 0.4)]
        {
            for level in [0.0_f32, 1.0, 2.0, 5.0] {
                let desc = SamplerDesc { min_lod, max_lod, ..point() };
                let mip = level.clamp(min_lod.max(0.0), max_lod).round().min(2.0) as usize;
                levels.check(h, 4, desc, &format!("textureSampleLevel(t, s, uv, {level:?})"), LEVELS[mip]);
            }
        }
    });
}

#[test]
fn the_slice_of_a_sample_is_clamped_to_those_of_the_view() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 8, 1);
        let desc = Texture2dDesc {
            mip_levels: 1,
            array_size: 6,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 1, 1)
        };
        let texels: Vec<[u32; 1]> = (0..6).map(|slice| [texel(slice % 4, slice / 4)]).collect();
        let data: Vec<_> = texels
            .iter()
            .map(|t| SubresourceData { bytes: bytemuck::cast_slice(t), row_pitch: 4, depth_pitch: 0 })
            .collect();
        let texture = d.create_texture_2d(&desc, Some(&data)).unwrap();
        let bound = sampler(&d, point());
        let cover = Cover::new(
            &d,
            "@group(1) @binding(0) var t: texture_2d_array<f32>; @group(2) @binding(0) var s: sampler;",
            "return textureSampleLevel(t, s, vec2<f32>(0.5), i32(position.x) - 2, 0.0);",
        );
        for (first, count) in [(0, 6), (1, 3), (5, 1)] {
            let desc = ShaderResourceViewDesc::texture_2d_array(Format::UNKNOWN, first, count);
            let view = d.create_shader_resource_view(&texture, Some(&desc)).unwrap();
            let draw = |cx: &mut DeviceContext| draw(&cover, cx, &view, &bound);
            expect(h, &target, &format!("{first}+{count}"), draw, |x, _| {
                let slice = (x as i32 - 2).clamp(0, count as i32 - 1) + first as i32;
                texel(slice % 4, slice / 4)
            });
        }
    });
}

const SHADOW: &str = "
    @group(1) @binding(0) var t: texture_depth_2d_array;
    @group(2) @binding(0) var s: sampler_comparison;
    struct Reference { value: vec4<f32> }
    @group(0) @binding(0) var<uniform> reference: Reference;
";

/// Depths of the texture's slices (Wine 10.0, d3d11 tests, lines 10541 and 10901).
const DEPTHS: [f32; 6] = [0.0, 1.0, 0.5, 0.6, 0.4, 0.1];

#[test]
fn a_comparison_sampler_compares_the_reference_with_the_depth() {
    on_each(&gpu_matrix(), |h| {
        for (typeless, deep, seen) in [
            (Format::R32_TYPELESS, Format::D32_FLOAT, Format::R32_FLOAT),
            (Format::R16_TYPELESS, Format::D16_UNORM, Format::R16_UNORM),
            (Format::R24G8_TYPELESS, Format::D24_UNORM_S8_UINT, Format::R24_UNORM_X8_TYPELESS),
        ] {
            if h.has_format(deep, FormatSupport::DEPTH_STENCIL) {
                compare_all(h, typeless, deep, seen);
            }
        }
    });
}

fn compare_all(h: &mut Harness, typeless: Format, deep: Format, seen: Format) {
    let d = h.device.clone();
    let target = Target::new(&d, 6, 1);
    let desc = Texture2dDesc {
        array_size: 6,
        bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
        ..Texture2dDesc::depth_stencil(typeless, 2, 2)
    };
    let texture = d.create_texture_2d(&desc, None).unwrap();
    let outputs = [0, 1, 2, 3, 4, 5].map(|slice| {
        let desc = DepthStencilViewDesc::texture_2d_array(deep, 0, slice, 1);
        d.create_depth_stencil_view(&texture, Some(&desc)).unwrap()
    });
    let input = ShaderResourceViewDesc::texture_2d_array(seen, 0, 6);
    let input = d.create_shader_resource_view(&texture, Some(&input)).unwrap();
    let body = "return vec4<f32>(textureSampleCompareLevel(t, s, vec2<f32>(0.5), i32(position.x), reference.value.x));";
    let cover = Cover::new(&d, SHADOW, body);
    let constants = d.create_buffer(&BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
    for func in COMPARISONS {
        let bound = sampler(&d, SamplerDesc::comparison(Filter::COMPARISON_MIN_MAG_MIP_POINT, func));
        // Only the depths 0 and 1 are stored exactly in every format, so equality is tested only with these.
        for reference in [0.0, 0.55, 0.7, 1.0] {
            let draw = |cx: &mut DeviceContext| {
                for (output, depth) in outputs.iter().zip(DEPTHS) {
                    cx.clear_depth_stencil_view(output, ClearFlags::DEPTH, depth, 0);
                }
                cx.map(&constants, 0, MapType::WriteDiscard).unwrap().write(0, &[reference; 4]);
                cx.ps_set_constant_buffers(0, &constants);
                draw(&cover, cx, &input, &bound);
            };
            expect(h, &target, &format!("{typeless:?}, {func:?} {reference}"), draw, |x, _| {
                if passes(func, reference, DEPTHS[x as usize]) { WHITE } else { 0 }
            });
        }
    }
}

/// The shadow map has two texels, with depths 0 and 1, between which a linear comparison returns the fraction
/// that passes.
#[test]
fn a_linear_comparison_blends_the_results_and_not_the_depths() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 16, 1);
        let desc = Texture2dDesc {
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, 2, 1)
        };
        let texture = d.create_texture_2d(&desc, None).unwrap();
        let output = DepthStencilViewDesc::format(Format::D32_FLOAT);
        let output = d.create_depth_stencil_view(&texture, Some(&output)).unwrap();
        let input = ShaderResourceViewDesc::format(Format::R32_FLOAT);
        let input = d.create_shader_resource_view(&texture, Some(&input)).unwrap();
        let declarations =
            "@group(1) @binding(0) var t: texture_depth_2d; @group(2) @binding(0) var s: sampler_comparison;";
        let body = "return vec4<f32>(textureSampleCompare(t, s, vec2<f32>(position.x / 16.0, 0.5), 0.9));";
        let cover = Cover::new(&d, declarations, body);
        let filter = Filter::COMPARISON_MIN_MAG_LINEAR_MIP_POINT;
        let bound = sampler(&d, SamplerDesc::comparison(filter, ComparisonFunc::Less));
        let quad = Quad::new(&d);
        let draw = |cx: &mut DeviceContext| {
            cx.om_set_render_targets(None::<&RenderTargetView>, &output);
            cx.rs_set_viewports(Viewport::sized(2.0, 1.0));
            cx.clear_depth_stencil_view(&output, ClearFlags::DEPTH, 1.0, 0);
            quad.draw_at(cx, [1.0; 4], [-1.0, -1.0, 0.0, 1.0], 0.0);
            target.bind(cx);
            draw(&cover, cx, &input, &bound);
        };
        expect(h, &target, "shadow", draw, |x, _| {
            let passing = ((x as f32 + 0.5) / 8.0 - 0.5).clamp(0.0, 1.0);
            (passing * 255.0).round() as u32 * 0x0101_0101
        });
    });
}

/// Without a sampler, the comparison never passes, whatever the reference value is.
#[test]
fn without_a_comparison_sampler_nothing_passes() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet]);
        let d = h.device.clone();
        let target = Target::new(&d, 2, 2);
        let desc = Texture2dDesc {
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, 2, 2)
        };
        let texture = d.create_texture_2d(&desc, None).unwrap();
        let output = DepthStencilViewDesc::format(Format::D32_FLOAT);
        let output = d.create_depth_stencil_view(&texture, Some(&output)).unwrap();
        let input = ShaderResourceViewDesc::format(Format::R32_FLOAT);
        let input = d.create_shader_resource_view(&texture, Some(&input)).unwrap();
        let declarations =
            "@group(1) @binding(0) var t: texture_depth_2d; @group(2) @binding(0) var s: sampler_comparison;";
        let body = "return vec4<f32>(textureSampleCompare(t, s, vec2<f32>(0.5), position.x / 4.0));";
        let cover = Cover::new(&d, declarations, body);
        let draw = |cx: &mut DeviceContext| {
            cx.clear_depth_stencil_view(&output, ClearFlags::DEPTH, 1.0, 0);
            draw(&cover, cx, &input, None);
        };
        expect(h, &target, "unbound", draw, |_, _| 0);
    });
}

/// Each pixel covers a tall area of the texture. An anisotropic filter samples along the long side of the
/// area, so the vertical stripes stay visible, but a linear filter uses a small mip level, so they disappear.
#[test]
fn an_anisotropic_filter_keeps_the_detail_across_a_stretch() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 8, 2);
        let desc = Texture2dDesc { mip_levels: 4, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8) };
        let stripes: Vec<u32> = (0..64).map(|n| if n % 2 == 0 { BLACK } else { WHITE }).collect();
        let grey = [0xff80_8080_u32; 16];
        let level = |mip: u32| SubresourceData {
            bytes: if mip == 0 { bytemuck::cast_slice(&stripes) } else { bytemuck::cast_slice(&grey) },
            row_pitch: 32 >> mip,
            depth_pitch: 0,
        };
        let texture = d.create_texture_2d(&desc, Some(&[0, 1, 2, 3].map(level))).unwrap();
        let view = d.create_shader_resource_view(&texture, None).unwrap();
        let cover = Cover::new(&d, PLAIN, "return textureSample(t, s, position.xy / vec2<f32>(8.0, 2.0));");
        for (filter, sharp) in [(Filter::ANISOTROPIC, true), (Filter::MIN_MAG_MIP_LINEAR, false)] {
            let desc =
                SamplerDesc { max_anisotropy: 16, ..SamplerDesc::new(filter, TextureAddressMode::Clamp) };
            let bound = sampler(&d, desc);
            for how in CommandPath::ALL {
                h.record(how, |cx| {
                    target.bind(cx);
                    draw(&cover, cx, &view, &bound);
                });
                // The exact sharpness depends on the adapter, so only a minimum contrast is required.
                let texels = target.read(h);
                for pair in texels.chunks(2) {
                    let [dark, bright] = [pair[0] & 0xff, pair[1] & 0xff];
                    let row = format!("{filter:?}, {how:?}: {dark:#x}, {bright:#x}");
                    if sharp {
                        assert!(dark + 0x18 < bright, "{row}");
                    } else {
                        assert!(dark.abs_diff(bright) <= 1 && dark.abs_diff(0x80) <= 1, "{row}");
                    }
                }
            }
        }
    });
}
