//! The pictures of `docs/conventions.md`, drawn again by every configuration and compared with the stored
//! pictures.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{Harness, Target, gpu_matrix, image::assert_image_in, on_each};

const FOLDER: &str = "docs/conventions";
const SIZE: u32 = 160;
const BACKGROUND: [f32; 4] = [0.1, 0.11, 0.13, 1.0];

const PAINT: &str = "
    struct Varying { @builtin(position) position: vec4f, @location(0) color: vec4f }
    @vertex fn vs_main(@location(0) position: vec3f, @location(1) color: vec4f) -> Varying {
        return Varying(vec4f(position, 1.0), color);
    }
    @fragment fn ps_main(in: Varying) -> @location(0) vec4f { return in.color; }";

/// Covers the target with a pixel shader that receives its position in clip space and its texture
/// coordinates.
const COVER: &str = "
    struct Varying { @builtin(position) position: vec4f, @location(0) clip: vec2f, @location(1) uv: vec2f }
    @group(1) @binding(0) var texels: texture_2d<f32>;
    @group(2) @binding(0) var nearest: sampler;
    @vertex fn vs_main(@builtin(vertex_index) i: u32) -> Varying {
        let uv = vec2f(f32(i & 2u), f32(i & 1u) * 2.0);
        let clip = vec2f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0);
        return Varying(vec4f(clip, 0.0, 1.0), clip, uv);
    }
    @fragment fn ps_clip(in: Varying) -> @location(0) vec4f { return vec4f(in.clip * 0.5 + 0.5, 0.0, 1.0); }
    @fragment fn ps_texture(in: Varying) -> @location(0) vec4f { return textureSample(texels, nearest, in.uv); }
    @fragment fn ps_ramp(in: Varying) -> @location(0) vec4f {
        return vec4f(vec3f(floor(in.uv.x * 8.0) / 7.0), 1.0);
    }";

#[derive(Copy, Clone, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    color: [u8; 4],
}

fn corners<const N: usize>(corners: [([f32; 3], [u8; 4]); N]) -> [Corner; N] {
    corners.map(|(position, color)| Corner { position, color })
}

fn paint(cx: &mut DeviceContext, corners: &[Corner], rasterizer: &RasterizerDesc) {
    let device = cx.device();
    let vs = device.create_vertex_shader(ShaderSource::wgsl(PAINT, "vs_main")).unwrap();
    cx.ia_set_input_layout(&device.create_input_layout_of::<Corner>(&vs).unwrap());
    cx.ia_set_vertex_buffers(0, &device.create_vertex_buffer(corners).unwrap());
    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    cx.vs_set_shader(&vs);
    cx.ps_set_shader(&device.create_pixel_shader(ShaderSource::wgsl(PAINT, "ps_main")).unwrap());
    cx.rs_set_state(&device.create_rasterizer_state(rasterizer).unwrap());
    cx.draw(corners.len() as u32, 0);
}

fn cover(cx: &mut DeviceContext, pixel: &str) {
    let device = cx.device();
    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    cx.vs_set_shader(&device.create_vertex_shader(ShaderSource::wgsl(COVER, "vs_main")).unwrap());
    cx.ps_set_shader(&device.create_pixel_shader(ShaderSource::wgsl(COVER, pixel)).unwrap());
    cx.rs_set_state(&device.create_rasterizer_state(&two_sided()).unwrap());
    cx.draw(3, 0);
}

fn two_sided() -> RasterizerDesc {
    RasterizerDesc { cull_mode: CullMode::None, ..Default::default() }
}

fn picture(name: &str, format: Format, draw: impl Fn(&mut DeviceContext)) {
    on_each(&gpu_matrix(), |h| {
        let texels = drawn(h, format, SIZE, &draw);
        assert_image_in(FOLDER, name, SIZE, SIZE, &texels, 1);
        h.assert_silent();
    });
}

fn drawn(h: &mut Harness, format: Format, height: u32, draw: impl Fn(&mut DeviceContext)) -> Vec<u8> {
    let target = Target::with_format(&h.device, format, SIZE, height);
    h.immediate.clear_render_target_view(&target.view, BACKGROUND);
    target.bind(&mut h.immediate);
    draw(&mut h.immediate);
    h.immediate.clear_state();
    h.read(&target.texture, 0)
}

const RED: [u8; 4] = [235, 70, 60, 255];
const GREEN: [u8; 4] = [80, 200, 90, 255];
const BLUE: [u8; 4] = [70, 120, 240, 255];
const GREY: [u8; 4] = [58, 60, 66, 255];

/// Returns two triangles whose corners are red, green and blue: clockwise on the left, counter-clockwise on
/// the right.
fn two_windings(paint_culled: bool) -> [Corner; 6] {
    let colors = if paint_culled { [GREY; 3] } else { [RED, GREEN, BLUE] };
    let (top, right, left) = ([0.0, 0.6], [0.4, -0.5], [-0.4, -0.5]);
    let at = |[x, y]: [f32; 2], by: f32| [x + by, y, 0.0];
    corners([
        (at(top, -0.5), colors[0]),
        (at(right, -0.5), colors[1]),
        (at(left, -0.5), colors[2]),
        (at(top, 0.5), colors[0]),
        (at(left, 0.5), colors[1]),
        (at(right, 0.5), colors[2]),
    ])
}

#[test]
fn clockwise_triangles_face_the_viewer_by_default() {
    picture("winding_default", Format::R8G8B8A8_UNORM, |cx| {
        paint(cx, &two_windings(true), &two_sided());
        paint(cx, &two_windings(false), &RasterizerDesc::default());
    });
}

#[test]
fn counter_clockwise_triangles_face_the_viewer_if_told() {
    picture("winding_counter_clockwise", Format::R8G8B8A8_UNORM, |cx| {
        paint(cx, &two_windings(true), &two_sided());
        paint(cx, &two_windings(false), &RasterizerDesc::counter_clockwise());
    });
}

#[test]
fn clip_space_has_x_to_the_right_and_y_up() {
    picture("clip_space", Format::R8G8B8A8_UNORM, |cx| cover(cx, "ps_clip"));
}

/// The depth increases from -0.25 at the left to 1.25 at the right, and the parts outside 0 to 1 are clipped.
#[test]
fn depth_is_clipped_to_0_and_1() {
    let slope = |y: f32| ([-0.9, y, -0.25], [0.9, y, 1.25]);
    let ((a, b), (c, d)) = (slope(0.5), slope(-0.5));
    let [near, far] = [[255, 255, 255, 255], [0, 0, 0, 255]];
    let vertices = corners([(a, near), (b, far), (c, near), (c, near), (b, far), (d, far)]);
    picture("depth", Format::R8G8B8A8_UNORM, |cx| {
        let ghost = vertices.map(|corner| Corner { color: GREY, ..corner });
        // The same positions with a constant depth show where the triangles are clipped.
        let flat = ghost.map(|corner| {
            let [x, y, _] = corner.position;
            Corner { position: [x, y, 0.5], ..corner }
        });
        paint(cx, &flat, &two_sided());
        paint(cx, &vertices, &two_sided());
    });
}

#[test]
fn a_texture_begins_at_its_top_left() {
    picture("texture_origin", Format::R8G8B8A8_UNORM, |cx| {
        let texels = [RED, GREEN, BLUE, [240, 240, 240, 255]];
        let device = cx.device();
        let texture = device.create_texture_2d_with(Format::R8G8B8A8_UNORM, 2, 2, &texels).unwrap();
        let nearest = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp);
        cx.ps_set_shader_resources(0, &texture.create_shader_resource_view().unwrap());
        cx.ps_set_samplers(0, &device.create_sampler_state(&nearest).unwrap());
        cover(cx, "ps_texture");
    });
}

/// Writes the same values to `R8G8B8A8_UNORM` in the upper half and to `R8G8B8A8_UNORM_SRGB` in the lower
/// half.
#[test]
fn srgb_targets_encode_linear_values() {
    on_each(&gpu_matrix(), |h| {
        let halves = [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB]
            .map(|format| drawn(h, format, SIZE / 4, |cx| cover(cx, "ps_ramp")));
        assert_image_in(FOLDER, "srgb", SIZE, SIZE / 2, &halves.concat(), 1);
        h.assert_silent();
    });
}
