//! Semantics between stages, which are connected by registers, so the debug layer reports semantics that
//! differ.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{MessageId, prelude::*};
use onze_tests::{Config, Harness, on_each};

const CONFIGS: [Config; 2] = [Config::NULL, Config::GPU];

/// Returns a vertex shader for a full-screen triangle that writes red as `A` and green as `B`, with the
/// fields in the given order.
fn vertex_shader(fields: &str) -> String {
    format!(
        "struct Out {{ float4 p : SV_Position; {fields} }};
        Out main(uint i : SV_VertexID) {{
            Out o;
            o.p = float4(i == 2 ? 3.0 : -1.0, i == 1 ? 3.0 : -1.0, 0, 1);
            o.a = float4(1, 0, 0, 1);
            o.b = float4(0, 1, 0, 1);
            return o;
        }}"
    )
}

/// Returns a pixel shader that outputs the field `a`, or 1 without such a field. It adds the field `c` if
/// there is one, and never reads `b`.
fn pixel_shader(fields: &str) -> String {
    let color = match fields {
        fields if fields.contains(" c ") => "i.a + i.c",
        fields if fields.contains(" a ") => "i.a",
        _ => "1",
    };
    format!(
        "struct In {{ float4 p : SV_Position; {fields} }};
        float4 main(In i) : SV_Target {{ return {color}; }}"
    )
}

const SWAPPED: &str = "float4 b : B; float4 a : A;";
const STRAIGHT: &str = "float4 a : A; float4 b : B;";
const RED: u32 = 0xff00_00ff;
const GREEN: u32 = 0xff00_ff00;

fn draw(h: &mut Harness, vs: &VertexShader, ps: &PixelShader) -> u32 {
    let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 1, 1);
    let picture = h.device.create_texture_2d(&desc, None).unwrap();
    let target = h.device.create_render_target_view(&picture, None).unwrap();
    let context = &mut h.immediate;
    context.om_set_render_targets(&target, None);
    context.rs_set_viewports(Viewport::sized(1.0, 1.0));
    context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    context.vs_set_shader(vs);
    context.ps_set_shader(ps);
    context.draw(3, 0);
    context.clear_state();
    h.read_u32(&picture, 0)[0]
}

fn shaders(h: &Harness, written: &str, read: &str) -> (VertexShader, PixelShader) {
    let (vs, ps) = (vertex_shader(written), pixel_shader(read));
    let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&vs, "main")).unwrap();
    let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&ps, "main")).unwrap();
    vs.set_label("writer");
    ps.set_label("reader");
    (vs, ps)
}

#[test]
fn registers_link_stages_and_other_semantics_are_reported() {
    on_each(&CONFIGS, |h| {
        for (written, read, color, is_reported) in [
            (STRAIGHT, STRAIGHT, RED, false),
            (SWAPPED, SWAPPED, RED, false),
            (STRAIGHT, SWAPPED, GREEN, true),
            (SWAPPED, STRAIGHT, GREEN, true),
            (STRAIGHT, "float4 a : A;", RED, false),
            (SWAPPED, "float4 a : A;", GREEN, true),
            (STRAIGHT, "float4 a : COLOR; float4 b : B;", RED, true),
            // An input without a matching output is allowed if the shader does not read it.
            (STRAIGHT, "float4 a : A; float4 b : COLOR;", RED, false),
        ] {
            let (vs, ps) = shaders(h, written, read);
            let pixel = draw(h, &vs, &ps);
            if h.draws() {
                assert_eq!(pixel, color, "{written} | {read}");
            }
            if is_reported {
                h.assert_reported(MessageId::DrawLinkageSemantics);
            }
            h.assert_silent();
        }
    });
}

#[test]
fn stored_shaders_keep_their_semantics() {
    use onze_hlsl::{CompileOptions, compile};
    on_each(&CONFIGS, |h| {
        let stored = |text: &str, profile: &str| {
            let options = CompileOptions::default();
            let compiled = compile(text, "a.hlsl", "main", profile.parse().unwrap(), &options).unwrap();
            compiled.to_bytes().unwrap()
        };
        let vs = stored(&vertex_shader(STRAIGHT), "vs_5_0");
        let ps = stored(&pixel_shader(SWAPPED), "ps_5_0");
        let vs = h.device.create_vertex_shader(ShaderSource::compiled(&vs)).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::compiled(&ps)).unwrap();
        draw(h, &vs, &ps);
        h.assert_reported(MessageId::DrawLinkageSemantics);
    });
}

#[test]
fn stages_of_other_languages_have_no_semantics() {
    const WGSL: &str = "
        struct Out { @builtin(position) p: vec4f, @location(1) uv: vec4f, @location(2) normal: vec4f }
        @vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
            let p = vec4f(select(-1.0, 3.0, i == 2), select(-1.0, 3.0, i == 1), 0, 1);
            return Out(p, vec4f(1, 0, 0, 1), vec4f(0, 1, 0, 1));
        }
        @fragment fn ps(@location(1) a: vec4f, @location(2) b: vec4f) -> @location(0) vec4f { return a; }";
    on_each(&CONFIGS, |h| {
        let (hlsl_vs, hlsl_ps) = shaders(h, STRAIGHT, STRAIGHT);
        let vs = h.device.create_vertex_shader(ShaderSource::wgsl(WGSL, "vs")).unwrap();
        let ps = h.device.create_pixel_shader(ShaderSource::wgsl(WGSL, "ps")).unwrap();
        for (vs, ps) in [(&vs, &ps), (&hlsl_vs, &ps), (&vs, &hlsl_ps)] {
            let pixel = draw(h, vs, ps);
            assert!(!h.draws() || pixel == RED, "{pixel:#x}");
            h.assert_silent();
        }
    });
}

#[test]
fn pairs_that_cannot_be_drawn_are_named_by_semantic() {
    on_each(&CONFIGS, |h| {
        let (vs, ps) = shaders(h, STRAIGHT, "float4 a : A; float4 b : B; float4 c : C;");
        draw(h, &vs, &ps);
        let [message] = &h.take_errors()[..] else { panic!("one message") };
        assert_eq!(message.id, MessageId::DrawLinkage);
        for part in ["vertex shader \"writer\"", "pixel shader \"reader\"", "reads `C0` from register 3"] {
            assert!(message.description.contains(part), "{message}");
        }
    });
}

#[test]
fn an_input_layout_for_another_shader_is_compared() {
    const VS: &str = "float4 main(float4 a : A, float4 b : B) : SV_Position { return a + b; }";
    const OTHER: &str = "float4 main(float4 b : B, float4 a : A) : SV_Position { return a + b; }";
    const WGSL: &str = "@vertex fn vs(@location(0) b: vec4f, @location(1) a: vec4f) -> @builtin(position) vec4f { return a + b; }";
    on_each(&CONFIGS, |h| {
        let [own, other] =
            [VS, OTHER].map(|text| h.device.create_vertex_shader(ShaderSource::hlsl(text, "main")).unwrap());
        let wgsl = h.device.create_vertex_shader(ShaderSource::wgsl(WGSL, "vs")).unwrap();
        let by_semantic = ["A", "B"].map(|name| InputElementDesc::new(name, 0, Format::R32G32B32A32_FLOAT));
        let element =
            |location| InputElementDesc::new("", 0, Format::R32G32B32A32_FLOAT).at_location(location);
        let by_location = [0, 1].map(element);
        let (_, ps) = shaders(h, STRAIGHT, "");
        let buffer = h.device.create_buffer(&BufferDesc::new(96, BindFlags::VERTEX_BUFFER), None).unwrap();
        for (elements, shader, is_reported) in [
            (&by_semantic, &own, false),
            (&by_semantic, &other, true),
            (&by_semantic, &wgsl, false),
            (&by_location, &own, false),
            (&by_location, &other, false),
        ] {
            let layout = h.device.create_input_layout(elements, &own).unwrap();
            h.immediate.ia_set_input_layout(&layout);
            h.immediate.ia_set_vertex_buffers(0, VertexBufferBinding::new(&buffer, 32));
            draw(h, shader, &ps);
            if is_reported {
                h.assert_reported(MessageId::DrawLinkageSemantics);
            }
            h.assert_silent();
        }
    });
}
