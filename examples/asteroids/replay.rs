//! Recorded input: the buttons of each step of a game, in a text file.
//!
//! ```text
//! asteroids input 1
//! # A comment. Each other line is a number of steps, and the buttons that are pressed in them.
//! 150 -
//! 4 S
//! 31 LTF
//! ```
//!
//! The first line contains the format's name and version. Each button is a letter: `L` left, `R` right, `T`
//! thrust, `F` fire, `S` start, `P` pause and `B` back, while `-` means that no button is pressed. Empty
//! lines and lines that begin with `#` are skipped.

use crate::input::Buttons;

/// The built-in file: about a minute of play by the autopilot.
pub(crate) const DEMO: &str = include_str!("demo.txt");

const HEADER: &str = "asteroids input 1";

#[derive(Debug, thiserror::Error, PartialEq)]
pub(crate) enum ReplayError {
    #[error("line 1: expected `{HEADER}`, found `{0}`")]
    Header(String),
    #[error(
        "line {line}: expected a number of steps and the buttons, as in `31 LTF` or `150 -`, found `{found}`"
    )]
    Line { line: usize, found: String },
    #[error("line {line}: expected a number of steps from 1 to {}, found `{found}`", u32::MAX)]
    Steps { line: usize, found: String },
    #[error(
        "line {line}: `{found}` is no button; expected `-`, or some of \
         L (left), R (right), T (thrust), F (fire), S (start), P (pause) and B (back)"
    )]
    Button { line: usize, found: char },
}

/// Recorded input, as runs of steps with the same buttons.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Replay {
    runs: Vec<(u32, Buttons)>,
}

impl Replay {
    /// Parses a file.
    ///
    /// # Errors
    /// Returns an error that contains the number of the first invalid line and the expected contents.
    pub(crate) fn parse(text: &str) -> Result<Self, ReplayError> {
        let mut lines = text.lines().map(str::trim).enumerate();
        let header = lines.next().map_or("", |(_, line)| line);
        if header != HEADER {
            return Err(ReplayError::Header(header.chars().take(60).collect()));
        }
        let mut runs = Vec::new();
        for (n, text) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let line = n + 1;
            let words: Vec<&str> = text.split_whitespace().collect();
            let &[steps, buttons] = words.as_slice() else {
                return Err(ReplayError::Line { line, found: text.chars().take(60).collect() });
            };
            let steps = match steps.parse() {
                Ok(steps @ 1..) => steps,
                _ => return Err(ReplayError::Steps { line, found: steps.to_owned() }),
            };
            let buttons = Buttons::parse(buttons).map_err(|found| ReplayError::Button { line, found })?;
            runs.push((steps, buttons));
        }
        Ok(Self { runs })
    }

    pub(crate) fn push(&mut self, buttons: Buttons) {
        match self.runs.last_mut() {
            Some((steps, last)) if *last == buttons && *steps < u32::MAX => *steps += 1,
            _ => self.runs.push((1, buttons)),
        }
    }

    /// Returns the recorded input as the contents of a file, where `comment` must be a single line.
    pub(crate) fn to_text(&self, comment: &str) -> String {
        let lines = self.runs.iter().map(|(steps, buttons)| format!("{steps} {buttons}\n"));
        format!("{HEADER}\n# {comment}\n{}", lines.collect::<String>())
    }

    pub(crate) fn len(&self) -> u32 {
        self.runs.iter().fold(0, |sum, (steps, _)| sum.saturating_add(*steps))
    }

    pub(crate) fn into_steps(self) -> impl Iterator<Item = Buttons> {
        self.runs.into_iter().flat_map(|(steps, buttons)| std::iter::repeat_n(buttons, steps as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let mut replay = Replay::default();
        let (some, none) = (Buttons::LEFT.and(Buttons::FIRE), Buttons::NONE);
        [none, none, some, some, some, none, Buttons::BACK].into_iter().for_each(|step| replay.push(step));
        let text = replay.to_text("a comment");
        assert_eq!(text, "asteroids input 1\n# a comment\n2 -\n3 LF\n1 -\n1 B\n");
        assert_eq!(Replay::parse(&text).unwrap(), replay);
        assert_eq!(replay.len(), 7);
        assert_eq!(replay.into_steps().nth(4), Some(some));
        assert_eq!(Replay::parse("asteroids input 1\r\n\r\n  # x\r\n 2  FL \r\n").unwrap().len(), 2);
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        for (text, expected) in [
            ("", "line 1: expected `asteroids input 1`, found ``"),
            ("asteroids input 2\n", "line 1: expected `asteroids input 1`, found `asteroids input 2`"),
            ("asteroids input 1\n\n5\n", "line 3: expected a number of steps and the buttons, as in"),
            ("asteroids input 1\n5 L R\n", "found `5 L R`"),
            (
                "asteroids input 1\n0 L\n",
                "line 2: expected a number of steps from 1 to 4294967295, found `0`",
            ),
            ("asteroids input 1\n-1 L\n", "found `-1`"),
            ("asteroids input 1\n5 LX\n", "line 2: `X` is no button; expected `-`, or some of L (left)"),
        ] {
            let error = Replay::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
