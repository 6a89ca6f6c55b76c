//! The terms of the shading languages, for messages about shaders.
//!
//! A message about a shader names types, resources, inputs and outputs as the shader's source does. This file
//! produces these names from reflected items. [`SourceLanguage`] names types, inputs and outputs, and
//! [`ShaderTerms`] also has the shader's reflection, because HLSL's declarations of resources are more
//! precise than naga's.

use naga::{Handle, Type, TypeInner, UniqueArena, common::wgsl::TypeContext as _, proc::TypeResolution};
use onze_ddi::{
    ResourceKind, ResourceSlot, SampleKind, ScalarKind, ShaderInput, ShaderReflection, SlotClass,
    TextureDimension, UnorderedAccessKind, UnorderedAccessSlot, ViewDesc,
};

#[cfg(feature = "hlsl")]
use super::hlsl_terms;

/// The language of a shader's source, whose terms are used by messages about the shader.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceLanguage {
    /// WGSL, also used for naga's modules because WGSL's type names describe them best.
    Wgsl,
    Hlsl,
    #[cfg_attr(not(feature = "glsl"), expect(dead_code, reason = "only the feature creates such shaders"))]
    Glsl,
    Spirv,
}

impl SourceLanguage {
    /// Names a scalar or vector type, for example `vec3<f32>`, `float3` or `vec3`.
    pub(crate) fn value_type(self, kind: ScalarKind, components: u8) -> String {
        let scalar = self.scalar_type(kind);
        match (self, components) {
            (_, 1) => scalar.to_owned(),
            (Self::Wgsl, n) => format!("vec{n}<{scalar}>"),
            (Self::Hlsl, n) => format!("{scalar}{n}"),
            (Self::Glsl, n) => format!("{}vec{n}", glsl_prefix(kind)),
            (Self::Spirv, n) => format!("a vector of {n} {scalar}s"),
        }
    }

    /// Names the type of one component of a vector.
    pub(crate) const fn scalar_type(self, kind: ScalarKind) -> &'static str {
        match (self, kind) {
            (Self::Wgsl, ScalarKind::Float) => "f32",
            (Self::Wgsl, ScalarKind::Sint) => "i32",
            (Self::Wgsl, ScalarKind::Uint) => "u32",
            (Self::Hlsl | Self::Glsl, ScalarKind::Float) => "float",
            (Self::Hlsl | Self::Glsl, ScalarKind::Sint) => "int",
            (Self::Hlsl | Self::Glsl, ScalarKind::Uint) => "uint",
            (Self::Spirv, ScalarKind::Float) => "32-bit float",
            (Self::Spirv, ScalarKind::Sint) => "signed 32-bit integer",
            (Self::Spirv, ScalarKind::Uint) => "unsigned 32-bit integer",
        }
    }

    /// Names an input of a vertex shader, in HLSL by the input's semantic.
    pub(crate) fn vertex_input(self, input: &ShaderInput) -> String {
        let ShaderInput { name, location, semantic_name, semantic_index, .. } = input;
        match self {
            Self::Hlsl => format!("`{semantic_name}{semantic_index}`"),
            _ if name.is_empty() => format!("the input at {}", self.location(*location)),
            _ => format!("`{name}` ({})", self.location(*location)),
        }
    }

    /// Names an input of a vertex shader together with its semantic, because input layouts match inputs by
    /// semantic.
    pub(crate) fn semantic_input(self, input: &ShaderInput) -> String {
        let ShaderInput { name, location, semantic_name, semantic_index, .. } = input;
        if self == Self::Hlsl || name.is_empty() {
            return self.vertex_input(input);
        }
        format!("{semantic_name}{semantic_index} (`{name}`, {})", self.location(*location))
    }

    /// Names a location of inputs or outputs, which HLSL calls a register.
    pub(crate) fn location(self, location: u32) -> String {
        match self {
            Self::Wgsl => format!("@location({location})"),
            Self::Hlsl => format!("register {location}"),
            Self::Glsl => format!("layout(location = {location})"),
            Self::Spirv => format!("Location {location}"),
        }
    }

    /// Names the output of a pixel shader for a render target.
    pub(crate) fn target(self, slot: u32) -> String {
        match self {
            Self::Hlsl => format!("SV_Target{slot}"),
            _ => self.location(slot),
        }
    }

    /// Names the group or descriptor set of a resource.
    pub(super) fn group(self, group: u32) -> String {
        match self {
            Self::Wgsl | Self::Hlsl => format!("@group({group})"),
            Self::Glsl => format!("set {group}"),
            Self::Spirv => format!("DescriptorSet {group}"),
        }
    }

    /// Returns the attribute or layout qualifier that gives a resource its slot.
    pub(super) const fn binding(self) -> &'static str {
        match self {
            Self::Wgsl => "@binding",
            Self::Hlsl => "register",
            Self::Glsl => "binding",
            Self::Spirv => "Binding",
        }
    }

    /// Returns the file name that precedes the line and the column in a message.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Hlsl => "hlsl",
            Self::Glsl => "glsl",
            Self::Spirv => "spirv",
        }
    }

    /// Returns the attributes, qualifiers or decorations that give a resource its slot.
    pub(super) const fn place(self) -> &'static str {
        match self {
            Self::Wgsl => "`@group` and `@binding`",
            Self::Hlsl => "`register`",
            Self::Glsl => "`set` and `binding`",
            Self::Spirv => "DescriptorSet and Binding",
        }
    }

    /// Returns the attribute, qualifier or decoration of an input or output.
    pub(super) const fn varying(self) -> &'static str {
        match self {
            Self::Wgsl => "`@location(n)` or `@builtin(...)`",
            Self::Hlsl => "a semantic",
            Self::Glsl => "`layout(location = n)`",
            Self::Spirv => "Location or BuiltIn",
        }
    }

    /// Returns the attribute, qualifier or decoration of an input that is not interpolated.
    pub(super) const fn flat(self) -> &'static str {
        match self {
            Self::Wgsl => "`@interpolate(flat)`",
            Self::Hlsl => "`nointerpolation`",
            Self::Glsl => "`flat`",
            Self::Spirv => "Flat",
        }
    }

    /// Names a type of a module, by the type's own name if it has one, except in WGSL.
    pub(super) fn module_type(self, types: &UniqueArena<Type>, ty: Handle<Type>) -> String {
        match &types[ty].name {
            Some(name) if self != Self::Wgsl => name.clone(),
            _ => self.module_type_inner(types, &types[ty].inner),
        }
    }

    /// Names an unnamed type of a module.
    ///
    /// For WGSL, the result is naga's own name of the type, whereas for the other languages only numbers,
    /// vectors, matrices and arrays are translated. All other types keep their WGSL names; they rarely occur
    /// in validation errors.
    pub(super) fn module_type_inner(self, types: &UniqueArena<Type>, inner: &TypeInner) -> String {
        let name = match *inner {
            TypeInner::Scalar(scalar) => self.number(scalar, 1),
            TypeInner::Vector { size, scalar } => self.number(scalar, size as u8),
            TypeInner::Matrix { columns, rows, scalar } if scalar == naga::Scalar::F32 => {
                let (columns, rows) = (columns as u8, rows as u8);
                match self {
                    Self::Wgsl => None,
                    // HLSL gives the number of rows first, and its rows are naga's columns.
                    Self::Hlsl => Some(format!("float{columns}x{rows}")),
                    Self::Glsl => Some(format!("mat{columns}x{rows}")),
                    Self::Spirv => Some(format!("a matrix of {columns} columns and {rows} rows")),
                }
            }
            TypeInner::Array { base, size: naga::ArraySize::Constant(length), .. } if self != Self::Wgsl => {
                Some(format!("{}[{length}]", self.module_type(types, base)))
            }
            _ => None,
        };
        name.unwrap_or_else(|| types.type_resolution_to_string(&TypeResolution::Value(inner.clone())))
    }

    /// Names naga's scalar or vector type, or returns `None` for WGSL, and for scalars other than 32-bit
    /// numbers and booleans.
    fn number(self, scalar: naga::Scalar, components: u8) -> Option<String> {
        let kind = match scalar {
            naga::Scalar::F32 => ScalarKind::Float,
            naga::Scalar::I32 => ScalarKind::Sint,
            naga::Scalar::U32 => ScalarKind::Uint,
            naga::Scalar::BOOL => {
                return match (self, components) {
                    (Self::Wgsl, _) => None,
                    (_, 1) => Some("bool".to_owned()),
                    (Self::Glsl, n) => Some(format!("bvec{n}")),
                    (Self::Hlsl, n) => Some(format!("bool{n}")),
                    (Self::Spirv, n) => Some(format!("a vector of {n} bools")),
                };
            }
            _ => return None,
        };
        (self != Self::Wgsl).then(|| self.value_type(kind, components))
    }

    /// Names the type of a sampler with or without comparison.
    pub(crate) const fn sampler(self, comparison: bool) -> &'static str {
        match (self, comparison) {
            (Self::Wgsl, false) => "`sampler`",
            (Self::Wgsl, true) => "`sampler_comparison`",
            (Self::Hlsl, false) => "`SamplerState`",
            (Self::Hlsl, true) => "`SamplerComparisonState`",
            (Self::Glsl, false) => "`sampler`",
            (Self::Glsl, true) => "`samplerShadow`",
            (Self::Spirv, false) => "a sampler without comparison",
            (Self::Spirv, true) => "a sampler with comparison",
        }
    }

    /// Describes a resource that a shader reads, less precisely than [`ShaderTerms::resource`] for HLSL.
    fn resource(self, kind: ResourceKind) -> String {
        let (dimension, multisampled, sample) = match kind {
            ResourceKind::Buffer { stride, .. } => return self.buffer("StructuredBuffer", stride),
            ResourceKind::Texture { dimension, multisampled, sample } => (dimension, multisampled, sample),
        };
        let kind = sample.scalar_kind();
        let is_depth = sample == SampleKind::Depth;
        match self {
            Self::Wgsl => {
                let (shape, samples) =
                    (wgsl_shape(dimension), if multisampled { "multisampled_" } else { "" });
                if is_depth {
                    format!("`texture_depth_{samples}{shape}`")
                } else {
                    format!("`texture_{samples}{shape}<{}>`", self.scalar_type(kind))
                }
            }
            Self::Hlsl => {
                let (shape, samples) = (hlsl_shape(dimension), if multisampled { "MS" } else { "" });
                // `Array` is the last suffix, as in `Texture2DMSArray`, so the multisampling goes before it.
                let name = match shape.strip_suffix("Array") {
                    Some(shape) => format!("Texture{shape}{samples}Array"),
                    None => format!("Texture{shape}{samples}"),
                };
                format!("`{name}<{}>`{}", self.value_type(kind, 4), self.compared(is_depth))
            }
            Self::Glsl => {
                let (shape, samples) = (glsl_shape(dimension), if multisampled { "MS" } else { "" });
                let name = match shape.strip_suffix("Array") {
                    Some(shape) => format!("texture{shape}{samples}Array"),
                    None => format!("texture{shape}{samples}"),
                };
                format!("`{}{name}`{}", glsl_prefix(kind), self.compared(is_depth))
            }
            Self::Spirv => {
                let samples = if multisampled { "multisampled " } else { "" };
                let shape = plain_shape(dimension);
                match is_depth {
                    true => format!("a {samples}{shape} depth image"),
                    false => format!("a sampled {samples}{shape} image of {}s", self.scalar_type(kind)),
                }
            }
        }
    }

    /// Names the use that requires a depth texture, or returns an empty string for other textures.
    const fn compared(self, is_depth: bool) -> &'static str {
        match (self, is_depth) {
            (_, false) => "",
            (Self::Hlsl, true) => " with `SampleCmp`",
            (Self::Glsl, true) => " with `samplerShadow`",
            (Self::Wgsl | Self::Spirv, true) => " with comparison",
        }
    }

    /// Describes a resource that a shader writes, less precisely than [`ShaderTerms::unordered_access`] for HLSL.
    fn unordered_access(self, kind: UnorderedAccessKind) -> String {
        let (kind, dimension) = match kind {
            UnorderedAccessKind::Buffer { stride, .. } => return self.buffer("RWStructuredBuffer", stride),
            UnorderedAccessKind::TypedBuffer { kind, .. } => (kind, TextureDimension::D1),
            UnorderedAccessKind::Texture { dimension, kind, .. } => (kind, dimension),
        };
        let scalar = self.scalar_type(kind);
        match self {
            Self::Wgsl => {
                let components = match kind {
                    ScalarKind::Float => "floating-point",
                    ScalarKind::Sint => "signed",
                    ScalarKind::Uint => "unsigned",
                };
                format!("`texture_storage_{}` of {components} components", wgsl_shape(dimension))
            }
            Self::Hlsl if dimension == TextureDimension::D1 => format!("`RWBuffer<{scalar}4>`"),
            Self::Hlsl => format!("`RWTexture{}<{scalar}4>`", hlsl_shape(dimension)),
            Self::Glsl => format!("`{}image{}`", glsl_prefix(kind), glsl_shape(dimension)),
            Self::Spirv => format!("a {} storage image of {scalar}s", plain_shape(dimension)),
        }
    }

    /// Describes a structured or raw buffer, in HLSL including the type `hlsl`.
    fn buffer(self, hlsl: &str, stride: u32) -> String {
        match self {
            Self::Wgsl | Self::Spirv => format!("a buffer of elements of {stride} bytes"),
            Self::Hlsl => format!("`{hlsl}` of elements of {stride} bytes"),
            Self::Glsl => format!("`buffer` of elements of {stride} bytes"),
        }
    }

    /// Returns advice on the declarations that match a raw view and a typed view, in this order.
    const fn written_buffers(self) -> (&'static str, &'static str) {
        match self {
            Self::Wgsl => ("declare it as `array<u32>`", "declare it as `texture_storage_1d`"),
            Self::Hlsl => ("declare it as `RWByteAddressBuffer`", "declare it as `RWBuffer`"),
            Self::Glsl => ("declare it as a `buffer` of `uint`", "declare it as `image1D`"),
            Self::Spirv => ("make its elements 32-bit integers", "declare it as a 1D storage image"),
        }
    }
}

const fn glsl_prefix(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Float => "",
        ScalarKind::Sint => "i",
        ScalarKind::Uint => "u",
    }
}

const fn wgsl_shape(dimension: TextureDimension) -> &'static str {
    match dimension {
        TextureDimension::D1 => "1d",
        TextureDimension::D2 => "2d",
        TextureDimension::D2Array => "2d_array",
        TextureDimension::Cube => "cube",
        TextureDimension::CubeArray => "cube_array",
        TextureDimension::D3 => "3d",
    }
}

const fn hlsl_shape(dimension: TextureDimension) -> &'static str {
    match dimension {
        TextureDimension::D1 => "1D",
        TextureDimension::D2 => "2D",
        TextureDimension::D2Array => "2DArray",
        TextureDimension::Cube => "Cube",
        TextureDimension::CubeArray => "CubeArray",
        TextureDimension::D3 => "3D",
    }
}

/// GLSL has the same suffixes as HLSL for all shapes of textures.
const fn glsl_shape(dimension: TextureDimension) -> &'static str {
    hlsl_shape(dimension)
}

const fn plain_shape(dimension: TextureDimension) -> &'static str {
    match dimension {
        TextureDimension::D1 => "1D",
        TextureDimension::D2 => "2D",
        TextureDimension::D2Array => "arrayed 2D",
        TextureDimension::Cube => "cube",
        TextureDimension::CubeArray => "arrayed cube",
        TextureDimension::D3 => "3D",
    }
}

/// Names a shader's variables and resources in the terms of its language.
#[derive(Copy, Clone)]
pub(crate) struct ShaderTerms<'a> {
    pub(crate) language: SourceLanguage,
    pub(crate) code: &'a ShaderReflection,
    #[cfg(feature = "hlsl")]
    pub(super) hlsl: Option<&'a onze_hlsl::reflection::Reflection>,
}

impl ShaderTerms<'_> {
    /// Names the variable in a slot, with the fallback `name`, the variable's name in naga's module.
    pub(crate) fn variable(self, class: SlotClass, slot: u32, name: &str) -> String {
        #[cfg(feature = "hlsl")]
        if let Some(name) = self.hlsl.and_then(|hlsl| hlsl_terms::variable(hlsl, class, slot)) {
            return name;
        }
        let _ = (class, slot);
        name.to_owned()
    }

    /// Formats the declaration of a resource that the shader reads.
    pub(crate) fn resource(self, resource: &ResourceSlot) -> String {
        #[cfg(feature = "hlsl")]
        if let Some(declaration) = self.hlsl.and_then(|hlsl| hlsl_terms::resource(hlsl, resource)) {
            return declaration;
        }
        self.language.resource(resource.kind)
    }

    /// Formats the declaration of a resource that the shader writes.
    fn unordered_access(self, written: &UnorderedAccessSlot) -> String {
        #[cfg(feature = "hlsl")]
        if let Some(declaration) = self.hlsl.and_then(|hlsl| hlsl_terms::unordered_access(hlsl, written)) {
            return declaration;
        }
        self.language.unordered_access(written.kind)
    }

    /// Formats the declaration of a resource that the shader writes, and returns advice for a bound view that
    /// does not match it.
    pub(crate) fn unordered_access_and_cure(
        self,
        view: &ViewDesc,
        written: &UnorderedAccessSlot,
    ) -> (String, &'static str) {
        let declared = self.unordered_access(written);
        let (raw, typed) = self.language.written_buffers();
        let (access, atomic_cure, cure) = match (written.kind, view) {
            (UnorderedAccessKind::TypedBuffer { access, .. }, _) => (
                access,
                "make a typed view in R32_UINT or R32_SINT, which alone have atomic operations",
                "make a typed view of a format of that kind",
            ),
            (UnorderedAccessKind::Texture { access, .. }, _) => (
                access,
                "make a view of a texture of that shape in R32_UINT or R32_SINT, which alone have atomic operations",
                "make a view of a texture of that shape, in a format of that kind",
            ),
            (UnorderedAccessKind::Buffer { .. }, ViewDesc::Buffer(view)) if view.raw => {
                return (declared, raw);
            }
            (UnorderedAccessKind::Buffer { .. }, ViewDesc::Buffer(view)) if view.typed().is_some() => {
                return (declared, typed);
            }
            (UnorderedAccessKind::Buffer { .. }, _) => {
                return (declared, "make the buffer with that structure_byte_stride");
            }
        };
        match access.contains(naga::StorageAccess::ATOMIC) {
            true => (format!("{declared} with atomic operations"), atomic_cure),
            false => (declared, cure),
        }
    }
}
