//! The sample counter: an additional render target in which occlusion queries count samples.

use onze_ddi::ScalarKind;

use crate::services::gpu::Gpu;

/// The sample counter that an encoding thread keeps until it needs another size or sample count.
#[derive(Clone, Debug)]
pub(crate) struct SampleCounter {
    pub(crate) view: wgpu::TextureView,
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
}

impl SampleCounter {
    pub(crate) fn new(gpu: &Gpu, size: [u32; 2], samples: u32) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("sample counter"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: samples,
            dimension: wgpu::TextureDimension::D2,
            format: counter_format(gpu),
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        Self { view: texture.create_view(&wgpu::TextureViewDescriptor::default()), size, samples }
    }

    /// Returns the attachment for a pass, which clears the counter.
    pub(crate) fn attachment(&self) -> wgpu::RenderPassColorAttachment<'_> {
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

/// Returns the format of sample counters. The 16-bit format is the fallback, because it counts exactly only
/// up to 2048 per sample in one pass.
pub(crate) fn counter_format(gpu: &Gpu) -> wgpu::TextureFormat {
    if gpu.features.contains(wgpu::Features::FLOAT32_BLENDABLE) {
        wgpu::TextureFormat::R32Float
    } else {
        wgpu::TextureFormat::R16Float
    }
}

/// Returns the target state of the sample counter, which adds to the red component.
pub(crate) fn counter_target(format: wgpu::TextureFormat) -> wgpu::ColorTargetState {
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

/// Creates a pixel shader for draws that have none. If `first` is set, the shader also writes zeros of that
/// scalar kind to the first target, as specialised shaders do
/// ([`Specialization::fills_first`](crate::objects::shader::Specialization::fills_first)).
pub(crate) fn counter_fragment(
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

/// The slot and the format of a pass's sample counter.
pub(crate) type CounterKey = (usize, wgpu::TextureFormat);
