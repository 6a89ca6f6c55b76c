//! Bind group layouts, pipeline layouts and compiled pipelines: shared by all workers of a device.
//!
//! A worker comes here only when its own caches lack something, so the locks are not on the path of a
//! draw; and a pipeline is compiled once, by the first that needs it.

use std::{
    collections::HashMap,
    num::NonZeroU64,
    sync::{Arc, Mutex, OnceLock},
};

use onze_ddi::{ResourceKind, SampleKind, ShaderReflection, ShaderStage, TextureDimension};

use crate::{device::Device, shader::SAMPLER_BASE, sync::lock};

use super::{depth_copy::DepthCopies, merge::Merge, mips::MipPipelines, pipeline::StoredPipelines};

/// The layout of one bind group.
#[derive(Clone, Debug)]
pub(super) struct GroupLayout {
    /// Tells layouts apart in cache keys; 0 for the layout of an empty group, which is not bound.
    pub(super) id: u32,
    pub(super) layout: Option<wgpu::BindGroupLayout>,
    pub(super) entries: Arc<[wgpu::BindGroupLayoutEntry]>,
}

/// The layouts of a shader's two bind groups.
#[derive(Debug)]
pub(super) struct ShaderLayout {
    pub(super) constants: GroupLayout,
    pub(super) resources: GroupLayout,
}

/// What the workers of a device share.
#[derive(Debug, Default)]
pub(crate) struct SharedStore {
    groups: Mutex<HashMap<Arc<[wgpu::BindGroupLayoutEntry]>, GroupLayout>>,
    pipeline_layouts: Mutex<HashMap<[u32; 4], wgpu::PipelineLayout>>,
    pub(super) pipelines: StoredPipelines,
    pub(super) merge: OnceLock<Option<Merge>>,
    pub(super) mips: MipPipelines,
    pub(super) depth_copies: DepthCopies,
}

impl SharedStore {
    /// Holds all its locks, to show who waits for one.
    #[cfg(test)]
    pub(crate) fn hold_locks(&self) -> impl Sized {
        let layouts = (lock(&self.groups), lock(&self.pipeline_layouts));
        (layouts, self.pipelines.hold_lock(), self.mips.hold_lock(), self.depth_copies.hold_lock())
    }

    fn group(&self, device: &Device, entries: Vec<wgpu::BindGroupLayoutEntry>) -> GroupLayout {
        if entries.is_empty() {
            return GroupLayout { id: 0, layout: None, entries: Arc::default() };
        }
        let entries: Arc<[_]> = entries.into();
        let mut groups = lock(&self.groups);
        let next = groups.len() as u32 + 1;
        groups
            .entry(entries.clone())
            .or_insert_with(|| {
                let layout = device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some("onze"),
                    entries: &entries,
                });
                GroupLayout { id: next, layout: Some(layout), entries }
            })
            .clone()
    }

    /// The layouts for a shader; bit n of `unfilterable` says that the texture in slot n cannot be
    /// filtered.
    pub(super) fn shader_layout(
        &self,
        device: &Device,
        reflection: &ShaderReflection,
        unfilterable: u128,
    ) -> ShaderLayout {
        ShaderLayout {
            constants: self.group(device, constant_entries(device, reflection)),
            resources: self.group(device, resource_entries(reflection, unfilterable)),
        }
    }

    /// The pipeline layout of four groups.
    pub(super) fn pipeline_layout(
        &self,
        device: &Device,
        groups: [Option<&GroupLayout>; 4],
    ) -> wgpu::PipelineLayout {
        let key = groups.map(|group| group.map_or(0, |g| g.id));
        lock(&self.pipeline_layouts)
            .entry(key)
            .or_insert_with(|| {
                let layouts = groups.map(|group| group.and_then(|g| g.layout.as_ref()));
                let used = layouts.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
                device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some("onze"),
                    bind_group_layouts: layouts.get(..used).unwrap_or_default(),
                    immediate_size: 0,
                })
            })
            .clone()
    }
}

fn visibility(stage: ShaderStage) -> wgpu::ShaderStages {
    match stage {
        ShaderStage::Vertex => wgpu::ShaderStages::VERTEX,
        ShaderStage::Pixel => wgpu::ShaderStages::FRAGMENT,
    }
}

/// How many of a stage's constant buffers have dynamic offsets: the stages share what the adapter has.
fn dynamic_buffers(device: &Device, stage: ShaderStage) -> usize {
    let all = device.limits.max_dynamic_uniform_buffers_per_pipeline_layout as usize;
    match stage {
        ShaderStage::Vertex => all / 2,
        ShaderStage::Pixel => all - all / 2,
    }
}

/// Bytes that are bound for a block of `size` bytes.
pub(super) fn bound_size(size: u32) -> u64 {
    u64::from(size.max(1)).next_multiple_of(16)
}

fn constant_entries(device: &Device, reflection: &ShaderReflection) -> Vec<wgpu::BindGroupLayoutEntry> {
    let dynamic = dynamic_buffers(device, reflection.stage);
    let buffers = reflection.constant_buffers.iter().enumerate();
    buffers
        .map(|(at, buffer)| wgpu::BindGroupLayoutEntry {
            binding: buffer.slot,
            visibility: visibility(reflection.stage),
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: at < dynamic,
                min_binding_size: NonZeroU64::new(bound_size(buffer.size)),
            },
            count: None,
        })
        .collect()
}

/// Whether a texture must not be read through a filtering sampler.
fn forbids_filter(kind: &ResourceKind, slot: u32, unfilterable: u128) -> bool {
    match kind {
        ResourceKind::Texture { sample: SampleKind::Float, multisampled, .. } => {
            *multisampled || unfilterable & (1u128.checked_shl(slot).unwrap_or(0)) != 0
        }
        ResourceKind::Texture { sample: SampleKind::Depth, .. } => false,
        ResourceKind::Texture { .. } | ResourceKind::Buffer { .. } => true,
    }
}

fn resource_entries(reflection: &ShaderReflection, unfilterable: u128) -> Vec<wgpu::BindGroupLayoutEntry> {
    let visibility = visibility(reflection.stage);
    let textures = reflection.resources.iter().map(|resource| {
        let ty = match resource.kind {
            ResourceKind::Texture { dimension, multisampled, sample } => wgpu::BindingType::Texture {
                sample_type: match sample {
                    SampleKind::Float => wgpu::TextureSampleType::Float {
                        filterable: !forbids_filter(&resource.kind, resource.slot, unfilterable),
                    },
                    SampleKind::Depth => wgpu::TextureSampleType::Depth,
                    SampleKind::Sint => wgpu::TextureSampleType::Sint,
                    SampleKind::Uint => wgpu::TextureSampleType::Uint,
                },
                view_dimension: view_dimension(dimension),
                multisampled,
            },
            ResourceKind::Buffer { size, .. } => wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: true },
                has_dynamic_offset: false,
                min_binding_size: NonZeroU64::new(size.into()),
            },
        };
        wgpu::BindGroupLayoutEntry { binding: resource.slot, visibility, ty, count: None }
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
            binding: SAMPLER_BASE + sampler.slot,
            visibility,
            ty: wgpu::BindingType::Sampler(ty),
            count: None,
        }
    });
    textures.chain(samplers).collect()
}

/// Whether the shader reads a texture through the sampler that cannot be filtered.
fn reads_unfilterable(reflection: &ShaderReflection, sampler: u32, unfilterable: u128) -> bool {
    reflection.sampled_pairs.iter().filter(|pair| pair.sampler == sampler).any(|pair| {
        reflection
            .resource(pair.resource)
            .is_some_and(|resource| forbids_filter(&resource.kind, resource.slot, unfilterable))
    })
}

/// A dimension in wgpu's words.
pub(super) fn view_dimension(dimension: TextureDimension) -> wgpu::TextureViewDimension {
    match dimension {
        TextureDimension::D1 => wgpu::TextureViewDimension::D1,
        TextureDimension::D2 => wgpu::TextureViewDimension::D2,
        TextureDimension::D2Array => wgpu::TextureViewDimension::D2Array,
        TextureDimension::Cube => wgpu::TextureViewDimension::Cube,
        TextureDimension::CubeArray => wgpu::TextureViewDimension::CubeArray,
        TextureDimension::D3 => wgpu::TextureViewDimension::D3,
    }
}
