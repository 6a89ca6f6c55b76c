//! The autopilot that generates the recorded input `demo.txt`.
//!
//! It looks ahead: it tries several steering inputs in copies of the world, and chooses the input that keeps
//! the ship alive and scores best. `ONZE_UPDATE_REFERENCES=1 cargo test -p onze-examples --bin asteroids`
//! runs the autopilot again and rewrites `demo.txt`.

use crate::game::{Game, Phase};
use crate::input::Buttons;
use crate::replay::Replay;
use crate::world::{Event, World, way};

const DECISION: u32 = 5;

const HORIZON: u32 = 70;

/// First step at which the autopilot steers into rocks, so that the game ends.
const CRASH: u32 = 2500;

/// Rates a world by the score, the ship's survival, its aim at a target, and the free space around it.
fn worth(world: &World, events: &[Event]) -> f32 {
    let points = world.tally.score as f32;
    let ship = &world.ship;
    let losses =
        events.iter().filter(|event| matches!(event, Event::ShipLost { .. } | Event::ShieldLost { .. }));
    let mut worth = points - 20_000.0 * losses.count() as f32 - 3.0 * ship.velocity.length();
    let mut target = (f32::MAX, 0.0);
    for rock in &world.rocks {
        let away = way(ship.position, rock.position);
        let room = away.length() - rock.size.radius();
        worth -= 400.0 / (1.0 + room.max(0.0) * room.max(0.0));
        if room < target.0 {
            target = (room, away.dot(ship.forward()) / away.length());
        }
    }
    if let Some(gift) = world.gifts.first() {
        worth += 400.0 - 20.0 * way(ship.position, gift.position).length();
    }
    let fetched = events.iter().filter(|event| matches!(event, Event::Fetched { .. })).count();
    worth + 500.0 * fetched as f32 + 40.0 * target.1
}

fn decide(world: &World) -> Buttons {
    let plans = [Buttons::NONE, Buttons::LEFT, Buttons::RIGHT].into_iter().flat_map(|turn| {
        [turn, turn.and(Buttons::THRUST)].into_iter().flat_map(|steer| [5, 15, 30].map(|end| (steer, end)))
    });
    let value = |(steer, end): (Buttons, u32)| {
        let (mut copy, mut events) = (world.clone(), Vec::new());
        for n in 0..HORIZON {
            let steer = if n < end { steer } else { Buttons::NONE };
            copy.step(steer.and(Buttons::FIRE), &mut events);
            if copy.tally.lives == 0 {
                break;
            }
        }
        (worth(&copy, &events), steer)
    };
    let best = plans.map(value).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or(Buttons::FIRE, |(_, steer)| steer.and(Buttons::FIRE))
}

fn crash(world: &World) -> Buttons {
    let to_rocks = world.rocks.iter().map(|rock| way(world.ship.position, rock.position));
    let nearest = to_rocks.min_by(|a, b| a.length().total_cmp(&b.length())).unwrap_or_default();
    let turn = if world.ship.forward().perp_dot(nearest) > 0.0 { Buttons::LEFT } else { Buttons::RIGHT };
    turn.and(Buttons::THRUST)
}

/// Plays a game from the title to the end, including a pause.
pub(crate) fn play() -> (Replay, Game) {
    let (mut game, mut replay, mut buttons) = (Game::new(), Replay::default(), Buttons::NONE);
    let mut after_the_end = 0;
    for step in 0..4800 {
        buttons = match step {
            ..140 => Buttons::NONE,
            140..146 => Buttons::START,
            1000..1004 | 1080..1084 => Buttons::PAUSE,
            1004..1080 => Buttons::NONE,
            _ if game.phase != Phase::Play => Buttons::NONE,
            CRASH.. => crash(&game.world),
            _ if step % DECISION == 0 => decide(&game.world),
            _ => buttons,
        };
        replay.push(buttons);
        game.step(buttons);
        after_the_end += u32::from(game.phase == Phase::Over);
        if after_the_end == 180 {
            break;
        }
    }
    (replay, game)
}
