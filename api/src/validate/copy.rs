//! Validation of copies, updates and mip generation, by functions that return the affected region, or the
//! reason for skipping the call.

use onze_ddi::{
    BindFlags, Box3d, BufferDesc, Format, FormatSupport, MiscFlags, ResourceDesc, TextureDesc, Usage,
    ViewDesc, format::copy_compatible,
};

use super::texture::{size_words, texels_are_given, texels_fit};

const DIFFERENT_KINDS: &str = "a buffer cannot be copied to a texture, nor a texture to a buffer";

/// Checks a copy of a complete resource, after the caller has checked that source and destination are
/// different resources.
pub(crate) fn copy_resource(dst: &ResourceDesc, src: &ResourceDesc) -> Result<(), String> {
    writable(dst)?;
    match (dst, src) {
        (ResourceDesc::Buffer(to), ResourceDesc::Buffer(from)) => {
            same_stride(to, from)?;
            if to.byte_width != from.byte_width {
                let (to, from) = (to.byte_width, from.byte_width);
                return Err(format!(
                    "the destination has {to} bytes and the source {from}; `copy_resource` needs equal sizes, \
                     `copy_subresource_region` copies parts"
                ));
            }
            Ok(())
        }
        (ResourceDesc::Texture(to), ResourceDesc::Texture(from)) => {
            same_texels(to, from)?;
            let shape = |t: &TextureDesc| (t.shape, t.mip_levels, t.array_size);
            let size = |t: &TextureDesc, mip: u32| {
                let (width, height, depth) = t.mip_extent(mip);
                match to.format.block_size() == from.format.block_size() {
                    true => (width, height, depth),
                    // A block of one texture corresponds to a texel of the other.
                    false => (t.format.blocks(width), t.format.rows(height), depth),
                }
            };
            let is_alike = |mip: u32| size(to, mip) == size(from, mip);
            if shape(to) != shape(from) || !(0..to.mip_levels).all(is_alike) {
                let words = |t: &TextureDesc| {
                    let (mips, slices) = (t.mip_levels, t.array_size);
                    format!("{} texels, {mips} mip levels, {slices} slices", size_words(t, 0))
                };
                return Err(format!(
                    "the destination has {}, and the source has {}; `copy_resource` needs equal shapes, \
                     `copy_subresource_region` copies parts",
                    words(to),
                    words(from)
                ));
            }
            Ok(())
        }
        (ResourceDesc::Buffer(_), ResourceDesc::Texture(_))
        | (ResourceDesc::Texture(_), ResourceDesc::Buffer(_)) => Err(DIFFERENT_KINDS.to_owned()),
    }
}

/// Checks a copy of a view's counter to an offset of a buffer.
pub(crate) fn copy_structure_count(dst: &BufferDesc, offset: u32, view: &ViewDesc) -> Result<(), String> {
    writable_usage(dst.usage)?;
    if !view.buffer().is_some_and(|view| view.counter) {
        return Err("the view has no counter; create it with BufferUavFlags::COUNTER or APPEND".to_owned());
    }
    if !offset.is_multiple_of(4) {
        return Err(format!("the offset must be a multiple of 4, found {offset}"));
    }
    let end = u64::from(offset) + 4;
    if end > dst.byte_width.into() {
        return Err(format!(
            "the counter's 4 bytes end at byte {end}, but the destination has {}; use a smaller offset",
            dst.byte_width
        ));
    }
    Ok(())
}

/// Checks a copy between two subresources and resolves its source box, or returns `None` if the copy has no
/// effect.
///
/// Without a box, the complete subresource is copied. A caller's box may extend past a mip level that is
/// smaller than a block, so the result is clipped to the source's mip level. For buffers, only x is used.
/// `same` is true if source and destination are the same subresource: their regions may overlap, and a copy
/// to the same position has no effect.
pub(crate) fn copy_region(
    dst: &ResourceDesc,
    dst_subresource: u32,
    at: [u32; 3],
    src: &ResourceDesc,
    src_subresource: u32,
    src_box: Option<Box3d>,
    same: bool,
) -> Result<Option<Box3d>, String> {
    let copied = resolve_copy(dst, dst_subresource, at, src, src_subresource, src_box)?;
    let is_there = |b: &Box3d| match src {
        ResourceDesc::Buffer(_) => at[0] == b.left,
        ResourceDesc::Texture(_) => at == [b.left, b.top, b.front],
    };
    Ok(copied.filter(|copied| !(same && is_there(copied))))
}

fn resolve_copy(
    dst: &ResourceDesc,
    dst_subresource: u32,
    at: [u32; 3],
    src: &ResourceDesc,
    src_subresource: u32,
    src_box: Option<Box3d>,
) -> Result<Option<Box3d>, String> {
    writable(dst)?;
    subresource("destination", dst, dst_subresource)?;
    subresource("source", src, src_subresource)?;
    match (dst, src) {
        (ResourceDesc::Buffer(to), ResourceDesc::Buffer(from)) => {
            same_stride(to, from)?;
            let Some(range) = buffer_box(from, src_box)? else { return Ok(None) };
            if is_structured(to) && is_structured(from) {
                let stride = from.structure_byte_stride.max(1);
                if [range.left, range.right, at[0]].iter().any(|x| !x.is_multiple_of(stride)) {
                    return Err(format!(
                        "the range does not consist of complete structures of {stride} bytes; begin and end at multiples of that"
                    ));
                }
            }
            let end = u64::from(at[0]) + u64::from(range.right - range.left);
            if end > u64::from(to.byte_width) {
                return Err(format!(
                    "the bytes end at byte {end}, but the destination has {}; copy fewer, or use a smaller offset",
                    to.byte_width
                ));
            }
            Ok(Some(range))
        }
        (ResourceDesc::Texture(to), ResourceDesc::Texture(from)) => {
            same_texels(to, from)?;
            copy_texels(to, dst_subresource, at, from, src_subresource, src_box)
        }
        (ResourceDesc::Buffer(_), ResourceDesc::Texture(_))
        | (ResourceDesc::Texture(_), ResourceDesc::Buffer(_)) => Err(DIFFERENT_KINDS.to_owned()),
    }
}

fn copy_texels(
    to: &TextureDesc,
    dst_subresource: u32,
    at: [u32; 3],
    from: &TextureDesc,
    src_subresource: u32,
    src_box: Option<Box3d>,
) -> Result<Option<Box3d>, String> {
    let (src_size, dst_size) = (size_of(from, src_subresource), size_of(to, dst_subresource));
    if from.sample_count > 1 || is_depth(from) || is_depth(to) {
        return match src_box {
            Some(b) if b.is_empty() => Ok(None),
            None if at == [0; 3] && src_size == dst_size => Ok(Some(whole(src_size))),
            _ => Err(
                "depth-stencil and multisampled textures are copied as complete subresources of equal size: no \
                      box, destination (0, 0, 0)"
                    .to_owned(),
            ),
        };
    }
    let Some(texels) = texture_box(from.format, src_size, src_box)? else { return Ok(None) };
    let (block_width, block_height) = to.format.block_size();
    if !at[0].is_multiple_of(block_width) || !at[1].is_multiple_of(block_height) {
        return Err(format!("the destination ({}, {}) is not the corner of a block", at[0], at[1]));
    }
    let size = (texels.right - texels.left, texels.bottom - texels.top);
    let size = to.format.texels_of_blocks(from.format, size);
    let end = |at: u32, size: u32| u64::from(at) + u64::from(size);
    let right = end(at[0], size.0);
    let bottom = end(at[1], size.1);
    let back = end(at[2], texels.back - texels.front);
    let fits = right <= u64::from(dst_size.0.next_multiple_of(block_width))
        && bottom <= u64::from(dst_size.1.next_multiple_of(block_height))
        && back <= u64::from(dst_size.2);
    if !fits {
        return Err(format!(
            "the texels end at ({right}, {bottom}) before depth slice {back} in a destination of {} x {} x {}; copy a \
             smaller box, or to another place",
            dst_size.0, dst_size.1, dst_size.2
        ));
    }
    Ok(Some(texels))
}

/// Checks an update from memory and resolves its box, or returns `None` for an empty box.
///
/// The pitches are the distances in bytes between rows (of blocks) and between depth slices. The row pitch is
/// ignored for buffers and single rows, and the depth pitch for buffers and single depth slices. A constant
/// buffer can only be updated as a whole.
pub(crate) fn update_subresource(
    dst: &ResourceDesc,
    subresource_index: u32,
    dst_box: Option<Box3d>,
    data_len: usize,
    row_pitch: u32,
    depth_pitch: u32,
) -> Result<Option<Box3d>, String> {
    updatable_usage(dst.usage())?;
    subresource("destination", dst, subresource_index)?;
    match dst {
        ResourceDesc::Buffer(buffer) => {
            if buffer.bind_flags.contains(BindFlags::CONSTANT_BUFFER) && dst_box.is_some() {
                return Err("a constant buffer is updated completely; pass None for the box".to_owned());
            }
            let Some(range) = buffer_box(buffer, dst_box)? else { return Ok(None) };
            let needed = range.right - range.left;
            if data_len < needed as usize {
                return Err(format!("{needed} bytes are updated and {data_len} are given; give all of them"));
            }
            Ok(Some(range))
        }
        ResourceDesc::Texture(texture) => {
            let Some(texels) = updated_texels(texture, subresource_index, dst_box)? else { return Ok(None) };
            let extent = (texels.right - texels.left, texels.bottom - texels.top, texels.back - texels.front);
            texels_are_given(texture.format, extent, data_len, (row_pitch, depth_pitch))?;
            Ok(Some(texels))
        }
    }
}

fn updatable_usage(usage: Usage) -> Result<(), String> {
    let cure = match usage {
        Usage::Default => return Ok(()),
        Usage::Dynamic => "map it with MapType::WriteDiscard",
        Usage::Staging => "map it with MapType::Write",
        Usage::Immutable => "create it with default usage",
    };
    Err(format!("an update needs Usage::Default, found {usage:?}; {cure}"))
}

fn updated_texels(
    texture: &TextureDesc,
    subresource_index: u32,
    dst_box: Option<Box3d>,
) -> Result<Option<Box3d>, String> {
    if texture.sample_count > 1 || is_depth(texture) {
        return Err("a depth-stencil or multisampled texture cannot be updated".to_owned());
    }
    texture_box(texture.format, size_of(texture, subresource_index), dst_box)
}

/// The layout of unpadded contents for a region of a subresource.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PackedRegion {
    /// Distance between rows (of blocks) in bytes, or 0 for buffers.
    pub(crate) row_pitch: u32,
    /// Distance between depth slices in bytes, or 0 for buffers.
    pub(crate) depth_pitch: u32,
    /// Size of all rows of all slices, in bytes.
    pub(crate) bytes: u64,
    /// The size and the format of the region, for messages.
    pub(crate) words: String,
}

/// Checks the region of an update from unpadded contents, and computes the layout of the contents, or returns
/// `None` for an empty region.
pub(crate) fn packed_region(
    dst: &ResourceDesc,
    subresource_index: u32,
    region: Option<Box3d>,
) -> Result<Option<PackedRegion>, String> {
    updatable_usage(dst.usage())?;
    subresource("destination", dst, subresource_index)?;
    match dst {
        ResourceDesc::Buffer(buffer) => {
            let Some(range) = buffer_box(buffer, region)? else { return Ok(None) };
            if buffer.bind_flags.contains(BindFlags::CONSTANT_BUFFER) {
                whole_constants(&range)?;
            }
            let words = format!("bytes {} to {} of the buffer", range.left, range.right);
            let bytes = u64::from(range.right - range.left);
            Ok(Some(PackedRegion { row_pitch: 0, depth_pitch: 0, bytes, words }))
        }
        ResourceDesc::Texture(texture) => {
            let Some(texels) = updated_texels(texture, subresource_index, region)? else { return Ok(None) };
            let (width, height) = (texels.right - texels.left, texels.bottom - texels.top);
            let (depth, format) = (texels.back - texels.front, texture.format);
            let row_pitch = format.row_pitch(width);
            let depth_pitch = row_pitch.saturating_mul(format.rows(height));
            let words = format!("{width} x {height} x {depth} texels of {format:?}");
            let bytes = u64::from(depth_pitch) * u64::from(depth);
            Ok(Some(PackedRegion { row_pitch, depth_pitch, bytes, words }))
        }
    }
}

/// Checks that a part of a constant buffer consists of complete constants.
fn whole_constants(range: &Box3d) -> Result<(), String> {
    if range.left.is_multiple_of(16) && range.right.is_multiple_of(16) {
        return Ok(());
    }
    Err(format!(
        "a part of a constant buffer must begin and end at a multiple of 16 bytes, found {} to {}",
        range.left, range.right
    ))
}

/// Checks a partial update of a constant buffer, and returns its byte range, or `None` for an empty range.
pub(crate) fn update_constants(
    buffer: &BufferDesc,
    subresource_index: u32,
    part: Box3d,
    data_len: usize,
) -> Result<Option<std::ops::Range<usize>>, String> {
    if subresource_index != 0 {
        return Err(format!("a buffer has one subresource, found index {subresource_index}; use 0"));
    }
    let Some(range) = buffer_box(buffer, Some(part))? else { return Ok(None) };
    whole_constants(&range)?;
    let needed = range.right - range.left;
    if data_len < needed as usize {
        return Err(format!("{needed} bytes are updated and {data_len} are given; give all of them"));
    }
    Ok(Some(range.left as usize..range.right as usize))
}

/// Checks a read of a texture region into memory and resolves its box, or returns `None` for an empty box.
pub(crate) fn read_subresource(
    src: &TextureDesc,
    subresource_index: u32,
    src_box: Option<Box3d>,
    memory_len: usize,
    pitches: (u32, u32),
) -> Result<Option<Box3d>, String> {
    subresource("source", &ResourceDesc::Texture(src.clone()), subresource_index)?;
    let Some(texels) = texture_box(src.format, size_of(src, subresource_index), src_box)? else {
        return Ok(None);
    };
    let extent = (texels.right - texels.left, texels.bottom - texels.top, texels.back - texels.front);
    texels_fit(src.format, extent, memory_len, pitches)?;
    Ok(Some(texels))
}

/// Checks mip generation through a view of a resource, where `support` returns the device's support of a
/// format.
pub(crate) fn generate_mips(
    resource: &ResourceDesc,
    view: &ViewDesc,
    support: impl FnOnce(Format) -> FormatSupport,
) -> Result<(), String> {
    let (ResourceDesc::Texture(texture), ViewDesc::Texture(view)) = (resource, view) else {
        return Err("a buffer has no mip levels".to_owned());
    };
    if !texture.misc_flags.contains(MiscFlags::GENERATE_MIPS) {
        return Err("the texture was created without MiscFlags::GENERATE_MIPS; add the flag, with RENDER_TARGET and SHADER_RESOURCE".to_owned());
    }
    if !support(view.format).contains(FormatSupport::MIP_AUTOGEN) {
        return Err(format!(
            "mip levels of {:?} cannot be generated; use a format that supports filtering and render targets",
            view.format
        ));
    }
    Ok(())
}

/// Checks that the resource has a subresource with this index.
fn subresource(what: &str, desc: &ResourceDesc, index: u32) -> Result<(), String> {
    let count = desc.subresources();
    if index < count {
        return Ok(());
    }
    Err(format!("the {what} has {count} subresources, counted from 0, so index {index} is out of range"))
}

fn writable(dst: &ResourceDesc) -> Result<(), String> {
    writable_usage(dst.usage())
}

fn writable_usage(dst: Usage) -> Result<(), String> {
    match dst {
        Usage::Immutable => Err("the destination is immutable; create it with default usage".to_owned()),
        Usage::Default | Usage::Dynamic | Usage::Staging => Ok(()),
    }
}

fn is_structured(buffer: &BufferDesc) -> bool {
    buffer.misc_flags.contains(MiscFlags::BUFFER_STRUCTURED)
}

/// Checks that two structured buffers have equally large structures.
fn same_stride(to: &BufferDesc, from: &BufferDesc) -> Result<(), String> {
    let (to_stride, from_stride) = (to.structure_byte_stride, from.structure_byte_stride);
    if is_structured(to) && is_structured(from) && to_stride != from_stride {
        return Err(format!(
            "the structures of the destination have {to_stride} bytes, and those of the source {from_stride}; make \
             buffers of one structure_byte_stride, or one that is not structured"
        ));
    }
    Ok(())
}

/// Checks that texels can be copied from one texture to the other without conversion.
fn same_texels(to: &TextureDesc, from: &TextureDesc) -> Result<(), String> {
    if !copy_compatible(to.format, from.format) {
        return Err(format!(
            "{:?} cannot be copied to {:?}; the formats must belong to one typeless family, or be blocks and texels of 64 or 128 bits",
            from.format, to.format
        ));
    }
    if to.sample_count != from.sample_count {
        return Err(format!(
            "the textures have {} and {} samples; both need the same sample count",
            to.sample_count, from.sample_count
        ));
    }
    Ok(())
}

/// Whether a texture contains depth or stencil, judging by its format and its bind flags.
fn is_depth(texture: &TextureDesc) -> bool {
    texture.format.is_depth_stencil() || texture.bind_flags.contains(BindFlags::DEPTH_STENCIL)
}

/// The size of a subresource's mip level, in texels.
fn size_of(texture: &TextureDesc, subresource: u32) -> (u32, u32, u32) {
    texture.mip_extent(texture.mip_and_slice(subresource).0)
}

fn whole((width, height, depth): (u32, u32, u32)) -> Box3d {
    Box3d { back: depth, ..Box3d::rect(0, 0, width, height) }
}

/// Resolves a box to a byte range of a buffer, or returns `None` for an empty box.
fn buffer_box(buffer: &BufferDesc, range: Option<Box3d>) -> Result<Option<Box3d>, String> {
    let width = buffer.byte_width;
    match range {
        None => Ok(Some(Box3d::bytes(0..width))),
        Some(range) if range.is_empty() => Ok(None),
        Some(range) if range.right > width => Err(format!(
            "the box ends at byte {}, but the buffer has {width}; make the box smaller",
            range.right
        )),
        Some(range) => Ok(Some(Box3d::bytes(range.left..range.right))),
    }
}

/// Resolves a box to texels of a mip level, or returns `None` for an empty box.
///
/// In compressed formats, a box must consist of complete blocks. At the right and bottom edges of the mip
/// level, the box may end at the last texel or at the end of that texel's block, but the result ends at the
/// last texel.
fn texture_box(
    format: Format,
    size: (u32, u32, u32),
    texels: Option<Box3d>,
) -> Result<Option<Box3d>, String> {
    let Some(texels) = texels else { return Ok(Some(whole(size))) };
    if texels.is_empty() {
        return Ok(None);
    }
    let (block_width, block_height) = format.block_size();
    let blocks = |size: u32, block: u32| size.next_multiple_of(block);
    let outside = texels.right > blocks(size.0, block_width)
        || texels.bottom > blocks(size.1, block_height)
        || texels.back > size.2;
    if outside {
        return Err(format!(
            "{} is not inside {} x {} x {} texels; make the box smaller",
            box_words(&texels),
            size.0,
            size.1,
            size.2
        ));
    }
    let is_end = |end: u32, size: u32, block: u32| end.is_multiple_of(block) || end == size;
    let aligned = texels.left.is_multiple_of(block_width)
        && texels.top.is_multiple_of(block_height)
        && is_end(texels.right, size.0, block_width)
        && is_end(texels.bottom, size.1, block_height);
    if !aligned {
        return Err(format!(
            "{} does not consist of complete blocks of {block_width} x {block_height} texels",
            box_words(&texels)
        ));
    }
    Ok(Some(Box3d { right: texels.right.min(size.0), bottom: texels.bottom.min(size.1), ..texels }))
}

/// Describes a box by its first texel and its exclusive end, for messages.
fn box_words(texels: &Box3d) -> String {
    let Box3d { left, top, front, right, bottom, back } = texels;
    format!("the box from ({left}, {top}, {front}) to ({right}, {bottom}, {back})")
}
