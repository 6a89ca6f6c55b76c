//! A flight along a river, over ground whose vertices are made by the tessellator.
//!
//! The ground is a grid of square patches without a vertex buffer. The hull shader gives each edge of a patch a
//! factor that depends on the distance of the edge's midpoint from the camera, so near patches become thousands
//! of triangles and distant patches two. Two patches compute the same factor for the edge that they share,
//! which prevents cracks, and fractional partitioning lets vertices move instead of appearing suddenly. The
//! domain shader computes the heights.
//!
//! W shows the triangles' edges, if the adapter has `Features::WIREFRAME`. The arrow keys up and down change the
//! density, Space stops the flight, and Escape closes the window.

use glam::camera::lh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("terrain.hlsl");

/// Number of patches along each side of the grid.
const SIDE: u32 = 48;

/// Side length of a patch. A power of two keeps the places of patches exact.
const PATCH_SIZE: f32 = 16.0;

/// Distance at which the fog hides everything, inside the grid.
const FOG_DISTANCE: f32 = 340.0;

const FIELD_OF_VIEW: f32 = 0.85;

#[derive(Clone, Copy, Default, NoUninit, ConstantFields)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    to_clip: Mat4,
    camera: Vec3,
    density: f32,
    sun: Vec3,
    time: f32,
    right: Vec3,
    patch_size: f32,
    up: Vec3,
    side: u32,
    forward: Vec3,
    fog_distance: f32,
    origin: Vec2,
    padding: Vec2,
}

/// Returns a point above the river, which the shader's `Ground` describes as well.
fn above_river(z: f32, height: f32) -> Vec3 {
    Vec3::new(34.0 * (z * 0.011).sin() + 13.0 * (z * 0.027 + 1.3).sin(), height, z)
}

/// Returns the constants for a flight that has reached `z`.
fn constants(z: f32, time: f32, density: f32, aspect_ratio: f32) -> Constants {
    let camera = above_river(z, 15.0);
    let target = above_river(z + 60.0, 9.5);
    let forward = (target - camera).normalize();
    // The camera leans into the curves.
    let lean = (above_river(z + 25.0, 0.0) - above_river(z, 0.0)).normalize().x - forward.x;
    let right = (Vec3::Y + Vec3::X * lean * 0.3).cross(forward).normalize();
    let up = forward.cross(right);
    let slope = (FIELD_OF_VIEW * 0.5).tan();
    let projection = perspective(FIELD_OF_VIEW, aspect_ratio, 0.5, 600.0);
    // The grid moves with the camera in steps of whole patches, so its vertices stay at their places.
    let middle = camera + forward * FOG_DISTANCE * 0.5;
    let origin = (Vec2::new(middle.x, middle.z) / PATCH_SIZE).floor() - SIDE as f32 * 0.5;
    Constants {
        to_clip: projection * look_at_mat4(camera, target, up),
        camera,
        density,
        sun: Vec3::new(-0.62, 0.33, 0.71).normalize(),
        time,
        right: right * slope * aspect_ratio,
        patch_size: PATCH_SIZE,
        up: up * slope,
        side: SIDE,
        forward,
        fog_distance: FOG_DISTANCE,
        origin,
        padding: Vec2::ZERO,
    }
}

struct Renderer {
    vs: VertexShader,
    hs: HullShader,
    ds: DomainShader,
    ps: PixelShader,
    wire_ps: PixelShader,
    sky_vs: VertexShader,
    sky_ps: PixelShader,
    constants: ConstantBuffer<Constants>,
    alpha: BlendState,
    /// Passes at the greatest depth, and does not write.
    background: DepthStencilState,
    /// `None` if the adapter cannot draw wireframes.
    wireframe: Option<RasterizerState>,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::hlsl(SHADER, name));
        let pixel = |name| device.create_pixel_shader(ShaderSource::hlsl(SHADER, name));
        let hs = device.create_hull_shader(ShaderSource::hlsl(SHADER, "HS"))?;
        hs.check_constant_buffer::<Constants>(0)?;
        let wireframe = RasterizerDesc {
            fill_mode: FillMode::Wireframe,
            depth_bias: -64,
            slope_scaled_depth_bias: -1.0,
            ..RasterizerDesc::default()
        };
        let background = DepthStencilDesc { depth_func: ComparisonFunc::LessEqual, ..Default::default() };
        let has_wireframe = device.check_feature_support().features.contains(Features::WIREFRAME);
        Ok(Self {
            vs: vertex("VS")?,
            hs,
            ds: device.create_domain_shader(ShaderSource::hlsl(SHADER, "DS"))?,
            ps: pixel("PS")?,
            wire_ps: pixel("PSWire")?,
            sky_vs: vertex("VSSky")?,
            sky_ps: pixel("PSSky")?,
            constants: device.create_constant_buffer(&Constants::default())?,
            alpha: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?,
            background: device.create_depth_stencil_state(&background.read_only_depth())?,
            wireframe: has_wireframe.then(|| device.create_rasterizer_state(&wireframe)).transpose()?,
        })
    }

    fn draw(
        &self,
        context: &mut DeviceContext,
        constants: &Constants,
        shows_edges: bool,
    ) -> Result<(), onze::Error> {
        context.update(&self.constants, constants)?;
        context.vs_set_constant_buffers(0, &self.constants);
        context.hs_set_constant_buffers(0, &self.constants);
        context.ds_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);

        context.ia_set_primitive_topology(PrimitiveTopology::PatchList4);
        context.vs_set_shader(&self.vs);
        context.hs_set_shader(&self.hs);
        context.ds_set_shader(&self.ds);
        context.ps_set_shader(&self.ps);
        context.draw(SIDE * SIDE * 4, 0);

        if let Some(wireframe) = self.wireframe.as_ref().filter(|_| shows_edges) {
            context.rs_set_state(wireframe);
            context.om_set_blend_state(&self.alpha, [1.0; 4], u32::MAX);
            context.om_set_depth_stencil_state(&self.background, 0);
            context.ps_set_shader(&self.wire_ps);
            context.draw(SIDE * SIDE * 4, 0);
            context.om_set_blend_state(None, [1.0; 4], u32::MAX);
            context.rs_set_state(None);
        }

        context.om_set_depth_stencil_state(&self.background, 0);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&self.sky_vs);
        context.hs_set_shader(None);
        context.ds_set_shader(None);
        context.ps_set_shader(&self.sky_ps);
        context.draw(3, 0);
        context.om_set_depth_stencil_state(None, 0);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Terrain", 960, 540).with_depth().with_samples(4).with_args();
    onze_winit::run(desc, |setup| {
        let renderer = Renderer::new(setup.device)?;
        let (mut shows_edges, mut is_flying) = (false, true);
        let (mut density, mut z) = (70.0_f32, 0.0);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            shows_edges ^= frame.input.key_pressed(KeyCode::KeyW);
            is_flying ^= frame.input.key_pressed(KeyCode::Space);
            if frame.input.key_held(KeyCode::ArrowUp) {
                density *= 1.0 + frame.delta;
            }
            if frame.input.key_held(KeyCode::ArrowDown) {
                density /= 1.0 + frame.delta;
            }
            density = density.clamp(8.0, 400.0);
            if is_flying {
                z += frame.delta * 12.0;
            }
            let edges = match (&renderer.wireframe, shows_edges) {
                (None, _) => "the adapter cannot draw edges: it has no Features::WIREFRAME",
                (Some(_), true) => "W hides the edges",
                (Some(_), false) => "W shows the edges",
            };
            frame.set_title(&format!("Terrain - density {density:.0} - {edges}"));
            let constants = constants(z, frame.time, density, frame.aspect_ratio());
            renderer.draw(frame.begin([0.0, 0.0, 0.0, 1.0]), &constants, shows_edges)?;
            Ok(())
        })
    })
}
