//! Options of the compiler.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use onze_hlsl::{Code, CompileOptions, Compiled, Diagnostics, Profile, compile};

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

/// A group barrier that only some threads reach.
const BARRIER: &str = "cbuffer B { uint n; }; groupshared uint s[64]; RWStructuredBuffer<uint> o;
    [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
        s[i] = i;
        if (i < n) GroupMemoryBarrierWithGroupSync();
        o[i] = s[63 - i];
    }";

/// Derivatives in a loop that pixels leave at different times.
const DERIVATIVE: &str = "Texture2D t; SamplerState s;
    float4 main(float4 p : P) : SV_Target {
        float4 v = 0;
        for (float x = 0; x < p.x; x++) v += t.Sample(s, x) + ddx(p);
        return v;
    }";

fn compile_flow(text: &str, profile: &str, allow_varying_flow: bool) -> Result<Compiled, Diagnostics> {
    let profile: Profile = profile.parse().map_err(|_| Diagnostics::default())?;
    let options = CompileOptions { allow_varying_flow, ..CompileOptions::default() };
    compile(text, "flow.hlsl", "main", profile, &options)
}

#[test]
fn varying_barrier_is_an_error_by_default() {
    let errors = compile_flow(BARRIER, "cs_5_0", false).map(|_| ());
    let codes = errors.map_err(|errors| errors.iter().map(|error| error.code).collect::<Vec<_>>());
    assert_eq!(codes, Err(vec![Code::SyncInVaryingFlow]));
}

#[test]
fn varying_derivatives_are_a_warning_by_default() {
    let compiled = compile_flow(DERIVATIVE, "ps_5_0", false);
    let warnings = compiled.map(|compiled| compiled.warnings);
    let codes = warnings.map(|warnings| warnings.warnings().map(|warning| warning.code).collect::<Vec<_>>());
    assert_eq!(codes, Ok(vec![Code::GradientInLoop]));
}

#[test]
fn allowed_varying_flow_compiles_to_valid_modules() -> Result<(), Diagnostics> {
    for (text, profile, operation) in
        [(BARRIER, "cs_5_0", "workgroupBarrier()"), (DERIVATIVE, "ps_5_0", "dpdx")]
    {
        let compiled = compile_flow(text, profile, true)?;
        assert!(compiled.warnings.is_empty(), "{}", compiled.warnings);
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let is_valid = validator.validate(&compiled.module).is_ok();
        let wgsl = compiled.wgsl().unwrap_or_default();
        assert!(is_valid && wgsl.contains(operation), "{wgsl}");
    }
    Ok(())
}

#[test]
fn allowed_varying_flow_keeps_the_other_checks() {
    let endless = "float4 main() : SV_Target { float a = 0; while (true) a += 1; return a; }";
    let errors = compile_flow(endless, "ps_5_0", true).map(|_| ());
    let codes = errors.map_err(|errors| errors.errors().map(|error| error.code).collect::<Vec<_>>());
    assert_eq!(codes, Err(vec![Code::InfiniteLoop]));
}
