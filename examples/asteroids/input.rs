//! The player's input: seven buttons, whose state is the only input of the simulation.

use onze_winit::WinitInputHelper;
use onze_winit::winit::keyboard::KeyCode;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::NoUninit)]
#[repr(transparent)]
pub(crate) struct Buttons(u32);

/// For each button, its letter in a file and the keys that press it.
const KEYS: [(char, Buttons, &[KeyCode]); 7] = [
    ('L', Buttons::LEFT, &[KeyCode::ArrowLeft, KeyCode::KeyA]),
    ('R', Buttons::RIGHT, &[KeyCode::ArrowRight, KeyCode::KeyD]),
    ('T', Buttons::THRUST, &[KeyCode::ArrowUp, KeyCode::KeyW]),
    ('F', Buttons::FIRE, &[KeyCode::Space]),
    ('S', Buttons::START, &[KeyCode::Enter, KeyCode::NumpadEnter]),
    ('P', Buttons::PAUSE, &[KeyCode::KeyP]),
    ('B', Buttons::BACK, &[KeyCode::Escape]),
];

impl Buttons {
    pub(crate) const LEFT: Self = Self(1);
    pub(crate) const RIGHT: Self = Self(2);
    pub(crate) const THRUST: Self = Self(4);
    pub(crate) const FIRE: Self = Self(8);
    pub(crate) const START: Self = Self(16);
    pub(crate) const PAUSE: Self = Self(32);
    /// Pauses a game, returns from a paused game to the title, and ends the program on the title.
    pub(crate) const BACK: Self = Self(64);
    pub(crate) const NONE: Self = Self(0);

    /// Returns the buttons that are held or were pressed since the last frame, even if they were released
    /// again.
    pub(crate) fn of(input: &WinitInputHelper) -> Self {
        let is_down = |key: &KeyCode| input.key_held(*key) || input.key_pressed(*key);
        let down = KEYS.iter().filter(|key| key.2.iter().any(is_down));
        let all = down.fold(Self::NONE, |all, key| all.and(key.1));
        // Alt+Enter toggles full screen, so Enter does not start a game while Alt is held.
        if input.held_alt() { all.without(Self::START) } else { all }
    }

    pub(crate) const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub(crate) const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(crate) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Parses the buttons in a line of a file: letters in any order, or `-` for none.
    ///
    /// # Errors
    /// Returns the first character that is not the letter of a button.
    pub(crate) fn parse(text: &str) -> Result<Self, char> {
        if text == "-" {
            return Ok(Self::NONE);
        }
        let button = |letter: char| KEYS.iter().find(|key| key.0 == letter).map(|key| key.1).ok_or(letter);
        text.chars().try_fold(Self::NONE, |all, letter| Ok(all.and(button(letter)?)))
    }
}

impl std::fmt::Display for Buttons {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Self::NONE {
            return f.write_str("-");
        }
        KEYS.iter().filter(|key| self.has(key.1)).try_for_each(|key| write!(f, "{}", key.0))
    }
}
