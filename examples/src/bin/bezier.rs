//! A vase of eight Bézier patches, each with 16 control points.
//!
//! The hull shader passes the control points on, and the domain shader evaluates the bicubic surface at each
//! point of the tessellator's division. The control points twist, and the surface follows them. A geometry
//! shader after the domain shader marks the edges of the triangles, so the edges are visible on adapters
//! without `Features::WIREFRAME` as well.
//!
//! The keys 1 to 4 select the partitioning: integer, powers of two, fractional odd and fractional even. The
//! arrow keys up and down change the tessellation factor, which otherwise grows and shrinks. W hides the edges,
//! N hides the control points and their net, and Escape closes the window.

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("bezier.hlsl");

/// The entry point, the name and the key of each partitioning.
const PARTITIONINGS: [(&str, &str, KeyCode); 4] = [
    ("HSInteger", "integer", KeyCode::Digit1),
    ("HSPow2", "pow2", KeyCode::Digit2),
    ("HSFractionalOdd", "fractional_odd", KeyCode::Digit3),
    ("HSFractionalEven", "fractional_even", KeyCode::Digit4),
];

/// Radius and height of the control points, from the top to the bottom. The fourth one belongs to the upper and
/// to the lower patches.
const PROFILE: [(f32, f32); 7] =
    [(0.62, 1.15), (0.30, 0.90), (0.26, 0.55), (0.62, 0.20), (1.05, -0.20), (0.72, -0.85), (0.42, -1.05)];

/// Number of patches around the axis, each a quarter of a circle.
const QUARTERS: u16 = 4;

/// Number of control points around the axis.
const AROUND: u16 = 3 * QUARTERS;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct ControlPoint {
    position: [f32; 3],
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
    twist: f32,
    pixels: Vec2,
    edge_width: f32,
    point_size: f32,
}

/// Returns the control points, one row around the axis for each point of the profile.
fn control_points() -> Vec<ControlPoint> {
    // A cubic curve approximates a quarter of a circle if its inner control points have this distance from its
    // ends.
    const INNER: f32 = 0.552_284_8;
    let point = |(radius, height): (f32, f32), around: u16| {
        let (x, z) = match around % 3 {
            0 => (1.0, 0.0),
            1 => (1.0, INNER),
            _ => (INNER, 1.0),
        };
        let place = Vec2::new(x, z) * radius;
        let place = (0..around / 3).fold(place, |place, _| place.perp());
        ControlPoint { position: [place.x, height, place.y] }
    };
    PROFILE.iter().flat_map(|at| (0..AROUND).map(move |around| point(*at, around))).collect()
}

fn index(row: u16, around: u16) -> u16 {
    row * AROUND + around % AROUND
}

/// Returns 16 indices for each patch.
fn patches() -> Vec<u16> {
    let patch =
        |top: u16, quarter: u16| (0..16).map(move |number| index(top + number / 4, quarter * 3 + number % 4));
    [0, 3].into_iter().flat_map(|top| (0..QUARTERS).flat_map(move |quarter| patch(top, quarter))).collect()
}

/// Returns the lines between neighbouring control points.
fn net() -> Vec<u16> {
    let rows = PROFILE.len() as u16;
    let rings = (0..rows)
        .flat_map(|row| (0..AROUND).flat_map(move |around| [index(row, around), index(row, around + 1)]));
    let columns = (1..rows)
        .flat_map(|row| (0..AROUND).flat_map(move |around| [index(row - 1, around), index(row, around)]));
    rings.chain(columns).collect()
}

struct Renderer {
    vs: VertexShader,
    hull_shaders: [HullShader; 4],
    ds: DomainShader,
    gs: GeometryShader,
    ps: PixelShader,
    net_vs: VertexShader,
    net_ps: PixelShader,
    dot_gs: GeometryShader,
    dot_ps: PixelShader,
    layout: InputLayout,
    points: VertexBuffer<ControlPoint>,
    patches: IndexBuffer<u16>,
    net: IndexBuffer<u16>,
    constants: ConstantBuffer<Constants>,
    alpha: BlendState,
    read_only_depth: DepthStencilState,
    /// Draws both sides, because the inner side is visible through the opening.
    two_sided: RasterizerState,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let source = |name| ShaderSource::hlsl(SHADER, name);
        let hull = |number: usize| device.create_hull_shader(source(PARTITIONINGS[number].0));
        let vs = device.create_vertex_shader(source("VS"))?;
        let ds = device.create_domain_shader(source("DS"))?;
        ds.check_constant_buffer::<Constants>(0)?;
        let two_sided = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        Ok(Self {
            layout: device.create_input_layout_of::<ControlPoint>(&vs)?,
            vs,
            hull_shaders: [hull(0)?, hull(1)?, hull(2)?, hull(3)?],
            ds,
            gs: device.create_geometry_shader(source("GS"))?,
            ps: device.create_pixel_shader(source("PS"))?,
            net_vs: device.create_vertex_shader(source("VSNet"))?,
            net_ps: device.create_pixel_shader(source("PSNet"))?,
            dot_gs: device.create_geometry_shader(source("GSDot"))?,
            dot_ps: device.create_pixel_shader(source("PSDot"))?,
            points: device.create_vertex_buffer(&control_points())?,
            patches: device.create_index_buffer(&patches())?,
            net: device.create_index_buffer(&net())?,
            constants: device.create_constant_buffer(&Constants::default())?,
            alpha: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?,
            read_only_depth: device
                .create_depth_stencil_state(&DepthStencilDesc::default().read_only_depth())?,
            two_sided: device.create_rasterizer_state(&two_sided)?,
        })
    }

    fn draw(
        &self,
        context: &mut DeviceContext,
        constants: &Constants,
        partitioning: usize,
        shows_net: bool,
    ) -> Result<(), onze::Error> {
        context.update(&self.constants, constants)?;
        context.vs_set_constant_buffers(0, &self.constants);
        context.hs_set_constant_buffers(0, &self.constants);
        context.ds_set_constant_buffers(0, &self.constants);
        context.gs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.points);

        context.ia_set_indices(&self.patches);
        context.ia_set_primitive_topology(PrimitiveTopology::PatchList16);
        context.rs_set_state(&self.two_sided);
        context.vs_set_shader(&self.vs);
        context.hs_set_shader(&self.hull_shaders[partitioning]);
        context.ds_set_shader(&self.ds);
        context.gs_set_shader(&self.gs);
        context.ps_set_shader(&self.ps);
        context.draw_indexed(self.patches.len(), 0, 0);
        context.hs_set_shader(None);
        context.ds_set_shader(None);
        context.gs_set_shader(None);
        context.rs_set_state(None);
        if !shows_net {
            return Ok(());
        }

        context.om_set_blend_state(&self.alpha, [1.0; 4], u32::MAX);
        context.om_set_depth_stencil_state(&self.read_only_depth, 0);
        context.vs_set_shader(&self.net_vs);
        context.ps_set_shader(&self.net_ps);
        context.ia_set_primitive_topology(PrimitiveTopology::LineList);
        context.ia_set_indices(&self.net);
        context.draw_indexed(self.net.len(), 0, 0);
        context.ia_set_primitive_topology(PrimitiveTopology::PointList);
        context.gs_set_shader(&self.dot_gs);
        context.ps_set_shader(&self.dot_ps);
        context.draw(self.points.len(), 0);
        context.gs_set_shader(None);
        context.om_set_depth_stencil_state(None, 0);
        context.om_set_blend_state(None, [1.0; 4], u32::MAX);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Bézier patches", 960, 540).with_depth().with_samples(4).with_args();
    onze_winit::run(desc, |setup| {
        let renderer = Renderer::new(setup.device)?;
        let (mut partitioning, mut selected_factor) = (2, None);
        let (mut shows_edges, mut shows_net) = (true, true);
        Ok(move |frame: &mut Frame<'_>| {
            let time = frame.time;
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            for (number, (_, _, key)) in PARTITIONINGS.iter().enumerate() {
                if frame.input.key_pressed(*key) {
                    partitioning = number;
                }
            }
            shows_edges ^= frame.input.key_pressed(KeyCode::KeyW);
            shows_net ^= frame.input.key_pressed(KeyCode::KeyN);
            let mut factor: f32 = selected_factor.unwrap_or(6.0 + 5.0 * (time * 0.5).sin());
            for (key, sign) in [(KeyCode::ArrowUp, 1.0), (KeyCode::ArrowDown, -1.0)] {
                if frame.input.key_held(key) {
                    factor = (factor + sign * 4.0 * frame.delta).clamp(1.0, 64.0);
                    selected_factor = Some(factor);
                }
            }
            let name = PARTITIONINGS[partitioning].1;
            frame.set_title(&format!("Bézier patches - {name} (1 to 4) - factor {factor:.2} (up, down)"));
            let camera = Vec3::new(0.0, 1.75, -3.75);
            let scale = frame.height as f32 / 540.0;
            let constants = Constants {
                to_world: Mat4::from_rotation_y(0.2 + time * 0.3),
                to_clip: perspective(38_f32.to_radians(), frame.aspect_ratio(), 0.1, 20.0)
                    * look_at_mat4(camera, Vec3::new(0.0, -0.02, 0.0), Vec3::Y),
                camera,
                factor,
                light: Vec3::new(-0.62, 0.48, -0.62).normalize(),
                twist: 0.55 * (0.7 + time * 0.6).sin(),
                pixels: Vec2::new(frame.width as f32, frame.height as f32),
                edge_width: if shows_edges { 0.9 * scale } else { 0.0 },
                point_size: 9.0 * scale,
            };
            renderer.draw(frame.begin([0.028, 0.032, 0.040, 1.0]), &constants, partitioning, shows_net)?;
            Ok(())
        })
    })
}
