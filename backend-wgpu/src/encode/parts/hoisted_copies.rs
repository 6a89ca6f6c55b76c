//! Hoisted copies, which are submitted before their run.

#[derive(Debug, Default)]
pub(crate) struct HoistedCopies {
    /// The encoder of the copies, which the first hoisted copy creates.
    encoder: Option<wgpu::CommandEncoder>,
}

impl HoistedCopies {
    pub(crate) fn encoder(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        let desc = wgpu::CommandEncoderDescriptor { label: Some("hoisted copies") };
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&desc))
    }

    /// Returns the commands of the hoisted copies, or `None` if there are none.
    pub(crate) fn finish(&mut self) -> Option<wgpu::CommandBuffer> {
        self.encoder.take().map(wgpu::CommandEncoder::finish)
    }
}
