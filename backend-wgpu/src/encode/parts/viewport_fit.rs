//! Viewport fits: transformations of positions from a viewport that wgpu refuses to one that it accepts.

/// A transformation of positions in clip space: `x * x_scale + w * x_offset`, and the same for `y`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct ClipTransform {
    pub(crate) x_scale: f32,
    pub(crate) x_offset: f32,
    pub(crate) y_scale: f32,
    pub(crate) y_offset: f32,
}

/// The current transformation and the bind group that passes it to shaders.
#[derive(Debug)]
pub(crate) struct ViewportFit {
    pub(crate) by: ClipTransform,
    pub(crate) group: wgpu::BindGroup,
}

/// Creates the bind group layout for pipelines that transform positions. wgpu merges equal layouts, so it may
/// be created repeatedly.
pub(crate) fn group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
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
