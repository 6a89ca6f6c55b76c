//! The directive `#include`, and the handlers that provide the included files.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{Preprocessor, input::FileInput};
use crate::{
    session::{code::Code, source::Span},
    text::token::Token,
};

const MOST_INCLUDES: usize = 32;

/// Maximum total size of all included files in bytes, counting a file each time it is included.
const MOST_BYTES: usize = 64 << 20;

/// The cost of an `#include` in tokens, which limits the number of times that even empty files can be
/// included.
const INCLUDE_COST: usize = 64;

/// The notation of a file name in `#include` (D3D11: `D3D_INCLUDE_TYPE`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[doc(alias = "D3D_INCLUDE_TYPE")]
pub enum IncludeKind {
    /// A name in quotation marks, as in `#include "name"` (D3D11: `D3D_INCLUDE_LOCAL`).
    Local,
    /// A name in angle brackets, as in `#include <name>` (D3D11: `D3D_INCLUDE_SYSTEM`).
    System,
}

/// The file that an `#include` requests, and the file that contains the directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IncludeRequest<'a> {
    /// The name between the quotation marks or brackets, including spaces.
    pub name: &'a str,
    /// Whether the name is in quotation marks or in angle brackets.
    pub kind: IncludeKind,
    /// The name of the including file: the name of its [`IncludedFile`], or the name of the main source.
    /// D3D11 passes the text of that file instead, as `pParentData`.
    pub includer: &'a str,
}

/// A file that an include handler found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IncludedFile {
    /// The name of the file in messages, `__FILE__`, `#pragma once` and [`IncludeRequest::includer`].
    pub name: String,
    /// The text of the file.
    pub text: String,
}

/// Finds the files that `#include` requests (D3D11: `ID3DInclude`). The trait lacks `Close`, because the
/// compiler owns the text.
#[doc(alias = "ID3DInclude")]
pub trait IncludeHandler {
    /// Finds a file. It is called once for each `#include`, even for a file that was included before (D3D11:
    /// `ID3DInclude::Open`).
    ///
    /// # Errors
    ///
    /// Returns the reason why the file was not found, which becomes part of the error message.
    #[doc(alias = "Open")]
    fn open(&self, request: &IncludeRequest<'_>) -> Result<IncludedFile, String>;

    /// Returns the path of a file that this handler found, given its [`IncludedFile::name`]. Build scripts
    /// tell Cargo that they depend on this path, which is the name itself in the default implementation.
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(name)
    }
}

/// Finds files in folders, like FXC's option `/I`. D3D11's `D3D_COMPILE_STANDARD_FILE_INCLUDE` is similar,
/// but searches only the folder of the source.
///
/// For a file in quotation marks, the folder of the including file, the main folder and the additional
/// folders are searched in this order. For a file in angle brackets, only the main folder and the additional
/// folders are searched.
///
/// Bytes that are not valid UTF-8 become replacement characters, which are harmless in comments. A `\` in a
/// file name means `/`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[doc(alias = "D3D_COMPILE_STANDARD_FILE_INCLUDE")]
pub struct FolderIncludes {
    folder: PathBuf,
    others: Vec<PathBuf>,
}

impl FolderIncludes {
    /// Creates a handler for a main folder, which the names of source files are relative to.
    pub fn new(folder: impl Into<PathBuf>) -> FolderIncludes {
        FolderIncludes { folder: folder.into(), others: Vec::new() }
    }

    /// Adds a folder to search, whose path is relative to the main folder unless it is absolute.
    #[must_use]
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> FolderIncludes {
        self.others.push(folder.into());
        self
    }
}

impl IncludeHandler for FolderIncludes {
    fn open(&self, request: &IncludeRequest<'_>) -> Result<IncludedFile, String> {
        let name = request.name.replace('\\', "/");
        let includer = Path::new(request.includer).parent().unwrap_or(Path::new(""));
        let local = (request.kind == IncludeKind::Local).then_some(includer);
        let folders =
            local.into_iter().chain([Path::new("")]).chain(self.others.iter().map(PathBuf::as_path));
        let mut reason = None;
        let mut similar = None;
        for folder in folders {
            let path = folder.join(&name);
            match std::fs::read(self.folder.join(&path)) {
                Ok(bytes) => {
                    let text = String::from_utf8(bytes)
                        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
                    return Ok(IncludedFile { name: path.to_string_lossy().into_owned(), text });
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    similar = similar.or_else(|| in_another_case(&self.folder, &path));
                }
                Err(error) => reason = Some(format!("{}: {error}", path.display())),
            }
        }
        let similar = similar.map(|path| path.to_string_lossy().into_owned());
        Err(reason.unwrap_or_else(|| no_such("file", similar.as_deref())))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Finds files among named strings in memory.
///
/// A file in quotation marks is searched in the folder of the including file first, and then under its
/// unchanged name. Folders in names are separated by `/` or `\`, and `.` and `..` are resolved.
///
/// ```
/// use onze_hlsl::{PreprocessOptions, TextIncludes, preprocess};
///
/// let files = TextIncludes::new().with_text("lib/sun.hlsli", "float sun;");
/// let options = PreprocessOptions { include: Some(&files), ..PreprocessOptions::default() };
/// let result = preprocess("#include \"lib/sun.hlsli\"", "sky.hlsl", &options)?;
/// assert!(result.text.contains("float sun ;"));
/// # Ok::<(), onze_hlsl::Diagnostics>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextIncludes {
    texts: BTreeMap<String, String>,
}

impl TextIncludes {
    /// Creates a handler without files.
    pub fn new() -> TextIncludes {
        TextIncludes::default()
    }

    /// Adds a file, and replaces an existing file with the same name.
    #[must_use]
    pub fn with_text(mut self, name: &str, text: impl Into<String>) -> TextIncludes {
        self.texts.insert(resolve(name), text.into());
        self
    }
}

impl IncludeHandler for TextIncludes {
    fn open(&self, request: &IncludeRequest<'_>) -> Result<IncludedFile, String> {
        let folder = request.includer.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
        let local =
            (request.kind == IncludeKind::Local).then(|| resolve(&format!("{folder}/{}", request.name)));
        let names = local.into_iter().chain([resolve(request.name)]);
        names
            .into_iter()
            .find_map(|name| {
                let text = self.texts.get(&name)?.clone();
                Some(IncludedFile { name, text })
            })
            .ok_or_else(|| {
                let names = [&request.name.replace('\\', "/"), &format!("{folder}/{}", request.name)]
                    .map(|name| resolve(name));
                let is_similar = |text: &&String| names.iter().any(|name| name.eq_ignore_ascii_case(text));
                no_such("text", self.texts.keys().find(is_similar).map(String::as_str))
            })
    }
}

/// Returns the reason why a file was not found, where `similar` is a file whose name differs only in case.
fn no_such(what: &str, similar: Option<&str>) -> String {
    match similar {
        Some(name) => format!("there is no such {what}, but '{name}', whose name differs in case"),
        None => format!("there is no such {what}"),
    }
}

/// Searches a folder for a file whose path differs from `path` only in case.
fn in_another_case(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        let Component::Normal(wanted) = part else {
            found.push(part);
            continue;
        };
        let exact = found.join(wanted);
        if folder.join(&exact).exists() {
            found = exact;
            continue;
        }
        let mut names =
            std::fs::read_dir(folder.join(&found)).ok()?.filter_map(|entry| Some(entry.ok()?.file_name()));
        found.push(names.find(|name| name.eq_ignore_ascii_case(wanted))?);
    }
    Some(found)
}

fn resolve(name: &str) -> String {
    let mut parts = Vec::new();
    for part in name.trim().split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

struct IncludedHeader {
    name: String,
    kind: IncludeKind,
    span: Span,
}

impl IncludedHeader {
    fn new(text: &str, span: Span) -> Option<IncludedHeader> {
        let within = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        let (name, kind) = within('"', '"')
            .map(|name| (name, IncludeKind::Local))
            .or_else(|| within('<', '>').map(|name| (name, IncludeKind::System)))?;
        Some(IncludedHeader { name: name.to_owned(), kind, span })
    }
}

impl Preprocessor<'_> {
    /// Executes an `#include` directive, whose `word` has already been read, so that the included file is
    /// read next.
    pub(super) fn include(&mut self, word: Token) {
        let Some(IncludedHeader { name, kind, span }) = self.header() else {
            self.syntax_error(word.span, "#include needs a file name, as in \"name\" or <name>");
            return;
        };
        self.finish_line();
        let Some(handler) = self.options.include else {
            let message = "no include handler was given, so #include cannot find a file";
            self.session.error(Code::NoIncludeHandler, span, message);
            return;
        };
        if self.files.len() > MOST_INCLUDES {
            let message = format!("included files are nested more than {MOST_INCLUDES} times");
            self.session.error(Code::TooManyIncludes, span, message);
            self.stopped = true;
            return;
        }
        if !self.spend(INCLUDE_COST, span) {
            return;
        }
        let includer = self.files.last().map_or("", |file| &file.name);
        match handler.open(&IncludeRequest { name: &name, kind, includer }) {
            Ok(file) => self.begin_file(file, span),
            Err(reason) => {
                let message = format!("failed to open source file: '{name}': {reason}");
                self.session.error(Code::IncludeNotFound, span, message);
            }
        }
    }

    /// Reads the name of the file, which may come from macros.
    fn header(&mut self) -> Option<IncludedHeader> {
        let file = self.files.last_mut()?;
        if let Some(span) = file.lexer.header_name(self.session) {
            return IncludedHeader::new(self.session.sources.text(span), span);
        }
        let items = self.rest_of_line();
        let items = self.expand_all(items);
        let mut name = String::new();
        for item in &items {
            name.push_str(if item.token.spaced && !name.is_empty() { " " } else { "" });
            name.push_str(self.session.sources.text(item.token.span));
        }
        let (first, last) = (items.first()?.token.span, items.last()?.token.span);
        IncludedHeader::new(&name, self.session.sources.join(first, last))
    }

    fn begin_file(&mut self, file: IncludedFile, span: Span) {
        let IncludedFile { name, text } = file;
        if self.once.contains(name.as_str()) {
            return;
        }
        self.included = self.included.saturating_add(text.len());
        if self.included > MOST_BYTES {
            self.stop(span, format!("the included files have more than {MOST_BYTES} bytes"));
            return;
        }
        let text: Arc<str> = text.into();
        let Ok(range) = self.session.sources.add_file(&name, text.clone()) else {
            self.stop(span, "the included files are longer than 2 GiB");
            return;
        };
        let includes = self.files.iter().map(|file| file.lexer.position()).collect();
        self.session.warnings.begin_file(range.start, includes);
        self.files.push(FileInput::new(name.into(), text, range.start));
    }
}
