//! A camera that goes around a point: drag turns, the wheel zooms, and a drag with the right button or shift pans.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};
use onze_winit::{WinitInputHelper, winit::event::MouseButton};

use crate::content::Bounds;

/// The vertical angle of view, in radians.
const FIELD_OF_VIEW: f32 = 0.6;

/// Radians for each pixel of a drag.
const TURN: f32 = 0.008;

/// How much nearer a step of the wheel comes.
const ZOOM: f32 = 0.88;

/// Radians in each second, as long as nobody has touched the camera.
const DRIFT: f32 = 0.25;

/// The largest pitch: straight above, the camera would not know where up is.
const MOST_PITCH: f32 = 1.5;

/// A camera that looks at a point from a distance.
#[derive(Debug, Clone)]
pub struct OrbitCamera {
    /// The point that the camera looks at.
    pub target: Vec3,
    /// The camera's angle around the vertical axis, in radians; at 0 it looks along -z.
    pub yaw: f32,
    /// The camera's angle above the horizon, in radians.
    pub pitch: f32,
    /// How far the camera is from its target.
    pub distance: f32,
    /// Half the diagonal of what is to be seen.
    radius: f32,
    /// Whether somebody has moved it.
    is_touched: bool,
}

impl OrbitCamera {
    /// A camera that sees all of a box, from the front, a little from the right and from above.
    pub fn fit(bounds: &Bounds, aspect_ratio: f32) -> Self {
        let size = bounds.size();
        let radius = (size.length() * 0.5).max(f32::MIN_POSITIVE);
        // The box turns within a cylinder, of which the upper and the lower end are seen as ellipses.
        let (width, height, pitch) = (Vec2::new(size.x, size.z).length() * 0.5, size.y * 0.5, 0.22_f32);
        let most = (FIELD_OF_VIEW * 0.5).tan();
        let above = (height * pitch.cos() + width * pitch.sin()) / most;
        let beside = width / (most * aspect_ratio);
        let distance = above.max(beside) * 1.08 + width * 0.6;
        Self { target: bounds.center(), yaw: 0.5, pitch, distance, radius, is_touched: false }
    }

    /// Moves the camera by what the user has done since the last frame, or by itself until somebody has.
    ///
    /// `height` is that of the window, in pixels; `delta` is in seconds.
    pub fn update(&mut self, input: &WinitInputHelper, height: u32, delta: f32) {
        let moved = Vec2::from(input.cursor_diff());
        let (left, right) = (input.mouse_held(MouseButton::Left), input.mouse_held(MouseButton::Right));
        let wheel = input.scroll_diff().1;
        self.is_touched |= left || right || wheel != 0.0;
        if !self.is_touched {
            self.yaw += DRIFT * delta;
        }
        if right || (left && input.held_shift()) {
            // The target stays under the cursor.
            let pixel = 2.0 * (FIELD_OF_VIEW * 0.5).tan() * self.distance / height.max(1) as f32;
            let back = self.back();
            let side = Vec3::Y.cross(back).normalize();
            self.target += (back.cross(side) * moved.y - side * moved.x) * pixel;
        } else if left {
            self.yaw -= moved.x * TURN;
            self.pitch = (self.pitch + moved.y * TURN).clamp(-MOST_PITCH, MOST_PITCH);
        }
        let distance = self.distance * ZOOM.powf(wheel.clamp(-10.0, 10.0));
        self.distance = distance.clamp(self.radius * 0.05, self.radius * 50.0);
    }

    /// From the target to the camera; of length 1.
    fn back(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// Where the camera is.
    pub fn eye(&self) -> Vec3 {
        self.target + self.back() * self.distance
    }

    /// From the world to clip space, with a depth of 0 to 1.
    pub fn to_clip(&self, aspect_ratio: f32) -> Mat4 {
        let view = look_at_mat4(self.eye(), self.target, Vec3::Y);
        // The planes are as near to each other as what is seen allows, so that depth is precise.
        let near = (self.distance - 2.0 * self.radius).max(self.radius * 0.01);
        let far = self.distance + 2.0 * self.radius + near;
        perspective(FIELD_OF_VIEW, aspect_ratio, near, far) * view
    }
}
