//! Deeply nested programs, such as generated ones, which are compiled, validated and written in four
//! languages on a thread with the default stack size. The nesting of the outputs must be within the limits of
//! the compilers that read them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use std::thread;

use naga::{
    Module,
    back::{hlsl, msl, spv, wgsl},
    valid::{Capabilities, ValidationFlags, Validator},
};
use onze_hlsl::{CompileOptions, Diagnostics, compile};

const STACK: usize = 2 << 20;

/// Nesting depth of statements and brackets that all compilers of the outputs accept, because Tint accepts
/// 127 nested statements and Clang accepts 256 nested brackets.
const MOST_LEVELS: usize = 127;

/// Compiles a pixel shader on a thread that is named after the program, so that a stack overflow message
/// shows the name.
fn compiled(name: &str, text: String) -> Result<(), Diagnostics> {
    let run = move || {
        let profile = "ps_5_0".parse().unwrap();
        let compiled = compile(&text, "a.hlsl", "main", profile, &CompileOptions::default())?;
        assert_written(&compiled.module);
        Ok(())
    };
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

/// Writes a module in all languages and checks the nesting of the outputs.
fn assert_written(module: &Module) {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).unwrap();
    let spirv = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
    spv::write_vec(module, &info, &spirv, None).unwrap();
    let options =
        msl::Options { lang_version: (3, 1), fake_missing_bindings: true, ..msl::Options::default() };
    let (metal, _) = msl::write_string(module, &info, &options, &msl::PipelineOptions::default()).unwrap();
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        fake_missing_bindings: true,
        ..hlsl::Options::default()
    };
    let mut direct3d = String::new();
    hlsl::Writer::new(&mut direct3d, &options, &hlsl::PipelineOptions::default())
        .write(module, &info, None)
        .unwrap();
    let browser = wgsl::write_string(module, &info, wgsl::WriterFlags::empty()).unwrap();
    for (language, text) in [("MSL", metal), ("HLSL", direct3d), ("WGSL", browser)] {
        let levels = levels(&text);
        assert!(levels <= MOST_LEVELS, "{language}: {levels} levels");
    }
}

fn levels(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for character in text.chars() {
        match character {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn assert_compiled(name: &str, text: String) {
    if let Err(errors) = compiled(name, text) {
        panic!("{name}: {errors}");
    }
}

fn refusal(text: String) -> String {
    let errors = compiled("refused", text).unwrap_err();
    let error = errors.errors().next().unwrap();
    assert_eq!(error.code.number(), 9000, "{error}");
    error.message.clone()
}

fn pixel(before: &str, body: &str) -> String {
    format!("{before}\nint k; float4 main(float4 p : P) : SV_Target {{ {body} }}")
}

fn value(expression: &str) -> String {
    pixel("", &format!("int i = k; bool b = p.x > 0; return {expression};"))
}

fn each(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn long_operator_chains_compile() {
    for operator in ["+", "-", "*", "/", "%"] {
        assert_compiled(operator, value(&format!("p.x{}", format!("{operator} p.y").repeat(599))));
        assert_compiled(operator, value(&format!("p.x{}", format!("{operator} 1.5").repeat(599))));
    }
    for operator in ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="] {
        assert_compiled(operator, value(&format!("i{}", format!("{operator} k").repeat(599))));
    }
    for operator in ["&&", "||"] {
        assert_compiled(operator, value(&format!("b{}", format!("{operator} p.y > 1").repeat(599))));
    }
    assert_compiled(",", value(&format!("(p.x{})", ", p.y".repeat(599))));
    assert_compiled(
        "constants",
        pixel(
            &format!("static const int n = 1{};", "+ 1".repeat(599)),
            "float a[n]; a[k] = 1; return a[n - 1];",
        ),
    );
    assert_compiled("effects", pixel("", &format!("int i = 0; return i++{};", "+ i++".repeat(599))));
}

#[test]
fn deep_expressions_compile() {
    for (open, close) in [
        ("(", ")"),
        ("p.x + (", ")"),
        ("- ", ""),
        ("-(", ")"),
        ("(float4)", ""),
        ("float4(", ".xxx, 1).x"),
        ("sin(", ")"),
        ("max(p.y, ", ")"),
        ("max(", ", p.y)"),
        ("lerp(p.z, ", ", 0.5)"),
        ("dot(p.yz, (", ").xx)"),
        ("p.x > 0 ? p.y : ", ""),
        ("b ? ", ": p.y"),
        ("(", " > 0 ? p.y : p.z)"),
        ("a = ", ""),
        ("a += ", ""),
        ("v[(int)", "]"),
        ("(p.y, ", ")"),
    ] {
        let text = |depth: usize| {
            let value = format!("{}p.x{}", open.repeat(depth), close.repeat(depth));
            pixel("float v[8];", &format!("bool b = p.x > 0; float a = 1; return {value};"))
        };
        assert_compiled(open, text(200));
        assert_compiled(open, text(600));
    }
    for (open, close) in [("!", ""), ("~", ""), ("!(", ")"), ("~(", ")"), ("abs(", ")"), ("k & (", ")")] {
        let value = format!("{}k{}", open.repeat(400), close.repeat(400));
        assert_compiled(open, pixel("", &format!("return {value};")));
    }
    for part in [".wzyx", ".xyzw.xxxx", "._m00.xxxx"] {
        if part.starts_with("._m") {
            continue;
        }
        assert_compiled(part, value(&format!("p{}", part.repeat(400))));
    }
}

#[test]
fn long_else_if_chains_compile() {
    let chain = |count, body: &str, last: &str| {
        let links = each(count, |index| {
            format!("else if (p.x > {index}) {{ {} }}", body.replace('#', &index.to_string()))
        });
        format!("if (p.y > 0) {{ {} }} {links} {last}", body.replace('#', "999"))
    };
    for body in ["r = #;", "return #;", "r += #; if (p.z > #) return r;"] {
        for last in ["", "else r = 7;", "else return 7;", "else [branch] if (p.x < 0) r = 7;"] {
            assert_compiled(body, pixel("", &format!("float r = 0; {} return r;", chain(200, body, last))));
            assert_compiled(body, pixel("", &format!("float r = 0; {} return r;", chain(1000, body, last))));
        }
    }
    for body in
        ["r = #; break;", "r = #; continue;", "if (p.z > #) break; r += #;", "if (p.z > #) discard; r += #;"]
    {
        let rounds = format!("for (int i = 0; i < k; i++) {{ {} r += 2; }}", chain(200, body, "else r = 7;"));
        assert_compiled(body, pixel("", &format!("float r = 0; {rounds} return r;")));
    }
    let returns = format!("float f(float4 p) {{ {} }}", chain(200, "return #;", "else return 7;"));
    assert_compiled("function", pixel(&returns, "return f(p);"));
    assert_compiled(
        "without braces",
        pixel(
            "",
            &format!(
                "float r = 0; if (p.y > 0) r = 1; {} return r;",
                each(300, |index| format!("else if (p.x > {index}) r = {index};"))
            ),
        ),
    );
}

#[test]
fn chains_after_each_other_are_not_nested() {
    let chain = |count| each(count, |index| format!("else if (p.x > {index}) r += {index};"));
    for (links, chains) in [(8, 40), (20, 40), (200, 20)] {
        let chains = format!("if (p.y > 0) r = 1; {}", chain(links)).repeat(chains);
        assert_compiled("chains", pixel("", &format!("float r = 0; {chains} return r;")));
    }
}

#[test]
fn nested_blocks_compile_up_to_the_limit() {
    for (open, close) in [
        ("{", "}"),
        ("if (p.x > #) {", "}"),
        ("if (p.x > #) {", "} else r = #;"),
        ("if (p.x > #) r = #; else { r += 2;", "}"),
        ("for (int i# = 0; i# < k; i#++) {", "}"),
        ("while (r < # + p.x) { r++;", "}"),
        ("do {", "r++; } while (r < # + p.x);"),
        ("switch (k) { case #:", "break; }"),
    ] {
        let text = |depth: usize| {
            let begin = each(depth, |index| open.replace('#', &index.to_string()));
            let end = each(depth, |index| close.replace('#', &index.to_string()));
            pixel("", &format!("float r = 0; {begin} r += p.y; {end} return r;"))
        };
        assert_compiled(open, text(60));
        assert!(refusal(text(130)).starts_with("statements are more than 128 deep"), "{open}");
    }
}

#[test]
fn long_lists_compile() {
    let cases = each(500, |index| format!("case {index}: r += {index}; break;"));
    assert_compiled("switch", pixel("", &format!("float r = 0; switch (k) {{ {cases} }} return r;")));
    let labels = each(500, |index| format!("case {index}:"));
    assert_compiled(
        "labels",
        pixel("", &format!("float r = 0; switch (k) {{ {labels} r = 1; break; }} return r;")),
    );
    let numbers = each(2000, |index| format!("{index},"));
    assert_compiled("numbers", pixel(&format!("static const float t[] = {{ {numbers} }};"), "return t[k];"));
    let values = each(2000, |index| format!("p.x + {index},"));
    assert_compiled("values", pixel("", &format!("float t[] = {{ {values} }}; return t[k];")));
    let ifs = each(1000, |index| format!("if (p.x > {index}) r = {index};"));
    assert_compiled("ifs", pixel("", &format!("float r = 0; {ifs} return r;")));
    let sums = each(1000, |index| format!("r = r * p.y + {index};"));
    assert_compiled("sums", pixel("", &format!("float r = 0; {sums} return r;")));
}

#[test]
fn deep_declarations_compile() {
    let calls = "float f0(float x) { return x * 2; }".to_owned()
        + &each(200, |index| {
            format!("float f{}(float x) {{ if (x > 9) return 1; return f{index}(x + 1) + 1; }}", index + 1)
        });
    assert_compiled("calls", pixel(&calls, "return f200(p.x);"));
    let structures = "struct S0 { float a; };".to_owned()
        + &each(60, |index| format!("struct S{} {{ S{index} a; }};", index + 1));
    let member = format!("S60 s; s{} = p.x; return s{};", ".a".repeat(61), ".a".repeat(61));
    assert_compiled("members", pixel(&structures, &member));
    assert_compiled(
        "uniform members",
        pixel(&format!("{structures} S60 s;"), &format!("return s{};", ".a".repeat(61))),
    );
    let bases = "struct B0 { float a0; };".to_owned()
        + &each(200, |index| format!("struct B{} : B{index} {{ float a{}; }};", index + 1, index + 1));
    assert_compiled("bases", pixel(&bases, "B200 b; b.a0 = p.x; b.a200 = p.y; return b.a0 + b.a200;"));
    let constants = "static const float c0 = 1;".to_owned()
        + &each(600, |index| format!("static const float c{} = c{index} + 1;", index + 1));
    assert_compiled("constants", pixel(&constants, "float a[(int)c600]; a[k] = 1; return a[(int)c599];"));
    let locals = "const float c0 = 1;".to_owned()
        + &each(600, |index| format!("const float c{} = c{index} + p.x;", index + 1));
    assert_compiled("locals", pixel("", &format!("{locals} return c600;")));
    let spaces =
        format!("{} float g(float x) {{ return x; }} {}", "namespace n {".repeat(50), "}".repeat(50));
    assert_compiled("namespaces", pixel(&spaces, &format!("return {}g(p.x);", "n::".repeat(50))));
}

#[test]
fn deep_macros_compile() {
    let chain = "#define M0 p.x\n".to_owned()
        + &each(300, |index| format!("#define M{} (M{index} + 1)\n", index + 1));
    assert_compiled("chain", pixel(&chain, "return M300;"));
    let functions = "#define F0(x) (x)\n".to_owned()
        + &each(200, |index| format!("#define F{}(x) F{index}(x + 1)\n", index + 1));
    assert_compiled("functions", pixel(&functions, "return F200(p.x);"));
    let nested = format!("return {}p.x{};", "N(".repeat(200), ")".repeat(200));
    assert_compiled("arguments", pixel("#define N(x) (1 + x)", &nested));
    let conditions = "#if 1\n".repeat(300) + "float c;\n" + &"#else\n#error\n#endif\n".repeat(300);
    assert_compiled("conditions", pixel(&conditions, "return c;"));
    for (open, close) in [("(", ")"), ("!", ""), ("1 + (", ")"), ("1 ? ", ": 0")] {
        let condition = format!("#if {}1{}\n#endif\n", open.repeat(60), close.repeat(60));
        assert_compiled(open, pixel(&condition, "return p;"));
    }
    let sum = format!("#if 1{} == 600\nfloat c;\n#endif\n", " + 1".repeat(599));
    assert_compiled("sum", pixel(&sum, "return c;"));
}

#[test]
fn programs_just_within_the_limits_compile() {
    assert_compiled("sum", value(&format!("p.x{}", "+ p.y".repeat(4000))));
    for (open, close) in
        [("(", ")"), ("p.x + (", ")"), ("max(p.y, ", ")"), ("p.x > 0 ? p.y : ", ""), ("- ", "")]
    {
        assert_compiled(open, value(&format!("{}p.x{}", open.repeat(2000), close.repeat(2000))));
    }
    let chain = each(2000, |index| format!("else if (p.x > {index}) r = {index};"));
    assert_compiled("chain", pixel("", &format!("float r = 0; if (p.y > 0) r = 1; {chain} return r;")));
    let calls = "float f0(float x) { return x; }".to_owned()
        + &each(700, |index| format!("float f{}(float x) {{ return f{index}(x); }}", index + 1));
    assert_compiled("calls", pixel(&calls, "return f700(p.x);"));
}

#[test]
fn limit_errors_suggest_a_fix() {
    let parentheses = format!("return {}p.x{};", "(".repeat(9000), ")".repeat(9000));
    assert_eq!(
        refusal(pixel("", &parentheses)),
        "parentheses, calls and operators are more than 4096 deep; store parts in variables"
    );
    let sum = format!("return p.x{};", "+p.y".repeat(5000));
    assert_eq!(
        refusal(pixel("", &sum)),
        "an expression is more than 4096 operators deep; store parts of it in variables"
    );
    let chain = each(5000, |index| format!("else if (p.x > {index}) r = {index};"));
    assert_eq!(
        refusal(pixel("", &format!("float r = 0; if (p.y > 0) r = 1; {chain} return r;"))),
        "a chain of 'else if' has more than 2048 links; use a switch, or move a part of it to a function"
    );
    let calls = "float f0(float x) { return x; }".to_owned()
        + &each(2000, |index| format!("float f{}(float x) {{ return f{index}(x); }}", index + 1));
    assert!(
        refusal(pixel(&calls, "return f2000(p.x);"))
            .starts_with("statements, expressions and calls are more than")
    );
}
