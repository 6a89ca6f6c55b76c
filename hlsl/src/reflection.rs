//! What a compiled program is from outside: its signatures, constant buffers and resources.
//!
//! D3D11: `ID3D11ShaderReflection`, as `D3DReflect` gives it.

use crate::{Profile, ShaderModel, ShaderStage};

pub use crate::signature::{ComponentKind, MinPrecision, SystemValue};

/// What a program takes, gives and needs.
///
/// D3D11: `D3D11_SHADER_DESC` with all that `ID3D11ShaderReflection` leads to.
#[doc(alias = "ID3D11ShaderReflection")]
#[doc(alias = "D3D11_SHADER_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reflection {
    /// The stage.
    pub stage: ShaderStage,
    /// The shader model.
    pub model: ShaderModel,
    /// What the program takes. D3D11: `GetInputParameterDesc`.
    #[doc(alias = "GetInputParameterDesc")]
    pub inputs: Vec<SignatureParameter>,
    /// What the program gives. D3D11: `GetOutputParameterDesc`.
    #[doc(alias = "GetOutputParameterDesc")]
    pub outputs: Vec<SignatureParameter>,
    /// The constant buffers and `tbuffer`s that the program uses. D3D11: `GetConstantBufferByIndex`.
    #[doc(alias = "GetConstantBufferByIndex")]
    pub constant_buffers: Vec<ConstantBuffer>,
    /// All that registers hold. D3D11: `GetResourceBindingDesc`.
    #[doc(alias = "GetResourceBindingDesc")]
    pub resources: Vec<BoundResource>,
    /// Threads of a group of a compute shader. D3D11: `GetThreadGroupSize`.
    #[doc(alias = "GetThreadGroupSize")]
    pub thread_group_size: Option<[u32; 3]>,
    /// The `u` registers whose buffers have counters that the program changes.
    pub counters: Vec<u32>,
    /// What a device must be able to do. D3D11: `GetRequiresFlags`.
    #[doc(alias = "GetRequiresFlags")]
    pub requirements: Requirements,
}

impl Reflection {
    /// The profile that the program was compiled for.
    pub fn profile(&self) -> Profile {
        Profile::new(self.stage, self.model)
    }

    /// The constant buffer of a name. D3D11: `GetConstantBufferByName`.
    #[doc(alias = "GetConstantBufferByName")]
    pub fn constant_buffer(&self, name: &str) -> Option<&ConstantBuffer> {
        self.constant_buffers.iter().find(|buffer| buffer.name == name)
    }

    /// The variable of a name, of whichever constant buffer. D3D11: `GetVariableByName`.
    #[doc(alias = "GetVariableByName")]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.constant_buffers.iter().find_map(|buffer| buffer.variable(name))
    }

    /// What a name is bound to. D3D11: `GetResourceBindingDescByName`.
    #[doc(alias = "GetResourceBindingDescByName")]
    pub fn resource(&self, name: &str) -> Option<&BoundResource> {
        self.resources.iter().find(|resource| resource.name == name)
    }
}

bitflags::bitflags! {
    /// What a device must be able to do beyond the least.
    ///
    /// D3D11: `D3D_SHADER_REQUIRES_DOUBLES` and its like.
    #[doc(alias = "D3D_SHADER_REQUIRES_DOUBLES")]
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Requirements: u32 {
        /// Numbers of 64 bits.
        const DOUBLES = 1;
        /// The depth is tested before the pixel shader.
        const EARLY_DEPTH_STENCIL = 1 << 1;
        /// The pixel shader runs for each sample.
        const SAMPLE_FREQUENCY = 1 << 2;
        /// `u` registers above `u7`, which Direct3D 11.1 has. `D3D_SHADER_REQUIRES_64_UAVS`.
        const UAVS_64 = 1 << 3;
        /// `u` registers in another stage than the pixel and the compute shader, which Direct3D 11.1 has.
        /// `D3D_SHADER_REQUIRES_UAVS_AT_EVERY_STAGE`.
        const UAVS_AT_EVERY_STAGE = 1 << 4;
    }
}

/// A scalar or a vector of a signature.
///
/// D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`.
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SignatureParameter {
    /// The semantic's name, without its index.
    pub semantic_name: String,
    /// The semantic's index.
    pub semantic_index: u32,
    /// The register. `None` of what is in none, as the depth.
    pub register: Option<u32>,
    /// What the pipeline takes it for.
    pub system_value: SystemValue,
    /// What its components are.
    pub component_kind: ComponentKind,
    /// The components of the register that it has, as bits: 1 is x.
    pub mask: u8,
    /// The components that the program reads or writes, of those in `mask`. The next stage finds nothing in the others, and a
    /// render target without any keeps its contents. A component that any statement may write counts as written.
    ///
    /// D3D11: `ReadWriteMask`, which has the inverted bits for outputs.
    pub used: u8,
    /// The minimum precision of its components.
    pub min_precision: MinPrecision,
}

/// A constant buffer.
///
/// D3D11: `D3D11_SHADER_BUFFER_DESC`.
#[doc(alias = "ID3D11ShaderReflectionConstantBuffer")]
#[doc(alias = "D3D11_SHADER_BUFFER_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConstantBuffer {
    /// Its name; `$Globals` for variables outside of all, `$Params` for the entry point's uniform parameters.
    pub name: String,
    /// It is a `tbuffer`.
    pub texture: bool,
    /// Bytes, a multiple of 16.
    pub size: u32,
    /// The variables in it, by offset. D3D11: `GetVariableByIndex`.
    #[doc(alias = "GetVariableByIndex")]
    pub variables: Vec<Variable>,
}

impl ConstantBuffer {
    /// The variable of a name. D3D11: `GetVariableByName`.
    #[doc(alias = "GetVariableByName")]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

/// A variable in a constant buffer.
///
/// D3D11: `D3D11_SHADER_VARIABLE_DESC`.
#[doc(alias = "ID3D11ShaderReflectionVariable")]
#[doc(alias = "D3D11_SHADER_VARIABLE_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The byte of the buffer at which it begins.
    pub offset: u32,
    /// Bytes, without padding behind it.
    pub size: u32,
    /// The program reads it. D3D11: `D3D_SVF_USED`.
    #[doc(alias = "D3D_SVF_USED")]
    pub used: bool,
    /// Its type. D3D11: `GetType`.
    #[doc(alias = "GetType")]
    pub ty: VariableType,
    /// The bytes of its default value, if it has one that is known.
    pub default_value: Option<Vec<u8>>,
}

/// What a type is.
///
/// D3D11: `D3D_SHADER_VARIABLE_CLASS`.
#[doc(alias = "D3D_SHADER_VARIABLE_CLASS")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum VariableClass {
    /// One component.
    Scalar,
    /// Up to four components.
    Vector,
    /// A matrix that lies row by row.
    MatrixRows,
    /// A matrix that lies column by column.
    MatrixColumns,
    /// An object, which is not in the buffer.
    Object,
    /// A structure.
    Struct,
}

/// What components are.
///
/// D3D11: `D3D_SHADER_VARIABLE_TYPE`.
#[doc(alias = "D3D_SHADER_VARIABLE_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum VariableKind {
    /// It is a structure.
    Void,
    /// `bool`, in 4 bytes.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `float`, and `half`.
    Float,
    /// `double`.
    Double,
    /// `min16float`, in 4 bytes.
    Min16Float,
    /// `min10float`, in 4 bytes.
    Min10Float,
    /// `min16int`, in 4 bytes.
    Min16Int,
    /// `min12int`, in 4 bytes.
    Min12Int,
    /// `min16uint`, in 4 bytes.
    Min16Uint,
    /// An object.
    Object,
}

/// The type of a variable or a field.
///
/// D3D11: `D3D11_SHADER_TYPE_DESC`.
#[doc(alias = "ID3D11ShaderReflectionType")]
#[doc(alias = "D3D11_SHADER_TYPE_DESC")]
#[doc(alias = "GetDesc")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct VariableType {
    /// The name of a structure, else empty.
    pub name: String,
    /// What it is; of an array, what its elements are.
    pub class: VariableClass,
    /// What the components are.
    pub kind: VariableKind,
    /// Rows of a matrix, else 1.
    pub rows: u32,
    /// Components of a vector, columns of a matrix; of a structure, all components.
    pub columns: u32,
    /// Elements of an array, those of arrays in arrays multiplied; 0 of what is none.
    pub elements: u32,
    /// The fields of a structure. D3D11: `GetMemberTypeByIndex`.
    #[doc(alias = "GetMemberTypeByIndex")]
    pub members: Vec<Member>,
}

impl VariableType {
    /// The field of a name. D3D11: `GetMemberTypeByName`.
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
    /// Its name. D3D11: `GetMemberTypeName`.
    #[doc(alias = "GetMemberTypeName")]
    pub name: String,
    /// The byte of the structure at which it begins.
    pub offset: u32,
    /// Its type.
    pub ty: VariableType,
}

/// Something that registers hold.
///
/// D3D11: `D3D11_SHADER_INPUT_BIND_DESC`.
#[doc(alias = "D3D11_SHADER_INPUT_BIND_DESC")]
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BoundResource {
    /// The variable's name; of an object in a structure with the names of the fields: `material.albedo`.
    pub name: String,
    /// What it is.
    pub kind: ResourceKind,
    /// The first register.
    pub slot: u32,
    /// How many registers it has.
    pub count: u32,
    /// What reading a texture or a typed buffer gives.
    pub return_kind: Option<ReturnKind>,
    /// Components of a texel or of an element of a typed buffer, 1 to 4; 0 of other resources.
    /// D3D11: `D3D_SIF_TEXTURE_COMPONENTS` of `uFlags`, plus 1.
    #[doc(alias = "D3D_SIF_TEXTURE_COMPONENTS")]
    pub components: u8,
    /// The shape of a texture.
    pub dimension: Dimension,
    /// Samples of a multisampled texture that says how many it has; else 0.
    pub samples: u32,
    /// Bytes of an element of a structured buffer; else 0.
    pub stride: u32,
}

/// What registers hold.
///
/// D3D11: `D3D_SHADER_INPUT_TYPE`.
#[doc(alias = "D3D_SHADER_INPUT_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ResourceKind {
    /// A constant buffer. `D3D_SIT_CBUFFER`.
    ConstantBuffer,
    /// A `tbuffer`. `D3D_SIT_TBUFFER`.
    TextureBuffer,
    /// A texture or a typed buffer that is read. `D3D_SIT_TEXTURE`.
    Texture,
    /// A sampler. `D3D_SIT_SAMPLER`.
    Sampler,
    /// A sampler that compares. `D3D_SIT_SAMPLER` with `D3D_SIF_COMPARISON_SAMPLER`.
    ComparisonSampler,
    /// A texture or a typed buffer that is written. `D3D_SIT_UAV_RWTYPED`.
    ReadWriteTyped,
    /// A structured buffer that is read. `D3D_SIT_STRUCTURED`.
    Structured,
    /// A structured buffer that is written. `D3D_SIT_UAV_RWSTRUCTURED`.
    ReadWriteStructured,
    /// A structured buffer that is written, with a counter. `D3D_SIT_UAV_RWSTRUCTURED_WITH_COUNTER`.
    ReadWriteStructuredWithCounter,
    /// A buffer that is appended to. `D3D_SIT_UAV_APPEND_STRUCTURED`.
    Append,
    /// A buffer that is consumed. `D3D_SIT_UAV_CONSUME_STRUCTURED`.
    Consume,
    /// A buffer of bytes that is read. `D3D_SIT_BYTEADDRESS`.
    ByteAddress,
    /// A buffer of bytes that is written. `D3D_SIT_UAV_RWBYTEADDRESS`.
    ReadWriteByteAddress,
}

/// What reading a texture gives.
///
/// D3D11: `D3D_RESOURCE_RETURN_TYPE`.
#[doc(alias = "D3D_RESOURCE_RETURN_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ReturnKind {
    /// Numbers from 0 to 1.
    Unorm,
    /// Numbers from -1 to 1.
    Snorm,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `float`.
    Float,
    /// `double`.
    Double,
}

/// The shape of a resource.
///
/// D3D11: `D3D_SRV_DIMENSION`.
#[doc(alias = "D3D_SRV_DIMENSION")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Dimension {
    /// It has none: a sampler, a constant buffer.
    Unknown,
    /// A buffer.
    Buffer,
    /// `Texture1D`.
    Texture1D,
    /// `Texture1DArray`.
    Texture1DArray,
    /// `Texture2D`.
    Texture2D,
    /// `Texture2DArray`.
    Texture2DArray,
    /// `Texture2DMS`.
    Texture2DMultisampled,
    /// `Texture2DMSArray`.
    Texture2DMultisampledArray,
    /// `Texture3D`.
    Texture3D,
    /// `TextureCube`.
    TextureCube,
    /// `TextureCubeArray`.
    TextureCubeArray,
}
