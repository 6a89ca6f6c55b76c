//! The contents of a scene before upload: vertices, meshes, images and materials.
//!
//! The procedural scene and the glTF loader both produce these types. The renderer accepts no other types, so
//! it draws loaded models and procedural objects with the same code.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};

/// A vertex of 64 bytes, whose layout `gpu_model::input_elements` describes to the input assembler.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vertex {
    /// Position in the mesh's local space.
    pub position: [f32; 3],
    /// Unit normal, which points to the side from which the triangle's corners appear counter-clockwise.
    pub normal: [f32; 3],
    /// Unit tangent in `xyz`, and the handedness of the tangent frame in `w`. If the mesh has no tangents,
    /// `w` is 0 and the pixel shader derives the frame from the texture coordinates.
    pub tangent: [f32; 4],
    /// Two sets of texture coordinates, for [`TextureUse::texcoord`] to select the set that a texture uses.
    pub texcoord: [[f32; 2]; 2],
    /// Linear RGBA colour with 16 bits per channel, read as 0 to 1 (DXGI: `R16G16B16A16_UNORM`).
    pub color: [u16; 4],
}

impl Vertex {
    /// Creates a white vertex without a tangent, and with `texcoord` in both sets of texture coordinates.
    pub fn new(position: Vec3, normal: Vec3, texcoord: [f32; 2]) -> Self {
        Self {
            position: position.to_array(),
            normal: normal.to_array(),
            tangent: [0.0; 4],
            texcoord: [texcoord; 2],
            color: [u16::MAX; 4],
        }
    }
}

/// An indexed triangle list with counter-clockwise front faces, so a mesh needs a rasterizer state with
/// `front_counter_clockwise`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Name for error messages and object labels, from the model file or the procedural shape.
    pub name: String,
    /// The vertices, which several triangles may share.
    pub vertices: Vec<Vertex>,
    /// Three indices per triangle, each less than the number of vertices.
    pub indices: Vec<u32>,
}

/// An axis-aligned bounding box that starts as [`Bounds::EMPTY`] and grows as points and meshes are added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Minimum coordinate on each axis, or infinity while the box is empty.
    pub min: Vec3,
    /// Maximum coordinate on each axis, or negative infinity while the box is empty.
    pub max: Vec3,
}

impl Bounds {
    /// The empty box, to be grown with [`Bounds::add`] or [`Bounds::add_mesh`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Grows the box so that it contains `point`.
    pub fn add(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// Grows the box so that it contains `mesh`, transformed by `world`.
    pub fn add_mesh(&mut self, mesh: &Mesh, world: Mat4) {
        for vertex in &mesh.vertices {
            self.add(world.transform_point3(Vec3::from_array(vertex.position)));
        }
    }

    /// Edge lengths of the box, all 0 if the box contains a single point.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Center of the box.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Whether the box contains at least one point and has finite corners and edge lengths.
    pub fn is_valid(&self) -> bool {
        self.min.is_finite()
            && self.max.is_finite()
            && self.size().is_finite()
            && self.min.cmple(self.max).all()
    }
}

/// An image of 8-bit RGBA pixels, stored row by row from the top without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Name for object labels in graphics debuggers and messages.
    pub name: String,
    /// Pixels per row, at least 1 and at most the device's limit for textures.
    pub width: u32,
    /// Number of rows, at least 1 and at most the device's limit for textures.
    pub height: u32,
    /// The pixels: `width * height * 4` bytes with a row pitch of `width * 4`, ready for upload to a texture.
    pub pixels: Vec<u8>,
}

/// Address mode for texture coordinates outside 0..1 along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image repeats (D3D11: `D3D11_TEXTURE_ADDRESS_WRAP`).
    Repeat,
    /// The image repeats with every second copy mirrored (D3D11: `D3D11_TEXTURE_ADDRESS_MIRROR`).
    Mirror,
    /// The texels at the edge continue outwards (D3D11: `D3D11_TEXTURE_ADDRESS_CLAMP`).
    Clamp,
}

/// Filter between mip levels, the `MIP` component of a `D3D11_FILTER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MipFilter {
    /// Only the largest level is read, because the sampler's `max_lod` is 0.
    None,
    /// The nearest level is read, so the transition between levels is visible.
    Nearest,
    /// The two nearest levels are blended to hide the transition between them.
    Linear,
}

/// Filters and address modes of a texture, from which the renderer creates a sampler state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerKind {
    /// Whether texels are blended where the texture is enlarged (D3D11: `MAG_LINEAR`).
    pub mag_linear: bool,
    /// Whether texels are blended where the texture is reduced (D3D11: `MIN_LINEAR`).
    pub min_linear: bool,
    /// Filter between mip levels, without effect on a texture with a single level.
    pub mip: MipFilter,
    /// Address modes along u and v, D3D11's `AddressU` and `AddressV`.
    pub wrap: [Wrap; 2],
}

impl SamplerKind {
    /// Trilinear filtering and repeating coordinates, the default for a glTF texture without a sampler.
    pub const DEFAULT: Self =
        Self { mag_linear: true, min_linear: true, mip: MipFilter::Linear, wrap: [Wrap::Repeat; 2] };
}

/// One use of an image by a material, with its sampler and coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureUse {
    /// Index into the images of the scene or model that the material belongs to.
    pub image: usize,
    /// Filters and address modes of this use, because other uses of the same image may have different
    /// samplers.
    pub sampler: SamplerKind,
    /// Set of the vertex's texture coordinates that this use reads, 0 or 1.
    pub texcoord: u32,
    /// The two rows of an affine transform that is applied to the vertex's texture coordinates before
    /// sampling.
    pub transform: [[f32; 3]; 2],
}

impl TextureUse {
    /// Creates a use of the whole image with the first set of texture coordinates and the default sampler.
    pub fn new(image: usize) -> Self {
        Self {
            image,
            sampler: SamplerKind::DEFAULT,
            texcoord: 0,
            transform: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        }
    }
}

/// The meaning of a material's alpha, which selects the blend state and the pixel shader.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored, and the surface hides everything farther away.
    Opaque,
    /// The pixel shader discards pixels with an alpha below this cutoff.
    Mask(f32),
    /// The surface is blended with the picture, so it must be drawn after the surfaces that it covers.
    Blend,
}

/// The role of a texture in a material, with the texture's `t` and `s` slot in the pixel shader as its
/// numeric value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureRole {
    /// Base colour in sRGB with linear alpha, multiplied by [`Material::base_color`].
    BaseColor = 0,
    /// Roughness in green and metalness in blue, multiplied by [`Material::roughness`] and
    /// [`Material::metallic`].
    MetallicRoughness = 1,
    /// Tangent-space normal, stored as 0..1 for -1..1, where positive green points up.
    Normal = 2,
    /// Ambient occlusion in red, from 0 (no ambient light) to 1 (unoccluded).
    Occlusion = 3,
    /// Emitted colour in sRGB without alpha, multiplied by [`Material::emissive`].
    Emissive = 4,
}

impl TextureRole {
    /// Every role, in the order of the texture and sampler slots in the pixel shader.
    pub const ALL: [Self; 5] =
        [Self::BaseColor, Self::MetallicRoughness, Self::Normal, Self::Occlusion, Self::Emissive];

    /// Whether the image contains sRGB colours, so the texture needs an sRGB format.
    pub fn is_srgb(self) -> bool {
        matches!(self, Self::BaseColor | Self::Emissive)
    }
}

/// A metallic-roughness material, as glTF 2.0 (section 3.9) defines it, with factors and optional textures.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name for object labels in graphics debuggers and messages.
    pub name: String,
    /// Linear colour and alpha, multiplied by the base colour texture and the vertex colour.
    pub base_color: [f32; 4],
    /// Metalness, from 0 for a dielectric to 1 for a metal.
    pub metallic: f32,
    /// Perceptual roughness from 0 to 1, whose square is the roughness parameter of the GGX distribution.
    pub roughness: f32,
    /// Linear emitted light, which may exceed 1 because the picture is tone mapped.
    pub emissive: [f32; 3],
    /// Scale of the normal texture's x and y, where a larger value makes bumps stronger.
    pub normal_scale: f32,
    /// Strength of the occlusion texture, from 0 (no effect) to 1 (full effect).
    pub occlusion_strength: f32,
    /// The meaning of the final alpha, the product of base colour, texture and vertex colour.
    pub alpha: AlphaMode,
    /// Whether back faces are also drawn, which requires a rasterizer state without culling.
    pub double_sided: bool,
    /// Whether the base colour is shown without lighting or reflections.
    pub unlit: bool,
    /// The textures in the order of [`TextureRole`], where only the factor applies if an entry is `None`.
    pub textures: [Option<TextureUse>; 5],
}

impl Default for Material {
    /// glTF's default material, except that it is not metallic.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            metallic: 0.0,
            roughness: 1.0,
            emissive: [0.0; 3],
            normal_scale: 1.0,
            occlusion_strength: 1.0,
            alpha: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            textures: [None; 5],
        }
    }
}

impl Material {
    /// Sets the base colour texture to the image with this index, with the default sampler.
    pub fn with_base_color_image(mut self, image: usize) -> Self {
        self.textures[TextureRole::BaseColor as usize] = Some(TextureUse::new(image));
        self
    }

    /// Sets the normal texture to the image with this index, with the default sampler.
    pub fn with_normal_image(mut self, image: usize) -> Self {
        self.textures[TextureRole::Normal as usize] = Some(TextureUse::new(image));
        self
    }
}
