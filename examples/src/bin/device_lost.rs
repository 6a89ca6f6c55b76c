//! Rings of crates that survive the loss of the device. L loses the device, and Escape ends the program.
//!
//! When a driver is updated or a GPU hangs, the device is lost together with all its objects. This example
//! shows how a program can continue:
//!
//! * **Detect**: calls that return a `Result` fail with `Error::DeviceRemoved`, and every frame has at least
//!   one such call, the present. Contexts ignore calls that return nothing, so only errors need a check.
//!   `get_device_removed_reason` returns the reason.
//! * **Separate**: all objects of the scene are in one struct, [`Scene`], which `Screen` owns together with
//!   the device and the swap chain. The program's own state, here the time, is stored elsewhere.
//! * **Create again**: the program drops the `Screen`, because a window can have only one swap chain, and
//!   then creates a new device and draws the frame again.
//!
//! This is also an example of a program with its own winit event loop. With `--out`, the program loses its
//! device in the 10th frame, and the picture is the same as without the loss. In a browser, `onze_winit::run`
//! shows the scene and the device is not lost.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat4, Vec3};
use onze::prelude::*;

const SHADER: &str = include_str!("device_lost.wgsl");
const IMAGE: &[u8] = include_bytes!("../../assets/crate.png");

const CRATES: u32 = 24;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    to_clip: Mat4,
    time: [f32; 4],
}

/// All device objects of the scene, which the program can create again on another device.
struct Scene {
    vs: VertexShader,
    ps: PixelShader,
    rasterizer: RasterizerState,
    constants: ConstantBuffer<Constants>,
    image: ShaderResourceView,
    sampler: SamplerState,
}

impl Scene {
    fn new(context: &mut ImmediateContext) -> Result<Self, onze::Error> {
        let device = context.device();
        let sampler =
            SamplerDesc { filter: Filter::ANISOTROPIC, max_anisotropy: 8, ..SamplerDesc::default() };
        Ok(Self {
            vs: device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            rasterizer: device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?,
            constants: device.create_constant_buffer(&Constants { to_clip: Mat4::ZERO, time: [0.0; 4] })?,
            image: device.create_texture_from_memory(context, IMAGE)?.create_shader_resource_view()?,
            sampler: device.create_sampler_state(&sampler)?,
        })
    }

    fn draw(
        &self,
        context: &mut DeviceContext,
        target: &RenderTargetView,
        depth: &DepthStencilView,
        (width, height): (u32, u32),
        time: f32,
    ) -> Result<(), onze::Error> {
        let camera = look_at_mat4(Vec3::new(0.0, 4.6, 8.6), Vec3::new(0.0, -0.25, 0.0), Vec3::Y);
        let projection = perspective(40_f32.to_radians(), width as f32 / height as f32, 0.1, 100.0);
        let time = [time, CRATES as f32, 0.0, 0.0];
        context.clear_render_target_view(target, [0.010, 0.018, 0.034, 1.0]);
        context.clear_depth_stencil(depth);
        context.om_set_render_targets(target, depth);
        context.rs_set_viewports(Viewport::sized(width as f32, height as f32));
        context.update(&self.constants, &Constants { to_clip: projection * camera, time })?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.rs_set_state(&self.rasterizer);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, &self.constants);
        context.ps_set_shader(&self.ps);
        context.ps_set_shader_resources(0, &self.image);
        context.ps_set_samplers(0, &self.sampler);
        context.draw_instanced(36, CRATES, 0, 0);
        Ok(())
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod desktop {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Instant;

    use clap::Parser as _;
    use onze_winit::winit::{
        application::ApplicationHandler,
        dpi::LogicalSize,
        event::{KeyEvent, WindowEvent},
        event_loop::{ActiveEventLoop, EventLoop},
        keyboard::{KeyCode, PhysicalKey},
        window::{Fullscreen, Window, WindowId},
    };
    use onze_winit::{Result, WindowArgs};

    use super::*;

    const LOSS: u32 = 10;

    /// The options that the other examples also have.
    #[derive(clap::Parser)]
    struct Options {
        #[command(flatten)]
        window: WindowArgs,
    }

    /// Destroys the underlying wgpu device. Direct3D 11 has no such function, but for tests, the tool
    /// `dxcap -forcetdr` removes an application's device.
    fn lose(device: &Device) {
        if let Some((device, _)) = onze_wgpu::interop::device_and_queue(&device.driver_object()) {
            device.destroy();
        }
    }

    /// Returns whether an error means that the device is lost, and if so prints that the program creates
    /// another device.
    fn is_removed(error: &onze::Error) -> bool {
        let is_removed = matches!(error, onze::Error::DeviceRemoved(_));
        if is_removed {
            println!("The device is lost; the program creates another one.");
        }
        is_removed
    }

    /// A device and all objects that show a scene in a window. Fields are dropped in order, so the swap chain
    /// is dropped before the context, the device and the window.
    struct Screen {
        scene: Scene,
        depth: DepthTarget,
        swap_chain: SwapChain,
        context: ImmediateContext,
        device: Device,
        window: Arc<Window>,
    }

    impl Screen {
        fn new(window: Arc<Window>) -> std::result::Result<Self, onze::Error> {
            let desc = DeviceDesc { window: Some(window.clone()), ..DeviceDesc::default() };
            let (device, mut context) = create_device(&desc)?;
            let size = window.inner_size();
            let (width, height) = (size.width.max(1), size.height.max(1));
            let swap_chain = context.create_swap_chain(window.clone(), &SwapChainDesc::new(width, height))?;
            let depth = device.create_depth_target(Format::D32_FLOAT, width, height)?;
            let scene = Scene::new(&mut context)?;
            Ok(Self { scene, depth, swap_chain, context, device, window })
        }

        fn frame(&mut self, time: f32) -> std::result::Result<(), onze::Error> {
            let size = self.window.inner_size();
            let (width, height) = (size.width, size.height);
            if width == 0 || height == 0 {
                return Ok(());
            }
            if (self.swap_chain.desc().width, self.swap_chain.desc().height) != (width, height) {
                self.swap_chain.resize_buffers(&mut self.context, width, height)?;
                self.depth = self.device.create_depth_target(Format::D32_FLOAT, width, height)?;
            }
            let (target, depth) = (self.swap_chain.render_target_view()?, &self.depth.depth_stencil_view);
            self.scene.draw(&mut self.context, target, depth, (width, height), time)?;
            self.window.pre_present_notify();
            self.swap_chain.present(&mut self.context, 1)?;
            Ok(())
        }
    }

    struct App {
        size: (u32, u32),
        full_screen: bool,
        frames: Option<u32>,
        began: Instant,
        window: Option<Arc<Window>>,
        /// `None` before the window exists, and while another device is created.
        screen: Option<Screen>,
        result: Result<()>,
    }

    impl App {
        fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<()> {
            let size = LogicalSize::new(self.size.0, self.size.1);
            let attributes = Window::default_attributes()
                .with_title("Device lost")
                .with_inner_size(size)
                .with_fullscreen(self.full_screen.then_some(Fullscreen::Borderless(None)));
            let window = Arc::new(event_loop.create_window(attributes)?);
            self.screen = Some(Screen::new(window.clone())?);
            window.request_redraw();
            self.window = Some(window);
            Ok(())
        }

        /// Draws a frame, and draws it again with a new device if the device is lost.
        fn frame(&mut self) -> std::result::Result<(), onze::Error> {
            let (Some(screen), Some(window)) = (&mut self.screen, &self.window) else { return Ok(()) };
            let time = self.began.elapsed().as_secs_f32();
            match screen.frame(time) {
                Err(error) if is_removed(&error) => {
                    self.screen = None;
                    // If the second device is lost as well, a third device would not help.
                    self.screen.insert(Screen::new(window.clone())?).frame(time)
                }
                result => result,
            }
        }

        fn redraw(&mut self, event_loop: &ActiveEventLoop) {
            let result = self.frame();
            self.frames = self.frames.map(|frames| frames.saturating_sub(1));
            if result.is_err() || self.frames == Some(0) {
                self.result = result.map_err(Into::into);
                event_loop.exit();
            } else if let Some(window) = &self.window {
                window.request_redraw();
            }
        }
    }

    impl ApplicationHandler for App {
        fn resumed(&mut self, event_loop: &ActiveEventLoop) {
            if self.window.is_none()
                && let Err(error) = self.open(event_loop)
            {
                self.result = Err(error);
                event_loop.exit();
            }
        }

        fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
            match event {
                WindowEvent::CloseRequested => event_loop.exit(),
                WindowEvent::RedrawRequested => self.redraw(event_loop),
                WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed() => match event {
                    KeyEvent { physical_key: PhysicalKey::Code(KeyCode::Escape), .. } => event_loop.exit(),
                    KeyEvent { physical_key: PhysicalKey::Code(KeyCode::KeyL), .. } => {
                        self.screen.iter().for_each(|screen| lose(&screen.device));
                    }
                    _ => {}
                },
                _ => {}
            }
        }

        fn exiting(&mut self, _: &ActiveEventLoop) {
            // Drop the screen and the window while the display is still open.
            self.screen = None;
            self.window = None;
        }
    }

    /// A device and all objects that draw a scene into a texture.
    struct Picture {
        scene: Scene,
        target: RenderTarget,
        depth: DepthTarget,
        context: ImmediateContext,
    }

    impl Picture {
        fn new((width, height): (u32, u32)) -> std::result::Result<Self, onze::Error> {
            let (device, mut context) = create_device(&DeviceDesc::default())?;
            Ok(Self {
                scene: Scene::new(&mut context)?,
                target: device.create_render_target(Format::R8G8B8A8_UNORM_SRGB, width, height)?,
                depth: device.create_depth_target(Format::D32_FLOAT, width, height)?,
                context,
            })
        }

        fn frame(&mut self, size: (u32, u32), n: u32) -> std::result::Result<Vec<u8>, onze::Error> {
            let (target, depth) = (&self.target.render_target_view, &self.depth.depth_stencil_view);
            self.scene.draw(&mut self.context, target, depth, size, n as f32 / 60.0)?;
            self.context.read_texture_2d(&self.target.texture, 0)
        }
    }

    /// Draws frames without a window and writes the last frame to a file.
    fn draw_picture(path: &Path, size: (u32, u32), frames: u32) -> Result<()> {
        let mut picture = Picture::new(size)?;
        let mut texels = Vec::new();
        for n in 0..frames {
            if n + 1 == LOSS {
                lose(&picture.context.device());
            }
            texels = match picture.frame(size, n) {
                Err(error) if is_removed(&error) => {
                    picture = Picture::new(size)?;
                    picture.frame(size, n)?
                }
                result => result?,
            };
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let (color, format) = (image::ColorType::Rgba8, image::ImageFormat::Png);
        image::save_buffer_with_format(path, &texels, size.0, size.1, color, format)?;
        Ok(())
    }

    pub(super) fn main() -> Result<()> {
        let WindowArgs { out, frames, size, full_screen } = Options::parse().window;
        let size = size.unwrap_or((960, 540));
        if let Some(path) = out {
            return draw_picture(&path, size, frames.unwrap_or(1));
        }
        let began = Instant::now();
        let mut app = App { size, full_screen, frames, began, window: None, screen: None, result: Ok(()) };
        EventLoop::new()?.run_app(&mut app)?;
        app.result
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> onze_winit::Result<()> {
    desktop::main()
}

#[cfg(target_arch = "wasm32")]
fn main() -> onze_winit::Result<()> {
    use onze_winit::{Frame, WindowDesc};

    onze_winit::run(WindowDesc::new("Device lost", 960, 540).with_depth().with_args(), |setup| {
        let scene = Scene::new(setup.context)?;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(onze_winit::winit::keyboard::KeyCode::Escape) {
                frame.exit();
            }
            let (size, time) = ((frame.width, frame.height), frame.time);
            if let Some(depth) = frame.depth {
                scene.draw(frame.context, frame.target, depth, size, time)?;
            }
            Ok(())
        })
    })
}
