//! The camera, slightly tilted above the arena, and as near as possible while the whole arena is in the
//! picture.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};

use crate::world::HALF;

const FIELD: f32 = 0.5;
const TILT: f32 = 0.36;
/// Maximum fractions of the picture's width and height that the arena may fill.
const ROOM: Vec2 = Vec2::new(0.985, 0.915);
/// Vertical position of the arena's middle in the picture, from -1 to 1, negative because the score is above
/// the arena.
const MIDDLE: f32 = -0.055;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    pub(crate) to_clip: Mat4,
    pub(crate) eye: Vec3,
    /// Directions in the arena's plane that point to the picture's right and to its top.
    pub(crate) axes: (Vec3, Vec3),
    /// Projected size of a length of 1 at a depth of 1, in units of half the picture's height.
    pub(crate) scale: f32,
}

impl Camera {
    /// Creates a camera that sees the whole arena, rotated in portrait pictures so that the arena's long side
    /// is vertical.
    pub(crate) fn new(aspect_ratio: f32, look: Vec2, shake: Vec2) -> Self {
        let axes = if aspect_ratio < 1.0 { (Vec3::NEG_Y, Vec3::X) } else { (Vec3::X, Vec3::Y) };
        let back = Vec3::Z * TILT.cos() - axes.1 * TILT.sin();
        let projection = perspective(FIELD, aspect_ratio, 5.0, 700.0);
        let at = |eye: Vec3, target: Vec3| projection * look_at_mat4(eye, target, axes.1);
        let fits = |distance: f32| {
            let (low, high) = bounds(&at(back * distance, Vec3::ZERO));
            low.x >= -ROOM.x && high.x <= ROOM.x && high.y - low.y <= 2.0 * ROOM.y
        };
        // Finds the smallest distance at which the arena fits, by bisection to within less than a pixel.
        let (mut near, mut far) = (14.0, 690.0);
        for _ in 0..20 {
            let middle = 0.5 * (near + far);
            if fits(middle) {
                far = middle;
            } else {
                near = middle;
            }
        }
        let (low, high) = bounds(&at(back * far, Vec3::ZERO));
        let lift = MIDDLE - 0.5 * (low.y + high.y);
        // The eye moves more than its target, so near objects move relative to distant objects.
        let target = (shake + look * 0.25).extend(0.0);
        let eye = back * far + (shake + look).extend(0.0);
        let to_clip = Mat4::from_translation(Vec3::Y * lift) * at(eye, target);
        Self { to_clip, eye, axes, scale: 1.0 / (0.5 * FIELD).tan() }
    }
}

/// Returns the bounds of the projected arena in normalized device coordinates.
fn bounds(to_clip: &Mat4) -> (Vec2, Vec2) {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
    let seen =
        corners.map(|(x, y)| to_clip.project_point3(Vec3::new(x * HALF.x, y * HALF.y, 0.0)).truncate());
    let all = |f: fn(Vec2, Vec2) -> Vec2| seen.into_iter().reduce(f).unwrap_or_default();
    (all(Vec2::min), all(Vec2::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_arena_is_in_a_picture_of_any_form() {
        for aspect_ratio in [0.1, 0.5625, 0.99, 1.0, 1.3, 1.78, 2.4, 6.0] {
            let camera = Camera::new(aspect_ratio, Vec2::ZERO, Vec2::ZERO);
            let (low, high) = bounds(&camera.to_clip);
            assert!(low.min_element() >= -1.0 && high.max_element() <= 1.0, "{aspect_ratio}: {low} {high}");
            let fills = (high - low).max_element();
            assert!(fills > 1.8, "{aspect_ratio}: {low} {high}");
        }
    }
}
