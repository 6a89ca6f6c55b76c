//! The rules: how a step changes a world. A step depends only on the world and the buttons. It does not use
//! clocks, hash maps or the standard library's sine, so the result is bit-identical in every build and on
//! every machine.

use glam::Vec2;

use crate::input::Buttons;
use crate::numbers::{TURN, direction};
use crate::world::{
    Event, Gift, HALF, Power, Rock, SHIP_RADIUS, STEP, Saucer, Ship, Shot, Size, Tally, World, way, wrap,
};

pub(crate) const TURN_RATE: u32 = 700;
const THRUST: f32 = 17.0 * STEP;
const DRAG: f32 = 0.988;
const FASTEST: f32 = 13.0;
const SHOT_SPEED: f32 = 25.0;
const SHOT_LIFE: u32 = 44;
const RELOAD: u32 = 10;
const SPREAD: u32 = TURN / 40;
/// Number of steps from the loss of a ship to the arrival of the next ship.
const AWAY: u32 = 100;
const SAFE: u32 = 130;
const SAUCER_RADIUS: f32 = 0.9;
const SAUCER_POINTS: u32 = 300;
const GIFT_RADIUS: f32 = 0.8;
const NOVA_RADIUS: f32 = 7.5;
pub(crate) const CHAIN: u32 = 90;
const BETWEEN_WAVES: u32 = 110;

impl World {
    pub(crate) fn step(&mut self, buttons: Buttons, events: &mut Vec<Event>) {
        if self.tally.freeze > 0 {
            self.tally.freeze -= 1;
            return;
        }
        self.steer(buttons, events);
        self.drift();
        self.step_saucer();
        self.hit_with_shots(events);
        self.hit_ship(events);
        self.fetch_gifts(events);
        self.count(events);
    }

    /// Moves the objects that fly straight: rocks, shots and gifts.
    pub(crate) fn drift(&mut self) {
        for rock in &mut self.rocks {
            rock.position = wrap(rock.position + rock.velocity * STEP);
            rock.angle = rock.angle.wrapping_add(rock.spin) % TURN;
        }
        for shot in &mut self.shots {
            shot.position = wrap(shot.position + shot.velocity * STEP);
            shot.life -= 1;
        }
        for gift in &mut self.gifts {
            gift.position = wrap(gift.position + gift.velocity * STEP);
            gift.life -= 1;
        }
        self.shots.retain(|shot| shot.life > 0);
        self.gifts.retain(|gift| gift.life > 0);
    }

    /// Turns, accelerates and moves the ship, and fires its shots, or waits for the next ship while it is
    /// away.
    fn steer(&mut self, buttons: Buttons, events: &mut Vec<Event>) {
        if self.ship.away > 0 {
            self.call_ship(events);
            return;
        }
        let ship = &mut self.ship;
        ship.turns = i32::from(buttons.has(Buttons::LEFT)) - i32::from(buttons.has(Buttons::RIGHT));
        ship.heading = ship.heading.wrapping_add_signed(ship.turns * TURN_RATE as i32) % TURN;
        ship.burns = u32::from(buttons.has(Buttons::THRUST));
        ship.velocity = ship.velocity * DRAG + ship.forward() * (THRUST * ship.burns as f32);
        let speed = ship.velocity.length();
        if speed > FASTEST {
            ship.velocity *= FASTEST / speed;
        }
        ship.position = wrap(ship.position + ship.velocity * STEP);
        for left in [&mut ship.reload, &mut ship.safe, &mut ship.shield, &mut ship.triple] {
            *left = left.saturating_sub(1);
        }
        if buttons.has(Buttons::FIRE) && ship.reload == 0 {
            ship.reload = RELOAD;
            let ship = *ship;
            self.fire(&ship, events);
        }
    }

    fn fire(&mut self, ship: &Ship, events: &mut Vec<Event>) {
        let aside: &[u32] = if ship.triple > 0 { &[0, SPREAD, TURN - SPREAD] } else { &[0] };
        let position = wrap(ship.position + ship.forward() * 0.8);
        for angle in aside {
            let velocity = direction(ship.heading + angle) * SHOT_SPEED + ship.velocity * 0.5;
            self.shots.push(Shot { position, velocity, life: SHOT_LIFE, hostile: 0 });
        }
        events.push(Event::Fired { at: position, velocity: ship.velocity });
    }

    fn call_ship(&mut self, events: &mut Vec<Event>) {
        self.ship.away -= u32::from(self.tally.lives > 0);
        if self.ship.away == 0 {
            self.ship = Ship::new(SAFE);
            events.push(Event::ShipCame { at: self.ship.position });
        }
    }

    fn step_saucer(&mut self) {
        let Tally { random, wave, saucer_in, .. } = &mut self.tally;
        let Some(saucer) = &mut self.saucer else {
            *saucer_in -= u32::from(!self.rocks.is_empty() && *saucer_in > 0);
            if *saucer_in == 0 {
                *saucer_in = 1300 - (*wave).min(10) * 60 + random.below(300);
                let side = if random.below(2) == 0 { -1.0 } else { 1.0 };
                let position = Vec2::new(side * (HALF.x + 0.9), random.between(-0.7, 0.7) * HALF.y);
                let velocity = Vec2::new(-side * (3.5 + 0.25 * (*wave).min(10) as f32), 0.0);
                self.saucer = Some(Saucer { position, velocity, reload: 80, age: 0 });
            }
            return;
        };
        saucer.age += 1;
        if saucer.age.is_multiple_of(55) {
            saucer.velocity.y = random.between(-3.0, 3.0);
        }
        saucer.position += saucer.velocity * STEP;
        saucer.position.y = wrap(Vec2::new(0.0, saucer.position.y)).y;
        saucer.reload -= 1;
        if saucer.reload == 0 {
            saucer.reload = 90 - (*wave).min(8) * 5;
            let aim = way(saucer.position, self.ship.position);
            // The saucer aims better in later waves, because the divisor of the error grows with the wave's
            // number.
            let error = random.direction() * (aim.length() * 0.4 / (1.0 + 0.2 * *wave as f32));
            let aim = if self.ship.away == 0 { aim + error } else { random.direction() };
            let velocity = aim * (9.0 / aim.length().max(0.1));
            self.shots.push(Shot { position: wrap(saucer.position), velocity, life: 130, hostile: 1 });
        }
        if saucer.position.x.abs() > HALF.x + 1.0 {
            self.saucer = None;
        }
    }

    fn hit_with_shots(&mut self, events: &mut Vec<Event>) {
        let mut n = 0;
        while n < self.shots.len() {
            let shot = self.shots[n];
            let near = |at: Vec2, radius: f32| way(shot.position, at).length() < radius + 0.15;
            let hits = self.rocks.iter().position(|rock| near(rock.position, rock.size.radius()));
            let saucer = self.saucer.filter(|it| shot.hostile == 0 && near(it.position, SAUCER_RADIUS));
            match (hits, saucer) {
                (Some(rock), _) => self.break_rock(rock, shot.hostile == 0, events),
                (None, Some(saucer)) => self.break_saucer(saucer, events),
                (None, None) => {
                    n += 1;
                    continue;
                }
            }
            self.shots.swap_remove(n);
        }
    }

    /// Breaks a rock into two smaller rocks, or destroys it if it is small.
    fn break_rock(&mut self, index: usize, counts: bool, events: &mut Vec<Event>) {
        let rock = self.rocks.swap_remove(index);
        events.push(Event::Broke { at: rock.position, velocity: rock.velocity, size: rock.size });
        if counts {
            self.reward(rock.size.points(), rock.position, events);
        }
        let smaller = match rock.size {
            Size::Large => Size::Medium,
            Size::Medium => Size::Small,
            Size::Small => return,
        };
        self.tally.freeze = self.tally.freeze.max(u32::from(rock.size == Size::Large) * 2);
        let random = &mut self.tally.random;
        let faster = 1.0 + 0.06 * self.tally.wave.min(12) as f32;
        let aside = random.direction();
        for side in [-1.0, 1.0] {
            let push = aside * (side * faster * random.between(1.2, 2.6)) + random.direction() * 0.4;
            let place = wrap(rock.position + aside * (side * smaller.radius() * 0.7));
            self.rocks.push(Rock::new(smaller, place, rock.velocity * 0.8 + push, random));
        }
        if rock.size == Size::Medium && counts && random.below(14) == 0 {
            self.leave_gift(rock.position, rock.velocity);
        }
    }

    fn break_saucer(&mut self, saucer: Saucer, events: &mut Vec<Event>) {
        self.saucer = None;
        self.tally.freeze = 3;
        events.push(Event::SaucerLost { at: saucer.position });
        self.reward(SAUCER_POINTS, saucer.position, events);
        self.leave_gift(wrap(saucer.position), saucer.velocity);
    }

    fn leave_gift(&mut self, position: Vec2, velocity: Vec2) {
        let power = [Power::Shield, Power::Triple, Power::Nova][self.tally.random.below(3) as usize];
        self.gifts.push(Gift { position, velocity: velocity * 0.3, power, life: 900 });
    }

    fn hit_ship(&mut self, events: &mut Vec<Event>) {
        let ship = self.ship;
        if ship.away > 0 || ship.safe > 0 {
            return;
        }
        let near = |at: Vec2, radius: f32| way(ship.position, at).length() < radius + SHIP_RADIUS;
        let shot = self.shots.iter().position(|shot| shot.hostile == 1 && near(shot.position, 0.1));
        let rock = self.rocks.iter().position(|rock| near(rock.position, rock.size.radius() * 0.92));
        let saucer = self.saucer.filter(|saucer| near(saucer.position, SAUCER_RADIUS));
        match (shot, rock, saucer) {
            (Some(shot), ..) => drop(self.shots.swap_remove(shot)),
            (None, Some(rock), _) => self.break_rock(rock, true, events),
            (None, None, Some(saucer)) => self.break_saucer(saucer, events),
            (None, None, None) => return,
        }
        if ship.shield > 0 {
            self.ship.shield = 0;
            self.ship.safe = 60;
            self.tally.freeze = 4;
            events.push(Event::ShieldLost { at: ship.position });
            return;
        }
        self.ship.away = AWAY;
        self.tally.lives -= 1;
        self.tally.chain = 0;
        self.tally.freeze = 12;
        events.push(Event::ShipLost { at: ship.position, velocity: ship.velocity });
    }

    fn fetch_gifts(&mut self, events: &mut Vec<Event>) {
        let ship = self.ship;
        let touches = |gift: &Gift| way(ship.position, gift.position).length() < GIFT_RADIUS + SHIP_RADIUS;
        let Some(n) = self.gifts.iter().position(|gift| ship.away == 0 && touches(gift)) else { return };
        let gift = self.gifts.swap_remove(n);
        events.push(Event::Fetched { at: gift.position, power: gift.power });
        match gift.power {
            Power::Shield => self.ship.shield = 1200,
            Power::Triple => self.ship.triple = 720,
            Power::Nova => {
                // Iterates backwards, because the pieces are appended and must not be hit again.
                for n in (0..self.rocks.len()).rev() {
                    if way(ship.position, self.rocks[n].position).length() < NOVA_RADIUS {
                        self.break_rock(n, true, events);
                    }
                }
                self.shots.retain(|shot| shot.hostile == 0);
                self.tally.freeze = 5;
            }
        }
    }

    /// Adds points, and also a life at 30,000 points and at each doubling of that score.
    fn reward(&mut self, points: u32, at: Vec2, events: &mut Vec<Event>) {
        let tally = &mut self.tally;
        let points = points * tally.multiplier();
        tally.score += points;
        tally.chain += 1;
        tally.chain_left = CHAIN;
        events.push(Event::Points { at, points });
        if tally.score >= tally.next_life {
            tally.next_life *= 2;
            tally.lives += 1;
            events.push(Event::ExtraLife);
        }
    }

    /// Counts down to the end of the chain and to the next wave.
    fn count(&mut self, events: &mut Vec<Event>) {
        let tally = &mut self.tally;
        tally.chain_left = tally.chain_left.saturating_sub(1);
        if tally.chain_left == 0 {
            tally.chain = 0;
        }
        if !self.rocks.is_empty() {
            return;
        }
        tally.wave_in -= 1;
        if tally.wave_in == 0 {
            tally.wave_in = BETWEEN_WAVES;
            tally.wave += 1;
            events.push(Event::Wave);
            self.bring_rocks();
        }
    }

    /// Adds the rocks of a wave along the edges, where later waves have more and faster rocks.
    fn bring_rocks(&mut self) {
        let Tally { random, wave, .. } = &mut self.tally;
        for _ in 0..(3 + *wave).min(10) {
            let along = Vec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0)) * HALF;
            let on_side = random.below(2) == 0;
            let mut place =
                if on_side { Vec2::new(HALF.x - 0.1, along.y) } else { Vec2::new(along.x, HALF.y - 0.1) };
            if way(place, self.ship.position).length() < 5.0 {
                place = wrap(place + HALF);
            }
            let speed = random.between(1.4, 2.6) * (1.0 + 0.08 * (*wave).min(12) as f32);
            self.rocks.push(Rock::new(Size::Large, place, random.direction() * speed, random));
        }
    }
}
