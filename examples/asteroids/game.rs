//! The state of a game from its title to its end, advancing in steps of a sixtieth of a second.

use crate::input::Buttons;
use crate::world::{Event, Hash, World};

/// Initial seed of the random numbers, advanced by each step on the title screen so that games differ by
/// their start time.
const SEED: u32 = 0x0A57_E201;

/// Number of steps after the end of a game during which no button starts a new game, because the player may
/// still be pressing the fire button.
const END: u32 = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::NoUninit)]
#[repr(u32)]
pub(crate) enum Phase {
    Title,
    Play,
    Paused,
    Over,
}

/// The whole state of the simulation, which depends only on the buttons of all steps so far.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) phase: Phase,
    pub(crate) steps: u32,
    /// The buttons of the last step, used to detect new presses.
    held: Buttons,
    pub(crate) world: World,
}

impl Game {
    pub(crate) fn new() -> Self {
        Self { phase: Phase::Title, steps: 0, held: Buttons::NONE, world: World::title(SEED) }
    }

    pub(crate) fn step(&mut self, buttons: Buttons) -> Vec<Event> {
        let pressed = buttons.without(self.held);
        self.held = buttons;
        self.steps = self.steps.saturating_add(1);
        let mut events = Vec::new();
        match self.phase {
            Phase::Title => {
                self.world.drift();
                self.world.tally.random.bits();
                if pressed.has(Buttons::START.and(Buttons::FIRE)) {
                    self.start();
                }
            }
            Phase::Play if pressed.has(Buttons::PAUSE.and(Buttons::BACK)) => self.enter(Phase::Paused),
            Phase::Play => {
                self.world.step(buttons, &mut events);
                if self.world.tally.lives == 0 {
                    self.enter(Phase::Over);
                }
            }
            Phase::Paused if pressed.has(Buttons::BACK) => self.show_title(),
            Phase::Paused => {
                if pressed.has(Buttons::PAUSE.and(Buttons::START).and(Buttons::FIRE)) {
                    self.enter(Phase::Play);
                }
            }
            Phase::Over => {
                self.world.step(Buttons::NONE, &mut events);
                if pressed.has(Buttons::BACK) {
                    self.show_title();
                } else if self.steps > END && pressed.has(Buttons::START.and(Buttons::FIRE)) {
                    self.start();
                }
            }
        }
        events
    }

    /// Hashes the whole state, so that equal states have equal hashes in every build and on every machine.
    pub(crate) fn hash(&self) -> u64 {
        let mut hash = Hash::EMPTY;
        hash.add(bytemuck::bytes_of(&self.phase));
        hash.add(&self.steps.to_le_bytes());
        hash.add(bytemuck::bytes_of(&self.held));
        self.world.hash(&mut hash);
        hash.0
    }

    /// Returns the summary that `--input` prints at the end.
    pub(crate) fn summary(&self) -> String {
        let tally = &self.world.tally;
        format!("state {:016x} score {} wave {} lives {}", self.hash(), tally.score, tally.wave, tally.lives)
    }

    fn enter(&mut self, phase: Phase) {
        (self.phase, self.steps) = (phase, 0);
    }

    fn start(&mut self) {
        self.world = World::new(self.world.tally.random);
        self.enter(Phase::Play);
    }

    fn show_title(&mut self) {
        self.world = World::title(self.world.tally.random.0);
        self.enter(Phase::Title);
    }
}
