//! The triangle drawn with Onze, in a window or without one.

use std::sync::Arc;

use onze::{Format, prelude::*};
use winit::window::Window;

use super::{Result, SIZE, Side, shader};

pub(crate) struct OnzeSide {
    device: Device,
    context: ImmediateContext,
    vertex: VertexShader,
    pixels: Vec<PixelShader>,
    done: onze::Query,
    target: Target,
}

enum Target {
    Window(Box<SwapChain>),
    Texture(RenderTargetView),
}

impl OnzeSide {
    /// Creates all objects. If `prepared` is given, compiles that number of pipelines in advance.
    pub(crate) fn new(window: Option<Arc<Window>>, prepared: Option<u32>) -> Result<Self> {
        let desc = DeviceDesc { debug: false, ..DeviceDesc::default() };
        let desc = match &window {
            Some(window) => DeviceDesc { window: Some(window.clone()), ..desc },
            None => desc,
        };
        let (device, mut context) = create_device(&desc)?;
        let target = match window {
            Some(window) => {
                let desc = SwapChainDesc::new(SIZE.0, SIZE.1);
                Target::Window(Box::new(context.create_swap_chain(window, &desc)?))
            }
            None => {
                let desc = Texture2dDesc::render_target(Format::B8G8R8A8_UNORM_SRGB, SIZE.0, SIZE.1);
                let texture = device.create_texture_2d(&desc, None)?;
                Target::Texture(device.create_render_target_view(&texture, None)?)
            }
        };
        let shader = shader();
        let vertex = device.create_vertex_shader(ShaderSource::wgsl(&shader, "vs"))?;
        let pixels = (0..super::PIPELINES)
            .map(|n| device.create_pixel_shader(ShaderSource::wgsl(&shader, &format!("ps_{n}"))))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let done = device.create_query(QueryType::Event)?;
        let mut this = Self { device, context, vertex, pixels, done, target };
        if let Some(pipelines) = prepared {
            this.bind()?;
            for n in 0..pipelines {
                this.context.ps_set_shader(&this.pixels[n as usize]);
                this.context.prepare_draw();
            }
            this.context.flush();
            while this.device.statistics().pipelines_compiling > 0 {
                std::thread::yield_now();
            }
        }
        Ok(this)
    }

    pub(crate) fn adapter(&self) -> String {
        self.device.adapter().name.clone()
    }

    pub(crate) fn format(&self) -> Format {
        match &self.target {
            Target::Window(swap_chain) => swap_chain.desc().format,
            Target::Texture(_) => Format::B8G8R8A8_UNORM_SRGB,
        }
    }

    pub(crate) fn presents_copied(&self) -> u64 {
        self.device.statistics().presents_copied
    }

    fn bind(&mut self) -> Result<()> {
        let target = match &self.target {
            Target::Window(swap_chain) => swap_chain.render_target_view()?,
            Target::Texture(target) => target,
        };
        let context = &mut self.context;
        context.clear_render_target_view(target, [0.0, 0.0, 0.0, 1.0]);
        context.om_set_render_targets(target, None);
        context.rs_set_viewports(Viewport::sized(SIZE.0 as f32, SIZE.1 as f32));
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&self.vertex);
        Ok(())
    }
}

impl Side for OnzeSide {
    fn frame(&mut self, pipelines: u32) -> Result<()> {
        self.bind()?;
        for pixel in &self.pixels[..pipelines as usize] {
            self.context.ps_set_shader(pixel);
            self.context.draw(3, 0);
        }
        match &mut self.target {
            Target::Window(swap_chain) => drop(swap_chain.present(&mut self.context, 1)?),
            Target::Texture(_) => self.context.flush(),
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        self.context.end(&self.done);
        while self.context.get_data(&self.done, false)?.is_none() {
            // Sleep, because a software adapter needs the CPU. Raw wgpu's wait does not occupy the CPU
            // either.
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        Ok(())
    }
}
