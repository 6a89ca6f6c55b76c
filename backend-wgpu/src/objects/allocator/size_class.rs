//! The sizes of ranges that are cut from chunks.

/// Ranges start at multiples of this, which is what D3D11 offsets constant buffers by.
pub(crate) const ALIGNMENT: u64 = 256;

/// The largest range that is cut from a chunk; larger ones get a wgpu buffer of their own.
pub(crate) const LARGEST_CLASS: u64 = 64 * 1024;

/// Size classes: 256 bytes to [`LARGEST_CLASS`], each twice the one before.
pub(super) const CLASSES: usize = (LARGEST_CLASS / ALIGNMENT).ilog2() as usize + 1;

/// The class of a size of at most [`LARGEST_CLASS`] bytes.
pub(super) fn class_of(size: u64) -> usize {
    (size.max(1).div_ceil(ALIGNMENT).next_power_of_two().ilog2()) as usize
}
