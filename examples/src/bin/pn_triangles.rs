//! A knot of a few hundred triangles: flat on the left, and curved on the right.
//!
//! On the right, each triangle is a patch. The hull shader computes a cubic surface from the positions and the
//! normals of the three corners alone, so neighbouring patches meet without knowing each other. The domain
//! shader evaluates this surface at the vertices of the division. The model needs no change for that, except
//! that vertices at the same place must have the same normal: otherwise there would be gaps.
//!
//! The arrow keys up and down change the tessellation factor, W shows the triangles' edges if the adapter has
//! `Features::WIREFRAME`, Space stops the rotation, and Escape closes the window.

use std::f32::consts::TAU;

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("pn_triangles.hlsl");

/// Number of cells along the knot and around its tube, with two triangles each.
const ALONG: u16 = 33;
const AROUND: u16 = 5;

/// Radius of the tube.
const TUBE: f32 = 0.36;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    along: f32,
}

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    to_world: Mat4,
    to_clip: Mat4,
    camera: Vec3,
    factor: f32,
    light: Vec3,
    padding: f32,
}

/// Returns a point of a trefoil knot, for a place from 0 to 1.
fn knot(place: f32) -> Vec3 {
    let angle = place * TAU;
    let radius = 1.0 + 0.44 * (3.0 * angle).cos();
    Vec3::new(radius * (2.0 * angle).cos(), radius * (2.0 * angle).sin(), 0.5 * (3.0 * angle).sin())
}

/// Returns the vertices of a tube along the knot. The last ring repeats the first, because its `along` differs.
fn vertices() -> Vec<Corner> {
    let vertex = |i: u16, j: u16| {
        let along = f32::from(i) / f32::from(ALONG);
        let center = knot(along);
        let tangent = (knot(along + 0.001) - knot(along - 0.001)).normalize();
        // Without twist, because the direction to the middle is never parallel to the knot.
        let side = tangent.cross(Vec3::new(center.x, center.y, 0.0)).normalize();
        let other = tangent.cross(side);
        let (sin, cos) = (f32::from(j % AROUND) / f32::from(AROUND) * TAU).sin_cos();
        let normal = side * cos + other * sin;
        Corner { position: (center + normal * TUBE).to_array(), normal: normal.to_array(), along }
    };
    (0..=ALONG).flat_map(|i| (0..AROUND).map(move |j| vertex(i, j))).collect()
}

/// Returns the corners of triangles, clockwise as seen from outside.
fn indices() -> Vec<u16> {
    let index = |i: u16, j: u16| i * AROUND + j % AROUND;
    let cell = |i: u16, j: u16| {
        let (a, b, c, d) = (index(i, j), index(i, j + 1), index(i + 1, j), index(i + 1, j + 1));
        [a, b, c, c, b, d]
    };
    (0..ALONG).flat_map(|i| (0..AROUND).flat_map(move |j| cell(i, j))).collect()
}

struct Renderer {
    flat_vs: VertexShader,
    vs: VertexShader,
    hs: HullShader,
    ds: DomainShader,
    ps: PixelShader,
    wire_ps: PixelShader,
    background_vs: VertexShader,
    background_ps: PixelShader,
    layout: InputLayout,
    vertices: VertexBuffer<Corner>,
    indices: IndexBuffer<u16>,
    constants: ConstantBuffer<Constants>,
    alpha: BlendState,
    /// Passes at the same depth, and does not write.
    read_only_depth: DepthStencilState,
    /// `None` if the adapter cannot draw wireframes.
    wireframe: Option<RasterizerState>,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::hlsl(SHADER, name));
        let pixel = |name| device.create_pixel_shader(ShaderSource::hlsl(SHADER, name));
        let vs = vertex("VS")?;
        vs.check_constant_buffer::<Constants>(0)?;
        let wireframe = RasterizerDesc {
            fill_mode: FillMode::Wireframe,
            depth_bias: -64,
            slope_scaled_depth_bias: -1.0,
            ..RasterizerDesc::default()
        };
        let depth = DepthStencilDesc { depth_func: ComparisonFunc::LessEqual, ..Default::default() };
        let has_wireframe = device.check_feature_support().features.contains(Features::WIREFRAME);
        Ok(Self {
            flat_vs: vertex("VSFlat")?,
            layout: device.create_input_layout_of::<Corner>(&vs)?,
            vs,
            hs: device.create_hull_shader(ShaderSource::hlsl(SHADER, "HS"))?,
            ds: device.create_domain_shader(ShaderSource::hlsl(SHADER, "DS"))?,
            ps: pixel("PS")?,
            wire_ps: pixel("PSWire")?,
            background_vs: vertex("VSBackground")?,
            background_ps: pixel("PSBackground")?,
            vertices: device.create_vertex_buffer(&vertices())?,
            indices: device.create_index_buffer(&indices())?,
            constants: device.create_constant_buffer(&Constants::default())?,
            alpha: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?,
            read_only_depth: device.create_depth_stencil_state(&depth.read_only_depth())?,
            wireframe: has_wireframe.then(|| device.create_rasterizer_state(&wireframe)).transpose()?,
        })
    }

    /// Draws the knot and its background into the current viewport.
    fn draw(&self, context: &mut DeviceContext, is_curved: bool, shows_edges: bool) {
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.om_set_depth_stencil_state(&self.read_only_depth, 0);
        context.vs_set_shader(&self.background_vs);
        context.ps_set_shader(&self.background_ps);
        context.draw(3, 0);
        context.om_set_depth_stencil_state(None, 0);

        if is_curved {
            context.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
            context.vs_set_shader(&self.vs);
            context.hs_set_shader(&self.hs);
            context.ds_set_shader(&self.ds);
        } else {
            context.vs_set_shader(&self.flat_vs);
        }
        context.ps_set_shader(&self.ps);
        context.draw_indexed(self.indices.len(), 0, 0);
        if let Some(wireframe) = self.wireframe.as_ref().filter(|_| shows_edges) {
            context.rs_set_state(wireframe);
            context.om_set_blend_state(&self.alpha, [1.0; 4], u32::MAX);
            context.om_set_depth_stencil_state(&self.read_only_depth, 0);
            context.ps_set_shader(&self.wire_ps);
            context.draw_indexed(self.indices.len(), 0, 0);
            context.om_set_depth_stencil_state(None, 0);
            context.om_set_blend_state(None, [1.0; 4], u32::MAX);
            context.rs_set_state(None);
        }
        context.hs_set_shader(None);
        context.ds_set_shader(None);
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Curved PN triangles", 960, 540).with_depth().with_samples(4).with_args();
    onze_winit::run(desc, |setup| {
        let renderer = Renderer::new(setup.device)?;
        let (mut factor, mut angle) = (9.0_f32, 0.0);
        let (mut shows_edges, mut rotates) = (false, true);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            shows_edges ^= frame.input.key_pressed(KeyCode::KeyW);
            rotates ^= frame.input.key_pressed(KeyCode::Space);
            for (key, sign) in [(KeyCode::ArrowUp, 1.0), (KeyCode::ArrowDown, -1.0)] {
                if frame.input.key_held(key) {
                    factor = (factor + sign * 4.0 * frame.delta).clamp(1.0, 32.0);
                }
            }
            if rotates {
                angle += frame.delta * 0.5;
            }
            let edges = match (&renderer.wireframe, shows_edges) {
                (None, _) => "the adapter cannot draw edges: it has no Features::WIREFRAME",
                (Some(_), true) => "W hides the edges",
                (Some(_), false) => "W shows the edges",
            };
            frame.set_title(&format!("Curved PN triangles - factor {factor:.1} (up, down) - {edges}"));

            let half = Vec2::new(frame.width as f32 * 0.5, frame.height as f32);
            let camera = Vec3::new(0.0, 0.0, -6.6);
            let constants = Constants {
                to_world: Mat4::from_rotation_y(angle)
                    * Mat4::from_rotation_x(0.35)
                    * Mat4::from_rotation_z(0.3),
                to_clip: perspective(36_f32.to_radians(), half.x / half.y.max(1.0), 0.1, 20.0)
                    * look_at_mat4(camera, Vec3::ZERO, Vec3::Y),
                camera,
                factor,
                light: Vec3::new(-0.5, 0.7, -0.5).normalize(),
                padding: 0.0,
            };
            let context = frame.begin([0.0, 0.0, 0.0, 1.0]);
            context.update(&renderer.constants, &constants)?;
            context.vs_set_constant_buffers(0, &renderer.constants);
            context.hs_set_constant_buffers(0, &renderer.constants);
            context.ds_set_constant_buffers(0, &renderer.constants);
            context.ps_set_constant_buffers(0, &renderer.constants);
            context.ia_set_input_layout(&renderer.layout);
            context.ia_set_vertex_buffers(0, &renderer.vertices);
            context.ia_set_indices(&renderer.indices);
            for (left, is_curved) in [(0.0, false), (half.x, true)] {
                context.rs_set_viewports(Viewport { top_left_x: left, ..Viewport::sized(half.x, half.y) });
                renderer.draw(context, is_curved, shows_edges);
            }
            Ok(())
        })
    })
}
