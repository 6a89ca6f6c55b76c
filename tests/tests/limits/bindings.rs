//! Shader bindings: shaders with as many bindings as the stage has slots, and shaders with one binding more.

use std::fmt::Write as _;

use onze::{Error, prelude::*};
use onze_tests::{CommandPath, Config, Harness, Target, on_each};

use super::{Outcome, Rows, first_float};
use BoundKind::{Comparisons, Constants, Samplers, Structured, Textures, Typed, Written, WrittenTextures};
use Outcome::{Refused, Works, WorksIfAdapterHas};

/// The type of all bindings of a shader. Binding `n` contains the value `n + 1`, in its border colour for a
/// sampler. The registers are `t` for textures and for structured and typed buffers, `s` for samplers and
/// comparison samplers, `b` for constants, and `u` for written resources.
#[derive(Copy, Clone, Debug, PartialEq)]
enum BoundKind {
    Textures,
    Structured,
    Typed,
    Samplers,
    Comparisons,
    Constants,
    Written,
    WrittenTextures,
}

#[derive(Copy, Clone, Debug, PartialEq)]
enum Stages {
    Vertex,
    Pixel,
    Both,
    Compute,
}

/// The constant's name, the type of the bindings, the number of bindings, and the outcome.
type Row = (&'static str, BoundKind, u32, Outcome);

const READ: &[Row] = &[
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Textures, 16, Works),
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Textures, 128, WorksIfAdapterHas("128")),
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Textures, 129, Refused("t128")),
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Structured, 8, Works),
    (
        "D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT",
        Structured,
        127,
        WorksIfAdapterHas("the shader uses 12"),
    ),
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Structured, 129, Refused("t128")),
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Typed, 8, Works),
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Typed, 128, WorksIfAdapterHas("128")),
    ("D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT", Typed, 129, Refused("t128")),
    ("D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT", Samplers, 16, Works),
    ("D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT", Samplers, 17, Refused("s16")),
    ("D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT", Comparisons, 16, Works),
    ("D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT", Comparisons, 17, Refused("s16")),
    ("D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT", Constants, 14, Works),
    ("D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT", Constants, 15, Refused("b14")),
];

const WRITTEN: &[Row] = &[
    ("D3D11_PS_CS_UAV_REGISTER_COUNT", Written, 7, Works),
    ("D3D11_PS_CS_UAV_REGISTER_COUNT", Written, 8, Works),
    ("D3D11_PS_CS_UAV_REGISTER_COUNT", Written, 9, Refused("u8")),
    ("D3D11_PS_CS_UAV_REGISTER_COUNT", WrittenTextures, 7, WorksIfAdapterHas("7")),
    ("D3D11_PS_CS_UAV_REGISTER_COUNT", WrittenTextures, 8, WorksIfAdapterHas("8")),
    ("D3D11_PS_CS_UAV_REGISTER_COUNT", WrittenTextures, 9, Refused("u8")),
];

const IMAGES: u32 = 20;

const PLAIN: &str = "
    void vs_plain(uint n : SV_VertexID, out float4 position : SV_Position, out float value : VALUE) {
        value = 0; position = float4(n / 2 * 4.0 - 1, n % 2 * 4.0 - 1, 0, 1);
    }
    float4 ps_plain(float4 position : SV_Position, float value : VALUE) : SV_Target { return value; }";

impl BoundKind {
    fn declaration(self, n: u32) -> String {
        match self {
            Textures => format!("Texture2D<float> t{n} : register(t{n});"),
            Structured => format!("StructuredBuffer<float> t{n} : register(t{n});"),
            Typed => format!("Buffer<float> t{n} : register(t{n});"),
            Samplers => format!("SamplerState s{n} : register(s{n});"),
            Comparisons => format!("SamplerComparisonState s{n} : register(s{n});"),
            Constants => format!("cbuffer B{n} : register(b{n}) {{ float c{n}; float4 rest{n}[3]; }};"),
            Written => format!("RWStructuredBuffer<float> u{n} : register(u{n});"),
            WrittenTextures => format!("RWTexture2D<float> u{n} : register(u{n});"),
        }
    }

    fn value(self, n: u32) -> String {
        match self {
            Textures => format!("t{n}.Load(int3(0, 0, 0))"),
            Structured | Typed => format!("t{n}[0]"),
            Samplers => format!("image.SampleLevel(s{n}, 2.0, 0)"),
            Comparisons => format!("(depth.SampleCmpLevelZero(s{n}, 0.5, 0.5) * {})", n + 1),
            Constants => format!("c{n}"),
            Written => format!("u{n}[0]"),
            WrittenTextures => format!("u{n}[uint2(0, 0)]"),
        }
    }

    fn program(self, count: u32) -> String {
        let mut text = String::new();
        if matches!(self, Samplers | Comparisons) {
            text += "Texture2D<float> image : register(t20); Texture2D<float> depth : register(t21);\n";
        }
        for n in 0..count {
            writeln!(text, "{}", self.declaration(n)).unwrap();
        }
        text += "float sum() { float result = 0;\n";
        for n in 0..count {
            writeln!(text, "result += {};", self.value(n)).unwrap();
        }
        text + "return result; }" + PLAIN + "
            void vs_main(uint n : SV_VertexID, out float4 position : SV_Position, out float value : VALUE) {
                vs_plain(n, position, value); value = sum();
            }
            float4 ps_main(float4 position : SV_Position, float value : VALUE) : SV_Target { return value + sum(); }"
    }

    fn compute_program(self, count: u32) -> String {
        self.program(count)
            + "RWStructuredBuffer<float> result : register(u0);
            [numthreads(1, 1, 1)] void cs_main() { result[0] = sum(); }"
    }

    fn writing_program(self, count: u32) -> String {
        let mut text = String::new();
        for n in 0..count {
            writeln!(text, "{}", self.declaration(n)).unwrap();
        }
        text += "void write() {";
        for n in 0..count {
            writeln!(text, "{0} = {0} + {1};", self.value(n), n + 1).unwrap();
        }
        text + "} void ps_write(float4 position : SV_Position) { write(); }
            [numthreads(1, 1, 1)] void cs_write() { write(); }"
    }
}

#[derive(Default)]
struct Bound {
    textures: Vec<Texture2d>,
    buffers: Vec<Buffer>,
    first_read: u32,
    read: Vec<ShaderResourceView>,
    written: Vec<UnorderedAccessView>,
    samplers: Vec<SamplerState>,
}

impl Bound {
    fn new(device: &Device, kind: BoundKind, count: u32) -> Self {
        let mut bound = Self::default();
        if matches!(kind, Samplers | Comparisons) {
            let image = device.create_texture_2d_with(Format::R32_FLOAT, 1, 1, &[0.25_f32]).unwrap();
            // A new depth texture contains zeros, and the reference 0.5 is greater.
            let depth = Texture2dDesc {
                bind_flags: BindFlags::SHADER_RESOURCE | BindFlags::DEPTH_STENCIL,
                ..Texture2dDesc::depth_stencil(Format::R32_TYPELESS, 1, 1)
            };
            let depth = device.create_texture_2d(&depth, None).unwrap();
            let desc =
                ShaderResourceViewDesc { format: Format::R32_FLOAT, ..ShaderResourceViewDesc::default() };
            bound.read = vec![
                image.create_shader_resource_view().unwrap(),
                device.create_shader_resource_view(&depth, Some(&desc)).unwrap(),
            ];
            bound.first_read = IMAGES;
        }
        (0..count).for_each(|n| bound.add(device, kind, (n + 1) as f32));
        bound
    }

    fn add(&mut self, device: &Device, kind: BoundKind, value: f32) {
        match kind {
            Textures => {
                let texture = device.create_texture_2d_with(Format::R32_FLOAT, 1, 1, &[value]).unwrap();
                self.read.push(texture.create_shader_resource_view().unwrap());
            }
            WrittenTextures => {
                let desc = Texture2dDesc {
                    bind_flags: BindFlags::UNORDERED_ACCESS,
                    mip_levels: 1,
                    ..Texture2dDesc::new(Format::R32_FLOAT, 1, 1)
                };
                let data = SubresourceData::packed(bytemuck::bytes_of(&value), Format::R32_FLOAT, 1, 1);
                let texture = device.create_texture_2d(&desc, Some(&[data])).unwrap();
                self.written.push(texture.create_unordered_access_view().unwrap());
                self.textures.push(texture);
            }
            Structured | Written => {
                let made = device.create_structured_buffer(&[value]).unwrap();
                self.read.push(made.shader_resource_view.clone());
                self.written.push(made.unordered_access_view.clone());
                self.buffers.push(made.buffer.clone());
                if kind == Written { self.read.clear() } else { self.written.clear() }
            }
            Typed => {
                let buffer = device.create_buffer_with(BindFlags::SHADER_RESOURCE, &[value]).unwrap();
                let desc = ShaderResourceViewDesc::typed_buffer(Format::R32_FLOAT, 0, 1);
                self.read.push(device.create_shader_resource_view(&buffer, Some(&desc)).unwrap());
            }
            Samplers => {
                let desc = SamplerDesc {
                    filter: Filter::MIN_MAG_MIP_POINT,
                    address_u: TextureAddressMode::Border,
                    address_v: TextureAddressMode::Border,
                    border_color: [value, 0.0, 0.0, 0.0],
                    ..SamplerDesc::default()
                };
                self.samplers.push(device.create_sampler_state(&desc).unwrap());
            }
            Comparisons => {
                let desc = SamplerDesc {
                    filter: Filter::COMPARISON_MIN_MAG_MIP_POINT,
                    comparison_func: ComparisonFunc::Greater,
                    max_lod: value,
                    ..SamplerDesc::default()
                };
                self.samplers.push(device.create_sampler_state(&desc).unwrap());
            }
            Constants => {
                let buffer = device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &[[value; 4]; 4]).unwrap();
                self.buffers.push(buffer);
            }
        }
    }

    fn bind_for(&self, cx: &mut DeviceContext, kind: BoundKind, stages: Stages) {
        let constants: &[Buffer] = if kind == Constants { &self.buffers } else { &[] };
        if matches!(stages, Stages::Vertex | Stages::Both) {
            cx.vs_set_shader_resources(self.first_read, &self.read);
            cx.vs_set_samplers(0, &self.samplers);
            cx.vs_set_constant_buffers(0, constants);
        }
        if matches!(stages, Stages::Pixel | Stages::Both) {
            cx.ps_set_shader_resources(self.first_read, &self.read);
            cx.ps_set_samplers(0, &self.samplers);
            cx.ps_set_constant_buffers(0, constants);
        }
        if stages == Stages::Compute {
            cx.cs_set_shader_resources(self.first_read, &self.read);
            cx.cs_set_samplers(0, &self.samplers);
            cx.cs_set_constant_buffers(0, constants);
        }
    }

    fn written_values(&self, h: &mut Harness) -> Vec<f32> {
        let bits = |h: &mut Harness, texture: &Texture2d| h.read_u32(texture, 0)[0];
        let mut values: Vec<_> = self.textures.iter().map(|texture| bits(h, texture)).collect();
        for buffer in &self.buffers {
            values.extend(h.immediate.read_buffer::<u32>(buffer).unwrap());
        }
        values.into_iter().map(f32::from_bits).collect()
    }
}

/// Draws a triangle and returns its value, the sum of all bindings in the given stages.
fn drawn_sum(h: &mut Harness, kind: BoundKind, count: u32, stages: Stages) -> Result<f32, Error> {
    let text = kind.program(count);
    let name = |stage: &str, uses: bool| format!("{stage}_{}", if uses { "main" } else { "plain" });
    let vs = name("vs", stages != Stages::Pixel);
    let ps = name("ps", stages != Stages::Vertex);
    let vs = h.device.create_vertex_shader(ShaderSource::hlsl(&text, &vs))?;
    let ps = h.device.create_pixel_shader(ShaderSource::hlsl(&text, &ps))?;
    let bound = Bound::new(&h.device, kind, count);
    let target = Target::with_format(&h.device, Format::R32_FLOAT, 1, 1);
    h.record(CommandPath::Immediate, |cx| {
        target.bind(cx);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.vs_set_shader(&vs);
        cx.ps_set_shader(&ps);
        bound.bind_for(cx, kind, stages);
        cx.draw(3, 0);
    });
    Ok(first_float(h, &target.texture))
}

fn computed_sum(h: &mut Harness, kind: BoundKind, count: u32) -> Result<f32, Error> {
    let text = kind.compute_program(count);
    let cs = h.device.create_compute_shader(ShaderSource::hlsl(&text, "cs_main"))?;
    let bound = Bound::new(&h.device, kind, count);
    let result = h.device.create_structured_buffer(&[0.0_f32]).unwrap();
    h.record(CommandPath::Immediate, |cx| {
        cx.cs_set_shader(&cs);
        bound.bind_for(cx, kind, Stages::Compute);
        cx.cs_set_unordered_access_views(0, &result.unordered_access_view);
        cx.dispatch(1, 1, 1);
    });
    Ok(h.immediate.read_buffer::<f32>(&result.buffer).unwrap()[0])
}

#[test]
fn every_slot_of_a_stage_is_read_or_refused_by_name() {
    on_each(&[Config::GPU, Config::GPU.by_index()], |h| {
        h.watch.allow(&[MessageId::CreateShaderInvalid]);
        let mut rows = Rows::default();
        for (constant, kind, count, outcome) in READ.iter().copied() {
            let sum = (count * (count + 1) / 2) as f32;
            for stages in [Stages::Vertex, Stages::Pixel, Stages::Both, Stages::Compute] {
                let row = format!("{constant}, {count} {kind:?} in {stages:?}");
                let expected = if stages == Stages::Both { 2.0 * sum } else { sum };
                let found = match stages {
                    Stages::Compute => computed_sum(h, kind, count),
                    _ => drawn_sum(h, kind, count, stages),
                };
                rows.check(h, &row, outcome, found, &expected);
            }
        }
        rows.finish();
    });
}

#[test]
fn every_slot_of_views_is_written_or_refused_by_name() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::CreateShaderInvalid]);
        let mut rows = Rows::default();
        for (constant, kind, count, outcome) in WRITTEN.iter().copied() {
            let expected: Vec<_> = (0..count).map(|n| (2 * n + 2) as f32).collect();
            let written = |h: &mut Harness, stage: &str, draws: bool| -> Result<Vec<f32>, Error> {
                let text = kind.writing_program(count);
                let vs = h.device.create_vertex_shader(ShaderSource::hlsl(PLAIN, "vs_plain"))?;
                let source = ShaderSource::hlsl(&text, stage);
                let (mut ps, mut cs) = (None, None);
                if draws {
                    ps = Some(h.device.create_pixel_shader(source)?);
                } else {
                    cs = Some(h.device.create_compute_shader(source)?);
                }
                let bound = Bound::new(&h.device, kind, count);
                h.record(CommandPath::Immediate, |cx| {
                    cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.vs_set_shader(&vs);
                    cx.ps_set_shader(&ps);
                    cx.cs_set_shader(&cs);
                    if draws {
                        cx.om_set_unordered_access_views(0, &bound.written);
                        cx.draw(3, 0);
                    } else {
                        cx.cs_set_unordered_access_views(0, &bound.written);
                        cx.dispatch(1, 1, 1);
                    }
                });
                Ok(bound.written_values(h))
            };
            for (stage, draws) in [("ps_write", true), ("cs_write", false)] {
                let row = format!("{constant}, {count} {kind:?} in {stage}");
                let found = written(h, stage, draws);
                rows.check(h, &row, outcome, found, &expected);
            }
        }
        rows.finish();
    });
}
