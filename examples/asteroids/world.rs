//! The world of a game: the ship, the rocks and all other flying objects, in an arena whose opposite edges
//! are connected.
//!
//! All objects are plain bytes without padding, so worlds can be compared by a hash of their bytes.
//! `rules.rs` defines how a step changes a world.

use bytemuck::NoUninit;
use glam::Vec2;

use crate::numbers::{Random, TURN, direction};

/// Half of the arena's width and height, in units of about the ship's length.
pub(crate) const HALF: Vec2 = Vec2::new(16.0, 10.0);

pub(crate) const STEP: f32 = 1.0 / 60.0;

pub(crate) const SHIP_RADIUS: f32 = 0.45;

pub(crate) const FORMS: u32 = 6;

/// Size of a rock, which breaks into two rocks of the next smaller size if it is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, NoUninit)]
#[repr(u32)]
pub(crate) enum Size {
    Small,
    Medium,
    Large,
}

impl Size {
    pub(crate) const fn radius(self) -> f32 {
        match self {
            Self::Small => 0.62,
            Self::Medium => 1.12,
            Self::Large => 1.95,
        }
    }

    pub(crate) const fn points(self) -> u32 {
        match self {
            Self::Small => 100,
            Self::Medium => 50,
            Self::Large => 20,
        }
    }
}

#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Rock {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) size: Size,
    pub(crate) look: u32,
    pub(crate) angle: u32,
    /// The angle by which the rock turns per step, modulo a whole turn, where large values turn the rock
    /// backwards.
    pub(crate) spin: u32,
}

impl Rock {
    pub(crate) fn new(size: Size, position: Vec2, velocity: Vec2, random: &mut Random) -> Self {
        let spin = random.below(500).wrapping_sub(250);
        Self { position, velocity, size, look: random.bits(), angle: random.below(TURN), spin }
    }
}

#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Ship {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) heading: u32,
    /// Number of steps until the ship returns, or 0 if it is present.
    pub(crate) away: u32,
    pub(crate) reload: u32,
    pub(crate) safe: u32,
    pub(crate) shield: u32,
    pub(crate) triple: u32,
    /// 1 if the engine burns, otherwise 0, but not a `bool` because the ship must be plain bytes.
    pub(crate) burns: u32,
    /// Turning direction: 1 to the left, -1 to the right, or 0.
    pub(crate) turns: i32,
}

impl Ship {
    pub(crate) fn new(safe: u32) -> Self {
        Self {
            position: Vec2::ZERO,
            velocity: Vec2::ZERO,
            heading: TURN / 4,
            away: 0,
            reload: 0,
            safe,
            shield: 0,
            triple: 0,
            burns: 0,
            turns: 0,
        }
    }

    pub(crate) fn forward(&self) -> Vec2 {
        direction(self.heading)
    }
}

#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Shot {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) life: u32,
    pub(crate) hostile: u32,
}

#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Saucer {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) reload: u32,
    pub(crate) age: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, NoUninit)]
#[repr(u32)]
pub(crate) enum Power {
    /// The next hit destroys the shield instead of the ship.
    Shield,
    Triple,
    Nova,
}

/// A power-up that a destroyed object may leave for the ship to collect.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Gift {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) power: Power,
    pub(crate) life: u32,
}

#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Tally {
    pub(crate) random: Random,
    pub(crate) wave: u32,
    pub(crate) lives: u32,
    pub(crate) score: u32,
    pub(crate) next_life: u32,
    /// Number of consecutive hits, each at most [`crate::rules::CHAIN`] steps after the previous hit.
    pub(crate) chain: u32,
    /// Number of steps until the chain ends, unless another hit follows.
    pub(crate) chain_left: u32,
    /// Number of steps until the next wave, counted down while no rocks are left.
    pub(crate) wave_in: u32,
    pub(crate) saucer_in: u32,
    /// Number of steps for which the world stays frozen after a hit, as feedback for the player.
    pub(crate) freeze: u32,
}

impl Tally {
    /// Returns the factor by which a hit's points are multiplied, growing with the chain from 1 to 5.
    pub(crate) fn multiplier(&self) -> u32 {
        1 + (self.chain / 6).min(4)
    }
}

/// An event of a step, used for effects only because the simulation does not read events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    Fired { at: Vec2, velocity: Vec2 },
    Broke { at: Vec2, velocity: Vec2, size: Size },
    SaucerLost { at: Vec2 },
    ShipLost { at: Vec2, velocity: Vec2 },
    ShieldLost { at: Vec2 },
    ShipCame { at: Vec2 },
    Fetched { at: Vec2, power: Power },
    Points { at: Vec2, points: u32 },
    Wave,
    ExtraLife,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) tally: Tally,
    pub(crate) ship: Ship,
    pub(crate) rocks: Vec<Rock>,
    pub(crate) shots: Vec<Shot>,
    pub(crate) gifts: Vec<Gift>,
    pub(crate) saucer: Option<Saucer>,
}

impl World {
    /// Creates the world behind the title: a few rocks and no ship.
    pub(crate) fn title(seed: u32) -> Self {
        let mut world = Self::new(Random(seed));
        world.tally.lives = 0;
        world.ship.away = u32::MAX;
        for (n, size) in [Size::Large, Size::Medium, Size::Small].into_iter().cycle().take(11).enumerate() {
            let random = &mut world.tally.random;
            let place = direction(n as u32 * TURN / 11) * random.between(0.75, 1.0);
            let velocity = random.direction() * random.between(0.6, 1.6);
            world.rocks.push(Rock::new(size, place * HALF, velocity, random));
        }
        world
    }

    /// Creates the world at the start of a game, before the first wave.
    pub(crate) fn new(random: Random) -> Self {
        let tally = Tally {
            random,
            wave: 0,
            lives: 3,
            score: 0,
            next_life: 30_000,
            chain: 0,
            chain_left: 0,
            wave_in: 1,
            saucer_in: 900,
            freeze: 0,
        };
        let (rocks, shots, gifts) = (Vec::new(), Vec::new(), Vec::new());
        Self { tally, ship: Ship::new(90), rocks, shots, gifts, saucer: None }
    }

    pub(crate) fn hash(&self, hash: &mut Hash) {
        hash.add(bytemuck::bytes_of(&self.tally));
        hash.add(bytemuck::bytes_of(&self.ship));
        // Hash the lengths first, because otherwise a rock could have the same bytes as two shots.
        for length in [self.rocks.len(), self.shots.len(), self.gifts.len()] {
            hash.add(&(length as u32).to_le_bytes());
        }
        hash.add(bytemuck::cast_slice(&self.rocks));
        hash.add(bytemuck::cast_slice(&self.shots));
        hash.add(bytemuck::cast_slice(&self.gifts));
        hash.add(bytemuck::cast_slice(self.saucer.as_slice()));
    }
}

#[derive(Debug)]
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    pub(crate) const EMPTY: Self = Self(0xCBF2_9CE4_8422_2325);

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

/// Wraps a position into the arena, so that an object that leaves on one side returns on the opposite side.
pub(crate) fn wrap(mut place: Vec2) -> Vec2 {
    for (axis, half) in place.as_mut().iter_mut().zip(HALF.to_array()) {
        if *axis >= half {
            *axis -= 2.0 * half;
        } else if *axis < -half {
            *axis += 2.0 * half;
        }
    }
    place
}

/// Returns the shortest vector between two positions, which may cross an edge of the arena.
pub(crate) fn way(from: Vec2, to: Vec2) -> Vec2 {
    wrap(to - from)
}
