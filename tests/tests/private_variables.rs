//! Private variables of shaders, which have their initial values at the start of each invocation. For draws with
//! geometry, hull and domain shaders, the driver executes several invocations of a shader in one of wgpu.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::{StoredGeometry, StreamOutputBinding, prelude::*};
use onze_tests::{CommandPath, Config, Harness, on_each};

/// The configurations that execute shaders in different ways: for each expanded vertex, in dispatches that store vertices,
/// and with different amounts of memory.
const FORMS: [Config; 5] = [
    Config { stored_geometry: StoredGeometry::Off, ..Config::GPU },
    Config { stored_geometry: StoredGeometry::Always, ..Config::GPU },
    Config { geometry_memory: Some(64 << 10), ..Config::GPU },
    Config { geometry_memory: Some(0), ..Config::GPU },
    Config { workers: 0, page_draws: Some(1), ..Config::GPU },
];

#[derive(Clone, Copy, Debug)]
enum Language {
    Wgsl,
    Hlsl,
}

/// A function that returns another number in each call of an invocation ([`tally`]).
const TALLY: [&str; 2] = [
    "var<private> calls = 5u;
     var<private> seen: array<u32, 2>;
     fn count(number: ptr<private, u32>) { *number += 1u; }
     fn tally() -> u32 { count(&calls); seen[calls % 2u] += 10u; return calls * 100u + seen[0] + seen[1]; }",
    "static uint calls = 5;
     static uint seen[2];
     void count(inout uint number) { number++; }
     uint tally() { count(calls); seen[calls % 2] += 10; return calls * 100 + seen[0] + seen[1]; }",
];

/// Returns the number of a call in an invocation.
const fn tally(call: u32) -> u32 {
    (5 + call) * 100 + 10 * call
}

/// The vertex shader, whose triangles cover the target, and the pixel shader.
const ENDS: [&str; 2] = [
    "struct V { @location(0) @interpolate(flat) tally: u32, @builtin(position) at: vec4f }
     struct O { @location(0) @interpolate(flat) tallies: vec4u, @builtin(position) at: vec4f }
     @vertex fn vs_main(@builtin(vertex_index) n: u32) -> V {
         let at = vec4f(select(-1.0, 3.0, n % 3u == 1u), select(1.0, -3.0, n % 3u == 2u), 0.5, 1.0);
         return V(tally(), at);
     }
     @fragment fn ps_main(@location(0) @interpolate(flat) tallies: vec4u) -> @location(0) vec4u { return tallies; }",
    "struct V { nointerpolation uint tally : TALLY; float4 at : SV_Position; };
     struct O { nointerpolation uint4 tallies : TALLIES; float4 at : SV_Position; };
     V vs_main(uint n : SV_VertexID) {
         V v = { tally(), n % 3 == 1 ? 3 : -1, n % 3 == 2 ? -3 : 1, 0.5, 1 };
         return v;
     }
     uint4 ps_main(nointerpolation uint4 tallies : TALLIES) : SV_Target { return tallies; }",
];

impl Language {
    const ALL: [Self; 2] = [Self::Wgsl, Self::Hlsl];

    /// Returns a text with the functions that all tests share. `texts` are in WGSL and in HLSL.
    fn text(self, texts: [&str; 2]) -> String {
        let at = self as usize;
        format!("{}\n{}\n{}", TALLY[at], ENDS[at], texts[at])
    }
}

/// The shaders of a draw.
struct Shaders {
    vs: VertexShader,
    hull: Option<(HullShader, DomainShader)>,
    gs: Option<GeometryShader>,
    ps: PixelShader,
}

impl Shaders {
    fn new(device: &Device, language: Language, text: &str) -> Self {
        let source = |name| match language {
            Language::Wgsl => ShaderSource::wgsl(text, name),
            Language::Hlsl => ShaderSource::hlsl(text, name),
        };
        Self {
            vs: device.create_vertex_shader(source("vs_main")).unwrap(),
            hull: None,
            gs: None,
            ps: device.create_pixel_shader(source("ps_main")).unwrap(),
        }
    }

    fn with_geometry(
        self,
        device: &Device,
        language: Language,
        text: &str,
        desc: &GeometryShaderDesc,
    ) -> Self {
        let source = match language {
            Language::Wgsl => ShaderSource::wgsl_geometry(text, "gs_main", desc),
            Language::Hlsl => ShaderSource::hlsl(text, "gs_main"),
        };
        Self { gs: Some(device.create_geometry_shader(source).unwrap()), ..self }
    }

    fn with_patches(self, device: &Device, language: Language, text: &str) -> Self {
        let desc = HullShaderDesc::new(TessellatorDomain::Triangle, 3).with_control_points("hs_main", 4);
        let [hull, domain] = match language {
            Language::Wgsl => [
                ShaderSource::wgsl_hull(text, "constants", &desc),
                ShaderSource::wgsl_domain(text, "ds_main", desc.domain),
            ],
            Language::Hlsl => ["hs_main", "ds_main"].map(|name| ShaderSource::hlsl(text, name)),
        };
        let hull = device.create_hull_shader(hull).unwrap();
        Self { hull: Some((hull, device.create_domain_shader(domain).unwrap())), ..self }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.hs_set_shader(self.hull.as_ref().map(|(hull, _)| hull));
        cx.ds_set_shader(self.hull.as_ref().map(|(_, domain)| domain));
        cx.gs_set_shader(self.gs.as_ref());
        cx.ps_set_shader(&self.ps);
    }

    /// Returns the texels of a target of 2 x 2 texels after a draw.
    fn picture(&self, h: &mut Harness, draw: impl Fn(&mut DeviceContext)) -> Vec<[u32; 4]> {
        let device = h.device.clone();
        let target = device.create_render_target(Format::R32G32B32A32_UINT, 2, 2).unwrap();
        let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let both = device.create_rasterizer_state(&both).unwrap();
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&target.render_target_view, [0.0; 4]);
            cx.om_set_render_targets(&target.render_target_view, None);
            cx.rs_set_viewports(Viewport::sized(2.0, 2.0));
            cx.rs_set_state(&both);
            self.bind(cx);
            draw(cx);
        });
        bytemuck::pod_collect_to_vec(&h.read(&target.texture, 0))
    }

    /// Returns the words of the first output that a draw writes to a buffer. Each vertex has `components` of them.
    fn words(
        &self,
        h: &mut Harness,
        (components, vertices): (u8, u32),
        draw: impl Fn(&mut DeviceContext),
    ) -> Vec<u32> {
        let device = h.device.clone();
        let entries = [SoDeclarationEntry::at_location(0, components)];
        let so = match (&self.gs, &self.hull) {
            (Some(gs), _) => device.create_geometry_shader_with_stream_output(gs, &entries, &[], None),
            (None, Some((_, ds))) => {
                device.create_geometry_shader_with_stream_output(ds, &entries, &[], None)
            }
            (None, None) => device.create_geometry_shader_with_stream_output(&self.vs, &entries, &[], None),
        };
        let desc = BufferDesc::new(4 * u32::from(components) * vertices, BindFlags::STREAM_OUTPUT);
        let buffer = device.create_buffer(&desc, None).unwrap();
        h.record(CommandPath::Immediate, |cx| {
            self.bind(cx);
            cx.gs_set_shader(&so.unwrap());
            cx.ps_set_shader(None);
            cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
            draw(cx);
        });
        h.immediate.read_buffer(&buffer).unwrap()
    }
}

fn draw_triangles(cx: &mut DeviceContext) {
    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    cx.draw(6, 0);
}

#[test]
fn vertices_of_a_primitive_share_no_private_variables() {
    on_each(&FORMS, |h| {
        for language in Language::ALL {
            let shaders = Shaders::new(&h.device, language, &language.text([""; 2]));
            assert_eq!(shaders.words(h, (1, 6), draw_triangles), [tally(1); 6], "{language:?}");
        }
    });
}

/// The geometry shader receives the sum of the vertices' numbers, and has a number for each vertex that it appends.
const GEOMETRY: [&str; 2] = [
    "fn append0(vertex: O) {}
     fn gs_main(v: array<V, 3>, primitive: u32, instance: u32) {
         for (var k = 0u; k < 3u; k++) {
             append0(O(vec4u(v[0].tally + v[1].tally + v[2].tally, tally(), primitive, instance), v[k].at));
         }
     }",
    "[instance(2)] [maxvertexcount(3)]
     void gs_main(triangle V v[3], inout TriangleStream<O> to, uint primitive : SV_PrimitiveID,
                  uint instance : SV_GSInstanceID) {
         for (uint k = 0; k < 3; k++) {
             O o = { v[0].tally + v[1].tally + v[2].tally, tally(), primitive, instance, v[k].at };
             to.Append(o);
         }
     }",
];

#[test]
fn geometry_shaders_share_no_private_variables() {
    on_each(&FORMS, |h| {
        for language in Language::ALL {
            let text = language.text(GEOMETRY);
            let desc =
                GeometryShaderDesc::new(InputPrimitive::Triangle, 3, &[StreamTopology::TriangleStrips])
                    .with_instances(2);
            let shaders =
                Shaders::new(&h.device, language, &text).with_geometry(&h.device, language, &text, &desc);
            let vertex = |n: u32| [3 * tally(1), tally(n % 3 + 1), n / 6, n / 3 % 2];
            let expected: Vec<u32> = (0..12).flat_map(vertex).collect();
            assert_eq!(shaders.words(h, (4, 12), draw_triangles), expected, "{language:?}");
            assert_eq!(shaders.picture(h, draw_triangles), [vertex(9); 4], "{language:?}");
        }
        let stores = h.config.stored_geometry == StoredGeometry::Always;
        assert_eq!(h.device.statistics().draws_stored > 0, stores);
    });
}

/// Points whose place shows whether all numbers are right, so that a target has no others.
const POINTS: [&str; 2] = [
    "fn append0(vertex: O) {}
     fn gs_main(v: array<V, 1>) {
         let own = tally();
         let is_right = v[0].tally == 610u && own == 610u;
         append0(O(vec4u(v[0].tally, own, 0u, 1u), vec4f(select(0.5, -0.5, is_right), 0.5, 0.5, 1.0)));
     }",
    "[instance(32)] [maxvertexcount(1)] void gs_main(point V v[1], inout PointStream<O> to) {
         uint own = tally();
         bool is_right = v[0].tally == 610 && own == 610;
         O o = { v[0].tally, own, 0, 1, is_right ? -0.5 : 0.5, 0.5, 0.5, 1 };
         to.Append(o);
     }",
];

/// So many invocations that each thread of the GPU executes several of them.
#[test]
fn invocations_of_a_thread_share_no_private_variables() {
    const POINTS_DRAWN: u32 = 40_000;
    let draw = |cx: &mut DeviceContext| {
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        cx.draw(POINTS_DRAWN, 0);
    };
    on_each(&FORMS[..2], |h| {
        for language in Language::ALL {
            let text = language.text(POINTS);
            let desc = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points])
                .with_instances(32);
            let shaders =
                Shaders::new(&h.device, language, &text).with_geometry(&h.device, language, &text, &desc);
            let words = shaders.words(h, (2, 32 * POINTS_DRAWN), draw);
            assert!(words.iter().all(|word| *word == tally(1)), "{language:?}: {:?}", &words[..8]);
            let point = [tally(1), tally(1), 0, 1];
            let expected = [point, [0; 4], [0; 4], [0; 4]];
            assert_eq!(shaders.picture(h, draw), expected, "{language:?}");
        }
    });
}

/// The numbers of a vertex: the sum of the numbers of a patch's vertices, those of the last control point, those of the
/// patch constants, and those of the domain shader itself. Sums contain only first numbers of invocations.
const PATCHES: [&str; 2] = [
    "struct P { @location(0) sum: u32, @location(1) own: u32, @location(2) at: vec4f }
     struct C { tess_factor: array<f32, 3>, inside_tess_factor: f32, @location(0) own: u32 }
     fn hs_main(v: array<V, 3>, point: u32) -> P {
         return P(v[0].tally + v[1].tally + v[2].tally, tally(), v[min(point, 2u)].at);
     }
     fn constants(v: array<V, 3>, p: array<P, 4>) -> C {
         let points = p[0].own + p[1].own + p[2].own + p[3].own;
         return C(array(2.0, 2.0, 2.0), 2.0, points + v[0].tally + v[1].tally + v[2].tally + tally());
     }
     fn ds_main(c: C, p: array<P, 4>, uvw: vec3f) -> O {
         let tallies = vec4u(p[3].sum, p[3].own, c.own, tally());
         return O(tallies, p[0].at * uvw.x + p[1].at * uvw.y + p[2].at * uvw.z);
     }
     fn append0(vertex: O) {}
     fn gs_main(o: array<O, 3>) {
         let sum = o[0].tallies + o[1].tallies + o[2].tallies;
         for (var k = 0u; k < 3u; k++) { append0(O(sum, o[k].at)); }
     }",
    "struct P { uint sum : SUM; uint own : OWN; float4 at : AT; };
     struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; uint own : OWN; };
     C constants(InputPatch<V, 3> v, const OutputPatch<P, 4> p) {
         C c;
         c.e[0] = c.e[1] = c.e[2] = c.i = 2;
         c.own = p[0].own + p[1].own + p[2].own + p[3].own + v[0].tally + v[1].tally + v[2].tally + tally();
         return c;
     }
     [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(4)]
     [patchconstantfunc(\"constants\")]
     P hs_main(InputPatch<V, 3> v, uint point_ : SV_OutputControlPointID) {
         P p = { v[0].tally + v[1].tally + v[2].tally, tally(), v[min(point_, 2)].at };
         return p;
     }
     [domain(\"tri\")] O ds_main(C c, float3 uvw : SV_DomainLocation, const OutputPatch<P, 4> p) {
         O o = { p[3].sum, p[3].own, c.own, tally(), p[0].at * uvw.x + p[1].at * uvw.y + p[2].at * uvw.z };
         return o;
     }
     [maxvertexcount(3)] void gs_main(triangle O o[3], inout TriangleStream<O> to) {
         for (uint k = 0; k < 3; k++) {
             O vertex = { o[0].tallies + o[1].tallies + o[2].tallies, o[k].at };
             to.Append(vertex);
         }
     }",
];

#[test]
fn stages_of_patches_share_no_private_variables() {
    let draw = |cx: &mut DeviceContext| {
        cx.ia_set_primitive_topology(PrimitiveTopology::PatchList3);
        cx.draw(6, 0);
    };
    // Two patches with six triangles each.
    const VERTICES: u32 = 2 * 6 * 3;
    on_each(&FORMS, |h| {
        for language in Language::ALL {
            let text = language.text(PATCHES);
            let desc =
                GeometryShaderDesc::new(InputPrimitive::Triangle, 3, &[StreamTopology::TriangleStrips]);
            let plain = || Shaders::new(&h.device, language, &text).with_patches(&h.device, language, &text);
            let (patches, expanded) = (plain(), plain().with_geometry(&h.device, language, &text, &desc));
            let expected = [3 * tally(1), tally(1), 8 * tally(1), tally(1)];
            for (shaders, expected) in [(patches, expected), (expanded, expected.map(|sum| 3 * sum))] {
                let words = shaders.words(h, (4, VERTICES), draw);
                assert_eq!(words, expected.repeat(VERTICES as usize), "{language:?}");
                assert_eq!(shaders.picture(h, draw), [expected; 4], "{language:?}");
            }
        }
    });
}
