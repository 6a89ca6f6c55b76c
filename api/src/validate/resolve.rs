//! Validation of resolves, which average the samples of multisampled textures.

use onze_ddi::{Format, FormatSupport, TextureDesc, Usage};

/// Checks the rules of `ResolveSubresource`, where `support` returns the device's support of a format.
///
/// Both subresources must have the same size, because a resolve has no box.
pub(crate) fn resolve_subresource(
    to: &TextureDesc,
    dst_subresource: u32,
    from: &TextureDesc,
    src_subresource: u32,
    format: Format,
    support: impl FnOnce(Format) -> FormatSupport,
) -> Result<(), String> {
    for (what, texture, index) in [("destination", to, dst_subresource), ("source", from, src_subresource)] {
        let count = texture.subresources();
        if index >= count {
            return Err(format!(
                "the {what} has {count} subresources, counted from 0, so index {index} is out of range"
            ));
        }
    }
    if from.sample_count == 1 {
        return Err("the source has one sample per texel; copy it with `copy_subresource_region`".to_owned());
    }
    if to.sample_count > 1 {
        return Err(format!(
            "the destination has {} samples per texel; create it with sample_count 1",
            to.sample_count
        ));
    }
    if to.usage != Usage::Default {
        return Err(format!("the destination has Usage::{:?}; create it with Usage::Default", to.usage));
    }
    let size = |texture: &TextureDesc, index: u32| texture.mip_size(texture.mip_and_slice(index).0);
    let ((width, height), (to_width, to_height)) = (size(from, src_subresource), size(to, dst_subresource));
    if (width, height) != (to_width, to_height) {
        return Err(format!(
            "the source is {width} x {height} texels, and the destination {to_width} x {to_height}; resolve into a \
             subresource of the same size"
        ));
    }
    formats(to.format, from.format, format)?;
    if !support(format).contains(FormatSupport::MULTISAMPLE_RESOLVE) {
        return Err(format!(
            "this device cannot average samples of {format:?}; integers and depth have no average, so read the samples \
             in a shader"
        ));
    }
    Ok(())
}

/// Checks a resolve's format against the formats of both textures.
fn formats(to: Format, from: Format, format: Format) -> Result<(), String> {
    if format == Format::UNKNOWN || format.is_typeless() {
        return Err(format!(
            "a resolve needs a typed format, found {format:?}; name that of the typed texture"
        ));
    }
    if to.family() != from.family() {
        return Err(format!("{from:?} cannot be resolved to {to:?}; create both textures with one format"));
    }
    for (what, texture) in [("source", from), ("destination", to)] {
        let fits = if texture.is_typeless() { format.family() == texture } else { format == texture };
        if !fits {
            return Err(format!(
                "the {what} is of {texture:?} and the format is {format:?}; name the format of the typed texture, or \
                 make both of {:?} to choose one",
                texture.family()
            ));
        }
    }
    Ok(())
}
