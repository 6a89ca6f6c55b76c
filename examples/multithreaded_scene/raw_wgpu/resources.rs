//! The scene's resources, which are created once and afterwards only read by the recording threads.

use std::collections::HashMap;

use wgpu::util::{BufferInitDescriptor, DeviceExt as _};

use super::device::Gpu;
use super::mips::Mips;
use super::pipelines::{Layouts, Pipelines};
use crate::args::Size;
use crate::constants::MaterialConstants;
use crate::gpu::targets::SHADOW_EXTENT;
use crate::scene::Scene;
use onze_examples::content::{AlphaMode, Image, Material, Mesh, MipFilter, SamplerKind, TextureRole, Wrap};

pub(super) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth24PlusStencil8;
pub(super) const SHADOW: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

#[derive(Debug)]
pub(super) struct Resources {
    pub(super) layouts: Layouts,
    pub(super) pipelines: Pipelines,
    pub(super) targets: Targets,
    pub(super) meshes: Vec<GpuMesh>,
    pub(super) materials: Vec<GpuMaterial>,
    /// For each object of the scene, whether its transform mirrors it, because mirrored objects need a
    /// different pipeline.
    pub(super) inside_out: Vec<bool>,
}

#[derive(Debug)]
pub(super) struct Targets {
    pub(super) picture: wgpu::Texture,
    pub(super) color: wgpu::TextureView,
    pub(super) depth: wgpu::TextureView,
    pub(super) shadow: wgpu::TextureView,
    pub(super) shadow_sampler: wgpu::Sampler,
}

#[derive(Debug)]
pub(super) struct GpuMesh {
    pub(super) vertices: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    pub(super) index_count: u32,
}

/// The resources of a material's bind groups, and the properties that select the material's pipelines.
#[derive(Debug)]
pub(super) struct GpuMaterial {
    pub(super) constants: wgpu::Buffer,
    /// The material's textures in the order of their roles, where a missing texture is replaced by a white
    /// texture.
    pub(super) textures: Vec<wgpu::TextureView>,
    pub(super) samplers: Vec<wgpu::Sampler>,
    pub(super) alpha: AlphaMode,
    pub(super) double_sided: bool,
}

impl Resources {
    /// Creates the pipelines and targets, and uploads the scene's meshes and textures.
    pub(super) fn new(gpu: &Gpu, size: Size, scene: &Scene) -> Self {
        let device = &gpu.device;
        let layouts = Layouts::new(device);
        let mut textures = Textures::new(gpu);
        let materials = scene.materials.iter();
        Self {
            pipelines: Pipelines::new(device, &layouts),
            targets: Targets::new(device, size),
            meshes: scene.meshes.iter().map(|mesh| GpuMesh::new(device, mesh)).collect(),
            materials: materials.map(|material| textures.material(material, &scene.images)).collect(),
            inside_out: scene.objects.iter().map(|object| object.is_inside_out()).collect(),
            layouts,
        }
    }
}

fn texture_desc(
    label: &str,
    format: wgpu::TextureFormat,
    [width, height]: [u32; 2],
    usage: wgpu::TextureUsages,
) -> wgpu::TextureDescriptor<'_> {
    wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    }
}

impl Targets {
    fn new(device: &wgpu::Device, size: Size) -> Self {
        let target = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let texture = |label, format, extent, other| {
            device.create_texture(&texture_desc(label, format, extent, target | other))
        };
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let extent = [size.width, size.height];
        let picture = texture("picture", COLOR, extent, wgpu::TextureUsages::COPY_SRC);
        let shadow = wgpu::TextureUsages::TEXTURE_BINDING;
        Self {
            color: view(&picture),
            depth: view(&texture("depth", DEPTH, extent, wgpu::TextureUsages::empty())),
            shadow: view(&texture("shadow map", SHADOW, [SHADOW_EXTENT; 2], shadow)),
            picture,
            shadow_sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare: Some(wgpu::CompareFunction::LessEqual),
                ..wgpu::SamplerDescriptor::default()
            }),
        }
    }
}

fn buffer(device: &wgpu::Device, label: &str, contents: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer_init(&BufferInitDescriptor { label: Some(label), contents, usage })
}

impl GpuMesh {
    fn new(device: &wgpu::Device, mesh: &Mesh) -> Self {
        let vertices = bytemuck::cast_slice(&mesh.vertices);
        let indices = bytemuck::cast_slice(&mesh.indices);
        Self {
            vertices: buffer(device, &mesh.name, vertices, wgpu::BufferUsages::VERTEX),
            indices: buffer(device, &mesh.name, indices, wgpu::BufferUsages::INDEX),
            index_count: mesh.indices.len() as u32,
        }
    }
}

/// Creates materials, which share the view or sampler if they have the same image or sampler.
struct Textures<'a> {
    gpu: &'a Gpu,
    mips: Mips,
    views: HashMap<(usize, bool), wgpu::TextureView>,
    samplers: HashMap<SamplerKind, wgpu::Sampler>,
    white: wgpu::TextureView,
}

impl<'a> Textures<'a> {
    fn new(gpu: &'a Gpu) -> Self {
        let white = Image { name: "white".to_owned(), width: 1, height: 1, pixels: vec![u8::MAX; 4] };
        let mips = Mips::new(&gpu.device);
        let white = upload(gpu, &mips, &white, wgpu::TextureFormat::Rgba8Unorm);
        Self { gpu, mips, views: HashMap::new(), samplers: HashMap::new(), white }
    }

    fn material(&mut self, material: &Material, images: &[Image]) -> GpuMaterial {
        let (mut textures, mut samplers) = (Vec::new(), Vec::new());
        for role in TextureRole::ALL {
            let texture = material.textures[role as usize];
            let image = texture.and_then(|texture| Some((texture.image, images.get(texture.image)?)));
            textures.push(match image {
                Some((index, image)) => self.view((index, role.is_srgb()), image),
                None => self.white.clone(),
            });
            let kind = texture.map_or(SamplerKind::DEFAULT, |texture| texture.sampler);
            let make = || self.gpu.device.create_sampler(&sampler_desc(kind));
            samplers.push(self.samplers.entry(kind).or_insert_with(make).clone());
        }
        let constants = MaterialConstants::new(material);
        let bytes = bytemuck::bytes_of(&constants);
        GpuMaterial {
            constants: buffer(&self.gpu.device, &material.name, bytes, wgpu::BufferUsages::UNIFORM),
            textures,
            samplers,
            alpha: material.alpha,
            double_sided: material.double_sided,
        }
    }

    fn view(&mut self, key: (usize, bool), image: &Image) -> wgpu::TextureView {
        let Self { gpu, mips, views, .. } = self;
        let format =
            if key.1 { wgpu::TextureFormat::Rgba8UnormSrgb } else { wgpu::TextureFormat::Rgba8Unorm };
        views.entry(key).or_insert_with(|| upload(gpu, mips, image, format)).clone()
    }
}

fn upload(gpu: &Gpu, mips: &Mips, image: &Image, format: wgpu::TextureFormat) -> wgpu::TextureView {
    let usage = wgpu::TextureUsages::TEXTURE_BINDING
        | wgpu::TextureUsages::COPY_DST
        | wgpu::TextureUsages::RENDER_ATTACHMENT;
    let desc = texture_desc(&image.name, format, [image.width, image.height], usage);
    let levels = desc.size.max_mips(desc.dimension);
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor { mip_level_count: levels, ..desc });
    gpu.queue.write_texture(
        texture.as_image_copy(),
        &image.pixels,
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(image.width * 4), rows_per_image: None },
        texture.size(),
    );
    mips.generate(gpu, &texture);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn sampler_desc(kind: SamplerKind) -> wgpu::SamplerDescriptor<'static> {
    let address = |wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        Wrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let filter = |linear| if linear { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
    let mip_linear = kind.mip == MipFilter::Linear;
    let trilinear = kind.mag_linear && kind.min_linear && mip_linear;
    wgpu::SamplerDescriptor {
        address_mode_u: address(kind.wrap[0]),
        address_mode_v: address(kind.wrap[1]),
        mag_filter: filter(kind.mag_linear),
        min_filter: filter(kind.min_linear),
        mipmap_filter: if mip_linear {
            wgpu::MipmapFilterMode::Linear
        } else {
            wgpu::MipmapFilterMode::Nearest
        },
        lod_max_clamp: if kind.mip == MipFilter::None { 0.0 } else { 32.0 },
        anisotropy_clamp: if trilinear { 4 } else { 1 },
        ..wgpu::SamplerDescriptor::default()
    }
}
