use super::{ParseError, cursor::Cursor};

/// A format of a resource or an input element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of DXGI")]
pub enum Format {
    R32G32B32A32Float,
    R32G32B32A32Sint,
    R32G32B32A32Uint,
    R32G32Float,
    R32G32Sint,
    R32G32Uint,
    R32Float,
    /// The format `R32Float` for a comparison sampler, which requires a depth format.
    R32FloatShadow,
    R32Sint,
    R32Uint,
    R32Typeless,
    D32Float,
    /// The format of structured buffers, whose elements have a stride instead.
    Unknown,
}

/// The names of formats, ordered so that longer names precede their prefixes.
const FORMATS: [(&str, Format); 12] = [
    ("r32g32b32a32-float", Format::R32G32B32A32Float),
    ("r32g32b32a32-sint", Format::R32G32B32A32Sint),
    ("r32g32b32a32-uint", Format::R32G32B32A32Uint),
    ("r32g32-float", Format::R32G32Float),
    ("r32g32-sint", Format::R32G32Sint),
    ("r32g32-uint", Format::R32G32Uint),
    ("r32-float-shadow", Format::R32FloatShadow),
    ("r32-float", Format::R32Float),
    ("r32-sint", Format::R32Sint),
    ("r32-uint", Format::R32Uint),
    ("r32-typeless", Format::R32Typeless),
    ("unknown", Format::Unknown),
];

pub(super) fn format(cursor: &mut Cursor<'_>) -> Result<Format, ParseError> {
    cursor.one_of("format", &FORMATS)
}

/// The binding of a resource: the type of its view, and its slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// A render target view in this slot, written by pixel shaders with `SV_Target`.
    RenderTarget(u32),
    /// The depth stencil view, without a slot because there is only one.
    DepthStencil,
    /// A shader resource view in this `t` register, which shaders only read.
    ShaderResource(u32),
    /// An unordered access view in this `u` register, which shaders can read and write.
    UnorderedAccess(u32),
    /// A vertex buffer in this input assembler slot.
    VertexBuffer(u32),
}

impl Binding {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Binding, ParseError> {
        type Make = fn(u32) -> Binding;
        if cursor.word("dsv") {
            return Ok(Binding::DepthStencil);
        }
        let kinds: [(&str, Make); 4] = [
            ("rtv", Binding::RenderTarget),
            ("srv", Binding::ShaderResource),
            ("uav", Binding::UnorderedAccess),
            ("vb", Binding::VertexBuffer),
        ];
        Ok(cursor.one_of("resource", &kinds)?(cursor.number()?))
    }
}

/// The type of a resource, and its size unless the data determines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A buffer of the data's length with typed or structured views.
    Buffer,
    /// A buffer of the data's length for a `ByteAddressBuffer` or an `RWByteAddressBuffer`.
    RawBuffer,
    /// A structured buffer of 4-byte elements whose view has a counter.
    CounterBuffer,
    /// A 2D texture, which may be an array, multisampled, or both.
    Texture2D {
        /// The width of the first mip level in texels.
        width: u32,
        /// The height of the first mip level in texels.
        height: u32,
        /// The sample count, or 1 for a texture that is not multisampled.
        samples: u32,
        /// The number of layers, or 1 for a texture that is not an array.
        layers: u32,
    },
    /// A 3D texture, which cannot be an array or multisampled.
    Texture3D {
        /// The width of the first mip level in texels.
        width: u32,
        /// The height of the first mip level in texels.
        height: u32,
        /// The depth of the first mip level in texels.
        depth: u32,
    },
    /// A cube texture or an array of cube textures, with square faces.
    Cube {
        /// The width and height of each face in the first mip level, in texels.
        width: u32,
        /// The number of cubes, or 1 for a texture that is not an array.
        count: u32,
    },
    /// A 1D texture or an array of 1D textures, used only by programs of this project.
    Texture1D {
        /// The width of the first mip level in texels.
        width: u32,
        /// The number of layers, or 1 for a texture that is not an array.
        layers: u32,
    },
}

/// A resource with its binding, its type and its data.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    /// The binding of the resource, which only one resource can have at a time.
    pub binding: Binding,
    /// The format of texels or elements, or [`Format::Unknown`] if there is a stride.
    pub format: Format,
    /// The stride of a structured buffer in bytes, or `None` for other resources.
    pub stride: Option<u32>,
    /// The type and size of the resource, or `None` for a vertex buffer.
    pub size: Option<Size>,
    /// The number of mip levels (default: 1).
    pub levels: u32,
    /// The data of all mip levels in order, as 32-bit words.
    pub data: Vec<u32>,
}

impl Resource {
    /// Creates a resource without data, with the default format of its binding.
    pub fn new(binding: Binding) -> Resource {
        let format =
            if binding == Binding::DepthStencil { Format::D32Float } else { Format::R32G32B32A32Float };
        Resource { binding, format, stride: None, size: None, levels: 1, data: Vec::new() }
    }

    pub(super) fn line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        if cursor.word("format") {
            self.format = format(cursor)?;
        } else if cursor.word("stride") {
            self.stride = Some(cursor.number()?);
            self.format = Format::Unknown;
        } else if cursor.word("size") {
            let size = size(cursor)?;
            if size == Size::CounterBuffer {
                self.stride = Some(4);
                self.format = Format::Unknown;
            }
            self.size = Some(size);
        } else if cursor.word("levels") {
            self.levels = cursor.number()?;
        } else {
            self.data.extend(std::iter::from_fn(|| cursor.word32()));
        }
        Ok(())
    }
}

fn size(cursor: &mut Cursor<'_>) -> Result<Size, ParseError> {
    cursor.expect("(")?;
    let kinds = [
        "buffer",
        "raw_buffer",
        "counter_buffer",
        "1darray",
        "1d",
        "2dms",
        "2darray",
        "2d",
        "3d",
        "cubearray",
        "cube",
    ];
    let kind = kinds.into_iter().find(|kind| cursor.symbol(kind));
    let mut numbers = Vec::new();
    while cursor.symbol(",") {
        numbers.push(cursor.number()?);
    }
    cursor.expect(")")?;
    Ok(match (kind, numbers.as_slice()) {
        (Some("buffer"), [_]) => Size::Buffer,
        (Some("raw_buffer"), [_]) => Size::RawBuffer,
        (Some("counter_buffer"), [_]) => Size::CounterBuffer,
        (Some("2d"), &[width, height]) => Size::Texture2D { width, height, samples: 1, layers: 1 },
        (Some("2dms"), &[samples, width, height]) => Size::Texture2D { width, height, samples, layers: 1 },
        (Some("2darray"), &[width, height, layers]) => Size::Texture2D { width, height, samples: 1, layers },
        (Some("3d"), &[width, height, depth]) => Size::Texture3D { width, height, depth },
        (Some("cube"), &[width]) => Size::Cube { width, count: 1 },
        (Some("cubearray"), &[width, count]) => Size::Cube { width, count },
        (Some("1d"), &[width]) => Size::Texture1D { width, layers: 1 },
        (Some("1darray"), &[width, layers]) => Size::Texture1D { width, layers },
        _ => return Err(cursor.error("unknown size")),
    })
}

/// A filter mode for minification, magnification or mip levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// Selects the nearest texel or mip level without interpolation.
    Point,
    /// Interpolates linearly between the nearest texels or mip levels.
    Linear,
}

/// The address mode for coordinates outside the texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of Direct3D")]
pub enum Address {
    Clamp,
    Wrap,
    Mirror,
    MirrorOnce,
    Border,
}

/// A comparison function for comparison samplers and the depth test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of Direct3D")]
pub enum Comparison {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

pub(super) fn comparison(cursor: &mut Cursor<'_>) -> Result<Comparison, ParseError> {
    let comparisons = [
        ("less equal", Comparison::LessEqual),
        ("not equal", Comparison::NotEqual),
        ("greater equal", Comparison::GreaterEqual),
        ("never", Comparison::Never),
        ("less", Comparison::Less),
        ("equal", Comparison::Equal),
        ("greater", Comparison::Greater),
        ("always", Comparison::Always),
    ];
    cursor.one_of("comparison", &comparisons)
}

/// A sampler, described by a `[sampler]` block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampler {
    /// The slot of the sampler: the number of its `s` register.
    pub slot: u32,
    /// The filters for minification, magnification and mip levels, in this order.
    pub filter: [Filter; 3],
    /// The address modes for the coordinates u, v and w, in this order.
    pub address: [Address; 3],
    /// The comparison function of a comparison sampler, or `None` for other samplers.
    pub comparison: Option<Comparison>,
}

impl Sampler {
    pub(super) fn new(slot: u32) -> Sampler {
        Sampler { slot, filter: [Filter::Point; 3], address: [Address::Clamp; 3], comparison: None }
    }

    pub(super) fn line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        if cursor.word("filter") {
            for filter in &mut self.filter {
                *filter = cursor.one_of("filter", &[("point", Filter::Point), ("linear", Filter::Linear)])?;
            }
        } else if cursor.word("address") {
            let addresses = [
                ("clamp", Address::Clamp),
                ("wrap", Address::Wrap),
                ("mirror_once", Address::MirrorOnce),
                ("mirror", Address::Mirror),
                ("border", Address::Border),
            ];
            for address in &mut self.address {
                *address = cursor.one_of("address mode", &addresses)?;
            }
        } else if cursor.word("comparison") {
            self.comparison = Some(comparison(cursor)?);
        } else {
            return Err(cursor.error("unknown sampler state"));
        }
        Ok(())
    }
}

/// An element of the input layout, where the elements of a slot are packed without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputElement {
    /// The slot of the vertex buffer that contains the values of this element.
    pub slot: u32,
    /// The format of the element's values in the vertex buffer, which determines their size.
    pub format: Format,
    /// The name of the semantic in the vertex shader, without the index.
    pub name: String,
    /// The index of the semantic (default: 0).
    pub index: u32,
}

impl InputElement {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<InputElement, ParseError> {
        let slot = cursor.number()?;
        let format = format(cursor)?;
        let name = cursor.name().to_owned();
        let index = if cursor.is_empty() { 0 } else { cursor.number()? };
        Ok(InputElement { slot, format, name, index })
    }
}
