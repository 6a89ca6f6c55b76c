//! Step 6 of the book's chapter "Start": a texture with mip levels on the cube's sides.

// ANCHOR: all
use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

// ANCHOR: image
const IMAGE: &[u8] = include_bytes!("../../../examples/assets/crate.png");
// ANCHOR_END: image

// ANCHOR: shader
const SHADER: &str = "
@group(0) @binding(0) var<uniform> to_clip: mat4x4f; // register b0
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(2) @binding(0) var image_sampler: sampler; // register s0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) texcoord: vec2f,
}

@vertex
fn vs_main(@location(0) position: vec3f, @location(1) texcoord: vec2f) -> Corner {
    return Corner(to_clip * vec4f(position, 1.0), texcoord);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    return textureSample(image, image_sampler, corner.texcoord);
}";
// ANCHOR_END: shader

// ANCHOR: vertex
#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    texcoord: [f32; 2],
}
// ANCHOR_END: vertex

/// Returns six sides with four corners and two triangles each, counter-clockwise when seen from outside.
fn cube() -> (Vec<Corner>, Vec<u16>) {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = up.cross(normal);
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Corner {
            position: (normal + right * x + up * y).to_array(),
            // ANCHOR: texcoord
            texcoord: [x * 0.5 + 0.5, 0.5 - y * 0.5],
            // ANCHOR_END: texcoord
        })
    };
    let corners = sides.into_iter().flat_map(side).collect();
    let indices = (0..6).flat_map(|n| [0, 1, 2, 0, 2, 3].map(|corner| n * 4 + corner)).collect();
    (corners, indices)
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Start", 960, 540).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Corner>(&vs)?;
        let (corners, indices) = cube();
        let vertices = device.create_vertex_buffer(&corners)?;
        let indices = device.create_index_buffer(&indices)?;
        let rasterizer = device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?;
        let constants = device.create_constant_buffer(&Mat4::IDENTITY)?;
        // ANCHOR: create
        let texture = device.create_texture_from_memory(setup.context, IMAGE)?;
        let image = texture.create_shader_resource_view()?;
        let sampler = device.create_sampler_state(&SamplerDesc {
            filter: Filter::ANISOTROPIC,
            max_anisotropy: 8,
            ..SamplerDesc::default()
        })?;
        // ANCHOR_END: create
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let camera = look_at_mat4(Vec3::new(0.0, 2.4, 5.0), Vec3::ZERO, Vec3::Y);
            let projection = perspective(45_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0);
            let to_world = Mat4::from_rotation_y(frame.time * 0.8 + 0.6);
            let context = frame.begin([0.03, 0.04, 0.07, 1.0]);
            context.update(&constants, &(projection * camera * to_world))?;
            context.vs_set_constant_buffers(0, &constants);
            // ANCHOR: bind
            context.ps_set_shader_resources(0, &image);
            context.ps_set_samplers(0, &sampler);
            // ANCHOR_END: bind
            context.rs_set_state(&rasterizer);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            context.draw_indexed(indices.len(), 0, 0);
            Ok(())
        })
    })
}
// ANCHOR_END: all
