//! Presentation of a back buffer. It is copied into the surface texture if sizes and bytes match and the
//! texture allows copies, and drawn otherwise.

use crate::{encode::own_pipelines::Cover, objects::texture::TextureMemory, services::gpu::Gpu};

const SHADER: &str = "
struct Out {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

@vertex fn vertex(@builtin(vertex_index) index: u32) -> Out {
    // One triangle that covers everything: (0, 0), (2, 0), (0, 2).
    let uv = vec2f(f32(index & 1u) * 2.0, f32(index >> 1u) * 2.0);
    return Out(vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var image_sampler: sampler;

@fragment fn fragment(in: Out) -> @location(0) vec4f {
    return textureSampleLevel(image, image_sampler, in.uv, 0.0);
}
";

/// The formats in which a blit reads and writes its textures.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlitPlan {
    back_buffer: wgpu::TextureFormat,
    surface: wgpu::TextureFormat,
    /// The format in which the draw reads the back buffer.
    read: wgpu::TextureFormat,
    /// The format in which the draw writes the surface.
    write: wgpu::TextureFormat,
}

impl BlitPlan {
    /// Chooses formats so that the window shows the colours of the back buffer. `twin` states whether views
    /// of the surface texture can also have the other format, with or without sRGB.
    pub(crate) fn new(back_buffer: wgpu::TextureFormat, surface: wgpu::TextureFormat, twin: bool) -> Self {
        let as_is = |read, write| Self { back_buffer, surface, read, write };
        let (plain, encoding) = (surface.remove_srgb_suffix(), surface.add_srgb_suffix());
        let reachable = |format| format == surface || twin;
        // A float back buffer is linear, so an sRGB surface format must encode its colours, unless the
        // surface is linear as well.
        if back_buffer == wgpu::TextureFormat::Rgba16Float {
            return as_is(back_buffer, if reachable(encoding) { encoding } else { surface });
        }
        if surface == wgpu::TextureFormat::Rgba16Float {
            return as_is(back_buffer.add_srgb_suffix(), surface);
        }
        if reachable(plain) {
            return as_is(back_buffer.remove_srgb_suffix(), plain);
        }
        // Colours are decoded when read and encoded when written, which yields the same bytes except for
        // rounding.
        as_is(back_buffer.add_srgb_suffix(), surface)
    }

    /// Returns whether both formats have the same bytes.
    fn is_copy(&self) -> bool {
        self.back_buffer.remove_srgb_suffix() == self.surface.remove_srgb_suffix()
    }
}

/// The objects of a blit, created once per swap chain.
#[derive(Debug)]
pub(crate) struct Blit {
    plan: BlitPlan,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    nearest: wgpu::Sampler,
    linear: wgpu::Sampler,
}

impl Blit {
    pub(crate) fn new(gpu: &Gpu, plan: BlitPlan) -> Self {
        let device = &gpu.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("present"),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty,
            count: None,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("present"),
            entries: &[
                entry(
                    0,
                    wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: true },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                ),
                entry(1, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
            ],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("present"),
            bind_group_layouts: &[Some(&layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        let cover = Cover {
            module: &module,
            vertex_entry: "vertex",
            pixel_entry: "fragment",
            layout: Some(&pipeline_layout),
            format: plan.write,
            samples: 1,
        };
        let pipeline = cover.pipeline(gpu);
        let sampler = |filter| {
            device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("present"),
                mag_filter: filter,
                min_filter: filter,
                ..wgpu::SamplerDescriptor::default()
            })
        };
        let (nearest, linear) = (sampler(wgpu::FilterMode::Nearest), sampler(wgpu::FilterMode::Linear));
        Self { plan, layout, pipeline, nearest, linear }
    }

    pub(crate) fn record(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        from: &TextureMemory,
        to: &wgpu::Texture,
    ) {
        let is_same_size = (from.width, from.height) == (to.width(), to.height());
        if is_same_size && self.plan.is_copy() && to.usage().contains(wgpu::TextureUsages::COPY_DST) {
            encoder.copy_texture_to_texture(from.texture.as_image_copy(), to.as_image_copy(), to.size());
            return;
        }
        let read = if from.format == self.plan.read || from.twin == Some(self.plan.read) {
            self.plan.read
        } else {
            from.format
        };
        let view = |texture: &wgpu::Texture, format, usage| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                format: Some(format),
                usage: Some(usage),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let source = view(&from.texture, read, wgpu::TextureUsages::TEXTURE_BINDING);
        let target = view(to, self.plan.write, wgpu::TextureUsages::RENDER_ATTACHMENT);
        let sampler = if is_same_size { &self.nearest } else { &self.linear };
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("present"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&source) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
            ],
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("present"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &target,
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
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::{device::Device, services::convert, submit::swap_chain::SwapChain, testing};
    use onze_ddi::{Format, Texture2dDesc};
    use wgpu::TextureFormat as T;

    #[test]
    fn plans_preserve_the_colours() {
        for (back_buffer, surface, twin, read, write) in [
            // The bytes stay the same, in another order.
            (T::Rgba8Unorm, T::Bgra8Unorm, false, T::Rgba8Unorm, T::Bgra8Unorm),
            (T::Rgba8UnormSrgb, T::Bgra8Unorm, true, T::Rgba8Unorm, T::Bgra8Unorm),
            (T::Rgba8Unorm, T::Bgra8UnormSrgb, true, T::Rgba8Unorm, T::Bgra8Unorm),
            // The surface has no view without sRGB, so colours are decoded and encoded again.
            (T::Rgba8Unorm, T::Bgra8UnormSrgb, false, T::Rgba8UnormSrgb, T::Bgra8UnormSrgb),
            (T::Rgba16Float, T::Bgra8Unorm, true, T::Rgba16Float, T::Bgra8UnormSrgb),
            (T::Rgba16Float, T::Rgba16Float, false, T::Rgba16Float, T::Rgba16Float),
            (T::Bgra8Unorm, T::Rgba16Float, false, T::Bgra8UnormSrgb, T::Rgba16Float),
        ] {
            let plan = BlitPlan::new(back_buffer, surface, twin);
            assert_eq!((plan.read, plan.write), (read, write), "{back_buffer:?} on {surface:?}, {twin}");
        }
    }

    #[test]
    fn a_blit_copies_only_formats_with_the_same_bytes() {
        assert!(BlitPlan::new(T::Bgra8Unorm, T::Bgra8UnormSrgb, false).is_copy());
        assert!(!BlitPlan::new(T::Rgba8Unorm, T::Bgra8Unorm, false).is_copy());
    }

    /// Blits a square of RGBA8 pixels to a square texture, and returns the texels of the texture.
    fn show(
        device: &Device,
        (pixels, side): (&[u8], u32),
        (surface, width): (T, u32),
        usage: wgpu::TextureUsages,
    ) -> Vec<u8> {
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, side, side);
        let back_buffer = SwapChain::create_primary(None, &device.objects, &desc.into()).unwrap();
        let memory = back_buffer.texture().unwrap();
        device.gpu.queue.write_texture(
            memory.texture.as_image_copy(),
            pixels,
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(side * 4), rows_per_image: None },
            memory.texture.size(),
        );
        let twin = convert::srgb_twin(surface);
        let target = device.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height: width, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: surface,
            usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: twin.as_slice(),
        });
        let plan = BlitPlan::new(memory.format, surface, true);
        let blit = device.gpu.guarded(|| Blit::new(&device.gpu, plan)).unwrap();
        let mut encoder =
            device.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        blit.record(&device.gpu.device, &mut encoder, memory, &target);
        device.gpu.queue.submit([encoder.finish()]);
        testing::read_texture(device, &target, 0, 0)
    }

    #[test]
    fn a_blit_copies_equal_bytes_and_draws_the_rest() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let pixels: Vec<u8> = (0..4 * 4 * 4).map(|i| (i * 3) as u8).collect();
        let swapped: Vec<u8> = pixels.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0], p[3]]).collect();
        for (surface, expected) in
            [(T::Rgba8Unorm, &pixels), (T::Rgba8UnormSrgb, &pixels), (T::Bgra8Unorm, &swapped)]
        {
            for copies in [false, true] {
                let usage = if copies { wgpu::TextureUsages::COPY_DST } else { wgpu::TextureUsages::empty() };
                let shown = show(&device, (&pixels, 4), (surface, 4), usage);
                assert_eq!(&shown, expected, "{surface:?}, copies: {copies}");
            }
        }
        runtime.assert_clean();
    }

    #[test]
    fn a_blit_to_another_size_filters_the_pixels() {
        let Some((device, runtime)) = testing::gpu() else { return };
        let row = [[0, 0, 0, 255], [255; 4]].concat();
        let texels = show(&device, (&row.repeat(2), 2), (T::Rgba8Unorm, 4), wgpu::TextureUsages::empty());
        let red: Vec<_> = texels[..16].iter().step_by(4).copied().collect();
        assert!(red[0] == 0 && red[3] == 255, "{red:?}");
        assert!((32..96).contains(&red[1]) && (160..224).contains(&red[2]), "{red:?}");
        runtime.assert_clean();
    }
}
