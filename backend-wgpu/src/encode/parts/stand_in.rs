//! A placeholder render target for draws that have no target.

#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    pub(crate) view: wgpu::TextureView,
    pub(crate) size: [u32; 2],
}

impl StandIn {
    /// Returns the attachment for a pass, which discards the contents.
    pub(crate) fn attachment(&self) -> wgpu::RenderPassColorAttachment<'_> {
        wgpu::RenderPassColorAttachment {
            view: &self.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Discard,
            },
        }
    }
}

/// Returns the size of a new placeholder of at least `least` pixels, or `None` if the old one is large
/// enough. Sizes are powers of two up to `most`, so slowly growing areas rarely need a new one.
pub(crate) fn outgrown(before: Option<[u32; 2]>, least: [u32; 2], most: u32) -> Option<[u32; 2]> {
    let before = before.unwrap_or_default();
    let grown = |at: usize| before[at].max(least[at]).next_power_of_two().min(most);
    (before[0] < least[0] || before[1] < least[1]).then(|| [grown(0), grown(1)])
}
