//! Stream output: compute shaders that write the vertices of a draw to buffers, before the draw itself.
//!
//! A draw ends the open pass and makes up to three dispatches. The first counts the primitives of each thread, unless
//! each input primitive becomes one. The second adds the counts, limits the sum to the room in the buffers, and
//! increases the filled sizes. The third runs the shaders again and writes the primitives that fit. The shader code is
//! in `objects/shader/passes/streams.rs`.
//!
//! Each thread has consecutive invocations, so primitives keep their order although a draw of any size has a limited
//! number of threads. An indirect draw needs another dispatch, which finds its numbers.

use onze_ddi::{STREAM_OUTPUT_SLOTS, ShaderStage};
use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate::{records::bind_dispatch, stream_draw::StreamDraw},
        emulate_hooks::StreamOutputs,
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{
            accesses::AccessRange,
            groups::BoundGroups,
            patches::StoredPatches,
            pipeline_plan::PipelinePlan,
            pulled::{GeometryInput, PulledDraw},
            ranges::{BufferRange, whole_buffer},
            stored_pipelines::PipelinePurpose,
            streams::{MOST_THREADS, StreamArguments, StreamBuffers, StreamNumbers, StreamPurpose},
        },
    },
    objects::{
        resource::DRAW_AUTO_OFFSET,
        shader::{Shader, StreamOutput, THREADS_OF_GROUP},
    },
    record::page::InstancedDraw,
};

impl<'r> StreamOutputs<'r> for Encoder<'r> {
    fn write_streams(&mut self, arguments: StreamArguments<'_>, indexed: bool) -> bool {
        let Some(shader) = self.state.stream_shader else { return true };
        let Some(output) = &shader.stream_output else { return true };
        if !output.entries.is_empty() {
            self.run_streams(shader, output, arguments, indexed, StreamPurpose::Write);
        }
        output.is_rasterized
    }

    fn prepare_streams(&mut self) -> bool {
        let Some(shader) = self.state.stream_shader else { return true };
        let Some(output) = &shader.stream_output else { return true };
        if !output.entries.is_empty() {
            self.prepare_stream_pipelines(shader, output, StreamPurpose::Write, false);
        }
        output.is_rasterized
    }

    fn measure_primitives(&mut self, arguments: StreamArguments<'_>, indexed: bool) {
        if !self.queries.has_statistics() {
            return;
        }
        // With a geometry shader of the driver's own, only the clipper has primitives. `count_input` counts those of known
        // arguments.
        let is_counted = !self.state.passes_through
            || matches!(arguments, StreamArguments::In(_))
                && self.state.stream_shader.is_none_or(Shader::is_rasterized);
        if let Some(shader) = self.bindings.shader(ShaderStage::Geometry).filter(|_| is_counted) {
            self.run_streams(shader, shader.counted_streams(), arguments, indexed, StreamPurpose::Count);
        }
    }

    fn find_auto_arguments(
        &mut self,
        filled: BufferRange<'r>,
        offset: u32,
        stride: u32,
    ) -> Option<BufferRange<'r>> {
        let pipeline = self.own_compute(
            OwnCompute::FindAutoArguments,
            "automatic draws are skipped: the adapter has no compute shaders",
        )?;
        let arguments = BufferRange { offset: DRAW_AUTO_OFFSET, size: 16, ..filled };
        let read = AccessRange::bytes(filled.id, filled.offset, filled.size);
        let written = AccessRange::bytes(arguments.id, arguments.offset, arguments.size);
        let place = self.place(&[read], &[written]);
        let binding = self.parameters(&[offset, stride, 0, 0]);
        let bindings = [binding.as_entire_binding(), filled.buffer.as_entire_binding()];
        self.run_own_groups(place, pipeline, &bindings, [1, 1]);
        Some(arguments)
    }
}

impl<'r> Encoder<'r> {
    /// Makes the dispatches of a draw.
    fn run_streams(
        &mut self,
        shader: &'r Shader,
        output: &'r StreamOutput,
        arguments: StreamArguments<'_>,
        indexed: bool,
        purpose: StreamPurpose,
    ) {
        self.ready.forget();
        self.ready_expansion = None;
        // The draw is never made by index.
        self.path.set_learns(false);
        // The shaders do not read textures that the targets write.
        self.resolve_targets();
        let Some(draw) = self.stream_draw(shader, output, &arguments, indexed, purpose) else { return };
        self.change_draw_bindings();
        let buffers = self.in_one_section(|encoder| encoder.resolve_streams(&draw, arguments));
        if let Some(buffers) = buffers {
            self.dispatch_streams(&draw, &buffers);
        }
        // The groups of the draw itself have other layouts.
        self.change_draw_bindings();
    }

    /// Begins to compile the pipelines that a draw of one instance needs, with indices if an index buffer is bound. If it
    /// `gathers`, other draws with other constants may share its dispatches.
    pub(super) fn prepare_stream_pipelines(
        &mut self,
        shader: &'r Shader,
        output: &'r StreamOutput,
        purpose: StreamPurpose,
        gathers: bool,
    ) {
        let args = InstancedDraw { count: 0, instance_count: 1, start: 0, base_vertex: 0, start_instance: 0 };
        let patches = self.patches.clone();
        let arguments = match &patches {
            Some(patches) => StreamArguments::In(patches.range()),
            None => StreamArguments::Known(args),
        };
        let indexed = self.state.index.range.is_some();
        let draw = self.stream_draw(shader, output, &arguments, indexed, purpose);
        let Some(draw) = draw.map(|draw| draw.gathering(gathers)) else { return };
        self.change_draw_bindings();
        self.in_one_section(|encoder| {
            encoder.resolve_groups(draw.plan);
            encoder.begin_stream_pipelines(&draw, PipelinePurpose::Preparation)
        });
        // The groups of the draw itself have other layouts.
        self.change_draw_bindings();
    }

    /// Makes the next draw resolve its bindings and its pipeline.
    pub(super) fn change_draw_bindings(&mut self) {
        let bindings = self.bindings.of_mut(PipelinePlan::Draw);
        bindings.change_constants();
        bindings.change_resources();
        self.state.pipeline_dirty = true;
    }

    /// Resolves everything that the dispatches of a draw need, or returns `None` if it writes nothing.
    pub(super) fn resolve_streams(
        &mut self,
        draw: &StreamDraw<'r>,
        arguments: StreamArguments<'_>,
    ) -> Option<StreamBuffers> {
        self.resolve_groups(draw.plan);
        let pipelines = self.stream_pipelines(draw)?;
        let topology = self.state.topology;
        let is_gathered = draw.origin == GeometryInput::Gathered;
        let (pulled, numbers, constants, most) = match arguments {
            StreamArguments::Known(args) => {
                let numbers = self.known_numbers(draw, &args)?;
                let gathered = match is_gathered {
                    true => Some(self.gather_strips(&self.indices_of(&args), draw.input)?),
                    false => None,
                };
                let whole = draw.origin.whole(&args, topology.primitive_count(args.count));
                let (pulled, constants) =
                    self.pull_alone(&pipelines.pulled, &whole, gathered.as_ref().map(whole_buffer))?;
                (pulled, Some(numbers), constants, u32::MAX)
            }
            StreamArguments::In(range) => {
                let (mut gathered, mut most) = (None, u32::MAX);
                if is_gathered {
                    let source = self.indices_of_indirect(range);
                    most = source.most as u32;
                    gathered = Some(self.gather_strips(&source, draw.input)?);
                }
                let patches = self.patches.clone();
                let given =
                    patches.as_ref().map(StoredPatches::range).or(gathered.as_ref().map(whole_buffer));
                let (pulled, constants) =
                    self.pull_alone(&pipelines.pulled, &PulledDraw::default(), given)?;
                (pulled, None, constants, most)
            }
        };
        let words = numbers.map_or([0; _], |numbers| numbers.words());
        let buffer = self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("stream output"),
            contents: bytemuck::cast_slice(&words),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::INDIRECT,
        });
        if let StreamArguments::In(range) = arguments {
            self.find_stream_numbers(draw, range, most, &pipelines, &constants, &buffer)?;
        }
        let pulled = self.caches.pulled.get(pulled)?.clone();
        let threads = numbers.map(|numbers| numbers.threads);
        Some(StreamBuffers { pipelines, pulled, numbers: buffer, threads })
    }

    /// Makes the dispatches of a draw after the open pass.
    fn dispatch_streams(&mut self, draw: &StreamDraw<'r>, buffers: &StreamBuffers) {
        let lost = "draws write no streams: the adapter has no compute shaders";
        let Some(assign) = self.own_compute(OwnCompute::AssignStreams, lost) else { return };
        let StreamBuffers { pipelines, pulled, numbers, threads } = buffers;
        let mut counts = None;
        if draw.is_counted() {
            let words = draw.places.len() as u64 * u64::from(threads.unwrap_or(MOST_THREADS));
            counts = self.caches.arena.take_counts(self.gpu, 4 * words);
            if counts.is_none() {
                return self.report("draws write no streams: the GPU is out of memory");
            }
        }
        self.end_pass();
        let targets = if draw.writes() { self.state.stream_targets } else { [None; STREAM_OUTPUT_SLOTS] };
        for target in targets.iter().flatten() {
            for range in [target.data, target.filled] {
                self.writes(AccessRange::bytes(range.id, range.offset, range.size));
            }
        }
        let unused = self.unused_buffer();
        let segment = match draw.writes() {
            true => self.queries.next_streams(self.encoding),
            false => self.queries.next_primitives(self.encoding, self.state.passes_through),
        };
        let parameters = self.parameters(&assign_parameters(
            draw,
            targets.map(|target| target.map_or(0, |target| target.data.size)),
            segment.as_ref().map_or(u32::MAX, |(_, at)| *at),
        ));
        let filled = targets.map(|target| target.map(|target| target.filled.buffer));
        let segments = segment.as_ref().map(|(buffer, _)| buffer);
        let shared = [Some(&parameters), Some(numbers), counts.as_ref()];
        let shared = (0..).zip(shared.into_iter().chain(filled).chain([segments]));
        let entries: Vec<_> = shared.map(|(binding, buffer)| unused.entry(binding, buffer)).collect();
        let assign_group = self.make_stream_group(&assign.get_bind_group_layout(0), &entries);
        let mut entries = vec![entry(0, numbers), unused.entry(1, counts.as_ref())];
        for (slot, target) in targets.iter().enumerate().filter(|(slot, _)| draw.output.uses_slot(*slot)) {
            let binding = 2 + slot as u32;
            let bound = target.as_ref().map(|target| storage_entry(binding, &target.data));
            entries.push(bound.unwrap_or_else(|| unused.entry(binding, None)));
        }
        let group = self.make_stream_group(&pipelines.group, &entries);
        let bound = self.take_stream_groups();
        let run = |pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline| {
            bind_dispatch(pass, pipeline, &bound, Some(pulled), &group);
            match threads {
                Some(threads) => pass.dispatch_workgroups(threads.div_ceil(THREADS_OF_GROUP), 1, 1),
                None => pass.dispatch_workgroups_indirect(numbers, StreamNumbers::GROUPS_OFFSET),
            }
        };
        let desc = wgpu::ComputePassDescriptor { label: Some("stream output"), timestamp_writes: None };
        let mut pass = self.outside_for_pass().begin_compute_pass(&desc);
        if let Some(count) = &pipelines.count {
            run(&mut pass, count);
        }
        pass.set_pipeline(assign);
        pass.set_bind_group(0, &assign_group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        if let Some(write) = &pipelines.write {
            run(&mut pass, write);
        }
        drop(pass);
        self.groups.forget_bound();
        self.accesses.end_pass();
        self.buffers_changed();
    }

    /// Returns the resolved groups of both shaders, with their numbers and dynamic offsets.
    pub(super) fn take_stream_groups(&mut self) -> BoundGroups {
        self.groups.forget_bound();
        let moved = self.groups.take_moved();
        moved
            .filter_map(|(at, place, offsets)| {
                Some((at, self.caches.groups.get(place)?.clone(), offsets.to_vec()))
            })
            .collect()
    }

    pub(super) fn make_stream_group(
        &self,
        layout: &wgpu::BindGroupLayout,
        entries: &[wgpu::BindGroupEntry<'_>],
    ) -> wgpu::BindGroup {
        let label = Some("stream output");
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries })
    }
}

pub(super) fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}

/// Returns the binding of a range, extended to a whole word.
pub(super) fn storage_entry<'a>(binding: u32, range: &BufferRange<'a>) -> wgpu::BindGroupEntry<'a> {
    let BufferRange { buffer, offset, size, .. } = *range;
    let size = std::num::NonZeroU64::new(size.next_multiple_of(4));
    let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size });
    wgpu::BindGroupEntry { binding, resource }
}

/// Returns the parameters of [`OwnCompute::AssignStreams`], given the sizes of the bound buffers.
fn assign_parameters(draw: &StreamDraw<'_>, sizes: [u64; STREAM_OUTPUT_SLOTS], segment: u32) -> Vec<u32> {
    let mut words = Vec::with_capacity(28);
    for (slot, size) in sizes.into_iter().enumerate() {
        if !draw.writes() {
            // The first stream has no room if it is not rasterized.
            let is_full = slot == 0 && !draw.output.is_rasterized && draw.places.first() == Some(&0);
            words.extend([if is_full { 0 } else { u32::MAX }, 1, 0, 0]);
            continue;
        }
        let stream = draw.output.entries.iter().find(|entry| entry.slot as usize == slot);
        let stream = stream.map(|entry| entry.stream as usize);
        let place = draw.places.iter().position(|place| Some(*place) == stream);
        let stride = draw.output.strides.get(slot).copied().unwrap_or_default();
        let primitive = stride * stream.map_or(1, |stream| draw.output.corners(stream, draw.input));
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        words.extend([place.map_or(u32::MAX, |place| place as u32), primitive.max(1), size, 0]);
    }
    let streams: [u32; 4] = std::array::from_fn(|at| draw.places.get(at).map_or(0, |stream| *stream as u32));
    let numbers =
        streams.map(|stream| draw.output.query_streams.get(stream as usize).copied().unwrap_or(stream));
    words.extend(streams);
    words.extend(numbers);
    let measures = draw.purpose == StreamPurpose::Count && !draw.size.is_known;
    let of_primitive = if measures { draw.invocations } else { 0 };
    words.extend([draw.places.len() as u32, draw.is_counted().into(), segment, of_primitive]);
    words
}
