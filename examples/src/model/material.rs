//! Converts glTF materials, textures and samplers to the types of `content`.

use gltf::json::Root;
use gltf::json::extensions::texture::Info as InfoExtensions;
use gltf::json::material::{AlphaMode as JsonAlphaMode, Material as JsonMaterial};
use gltf::json::texture::{self, MagFilter, MinFilter, Texture, WrappingMode};
use gltf::json::validation::Checked;
use gltf::json::{Index, Value};

use crate::content::{AlphaMode, Material, MipFilter, SamplerKind, TextureRole, TextureUse, Wrap};

/// The extension that offsets, rotates and scales texture coordinates.
const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";

/// Converts every material of the file, and appends the default material for primitives without one.
pub(super) fn convert_materials(root: &Root) -> Vec<Material> {
    let mut materials: Vec<_> = root.materials.iter().map(|material| convert(root, material)).collect();
    materials.push(Material { name: "default".to_owned(), metallic: 1.0, ..Material::default() });
    materials
}

fn convert(root: &Root, material: &JsonMaterial) -> Material {
    let pbr = &material.pbr_metallic_roughness;
    let mut textures = [None; 5];
    let mut set = |role: TextureRole, texture| textures[role as usize] = texture;
    let plain = |info: &Option<texture::Info>| {
        let info = info.as_ref()?;
        let transform = Transform::of_info(info.extensions.as_ref());
        texture_use(root, info.index, info.tex_coord, transform)
    };
    set(TextureRole::BaseColor, plain(&pbr.base_color_texture));
    set(TextureRole::MetallicRoughness, plain(&pbr.metallic_roughness_texture));
    set(TextureRole::Emissive, plain(&material.emissive_texture));
    let normal = material.normal_texture.as_ref();
    set(
        TextureRole::Normal,
        normal.and_then(|info| {
            let others = info.extensions.as_ref().map(|all| &all.others);
            let transform = Transform::of_json(others.and_then(|all| all.get(TEXTURE_TRANSFORM)));
            texture_use(root, info.index, info.tex_coord, transform)
        }),
    );
    let occlusion = material.occlusion_texture.as_ref();
    set(
        TextureRole::Occlusion,
        occlusion.and_then(|info| {
            let others = info.extensions.as_ref().map(|all| &all.others);
            let transform = Transform::of_json(others.and_then(|all| all.get(TEXTURE_TRANSFORM)));
            texture_use(root, info.index, info.tex_coord, transform)
        }),
    );
    let extensions = material.extensions.as_ref();
    let strength = extensions
        .and_then(|all| all.emissive_strength.as_ref())
        .map_or(1.0, |strength| strength.emissive_strength.0);
    Material {
        name: material.name.clone().unwrap_or_default(),
        base_color: pbr.base_color_factor.0,
        metallic: pbr.metallic_factor.0,
        roughness: pbr.roughness_factor.0,
        emissive: material.emissive_factor.0.map(|factor| factor * strength),
        normal_scale: normal.map_or(1.0, |info| info.scale),
        occlusion_strength: occlusion.map_or(1.0, |info| info.strength.0),
        alpha: match material.alpha_mode {
            Checked::Valid(JsonAlphaMode::Mask) => {
                AlphaMode::Mask(material.alpha_cutoff.map_or(0.5, |cutoff| cutoff.0))
            }
            Checked::Valid(JsonAlphaMode::Blend) => AlphaMode::Blend,
            Checked::Valid(JsonAlphaMode::Opaque) | Checked::Invalid => AlphaMode::Opaque,
        },
        double_sided: material.double_sided,
        unlit: extensions.is_some_and(|all| all.unlit.is_some()),
        textures,
    }
}

/// The fields of `KHR_texture_transform` for one use of a texture.
#[derive(Debug, Clone, Copy)]
struct Transform {
    offset: [f32; 2],
    rotation: f32,
    scale: [f32; 2],
    texcoord: Option<u32>,
}

impl Transform {
    const NONE: Self = Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2], texcoord: None };

    fn of_info(extensions: Option<&InfoExtensions>) -> Self {
        let Some(transform) = extensions.and_then(|all| all.texture_transform.as_ref()) else {
            return Self::NONE;
        };
        Self {
            offset: transform.offset.0,
            rotation: transform.rotation.0,
            scale: transform.scale.0,
            texcoord: transform.tex_coord,
        }
    }

    /// Reads the extension from raw JSON, for textures where the parser does not support it, with defaults
    /// for malformed fields.
    fn of_json(value: Option<&Value>) -> Self {
        let field = |name| value.and_then(|value| value.get(name));
        let pair = |name, default: [f32; 2]| {
            let Some([x, y]) = field(name).and_then(Value::as_array).map(Vec::as_slice) else {
                return default;
            };
            match (x.as_f64(), y.as_f64()) {
                (Some(x), Some(y)) => [x as f32, y as f32],
                _ => default,
            }
        };
        let texcoord = field("texCoord").and_then(Value::as_u64);
        Self {
            offset: pair("offset", Self::NONE.offset),
            rotation: field("rotation").and_then(Value::as_f64).unwrap_or(0.0) as f32,
            scale: pair("scale", Self::NONE.scale),
            texcoord: texcoord.and_then(|set| u32::try_from(set).ok()),
        }
    }

    /// The rows of the transform's matrix, which applies scale first, then rotation, then offset, as the
    /// extension requires.
    fn rows(&self) -> [[f32; 3]; 2] {
        let (sin, cos) = self.rotation.sin_cos();
        let ([x, y], [u, v]) = (self.scale, self.offset);
        [[cos * x, sin * y, u], [-sin * x, cos * y, v]]
    }
}

/// Resolves a texture to its image and sampler. Vertices have two sets of texture coordinates, so a use of a
/// third set or beyond reads the first.
fn texture_use(
    root: &Root,
    texture: Index<Texture>,
    texcoord: u32,
    transform: Transform,
) -> Option<TextureUse> {
    let texture = root.get(texture)?;
    let sampler = texture.sampler.and_then(|index| root.get(index));
    let texcoord = transform.texcoord.unwrap_or(texcoord);
    Some(TextureUse {
        image: texture.source.value(),
        sampler: sampler.map_or(SamplerKind::DEFAULT, convert_sampler),
        texcoord: if texcoord < 2 { texcoord } else { 0 },
        transform: transform.rows(),
    })
}

fn convert_sampler(sampler: &texture::Sampler) -> SamplerKind {
    let wrap = |mode: &Checked<WrappingMode>| match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::Clamp,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::Mirror,
        Checked::Valid(WrappingMode::Repeat) | Checked::Invalid => Wrap::Repeat,
    };
    let (min_linear, mip) = match sampler.min_filter {
        Some(Checked::Valid(MinFilter::Nearest)) => (false, MipFilter::None),
        Some(Checked::Valid(MinFilter::Linear)) => (true, MipFilter::None),
        Some(Checked::Valid(MinFilter::NearestMipmapNearest)) => (false, MipFilter::Nearest),
        Some(Checked::Valid(MinFilter::LinearMipmapNearest)) => (true, MipFilter::Nearest),
        Some(Checked::Valid(MinFilter::NearestMipmapLinear)) => (false, MipFilter::Linear),
        Some(Checked::Valid(MinFilter::LinearMipmapLinear) | Checked::Invalid) | None => {
            (true, MipFilter::Linear)
        }
    };
    let nearest = Some(Checked::Valid(MagFilter::Nearest));
    SamplerKind {
        mag_linear: sampler.mag_filter != nearest,
        min_linear,
        mip,
        wrap: [wrap(&sampler.wrap_s), wrap(&sampler.wrap_t)],
    }
}
