//! A thousand moving lights with tiled forward lighting. A compute shader lists the lights that reach each
//! tile of 16 by 16 pixels.
//!
//! H shows how many lights each tile has, from blue for few to red for many. Escape closes the window. The
//! option `--hlsl` uses the shaders in `light_culling.hlsl`.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;
use onze_examples::languages::Shaders;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const WGSL: &str = include_str!("light_culling.wgsl");
const HLSL: &str = include_str!("light_culling.hlsl");
const LIGHTS: u32 = 1000;
/// Width and height of a tile in pixels, which must match the shader.
const TILE: u32 = 16;
/// Size of a tile's list in words, which must match the shader.
const LIST: u32 = 256;
const COLUMNS: (u32, u32) = (10, 18);

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
}

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
struct Block {
    center: [f32; 3],
    half_size: [f32; 3],
    color: [f32; 3],
    angle: f32,
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Light {
    position: [f32; 3],
    radius: f32,
    color: [f32; 3],
    padding: f32,
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Camera {
    view: Mat4,
    projection: Mat4,
    position: [f32; 3],
    tiles_x: u32,
    shows_heat: u32,
    padding: [u32; 3],
}

/// Returns four pseudo-random numbers from 0 to 1 that depend only on `n`.
fn random(n: u32) -> [f32; 4] {
    let hash = n.wrapping_mul(0x9E37_79B1) ^ 0x68BC_21EB;
    let hash = (hash ^ hash >> 15).wrapping_mul(0x85EB_CA6B);
    (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35).to_le_bytes().map(|byte| f32::from(byte) / 255.0)
}

fn column(n: u32) -> Vec3 {
    let (x, z) = (n % COLUMNS.0, n / COLUMNS.0);
    Vec3::new((x as f32 - (COLUMNS.0 - 1) as f32 / 2.0) * 4.0, 0.0, z as f32 * -4.0)
}

/// Returns a cube from -1 to 1 as twelve triangles without indices, counter-clockwise as seen from outside.
fn cube() -> Vec<Corner> {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = up.cross(normal);
        corners.map(|(x, y)| Corner {
            position: (normal + right * x + up * y).to_array(),
            normal: normal.to_array(),
        })
    };
    sides.into_iter().flat_map(side).collect()
}

fn scene() -> Vec<Block> {
    let block = |center: Vec3, half_size: [f32; 3], color, angle| Block {
        center: center.to_array(),
        half_size,
        color,
        angle,
    };
    let (stone, dark) = ([0.75, 0.72, 0.68], [0.5, 0.48, 0.46]);
    let floor = block(Vec3::new(0.0, -0.5, -34.0), [60.0, 0.5, 60.0], [0.42, 0.43, 0.46], 0.0);
    let mut blocks = vec![floor];
    for n in 0..COLUMNS.0 * COLUMNS.1 {
        let at = column(n);
        // Two square shafts, one turned by an eighth of a turn, look like a shaft with eight edges.
        for angle in [0.0, std::f32::consts::FRAC_PI_4] {
            blocks.push(block(at + Vec3::Y * 1.7, [0.3, 1.7, 0.3], stone, angle));
        }
        blocks.push(block(at + Vec3::Y * 0.15, [0.55, 0.15, 0.55], dark, 0.0));
        blocks.push(block(at + Vec3::Y * 3.5, [0.5, 0.14, 0.5], dark, 0.0));
        let [a, b, c, d] = random(n);
        let size = 0.2 + 0.35 * a;
        let aside = Vec3::new(1.4 + 1.2 * b, size, 1.4 + 1.2 * c);
        blocks.push(block(at + aside, [size; 3], [0.7, 0.55, 0.4], d * 6.0));
    }
    blocks
}

fn light(n: u32, time: f32) -> Light {
    let [a, b, c, d] = random(n + 5000);
    let angle = a * 6.3 + time * (0.3 + b) * if n.is_multiple_of(2) { 1.0 } else { -1.0 };
    let (way, height) = (0.75 + 1.1 * c, 0.3 + 2.7 * d * d + 0.15 * (time + a * 6.3).sin());
    let around = Vec3::new(way * angle.cos(), height, way * angle.sin());
    // A colour of the rainbow, because the cosines of the channels are a third of a turn apart.
    let color = [0.0, 1.0, 2.0].map(|part: f32| {
        let value = 0.5 + 0.5 * ((b * 3.0 + part / 3.0) * std::f32::consts::TAU).cos();
        0.05 + 1.4 * value * value
    });
    let position = (column(n % (COLUMNS.0 * COLUMNS.1)) + around).to_array();
    Light { position, radius: 2.6 + c, color, padding: 0.0 }
}

/// The resources that depend on the window's size: the depth buffer and the lists of lights.
struct SizedTargets {
    size: (u32, u32),
    depth: DepthTarget,
    lists: ShaderResourceView,
    lists_out: UnorderedAccessView,
}

impl SizedTargets {
    fn new(device: &Device, width: u32, height: u32) -> Result<Self, onze::Error> {
        let tiles = width.div_ceil(TILE) * height.div_ceil(TILE);
        let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        let lists = device.create_buffer(&BufferDesc::structured(4, tiles * LIST, flags), None)?;
        Ok(Self {
            size: (width, height),
            depth: device.create_depth_target(Format::D32_FLOAT, width, height)?,
            lists: lists.create_shader_resource_view()?,
            lists_out: lists.create_unordered_access_view()?,
        })
    }
}

struct Renderer {
    cube: VertexBuffer<Corner>,
    blocks: VertexBuffer<Block>,
    layout: InputLayout,
    vs: VertexShader,
    ps: PixelShader,
    glow_vs: VertexShader,
    glow_ps: PixelShader,
    cull: ComputeShader,
    rasterizer: RasterizerState,
    test_only: DepthStencilState,
    additive: BlendState,
    camera: ConstantBuffer<Camera>,
    lights: Buffer,
    lights_read: ShaderResourceView,
}

impl Renderer {
    fn new(device: &Device, shaders: Shaders) -> Result<Self, onze::Error> {
        let vs = device.create_vertex_shader(shaders.entry("vs_main"))?;
        let zero = Camera {
            view: Mat4::ZERO,
            projection: Mat4::ZERO,
            position: [0.0; 3],
            tiles_x: 0,
            shows_heat: 0,
            padding: [0; 3],
        };
        // The CPU rewrites this structured buffer in every frame, so it is dynamic.
        let lights = device.create_buffer(
            &BufferDesc {
                usage: Usage::Dynamic,
                cpu_access_flags: CpuAccessFlags::WRITE,
                ..BufferDesc::structured(size_of::<Light>() as u32, LIGHTS, BindFlags::SHADER_RESOURCE)
            },
            None,
        )?;
        Ok(Self {
            cube: device.create_vertex_buffer(&cube())?,
            blocks: device.create_vertex_buffer(&scene())?,
            layout: device.create_input_layout_of::<(Corner, Block)>(&vs)?,
            vs,
            ps: device.create_pixel_shader(shaders.entry("ps_main"))?,
            glow_vs: device.create_vertex_shader(shaders.entry("glow_vs_main"))?,
            glow_ps: device.create_pixel_shader(shaders.entry("glow_ps_main"))?,
            cull: device.create_compute_shader(shaders.entry("cull_main"))?,
            rasterizer: device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?,
            test_only: device.create_depth_stencil_state(&DepthStencilDesc {
                depth_write: false,
                depth_func: ComparisonFunc::LessEqual,
                ..DepthStencilDesc::default()
            })?,
            additive: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?,
            camera: device.create_constant_buffer(&zero)?,
            lights_read: lights.create_shader_resource_view()?,
            lights,
        })
    }

    fn draw_blocks(&self, context: &mut DeviceContext) {
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, (&self.cube, &self.blocks));
        context.rs_set_state(&self.rasterizer);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, &self.camera);
        context.draw_instanced(self.cube.len(), self.blocks.len(), 0, 0);
    }

    /// Lists the lights of each tile, for which the depth buffer must not be bound to the output merger.
    fn list_lights(&self, context: &mut DeviceContext, sized: &SizedTargets) {
        context.cs_set_shader(&self.cull);
        context.cs_set_constant_buffers(0, &self.camera);
        context.cs_set_shader_resources(0, [&self.lights_read, &sized.depth.shader_resource_view]);
        context.cs_set_unordered_access_views(0, &sized.lists_out);
        context.dispatch(sized.size.0.div_ceil(TILE), sized.size.1.div_ceil(TILE), 1);
        context.cs_set_shader_resources(0, [None, None]);
        context.cs_set_unordered_access_views(0, None);
    }

    fn shade_blocks(&self, context: &mut DeviceContext, sized: &SizedTargets) {
        context.om_set_depth_stencil_state(&self.test_only, 0);
        context.om_set_blend_state(None, [1.0; 4], u32::MAX);
        context.ps_set_shader(&self.ps);
        context.ps_set_constant_buffers(0, &self.camera);
        context.ps_set_shader_resources(0, &self.lights_read);
        context.ps_set_shader_resources(2, &sized.lists);
        self.draw_blocks(context);
        context.ps_set_shader_resources(0, [None, None, None]);
    }

    fn draw_glows(&self, context: &mut DeviceContext) {
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.ia_set_input_layout(None);
        context.om_set_blend_state(&self.additive, [1.0; 4], u32::MAX);
        context.vs_set_shader(&self.glow_vs);
        context.vs_set_shader_resources(0, &self.lights_read);
        context.ps_set_shader(&self.glow_ps);
        context.draw_instanced(4, LIGHTS, 0, 0);
        context.vs_set_shader_resources(0, None);
    }

    fn draw(&self, frame: &mut Frame<'_>, sized: &SizedTargets, shows_heat: bool) -> Result<(), onze::Error> {
        let sway = (frame.time * 0.2).sin();
        let position = Vec3::new(-4.5 + 3.0 * sway, 5.6, 7.0);
        let camera = Camera {
            view: look_at_mat4(position, Vec3::new(0.5 - 1.5 * sway, 0.0, -9.0), Vec3::Y),
            projection: perspective(50_f32.to_radians(), frame.aspect_ratio(), 0.5, 150.0),
            position: position.to_array(),
            tiles_x: sized.size.0.div_ceil(TILE),
            shows_heat: shows_heat.into(),
            padding: [0; 3],
        };
        let (context, target) = (&mut *frame.context, frame.target);
        let depth = &sized.depth.depth_stencil_view;
        context.update(&self.camera, &camera)?;
        let lights: Vec<Light> = (0..LIGHTS).map(|n| light(n, frame.time)).collect();
        context.update(&self.lights, lights.as_slice())?;
        context.rs_set_viewports(Viewport::sized(frame.width as f32, frame.height as f32));
        context.clear_render_target_view(target, [0.004, 0.006, 0.014, 1.0]);
        context.clear_depth_stencil(depth);

        context.om_set_render_targets(None, depth);
        context.om_set_depth_stencil_state(None, 0);
        context.ps_set_shader(None);
        self.draw_blocks(context);

        context.om_set_render_targets(None, None);
        self.list_lights(context, sized);

        context.om_set_render_targets(target, depth);
        self.shade_blocks(context, sized);
        if !shows_heat {
            self.draw_glows(context);
        }
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    let (desc, shaders) = Shaders::with_args(WindowDesc::new("Light culling", 1280, 720), WGSL, HLSL);
    onze_winit::run(desc, move |setup| {
        let renderer = Renderer::new(setup.device, shaders)?;
        let mut sized = SizedTargets::new(setup.device, setup.width, setup.height)?;
        let mut shows_heat = false;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            shows_heat ^= frame.input.key_pressed(KeyCode::KeyH);
            if sized.size != (frame.width, frame.height) {
                sized = SizedTargets::new(frame.device, frame.width, frame.height)?;
            }
            renderer.draw(frame, &sized, shows_heat)?;
            Ok(())
        })
    })
}
