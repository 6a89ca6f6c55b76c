//! Texts, positions in them, and where the tokens of macros come from.
//!
//! A compilation has one space of positions. Each file occupies a range of its lower half, in the order of inclusion.
//! Each token that a macro produced occupies a range of the upper half: a record says where the token is spelled and
//! which use of the macro produced it. So a position is four bytes, a [`Span`] is eight, and both places can be asked for at any time. The
//! scheme is that of Clang's `SourceManager`.

use std::{cell::OnceCell, sync::Arc};

/// A range of positions: `start` is in it, `end` is not.
///
/// Of a whole construct whose first and last tokens come from different macros, the span is that of the places where
/// the macros are used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Span {
    /// The first position.
    pub(crate) start: u32,
    /// The position behind the last.
    pub(crate) end: u32,
}

impl Span {
    /// The span from one position to another.
    pub(crate) fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The empty span at the beginning of this one.
    pub(crate) fn beginning(self) -> Span {
        Span { start: self.start, end: self.start }
    }

    /// The empty span behind this one.
    pub(crate) fn ending(self) -> Span {
        Span { start: self.end, end: self.end }
    }
}

/// A place in a text, as people count: from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file's name, after `#line`.
    pub file: Arc<str>,
    /// The line, after `#line`.
    pub line: u32,
    /// The column, in characters. A tab counts as one.
    pub column: u32,
}

/// One use of a macro that a token came through, the innermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The macro's name.
    pub name: Arc<str>,
    /// Where it is used. For a macro within a macro's text, a place in that text.
    pub place: Place,
}

/// What `#line` says of the lines behind it.
#[derive(Debug)]
struct LineDirective {
    /// The position where the next line begins.
    at: u32,
    /// The index of that line in the file, from 0.
    index: u32,
    /// The number that the line has from now on.
    line: u32,
    /// The file's name from now on.
    name: Arc<str>,
}

#[derive(Debug)]
struct File {
    name: Arc<str>,
    text: Arc<str>,
    start: u32,
    /// Offsets in the text at which lines begin, when a line was asked for.
    lines: OnceCell<Vec<u32>>,
    directives: Vec<LineDirective>,
}

/// A token that a macro produced.
#[derive(Debug)]
struct Produced {
    start: u32,
    /// Where the token is spelled: in the macro's text, in an argument, or in the text of pasted tokens.
    spelling: u32,
    /// The use of the macro.
    caller: Span,
    /// The use in a file through which all the macros came. Kept, as there may be very many of them.
    root: Span,
    name: Arc<str>,
}

/// So many uses of macros are shown for one token, the innermost.
const MOST_EXPANSIONS: usize = 16;

/// The first position of tokens that macros produced.
const PRODUCED: u32 = 1 << 31;

/// The texts of one compilation.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    /// In rising order of their positions.
    files: Vec<File>,
    /// The same.
    produced: Vec<Produced>,
    /// Where the files end.
    files_end: u32,
    /// Where the produced tokens end, counted from [`PRODUCED`].
    produced_end: u32,
}

/// The space of positions is used up: the texts or the uses of macros are more than 2 GiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OutOfPositions;

impl SourceMap {
    /// Adds a text. The span covers it.
    pub(crate) fn add_file(&mut self, name: &str, text: impl Into<Arc<str>>) -> Result<Span, OutOfPositions> {
        let text = text.into();
        // One position more, so that the end of a file is a position of its own.
        let span = allocate(&mut self.files_end, text.len() + 1)?;
        self.files.push(File {
            name: name.into(),
            text,
            start: span.start,
            lines: OnceCell::new(),
            directives: Vec::new(),
        });
        Ok(Span::new(span.start, span.end - 1))
    }

    /// Adds a token that the macro `name`, used at `caller`, produced. The token is spelled at `spelling`.
    pub(crate) fn add_produced(
        &mut self,
        spelling: Span,
        caller: Span,
        name: &Arc<str>,
    ) -> Result<Span, OutOfPositions> {
        let root = self.in_file(caller);
        let length = spelling.end - spelling.start;
        let start = PRODUCED + allocate(&mut self.produced_end, length.max(1) as usize)?.start;
        self.produced.push(Produced { start, spelling: spelling.start, caller, root, name: name.clone() });
        Ok(Span::new(start, start + length))
    }

    /// `#line`: the line that begins at `at` has the number `line`, and the file is called `name`.
    pub(crate) fn set_line(&mut self, at: u32, line: u32, name: Option<&str>) {
        let Some(index) = self.file_index(at) else { return };
        let last = self.files[index].directives.last().map_or(&self.files[index].name, |last| &last.name);
        let name = name.map_or_else(|| last.clone(), Into::into);
        let file = &mut self.files[index];
        let row = file.row(at - file.start);
        file.directives.push(LineDirective { at, index: row, line, name });
    }

    /// The text of a token, as it is spelled.
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

    /// The span in a file where this one is seen by its reader: of a token of a macro, where the macro is used.
    pub(crate) fn in_file(&self, span: Span) -> Span {
        let Some(produced) = self.produced_at(span.start) else { return span };
        let end = self.produced_at(span.end.saturating_sub(1)).map_or(span.end, |last| last.root.end);
        Span::new(produced.root.start, end)
    }

    /// The span from the beginning of one to the end of another, in the file that its reader sees.
    pub(crate) fn join(&self, first: Span, last: Span) -> Span {
        if self.produced_at(first.start).is_none() && self.produced_at(last.start).is_none() {
            return Span::new(first.start, last.end.max(first.end));
        }
        let (first, last) = (self.in_file(first), self.in_file(last));
        Span::new(first.start, last.end.max(first.end))
    }

    /// The place of a span's beginning. Of a token of a macro, where the macro is used.
    pub(crate) fn place(&self, span: Span) -> Place {
        self.place_of(self.in_file(span).start)
    }

    /// Through which macros a token came, the innermost first. Empty for a token that stands in a file.
    ///
    /// Of a long chain of macros, the beginning.
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

    /// The line of a position in a file without its end, the offset of the position in it, and the line's number.
    pub(crate) fn line(&self, at: u32) -> Option<(&str, usize)> {
        let file = &self.files[self.file_index(at)?];
        let offset = at - file.start;
        let start = file.lines()[file.row(offset) as usize] as usize;
        let rest = file.text.get(start..)?;
        let line = rest.lines().next().unwrap_or_default();
        Some((line, (offset as usize - start).min(line.len())))
    }

    /// The name of the file and the number of the line, after `#line`, where a span is seen by its reader.
    ///
    /// Of [`SourceMap::place`], this is the part that does not depend on the length of the line.
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

    fn produced_at(&self, at: u32) -> Option<&Produced> {
        if at < PRODUCED {
            return None;
        }
        let behind = self.produced.partition_point(|produced| produced.start <= at);
        self.produced.get(behind.checked_sub(1)?)
    }
}

/// Takes positions of one half of the space, which ends at `end`.
fn allocate(end: &mut u32, length: usize) -> Result<Span, OutOfPositions> {
    let start = *end;
    let length = u32::try_from(length).map_err(|_| OutOfPositions)?;
    *end = start.checked_add(length).filter(|end| *end < PRODUCED).ok_or(OutOfPositions)?;
    Ok(Span::new(start, *end))
}

impl File {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    /// The index of the line that holds an offset.
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
    fn lines_and_columns_count_from_one_and_in_characters() {
        let mut map = SourceMap::default();
        let file = map.add_file("a", "ab\n\u{e4}b\n").unwrap();
        let at = |offset| map.place(Span::new(file.start + offset, file.start + offset));
        assert_eq!(at(0), place("a", 1, 1));
        assert_eq!(at(2), place("a", 1, 3));
        assert_eq!(at(5), place("a", 2, 2));
        assert_eq!(at(7), place("a", 3, 1));
    }

    #[test]
    fn a_line_directive_counts_from_the_line_behind_it() {
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
    fn a_produced_token_is_spelled_in_the_macro_and_stands_where_it_is_used() {
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
    fn positions_that_are_used_up_are_an_error() {
        let mut map = SourceMap { files_end: PRODUCED - 3, ..SourceMap::default() };
        assert_eq!(map.add_file("a", "abcd"), Err(OutOfPositions));
        let mut map = SourceMap { produced_end: PRODUCED - 3, ..SourceMap::default() };
        let span = map.add_file("a", "abcd").unwrap();
        assert_eq!(map.add_produced(span, span, &"a".into()), Err(OutOfPositions));
    }
}
