//! The expected value of a `SHOW` line in a program, with its type.
//!
//! A program writes a record for each line: the type and the number of components, followed by four words.
//! The comment `//=>` on the line states the expected record:
//!
//! ```text
//! SHOW(n << 33);        //=> uint 2
//! SHOW(sin(v.xy));      //=> float2 0.8414710 0 ~ 0.0001
//! SHOW(1);              //=> never
//! ```

/// Size of a record in 32-bit words, including unused words.
pub const RECORD: usize = 8;

/// The initial value of all words in the buffer, which marks words that the program has not written.
pub const UNWRITTEN: u32 = 0xcdcd_cdcd;

/// The component types, indexed by their numbers in `show.hlsli`.
const KINDS: [&str; 4] = ["float", "int", "uint", "bool"];

/// The expected record of a line, parsed from its comment.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// The line is not reached, so its record must not be written.
    Never,
    /// The line shows a value of this type, close to the expected value.
    Value {
        /// The index of the component type in the numbering of `show.hlsli`.
        kind: usize,
        /// The expected components as doubles (one for a scalar).
        components: Vec<f64>,
        /// Maximum difference of each component from the expected one (default: 0).
        tolerance: f64,
    },
}

impl Shown {
    /// Parses the text after `//=>`, or returns `None` if it is malformed.
    pub fn parse(text: &str) -> Option<Shown> {
        let (value, tolerance) = match text.split_once('~') {
            Some((value, tolerance)) => (value, tolerance.trim().parse().ok()?),
            None => (text, 0.0),
        };
        let mut words = value.split_whitespace();
        let name = words.next()?;
        if name == "never" {
            return words.next().is_none().then_some(Shown::Never);
        }
        let kind =
            KINDS.iter().position(|kind| name.strip_suffix(['1', '2', '3', '4']).unwrap_or(name) == *kind)?;
        let components: Vec<_> = words.map(component).collect::<Option<_>>()?;
        let count = name.strip_prefix(KINDS[kind]).filter(|count| !count.is_empty());
        let fits = count.unwrap_or("1").parse() == Ok(components.len());
        fits.then_some(Shown::Value { kind, components, tolerance })
    }

    /// Compares the expectation with a record.
    ///
    /// # Errors
    ///
    /// If the record does not match, returns a message with the actual and the expected value.
    pub fn check(&self, record: &[u32]) -> Result<(), String> {
        let found = describe(record);
        let fits = match self {
            Shown::Never => record.first() == Some(&UNWRITTEN),
            Shown::Value { kind, components, tolerance } => {
                let head = (*kind as u32) << 8 | components.len() as u32;
                let words = record.get(1..).unwrap_or_default();
                record.first() == Some(&head)
                    && components
                        .iter()
                        .zip(words)
                        .all(|(expected, word)| is_near(*kind, *expected, *word, *tolerance))
            }
        };
        if fits { Ok(()) } else { Err(format!("shows {found}, not {self}")) }
    }
}

/// Parses a component such as `1.5`, `-inf`, `nan`, `0xff` or `true`.
fn component(text: &str) -> Option<f64> {
    match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok().map(f64::from),
            None => text.parse().ok(),
        },
    }
}

fn value(kind: usize, word: u32) -> f64 {
    match KINDS.get(kind) {
        Some(&"float") => f64::from(f32::from_bits(word)),
        Some(&"int") => f64::from(word as i32),
        _ => f64::from(word),
    }
}

fn is_near(kind: usize, expected: f64, word: u32, tolerance: f64) -> bool {
    let found = value(kind, word);
    // The constants in tests are decimal, so they are rounded to the nearest `float`.
    let expected = if KINDS[kind] == "float" { f64::from(expected as f32) } else { expected };
    found == expected || (found.is_nan() && expected.is_nan()) || (found - expected).abs() <= tolerance
}

fn describe(record: &[u32]) -> String {
    let (head, words) = record.split_first().unwrap_or((&UNWRITTEN, &[]));
    if *head == UNWRITTEN {
        return "nothing".to_owned();
    }
    let (kind, count) = ((head >> 8) as usize, (head & 0xff) as usize);
    let components = words.iter().take(count).map(|word| value(kind, *word)).collect();
    Shown::Value { kind, components, tolerance: 0.0 }.to_string()
}

impl std::fmt::Display for Shown {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Shown::Value { kind, components, tolerance } = self else { return out.write_str("nothing") };
        out.write_str(KINDS.get(*kind).unwrap_or(&"an unknown kind"))?;
        if components.len() > 1 {
            write!(out, "{}", components.len())?;
        }
        for component in components {
            write!(out, " {component}")?;
        }
        if *tolerance > 0.0 { write!(out, " ~ {tolerance}") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, record: &[u32]) -> Result<(), String> {
        Shown::parse(text).unwrap().check(record)
    }

    #[test]
    fn kind_count_and_components_are_compared() {
        assert_eq!(check("uint 0xffffffff", &[0x201, u32::MAX]), Ok(()));
        assert_eq!(check("int2 -1 2", &[0x102, u32::MAX, 2]), Ok(()));
        assert_eq!(check("bool true", &[0x301, 1]), Ok(()));
        assert_eq!(check("float -inf", &[1, f32::NEG_INFINITY.to_bits()]), Ok(()));
        assert_eq!(check("float nan", &[1, f32::NAN.to_bits() | 1 << 31]), Ok(()));
        assert_eq!(check("float 0.1", &[1, 0.1f32.to_bits()]), Ok(()));
        assert_eq!(check("float 0.1 ~ 0.01", &[1, 0.109f32.to_bits()]), Ok(()));
        assert_eq!(check("never", &[UNWRITTEN; 8]), Ok(()));
        let wrong = |text: &str, record: &[u32]| check(text, record).unwrap_err();
        assert_eq!(wrong("uint 2", &[0x101, 2]), "shows int 2, not uint 2");
        assert_eq!(wrong("uint 2", &[UNWRITTEN; 8]), "shows nothing, not uint 2");
        assert_eq!(wrong("int2 1 2", &[0x102, 1, 3]), "shows int2 1 3, not int2 1 2");
        assert_eq!(wrong("int2 1 2", &[0x103, 1, 2, 3]), "shows int3 1 2 3, not int2 1 2");
        assert_eq!(wrong("float 1 ~ 0.1", &[1, 2f32.to_bits()]), "shows float 2, not float 1 ~ 0.1");
        assert_eq!(wrong("float 0", &[1, f32::NAN.to_bits()]), "shows float NaN, not float 0");
        assert_eq!(wrong("never", &[0x101, 1]), "shows int 1, not nothing");
    }

    #[test]
    fn malformed_text_yields_none() {
        for text in
            ["", "half 1", "float2 1", "float 1 2", "float5 1 2 3 4 5", "int x", "float 1 ~ x", "never 1"]
        {
            assert_eq!(Shown::parse(text), None, "{text}");
        }
    }
}
