//! Tests windows on an X11 display with a separate client. In the tested sizes and modes, the demo's window
//! shows the picture of a headless run, and closes cleanly.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;
#[path = "support/x11.rs"]
mod x11;

use std::any::Any;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use image::RgbImage;
use onze::prelude::*;
use support::picture::has_adapter;
use support::{Folder, PATIENCE, has_display, scene, succeed};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::platform::x11::EventLoopBuilderExtX11;
use winit::window::{Window, WindowId};
use x11::{KEY_ESCAPE, KEY_M, KEY_SPACE, XWindow, largest_difference, look_for};

/// The scene's options, for the window and for the headless runs.
const SCENE: &str = "--objects 64 --mode immediate --lists driver --verify";

/// Locks the screen, because windows of concurrent tests would hide each other. Returns `None` without a
/// display or an adapter.
fn screen() -> Option<MutexGuard<'static, ()>> {
    static SCREEN: Mutex<()> = Mutex::new(());
    (has_display(&["DISPLAY"]) && has_adapter())
        .then(|| SCREEN.lock().unwrap_or_else(PoisonError::into_inner))
}

#[track_caller]
fn headless(width: u32, height: u32, frames: u32) -> RgbImage {
    let folder = Folder::new(&format!("window-{width}x{height}-{frames}"));
    let args = format!("{SCENE} --frames {frames} --size {width}x{height} --out");
    succeed(scene().args(args.split(' ')).arg(&folder.0));
    image::open(folder.0.join("immediate.png")).unwrap().into_rgb8()
}

struct Demo {
    child: Child,
    lines: mpsc::Receiver<String>,
    seen: Vec<String>,
}

impl Demo {
    /// Starts the demo with `options` and the scene's options, with `--stay` to keep the window open.
    #[track_caller]
    fn start(options: &str) -> (Self, XWindow) {
        let demo = Self::spawn(&format!("--stay {options}"));
        let window = XWindow::of_process(demo.child.id());
        (demo, window)
    }

    fn spawn(options: &str) -> Self {
        let mut command = scene();
        // If Wayland is available, winit prefers Wayland to X11.
        command.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.args(SCENE.split(' ')).arg("--window").args(options.split(' '));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|l| sender.send(l)));
        Self { child, lines, seen: Vec::new() }
    }

    #[track_caller]
    fn expect_line(&mut self, expected: &str) {
        while !self.seen.iter().any(|line| line == expected) {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(line),
                Err(error) => panic!("the demo did not say `{expected}` but {:?} ({error})", self.seen),
            }
        }
    }

    #[track_caller]
    fn expect_end(mut self) {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("the demo does not end"),
            }
        }
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // Both calls fail only if the demo has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_window_shows_the_picture_of_a_headless_run() {
    let Some(_screen) = screen() else { return };
    let expected = headless(160, 96, 3);
    let first = headless(160, 96, 1);
    assert!(largest_difference(&first, &expected) > Some(8), "the frames must differ to tell them apart");
    let (mut demo, window) = Demo::start("--frames 3 --size 160x96");
    demo.expect_line("showing 160x96, immediate with driver lists");
    demo.expect_line("all 3 frames were shown");
    window.expect_picture("window", &expected);
    window.ask_to_close();
    demo.expect_end();
}

#[test]
fn a_window_closes_by_itself_after_its_last_frame() {
    let Some(_screen) = screen() else { return };
    let mut demo = Demo::spawn("--frames 2 --size 160x96");
    demo.expect_line("all 2 frames were shown");
    demo.expect_end();
}

#[test]
fn a_resized_window_shows_the_picture_of_its_new_size() {
    let Some(_screen) = screen() else { return };
    // The narrow window is 94 pixels wide, because the software adapter is twenty times slower at a width of
    // 90 pixels.
    let (larger, narrow) = (headless(251, 140, 40), headless(94, 200, 40));
    let (mut demo, window) = Demo::start("--frames 40 --size 160x96");
    demo.expect_line("showing 160x96, immediate with driver lists");
    window.resize(251, 140);
    demo.expect_line("showing 251x140, immediate with driver lists");
    demo.expect_line("all 40 frames were shown");
    window.expect_picture("larger", &larger);
    window.resize(94, 200);
    demo.expect_line("showing 94x200, immediate with driver lists");
    window.expect_picture("narrow", &narrow);
    window.ask_to_close();
    demo.expect_end();
}

#[test]
fn keys_change_the_mode_and_the_picture_stays_the_same() {
    let Some(_screen) = screen() else { return };
    let expected = headless(160, 96, 2);
    let (mut demo, window) = Demo::start("--frames 2 --size 160x96");
    demo.expect_line("all 2 frames were shown");
    for (key, mode) in [(KEY_M, "per-pass"), (KEY_SPACE, "per-chunk")] {
        window.press(key);
        demo.expect_line(&format!("showing 160x96, {mode} with driver lists"));
        window.expect_picture(mode, &expected);
    }
    window.ask_to_close();
    demo.expect_end();
}

#[test]
fn the_title_shows_the_numbers_until_the_window_is_closed() {
    let Some(_screen) = screen() else { return };
    let close: [fn(&XWindow); 2] = [|window| window.press(KEY_ESCAPE), XWindow::ask_to_close];
    for close in close {
        // Without `--frames`, the demo runs until its window is closed.
        let (mut demo, window) = Demo::start("--size 160x96");
        let has_numbers = |mode: &str| {
            let title = window.title();
            title.starts_with(mode) && title.contains(" draws, ") && title.contains(" ns/draw")
        };
        for mode in ["immediate", "per-pass"] {
            demo.expect_line(&format!("showing 160x96, {mode} with driver lists"));
            look_for(|| has_numbers(mode).then_some(()))
                .unwrap_or_else(|| panic!("the title stays `{}`", window.title()));
            if mode == "immediate" {
                window.press(KEY_M);
            }
        }
        close(&window);
        demo.expect_end();
    }
}

/// This is a single test, because winit creates only one event loop per process.
#[test]
fn each_picture_is_shown_and_what_shows_it_goes_in_any_order() {
    let Some(_screen) = screen() else { return };
    let event_loop = EventLoop::builder().with_x11().with_any_thread(true).build().unwrap();
    let mut orders = DropOrders { tried: 0, presented: 0 };
    let presents = Presents::default();
    tracing::subscriber::with_default(presents.clone(), || event_loop.run_app(&mut orders)).unwrap();
    assert_eq!(orders.tried, 24);
    assert_eq!(presents.0.load(Ordering::Relaxed), orders.presented, "each present has a span");
    let breaches = onze::ddi::verifier::breaches();
    assert!(breaches.is_empty(), "{}", breaches[0]);
}

#[derive(Clone, Default)]
struct Presents(Arc<AtomicUsize>);

impl tracing::Subscriber for Presents {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("onze_wgpu")
    }
    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        self.0.fetch_add(usize::from(span.metadata().name() == "present"), Ordering::Relaxed);
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Shows pictures with swap chains that have one or several back buffers, and then shows a picture once for
/// each order in which the device's objects can be dropped.
struct DropOrders {
    tried: u32,
    presented: usize,
}

impl ApplicationHandler for DropOrders {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let attributes = Window::default_attributes().with_inner_size(PhysicalSize::new(64, 64));
        let window = Arc::new(event_loop.create_window(attributes).unwrap());
        let sequential = |buffer_count| SwapChainDesc {
            format: Format::R8G8B8A8_UNORM,
            swap_effect: SwapEffect::Sequential,
            buffer_count,
            ..SwapChainDesc::default()
        };
        let flip = |format| SwapChainDesc { format, ..SwapChainDesc::default() };
        for (desc, is_copied) in [
            (sequential(1), true),
            (sequential(2), true),
            (sequential(3), true),
            (flip(Format::R10G10B10A2_UNORM), true),
            (flip(Format::B8G8R8A8_UNORM), false),
            (flip(Format::UNKNOWN), false),
        ] {
            self.presented += show_each_frame(&window, &desc, is_copied);
        }
        for order in 0..4_usize.pow(4) {
            let order = [order / 64, order / 16 % 4, order / 4 % 4, order % 4];
            if (0..4).all(|part| order.contains(&part)) {
                show_and_drop(window.clone(), order);
                self.tried += 1;
                self.presented += 1;
            }
        }
        event_loop.exit();
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, _: WindowEvent) {}
}

/// Presents frames, and checks that the window and the back buffer show each frame, and then returns the
/// number of presents.
fn show_each_frame(window: &Arc<Window>, desc: &SwapChainDesc, is_copied: bool) -> usize {
    const FRAMES: u8 = 6;
    let seen = XWindow::of_process(std::process::id());
    let (width, height) = window.inner_size().into();
    let device_desc = DeviceDesc {
        debug: true,
        verify_driver: true,
        window: Some(window.clone()),
        ..DeviceDesc::default()
    };
    let (device, mut context) = create_device(&device_desc).unwrap();
    let desc = SwapChainDesc { width, height, ..desc.clone() };
    let mut chain = context.create_swap_chain(window.clone(), &desc).unwrap();
    let is_srgb = chain.desc().format.is_srgb();
    for frame in 1..=FRAMES {
        let color = [255 / frame, 40 * frame, 255 - 30 * frame];
        let [r, g, b] = color.map(|value| f32::from(value) / 255.0);
        let linear = |value: f32| if is_srgb { decoded(value) } else { value };
        let target = chain.render_target_view().unwrap();
        context.clear_render_target_view(target, [linear(r), linear(g), linear(b), 1.0]);
        let back = context.read_texture_2d(&chain.get_buffer().unwrap(), 0).unwrap();
        assert!(back.chunks_exact(4).all(|texel| texel == &back[..4]), "all of it is cleared");
        if matches!(chain.desc().format, Format::B8G8R8A8_UNORM | Format::B8G8R8A8_UNORM_SRGB) {
            assert_eq!(back[..3], [color[2], color[1], color[0]], "{desc:?}, frame {frame}");
        }
        chain.present(&mut context, 1).unwrap();
        let expected = RgbImage::from_pixel(width, height, image::Rgb(color));
        let (effect, count, format) = (desc.swap_effect, desc.buffer_count, desc.format);
        seen.expect_picture(&format!("{effect:?}-{count}-{format:?}-frame-{frame}"), &expected);
    }
    let copied = device.statistics().presents_copied;
    assert_eq!(copied, if is_copied { FRAMES.into() } else { 0 }, "{desc:?}");
    assert_silent(&device);
    FRAMES.into()
}

fn decoded(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Fails if the debug layer has reported any message except the one about a software adapter.
fn assert_silent(device: &Device) {
    let mut messages = device.info_queue().messages();
    messages.retain(|message| message.id != MessageId::SoftwareAdapter);
    assert!(messages.is_empty(), "{}", messages[0]);
}

fn show_and_drop(window: Arc<Window>, order: [usize; 4]) {
    let desc = DeviceDesc {
        debug: true,
        verify_driver: true,
        window: Some(window.clone()),
        ..DeviceDesc::default()
    };
    let (device, mut context) = create_device(&desc).unwrap();
    let mut chain = context.create_swap_chain(window, &SwapChainDesc::new(64, 64)).unwrap();
    let target = device.create_render_target_view(&chain.get_buffer().unwrap(), None).unwrap();
    context.clear_render_target_view(&target, [0.1, 0.2, 0.3, 1.0]);
    context.om_set_render_targets(&target, None);
    chain.present(&mut context, 1).unwrap();
    assert_silent(&device);
    let mut parts: [Option<Box<dyn Any>>; 4] =
        [Some(Box::new(device)), Some(Box::new(context)), Some(Box::new(chain)), Some(Box::new(target))];
    for part in order {
        parts[part] = None;
    }
}
