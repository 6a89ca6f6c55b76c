use super::*;

#[test]
fn a_macro_is_replaced_by_its_text() {
    assert_eq!(clean("#define N 4\nfloat a[N];"), "float a [ 4 ] ;");
    assert_eq!(clean("#define N\nN a N"), "a");
    assert_eq!(clean("#define A B\n#define B c\nA"), "c");
    assert_eq!(clean("#define A b\n#undef A\n#undef A\nA"), "A");
    assert_eq!(clean("#define A(x) [x]\nA(1) A (2) A"), "[ 1 ] [ 2 ] A");
    assert_eq!(clean("#define A (x)\nA(1)"), "( x ) ( 1 )");
    assert_eq!(clean("#define A() x\nA() A( )"), "x x");
    assert_eq!(clean("\"A\" #define A b\nA"), "\"A\" # define A b A");
}

#[test]
fn a_macro_is_not_expanded_within_itself() {
    assert_eq!(clean("#define A A b\nA"), "A b");
    assert_eq!(clean("#define A B\n#define B A\nA B"), "A B");
    assert_eq!(clean("#define F(x) x F\nF(1)(2)"), "1 F ( 2 )");
    assert_eq!(clean("#define F(x) [x]\nF(F(F(1)))"), "[ [ [ 1 ] ] ]");
    assert_eq!(clean("#define A F(A\n#define F(x) x\nA) A)"), "A A");
}

#[test]
fn an_expansion_and_the_next_tokens_may_form_a_use() {
    assert_eq!(clean("#define F(x) [x]\n#define G F\nG(1)"), "[ 1 ]");
    assert_eq!(clean("#define F(x) [x]\n#define G F(\nG 1)"), "[ 1 ]");
    assert_eq!(clean("#define F(x) [x]\n#define G(x) x(1)\nG(F)"), "[ 1 ]");
}

#[test]
fn a_parenthesis_on_the_next_line_does_not_form_a_use() {
    assert_eq!(clean("#define F(x) [x]\nF\n(1)"), "F ( 1 )");
    assert_eq!(clean("#define F(x) [x]\nF \\\n(1)"), "[ 1 ]");
    assert_eq!(clean("#define F(x) [x]\n#define G(x) x\nG(F\n(1))"), "[ 1 ]");
}

#[test]
fn arguments_may_hold_brackets_strings_and_lines() {
    assert_eq!(clean("#define F(x, y) y;x\nF((a, b), [c, {d, e}])"), "[ c , { d , e } ] ; ( a , b )");
    assert_eq!(clean("#define F(x, y) y\nF(\"(,\", b)"), "b");
    assert_eq!(clean("#define F(x, y) y x\nF(\na\nb,\n\nc\n)d"), "c a b d");
    assert_eq!(clean("#define F(x, y) [x|y]\nF(,) F(1,)"), "[ | ] [ 1 | ]");
}

#[test]
fn a_wrong_number_of_arguments_leaves_the_name() {
    let wrong = Code::MacroArguments;
    assert_eq!(run("#define F(x, y) z\nF(1) a F(1, 2, 3) b F() c"), ("F a F b F c".into(), vec![wrong; 3]));
    assert_eq!(run("#define F() z\nF(1)"), ("F".into(), vec![wrong]));
    assert_eq!(run("#define F(x) z\na F(1\nb"), ("a F".into(), vec![Code::MacroEof]));
    assert_eq!(run("#define F(x) z\n#define G(x) x\nG(F(1, 2))"), ("F".into(), vec![wrong]));
}

#[test]
fn directives_between_arguments_take_effect_before_them() {
    assert_eq!(clean("#define F(x) x\nF(A\n#define A b\n)"), "b");
    assert_eq!(clean("#define F(x) x\nF(\n#if 1\na\n#else\nb\n#endif\n) c"), "a c");
    assert_eq!(clean("#define F(x) x\nF(\n#undef F\na) F(b)"), "a F ( b )");
}

#[test]
fn pasting_joins_in_macros_with_parameters_and_in_arguments() {
    assert_eq!(clean("#define F(x, y) x##y\nF(a, b) F(1, .5) F(a, .b) F(+, =)"), "ab 1.5 a . b +=");
    assert_eq!(clean("#define F(x) a ## x ## b\nF(c) F() F(c d)"), "acb ab ac db");
    assert_eq!(clean("#define F(x, y, z) x##y##z\nF(a,,b) F(,,) F(,b,) F(a,,)"), "ab b a");
    assert_eq!(clean("#define F(x) x\nF(a ## b) F(a ## b ## c)"), "ab abc");
    assert_eq!(clean("#define A a ## b\nA c ## d"), "a ## b c ## d");
    assert_eq!(clean("#define F(x) ## x ##\nF(a)"), "## a ##");
}

#[test]
fn operands_are_expanded_before_pasting_and_results_after_it() {
    assert_eq!(clean("#define F(x) A##x\n#define A1 b\n#define A c\nF(1)"), "b");
    assert_eq!(clean("#define ONE 1\n#define F(x) A##x\n#define G(x) F(x)\nF(ONE) G(ONE)"), "A1 A1");
}

#[test]
fn a_hash_makes_a_string_of_any_name() {
    assert_eq!(clean("#define F(x) #x\nF( a+b  c ) F() F(\"s\\n\")"), r#""a+b c" "" "\"s\\n\"""#);
    assert_eq!(clean("#define F(x) # x #y #1\nF(a)"), "\"a\" \"y\" # 1");
    assert_eq!(clean("#define A #a\nA"), "# a");
    assert_eq!(clean("#define F(x) x\nF(b #a)"), "b # a");
    assert_eq!(
        clean("#define A b\n#define S(x) #x\n#define T(x) S(x) S(#x)\nS(A) T(A)"),
        r#""A" "b" "\"A\"""#
    );
}

#[test]
fn joined_names_are_separate_macros() {
    assert_eq!(clean("#define a::b 1\na::b a b c::a::b"), "1 a b c::a::b");
    assert_eq!(clean("#define ::a 1\n::a a"), "1 a");
    assert_eq!(clean("#define a 1\na::b b::a ::a a :: b"), "a::b b::a ::a 1 :: b");
    assert_eq!(clean("#define a::f(b::x) [b::x]\na::f(1)"), "[ 1 ]");
    assert_eq!(clean("#define a:b\na"), ": b");
    assert_eq!(clean("#define a:: b\na"), ":: b");
}

#[test]
fn joined_names_are_three_tokens_for_the_parser() {
    let (spelled, session) = tokens("x a::b::1c", &PreprocessOptions::default());
    assert_eq!(spelled, ["x", "a", "::", "b", "::", "1", "c", "end"]);
    assert!(session.diagnostics.is_empty());
}

#[test]
fn a_redefinition_takes_effect_with_a_warning() {
    let redefined = vec![Code::MacroRedefinition];
    assert_eq!(run("#define A 1\n#define A 2\nA"), ("2".into(), redefined.clone()));
    assert_eq!(run("#define A(x) x\n#define A(y) y\nA(1)"), ("1".into(), redefined.clone()));
    assert_eq!(run("#define A 1 2\n#define A 12\nA"), ("12".into(), redefined.clone()));
    assert_eq!(run("#define A x y\n#define A x+y\nA"), ("x + y".into(), redefined));
    assert_eq!(clean("#define A  1   2 // c\n#define A 1 2\nA"), "1 2");
}

#[test]
fn the_first_of_two_equal_parameters_is_used() {
    assert_eq!(run("#define F(x, x) x\nF(1, 2)"), ("1".into(), vec![Code::DuplicateParameter]));
}

#[test]
fn malformed_definitions_are_errors() {
    for text in [
        "#define",
        "#define 1",
        "#define F(",
        "#define F(1) x",
        "#define F(x",
        "#define F(x y) x",
        "#define F(x,) x",
        "#define F(...) x",
        "#define F(x, ...) x",
        "#undef",
        "#undef 1",
    ] {
        assert_eq!(errors(&format!("{text}\nx")), [Code::PreprocessorSyntax], "{text}");
    }
}

#[test]
fn macros_from_outside_are_defined_at_the_beginning() {
    let run_macros = |macros: &[Macro], text: &str| {
        let options = PreprocessOptions { macros, ..PreprocessOptions::default() };
        run_with(text, &options)
    };
    let one = [Macro::new("A", "B + 1"), Macro::new("B", "2")];
    assert_eq!(run_macros(&one, "A\n#undef A\nA"), ("2 + 1 A".into(), vec![]));
    assert_eq!(run_macros(&[Macro::new("A", "1"), Macro::new("A", "2")], "A"), ("2".into(), vec![]));
    assert_eq!(run_macros(&[Macro::new("A", "")], "A b"), ("b".into(), vec![]));
    let unusable = [Macro::new("0", "x"), Macro::new("F(a)", "x"), Macro::new("", "x")];
    assert_eq!(run_macros(&unusable, "0 F(a)"), ("0 F ( a )".into(), vec![]));
    let redefined = run_macros(&[Macro::new("A", "1")], "#define A 2\nA");
    assert_eq!(redefined, ("2".into(), vec![Code::MacroRedefinition]));
    assert_eq!(run_macros(&[Macro::new("A", "1\n#define B 2\n")], "A"), ("1 # define B 2".into(), vec![]));
}

#[test]
fn line_and_file_are_those_of_the_outermost_use() {
    assert_eq!(clean("\n__LINE__ __FILE__"), "2 \"main.hlsl\"");
    assert_eq!(clean("#define A __LINE__\n#define B A\n\nB"), "4");
    assert_eq!(clean("#define __LINE__ x\n__LINE__"), "x");
    assert_eq!(clean("#line 10 \"C:\\\\a.hlsl\"\n__FILE__\n__LINE__"), "\"C:\\\\a.hlsl\" 11");
}
