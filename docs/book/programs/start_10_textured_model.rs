//! Step 10 of the book's chapter "Start": the lit model with its materials and textures.

// ANCHOR: all
use std::f32::consts::FRAC_PI_2;

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3, Vec4};
use onze::prelude::*;
use onze_winit::winit::{event::MouseButton, keyboard::KeyCode};
use onze_winit::{Frame, Setup, WindowDesc};

const MODEL: &[u8] = include_bytes!("../../../examples/assets/pawn.glb");

// ANCHOR: shader
const SHADER: &str = "
struct View { to_clip: mat4x4f, eye: vec4f }
struct Surface { color: vec4f, metallic: f32, roughness: f32 }

@group(0) @binding(0) var<uniform> view: View; // register b0
@group(0) @binding(1) var<uniform> surface: Surface; // register b1
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(2) @binding(0) var image_sampler: sampler; // register s0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoord: vec2f,
}

@vertex
fn vs_main(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoord: vec2f,
) -> Corner {
    return Corner(view.to_clip * vec4f(position, 1.0), position, normal, texcoord);
}

// The light of the sky from a direction: dark below, bright above.
fn sky(direction: vec3f) -> vec3f {
    return mix(vec3f(0.10, 0.09, 0.08), vec3f(0.45, 0.55, 0.75), 0.5 + 0.5 * direction.y);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let color = surface.color.rgb * textureSample(image, image_sampler, corner.texcoord).rgb;
    let normal = normalize(corner.normal);
    let to_eye = normalize(view.eye.xyz - corner.world);
    let to_sun = normalize(vec3f(0.4, 0.9, 0.6));
    // Scattered light of the sun (Lambert) and of the sky. Metals scatter no light.
    let facing = max(dot(normal, to_sun), 0.0);
    let scattered = color * (1.0 - surface.metallic) * (facing * vec3f(1.0, 0.92, 0.8) + sky(normal) * 0.6);
    // Reflected light of the sun (Blinn-Phong) and of the sky. The highlight is smaller and brighter on
    // smooth surfaces. The reflectance (Schlick) grows from 4 %, or a metal's colour, to 1 at grazing angles.
    let power = 2.0 / pow(surface.roughness, 4.0);
    let highlight = facing * power / 60.0 * pow(max(dot(normal, normalize(to_eye + to_sun)), 0.0), power);
    let mirrored = sky(reflect(-to_eye, normal)) * (1.0 - 0.7 * surface.roughness);
    let least = mix(vec3f(0.04), color, surface.metallic);
    let reflectance = least + (1.0 - least) * pow(1.0 - max(dot(normal, to_eye), 0.0), 5.0);
    return vec4f(scattered + reflectance * (highlight + mirrored), 1.0);
}";
// ANCHOR_END: shader

// ANCHOR: structs
#[derive(Clone, Copy, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    texcoord: [f32; 2],
}

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct View {
    to_clip: Mat4,
    eye: Vec4,
}

/// Triangles of one material.
struct Part {
    start_index: u32,
    index_count: u32,
    /// The colour, followed by the metallic factor, the roughness and two numbers of padding.
    surface: ConstantBuffer<[[f32; 4]; 2]>,
    image: ShaderResourceView,
}

#[derive(Default)]
struct Model {
    corners: Vec<Corner>,
    indices: Vec<u32>,
    parts: Vec<Part>,
}
// ANCHOR_END: structs

// ANCHOR: load
fn load(setup: &mut Setup<'_>, glb: &[u8]) -> onze_winit::Result<Model> {
    let file = gltf::Gltf::from_slice(glb)?;
    let blob = file.blob.as_deref().ok_or("the file has no binary part")?;
    let mut model = Model::default();
    for node in file.nodes() {
        let to_world = Mat4::from_cols_array_2d(&node.transform().matrix());
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            let reader = primitive.reader(|_| Some(blob));
            let positions = reader.read_positions().ok_or("a mesh has no positions")?;
            let normals = reader.read_normals().ok_or("a mesh has no normals")?;
            let texcoords = reader.read_tex_coords(0).ok_or("a mesh has no texture coordinates")?.into_f32();
            let triangles = reader.read_indices().ok_or("a mesh has no indices")?.into_u32();
            let (first, start_index) = (model.corners.len() as u32, model.indices.len() as u32);
            model.indices.extend(triangles.map(|index| first + index));
            let corners = positions.zip(normals).zip(texcoords);
            model.corners.extend(corners.map(|((position, normal), texcoord)| Corner {
                position: to_world.transform_point3(position.into()).to_array(),
                normal: to_world.transform_vector3(normal.into()).to_array(),
                texcoord,
            }));
            let index_count = model.indices.len() as u32 - start_index;
            let (surface, image) = material(setup, &primitive.material(), blob)?;
            model.parts.push(Part { start_index, index_count, surface, image });
        }
    }
    Ok(model)
}
// ANCHOR_END: load

// ANCHOR: material
type Material = (ConstantBuffer<[[f32; 4]; 2]>, ShaderResourceView);

fn material(setup: &mut Setup<'_>, of: &gltf::Material<'_>, blob: &[u8]) -> onze_winit::Result<Material> {
    let pbr = of.pbr_metallic_roughness();
    let surface = [pbr.base_color_factor(), [pbr.metallic_factor(), pbr.roughness_factor(), 0.0, 0.0]];
    let texture = match pbr.base_color_texture().map(|info| info.texture().source().source()) {
        // A PNG or JPEG file in the model's file.
        Some(gltf::image::Source::View { view, .. }) => {
            let bytes =
                blob.get(view.offset()..view.offset() + view.length()).ok_or("the file is cut off")?;
            setup.device.create_texture_from_memory(setup.context, bytes)?
        }
        // A white texel leaves the colour unchanged.
        _ => setup.device.create_texture_2d_with(Format::R8G8B8A8_UNORM_SRGB, 1, 1, &[[255_u8; 4]])?,
    };
    Ok((setup.device.create_constant_buffer(&surface)?, texture.create_shader_resource_view()?))
}
// ANCHOR_END: material

/// A camera that orbits a point. Angles are in radians.
struct Orbit {
    target: Vec3,
    yaw: f32,
    pitch: f32,
    distance: f32,
}

impl Orbit {
    /// Creates a camera that sees all corners.
    fn around(corners: &[Corner]) -> Self {
        let positions = || corners.iter().map(|corner| Vec3::from(corner.position));
        let low = positions().fold(Vec3::INFINITY, Vec3::min);
        let high = positions().fold(Vec3::NEG_INFINITY, Vec3::max);
        Self { target: (low + high) / 2.0, yaw: -0.4, pitch: 0.35, distance: (high - low).length() * 1.2 }
    }

    /// Turns the camera with the arrow keys or by dragging with the left button, and zooms with the wheel.
    fn follow_input(&mut self, frame: &Frame<'_>) {
        let input = frame.input;
        if input.mouse_held(MouseButton::Left) {
            let (x, y) = input.cursor_diff();
            self.yaw -= x * 0.01;
            self.pitch += y * 0.01;
        }
        let held = |key| if input.key_held(key) { frame.delta } else { 0.0 };
        self.yaw += held(KeyCode::ArrowLeft) - held(KeyCode::ArrowRight);
        self.pitch += held(KeyCode::ArrowUp) - held(KeyCode::ArrowDown);
        self.pitch = self.pitch.clamp(0.05, FRAC_PI_2 - 0.01);
        self.distance *= 0.9_f32.powf(input.scroll_diff().1);
    }

    // ANCHOR: view
    fn view(&self, aspect_ratio: f32) -> View {
        let (sin, cos) = self.pitch.sin_cos();
        let direction = Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos);
        let eye = self.target + direction * self.distance;
        let (near, far) = (self.distance * 0.05, self.distance * 10.0);
        let projection = perspective(45_f32.to_radians(), aspect_ratio, near, far);
        View { to_clip: projection * look_at_mat4(eye, self.target, Vec3::Y), eye: eye.extend(1.0) }
    }
    // ANCHOR_END: view
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("Start", 960, 540).with_depth().with_args();
    onze_winit::run(desc, |setup| {
        let device = setup.device;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let ps = device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?;
        let layout = device.create_input_layout_of::<Corner>(&vs)?;
        // ANCHOR: create
        let repeated = SamplerDesc::new(Filter::ANISOTROPIC, TextureAddressMode::Wrap);
        let sampler = device.create_sampler_state(&SamplerDesc { max_anisotropy: 8, ..repeated })?;
        let model = load(setup, MODEL)?;
        let vertices = device.create_vertex_buffer(&model.corners)?;
        let indices = device.create_index_buffer(&model.indices)?;
        let mut camera = Orbit::around(&model.corners);
        let view = device.create_constant_buffer(&camera.view(1.0))?;
        // ANCHOR_END: create
        let rasterizer = device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            camera.follow_input(frame);
            let aspect_ratio = frame.aspect_ratio();
            let context = frame.begin([0.03, 0.04, 0.07, 1.0]);
            context.update(&view, &camera.view(aspect_ratio))?;
            // ANCHOR: bind
            context.vs_set_constant_buffers(0, &view);
            context.ps_set_constant_buffers(0, &view);
            // ANCHOR_END: bind
            context.ps_set_samplers(0, &sampler);
            context.rs_set_state(&rasterizer);
            context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            context.ia_set_input_layout(&layout);
            context.ia_set_vertex_buffers(0, &vertices);
            context.ia_set_indices(&indices);
            context.vs_set_shader(&vs);
            context.ps_set_shader(&ps);
            // ANCHOR: loop
            for part in &model.parts {
                context.ps_set_constant_buffers(1, &part.surface);
                context.ps_set_shader_resources(0, &part.image);
                context.draw_indexed(part.index_count, part.start_index, 0);
            }
            // ANCHOR_END: loop
            Ok(())
        })
    })
}
// ANCHOR_END: all
