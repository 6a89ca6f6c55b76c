//! The scene in a window, with the measurements in the title. M or Space changes the mode, and Escape closes
//! the window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use onze::PresentStatus;
use onze::prelude::*;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

use crate::args::{Args, Lists, Mode};
use crate::error::DemoError;
use crate::gpu::run::Renderer;
use crate::gpu::targets::Targets;
use crate::plan::Frame;
use crate::print::print;
use crate::report::FrameCost;
use crate::scene::Scene;

const TITLE_INTERVAL: Duration = Duration::from_millis(500);
/// Time for which the window stays open after the last of `--frames`, restarted by a later change of size or
/// mode.
const LAST_FRAME_STAYS: Duration = Duration::from_secs(2);

/// Opens a window and draws until the window is closed, or until shortly after the last frame if `--frames`
/// is given without `--stay`.
pub(crate) fn run(args: &Args, scene: Scene) -> Result<(), DemoError> {
    let event_loop = EventLoop::new().map_err(window_error)?;
    let mut app = App { args, scene, view: None, result: Ok(()) };
    event_loop.run_app(&mut app).map_err(window_error)?;
    app.result
}

/// Returns the window system's message, without a source location at its beginning.
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
    result: Result<(), DemoError>,
}

struct View {
    window: Arc<Window>,
    renderer: Renderer,
    swap_chain: SwapChain,
    /// Views of the back buffer and the depth buffer, `None` from a resize until the next frame.
    targets: Option<Targets>,
    lists: Lists,
    mode: Mode,
    frame: u32,
    shown: Option<(PhysicalSize<u32>, Mode)>,
    /// Time at which the last of `--frames` was shown, updated when that frame is shown again after a change
    /// of size or mode.
    finished: Option<Instant>,
    numbers: Numbers,
}

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

    /// Returns a title with the averages and resets them, at most once per [`TITLE_INTERVAL`].
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
        // A device records only one kind of list, so `--lists both` selects the driver's lists here.
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
            shown: None,
            finished: None,
            numbers: Numbers::new(),
        })
    }

    /// Draws the next frame unless the window has no area, and returns whether another frame should follow.
    fn draw(&mut self, args: &Args, scene: &Scene) -> Result<bool, DemoError> {
        let size = self.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return Ok(false);
        }
        let targets = self.targets(size)?;
        // After the last of `--frames`, a change of size or mode draws that frame again.
        let last = args.frames.map_or(u32::MAX, |frames| frames - 1);
        let frame = Frame::plan(scene, self.frame.min(last), targets.aspect());
        let cost = self.renderer.draw(scene, &frame, &targets, self.mode)?;
        self.targets = Some(targets);
        let status = self.swap_chain.present(&mut self.renderer.immediate, 1)?;
        self.numbers.add(&cost);
        if let Some(title) = self.numbers.title(self.mode, self.lists) {
            self.window.set_title(&title);
        }
        if status == PresentStatus::Presented {
            self.say_what_is_shown(size, last)?;
        }
        self.frame = self.frame.saturating_add(1);
        Ok(self.finished.is_none())
    }

    /// Returns targets in the window's size, after resizing the swap chain if the size has changed.
    fn targets(&mut self, size: PhysicalSize<u32>) -> Result<Targets, DemoError> {
        let kept = self.targets.take();
        let desc = self.swap_chain.desc();
        if (desc.width, desc.height) != (size.width, size.height) {
            // `ResizeBuffers` fails while a view of the old back buffer exists, so drop the view first.
            drop(kept);
            let immediate = &mut self.renderer.immediate;
            self.swap_chain.resize_buffers(immediate, size.width, size.height)?;
        } else if let Some(targets) = kept {
            return Ok(targets);
        }
        let buffer = self.swap_chain.get_buffer()?;
        Ok(Targets::new(&self.renderer.device, &buffer)?)
    }

    /// Prints the size and mode if they have changed with the frame just shown, and also prints a line if
    /// this was frame `last`.
    fn say_what_is_shown(&mut self, size: PhysicalSize<u32>, last: u32) -> Result<(), DemoError> {
        let shown = Some((size, self.mode));
        let has_changed = self.shown != shown;
        if has_changed {
            self.shown = shown;
            let (mode, lists) = (self.mode.name(), self.lists.name());
            print(&format!("showing {}x{}, {mode} with {lists} lists\n", size.width, size.height))?;
        }
        if self.frame >= last && (has_changed || self.finished.is_none()) {
            if self.finished.is_none() {
                print(&format!("all {} frames were shown\n", last + 1))?;
            }
            self.finished = Some(Instant::now());
        }
        Ok(())
    }

    /// Time at which the window closes by itself, or `None` before the last frame was shown.
    fn closes_at(&self) -> Option<Instant> {
        self.finished.map(|since| since + LAST_FRAME_STAYS)
    }

    fn next_mode(&mut self) {
        let place = Mode::ALL.iter().position(|mode| *mode == self.mode).unwrap_or(0);
        self.mode = Mode::ALL[(place + 1) % Mode::ALL.len()];
        self.numbers = Numbers::new();
        self.window.set_title(self.mode.name());
        self.window.request_redraw();
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
        match view.draw(self.args, &self.scene) {
            Ok(true) => view.window.request_redraw(),
            Ok(false) => {}
            Err(error) => self.stop(event_loop, Err(error)),
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

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(closes_at) = self.view.as_ref().and_then(View::closes_at).filter(|_| !self.args.stay) else {
            return;
        };
        if Instant::now() >= closes_at {
            self.stop(event_loop, Ok(()));
        } else {
            event_loop.set_control_flow(ControlFlow::WaitUntil(closes_at));
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // The swap chain must be dropped before its window, while the display is still open.
        let messages = self.view.take().map_or(Ok(()), |view| view.renderer.check_messages());
        if self.result.is_ok() {
            self.result = messages;
        }
    }
}
