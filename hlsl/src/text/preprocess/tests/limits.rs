use super::*;

#[test]
fn macros_that_grow_without_end_are_stopped() {
    let mut text = String::from("#define A0 x x\n");
    for index in 1..64 {
        text += &format!("#define A{index} A{before} A{before}\n", before = index - 1);
    }
    assert_eq!(errors(&(text + "A63")), [Code::LimitExceeded]);
    let mut text = String::from("#define A0(x) x x\n");
    for index in 1..64 {
        text += &format!("#define A{index}(x) A{before}(x x)\n", before = index - 1);
    }
    assert_eq!(errors(&(text + "A63(y)")), [Code::LimitExceeded]);
}

#[test]
fn tokens_that_grow_without_end_are_stopped() {
    let nested = |depth: usize, definition: &str| {
        format!("#define J(x) {definition}\n#define K(x) J(x)\n{}a{}", "K(".repeat(depth), ")".repeat(depth))
    };
    assert_eq!(clean(&nested(3, "x##x")), "aaaaaaaa");
    assert_eq!(errors(&nested(40, "x##x")), [Code::LimitExceeded]);
    assert_eq!(errors(&nested(40, "#x")), [Code::LimitExceeded]);
    let long = "a".repeat(1 << 20);
    assert_eq!(errors(&format!("#define A {long}\n{}", "A ".repeat(1000))), [Code::LimitExceeded]);
    assert_eq!(errors(&format!("#define F(x) {}\nF({long})", "x ".repeat(1000))), [Code::LimitExceeded]);
    assert_eq!(errors(&format!("#define F(x) {}\nF({long})", "#x ".repeat(1000))), [Code::LimitExceeded]);
}

#[test]
fn long_chains_of_macros_take_linear_time() {
    let chain = format!("#define G(x) __LINE__ H\n#define H(x) __LINE__ G\nG{}", "(1)".repeat(30_000));
    assert_eq!(clean(&chain).len(), 2 * 30_000 + 1);
    let mut chain = String::from("#define A0 b\n");
    for index in 1..30_000 {
        chain += &format!("#define A{index} A{} __LINE__\n", index - 1);
    }
    assert!(clean(&(chain + "A29999")).starts_with("b 30001 30001"));
}

#[test]
fn long_lines_and_many_directives_take_linear_time() {
    let quotes = "\\\"".repeat(1 << 20);
    assert_eq!(errors(&format!("\"{quotes}")), [Code::StringEof]);
    assert_eq!(clean(&format!("#if 0\n\"{quotes}\n#endif\na")), "a");
    let (output, _) = run(&"__LINE__ ".repeat(50_000));
    assert_eq!(output.len(), 2 * 50_000 - 1);
    let (output, _) = run(&"#line 1\na\n".repeat(50_000));
    assert_eq!(output.len(), 2 * 50_000 - 1);
    assert_eq!(run(&"/*".repeat(1 << 20)).1, [Code::CommentEof]);
}

#[test]
fn arguments_nested_without_end_are_stopped() {
    let nested = |depth: usize| format!("#define F(x) x\n{}a{}", "F(".repeat(depth), ")".repeat(depth));
    assert_eq!(clean(&nested(250)), "a");
    assert_eq!(errors(&nested(100_000)), [Code::LimitExceeded]);
}

#[test]
fn files_that_include_themselves_are_stopped() {
    let files = TextIncludes::new()
        .with_text("a", "#include \"a\"\n#include \"a\"")
        .with_text("b", "")
        .with_text("c", "#include \"d\"\n#include \"d\"\n#include \"d\"\n#include \"d\"")
        .with_text("d", "#ifdef A\n#ifdef B\n#ifdef C\n#include \"b\"\n#endif\n#define C\n#endif\n#define B\n#endif\n#define A");
    let options = PreprocessOptions { include: Some(&files), ..PreprocessOptions::default() };
    assert_eq!(errors_with("#include \"a\"", &options), [Code::TooManyIncludes]);
    assert_eq!(run_with("#include \"c\"", &options).0, "");
    assert_eq!(errors_with(&"#include \"b\"\n".repeat(40_000), &options), [Code::LimitExceeded]);
    let large = TextIncludes::new().with_text("a", format!("/*{}*/", " ".repeat(10 << 20)));
    let options = PreprocessOptions { include: Some(&large), ..PreprocessOptions::default() };
    assert_eq!(errors_with(&"#include \"a\"\n".repeat(8), &options), [Code::LimitExceeded]);
}

#[test]
fn conditions_nested_without_end_are_stopped() {
    let nested = |depth: usize| format!("{}a\n{}", "#if 1\n".repeat(depth), "#endif\n".repeat(depth));
    assert_eq!(clean(&nested(4096)), "a");
    assert_eq!(errors(&nested(4097)), [Code::LimitExceeded]);
    assert_eq!(clean(&format!("#if 0\n{}#endif\nb", nested(100_000))), "b");
}

#[test]
fn expressions_nested_without_end_are_stopped() {
    let rows = [("(", ")"), ("!", ""), ("- ", ""), ("1 ? 1 : ", ""), ("1 ? ", ": 1"), ("(0 || ", ")")];
    for (open, close) in rows {
        let nested = |depth: usize| format!("#if {}1{}\n#endif", open.repeat(depth), close.repeat(depth));
        assert_eq!(clean(&nested(100)), "", "{open}");
        assert_eq!(errors(&nested(100_000)), [Code::LimitExceeded], "{open}");
    }
    assert_eq!(clean(&format!("#if 1{}\na\n#endif", " + 1".repeat(100_000))), "a");
}

#[test]
fn the_parameters_of_a_macro_are_limited() {
    let list = |count: usize| (0..count).map(|index| format!("p{index}")).collect::<Vec<_>>().join(",");
    assert_eq!(clean(&format!("#define F({}) p255\nF({})", list(256), list(256))), "p255");
    assert_eq!(errors(&format!("#define F({}) x", list(257))), [Code::LimitExceeded]);
}
