//! The workload as a Direct3D 11 program with Onze. [`crate::wgpu_side`] implements the same workload with
//! raw wgpu.

use std::ops::Range;
use std::sync::Arc;

use onze::prelude::*;

use crate::workload::{
    Constants, Mesh, PIXEL_SHADERS, SCENE_MESHES, SCENE_SHADERS, SLOT, SceneDraw, TARGET, TEXTURE, TEXTURES,
    Variant, Workload, material_textures,
};

/// Size in bytes of the buffers that contain the constants of a draw.
const BYTES: u32 = size_of::<Constants>() as u32;

const BINDINGS: &str = r"
@group(0) @binding(0) var<uniform> object: Object;
@group(0) @binding(1) var<uniform> surface: Object;
@group(1) @binding(0) var albedo: texture_2d<f32>;
@group(1) @binding(1) var detail_map: texture_2d<f32>;
@group(1) @binding(2) var gloss_map: texture_2d<f32>;
@group(2) @binding(0) var filtering: sampler;
@group(1) @binding(0) var<storage> objects: array<Object>;
@group(3) @binding(0) var<storage, read_write> written: array<vec4f>;
";

/// The objects that all contexts share, created once per device.
#[derive(Debug)]
pub struct Objects {
    device: Device,
    work: Workload,
    picture: Texture2d,
    target: RenderTargetView,
    layout: InputLayout,
    vertices: Buffer,
    indices: Buffer,
    vs: VertexShader,
    pixel_shaders: Vec<PixelShader>,
    blends: [BlendState; 2],
    rasterizers: [RasterizerState; 2],
    textures: Vec<ShaderResourceView>,
    sampler: SamplerState,
    /// The constants of the first draw. They do not change.
    identical: Buffer,
    mapped: Buffer,
    /// Pixel shader constants, mapped with DISCARD for each box.
    surface: Buffer,
    /// Constants that each draw replaces by `UpdateSubresource`.
    updated: Buffer,
    /// A structured buffer that is mapped with DISCARD for each draw, and its view.
    structured: (Buffer, ShaderResourceView),
    ps_boxes: PixelShader,
    vs_structured: VertexShader,
    vs_written: VertexShader,
    cs: ComputeShader,
    scene: SceneObjects,
}

/// The objects that only the scene uses.
#[derive(Debug)]
struct SceneObjects {
    pixel_shaders: Vec<PixelShader>,
    /// The vertex buffer, the index buffer and the number of indices of each mesh.
    meshes: Vec<(Buffer, Buffer, u32)>,
    /// Dynamic constant buffers of both stages, with 64, 128, 192 and 256 bytes.
    constants: [Vec<Buffer>; 2],
}

impl SceneObjects {
    fn new(device: &Device, work: &Workload, source: &str) -> Result<Self, onze::Error> {
        let shader = |entry: &&'static str| device.create_pixel_shader(ShaderSource::wgsl(source, entry));
        let mesh = |mesh| -> Result<_, onze::Error> {
            let (vertices, indices) = work.scene_mesh(mesh);
            Ok((
                device.create_buffer_with(BindFlags::VERTEX_BUFFER, vertices)?,
                device.create_buffer_with(BindFlags::INDEX_BUFFER, indices)?,
                indices.len() as u32,
            ))
        };
        let buffers = || {
            let sizes = (1..=SLOT / size_of::<Constants>()).map(|steps| steps * size_of::<Constants>());
            let desc = |bytes| BufferDesc::dynamic(bytes as u32, BindFlags::CONSTANT_BUFFER);
            sizes.map(|bytes| device.create_buffer(&desc(bytes), None)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            pixel_shaders: SCENE_SHADERS.iter().map(shader).collect::<Result<_, _>>()?,
            meshes: (0..SCENE_MESHES).map(mesh).collect::<Result<_, _>>()?,
            constants: [buffers()?, buffers()?],
        })
    }
}

impl Objects {
    /// Creates the textures, buffers, shaders and state objects on a device.
    ///
    /// # Errors
    /// Returns an error if an object cannot be created.
    pub fn new(device: &Device, work: Workload) -> Result<Self, onze::Error> {
        let source = crate::workload::shaders(BINDINGS);
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, TARGET, TARGET);
        let picture = device.create_texture_2d(&target, None)?;
        let vs = device.create_vertex_shader(ShaderSource::wgsl(source.as_str(), "vs_main"))?;
        let ps =
            |entry: &&'static str| device.create_pixel_shader(ShaderSource::wgsl(source.as_str(), entry));
        let blend = |target| device.create_blend_state(&BlendDesc::all(target));
        let rasterizer =
            |cull_mode| device.create_rasterizer_state(&RasterizerDesc { cull_mode, ..Default::default() });
        let position = InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT);
        let constants = BindFlags::CONSTANT_BUFFER;
        let structured = device.create_buffer(
            &BufferDesc {
                usage: Usage::Dynamic,
                cpu_access_flags: CpuAccessFlags::WRITE,
                ..BufferDesc::structured(BYTES, 1, BindFlags::SHADER_RESOURCE)
            },
            None,
        )?;
        Ok(Self {
            target: device.create_render_target_view(&picture, None)?,
            picture,
            layout: device.create_input_layout(&[position], &vs)?,
            vertices: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &work.vertices[..])?,
            indices: device.create_buffer_with(BindFlags::INDEX_BUFFER, &work.indices[..])?,
            vs,
            pixel_shaders: PIXEL_SHADERS.iter().map(ps).collect::<Result<_, _>>()?,
            blends: [blend(RenderTargetBlendDesc::default())?, blend(RenderTargetBlendDesc::alpha())?],
            rasterizers: [rasterizer(CullMode::None)?, rasterizer(CullMode::Back)?],
            textures: (0..TEXTURES).map(|index| texture(device, index)).collect::<Result<_, _>>()?,
            sampler: device.create_sampler_state(&SamplerDesc::new(
                Filter::MIN_MAG_MIP_POINT,
                TextureAddressMode::Clamp,
            ))?,
            identical: device
                .create_buffer_with(constants, &work.constants[..work.constants.len().min(1)])?,
            mapped: device.create_buffer(&BufferDesc::dynamic(BYTES, constants), None)?,
            surface: device.create_buffer(&BufferDesc::dynamic(BYTES, constants), None)?,
            updated: device.create_buffer(&BufferDesc::new(BYTES, constants), None)?,
            structured: (structured.clone(), structured.create_shader_resource_view()?),
            ps_boxes: device.create_pixel_shader(ShaderSource::wgsl(source.as_str(), "ps_boxes"))?,
            vs_structured: device
                .create_vertex_shader(ShaderSource::wgsl(source.as_str(), "vs_structured"))?,
            vs_written: device.create_vertex_shader(ShaderSource::wgsl(source.as_str(), "vs_written"))?,
            cs: device.create_compute_shader(ShaderSource::wgsl(source.as_str(), "cs_main"))?,
            scene: SceneObjects::new(device, &work, &source)?,
            device: device.clone(),
            work,
        })
    }

    /// Returns the render target of all draws, for comparing pictures.
    pub fn picture(&self) -> &Texture2d {
        &self.picture
    }

    /// Clears the target at the start of a frame.
    pub fn clear(&self, ctx: &mut DeviceContext) {
        ctx.clear_render_target_view(&self.target, [0.0; 4]);
    }

    /// Binds the state that all draws share.
    pub fn begin(&self, ctx: &mut DeviceContext) {
        ctx.om_set_render_targets(&self.target, None);
        ctx.rs_set_viewports(Viewport::sized(TARGET as f32, TARGET as f32));
        ctx.ia_set_input_layout(&self.layout);
        ctx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, 12));
        ctx.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
        ctx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        ctx.vs_set_shader(&self.vs);
        ctx.vs_set_constant_buffers(0, &self.identical);
        ctx.ps_set_samplers(0, &self.sampler);
        self.bind_texture(ctx, 0);
        self.bind_combination(ctx, 0);
    }

    /// Records one draw without changing any state.
    pub fn draw(&self, ctx: &mut DeviceContext) {
        ctx.draw_indexed(3, 0, 0);
    }

    /// Maps a buffer, writes the 64 bytes of a draw's constants, and binds the buffer to the vertex shader.
    ///
    /// # Errors
    /// Returns an error if the map fails.
    pub fn map_constants(&self, ctx: &mut DeviceContext, draw: usize) -> Result<(), onze::Error> {
        ctx.map(&self.mapped, 0, MapType::WriteDiscard)?.write(0, &self.work.constants[draw]);
        ctx.vs_set_constant_buffers(0, &self.mapped);
        Ok(())
    }

    /// Writes the constants of a box to mapped buffers, and binds them to both stages.
    ///
    /// # Errors
    /// Returns an error if a map fails.
    pub fn map_box(&self, ctx: &mut DeviceContext, draw: usize) -> Result<(), onze::Error> {
        self.map_constants(ctx, draw)?;
        ctx.map(&self.surface, 0, MapType::WriteDiscard)?.write(0, &self.work.surfaces[draw]);
        ctx.ps_set_constant_buffers(1, &self.surface);
        Ok(())
    }

    /// Draws the mesh of a box.
    pub fn draw_box(&self, ctx: &mut DeviceContext, draw: usize) {
        let Mesh { indices, base_vertex } = self.work.mesh(draw);
        ctx.draw_indexed(indices.end - indices.start, indices.start, *base_vertex);
    }

    /// Writes and binds a draw's constants like [`map_constants`](Self::map_constants), but with an update of
    /// the whole buffer.
    pub fn update_constants(&self, ctx: &mut DeviceContext, draw: usize) {
        ctx.update_subresource(&self.updated, 0, None, &self.work.constants[draw], 0, 0);
        ctx.vs_set_constant_buffers(0, &self.updated);
    }

    /// Writes the constants of a dispatch to a mapped buffer, binds the buffer to the compute shader, and
    /// records the dispatch.
    ///
    /// # Errors
    /// Returns an error if the map fails.
    pub fn dispatch(&self, ctx: &mut DeviceContext, draw: usize) -> Result<(), onze::Error> {
        ctx.map(&self.mapped, 0, MapType::WriteDiscard)?.write(0, &self.work.constants[draw]);
        ctx.cs_set_constant_buffers(0, &self.mapped);
        ctx.dispatch(1, 1, 1);
        Ok(())
    }

    /// Writes the constants of a draw to a mapped structured buffer, and binds the buffer's view to the
    /// vertex shader.
    ///
    /// # Errors
    /// Returns an error if the map fails.
    pub fn map_structured(&self, ctx: &mut DeviceContext, draw: usize) -> Result<(), onze::Error> {
        let (buffer, view) = &self.structured;
        ctx.map(buffer, 0, MapType::WriteDiscard)?.write(0, &self.work.constants[draw]);
        ctx.vs_set_shader_resources(0, view);
        Ok(())
    }

    /// Binds the texture of a draw to the pixel shader.
    pub fn bind_texture(&self, ctx: &mut DeviceContext, draw: usize) {
        ctx.ps_set_shader_resources(0, &self.textures[draw % TEXTURES]);
    }

    /// Binds the shader and the state objects of a draw.
    pub fn bind_combination(&self, ctx: &mut DeviceContext, draw: usize) {
        self.bind_states(ctx, &self.pixel_shaders, draw);
    }

    fn bind_states(&self, ctx: &mut DeviceContext, pixel_shaders: &[PixelShader], combination: usize) {
        let shaders = pixel_shaders.len();
        ctx.ps_set_shader(&pixel_shaders[combination % shaders]);
        ctx.om_set_blend_state(&self.blends[combination / shaders % 2], [1.0; 4], u32::MAX);
        ctx.rs_set_state(&self.rasterizers[combination / (2 * shaders) % 2]);
    }

    /// Binds everything that a draw of the scene needs, and draws its mesh.
    ///
    /// # Errors
    /// Returns an error if a map fails.
    pub fn draw_scene(&self, ctx: &mut DeviceContext, draw: usize) -> Result<(), onze::Error> {
        const PADDING: [u8; SLOT] = [0; SLOT];
        let SceneDraw { mesh, material, combination, bytes } = self.work.scene[draw];
        let map = |ctx: &mut DeviceContext, stage: usize, constants: &Constants| {
            let bytes = bytes[stage];
            let buffer = &self.scene.constants[stage][bytes / size_of::<Constants>() - 1];
            let mut mapped = ctx.map(buffer, 0, MapType::WriteDiscard)?;
            mapped.write(0, constants);
            mapped[size_of::<Constants>()..bytes].copy_from_slice(&PADDING[size_of::<Constants>()..bytes]);
            drop(mapped);
            Ok::<_, onze::Error>(buffer)
        };
        let object = map(ctx, 0, &self.work.constants[draw])?;
        ctx.vs_set_constant_buffers(0, object);
        let surface = map(ctx, 1, &self.work.surfaces[draw])?;
        ctx.ps_set_constant_buffers(1, surface);
        let textures = material_textures(material).map(|texture| &self.textures[texture]);
        ctx.ps_set_shader_resources(0, textures);
        self.bind_states(ctx, &self.scene.pixel_shaders, combination);
        let (vertices, indices, count) = &self.scene.meshes[mesh];
        ctx.ia_set_vertex_buffers(0, VertexBufferBinding::new(vertices, 12));
        ctx.ia_set_index_buffer(indices, Format::R16_UINT, 0);
        ctx.draw_indexed(*count, 0, 0);
        Ok(())
    }

    /// Binds another constant buffer to slot 0, and then binds the original buffer again.
    pub fn bind_there_and_back(&self, ctx: &mut DeviceContext) {
        ctx.vs_set_constant_buffers(0, &self.updated);
        ctx.vs_set_constant_buffers(0, &self.identical);
    }

    /// Returns the dynamic constant buffer of 64 bytes that is mapped for each draw.
    pub fn mapped(&self) -> &Buffer {
        &self.mapped
    }
}

fn texture(device: &Device, index: usize) -> Result<ShaderResourceView, onze::Error> {
    let texels = crate::workload::texels(index);
    let desc = Texture2dDesc {
        mip_levels: 1,
        usage: Usage::Immutable,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, TEXTURE, TEXTURE)
    };
    let contents = SubresourceData { bytes: &texels, row_pitch: TEXTURE * 4, depth_pitch: 0 };
    device.create_shader_resource_view(&device.create_texture_2d(&desc, Some(&[contents]))?, None)
}

/// Views of the buffer that is written by dispatches and read by a draw.
#[derive(Debug)]
struct Written {
    read: ShaderResourceView,
    write: UnorderedAccessView,
}

impl Written {
    fn new(device: &Device, objects: usize) -> Result<Self, onze::Error> {
        let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
        let desc = BufferDesc::structured(size_of::<Constants>() as u32, objects.max(1) as u32, flags);
        let buffer = device.create_buffer(&desc, None)?;
        Ok(Self {
            read: buffer.create_shader_resource_view()?,
            write: buffer.create_unordered_access_view()?,
        })
    }
}

/// Records a range of the draws into an immediate or deferred context.
#[derive(Debug)]
pub struct Recorder {
    objects: Arc<Objects>,
    variant: Variant,
    part: Range<usize>,
    clears: bool,
    /// The constants of all draws in the range, if the variant has them in one buffer.
    large: Option<Buffer>,
    /// Views of the buffer that dispatches write, if the variant has dispatches.
    written: Option<Written>,
}

impl Recorder {
    /// Creates a recorder for a range of the draws. If the range begins with draw 0, the recorder also clears
    /// the target.
    ///
    /// # Errors
    /// Returns an error if an object cannot be created.
    pub fn new(objects: &Arc<Objects>, variant: Variant, part: Range<usize>) -> Result<Self, onze::Error> {
        let size = (part.len().max(1) * SLOT) as u32;
        let desc = BufferDesc::dynamic(size, BindFlags::CONSTANT_BUFFER);
        let large = (variant == Variant::V4).then(|| objects.device.create_buffer(&desc, None));
        let written = (variant == Variant::V6).then(|| Written::new(&objects.device, part.len()));
        Ok(Self {
            objects: objects.clone(),
            variant,
            clears: part.start == 0,
            part,
            large: large.transpose()?,
            written: written.transpose()?,
        })
    }

    /// Disables the recorder's clear, for a command list that is executed repeatedly.
    pub fn without_clear(self) -> Self {
        Self { clears: false, ..self }
    }

    /// Records all draws of the range on a context. If the range begins with draw 0, first clears the target,
    /// unless [`without_clear`](Self::without_clear) disabled the clear.
    ///
    /// # Errors
    /// Returns an error if a map fails.
    pub fn record(&self, ctx: &mut DeviceContext) -> Result<(), onze::Error> {
        if self.clears {
            self.objects.clear(ctx);
        }
        self.objects.begin(ctx);
        match self.variant {
            Variant::V0 => self.part.clone().for_each(|_| self.objects.draw(ctx)),
            Variant::V4 => self.draw_at_offsets(ctx)?,
            Variant::V5 => {
                for draw in self.part.clone() {
                    self.objects.update_constants(ctx, draw);
                    self.objects.draw(ctx);
                }
            }
            Variant::V6 => self.dispatch_and_draw(ctx)?,
            Variant::V7 => {
                ctx.vs_set_shader(&self.objects.vs_structured);
                for draw in self.part.clone() {
                    self.objects.map_structured(ctx, draw)?;
                    self.objects.draw(ctx);
                }
            }
            Variant::V1 => {
                for draw in self.part.clone() {
                    self.objects.map_constants(ctx, draw)?;
                    self.objects.draw(ctx);
                }
            }
            Variant::V2Sorted => {
                let mut bound = None;
                for place in self.part.clone() {
                    let draw = self.objects.work.draw_at(self.variant, place);
                    self.objects.map_constants(ctx, draw)?;
                    if bound.replace(draw % TEXTURES) != Some(draw % TEXTURES) {
                        self.objects.bind_texture(ctx, draw);
                    }
                    self.objects.draw(ctx);
                }
            }
            Variant::Scene => {
                self.part.clone().try_for_each(|draw| self.objects.draw_scene(ctx, draw))?;
            }
            Variant::Boxes | Variant::BoxesSorted => {
                ctx.ps_set_shader(&self.objects.ps_boxes);
                for place in self.part.clone() {
                    let draw = self.objects.work.draw_at(self.variant, place);
                    self.objects.map_box(ctx, draw)?;
                    self.objects.draw_box(ctx, draw);
                }
            }
            Variant::V2 => {
                for draw in self.part.clone() {
                    self.objects.map_constants(ctx, draw)?;
                    self.objects.bind_texture(ctx, draw);
                    self.objects.draw(ctx);
                }
            }
            Variant::V3 => {
                for draw in self.part.clone() {
                    self.objects.map_constants(ctx, draw)?;
                    self.objects.bind_texture(ctx, draw);
                    self.objects.bind_combination(ctx, draw);
                    self.objects.draw(ctx);
                }
            }
        }
        Ok(())
    }

    /// Records dispatches that write the constants of all objects, and an instanced draw that reads these
    /// constants.
    fn dispatch_and_draw(&self, ctx: &mut DeviceContext) -> Result<(), onze::Error> {
        let (objects, Some(written)) = (&self.objects, &self.written) else { return Ok(()) };
        ctx.cs_set_shader(&objects.cs);
        ctx.cs_set_unordered_access_views(0, &written.write);
        self.part.clone().try_for_each(|draw| objects.dispatch(ctx, draw))?;
        ctx.cs_set_unordered_access_views(0, None);
        ctx.vs_set_shader(&objects.vs_written);
        ctx.vs_set_shader_resources(0, &written.read);
        ctx.draw_indexed_instanced(3, self.part.len() as u32, 0, 0, 0);
        ctx.vs_set_shader_resources(0, None);
        Ok(())
    }

    /// Maps the buffer with all constants once, and then binds a different range of the buffer for each draw.
    fn draw_at_offsets(&self, ctx: &mut DeviceContext) -> Result<(), onze::Error> {
        let Some(large) = &self.large else { return Ok(()) };
        let mut mapped = ctx.map(large, 0, MapType::WriteDiscard)?;
        let constants = &self.objects.work.constants[self.part.clone()];
        for (slot, constants) in mapped.chunks_exact_mut(SLOT).zip(constants) {
            slot[..size_of::<Constants>()].copy_from_slice(bytemuck::bytes_of(constants));
        }
        drop(mapped);
        for slot in 0..self.part.len() {
            let range = ConstantRange::bytes((slot * SLOT) as u32, SLOT as u32);
            ctx.vs_set_constant_buffers1(0, large, &[range]);
            self.objects.draw(ctx);
        }
        Ok(())
    }
}
