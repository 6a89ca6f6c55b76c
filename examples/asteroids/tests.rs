//! Tests the rules of the simulation, and checks that the recorded input leads to the same state everywhere.

use glam::Vec2;

use crate::bot;
use crate::game::{Game, Phase};
use crate::input::Buttons;
use crate::numbers::Random;
use crate::replay::{DEMO, Replay};
use crate::world::{Event, Gift, HALF, Power, Rock, Shot, Size, World, way, wrap};

/// Plays the demo, and yields the game after each step, together with the step's events.
fn demo() -> impl Iterator<Item = (Game, Vec<Event>)> {
    let mut game = Game::new();
    Replay::parse(DEMO).unwrap().into_steps().map(move |buttons| {
        let events = game.step(buttons);
        (game.clone(), events)
    })
}

/// Creates a world with a vulnerable ship in the middle and some motionless rocks.
fn world(rocks: &[(Size, f32)]) -> World {
    let mut world = World::new(Random(1));
    world.ship.safe = 0;
    let rock = |(size, x): &(Size, f32)| Rock::new(*size, Vec2::new(*x, 0.0), Vec2::ZERO, &mut Random(2));
    world.rocks = rocks.iter().map(rock).collect();
    world
}

/// Puts a shot at a position, and runs the step in which it hits.
fn shoot(world: &mut World, x: f32) -> Vec<Event> {
    let mut events = Vec::new();
    world.tally.freeze = 0;
    world.shots.push(Shot { position: Vec2::new(x, 0.0), velocity: Vec2::ZERO, life: 9, hostile: 0 });
    world.step(Buttons::NONE, &mut events);
    events
}

fn press(game: &mut Game, buttons: Buttons) {
    game.step(buttons);
    game.step(Buttons::NONE);
}

#[test]
fn the_demo_ends_in_the_state_that_its_file_names() {
    if std::env::var_os("ONZE_UPDATE_REFERENCES").is_some() {
        let (replay, game) = bot::play();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/asteroids/demo.txt");
        std::fs::write(path, replay.to_text(&game.summary())).unwrap();
        println!("{path}: {} steps, {}", replay.len(), game.summary());
        return;
    }
    let (game, _) = demo().last().unwrap();
    assert_eq!(DEMO.lines().nth(1).unwrap(), format!("# {}", game.summary()));
}

#[test]
fn the_autopilot_plays_the_demo_again() {
    if std::env::var_os("ONZE_UPDATE_REFERENCES").is_none() {
        assert_eq!(bot::play().0, Replay::parse(DEMO).unwrap());
    }
}

#[test]
fn two_replays_are_equal_in_each_step() {
    assert!(demo().zip(demo()).all(|(a, b)| a.0.hash() == b.0.hash() && a.1 == b.1));
}

#[test]
fn the_demo_shows_all_that_a_game_has() {
    let games: Vec<(Game, Vec<Event>)> = demo().collect();
    let mut phases: Vec<Phase> = games.iter().map(|(game, _)| game.phase).collect();
    phases.dedup();
    assert_eq!(phases, [Phase::Title, Phase::Play, Phase::Paused, Phase::Play, Phase::Over]);
    let has = |test: fn(&Event) -> bool| games.iter().any(|(_, events)| events.iter().any(test));
    assert!(has(|event| matches!(event, Event::ShipLost { .. })), "no ship is lost");
    assert!(has(|event| matches!(event, Event::SaucerLost { .. })), "no saucer is lost");
    assert!(has(|event| matches!(event, Event::Fetched { .. })), "no gift is fetched");
    let last = &games.last().unwrap().0.world.tally;
    assert!(last.wave >= 3 && last.score > 5000, "{last:?}");
    assert!((3000..4500).contains(&games.len()), "{} steps", games.len());
}

#[test]
fn the_simulation_has_no_number_that_differs_between_machines() {
    let sources = [
        include_str!("numbers.rs"),
        include_str!("world.rs"),
        include_str!("rules.rs"),
        include_str!("game.rs"),
        include_str!("input.rs"),
    ];
    let words = [
        "sin(",
        "cos(",
        "tan(",
        "sin_cos(",
        "asin(",
        "acos(",
        "atan",
        "exp(",
        "exp2(",
        "ln(",
        ".log",
        "powf(",
        "powi(",
        "hypot",
        "cbrt",
        "mul_add",
        "from_angle",
        "to_angle",
        "rotate",
        "HashMap",
        "HashSet",
        "Instant",
        "usize::MAX",
    ];
    for source in sources {
        let program = source.split("#[cfg(test)]").next().unwrap();
        let code = program.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let found = words.iter().find(|word| line.contains(**word));
            assert!(found.is_none(), "{found:?}: {line}");
        }
    }
}

#[test]
fn a_rock_falls_into_two_of_the_next_smaller_size() {
    let mut world = world(&[(Size::Large, 8.0)]);
    let events = shoot(&mut world, 8.0);
    assert_eq!(events[0], Event::Broke { at: Vec2::new(8.0, 0.0), velocity: Vec2::ZERO, size: Size::Large });
    assert_eq!(world.rocks.iter().map(|rock| rock.size).collect::<Vec<_>>(), [Size::Medium; 2]);
    assert_eq!(world.tally.score, 20);
    assert!(world.rocks[0].velocity.dot(world.rocks[1].velocity) < 0.0, "they fly apart");
    let x = world.rocks[0].position.x;
    world.rocks.truncate(1);
    world.rocks[0].position.y = 0.0;
    world.rocks[0].velocity = Vec2::ZERO;
    shoot(&mut world, x);
    assert_eq!(world.rocks.iter().map(|rock| rock.size).collect::<Vec<_>>(), [Size::Small; 2]);
    assert_eq!(world.tally.score, 70);
}

#[test]
fn a_small_rock_is_gone_and_then_the_next_wave_comes() {
    let mut world = world(&[(Size::Small, 8.0)]);
    world.tally.wave_in = 30;
    shoot(&mut world, 8.0);
    assert!(world.rocks.is_empty());
    let mut events = Vec::new();
    let waves = (0..29).map(|_| {
        world.step(Buttons::NONE, &mut events);
        world.rocks.len()
    });
    assert_eq!(waves.last(), Some(4));
    assert_eq!(world.tally.wave, 1);
    assert!(events.contains(&Event::Wave));
    assert!(world.rocks.iter().all(|rock| way(rock.position, world.ship.position).length() > 4.0));
}

#[test]
fn a_wave_has_more_rocks_than_the_one_before() {
    let mut world = world(&[]);
    let mut counts = Vec::new();
    for _ in 0..9 {
        world.rocks.clear();
        (world.tally.wave_in, world.tally.freeze) = (1, 0);
        world.step(Buttons::NONE, &mut Vec::new());
        counts.push(world.rocks.len());
    }
    assert_eq!(counts, [4, 5, 6, 7, 8, 9, 10, 10, 10]);
}

#[test]
fn a_crash_costs_the_shield_or_a_life_and_the_next_ship_is_safe() {
    let mut world = world(&[(Size::Small, 0.0), (Size::Large, 10.0)]);
    world.ship.shield = 100;
    let mut events = Vec::new();
    world.step(Buttons::NONE, &mut events);
    assert!(events.contains(&Event::ShieldLost { at: Vec2::ZERO }));
    assert_eq!((world.tally.lives, world.ship.shield, world.ship.away), (3, 0, 0));
    let rock = Rock { position: Vec2::ZERO, velocity: Vec2::ZERO, ..world.rocks[0] };
    world.rocks.push(rock);
    for _ in 0..300 {
        world.step(Buttons::NONE, &mut events);
    }
    let lost = events.iter().filter(|event| matches!(event, Event::ShipLost { .. })).count();
    assert_eq!((lost, world.tally.lives), (1, 2));
    assert!(events.contains(&Event::ShipCame { at: Vec2::ZERO }));
}

#[test]
fn a_nova_hits_each_rock_near_the_ship_once() {
    let mut world = world(&[(Size::Large, 4.0), (Size::Medium, -3.0), (Size::Large, 12.0)]);
    let (position, velocity) = (Vec2::ZERO, Vec2::ZERO);
    world.gifts.push(Gift { position, velocity, power: Power::Nova, life: 10 });
    world.step(Buttons::NONE, &mut Vec::new());
    let count = |size| world.rocks.iter().filter(|rock| rock.size == size).count();
    assert_eq!([Size::Large, Size::Medium, Size::Small].map(count), [1, 2, 2]);
    assert_eq!(world.tally.score, 70);
}

#[test]
fn hits_in_a_row_count_more() {
    let rocks: Vec<(Size, f32)> = (0..7).map(|_| (Size::Small, 8.0)).collect();
    let mut world = world(&rocks);
    for _ in 0..7 {
        shoot(&mut world, 8.0);
    }
    assert_eq!(world.tally.score, 6 * 100 + 200);
    world.rocks = vec![Rock::new(Size::Large, HALF, Vec2::ZERO, &mut Random(3))];
    for _ in 0..200 {
        world.step(Buttons::NONE, &mut Vec::new());
    }
    assert_eq!(world.tally.multiplier(), 1);
}

#[test]
fn a_pause_changes_nothing_in_the_world() {
    let mut game = Game::new();
    press(&mut game, Buttons::START);
    (0..100).for_each(|_| drop(game.step(Buttons::THRUST)));
    let before = game.clone();
    press(&mut game, Buttons::PAUSE);
    assert_eq!(game.phase, Phase::Paused);
    (0..50).for_each(|_| drop(game.step(Buttons::THRUST.and(Buttons::LEFT))));
    assert_eq!(game.world.ship.position, before.world.ship.position);
    assert_eq!(game.world.rocks[0].position, before.world.rocks[0].position);
    game.step(Buttons::PAUSE);
    assert_eq!(game.phase, Phase::Play);
    // A button that is still held does not pause the game again.
    game.step(Buttons::PAUSE);
    assert_eq!(game.phase, Phase::Play);
}

#[test]
fn escape_leads_from_the_game_to_the_pause_and_to_the_title() {
    let mut game = Game::new();
    press(&mut game, Buttons::FIRE);
    assert_eq!(game.phase, Phase::Play);
    press(&mut game, Buttons::BACK);
    assert_eq!(game.phase, Phase::Paused);
    press(&mut game, Buttons::BACK);
    assert_eq!(game.phase, Phase::Title);
}

#[test]
fn opposite_edges_of_the_arena_meet() {
    assert_eq!(wrap(Vec2::new(HALF.x + 1.0, -HALF.y - 2.0)), Vec2::new(1.0 - HALF.x, HALF.y - 2.0));
    assert_eq!(wrap(Vec2::new(3.0, 4.0)), Vec2::new(3.0, 4.0));
    assert_eq!(way(Vec2::new(HALF.x - 1.0, 0.0), Vec2::new(1.0 - HALF.x, 0.0)), Vec2::new(2.0, 0.0));
}
