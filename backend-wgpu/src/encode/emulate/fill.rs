//! Clears through unordered-access views, which write one value to all elements of a buffer range or to all
//! texels of a view. wgpu can clear buffers only to zero, so a small compute shader writes other values.

use std::num::NonZeroU64;

use crate::{
    encode::{
        emulate_hooks::Fills,
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{accesses::AccessRange, prologue::CommandPlace, ranges::BufferRange},
    },
    objects::view::View,
    record::page::FillElement,
    services::sizes::FILL_CHUNK,
};

/// Alignment of storage bindings that every adapter supports, in bytes.
const BINDING_ALIGNMENT: u64 = 256;

/// Maximum size in bytes of the buffer that is copied into a texture to fill it, unless a single row is
/// longer.
const FILL_TEXELS: u32 = 4 << 20;

impl<'r> Fills<'r> for Encoder<'r> {
    fn fill_buffer(&mut self, range: &BufferRange<'_>, element: FillElement) {
        if range.size == 0 {
            return;
        }
        // The words that overlap the range. The first and the last may also contain bytes outside it, which
        // the masks protect.
        let (first, end) = (range.offset & !3, (range.offset + range.size).next_multiple_of(4));
        let size = end - first;
        self.writes(AccessRange::bytes(range.id, first, size));
        if element.bits == [0; 4] && size == range.size {
            self.outside().clear_buffer(range.buffer, first, Some(size));
        } else {
            let first_mask = u32::MAX << (8 * (range.offset - first));
            let last_mask = u32::MAX >> (8 * (end - range.offset - range.size));
            let mut done = 0;
            while done < size {
                let chunk = (size - done).min(FILL_CHUNK);
                let masks = [
                    if done == 0 { first_mask } else { u32::MAX },
                    if done + chunk == size { last_mask } else { u32::MAX },
                ];
                self.fill_chunk(range.buffer, first + done, chunk, element, masks);
                done += chunk;
            }
        }
        self.buffers_changed();
    }

    fn fill_texture(&mut self, view: &'r View, element: FillElement) {
        let bytes = view.format.block_copy_size(None).unwrap_or(4);
        let pitch = (view.width * bytes).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let rows = (FILL_TEXELS / pitch).clamp(1, view.height);
        let size = u64::from(pitch) * u64::from(rows);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let texels = self.temporary(size, usage);
        // No other command knows the buffer, so its identifier can be 0.
        self.fill_buffer(&BufferRange { buffer: &texels, id: 0, offset: 0, size }, element);
        self.writes_view(view);
        let (first_mip, slices) = (view.desc.range.first_mip, view.desc.range.layers());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: None };
        let parts = slices.flat_map(|slice| (0..view.height).step_by(rows as usize).map(move |y| (slice, y)));
        for (slice, y) in parts {
            let to = wgpu::TexelCopyTextureInfo {
                texture: view.member_texture(),
                mip_level: first_mip,
                origin: wgpu::Origin3d { x: 0, y, z: slice },
                aspect: wgpu::TextureAspect::All,
            };
            let from = wgpu::TexelCopyBufferInfo { buffer: &texels, layout };
            let height = rows.min(view.height - y);
            let extent = wgpu::Extent3d { width: view.width, height, depth_or_array_layers: 1 };
            self.outside().copy_buffer_to_texture(from, to, extent);
        }
    }
}

impl<'r> Encoder<'r> {
    /// Fills words of a buffer, but writes only the bits in `masks` of the first and the last word.
    fn fill_chunk(
        &mut self,
        buffer: &wgpu::Buffer,
        offset: u64,
        size: u64,
        element: FillElement,
        masks: [u32; 2],
    ) {
        let lost = "a clear of a buffer is lost: the adapter has no compute shaders";
        let Some(pipeline) = self.own_compute(OwnCompute::Fill, lost) else { return };
        let before = offset % BINDING_ALIGNMENT;
        let words = (size / 4) as u32;
        let ([first_mask, last_mask], [x, y, z, w]) = (masks, element.bits);
        let first = (before / 4) as u32;
        let period = u32::from(element.words);
        let params = self.parameters(&[first, words, period, 0, first_mask, last_mask, 0, 0, x, y, z, w]);
        let destination =
            wgpu::BufferBinding { buffer, offset: offset - before, size: NonZeroU64::new(before + size) };
        let bindings = [params.as_entire_binding(), wgpu::BindingResource::Buffer(destination)];
        self.run_own_groups(CommandPlace::Run, pipeline, &bindings, [words.div_ceil(64).min(1024), 1]);
    }
}
