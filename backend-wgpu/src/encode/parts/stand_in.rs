//! The stand-in: a render target for draws that have none.

/// A target for draws that have none.
#[derive(Clone, Debug)]
pub(in crate::encode) struct StandIn {
    pub(in crate::encode) view: wgpu::TextureView,
    pub(in crate::encode) size: [u32; 2],
}

impl StandIn {
    /// The attachment of a pass.
    pub(in crate::encode) fn attachment(&self) -> wgpu::RenderPassColorAttachment<'_> {
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

/// The size of a new stand-in with at least some pixels, in place of one that may be too small; `None` if that has them.
/// Areas that grow little by little make few of them.
pub(in crate::encode) fn outgrown(before: Option<[u32; 2]>, least: [u32; 2], most: u32) -> Option<[u32; 2]> {
    let before = before.unwrap_or_default();
    let grown = |at: usize| before[at].max(least[at]).next_power_of_two().min(most);
    (before[0] < least[0] || before[1] < least[1]).then(|| [grown(0), grown(1)])
}
