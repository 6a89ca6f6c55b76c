//! Drawing: four deferred contexts record one pass each at the same time, and the immediate context executes
//! their command lists in order.
//!
//! | pass | draws |
//! | --- | --- |
//! | [`sky`] | the nebula, the stars, the grid |
//! | [`objects`] | rocks, ships, gifts: a map, a write and a draw for each |
//! | [`streaks`] | shots, sparks and rings: instances in a dynamic vertex buffer, with additive blending |
//! | [`hud`] | texts, also made of streaks |

mod hud;
mod mesh;
mod objects;
mod sky;
mod streaks;

use glam::{Mat4, Vec2, Vec3, Vec4};
use onze::prelude::*;
use onze_winit::Frame;

use crate::camera::Camera;
use crate::effects::{self, Effects};
use crate::game::{Game, Phase};
use crate::numbers::direction;
use crate::world::{HALF, STEP};
use hud::HudPass;
use objects::ObjectPass;
use sky::SkyPass;
use streaks::StreakPass;

const MOST_LIGHTS: usize = 16;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Scene {
    to_clip: Mat4,
    eye: Vec4,
    picture: Vec4,
    arena: Vec4,
    right: Vec4,
    up: Vec4,
    lights: [[Vec4; 2]; MOST_LIGHTS],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) game: &'a Game,
    pub(crate) effects: &'a Effects,
    /// Time since the last step, as a fraction of a step from 0 to 1, used to draw moving objects ahead by
    /// this time.
    pub(crate) ahead: f32,
    pub(crate) high_score: u32,
    pub(crate) is_demo: bool,
}

#[derive(Clone, Copy)]
struct Picture<'a> {
    view: View<'a>,
    camera: Camera,
    size: Vec2,
    target: &'a RenderTargetView,
    depth: Option<&'a DepthStencilView>,
}

impl Picture<'_> {
    /// Extrapolates the current position of an object from its position and velocity at the last step.
    fn ahead(&self, position: Vec2, velocity: Vec2) -> Vec3 {
        (position + velocity * (STEP * self.view.ahead)).extend(0.0)
    }

    /// Returns the brightness of the scene, which is darker under long texts.
    fn brightness(&self) -> f32 {
        match self.view.game.phase {
            Phase::Title => 0.8,
            Phase::Play => 1.0,
            Phase::Paused => 0.3,
            Phase::Over => 1.0 - 0.45 * (self.view.game.steps as f32 / 60.0).min(1.0),
        }
    }
}

trait Pass {
    /// Records the draws of a pass, for which the caller has already bound the targets and a viewport of the
    /// same size.
    fn record(&mut self, context: &mut DeviceContext, picture: &Picture<'_>) -> Result<(), onze::Error>;
}

struct Recorder {
    context: DeferredContext,
    pass: Box<dyn Pass + Send>,
}

impl Recorder {
    fn record(&mut self, picture: &Picture<'_>) -> Result<CommandList, onze::Error> {
        let context = &mut self.context;
        context.om_set_render_targets(picture.target, picture.depth);
        context.rs_set_viewports(Viewport::sized(picture.size.x, picture.size.y));
        self.pass.record(context, picture)?;
        context.finish()
    }
}

pub(crate) struct Renderer {
    scene: ConstantBuffer<Scene>,
    recorders: Vec<Recorder>,
}

impl Renderer {
    pub(crate) fn new(device: &Device, context: &mut ImmediateContext) -> Result<Self, onze::Error> {
        let zero = [[Vec4::ZERO; 2]; MOST_LIGHTS];
        let scene = device.create_constant_buffer(&Scene {
            to_clip: Mat4::IDENTITY,
            eye: Vec4::ZERO,
            picture: Vec4::ONE,
            arena: Vec4::ZERO,
            right: Vec4::ZERO,
            up: Vec4::ZERO,
            lights: zero,
        })?;
        let passes: [Box<dyn Pass + Send>; 4] = [
            Box::new(SkyPass::new(device, context, &scene)?),
            Box::new(ObjectPass::new(device, &scene)?),
            Box::new(StreakPass::new(device)?),
            Box::new(HudPass::new(device)?),
        ];
        let recorder = |pass| Ok(Recorder { context: device.create_deferred_context()?, pass });
        Ok(Self { scene, recorders: passes.into_iter().map(recorder).collect::<Result<_, onze::Error>>()? })
    }

    pub(crate) fn draw(&mut self, frame: &mut Frame<'_>, view: View<'_>) -> Result<(), onze::Error> {
        let camera = Camera::new(frame.aspect_ratio(), view.effects.look, view.effects.shake);
        let size = Vec2::new(frame.width as f32, frame.height as f32);
        let picture = Picture { view, camera, size, target: frame.target, depth: frame.depth };
        // The lists read the constants when they are executed, so this write can come after the recording.
        frame.context.update(&self.scene, &scene(&picture))?;
        for list in record(&mut self.recorders, &picture)? {
            frame.context.execute(&list);
        }
        Ok(())
    }
}

/// Records all passes at the same time, each with its own deferred context on a thread.
#[cfg(not(target_arch = "wasm32"))]
fn record(recorders: &mut [Recorder], picture: &Picture<'_>) -> Result<Vec<CommandList>, onze::Error> {
    std::thread::scope(|scope| {
        let start = |recorder: &'_ mut Recorder| recorder.record(picture);
        let threads: Vec<_> =
            recorders.iter_mut().map(|recorder| scope.spawn(move || start(recorder))).collect();
        let end = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(end).collect()
    })
}

/// Records all passes one after another, because a browser has one thread.
#[cfg(target_arch = "wasm32")]
fn record(recorders: &mut [Recorder], picture: &Picture<'_>) -> Result<Vec<CommandList>, onze::Error> {
    recorders.iter_mut().map(|recorder| recorder.record(picture)).collect()
}

fn scene(picture: &Picture<'_>) -> Scene {
    let (camera, effects) = (&picture.camera, picture.view.effects);
    let seconds = (effects.age as f32 + picture.view.ahead) * STEP;
    let found = lights(picture);
    let mut lights = [[Vec4::ZERO; 2]; MOST_LIGHTS];
    for (light, (position, color)) in lights.iter_mut().zip(&found) {
        *light = [position.extend(0.0), color.extend(0.0)];
    }
    Scene {
        to_clip: camera.to_clip,
        eye: camera.eye.extend(0.0),
        picture: Vec4::new(picture.size.x, picture.size.y, seconds, effects.glare),
        arena: Vec4::new(HALF.x, HALF.y, effects.look.x, effects.look.y),
        right: camera.axes.0.extend(picture.brightness()),
        up: camera.axes.1.extend(found.len().min(MOST_LIGHTS) as f32),
        lights,
    }
}

/// Collects the lights in order of importance, because the shaders use only the first few.
fn lights(picture: &Picture<'_>) -> Vec<(Vec3, Vec3)> {
    let View { game, effects, .. } = picture.view;
    let world = &game.world;
    let mut lights = Vec::new();
    let ship = &world.ship;
    if ship.away == 0 {
        let burns = 0.5 + 1.3 * ship.burns as f32;
        let behind = picture.ahead(ship.position - ship.forward(), ship.velocity) + Vec3::Z * 0.6;
        lights.push((behind, Vec3::new(0.35, 0.55, 1.0) * burns));
    }
    let flashes = effects.flashes.iter().rev();
    lights.extend(flashes.map(|flash| (flash.position, flash.color * flash.left * flash.left)));
    if let Some(saucer) = &world.saucer {
        lights
            .push((picture.ahead(saucer.position, saucer.velocity) - Vec3::Z * 0.6, effects::HOSTILE * 2.5));
    }
    for gift in &world.gifts {
        lights.push((gift.position.extend(0.8), effects::color(gift.power) * 1.5));
    }
    for shot in &world.shots {
        let color = if shot.hostile == 1 { effects::HOSTILE * 2.0 } else { effects::SHOT };
        lights.push((picture.ahead(shot.position, shot.velocity) + Vec3::Z * 0.5, color * 1.2));
    }
    if game.phase == Phase::Title {
        // On the title screen, two moving lights show how the rocks are lit.
        for (n, color) in [effects::SHOT, effects::HOSTILE].into_iter().enumerate() {
            let way = direction(effects.age * 90 + n as u32 * 30_000) * HALF * 0.8;
            lights.push((way.extend(1.5), color * 9.0));
        }
    }
    lights
}
