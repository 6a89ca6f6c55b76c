use std::borrow::Cow;

use super::{
    pieces::{is_number, is_token, is_word, pieces},
    random::Random,
    words::{ALIKE, NUMBERS, SIGNS, WORDS},
};

/// Maximum length of a program in bytes, at which repetitions stop.
const LONGEST: usize = 64 << 10;

/// Mutates a program at one or more positions, possibly with inserted pieces of the program `other`.
pub(super) fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut mutation = Mutation { pieces: pieces(text).into_iter().map(Cow::Borrowed).collect(), random };
    let other = pieces(other);
    let times = [1, 1, 1, 1, 2, 2, 3, 8][mutation.random.below(8)];
    for _ in 0..times {
        mutation.step(&other);
    }
    let text = mutation.pieces.concat();
    if random.once_in(24) { bytes(&text, random) } else { text }
}

/// Changes random bytes, and then replaces invalid UTF-8.
fn bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            _ => bytes.insert(at, random.below(128) as u8),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Mutation<'a, 'r> {
    pieces: Vec<Cow<'a, str>>,
    random: &'r mut Random,
}

impl<'a> Mutation<'a, '_> {
    fn step(&mut self, other: &[&'a str]) {
        match self.random.below(30) {
            0 => drop(self.pieces.drain(self.random.range(self.pieces.len(), 4))),
            1 => self.duplicate(),
            2 => self.swap(),
            3 | 4 => self.replace_by_like(other),
            5 => self.insert_word(),
            6 => self.lines_of(other),
            7..10 => self.items_of(other),
            10..13 => self.number(),
            13..16 => self.other_name(),
            16..26 => self.alike(),
            26 | 27 => self.nest(),
            28 => self.repeat(),
            _ => self.drop_line(),
        }
    }

    fn token(&mut self, suits: impl Fn(&str) -> bool) -> Option<usize> {
        let start = self.random.below(self.pieces.len());
        let around = (start..self.pieces.len()).chain(0..start);
        around.into_iter().find(|index| is_token(&self.pieces[*index]) && suits(&self.pieces[*index]))
    }

    fn duplicate(&mut self) {
        let range = self.random.range(self.pieces.len(), 8);
        let copy = self.pieces[range].to_vec();
        let at = self.random.below(self.pieces.len() + 1);
        self.pieces.splice(at..at, copy);
    }

    fn swap(&mut self) {
        if let (Some(a), Some(b)) = (self.token(|_| true), self.token(|_| true)) {
            self.pieces.swap(a, b);
        }
    }

    /// Replaces a token with a token of another program, usually of the same kind.
    fn replace_by_like(&mut self, other: &[&'a str]) {
        let Some(index) = self.token(|_| true) else { return };
        let old = self.pieces[index].clone();
        let any = self.random.once_in(4);
        let like: Vec<_> = other
            .iter()
            .copied()
            .filter(|new| {
                is_token(new) && (any || (is_word(new), is_number(new)) == (is_word(&old), is_number(&old)))
            })
            .collect();
        if let Some(new) = self.random.choose(&like) {
            self.pieces[index] = Cow::Borrowed(new);
        }
    }

    fn insert_word(&mut self) {
        let Some(index) = self.token(|_| true) else { return };
        let words: &[&str] = if self.random.once_in(3) { &SIGNS } else { &WORDS };
        let word = format!(" {} ", self.random.choose(words).unwrap_or(&""));
        if self.random.once_in(2) {
            self.pieces[index] = Cow::Owned(word);
        } else {
            self.pieces.insert(index, Cow::Owned(word));
        }
    }

    fn lines_of(&mut self, other: &[&'a str]) {
        let lines: Vec<_> = other.split_inclusive(|piece| *piece == "\n").collect();
        let range = self.random.range(lines.len(), 12);
        let inserted = lines[range].concat();
        let ends: Vec<_> = (0..self.pieces.len()).filter(|index| self.pieces[*index] == "\n").collect();
        let at = self.random.choose(&ends).map_or(0, |end| end + 1);
        self.pieces.splice(at..at, inserted.into_iter().map(Cow::Borrowed));
    }

    fn items_of(&mut self, other: &[&'a str]) {
        let items = items(other);
        let range = self.random.range(items.len(), 4);
        let inserted = items[range].concat();
        self.pieces.splice(0..0, inserted.into_iter().map(Cow::Borrowed));
    }

    fn alike(&mut self) {
        let alike = |token: &str| ALIKE.iter().find(|words| words.contains(&token));
        let Some(index) = self.token(|token| alike(token).is_some()) else { return };
        let words = alike(&self.pieces[index]).copied().unwrap_or_default();
        if let Some(word) = self.random.choose(words) {
            self.pieces[index] = Cow::Borrowed(word);
        }
    }

    fn number(&mut self) {
        let Some(index) = self.token(is_number) else { return };
        if let Some(number) = self.random.choose(&NUMBERS) {
            self.pieces[index] = Cow::Borrowed(number);
        }
    }

    fn other_name(&mut self) {
        if let (Some(to), Some(from)) = (self.token(is_word), self.token(is_word)) {
            self.pieces[to] = self.pieces[from].clone();
        }
    }

    /// Nests a bracketed piece of the program in itself, possibly many times.
    fn nest(&mut self) {
        let Some(open) = self.token(|token| matches!(token, "(" | "[" | "{")) else { return };
        let Some(close) = self.closing(open) else { return };
        let inside = close - open - 1;
        let at = open + 1 + self.random.below(inside.max(1)).min(inside);
        let before = self.pieces[open..at].concat();
        let after = self.pieces[at..=close].concat();
        let times = self.random.repeats().min(LONGEST / (before.len() + after.len()));
        self.pieces[open..at].fill(Cow::Borrowed(""));
        self.pieces[at..=close].fill(Cow::Borrowed(""));
        self.pieces[open] = Cow::Owned(before.repeat(times.max(1)));
        self.pieces[close] = Cow::Owned(after.repeat(times.max(1)));
    }

    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (index, piece) in self.pieces.iter().enumerate().skip(open) {
            match &**piece {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }

    fn repeat(&mut self) {
        let range = if self.random.once_in(2) {
            self.random.range(self.pieces.len(), 6)
        } else {
            self.random.range(self.pieces.len(), 40)
        };
        let text = self.pieces[range.clone()].concat();
        if let Some(first) = self.pieces.get_mut(range.start) {
            let times = self.random.repeats().min(LONGEST / text.len().max(1));
            *first = Cow::Owned(text.repeat(times) + first);
        }
    }

    fn drop_line(&mut self) {
        let ends: Vec<_> = (0..self.pieces.len()).filter(|index| self.pieces[*index] == "\n").collect();
        let Some(end) = self.random.choose(&ends).copied() else { return };
        let start = self.pieces[..end].iter().rposition(|piece| piece == "\n").map_or(0, |at| at + 1);
        self.pieces.drain(start..=end);
    }
}

/// Returns approximately the declarations of a program: sequences of pieces that end with `;` or `}` outside
/// braces.
fn items<'a, 'p>(pieces: &'p [&'a str]) -> Vec<&'p [&'a str]> {
    let mut depth = 0_i32;
    let ends = move |piece: &&'a str| {
        match *piece {
            "{" => depth += 1,
            "}" => depth -= 1,
            ";" => {}
            _ => return false,
        }
        depth == 0
    };
    pieces.split_inclusive(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_and_index_determine_the_text() {
        let (text, other) = ("float4 main(float a : A) : B { return a * (1 + 2); }\n", "int b;\nint c[2];\n");
        let texts: Vec<_> = (0..500).map(|index| mutate(text, other, &mut Random::new(1, index))).collect();
        let again: Vec<_> = (0..500).map(|index| mutate(text, other, &mut Random::new(1, index))).collect();
        assert_eq!(texts, again);
        let changed = texts.iter().filter(|changed| *changed != text).count();
        assert!(changed > 400, "{changed}");
        assert!(texts.iter().any(|text| text.contains("int c[2];")));
        assert!(texts.iter().any(|text| text.contains("((")));
        assert!(texts.iter().all(|text| text.len() <= 16 * LONGEST));
    }

    #[test]
    fn a_program_is_split_into_declarations() {
        let pieces = pieces("int a;struct S { int b; };void f() { if (a) { } }");
        let items: Vec<_> = items(&pieces).iter().map(|item| item.concat()).collect();
        assert_eq!(items, ["int a;", "struct S { int b; }", ";", "void f() { if (a) { } }"]);
    }

    #[test]
    fn an_empty_text_can_be_changed() {
        for index in 0..300 {
            mutate("", "", &mut Random::new(2, index));
        }
    }
}
