//! Registers that elements of several types share, and stages that declare or read only some of the elements.
//!
//! In Direct3D 11 a register has components but no type, so a stage may read any element that the previous stage writes
//! to the same components with the same type.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::{StreamOutputBinding, prelude::*};
use onze_tests::{
    Config, Harness, Random, Target,
    drawing::{assert_all, is_close},
    gpu_matrix, on_each,
};

/// The declaration of an element: modifiers, and the type of its components.
type ElementType = (&'static str, &'static str);

const INT: ElementType = ("", "int");
const UINT: ElementType = ("", "uint");
const FLAT: ElementType = ("nointerpolation", "float");
const LINEAR: ElementType = ("", "float");
const SMALL_INT: ElementType = ("", "min16int");
const SMALL_UINT: ElementType = ("", "min16uint");
const SMALL_FLAT: ElementType = ("nointerpolation", "min16float");

/// An element of a structure with its number of components. Element `n` has the semantic `F` with the index `n`.
type Element = (ElementType, usize);
/// An element that a stage declares, and the components that it reads, as a swizzle.
type ReadElement = (ElementType, usize, &'static str);

const COMPONENTS: &str = "xyzw";
const GREEN: u32 = 0xff00_ff00;

/// Returns the value of a component in HLSL, and its bits.
fn value(ty: ElementType, element: usize, component: usize) -> (String, u32) {
    let number = (10 * element + component + 1) as u32;
    match ty.1 {
        "int" | "min16int" => (format!("-{number}"), number.wrapping_neg()),
        "uint" => (format!("{}u", u32::MAX - number), u32::MAX - number),
        "min16uint" => (format!("{number}u"), number),
        _ => (format!("{number}.5"), (number as f32 + 0.5).to_bits()),
    }
}

fn fields(elements: impl Iterator<Item = Element>) -> String {
    let field = |(n, ((modifier, ty), size)): (usize, Element)| format!("{modifier} {ty}{size} f{n} : F{n};");
    elements.enumerate().map(field).collect()
}

/// Returns shaders of all stages. Each stage but the last writes the elements `written`, and each stage but the first
/// checks the values of the elements `read`. A wrong value in a stage before the pixel shader hides the triangle.
fn text(written: &[Element], read: &[ReadElement]) -> String {
    let (mut values, mut checks) = (String::new(), String::new());
    for (n, &(ty, size)) in written.iter().enumerate() {
        let list: Vec<_> = (0..size).map(|component| value(ty, n, component).0).collect();
        values += &format!("w.f{n} = {}{size}({});", ty.1, list.join(", "));
    }
    for (n, &(ty, _, swizzle)) in read.iter().enumerate() {
        for name in swizzle.chars() {
            let wanted = value(ty, n, COMPONENTS.find(name).unwrap()).0;
            checks += &match ty {
                LINEAR => format!(" && abs(r.f{n}.{name} - {wanted}) < 0.01"),
                _ => format!(" && r.f{n}.{name} == {wanted}"),
            };
        }
    }
    format!(
        "struct Written {{ {} }};
        struct Read {{ {} }};
        Written written() {{ Written w; {values} return w; }}
        bool is_right(Read r) {{ return true{checks}; }}
        struct Output {{ float4 p : SV_Position; Written w; }};
        struct Input {{ float4 p : SV_Position; Read r; }};

        Output vs(uint n : SV_VertexID) {{
            Output o;
            o.p = float4(n == 2 ? 3.0 : -1.0, n == 1 ? 3.0 : -1.0, 0, 1);
            o.w = written();
            return o;
        }}
        [maxvertexcount(3)] void gs(triangle Input i[3], inout TriangleStream<Output> s) {{
            for (uint n = 0; n < 3; n++) {{
                Output o;
                o.p = is_right(i[n].r) ? i[n].p : 2;
                o.w = written();
                s.Append(o);
            }}
        }}
        struct WrittenConstants {{ float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; Written w; }};
        struct ReadConstants {{ float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; Read r; }};
        WrittenConstants constants() {{
            WrittenConstants c;
            c.edges[0] = c.edges[1] = c.edges[2] = c.inside = 1;
            c.w = written();
            return c;
        }}
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")]
        [outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]
        Output hs(InputPatch<Input, 3> i, uint n : SV_OutputControlPointID) {{
            Output o;
            o.p = is_right(i[n].r) ? i[n].p : 2;
            o.w = written();
            return o;
        }}
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")]
        [outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]
        void passing_hs(InputPatch<Input, 3> i) {{}}
        [domain(\"tri\")]
        Output ds(ReadConstants c, float3 at : SV_DomainLocation, const OutputPatch<Input, 3> i) {{
            bool are_right = is_right(c.r) && is_right(i[0].r) && is_right(i[1].r) && is_right(i[2].r);
            Output o;
            o.p = are_right ? i[0].p * at.x + i[1].p * at.y + i[2].p * at.z : 2;
            o.w = written();
            return o;
        }}
        float4 ps(Input i) : SV_Target {{ return is_right(i.r) ? float4(0, 1, 0, 1) : float4(1, 0, 0, 1); }}",
        fields(written.iter().copied()),
        fields(read.iter().map(|(ty, size, _)| (*ty, *size))),
    )
}

/// The shaders between the vertex and the pixel shader.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    Geometry,
    Tessellation,
    /// The hull shader passes its control points on, so it reads all elements that it declares.
    PassingHull,
    TessellationAndGeometry,
}

impl Between {
    const ALL: [Self; 5] =
        [Self::Nothing, Self::Geometry, Self::Tessellation, Self::PassingHull, Self::TessellationAndGeometry];
}

/// Draws with each chain of shaders, and asserts that each stage has read the values of the previous stage.
fn assert_linked(h: &mut Harness, written: &[Element], read: &[ReadElement]) {
    let text = text(written, read);
    let source = |entry_point| ShaderSource::hlsl(&text, entry_point);
    let vs = h.device.create_vertex_shader(source("vs")).unwrap();
    let ps = h.device.create_pixel_shader(source("ps")).unwrap();
    let target = Target::new(&h.device, 2, 2);
    let are_written = read.len() <= written.len()
        && read.iter().zip(written).all(|((ty, size, _), other)| (*ty, *size) == *other);
    for between in Between::ALL {
        if between == Between::PassingHull && !are_written {
            continue;
        }
        let (geometry, hull) = match between {
            Between::Nothing => (false, None),
            Between::Geometry => (true, None),
            Between::Tessellation => (false, Some("hs")),
            Between::PassingHull => (false, Some("passing_hs")),
            Between::TessellationAndGeometry => (true, Some("hs")),
        };
        let gs = geometry.then(|| h.device.create_geometry_shader(source("gs")).unwrap());
        let hs = hull.map(|hull| h.device.create_hull_shader(source(hull)).unwrap());
        let ds = hull.map(|_| h.device.create_domain_shader(source("ds")).unwrap());
        let desc = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let state = h.device.create_rasterizer_state(&desc).unwrap();
        let cx = &mut h.immediate;
        cx.clear_render_target_view(&target.view, [0.0; 4]);
        target.bind(cx);
        cx.rs_set_state(&state);
        cx.ia_set_primitive_topology(match hs {
            Some(_) => PrimitiveTopology::PatchList3,
            None => PrimitiveTopology::TriangleList,
        });
        cx.vs_set_shader(&vs);
        cx.hs_set_shader(hs.as_ref());
        cx.ds_set_shader(ds.as_ref());
        cx.gs_set_shader(gs.as_ref());
        cx.ps_set_shader(&ps);
        cx.draw(3, 0);
        cx.clear_state();
        h.assert_silent();
        assert_all(&target.read(h), GREEN, &format!("{between:?}, {written:?}, {read:?}"));
    }
}

/// Each row has the elements that a stage writes, and those that the next stage declares and reads.
const LINKS: &[(&[Element], &[ReadElement])] = &[
    // The next stage declares only the first element.
    (&[(INT, 1), (UINT, 2)], &[(INT, 1, "x")]),
    (&[(FLAT, 1), (UINT, 1)], &[(FLAT, 1, "x")]),
    (&[(UINT, 2), (FLAT, 2)], &[(UINT, 2, "y")]),
    (&[(INT, 2), (FLAT, 1), (UINT, 1)], &[(INT, 2, "xy"), (FLAT, 1, "x")]),
    // It declares all elements, and reads only some of them.
    (&[(INT, 1), (UINT, 2)], &[(INT, 1, "x"), (UINT, 2, "")]),
    (&[(INT, 1), (UINT, 2)], &[(INT, 1, ""), (UINT, 2, "y")]),
    (&[(FLAT, 1), (INT, 1), (UINT, 2)], &[(FLAT, 1, ""), (INT, 1, "x"), (UINT, 2, "")]),
    (&[(FLAT, 3), (INT, 1)], &[(FLAT, 3, "xz"), (INT, 1, "")]),
    // It declares elements that no stage writes, and does not read them.
    (&[(INT, 1)], &[(INT, 1, "x"), (UINT, 2, "")]),
    (&[(FLAT, 2)], &[(FLAT, 2, "y"), (INT, 1, "")]),
    // It declares another type for an element that it does not read.
    (&[(INT, 1), (UINT, 2)], &[(FLAT, 1, ""), (UINT, 2, "xy")]),
    (&[(FLAT, 1), (FLAT, 1)], &[(INT, 1, ""), (FLAT, 1, "x")]),
    (&[(UINT, 1), (INT, 1)], &[(INT, 1, ""), (INT, 1, "x")]),
    // It interpolates an element that the previous stage does not interpolate, and the other way round.
    (&[(FLAT, 1), (UINT, 1)], &[(LINEAR, 1, "x")]),
    (&[(LINEAR, 1)], &[(FLAT, 1, "x"), (INT, 1, "")]),
    // Several registers are shared.
    (
        &[(INT, 3), (FLAT, 3), (LINEAR, 2), (UINT, 1), (INT, 1), (LINEAR, 2)],
        &[(INT, 3, "xyz"), (FLAT, 3, "z"), (LINEAR, 2, "x")],
    ),
    // Types of minimum precision have 32 bits in a register.
    (&[(SMALL_INT, 1), (SMALL_UINT, 2)], &[(SMALL_INT, 1, "x")]),
    (&[(SMALL_FLAT, 2), (SMALL_INT, 1)], &[(SMALL_FLAT, 2, "xy")]),
    (&[(SMALL_INT, 1), (UINT, 1), (SMALL_FLAT, 1)], &[(SMALL_INT, 1, ""), (UINT, 1, "x")]),
];

#[test]
fn stages_read_some_elements_of_shared_registers() {
    on_each(&[Config::GPU, Config::GPU.by_index().with_stored_geometry()], |h| {
        for (written, read) in LINKS {
            assert_linked(h, written, read);
        }
    });
}

/// The registers of the first elements do not depend on the others, so the stages are linked.
#[test]
fn stages_read_random_elements_of_random_signatures() {
    const TYPES: [ElementType; 7] = [INT, UINT, FLAT, LINEAR, SMALL_INT, SMALL_UINT, SMALL_FLAT];
    const SWIZZLES: [&[&str]; 4] =
        [&["x", "x", ""], &["x", "y", "xy", ""], &["x", "z", "yz", "xyz", ""], &["y", "w", "xz", "xyzw", ""]];
    on_each(&[Config::GPU], |h| {
        let mut random = Random::new(11);
        for _ in 0..12 {
            let count = 2 + random.below(6) as usize;
            let written: Vec<Element> =
                (0..count).map(|_| (*random.pick(&TYPES), 1 + random.below(4) as usize)).collect();
            let declared = 1 + random.below(count as u32) as usize;
            let read: Vec<_> = written[..declared]
                .iter()
                .map(|&(ty, size)| (ty, size, *random.pick(SWIZZLES[size - 1])))
                .collect();
            assert_linked(h, &written, &read);
        }
    });
}

#[test]
fn streams_contain_the_bits_of_shared_registers() {
    on_each(&gpu_matrix(), |h| {
        for (written, read) in LINKS {
            let text = text(written, read);
            let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, "vs")).unwrap();
            let entries: Vec<_> = (0..)
                .zip(*written)
                .map(|(n, (_, size))| SoDeclarationEntry::new("F", n, *size as u8))
                .chain([SoDeclarationEntry::new("SV_Position", 0, 1)])
                .collect();
            let gs = ShaderSource::hlsl(&text, "gs");
            let captures = [
                h.device.create_geometry_shader_with_stream_output(&vs, &entries, &[], None).unwrap(),
                h.device.create_geometry_shader_with_stream_output(gs, &entries, &[], None).unwrap(),
            ];
            let of_vertex = |x: f32| {
                let elements = written.iter().enumerate();
                let words = elements.flat_map(|(n, (ty, size))| (0..*size).map(move |c| value(*ty, n, c).1));
                words.chain([x.to_bits()]).collect::<Vec<_>>()
            };
            let expected = [-1.0, -1.0, 3.0].map(of_vertex).concat();
            for capture in &captures {
                let desc = BufferDesc::new(4 * expected.len() as u32, BindFlags::STREAM_OUTPUT);
                let buffer = h.device.create_buffer(&desc, None).unwrap();
                let cx = &mut h.immediate;
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                cx.vs_set_shader(&vs);
                cx.gs_set_shader(capture);
                cx.so_set_targets(StreamOutputBinding::new(&buffer, 0));
                cx.draw(3, 0);
                cx.clear_state();
                h.assert_silent();
                let found: Vec<u32> = h.immediate.read_buffer(&buffer).unwrap();
                assert_eq!(found, expected, "{written:?}, {read:?}");
            }
        }
    });
}

/// A register has one type in WGSL, and the elements of several types are its bits.
#[test]
fn wgsl_reads_shared_registers_as_bits_or_by_component() {
    const WGSL: &str = "
        @fragment fn bits(@location(1) @interpolate(flat) word: vec2u) -> @location(0) vec4f {
            return vec4f(0, select(0.0, 1.0, all(word == vec2u(0xffffffffu, 0xfffffff4u))), 0, 1);
        }
        @fragment fn first(@location(1) @interpolate(flat) number: i32) -> @location(0) vec4f {
            return vec4f(0, select(0.0, 1.0, number == -1), 0, 1);
        }
        @fragment fn other(@location(1) @interpolate(flat) number: vec2i) -> @location(0) vec4f {
            return vec4f(0, 1, 0, 1);
        }";
    on_each(&[Config::GPU], |h| {
        let text = text(&[(INT, 1), (UINT, 1)], &[]);
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, "vs")).unwrap();
        let target = Target::new(&h.device, 1, 1);
        for (entry_point, is_drawn) in [("bits", true), ("first", true), ("other", false)] {
            let ps = h.device.create_pixel_shader(ShaderSource::wgsl(WGSL, entry_point)).unwrap();
            let cx = &mut h.immediate;
            cx.clear_render_target_view(&target.view, [0.0; 4]);
            target.bind(cx);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.draw(3, 0);
            cx.clear_state();
            if !is_drawn {
                h.assert_reported(MessageId::DrawLinkage);
            }
            h.assert_silent();
            assert_eq!(is_close(target.read(h)[0], GREEN, 1), is_drawn, "{entry_point}");
        }
    });
}

/// Direct3D 11's debug layer reports a component type that differs. This runtime does not draw.
#[test]
fn elements_of_another_type_are_refused() {
    let links: [(&[Element], &[ReadElement]); 3] = [
        (&[(LINEAR, 4)], &[(UINT, 4, "x")]),
        (&[(INT, 1)], &[(UINT, 1, "x")]),
        (&[(INT, 1), (UINT, 1)], &[(FLAT, 1, "x")]),
    ];
    on_each(&[Config::NULL, Config::GPU], |h| {
        for (written, read) in links {
            let text = text(written, read);
            let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, "vs")).unwrap();
            let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, "ps")).unwrap();
            let target = Target::new(&h.device, 1, 1);
            let cx = &mut h.immediate;
            target.bind(cx);
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.draw(3, 0);
            cx.clear_state();
            let messages = h.take_errors();
            let is_linkage = |message: &Message| {
                message.id == MessageId::DrawLinkage
                    && message.description.contains("in the vertex shader and")
            };
            assert!(matches!(&messages[..], [message] if is_linkage(message)), "{written:?}: {messages:?}");
        }
    });
}
