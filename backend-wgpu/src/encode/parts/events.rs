//! Debug groups: those of Direct3D 11 may span passes, those of wgpu may not.
//!
//! wgpu wants groups balanced within a pass, and within an encoder outside of passes. So the names of the open groups
//! are kept here. Each scope (a pass, or the commands between two passes) opens all of them when it begins and closes
//! them when it ends. The end of a run closes open groups. An end without a begin in its run is dropped.

/// The open groups of a run.
#[derive(Debug, Default)]
pub(in crate::encode) struct EventGroups<'r> {
    open: Vec<&'r str>,
    /// How many of them the encoder itself has open, outside of passes.
    in_encoder: usize,
}

impl<'r> EventGroups<'r> {
    /// Opens a group; in a pass if there is one.
    pub(in crate::encode) fn begin(&mut self, name: &'r str, pass: Option<&mut wgpu::RenderPass<'static>>) {
        self.open.push(name);
        if let Some(pass) = pass {
            pass.push_debug_group(name);
        }
    }

    /// Closes the innermost group.
    pub(in crate::encode) fn end(
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

    /// Before a pass begins: closes what the encoder has open.
    pub(in crate::encode) fn leave_encoder(&mut self, encoder: &mut wgpu::CommandEncoder) {
        for _ in 0..self.in_encoder {
            encoder.pop_debug_group();
        }
        self.in_encoder = 0;
    }

    /// Before a command outside of passes: opens in the encoder what is not open yet.
    pub(in crate::encode) fn enter_encoder(&mut self, encoder: &mut wgpu::CommandEncoder) {
        for name in self.open.iter().skip(self.in_encoder) {
            encoder.push_debug_group(name);
        }
        self.in_encoder = self.open.len();
    }

    /// After a pass began.
    pub(in crate::encode) fn enter_pass(&self, pass: &mut wgpu::RenderPass<'static>) {
        for name in &self.open {
            pass.push_debug_group(name);
        }
    }

    /// Before a pass ends.
    pub(in crate::encode) fn leave_pass(&self, pass: &mut wgpu::RenderPass<'static>) {
        for _ in &self.open {
            pass.pop_debug_group();
        }
    }
}
