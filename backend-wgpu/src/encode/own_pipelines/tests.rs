//! Tests that browsers accept the driver's own shaders.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use onze_ddi::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};

use super::tessellator::{TessellatorDispatch, TessellatorKey};

/// In a browser, the driver's modules become text again, in which reserved words have other names.
#[test]
fn entry_points_of_the_tessellator_keep_their_names() {
    use {TessellatorDomain as D, TessellatorOutput as O, TessellatorPartitioning as P};
    for domain in [D::Isoline, D::Triangle, D::Quad] {
        for partitioning in [P::Integer, P::Pow2, P::FractionalOdd, P::FractionalEven] {
            for output in [O::Point, O::Line, O::TriangleCw, O::TriangleCcw] {
                let key = TessellatorKey { domain, partitioning, output };
                for dispatch in TessellatorDispatch::ALL {
                    let module = naga::front::wgsl::parse_str(&key.source(dispatch)).unwrap();
                    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
                    let info = validator.validate(&module).unwrap();
                    let flags = naga::back::wgsl::WriterFlags::empty();
                    let text = naga::back::wgsl::write_string(&module, &info, flags).unwrap();
                    let entry_point = dispatch.entry_point();
                    assert!(text.contains(&format!("fn {entry_point}(")), "{key:?}, {dispatch:?}");
                }
            }
        }
    }
}

const ARITHMETIC: [&str; 5] = ["+", "-", "*", "/", "%"];
const SHIFTS: [&str; 2] = ["<<", ">>"];
const BITWISE: [&str; 3] = ["&", "|", "^"];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", ">", "<=", ">="];
const LOGICAL: [&str; 2] = ["&&", "||"];

/// Returns whether WGSL requires parentheses if two operators are in one expression, with the second one after the first.
fn needs_parentheses(first: &str, second: &str) -> bool {
    let is = |of: &[&str], operator| of.contains(&operator);
    let one_is = |of: &[&str]| is(of, first) || is(of, second);
    if one_is(&BITWISE) || (is(&LOGICAL, first) && is(&LOGICAL, second)) {
        return first != second;
    }
    one_is(&SHIFTS) && [first, second].into_iter().all(|of| is(&SHIFTS, of) || is(&ARITHMETIC, of))
}

/// Returns the first line with operators that need parentheses. WGSL requires them, but naga does not.
fn mixed_operators(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let code = line.split("//").next().unwrap_or_default();
        // The operators of the expression at each depth of parentheses.
        let mut depths: Vec<Vec<&str>> = vec![Vec::new()];
        code.split_whitespace().any(|word: &str| {
            // Operators are between spaces, and all other words are operands with parentheses.
            let kinds: [&[&str]; 5] = [&ARITHMETIC, &SHIFTS, &BITWISE, &COMPARISONS, &LOGICAL];
            if kinds.iter().any(|kind| kind.contains(&word)) {
                let Some(found) = depths.last_mut() else { return false };
                if found.iter().any(|first| needs_parentheses(first, word)) {
                    return true;
                }
                // The operands of comparisons and logical operators are expressions of their own.
                if COMPARISONS.contains(&word) || LOGICAL.contains(&word) {
                    found.retain(|first| LOGICAL.contains(first));
                }
                found.push(word);
                return false;
            }
            for letter in word.chars() {
                match letter {
                    '(' | '[' | '{' => depths.push(Vec::new()),
                    ')' | ']' | '}' => drop(depths.pop()),
                    ',' | ';' | '=' => depths.last_mut().into_iter().for_each(Vec::clear),
                    _ => {}
                }
            }
            false
        })
    })
}

#[test]
fn expressions_have_the_parentheses_of_wgsl() {
    for mixed in
        ["a >> b & c;", "a + b << c", "a << b << c", "a & b == c", "f(a | b ^ c)", "a && b || c", "a < b & c"]
    {
        assert_eq!(mixed_operators(mixed), Some(mixed));
    }
    for fine in [
        "(a >> (b % 2u)) & f(c << 1u, d + e);",
        "a + b < c << d",
        "x |= a << b;",
        "a & b & c",
        "a == b && c + d > e",
    ] {
        assert_eq!(mixed_operators(fine), None, "{fine}");
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut count) = (vec![source], 0);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "wgsl") {
                count += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                assert_eq!(mixed_operators(&text), None, "{}", path.display());
            }
        }
    }
    assert!(count > 20, "{count} files");
}
