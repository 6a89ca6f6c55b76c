//! Validation of view descriptors, and the resolution of their defaults.

mod buffer;
mod kind;
mod range;

use onze_ddi::{
    DsvFlags, Features, Format, FormatSupport, PipelineCaps, ResourceDesc, TextureDesc, TextureViewDesc,
    ViewDesc, ViewDimension,
};

use super::{
    BufferUavFlags, DepthStencilViewDesc, RenderTargetViewDesc, RenderTargetViewDimension,
    ShaderResourceViewDesc, ShaderResourceViewDimension, UnorderedAccessViewDesc,
    UnorderedAccessViewDimension, flag_names, need, resource_name,
};
use crate::report::Error;

pub(crate) use buffer::buffer_view_support;
use buffer::{ElementRange, buffer_view};
pub(crate) use kind::{ViewKind, back_buffer_view};
use range::{resource_range, target_range, whole_resource};

/// Checks the descriptor of a shader-resource view and resolves its defaults.
///
/// Without a descriptor, or with a descriptor that has no dimension, the view has the resource's shape and
/// includes all mip levels and slices. The view of a cube texture is a cube, or an array of cubes if the
/// texture has at least 12 slices.
pub(crate) fn shader_resource_view(
    resource: &ResourceDesc,
    desc: Option<&ShaderResourceViewDesc>,
) -> Result<ViewDesc, Error> {
    let ShaderResourceViewDesc { format, dimension, plane_slice } = desc.copied().unwrap_or_default();
    no_planes(plane_slice)?;
    let elements = match dimension {
        None => ElementRange::All,
        Some(ShaderResourceViewDimension::Buffer { first_element, num_elements }) => {
            ElementRange::Some(first_element, num_elements, BufferUavFlags::empty())
        }
        Some(ShaderResourceViewDimension::BufferEx { first_element, num_elements, flags }) => {
            // RAW has the same value in both flag types.
            let flags = BufferUavFlags::from_bits_retain(flags.bits());
            ElementRange::Some(first_element, num_elements, flags)
        }
        Some(_) => ElementRange::None,
    };
    view(resource, ViewKind::ShaderResource, (format, elements), |texture| {
        let format = view_format(texture, ViewKind::ShaderResource, format)?;
        let dimension = dimension.unwrap_or_else(|| whole_resource(texture));
        let (dimension, range) = resource_range(texture, dimension)?;
        Ok(TextureViewDesc { format, dimension, range, flags: DsvFlags::empty() })
    })
}

/// Checks the descriptor of an unordered-access view and resolves its defaults, which select the complete
/// buffer, or all slices of a texture's mip 0.
pub(crate) fn unordered_access_view(
    resource: &ResourceDesc,
    desc: Option<&UnorderedAccessViewDesc>,
) -> Result<ViewDesc, Error> {
    use UnorderedAccessViewDimension as D;
    let UnorderedAccessViewDesc { format, dimension, plane_slice } = desc.copied().unwrap_or_default();
    no_planes(plane_slice)?;
    let (elements, texture_part) = match dimension {
        None => (ElementRange::All, None),
        Some(D::Buffer { first_element, num_elements, flags }) => {
            (ElementRange::Some(first_element, num_elements, flags), None)
        }
        Some(D::Texture1d { mip_slice }) => {
            (ElementRange::None, Some(RenderTargetViewDimension::Texture1d { mip_slice }))
        }
        Some(D::Texture1dArray { mip_slice, first_array_slice, array_size }) => {
            let part = RenderTargetViewDimension::Texture1dArray { mip_slice, first_array_slice, array_size };
            (ElementRange::None, Some(part))
        }
        Some(D::Texture3d { mip_slice, first_w_slice, w_size }) => {
            let part = RenderTargetViewDimension::Texture3d { mip_slice, first_w_slice, w_size };
            (ElementRange::None, Some(part))
        }
        Some(D::Texture2d { mip_slice }) => {
            (ElementRange::None, Some(RenderTargetViewDimension::Texture2d { mip_slice }))
        }
        Some(D::Texture2dArray { mip_slice, first_array_slice, array_size }) => {
            let part = RenderTargetViewDimension::Texture2dArray { mip_slice, first_array_slice, array_size };
            (ElementRange::None, Some(part))
        }
    };
    view(resource, ViewKind::UnorderedAccess, (format, elements), |texture| {
        let format = view_format(texture, ViewKind::UnorderedAccess, format)?;
        if format.is_srgb() {
            return invalid!("{format:?} cannot be written by shaders; name the format without SRGB");
        }
        let (dimension, range) = target_range(texture, texture_part)?;
        Ok(TextureViewDesc { format, dimension, range, flags: DsvFlags::empty() })
    })
}

/// Checks the descriptor of a render-target view and resolves its defaults, which select all slices of mip 0.
pub(crate) fn render_target_view(
    resource: &ResourceDesc,
    desc: Option<&RenderTargetViewDesc>,
) -> Result<ViewDesc, Error> {
    let RenderTargetViewDesc { format, dimension, plane_slice } = desc.copied().unwrap_or_default();
    no_planes(plane_slice)?;
    let elements = if dimension.is_some() { ElementRange::None } else { ElementRange::All };
    view(resource, ViewKind::RenderTarget, (format, elements), |texture| {
        let format = view_format(texture, ViewKind::RenderTarget, format)?;
        let (dimension, range) = target_range(texture, dimension)?;
        Ok(TextureViewDesc { format, dimension, range, flags: DsvFlags::empty() })
    })
}

/// Checks the descriptor of a depth-stencil view and resolves its defaults, which select all slices of mip 0.
pub(crate) fn depth_stencil_view(
    resource: &ResourceDesc,
    desc: Option<&DepthStencilViewDesc>,
) -> Result<ViewDesc, Error> {
    let DepthStencilViewDesc { format, dimension, flags } = desc.copied().unwrap_or_default();
    let elements = if dimension.is_some() { ElementRange::None } else { ElementRange::All };
    view(resource, ViewKind::DepthStencil, (format, elements), |texture| {
        let unknown = flags.difference(DsvFlags::all()).bits();
        if unknown != 0 {
            return invalid!("the flags have unknown bits {unknown:#x}");
        }
        let format = view_format(texture, ViewKind::DepthStencil, format)?;
        let (dimension, range) = target_range(texture, dimension)?;
        Ok(TextureViewDesc { format, dimension, range, flags })
    })
}

/// Checks whether the device supports a valid view of a texture, given its support of the view's format.
pub(crate) fn view_support(
    kind: ViewKind,
    view: &TextureViewDesc,
    caps: &PipelineCaps,
    support: FormatSupport,
) -> Result<(), Error> {
    use FormatSupport as S;
    if view.dimension == ViewDimension::TextureCubeArray {
        need(caps, Features::CUBE_ARRAYS, "a view of several cubes")?;
    }
    let samples = matches!(view.dimension, ViewDimension::Texture2dMs | ViewDimension::Texture2dMsArray);
    if samples && kind == ViewKind::ShaderResource {
        need(caps, Features::MULTISAMPLING, "a view of samples")?;
    }
    let wanted = match kind {
        ViewKind::ShaderResource => S::SHADER_LOAD | S::SHADER_SAMPLE | S::SHADER_SAMPLE_COMPARISON,
        ViewKind::RenderTarget => S::RENDER_TARGET,
        ViewKind::DepthStencil => S::DEPTH_STENCIL,
        ViewKind::UnorderedAccess => S::TYPED_UNORDERED_ACCESS_VIEW,
    };
    if !support.intersects(wanted) {
        return unsupported!("this device has no {} of {:?}", kind.name(), view.format);
    }
    Ok(())
}

/// Checks that the plane is 0, because no supported format has several planes.
fn no_planes(plane_slice: u32) -> Result<(), Error> {
    if plane_slice == 0 {
        return Ok(());
    }
    invalid!(
        "plane_slice must be 0, found {plane_slice}: only video formats have planes, and they are not supported; the format \
         of the view selects depth or stencil"
    )
}

/// Checks a view of any kind: the resource must have the bind flag for this kind, and its type must match the
/// descriptor's dimension.
fn view(
    resource: &ResourceDesc,
    kind: ViewKind,
    (format, elements): (Format, ElementRange),
    texture_view: impl FnOnce(&TextureDesc) -> Result<TextureViewDesc, Error>,
) -> Result<ViewDesc, Error> {
    let checked = if !resource.bind_flags().contains(kind.bind_flag()) {
        invalid!(
            "it was created without BindFlags::{}, found {}; add the flag to the descriptor of the resource",
            flag_names(kind.bind_flag()),
            flag_names(resource.bind_flags())
        )
    } else {
        match (resource, elements) {
            (ResourceDesc::Texture(_), ElementRange::Some(..)) => {
                invalid!("the dimension is that of a buffer, but the resource is a texture")
            }
            (ResourceDesc::Texture(texture), _) => texture_view(texture).map(ViewDesc::Texture),
            (ResourceDesc::Buffer(buffer), elements) => {
                buffer_view(buffer, kind, format, elements).map(ViewDesc::Buffer)
            }
        }
    };
    checked.map_err(|e| e.about(format_args!("{} of {}", kind.name(), resource_name(resource))))
}

/// Resolves the format of a view, which must equal the format of a typed resource, or be a member of a
/// typeless resource's family.
fn view_format(texture: &TextureDesc, kind: ViewKind, asked: Format) -> Result<Format, Error> {
    let resource = texture.format;
    let format = if asked == Format::UNKNOWN { resource } else { asked };
    if format.is_typeless() {
        return invalid!("a view needs a typed format, found {format:?}; name a member of that family");
    }
    if !resource.is_typeless() {
        return if format == resource {
            Ok(format)
        } else {
            invalid!(
                "{format:?} is not the texture's {resource:?}; create the texture as {:?} for views in several formats",
                resource.family()
            )
        };
    }
    let depth = resource.depth_stencil_format();
    if kind == ViewKind::DepthStencil {
        return if depth == Some(format) {
            Ok(format)
        } else {
            match depth {
                Some(depth) => {
                    invalid!("a depth-stencil view of {resource:?} must have {depth:?}, found {format:?}")
                }
                None => {
                    invalid!("{resource:?} has no depth or stencil, so it cannot have a depth-stencil view")
                }
            }
        };
    }
    if format.family() != resource || format.is_depth_stencil() {
        return invalid!(
            "{format:?} is not a format for a {} of {resource:?}; name a member of that family",
            kind.name()
        );
    }
    Ok(format)
}
