//! Order-independent transparency: glass drawn in any order, with a list of surfaces for each pixel.
//!
//! A pixel shader stores the glass surfaces through unordered-access views, and a second pass sorts the
//! surfaces of each pixel. Every frame draws the glass in a different order, which makes no visible
//! difference with sorting. S toggles the sorting, and Escape closes the window.

use std::f32::consts::TAU;

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Quat, Vec3};
use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("oit.wgsl");
const END: u32 = 0;
const NODE_SIZE: u32 = 20;
/// Average number of surfaces per pixel that fit into the lists, although a single pixel may have more.
const NODES_PER_PIXEL: u32 = 4;
/// The largest buffer binding that every adapter and browser supports, in bytes.
const LARGEST_BUFFER: u32 = 128 << 20;

#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Camera {
    to_clip: Mat4,
    position: [f32; 3],
    width: u32,
    sorts: u32,
    padding: [u32; 3],
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Object {
    to_world: Mat4,
    color: [f32; 3],
    /// The fraction of the light from behind that the glass absorbs, from 0 to 1.
    density: f32,
}

/// Creates a curved surface as a grid, where `at` maps two parameters from 0 to 1 to a position and a normal.
fn surface(columns: u16, rows: u16, at: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Vec<Corner> {
    let corner = |x: u16, y: u16| {
        let (position, normal) = at(f32::from(x) / f32::from(columns), f32::from(y) / f32::from(rows));
        Corner { position: position.to_array(), normal: normal.to_array() }
    };
    let cell = |x, y| [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)].map(|(i, j)| corner(x + i, y + j));
    (0..rows).flat_map(|y| (0..columns).flat_map(move |x| cell(x, y))).collect()
}

fn tube(columns: u16, radius: f32, path: impl Fn(f32) -> Vec3) -> Vec<Corner> {
    surface(columns, 24, |x, y| {
        let center = path(x);
        let along = path(x + 0.001) - path(x - 0.001);
        let across = along.cross(center).normalize();
        let (sin, cos) = (y * TAU).sin_cos();
        let normal = across * cos + along.cross(across).normalize() * sin;
        (center + normal * radius, normal)
    })
}

fn ring() -> Vec<Corner> {
    tube(96, 0.13, |x| Vec3::new((x * TAU).cos(), (x * TAU).sin(), 0.0))
}

/// Creates a knot that winds twice around the vertical axis and passes three times through the middle.
fn knot() -> Vec<Corner> {
    tube(240, 0.2, |x| {
        let (around, through) = (2.0 * TAU * x, 3.0 * TAU * x);
        let way = 0.75 + 0.32 * through.cos();
        Vec3::new(way * around.cos(), 0.45 * through.sin(), way * around.sin())
    })
}

fn sphere() -> Vec<Corner> {
    surface(64, 32, |x, y| {
        let (height, way) = (y * TAU / 2.0).sin_cos();
        let normal = Vec3::new(height * (x * TAU).cos(), way, height * (x * TAU).sin());
        (normal, normal)
    })
}

fn cube() -> Vec<Corner> {
    let sides = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let side = |normal: Vec3| {
        let up = if normal.y == 0.0 { Vec3::Y } else { Vec3::Z };
        let right = up.cross(normal);
        surface(1, 1, move |x, y| (normal + right * (2.0 * x - 1.0) + up * (2.0 * y - 1.0), normal))
    };
    sides.into_iter().flat_map(side).collect()
}

#[derive(Clone, Copy)]
enum Shape {
    Ring,
    Sphere,
    Pane,
    Knot,
}

/// Returns the glass at a given time: three nested rings, circling spheres, and panes at the back and the
/// sides.
fn glass(time: f32) -> Vec<(Shape, Object)> {
    let object = |at: Vec3, size: Vec3, turn: Quat, color: [f32; 3], density| Object {
        to_world: Mat4::from_scale_rotation_translation(size, turn, at),
        color,
        density,
    };
    let mut objects = Vec::new();
    let rings = [(1.95, [1.0, 0.16, 0.12]), (1.6, [0.15, 0.85, 0.3]), (1.25, [0.15, 0.35, 1.0])];
    for (n, (size, color)) in (0_u8..).zip(rings) {
        let tilt = Quat::from_rotation_x(0.5 + 0.9 * f32::from(n) + time * 0.35);
        let turn = Quat::from_rotation_y(time * 0.25 + 1.1 * f32::from(n)) * tilt;
        objects.push((Shape::Ring, object(Vec3::ZERO, Vec3::splat(size), turn, color, 0.22)));
    }
    let colors = [[1.0, 0.55, 0.1], [0.75, 0.2, 0.95], [0.1, 0.8, 0.85], [0.95, 0.85, 0.2], [1.0, 0.3, 0.55]];
    for (n, color) in (0_u8..).zip(colors) {
        let angle = f32::from(n) / 5.0 * TAU + time * 0.4;
        let at = Vec3::new(angle.cos() * 1.75, 0.75 * (angle * 2.0 + 0.6).sin(), angle.sin() * 1.75);
        let size = Vec3::splat(0.62 - 0.06 * f32::from(n));
        objects.push((Shape::Sphere, object(at, size, Quat::IDENTITY, color, 0.12)));
    }
    let panes = [
        (0.45, [1.0, 0.75, 0.25]),
        (2.5, [0.25, 0.75, 1.0]),
        (3.75, [0.95, 0.35, 0.75]),
        (5.3, [0.4, 0.95, 0.5]),
    ];
    for (angle, color) in panes {
        let angle: f32 = angle + time * 0.1;
        let at = Vec3::new(angle.cos() * 2.2, -0.5, angle.sin() * 1.6);
        let turn = Quat::from_rotation_y(-angle - 0.7);
        objects.push((Shape::Pane, object(at, Vec3::new(0.03, 1.5, 0.95), turn, color, 0.12)));
    }
    objects
}

/// Returns the numbers below `count` in an order that depends on `seed`.
fn shuffled(count: usize, seed: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|n| {
        (*n as u32 + 1).wrapping_mul((seed | 1).wrapping_mul(0x9E37_79B1)).rotate_left(seed % 32)
    });
    order
}

struct SizedTargets {
    size: (u32, u32),
    opaque: RenderTarget,
    depth: DepthTarget,
    heads: ShaderResourceView,
    heads_out: UnorderedAccessView,
    nodes: ShaderResourceView,
    nodes_out: UnorderedAccessView,
}

impl SizedTargets {
    fn new(device: &Device, width: u32, height: u32) -> Result<Self, onze::Error> {
        let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        let pixels = width * height;
        let heads = device.create_buffer(&BufferDesc::structured(4, pixels, flags), None)?;
        let room = (pixels * NODES_PER_PIXEL + 1).min(LARGEST_BUFFER / NODE_SIZE);
        let nodes = device.create_buffer(&BufferDesc::structured(NODE_SIZE, room, flags), None)?;
        // This view has a hidden counter, which the shader increments to allocate nodes.
        let counted = UnorderedAccessViewDesc::counted_buffer(0, room);
        Ok(Self {
            size: (width, height),
            opaque: device.create_render_target(Format::R16G16B16A16_FLOAT, width, height)?,
            depth: device.create_depth_target(Format::D32_FLOAT, width, height)?,
            heads: heads.create_shader_resource_view()?,
            heads_out: heads.create_unordered_access_view()?,
            nodes: nodes.create_shader_resource_view()?,
            nodes_out: device.create_unordered_access_view(&nodes, Some(&counted))?,
        })
    }
}

struct Renderer {
    shapes: [VertexBuffer<Corner>; 4],
    layout: InputLayout,
    rasterizer: RasterizerState,
    vs: VertexShader,
    floor_ps: PixelShader,
    metal_ps: PixelShader,
    glass_ps: PixelShader,
    blend_vs: VertexShader,
    blend_ps: PixelShader,
    camera: ConstantBuffer<Camera>,
    object: ConstantBuffer<Object>,
}

impl Renderer {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let pixel_shader = |name| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let camera = Camera { to_clip: Mat4::ZERO, position: [0.0; 3], width: 0, sorts: 0, padding: [0; 3] };
        Ok(Self {
            shapes: [
                device.create_vertex_buffer(&ring())?,
                device.create_vertex_buffer(&sphere())?,
                device.create_vertex_buffer(&cube())?,
                device.create_vertex_buffer(&knot())?,
            ],
            layout: device.create_input_layout_of::<Corner>(&vs)?,
            rasterizer: device.create_rasterizer_state(&RasterizerDesc {
                cull_mode: CullMode::None,
                ..Default::default()
            })?,
            vs,
            floor_ps: pixel_shader("floor_ps_main")?,
            metal_ps: pixel_shader("metal_ps_main")?,
            glass_ps: pixel_shader("glass_ps_main")?,
            blend_vs: device.create_vertex_shader(ShaderSource::wgsl(SHADER, "blend_vs_main"))?,
            blend_ps: pixel_shader("blend_ps_main")?,
            camera: device.create_constant_buffer(&camera)?,
            object: device.create_constant_buffer(&glass(0.0)[0].1)?,
        })
    }

    fn draw_shape(
        &self,
        context: &mut DeviceContext,
        shape: Shape,
        object: &Object,
    ) -> Result<(), onze::Error> {
        let vertices = &self.shapes[shape as usize];
        context.update(&self.object, object)?;
        context.ia_set_vertex_buffers(0, vertices);
        context.draw(vertices.len(), 0);
        Ok(())
    }

    fn draw_opaque(
        &self,
        context: &mut DeviceContext,
        sized: &SizedTargets,
        time: f32,
    ) -> Result<(), onze::Error> {
        let (target, depth) = (&sized.opaque.render_target_view, &sized.depth.depth_stencil_view);
        context.clear_render_target_view(target, [0.055, 0.07, 0.105, 1.0]);
        context.clear_depth_stencil(depth);
        context.om_set_render_targets(target, depth);
        let opaque = |to_world, color| Object { to_world, color, density: 1.0 };
        context.ps_set_shader(&self.floor_ps);
        let floor = Mat4::from_translation(Vec3::Y * -2.2) * Mat4::from_scale(Vec3::new(40.0, 0.1, 40.0));
        self.draw_shape(context, Shape::Pane, &opaque(floor, [1.0; 3]))?;
        context.ps_set_shader(&self.metal_ps);
        let knot = Mat4::from_rotation_y(time * 0.3) * Mat4::from_rotation_x(0.9);
        self.draw_shape(context, Shape::Knot, &opaque(knot, [1.0, 0.66, 0.26]))
    }

    /// Draws the glass in the given order, without bound render targets because the pixel shader stores the
    /// surfaces in the pixels' lists.
    fn list_glass(
        &self,
        context: &mut DeviceContext,
        sized: &SizedTargets,
        objects: &[(Shape, Object)],
        order: &[usize],
    ) -> Result<(), onze::Error> {
        context.clear_unordered_access_view_uint(&sized.heads_out, [END; 4]);
        // The node counter starts with the index after `END`, whereas the heads have no counter, so their
        // initial count is `u32::MAX`, which sets nothing.
        let (views, counts) = ([&sized.heads_out, &sized.nodes_out], [u32::MAX, END + 1]);
        context.om_set_render_targets_and_unordered_access_views(None, None, 0, views, &counts);
        context.ps_set_shader_resources(0, &sized.depth.shader_resource_view);
        context.ps_set_shader(&self.glass_ps);
        for n in order {
            self.draw_shape(context, objects[*n].0, &objects[*n].1)?;
        }
        context.ps_set_shader_resources(0, None);
        Ok(())
    }

    fn blend(&self, context: &mut DeviceContext, sized: &SizedTargets, target: &RenderTargetView) {
        // This also unbinds the lists, because shaders cannot read a resource that is bound for writing.
        context.om_set_render_targets_and_unordered_access_views(target, None, 1, None, &[]);
        context.ia_set_input_layout(None);
        context.vs_set_shader(&self.blend_vs);
        context.ps_set_shader(&self.blend_ps);
        let lists = [&sized.opaque.shader_resource_view, &sized.heads, &sized.nodes];
        context.ps_set_shader_resources(1, lists);
        context.draw(3, 0);
        context.ps_set_shader_resources(1, [None, None, None]);
    }

    fn draw(
        &self,
        context: &mut DeviceContext,
        target: &RenderTargetView,
        sized: &SizedTargets,
        time: f32,
        (seed, sorts): (u32, bool),
    ) -> Result<(), onze::Error> {
        let (width, height) = (sized.size.0 as f32, sized.size.1 as f32);
        let position = Vec3::new(0.6 * (time * 0.2).sin(), 1.5, 6.8);
        let to_view = look_at_mat4(position, Vec3::new(0.0, -0.25, 0.0), Vec3::Y);
        let camera = Camera {
            to_clip: perspective(45_f32.to_radians(), width / height, 1.0, 60.0) * to_view,
            position: position.to_array(),
            width: sized.size.0,
            sorts: sorts.into(),
            padding: [0; 3],
        };
        context.update(&self.camera, &camera)?;
        context.rs_set_viewports(Viewport::sized(width, height));
        context.rs_set_state(&self.rasterizer);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.vs_set_shader(&self.vs);
        for (slot, buffer) in [(0, self.camera.buffer()), (1, self.object.buffer())] {
            context.vs_set_constant_buffers(slot, buffer);
            context.ps_set_constant_buffers(slot, buffer);
        }
        self.draw_opaque(context, sized, time)?;
        let objects = glass(time);
        self.list_glass(context, sized, &objects, &shuffled(objects.len(), seed))?;
        self.blend(context, sized, target);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Order-independent transparency", 1280, 720).with_args(), |setup| {
        let renderer = Renderer::new(setup.device)?;
        let mut sized = SizedTargets::new(setup.device, setup.width, setup.height)?;
        let (mut sorts, mut frames) = (true, 0);
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            sorts ^= frame.input.key_pressed(KeyCode::KeyS);
            if sized.size != (frame.width, frame.height) {
                sized = SizedTargets::new(frame.device, frame.width, frame.height)?;
            }
            frames += 1;
            renderer.draw(frame.context, frame.target, &sized, frame.time, (frames, sorts))?;
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the picture and the number of passes, with the glass drawn in the order of a seed.
    fn picture(
        (device, context): (&Device, &mut ImmediateContext),
        how: (u32, bool),
    ) -> Result<(Vec<u8>, u64), onze::Error> {
        let (renderer, sized) = (Renderer::new(device)?, SizedTargets::new(device, 160, 90)?);
        let target = device.create_render_target(Format::R8G8B8A8_UNORM_SRGB, 160, 90)?;
        let before = device.statistics();
        renderer.draw(context, &target.render_target_view, &sized, 0.0, how)?;
        let pixels = context.read_texture_2d(&target.texture, 0)?;
        Ok((pixels, (device.statistics() - before).passes))
    }

    #[test]
    fn the_order_of_the_draws_does_not_matter() -> Result<(), onze::Error> {
        let made = create_device(&DeviceDesc::default());
        if made.is_err() && std::env::var_os("ONZE_ALLOW_NO_GPU").is_some() {
            println!("not run: there is no adapter to draw with");
            return Ok(());
        }
        let (device, mut context) = made?;
        let mut draw = |seed, sorts| picture((&device, &mut context), (seed, sorts));
        let (expected, passes) = draw(1, true)?;
        assert_eq!(passes, 3);
        for seed in 2..5 {
            assert_ne!(shuffled(12, seed), shuffled(12, 1));
            assert!(draw(seed, true)?.0 == expected, "order {seed} is another picture");
        }
        // Without sorting, the order changes the picture, which proves that the shapes overlap.
        assert!(draw(1, false)?.0 != draw(2, false)?.0);
        Ok(())
    }
}
