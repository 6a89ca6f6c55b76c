//! Draws and measures frames, with the same recording code in all three modes.

use std::ops::Range;
use std::time::{Duration, Instant};

use onze::{Message, prelude::*};

use super::record::{Job, Recorder};
use super::resources::Resources;
use super::targets::Targets;
use crate::args::{AdapterChoice, Args, Lists, Mode};
use crate::error::DemoError;
use crate::plan::{Frame, Pass, split};
use crate::report::{CpuClock, FrameCost};
use crate::scene::Scene;
use crate::shaders::Language;

/// A deferred context and the buffers that it writes, both kept from frame to frame.
struct Worker {
    context: DeferredContext,
    recorder: Recorder,
}

/// A part of a pass: the pass and a range of its draw calls.
pub(crate) type Part = (Pass, Range<usize>);

/// The result of a recording thread: its command lists, each with its position in the order of execution, and
/// the thread's recording time.
type Recorded = Result<(Vec<(usize, CommandList)>, Duration), onze::Error>;

pub(crate) struct Renderer {
    pub(crate) device: Device,
    pub(crate) immediate: ImmediateContext,
    resources: Resources,
    recorder: Recorder,
    workers: Vec<Worker>,
    threads: usize,
    done: onze::Query,
}

impl Renderer {
    /// Creates a device with the options of the command line, and uploads the scene.
    pub(crate) fn new(
        args: &Args,
        lists: Lists,
        window: Option<WindowHandle>,
        scene: &Scene,
    ) -> Result<Self, DemoError> {
        let (device, mut immediate) = create_device(&device_desc(args, lists, window)?)?;
        let language = if args.hlsl { Language::Hlsl } else { Language::Wgsl };
        let resources = Resources::new(&device, &mut immediate, scene, language)?;
        let threads = args.recording_threads();
        let worker = |_| -> Result<Worker, onze::Error> {
            Ok(Worker { context: device.create_deferred_context()?, recorder: Recorder::new(&device)? })
        };
        Ok(Self {
            workers: (0..threads.max(Pass::ALL.len())).map(worker).collect::<Result<_, _>>()?,
            recorder: Recorder::new(&device)?,
            done: device.create_query(QueryType::Event)?,
            device,
            immediate,
            resources,
            threads,
        })
    }

    pub(crate) fn threads(&self, mode: Mode) -> usize {
        match mode {
            Mode::Immediate => 1,
            Mode::PerPass => Pass::ALL.len(),
            Mode::PerChunk => self.threads,
        }
    }

    /// Returns an error if the debug layer reported a warning or an error.
    pub(crate) fn check_messages(&self) -> Result<(), DemoError> {
        let messages = self.device.info_queue().messages();
        // The demo prints its adapter, so the message about a software adapter is redundant.
        let is_bad = |m: &Message| m.severity <= Severity::Warning && m.id != MessageId::SoftwareAdapter;
        let bad = messages.into_iter().find(is_bad);
        bad.map_or(Ok(()), |message| Err(DemoError::Reported(message.to_string())))
    }

    /// Draws a frame and waits until the GPU has finished it, by polling an event query (D3D11:
    /// `D3D11_QUERY_EVENT`).
    pub(crate) fn draw_and_wait(
        &mut self,
        scene: &Scene,
        frame: &Frame,
        targets: &Targets,
        mode: Mode,
    ) -> Result<FrameCost, onze::Error> {
        let (start, cpu) = (Instant::now(), CpuClock::start());
        let cost = self.draw(scene, frame, targets, mode)?;
        self.immediate.end(&self.done);
        self.immediate.flush();
        let submitted = start.elapsed();
        while self.immediate.get_data(&self.done, false)?.is_none() {
            // A software adapter draws on this CPU, so sleep instead of spinning. Polling every 0.1 ms would
            // use a twentieth of the CPU time, so the interval grows to a hundredth of the elapsed time.
            let pause = (start.elapsed() / 100).max(Duration::from_micros(100));
            std::thread::sleep(pause);
        }
        Ok(FrameCost { submitted, frame: start.elapsed(), cpu: cpu.elapsed(), ..cost })
    }

    /// Records a frame in the given mode and executes its command lists.
    pub(crate) fn draw(
        &mut self,
        scene: &Scene,
        frame: &Frame,
        targets: &Targets,
        mode: Mode,
    ) -> Result<FrameCost, onze::Error> {
        self.resources.update(&mut self.immediate, frame);
        let job = Job { resources: &self.resources, scene, frame, targets };
        let start = Instant::now();
        let mut cost = FrameCost { draws: frame.draws(), ..FrameCost::default() };
        if mode == Mode::Immediate {
            for pass in Pass::ALL {
                let all = 0..frame.steps(pass).len();
                self.recorder.record(&mut self.immediate, job, pass, all)?;
            }
            // Unbind all state of the frame, as `ExecuteCommandList` does after a list.
            self.immediate.clear_state();
            cost.record = start.elapsed();
            cost.record_threads = cost.record;
            return Ok(cost);
        }
        let plan = assign(frame, mode, self.threads);
        let (lists, record_threads) = record_on_threads(&mut self.workers, job, &plan)?;
        cost.record = start.elapsed();
        cost.record_threads = record_threads;
        let start = Instant::now();
        for list in &lists {
            self.immediate.execute(list);
        }
        cost.execute = start.elapsed();
        Ok(cost)
    }
}

/// Distributes the passes over threads, and returns the parts for each thread, with their positions in the
/// order of execution.
pub(crate) fn assign(frame: &Frame, mode: Mode, threads: usize) -> Vec<Vec<(usize, Part)>> {
    let mut plan: Vec<Vec<(usize, Part)>> = vec![Vec::new(); threads.max(Pass::ALL.len())];
    let mut place = 0;
    for pass in Pass::ALL {
        let parts = if mode == Mode::PerChunk { threads } else { 1 };
        for (part, range) in split(frame.steps(pass).len(), parts).into_iter().enumerate() {
            let thread = if mode == Mode::PerChunk { part } else { pass as usize };
            plan[thread].push((place, (pass, range)));
            place += 1;
        }
    }
    plan
}

/// Records every part on its thread, and returns the command lists in the order of execution, and the total
/// recording time of the threads.
fn record_on_threads(
    workers: &mut [Worker],
    job: Job<'_>,
    plan: &[Vec<(usize, Part)>],
) -> Result<(Vec<CommandList>, Duration), onze::Error> {
    let results: Vec<Recorded> = std::thread::scope(|scope| {
        let busy = workers.iter_mut().zip(plan).filter(|(_, parts)| !parts.is_empty());
        let threads: Vec<_> =
            busy.map(|(worker, parts)| scope.spawn(move || worker.record(job, parts))).collect();
        let stopped = || Err(onze::Error::Fail("a recording thread stopped".to_owned()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| stopped())).collect()
    });
    let (mut lists, mut time) = (Vec::new(), Duration::ZERO);
    for result in results {
        let (recorded, busy) = result?;
        lists.extend(recorded);
        time += busy;
    }
    lists.sort_by_key(|(place, _)| *place);
    Ok((lists.into_iter().map(|(_, list)| list).collect(), time))
}

impl Worker {
    fn record(&mut self, job: Job<'_>, parts: &[(usize, Part)]) -> Recorded {
        let start = Instant::now();
        let mut lists = Vec::with_capacity(parts.len());
        for (place, (pass, range)) in parts {
            self.recorder.record(&mut self.context, job, *pass, range.clone())?;
            lists.push((*place, self.context.finish()?));
        }
        Ok((lists, start.elapsed()))
    }
}

fn device_desc(args: &Args, lists: Lists, window: Option<WindowHandle>) -> Result<DeviceDesc, DemoError> {
    let is_hardware = |adapter: &Adapter| adapter.info().kind != AdapterKind::Software;
    let (driver_type, adapter) = match args.adapter {
        Some(AdapterChoice::Software) => (DriverType::Software, None),
        Some(AdapterChoice::Noop) => (DriverType::Custom(onze_wgpu::noop_driver()), None),
        // `DriverType::Hardware` alone would fall back to a software adapter.
        Some(AdapterChoice::Hardware) => {
            let found = enumerate_adapters().into_iter().find(is_hardware);
            (DriverType::Hardware, Some(found.ok_or(DemoError::NoHardware)?))
        }
        None => (DriverType::Hardware, None),
    };
    Ok(DeviceDesc {
        driver_type,
        adapter,
        debug: args.verify,
        verify_driver: args.verify,
        max_threading: match lists {
            Lists::Driver => ThreadingCaps::CommandLists,
            Lists::Runtime => ThreadingCaps::FreeThreaded,
        },
        workers: args.workers,
        page_draws: args.page_draws,
        run_draws: args.run_draws,
        window,
        ..DeviceDesc::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_draw_call_is_assigned_once_and_executed_in_order() {
        let frame = Frame::plan(&Scene::new(100, &[]), 0, 1.5);
        for (mode, threads) in
            [(Mode::PerPass, 1), (Mode::PerChunk, 1), (Mode::PerChunk, 5), (Mode::PerChunk, 256)]
        {
            let plan = assign(&frame, mode, threads);
            let mut parts: Vec<_> = plan.into_iter().flatten().collect();
            parts.sort_by_key(|(place, _)| *place);
            let mut next = 0;
            for pass in Pass::ALL {
                let mut at = 0;
                while at < frame.steps(pass).len() {
                    let (place, (part_pass, range)) = parts[next].clone();
                    assert_eq!((place, part_pass, range.start), (next, pass, at));
                    (next, at) = (next + 1, range.end);
                }
            }
            assert_eq!(next, parts.len());
        }
    }
}
