//! Source text, positions in it, and the origins of tokens that macros produce.
//!
//! All positions of a compilation share one address space. Each file occupies a range of the lower half, in
//! the order of inclusion, and each token that a macro produces occupies a range of the upper half. A record
//! for this range stores the position of the token's spelling and the macro use that produced it. A position
//! therefore takes four bytes and a [`Span`] takes eight, and both positions of a token can be looked up at
//! any time. Clang's `SourceManager` works in the same way.

use std::{cell::OnceCell, sync::Arc};

/// A half-open range of positions: `start` is included and `end` is not.
///
/// If the first and last tokens of a construct come from different macros, its span extends from the first
/// macro use to the last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    pub(crate) fn beginning(self) -> Span {
        Span { start: self.start, end: self.start }
    }

    pub(crate) fn ending(self) -> Span {
        Span { start: self.end, end: self.end }
    }
}

/// A position in a source file, with lines and columns counted from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name of the file, which a `#line` directive can change.
    pub file: Arc<str>,
    /// The number of the line, counted from 1, which a `#line` directive can change.
    pub line: u32,
    /// The column in characters, counted from 1, with a tab as one character.
    pub column: u32,
}

/// The use of a macro that produced a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The name of the macro.
    pub name: Arc<str>,
    /// The position where the macro is used or, for a use inside another macro's definition, the position in
    /// this definition.
    pub place: Place,
}

/// The effect of a `#line` directive on the lines that follow it.
#[derive(Debug)]
struct LineDirective {
    at: u32,
    /// The index of the line after the directive within the file, counted from 0.
    index: u32,
    /// The number that the directive assigns to that line and that later lines continue.
    line: u32,
    name: Arc<str>,
}

#[derive(Debug)]
struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    start: u32,
    /// The offsets of the line beginnings in the text, computed when a line is first requested.
    lines: OnceCell<Vec<u32>>,
    directives: Vec<LineDirective>,
}

#[derive(Debug)]
struct ProducedToken {
    start: u32,
    /// The position of the token's spelling: in the macro's definition, in an argument, or in the text of
    /// pasted tokens.
    spelling: u32,
    caller: Span,
    /// The outermost macro use, which is in a file and is stored because the chain of uses may be very long.
    root: Span,
    name: Arc<str>,
}

/// Maximum number of macro uses that are reported for one token, beginning with the innermost one.
const MOST_EXPANSIONS: usize = 16;

const PRODUCED: u32 = 1 << 31;

#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    files: Vec<SourceFile>,
    /// The tokens that macros produced, in ascending order of their positions.
    produced: Vec<ProducedToken>,
    files_end: u32,
    /// The end of the positions used by produced tokens, counted from [`PRODUCED`].
    produced_end: u32,
}

/// The address space is exhausted, because the source text or the expansions of macros exceed 2 GiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OutOfPositions;

impl SourceMap {
    pub(crate) fn add_file(&mut self, name: &str, text: impl Into<Arc<str>>) -> Result<Span, OutOfPositions> {
        let text = text.into();
        // The additional position belongs to the end of the file.
        let span = allocate(&mut self.files_end, text.len() + 1)?;
        self.files.push(SourceFile {
            name: name.into(),
            text,
            start: span.start,
            lines: OnceCell::new(),
            directives: Vec::new(),
        });
        Ok(Span::new(span.start, span.end - 1))
    }

    /// Adds a token that the macro `name`, used at `caller`, produced from the text at `spelling`.
    pub(crate) fn add_produced(
        &mut self,
        spelling: Span,
        caller: Span,
        name: &Arc<str>,
    ) -> Result<Span, OutOfPositions> {
        let root = self.in_file(caller);
        let length = spelling.end - spelling.start;
        let start = PRODUCED + allocate(&mut self.produced_end, length.max(1) as usize)?.start;
        self.produced.push(ProducedToken {
            start,
            spelling: spelling.start,
            caller,
            root,
            name: name.clone(),
        });
        Ok(Span::new(start, start + length))
    }

    /// Applies a `#line` directive: the line that begins at `at` gets the number `line`, and the file gets
    /// the name `name`.
    pub(crate) fn set_line(&mut self, at: u32, line: u32, name: Option<&str>) {
        let Some(index) = self.file_index(at) else { return };
        let last = self.files[index].directives.last().map_or(&self.files[index].name, |last| &last.name);
        let name = name.map_or_else(|| last.clone(), Into::into);
        let file = &mut self.files[index];
        let row = file.row(at - file.start);
        file.directives.push(LineDirective { at, index: row, line, name });
    }

    /// Returns the text of a token, even if a macro produced the token.
    pub(crate) fn text(&self, span: Span) -> &str {
        let length = (span.end - span.start) as usize;
        let start = self.spelling(span.start);
        self.file_index(start)
            .and_then(|index| {
                let file = &self.files[index];
                let offset = (start - file.start) as usize;
                file.text.get(offset..offset + length)
            })
            .unwrap_or_default()
    }

    /// Maps a span to a file, and a token that a macro produced to the macro use in the file.
    pub(crate) fn in_file(&self, span: Span) -> Span {
        let Some(produced) = self.produced_at(span.start) else { return span };
        let end = self.produced_at(span.end.saturating_sub(1)).map_or(span.end, |last| last.root.end);
        Span::new(produced.root.start, end)
    }

    /// Returns the span from the beginning of `first` to the end of `last`, after both are mapped to a file.
    pub(crate) fn join(&self, first: Span, last: Span) -> Span {
        if self.produced_at(first.start).is_none() && self.produced_at(last.start).is_none() {
            return Span::new(first.start, last.end.max(first.end));
        }
        let (first, last) = (self.in_file(first), self.in_file(last));
        Span::new(first.start, last.end.max(first.end))
    }

    /// Returns the place where a span begins or, for a token that a macro produced, the macro use in the
    /// file.
    pub(crate) fn place(&self, span: Span) -> Place {
        self.place_of(self.in_file(span).start)
    }

    /// Lists the uses of macros that produced a token, from the innermost to the outermost. The list is empty
    /// for a token that is written in a file, and contains at most [`MOST_EXPANSIONS`] uses.
    pub(crate) fn expansions(&self, span: Span) -> Vec<Expansion> {
        let mut expansions = Vec::new();
        let mut at = span.start;
        while let Some(produced) = self.produced_at(at).filter(|_| expansions.len() < MOST_EXPANSIONS) {
            let caller = self.spelling(produced.caller.start);
            expansions.push(Expansion { name: produced.name.clone(), place: self.place_of(caller) });
            at = produced.caller.start;
        }
        expansions
    }

    /// Returns the line that contains a position in a file, without the line end, and the offset of the
    /// position in the line.
    pub(crate) fn line(&self, at: u32) -> Option<(&str, usize)> {
        let file = &self.files[self.file_index(at)?];
        let offset = at - file.start;
        let start = file.lines()[file.row(offset) as usize] as usize;
        let rest = file.text.get(start..)?;
        let line = rest.lines().next().unwrap_or_default();
        Some((line, (offset as usize - start).min(line.len())))
    }

    /// Returns the file name and the line number of a span that is mapped to a file, taking `#line` into
    /// account.
    ///
    /// Unlike [`SourceMap::place`], it does not compute the column, so its cost does not depend on the length
    /// of the line.
    pub(crate) fn file_and_line(&self, span: Span) -> (Arc<str>, u32) {
        self.file_and_line_of(self.in_file(span).start)
    }

    fn place_of(&self, at: u32) -> Place {
        let (file, line) = self.file_and_line_of(at);
        let column =
            self.line(at).map_or(0, |(line, offset)| line.get(..offset).unwrap_or(line).chars().count() + 1);
        Place { file, line, column: column as u32 }
    }

    fn file_and_line_of(&self, at: u32) -> (Arc<str>, u32) {
        let Some(index) = self.file_index(at) else {
            return ("".into(), 0);
        };
        let file = &self.files[index];
        let row = file.row(at - file.start);
        let behind = file.directives.partition_point(|directive| directive.at <= at);
        match file.directives[..behind].last() {
            Some(directive) => (directive.name.clone(), directive.line.wrapping_add(row - directive.index)),
            None => (file.name.clone(), row + 1),
        }
    }

    fn spelling(&self, mut at: u32) -> u32 {
        while let Some(produced) = self.produced_at(at) {
            at = produced.spelling + (at - produced.start);
        }
        at
    }

    fn file_index(&self, at: u32) -> Option<usize> {
        if at >= PRODUCED {
            return None;
        }
        self.files.partition_point(|file| file.start <= at).checked_sub(1)
    }

    fn produced_at(&self, at: u32) -> Option<&ProducedToken> {
        if at < PRODUCED {
            return None;
        }
        let behind = self.produced.partition_point(|produced| produced.start <= at);
        self.produced.get(behind.checked_sub(1)?)
    }
}

/// Allocates positions in one half of the address space, beginning at `end`, after the positions that are
/// already in use.
fn allocate(end: &mut u32, length: usize) -> Result<Span, OutOfPositions> {
    let start = *end;
    let length = u32::try_from(length).map_err(|_| OutOfPositions)?;
    *end = start.checked_add(length).filter(|end| *end < PRODUCED).ok_or(OutOfPositions)?;
    Ok(Span::new(start, *end))
}

impl SourceFile {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    fn row(&self, offset: u32) -> u32 {
        self.lines().partition_point(|start| *start <= offset).saturating_sub(1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32, column: u32) -> Place {
        Place { file: file.into(), line, column }
    }

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let mut map = SourceMap::default();
        let file = map.add_file("a", "ab\n\u{e4}b\n").unwrap();
        let at = |offset| map.place(Span::new(file.start + offset, file.start + offset));
        assert_eq!(at(0), place("a", 1, 1));
        assert_eq!(at(2), place("a", 1, 3));
        assert_eq!(at(5), place("a", 2, 2));
        assert_eq!(at(7), place("a", 3, 1));
    }

    #[test]
    fn a_line_directive_renumbers_from_the_next_line() {
        let mut map = SourceMap::default();
        let file = map.add_file("a", "x\n#line 10 \"b\"\ny\nz\n#line 3\nw").unwrap();
        map.set_line(file.start + 15, 10, Some("b"));
        map.set_line(file.start + 27, 3, None);
        let at = |offset| map.place(Span::new(file.start + offset, file.start + offset));
        assert_eq!(at(0), place("a", 1, 1));
        assert_eq!(at(15), place("b", 10, 1));
        assert_eq!(at(17), place("b", 11, 1));
        assert_eq!(at(27), place("b", 3, 1));
    }

    #[test]
    fn a_produced_token_has_a_spelling_and_a_place_of_use() {
        let mut map = SourceMap::default();
        let file = map.add_file("a", "#define M foo\nM").unwrap();
        let (spelling, caller) =
            (Span::new(file.start + 10, file.start + 13), Span::new(file.start + 14, file.end));
        let outer = map.add_produced(spelling, caller, &"M".into()).unwrap();
        let inner = map.add_produced(outer, outer, &"foo".into()).unwrap();
        let next = map.add_file("b", "bar").unwrap();
        assert_eq!(map.text(outer), "foo");
        assert_eq!(map.text(inner), "foo");
        assert_eq!(map.text(next), "bar");
        assert_eq!(map.place(inner), place("a", 2, 1));
        let expansions = map.expansions(inner);
        let names: Vec<_> = expansions.iter().map(|expansion| &*expansion.name).collect();
        assert_eq!(names, ["foo", "M"]);
        assert_eq!(expansions[0].place, place("a", 1, 11));
        assert_eq!(expansions[1].place, place("a", 2, 1));
        assert_eq!(map.join(inner, next), Span::new(caller.start, next.end));
    }

    #[test]
    fn running_out_of_positions_is_an_error() {
        let mut map = SourceMap { files_end: PRODUCED - 3, ..SourceMap::default() };
        assert_eq!(map.add_file("a", "abcd"), Err(OutOfPositions));
        let mut map = SourceMap { produced_end: PRODUCED - 3, ..SourceMap::default() };
        let span = map.add_file("a", "abcd").unwrap();
        assert_eq!(map.add_produced(span, span, &"a".into()), Err(OutOfPositions));
    }
}
