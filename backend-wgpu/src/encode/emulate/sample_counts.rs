//! Counts of visible samples, which wgpu lacks because its own queries only report whether there was any.
//!
//! While a query that counts samples is open, a pass has an additional target in a free slot: the *sample
//! counter*. Each pixel shader adds 1 to it
//! ([`count_location`](crate::objects::shader::Specialization::count_location)), so tests that hide a sample
//! also keep it from being counted. After the pass, a compute shader sums the counter into a segment of the
//! query. Without a counter, a segment counts as 1 if any of its samples was visible. Draws outside of such
//! queries have no counter.

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        emulate_hooks::SampleCounting,
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{
            prologue::CommandPlace,
            ranges::TARGETS,
            sample_counter::{CounterKey, SampleCounter, counter_format},
            stand_in::outgrown,
            targets::TargetSet,
        },
    },
    objects::shader::bytes_per_sample,
    services::gpu::Gpu,
};

const NO_COUNTER: &str = "an occlusion query counts draws as 1 that have no free render-target slot, or blend with a second \
                          output; bind fewer targets while it is begun";

const GROUP: u32 = 16;

/// Returns whether the adapter supports sample counters with this sample count.
fn is_usable(gpu: &Gpu, samples: u32) -> bool {
    let flags = gpu.format_features(counter_format(gpu)).flags;
    flags.contains(wgpu::TextureFormatFeatureFlags::BLENDABLE) && flags.sample_count_supported(samples)
}

/// Returns the slot for a counter. Slot 0 is used only if all others are bound, because alpha to coverage
/// needs an alpha value there.
fn free_slot(gpu: &Gpu, targets: &TargetSet<'_>) -> Option<usize> {
    let formats = targets.color_formats();
    let slot = (1..TARGETS).chain([0]).find(|slot| formats[*slot].is_none())?;
    let format = counter_format(gpu);
    let with_counter = formats
        .into_iter()
        .enumerate()
        .filter_map(|(at, bound)| if at == slot { Some(format) } else { bound });
    let bytes = bytes_per_sample(with_counter);
    (is_usable(gpu, targets.samples()) && bytes <= gpu.limits.max_color_attachment_bytes_per_sample)
        .then_some(slot)
}

impl<'r> SampleCounting for Encoder<'r> {
    #[inline]
    fn reconsider_counter(&mut self) {
        if self.queries.counts_samples() {
            self.state.targets_dirty = true;
            self.ready.forget();
        }
    }

    fn resolve_counter(&mut self) {
        if self.targets.stand_in().is_some() {
            return;
        }
        let before = self.targets.take_counter();
        if self.queries.counts_samples() && self.targets.is_drawable() {
            let pixel = self.bindings.shader(ShaderStage::Pixel);
            let is_dual = pixel.is_some_and(|shader| shader.code.reflection.dual_source)
                || self.state.blend.is_some_and(|blend| blend.dual_source);
            let slot = if is_dual { None } else { free_slot(self.gpu, &self.targets) };
            match slot {
                Some(slot) => self.add_counter(slot),
                None => self.report(NO_COUNTER),
            }
        }
        if self.targets.counter() != before {
            self.end_pass();
        }
    }

    fn counter_alone(&mut self, free: Option<usize>) -> Option<CounterKey> {
        let slot = free.filter(|_| is_usable(self.gpu, 1));
        if slot.is_none() {
            self.report(NO_COUNTER);
        }
        Some((slot?, counter_format(self.gpu)))
    }

    fn fit_counter(&mut self, least: [u32; 2], most: u32) {
        let before = self.caches.sample_counter.as_ref().filter(|counter| counter.samples == 1);
        let Some(size) = outgrown(before.map(|counter| counter.size), least, most) else { return };
        self.end_pass();
        self.caches.sample_counter = Some(SampleCounter::new(self.gpu, size, 1));
    }

    fn sum_samples(&mut self) {
        let Some(SampleCounter { view, size, samples }) = self.caches.sample_counter.clone() else { return };
        let which = if samples > 1 { OwnCompute::SumMultisampled } else { OwnCompute::SumSamples };
        let lost = "an occlusion query counts nothing: the adapter has no compute shaders";
        let Some(pipeline) = self.own_compute(which, lost) else { return };
        let Some((segments, at)) = self.queries.next_samples(self.encoding) else { return };
        if at == 0 {
            self.outside().clear_buffer(&segments, 0, None);
        }
        let params = self.parameters(&[size[0], size[1], samples, at]);
        let bindings = [
            params.as_entire_binding(),
            wgpu::BindingResource::TextureView(&view),
            segments.as_entire_binding(),
        ];
        self.run_own_groups(CommandPlace::Run, pipeline, &bindings, size.map(|side| side.div_ceil(GROUP)));
    }

    fn cut_samples(&mut self) {
        if self.pass.is_render() {
            self.end_pass();
        }
        self.state.targets_dirty = true;
    }
}

impl<'r> Encoder<'r> {
    fn add_counter(&mut self, slot: usize) {
        let (size, samples) = (self.targets.size(), self.targets.samples());
        let fits = |counter: &SampleCounter| counter.size == size && counter.samples == samples;
        if !self.caches.sample_counter.as_ref().is_some_and(fits) {
            self.end_pass();
            self.caches.sample_counter = Some(SampleCounter::new(self.gpu, size, samples));
        }
        self.targets.set_counter((slot, counter_format(self.gpu)));
    }
}
