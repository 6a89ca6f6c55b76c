//! Boxes on a plain under a circling sun. The scene is drawn twice: first from the light's view into a depth
//! texture, then from the camera's view with depth comparisons against that texture. Escape closes the
//! window.
//!
//! Each box needs a map, a write and a draw, and the driver draws the boxes by index
//! (`DeviceDesc::draws_by_index`).

use glam::camera::rh::{
    proj::directx::{orthographic, perspective},
    view::look_at_mat4,
};
use glam::{Mat4, Quat, Vec3, Vec4};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("shadow_map.wgsl");

const SHADOWS: u32 = 2048;

/// Maximum distance from the middle at which objects cast a shadow.
const REACH: f32 = 13.0;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
}

/// Per-frame shader constants in `b0`, shared by the light's view and the camera's view.
#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Scene {
    to_clip: Mat4,
    to_light: Mat4,
    light: Vec4,
}

/// Per-box shader constants in `b1`, written before each draw.
#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Block {
    to_world: Mat4,
    color: Vec4,
}

/// Returns six sides with four corners and two triangles each, counter-clockwise as seen from outside.
fn cube() -> (Vec<Corner>, Vec<u16>) {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = up.cross(normal);
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| (normal + right * x + up * y) * 0.5)
            .map(|position| Corner { position: position.to_array(), normal: normal.to_array() })
    };
    let corners = sides.into_iter().flat_map(side).collect();
    let indices = (0..6).flat_map(|n| [0, 1, 2, 0, 2, 3].map(|corner| n * 4 + corner)).collect();
    (corners, indices)
}

/// Returns the plain, rings of pillars around the middle, and a rotating block above them.
fn boxes(time: f32) -> Vec<Block> {
    let place = |size: Vec3, turn: f32, middle: Vec3| {
        Mat4::from_scale_rotation_translation(size, Quat::from_rotation_y(turn), middle)
    };
    let plain = place(Vec3::new(120.0, 1.0, 120.0), 0.0, Vec3::new(0.0, -0.5, 0.0));
    let mut all = vec![Block { to_world: plain, color: Vec4::new(0.50, 0.52, 0.46, 1.0) }];
    for ring in 1..5_u8 {
        let count = 4 * ring;
        for n in 0..count {
            let angle = f32::from(n) / f32::from(count) * std::f32::consts::TAU + f32::from(ring) * 0.4;
            let distance = f32::from(ring) * 2.1;
            let height = 0.6 + 1.1 * (1.0 + (f32::from(n) * 2.4 + f32::from(ring)).sin());
            let middle = Vec3::new(angle.cos() * distance, height * 0.5, angle.sin() * distance);
            let warmth = f32::from(ring) / 4.0;
            all.push(Block {
                to_world: place(Vec3::new(0.7, height, 0.7), angle, middle),
                color: Vec4::new(0.75, 0.35 + 0.3 * warmth, 0.25 + 0.5 * warmth, 1.0),
            });
        }
    }
    let turning = place(Vec3::new(1.5, 0.3, 1.5), time, Vec3::new(0.0, 3.4, 0.0));
    all.push(Block { to_world: turning, color: Vec4::new(0.9, 0.8, 0.3, 1.0) });
    all
}

struct Renderer {
    depth_vs: VertexShader,
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    vertices: VertexBuffer<Corner>,
    indices: IndexBuffer<u16>,
    scene: ConstantBuffer<Scene>,
    one: ConstantBuffer<Block>,
    shadows: DepthTarget,
    closer: SamplerState,
    /// Moves depths away from the light, and more so on steep surfaces, because without this bias, boxes
    /// would cast shadows on themselves.
    biased: RasterizerState,
    solid: RasterizerState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::wgsl(SHADER, name));
        let vs = vertex("vs_main")?;
        let (corners, indices) = cube();
        let bias = RasterizerDesc {
            depth_bias: 1000,
            slope_scaled_depth_bias: 4.0,
            ..RasterizerDesc::counter_clockwise()
        };
        let closer =
            SamplerDesc::comparison(Filter::COMPARISON_MIN_MAG_LINEAR_MIP_POINT, ComparisonFunc::LessEqual);
        let zero = Scene { to_clip: Mat4::ZERO, to_light: Mat4::ZERO, light: Vec4::ZERO };
        Ok(Self {
            depth_vs: vertex("depth_main")?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            layout: device.create_input_layout_of::<Corner>(&vs)?,
            vs,
            vertices: device.create_vertex_buffer(&corners)?,
            indices: device.create_index_buffer(&indices)?,
            scene: device.create_constant_buffer(&zero)?,
            one: device.create_constant_buffer(&Block { to_world: Mat4::ZERO, color: Vec4::ZERO })?,
            shadows: device.create_depth_target(Format::D32_FLOAT, SHADOWS, SHADOWS)?,
            closer: device.create_sampler_state(&closer)?,
            biased: device.create_rasterizer_state(&bias)?,
            solid: device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?,
        })
    }

    /// Draws all boxes with the bound state, where each box needs a map with `WRITE_DISCARD`, a write and a
    /// draw.
    fn draw_boxes(&self, context: &mut DeviceContext, boxes: &[Block]) -> Result<(), onze::Error> {
        for one in boxes {
            context.update(&self.one, one)?;
            context.draw_indexed(self.indices.len(), 0, 0);
        }
        Ok(())
    }

    fn draw(&self, frame: &mut Frame<'_>) -> Result<(), onze::Error> {
        let (time, aspect_ratio) = (frame.time, frame.aspect_ratio());
        let light = Vec3::new((time * 0.3 + 0.5).cos(), 0.75, (time * 0.3 + 0.5).sin()).normalize();
        let from_light = look_at_mat4(light * 2.0 * REACH, Vec3::ZERO, Vec3::Y);
        let box_of_light = orthographic(-REACH, REACH, -REACH, REACH, 0.1, 4.0 * REACH);
        let camera = look_at_mat4(Vec3::new(0.0, 7.5, 14.5), Vec3::new(0.0, 0.6, 0.0), Vec3::Y);
        let projection = perspective(45_f32.to_radians(), aspect_ratio, 0.1, 100.0);
        let boxes = boxes(time);
        let scene = Scene {
            to_clip: projection * camera,
            to_light: box_of_light * from_light,
            light: light.extend(0.0),
        };

        // The first pass draws only depth, from the light's view, but the shadow map is still bound for
        // reading since the last frame, so unbind it first.
        let context = &mut *frame.context;
        context.update(&self.scene, &scene)?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.vertices);
        context.ia_set_indices(&self.indices);
        context.vs_set_constant_buffers(0, &self.scene);
        context.vs_set_constant_buffers(1, &self.one);
        context.ps_set_shader_resources(0, None);
        context.om_set_render_targets(None, &self.shadows.depth_stencil_view);
        context.clear_depth_stencil(&self.shadows.depth_stencil_view);
        context.rs_set_viewports(Viewport::sized(SHADOWS as f32, SHADOWS as f32));
        context.rs_set_state(&self.biased);
        context.vs_set_shader(&self.depth_vs);
        context.ps_set_shader(None);
        self.draw_boxes(context, &boxes)?;

        let context = frame.begin([0.34, 0.48, 0.64, 1.0]);
        context.rs_set_state(&self.solid);
        context.vs_set_shader(&self.vs);
        context.ps_set_shader(&self.ps);
        context.ps_set_constant_buffers(0, &self.scene);
        context.ps_set_constant_buffers(1, &self.one);
        context.ps_set_shader_resources(0, &self.shadows.shader_resource_view);
        context.ps_set_samplers(0, &self.closer);
        self.draw_boxes(context, &boxes)
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Shadow map", 960, 540).with_depth().with_args();
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
