//! Measurements of single calls and special situations, separate from the rows.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use onze::prelude::*;
use onze_benches::backend::Backend;
use onze_benches::error::Error;
use onze_benches::workload::{SLOT, TEXTURE, Variant, Workload};
use serde::Serialize;

use crate::args::Args;
use crate::frames::{Context, Frames, OnzeDevice, WgpuDevice};
use crate::instructions;
use crate::measure::{Floor, median};
use crate::progress::Progress;
use crate::rows::{DRAWS, EXECUTIONS};

/// Names of the groups of measurements, for the filter.
pub(crate) const NAMES: [&str; 7] = ["execute", "again", "map", "create", "texture", "live", "instructions"];

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Piece {
    /// Name of the figure. It begins with the group's name.
    pub(crate) name: String,
    /// Nanoseconds, or a number of instructions if the name begins with `instructions`.
    pub(crate) value: f64,
    pub(crate) what: String,
}

/// All figures, and remarks on measurements that are missing.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) missing: Vec<String>,
}

impl Pieces {
    fn add(&mut self, name: impl Into<String>, what: impl Into<String>, values: &[f64]) {
        self.pieces.push(Piece { name: name.into(), value: median(values), what: what.into() });
    }
}

/// Measures the groups that the command line selects.
pub(crate) fn run(args: &Args) -> Result<Pieces, Error> {
    type Group = fn(&Args, &mut Pieces) -> Result<(), Error>;
    let groups: [Group; 7] = [execute, again, map, create, texture, live, count];
    let wanted: Vec<_> = NAMES.into_iter().zip(groups).filter(|(name, _)| is_wanted(args, name)).collect();
    let mut pieces = Pieces::default();
    let progress = Progress::start(wanted.len() as u64);
    for (name, group) in wanted {
        progress.say(name);
        group(args, &mut pieces)?;
        progress.step();
    }
    Ok(pieces)
}

/// Returns whether the command line selects a group, or one of its parts that can be measured alone.
pub(crate) fn is_wanted(args: &Args, group: &str) -> bool {
    args.wants(group)
        || (group == "instructions" && Variant::ALL.into_iter().any(|v| args.wants(&counted(v))))
}

/// Returns the beginning of the names of a variant's numbers of instructions.
fn counted(variant: Variant) -> String {
    format!("instructions/{}", variant.name())
}

fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e9
}

fn device(args: &Args) -> Result<OnzeDevice, Error> {
    OnzeDevice::new(args.backend(), args.workers(), Workload::new(DRAWS, false))
}

/// Measures `ExecuteCommandList` on the application's thread, for a short list and for a long list.
fn execute(args: &Args, pieces: &mut Pieces) -> Result<(), Error> {
    let mut onze = device(args)?;
    for variant in [Variant::V0, Variant::V1, Variant::V3] {
        let lists = [100, DRAWS as usize];
        let lists = [onze.list(variant, 0..lists[0])?, onze.list(variant, 0..lists[1])?];
        let mut values = [Vec::new(), Vec::new()];
        for frame in 0..args.frames().warm_up + args.frames().measured {
            for (list, values) in lists.iter().zip(&mut values) {
                let start = Instant::now();
                onze.immediate.execute_command_list(list, false);
                let value = nanoseconds(start);
                onze.immediate.flush();
                onze.wait()?;
                if frame >= args.frames().warm_up {
                    values.push(value);
                }
            }
        }
        for (draws, values) in ["100", "10000"].iter().zip(&values) {
            let name = format!("execute/{}/{draws}", variant.name());
            pieces.add(name, format!("execute_command_list of {draws} draws"), values);
        }
    }
    Ok(())
}

/// Measures executing and submitting a list for the first time, and again.
fn again(args: &Args, pieces: &mut Pieces) -> Result<(), Error> {
    let mut onze = device(args)?;
    for variant in [Variant::V0, Variant::V1, Variant::V2, Variant::V3] {
        let (mut first, mut later) = (Vec::new(), Vec::new());
        let mut context = onze.device.create_deferred_context()?;
        let recorder = onze_benches::onze_side::Recorder::new(&onze.objects, variant, 0..DRAWS as usize)?;
        for frame in 0..args.frames().warm_up + args.frames().measured {
            recorder.record(&mut context)?;
            let list = context.finish_command_list(false)?;
            for execution in 0..EXECUTIONS {
                let start = Instant::now();
                onze.immediate.execute_command_list(&list, false);
                onze.immediate.flush();
                let value = nanoseconds(start);
                onze.wait()?;
                if frame >= args.frames().warm_up {
                    if execution == 0 { first.push(value) } else { later.push(value) }
                }
            }
        }
        pieces.add(format!("again/{}/first", variant.name()), "a list's first execution and flush", &first);
        pieces.add(
            format!("again/{}/later", variant.name()),
            "a list's second to tenth execution and flush",
            &later,
        );
    }
    Ok(())
}

/// Measures a map of 256 bytes of constants that are all written, and a plain copy of 256 bytes.
fn map(args: &Args, pieces: &mut Pieces) -> Result<(), Error> {
    let mut onze = device(args)?;
    let contents = [1.0_f32; SLOT / size_of::<f32>()];
    // Like the upload blocks, this memory is written again in each frame.
    let mut copied = Floor::of(SLOT * DRAWS as usize);
    let (mut maps, mut copies) = (Vec::new(), Vec::new());
    for frame in 0..args.frames().warm_up + 3 * args.frames().measured {
        let start = Instant::now();
        for _ in 0..DRAWS {
            onze.immediate.map(onze.objects.mapped(), 0, MapType::WriteDiscard)?.write(0, &contents);
        }
        let value = nanoseconds(start) / f64::from(DRAWS);
        // Draw something, so that the memory is used and then returned to the pool.
        onze.objects.begin(&mut onze.immediate);
        onze.objects.map_constants(&mut onze.immediate, 0)?;
        onze.objects.draw(&mut onze.immediate);
        onze.immediate.flush();
        onze.wait()?;
        let copy = copied.store(SLOT, DRAWS);
        if frame >= args.frames().warm_up {
            maps.push(value);
            copies.push(copy);
        }
    }
    pieces.add("map/256", "Map(WRITE_DISCARD), a write of 256 bytes, and unmap", &maps);
    pieces.add(
        "map/copy",
        "a plain copy of 256 bytes, to the same amount of memory, rewritten in each frame",
        &copies,
    );
    Ok(())
}

/// Measures creating and dropping a buffer, on one thread and on several threads.
fn create(args: &Args, pieces: &mut Pieces) -> Result<(), Error> {
    const EACH: u32 = 2000;
    let mut onze = device(args)?;
    let wgpu = WgpuDevice::new(args.backend(), &onze.device, Workload::new(1, false))?;
    let counts = args.thread_counts();
    let desc = BufferDesc::dynamic(SLOT as u32, BindFlags::CONSTANT_BUFFER);
    let mut values = vec![(Vec::new(), Vec::new()); counts.len()];
    let mut raw_wgpu = Vec::new();
    for frame in 0..args.frames().warm_up + args.frames().measured {
        let measured = frame >= args.frames().warm_up;
        for (threads, values) in counts.iter().zip(&mut values) {
            let device = &onze.device;
            let (start, end) = together(*threads, || {
                (0..EACH).try_for_each(|_| device.create_buffer(&desc, None).map(drop))
            })?;
            let calls = end.saturating_duration_since(start).as_secs_f64() * 1e9;
            let flush = Instant::now();
            onze.immediate.flush();
            let all = calls + nanoseconds(flush);
            if measured {
                let buffers = f64::from(EACH) * *threads as f64;
                values.0.push(calls / buffers);
                values.1.push(all / buffers);
            }
        }
        if let Some(wgpu) = &wgpu {
            let start = Instant::now();
            for _ in 0..EACH {
                drop(wgpu.objects.device().create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: SLOT as u64,
                    usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                }));
            }
            if measured {
                raw_wgpu.push(nanoseconds(start) / f64::from(EACH));
            }
        }
    }
    for (threads, (calls, all)) in counts.iter().zip(&values) {
        let what = format!("creating and dropping a buffer of 256 bytes, number of threads: {threads}");
        pieces.add(format!("create/onze/{threads}"), what.clone(), calls);
        pieces.add(format!("create/onze/{threads}/flush"), what + ", including the flush", all);
    }
    if wgpu.is_some() {
        pieces.add(
            "create/wgpu/1",
            "creating and dropping a buffer of 256 bytes with wgpu, on one thread",
            &raw_wgpu,
        );
    }
    Ok(())
}

/// Measures creating and dropping a texture with a view, on one thread.
fn texture(args: &Args, pieces: &mut Pieces) -> Result<(), Error> {
    const EACH: u32 = 500;
    let mut onze = device(args)?;
    let wgpu = WgpuDevice::new(args.backend(), &onze.device, Workload::new(1, false))?;
    let desc =
        Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, TEXTURE, TEXTURE) };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for frame in 0..args.frames().warm_up + args.frames().measured {
        let start = Instant::now();
        for _ in 0..EACH {
            let texture = onze.device.create_texture_2d(&desc, None)?;
            drop(onze.device.create_shader_resource_view(&texture, None)?);
        }
        // The flush destroys the objects.
        onze.immediate.flush();
        let value = nanoseconds(start) / f64::from(EACH);
        onze.wait()?;
        if frame >= args.frames().warm_up {
            ours.push(value);
        }
        let Some(wgpu) = &wgpu else { continue };
        let start = Instant::now();
        (0..EACH).for_each(|_| drop(wgpu.objects.create_texture()));
        if frame >= args.frames().warm_up {
            theirs.push(nanoseconds(start) / f64::from(EACH));
        }
    }
    pieces.add("texture/onze", "creating and dropping a texture with a view, including the flush", &ours);
    if wgpu.is_some() {
        pieces.add("texture/wgpu", "creating and dropping a texture with a view with wgpu", &theirs);
    }
    Ok(())
}

/// Counts the instructions of all threads per draw, if the command line asks for it.
fn count(args: &Args, pieces: &mut Pieces) -> Result<(), Error> {
    if !args.counts_instructions() || args.backend() != Backend::Noop {
        return Ok(());
    }
    for variant in Variant::ALL.into_iter().filter(|variant| args.wants(&counted(*variant))) {
        for (side, instructions) in instructions::of(variant)? {
            let name = format!("{}/{side}", counted(variant));
            pieces.add(name, "instructions of all threads per draw, until submitted", &[instructions]);
        }
    }
    Ok(())
}

/// Runs `work` on several threads that begin together. Returns the time from the start until the last thread
/// is done.
fn together(
    threads: usize,
    work: impl Fn() -> Result<(), onze::Error> + Sync,
) -> Result<(Instant, Instant), Error> {
    let arrived = AtomicUsize::new(0);
    let one = || -> Result<(Instant, Instant), Error> {
        arrived.fetch_add(1, Ordering::AcqRel);
        while arrived.load(Ordering::Acquire) < threads {
            std::thread::yield_now();
        }
        let start = Instant::now();
        work()?;
        Ok((start, Instant::now()))
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
        let (mut start, mut end) = one()?;
        for other in others {
            let (from, to) = other.join().map_err(|_| Error::ThreadStopped)??;
            (start, end) = (start.min(from), end.max(to));
        }
        Ok((start, end))
    })
}

/// Numbers of objects that are alive in addition to the objects of the workload.
struct Living {
    constants: u32,
    views: u32,
    vertices_and_indices: u32,
    textures: u32,
}

/// The created objects, kept alive so that destroying them is not part of the measured time.
type Kept = (Vec<Buffer>, Vec<Texture2d>, Vec<ShaderResourceView>);

impl Living {
    fn create(&self, device: &Device) -> Result<Kept, Error> {
        let mut buffers = Vec::new();
        for _ in 0..self.constants {
            let desc = BufferDesc::dynamic(SLOT as u32, BindFlags::CONSTANT_BUFFER);
            buffers.push(device.create_buffer(&desc, None)?);
        }
        for number in 0..self.vertices_and_indices {
            let flags = if number % 2 == 0 { BindFlags::VERTEX_BUFFER } else { BindFlags::INDEX_BUFFER };
            buffers.push(device.create_buffer(&BufferDesc::new(1024, flags), None)?);
        }
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
        let textures: Vec<_> =
            (0..self.textures).map(|_| device.create_texture_2d(&desc, None)).collect::<Result<_, _>>()?;
        let views = textures.iter().cycle().take(self.views as usize);
        let views = views.map(|texture| device.create_shader_resource_view(texture, None));
        let views = views.collect::<Result<_, _>>()?;
        Ok((buffers, textures, views))
    }

    fn words(&self) -> String {
        let Self { constants, views, vertices_and_indices, textures } = self;
        format!(
            "{constants} constant buffers, {views} views, {vertices_and_indices} vertex and index buffers and \
             {textures} textures"
        )
    }
}

/// Measures the workload beside few other living objects, and beside very many.
fn live(args: &Args, pieces: &mut Pieces) -> Result<(), Error> {
    const VARIANT: Variant = Variant::V2;
    let few = Living { constants: 900, views: 50, vertices_and_indices: 25, textures: 25 };
    let full = Living { constants: 900_000, views: 100_000, vertices_and_indices: 20_000, textures: 4096 };
    let small = Living { constants: 90_000, views: 10_000, vertices_and_indices: 2_000, textures: 512 };
    let many = if args.quick { small } else { full };
    if args.quick {
        pieces.missing.push(format!("P9 was measured with {} only, because of --quick", many.words()));
    }
    let (mut beside_few, mut beside_many) = (device(args)?, device(args)?);
    let kept = [few.create(&beside_few.device)?, many.create(&beside_many.device)?];
    let mut sides = [
        (beside_few.frames(Context::Immediate, VARIANT, DRAWS, 1)?, "few", few.words(), Vec::new()),
        (beside_many.frames(Context::Immediate, VARIANT, DRAWS, 1)?, "many", many.words(), Vec::new()),
    ];
    for frame in 0..args.frames().warm_up + args.frames().measured {
        for (side, _, _, costs) in &mut sides {
            let cost = side.frame()?;
            if frame >= args.frames().warm_up {
                costs.push(cost);
            }
        }
    }
    for (_, name, words, costs) in &sides {
        let per_draw = |time: std::time::Duration| time.as_secs_f64() * 1e9 / f64::from(DRAWS);
        let app: Vec<_> = costs.iter().map(|cost| per_draw(cost.app)).collect();
        let wall: Vec<_> = costs.iter().map(|cost| per_draw(cost.wall)).collect();
        let what = format!("per draw of immediate/{} beside {words}", VARIANT.name());
        pieces.add(format!("live/{name}/app"), format!("application's thread {what}"), &app);
        pieces.add(format!("live/{name}/wall"), format!("until submitted {what}"), &wall);
    }
    drop(kept);
    Ok(())
}
