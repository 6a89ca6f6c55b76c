//! Measures draws with a geometry shader or with stream output against hand-written wgpu that draws or writes the same.
//!
//! ```text
//! cargo run --release -p onze-benches --bin geometry            # on the best adapter
//! cargo run --release -p onze-benches --bin geometry -- --noop  # the CPU's part alone
//! ```
//!
//! The option `--quick` makes a short run, and other arguments select the rows whose names contain one of them. Frames
//! alternate between Onze and wgpu in one process. A row shows the medians of the CPU time of all threads. With a
//! software adapter, this includes the work of the GPU.

mod onze_side;
mod wgpu_side;

use std::error::Error;

use cpu_time::ProcessTime;
use onze::StoredGeometry;
use onze_benches::backend::Backend;

use onze_side::{OnzeSide, OnzeWay};
use wgpu_side::{WgpuSide, WgpuWay};

/// Width and height of the targets in texels.
const SIZE: u32 = 256;

/// Number of points that one draw turns into quads.
const POINTS: u32 = 100_000;

/// Number of points that one draw turns into discs, and number of vertices of a disc.
const DISCS: u32 = 10_000;
const DISC_VERTICES: u32 = 64;

/// Number of draws in the rows of many draws.
const DRAWS: u32 = 10_000;

/// Number of draws to all faces of a cube, and number of faces.
const CUBE_DRAWS: u32 = 1000;
const FACES: u32 = 6;

/// Number of vertices that a draw writes to a buffer.
const WRITTEN: u32 = 1_000_000;

/// A point: its centre and its colour.
type Point = [f32; 4];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Returns `count` points in a spiral.
fn points(count: u32) -> Vec<Point> {
    let point = |n: u32| {
        let angle = n as f32 * 2.399_963;
        let distance = (n as f32 / count as f32).sqrt() * 0.95;
        let red = (n % 256) as f32 / 255.0;
        [angle.cos() * distance, angle.sin() * distance, red, 1.0 - red]
    };
    (0..count).map(point).collect()
}

/// A row of the table.
struct Row {
    name: &'static str,
    onze: OnzeWay,
    stored: StoredGeometry,
    with: &'static str,
    wgpu: WgpuWay,
    /// Whether both write the texels or the bytes that are compared.
    is_compared: bool,
}

const ROWS: [Row; 10] = [
    Row {
        name: "100,000 points to quads",
        onze: OnzeWay::Quads,
        stored: StoredGeometry::Automatic,
        with: "vertex pulling",
        wgpu: WgpuWay::Pulled,
        is_compared: true,
    },
    Row {
        name: "100,000 points to quads",
        onze: OnzeWay::Quads,
        stored: StoredGeometry::Automatic,
        with: "instances",
        wgpu: WgpuWay::Instances,
        is_compared: true,
    },
    Row {
        name: "the same with cuts",
        onze: OnzeWay::CutQuads,
        stored: StoredGeometry::Automatic,
        with: "vertex pulling",
        wgpu: WgpuWay::Pulled,
        is_compared: true,
    },
    Row {
        name: "10,000 draws of one point",
        onze: OnzeWay::ManyQuads,
        stored: StoredGeometry::Automatic,
        with: "vertex pulling",
        wgpu: WgpuWay::ManyPulled,
        is_compared: true,
    },
    Row {
        name: "100,000 points, stored",
        onze: OnzeWay::Quads,
        stored: StoredGeometry::Always,
        with: "a compute shader before the draw",
        wgpu: WgpuWay::Stored,
        is_compared: true,
    },
    Row {
        name: "10,000 draws, stored",
        onze: OnzeWay::ManyQuads,
        stored: StoredGeometry::Always,
        with: "vertex pulling",
        wgpu: WgpuWay::ManyPulled,
        is_compared: true,
    },
    Row {
        name: "10,000 discs",
        onze: OnzeWay::Discs,
        stored: StoredGeometry::Automatic,
        with: "a compute shader before the draw",
        wgpu: WgpuWay::Discs,
        is_compared: true,
    },
    Row {
        name: "10,000 discs, not stored",
        onze: OnzeWay::Discs,
        stored: StoredGeometry::Off,
        with: "a compute shader before the draw",
        wgpu: WgpuWay::Discs,
        is_compared: true,
    },
    Row {
        name: "1,000 draws to six faces",
        onze: OnzeWay::Faces,
        stored: StoredGeometry::Automatic,
        with: "six passes",
        wgpu: WgpuWay::Faces,
        is_compared: false,
    },
    Row {
        name: "stream output of 1,000,000",
        onze: OnzeWay::Stream,
        stored: StoredGeometry::Automatic,
        with: "a compute shader",
        wgpu: WgpuWay::Compute,
        is_compared: true,
    },
];

fn main() -> Result<()> {
    let has = |option| std::env::args().any(|arg| arg == option);
    let backend = if has("--noop") { Backend::Noop } else { Backend::Default };
    let frames = if has("--quick") { 1 } else { 9 };
    let mut sides = Vec::new();
    for stored in [StoredGeometry::Automatic, StoredGeometry::Off, StoredGeometry::Always] {
        sides.push((stored, OnzeSide::new(backend, stored)?));
    }
    let Some((_, onze)) = sides.first() else { return Ok(()) };
    let mut wgpu = WgpuSide::new(backend, &onze.adapter())?;
    println!("{}, {SIZE}x{SIZE}, CPU time of all threads in ms per frame", onze.adapter().name);
    println!("{:28} {:>10} {:>10} {:>7}  wgpu draws", "geometry shader", "onze", "wgpu", "ratio");
    let names: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_chosen = |row: &&Row| names.is_empty() || names.iter().any(|name| row.name.contains(name));
    for row in ROWS.iter().filter(is_chosen) {
        let side = sides.iter_mut().find(|(stored, _)| *stored == row.stored);
        let Some((_, onze)) = side else { continue };
        onze.frame(row.onze)?;
        wgpu.frame(row.wgpu)?;
        if backend == Backend::Default
            && row.is_compared
            && onze.result(row.onze)? != wgpu.result(row.wgpu)?
        {
            return Err(format!("the results of `{}` differ", row.name).into());
        }
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..frames {
            times[0].push(timed(|| onze.frame(row.onze))?);
            times[1].push(timed(|| wgpu.frame(row.wgpu))?);
        }
        let [own, other] = times.map(median);
        let ratio = own / other;
        println!("{:28} {own:10.2} {other:10.2} {ratio:7.2}  {}", row.name, row.with);
    }
    Ok(())
}

/// Returns the CPU time of all threads for a frame, in milliseconds.
fn timed(frame: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = ProcessTime::try_now()?;
    frame()?;
    Ok(start.try_elapsed()?.as_secs_f64() * 1000.0)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
