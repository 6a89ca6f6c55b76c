//! The same frame drawn by a well-written program in raw wgpu, the baseline of the comparison.
//!
//! * A frame has one submission. On one thread, it has one command encoder with three passes, and on several
//!   threads, one encoder per part of a pass.
//! * Pipelines and bind groups are created in advance. There is a bind group for each pass, a bind group for
//!   each material, and a bind group that selects an object's constants by a dynamic offset. Each thread has
//!   its own bind groups, because threads that set the same bind group contend for its reference count.
//! * Constants are gathered in memory and uploaded once per frame. An object's constants are the same in all
//!   passes, so they are computed only once per frame.
//! * Redundant state changes are skipped, and clears are load operations.
//!
//! Scene, plan, constants and shaders are shared with the rest of the program.

mod constants;
mod device;
mod mips;
mod pipelines;
mod record;
mod resources;

use std::time::{Duration, Instant};

use onze::AdapterInfo;

use self::constants::Constants;
use self::device::Gpu;
use self::record::{Job, Recorder};
use self::resources::Resources;
use crate::args::{Mode, Size};
use crate::error::DemoError;
use crate::gpu::run::{Part, assign};
use crate::plan::{Frame, Pass};
use crate::report::{CpuClock, FrameCost};
use crate::scene::Scene;

/// Command buffers in the order of their submission, and the time that all threads spent on them.
type Recorded = (Vec<wgpu::CommandBuffer>, Duration);

#[derive(Debug)]
pub(crate) struct RawWgpu {
    gpu: Gpu,
    resources: Resources,
    constants: Constants,
    recorders: Vec<Recorder>,
}

impl RawWgpu {
    pub(crate) fn new(
        adapter: &AdapterInfo,
        size: Size,
        threads: usize,
        scene: &Scene,
    ) -> Result<Self, DemoError> {
        let gpu = Gpu::open(adapter)?;
        let resources = Resources::new(&gpu, size, scene);
        let constants = Constants::new(&gpu.device, scene);
        let recorder = |_| Recorder::new(&gpu.device, &resources, &constants);
        let recorders = (0..threads.max(1)).map(recorder).collect();
        gpu.check()?;
        Ok(Self { gpu, resources, constants, recorders })
    }

    /// Draws a frame and waits until the GPU has finished it. The mode immediate records on one thread, and
    /// the other modes record on all threads.
    pub(crate) fn draw_and_wait(
        &mut self,
        scene: &Scene,
        frame: &Frame,
        mode: Mode,
    ) -> Result<FrameCost, DemoError> {
        let (start, cpu) = (Instant::now(), CpuClock::start());
        self.constants.write_frame(frame);
        let (commands, record_threads) = match mode {
            Mode::Immediate => self.record(scene, frame),
            Mode::PerPass | Mode::PerChunk => self.record_on_threads(scene, frame)?,
        };
        let record = start.elapsed();
        let upload = self.constants.upload(self.gpu.encoder());
        self.gpu.queue.submit(std::iter::once(upload).chain(commands));
        let submitted = start.elapsed();
        self.gpu.wait()?;
        self.gpu.check()?;
        Ok(FrameCost {
            draws: frame.draws(),
            record,
            record_threads,
            execute: Duration::ZERO,
            submitted,
            frame: start.elapsed(),
            cpu: cpu.elapsed(),
        })
    }

    pub(crate) fn read_picture(&self) -> Result<Vec<u8>, DemoError> {
        self.gpu.read(&self.resources.targets.picture)
    }

    fn record(&mut self, scene: &Scene, frame: &Frame) -> Recorded {
        let Self { gpu, resources, constants, recorders } = self;
        let start = Instant::now();
        let job = Job { resources, scene, frame, stride: constants.stride() };
        for (first, slots) in constants.parts(1) {
            record::write_objects(job, slots, first);
        }
        let mut encoder = gpu.encoder();
        if let Some(recorder) = recorders.first() {
            for pass in Pass::ALL {
                recorder.record(&mut encoder, job, pass, 0..frame.steps(pass).len());
            }
        }
        (vec![encoder.finish()], start.elapsed())
    }

    /// Records like the mode per-chunk: each thread records its part of each pass.
    fn record_on_threads(&mut self, scene: &Scene, frame: &Frame) -> Result<Recorded, DemoError> {
        let Self { gpu, resources, constants, recorders } = self;
        let (gpu, threads) = (&*gpu, recorders.len());
        let job = Job { resources, scene, frame, stride: constants.stride() };
        let plan = assign(frame, Mode::PerChunk, threads);
        let results: Vec<_> = std::thread::scope(|scope| {
            let mut slots = constants.parts(threads);
            let work = recorders.iter().zip(&plan);
            let threads: Vec<_> = work
                .map(|(recorder, parts)| {
                    let slots = slots.next();
                    scope.spawn(move || {
                        let start = Instant::now();
                        if let Some((first, slots)) = slots {
                            record::write_objects(job, slots, first);
                        }
                        let record = |(place, (pass, range)): &(usize, Part)| {
                            let mut encoder = gpu.encoder();
                            recorder.record(&mut encoder, job, *pass, range.clone());
                            (*place, encoder.finish())
                        };
                        let commands: Vec<_> = parts.iter().map(record).collect();
                        (commands, start.elapsed())
                    })
                })
                .collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let (mut commands, mut time) = (Vec::new(), Duration::ZERO);
        for result in results {
            let (recorded, busy) =
                result.map_err(|_| DemoError::RawWgpu("a recording thread stopped".to_owned()))?;
            commands.extend(recorded);
            time += busy;
        }
        commands.sort_by_key(|(place, _)| *place);
        Ok((commands.into_iter().map(|(_, commands)| commands).collect(), time))
    }
}
