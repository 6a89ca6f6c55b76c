//! Shows a glTF model: run `cargo run --bin model_viewer -- FILE.glb`, or drop a file on the window. Without
//! a file, the program shows two pawns. Drag to turn the camera, use the wheel to zoom, and drag with the
//! right button or Shift to pan. Escape ends the program.
//!
//! This example demonstrates:
//!
//! * **Materials**: metallic-roughness shading with GGX, normal maps, occlusion, emission, alpha masks and
//!   blending.
//! * **Image-based lighting**: all light comes from the environment, a procedural studio that is drawn into a
//!   cube map at startup. Each further mip level contains the reflections for a rougher surface, and the last
//!   level contains the diffuse light.
//! * **High dynamic range**: the picture is drawn in linear light with values above 1, into a target with up
//!   to four texels per pixel. The last draw tone maps these samples and averages them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use glam::{Mat4, Vec3, Vec4};
use onze::prelude::*;
use onze_examples::gpu_model::{self, GpuModel, Part};
use onze_examples::{model::Model, orbit::OrbitCamera};
use onze_winit::winit::{event::WindowEvent, keyboard::KeyCode};
use onze_winit::{Frame, Game, Setup, WindowDesc};

const SHADER: &str = include_str!("model_viewer.wgsl");
const PAWNS: &[u8] = include_bytes!("../../assets/pawn.glb");

const LIGHT: Format = Format::R16G16B16A16_FLOAT;

/// Edge length of the environment map in texels, and its number of mip levels, five for reflections and one
/// for diffuse light.
const ENVIRONMENT: (u32, u32) = (128, 6);

/// Texture extent that every device supports, which limits the number of samples per pixel in large windows.
const MOST_TEXELS: u32 = 8192;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct SceneConstants {
    to_clip: Mat4,
    to_direction: Mat4,
    /// The camera's position in xyz, and the number of samples along each side of a pixel in w.
    eye: Vec4,
}

struct Renderer {
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    screen_vs: VertexShader,
    background_ps: PixelShader,
    picture_ps: PixelShader,
    constants: ConstantBuffer<SceneConstants>,
    environment: ShaderResourceView,
    smooth: SamplerState,
    /// Rasterizer states, indexed by whether both sides are drawn, and then by whether the winding is
    /// reversed.
    rasterizers: [[RasterizerState; 2]; 2],
    blend: BlendState,
    /// Tests depth without writing it, for blended surfaces, so that they do not hide surfaces that are drawn
    /// later.
    depth_as_is: DepthStencilState,
    /// The targets, whose size is the window's size times the number of samples along each side of a pixel.
    targets: Option<(RenderTarget, DepthTarget)>,
}

impl Renderer {
    fn new(context: &mut ImmediateContext) -> Result<Self, onze::Error> {
        let device = context.device();
        let vertex_shader = |name| device.create_vertex_shader(ShaderSource::wgsl(SHADER, name));
        let pixel_shader = |name| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
        let (vs, screen_vs) = (vertex_shader("vs_main")?, vertex_shader("screen_vs")?);
        let rasterizer = |cull_mode, front_counter_clockwise| {
            let desc = RasterizerDesc { cull_mode, front_counter_clockwise, ..RasterizerDesc::default() };
            device.create_rasterizer_state(&desc)
        };
        let both_ways = |cull| Ok::<_, onze::Error>([rasterizer(cull, true)?, rasterizer(cull, false)?]);
        let zero = SceneConstants { to_clip: Mat4::ZERO, to_direction: Mat4::ZERO, eye: Vec4::ZERO };
        let as_is = DepthStencilDesc { depth_write: false, ..DepthStencilDesc::default() };
        Ok(Self {
            layout: device.create_input_layout(&gpu_model::input_elements(), &vs)?,
            environment: draw_environment(context, &screen_vs, &pixel_shader("environment_ps")?)?,
            ps: pixel_shader("ps_main")?,
            background_ps: pixel_shader("background_ps")?,
            picture_ps: pixel_shader("picture_ps")?,
            constants: device.create_constant_buffer(&zero)?,
            smooth: device.create_sampler_state(&SamplerDesc::default())?,
            rasterizers: [both_ways(CullMode::Back)?, both_ways(CullMode::None)?],
            blend: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?,
            depth_as_is: device.create_depth_stencil_state(&as_is)?,
            targets: None,
            vs,
            screen_vs,
        })
    }

    /// Returns the targets and the number of samples along each side of a pixel, creating the targets again
    /// if the window's size has changed.
    fn targets(&mut self, frame: &Frame<'_>) -> Result<((RenderTarget, DepthTarget), u32), onze::Error> {
        let side = if frame.width.max(frame.height) * 2 > MOST_TEXELS { 1 } else { 2 };
        let (width, height) = (frame.width * side, frame.height * side);
        let size =
            self.targets.as_ref().map(|(color, _)| (color.texture.desc().width, color.texture.desc().height));
        if let (Some(targets), true) = (&self.targets, size == Some((width, height))) {
            return Ok((targets.clone(), side));
        }
        let color = frame.device.create_render_target(LIGHT, width, height)?;
        let depth = frame.device.create_depth_target(Format::D32_FLOAT, width, height)?;
        Ok((self.targets.insert((color, depth)).clone(), side))
    }

    fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        model: &GpuModel,
        camera: &OrbitCamera,
    ) -> Result<(), onze::Error> {
        let ((color, depth), side) = self.targets(frame)?;
        let to_clip = camera.to_clip(frame.aspect_ratio());
        let (eye, rotation) = (camera.eye(), Mat4::from_translation(camera.eye()));
        let constants = SceneConstants {
            to_clip,
            to_direction: (to_clip * rotation).inverse(),
            eye: eye.extend(side as f32),
        };
        let context = &mut *frame.context;
        context.update(&self.constants, &constants)?;
        context.om_set_render_targets(&color.render_target_view, &depth.depth_stencil_view);
        context.rs_set_viewports(Viewport::sized((frame.width * side) as f32, (frame.height * side) as f32));
        context.clear_depth_stencil(&depth.depth_stencil_view);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
        context.ps_set_shader_resources(5, &self.environment);
        context.ps_set_samplers(5, &self.smooth);

        // The background writes no depth, so everything that is drawn later covers it.
        context.om_set_depth_stencil_state(&self.depth_as_is, 0);
        context.om_set_blend_state(None, [1.0; 4], u32::MAX);
        context.rs_set_state(None);
        context.vs_set_shader(&self.screen_vs);
        context.ps_set_shader(&self.background_ps);
        context.draw(3, 0);

        context.om_set_depth_stencil_state(None, 0);
        context.ia_set_input_layout(&self.layout);
        context.vs_set_shader(&self.vs);
        context.ps_set_shader(&self.ps);
        let (mut blended, solid): (Vec<_>, Vec<_>) =
            model.parts.iter().partition(|part| model.materials[part.material].blends);
        solid.into_iter().for_each(|part| self.draw_part(context, model, part));
        // Draw the farthest part first, because each part is blended over the picture so far.
        blended.sort_by(|a, b| b.middle.distance(eye).total_cmp(&a.middle.distance(eye)));
        context.om_set_depth_stencil_state(&self.depth_as_is, 0);
        context.om_set_blend_state(&self.blend, [1.0; 4], u32::MAX);
        blended.into_iter().for_each(|part| self.draw_part(context, model, part));

        let context = frame.begin([0.0; 4]);
        context.om_set_blend_state(None, [1.0; 4], u32::MAX);
        context.rs_set_state(None);
        context.vs_set_shader(&self.screen_vs);
        context.ps_set_shader(&self.picture_ps);
        context.ps_set_shader_resources(0, &color.shader_resource_view);
        context.draw(3, 0);
        // The next frame draws into this texture, so it must not stay bound for reading.
        context.ps_set_shader_resources(0, None);
        Ok(())
    }

    fn draw_part(&self, context: &mut DeviceContext, model: &GpuModel, part: &Part) {
        let (material, (vertices, indices)) = (&model.materials[part.material], &model.meshes[part.mesh]);
        context.rs_set_state(
            &self.rasterizers[usize::from(material.is_double_sided)][usize::from(part.is_mirrored)],
        );
        context.ia_set_vertex_buffers(0, vertices);
        context.ia_set_indices(indices);
        context.vs_set_constant_buffers(1, &part.constants);
        context.ps_set_constant_buffers(2, &material.constants);
        context.ps_set_shader_resources(0, material.textures.each_ref());
        context.ps_set_samplers(0, material.samplers.each_ref());
        context.draw_indexed(indices.len(), 0, 0);
    }
}

/// Draws the environment map, where each mip level of each face is a separate render target.
fn draw_environment(
    context: &mut ImmediateContext,
    vs: &VertexShader,
    ps: &PixelShader,
) -> Result<ShaderResourceView, onze::Error> {
    let device = context.device();
    let (size, mip_levels) = ENVIRONMENT;
    let texture = device.create_texture_2d(
        &Texture2dDesc {
            mip_levels,
            array_size: 6,
            misc_flags: MiscFlags::TEXTURECUBE,
            ..Texture2dDesc::render_target(LIGHT, size, size)
        },
        None,
    )?;
    // For each face, in the order of the slices: the directions to its middle, to its right and up.
    let faces = [
        (Vec3::X, Vec3::NEG_Z, Vec3::Y),
        (Vec3::NEG_X, Vec3::Z, Vec3::Y),
        (Vec3::Y, Vec3::X, Vec3::NEG_Z),
        (Vec3::NEG_Y, Vec3::X, Vec3::Z),
        (Vec3::Z, Vec3::X, Vec3::Y),
        (Vec3::NEG_Z, Vec3::NEG_X, Vec3::Y),
    ];
    let constants = device.create_constant_buffer(&[Vec4::ZERO; 4])?;
    context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    context.vs_set_shader(vs);
    context.ps_set_shader(ps);
    context.ps_set_constant_buffers(0, &constants);
    for mip in 0..mip_levels {
        let roughness = mip as f32 / (mip_levels - 2) as f32;
        let side = (size >> mip) as f32;
        context.rs_set_viewports(Viewport::sized(side, side));
        for (slice, (forward, right, up)) in (0..).zip(faces) {
            let desc = RenderTargetViewDesc::texture_2d_array(LIGHT, mip, slice, 1);
            context.om_set_render_targets(&device.create_render_target_view(&texture, &desc)?, None);
            let [forward, right, up] = [forward, right, up].map(|axis| axis.extend(0.0));
            context.update(&constants, &[forward, right, up, Vec4::splat(roughness)])?;
            context.draw(3, 0);
        }
    }
    context.om_set_render_targets(None, None);
    let cube = ShaderResourceViewDimension::TextureCube { most_detailed_mip: 0, mip_levels };
    device.create_shader_resource_view(&texture, &ShaderResourceViewDesc::dimension(cube))
}

struct Viewer {
    renderer: Renderer,
    model: GpuModel,
    camera: OrbitCamera,
    dropped: Option<PathBuf>,
}

impl Viewer {
    fn new(setup: &mut Setup<'_>, model: &Model) -> Result<Self, onze::Error> {
        let model = GpuModel::new(setup.context, model)?;
        let camera = OrbitCamera::fit(&model.bounds, setup.width as f32 / setup.height as f32);
        Ok(Self { renderer: Renderer::new(setup.context)?, model, camera, dropped: None })
    }
}

impl Game for Viewer {
    fn frame(&mut self, frame: &mut Frame<'_>) -> onze_winit::Result<()> {
        if frame.input.key_pressed(KeyCode::Escape) {
            frame.exit();
        }
        if let Some(path) = self.dropped.take() {
            match Model::load(&path) {
                Ok(model) => {
                    self.model = GpuModel::new(frame.context, &model)?;
                    self.camera = OrbitCamera::fit(&self.model.bounds, frame.aspect_ratio());
                }
                // If the dropped file is invalid, the current model stays.
                Err(error) => eprintln!("{error}"),
            }
        }
        self.camera.update(frame.input, frame.height, frame.delta);
        Ok(self.renderer.draw(frame, &self.model, &self.camera)?)
    }

    fn event(&mut self, event: &WindowEvent) {
        if let WindowEvent::DroppedFile(path) = event {
            self.dropped = Some(path.clone());
        }
    }
}

/// Shows a glTF model.
#[cfg(not(target_arch = "wasm32"))]
#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    window: onze_winit::WindowArgs,
    /// The model, .gltf or .glb; default: two pawns
    file: Option<PathBuf>,
}

#[cfg(not(target_arch = "wasm32"))]
fn view(desc: WindowDesc) -> onze_winit::Result<()> {
    let Options { window, file } = clap::Parser::parse();
    // Load the model before the window opens, so that no empty window is shown.
    let model = match &file {
        Some(path) => Model::load(path)?,
        None => Model::from_slice(PAWNS, Path::new("pawn.glb"))?,
    };
    onze_winit::run(desc.with(window), move |setup| Ok(Viewer::new(setup, &model)?))
}

#[cfg(target_arch = "wasm32")]
fn view(desc: WindowDesc) -> onze_winit::Result<()> {
    let model = Model::from_slice(PAWNS, Path::new("pawn.glb"))?;
    onze_winit::run(desc.with_args(), move |setup| Ok(Viewer::new(setup, &model)?))
}

fn main() -> ExitCode {
    match view(WindowDesc::new("Model viewer", 960, 540)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
