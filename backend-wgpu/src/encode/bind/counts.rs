//! Exact counts: which shaders need driver constants, and what these say.

use crate::{
    encode::{
        Encoder,
        layout::{ExactCounts, Shaders},
    },
    objects::shader::{Counted, CountedResource, DriverConstants, Shader},
};

use super::Kind;

impl<'r> Encoder<'r> {
    /// Which shaders ask for the size of what is bound otherwise than they see it: of nothing, or of less than they
    /// declare.
    pub(super) fn exact_counts<K: Kind>(&mut self, shaders: &Shaders<'r>) -> ExactCounts {
        let most = self.gpu.limits.max_uniform_buffers_per_shader_stage as usize;
        let mut exact_counts = ExactCounts::default();
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            let declared = |slot: u32| shader.code.reflection.resource(slot).map(|resource| &resource.kind);
            let is_inexact = |counted: &Counted| match counted.of {
                CountedResource::Texture { slot } => {
                    declared(slot).is_none_or(|kind| self.readable::<K>(lane, slot, kind).is_none())
                }
                CountedResource::Buffer { .. } | CountedResource::WrittenBuffer { .. } => {
                    let binding = counted.binding(lane);
                    let used = self.buffer_uses::<K>(lane, shader).find(|used| used.binding == binding);
                    used.is_none_or(|used| used.part.is_none_or(|part| u64::from(part.size) < used.needed))
                }
            };
            exact_counts[lane] = shader.counted.iter().any(is_inexact);
            if exact_counts[lane] && shader.code.reflection.constant_buffers.len() >= most {
                exact_counts[lane] = false;
                self.report("a shader gets the size of a stand-in for what is not bound: the adapter has too few constant buffers");
            }
        }
        exact_counts
    }

    /// What the shader of a lane asks for.
    pub(super) fn driver_constants<K: Kind>(&self, lane: usize, shader: &'r Shader) -> DriverConstants {
        let part = |counted: &Counted| {
            let binding = counted.binding(lane);
            self.buffer_uses::<K>(lane, shader).find(|used| used.binding == binding)?.part
        };
        DriverConstants::new(shader.counted.iter().map(|counted| {
            let count = match counted.of {
                CountedResource::Texture { slot } => {
                    let declared = shader.code.reflection.resource(slot);
                    let view = declared.and_then(|r| self.readable::<K>(lane, slot, &r.kind));
                    view.is_some().into()
                }
                CountedResource::Buffer { elements, .. }
                | CountedResource::WrittenBuffer { elements, .. } => {
                    part(counted).map_or(0, |part| elements.in_bytes(part.size))
                }
            };
            (counted.count, count)
        }))
    }
}
