//! Debug groups, which may span passes in Direct3D 11 but not in wgpu.
//!
//! wgpu requires balanced groups within a pass, and within an encoder outside of passes, so the names of the
//! open groups are stored here. Each scope, which is a pass or the commands between two passes, opens all
//! groups at its beginning and closes them at its end. The end of a run closes open groups, and an end
//! without a begin in the same run is dropped.

#[derive(Debug, Default)]
pub(crate) struct EventGroups<'r> {
    open: Vec<&'r str>,
    /// Number of groups that are open in the encoder itself, outside of passes.
    in_encoder: usize,
}

impl<'r> EventGroups<'r> {
    /// Opens a group, and opens it in wgpu if there is a pass.
    pub(crate) fn begin(&mut self, name: &'r str, pass: Option<&mut wgpu::RenderPass<'static>>) {
        self.open.push(name);
        if let Some(pass) = pass {
            pass.push_debug_group(name);
        }
    }

    pub(crate) fn end(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        pass: Option<&mut wgpu::RenderPass<'static>>,
    ) {
        if self.open.pop().is_none() {
            return;
        }
        match pass {
            Some(pass) => pass.pop_debug_group(),
            None if self.in_encoder > self.open.len() => {
                encoder.pop_debug_group();
                self.in_encoder -= 1;
            }
            None => {}
        }
    }

    /// Closes the groups that are open in the encoder, before a pass begins.
    pub(crate) fn leave_encoder(&mut self, encoder: &mut wgpu::CommandEncoder) {
        for _ in 0..self.in_encoder {
            encoder.pop_debug_group();
        }
        self.in_encoder = 0;
    }

    /// Opens the groups in the encoder that are not open there yet, before a command outside of passes.
    pub(crate) fn enter_encoder(&mut self, encoder: &mut wgpu::CommandEncoder) {
        for name in self.open.iter().skip(self.in_encoder) {
            encoder.push_debug_group(name);
        }
        self.in_encoder = self.open.len();
    }

    pub(crate) fn enter_pass(&self, pass: &mut wgpu::RenderPass<'static>) {
        for name in &self.open {
            pass.push_debug_group(name);
        }
    }

    pub(crate) fn leave_pass(&self, pass: &mut wgpu::RenderPass<'static>) {
        for _ in &self.open {
            pass.pop_debug_group();
        }
    }
}
