//! Index buffers for draws with adjacency but without indices.

/// The index buffers, one per topology with adjacency.
#[derive(Debug, Default)]
pub(crate) struct AdjacentSequences(pub(crate) [Option<AdjacentSequence>; 4]);

#[derive(Debug)]
pub(crate) struct AdjacentSequence {
    pub(crate) indices: wgpu::Buffer,
    pub(crate) count: u32,
}
