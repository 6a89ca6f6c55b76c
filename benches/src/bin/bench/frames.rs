//! The frames of Onze and wgpu. Both are measured with the same clocks and split between threads in the same
//! way.

use std::ops::Range;
use std::sync::Arc;

use onze::prelude::*;
use onze_benches::backend::Backend;
use onze_benches::error::Error;
use onze_benches::wgpu_side::Form;
use onze_benches::workload::{Variant, Workload};
use onze_benches::{onze_side, wgpu_side};

use crate::crew::{Crew, PartRecorder};
use crate::measure::{Cost, Stopwatch};

/// The contexts that record a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Context {
    /// The immediate context. wgpu uses one thread.
    Immediate,
    /// This number of deferred contexts, each on its own thread. wgpu uses the same number of threads, each
    /// with its own encoder.
    Deferred(usize),
    /// A command list, or wgpu's render bundle, that is recorded in advance and executed several times.
    Replay,
}

impl Context {
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Deferred(_) => "deferred",
            Self::Replay => "replay",
        }
    }

    pub(crate) fn threads(self) -> usize {
        match self {
            Self::Deferred(threads) => threads,
            Self::Immediate | Self::Replay => 1,
        }
    }

    /// Returns the name of the context in filters and tables. It includes the number of threads.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Deferred(threads) => format!("deferred-{threads}"),
            Self::Immediate | Self::Replay => self.kind().to_owned(),
        }
    }
}

/// Splits the draws into equal ranges, one per thread.
fn parts(draws: u32, threads: usize) -> impl Iterator<Item = Range<usize>> {
    let draws = draws as usize;
    (0..threads).map(move |part| draws * part / threads..draws * (part + 1) / threads)
}

pub(crate) trait Frames {
    /// Draws a frame, waits until the GPU has finished it, and returns its cost.
    fn frame(&mut self) -> Result<Cost, Error>;
}

pub(crate) struct OnzeDevice {
    pub(crate) device: Device,
    pub(crate) immediate: ImmediateContext,
    pub(crate) objects: Arc<onze_side::Objects>,
    done: onze::Query,
}

impl OnzeDevice {
    pub(crate) fn new(backend: Backend, workers: u32, work: Workload) -> Result<Self, Error> {
        let (device, immediate) = backend.onze_device(Some(workers))?;
        let objects = Arc::new(onze_side::Objects::new(&device, work)?);
        Ok(Self { done: device.create_query(QueryType::Event)?, device, immediate, objects })
    }

    /// Returns whether the adapter is a GPU rather than the CPU.
    pub(crate) fn is_gpu(&self) -> bool {
        !matches!(self.device.adapter().kind, AdapterKind::Software | AdapterKind::Null)
    }

    /// Waits until the GPU has finished everything that was recorded.
    pub(crate) fn wait(&mut self) -> Result<(), Error> {
        self.immediate.end(&self.done);
        while self.immediate.get_data(&self.done, false)?.is_none() {
            // A software adapter draws on this CPU, so yield to it.
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Records a command list with a range of the draws, without the clear.
    pub(crate) fn list(&self, variant: Variant, part: Range<usize>) -> Result<CommandList, Error> {
        let mut context = self.device.create_deferred_context()?;
        onze_side::Recorder::new(&self.objects, variant, part)?.without_clear().record(&mut context)?;
        Ok(context.finish_command_list(false)?)
    }

    pub(crate) fn frames(
        &mut self,
        context: Context,
        variant: Variant,
        draws: u32,
        times: u32,
    ) -> Result<OnzeFrames<'_>, Error> {
        let all = 0..draws as usize;
        let way = match context {
            Context::Immediate => OnzePath::Immediate(onze_side::Recorder::new(&self.objects, variant, all)?),
            Context::Replay => OnzePath::Replay(self.list(variant, all)?, times),
            Context::Deferred(threads) => {
                let part = |part| -> Result<PartRecorder<CommandList>, Error> {
                    let recorder = onze_side::Recorder::new(&self.objects, variant, part)?;
                    let mut context = self.device.create_deferred_context()?;
                    Ok(Box::new(move || {
                        recorder.record(&mut context)?;
                        Ok(context.finish_command_list(false)?)
                    }))
                };
                OnzePath::Deferred(crew(parts(draws, threads).map(part))?)
            }
        };
        Ok(OnzeFrames { device: self, way })
    }
}

fn crew<R: Send + 'static>(
    mut parts: impl Iterator<Item = Result<PartRecorder<R>, Error>>,
) -> Result<Crew<R>, Error> {
    let first = parts.next().unwrap_or(Err(Error::ThreadStopped))?;
    Ok(Crew::start(first, parts.collect::<Result<_, _>>()?))
}

enum OnzePath {
    Immediate(onze_side::Recorder),
    Deferred(Crew<CommandList>),
    Replay(CommandList, u32),
}

pub(crate) struct OnzeFrames<'a> {
    device: &'a mut OnzeDevice,
    way: OnzePath,
}

impl Frames for OnzeFrames<'_> {
    fn frame(&mut self) -> Result<Cost, Error> {
        let immediate = &mut self.device.immediate;
        let (watch, app) = match &mut self.way {
            OnzePath::Immediate(recorder) => {
                let watch = Stopwatch::start();
                recorder.record(immediate)?;
                (watch, watch.elapsed())
            }
            OnzePath::Deferred(crew) => {
                let recorded = crew.record()?;
                for list in recorded.parts {
                    immediate.execute_command_list(&list, false);
                }
                (recorded.watch, recorded.watch.until(recorded.end))
            }
            OnzePath::Replay(list, times) => {
                let watch = Stopwatch::start();
                self.device.objects.clear(immediate);
                (0..*times).for_each(|_| immediate.execute_command_list(list, false));
                (watch, watch.elapsed())
            }
        };
        immediate.flush();
        let (wall, cpu) = (watch.elapsed(), watch.cpu());
        self.device.wait()?;
        Ok(Cost { app, wall, cpu, done: watch.elapsed() })
    }
}

pub(crate) struct WgpuDevice {
    pub(crate) objects: Arc<wgpu_side::Objects>,
}

impl WgpuDevice {
    /// Creates wgpu's objects on Onze's adapter. Returns `None` for the null driver.
    pub(crate) fn new(backend: Backend, onze: &Device, work: Workload) -> Result<Option<Self>, Error> {
        let made = backend.wgpu_device(onze.adapter())?;
        Ok(made.map(|(device, queue)| Self {
            objects: Arc::new(wgpu_side::Objects::new(&device, &queue, work)),
        }))
    }

    /// Returns the forms of a variant that are measured in a context.
    pub(crate) fn forms(&self, context: Context, variant: Variant) -> impl Iterator<Item = Form> {
        let forms = Form::ALL.into_iter().filter(move |form| form.exists(variant, self.objects.device()));
        // Bundles have no indirect call for several draws, and the expert's forms of several threads differ
        // from those of one only in the number of passes.
        forms.filter(move |form| context == Context::Immediate || matches!(form, Form::Draws | Form::Best))
    }

    pub(crate) fn frames(
        &self,
        context: Context,
        (variant, form): (Variant, Form),
        draws: u32,
        times: u32,
    ) -> Result<WgpuFrames<'_>, Error> {
        let recorder = |part| wgpu_side::Recorder::new(&self.objects, variant, form, part);
        let way = if context == Context::Replay {
            WgpuPath::Replay(Box::new(recorder(0..draws as usize).bundle()), times)
        } else {
            let part = |part| -> Result<PartRecorder<wgpu::CommandBuffer>, Error> {
                Ok(match form {
                    Form::Draws | Form::Best => {
                        let mut recorder = recorder(part);
                        Box::new(move || Ok(recorder.record()))
                    }
                    Form::ByIndex | Form::MultiDraw => {
                        let mut recorder =
                            wgpu_side::IndexedRecorder::new(&self.objects, variant, form, part);
                        Box::new(move || Ok(recorder.record()))
                    }
                })
            };
            WgpuPath::Record(crew(parts(draws, context.threads()).map(part))?)
        };
        Ok(WgpuFrames { objects: &self.objects, way })
    }
}

enum WgpuPath {
    Record(Crew<wgpu::CommandBuffer>),
    Replay(Box<wgpu::RenderBundle>, u32),
}

pub(crate) struct WgpuFrames<'a> {
    objects: &'a wgpu_side::Objects,
    way: WgpuPath,
}

impl Frames for WgpuFrames<'_> {
    fn frame(&mut self) -> Result<Cost, Error> {
        let (watch, app, buffers) = match &mut self.way {
            WgpuPath::Record(crew) => {
                let recorded = crew.record()?;
                (recorded.watch, recorded.watch.until(recorded.end), recorded.parts)
            }
            WgpuPath::Replay(bundle, times) => {
                let watch = Stopwatch::start();
                let buffer = self.objects.replay(bundle, *times);
                (watch, watch.elapsed(), vec![buffer])
            }
        };
        self.objects.queue().submit(buffers);
        let (wall, cpu) = (watch.elapsed(), watch.cpu());
        let waited = self.objects.device().poll(wgpu::PollType::wait_indefinitely());
        waited.map_err(|error| Error::Wgpu(error.to_string()))?;
        Ok(Cost { app, wall, cpu, done: watch.elapsed() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_draw_is_in_one_part() {
        for (draws, threads) in [(10_000, 1), (10_000, 3), (2, 4), (7, 7)] {
            let all: Vec<_> = parts(draws, threads).flatten().collect();
            assert_eq!(all, (0..draws as usize).collect::<Vec<_>>());
            assert_eq!(parts(draws, threads).count(), threads);
        }
    }

    #[test]
    fn a_frame_of_every_context_runs_on_the_backend_without_a_gpu() {
        let work = || Workload::new(50, false);
        let mut onze = OnzeDevice::new(Backend::Noop, 1, work()).unwrap();
        let wgpu = WgpuDevice::new(Backend::Noop, &onze.device, work()).unwrap().unwrap();
        for context in [Context::Immediate, Context::Deferred(1), Context::Deferred(3), Context::Replay] {
            let is_drawn = |variant: &Variant| context != Context::Replay || variant.is_replayed();
            for variant in Variant::ALL.into_iter().filter(is_drawn) {
                for _ in 0..2 {
                    let mut costs = vec![onze.frames(context, variant, 50, 2).unwrap().frame().unwrap()];
                    for form in wgpu.forms(context, variant) {
                        costs.push(wgpu.frames(context, (variant, form), 50, 2).unwrap().frame().unwrap());
                    }
                    for cost in costs {
                        assert!(cost.app <= cost.wall && cost.wall <= cost.done, "{context:?} {variant:?}");
                    }
                }
            }
        }
    }
}
