//! A parser for the library's sources, used by tests to find items with their doc comments, aliases and
//! positions.
//!
//! Aliases leave no trace in a compiled crate, so tests of aliases read the sources. The parser relies on
//! rustfmt's layout.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(unreachable_pub, reason = "shared by several tests")]
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The crates with the library's public items: the runtime, the driver interface and the derive macro.
pub const CRATES: [&str; 3] = ["src", "../ddi/src", "../derive/src"];

#[derive(Clone, Debug, Default)]
pub struct Item {
    pub doc: String,
    pub aliases: Vec<String>,
    /// The line after the attributes, which contains the item's name.
    pub code: String,
    pub line: usize,
    /// The type that a method, field or variant belongs to, or `$x` in a macro, or empty for all other items.
    pub of: String,
}

impl Item {
    pub fn is_public(&self) -> bool {
        let private_constant = self
            .code
            .strip_prefix("const ")
            .is_some_and(|rest| rest.split(' ').next().unwrap().ends_with(':'));
        !self.code.starts_with("pub(") && !private_constant
    }

    /// Returns the identifier of the item, or `$x` if it is a macro variable.
    pub fn name(&self) -> &str {
        const WORDS: [&str; 9] =
            ["pub ", "const ", "async ", "fn ", "struct ", "enum ", "trait ", "type ", "static "];
        let mut code = self.code.as_str();
        while let Some(rest) = WORDS.iter().find_map(|word| code.strip_prefix(word)) {
            code = rest;
        }
        code.split(|c: char| !is_word_char(c)).next().unwrap()
    }
}

const fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Whether this is an identifier or a macro variable.
pub fn is_word(name: &str) -> bool {
    name.chars().all(is_word_char)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the paths and texts of the source files in a folder, for example a folder of [`CRATES`].
pub fn sources_of(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    found
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

pub fn all_sources() -> Vec<(PathBuf, String)> {
    let found: Vec<_> = CRATES.into_iter().flat_map(sources_of).collect();
    assert!(found.len() > 100, "the sources were not found");
    found
}

/// Returns the items of a file that have a doc comment.
pub fn items(text: &str) -> Vec<Item> {
    let mut lines = text.lines().enumerate().peekable();
    let (mut items, mut item) = (Vec::new(), Item::default());
    // Indentation and type of each block around the current line.
    let mut blocks: Vec<(usize, &str)> = Vec::new();
    while let Some((number, whole)) = lines.next() {
        let line = whole.trim();
        let indent = whole.len() - whole.trim_start().len();
        if let Some(doc) = line.strip_prefix("///") {
            item.doc += doc.trim();
            item.doc.push('\n');
        } else if line.starts_with("#[") {
            let mut attribute = line.to_owned();
            while attribute.matches('[').count() > attribute.matches(']').count() {
                let Some((_, more)) = lines.next() else { break };
                attribute += more.trim();
            }
            if let Some(pieces) = attribute.strip_prefix("#[doc = concat!(") {
                item.doc += &concat(pieces);
                item.doc.push('\n');
            } else if let Some(aliases) = attribute.strip_prefix("#[doc(alias") {
                let names = aliases.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
                item.aliases.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
            }
        } else {
            if line.starts_with('}') && blocks.last().is_some_and(|block| block.0 == indent) {
                blocks.pop();
            }
            if !item.doc.is_empty() {
                let of = blocks.last().map(|block| block.1.to_owned()).unwrap_or_default();
                items.push(Item { code: line.to_owned(), line: number + 1, of, ..item });
            }
            item = Item::default();
            if let Some(of) = type_of_block(line) {
                blocks.push((indent, of));
            }
        }
    }
    items
}

/// Returns the type whose block a line opens, which for an `impl` is the implementing type.
fn type_of_block(line: &str) -> Option<&str> {
    if line.ends_with('}') || line.ends_with(';') {
        return None;
    }
    let line = line.trim_start_matches("$(").trim_start_matches("pub ");
    let (keyword, rest) = line.split_once([' ', '<'])?;
    let rest = match keyword {
        "struct" | "enum" | "trait" => rest,
        "impl" => match (rest.rsplit_once(" for "), line.starts_with("impl<")) {
            (Some((_, target)), _) => target,
            // The type comes after the parameters of the `impl`.
            (None, true) => rest.split_once("> ")?.1,
            (None, false) => rest,
        },
        _ => return None,
    };
    rest.split(|c: char| !is_word_char(c)).next().filter(|name| !name.is_empty())
}

/// Joins the pieces of a `concat!`, keeping macro variables as they are.
pub fn concat(pieces: &str) -> String {
    let mut text = String::new();
    for (i, piece) in pieces.split('"').enumerate() {
        if i % 2 == 1 {
            text += piece;
        } else if let Some((_, variable)) = piece.split_once('$') {
            let name = variable.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap();
            text += &format!("${name}");
        }
    }
    text
}

/// Finds names that a literal follows among a macro's arguments, such as `vs_set_shader "VSSetShader"`, and
/// returns their line numbers, names and literals.
pub fn macro_pairs(text: &str) -> Vec<(usize, &str, &str)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let pieces: Vec<_> = line.split('"').collect();
        for pair in pieces.windows(2).step_by(2) {
            let [before, literal] = pair else { continue };
            let Some(before) = before.strip_suffix(' ') else { continue };
            let ident = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap();
            if !ident.is_empty() {
                found.push((number + 1, ident, *literal));
            }
        }
    }
    found
}
