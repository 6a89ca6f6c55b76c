//! Gathered indices: compute shaders that write other indices for a draw, before its pass.

use wgpu::util::DeviceExt;

use crate::{
    encode::{
        emulate_hooks::{ByteCopies, PaddedCopies},
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{accesses::AccessRange, ranges::BufferRange},
    },
    record::page::InstancedDraw,
};

/// Bytes of a gathered index.
pub(super) const INDEX_BYTES: u64 = size_of::<u32>() as u64;

/// Number of indices that an indirect draw may use beyond its index buffer, where all indices are 0. This is
/// enough for the primitive that begins within the buffer.
const BEYOND: u64 = 6;

/// The indices that a draw may use.
pub(super) struct IndexSource<'r> {
    range: BufferRange<'r>,
    wide: bool,
    /// Maximum number of indices that a draw can use, from the start of the buffer.
    pub(super) most: u64,
    arguments: IndexedDrawArguments<'r>,
}

#[derive(Copy, Clone)]
enum IndexedDrawArguments<'r> {
    Known([u32; 5]),
    In(BufferRange<'r>),
}

/// A compute shader that gathers indices. Its parameters are `params`, whether indices have 32 bits, the number
/// of indices in the buffer and [`IndexSource::most`].
pub(super) struct Gathering<'a> {
    pub(super) shader: OwnCompute,
    pub(super) params: &'a [u32],
    /// Number of workgroups.
    pub(super) groups: u32,
    /// Number of gathered indices.
    pub(super) words: u64,
    /// A buffer that the shader also writes.
    pub(super) also_writes: Option<&'a wgpu::Buffer>,
    /// The message if the adapter has no compute shaders.
    pub(super) lost: &'a str,
    /// The message if there are too many indices.
    pub(super) too_many: &'a str,
}

impl<'r> Encoder<'r> {
    /// Returns the indices of a draw with known arguments.
    pub(super) fn indices_of(&self, args: &InstancedDraw) -> IndexSource<'r> {
        let wide = self.state.index.wide;
        let width = self.state.index.width();
        let first = u64::from(args.start) * width;
        // The copy must begin at a whole word.
        let skipped = first / INDEX_BYTES * INDEX_BYTES;
        let within = (first - skipped) / width;
        let range = self.bound_indices();
        let rest = range.size.saturating_sub(skipped);
        let offset = range.offset + skipped.min(range.size);
        let most = within + u64::from(args.count);
        let range = BufferRange { offset, size: rest.min(most * width), ..range };
        let known = [args.count, args.instance_count, within as u32, 0, 0];
        IndexSource { range, wide, most, arguments: IndexedDrawArguments::Known(known) }
    }

    /// Returns the indices of a draw whose arguments are in a buffer.
    pub(super) fn indices_of_indirect<'a>(&self, arguments: BufferRange<'a>) -> IndexSource<'a>
    where
        'r: 'a,
    {
        let range = self.bound_indices();
        let most = range.size / self.state.index.width() + BEYOND;
        let arguments = IndexedDrawArguments::In(arguments);
        IndexSource { range, wide: self.state.index.wide, most, arguments }
    }

    /// Returns the bound index buffer, or an empty range if there is none.
    fn bound_indices(&self) -> BufferRange<'r> {
        let null = &self.encoding.objects.nulls.vertex;
        let null = BufferRange { buffer: &null.buffer, id: null.buffer_id, offset: 0, size: 0 };
        self.state.index.range.unwrap_or(null)
    }

    /// Gathers indices in the prologue, or ends the pass.
    pub(super) fn gather(
        &mut self,
        source: &IndexSource<'_>,
        gathering: &Gathering<'_>,
    ) -> Option<wgpu::Buffer> {
        const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE;
        let pipeline = self.own_compute(gathering.shader, gathering.lost)?;
        let bytes = gathering.words * INDEX_BYTES;
        if bytes > self.largest_copy().min(self.gpu.limits.max_storage_buffer_binding_size) {
            self.report(gathering.too_many);
            return None;
        }
        let IndexSource { range, wide, most, arguments } = *source;
        let mut reads = vec![AccessRange::bytes(range.id, range.offset, range.size)];
        if let IndexedDrawArguments::In(BufferRange { id, offset, size, .. }) = arguments {
            reads.push(AccessRange::bytes(id, offset, size));
        }
        // The dispatch reads the copies, so all three commands need one place.
        let before_draw = self.place(&reads, &[]);
        let indices = self.padded_copy_at(before_draw, range, range.size, STORAGE);
        let known = match arguments {
            IndexedDrawArguments::Known(known) => known,
            IndexedDrawArguments::In(_) => [0; 5],
        };
        let read = self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("arguments"),
            contents: bytemuck::cast_slice(&known),
            usage: STORAGE | wgpu::BufferUsages::COPY_DST,
        });
        if let IndexedDrawArguments::In(BufferRange { buffer, offset, size, .. }) = arguments {
            self.copy_bytes(before_draw, (buffer, offset), (&read, 0), size);
        }
        let gathered = self.temporary(bytes, STORAGE | wgpu::BufferUsages::INDEX);
        let capacity = range.size / if wide { 4 } else { 2 };
        let mut params = gathering.params.to_vec();
        params.extend([wide.into(), capacity as u32, most as u32]);
        let params = self.parameters(&params);
        let buffers = [&params, &read, &indices, &gathered].into_iter().chain(gathering.also_writes);
        let bindings: Vec<_> = buffers.map(|buffer| buffer.as_entire_binding()).collect();
        self.run_own_groups(before_draw, pipeline, &bindings, [gathering.groups, 1]);
        Some(gathered)
    }
}
