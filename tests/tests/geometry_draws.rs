//! Draws with a geometry shader on the null driver: which of them are valid, and the messages about the others.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{Config, Harness};

const VERTEX: &str = "
    struct V { float4 place : PLACE; float2 uv : UV; };
    V vs_main(uint number : SV_VertexID) { V v; v.place = number; v.uv = number; return v; }";

/// Returns a geometry shader whose vertices are these members.
fn geometry(input: &str, members: &str, profile: &str) -> String {
    format!(
        "struct V {{ float4 place : PLACE; float2 uv : UV; }};
         struct O {{ {members} }};
         [maxvertexcount(3)] void main({input}, inout {profile}<O> stream) {{
             O o = (O)0;
             o.sum = v[0].place + v[0].uv.x;
             stream.Append(o);
         }}"
    )
}

const MEMBERS: &str = "float4 position : SV_Position; float4 sum : SUM;";

struct Scene {
    vs: VertexShader,
    ps: PixelShader,
    target: RenderTargetView,
}

impl Scene {
    fn new(device: &Device) -> Self {
        let pixel = "float4 main(float4 at : SV_Position, float4 sum : SUM) : SV_Target { return sum; }";
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
        let picture = device.create_texture_2d(&desc, None).unwrap();
        Self {
            vs: device.create_vertex_shader(ShaderSource::hlsl(VERTEX, "vs_main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::hlsl(pixel, "main")).unwrap(),
            target: device.create_render_target_view(&picture, None).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.om_set_render_targets(&self.target, None);
        cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
        cx.clear_render_target_view(&self.target, [0.0; 4]);
    }
}

fn shader(device: &Device, text: &str) -> GeometryShader {
    device.create_geometry_shader(ShaderSource::hlsl(text, "main")).unwrap()
}

/// Runs a test with a scene whose vertex and pixel shader are bound.
fn with_scene(test: impl Fn(&mut Harness, &Scene)) {
    let mut h = Harness::start(Config::NULL).unwrap();
    let scene = Scene::new(&h.device);
    scene.bind(&mut h.immediate);
    test(&mut h, &scene);
    h.immediate.clear_state();
    drop(scene);
    h.finish();
}

#[test]
fn a_geometry_shader_processes_the_primitives_of_the_topology() {
    use PrimitiveTopology as T;
    let inputs: [(&str, &[T]); 6] = [
        ("point V v[1]", &[T::PointList]),
        ("line V v[2]", &[T::LineList, T::LineStrip, T::LineListAdj, T::LineStripAdj]),
        ("triangle V v[3]", &[T::TriangleList, T::TriangleStrip, T::TriangleListAdj, T::TriangleStripAdj]),
        ("lineadj V v[4]", &[T::LineListAdj, T::LineStripAdj]),
        ("triangleadj V v[6]", &[T::TriangleListAdj, T::TriangleStripAdj]),
        ("InputPatch<V, 5> v", &[T::PatchList5]),
    ];
    with_scene(|h, _| {
        for (input, accepted) in inputs {
            let gs = shader(&h.device, &geometry(input, MEMBERS, "PointStream"));
            h.immediate.gs_set_shader(&gs);
            assert_eq!(h.immediate.gs_get_shader().as_ref(), Some(&gs));
            for topology in (1..=64).filter_map(T::from_u32) {
                h.immediate.ia_set_primitive_topology(topology);
                h.immediate.draw(12, 0);
                if accepted.contains(&topology) {
                    h.assert_silent();
                } else {
                    h.assert_reported(MessageId::DrawGeometryInputMismatch);
                }
            }
        }
        // Without a geometry shader, patches need a hull shader again.
        h.immediate.gs_set_shader(None);
        h.immediate.ia_set_primitive_topology(T::PatchList5);
        h.immediate.draw(12, 0);
        h.assert_reported(MessageId::DrawNoHullShader);
    });
}

#[test]
fn the_message_names_the_shader_and_its_primitives() {
    with_scene(|h, _| {
        let gs = shader(&h.device, &geometry("InputPatch<V, 7> v", MEMBERS, "LineStream"));
        gs.set_label("spikes");
        h.immediate.gs_set_shader(&gs);
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        h.immediate.draw(3, 0);
        let text = h.device.info_queue().take().iter().map(ToString::to_string).collect::<String>();
        for words in ["spikes", "patches of 7 control points", "PrimitiveTopology::TriangleList"] {
            assert!(text.contains(words), "{text}");
        }
        h.watch.allow_all();
    });
}

#[test]
fn neighbours_of_a_geometry_shader_must_fit() {
    with_scene(|h, scene| {
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        let mut outcome = |members: &str| {
            let gs = shader(&h.device, &geometry("point V v[1]", members, "PointStream"));
            h.immediate.gs_set_shader(&gs);
            h.immediate.draw(4, 0);
            h.device.info_queue().take().into_iter().map(|message| message.id).collect::<Vec<_>>()
        };
        assert_eq!(outcome(MEMBERS), []);
        // The pixel shader reads the sum from register 1.
        let moved = "float4 sum : SUM; float4 position : SV_Position;";
        assert_eq!(outcome(moved), [MessageId::DrawLinkage]);
        let without = "float4 position : SV_Position; nointerpolation float4 sum : TOTAL;";
        assert_eq!(outcome(without), [MessageId::DrawLinkageSemantics]);
        // Without a geometry shader, the pixel shader is linked to the vertex shader.
        h.immediate.gs_set_shader(None);
        h.immediate.draw(4, 0);
        let ids: Vec<_> = h.device.info_queue().take().into_iter().map(|message| message.id).collect();
        assert!(ids.contains(&MessageId::DrawLinkage), "{ids:?}");
        // A vertex shader without the outputs that the geometry shader reads.
        let other = "float4 vs_main() : SV_Position { return 0; }";
        let other = h.device.create_vertex_shader(ShaderSource::hlsl(other, "vs_main")).unwrap();
        h.immediate.gs_set_shader(&shader(&h.device, &geometry("point V v[1]", MEMBERS, "PointStream")));
        h.immediate.vs_set_shader(&other);
        h.immediate.draw(4, 0);
        h.assert_reported(MessageId::DrawLinkage);
        h.immediate.vs_set_shader(&scene.vs);
        h.immediate.draw(4, 0);
        h.assert_silent();
        h.watch.allow_all();
    });
}

#[test]
fn rasterized_vertices_need_a_position() {
    with_scene(|h, scene| {
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        let gs = shader(
            &h.device,
            &geometry("point V v[1]", "float4 before : B; float4 sum : SUM;", "PointStream"),
        );
        h.immediate.gs_set_shader(&gs);
        h.immediate.draw(4, 0);
        h.assert_reported(MessageId::DrawNoPosition);
        // Nothing is rasterized without a pixel shader and a depth-stencil view.
        h.watch.allow(&[MessageId::DrawNoPixelShader]);
        h.immediate.ps_set_shader(None);
        h.immediate.draw(4, 0);
        h.assert_silent();
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4);
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let depth = h.device.create_depth_stencil_view(&depth, None).unwrap();
        h.immediate.clear_depth_stencil_view(&depth, ClearFlags::DEPTH, 1.0, 0);
        h.immediate.om_set_render_targets(&scene.target, &depth);
        h.immediate.draw(4, 0);
        h.assert_reported(MessageId::DrawNoPosition);
        h.immediate.om_set_render_targets(&scene.target, None);
        h.immediate.draw(4, 0);
        h.assert_silent();
        h.immediate.ps_set_shader(&scene.ps);
        // A shader that appends nothing needs no position.
        let nothing = "struct V { float4 place : PLACE; }; struct O { float4 p : P; float4 sum : SUM; };
            [maxvertexcount(1)] void main(point V v[1], inout PointStream<O> stream) {}";
        h.immediate.gs_set_shader(&shader(&h.device, nothing));
        h.immediate.draw(4, 0);
        h.assert_silent();
    });
}

#[test]
fn geometry_shaders_are_written_in_wgsl_and_hlsl() {
    with_scene(|h, _| {
        let text = "
            struct Center { @location(0) place: vec4f, @location(1) uv: vec2f }
            struct Corner { @builtin(position) at: vec4f, @location(1) sum: vec4f }
            fn append0(corner: Corner) {}
            fn expand(point: array<Center, 1>) { append0(Corner(point[0].place, point[0].uv.xyxy)); }";
        let desc = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
        let gs = h.device.create_geometry_shader(ShaderSource::wgsl_geometry(text, "expand", &desc)).unwrap();
        h.immediate.gs_set_shader(&gs);
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        h.immediate.draw(4, 0);
        h.assert_silent();
        let refused = h.device.create_geometry_shader(ShaderSource::wgsl_geometry(text, "main", &desc));
        assert!(refused.unwrap_err().to_string().contains("no function `main`"));
        let text = "@compute @workgroup_size(1) fn main() {}";
        let refused = h.device.create_geometry_shader(ShaderSource::wgsl(text, "main")).unwrap_err();
        assert!(refused.to_string().contains("use `ShaderSource::wgsl_geometry`"), "{refused}");
        let text = "float4 main() : SV_Position { return 0; }";
        let refused = h.device.create_geometry_shader(ShaderSource::hlsl(text, "main")).unwrap_err();
        assert!(refused.to_string().contains("maxvertexcount"), "{refused}");
        h.take_errors();
    });
}

/// Constant buffers and textures of the geometry stage are checked like those of any other stage.
#[test]
fn slots_of_the_geometry_stage_are_checked() {
    let text = "
        cbuffer Sizes : register(b2) { float4 size; };
        Texture2D<float4> heights : register(t3);
        struct V { float4 place : PLACE; float2 uv : UV; };
        struct O { float4 position : SV_Position; float4 sum : SUM; };
        [maxvertexcount(1)] void main(point V v[1], inout PointStream<O> stream) {
            O o = { v[0].place * size, heights.Load(int3(v[0].uv, 0)) };
            stream.Append(o);
        }";
    with_scene(|h, _| {
        h.immediate.ia_set_primitive_topology(PrimitiveTopology::PointList);
        h.immediate.gs_set_shader(&shader(&h.device, text));
        h.immediate.draw(1, 0);
        let messages: Vec<_> = h.device.info_queue().take().iter().map(ToString::to_string).collect();
        let of = |words: &str| messages.iter().any(|message| message.contains(words));
        assert!(of("`gs_set_constant_buffers`") && of("`gs_set_shader_resources`"), "{messages:?}");
        h.watch.allow_all();
    });
}
