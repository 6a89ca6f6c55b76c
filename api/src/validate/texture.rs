//! Validation of texture descriptors: the rules of `D3D11_TEXTURE1D_DESC`, `D3D11_TEXTURE2D_DESC` and
//! `D3D11_TEXTURE3D_DESC`.

use onze_ddi::{
    BindFlags, Features, Format, FormatSupport, MiscFlags, PipelineCaps, SubresourceData, TextureDesc,
    TextureLayout, TextureShape, Usage,
};

use super::{
    flag_names, named, need,
    usage::{not_shared, usage},
};
use crate::report::Error;

/// Maximum width and height, in texels (D3D11: `D3D11_REQ_TEXTURE2D_U_OR_V_DIMENSION`,
/// `D3D11_REQ_TEXTURE1D_U_DIMENSION`).
const MAX_SIZE: u32 = 16384;
/// Maximum width, height and depth of a 3D texture, in texels (D3D11:
/// `D3D11_REQ_TEXTURE3D_U_V_OR_W_DIMENSION`).
const MAX_3D_SIZE: u32 = 2048;
/// Maximum number of array slices (D3D11: `D3D11_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION`,
/// `D3D11_REQ_TEXTURE1D_ARRAY_AXIS_DIMENSION`).
const MAX_SLICES: u32 = 2048;
/// Maximum sample count of a texture (D3D11: `D3D11_MAX_MULTISAMPLE_SAMPLE_COUNT`).
const MAX_SAMPLES: u32 = 32;
/// Maximum size of a resource, in bytes (D3D11: `D3D11_REQ_RESOURCE_SIZE_IN_MEGABYTES_EXPRESSION_C_TERM`).
const MAX_BYTES: u64 = 2048 << 20;

/// Checks the descriptor of a texture of any shape.
///
/// `contents` is the number of subresources with initial data, or `None` without initial data. It must equal
/// the texture's number of subresources, while [`subresource_data`] checks the data itself. `support` is the
/// device's support of the descriptor's format.
pub(crate) fn texture(
    desc: &TextureDesc,
    contents: Option<usize>,
    caps: &PipelineCaps,
    support: FormatSupport,
) -> Result<(), Error> {
    let check = || {
        size_rules(desc)?;
        usage(desc.usage, desc.bind_flags, desc.cpu_access_flags, desc.misc_flags, contents.is_some())?;
        bind_rules(desc)?;
        misc_rules(desc)?;
        sample_rules(desc, contents)?;
        if desc.usage == Usage::Dynamic && desc.subresources() != 1 {
            return invalid!(
                "a dynamic texture must have one mip level and one slice, found {} and {}",
                desc.mip_levels,
                desc.array_size
            );
        }
        if let Some(given) = contents.filter(|given| *given != desc.subresources() as usize) {
            let (mips, slices) = (desc.mip_levels, desc.array_size);
            return invalid!(
                "found contents for {given} subresources, but {mips} mip levels and {slices} slices have {}; pass contents for each, or set `mip_levels` to 1",
                desc.subresources()
            );
        }
        available(desc, caps, support)
    };
    check().map_err(|e| e.about(named("texture", desc.label.as_deref().unwrap_or_default())))
}

/// Checks the size, the number of slices and the number of mip levels.
fn size_rules(desc: &TextureDesc) -> Result<(), Error> {
    let TextureDesc { width, height, array_size, format, mip_levels, .. } = *desc;
    if format == Format::UNKNOWN {
        return invalid!("a texture needs a format, found UNKNOWN; name one, such as R8G8B8A8_UNORM");
    }
    let side = if desc.shape == TextureShape::D3 { MAX_3D_SIZE } else { MAX_SIZE };
    for (what, size, most) in [
        ("width", width, side),
        ("height", height, side),
        ("depth", desc.depth, side),
        ("array_size", array_size, MAX_SLICES),
    ] {
        if size == 0 || size > most {
            return invalid!("{what} is 1 to {most}, found {size}");
        }
    }
    let (block_width, block_height) = format.block_size();
    if desc.shape == TextureShape::D1 && block_height > 1 {
        return invalid!(
            "{format:?} consists of blocks, and a 1D texture has one row of texels; create a 2D texture"
        );
    }
    if !width.is_multiple_of(block_width) || !height.is_multiple_of(block_height) {
        return invalid!(
            "{format:?} needs a width and height of whole blocks of {block_width} x {block_height} texels, found \
             {width} x {height}"
        );
    }
    let chain = desc.whole_chain();
    if mip_levels > chain {
        return invalid!(
            "a texture of {} has at most {chain} mip levels, found {mip_levels}",
            size_words(desc, 0)
        );
    }
    Ok(())
}

/// Formats the size of a mip level, such as `4 x 2`.
pub(crate) fn size_words(desc: &TextureDesc, mip: u32) -> String {
    let (width, height, depth) = desc.mip_extent(mip);
    match desc.shape {
        TextureShape::D1 => width.to_string(),
        TextureShape::D2 => format!("{width} x {height}"),
        TextureShape::D3 => format!("{width} x {height} x {depth}"),
    }
}

/// Whether the format is valid for views but not for resources.
const fn is_view_only(format: Format) -> bool {
    matches!(
        format,
        Format::R32_FLOAT_X8X24_TYPELESS
            | Format::X32_TYPELESS_G8X24_UINT
            | Format::R24_UNORM_X8_TYPELESS
            | Format::X24_TYPELESS_G8_UINT
    )
}

/// Checks the bind flags against each other and against the format.
fn bind_rules(desc: &TextureDesc) -> Result<(), Error> {
    let (format, bind) = (desc.format, desc.bind_flags);
    let for_buffers = bind
        & (BindFlags::VERTEX_BUFFER
            | BindFlags::INDEX_BUFFER
            | BindFlags::CONSTANT_BUFFER
            | BindFlags::STREAM_OUTPUT);
    if !for_buffers.is_empty() {
        return invalid!("{} is for buffers only; remove it", flag_names(for_buffers));
    }
    if is_view_only(format) {
        return invalid!(
            "{format:?} is a format for views only; create the texture with {:?}",
            format.family()
        );
    }
    let is_depth = format.is_depth_stencil() || bind.contains(BindFlags::DEPTH_STENCIL);
    if desc.shape == TextureShape::D3 && is_depth {
        return invalid!("a 3D texture cannot hold depth or stencil; create a 2D array");
    }
    if bind.contains(BindFlags::DEPTH_STENCIL) {
        for output in [BindFlags::RENDER_TARGET, BindFlags::UNORDERED_ACCESS] {
            if bind.contains(output) {
                return invalid!(
                    "DEPTH_STENCIL and {} are mutually exclusive; create a texture for each use",
                    flag_names(output)
                );
            }
        }
        if format.depth_stencil_format().is_none() {
            return invalid!(
                "DEPTH_STENCIL needs a depth format, found {format:?}; use D32_FLOAT, D24_UNORM_S8_UINT or \
                 D16_UNORM"
            );
        }
    }
    let is_depth = format.is_depth_stencil();
    if bind.contains(BindFlags::SHADER_RESOURCE) && is_depth {
        return invalid!(
            "{format:?} cannot be a shader resource; create the texture with {:?}",
            format.family()
        );
    }
    // The typeless parents of formats with depth and stencil have no colour members, unlike R32_TYPELESS and
    // R16_TYPELESS.
    let only_depth = is_depth || format.has_stencil();
    if bind.contains(BindFlags::RENDER_TARGET) && (only_depth || !may_be_target(format)) {
        return invalid!("{format:?} cannot be a render target; use a colour format that is not compressed");
    }
    let unordered = may_be_target(format) && !only_depth && !format.is_srgb();
    if bind.contains(BindFlags::UNORDERED_ACCESS) && !unordered {
        return invalid!("{format:?} cannot have unordered-access views");
    }
    Ok(())
}

/// Whether Direct3D 11 may allow render targets and unordered-access views in the format, which must neither
/// be compressed nor have a shared exponent.
const fn may_be_target(format: Format) -> bool {
    matches!(format.block_size(), (1, 1)) && !matches!(format, Format::R9G9B9E5_SHAREDEXP)
}

fn misc_rules(desc: &TextureDesc) -> Result<(), Error> {
    let misc = desc.misc_flags;
    let for_buffers = misc
        & (MiscFlags::DRAWINDIRECT_ARGS | MiscFlags::BUFFER_ALLOW_RAW_VIEWS | MiscFlags::BUFFER_STRUCTURED);
    if !for_buffers.is_empty() {
        return invalid!("{} is for buffers only; remove it", flag_names(for_buffers));
    }
    let both = BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE;
    if misc.contains(MiscFlags::GENERATE_MIPS) && !desc.bind_flags.contains(both) {
        return invalid!(
            "GENERATE_MIPS needs RENDER_TARGET and SHADER_RESOURCE, found {}",
            flag_names(desc.bind_flags)
        );
    }
    if misc.contains(MiscFlags::TEXTURECUBE) {
        if desc.shape != TextureShape::D2 {
            return invalid!("the faces of a cube are slices of a 2D texture; remove TEXTURECUBE");
        }
        if desc.array_size < 6 {
            return invalid!("a cube needs an array_size of 6, found {}", desc.array_size);
        }
        if desc.width != desc.height {
            return invalid!("the faces of a cube must be square, found {} x {}", desc.width, desc.height);
        }
    }
    Ok(())
}

fn sample_rules(desc: &TextureDesc, contents: Option<usize>) -> Result<(), Error> {
    if desc.sample_quality != 0 {
        return invalid!("sample_quality must be 0, the only quality level, found {}", desc.sample_quality);
    }
    match desc.sample_count {
        0 => {
            return invalid!(
                "sample_count must be at least 1, found 0; use 1 for a texture that is not multisampled"
            );
        }
        1 => return Ok(()),
        2..=MAX_SAMPLES if desc.sample_count.is_power_of_two() => {}
        2..=MAX_SAMPLES => {
            return invalid!(
                "sample_count must be a power of two, found {}; use 2, 4 or 8",
                desc.sample_count
            );
        }
        more => return invalid!("sample_count must be at most {MAX_SAMPLES}, found {more}; use 2, 4 or 8"),
    }
    if desc.usage != Usage::Default {
        return invalid!("a multisampled texture needs Usage::Default, found {:?}", desc.usage);
    }
    if !desc.bind_flags.intersects(BindFlags::RENDER_TARGET | BindFlags::DEPTH_STENCIL) {
        return invalid!(
            "a multisampled texture needs RENDER_TARGET or DEPTH_STENCIL, found {}; add one to its bind flags",
            flag_names(desc.bind_flags)
        );
    }
    if desc.bind_flags.contains(BindFlags::UNORDERED_ACCESS) {
        return invalid!(
            "a multisampled texture cannot have unordered-access views; remove UNORDERED_ACCESS"
        );
    }
    if desc.mip_levels != 1 {
        return invalid!(
            "a multisampled texture must have one mip level, found {}; set mip_levels to 1",
            desc.mip_levels
        );
    }
    if desc.misc_flags.contains(MiscFlags::TEXTURECUBE) {
        return invalid!(
            "a multisampled texture cannot be a cube; remove TEXTURECUBE, or set sample_count to 1"
        );
    }
    if contents.is_some() {
        return invalid!(
            "a multisampled texture cannot have initial contents; pass None, and draw to it or clear it"
        );
    }
    Ok(())
}

/// Checks that the device supports the sample count for the format, given the number of quality `levels`.
pub(crate) fn sample_levels(format: Format, sample_count: u32, levels: u32) -> Result<(), Error> {
    if levels > 0 {
        return Ok(());
    }
    unsupported!(
        "this device has no targets of {format:?} with {sample_count} samples; `check_multisample_quality_levels` finds supported counts"
    )
}

/// Checks a valid descriptor against the limits and formats of this device.
fn available(desc: &TextureDesc, caps: &PipelineCaps, support: FormatSupport) -> Result<(), Error> {
    let (format, bind) = (desc.format, desc.bind_flags);
    not_shared(desc.misc_flags)?;
    if desc.shape != TextureShape::D2 {
        need(caps, Features::TEXTURE_1D_3D, "a 1D or 3D texture")?;
    }
    if bind.contains(BindFlags::UNORDERED_ACCESS) {
        need(caps, Features::UNORDERED_ACCESS, "UNORDERED_ACCESS")?;
    }
    if desc.sample_count > 1 {
        need(caps, Features::MULTISAMPLING, format_args!("sample_count {}", desc.sample_count))?;
    }
    if format.is_block_compressed() {
        need(caps, Features::BC_TEXTURES, format_args!("{format:?}"))?;
    }
    let side = if desc.shape == TextureShape::D3 { caps.max_texture_3d } else { caps.max_texture_2d };
    for (what, size, most) in [
        ("width", desc.width, side),
        ("height", desc.height, side),
        ("depth", desc.depth, side),
        ("array_size", desc.array_size, caps.max_array_slices),
    ] {
        if size > most {
            return unsupported!("{what} is {size}; this device has at most {most}");
        }
    }
    let missing = wanted(desc).into_iter().find(|(wanted, _)| !support.intersects(*wanted));
    if let Some((_, what)) = missing {
        return unsupported!("this device does not support {format:?} for {what}");
    }
    let bytes = desc.total_bytes();
    if bytes > MAX_BYTES {
        return Err(Error::OutOfMemory(format!(
            "the texture has {bytes} bytes, but the maximum is {MAX_BYTES}"
        )));
    }
    Ok(())
}

/// The support that a texture needs from the device, which must have at least one of the flags of each entry.
/// Bind flags of a typeless texture are not included, because they depend on the formats of its views.
fn wanted(desc: &TextureDesc) -> Vec<(FormatSupport, &'static str)> {
    use FormatSupport as S;
    let mut wanted = vec![match desc.shape {
        TextureShape::D1 => (S::TEXTURE1D, "1D textures"),
        TextureShape::D2 => (S::TEXTURE2D, "textures"),
        TextureShape::D3 => (S::TEXTURE3D, "3D textures"),
    }];
    let mut want = |condition: bool, support: FormatSupport, what: &'static str| {
        if condition {
            wanted.push((support, what));
        }
    };
    want(desc.misc_flags.contains(MiscFlags::TEXTURECUBE), S::TEXTURECUBE, "cubes");
    want(!desc.cpu_access_flags.is_empty(), S::CPU_LOCKABLE, "textures that the CPU maps");
    if !desc.format.is_typeless() {
        let bound = |flag| desc.bind_flags.contains(flag);
        let read = S::SHADER_LOAD | S::SHADER_SAMPLE | S::SHADER_SAMPLE_COMPARISON;
        want(bound(BindFlags::SHADER_RESOURCE), read, "shader resources");
        want(bound(BindFlags::RENDER_TARGET), S::RENDER_TARGET, "render targets");
        want(bound(BindFlags::DEPTH_STENCIL), S::DEPTH_STENCIL, "depth-stencil targets");
        let written = S::TYPED_UNORDERED_ACCESS_VIEW;
        want(bound(BindFlags::UNORDERED_ACCESS), written, "unordered-access views");
    }
    wanted
}

/// Checks the length of the initial data for a subresource, whose index is `mip + slice * mip_levels`.
pub(crate) fn subresource_data(
    desc: &TextureDesc,
    index: u32,
    data: &SubresourceData<'_>,
) -> Result<(), Error> {
    let about = || named("texture", desc.label.as_deref().unwrap_or_default());
    if index >= desc.subresources() {
        let count = desc.subresources();
        return invalid!(
            "{}: there are {count} subresources, counted from 0, so index {index} is out of range",
            about()
        );
    }
    let extent = desc.mip_extent(desc.mip_and_slice(index).0);
    match texels_fit(desc.format, extent, data.bytes.len(), (data.row_pitch, data.depth_pitch)) {
        Ok(()) => Ok(()),
        Err(reason) => invalid!("{}: subresource {index}: {reason}", about()),
    }
}

/// Checks that rows and depth slices with these pitches do not overlap, and that they fit into `bytes` bytes.
/// The row pitch of a single row and the depth pitch of a single slice are ignored.
pub(super) fn texels_fit(
    format: Format,
    (width, height, depth): (u32, u32, u32),
    bytes: usize,
    (row_pitch, depth_pitch): (u32, u32),
) -> Result<(), String> {
    let (row, rows) = (format.row_pitch(width), format.rows(height));
    if rows > 1 && row_pitch < row {
        return Err(format!(
            "a row of {width} texels of {format:?} has {row} bytes, and the row pitch is {row_pitch}; give \
             the bytes from one row to the next, at least {row}"
        ));
    }
    let slice = u64::from(rows.saturating_sub(1)) * u64::from(row_pitch) + u64::from(row);
    if depth > 1 && u64::from(depth_pitch) < slice {
        return Err(format!(
            "a depth slice of {width} x {height} texels of {format:?} with a row pitch of {row_pitch} has {slice} bytes, \
             and the depth pitch is {depth_pitch}; give the bytes from one slice to the next, at least {slice}"
        ));
    }
    texels_are_given(format, (width, height, depth), bytes, (row_pitch, depth_pitch))
}

/// Checks that rows and depth slices with these pitches fit into `bytes` bytes, although unlike in
/// [`texels_fit`] they may overlap in memory.
pub(super) fn texels_are_given(
    format: Format,
    (width, height, depth): (u32, u32, u32),
    bytes: usize,
    (row_pitch, depth_pitch): (u32, u32),
) -> Result<(), String> {
    let (row, rows) = (format.row_pitch(width), format.rows(height));
    let slice = u64::from(rows.saturating_sub(1)) * u64::from(row_pitch) + u64::from(row);
    if depth > 1 {
        let needed = u64::from(depth - 1) * u64::from(depth_pitch) + slice;
        if (bytes as u64) < needed {
            return Err(format!(
                "{width} x {height} x {depth} texels of {format:?} with a depth pitch of {depth_pitch} need {needed} \
                 bytes, and {bytes} are given; give all of them"
            ));
        }
    }
    let needed = slice;
    if (bytes as u64) < needed {
        return Err(format!(
            "{width} x {height} texels of {format:?} with a row pitch of {row_pitch} need {needed} bytes, and \
             {bytes} are given; give all of them"
        ));
    }
    Ok(())
}

/// Rejects the texture layouts that this library does not support.
pub(crate) fn texture_layout(layout: TextureLayout) -> Result<(), Error> {
    match layout {
        TextureLayout::Undefined => Ok(()),
        layout => unsupported!(
            "the texture layout {layout:?} is not supported; use TextureLayout::Undefined, and a map of a staging \
             texture for texels in rows"
        ),
    }
}
