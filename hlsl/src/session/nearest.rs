//! The search for a "did you mean" hint: the known name that is most similar to an unknown name.

/// Maximum length in bytes of a name for which a similar name is searched.
const LONGEST: usize = 64;

pub(crate) const MOST_COMPARED: u32 = 1 << 16;

pub(crate) struct Nearest<'w, 'k> {
    wanted: Vec<u8>,
    written: &'w str,
    best: Option<(usize, &'k str)>,
    limit: usize,
}

impl<'w, 'k> Nearest<'w, 'k> {
    /// Begins a search for names similar to `written`, in which a name of one or two letters matches only if
    /// just the case differs.
    pub(crate) fn new(written: &'w str) -> Self {
        let limit = match written.len() {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        Self { wanted: lower(written), written, best: None, limit }
    }

    /// Compares a name with the best name so far and, if both are equally similar, keeps the first in
    /// alphabetical order.
    pub(crate) fn compare(&mut self, name: &'k str) {
        if name == self.written
            || name.len().abs_diff(self.written.len()) > self.limit
            || name.len() > LONGEST
        {
            return;
        }
        let distance = distance(&self.wanted, &lower(name), self.limit);
        if let Some(found) = distance.map(|distance| (distance, name)).filter(|found| self.is_better(*found))
        {
            self.best = Some(found);
        }
    }

    fn is_better(&self, found: (usize, &str)) -> bool {
        self.best.is_none_or(|best| found < best)
    }

    pub(crate) fn name(&self) -> Option<&'k str> {
        self.best.map(|(_, name)| name)
    }
}

fn lower(name: &str) -> Vec<u8> {
    name.to_ascii_lowercase().into_bytes()
}

/// Returns the number of letters that must be inserted, removed, replaced or swapped with a neighbour, or
/// `None` if it exceeds the limit.
fn distance(one: &[u8], other: &[u8], limit: usize) -> Option<usize> {
    // The rows of the table for the last two processed letters of `one`.
    let (mut earlier, mut above): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=other.len()).collect());
    for (row, letter) in one.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, with) in other.iter().enumerate() {
            let replaced = above[column] + usize::from(letter != with);
            let mut least = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            let is_swap = row > 0 && column > 0 && *letter == other[column - 1] && one[row - 1] == *with;
            if is_swap {
                least = least.min(earlier[column - 1] + 1);
            }
            current.push(least);
        }
        if current.iter().all(|distance| *distance > limit) {
            return None;
        }
        earlier = std::mem::replace(&mut above, current);
    }
    above.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest<'a>(written: &'a str, names: &[&'a str]) -> Option<&'a str> {
        let mut nearest = Nearest::new(written);
        for name in names {
            nearest.compare(name);
        }
        nearest.name()
    }

    #[test]
    fn distance_counts_inserted_removed_and_swapped_letters() {
        for near in ["colr", "colour", "cxlor", "oclor", "COLOR"] {
            assert_eq!(nearest(near, &["light", "color"]), Some("color"), "{near}");
        }
        assert_eq!(nearest("normlaised", &["normalized"]), Some("normalized"));
    }

    #[test]
    fn short_names_and_distant_ones_have_no_neighbour() {
        assert_eq!(nearest("a", &["b", "ab"]), None);
        assert_eq!(nearest("n", &["N"]), Some("N"));
        assert_eq!(nearest("uv", &["v", "uvw"]), None);
        assert_eq!(nearest("color", &["cooler", "color"]), None);
        assert_eq!(nearest("", &["a"]), None);
        assert_eq!(nearest("normal", &["nomrla"]), Some("nomrla"));
        assert_eq!(nearest("normal", &["formula"]), None);
    }

    #[test]
    fn the_nearest_name_wins_and_ties_are_alphabetical() {
        assert_eq!(nearest("lights", &["slights_", "light", "bights"]), Some("bights"));
        let long = "a".repeat(65);
        assert_eq!(nearest(&long[1..], &[&long]), None);
    }
}
