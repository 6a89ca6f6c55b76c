//! Rooms: the modules of a crate lie on floors, and an import never runs upwards.
//!
//! A room is a folder of a crate's source folder. Its files may name their own room and the rooms below it. Files that
//! lie in no room are the top of the crate and may name everything. Test code may, too.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

/// A crate whose imports are checked.
struct Crate {
    /// Its source folder, from the root of the workspace.
    source: &'static str,
    /// Its rooms, bottom first.
    rooms: &'static [&'static str],
}

/// One row for each crate that has rooms.
const CRATES: &[Crate] = &[
    Crate {
        source: "api/src",
        rooms: &[
            "sync",
            "concurrent",
            "report",
            "shader",
            "validate",
            "device_core",
            "objects",
            "context",
            "load",
        ],
    },
    Crate { source: "backend-wgpu/src", rooms: &["services", "objects", "record", "encode", "submit"] },
];

#[test]
fn no_import_runs_upwards() {
    for Crate { source, rooms } in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(source);
        let files = read(&root, &root);
        for room in *rooms {
            let is_there = files.iter().any(|file| file.module.first().is_some_and(|first| first == room));
            assert!(is_there, "{source} has no room {room}");
        }
        let upward = upward_imports(&files, rooms);
        let lines: Vec<_> = upward.iter().map(|found| format!("\n    {source}/{found}")).collect();
        assert!(lines.is_empty(), "imports that run upwards:{}", lines.concat());
    }
}

/// A source file.
struct File {
    path: PathBuf,
    /// Its module's path, from the root of the crate.
    module: Vec<String>,
    text: String,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        let module = path.trim_end_matches(".rs").split('/').map(str::to_owned);
        let module = module.filter(|name| !["mod", "lib"].contains(&name.as_str())).collect();
        Self { path: path.into(), module, text: text.to_owned() }
    }
}

/// All source files below a folder.
fn read(root: &Path, folder: &Path) -> Vec<File> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.append(&mut read(root, &path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let parts: Vec<_> =
                path.strip_prefix(root).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
            files.push(File::new(&parts.join("/"), &fs::read_to_string(&path).unwrap()));
        }
    }
    files
}

/// An import that runs upwards.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Upward {
    file: PathBuf,
    import: String,
}

impl fmt::Display for Upward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} imports crate::{}", self.file.display(), self.import)
    }
}

/// The imports of all files that run upwards, sorted.
fn upward_imports(files: &[File], rooms: &[&str]) -> Vec<Upward> {
    let floor = |path: &[String]| {
        path.first().and_then(|first| rooms.iter().position(|room| room == first)).unwrap_or(rooms.len())
    };
    let sources: Vec<_> = files.iter().map(|file| (file, Source::parse(&file.text, &file.module))).collect();
    let tests: Vec<_> = sources.iter().flat_map(|(_, source)| &source.test_modules).collect();
    let mut found = Vec::new();
    for (file, source) in &sources {
        if tests.iter().any(|test| file.module.starts_with(test)) {
            continue;
        }
        let upward = source.imports.iter().filter(|import| floor(import) > floor(&file.module));
        found.extend(upward.map(|import| Upward { file: file.path.clone(), import: import.join("::") }));
    }
    found.sort();
    found.dedup();
    found
}

/// What a file says of modules, outside of test code.
#[derive(Default)]
struct Source {
    /// All paths that begin with `crate`, `super` or `self`, from the root of the crate.
    imports: Vec<Vec<String>>,
    /// Modules that are compiled for tests only.
    test_modules: Vec<Vec<String>>,
}

impl Source {
    fn parse(text: &str, module: &[String]) -> Self {
        let (tokens, mut this) = (tokens(text), Self::default());
        // The module that the open brace belongs to, for each open brace.
        let mut open: Vec<Vec<String>> = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let here = open.last().map_or(module, Vec::as_slice).to_vec();
            let path_begins = at == 0 || !matches!(&tokens[at - 1], token if token == "::");
            match token.as_str() {
                "#" if is_test_attribute(&tokens[at..]) => {
                    let end = item_end(&tokens, at);
                    if let Some(name) = declared_module(&tokens[at..end]) {
                        this.test_modules.push(join(&here, &name));
                    }
                    at = end;
                    continue;
                }
                "mod" if tokens.get(at + 2).is_some_and(|token| token == "{") => {
                    open.push(join(&here, &tokens[at + 1]));
                    at += 3;
                    continue;
                }
                "{" => open.push(here),
                "}" => drop(open.pop()),
                "crate" | "super" | "self" if path_begins && is_path(&tokens[at..]) => {
                    let base = if token == "crate" { Vec::new() } else { here };
                    let base = if token == "super" { parent(&base) } else { base };
                    at = this.path(&tokens, at + 1, base);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        this
    }

    /// Reads a path from the `::` or the end after its prefix on, or all paths of a group, and returns where it ends.
    fn path(&mut self, tokens: &[String], mut at: usize, mut path: Vec<String>) -> usize {
        while is_path(&tokens[at.saturating_sub(1)..]) {
            match tokens[at + 1].as_str() {
                "{" => {
                    at += 2;
                    while tokens.get(at).is_some_and(|token| token != "}") {
                        at = match tokens[at].as_str() {
                            "," => at + 1,
                            // `self` in a group is the path itself.
                            "self" | "*" => {
                                self.imports.push(path.clone());
                                at + 1
                            }
                            "as" => at + 2,
                            "super" => self.path(tokens, at + 1, parent(&path)),
                            name => self.path(tokens, at + 1, join(&path, name)),
                        };
                    }
                    return at + 1;
                }
                "super" => path = parent(&path),
                name if is_name(name) => path.push(name.to_owned()),
                // A glob, or the arguments of a generic type.
                _ => break,
            }
            at += 2;
        }
        self.imports.push(path);
        at
    }
}

fn join(path: &[String], name: &str) -> Vec<String> {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

fn parent(path: &[String]) -> Vec<String> {
    path[..path.len().saturating_sub(1)].to_vec()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether a path goes on behind the first token.
fn is_path(tokens: &[String]) -> bool {
    matches!(tokens, [_, colons, _, ..] if colons == "::")
}

/// Whether `#[cfg(test)]` comes.
fn is_test_attribute(tokens: &[String]) -> bool {
    tokens.iter().take(7).eq(["#", "[", "cfg", "(", "test", ")", "]"])
}

/// The module that an item declares without its contents.
fn declared_module(item: &[String]) -> Option<String> {
    let at = item.iter().position(|token| token == "mod")?;
    (item.get(at + 2)? == ";").then(|| item[at + 1].clone())
}

/// Behind the item, the statement or the field that an attribute at `at` belongs to.
fn item_end(tokens: &[String], at: usize) -> usize {
    const ITEMS: [&str; 9] = ["pub", "fn", "mod", "use", "impl", "struct", "enum", "const", "macro_rules"];
    let mut at = at + 7;
    let is_item = tokens.get(at).is_some_and(|token| ITEMS.contains(&token.as_str()));
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" if depth == 0 => return at,
            "}" | ")" | "]" => {
                depth -= 1;
                // An attribute ends like an item, but something follows.
                if depth == 0 && token == "}" {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            "," if depth == 0 && !is_item => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Names, `::` and all other characters of a source text, without comments, literals and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment_length(rest),
            '"' => string_length(rest),
            'r' | 'b' if raw_string_length(rest).is_some() => raw_string_length(rest).unwrap_or(1),
            '\'' => quote_length(rest),
            c if c.is_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                tokens.push(rest[..end].to_owned());
                end
            }
            ':' if rest.starts_with("::") => {
                tokens.push("::".to_owned());
                2
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push(c.to_string());
                }
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// Bytes of a block comment, which may hold others.
fn comment_length(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        match &text.as_bytes()[at..] {
            [] => return at,
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
}

/// Bytes of a string literal.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Bytes of a raw string literal, if it is one.
fn raw_string_length(text: &str) -> Option<usize> {
    let start = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let inner = start.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(start.len() - inner.len()));
    let body = inner.strip_prefix('"')?;
    Some(text.len() - body.len() + body.find(&end).map_or(body.len(), |at| at + end.len()))
}

/// Bytes of a character literal or of a lifetime's quote and name.
fn quote_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let after = at + escaped.len_utf8();
            text[after..].find('\'').map_or(text.len(), |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => text[1..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(text.len(), |end| end + 1),
    }
}

const ROOMS: &[&str] = &["low", "high"];

/// What is found in a file of the lower room.
fn found_below(text: &str) -> Vec<String> {
    let files = [File::new("low/file.rs", text)];
    upward_imports(&files, ROOMS).into_iter().map(|upward| upward.import).collect()
}

#[test]
fn an_upward_import_is_named_with_its_file() {
    let files = [
        File::new("low/mod.rs", "pub(crate) mod file;"),
        File::new("low/file.rs", "use crate::{\n    high::{Thing, other},\n    low::Own,\n};"),
        File::new("high/mod.rs", "use crate::low::file;\nuse crate::top::Device;"),
        File::new("top.rs", "use crate::{high::Thing, low::Own};"),
    ];
    let found = upward_imports(&files, ROOMS);
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    let expected = [
        "high/mod.rs imports crate::top::Device",
        "low/file.rs imports crate::high::Thing",
        "low/file.rs imports crate::high::other",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn upward_paths_are_found_wherever_they_stand() {
    for (text, import) in [
        ("use crate::high;", "high"),
        ("use crate::high::*;", "high"),
        ("use crate::{high::{self as above}};", "high"),
        ("use crate::{low::Own, high::{a::{B, C as D}}};", "high::a::B, high::a::C"),
        ("pub(crate) use crate::high::Thing as Other;", "high::Thing"),
        ("use super::super::high::Thing;", "high::Thing"),
        ("use super::{super::{high::Thing}, own};", "high::Thing"),
        ("mod inner { use super::super::super::high::Thing; }", "high::Thing"),
        ("fn f() { crate::high::call::<u32>(1); }", "high::call"),
        ("struct S(Vec<crate::high::Thing>);", "high::Thing"),
        ("fn f<'a>(c: char) -> bool { c == '\\'' || crate::high::is(c) }", "high::is"),
        ("macro_rules! m { () => { $crate::high::Thing } }", "high::Thing"),
        ("use crate::top;", "top"),
        ("use super::super::*;", ""),
    ] {
        let found = found_below(text);
        assert_eq!(found.join(", "), import, "{text}");
        assert!(!found.is_empty(), "{text}");
    }
}

#[test]
fn what_is_no_upward_import_is_passed_over() {
    for text in [
        "use crate::low::Own;",
        "use super::{other::Thing, *};",
        "use self::inner::Thing;",
        "pub(crate) struct S; impl S { fn f(&self) { self.high() } }",
        "/// As [`crate::high::Thing`].\nstruct S;",
        "/* crate::high /* crate::high */ crate::high */",
        "const TEXT: &str = \"crate::high \\\" crate::high\";",
        "const TEXT: &str = r#\"crate::high \" crate::high\"#;",
        "#[cfg(test)]\nmod tests { use crate::high::Thing; fn f() {} }",
        "#[cfg(test)]\nuse crate::high::Thing;",
        "struct S { #[cfg(test)] a: crate::high::Thing, b: u32 }",
        "impl S { #[cfg(test)]\nfn f<A, B>(a: A) { crate::high::f(a) } }",
    ] {
        assert_eq!(found_below(text), [""; 0], "{text}");
    }
}

#[test]
fn files_of_test_modules_are_passed_over() {
    let files = [
        File::new("low/mod.rs", "mod file;\n#[cfg(test)]\npub(crate) mod tests;"),
        File::new("low/tests/mod.rs", "mod more; use crate::high::Thing;"),
        File::new("low/tests/more.rs", "use crate::high::Thing;"),
    ];
    assert_eq!(upward_imports(&files, ROOMS), []);
}
