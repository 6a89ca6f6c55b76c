//! The vertex elements that a shader reads from vertex buffers, and the constants that describe the bound
//! buffers.
//!
//! Offsets, sizes and strides of the bound buffers are in [`PullConstants`], so one module serves all of
//! them.

use onze_ddi::Format;

use crate::objects::{shader::limits::StageBindingCounts, state::StepRate};

/// The elements that a vertex shader reads from vertex buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct VertexPull {
    /// The slots in the order of [`PullConstants::slots`].
    pub(crate) slots: Vec<PulledSlot>,
    /// The address space of [`PullConstants`].
    pub(crate) space: PullSpace,
}

/// The address space of the constants of pulled vertices.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PullSpace {
    /// A storage buffer.
    Storage,
    /// A uniform buffer, which adapters read faster.
    Uniform,
    /// A variable of each thread, which contains a copy from the [record](super::streams::RecordPlace) of its draw.
    Record,
}

impl PullSpace {
    /// Returns the address space for draws with a geometry shader and for stream output. `is_known` states that no buffer
    /// contains the arguments of the draw, and `constants` is the number of the stage's other uniform buffers.
    ///
    /// lavapipe of Mesa 22.3 compiles a shader for the values of uniforms if a condition depends on nothing else. It then
    /// crashes if the shader has several uniform buffers, or in indirect draws. The driver's own conditions combine the
    /// constants with other values, but those of an application need not. Remove this function once that version is not
    /// tested any more.
    pub(crate) const fn of_draw(is_known: bool, constants: u32) -> Self {
        match is_known && constants == 0 {
            true => Self::Uniform,
            false => Self::Storage,
        }
    }

    /// Returns the declaration of the constants in WGSL.
    pub(crate) fn declaration(self, slots: usize) -> String {
        let binding = match self {
            Self::Storage | Self::Uniform => "@group(0) @binding(0)",
            Self::Record => "",
        };
        format!(
            "struct Pulled {{ starts: vec4<u32>, slots: array<vec4<u32>, {}> }}
            {binding} var<{}> pulled: Pulled;",
            slots.max(1),
            self.name()
        )
    }

    /// Returns the name of the address space in WGSL.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Uniform => "uniform",
            Self::Record => "private",
        }
    }

    /// Returns the numbers of bindings of one such buffer.
    pub(crate) fn bindings(self) -> StageBindingCounts {
        match self {
            Self::Storage | Self::Record => {
                StageBindingCounts { buffers: 1, ..StageBindingCounts::default() }
            }
            Self::Uniform => StageBindingCounts { constants: 1, ..StageBindingCounts::default() },
        }
    }

    /// Returns the type of the buffer binding.
    pub(crate) const fn binding(self) -> wgpu::BufferBindingType {
        match self {
            Self::Storage | Self::Record => wgpu::BufferBindingType::Storage { read_only: true },
            Self::Uniform => wgpu::BufferBindingType::Uniform,
        }
    }
}

impl VertexPull {
    /// Returns the number of storage buffers.
    pub(crate) fn buffers(&self) -> u32 {
        buffer_count(self.slots.iter().map(|slot| slot.buffer))
    }
}

/// Returns the number of storage buffers of slots.
pub(crate) fn buffer_count(buffers: impl Iterator<Item = Option<u32>>) -> u32 {
    buffers.flatten().max().map_or(0, |last| last + 1)
}

/// A slot of vertex buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PulledSlot {
    /// Index of the slot's storage buffer, or `None` if no buffer is bound.
    pub(crate) buffer: Option<u32>,
    /// Whether the slot's vertices begin at multiples of 4 bytes.
    pub(crate) is_aligned: bool,
    pub(crate) step: StepRate,
    pub(crate) elements: Vec<PulledElement>,
}

/// An element of a slot.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PulledElement {
    /// The shader's location.
    pub(crate) location: u32,
    pub(crate) format: Format,
    /// Byte offset from the start of a vertex.
    pub(crate) offset: u32,
}

/// The block of words that describes the bound vertex buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PullConstants {
    /// Values that are added to the shader's vertex and instance indices to find the elements. For a draw with
    /// a geometry shader, the number of input primitives and the number of the first one follow.
    pub(crate) starts: [u32; 4],
    /// For each slot, the first byte in its storage buffer, the number of bytes from there, and the stride.
    pub(crate) slots: Vec<[u32; 3]>,
}

impl PullConstants {
    /// Returns the block in the layout of the shader.
    pub(crate) fn words(&self) -> Vec<u32> {
        let mut words = self.starts.to_vec();
        for [first, size, stride] in &self.slots {
            words.extend([*first, *size, *stride, 0]);
        }
        words.resize(words.len().max(Self::bytes(1) / 4), 0);
        words
    }

    /// Returns the position of a slot's stride among the words of the block.
    pub(crate) const fn stride_place(slot: usize) -> u32 {
        4 * slot as u32 + 6
    }

    /// Returns the size in bytes of a block for a number of slots.
    pub(crate) const fn bytes(slots: usize) -> usize {
        let slots = if slots == 0 { 1 } else { slots };
        16 * (1 + slots)
    }
}
