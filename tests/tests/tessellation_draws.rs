//! Draws with a hull and a domain shader on the null driver: which of them are valid, and the messages about the others.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, matrix, on_each};

const VERTEX: &str = "
    struct V { @builtin(position) at: vec4f, @location(0) place: vec4f, @location(1) uv: vec2f }
    @vertex fn main(@builtin(vertex_index) i: u32) -> V { return V(vec4f(), vec4f(f32(i)), vec2f()); }
    @vertex fn other() -> @builtin(position) vec4f { return vec4f(); }";

const PIXEL: &str = "@fragment fn main(@location(0) sum: vec4f) -> @location(0) vec4f { return sum; }";

/// The shape, the settings and the structures of a hull and a domain shader.
#[derive(Clone, Copy)]
struct Patch {
    domain: TessellatorDomain,
    output: TessellatorOutput,
    input_points: u32,
    output_points: u32,
    /// The domain shader's domain and number of control points.
    domain_of: TessellatorDomain,
    points: u32,
    /// Members of the structures: input control points, output control points of either shader, patch constants of
    /// either shader, and vertices.
    input: &'static str,
    written: &'static str,
    read: &'static str,
    written_constants: &'static str,
    read_constants: &'static str,
    vertex: &'static str,
}

const POINT: &str = "@location(0) place: vec4f";
const COLOR: &str = "@location(0) color: vec3f";
const USUAL: Patch = Patch {
    domain: TessellatorDomain::Triangle,
    output: TessellatorOutput::TriangleCw,
    input_points: 3,
    output_points: 4,
    domain_of: TessellatorDomain::Triangle,
    points: 4,
    input: POINT,
    written: POINT,
    read: POINT,
    written_constants: COLOR,
    read_constants: COLOR,
    vertex: "@builtin(position) at: vec4f, @location(0) sum: vec4f",
};

fn factors(domain: TessellatorDomain) -> &'static str {
    match domain {
        TessellatorDomain::Isoline => "tess_factor: array<f32, 2>",
        TessellatorDomain::Triangle => "tess_factor: array<f32, 3>, inside_tess_factor: f32",
        TessellatorDomain::Quad => "tess_factor: array<f32, 4>, inside_tess_factor: array<f32, 2>",
    }
}

impl Patch {
    fn hull(&self, device: &Device) -> HullShader {
        let Self { domain, input_points, output_points, input, written, written_constants, .. } = self;
        let text = format!(
            "struct V {{ {input} }} struct P {{ {written} }} struct C {{ {}, {written_constants} }}
             fn points(v: array<V, {input_points}>, point: u32) -> P {{ let a = v[point]; return P(); }}
             fn constants() -> C {{ return C(); }}",
            factors(*domain)
        );
        let desc = HullShaderDesc::new(*domain, *input_points)
            .with_output(self.output)
            .with_control_points("points", *output_points);
        let source = ShaderSource::wgsl_hull(&text, "constants", &desc);
        device.labelled("divide").create_hull_shader(source).unwrap()
    }

    fn domain(&self, device: &Device) -> DomainShader {
        let Self { domain_of, points, read, read_constants, vertex, .. } = self;
        let text = format!(
            "struct P {{ {read} }} struct C {{ {}, {read_constants} }} struct O {{ {vertex} }}
             fn main(c: C, points: array<P, {points}>, at: vec3f) -> O {{ let a = points[0]; return O(); }}",
            factors(*domain_of)
        );
        let source = ShaderSource::wgsl_domain(&text, "main", *domain_of);
        device.labelled("place").create_domain_shader(source).unwrap()
    }
}

struct Scene {
    vs: VertexShader,
    ps: PixelShader,
    target: RenderTargetView,
}

impl Scene {
    fn new(device: &Device) -> Self {
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
        let picture = device.create_texture_2d(&desc, None).unwrap();
        Self {
            vs: device.create_vertex_shader(ShaderSource::wgsl(VERTEX, "main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(PIXEL, "main")).unwrap(),
            target: device.create_render_target_view(&picture, None).unwrap(),
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.om_set_render_targets(&self.target, None);
        cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
        cx.clear_render_target_view(&self.target, [0.0; 4]);
        cx.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
    }
}

/// Runs a test on the null driver with a scene whose vertex and pixel shader are bound, and patches of three control
/// points.
fn with_scene(test: impl Fn(&mut Harness, &Scene)) {
    with_scene_on(&[Config::NULL], test);
}

fn with_scene_on(configs: &[Config], test: impl Fn(&mut Harness, &Scene)) {
    on_each(configs, |h| {
        if h.has_feature(Features::TESSELLATION) {
            let scene = Scene::new(&h.device);
            scene.bind(&mut h.immediate);
            test(h, &scene);
            h.immediate.clear_state();
        }
    });
}

/// Binds the shaders of a patch and draws.
fn draw(h: &mut Harness, patch: &Patch) {
    h.immediate.hs_set_shader(&patch.hull(&h.device));
    h.immediate.ds_set_shader(&patch.domain(&h.device));
    h.immediate.draw(12, 0);
}

/// Checks that a draw causes no message, or exactly this one.
fn expect(h: &mut Harness, error: Option<MessageId>) {
    match error {
        None => h.assert_silent(),
        Some(error) => h.assert_reported(error),
    }
}

#[test]
fn hull_and_domain_shaders_need_each_other() {
    with_scene(|h, _| {
        let (hull, domain) = (USUAL.hull(&h.device), USUAL.domain(&h.device));
        let xor = Some(MessageId::DrawHullXorDomainShader);
        let rows = [
            (Some(&hull), Some(&domain), None),
            (Some(&hull), None, xor),
            (None, Some(&domain), xor),
            (None, None, Some(MessageId::DrawNoHullShader)),
            (Some(&hull), Some(&domain), None),
        ];
        for topology in [PrimitiveTopology::PatchList3, PrimitiveTopology::TriangleList] {
            h.immediate.ia_set_primitive_topology(topology);
            for (hs, ds, error) in rows {
                h.immediate.hs_set_shader(hs);
                h.immediate.ds_set_shader(ds);
                assert_eq!(h.immediate.hs_get_shader().as_ref(), hs);
                assert_eq!(h.immediate.ds_get_shader().as_ref(), ds);
                h.immediate.draw(12, 0);
                let error = match (topology, hs, ds) {
                    (PrimitiveTopology::TriangleList, Some(_), Some(_)) => {
                        Some(MessageId::DrawHullTopologyMismatch)
                    }
                    // The pixel shader reads a value of the vertex shader.
                    (PrimitiveTopology::TriangleList, None, None) => None,
                    _ => error,
                };
                expect(h, error);
            }
        }
    });
}

#[test]
fn a_hull_shader_reads_patches_of_its_size() {
    with_scene(|h, _| {
        for input_points in [1, 3, 32] {
            let patch = Patch { input_points, ..USUAL };
            for topology in (1..=64).filter_map(PrimitiveTopology::from_u32) {
                h.immediate.ia_set_primitive_topology(topology);
                draw(h, &patch);
                let fits = topology.control_points() == Some(input_points);
                expect(h, (!fits).then_some(MessageId::DrawHullTopologyMismatch));
            }
        }
    });
}

#[test]
fn both_shaders_share_a_domain_and_a_point_count() {
    use TessellatorDomain::{Isoline, Quad, Triangle};
    with_scene(|h, _| {
        for domain in [Isoline, Triangle, Quad] {
            for domain_of in [Isoline, Triangle, Quad] {
                draw(h, &Patch { domain, domain_of, output: TessellatorOutput::Point, ..USUAL });
                expect(h, (domain != domain_of).then_some(MessageId::DrawTessellatorDomainMismatch));
            }
        }
        for (output_points, points) in [(4, 4), (4, 3), (3, 4), (32, 32), (1, 32)] {
            draw(h, &Patch { output_points, points, ..USUAL });
            expect(h, (output_points != points).then_some(MessageId::DrawControlPointCountMismatch));
        }
        // A domain shader without control points accepts any number.
        let text = "struct O { @builtin(position) at: vec4f, @location(0) sum: vec4f }
            fn main(at: vec3f) -> O { return O(); }";
        let domain = ShaderSource::wgsl_domain(text, "main", Triangle);
        h.immediate.hs_set_shader(&Patch { output_points: 7, ..USUAL }.hull(&h.device));
        h.immediate.ds_set_shader(&h.device.create_domain_shader(domain).unwrap());
        h.immediate.draw(3, 0);
        h.assert_silent();
    });
}

#[test]
fn neighbours_of_hull_and_domain_shaders_must_fit() {
    let linkage = Some(MessageId::DrawLinkage);
    let between = Some(MessageId::DrawHullDomainLinkage);
    let (at, other) = ("@builtin(position) at: vec4f", "@location(1) other: vec2f");
    let rows = [
        (USUAL, None),
        // Control points that the hull shader reads from the vertex shader.
        (Patch { input: "@location(1) uv: vec2f, @builtin(position) at: vec4f", ..USUAL }, None),
        (Patch { input: "@location(2) missing: vec4f", ..USUAL }, linkage),
        (Patch { input: "@location(0) place: vec4u", ..USUAL }, linkage),
        (Patch { input: "@location(1) uv: vec3f", ..USUAL }, linkage),
        // Control points between both shaders.
        (Patch { read: "@location(0) place: vec2f", ..USUAL }, None),
        (Patch { read: other, ..USUAL }, between),
        (Patch { read: "@location(0) place: vec4i", ..USUAL }, between),
        (Patch { read: at, ..USUAL }, between),
        (Patch { read: at, written: at, ..USUAL }, None),
        // Patch constants.
        (Patch { read_constants: "@location(0) color: vec2f", ..USUAL }, None),
        (Patch { read_constants: "@location(0) color: vec4f", ..USUAL }, between),
        (Patch { read_constants: "@location(0) color: vec3u", ..USUAL }, between),
        (Patch { read_constants: other, ..USUAL }, between),
        (Patch { read_constants: "", ..USUAL }, None),
        // Vertices that the pixel shader reads.
        (Patch { vertex: "@builtin(position) at: vec4f", ..USUAL }, linkage),
        (Patch { vertex: "@builtin(position) at: vec4f, @location(0) sum: vec4u", ..USUAL }, linkage),
    ];
    with_scene(|h, scene| {
        for (patch, error) in &rows {
            draw(h, patch);
            expect(h, *error);
        }
        // A vertex shader without the control points of the hull shader.
        let other = h.device.create_vertex_shader(ShaderSource::wgsl(VERTEX, "other")).unwrap();
        for (vs, error) in [(&scene.vs, None), (&other, linkage), (&scene.vs, None)] {
            h.immediate.vs_set_shader(vs);
            draw(h, &USUAL);
            expect(h, error);
        }
    });
}

#[test]
fn control_points_that_pass_through_come_from_the_vertex_shader() {
    with_scene(|h, _| {
        let device = h.device.clone();
        let hull = |members: &str| {
            let text = format!(
                "struct V {{ {members} }} struct C {{ tess_factor: array<f32, 3>, inside_tess_factor: f32 }}
                 fn constants(v: array<V, 3>) -> C {{ return C(); }}"
            );
            let desc = HullShaderDesc::new(TessellatorDomain::Triangle, 3);
            device.create_hull_shader(ShaderSource::wgsl_hull(&text, "constants", &desc)).unwrap()
        };
        let domain = Patch { read_constants: "", points: 3, ..USUAL }.domain(&h.device);
        let of_position =
            Patch { read_constants: "", points: 3, read: "@builtin(position) at: vec4f", ..USUAL };
        let rows = [
            (POINT, &domain, None),
            ("@location(1) uv: vec2f", &domain, Some(MessageId::DrawHullDomainLinkage)),
            ("@location(2) other: vec2f", &domain, Some(MessageId::DrawLinkage)),
            (POINT, &of_position.domain(&h.device), None),
        ];
        for (members, domain, error) in rows {
            h.immediate.hs_set_shader(&hull(members));
            h.immediate.ds_set_shader(domain);
            h.immediate.draw(3, 0);
            expect(h, error);
        }
    });
}

fn geometry(device: &Device, input: InputPrimitive, members: &str) -> GeometryShader {
    let text = format!(
        "struct V {{ {members} }} struct O {{ @builtin(position) at: vec4f, @location(0) sum: vec4f }}
         fn append0(v: O) {{}}
         fn main(v: array<V, {}>) {{ let a = v[0]; append0(O()); }}",
        input.vertex_count()
    );
    let desc = GeometryShaderDesc::new(input, 1, &[StreamTopology::Points]);
    let source = ShaderSource::wgsl_geometry(&text, "main", &desc);
    device.labelled("spikes").create_geometry_shader(source).unwrap()
}

#[test]
fn geometry_shaders_process_tessellated_primitives() {
    use TessellatorDomain::{Isoline, Triangle};
    let inputs = [
        InputPrimitive::Point,
        InputPrimitive::Line,
        InputPrimitive::Triangle,
        InputPrimitive::LineAdjacency,
        InputPrimitive::TriangleAdjacency,
        InputPrimitive::Patch(3),
    ];
    let outputs = [
        (Triangle, TessellatorOutput::Point, InputPrimitive::Point),
        (Isoline, TessellatorOutput::Line, InputPrimitive::Line),
        (Triangle, TessellatorOutput::TriangleCw, InputPrimitive::Triangle),
        (Triangle, TessellatorOutput::TriangleCcw, InputPrimitive::Triangle),
    ];
    with_scene(|h, _| {
        for (domain, output, wanted) in outputs {
            for input in inputs {
                h.immediate.gs_set_shader(&geometry(&h.device, input, "@location(0) sum: vec4f"));
                draw(h, &Patch { domain, domain_of: domain, output, ..USUAL });
                expect(h, (input != wanted).then_some(MessageId::DrawGeometryInputMismatch));
            }
        }
        // The geometry shader reads the vertices of the domain shader.
        let gs = |members: &str| geometry(&h.device, InputPrimitive::Triangle, members);
        let (of_uv, of_position) = (gs("@location(1) uv: vec2f"), gs("@builtin(position) at: vec4f"));
        let linkage = Some(MessageId::DrawLinkage);
        let without = Patch { vertex: "@location(0) sum: vec4f", ..USUAL };
        for (gs, patch, error) in [
            (&of_uv, USUAL, linkage),
            (&of_position, USUAL, None),
            (&of_position, without, linkage),
            // The geometry shader has a position, so the domain shader needs none.
            (&gs("@location(0) sum: vec4f"), without, None),
        ] {
            h.immediate.gs_set_shader(gs);
            h.immediate.hs_set_shader(&patch.hull(&h.device));
            h.immediate.ds_set_shader(&patch.domain(&h.device));
            h.immediate.draw(12, 0);
            expect(h, error);
        }
    });
}

#[test]
fn rasterized_vertices_of_a_domain_shader_need_a_position() {
    with_scene(|h, scene| {
        let without = Patch { vertex: "@location(0) sum: vec4f", ..USUAL };
        draw(h, &without);
        h.assert_reported(MessageId::DrawNoPosition);
        // Nothing is rasterized without a pixel shader and a depth-stencil view.
        h.watch.allow(&[MessageId::DrawNoPixelShader]);
        h.immediate.ps_set_shader(None);
        h.immediate.draw(12, 0);
        h.assert_silent();
        let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4);
        let depth = h.device.create_texture_2d(&desc, None).unwrap();
        let depth = h.device.create_depth_stencil_view(&depth, None).unwrap();
        h.immediate.clear_depth_stencil_view(&depth, ClearFlags::DEPTH, 1.0, 0);
        h.immediate.om_set_render_targets(&scene.target, &depth);
        h.immediate.draw(12, 0);
        h.assert_reported(MessageId::DrawNoPosition);
        h.immediate.om_set_render_targets(&scene.target, None);
        h.immediate.draw(12, 0);
        h.assert_silent();
    });
}

#[test]
fn messages_name_shaders_and_cures() {
    let quad = TessellatorDomain::Quad;
    let rows: [(Patch, &[&str]); 7] = [
        (
            Patch { input_points: 5, ..USUAL },
            &[
                "divide",
                "patches of 5 control points",
                "PrimitiveTopology::PatchList3",
                "set PrimitiveTopology::PatchList5",
            ],
        ),
        (
            Patch { domain_of: quad, ..USUAL },
            &["divide", "place", "TessellatorDomain::Triangle", "TessellatorDomain::Quad"],
        ),
        (Patch { points: 6, ..USUAL }, &["divide", "place", "4 control points", "patches of 6"]),
        (
            Patch { read_constants: "@location(7) glow: f32", ..USUAL },
            &["divide", "place", "patch constants", "`glow`", "location 7"],
        ),
        (
            Patch { read: "@location(9) weight: f32", ..USUAL },
            &["divide", "place", "`weight`", "location 9", "not written by the hull shader"],
        ),
        (Patch { read: "@builtin(position) at: vec4f", ..USUAL }, &["divide", "place", "positions"]),
        (Patch { vertex: "@location(0) sum: vec4f", ..USUAL }, &["place", "without a position"]),
    ];
    with_scene(|h, _| {
        for (patch, words) in rows {
            draw(h, &patch);
            let text = h.device.info_queue().take().iter().map(ToString::to_string).collect::<String>();
            for word in words {
                assert!(text.contains(word), "{word}: {text}");
            }
        }
        h.immediate.hs_set_shader(None);
        h.immediate.draw(12, 0);
        let text = h.device.info_queue().take().iter().map(ToString::to_string).collect::<String>();
        assert!(text.contains("place") && text.contains("`hs_set_shader`"), "{text}");
        h.watch.allow_all();
    });
}

/// Constant buffers and textures of both stages are checked like those of any other stage.
#[test]
fn slots_of_both_stages_are_checked() {
    with_scene(|h, _| {
        let text = "
            @group(0) @binding(2) var<uniform> size: f32;
            struct V { @location(0) place: vec4f } struct C { tess_factor: array<f32, 2> }
            fn constants(v: array<V, 3>) -> C { return C(array(size, size)); }
            @group(1) @binding(3) var heights: texture_2d<f32>;
            struct O { @builtin(position) at: vec4f, @location(0) sum: vec4f }
            fn place() -> O { return O(vec4f(), textureLoad(heights, vec2u(), 0)); }";
        let desc = HullShaderDesc::new(TessellatorDomain::Isoline, 3);
        let hull = ShaderSource::wgsl_hull(text, "constants", &desc);
        let domain = ShaderSource::wgsl_domain(text, "place", TessellatorDomain::Isoline);
        h.immediate.hs_set_shader(&h.device.create_hull_shader(hull).unwrap());
        h.immediate.ds_set_shader(&h.device.create_domain_shader(domain).unwrap());
        h.immediate.draw(3, 0);
        let messages: Vec<_> = h.device.info_queue().take().iter().map(ToString::to_string).collect();
        let of = |words: &str| messages.iter().any(|message| message.contains(words));
        assert!(of("`hs_set_constant_buffers`") && of("`ds_set_shader_resources`"), "{messages:?}");
        assert_eq!(messages.len(), 2, "{messages:?}");
        h.watch.allow_all();
    });
}

#[test]
fn stream_output_captures_the_vertices_of_a_domain_shader() {
    with_scene(|h, _| {
        let buffer = BufferDesc::new(1024, BindFlags::STREAM_OUTPUT);
        let buffer = h.device.create_buffer(&buffer, None).unwrap();
        let domain = USUAL.domain(&h.device);
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4), SoDeclarationEntry::new("sum", 0, 3)];
        let capture = |rasterized| {
            let so = h.device.create_geometry_shader_with_stream_output(&domain, &entries, &[], rasterized);
            let so = so.unwrap();
            assert_eq!(so.reflection().unwrap().stage, ShaderStage::Domain);
            so
        };
        let (streamed, both) = (capture(None), capture(Some(0)));
        h.immediate.so_set_targets(StreamOutputBinding::new(&buffer, 0));
        let mismatch = Some(MessageId::DrawStreamOutputMismatch);
        let without = Patch { vertex: "@location(0) sum: vec4f", ..USUAL };
        let short = Patch { vertex: "@builtin(position) at: vec4f, @location(0) sum: vec2f", ..USUAL };
        let rows = [
            (&streamed, USUAL, None),
            (&both, USUAL, None),
            (&streamed, short, mismatch),
            (&streamed, without, mismatch),
            // Positions are checked before captured outputs.
            (&both, without, Some(MessageId::DrawNoPosition)),
        ];
        for (so, patch, error) in rows {
            h.immediate.gs_set_shader(so);
            h.immediate.hs_set_shader(&patch.hull(&h.device));
            h.immediate.ds_set_shader(&patch.domain(&h.device));
            h.immediate.draw(12, 0);
            expect(h, error);
        }
        // A domain shader's source is also accepted, and the position exists only if the shader writes it.
        let text = "struct O { @location(0) sum: vec4f } fn main() -> O { return O(); }";
        let source = ShaderSource::wgsl_domain(text, "main", TessellatorDomain::Quad);
        let device = &h.device;
        let create = |entries: &[SoDeclarationEntry]| {
            device.create_geometry_shader_with_stream_output(source, entries, &[], None)
        };
        assert!(create(&entries[1..]).is_ok());
        let error = create(&entries).unwrap_err().to_string();
        assert!(error.contains("SV_Position"), "{error}");
        let error = create(&[]).unwrap_err().to_string();
        assert!(error.contains("vertex or domain shader"), "{error}");
        h.take_errors();
    });
}

#[test]
fn lists_and_states_contain_both_stages() {
    with_scene_on(&matrix(), |h, scene| {
        let (hull, domain) = (USUAL.hull(&h.device), USUAL.domain(&h.device));
        let constants = h.device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[0_u32; 4]).unwrap();
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                scene.bind(cx);
                cx.hs_set_shader(&hull);
                cx.ds_set_shader(&domain);
                cx.hs_set_constant_buffers(1, &constants);
                cx.ds_set_constant_buffers(2, &constants);
                cx.draw(12, 0);
                cx.draw_instanced(12, 2, 0, 0);
                assert_eq!(cx.hs_get_shader().as_ref(), Some(&hull));
                assert_eq!(cx.ds_get_shader().as_ref(), Some(&domain));
            });
            h.assert_silent();
        }
        h.immediate.hs_set_shader(&hull);
        h.immediate.ds_set_shader(&domain);
        let bound = |h: &Harness| (h.immediate.hs_get_shader(), h.immediate.ds_get_shader());
        let mut other = h.device.create_device_context_state();
        h.immediate.swap_device_context_state(&mut other);
        assert_eq!(bound(h), (None, None));
        h.immediate.swap_device_context_state(&mut other);
        assert_eq!(bound(h), (Some(hull.clone()), Some(domain.clone())));
        // Setters take the results of getters.
        let (hs, ds) = bound(h);
        h.immediate.clear_state();
        assert_eq!(bound(h), (None, None));
        h.immediate.hs_set_shader(&hs);
        h.immediate.ds_set_shader(&ds);
        assert_eq!(bound(h), (Some(hull.clone()), Some(domain.clone())));
    });
}

/// The members of the structures of an HLSL program with all stages: control points and patch constants, each of the hull
/// shader and of the domain shader.
#[derive(Clone, Copy)]
struct Members {
    written: &'static str,
    read: &'static str,
    written_constants: &'static str,
    read_constants: &'static str,
}

const MEMBERS: Members = Members {
    written: "float3 at : AT; float2 uv : UV;",
    read: "float3 at : AT; float2 uv : UV;",
    written_constants: "float3 tint : TINT; float glow : GLOW;",
    read_constants: "float3 tint : TINT; float glow : GLOW;",
};

impl Members {
    fn text(self) -> String {
        let Self { written, read, written_constants, read_constants } = self;
        format!(
            "struct V {{ float4 p : SV_Position; float3 at : AT; }};
             V vs(uint i : SV_VertexID) {{ return (V)i; }}
             struct P {{ {written} }}; struct Q {{ {read} }};
             struct C {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; {written_constants} }};
             struct D {{ float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; {read_constants} }};
             C constants(InputPatch<V, 3> v) {{ C c = (C)v[0].at.x; return c; }}
             [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
             [patchconstantfunc(\"constants\")]
             P hs(InputPatch<V, 3> v, uint i : SV_OutputControlPointID) {{ P p = (P)v[i].at.x; return p; }}
             struct O {{ float4 p : SV_Position; float4 sum : SUM; }};
             [domain(\"tri\")] O ds(D d, const OutputPatch<Q, 3> q, float3 at : SV_DomainLocation) {{
                 O o = {{ float4(q[0].at, 1), float4(q[1].uv, d.tint.x, d.glow) }};
                 return o;
             }}
             float4 ps(O o) : SV_Target {{ return o.sum; }}"
        )
    }
}

#[test]
fn semantics_connect_hull_and_domain_shaders_in_hlsl() {
    let rows = [
        (MEMBERS, None, ""),
        (
            Members { read: "float2 uv : UV; float3 at : AT;", ..MEMBERS },
            Some(MessageId::DrawHullDomainLinkage),
            "`UV0`",
        ),
        (
            Members { read: "float3 at : AT; float2 uv : COORDS;", ..MEMBERS },
            Some(MessageId::DrawLinkageSemantics),
            "`COORDS0`",
        ),
        (
            Members { read_constants: "float3 tint : COLOR; float glow : GLOW;", ..MEMBERS },
            Some(MessageId::DrawLinkageSemantics),
            "`COLOR0`",
        ),
        (
            Members { read_constants: "uint3 tint : TINT; float glow : GLOW;", ..MEMBERS },
            Some(MessageId::DrawHullDomainLinkage),
            "`TINT0`",
        ),
        (
            Members { written_constants: "", ..MEMBERS },
            Some(MessageId::DrawHullDomainLinkage),
            "has no output `TINT0`",
        ),
    ];
    with_scene(|h, _| {
        for (members, error, words) in rows {
            let text = members.text();
            let source = |entry_point| ShaderSource::hlsl(&text, entry_point);
            h.immediate.vs_set_shader(&h.device.create_vertex_shader(source("vs")).unwrap());
            h.immediate.hs_set_shader(&h.device.create_hull_shader(source("hs")).unwrap());
            let ds = h.device.create_domain_shader(source("ds")).unwrap();
            h.immediate.ds_set_shader(&ds);
            h.immediate.ps_set_shader(&h.device.create_pixel_shader(source("ps")).unwrap());
            h.immediate.draw(3, 0);
            let messages = h.device.info_queue().take();
            let found: Vec<_> = messages.iter().map(|message| message.id).collect();
            assert_eq!(found, error.into_iter().collect::<Vec<_>>(), "{text}\n{messages:?}");
            assert!(messages.iter().all(|message| message.to_string().contains(words)), "{messages:?}");
            // D3DReflect's signatures: control points, and patch constants with the factors.
            let reflection = ds.hlsl_reflection().unwrap();
            let points = reflection.inputs.iter().filter(|input| input.register.is_some());
            assert_eq!(points.count(), 2);
            assert_eq!(reflection.patch_constants.len(), 6);
        }
        h.watch.allow_all();
    });
}

#[test]
fn stream_output_captures_domain_shaders_in_hlsl() {
    with_scene(|h, _| {
        let text = MEMBERS.text();
        let entries = [SoDeclarationEntry::new("SV_Position", 0, 4), SoDeclarationEntry::new("SUM", 0, 2)];
        let create = |entry_point| {
            let source = ShaderSource::hlsl(&text, entry_point);
            h.device.create_geometry_shader_with_stream_output(source, &entries, &[], None)
        };
        assert_eq!(create("ds").unwrap().reflection().unwrap().stage, ShaderStage::Domain);
        for other in ["hs", "vs", "ps"] {
            assert!(create(other).is_err(), "{other}");
        }
        h.take_errors();
    });
}
