//! The contents of a scene before upload: vertices, meshes, images and materials.
//!
//! The procedural scene and the glTF loader both produce these types, and the renderer uses only
//! them, so a loaded model is drawn by the same code as all other objects.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};

/// One vertex of 64 bytes, in the layout of the vertex buffer that `input_elements` of `gpu_model` describes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vertex {
    /// Position in the mesh's own space, which an object's matrix maps to the world.
    pub position: [f32; 3],
    /// Unit normal, on the side where the triangle's corners are counter-clockwise.
    pub normal: [f32; 3],
    /// Unit tangent; `w` is the handedness of the tangent frame, or 0 where the mesh has no
    /// tangents and the pixel shader derives a frame from the texture coordinates.
    pub tangent: [f32; 4],
    /// Two sets of texture coordinates, where each [`TextureUse`] selects one, as glTF's `texCoord` does.
    pub texcoord: [[f32; 2]; 2],
    /// Linear RGBA colour with 16 bits per channel, read as 0 to 1 (DXGI: `R16G16B16A16_UNORM`).
    pub color: [u16; 4],
}

impl Vertex {
    /// Creates a white vertex without a tangent and with the same coordinates in both sets.
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

/// A list of triangles, whose front faces are counter-clockwise and need a rasterizer state with
/// `front_counter_clockwise`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Name for error messages and object labels, taken from the file or the shape.
    pub name: String,
    /// The vertices, which triangles may share by naming the same index.
    pub vertices: Vec<Vertex>,
    /// Three indices per triangle, each less than the number of vertices, in the order of the corners.
    pub indices: Vec<u32>,
}

/// An axis-aligned box, which starts as [`Bounds::EMPTY`] and grows by points and meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The least coordinate on each axis, which is infinite while the box is empty.
    pub min: Vec3,
    /// The greatest coordinate on each axis, which is negative infinity while the box is empty.
    pub max: Vec3,
}

impl Bounds {
    /// The box that contains nothing, for growing it by [`Bounds::add`] or [`Bounds::add_mesh`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Grows the box so that it contains `point`.
    pub fn add(&mut self, point: Vec3) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    /// Grows the box so that it holds `mesh` as `world` places it.
    pub fn add_mesh(&mut self, mesh: &Mesh, world: Mat4) {
        for vertex in &mesh.vertices {
            self.add(world.transform_point3(Vec3::from_array(vertex.position)));
        }
    }

    /// Edge lengths of the box, which are all 0 if it contains a single point.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// Center of the box, halfway between its corners, where a camera may look.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Whether the box holds at least a point and its corners and edges are finite.
    pub fn is_valid(&self) -> bool {
        self.min.is_finite()
            && self.max.is_finite()
            && self.size().is_finite()
            && self.min.cmple(self.max).all()
    }
}

/// An image of 8-bit RGBA pixels, rows from the top, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Name for object labels, which appear in graphics debuggers and in messages.
    pub name: String,
    /// Pixels per row, at least 1 and at most the device's limit for textures.
    pub width: u32,
    /// Number of rows, at least 1 and at most the device's limit for textures.
    pub height: u32,
    /// The pixels, `width * height * 4` bytes that a texture with a row pitch of `width * 4` can take
    /// directly.
    pub pixels: Vec<u8>,
}

/// Address mode for texture coordinates outside 0..1, which a sampler state has once per axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image repeats (D3D11: `D3D11_TEXTURE_ADDRESS_WRAP`).
    Repeat,
    /// The image repeats with every second copy mirrored (D3D11: `D3D11_TEXTURE_ADDRESS_MIRROR`).
    Mirror,
    /// The texels at the edge continue outwards (D3D11: `D3D11_TEXTURE_ADDRESS_CLAMP`).
    Clamp,
}

/// Filter between mip levels, the third part of a D3D11 filter's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MipFilter {
    /// Only the largest level is read, for which a sampler limits `max_lod` to 0.
    None,
    /// The nearest level is read, which makes the change between levels visible.
    Nearest,
    /// Two levels are blended, as in trilinear filtering, which hides the change between levels.
    Linear,
}

/// Filters and address modes of a texture, which the renderer turns into a sampler state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerKind {
    /// Whether texels are blended where the texture is enlarged (D3D11: `MAG_LINEAR`).
    pub mag_linear: bool,
    /// Whether texels are blended where the texture is reduced (D3D11: `MIN_LINEAR`).
    pub min_linear: bool,
    /// Selection and blending of mip levels, which matter only for textures that have several.
    pub mip: MipFilter,
    /// Address modes along u and v, D3D11's `AddressU` and `AddressV`.
    pub wrap: [Wrap; 2],
}

impl SamplerKind {
    /// Trilinear and repeating, the default of a glTF texture without a sampler.
    pub const DEFAULT: Self =
        Self { mag_linear: true, min_linear: true, mip: MipFilter::Linear, wrap: [Wrap::Repeat; 2] };
}

/// One use of an image by a material, with its sampler and coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureUse {
    /// Index into the images that come with the material, which are those of the scene or the model.
    pub image: usize,
    /// Filters and address modes of this use, because the same image may be sampled differently elsewhere.
    pub sampler: SamplerKind,
    /// Set of the vertex's texture coordinates that this use reads, 0 or 1.
    pub texcoord: u32,
    /// The two rows of the affine map from the vertex's texture coordinates to the texture's.
    pub transform: [[f32; 3]; 2],
}

impl TextureUse {
    /// Uses the whole image through the first set of texture coordinates, with the default sampler.
    pub fn new(image: usize) -> Self {
        Self {
            image,
            sampler: SamplerKind::DEFAULT,
            texcoord: 0,
            transform: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        }
    }
}

/// The meaning of a material's alpha, which selects blend state and pixel shader.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored, and the surface hides everything farther away.
    Opaque,
    /// Pixels with an alpha below the cutoff are not drawn, for which the pixel shader discards them.
    Mask(f32),
    /// The surface is blended over the picture, so it must be drawn after the surfaces that it covers.
    Blend,
}

/// The content of one of a material's textures, whose value is the texture's `t` and `s` slot in the pixel
/// shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureRole {
    /// Base colour in sRGB and linear alpha, which multiply [`Material::base_color`].
    BaseColor = 0,
    /// Roughness in green and metalness in blue, which multiply the material's factors.
    MetallicRoughness = 1,
    /// Tangent-space normal, mapped from -1..1 to 0..1, whose green points up.
    Normal = 2,
    /// Ambient occlusion in red, where 1 is unoccluded and 0 receives no ambient light.
    Occlusion = 3,
    /// Emitted colour in sRGB without an alpha, which multiplies [`Material::emissive`].
    Emissive = 4,
}

impl TextureRole {
    /// Every role, in the order of the texture and sampler slots that shaders read.
    pub const ALL: [Self; 5] =
        [Self::BaseColor, Self::MetallicRoughness, Self::Normal, Self::Occlusion, Self::Emissive];

    /// Whether the image holds sRGB colours rather than plain numbers, which decides the texture's format.
    pub fn is_srgb(self) -> bool {
        matches!(self, Self::BaseColor | Self::Emissive)
    }
}

/// A metallic-roughness material, as glTF 2.0 (section 3.9) defines it, with factors and optional textures.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name for object labels, which appear in graphics debuggers and in messages.
    pub name: String,
    /// Linear colour and alpha, multiplied by the texture's and the vertex's.
    pub base_color: [f32; 4],
    /// Metalness, from 0 for a dielectric to 1 for a metal, which reflects with its own colour.
    pub metallic: f32,
    /// Perceptual roughness from 0 to 1, whose square is the roughness of the GGX distribution.
    pub roughness: f32,
    /// Linear emitted light, which may exceed 1 because the picture is tone mapped.
    pub emissive: [f32; 3],
    /// Factor of the normal texture's x and y, which makes bumps stronger or weaker.
    pub normal_scale: f32,
    /// Strength of the occlusion texture, from 0 without effect to 1 for its full effect.
    pub occlusion_strength: f32,
    /// The meaning of the base colour's alpha, including that of its texture.
    pub alpha: AlphaMode,
    /// Whether back faces are also drawn, so that the rasterizer state must not cull.
    pub double_sided: bool,
    /// Whether the base colour is shown as it is, without light or reflections.
    pub unlit: bool,
    /// The textures in the order of [`TextureRole`], or `None` where the factors apply alone.
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
