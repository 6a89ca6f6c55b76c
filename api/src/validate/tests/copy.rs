//! Tests of copies and updates, with the values that Wine's `test_update_subresource` and
//! `test_format_compatibility` assert.

use onze_ddi::{
    BindFlags, Box3d, BufferDesc, BufferViewDesc, CpuAccessFlags, DsvFlags, Format, FormatSupport, MiscFlags,
    ResourceDesc, SubresourceRange, Texture2dDesc, TextureDesc, TextureViewDesc, Usage, ViewDesc,
    ViewDimension,
};

use super::*;
use crate::validate::{self, copy_region, copy_resource, generate_mips, update_subresource};

fn texture(format: Format, width: u32, height: u32, mip_levels: u32, array_size: u32) -> ResourceDesc {
    ResourceDesc::from(Texture2dDesc { mip_levels, array_size, ..Texture2dDesc::new(format, width, height) })
}

fn buffer(byte_width: u32) -> ResourceDesc {
    ResourceDesc::Buffer(BufferDesc::new(byte_width, BindFlags::VERTEX_BUFFER))
}

/// Returns the descriptor of a texture with some of its fields changed.
fn bent(desc: &ResourceDesc, change: impl FnOnce(&mut TextureDesc)) -> ResourceDesc {
    let mut desc = desc.clone();
    if let ResourceDesc::Texture(texture) = &mut desc {
        change(texture);
    }
    desc
}

fn immutable(desc: &ResourceDesc) -> ResourceDesc {
    let mut desc = desc.clone();
    match &mut desc {
        ResourceDesc::Buffer(d) => d.usage = Usage::Immutable,
        ResourceDesc::Texture(d) => d.usage = Usage::Immutable,
    }
    desc
}

#[test]
fn whole_copies_need_equal_shapes() {
    let base = texture(Format::R8G8B8A8_UNORM, 16, 8, 3, 2);
    let others = [
        (base.clone(), true),
        (bent(&base, |d| d.format = Format::R8G8B8A8_UNORM_SRGB), true),
        (bent(&base, |d| d.bind_flags = BindFlags::RENDER_TARGET), true),
        (bent(&base, |d| d.usage = Usage::Staging), true),
        (bent(&base, |d| d.width = 17), false),
        (bent(&base, |d| d.height = 16), false),
        (bent(&base, |d| d.mip_levels = 2), false),
        (bent(&base, |d| d.array_size = 3), false),
        (bent(&base, |d| d.sample_count = 4), false),
        (bent(&base, |d| d.format = Format::B8G8R8A8_UNORM), false),
        (buffer(64), false),
    ];
    for (other, expected) in others {
        for (dst, src) in [(&base, &other), (&other, &base)] {
            let result = copy_resource(dst, src);
            assert_eq!(result.is_ok(), expected, "{dst:?} from {src:?}: {result:?}");
            assert!(copy_resource(&immutable(dst), src).is_err(), "an immutable destination");
        }
        assert_eq!(copy_resource(&base, &immutable(&other)).is_ok(), expected, "an immutable source");
    }
    for (a, b) in [(16, 16), (16, 32), (32, 16)] {
        assert_eq!(copy_resource(&buffer(a), &buffer(b)).is_ok(), a == b, "{a} from {b}");
    }
}

#[test]
fn formats_copy_within_a_family_and_to_others_of_equal_words() {
    let members = |format: Format| -> Vec<Format> {
        let odd = [Format::R9G9B9E5_SHAREDEXP];
        let r32 = [Format::R32_TYPELESS, Format::R32_FLOAT, Format::R32_UINT, Format::R32_SINT];
        let family = Format::ALL.iter().copied().filter(|f| f.family() == format.family());
        if odd.contains(&format) {
            family.chain(r32).collect()
        } else if r32.contains(&format) {
            family.chain(odd).collect()
        } else {
            family.collect()
        }
    };
    let is_texel_of_block = |plain: Format, block: Format| match block.family() {
        Format::BC1_TYPELESS | Format::BC4_TYPELESS => {
            [Format::R16G16B16A16_TYPELESS, Format::R32G32_TYPELESS].contains(&plain.family())
        }
        _ => block.is_block_compressed() && plain.family() == Format::R32G32B32A32_TYPELESS,
    };
    for &a in Format::ALL {
        for &b in Format::ALL {
            let expected = members(a).contains(&b) || is_texel_of_block(a, b) || is_texel_of_block(b, a);
            // A texture of 2 x 2 blocks in compressed formats, and of 2 x 2 texels in all others.
            let sized = |format: Format| {
                let (width, height) = if format.is_block_compressed() { (8, 8) } else { (2, 2) };
                texture(format, width, height, 1, 1)
            };
            let (to, from) = (sized(a), sized(b));
            assert_eq!(copy_resource(&to, &from).is_ok(), expected, "{a:?} from {b:?}");
            let region = copy_region(&to, 0, [0; 3], &from, 0, None, false);
            assert_eq!(region.is_ok(), expected, "{a:?} from {b:?}: {region:?}");
        }
    }
}

/// Returns all boxes with corners at these coordinates, including inverted and empty boxes.
fn boxes(xs: &[u32], ys: &[u32]) -> Vec<Box3d> {
    let mut all = Vec::new();
    for &left in xs {
        for &right in xs {
            for &top in ys {
                for &bottom in ys {
                    for (front, back) in [(0, 1), (0, 0), (1, 1), (1, 0), (0, 2), (1, 2)] {
                        all.push(Box3d { left, top, front, right, bottom, back });
                    }
                }
            }
        }
    }
    all
}

/// Returns the blocks of a mip level that a box covers, or `None` if the box covers only a part of a block or
/// extends outside the mip level.
fn blocks_of(size: (u32, u32), block: u32, b: &Box3d) -> Option<Vec<(u32, u32)>> {
    let mut blocks = Vec::new();
    for y in b.top..b.bottom {
        for x in b.left..b.right {
            for z in b.front..b.back {
                let inside =
                    x < size.0.div_ceil(block) * block && y < size.1.div_ceil(block) * block && z == 0;
                if !inside {
                    return None;
                }
                blocks.push((x / block, y / block));
            }
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    // A block is covered if all of its texels inside the mip level are covered.
    let covered = |x: u32, y: u32| (b.left..b.right).contains(&x) && (b.top..b.bottom).contains(&y);
    let whole = blocks.iter().all(|(bx, by)| {
        (0..block * block).all(|i| {
            let (x, y) = (bx * block + i % block, by * block + i / block);
            covered(x, y) || x >= size.0 || y >= size.1
        })
    });
    whole.then_some(blocks)
}

#[test]
fn every_region_of_small_textures() {
    for (format, block, xs) in [
        (Format::R8G8B8A8_UNORM, 1, &[0, 1, 2, 3, 4, 5][..]),
        (Format::BC1_UNORM, 4, &[0, 1, 2, 4, 5, 6, 8, 12][..]),
    ] {
        // Mip 1 of a 12 x 8 texture is 6 x 4 texels, so its width is one and a half blocks.
        for (width, height, mip) in if block == 1 { [(4, 3, 0), (9, 7, 1)] } else { [(12, 8, 0), (12, 8, 1)] }
        {
            let resource = texture(format, width, height, 2, 1);
            let size = (width >> mip, height >> mip);
            for at in [[0, 0, 0], [1, 0, 0], [0, block, 0], [2, 4, 0], [0, 0, 1], [u32::MAX - 3, 0, 0]] {
                for b in boxes(xs, xs) {
                    let empty = b.left >= b.right || b.top >= b.bottom || b.front >= b.back;
                    let source = blocks_of(size, block, &b);
                    let lands = source.as_ref().is_some_and(|blocks| {
                        at[0] % block == 0
                            && at[1] % block == 0
                            && at[2] == 0
                            && blocks.iter().all(|(x, y)| {
                                let (x, y) =
                                    (x - b.left / block + at[0] / block, y - b.top / block + at[1] / block);
                                x < size.0.div_ceil(block) && y < size.1.div_ceil(block)
                            })
                    });
                    let found = copy_region(&resource, mip, at, &resource, mip, Some(b), false);
                    let cut = Box3d { right: b.right.min(size.0), bottom: b.bottom.min(size.1), ..b };
                    match (empty, lands) {
                        (true, _) => assert_eq!(found, Ok(None), "{b:?} at {at:?} of {size:?}"),
                        (false, true) => assert_eq!(found, Ok(Some(cut)), "{b:?} at {at:?} of {size:?}"),
                        (false, false) => assert!(found.is_err(), "{b:?} at {at:?} of {size:?}: {found:?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn every_region_of_small_buffers() {
    for left in 0..8 {
        for right in (0..8).chain([u32::MAX]) {
            for at in (0..8).chain([u32::MAX]) {
                let b = Box3d::bytes(left..right);
                let found = copy_region(&buffer(5), 0, [at, 9, 9], &buffer(6), 0, Some(b), false);
                let fits = right <= 6 && u64::from(at) + u64::from(right.saturating_sub(left)) <= 5;
                match (left >= right, fits) {
                    (true, _) => assert_eq!(found, Ok(None), "{left}..{right} at {at}"),
                    (false, true) => assert_eq!(found, Ok(Some(b)), "{left}..{right} at {at}"),
                    (false, false) => assert!(found.is_err(), "{left}..{right} at {at}: {found:?}"),
                }
            }
        }
    }
    assert_eq!(copy_region(&buffer(8), 0, [0; 3], &buffer(4), 0, None, false), Ok(Some(Box3d::bytes(0..4))));
    assert!(copy_region(&buffer(4), 0, [0; 3], &buffer(8), 0, None, false).is_err());
}

#[test]
fn structures_are_copied_whole_and_to_structures_of_their_size() {
    let structured = |stride| {
        ResourceDesc::Buffer(BufferDesc {
            misc_flags: MiscFlags::BUFFER_STRUCTURED,
            structure_byte_stride: stride,
            ..BufferDesc::new(48, BindFlags::SHADER_RESOURCE)
        })
    };
    assert!(copy_resource(&structured(8), &structured(8)).is_ok());
    assert!(copy_resource(&structured(8), &structured(16)).is_err());
    assert!(copy_resource(&structured(8), &buffer(48)).is_ok());
    for left in 0..20 {
        for at in 0..20 {
            let b = Box3d::bytes(left..left + 8);
            let expected = left % 8 == 0 && at % 8 == 0;
            let found = copy_region(&structured(8), 0, [at, 0, 0], &structured(8), 0, Some(b), false);
            assert_eq!(found.is_ok(), expected, "{left} to {at}: {found:?}");
            assert!(copy_region(&buffer(48), 0, [at, 0, 0], &structured(8), 0, Some(b), false).is_ok());
        }
    }
}

#[test]
fn copied_subresources_exist_and_destinations_are_writable() {
    let resource = texture(Format::R8_UNORM, 8, 8, 3, 2);
    for index in 0..9 {
        let found = copy_region(&resource, index, [0; 3], &resource, index, None, false);
        let size = 8 >> (index % 3);
        let expected = (index < 6).then_some(Some(Box3d::rect(0, 0, size, size)));
        assert_eq!(found.ok(), expected, "{index}");
        assert_eq!(copy_region(&resource, 0, [0; 3], &resource, index, None, false).is_ok(), index < 6);
        assert_eq!(copy_region(&resource, index, [0; 3], &resource, 2, None, false).is_ok(), index < 6);
    }
    assert!(copy_region(&immutable(&resource), 0, [0; 3], &resource, 0, None, false).is_err());
    assert!(copy_region(&resource, 0, [0; 3], &immutable(&resource), 0, None, false).is_ok());
    assert!(copy_region(&resource, 0, [0; 3], &buffer(4), 0, None, false).is_err());
}

#[test]
fn a_copy_onto_itself_has_no_effect() {
    let resource = texture(Format::R8_UNORM, 8, 8, 1, 1);
    let b = Box3d::rect(2, 3, 5, 6);
    assert_eq!(copy_region(&resource, 0, [2, 3, 0], &resource, 0, Some(b), true), Ok(None));
    assert_eq!(copy_region(&resource, 0, [2, 3, 0], &resource, 0, Some(b), false), Ok(Some(b)));
    assert_eq!(
        copy_region(&resource, 0, [3, 3, 0], &resource, 0, Some(b), true),
        Ok(Some(b)),
        "overlap is allowed"
    );
    assert_eq!(copy_region(&resource, 0, [0; 3], &resource, 0, None, true), Ok(None));
    let bytes = Some(Box3d::bytes(2..4));
    assert_eq!(copy_region(&buffer(8), 0, [2, 7, 7], &buffer(8), 0, bytes, true), Ok(None));
}

#[test]
fn depth_and_samples_are_copied_by_whole_subresources() {
    let depth = texture(Format::D16_UNORM, 8, 8, 2, 1);
    let bound = bent(&texture(Format::R16_TYPELESS, 8, 8, 2, 1), |d| d.bind_flags = BindFlags::DEPTH_STENCIL);
    let color = texture(Format::R16_UNORM, 8, 8, 2, 1);
    let sampled = bent(&color, |d| d.sample_count = 4);
    let whole = Box3d::rect(0, 0, 8, 8);
    for (dst, src) in
        [(&depth, &color), (&color, &depth), (&bound, &color), (&depth, &depth), (&sampled, &sampled)]
    {
        assert!(copy_resource(dst, src).is_ok(), "{dst:?} from {src:?}");
        assert_eq!(copy_region(dst, 0, [0; 3], src, 0, None, false), Ok(Some(whole)), "{dst:?} from {src:?}");
        let box_of = |b| copy_region(dst, 0, [0; 3], src, 0, Some(b), false);
        assert!(box_of(Box3d::rect(0, 0, 4, 4)).is_err(), "{dst:?} from {src:?}");
        assert!(box_of(whole).is_err(), "a box is a box, even when it is all: {dst:?} from {src:?}");
        assert_eq!(box_of(Box3d::rect(4, 4, 4, 4)), Ok(None), "{dst:?} from {src:?}");
        assert!(copy_region(dst, 0, [1, 0, 0], src, 0, None, false).is_err(), "{dst:?} from {src:?}");
        assert!(copy_region(dst, 0, [0; 3], src, 1, None, false).is_err(), "{dst:?} from {src:?}");
    }
}

#[test]
fn only_default_usage_is_updated() {
    for usage in USAGES {
        let resource =
            ResourceDesc::Buffer(BufferDesc { usage, ..BufferDesc::new(16, BindFlags::INDEX_BUFFER) });
        let found = update_subresource(&resource, 0, None, 16, 0, 0);
        assert_eq!(found.is_ok(), usage == Usage::Default, "{usage:?}: {found:?}");
    }
    let staging = ResourceDesc::Buffer(BufferDesc::staging(16, CpuAccessFlags::WRITE));
    assert!(update_subresource(&staging, 0, None, 16, 0, 0).is_err(), "an update of staging has no effect");
    let color = texture(Format::R16_UNORM, 8, 8, 1, 1);
    for bad in [
        texture(Format::D16_UNORM, 8, 8, 1, 1),
        bent(&color, |d| d.bind_flags = BindFlags::DEPTH_STENCIL),
        bent(&color, |d| d.sample_count = 4),
    ] {
        assert!(update_subresource(&bad, 0, None, 1024, 16, 0).is_err(), "{bad:?}");
    }
}

#[test]
fn buffers_are_updated_in_bytes_and_constant_buffers_whole() {
    for left in 0..6 {
        for right in 0..6 {
            for given in 0..6usize {
                let found = update_subresource(&buffer(4), 0, Some(Box3d::bytes(left..right)), given, 0, 0);
                if left >= right {
                    assert_eq!(found, Ok(None), "{left}..{right}");
                } else if right <= 4 && given >= (right - left) as usize {
                    assert_eq!(found, Ok(Some(Box3d::bytes(left..right))), "{left}..{right} {given}");
                } else {
                    assert!(found.is_err(), "{left}..{right} {given}: {found:?}");
                }
            }
        }
    }
    let constants = ResourceDesc::Buffer(BufferDesc::new(32, BindFlags::CONSTANT_BUFFER));
    assert_eq!(update_subresource(&constants, 0, None, 32, 0, 0), Ok(Some(Box3d::bytes(0..32))));
    assert!(update_subresource(&constants, 0, None, 31, 0, 0).is_err());
    assert!(update_subresource(&constants, 0, Some(Box3d::bytes(0..32)), 32, 0, 0).is_err());
    assert!(update_subresource(&buffer(4), 1, None, 4, 0, 0).is_err());
}

#[test]
fn every_update_of_small_textures() {
    for (format, block, xs) in [
        (Format::R8G8B8A8_UNORM, 1, &[0, 1, 2, 4, 5][..]),
        (Format::BC1_UNORM, 4, &[0, 1, 2, 4, 6, 8, 12][..]),
    ] {
        let (width, height, mip) = if block == 1 { (4, 4, 0) } else { (12, 8, 1) };
        let resource = texture(format, width, height, 2, 1);
        let size = (width >> mip, height >> mip);
        for b in boxes(xs, xs) {
            let empty = b.left >= b.right || b.top >= b.bottom || b.front >= b.back;
            let blocks = blocks_of(size, block, &b);
            for row_pitch in [0, 4, 8, 16, 24] {
                // The end of the bytes that are read, computed block by block.
                let bytes = format.bytes_per_block();
                let needed = blocks
                    .iter()
                    .flatten()
                    .map(|(x, y)| (y - b.top / block) * row_pitch + (x - b.left / block + 1) * bytes);
                let needed = needed.max().unwrap_or(0) as usize;
                // Rows may overlap, so a row pitch smaller than a row is valid.
                for given in [needed.saturating_sub(1), needed, needed + 9] {
                    let found = update_subresource(&resource, mip, Some(b), given, row_pitch, 0);
                    let cut = Box3d { right: b.right.min(size.0), bottom: b.bottom.min(size.1), ..b };
                    let what =
                        format!("{format:?} {b:?} of {size:?}, pitch {row_pitch}, {given} bytes: {found:?}");
                    if empty {
                        assert_eq!(found, Ok(None), "{what}");
                    } else if blocks.is_some() && given >= needed {
                        assert_eq!(found, Ok(Some(cut)), "{what}");
                    } else {
                        assert!(found.is_err(), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn updates_that_wine_tests() {
    let resource = texture(Format::R8G8B8A8_UNORM, 4, 4, 1, 1);
    for (texels, row_pitch) in [
        (Box3d::rect(1, 1, 3, 3), 16),
        (Box3d::rect(0, 3, 3, 4), 16),
        (Box3d::rect(0, 0, 4, 1), 16),
        (Box3d::rect(0, 1, 1, 3), 4),
    ] {
        assert_eq!(update_subresource(&resource, 0, Some(texels), 64, row_pitch, 0), Ok(Some(texels)));
    }
    for nothing in [Box3d::rect(4, 4, 3, 1), Box3d { back: 0, ..Box3d::rect(0, 0, 4, 4) }] {
        assert_eq!(update_subresource(&resource, 0, Some(nothing), 64, 16, 0), Ok(None));
    }
    assert_eq!(update_subresource(&resource, 0, None, 64, 16, 0), Ok(Some(Box3d::rect(0, 0, 4, 4))));
}

#[test]
fn mips_are_generated_where_the_flag_and_the_format_allow_it() {
    let view = ViewDesc::Texture(TextureViewDesc {
        format: Format::R8G8B8A8_UNORM,
        dimension: ViewDimension::Texture2d,
        range: SubresourceRange { mips: 3, ..SubresourceRange::FIRST },
        flags: DsvFlags::empty(),
    });
    let plain = texture(Format::R8G8B8A8_UNORM, 8, 8, 3, 1);
    let flagged = bent(&plain, |d| d.misc_flags = MiscFlags::GENERATE_MIPS);
    for (resource, support, expected) in [
        (&flagged, EVERYTHING, true),
        (&flagged, EVERYTHING.difference(FormatSupport::MIP_AUTOGEN), false),
        (&plain, EVERYTHING, false),
        (&buffer(16), EVERYTHING, false),
    ] {
        assert_eq!(generate_mips(resource, &view, |_| support).is_ok(), expected, "{resource:?} {support:?}");
    }
}

/// Tests the 4 bytes of a counter at every offset, for buffers of several sizes and usages.
#[test]
fn a_counter_is_copied_to_whole_words_inside() {
    let view = |counter| {
        ViewDesc::Buffer(BufferViewDesc {
            format: Format::UNKNOWN,
            stride: 4,
            first_element: 0,
            elements: 1,
            raw: false,
            counter,
            append: false,
        })
    };
    for byte_width in 1..=16 {
        for offset in (0..=20).chain([u32::MAX, u32::MAX - 3]) {
            for usage in [Usage::Default, Usage::Dynamic, Usage::Staging, Usage::Immutable] {
                for counter in [false, true] {
                    let dst = BufferDesc { usage, ..BufferDesc::new(byte_width, BindFlags::VERTEX_BUFFER) };
                    let words = offset % 4 == 0 && u64::from(offset) + 4 <= u64::from(byte_width);
                    let expected = words && counter && usage != Usage::Immutable;
                    let found = validate::copy_structure_count(&dst, offset, &view(counter));
                    assert_eq!(
                        found.is_ok(),
                        expected,
                        "{byte_width} {offset} {usage:?} {counter}: {found:?}"
                    );
                }
            }
        }
    }
}
