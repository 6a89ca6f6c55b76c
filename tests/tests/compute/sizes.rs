//! Reads at the ends of views, and size queries in shaders.

use super::*;

#[test]
fn unbound_views_have_size_zero() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DispatchUnorderedAccessNotSet, MessageId::DrawShaderResourceNotSet]);
        let text = "
            struct Tail { first: vec4u, rest: array<vec2u> }
            @group(1) @binding(0) var image: texture_2d_array<f32>;
            @group(1) @binding(1) var<storage> input: Tail;
            @group(3) @binding(1) var<storage, read_write> written: array<u32>;
            @group(3) @binding(0) var<storage, read_write> output: array<u32>;
            fn size(level: u32) -> vec2u { return textureDimensions(image, level); }
            @compute @workgroup_size(1) fn main() {
                let first = size(0u);
                output[0] = first.x * 100u + first.y;
                output[1] = size(1u).x;
                output[2] = textureNumLevels(image) * 10u + textureNumLayers(image);
                output[3] = arrayLength(&input.rest);
                output[4] = arrayLength(&written);
                output[5] = arrayLength(&output);
            }";
        let shader = h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let desc =
            Texture2dDesc { mip_levels: 3, array_size: 2, ..Texture2dDesc::new(Format::R8_UNORM, 16, 8) };
        let image = h.device.create_texture_2d(&desc, None).unwrap();
        let image = h.device.create_shader_resource_view(&image, None).unwrap();
        let structs = |h: &Harness, elements: u32| {
            let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
            let desc = BufferDesc::structured(8, elements, flags);
            let buffer = h.device.create_buffer(&desc, None).unwrap();
            h.device.create_shader_resource_view(&buffer, None).unwrap()
        };
        // The second buffer is so short that the shader's array has no element.
        let inputs = [structs(h, 7), structs(h, 2)];
        let written = zeros(h);
        let written = uav_of(h, &written, 3, 9);
        for how in CommandPath::ALL {
            let outputs: Vec<_> = (0..5).map(|_| buffer(h, &[77; 6])).collect();
            let views: Vec<_> = outputs.iter().map(|output| uav(h, output)).collect();
            h.record(how, |cx| {
                cx.cs_set_shader(&shader);
                cx.cs_set_unordered_access_views(0, &views[0]);
                cx.dispatch(1, 1, 1);
                cx.cs_set_unordered_access_views(0, &views[1]);
                cx.cs_set_shader_resources(0, &image);
                cx.dispatch(1, 1, 1);
                cx.cs_set_unordered_access_views(0, &views[2]);
                cx.cs_set_shader_resources(1, &inputs[0]);
                cx.cs_set_unordered_access_views(1, &written);
                cx.dispatch(1, 1, 1);
                cx.cs_set_unordered_access_views(0, &views[3]);
                cx.cs_set_shader_resources(1, &inputs[1]);
                cx.dispatch(1, 1, 1);
                cx.cs_set_unordered_access_views(0, &views[4]);
                cx.cs_set_shader_resources(0, None::<&ShaderResourceView>);
                cx.dispatch(1, 1, 1);
            });
            let sizes = [
                [0, 0, 0, 0, 0, 6],
                [1608, 8, 32, 0, 0, 6],
                [1608, 8, 32, 5, 9, 6],
                [1608, 8, 32, 0, 9, 6],
                [0, 0, 0, 0, 9, 6],
            ];
            for (output, expected) in outputs.iter().zip(sizes) {
                assert_eq!(read(h, output), expected, "{how:?}");
            }
        }
    });
}

/// The size of an empty slot is 0 in Direct3D 11, but wgpu would return the size of a placeholder texture.
#[test]
fn draws_can_query_texture_sizes() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawShaderResourceNotSet]);
        let text = "
            @group(1) @binding(0) var image: texture_2d<f32>;
            @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
                // Covers the whole target if nothing is bound.
                let edge = 1.0 - 2.0 * f32(min(textureDimensions(image).x, 1u));
                return vec4f(f32(n & 1u) * 4.0 - 1.0, edge - f32(n >> 1u) * 4.0, 0.0, 1.0);
            }
            @fragment fn ps() -> @location(0) vec4f {
                return vec4f(vec2f(textureDimensions(image)) / 255.0, 0.0, 1.0);
            }";
        let vertex = h.device.create_vertex_shader(ShaderSource::wgsl(text, "vs")).unwrap();
        let pixel = h.device.create_pixel_shader(ShaderSource::wgsl(text, "ps")).unwrap();
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
        let target = h.device.create_texture_2d(&target, None).unwrap();
        let view = h.device.create_render_target_view(&target, None).unwrap();
        let image = h.device.create_texture_2d(&Texture2dDesc::new(Format::R8_UNORM, 40, 20), None).unwrap();
        let image = h.device.create_shader_resource_view(&image, None).unwrap();
        for how in CommandPath::ALL {
            for (vs, ps, expected) in [
                (None, None, [0, 0, 0, 255]),
                (None, Some(&image), [40, 20, 0, 255]),
                // The triangle leaves out the first row, and nothing is written there.
                (Some(&image), None, [9, 9, 9, 9]),
            ] {
                h.record(how, |cx| {
                    cx.clear_render_target_view(&view, [9.0 / 255.0; 4]);
                    cx.om_set_render_targets(&view, None);
                    cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.vs_set_shader(&vertex);
                    cx.ps_set_shader(&pixel);
                    cx.vs_set_shader_resources(0, vs);
                    cx.ps_set_shader_resources(0, ps);
                    cx.draw(3, 0);
                });
                let picture = h.immediate.read_texture_2d(&target, 0).unwrap();
                assert_eq!(picture[..4], expected, "{how:?}");
            }
        }
    });
}

#[test]
fn reads_beyond_a_short_view_are_zero() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DispatchUnorderedAccessNotSet, MessageId::DrawShaderResourceNotSet]);
        let text = "
            @group(1) @binding(0) var<storage> input: array<u32, 64>;
            @group(1) @binding(9) var<storage> unbound: array<u32>;
            @group(3) @binding(0) var<storage, read_write> output: array<u32>;
            @group(3) @binding(7) var<storage, read_write> nowhere: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_id) id: vec3u) {
                nowhere[id.x] = 5u;
                output[id.x] = input[id.x] + unbound[id.x] + 1u;
                output[1000u + id.x] = 77u;
            }";
        let shader = h.device.create_compute_shader(ShaderSource::wgsl(text, "main")).unwrap();
        let (input, output) = (buffer(h, &[6; COUNT as usize]), zeros(h));
        let view = uav(h, &output);
        for (first, length) in [(0, 10), (5, 20), (64 - 3, 3)] {
            let desc = ShaderResourceViewDesc::buffer(first, length);
            let seen = h.device.create_shader_resource_view(&input, Some(&desc)).unwrap();
            for n in 0..2 {
                h.record(CommandPath::Immediate, |cx| {
                    cx.cs_set_shader(&shader);
                    cx.cs_set_shader_resources(0, &seen);
                    cx.cs_set_unordered_access_views(0, &view);
                    cx.dispatch(1, 1, 1);
                });
                let found = read(h, &output);
                assert_eq!(found, expected(h, |n| if n < length { 7 } else { 1 }), "{first} {length}, {n}");
            }
        }
    });
}

/// The bindings of all shaders are the same, but each shader queries other sizes.
#[test]
fn shaders_with_the_same_bindings_query_their_own_sizes() {
    const TEXT: &str = "
        Texture2D<float> image : register(t0);
        Buffer<uint> numbers : register(t1);
        RWStructuredBuffer<uint> output : register(u0);
        uint width() { uint width, height; image.GetDimensions(width, height); return width; }
        uint count() { uint count; numbers.GetDimensions(count); return count; }
        [numthreads(1, 1, 1)] void main() { output[0] = image.Load(0) + numbers[0] + SIZES; }";
    let shaders = [("0", 0), ("width()", 16), ("count()", 12), ("width() + 100 * count()", 1216)];
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let image = device.create_texture_2d(&Texture2dDesc::new(Format::R8_UNORM, 16, 8), None).unwrap();
        let image = device.create_shader_resource_view(&image, None).unwrap();
        let numbers = device.create_buffer(&BufferDesc::new(12, BindFlags::SHADER_RESOURCE), None).unwrap();
        let desc = ShaderResourceViewDesc::typed_buffer(Format::R8_UINT, 0, 12);
        let numbers = device.create_shader_resource_view(&numbers, Some(&desc)).unwrap();
        let output = buffer(h, &[77]);
        let view = uav(h, &output);
        let shaders = shaders.map(|(sizes, expected)| {
            let text = TEXT.replace("SIZES", sizes);
            (device.create_compute_shader(ShaderSource::hlsl(&text, "main")).unwrap(), sizes, expected)
        });
        for (shader, sizes, expected) in &shaders {
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(shader);
                cx.cs_set_shader_resources(0, &[Some(image.clone()), Some(numbers.clone())][..]);
                cx.cs_set_unordered_access_views(0, &view);
                cx.dispatch(1, 1, 1);
            });
            assert_eq!(read(h, &output), [*expected], "{sizes}");
        }
    });
}
