//! The interface of a compiled program: its signatures, constant buffers and resources, which D3D11 offers as
//! the `ID3D11ShaderReflection` that `D3DReflect` returns.

use crate::{Profile, ShaderModel, ShaderStage};

pub use crate::signature::{ComponentKind, MinPrecision, SystemValue};

/// The inputs, outputs and resources of a program: D3D11's `D3D11_SHADER_DESC` with everything that
/// `ID3D11ShaderReflection` leads to.
#[doc(alias = "ID3D11ShaderReflection")]
#[doc(alias = "D3D11_SHADER_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reflection {
    /// The stage that runs the program, which also decides which other fields can have content.
    pub stage: ShaderStage,
    /// The shader model that the program was compiled for, which is the one that its profile names.
    pub model: ShaderModel,
    /// The input signature, one entry for each scalar or vector (D3D11: `GetInputParameterDesc`).
    #[doc(alias = "GetInputParameterDesc")]
    pub inputs: Vec<SignatureParameter>,
    /// The output signature, one entry for each scalar or vector (D3D11: `GetOutputParameterDesc`).
    #[doc(alias = "GetOutputParameterDesc")]
    pub outputs: Vec<SignatureParameter>,
    /// The constant buffers and `tbuffer`s that the program uses (D3D11: `GetConstantBufferByIndex`).
    #[doc(alias = "GetConstantBufferByIndex")]
    pub constant_buffers: Vec<ConstantBuffer>,
    /// All resources that are bound to registers, constant buffers and samplers included (D3D11:
    /// `GetResourceBindingDesc`).
    #[doc(alias = "GetResourceBindingDesc")]
    pub resources: Vec<BoundResource>,
    /// The size of a compute shader's thread group in threads, or `None` for other stages (D3D11:
    /// `GetThreadGroupSize`).
    #[doc(alias = "GetThreadGroupSize")]
    pub thread_group_size: Option<[u32; 3]>,
    /// The `u` registers of buffers whose hidden counters the program changes, which need a counter beside
    /// the buffer.
    pub counters: Vec<u32>,
    /// The optional features that the device must support to run the program (D3D11: `GetRequiresFlags`).
    #[doc(alias = "GetRequiresFlags")]
    pub requirements: Requirements,
}

impl Reflection {
    /// Returns the profile that the program was compiled for, built from its stage and its shader model.
    pub fn profile(&self) -> Profile {
        Profile::new(self.stage, self.model)
    }

    /// Returns the constant buffer with this name, or `None` if the program does not use it (D3D11:
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

    /// Returns the first bound resource with this name, of any kind (D3D11: `GetResourceBindingDescByName`).
    #[doc(alias = "GetResourceBindingDescByName")]
    pub fn resource(&self, name: &str) -> Option<&BoundResource> {
        self.resources.iter().find(|resource| resource.name == name)
    }
}

bitflags::bitflags! {
    /// Optional features that a program requires of the device: D3D11's `D3D_SHADER_REQUIRES_DOUBLES` and the
    /// other flags of this family.
    #[doc(alias = "D3D_SHADER_REQUIRES_DOUBLES")]
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Requirements: u32 {
        /// The program uses 64-bit floating-point numbers, so the device must support `double`.
        const DOUBLES = 1;
        /// The depth and stencil tests run before the pixel shader instead of after it.
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

/// A scalar or a vector of a signature, as D3D11 describes it in `D3D11_SIGNATURE_PARAMETER_DESC`.
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SignatureParameter {
    /// The name of the semantic without the index at its end, which is in `semantic_index`.
    pub semantic_name: String,
    /// The index of the semantic, which is the number at the end of the name in the source.
    pub semantic_index: u32,
    /// The register, or `None` for a parameter without one, such as the depth.
    pub register: Option<u32>,
    /// The meaning that the pipeline gives to the parameter, for those with an `SV_` semantic.
    pub system_value: SystemValue,
    /// The type of the parameter's components, which all have the same one.
    pub component_kind: ComponentKind,
    /// The components of the register that the parameter occupies, as a bit mask in which 1 is x.
    pub mask: u8,
    /// The components in `mask` that the program reads or writes, where a component that any statement may
    /// write counts as written. The other ones are undefined in the next stage, and a render target without
    /// any written component keeps its contents.
    ///
    /// D3D11 calls this `ReadWriteMask`, and inverts the bits for outputs.
    pub used: u8,
    /// The minimum precision of the parameter's components, for `min16float` and its relatives.
    pub min_precision: MinPrecision,
}

/// A constant buffer or a `tbuffer`, as D3D11 describes it in `D3D11_SHADER_BUFFER_DESC`.
#[doc(alias = "ID3D11ShaderReflectionConstantBuffer")]
#[doc(alias = "D3D11_SHADER_BUFFER_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConstantBuffer {
    /// The name of the buffer, which is `$Globals` for variables outside all buffers and `$Params` for the
    /// entry point's uniform parameters.
    pub name: String,
    /// Whether the buffer is a `tbuffer`, which is bound to a `t` register and read like a texture.
    pub texture: bool,
    /// The size of the buffer in bytes, which is always a multiple of 16.
    pub size: u32,
    /// The variables in the buffer, sorted by their offset (D3D11: `GetVariableByIndex`).
    #[doc(alias = "GetVariableByIndex")]
    pub variables: Vec<Variable>,
}

impl ConstantBuffer {
    /// Returns the variable with this name, or `None` if the buffer has none (D3D11: `GetVariableByName`).
    #[doc(alias = "GetVariableByName")]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

/// A variable in a constant buffer, as D3D11 describes it in `D3D11_SHADER_VARIABLE_DESC`.
#[doc(alias = "ID3D11ShaderReflectionVariable")]
#[doc(alias = "D3D11_SHADER_VARIABLE_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Variable {
    /// The name of the variable, as the source declares it.
    pub name: String,
    /// The offset of the variable from the start of the buffer, in bytes.
    pub offset: u32,
    /// The size of the variable in bytes, without the padding that follows it.
    pub size: u32,
    /// Whether the program reads the variable, which D3D11 reports as `D3D_SVF_USED`.
    #[doc(alias = "D3D_SVF_USED")]
    pub used: bool,
    /// The type of the variable, with the fields of a structure (D3D11: `GetType`).
    #[doc(alias = "GetType")]
    pub ty: VariableType,
    /// The bytes of the default value, if the variable has one that is known at compile time.
    pub default_value: Option<Vec<u8>>,
}

/// The class of a type, which tells its shape but not its components (D3D11: `D3D_SHADER_VARIABLE_CLASS`).
#[doc(alias = "D3D_SHADER_VARIABLE_CLASS")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum VariableClass {
    /// A scalar, which has one row and one column, also as the element of an array.
    Scalar,
    /// A vector, which has one row and up to four columns.
    Vector,
    /// A matrix that is stored row by row, declared as `row_major`.
    MatrixRows,
    /// A matrix that is stored column by column, which is the default in HLSL.
    MatrixColumns,
    /// An object such as a texture, which is not stored in the buffer.
    Object,
    /// A structure, whose fields are in [`VariableType::members`], each with its offset.
    Struct,
}

/// The type of a variable's components, which D3D11 calls `D3D_SHADER_VARIABLE_TYPE`.
#[doc(alias = "D3D_SHADER_VARIABLE_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum VariableKind {
    /// The type is a structure, which has no components of its own.
    Void,
    /// Components of type `bool`, each in 4 bytes and true unless they are 0.
    Bool,
    /// Components of type `int`, each of which takes 4 bytes in a buffer.
    Int,
    /// Components of type `uint`, each of which takes 4 bytes in a buffer.
    Uint,
    /// Components of type `float` or `half`, each of which takes 4 bytes.
    Float,
    /// Components of type `double`, each of which takes 8 bytes in a buffer.
    Double,
    /// Components of type `min16float`, which are `float`s of 4 bytes in a buffer.
    Min16Float,
    /// Components of type `min10float`, which are `float`s of 4 bytes in a buffer.
    Min10Float,
    /// Components of type `min16int`, which are `int`s of 4 bytes in a buffer.
    Min16Int,
    /// Components of type `min12int`, which are `int`s of 4 bytes in a buffer.
    Min12Int,
    /// Components of type `min16uint`, which are `uint`s of 4 bytes in a buffer.
    Min16Uint,
    /// An object such as a texture, which occupies no bytes in the buffer.
    Object,
}

/// The type of a variable or a field, as D3D11 describes it in `D3D11_SHADER_TYPE_DESC`.
#[doc(alias = "ID3D11ShaderReflectionType")]
#[doc(alias = "D3D11_SHADER_TYPE_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct VariableType {
    /// The name of a structure, or an empty string for other types.
    pub name: String,
    /// The class of the type, which is the class of the elements if the type is an array.
    pub class: VariableClass,
    /// The type of the components, which is [`VariableKind::Void`] for a structure.
    pub kind: VariableKind,
    /// The number of rows of a matrix, or 1 for all other types.
    pub rows: u32,
    /// The number of components of a vector, columns of a matrix, or components in a whole structure.
    pub columns: u32,
    /// The number of array elements, multiplied over all dimensions, or 0 if the type is not an array.
    pub elements: u32,
    /// The fields of a structure in their order of declaration (D3D11: `GetMemberTypeByIndex`).
    #[doc(alias = "GetMemberTypeByIndex")]
    pub members: Vec<Member>,
}

impl VariableType {
    /// Returns the field with this name, or `None` if the structure has none (D3D11: `GetMemberTypeByName`).
    #[doc(alias = "GetMemberTypeByName")]
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

/// A field of a structure, with its name, its type and its place in the structure.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Member {
    /// The name of the field, which D3D11 returns from `GetMemberTypeName`.
    #[doc(alias = "GetMemberTypeName")]
    pub name: String,
    /// The offset of the field from the start of the structure, in bytes.
    pub offset: u32,
    /// The type of the field, which can be a structure again.
    pub ty: VariableType,
}

/// A resource that is bound to registers, as D3D11 describes it in `D3D11_SHADER_INPUT_BIND_DESC`.
#[doc(alias = "D3D11_SHADER_INPUT_BIND_DESC")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BoundResource {
    /// The name of the variable, which for an object in a structure also has the names of the fields, as in
    /// `material.albedo`.
    pub name: String,
    /// The kind of the resource, which also tells the class of its registers.
    pub kind: ResourceKind,
    /// The first of the registers that the resource is bound to, within the registers of its class.
    pub slot: u32,
    /// The number of consecutive registers from `slot` on, which is more than 1 only for arrays.
    pub count: u32,
    /// The type of the values that a texture or a typed buffer returns, or `None` for other resources.
    pub return_kind: Option<ReturnKind>,
    /// The number of components of a texel or typed-buffer element, 1 to 4, or 0 for other resources. D3D11
    /// encodes it in `uFlags`, where `D3D_SIF_TEXTURE_COMPONENTS` plus 1 is this number.
    #[doc(alias = "D3D_SIF_TEXTURE_COMPONENTS")]
    pub components: u8,
    /// The dimension of a texture or buffer, or [`Dimension::Unknown`] for other resources.
    pub dimension: Dimension,
    /// The sample count of a multisampled texture that declares it, or 0 for all other resources.
    pub samples: u32,
    /// The size of a structured buffer's element in bytes, or 0 for other resources.
    pub stride: u32,
}

/// The kind of a bound resource, which D3D11 calls `D3D_SHADER_INPUT_TYPE`.
#[doc(alias = "D3D_SHADER_INPUT_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ResourceKind {
    /// A constant buffer in a `b` register, which a `cbuffer` or variables outside all buffers make
    /// (`D3D_SIT_CBUFFER`).
    ConstantBuffer,
    /// A `tbuffer`, which is in a `t` register but has the layout of a constant buffer (`D3D_SIT_TBUFFER`).
    TextureBuffer,
    /// A read-only texture or typed buffer in a `t` register, such as `Texture2D` (`D3D_SIT_TEXTURE`).
    Texture,
    /// A sampler without a comparison, in an `s` register (`D3D_SIT_SAMPLER`).
    Sampler,
    /// A comparison sampler in an `s` register, as `SampleCmp` needs it (`D3D_SIT_SAMPLER` with
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

/// The type of the values that a texture returns, which D3D11 calls `D3D_RESOURCE_RETURN_TYPE`.
#[doc(alias = "D3D_RESOURCE_RETURN_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ReturnKind {
    /// Normalized values from 0 to 1, declared with `unorm` before their type.
    Unorm,
    /// Normalized values from -1 to 1, declared with `snorm` before their type.
    Snorm,
    /// Values of type `int`, which the program can load but samplers cannot filter.
    Int,
    /// Values of type `uint`, which the program can load but samplers cannot filter.
    Uint,
    /// Values of type `float`, declared without `unorm` or `snorm`, or without any type.
    Float,
    /// Values of type `double`, which the device must support for the program.
    Double,
}

/// The dimension of a resource, which D3D11 calls `D3D_SRV_DIMENSION`.
#[doc(alias = "D3D_SRV_DIMENSION")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Dimension {
    /// The resource has no dimension, because it is a sampler or a constant buffer.
    Unknown,
    /// A buffer of any kind, such as a typed or structured one.
    Buffer,
    /// A one-dimensional texture, declared as `Texture1D` or as its writable counterpart.
    Texture1D,
    /// An array of one-dimensional textures, declared as `Texture1DArray` or as its writable counterpart.
    Texture1DArray,
    /// A two-dimensional texture, declared as `Texture2D` or as its writable counterpart.
    Texture2D,
    /// An array of two-dimensional textures, declared as `Texture2DArray` or as its writable counterpart.
    Texture2DArray,
    /// A multisampled texture, declared as `Texture2DMS`, which has no writable counterpart.
    Texture2DMultisampled,
    /// An array of multisampled textures, declared as `Texture2DMSArray`, which has no writable counterpart.
    Texture2DMultisampledArray,
    /// A three-dimensional texture, declared as `Texture3D` or as its writable counterpart.
    Texture3D,
    /// A cube texture of six square faces, declared as `TextureCube`.
    TextureCube,
    /// An array of cube textures, declared as `TextureCubeArray`, each with six faces.
    TextureCubeArray,
}
