//! A session: the game and the source of its buttons, which is the keyboard, a file, or the demo. The demo
//! starts if no key is pressed on the title screen for some time.

use onze_winit::{Frame, winit::keyboard::KeyCode};

use crate::effects::Effects;
use crate::game::{Game, Phase};
use crate::input::Buttons;
use crate::render::View;
use crate::replay::{DEMO, Replay};
use crate::score;
use crate::world::STEP;

/// Number of steps without a key on the title screen before the demo starts.
const PATIENCE: u32 = 20 * 60;

/// Maximum number of steps per frame, so that a program that was suspended continues close to where it
/// stopped.
const MOST_STEPS: f32 = 6.0;

enum Source {
    Keys,
    /// Recorded input from a file, one step per frame until the input ends.
    File(Box<dyn Iterator<Item = Buttons>>),
    Demo(Box<dyn Iterator<Item = Buttons>>),
}

pub(crate) struct Session {
    pub(crate) game: Game,
    effects: Effects,
    source: Source,
    recording: Option<Replay>,
    high_score: u32,
    is_new: bool,
    pressed: Buttons,
    /// Number of steps that are due. Whole steps run in the current frame, and the fraction is kept for the
    /// next frame.
    due: f32,
    idle: u32,
}

impl Session {
    /// Creates a session that plays recorded input, or reads the keyboard if `input` is `None`.
    pub(crate) fn new(input: Option<Replay>, records: bool, high_score: u32) -> Self {
        Self {
            game: Game::new(),
            effects: Effects::new(),
            source: input.map_or(Source::Keys, |replay| Source::File(Box::new(replay.into_steps()))),
            recording: records.then(Replay::default),
            high_score,
            is_new: false,
            pressed: Buttons::NONE,
            due: 0.0,
            idle: 0,
        }
    }

    /// Runs the steps that are due in a frame, and returns whether the program continues.
    pub(crate) fn advance(&mut self, frame: &Frame<'_>) -> bool {
        let keys = Buttons::of(frame.input);
        let leaves = frame.input.key_pressed(KeyCode::Escape);
        match &mut self.source {
            Source::File(steps) => {
                if let Some(buttons) = steps.next() {
                    self.step(buttons);
                }
                return !leaves;
            }
            Source::Demo(_) if keys != Buttons::NONE => self.show_title(),
            _ if leaves && self.game.phase == Phase::Title => return false,
            _ => {}
        }
        self.pressed = self.pressed.and(keys);
        // Round frame times that are close to whole steps, so that a display of about 60 Hz shows exactly one
        // step per frame.
        let steps = frame.delta / STEP;
        self.due += if (steps - steps.round()).abs() < 0.05 { steps.round() } else { steps };
        self.due = self.due.min(MOST_STEPS);
        while self.due >= 1.0 {
            self.due -= 1.0;
            self.timed_step(keys);
        }
        true
    }

    /// Runs a step with the buttons of the keyboard or the demo.
    fn timed_step(&mut self, keys: Buttons) {
        let buttons = match &mut self.source {
            Source::Demo(steps) => steps.next(),
            _ => Some(std::mem::replace(&mut self.pressed, keys)),
        };
        let Some(buttons) = buttons else { return self.show_title() };
        if let Some(recording) = &mut self.recording {
            recording.push(buttons);
        }
        self.step(buttons);
        if matches!(self.source, Source::Demo(_)) {
            return;
        }
        self.keep_score();
        let waits = self.game.phase == Phase::Title && buttons == Buttons::NONE;
        self.idle = if waits { self.idle + 1 } else { 0 };
        // The demo must not start during a recording, because a recording is one game.
        if self.idle > PATIENCE && self.recording.is_none() {
            self.begin_demo();
        }
    }

    fn step(&mut self, buttons: Buttons) {
        let events = self.game.step(buttons);
        self.effects.step(&self.game, &events);
    }

    fn begin_demo(&mut self) {
        // The file is embedded in the program, and a test parses it, so it cannot be invalid.
        let Ok(replay) = Replay::parse(DEMO) else { return };
        (self.game, self.effects) = (Game::new(), Effects::new());
        self.source = Source::Demo(Box::new(replay.into_steps()));
    }

    /// Ends the demo and returns to the title screen.
    fn show_title(&mut self) {
        (self.game, self.effects) = (Game::new(), Effects::new());
        (self.source, self.idle) = (Source::Keys, 0);
    }

    fn keep_score(&mut self) {
        let score = self.game.world.tally.score;
        if score > self.high_score {
            (self.high_score, self.is_new) = (score, true);
        }
        if !matches!(self.game.phase, Phase::Play | Phase::Paused) {
            self.save();
        }
    }

    pub(crate) fn save(&mut self) {
        if std::mem::take(&mut self.is_new) {
            score::save(self.high_score);
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn recorded(&self) -> Option<String> {
        Some(self.recording.as_ref()?.to_text(&self.game.summary()))
    }

    pub(crate) fn view(&self) -> View<'_> {
        let is_demo = !matches!(self.source, Source::Keys);
        let stands = self.game.phase == Phase::Paused || self.game.world.tally.freeze > 0;
        let ahead = if stands { 0.0 } else { self.due };
        View { game: &self.game, effects: &self.effects, ahead, high_score: self.high_score, is_demo }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_without_keys_shows_the_demo_and_then_the_title_again() {
        let mut session = Session::new(None, false, 0);
        (0..=PATIENCE).for_each(|_| session.timed_step(Buttons::NONE));
        assert!(session.view().is_demo);
        let steps = Replay::parse(DEMO).unwrap().len();
        (0..steps).for_each(|_| session.timed_step(Buttons::NONE));
        assert!(session.view().is_demo && session.game.phase == Phase::Over);
        session.timed_step(Buttons::NONE);
        assert!(!session.view().is_demo && session.game.phase == Phase::Title);
        assert_eq!(session.high_score, 0, "the demo is no game of the player");
    }

    #[test]
    fn a_recording_replays_the_played_game() {
        let mut session = Session::new(None, true, 0);
        let keys = [Buttons::START, Buttons::NONE, Buttons::LEFT.and(Buttons::THRUST), Buttons::FIRE];
        for n in 0..400 {
            session.pressed = keys[n / 100];
            session.timed_step(keys[n / 100]);
        }
        let replay = Replay::parse(&session.recorded().unwrap()).unwrap();
        let mut game = Game::new();
        replay.into_steps().for_each(|buttons| drop(game.step(buttons)));
        assert_eq!(game.summary(), session.game.summary());
    }
}
