//! Bind group layouts, pipeline layouts and compiled pipelines, shared by all encoding threads of a device.
//!
//! A thread uses the shared store only if its own caches lack an entry, so the locks are not on the usual
//! path of a draw. Each pipeline is compiled once for all threads.

use std::{
    collections::HashMap,
    num::NonZeroU64,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use naga::StorageAccess;
use onze_ddi::{
    PerStage, ResourceKind, ResourceSlot, SampleKind, ShaderReflection, ShaderStage, TextureDimension,
    UnorderedAccessKind,
};

use crate::{
    encode::parts::{
        dispatches::ComputeKey,
        pipeline_plan::{PipelinePlan, Shaders},
        pipelines::{CompiledPipeline, PipelineKey},
        plans::ByIndexPlan,
        stored_pipelines::StoredPipelines,
        streams::{StreamKey, StreamPipelines},
        vertex_end::VertexEnd,
    },
    objects::{
        shader::{
            CONSTANT_GROUP, DriverBlock, GROUPS, IndexedSlot, RESOURCE_GROUP, SeenBindings, SeenKind,
            SeenSlots, SeenView, Shader, VERTEX_END_GROUP, ViewSlot, WINDOW, binding, counter_binding,
            driver_binding, has_slot, kind_of, sample_type, sampler_binding, seen_view, stride,
            unordered_binding, window_bytes,
        },
        view::COUNTER_BYTES,
    },
    services::{convert, gpu::Gpu, sizes::MOST_LAYOUTS, sync::lock},
};

#[derive(Clone, Debug)]
pub(crate) struct GroupLayout {
    /// Identifies the layout in cache keys, where 0 is the layout of an empty group, which is not bound.
    pub(crate) id: u32,
    pub(crate) layout: Option<wgpu::BindGroupLayout>,
    pub(crate) entries: Arc<[wgpu::BindGroupLayoutEntry]>,
    /// The bindings for which the shader modules of a pipeline are specialised. Layouts for other bindings
    /// have other identifiers, so the identifier also selects the right modules.
    pub(crate) seen: SeenViews,
}

/// The bindings that affect the code of each shader.
pub(crate) type SeenViews = PerStage<SeenBindings>;

/// The textures of each shader that cannot be filtered, with one bit per slot.
pub(crate) type Unfilterable = PerStage<u128>;

/// The driver constants that each shader reads.
pub(crate) type DriverReads = PerStage<Option<DriverBlock>>;

/// Everything that the layouts of a draw or a dispatch depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LayoutKey {
    pub(crate) plan: PipelinePlan,
    /// The identifiers of the shaders, with 0 for none.
    pub(crate) shaders: PerStage<u64>,
    pub(crate) unfilterable: Unfilterable,
    pub(crate) driver_reads: DriverReads,
    pub(crate) seen: SeenViews,
}

/// The identifiers of the layouts of a draw's bind groups, with 0 for an empty group.
pub(crate) type LayoutIds = [u32; GROUPS];

#[derive(Debug)]
pub(crate) struct DrawLayout {
    pub(crate) groups: [GroupLayout; GROUPS],
    /// Constant buffers, in the order of their bindings.
    pub(crate) constants: Box<[ConstantBinding]>,
    pub(crate) driver_reads: DriverReads,
    pub(crate) seen: SeenViews,
    /// The plan of a layout by index, which selects constants by the draw's index.
    pub(crate) plan: Option<Arc<ByIndexPlan>>,
}

impl DrawLayout {
    pub(crate) fn ids(&self) -> LayoutIds {
        self.groups.each_ref().map(|group| group.id)
    }
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct ConstantBinding {
    pub(crate) stage: ShaderStage,
    /// The stage of the wgpu pipeline that reads the buffer.
    pub(crate) visibility: wgpu::ShaderStages,
    pub(crate) slot: usize,
    pub(crate) binding: u32,
    /// Number of bytes that the shader can read.
    pub(crate) needed: u64,
    /// The number of bytes that the shader declares, if the shader also reads bound bytes beyond them.
    pub(crate) open: Option<u64>,
    pub(crate) is_dynamic: bool,
    /// The field of the draw's index that selects an element of a window, if the slot is bound as a window.
    pub(crate) indexed: Option<IndexedSlot>,
}

impl ConstantBinding {
    /// Returns the constant buffers of the shaders. As many of the first buffers as the adapter and the
    /// encoder allow have dynamic offsets.
    fn all(gpu: &Gpu, shaders: &Shaders<'_>, seen: &SeenViews) -> Box<[Self]> {
        let mut all = Vec::new();
        for (stage, shader) in shaders.iter() {
            let reflection = &shader.code.reflection;
            let rows = seen[stage].rows.as_deref().unwrap_or_default();
            all.extend(reflection.constant_buffers.iter().map(|buffer| {
                let declared = u64::from(buffer.size.max(1)).next_multiple_of(16);
                let bound = rows.iter().find(|bound| bound.slot == buffer.slot);
                let is_open = shader.open_constants.iter().any(|open| open.slot == buffer.slot);
                Self {
                    stage,
                    visibility: shaders.plan.visibility(stage),
                    slot: buffer.slot as usize,
                    binding: binding(stage, buffer.slot),
                    needed: bound.map_or(declared, |bound| 16 * u64::from(bound.rows)),
                    open: is_open.then_some(declared),
                    is_dynamic: false,
                    indexed: None,
                }
            }));
        }
        all.sort_unstable_by_key(|buffer| buffer.binding);
        let most = gpu.limits.max_dynamic_uniform_buffers_per_pipeline_layout as usize;
        all.iter_mut().take(most.min(DYNAMIC_OFFSETS)).for_each(|buffer| buffer.is_dynamic = true);
        all.into()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let needed = u32::try_from(self.needed).unwrap_or(WINDOW);
        if self.indexed.is_some() { window_bytes(stride(needed)).into() } else { self.needed }
    }

    pub(crate) fn entry(&self) -> wgpu::BindGroupLayoutEntry {
        wgpu::BindGroupLayoutEntry {
            binding: self.binding,
            visibility: self.visibility,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: self.is_dynamic,
                min_binding_size: NonZeroU64::new(self.bytes()),
            },
            count: None,
        }
    }
}

/// Maximum number of dynamic offsets in a bind group.
pub(crate) const DYNAMIC_OFFSETS: usize = 16;

/// Returns the maximum number of structured and raw buffers that one shader of a plan reads at dynamic
/// offsets, which are those in the lowest slots.
pub(crate) fn dynamic_buffers(gpu: &Gpu, plan: PipelinePlan) -> usize {
    let most = gpu.limits.max_dynamic_storage_buffers_per_pipeline_layout as usize;
    most.min(DYNAMIC_OFFSETS) / plan.stages().len()
}

/// The key of a group layout. Pipelines are found by the identifiers of layouts, so layouts with the same
/// entries still differ by the bindings that specialise the shaders and by the plan that selects constants.
pub(crate) type GroupKey = (Arc<[wgpu::BindGroupLayoutEntry]>, SeenViews, Option<Arc<ByIndexPlan>>);

/// Layouts and pipelines that the encoding threads of a device share.
#[derive(Debug, Default)]
pub(crate) struct SharedStore {
    last_id: AtomicU32,
    groups: Mutex<HashMap<GroupKey, GroupLayout>>,
    /// Pipeline layouts, by the group layouts, the layout of pulled vertex buffers (or 0), and the numbers that
    /// change the results of the vertex stage.
    pipeline_layouts: Mutex<HashMap<(LayoutIds, u32, VertexEnd), wgpu::PipelineLayout>>,
    /// Assumed distances between the constants of two draws in bytes, by plans without steps.
    distances: Mutex<HashMap<ByIndexPlan, u32>>,
    pub(crate) pipelines: StoredPipelines<PipelineKey, CompiledPipeline>,
    pub(crate) compute: StoredPipelines<ComputeKey, wgpu::ComputePipeline>,
    pub(crate) streams: StoredPipelines<StreamKey, StreamPipelines>,
}

impl SharedStore {
    /// Holds all locks, so that a test can see which threads wait for one.
    #[cfg(test)]
    pub(crate) fn hold_locks(&self) -> impl Sized {
        let layouts = (lock(&self.groups), lock(&self.pipeline_layouts), lock(&self.distances));
        (layouts, self.pipelines.hold_lock(), self.compute.hold_lock(), self.streams.hold_lock())
    }

    pub(crate) fn group(
        &self,
        gpu: &Gpu,
        entries: Vec<wgpu::BindGroupLayoutEntry>,
        seen: SeenViews,
        plan: Option<Arc<ByIndexPlan>>,
    ) -> GroupLayout {
        if entries.is_empty() {
            return GroupLayout { id: 0, layout: None, entries: Arc::default(), seen };
        }
        let entries: Arc<[_]> = entries.into();
        let mut groups = lock(&self.groups);
        if groups.len() >= MOST_LAYOUTS {
            // Caches keep the layouts that they use, and identifiers are not reused.
            groups.clear();
        }
        groups
            .entry((entries.clone(), seen.clone(), plan))
            .or_insert_with(|| {
                let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
                let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some("onze"),
                    entries: &entries,
                });
                GroupLayout { id, layout: Some(layout), entries, seen }
            })
            .clone()
    }

    /// Returns the distance between the constants of two draws that was assumed for the first layout with a plan,
    /// which is given without its steps. So different shaders with the same slots have the same steps.
    pub(crate) fn distance(&self, plan: &ByIndexPlan, assumed: impl FnOnce() -> u32) -> u32 {
        let mut distances = lock(&self.distances);
        if distances.len() >= MOST_LAYOUTS {
            distances.clear();
        }
        *distances.entry(plan.clone()).or_insert_with(assumed)
    }

    pub(crate) fn draw_layout(&self, gpu: &Gpu, shaders: &Shaders<'_>, key: &LayoutKey) -> DrawLayout {
        let constants = ConstantBinding::all(gpu, shaders, &key.seen);
        let mut entries = [const { Vec::new() }; GROUPS];
        entries[CONSTANT_GROUP] = constants.iter().map(ConstantBinding::entry).collect();
        for (stage, shader) in shaders.iter() {
            let (plan, seen) = (shaders.plan, &key.seen[stage]);
            let resources = resource_entries(gpu, plan, shader, key.unfilterable[stage], seen);
            entries[RESOURCE_GROUP].extend(resources);
            entries[RESOURCE_GROUP].extend(view_entries(plan, shader, &seen.views));
            let block = key.driver_reads[stage].map(|block| driver_entry(plan, stage, block));
            entries[RESOURCE_GROUP].extend(block);
        }
        // The row counts of constant buffers specialise the group of constants, and all other bindings the
        // group of resources.
        let (mut constant_views, mut resource_views) = (SeenViews::default(), key.seen.clone());
        for (stage, resources) in resource_views.iter_mut() {
            constant_views[stage].rows = resources.rows.take();
        }
        let mut seen_by = <[SeenViews; GROUPS]>::default();
        seen_by[CONSTANT_GROUP] = constant_views;
        seen_by[RESOURCE_GROUP] = resource_views;
        let mut seen_by = seen_by.into_iter();
        let groups =
            entries.map(|entries| self.group(gpu, entries, seen_by.next().unwrap_or_default(), None));
        DrawLayout { groups, constants, driver_reads: key.driver_reads, seen: key.seen.clone(), plan: None }
    }

    /// Returns the pipeline layout of the draw's groups, the pulled vertex buffers and the numbers that change
    /// the results of the vertex stage.
    pub(crate) fn pipeline_layout(
        &self,
        gpu: &Gpu,
        draw: &DrawLayout,
        pulled: Option<&GroupLayout>,
        end: VertexEnd,
    ) -> wgpu::PipelineLayout {
        let key = (draw.ids(), pulled.map_or(0, |pulled| pulled.id), end);
        let mut layouts = lock(&self.pipeline_layouts);
        if layouts.len() >= MOST_LAYOUTS {
            layouts.clear();
        }
        layouts
            .entry(key)
            .or_insert_with(|| {
                let fit = end.has_group().then(|| end.group_layout(&gpu.device));
                let groups = draw.groups.iter().chain(pulled);
                let mut layouts: Vec<_> = groups.map(|group| group.layout.as_ref()).collect();
                if fit.is_some() {
                    layouts.resize(VERTEX_END_GROUP, None);
                    layouts.push(fit.as_ref());
                }
                let used = layouts.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
                gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some("onze"),
                    bind_group_layouts: layouts.get(..used).unwrap_or_default(),
                    immediate_size: 0,
                })
            })
            .clone()
    }
}

/// Returns whether a resource must not be read through a filtering sampler.
pub(crate) fn forbids_filter(kind: &ResourceKind, slot: u32, unfilterable: u128) -> bool {
    match kind {
        ResourceKind::Texture { sample: SampleKind::Float, multisampled, .. } => {
            *multisampled || unfilterable & (1u128.checked_shl(slot).unwrap_or(0)) != 0
        }
        ResourceKind::Texture { sample: SampleKind::Depth, .. } => false,
        ResourceKind::Texture { .. } | ResourceKind::Buffer { .. } => true,
    }
}

pub(crate) fn resource_entries(
    gpu: &Gpu,
    plan: PipelinePlan,
    shader: &Shader,
    unfilterable: u128,
    seen: &SeenBindings,
) -> Vec<wgpu::BindGroupLayoutEntry> {
    let reflection = &shader.code.reflection;
    let mut dynamic_left = dynamic_buffers(gpu, plan);
    let others = seen.others.as_deref().unwrap_or_default();
    let other = |slot| others.iter().find(|other| other.slot == slot).map(|other| other.kind);
    let (visibility, stage) = (plan.visibility(reflection.stage), reflection.stage);
    let is_fixed = |resource: &&ResourceSlot| resource.kind.typed_buffer().is_none();
    let textures = reflection.resources.iter().filter(is_fixed).map(|resource| {
        let ty = match resource.kind {
            ResourceKind::Texture { dimension, multisampled, sample } => wgpu::BindingType::Texture {
                sample_type: match (sample, other(resource.slot)) {
                    (_, Some(kind)) => sample_type(kind, false),
                    (SampleKind::Depth, None) => wgpu::TextureSampleType::Depth,
                    (SampleKind::Float | SampleKind::Sint | SampleKind::Uint, None) => {
                        let filterable = !forbids_filter(&resource.kind, resource.slot, unfilterable);
                        sample_type(sample.scalar_kind(), filterable)
                    }
                },
                view_dimension: view_dimension(dimension),
                multisampled: multisampled && !has_slot(seen.single, resource.slot),
            },
            ResourceKind::Buffer { size, .. } => {
                let has_dynamic_offset = dynamic_left > 0;
                dynamic_left = dynamic_left.saturating_sub(1);
                wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: true },
                    has_dynamic_offset,
                    min_binding_size: NonZeroU64::new(size.into()),
                }
            }
        };
        wgpu::BindGroupLayoutEntry { binding: binding(stage, resource.slot), visibility, ty, count: None }
    });
    let samplers = reflection.samplers.iter().map(|sampler| {
        let ty = if sampler.comparison {
            wgpu::SamplerBindingType::Comparison
        } else if reads_unfilterable(reflection, sampler.slot, unfilterable) {
            wgpu::SamplerBindingType::NonFiltering
        } else {
            wgpu::SamplerBindingType::Filtering
        };
        wgpu::BindGroupLayoutEntry {
            binding: sampler_binding(stage, sampler.slot),
            visibility,
            ty: wgpu::BindingType::Sampler(ty),
            count: None,
        }
    });
    let written = reflection.unordered_access.iter().filter_map(|slot| {
        let UnorderedAccessKind::Buffer { size, .. } = slot.kind else { return None };
        let binding = unordered_binding(stage, slot.slot);
        Some(storage_entry(binding, visibility, false, size.into()))
    });
    let counters = reflection.counters.iter().map(|counter| {
        storage_entry(counter_binding(stage, counter.slot), visibility, false, COUNTER_BYTES.into())
    });
    textures.chain(samplers).chain(written).chain(counters).collect()
}

/// Returns the entries of slots whose view affects the shader's code, except for slots without a view.
pub(crate) fn view_entries(
    plan: PipelinePlan,
    shader: &Shader,
    seen: &SeenSlots,
) -> Vec<wgpu::BindGroupLayoutEntry> {
    let stage = shader.code.reflection.stage;
    let visibility = plan.visibility(stage);
    let entry = |(at, slot): (usize, &ViewSlot)| {
        let SeenView { format, kind } = seen_view(seen, at)?;
        let binding = slot.binding(stage);
        let dimension = match (kind, slot.texture) {
            (SeenKind::Buffer, _) => {
                return Some(storage_entry(binding, visibility, !slot.unordered, WORD));
            }
            (SeenKind::Row { .. }, _) => wgpu::TextureViewDimension::D2,
            (SeenKind::Texture | SeenKind::DepthSlices, dimension) => view_dimension(dimension?),
        };
        let ty = match kind {
            SeenKind::Row { filters } if !slot.unordered => wgpu::BindingType::Texture {
                sample_type: sample_type(kind_of(format), filters),
                view_dimension: dimension,
                multisampled: false,
            },
            _ => wgpu::BindingType::StorageTexture {
                access: storage_access(slot.access),
                format: convert::texture_format(format)?,
                view_dimension: dimension,
            },
        };
        Some(wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None })
    };
    shader.view_slots.iter().enumerate().filter_map(entry).collect()
}

/// Converts a shader's access to a texture into wgpu's type.
pub(crate) fn storage_access(access: StorageAccess) -> wgpu::StorageTextureAccess {
    if access.contains(StorageAccess::ATOMIC) {
        wgpu::StorageTextureAccess::Atomic
    } else if access == StorageAccess::LOAD {
        wgpu::StorageTextureAccess::ReadOnly
    } else if access == StorageAccess::STORE {
        wgpu::StorageTextureAccess::WriteOnly
    } else {
        wgpu::StorageTextureAccess::ReadWrite
    }
}

/// Bytes of a word, which is the minimum size of a buffer with a typed view.
pub(crate) const WORD: u64 = 4;

pub(crate) fn storage_entry(
    binding: u32,
    visibility: wgpu::ShaderStages,
    read_only: bool,
    size: u64,
) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only },
        has_dynamic_offset: false,
        min_binding_size: NonZeroU64::new(size),
    };
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

pub(crate) fn driver_entry(
    plan: PipelinePlan,
    stage: ShaderStage,
    block: DriverBlock,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: driver_binding(stage),
        visibility: plan.visibility(stage),
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: NonZeroU64::new(block.bytes()),
        },
        count: None,
    }
}

/// Returns whether the shader reads a texture that cannot be filtered through this sampler.
pub(crate) fn reads_unfilterable(reflection: &ShaderReflection, sampler: u32, unfilterable: u128) -> bool {
    reflection.sampled_pairs.iter().filter(|pair| pair.sampler == sampler).any(|pair| {
        reflection
            .resource(pair.resource)
            .is_some_and(|resource| forbids_filter(&resource.kind, resource.slot, unfilterable))
    })
}

pub(crate) fn view_dimension(dimension: TextureDimension) -> wgpu::TextureViewDimension {
    match dimension {
        TextureDimension::D1 => wgpu::TextureViewDimension::D1,
        TextureDimension::D2 => wgpu::TextureViewDimension::D2,
        TextureDimension::D2Array => wgpu::TextureViewDimension::D2Array,
        TextureDimension::Cube => wgpu::TextureViewDimension::Cube,
        TextureDimension::CubeArray => wgpu::TextureViewDimension::CubeArray,
        TextureDimension::D3 => wgpu::TextureViewDimension::D3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise shaders that take turns would bind their constants again.
    #[test]
    fn all_layouts_of_a_plan_assume_the_first_distance() {
        let (store, plan) = (SharedStore::default(), ByIndexPlan::default());
        assert_eq!([store.distance(&plan, || 128), store.distance(&plan, || 256)], [128, 128]);
    }
}
