use super::*;

#[test]
fn pack_matrix_is_a_token_and_a_line_of_the_text() {
    let text = "a\n#pragma pack_matrix(row_major)\nb\n # pragma pack_matrix ( column_major )\nc";
    let (spelled, _) = tokens(text, &PreprocessOptions::default());
    assert_eq!(spelled, ["a", "RowMajor", "b", "ColumnMajor", "c", "end"]);
    let result = preprocess(text, "main.hlsl", &PreprocessOptions::default()).unwrap();
    assert!(result.text.contains("\n#pragma pack_matrix(row_major)\n"), "{}", result.text);
}

#[test]
fn macros_in_a_pragma_are_not_expanded() {
    let text = "#define R row_major\n#define P pack_matrix(row_major)\n#pragma pack_matrix(R)\n#pragma P\na";
    let (spelled, session) = tokens(text, &PreprocessOptions::default());
    assert_eq!(spelled, ["a", "end"]);
    let codes: Vec<_> = session.diagnostics.warnings().map(|warning| warning.code).collect();
    assert_eq!(codes, [Code::UnknownPragma; 2]);
}

#[test]
fn unknown_pragmas_are_kept_with_a_warning() {
    for pragma in [
        "target 3.0",
        "warning(never: 1)",
        "warning(disable: x)",
        "warning disable: 1",
        "message",
        "pack_matrix",
    ] {
        let (output, warnings) = run(&format!("#pragma {pragma}\na"));
        assert!(output.starts_with("#pragma"), "{output}");
        assert_eq!(warnings, [Code::UnknownPragma], "{pragma}");
    }
    assert_eq!(run("#pragma\na").1, [Code::UnknownPragma]);
    assert_eq!(clean("#pragma def(vs_4_0, c0, 0, 1, 2, 3)\na"), "#pragma def(vs_4_0, c0, 0, 1, 2, 3) a");
}

#[test]
fn a_message_is_shown() {
    let text = "#pragma message(\"hello \\\"you\\\"\")\n#pragma message \"again\"";
    let result = preprocess(text, "main.hlsl", &PreprocessOptions::default()).unwrap();
    let messages: Vec<_> = result.diagnostics.warnings().map(|warning| warning.message.as_str()).collect();
    assert_eq!(messages, ["hello \"you\"", "again"]);
}

#[test]
fn the_warning_pragma_sets_the_treatment_of_warnings() {
    let again = "#define A 1\n#define A 2\n";
    let with = |pragma: &str| format!("#pragma warning({pragma})\n{again}#endif");
    let both = [Code::MacroRedefinition, Code::UnexpectedEndif];
    assert_eq!(run(&with("default: 1519")).1, both);
    assert_eq!(run(&with("disable: 1519")).1, both[1..]);
    assert_eq!(run(&with("disable: 1519 1510")).1, []);
    assert_eq!(run(&with("disable: 1519; default: 1519")).1, both);
    assert_eq!(errors(&with("error: 1519")), [Code::MacroRedefinition]);
    assert_eq!(run(&format!("{}\n#define A 3", with("once: 1519"))).1, both);
    assert_eq!(run(&format!("{again}{}", with("disable: 1519"))).1, [both[0], both[1]]);
}

#[test]
fn a_pragma_in_an_included_file_applies_from_there_on() {
    let files = TextIncludes::new().with_text("quiet", "#pragma warning(disable: 1510)");
    let options = PreprocessOptions { include: Some(&files), ..PreprocessOptions::default() };
    let (_, warnings) = run_with("#endif\n#include \"quiet\"\n#endif\n#else", &options);
    assert_eq!(warnings, [Code::UnexpectedEndif, Code::UnexpectedElse]);
}

#[test]
fn once_lets_a_file_be_included_once() {
    let files = TextIncludes::new().with_text("a", "#pragma once\na").with_text("b", "b");
    let options = PreprocessOptions { include: Some(&files), ..PreprocessOptions::default() };
    let text = "#include \"a\"\n#include \"b\"\n#include <a>\n#include \"b\"";
    assert_eq!(run_with(text, &options), ("a b b".into(), vec![]));
}
