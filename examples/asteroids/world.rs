//! The world of a game: the ship, the rocks and all else that flies in the arena, whose opposite edges meet.
//!
//! What flies is plain bytes without padding, so that a hash of the bytes says whether two worlds are equal. `rules.rs`
//! says how a step changes a world.

use bytemuck::NoUninit;
use glam::Vec2;

use crate::numbers::{Random, TURN, direction};

/// Half of the arena's width and height. The length of the ship is about 1.
pub(crate) const HALF: Vec2 = Vec2::new(16.0, 10.0);

/// Seconds of a step.
pub(crate) const STEP: f32 = 1.0 / 60.0;

/// The ship's radius, for collisions.
pub(crate) const SHIP_RADIUS: f32 = 0.45;

/// How many forms the rocks have.
pub(crate) const FORMS: u32 = 6;

/// How large a rock is: what is hit falls into two of the next smaller size.
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
    /// Its form and its axis, for pictures.
    pub(crate) look: u32,
    pub(crate) angle: u32,
    /// The angle that it turns in a step; large numbers turn it backwards.
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
    /// Steps until it comes back; 0 if it is there.
    pub(crate) away: u32,
    /// Steps until it can shoot.
    pub(crate) reload: u32,
    /// Steps in which nothing harms it.
    pub(crate) safe: u32,
    /// Steps that its shield lasts.
    pub(crate) shield: u32,
    /// Steps in which it shoots three shots at once.
    pub(crate) triple: u32,
    /// Whether the engine burns: 1 or 0.
    pub(crate) burns: u32,
    /// Where it turns: 1 to the left, -1 to the right.
    pub(crate) turns: i32,
}

impl Ship {
    /// A ship in the middle.
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

    /// Where it points.
    pub(crate) fn forward(&self) -> Vec2 {
        direction(self.heading)
    }
}

/// A shot.
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

/// What a gift does.
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

/// What a wreck may leave: a power for the one who fetches it.
#[derive(Clone, Copy, Debug, NoUninit)]
#[repr(C)]
pub(crate) struct Gift {
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) power: Power,
    pub(crate) life: u32,
}

/// The numbers of a game.
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
    /// Steps in which the next hit of the chain must come.
    pub(crate) chain_left: u32,
    /// Steps until the next wave, while no rocks are left.
    pub(crate) wave_in: u32,
    /// Steps until the next saucer.
    pub(crate) saucer_in: u32,
    /// Steps in which the world stands still: a hit that one can feel.
    pub(crate) freeze: u32,
}

impl Tally {
    /// What the points of a hit are multiplied with: 1 to 5, growing with the chain.
    pub(crate) fn multiplier(&self) -> u32 {
        1 + (self.chain / 6).min(4)
    }
}

/// What happened in a step, for pictures. The simulation does not read it.
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
    /// The shield was.
    ShieldLost { at: Vec2 },
    /// A new ship is there.
    ShipCame { at: Vec2 },
    /// A gift was fetched.
    Fetched { at: Vec2, power: Power },
    /// There are points for what was at this place.
    Points { at: Vec2, points: u32 },
    /// The next wave has come.
    Wave,
    /// There is a life more.
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
    /// The world behind the title: a few rocks, no ship.
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

    /// The world at the start of a game, before its first wave.
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
        // The lengths come first, or a rock could take the place of two shots.
        for length in [self.rocks.len(), self.shots.len(), self.gifts.len()] {
            hash.add(&(length as u32).to_le_bytes());
        }
        hash.add(bytemuck::cast_slice(&self.rocks));
        hash.add(bytemuck::cast_slice(&self.shots));
        hash.add(bytemuck::cast_slice(&self.gifts));
        hash.add(bytemuck::cast_slice(self.saucer.as_slice()));
    }
}

/// FNV-1a of 64 bits.
#[derive(Debug)]
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    /// The hash of nothing.
    pub(crate) const EMPTY: Self = Self(0xCBF2_9CE4_8422_2325);

    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

/// The place in the arena that is the same as one outside: who leaves on one side comes back on the other.
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

/// The shortest way from a place to another, perhaps over an edge.
pub(crate) fn way(from: Vec2, to: Vec2) -> Vec2 {
    wrap(to - from)
}
