//! Emulated samplers in different stages, in functions, in consecutive draws, with unbound textures and with
//! cube maps.

use onze::prelude::*;
use onze_tests::{
    Config, Harness, Target, gpu_matrix, on_each,
    shapes::{Cover, expect},
};

use super::{Border, Clamp, GREY, MirrorOnce, Wrap, desc};

const RED: u32 = 0xff00_00ff;
const BLUE: u32 = 0xffff_0000;

fn texture(d: &Device, width: u32, height: u32, texels: &[u32]) -> ShaderResourceView {
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, width, height) };
    let data = SubresourceData { bytes: bytemuck::cast_slice(texels), row_pitch: width * 4, depth_pitch: 0 };
    let texture = d.create_texture_2d(&desc, Some(&[data])).unwrap();
    d.create_shader_resource_view(&texture, None).unwrap()
}

fn levels(d: &Device, array_size: u32, misc_flags: MiscFlags) -> Texture2d {
    let desc = Texture2dDesc {
        mip_levels: 2,
        array_size,
        misc_flags,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 2, 2)
    };
    let texels = [[RED; 4], [BLUE; 4]];
    let data: Vec<_> = (0..array_size * 2)
        .map(|n| SubresourceData {
            bytes: bytemuck::cast_slice(&texels[n as usize % 2]),
            row_pitch: 8,
            depth_pitch: 0,
        })
        .collect();
    d.create_texture_2d(&desc, Some(&data)).unwrap()
}

const PLAIN: &str = "@group(1) @binding(0) var t: texture_2d<f32>; @group(2) @binding(0) var s: sampler;";

type Change = fn(&mut SamplerDesc);

/// Only one field of the sampler changes between two draws.
#[test]
fn one_changed_field_of_a_sampler_is_seen() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 8, 8);
        let texels: Vec<u32> = (0..16).map(|n: u32| 0xff00_0000 | (n * 0x0b_1d07)).collect();
        let desc16 = Texture2dDesc { mip_levels: 3, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
        let data = [0, 1, 2].map(|mip| SubresourceData {
            bytes: bytemuck::cast_slice(&texels[mip..]),
            row_pitch: 16 >> mip,
            depth_pitch: 0,
        });
        let view = d.create_texture_2d(&desc16, Some(&data)).unwrap();
        let view = d.create_shader_resource_view(&view, None).unwrap();
        let cover = Cover::new(
            &d,
            PLAIN,
            "let at = vec2<f32>(position.x % 4.0, position.y) / 3.3 - 0.6;
            return textureSampleGrad(t, s, at, vec2<f32>(0.3, 0.0), vec2<f32>(0.0, 0.9));",
        );
        let base =
            SamplerDesc { mip_lod_bias: 0.25, ..desc(Filter::ANISOTROPIC, [Border, MirrorOnce, Wrap]) };
        let changes: [(&str, Change); 8] = [
            ("bias", |s| s.mip_lod_bias = 0.9),
            ("least level", |s| s.min_lod = 1.5),
            ("greatest level", |s| s.max_lod = 0.25),
            ("anisotropy", |s| s.max_anisotropy = 1),
            ("border colour", |s| s.border_color = [0.9, 0.1, 0.2, 0.4]),
            ("u", |s| s.address_u = Wrap),
            ("v", |s| s.address_v = Clamp),
            ("filter", |s| s.filter = Filter::MAXIMUM_ANISOTROPIC),
        ];
        let samplers: Vec<_> = std::iter::once(base)
            .chain(changes.iter().map(|(_, change)| {
                let mut desc = base;
                change(&mut desc);
                desc
            }))
            .map(|desc| d.create_sampler_state(&desc).unwrap())
            .collect();
        let half = |cx: &mut DeviceContext, right: bool, sampler: &SamplerState| {
            let x = if right { 4.0 } else { 0.0 };
            cx.rs_set_viewports(Viewport { top_left_x: x, width: 4.0, ..target.viewport() });
            cx.ps_set_samplers(0, sampler);
            cover.draw(cx);
        };
        let mut alone = Vec::new();
        for sampler in &samplers {
            target.bind(&mut h.immediate);
            h.immediate.ps_set_shader_resources(0, &view);
            half(&mut h.immediate, false, sampler);
            let texels = target.read(h);
            alone.push((0..32).map(|n| target.at(&texels, n % 4, n / 4)).collect::<Vec<_>>());
        }
        for (n, (what, _)) in changes.iter().enumerate() {
            assert_ne!(alone[0], alone[n + 1], "{what}: the change has no effect");
            let both = |cx: &mut DeviceContext| {
                cx.ps_set_shader_resources(0, &view);
                half(cx, false, &samplers[0]);
                half(cx, true, &samplers[n + 1]);
            };
            expect(h, &target, what, both, |x, y| {
                let side = if x < 4 { &alone[0] } else { &alone[n + 1] };
                side[(y * 4 + x % 4) as usize]
            });
        }
    });
}

/// In an empty slot, the border colour and the reference value have no effect (22.4.15 and 22.4.19).
#[test]
fn unbound_textures_are_zero_also_beyond_their_edges() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let d = h.device.clone();
        let target = Target::new(&d, 4, 1);
        let read = "return textureSample(t, s, vec2<f32>(position.x - 2.0, 0.5));";
        let cover = Cover::new(&d, PLAIN, read);
        let bound = texture(&d, 1, 1, &[RED]);
        for border_color in [[1.0; 4], GREY] {
            let desc = SamplerDesc { border_color, ..desc(Filter::MIN_MAG_MIP_POINT, [Border; 3]) };
            let sampler = d.create_sampler_state(&desc).unwrap();
            let border = u32::from_le_bytes(border_color.map(|c| (c * 255.0_f32).round() as u8));
            for (view, inside, outside) in [(None, 0, 0), (Some(&bound), RED, border)] {
                let draw = |cx: &mut DeviceContext| {
                    cx.ps_set_shader_resources(0, view);
                    cx.ps_set_samplers(0, &sampler);
                    cover.draw(cx);
                };
                let what = format!("{border_color:?}, bound {}", view.is_some());
                expect(h, &target, &what, draw, |x, _| if x == 2 { inside } else { outside });
            }
        }
        let declarations =
            "@group(1) @binding(0) var t: texture_depth_2d; @group(2) @binding(0) var s: sampler_comparison;";
        let read = "return vec4<f32>(textureSampleCompare(t, s, vec2<f32>(position.x - 2.0, 0.5), 0.5));";
        let cover = Cover::new(&d, declarations, read);
        for address in [Clamp, Border, MirrorOnce] {
            let desc = SamplerDesc {
                comparison_func: ComparisonFunc::Always,
                ..desc(Filter::COMPARISON_MIN_MAG_MIP_POINT, [address; 3])
            };
            let sampler = d.create_sampler_state(&desc).unwrap();
            let draw = |cx: &mut DeviceContext| {
                cx.ps_set_samplers(0, &sampler);
                cover.draw(cx);
            };
            expect(h, &target, &format!("{address:?}"), draw, |_, _| 0);
        }
    });
}

/// A compute shader and a vertex shader sample in functions that receive textures and samplers as arguments.
#[test]
fn all_stages_sample_with_all_samplers() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let view = texture(&d, 2, 1, &[RED, BLUE]);
        let two = d.create_shader_resource_view(&levels(&d, 1, MiscFlags::empty()), None).unwrap();
        let once = d.create_sampler_state(&desc(Filter::MIN_MAG_MIP_POINT, [MirrorOnce; 3])).unwrap();
        let biased = SamplerDesc { mip_lod_bias: 1.0, ..desc(Filter::MIN_MAG_MIP_POINT, [Wrap; 3]) };
        let biased = d.create_sampler_state(&biased).unwrap();
        const FUNCTIONS: &str = "
            @group(1) @binding(3) var row: texture_2d<f32>;
            @group(1) @binding(5) var levels: texture_2d<f32>;
            @group(2) @binding(1) var once: sampler;
            @group(2) @binding(2) var biased: sampler;
            fn inner(image: texture_2d<f32>, by: sampler, at: f32) -> vec4<f32> {
                return textureSampleLevel(image, by, vec2<f32>(at, 0.5), 0.0);
            }
            fn outer(at: f32, by: sampler, image: texture_2d<f32>) -> vec4<f32> { return inner(image, by, at); }
            fn find(n: u32) -> vec4<f32> {
                let at = f32(n) * 0.5 - 1.25;
                if n < 6u { return outer(at, once, row); }
                return outer(at, biased, levels);
            }";
        let expected = [BLUE, BLUE, RED, RED, BLUE, BLUE, BLUE, BLUE];
        if h.device.check_feature_support().features.contains(Features::COMPUTE) {
            let source = format!(
                "{FUNCTIONS}
                @group(3) @binding(0) var<storage, read_write> found: array<u32>;
                @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) n: u32) {{
                    found[n] = pack4x8unorm(find(n));
                }}"
            );
            let shader = d.create_compute_shader(ShaderSource::wgsl(&source, "main")).unwrap();
            let flags = BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE;
            let buffer = d.create_buffer(&BufferDesc::structured(4, 8, flags), None).unwrap();
            let written = d.create_unordered_access_view(&buffer, None).unwrap();
            for how in onze_tests::CommandPath::ALL {
                h.record(how, |cx| {
                    cx.cs_set_shader(&shader);
                    cx.cs_set_shader_resources(3, &view);
                    cx.cs_set_shader_resources(5, &two);
                    cx.cs_set_samplers(1, &once);
                    cx.cs_set_samplers(2, &biased);
                    cx.cs_set_unordered_access_views(0, &written);
                    cx.dispatch(1, 1, 1);
                });
                let found: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
                assert_eq!(found, expected, "{how:?}");
            }
        }
        let source = format!(
            "{FUNCTIONS}
            struct Out {{ @builtin(position) position: vec4<f32>, @location(0) @interpolate(flat) color: vec4<f32> }}
            @vertex fn vs(@builtin(vertex_index) n: u32, @builtin(instance_index) i: u32) -> Out {{
                let x = (f32(i) + f32(n >> 1u) * 2.0) / 4.0 - 1.0;
                return Out(vec4<f32>(x, f32(n & 1u) * 4.0 - 1.0, 0.0, 1.0), find(i));
            }}
            @fragment fn ps(@location(0) @interpolate(flat) color: vec4<f32>) -> @location(0) vec4<f32> {{ return color; }}"
        );
        let vs = d.create_vertex_shader(ShaderSource::wgsl(&source, "vs")).unwrap();
        let ps = d.create_pixel_shader(ShaderSource::wgsl(&source, "ps")).unwrap();
        let target = Target::new(&d, 8, 1);
        let draw = |cx: &mut DeviceContext| {
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.vs_set_shader_resources(3, &view);
            cx.vs_set_shader_resources(5, &two);
            cx.vs_set_samplers(1, &once);
            cx.vs_set_samplers(2, &biased);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            // Each instance covers its own pixel and all pixels after it.
            cx.draw_instanced(3, 8, 0, 0);
        };
        expect(h, &target, "vertices", draw, |x, _| expected[x as usize]);
    });
}

/// wgpu does not filter a depth texture that is read as a colour, so the sampler is emulated.
#[test]
fn a_depth_texture_is_filtered_by_its_sampler() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 16, 1);
        let desc = Texture2dDesc {
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, 2, 1)
        };
        let depth = d.create_texture_2d(&desc, None).unwrap();
        let output = DepthStencilViewDesc::format(Format::D32_FLOAT);
        let output = d.create_depth_stencil_view(&depth, Some(&output)).unwrap();
        let input = ShaderResourceViewDesc::format(Format::R32_FLOAT);
        let input = d.create_shader_resource_view(&depth, Some(&input)).unwrap();
        let read = "return textureSample(t, s, vec2<f32>(position.x / 16.0, 0.5)).rrrr;";
        let cover = Cover::new(&d, PLAIN, read);
        let quad = onze_tests::Quad::new(&d);
        for linear in [false, true] {
            let filter = if linear { Filter::MIN_MAG_MIP_LINEAR } else { Filter::MIN_MAG_MIP_POINT };
            let sampler = d.create_sampler_state(&SamplerDesc::new(filter, Clamp)).unwrap();
            let draw = |cx: &mut DeviceContext| {
                cx.om_set_render_targets(None::<&RenderTargetView>, &output);
                cx.rs_set_viewports(Viewport::sized(2.0, 1.0));
                cx.clear_depth_stencil_view(&output, ClearFlags::DEPTH, 1.0, 0);
                quad.draw_at(cx, [1.0; 4], [-1.0, -1.0, 0.0, 1.0], 0.0);
                target.bind(cx);
                cx.ps_set_shader_resources(0, &input);
                cx.ps_set_samplers(0, &sampler);
                cover.draw(cx);
            };
            expect(h, &target, &format!("{filter:?}"), draw, |x, _| {
                let place = (x as f32 + 0.5) / 8.0 - 0.5;
                let depth = if linear { place.clamp(0.0, 1.0) } else { (place + 0.5).floor() };
                (depth * 255.0).round() as u32 * 0x0101_0101
            });
        }
    });
}

fn cube(h: &Harness) -> ShaderResourceView {
    let texture = levels(&h.device, 6, MiscFlags::TEXTURECUBE);
    h.device.create_shader_resource_view(&texture, None).unwrap()
}

/// Cube maps have no edges, so address modes have no effect.
#[test]
fn a_cube_map_is_biased_and_has_no_address_modes() {
    on_each(&gpu_matrix(), |h| {
        let d = h.device.clone();
        let target = Target::new(&d, 4, 4);
        let view = cube(h);
        let declarations =
            "@group(1) @binding(0) var t: texture_cube<f32>; @group(2) @binding(0) var s: sampler;";
        for read in [
            "textureSampleLevel(t, s, vec3<f32>(position.xy - 2.0, 1.0), 0.0)",
            "textureSample(t, s, vec3<f32>(position.xy / 2.0 - 1.0, 1.0))",
        ] {
            let cover = Cover::new(&d, declarations, &format!("return {read};"));
            for address in [Wrap, Border, MirrorOnce] {
                for (mip_lod_bias, expected) in [(0.0, RED), (4.0, BLUE), (-4.0, RED)] {
                    let desc = SamplerDesc { mip_lod_bias, ..desc(Filter::MIN_MAG_MIP_LINEAR, [address; 3]) };
                    let sampler = d.create_sampler_state(&desc).unwrap();
                    let draw = |cx: &mut DeviceContext| {
                        cx.ps_set_shader_resources(0, &view);
                        cx.ps_set_samplers(0, &sampler);
                        cover.draw(cx);
                    };
                    expect(h, &target, &format!("{read}, {address:?}, {mip_lod_bias}"), draw, |_, _| {
                        expected
                    });
                }
            }
        }
    });
}

#[test]
fn samplers_unsupported_for_cube_maps_are_reported() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::DrawUnsupported]);
        let d = h.device.clone();
        let target = Target::new(&d, 1, 1);
        let view = cube(h);
        let declarations =
            "@group(1) @binding(0) var t: texture_cube<f32>; @group(2) @binding(0) var s: sampler;";
        let cover = Cover::new(&d, declarations, "return textureSample(t, s, position.xyz);");
        let sampler = d.create_sampler_state(&desc(Filter::MINIMUM_MIN_MAG_MIP_LINEAR, [Wrap; 3])).unwrap();
        target.bind(&mut h.immediate);
        h.immediate.ps_set_shader_resources(0, &view);
        h.immediate.ps_set_samplers(0, &sampler);
        cover.draw(&mut h.immediate);
        h.immediate.flush();
        h.wait();
        let words: Vec<_> = h.device.info_queue().messages().into_iter().map(|m| m.description).collect();
        assert!(words.iter().any(|words| words.contains("texture_2d_array")), "{words:?}");
        h.device.info_queue().clear();
    });
}
