use super::*;

/// Returns the line, the column and the enclosing macros of each token with a text.
fn places(text: &str, name: &str) -> Vec<(u32, u32, Vec<String>)> {
    let mut session = Session::default();
    let tokens = preprocess_tokens(&mut session, "main.hlsl", text, &PreprocessOptions::default());
    let spelled = tokens.iter().filter(|token| session.sources.text(token.span) == name);
    spelled
        .map(|token| {
            let place = session.sources.place(token.span);
            let macros = session.sources.expansions(token.span);
            let macros = macros.iter().map(|expansion| expansion.name.to_string()).collect();
            (place.line, place.column, macros)
        })
        .collect()
}

#[test]
fn a_token_of_a_macro_is_placed_at_the_use() {
    assert_eq!(places("#define A x\n  A", "x"), [(2, 3, vec!["A".to_owned()])]);
    let both = vec!["B".to_owned(), "A".to_owned()];
    assert_eq!(places("#define A B\n#define B x\n A", "x"), [(3, 2, both)]);
}

#[test]
fn an_argument_is_placed_where_it_is_written() {
    assert_eq!(places("#define F(a) a a\nF( x)", "x"), [(2, 4, vec![]), (2, 4, vec![])]);
}

#[test]
fn created_tokens_are_placed_at_the_use() {
    assert_eq!(places("#define F(a) a##y\n F(x)", "xy"), [(2, 2, vec!["F".to_owned()])]);
    assert_eq!(places("#define F(a) #a\n F(x)", "\"x\""), [(2, 2, vec!["F".to_owned()])]);
    assert_eq!(places("\n __LINE__", "2"), [(2, 2, vec!["__LINE__".to_owned()])]);
}

#[test]
fn parts_of_joined_names_have_places_of_their_own() {
    assert_eq!(places("a::b", "b"), [(1, 4, vec![])]);
    assert_eq!(places("#define A a::b\nA", "b"), [(2, 1, vec!["A".to_owned()])]);
}

#[test]
fn the_end_token_is_after_the_text() {
    let mut session = Session::default();
    let tokens = preprocess_tokens(&mut session, "main.hlsl", "a\nb", &PreprocessOptions::default());
    let end = tokens.last().unwrap();
    assert_eq!(end.kind, TokenKind::End);
    assert_eq!(session.sources.place(end.span).line, 2);
}

#[test]
fn the_first_token_of_a_line_is_marked() {
    let mut session = Session::default();
    let text = "#define E\n#define A x y\nA z\nE w";
    let tokens = preprocess_tokens(&mut session, "main.hlsl", text, &PreprocessOptions::default());
    let firsts: Vec<_> = tokens.iter().map(|token| token.first).collect();
    assert_eq!(firsts, [true, false, false, true, true]);
}
