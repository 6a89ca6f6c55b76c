//! Dispatches, and the check of their bindings before the driver call.

use onze_ddi::{Key, ShaderStage};

use super::{DeviceContext, Skipped, draw::reflection};
use crate::report::MessageId;

/// Maximum number of thread groups of a dispatch in each dimension (D3D11:
/// `D3D11_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION`).
const MAX_GROUPS: u32 = 65_535;

/// State of the check that precedes a context's next dispatch.
#[derive(Debug, Default)]
pub(crate) struct DispatchState {
    /// Whether the debug layer has checked the current bindings.
    looked: bool,
}

impl DispatchState {
    /// Records that a binding of the compute stage has changed.
    #[inline]
    pub(crate) fn changed(&mut self) {
        self.looked = false;
    }
}

impl DeviceContext {
    /// Runs the compute shader in `x` times `y` times `z` thread groups (D3D11: `Dispatch`).
    ///
    /// Each dispatch sees the writes of the previous dispatches.
    ///
    /// A dispatch is skipped and reported if a number is greater than 65,535
    /// ([`MessageId::DispatchTooLarge`]), if no compute shader is bound
    /// ([`MessageId::DispatchNoComputeShader`]), or if it uses a mapped resource
    /// ([`MessageId::DispatchMapped`]).
    #[doc(alias = "Dispatch")]
    pub fn dispatch(&mut self, x: u32, y: u32, z: u32) {
        if x.max(y).max(z) > MAX_GROUPS {
            let text = format_args!(
                "{x} by {y} by {z} groups; each number is at most {MAX_GROUPS}, so dispatch several times or let a \
                 thread do more"
            );
            self.report(MessageId::DispatchTooLarge, text);
        } else if self.check_dispatch() == Ok(()) {
            self.core.with(move |f, cx| f.dispatch(cx.entry(), x, y, z));
        }
    }

    /// Returns whether a dispatch is possible with the current bindings, and reports missing or suspicious
    /// bindings even if they were reported before (D3D11: `ID3D11Debug::ValidateContextForDispatch`).
    ///
    /// Dispatches make the same check, but only after a binding has changed.
    #[doc(alias = "ValidateContextForDispatch")]
    pub fn validate_context_for_dispatch(&mut self) -> bool {
        self.core.rt.dispatch.changed();
        self.check_dispatch() == Ok(())
    }

    /// Checks whether a dispatch is possible, and reports the reason if it is not possible.
    pub(super) fn check_dispatch(&mut self) -> Result<(), Skipped> {
        if !self.core.rt.owned_maps.is_empty() {
            self.sweep_owned_maps();
            self.refuse_mapped(MessageId::DispatchMapped, &self.compute_keys())?;
        }
        if self.core.rt.lost {
            return Err(Skipped);
        }
        let Some(shader) = self.core.rt.bound.stages[ShaderStage::Compute].shader else {
            let text = "set one with `cs_set_shader`";
            self.report(MessageId::DispatchNoComputeShader, text);
            return Err(Skipped);
        };
        if self.core.device.info().is_enabled()
            && !std::mem::replace(&mut self.core.rt.dispatch.looked, true)
            && let Some(shader) = self.core.shared(shader.key())
            && let Some(reflection) = reflection(shader)
        {
            self.check_stage(ShaderStage::Compute, shader, reflection);
        }
        Ok(())
    }

    /// Returns the keys of all objects that a dispatch reads or writes, possibly with duplicates.
    fn compute_keys(&self) -> Vec<Key> {
        let bound = &self.core.rt.bound;
        let stage = &bound.stages[ShaderStage::Compute];
        let buffers = stage.constant_buffers.get(None).iter().filter_map(|b| b.buffer).map(|h| h.key());
        let read = stage.shader_resources.get(None).iter().flatten().map(|h| h.key());
        let written = stage.unordered_access_views.get(None).iter().flatten().map(|h| h.key());
        buffers.chain(read).chain(written).collect()
    }
}
