//! Tests of 2D textures, with the values that Wine's `test_create_texture2d` and `test_resource_access`
//! assert.

use onze_ddi::{
    BindFlags, ComponentKind, CpuAccessFlags, Features, Format, FormatSupport, MiscFlags, PipelineCaps,
    SubresourceData, Texture2dDesc, TextureDesc, Usage,
};

use super::*;
use crate::{
    report::Error,
    validate::{subresource_data, texture},
};

/// Checks a 2D texture, and returns the driver's descriptor.
fn texture_2d(
    desc: &Texture2dDesc,
    contents: Option<usize>,
    caps: &PipelineCaps,
    support: FormatSupport,
) -> Result<TextureDesc, Error> {
    let desc = TextureDesc::from(desc.clone());
    texture(&desc, contents, caps, support).map(|()| desc)
}

/// A texture of 4 x 4 texels with one mip level and default usage.
fn desc(format: Format, bind_flags: BindFlags) -> Texture2dDesc {
    Texture2dDesc { bind_flags, mip_levels: 1, ..Texture2dDesc::new(format, 4, 4) }
}

fn check(desc: &Texture2dDesc, contents: Option<usize>) -> Verdict {
    verdict(&texture_2d(desc, contents, &full(), EVERYTHING))
}

#[test]
fn usage_bind_flags_and_cpu_access_go_together() {
    // For each of two formats, the bind flags that its textures must not have.
    let for_buffers = 0x1 | 0x2 | 0x4 | 0x10;
    let forbidden =
        [(Format::R8G8B8A8_UNORM, for_buffers | 0x40), (Format::D16_UNORM, for_buffers | 0x8 | 0x20 | 0x80)];
    for (format, forbidden) in forbidden {
        let mut valid = 0;
        for usage in USAGES {
            for bind_flags in all_bind_flags() {
                for cpu_access_flags in all_cpu_flags() {
                    let desc = Texture2dDesc { usage, cpu_access_flags, ..desc(format, bind_flags) };
                    let expected = usage_oracle(usage, bind_flags, cpu_access_flags)
                        && bind_flags.bits() & forbidden == 0;
                    assert_eq!(check(&desc, Some(1)) == Verdict::Valid, expected, "{desc:?}");
                    valid += u32::from(expected);
                }
            }
        }
        // Colour: 8 combinations of three flags with default usage, one flag with immutable and with dynamic
        // usage, and 3 kinds of CPU access with staging usage. Depth: with or without DEPTH_STENCIL, and 3
        // with staging usage.
        assert_eq!(valid, if format == Format::D16_UNORM { 2 + 3 } else { 8 + 1 + 1 + 3 }, "{format:?}");
    }
}

/// Whether Direct3D 11 allows a single bind flag for a texture of this format.
fn bind_oracle(format: Format, bind: BindFlags) -> bool {
    let name = format!("{format:?}");
    let is_depth = name.starts_with('D');
    let depth_parent = ["R32G8X24_TYPELESS", "R24G8_TYPELESS"].contains(&&*name);
    let target = !is_depth
        && !depth_parent
        && !name.starts_with("BC")
        && !["R9G9B9E5_SHAREDEXP", "R8G8_B8G8_UNORM", "G8R8_G8B8_UNORM"].contains(&&*name);
    // Formats of depth and stencil planes are valid for views only.
    if name.contains("X8X24") || name.starts_with("X32") || name.starts_with("X24") || name.contains("_X8_") {
        return false;
    }
    match bind {
        BindFlags::SHADER_RESOURCE => !is_depth,
        BindFlags::RENDER_TARGET => target,
        BindFlags::UNORDERED_ACCESS => target && !name.ends_with("_SRGB"),
        BindFlags::DEPTH_STENCIL => {
            is_depth || depth_parent || ["R32_TYPELESS", "R16_TYPELESS"].contains(&&*name)
        }
        bind => bind.is_empty(),
    }
}

#[test]
fn every_format_with_every_bind_flag() {
    for &format in Format::ALL {
        for bind in all_bind_flags().filter(|b| b.bits().count_ones() <= 1) {
            let expected = if bind_oracle(format, bind) { Verdict::Valid } else { Verdict::Invalid };
            assert_eq!(check(&desc(format, bind), None), expected, "{format:?} as {bind:?}");
        }
    }
    assert_eq!(check(&desc(Format::UNKNOWN, BindFlags::SHADER_RESOURCE), None), Verdict::Invalid);
}

#[test]
fn formats_and_bind_flags_that_wine_tests() {
    use Format as F;
    let (srv, rtv, dsv, uav) = (
        BindFlags::SHADER_RESOURCE,
        BindFlags::RENDER_TARGET,
        BindFlags::DEPTH_STENCIL,
        BindFlags::UNORDERED_ACCESS,
    );
    for (format, bind, expected) in [
        (F::R32G32B32A32_TYPELESS, rtv, true),
        (F::R32G32B32A32_SINT, rtv, true),
        (F::R10G10B10A2_TYPELESS, rtv, true),
        (F::R16G16_SNORM, rtv, true),
        (F::R32_TYPELESS, rtv, true),
        (F::R16_UINT, rtv, true),
        (F::R32G8X24_TYPELESS, dsv, true),
        (F::R32_TYPELESS, dsv | srv, true),
        (F::R24G8_TYPELESS, dsv | srv, true),
        (F::R16_TYPELESS, dsv, true),
        (F::D32_FLOAT, dsv, true),
        (F::R32G32B32A32_TYPELESS, dsv, false),
        (F::R8G8B8A8_UNORM, dsv, false),
        (F::D24_UNORM_S8_UINT, rtv, false),
        (F::D24_UNORM_S8_UINT, srv, false),
        (F::D32_FLOAT, srv, false),
        (F::D32_FLOAT, srv | dsv, false),
        (F::R32_TYPELESS, rtv | dsv, false),
        (F::R32_TYPELESS, uav | dsv, false),
        (F::R24G8_TYPELESS, uav, false),
        (F::X24_TYPELESS_G8_UINT, uav, false),
        (F::R32G8X24_TYPELESS, uav, false),
        (F::R9G9B9E5_SHAREDEXP, rtv, false),
        (F::R9G9B9E5_SHAREDEXP, dsv, false),
        (F::R9G9B9E5_SHAREDEXP, srv, true),
        (F::R8G8B8A8_UNORM, BindFlags::VERTEX_BUFFER | srv, false),
    ] {
        let found = check(&desc(format, bind), None);
        assert_eq!(found == Verdict::Valid, expected, "{format:?} as {bind:?}: {found:?}");
    }
}

#[test]
fn sizes_and_slices_are_1_to_their_limits() {
    let good = desc(Format::R8_UNORM, BindFlags::SHADER_RESOURCE);
    for (size, expected) in [(0, false), (1, true), (16384, true), (16385, false), (u32::MAX, false)] {
        let expected = if expected { Verdict::Valid } else { Verdict::Invalid };
        assert_eq!(check(&Texture2dDesc { width: size, ..good.clone() }, None), expected, "width {size}");
        assert_eq!(check(&Texture2dDesc { height: size, ..good.clone() }, None), expected, "height {size}");
    }
    for (slices, expected) in [(0, false), (1, true), (2048, true), (2049, false), (u32::MAX, false)] {
        let desc = Texture2dDesc { array_size: slices, ..good.clone() };
        assert_eq!(check(&desc, None) == Verdict::Valid, expected, "{slices} slices");
    }
}

#[test]
fn mip_levels_are_resolved_and_never_more_than_a_whole_chain() {
    for width in (1..=70).chain([16383, 16384]) {
        for height in [1, 2, 3, 31, 33, 16384] {
            let mut chain = 1;
            while (width.max(height) >> chain) > 0 {
                chain += 1;
            }
            for mip_levels in 0..=chain + 2 {
                let desc =
                    Texture2dDesc { mip_levels, ..Texture2dDesc::new(Format::R8_UNORM, width, height) };
                let result = texture_2d(&desc, None, &full(), EVERYTHING);
                let expected = match mip_levels {
                    0 => Some(chain),
                    n if n <= chain => Some(n),
                    _ => None,
                };
                assert_eq!(
                    result.ok().map(|d| d.mip_levels),
                    expected,
                    "{width} x {height}, {mip_levels} levels"
                );
            }
        }
    }
}

#[test]
fn a_cube_has_6_slices_or_more_and_is_square() {
    for array_size in 1..=20 {
        for height in [4, 8] {
            let desc = Texture2dDesc {
                array_size,
                height,
                misc_flags: MiscFlags::TEXTURECUBE,
                ..desc(Format::R8G8B8A8_UNORM, BindFlags::SHADER_RESOURCE)
            };
            assert_eq!(check(&desc, None) == Verdict::Valid, array_size >= 6 && height == 4, "{desc:?}");
        }
    }
}

#[test]
fn compressed_textures_have_whole_blocks() {
    for &format in Format::ALL {
        for width in 1..=12 {
            for height in 1..=12 {
                let desc = Texture2dDesc { width, height, ..desc(format, BindFlags::empty()) };
                let (block_width, block_height) = if format!("{format:?}").starts_with("BC") {
                    (4, 4)
                } else if [Format::R8G8_B8G8_UNORM, Format::G8R8_G8B8_UNORM].contains(&format) {
                    (2, 1)
                } else {
                    (1, 1)
                };
                let expected = width % block_width == 0
                    && height % block_height == 0
                    && bind_oracle(format, BindFlags::empty());
                assert_eq!(check(&desc, None) == Verdict::Valid, expected, "{format:?} {width} x {height}");
            }
        }
    }
}

#[test]
fn a_dynamic_texture_has_one_subresource() {
    for (mip_levels, array_size) in [(1, 1), (2, 1), (0, 1), (1, 2), (3, 6)] {
        let desc = Texture2dDesc {
            mip_levels,
            array_size,
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..desc(Format::R8G8B8A8_UNORM, BindFlags::SHADER_RESOURCE)
        };
        let expected = (mip_levels, array_size) == (1, 1);
        assert_eq!(
            check(&desc, None) == Verdict::Valid,
            expected,
            "{mip_levels} levels, {array_size} slices"
        );
    }
    let tiny = Texture2dDesc {
        usage: Usage::Dynamic,
        cpu_access_flags: CpuAccessFlags::WRITE,
        ..Texture2dDesc::new(Format::R8_UNORM, 1, 1)
    };
    assert_eq!(check(&tiny, None), Verdict::Valid, "the whole chain of one texel is one level");
}

#[test]
fn contents_are_given_for_every_subresource_or_for_none() {
    for (mip_levels, array_size) in [(1, 1), (3, 1), (1, 4), (3, 4)] {
        let desc =
            Texture2dDesc { mip_levels, array_size, ..desc(Format::R8_UNORM, BindFlags::SHADER_RESOURCE) };
        for given in 0..20 {
            let expected = given == (mip_levels * array_size) as usize;
            assert_eq!(
                check(&desc, Some(given)) == Verdict::Valid,
                expected,
                "{given} of {mip_levels} x {array_size}"
            );
        }
        assert_eq!(check(&desc, None), Verdict::Valid);
        let immutable = Texture2dDesc { usage: Usage::Immutable, ..desc };
        assert_eq!(check(&immutable, None), Verdict::Invalid);
        assert_eq!(check(&immutable, Some((mip_levels * array_size) as usize)), Verdict::Valid);
    }
}

#[test]
fn multisampled_textures() {
    let target = Texture2dDesc {
        sample_count: 4,
        ..desc(Format::R8G8B8A8_UNORM, BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE)
    };
    let bent = |change: &dyn Fn(&mut Texture2dDesc)| {
        let mut desc = target.clone();
        change(&mut desc);
        desc
    };
    let read_only = bent(&|d| {
        d.usage = Usage::Dynamic;
        d.cpu_access_flags = CpuAccessFlags::WRITE;
        d.bind_flags = BindFlags::SHADER_RESOURCE;
    });
    for (desc, contents, expected) in [
        (target.clone(), None, true),
        (bent(&|d| d.mip_levels = 0), None, true),
        (bent(&|d| d.sample_count = 32), None, true),
        (bent(&|d| d.sample_count = 33), None, false),
        (bent(&|d| d.sample_count = 0), None, false),
        (bent(&|d| d.mip_levels = 2), None, false),
        (bent(&|d| d.sample_quality = 1), None, false),
        (bent(&|d| d.bind_flags = BindFlags::SHADER_RESOURCE), None, false),
        (target.clone(), Some(1), false),
        (read_only, None, false),
        (
            bent(&|d| {
                d.array_size = 6;
                d.misc_flags = MiscFlags::TEXTURECUBE;
            }),
            None,
            false,
        ),
    ] {
        assert_eq!(check(&desc, contents) == Verdict::Valid, expected, "{desc:?} {contents:?}");
    }
    let resolved = texture_2d(&bent(&|d| d.mip_levels = 0), None, &full(), EVERYTHING);
    assert_eq!(resolved.map(|d| d.mip_levels), Ok(1), "samples have no mip levels");
}

#[test]
fn miscellaneous_flags_of_textures() {
    let (target, read) = (BindFlags::RENDER_TARGET, BindFlags::SHADER_RESOURCE);
    for bind in [BindFlags::empty(), target, read, target | read] {
        for misc in all_misc_flags() {
            let desc = Texture2dDesc { misc_flags: misc, array_size: 6, ..desc(Format::R8G8B8A8_UINT, bind) };
            let buffer_flags = 0x10 | 0x20 | 0x40;
            let no_mips = misc.contains(MiscFlags::GENERATE_MIPS) && bind != target | read;
            let expected =
                match (misc.bits() & buffer_flags != 0 || no_mips, misc.contains(MiscFlags::SHARED)) {
                    (true, _) => Verdict::Invalid,
                    (false, true) => Verdict::NotImplemented,
                    (false, false) => Verdict::Valid,
                };
            assert_eq!(check(&desc, None), expected, "{bind:?} {misc:?}");
        }
    }
}

#[test]
fn missing_features_are_refused_by_name() {
    let colour = desc(Format::R8G8B8A8_UNORM, BindFlags::RENDER_TARGET);
    for (desc, feature) in [
        (Texture2dDesc { sample_count: 4, ..colour.clone() }, Features::MULTISAMPLING),
        (desc(Format::R8G8B8A8_UNORM, BindFlags::UNORDERED_ACCESS), Features::UNORDERED_ACCESS),
        (desc(Format::BC1_UNORM, BindFlags::SHADER_RESOURCE), Features::BC_TEXTURES),
    ] {
        assert_eq!(check(&desc, None), Verdict::Valid, "{desc:?}");
        let refused = texture_2d(&desc, None, &without(feature), EVERYTHING);
        assert_eq!(verdict(&refused), Verdict::Unsupported, "{desc:?}");
        let (name, _) = feature.iter_names().next().expect("one feature");
        assert!(reason(refused).contains(name), "{desc:?}");
    }
    let small = PipelineCaps { max_texture_2d: 3, ..full() };
    assert_eq!(verdict(&texture_2d(&colour, None, &small, EVERYTHING)), Verdict::Unsupported);
    let few = PipelineCaps { max_array_slices: 2, ..full() };
    let array = Texture2dDesc { array_size: 3, ..colour };
    assert_eq!(verdict(&texture_2d(&array, None, &few, EVERYTHING)), Verdict::Unsupported);
}

#[test]
fn a_format_without_support_for_the_use_is_refused() {
    use FormatSupport as S;
    let staging = Texture2dDesc::staging(Format::R8G8B8A8_UNORM, 4, 4, CpuAccessFlags::READ);
    let cube = Texture2dDesc {
        misc_flags: MiscFlags::TEXTURECUBE,
        array_size: 6,
        ..desc(Format::R8G8B8A8_UNORM, BindFlags::SHADER_RESOURCE)
    };
    let read = S::SHADER_LOAD | S::SHADER_SAMPLE | S::SHADER_SAMPLE_COMPARISON;
    for (desc, missing) in [
        (desc(Format::R8G8B8A8_UNORM, BindFlags::empty()), S::TEXTURE2D),
        (desc(Format::R8G8B8A8_UNORM, BindFlags::SHADER_RESOURCE), read),
        (desc(Format::R8G8B8A8_UNORM, BindFlags::RENDER_TARGET), S::RENDER_TARGET),
        (desc(Format::D16_UNORM, BindFlags::DEPTH_STENCIL), S::DEPTH_STENCIL),
        (staging, S::CPU_LOCKABLE),
        (cube, S::TEXTURECUBE),
    ] {
        assert_eq!(check(&desc, None), Verdict::Valid, "{desc:?}");
        let refused = texture_2d(&desc, None, &full(), EVERYTHING.difference(missing));
        assert_eq!(verdict(&refused), Verdict::Unsupported, "{desc:?} without {missing:?}");
        assert!(reason(refused).contains(&format!("{:?}", desc.format)));
    }
    let typeless = desc(Format::R8G8B8A8_TYPELESS, BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE);
    let support = S::TEXTURE2D | S::TEXTURECUBE;
    assert!(texture_2d(&typeless, None, &full(), support).is_ok(), "the views' formats decide");
    assert_eq!(Format::R8G8B8A8_TYPELESS.component_kind(), ComponentKind::Typeless);
}

#[test]
fn no_texture_is_larger_than_2_gibibytes() {
    let large = |format| Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(format, 16384, 16384) };
    assert_eq!(check(&large(Format::R16G16B16A16_FLOAT), None), Verdict::Valid);
    assert_eq!(check(&large(Format::R32G32B32A32_FLOAT), None), Verdict::OutOfMemory);
    let array = Texture2dDesc { array_size: 2048, ..large(Format::R32G32B32A32_FLOAT) };
    assert_eq!(check(&array, None), Verdict::OutOfMemory);
}

/// Computes the number of bytes that are accessed, with a loop over the rows.
fn bytes_touched(format: Format, width: u32, height: u32, row_pitch: u32) -> u32 {
    let (block_width, block_height) = format.block_size();
    let (columns, rows) = (width.div_ceil(block_width), height.div_ceil(block_height));
    (0..rows).map(|row| row * row_pitch + columns * format.bytes_per_block()).max().unwrap_or(0)
}

#[test]
fn subresource_contents_cover_all_rows_with_their_pitch() {
    let bytes = [0; 512];
    for format in [Format::R8G8B8A8_UNORM, Format::BC1_UNORM, Format::R8_UNORM, Format::R8G8_B8G8_UNORM] {
        let desc = Texture2dDesc { array_size: 2, ..Texture2dDesc::new(format, 8, 4) };
        let desc = texture_2d(&desc, None, &full(), EVERYTHING).expect("valid");
        assert_eq!(desc.subresources(), 8);
        for index in 0..10 {
            for row_pitch in [0, 4, 7, 8, 16, 32, 40] {
                let (width, height) = (8u32 >> (index % 4), (4u32 >> (index % 4)).max(1));
                let row = width.div_ceil(format.block_size().0) * format.bytes_per_block();
                let one_row = height.div_ceil(format.block_size().1) == 1;
                let needed = bytes_touched(format, width, height, row_pitch) as usize;
                for length in [0, needed.saturating_sub(1), needed, needed + 1] {
                    let data = SubresourceData { bytes: &bytes[..length], row_pitch, depth_pitch: 0 };
                    let expected = index < 8 && length >= needed && (one_row || row_pitch >= row);
                    let result = subresource_data(&desc, index, &data);
                    assert_eq!(
                        result.is_ok(),
                        expected,
                        "{format:?} subresource {index}, pitch {row_pitch}, {length} bytes: {result:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn an_error_names_the_texture() {
    let desc = Texture2dDesc::new(Format::R8_UNORM, 0, 4).label("bricks");
    let reason = reason(texture_2d(&desc, None, &full(), EVERYTHING));
    assert!(reason.contains("\"bricks\"") && reason.contains("width"), "{reason}");
}
