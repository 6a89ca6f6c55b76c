//! Dispatches, and the check of the bindings that they need.

use onze_ddi::{Key, ShaderStage};

use super::{DeviceContext, draw::reflection};
use crate::report::MessageId;

/// Most groups of a dispatch in each dimension. D3D11: `D3D11_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION`.
const MAX_GROUPS: u32 = 65_535;

/// What a context knows about its next dispatch.
#[derive(Debug, Default)]
pub(crate) struct DispatchState {
    /// The debug layer has looked at what is bound.
    looked: bool,
}

impl DispatchState {
    /// Something that a dispatch reads or writes is bound otherwise.
    #[inline]
    pub(crate) fn changed(&mut self) {
        self.looked = false;
    }
}

impl DeviceContext {
    /// Runs the compute shader in `x` times `y` times `z` groups of threads. D3D11: `Dispatch`.
    ///
    /// Each number is at most 65,535; a call with more does nothing and reports
    /// [`MessageId::DispatchTooLarge`]. Without a compute shader nothing is run
    /// ([`MessageId::DispatchNoComputeShader`]), and so it is while something that is bound is mapped
    /// ([`MessageId::DispatchMapped`]). Each dispatch sees what the ones before it have written.
    #[doc(alias = "Dispatch")]
    pub fn dispatch(&mut self, x: u32, y: u32, z: u32) {
        if x.max(y).max(z) > MAX_GROUPS {
            let text = format_args!(
                "{x} by {y} by {z} groups; each number is at most {MAX_GROUPS}, so dispatch several times or let a \
                 thread do more"
            );
            self.report(MessageId::DispatchTooLarge, text);
        } else if self.dispatch_ready() {
            self.core.with(move |f, cx| f.dispatch(cx.entry(), x, y, z));
        }
    }

    /// Whether a dispatch could be made with all that is bound; what is missing or looks wrong is reported again.
    /// D3D11: `ID3D11Debug::ValidateContextForDispatch`.
    ///
    /// Each dispatch is checked so, once after a change.
    #[doc(alias = "ValidateContextForDispatch")]
    pub fn validate_context_for_dispatch(&mut self) -> bool {
        self.core.rt.dispatch.changed();
        self.dispatch_ready()
    }

    /// Whether a dispatch can be made. If not, that was reported.
    pub(super) fn dispatch_ready(&mut self) -> bool {
        if !self.core.rt.owned_maps.is_empty() {
            self.sweep_owned_maps();
            if self.uses_mapped(MessageId::DispatchMapped, &self.compute_keys()) {
                return false;
            }
        }
        if self.core.rt.lost {
            return false;
        }
        let Some(shader) = self.core.rt.bound.stages[ShaderStage::Compute].shader else {
            let text = "set one with `cs_set_shader`";
            self.report(MessageId::DispatchNoComputeShader, text);
            return false;
        };
        if self.core.device.info().is_enabled()
            && !std::mem::replace(&mut self.core.rt.dispatch.looked, true)
            && let Some(shader) = self.core.shared(shader.key())
            && let Some(reflection) = reflection(shader)
        {
            self.check_stage(ShaderStage::Compute, shader, reflection);
        }
        true
    }

    /// The key of everything that a dispatch reads or writes; a key may come more than once.
    fn compute_keys(&self) -> Vec<Key> {
        let bound = &self.core.rt.bound;
        let stage = &bound.stages[ShaderStage::Compute];
        let buffers = stage.constant_buffers.get(None).iter().filter_map(|b| b.buffer).map(|h| h.key());
        let read = stage.shader_resources.get(None).iter().flatten().map(|h| h.key());
        let written = stage.unordered_access_views.get(None).iter().flatten().map(|h| h.key());
        buffers.chain(read).chain(written).collect()
    }
}
