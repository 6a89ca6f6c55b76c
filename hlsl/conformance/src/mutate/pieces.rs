/// Splits a text into pieces that give the same text when joined.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (piece, after) = rest.split_at(length(rest, first));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

pub(super) fn is_token(piece: &str) -> bool {
    !piece.starts_with(char::is_whitespace) && !is_comment(piece)
}

pub(super) fn is_comment(piece: &str) -> bool {
    piece.starts_with("//") || piece.starts_with("/*")
}

pub(super) fn is_number(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn is_word(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Operators of several characters, because each operator must be a single piece.
const OPERATORS: [&str; 21] = [
    "<<=", ">>=", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "<<", ">>", "::",
];

fn length(text: &str, first: char) -> usize {
    let while_true = |f: &dyn Fn(char) -> bool| text.find(|c| !f(c)).unwrap_or(text.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return text.find("*/").map_or(text.len(), |at| at + 2);
    }
    match first {
        '\n' => 1,
        _ if first.is_whitespace() => while_true(&|c| c.is_whitespace() && c != '\n'),
        '0'..='9' => while_true(&|c| c.is_ascii_alphanumeric() || c == '.'),
        _ if first.is_ascii_alphabetic() || first == '_' => {
            while_true(&|c| c.is_ascii_alphanumeric() || c == '_')
        }
        '"' => {
            let line = text.find('\n').unwrap_or(text.len());
            text[1..line].find('"').map_or(line, |at| at + 2)
        }
        _ if !text[first.len_utf8()..].starts_with(['=', '<', '>', '+', '-', '&', '|', ':']) => {
            first.len_utf8()
        }
        _ => {
            let operator = OPERATORS.into_iter().find(|operator| text.starts_with(operator));
            operator.map_or(first.len_utf8(), str::len)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_pieces_give_the_text() {
        let text = "#if A\n\tx+=1.5e3f; // a\n/* b */y>>=\"s\" \u{e4}/* open";
        let pieces = pieces(text);
        assert_eq!(pieces.concat(), text);
        let tokens: Vec<_> = pieces.iter().copied().filter(|piece| is_token(piece)).collect();
        assert_eq!(tokens, ["#", "if", "A", "x", "+=", "1.5e3f", ";", "y", ">>=", "\"s\"", "\u{e4}"]);
        assert!(is_number("1.5e3f") && is_word("x") && !is_word("+=") && is_comment("/* open"));
    }
}
