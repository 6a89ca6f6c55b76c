//! A camera that goes around a point: drag turns, the wheel zooms, and a drag with the right button or shift pans.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};
use onze_winit::{WinitInputHelper, winit::event::MouseButton};

use crate::content::Bounds;

/// The vertical angle of view, in radians.
const FIELD_OF_VIEW: f32 = 0.6;

/// Radians for each pixel of a drag.
const TURN: f32 = 0.008;

/// Factor of the distance for each step of the wheel towards the target.
const ZOOM: f32 = 0.88;

/// Radians per second by which the camera turns until the user moves it for the first time.
const DRIFT: f32 = 0.25;

/// Maximum pitch in radians, just below a right angle, because the up direction is undefined straight above.
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
    /// Distance from the target to the camera, in units of world space.
    pub distance: f32,
    /// Half the diagonal of the visible box, which bounds the distance and the depth range.
    radius: f32,
    /// True after the user's first input, which ends the automatic turn.
    is_touched: bool,
}

impl OrbitCamera {
    /// Returns a camera that sees all of a box, from the front and a little from the right and above.
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

    /// Moves the camera by the user's input since the last frame, and turns it automatically until the first
    /// input.
    ///
    /// `height` is the window's height in pixels, and `delta` is the time since the last frame in seconds.
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

    /// Returns the unit vector from the target to the camera.
    fn back(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// Returns the camera's position in world space, for lighting.
    pub fn eye(&self) -> Vec3 {
        self.target + self.back() * self.distance
    }

    /// Returns the matrix from world space to clip space, with Direct3D's depth from 0 to 1.
    pub fn to_clip(&self, aspect_ratio: f32) -> Mat4 {
        let view = look_at_mat4(self.eye(), self.target, Vec3::Y);
        // Place the planes as close to the visible box as possible, because a short range makes depth
        // precise.
        let near = (self.distance - 2.0 * self.radius).max(self.radius * 0.01);
        let far = self.distance + 2.0 * self.radius + near;
        perspective(FIELD_OF_VIEW, aspect_ratio, near, far) * view
    }
}
