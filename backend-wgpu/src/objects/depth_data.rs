//! Initial contents of depth textures.
//!
//! wgpu cannot copy bytes into depth formats of more than 16 bits, so a draw writes the depth from a float
//! texture, and stencil is copied as bytes. Both are submitted immediately, like uploads to other textures.

use onze_ddi::{Format, SubresourceData};
use wgpu::util::DeviceExt as _;

use crate::services::gpu::Gpu;

use super::texture::rows_of;

pub(crate) fn is_drawn(format: wgpu::TextureFormat) -> bool {
    format.has_depth_aspect() && format != wgpu::TextureFormat::Depth16Unorm
}

pub(crate) struct DepthTarget<'a> {
    pub(crate) texture: &'a wgpu::Texture,
    pub(crate) mip: u32,
    pub(crate) slice: u32,
    pub(crate) size: (u32, u32),
}

pub(crate) struct DepthWriter {
    format: wgpu::TextureFormat,
    pipeline: wgpu::RenderPipeline,
    encoder: wgpu::CommandEncoder,
}

impl DepthWriter {
    pub(crate) fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let module = gpu.device.create_shader_module(wgpu::include_wgsl!("depth_data.wgsl"));
        let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("depth data"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("cover"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Always),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("depth"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[],
            }),
            multiview_mask: None,
            cache: gpu.pipeline_cache.load().as_deref(),
        });
        let desc = wgpu::CommandEncoderDescriptor { label: Some("depth data") };
        Self { format, pipeline, encoder: gpu.device.create_command_encoder(&desc) }
    }

    pub(crate) fn write(
        &mut self,
        gpu: &Gpu,
        to: &DepthTarget<'_>,
        format: Format,
        data: &SubresourceData<'_>,
    ) {
        let (width, height) = to.size;
        let row_bytes = format.row_pitch(width);
        let (bytes, pitch) = rows_of(data, row_bytes, height);
        let (mut depth, mut stencil) = (Vec::new(), Vec::new());
        for row in bytes.chunks(pitch as usize).take(height as usize) {
            for texel in row.chunks_exact(format.bytes_per_block() as usize).take(width as usize) {
                let (of_depth, of_stencil) = unpack(self.format, texel);
                depth.push(of_depth);
                stencil.push(of_stencil);
            }
        }
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let floats = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("depth data"),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::R32Float,
            usage: wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let layout = |bytes| wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(bytes * width),
            rows_per_image: Some(height),
        };
        gpu.queue.write_texture(floats.as_image_copy(), bytemuck::cast_slice(&depth), layout(4), size);
        self.draw(gpu, to, &floats);
        if self.format.has_stencil_aspect() {
            let pitch = width.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
            let mut padded = vec![0; pitch as usize * height as usize];
            for (to, from) in padded.chunks_mut(pitch as usize).zip(stencil.chunks(width as usize)) {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
            let bytes = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("stencil data"),
                contents: &padded,
                usage: wgpu::BufferUsages::COPY_SRC,
            });
            self.encoder.copy_buffer_to_texture(
                wgpu::TexelCopyBufferInfo {
                    buffer: &bytes,
                    layout: wgpu::TexelCopyBufferLayout {
                        offset: 0,
                        bytes_per_row: Some(pitch),
                        rows_per_image: Some(height),
                    },
                },
                wgpu::TexelCopyTextureInfo {
                    texture: to.texture,
                    mip_level: to.mip,
                    origin: wgpu::Origin3d { x: 0, y: 0, z: to.slice },
                    aspect: wgpu::TextureAspect::StencilOnly,
                },
                size,
            );
        }
    }

    fn draw(&mut self, gpu: &Gpu, to: &DepthTarget<'_>, floats: &wgpu::Texture) {
        let view = to.texture.create_view(&wgpu::TextureViewDescriptor {
            label: Some("depth data"),
            dimension: Some(wgpu::TextureViewDimension::D2),
            usage: Some(wgpu::TextureUsages::RENDER_ATTACHMENT),
            base_mip_level: to.mip,
            mip_level_count: Some(1),
            base_array_layer: to.slice,
            array_layer_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        });
        let floats = floats.create_view(&wgpu::TextureViewDescriptor::default());
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&floats),
            }],
        });
        let keep = wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store };
        let mut pass = self.encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("depth data"),
            color_attachments: &[],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: self.format.has_stencil_aspect().then_some(keep),
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Submits the writes, which take effect before any later submission.
    pub(crate) fn submit(self, gpu: &Gpu) {
        gpu.queue.submit([self.encoder.finish()]);
    }
}

fn unpack(format: wgpu::TextureFormat, texel: &[u8]) -> (f32, u8) {
    let word = match texel {
        [a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => 0,
    };
    match format {
        wgpu::TextureFormat::Depth24PlusStencil8 | wgpu::TextureFormat::Depth24Plus => {
            ((f64::from(word & 0xff_ffff) / 16_777_215.0) as f32, (word >> 24) as u8)
        }
        _ => (f32::from_bits(word), texel.get(4).copied().unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_stencil_lie_in_one_texel() {
        let texel = [0xff, 0xff, 0xff, 7];
        assert_eq!(unpack(wgpu::TextureFormat::Depth24PlusStencil8, &texel), (1.0, 7));
        let mut texel = [0; 8];
        texel[..4].copy_from_slice(&0.25_f32.to_le_bytes());
        texel[4..].copy_from_slice(&[9, 1, 2, 3]);
        assert_eq!(unpack(wgpu::TextureFormat::Depth32FloatStencil8, &texel), (0.25, 9));
        assert_eq!(unpack(wgpu::TextureFormat::Depth32Float, &texel[..4]), (0.25, 0));
    }
}
