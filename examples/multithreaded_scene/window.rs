//! The scene in a window: M or Space changes the mode, Escape closes, the title shows the numbers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use onze::prelude::*;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use crate::args::{Args, Lists, Mode};
use crate::error::DemoError;
use crate::gpu::run::Renderer;
use crate::gpu::targets::Targets;
use crate::report::FrameCost;
use crate::scene::Scene;

/// How often the title changes.
const TITLE_INTERVAL: Duration = Duration::from_millis(500);
/// How long the last frame of `--frames` stays.
const LAST_FRAME_STAYS: Duration = Duration::from_secs(1);

/// Opens a window and draws until it is closed, or until all frames of `--frames` were drawn.
pub(crate) fn run(args: &Args, scene: Scene) -> Result<(), DemoError> {
    let event_loop = EventLoop::new().map_err(window_error)?;
    let mut app = App { args, scene, view: None, result: Ok(()) };
    event_loop.run_app(&mut app).map_err(window_error)?;
    app.result
}

/// What the window system said, without the place in its source code that some messages begin with.
fn window_error(error: impl ToString) -> DemoError {
    let text = error.to_string();
    let reason = match text.split_once(": ") {
        Some((place, reason)) if place.starts_with("os error at ") => reason,
        _ => &text,
    };
    DemoError::Window(reason.to_owned())
}

struct App<'a> {
    args: &'a Args,
    scene: Scene,
    view: Option<View>,
    /// Why the loop was left.
    result: Result<(), DemoError>,
}

/// An open window and what draws into it.
struct View {
    window: Arc<Window>,
    renderer: Renderer,
    swap_chain: SwapChain,
    /// None until the next frame after a change of size.
    targets: Option<Targets>,
    lists: Lists,
    mode: Mode,
    /// Frames drawn so far.
    frame: u32,
    /// When the last of `--frames` was shown.
    finished: Option<Instant>,
    numbers: Numbers,
}

/// What was measured since the title last changed.
struct Numbers {
    since: Instant,
    frames: u32,
    total: FrameCost,
}

impl Numbers {
    fn new() -> Self {
        Self { since: Instant::now(), frames: 0, total: FrameCost::default() }
    }

    fn add(&mut self, cost: &FrameCost) {
        self.frames += 1;
        self.total.draws += cost.draws;
        self.total.record += cost.record;
        self.total.record_threads += cost.record_threads;
        self.total.execute += cost.execute;
    }

    /// The averages as a title, once in a while.
    fn title(&mut self, mode: Mode, lists: Lists) -> Option<String> {
        let elapsed = self.since.elapsed();
        if elapsed < TITLE_INTERVAL || self.frames == 0 {
            return None;
        }
        let per_frame = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(self.frames);
        let title = format!(
            "{} ({} lists): {} draws, record {:.2} ms, {:.0} ns/draw, execute {:.2} ms, frame {:.1} ms",
            mode.name(),
            lists.name(),
            self.total.draws / u64::from(self.frames),
            per_frame(self.total.record),
            self.total.record_threads.as_secs_f64() * 1e9 / self.total.draws.max(1) as f64,
            per_frame(self.total.execute),
            per_frame(elapsed),
        );
        *self = Self::new();
        Some(title)
    }
}

impl View {
    fn open(event_loop: &ActiveEventLoop, args: &Args, scene: &Scene) -> Result<Self, DemoError> {
        let size = PhysicalSize::new(args.size.width, args.size.height);
        let attributes = Window::default_attributes().with_title("multithreaded_scene").with_inner_size(size);
        let window = event_loop.create_window(attributes).map_err(window_error)?;
        let window = Arc::new(window);
        // Both kinds of lists cannot be shown at once; the driver's come first.
        let lists = args.lists.kinds().first().copied().unwrap_or(Lists::Driver);
        let mut renderer = Renderer::new(args, lists, Some(window.clone()), scene)?;
        let size = window.inner_size();
        let desc = SwapChainDesc::new(size.width.max(1), size.height.max(1));
        let swap_chain = renderer.immediate.create_swap_chain(window.clone(), &desc)?;
        Ok(Self {
            window,
            renderer,
            swap_chain,
            targets: None,
            lists,
            mode: args.mode.modes().first().copied().unwrap_or(Mode::Immediate),
            frame: 0,
            finished: None,
            numbers: Numbers::new(),
        })
    }

    /// Draws the next frame, unless nobody could see it.
    fn draw(&mut self, args: &Args, scene: &Scene) -> Result<(), DemoError> {
        let size = self.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return Ok(());
        }
        let desc = self.swap_chain.desc();
        if (desc.width, desc.height) != (size.width, size.height) {
            // Nothing may hold the old back buffer.
            self.targets = None;
            let immediate = &mut self.renderer.immediate;
            self.swap_chain.resize_buffers(immediate, size.width, size.height)?;
        }
        if self.targets.is_none() {
            let buffer = self.swap_chain.get_buffer()?;
            self.targets = Some(Targets::new(&self.renderer.device, &buffer)?);
        }
        let Some(targets) = &self.targets else {
            return Ok(());
        };
        // After the last of --frames, the same picture is drawn again, in whatever size.
        let last = args.frames.map_or(u32::MAX, |frames| frames - 1);
        let cost = self.renderer.draw(scene, self.frame.min(last), targets, self.mode)?;
        self.swap_chain.present(&mut self.renderer.immediate, 1)?;
        self.numbers.add(&cost);
        if let Some(title) = self.numbers.title(self.mode, self.lists) {
            self.window.set_title(&title);
        }
        if self.frame == last && self.finished.is_none() {
            self.finished = Some(Instant::now());
            println!("all {} frames were shown", last + 1);
        }
        self.frame = self.frame.saturating_add(1);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.finished.is_some_and(|since| since.elapsed() >= LAST_FRAME_STAYS)
    }

    fn next_mode(&mut self) {
        let place = Mode::ALL.iter().position(|mode| *mode == self.mode).unwrap_or(0);
        self.mode = Mode::ALL[(place + 1) % Mode::ALL.len()];
        self.numbers = Numbers::new();
        self.window.set_title(self.mode.name());
    }
}

impl App<'_> {
    fn stop(&mut self, event_loop: &ActiveEventLoop, result: Result<(), DemoError>) {
        if self.result.is_ok() {
            self.result = result;
        }
        event_loop.exit();
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(view) = &mut self.view else {
            return;
        };
        let result = view.draw(self.args, &self.scene);
        let over = view.is_over();
        view.window.request_redraw();
        if over || result.is_err() {
            self.stop(event_loop, result);
        }
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, event: &KeyEvent) {
        if event.state != ElementState::Pressed || event.repeat {
            return;
        }
        match &event.logical_key {
            Key::Named(NamedKey::Escape) => self.stop(event_loop, Ok(())),
            Key::Named(NamedKey::Space) => {
                if let Some(view) = &mut self.view {
                    view.next_mode();
                }
            }
            Key::Character(text) if text.eq_ignore_ascii_case("m") => {
                if let Some(view) = &mut self.view {
                    view.next_mode();
                }
            }
            _ => {}
        }
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.view.is_some() {
            return;
        }
        match View::open(event_loop, self.args, &self.scene) {
            Ok(view) => {
                view.window.request_redraw();
                self.view = Some(view);
            }
            Err(error) => self.stop(event_loop, Err(error)),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.stop(event_loop, Ok(())),
            WindowEvent::KeyboardInput { event, .. } => self.key(event_loop, &event),
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            WindowEvent::Resized(_) => {
                if let Some(view) = &self.view {
                    view.window.request_redraw();
                }
            }
            _ => {}
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // The swap chain goes before its window, while the display is still open.
        self.view = None;
    }
}
