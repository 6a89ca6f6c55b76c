//! Textures that the GPU reads: the checks of the adapter's support, their creation and their initial
//! contents.

use std::{borrow::Cow, sync::atomic::AtomicBool};

use onze_ddi::{BindFlags, CreateError, MiscFlags, SubresourceData, TextureDesc, TextureShape};

use crate::{
    objects::{
        depth_data::{self, DepthTarget, DepthWriter},
        family::Family,
    },
    services::{
        convert,
        gpu::Gpu,
        ids::unique_id,
        names::joined,
        packing::{Packing, packed},
    },
};

#[derive(Debug)]
pub(crate) struct TextureMemory {
    pub(crate) texture: wgpu::Texture,
    pub(crate) id: u64,
    pub(crate) format: wgpu::TextureFormat,
    /// A second format that views may have, which differs from `format` only in sRGB.
    pub(crate) twin: Option<wgpu::TextureFormat>,
    /// Width of mip 0 in texels.
    pub(crate) width: u32,
    /// Height of mip 0 in texels.
    pub(crate) height: u32,
    /// Depth slices of mip 0 of a 3D texture, or `None` for other textures, needed because wgpu tracks the
    /// initialization of each mip level of a 3D texture as a whole.
    pub(crate) depth: Option<u32>,
    pub(crate) samples: u32,
    /// Whether the texture was handed out by [`crate::interop`] or lent by a surface, in which case it is not
    /// destroyed with this object.
    pub(crate) lent: AtomicBool,
    pub(crate) family: Option<Box<Family>>,
    /// Memory layout of the texels, for a format that wgpu does not have.
    pub(crate) packing: Option<Packing>,
}

impl TextureMemory {
    pub(crate) fn mip_size(&self, mip: u32) -> (u32, u32) {
        let size = |n: u32| n.checked_shr(mip).unwrap_or(0).max(1);
        (size(self.width), size(self.height))
    }
}

impl Drop for TextureMemory {
    fn drop(&mut self) {
        // The workers' bind groups would otherwise keep the texture alive until the workers drop them. All
        // work that uses the texture has been submitted, because pages keep the texture alive until then.
        if !*self.lent.get_mut() {
            self.texture.destroy();
        }
    }
}

fn refused<T>(words: impl Into<Cow<'static, str>>) -> Result<T, CreateError> {
    Err(CreateError::Application(words.into()))
}

fn usages(gpu: &Gpu, desc: &TextureDesc, format: wgpu::TextureFormat, primary: bool) -> wgpu::TextureUsages {
    let mut usages = wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST;
    let makes_mips = desc.misc_flags.contains(MiscFlags::GENERATE_MIPS);
    let is_read = desc.bind_flags.contains(BindFlags::SHADER_RESOURCE) || makes_mips || primary;
    let is_target = desc.bind_flags.intersects(BindFlags::RENDER_TARGET | BindFlags::DEPTH_STENCIL);
    usages.set(wgpu::TextureUsages::TEXTURE_BINDING, is_read);
    // Copies into depth textures are draws, regardless of the texture's bind flags.
    let is_drawn = is_target || makes_mips || primary || format.is_depth_stencil_format();
    usages.set(wgpu::TextureUsages::RENDER_ATTACHMENT, is_drawn);
    if desc.sample_count > 1 && !format.is_depth_stencil_format() {
        // A draw reads the texture if wgpu cannot resolve it, or if it is drawn together with a larger depth
        // texture.
        let features = gpu.format_features(format);
        let resolves = features.flags.contains(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE);
        let must_read = is_read || desc.array_size > 1 || !resolves;
        let may_read = features.allowed_usages.contains(wgpu::TextureUsages::TEXTURE_BINDING);
        usages.set(wgpu::TextureUsages::TEXTURE_BINDING, must_read || may_read);
    }
    if desc.bind_flags.contains(BindFlags::UNORDERED_ACCESS) {
        // Views with sRGB are read-only, and writes use the format without sRGB.
        usages.set(wgpu::TextureUsages::STORAGE_BINDING, !format.is_srgb());
        let counts = matches!(format, wgpu::TextureFormat::R32Uint | wgpu::TextureFormat::R32Sint)
            && gpu.features.contains(wgpu::Features::TEXTURE_ATOMIC);
        usages.set(wgpu::TextureUsages::STORAGE_ATOMIC, counts);
    }
    usages
}

/// Creates a texture with the given contents, or else filled with zeros.
///
/// # Errors
/// Returns an error if memory is exhausted, or if the adapter does not support the texture.
pub(crate) fn create(
    gpu: &Gpu,
    desc: &TextureDesc,
    initial_data: &[SubresourceData<'_>],
    primary: bool,
) -> Result<TextureMemory, CreateError> {
    let format = check(gpu, desc, primary)?;
    // D3D11 allows views of typed textures only in their own format, except that back buffers also have sRGB
    // views. A list of view formats disables compression on some adapters, so other typed textures get none.
    let has_views = gpu.downlevel.flags.contains(wgpu::DownlevelFlags::VIEW_FORMATS);
    let twin = convert::srgb_twin(format).filter(|_| has_views && (primary || desc.format.is_typeless()));
    let twin = twin
        .filter(|twin| gpu.format_features(*twin).allowed_usages.contains(usages(gpu, desc, *twin, primary)));
    let (mips, usage) = (desc.mip_levels, usages(gpu, desc, format, primary));
    let packing = packed(desc.format).map(|(_, packing)| packing);
    let texture = gpu.guarded(|| {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: desc.label.as_deref(),
            size: wgpu::Extent3d {
                width: desc.width,
                height: desc.height,
                // Either the array size or the depth is 1, so the product is the value that applies to the
                // texture.
                depth_or_array_layers: desc.array_size * desc.depth,
            },
            mip_level_count: mips,
            sample_count: desc.sample_count,
            // A 1D texture is created as a 2D texture of height 1, because wgpu's 1D textures have neither
            // mip levels nor array slices.
            dimension: match desc.shape {
                TextureShape::D1 | TextureShape::D2 => wgpu::TextureDimension::D2,
                TextureShape::D3 => wgpu::TextureDimension::D3,
            },
            format,
            usage,
            view_formats: twin.as_slice(),
        });
        if desc.shape == TextureShape::D3 && usage.contains(wgpu::TextureUsages::RENDER_ATTACHMENT) {
            zero(&gpu.queue, &texture, format);
        }
        let data = (0u32..).zip(initial_data).map(|(at, data)| (at % mips, at / mips, data));
        if depth_data::is_drawn(format) && !initial_data.is_empty() {
            let mut writer = DepthWriter::new(gpu, format);
            for (mip, slice, data) in data {
                let to = DepthTarget { texture: &texture, mip, slice, size: desc.mip_size(mip) };
                writer.write(gpu, &to, desc.format, data);
            }
            writer.submit(gpu);
        } else if let Some(packing) = packing {
            write_packed(&gpu.queue, &texture, packing, desc, initial_data);
        } else {
            data.for_each(|(mip, slice, data)| upload(&gpu.queue, &texture, desc, mip, slice, data));
        }
        texture
    })?;
    Ok(TextureMemory {
        texture,
        id: unique_id(),
        format,
        twin,
        width: desc.width,
        height: desc.height,
        depth: (desc.shape == TextureShape::D3).then_some(desc.depth),
        samples: desc.sample_count,
        lent: AtomicBool::new(false),
        family: Family::new(desc.format, format),
        packing,
    })
}

/// Returns the wgpu format, or an error that describes the adapter's limitation.
fn check(gpu: &Gpu, desc: &TextureDesc, primary: bool) -> Result<wgpu::TextureFormat, CreateError> {
    let Some(format) = convert::physical_format(desc.format, desc.bind_flags) else {
        let flags = joined(desc.bind_flags.iter_names());
        return refused(format!("wgpu has no textures of {:?} with {flags}", desc.format));
    };
    let missing = format.required_features() - gpu.features;
    if !missing.is_empty() {
        let missing = joined(missing.iter_names());
        return refused(format!("textures of {:?} need the adapter's {missing}", desc.format));
    }
    let most = match desc.shape {
        TextureShape::D1 | TextureShape::D2 => gpu.limits.max_texture_dimension_2d,
        TextureShape::D3 => gpu.limits.max_texture_dimension_3d,
    };
    if desc.width > most || desc.height > most || desc.depth > most {
        return refused(format!("the adapter's textures are at most {most} texels wide, high and deep"));
    }
    let is_sliced = gpu.features.contains(wgpu::Features::TEXTURE_COMPRESSION_BC_SLICED_3D);
    if desc.shape == TextureShape::D3 && desc.format.is_block_compressed() && !is_sliced {
        return refused("the adapter has no compressed 3D textures");
    }
    if desc.array_size > gpu.limits.max_texture_array_layers {
        return refused(format!("the adapter's arrays have {} slices", gpu.limits.max_texture_array_layers));
    }
    let (block_width, block_height) = desc.format.block_size();
    if !desc.width.is_multiple_of(block_width) || !desc.height.is_multiple_of(block_height) {
        return refused(format!("{:?} is made of whole blocks of {block_width}x{block_height}", desc.format));
    }
    if let Some((_, packing)) = packed(desc.format) {
        if packing.block() > 1 && desc.bind_flags.contains(BindFlags::RENDER_TARGET) {
            return refused(format!(
                "two texels of {:?} share a colour, so it cannot be a render target",
                desc.format
            ));
        }
        if desc.sample_count > 1 {
            return refused(format!(
                "wgpu has no {:?}, and the format that replaces it cannot be multisampled",
                desc.format
            ));
        }
        if !gpu.downlevel.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            return refused(format!("textures of {:?} need compute shaders, to copy them", desc.format));
        }
    }
    let features = gpu.format_features(format);
    let lacking = usages(gpu, desc, format, primary) - features.allowed_usages;
    if !lacking.is_empty() {
        let lacking = joined(lacking.iter_names());
        return refused(format!("the adapter's textures of {:?} do not allow {lacking}", desc.format));
    }
    if desc.sample_count > 1 {
        check_samples(gpu, desc, format, features)?;
    }
    Ok(format)
}

fn check_samples(
    gpu: &Gpu,
    desc: &TextureDesc,
    format: wgpu::TextureFormat,
    features: wgpu::TextureFormatFeatures,
) -> Result<(), CreateError> {
    if !features.flags.sample_count_supported(desc.sample_count) {
        return refused(format!("the adapter's {:?} cannot have {} samples", desc.format, desc.sample_count));
    }
    let has_arrays = gpu.features.contains(wgpu::Features::MULTISAMPLE_ARRAY);
    if desc.array_size > 1 && !has_arrays || desc.mip_levels > 1 {
        return refused("the adapter's multisampled textures have one slice and one mip level");
    }
    if !usages(gpu, desc, format, false).contains(wgpu::TextureUsages::RENDER_ATTACHMENT) {
        return refused("a multisampled texture must be a render target or depth-stencil target");
    }
    Ok(())
}

/// Makes wgpu fill the mip levels of a 3D texture with zeros by writing one texel of each level. Without
/// this, wgpu considers a whole mip level initialized after a pass has drawn to one of its depth slices, and
/// leaves undefined contents in the other slices. This becomes unnecessary when wgpu tracks depth slices.
pub(crate) fn zero(queue: &wgpu::Queue, texture: &wgpu::Texture, format: wgpu::TextureFormat) {
    let (width, height) = format.block_dimensions();
    let bytes = vec![0; format.block_copy_size(None).unwrap_or(0) as usize];
    for mip_level in 0..texture.mip_level_count() {
        let to = wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() };
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: None, rows_per_image: None };
        let one = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        queue.write_texture(to, &bytes, layout, one);
    }
}

fn upload(
    queue: &wgpu::Queue,
    texture: &wgpu::Texture,
    desc: &TextureDesc,
    mip: u32,
    slice: u32,
    data: &SubresourceData<'_>,
) {
    let (width, height, depth) = desc.mip_extent(mip);
    let (row_bytes, rows) = (desc.format.row_pitch(width), desc.format.rows(height));
    let (block_width, block_height) = desc.format.block_size();
    for w in 0..depth {
        let bytes = data.bytes.get(w as usize * data.depth_pitch as usize..).unwrap_or_default();
        let (bytes, pitch) = rows_of(&SubresourceData { bytes, ..*data }, row_bytes, rows);
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture,
                mip_level: mip,
                origin: wgpu::Origin3d { x: 0, y: 0, z: slice + w },
                aspect: wgpu::TextureAspect::All,
            },
            &bytes,
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: Some(rows) },
            wgpu::Extent3d {
                width: width.next_multiple_of(block_width),
                height: height.next_multiple_of(block_height),
                depth_or_array_layers: 1,
            },
        );
    }
}

/// Writes all subresources of a texture whose format wgpu does not have, before the next submission. If no
/// contents are given, the texels are zero, except for components that the format lacks.
fn write_packed(
    queue: &wgpu::Queue,
    texture: &wgpu::Texture,
    packing: Packing,
    desc: &TextureDesc,
    initial_data: &[SubresourceData<'_>],
) {
    let mips = desc.mip_levels.max(1);
    for at in 0..mips * desc.array_size {
        let (mip, slice) = (at % mips, at / mips);
        let (width, height, depth) = desc.mip_extent(mip);
        let data = initial_data.get(at as usize);
        for w in 0..depth {
            let (bytes, pitch) = data.map_or((&[][..], 0), |data| {
                (data.bytes.get(w as usize * data.depth_pitch as usize..).unwrap_or_default(), data.row_pitch)
            });
            let wide = packing.widen_rows(bytes, pitch, [width, height]);
            queue.write_texture(
                wgpu::TexelCopyTextureInfo {
                    texture,
                    mip_level: mip,
                    origin: wgpu::Origin3d { x: 0, y: 0, z: slice + w },
                    aspect: wgpu::TextureAspect::All,
                },
                bytemuck::cast_slice(&wide),
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(4 * packing.wide_words() * width),
                    rows_per_image: Some(height),
                },
                wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            );
        }
    }
}

/// Returns the bytes of `rows` rows and their pitch, borrowed if possible. wgpu does not accept rows that
/// overlap or whose last bytes are missing, so these are copied and packed tightly.
pub(crate) fn rows_of<'a>(data: &SubresourceData<'a>, row_bytes: u32, rows: u32) -> (Cow<'a, [u8]>, u32) {
    let pitch = data.row_pitch as usize;
    let needed = pitch * (rows.saturating_sub(1) as usize) + row_bytes as usize;
    if data.row_pitch >= row_bytes && data.bytes.len() >= needed {
        return (Cow::Borrowed(data.bytes), data.row_pitch);
    }
    let row_len = row_bytes as usize;
    let mut packed = vec![0; row_len * rows as usize];
    for (row, to) in packed.chunks_exact_mut(row_len.max(1)).enumerate() {
        let from = data.bytes.get(row * pitch..).unwrap_or_default();
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
    }
    (Cow::Owned(packed), row_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_lent_when_they_can_be_and_packed_when_they_overlap() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        let data = |row_pitch| SubresourceData { bytes: &bytes, row_pitch, depth_pitch: 0 };
        assert!(matches!(rows_of(&data(4), 2, 2), (Cow::Borrowed(_), 4)));
        let (packed, pitch) = rows_of(&data(1), 2, 3);
        assert_eq!((packed.as_ref(), pitch), (&[1, 2, 2, 3, 3, 4][..], 2));
        let (packed, _) = rows_of(&data(6), 4, 2);
        assert_eq!(packed.as_ref(), [1, 2, 3, 4, 7, 8, 0, 0], "missing bytes are zero");
    }
}
