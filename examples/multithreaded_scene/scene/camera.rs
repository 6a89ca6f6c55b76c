//! The camera's path, its mirror image, and the sun's view of the scene.

use glam::camera::rh::proj::directx::{orthographic, perspective};
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec3, Vec4};

use super::layout::WATER_HEIGHT;

pub(crate) const TO_SUN: Vec3 = Vec3::new(-0.757, 0.446, 0.478);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct View {
    pub(crate) view_projection: Mat4,
    /// The matrix from clip space to world space, used only for directions, which do not depend on the near
    /// plane.
    pub(crate) directions: Mat4,
    pub(crate) eye: Vec3,
}

impl View {
    fn new(view_projection: Mat4, eye: Vec3) -> Self {
        Self { view_projection, directions: view_projection.inverse(), eye }
    }
}

/// Returns the animation time of a frame in seconds, at 60 frames per second.
pub(crate) fn time(frame: u32) -> f32 {
    frame as f32 / 60.0
}

/// Returns the camera, which slowly circles the pool, at `time` seconds.
///
/// `aspect` is the picture's width divided by its height. Pictures narrower than 16:9 keep the horizontal
/// field of view, so that the pool fits.
pub(crate) fn camera(time: f32, aspect: f32) -> View {
    let angle = 0.22 + 0.12 * time;
    let distance = 13.4;
    let height = 4.3 + 0.4 * (time * 0.5).sin();
    let eye = Vec3::new(angle.sin() * distance, height, angle.cos() * distance);
    let view = look_at_mat4(eye, Vec3::new(0.0, 1.35, 0.0), Vec3::Y);
    let vertical = (40.0f32.to_radians() * 0.5).tan();
    let half = vertical * (16.0 / 9.0 / aspect).max(1.0);
    let projection = perspective(2.0 * half.atan(), aspect, 0.1, 600.0);
    View::new(projection * view, eye)
}

/// Returns a view of the world reflected at the water's surface.
pub(crate) fn mirrored(view: &View) -> View {
    let flip = Vec3::new(1.0, -1.0, 1.0);
    let reflect = Mat4::from_translation(Vec3::Y * 2.0 * WATER_HEIGHT) * Mat4::from_scale(flip);
    let view = View::new(view.view_projection * reflect, reflect.transform_point3(view.eye));
    let water = Vec4::new(0.0, 1.0, 0.0, -WATER_HEIGHT);
    View { view_projection: with_near_plane(&view, water), ..view }
}

/// Returns the view's matrix with the near plane moved to `plane`, whose positive side stays visible.
///
/// This clips everything below the water without a test in the pixel shader. The third row of the matrix
/// becomes a multiple of the plane, scaled so that the farthest corner stays at depth 1 (Lengyel, "Oblique
/// View Frustum Depth Projection and Clipping", 2005, adapted to depths from 0 to 1).
fn with_near_plane(view: &View, plane: Vec4) -> Mat4 {
    let in_clip_space = view.directions.transpose() * plane;
    let corner = Vec4::new(in_clip_space.x.signum(), in_clip_space.y.signum(), 1.0, 1.0);
    let scale = plane.dot(view.directions * corner).recip();
    let mut rows = view.view_projection.transpose();
    rows.z_axis = plane * scale;
    rows.transpose()
}

/// Returns the sun's view of everything within `radius` of the middle of the ground.
pub(crate) fn sun(radius: f32) -> View {
    let distance = radius * 2.0;
    let view = look_at_mat4(TO_SUN * distance, Vec3::ZERO, Vec3::Y);
    // The sun sees the disc of the ground at an angle, and the objects on the ground reach slightly higher.
    let vertical = radius * TO_SUN.y + 4.0;
    let depth = (radius + 6.0) * TO_SUN.y.mul_add(-TO_SUN.y, 1.0).sqrt() + 6.0;
    let (near, far) = (distance - depth, distance + depth);
    let projection = orthographic(-radius, radius, -vertical, vertical, near, far);
    View::new(projection * view, TO_SUN * distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(view: &View, point: Vec3) -> Vec3 {
        view.view_projection.project_point3(point)
    }

    #[test]
    fn the_pool_stays_in_the_picture() {
        for frame in [0, 7, 100, 1000] {
            for aspect in [16.0 / 9.0, 1.0, 0.5] {
                let view = camera(time(frame), aspect);
                for point in [Vec3::X, -Vec3::X, Vec3::Z, -Vec3::Z] {
                    let point = project(&view, point * super::super::layout::POOL_RADIUS);
                    assert!(point.x.abs() < 1.0 && point.y.abs() < 1.0, "{frame} {aspect} {point}");
                }
            }
        }
    }

    #[test]
    fn a_mirrored_point_is_seen_where_its_image_is() {
        let view = camera(0.3, 1.5);
        let mirror = mirrored(&view);
        let (point, image) = (Vec3::new(1.0, 2.0, 0.5), Vec3::new(1.0, 2.0 * WATER_HEIGHT - 2.0, 0.5));
        let (seen, expected) = (project(&mirror, point), project(&view, image));
        assert!(seen.truncate().abs_diff_eq(expected.truncate(), 1e-4));
        assert!(mirror.eye.y < 0.0);
    }

    #[test]
    fn the_mirror_shows_what_is_above_the_water_and_nothing_below() {
        let mirror = mirrored(&camera(0.3, 1.5));
        let mut found = 0;
        for step in 0..60 {
            let (sin, cos) = (step as f32).sin_cos();
            let at = |height: f32| project(&mirror, Vec3::new(sin * 20.0, height, cos * 20.0)).z;
            let seen = project(&mirror, Vec3::new(sin * 20.0, 1.0, cos * 20.0));
            let clip = mirror.view_projection * Vec4::new(sin * 20.0, 1.0, cos * 20.0, 1.0);
            // Points behind the eye or outside the picture are not drawn, so their depth does not matter.
            if clip.w > 0.0 && seen.truncate().abs().max_element() <= 1.0 {
                assert!((0.0..1.0).contains(&at(1.0)) && (0.0..1.0).contains(&at(WATER_HEIGHT + 0.01)));
                assert!(at(WATER_HEIGHT - 0.01) < 0.0);
                found += 1;
            }
        }
        assert!(found > 2);
    }

    #[test]
    fn the_sun_sees_the_whole_ground() {
        let view = sun(40.0);
        assert!((TO_SUN.length() - 1.0).abs() < 1e-3);
        for step in 0..32 {
            let (sin, cos) = (step as f32 * 0.2).sin_cos();
            for height in [0.0, 3.0] {
                let point = project(&view, Vec3::new(sin * 40.0, height, cos * 40.0));
                assert!(point.x.abs() <= 1.0 + 1e-4 && point.y.abs() <= 1.0 + 1e-4, "{point}");
                assert!((0.0..=1.0).contains(&point.z), "{point}");
            }
        }
    }
}
