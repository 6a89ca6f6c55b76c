//! The layout of the scene: the pool, the objects around it, the lamps and the models.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{EulerRot, FloatExt, Mat4, Quat, Vec3};

use super::random::Random;
use super::{LAMPS, Lamp, Object, Placement};
use onze_examples::model::Model;

/// Radius of the pool's water.
pub(super) const POOL_RADIUS: f32 = 6.0;
/// Height of the water above the ground.
pub(super) const WATER_HEIGHT: f32 = 0.06;
/// Radius of the empty ring around the pool, where the objects begin.
const INNER_RADIUS: f32 = 7.9;
/// Factor of the spiral, whose `i`-th point is `SPACING * sqrt(i)` from the middle so that every object has
/// the same area to itself.
const SPACING: f32 = 0.57;
/// Turning by this angle from object to object makes the spiral even (the sunflower's arrangement).
const GOLDEN_ANGLE: f32 = 2.399_963_2;
/// Height of the plinth's top, where the models are placed.
const PLINTH_HEIGHT: f32 = 0.55;

/// The indices of the procedural meshes and materials that the layout uses.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    /// Box, cylinder, cone, upright ring, sphere.
    pub(super) scatter_meshes: [usize; 5],
    /// The materials that scattered objects take in turn.
    pub(super) scatter_materials: Vec<usize>,
    /// A translucent material.
    pub(super) glass: usize,
    /// A fine sphere for lamps and the sculpture.
    pub(super) sphere: usize,
    /// A fine cylinder for plinths.
    pub(super) cylinder: usize,
    /// The ring around the pool.
    pub(super) rim: usize,
    /// The ring of the sculpture.
    pub(super) ring: usize,
    /// The stone of the rim and the plinths.
    pub(super) stone: usize,
    /// The sculpture's metal.
    pub(super) gold: usize,
    /// The sculpture's other metal.
    pub(super) steel: usize,
    /// What glows.
    pub(super) lamp: usize,
}

/// Linear colours of the scattered objects.
const COLORS: [[f32; 3]; 8] = [
    [0.76, 0.24, 0.12],
    [0.91, 0.62, 0.28],
    [0.90, 0.82, 0.68],
    [0.08, 0.40, 0.42],
    [0.10, 0.16, 0.36],
    [0.55, 0.62, 0.38],
    [0.86, 0.42, 0.34],
    [0.62, 0.74, 0.78],
];

/// Distance of the `number`-th scattered object from the middle.
pub(super) fn scatter_radius(number: u32) -> f32 {
    let first = (INNER_RADIUS / SPACING).powi(2);
    SPACING * (first + number as f32).sqrt()
}

/// The scattered objects.
///
/// Mesh, colour and material repeat with periods that are Fibonacci numbers, which the eye joins to
/// spiral arms; heights swell in rings, as if the pool's ripples went on.
pub(super) fn scatter(count: u32, palette: &Palette) -> Vec<Object> {
    let mut random = Random::new(0x0011_d3d1_1011);
    (0..count).map(|number| scattered(number, palette, &mut random)).collect()
}

fn scattered(number: u32, palette: &Palette, random: &mut Random) -> Object {
    let radius = scatter_radius(number);
    let angle = number as f32 * GOLDEN_ANGLE;
    let kind = (number % 5) as usize;
    let swell = 0.5 + 0.5 * (radius * 0.75 - 5.0).sin();
    let far = ((radius - INNER_RADIUS) / 24.0).clamp(0.0, 1.0);
    let girth = random.range(0.24, 0.36);
    let height = girth * (0.9 + swell * random.range(0.5, 1.1) + far * 0.9);
    let scale = match kind {
        // Rings and spheres keep their shape.
        3 | 4 => Vec3::splat(girth * (0.9 + 0.35 * swell)),
        _ => Vec3::new(girth, height, girth),
    };
    let glass = number % 89 == 44;
    let material = match glass {
        true => palette.glass,
        false => palette.scatter_materials[(number / 5) as usize % palette.scatter_materials.len()],
    };
    let color = COLORS[(number % 13) as usize % COLORS.len()];
    let shade = random.range(0.85, 1.1);
    let tilt = if kind == 3 { Quat::from_rotation_x(FRAC_PI_2) } else { Quat::IDENTITY };
    let lift = if kind == 4 { 0.25 * swell } else { 0.0 };
    Object {
        mesh: if glass { palette.sphere } else { palette.scatter_meshes[kind] },
        material,
        placement: Placement::Turning {
            position: Vec3::new(angle.sin() * radius, scale.y + lift, angle.cos() * radius),
            scale: if glass { Vec3::splat(scale.y) } else { scale },
            tilt,
            phase: random.range(0.0, TAU),
            speed: random.range(-0.6, 0.6),
        },
        color: [color[0] * shade, color[1] * shade, color[2] * shade, 1.0],
        is_ground: false,
    }
}

/// The rim of the pool.
pub(super) fn rim(palette: &Palette) -> Object {
    let scale = Vec3::new(POOL_RADIUS + 0.5, 4.0, POOL_RADIUS + 0.5);
    Object {
        mesh: palette.rim,
        material: palette.stone,
        placement: Placement::Fixed(Mat4::from_scale(scale)),
        color: [0.95, 0.92, 0.88, 1.0],
        is_ground: false,
    }
}

/// The lamps as glowing spheres.
pub(super) fn lamps(palette: &Palette) -> Vec<Object> {
    LAMPS
        .iter()
        .map(|lamp| Object {
            mesh: palette.sphere,
            material: palette.lamp,
            placement: Placement::Lamp(*lamp),
            color: Vec3::from_array(lamp.color).normalize().extend(1.0).to_array(),
            is_ground: false,
        })
        .collect()
}

impl Lamp {
    /// Where the lamp is at `time` seconds.
    pub(crate) fn position(&self, time: f32) -> Vec3 {
        let angle = self.angle + 0.25 * time;
        let height = 1.25 + 0.15 * (time * 1.3 + self.angle).sin();
        let radius = POOL_RADIUS - 0.9;
        Vec3::new(angle.sin() * radius, height, angle.cos() * radius)
    }
}

/// The sculpture that stands in the pool where no model does.
pub(super) fn sculpture(palette: &Palette) -> Vec<Object> {
    let middle = PLINTH_HEIGHT + 1.75;
    let ring = |size: f32, tilt: Quat, speed: f32, material: usize| Object {
        mesh: palette.ring,
        material,
        placement: Placement::Turning {
            position: Vec3::Y * middle,
            scale: Vec3::splat(size),
            tilt,
            phase: 0.6,
            speed,
        },
        color: [1.0; 4],
        is_ground: false,
    };
    let leaning = Quat::from_euler(EulerRot::XYZ, 1.15, 0.0, 0.5);
    vec![
        plinth(Vec3::ZERO, 1.5, palette),
        ring(1.75, Quat::from_rotation_x(FRAC_PI_2), 0.35, palette.gold),
        ring(1.32, leaning, -0.5, palette.steel),
        Object {
            mesh: palette.sphere,
            placement: Placement::Fixed(Mat4::from_scale_rotation_translation(
                Vec3::splat(0.62),
                Quat::IDENTITY,
                Vec3::Y * middle,
            )),
            ..ring(1.0, Quat::IDENTITY, 0.0, palette.steel)
        },
    ]
}

fn plinth(foot: Vec3, radius: f32, palette: &Palette) -> Object {
    let scale = Vec3::new(radius, PLINTH_HEIGHT * 0.5, radius);
    Object {
        mesh: palette.cylinder,
        material: palette.stone,
        placement: Placement::Fixed(Mat4::from_scale_rotation_translation(
            scale,
            Quat::IDENTITY,
            foot + Vec3::Y * scale.y,
        )),
        color: [0.95, 0.92, 0.88, 1.0],
        is_ground: false,
    }
}

/// Where the models stand: their feet and their common size.
fn pedestals(count: usize) -> (Vec<Vec3>, f32) {
    match count {
        0 | 1 => (vec![Vec3::ZERO; count], 3.6),
        2 | 3 => {
            let middle = (count - 1) as f32 * 0.5;
            let at = |number: usize| Vec3::new((number as f32 - middle) * 3.3, 0.0, 0.0);
            ((0..count).map(at).collect(), 2.8)
        }
        _ => {
            // A ring that is wide enough for all, within the water as long as they fit there.
            let radius = (count as f32 * 0.42).max(3.6);
            let at = |number: usize| {
                let (sin, cos) = (TAU * number as f32 / count as f32).sin_cos();
                Vec3::new(sin * radius, 0.0, cos * radius)
            };
            ((0..count).map(at).collect(), 1.9)
        }
    }
}

/// The models on their plinths. `first_mesh` and `first_material` tell, for each model, where its
/// meshes and materials begin among the scene's.
pub(super) fn place_models(models: &[Model], first: &[(usize, usize)], palette: &Palette) -> Vec<Object> {
    let (feet, size) = pedestals(models.len());
    let mut objects = Vec::new();
    for ((model, &foot), &(first_mesh, first_material)) in models.iter().zip(&feet).zip(first) {
        let extent = model.bounds.size();
        // A model that is a single point keeps its size.
        let largest = extent.max_element();
        let scale = if largest > 0.0 { size / largest } else { 1.0 };
        let footprint = extent.x.max(extent.z) * scale * 0.5;
        objects.push(plinth(foot, 0.0.lerp(footprint, 1.15).max(0.5), palette));
        let center = model.bounds.center();
        let base = Vec3::new(center.x, model.bounds.min.y, center.z);
        let place = Mat4::from_translation(foot + Vec3::Y * PLINTH_HEIGHT)
            * Mat4::from_scale(Vec3::splat(scale))
            * Mat4::from_translation(-base);
        objects.extend(model.instances.iter().map(|instance| Object {
            mesh: first_mesh + instance.mesh,
            material: first_material + instance.material,
            placement: Placement::Fixed(place * instance.transform),
            color: [1.0; 4],
            is_ground: false,
        }));
    }
    objects
}
