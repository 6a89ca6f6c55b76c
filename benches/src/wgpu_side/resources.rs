//! Bind group layouts, bind groups, textures and pipelines.

use wgpu::util::DeviceExt as _;

use crate::wgpu_side::BOX;
use crate::workload::{Constants, PIXEL_SHADERS, TEXTURE};

/// Creates a bind group in which all bindings are ranges of one buffer. Each binding has a size in bytes, or
/// covers the whole buffer.
pub(super) fn buffers_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffer: &wgpu::Buffer,
    bindings: &[(u32, Option<usize>)],
) -> wgpu::BindGroup {
    let entry = |&(binding, size): &(u32, Option<usize>)| {
        let size = size.and_then(|size| wgpu::BufferSize::new(size as u64));
        let range = wgpu::BufferBinding { buffer, offset: 0, size };
        wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(range) }
    };
    let entries: Vec<_> = bindings.iter().map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// Creates a bind group with `size` bytes of a buffer, or with the whole buffer.
pub(super) fn buffer_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffer: &wgpu::Buffer,
    size: Option<usize>,
) -> wgpu::BindGroup {
    buffers_group(device, layout, buffer, &[(0, size)])
}

pub(super) fn constants_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::VERTEX | wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: wgpu::BufferSize::new(size_of::<Constants>() as u64),
        },
        count: None,
    }
}

pub(super) fn surface_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding: 1, visibility: wgpu::ShaderStages::FRAGMENT, ..constants_entry() }
}

pub(super) fn best_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 2,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: wgpu::BufferSize::new(BOX as u64),
        },
        count: None,
    }
}

/// Returns a layout entry for a range of a storage buffer, selected by a dynamic offset.
pub(super) fn structured_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: true,
            min_binding_size: wgpu::BufferSize::new(size_of::<Constants>() as u64),
        },
        ..constants_entry()
    }
}

pub(super) fn written_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: false },
            has_dynamic_offset: false,
            min_binding_size: wgpu::BufferSize::new(size_of::<[f32; 4]>() as u64),
        },
        count: None,
    }
}

/// Returns the layout entries of `textures` textures at binding 0 and after binding 1, which is the sampler.
pub(super) fn texture_entries(textures: u32) -> Vec<wgpu::BindGroupLayoutEntry> {
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    let textures = (0..textures).map(|number| (if number == 0 { 0 } else { number + 1 }, texture));
    let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty,
        count: None,
    };
    textures.chain([(1, sampler)]).map(entry).collect()
}

/// Creates a bind group with textures and the sampler, at the bindings of [`texture_entries`].
pub(super) fn texture_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    textures: &[&wgpu::TextureView],
    sampler: &wgpu::Sampler,
) -> wgpu::BindGroup {
    let view = |(number, view): (u32, _)| wgpu::BindGroupEntry {
        binding: if number == 0 { 0 } else { number + 1 },
        resource: wgpu::BindingResource::TextureView(view),
    };
    let sampler = wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) };
    let entries: Vec<_> = (0..).zip(textures.iter().copied()).map(view).chain([sampler]).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// The format of the target and of all textures.
pub(super) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

pub(super) fn texture_desc(size: u32, usage: wgpu::TextureUsages) -> wgpu::TextureDescriptor<'static> {
    wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage,
        view_formats: &[],
    }
}

pub(super) fn texture(device: &wgpu::Device, queue: &wgpu::Queue, index: usize) -> wgpu::TextureView {
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let (desc, texels) = (texture_desc(TEXTURE, usage), crate::workload::texels(index));
    let texture =
        device.create_texture_with_data(queue, &desc, wgpu::util::TextureDataOrder::default(), &texels);
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

pub(super) fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    (vs, ps): (&str, &str),
    index: usize,
) -> wgpu::RenderPipeline {
    let shaders = PIXEL_SHADERS.len();
    let blends = index / shaders % 2 == 1;
    let culls = index / (2 * shaders) % 2 == 1;
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vs),
            compilation_options: Default::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: 12,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![0 => Float32x3],
            })],
        },
        primitive: wgpu::PrimitiveState {
            front_face: wgpu::FrontFace::Cw,
            cull_mode: culls.then_some(wgpu::Face::Back),
            ..Default::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(ps),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: FORMAT,
                blend: blends.then_some(wgpu::BlendState::ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
