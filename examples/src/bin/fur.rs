//! A torus with fur, which consists of shells and fins.
//!
//! * **Shells** are copies of the surface at increasing heights, drawn as instances. In each shell, a pixel is
//!   part of a hair or transparent. Shells look good from above, but between them there are gaps where the
//!   surface is seen from the side.
//! * **Fins** fill these gaps. The geometry shader appends a quad to each edge of the silhouette, which is an
//!   edge between a triangle that faces the camera and one that does not. The shader gets the adjacent
//!   triangles by the topology `TriangleListAdj`, where each triangle has six indices.
//!
//! Both are drawn with the same indices, because a draw without a geometry shader skips the adjacent
//! vertices. F toggles the fins, S toggles the shells, and Escape closes the window.

use std::f32::consts::TAU;

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("fur.hlsl");

const SHELLS: u32 = 20;

/// Number of cells around the axis of the torus and around its tube.
const AROUND: u16 = 72;
const TUBE: u16 = 36;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Skin {
    position: [f32; 3],
    normal: [f32; 3],
    /// The place on the surface, from 0 to 1 around the axis and around the tube.
    place: [f32; 2],
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    to_world: Mat4,
    to_clip: Mat4,
    camera: Vec3,
    shells: f32,
    light: Vec3,
    length: f32,
    wind: Vec3,
    padding: f32,
}

/// Returns the vertices of a torus. The last column and the last row repeat the first, because their places
/// differ.
fn torus() -> Vec<Skin> {
    let vertex = |i: u16, j: u16| {
        let place = Vec2::new(f32::from(i) / f32::from(AROUND), f32::from(j) / f32::from(TUBE));
        let (sin, cos) = (place.x * TAU).sin_cos();
        let (up, out) = (place.y * TAU).sin_cos();
        let normal = Vec3::new(cos * out, up, sin * out);
        let position = Vec3::new(cos, 0.0, sin) + normal * 0.42;
        Skin { position: position.to_array(), normal: normal.to_array(), place: place.to_array() }
    };
    (0..=TUBE).flat_map(|j| (0..=AROUND).map(move |i| vertex(i, j))).collect()
}

/// Returns six indices for each triangle: after each of the triangle's corners, the vertex that completes the
/// triangle at the other side of the following edge.
fn indices() -> Vec<u16> {
    // Two triangles of cell (0, 0), clockwise as seen from outside, as offsets around the axis and the tube.
    const CELL: [[(i16, i16); 6]; 2] = [
        [(0, 0), (0, 1), (1, 1), (2, 1), (1, 0), (0, -1)],
        [(0, 0), (-1, 0), (0, 1), (1, 2), (1, 1), (1, 0)],
    ];
    // An offset outside the grid continues at the opposite side, where the positions are the same.
    let wrap = |from: u16, offset: i16, count: u16| match from.checked_add_signed(offset) {
        Some(at) if at <= count => at,
        Some(at) => at - count,
        None => count - 1,
    };
    let index = |i: u16, j: u16, (x, y): (i16, i16)| wrap(j, y, TUBE) * (AROUND + 1) + wrap(i, x, AROUND);
    (0..TUBE)
        .flat_map(|j| {
            (0..AROUND).flat_map(move |i| CELL.as_flattened().iter().map(move |at| index(i, j, *at)))
        })
        .collect()
}

struct Renderer {
    shell_vs: VertexShader,
    fin_vs: VertexShader,
    fin_gs: GeometryShader,
    ps: PixelShader,
    layout: InputLayout,
    vertices: VertexBuffer<Skin>,
    indices: IndexBuffer<u16>,
    constants: ConstantBuffer<Constants>,
    alpha: BlendState,
    read_only_depth: DepthStencilState,
    /// Draws both sides, because the camera may see either side of a fin.
    two_sided: RasterizerState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::hlsl(SHADER, name));
        let shell_vs = vertex("VSShell")?;
        shell_vs.check_constant_buffer::<Constants>(0)?;
        let two_sided = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        Ok(Self {
            fin_vs: vertex("VSFin")?,
            fin_gs: device.create_geometry_shader(ShaderSource::hlsl(SHADER, "GSFin"))?,
            ps: device.create_pixel_shader(ShaderSource::hlsl(SHADER, "PS"))?,
            layout: device.create_input_layout_of::<Skin>(&shell_vs)?,
            shell_vs,
            vertices: device.create_vertex_buffer(&torus())?,
            indices: device.create_index_buffer(&indices())?,
            constants: device.create_constant_buffer(&Constants::default())?,
            alpha: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?,
            read_only_depth: device
                .create_depth_stencil_state(&DepthStencilDesc::default().read_only_depth())?,
            two_sided: device.create_rasterizer_state(&two_sided)?,
        })
    }

    fn draw(&self, frame: &mut Frame<'_>, shells: u32, has_fins: bool) -> Result<(), onze::Error> {
        let time = frame.time;
        let camera = Vec3::new(0.0, 0.5, -4.7);
        let to_view = look_at_mat4(camera, Vec3::new(0.0, -0.1, 0.0), Vec3::Y);
        let gust = 0.5 + 0.5 * (time * 1.3).sin() * (time * 0.7 + 1.0).cos();
        let constants = Constants {
            to_world: Mat4::from_rotation_y(0.35 * (time * 0.3).sin())
                * Mat4::from_rotation_x(-0.95)
                * Mat4::from_rotation_y(time * 0.25),
            to_clip: perspective(40_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0) * to_view,
            camera,
            shells: SHELLS as f32,
            light: Vec3::new(-0.55, 0.75, -0.6).normalize(),
            length: 0.2,
            wind: Vec3::new(0.45 * gust, 0.0, 0.1 * (time * 2.1).sin()),
            padding: 0.0,
        };
        let context = frame.begin([0.30, 0.36, 0.42, 1.0]);
        context.update(&self.constants, &constants)?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleListAdj);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.vertices);
        context.ia_set_indices(&self.indices);
        context.vs_set_constant_buffers(0, &self.constants);
        context.gs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
        context.ps_set_shader(&self.ps);
        context.om_set_blend_state(&self.alpha, [1.0; 4], u32::MAX);

        context.vs_set_shader(&self.shell_vs);
        context.draw_indexed_instanced(self.indices.len(), shells, 0, 0, 0);

        if has_fins {
            context.om_set_depth_stencil_state(&self.read_only_depth, 0);
            context.rs_set_state(&self.two_sided);
            context.vs_set_shader(&self.fin_vs);
            context.gs_set_shader(&self.fin_gs);
            context.draw_indexed(self.indices.len(), 0, 0);
            context.gs_set_shader(None);
            context.rs_set_state(None);
            context.om_set_depth_stencil_state(None, 0);
        }
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Fur", 960, 540).with_depth().with_samples(4).with_args();
    onze_winit::run(desc, |setup| {
        let renderer = Renderer::new(setup.device)?;
        let (mut has_shells, mut has_fins) = (true, true);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            has_shells ^= frame.input.key_pressed(KeyCode::KeyS);
            has_fins ^= frame.input.key_pressed(KeyCode::KeyF);
            // The innermost shell is the skin, which is always drawn.
            renderer.draw(frame, if has_shells { SHELLS } else { 1 }, has_fins)?;
            Ok(())
        })
    })
}
