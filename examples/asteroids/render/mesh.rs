//! The procedural meshes: randomly shaped rocks, the ship, the saucer and the gifts.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use onze::prelude::*;

use crate::numbers::Random;

/// A corner of a triangle, with a linear colour whose fourth component is the fraction of light that the
/// corner emits.
#[derive(Clone, Copy, Debug, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
pub(super) struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    color: [u8; 4],
}

fn corner(position: Vec3, normal: Vec3, color: Vec3, shine: f32) -> Corner {
    let color = color.extend(shine).to_array().map(|part| (part.clamp(0.0, 1.0) * 255.0) as u8);
    Corner { position: position.to_array(), normal: normal.to_array(), color }
}

#[derive(Debug, Default)]
pub(super) struct Mesh {
    corners: Vec<Corner>,
    indices: Vec<u16>,
}

#[derive(Debug)]
pub(super) struct MeshBuffers {
    pub(super) corners: VertexBuffer<Corner>,
    pub(super) indices: IndexBuffer<u16>,
}

impl Mesh {
    pub(super) fn buffers(&self, device: &Device) -> Result<MeshBuffers, onze::Error> {
        let corners = device.create_vertex_buffer(&self.corners)?;
        Ok(MeshBuffers { corners, indices: device.create_index_buffer(&self.indices)? })
    }

    fn triangle(&mut self, places: [Vec3; 3], color: Vec3, shine: f32) {
        let normal = (places[1] - places[0]).cross(places[2] - places[0]).normalize_or_zero();
        for place in places {
            self.indices.push(self.corners.len() as u16);
            self.corners.push(corner(place, normal, color, shine));
        }
    }

    fn twins(&mut self, places: [Vec3; 3], color: Vec3, shine: f32) {
        self.triangle(places, color, shine);
        let [a, b, c] = places.map(|place| place * Vec3::new(1.0, -1.0, 1.0));
        self.triangle([a, c, b], color, shine);
    }

    /// Adds a surface of revolution: `line`, which runs from bottom to top, rotated around the z axis.
    fn turned(&mut self, line: &[Vec2], parts: u32, colors: &[(Vec3, f32)]) {
        let place = |point: Vec2, n: u32| {
            let (sin, cos) = (n as f32 / parts as f32 * std::f32::consts::TAU).sin_cos();
            Vec3::new(point.x * cos, point.x * sin, point.y)
        };
        for (ends, (color, shine)) in line.windows(2).zip(colors) {
            for n in 0..parts {
                let [a, b] = [n, n + 1].map(|n| place(ends[0], n));
                let [c, d] = [n, n + 1].map(|n| place(ends[1], n));
                self.triangle([a, b, d], *color, *shine);
                self.triangle([a, d, c], *color, *shine);
            }
        }
    }

    /// Creates a rock of radius 1: a sphere with bumps and craters, where each of `detail` subdivisions
    /// splits every triangle into four.
    pub(super) fn rock(form: u32, detail: u32) -> Self {
        let mut random = Random(form * 1000 + 17);
        let mut unit = || Vec3::from_array([(); 3].map(|()| random.between(-1.0, 1.0))).normalize_or(Vec3::X);
        let craters: Vec<(Vec3, f32)> = (0..9).map(|n| (unit(), 0.22 + 0.035 * n as f32)).collect();
        let squeeze = Vec3::ONE - unit().abs() * 0.22;
        let (places, triangles) = sphere(detail);
        let height = |way: Vec3| {
            let seed = Vec3::splat(form as f32 * 9.7);
            let bumps =
                0.30 * noise(way * 1.4 + seed) + 0.15 * noise(way * 3.1 + seed) + 0.06 * noise(way * 7.0);
            let crater = |(at, radius): &(Vec3, f32)| {
                let d = way.distance(*at) / radius;
                if d < 1.0 {
                    0.45 * radius * (d * d - 1.0)
                } else {
                    0.10 * radius * (1.0 - (d - 1.0) * 5.0).max(0.0)
                }
            };
            (0.95 + bumps + 0.55 * craters.iter().map(crater).sum::<f32>()).max(0.45)
        };
        let heights: Vec<f32> = places.iter().map(|way| height(*way)).collect();
        let points: Vec<Vec3> = places.iter().zip(&heights).map(|(way, h)| *way * *h * squeeze).collect();
        let mut normals = vec![Vec3::ZERO; points.len()];
        for &[a, b, c] in &triangles {
            let normal = (points[b] - points[a]).cross(points[c] - points[a]);
            [a, b, c].into_iter().for_each(|n| normals[n] += normal);
        }
        let tint = [Vec3::new(0.36, 0.30, 0.27), Vec3::new(0.30, 0.31, 0.35), Vec3::new(0.40, 0.29, 0.22)];
        let color = |n: usize| {
            tint[form as usize % 3] * (0.45 + 0.6 * heights[n]) * (0.9 + 0.3 * noise(places[n] * 5.0))
        };
        let corners =
            (0..points.len()).map(|n| corner(points[n], normals[n].normalize_or_zero(), color(n), 0.0));
        let indices = triangles.iter().flatten().map(|n| *n as u16).collect();
        Self { corners: corners.collect(), indices }
    }

    /// Creates the ship: a dart along x, with a cabin, wings with lights, and an engine.
    pub(super) fn ship() -> Self {
        let (hull, dark) = (Vec3::new(0.55, 0.60, 0.68), Vec3::new(0.16, 0.18, 0.24));
        let (glass, glow) = (Vec3::new(0.10, 0.75, 1.0), Vec3::new(0.35, 0.60, 1.0));
        let (nose, spine) = (Vec3::new(0.95, 0.0, 0.0), Vec3::new(-0.35, 0.0, 0.30));
        let (root, belly) = (Vec3::new(0.05, 0.24, 0.05), Vec3::new(-0.30, 0.0, -0.20));
        let (tip, back) = (Vec3::new(-0.70, 0.66, -0.02), Vec3::new(-0.42, 0.20, 0.03));
        let engine = Vec3::new(-0.55, 0.0, 0.06);
        let mut mesh = Self::default();
        mesh.twins([nose, root, spine], hull, 0.0);
        mesh.twins([root, back, spine], hull * 0.8, 0.0);
        mesh.twins([root, tip, back], hull * 0.62, 0.0);
        mesh.twins([nose, belly, root], dark, 0.0);
        mesh.twins([root, belly, tip], dark, 0.0);
        mesh.twins([belly, back, tip], dark, 0.0);
        mesh.twins([spine, back, engine], glow, 0.9);
        mesh.twins([back, belly, engine], glow, 0.9);
        // The cabin is slightly above the hull, and strips of light run along the wings.
        let (front, top) = (Vec3::new(0.50, 0.0, 0.17), Vec3::new(0.12, 0.0, 0.30));
        mesh.twins([front, Vec3::new(0.10, 0.13, 0.18), top], glass, 0.55);
        mesh.twins([top, Vec3::new(0.10, 0.13, 0.18), Vec3::new(-0.18, 0.0, 0.29)], glass * 0.6, 0.4);
        let lift = Vec3::Z * 0.025;
        let (a, b) = (root.lerp(tip, 0.35) + lift, tip + lift);
        mesh.twins([a, b, b.lerp(back, 0.28) + lift], Vec3::new(1.0, 0.25, 0.12), 0.8);
        mesh
    }

    /// Creates the saucer: a plate with a ring of light and a dome.
    pub(super) fn saucer() -> Self {
        let (metal, light) = (Vec3::new(0.42, 0.36, 0.46), Vec3::new(1.0, 0.15, 0.32));
        let line = [
            (0.0, -0.26),
            (0.45, -0.22),
            (1.0, -0.04),
            (1.0, 0.05),
            (0.5, 0.24),
            (0.42, 0.26),
            (0.28, 0.5),
            (0.0, 0.58),
        ];
        let line = line.map(Vec2::from);
        let dome = Vec3::new(0.30, 0.75, 0.55);
        let parts = [
            (metal * 0.5, 0.0),
            (metal * 0.7, 0.0),
            (light, 0.95),
            (metal, 0.0),
            (metal * 0.7, 0.0),
            (dome, 0.25),
            (dome, 0.35),
        ];
        let mut mesh = Self::default();
        mesh.turned(&line, 20, &parts);
        mesh
    }

    pub(super) fn crystal() -> Self {
        let line = [(0.0, -0.62), (0.42, -0.12), (0.42, 0.12), (0.0, 0.62)].map(Vec2::from);
        let mut mesh = Self::default();
        mesh.turned(&line, 6, &[(Vec3::splat(0.7), 0.5), (Vec3::ONE, 0.8), (Vec3::splat(0.9), 0.6)]);
        mesh
    }
}

/// Creates a sphere of radius 1 from an icosahedron, where each of `detail` subdivisions splits every
/// triangle into four.
fn sphere(detail: u32) -> (Vec<Vec3>, Vec<[usize; 3]>) {
    let g = 0.5 * (1.0 + 5.0_f32.sqrt());
    let rectangles = [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)];
    let planes: [fn((f32, f32)) -> Vec3; 3] =
        [|(a, b)| Vec3::new(a, b, 0.0), |(a, b)| Vec3::new(0.0, a, b), |(a, b)| Vec3::new(b, 0.0, a)];
    let mut places: Vec<Vec3> =
        planes.iter().flat_map(|plane| rectangles.map(plane)).map(Vec3::normalize).collect();
    let mut triangles: Vec<[usize; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..detail {
        let mut middles = HashMap::new();
        let mut middle = |a: usize, b: usize| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                places.push((places[a] + places[b]).normalize());
                places.len() - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    (places, triangles)
}

/// Returns smooth noise from -0.5 to 0.5, with a wavelength of about 2.
fn noise(at: Vec3) -> f32 {
    let cell = at.floor();
    let part = at - cell;
    let smooth = part * part * (3.0 - 2.0 * part);
    let value = |x: f32, y: f32, z: f32| {
        let corner = cell + Vec3::new(x, y, z);
        let [x, y, z] = corner.to_array().map(|part| part as i32 as u32);
        let seed = x.wrapping_mul(0x8DA6_B343) ^ y.wrapping_mul(0xD816_3841) ^ z.wrapping_mul(0xCB1A_B31F);
        Random(seed).between(-0.5, 0.5)
    };
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let row = |y: f32, z: f32| mix(value(0.0, y, z), value(1.0, y, z), smooth.x);
    let plane = |z: f32| mix(row(0.0, z), row(1.0, z), smooth.y);
    mix(plane(0.0), plane(1.0), smooth.z)
}
