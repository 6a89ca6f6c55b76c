//! Tests of views, with the values that Wine's `test_create_shader_resource_view`,
//! `test_create_rendertarget_view` and `test_create_depthstencil_view` assert.

use onze_ddi::{
    BindFlags, DsvFlags, Features, Format, MiscFlags, ResourceDesc, SubresourceRange, Texture2dDesc,
    TextureDesc, TextureViewDesc, ViewDimension,
};

use super::*;
use crate::validate::{
    self, DepthStencilViewDesc, DepthStencilViewDimension, RenderTargetViewDesc, RenderTargetViewDimension,
    ShaderResourceViewDesc, ShaderResourceViewDimension, UnorderedAccessViewDesc, ViewKind, view_support,
};

/// Defines wrappers for the functions under test that return texture views only.
macro_rules! of_textures {
    ($($name:ident $desc:ident;)*) => {$(
        pub(super) fn $name(resource: &ResourceDesc, desc: Option<&$desc>) -> Result<TextureViewDesc, Error> {
            validate::$name(resource, desc).map(|view| *view.texture().expect("a view of a texture"))
        }
    )*};
}
of_textures! {
    shader_resource_view ShaderResourceViewDesc;
    render_target_view RenderTargetViewDesc;
    depth_stencil_view DepthStencilViewDesc;
}

pub(super) const REST: u32 = u32::MAX;
/// Boundary values for mip levels and slices.
const NUMBERS: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, REST];
const BOUND: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::RENDER_TARGET);

fn texture(format: Format, mip_levels: u32, array_size: u32, misc_flags: MiscFlags) -> ResourceDesc {
    ResourceDesc::from(Texture2dDesc {
        mip_levels,
        array_size,
        misc_flags,
        bind_flags: BOUND,
        ..Texture2dDesc::new(format, 512, 512)
    })
}

pub(super) fn plain(mip_levels: u32, array_size: u32) -> ResourceDesc {
    texture(Format::R8G8B8A8_UNORM, mip_levels, array_size, MiscFlags::empty())
}

fn depth(format: Format) -> ResourceDesc {
    ResourceDesc::from(Texture2dDesc { array_size: 4, ..Texture2dDesc::depth_stencil(format, 64, 64) })
}

fn bound_as(desc: ResourceDesc, bind_flags: BindFlags) -> ResourceDesc {
    match desc {
        ResourceDesc::Texture(d) => ResourceDesc::Texture(TextureDesc { bind_flags, ..d }),
        other => other,
    }
}

fn range(first_mip: u32, mips: u32, first_slice: u32, slices: u32) -> SubresourceRange {
    SubresourceRange { first_mip, mips, first_slice, slices, ..SubresourceRange::FIRST }
}

/// An oracle for the resolution of ranges, which lists the indices one by one, and returns `None` if the
/// range is empty or exceeds `total`. The count `REST` includes all indices from `first` on.
pub(super) fn part(first: u32, count: u32, total: u32) -> Option<(u32, u32)> {
    let members: Vec<u64> = match count {
        REST => (u64::from(first)..u64::from(total)).collect(),
        count => (u64::from(first)..u64::from(first) + u64::from(count)).collect(),
    };
    let all_exist = members.iter().all(|n| *n < u64::from(total));
    (!members.is_empty() && all_exist).then_some((first, members.len() as u32))
}

#[test]
fn every_mip_range_and_slice_range_of_a_shader_resource_view() {
    let resource = plain(4, 5);
    for (most_detailed_mip, mip_levels) in pairs() {
        let one = ShaderResourceViewDimension::Texture2d { most_detailed_mip, mip_levels };
        let expected = part(most_detailed_mip, mip_levels, 4).map(|(first, mips)| range(first, mips, 0, 1));
        let found = shader_resource_view(&resource, Some(&ShaderResourceViewDesc::dimension(one)));
        assert_eq!(found.map(|v| v.range).ok(), expected, "{one:?}");
        for (first_array_slice, array_size) in pairs() {
            let array = ShaderResourceViewDimension::Texture2dArray {
                most_detailed_mip,
                mip_levels,
                first_array_slice,
                array_size,
            };
            let expected = part(most_detailed_mip, mip_levels, 4)
                .zip(part(first_array_slice, array_size, 5))
                .map(|((mip, mips), (slice, slices))| range(mip, mips, slice, slices));
            let found = shader_resource_view(&resource, Some(&ShaderResourceViewDesc::dimension(array)));
            assert_eq!(found.as_ref().ok().map(|v| v.range), expected, "{array:?}: {found:?}");
            assert!(found.is_err() || found.is_ok_and(|v| v.dimension == ViewDimension::Texture2dArray));
        }
    }
}

fn pairs() -> impl Iterator<Item = (u32, u32)> {
    NUMBERS.into_iter().flat_map(|first| NUMBERS.into_iter().map(move |count| (first, count)))
}

#[test]
fn every_mip_and_slice_range_of_output_views() {
    let color = plain(4, 5);
    let ResourceDesc::Texture(shape) = color.clone() else { panic!("a texture") };
    let depth = ResourceDesc::Texture(TextureDesc {
        format: Format::D32_FLOAT,
        bind_flags: BindFlags::DEPTH_STENCIL,
        ..shape
    });
    for mip_slice in NUMBERS {
        for (first_array_slice, array_size) in pairs() {
            for dimension in [
                RenderTargetViewDimension::Texture2d { mip_slice },
                RenderTargetViewDimension::Texture2dArray { mip_slice, first_array_slice, array_size },
                RenderTargetViewDimension::Texture2dMs,
                RenderTargetViewDimension::Texture2dMsArray { first_array_slice, array_size },
            ] {
                let (mip, slices) = match dimension {
                    RenderTargetViewDimension::Texture1d { .. }
                    | RenderTargetViewDimension::Texture1dArray { .. }
                    | RenderTargetViewDimension::Texture3d { .. } => continue,
                    RenderTargetViewDimension::Texture2d { .. } => (mip_slice, Some((0, 1))),
                    RenderTargetViewDimension::Texture2dArray { .. } => {
                        (mip_slice, part(first_array_slice, array_size, 5))
                    }
                    RenderTargetViewDimension::Texture2dMs => (0, Some((0, 1))),
                    RenderTargetViewDimension::Texture2dMsArray { .. } => {
                        (0, part(first_array_slice, array_size, 5))
                    }
                };
                let expected = slices.filter(|_| mip < 4).map(|(first, slices)| range(mip, 1, first, slices));
                let desc = RenderTargetViewDesc { dimension: Some(dimension), ..Default::default() };
                let found = render_target_view(&color, Some(&desc));
                assert_eq!(found.as_ref().ok().map(|v| v.range), expected, "{dimension:?}: {found:?}");
                let desc = DepthStencilViewDesc { dimension: Some(dimension), ..Default::default() };
                let found = depth_stencil_view(&depth, Some(&desc));
                assert_eq!(found.as_ref().ok().map(|v| v.range), expected, "{dimension:?}: {found:?}");
            }
        }
    }
}

/// A view has a range of slices of one mip level, or all slices of mip 0 without a descriptor.
#[test]
fn every_mip_and_slice_range_of_unordered_access_views() {
    let written = |slices| bound_as(plain(4, slices), BindFlags::UNORDERED_ACCESS);
    let view = |resource: &ResourceDesc, desc: Option<&UnorderedAccessViewDesc>| {
        let found = validate::unordered_access_view(resource, desc);
        found.ok().and_then(|view| view.texture().map(|view| (view.dimension, view.range)))
    };
    for mip in NUMBERS {
        let desc = UnorderedAccessViewDesc::texture_2d(Format::UNKNOWN, mip);
        let expected = (mip < 4).then(|| (ViewDimension::Texture2d, range(mip, 1, 0, 1)));
        assert_eq!(view(&written(5), Some(&desc)), expected, "{mip}");
        for (first, count) in pairs() {
            let desc = UnorderedAccessViewDesc::texture_2d_array(Format::UNKNOWN, mip, first, count);
            let slices = part(first, count, 5).filter(|_| mip < 4);
            let expected =
                slices.map(|(first, count)| (ViewDimension::Texture2dArray, range(mip, 1, first, count)));
            assert_eq!(view(&written(5), Some(&desc)), expected, "{mip} {first} {count}");
        }
    }
    assert_eq!(view(&written(1), None), Some((ViewDimension::Texture2d, range(0, 1, 0, 1))));
    assert_eq!(view(&written(5), None), Some((ViewDimension::Texture2dArray, range(0, 1, 0, 5))));
}

#[test]
fn a_default_shader_resource_view_sees_the_whole_resource() {
    use ViewDimension as D;
    let cube = MiscFlags::TEXTURECUBE;
    let none = MiscFlags::empty();
    for (misc, slices, dimension, seen) in [
        (none, 1, D::Texture2d, 1),
        (none, 2, D::Texture2dArray, 2),
        (none, 6, D::Texture2dArray, 6),
        (cube, 6, D::TextureCube, 6),
        (cube, 9, D::TextureCube, 6),
        (cube, 11, D::TextureCube, 6),
        (cube, 12, D::TextureCubeArray, 12),
        (cube, 13, D::TextureCubeArray, 12),
        (cube, 14, D::TextureCubeArray, 12),
        (cube, 18, D::TextureCubeArray, 18),
    ] {
        let resource = texture(Format::R8G8B8A8_UNORM, 10, slices, misc);
        let expected = TextureViewDesc {
            format: Format::R8G8B8A8_UNORM,
            dimension,
            range: range(0, 10, 0, seen),
            flags: DsvFlags::empty(),
        };
        assert_eq!(shader_resource_view(&resource, None), Ok(expected), "{slices} slices");
        let default = ShaderResourceViewDesc::default();
        assert_eq!(shader_resource_view(&resource, Some(&default)), Ok(expected), "{slices} slices");
    }
}

#[test]
fn without_a_descriptor_a_target_is_all_slices_of_mip_0() {
    use ViewDimension as D;
    for (samples, slices, dimension) in
        [(1, 1, D::Texture2d), (1, 4, D::Texture2dArray), (4, 1, D::Texture2dMs), (4, 4, D::Texture2dMsArray)]
    {
        let color = Texture2dDesc {
            sample_count: samples,
            array_size: slices,
            mip_levels: 1,
            bind_flags: BOUND,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 64, 64)
        };
        let depth = Texture2dDesc {
            format: Format::D24_UNORM_S8_UINT,
            bind_flags: BindFlags::DEPTH_STENCIL,
            ..color.clone()
        };
        let (color, depth) = (ResourceDesc::from(color), ResourceDesc::from(depth));
        let expected = Some((dimension, range(0, 1, 0, slices)));
        let shape = |view: Result<TextureViewDesc, Error>| view.ok().map(|v| (v.dimension, v.range));
        assert_eq!(shape(render_target_view(&color, None)), expected);
        assert_eq!(shape(depth_stencil_view(&depth, None)), expected);
        assert_eq!(shape(shader_resource_view(&color, None)), expected);
    }
    let cube = texture(Format::R8G8B8A8_UNORM, 3, 6, MiscFlags::TEXTURECUBE);
    let view = render_target_view(&cube, None).expect("a cube is an array of targets");
    assert_eq!((view.dimension, view.range), (D::Texture2dArray, range(0, 1, 0, 6)));
}

#[test]
fn cubes_are_within_the_slices() {
    for slices in 6..=20 {
        let resource = texture(Format::R8G8B8A8_UNORM, 2, slices, MiscFlags::TEXTURECUBE);
        for first_2d_array_face in (0..22).chain([REST]) {
            for num_cubes in [0, 1, 2, 3, 4, REST / 6, REST / 6 + 1, REST] {
                let dimension = ShaderResourceViewDimension::TextureCubeArray {
                    most_detailed_mip: 1,
                    mip_levels: 1,
                    first_2d_array_face,
                    num_cubes,
                };
                // The number of complete cubes from the first face on.
                let room = (0..)
                    .take_while(|n| u64::from(first_2d_array_face) + 6 * (n + 1) <= u64::from(slices))
                    .count();
                let cubes = if num_cubes == REST { room } else { num_cubes as usize };
                let expected =
                    (cubes > 0 && cubes <= room).then(|| range(1, 1, first_2d_array_face, 6 * cubes as u32));
                let found =
                    shader_resource_view(&resource, Some(&ShaderResourceViewDesc::dimension(dimension)));
                assert_eq!(found.ok().map(|v| v.range), expected, "{dimension:?} of {slices} slices");
            }
        }
    }
    for dimension in [
        ShaderResourceViewDimension::TextureCube { most_detailed_mip: 0, mip_levels: 1 },
        ShaderResourceViewDimension::TextureCubeArray {
            most_detailed_mip: 0,
            mip_levels: 1,
            first_2d_array_face: 0,
            num_cubes: 1,
        },
    ] {
        let found = shader_resource_view(&plain(1, 6), Some(&ShaderResourceViewDesc::dimension(dimension)));
        assert_eq!(verdict(&found), Verdict::Invalid, "{dimension:?} needs the flag");
    }
}

/// Whether shaders may read a typeless resource in a format, whose name is then the prefix of the parent's
/// name, followed by a component type.
fn is_member(format: Format, parent: Format) -> bool {
    let (name, parent_name) = (format!("{format:?}"), format!("{parent:?}"));
    let rest = name.strip_prefix(parent_name.trim_end_matches("TYPELESS"));
    match parent {
        Format::R32G8X24_TYPELESS => {
            ["R32_FLOAT_X8X24_TYPELESS", "X32_TYPELESS_G8X24_UINT"].contains(&&*name)
        }
        Format::R24G8_TYPELESS => ["R24_UNORM_X8_TYPELESS", "X24_TYPELESS_G8_UINT"].contains(&&*name),
        Format::R10G10B10A2_TYPELESS if name == "R10G10B10_XR_BIAS_A2_UNORM" => true,
        _ => matches!(
            rest,
            Some("FLOAT" | "UNORM" | "UNORM_SRGB" | "SNORM" | "UINT" | "SINT" | "UF16" | "SF16")
        ),
    }
}

#[test]
fn a_view_s_format_fits_the_format_or_family_of_its_resource() {
    for &resource_format in Format::ALL {
        let resource = texture(resource_format, 1, 1, MiscFlags::empty());
        for &view_format in [Format::UNKNOWN].iter().chain(Format::ALL) {
            let planes = ["R32_FLOAT_X8X24_TYPELESS", "R24_UNORM_X8_TYPELESS"];
            let name = format!("{resource_format:?}");
            let typeless = name.ends_with("_TYPELESS") && !planes.contains(&&*name);
            let expected = if typeless {
                is_member(view_format, resource_format)
            } else {
                view_format == resource_format || view_format == Format::UNKNOWN
            };
            let found = shader_resource_view(&resource, Some(&ShaderResourceViewDesc::format(view_format)));
            assert_eq!(found.is_ok(), expected, "{view_format:?} of {resource_format:?}: {found:?}");
            let found = render_target_view(&resource, Some(&RenderTargetViewDesc::format(view_format)));
            assert_eq!(found.is_ok(), expected, "{view_format:?} of {resource_format:?}: {found:?}");
        }
    }
}

#[test]
fn depth_has_one_format_for_targets_and_is_read_as_its_family() {
    use Format as F;
    let families: [(Format, Option<Format>, &[Format]); 8] = [
        (
            F::R32G8X24_TYPELESS,
            Some(F::D32_FLOAT_S8X24_UINT),
            &[F::R32_FLOAT_X8X24_TYPELESS, F::X32_TYPELESS_G8X24_UINT],
        ),
        (F::R24G8_TYPELESS, Some(F::D24_UNORM_S8_UINT), &[F::R24_UNORM_X8_TYPELESS, F::X24_TYPELESS_G8_UINT]),
        (F::R32_TYPELESS, Some(F::D32_FLOAT), &[F::R32_FLOAT, F::R32_UINT, F::R32_SINT]),
        (
            F::R16_TYPELESS,
            Some(F::D16_UNORM),
            &[F::R16_FLOAT, F::R16_UNORM, F::R16_SNORM, F::R16_UINT, F::R16_SINT],
        ),
        (F::D32_FLOAT_S8X24_UINT, Some(F::D32_FLOAT_S8X24_UINT), &[]),
        (F::D24_UNORM_S8_UINT, Some(F::D24_UNORM_S8_UINT), &[]),
        (F::D32_FLOAT, Some(F::D32_FLOAT), &[]),
        (F::D16_UNORM, Some(F::D16_UNORM), &[]),
    ];
    for (resource, target, read) in families {
        for &format in Format::ALL {
            let found = depth_stencil_view(&depth(resource), Some(&DepthStencilViewDesc::format(format)));
            assert_eq!(found.is_ok(), Some(format) == target, "{format:?} of {resource:?}: {found:?}");
            if resource.is_typeless() {
                let both = bound_as(depth(resource), BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE);
                let found = shader_resource_view(&both, Some(&ShaderResourceViewDesc::format(format)));
                assert_eq!(found.is_ok(), read.contains(&format), "{format:?} of {resource:?}: {found:?}");
            }
        }
        let unknown = depth_stencil_view(&depth(resource), None);
        assert_eq!(unknown.is_ok(), !resource.is_typeless(), "{resource:?}: {unknown:?}");
    }
}

#[test]
fn read_only_flags_are_kept() {
    let resource = depth(Format::D24_UNORM_S8_UINT);
    for bits in 0..8 {
        let flags = DsvFlags::from_bits_retain(bits);
        let desc = DepthStencilViewDesc::texture_2d(Format::UNKNOWN, 0).read_only(flags);
        let found = depth_stencil_view(&resource, Some(&desc));
        assert_eq!(found.ok().map(|v| v.flags), (bits < 4).then_some(flags), "{bits}");
    }
}

#[test]
fn a_view_needs_its_bind_flag() {
    for bind in all_bind_flags() {
        let color = bound_as(plain(1, 1), bind);
        let depth = bound_as(depth(Format::D16_UNORM), bind);
        assert_eq!(shader_resource_view(&color, None).is_ok(), bind.bits() & 0x8 != 0, "{bind:?}");
        assert_eq!(render_target_view(&color, None).is_ok(), bind.bits() & 0x20 != 0, "{bind:?}");
        assert_eq!(depth_stencil_view(&depth, None).is_ok(), bind.bits() & 0x40 != 0, "{bind:?}");
    }
}

#[test]
fn multisampled_textures_need_multisampled_views() {
    let sampled = ResourceDesc::from(Texture2dDesc {
        sample_count: 4,
        mip_levels: 1,
        bind_flags: BOUND,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 64, 64)
    });
    let multi = RenderTargetViewDesc {
        dimension: Some(RenderTargetViewDimension::Texture2dMs),
        ..Default::default()
    };
    let single = RenderTargetViewDesc::texture_2d(Format::UNKNOWN, 0);
    assert!(render_target_view(&sampled, Some(&multi)).is_ok());
    assert!(render_target_view(&plain(1, 1), Some(&multi)).is_ok());
    assert!(render_target_view(&plain(1, 1), Some(&single)).is_ok());
    assert_eq!(verdict(&render_target_view(&sampled, Some(&single))), Verdict::Invalid);
    let single = ShaderResourceViewDesc::texture_2d(Format::UNKNOWN, 0, 1);
    assert_eq!(verdict(&shader_resource_view(&sampled, Some(&single))), Verdict::Invalid);
}

#[test]
fn short_constructors_create_the_expected_descriptors() {
    let resource = plain(4, 5);
    let shape = |view: Result<TextureViewDesc, Error>| view.map(|v| (v.dimension, v.range)).ok();
    let found =
        shader_resource_view(&resource, Some(&ShaderResourceViewDesc::texture_2d(Format::UNKNOWN, 1, 2)));
    assert_eq!(shape(found), Some((ViewDimension::Texture2d, range(1, 2, 0, 1))));
    let desc = ShaderResourceViewDesc::texture_2d_array(Format::UNKNOWN, 1, REST);
    assert_eq!(
        shape(shader_resource_view(&resource, Some(&desc))),
        Some((ViewDimension::Texture2dArray, range(0, 4, 1, 4)))
    );
    let desc = RenderTargetViewDesc::texture_2d_array(Format::UNKNOWN, 2, 1, 3);
    assert_eq!(
        shape(render_target_view(&resource, Some(&desc))),
        Some((ViewDimension::Texture2dArray, range(2, 1, 1, 3)))
    );
    let desc = DepthStencilViewDesc::texture_2d_array(Format::UNKNOWN, 0, 2, 2);
    let found = depth_stencil_view(&depth(Format::D32_FLOAT), Some(&desc));
    assert_eq!(shape(found), Some((ViewDimension::Texture2dArray, range(0, 1, 2, 2))));
    assert_eq!(
        desc.dimension,
        Some(DepthStencilViewDimension::Texture2dArray { mip_slice: 0, first_array_slice: 2, array_size: 2 })
    );
}

#[test]
fn missing_features_are_refused_by_name() {
    use FormatSupport as S;
    let cubes = texture(Format::R8G8B8A8_UNORM, 1, 12, MiscFlags::TEXTURECUBE);
    let cubes = shader_resource_view(&cubes, None).expect("valid");
    let one = shader_resource_view(&plain(1, 1), None).expect("valid");
    let samples = TextureViewDesc { dimension: ViewDimension::Texture2dMs, ..one };
    for (view, feature) in [(cubes, Features::CUBE_ARRAYS), (samples, Features::MULTISAMPLING)] {
        assert!(view_support(ViewKind::ShaderResource, &view, &full(), EVERYTHING).is_ok());
        let refused = view_support(ViewKind::ShaderResource, &view, &without(feature), EVERYTHING);
        let (name, _) = feature.iter_names().next().expect("one feature");
        assert!(reason(refused).contains(name), "{view:?}");
    }
    assert!(
        view_support(ViewKind::RenderTarget, &samples, &without(Features::MULTISAMPLING), EVERYTHING).is_ok()
    );
    for (kind, wanted) in [
        (ViewKind::ShaderResource, S::SHADER_LOAD | S::SHADER_SAMPLE | S::SHADER_SAMPLE_COMPARISON),
        (ViewKind::RenderTarget, S::RENDER_TARGET),
        (ViewKind::DepthStencil, S::DEPTH_STENCIL),
    ] {
        assert!(view_support(kind, &one, &full(), wanted).is_ok());
        let refused = view_support(kind, &one, &full(), EVERYTHING.difference(wanted));
        assert_eq!(verdict(&refused), Verdict::Unsupported, "{kind:?}");
    }
}
