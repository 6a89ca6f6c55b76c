//! Each bit of format support is tested with each format, whose use must work if the bit is set and be
//! refused otherwise.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze::{FormatSupport, FormatSupport2};
use onze_tests::{Config, Harness, on_each};

/// Returns the format of a texture that can have a view of `format`, because some formats exist only for
/// views.
fn textured(format: Format) -> Format {
    let is_plane = format.block_size() == (1, 1) && (format.has_depth() || format.has_stencil());
    if is_plane && !format.is_depth_stencil() { format.family() } else { format }
}

fn desc(format: Format, bind_flags: BindFlags) -> Texture2dDesc {
    let (width, height) = format.block_size();
    Texture2dDesc { mip_levels: 1, bind_flags, ..Texture2dDesc::new(format, 4 * width, 4 * height) }
}

fn makes(h: &Harness, desc: &Texture2dDesc) -> bool {
    h.device.create_texture_2d(desc, None).is_ok()
}

fn typed_buffer(h: &Harness, format: Format, is_written: bool) -> bool {
    let flags = if is_written { BindFlags::UNORDERED_ACCESS } else { BindFlags::SHADER_RESOURCE };
    let Ok(buffer) = h.device.create_buffer(&BufferDesc::new(64, flags), None) else { return false };
    if is_written {
        let desc = UnorderedAccessViewDesc::typed_buffer(format, 0, 1);
        h.device.create_unordered_access_view(&buffer, Some(&desc)).is_ok()
    } else {
        let desc = ShaderResourceViewDesc::typed_buffer(format, 0, 1);
        h.device.create_shader_resource_view(&buffer, Some(&desc)).is_ok()
    }
}

fn is_read(h: &Harness, format: Format) -> bool {
    let of = textured(format);
    let depth = of.depth_stencil_format().is_some() && of != format;
    let flags = if depth { BindFlags::DEPTH_STENCIL } else { BindFlags::empty() };
    let Ok(texture) = h.device.create_texture_2d(&desc(of, flags | BindFlags::SHADER_RESOURCE), None) else {
        return false;
    };
    let view = ShaderResourceViewDesc::texture_2d(format, 0, 1);
    h.device.create_shader_resource_view(&texture, Some(&view)).is_ok()
}

fn is_element(h: &Harness, format: Format) -> bool {
    let kind = match format.component_kind() {
        onze::ddi::ComponentKind::Uint => "u32",
        onze::ddi::ComponentKind::Sint => "i32",
        _ => "f32",
    };
    let text = format!(
        "@vertex fn main(@location(0) value: vec4<{kind}>) -> @builtin(position) vec4f {{ return vec4f(value); }}"
    );
    let vs = h.device.create_vertex_shader(ShaderSource::wgsl(&text, "main")).unwrap();
    let element = InputElementDesc { location: Some(0), ..InputElementDesc::new("DATA", 0, format) };
    h.device.create_input_layout(&[element], &vs).is_ok()
}

/// Returns whether a mapped staging texture returns the bytes that an earlier map wrote.
fn is_mapped(h: &mut Harness, format: Format) -> bool {
    let desc = Texture2dDesc {
        usage: Usage::Staging,
        cpu_access_flags: CpuAccessFlags::WRITE | CpuAccessFlags::READ,
        ..desc(format, BindFlags::empty())
    };
    let Ok(texture) = h.device.create_texture_2d(&desc, None) else { return false };
    h.immediate.map(&texture, 0, MapType::Write).unwrap().write_slice(0, &[1_u8, 2, 3, 4]);
    let mapped = h.immediate.map(&texture, 0, MapType::Read).unwrap();
    mapped[..4] == [1, 2, 3, 4]
}

/// Returns whether a shader can change a texel with a store, or with a load and a store if `loads` is set.
fn is_stored(h: &mut Harness, format: Format, loads: bool) -> bool {
    let (kind, declared) = match format.component_kind() {
        onze::ddi::ComponentKind::Uint => ("u32", "rgba32uint"),
        onze::ddi::ComponentKind::Sint => ("i32", "rgba32sint"),
        _ => ("f32", "rgba32float"),
    };
    let (access, old) =
        if loads { ("read_write", "textureLoad(image, id.xy)") } else { ("write", "vec4<T>(0)") };
    let text = format!(
        "alias T = {kind};
        @group(3) @binding(0) var image: texture_storage_2d<{declared}, {access}>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {{
            textureStore(image, id.xy, vec4<T>(1) - {old});
        }}"
    );
    let cs = h.device.create_compute_shader(ShaderSource::wgsl(&text, "main")).unwrap();
    let Ok(image) = h.device.create_texture_2d(&desc(format, BindFlags::UNORDERED_ACCESS), None) else {
        return false;
    };
    let Ok(view) = h.device.create_unordered_access_view(&image, None) else { return false };
    h.record(onze_tests::CommandPath::Immediate, |cx| {
        cx.cs_set_shader(&cs);
        cx.cs_set_unordered_access_views(0, &view);
        cx.dispatch(1, 1, 1);
    });
    let bytes = h.read(&image, 0);
    bytes.iter().take(format.bytes_per_block() as usize).any(|byte| *byte != 0)
}

#[test]
fn each_format_support_bit_matches_a_trial() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let mut wrong = Vec::new();
        for format in Format::ALL.iter().copied() {
            use FormatSupport as S;
            let support = h.device.check_format_support(format);
            let mut row = |bit: S, works: bool| {
                if support.contains(bit) != works {
                    wrong.push(format!(
                        "{format:?}: {bit:?} is {}, and it works: {works}",
                        support.contains(bit)
                    ));
                }
            };
            let none = BindFlags::empty();
            row(S::TEXTURE2D, makes(h, &desc(format, none)));
            let cube =
                Texture2dDesc { array_size: 6, misc_flags: MiscFlags::TEXTURECUBE, ..desc(format, none) };
            let cube = Texture2dDesc { height: 16, width: 16, ..cube };
            row(S::TEXTURECUBE, makes(h, &cube));
            row(S::MIP, makes(h, &Texture2dDesc { mip_levels: 2, ..desc(format, none) }));
            row(S::CPU_LOCKABLE, is_mapped(h, format));
            row(S::IA_VERTEX_BUFFER, is_element(h, format));
            if !format.is_typeless() {
                row(
                    S::SHADER_LOAD,
                    is_read(h, format) || support.contains(S::SHADER_LOAD) && typed_buffer(h, format, false),
                );
                row(S::RENDER_TARGET, makes(h, &desc(format, BindFlags::RENDER_TARGET)));
                row(S::DEPTH_STENCIL, makes(h, &desc(format, BindFlags::DEPTH_STENCIL)));
                row(S::TYPED_UNORDERED_ACCESS_VIEW, typed_buffer(h, format, true));
            }
            let is_written = h.has_feature(Features::STREAM_OUTPUT)
                && matches!(
                    format.family(),
                    Format::R32_TYPELESS
                        | Format::R32G32_TYPELESS
                        | Format::R32G32B32_TYPELESS
                        | Format::R32G32B32A32_TYPELESS
                )
                && !format.is_typeless()
                && !format.has_depth();
            row(S::SO_BUFFER, is_written);
            let gathers = S::SHADER_LOAD | S::SHADER_GATHER;
            row(S::SHADER_GATHER, support.contains(gathers));
            row(S::SHADER_GATHER_COMPARISON, support.contains(S::SHADER_SAMPLE_COMPARISON));
            for never in [
                S::SHADER_SAMPLE_MONO_TEXT,
                S::DECODER_OUTPUT,
                S::VIDEO_PROCESSOR_OUTPUT,
                S::VIDEO_PROCESSOR_INPUT,
                S::VIDEO_ENCODER,
            ] {
                row(never, false);
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        h.take_errors();
    });
}

#[test]
fn each_format_support2_bit_matches_a_trial() {
    on_each(&[Config::GPU], |h| {
        let mut wrong = Vec::new();
        for format in Format::ALL.iter().copied().filter(|format| !format.is_typeless()) {
            let support = h.device.check_format_support2(format);
            for (bit, loads) in
                [(FormatSupport2::UAV_TYPED_STORE, false), (FormatSupport2::UAV_TYPED_LOAD, true)]
            {
                let works = is_stored(h, format, loads);
                if support.contains(bit) != works {
                    wrong.push(format!("{format:?}: {bit:?}, and it works: {works}"));
                }
            }
            let atomics = FormatSupport2::UAV_ATOMIC_ADD | FormatSupport2::UAV_ATOMIC_BITWISE_OPS;
            let counts = matches!(format, Format::R32_UINT | Format::R32_SINT);
            assert!(!support.intersects(atomics) || counts, "{format:?}");
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        h.take_errors();
    });
}

#[test]
fn format_support_bits_have_the_values_of_d3d11_h() {
    assert_eq!(FormatSupport::all().bits(), 0x7fff_ffff);
    for (bit, value) in [
        (FormatSupport::SHADER_GATHER, 0x80_0000),
        (FormatSupport::BACK_BUFFER_CAST, 0x100_0000),
        (FormatSupport::TYPED_UNORDERED_ACCESS_VIEW, 0x200_0000),
        (FormatSupport::SHADER_GATHER_COMPARISON, 0x400_0000),
    ] {
        assert_eq!(bit.bits(), value, "{bit:?}");
    }
    assert_eq!(FormatSupport2::all().bits(), 0x47ff);
    assert_eq!(FormatSupport2::UAV_TYPED_LOAD.bits(), 0x40);
}
