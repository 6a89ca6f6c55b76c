use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Scalar {
    Bool,
    Int,
    Uint,
    Half,
    Float,
    Double,
    Min16Float,
    Min10Float,
    Min16Int,
    Min12Int,
    Min16Uint,
}

impl Scalar {
    const ALL: [(&str, Scalar); 12] = [
        ("bool", Scalar::Bool),
        ("int", Scalar::Int),
        ("uint", Scalar::Uint),
        ("dword", Scalar::Uint),
        ("half", Scalar::Half),
        ("float", Scalar::Float),
        ("double", Scalar::Double),
        ("min16float", Scalar::Min16Float),
        ("min10float", Scalar::Min10Float),
        ("min16int", Scalar::Min16Int),
        ("min12int", Scalar::Min12Int),
        ("min16uint", Scalar::Min16Uint),
    ];

    pub(crate) fn name(self) -> &'static str {
        Scalar::ALL.iter().find(|(_, scalar)| *scalar == self).map_or("", |(name, _)| name)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(
            self,
            Scalar::Half | Scalar::Float | Scalar::Double | Scalar::Min16Float | Scalar::Min10Float
        )
    }

    pub(crate) fn is_integer(self) -> bool {
        !self.is_float() && self != Scalar::Bool
    }

    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Scalar::Uint | Scalar::Min16Uint)
    }

    /// Returns the common type of two operands, which is `int` for two `bool`s.
    pub(crate) fn common(self, other: Scalar) -> Scalar {
        use Scalar::{
            Bool, Double, Float, Half, Int, Min10Float, Min12Int, Min16Float, Min16Int, Min16Uint, Uint,
        };
        if self == other {
            return if self == Bool { Int } else { self };
        }
        let either = |scalar| self == scalar || other == scalar;
        if either(Double) {
            Double
        } else if either(Float) || either(Half) {
            Float
        } else if self.is_float() || other.is_float() {
            if either(Min16Float) || !either(Min10Float) { Min16Float } else { Min10Float }
        } else if either(Uint) {
            Uint
        } else if either(Int) || either(Bool) {
            Int
        } else if either(Min16Uint) {
            Min16Uint
        } else if either(Min16Int) {
            Min16Int
        } else {
            Min12Int
        }
    }
}

/// The number of rows and columns, each between 1 and 4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    Scalar,
    /// A vector, which has one component only if it is declared like `float1`.
    Vector(u8),
    Matrix {
        rows: u8,
        columns: u8,
    },
}

/// Returns the numeric type with a name such as `float3x4`.
pub(crate) fn numeric(name: &str) -> Option<(Scalar, Shape)> {
    // Longer names precede their prefixes, because `min16uint` also begins with `min16`.
    let (scalar, rest) =
        Scalar::ALL.iter().find_map(|(text, scalar)| Some((*scalar, name.strip_prefix(text)?)))?;
    let size = |byte: u8| (b'1'..=b'4').contains(&byte).then(|| byte - b'0');
    let shape = match *rest.as_bytes() {
        [] => Shape::Scalar,
        [count] => Shape::Vector(size(count)?),
        [rows, b'x', columns] => Shape::Matrix { rows: size(rows)?, columns: size(columns)? },
        _ => return None,
    };
    Some((scalar, shape))
}

pub(crate) fn numeric_names<'a>() -> impl Iterator<Item = &'a str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut names = Vec::new();
        for (scalar, _) in Scalar::ALL {
            names.push(scalar.to_owned());
            for rows in 1..=4 {
                names.push(format!("{scalar}{rows}"));
                names.extend((1..=4).map(|columns| format!("{scalar}{rows}x{columns}")));
            }
        }
        names
    });
    NAMES.iter().map(|name| -> &'a str { name })
}

macro_rules! objects {
    ($($(#[$attribute:meta])* $name:ident $($text:literal)+,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub(crate) enum Object {
            $($(#[$attribute])* $name,)*
        }

        pub(crate) fn object(name: &str) -> Option<Object> {
            match name {
                $($($text)|+ => Some(Object::$name),)*
                _ => None,
            }
        }

        impl Object {
            pub(crate) const NAMES: &[&str] = &[$($($text,)+)*];

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Object::$name => [$($text),+][0],)*
                }
            }
        }
    };
}

objects! {
    Sampler "SamplerState" "sampler" "sampler1D" "sampler2D" "sampler3D" "samplerCUBE",
    SamplerComparison "SamplerComparisonState",
    Texture "Texture" "texture",
    Texture1D "Texture1D" "texture1D",
    Texture1DArray "Texture1DArray",
    Texture2D "Texture2D" "texture2D",
    Texture2DArray "Texture2DArray",
    Texture2DMS "Texture2DMS",
    Texture2DMSArray "Texture2DMSArray",
    Texture3D "Texture3D" "texture3D",
    TextureCube "TextureCube" "textureCUBE",
    TextureCubeArray "TextureCubeArray",
    RwTexture1D "RWTexture1D",
    RwTexture1DArray "RWTexture1DArray",
    RwTexture2D "RWTexture2D",
    RwTexture2DArray "RWTexture2DArray",
    RwTexture3D "RWTexture3D",
    RovTexture1D "RasterizerOrderedTexture1D",
    RovTexture1DArray "RasterizerOrderedTexture1DArray",
    RovTexture2D "RasterizerOrderedTexture2D",
    RovTexture2DArray "RasterizerOrderedTexture2DArray",
    RovTexture3D "RasterizerOrderedTexture3D",
    Buffer "Buffer",
    RwBuffer "RWBuffer",
    RovBuffer "RasterizerOrderedBuffer",
    StructuredBuffer "StructuredBuffer",
    RwStructuredBuffer "RWStructuredBuffer",
    RovStructuredBuffer "RasterizerOrderedStructuredBuffer",
    AppendStructuredBuffer "AppendStructuredBuffer",
    ConsumeStructuredBuffer "ConsumeStructuredBuffer",
    ByteAddressBuffer "ByteAddressBuffer",
    RwByteAddressBuffer "RWByteAddressBuffer",
    RovByteAddressBuffer "RasterizerOrderedByteAddressBuffer",
    /// A structure in a separate constant buffer, since Shader Model 5.1.
    ConstantBuffer "ConstantBuffer",
    /// A structure in a separate `tbuffer`, since Shader Model 5.1.
    TextureBuffer "TextureBuffer",
    InputPatch "InputPatch",
    OutputPatch "OutputPatch",
    PointStream "PointStream",
    LineStream "LineStream",
    TriangleStream "TriangleStream",
    /// Strings and states, which belong to effects and are skipped.
    String "string" "String",
    PixelShader "PixelShader" "pixelshader",
    VertexShader "VertexShader" "vertexshader",
    GeometryShader "GeometryShader",
    HullShader "HullShader",
    DomainShader "DomainShader",
    ComputeShader "ComputeShader",
    BlendState "BlendState",
    DepthStencilState "DepthStencilState",
    RasterizerState "RasterizerState",
    RenderTargetView "RenderTargetView",
    DepthStencilView "DepthStencilView",
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectFamily {
    Sampler,
    AnyTexture,
    Texture,
    WrittenTexture,
    TypedBuffer,
    WrittenTypedBuffer,
    StructuredBuffer,
    WrittenStructuredBuffer,
    List,
    ByteBuffer,
    WrittenByteBuffer,
    Constants,
    Vertices,
    Effect,
}

impl Object {
    pub(crate) fn family(self) -> ObjectFamily {
        match self {
            Self::Sampler | Self::SamplerComparison => ObjectFamily::Sampler,
            Self::Texture => ObjectFamily::AnyTexture,
            Self::Texture1D
            | Self::Texture1DArray
            | Self::Texture2D
            | Self::Texture2DArray
            | Self::Texture2DMS
            | Self::Texture2DMSArray
            | Self::Texture3D
            | Self::TextureCube
            | Self::TextureCubeArray => ObjectFamily::Texture,
            Self::RwTexture1D
            | Self::RwTexture1DArray
            | Self::RwTexture2D
            | Self::RwTexture2DArray
            | Self::RwTexture3D
            | Self::RovTexture1D
            | Self::RovTexture1DArray
            | Self::RovTexture2D
            | Self::RovTexture2DArray
            | Self::RovTexture3D => ObjectFamily::WrittenTexture,
            Self::Buffer => ObjectFamily::TypedBuffer,
            Self::RwBuffer | Self::RovBuffer => ObjectFamily::WrittenTypedBuffer,
            Self::StructuredBuffer => ObjectFamily::StructuredBuffer,
            Self::RwStructuredBuffer | Self::RovStructuredBuffer => ObjectFamily::WrittenStructuredBuffer,
            Self::AppendStructuredBuffer | Self::ConsumeStructuredBuffer => ObjectFamily::List,
            Self::ByteAddressBuffer => ObjectFamily::ByteBuffer,
            Self::RwByteAddressBuffer | Self::RovByteAddressBuffer => ObjectFamily::WrittenByteBuffer,
            Self::ConstantBuffer | Self::TextureBuffer => ObjectFamily::Constants,
            Self::InputPatch
            | Self::OutputPatch
            | Self::PointStream
            | Self::LineStream
            | Self::TriangleStream => ObjectFamily::Vertices,
            Self::String
            | Self::PixelShader
            | Self::VertexShader
            | Self::GeometryShader
            | Self::HullShader
            | Self::DomainShader
            | Self::ComputeShader
            | Self::BlendState
            | Self::DepthStencilState
            | Self::RasterizerState
            | Self::RenderTargetView
            | Self::DepthStencilView => ObjectFamily::Effect,
        }
    }
}

impl ObjectFamily {
    pub(crate) fn is_writable(self) -> bool {
        matches!(self, Self::WrittenTexture | Self::WrittenTypedBuffer | Self::WrittenStructuredBuffer)
    }

    pub(crate) fn has_texels(self) -> bool {
        matches!(self, Self::Texture | Self::WrittenTexture | Self::TypedBuffer | Self::WrittenTypedBuffer)
    }

    pub(crate) fn needs_element(self) -> bool {
        match self {
            Self::WrittenTexture
            | Self::WrittenTypedBuffer
            | Self::StructuredBuffer
            | Self::WrittenStructuredBuffer
            | Self::List
            | Self::Constants
            | Self::Vertices => true,
            Self::Sampler
            | Self::AnyTexture
            | Self::Texture
            | Self::TypedBuffer
            | Self::ByteBuffer
            | Self::WrittenByteBuffer
            | Self::Effect => false,
        }
    }
}

/// Returns the possible numbers of arguments of a function that sets an effect state.
pub(crate) fn setter_arguments(name: &str) -> Option<std::ops::RangeInclusive<usize>> {
    match name {
        "SetBlendState" => Some(3..=3),
        "SetDepthStencilState" => Some(2..=2),
        "SetRasterizerState" | "SetVertexShader" | "SetDomainShader" | "SetHullShader"
        | "SetGeometryShader" | "SetPixelShader" | "SetComputeShader" => Some(1..=1),
        "OMSetRenderTargets" => Some(2..=9),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_types_are_scalars_vectors_and_matrices() {
        assert_eq!(numeric("float"), Some((Scalar::Float, Shape::Scalar)));
        assert_eq!(numeric("dword1"), Some((Scalar::Uint, Shape::Vector(1))));
        assert_eq!(numeric("min16uint4"), Some((Scalar::Min16Uint, Shape::Vector(4))));
        assert_eq!(numeric("bool2x3"), Some((Scalar::Bool, Shape::Matrix { rows: 2, columns: 3 })));
        for name in ["float0", "float5", "float22", "float4x", "float4x5", "floatx", "flo", "int_", "Float"] {
            assert_eq!(numeric(name), None, "{name}");
        }
    }

    #[test]
    fn all_numeric_names_are_those_of_types() {
        assert_eq!(numeric_names().count(), 12 * 21);
        assert!(numeric_names().all(|name| numeric(name).is_some()));
    }

    #[test]
    fn objects_have_their_first_name() {
        assert_eq!(object("sampler2D").map(Object::name), Some("SamplerState"));
        assert_eq!(object("RWTexture2D").map(Object::name), Some("RWTexture2D"));
        assert_eq!(object("float4"), None);
    }
}
