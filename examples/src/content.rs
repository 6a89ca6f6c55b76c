//! The contents of a scene before upload: vertices, meshes, images and materials.
//!
//! The procedural scene and the glTF loader both produce these types, and the renderer uses only
//! them, so a loaded model is drawn by the same code as all other objects.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};

/// One vertex, 64 bytes, as the vertex buffer holds it.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vertex {
    /// Position in the mesh's own space.
    pub position: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
    /// Unit tangent; `w` is the handedness of the tangent frame, or 0 where the mesh has no
    /// tangents and the pixel shader derives a frame from the texture coordinates.
    pub tangent: [f32; 4],
    /// Two sets of texture coordinates.
    pub texcoord: [[f32; 2]; 2],
    /// Linear RGBA colour, 16 bits normalised per channel.
    pub color: [u16; 4],
}

impl Vertex {
    /// A white vertex without tangent.
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

/// A list of triangles; counter-clockwise triangles are front faces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// For messages and object labels.
    pub name: String,
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// Three indices per triangle, each less than the number of vertices.
    pub indices: Vec<u32>,
}

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The least coordinate on each axis.
    pub min: Vec3,
    /// The greatest coordinate on each axis.
    pub max: Vec3,
}

impl Bounds {
    /// The box that holds nothing; it grows by [`Bounds::add`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Grows the box so that it holds `point`.
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

    /// Edge lengths.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// The middle.
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
    /// For object labels.
    pub name: String,
    /// Pixels per row, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub pixels: Vec<u8>,
}

/// How texture coordinates outside 0..1 are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image repeats.
    Repeat,
    /// The image repeats, every second time mirrored.
    Mirror,
    /// The border pixel continues.
    Clamp,
}

/// How mip levels are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MipFilter {
    /// Only the largest level is read.
    None,
    /// The nearest level is read.
    Nearest,
    /// Two levels are blended.
    Linear,
}

/// How a texture is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerKind {
    /// Whether enlarged pixels are blended.
    pub mag_linear: bool,
    /// Whether reduced pixels are blended.
    pub min_linear: bool,
    /// How mip levels are used.
    pub mip: MipFilter,
    /// Wrapping along u and v.
    pub wrap: [Wrap; 2],
}

impl SamplerKind {
    /// Trilinear and repeating, the default of a glTF texture without a sampler.
    pub const DEFAULT: Self =
        Self { mag_linear: true, min_linear: true, mip: MipFilter::Linear, wrap: [Wrap::Repeat; 2] };
}

/// One use of an image by a material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureUse {
    /// Index into the images that come with the material.
    pub image: usize,
    /// How it is sampled.
    pub sampler: SamplerKind,
    /// Which of the vertex's two sets of texture coordinates it uses: 0 or 1.
    pub texcoord: u32,
    /// The two rows of the affine map from the vertex's texture coordinates to the texture's.
    pub transform: [[f32; 3]; 2],
}

impl TextureUse {
    /// The whole image through the first set of texture coordinates.
    pub fn new(image: usize) -> Self {
        Self {
            image,
            sampler: SamplerKind::DEFAULT,
            texcoord: 0,
            transform: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        }
    }
}

/// The meaning of a material's alpha.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    Opaque,
    /// Pixels with an alpha below the cutoff are not drawn.
    Mask(f32),
    /// The surface blends with the picture behind it.
    Blend,
}

/// The content of one of a material's textures. The value is its `t` and `s` slot in the pixel
/// shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureRole {
    /// sRGB colour and alpha.
    BaseColor = 0,
    /// Roughness in green, metalness in blue.
    MetallicRoughness = 1,
    /// Tangent-space normal.
    Normal = 2,
    /// Ambient occlusion in red.
    Occlusion = 3,
    /// sRGB emitted colour.
    Emissive = 4,
}

impl TextureRole {
    /// Every role in slot order.
    pub const ALL: [Self; 5] =
        [Self::BaseColor, Self::MetallicRoughness, Self::Normal, Self::Occlusion, Self::Emissive];

    /// Whether the image holds sRGB colours rather than plain numbers.
    pub fn is_srgb(self) -> bool {
        matches!(self, Self::BaseColor | Self::Emissive)
    }
}

/// A metallic-roughness material, as glTF 2.0 (section 3.9) defines it.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// For object labels.
    pub name: String,
    /// Linear colour and alpha, multiplied with the texture's.
    pub base_color: [f32; 4],
    /// 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// Perceptual roughness, 0..1.
    pub roughness: f32,
    /// Linear emitted light; may exceed 1.
    pub emissive: [f32; 3],
    /// Scales the x and y of the normal texture.
    pub normal_scale: f32,
    /// 0 ignores the occlusion texture, 1 applies it fully.
    pub occlusion_strength: f32,
    /// How alpha is used.
    pub alpha: AlphaMode,
    /// Whether back faces are also drawn.
    pub double_sided: bool,
    /// Whether the base colour is shown as it is, without light.
    pub unlit: bool,
    /// The textures in the order of [`TextureRole`].
    pub textures: [Option<TextureUse>; 5],
}

impl Default for Material {
    /// glTF's default material, but not metallic.
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
    /// The material with `image` as its base colour texture.
    pub fn with_base_color_image(mut self, image: usize) -> Self {
        self.textures[TextureRole::BaseColor as usize] = Some(TextureUse::new(image));
        self
    }

    /// The material with `image` as its normal texture.
    pub fn with_normal_image(mut self, image: usize) -> Self {
        self.textures[TextureRole::Normal as usize] = Some(TextureUse::new(image));
        self
    }
}
