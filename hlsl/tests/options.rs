//! Options of the compiler.

use onze_hlsl::{CompileOptions, Diagnostics, compile};

const LOOPS: &str = "float4 main() : SV_Target { float a = 0; for (int i = 0; i < 4; ++i) a += i;
    for (int i = 0; i < 4; ++i) a += i; return a; }";

fn diagnostics(options: &CompileOptions<'_>) -> Result<Diagnostics, Diagnostics> {
    let profile = "ps_5_0".parse().map_err(|_| Diagnostics::default())?;
    compile(LOOPS, "a.hlsl", "main", profile, options).map(|compiled| compiled.warnings)
}

#[test]
fn a_redeclared_loop_variable_is_a_warning_or_an_error() {
    let warnings = diagnostics(&CompileOptions::default());
    assert_eq!(warnings.map(|warnings| warnings.warnings().count()), Ok(1));
    let strict = CompileOptions { strict: true, ..CompileOptions::default() };
    assert_eq!(diagnostics(&strict).map_err(|errors| errors.errors().count()), Err(1));
    let no_warnings = CompileOptions { warnings_are_errors: true, ..CompileOptions::default() };
    assert_eq!(diagnostics(&no_warnings).map_err(|errors| errors.iter().count()), Err(1));
}
