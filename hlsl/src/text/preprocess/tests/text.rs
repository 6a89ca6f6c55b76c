use super::*;

#[track_caller]
fn text_of(text: &str, options: &PreprocessOptions<'_>) -> String {
    preprocess(text, "main.hlsl", options).unwrap().text
}

#[test]
fn tokens_stay_on_their_lines() {
    let options = PreprocessOptions::default();
    assert_eq!(text_of("a b\n\nc", &options), "#line 1 \"main.hlsl\"\na b \n\nc \n");
    assert_eq!(text_of("", &options), "#line 1 \"main.hlsl\"\n");
    let far = format!("a{}b", "\n".repeat(20));
    assert_eq!(text_of(&far, &options), "#line 1 \"main.hlsl\"\na \n#line 21 \"main.hlsl\"\nb \n");
}

#[test]
fn arguments_on_several_lines_become_one_line() {
    let text = "#define F(x, y) x + y\nF(a,\nb) c\nd";
    let expected = "#line 1 \"main.hlsl\"\n\na + b c \n\nd \n";
    assert_eq!(text_of(text, &PreprocessOptions::default()), expected);
}

#[test]
fn a_macro_without_a_text_does_not_move_the_line() {
    let text = "#define E\na\nE b\nE\nE c";
    let expected = "#line 1 \"main.hlsl\"\n\na \nb \n\nc \n";
    assert_eq!(text_of(text, &PreprocessOptions::default()), expected);
}

#[test]
fn an_included_file_has_its_lines_and_its_name() {
    let files = TextIncludes::new().with_text("lib/a", "\nx");
    let options = PreprocessOptions { include: Some(&files), ..PreprocessOptions::default() };
    let expected = "#line 1 \"main.hlsl\"\n#line 2 \"lib/a\"\nx \n#line 2 \"main.hlsl\"\ny \n";
    assert_eq!(text_of("#include \"lib/a\"\ny", &options), expected);
}

#[test]
fn a_string_over_several_lines_counts_them() {
    let expected = "#line 1 \"main.hlsl\"\n\"a\nb\" \nc \n";
    assert_eq!(text_of("\"a\nb\"\nc", &PreprocessOptions::default()), expected);
}

#[test]
fn names_of_files_are_quoted() {
    let result = preprocess("a", "C:\\a \"b\".hlsl", &PreprocessOptions::default()).unwrap();
    assert_eq!(result.text, "#line 1 \"C:\\\\a \\\"b\\\".hlsl\"\na \n");
    let again = preprocess(&result.text, "x", &PreprocessOptions::default()).unwrap();
    assert_eq!(again.text, format!("#line 1 \"x\"\n{}", result.text));
}

#[test]
fn separate_tokens_stay_separate() {
    let text = "#define F(x) -x .x\n#define M -\nF(-1) - M -1 a::b a :: b + + a::1__LINE__ 1 x";
    let (once, _) = tokens(text, &PreprocessOptions::default());
    let (twice, _) = tokens(&text_of(text, &PreprocessOptions::default()), &PreprocessOptions::default());
    assert_eq!(once, twice);
}
