//! The layout of the scene: the pool, the objects around it, the lamps and the models.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{EulerRot, FloatExt, Mat4, Quat, Vec3};

use super::random::Random;
use super::{LAMPS, Lamp, Object, Placement};
use onze_examples::model::Model;

pub(super) const POOL_RADIUS: f32 = 6.0;
pub(super) const WATER_HEIGHT: f32 = 0.06;
const INNER_RADIUS: f32 = 7.9;
/// Scale of the spiral of objects, where point `i` is `SPACING * sqrt(i)` from the middle, so that all
/// objects have the same area around them.
const SPACING: f32 = 0.57;
/// The golden angle in radians, the angle between consecutive objects on the spiral, so that they are
/// distributed evenly, as in a sunflower.
const GOLDEN_ANGLE: f32 = 2.399_963_2;
const PLINTH_HEIGHT: f32 = 0.55;

/// Indices of the procedural meshes and materials that the layout uses.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    pub(super) scatter_meshes: [usize; 5],
    pub(super) scatter_materials: Vec<usize>,
    pub(super) glass: usize,
    pub(super) sphere: usize,
    pub(super) cylinder: usize,
    pub(super) rim: usize,
    pub(super) ring: usize,
    pub(super) stone: usize,
    pub(super) gold: usize,
    pub(super) steel: usize,
    pub(super) lamp: usize,
}

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

pub(super) fn scatter_radius(number: u32) -> f32 {
    let first = (INNER_RADIUS / SPACING).powi(2);
    SPACING * (first + number as f32).sqrt()
}

/// Places the scattered objects.
///
/// Mesh, colour and material repeat with fixed periods, so they form visible spiral arms. Heights vary in
/// rings, as if the pool's ripples continued.
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
    pub(crate) fn position(&self, time: f32) -> Vec3 {
        let angle = self.angle + 0.25 * time;
        let height = 1.25 + 0.15 * (time * 1.3 + self.angle).sin();
        let radius = POOL_RADIUS - 0.9;
        Vec3::new(angle.sin() * radius, height, angle.cos() * radius)
    }
}

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

/// Returns the positions of the models' plinths and the common size of all models.
fn pedestals(count: usize) -> (Vec<Vec3>, f32) {
    match count {
        0 | 1 => (vec![Vec3::ZERO; count], 3.6),
        2 | 3 => {
            let middle = (count - 1) as f32 * 0.5;
            let at = |number: usize| Vec3::new((number as f32 - middle) * 3.3, 0.0, 0.0);
            ((0..count).map(at).collect(), 2.8)
        }
        _ => {
            // Place the models in a ring that is wide enough for all of them, and within the water as long as
            // the models fit there.
            let radius = (count as f32 * 0.42).max(3.6);
            let at = |number: usize| {
                let (sin, cos) = (TAU * number as f32 / count as f32).sin_cos();
                Vec3::new(sin * radius, 0.0, cos * radius)
            };
            ((0..count).map(at).collect(), 1.9)
        }
    }
}

/// Places the models on plinths, where `first` contains the indices of each model's first mesh and first
/// material in the scene.
pub(super) fn place_models(models: &[Model], first: &[(usize, usize)], palette: &Palette) -> Vec<Object> {
    let (feet, size) = pedestals(models.len());
    let mut objects = Vec::new();
    for ((model, &foot), &(first_mesh, first_material)) in models.iter().zip(&feet).zip(first) {
        let extent = model.bounds.size();
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
