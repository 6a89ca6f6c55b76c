use super::*;

#[track_caller]
fn holds(expression: &str) -> bool {
    clean(&format!("#if {expression}\nyes\n#else\nno\n#endif")) == "yes"
}

#[test]
fn a_condition_chooses_one_of_its_parts() {
    let text = |a, b| format!("#if {a}\nA\n#elif {b}\nB\n#else\nC\n#endif\nD");
    assert_eq!(clean(&text(1, 1)), "A D");
    assert_eq!(clean(&text(0, 1)), "B D");
    assert_eq!(clean(&text(0, 0)), "C D");
    assert_eq!(clean("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#endif"), "c");
    assert_eq!(clean("#if 1\n#if 0\na\n#endif\nb\n#else\nc\n#endif"), "b");
    assert_eq!(clean("#if 0\n#elif 1\na\n#elif 1\nb\n#else\nc\n#endif"), "a");
}

#[test]
fn four_directives_test_whether_a_macro_is_defined() {
    for question in ["ifdef A", "if defined A", "if defined(A)", "if defined ( A )", "if !(!defined(A))"] {
        assert_eq!(clean(&format!("#define A\n#{question}\nyes\n#else\nno\n#endif")), "yes", "{question}");
        assert_eq!(clean(&format!("#{question}\nyes\n#else\nno\n#endif")), "no", "{question}");
    }
    assert_eq!(clean("#define A B\n#ifndef A\nno\n#endif\n#ifndef B\nyes\n#endif"), "yes");
    assert_eq!(clean("#define A B\n#define HAS defined(A) && !defined B\n#if HAS\nyes\n#endif"), "yes");
    assert_eq!(clean("#define F(x) x\n#define A 1\n#if F(defined(A))\nyes\n#endif"), "yes");
}

#[test]
fn operators_bind_as_in_c() {
    for expression in [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 - 4 - 3 == 3",
        "100 / 10 / 5 == 2",
        "7 % 4 == 3",
        "1 << 2 + 1 == 8",
        "1 << 33 == 2",
        "-1 >> 31 == 1",
        "(1 | 2 ^ 3 & 6) == 1",
        "1 == 1 & 1",
        "0 && 0 || 1",
        "1 || 0 && 0",
        "!0 + !5 == 1",
        "~0 == 0xffffffff",
        "- - 1 == +1",
        "(1 ? 2 : 3) == 2",
        "(0 ? 2 : 0 ? 3 : 4) == 4",
        "1 ? 1 : 0 ? 0 : 0",
        "3 != 4",
        "2 >= 2 && 2 <= 2 && 1 < 2 && 2 > 1",
    ] {
        assert!(holds(expression), "{expression}");
    }
}

#[test]
fn numbers_are_unsigned_and_have_32_bits() {
    assert!(holds("-1 > 0"));
    assert!(holds("-1 == 4294967295"));
    assert!(holds("-6 / 2 == 0x7ffffffd"));
    assert!(holds("0x100000002 == 2ul"));
    assert!(holds("010 == 8"));
    assert!(!holds("0 - 1 < 0"));
    assert!(!holds("unknown"));
    assert!(holds("unknown == 0"));
}

#[test]
fn macros_in_an_expression_are_expanded() {
    assert_eq!(clean("#define LESS(a, b) a < b\n#define N 2\n#if LESS(1, N)\nyes\n#endif"), "yes");
    assert_eq!(clean("#define EQUAL ==\n#if 1 EQUAL 1\nyes\n#endif"), "yes");
    assert_eq!(clean("\n#if __LINE__ == 2\nyes\n#endif"), "yes");
}

#[test]
fn parts_of_an_expression_may_come_from_macros() {
    let macros =
        "#define OPEN (\n#define CLOSE )\n#define ASK defined(\n#define AND &&\n#define A\n#define F(x) x\n";
    for expression in [
        "(1 CLOSE",
        "OPEN 1)",
        "OPEN OPEN 1 CLOSE CLOSE == 1",
        "defined(A CLOSE",
        "ASK A)",
        "ASK A CLOSE AND !defined(B CLOSE",
        "F(1) AND F == 0",
    ] {
        let text = format!("{macros}#if {expression}\nyes\n#else\nno\n#endif");
        assert_eq!(clean(&text), "yes", "{expression}");
    }
    // The arguments of `F` end before macros are expanded.
    let text = format!("{macros}#if F(1 CLOSE\nyes\n#else\nno\n#endif");
    assert_eq!(run(&text), ("no".into(), vec![Code::MacroEof]));
}

#[test]
fn a_name_with_arguments_that_is_not_a_macro_is_0() {
    let warned = vec![Code::UnexpectedTokens];
    for expression in ["unknown(1)", "unknown((1), 2 3)", "unknown()", "1 && unknown(A)"] {
        let text = format!("#define A 1\n#if {expression}\nyes\n#else\nno\n#endif");
        assert_eq!(run(&text), ("no".into(), warned.clone()), "{expression}");
    }
    assert_eq!(run("#if !unknown(1)\nyes\n#endif"), ("yes".into(), warned));
    assert_eq!(errors("#if unknown(1\n#endif"), [Code::InvalidExpression]);
    assert_eq!(errors("#if unknown(1) 2\n#endif"), [Code::InvalidExpression]);
}

#[test]
fn an_expression_without_an_integer_value_is_an_error() {
    for expression in [
        "",
        "1 +",
        "(1",
        "1)",
        "1 2",
        "1.5",
        "\"a\"",
        "1 ? 2",
        "defined",
        "defined(A",
        "defined 1",
        "09",
        "1 = 1",
        ", 1",
    ] {
        assert_eq!(errors(&format!("#if {expression}\n#endif")), [Code::InvalidExpression], "{expression}");
    }
    assert_eq!(errors("#ifdef\n#endif"), [Code::PreprocessorSyntax]);
    assert_eq!(errors("#ifndef 1\n#endif"), [Code::PreprocessorSyntax]);
}

#[test]
fn a_division_by_zero_is_a_warning_if_its_value_is_used() {
    let warned = vec![Code::DivisionByZero];
    assert_eq!(run("#if 3 / 0 == 3\nyes\n#endif"), ("yes".into(), warned.clone()));
    assert_eq!(run("#if 3 % 0 == 0\nyes\n#endif"), ("yes".into(), warned));
    assert!(!holds("0 && 1 / 0"));
    assert!(holds("1 || 1 / 0"));
    assert!(holds("1 ? 1 : 1 / 0"));
}

#[test]
fn inactive_conditions_and_lines_are_not_evaluated() {
    assert_eq!(clean("#if 0\n#if 1 +\n#elif )\n#endif\n#elif 1\na\n#elif 1 +\n#endif"), "a");
    assert_eq!(clean("#if 0\n#error no\n#include \"no\"\n#define\n#pragma no\n#no\n#1\n#\n#endif"), "");
    assert_eq!(clean("#if 0\nit's \"one\n#endif\na"), "a");
    assert_eq!(clean("#if 0\n/* #endif\n*/ // \\\n#endif\n\"/*\"\n#endif\na"), "a");
}

#[test]
fn conditions_that_do_not_match_are_warnings() {
    let one = |text: &str, output: &str, code| assert_eq!(run(text), (output.into(), vec![code]), "{text}");
    one("#endif\na", "a", Code::UnexpectedEndif);
    one("#else\na", "a", Code::UnexpectedElse);
    one("#elif 1 +\na", "a", Code::UnexpectedElif);
    one("#if 1\na", "a", Code::UnexpectedEof);
    one("#if 0\na", "", Code::UnexpectedEof);
    one("#if 0\na\n#else\nb\n#elif 1\nc\n#endif", "b c", Code::ElifAfterElse);
    one("#if 0\na\n#else\nb\n#else\nc\n#endif", "b c", Code::ElseAfterElse);
    one("#if 1\na\n#else\nb\n#else\nc\n#endif", "a", Code::ElseAfterElse);
}

#[test]
fn tokens_after_a_condition_are_a_warning() {
    let warned = vec![Code::UnexpectedTokens];
    assert_eq!(run("#ifdef A B\n#endif"), (String::new(), warned.clone()));
    assert_eq!(run("#if 1\n#else A\n#endif"), (String::new(), warned.clone()));
    assert_eq!(run("#if 1\n#endif A\nb"), ("b".into(), warned));
    assert_eq!(clean("#if 1 // A\n#else /* B */\n#endif // C\nd"), "d");
}
