use std::{cell::RefCell, fs};

use super::*;

fn with_files<'a>(files: &'a TextIncludes) -> PreprocessOptions<'a> {
    PreprocessOptions { include: Some(files), ..PreprocessOptions::default() }
}

#[test]
fn an_included_text_replaces_its_directive() {
    let files = TextIncludes::new().with_text("a", "#define A 1\nb").with_text("c", "A");
    assert_eq!(run_with("#include \"a\"\nA\n#include <c>", &with_files(&files)).0, "b 1 1");
    assert_eq!(run_with("#include /**/ \"a\" // d\nA", &with_files(&files)), ("b 1".into(), vec![]));
    assert_eq!(
        run_with("#include \"a\" d\nA", &with_files(&files)),
        ("b 1".into(), vec![Code::UnexpectedTokens])
    );
}

#[test]
fn a_use_of_a_macro_may_extend_over_several_files() {
    let files =
        TextIncludes::new().with_text("a", "#include \"b\"").with_text("b", "F(1").with_text("c", ", 2");
    let text = "#define F(x, y) y x\n#include \"a\"\n#include \"c\"\n)";
    assert_eq!(run_with(text, &with_files(&files)), ("2 1".into(), vec![]));
    let files = files.with_text("a", "#include \"b\"/*");
    assert_eq!(run_with(text, &with_files(&files)), ("2 1".into(), vec![Code::CommentEof]));
}

#[test]
fn a_new_line_begins_after_an_included_file() {
    let files = TextIncludes::new().with_text("a", "F");
    let text = "#define F(x) [x]\n#include \"a\"\n(1)\n#define A b\nA";
    assert_eq!(run_with(text, &with_files(&files)).0, "F ( 1 ) b");
}

#[test]
fn conditions_end_with_their_file() {
    let files = TextIncludes::new().with_text("a", "#if 0\nx").with_text("b", "#endif");
    let text = "#include \"a\"\ny\n#if 1\n#include \"b\"\nz\n#endif";
    let warnings = vec![Code::UnexpectedEof, Code::UnexpectedEndif];
    assert_eq!(run_with(text, &with_files(&files)), ("y z".into(), warnings));
}

#[test]
fn the_handler_gets_the_name_as_written_and_the_includer() {
    struct Recorder(RefCell<Vec<String>>);
    impl IncludeHandler for Recorder {
        fn open(&self, request: &IncludeRequest<'_>) -> Result<IncludedFile, String> {
            let IncludeRequest { name, kind, includer } = request;
            self.0.borrow_mut().push(format!("{name}|{kind:?}|{includer}"));
            let text = if *name == "a" { "#include < c:\\b >" } else { "" };
            Ok(IncludedFile { name: format!("found {name}"), text: text.into() })
        }
    }
    let recorder = Recorder(RefCell::default());
    let options = PreprocessOptions { include: Some(&recorder), ..PreprocessOptions::default() };
    run_with("#include \"a\"\n#include \"a\"", &options);
    let one = ["a|Local|main.hlsl", " c:\\b |System|found a"];
    assert_eq!(*recorder.0.borrow(), [one, one].concat());
}

#[test]
fn a_name_may_come_from_a_macro() {
    let files = TextIncludes::new().with_text("a.h", "a").with_text("b/c.h", "bc");
    let options = with_files(&files);
    assert_eq!(run_with("#define A \"a.h\"\n#include A", &options).0, "a");
    assert_eq!(run_with("#define A <b/c.h>\n#include A", &options).0, "bc");
}

#[test]
fn an_include_that_fails_is_an_error() {
    let files = TextIncludes::new();
    let options = with_files(&files);
    for text in ["#include", "#include a", "#include <a\n", "#include 1"] {
        assert_eq!(errors_with(text, &options), [Code::PreprocessorSyntax], "{text}");
    }
    for text in ["#include \"a\n", "#include \"a\u{e4}", "#include \""] {
        assert_eq!(errors_with(text, &options)[0], Code::StringEof, "{text}");
    }
    assert_eq!(errors_with("#include \"a\"\n#include <b>", &options), [Code::IncludeNotFound; 2]);
    assert_eq!(errors("#include \"a\""), [Code::NoIncludeHandler]);
}

#[test]
fn texts_are_found_beside_their_includer_first() {
    let files = TextIncludes::new()
        .with_text("lib/a.h", "#include \"b.h\"\n#include \"..\\c.h\"\n#include <b.h>")
        .with_text("lib/b.h", "near")
        .with_text("b.h", "far")
        .with_text("./c.h", "up");
    assert_eq!(run_with("#include \"lib/./a.h\"", &with_files(&files)).0, "near up far");
}

#[test]
fn files_are_found_in_folders() {
    let root = std::env::temp_dir().join(format!("onze-hlsl-includes-{}", std::process::id()));
    let write = |name: &str, text: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib/a.h", b"#include \"b.h\"\n#include <b.h>\n__FILE__");
    write("lib/b.h", b"near");
    write("b.h", b"far // \xe4");
    write("other/d.h", b"other");
    let folder = FolderIncludes::new(&root).with_folder("other");
    let options = PreprocessOptions { include: Some(&folder), ..PreprocessOptions::default() };
    let (output, _) = run_with("#include \"lib\\a.h\"\n#include <d.h>", &options);
    assert_eq!(output.replace("\\\\", "/"), "near far \"lib/a.h\" other");
    assert_eq!(errors_with("#include \"no.h\"", &options), [Code::IncludeNotFound]);
    assert_eq!(errors_with("#include \"lib\"", &options), [Code::IncludeNotFound]);
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_name_that_differs_in_case_is_suggested() {
    let text = |files: &dyn IncludeHandler, source: &str| {
        let options = PreprocessOptions { include: Some(files), ..PreprocessOptions::default() };
        preprocess(source, "a.hlsl", &options).unwrap_err().to_string()
    };
    let files = TextIncludes::new().with_text("lib/Sun.hlsli", "").with_text("Sky.hlsli", "");
    let found = text(&files, "#include \"LIB\\sun.hlsli\"");
    assert!(
        found.contains("there is no such text, but 'lib/Sun.hlsli', whose name differs in case"),
        "{found}"
    );
    let found = text(&files, "#include <sky.hlsli>");
    assert!(found.contains("but 'Sky.hlsli', whose name differs in case"), "{found}");
    let found = text(&files, "#include <sea.hlsli>");
    assert!(found.contains("there is no such text") && !found.contains("but"), "{found}");

    let root = std::env::temp_dir().join(format!("onze-hlsl-case-{}", std::process::id()));
    fs::create_dir_all(root.join("Lib")).unwrap();
    fs::write(root.join("Lib/Sun.hlsli"), "").unwrap();
    // On a case-insensitive file system, the `#include` succeeds, so there is no suggestion.
    if !root.join("lib/sun.hlsli").exists() {
        let folder = FolderIncludes::new(&root).with_folder("Lib");
        let found = text(&folder, "#include \"lib\\sun.hlsli\"");
        assert!(
            found.contains("there is no such file, but 'Lib/Sun.hlsli', whose name differs in case"),
            "{found}"
        );
        let found = text(&folder, "#include <sun.hlsli>");
        assert!(found.contains("but 'Lib/Sun.hlsli', whose name differs in case"), "{found}");
        let found = text(&folder, "#include <sea.hlsli>");
        assert!(found.contains("there is no such file") && !found.contains("but"), "{found}");
    }
    fs::remove_dir_all(root).unwrap();
}
