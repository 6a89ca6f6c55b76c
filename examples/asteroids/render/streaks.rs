//! Glowing effects: shots, sparks, rings and the border of the arena, all instances that are drawn with
//! additive blending.

use glam::{Mat4, Vec2, Vec3, Vec4};
use onze::prelude::*;

use super::{Pass, Picture};
use crate::effects::{self, HOSTILE, MOST_SPARKS, SHOT};
use crate::game::Phase;
use crate::numbers::blinks;
use crate::streak::{Streak, ring};
use crate::world::{HALF, Power};

const SHADER: &str = include_str!("streaks.wgsl");

/// Maximum number of streaks per pass, beyond which streaks are not drawn.
const MOST_STREAKS: usize = MOST_SPARKS + 4000;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct View {
    to_clip: Mat4,
    picture: Vec4,
}

pub(super) struct StreakPainter {
    view: ConstantBuffer<View>,
    streaks: VertexBuffer<Streak>,
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    adds: BlendState,
    behind: DepthStencilState,
    both_sides: RasterizerState,
}

impl StreakPainter {
    /// Creates a painter, with streaks hidden by nearer solid objects if `tests_depth` is true.
    pub(super) fn new(device: &Device, tests_depth: bool) -> Result<Self, onze::Error> {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let behind = DepthStencilDesc { depth_enable: tests_depth, depth_write: false, ..Default::default() };
        let both_sides = RasterizerDesc { cull_mode: CullMode::None, ..Default::default() };
        Ok(Self {
            view: device.create_constant_buffer(&View { to_clip: Mat4::ZERO, picture: Vec4::ZERO })?,
            streaks: device.create_dynamic_vertex_buffer(MOST_STREAKS)?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            layout: device.create_input_layout_of::<Streak>(&vs)?,
            vs,
            adds: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?,
            behind: device.create_depth_stencil_state(&behind)?,
            both_sides: device.create_rasterizer_state(&both_sides)?,
        })
    }

    /// Draws streaks, where `scale` is the projected size of a length of 1 at a depth of 1, in units of half
    /// the picture's height.
    pub(super) fn draw(
        &self,
        context: &mut DeviceContext,
        streaks: &[Streak],
        (to_clip, size, scale, brightness): (Mat4, Vec2, f32, f32),
    ) -> Result<(), onze::Error> {
        let streaks = &streaks[..streaks.len().min(MOST_STREAKS)];
        let picture = Vec4::new(size.x, size.y, scale * size.y * 0.5, brightness);
        context.update(&self.view, &View { to_clip, picture })?;
        context.update(&self.streaks, streaks)?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.streaks);
        context.rs_set_state(&self.both_sides);
        context.om_set_blend(&self.adds);
        context.om_set_depth_stencil(&self.behind);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, &self.view);
        context.ps_set_shader(&self.ps);
        context.draw_instanced(4, streaks.len() as u32, 0, 0);
        Ok(())
    }
}

pub(super) struct StreakPass {
    painter: StreakPainter,
    streaks: Vec<Streak>,
}

impl StreakPass {
    pub(super) fn new(device: &Device) -> Result<Self, onze::Error> {
        Ok(Self { painter: StreakPainter::new(device, true)?, streaks: Vec::new() })
    }

    /// Draws the border of the arena as a bright line and a wide glow.
    fn border(&mut self) {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corners = corners.map(|(x, y)| Vec3::new(x * HALF.x, y * HALF.y, 0.0));
        for (n, corner) in corners.into_iter().enumerate() {
            let next = corners[(n + 1) % 4];
            self.streaks.push(Streak::line(corner, next, 0.02, Vec3::new(0.03, 0.20, 0.30)));
            self.streaks.push(Streak::glow(corner, next, 0.6, Vec3::new(0.005, 0.025, 0.045)));
        }
    }

    fn shots(&mut self, picture: &Picture<'_>) {
        for shot in &picture.view.game.world.shots {
            let at = picture.ahead(shot.position, shot.velocity);
            let (color, tail, width) =
                if shot.hostile == 1 { (HOSTILE, 0.03, 0.12) } else { (SHOT, 0.028, 0.055) };
            let from = at - shot.velocity.extend(0.0) * tail;
            self.streaks.push(Streak::line(from, at, width, color * 1.2));
            self.streaks.push(Streak::glow(from, at, 0.5, color * 0.22));
        }
    }

    /// Draws the light around the ship: the engine's flame, the shield, and the mark of an invulnerable new
    /// ship.
    fn ship(&mut self, picture: &Picture<'_>) {
        let ship = &picture.view.game.world.ship;
        if picture.view.game.phase == Phase::Title || ship.away > 0 {
            return;
        }
        let at = picture.ahead(ship.position, ship.velocity);
        let age = picture.view.effects.age as f32;
        if ship.burns == 1 {
            let back = -ship.forward().extend(0.0);
            let flicker = 0.8 + 0.2 * (age * 1.9).sin();
            let color = Vec3::new(0.3, 0.5, 1.0);
            self.streaks.push(Streak::glow(
                at + back * 0.6,
                at + back * (0.9 + 0.5 * flicker),
                0.30,
                color * 1.6,
            ));
            self.streaks.push(Streak::glow(at + back * 0.6, at + back * 0.8, 0.9, color * 0.3 * flicker));
        }
        let mut shield = |color: Vec3, radius: f32| {
            self.streaks.extend(ring(at, radius, 32, 0.035, color));
            self.streaks.push(Streak::glow(at, at, radius * 1.25, color * 0.14));
        };
        if ship.shield > 0 && (ship.shield > 150 || blinks(ship.shield, 8)) {
            shield(effects::color(Power::Shield) * (0.7 + 0.15 * (age * 0.2).sin()), 1.12);
        }
        if ship.safe > 0 {
            shield(Vec3::splat(0.25) * (ship.safe as f32 / 60.0).min(1.0), 0.95);
        }
    }

    fn gifts_and_saucer(&mut self, picture: &Picture<'_>) {
        let world = &picture.view.game.world;
        let age = picture.view.effects.age as f32;
        for gift in &world.gifts {
            let at = picture.ahead(gift.position, gift.velocity) + Vec3::Z * 0.3;
            let left = if gift.life < 180 && !blinks(gift.life, 10) { 0.2 } else { 1.0 };
            let color = effects::color(gift.power) * left;
            self.streaks.push(Streak::glow(at, at, 1.6, color * 0.22));
            self.streaks.extend(ring(at, 0.85 + 0.08 * (age * 0.15).sin(), 6, 0.03, color * 0.6));
        }
        if let Some(saucer) = &world.saucer {
            let at = picture.ahead(saucer.position, saucer.velocity);
            self.streaks.push(Streak::glow(at, at, 2.2, HOSTILE * 0.16));
        }
    }
}

impl Pass for StreakPass {
    fn record(&mut self, context: &mut DeviceContext, picture: &Picture<'_>) -> Result<(), onze::Error> {
        self.streaks.clear();
        self.border();
        self.gifts_and_saucer(picture);
        self.ship(picture);
        self.shots(picture);
        picture.view.effects.streaks(&mut self.streaks, picture.camera.axes);
        let camera = &picture.camera;
        let view = (camera.to_clip, picture.size, camera.scale, picture.brightness());
        self.painter.draw(context, &self.streaks, view)
    }
}
