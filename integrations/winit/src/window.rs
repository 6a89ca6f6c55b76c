//! The window's event loop.

use std::sync::Arc;

use onze::{Device, DeviceDesc, ImmediateContext, PresentStatus, SwapChain, SwapChainDesc};
use web_time::{Duration, Instant};
use winit::{
    application::ApplicationHandler,
    dpi::LogicalSize,
    event::{ElementState, KeyEvent, StartCause, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy},
    keyboard::{Key, NamedKey},
    window::{Fullscreen, Window, WindowId},
};
use winit_input_helper::WinitInputHelper;

use crate::{Frame, Game, Result, Setup, WindowDesc, system, targets::Targets};

/// Time that the loop sleeps while the window is hidden.
const HIDDEN_INTERVAL: Duration = Duration::from_millis(100);

/// The event that delivers the window's device, which in a browser arrives several iterations of the loop
/// after the window opens.
pub(crate) type Created = Result<(Device, ImmediateContext)>;

/// Handles the loop's events: opens a window, waits for its device, and runs a game.
pub(crate) struct App<G, I> {
    desc: WindowDesc,
    init: Option<I>,
    proxy: EventLoopProxy<Created>,
    window: Option<Arc<Window>>,
    running: Option<Running<G>>,
    pub(crate) result: Result<()>,
}

/// The objects that present frames, listed in their required drop order.
pub(crate) type Screen = (SwapChain, ImmediateContext, Device, Arc<Window>);

/// A running game and its window, which must be dropped after the swap chain.
struct Running<G> {
    game: G,
    /// `None` until the first frame.
    targets: Option<Targets>,
    swap_chain: SwapChain,
    context: ImmediateContext,
    device: Device,
    window: Arc<Window>,
    input: WinitInputHelper,
    /// Start times of the first and the previous frame.
    began: Option<(Instant, Instant)>,
    frames: u32,
    report: system::Report,
}

enum Next {
    Frame,
    Rest,
    /// The window has an area of 0, so the loop waits for the event that gives the window an area.
    Wait,
    End,
}

impl<G: Game> Running<G> {
    fn start(
        desc: &WindowDesc,
        window: Arc<Window>,
        (device, mut context): (Device, ImmediateContext),
        init: impl FnOnce(&mut Setup<'_>) -> Result<G>,
    ) -> Result<Self> {
        let size = window.inner_size();
        let (width, height) = (size.width.max(1), size.height.max(1));
        let swap_chain = SwapChainDesc { width, height, ..desc.swap_chain.clone() };
        let swap_chain = context.create_swap_chain(window.clone(), &swap_chain)?;
        let format = swap_chain.desc().format;
        let mut setup =
            Setup { device: &device, context: &mut context, format, width, height, window: Some(&window) };
        let game = init(&mut setup)?;
        let input = WinitInputHelper::new();
        let report = system::Report::new(&device);
        Ok(Self {
            game,
            targets: None,
            swap_chain,
            context,
            device,
            window,
            input,
            began: None,
            frames: 0,
            report,
        })
    }

    fn frame(&mut self, desc: &WindowDesc) -> Result<Next> {
        let size = self.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return Ok(Next::Wait);
        }
        self.fit(desc, size.width, size.height)?;
        let Some(targets) = &self.targets else { return Ok(Next::Wait) };
        let now = Instant::now();
        let (first, last) = self.began.unwrap_or((now, now));
        self.began = Some((first, now));
        self.input.end_step();
        let mut frame = Frame {
            device: &self.device,
            context: &mut self.context,
            target: targets.target(self.swap_chain.render_target_view()?),
            depth: targets.depth(),
            width: size.width,
            height: size.height,
            time: (now - first).as_secs_f32(),
            delta: (now - last).as_secs_f32(),
            input: &self.input,
            window: Some(&self.window),
            title: &desc.title,
            ends: false,
        };
        self.game.frame(&mut frame)?;
        let ends = frame.ends;
        self.input.step();
        targets.resolve(&mut self.context, &self.swap_chain.get_buffer()?);
        // This lets the window system pace the next frame, as Wayland does.
        self.window.pre_present_notify();
        let status = self.swap_chain.present(&mut self.context, desc.sync_interval)?;
        self.frames = self.frames.saturating_add(1);
        self.report.frame(&self.device);
        Ok(match status {
            _ if ends || desc.frames.is_some_and(|frames| self.frames >= frames) => Next::End,
            PresentStatus::Presented => Next::Frame,
            PresentStatus::Occluded => Next::Rest,
        })
    }

    /// Resizes the back buffer and the other targets to the window's size.
    fn fit(&mut self, desc: &WindowDesc, width: u32, height: u32) -> Result<()> {
        let is_new = (self.swap_chain.desc().width, self.swap_chain.desc().height) != (width, height);
        if is_new {
            self.swap_chain.resize_buffers(&mut self.context, width, height)?;
        }
        if is_new || self.targets.is_none() {
            let format = self.swap_chain.desc().format;
            self.targets = Some(Targets::new(&self.device, desc, format, (width, height))?);
        }
        Ok(())
    }

    fn toggles_full_screen(&self, event: &WindowEvent) -> bool {
        let WindowEvent::KeyboardInput { event: KeyEvent { logical_key, state, repeat, .. }, .. } = event
        else {
            return false;
        };
        let is_enter = *logical_key == Key::Named(NamedKey::Enter);
        is_enter && *state == ElementState::Pressed && !repeat && self.input.held_alt()
    }

    fn toggle_full_screen(&self) {
        let full_screen = self.window.fullscreen().is_none();
        self.window.set_fullscreen(full_screen.then_some(Fullscreen::Borderless(None)));
    }
}

impl<G: Game, I: FnOnce(&mut Setup<'_>) -> Result<G>> App<G, I> {
    /// Creates the loop and its handler.
    ///
    /// # Errors
    /// Returns an error if no display is available, or if the process has already created a loop.
    pub(crate) fn new(desc: WindowDesc, init: I) -> Result<(EventLoop<Created>, Self)> {
        let event_loop = EventLoop::with_user_event().build()?;
        let proxy = event_loop.create_proxy();
        let app = Self { desc, init: Some(init), proxy, window: None, running: None, result: Ok(()) };
        Ok((event_loop, app))
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> Result<()> {
        let desc = &self.desc;
        let attributes = Window::default_attributes()
            .with_title(&desc.title)
            .with_inner_size(LogicalSize::new(desc.width, desc.height))
            .with_fullscreen(desc.full_screen.then_some(Fullscreen::Borderless(None)));
        let window = Arc::new(event_loop.create_window(system::place(attributes))?);
        self.window = Some(window.clone());
        let proxy = self.proxy.clone();
        let answer = move |created| {
            // If the loop has ended in the meantime, nothing needs the device.
            drop(proxy.send_event(created));
        };
        system::create_device(DeviceDesc { window: Some(window), ..desc.device.clone() }, answer);
        Ok(())
    }

    fn start(&mut self, created: Created) -> Result<()> {
        let (Some(window), Some(init)) = (self.window.take(), self.init.take()) else { return Ok(()) };
        let running = Running::start(&self.desc, window, created?, init)?;
        running.window.request_redraw();
        self.running = Some(running);
        Ok(())
    }

    fn stop(&mut self, event_loop: &ActiveEventLoop, result: Result<()>) {
        if self.result.is_ok() {
            self.result = result;
        }
        event_loop.exit();
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(running) = &mut self.running else { return };
        event_loop.set_control_flow(ControlFlow::Wait);
        match running.frame(&self.desc) {
            Ok(Next::Frame) => running.window.request_redraw(),
            Ok(Next::Rest) => {
                event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + HIDDEN_INTERVAL));
            }
            Ok(Next::Wait) => {}
            Ok(Next::End) => self.stop(event_loop, Ok(())),
            Err(error) => self.stop(event_loop, Err(error)),
        }
    }
}

impl<G: Game, I: FnOnce(&mut Setup<'_>) -> Result<G>> ApplicationHandler<Created> for App<G, I> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        // The system may suspend and resume a program that already has its window.
        if self.window.is_none()
            && self.init.is_some()
            && let Err(error) = self.open(event_loop)
        {
            self.stop(event_loop, Err(error));
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, created: Created) {
        if let Err(error) = self.start(created) {
            self.stop(event_loop, Err(error));
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if let (StartCause::ResumeTimeReached { .. }, Some(running)) = (cause, &self.running) {
            running.window.request_redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        // After a call to `exit`, the loop may still deliver events that arrived earlier.
        let Some(running) = self.running.as_mut().filter(|_| !event_loop.exiting()) else { return };
        running.game.event(&event);
        running.input.process_window_event(&event);
        match event {
            WindowEvent::CloseRequested => self.stop(event_loop, Ok(())),
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            WindowEvent::Resized(_) | WindowEvent::Occluded(false) => running.window.request_redraw(),
            event if self.desc.alt_enter && running.toggles_full_screen(&event) => {
                running.toggle_full_screen();
            }
            _ => {}
        }
    }

    fn device_event(
        &mut self,
        _: &ActiveEventLoop,
        _: winit::event::DeviceId,
        event: winit::event::DeviceEvent,
    ) {
        if let Some(running) = &mut self.running {
            running.input.process_device_event(&event);
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // The swap chain and the window must be dropped while the display connection is still open.
        if let Some(Running { game, targets, swap_chain, context, device, window, .. }) = self.running.take()
        {
            drop((game, targets));
            system::close((swap_chain, context, device, window));
        }
        self.window = None;
        system::ended(&self.result);
    }
}
