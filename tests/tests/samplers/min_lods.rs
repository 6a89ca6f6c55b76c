//! `SetResourceMinLOD` in loads, samples and lists, according to section 5.8 of the functional specification
//! of Direct3D 11.3.

use onze::prelude::*;
use onze_tests::{
    CommandPath, Config, Target, gpu_matrix, null_matrix, on_each,
    shapes::{Cover, expect},
};

use super::{
    Border, MirrorOnce, Wrap, desc,
    scene::{SampleInstruction, SampledTexture, Scene, compare},
};

#[test]
fn samples_use_at_least_the_minimum_level() {
    on_each(&[Config::GPU], |h| {
        for kind in [
            SampledTexture::Color,
            SampledTexture::OneComponent,
            SampledTexture::Slices,
            SampledTexture::Depth,
        ] {
            let mut scene = Scene::new(h, kind);
            let is_depth = kind == SampledTexture::Depth;
            let ways: &[SampleInstruction] = match kind {
                SampledTexture::Color => &SampleInstruction::ALL,
                SampledTexture::Depth => {
                    &[SampleInstruction::Zero, SampleInstruction::Auto, SampleInstruction::Gather]
                }
                SampledTexture::OneComponent | SampledTexture::Slices | SampledTexture::Signed => {
                    &[SampleInstruction::Level, SampleInstruction::Gather]
                }
            };
            for min_lod in [0.75, 2.0, 2.25, 0.0, 1.0] {
                scene.set_min_lod(h, min_lod);
                for way in ways {
                    for (address, filter, max_lod) in [
                        (Wrap, Filter::MIN_MAG_MIP_LINEAR, f32::MAX),
                        (Border, Filter::MIN_MAG_POINT_MIP_LINEAR, 0.5),
                        (MirrorOnce, Filter::MAXIMUM_MIN_MAG_MIP_LINEAR, f32::MAX),
                    ] {
                        let filter = match is_depth {
                            true => Filter::COMPARISON_MIN_MAG_MIP_LINEAR,
                            false => filter,
                        };
                        let comparison_func = ComparisonFunc::GreaterEqual;
                        let desc = SamplerDesc { max_lod, comparison_func, ..desc(filter, [address; 3]) };
                        compare(h, &mut scene, &desc, *way);
                    }
                }
            }
        }
    });
}

const COLORS: [u32; 4] = [0xff00_00ff, 0xff00_ff00, 0xffff_0000, 0xffff_ffff];

fn levels(d: &Device, misc_flags: MiscFlags, array_size: u32) -> Texture2d {
    let desc = Texture2dDesc {
        mip_levels: 4,
        misc_flags,
        array_size,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8)
    };
    let texels = COLORS.map(|color| [color; 64]);
    let data: Vec<_> = (0..4 * array_size as usize)
        .map(|n| SubresourceData {
            bytes: bytemuck::cast_slice(&texels[n % 4]),
            row_pitch: 32 >> (n % 4),
            depth_pitch: 0,
        })
        .collect();
    d.create_texture_2d(&desc, Some(&data)).unwrap()
}

const DECLARATIONS: &str =
    "@group(1) @binding(0) var t: texture_2d<f32>; @group(2) @binding(0) var s: sampler;";

/// Reads each level through a view of all levels and through a view without the first level.
#[test]
fn loads_below_the_minimum_level_are_zero() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 4, 1);
        let texture = levels(&d, MiscFlags::RESOURCE_CLAMP, 1);
        let read = "
            if textureNumLevels(t) < 3u { return vec4<f32>(0.5); }
            return textureLoad(t, vec2<u32>(0u), u32(position.x));";
        let cover = Cover::new(&d, DECLARATIONS, read);
        for first in [0, 1] {
            let desc = ShaderResourceViewDesc::texture_2d(Format::UNKNOWN, first, 4 - first);
            let view = d.create_shader_resource_view(&texture, Some(&desc)).unwrap();
            for min_lod in [0.0_f32, 0.5, 1.0, 2.75, 3.0, 3.25, 9.0] {
                let draw = |cx: &mut DeviceContext| {
                    cx.set_resource_min_lod(&texture, min_lod);
                    cx.ps_set_shader_resources(0, &view);
                    cover.draw(cx);
                    cx.set_resource_min_lod(&texture, 0.0);
                };
                expect(h, &target, &format!("from {first}, {min_lod}"), draw, |x, _| {
                    let level = x + first;
                    let is_there = level < 4 && level as f32 >= min_lod.floor() && min_lod <= 3.0;
                    if is_there { COLORS[level as usize] } else { 0 }
                });
            }
        }
    });
}

/// A draw uses the minimum level that was set last before the draw, on any context and in any list.
#[test]
fn a_minimum_level_applies_to_later_draws() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet]);
        let d = h.device.clone();
        let target = Target::new(&d, 4, 1);
        let texture = levels(&d, MiscFlags::RESOURCE_CLAMP, 1);
        let view = d.create_shader_resource_view(&texture, None).unwrap();
        let cover = Cover::new(&d, DECLARATIONS, "return textureSampleLevel(t, s, vec2<f32>(0.5), 0.0);");
        let pixel = |cx: &mut DeviceContext, x: u32| {
            cx.rs_set_viewports(Viewport { top_left_x: x as f32, ..Viewport::sized(1.0, 1.0) });
            cx.ps_set_shader_resources(0, &view);
            cover.draw(cx);
        };
        let draw = |cx: &mut DeviceContext| {
            pixel(cx, 0);
            cx.set_resource_min_lod(&texture, 2.0);
            pixel(cx, 1);
            cx.set_resource_min_lod(&texture, 1.0);
            cx.set_resource_min_lod(&texture, 3.0);
            pixel(cx, 2);
            cx.set_resource_min_lod(&texture, -4.0);
            pixel(cx, 3);
        };
        let expected = [COLORS[0], COLORS[2], COLORS[3], COLORS[0]];
        expect(h, &target, "in turn", draw, |x, _| expected[x as usize]);
        assert_eq!(h.immediate.get_resource_min_lod(&texture).to_bits(), 0);

        // A list starts with the minimum level that is current where it is executed, and a level that the
        // list sets stays in effect after the list. Nested lists follow the same rules.
        let record = |commands: &dyn Fn(&mut DeviceContext)| {
            let mut deferred = d.create_deferred_context().unwrap();
            target.bind(&mut deferred);
            commands(&mut deferred);
            deferred.finish_command_list(false).unwrap()
        };
        let plain = record(&|cx| pixel(cx, 1));
        let setting = record(&|cx| {
            pixel(cx, 0);
            cx.execute_command_list(&plain, false);
            cx.set_resource_min_lod(&texture, 2.0);
            target.bind(cx);
            cx.execute_command_list(&plain, false);
            target.bind(cx);
            pixel(cx, 2);
            cx.set_resource_min_lod(&texture, 0.0);
            pixel(cx, 3);
        });
        for (before, expected) in [(1.0, [1, 2, 2, 0]), (3.0, [3, 2, 2, 0])] {
            let cx = &mut h.immediate;
            cx.set_resource_min_lod(&texture, before);
            cx.execute_command_list(&setting, false);
            let texels = target.read(h);
            assert_eq!(texels, expected.map(|level| COLORS[level]), "after {before}");
            let cx = &mut h.immediate;
            target.bind(cx);
            pixel(cx, 0);
            let texels = target.read(h);
            assert_eq!(texels[0], COLORS[0], "the level that the list has set");
        }
        // The list is executed often enough for the driver to replay it from bundles.
        for before in [0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 0.0] {
            h.immediate.set_resource_min_lod(&texture, before);
            h.immediate.execute_command_list(&plain, false);
            let texels = target.read(h);
            assert_eq!(texels[1], COLORS[before as usize], "{before}");
        }
    });
}

/// Changes the minimum level of one texture, then of another.
#[test]
fn each_texture_has_its_own_minimum_level() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet]);
        let d = h.device.clone();
        let target = Target::new(&d, 1, 1);
        let textures = [0, 1].map(|_| levels(&d, MiscFlags::RESOURCE_CLAMP, 1));
        let views = textures.each_ref().map(|texture| d.create_shader_resource_view(texture, None).unwrap());
        let declarations = "
            @group(1) @binding(4) var a: texture_2d<f32>; @group(1) @binding(5) var b: texture_2d<f32>;
            @group(2) @binding(0) var s: sampler;";
        let read = "
            let left = textureSampleLevel(a, s, vec2<f32>(0.5), 0.0);
            return vec4<f32>(left.rgb * 0.5 + textureSampleLevel(b, s, vec2<f32>(0.5), 0.0).rgb * 0.25, 1.0);";
        let cover = Cover::new(&d, declarations, read);
        for (left, right) in [(0, 0), (1, 0), (0, 2), (2, 1)] {
            let draw = |cx: &mut DeviceContext| {
                cx.set_resource_min_lod(&textures[0], left as f32);
                cx.set_resource_min_lod(&textures[1], right as f32);
                cx.ps_set_shader_resources(4, [&views[0], &views[1]]);
                cover.draw(cx);
            };
            expect(h, &target, &format!("{left}, {right}"), draw, |_, _| {
                let channel = |level: usize, weight: u32| {
                    COLORS[level].to_le_bytes().map(|byte| (u32::from(byte) * weight + 50) / 100)
                };
                let (a, b) = (channel(left, 50), channel(right, 25));
                u32::from_le_bytes(
                    [0, 1, 2]
                        .map(|n| (a[n] + b[n]) as u8)
                        .into_iter()
                        .chain([255])
                        .collect::<Vec<_>>()
                        .try_into()
                        .unwrap(),
                )
            });
        }
        for texture in &textures {
            h.immediate.set_resource_min_lod(texture, 0.0);
        }
    });
}

#[test]
fn a_compute_shader_uses_the_minimum_level() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawSamplerNotSet]);
        if !h.device.check_feature_support().features.contains(Features::COMPUTE) {
            return;
        }
        let d = h.device.clone();
        let texture = levels(&d, MiscFlags::RESOURCE_CLAMP, 1);
        let view = d.create_shader_resource_view(&texture, None).unwrap();
        let source = "
            @group(1) @binding(0) var t: texture_2d<f32>;
            @group(2) @binding(0) var s: sampler;
            @group(3) @binding(0) var<storage, read_write> found: array<u32>;
            fn load(image: texture_2d<f32>, level: i32) -> vec4<f32> { return textureLoad(image, vec2<i32>(0), level); }
            @compute @workgroup_size(1) fn main() {
                found[0] = pack4x8unorm(textureSampleLevel(t, s, vec2<f32>(0.5), 0.0));
                found[1] = pack4x8unorm(load(t, 1));
                found[2] = pack4x8unorm(load(t, 2));
            }";
        let shader = d.create_compute_shader(ShaderSource::wgsl(source, "main")).unwrap();
        let flags = BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE;
        let buffer = d.create_buffer(&BufferDesc::structured(4, 3, flags), None).unwrap();
        let written = d.create_unordered_access_view(&buffer, None).unwrap();
        for how in CommandPath::ALL {
            for (min_lod, expected) in
                [(0.0, [COLORS[0], COLORS[1], COLORS[2]]), (2.0, [COLORS[2], 0, COLORS[2]])]
            {
                h.record(how, |cx| {
                    cx.cs_set_shader(&shader);
                    cx.cs_set_shader_resources(0, &view);
                    cx.cs_set_unordered_access_views(0, &written);
                    cx.set_resource_min_lod(&texture, min_lod);
                    cx.dispatch(1, 1, 1);
                });
                assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap(), expected, "{how:?} {min_lod}");
            }
        }
    });
}

#[test]
fn only_resource_clamp_textures_accept_a_minimum_level() {
    on_each(&null_matrix(), |h| {
        let plain = levels(&h.device, MiscFlags::empty(), 1);
        let clamped = levels(&h.device, MiscFlags::RESOURCE_CLAMP | MiscFlags::TEXTURECUBE, 6);
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::SHADER_RESOURCE), None).unwrap();
        let cx = &mut h.immediate;
        assert_eq!(cx.get_resource_min_lod(&clamped).to_bits(), 0);
        cx.set_resource_min_lod(&clamped, 1.5);
        assert_eq!(cx.get_resource_min_lod(&clamped).to_bits(), 1.5_f32.to_bits());
        cx.clear_state();
        assert_eq!(cx.get_resource_min_lod(&clamped).to_bits(), 1.5_f32.to_bits());
        cx.set_resource_min_lod(&clamped, -1.0);
        assert_eq!(cx.get_resource_min_lod(&clamped).to_bits(), 0);
        cx.set_resource_min_lod(&clamped, f32::INFINITY);
        h.assert_silent();
        let cx = &mut h.immediate;
        cx.set_resource_min_lod(&clamped, f32::NAN);
        h.assert_reported(MessageId::SetResourceMinLodInvalid);
        h.immediate.set_resource_min_lod(&plain, 1.0);
        h.assert_reported(MessageId::SetResourceMinLodInvalid);
        h.immediate.set_resource_min_lod(&buffer, 1.0);
        h.assert_reported(MessageId::SetResourceMinLodInvalid);
        let misc_flags = MiscFlags::RESOURCE_CLAMP;
        let desc = BufferDesc { misc_flags, ..BufferDesc::new(64, BindFlags::SHADER_RESOURCE) };
        assert!(h.device.create_buffer(&desc, None).is_err(), "buffers have no levels");
        h.take_errors();
    });
}
