//! Zero-padded copies of buffers that are shorter than the range that a shader or a draw reads.
//!
//! Direct3D 11 reads zeros beyond the end of a buffer, but wgpu refuses the draw. Such draws are rare, so
//! each draw makes its own copies in the [prologue](crate::encode::prologue), and vertices are copied only if
//! shaders cannot [pull](crate::encode::emulate::pull) them.

use crate::encode::{
    emulate_hooks::{ByteCopies, PaddedCopies},
    encoder::Encoder,
    parts::{accesses::AccessRange, prologue::CommandPlace, ranges::BufferRange},
};

impl<'r> PaddedCopies for Encoder<'r> {
    fn padded_copy(
        &mut self,
        range: BufferRange<'_>,
        shift: i64,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer {
        let copy = self.new_padded(size, usage);
        let (skipped, pad) = if shift < 0 { (0, shift.unsigned_abs()) } else { (shift.unsigned_abs(), 0) };
        let length = range.size.saturating_sub(skipped).min(size.saturating_sub(pad));
        if length > 0 {
            let place = self.place(&[AccessRange::bytes(range.id, range.offset + skipped, length)], &[]);
            self.copy_bytes(place, (range.buffer, range.offset + skipped), (&copy, pad), length);
        }
        copy
    }

    fn padded_copy_at(
        &mut self,
        place: CommandPlace,
        range: BufferRange<'_>,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer {
        let copy = self.new_padded(size, usage);
        self.copy_bytes(place, (range.buffer, range.offset), (&copy, 0), range.size.min(size));
        copy
    }

    fn largest_copy(&self) -> u64 {
        const MOST: u64 = 256 << 20;
        self.gpu.limits.max_buffer_size.min(MOST)
    }
}

impl Encoder<'_> {
    fn new_padded(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        // wgpu initialises new buffers with zeros, so the padding needs no writes.
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("padded copy"),
            size: size.next_multiple_of(4).max(4),
            usage: usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        })
    }
}
