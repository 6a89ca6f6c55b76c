//! Driver constants: which shaders need them, and their values.

use std::ops::Range;

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        encoder::Encoder,
        parts::{
            layouts::{DriverReads, SeenViews},
            pipeline_plan::Shaders,
        },
    },
    objects::shader::{CountedBinding, CountedResource, DriverBlock, DriverConstants, Shader, ViewSlot},
};

impl<'r> Encoder<'r> {
    /// Returns the driver constants that each shader needs. A shader needs counts if it queries the size of a
    /// missing or too small resource, or if it accesses typed buffers or some depth slices of a texture. The
    /// vertex shader of an indirect draw also needs the starts. A shader for which the driver samples needs
    /// all constants.
    pub(super) fn driver_reads(&mut self, shaders: &Shaders<'r>, seen: &mut SeenViews) -> DriverReads {
        let most = self.gpu.limits.max_uniform_buffers_per_shader_stage as usize;
        let mut driver_reads = DriverReads::default();
        for (stage, shader) in shaders.iter() {
            if self.samples_by_code(shader, &mut seen[stage]) {
                driver_reads[stage] = Some(DriverBlock::All);
                continue;
            }
            let declared = |slot: u32| shader.code.reflection.resource(slot).map(|resource| &resource.kind);
            let is_inexact = |counted: &CountedBinding| match counted.of {
                CountedResource::Texture { slot } => {
                    declared(slot).is_none_or(|kind| self.readable(stage, slot, kind).is_none())
                }
                CountedResource::Buffer { .. } | CountedResource::WrittenBuffer { .. } => {
                    let binding = counted.binding(stage);
                    let used = self.buffer_uses(stage, shader).find(|used| used.binding == binding);
                    used.is_none_or(|used| used.part.is_none_or(|part| u64::from(part.size) < used.needed))
                }
            };
            if stage == ShaderStage::Vertex && self.starts.is_some() {
                driver_reads[stage] = Some(DriverBlock::CountsAndStarts);
                continue;
            }
            let is_told = |slot: &ViewSlot| {
                self.typed_part(stage, slot).is_some() || self.depth_slices(stage, slot).is_some()
            };
            if shader.view_slots.iter().any(is_told) {
                // The adapter has room for the constants, because the creation of the shader checks that.
                driver_reads[stage] = Some(DriverBlock::Counts);
                continue;
            }
            driver_reads[stage] = shader.counted.iter().any(is_inexact).then_some(DriverBlock::Counts);
            if driver_reads[stage].is_some() && shader.code.reflection.constant_buffers.len() >= most {
                driver_reads[stage] = None;
                self.report("a shader gets the size of a stand-in for what is not bound: the adapter has too few constant buffers");
            }
        }
        driver_reads
    }

    /// Returns the values of the driver constants for the shader of a stage.
    pub(crate) fn driver_constants(&self, stage: ShaderStage, shader: &'r Shader) -> DriverConstants {
        let part = |counted: &CountedBinding| {
            let binding = counted.binding(stage);
            self.buffer_uses(stage, shader).find(|used| used.binding == binding)?.part
        };
        let counts = shader.counted.iter().map(|counted| {
            let count = match counted.of {
                CountedResource::Texture { slot } => {
                    let declared = shader.code.reflection.resource(slot);
                    let view = declared.and_then(|r| self.readable(stage, slot, &r.kind));
                    view.is_some().into()
                }
                CountedResource::Buffer { elements, .. }
                | CountedResource::WrittenBuffer { elements, .. } => {
                    part(counted).map_or(0, |part| elements.in_bytes(part.size))
                }
            };
            (counted.count, count)
        });
        let typed = shader.view_slots.iter().filter_map(|slot| {
            if let Some(Range { start, end }) = self.depth_slices(stage, slot) {
                let count = slot.count();
                return Some([(count, end - start), (count.first_byte(), start)]);
            }
            let part = self.typed_part(stage, slot)?;
            let elements = part.size / part.format?.bytes_per_block().max(1);
            let count = slot.count();
            Some([(count, elements), (count.first_byte(), self.first_byte(part))])
        });
        let samplers = shader.code.reflection.samplers.iter().filter_map(|sampler| {
            let bound = self.bound_sampler(stage, sampler.slot, sampler.comparison)?;
            Some((sampler.slot, &bound.desc))
        });
        let lods = shader.code.reflection.resources.iter().filter_map(|resource| {
            let (view, _) = self.readable(stage, resource.slot, &resource.kind)?;
            Some((resource.slot, self.least_level(view)))
        });
        DriverConstants::new(counts.chain(typed.flatten())).with_samplers(samplers).with_texture_lods(lods)
    }

    /// Returns the depth slices that the view in a slot covers, unless it covers all of them.
    fn depth_slices(&self, stage: ShaderStage, slot: &ViewSlot) -> Option<Range<u32>> {
        let view = self.written_texture(stage, slot)?;
        view.sees_some_depth_slices().then(|| view.desc.range.layers())
    }
}
