//! The triangle drawn with wgpu alone, in a window or without one.

use std::sync::Arc;

use winit::window::Window;

use super::{PIPELINES, Result, SIZE, Side, shader};

pub(crate) struct WgpuSide {
    device: wgpu::Device,
    queue: wgpu::Queue,
    shader: wgpu::ShaderModule,
    /// Pipelines by number. Each pipeline is created for the first frame that uses it.
    pipelines: Vec<wgpu::RenderPipeline>,
    target: Target,
}

enum Target {
    Window(wgpu::Surface<'static>, wgpu::SurfaceConfiguration),
    Texture(wgpu::Texture),
}

impl WgpuSide {
    pub(crate) fn new(window: Option<Arc<Window>>) -> Result<Self> {
        pollster::block_on(Self::open(window))
    }

    async fn open(window: Option<Arc<Window>>) -> Result<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let surface = window.map(|window| instance.create_surface(window)).transpose()?;
        let options =
            wgpu::RequestAdapterOptions { compatible_surface: surface.as_ref(), ..Default::default() };
        let adapter = instance.request_adapter(&options).await?;
        let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await?;
        let target = match surface {
            Some(surface) => {
                let configuration =
                    surface.get_default_config(&adapter, SIZE.0, SIZE.1).ok_or("no configuration")?;
                surface.configure(&device, &configuration);
                Target::Window(surface, configuration)
            }
            None => Target::Texture(device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: SIZE.0, height: SIZE.1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::Bgra8UnormSrgb,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            })),
        };
        let source = wgpu::ShaderSource::Wgsl(shader().into());
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        Ok(Self { device, queue, shader, pipelines: Vec::new(), target })
    }

    fn pipeline(&self, n: u32) -> wgpu::RenderPipeline {
        let format = match &self.target {
            Target::Window(_, configuration) => configuration.format,
            Target::Texture(texture) => texture.format(),
        };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &self.shader,
                entry_point: Some("vs"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &self.shader,
                entry_point: Some(&format!("ps_{n}")),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    fn draw(&self, texture: &wgpu::Texture, pipelines: u32) {
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: None,
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            for pipeline in &self.pipelines[..pipelines as usize] {
                pass.set_pipeline(pipeline);
                pass.draw(0..3, 0..1);
            }
        }
        self.queue.submit([encoder.finish()]);
    }
}

impl Side for WgpuSide {
    fn frame(&mut self, pipelines: u32) -> Result<()> {
        while self.pipelines.len() < pipelines.min(PIPELINES) as usize {
            self.pipelines.push(self.pipeline(self.pipelines.len() as u32));
        }
        match &self.target {
            Target::Window(surface, _) => {
                let frame = match surface.get_current_texture() {
                    wgpu::CurrentSurfaceTexture::Success(frame)
                    | wgpu::CurrentSurfaceTexture::Suboptimal(frame) => frame,
                    other => return Err(format!("the surface has no texture: {other:?}").into()),
                };
                self.draw(&frame.texture, pipelines);
                self.queue.present(frame);
            }
            Target::Texture(texture) => self.draw(texture, pipelines),
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }
}
