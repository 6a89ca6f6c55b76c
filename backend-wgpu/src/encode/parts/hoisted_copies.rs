//! Hoisted copies, which are submitted before the run.

/// The copies of a run that moved in front of it.
#[derive(Debug, Default)]
pub(in crate::encode) struct HoistedCopies {
    /// Made when it is needed.
    encoder: Option<wgpu::CommandEncoder>,
}

impl HoistedCopies {
    /// The encoder of the hoisted copies.
    pub(in crate::encode) fn encoder(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        let desc = wgpu::CommandEncoderDescriptor { label: Some("hoisted copies") };
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&desc))
    }

    /// The hoisted copies.
    pub(in crate::encode) fn finish(&mut self) -> Option<wgpu::CommandBuffer> {
        self.encoder.take().map(wgpu::CommandEncoder::finish)
    }
}
