//! The scene's resources, created once and then read by all recording threads at the same time.

use std::collections::HashMap;

use onze::prelude::*;

use super::states::States;
use super::targets::{SHADOW_EXTENT, ShadowMap};
use crate::constants::{LightConstants, MaterialConstants};
use crate::plan::Frame;
use crate::scene::Scene;
use crate::shaders::Language;
use onze_examples::content::{
    AlphaMode, Image, Material, Mesh, MipFilter, SamplerKind, TextureRole, Vertex, Wrap,
};

#[derive(Debug)]
pub(crate) struct GpuMesh {
    pub(crate) vertices: Buffer,
    /// 32-bit indices (D3D11: `DXGI_FORMAT_R32_UINT`).
    pub(crate) indices: Buffer,
    pub(crate) index_count: u32,
}

#[derive(Debug)]
pub(crate) struct GpuMaterial {
    pub(crate) constants: Buffer,
    /// The textures for `t0` to `t4`, where a missing texture is replaced by a white texture.
    pub(crate) textures: Vec<ShaderResourceView>,
    pub(crate) samplers: Vec<SamplerState>,
    pub(crate) alpha: AlphaMode,
    pub(crate) double_sided: bool,
}

/// The shaders of all objects, and the input layout of the vertex buffers.
#[derive(Debug)]
pub(crate) struct Shaders {
    pub(crate) vs_surface: VertexShader,
    pub(crate) vs_sky: VertexShader,
    pub(crate) ps_surface: PixelShader,
    /// Pixel shader of objects with holes, which discards pixels below the alpha cutoff.
    pub(crate) ps_surface_cut: PixelShader,
    /// Pixel shader for shadows of objects with holes, because other shadows need no pixel shader.
    pub(crate) ps_shadow_cut: PixelShader,
    pub(crate) ps_water: PixelShader,
    pub(crate) ps_sky: PixelShader,
    /// Maps the members of [`struct@Vertex`] to the inputs of `vs_surface`.
    pub(crate) layout: InputLayout,
}

/// The inputs of recording, which need no locks because recording threads only read them.
#[derive(Debug)]
pub(crate) struct Resources {
    pub(crate) shaders: Shaders,
    pub(crate) states: States,
    pub(crate) shadow_map: ShadowMap,
    /// The buffer for `b3`, which the immediate context updates once per frame.
    pub(crate) lights: Buffer,
    pub(crate) meshes: Vec<GpuMesh>,
    pub(crate) materials: Vec<GpuMaterial>,
    /// For each object of the scene, whether its transform mirrors it, because mirrored objects need a
    /// different rasterizer state.
    pub(crate) inside_out: Vec<bool>,
}

impl Resources {
    /// Creates the shaders and states, and uploads the scene's meshes and textures.
    pub(crate) fn new(
        device: &Device,
        immediate: &mut ImmediateContext,
        scene: &Scene,
        language: Language,
    ) -> Result<Self, onze::Error> {
        let mut textures = Textures::new(device, immediate)?;
        let materials = scene.materials.iter();
        Ok(Self {
            shaders: Shaders::new(device, language)?,
            states: States::new(device)?,
            shadow_map: ShadowMap::new(device)?,
            lights: device.create_buffer(
                &BufferDesc::new(size_of::<LightConstants>() as u32, BindFlags::CONSTANT_BUFFER)
                    .label("lights"),
                None,
            )?,
            meshes: scene.meshes.iter().map(|mesh| GpuMesh::new(device, mesh)).collect::<Result<_, _>>()?,
            materials: materials.map(|m| textures.material(m, &scene.images)).collect::<Result<_, _>>()?,
            inside_out: scene.objects.iter().map(|object| object.is_inside_out()).collect(),
        })
    }

    /// Writes the constants that change once per frame and are shared by all contexts.
    ///
    /// Command lists refer to the buffer and not to its contents, so when the immediate context executes a
    /// list, the list reads the data that is in the buffer at that time.
    pub(crate) fn update(&self, immediate: &mut ImmediateContext, frame: &Frame) {
        let lights = [LightConstants::new(frame, SHADOW_EXTENT)];
        immediate.update_subresource(&self.lights, 0, None, &lights, 0, 0);
    }
}

impl Shaders {
    fn new(device: &Device, language: Language) -> Result<Self, onze::Error> {
        let vertex = |source| device.create_vertex_shader(source);
        let pixel = |source| device.create_pixel_shader(source);
        let vs_surface = vertex(language.surface("vs_surface"))?;
        let elements = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
            InputElementDesc::new("NORMAL", 0, Format::R32G32B32_FLOAT),
            InputElementDesc::new("TANGENT", 0, Format::R32G32B32A32_FLOAT),
            InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
            InputElementDesc::new("TEXCOORD", 1, Format::R32G32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R16G16B16A16_UNORM),
        ];
        Ok(Self {
            layout: device.create_input_layout(&elements, &vs_surface)?,
            vs_surface,
            vs_sky: vertex(language.sky("vs_sky"))?,
            ps_surface: pixel(language.surface("ps_surface"))?,
            ps_surface_cut: pixel(language.surface("ps_surface_cut"))?,
            ps_shadow_cut: pixel(language.surface("ps_shadow_cut"))?,
            ps_water: pixel(language.surface("ps_water"))?,
            ps_sky: pixel(language.sky("ps_sky"))?,
        })
    }
}

impl GpuMesh {
    fn new(device: &Device, mesh: &Mesh) -> Result<Self, onze::Error> {
        let buffer = |bytes: &[u8], bind_flags, what| {
            let desc = BufferDesc::immutable(byte_width(bytes)?, bind_flags);
            device.create_buffer(&desc.label(format!("{what} of {}", mesh.name)), Some(bytes))
        };
        let vertices: &[u8] = bytemuck::cast_slice::<Vertex, u8>(&mesh.vertices);
        let indices: &[u8] = bytemuck::cast_slice(&mesh.indices);
        Ok(Self {
            vertices: buffer(vertices, BindFlags::VERTEX_BUFFER, "vertices")?,
            indices: buffer(indices, BindFlags::INDEX_BUFFER, "indices")?,
            index_count: mesh.indices.len() as u32,
        })
    }
}

fn byte_width(bytes: &[u8]) -> Result<u32, onze::Error> {
    u32::try_from(bytes.len()).map_err(|_| onze::Error::InvalidArg("a mesh is larger than 4 GiB".to_owned()))
}

/// Creates materials, and uploads each image once for each format in which materials use it.
struct Textures<'a> {
    device: &'a Device,
    immediate: &'a mut ImmediateContext,
    views: HashMap<(usize, bool), ShaderResourceView>,
    white: ShaderResourceView,
}

impl<'a> Textures<'a> {
    fn new(device: &'a Device, immediate: &'a mut ImmediateContext) -> Result<Self, onze::Error> {
        let desc =
            Texture2dDesc { usage: Usage::Immutable, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 1, 1) };
        let pixel = SubresourceData { bytes: &[u8::MAX; 4], row_pitch: 4, depth_pitch: 4 };
        let texture = device.create_texture_2d(&desc.label("white"), Some(&[pixel]))?;
        let white = device.create_shader_resource_view(&texture, None)?;
        Ok(Self { device, immediate, views: HashMap::new(), white })
    }

    fn material(&mut self, material: &Material, images: &[Image]) -> Result<GpuMaterial, onze::Error> {
        let (mut textures, mut samplers) = (Vec::new(), Vec::new());
        for role in TextureRole::ALL {
            let texture = material.textures[role as usize];
            let image = texture.and_then(|texture| Some((texture.image, images.get(texture.image)?)));
            textures.push(match image {
                Some((index, image)) => self.view((index, role.is_srgb()), image)?,
                None => self.white.clone(),
            });
            let sampler = texture.map_or(SamplerKind::DEFAULT, |texture| texture.sampler);
            samplers.push(self.device.create_sampler_state(&sampler_desc(sampler))?);
        }
        let constants = [MaterialConstants::new(material)];
        let bytes: &[u8] = bytemuck::cast_slice(&constants);
        let desc = BufferDesc::immutable(byte_width(bytes)?, BindFlags::CONSTANT_BUFFER);
        Ok(GpuMaterial {
            constants: self.device.create_buffer(&desc.label(material.name.clone()), Some(bytes))?,
            textures,
            samplers,
            alpha: material.alpha,
            double_sided: material.double_sided,
        })
    }

    /// Returns a view of the image, whose mip levels the GPU generates.
    ///
    /// `GenerateMips` requires both bind flags, because it renders each level while it samples the next
    /// larger level.
    fn view(&mut self, key: (usize, bool), image: &Image) -> Result<ShaderResourceView, onze::Error> {
        if let Some(view) = self.views.get(&key) {
            return Ok(view.clone());
        }
        let format = if key.1 { Format::R8G8B8A8_UNORM_SRGB } else { Format::R8G8B8A8_UNORM };
        let desc = Texture2dDesc {
            bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET,
            misc_flags: MiscFlags::GENERATE_MIPS,
            ..Texture2dDesc::new(format, image.width, image.height)
        };
        let texture = self.device.create_texture_2d(&desc.label(image.name.clone()), None)?;
        let view = self.device.create_shader_resource_view(&texture, None)?;
        self.immediate.update_subresource(&texture, 0, None, &image.pixels, image.width * 4, 0);
        self.immediate.generate_mips(&view);
        self.views.insert(key, view.clone());
        Ok(view)
    }
}

fn sampler_desc(kind: SamplerKind) -> SamplerDesc {
    let address = |wrap| match wrap {
        Wrap::Repeat => TextureAddressMode::Wrap,
        Wrap::Mirror => TextureAddressMode::Mirror,
        Wrap::Clamp => TextureAddressMode::Clamp,
    };
    let trilinear = kind.mag_linear && kind.min_linear && kind.mip == MipFilter::Linear;
    let plain = Filter {
        mag_linear: kind.mag_linear,
        min_linear: kind.min_linear,
        mip_linear: kind.mip == MipFilter::Linear,
        ..Filter::MIN_MAG_MIP_POINT
    };
    SamplerDesc {
        // Anisotropic filtering includes trilinear filtering, and sharpens the ground because the ground is
        // seen at a grazing angle.
        filter: if trilinear { Filter::ANISOTROPIC } else { plain },
        max_anisotropy: if trilinear { 4 } else { 1 },
        address_u: address(kind.wrap[0]),
        address_v: address(kind.wrap[1]),
        max_lod: if kind.mip == MipFilter::None { 0.0 } else { f32::MAX },
        ..SamplerDesc::default()
    }
}
