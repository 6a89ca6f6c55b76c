//! The procedural textures, which are drawn on the CPU and repeat without seams.

use glam::{FloatExt, Vec3};

use super::random::Random;
use onze_examples::content::Image;

const EXTENT: u32 = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    Plaster,
    Checker,
    Bricks,
    BrickNormals,
    Stripes,
    Wood,
    Terrazzo,
    Lattice,
    Paving,
    PavingNormals,
}

impl Pattern {
    /// All patterns, where the index of a pattern is the index of its image in the scene.
    pub(super) const ALL: [Self; 10] = [
        Self::Plaster,
        Self::Checker,
        Self::Bricks,
        Self::BrickNormals,
        Self::Stripes,
        Self::Wood,
        Self::Terrazzo,
        Self::Lattice,
        Self::Paving,
        Self::PavingNormals,
    ];

    pub(super) fn draw(self) -> Image {
        let noise = Noise::new(self as u64 + 1);
        let pixel: Box<dyn Fn(f32, f32) -> [f32; 4]> = match self {
            Self::Plaster => Box::new(|u, v| grey(0.86 + 0.12 * noise.octaves(u, v, 8))),
            Self::Checker => Box::new(|u, v| {
                let odd = ((u * 4.0) as u32 + (v * 4.0) as u32) % 2 == 1;
                grey(if odd { 0.95 } else { 0.42 } + 0.04 * noise.octaves(u, v, 16))
            }),
            Self::Bricks => Box::new(|u, v| brick_color(&noise, u, v)),
            Self::BrickNormals => Box::new(|u, v| normal(u, v, 2.5, &|u, v| Blocks::BRICKS.height(u, v))),
            Self::Stripes => Box::new(|u, v| {
                let wave = (v * 4.0).fract();
                let edge = smooth(0.23, 0.27, wave) - smooth(0.73, 0.77, wave);
                grey(0.5.lerp(0.96, edge) + 0.04 * noise.octaves(u, v, 16))
            }),
            Self::Wood => Box::new(|u, v| {
                let warp = noise.octaves(u, v, 4);
                let rings = ((v * 8.0 + warp * 1.5).fract() - 0.5).abs() * 2.0;
                let fibre = noise.at(u * 4.0, v * 64.0, 4, 64);
                mix([0.52, 0.33, 0.18], [0.80, 0.58, 0.36], rings * 0.7 + fibre * 0.25)
            }),
            Self::Terrazzo => Box::new(|u, v| terrazzo(&noise, u, v)),
            Self::Lattice => Box::new(|u, v| {
                // The bars are at the edges of each cell, and the rest of the cell is transparent.
                let bar = |t: f32| ((t * 4.0).fract() - 0.5).abs() > 0.30;
                let solid = bar(u) || bar(v);
                let [r, g, b, _] = grey(0.85 + 0.1 * noise.octaves(u, v, 8));
                [r, g, b, if solid { 1.0 } else { 0.0 }]
            }),
            Self::Paving => Box::new(|u, v| paving_color(&noise, u, v)),
            Self::PavingNormals => Box::new(|u, v| normal(u, v, 1.5, &|u, v| Blocks::PAVING.height(u, v))),
        };
        rasterize(&format!("{self:?}"), pixel)
    }
}

fn rasterize(name: &str, pixel: impl Fn(f32, f32) -> [f32; 4]) -> Image {
    let mut pixels = Vec::with_capacity((EXTENT * EXTENT * 4) as usize);
    for y in 0..EXTENT {
        for x in 0..EXTENT {
            let at = |t: u32| (t as f32 + 0.5) / EXTENT as f32;
            let color = pixel(at(x), at(y));
            pixels.extend(color.map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8));
        }
    }
    Image { name: name.to_owned(), width: EXTENT, height: EXTENT, pixels }
}

fn grey(value: f32) -> [f32; 4] {
    [value, value, value, 1.0]
}

fn mix(from: [f32; 3], to: [f32; 3], amount: f32) -> [f32; 4] {
    let color = Vec3::from_array(from).lerp(Vec3::from_array(to), amount.clamp(0.0, 1.0));
    color.extend(1.0).to_array()
}

fn smooth(low: f32, high: f32, value: f32) -> f32 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Rectangular blocks with joints, every second row shifted by `shift` blocks.
struct Blocks {
    columns: f32,
    rows: f32,
    shift: f32,
    joint: f32,
}

impl Blocks {
    const BRICKS: Self = Self { columns: 4.0, rows: 8.0, shift: 0.5, joint: 0.06 };
    const PAVING: Self = Self { columns: 2.0, rows: 2.0, shift: 0.5, joint: 0.02 };

    /// Returns the column and row of a block, and the position within the block from 0 to 1.
    fn cell(&self, u: f32, v: f32) -> (u32, u32, f32, f32) {
        let (v, row) = ((v * self.rows).fract(), (v * self.rows) as u32);
        let along = u * self.columns + self.shift * (row % 2) as f32;
        let column = along as u32 % self.columns as u32;
        (column, row, along.fract(), v)
    }

    /// Returns the height of the surface: 1 on a block and 0 in a joint, with rounded edges.
    fn height(&self, u: f32, v: f32) -> f32 {
        let (u, v) = (u.rem_euclid(1.0), v.rem_euclid(1.0));
        let (_, _, x, y) = self.cell(u, v);
        // Distances to the edges are measured in row heights, so that all joints have the same width.
        let aspect = self.rows / self.columns;
        let edge = (x.min(1.0 - x) * aspect).min(y.min(1.0 - y));
        smooth(self.joint * 0.5, self.joint * 2.0, edge)
    }

    fn shade(&self, u: f32, v: f32) -> f32 {
        let (column, row, _, _) = self.cell(u, v);
        Random::new(u64::from(column * 97 + row * 31 + 5)).unit()
    }
}

fn brick_color(noise: &Noise, u: f32, v: f32) -> [f32; 4] {
    let blocks = Blocks::BRICKS;
    let shade = blocks.shade(u, v) * 0.7 + noise.octaves(u, v, 16) * 0.3;
    let [r, g, b, _] = mix([0.62, 0.38, 0.30], [0.88, 0.60, 0.48], shade);
    mix([0.78, 0.75, 0.70], [r, g, b], blocks.height(u, v))
}

fn paving_color(noise: &Noise, u: f32, v: f32) -> [f32; 4] {
    let blocks = Blocks::PAVING;
    let shade = blocks.shade(u, v) * 0.4 + noise.octaves(u, v, 8) * 0.6;
    let [r, g, b, _] = mix([0.60, 0.55, 0.50], [0.78, 0.73, 0.66], shade);
    mix([0.36, 0.33, 0.30], [r, g, b], blocks.height(u, v))
}

/// Returns the colour of stone chips in cement, a cellular pattern over a jittered grid.
fn terrazzo(noise: &Noise, u: f32, v: f32) -> [f32; 4] {
    const CELLS: i32 = 14;
    let (x, y) = (u * CELLS as f32, v * CELLS as f32);
    let (mut nearest, mut second, mut chip) = (f32::MAX, f32::MAX, 0.0);
    for dy in -1..=1 {
        for dx in -1..=1 {
            let (cx, cy) = (x.floor() as i32 + dx, y.floor() as i32 + dy);
            let cell = (cy.rem_euclid(CELLS) * CELLS + cx.rem_euclid(CELLS)) as u64;
            let mut random = Random::new(cell + 1000);
            let (px, py) = (cx as f32 + random.unit(), cy as f32 + random.unit());
            let distance = (px - x).hypot(py - y);
            if distance < nearest {
                (second, nearest, chip) = (nearest, distance, random.unit());
            } else {
                second = second.min(distance);
            }
        }
    }
    let inside = smooth(0.08, 0.18, second - nearest) * f32::from(chip > 0.25);
    let [r, g, b, _] = mix([0.55, 0.50, 0.47], [0.99, 0.97, 0.92], chip);
    let cement = 0.80 + 0.06 * noise.octaves(u, v, 32);
    mix([cement; 3], [r, g, b], inside)
}

/// Returns the tangent-space normal of a height field, encoded as in a glTF normal texture (green is up).
fn normal(u: f32, v: f32, strength: f32, height: &dyn Fn(f32, f32) -> f32) -> [f32; 4] {
    let step = 1.0 / EXTENT as f32;
    let dx = height(u + step, v) - height(u - step, v);
    let dy = height(u, v + step) - height(u, v - step);
    let normal = Vec3::new(-dx * strength, dy * strength, 2.0).normalize();
    (normal * 0.5 + 0.5).extend(1.0).to_array()
}

struct Noise {
    seed: u64,
}

impl Noise {
    fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the noise at a point, from 0 to 1, repeating after `columns` by `rows` cells.
    fn at(&self, x: f32, y: f32, columns: u32, rows: u32) -> f32 {
        let corner = |dx: u32, dy: u32| {
            let (cx, cy) = ((x as u32 + dx) % columns, (y as u32 + dy) % rows);
            let cell = u64::from(cy) << 32 | u64::from(cx);
            Random::new(self.seed << 48 ^ cell).unit()
        };
        let (tx, ty) = (smooth(0.0, 1.0, x.fract()), smooth(0.0, 1.0, y.fract()));
        let top = corner(0, 0).lerp(corner(1, 0), tx);
        let bottom = corner(0, 1).lerp(corner(1, 1), tx);
        top.lerp(bottom, ty)
    }

    /// Returns the weighted sum of three octaves, from 0 to 1, where the first octave has `cells` cells per
    /// edge.
    fn octaves(&self, u: f32, v: f32, cells: u32) -> f32 {
        let octave = |cells: u32| self.at(u * cells as f32, v * cells as f32, cells, cells);
        (octave(cells) * 4.0 + octave(cells * 2) * 2.0 + octave(cells * 4)) / 7.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_contrast_and_is_repeatable() {
        for pattern in Pattern::ALL {
            let image = pattern.draw();
            assert_eq!(image.pixels.len(), (image.width * image.height * 4) as usize);
            let (mut low, mut high) = (u8::MAX, u8::MIN);
            for pixel in image.pixels.as_chunks::<4>().0 {
                low = low.min(pixel[0]);
                high = high.max(pixel[0]);
            }
            assert!(high - low > 15, "{pattern:?}: {low}..={high}");
            assert_eq!(image, pattern.draw());
        }
    }

    #[test]
    fn normals_point_out_of_the_surface() {
        for pattern in [Pattern::BrickNormals, Pattern::PavingNormals] {
            let image = pattern.draw();
            for pixel in image.pixels.as_chunks::<4>().0 {
                let [x, y, z, _] = pixel.map(|value| f32::from(value) / 127.5 - 1.0);
                let length = Vec3::new(x, y, z).length();
                assert!(z > 0.2 && (length - 1.0).abs() < 0.02, "{pattern:?} {pixel:?}");
            }
        }
    }

    #[test]
    fn only_the_lattice_has_holes() {
        for pattern in Pattern::ALL {
            let image = pattern.draw();
            let holes = image.pixels.as_chunks::<4>().0.iter().any(|pixel| pixel[3] == 0);
            assert_eq!(holes, pattern == Pattern::Lattice, "{pattern:?}");
        }
    }
}
