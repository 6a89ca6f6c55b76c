//! Reads a line of a test from left to right, with numbers in the syntax of C's `strtol` and `strtod`.

use super::ParseError;

#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    line: u32,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the beginning of a line, without the comment after `%`.
    pub(super) fn new(text: &'a str, line: u32) -> Cursor<'a> {
        let text = text.split('%').next().unwrap_or_default();
        Cursor { rest: text.trim(), line }
    }

    pub(super) fn line(&self) -> u32 {
        self.line
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, message: format!("{} at '{}'", message.into(), self.rest) }
    }

    /// Consumes `word` if it is next and ends there, and returns whether it was consumed.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(word) else { return false };
        if !rest.is_empty() && !rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '(' | ']')) {
            return false;
        }
        self.rest = rest.trim_start();
        true
    }

    pub(super) fn one_of<T: Copy>(&mut self, what: &str, words: &[(&str, T)]) -> Result<T, ParseError> {
        let found = words.iter().find(|(word, _)| self.word(word)).map(|(_, value)| *value);
        found.ok_or_else(|| self.error(format!("unknown {what}")))
    }

    /// Consumes `symbol` if it is next, even if other characters follow directly, and returns whether it was
    /// consumed.
    pub(super) fn symbol(&mut self, symbol: &str) -> bool {
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.error(format!("expected '{symbol}'"))) }
    }

    pub(super) fn name(&mut self) -> &'a str {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        name
    }

    /// Parses a decimal, octal or hexadecimal integer with an optional sign.
    pub(super) fn integer(&mut self) -> Option<i128> {
        let (negative, digits) = match self.rest.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.rest.strip_prefix('+').unwrap_or(self.rest)),
        };
        let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => (16, digits),
            None if digits.starts_with('0') => (8, digits),
            None => (10, digits),
        };
        let length = digits.bytes().take_while(|byte| (*byte as char).is_digit(radix)).count();
        let value = i128::from_str_radix(&digits[..length], radix).ok()?;
        self.rest = digits[length..].trim_start();
        Some(if negative { -value } else { value })
    }

    pub(super) fn number<T: TryFrom<i128>>(&mut self) -> Result<T, ParseError> {
        let mut ahead = *self;
        let value = ahead.integer().and_then(|value| T::try_from(value).ok());
        let value = value.ok_or_else(|| self.error("expected an integer in range"))?;
        *self = ahead;
        Ok(value)
    }

    pub(super) fn float(&mut self) -> Result<f64, ParseError> {
        let end =
            self.rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ')')).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        let value = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16).ok().map(|value| value as f64),
            None => text.parse().ok(),
        };
        let value = value.ok_or_else(|| self.error("expected a number"))?;
        self.rest = rest.trim_start();
        Ok(value)
    }

    /// Parses a number to 32 bits: a number with a decimal point becomes a `float`, any other number an
    /// integer, and anything else `None`.
    pub(super) fn word32(&mut self) -> Option<u32> {
        let mut ahead = *self;
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        if self.rest[..end].contains('.') {
            let value = ahead.float().ok()?;
            *self = ahead;
            return Some((value as f32).to_bits());
        }
        let value = ahead.integer()?;
        *self = ahead;
        Some(value as u32)
    }
}
