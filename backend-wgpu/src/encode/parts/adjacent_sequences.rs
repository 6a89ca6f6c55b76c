//! Index buffers for draws with adjacency but without indices.

/// The index buffers, one per topology with adjacency.
#[derive(Debug, Default)]
pub(in crate::encode) struct AdjacentSequences(pub(in crate::encode) [Option<AdjacentSequence>; 4]);

#[derive(Debug)]
pub(in crate::encode) struct AdjacentSequence {
    pub(in crate::encode) indices: wgpu::Buffer,
    pub(in crate::encode) count: u32,
}
