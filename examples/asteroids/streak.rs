//! Glowing strokes, which make up sparks, flames, shots, rings and letters.

use glam::Vec3;
use onze::prelude::*;

/// A stroke between two points, or a dot, as an instance for the shaders in `streaks.wgsl`.
#[derive(Clone, Copy, Debug, NoUninit, Vertex)]
#[bytemuck(crate = "onze::bytemuck")]
#[vertex(per_instance)]
#[repr(C)]
pub(crate) struct Streak {
    head: [f32; 3],
    tail: [f32; 3],
    width: f32,
    /// Softness, from 0 (a line with sharp edges and a faint halo) to 1 (a soft glow).
    soft: f32,
    color: [f32; 3],
}

impl Streak {
    pub(crate) fn line(head: Vec3, tail: Vec3, width: f32, color: Vec3) -> Self {
        Self { head: head.to_array(), tail: tail.to_array(), width, soft: 0.0, color: color.to_array() }
    }

    pub(crate) fn glow(head: Vec3, tail: Vec3, width: f32, color: Vec3) -> Self {
        Self { soft: 1.0, ..Self::line(head, tail, width, color) }
    }
}

pub(crate) fn ring(
    middle: Vec3,
    radius: f32,
    parts: u32,
    width: f32,
    color: Vec3,
) -> impl Iterator<Item = Streak> {
    let corner = move |n: u32| {
        let (sin, cos) = (n as f32 / parts as f32 * std::f32::consts::TAU).sin_cos();
        middle + Vec3::new(cos, sin, 0.0) * radius
    };
    (0..parts).map(move |n| Streak::line(corner(n), corner(n + 1), width, color))
}
