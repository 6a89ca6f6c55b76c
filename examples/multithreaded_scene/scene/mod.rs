//! The scene: a round reflecting pool with thousands of objects on a spiral around it. In the pool is a
//! sculpture, or the models given on the command line. The same arguments give the same scene on every
//! machine.

pub(crate) mod camera;
mod layout;
mod random;
mod shapes;
mod textures;

use glam::{Mat3, Mat4, Quat, Vec3};

use self::layout::{POOL_RADIUS, Palette, WATER_HEIGHT};
use self::textures::Pattern;
use onze_examples::content::{AlphaMode, Image, Material, Mesh, TextureRole, TextureUse};
use onze_examples::model::Model;

/// Maximum distance from the middle at which objects cast shadows, because a larger area would make the
/// shadows coarse.
const MAX_SHADOW_RADIUS: f32 = 42.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lamp {
    pub(crate) angle: f32,
    pub(crate) color: [f32; 3],
}

pub(crate) const LAMPS: [Lamp; 3] = [
    Lamp { angle: 0.75, color: [9.0, 3.6, 1.0] },
    Lamp { angle: 2.9, color: [1.0, 5.0, 8.0] },
    Lamp { angle: 5.2, color: [8.0, 1.6, 4.6] },
];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Placement {
    Fixed(Mat4),
    Turning {
        position: Vec3,
        scale: Vec3,
        /// Rotation of the object around its own axes, applied before the rotation around the vertical axis.
        tilt: Quat,
        phase: f32,
        speed: f32,
    },
    Lamp(Lamp),
}

/// An object, drawn with one draw call in each pass that shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Object {
    pub(crate) mesh: usize,
    pub(crate) material: usize,
    pub(crate) placement: Placement,
    pub(crate) color: [f32; 4],
    /// Whether the object is the ground, which casts no shadow and is not reflected in the water.
    pub(crate) is_ground: bool,
}

impl Object {
    /// Returns the transform from the mesh's local space to world space at `time` seconds.
    pub(crate) fn world(&self, time: f32) -> Mat4 {
        match self.placement {
            Placement::Fixed(world) => world,
            Placement::Turning { position, scale, tilt, phase, speed } => {
                let turn = Quat::from_rotation_y(phase + speed * time) * tilt;
                Mat4::from_scale_rotation_translation(scale, turn, position)
            }
            Placement::Lamp(lamp) => {
                Mat4::from_scale_rotation_translation(Vec3::splat(0.16), Quat::IDENTITY, lamp.position(time))
            }
        }
    }

    /// Whether the object's transform mirrors it, which reverses the winding of front faces.
    pub(crate) fn is_inside_out(&self) -> bool {
        Mat3::from_mat4(self.world(0.0)).determinant() < 0.0
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) meshes: Vec<Mesh>,
    pub(crate) images: Vec<Image>,
    pub(crate) materials: Vec<Material>,
    /// The objects in drawing order, sorted by material and mesh to minimize state changes.
    pub(crate) objects: Vec<Object>,
    /// The water's surface, which is not one of the objects because separate steps draw it.
    pub(crate) water: Object,
    pub(crate) shadow_radius: f32,
}

impl Scene {
    /// Builds the scene with `count` objects around the pool and with `models` in the pool.
    pub(crate) fn new(count: u32, models: &[Model]) -> Self {
        let mut scene = Self {
            meshes: Vec::new(),
            images: Pattern::ALL.map(Pattern::draw).into(),
            materials: Vec::new(),
            objects: Vec::new(),
            water: Object {
                mesh: 0,
                material: 0,
                placement: Placement::Fixed(Mat4::from_scale_rotation_translation(
                    Vec3::new(POOL_RADIUS, 1.0, POOL_RADIUS),
                    Quat::IDENTITY,
                    Vec3::Y * WATER_HEIGHT,
                )),
                color: [1.0; 4],
                is_ground: false,
            },
            shadow_radius: (layout::scatter_radius(count) + 1.0).min(MAX_SHADOW_RADIUS),
        };
        scene.water.mesh = scene.add_mesh(shapes::disc(96));
        scene.water.material = scene.add_material(named("water"));
        let ground = scene.add_ground();
        scene.objects.push(ground);
        let palette = scene.add_palette();
        scene.objects.push(layout::rim(&palette));
        scene.objects.extend(layout::lamps(&palette));
        scene.objects.extend(layout::scatter(count, &palette));
        if models.is_empty() {
            scene.objects.extend(layout::sculpture(&palette));
        } else {
            let first: Vec<_> = models.iter().map(|model| scene.add_model(model)).collect();
            let placed = layout::place_models(models, &first, &palette);
            scene.objects.extend(placed);
        }
        let materials = &scene.materials;
        // Sort by material and mesh to save state changes, with a stable sort so that the order is the same
        // on every machine.
        scene.objects.sort_by_key(|object| {
            let class = match materials[object.material].alpha {
                AlphaMode::Opaque => 0,
                AlphaMode::Mask(_) => 1,
                AlphaMode::Blend => 2,
            };
            (class, object.material, object.mesh)
        });
        scene
    }

    pub(crate) fn is_blended(&self, object: &Object) -> bool {
        self.materials[object.material].alpha == AlphaMode::Blend
    }

    fn add_mesh(&mut self, mesh: Mesh) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    fn add_material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Adds the ground, which reaches to where the fog hides it.
    fn add_ground(&mut self) -> Object {
        const EXTENT: f32 = 400.0;
        let mesh = self.add_mesh(shapes::plane(EXTENT));
        let material = self.add_material(
            textured("ground", Pattern::Paving, 0.85).with_normal_image(Pattern::PavingNormals as usize),
        );
        Object {
            mesh,
            material,
            placement: Placement::Fixed(Mat4::from_scale(Vec3::new(EXTENT, 1.0, EXTENT))),
            color: [0.92, 0.86, 0.78, 1.0],
            is_ground: true,
        }
    }

    fn add_palette(&mut self) -> Palette {
        let scatter_meshes = [
            shapes::cube(),
            shapes::cylinder(24),
            shapes::cone(24),
            shapes::torus(24, 12, 0.3),
            shapes::sphere(24, 14),
        ]
        .map(|mesh| self.add_mesh(mesh));
        let scatter_materials =
            scatter_materials().into_iter().map(|material| self.add_material(material)).collect();
        Palette {
            scatter_meshes,
            scatter_materials,
            glass: self.add_material(Material {
                base_color: [0.9, 0.97, 1.0, 0.38],
                roughness: 0.08,
                alpha: AlphaMode::Blend,
                ..named("glass")
            }),
            sphere: self.add_mesh(shapes::sphere(48, 24)),
            cylinder: self.add_mesh(shapes::cylinder(64)),
            rim: self.add_mesh(shapes::torus(128, 12, 0.04)),
            ring: self.add_mesh(shapes::torus(96, 24, 0.12)),
            stone: self.add_material(textured("stone", Pattern::Plaster, 0.7)),
            gold: self.add_material(Material {
                base_color: [1.0, 0.71, 0.29, 1.0],
                metallic: 1.0,
                roughness: 0.22,
                ..named("gold")
            }),
            steel: self.add_material(Material {
                base_color: [0.62, 0.66, 0.70, 1.0],
                metallic: 1.0,
                roughness: 0.1,
                ..named("steel")
            }),
            lamp: self.add_material(Material { emissive: [3.0; 3], ..named("lamp") }),
        }
    }

    /// Adds the model's images, meshes and materials, and returns the indices of its first mesh and material.
    fn add_model(&mut self, model: &Model) -> (usize, usize) {
        let first = (self.meshes.len(), self.materials.len());
        let first_image = self.images.len();
        self.images.extend(model.images.iter().cloned());
        self.meshes.extend(model.meshes.iter().cloned());
        self.materials.extend(model.materials.iter().cloned().map(|mut material| {
            for texture in material.textures.iter_mut().flatten() {
                texture.image += first_image;
            }
            material
        }));
        first
    }
}

fn named(name: &str) -> Material {
    Material { name: name.to_owned(), ..Material::default() }
}

fn textured(name: &str, pattern: Pattern, roughness: f32) -> Material {
    Material { roughness, ..named(name).with_base_color_image(pattern as usize) }
}

fn scatter_materials() -> Vec<Material> {
    let mut lattice = textured("lattice", Pattern::Lattice, 0.6);
    lattice.alpha = AlphaMode::Mask(0.5);
    lattice.double_sided = true;
    let mut brass = textured("brass", Pattern::Terrazzo, 0.35);
    brass.metallic = 1.0;
    let mut fine = TextureUse::new(Pattern::Terrazzo as usize);
    fine.transform = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0]];
    let mut terrazzo = textured("terrazzo", Pattern::Terrazzo, 0.45);
    terrazzo.textures[TextureRole::BaseColor as usize] = Some(fine);
    vec![
        textured("plaster", Pattern::Plaster, 0.8),
        textured("checker", Pattern::Checker, 0.35),
        textured("bricks", Pattern::Bricks, 0.9).with_normal_image(Pattern::BrickNormals as usize),
        terrazzo,
        textured("stripes", Pattern::Stripes, 0.5),
        brass,
        textured("wood", Pattern::Wood, 0.65),
        lattice,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(scene: &Scene) -> Vec<(f32, f32)> {
        let turning = scene.objects.iter().filter_map(|object| match object.placement {
            Placement::Turning { position, .. } => Some((position.x, position.z)),
            _ => None,
        });
        turning.filter(|(x, z)| x.hypot(*z) > POOL_RADIUS).collect()
    }

    #[test]
    fn the_scene_is_repeatable_and_has_the_asked_number_of_objects() {
        let scene = Scene::new(500, &[]);
        assert_eq!(scattered(&scene).len(), 500);
        assert_eq!(scene.objects, Scene::new(500, &[]).objects);
        assert!(scattered(&Scene::new(0, &[])).is_empty());
    }

    #[test]
    fn objects_keep_their_distance() {
        let places = scattered(&Scene::new(1500, &[]));
        for (number, a) in places.iter().enumerate() {
            for b in &places[..number] {
                let distance = (a.0 - b.0).hypot(a.1 - b.1);
                assert!(distance > 0.7, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn indices_are_within_their_lists() {
        let scene = Scene::new(200, &[]);
        for object in scene.objects.iter().chain([&scene.water]) {
            assert!(object.mesh < scene.meshes.len());
            assert!(object.material < scene.materials.len());
            assert!(!object.is_inside_out());
        }
        for texture in scene.materials.iter().flat_map(|material| material.textures).flatten() {
            assert!(texture.image < scene.images.len());
        }
    }

    #[test]
    fn blended_objects_come_last_and_materials_stand_together() {
        let scene = Scene::new(1000, &[]);
        let blended: Vec<_> = scene.objects.iter().map(|object| scene.is_blended(object)).collect();
        assert!(blended.is_sorted() && blended.contains(&true));
        let mut materials: Vec<_> = scene.objects.iter().map(|object| object.material).collect();
        materials.dedup();
        let runs = materials.len();
        materials.sort_unstable();
        materials.dedup();
        assert_eq!(runs, materials.len());
    }
}
