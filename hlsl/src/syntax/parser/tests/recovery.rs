use super::{errors, parse};

#[test]
fn an_error_does_not_hide_the_next() {
    assert_eq!(
        errors(
            "float a = ;\nfloat b;\nvoid f() {\n  a b c;\n  a = 1 +;\n  { x y; }\n}\nfloat c }\nint d = 08;"
        ),
        [
            "a(1,11): error X3000: syntax error: unexpected token ';'",
            "a(4,5): error X3000: syntax error: unexpected token 'b'; expected ';'",
            "a(5,10): error X3000: syntax error: unexpected token ';'",
            "a(6,5): error X3000: unrecognized identifier 'x'",
            "a(8,9): error X3000: syntax error: unexpected token '}'; expected ';'",
            "a(9,9-10): error X3000: '08': a number that begins with 0 is octal and has digits from 0 to 7",
        ]
    );
}

#[test]
fn a_faulty_declaration_is_left_out_and_the_rest_is_kept() {
    let (_, program) = parse("float a = ; struct S { float ) x; int y; }; void f() { return } float b;");
    assert_eq!(program.items.len(), 3);
}

#[test]
fn unknown_types_are_named() {
    assert_eq!(
        errors("Foo a;\nfloat f(Bar b) { return 1; }\nStructuredBuffer<Baz> c;"),
        [
            "a(1,1-3): error X3000: unrecognized identifier 'Foo'",
            "a(2,9-11): error X3000: unrecognized identifier 'Bar'",
            "a(3,18-20): error X3000: unrecognized identifier 'Baz'",
        ]
    );
    assert_eq!(
        errors("ConstantBuffer<S> a;"),
        [
            "a(1,1-14): error X3000: unrecognized identifier 'ConstantBuffer': it needs shader model 5.1; write a cbuffer"
        ]
    );
}

#[test]
fn an_end_that_comes_too_early_is_named() {
    for text in [
        "void f() {",
        "float a[",
        "struct S {",
        "cbuffer C {",
        "float a = {1,",
        "technique t {",
        "namespace N {",
    ] {
        let errors = errors(text);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].contains("unexpected end of file"), "{text}: {errors:?}");
    }
}

#[test]
fn nesting_and_depth_are_limited() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("void f() {{ a = {}1{}; }}", open.repeat(count), close.repeat(count))
    };
    assert!(errors(&deep("(", ")", 50)).is_empty());
    for text in [
        deep("(", ")", 100_000),
        deep("-", "", 100_000),
        deep("(int)", "", 100_000),
        deep("a[", "]", 100_000),
        deep("f(", ")", 100_000),
        deep("a ? b : ", "", 100_000),
        deep("a = ", "", 100_000),
        deep("1 + ", "", 100_000),
        format!("void f() {}{}", "{".repeat(100_000), "}".repeat(100_000)),
        format!("void f() {{ {} ; }}", "if (a) ".repeat(100_000)),
        format!("float a = {}1{};", "{".repeat(100_000), "}".repeat(100_000)),
        format!("{}{}", "struct S {".repeat(100_000), "};".repeat(100_000)),
        format!("{}{}", "namespace N {".repeat(100_000), "}".repeat(100_000)),
        format!("{} a;", "vector<".repeat(100_000)),
        format!("float a{};", "[1]".repeat(100_000)),
    ] {
        let errors = errors(&text);
        assert!(errors.iter().any(|error| error.contains("X9000")), "{}: {errors:?}", &text[..40]);
    }
    assert!(errors(&format!("void f() {{ a = {}1; }}", "1 + ".repeat(60))).is_empty());
}

/// Each of these sources causes lookahead at every token, which must take neither quadratic time nor deep
/// recursion.
#[test]
fn looking_ahead_is_bounded() {
    for text in [
        format!("{} a;", "precise ".repeat(200_000)),
        format!("void f() {{ {} }}", "linear ".repeat(200_000)),
        format!("void f() {{ g({}); }}", "(vector < 1), ".repeat(50_000)),
        format!("void f() {{ g({}); }}", "(int[1), ".repeat(50_000)),
        format!("void f() {{ {}b; }}", "a::".repeat(200_000)),
    ] {
        parse(&text);
    }
    assert!(
        errors("precise linear sample centroid float a; void f(const precise float3 p) { precise float b; }")
            .is_empty()
    );
}

/// The source contains all constructs and, however it is cut or changed, the parser must not panic or hang.
#[test]
fn changed_texts_are_parsed_or_refused() {
    let text = "struct S : B { float a; float f() { return a; } };\n[unroll] void f(in S s, out float4 b : C) : D {\n\
                for (int i = 0; i < 4; i++) { b.x += (float)s.a ? t[i](1) : {2}; }\nswitch (i) { case 1: default: break; } }\n\
                cbuffer C : register(b0[1]) { row_major float4x4 m : packoffset(c1.x); }\nTexture2D<vector<float, 4>> t;\n\
                technique a { pass { } } sampler s = sampler_state { a = <b>; }; namespace N { typedef int I[2]; }";
    for at in 0..text.len() {
        parse(&text[..at]);
        parse(&text[at..]);
        parse(&format!("{}{}", &text[..at], text.get(at + 1..).unwrap_or_default()));
        for inserted in ["{", "}", "(", ")", "<", ">", ";", "struct", "a", "[", ":", "="] {
            parse(&format!("{}{inserted}{}", &text[..at], &text[at..]));
        }
    }
}
