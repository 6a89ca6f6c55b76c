//! Checks the tables of calls in the book's chapter for Direct3D programmers. Each Direct3D call must have a
//! row in `docs/coverage.md`, and each call of Onze must exist. `coverage.rs` compares `docs/coverage.md`
//! with the sources.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod sources;
#[path = "../../ddi/tests/tables/mod.rs"]
mod tables;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use sources::{items, macro_pairs, sources_of};
use tables::{cells, root};

const PAGE: &str = "docs/book/src/from_d3d11.md";

/// The source folders of the crates whose calls the chapter lists.
const FOLDERS: [&str; 3] = ["src", "../hlsl/src", "../integrations/winit/src"];

/// An interface that the chapter lists as a whole, so it has no row in `docs/coverage.md`.
const WITHOUT_A_ROW: &str = "ID3D11InfoQueue";

/// Returns the rows of the tables below `## The calls`, each with a cell for Direct3D and a cell for Onze.
fn rows(page: &str) -> Vec<[&str; 2]> {
    let (_, calls) = page.split_once("\n## The calls\n").unwrap();
    let rows = calls.lines().map(cells).filter_map(|cells| match cells[..] {
        [left, right, _] if left.contains('`') || left == "none" => Some([left, right]),
        _ => None,
    });
    rows.collect()
}

/// Returns the names in the code spans of a cell, without types and arguments.
fn names(cell: &str) -> Vec<&str> {
    let spans = cell.split('`').skip(1).step_by(2);
    let names = spans.map(|span| span.split('(').next().unwrap().rsplit([':', '.']).next().unwrap());
    names.filter(|name| !name.is_empty()).collect()
}

fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, c) in chars.iter().enumerate() {
        let begins_word = c.is_ascii_uppercase()
            && at > 0
            && (chars[at - 1].is_ascii_lowercase()
                || chars.get(at + 1).is_some_and(|next| next.is_ascii_lowercase())
                    && chars[at - 1].is_ascii_uppercase());
        if begins_word {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Returns each Direct3D method's state and its Onze calls from the coverage table.
fn coverage() -> BTreeMap<String, (String, Vec<String>)> {
    let page = fs::read_to_string(root().join("docs/coverage.md")).unwrap();
    let rows = page.lines().map(cells).filter_map(|cells| match cells[..] {
        [name, state, calls, _] => {
            let calls = names(calls).into_iter().map(str::to_owned).collect();
            Some((name.to_owned(), (state.to_owned(), calls)))
        }
        _ => None,
    });
    rows.collect()
}

/// Returns the names of all public items, including items that macros generate.
fn public_names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, text) in FOLDERS.iter().flat_map(|folder| sources_of(folder)) {
        names.extend(
            items(&text).into_iter().filter(sources::Item::is_public).map(|item| item.name().to_owned()),
        );
        names.extend(macro_pairs(&text).into_iter().map(|(_, name, _)| name.to_owned()));
    }
    names
}

#[test]
fn each_call_of_the_books_tables_exists() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let (coverage, public) = (coverage(), public_names());
    let rows = rows(&page);
    assert!(rows.len() > 55, "only {} rows", rows.len());
    let mut faults = Vec::new();
    for [left, right] in rows {
        for name in names(left).into_iter().filter(|name| *name != WITHOUT_A_ROW) {
            match coverage.get(name) {
                None => faults.push(format!("{name} has no row in docs/coverage.md")),
                Some((state, _)) if state == "absent" => faults.push(format!("{name} is absent")),
                Some((_, calls)) if right.starts_with("the same in snake case") => {
                    let call = snake_case(name);
                    if !calls.contains(&call) {
                        faults.push(format!("{name} is {calls:?}, not {call}"));
                    }
                }
                Some(_) => {}
            }
        }
        for name in names(right) {
            if !public.contains(name) {
                faults.push(format!("`{name}` of `{right}` does not exist"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
