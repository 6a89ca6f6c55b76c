//! Models on the GPU: buffers, textures and samplers, ready to be bound.

use std::collections::{HashMap, hash_map::Entry};

use glam::{Mat4, Vec3};
use onze::prelude::*;

use crate::content::{
    AlphaMode, Bounds, Image, Material, MipFilter, SamplerKind, TextureRole, TextureUse, Vertex, Wrap,
};
use crate::model::Model;

/// Describes the elements of [`struct@Vertex`] for `create_input_layout`.
pub fn input_elements() -> [InputElementDesc; 6] {
    [
        InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("NORMAL", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("TANGENT", 0, Format::R32G32B32A32_FLOAT),
        InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
        InputElementDesc::new("TEXCOORD", 1, Format::R32G32_FLOAT),
        InputElementDesc::new("COLOR", 0, Format::R16G16B16A16_UNORM),
    ]
}

/// Shader constants of a placed mesh, with a constant buffer for each [`Part`].
#[derive(Debug, Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
pub struct InstanceConstants {
    /// The matrix from the mesh's local space to world space, for positions and tangents.
    pub to_world: Mat4,
    /// The inverse transpose of `to_world`, which keeps normals perpendicular under non-uniform scale.
    pub normal_to_world: Mat4,
}

/// Shader constants of a material, including the transforms of its texture coordinates.
#[derive(Debug, Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
pub struct MaterialConstants {
    /// Linear colour and alpha, multiplied by the base colour texture and the vertex colour.
    pub base_color: [f32; 4],
    /// Linear emitted light in x, y and z, while w is unused and 0.
    pub emissive: [f32; 4],
    /// Metalness, from 0 for a dielectric to 1 for a metal, multiplied by the texture's blue channel.
    pub metallic: f32,
    /// Perceptual roughness from 0 to 1, whose square is the roughness parameter of the GGX distribution.
    pub roughness: f32,
    /// Scale of the normal texture's x and y, where a larger value makes bumps stronger.
    pub normal_scale: f32,
    /// Strength of the occlusion texture, from 0 (no effect) to 1 (full effect).
    pub occlusion: f32,
    /// Minimum alpha of visible pixels, because the shader discards pixels with less alpha.
    pub cutoff: f32,
    /// 1 if alpha is ignored and the surface is opaque, otherwise 0.
    pub is_opaque: f32,
    /// 1 if the base colour is shown without lighting or reflections, otherwise 0.
    pub is_unlit: f32,
    /// 1 if there is a normal texture, or 0 if the vertex normal is used unchanged.
    pub has_normals: f32,
    /// Two rows for each texture, where the w of the first row selects the set of texture coordinates.
    pub coordinates: [[[f32; 4]; 2]; 5],
}

impl MaterialConstants {
    fn new(material: &Material) -> Self {
        let number = |is: bool| f32::from(u8::from(is));
        let [r, g, b] = material.emissive;
        let rows = |texture: &Option<TextureUse>| {
            let texture = texture.unwrap_or(TextureUse::new(0));
            let [[a, b, c], [d, e, f]] = texture.transform;
            [[a, b, c, texture.texcoord as f32], [d, e, f, 0.0]]
        };
        Self {
            base_color: material.base_color,
            emissive: [r, g, b, 0.0],
            metallic: material.metallic,
            roughness: material.roughness,
            normal_scale: material.normal_scale,
            occlusion: material.occlusion_strength,
            cutoff: if let AlphaMode::Mask(cutoff) = material.alpha { cutoff } else { 0.0 },
            is_opaque: number(material.alpha != AlphaMode::Blend),
            is_unlit: number(material.unlit),
            has_normals: number(material.textures[TextureRole::Normal as usize].is_some()),
            coordinates: material.textures.each_ref().map(rows),
        }
    }
}

/// A material on the GPU, ready to be bound before the parts that use it.
#[derive(Debug)]
pub struct GpuMaterial {
    /// The material's constant buffer, written once when the model is created.
    pub constants: ConstantBuffer<MaterialConstants>,
    /// Textures in the order of [`TextureRole`], where a missing texture is replaced by a white texture.
    pub textures: [ShaderResourceView; 5],
    /// Samplers in the order of [`TextureRole`], where a missing texture has the default sampler.
    pub samplers: [SamplerState; 5],
    /// Whether the material is blended, because blended parts must be sorted and drawn last.
    pub blends: bool,
    /// Whether back faces are also drawn, which requires a rasterizer state without culling.
    pub is_double_sided: bool,
}

/// A mesh with its material and transform, drawn by one draw call.
#[derive(Debug)]
pub struct Part {
    /// Index into [`GpuModel::meshes`].
    pub mesh: usize,
    /// Index into [`GpuModel::materials`].
    pub material: usize,
    /// The part's [`InstanceConstants`], written once when the model is created.
    pub constants: ConstantBuffer<InstanceConstants>,
    /// The center of the part's bounding box in world space, used to sort blended parts.
    pub middle: Vec3,
    /// Whether the part's matrix mirrors the mesh, which reverses the winding of the triangles, so the part
    /// needs a different rasterizer state.
    pub is_mirrored: bool,
}

/// A model on the GPU: buffers, materials, and the parts that combine them.
#[derive(Debug)]
pub struct GpuModel {
    /// Vertex and index buffers of each mesh, which several parts may share.
    pub meshes: Vec<(VertexBuffer<Vertex>, IndexBuffer<u32>)>,
    /// The materials, which several parts may share.
    pub materials: Vec<GpuMaterial>,
    /// The placed meshes, in the order of [`Model::instances`].
    pub parts: Vec<Part>,
    /// The bounding box of all parts in world space, for placing a camera.
    pub bounds: Bounds,
}

fn sampler(kind: SamplerKind) -> SamplerDesc {
    let address = |wrap| match wrap {
        Wrap::Repeat => TextureAddressMode::Wrap,
        Wrap::Mirror => TextureAddressMode::Mirror,
        Wrap::Clamp => TextureAddressMode::Clamp,
    };
    let SamplerKind { mag_linear, min_linear, mip, wrap } = kind;
    let is_smooth = mag_linear && min_linear && mip == MipFilter::Linear;
    let plain =
        Filter { mag_linear, min_linear, mip_linear: mip == MipFilter::Linear, ..Filter::MIN_MAG_MIP_POINT };
    SamplerDesc {
        filter: if is_smooth { Filter::ANISOTROPIC } else { plain },
        max_anisotropy: if is_smooth { 8 } else { 1 },
        address_u: address(wrap[0]),
        address_v: address(wrap[1]),
        max_lod: if mip == MipFilter::None { 0.0 } else { f32::MAX },
        ..SamplerDesc::default()
    }
}

impl GpuModel {
    /// Creates all GPU objects of a model, and generates the mip levels of its textures on the GPU.
    ///
    /// # Errors
    /// Returns an error if a texture is larger than the device allows, or if memory is exhausted.
    pub fn new(context: &mut ImmediateContext, model: &Model) -> Result<Self, onze::Error> {
        let device = context.device();
        let white =
            device.create_texture_2d_with_mips(context, Format::R8G8B8A8_UNORM, 1, 1, &[255_u8; 4])?;
        let white = white.create_shader_resource_view()?;
        // The key includes `is_srgb`, because one material may use an image as colours and another as plain
        // numbers.
        let mut views = HashMap::new();
        let mut materials = Vec::new();
        for material in &model.materials {
            let mut textures = TextureRole::ALL.map(|_| white.clone());
            let mut samplers = Vec::new();
            for role in TextureRole::ALL {
                let texture = material.textures[role as usize];
                let kind = texture.map_or(SamplerKind::DEFAULT, |texture| texture.sampler);
                samplers.push(device.create_sampler_state(&sampler(kind))?);
                let Some(texture) = texture else { continue };
                let view = match views.entry((texture.image, role.is_srgb())) {
                    Entry::Occupied(view) => view.into_mut(),
                    Entry::Vacant(place) => {
                        let Image { width, height, pixels, .. } = &model.images[texture.image];
                        let format =
                            if role.is_srgb() { Format::R8G8B8A8_UNORM_SRGB } else { Format::R8G8B8A8_UNORM };
                        let texture =
                            device.create_texture_2d_with_mips(context, format, *width, *height, pixels)?;
                        place.insert(texture.create_shader_resource_view()?)
                    }
                };
                textures[role as usize].clone_from(view);
            }
            materials.push(GpuMaterial {
                constants: device.create_constant_buffer(&MaterialConstants::new(material))?,
                textures,
                samplers: std::array::from_fn(|role| samplers[role].clone()),
                blends: material.alpha == AlphaMode::Blend,
                is_double_sided: material.double_sided,
            });
        }
        let meshes = model.meshes.iter().map(|mesh| {
            Ok((device.create_vertex_buffer(&mesh.vertices)?, device.create_index_buffer(&mesh.indices)?))
        });
        let parts = model.instances.iter().map(|instance| {
            let to_world = instance.transform;
            let mut bounds = Bounds::EMPTY;
            bounds.add_mesh(&model.meshes[instance.mesh], to_world);
            let constants = InstanceConstants { to_world, normal_to_world: to_world.inverse().transpose() };
            Ok(Part {
                mesh: instance.mesh,
                material: instance.material,
                constants: device.create_constant_buffer(&constants)?,
                middle: bounds.center(),
                is_mirrored: to_world.determinant() < 0.0,
            })
        });
        Ok(Self {
            meshes: meshes.collect::<Result<_, onze::Error>>()?,
            parts: parts.collect::<Result<_, onze::Error>>()?,
            materials,
            bounds: model.bounds,
        })
    }
}
