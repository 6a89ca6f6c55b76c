//! A room with a lamp that casts shadows in all directions. The shadows are in a depth texture with six
//! slices, one for each face of a cube around the lamp.
//!
//! All six faces are drawn in one pass by one draw: the geometry shader runs six times for each triangle, and
//! each time selects another face with `SV_RenderTargetArrayIndex`. Without a geometry shader, the program
//! would need a pass with its own view and its own draws for each face. Escape closes the window.

use bytemuck::{Pod, Zeroable};
use glam::camera::lh::{
    proj::directx::perspective,
    view::{look_at_mat4, look_to_mat4},
};
use glam::{Mat4, Quat, Vec3, Vec4};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("cube_shadows.hlsl");

/// Maximum number of boxes, as in the shader.
const BOXES: usize = 32;

/// Edge length of a face of the shadow cube, in texels.
const FACE: u32 = 768;

/// Distances from the lamp to the near and the far plane of each face.
const NEAR: f32 = 0.1;
const FAR: f32 = 20.0;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Scene {
    to_clip: Mat4,
    to_face: [Mat4; 6],
    lamp: Vec3,
    near: f32,
    camera: Vec3,
    far: f32,
}

#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct Block {
    to_world: Mat4,
    /// The colour, and in the last component the light that the box emits.
    color: Vec4,
}

/// Returns six sides with four corners and two triangles each, clockwise as seen from outside.
fn cube() -> (Vec<Corner>, Vec<u16>) {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = normal.cross(up);
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)]
            .map(|(x, y)| (normal + right * x + up * y) * 0.5)
            .map(|position| Corner { position: position.to_array(), normal: normal.to_array() })
    };
    let corners = sides.into_iter().flat_map(side).collect();
    let indices = (0..6).flat_map(|n| [0, 1, 2, 0, 2, 3].map(|corner| n * 4 + corner)).collect();
    (corners, indices)
}

/// Returns the matrix from the world to the clip space of each face, in the order of the slices of a cube.
fn faces(lamp: Vec3) -> [Mat4; 6] {
    let square = perspective(90_f32.to_radians(), 1.0, NEAR, FAR);
    [
        (Vec3::X, Vec3::Y),
        (Vec3::NEG_X, Vec3::Y),
        (Vec3::Y, Vec3::NEG_Z),
        (Vec3::NEG_Y, Vec3::Z),
        (Vec3::Z, Vec3::Y),
        (Vec3::NEG_Z, Vec3::Y),
    ]
    .map(|(forward, up)| square * look_to_mat4(lamp, forward, up))
}

/// Returns the boxes that cast shadows: a cage that turns around the lamp, pillars, and cubes that float
/// between them.
fn casters(lamp: Vec3, time: f32) -> Vec<Block> {
    let block = |size: Vec3, turn: Quat, middle: Vec3, color: [f32; 3]| Block {
        to_world: Mat4::from_scale_rotation_translation(size, turn, middle),
        color: Vec3::from(color).extend(0.0),
    };
    let mut all = Vec::new();
    let cage = Quat::from_rotation_y(time * 0.4) * Quat::from_rotation_x(0.25 * (time * 0.7).sin());
    for n in 0..5_u8 {
        let turn = cage * Quat::from_rotation_y(f32::from(n) / 5.0 * std::f32::consts::TAU);
        all.push(block(Vec3::new(0.05, 1.2, 0.05), turn, lamp + turn * Vec3::X * 0.38, [0.35, 0.25, 0.15]));
    }
    for end in [-0.6, 0.6] {
        all.push(block(Vec3::new(0.64, 0.05, 0.64), cage, lamp + cage * Vec3::Y * end, [0.35, 0.25, 0.15]));
    }
    for (x, z) in [(-3.4, 2.6), (3.4, 2.6), (-3.4, -1.8), (3.4, -1.8)] {
        let middle = Vec3::new(x, 0.0, z);
        all.push(block(Vec3::new(0.55, 6.0, 0.55), Quat::IDENTITY, middle, [0.75, 0.72, 0.66]));
        let base = Vec3::new(x, -2.8, z);
        all.push(block(Vec3::new(0.9, 0.4, 0.9), Quat::IDENTITY, base, [0.75, 0.72, 0.66]));
    }
    let colors =
        [[0.85, 0.25, 0.2], [0.25, 0.65, 0.35], [0.9, 0.7, 0.25], [0.3, 0.45, 0.9], [0.75, 0.35, 0.75]];
    for (n, color) in (0_u8..).zip(colors) {
        let angle = f32::from(n) / 5.0 * std::f32::consts::TAU + time * 0.3;
        let height = -1.3 + 0.9 * (time * 0.8 + f32::from(n) * 2.1).sin();
        let middle = Vec3::new(angle.cos() * 2.5, height, 0.7 + angle.sin() * 2.0);
        let turn = Quat::from_rotation_y(time * 0.9 + f32::from(n)) * Quat::from_rotation_x(time * 0.6 + 0.7);
        all.push(block(Vec3::splat(0.62), turn, middle, color));
    }
    all
}

/// Returns the boxes that cast no shadow: the lamp, and the room around everything.
fn others(lamp: Vec3) -> [Block; 2] {
    // A negative size turns a box inside out, so that the camera sees the room's inner sides, and not the wall
    // between the room and the camera.
    let room = Mat4::from_scale(-Vec3::new(10.0, 6.0, 8.0));
    [
        Block {
            to_world: Mat4::from_translation(lamp) * Mat4::from_scale(Vec3::splat(0.24)),
            color: Vec4::new(1.0, 0.93, 0.75, 1.0),
        },
        Block { to_world: room, color: Vec4::new(0.72, 0.70, 0.68, 0.0) },
    ]
}

struct Renderer {
    shadow_vs: VertexShader,
    shadow_gs: GeometryShader,
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    vertices: VertexBuffer<Corner>,
    indices: IndexBuffer<u16>,
    scene: ConstantBuffer<Scene>,
    boxes: ConstantBuffer<[Block; BOXES]>,
    /// A view of all six faces for drawing, and a view of the cube for reading.
    faces: (DepthStencilView, ShaderResourceView),
    closer: SamplerState,
    /// Moves depths away from the lamp, because without this bias, boxes would cast shadows on themselves.
    biased: RasterizerState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::hlsl(SHADER, name));
        let vs = vertex("VS")?;
        vs.check_constant_buffer::<Scene>(0)?;
        let (corners, indices) = cube();
        let cube = Texture2dDesc {
            array_size: 6,
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            misc_flags: MiscFlags::TEXTURECUBE,
            ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, FACE, FACE)
        };
        let cube = device.create_texture_2d(&cube, None)?;
        let closer =
            SamplerDesc::comparison(Filter::COMPARISON_MIN_MAG_LINEAR_MIP_POINT, ComparisonFunc::LessEqual);
        let bias =
            RasterizerDesc { depth_bias: 1000, slope_scaled_depth_bias: 6.0, ..RasterizerDesc::default() };
        Ok(Self {
            shadow_vs: vertex("VSShadow")?,
            shadow_gs: device.create_geometry_shader(ShaderSource::hlsl(SHADER, "GSShadow"))?,
            ps: device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?,
            layout: device.create_input_layout_of::<Corner>(&vs)?,
            vs,
            vertices: device.create_vertex_buffer(&corners)?,
            indices: device.create_index_buffer(&indices)?,
            scene: device.create_constant_buffer(&Scene::default())?,
            boxes: device.create_constant_buffer(&[Block::default(); BOXES])?,
            // By default, a view for drawing contains all slices, and a view for reading is a cube.
            faces: (
                device.create_depth_stencil_view(&cube, &DepthStencilViewDesc::format(Format::D32_FLOAT))?,
                device
                    .create_shader_resource_view(&cube, &ShaderResourceViewDesc::format(Format::R32_FLOAT))?,
            ),
            closer: device.create_sampler_state(&closer)?,
            biased: device.create_rasterizer_state(&bias)?,
        })
    }

    fn draw(&self, frame: &mut Frame<'_>) -> Result<(), onze::Error> {
        // At this time, the boxes are well distributed in the first picture.
        let time = frame.time + 1.5;
        let lamp = Vec3::new(0.5 * (time * 0.5).sin(), 0.4 + 0.3 * (time * 0.6).sin(), -0.8);
        let camera = Vec3::new(0.7 * (time * 0.2).sin(), 0.3, -11.0);
        let to_view = look_at_mat4(camera, Vec3::new(0.0, -0.2, 0.0), Vec3::Y);
        let scene = Scene {
            to_clip: perspective(42_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0) * to_view,
            to_face: faces(lamp),
            lamp,
            near: NEAR,
            camera,
            far: FAR,
        };
        let mut boxes = casters(lamp, time);
        let caster_count = boxes.len() as u32;
        boxes.extend(others(lamp));
        let box_count = boxes.len() as u32;
        let mut all = [Block::default(); BOXES];
        all.iter_mut().zip(boxes).for_each(|(to, from)| *to = from);

        // The shadow cube is still bound for reading since the last frame, so unbind it before it is drawn.
        let context = &mut *frame.context;
        context.update(&self.scene, &scene)?;
        context.update(&self.boxes, &all)?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.vertices);
        context.ia_set_indices(&self.indices);
        for (slot, buffer) in [(0, self.scene.buffer()), (1, self.boxes.buffer())] {
            context.vs_set_constant_buffers(slot, buffer);
            context.gs_set_constant_buffers(slot, buffer);
            context.ps_set_constant_buffers(slot, buffer);
        }
        context.ps_set_shader_resources(0, None);
        context.om_set_render_targets(None, &self.faces.0);
        context.clear_depth_stencil(&self.faces.0);
        context.rs_set_viewports(Viewport::sized(FACE as f32, FACE as f32));
        context.rs_set_state(&self.biased);
        context.vs_set_shader(&self.shadow_vs);
        context.gs_set_shader(&self.shadow_gs);
        context.ps_set_shader(None);
        context.draw_indexed_instanced(self.indices.len(), caster_count, 0, 0, 0);

        let context = frame.begin([0.0, 0.0, 0.0, 1.0]);
        context.rs_set_state(None);
        context.vs_set_shader(&self.vs);
        context.gs_set_shader(None);
        context.ps_set_shader(&self.ps);
        context.ps_set_shader_resources(0, &self.faces.1);
        context.ps_set_samplers(0, &self.closer);
        context.draw_indexed_instanced(self.indices.len(), box_count, 0, 0, 0);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Shadows of a lamp", 960, 540).with_depth().with_samples(4).with_args();
    onze_winit::run(desc, |setup| {
        let renderer = Renderer::new(setup.device)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            renderer.draw(frame)?;
            Ok(())
        })
    })
}
