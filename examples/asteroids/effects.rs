//! Visual effects, which do not influence the game: sparks, flames, rising scores, flashes and camera shake.

use glam::{Vec2, Vec3};

use crate::font::{self, Style};
use crate::game::{Game, Phase};
use crate::numbers::{Random, direction};
use crate::streak::{Streak, ring};
use crate::world::{Event, Power, STEP, Size};

pub(crate) const MOST_SPARKS: usize = 3000;

/// Number of steps for which a new wave's number is shown.
pub(crate) const BANNER: u32 = 130;

pub(crate) const SHOT: Vec3 = Vec3::new(0.25, 0.9, 1.0);
pub(crate) const HOSTILE: Vec3 = Vec3::new(1.0, 0.18, 0.35);
const FIRE: Vec3 = Vec3::new(1.0, 0.42, 0.10);
const FLAME: Vec3 = Vec3::new(0.25, 0.45, 1.0);

pub(crate) const fn color(power: Power) -> Vec3 {
    match power {
        Power::Shield => Vec3::new(0.2, 0.6, 1.0),
        Power::Triple => Vec3::new(0.3, 1.0, 0.35),
        Power::Nova => Vec3::new(1.0, 0.5, 0.9),
    }
}

#[derive(Clone, Copy, Debug)]
struct Spark {
    position: Vec3,
    velocity: Vec3,
    color: Vec3,
    width: f32,
    /// Length of the tail, in seconds of flight.
    tail: f32,
    drag: f32,
    age: f32,
    life: f32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Flash {
    pub(crate) position: Vec3,
    pub(crate) color: Vec3,
    pub(crate) left: f32,
    loss: f32,
}

#[derive(Clone, Debug)]
struct Mark {
    text: String,
    position: Vec3,
    color: Vec3,
    size: f32,
    age: f32,
}

#[derive(Debug)]
pub(crate) struct Effects {
    random: Random,
    sparks: Vec<Spark>,
    marks: Vec<Mark>,
    pub(crate) flashes: Vec<Flash>,
    pub(crate) age: u32,
    trauma: f32,
    /// Brightness from 0 to 1 that is added to the whole picture, for example after an explosion.
    pub(crate) glare: f32,
    pub(crate) look: Vec2,
    pub(crate) shake: Vec2,
    /// Remaining number of steps for which the wave's number is shown.
    pub(crate) banner: u32,
}

impl Effects {
    pub(crate) fn new() -> Self {
        Self {
            random: Random(7),
            sparks: Vec::new(),
            marks: Vec::new(),
            flashes: Vec::new(),
            age: 0,
            trauma: 0.0,
            glare: 0.0,
            look: Vec2::ZERO,
            shake: Vec2::ZERO,
            banner: 0,
        }
    }

    /// Advances the effects after a step of the game, and starts new effects for the step's events.
    pub(crate) fn step(&mut self, game: &Game, events: &[Event]) {
        if game.phase == Phase::Paused {
            return;
        }
        self.age += 1;
        self.banner = self.banner.saturating_sub(1);
        for spark in &mut self.sparks {
            spark.position += spark.velocity * STEP;
            spark.velocity *= spark.drag;
            spark.age += STEP;
        }
        self.sparks.retain(|spark| spark.age < spark.life);
        self.marks.iter_mut().for_each(|mark| mark.age += STEP);
        self.marks.retain(|mark| mark.age < 0.9);
        self.flashes.iter_mut().for_each(|flash| flash.left -= flash.loss);
        self.flashes.retain(|flash| flash.left > 0.0);
        self.trauma = (self.trauma - 0.022).max(0.0);
        self.glare = (self.glare - 0.03).max(0.0);
        events.iter().for_each(|event| self.show(event));
        self.follow(game);
    }

    /// Adds the engine's flame, and moves the camera towards the ship.
    fn follow(&mut self, game: &Game) {
        let ship = &game.world.ship;
        let is_there = game.phase != Phase::Title && ship.away == 0;
        if is_there && ship.burns == 1 && game.world.tally.freeze == 0 {
            let (forward, back) = (ship.forward(), -ship.forward());
            for _ in 0..4 {
                let aside = forward.perp() * self.random.between(-0.16, 0.16);
                let speed = self.random.between(5.0, 9.0);
                let velocity = ship.velocity + back * speed + self.random.direction() * 0.7;
                let life = self.random.between(0.12, 0.38);
                self.spark(
                    ship.position + back * 0.62 + aside,
                    velocity,
                    (FLAME * 1.6, 0.16, 0.02, 0.95, life),
                );
            }
        }
        let focus = if is_there { ship.position } else { direction(self.age * 40) * 4.0 };
        self.look += (focus * 0.05 - self.look) * 0.04;
        let shake = self.trauma * self.trauma * 0.7;
        self.shake = Vec2::new(self.random.between(-shake, shake), self.random.between(-shake, shake));
    }

    /// Adds a spark in the arena's plane, although its velocity may lead out of it.
    fn spark(
        &mut self,
        at: Vec2,
        velocity: Vec2,
        (color, width, tail, drag, life): (Vec3, f32, f32, f32, f32),
    ) {
        if self.sparks.len() < MOST_SPARKS {
            let rise = self.random.between(-0.35, 0.45) * velocity.length();
            let (position, velocity) = (at.extend(0.0), velocity.extend(rise));
            self.sparks.push(Spark { position, velocity, color, width, tail, drag, age: 0.0, life });
        }
    }

    fn flash(&mut self, at: Vec2, color: Vec3, seconds: f32) {
        self.flashes.push(Flash { position: at.extend(1.2), color, left: 1.0, loss: STEP / seconds });
    }

    fn mark(&mut self, text: String, at: Vec2, color: Vec3, size: f32) {
        self.marks.push(Mark { text, position: at.extend(1.5), color, size, age: 0.0 });
    }

    /// Adds an explosion with a radius of about `size`: sparks in all directions, glowing gas, a ring and a
    /// flash.
    fn explode(&mut self, at: Vec2, velocity: Vec2, size: f32, color: Vec3) {
        for _ in 0..(26.0 * size) as u32 {
            let speed = self.random.between(1.0, 11.0) * (0.5 + 0.3 * size);
            let life = self.random.between(0.25, 0.9);
            let tint = color.lerp(Vec3::new(1.0, 0.85, 0.6), self.random.between(0.0, 0.7));
            let velocity = velocity + self.random.direction() * speed;
            self.spark(at, velocity, (tint * 1.5, 0.045, 0.05, 0.965, life));
        }
        for _ in 0..(7.0 * size) as u32 {
            let velocity = velocity + self.random.direction() * self.random.between(0.2, 2.2) * size;
            let life = self.random.between(0.3, 0.8);
            let width = self.random.between(0.25, 0.6) * size;
            self.spark(at, velocity, (color * 0.32, width, 0.0, 0.96, life));
        }
        self.mark(String::new(), at, color, size);
        self.flash(at, color * (2.0 + 3.0 * size), 0.25 + 0.2 * size);
    }

    fn shake_by(&mut self, trauma: f32) {
        self.trauma = (self.trauma + trauma).min(1.0);
    }

    fn show(&mut self, event: &Event) {
        match *event {
            Event::Fired { at, velocity } => {
                self.spark(at, velocity, (SHOT * 0.7, 0.35, 0.0, 1.0, 0.07));
            }
            Event::Broke { at, velocity, size } => {
                self.explode(at, velocity, size.radius(), FIRE);
                self.shake_by(match size {
                    Size::Large => 0.38,
                    Size::Medium => 0.22,
                    Size::Small => 0.12,
                });
            }
            Event::SaucerLost { at } => {
                self.explode(at, Vec2::ZERO, 2.4, HOSTILE);
                self.shake_by(0.6);
            }
            Event::ShipLost { at, velocity } => {
                self.explode(at, velocity, 3.6, SHOT);
                self.explode(at, velocity * 0.4, 2.2, FIRE);
                self.shake_by(1.0);
                self.glare = 1.0;
            }
            Event::ShieldLost { at } => {
                self.explode(at, Vec2::ZERO, 1.6, color(Power::Shield));
                self.shake_by(0.7);
            }
            Event::ShipCame { at } => self.mark(String::new(), at, SHOT, 2.5),
            Event::Fetched { at, power } => {
                let name = match power {
                    Power::Shield => "SHIELD",
                    Power::Triple => "TRIPLE SHOT",
                    Power::Nova => "NOVA",
                };
                let size = if power == Power::Nova { 7.5 } else { 2.0 };
                self.mark(name.to_owned(), at, color(power), 0.75);
                self.mark(String::new(), at, color(power), size);
                self.flash(at, color(power) * 2.0 * size, 0.5);
                self.shake_by(if power == Power::Nova { 0.8 } else { 0.1 });
                self.glare = self.glare.max(if power == Power::Nova { 0.6 } else { 0.0 });
            }
            Event::Points { at, points } => {
                self.mark(points.to_string(), at, Vec3::new(0.9, 0.8, 0.45), 0.55);
            }
            Event::Wave => self.banner = BANNER,
            Event::ExtraLife => self.glare = 0.5,
        }
    }

    /// Appends the streaks of all sparks and marks. The text of marks runs along `axes.0`, and its letters
    /// point up along `axes.1`.
    pub(crate) fn streaks(&self, streaks: &mut Vec<Streak>, axes: (Vec3, Vec3)) {
        for spark in &self.sparks {
            let left = 1.0 - spark.age / spark.life;
            let from = spark.position - spark.velocity * spark.tail;
            let streak = if spark.tail > 0.03 { Streak::line } else { Streak::glow };
            streaks.push(streak(
                from,
                spark.position,
                spark.width * (0.4 + 0.6 * left),
                spark.color * left * left,
            ));
        }
        for mark in &self.marks {
            let left = 1.0 - mark.age / 0.9;
            if mark.text.is_empty() {
                let color = mark.color * left * left * left * 0.38;
                let radius = mark.size * (0.3 + 1.1 * (1.0 - left * left * left));
                streaks.extend(ring(mark.position, radius, 28, 0.03 + 0.02 * mark.size, color));
            } else {
                let middle = font::width(&mark.text) * mark.size * 0.5;
                let at = mark.position - axes.0 * middle + axes.1 * (mark.age * 1.2);
                let style = Style { size: mark.size, width: 0.03, color: mark.color * left };
                font::write(streaks, &mark.text, at, axes, style);
            }
        }
    }
}
