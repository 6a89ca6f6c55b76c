//! The code shared by the three wgpu programs: a window with a device and a surface, and the event loop. The
//! line count of each program includes this file.

use std::{error::Error, sync::Arc};

use winit::{
    application::ApplicationHandler,
    dpi::LogicalSize,
    event::WindowEvent,
    event_loop::{ActiveEventLoop, EventLoop},
    window::{Window, WindowId},
};

/// A window with a surface and a device that draws into it, created when the event loop starts.
#[derive(Debug)]
pub struct Gpu {
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    /// Size, format and present mode of the surface, stored because each resize configures the surface again.
    pub configuration: wgpu::SurfaceConfiguration,
    /// The device, which creates a program's resources and stays the same when the surface is configured
    /// again.
    pub device: wgpu::Device,
    /// The queue, for uploads that programs submit and for each frame that the event loop submits.
    pub queue: wgpu::Queue,
}

/// A program that draws the frames of a window, like `onze_winit::Game` for Onze.
pub trait Game: Sized {
    /// Title of the window, which opens with 800 x 600 logical pixels.
    const TITLE: &'static str;
    /// Creates the program's resources.
    ///
    /// # Errors
    /// Returns an error if a resource cannot be created, in which case the program ends before its first
    /// frame.
    fn new(gpu: &Gpu) -> Result<Self, Box<dyn Error>>;
    /// Records a frame that draws into `target`, before the event loop submits and presents it.
    fn frame(&mut self, gpu: &Gpu, target: &wgpu::TextureView, encoder: &mut wgpu::CommandEncoder);
}

impl Gpu {
    async fn open(event_loop: &ActiveEventLoop, title: &str) -> Result<Self, Box<dyn Error>> {
        let attributes =
            Window::default_attributes().with_title(title).with_inner_size(LogicalSize::new(800, 600));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let surface = instance.create_surface(window.clone())?;
        let options =
            wgpu::RequestAdapterOptions { compatible_surface: Some(&surface), ..Default::default() };
        let adapter = instance.request_adapter(&options).await?;
        let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await?;
        let size = window.inner_size();
        let configuration = surface
            .get_default_config(&adapter, size.width.max(1), size.height.max(1))
            .ok_or("the adapter cannot present to the window")?;
        surface.configure(&device, &configuration);
        Ok(Self { window, surface, configuration, device, queue })
    }

    fn frame(&self, game: &mut impl Game) {
        use wgpu::CurrentSurfaceTexture::{Lost, Outdated, Suboptimal, Success};
        let frame = match self.surface.get_current_texture() {
            Success(frame) | Suboptimal(frame) => frame,
            Lost | Outdated => return self.surface.configure(&self.device, &self.configuration),
            _ => return,
        };
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        game.frame(self, &view, &mut encoder);
        self.queue.submit([encoder.finish()]);
        self.window.pre_present_notify();
        self.queue.present(frame);
    }
}

struct App<G>(Option<(Gpu, G)>);

impl<G: Game> App<G> {
    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<(), Box<dyn Error>> {
        let gpu = pollster::block_on(Gpu::open(event_loop, G::TITLE))?;
        let game = G::new(&gpu)?;
        self.0 = Some((gpu, game));
        Ok(())
    }
}

impl<G: Game> ApplicationHandler for App<G> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if let Err(error) = self.open(event_loop) {
            eprintln!("{error}");
            event_loop.exit();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some((gpu, game)) = &mut self.0 else { return };
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => {
                (gpu.configuration.width, gpu.configuration.height) = (size.width.max(1), size.height.max(1));
                gpu.surface.configure(&gpu.device, &gpu.configuration);
            }
            WindowEvent::RedrawRequested => {
                gpu.frame(game);
                gpu.window.request_redraw();
            }
            _ => {}
        }
    }
}

/// Runs a program in a window until the window is closed.
///
/// # Errors
/// Returns an error if the system has no display, or if the event loop fails while the window is open.
pub fn run<G: Game>() -> Result<(), Box<dyn Error>> {
    EventLoop::new()?.run_app(&mut App::<G>(None))?;
    Ok(())
}
