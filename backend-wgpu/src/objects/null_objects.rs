//! Null objects, which are bound to empty slots because wgpu requires every binding to be filled.
//!
//! Empty resource slots read as zero, and an empty sampler slot behaves like Direct3D 11's default sampler.

use std::sync::Arc;

use onze_ddi::{OutOfMemory, ResourceKind, SampleKind, TextureDimension};

use crate::objects::{
    allocator::{CONSTANT_USAGES, Storage, defined_storage},
    state::without_filter,
};

/// Null objects for each type of binding that shaders read but do not write.
#[derive(Debug)]
pub(crate) struct NullObjects {
    views: Vec<(ResourceKind, wgpu::TextureView)>,
    /// Zeros for uniform bindings: 64 KiB, or the device's limit if that is lower.
    pub(crate) uniform: Arc<Storage>,
    /// 64 KiB of zeros, for storage bindings that shaders only read.
    pub(crate) storage: Arc<Storage>,
    pub(crate) vertex: Arc<Storage>,
    pub(crate) sampler: wgpu::Sampler,
    /// The default sampler as a comparison sampler, whose comparison never passes.
    pub(crate) comparison_sampler: wgpu::Sampler,
    /// The default sampler without filtering, for textures that cannot be filtered.
    pub(crate) point_sampler: wgpu::Sampler,
    /// View for resource kinds that have no null view.
    fallback: wgpu::TextureView,
}

impl NullObjects {
    /// Returns a zeroed view of the resource kind that a shader declares.
    pub(crate) fn texture(&self, kind: &ResourceKind) -> &wgpu::TextureView {
        self.views.iter().find(|(k, _)| k == kind).map_or(&self.fallback, |(_, view)| view)
    }
}

/// Maximum size of the null uniform buffer, and size of the null storage buffer, in bytes, because a shader
/// can access at most this many bytes of a constant buffer.
pub(crate) const UNIFORM_BYTES: u64 = 64 * 1024;

pub(crate) const VERTEX_BYTES: u64 = 4096;

const DIMENSIONS: [TextureDimension; 6] = [
    TextureDimension::D1,
    TextureDimension::D2,
    TextureDimension::D2Array,
    TextureDimension::Cube,
    TextureDimension::CubeArray,
    TextureDimension::D3,
];

/// The null texture's format for each sample kind, chosen because wgpu guarantees that each also supports
/// four samples. The colour formats have all four components, because a missing alpha component would read as
/// 1.
const SAMPLES: [(SampleKind, wgpu::TextureFormat); 4] = [
    (SampleKind::Float, wgpu::TextureFormat::Rgba8Unorm),
    (SampleKind::Depth, wgpu::TextureFormat::Depth32Float),
    (SampleKind::Sint, wgpu::TextureFormat::Rgba8Sint),
    (SampleKind::Uint, wgpu::TextureFormat::Rgba8Uint),
];

impl NullObjects {
    pub(crate) fn new(
        device: &wgpu::Device,
        downlevel: &wgpu::DownlevelCapabilities,
    ) -> Result<Self, OutOfMemory> {
        let has_cube_arrays = downlevel.flags.contains(wgpu::DownlevelFlags::CUBE_ARRAY_TEXTURES);
        let mut views = Vec::new();
        for (sample, format) in SAMPLES {
            for dimension in DIMENSIONS {
                let has_depth = !matches!(dimension, TextureDimension::D1 | TextureDimension::D3);
                if sample == SampleKind::Depth && !has_depth
                    || dimension == TextureDimension::CubeArray && !has_cube_arrays
                {
                    continue;
                }
                let kind = ResourceKind::Texture { dimension, multisampled: false, sample };
                views.push((kind, texture_view(device, format, dimension, 1)));
            }
            let kind = ResourceKind::Texture { dimension: TextureDimension::D2, multisampled: true, sample };
            views.push((kind, texture_view(device, format, TextureDimension::D2, 4)));
        }
        let linear = wgpu::SamplerDescriptor {
            label: Some("null sampler"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        };
        let never = wgpu::SamplerDescriptor { compare: Some(wgpu::CompareFunction::Never), ..linear.clone() };
        let uniform_bytes = UNIFORM_BYTES.min(device.limits().max_uniform_buffer_binding_size);
        Ok(Self {
            views,
            uniform: defined_storage(device, "null constant buffer", uniform_bytes, CONSTANT_USAGES)?,
            storage: defined_storage(
                device,
                "null structured buffer",
                UNIFORM_BYTES,
                wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            )?,
            vertex: defined_storage(
                device,
                "null vertex buffer",
                VERTEX_BYTES,
                wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::INDEX | wgpu::BufferUsages::COPY_DST,
            )?,
            sampler: device.create_sampler(&linear),
            comparison_sampler: device.create_sampler(&never),
            point_sampler: device.create_sampler(&without_filter(&linear)),
            fallback: texture_view(device, wgpu::TextureFormat::Rgba8Unorm, TextureDimension::D2, 1),
        })
    }
}

/// Creates a texture with one texel per slice and returns a view of it with the given dimension.
fn texture_view(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    dimension: TextureDimension,
    sample_count: u32,
) -> wgpu::TextureView {
    let (texture, view, slices) = match dimension {
        TextureDimension::D1 => (wgpu::TextureDimension::D1, wgpu::TextureViewDimension::D1, 1),
        TextureDimension::D2 => (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::D2, 1),
        TextureDimension::D2Array => (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::D2Array, 1),
        TextureDimension::Cube => (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::Cube, 6),
        TextureDimension::CubeArray => (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::CubeArray, 6),
        TextureDimension::D3 => (wgpu::TextureDimension::D3, wgpu::TextureViewDimension::D3, 1),
    };
    // wgpu requires the usage `RENDER_ATTACHMENT` for multisampled textures.
    let usage = if sample_count > 1 {
        wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT
    } else {
        wgpu::TextureUsages::TEXTURE_BINDING
    };
    device
        .create_texture(&wgpu::TextureDescriptor {
            label: Some("null texture"),
            size: wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: slices },
            mip_level_count: 1,
            sample_count,
            dimension: texture,
            format,
            usage,
            view_formats: &[],
        })
        .create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(view),
            ..wgpu::TextureViewDescriptor::default()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn every_supported_null_view_can_be_bound() {
        let Some((device, runtime)) = testing::gpu() else { return };
        for (sample, ty) in [
            (SampleKind::Float, wgpu::TextureSampleType::Float { filterable: true }),
            (SampleKind::Depth, wgpu::TextureSampleType::Depth),
            (SampleKind::Sint, wgpu::TextureSampleType::Sint),
            (SampleKind::Uint, wgpu::TextureSampleType::Uint),
        ] {
            for (dimension, view_dimension, multisampled) in [
                (TextureDimension::D1, wgpu::TextureViewDimension::D1, false),
                (TextureDimension::D2, wgpu::TextureViewDimension::D2, false),
                (TextureDimension::D2, wgpu::TextureViewDimension::D2, true),
                (TextureDimension::D2Array, wgpu::TextureViewDimension::D2Array, false),
                (TextureDimension::Cube, wgpu::TextureViewDimension::Cube, false),
                (TextureDimension::CubeArray, wgpu::TextureViewDimension::CubeArray, false),
                (TextureDimension::D3, wgpu::TextureViewDimension::D3, false),
            ] {
                let has_depth = !matches!(dimension, TextureDimension::D1 | TextureDimension::D3);
                if sample == SampleKind::Depth && !has_depth {
                    continue;
                }
                let sample_type = match ty {
                    wgpu::TextureSampleType::Float { .. } => {
                        wgpu::TextureSampleType::Float { filterable: !multisampled }
                    }
                    other => other,
                };
                let bound = device.gpu.guarded(|| {
                    let layout =
                        device.gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                            label: None,
                            entries: &[wgpu::BindGroupLayoutEntry {
                                binding: 0,
                                visibility: wgpu::ShaderStages::FRAGMENT,
                                ty: wgpu::BindingType::Texture { sample_type, view_dimension, multisampled },
                                count: None,
                            }],
                        });
                    let view = device.objects.nulls.texture(&ResourceKind::Texture {
                        dimension,
                        multisampled,
                        sample,
                    });
                    device.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                        label: None,
                        layout: &layout,
                        entries: &[wgpu::BindGroupEntry {
                            binding: 0,
                            resource: wgpu::BindingResource::TextureView(view),
                        }],
                    })
                });
                assert!(bound.is_ok(), "{sample:?} {dimension:?} {multisampled}: {bound:?}");
            }
        }
        runtime.assert_clean();
    }
}
