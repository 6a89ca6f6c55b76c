//! The draws of the benchmark, shared by Onze's side and wgpu's side.

use std::ops::Range;

/// Width and height of the square target in texels.
pub const TARGET: u32 = 256;

/// Number of textures that variants cycle through.
pub const TEXTURES: usize = 64;

/// Width and height of each of these textures in texels.
pub const TEXTURE: u32 = 4;

/// Number of meshes in the variants with boxes.
pub const MESHES: usize = 8;

/// Number of meshes in the scene, each with a vertex buffer and an index buffer of its own.
pub const SCENE_MESHES: usize = 64;

/// Number of materials in the scene, each with three textures.
pub const MATERIALS: usize = TEXTURES;

/// Number of combinations of shaders and state objects that variants cycle through: each pixel shader with
/// each of two blend states and two rasterizer states.
pub const COMBINATIONS: usize = PIXEL_SHADERS.len() * 2 * 2;

/// Alignment in bytes of ranges of constant buffers, and the largest size of a draw's constants.
pub const SLOT: usize = 256;

/// The constants of a draw or dispatch: 64 bytes that the vertex shader or the compute shader reads.
pub type Constants = [f32; 16];

/// Entry points of the pixel shaders that variants cycle through.
pub const PIXEL_SHADERS: [&str; 4] = ["ps_0", "ps_1", "ps_2", "ps_3"];

/// Entry points of the scene's pixel shaders.
pub const SCENE_SHADERS: [&str; 4] = ["ps_scene_0", "ps_scene_1", "ps_scene_2", "ps_scene_3"];

/// The shaders without their bindings. Each side declares the bindings by its own convention.
const SHADERS: &str = r"
struct Object { scale: vec4f, offset: vec4f, tint: vec4f, place: vec4f }
struct Corner { @builtin(position) position: vec4f, @location(0) tint: vec4f, @location(1) place: vec2f }

fn moved(position: vec3f, by: Object) -> Corner {
    return Corner(vec4f(position * by.scale.xyz + by.offset.xyz, 1.0), by.tint, by.place.xy);
}
@vertex fn vs_main(@location(0) position: vec3f) -> Corner { return moved(position, object); }
@vertex fn vs_structured(@location(0) position: vec3f) -> Corner { return moved(position, objects[0]); }
@vertex fn vs_written(@location(0) position: vec3f, @builtin(instance_index) instance: u32) -> Corner {
    return moved(position, objects[instance]);
}
@compute @workgroup_size(4) fn cs_main(@builtin(local_invocation_index) part: u32) {
    let parts = array(object.scale, object.offset, object.tint, object.place);
    // A recorder's draws follow each other, so the remainders are all different.
    let place = u32(object.place.z) % (arrayLength(&written) / 4);
    written[place * 4 + part] = parts[part];
}
fn color(corner: Corner) -> vec4f { return textureSample(albedo, filtering, corner.place) * corner.tint; }
@fragment fn ps_0(corner: Corner) -> @location(0) vec4f { return color(corner); }
@fragment fn ps_1(corner: Corner) -> @location(0) vec4f { return color(corner).bgra; }
@fragment fn ps_2(corner: Corner) -> @location(0) vec4f { return vec4f(1.0) - color(corner); }
@fragment fn ps_3(corner: Corner) -> @location(0) vec4f { return color(corner) * 0.5; }
@fragment fn ps_boxes(corner: Corner) -> @location(0) vec4f { return color(corner) * surface.tint; }
fn material(corner: Corner) -> vec4f {
    let detail = textureSample(detail_map, filtering, corner.place);
    let gloss = textureSample(gloss_map, filtering, corner.place);
    return (color(corner) + 0.5 * detail) * (surface.tint + 0.25 * gloss);
}
@fragment fn ps_scene_0(corner: Corner) -> @location(0) vec4f { return material(corner); }
@fragment fn ps_scene_1(corner: Corner) -> @location(0) vec4f { return material(corner).bgra; }
@fragment fn ps_scene_2(corner: Corner) -> @location(0) vec4f { return vec4f(1.0) - material(corner); }
@fragment fn ps_scene_3(corner: Corner) -> @location(0) vec4f { return material(corner) * 0.5; }
";

/// Returns the source of the shaders, preceded by the declarations in `bindings`.
pub fn shaders(bindings: &str) -> String {
    format!("{bindings}{SHADERS}")
}

/// The state that changes from draw to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// No state, so that all draws are the same.
    V0,
    /// The constants, by `Map(WRITE_DISCARD)` of a buffer of 64 bytes.
    V1,
    /// The constants as in `V1`, and the bound texture.
    V2,
    /// The constants, the texture, and the combination of shaders and state objects.
    V3,
    /// The constants, by a different offset into one large buffer that is mapped once per frame.
    V4,
    /// The constants, by `UpdateSubresource` of a buffer of 64 bytes.
    V5,
    /// The constants of dispatches, by `Map(WRITE_DISCARD)` of a buffer of 64 bytes. Each dispatch copies
    /// its constants into a structured buffer, and one instanced draw at the end reads that buffer. The
    /// picture is therefore the same as in `V1`.
    V6,
    /// The contents of a structured buffer of 64 bytes, by `Map(WRITE_DISCARD)`.
    V7,
    /// Like `V2`, but sorted by texture, so that each texture is bound once.
    V2Sorted,
    /// One of 8 meshes in random order, and the constants of both stages, each by `Map(WRITE_DISCARD)` of 64
    /// bytes.
    Boxes,
    /// Like `Boxes`, but sorted by mesh.
    BoxesSorted,
    /// A game's scene: each draw has one of 64 meshes with buffers of their own, one of 64 materials with three
    /// textures, and constants of 64 to 256 bytes for each of two stages. A tenth of the draws changes the
    /// combination of shaders and states.
    Scene,
}

impl Variant {
    /// All variants, in the order of the tables.
    pub const ALL: [Self; 12] = [
        Self::Scene,
        Self::Boxes,
        Self::BoxesSorted,
        Self::V0,
        Self::V1,
        Self::V2,
        Self::V2Sorted,
        Self::V3,
        Self::V4,
        Self::V5,
        Self::V6,
        Self::V7,
    ];

    /// Returns the variant's name in reports, tables and filters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::V4 => "v4",
            Self::V5 => "v5",
            Self::V6 => "v6",
            Self::V7 => "v7",
            Self::V2Sorted => "v2-sorted",
            Self::Boxes => "boxes",
            Self::BoxesSorted => "boxes-sorted",
            Self::Scene => "scene",
        }
    }

    /// Returns a description for the legend of the table.
    pub const fn words(self) -> &'static str {
        match self {
            Self::V0 => "draws with nothing changed",
            Self::V1 => "a Map(WRITE_DISCARD) of 64 bytes of constants per draw",
            Self::V2 => "v1 and another of 64 textures per draw",
            Self::V3 => "v2 and another of 16 combinations of shaders and states per draw",
            Self::V4 => "one Map of all constants per frame, another offset per draw",
            Self::V5 => "an UpdateSubresource of 64 bytes of constants per draw",
            Self::V6 => "a Map(WRITE_DISCARD) of 64 bytes of constants per dispatch",
            Self::V7 => "a Map(WRITE_DISCARD) of a structured buffer of 64 bytes per draw",
            Self::V2Sorted => "v2 in the order of the textures",
            Self::Boxes => {
                "8 meshes in random order, a Map(WRITE_DISCARD) of 64 bytes for each stage per draw"
            }
            Self::BoxesSorted => "boxes in the order of the meshes",
            Self::Scene => {
                "another mesh, three textures, a Map(WRITE_DISCARD) of 64 to 256 bytes for each stage per draw, \
                 and other shaders and states for a tenth of the draws"
            }
        }
    }

    /// Returns whether the bound texture changes between draws.
    pub const fn changes_texture(self) -> bool {
        matches!(self, Self::V2 | Self::V3)
    }

    /// Returns whether the variant draws boxes, with changing meshes and constants for the pixel shader.
    pub const fn is_boxes(self) -> bool {
        matches!(self, Self::Boxes | Self::BoxesSorted)
    }

    /// Returns whether the variant is also measured as a replay. Dispatches are excluded, because wgpu's
    /// render bundles cannot contain them.
    pub const fn is_replayed(self) -> bool {
        !matches!(self, Self::V6)
    }

    /// Returns the minimum number of bytes that a recorder stores per draw: the draw's arguments, the
    /// constants with 8 bytes for their location, and 4 bytes for each newly bound object other than the
    /// constants.
    pub const fn least_bytes(self) -> usize {
        let objects = match self {
            Self::V0
            | Self::V1
            | Self::V2Sorted
            | Self::V4
            | Self::V5
            | Self::V6
            | Self::V7
            | Self::Boxes
            | Self::BoxesSorted => 0,
            Self::V2 => 1,
            // The texture and the pixel shader change with every draw, and the state objects change less
            // often.
            Self::V3 => 2,
            // Three textures, the vertex buffer and the index buffer.
            Self::Scene => 5,
        };
        let buffers = match self {
            Self::V0 => 0,
            Self::Boxes | Self::BoxesSorted | Self::Scene => 2,
            _ => 1,
        };
        3 * size_of::<u32>() + 4 * objects + buffers * (8 + size_of::<Constants>())
    }
}

/// A draw of the scene.
#[derive(Debug, Clone, Copy)]
pub struct SceneDraw {
    /// Index of the mesh, less than [`SCENE_MESHES`].
    pub mesh: usize,
    /// Index of the material, less than [`MATERIALS`].
    pub material: usize,
    /// Index of the combination of shaders and states, less than [`COMBINATIONS`].
    pub combination: usize,
    /// Sizes in bytes of the constants of the vertex shader and of the pixel shader: 64, 128, 192 or 256. The
    /// shaders read the first 64 bytes.
    pub bytes: [usize; 2],
}

/// Returns the indices of a material's textures.
pub fn material_textures(material: usize) -> [usize; 3] {
    [0, 21, 42].map(|step| (material + step) % TEXTURES)
}

/// A mesh of a box: a range of the shared vertices and indices.
#[derive(Debug, Clone)]
pub struct Mesh {
    /// Range of the mesh's indices in the shared index buffer.
    pub indices: Range<u32>,
    /// Value that is added to each of the mesh's indices, as in `DrawIndexed`.
    pub base_vertex: i32,
}

/// The draws of a frame and their data.
#[derive(Debug)]
pub struct Workload {
    /// The constants of each draw, indexed by the draw's number.
    pub constants: Vec<Constants>,
    /// The pixel shader constants of each draw, used only by boxes.
    pub surfaces: Vec<Constants>,
    /// Positions of all corners. The triangle that most variants draw comes first.
    pub vertices: Vec<[f32; 3]>,
    /// All indices. Their number is even, so that their size is a multiple of 4 bytes.
    pub indices: Vec<u16>,
    /// The meshes that the variants with boxes draw. The scene's mesh n is a copy of mesh n % [`MESHES`].
    pub meshes: Vec<Mesh>,
    /// The draws of the scene.
    pub scene: Vec<SceneDraw>,
    by_texture: Vec<usize>,
    by_mesh: Vec<usize>,
}

impl Workload {
    /// Creates the draws of a frame. The triangles form a grid. Unless `visible` is true, the grid is beyond
    /// the far plane, so that the rasterizer clips all triangles.
    pub fn new(draws: u32, visible: bool) -> Self {
        let columns = f64::from(draws).sqrt().ceil().max(1.0) as u32;
        let depth = if visible { 0.5 } else { 2.0 };
        // Clockwise, because clockwise triangles are front faces.
        let mut vertices = vec![[0.0, 0.0, depth], [0.0, 1.0, depth], [1.0, 0.0, depth]];
        let mut indices = vec![0, 1, 2];
        let mut meshes = Vec::new();
        for mesh in 0..MESHES {
            // A polygon in the unit square, triangulated as a fan.
            let corners = 3 + mesh as u16;
            let (base_vertex, first) = (vertices.len() as i32, indices.len() as u32);
            vertices.extend((0..corners).map(|corner| {
                let (sin, cos) = (f32::from(corner) / f32::from(corners) * std::f32::consts::TAU).sin_cos();
                [0.5 + 0.5 * sin, 0.5 + 0.5 * cos, depth]
            }));
            indices.extend((1..corners - 1).flat_map(|corner| [0, corner, corner + 1]));
            meshes.push(Mesh { indices: first..indices.len() as u32, base_vertex });
        }
        if indices.len() % 2 == 1 {
            indices.push(0);
        }
        let sorted_by = |key: fn(usize) -> usize| {
            let mut order: Vec<_> = (0..draws as usize).collect();
            order.sort_by_key(|draw| key(*draw));
            order
        };
        Self {
            constants: (0..draws).map(|draw| constants(draw, columns)).collect(),
            surfaces: (0..draws).map(surface).collect(),
            vertices,
            indices,
            meshes,
            scene: scene(draws),
            by_texture: sorted_by(|draw| draw % TEXTURES),
            by_mesh: sorted_by(mesh_of),
        }
    }

    /// Returns the number of the draw at a position in a frame.
    pub fn draw_at(&self, variant: Variant, place: usize) -> usize {
        match variant {
            Variant::V2Sorted => self.by_texture[place],
            Variant::BoxesSorted => self.by_mesh[place],
            _ => place,
        }
    }

    /// Returns the mesh of a draw in the variants with boxes.
    pub fn mesh(&self, draw: usize) -> &Mesh {
        &self.meshes[mesh_of(draw)]
    }

    /// Returns the vertices and the indices of a mesh of the scene.
    pub fn scene_mesh(&self, mesh: usize) -> (&[[f32; 3]], &[u16]) {
        let Mesh { indices, base_vertex } = &self.meshes[mesh % MESHES];
        let (first, corners) = (*base_vertex as usize, 3 + mesh % MESHES);
        (&self.vertices[first..first + corners], &self.indices[indices.start as usize..indices.end as usize])
    }

    /// Returns the number of draws in a frame.
    pub fn draws(&self) -> u32 {
        self.constants.len() as u32
    }
}

/// Returns the index of a draw's mesh. The order of meshes is pseudo-random.
pub fn mesh_of(draw: usize) -> usize {
    hash(draw as u32) as usize % MESHES
}

/// Mixes the bits of a number, so that the results for consecutive numbers look independent. This is the
/// finalizer of MurmurHash3.
fn hash(number: u32) -> u32 {
    let mixed = (number ^ number >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

/// Returns the draws of the scene.
fn scene(draws: u32) -> Vec<SceneDraw> {
    let mut combination = 0;
    let draw = |draw: u32| {
        let [mesh, material, sizes, change] = [0, 1, 2, 3].map(|part| hash(4 * draw + part) as usize);
        if change % 10 == 0 {
            combination = (combination + 1) % COMBINATIONS;
        }
        SceneDraw {
            mesh: mesh % SCENE_MESHES,
            material: material % MATERIALS,
            combination,
            bytes: [sizes % 4, sizes / 4 % 4].map(|steps| (steps + 1) * size_of::<Constants>()),
        }
    };
    (0..draws).map(draw).collect()
}

/// Returns the pixel shader constants of a box.
fn surface(draw: u32) -> Constants {
    let shade = |step: u32| 0.5 + 0.5 * ((draw * step % 256) as f32 / 255.0);
    let mut surface = [0.0; 16];
    surface[8..12].copy_from_slice(&[shade(13), shade(59), shade(83), 1.0]);
    surface
}

/// Returns the constants of a draw. Its triangle fills most of its cell in a square grid.
fn constants(draw: u32, columns: u32) -> Constants {
    let cell = 2.0 / columns as f32;
    let (column, row) = ((draw % columns) as f32, (draw / columns) as f32);
    let shade = |step: u32| 0.25 + 0.75 * ((draw * step % 256) as f32 / 255.0);
    [
        [cell * 0.9, cell * 0.9, 1.0, 0.0],
        [-1.0 + column * cell, -1.0 + row * cell, 0.0, 0.0],
        [shade(7), shade(31), shade(101), 0.75],
        [shade(3), shade(5), draw as f32, (draw as usize % TEXTURES) as f32],
    ]
    .as_flattened()
    .try_into()
    .unwrap_or_default()
}

/// Returns the RGBA texels of a texture. All textures differ.
pub fn texels(texture: usize) -> [u8; (TEXTURE * TEXTURE * 4) as usize] {
    std::array::from_fn(|byte| match byte % 4 {
        3 => 255 - texture as u8,
        channel => (64 + texture * (29 + 2 * channel) + byte * 5) as u8,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_mesh_as_often_as_by_chance() {
        let same = (0..10_000).filter(|draw| mesh_of(*draw) == mesh_of(draw + 1)).count();
        assert!((1150..1350).contains(&same), "{same} of 10,000 neighbours share one of {MESHES} meshes");
    }

    #[test]
    fn a_tenth_of_the_scenes_draws_changes_shaders_and_states() {
        let scene = Workload::new(10_000, false).scene;
        let changes = scene.windows(2).filter(|pair| pair[0].combination != pair[1].combination).count();
        assert!((900..1100).contains(&changes), "{changes}");
        for bytes in [64, 128, 192, 256] {
            let count = scene.iter().filter(|draw| draw.bytes[0] == bytes).count();
            assert!((2300..2700).contains(&count), "{count} draws have {bytes} bytes");
        }
    }
}
