//! Views whose component type differs from the shader's declaration, so that loads and stores reinterpret the
//! bits.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{CommandPath, Config, Harness, gpu_matrix, on_each};

/// Reads texel 1 of every resource and stores [`WORD`] at texel 1 of every writable resource.
const READS: &str = "
    Buffer<KIND4> elements : register(t0);
    Texture2D<KIND4> image : register(t1);
    Texture2DArray<KIND4> layers : register(t2);
    Texture1D<KIND4> row : register(t3);
    Texture3D<KIND4> volume : register(t4);
    RWStructuredBuffer<uint4> found : register(u0);
    RWBuffer<KIND> written : register(u1);
    RWTexture2D<KIND> writtenImage : register(u2);
    RWTexture2DArray<KIND> writtenLayers : register(u3);
    RWTexture1D<KIND> writtenRow : register(u4);
    RWTexture3D<KIND> writtenVolume : register(u5);
    [numthreads(1, 1, 1)] void main(int zero : SV_GroupIndex) {
        found[0] = asuint(elements[1 + zero]);
        found[1] = asuint(image.Load(int3(1 + zero, 0, 0)));
        found[2] = asuint(layers.Load(int4(1 + zero, 0, 1, 0)));
        found[3] = asuint(row.Load(int2(1 + zero, 0)));
        found[4] = asuint(volume.Load(int4(1 + zero, 0, 0, 0)));
        found[5] = asuint(image.Load(int3(zero - 1, 0, 0)));
        KIND given = asKIND(0xc0490fdb);
        written[1] = given;
        writtenImage[uint2(1, 0)] = given;
        writtenLayers[uint3(1, 0, 1)] = given;
        writtenRow[1] = given;
        writtenVolume[uint3(1, 0, 0)] = given;
    }";

/// The stored word, which each component type interprets as a different number.
const WORD: u32 = 0xc049_0fdb;

/// Formats, each with the bytes of a texel and the words that a shader reads from it.
fn formats() -> Vec<(Format, Vec<u8>, [u32; 4])> {
    let one = 1.0_f32.to_bits();
    let word = WORD.to_le_bytes().to_vec();
    vec![
        (Format::R32_UINT, word.clone(), [WORD, 0, 0, 1]),
        (Format::R32_SINT, word.clone(), [WORD, 0, 0, 1]),
        (Format::R32_FLOAT, word, [WORD, 0, 0, one]),
        (Format::R8G8B8A8_UINT, vec![0x80, 0xff, 1, 0x7f], [0x80, 0xff, 1, 0x7f]),
        (Format::R8G8B8A8_SINT, vec![0x80, 0xff, 1, 0x7f], [-128_i32 as u32, -1_i32 as u32, 1, 0x7f]),
        (Format::R8G8B8A8_UNORM, vec![0xff, 0, 0xff, 0], [one, 0, one, 0]),
    ]
}

struct Resources {
    read: [ShaderResourceView; 5],
    /// The writable views, created only for formats with one component.
    written: Option<[UnorderedAccessView; 5]>,
}

impl Resources {
    fn new(h: &mut Harness, format: Format, texel: &[u8]) -> Self {
        let device = h.device.clone();
        let cx = &mut h.immediate;
        let is_written = format.component_bits()[1] == 0;
        let bind_flags = if is_written {
            BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS
        } else {
            BindFlags::SHADER_RESOURCE
        };
        let (row, size) = (texel.repeat(2), 2 * texel.len() as u32);
        let desc = BufferDesc::new(size, bind_flags);
        let buffer = device.create_buffer(&desc, Some(&row)).unwrap();
        let desc = Texture2dDesc { mip_levels: 1, bind_flags, ..Texture2dDesc::new(format, 2, 1) };
        let image = device.create_texture_2d(&desc, None).unwrap();
        let desc = Texture2dDesc { array_size: 2, ..desc };
        let layers = device.create_texture_2d(&desc, None).unwrap();
        let desc = Texture1dDesc { mip_levels: 1, bind_flags, ..Texture1dDesc::new(format, 2) };
        let line = device.create_texture_1d(&desc, None).unwrap();
        let desc = Texture3dDesc { mip_levels: 1, bind_flags, ..Texture3dDesc::new(format, 2, 1, 1) };
        let volume = device.create_texture_3d(&desc, None).unwrap();
        cx.update_subresource(&image, 0, None, &row, size, 0);
        cx.update_subresource(&layers, 1, None, &row, size, 0);
        cx.update_subresource(&line, 0, None, &row, size, 0);
        cx.update_subresource(&volume, 0, None, &row, size, size);
        let typed = ShaderResourceViewDesc::typed_buffer(format, 0, 2);
        let read = [
            device.create_shader_resource_view(&buffer, Some(&typed)).unwrap(),
            device.create_shader_resource_view(&image, None).unwrap(),
            device.create_shader_resource_view(&layers, None).unwrap(),
            device.create_shader_resource_view(&line, None).unwrap(),
            device.create_shader_resource_view(&volume, None).unwrap(),
        ];
        let typed = UnorderedAccessViewDesc::typed_buffer(format, 0, 2);
        let written = is_written.then(|| {
            [
                device.create_unordered_access_view(&buffer, Some(&typed)).unwrap(),
                device.create_unordered_access_view(&image, None).unwrap(),
                device.create_unordered_access_view(&layers, None).unwrap(),
                device.create_unordered_access_view(&line, None).unwrap(),
                device.create_unordered_access_view(&volume, None).unwrap(),
            ]
        });
        Self { read, written }
    }
}

#[test]
fn views_of_another_component_type_are_accessed_as_bits() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[
            MessageId::DispatchUnorderedAccessMismatch,
            MessageId::DispatchUnorderedAccessNotSet,
            MessageId::DrawShaderResourceNotSet,
        ]);
        let device = h.device.clone();
        let desc = BufferDesc::structured(16, 6, BindFlags::UNORDERED_ACCESS);
        let found = device.create_buffer(&desc, None).unwrap();
        let found_view = found.create_unordered_access_view().unwrap();
        for kind in ["uint", "int", "float"] {
            let text = READS.replace("KIND", kind);
            let cs = device.create_compute_shader(ShaderSource::hlsl(&text, "main")).unwrap();
            for (format, texel, [r, g, b, a]) in formats() {
                let of_format = Resources::new(h, format, &texel);
                let read = |h: &mut Harness, expected: [u32; 4], what: &str| {
                    h.record(CommandPath::Immediate, |cx| {
                        cx.cs_set_shader(&cs);
                        cx.cs_set_shader_resources(0, of_format.read.each_ref());
                        cx.cs_set_unordered_access_views(0, &found_view);
                        cx.dispatch(1, 1, 1);
                    });
                    let read: Vec<[u32; 4]> = h.immediate.read_buffer(&found).unwrap();
                    for (n, shape) in ["buffer", "2D", "2D array", "1D", "3D"].into_iter().enumerate() {
                        assert_eq!(read[n], expected, "{shape} of {format:?} as {kind}, {what}");
                    }
                    assert_eq!(read[5][..3], [0; 3], "{format:?} as {kind}: out of range");
                };
                read(h, [r, g, b, a], "as it is created");
                if let Some(written) = &of_format.written {
                    h.record(CommandPath::Immediate, |cx| {
                        cx.cs_set_shader(&cs);
                        cx.cs_set_unordered_access_views(1, written.each_ref());
                        cx.dispatch(1, 1, 1);
                    });
                    read(h, [WORD, g, b, a], "as it is written");
                }
                h.take_errors();
            }
        }
    });
}

/// A mismatch is reported as an error, and the message explains how the shader reads the view.
#[test]
fn a_component_type_mismatch_is_reported_with_its_effect() {
    const TEXT: &str = "
        Texture2D<uint> loaded : register(t0);
        Texture2D sampled : register(t1);
        SamplerState s : register(s0);
        RWStructuredBuffer<float4> found : register(u0);
        [numthreads(1, 1, 1)] void main(int zero : SV_GroupIndex) {
            found[0] = loaded.Load(int3(zero, 0, 0)) + sampled.SampleLevel(s, float2(0, 0), 0);
        }";
    on_each(&[Config::GPU], |h| {
        h.watch.expect(&[MessageId::DispatchUnorderedAccessNotSet, MessageId::DrawSamplerNotSet]);
        let device = h.device.clone();
        let cs = device.create_compute_shader(ShaderSource::hlsl(TEXT, "main")).unwrap();
        let signed = device.create_texture_2d_with(Format::R32_SINT, 1, 1, &[-1_i32]).unwrap();
        let signed = signed.create_shader_resource_view().unwrap();
        h.record(CommandPath::Immediate, |cx| {
            cx.cs_set_shader(&cs);
            cx.cs_set_shader_resources(0, [&signed, &signed]);
            cx.dispatch(1, 1, 1);
        });
        let texts: Vec<_> = h.take_errors().into_iter().map(|message| message.to_string()).collect();
        for (name, reading) in
            [("loaded", "reads the bits of its components as they are"), ("sampled", "reads as zero")]
        {
            let found = texts.iter().find(|text| text.contains(&format!("`{name}`")));
            assert!(found.is_some_and(|text| text.contains(reading)), "{name}: {texts:?}");
        }
    });
}

/// Both stages of a draw read the same view through different slots.
#[test]
fn stages_of_a_draw_read_the_bits_of_another_kind() {
    const TEXT: &str = "
        Texture2D<uint> given : register(t2);
        Texture2D<uint> shown : register(t1);
        float4 vs_main(uint n : SV_VertexID, out nointerpolation uint word : WORD) : SV_Position {
            word = given.Load(int3(0, 0, 0));
            return float4(n & 2 ? 3 : -1, n & 1 ? 3 : -1, 0, 1);
        }
        uint2 ps_main(float4 position : SV_Position, nointerpolation uint word : WORD) : SV_Target {
            return uint2(word, shown.Load(int3(1, 0, 0)));
        }";
    on_each(&gpu_matrix(), |h| {
        let device = h.device.clone();
        let target = device.create_render_target(Format::R32G32_UINT, 1, 1).unwrap();
        let vs = device.create_vertex_shader(ShaderSource::hlsl(TEXT, "vs_main")).unwrap();
        let ps = device.create_pixel_shader(ShaderSource::hlsl(TEXT, "ps_main")).unwrap();
        let signed = device.create_texture_2d_with(Format::R32_SINT, 2, 1, &[-1_i32, -2]).unwrap();
        let signed = signed.create_shader_resource_view().unwrap();
        h.record(CommandPath::Immediate, |cx| {
            cx.om_set_render_targets(&target.render_target_view, None);
            cx.rs_set_viewports(Viewport::sized(1.0, 1.0));
            cx.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
            cx.vs_set_shader(&vs);
            cx.ps_set_shader(&ps);
            cx.vs_set_shader_resources(2, &signed);
            cx.ps_set_shader_resources(1, &signed);
            cx.draw(4, 0);
        });
        assert_eq!(h.read_u32(&target.texture, 0), [u32::MAX, u32::MAX - 1]);
        h.take_errors();
    });
}
