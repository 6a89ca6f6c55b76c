//! Shaders in the form that drivers receive: a `naga` module, the program in it, and its reflection.
//!
//! The module is the counterpart of Direct3D 11's token stream. The runtime has parsed, validated and
//! compacted the module, so it contains one [`ShaderProgram`] and only items that this program uses. A
//! pixel shader may have one pipeline-overridable constant,
//! [`RENDER_TARGET_SAMPLE_COUNT`](crate::RENDER_TARGET_SAMPLE_COUNT), while all other shaders have no
//! overridable constants. Groups correspond to register types: `@group(0)` contains the `b` registers,
//! `@group(1)` the `t` registers, `@group(2)` the `s` registers, `@group(3)` the `u` registers, and
//! `@group(4)` the hidden counters of the `u` registers. The binding is the slot. Each stage has its own
//! slots, so two stages may use the same slot for different objects. A driver that needs other groups and
//! bindings assigns them with [`remap_bindings`].
//!
//! ```
//! use onze_ddi::naga;
//! use onze_ddi::shader::remap_bindings;
//!
//! let wgsl = "@group(1) @binding(3) var picture: texture_2d<f32>;
//!     @group(2) @binding(0) var filtering: sampler;";
//! let mut module = naga::front::wgsl::parse_str(wgsl)?;
//! // Moves all registers into one group, with the samplers after the 128 resources.
//! remap_bindings(&mut module, |group, slot| (0, if group == 2 { 128 + slot } else { slot }));
//! let places = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
//! let places: Vec<_> = places.map(|place| (place.group, place.binding)).collect();
//! assert_eq!(places, [(0, 3), (0, 128)]);
//! # Ok::<(), naga::front::wgsl::ParseError>(())
//! ```

use naga::valid::ModuleInfo;
use naga::{AddressSpace, GlobalVariable, Module};

use crate::{DomainProgram, Format, HullProgram, InputPrimitive, ShaderStage, StreamTopology};

/// A shader in the form that a driver receives, already parsed, validated and reflected.
#[derive(Clone, Debug)]
pub struct ShaderCode {
    /// The module, which contains only `program` and the items that it uses.
    pub module: Module,
    /// The results of `naga`'s validation of `module`, which its shader writers need.
    pub info: ModuleInfo,
    /// The part of `module` that the stage runs. Its form depends on the stage.
    pub program: ShaderProgram,
    /// The shader's bindings, inputs and outputs.
    pub reflection: ShaderReflection,
}

impl ShaderCode {
    /// Size in bytes of the memory that the threads of a compute shader's group share: `var<workgroup>` in
    /// WGSL, `groupshared` in HLSL. The runtime rejects shaders that use more than 32 KiB, but the limit of
    /// an adapter may be lower.
    pub fn group_shared_bytes(&self) -> u32 {
        let shared = self.module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::WorkGroup);
        let size = |variable: &GlobalVariable| {
            self.module.types[variable.ty].inner.try_size(self.module.to_ctx()).unwrap_or(u32::MAX)
        };
        // The size of each variable is rounded up to a multiple of 4 bytes.
        let bytes = shared.map(|(_, variable)| u64::from(size(variable)).next_multiple_of(4)).sum::<u64>();
        bytes.try_into().unwrap_or(u32::MAX)
    }
}

/// The part of a shader's module that its stage runs.
///
/// The enum is exhaustive, because a driver must decide for each kind of program whether it can run it. The
/// driver matches the program when it creates the shader, and refuses any program that it cannot run.
///
/// The module's private variables have their initial values at the start of each invocation. Each output control point of a
/// hull shader is an invocation, and the patch constants of a patch are another one.
#[derive(Clone, Debug, PartialEq)]
pub enum ShaderProgram {
    /// The name of the module's only entry point, for the stages that `naga` has
    /// ([`ShaderStage::to_naga`]).
    EntryPoint(String),
    /// A geometry shader, which `naga` lacks.
    Geometry(GeometryProgram),
    /// A hull shader, which `naga` lacks.
    Hull(HullProgram),
    /// A domain shader, which `naga` lacks.
    Domain(DomainProgram),
}

impl ShaderProgram {
    /// The program's name in the source, for labels and messages.
    pub fn name(&self) -> &str {
        match self {
            Self::EntryPoint(name) => name,
            Self::Geometry(program) => &program.name,
            Self::Hull(program) => &program.name,
            Self::Domain(program) => &program.name,
        }
    }
}

/// A geometry shader: a function of the module, and the functions through which it reads vertices and writes streams.
///
/// The module's only entry point is a compute shader that calls `function`, so that the module can be validated. The
/// functions of vertices and streams do nothing. A driver replaces their bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryProgram {
    /// The program's name in the source.
    pub name: String,
    /// The primitive that the shader processes (D3D11: `ID3D11ShaderReflection::GetGSInputPrimitive`).
    #[doc(alias = "GetGSInputPrimitive")]
    pub input: InputPrimitive,
    /// Maximum number of vertices that an invocation appends to all its streams, from 1 to 1,024. Further vertices
    /// have no effect (HLSL: `maxvertexcount`).
    pub max_vertex_count: u32,
    /// Number of invocations for each primitive, from 1 to 32 (HLSL: `instance`).
    pub instance_count: u32,
    /// The function of the shader. Its arguments are the number of the primitive in the instance of the draw
    /// (`SV_PrimitiveID`) and the number of the invocation for the primitive (`SV_GSInstanceID`), both `u32`.
    pub function: naga::Handle<naga::Function>,
    /// The function that returns a vertex of the primitive, given its index as `u32`, or `None` if the shader reads no
    /// vertex. The result is a structure with the members of [`ShaderReflection::inputs`] and, if the shader reads it,
    /// the position.
    pub vertex: Option<naga::Handle<naga::Function>>,
    /// The streams, at most four. [`ShaderReflection::outputs`] are those of the first one.
    pub streams: Vec<GeometryStream>,
}

/// A stream of vertices that a geometry shader writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryStream {
    /// The primitives of the stream.
    pub topology: StreamTopology,
    /// The function that appends a vertex, or `None` if the shader appends none. Its only argument is a structure of the
    /// vertex, unless the vertices have no elements.
    pub append: Option<naga::Handle<naga::Function>>,
    /// The function that ends a strip, or `None` if the shader ends none.
    pub restart: Option<naga::Handle<naga::Function>>,
    /// Whether the vertices have a position: `SV_Position`.
    pub has_position: bool,
    /// The elements of the vertices at user-defined locations, by location.
    pub outputs: Vec<ShaderOutput>,
}

/// A system value that a geometry shader writes to one component of an output.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SystemOutput {
    /// The meaning of the component.
    pub value: OutputValue,
    /// The stream of the output.
    pub stream: u32,
    /// The location of the output.
    pub location: u32,
    /// The number of the component, from 0 to 3.
    pub component: u32,
}

/// The meaning of a system value between the last shader before the rasterizer and the pixel shader.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum OutputValue {
    /// A distance of type `float` that clips a primitive where it is negative, with its number from 0 to 7
    /// (`SV_ClipDistance`).
    ClipDistance(u32),
    /// A distance of type `float` that removes a primitive if it is negative at all its vertices, with its number
    /// from 0 to 7 (`SV_CullDistance`).
    CullDistance(u32),
    /// The array slice of the targets that a primitive is drawn to, which its first vertex sets
    /// (`SV_RenderTargetArrayIndex`).
    RenderTargetArrayIndex,
    /// The viewport and the scissor rectangle of a primitive, which its first vertex sets
    /// (`SV_ViewportArrayIndex`).
    ViewportArrayIndex,
    /// The number that the pixel shader reads as `SV_PrimitiveID`, which the first vertex of a primitive sets.
    PrimitiveId,
}

impl OutputValue {
    /// Whether a shader writes this value to its first stream.
    pub fn is_in(self, shader: &ShaderReflection) -> bool {
        shader.system_outputs.iter().any(|output| output.stream == 0 && output.value == self)
    }
}

/// The bindings, inputs and outputs of a shader (D3D11: `ID3D11ShaderReflection` and its `GetDesc`).
///
/// Slots are in ascending order without duplicates. Only resources that the program uses are listed,
/// whereas all inputs and outputs in its signature are listed, whether they are used or not.
#[doc(alias = "ID3D11ShaderReflection")]
#[doc(alias = "GetDesc")]
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderReflection {
    /// The pipeline stage that runs the shader.
    pub stage: ShaderStage,
    /// The constant buffers of the `b` registers, by slot (D3D11:
    /// `ID3D11ShaderReflection::GetConstantBufferByIndex` and `GetConstantBufferByName`).
    #[doc(alias = "GetConstantBufferByIndex")]
    #[doc(alias = "GetConstantBufferByName")]
    pub constant_buffers: Vec<ConstantBufferSlot>,
    /// The readable resources of the `t` registers, by slot (D3D11:
    /// `ID3D11ShaderReflection::GetResourceBindingDescByName`).
    #[doc(alias = "GetResourceBindingDescByName")]
    pub resources: Vec<ResourceSlot>,
    /// The samplers of the `s` registers that the shader uses, by slot.
    pub samplers: Vec<SamplerSlot>,
    /// The writable resources of the `u` registers that the shader uses, by slot.
    pub unordered_access: Vec<UnorderedAccessSlot>,
    /// The hidden counters that the shader uses, by the slot of their `u` register
    /// ([`crate::COUNTER_GROUP`]), even if the shader does not use that register itself.
    pub counters: Vec<CounterSlot>,
    /// The pairs of textures and samplers that are used together, in ascending order. A texture needs a
    /// filterable format only if one of its pairs has a sampler that filters.
    pub sampled_pairs: Vec<SampledPair>,
    /// The inputs at user-defined locations, in the order of their locations.
    pub inputs: Vec<ShaderInput>,
    /// The outputs at user-defined locations, by location. A pixel shader writes them to the render targets:
    /// an output's location is the slot of its target. All other shaders pass them to the next stage.
    pub outputs: Vec<ShaderOutput>,
    /// The system values among [`ShaderReflection::outputs`] and among the outputs of a geometry shader's
    /// further streams. Outputs of other system values, such as the position, have no location. Hull shaders have
    /// none, because a later stage writes the values that take effect.
    pub system_outputs: Vec<SystemOutput>,
    /// Number of threads in a compute shader's group, `[numthreads(x, y, z)]`, or zeros for other stages
    /// (D3D11: `ID3D11ShaderReflection::GetThreadGroupSize`).
    #[doc(alias = "GetThreadGroupSize")]
    pub workgroup_size: [u32; 3],
    /// Whether the shader reads the vertex index: `SV_VertexID`, in WGSL `@builtin(vertex_index)`.
    pub uses_vertex_index: bool,
    /// Whether the shader reads the instance index: `SV_InstanceID`, in WGSL `@builtin(instance_index)`.
    pub uses_instance_index: bool,
    /// Whether a pixel shader reads the position of the pixel, or a hull, domain or geometry shader the positions of its
    /// points: `SV_Position`, in WGSL `@builtin(position)`.
    pub uses_position: bool,
    /// Whether the shader reads which side of the triangle faces the viewer: `SV_IsFrontFace`, in WGSL
    /// `@builtin(front_facing)`.
    pub uses_front_facing: bool,
    /// Whether the shader runs once per sample, because it reads `@builtin(sample_index)` (`SV_SampleIndex`)
    /// or an input that is interpolated per sample (D3D11:
    /// `ID3D11ShaderReflection::IsSampleFrequencyShader`).
    #[doc(alias = "IsSampleFrequencyShader")]
    pub runs_per_sample: bool,
    /// Whether the shader reads the mask of the covered samples: `SV_Coverage` as an input, in WGSL
    /// `@builtin(sample_mask)`.
    pub uses_sample_mask: bool,
    /// Whether the shader writes the depth of the pixel: `SV_Depth`, in WGSL `@builtin(frag_depth)`.
    pub writes_depth: bool,
    /// Whether the shader outputs a mask of the samples to write: `SV_Coverage` as an output, in WGSL
    /// `@builtin(sample_mask)`.
    pub writes_sample_mask: bool,
    /// Whether the shader writes a second colour for blending, in WGSL `@blend_src(1)`.
    pub dual_source: bool,
    /// Whether the shader may discard its pixel, which leaves the targets unchanged.
    pub discards: bool,
}

impl ShaderReflection {
    /// Returns the constant buffer that the shader reads in a `b` slot (D3D11:
    /// `ID3D11ShaderReflection::GetResourceBindingDesc`).
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn constant_buffer(&self, slot: u32) -> Option<&ConstantBufferSlot> {
        find(&self.constant_buffers, slot, |b| b.slot)
    }

    /// Returns the resource that the shader reads in a `t` slot (D3D11:
    /// `ID3D11ShaderReflection::GetResourceBindingDesc`).
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn resource(&self, slot: u32) -> Option<&ResourceSlot> {
        find(&self.resources, slot, |t| t.slot)
    }

    /// Returns the sampler that the shader uses in an `s` slot (D3D11:
    /// `ID3D11ShaderReflection::GetResourceBindingDesc`).
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn sampler(&self, slot: u32) -> Option<&SamplerSlot> {
        find(&self.samplers, slot, |s| s.slot)
    }

    /// Returns the resource that the shader writes in a `u` slot (D3D11:
    /// `ID3D11ShaderReflection::GetResourceBindingDesc`).
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn unordered_access(&self, slot: u32) -> Option<&UnorderedAccessSlot> {
        find(&self.unordered_access, slot, |u| u.slot)
    }

    /// Returns the hidden counter of a `u` slot. Direct3D 11 has no counterpart, because there the type of
    /// the buffer implies the counter (`D3D_SIT_UAV_RWSTRUCTURED_WITH_COUNTER` and similar types).
    #[doc(alias = "D3D_SIT_UAV_RWSTRUCTURED_WITH_COUNTER")]
    pub fn counter(&self, slot: u32) -> Option<&CounterSlot> {
        find(&self.counters, slot, |counter| counter.slot)
    }

    /// Whether the shader may write through unordered-access views or use their counters.
    pub fn writes_views(&self) -> bool {
        !self.unordered_access.is_empty() || !self.counters.is_empty()
    }

    /// Whether the shader accesses buffers through views or uses the views' counters.
    pub fn uses_buffers(&self) -> bool {
        let is_buffer = |resource: &ResourceSlot| {
            matches!(resource.kind, ResourceKind::Buffer { .. }) || resource.kind.typed_buffer().is_some()
        };
        self.writes_views() || self.resources.iter().any(is_buffer)
    }

    /// Returns the user-defined input at a location (D3D11: `ID3D11ShaderReflection::GetInputParameterDesc`).
    #[doc(alias = "GetInputParameterDesc")]
    pub fn input(&self, location: u32) -> Option<&ShaderInput> {
        find(&self.inputs, location, |i| i.location)
    }

    /// Returns the output at a location. If two outputs have the location, for dual-source blending, returns
    /// the first (D3D11: `ID3D11ShaderReflection::GetOutputParameterDesc`).
    #[doc(alias = "GetOutputParameterDesc")]
    pub fn output(&self, location: u32) -> Option<&ShaderOutput> {
        self.outputs.iter().find(|o| o.location == location)
    }

    /// Whether a pixel shader writes both sources for blend factors such as `Src1Color`: the colours of
    /// targets 0 and 1, or two colours marked with `@blend_src`.
    pub fn gives_two_sources(&self) -> bool {
        self.dual_source || self.color_output_mask() & 0b11 == 0b11
    }

    /// The render targets that a pixel shader writes, as one bit per slot; 0 for other stages.
    pub fn color_output_mask(&self) -> u8 {
        if self.stage != ShaderStage::Pixel {
            return 0;
        }
        self.outputs.iter().filter_map(|o| 1u8.checked_shl(o.location)).fold(0, |mask, bit| mask | bit)
    }
}

fn find<T>(list: &[T], number: u32, key: impl Fn(&T) -> u32) -> Option<&T> {
    let at = list.binary_search_by_key(&number, key).ok()?;
    list.get(at)
}

/// A constant buffer that a shader reads (D3D11: `ID3D11ShaderReflectionConstantBuffer::GetDesc`).
#[doc(alias = "GetDesc")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantBufferSlot {
    /// The slot of the buffer's `b` register.
    pub slot: u32,
    /// The variable's name in the source, or an empty string if it has none.
    pub name: String,
    /// Size of the shader's block in bytes; reads beyond the end of a shorter buffer return zero.
    pub size: u32,
    /// The buffer's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A texture or buffer that a shader reads through a shader-resource view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSlot {
    /// The slot of the resource's `t` register.
    pub slot: u32,
    /// The variable's name in the source, or an empty string if it has none.
    pub name: String,
    /// The type of resource that the shader expects in the register.
    pub kind: ResourceKind,
    /// The resource's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// The type of resource that a shader expects in a `t` register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A texture, or a typed buffer that is declared as `texture_1d`.
    Texture {
        /// The dimension of the view that the shader expects.
        dimension: TextureDimension,
        /// Whether the shader expects a multisampled texture.
        multisampled: bool,
        /// The type of the values that the shader reads.
        sample: SampleKind,
    },
    /// A structured or raw buffer: `var<storage, read>` in WGSL.
    Buffer {
        /// Bytes from one element to the next. If the variable is an array, or a struct that ends in a
        /// runtime-sized array, this is the array's stride, and otherwise the size of the whole variable.
        stride: u32,
        /// Minimum size of the buffer in bytes, with one element of the runtime-sized array if there is one.
        size: u32,
    },
}

impl ResourceKind {
    /// Returns the component type if the shader can read a typed buffer in this register, that is, if the
    /// register is declared as `texture_1d` (HLSL: `Buffer`).
    pub const fn typed_buffer(&self) -> Option<ScalarKind> {
        match self {
            Self::Texture { dimension: TextureDimension::D1, sample, .. } => Some(sample.scalar_kind()),
            Self::Texture { .. } | Self::Buffer { .. } => None,
        }
    }
}

/// The view dimension that a shader expects, with the WGSL type that declares it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextureDimension {
    /// A typed buffer, or a 1D texture: `texture_1d` in WGSL.
    D1,
    /// One slice of a 2D texture: `texture_2d` in WGSL.
    D2,
    /// An array of 2D textures: `texture_2d_array` in WGSL.
    D2Array,
    /// A cube map: `texture_cube` in WGSL.
    Cube,
    /// An array of cube maps: `texture_cube_array` in WGSL.
    CubeArray,
    /// A 3D texture: `texture_3d` in WGSL.
    D3,
}

/// The type of the values that a shader reads from a texture.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SampleKind {
    /// Floating point, from float formats, normalised formats, and depth formats that are read as colours.
    Float,
    /// Depth that is read or compared: one of `texture_depth_*` in WGSL.
    Depth,
    /// Signed 32-bit integers, from `SINT` formats.
    Sint,
    /// Unsigned 32-bit integers, from `UINT` formats.
    Uint,
}

impl SampleKind {
    /// Returns the type of a component in the shader, which is a float for depth.
    pub const fn scalar_kind(self) -> ScalarKind {
        match self {
            Self::Float | Self::Depth => ScalarKind::Float,
            Self::Sint => ScalarKind::Sint,
            Self::Uint => ScalarKind::Uint,
        }
    }
}

/// A sampler that a shader uses through an `s` register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplerSlot {
    /// The slot of the sampler's `s` register.
    pub slot: u32,
    /// The variable's name in the source, or an empty string if it has none.
    pub name: String,
    /// Whether the sampler compares with a reference value: `sampler_comparison` in WGSL.
    pub comparison: bool,
    /// The sampler's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A resource that a shader accesses through an unordered-access view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnorderedAccessSlot {
    /// The slot of the resource's `u` register.
    pub slot: u32,
    /// The variable's name in the source, or an empty string if it has none.
    pub name: String,
    /// The type of resource that the shader expects in the register.
    pub kind: UnorderedAccessKind,
    /// The resource's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A hidden counter of an unordered-access view that a shader uses, as an `atomic<u32>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterSlot {
    /// The slot of the `u` register that has the counter.
    pub slot: u32,
    /// The variable's name in the source, or an empty string if it has none.
    pub name: String,
    /// The counter's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// The type of resource that a shader expects in a `u` register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnorderedAccessKind {
    /// A structured or raw buffer: `var<storage, read_write>` in WGSL.
    Buffer {
        /// Bytes from one element to the next, as in [`ResourceKind::Buffer`].
        stride: u32,
        /// Minimum size of the buffer in bytes, as in [`ResourceKind::Buffer`].
        size: u32,
        /// The component type if the buffer is an array of atomics, and otherwise `None`.
        atomic: Option<ScalarKind>,
    },
    /// A typed buffer: `RWBuffer` in HLSL, `texture_storage_1d` in WGSL. The format in the shader determines
    /// only the component type, because the elements have the view's format.
    TypedBuffer {
        /// The type of a component in the shader.
        kind: ScalarKind,
        /// Whether the shader reads elements, writes elements, or does both.
        access: naga::StorageAccess,
    },
    /// A texture: for example `RWTexture2D` in HLSL, `texture_storage_2d` in WGSL. The format in the shader
    /// determines only the component type.
    Texture {
        /// The dimension of the view that the shader expects.
        dimension: TextureDimension,
        /// The type of a component in the shader.
        kind: ScalarKind,
        /// Whether the shader reads texels, writes texels, or does both.
        access: naga::StorageAccess,
    },
}

impl UnorderedAccessKind {
    /// Whether this is a buffer of atomics that also accepts a typed view of the given format, because both
    /// consist of the same words. HLSL's `RWBuffer` becomes such a buffer if the shader uses the return value
    /// of an atomic function, because WGSL's atomic texel functions return no value.
    pub const fn has_words_of(self, format: Format) -> bool {
        let Self::Buffer { atomic: Some(kind), .. } = self else { return false };
        matches!(kind, ScalarKind::Uint | ScalarKind::Sint)
            && matches!(format, Format::R32_UINT | Format::R32_SINT)
    }
}

/// A texture and a sampler that a shader uses together.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SampledPair {
    /// The slot of the texture's `t` register.
    pub resource: u32,
    /// The slot of the sampler's `s` register.
    pub sampler: u32,
}

/// The type of a component of a shader's input, output or resource.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// 32-bit floating point, for float and normalised formats.
    Float,
    /// 32-bit signed integer, for `SINT` formats.
    Sint,
    /// 32-bit unsigned integer, for `UINT` formats.
    Uint,
}

impl ScalarKind {
    /// Returns the types of the components of a scalar or vector, for [`ShaderInput::component_kinds`].
    pub fn of_components(self, components: u8) -> [Option<Self>; 4] {
        [0, 1, 2, 3].map(|component| (component < components).then_some(self))
    }
}

/// A user-defined input of a shader (D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`).
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderInput {
    /// The location of the input: `@location` in WGSL.
    pub location: u32,
    /// The name of the argument or struct member in the source, or an empty string if it has none.
    pub name: String,
    /// The name of the semantic: `name` in upper case without trailing digits.
    pub semantic_name: String,
    /// The index of the semantic: the trailing digits of `name`, or 0 if there are none.
    pub semantic_index: u32,
    /// The type of the input's components in the shader's module.
    pub kind: ScalarKind,
    /// The number of components of the input, 1 to 4.
    pub components: u8,
    /// The type of each component in the source, or `None` for a component that the shader does not read (D3D11:
    /// `ComponentType`).
    ///
    /// In HLSL, elements of several types can share a location. The module then has their bits as unsigned integers, so
    /// the output that the previous shader has at the location may be of another `kind`.
    #[doc(alias = "ComponentType")]
    pub component_kinds: [Option<ScalarKind>; 4],
    /// How a pixel shader's input is interpolated over a primitive (unused for vertex shaders).
    pub interpolation: Option<naga::Interpolation>,
    /// Where a pixel shader's input is evaluated (unused for vertex shaders).
    pub sampling: Option<naga::Sampling>,
}

/// A user-defined output of a shader (D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`).
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderOutput {
    /// The location of the output (`@location` in WGSL), which for a pixel shader is the slot of the render
    /// target.
    pub location: u32,
    /// The name of the struct member in the source, or an empty string if it has none.
    pub name: String,
    /// The name of the semantic: `name` in upper case without trailing digits.
    pub semantic_name: String,
    /// The index of the semantic: the trailing digits of `name`, or 0 if there are none.
    pub semantic_index: u32,
    /// The type of the output's components in the shader's module.
    pub kind: ScalarKind,
    /// The number of components of the output, 1 to 4.
    pub components: u8,
    /// The type of each component in the source, or `None` for a component without a value (D3D11: `ComponentType`).
    /// It differs from `kind` if elements of several types share a location in HLSL.
    #[doc(alias = "ComponentType")]
    pub component_kinds: [Option<ScalarKind>; 4],
    /// How a vertex shader's output is interpolated over a primitive (unused for pixel shaders), although the
    /// interpolation of the pixel shader's input takes precedence.
    pub interpolation: Option<naga::Interpolation>,
    /// Where a vertex shader's output is evaluated, according to the vertex shader (unused for pixel
    /// shaders).
    pub sampling: Option<naga::Sampling>,
    /// The index of the output among two colours for the same target (`@blend_src` in WGSL), or `None` for a
    /// single colour.
    pub blend_src: Option<u32>,
}

/// Assigns a new group and binding to every bound variable of a module.
///
/// `f` is called once per variable with its group and binding, in the order of the module, and returns the
/// new group and binding. The module and its [`ModuleInfo`] stay valid if no two variables get the same group
/// and binding.
pub fn remap_bindings(module: &mut Module, mut f: impl FnMut(u32, u32) -> (u32, u32)) {
    for (_, variable) in module.global_variables.iter_mut() {
        if let Some(binding) = &mut variable.binding {
            let (group, slot) = f(binding.group, binding.binding);
            *binding = naga::ResourceBinding { group, binding: slot };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]
    use super::*;

    const SHADER: &str = "
        @group(0) @binding(3) var<uniform> tint: vec4f;
        @group(1) @binding(3) var image: texture_2d<f32>;
        var<private> counter: u32;
        @fragment fn main() -> @location(0) vec4f {
            counter = 1u;
            return tint * textureLoad(image, vec2u(counter), 0);
        }";

    #[test]
    fn remapping_moves_bound_variables_and_keeps_the_module_valid() {
        let mut module = naga::front::wgsl::parse_str(SHADER).unwrap();
        let mut seen = Vec::new();
        remap_bindings(&mut module, |group, binding| {
            seen.push((group, binding));
            (0, group * 100 + binding)
        });
        assert_eq!(seen, [(0, 3), (1, 3)]);
        let places: Vec<_> =
            module.global_variables.iter().map(|(_, v)| v.binding.map(|b| (b.group, b.binding))).collect();
        assert_eq!(places, [Some((0, 3)), Some((0, 103)), None]);
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty())
            .validate(&module)
            .unwrap();
    }

    fn output(location: u32) -> ShaderOutput {
        ShaderOutput {
            location,
            name: String::new(),
            semantic_name: String::new(),
            semantic_index: 0,
            kind: ScalarKind::Float,
            components: 4,
            component_kinds: ScalarKind::Float.of_components(4),
            interpolation: None,
            sampling: None,
            blend_src: None,
        }
    }

    #[test]
    fn a_pixel_shader_has_an_output_bit_per_target() {
        let mut reflection = ShaderReflection {
            stage: ShaderStage::Pixel,
            constant_buffers: Vec::new(),
            resources: Vec::new(),
            samplers: Vec::new(),
            unordered_access: Vec::new(),
            counters: Vec::new(),
            sampled_pairs: Vec::new(),
            inputs: Vec::new(),
            outputs: vec![output(0), output(2), output(7)],
            workgroup_size: [0; 3],
            uses_vertex_index: false,
            uses_instance_index: false,
            uses_position: false,
            uses_front_facing: false,
            runs_per_sample: false,
            uses_sample_mask: false,
            writes_depth: false,
            writes_sample_mask: false,
            dual_source: false,
            system_outputs: Vec::new(),
            discards: false,
        };
        assert_eq!(reflection.color_output_mask(), 0b1000_0101);
        assert_eq!(reflection.output(2).map(|o| o.location), Some(2));
        assert_eq!(reflection.output(1), None);
        reflection.stage = ShaderStage::Vertex;
        assert_eq!(reflection.color_output_mask(), 0);
    }
}
