//! The classes of shader slots: the `b`, `t`, `s` and `u` registers.
//!
//! [`SlotClass`] lists the properties of each class, while [`StageSlots`] represents a class as a type and
//! adds the type of the class's bindings. Code that handles all classes in the same way is generic over `C:
//! StageSlots`.
//!
//! ```
//! use onze_ddi::SlotClass;
//!
//! // `@group(1) @binding(3)` is register t3.
//! let class = SlotClass::ShaderResource;
//! assert_eq!((class.letter(), class.group(), class.slots()), ('t', 1, 128));
//! ```

use std::ops::Range;

use crate::*;

/// A class of slots, with methods that return its properties.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlotClass {
    /// Constant buffers, which shaders of all stages read through `b` registers.
    ConstantBuffer,
    /// Shader resources, which shaders of all stages read through `t` registers.
    ShaderResource,
    /// Samplers, which shaders of all stages use through `s` registers.
    Sampler,
    /// Unordered-access views, which pixel and compute shaders read and write through `u` registers.
    UnorderedAccess,
}

struct SlotClassInfo {
    letter: char,
    group: u32,
    slots: u32,
    object: &'static str,
}

impl SlotClass {
    /// All classes of slots.
    pub const ALL: [Self; 4] =
        [Self::ConstantBuffer, Self::ShaderResource, Self::Sampler, Self::UnorderedAccess];

    /// Returns the properties of the class. The slot counts are
    /// `D3D11_COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT`, `D3D11_COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT`,
    /// `D3D11_COMMONSHADER_SAMPLER_SLOT_COUNT` and `D3D11_PS_CS_UAV_REGISTER_COUNT`.
    #[inline]
    const fn row(self) -> SlotClassInfo {
        match self {
            Self::ConstantBuffer => {
                SlotClassInfo { letter: 'b', group: 0, slots: 14, object: "a uniform buffer" }
            }
            Self::ShaderResource => {
                SlotClassInfo { letter: 't', group: 1, slots: 128, object: "a shader resource" }
            }
            Self::Sampler => SlotClassInfo { letter: 's', group: 2, slots: 16, object: "a sampler" },
            Self::UnorderedAccess => {
                SlotClassInfo { letter: 'u', group: 3, slots: 8, object: "a writable resource" }
            }
        }
    }

    /// The letter of the class's registers in HLSL: b, t, s or u.
    pub const fn letter(self) -> char {
        self.row().letter
    }

    /// The WGSL group of the class's registers, in which the WGSL binding is the slot.
    pub const fn group(self) -> u32 {
        self.row().group
    }

    /// Number of slots of the class in each stage.
    #[inline]
    pub const fn slots(self) -> u32 {
        self.row().slots
    }

    /// The type of object that the slots contain, as text for messages.
    pub const fn object(self) -> &'static str {
        self.row().object
    }
}

/// The WGSL group of the hidden counters, in which the WGSL binding is the slot of the `u` register.
///
/// WGSL has no hidden counters, so a shader declares the counter of `u{n}` as `@group(4) @binding(n) var<storage,
/// read_write> count: atomic<u32>;`. HLSL's `IncrementCounter()` is then `atomicAdd(&count, 1u)`, and
/// `DecrementCounter()` is `atomicSub(&count, 1u) - 1u`.
#[doc(alias = "IncrementCounter")]
#[doc(alias = "DecrementCounter")]
pub const COUNTER_GROUP: u32 = 4;

/// The name of the pipeline-overridable constant for the sample count of the render targets.
///
/// A pixel shader declares the constant as `override render_target_sample_count: u32 = 1;`. It is the
/// equivalent of HLSL's `GetRenderTargetSampleCount()`. A driver sets its value in each pipeline, to 1 if the
/// pipeline lacks targets.
#[doc(alias = "GetRenderTargetSampleCount")]
pub const RENDER_TARGET_SAMPLE_COUNT: &str = "render_target_sample_count";

/// The initial count that leaves the counter of an unordered-access view unchanged (D3D11: -1 in
/// `pUAVInitialCounts`), which the runtime does not pass to drivers.
#[doc(alias = "pUAVInitialCounts")]
pub const KEEP_COUNT: u32 = u32::MAX;

/// A class of slots as a type, with the type of its bindings.
pub trait StageSlots {
    /// The class as a value, with its properties.
    const CLASS: SlotClass;
    /// The binding of a slot, with an empty slot as the default.
    type Binding: Copy + PartialEq + Default + std::fmt::Debug + Argument;

    /// Returns a stage's bindings in this class, from the class's state callback.
    fn bound<S: StateRefresh + ?Sized>(
        state: &S,
        stage: ShaderStage,
        slots: Option<Range<u32>>,
    ) -> &[Self::Binding];

    /// Calls the entry that binds objects of the class.
    fn set<F: ContextFuncs + ?Sized>(
        funcs: &F,
        cx: Entry<'_>,
        stage: ShaderStage,
        start: u32,
        bindings: &[Self::Binding],
    );
}

macro_rules! stage_slots {
    ($($(#[$doc:meta])* $name:ident: $class:ident, $binding:ty, $bound:ident, $set:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, Debug)]
        pub enum $name {}

        impl StageSlots for $name {
            const CLASS: SlotClass = SlotClass::$class;
            type Binding = $binding;

            #[inline]
            fn bound<S: StateRefresh + ?Sized>(
                state: &S,
                stage: ShaderStage,
                slots: Option<Range<u32>>,
            ) -> &[$binding] {
                state.$bound(stage, slots)
            }

            #[inline(always)]
            fn set<F: ContextFuncs + ?Sized>(
                funcs: &F,
                cx: Entry<'_>,
                stage: ShaderStage,
                start: u32,
                bindings: &[$binding],
            ) {
                funcs.$set(cx, stage, start, bindings);
            }
        }
    )*};
}
stage_slots! {
    /// The `b` slots of a stage, for constant buffers.
    ConstantBuffers: ConstantBuffer, ConstantBufferBinding, constant_buffers, set_constant_buffers;
    /// The `t` slots of a stage, for shader-resource views.
    ShaderResources: ShaderResource, Option<ShaderResourceViewHandle>, shader_resources, set_shader_resources;
    /// The `s` slots of a stage, for samplers.
    Samplers: Sampler, Option<SamplerHandle>, samplers, set_samplers;
    /// The `u` slots of a pixel or compute stage, for unordered-access views.
    UnorderedAccessViews: UnorderedAccess, Option<UnorderedAccessViewHandle>, unordered_access_views,
        set_unordered_access_views;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_different_groups_and_letters() {
        for (i, class) in SlotClass::ALL.into_iter().enumerate() {
            assert_eq!(class.group() as usize, i);
            assert_ne!(class.group(), COUNTER_GROUP);
            assert!(SlotClass::ALL[..i].iter().all(|other| other.letter() != class.letter()));
        }
    }
}
