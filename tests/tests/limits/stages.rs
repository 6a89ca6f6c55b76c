//! Vertex elements, registers between stages, and targets: draws with the maximum number, and draws with one
//! more.

use std::fmt::Write as _;

use onze::{Error, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Target, on_each};

use super::{Outcome, Rows, first_float};
use Outcome::{Refused, Skipped, Works};

/// The distribution of a layout's elements: all in one slot, each in its own slot with its own buffer, or
/// each in its own slot of one shared buffer. The last two variants use a step rate, or offsets that wgpu
/// does not support.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Spread {
    OneSlot,
    Slots,
    SlotsOfOneBuffer,
    Instances(u32),
    UnalignedSlots,
}
use Spread::{Instances, OneSlot, Slots, SlotsOfOneBuffer, UnalignedSlots};

/// If a layout uses more than 16 vertex buffers, the driver reads them as storage buffers and needs one more,
/// but the software adapter has only 32 storage buffers.
const MANY_BUFFERS: &str = "read 32 vertex buffers as storage buffers, for which it needs one more";

const ELEMENTS: &[(&str, Spread, u32, Outcome)] = &[
    ("D3D11_IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT", OneSlot, 32, Works),
    ("D3D11_IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT", OneSlot, 33, Refused("32")),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Slots, 16, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Slots, 17, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Slots, 31, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Slots, 32, Skipped(MANY_BUFFERS)),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Slots, 33, Refused("32")),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", SlotsOfOneBuffer, 32, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Instances(1), 31, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Instances(3), 16, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", Instances(3), 31, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", UnalignedSlots, 16, Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", UnalignedSlots, 31, Works),
];

/// Returns shaders that add `count` elements and draw the sum as a point in the middle of the target.
fn adding_shader(count: u32) -> String {
    let mut text = "void vs_main(".to_owned();
    for n in 0..count {
        write!(text, "float e{n} : E{n}, ").unwrap();
    }
    text +=
        "out float4 position : SV_Position, out float sum : SUM) { position = float4(0, 0, 0, 1); sum = 0;\n";
    for n in 0..count {
        writeln!(text, "sum += e{n};").unwrap();
    }
    text + "} float4 ps_main(float4 position : SV_Position, float sum : SUM) : SV_Target { return sum; }"
}

fn sum_of_elements(h: &mut Harness, spread: Spread, count: u32) -> Result<f32, Error> {
    let text = adding_shader(count);
    let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, "vs_main"))?;
    let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, "ps_main"))?;
    let elements: Vec<_> = (0..count)
        .map(|n| {
            let element = InputElementDesc::new("E", n, Format::R32_FLOAT);
            match spread {
                OneSlot => element.offset(4 * n),
                Slots | SlotsOfOneBuffer | UnalignedSlots => element.slot(n),
                Instances(rate) => {
                    InputElementDesc { instance_data_step_rate: rate, ..element.slot(n).per_instance() }
                }
            }
        })
        .collect();
    let layout = h.device.create_input_layout(&elements, &vs)?;
    let values: Vec<_> = (0..count).map(|n| (n + 1) as f32).collect();
    let all = h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &values)?;
    let buffers: Vec<_> = values
        .iter()
        .map(|value| {
            let mut bytes = if spread == UnalignedSlots { vec![0; 2] } else { Vec::new() };
            bytes.extend_from_slice(bytemuck::bytes_of(value));
            h.device.create_buffer_with(BindFlags::VERTEX_BUFFER, &bytes)
        })
        .collect::<Result<_, _>>()?;
    let target = Target::with_format(&h.device, Format::R32_FLOAT, 1, 1);
    h.record(CommandPath::Immediate, |cx| {
        target.bind(cx);
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        cx.ia_set_input_layout(&layout);
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        for (n, buffer) in (0..).zip(&buffers) {
            match spread {
                OneSlot => cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&all, 4 * count)),
                SlotsOfOneBuffer => cx.ia_set_vertex_buffers(
                    n,
                    VertexBufferBinding { offset: 4 * n, ..VertexBufferBinding::new(&all, 4) },
                ),
                UnalignedSlots => cx.ia_set_vertex_buffers(
                    n,
                    VertexBufferBinding { offset: 2, ..VertexBufferBinding::new(buffer, 4) },
                ),
                Slots | Instances(_) => cx.ia_set_vertex_buffers(n, VertexBufferBinding::new(buffer, 4)),
            }
        }
        cx.draw_instanced(1, 1, 0, 0);
    });
    Ok(first_float(h, &target.texture))
}

#[test]
fn every_vertex_element_is_read_or_refused_by_name() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::CreateShaderInvalid, MessageId::DrawUnsupported]);
        let mut rows = Rows::default();
        for (constant, spread, count, outcome) in ELEMENTS.iter().copied() {
            let row = format!("{constant}, {count} in {spread:?}");
            let sum = (count * (count + 1) / 2) as f32;
            let found = sum_of_elements(h, spread, count);
            rows.check(h, &row, outcome, found, &sum);
        }
        rows.finish();
    });
}

/// Registers between a vertex and a pixel shader: values, and system values other than the position.
struct Registers {
    /// Number of registers with four values each.
    values: u32,
    clip: u32,
    inputs: &'static str,
    topology: PrimitiveTopology,
    outcome: Outcome,
}

const TRIANGLES: PrimitiveTopology = PrimitiveTopology::TriangleList;

const fn registers(
    values: u32,
    clip: u32,
    inputs: &'static str,
    topology: PrimitiveTopology,
    outcome: Outcome,
) -> Registers {
    Registers { values, clip, inputs, topology, outcome }
}

/// The limit is 32 (D3D11_VS_OUTPUT_REGISTER_COUNT and D3D11_PS_INPUT_REGISTER_COUNT).
const REGISTERS: &[Registers] = &[
    registers(31, 0, "", TRIANGLES, Works),
    registers(32, 0, "", TRIANGLES, Refused("32")),
    registers(31, 0, "", PrimitiveTopology::LineList, Works),
    registers(31, 0, "", PrimitiveTopology::PointList, Skipped("takes 31 values")),
    registers(30, 0, ", bool front : SV_IsFrontFace", TRIANGLES, Works),
    registers(30, 0, ", uint n : SV_SampleIndex", TRIANGLES, Works),
    registers(30, 0, ", uint n : SV_Coverage", TRIANGLES, Works),
    registers(29, 0, ", bool front : SV_IsFrontFace, uint n : SV_SampleIndex", TRIANGLES, Works),
    registers(31, 0, ", bool front : SV_IsFrontFace", TRIANGLES, Refused("32")),
    registers(30, 4, "", TRIANGLES, Works),
    registers(29, 8, "", TRIANGLES, Works),
    registers(29, 8, "", PrimitiveTopology::PointList, Skipped("takes 29 values")),
    registers(31, 4, "", TRIANGLES, Refused("32")),
    registers(30, 8, "", TRIANGLES, Refused("32")),
    registers(28, 9, "", TRIANGLES, Refused("8")),
];

fn sum_of_registers(h: &mut Harness, case: &Registers) -> Result<f32, Error> {
    let mut clip = String::new();
    let mut distances = String::new();
    for n in 0..case.clip.div_ceil(4) {
        let size = (case.clip - 4 * n).min(4);
        write!(clip, ", out float{size} clip{n} : SV_ClipDistance{n}").unwrap();
        write!(distances, "clip{n} = 1;").unwrap();
    }
    let Registers { values, inputs, .. } = case;
    let text = format!(
        "void vs_main(uint n : SV_VertexID, out float4 position : SV_Position, out float4 v[{values}] : V {clip}) {{
            position = float4(n / 2 * 4.0 - 1, n % 2 * 4.0 - 1, 0, 1); {distances}
            [unroll] for (uint i = 0; i < {values}; i++) v[i] = float4(1, 2, 3, 4) * (i + 1);
        }}
        void point_main(out float4 position : SV_Position, out float4 v[{values}] : V {clip}) {{
            position = float4(0, 0, 0, 1); {distances}
            [unroll] for (uint i = 0; i < {values}; i++) v[i] = float4(1, 2, 3, 4) * (i + 1);
        }}
        float4 ps_main(float4 position : SV_Position, float4 v[{values}] : V {inputs}) : SV_Target {{
            float sum = 0;
            [unroll] for (uint i = 0; i < {values}; i++) sum += dot(v[i], 1);
            return sum;
        }}"
    );
    let is_point = case.topology == PrimitiveTopology::PointList;
    let name = if is_point { "point_main" } else { "vs_main" };
    let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, name))?;
    let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, "ps_main"))?;
    let target = Target::with_format(&h.device, Format::R32_FLOAT, 1, 1);
    h.record(CommandPath::Immediate, |cx| {
        target.bind(cx);
        cx.ia_set_primitive_topology(case.topology);
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        cx.draw(if is_point { 1 } else { 3 }, 0);
    });
    Ok(first_float(h, &target.texture))
}

#[test]
fn every_register_between_stages_is_read_or_refused_by_name() {
    on_each(&[Config::GPU, Config::GPU.by_index()], |h| {
        h.watch.allow(&[MessageId::CreateShaderInvalid, MessageId::DrawUnsupported]);
        let mut rows = Rows::default();
        for case in REGISTERS {
            let Registers { values, clip, inputs, topology, outcome } = case;
            let row = format!(
                "D3D11_VS_OUTPUT_REGISTER_COUNT, {values} with {clip} clip distances{inputs} in {topology:?}"
            );
            let mut expected = (10 * values * (values + 1) / 2) as f32;
            if *topology == PrimitiveTopology::LineList {
                // The line from the first to the second vertex does not cover the pixel, so nothing is drawn.
                expected = 0.0;
            }
            let found = sum_of_registers(h, case);
            rows.check(h, &row, *outcome, found, &expected);
        }
        rows.finish();
    });
}

const TARGETS: &[(Format, u32, Outcome)] = &[
    (Format::R8G8B8A8_UNORM, 7, Works),
    (Format::R8G8B8A8_UNORM, 8, Works),
    (Format::R16G16B16A16_FLOAT, 8, Works),
    (Format::R32G32B32A32_FLOAT, 1, Works),
    (Format::R32G32B32A32_FLOAT, 4, Works),
    (Format::R32G32B32A32_FLOAT, 8, Works),
    (Format::R32G32B32A32_UINT, 8, Works),
    (Format::R8G8B8A8_UNORM, 9, Refused("8")),
];

fn fill_targets(h: &mut Harness, format: Format, count: u32, queries: bool) -> Result<Vec<bool>, Error> {
    let is_uint = format == Format::R32G32B32A32_UINT;
    let kind = if is_uint { "uint4" } else { "float4" };
    let mut text = "float4 vs_main(uint n : SV_VertexID) : SV_Position {
        return float4(n / 2 * 4.0 - 1, n % 2 * 4.0 - 1, 0, 1); } void ps_main("
        .to_owned();
    for n in 0..count {
        write!(text, "{}out {kind} c{n} : SV_Target{n}", if n == 0 { "" } else { ", " }).unwrap();
    }
    text += ") {";
    for n in 0..count {
        write!(text, "c{n} = {n} / {};", if is_uint { "1" } else { "8.0" }).unwrap();
    }
    text += "}";
    let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, "vs_main"))?;
    let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, "ps_main"))?;
    let targets: Vec<_> = (0..count).map(|_| Target::with_format(&h.device, format, 1, 1)).collect();
    let views: Vec<_> = targets.iter().map(|target| &target.view).collect();
    let query = h.device.create_query(QueryType::Occlusion)?;
    h.record(CommandPath::Immediate, |cx| {
        for view in &views {
            cx.clear_render_target_view(view, [1.0; 4]);
        }
        cx.om_set_render_targets(&views, None);
        cx.rs_set_viewports(targets[0].viewport());
        cx.ia_set_primitive_topology(TRIANGLES);
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        if queries {
            cx.begin(&query);
        }
        cx.draw(3, 0);
        if queries {
            cx.end(&query);
        }
    });
    let expected = |n: u32| -> Vec<u8> {
        let value = n as f32 / 8.0;
        match format {
            Format::R8G8B8A8_UNORM => vec![(value * 255.0).round() as u8; 4],
            Format::R16G16B16A16_FLOAT => {
                [half(value); 4].iter().flat_map(|half| half.to_le_bytes()).collect()
            }
            Format::R32G32B32A32_UINT => bytemuck::bytes_of(&[n; 4]).to_vec(),
            _ => bytemuck::bytes_of(&[value; 4]).to_vec(),
        }
    };
    Ok((0..count).zip(&targets).map(|(n, target)| h.read(&target.texture, 0) == expected(n)).collect())
}

/// Converts a multiple of 0.125 between 0 and 7 to the bits of a 16-bit float.
fn half(value: f32) -> u16 {
    match value.to_bits() {
        0 => 0,
        bits => (((bits >> 23) - 112) << 10 | (bits >> 13 & 0x3ff)) as u16,
    }
}

#[test]
fn every_target_of_any_format_is_written_or_refused_by_name() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::CreateShaderInvalid]);
        let mut rows = Rows::default();
        for (format, count, outcome) in TARGETS.iter().copied() {
            // Counting samples needs a free target slot.
            for queries in [false, count < 8] {
                let row = format!(
                    "D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT, {count} of {format:?}, queries {queries}"
                );
                let found = fill_targets(h, format, count, queries);
                rows.check(h, &row, outcome, found, &vec![true; count as usize]);
            }
        }
        rows.finish();
    });
}
