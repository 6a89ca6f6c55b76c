//! Measures frames with Onze and with raw wgpu: frames of a triangle, in a window or headless, and the first
//! frame of a program that needs five pipelines. The GPU driver must compile these pipelines.
//!
//! ```text
//! cargo run --release -p onze-benches --bin frame                # in a window
//! cargo run --release -p onze-benches --bin frame -- --headless  # without a window
//! ```
//!
//! The option `--quick` makes a short run.
//!
//! Blocks of frames alternate between Onze and wgpu in one process, and a row is the median of its blocks.
//! Frames are presented with a sync interval of 1. Xvfb, an X server without a screen, has no refresh to wait
//! for.

mod onze_side;
mod wgpu_side;

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use winit::{
    application::ApplicationHandler,
    dpi::PhysicalSize,
    event::WindowEvent,
    event_loop::{ActiveEventLoop, EventLoop},
    window::{Window, WindowId},
};

use onze_side::OnzeSide;
use wgpu_side::WgpuSide;

const SIZE: (u32, u32) = (640, 480);
/// Number of frames that are timed together as one block.
const FRAMES: u32 = 60;
/// Number of pipelines that the first frame needs.
const PIPELINES: u32 = 5;

/// Numbers of repetitions: blocks per row of frames, and programs started per row of first frames.
#[derive(Copy, Clone)]
struct Repeats {
    blocks: usize,
    starts: usize,
}

/// Returns the shaders: a vertex stage that draws a triangle, and pixel stages with different colours.
fn shader() -> String {
    let pixel = |n: u32| {
        let red = n as f32 / PIPELINES as f32;
        format!("@fragment fn ps_{n}() -> @location(0) vec4f {{ return vec4f({red:?}, 0.5, 0.1, 1.0); }}\n")
    };
    let vertex = "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
        return vec4f(f32(i32(i) - 1), f32(i32(i & 1u) * 2 - 1), 0.0, 1.0) * vec4f(0.8, 0.8, 1.0, 1.0);
    }\n";
    (0..PIPELINES).map(pixel).fold(vertex.to_owned(), |all, one| all + &one)
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

trait Side {
    /// Draws a frame with the first `pipelines` pipelines, and presents it if there is a window.
    fn frame(&mut self, pipelines: u32) -> Result<()>;

    fn wait(&mut self) -> Result<()>;
}

fn main() -> Result<()> {
    let has = |option| std::env::args().any(|arg| arg == option);
    let repeats =
        if has("--quick") { Repeats { blocks: 1, starts: 1 } } else { Repeats { blocks: 15, starts: 5 } };
    if has("--headless") {
        println!("headless, {}x{}", SIZE.0, SIZE.1);
        return measure(None, repeats);
    }
    let mut app = App { repeats, result: Ok(()) };
    EventLoop::new()?.run_app(&mut app)?;
    app.result
}

struct App {
    repeats: Repeats,
    result: Result<()>,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let open = || -> Result<[Arc<Window>; 2]> {
            let attributes =
                || Window::default_attributes().with_inner_size(PhysicalSize::new(SIZE.0, SIZE.1));
            Ok([
                Arc::new(event_loop.create_window(attributes().with_title("Onze"))?),
                Arc::new(event_loop.create_window(attributes().with_title("wgpu"))?),
            ])
        };
        println!("in a window of {}x{}", SIZE.0, SIZE.1);
        self.result = open().and_then(|windows| measure(Some(windows), self.repeats));
        event_loop.exit();
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, _: WindowEvent) {}
}

fn measure(windows: Option<[Arc<Window>; 2]>, repeats: Repeats) -> Result<()> {
    let [onze_window, wgpu_window] = windows.map_or([None, None], |windows| windows.map(Some));
    {
        let mut onze = OnzeSide::new(onze_window.clone(), None)?;
        let mut raw = WgpuSide::new(wgpu_window.clone())?;
        println!("on {}, format {:?}", onze.adapter(), onze.format());
        let (mut onze_blocks, mut raw_blocks) = (Vec::new(), Vec::new());
        for n in 0..=repeats.blocks {
            let (a, b) = (block(&mut onze)?, block(&mut raw)?);
            // The first repetition is a warm-up, so it is not counted.
            if n > 0 {
                onze_blocks.push(a);
                raw_blocks.push(b);
            }
        }
        let (onze_frame, raw_frame) = (median(&mut onze_blocks), median(&mut raw_blocks));
        row("a frame", onze_frame, raw_frame);
        println!("  presents of Onze that copied the picture: {}", onze.presents_copied());
    }
    let (mut cold, mut prepared, mut raw_first) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..repeats.starts {
        cold.push(first_frame(&mut OnzeSide::new(onze_window.clone(), None)?)?);
        prepared.push(first_frame(&mut OnzeSide::new(onze_window.clone(), Some(PIPELINES))?)?);
        raw_first.push(first_frame(&mut WgpuSide::new(wgpu_window.clone())?)?);
    }
    let raw_first = median(&mut raw_first);
    row("the first frame, nothing prepared", median(&mut cold), raw_first);
    row("the first frame, by prepare_draw", median(&mut prepared), raw_first);
    Ok(())
}

/// Draws a block of frames, and returns the mean time per frame.
fn block(side: &mut dyn Side) -> Result<Duration> {
    let begin = Instant::now();
    for _ in 0..FRAMES {
        side.frame(1)?;
    }
    side.wait()?;
    Ok(begin.elapsed() / FRAMES)
}

fn first_frame(side: &mut dyn Side) -> Result<Duration> {
    let begin = Instant::now();
    side.frame(PIPELINES)?;
    side.wait()?;
    Ok(begin.elapsed())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn row(what: &str, onze: Duration, raw: Duration) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = ms(onze) / ms(raw);
    println!("  {what}: Onze {:.3} ms, raw wgpu {:.3} ms, ratio {ratio:.2}", ms(onze), ms(raw));
}
