//! The world of a game: the ship, the rocks and all other flying objects in the arena, whose opposite edges meet.
//!
//! All objects are plain bytes without padding, so a hash of the bytes tells whether two worlds are equal. `rules.rs`
//! defines how a step changes a world.

use bytemuck::NoUninit;
use glam::Vec2;

use crate::numbers::{Random, TURN, direction};

/// Half of the arena's width and height. The length of the ship is about 1.
pub(crate) const HALF: Vec2 = Vec2::new(16.0, 10.0);

/// Seconds per step.
pub(crate) const STEP: f32 = 1.0 / 60.0;

/// The ship's radius, for collisions.
pub(crate) const SHIP_RADIUS: f32 = 0.45;

/// Number of rock forms.
pub(crate) const FORMS: u32 = 6;

/// Size of a rock. A rock that is hit breaks into two of the next smaller size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, NoUninit)]
#[repr(u32)]
pub(crate) enum Size {
    Small,
    Medium,
    Large,
}

impl Size {
    /// The radius, for collisions and for pictures.
    pub(crate) const fn radius(self) -> f32 {
        match self {
            Self::Small => 0.62,
            Self::Medium => 1.12,
            Self::Large => 1.95,
        }
    }

    /// The points for a hit.
    pub(crate) const fn points(self) -> u32 {
        match self {
            Self::Small => 100,
            Self::Medium => 50,
            Self::Large => 20,
        }
    }
}

/// A rock.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Rock {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) size: Size,
    /// Its form and its axis, for drawing.
    pub(crate) look: u32,
    pub(crate) angle: u32,
    /// The angle that it turns per step. Large numbers turn it backwards.
    pub(crate) spin: u32,
}

impl Rock {
    /// A rock with a random look.
    pub(crate) fn new(size: Size, position: Vec2, velocity: Vec2, random: &mut Random) -> Self {
        let spin = random.below(500).wrapping_sub(250);
        Self { position, velocity, size, look: random.bits(), angle: random.below(TURN), spin }
    }
}

/// The player's ship.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Ship {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) heading: u32,
    /// Steps until it returns; 0 if it is present.
    pub(crate) away: u32,
    /// Steps until it can shoot.
    pub(crate) reload: u32,
    /// Steps for which it cannot be harmed.
    pub(crate) safe: u32,
    /// Steps that its shield lasts.
    pub(crate) shield: u32,
    /// Steps for which it fires three shots at once.
    pub(crate) triple: u32,
    /// Whether the engine burns: 1 or 0.
    pub(crate) burns: u32,
    /// Turning direction: 1 to the left, -1 to the right.
    pub(crate) turns: i32,
}

impl Ship {
    /// Creates a ship in the middle.
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

    /// Returns the direction of its nose.
    pub(crate) fn forward(&self) -> Vec2 {
        direction(self.heading)
    }
}

#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Shot {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    /// Steps that it lasts.
    pub(crate) life: u32,
    /// Whether the saucer shot it: 1 or 0.
    pub(crate) hostile: u32,
}

/// The saucer, which crosses the arena and shoots at the ship.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Saucer {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) reload: u32,
    pub(crate) age: u32,
}

/// The effect of a gift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, NoUninit)]
#[repr(u32)]
pub(crate) enum Power {
    /// The next hit destroys the shield instead of the ship.
    Shield,
    /// Three shots at once.
    Triple,
    /// Hits everything near the ship.
    Nova,
}

/// A power that a wreck may leave, for the ship to collect.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Gift {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) power: Power,
    pub(crate) life: u32,
}

/// The counters of a game.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Tally {
    pub(crate) random: Random,
    pub(crate) wave: u32,
    pub(crate) lives: u32,
    pub(crate) score: u32,
    /// The score of the next extra life.
    pub(crate) next_life: u32,
    /// Hits in a row, each soon after the one before it.
    pub(crate) chain: u32,
    /// Steps until the chain ends unless another hit follows.
    pub(crate) chain_left: u32,
    /// Steps until the next wave, while no rocks are left.
    pub(crate) wave_in: u32,
    /// Steps until the next saucer.
    pub(crate) saucer_in: u32,
    /// Steps for which the world is frozen after a hit, as feedback.
    pub(crate) freeze: u32,
}

impl Tally {
    /// Returns the factor of a hit's points, 1 to 5, which grows with the chain.
    pub(crate) fn multiplier(&self) -> u32 {
        1 + (self.chain / 6).min(4)
    }
}

/// An event of a step, for drawing. The simulation does not read it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    /// The ship shot.
    Fired { at: Vec2, velocity: Vec2 },
    /// A rock broke.
    Broke { at: Vec2, velocity: Vec2, size: Size },
    /// The saucer was destroyed.
    SaucerLost { at: Vec2 },
    /// The ship was destroyed.
    ShipLost { at: Vec2, velocity: Vec2 },
    /// The shield was destroyed.
    ShieldLost { at: Vec2 },
    /// A new ship arrived.
    ShipCame { at: Vec2 },
    /// A gift was fetched.
    Fetched { at: Vec2, power: Power },
    /// Points were awarded for an object at this position.
    Points { at: Vec2, points: u32 },
    /// The next wave has come.
    Wave,
    /// An extra life was awarded.
    ExtraLife,
}

/// A world, between two steps.
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
    /// Creates the world that is shown with the title: a few rocks and no ship.
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

    /// Creates the world at the start of a game, before its first wave.
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

    /// Adds all bytes to a hash.
    pub(crate) fn hash(&self, hash: &mut Hash) {
        hash.add(bytemuck::bytes_of(&self.tally));
        hash.add(bytemuck::bytes_of(&self.ship));
        // The lengths come first, because otherwise a rock could hash like two shots.
        for length in [self.rocks.len(), self.shots.len(), self.gifts.len()] {
            hash.add(&(length as u32).to_le_bytes());
        }
        hash.add(bytemuck::cast_slice(&self.rocks));
        hash.add(bytemuck::cast_slice(&self.shots));
        hash.add(bytemuck::cast_slice(&self.gifts));
        hash.add(bytemuck::cast_slice(self.saucer.as_slice()));
    }
}

/// A 64-bit FNV-1a hash.
#[derive(Debug)]
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    /// The hash of no bytes.
    pub(crate) const EMPTY: Self = Self(0xCBF2_9CE4_8422_2325);

    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

/// Wraps a position into the arena: an object that leaves on one side returns on the opposite side.
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

/// Returns the shortest way between two positions, perhaps over an edge.
pub(crate) fn way(from: Vec2, to: Vec2) -> Vec2 {
    wrap(to - from)
}
