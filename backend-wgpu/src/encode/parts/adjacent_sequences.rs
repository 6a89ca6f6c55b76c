//! TODO

/// The indices of draws without indices, of the four topologies.
#[derive(Debug, Default)]
pub(in crate::encode) struct AdjacentSequences([Option<AdjacentSequence>; 4]);

#[derive(Debug)]
pub(in crate::encode) struct AdjacentSequence {
    indices: wgpu::Buffer,
    count: u32,
}
