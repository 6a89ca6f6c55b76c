//! Shaders as the interface carries them: a `naga` module with one entry point, and its reflection.
//!
//! This is the counterpart of Direct3D 11's token stream. The runtime has parsed and validated the
//! module, so a driver may rely on it: it has exactly one entry point, nothing that this entry point
//! does not use, no pipeline-overridable constants, and every resource sits where the convention
//! puts it (`@group(0)` is the `b` registers, 1 `t`, 2 `s`, 3 `u`, and 4 the hidden counters of the `u`
//! registers; `@binding` is the slot). Each stage has slots of its own, so two stages may well use the same slot for
//! different things; a driver that wants another numbering gives it with [`remap_bindings`].
//!
//! ```
//! use onze_ddi::naga;
//! use onze_ddi::shader::remap_bindings;
//!
//! let wgsl = "@group(1) @binding(3) var picture: texture_2d<f32>;
//!     @group(2) @binding(0) var filtering: sampler;";
//! let mut module = naga::front::wgsl::parse_str(wgsl)?;
//! // All registers in one group: 16 samplers behind 128 resources.
//! remap_bindings(&mut module, |group, slot| (0, if group == 2 { 128 + slot } else { slot }));
//! let places = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
//! let places: Vec<_> = places.map(|place| (place.group, place.binding)).collect();
//! assert_eq!(places, [(0, 3), (0, 128)]);
//! # Ok::<(), naga::front::wgsl::ParseError>(())
//! ```

use naga::valid::ModuleInfo;
use naga::{AddressSpace, GlobalVariable, Module};

use crate::{Format, ShaderStage};

/// A shader that the runtime has parsed, validated and reflected.
#[derive(Clone, Debug)]
pub struct ShaderCode {
    /// The module, compacted to its one entry point.
    pub module: Module,
    /// What `naga`'s validation found out about `module`.
    pub info: ModuleInfo,
    /// The name of the entry point.
    pub entry_point: String,
    /// What the shader binds, reads and writes.
    pub reflection: ShaderReflection,
}

impl ShaderCode {
    /// Bytes of the memory that the threads of a compute shader's group share: WGSL's `var<workgroup>`, HLSL's
    /// `groupshared`. The runtime refuses more than 32 KiB; an adapter may have less. No D3D11 counterpart.
    pub fn group_shared_bytes(&self) -> u32 {
        let shared = self.module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::WorkGroup);
        let size = |variable: &GlobalVariable| {
            self.module.types[variable.ty].inner.try_size(self.module.to_ctx()).unwrap_or(u32::MAX)
        };
        // Registers have 4 bytes.
        let bytes = shared.map(|(_, variable)| u64::from(size(variable)).next_multiple_of(4)).sum::<u64>();
        bytes.try_into().unwrap_or(u32::MAX)
    }
}

/// What a shader binds, reads and writes. D3D11: `ID3D11ShaderReflection` and its `GetDesc`.
///
/// Slots are in ascending order and each occurs once. What the entry point does not use is absent;
/// what its signature declares is present, whether it is used or not.
#[doc(alias = "ID3D11ShaderReflection")]
#[doc(alias = "GetDesc")]
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderReflection {
    /// The stage.
    pub stage: ShaderStage,
    /// The `b` registers, by slot.
    /// D3D11: `ID3D11ShaderReflection::GetConstantBufferByIndex` and `GetConstantBufferByName`.
    #[doc(alias = "GetConstantBufferByIndex")]
    #[doc(alias = "GetConstantBufferByName")]
    pub constant_buffers: Vec<ConstantBufferSlot>,
    /// The `t` registers, by slot. D3D11: `ID3D11ShaderReflection::GetResourceBindingDescByName`.
    #[doc(alias = "GetResourceBindingDescByName")]
    pub resources: Vec<ResourceSlot>,
    /// The `s` registers, by slot.
    pub samplers: Vec<SamplerSlot>,
    /// The `u` registers, by slot.
    pub unordered_access: Vec<UnorderedAccessSlot>,
    /// The hidden counters of the `u` registers that the shader uses, by slot ([`crate::COUNTER_GROUP`]). The `u`
    /// register itself may be unused.
    pub counters: Vec<CounterSlot>,
    /// Which texture is read through which sampler, in ascending order.
    ///
    /// A texture that occurs here only with samplers that do not filter, or not at all, need not be
    /// of a format that can be filtered.
    pub sampled_pairs: Vec<SampledPair>,
    /// What the shader takes at user-defined locations, by location.
    pub inputs: Vec<ShaderInput>,
    /// What the shader gives at user-defined locations, by location: to the next stage, or to the
    /// render targets (then the location is the target's slot).
    pub outputs: Vec<ShaderOutput>,
    /// Threads of a compute shader's group, `[numthreads(x, y, z)]`; zeros for other stages.
    /// D3D11: `ID3D11ShaderReflection::GetThreadGroupSize`.
    #[doc(alias = "GetThreadGroupSize")]
    pub workgroup_size: [u32; 3],
    /// The shader takes `@builtin(vertex_index)`: `SV_VertexID`.
    pub uses_vertex_index: bool,
    /// The shader takes `@builtin(instance_index)`: `SV_InstanceID`.
    pub uses_instance_index: bool,
    /// A pixel shader takes `@builtin(position)`: `SV_Position`.
    pub uses_position: bool,
    /// The shader takes `@builtin(front_facing)`: `SV_IsFrontFace`.
    pub uses_front_facing: bool,
    /// The shader runs once per sample: it takes `@builtin(sample_index)` (`SV_SampleIndex`) or an
    /// input that is interpolated per sample. D3D11: `ID3D11ShaderReflection::IsSampleFrequencyShader`.
    #[doc(alias = "IsSampleFrequencyShader")]
    pub runs_per_sample: bool,
    /// The shader takes `@builtin(sample_mask)`: `SV_Coverage` as an input.
    pub uses_sample_mask: bool,
    /// The shader gives `@builtin(frag_depth)`: `SV_Depth`.
    pub writes_depth: bool,
    /// The shader gives `@builtin(sample_mask)`: `SV_Coverage` as an output.
    pub writes_sample_mask: bool,
    /// The shader gives a second colour for blending (`@blend_src(1)`).
    pub dual_source: bool,
    /// The shader may discard its pixel.
    pub discards: bool,
}

impl ShaderReflection {
    /// The constant buffer in a `b` slot. D3D11: `ID3D11ShaderReflection::GetResourceBindingDesc`.
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn constant_buffer(&self, slot: u32) -> Option<&ConstantBufferSlot> {
        find(&self.constant_buffers, slot, |b| b.slot)
    }

    /// The resource in a `t` slot. D3D11: `ID3D11ShaderReflection::GetResourceBindingDesc`.
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn resource(&self, slot: u32) -> Option<&ResourceSlot> {
        find(&self.resources, slot, |t| t.slot)
    }

    /// The sampler in an `s` slot. D3D11: `ID3D11ShaderReflection::GetResourceBindingDesc`.
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn sampler(&self, slot: u32) -> Option<&SamplerSlot> {
        find(&self.samplers, slot, |s| s.slot)
    }

    /// What is written in a `u` slot. D3D11: `ID3D11ShaderReflection::GetResourceBindingDesc`.
    #[doc(alias = "GetResourceBindingDesc")]
    pub fn unordered_access(&self, slot: u32) -> Option<&UnorderedAccessSlot> {
        find(&self.unordered_access, slot, |u| u.slot)
    }

    /// The hidden counter of a `u` slot. No D3D11 counterpart: there the type of the buffer says it
    /// (`D3D_SIT_UAV_RWSTRUCTURED_WITH_COUNTER` and its kin).
    #[doc(alias = "D3D_SIT_UAV_RWSTRUCTURED_WITH_COUNTER")]
    pub fn counter(&self, slot: u32) -> Option<&CounterSlot> {
        find(&self.counters, slot, |counter| counter.slot)
    }

    /// Whether the shader may write through unordered-access views, or count with their counters.
    pub fn writes_views(&self) -> bool {
        !self.unordered_access.is_empty() || !self.counters.is_empty()
    }

    /// Whether the shader reads or writes buffers through views, or counts with their counters.
    pub fn uses_buffers(&self) -> bool {
        let is_buffer = |resource: &ResourceSlot| {
            matches!(resource.kind, ResourceKind::Buffer { .. }) || resource.kind.typed_buffer().is_some()
        };
        self.writes_views() || self.resources.iter().any(is_buffer)
    }

    /// The input at a location. D3D11: `ID3D11ShaderReflection::GetInputParameterDesc`.
    #[doc(alias = "GetInputParameterDesc")]
    pub fn input(&self, location: u32) -> Option<&ShaderInput> {
        find(&self.inputs, location, |i| i.location)
    }

    /// The output at a location; of two colours for one target, the first.
    /// D3D11: `ID3D11ShaderReflection::GetOutputParameterDesc`.
    #[doc(alias = "GetOutputParameterDesc")]
    pub fn output(&self, location: u32) -> Option<&ShaderOutput> {
        self.outputs.iter().find(|o| o.location == location)
    }

    /// Whether a pixel shader gives the two sources that blend factors such as `Src1Color` need: the colours of targets 0 and
    /// 1, or two colours that are marked (`@blend_src`).
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

/// The element with a number, in a list that is sorted by it.
fn find<T>(list: &[T], number: u32, key: impl Fn(&T) -> u32) -> Option<&T> {
    let at = list.binary_search_by_key(&number, key).ok()?;
    list.get(at)
}

/// A constant buffer that a shader reads. D3D11: `ID3D11ShaderReflectionConstantBuffer::GetDesc`.
#[doc(alias = "GetDesc")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantBufferSlot {
    /// The `b` register.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// Bytes of the shader's block. A buffer that is shorter reads as zero beyond its end.
    pub size: u32,
    /// The variable in the shader's module.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A texture or buffer that a shader reads through a shader-resource view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceSlot {
    /// The `t` register.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// What the shader expects there.
    pub kind: ResourceKind,
    /// The variable in the shader's module.
    pub binding: naga::Handle<GlobalVariable>,
}

/// What a shader expects in a `t` register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// A texture.
    Texture {
        /// The dimension of the view.
        dimension: TextureDimension,
        /// Whether the texture has more than one sample per texel.
        multisampled: bool,
        /// What reading it gives.
        sample: SampleKind,
    },
    /// A structured or raw buffer: WGSL's `var<storage, read>`.
    Buffer {
        /// Bytes from one element to the next; of the last member's elements if the buffer is a
        /// struct that ends in an array; of the whole if it is no array at all.
        stride: u32,
        /// Bytes that the buffer has at least: all that is not an array without a size, and one
        /// element of that.
        size: u32,
    },
}

impl ResourceKind {
    /// What a shader reads from a typed buffer in the register, if it can read one there: `texture_1d` stands for
    /// HLSL's `Buffer`.
    pub const fn typed_buffer(&self) -> Option<ScalarKind> {
        match self {
            Self::Texture { dimension: TextureDimension::D1, sample, .. } => Some(sample.scalar_kind()),
            Self::Texture { .. } | Self::Buffer { .. } => None,
        }
    }
}

/// The dimension of the view that a shader expects.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextureDimension {
    /// `texture_1d`: a typed buffer, or a 1D texture.
    D1,
    /// `texture_2d`.
    D2,
    /// `texture_2d_array`.
    D2Array,
    /// `texture_cube`.
    Cube,
    /// `texture_cube_array`.
    CubeArray,
    /// `texture_3d`.
    D3,
}

/// What reading a texture gives to a shader.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SampleKind {
    /// Floating point: float, normalised and (read as colour) depth formats.
    Float,
    /// Depth, to be compared or read: WGSL's `texture_depth_*`.
    Depth,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
}

impl SampleKind {
    /// The type of a component that a shader gets.
    pub const fn scalar_kind(self) -> ScalarKind {
        match self {
            Self::Float | Self::Depth => ScalarKind::Float,
            Self::Sint => ScalarKind::Sint,
            Self::Uint => ScalarKind::Uint,
        }
    }
}

/// A sampler that a shader uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplerSlot {
    /// The `s` register.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// Whether it compares: WGSL's `sampler_comparison`.
    pub comparison: bool,
    /// The variable in the shader's module.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A buffer that a shader writes through an unordered-access view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnorderedAccessSlot {
    /// The `u` register.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// What the shader expects there.
    pub kind: UnorderedAccessKind,
    /// The variable in the shader's module.
    pub binding: naga::Handle<GlobalVariable>,
}

/// A shader's use of the hidden counter of an unordered-access view: an `atomic<u32>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterSlot {
    /// The `u` register whose counter it is.
    pub slot: u32,
    /// The variable's name in the source, empty if it has none.
    pub name: String,
    /// The variable in the shader's module.
    pub binding: naga::Handle<GlobalVariable>,
}

/// What a shader expects in a `u` register.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnorderedAccessKind {
    /// A structured or raw buffer: WGSL's `var<storage, read_write>`.
    Buffer {
        /// As in [`ResourceKind::Buffer`].
        stride: u32,
        /// As in [`ResourceKind::Buffer`].
        size: u32,
        /// Of an array of atomics, what they are.
        atomic: Option<ScalarKind>,
    },
    /// A typed buffer, HLSL's `RWBuffer`: WGSL's `texture_storage_1d`. The format that the shader declares gives the
    /// type of the components alone; the elements have the format of the view.
    TypedBuffer {
        /// The type of a component.
        kind: ScalarKind,
        /// What the shader may do with the elements.
        access: naga::StorageAccess,
    },
    /// A texture, HLSL's `RWTexture2D` and its kin: WGSL's `texture_storage_2d` or `texture_storage_2d_array`. Of the
    /// format that the shader declares only the type of the components counts.
    Texture {
        /// The dimension of the view.
        dimension: TextureDimension,
        /// The type of a component.
        kind: ScalarKind,
        /// What the shader may do with the texels.
        access: naga::StorageAccess,
    },
}

impl UnorderedAccessKind {
    /// Whether a buffer of atomics may be a typed view of such a format, too, as both have the same words. HLSL's `RWBuffer`
    /// becomes one where an atomic function gives a value, as WGSL's functions of texels give none.
    pub const fn has_words_of(self, format: Format) -> bool {
        let Self::Buffer { atomic: Some(kind), .. } = self else { return false };
        matches!(kind, ScalarKind::Uint | ScalarKind::Sint)
            && matches!(format, Format::R32_UINT | Format::R32_SINT)
    }
}

/// A texture and a sampler that are used together.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SampledPair {
    /// The texture's `t` register.
    pub resource: u32,
    /// The sampler's `s` register.
    pub sampler: u32,
}

/// The type of the components of an input or output.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// 32-bit floating point.
    Float,
    /// 32-bit signed integer.
    Sint,
    /// 32-bit unsigned integer.
    Uint,
}

/// A user-defined input of a shader. D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`.
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderInput {
    /// `@location`.
    pub location: u32,
    /// The name in the source (of the argument, or of the struct's member); empty if it has none.
    pub name: String,
    /// The semantic's name: `name` in upper case without the digits at its end.
    pub semantic_name: String,
    /// The semantic's index: the digits at the end of `name`, 0 without.
    pub semantic_index: u32,
    /// The type of a component.
    pub kind: ScalarKind,
    /// The number of components, 1 to 4.
    pub components: u8,
    /// How a pixel shader's input varies over a primitive. Without meaning in a vertex shader.
    pub interpolation: Option<naga::Interpolation>,
    /// Where a pixel shader's input is evaluated. Without meaning in a vertex shader.
    pub sampling: Option<naga::Sampling>,
}

/// A user-defined output of a shader. D3D11: `D3D11_SIGNATURE_PARAMETER_DESC`.
#[doc(alias = "D3D11_SIGNATURE_PARAMETER_DESC")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderOutput {
    /// `@location`: of a pixel shader, the render target's slot.
    pub location: u32,
    /// The name in the source (of the struct's member); empty if it has none.
    pub name: String,
    /// The semantic's name: `name` in upper case without the digits at its end.
    pub semantic_name: String,
    /// The semantic's index: the digits at the end of `name`, 0 without.
    pub semantic_index: u32,
    /// The type of a component.
    pub kind: ScalarKind,
    /// The number of components, 1 to 4.
    pub components: u8,
    /// How a vertex shader's output varies over a primitive, by its own word. What the pixel shader's input says counts.
    /// Without meaning in a pixel shader.
    pub interpolation: Option<naga::Interpolation>,
    /// Where a vertex shader's output is evaluated, by its own word. Without meaning in a pixel shader.
    pub sampling: Option<naga::Sampling>,
    /// `@blend_src`: which of two colours for one target this is.
    pub blend_src: Option<u32>,
}

/// Gives every bound variable of a module a new group and binding.
///
/// `f` is called once per variable with its group and binding, in the order of the module. The
/// module stays valid with the [`ModuleInfo`] that it has, as long as `f` gives no two variables the
/// same place.
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
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
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
    fn color_outputs_are_a_bit_per_target_of_a_pixel_shader() {
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
