//! Index buffers for draws that have adjacency but no indices.

/// The indices of draws without indices, of the four topologies.
#[derive(Debug, Default)]
pub(in crate::encode) struct AdjacentSequences(pub(in crate::encode) [Option<AdjacentSequence>; 4]);

#[derive(Debug)]
pub(in crate::encode) struct AdjacentSequence {
    pub(in crate::encode) indices: wgpu::Buffer,
    pub(in crate::encode) count: u32,
}
