//! Stream output: the bound buffers, and the compute pipelines that write them.

use std::sync::Arc;

use onze_ddi::{PrimitiveTopology, STREAM_OUTPUT_SLOTS};

use crate::{
    encode::parts::{
        layouts::{ConstantBinding, LayoutIds},
        pulled::{GeometryInput, PulledBuffers, PulledFetch},
        ranges::BufferRange,
        stored_pipelines::PipelineObjects,
    },
    objects::shader::Expansion,
    record::page::InstancedDraw,
};

/// A buffer that draws write vertices to.
#[derive(Copy, Clone, Debug)]
pub(crate) struct StreamTarget<'r> {
    pub(crate) data: BufferRange<'r>,
    /// The storage of the buffer's filled size.
    pub(crate) filled: BufferRange<'r>,
}

/// The buffers in all slots.
pub(crate) type StreamTargets<'r> = [Option<StreamTarget<'r>>; STREAM_OUTPUT_SLOTS];

/// The arguments of a draw with stream output.
#[derive(Copy, Clone, Debug)]
pub(crate) enum StreamArguments<'r> {
    Known(InstancedDraw),
    /// The arguments are in this buffer, because the draw is indirect.
    In(BufferRange<'r>),
}

/// The purpose of the dispatches of a draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StreamPurpose {
    /// Writes the streams to buffers.
    Write,
    /// Counts the primitives of each stream.
    Count,
    /// Stores the vertices for the draw itself.
    Store(Expansion),
}

/// The size of a draw, as far as shaders depend on it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamSize {
    /// The arguments are not in a buffer.
    pub(crate) is_known: bool,
    /// The number of instances may differ from one.
    pub(crate) has_instances: bool,
    /// A thread may have several invocations.
    pub(crate) has_loop: bool,
}

impl StreamArguments<'_> {
    /// Returns the size of a draw, given the topology and the number of invocations for a primitive.
    pub(crate) fn size(&self, topology: PrimitiveTopology, invocations: u32) -> StreamSize {
        match self {
            Self::Known(args) => {
                let primitives = topology.primitive_count(args.count);
                let numbers = StreamNumbers::new(primitives, invocations, args.instance_count);
                StreamSize {
                    is_known: true,
                    has_instances: args.instance_count != 1,
                    has_loop: numbers.is_none_or(|numbers| numbers.of_thread > 1),
                }
            }
            Self::In(_) => StreamSize { is_known: false, has_instances: true, has_loop: true },
        }
    }
}

/// Everything that the pipelines of stream output depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamKey {
    pub(crate) vertex_shader: u64,
    /// The shader with the stream output.
    pub(crate) stream_shader: u64,
    pub(crate) purpose: StreamPurpose,
    pub(crate) size: StreamSize,
    /// Whether each draw of the dispatch has copies of its constant buffers.
    pub(crate) gathers: bool,
    /// The hull shader of tessellated patches, whose domain shader takes the place of the vertex shader, or 0.
    pub(crate) hull_shader: u64,
    /// The input layout.
    pub(crate) layout: u64,
    pub(crate) groups: LayoutIds,
    pub(crate) pulled: PulledBuffers,
    pub(crate) input: GeometryInput,
    pub(crate) topology: PrimitiveTopology,
}

impl PipelineObjects for StreamKey {
    fn has(&self, is_one: impl Fn(u64) -> bool) -> bool {
        [self.vertex_shader, self.stream_shader, self.hull_shader, self.layout].into_iter().any(is_one)
    }
}

/// The pipelines that write the streams of a draw.
#[derive(Clone, Debug)]
pub(crate) struct StreamPipelines {
    /// Counts the primitives, unless their number is known before the shaders run.
    pub(crate) count: Option<wgpu::ComputePipeline>,
    /// Writes the primitives or their vertices, unless they are only counted.
    pub(crate) write: Option<wgpu::ComputePipeline>,
    /// The bind group layout of [`STREAM_GROUP`](crate::objects::shader::STREAM_GROUP).
    pub(crate) group: wgpu::BindGroupLayout,
    pub(crate) pulled: PulledFetch,
    /// The constant buffers that are copied for each draw.
    pub(crate) gathered: Option<GatheredLayout>,
}

/// The bind group of copied constant buffers.
#[derive(Clone, Debug)]
pub(crate) struct GatheredLayout {
    pub(crate) group: wgpu::BindGroupLayout,
    pub(crate) constants: Arc<[ConstantBinding]>,
}

/// The pipelines, buffers and bind groups of a draw's dispatches.
#[derive(Debug)]
pub(crate) struct StreamBuffers {
    pub(crate) pipelines: StreamPipelines,
    pub(crate) pulled: wgpu::BindGroup,
    /// The [`StreamNumbers`], the assigned positions and numbers of primitives, and the arguments of an indirect
    /// dispatch.
    pub(crate) numbers: wgpu::Buffer,
    /// Number of threads, or `None` for an indirect draw.
    pub(crate) threads: Option<u32>,
}

/// The number of primitives of a draw, and how they are divided among threads. This is the beginning of a buffer that
/// the dispatches share.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct StreamNumbers {
    /// Number of input primitives of an instance.
    pub(crate) primitives: u32,
    /// Number of invocations for all instances.
    pub(crate) invocations: u32,
    pub(crate) of_thread: u32,
    pub(crate) threads: u32,
    /// Number of the first invocation, which is 0 except for a part of a draw's patches.
    pub(crate) first: u32,
}

/// Maximum number of threads, whose counts take 4 MiB for each stream.
pub(crate) const MOST_THREADS: u32 = 1 << 20;

impl StreamNumbers {
    /// Size in bytes of the buffer: the numbers, the positions of the slots, the primitives of the streams, and the
    /// arguments of a dispatch.
    pub(crate) const BYTES: u64 = 64;

    /// Position in the buffer of the arguments of a dispatch.
    pub(crate) const GROUPS_OFFSET: u64 = 48;

    /// Divides the primitives of a draw, or returns `None` if there are 2³² invocations or more. `invocations` is the
    /// number for each primitive.
    pub(crate) fn new(primitives: u32, invocations: u32, instances: u32) -> Option<Self> {
        let invocations = primitives.checked_mul(invocations)?.checked_mul(instances)?;
        Some(Self::of_range(primitives, 0, invocations))
    }

    /// Divides consecutive invocations. `primitives` is the number of an instance.
    pub(crate) fn of_range(primitives: u32, first: u32, invocations: u32) -> Self {
        let of_thread = invocations.div_ceil(MOST_THREADS).max(1);
        Self { primitives, invocations, of_thread, threads: invocations.div_ceil(of_thread), first }
    }

    /// Returns the contents of the buffer.
    pub(crate) fn words(&self) -> [u32; Self::BYTES as usize / 4] {
        let mut words = [0; Self::BYTES as usize / 4];
        let numbers = [self.primitives, self.invocations, self.of_thread, self.threads];
        words.iter_mut().zip(numbers).for_each(|(word, number)| *word = number);
        // Where no streams are written, the number of written primitives is not used otherwise.
        words[8] = self.first;
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invocation_belongs_to_a_thread() {
        for (primitives, invocations, instances, expected) in [
            (0, 1, 5, Some((0, 1, 0))),
            (7, 3, 2, Some((42, 1, 42))),
            (MOST_THREADS, 1, 1, Some((MOST_THREADS, 1, MOST_THREADS))),
            (MOST_THREADS + 1, 1, 1, Some((MOST_THREADS + 1, 2, MOST_THREADS / 2 + 1))),
            (1 << 16, 1, 1 << 16, None),
        ] {
            let found = StreamNumbers::new(primitives, invocations, instances);
            assert_eq!(found.map(|of| (of.invocations, of.of_thread, of.threads)), expected);
        }
    }
}
