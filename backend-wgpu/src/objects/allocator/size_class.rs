//! Size classes of the ranges that are cut from chunks, each a power of two.

/// Alignment of ranges in bytes, equal to D3D11's unit for constant-buffer offsets.
pub(crate) const ALIGNMENT: u64 = 256;

/// Size in bytes of the largest range that is cut from a chunk, while larger constant buffers get a separate
/// wgpu buffer.
pub(crate) const LARGEST_CLASS: u64 = 64 * 1024;

/// Number of size classes from 256 bytes to [`LARGEST_CLASS`], where each is twice as large as the previous
/// one.
pub(super) const CLASSES: usize = (LARGEST_CLASS / ALIGNMENT).ilog2() as usize + 1;

/// Returns the class of a size of at most [`LARGEST_CLASS`] bytes.
pub(super) fn class_of(size: u64) -> usize {
    (size.max(1).div_ceil(ALIGNMENT).next_power_of_two().ilog2()) as usize
}
