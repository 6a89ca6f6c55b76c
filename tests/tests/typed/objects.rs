//! Objects that are created together with their views: structured buffers, arrays, cubes and multisampled
//! targets.

use onze::prelude::*;
use onze_tests::{Config, Harness, Target, assert_error, on_each};

#[derive(Copy, Clone, Debug, PartialEq, Pod, Zeroable)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Particle {
    place: [f32; 3],
    number: u32,
}

const DOUBLE: &str = "
    struct Particle { place: vec3f, number: u32 }
    @group(1) @binding(0) var<storage> source: array<Particle>;
    @group(3) @binding(0) var<storage, read_write> doubled: array<Particle>;
    @group(3) @binding(1) var<storage, read_write> numbers: array<u32>;
    @group(4) @binding(1) var<storage, read_write> count: atomic<u32>;

    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
        doubled[id.x] = Particle(source[id.x].place * 2.0, source[id.x].number + 1u);
        if id.x % 2u == 0u { numbers[atomicAdd(&count, 1u)] = source[id.x].number; }
    }";

#[test]
fn a_structured_buffer_is_read_written_and_counted() {
    on_each(&[Config::GPU], |h| {
        let particles: Vec<_> =
            (0..4_u8).map(|n| Particle { place: [f32::from(n), 1.0, 2.0], number: n.into() }).collect();
        let from = h.device.create_structured_buffer(&particles).unwrap();
        let to = h.device.create_empty_structured_buffer::<Particle>(4, BufferUavFlags::empty()).unwrap();
        let even = h.device.create_structured_buffer_with(&[9_u32; 4], BufferUavFlags::APPEND).unwrap();
        assert_eq!(
            (from.len(), from.buffer.desc().structure_byte_stride, to.len(), even.len()),
            (4, 16, 4, 4)
        );
        let shader = h.device.create_compute_shader(ShaderSource::wgsl(DOUBLE, "main")).unwrap();
        let cx = &mut h.immediate;
        cx.cs_set_shader(&shader);
        cx.cs_set_shader_resources(0, &from.shader_resource_view);
        let views = [&to.unordered_access_view, &even.unordered_access_view];
        cx.cs_set_unordered_access_views_with_counts(0, views, &[u32::MAX, 1]);
        cx.dispatch(1, 1, 1);
        let doubled: Vec<_> = particles
            .iter()
            .map(|p| Particle { place: p.place.map(|x| x * 2.0), number: p.number + 1 })
            .collect();
        assert_eq!(cx.read_buffer::<Particle>(&to.buffer).unwrap(), doubled);
        // The initial count is 1, so the first element is not overwritten.
        let mut numbers = cx.read_buffer::<u32>(&even.buffer).unwrap();
        numbers[1..3].sort_unstable();
        assert_eq!(numbers, [9, 0, 2, 9]);
        cx.update(&even, &[5, 6]).unwrap();
        assert_eq!(cx.read_buffer::<u32>(&even.buffer).unwrap()[..2], [5, 6]);
        h.assert_silent();
    });
}

#[test]
fn an_invalid_structured_buffer_is_refused() {
    on_each(&[Config::NULL], |h| {
        assert_error!(h.device.create_structured_buffer::<u32>(&[]), InvalidArg, "no elements");
        assert_error!(h.device.create_structured_buffer(&[[0_u8; 3]]), InvalidArg, "3 bytes");
        h.assert_reported(MessageId::CreateBufferInvalid);
        let both = BufferUavFlags::APPEND | BufferUavFlags::COUNTER;
        assert_error!(h.device.create_structured_buffer_with(&[1_u32], both), InvalidArg, "two counters");
        h.assert_reported(MessageId::CreateUnorderedAccessViewInvalid);
    });
}

#[test]
fn an_append_view_equals_a_counted_view_but_for_its_flag() {
    on_each(&[Config::NULL], |h| {
        let desc = BufferDesc::structured(4, 10, BindFlags::UNORDERED_ACCESS);
        let buffer = h.device.create_buffer(&desc, None).unwrap();
        let view = |desc| h.device.create_unordered_access_view(&buffer, &desc).unwrap().to_desc();
        let append = view(UnorderedAccessViewDesc::append_buffer(2, 3));
        let flags = BufferUavFlags::APPEND;
        let expected = UnorderedAccessViewDimension::Buffer { first_element: 2, num_elements: 3, flags };
        assert_eq!(append.dimension, Some(expected));
    });
}

/// Draws with a pixel shader that reads a texture, and returns the texels of a target with one row.
fn sampled(h: &mut Harness, shader: &str, view: &ShaderResourceView, columns: u32) -> Vec<u32> {
    let whole = "
        @vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            return vec4f(f32(i >> 1u) * 4.0 - 1.0, f32(i & 1u) * 4.0 - 1.0, 0.0, 1.0);
        }";
    let target = Target::new(&h.device, columns, 1);
    let vs = h.device.create_vertex_shader(ShaderSource::wgsl(whole, "vs_main")).unwrap();
    let ps = h.device.create_pixel_shader(ShaderSource::wgsl(shader, "ps_main")).unwrap();
    let cx = &mut h.immediate;
    target.bind(cx);
    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
    cx.vs_set_shader(&vs);
    cx.ps_set_shader(&ps);
    cx.ps_set_shader_resources(0, view);
    let sampler = h.device.create_sampler_state(&SamplerDesc::default()).unwrap();
    cx.ps_set_samplers(0, &sampler);
    cx.draw(3, 0);
    let texels = target.read(h);
    h.immediate.clear_state();
    texels
}

#[test]
fn an_array_has_the_texels_of_each_slice() {
    on_each(&[Config::GPU], |h| {
        let (format, slices) = (Format::R8G8B8A8_UNORM, [vec![0xff00_0001_u32; 4], vec![0xff00_0002; 4]]);
        let array = h.device.create_texture_2d_array_with(format, 2, 2, &slices).unwrap();
        let shader = "@group(1) @binding(0) var image: texture_2d_array<f32>;
            @fragment fn ps_main(@builtin(position) at: vec4f) -> @location(0) vec4f {
                return textureLoad(image, vec2i(1, 1), i32(at.x), 0);
            }";
        let view = array.create_shader_resource_view().unwrap();
        assert_eq!(sampled(h, shader, &view, 2), [0xff00_0001, 0xff00_0002]);
        if h.has_feature(Features::TEXTURE_1D_3D) {
            let rows = h.device.create_texture_1d_array_with(format, 2, &[[1_u32, 2], [3, 4]]).unwrap();
            let read = |h: &mut Harness, slice| h.immediate.read_texture_1d(&rows, slice).unwrap();
            assert_eq!(
                (read(h, 0), read(h, 1)),
                (vec![1, 0, 0, 0, 2, 0, 0, 0], vec![3, 0, 0, 0, 4, 0, 0, 0])
            );
        }
    });
}

#[test]
fn a_cube_has_its_faces_in_the_order_of_direct3d() {
    on_each(&[Config::GPU], |h| {
        let faces: [[u32; 1]; 6] =
            [[0xff00_0001], [0xff00_0002], [0xff00_0003], [0xff00_0004], [0xff00_0005], [0xff00_0006]];
        let cube = h.device.create_texture_cube_with(Format::R8G8B8A8_UNORM, 1, &faces).unwrap();
        let shader = "@group(1) @binding(0) var image: texture_cube<f32>;
            @group(2) @binding(0) var point: sampler;
            @fragment fn ps_main(@builtin(position) at: vec4f) -> @location(0) vec4f {
                var axis = vec3f();
                axis[u32(at.x) / 2u] = select(1.0, -1.0, u32(at.x) % 2u == 1u);
                return textureSampleLevel(image, point, axis, 0.0);
            }";
        let view = cube.create_shader_resource_view().unwrap();
        assert_eq!(sampled(h, shader, &view, 6), faces.as_flattened());
    });
}

#[test]
fn invalid_slice_contents_are_refused_by_name() {
    on_each(&[Config::NULL], |h| {
        let device = h.device.labelled("sky");
        let format = Format::R8G8B8A8_UNORM;
        let error = device.create_texture_cube_with(format, 1, &[[0_u32]; 5]).unwrap_err().to_string();
        assert!(error.contains("\"sky\"") && error.contains("a cube has 6 faces, found 5"), "{error}");
        let slices = [vec![0_u32; 4], vec![0; 3]];
        let error = device.create_texture_2d_array_with(format, 2, 2, &slices).unwrap_err().to_string();
        assert!(error.contains("slice 1: 2 x 2 texels of R8G8B8A8_UNORM have 16 bytes, found 12"), "{error}");
        assert_error!(device.create_texture_2d_array_with(format, 2, 2, &[[0_u32; 4]; 0]), InvalidArg);
        h.assert_reported(MessageId::CreateTexture2dInvalid);
        assert_error!(device.create_texture_1d_array_with(format, 2, &[[0_u32; 3]]), InvalidArg);
        h.assert_reported(MessageId::CreateTexture1dInvalid);
    });
}

#[test]
fn targets_with_samples_resolve_to_their_average() {
    on_each(&[Config::GPU], |h| {
        let format = Format::R8G8B8A8_UNORM;
        let scene = h.device.create_render_target_with_samples(format, 8, 8, 4).unwrap();
        let depth = h.device.create_depth_target_with_samples(Format::D32_FLOAT, 8, 8, 4).unwrap();
        assert_eq!((scene.texture.desc().sample_count, depth.texture.desc().sample_count), (4, 4));
        let slope = "@vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
                return vec4f(f32(i >> 1u) * 2.0 - 1.0, f32(i & 1u) * 2.0 - 1.0, 0.5, 1.0);
            }
            @fragment fn ps_main() -> @location(0) vec4f { return vec4f(1.0); }";
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(slope, "vs_main")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(slope, "ps_main")).unwrap();
        let picture = h.device.create_render_target(format, 8, 8).unwrap();
        let cx = &mut h.immediate;
        cx.clear_render_target_view(&scene.render_target_view, [0.0; 4]);
        cx.clear_depth_stencil(&depth.depth_stencil_view);
        cx.om_set_render_targets(&scene.render_target_view, &depth.depth_stencil_view);
        cx.rs_set_viewports(Viewport::sized(8.0, 7.0));
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        cx.draw(3, 0);
        cx.resolve_subresource(&picture.texture, 0, &scene.texture, 0, format);
        let mut texels = h.read_u32(&picture.texture, 0);
        h.immediate.clear_state();
        texels.sort_unstable();
        texels.dedup();
        assert!(
            texels.len() > 2 && texels.first() == Some(&0) && texels.last() == Some(&u32::MAX),
            "{texels:x?}"
        );
        assert_error!(h.device.create_render_target_with_samples(format, 8, 8, 3), InvalidArg);
        h.assert_reported(MessageId::CreateTexture2dInvalid);
    });
}

#[test]
fn a_cube_array_has_six_faces_for_each_cube() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        if !h.has_feature(Features::CUBE_ARRAYS) {
            return;
        }
        let faces: Vec<[u32; 1]> = (1..=12).map(|face| [face]).collect();
        let cubes = h.device.create_texture_cube_with(Format::R8G8B8A8_UNORM, 1, &faces).unwrap();
        assert_eq!(cubes.desc().array_size, 12);
        if h.draws() {
            for (slice, face) in (0..).zip(&faces) {
                assert_eq!(h.read_u32(&cubes, slice), face);
            }
        }
    });
    on_each(&[Config::NULL], |h| {
        let none: [[u32; 1]; 0] = [];
        let error = h.device.create_texture_cube_with(Format::R8G8B8A8_UNORM, 1, &none).unwrap_err();
        assert!(error.to_string().contains("a cube has 6 faces, found 0"), "{error}");
        h.assert_reported(MessageId::CreateTexture2dInvalid);
    });
}
