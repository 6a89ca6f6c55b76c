use super::*;

fn session_with(text: &str) -> (Session, Lexer) {
    let mut session = Session::default();
    let span = session.sources.add_file("a.hlsl", text).unwrap();
    let lexer = Lexer::new(text.into(), span.start);
    (session, lexer)
}

/// Formats the tokens of a text as `kind:text`, in which a preceding `_` marks a space and a preceding `|` a
/// new line.
fn tokens(text: &str) -> String {
    let (mut session, mut lexer) = session_with(text);
    let mut list = Vec::new();
    loop {
        let token = lexer.next(&mut session);
        let kind = match token.kind {
            TokenKind::Name(_) => "n",
            TokenKind::Number => "d",
            TokenKind::String => "s",
            TokenKind::Punct(_) => "p",
            TokenKind::PackMatrix(_) => "m",
            TokenKind::Unknown(_) => "?",
            TokenKind::End => return list.join(" "),
        };
        let mark = match (token.first, token.spaced) {
            (true, _) => "|",
            (false, true) => "_",
            (false, false) => "",
        };
        list.push(format!("{mark}{kind}:{}", session.sources.text(token.span)));
    }
}

#[test]
fn tokens_know_the_space_and_the_line_before_them() {
    assert_eq!(tokens("a b\n  c/**/d"), "|n:a _n:b |n:c _n:d");
    assert_eq!(tokens("a\\\nb\\\r\nc"), "|n:a _n:b _n:c");
    assert_eq!(tokens("a /*\n*/ b // c \\\nd\ne"), "|n:a _n:b |n:e");
    assert_eq!(tokens("\u{feff}a\rb"), "|n:a _n:b");
}

#[test]
fn the_longest_operator_wins() {
    assert_eq!(tokens("a<<=b>>c++"), "|n:a p:<<= n:b p:>> n:c p:++");
    assert_eq!(tokens("+++"), "|p:++ p:+");
    assert_eq!(tokens("a.b ... ##"), "|n:a p:. n:b _p:... _p:##");
}

#[test]
fn joined_names_are_one_name() {
    assert_eq!(tokens("a::b::c ::d"), "|n:a::b::c _n:::d");
    assert_eq!(tokens("a::1b a:: b a:::c"), "|n:a::1b _n:a p::: _n:b _n:a p::: p:: n:c");
    assert_eq!(tokens("a:b a::::b"), "|n:a p:: n:b _n:a p::: n:::b");
    let (mut session, _) = session_with("a::b");
    let mut plain = Lexer::plain("a::b".into(), 0);
    plain.next(&mut session);
    assert_eq!(plain.next(&mut session).kind, TokenKind::Punct(Punct::Scope));
}

#[test]
fn strings_may_hold_lines_and_quotation_marks() {
    assert_eq!(tokens(r#""a\"b" "c\\"d"#), r#"|s:"a\"b" _s:"c\\" n:d"#);
    assert_eq!(tokens("\"a\nb\"c"), "|s:\"a\nb\" n:c");
}

#[test]
fn a_string_without_an_end_is_an_error() {
    let (mut session, mut lexer) = session_with("a \"b");
    lexer.next(&mut session);
    assert_eq!(lexer.next(&mut session).kind, TokenKind::String);
    assert_eq!(lexer.next(&mut session).kind, TokenKind::End);
    let codes: Vec<_> = session.diagnostics.errors().map(|error| error.code).collect();
    assert_eq!(codes, [Code::StringEof]);
}

#[test]
fn a_comment_without_an_end_is_a_warning() {
    let (mut session, mut lexer) = session_with("a /*/ b");
    lexer.next(&mut session);
    assert_eq!(lexer.next(&mut session).kind, TokenKind::End);
    let codes: Vec<_> = session.diagnostics.warnings().map(|warning| warning.code).collect();
    assert_eq!(codes, [Code::CommentEof]);
}

#[test]
fn characters_outside_the_language_are_unknown() {
    assert_eq!(tokens("a \\ $'\u{e4}\u{1f600}\0"), "|n:a _?:\\ _?:$ ?:' ?:\u{e4} ?:\u{1f600} ?:\0");
}

#[test]
fn numbers_are_tokens_without_what_follows() {
    assert_eq!(tokens("1.xxx 1..x .5f-1e-3"), "|d:1 p:. n:xxx _d:1. p:. n:x _d:.5f p:- d:1e-3");
}

#[test]
fn a_line_can_be_read_without_the_next() {
    let (mut session, mut lexer) = session_with("a b\nc");
    lexer.next(&mut session);
    assert!(lexer.next_on_line(&mut session).is_some());
    assert!(lexer.next_on_line(&mut session).is_none());
    assert!(lexer.next_on_line(&mut session).is_none());
    assert!(lexer.next(&mut session).first);
}

#[test]
fn skipped_lines_need_not_be_tokens() {
    let text = "it's \"not\nthe /* end\n#a */ \"/*\"\n # b\n";
    let (mut session, mut lexer) = session_with(text);
    lexer.skip_to_directive(&mut session);
    let token = lexer.next(&mut session);
    assert_eq!((token.kind, token.first), (TokenKind::Punct(Punct::Hash), true));
    assert_eq!(lexer.position() as usize, text.find(" b").unwrap());
    assert!(session.diagnostics.is_empty());
}

#[test]
fn header_names_are_taken_as_they_are() {
    let (mut session, mut lexer) = session_with("include/* */< a\\b >x\n\"c");
    lexer.next(&mut session);
    let span = lexer.header_name(&mut session).unwrap();
    assert_eq!(session.sources.text(span), "< a\\b >");
    lexer.next(&mut session);
    assert_eq!(lexer.header_name(&mut session), None);
}
