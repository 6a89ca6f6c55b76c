//! Placeholder targets for draws that have no target, whose contents are not used.

use onze_ddi::{ScalarKind, ShaderStage};

use crate::encode::{
    emulate_hooks::{SampleCounting, StandIns},
    encoder::Encoder,
    parts::{
        ranges::TARGETS,
        sample_counter::CounterKey,
        stand_in::{StandIn, outgrown},
        targets::STAND_IN_FORMAT,
        vertices::DrawArea,
    },
};

/// Returns the size of the smallest target that contains an area.
fn extent(area: &DrawArea) -> [u32; 2] {
    let [x, y, width, height] = area.scissor;
    [x + width, y + height]
}

impl<'r> StandIns for Encoder<'r> {
    fn resolve_stand_in(&mut self) -> bool {
        let is_made = self.draw_writes() || self.queries.sees_draws();
        let (stand_in, counter) = if is_made { self.choose_stand_in() } else { (None, None) };
        if (self.targets.stand_in(), self.targets.counter()) != (stand_in, counter) {
            self.end_pass();
            self.targets.set_stand_in(stand_in, counter, self.gpu.limits.max_texture_dimension_2d);
            self.state.dirty_setting();
            self.state.area_dirty = true;
        }
        stand_in.is_some()
    }

    fn fit_stand_in(&mut self, area: &DrawArea) {
        let (least, most) = (extent(area), self.gpu.limits.max_texture_dimension_2d);
        if self.targets.counter().is_some() {
            return self.fit_counter(least, most);
        }
        let before = self.caches.stand_in.as_ref().map(|stand_in| stand_in.size);
        let Some(size) = outgrown(before, least, most) else { return };
        self.end_pass();
        let texture = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("stand-in for a target"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: STAND_IN_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.caches.stand_in = Some(StandIn { view, size });
    }
}

impl<'r> Encoder<'r> {
    /// Chooses the slot of the placeholder for the next draw, and the sample counter in it.
    fn choose_stand_in(&mut self) -> (Option<usize>, Option<CounterKey>) {
        let code = self.bindings.shader(ShaderStage::Pixel).map(|shader| &shader.code.reflection);
        let output = |slot: &usize| code.and_then(|code| code.output(*slot as u32));
        // Dual-source blending allows only the first target.
        let blends_two = self.state.blend.is_some_and(|blend| blend.dual_source);
        let is_dual = code.is_some_and(|code| code.dual_source || blends_two && code.gives_two_sources());
        let free = (0..TARGETS).find(|slot| !is_dual && output(slot).is_none());
        // The shader may write to the placeholder, because nothing reads it, but its output must be a float
        // like the placeholder's format.
        let takes = |slot: &usize| output(slot).is_some_and(|output| output.kind == ScalarKind::Float);
        let slot = free.or_else(|| (0..TARGETS).find(takes));
        if slot.is_none() {
            self.report(
                "draws without a target are skipped whose pixel shader gives integers to all 8 targets; take one of the \
                 outputs out of the shader",
            );
        }
        let counter = if self.queries.counts_samples() { self.counter_alone(free) } else { None };
        (slot, counter)
    }
}
