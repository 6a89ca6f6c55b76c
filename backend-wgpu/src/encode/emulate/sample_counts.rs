//! Counts of visible samples: wgpu's own queries say only whether there was one.
//!
//! While a query that counts is open, a pass has one more target in a free slot, the *sample counter*: a pixel shader adds
//! 1 to it ([`crate::objects::shader::Specialization::count_location`]), so whatever hides a sample keeps it from being
//! counted. When the pass ends, a compute shader adds the counter up into a segment of the query. A pass without such a slot
//! counts as 1 if anything was visible. Draws outside of such queries have no counter.

use std::sync::OnceLock;

use onze_ddi::ScalarKind;

use crate::{
    encode::{
        emulate::merge::compute_pipeline,
        encoder::Encoder,
        parts::{
            ranges::TARGETS,
            targets::{CounterKey, TargetSet},
        },
        writes::outgrown,
    },
    objects::shader::bytes_per_sample,
    services::gpu::Gpu,
};

/// What is reported where samples cannot be counted.
const NO_COUNTER: &str = "an occlusion query counts draws as 1 that have no free render-target slot, or blend with a second \
                          output; bind fewer targets while it is begun";

/// Threads of a group in each dimension.
const GROUP: u32 = 16;

/// The target that counts, of a worker: the last one that was needed.
#[derive(Clone, Debug)]
pub(in crate::encode) struct SampleCounter {
    view: wgpu::TextureView,
    size: [u32; 2],
    samples: u32,
}

impl SampleCounter {
    fn new(gpu: &Gpu, size: [u32; 2], samples: u32) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("sample counter"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: samples,
            dimension: wgpu::TextureDimension::D2,
            format: format(gpu),
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        Self { view: texture.create_view(&wgpu::TextureViewDescriptor::default()), size, samples }
    }

    /// The attachment of a pass.
    pub(in crate::encode) fn attachment(&self) -> wgpu::RenderPassColorAttachment<'_> {
        wgpu::RenderPassColorAttachment {
            view: &self.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        }
    }
}

/// The format of sample counters. The smaller one counts to 2048 in a pass, for each sample.
fn format(gpu: &Gpu) -> wgpu::TextureFormat {
    if gpu.features.contains(wgpu::Features::FLOAT32_BLENDABLE) {
        wgpu::TextureFormat::R32Float
    } else {
        wgpu::TextureFormat::R16Float
    }
}

/// What a pipeline does with the sample counter.
pub(in crate::encode) fn target(format: wgpu::TextureFormat) -> wgpu::ColorTargetState {
    let add = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::ColorTargetState {
        format,
        blend: Some(wgpu::BlendState { color: add, alpha: add }),
        write_mask: wgpu::ColorWrites::RED,
    }
}

/// A pixel shader for draws that have none. The first target gets zeros if it has numbers of a kind, as other shaders' do
/// ([`Specialization::fills_first`](crate::objects::shader::Specialization::fills_first)).
pub(in crate::encode) fn fragment(
    device: &wgpu::Device,
    location: usize,
    first: Option<ScalarKind>,
) -> wgpu::ShaderModule {
    let first = match first {
        Some(ScalarKind::Float) => "@location(0) first: vec4f, ",
        Some(ScalarKind::Sint) => "@location(0) first: vec4i, ",
        Some(ScalarKind::Uint) => "@location(0) first: vec4u, ",
        None => "",
    };
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("no pixel shader"),
        source: wgpu::ShaderSource::Wgsl(
            format!(
                "struct Out {{ {first}@location({location}) count: f32 }}
                @fragment fn main() -> Out {{ var out: Out; out.count = 1.0; return out; }}"
            )
            .into(),
        ),
    })
}

/// The pipelines that add counters up, of one sample and of several.
#[derive(Debug, Default)]
pub(in crate::encode) struct SampleSums([OnceLock<Option<wgpu::ComputePipeline>>; 2]);

fn sum(gpu: &Gpu, is_multisampled: bool) -> Option<wgpu::ComputePipeline> {
    let texture = if is_multisampled { "texture_multisampled_2d<f32>" } else { "texture_2d<f32>" };
    let text = include_str!("sample_counts.wgsl").replace("TEXTURE", texture);
    crate::services::error_scope::scoped(&gpu.device, || {
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("sums of sample counters"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        compute_pipeline(gpu, &module, "main")
    })
    .ok()
}

/// Whether the adapter has sample counters with so many samples.
fn is_usable(gpu: &Gpu, samples: u32) -> bool {
    let flags = gpu.format_features(format(gpu)).flags;
    flags.contains(wgpu::TextureFormatFeatureFlags::BLENDABLE) && flags.sample_count_supported(samples)
}

/// The slot for a counter: not the first one if there is another, as alpha to coverage wants an alpha there.
fn free_slot(gpu: &Gpu, targets: &TargetSet<'_>) -> Option<usize> {
    let formats = targets.color_formats();
    let slot = (1..TARGETS).chain([0]).find(|slot| formats[*slot].is_none())?;
    let format = format(gpu);
    let with_counter = formats
        .into_iter()
        .enumerate()
        .filter_map(|(at, bound)| if at == slot { Some(format) } else { bound });
    let bytes = bytes_per_sample(with_counter);
    (is_usable(gpu, targets.samples) && bytes <= gpu.limits.max_color_attachment_bytes_per_sample)
        .then_some(slot)
}

impl Encoder<'_> {
    /// Whether the next draw needs other targets, now that its pixel shader or blend state is another one: shaders with a
    /// second output for blending suffer no other target.
    #[inline]
    pub(in crate::encode) fn reconsider_counter(&mut self) {
        if self.queries.counts_samples() {
            self.state.targets_dirty = true;
            self.ready.forget();
        }
    }

    /// Gives the resolved targets a sample counter, or takes it away. The open pass ends if it has other ones.
    pub(in crate::encode) fn resolve_counter(&mut self) {
        if self.targets.stand_in.is_some() {
            return;
        }
        let before = std::mem::take(&mut self.targets.counter);
        if self.queries.counts_samples() && self.targets.drawable {
            let pixel = self.state.bindings.shaders()[1];
            let is_dual = pixel.is_some_and(|shader| shader.code.reflection.dual_source)
                || self.state.blend.is_some_and(|blend| blend.dual_source);
            let slot = if is_dual { None } else { free_slot(self.gpu, &self.targets) };
            match slot {
                Some(slot) => self.add_counter(slot),
                None => self.report(NO_COUNTER),
            }
        }
        if self.targets.counter != before {
            self.end_pass();
        }
    }

    fn add_counter(&mut self, slot: usize) {
        let (size, samples) = (self.targets.size, self.targets.samples);
        let fits = |counter: &SampleCounter| counter.size == size && counter.samples == samples;
        if !self.caches.sample_counter.as_ref().is_some_and(fits) {
            self.end_pass();
            self.caches.sample_counter = Some(SampleCounter::new(self.gpu, size, samples));
        }
        self.targets.counter = Some((slot, format(self.gpu)));
        self.targets.colors = self.targets.colors.max(slot + 1);
    }

    /// The sample counter of draws without targets, in a slot that the pixel shader leaves free.
    pub(in crate::encode) fn counter_alone(&mut self, free: Option<usize>) -> Option<CounterKey> {
        let slot = free.filter(|_| is_usable(self.gpu, 1));
        if slot.is_none() {
            self.report(NO_COUNTER);
        }
        Some((slot?, format(self.gpu)))
    }

    /// Before a draw without targets that is counted: a counter with at least some pixels.
    pub(in crate::encode) fn fit_counter(&mut self, least: [u32; 2], most: u32) {
        let before = self.caches.sample_counter.as_ref().filter(|counter| counter.samples == 1);
        let Some(size) = outgrown(before.map(|counter| counter.size), least, most) else { return };
        self.end_pass();
        self.caches.sample_counter = Some(SampleCounter::new(self.gpu, size, 1));
    }

    /// After a pass with a sample counter in which something was drawn: adds the counter up into a segment.
    pub(in crate::encode) fn sum_samples(&mut self) {
        let shared = self.caches.shared.clone();
        let Some(SampleCounter { view, size, samples }) = self.caches.sample_counter.clone() else { return };
        let is_multisampled = samples > 1;
        let [single, multiple] = &shared.sample_sums.0;
        let pipeline = if is_multisampled { multiple } else { single };
        let make = || self.encoding.compilers.make(move |gpu| sum(gpu, is_multisampled));
        let Some(pipeline) = pipeline.get_or_init(make) else {
            self.report("an occlusion query counts nothing: the adapter has no compute shaders");
            return;
        };
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
        self.run_own_groups(pipeline, &bindings, size.map(|side| side.div_ceil(GROUP)));
    }

    /// Before a query that counts samples begins or ends: what was drawn so far is added up, for those that are begun.
    pub(in crate::encode) fn cut_samples(&mut self) {
        if self.pass.is_render() {
            self.end_pass();
        }
        self.state.targets_dirty = true;
    }
}
