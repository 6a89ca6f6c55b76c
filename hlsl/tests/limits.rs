//! Programs of at most 64 KiB that could need excessive resources, but must be either compiled or refused
//! quickly.
//!
//! The tests do not measure time: refused programs exceed a limit (X9000), and compiled programs produce
//! small modules.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{CompileOptions, compile};

const LONGEST: usize = 64 << 10;

/// Returns the number of expressions in the module, or the number of the first error.
fn outcome(text: &str, profile: &str) -> Result<usize, u16> {
    assert!(text.len() <= LONGEST, "{}", text.len());
    let profile = profile.parse().unwrap();
    match compile(text, "a.hlsl", "main", profile, &CompileOptions::default()) {
        Ok(compiled) => {
            let functions = compiled.module.functions.iter().map(|(_, function)| function);
            let entries = compiled.module.entry_points.iter().map(|entry| &entry.function);
            Ok(functions.chain(entries).map(|function| function.expressions.len()).sum())
        }
        Err(errors) => Err(errors.errors().next().map_or(0, |error| error.code.number())),
    }
}

fn assert_refused(name: &str, text: &str) {
    assert_eq!(outcome(text, "ps_5_0"), Err(9000), "{name}");
}

fn assert_compiled(name: &str, text: &str) {
    match outcome(text, "ps_5_0") {
        Ok(expressions) => assert!(expressions < 100_000, "{name}: {expressions}"),
        Err(number) => panic!("{name}: X{number}"),
    }
}

fn pixel(body: &str) -> String {
    format!("float4 main(float4 p : P) : SV_Target {{ {body} }}")
}

/// Appends `part(0)`, `part(1)` and so on to `begin`, until the program with `end` reaches the maximum
/// length.
fn fill(begin: &str, part: impl Fn(usize) -> String, end: &str) -> String {
    let mut text = begin.to_owned();
    for index in 0.. {
        let part = part(index);
        if text.len() + part.len() + end.len() > LONGEST {
            break;
        }
        text += &part;
    }
    text + end
}

fn each(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn nesting_is_limited() {
    for (open, close) in [("(", ")"), ("- ", ""), ("p.x > 0 ? 1 : ", ""), ("(float4)", ""), ("sin(", ")")] {
        let text = |depth: usize| pixel(&format!("return {}p.x{};", open.repeat(depth), close.repeat(depth)));
        assert_compiled(open, &text(60));
        assert_compiled(open, &text(600));
        assert_refused(open, &text(4500));
    }
    assert_refused("blocks", &pixel(&("{".repeat(20_000) + &"}".repeat(20_000))));
    assert_refused("sum", &pixel(&format!("return p{};", "+p".repeat(20_000))));
    let ladder = |count| each(count, |index| format!("else if(p.x>{index})r=1;"));
    assert_compiled("else", &pixel(&format!("float r = 0; if (p.y > 0) r = 1; {} return r;", ladder(600))));
    assert_refused("else", &pixel(&format!("float r = 0; if (p.y > 0) r = 1; {} return r;", ladder(2500))));
}

#[test]
fn macros_that_double_are_limited() {
    let doubling = |text: &str| {
        format!("#define A0 {text}\n")
            + &each(40, |index| format!("#define A{} A{index} A{index}\n", index + 1))
    };
    assert_refused("terms", &(doubling("+1") + &pixel("return p A39;")));
    assert_refused("statements", &(doubling("r += p;") + &pixel("float4 r = p; A18 return r;")));
    let nested = pixel(&format!("return {}1{};", "A(".repeat(100), ")".repeat(100)));
    assert_refused("arguments", &format!("#define A(x) x x\n{nested}"));
    let chain =
        fill("#define A0 1\n", |index| format!("#define A{} A{index}\n", index + 1), &pixel("return A2000;"));
    assert_compiled("chain", &chain);
}

#[test]
fn types_that_double_are_limited() {
    let structures = |count: usize, field: &str| {
        format!("struct S0 {{ {field} }};")
            + &each(count, |index| format!("struct S{} {{ S{index} a; S{index} b; }};", index + 1))
    };
    assert_refused("local", &(structures(60, "float a;") + &pixel("S60 s; return 0;")));
    assert_refused("objects", &(structures(40, "Texture2D a;") + "S40 s;" + &pixel("return 0;")));
    let arrays = |count: usize| {
        "struct S0 { float a[8]; };".to_owned()
            + &each(count, |index| format!("struct S{} {{ S{index} a[8]; }};", index + 1))
    };
    assert_refused("arrays", &(arrays(40) + &pixel("S40 s; return 0;")));
    let chain = |index: usize| format!("struct S{} : S{index} {{ float a{index}; }};", index + 1);
    assert_refused("bases", &fill("struct S0 { float a; };", chain, &pixel("return 0;")));
    assert_refused("dimensions", &pixel(&format!("float a{}; return 0;", "[2]".repeat(1000))));
}

#[test]
fn loops_and_calls_that_multiply_are_limited() {
    let textures = "Texture2D t[128]; SamplerState s;";
    let nest =
        |count: usize| each(count, |index| format!("for (int i{index} = 0; i{index} < 1000; i{index}++) "));
    let body = |count, index: &str| {
        pixel(&format!("float4 r = 0; {}r += t[{index} & 127].Sample(s, p.xy); return r;", nest(count)))
    };
    assert_compiled("one", &format!("{textures}{}", body(1, "i0")));
    for count in [2, 8] {
        let last = format!("i{}", count - 1);
        assert_refused("loops", &format!("{textures}{}", body(count, &format!("(i0 + {last})"))));
        assert_compiled("one of them", &format!("{textures}{}", body(count, "i0")));
    }
    // A loop is not unrolled if its counter need not be constant.
    assert_compiled("kept", &pixel(&format!("float r = 0; {}r += 1; return r;", nest(8))));
    let calls = |first: &str, second: &str| {
        format!("{textures}float4 f0(int x) {{ return t[x & 127].Sample(s, 0); }}")
            + &each(30, |index| {
                format!("float4 f{}(int x) {{ return f{index}({first}) + f{index}({second}); }}", index + 1)
            })
            + &pixel("return f30(1);")
    };
    assert_compiled("the same arguments", &calls("x", "x"));
    assert_refused("other arguments", &calls("x * 2", "x * 2 + 1"));
    let known = each(60, |index| format!("static const float a{} = a{index} + a{index};", index + 1));
    assert_compiled("known", &format!("static const float a0 = 1;{known}{}", pixel("return a60;")));
}

#[test]
fn values_of_many_components_are_limited() {
    for (declaration, ty) in [
        ("float4 a[4096];", "float4 s[4096]"),
        ("float a[4096];", "float s[4096]"),
        ("struct S { float a; int b; }; S a[2048];", "S s[2048]"),
    ] {
        let copies = format!("{{ {ty} = a; a0 = s[1]; }}").replace("a0 = s[1];", "").repeat(1200);
        assert_refused(ty, &format!("{declaration}{}", pixel(&(copies + "return 0;"))));
    }
    assert_compiled("memory", &pixel("float4 a[65536]; a[(int)p.x] = p; return a[(int)p.y];"));
    let numbers = fill(
        "static const int a[] = {",
        |index| format!("{index},"),
        &format!("}};{}", pixel("return a[(int)p.x];")),
    );
    assert_compiled("initialiser", &numbers);
}

#[test]
fn long_programs_are_compiled() {
    let function = |begin: &str, part: &dyn Fn(usize) -> String, end: &str| {
        fill(
            &format!("float4 n; float4 main(float4 p : P) : SV_Target {{ {begin}"),
            part,
            &format!("{end} }}"),
        )
    };
    let cases = function(
        "float r = 0; switch ((int)p.x) {",
        &|i| format!("case {i}: r += {i}; break;"),
        "} return r;",
    );
    assert_compiled("switch", &cases);
    assert_compiled("swizzles", &function("", &|_| "p = p.yzwx;".to_owned(), "return p;"));
    assert_compiled("stores", &function("", &|_| "p.zx = p.yw;".to_owned(), "return p;"));
    assert_compiled(
        "conditions",
        &function("float r = 0;", &|i| format!("if (p.x > {i}) r = {i};"), "return r;"),
    );
    assert_compiled("returns", &function("", &|i| format!("if (p.x > {i}) return {i};"), "return p;"));
    assert_compiled("locals", &function("", &|i| format!("float a{i} = p.x;"), "return p;"));
    let overloads = fill(
        "",
        |index| format!("void f(float a[{}]) {{}}\n", index + 1),
        &pixel("float a[7]; f(a); return p;"),
    );
    assert_compiled("overloads", &overloads);
}

#[test]
fn choices_between_functions_are_limited() {
    let overloads = each(1000, |index| format!("void f(float a[{}]) {{}}\n", index + 1));
    let calls =
        |count| overloads.clone() + &pixel(&format!("float a[7]; {}return p;", "f(a);".repeat(count)));
    assert_compiled("few", &calls(100));
    assert_refused("many", &calls(6000));
}

#[test]
fn sources_without_valid_syntax_are_refused() {
    for part in [
        "@ ",
        "} ",
        "struct ",
        "a<",
        "((a)",
        "a[",
        "a::",
        "namespace n {",
        "[",
        "#if 1\n",
        "\"",
        "for(",
        "x;",
    ] {
        let text = fill("", |_| part.to_owned(), "");
        assert!(outcome(&text, "ps_5_0").is_err(), "{part}");
        let text = fill("float4 main(float4 p : P) : SV_Target { return ", |_| part.to_owned(), "p; }");
        assert!(outcome(&text, "ps_5_0").is_err(), "{part}");
    }
}

#[test]
fn objects_are_assigned_within_arrays_only() {
    let text = |target: &str| {
        format!(
            "Texture2D a; {}",
            pixel(&format!("Texture2D t[3][2]; {target} = a; return t[1][1].Load(0);"))
        )
    };
    assert_compiled("within", &text("t[1][1]"));
    assert_eq!(outcome(&text("t[1][1e39]"), "ps_5_0"), Err(3504));
    assert_eq!(outcome(&text("t[3][0]"), "ps_5_0"), Err(3504));
    let many = "Texture2D a; float4 main() : SV_Target {
        Texture2D t[60000]; t[59999] = a; return t[59999].Load(0); }";
    assert_eq!(outcome(many, "ps_5_0"), Err(9004));
}

#[test]
fn control_flow_analysis_is_bounded() {
    let begin = "RWBuffer<uint> o;
        [numthreads(1024, 1, 1)] void main(uint i : SV_GroupIndex) { uint x = 0;";
    let end = "GroupMemoryBarrierWithGroupSync(); o[i] = x; }";
    let conditions = fill(begin, |index| format!("if (i * 3 + {index} > 2) x++;"), end);
    assert!(outcome(&conditions, "cs_5_0").is_ok());
    // The copies are in reverse order, so one sweep of the analysis could settle only one variable.
    let count = 1500;
    let declared = each(count, |index| format!("uint v{index} = i;"));
    let copied = each(count - 1, |index| format!("v{} = v{};", count - 1 - index, count - 2 - index));
    assert!(outcome(&format!("{begin} {declared} {copied} {end}"), "cs_5_0").is_ok());
    let fields = each(1500, |index| format!("float f{index};"));
    let assigned = each(1500, |index| format!("s.f{index} = p.x;"));
    let text = format!(
        "struct S {{ {fields} }}; float4 main(float4 p : P) : SV_Target {{ S s; {assigned} return s.f9; }}"
    );
    assert_compiled("fields", &text);
}

#[test]
fn geometry_shaders_have_32_output_registers_in_any_model() {
    let shader = |profile: &str, count: usize| {
        let text = format!(
            "struct V {{ float4 p[{count}] : P; }};
             [maxvertexcount(1)] void main(point float4 a[1] : A, inout PointStream<V> s) {{ s.Append((V)0); }}"
        );
        let compiled = compile(&text, "a.hlsl", "main", profile.parse().unwrap(), &CompileOptions::default());
        compiled.err().and_then(|errors| Some(errors.errors().next()?.code.number()))
    };
    for profile in ["gs_4_0", "gs_4_1", "gs_5_0"] {
        assert_eq!(shader(profile, 32), None, "{profile}");
        assert_eq!(shader(profile, 33), Some(4571), "{profile}");
    }
}
