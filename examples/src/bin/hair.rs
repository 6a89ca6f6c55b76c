//! A creature with long hair, which the tessellator makes of a few guide hairs.
//!
//! The program computes 17 rings of 32 guide hairs, each a cubic Bézier curve. A patch consists of four neighbouring
//! guide hairs, 16 control points. The hull shader divides the domain `isoline`: the first factor is the number
//! of lines, in proportion to the area of skin, and the second is the number of their segments. The domain
//! shader puts each line at a random place between the guide hairs.
//!
//! The arrow keys up and down change the number of hairs, and right and left the number of segments. Escape
//! closes the window.

use std::f32::consts::{PI, TAU};

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("hair.hlsl");

/// Number of patches around the body and from the top to the bottom.
const AROUND: u16 = 32;
const DOWN: u16 = 16;

/// Number of vertices of a ball: 24 by 16 cells with two triangles each.
const BALL: u32 = 24 * 16 * 6;

const BALLS: u32 = 4;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct GuidePoint {
    position: [f32; 3],
    along: f32,
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    to_clip: Mat4,
    camera: Vec3,
    hairs: f32,
    light: Vec3,
    segments: f32,
    wind: Vec3,
    time: f32,
}

/// Returns the four control points of the guide hair with a root in direction `root`.
fn guide(root: Vec3) -> [GuidePoint; 4] {
    // The hair of the face is short, so that it does not cover the eyes.
    let face = root.dot(Vec3::new(0.0, 0.14, -1.0).normalize());
    let length = 0.95 - 0.78 * ((face - 0.62) / 0.3).clamp(0.0, 1.0);
    // From the top, the hair falls to all sides with a slight swirl.
    let swirl = Vec3::Y.cross(root) * 0.5;
    let outward = (root + swirl * 0.4 + Vec3::Y * 0.25).normalize();
    let falling = (root * 0.55 + swirl * 0.4 - Vec3::Y * 0.75).normalize();
    let first = root + outward * length * 0.35;
    let second = first + (outward * 0.45 + falling * 0.55) * length * 0.4;
    let last = second + (falling * 0.75 - Vec3::Y * 0.35) * length * 0.5;
    let floor = |point: Vec3| point.max(Vec3::new(f32::MIN, -1.28, f32::MIN));
    let points = [root * 0.96, first, floor(second), floor(last)];
    [0, 1, 2, 3].map(|n| GuidePoint { position: points[n].to_array(), along: n as f32 / 3.0 })
}

/// Returns the guide hairs, in rings from the top to the bottom.
fn guides() -> Vec<GuidePoint> {
    let root = |down: u16, around: u16| {
        let (sin, cos) = (f32::from(around) / f32::from(AROUND) * TAU).sin_cos();
        let (radius, height) = (f32::from(down) / f32::from(DOWN) * PI).sin_cos();
        Vec3::new(cos * radius, height, sin * radius)
    };
    (0..=DOWN).flat_map(|down| (0..AROUND).flat_map(move |around| guide(root(down, around)))).collect()
}

/// Returns 16 indices for each patch, four for each of its guide hairs.
fn patches() -> Vec<u16> {
    let hair = |down: u16, around: u16| {
        let first = (down * AROUND + around % AROUND) * 4;
        first..first + 4
    };
    let patch = |down: u16, around: u16| {
        [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().flat_map(move |(y, x)| hair(down + y, around + x))
    };
    (0..DOWN).flat_map(|down| (0..AROUND).flat_map(move |around| patch(down, around))).collect()
}

struct Renderer {
    vs: VertexShader,
    hs: HullShader,
    ds: DomainShader,
    ps: PixelShader,
    ball_vs: VertexShader,
    ball_ps: PixelShader,
    background_vs: VertexShader,
    background_ps: PixelShader,
    layout: InputLayout,
    guides: VertexBuffer<GuidePoint>,
    patches: IndexBuffer<u16>,
    constants: ConstantBuffer<Constants>,
    /// Passes at the greatest depth, and does not write.
    background: DepthStencilState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::hlsl(SHADER, name));
        let pixel = |name| device.create_pixel_shader(ShaderSource::hlsl(SHADER, name));
        let vs = vertex("VS")?;
        vs.check_constant_buffer::<Constants>(0)?;
        let background = DepthStencilDesc { depth_func: ComparisonFunc::LessEqual, ..Default::default() };
        Ok(Self {
            layout: device.create_input_layout_of::<GuidePoint>(&vs)?,
            vs,
            hs: device.create_hull_shader(ShaderSource::hlsl(SHADER, "HS"))?,
            ds: device.create_domain_shader(ShaderSource::hlsl(SHADER, "DS"))?,
            ps: pixel("PS")?,
            ball_vs: vertex("VSBall")?,
            ball_ps: pixel("PSBall")?,
            background_vs: vertex("VSBackground")?,
            background_ps: pixel("PSBackground")?,
            guides: device.create_vertex_buffer(&guides())?,
            patches: device.create_index_buffer(&patches())?,
            constants: device.create_constant_buffer(&Constants::default())?,
            background: device.create_depth_stencil_state(&background.read_only_depth())?,
        })
    }

    fn draw(&self, context: &mut DeviceContext, constants: &Constants) -> Result<(), onze::Error> {
        context.update(&self.constants, constants)?;
        context.vs_set_constant_buffers(0, &self.constants);
        context.hs_set_constant_buffers(0, &self.constants);
        context.ds_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);

        context.ia_set_input_layout(None);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&self.ball_vs);
        context.ps_set_shader(&self.ball_ps);
        context.draw_instanced(BALL, BALLS, 0, 0);
        context.om_set_depth_stencil_state(&self.background, 0);
        context.vs_set_shader(&self.background_vs);
        context.ps_set_shader(&self.background_ps);
        context.draw(3, 0);
        context.om_set_depth_stencil_state(None, 0);

        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.guides);
        context.ia_set_indices(&self.patches);
        context.ia_set_primitive_topology(PrimitiveTopology::PatchList16);
        context.vs_set_shader(&self.vs);
        context.hs_set_shader(&self.hs);
        context.ds_set_shader(&self.ds);
        context.ps_set_shader(&self.ps);
        context.draw_indexed(self.patches.len(), 0, 0);
        context.hs_set_shader(None);
        context.ds_set_shader(None);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Hair", 960, 540).with_depth().with_samples(4).with_args();
    onze_winit::run(desc, |setup| {
        let renderer = Renderer::new(setup.device)?;
        let (mut hairs, mut segments) = (64.0_f32, 16.0_f32);
        Ok(move |frame: &mut Frame<'_>| {
            let time = frame.time;
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let is_held = |key| f32::from(u8::from(frame.input.key_held(key)));
            let more_hairs = is_held(KeyCode::ArrowUp) - is_held(KeyCode::ArrowDown);
            let more_segments = is_held(KeyCode::ArrowRight) - is_held(KeyCode::ArrowLeft);
            hairs = (hairs + more_hairs * 24.0 * frame.delta).clamp(1.0, 64.0);
            segments = (segments + more_segments * 12.0 * frame.delta).clamp(1.0, 32.0);
            frame.set_title(&format!(
                "Hair - {hairs:.0} hairs in a patch (up, down) - {segments:.0} segments (left, right)"
            ));
            let camera = Vec3::new(1.4 * (0.5 + time * 0.3).sin(), 0.8, -5.7);
            let gust = 0.6 + 0.4 * (time * 0.8).sin() * (time * 0.5 + 1.0).cos();
            let constants = Constants {
                to_clip: perspective(36_f32.to_radians(), frame.aspect_ratio(), 0.1, 20.0)
                    * look_at_mat4(camera, Vec3::new(0.0, -0.1, 0.0), Vec3::Y),
                camera,
                hairs,
                light: Vec3::new(-0.55, 0.72, -0.45).normalize(),
                segments,
                wind: Vec3::new(0.28 * gust, 0.03, 0.06 * (time * 1.7).sin()),
                time,
            };
            renderer.draw(frame.begin([0.0, 0.0, 0.0, 1.0]), &constants)?;
            Ok(())
        })
    })
}
