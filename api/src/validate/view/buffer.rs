//! Structured, raw and typed views of buffers.

use onze_ddi::{BufferDesc, BufferViewDesc, Features, Format, FormatSupport, MiscFlags, PipelineCaps};

use super::{
    kind::ViewKind,
    range::{REST, part},
};
use crate::{
    report::Error,
    validate::{BufferUavFlags, flag_names, need},
};

/// The range of elements in the descriptor of a buffer view.
#[derive(Copy, Clone, Debug)]
pub(super) enum ElementRange {
    /// The complete buffer, because the descriptor has no dimension.
    All,
    /// The first element, the number of elements, and the flags.
    Some(u32, u32, BufferUavFlags),
    /// No range, because the dimension is for textures.
    None,
}

/// Size of one element of a raw view, in bytes.
const RAW_WORD: u32 = 4;

/// Alignment of a raw view's first element, in elements (D3D11: `D3D11_RAW_UAV_SRV_BYTE_ALIGNMENT`, 16 bytes).
const RAW_ALIGNMENT: u32 = 4;

/// Maximum number of elements in a typed or structured view (D3D11:
/// `D3D11_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP`, 27).
const MOST_ELEMENTS: u32 = 1 << 27;

/// Checks a structured, raw or typed view of a buffer.
pub(super) fn buffer_view(
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
