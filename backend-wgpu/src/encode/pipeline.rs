//! Pipelines: found by everything that wgpu bakes into one.

use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
    sync::{Arc, Mutex, OnceLock},
};

use onze_ddi::{DsvFlags, PrimitiveTopology, ScalarKind, ShaderReflection};

use crate::{
    convert,
    device::Device,
    gone::Gone,
    identity::unique_id,
    shader::{GROUPS, Shader},
    state::ElementLayout,
    sync::lock,
};

use super::{
    Encoder, Report,
    hash::{FastMap, Place, Slab},
    layout::SharedStore,
    state::{State, TARGETS, VERTEX_SLOTS},
};

/// In place of a stride: nothing is bound to the slot. Real strides are at most 2048.
const EMPTY_SLOT: u16 = u16::MAX;

/// Most pipelines that are kept by one device, or by one worker.
const MOST_PIPELINES: usize = 8192;

/// Everything that wgpu bakes into a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    vertex_shader: u64,
    /// 0 for none.
    pixel_shader: u64,
    blend: u64,
    depth_stencil: u64,
    rasterizer: u64,
    /// Of the bind group layouts.
    groups: [u32; GROUPS],
    setting: Setting,
}

/// What of the key seldom changes from draw to draw. An encoding thread gives it a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
struct Setting {
    layout: u64,
    /// Of the slots that the layout reads; [`EMPTY_SLOT`] for those that nothing is bound to.
    strides: [u16; VERTEX_SLOTS],
    topology: PrimitiveTopology,
    /// 32-bit indices; of strips only.
    wide_strip: bool,
    color_formats: [Option<wgpu::TextureFormat>; TARGETS],
    depth_format: Option<wgpu::TextureFormat>,
    read_only: DsvFlags,
    samples: u32,
    sample_mask: u32,
}

/// A [`PipelineKey`] with a number for its setting: short enough to be looked up for every draw.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct ShortKey {
    /// Vertex and pixel shader.
    shaders: [u64; 2],
    /// Blend, depth-stencil and rasterizer.
    states: [u64; 3],
    groups: [u32; GROUPS],
    setting: u64,
}

impl Hash for ShortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // One word, and of it only what differs between most pipelines: this is done for every draw that
        // changes its pipeline.
        let Self { shaders: [vertex, pixel], states: [blend, depth_stencil, rasterizer], setting, .. } =
            *self;
        let pairs = [(vertex, pixel), (blend, depth_stencil), (rasterizer, setting)];
        let mix = |(a, b): (u64, u64)| (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let [shaders, states, rest] = pairs.map(mix);
        state.write_u64(shaders ^ states.rotate_left(21) ^ rest.rotate_left(42));
    }
}

/// What a pipeline reads from one vertex buffer. wgpu's slots are numbered without gaps.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct FetchSlot {
    /// D3D11's slot.
    pub(super) slot: usize,
    pub(super) per_instance: bool,
    /// Bytes from a vertex's start to the end of the last element that is read.
    pub(super) end: u64,
}

/// A compiled pipeline.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) pipeline: wgpu::RenderPipeline,
    pub(super) fetches: Box<[FetchSlot]>,
}

/// The pipelines of a device, each compiled by the first that needs it.
#[derive(Debug, Default)]
pub(super) struct StoredPipelines {
    stored: Mutex<Stored>,
}

#[derive(Debug, Default)]
struct Stored {
    pipelines: HashMap<PipelineKey, Arc<StoredPipeline>>,
    /// How many of [`Gone`] were looked at.
    gone: u64,
}

impl StoredPipelines {
    /// The place for a pipeline. When it is a new one, those of objects that are gone are dropped.
    fn place(&self, key: &PipelineKey, gone: &Gone) -> Arc<StoredPipeline> {
        let mut stored = lock(&self.stored);
        if let Some(found) = stored.pipelines.get(key) {
            return found.clone();
        }
        let Stored { pipelines, gone: seen } = &mut *stored;
        if gone.since(*seen) > 0
            && let Some(gone) = gone.take_since(seen)
        {
            pipelines.retain(|key, _| !key.objects().into_iter().any(|id| gone.has(id)));
        }
        if pipelines.len() >= MOST_PIPELINES {
            pipelines.clear();
        }
        pipelines.entry(key.clone()).or_default().clone()
    }

    #[cfg(test)]
    pub(super) fn hold_lock(&self) -> impl Sized {
        lock(&self.stored)
    }
}

impl PipelineKey {
    /// The numbers of shaders, states and the input layout.
    fn objects(&self) -> [u64; 6] {
        let Self { vertex_shader, pixel_shader, blend, depth_stencil, rasterizer, setting, .. } = self;
        [*vertex_shader, *pixel_shader, *blend, *depth_stencil, *rasterizer, setting.layout]
    }
}

/// A pipeline that is compiled, refused, or being compiled.
type StoredPipeline = OnceLock<Result<Compiled, Refusal>>;

/// Why there is no pipeline.
#[derive(Clone, Debug)]
struct Refusal {
    is_bug: bool,
    words: String,
}

/// A worker's pipelines; `None` for what cannot be compiled.
#[derive(Debug, Default)]
pub(super) struct PipelineCache {
    pub(super) pipelines: Slab<ShortKey, Option<Compiled>>,
    /// Their numbers are never used again.
    settings: FastMap<Setting, u64>,
}

impl PipelineCache {
    /// Drops those of shaders and states that are gone.
    pub(super) fn drop_gone(&mut self, is_gone: impl Fn(u64) -> bool) {
        self.pipelines.drop_keys(|key| key.shaders.iter().chain(&key.states).any(|id| is_gone(*id)));
    }

    /// Before a run: drops what no run since `oldest` has used.
    pub(super) fn retire(&mut self, oldest: u64) {
        self.pipelines.retire(oldest, MOST_PIPELINES);
        self.settings.clear();
    }

    fn number(&mut self, setting: &Setting) -> u64 {
        *self.settings.entry(*setting).or_insert_with(unique_id)
    }
}

/// The pipeline that the next draw uses.
#[derive(Debug, Default)]
pub(super) struct Current {
    /// What says how it reads vertex buffers: the vertex shader and the number of the setting.
    read_by: Option<(u64, u64)>,
    /// With its number; `None` if nothing can be drawn with it.
    setting: Option<(Setting, u64)>,
    /// Its place in the cache; `None` when there is nothing to draw with.
    pub(super) pipeline: Option<Place>,
}

impl Encoder<'_> {
    /// Brings the pipeline up to date.
    pub(super) fn resolve_pipeline(&mut self) {
        if !std::mem::take(&mut self.state.pipeline_dirty) {
            return;
        }
        if std::mem::take(&mut self.state.setting_dirty) {
            let setting = self.setting();
            let pipelines = &mut self.caches.pipelines;
            self.pipeline.setting = setting.map(|setting| (setting, pipelines.number(&setting)));
        }
        let before = self.pipeline.pipeline.take();
        let mut read_by = None;
        if let Some(key) = self.short_key() {
            let run = self.caches.runs;
            let found = self.caches.pipelines.pipelines.find(&key, run);
            let place = found.unwrap_or_else(|| {
                let pipeline = self.pipeline_key(&key).and_then(|key| self.compile(&key));
                self.caches.pipelines.pipelines.insert(key, pipeline, run)
            });
            self.pipeline.pipeline = self.compiled(Some(place)).map(|_| place);
            read_by = self.pipeline.pipeline.map(|_| (key.shaders[0], key.setting));
        }
        if read_by != self.pipeline.read_by {
            self.pipeline.read_by = read_by;
            let fetches = |place| self.compiled(place).map(|compiled| &*compiled.fetches);
            self.state.vertex_dirty |= fetches(before) != fetches(self.pipeline.pipeline);
        }
    }

    /// The pipeline at a place.
    pub(super) fn compiled(&self, place: Option<Place>) -> Option<&Compiled> {
        self.caches.pipelines.pipelines.get(place?)?.as_ref()
    }

    /// What is set beside shaders and state objects; `None` if nothing can be drawn with it.
    fn setting(&self) -> Option<Setting> {
        let state = &self.state;
        if state.topology == PrimitiveTopology::Undefined {
            return None;
        }
        // Of masks that keep the same samples, one; without any sample nothing is written, and not every
        // adapter knows that of single-sampled targets.
        let sample_mask =
            state.sample_mask & (u32::MAX >> 32u32.saturating_sub(self.targets.samples).min(31));
        if sample_mask == 0 {
            return None;
        }
        let mut strides = [0; VERTEX_SLOTS];
        for slot in state.layout.iter().flat_map(|layout| &layout.slots) {
            let slot = slot.slot as usize;
            if let (Some(to), Some(from)) = (strides.get_mut(slot), state.vertex.get(slot)) {
                *to = if from.range.is_some_and(|range| range.size > 0) { from.stride } else { EMPTY_SLOT };
            }
        }
        let is_strip =
            matches!(state.topology, PrimitiveTopology::LineStrip | PrimitiveTopology::TriangleStrip);
        Some(Setting {
            layout: state.layout.map_or(0, |layout| layout.id.get()),
            strides,
            topology: state.topology,
            wide_strip: is_strip && state.index.wide,
            color_formats: self.targets.color.map(|view| view.map(|v| v.format)),
            depth_format: self.targets.depth.map(|view| view.format),
            read_only: self.targets.read_only,
            samples: self.targets.samples,
            sample_mask,
        })
    }

    /// The key of what is bound; `None` if nothing can be drawn with it.
    fn short_key(&self) -> Option<ShortKey> {
        let state = &self.state;
        let [vertex, pixel] = state.shaders();
        let vertex = vertex?;
        if state.layout.is_none() && !vertex.code.reflection.inputs.is_empty() {
            return None;
        }
        Some(ShortKey {
            shaders: [vertex.id.get(), pixel.map_or(0, |shader| shader.id.get())],
            states: [
                state.blend.map_or(0, |blend| blend.id.get()),
                state.depth_stencil.map_or(0, |depth_stencil| depth_stencil.id.get()),
                state.rasterizer.map_or(0, |rasterizer| rasterizer.id.get()),
            ],
            groups: self.groups.layout_ids,
            setting: self.pipeline.setting.as_ref()?.1,
        })
    }

    /// The whole key.
    fn pipeline_key(&self, key: &ShortKey) -> Option<PipelineKey> {
        let (setting, _) = self.pipeline.setting.as_ref()?;
        let ([vertex_shader, pixel_shader], [blend, depth_stencil, rasterizer]) = (key.shaders, key.states);
        Some(PipelineKey {
            vertex_shader,
            pixel_shader,
            blend,
            depth_stencil,
            rasterizer,
            groups: key.groups,
            setting: *setting,
        })
    }

    /// Takes a pipeline from the shared store, or makes it there.
    fn compile(&mut self, key: &PipelineKey) -> Option<Compiled> {
        let shared = self.caches.shared.clone();
        let cell = shared.pipelines.place(key, &self.device.gone);
        // Others that need the same pipeline wait here; those that need another one do not.
        let mut compiled = false;
        let result = match cell.get() {
            Some(result) => result,
            None => {
                self.turn.pause();
                let result = cell.get_or_init(|| {
                    compiled = true;
                    self.describe(&shared, key)
                });
                self.turn.go_on();
                result
            }
        };
        self.stats.pipeline_compilations += u32::from(compiled);
        match result {
            // A clone: what draws touch is the worker's own.
            Ok(compiled) => Some(compiled.clone()),
            Err(Refusal { is_bug, words }) => {
                let words = format!("draws are skipped: {words}");
                self.report(if *is_bug { Report::Bug } else { Report::Limit }, &words);
                None
            }
        }
    }

    fn describe(&self, shared: &SharedStore, key: &PipelineKey) -> Result<Compiled, Refusal> {
        let limit = |words: &str| Refusal { is_bug: false, words: words.to_owned() };
        let state = &self.state;
        let [vertex, pixel] = state.shaders();
        let vertex = vertex.ok_or_else(|| limit("there is no vertex shader"))?;
        let topology =
            convert::topology(key.setting.topology).ok_or_else(|| limit("there is no topology"))?;
        let buffers =
            vertex_buffers(self.device, state.layout, vertex, &key.setting.strides).map_err(limit)?;
        let targets = color_targets(self.device, state, key, pixel).map_err(|words| limit(&words))?;
        let targets = targets.get(..self.targets.colors).unwrap_or_default();
        let (no_op, depthless);
        let fragment = match pixel {
            Some(pixel) if pixel.code.reflection.writes_depth && key.setting.depth_format.is_none() => {
                let location = free_location(key, pixel)
                    .ok_or_else(|| limit("the pixel shader gives a depth, and there is no depth target"))?;
                depthless = pixel.without_depth(self.device, location);
                Some((&depthless, pixel.entry_point.as_str()))
            }
            Some(pixel) => Some((&pixel.module, pixel.entry_point.as_str())),
            // wgpu wants a fragment stage for colour targets; this one writes nothing.
            None if !targets.is_empty() => {
                no_op = no_op_fragment(&self.device.device);
                Some((&no_op, "main"))
            }
            None => None,
        };
        let layouts: Vec<_> = buffers.iter().map(|buffer| Some(buffer.layout())).collect();
        let layout = self.draw_layout().ok_or_else(|| limit("the resources are not known"))?;
        let pipeline_layout = shared.pipeline_layout(self.device, layout);
        let pipeline = super::scoped(&self.device.device, || {
            self.device.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: Some(&pipeline_layout),
                vertex: wgpu::VertexState {
                    module: &vertex.module,
                    entry_point: Some(&vertex.entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &layouts,
                },
                primitive: primitive(state, key, topology),
                depth_stencil: depth_stencil(state, key, topology),
                multisample: multisample(state, key, pixel),
                fragment: fragment.map(|(module, entry_point)| wgpu::FragmentState {
                    module,
                    entry_point: Some(entry_point),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    targets,
                }),
                multiview_mask: None,
                cache: self.device.pipeline_cache.load().as_deref(),
            })
        });
        match pipeline {
            Ok(pipeline) => {
                let fetches = buffers.iter().map(|buffer| buffer.fetch).collect();
                Ok(Compiled { pipeline, fetches })
            }
            Err(words) => Err(Refusal { is_bug: true, words: format!("wgpu refused the pipeline: {words}") }),
        }
    }
}

/// One vertex buffer's layout with what the shader reads of it.
struct BufferLayout {
    stride: u64,
    attributes: Vec<wgpu::VertexAttribute>,
    fetch: FetchSlot,
}

impl BufferLayout {
    fn layout(&self) -> wgpu::VertexBufferLayout<'_> {
        wgpu::VertexBufferLayout {
            array_stride: self.stride,
            step_mode: if self.fetch.per_instance {
                wgpu::VertexStepMode::Instance
            } else {
                wgpu::VertexStepMode::Vertex
            },
            attributes: &self.attributes,
        }
    }
}

/// What an input reads of the null buffer: all four components, for where no buffer is bound D3D11 gives 0
/// also for those that an element's format lacks.
fn zeros(inputs: &ShaderReflection, location: u32) -> wgpu::VertexAttribute {
    let format = match inputs.input(location).map(|input| input.kind) {
        Some(ScalarKind::Uint) => wgpu::VertexFormat::Uint32x4,
        Some(ScalarKind::Sint) => wgpu::VertexFormat::Sint32x4,
        _ => wgpu::VertexFormat::Float32x4,
    };
    wgpu::VertexAttribute { format, offset: 0, shader_location: location }
}

fn vertex_buffers(
    device: &Device,
    layout: Option<&ElementLayout>,
    vertex: &Shader,
    strides: &[u16; VERTEX_SLOTS],
) -> Result<Vec<BufferLayout>, &'static str> {
    let inputs = &vertex.code.reflection;
    let mut buffers = Vec::new();
    for slot in layout.iter().flat_map(|layout| &layout.slots) {
        let is_read = |a: &&wgpu::VertexAttribute| inputs.input(a.shader_location).is_some();
        let mut attributes: Vec<_> = slot.attributes.iter().filter(is_read).copied().collect();
        let mut stride = strides.get(slot.slot as usize).copied().unwrap_or(EMPTY_SLOT);
        if stride == EMPTY_SLOT {
            // One vertex of zeros over and over.
            stride = 0;
            attributes.iter_mut().for_each(|a| *a = zeros(inputs, a.shader_location));
        }
        let end = attributes.iter().map(|a| a.offset + a.format.size()).max();
        let Some(end) = end else { continue };
        let stride = u64::from(stride);
        if !stride.is_multiple_of(wgpu::VERTEX_ALIGNMENT) {
            return Err("wgpu's vertex strides are multiples of 4 bytes");
        }
        if stride != 0 && end > stride {
            return Err("wgpu's vertex elements end within the stride");
        }
        if stride > u64::from(device.limits.max_vertex_buffer_array_stride) {
            return Err("the adapter's vertex strides are shorter");
        }
        let per_instance = slot.step_mode == wgpu::VertexStepMode::Instance;
        buffers.push(BufferLayout {
            stride,
            attributes,
            fetch: FetchSlot { slot: slot.slot as usize, per_instance, end },
        });
    }
    Ok(buffers)
}

/// Whether a pixel shader's output can go to a format: wgpu wants the same kind of numbers.
fn takes(format: wgpu::TextureFormat, kind: ScalarKind) -> bool {
    matches!(
        (format.sample_type(None, None), kind),
        (Some(wgpu::TextureSampleType::Float { .. }), ScalarKind::Float)
            | (Some(wgpu::TextureSampleType::Uint), ScalarKind::Uint)
            | (Some(wgpu::TextureSampleType::Sint), ScalarKind::Sint)
    )
}

fn color_targets(
    device: &Device,
    state: &State<'_>,
    key: &PipelineKey,
    pixel: Option<&Shader>,
) -> Result<[Option<wgpu::ColorTargetState>; TARGETS], String> {
    let mut targets = [const { None }; TARGETS];
    if let Some(pixel) = pixel
        && state.blend.is_some_and(|blend| blend.dual_source)
        && (!pixel.code.reflection.dual_source
            || key.setting.color_formats.iter().skip(1).any(Option::is_some))
    {
        return Err("blending with a second output takes a shader that has one, and one target".to_owned());
    }
    for (at, (target, format)) in targets.iter_mut().zip(key.setting.color_formats).enumerate() {
        let Some(format) = format else { continue };
        let output = pixel.and_then(|shader| shader.code.reflection.output(at as u32));
        if let Some(output) = output
            && !takes(format, output.kind)
        {
            return Err(format!("the pixel shader gives {:?} to a target of {format:?}", output.kind));
        }
        if output.is_some_and(|output| output.components < format.components()) {
            return Err(format!("the pixel shader gives fewer components than a target of {format:?} has"));
        }
        let is_blendable =
            || device.format_features(format).flags.contains(wgpu::TextureFormatFeatureFlags::BLENDABLE);
        let blend = state.blend.and_then(|blend| blend.targets.get(at).copied().flatten());
        let write_mask = match (output, state.blend) {
            // D3D11 leaves a target alone that the shader does not write.
            (None, _) => wgpu::ColorWrites::empty(),
            (Some(_), None) => wgpu::ColorWrites::ALL,
            (Some(_), Some(blend)) => blend.write_masks.get(at).copied().unwrap_or(wgpu::ColorWrites::ALL),
        };
        let blend = blend.filter(|_| output.is_some() && is_blendable());
        *target = Some(wgpu::ColorTargetState { format, blend, write_mask });
    }
    Ok(targets)
}

/// A location that has neither an output of the pixel shader nor a target.
fn free_location(key: &PipelineKey, pixel: &Shader) -> Option<u32> {
    let reflection = &pixel.code.reflection;
    // A second output for blending suffers no others.
    let is_free = |at: &u32| {
        reflection.output(*at).is_none()
            && key.setting.color_formats.get(*at as usize).is_some_and(Option::is_none)
    };
    (0..TARGETS as u32).filter(|_| !reflection.dual_source).find(is_free)
}

fn no_op_fragment(device: &wgpu::Device) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("no pixel shader"),
        source: wgpu::ShaderSource::Wgsl("@fragment fn main() {}".into()),
    })
}

fn primitive(
    state: &State<'_>,
    key: &PipelineKey,
    topology: wgpu::PrimitiveTopology,
) -> wgpu::PrimitiveState {
    let is_strip =
        matches!(topology, wgpu::PrimitiveTopology::LineStrip | wgpu::PrimitiveTopology::TriangleStrip);
    let index_format =
        if key.setting.wide_strip { wgpu::IndexFormat::Uint32 } else { wgpu::IndexFormat::Uint16 };
    wgpu::PrimitiveState {
        topology,
        strip_index_format: is_strip.then_some(index_format),
        // D3D11's default: what faces away is not drawn, and clockwise faces the viewer.
        front_face: state.rasterizer.map_or(wgpu::FrontFace::Cw, |r| r.front_face),
        cull_mode: state.rasterizer.map_or(Some(wgpu::Face::Back), |r| r.cull_mode),
        unclipped_depth: state.rasterizer.is_some_and(|r| r.unclipped_depth),
        polygon_mode: state.rasterizer.map_or(wgpu::PolygonMode::Fill, |r| r.polygon_mode),
        conservative: false,
    }
}

fn depth_stencil(
    state: &State<'_>,
    key: &PipelineKey,
    topology: wgpu::PrimitiveTopology,
) -> Option<wgpu::DepthStencilState> {
    let format = key.setting.depth_format?;
    let has_depth = format.has_depth_aspect();
    let depth_write = state.depth_stencil.is_none_or(|s| s.depth_write);
    let compare = state.depth_stencil.map_or(wgpu::CompareFunction::Less, |s| s.depth_compare);
    let mut stencil = match state.depth_stencil {
        Some(depth_stencil) if format.has_stencil_aspect() => depth_stencil.stencil.clone(),
        _ => wgpu::StencilState::default(),
    };
    if key.setting.read_only.contains(DsvFlags::READ_ONLY_STENCIL) {
        stencil.write_mask = 0;
    }
    let is_triangles =
        matches!(topology, wgpu::PrimitiveTopology::TriangleList | wgpu::PrimitiveTopology::TriangleStrip);
    let bias =
        state.rasterizer.filter(|_| is_triangles).map_or_else(wgpu::DepthBiasState::default, |r| r.bias);
    let writes_depth = depth_write && !key.setting.read_only.contains(DsvFlags::READ_ONLY_DEPTH);
    Some(wgpu::DepthStencilState {
        format,
        depth_write_enabled: Some(has_depth && writes_depth),
        depth_compare: Some(if has_depth { compare } else { wgpu::CompareFunction::Always }),
        stencil,
        bias,
    })
}

fn multisample(state: &State<'_>, key: &PipelineKey, pixel: Option<&Shader>) -> wgpu::MultisampleState {
    let wanted = state.blend.is_some_and(|blend| blend.desc.alpha_to_coverage_enable);
    // wgpu makes coverage of several samples only, and the shader's own mask switches it off.
    let can = key.setting.samples > 1
        && pixel.is_some_and(|shader| {
            let reflection = &shader.code.reflection;
            !reflection.writes_sample_mask
                && reflection.output(0).is_some_and(|output| output.components == 4)
        });
    wgpu::MultisampleState {
        count: key.setting.samples,
        mask: key.setting.sample_mask.into(),
        alpha_to_coverage_enabled: wanted && can,
    }
}
