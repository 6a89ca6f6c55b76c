//! Measures tessellated draws against hand-written wgpu that draws the finished mesh of the same patches.
//!
//! ```text
//! cargo run --release -p onze-benches --bin tessellation            # on the best adapter
//! cargo run --release -p onze-benches --bin tessellation -- --noop  # the CPU's part alone
//! ```
//!
//! The option `--quick` makes a short run, and other arguments select the rows whose names contain one of them. Frames
//! alternate between Onze and wgpu in one process. A row shows the medians of the CPU time of all threads. With a software
//! adapter, this includes the work of the GPU.
//!
//! The option `--first` measures only the first draws, which compile the pipelines. Mesa caches compiled shaders on disk.
//! With `MESA_SHADER_CACHE_DISABLE=true`, each first draw compiles its shaders.

mod onze_side;
mod wgpu_side;

use std::{error::Error, time::Instant};

use cpu_time::ProcessTime;
use onze_benches::backend::Backend;

use onze_side::OnzeSide;
use wgpu_side::WgpuSide;

/// Width and height of the target in texels.
const SIZE: u32 = 256;

/// A patch: its first corner, and two components of its colour.
type Patch = [f32; 4];

/// A domain point: u and v.
type DomainPoint = [f32; 2];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Number of devices whose first draw is measured.
const FIRST_DRAWS: usize = 9;

/// Side of a patch in clip space.
const SIDE: f32 = 0.02;

/// Returns `count` patches in a spiral.
fn patches(count: u32) -> Vec<Patch> {
    let patch = |n: u32| {
        let angle = n as f32 * 2.399_963;
        let distance = (n as f32 / count as f32).sqrt() * 0.95;
        let red = (n % 256) as f32 / 255.0;
        [angle.cos() * distance, angle.sin() * distance, red, 1.0 - red]
    };
    (0..count).map(patch).collect()
}

/// The frames of a row: `draws` draws of `patches` squares, each divided into `factor` by `factor` squares.
#[derive(Copy, Clone, Debug)]
struct Frame {
    factor: u32,
    patches: u32,
    draws: u32,
    /// Bytes that limit the memory for indices, or `None` for the default.
    memory: Option<u64>,
    /// Nothing is visible, so that only the dispatches before the draw remain.
    is_hidden: bool,
}

/// A row of the table.
struct Row {
    name: &'static str,
    frame: Frame,
}

const FRAME: Frame = Frame { factor: 16, patches: 1000, draws: 1, memory: None, is_hidden: false };

const ROWS: [Row; 6] = [
    Row { name: "1,000 patches, factor 4", frame: Frame { factor: 4, ..FRAME } },
    Row { name: "1,000 patches, factor 16", frame: FRAME },
    Row { name: "100 patches, factor 64", frame: Frame { factor: 64, patches: 100, ..FRAME } },
    Row {
        name: "100 patches, factor 64, no indices",
        frame: Frame { factor: 64, patches: 100, memory: Some(0), ..FRAME },
    },
    Row { name: "1,000 patches, dispatches only", frame: Frame { is_hidden: true, ..FRAME } },
    Row {
        name: "1,000 draws of a patch, factor 4",
        frame: Frame { factor: 4, patches: 1, draws: 1000, ..FRAME },
    },
];

fn main() -> Result<()> {
    let has = |option| std::env::args().any(|arg| arg == option);
    let backend = if has("--noop") { Backend::Noop } else { Backend::Default };
    let frames = if has("--quick") { 1 } else { 9 };
    let names: Vec<_> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_chosen = |row: &&Row| names.is_empty() || names.iter().any(|name| row.name.contains(name));
    if has("--first") {
        return report_compilation(backend);
    }
    let mut is_first = true;
    for row in ROWS.iter().filter(is_chosen) {
        let mut onze = OnzeSide::new(backend, row.frame)?;
        if std::mem::take(&mut is_first) {
            println!("{}, {SIZE}x{SIZE}, CPU time of all threads in ms per frame", onze.adapter().name);
            println!(
                "{:34} {:>9} {:>9} {:>6} {:>12}",
                "tessellated draws", "onze", "mesh", "ratio", "ns/triangle"
            );
        }
        // On the null adapter of wgpu, no mesh can be captured.
        let mesh = if backend == Backend::Default { onze.mesh()? } else { vec![[0.0; 2]; 3] };
        let mut wgpu = WgpuSide::new(backend, &onze.adapter(), row.frame, &mesh)?;
        onze.frame()?;
        wgpu.frame()?;
        if backend == Backend::Default && !row.frame.is_hidden && onze.result()? != wgpu.result()? {
            return Err(format!("the pictures of `{}` differ", row.name).into());
        }
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..frames {
            times[0].push(timed(|| onze.frame())?);
            times[1].push(timed(|| wgpu.frame())?);
        }
        let [own, other] = times.map(median);
        let triangles = 2 * row.frame.factor * row.frame.factor * row.frame.patches * row.frame.draws;
        let of_triangle = own * 1e6 / f64::from(triangles);
        println!("{:34} {own:9.2} {other:9.2} {:6.2} {of_triangle:12.0}", row.name, own / other);
    }
    if names.is_empty() {
        report_compilation(backend)?;
    }
    Ok(())
}

/// Prints the cost of the first draw with and without tessellation, which is mostly the compilation of pipelines.
fn report_compilation(backend: Backend) -> Result<()> {
    let first = |is_tessellated| -> Result<[f64; 2]> {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..FIRST_DRAWS {
            let mut onze = OnzeSide::new(backend, Frame { patches: 1, ..FRAME })?;
            let start = Instant::now();
            times[0].push(timed(|| if is_tessellated { onze.frame() } else { onze.plain_frame() })?);
            times[1].push(start.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(times.map(median))
    };
    let ([plain, plain_elapsed], [tessellated, elapsed]) = (first(false)?, first(true)?);
    println!(
        "first draw with its compilation: {plain:.1} ms of CPU time with a vertex shader alone, {tessellated:.1} ms \
         tessellated, ratio {:.2}; {plain_elapsed:.1} and {elapsed:.1} ms elapsed",
        tessellated / plain
    );
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
