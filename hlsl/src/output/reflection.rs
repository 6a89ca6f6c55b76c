//! The interface of a compiled program: its signatures, constant buffers and resources (D3D11:
//! `ID3D11ShaderReflection`, which `D3DReflect` returns).

mod tessellation;

use crate::{Profile, ShaderModel, ShaderStage};

pub use self::tessellation::{
    DomainReflection, HullReflection, TessellatorDomain, TessellatorOutput, TessellatorPartitioning,
};
pub use crate::interface::signature::{ComponentKind, MinPrecision, SystemValue};

/// The inputs, outputs and resources of a program. It contains D3D11's `D3D11_SHADER_DESC` and the
/// information that the other methods of `ID3D11ShaderReflection` return.
#[doc(alias = "ID3D11ShaderReflection")]
#[doc(alias = "D3D11_SHADER_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reflection {
    /// The stage that the program was compiled for.
    pub stage: ShaderStage,
    /// The shader model that the program was compiled for.
    pub model: ShaderModel,
    /// The input signature, with one entry for each scalar or vector (D3D11: `GetInputParameterDesc`).
    #[doc(alias = "GetInputParameterDesc")]
    pub inputs: Vec<SignatureParameter>,
    /// The output signature, with one entry for each scalar or vector (D3D11: `GetOutputParameterDesc`).
    #[doc(alias = "GetOutputParameterDesc")]
    pub outputs: Vec<SignatureParameter>,
    /// The patch constants, including the tessellation factors: the outputs of a hull shader's patch-constant function,
    /// or the inputs of a domain shader. Other stages have none (D3D11: `GetPatchConstantParameterDesc`).
    #[doc(alias = "GetPatchConstantParameterDesc")]
    #[doc(alias = "PatchConstantParameters")]
    pub patch_constants: Vec<SignatureParameter>,
    /// The constant buffers and `tbuffer`s that the program uses (D3D11: `GetConstantBufferByIndex`).
    #[doc(alias = "GetConstantBufferByIndex")]
    pub constant_buffers: Vec<ConstantBuffer>,
    /// All resources that are bound to registers, including constant buffers and samplers (D3D11:
    /// `GetResourceBindingDesc`).
    #[doc(alias = "GetResourceBindingDesc")]
    pub resources: Vec<BoundResource>,
    /// The number of threads in a compute shader's thread group along x, y and z, or `None` for other stages
    /// (D3D11: `GetThreadGroupSize`).
    #[doc(alias = "GetThreadGroupSize")]
    pub thread_group_size: Option<[u32; 3]>,
    /// The primitives of a geometry shader, or `None` for other stages.
    #[doc(alias = "GetGSInputPrimitive")]
    pub geometry: Option<GeometryDesc>,
    /// The patches and the tessellator's settings of a hull shader, or `None` for other stages.
    pub hull: Option<HullReflection>,
    /// The patches of a domain shader, or `None` for other stages.
    pub domain: Option<DomainReflection>,
    /// The `u` registers of the buffers whose hidden counters the program changes, so a counter must be bound
    /// for each of them.
    pub counters: Vec<u32>,
    /// The optional features that a device must support to run the program (D3D11: `GetRequiresFlags`).
    #[doc(alias = "GetRequiresFlags")]
    pub requirements: Requirements,
}

impl Reflection {
    /// Returns the profile that the program was compiled for.
    pub fn profile(&self) -> Profile {
        Profile::new(self.stage, self.model)
    }

    /// Returns the constant buffer with this name, or `None` if the program uses no such buffer (D3D11:
    /// `GetConstantBufferByName`).
    #[doc(alias = "GetConstantBufferByName")]
    pub fn constant_buffer(&self, name: &str) -> Option<&ConstantBuffer> {
        self.constant_buffers.iter().find(|buffer| buffer.name == name)
    }

    /// Returns the first variable with this name in any of the constant buffers (D3D11: `GetVariableByName`).
    #[doc(alias = "GetVariableByName")]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.constant_buffers.iter().find_map(|buffer| buffer.variable(name))
    }

    /// Returns the first bound resource with this name, regardless of its kind (D3D11:
    /// `GetResourceBindingDescByName`).
    #[doc(alias = "GetResourceBindingDescByName")]
    pub fn resource(&self, name: &str) -> Option<&BoundResource> {
        self.resources.iter().find(|resource| resource.name == name)
    }
}

bitflags::bitflags! {
    /// The optional features that a program requires of the device (D3D11: `D3D_SHADER_REQUIRES_DOUBLES` and
    /// similar flags).
    #[doc(alias = "D3D_SHADER_REQUIRES_DOUBLES")]
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Requirements: u32 {
        /// The program uses 64-bit floating-point numbers (`D3D_SHADER_REQUIRES_DOUBLES`).
        const DOUBLES = 1;
        /// The depth and stencil tests run before the pixel shader
        /// (`D3D_SHADER_REQUIRES_EARLY_DEPTH_STENCIL`).
        const EARLY_DEPTH_STENCIL = 1 << 1;
        /// The pixel shader runs once for each sample instead of once for each pixel.
        const SAMPLE_FREQUENCY = 1 << 2;
        /// The program uses `u` registers above `u7`, which need Direct3D 11.1
        /// (`D3D_SHADER_REQUIRES_64_UAVS`).
        const UAVS_64 = 1 << 3;
        /// The program uses `u` registers in a stage other than pixel and compute, which needs Direct3D 11.1
        /// (`D3D_SHADER_REQUIRES_UAVS_AT_EVERY_STAGE`).
        const UAVS_AT_EVERY_STAGE = 1 << 4;
    }
}

/// The input and the output of a geometry shader.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GeometryDesc {
    /// The primitive that the shader processes (D3D11: `InputPrimitive`).
    pub input: InputPrimitive,
    /// The maximum number of vertices that an invocation appends to all its streams, from 1 to 1,024 (D3D11:
    /// `GSMaxOutputVertexCount`).
    pub max_vertex_count: u32,
    /// The number of invocations for each primitive, from 1 to 32 (D3D11: `cGSInstanceCount`).
    pub instance_count: u32,
    /// The primitives of the streams, with at most four streams (D3D11: `GSOutputTopology`).
    pub streams: Vec<StreamTopology>,
}

/// The primitive that a geometry shader processes (D3D11: `D3D_PRIMITIVE`).
#[doc(alias = "D3D_PRIMITIVE")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum InputPrimitive {
    /// A point (`D3D_PRIMITIVE_POINT`).
    Point,
    /// A line with two vertices (`D3D_PRIMITIVE_LINE`).
    Line,
    /// A triangle with three vertices (`D3D_PRIMITIVE_TRIANGLE`).
    Triangle,
    /// A line with its two adjacent vertices, which are the first and the last one
    /// (`D3D_PRIMITIVE_LINE_ADJ`).
    LineAdjacency,
    /// A triangle with its three adjacent vertices, which are every second one (`D3D_PRIMITIVE_TRIANGLE_ADJ`).
    TriangleAdjacency,
    /// A patch with this number of control points, from 1 to 32 (`D3D_PRIMITIVE_1_CONTROL_POINT_PATCH` and
    /// similar values).
    Patch(u32),
}

/// The primitives that a stream of a geometry shader consists of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StreamTopology {
    /// Points: a `PointStream` (`D3D_PRIMITIVE_TOPOLOGY_POINTLIST`).
    Points,
    /// Line strips: a `LineStream` (`D3D_PRIMITIVE_TOPOLOGY_LINESTRIP`).
    LineStrips,
    /// Triangle strips: a `TriangleStream` (`D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP`).
    TriangleStrips,
}

/// A scalar or a vector of a signature (D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`).
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SignatureParameter {
    /// The name of the semantic without its index, which is in `semantic_index`.
    pub semantic_name: String,
    /// The index of the semantic: the number at the end of the semantic in the source, or 0 by default.
    pub semantic_index: u32,
    /// The register, or `None` for a parameter without one, such as the depth.
    pub register: Option<u32>,
    /// The system value of the parameter, or [`SystemValue::Undefined`] if it has none.
    pub system_value: SystemValue,
    /// The type of the parameter's components, which all have the same type.
    pub component_kind: ComponentKind,
    /// The components of the register that the parameter occupies, as a bit mask in which bit 0 is x.
    pub mask: u8,
    /// The components in `mask` that the program reads or writes, counting a component as written if any
    /// statement may write it. Unwritten components are undefined in the next stage, but a render target
    /// without written components keeps its contents.
    ///
    /// D3D11: `ReadWriteMask`, which has inverted bits for outputs.
    pub used: u8,
    /// The minimum precision of the parameter's components, for types such as `min16float`.
    pub min_precision: MinPrecision,
    /// The stream of a geometry shader's output, and 0 for all other parameters (D3D11: `Stream`).
    pub stream: u32,
}

/// A constant buffer or a `tbuffer` (D3D11: `D3D11_SHADER_BUFFER_DESC`).
#[doc(alias = "ID3D11ShaderReflectionConstantBuffer")]
#[doc(alias = "D3D11_SHADER_BUFFER_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConstantBuffer {
    /// The name of the buffer, which is `$Globals` for variables outside all buffers and `$Params` for
    /// uniform parameters of the entry point.
    pub name: String,
    /// Whether the buffer is a `tbuffer`, which is bound to a `t` register and read like a texture.
    pub texture: bool,
    /// The size of the buffer in bytes, a multiple of 16.
    pub size: u32,
    /// The variables in the buffer, sorted by offset (D3D11: `GetVariableByIndex`).
    #[doc(alias = "GetVariableByIndex")]
    pub variables: Vec<Variable>,
}

impl ConstantBuffer {
    /// Returns the variable with this name, or `None` if the buffer has no such variable (D3D11:
    /// `GetVariableByName`).
    #[doc(alias = "GetVariableByName")]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

/// A variable in a constant buffer (D3D11: `D3D11_SHADER_VARIABLE_DESC`).
#[doc(alias = "ID3D11ShaderReflectionVariable")]
#[doc(alias = "D3D11_SHADER_VARIABLE_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Variable {
    /// The name of the variable in the source.
    pub name: String,
    /// The offset of the variable from the start of the buffer, in bytes.
    pub offset: u32,
    /// The size of the variable in bytes, without the padding that follows it.
    pub size: u32,
    /// Whether the program reads the variable (D3D11: `D3D_SVF_USED`).
    #[doc(alias = "D3D_SVF_USED")]
    pub used: bool,
    /// The type of the variable, including the fields of a structure (D3D11: `GetType`).
    #[doc(alias = "GetType")]
    pub ty: VariableType,
    /// The bytes of the default value, or `None` if the variable has no default value or is larger than 64
    /// KiB.
    pub default_value: Option<Vec<u8>>,
}

/// The class of a type, which describes its shape but not its components (D3D11:
/// `D3D_SHADER_VARIABLE_CLASS`).
#[doc(alias = "D3D_SHADER_VARIABLE_CLASS")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum VariableClass {
    /// A scalar, or an array of scalars.
    Scalar,
    /// A vector, which has one row and up to four columns.
    Vector,
    /// A matrix that is stored row by row, such as one declared `row_major`.
    MatrixRows,
    /// A matrix that is stored column by column, which is the default.
    MatrixColumns,
    /// An object such as a texture, which is not stored in the buffer.
    Object,
    /// A structure, whose fields are in [`VariableType::members`].
    Struct,
}

/// The type of a variable's components (D3D11: `D3D_SHADER_VARIABLE_TYPE`).
#[doc(alias = "D3D_SHADER_VARIABLE_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum VariableKind {
    /// The variable is a structure, so the components do not have a common type.
    Void,
    /// Components of type `bool`, with 4 bytes each, in which all values except 0 are true.
    Bool,
    /// Components of type `int`, with 4 bytes each in a buffer.
    Int,
    /// Components of type `uint`, with 4 bytes each in a buffer.
    Uint,
    /// Components of type `float` or `half`, with 4 bytes each in a buffer.
    Float,
    /// Components of type `double`, with 8 bytes each in a buffer.
    Double,
    /// Components of type `min16float`, stored as 4-byte `float`s in a buffer.
    Min16Float,
    /// Components of type `min10float`, stored as 4-byte `float`s in a buffer.
    Min10Float,
    /// Components of type `min16int`, stored as 4-byte `int`s in a buffer.
    Min16Int,
    /// Components of type `min12int`, stored as 4-byte `int`s in a buffer.
    Min12Int,
    /// Components of type `min16uint`, stored as 4-byte `uint`s in a buffer.
    Min16Uint,
    /// An object such as a texture, which takes no bytes in the buffer.
    Object,
}

/// The type of a variable or a field (D3D11: `D3D11_SHADER_TYPE_DESC`).
#[doc(alias = "ID3D11ShaderReflectionType")]
#[doc(alias = "D3D11_SHADER_TYPE_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct VariableType {
    /// The name of a structure, or an empty string for other types.
    pub name: String,
    /// The class of the type, or of the elements if the type is an array.
    pub class: VariableClass,
    /// The type of the components, or [`VariableKind::Void`] for a structure.
    pub kind: VariableKind,
    /// The number of rows of a matrix, or 1 for all other types.
    pub rows: u32,
    /// The number of columns of a matrix, of components of a vector, or of all components of a structure.
    pub columns: u32,
    /// The total number of array elements over all dimensions, or 0 if the type is not an array.
    pub elements: u32,
    /// The fields of a structure in their order of declaration (D3D11: `GetMemberTypeByIndex`).
    #[doc(alias = "GetMemberTypeByIndex")]
    pub members: Vec<Member>,
}

impl VariableType {
    /// Returns the field with this name, or `None` if the structure has no such field (D3D11:
    /// `GetMemberTypeByName`).
    #[doc(alias = "GetMemberTypeByName")]
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

/// A field of a structure.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Member {
    /// The name of the field (D3D11: `GetMemberTypeName`).
    #[doc(alias = "GetMemberTypeName")]
    pub name: String,
    /// The offset of the field from the beginning of the structure, in bytes.
    pub offset: u32,
    /// The type of the field, which may also be a structure.
    pub ty: VariableType,
}

/// A resource that is bound to registers (D3D11: `D3D11_SHADER_INPUT_BIND_DESC`).
#[doc(alias = "D3D11_SHADER_INPUT_BIND_DESC")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BoundResource {
    /// The name of the variable, which includes the names of the fields for an object in a structure, as in
    /// `material.albedo`.
    pub name: String,
    /// The kind of the resource, which also determines the class of its registers.
    pub kind: ResourceKind,
    /// The first register of the resource, within its register class.
    pub slot: u32,
    /// The number of consecutive registers from `slot` on, which is 1 unless the resource is an array.
    pub count: u32,
    /// The type of the values that a texture or a typed buffer returns, or `None` for other resources.
    pub return_kind: Option<ReturnKind>,
    /// The number of components of a texel or a typed buffer element, from 1 to 4, or 0 for other resources.
    /// D3D11 stores this number minus 1 in `uFlags` (`D3D_SIF_TEXTURE_COMPONENTS`).
    #[doc(alias = "D3D_SIF_TEXTURE_COMPONENTS")]
    pub components: u8,
    /// The dimension of a texture or buffer, or [`Dimension::Unknown`] for other resources.
    pub dimension: Dimension,
    /// The sample count in the declaration of a multisampled texture, or 0 if there is none.
    pub samples: u32,
    /// The size of an element of a structured buffer in bytes, or 0 for other resources.
    pub stride: u32,
}

/// The kind of a bound resource (D3D11: `D3D_SHADER_INPUT_TYPE`).
#[doc(alias = "D3D_SHADER_INPUT_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ResourceKind {
    /// A constant buffer in a `b` register, from a `cbuffer` or from variables outside all buffers
    /// (`D3D_SIT_CBUFFER`).
    ConstantBuffer,
    /// A `tbuffer` in a `t` register, with the layout of a constant buffer (`D3D_SIT_TBUFFER`).
    TextureBuffer,
    /// A read-only texture or typed buffer in a `t` register, such as `Texture2D` (`D3D_SIT_TEXTURE`).
    Texture,
    /// A sampler without comparison, in an `s` register (`D3D_SIT_SAMPLER`).
    Sampler,
    /// A comparison sampler in an `s` register, for methods such as `SampleCmp` (`D3D_SIT_SAMPLER` with
    /// `D3D_SIF_COMPARISON_SAMPLER`).
    ComparisonSampler,
    /// A writable texture or typed buffer in a `u` register, such as `RWTexture2D` (`D3D_SIT_UAV_RWTYPED`).
    ReadWriteTyped,
    /// A read-only structured buffer in a `t` register, declared as `StructuredBuffer`
    /// (`D3D_SIT_STRUCTURED`).
    Structured,
    /// A writable structured buffer in a `u` register, declared as `RWStructuredBuffer`
    /// (`D3D_SIT_UAV_RWSTRUCTURED`).
    ReadWriteStructured,
    /// A writable structured buffer whose hidden counter the program changes
    /// (`D3D_SIT_UAV_RWSTRUCTURED_WITH_COUNTER`).
    ReadWriteStructuredWithCounter,
    /// A buffer that the program appends to, declared as `AppendStructuredBuffer`
    /// (`D3D_SIT_UAV_APPEND_STRUCTURED`).
    Append,
    /// A buffer that the program consumes from, declared as `ConsumeStructuredBuffer`
    /// (`D3D_SIT_UAV_CONSUME_STRUCTURED`).
    Consume,
    /// A read-only byte address buffer in a `t` register, declared as `ByteAddressBuffer`
    /// (`D3D_SIT_BYTEADDRESS`).
    ByteAddress,
    /// A writable byte address buffer in a `u` register, declared as `RWByteAddressBuffer`
    /// (`D3D_SIT_UAV_RWBYTEADDRESS`).
    ReadWriteByteAddress,
}

/// The type of the values that a texture returns (D3D11: `D3D_RESOURCE_RETURN_TYPE`).
#[doc(alias = "D3D_RESOURCE_RETURN_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ReturnKind {
    /// Normalized values from 0 to 1, declared with `unorm`.
    Unorm,
    /// Normalized values from -1 to 1, declared with `snorm`.
    Snorm,
    /// Values of type `int`, which samplers cannot filter.
    Int,
    /// Values of type `uint`, which samplers cannot filter.
    Uint,
    /// Values of type `float`, declared without `unorm` or `snorm`, which is also the default if no type is
    /// declared.
    Float,
    /// Values of type `double`.
    Double,
}

/// The dimension of a resource (D3D11: `D3D_SRV_DIMENSION`).
#[doc(alias = "D3D_SRV_DIMENSION")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Dimension {
    /// A resource without a dimension: a sampler or a constant buffer.
    Unknown,
    /// A buffer of any kind, for example typed or structured.
    Buffer,
    /// A one-dimensional texture, declared as `Texture1D` or `RWTexture1D`.
    Texture1D,
    /// An array of one-dimensional textures, declared as `Texture1DArray` or `RWTexture1DArray`.
    Texture1DArray,
    /// A two-dimensional texture, declared as `Texture2D` or `RWTexture2D`.
    Texture2D,
    /// An array of two-dimensional textures, declared as `Texture2DArray` or `RWTexture2DArray`.
    Texture2DArray,
    /// A multisampled texture, declared as `Texture2DMS`.
    Texture2DMultisampled,
    /// An array of multisampled textures, declared as `Texture2DMSArray`.
    Texture2DMultisampledArray,
    /// A three-dimensional texture, declared as `Texture3D` or `RWTexture3D`.
    Texture3D,
    /// A cube texture, declared as `TextureCube`.
    TextureCube,
    /// An array of cube textures, declared as `TextureCubeArray`.
    TextureCubeArray,
}
