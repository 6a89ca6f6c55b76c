//! Hazards: what is written is not read at the same time.
//!
//! Tracking is per subresource range of views, and per plane for depth and stencil. A new output wins
//! over inputs; a new input loses to outputs.

use onze_ddi::{
    DepthStencilViewHandle, DsvFlags, Format, Key, RenderTargetViewHandle, ShaderStage, ViewDesc,
};

use super::{DeviceContext, bound::RENDER_TARGET_SLOTS};
use crate::{
    ShaderResourceView,
    message::MessageId,
    object::{HotFlags, ObjectShared, sealed::Sealed as _},
};

/// Whether a shader-resource view sees the stencil plane (else: depth or colour).
fn sees_stencil(view: &ViewDesc) -> bool {
    matches!(view.format, Format::X24_TYPELESS_G8_UINT | Format::X32_TYPELESS_G8X24_UINT)
}

/// Whether an output writes what an input reads.
fn conflicts(input: &ObjectShared, output: &ObjectShared) -> bool {
    let (Some((read, from)), Some((written, to))) = (input.view(), output.view()) else { return false };
    let read_only = if sees_stencil(read) { DsvFlags::READ_ONLY_STENCIL } else { DsvFlags::READ_ONLY_DEPTH };
    from.key == to.key && read.range.overlaps(&written.range) && !written.flags.contains(read_only)
}

impl DeviceContext {
    /// Whether a view sees what is bound as an output.
    pub(super) fn is_output(&self, view: &ShaderResourceView) -> bool {
        let bound = &self.core.rt.bound;
        let color = bound.render_targets.get(None).iter().flatten().map(|h| h.key());
        color
            .chain(bound.depth_stencil_view.map(|h| h.key()))
            .filter_map(|key| self.core.shared(key))
            .any(|output| conflicts(&view.owner().shared, output))
    }

    /// Unbinds the shader resources that see one of the new outputs.
    pub(super) fn unbind_inputs_of(
        &mut self,
        color: &[Option<RenderTargetViewHandle>; RENDER_TARGET_SLOTS],
        depth_stencil: Option<DepthStencilViewHandle>,
    ) {
        let outputs = color.iter().flatten().map(|h| h.key()).chain(depth_stencil.map(|h| h.key()));
        let mut hazardous: [Option<Key>; RENDER_TARGET_SLOTS + 1] = [None; RENDER_TARGET_SLOTS + 1];
        for (place, key) in hazardous.iter_mut().zip(outputs.filter(|key| self.is_hazardous(*key))) {
            *place = Some(key);
        }
        if hazardous[0].is_none() {
            return;
        }
        for stage in ShaderStage::ALL {
            let slots = self.core.rt.bound.stage(stage).resources.high();
            for slot in 0..slots {
                let Some(input) = self.core.rt.bound.stage(stage).resources.at(slot) else { continue };
                let Some(shared) = self.core.shared(input.key()) else { continue };
                let hit = hazardous
                    .iter()
                    .flatten()
                    .filter_map(|k| self.core.shared(*k))
                    .any(|o| conflicts(shared, o));
                if hit {
                    let label = &shared.label;
                    self.report(
                        MessageId::SetRenderTargetsHazard,
                        format_args!("\"{label}\" was bound to slot {slot} of the {stage:?} stage"),
                    );
                    self.bind_shader_resources(stage, slot, std::iter::once(None));
                }
            }
        }
    }

    fn is_hazardous(&self, key: Key) -> bool {
        let hot = self.core.handles.runtime::<crate::object::Hot>(key);
        hot.is_some_and(|hot| hot.flags & HotFlags::HAZARDOUS.bits() != 0)
    }
}
