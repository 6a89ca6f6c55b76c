//! Each message of the compiler, with a program that causes it and the expected position.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on ends with a panic")]

use onze_hlsl::{Code, CompileOptions, Diagnostic, PreprocessOptions, TextIncludes, compile};

struct Row {
    code: Code,
    profile: &'static str,
    text: String,
    /// The line and the column, both counted from 1.
    place: (u32, u32),
    message: &'static str,
}

const WITHOUT_A_ROW: [Code; 1] = [Code::Internal];

fn row(
    code: Code,
    profile: &'static str,
    text: impl Into<String>,
    place: (u32, u32),
    message: &'static str,
) -> Row {
    Row { code, profile, text: text.into(), place, message }
}

fn body(code: Code, statements: &str, place: (u32, u32), message: &'static str) -> Row {
    let text = format!("float4 main(float4 v : V, int n : N) : SV_Target {{\n{statements}\nreturn 0; }}");
    row(code, "ps_5_0", text, place, message)
}

fn global(code: Code, declarations: &str, place: (u32, u32), message: &'static str) -> Row {
    row(code, "ps_5_0", format!("{declarations}\nfloat4 main() : SV_Target {{ return 0; }}"), place, message)
}

/// Compiles a program, with an include file `a` that includes itself, and returns its messages.
fn diagnostics(row: &Row) -> Vec<Diagnostic> {
    let files = TextIncludes::new().with_text("a", "#include \"a\"\n");
    let has_files = !row.text.contains("\"none\"");
    let preprocess = PreprocessOptions {
        include: if has_files { Some(&files) } else { None },
        ..PreprocessOptions::default()
    };
    let options = CompileOptions { preprocess, ..CompileOptions::default() };
    let found = match compile(&row.text, "a.hlsl", "main", row.profile.parse().unwrap(), &options) {
        Ok(compiled) => compiled.warnings,
        Err(errors) => errors,
    };
    found.iter().cloned().collect()
}

#[test]
fn every_message_has_its_number_and_position() {
    let mut failures = Vec::new();
    for row in rows() {
        let found = diagnostics(&row);
        let is_it = |one: &Diagnostic| {
            one.code == row.code
                && (one.place.line, one.place.column) == row.place
                && one.message.contains(row.message)
        };
        if !found.iter().any(is_it) {
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            failures.push(format!("X{} {:?}:\n{}\n", row.code.number(), row.place, found.join("\n")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_error_number_has_a_program() {
    let rows = rows();
    let missing = Code::ALL
        .iter()
        .filter(|code| !WITHOUT_A_ROW.contains(code) && !rows.iter().any(|row| row.code == **code));
    assert_eq!(missing.collect::<Vec<_>>(), [] as [&Code; 0]);
}

fn rows() -> Vec<Row> {
    let mut rows = preprocessor();
    rows.extend(declarations());
    rows.extend(expressions());
    rows.extend(statements());
    rows.extend(interface());
    rows.extend(own());
    rows
}

fn preprocessor() -> Vec<Row> {
    vec![
        global(Code::CommentEof, "float a;/*\n", (1, 9), "not closed"),
        global(Code::HexTruncated, "static int a = 0x100000000;", (1, 16), "hex value truncated"),
        global(Code::OctalTruncated, "static int a = 040000000000;", (1, 16), "octal value truncated"),
        global(Code::DecimalTruncated, "static uint a = 4294967296u;", (1, 17), "decimal value truncated"),
        row(Code::StringEof, "ps_5_0", "string a = \"x\n", (1, 12), "string is not closed"),
        global(Code::PreprocessorSyntax, "#define 1", (1, 9), "name of a macro"),
        global(Code::UnexpectedTokens, "#if 1\n#endif x", (2, 8), "unexpected tokens"),
        global(Code::UnexpectedEof, "\n#if 1", (2, 2), "before #endif"),
        global(Code::DivisionByZero, "#if 1 / 0\n#endif", (1, 7), "zero"),
        global(Code::UnknownDirective, "#odd", (1, 2), "odd"),
        global(Code::NoIncludeHandler, "#include \"none\"no include handler", (1, 10), ""),
        global(Code::TooManyIncludes, "#include \"a\"32 files", (1, 10), ""),
        global(Code::IncludeNotFound, "#include \"b\"", (1, 10), "'b'"),
        global(Code::UnexpectedElif, "#elif 1", (1, 2), "elif"),
        global(Code::UnexpectedElse, "#else", (1, 2), "else"),
        global(Code::UnexpectedEndif, "#endif", (1, 2), "endif"),
        global(Code::DuplicateParameter, "#define F(x, x) x", (1, 14), "'x'"),
        global(Code::ElifAfterElse, "#if 1\n#else\n#elif 1\n#endif", (3, 2), "elif"),
        global(Code::ElseAfterElse, "#if 1\n#else\n#else\n#endif", (3, 2), "else"),
        row(
            Code::MacroEof,
            "ps_5_0",
            "#define F(x) x\nfloat4 main() : SV_Target { return 0; }\nF(1",
            (3, 1),
            "'F'",
        ),
        global(Code::MacroArguments, "#define F(x, y) x\nstatic int a = F(1);", (2, 16), "'F'"),
        global(Code::InvalidExpression, "#if \"x\"\n#endif", (1, 5), "integer constant expression"),
        global(Code::MacroRedefinition, "#define A 1\n#define A 2", (2, 9), "'A'"),
        global(Code::UnknownPragma, "#pragma odd", (1, 1), "odd"),
    ]
}

fn declarations() -> Vec<Row> {
    vec![
        global(Code::SyntaxError, "float a b;", (1, 9), "unexpected token 'b'"),
        global(Code::Redefinition, "float a;\nint a;", (2, 5), "'a'"),
        body(Code::CannotBeExtern, "extern float a;", (2, 1), "'extern'"),
        global(Code::CannotBeStatic, "extern static float a;", (1, 1), "'static'"),
        global(Code::CannotBeVolatile, "struct S { volatile float a; };", (1, 12), "'volatile'"),
        body(Code::CannotBeGroupshared, "groupshared float a;", (2, 1), "'groupshared'"),
        global(Code::InitialValueNotLiteral, "float a;\nfloat b = a;", (2, 11), "literal"),
        body(Code::MissingInitialValue, "const float a;", (2, 13), "'a'"),
        global(Code::CannotBeConst, "struct S { const float a; };", (1, 12), "'const'"),
        global(Code::InvalidType, "void f(void a) {}", (1, 8), "void"),
        body(Code::LocalSemantic, "float a : COLOR;", (2, 11), "'a'"),
        global(Code::MissingDefault, "void f(int a = 1, int b) {}", (1, 19), "'b'"),
        global(Code::OutputDefault, "void f(out int a = 1) {}", (1, 8), "'a'"),
        body(Code::CannotBeUniform, "uniform float a;", (2, 1), "'uniform'"),
        global(
            Code::InvalidModifier,
            "row_major column_major float2x2 a;",
            (1, 11),
            "both column_major and row_major",
        ),
        global(Code::VectorDimension, "vector <float, 5> a;", (1, 16), "between 1 and 4"),
        body(Code::CannotBeShared, "shared float a;", (2, 1), "'shared'"),
        global(Code::ArrayDimension, "int n;\nfloat a[n];", (2, 9), "literal"),
        global(Code::InvalidArrayDimension, "float a[0];", (1, 9), "between 1 and 65536"),
        global(Code::ArrayDimensionMissing, "struct S { float a[]; };", (1, 18), "explicit"),
        global(Code::ImplicitArrayWithoutValue, "float a[];", (1, 7), "'a'"),
        global(Code::SecondaryDimensionMissing, "static float a[2][] = { 1, 2 };", (1, 14), "explicit"),
        global(Code::VoidSemantic, "void f() : COLOR {}", (1, 12), "void functions"),
        global(Code::NoMatrix, "row_major float a;", (1, 1), "non-matrix"),
        global(Code::InvalidTypeModifier, "unsigned float a;", (1, 1), "unsigned"),
        body(Code::PackOffsetOutside, "float a : packoffset(c0);", (2, 11), "constant buffer"),
        global(Code::InvalidBase, "typedef int T;\nstruct S : T { int a; };", (2, 12), "base type"),
        global(Code::MatrixDimension, "matrix <float, 2, 8> a;", (1, 19), "between 1 and 4"),
        global(Code::MatrixElement, "matrix <Texture2D, 2, 2> a;", (1, 9), "scalar"),
        global(Code::VectorElement, "vector <Texture2D, 2> a;", (1, 9), "scalar"),
        global(Code::ObjectElement, "Texture2D<Texture2D> a;", (1, 11), "object"),
        row(
            Code::NotAddressable,
            "ps_5_0",
            "float f(float a) { return f(a); }\nfloat4 main() : SV_Target { return f(1.5); }",
            (1, 27),
            "'f'",
        ),
        row(
            Code::OutputNotInitialized,
            "ps_5_0",
            "void f(out float2 a) { a.x = 1; }\nfloat4 main() : SV_Target { float2 a; f(a); return a.x; }",
            (1, 19),
            "'f': output parameter 'a'",
        ),
        global(Code::MissingReturn, "float f() { }", (1, 14), "'f'"),
    ]
}

fn expressions() -> Vec<Row> {
    vec![
        body(Code::UndeclaredIdentifier, "return a;", (2, 8), "'a'"),
        body(Code::NotAVariable, "return main;", (2, 8), "'main'"),
        body(Code::NoMatchingFunction, "return sin();", (2, 8), "'sin'"),
        body(Code::ConstructorArguments, "float2 a = float2(1, 2, 3);", (2, 12), "arguments"),
        body(Code::CannotConvert, "float3 a = float2(1, 2);", (2, 12), "'float2' to 'float3'"),
        body(Code::InvalidSubscript, "return v.q;", (2, 10), "'q'"),
        body(Code::ScalarCondition, "if (v) {}", (2, 5), "scalar"),
        body(Code::TypeMismatch, "struct { int x; } s; s = n > 0 ? s : v;", (2, 26), "type mismatch"),
        body(Code::NumericExpected, "struct { int x; } s; s = -s;", (2, 27), "scalar, vector, or matrix"),
        body(Code::ConstantLvalue, "const int a = 1; a = 2;", (2, 18), "const"),
        body(Code::ConstructorType, "Texture2D t = Texture2D(1);", (2, 15), "constructors"),
        row(
            Code::AmbiguousCall,
            "ps_5_0",
            "int f(int a) { return a; }\nint f(uint a) { return a; }\nint main() : SV_Target { return f(1); }",
            (3, 33),
            "'f'",
        ),
        body(Code::IntegerRequired, "return v & 1;", (2, 8), "int"),
        body(Code::ScalarIndex, "return v[v];", (2, 10), "scalar"),
        body(Code::InvalidIndex, "return n[0];", (2, 8), "index"),
        body(Code::ImplicitTruncation, "float a = v;", (2, 11), "truncation"),
        body(Code::IndexOutOfBounds, "float a[2] = { 1, 2 }; return a[2];", (2, 33), "out of bounds"),
        body(
            Code::MinimumPrecisionDivision,
            "return min16int(n) / min16int(2);",
            (2, 8),
            "minimum-precision",
        ),
        body(Code::DoubleModulo, "double d = 1.5L; return d % 2;", (2, 25), "cast to float"),
        body(Code::Uninitialized, "Texture2D t; return t.Load(0);", (2, 21), "object"),
        body(Code::Uninitialized, "float2 a; a.x = 1; return a.y;", (2, 27), "'a'"),
        body(Code::IntegerDivisionByZero, "return n / 0;", (2, 12), "zero"),
        global(Code::UniformHalf, "half h;", (1, 6), "backwards-compatible"),
        body(Code::LegacyIntrinsic, "sampler s; return tex2D(s, v.xy);", (2, 19), "tex2D"),
        row(
            Code::InvalidOffset,
            "ps_5_0",
            "Texture2D t; SamplerState s;\nfloat4 main(int2 n : N) : SV_Target { return t.Sample(s, 0, n); }",
            (2, 61),
            "literal in the range -8 to 7; 'n' is not known",
        ),
        row(
            Code::OffsetRange,
            "ps_5_0",
            "Texture2D t; SamplerState s;\nfloat4 main() : SV_Target { return t.Sample(s, 0, int2(9, 0)); }",
            (2, 51),
            "from -8 to 7",
        ),
        row(
            Code::IndexNotLiteral,
            "ps_5_0",
            "Texture2D t[2];\nfloat4 main(int n : N) : SV_Target { return t[n].Load(0); }",
            (2, 47),
            "literal expression; 'n' is not known",
        ),
        row(
            Code::SampleOfIntegers,
            "ps_5_0",
            "Texture2D<int> t; SamplerState s;\nint main() : SV_Target { return t.Sample(s, 0); }",
            (2, 35),
            "Load",
        ),
        row(
            Code::PartialTypedStore,
            "cs_5_0",
            "RWBuffer<float4> b;\n[numthreads(1, 1, 1)] void main() { b[0].x = 1; }",
            (2, 37),
            "all declared components",
        ),
    ]
}

fn statements() -> Vec<Row> {
    vec![
        body(Code::InvalidCase, "switch (n) { case n: break; }", (2, 19), "literal expressions"),
        body(Code::LoopVariableConflict, "int i = 0; for (int i = 0; i < 2; i++) {}", (2, 21), "'i'"),
        global(Code::VoidReturn, "void f() { return 1; }", (1, 12), "cannot return a value"),
        global(Code::InvalidReturn, "int f() { return; }", (1, 11), "must return a value"),
        body(Code::InvalidAttribute, "[unroll(0)] for (int i = 0; i < 2; i++) {}", (2, 9), "above 0"),
        body(Code::CannotUnroll, "[unroll] for (int i = 0; i < 5000; i++) n++;", (2, 1), "unroll"),
        body(Code::BreakOutside, "break;", (2, 1), "break"),
        body(Code::ContinueOutside, "continue;", (2, 1), "continue"),
        body(Code::ContinueInSwitch, "for (;;) switch (n) { case 1: continue; }", (2, 31), "switch"),
        body(Code::LoopAttributes, "[loop] [unroll] for (;;) break;", (2, 2), "loop"),
        body(Code::RepeatedAttribute, "[loop] [loop] for (;;) break;", (2, 9), "loop"),
        row(
            Code::LoopForced,
            "ps_5_0",
            "Texture2D t[3];\nfloat4 main() : SV_Target {\nfloat4 v = 0;\n\
             [loop] for (int i = 0; i < 3; i++) v += t[i].Load(0);\nreturn v; }",
            (4, 1),
            "loop attribute",
        ),
        body(Code::DuplicateCase, "switch (n) { case 1: break; case 1: break; }", (2, 29), "duplicate case"),
        body(
            Code::CaseFallsThrough,
            "switch (n) { case 1: n++; case 2: break; }",
            (2, 14),
            "break or return",
        ),
        body(Code::NegativePower, "return pow(v, 2.5);", (2, 8), "negative"),
        body(Code::GradientInLoop, "while (v.x > v.y) { v.x -= ddx(v.z); }", (2, 28), "varying iteration"),
        body(Code::InfiniteLoop, "while (true) { v.x += 1; }", (2, 1), "never exits"),
        body(Code::UnknownAttribute, "[odd] for (;;) break;", (2, 2), "odd"),
    ]
}

fn interface() -> Vec<Row> {
    let many = |way: &str| -> String {
        (0..33).map(|index| format!("{way} float4 v{index} : V{index}, ")).collect()
    };
    let textures: String = (0..17).map(|index| format!("SamplerState s{index};\n")).collect();
    let samples: String = (0..17).map(|index| format!(" + t.Sample(s{index}, 0)")).collect();
    vec![
        row(Code::EntryPointNotFound, "ps_5_0", "float a;", (1, 1), "'main'"),
        row(
            Code::MissingSemantic,
            "ps_5_0",
            "float4 main(float a) : SV_Target { return a; }",
            (1, 19),
            "'a'",
        ),
        row(Code::MissingResultSemantic, "ps_5_0", "float4 main() { return 0; }", (1, 8), "main"),
        row(
            Code::InvalidRegister,
            "ps_5_0",
            "cbuffer B {\nfloat4 a : packoffset(c0.y); };\nfloat4 main() : SV_Target { return a; }",
            (2, 12),
            "register or offset bind",
        ),
        row(Code::ThreadCount, "cs_5_0", "[numthreads(0, 1, 1)]\nvoid main() {}", (1, 2), "1024"),
        row(
            Code::OverlappingVariables,
            "ps_5_0",
            "cbuffer B { float4 a : packoffset(c0);\nfloat b : packoffset(c0.w); };\n\
             float4 main() : SV_Target { return a; }",
            (2, 7),
            "'a' and 'b' overlap",
        ),
        row(
            Code::OverlappingRegisters,
            "ps_5_0",
            "Texture2D a : register(t0);\nTexture2D b : register(t0);\n\
             float4 main() : SV_Target { return a.Load(0) + b.Load(0); }",
            (2, 11),
            "'t0'",
        ),
        row(
            Code::InvalidSemantic,
            "ps_5_0",
            "float4 main() : SV_Position { return 0; }",
            (1, 17),
            "SV_Position",
        ),
        row(
            Code::DuplicateSemantic,
            "ps_5_0",
            "float4 main(out float4 a : SV_Target) : SV_Target { a = 0; return 0; }",
            (1, 28),
            "SV_Target0",
        ),
        row(
            Code::MostInputs,
            "ps_5_0",
            format!("float4 main({} float4 z : Z) : SV_Target {{ return 0; }}", many("in")),
            (1, 8),
            "input limit (32) exceeded, shader uses 34 inputs",
        ),
        row(
            Code::MostOutputs,
            "vs_5_0",
            format!("float4 main({} float4 z : Z) : SV_Position {{ return 0; }}", many("out")),
            (1, 8),
            "output limit (32) exceeded",
        ),
        row(
            Code::RegisterOutOfRange,
            "ps_5_0",
            "SamplerState s : register(s16); Texture2D t;\nfloat4 main() : SV_Target { return t.Sample(s, 0); }",
            (1, 14),
            "16 registers s",
        ),
        row(
            Code::MostRegisters,
            "ps_5_0",
            format!("{textures}Texture2D t;\nfloat4 main() : SV_Target {{ return 0{samples}; }}"),
            (17, 14),
            "16 registers s",
        ),
        row(
            Code::MostConstantBuffers,
            "ps_5_0",
            "cbuffer B : register(b14) { float4 a; };\nfloat4 main() : SV_Target { return a; }",
            (1, 9),
            "14 registers b",
        ),
        row(
            Code::ConstantBufferTooLarge,
            "ps_5_0",
            "cbuffer B { float4 a[4097]; };\nfloat4 main() : SV_Target { return a[0]; }",
            (1, 9),
            "65552",
        ),
        row(
            Code::SharedMemoryTooLarge,
            "cs_5_0",
            "groupshared float4 a[2049];\n[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { a[i] = 1; }",
            (1, 20),
            "32784",
        ),
        row(
            Code::ElementTooLarge,
            "ps_5_0",
            "struct E { float a[513]; }; StructuredBuffer<E> b;\nfloat4 main() : SV_Target { return b[0].a[0]; }",
            (1, 49),
            "2052",
        ),
        row(
            Code::SyncInVaryingFlow,
            "cs_5_0",
            "[numthreads(64, 1, 1)]\nvoid main(uint i : SV_GroupIndex) { if (i == 0) GroupMemoryBarrierWithGroupSync(); }",
            (2, 49),
            "varying flow control",
        ),
        row(
            Code::RegisterClass,
            "ps_5_1",
            "SamplerState s : register(t0);\nfloat4 main() : SV_Target { return 0; }",
            (1, 18),
            "'s' needs a register s, not t",
        ),
        row(
            Code::BufferElement,
            "ps_5_1",
            "ConstantBuffer<float4> b;\nfloat4 main() : SV_Target { return 0; }",
            (1, 16),
            "must be a structure",
        ),
        row(Code::NotInProfile, "vs_5_0", "float4 main() : SV_Position { return ddx(1.5); }", (1, 38), "ddx"),
    ]
}

fn own() -> Vec<Row> {
    vec![
        body(Code::LimitExceeded, &"{".repeat(200), (2, 129), "128 deep"),
        global(Code::ErrorDirective, "#error why", (1, 1), "why"),
        global(Code::PragmaMessage, "#pragma message \"why\"", (1, 1), "why"),
        global(Code::EffectSkipped, "technique T { pass P { } }", (1, 1), "technique"),
        row(
            Code::Unsupported,
            "ps_5_0",
            "void main(out float4 p : SV_Target, out uint i : SV_StencilRef) { p = 0; i = 0; }",
            (1, 50),
            "SV_StencilRef",
        ),
        row(Code::StageRule, "gs_5_0", "void main(point float4 a[1] : A) {}", (1, 6), "maxvertexcount"),
        row(
            Code::InvalidEntryType,
            "ps_5_0",
            "float4 main(double a : A) : SV_Target { return 0; }",
            (1, 20),
            "double",
        ),
    ]
}
