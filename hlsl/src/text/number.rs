use std::fmt;

use crate::session::code::Code;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// A number without a point or an exponent, such as `1`, `017` or `0x1Fu`.
    Int {
        /// The full value, although FXC keeps only the lower 32 bits (see [`truncation`]).
        value: u64,
        unsigned: bool,
    },
    /// A number with a point, an exponent or the suffix of a float: `1.5h`, `1e5`, `1f`, `1.#INF`.
    Float {
        /// The value with the precision of a `double`, regardless of the suffix.
        value: f64,
        suffix: FloatSuffix,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatSuffix {
    /// No suffix, so the type depends on the use of the number.
    None,
    Half,
    Float,
    Double,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberError {
    OctalDigit,
    TooLarge,
    Malformed,
}

impl fmt::Display for NumberError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            NumberError::OctalDigit => "a number that begins with 0 is octal and has digits from 0 to 7",
            NumberError::TooLarge => "the number needs more than 64 bits",
            NumberError::Malformed => "this is not a number",
        })
    }
}

const NOT_FINITE: [(&str, f64); 4] =
    [("#INF", f64::INFINITY), ("#IND", f64::NAN), ("#QNAN", f64::NAN), ("#SNAN", f64::NAN)];

pub(crate) fn begins_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b'\'')
}

/// Returns the length in bytes of the number at the beginning of a text, or 0 if there is none.
///
/// A point between a digit and a name does not belong to the number, so `1.xxx` is the swizzle `xxx` of `1`.
/// A character in single quotes, such as `'A'` or `'\n'`, counts as a number.
pub(crate) fn number_length(text: &[u8]) -> usize {
    if let Some((length, _)) = character(text) {
        return length;
    }
    let hexadecimal = matches!(text, [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit());
    if hexadecimal {
        let digits = 2 + count(&text[2..], u8::is_ascii_hexdigit);
        return digits + suffix_length(&text[digits..], b"uUlL", 2);
    }
    let whole = count(text, u8::is_ascii_digit);
    if text.get(whole) == Some(&b'.') {
        let fraction = count(&text[whole + 1..], u8::is_ascii_digit);
        let point = whole + 1 + fraction;
        if whole > 0 && fraction == 0 {
            let rest = &text[point..];
            if let Some((name, _)) = NOT_FINITE.iter().find(|(name, _)| rest.starts_with(name.as_bytes())) {
                return point + name.len();
            }
        }
        if whole + fraction > 0 {
            let end = float_end(text, point);
            if fraction > 0 || !text.get(end).is_some_and(|byte| is_name(*byte)) {
                return end;
            }
        }
    }
    if whole == 0 {
        return 0;
    }
    match float_end(text, whole) {
        end if end > whole && !text[whole..end].iter().all(|byte| matches!(byte, b'l' | b'L')) => end,
        _ => whole + suffix_length(&text[whole..], b"uUlL", 2),
    }
}

fn float_end(text: &[u8], at: usize) -> usize {
    let at = at + exponent_length(&text[at..]);
    at + suffix_length(&text[at..], b"hHfFlL", 1)
}

fn exponent_length(text: &[u8]) -> usize {
    if !matches!(text.first(), Some(b'e' | b'E')) {
        return 0;
    }
    let sign = usize::from(matches!(text.get(1), Some(b'+' | b'-')));
    match count(&text[1 + sign..], u8::is_ascii_digit) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

/// Returns the number of letters in a suffix, or 0 if other name characters follow it.
fn suffix_length(text: &[u8], letters: &[u8], most: usize) -> usize {
    let length = count(text, |byte| letters.contains(byte));
    let ends = !text.get(length).is_some_and(|byte| is_name(*byte));
    if length <= most && ends { length } else { 0 }
}

fn count(text: &[u8], accepts: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| accepts(byte)).count()
}

pub(crate) fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

pub(crate) fn parse_number(text: &str) -> Result<Number, NumberError> {
    if text.is_empty() || number_length(text.as_bytes()) != text.len() {
        return Err(NumberError::Malformed);
    }
    if let Some((_, value)) = character(text.as_bytes()) {
        return Ok(Number::Int { value: value.into(), unsigned: false });
    }
    if let Some((_, value)) = NOT_FINITE.iter().find(|(name, _)| text.ends_with(name)) {
        return Ok(Number::Float { value: *value, suffix: FloatSuffix::None });
    }
    let Integer { digits, radix, unsigned } = integer(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) || radix == 16 {
        let mut value = 0u64;
        for digit in digits.chars() {
            let digit = digit.to_digit(radix).ok_or(NumberError::OctalDigit)?;
            value = value
                .checked_mul(u64::from(radix))
                .and_then(|value| value.checked_add(u64::from(digit)))
                .ok_or(NumberError::TooLarge)?;
        }
        return Ok(Number::Int { value, unsigned });
    }
    let (digits, suffix) = match text.as_bytes().last() {
        Some(b'h' | b'H') => (&text[..text.len() - 1], FloatSuffix::Half),
        Some(b'f' | b'F') => (&text[..text.len() - 1], FloatSuffix::Float),
        Some(b'l' | b'L') => (&text[..text.len() - 1], FloatSuffix::Double),
        _ => (text, FloatSuffix::None),
    };
    let value = digits.parse().map_err(|_| NumberError::Malformed)?;
    Ok(Number::Float { value, suffix })
}

/// Returns the lower 32 bits of an integer in `#if`, or `None` if the token is a float.
pub(crate) fn parse_directive_integer(text: &str) -> Option<u32> {
    if let Some((_, value)) = character(text.as_bytes()) {
        return Some(value);
    }
    let Integer { digits, radix, .. } = integer(text);
    let known = digits.chars().all(|digit| digit.is_digit(radix));
    known.then(|| digits_value(digits.as_bytes(), radix))
}

/// Returns the length and the value of a character in single quotes at the beginning of a text.
fn character(text: &[u8]) -> Option<(usize, u32)> {
    let inner = text.strip_prefix(b"'")?;
    let (length, value) = match *inner {
        [b'\\', b'x', ref digits @ ..] if digits.first().is_some_and(u8::is_ascii_hexdigit) => {
            let count = count(digits, u8::is_ascii_hexdigit);
            (2 + count, digits_value(&digits[..count], 16))
        }
        [b'\\', ref digits @ ..] if matches!(digits, [b'0'..=b'7', ..]) => {
            let count = count(digits, |byte| matches!(byte, b'0'..=b'7')).min(3);
            (1 + count, digits_value(&digits[..count], 8))
        }
        [b'\\', byte @ b' '..=b'~', ..] => (2, escaped(byte).into()),
        [byte @ b' '..=b'~', ..] if byte != b'\'' => (1, byte.into()),
        _ => return None,
    };
    (inner.get(length) == Some(&b'\'')).then_some((length + 2, value))
}

/// Returns the character of an escape sequence, in which a letter without a special meaning represents
/// itself.
fn escaped(byte: u8) -> u8 {
    match byte {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        _ => byte,
    }
}

fn digits_value(digits: &[u8], radix: u32) -> u32 {
    let digits = digits.iter().filter_map(|digit| char::from(*digit).to_digit(radix));
    digits.fold(0, |value: u32, digit| value.wrapping_mul(radix).wrapping_add(digit))
}

pub(crate) fn truncation(text: &str, value: u64) -> Option<(Code, &'static str)> {
    if value <= u64::from(u32::MAX) {
        return None;
    }
    Some(match integer(text).radix {
        16 => (Code::HexTruncated, "hex value truncated to 32 bits"),
        8 => (Code::OctalTruncated, "octal value truncated to 32 bits"),
        _ => (Code::DecimalTruncated, "decimal value truncated to 32 bits"),
    })
}

struct Integer<'a> {
    digits: &'a str,
    radix: u32,
    unsigned: bool,
}

/// Splits an integer into its parts. For a float, `digits` contains characters that are not digits.
fn integer(text: &str) -> Integer<'_> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let unsigned = text[digits.len()..].contains(['u', 'U']);
    if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return Integer { digits, radix: 16, unsigned };
    }
    let radix = if digits.len() > 1 && digits.starts_with('0') { 8 } else { 10 };
    Integer { digits, radix, unsigned }
}

#[cfg(test)]
mod tests;
