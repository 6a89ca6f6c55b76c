//! The number of primitives of a draw with stream output, and how they are divided among threads.

use crate::{
    encode::{
        emulate::{assembly::assembly_steps, stream_draw::StreamDraw},
        emulate_hooks::ByteCopies,
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{
            accesses::AccessRange,
            pulled::GeometryInput,
            ranges::BufferRange,
            streams::{MOST_THREADS, StreamNumbers, StreamPipelines},
        },
    },
    objects::shader::{PullConstants, THREADS_OF_GROUP},
    record::page::InstancedDraw,
};

impl<'r> Encoder<'r> {
    /// Returns the numbers of a draw with known arguments, or `None` if it writes nothing.
    pub(super) fn known_numbers(
        &mut self,
        draw: &StreamDraw<'r>,
        args: &InstancedDraw,
    ) -> Option<StreamNumbers> {
        let primitives = self.state.topology.primitive_count(args.count);
        let numbers = match draw.part {
            Some([first, count]) => Some(StreamNumbers::of_range(primitives, first, count)),
            None => StreamNumbers::new(primitives, draw.invocations, args.instance_count),
        };
        if numbers.is_none() {
            self.report(
                "a draw writes no streams: it has 2³² invocations or more; draw fewer primitives or instances",
            );
        }
        numbers.filter(|numbers| numbers.invocations > 0)
    }

    /// Makes a dispatch that finds the numbers of an indirect draw, in the prologue or after the pass.
    pub(super) fn find_stream_numbers(
        &mut self,
        draw: &StreamDraw<'r>,
        arguments: BufferRange<'_>,
        most: u32,
        pipelines: &StreamPipelines,
        constants: &wgpu::Buffer,
        numbers: &wgpu::Buffer,
    ) -> Option<()> {
        let pipeline = self.own_compute(
            OwnCompute::FindStreamNumbers,
            "indirect draws write no streams: the adapter has no compute shaders",
        )?;
        let [first, step] = assembly_steps(self.state.topology);
        let (indexed, index_place) = match draw.origin {
            // The index buffer has the last slot.
            GeometryInput::Indices { .. } => {
                (true, PullConstants::stride_place(pipelines.pulled.slots.len() - 1))
            }
            GeometryInput::Gathered => (true, 0),
            GeometryInput::Vertices | GeometryInput::Corners => (false, 0),
        };
        let [first_invocation, most_invocations] = draw.part.unwrap_or([0, u32::MAX]);
        let is_counted = draw.origin != GeometryInput::Corners && first_invocation == 0;
        let segment = if draw.ends { self.queries.next_lost_patches(self.encoding) } else { None };
        let parameters = self.parameters(&[
            indexed.into(),
            first,
            step,
            most,
            draw.invocations,
            index_place,
            MOST_THREADS,
            THREADS_OF_GROUP,
            first_invocation,
            most_invocations,
            is_counted.into(),
            segment.as_ref().map_or(u32::MAX, |(_, at)| *at),
        ]);
        let BufferRange { buffer, id, offset, size } = arguments;
        let place = self.place(&[AccessRange::bytes(id, offset, size)], &[]);
        let read = self.temporary(size_of::<[u32; 5]>() as u64, wgpu::BufferUsages::STORAGE);
        self.copy_bytes(place, (buffer, offset), (&read, 0), size);
        let unused = self.unused_buffer();
        let lost = unused.entry(4, segment.as_ref().map(|(buffer, _)| buffer)).resource;
        let [parameters, read, constants, numbers] =
            [&parameters, &read, constants, numbers].map(|buffer| buffer.as_entire_binding());
        self.run_own_groups(place, pipeline, &[parameters, read, constants, numbers, lost], [1, 1]);
        Some(())
    }
}
