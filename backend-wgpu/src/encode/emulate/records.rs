//! Records of draws that share a dispatch ([`SharedDispatch`]).

use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate::{stream_draw::StreamDraw, streams::entry},
        emulate_hooks::SharedDispatches,
        encoder::Encoder,
        parts::{
            accesses::AccessRange,
            batches::BatchInputs,
            gathered_constants::{ConstantSets, GatheredRange},
            groups::BoundGroups,
            layouts::ConstantBinding,
            prologue::CommandPlace,
            pulled::GeometryInput,
            ranges::whole_buffer,
            shared_dispatch::{RecordedDraw, SharedDispatch},
            streams::GatheredLayout,
        },
    },
    objects::shader::{CONSTANT_GROUP, PULL_GROUP, STREAM_GROUP},
    record::page::InstancedDraw,
};

/// Binds everything that a dispatch needs: the resources of the application, the pulled vertices if there are any, and the
/// group of streams.
pub(super) fn bind_dispatch(
    pass: &mut wgpu::ComputePass<'_>,
    pipeline: &wgpu::ComputePipeline,
    bound: &BoundGroups,
    pulled: Option<&wgpu::BindGroup>,
    streams: &wgpu::BindGroup,
) {
    pass.set_pipeline(pipeline);
    for (at, group, offsets) in bound {
        pass.set_bind_group(*at, group, offsets);
    }
    if let Some(pulled) = pulled {
        pass.set_bind_group(PULL_GROUP as u32, pulled, &[]);
    }
    pass.set_bind_group(STREAM_GROUP as u32, streams, &[]);
}

impl SharedDispatches for Encoder<'_> {
    fn flush_batches(&mut self) {
        for batch in std::mem::take(&mut self.patch_batches) {
            self.dispatch_batch(&batch);
        }
        for batch in std::mem::take(&mut self.vertex_batches) {
            self.dispatch_vertices(&batch, CommandPlace::Prologue);
        }
    }
}

impl<'r> Encoder<'r> {
    /// Resolves everything that a dispatch needs to store a draw with known arguments, or returns `None` if there is
    /// nothing to store.
    pub(super) fn resolve_recorded(
        &mut self,
        draw: &StreamDraw<'r>,
        args: &InstancedDraw,
    ) -> Option<RecordedDraw> {
        self.resolve_groups(draw.plan);
        let pipelines = self.stream_pipelines(draw)?;
        let numbers = self.known_numbers(draw, args)?;
        let gathered = match draw.origin {
            GeometryInput::Gathered => Some(self.gather_strips(&self.indices_of(args), draw.input)?),
            GeometryInput::Vertices | GeometryInput::Indices { .. } | GeometryInput::Corners => None,
        };
        let whole = draw.origin.whole(args, self.state.topology.primitive_count(args.count));
        let given = gathered.as_ref().map(whole_buffer);
        let (pulled, constants) = self.pull_recorded(&pipelines.pulled, &whole, given)?;
        let gathered = pipelines.gathered.iter().flat_map(|layout| &*layout.constants);
        let range = |of: &ConstantBinding| Some(GatheredRange::new(&self.bound_constants(of)?, of));
        let gathered = gathered.map(range).collect();
        Some(RecordedDraw { pipelines, pulled, constants, numbers, gathered })
    }

    /// Resolves the inputs of dispatches, and returns their bind groups and their place. They also write `overwritten`.
    pub(super) fn resolve_dispatches<T>(
        &mut self,
        overwritten: &[AccessRange],
        resolve: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<(T, BoundGroups, CommandPlace)> {
        self.change_draw_bindings();
        let resolved = self.in_one_section(|encoder| {
            encoder.accesses.begin_reads();
            let resolved = resolve(encoder);
            let reads = encoder.accesses.end_reads();
            Some((resolved?, encoder.place(&reads, overwritten)))
        });
        let resolved = resolved.map(|(resolved, place)| (resolved, self.take_stream_groups(), place));
        // The groups of the draw itself have other layouts.
        self.change_draw_bindings();
        resolved
    }

    /// Returns the bind groups of the dispatches of a batch. Constant buffers with a layout are copied.
    pub(super) fn bound_inputs(
        &mut self,
        place: CommandPlace,
        layout: Option<&GatheredLayout>,
        inputs: &BatchInputs,
    ) -> BoundGroups {
        let mut bound = inputs.bound.clone();
        let gathered = layout.map(|layout| self.gather_constants(place, layout, &inputs.gathered));
        bound.extend(gathered.map(|group| (CONSTANT_GROUP as u32, group, Vec::new())));
        bound
    }

    /// Copies the constant buffers of all draws of a dispatch, and returns the group of the copies.
    fn gather_constants(
        &mut self,
        place: CommandPlace,
        layout: &GatheredLayout,
        sets: &ConstantSets,
    ) -> wgpu::BindGroup {
        let copies: Vec<_> = layout
            .constants
            .iter()
            .map(|of| self.temporary(of.needed * sets.sets().len() as u64, wgpu::BufferUsages::STORAGE))
            .collect();
        let encoder = self.encoder_at(place);
        for (number, set) in (0..).zip(sets.sets()) {
            for ((range, copy), of) in set.iter().zip(&copies).zip(&*layout.constants) {
                if let Some(range) = range.as_ref().filter(|range| range.size > 0) {
                    let to = number * of.needed;
                    encoder.copy_buffer_to_buffer(&range.buffer, range.offset, copy, to, range.size);
                }
            }
        }
        let bindings = layout.constants.iter().map(|of| of.binding);
        let entries: Vec<_> = bindings.zip(&copies).map(|(binding, copy)| entry(binding, copy)).collect();
        self.make_stream_group(&layout.group, &entries)
    }

    /// Returns a buffer with the records of a dispatch.
    pub(super) fn records_buffer(&self, dispatch: &SharedDispatch) -> wgpu::Buffer {
        self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("records"),
            contents: bytemuck::cast_slice(dispatch.records()),
            usage: wgpu::BufferUsages::STORAGE,
        })
    }

    /// Returns the bind group of the pulled vertices, if the dispatch has one.
    pub(super) fn pulled_group(&self, dispatch: &SharedDispatch) -> Option<wgpu::BindGroup> {
        self.caches.pulled.get(dispatch.pulled?).cloned()
    }
}
