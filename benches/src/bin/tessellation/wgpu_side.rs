//! The frames with wgpu alone, which draw a finished mesh for each patch.

use onze::AdapterInfo;
use onze_benches::backend::Backend;
use wgpu::util::DeviceExt;

use super::{DomainPoint, Frame, Patch, Result, SIDE, SIZE, patches};

const SHADERS: &str = "
    struct O { @builtin(position) position: vec4f, @location(0) color: vec2f }
    @vertex fn vs_main(@location(0) uv: vec2f, @location(1) cell: vec4f) -> O {
        return O(vec4f(cell.xy + uv * SIDE, 0.5, 1.0), cell.zw * uv.x);
    }
    @fragment fn ps_main(o: O) -> @location(0) vec4f { return vec4f(o.color, 0.5, 1.0); }";

pub(crate) struct WgpuSide {
    frame: Frame,
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::RenderPipeline,
    points: wgpu::Buffer,
    indices: wgpu::Buffer,
    count: u32,
    patches: wgpu::Buffer,
    target: wgpu::Texture,
    view: wgpu::TextureView,
}

/// Returns the points of a mesh without duplicates, and the indices of its corners.
fn indexed(corners: &[DomainPoint]) -> (Vec<DomainPoint>, Vec<u32>) {
    let mut places = std::collections::HashMap::new();
    let mut points = Vec::new();
    let mut index = |corner: &DomainPoint| {
        *places.entry(corner.map(f32::to_bits)).or_insert_with(|| {
            points.push(*corner);
            points.len() as u32 - 1
        })
    };
    let indices = corners.iter().map(&mut index).collect();
    (points, indices)
}

impl WgpuSide {
    pub(crate) fn new(
        backend: Backend,
        adapter: &AdapterInfo,
        frame: Frame,
        mesh: &[DomainPoint],
    ) -> Result<Self> {
        let (device, queue) = backend.wgpu_device(adapter)?.ok_or("the null driver has no wgpu side")?;
        let source = wgpu::ShaderSource::Wgsl(SHADERS.replace("SIDE", &format!("{SIDE:?}")).into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let buffer = |contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
        };
        let (points, indices) = indexed(mesh);
        let of_point = wgpu::VertexBufferLayout {
            array_stride: size_of::<DomainPoint>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x2],
        };
        let of_patch = wgpu::VertexBufferLayout {
            array_stride: size_of::<Patch>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &wgpu::vertex_attr_array![1 => Float32x4],
        };
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vs_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(of_point), Some(of_patch)],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("ps_main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let all = patches(frame.patches * frame.draws);
        Ok(Self {
            points: buffer(bytemuck::cast_slice(&points), wgpu::BufferUsages::VERTEX),
            indices: buffer(bytemuck::cast_slice(&indices), wgpu::BufferUsages::INDEX),
            count: indices.len() as u32,
            patches: buffer(bytemuck::cast_slice(&all), wgpu::BufferUsages::VERTEX),
            view: target.create_view(&wgpu::TextureViewDescriptor::default()),
            target,
            pipeline,
            frame,
            device,
            queue,
        })
    }

    /// Draws a frame, and waits until the GPU has drawn it.
    pub(crate) fn frame(&mut self) -> Result<()> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_vertex_buffer(0, self.points.slice(..));
        pass.set_vertex_buffer(1, self.patches.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        let Frame { patches, draws, .. } = self.frame;
        for draw in 0..draws {
            pass.draw_indexed(0..self.count, 0, draw * patches..(draw + 1) * patches);
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }

    /// Returns the texels of the target.
    pub(crate) fn result(&self) -> Result<Vec<u8>> {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(SIZE * SIZE * 4),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * SIZE), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            self.target.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            self.target.size(),
        );
        self.queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., drop);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(buffer.get_mapped_range(..)?.to_vec())
    }
}
