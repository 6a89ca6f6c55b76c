//! Records of draws, by which draws share a dispatch ([`SharedDispatch`]).

use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate::streams::StreamDraw,
        encoder::Encoder,
        parts::{
            groups::BoundGroups,
            pulled::GeometryInput,
            ranges::whole_buffer,
            shared_dispatch::{RecordedDraw, SharedDispatch},
        },
    },
    objects::shader::{PULL_GROUP, STREAM_GROUP},
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
        Some(RecordedDraw { pipelines, pulled, constants, numbers })
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
