//! Sizes and counts of objects: the largest value that Direct3D 11 allows, and one more.

use onze::{Error, prelude::*};
use onze_tests::{CommandPath, Config, Harness, on_each};

use super::{Outcome, Rows};
use Outcome::{Refused, Works, WorksIfAdapterHas};

type Row = (&'static str, fn(&Device) -> Result<(), Error>, Outcome);

fn texture_1d(device: &Device, width: u32, array_size: u32, mip_levels: u32) -> Result<(), Error> {
    let desc = Texture1dDesc { array_size, mip_levels, ..Texture1dDesc::new(Format::R8_UNORM, width) };
    device.create_texture_1d(&desc, None)?.create_shader_resource_view().map(drop)
}

fn texture_2d(
    device: &Device,
    width: u32,
    height: u32,
    array_size: u32,
    mip_levels: u32,
) -> Result<(), Error> {
    let desc =
        Texture2dDesc { array_size, mip_levels, ..Texture2dDesc::new(Format::R8_UNORM, width, height) };
    device.create_texture_2d(&desc, None)?.create_shader_resource_view().map(drop)
}

fn cubes(device: &Device, array_size: u32) -> Result<(), Error> {
    let desc = Texture2dDesc {
        array_size,
        misc_flags: MiscFlags::TEXTURECUBE,
        ..Texture2dDesc::new(Format::R8_UNORM, 1, 1)
    };
    device.create_texture_2d(&desc, None)?.create_shader_resource_view().map(drop)
}

fn texture_3d(device: &Device, width: u32, height: u32, depth: u32) -> Result<(), Error> {
    let desc = Texture3dDesc { mip_levels: 0, ..Texture3dDesc::new(Format::R8_UNORM, width, height, depth) };
    device.create_texture_3d(&desc, None)?.create_shader_resource_view().map(drop)
}

fn samples(device: &Device, sample_count: u32) -> Result<(), Error> {
    let desc = Texture2dDesc { sample_count, ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4) };
    device.create_texture_2d(&desc, None)?.create_render_target_view().map(drop)
}

fn structures(device: &Device, stride: u32) -> Result<(), Error> {
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let buffer = device.create_buffer(
        &BufferDesc { byte_width: 3 * stride.max(4), ..BufferDesc::structured(stride, 3, flags) },
        None,
    )?;
    buffer.create_shader_resource_view()?;
    buffer.create_unordered_access_view().map(drop)
}

fn raw_view(device: &Device, first: u32, count: u32) -> Result<(), Error> {
    let flags = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    let buffer = device.create_buffer(&BufferDesc::raw(64, flags), None)?;
    device.create_shader_resource_view(&buffer, Some(&ShaderResourceViewDesc::raw_buffer(first, count)))?;
    device
        .create_unordered_access_view(&buffer, Some(&UnorderedAccessViewDesc::raw_buffer(first, count)))
        .map(drop)
}

fn typed_view(device: &Device, format: Format, bytes: u32, first: u32, count: u32) -> Result<(), Error> {
    let buffer = device.create_buffer(&BufferDesc::new(bytes, BindFlags::SHADER_RESOURCE), None)?;
    let desc = ShaderResourceViewDesc::typed_buffer(format, first, count);
    device.create_shader_resource_view(&buffer, Some(&desc)).map(drop)
}

fn sampler(device: &Device, desc: SamplerDesc) -> Result<(), Error> {
    device.create_sampler_state(&desc).map(drop)
}

fn anisotropic(max_anisotropy: u32) -> SamplerDesc {
    SamplerDesc { filter: Filter::ANISOTROPIC, max_anisotropy, ..SamplerDesc::default() }
}

fn biased(mip_lod_bias: f32) -> SamplerDesc {
    SamplerDesc { mip_lod_bias, ..SamplerDesc::default() }
}

/// Creates an input layout with one element at the given slot and offset.
fn layout(device: &Device, slot: u32, offset: u32) -> Result<(), Error> {
    let text = "float4 main(float4 p : P) : SV_Position { return p; }";
    let vs = device.create_vertex_shader(ShaderSource::hlsl(text, "main")).unwrap();
    let element = InputElementDesc::new("P", 0, Format::R32G32B32A32_FLOAT).slot(slot).offset(offset);
    device.create_input_layout(&[element], &vs).map(drop)
}

fn compute(device: &Device, text: &str) -> Result<(), Error> {
    device.create_compute_shader(ShaderSource::hlsl(text, "main")).map(drop)
}

fn group(device: &Device, [x, y, z]: [u32; 3]) -> Result<(), Error> {
    let text = format!(
        "RWStructuredBuffer<uint> o; [numthreads({x}, {y}, {z})] void main(uint i : SV_GroupIndex) {{ o[i] = i; }}"
    );
    compute(device, &text)
}

fn wgsl_group(device: &Device, [x, y, z]: [u32; 3]) -> Result<(), Error> {
    let text = format!("@compute @workgroup_size({x}, {y}, {z}) fn main() {{}}");
    device.create_compute_shader(ShaderSource::wgsl(&text, "main")).map(drop)
}

fn shared_words(device: &Device, words: u32) -> Result<(), Error> {
    let text = format!(
        "RWStructuredBuffer<uint> o; groupshared uint s[{words}];
        [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {{
            s[i * 100] = i; GroupMemoryBarrierWithGroupSync(); o[i] = s[(i * 7) % 64 * 100];
        }}"
    );
    compute(device, &text)
}

fn constant_rows(device: &Device, rows: u32) -> Result<(), Error> {
    let text = format!(
        "cbuffer C {{ float4 rows[{rows}]; }}; RWStructuredBuffer<float4> o;
        [numthreads(1, 1, 1)] void main() {{ o[0] = rows[{}]; }}",
        rows - 1
    );
    compute(device, &text)
}

fn wgsl_constant_rows(device: &Device, rows: u32) -> Result<(), Error> {
    let text = format!(
        "@group(0) @binding(0) var<uniform> rows: array<vec4f, {rows}>;
        @group(3) @binding(0) var<storage, read_write> o: array<vec4f>;
        @compute @workgroup_size(1) fn main() {{ o[0] = rows[{}]; }}",
        rows - 1
    );
    device.create_compute_shader(ShaderSource::wgsl(&text, "main")).map(drop)
}

fn wgsl_slot(device: &Device, group: u32, slot: u32, variable: &str, read: &str) -> Result<(), Error> {
    let text = format!(
        "@group({group}) @binding({slot}) var{variable};
        @group(3) @binding(0) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(1) fn main() {{ o[0] = {read}; }}"
    );
    device.create_compute_shader(ShaderSource::wgsl(&text, "main")).map(drop)
}

fn target_location(device: &Device, location: u32) -> Result<(), Error> {
    let text = format!("float4 main() : SV_Target{location} {{ return 1; }}");
    device.create_pixel_shader(ShaderSource::hlsl(&text, "main"))?;
    let text = format!("@fragment fn main() -> @location({location}) vec4f {{ return vec4f(1.0); }}");
    device.create_pixel_shader(ShaderSource::wgsl(&text, "main")).map(drop)
}

fn wgsl_values(device: &Device, count: u32) -> Result<(), Error> {
    let members: String = (0..count).map(|n| format!("@location({n}) v{n}: vec4f,")).collect();
    let text = format!(
        "struct Out {{ @builtin(position) position: vec4f, {members} }} @vertex fn main() -> Out {{ return Out(); }}"
    );
    device.create_vertex_shader(ShaderSource::wgsl(&text, "main")).map(drop)
}

fn buffer(device: &Device, desc: &BufferDesc) -> Result<(), Error> {
    device.create_buffer(desc, None).map(drop)
}

const MIB: u32 = 1 << 20;

const ROWS: &[Row] = &[
    ("D3D11_REQ_TEXTURE1D_U_DIMENSION", |d| texture_1d(d, 16384, 1, 0), WorksIfAdapterHas("16384")),
    ("D3D11_REQ_TEXTURE1D_U_DIMENSION + 1", |d| texture_1d(d, 16385, 1, 1), Refused("16384, found 16385")),
    ("D3D11_REQ_TEXTURE1D_ARRAY_AXIS_DIMENSION", |d| texture_1d(d, 1, 2048, 1), WorksIfAdapterHas("2048")),
    (
        "D3D11_REQ_TEXTURE1D_ARRAY_AXIS_DIMENSION + 1",
        |d| texture_1d(d, 1, 2049, 1),
        Refused("2048, found 2049"),
    ),
    ("D3D11_REQ_TEXTURE2D_U_OR_V_DIMENSION", |d| texture_2d(d, 16384, 1, 1, 0), WorksIfAdapterHas("16384")),
    (
        "D3D11_REQ_TEXTURE2D_U_OR_V_DIMENSION, v",
        |d| texture_2d(d, 1, 16384, 1, 0),
        WorksIfAdapterHas("16384"),
    ),
    (
        "D3D11_REQ_TEXTURE2D_U_OR_V_DIMENSION + 1",
        |d| texture_2d(d, 16385, 1, 1, 1),
        Refused("16384, found 16385"),
    ),
    (
        "D3D11_REQ_TEXTURE2D_U_OR_V_DIMENSION + 1, v",
        |d| texture_2d(d, 1, 16385, 1, 1),
        Refused("16384, found 16385"),
    ),
    ("D3D11_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION", |d| texture_2d(d, 1, 1, 2048, 1), WorksIfAdapterHas("2048")),
    (
        "D3D11_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION + 1",
        |d| texture_2d(d, 1, 1, 2049, 1),
        Refused("2048, found 2049"),
    ),
    ("D3D11_REQ_MIP_LEVELS", |d| texture_2d(d, 16384, 1, 1, 15), WorksIfAdapterHas("16384")),
    ("D3D11_REQ_MIP_LEVELS + 1", |d| texture_2d(d, 16384, 1, 1, 16), Refused("15 mip levels, found 16")),
    ("D3D11_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION, cubes", |d| cubes(d, 341 * 6), WorksIfAdapterHas("2046")),
    (
        "D3D11_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION + 1, cubes",
        |d| cubes(d, 342 * 6),
        Refused("2048, found 2052"),
    ),
    ("D3D11_REQ_TEXTURE3D_U_V_OR_W_DIMENSION, u", |d| texture_3d(d, 2048, 1, 1), WorksIfAdapterHas("2048")),
    ("D3D11_REQ_TEXTURE3D_U_V_OR_W_DIMENSION, v", |d| texture_3d(d, 1, 2048, 1), WorksIfAdapterHas("2048")),
    ("D3D11_REQ_TEXTURE3D_U_V_OR_W_DIMENSION, w", |d| texture_3d(d, 1, 1, 2048), WorksIfAdapterHas("2048")),
    (
        "D3D11_REQ_TEXTURE3D_U_V_OR_W_DIMENSION + 1, u",
        |d| texture_3d(d, 2049, 1, 1),
        Refused("2048, found 2049"),
    ),
    (
        "D3D11_REQ_TEXTURE3D_U_V_OR_W_DIMENSION + 1, v",
        |d| texture_3d(d, 1, 2049, 1),
        Refused("2048, found 2049"),
    ),
    (
        "D3D11_REQ_TEXTURE3D_U_V_OR_W_DIMENSION + 1, w",
        |d| texture_3d(d, 1, 1, 2049),
        Refused("2048, found 2049"),
    ),
    ("samples, 1", |d| samples(d, 1), Works),
    ("samples, 4", |d| samples(d, 4), Works),
    ("samples, 3", |d| samples(d, 3), Refused("3")),
    ("D3D11_MAX_MULTISAMPLE_SAMPLE_COUNT", |d| samples(d, 32), WorksIfAdapterHas("32")),
    ("D3D11_MAX_MULTISAMPLE_SAMPLE_COUNT + 1", |d| samples(d, 33), Refused("at most 32, found 33")),
    ("structure stride, least", |d| structures(d, 4), Works),
    ("structure stride, 0", |d| structures(d, 0), Refused("found 0")),
    (
        "structure stride, no multiple of 4",
        |d| structures(d, 6),
        Refused("multiple of 4 from 4 to 2048, found 6"),
    ),
    ("D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES", |d| structures(d, 2048), Works),
    ("D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES + 4", |d| structures(d, 2052), Refused("found 2052")),
    ("D3D11_RAW_UAV_SRV_BYTE_ALIGNMENT", |d| raw_view(d, 4, 12), Works),
    ("D3D11_RAW_UAV_SRV_BYTE_ALIGNMENT / 4", |d| raw_view(d, 1, 12), Refused("multiple of 4, found 1")),
    ("raw view, one word too many", |d| raw_view(d, 4, 13), Refused("13")),
    (
        "D3D11_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP",
        |d| typed_view(d, Format::R8_UNORM, 128 * MIB, 0, 1 << 27),
        WorksIfAdapterHas("134217728"),
    ),
    (
        "D3D11_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP + 1",
        |d| typed_view(d, Format::R8_UNORM, 128 * MIB + 4, 0, (1 << 27) + 1),
        Refused("134217728 elements (2^27), found 134217729"),
    ),
    ("D3D11_REQ_MAXANISOTROPY", |d| sampler(d, anisotropic(16)), Works),
    ("D3D11_REQ_MAXANISOTROPY + 1", |d| sampler(d, anisotropic(17)), Refused("1 to 16, found 17")),
    ("anisotropy, 0", |d| sampler(d, anisotropic(0)), Refused("1 to 16, found 0")),
    ("D3D11_MIP_LOD_BIAS_MIN", |d| sampler(d, biased(-16.0)), Works),
    ("D3D11_MIP_LOD_BIAS_MIN - 0.01", |d| sampler(d, biased(-16.01)), Refused("found -16.01")),
    ("D3D11_MIP_LOD_BIAS_MAX", |d| sampler(d, biased(15.99)), Works),
    ("D3D11_MIP_LOD_BIAS_MAX + 0.01", |d| sampler(d, biased(16.0)), Refused("found 16")),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT - 1", |d| layout(d, 31, 0), Works),
    ("D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT", |d| layout(d, 32, 0), Refused("32")),
    ("element's end, 2048", |d| layout(d, 0, 2032), Works),
    ("element's end, 2052", |d| layout(d, 0, 2036), Refused("2052")),
    ("D3D11_CS_THREAD_GROUP_MAX_X", |d| group(d, [1024, 1, 1]), WorksIfAdapterHas("1024")),
    ("D3D11_CS_THREAD_GROUP_MAX_Y", |d| group(d, [1, 1024, 1]), WorksIfAdapterHas("1024")),
    ("D3D11_CS_THREAD_GROUP_MAX_Z", |d| group(d, [16, 1, 64]), WorksIfAdapterHas("64")),
    ("D3D11_CS_THREAD_GROUP_MAX_X + 1", |d| group(d, [1025, 1, 1]), Refused("1024")),
    ("D3D11_CS_THREAD_GROUP_MAX_Z + 1", |d| group(d, [1, 1, 65]), Refused("64")),
    ("D3D11_CS_THREAD_GROUP_MAX_THREADS_PER_GROUP + 1", |d| group(d, [41, 25, 1]), Refused("1024")),
    ("D3D11_CS_THREAD_GROUP_MAX_X in WGSL", |d| wgsl_group(d, [1024, 1, 1]), WorksIfAdapterHas("1024")),
    ("D3D11_CS_THREAD_GROUP_MAX_X + 1 in WGSL", |d| wgsl_group(d, [1025, 1, 1]), Refused("1024")),
    ("D3D11_CS_TGSM_REGISTER_COUNT", |d| shared_words(d, 8192), WorksIfAdapterHas("32768")),
    ("D3D11_CS_TGSM_REGISTER_COUNT + 1", |d| shared_words(d, 8193), Refused("32768")),
    ("D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT", |d| constant_rows(d, 4096), Works),
    ("D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT + 1", |d| constant_rows(d, 4097), Refused("65536")),
    ("D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT in WGSL", |d| wgsl_constant_rows(d, 4096), Works),
    (
        "D3D11_REQ_CONSTANT_BUFFER_ELEMENT_COUNT + 1 in WGSL",
        |d| wgsl_constant_rows(d, 4097),
        Refused("65536"),
    ),
    ("last b register in WGSL", |d| wgsl_slot(d, 0, 13, "<uniform> v: vec4f", "v.x"), Works),
    (
        "D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT",
        |d| wgsl_slot(d, 0, 14, "<uniform> v: vec4f", "v.x"),
        Refused("b14"),
    ),
    ("last t register in WGSL", |d| wgsl_slot(d, 1, 127, "<storage> v: array<f32>", "v[0]"), Works),
    (
        "D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT",
        |d| wgsl_slot(d, 1, 128, "<storage> v: array<f32>", "v[0]"),
        Refused("t128"),
    ),
    ("last u register in WGSL", |d| wgsl_slot(d, 3, 7, "<storage, read_write> v: array<f32>", "v[0]"), Works),
    (
        "D3D11_PS_CS_UAV_REGISTER_COUNT",
        |d| wgsl_slot(d, 3, 8, "<storage, read_write> v: array<f32>", "v[0]"),
        Refused("u8"),
    ),
    ("D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT - 1", |d| target_location(d, 7), Works),
    ("D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT", |d| target_location(d, 8), Refused("8")),
    ("D3D11_VS_OUTPUT_REGISTER_COUNT in WGSL", |d| wgsl_values(d, 31), Works),
    (
        "D3D11_VS_OUTPUT_REGISTER_COUNT + 1 in WGSL",
        |d| wgsl_values(d, 32),
        Refused("has 32 outputs; at most 31 fit"),
    ),
    ("constant buffer of 64 KiB", |d| buffer(d, &BufferDesc::new(65536, BindFlags::CONSTANT_BUFFER)), Works),
    ("constant buffer of 1 MiB", |d| buffer(d, &BufferDesc::new(MIB, BindFlags::CONSTANT_BUFFER)), Works),
    (
        "constant buffer, no multiple of 16",
        |d| buffer(d, &BufferDesc::new(65540, BindFlags::CONSTANT_BUFFER)),
        Refused("found 65540"),
    ),
    (
        "buffer of 4 GiB",
        |d| buffer(d, &BufferDesc::new(u32::MAX, BindFlags::VERTEX_BUFFER)),
        Refused("4294967295"),
    ),
];

#[test]
fn an_object_beyond_a_limit_is_refused_by_name() {
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[
            MessageId::CreateBufferInvalid,
            MessageId::CreateInputLayoutInvalid,
            MessageId::CreateShaderInvalid,
            MessageId::CreateShaderResourceViewInvalid,
            MessageId::CreateStateInvalid,
            MessageId::CreateTexture1dInvalid,
            MessageId::CreateTexture2dInvalid,
            MessageId::CreateTexture3dInvalid,
        ]);
        let mut rows = Rows::default();
        for (constant, create, outcome) in ROWS {
            rows.check(h, constant, *outcome, create(&h.device), &());
            h.immediate.flush();
        }
        rows.finish();
    });
}

/// Shaders that read word `at` of a view, one for each type of view.
const BYTES: &str = "
    ByteAddressBuffer raw : register(t0); StructuredBuffer<uint> structured : register(t1);
    Buffer<uint> typed : register(t2); RWStructuredBuffer<uint> found : register(u0);
    cbuffer C { uint at; };
    [numthreads(1, 1, 1)] void read_raw() { found[0] = raw.Load(4 * at); }
    [numthreads(1, 1, 1)] void read_structured() { found[0] = structured[at]; }
    [numthreads(1, 1, 1)] void read_typed() { found[0] = typed[at]; }";

fn last_word(h: &mut Harness, kind: &str, bytes: u32, first: u32, count: u32) -> Result<u32, Error> {
    let flags = BindFlags::SHADER_RESOURCE;
    let desc = match kind {
        "raw" => BufferDesc::raw(bytes, flags),
        "structured" => BufferDesc::structured(4, bytes / 4, flags),
        _ => BufferDesc::new(bytes, flags),
    };
    let buffer = h.device.create_buffer(&desc, None)?;
    let (slot, desc) = match kind {
        "raw" => (0, ShaderResourceViewDesc::raw_buffer(first, count)),
        "structured" => (1, ShaderResourceViewDesc::buffer(first, count)),
        _ => (2, ShaderResourceViewDesc::typed_buffer(Format::R32_UINT, first, count)),
    };
    let view = h.device.create_shader_resource_view(&buffer, Some(&desc))?;
    let cs = h.device.create_compute_shader(ShaderSource::hlsl(BYTES, &format!("read_{kind}")))?;
    let found = h.device.create_structured_buffer(&[0_u32])?;
    let at = h.device.create_constant_buffer(&[count - 1, 0, 0, 0])?;
    let last = 4 * (first + count - 1);
    h.record(CommandPath::Immediate, |cx| {
        let region = Box3d { left: last, right: last + 4, top: 0, bottom: 1, front: 0, back: 1 };
        cx.update_region(&buffer, 0, region, &[0x1234_5678_u32]).unwrap();
        cx.cs_set_shader(&cs);
        cx.cs_set_constant_buffers(0, &at);
        cx.cs_set_shader_resources(slot, &view);
        cx.cs_set_unordered_access_views(0, &found.unordered_access_view);
        cx.dispatch(1, 1, 1);
    });
    Ok(h.immediate.read_buffer::<u32>(&found.buffer)?[0])
}

/// Views of up to 128 MiB must work on every adapter, because Direct3D 11 guarantees resources of that size.
#[test]
fn a_view_of_a_large_buffer_reads_its_last_element() {
    on_each(&[Config::GPU], |h| {
        h.watch.allow(&[MessageId::CreateShaderResourceViewInvalid]);
        let mut rows = Rows::default();
        let most = 128 * MIB / 4;
        for kind in ["raw", "structured", "typed"] {
            for (bytes, first, count, outcome) in [
                (128 * MIB, 0, most, Works),
                (160 * MIB, 8 * MIB, most, Works),
                (160 * MIB, 0, most + 4, WorksIfAdapterHas("134217744 bytes")),
                (160 * MIB, 4, most + 4, WorksIfAdapterHas("134217744 bytes")),
            ] {
                let row =
                    format!("D3D11_REQ_RESOURCE_SIZE_IN_MEGABYTES, {kind}, {bytes}: {first} and {count}");
                let found = last_word(h, kind, bytes, first, count);
                rows.check(h, &row, outcome, found, &0x1234_5678);
                h.wait();
                h.immediate.flush();
            }
        }
        rows.finish();
    });
}
