//! Viewport fits: transformations of positions from a viewport that wgpu refuses to one that it accepts.

/// A transformation of positions in clip space: `x * x_scale + w * x_offset`, and the same for `y`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(in crate::encode) struct ClipTransform {
    pub(in crate::encode) x_scale: f32,
    pub(in crate::encode) x_offset: f32,
    pub(in crate::encode) y_scale: f32,
    pub(in crate::encode) y_offset: f32,
}

/// The current transformation and the bind group that passes it to shaders.
#[derive(Debug)]
pub(in crate::encode) struct ViewportFit {
    pub(in crate::encode) by: ClipTransform,
    pub(in crate::encode) group: wgpu::BindGroup,
}

/// Creates the bind group layout for pipelines that transform positions. wgpu merges equal layouts, so it may
/// be created repeatedly.
pub(in crate::encode) fn group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("fitted viewport"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }],
    })
}
