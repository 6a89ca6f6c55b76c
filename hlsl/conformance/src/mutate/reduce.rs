use super::{
    case::Case,
    pieces::{is_comment, pieces},
};

/// Reduces a case as long as the fault remains, with at most `tries` compilations.
pub(super) fn reduce(case: &Case, tries: usize, mut fails: impl FnMut(&Case) -> bool) -> Case {
    let mut smallest = case.clone();
    let mut left = tries;
    let mut accept = |smaller: Case, smallest: &mut Case| {
        let is_smaller = left > 0 && fails(&smaller);
        left = left.saturating_sub(1);
        if is_smaller {
            *smallest = smaller;
        }
        is_smaller
    };
    let plain = |case: &Case, set: fn(&mut Case)| {
        let mut case = case.clone();
        set(&mut case);
        case
    };
    accept(plain(&smallest, |case| case.row_major = false), &mut smallest);
    accept(plain(&smallest, |case| case.strict = false), &mut smallest);
    accept(plain(&smallest, |case| case.backwards_compatible = false), &mut smallest);
    if let Some(preprocessed) = smallest.preprocessed() {
        accept(preprocessed, &mut smallest);
    }
    loop {
        let before = smallest.source.len();
        for split in [lines, tokens] {
            remove(&mut smallest, split, &mut accept);
        }
        if smallest.source.len() == before {
            return smallest;
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn tokens(text: &str) -> Vec<&str> {
    pieces(text).into_iter().filter(|piece| !is_comment(piece)).collect()
}

/// Removes parts of the source, beginning with one half and continuing with smaller parts.
fn remove(
    smallest: &mut Case,
    split: fn(&str) -> Vec<&str>,
    accept: &mut impl FnMut(Case, &mut Case) -> bool,
) {
    let mut length = split(&smallest.source).len();
    while length > 0 {
        let mut at = 0;
        loop {
            let text = smallest.source.clone();
            let parts = split(&text);
            if at >= parts.len() {
                break;
            }
            let end = (at + length).min(parts.len());
            let source = [&parts[..at], &parts[end..]].concat().concat();
            if !accept(Case { source: source.into(), ..smallest.clone() }, smallest) {
                at = end;
            }
        }
        length /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::pool::Pool;

    #[test]
    fn reduction_keeps_the_parts_that_the_fault_needs() {
        let text =
            "float a;\n// b\nint f(int x) { return x + 1; }\nfloat4 main() : A { return f(1).xxxx; }\n";
        let case = Pool::of_text("a.hlsl", text).programs[0].clone();
        let fails = |case: &Case| case.source.contains("return") && case.source.contains("xxxx");
        let reduced = reduce(&Case { strict: true, ..case }, 1000, fails);
        assert_eq!(&*reduced.source, "returnxxxx");
        assert!(!reduced.strict);
    }
}
