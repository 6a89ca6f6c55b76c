//! The dispatches that store the control points and the constants of patches, and those of the tessellator.

use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate::{records::bind_dispatch, streams::entry},
        encoder::Encoder,
        parts::{
            patch_batches::{PartDispatch, PatchBatch, PatchCode},
            patches::PatchPlan,
            prologue::CommandPlace,
            streams::StreamNumbers,
        },
    },
    objects::shader::THREADS_OF_GROUP,
};

impl Encoder<'_> {
    /// Makes the dispatches of a batch in the prologue. No query measures its draws, even if one has begun since.
    pub(super) fn dispatch_batch(&mut self, batch: &PatchBatch) {
        self.dispatch_patches(batch, CommandPlace::Prologue, None);
    }

    /// Makes all dispatches for the draws of a batch. `segment` receives the numbers that queries measure.
    pub(super) fn dispatch_patches(
        &mut self,
        batch: &PatchBatch,
        place: CommandPlace,
        segment: Option<(wgpu::Buffer, u32)>,
    ) {
        let PatchBatch { code, range, .. } = batch;
        let plan = batch.plan();
        let part = |offset: u64, size: u64| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &range.buffer,
                offset: range.offset + offset,
                size: std::num::NonZeroU64::new(size),
            })
        };
        let of_patches = |size: u64| size * u64::from(plan.patches);
        let mut dispatches = Vec::with_capacity(2);
        let points = batch.points.as_ref().map(|_| part(plan.points, of_patches(code.sizes.points)));
        if let (Some(dispatch), Some(stored)) = (&batch.points, &points) {
            dispatches.extend(self.part_dispatch(dispatch, None, stored.clone()));
        }
        let stored = part(plan.constants, of_patches(code.sizes.constants));
        let read = points.filter(|_| code.reads_points);
        let Some(constants) = self.part_dispatch(&batch.constants, read, stored) else { return };
        let segment_number = segment.as_ref().map_or(u32::MAX, |(_, at)| *at);
        let parameters = self.parameters(&tessellator_parameters(batch, &plan, segment_number));
        let draws = [batch.draws(), &[PatchBatch::END_OF_DRAWS]].concat();
        let draws = self.words_buffer("draws", bytemuck::cast_slice(&draws));
        let unused = self.unused_buffer();
        let segments = unused.entry(3, segment.as_ref().map(|(buffer, _)| buffer));
        let numbers = match &batch.constants {
            PartDispatch::Known(_) => {
                let numbers = StreamNumbers::of_range(0, 0, plan.patches);
                &self.words_buffer("patches", &numbers.words())
            }
            PartDispatch::Indirect(buffers) => &buffers.numbers,
        };
        let whole = wgpu::BindGroupEntry { binding: 2, resource: part(0, range.size) };
        let entries = [entry(0, &parameters), entry(1, numbers), whole, segments, entry(4, &draws)];
        let own_group = |pipeline: &wgpu::ComputePipeline, bindings: &[usize]| {
            let entries: Vec<_> = bindings.iter().filter_map(|at| entries.get(*at).cloned()).collect();
            self.make_stream_group(&pipeline.get_bind_group_layout(0), &entries)
        };
        let divide = own_group(&code.tessellator.divide, &[0, 1, 2, 4]);
        let add = own_group(&code.tessellator.add, &[0, 1, 2, 3, 4]);
        let write = (plan.room > 0).then(|| own_group(&code.tessellator.write, &[0, 2]));
        dispatches.push(constants);
        let run = |pass: &mut wgpu::ComputePass<'_>, groups: &GroupCount<'_>| match groups {
            GroupCount::Known(groups) => pass.dispatch_workgroups(*groups, 1, 1),
            GroupCount::In(numbers) => {
                pass.dispatch_workgroups_indirect(numbers, StreamNumbers::GROUPS_OFFSET);
            }
        };
        let of_patches = match &batch.constants {
            PartDispatch::Known(_) => GroupCount::Known(plan.patches.div_ceil(THREADS_OF_GROUP)),
            PartDispatch::Indirect(buffers) => GroupCount::In(&buffers.numbers),
        };
        let bound = self.bound_inputs(place, batch.constants.gathered(), &batch.inputs);
        let desc = wgpu::ComputePassDescriptor { label: Some("patches"), timestamp_writes: None };
        let mut pass = self.encoder_at(place).begin_compute_pass(&desc);
        for PartGroups { pipeline, pulled, streams, groups } in &dispatches {
            bind_dispatch(&mut pass, pipeline, &bound, pulled.as_ref(), streams);
            run(&mut pass, groups);
        }
        pass.set_pipeline(&code.tessellator.divide);
        pass.set_bind_group(0, &divide, &[]);
        run(&mut pass, &of_patches);
        pass.set_pipeline(&code.tessellator.add);
        pass.set_bind_group(0, &add, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        if let Some(write) = write {
            pass.set_pipeline(&code.tessellator.write);
            pass.set_bind_group(0, &write, &[]);
            pass.dispatch_workgroups(plan.patches.min(MOST_WRITERS), 1, 1);
        }
        drop(pass);
        self.groups.forget_bound();
        self.stats.patch_batches += 1;
    }

    /// Makes the bind groups of a dispatch that stores a part of patches and may read another part.
    fn part_dispatch<'b>(
        &self,
        part: &'b PartDispatch,
        read: Option<wgpu::BindingResource<'_>>,
        stored: wgpu::BindingResource<'_>,
    ) -> Option<PartGroups<'b>> {
        let unused = self.unused_buffer();
        let read = read.map(|resource| wgpu::BindGroupEntry { binding: 1, resource });
        let read = read.unwrap_or_else(|| unused.entry(1, None));
        let stored = wgpu::BindGroupEntry { binding: 2, resource: stored };
        let streams = |numbers: &wgpu::Buffer, layout| {
            self.make_stream_group(layout, &[entry(0, numbers), read, stored])
        };
        Some(match part {
            PartDispatch::Known(dispatch) => PartGroups {
                pipeline: dispatch.pipelines.write.as_ref()?,
                pulled: self.pulled_group(dispatch),
                streams: streams(&self.records_buffer(dispatch), &dispatch.pipelines.group),
                groups: GroupCount::Known(dispatch.groups()),
            },
            PartDispatch::Indirect(buffers) => PartGroups {
                pipeline: buffers.pipelines.write.as_ref()?,
                pulled: Some(buffers.pulled.clone()),
                streams: streams(&buffers.numbers, &buffers.pipelines.group),
                groups: GroupCount::In(&buffers.numbers),
            },
        })
    }

    fn words_buffer(&self, label: &str, words: &[u32]) -> wgpu::Buffer {
        self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some(label),
            contents: bytemuck::cast_slice(words),
            usage: wgpu::BufferUsages::STORAGE,
        })
    }
}

/// A dispatch that stores a part of patches.
struct PartGroups<'b> {
    pipeline: &'b wgpu::ComputePipeline,
    pulled: Option<wgpu::BindGroup>,
    streams: wgpu::BindGroup,
    groups: GroupCount<'b>,
}

/// The number of workgroups of a dispatch.
enum GroupCount<'b> {
    Known(u32),
    /// The number is in the [`StreamNumbers`] of an indirect draw.
    In(&'b wgpu::Buffer),
}

/// Maximum number of workgroups that write indices, each for many patches if necessary.
const MOST_WRITERS: u32 = 4096;

/// Returns the parameters of the tessellator's dispatches.
fn tessellator_parameters(batch: &PatchBatch, plan: &PatchPlan, segment: u32) -> [u32; 12] {
    let PatchPlan { points, constants, divisions, indices, room, .. } = *plan;
    let [points, constants, divisions, indices, header] =
        [points, constants, divisions, indices, batch.range.offset].map(|bytes| (bytes / 4) as u32);
    let PatchCode { constant_words, most, factors, .. } = batch.code;
    let draws = batch.draws().len() as u32;
    [draws, points, constants, divisions, indices, header, constant_words, room, most, segment, factors, 0]
}
