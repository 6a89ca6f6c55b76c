//! Copies of bytes between buffers, at any offset and of any size.
//!
//! wgpu copies only between different buffers, and only multiples of 4 bytes at offsets that are multiples of
//! 4. Other copies go through temporary buffers and a small compute shader that merges bytes into words.

use crate::{
    encode::{
        emulate_hooks::ByteCopies,
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{prologue::CommandPlace, ranges::BufferOffset},
    },
    services::sizes::MERGE_CHUNK,
};

impl<'r> ByteCopies for Encoder<'r> {
    fn copy_bytes(&mut self, place: CommandPlace, src: BufferOffset<'_>, dst: BufferOffset<'_>, size: u64) {
        if size == 0 || src == dst {
            return;
        }
        if src.0 == dst.0 {
            // wgpu cannot copy within one buffer, and no byte may be read after it was overwritten.
            let words = (src.1 % 4 + size).next_multiple_of(4);
            let between = self.temporary(words, wgpu::BufferUsages::empty());
            self.encoder_at(place).copy_buffer_to_buffer(src.0, src.1 / 4 * 4, &between, 0, words);
            self.copy_bytes(place, (&between, src.1 % 4), dst, size);
            return;
        }
        // The whole words in the middle need no merging if both ranges have the same offset within a word.
        let head = (4 - dst.1 % 4) % 4;
        if src.1 % 4 == dst.1 % 4 && size >= head + 4 {
            let middle = (size - head) / 4 * 4;
            self.merge_bytes(place, src, dst, head);
            self.encoder_at(place).copy_buffer_to_buffer(src.0, src.1 + head, dst.0, dst.1 + head, middle);
            let done = head + middle;
            self.merge_bytes(place, (src.0, src.1 + done), (dst.0, dst.1 + done), size - done);
            return;
        }
        let mut done = 0;
        while done < size {
            let chunk = (size - done).min(MERGE_CHUNK);
            self.merge_bytes(place, (src.0, src.1 + done), (dst.0, dst.1 + done), chunk);
            done += chunk;
        }
    }
}

impl<'r> Encoder<'r> {
    /// Copies up to [`MERGE_CHUNK`] bytes between any two offsets.
    fn merge_bytes(&mut self, place: CommandPlace, src: BufferOffset<'_>, dst: BufferOffset<'_>, size: u64) {
        if size == 0 {
            return;
        }
        let lost = "a copy of odd bytes is lost: the adapter has no compute shaders";
        let Some(pipeline) = self.own_compute(OwnCompute::MergeBytes, lost) else { return };
        let words = |at: u64| ((at % 4) + size).next_multiple_of(4);
        let (src_bytes, dst_bytes) = (words(src.1), words(dst.1));
        let from = self.temporary(src_bytes, wgpu::BufferUsages::STORAGE);
        let to = self.temporary(dst_bytes, wgpu::BufferUsages::STORAGE);
        let params =
            self.parameters(&[(src.1 % 4) as u32, (dst.1 % 4) as u32, size as u32, (dst_bytes / 4) as u32]);
        let encoder = self.encoder_at(place);
        encoder.copy_buffer_to_buffer(src.0, src.1 / 4 * 4, &from, 0, src_bytes);
        encoder.copy_buffer_to_buffer(dst.0, dst.1 / 4 * 4, &to, 0, dst_bytes);
        let groups = (dst_bytes / 4).div_ceil(64).min(1024) as u32;
        let bindings = [params.as_entire_binding(), from.as_entire_binding(), to.as_entire_binding()];
        self.run_own_groups(place, pipeline, &bindings, [groups, 1]);
        self.encoder_at(place).copy_buffer_to_buffer(&to, 0, dst.0, dst.1 / 4 * 4, dst_bytes);
    }
}
