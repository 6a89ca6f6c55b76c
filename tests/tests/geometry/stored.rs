//! Stored vertices: a dispatch runs the shaders of a draw before its pass, and sees the same inputs as the draw.

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, Target, gpu_matrix, on_each};

/// Each input of the draw has four bits of the result.
const SHADERS: &str = "
    struct V { nointerpolation uint sum : SUM; };
    V vs_main(uint element : ELEMENT, uint number : SV_VertexID) { V v; v.sum = element + 16 * number; return v; }

    cbuffer Constants : register(b0) { uint constant; };
    cbuffer Dynamic : register(b1) { uint changing; };
    StructuredBuffer<uint> table : register(t0);
    Texture2D<uint> image : register(t1);
    struct O { float4 position : SV_Position; nointerpolation uint sum : SUM; };
    [maxvertexcount(3)] void gs_main(point V v[1], inout TriangleStream<O> to) {
        uint sum = v[0].sum + (constant << 8) + (changing << 12) + (table[0] << 16) + (image[uint2(0, 0)] << 20);
        for (uint k = 0; k < 3; k++) {
            O o = { float4(k == 1 ? 3 : -1, k == 2 ? -3 : 1, 0, 1), sum };
            to.Append(o);
        }
    }
    uint ps_main(O o) : SV_Target { return o.sum; }

    O fill_main(uint element : ELEMENT, uint number : SV_VertexID) {
        O o = { float4(number == 1 ? 3 : -1, number == 2 ? -3 : 1, 0, 1), element };
        return o;
    }

    RWStructuredBuffer<uint> output : register(u0);
    [numthreads(1, 1, 1)] void cs_main() { output[0] = output[0] + 2; }";

/// A write of an input between two draws.
#[derive(Clone, Copy, Debug)]
enum Write {
    Nothing,
    Elements,
    CopyOfElements,
    Indices,
    Constant,
    Changing,
    TableByDispatch,
    TableByClear,
    ImageByClear,
    ImageByUpdate,
    /// A draw without a geometry shader, whose vertices wgpu cannot fetch, because they take two bytes each.
    ImageByDraw,
}

/// The inputs of a draw, as numbers below 16.
#[derive(Clone, Copy, Default)]
struct Inputs {
    element: u32,
    index: u32,
    constant: u32,
    changing: u32,
    table: u32,
    texel: u32,
}

impl Inputs {
    fn sum(self) -> u32 {
        let Self { element, index, constant, changing, table, texel } = self;
        element + 16 * index + (constant << 8) + (changing << 12) + (table << 16) + (texel << 20)
    }
}

#[test]
fn dispatches_see_the_writes_before_their_draw() {
    use Write as W;
    let writes = [
        W::Nothing,
        W::Elements,
        W::Constant,
        W::Nothing,
        W::TableByDispatch,
        W::Indices,
        W::ImageByClear,
        W::TableByClear,
        W::Changing,
        W::CopyOfElements,
        W::ImageByUpdate,
        W::ImageByDraw,
        W::Constant,
        W::TableByDispatch,
        W::Changing,
        W::Nothing,
        W::ImageByDraw,
        W::ImageByDraw,
        W::Elements,
    ];
    on_each(&gpu_matrix(), |h| {
        for how in CommandPath::ALL {
            check_writes(h, how, &writes);
        }
    });
}

fn check_writes(h: &mut Harness, how: CommandPath, writes: &[Write]) {
    let device = h.device.clone();
    let hlsl = |entry| ShaderSource::hlsl(SHADERS, entry);
    let vs = device.create_vertex_shader(hlsl("vs_main")).unwrap();
    let gs = device.create_geometry_shader(hlsl("gs_main")).unwrap();
    let ps = device.create_pixel_shader(hlsl("ps_main")).unwrap();
    let cs = device.create_compute_shader(hlsl("cs_main")).unwrap();
    let layout = [InputElementDesc::new("ELEMENT", 0, Format::R32_UINT)];
    let layout = device.create_input_layout(&layout, &vs).unwrap();
    let fill = device.create_vertex_shader(hlsl("fill_main")).unwrap();
    let halves_layout = [InputElementDesc::new("ELEMENT", 0, Format::R16_UINT)];
    let halves_layout = device.create_input_layout(&halves_layout, &fill).unwrap();
    let buffer = |flags, bytes| device.create_buffer(&BufferDesc::new(bytes, flags), None).unwrap();
    // All vertices have the same element, so that it does not depend on the index.
    let [elements, other] = [0; 2].map(|_| buffer(BindFlags::VERTEX_BUFFER, 64));
    let halves = buffer(BindFlags::VERTEX_BUFFER, 6);
    let indices = buffer(BindFlags::INDEX_BUFFER, 4);
    let constants = buffer(BindFlags::CONSTANT_BUFFER, 16);
    let desc = BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER);
    let changing = device.create_buffer(&desc, Some(bytemuck::cast_slice(&[0_u32; 4]))).unwrap();
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let table = device.create_buffer(&BufferDesc::structured(4, 1, flags), None).unwrap();
    let (table_view, table_writes) =
        (table.create_shader_resource_view().unwrap(), table.create_unordered_access_view().unwrap());
    let desc = Texture2dDesc {
        bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET,
        ..Texture2dDesc::render_target(Format::R32_UINT, 1, 1)
    };
    let image = device.create_texture_2d(&desc, None).unwrap();
    let (image_view, image_target) = (
        image.create_shader_resource_view().unwrap(),
        device.create_render_target_view(&image, None).unwrap(),
    );
    let count = writes.len() as u32;
    let target = Target::with_format(&device, Format::R32_UINT, count, 1);
    let mut expected = Vec::new();
    let zeros = [0_u32; 16];
    h.record(how, |cx| {
        expected.clear();
        let mut inputs = Inputs::default();
        cx.update_subresource(&elements, 0, None, &zeros, 0, 0);
        cx.update_subresource(&indices, 0, None, &zeros[..1], 0, 0);
        cx.update_subresource(&constants, 0, None, &zeros[..4], 0, 0);
        cx.map(&changing, 0, MapType::WriteDiscard).unwrap().write(0, &[0_u32; 4]);
        cx.clear_unordered_access_view_uint(&table_writes, [0; 4]);
        cx.clear_render_target_view(&image_target, [0.0; 4]);
        cx.clear_render_target_view(&target.view, [0.0; 4]);
        for (x, write) in (0..).zip(writes) {
            let value = x % 15 + 1;
            match write {
                Write::Nothing => {}
                Write::Elements => {
                    inputs.element = value;
                    cx.update_subresource(&elements, 0, None, &[value; 16], 0, 0);
                }
                Write::CopyOfElements => {
                    inputs.element = value;
                    cx.update_subresource(&other, 0, None, &[value; 16], 0, 0);
                    cx.copy_resource(&elements, &other);
                }
                Write::Indices => {
                    inputs.index = value;
                    cx.update_subresource(&indices, 0, None, &[value], 0, 0);
                }
                Write::Constant => {
                    inputs.constant = value;
                    cx.update_subresource(&constants, 0, None, &[value, 0, 0, 0], 0, 0);
                }
                Write::Changing => {
                    inputs.changing = value;
                    cx.map(&changing, 0, MapType::WriteDiscard).unwrap().write(0, &[value; 4]);
                }
                Write::TableByDispatch => {
                    inputs.table += 2;
                    cx.gs_set_shader_resources(0, None::<&ShaderResourceView>);
                    cx.cs_set_shader(&cs);
                    cx.cs_set_unordered_access_views(0, &table_writes);
                    cx.dispatch(1, 1, 1);
                    cx.cs_set_unordered_access_views(0, None::<&UnorderedAccessView>);
                }
                Write::TableByClear => {
                    inputs.table = value;
                    cx.clear_unordered_access_view_uint(&table_writes, [value; 4]);
                }
                Write::ImageByClear => {
                    inputs.texel = value;
                    cx.clear_render_target_view(&image_target, [value as f32; 4]);
                }
                Write::ImageByUpdate => {
                    inputs.texel = value;
                    cx.update_subresource(&image, 0, None, &[value], 4, 0);
                }
                Write::ImageByDraw => {
                    inputs.texel = value;
                    cx.update_subresource(&halves, 0, None, &[value as u16; 3], 0, 0);
                    cx.gs_set_shader_resources(1, None::<&ShaderResourceView>);
                    cx.om_set_render_targets(&image_target, None);
                    cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
                    cx.vs_set_shader(&fill);
                    cx.gs_set_shader(None);
                    cx.ps_set_shader(&ps);
                    cx.ia_set_input_layout(&halves_layout);
                    cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&halves, 2));
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.draw(3, 0);
                }
            }
            cx.om_set_render_targets(&target.view, None);
            cx.rs_set_viewports(Viewport { top_left_x: x as f32, ..Viewport::sized(1.0, 1.0) });
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&gs);
            cx.ps_set_shader(&ps);
            cx.ia_set_input_layout(&layout);
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&elements, 4));
            cx.ia_set_index_buffer(&indices, Format::R32_UINT, 0);
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            cx.gs_set_constant_buffers(0, &constants);
            cx.gs_set_constant_buffers(1, &changing);
            cx.gs_set_shader_resources(0, &table_view);
            cx.gs_set_shader_resources(1, &image_view);
            cx.draw_indexed(1, 0, 0);
            expected.push(inputs.sum());
        }
    });
    let found = target.read(h);
    assert!(found == expected, "{how:?}\n{found:x?}\n{expected:x?}");
}

/// Returns a geometry shader that appends `vertices` to a stream, each with `steps` steps of work.
fn program(stream: &str, vertices: u32, steps: u32) -> String {
    let step = "f = f * 1.25 + 0.125; ".repeat(steps as usize);
    format!(
        "struct V {{ float4 position : SV_Position; }};
        V vs_main() {{ V v; v.position = float4(0.5, 0, 0, 1); return v; }}
        [maxvertexcount({vertices})] void gs_main(point V v[1], inout {stream}<V> to) {{
            float f = v[0].position.x;
            for (uint k = 0; k < {vertices}; k++) {{
                {step}
                V o;
                o.position = float4(f, k, 0, 1);
                to.Append(o);
            }}
        }}
        float4 ps_main() : SV_Target {{ return 1; }}"
    )
}

#[test]
fn vertices_of_expensive_draws_are_stored() {
    // A single dispatch does not pay for few invocations, nor for few vertices with little work.
    for (stream, vertices, steps, draws, is_stored) in [
        ("TriangleStream", 4, 1, &[10_000][..], false),
        ("TriangleStream", 64, 16, &[10_000], true),
        ("TriangleStream", 64, 16, &[1], false),
        ("TriangleStream", 64, 16, &[0], false),
        ("PointStream", 64, 16, &[1, 10_000, 2], true),
    ] {
        let Some(mut h) = Harness::start(Config::GPU) else { return };
        let text = program(stream, vertices, steps);
        let hlsl = |entry| ShaderSource::hlsl(text.as_str(), entry);
        let vs = h.device.create_vertex_shader(hlsl("vs_main")).unwrap();
        let gs = h.device.create_geometry_shader(hlsl("gs_main")).unwrap();
        let ps = h.device.create_pixel_shader(hlsl("ps_main")).unwrap();
        let target = Target::new(&h.device, 4, 4);
        h.record(CommandPath::Immediate, |cx| {
            cx.vs_set_shader(&vs);
            cx.gs_set_shader(&gs);
            cx.ps_set_shader(&ps);
            cx.om_set_render_targets(&target.view, None);
            cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
            cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
            draws.iter().for_each(|points| cx.draw(*points, 0));
        });
        target.read(&mut h);
        let stored = h.device.statistics().draws_stored;
        assert_eq!(stored, u64::from(is_stored), "{stream}, {vertices} vertices, {steps} steps, {draws:?}");
        drop((vs, gs, ps, target));
        h.finish();
    }
}
