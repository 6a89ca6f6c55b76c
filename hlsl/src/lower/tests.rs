//! Tests that compile programs and compare the WGSL.

use crate::{CompileOptions, compile, lower::testing::written};

/// Compiles a pixel shader, writes it in all languages and returns the WGSL.
fn pixel(text: &str) -> String {
    match compile(text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()) {
        Ok(compiled) => written(&compiled.module),
        Err(errors) => panic!("{errors}"),
    }
}

/// Returns the error numbers of a pixel shader.
fn errors(text: &str) -> Vec<u16> {
    match compile(text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.errors().map(|error| error.code.number()).collect(),
    }
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

#[test]
fn integer_division_by_zero_sets_all_bits() {
    let text = pixel("uint a, b; float4 main() : SV_Target { return a / b; }");
    assert_has(&text, &["4294967295u", "== 0u"]);
    let text = pixel("uint a; float4 main() : SV_Target { return a / 4; }");
    assert!(!text.contains("4294967295u"), "{text}");
    let zero = "int a; float4 main() : SV_Target { int zero = 1; zero -= 1; return a / zero; }";
    assert_eq!(errors(zero), [4010]);
}

#[test]
fn division_by_a_known_zero_is_an_error() {
    assert_eq!(errors("float4 main() : SV_Target { int x = 1, y = 0; return x / y; }"), [4010]);
    assert_eq!(errors("static uint i; float4 main() : SV_Target { return 1 / i; }"), [4010]);
    assert_eq!(errors("static uint i; float4 main() : SV_Target { i += 1; return 1 / i; }"), [0_u16; 0]);
}

#[test]
fn out_of_range_index_is_an_error_only_in_reachable_code() {
    for body in ["m[1].x", "a[3]", "a[-1]", "v[4]", "m[0][3]"] {
        let text =
            format!("float a[3]; float4 v; float1x3 m; float4 main() : SV_Target {{ return {body}; }}");
        assert_eq!(errors(&text), [3504], "{body}");
    }
    let dead = "float a[3]; bool b; float4 main() : SV_Target {
                    bool no = false;
                    if (no || (no && b)) return a[3];
                    return 0;
                }";
    assert_eq!(errors(dead), [0_u16; 0]);
}

#[test]
fn store_to_a_component_with_a_uniform_index_is_refused() {
    let stores = |statement: &str| {
        errors(&format!(
            "uint i; float4 v; float4 main() : SV_Target {{ float4 p = v; float a[2] = {{ 1, 2 }}; {statement} return p + a[1]; }}"
        ))
    };
    assert_eq!(stores("p[i] = 1;"), [3500]);
    assert_eq!(stores("p[i + 1] += 1;"), [3500]);
    assert_eq!(stores("a[i] = 1;"), [0_u16; 0]);
    assert_eq!(stores("float2x2 m = { p }; m[i][i] = 1; p.x = m[0].x;"), [0_u16; 0]);
    assert_eq!(stores("for (int k = 0; k < 4; k++) p[k] = k;"), [0_u16; 0]);
}

#[test]
fn recursion_is_refused_only_in_called_functions() {
    let main = "float4 main() : SV_Target { f(true); return 0; }";
    assert_eq!(errors(&format!("void f(bool a) {{ if (a) f(false); }} {main}")), [3500]);
    assert_eq!(
        errors(&format!("void g(); void f(bool a) {{ g(); }} void g() {{ f(true); }} {main}")),
        [3500]
    );
    assert_eq!(errors("void f(bool a) { f(a); } float4 main() : SV_Target { return 0; }"), [0_u16; 0]);
}

#[test]
fn vector_system_values_are_zero_after_the_first_component() {
    for ty in ["float4", "int2", "uint3", "bool4", "half2", "float1"] {
        let size = format!("{ty} f : SV_IsFrontFace, {ty} s : SV_SampleIndex");
        let text = pixel(&format!("float4 main({size}) : SV_Target {{ return f.x + s.x; }}"));
        assert_has(&text, &["@builtin(front_facing)", "@builtin(sample_index)"]);
    }
    let text = pixel("float4 main(uint4 f : SV_IsFrontFace) : SV_Target { return f; }");
    assert_has(&text, &["select(0u, 4294967295u,", "0u, 0u, 0u)"]);
}

#[test]
fn constant_buffer_variables_are_read_from_rows() {
    let text = pixel(
        "float a; float3 b; row_major float2x3 m; int k[2];
         float4 main(nointerpolation int i : I) : SV_Target { return float4(b.zy, m[1].x, k[i]); }",
    );
    // `b` follows `a` in row 0, `m` has the rows 1 and 2, and `k` begins at row 3.
    assert_has(&text, &["rows[0]", "rows[2]", "+ 3u", "bitcast<i32>"]);
    assert!(!text.contains("rows[1]"), "{text}");
}

#[test]
fn loops_are_unrolled_if_they_need_literals() {
    let text = pixel(
        "Texture2D t[3]; SamplerState s;
         float4 main(float2 p : P) : SV_Target {
             float4 sum = 0;
             for (int i = 0; i < 3; i++) { if (sum.x > 1) continue; sum += t[i].Sample(s, p); if (sum.y > 2) break; }
             return sum;
         }",
    );
    assert_eq!(text.matches("textureSample(").count(), 3, "{text}");
    let kept = pixel(
        "float4 main(float2 p : P) : SV_Target {
             float4 sum = 0;
             [unroll] for (int i = 0; i < 3; i++) sum += sin(p.x);
             return sum;
         }",
    );
    assert_eq!(kept.matches("sin(").count(), 1, "{kept}");
    let endless = "float4 main() : SV_Target { int i; [unroll] for (i = 0; i < 1024; i++); return i; }";
    assert_eq!(errors(endless), [3511]);
}

#[test]
fn inner_loops_stay_loops_if_the_outer_one_selects_the_object() {
    let text = pixel(
        "Texture2D t[4]; SamplerState s;
         float4 main(float2 p : P) : SV_Target {
             float4 sum = 0;
             for (int i = 0; i < 4; i++) {
                 int k = 3 - i;
                 for (int y = 0; y < 64; y++) for (int z = 0; z < 64; z++) sum += t[k].SampleLevel(s, p + float2(y, z), 0);
             }
             return sum;
         }",
    );
    assert_eq!(text.matches("textureSampleLevel(").count(), 4, "{text}");
}

#[test]
fn assignments_before_a_jump_do_not_affect_later_code() {
    let text = pixel(
        "Texture2D t[4]; SamplerState s; int n; float x;
         float4 main(float2 p : P) : SV_Target {
             int k = 1;
             if (x > 1) { if (x > 2) { k = n; return k; } else return 2; }
             for (int i = 1; i < 3; i++) {
                 if (x > 3) { if (x > 4) { k = n; break; } else { break; } }
                 p += t[k + i].Sample(s, p).xy;
             }
             return p.xyxy;
         }",
    );
    assert_eq!(text.matches("textureSample(").count(), 2, "{text}");
    assert_has(&text, &["textureSample(t_2_", "textureSample(t_3_"]);
}

#[test]
fn unroll_attribute_limits_the_iterations() {
    let text = pixel("float4 main() : SV_Target { int i; [unroll(4)] for (i = 0; i < 8; i++); return i; }");
    assert_has(&text, &["< 4u"]);
}

#[test]
fn objects_are_resolved_at_each_use() {
    let text = pixel(
        "Texture2D a, b; SamplerState s;
         struct Layer { Texture2D t; float2 p; };
         float4 get(Layer layer) { return layer.t.Sample(s, layer.p); }
         float4 main(float2 p : P) : SV_Target {
             Layer layer; layer.p = p; layer.t = b; float4 first = get(layer);
             layer.t = a; return first + get(layer);
         }",
    );
    assert_eq!(text.matches("textureSample(").count(), 2, "{text}");
    let chosen = "Texture2D t[2]; SamplerState s;
         float4 main(float2 p : P, nointerpolation int i : I) : SV_Target { return t[i].Sample(s, p); }";
    assert_eq!(errors(chosen), [3512]);
}

#[test]
fn out_arguments_are_converted_after_the_call() {
    let text = pixel(
        "void set(out int a, inout float b) { a = 3; b *= 2; }
         float4 main(float4 v : V) : SV_Target { set(v.x, v.y); return v; }",
    );
    assert_has(&text, &["ptr<function, i32>", "ptr<function, f32>", "f32("]);
}

#[test]
fn static_variables_are_initialised() {
    let text = pixel(
        "float a; static float b = a + 1; static const float table[2] = { 5, 6 };
         float4 main(nointerpolation int i : I) : SV_Target { b += 1; return b * table[i]; }",
    );
    assert_has(&text, &["initialize_b();", "array<f32, 2>(5f, 6f)"]);
}

#[test]
fn switch_has_a_case_for_each_label_and_a_default() {
    let text = pixel(
        "int n; float4 main() : SV_Target {
             int sum = 0;
             for (int i = 0; i < n; i++) {
                 switch (i) { case 1: case 2: sum *= 3; break; case -1: sum += 2; break; }
                 sum++;
             }
             return sum;
         }",
    );
    assert_has(&text, &["case 1, 2: {", "case -1: {", "default: {"]);
}

#[test]
fn matrix_rows_and_elements_can_be_assigned() {
    let text = pixel(
        "float4 main(float4 v : V, nointerpolation int i : I) : SV_Target {
             float4x4 m = 0; m[i] = v; m._m01_m10 = v.xy; m[2].zw = v.zw; m[3][i] = 1;
             return m[0] + m[1] + m[2] + m[3];
         }",
    );
    assert_has(&text, &["array<vec4<f32>, 4>", "[2].z = ", "[2].w = "]);
}

#[test]
fn deep_programs_never_overflow_the_stack() {
    let calls = |count: usize| {
        let mut text = String::from("float f0(float a) { return a + 1; }\n");
        for index in 1..=count {
            text.push_str(&format!("float f{index}(float a) {{ return f{}(a) + 1; }}\n", index - 1));
        }
        text + &format!("float4 main(float a : A) : SV_Target {{ return f{count}(a); }}")
    };
    assert_eq!(errors(&calls(400)), [0_u16; 0]);
    assert_eq!(errors(&calls(2000)), [9000]);
    let sum = |count| format!("float4 main(float a : A) : SV_Target {{ return {}a; }}", "a + ".repeat(count));
    assert_eq!(errors(&sum(480)), [0_u16; 0]);
    assert_eq!(errors(&sum(5000)), [9000]);
}

#[test]
fn groupshared_vectors_with_atomics_become_arrays() {
    let text = "groupshared uint4 mask; RWStructuredBuffer<uint4> r;
         [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
             mask = 0; InterlockedOr(mask[i % 4], 1u << i); r[0] = mask; r[1].xy = mask.zw;
         }";
    let compiled =
        compile(text, "a.hlsl", "main", "cs_5_0".parse().unwrap(), &CompileOptions::default()).unwrap();
    assert_has(&written(&compiled.module), &["array<atomic<u32>, 4>", "atomicOr("]);
}

#[test]
fn constant_buffer_doubles_are_assembled_from_words() {
    let text = "double a; double2 b; float4 main() : SV_Target { return float(b.y + a); }";
    let compiled =
        compile(text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()).unwrap();
    // `b` has its own row after the row of `a`.
    assert_has(&compiled.wgsl().unwrap(), &["rows[0]", "rows[1]", ".w", "<< 32u", "bitcast<f64>"]);
}
