//! Shaders as the interface passes them: a `naga` module with one entry point, and its reflection.
//!
//! This is the counterpart of Direct3D 11's token stream: the runtime has parsed and validated the module, so
//! a driver may rely on exactly one entry point and nothing that it does not use. A pixel shader may have one
//! pipeline-overridable constant, [`RENDER_TARGET_SAMPLE_COUNT`](crate::RENDER_TARGET_SAMPLE_COUNT), and no
//! other shader has any. Every resource has the register that the convention assigns: `@group(0)` contains
//! the `b` registers, 1 `t`, 2 `s`, 3 `u`, and 4 the hidden counters of the `u` registers, and `@binding` is
//! the slot. Each stage has its own slots, so two stages may use the same slot for different objects. A
//! driver that needs another numbering assigns it with [`remap_bindings`].
//!
//! ```
//! use onze_ddi::naga;
//! use onze_ddi::shader::remap_bindings;
//!
//! let wgsl = "@group(1) @binding(3) var picture: texture_2d<f32>;
//!     @group(2) @binding(0) var filtering: sampler;";
//! let mut module = naga::front::wgsl::parse_str(wgsl)?;
//! // Moves all registers into one group, with 16 samplers after 128 resources.
//! remap_bindings(&mut module, |group, slot| (0, if group == 2 { 128 + slot } else { slot }));
//! let places = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
//! let places: Vec<_> = places.map(|place| (place.group, place.binding)).collect();
//! assert_eq!(places, [(0, 3), (0, 128)]);
//! # Ok::<(), naga::front::wgsl::ParseError>(())
//! ```

use naga::valid::ModuleInfo;
use naga::{AddressSpace, GlobalVariable, Module};

use crate::{Format, ShaderStage};

/// A shader that the runtime has parsed, validated and reflected, as a driver receives it.
#[derive(Clone, Debug)]
pub struct ShaderCode {
    /// The module, compacted to its one entry point and the items that the entry point uses.
    pub module: Module,
    /// The results of `naga`'s validation of `module`, which its shader writers need.
    pub info: ModuleInfo,
    /// The name of the entry point in the module.
    pub entry_point: String,
    /// The shader's bindings, inputs and outputs, found by the runtime.
    pub reflection: ShaderReflection,
}

impl ShaderCode {
    /// Size of the memory that the threads of a compute shader's group share, in bytes: WGSL's
    /// `var<workgroup>`, HLSL's `groupshared`. The runtime refuses more than 32 KiB, and an adapter may
    /// support less.
    pub fn group_shared_bytes(&self) -> u32 {
        let shared = self.module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::WorkGroup);
        let size = |variable: &GlobalVariable| {
            self.module.types[variable.ty].inner.try_size(self.module.to_ctx()).unwrap_or(u32::MAX)
        };
        // Sizes are rounded up to registers of 4 bytes.
        let bytes = shared.map(|(_, variable)| u64::from(size(variable)).next_multiple_of(4)).sum::<u64>();
        bytes.try_into().unwrap_or(u32::MAX)
    }
}

/// The bindings, inputs and outputs of a shader (D3D11: `ID3D11ShaderReflection` and its `GetDesc`).
///
/// Slots are in ascending order, and each occurs once. Resources that the entry point does not use are absent, while
/// everything that its signature declares is present, used or not.
#[doc(alias = "ID3D11ShaderReflection")]
#[doc(alias = "GetDesc")]
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderReflection {
    /// The pipeline stage that the entry point is for.
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
    /// The hidden counters of the `u` registers that the shader uses, by slot ([`crate::COUNTER_GROUP`]), although the
    /// `u` register itself may be unused.
    pub counters: Vec<CounterSlot>,
    /// The pairs of textures and samplers that are used together, in ascending order. A texture that occurs
    /// here only with samplers that do not filter, or not at all, need not have a filterable format.
    ///
    pub sampled_pairs: Vec<SampledPair>,
    /// The inputs at user-defined locations, in the order of their locations.
    pub inputs: Vec<ShaderInput>,
    /// The outputs at user-defined locations, by location, which go to the next stage or to the render
    /// targets, in which case the location is the target's slot.
    pub outputs: Vec<ShaderOutput>,
    /// Number of threads in a compute shader's group, `[numthreads(x, y, z)]`, or zeros for other stages
    /// (D3D11: `ID3D11ShaderReflection::GetThreadGroupSize`).
    #[doc(alias = "GetThreadGroupSize")]
    pub workgroup_size: [u32; 3],
    /// Whether the shader reads the number of the vertex: `SV_VertexID`, in WGSL `@builtin(vertex_index)`.
    pub uses_vertex_index: bool,
    /// Whether the shader reads the number of the instance: `SV_InstanceID`, in WGSL
    /// `@builtin(instance_index)`.
    pub uses_instance_index: bool,
    /// Whether a pixel shader reads the position of the pixel: `SV_Position`, in WGSL `@builtin(position)`.
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
    /// Whether the shader writes the mask of the samples to write: `SV_Coverage` as an output, in WGSL
    /// `@builtin(sample_mask)`.
    pub writes_sample_mask: bool,
    /// Whether the shader writes a second colour for blending, in WGSL `@blend_src(1)`.
    pub dual_source: bool,
    /// Whether the shader may discard its pixel, so that its targets stay unchanged.
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

    /// Returns the hidden counter of a `u` slot, for which Direct3D 11 has no counterpart, because the type
    /// of the buffer implies the counter (`D3D_SIT_UAV_RWSTRUCTURED_WITH_COUNTER` and similar types).
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

    /// Returns the output at a location, or the first of two colours for one target (D3D11:
    /// `ID3D11ShaderReflection::GetOutputParameterDesc`).
    #[doc(alias = "GetOutputParameterDesc")]
    pub fn output(&self, location: u32) -> Option<&ShaderOutput> {
        self.outputs.iter().find(|o| o.location == location)
    }

    /// Whether a pixel shader writes the two sources that blend factors such as `Src1Color` need: the colours
    /// of targets 0 and 1, or two marked colours (`@blend_src`).
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
    /// The number of the `b` register that the buffer belongs in.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// Size of the shader's block in bytes, of which the part that a shorter buffer lacks reads as zero.
    pub size: u32,
    /// The buffer's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A texture or buffer that a shader reads through a shader-resource view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSlot {
    /// The number of the `t` register that the resource belongs in.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// The kind of resource that the shader expects in the register.
    pub kind: ResourceKind,
    /// The resource's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// The kind of resource that a shader expects in a `t` register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A texture, or a typed buffer in the form of `texture_1d`.
    Texture {
        /// The dimension of the view that the shader expects.
        dimension: TextureDimension,
        /// Whether the shader expects a multisampled texture.
        multisampled: bool,
        /// The type of the values that the shader reads.
        sample: SampleKind,
    },
    /// A structured or raw buffer, in WGSL a `var<storage, read>`.
    Buffer {
        /// Bytes from one element to the next: the stride of the array for a struct that ends in one, and the
        /// size of the whole without any array.
        stride: u32,
        /// Minimum size of the buffer in bytes: everything except the runtime-sized array, plus one element of that
        /// array.
        size: u32,
    },
}

impl ResourceKind {
    /// Returns the component type of a typed buffer in this register, if the shader can read one there,
    /// because `texture_1d` represents HLSL's `Buffer`.
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
    /// A 2D texture of one slice: `texture_2d` in WGSL.
    D2,
    /// A 2D texture of several slices: `texture_2d_array` in WGSL.
    D2Array,
    /// A cube of six slices: `texture_cube` in WGSL.
    Cube,
    /// Several cubes of six slices each: `texture_cube_array` in WGSL.
    CubeArray,
    /// A 3D texture with all its depth slices: `texture_3d` in WGSL.
    D3,
}

/// The type of the values that a shader reads from a texture.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SampleKind {
    /// Floating point, for float, normalised and (read as colour) depth formats.
    Float,
    /// Depth that is compared or read, in WGSL one of `texture_depth_*`.
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
    /// The number of the `s` register that the sampler belongs in.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// Whether the shader compares with a reference value: WGSL's `sampler_comparison`.
    pub comparison: bool,
    /// The sampler's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A resource that a shader writes through an unordered-access view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnorderedAccessSlot {
    /// The number of the `u` register that the resource belongs in.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// The kind of resource that the shader expects in the register.
    pub kind: UnorderedAccessKind,
    /// The resource's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A hidden counter of an unordered-access view that a shader uses, as an `atomic<u32>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterSlot {
    /// The number of the `u` register that the counter belongs to.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// The counter's variable in the shader's module, which has its group and binding.
    pub binding: naga::Handle<GlobalVariable>,
}

/// The kind of resource that a shader expects in a `u` register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnorderedAccessKind {
    /// A structured or raw buffer, in WGSL a `var<storage, read_write>`.
    Buffer {
        /// Bytes from one element to the next, with the exceptions of [`ResourceKind::Buffer`].
        stride: u32,
        /// Minimum size of the buffer in bytes, as in [`ResourceKind::Buffer`].
        size: u32,
        /// The component type if the buffer is an array of atomics, otherwise `None`.
        atomic: Option<ScalarKind>,
    },
    /// A typed buffer, HLSL's `RWBuffer` and WGSL's `texture_storage_1d`, whose format in the shader
    /// determines only the component type, because the elements have the format of the view.
    TypedBuffer {
        /// The type of a component in the shader.
        kind: ScalarKind,
        /// Whether the shader reads the elements, writes them or both.
        access: naga::StorageAccess,
    },
    /// A texture, such as HLSL's `RWTexture2D`: WGSL's `texture_storage_2d` or `texture_storage_2d_array`, whose format
    /// determines only the component type.
    Texture {
        /// The dimension of the view that the shader expects.
        dimension: TextureDimension,
        /// The type of a component in the shader.
        kind: ScalarKind,
        /// Whether the shader reads the texels, writes them or both.
        access: naga::StorageAccess,
    },
}

impl UnorderedAccessKind {
    /// Whether a typed view of this format may also be bound to a buffer of atomics, because both consist of the same
    /// words. HLSL's `RWBuffer` becomes a buffer of atomics if an atomic function returns a value, because WGSL's texel
    /// functions return none.
    pub const fn has_words_of(self, format: Format) -> bool {
        let Self::Buffer { atomic: Some(kind), .. } = self else { return false };
        matches!(kind, ScalarKind::Uint | ScalarKind::Sint)
            && matches!(format, Format::R32_UINT | Format::R32_SINT)
    }
}

/// A texture and a sampler that a shader uses together in at least one call.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SampledPair {
    /// The number of the `t` register of the texture.
    pub resource: u32,
    /// The number of the `s` register of the sampler.
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

/// A user-defined input of a shader (D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`).
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderInput {
    /// The number of the input, in WGSL its `@location`.
    pub location: u32,
    /// The name of the argument or struct member in the source, empty if it has none.
    pub name: String,
    /// The semantic's name, which is `name` in upper case without trailing digits.
    pub semantic_name: String,
    /// The semantic's index, which is the trailing digits of `name`, or 0.
    pub semantic_index: u32,
    /// The type of the input's components in the shader.
    pub kind: ScalarKind,
    /// The number of components of the input, 1 to 4.
    pub components: u8,
    /// How a pixel shader's input varies over a primitive, unused for vertex shaders.
    pub interpolation: Option<naga::Interpolation>,
    /// Where a pixel shader's input is evaluated, unused for vertex shaders.
    pub sampling: Option<naga::Sampling>,
}

/// A user-defined output of a shader (D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`).
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderOutput {
    /// The number of the output, in WGSL its `@location`, and for a pixel shader the render target's slot.
    pub location: u32,
    /// The name of the struct member in the source, empty if it has none.
    pub name: String,
    /// The semantic's name, which is `name` in upper case without trailing digits.
    pub semantic_name: String,
    /// The semantic's index, which is the trailing digits of `name`, or 0.
    pub semantic_index: u32,
    /// The type of the output's components in the shader.
    pub kind: ScalarKind,
    /// The number of components of the output, 1 to 4.
    pub components: u8,
    /// How a vertex shader's output varies over a primitive according to the vertex shader, over which the
    /// pixel shader's input takes precedence, unused for pixel shaders.
    pub interpolation: Option<naga::Interpolation>,
    /// Where a vertex shader's output is evaluated according to the vertex shader, unused for pixel shaders.
    pub sampling: Option<naga::Sampling>,
    /// The index among two colours for one target, in WGSL `@blend_src`, or `None` for a single colour.
    pub blend_src: Option<u32>,
}

/// Assigns a new group and binding to every bound variable of a module.
///
/// `f` is called once per variable with its group and binding, in the order of the module. The module and its
/// [`ModuleInfo`] stay valid as long as `f` assigns a different place to each variable.
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
            discards: false,
        };
        assert_eq!(reflection.color_output_mask(), 0b1000_0101);
        assert_eq!(reflection.output(2).map(|o| o.location), Some(2));
        assert_eq!(reflection.output(1), None);
        reflection.stage = ShaderStage::Vertex;
        assert_eq!(reflection.color_output_mask(), 0);
    }
}
