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

/// Returns the first line that mixes a shift or a bitwise operator with another operator without parentheses. WGSL forbids
/// that, but naga accepts it.
fn mixed_operators(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let code = line.split("//").next().unwrap_or_default();
        // The operators at each depth of parentheses.
        let mut depths = vec![Vec::new()];
        code.split_whitespace().any(|word| {
            // Operators are between spaces, and all other words are operands with parentheses.
            if ["<<", ">>", "&", "|", "^", "+", "-", "*", "/", "%"].contains(&word) {
                let Some(found) = depths.last_mut() else { return false };
                found.push(word);
                // A chain of one bitwise operator needs no parentheses.
                let is_chain = ["&", "|", "^"].contains(&word) && found.iter().all(|other| *other == word);
                let is_bitwise = |word: &&str| ["<<", ">>", "&", "|", "^"].contains(word);
                return found.len() > 1 && found.iter().any(is_bitwise) && !is_chain;
            }
            for letter in word.chars() {
                match letter {
                    '(' | '[' | '{' => depths.push(Vec::new()),
                    ')' | ']' | '}' => drop(depths.pop()),
                    ',' | ';' => depths.last_mut().into_iter().for_each(Vec::clear),
                    _ => {}
                }
            }
            if ["==", "!=", "<", ">", "<=", ">=", "&&", "||", "="].contains(&word) {
                depths.last_mut().into_iter().for_each(Vec::clear);
            }
            false
        })
    })
}

#[test]
fn shifts_have_parentheses() {
    assert_eq!(mixed_operators("a >> b & c;"), Some("a >> b & c;"));
    assert_eq!(mixed_operators("(a >> (b % 2u)) & f(c << 1u, d + e);"), None);
    assert_eq!(mixed_operators("a + b << c"), Some("a + b << c"));
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
