//! Values that Wine's tests of Direct3D 11 publish (`dlls/d3d11/tests/d3d11.c`), which were found on Windows.

use onze::{Rect, StreamOutputBinding, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, matrix, on_each, wait_for};

/// The outputs of the shaders whose declarations are checked.
const DECLARED: &str = "
    struct Data {
        float4 position : SV_Position;
        float4 attrib1 : ATTRIB1;
        float3 attrib2 : attrib2;
        float2 attrib3 : ATTriB3;
        float attrib4 : ATTRIB4;
    };
    Data vs_main(Data i) { return i; }
    [maxvertexcount(1)] void gs_main(point Data i[1], inout PointStream<Data> o) { o.Append(i[0]); }";

/// An entry: the stream, the name, which is empty for a gap, the index, the first component, the number of components, and
/// the slot.
type Row = (u32, &'static str, u32, u8, u8, u8);

const fn of(name: &'static str, index: u32, count: u8) -> Row {
    (0, name, index, 0, count, 0)
}

const fn to(slot: u8, (stream, name, index, start, count, _): Row) -> Row {
    (stream, name, index, start, count, slot)
}

const fn part(start: u8, (stream, name, index, _, count, slot): Row) -> Row {
    (stream, name, index, start, count, slot)
}

const fn gap(slot: u8, count: u8) -> Row {
    (0, "", 0, 0, count, slot)
}

const POSITION: Row = of("SV_POSITION", 0, 4);
const ATTRIB: [Row; 5] =
    [POSITION, of("attrib", 1, 4), of("attrib", 2, 3), of("attrib", 3, 2), of("attrib", 4, 1)];

const VALID: [&[Row]; 22] = [
    &[of("sv_position", 0, 4), of("attrib", 1, 4)],
    &[of("sv_position", 0, 4), of("ATTRIB", 1, 4)],
    &[POSITION, gap(0, 8), ATTRIB[1]],
    &[POSITION, gap(0, 4), gap(0, 4), ATTRIB[1]],
    &[ATTRIB[1]],
    &[ATTRIB[2]],
    &[ATTRIB[3]],
    &[ATTRIB[4]],
    &[part(1, of("ATTRIB", 1, 3))],
    &[part(2, of("ATTRIB", 1, 2))],
    &[part(3, of("ATTRIB", 1, 1))],
    &[part(1, of("ATTRIB", 3, 1))],
    &[to(1, ATTRIB[1])],
    &[to(2, ATTRIB[1])],
    &[to(3, ATTRIB[1])],
    &[ATTRIB[1], to(1, ATTRIB[2]), gap(1, 1), to(2, ATTRIB[3]), gap(2, 2), to(3, ATTRIB[4]), gap(3, 7)],
    &[
        ATTRIB[1],
        to(1, ATTRIB[2]),
        gap(1, 1),
        to(2, ATTRIB[3]),
        gap(2, 1),
        gap(2, 1),
        to(3, ATTRIB[4]),
        gap(3, 3),
        gap(3, 1),
        gap(3, 1),
        gap(3, 1),
        gap(3, 1),
    ],
    &[ATTRIB[1], ATTRIB[2], ATTRIB[3], gap(0, 1), ATTRIB[4]],
    &[ATTRIB[1], ATTRIB[2], to(3, ATTRIB[3]), gap(3, 1), to(3, ATTRIB[4])],
    &[of("ATTRIB", 1, 2), to(1, part(2, of("ATTRIB", 1, 2)))],
    &[of("ATTRIB", 1, 1), part(1, of("ATTRIB", 1, 3))],
    &[POSITION],
];

const INVALID: [&[Row]; 26] = [
    // Outputs that do not exist.
    &[POSITION, of("ATTRIB", 0, 4)],
    &[POSITION, of("ATTRIB_", 1, 4)],
    // Gaps with a first component, with an index, and without components.
    &[POSITION, part(1, gap(0, 8)), ATTRIB[1]],
    &[POSITION, (0, "", 1, 0, 8, 0), ATTRIB[1]],
    &[POSITION, gap(0, 0)],
    // More than the stride of 64 bytes.
    &[POSITION, gap(0, 8), gap(0, 8), ATTRIB[1]],
    // Components that do not exist.
    &[of("ATTRIB", 2, 5)],
    &[of("ATTRIB", 2, 4)],
    &[of("ATTRIB", 3, 3)],
    &[of("ATTRIB", 4, 2)],
    &[part(1, of("ATTRIB", 1, 4))],
    &[part(2, of("ATTRIB", 1, 3))],
    &[part(3, of("ATTRIB", 1, 2))],
    &[part(4, of("ATTRIB", 1, 0))],
    &[part(4, of("ATTRIB", 1, 1))],
    &[part(2, of("ATTRIB", 3, 1))],
    &[part(2, of("ATTRIB", 3, 0))],
    // Slots that do not exist.
    &[to(4, ATTRIB[1])],
    &[ATTRIB[1], to(1, ATTRIB[2]), gap(1, 1), to(2, ATTRIB[3]), gap(2, 2), to(3, ATTRIB[4]), gap(4, 3)],
    // Slots that have only gaps.
    &[
        ATTRIB[1],
        ATTRIB[2],
        ATTRIB[3],
        gap(0, 1),
        ATTRIB[4],
        gap(3, 3),
        gap(3, 1),
        gap(3, 1),
        gap(3, 1),
        gap(3, 1),
    ],
    &[ATTRIB[1], gap(1, 3), gap(1, 1), gap(2, 1), to(3, ATTRIB[2]), gap(3, 1)],
    &[to(3, ATTRIB[2]), gap(1, 3), gap(3, 1), ATTRIB[1], gap(2, 1), gap(1, 1)],
    // Streams that do not exist.
    &[(1, "attrib", 1, 0, 4, 0)],
    &[(4, "attrib", 1, 0, 4, 0)],
    // Components that are written twice.
    &[ATTRIB[1], to(1, ATTRIB[1])],
    &[ATTRIB[1], of("ATTRIB", 1, 3)],
];

fn entries(rows: &[Row]) -> Vec<SoDeclarationEntry> {
    let entry = |&(stream, name, index, start, count, slot): &Row| SoDeclarationEntry {
        semantic_name: (!name.is_empty()).then(|| name.into()),
        semantic_index: index,
        ..SoDeclarationEntry::gap(count).stream(stream).start_component(start).slot(slot)
    };
    rows.iter().map(entry).collect()
}

/// Runs a test on each configuration whose device has stream output.
fn on_each_with_streams(configs: &[Config], test: impl Fn(&mut Harness)) {
    on_each(configs, |h| {
        if h.has_feature(Features::STREAM_OUTPUT) {
            test(h);
        }
    });
}

/// Creates the vertex, geometry and pixel shaders of a program.
fn shaders(device: &Device, text: &str) -> (VertexShader, GeometryShader, PixelShader) {
    let hlsl = |entry_point| ShaderSource::hlsl(text, entry_point);
    (
        device.create_vertex_shader(hlsl("vs_main")).unwrap(),
        device.create_geometry_shader(hlsl("gs_main")).unwrap(),
        device.create_pixel_shader(hlsl("ps_main")).unwrap(),
    )
}

#[test]
fn published_declarations_are_accepted_or_refused() {
    on_each_with_streams(&matrix(), |h| {
        let create = |entry_point, rows: &[Row], strides: &[u32], rasterized| {
            let source = ShaderSource::hlsl(DECLARED, entry_point);
            let created = h.device.create_geometry_shader_with_stream_output(
                source,
                &entries(rows),
                strides,
                rasterized,
            );
            created.map(drop).map_err(|error| error.to_string())
        };
        let geometry = |rows: &[Row], strides: &[u32]| create("gs_main", rows, strides, None);
        let strides = [64; 4];
        for rows in VALID {
            let slots = rows.iter().map(|row| row.5 as usize + 1).max().unwrap();
            let first = if slots == 1 { 1 } else { slots };
            for count in [0].into_iter().chain(first..=if slots == 1 { 4 } else { slots }) {
                assert_eq!(geometry(rows, &strides[..count]), Ok(()), "{rows:?} {count}");
            }
        }
        for rows in INVALID {
            for count in 1..=4 {
                assert!(geometry(rows, &strides[..count]).is_err(), "{rows:?} {count}");
            }
        }
        // A shader without entries, and strides of slots that are not in use.
        assert_eq!(geometry(&[], &[]), Ok(()));
        assert_eq!(geometry(&[], &[64]), Ok(()));
        assert!(create("vs_main", &[], &[], None).is_err());
        for strides in [&[64, 63][..], &[64, 1]] {
            assert_eq!(geometry(&[POSITION], strides), Ok(()), "{strides:?}");
        }
        for strides in [[63], [0]] {
            assert!(geometry(&[POSITION], &strides).is_err(), "{strides:?}");
        }
        for strides in [&[][..], &[64]] {
            assert_eq!(create("vs_main", &[POSITION], strides, None), Ok(()));
        }
        for stream in 0..4 {
            assert_eq!(create("gs_main", &[POSITION], &[], Some(stream)), Ok(()), "{stream}");
        }
        assert!(create("gs_main", &[POSITION], &[], Some(4)).is_err());
        h.take_errors();
    });
}

const COLORS: &str = "
    struct Vertex { float4 position : POSITION; float4 color : COLOR; float4 color2 : COLOR2; };
    Vertex vs_main(Vertex i) { return i; }
    [maxvertexcount(1)] void gs_main(point Vertex i[1], inout PointStream<Vertex> o) { o.Append(i[0]); }";

/// The positions and the two colours of four points, as in the vertex buffers.
const FEW: [[f32; 9]; 4] = [
    [-1.0, -1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.5, 1.0],
    [-1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, -1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.5, 0.4],
    [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.1, 0.6],
];
const ALL: [[f32; 12]; 4] = [
    [-1.0, -1.0, 0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    [-1.0, 1.0, 0.0, 1.0, 9.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
    [1.0, -1.0, 0.0, 1.0, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5],
    [1.0, 1.0, 0.0, 1.0, 2.5, 2.6, 2.7, 2.8, 2.9, 3.0, 3.1, 3.2],
];

/// Entries, and the places of their components among the twelve of a vertex.
const COMPONENTS: [(&[Row], &[usize]); 5] = [
    (&[of("POSITION", 0, 4), of("COLOR", 0, 3), of("COLOR", 2, 2)], &[0, 1, 2, 3, 4, 5, 6, 8, 9]),
    (
        &[
            of("POSITION", 0, 1),
            part(1, of("POSITION", 0, 1)),
            part(2, of("POSITION", 0, 1)),
            part(3, of("POSITION", 0, 1)),
            of("COLOR", 0, 1),
            part(1, of("COLOR", 0, 1)),
            part(2, of("COLOR", 0, 1)),
            of("COLOR", 2, 1),
            part(1, of("COLOR", 2, 1)),
        ],
        &[0, 1, 2, 3, 4, 5, 6, 8, 9],
    ),
    (&[part(2, of("COLOR", 0, 2)), part(3, of("COLOR", 2, 1))], &[6, 7, 11]),
    (&[of("POSITION", 0, 4)], &[0, 1, 2, 3]),
    (&[of("POSITION", 0, 2)], &[0, 1]),
];

#[test]
fn published_components_are_written() {
    on_each_with_streams(&gpu_matrix(), |h| {
        let vs = h.device.create_vertex_shader(ShaderSource::hlsl(COLORS, "vs_main")).unwrap();
        let layout = |second, third| {
            let elements = [
                InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT),
                InputElementDesc::new("COLOR", 0, second),
                InputElementDesc::new("COLOR", 2, third),
            ];
            h.device.create_input_layout(&elements, &vs).unwrap()
        };
        let few = layout(Format::R32G32B32_FLOAT, Format::R32G32_FLOAT);
        let all = layout(Format::R32G32B32A32_FLOAT, Format::R32G32B32A32_FLOAT);
        let with = |data: &[f32]| h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, data).unwrap();
        let inputs = [(few, with(FEW.as_flattened()), 36), (all, with(ALL.as_flattened()), 48)];
        // Missing components have the defaults of the input assembler.
        let of_few = FEW.map(|[x, y, z, w, r, g, b, s, t]| [x, y, z, w, r, g, b, 1.0, s, t, 0.0, 1.0]);
        let written = h.device.create_buffer(&BufferDesc::new(1024, BindFlags::STREAM_OUTPUT), None).unwrap();
        for entry_point in ["gs_main", "vs_main"] {
            for (rows, places) in COMPONENTS {
                let source = ShaderSource::hlsl(COLORS, entry_point);
                let so =
                    h.device.create_geometry_shader_with_stream_output(source, &entries(rows), &[], None);
                let so = so.unwrap();
                for ((layout, buffer, stride), data) in inputs.iter().zip([of_few, ALL]) {
                    h.record(CommandPath::Immediate, |cx| {
                        cx.ia_set_input_layout(layout);
                        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(buffer, *stride));
                        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                        cx.vs_set_shader(&vs);
                        cx.gs_set_shader(&so);
                        cx.so_set_targets(StreamOutputBinding::new(&written, 0));
                        cx.draw(4, 0);
                        cx.so_set_targets(None);
                    });
                    let expected: Vec<f32> =
                        data.iter().flat_map(|vertex| places.iter().map(|place| vertex[*place])).collect();
                    let found: Vec<f32> = h.immediate.read_buffer(&written).unwrap();
                    assert_eq!(found[..expected.len()], expected, "{entry_point} {rows:?}");
                }
            }
        }
    });
}

#[test]
fn streams_continue_after_other_draws() {
    let text = "
        float4 constant;
        float4 vs_main(uint k : SV_VertexID) : SV_Position { return float4(k & 1, k >> 1, 0.5, 1) * 2 - 1; }
        struct Element { float4 position : SV_POSITION; float4 written : so_output; };
        struct Vertex { float4 position : SV_POSITION; };
        [maxvertexcount(3)] void gs_main(triangle Vertex v[3], inout PointStream<Element> to) {
            Element o;
            o.written = constant;
            for (uint k = 0; k < 3; k++) { o.position = v[k].position; to.Append(o); }
        }
        float4 ps_main() : SV_Target { return constant; }";
    let constants = [[0.5, 0.25, 0.0, 0.0], [0.0, 0.125, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0_f32]];
    let (green, red, white) = ([0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0; 4]);
    on_each_with_streams(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let hlsl = |entry_point| ShaderSource::hlsl(text, entry_point);
        let vs = device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let ps = device.create_pixel_shader(hlsl("ps_main")).unwrap();
        let entries = [SoDeclarationEntry::new("so_output", 0, 4)];
        let so =
            device.create_geometry_shader_with_stream_output(hlsl("gs_main"), &entries, &[], None).unwrap();
        let written = device.create_buffer(&BufferDesc::new(1024, BindFlags::STREAM_OUTPUT), None).unwrap();
        let [constant, color] = [0; 2]
            .map(|_| device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap());
        let target = Target::new(&device, 8, 8);
        let state = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let state = device.create_rasterizer_state(&state).unwrap();
        let mut expected = 0xffff_ffff;
        let mut is_bound = false;
        let draws = [
            (Some(constants[0]), red, 0xffff_ffff),
            (None, green, 0xff00_ff00),
            (Some(constants[1]), red, 0xff00_ff00),
            (None, red, 0xff00_00ff),
            (Some(constants[2]), white, 0xff00_00ff),
            (None, green, 0xff00_ff00),
        ];
        for (streamed, drawn, picture) in draws {
            h.record(CommandPath::Immediate, |cx| {
                cx.om_set_render_targets(&target.view, None);
                cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
                cx.rs_set_state(&state);
                if !is_bound {
                    cx.clear_render_target_view(&target.view, white);
                }
                let append = StreamOutputBinding::append(&written);
                cx.so_set_targets(if is_bound { append } else { StreamOutputBinding::new(&written, 0) });
                cx.vs_set_shader(&vs);
                cx.ps_set_shader(&ps);
                cx.update_subresource(&color, 0, None, &drawn, 0, 0);
                cx.ps_set_constant_buffers(0, &color);
                match streamed {
                    Some(value) => {
                        cx.update_subresource(&constant, 0, None, &value, 0, 0);
                        cx.gs_set_constant_buffers(0, &constant);
                        cx.gs_set_shader(&so);
                    }
                    None => cx.gs_set_shader(None),
                }
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                cx.draw(4, 0);
                cx.so_set_targets(None);
            });
            is_bound = true;
            expected = if streamed.is_none() { picture } else { expected };
            assert_eq!(expected, picture, "draws with stream output alone are not rasterized");
            assert!(target.read(h).iter().all(|texel| *texel == picture), "{drawn:?}");
        }
        let found: Vec<[f32; 4]> = h.immediate.read_buffer(&written).unwrap();
        let wanted: Vec<_> = constants.iter().flat_map(|constant| [*constant; 6]).collect();
        assert_eq!(found[..18], wanted);
    });
}

#[test]
fn a_point_becomes_the_published_square() {
    let text = "
        struct Vertex { float4 position : SV_POSITION; float4 color : COLOR; };
        Vertex vs_main(float4 position : POSITION, float4 color : COLOR) { Vertex v = { position, color }; return v; }
        [maxvertexcount(4)] void gs_main(point Vertex v[1], inout TriangleStream<Vertex> to) {
            float offset = 0.2 * v[0].position.w;
            Vertex o = v[0];
            for (uint k = 0; k < 4; k++) {
                float2 sign = float2(k < 2 ? -1 : 1, (k & 1) == 0 ? -1 : 1);
                o.position = float4(v[0].position.xy + sign * offset, v[0].position.z, 1);
                to.Append(o);
            }
        }
        float4 ps_main(Vertex v) : SV_Target { return v.color; }";
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let (vs, gs, ps) = shaders(&device, text);
        let layout =
            ["POSITION", "COLOR"].map(|name| InputElementDesc::new(name, 0, Format::R32G32B32A32_FLOAT));
        let layout = device.create_input_layout(&layout, &vs).unwrap();
        let vertex: [f32; 8] = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0];
        let vertex = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &vertex).unwrap();
        let target = Target::new(&device, 640, 480);
        h.record(CommandPath::Immediate, |cx| {
            cx.ia_set_input_layout(&layout);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&vertex, 32));
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&gs);
            cx.ps_set_shader(&ps);
            cx.om_set_render_targets(&target.view, None);
            cx.rs_set_viewports(Viewport::sized(640.0, 480.0));
            cx.clear_render_target_view(&target.view, [1.0, 0.0, 0.0, 1.0]);
            cx.draw(1, 0);
        });
        let texels = target.read(h);
        for ((x, y), color) in [
            ((320, 190), 0xff00_00ff),
            ((255, 240), 0xff00_00ff),
            ((320, 240), 0xffff_ff00),
            ((385, 240), 0xff00_00ff),
            ((320, 290), 0xff00_00ff),
        ] {
            assert_eq!(target.at(&texels, x, y), color, "{x}, {y}");
        }
    });
}

#[test]
fn layers_have_the_published_values() {
    // The slice that a primitive selects and the number of the draw, for each mip level of each slice.
    const EXPECTED: [[u32; 2]; 24] = [
        [0, 0],
        [0, 3],
        [3, 11],
        [1, 0],
        [1, 3],
        [3, 10],
        [2, 0],
        [2, 3],
        [3, 9],
        [4, 2],
        [3, 3],
        [3, 8],
        [4, 1],
        [4, 3],
        [3, 7],
        [5, 1],
        [5, 3],
        [3, 6],
        [6, 1],
        [6, 3],
        [3, 5],
        [7, 1],
        [7, 3],
        [3, 4],
    ];
    let text = "
        uint layer_offset;
        uint draw_id;
        struct Input { float4 position : SV_Position; };
        struct Output { float4 position : SV_Position; uint layer : SV_RenderTargetArrayIndex; };
        Input vs_main(uint k : SV_VertexID) { Input v = { float4((k & 1) * 2.0 - 1, (k >> 1) * 2.0 - 1, 0, 1) }; return v; }
        [maxvertexcount(12)] void gs_main(triangle Input v[3], inout TriangleStream<Output> to) {
            for (uint layer = 0; layer < 4; layer++) {
                for (uint k = 0; k < 3; k++) {
                    Output o = { v[k].position, layer_offset + layer };
                    to.Append(o);
                }
                to.RestartStrip();
            }
        }
        uint ps_main(Output o) : SV_Target { return o.layer << 8 | draw_id; }";
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let (vs, gs, ps) = shaders(&device, text);
        let state = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
        let state = device.create_rasterizer_state(&state).unwrap();
        let constants = device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
        let desc = Texture2dDesc {
            mip_levels: 3,
            array_size: 8,
            ..Texture2dDesc::render_target(Format::R32_UINT, 32, 32)
        };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let view = |mip, first, slices| {
            let desc = RenderTargetViewDesc::texture_2d_array(Format::R32_UINT, mip, first, slices);
            device.create_render_target_view(&texture, Some(&desc)).unwrap()
        };
        let whole = view(0, 0, 8);
        let mut draws = vec![
            (whole.clone(), 0, 0),
            (whole, 4, 1),
            (view(0, 3, 1), 1, 2),
            (view(1, 0, 8), 0, 3),
            (view(1, 0, 8), 4, 3),
        ];
        draws.extend((0..8).map(|n| (view(2, 7 - n, 1), 0, 4 + n)));
        for how in CommandPath::ALL {
            h.record(how, |cx| {
                cx.vs_set_shader(&vs);
                cx.gs_set_shader(&gs);
                cx.ps_set_shader(&ps);
                cx.rs_set_state(&state);
                cx.rs_set_viewports(Viewport::sized(32.0, 32.0));
                cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                for (view, layer, draw) in &draws {
                    cx.om_set_render_targets(view, None);
                    cx.update_subresource(&constants, 0, None, &[*layer, *draw, 0, 0], 0, 0);
                    cx.gs_set_constant_buffers(0, &constants);
                    cx.ps_set_constant_buffers(0, &constants);
                    cx.draw(4, 0);
                }
            });
            for (subresource, [layer, draw]) in (0..).zip(EXPECTED) {
                let texels = h.read_u32(&texture, subresource);
                let expected = layer << 8 | draw;
                assert!(texels.iter().all(|texel| *texel == expected), "{subresource}: {texels:x?}");
            }
        }
    });
}

#[test]
fn viewports_have_the_published_values() {
    let text = "
        uint draw_id;
        struct Input { float4 position : SV_Position; };
        struct Output { float4 position : SV_Position; uint viewport : SV_ViewportArrayIndex; };
        Input vs_main(uint k : SV_VertexID) { Input v = { float4((k >> 1) * 2.0 - 1, (k & 1) * 2.0 - 1, 0, 1) }; return v; }
        [maxvertexcount(6)] void gs_main(triangle Input v[3], inout TriangleStream<Output> to) {
            for (uint viewport = 0; viewport < 2; viewport++) {
                for (uint k = 0; k < 3; k++) {
                    Output o = { v[k].position, viewport };
                    to.Append(o);
                }
                to.RestartStrip();
            }
        }
        uint ps_main(Output o) : SV_Target { return (o.viewport + 1) << 8 | draw_id; }";
    let drawn = |viewport: u32, draw: u32| (viewport + 1) << 8 | draw;
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let (vs, gs, ps) = shaders(&device, text);
        let scissor = RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() };
        let scissor = device.create_rasterizer_state(&scissor).unwrap();
        let constants = device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
        let target = Target::with_format(&device, Format::R32_UINT, 32, 32);
        let left = Viewport::sized(16.0, 32.0);
        let both = [left, Viewport { top_left_x: 16.0, ..left }];
        let rects = [0, 16].map(|left| Rect { left, top: 0, right: left + 16, bottom: 16 });
        // The viewports, the scissor rectangles, the draws, and the values of the four quarters: the upper left one, the
        // upper right one, and those below.
        let steps = [
            (&both[..], &rects[..0], &[0, 1][..], [drawn(0, 1), drawn(1, 1), drawn(0, 1), drawn(1, 1)]),
            (&both[..1], &rects[..0], &[2], [drawn(0, 2), 0, drawn(0, 2), 0]),
            (&both[..0], &rects[..0], &[3], [0; 4]),
            (&both, &rects[..1], &[4], [drawn(0, 4), 0, 0, 0]),
            (&both, &rects, &[5], [drawn(0, 5), drawn(1, 5), 0, 0]),
        ];
        h.watch.allow(&[MessageId::DrawViewportNotSet]);
        for how in CommandPath::ALL {
            for (viewports, rects, draws, expected) in &steps {
                h.record(how, |cx| {
                    cx.vs_set_shader(&vs);
                    cx.gs_set_shader(&gs);
                    cx.ps_set_shader(&ps);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
                    cx.om_set_render_targets(&target.view, None);
                    cx.clear_render_target_view(&target.view, [0.0; 4]);
                    cx.rs_set_viewports(*viewports);
                    if !rects.is_empty() {
                        cx.rs_set_state(&scissor);
                        cx.rs_set_scissor_rects(*rects);
                    }
                    for draw in *draws {
                        cx.update_subresource(&constants, 0, None, &[*draw, 0, 0, 0], 0, 0);
                        cx.ps_set_constant_buffers(0, &constants);
                        cx.draw(4, 0);
                    }
                    cx.rs_set_state(None);
                });
                let texels = target.read(h);
                let quarter = |at: usize| (at % 32 / 16) + 2 * (at / 32 / 16);
                let wrong = texels.iter().enumerate().find(|(at, texel)| **texel != expected[quarter(*at)]);
                assert_eq!(wrong, None, "{how:?}, draws {draws:?}: {expected:x?}");
            }
        }
    });
}

#[test]
fn queries_without_a_stream_count_the_first_stream() {
    let text = "
        uint4 counts;
        struct V { uint number : NUMBER; };
        struct O { float4 value : VALUE; };
        V vs_main(uint number : SV_VertexID) { V v = { number }; return v; }
        [maxvertexcount(4)] void gs_main(point V v[1], inout PointStream<O> s0, inout PointStream<O> s1,
                                         inout PointStream<O> s2, inout PointStream<O> s3) {
            O o = { float4(0, 0, 0, 0) };
            if (v[0].number < counts.x) s0.Append(o);
            if (v[0].number < counts.y) s1.Append(o);
            if (v[0].number < counts.z) s2.Append(o);
            if (v[0].number < counts.w) s3.Append(o);
        }";
    on_each_with_streams(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let hlsl = |entry_point| ShaderSource::hlsl(text, entry_point);
        let vs = device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let of_stream =
            |stream: u8| SoDeclarationEntry::new("VALUE", 0, 4).stream(stream.into()).slot(stream);
        let entries = [0, 1, 2, 3].map(of_stream);
        let so =
            device.create_geometry_shader_with_stream_output(hlsl("gs_main"), &entries, &[], None).unwrap();
        let constants = device.create_buffer(&BufferDesc::new(16, BindFlags::CONSTANT_BUFFER), None).unwrap();
        // A buffer has room for ten vertices.
        let desc = BufferDesc::new(160, BindFlags::STREAM_OUTPUT);
        let buffers = [0; 4].map(|_| device.create_buffer(&desc, None).unwrap());
        let query = device.create_so_statistics_query(None).unwrap();
        h.watch.allow(&[MessageId::DrawStreamTargetNotSet]);
        for (counts, points, is_bound, written, needed) in [
            ([5; 4], 5, false, 0, 5),
            ([5; 4], 16, true, 5, 5),
            ([3, 6, 4, 12], 32, true, 3, 3),
            ([16, 6, 4, 12], 32, true, 10, 16),
        ] {
            h.record(CommandPath::Immediate, |cx| {
                cx.update_subresource(&constants, 0, None, &counts, 0, 0);
                cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
                cx.vs_set_shader(&vs);
                cx.gs_set_shader(&so);
                cx.gs_set_constant_buffers(0, &constants);
                if is_bound {
                    cx.so_set_targets(buffers.each_ref().map(|buffer| StreamOutputBinding::new(buffer, 0)));
                }
                cx.begin(&query);
                cx.draw(points, 0);
                cx.end(&query);
                cx.so_set_targets(None);
            });
            let found = wait_for("the query", || h.immediate.get_data(&query, false).unwrap());
            let found = (found.num_primitives_written, found.primitives_storage_needed);
            assert_eq!(found, (written, needed), "{counts:?} {points}");
        }
    });
}
