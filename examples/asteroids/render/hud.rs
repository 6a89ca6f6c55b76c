//! Text in front of the scene: score and lives, the title, the pause screen, and the end of a game.

use glam::camera::rh::proj::directx::orthographic;
use glam::{Vec2, Vec3};
use onze::prelude::*;

use super::streaks::StreakPainter;
use super::{Pass, Picture};
use crate::effects;
use crate::font::{self, Style};
use crate::game::Phase;
use crate::numbers::blinks;
use crate::rules::CHAIN;
use crate::streak::Streak;
use crate::world::Power;

/// Minimum size of the picture, in units of the text layout.
const ROOM: Vec2 = Vec2::new(10.0, 9.0);

const CYAN: Vec3 = Vec3::new(0.20, 0.75, 0.95);
const WHITE: Vec3 = Vec3::new(0.75, 0.82, 0.95);
const DIM: Vec3 = Vec3::new(0.16, 0.30, 0.48);
const GOLD: Vec3 = Vec3::new(1.0, 0.66, 0.18);
const RED: Vec3 = Vec3::new(1.0, 0.16, 0.25);

const CONTROLS: [(&str, &str); 4] =
    [("ARROWS OR A, D", "TURN"), ("UP OR W", "THRUST"), ("SPACE", "FIRE"), ("P OR ESC", "PAUSE")];

pub(super) struct HudPass {
    painter: StreakPainter,
    streaks: Vec<Streak>,
}

impl HudPass {
    pub(super) fn new(device: &Device) -> Result<Self, onze::Error> {
        Ok(Self { painter: StreakPainter::new(device, false)?, streaks: Vec::new() })
    }
}

impl Pass for HudPass {
    fn record(&mut self, context: &mut DeviceContext, picture: &Picture<'_>) -> Result<(), onze::Error> {
        let unit = (picture.size / ROOM).min_element();
        let half = picture.size / unit * 0.5;
        self.streaks.clear();
        let mut page = Page { streaks: &mut self.streaks, half };
        page.write_all(picture);
        let to_clip = orthographic(-half.x, half.x, -half.y, half.y, -1.0, 1.0);
        self.painter.draw(context, &self.streaks, (to_clip, picture.size, 1.0 / half.y, 1.0))
    }
}

struct Page<'a> {
    streaks: &'a mut Vec<Streak>,
    half: Vec2,
}

impl Page<'_> {
    /// Writes a text at `at`, where `anchor` selects the point of the text that is placed there: 0 for the
    /// beginning, 0.5 for the middle, and 1 for the end.
    fn text(&mut self, text: &str, at: Vec2, anchor: f32, size: f32, color: Vec3) {
        let begin = at - Vec2::X * (font::width(text) * size * anchor);
        let style = Style { size, width: 0.012 + 0.030 * size, color };
        font::write(self.streaks, text, begin.extend(0.0), (Vec3::X, Vec3::Y), style);
    }

    fn middle(&mut self, text: &str, y: f32, size: f32, color: Vec3) {
        self.text(text, Vec2::new(0.0, y), 0.5, size, color);
    }

    fn write_all(&mut self, picture: &Picture<'_>) {
        let game = picture.view.game;
        if game.phase != Phase::Title {
            self.status(picture);
        }
        let asks = if blinks(game.steps, 32) { WHITE } else { DIM };
        match game.phase {
            Phase::Title => self.title(picture, asks),
            Phase::Play => self.banner(picture),
            Phase::Paused => {
                self.middle("PAUSED", 0.1, 0.95, CYAN);
                self.middle("P TO RESUME", -0.75, 0.34, asks);
                self.middle("ESC FOR THE TITLE", -1.35, 0.26, DIM * 1.6);
            }
            Phase::Over => {
                let tally = &game.world.tally;
                self.middle("GAME OVER", 0.3, 0.95, RED);
                self.middle(&format!("SCORE {}", tally.score), -0.55, 0.42, WHITE);
                let is_best =
                    tally.score > 0 && tally.score >= picture.view.high_score && !picture.view.is_demo;
                if is_best {
                    self.middle("NEW HIGH SCORE!", -1.2, 0.36, GOLD);
                }
                if game.steps > 60 {
                    self.middle("PRESS ENTER", -1.95, 0.34, asks);
                }
            }
        }
        if picture.view.is_demo && blinks(game.steps, 40) && game.phase == Phase::Play {
            self.middle("DEMO", -self.half.y + 0.35, 0.3, DIM * 2.0);
        }
    }

    fn status(&mut self, picture: &Picture<'_>) {
        let world = &picture.view.game.world;
        let tally = &world.tally;
        let (left, top) = (-self.half.x + 0.3, self.half.y - 0.55);
        self.text(&format!("{:06}", tally.score), Vec2::new(left, top), 0.0, 0.38, WHITE);
        let best = tally.score.max(picture.view.high_score);
        self.middle(&format!("HIGH {best:06}"), top + 0.13, 0.22, DIM * 2.0);
        if tally.multiplier() > 1 {
            // The multiplier fades with the time that remains for the next hit.
            let color = GOLD * (0.25 + 0.75 * tally.chain_left as f32 / CHAIN as f32);
            self.text(&format!("X{}", tally.multiplier()), Vec2::new(left, top - 0.55), 0.0, 0.34, color);
        }
        for n in 0..tally.lives.min(6) {
            self.ship_icon(Vec2::new(self.half.x - 0.45 - 0.38 * n as f32, top + 0.17));
        }
        let powers = [(Power::Shield, world.ship.shield, 1200.0), (Power::Triple, world.ship.triple, 720.0)];
        let mut y = top - 0.42;
        for (power, steps, all) in powers.into_iter().filter(|(_, steps, _)| *steps > 0) {
            let end = Vec2::new(self.half.x - 0.3, y);
            let name = if power == Power::Shield { "SHIELD" } else { "TRIPLE" };
            let (color, length) = (effects::color(power), 1.3 * steps as f32 / all);
            self.text(name, end, 1.0, 0.2, color * 0.8);
            let below = (end - Vec2::Y * 0.12).extend(0.0);
            self.streaks.push(Streak::line(below - Vec3::X * length, below, 0.025, color));
            y -= 0.5;
        }
    }

    fn ship_icon(&mut self, at: Vec2) {
        let corners = [(0.0, 0.2), (0.13, -0.17), (0.0, -0.09), (-0.13, -0.17), (0.0, 0.2)];
        let corners = corners.map(|corner| (at + Vec2::from(corner)).extend(0.0));
        for pair in corners.windows(2) {
            self.streaks.push(Streak::line(pair[0], pair[1], 0.018, CYAN));
        }
    }

    fn banner(&mut self, picture: &Picture<'_>) {
        let left = picture.view.effects.banner as f32 / effects::BANNER as f32;
        if left > 0.0 {
            let fade = (left * 4.0).min(1.0) * ((1.0 - left) * 12.0).min(1.0);
            self.middle(&format!("WAVE {}", picture.view.game.world.tally.wave), 1.6, 0.7, CYAN * fade);
        }
    }

    fn title(&mut self, picture: &Picture<'_>, asks: Vec3) {
        let flicker = 1.0 + 0.06 * (picture.view.effects.age as f32 * 0.11).sin();
        let text = "ASTEROIDS";
        let size = 1.05;
        // The title is drawn twice, the second time with a wide and faint glow.
        self.middle(text, 1.35, size, CYAN * flicker * 1.1);
        let begin = Vec3::new(-font::width(text) * size * 0.5, 1.35, 0.0);
        let style = Style { size, width: 0.11, color: CYAN * 0.07 * flicker };
        font::write(self.streaks, text, begin, (Vec3::X, Vec3::Y), style);
        self.middle("PRESS ENTER", 0.25, 0.46, asks);
        for (n, (keys, what)) in CONTROLS.into_iter().enumerate() {
            let y = -0.75 - 0.5 * n as f32;
            self.text(keys, Vec2::new(-0.1, y), 1.0, 0.27, WHITE * 0.8);
            self.text(what, Vec2::new(0.6, y), 0.0, 0.27, CYAN * 0.8);
        }
        if picture.view.high_score > 0 {
            self.middle(&format!("HIGH SCORE {}", picture.view.high_score), -3.15, 0.32, GOLD * 0.8);
        }
        self.middle("ESC TO LEAVE", -self.half.y + 0.35, 0.22, DIM * 1.6);
    }
}
