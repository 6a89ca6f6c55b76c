//! A camera that orbits a point: drag to turn, scroll to zoom, and drag with the right button or Shift to
//! pan.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec2, Vec3};
use onze_winit::{WinitInputHelper, winit::event::MouseButton};

use crate::content::Bounds;

const FIELD_OF_VIEW: f32 = 0.6;

const TURN: f32 = 0.008;

const ZOOM: f32 = 0.88;

const DRIFT: f32 = 0.25;

/// Maximum pitch in radians, slightly less than a quarter turn, where the camera's up direction would be
/// undefined.
const MOST_PITCH: f32 = 1.5;

/// A camera that looks at a point from a distance and is moved with the mouse.
#[derive(Debug, Clone)]
pub struct OrbitCamera {
    /// The point that the camera looks at, which panning moves.
    pub target: Vec3,
    /// Angle around the vertical axis in radians, where at 0 the camera looks along -z if the pitch is also
    /// 0.
    pub yaw: f32,
    /// Angle above the horizon in radians, limited to a little less than a quarter turn.
    pub pitch: f32,
    /// Distance from the target in world units, changed by the mouse wheel.
    pub distance: f32,
    /// Half the diagonal of the box passed to [`OrbitCamera::fit`], which limits the zoom.
    radius: f32,
    is_touched: bool,
}

impl OrbitCamera {
    /// Creates a camera that shows all of `bounds` from the front, slightly from the right and from above.
    pub fn fit(bounds: &Bounds, aspect_ratio: f32) -> Self {
        let size = bounds.size();
        let radius = (size.length() * 0.5).max(f32::MIN_POSITIVE);
        // Fit the cylinder that encloses the box at every yaw. The camera sees the cylinder's ends as
        // ellipses.
        let (width, height, pitch) = (Vec2::new(size.x, size.z).length() * 0.5, size.y * 0.5, 0.22_f32);
        let most = (FIELD_OF_VIEW * 0.5).tan();
        let above = (height * pitch.cos() + width * pitch.sin()) / most;
        let beside = width / (most * aspect_ratio);
        let distance = above.max(beside) * 1.08 + width * 0.6;
        Self { target: bounds.center(), yaw: 0.5, pitch, distance, radius, is_touched: false }
    }

    /// Moves the camera by the user's input since the last frame, or lets it orbit slowly by itself until the
    /// first input.
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

    fn back(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// The camera's position in world space.
    pub fn eye(&self) -> Vec3 {
        self.target + self.back() * self.distance
    }

    /// The matrix from world space to clip space, with depths from 0 to 1.
    pub fn to_clip(&self, aspect_ratio: f32) -> Mat4 {
        let view = look_at_mat4(self.eye(), self.target, Vec3::Y);
        // The near and far planes are as close together as the box allows, because that makes depth more
        // precise.
        let near = (self.distance - 2.0 * self.radius).max(self.radius * 0.01);
        let far = self.distance + 2.0 * self.radius + near;
        perspective(FIELD_OF_VIEW, aspect_ratio, near, far) * view
    }
}
