use super::*;

#[test]
fn a_hash_is_a_directive_only_at_the_beginning_of_a_line() {
    assert_eq!(clean(" /**/ # /**/ define A b\nA"), "b");
    assert_eq!(clean("a #define A b\nA"), "a # define A b A");
    assert_eq!(clean("#\na"), "a");
}

#[test]
fn continued_lines_and_comments_are_space() {
    assert_eq!(clean("#define \\\n A \\\r\n b\nA c"), "b c");
    assert_eq!(clean("#define A a /* 1\n2 */ b // c\nA"), "a b");
    assert_eq!(clean("#define A \\ \nb A"), "b \\");
    assert_eq!(clean("a//b \\\nc\nd/**/e"), "a d e");
    assert_eq!(clean("#define\rA(x,\ry)\rx##y\r\nA(b\r,\rc)\r\n"), "bc");
}

#[test]
fn unknown_directives_are_ignored_with_a_warning() {
    assert_eq!(run("#no \"such\nthing"), ("thing".into(), vec![Code::UnknownDirective]));
    assert_eq!(run("#define::a b\n::a"), ("::a".into(), vec![Code::UnknownDirective]));
    assert_eq!(run("#\"a\"\nb"), ("b".into(), vec![Code::UnknownDirective]));
}

#[test]
fn error_is_an_error_with_its_text() {
    assert_eq!(errors("#error\na"), [Code::ErrorDirective]);
    let errors = preprocess("# error  it's \"A\\\n B // c\na", "main.hlsl", &PreprocessOptions::default());
    let errors = errors.unwrap_err();
    let error = errors.errors().next().unwrap();
    assert_eq!(error.message, "#error it's \"A\\\n B // c");
    assert_eq!((error.place.line, error.place.column), (1, 1));
}

#[test]
fn line_sets_the_number_of_the_next_line() {
    assert_eq!(clean("#line 10\n__LINE__\n\n__LINE__"), "10 12");
    assert_eq!(clean("#line 10 \"a\"\n\n\n__LINE__ __FILE__"), "12 \"a\"");
    assert_eq!(clean("#line 10 \"a\"\n#line 20\n__LINE__ __FILE__"), "20 \"a\"");
    assert_eq!(clean("#define N 7\n#line N\n__LINE__"), "7");
    assert_eq!(clean("# 5 \"b\" 1 3\n__LINE__ __FILE__"), "5 \"b\"");
    assert_eq!(run("#line 5 \"b\" c\n__LINE__"), ("5".into(), vec![Code::UnexpectedTokens]));
    assert_eq!(clean("#line 5 // c\n__LINE__"), "5");
    for text in ["#line", "#line a", "#line 1.5", "#line 1 a"] {
        assert_eq!(errors(&format!("{text}\na")), [Code::PreprocessorSyntax], "{text}");
    }
}

#[test]
fn messages_use_the_lines_that_the_line_directive_sets() {
    let text = "#line 100 \"x.hlsl\"\n\n#error no";
    let errors = preprocess(text, "main.hlsl", &PreprocessOptions::default()).unwrap_err();
    assert_eq!(errors.to_string(), "x.hlsl(101,1-9): error X9001: #error no\n    #error no\n    ^~~~~~~~~");
}
