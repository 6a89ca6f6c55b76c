//! Shaders that write only some of their declared outputs or read only some of their declared inputs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Config, Harness, Target, drawing::assert_all, gpu_matrix, on_each};

/// A green triangle that covers all pixels at depth 0.5.
const VERTEX: &str = "
    struct Corner { float4 position : SV_Position; float4 color : COLOR; float2 place : PLACE; };
    Corner vs_main(uint n : SV_VertexID) {
        float2 place = float2(n >> 1, n & 1) * 4 - 1;
        Corner corner = { float4(place, 0.5, 1), float4(0, 1, 0, 1), place };
        return corner;
    }";

const BEFORE: [([f32; 4], u32); 3] =
    [([1.0, 0.0, 0.0, 1.0], 0xff00_00ff), ([0.0, 0.0, 1.0, 1.0], 0xffff_0000), ([1.0; 4], 0xffff_ffff)];
const GREEN: u32 = 0xff00_ff00;

struct Scene {
    targets: Vec<Target>,
    depth: DepthStencilView,
}

impl Scene {
    fn new(device: &Device) -> Self {
        let targets = (0..BEFORE.len()).map(|_| Target::new(device, 4, 4)).collect();
        Self {
            targets,
            depth: device.create_depth_target(Format::D32_FLOAT, 4, 4).unwrap().depth_stencil_view,
        }
    }

    /// Clears the depth buffer to 0.75, then draws to all targets.
    fn draw(&self, cx: &mut DeviceContext, vs: &VertexShader, ps: &PixelShader, blend: Option<&BlendState>) {
        for (target, (color, _)) in self.targets.iter().zip(BEFORE) {
            cx.clear_render_target_view(&target.view, color);
        }
        cx.clear_depth_stencil_view(&self.depth, ClearFlags::DEPTH, 0.75, 0);
        let views: Vec<_> = self.targets.iter().map(|target| &target.view).collect();
        cx.om_set_render_targets(&views[..], &self.depth);
        cx.om_set_blend_state(blend, [1.0; 4], u32::MAX);
        cx.rs_set_viewports(self.targets[0].viewport());
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.vs_set_shader(vs);
        cx.ps_set_shader(ps);
        cx.draw(3, 0);
    }

    /// Asserts that each target is green or still has the colour from before the draw.
    fn assert_green(&self, h: &mut Harness, is_green: [bool; 3], case: &str) {
        for (slot, (target, (_, before))) in self.targets.iter().zip(BEFORE).enumerate() {
            let expected = if is_green[slot] { GREEN } else { before };
            assert_all(&target.read(h), expected, &format!("target {slot}, {case}"));
        }
    }
}

fn shaders(h: &Harness, vs: &str, ps: ShaderSource<'_>) -> (VertexShader, PixelShader) {
    let vs = h.device.create_vertex_shader(ShaderSource::hlsl(vs, "vs_main")).unwrap();
    (vs, h.device.create_pixel_shader(ps).unwrap())
}

/// A target without a declared output keeps its contents, whatever the write mask and the blend mode are
/// (Direct3D 11, functional specification 16.9.1). FXC declares only the outputs that a program writes.
#[test]
fn targets_that_no_statement_writes_keep_their_contents() {
    const OUTPUTS: &str =
        "struct O { float4 a : SV_Target0; float4 b : SV_Target1; float4 c : SV_Target2; };";
    let rows = [
        ("void ps_main(out float4 o[3] : SV_Target) { o[1] = float4(0, 1, 0, 1); }", [false, true, false]),
        (
            "void ps_main(out float4 o[3] : SV_Target) { for (int i = 1; i < 3; i++) o[i] = float4(0, 1, 0, 1); }",
            [false, true, true],
        ),
        ("O ps_main() { O o; o.c = float4(0, 1, 0, 1); return o; }", [false, false, true]),
        ("O ps_main() { O o; o.a = float4(0, 1, 0, 1); o.c = o.a; return o; }", [true, false, true]),
        (
            "O set() { O o; o.a = float4(0, 1, 0, 1); return o; } O ps_main() { return set(); }",
            [true, false, false],
        ),
    ];
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::ShaderCompilerWarning]);
        let scene = Scene::new(&h.device);
        let blend = BlendDesc::all(RenderTargetBlendDesc::alpha());
        let blend = h.device.create_blend_state(&blend).unwrap();
        for (text, is_green) in rows {
            let text = format!("{OUTPUTS} {text}");
            let (vs, ps) = shaders(h, VERTEX, ShaderSource::hlsl(&text, "ps_main"));
            for blend in [None, Some(&blend)] {
                scene.draw(&mut h.immediate, &vs, &ps, blend);
                scene.assert_green(h, is_green, &text);
            }
        }
        // An output location that a WGSL shader omits behaves like an output that HLSL does not write.
        let wgsl = "@fragment fn main() -> @location(1) vec4f { return vec4f(0.0, 1.0, 0.0, 1.0); }";
        let (vs, ps) = shaders(h, VERTEX, ShaderSource::wgsl(wgsl, "main"));
        scene.draw(&mut h.immediate, &vs, &ps, None);
        scene.assert_green(h, [false, true, false], "WGSL");
    });
}

/// If a shader does not write its depth output, the rasterizer's depth of 0.5 is used. A draw that must fail
/// shows that the depth is not 0. If a shader does not write its coverage output, all samples are covered.
#[test]
fn unwritten_depth_and_coverage_come_from_the_rasterizer() {
    let rows = [
        ("struct O { float4 a : SV_Target; float d : SV_Depth; };", "", 0.5),
        ("struct O { float4 a : SV_Target; float d : SV_Depth; };", "o.d = 0.25;", 0.25),
        ("struct O { float4 a : SV_Target; uint c : SV_Coverage; };", "", 0.5),
    ];
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::ShaderCompilerWarning]);
        let scene = Scene::new(&h.device);
        for (outputs, statement, depth) in rows {
            let text =
                format!("{outputs} O ps_main() {{ O o; o.a = float4(0, 1, 0, 1); {statement} return o; }}");
            let (vs, ps) = shaders(h, VERTEX, ShaderSource::hlsl(&text, "ps_main"));
            for (func, reference, is_drawn) in
                [(ComparisonFunc::Less, depth + 0.1, true), (ComparisonFunc::Less, depth - 0.1, false)]
            {
                let desc = DepthStencilDesc { depth_func: func, ..DepthStencilDesc::default() };
                let state = h.device.create_depth_stencil_state(&desc).unwrap();
                let cx = &mut h.immediate;
                cx.om_set_depth_stencil_state(&state, 0);
                cx.clear_render_target_view(&scene.targets[0].view, BEFORE[0].0);
                cx.clear_depth_stencil_view(&scene.depth, ClearFlags::DEPTH, reference, 0);
                cx.om_set_render_targets(&scene.targets[0].view, &scene.depth);
                cx.rs_set_viewports(scene.targets[0].viewport());
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.draw(3, 0);
                let expected = if is_drawn { GREEN } else { BEFORE[0].1 };
                assert_all(&scene.targets[0].read(h), expected, &format!("{text}, {reference}"));
            }
        }
    });
}

/// Direct3D 11 matches the inputs that a shader reads with the outputs that the previous stage writes
/// (functional specification, 22.3.10).
#[test]
fn inputs_are_matched_as_far_as_they_are_read() {
    let green = "return float4(0, 1, 0, 1);";
    let rows = [
        // The vertex shader does not write EXTRA, but the pixel shader does not read it either.
        (VERTEX, "float4 color : COLOR; float2 place : PLACE; float4 extra : EXTRA;", "return input.color;"),
        (
            "float4 vs_main(uint n : SV_VertexID) : SV_Position { return float4(float2(n >> 1, n & 1) * 4 - 1, 0.5, 1); }",
            "float4 color : COLOR; uint id : SV_SampleIndex;",
            green,
        ),
        // The vertex shader writes two components, and the pixel shader declares four but reads only two.
        (
            "void vs_main(uint n : SV_VertexID, out float4 p : SV_Position, out float2 c : COLOR) {
                p = float4(float2(n >> 1, n & 1) * 4 - 1, 0.5, 1); c = float2(0, 1); }",
            "float4 color : COLOR;",
            "return float4(input.color.xy, input.color.x, 1);",
        ),
        (
            "void vs_main(uint n : SV_VertexID, out float4 p : SV_Position, out float2 c : COLOR) {
                p = float4(float2(n >> 1, n & 1) * 4 - 1, 0.5, 1); c = float2(0, 1); }",
            "float4 color : COLOR; float4 other : OTHER;",
            "return shade(input);",
        ),
    ];
    on_each(&gpu_matrix(), |h| {
        let scene = Scene::new(&h.device);
        for (vs, inputs, body) in rows {
            let text = format!(
                "struct Corner {{ float4 position : SV_Position; {inputs} }};
                 float4 shade(Corner input) {{ return float4(input.color.x, input.color.y, 0, 1); }}
                 float4 ps_main(Corner input) : SV_Target {{ {body} }}"
            );
            let (vs, ps) = shaders(h, vs, ShaderSource::hlsl(&text, "ps_main"));
            scene.draw(&mut h.immediate, &vs, &ps, None);
            scene.assert_green(h, [true, false, false], &text);
        }
    });
}

/// The value is undefined in Direct3D 11, but here the draw is skipped and the message names the semantic.
#[test]
fn reads_of_unwritten_vertex_outputs_are_reported() {
    let vs = "void vs_main(uint n : SV_VertexID, out float4 p : SV_Position, out float2 c : COLOR) {
        p = float4(float2(n >> 1, n & 1) * 4 - 1, 0.5, 1); c = float2(0, 1); }";
    on_each(&[Config::GPU], |h| {
        let scene = Scene::new(&h.device);
        for read in ["input.color.xyzw", "input.other.x"] {
            let text = format!(
                "struct Corner {{ float4 position : SV_Position; float4 color : COLOR; float4 other : OTHER; }};
                 float4 ps_main(Corner input) : SV_Target {{ return {read}; }}"
            );
            let (vs, ps) = shaders(h, vs, ShaderSource::hlsl(&text, "ps_main"));
            scene.draw(&mut h.immediate, &vs, &ps, None);
            h.assert_reported(MessageId::DrawLinkage);
            scene.assert_green(h, [false; 3], read);
        }
    });
}

/// The value is undefined in Direct3D 11 if the vertex shader declares a component but never writes it, but
/// here it is 0 on all adapters.
#[test]
fn components_that_a_vertex_shader_never_writes_are_zero() {
    let vs = "struct Corner { float4 position : SV_Position; float4 color : COLOR; };
        Corner vs_main(uint n : SV_VertexID) {
            Corner corner;
            corner.position = float4(float2(n >> 1, n & 1) * 4 - 1, 0.5, 1);
            corner.color.yw = 1;
            return corner;
        }";
    let ps =
        "float4 ps_main(float4 position : SV_Position, float4 color : COLOR) : SV_Target { return color; }";
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::ShaderCompilerWarning]);
        let scene = Scene::new(&h.device);
        let (vs, ps) = shaders(h, vs, ShaderSource::hlsl(ps, "ps_main"));
        scene.draw(&mut h.immediate, &vs, &ps, None);
        scene.assert_green(h, [true, false, false], "two components");
        h.assert_reported(MessageId::DrawLinkageSemantics);
    });
}
