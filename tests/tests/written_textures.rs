//! Textures that shaders write through unordered-access views: HLSL's `RWTexture2D` and `RWTexture2DArray`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze::{Error, FormatSupport, ddi::ComponentKind};
use onze_tests::{CommandPath, Config, Harness, gpu_matrix, matrix, on_each, texels};

const VIEWED: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS);

fn texture(h: &Harness, format: Format, size: (u32, u32), slices: u32, mips: u32) -> Texture2d {
    let desc = Texture2dDesc {
        width: size.0,
        height: size.1,
        array_size: slices,
        mip_levels: mips,
        format,
        bind_flags: VIEWED,
        ..Texture2dDesc::default()
    };
    h.device.create_texture_2d(&desc, None).unwrap()
}

fn uav(h: &Harness, texture: &Texture2d) -> UnorderedAccessView {
    h.device.create_unordered_access_view(texture, None).unwrap()
}

fn shader(h: &Harness, text: &str) -> ComputeShader {
    h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap()
}

/// Returns `value` on devices that run shaders, and 0 otherwise.
fn written(h: &Harness, value: u32) -> u32 {
    if h.draws() { value } else { 0 }
}

/// Returns a shader with groups of 4 by 4 threads, in which each thread writes `value` at its own position.
fn numbering(value: &str) -> String {
    format!(
        "@group(3) @binding(2) var image: texture_storage_2d<r32uint, write>;
        @compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3u) {{
            textureStore(image, id.xy, vec4u({value}));
        }}"
    )
}

/// Tries groups of one thread and groups of 4 by 4 threads, in dispatches that cover a part of the texture or
/// extend past its edge.
#[test]
fn exactly_the_texels_of_the_threads_are_written() {
    on_each(&gpu_matrix(), |h| {
        for (threads, groups, size) in
            [(1, (16, 32), (16, 32)), (4, (15, 15), (60, 60)), (4, (20, 17), (64, 64))]
        {
            let text = numbering("7u").replace("4, 4", &format!("{threads}, {threads}"));
            let cs = shader(h, &text);
            for how in CommandPath::ALL {
                let image = texture(h, Format::R32_UINT, (64, 64), 1, 1);
                let view = uav(h, &image);
                h.record(how, |cx| {
                    cx.cs_set_shader(&cs);
                    cx.cs_set_unordered_access_views(2, &view);
                    cx.dispatch(groups.0, groups.1, 1);
                });
                let inside = |n: u32| n % 64 < size.0 && n / 64 < size.1;
                let expected: Vec<u32> = (0..64 * 64).map(|n| if inside(n) { 7 } else { 0 }).collect();
                assert_eq!(h.read_u32(&image, 0), expected, "{threads} threads, {groups:?} groups, {how:?}");
            }
        }
    });
}

/// Checks the bytes that a store writes in each format that shaders can write on this adapter.
#[test]
fn every_format_stores_the_specified_texels() {
    on_each(&[Config::GPU], |h| {
        let mut found_formats = 0;
        for format in Format::ALL.iter().copied() {
            if !h.has_format(format, FormatSupport::TYPED_UNORDERED_ACCESS_VIEW) {
                continue;
            }
            let (kind, declared, values): (_, _, [[u32; 4]; 4]) = match format.component_kind() {
                ComponentKind::Uint => {
                    ("u", "rgba32uint", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 1, 1, 1], [2, 3, 0, 1]])
                }
                ComponentKind::Sint => (
                    "i",
                    "rgba32sint",
                    [[0, 1, 2, 3], [3, 2, 1, 0], [u32::MAX; 4], [127, 5, 9, u32::MAX - 3]],
                ),
                _ => (
                    "f",
                    "rgba32float",
                    [
                        [0.0_f32, 1.0, 0.5, 0.25].map(f32::to_bits),
                        [1.0_f32, 0.75, 0.0, 1.0].map(f32::to_bits),
                        [-1.0_f32, 2.0, -0.5, 0.125].map(f32::to_bits),
                        [0.0_f32, 0.0, 0.0, 0.0].map(f32::to_bits),
                    ],
                ),
            };
            let text = format!(
                "@group(0) @binding(0) var<uniform> values: array<vec4<{kind}32>, 4>;
                @group(3) @binding(0) var image: texture_storage_2d<{declared}, write>;
                @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) n: u32) {{
                    textureStore(image, vec2u(n, 1u), values[n]);
                    textureStore(image, vec2u(n, 2u), values[n]);
                    textureStore(image, vec2i(-1, 0), values[n]);
                }}"
            );
            let cs = shader(h, &text);
            let constants = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &values).unwrap();
            let desc = Texture2dDesc {
                width: 4,
                height: 2,
                format,
                mip_levels: 1,
                bind_flags: BindFlags::UNORDERED_ACCESS,
                ..Texture2dDesc::default()
            };
            // If the adapter does not support a format, the error names the format.
            let image = match h.device.create_texture_2d(&desc, None) {
                Ok(image) => image,
                Err(Error::Unsupported(_) | Error::InvalidArg(_)) => {
                    h.take_errors();
                    continue;
                }
                Err(error) => panic!("{format:?}: {error}"),
            };
            found_formats += 1;
            let view = uav(h, &image);
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_constant_buffers(0, &constants);
                cx.cs_set_unordered_access_views(0, &view);
                cx.dispatch(1, 1, 1);
            });
            let found = h.read(&image, 0);
            let size = format.bytes_per_block() as usize;
            assert!(found[..4 * size].iter().all(|byte| *byte == 0), "{format:?}: the first row");
            for (value, found) in values.iter().zip(found[4 * size..].chunks(size)) {
                let (expected, found) =
                    (texels::load(format, &texels::store(format, *value)), texels::load(format, found));
                let near = |a: u32, b: u32| match format.component_kind() {
                    ComponentKind::Uint | ComponentKind::Sint => false,
                    // 16-bit floats may be rounded up or down.
                    _ => (f32::from_bits(a) - f32::from_bits(b)).abs() < 0.006,
                };
                let is_near =
                    expected.iter().zip(&found).all(|(a, b)| texels::is_same(format, *a, *b) || near(*a, *b));
                assert!(is_near, "{format:?}: {found:x?} of {value:x?}, not {expected:x?}");
            }
        }
        assert!(found_formats >= 12, "{found_formats} formats");
    });
}

/// Loads, stores and size queries see one mip level and some slices, so all other subresources keep their
/// contents.
#[test]
fn a_view_covers_one_mip_level_and_its_slices() {
    on_each(&gpu_matrix(), |h| {
        let cs = shader(
            h,
            "@group(3) @binding(1) var image: texture_storage_2d_array<r32sint, read_write>;
            @compute @workgroup_size(4, 4, 4) fn main(@builtin(global_invocation_id) id: vec3u) {
                let size = textureDimensions(image);
                let old = textureLoad(image, id.xy, id.z).x;
                let slices = i32(textureNumLayers(image));
                textureStore(image, id.xy, id.z, vec4i(10 * old - i32(size.x + 100u * size.y) - 1000 * slices));
            }",
        );
        for how in CommandPath::ALL {
            let image = texture(h, Format::R32_SINT, (8, 16), 4, 3);
            let desc = UnorderedAccessViewDesc::texture_2d_array(Format::R32_SINT, 1, 1, 2);
            let view = h.device.create_unordered_access_view(&image, Some(&desc)).unwrap();
            h.record(how, |cx| {
                cx.clear_unordered_access_view_uint(&view, [3, 9, 9, 9]);
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(1, &view);
                cx.dispatch(2, 3, 1);
            });
            for subresource in 0..12 {
                let is_seen = subresource % 3 == 1 && (1..3).contains(&(subresource / 3));
                let expected = if is_seen { 30 - 804 - 2000 } else { 0_i32 };
                let found = h.read_u32(&image, subresource);
                assert!(found.iter().all(|n| *n as i32 == expected), "{subresource}, {how:?}: {found:?}");
            }
        }
    });
}

/// Only the view changes between dispatches, in most cases including its format.
#[test]
fn each_binding_can_change_alone() {
    on_each(&gpu_matrix(), |h| {
        let cs = shader(
            h,
            "@group(3) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
            @compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3u) {
                textureStore(image, id.xy, vec4f(1.0, 0.0, 0.5, 1.0));
            }",
        );
        for how in CommandPath::ALL {
            let images = [
                Format::R8G8B8A8_UNORM,
                Format::R32_FLOAT,
                Format::R16G16B16A16_FLOAT,
                Format::R8G8B8A8_UNORM,
            ]
            .map(|format| texture(h, format, (2, 2), 1, 1));
            let views = images.each_ref().map(|image| uav(h, image));
            h.record(how, |cx| {
                cx.cs_set_shader(&cs);
                for view in &views {
                    cx.cs_set_unordered_access_views(0, view);
                    cx.dispatch(1, 1, 1);
                }
            });
            let [a, b, c, d] = images;
            assert_eq!(h.read_u32(&a, 0), [0xff80_00ff; 4], "{how:?}");
            assert_eq!(h.read_u32(&b, 0), [0x3f80_0000; 4], "{how:?}");
            assert_eq!(h.read_u32(&c, 0), [0x3c00, 0x3c00_3800].repeat(4), "{how:?}");
            assert_eq!(h.read_u32(&d, 0), [0xff80_00ff; 4], "{how:?}");
        }
    });
}

/// The shader declares a texture, so its stores have no effect once the slot contains a buffer.
#[test]
fn a_buffer_replaces_the_texture_in_its_slot() {
    on_each(&gpu_matrix(), |h| {
        let [before, after] = ["7u", "9u"].map(|value| shader(h, &numbering(value)));
        for how in CommandPath::ALL {
            let image = texture(h, Format::R32_UINT, (4, 4), 1, 1);
            let buffer = h.device.create_buffer(&BufferDesc::structured(4, 16, VIEWED), None).unwrap();
            let (of_image, of_buffer) =
                (uav(h, &image), h.device.create_unordered_access_view(&buffer, None).unwrap());
            h.record(how, |cx| {
                cx.cs_set_shader(&before);
                cx.cs_set_unordered_access_views(2, &of_image);
                cx.dispatch(1, 1, 1);
                cx.cs_set_shader(&after);
                cx.cs_set_unordered_access_views(2, &of_buffer);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(h.read_u32(&image, 0), [7; 16], "{how:?}");
            assert_eq!(h.immediate.read_buffer::<u32>(&buffer).unwrap(), [0; 16], "{how:?}");
        }
        h.assert_reported(MessageId::DispatchUnorderedAccessMismatch);
    });
}

#[test]
fn a_clear_writes_the_bits_or_the_converted_floats() {
    on_each(&matrix(), |h| {
        for how in CommandPath::ALL {
            let bits = texture(h, Format::R8G8B8A8_UNORM, (300, 5), 2, 2);
            let floats = texture(h, Format::R8G8B8A8_UNORM, (300, 5), 1, 1);
            let wide = texture(h, Format::R32G32B32A32_SINT, (3, 3), 1, 1);
            let small = texture(h, Format::R8_UINT, (5, 7), 1, 1);
            let desc = UnorderedAccessViewDesc::texture_2d_array(Format::UNKNOWN, 1, 1, 1);
            let part = h.device.create_unordered_access_view(&bits, Some(&desc)).unwrap();
            let [all, wide_view, small_view] = [&floats, &wide, &small].map(|image| uav(h, image));
            h.record(how, |cx| {
                cx.clear_unordered_access_view_uint(&part, [0x101, 2, 3, 0xffff_ff04]);
                cx.clear_unordered_access_view_float(&all, [1.0, -3.0, 0.5, 0.25]);
                cx.clear_unordered_access_view_uint(&wide_view, [1, 2, u32::MAX, 4]);
                cx.clear_unordered_access_view_uint(&small_view, [9; 4]);
                cx.clear_unordered_access_view_float(&wide_view, [1.0; 4]);
            });
            h.assert_reported(MessageId::ClearUnorderedAccessViewInvalid);
            for subresource in 0..4 {
                let expected = if subresource == 3 { written(h, 0x0403_0201) } else { 0 };
                assert!(
                    h.read_u32(&bits, subresource).iter().all(|n| *n == expected),
                    "{subresource}, {how:?}"
                );
            }
            let expected = written(h, 0x4080_00ff);
            assert!(h.read_u32(&floats, 0).iter().all(|n| *n == expected), "{how:?}");
            let expected = [1, 2, u32::MAX, 4].map(|n| written(h, n));
            assert_eq!(h.read_u32(&wide, 0), expected.repeat(9), "{how:?}");
            assert_eq!(h.read(&small, 0), [written(h, 9) as u8; 35], "{how:?}");
        }
    });
}

/// Mismatched views read as zero and ignore stores, and their size is 0, except for a view of another
/// component type.
#[test]
fn mismatched_views_read_zero_and_ignore_stores() {
    on_each(&gpu_matrix(), |h| {
        h.watch
            .expect(&[MessageId::DispatchUnorderedAccessMismatch, MessageId::DispatchUnorderedAccessNotSet]);
        let cs = shader(
            h,
            "@group(3) @binding(0) var image: texture_storage_2d<r32uint, read_write>;
            @group(3) @binding(1) var<storage, read_write> found: array<u32, 3>;
            fn read(given: texture_storage_2d<r32uint, read_write>) -> u32 { return textureLoad(given, vec2u(0u)).x; }
            @compute @workgroup_size(1) fn main() {
                textureStore(image, vec2u(0u), vec4u(5u));
                found[0] = read(image) + 1u;
                found[1] = textureDimensions(image).x + 1u;
                found[2] = textureDimensions(image).y + 1u;
            }",
        );
        let desc = BufferDesc::structured(4, 3, VIEWED);
        let right = texture(h, Format::R32_UINT, (6, 4), 1, 1);
        let array = texture(h, Format::R32_UINT, (6, 4), 2, 1);
        let float = texture(h, Format::R32_FLOAT, (6, 4), 1, 1);
        let views = [&right, &array, &float].map(|image| uav(h, image));
        let [right_view, array_view, float_view] = &views;
        let cases = [
            (Some(right_view), [6, 7, 5]),
            (None, [1; 3]),
            (Some(array_view), [1; 3]),
            // This view has another component type, so its bits are read and written.
            (Some(float_view), [6, 7, 5]),
        ];
        for (view, expected) in cases {
            let results = h.device.create_buffer(&desc, None).unwrap();
            let found = h.device.create_unordered_access_view(&results, None).unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, [view, Some(&found)]);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(h.immediate.read_buffer::<u32>(&results).unwrap(), expected);
        }
        assert!(h.read_u32(&array, 0).iter().all(|n| *n == 0));
        assert_eq!(h.read_u32(&float, 0)[..2], [5, 0]);
        let ids: Vec<_> = h.device.info_queue().take().iter().map(|message| message.id).collect();
        assert!(ids.contains(&MessageId::DispatchUnorderedAccessNotSet));
        assert!(ids.contains(&MessageId::DispatchUnorderedAccessMismatch));
    });
}

#[test]
fn threads_count_in_texels() {
    on_each(&gpu_matrix(), |h| {
        let text = "@group(3) @binding(0) var image: texture_storage_2d<r32uint, atomic>;
            @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
                textureAtomicAdd(image, vec2u(id.x % 2u, 0u), id.y);
                textureAtomicMax(image, vec2u(0u, 1u), id.x);
            }";
        let Ok(cs) = h.device.create_compute_shader(ShaderSource::wgsl(text, "main")) else {
            println!("skipped: the adapter has no atomics in textures");
            h.take_errors();
            return;
        };
        let image = texture(h, Format::R32_UINT, (2, 2), 1, 1);
        let view = uav(h, &image);
        h.record(CommandPath::Immediate, |cx| {
            cx.cs_set_shader(&cs);
            cx.cs_set_unordered_access_views(0, &view);
            cx.dispatch(2, 2, 1);
        });
        assert_eq!(h.read_u32(&image, 0), [8 * 120, 8 * 120, 15, 0]);
    });
}

const DRAWING: &str = "
    @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
        return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.5, 1.0);
    }
    @group(1) @binding(0) var input: texture_2d<f32>;
    @group(3) @binding(1) var image: texture_storage_2d<r32float, read_write>;
    @fragment fn grow(@builtin(position) at: vec4f) -> @location(0) vec4f {
        let old = textureLoad(image, vec2u(at.xy)).x;
        textureStore(image, vec2u(at.xy), vec4f(2.0 * old + 1.0));
        return vec4f(old / 255.0, 0.0, 0.0, 1.0);
    }
    @fragment fn show(@builtin(position) at: vec4f) -> @location(0) vec4f {
        return vec4f(textureLoad(input, vec2u(at.xy), 0).x / 255.0, 0.0, 0.0, 1.0);
    }
    @group(3) @binding(1) var image_of_compute: texture_storage_2d<r32float, read_write>;
    @compute @workgroup_size(8, 8) fn twice(@builtin(global_invocation_id) id: vec3u) {
        textureStore(image_of_compute, id.xy, 2.0 * textureLoad(image_of_compute, id.xy));
    }";

/// Takes turns between draws and dispatches that write a texture, a draw that samples it, and clears of it as
/// a target, which must all take effect in order.
#[test]
fn draws_and_dispatches_see_earlier_texel_writes() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::SetRenderTargetsHazard, MessageId::SetUnorderedAccessViewsHazard]);
        let [vs] =
            ["vs"].map(|name| h.device.create_vertex_shader(ShaderSource::wgsl(DRAWING, name)).unwrap());
        let [grow, show] = ["grow", "show"]
            .map(|name| h.device.create_pixel_shader(ShaderSource::wgsl(DRAWING, name)).unwrap());
        let twice = h.device.create_compute_shader(ShaderSource::wgsl(DRAWING, "twice")).unwrap();
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8);
        for how in CommandPath::ALL {
            let desc = Texture2dDesc {
                bind_flags: VIEWED | BindFlags::RENDER_TARGET,
                mip_levels: 1,
                ..Texture2dDesc::render_target(Format::R32_FLOAT, 8, 8)
            };
            let image = h.device.create_texture_2d(&desc, None).unwrap();
            let (view, seen) = (uav(h, &image), h.device.create_shader_resource_view(&image, None).unwrap());
            let as_target = h.device.create_render_target_view(&image, None).unwrap();
            let shown = [(); 2].map(|()| h.device.create_texture_2d(&target, None).unwrap());
            let rtvs = shown.each_ref().map(|shown| h.device.create_render_target_view(shown, None).unwrap());
            h.record(how, |cx| {
                cx.vs_set_shader(&vs);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
                cx.cs_set_shader(&twice);
                cx.clear_render_target_view(&as_target, [1.0; 4]);
                // The clear writes 1, and the two draws change it to 3 and then to 7.
                cx.ps_set_shader(&grow);
                cx.om_set_render_targets_and_unordered_access_views(&rtvs[0], None, 1, &view, &[]);
                cx.draw(3, 0);
                cx.draw(3, 0);
                // Each dispatch doubles the values, first to 14 and then to 28.
                cx.cs_set_unordered_access_views(1, &view);
                cx.dispatch(1, 1, 1);
                cx.dispatch(1, 1, 1);
                cx.cs_set_unordered_access_views(1, None);
                cx.om_set_render_targets(&rtvs[1], None);
                cx.ps_set_shader(&show);
                cx.ps_set_shader_resources(0, &seen);
                cx.draw(3, 0);
                // The first draw changes the value to 57, the clear to 9, and the last draw to 19.
                cx.ps_set_shader(&grow);
                cx.om_set_render_targets_and_unordered_access_views(&rtvs[0], None, 1, &view, &[]);
                cx.draw(3, 0);
                cx.clear_render_target_view(&as_target, [9.0; 4]);
                cx.draw(3, 0);
            });
            let red = |texels: Vec<u32>| texels.iter().map(|texel| texel & 0xff).collect::<Vec<_>>();
            let [last, before] = &shown;
            assert_eq!(red(h.read_u32(before, 0)), [28; 64], "{how:?}");
            assert_eq!(red(h.read_u32(last, 0)), [9; 64], "{how:?}");
            assert_eq!(h.read_u32(&image, 0), [19.0_f32.to_bits(); 64], "{how:?}");
        }
    });
}

/// wgpu does not order accesses within a pass, although some adapters happen to keep the order.
#[test]
fn draws_that_store_texels_share_no_pass() {
    const SHADERS: &str = "
        @group(3) @binding(1) var image: texture_storage_2d<r32uint, read_write>;
        @fragment fn store(@builtin(position) at: vec4f) { textureStore(image, vec2u(at.xy), vec4u(1u)); }
        @fragment fn load(@builtin(position) at: vec4f) {
            if textureLoad(image, vec2u(at.xy)).x == 9u { discard; }
        }
        @fragment fn nothing() {}";
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::DrawNothingWritten]);
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(DRAWING, "vs")).unwrap();
        let image = texture(h, Format::R32_UINT, (8, 8), 1, 1);
        let view = uav(h, &image);
        for (entry_points, passes) in [
            (["load", "load", "load"], 1),
            (["store", "store", "store"], 3),
            (["load", "store", "load"], 3),
            (["store", "nothing", "nothing"], 1),
        ] {
            let shaders = entry_points
                .map(|name| h.device.create_pixel_shader(ShaderSource::wgsl(SHADERS, name)).unwrap());
            let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8);
            let target = h.device.create_texture_2d(&target, None).unwrap();
            let rtv = h.device.create_render_target_view(&target, None).unwrap();
            let before = h.device.statistics().passes;
            h.record(CommandPath::Immediate, |cx| {
                cx.vs_set_shader(&vs);
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
                cx.om_set_render_targets_and_unordered_access_views(&rtv, None, 1, &view, &[]);
                for shader in &shaders {
                    cx.ps_set_shader(shader);
                    cx.draw(3, 0);
                }
            });
            h.immediate.flush();
            assert_eq!(h.device.statistics().passes - before, passes, "{entry_points:?}");
        }
    });
}

/// The texture is written as UNORM and read as sRGB.
#[test]
fn a_typeless_texture_is_written_and_read_in_other_formats() {
    on_each(&gpu_matrix(), |h| {
        let cs =
            shader(h, &numbering("0").replace("r32uint", "rgba8unorm").replace("vec4u(0)", "vec4f(0.5)"));
        let desc = Texture2dDesc {
            format: Format::R8G8B8A8_TYPELESS,
            width: 4,
            height: 4,
            mip_levels: 1,
            bind_flags: VIEWED,
            ..Texture2dDesc::default()
        };
        let image = h.device.create_texture_2d(&desc, None).unwrap();
        let desc = UnorderedAccessViewDesc::texture_2d(Format::R8G8B8A8_UNORM, 0);
        let view = h.device.create_unordered_access_view(&image, Some(&desc)).unwrap();
        let desc = ShaderResourceViewDesc::format(Format::R8G8B8A8_UNORM_SRGB);
        let seen = h.device.create_shader_resource_view(&image, Some(&desc)).unwrap();
        let copy = shader(
            h,
            "@group(1) @binding(0) var input: texture_2d<f32>;
            @group(3) @binding(0) var<storage, read_write> output: array<f32>;
            @compute @workgroup_size(1) fn main() { output[0] = textureLoad(input, vec2u(3u), 0).x; }",
        );
        let result = h.device.create_buffer(&BufferDesc::structured(4, 1, VIEWED), None).unwrap();
        let output = h.device.create_unordered_access_view(&result, None).unwrap();
        h.record(CommandPath::Deferred, |cx| {
            cx.cs_set_shader(&cs);
            cx.cs_set_unordered_access_views(2, &view);
            cx.dispatch(1, 1, 1);
            cx.cs_set_unordered_access_views(2, None);
            cx.cs_set_shader(&copy);
            cx.cs_set_shader_resources(0, &seen);
            cx.cs_set_unordered_access_views(0, &output);
            cx.dispatch(1, 1, 1);
        });
        assert_eq!(h.read_u32(&image, 0), [0x8080_8080; 16]);
        let found = h.immediate.read_buffer::<f32>(&result).unwrap()[0];
        assert!((found - 0.2158).abs() < 0.002, "{found}");
    });
}

#[test]
fn invalid_views_and_formats_are_refused() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let image = texture(h, Format::R8G8B8A8_UNORM, (8, 8), 2, 2);
        let plain = Texture2dDesc { bind_flags: BindFlags::SHADER_RESOURCE, ..image.desc().clone() };
        let plain = h.device.create_texture_2d(&plain, None).unwrap();
        for (texture, desc) in [
            (&image, UnorderedAccessViewDesc::texture_2d(Format::UNKNOWN, 2)),
            (&image, UnorderedAccessViewDesc::texture_2d_array(Format::UNKNOWN, 0, 1, 2)),
            (&image, UnorderedAccessViewDesc::texture_2d_array(Format::UNKNOWN, 0, 0, 0)),
            (&image, UnorderedAccessViewDesc::texture_2d(Format::R8G8B8A8_UINT, 0)),
            (&image, UnorderedAccessViewDesc::texture_2d(Format::R8G8B8A8_UNORM_SRGB, 0)),
            (&image, UnorderedAccessViewDesc::buffer(0, 1)),
            (&plain, UnorderedAccessViewDesc::texture_2d(Format::UNKNOWN, 0)),
        ] {
            let refused = h.device.create_unordered_access_view(texture, Some(&desc));
            assert!(matches!(refused, Err(Error::InvalidArg(_))), "{desc:?}: {refused:?}");
        }
        h.take_errors();
        for (format, samples) in [
            (Format::R8G8B8A8_UNORM_SRGB, 1),
            (Format::D32_FLOAT, 1),
            (Format::BC1_UNORM, 1),
            (Format::R8G8B8A8_UNORM, 4),
        ] {
            let desc = Texture2dDesc {
                format,
                sample_count: samples,
                width: 8,
                height: 8,
                mip_levels: 1,
                bind_flags: BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE,
                ..Texture2dDesc::default()
            };
            let refused = h.device.create_texture_2d(&desc, None);
            assert!(matches!(refused, Err(Error::InvalidArg(_))), "{format:?}: {refused:?}");
        }
        h.take_errors();
    });
}
