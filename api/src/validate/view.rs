//! Validation of view descriptors, and the resolution of their defaults.

use onze_ddi::{
    BindFlags, BufferDesc, BufferViewDesc, DsvFlags, Features, Format, FormatSupport, MiscFlags,
    PipelineCaps, ResourceDesc, SubresourceRange, TextureDesc, TextureShape, TextureViewDesc, ViewDesc,
    ViewDimension,
};

use super::{
    BufferUavFlags, DepthStencilViewDesc, RenderTargetViewDesc, RenderTargetViewDimension,
    ShaderResourceViewDesc, ShaderResourceViewDimension, UnorderedAccessViewDesc,
    UnorderedAccessViewDimension, flag_names, need, resource_name,
};
use crate::report::Error;

/// The count that selects all remaining elements, mip levels or slices (D3D11: `-1`).
const REST: u32 = u32::MAX;

/// Number of array slices in a cube, one for each face.
const FACES: u32 = 6;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ViewKind {
    /// A view through which shaders read a resource.
    ShaderResource,
    /// A view through which draws write colours.
    RenderTarget,
    /// A view that depth and stencil tests use.
    DepthStencil,
    /// A view through which shaders read and write a resource.
    UnorderedAccess,
}

impl ViewKind {
    /// The bind flag that a resource needs for views of this kind.
    const fn bind_flag(self) -> BindFlags {
        match self {
            Self::ShaderResource => BindFlags::SHADER_RESOURCE,
            Self::RenderTarget => BindFlags::RENDER_TARGET,
            Self::DepthStencil => BindFlags::DEPTH_STENCIL,
            Self::UnorderedAccess => BindFlags::UNORDERED_ACCESS,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::ShaderResource => "shader-resource view",
            Self::RenderTarget => "render-target view",
            Self::DepthStencil => "depth-stencil view",
            Self::UnorderedAccess => "unordered-access view",
        }
    }
}

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

/// The range of elements in the descriptor of a buffer view.
#[derive(Copy, Clone, Debug)]
enum ElementRange {
    /// The complete buffer, because the descriptor has no dimension.
    All,
    /// The first element, the number of elements, and the flags.
    Some(u32, u32, BufferUavFlags),
    /// No range, because the dimension is for textures.
    None,
}

/// Checks that the back buffer has the bind flag for a view, as set by the swap chain's descriptor.
pub(crate) fn back_buffer_view(back_buffer: &ResourceDesc, kind: ViewKind) -> Result<(), Error> {
    let (needed, found) = (kind.bind_flag(), back_buffer.bind_flags());
    let checked = if found.contains(needed) {
        return Ok(());
    } else if kind == ViewKind::ShaderResource {
        invalid!(
            "it is a back buffer without BindFlags::{}, found {}; add the flag to `SwapChainDesc::buffer_usage`",
            flag_names(needed),
            flag_names(found)
        )
    } else {
        invalid!(
            "it is a back buffer, which can only be a render target and a shader resource; make a texture with \
             BindFlags::{} for this",
            flag_names(needed)
        )
    };
    checked.map_err(|e| e.about(format_args!("{} of {}", kind.name(), resource_name(back_buffer))))
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

/// Size of one element of a raw view, in bytes.
const RAW_WORD: u32 = 4;

/// Alignment of a raw view's first element, in elements (D3D11: `D3D11_RAW_UAV_SRV_BYTE_ALIGNMENT`, 16 bytes).
const RAW_ALIGNMENT: u32 = 4;

/// Maximum number of elements in a typed or structured view (D3D11:
/// `D3D11_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP`, 27).
const MOST_ELEMENTS: u32 = 1 << 27;

/// Checks a structured, raw or typed view of a buffer.
fn buffer_view(
    buffer: &BufferDesc,
    kind: ViewKind,
    format: Format,
    elements: ElementRange,
) -> Result<BufferViewDesc, Error> {
    match kind {
        ViewKind::DepthStencil => return invalid!("a buffer has no depth-stencil views"),
        ViewKind::RenderTarget => return unsupported!("render-target views of buffers do not exist yet"),
        ViewKind::ShaderResource | ViewKind::UnorderedAccess => {}
    }
    let (mut counter, mut append) = (false, false);
    if let ElementRange::Some(first, count, flags) = elements {
        check_flags(kind, flags)?;
        if flags.contains(BufferUavFlags::RAW) {
            return raw_view(buffer, format, first, count);
        }
        (counter, append) = (flags.intersects(COUNTS), flags.contains(BufferUavFlags::APPEND));
    }
    if counter && !buffer.misc_flags.contains(MiscFlags::BUFFER_STRUCTURED) {
        return invalid!(
            "a view with a counter needs a structured buffer; create the buffer with \
             `BufferDesc::structured`, or leave APPEND and COUNTER out"
        );
    }
    if !buffer.misc_flags.contains(MiscFlags::BUFFER_STRUCTURED) {
        return match elements {
            ElementRange::All => invalid!(
                "a view of a buffer that is not structured needs a descriptor with its elements; use `typed_buffer` \
                 or `raw_buffer` of the descriptor"
            ),
            ElementRange::None => {
                invalid!("the dimension is that of a texture, but the resource is a buffer")
            }
            ElementRange::Some(first, count, _) => typed_view(buffer, format, first, count),
        };
    }
    if format != Format::UNKNOWN {
        return invalid!("a view of a structured buffer has the format UNKNOWN, found {format:?}");
    }
    let stride = buffer.structure_byte_stride;
    let total = buffer.byte_width / stride.max(1);
    let (first_element, elements) = match elements {
        ElementRange::All => part("elements", 0, REST, total)?,
        ElementRange::Some(first, count, _) => part("elements", first, count, total)?,
        ElementRange::None => {
            return invalid!("the dimension is that of a texture, but the resource is a buffer");
        }
    };
    few_elements("structured", elements)?;
    Ok(BufferViewDesc { format, stride, first_element, elements, raw: false, counter, append })
}

/// Checks the number of elements in a structured or typed view, whereas raw views have no limit.
fn few_elements(kind: &str, elements: u32) -> Result<(), Error> {
    if elements > MOST_ELEMENTS {
        return invalid!(
            "a {kind} view has at most {MOST_ELEMENTS} elements (2^27), found {elements}; use fewer, or create several \
             views"
        );
    }
    Ok(())
}

/// Checks a typed view, whose elements have a format.
fn typed_view(buffer: &BufferDesc, format: Format, first: u32, count: u32) -> Result<BufferViewDesc, Error> {
    if !format.is_buffer_element() {
        return invalid!(
            "a typed view of a buffer has elements of a plain colour format such as R32_FLOAT, found {format:?}; name \
             one, or make the buffer with `BufferDesc::structured`"
        );
    }
    let stride = format.bytes_per_block();
    let (first_element, elements) = part("elements of the format", first, count, buffer.byte_width / stride)?;
    few_elements("typed", elements)?;
    Ok(BufferViewDesc { format, stride, first_element, elements, raw: false, counter: false, append: false })
}

/// Checks whether the device supports a valid view of a buffer, given its support of the view's format.
pub(crate) fn buffer_view_support(
    kind: ViewKind,
    view: &BufferViewDesc,
    caps: &PipelineCaps,
    support: FormatSupport,
) -> Result<(), Error> {
    if view.counter {
        need(caps, Features::COUNTERS, "a view with a counter")?;
    }
    let Some(format) = view.typed() else { return Ok(()) };
    need(caps, Features::BUFFER_VIEWS, "a typed view of a buffer")?;
    let mut wanted = FormatSupport::BUFFER;
    wanted.set(FormatSupport::TYPED_UNORDERED_ACCESS_VIEW, kind == ViewKind::UnorderedAccess);
    if !support.contains(wanted) {
        return unsupported!("this device has no {} of a buffer in {format:?}", kind.name());
    }
    Ok(())
}

/// The flags of views that have a hidden counter.
const COUNTS: BufferUavFlags = BufferUavFlags::APPEND.union(BufferUavFlags::COUNTER);

/// Checks the flags of a view of a buffer.
fn check_flags(kind: ViewKind, flags: BufferUavFlags) -> Result<(), Error> {
    let known = if kind == ViewKind::UnorderedAccess { BufferUavFlags::all() } else { BufferUavFlags::RAW };
    let unknown = flags.difference(known).bits();
    if unknown != 0 {
        return invalid!("the flags have unknown bits {unknown:#x}");
    }
    if flags.contains(BufferUavFlags::RAW) && flags.intersects(COUNTS) {
        return invalid!("a raw view has no counter; leave APPEND and COUNTER out");
    }
    if flags.contains(COUNTS) {
        // The order of the elements is undefined with APPEND and defined with COUNTER.
        return invalid!(
            "APPEND and COUNTER exclude each other; choose APPEND where the order of the elements does not matter, and \
             COUNTER otherwise"
        );
    }
    Ok(())
}

/// Checks a raw view: its elements are 4-byte words, and the buffer must have BUFFER_ALLOW_RAW_VIEWS.
fn raw_view(buffer: &BufferDesc, format: Format, first: u32, count: u32) -> Result<BufferViewDesc, Error> {
    if !buffer.misc_flags.contains(MiscFlags::BUFFER_ALLOW_RAW_VIEWS) {
        return invalid!(
            "a raw view needs a buffer with BUFFER_ALLOW_RAW_VIEWS, found {}; add the flag to its descriptor, which \
             excludes BUFFER_STRUCTURED",
            flag_names(buffer.misc_flags)
        );
    }
    if format != Format::R32_TYPELESS {
        return invalid!("a raw view has the format R32_TYPELESS, found {format:?}");
    }
    if !first.is_multiple_of(RAW_ALIGNMENT) {
        return invalid!(
            "a raw view starts at a multiple of 16 bytes, so its first element must be a multiple of {RAW_ALIGNMENT}, found \
             {first}"
        );
    }
    let (first_element, elements) = part("elements of 4 bytes", first, count, buffer.byte_width / RAW_WORD)?;
    Ok(BufferViewDesc {
        format,
        stride: RAW_WORD,
        first_element,
        elements,
        raw: true,
        counter: false,
        append: false,
    })
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

/// The dimension of a shader-resource view whose descriptor specifies none.
fn whole_resource(texture: &TextureDesc) -> ShaderResourceViewDimension {
    use ShaderResourceViewDimension as D;
    let (most_detailed_mip, mip_levels, array_size) = (0, REST, texture.array_size);
    let is_cube = texture.misc_flags.contains(MiscFlags::TEXTURECUBE);
    match texture.shape {
        TextureShape::D1 if array_size == 1 => return D::Texture1d { most_detailed_mip, mip_levels },
        TextureShape::D1 => {
            return D::Texture1dArray { most_detailed_mip, mip_levels, first_array_slice: 0, array_size };
        }
        TextureShape::D3 => return D::Texture3d { most_detailed_mip, mip_levels },
        TextureShape::D2 => {}
    }
    match (texture.sample_count > 1, is_cube, array_size) {
        (true, _, 1) => D::Texture2dMs,
        (true, ..) => D::Texture2dMsArray { first_array_slice: 0, array_size },
        (false, true, slices) if slices >= 2 * FACES => {
            D::TextureCubeArray { most_detailed_mip, mip_levels, first_2d_array_face: 0, num_cubes: REST }
        }
        (false, true, _) => D::TextureCube { most_detailed_mip, mip_levels },
        (false, false, 1) => D::Texture2d { most_detailed_mip, mip_levels },
        (false, false, _) => {
            D::Texture2dArray { most_detailed_mip, mip_levels, first_array_slice: 0, array_size }
        }
    }
}

/// Resolves the dimension and the range of a shader-resource view.
fn resource_range(
    texture: &TextureDesc,
    dimension: ShaderResourceViewDimension,
) -> Result<(ViewDimension, SubresourceRange), Error> {
    use ShaderResourceViewDimension as D;
    let levels = texture.mip_levels;
    let mips = |first, count| part("mip levels", first, count, levels);
    let slices = |first, count| part("slices", first, count, texture.array_size);
    let (dimension, (first_mip, mips), (first_slice, slices)) = match dimension {
        D::Texture1d { most_detailed_mip, mip_levels } => {
            (ViewDimension::Texture1d, mips(most_detailed_mip, mip_levels)?, (0, 1))
        }
        D::Texture1dArray { most_detailed_mip, mip_levels, first_array_slice, array_size } => (
            ViewDimension::Texture1dArray,
            mips(most_detailed_mip, mip_levels)?,
            slices(first_array_slice, array_size)?,
        ),
        D::Texture3d { most_detailed_mip, mip_levels } => {
            (ViewDimension::Texture3d, mips(most_detailed_mip, mip_levels)?, (0, 1))
        }
        D::Texture2d { most_detailed_mip, mip_levels } => {
            (ViewDimension::Texture2d, mips(most_detailed_mip, mip_levels)?, (0, 1))
        }
        D::Texture2dArray { most_detailed_mip, mip_levels, first_array_slice, array_size } => (
            ViewDimension::Texture2dArray,
            mips(most_detailed_mip, mip_levels)?,
            slices(first_array_slice, array_size)?,
        ),
        // The caller has rejected dimensions of buffers before.
        D::Buffer { .. } | D::BufferEx { .. } => {
            return invalid!("the dimension is that of a buffer, but the resource is a texture");
        }
        D::Texture2dMs => (ViewDimension::Texture2dMs, (0, 1), (0, 1)),
        D::Texture2dMsArray { first_array_slice, array_size } => {
            (ViewDimension::Texture2dMsArray, (0, 1), slices(first_array_slice, array_size)?)
        }
        D::TextureCube { most_detailed_mip, mip_levels } => {
            (ViewDimension::TextureCube, mips(most_detailed_mip, mip_levels)?, cubes(texture, 0, 1)?)
        }
        D::TextureCubeArray { most_detailed_mip, mip_levels, first_2d_array_face, num_cubes } => (
            ViewDimension::TextureCubeArray,
            mips(most_detailed_mip, mip_levels)?,
            cubes(texture, first_2d_array_face, num_cubes)?,
        ),
    };
    fits_shape(texture, dimension)?;
    fits_samples(texture, dimension)?;
    // A shader-resource view always includes all depth slices.
    let w_size = texture.mip_depth(first_mip);
    Ok((dimension, SubresourceRange { first_mip, mips, first_slice, slices, first_w: 0, w_size }))
}

/// Resolves the dimension and the range of a view other than a shader-resource view, with a default range of
/// all slices of mip 0.
fn target_range(
    texture: &TextureDesc,
    dimension: Option<RenderTargetViewDimension>,
) -> Result<(ViewDimension, SubresourceRange), Error> {
    use RenderTargetViewDimension as D;
    let dimension = dimension.unwrap_or(whole_target(texture));
    let slices = |first, count| part("slices", first, count, texture.array_size);
    let mip = |mip| part("mip levels", mip, 1, texture.mip_levels).map(|(mip, _)| mip);
    // The range of array slices, followed by the range of depth slices.
    let one = (0, 1);
    let (dimension, first_mip, (first_slice, slices), (first_w, w_size)) = match dimension {
        D::Texture1d { mip_slice } => (ViewDimension::Texture1d, mip(mip_slice)?, one, one),
        D::Texture1dArray { mip_slice, first_array_slice, array_size } => {
            let slices = slices(first_array_slice, array_size)?;
            (ViewDimension::Texture1dArray, mip(mip_slice)?, slices, one)
        }
        D::Texture2d { mip_slice } => (ViewDimension::Texture2d, mip(mip_slice)?, one, one),
        D::Texture2dArray { mip_slice, first_array_slice, array_size } => {
            let slices = slices(first_array_slice, array_size)?;
            (ViewDimension::Texture2dArray, mip(mip_slice)?, slices, one)
        }
        D::Texture2dMs => (ViewDimension::Texture2dMs, 0, one, one),
        D::Texture2dMsArray { first_array_slice, array_size } => {
            (ViewDimension::Texture2dMsArray, 0, slices(first_array_slice, array_size)?, one)
        }
        D::Texture3d { mip_slice, first_w_slice, w_size } => {
            let mip = mip(mip_slice)?;
            let slices =
                part("depth slices in this mip level", first_w_slice, w_size, texture.mip_depth(mip))?;
            (ViewDimension::Texture3d, mip, one, slices)
        }
    };
    fits_shape(texture, dimension)?;
    fits_samples(texture, dimension)?;
    Ok((dimension, SubresourceRange { first_mip, mips: 1, first_slice, slices, first_w, w_size }))
}

/// The dimension of a target view whose descriptor specifies none, for a view of all slices of mip 0.
fn whole_target(texture: &TextureDesc) -> RenderTargetViewDimension {
    use RenderTargetViewDimension as D;
    let array_size = texture.array_size;
    match (texture.shape, texture.sample_count > 1) {
        (TextureShape::D1, _) if array_size == 1 => D::Texture1d { mip_slice: 0 },
        (TextureShape::D1, _) => D::Texture1dArray { mip_slice: 0, first_array_slice: 0, array_size },
        (TextureShape::D3, _) => D::Texture3d { mip_slice: 0, first_w_slice: 0, w_size: REST },
        (TextureShape::D2, false) if array_size == 1 => D::Texture2d { mip_slice: 0 },
        (TextureShape::D2, false) => D::Texture2dArray { mip_slice: 0, first_array_slice: 0, array_size },
        (TextureShape::D2, true) if array_size == 1 => D::Texture2dMs,
        (TextureShape::D2, true) => D::Texture2dMsArray { first_array_slice: 0, array_size },
    }
}

/// Checks that a view and its texture are both 1D, both 2D or both 3D.
fn fits_shape(texture: &TextureDesc, dimension: ViewDimension) -> Result<(), Error> {
    let shape = match dimension {
        ViewDimension::Texture1d | ViewDimension::Texture1dArray => TextureShape::D1,
        ViewDimension::Texture3d => TextureShape::D3,
        ViewDimension::Texture2d
        | ViewDimension::Texture2dArray
        | ViewDimension::Texture2dMs
        | ViewDimension::Texture2dMsArray
        | ViewDimension::TextureCube
        | ViewDimension::TextureCubeArray => TextureShape::D2,
    };
    if texture.shape == shape {
        return Ok(());
    }
    let words = |shape| match shape {
        TextureShape::D1 => "1D",
        TextureShape::D2 => "2D",
        TextureShape::D3 => "3D",
    };
    invalid!(
        "the dimension is that of a {} texture, but the resource is a {} texture; name a dimension for it",
        words(shape),
        words(texture.shape)
    )
}

/// Checks that the view of a multisampled texture has a multisampled dimension, whereas the view of a texture
/// with one sample may have either dimension.
fn fits_samples(texture: &TextureDesc, dimension: ViewDimension) -> Result<(), Error> {
    let samples = matches!(dimension, ViewDimension::Texture2dMs | ViewDimension::Texture2dMsArray);
    if texture.sample_count > 1 && !samples {
        return invalid!(
            "a texture with {} samples cannot have a view as {dimension:?}; use Texture2dMs or Texture2dMsArray, or resolve \
             it into a texture with one sample",
            texture.sample_count
        );
    }
    Ok(())
}

/// Checks a range within `0..total`, resolves [`REST`], and returns the first index and the count.
fn part(what: &str, first: u32, count: u32, total: u32) -> Result<(u32, u32), Error> {
    let rest = total.saturating_sub(first);
    let count = if count == REST { rest } else { count };
    if count == 0 || count > rest {
        return invalid!(
            "the resource has {total} {what}, but the view has {count} starting at number {first}; stay within them"
        );
    }
    Ok((first, count))
}

/// Checks a range of cubes, resolves [`REST`], and returns the first slice and the number of slices.
fn cubes(texture: &TextureDesc, first_face: u32, num_cubes: u32) -> Result<(u32, u32), Error> {
    if !texture.misc_flags.contains(MiscFlags::TEXTURECUBE) {
        return invalid!(
            "a texture without TEXTURECUBE cannot have a cube view; add the flag to its descriptor"
        );
    }
    let most = texture.array_size.saturating_sub(first_face) / FACES;
    let num_cubes = if num_cubes == REST { most } else { num_cubes };
    if num_cubes == 0 || num_cubes > most {
        let slices = texture.array_size;
        return invalid!(
            "{slices} slices have {most} cubes starting at slice {first_face}, but the view has {num_cubes}"
        );
    }
    Ok((first_face, num_cubes * FACES))
}
