//! The soak: checks that memory stops growing over many frames.

use std::collections::VecDeque;

use onze::prelude::*;

use crate::error::Error;
use crate::onze_side::{Objects, Recorder};
use crate::workload::{Variant, Workload};

const DRAWS: u32 = 64;

/// Number of executions of each list in one frame.
const EXECUTIONS: u32 = 8;

/// Maximum number of buffers that are alive at the same time. The oldest buffers are dropped.
const LIVING: usize = 256;

/// Number of frames from one memory measurement to the next. It is small, so that short-lived memory of a
/// thread is observed both near the beginning and near the end.
const LOOKS: u32 = 4;

/// Maximum relative growth of the peak memory from the early measurements to the late measurements.
const GROWTH: f64 = 0.01;

/// The memory of the process during a soak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Soak {
    /// Total number of frames.
    pub frames: u32,
    /// Peak memory of the process in the second fifth of the frames, after the warm-up, in bytes.
    pub early: usize,
    /// Peak memory of the process in the last fifth of the frames, in bytes.
    pub late: usize,
}

impl Soak {
    /// Returns the relative growth of memory from `early` to `late`. It is negative if memory shrank.
    pub fn growth(&self) -> f64 {
        self.late as f64 / self.early.max(1) as f64 - 1.0
    }

    /// # Errors
    /// Returns [`Error::MemoryGrew`] if memory grew by more than one hundredth.
    pub fn check(&self) -> Result<(), Error> {
        let Self { frames, early, late } = *self;
        if self.growth() <= GROWTH {
            return Ok(());
        }
        let percent = 100.0 * self.growth();
        Err(Error::MemoryGrew(format!("from {early} to {late} bytes ({percent:.1} %) in {frames} frames")))
    }
}

/// Draws frames and measures the memory of the process. Each frame discards buffers, records and executes
/// command lists, and creates and drops objects. `each` is called after each frame.
///
/// # Errors
/// Returns an error if a call to the device fails, or [`Error::MemoryUnknown`] if the system does not report
/// memory use.
pub fn run(
    device: &Device,
    immediate: &mut ImmediateContext,
    frames: u32,
    mut each: impl FnMut(u32),
) -> Result<Soak, Error> {
    let mut scene = Scene::new(device)?;
    // Memory grows until all pools have reached their size. The first fifth of the frames is therefore the
    // warm-up, and the second fifth is compared with the last fifth.
    let (warm, early_end, late_start) = (frames / 5, frames / 5 * 2, frames / 5 * 4);
    let mut soak = Soak { frames, early: 0, late: 0 };
    for frame in 0..frames {
        scene.frame(device, immediate, frame)?;
        if frame % LOOKS == 0 || frames < 10 * LOOKS {
            let memory = memory_stats::memory_stats().ok_or(Error::MemoryUnknown)?.physical_mem;
            if (warm..early_end).contains(&frame) {
                soak.early = soak.early.max(memory);
            } else if frame >= late_start {
                soak.late = soak.late.max(memory);
            }
        }
        each(frame);
    }
    Ok(soak)
}

struct Scene {
    recorder: Recorder,
    deferred: [(DeferredContext, Recorder); 2],
    /// Lists are executed in several frames before they are dropped.
    lists: VecDeque<CommandList>,
    living: VecDeque<Buffer>,
    done: onze::Query,
}

impl Scene {
    fn new(device: &Device) -> Result<Self, Error> {
        let objects = std::sync::Arc::new(Objects::new(device, Workload::new(DRAWS, true))?);
        let recorder = |variant| Recorder::new(&objects, variant, 0..DRAWS as usize);
        let deferred =
            |variant| -> Result<_, Error> { Ok((device.create_deferred_context()?, recorder(variant)?)) };
        Ok(Self {
            recorder: recorder(Variant::V3)?,
            deferred: [deferred(Variant::V2)?, deferred(Variant::V4)?],
            lists: VecDeque::new(),
            living: VecDeque::new(),
            done: device.create_query(QueryType::Event)?,
        })
    }

    fn frame(&mut self, device: &Device, immediate: &mut ImmediateContext, frame: u32) -> Result<(), Error> {
        self.recorder.record(immediate)?;
        for (context, recorder) in &mut self.deferred {
            recorder.record(context)?;
            self.lists.push_back(context.finish_command_list(false)?);
        }
        for list in &self.lists {
            (0..EXECUTIONS).for_each(|_| immediate.execute_command_list(list, true));
        }
        while self.lists.len() > 4 {
            self.lists.pop_front();
        }
        self.create(device, immediate, frame)?;
        immediate.end(&self.done);
        // Wait for the GPU, because a backlog of frames would also need memory.
        while immediate.get_data(&self.done, false)?.is_none() {
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Creates buffers of several sizes and a texture, uses one buffer, and drops old buffers.
    fn create(&mut self, device: &Device, immediate: &mut ImmediateContext, frame: u32) -> Result<(), Error> {
        for turn in 0..8 {
            let size = 256 << ((frame + turn) % 6);
            self.living
                .push_back(device.create_buffer(&BufferDesc::new(size, BindFlags::CONSTANT_BUFFER), None)?);
        }
        let vertices: Vec<f32> = vec![0.0; 64 + (frame % 7) as usize * 32];
        let vertices = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &vertices)?;
        immediate.ia_set_vertex_buffers(0, VertexBufferBinding::new(&vertices, 12));
        let texture = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 16 << (frame % 3), 16);
        let texture = device.create_texture_2d(&texture, None)?;
        let view = device.create_render_target_view(&texture, None)?;
        immediate.clear_render_target_view(&view, [1.0; 4]);
        while self.living.len() > LIVING {
            self.living.pop_front();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_of_more_than_one_hundredth_is_an_error() {
        let soak = |late| Soak { frames: 1, early: 1000, late };
        assert!(soak(1009).check().is_ok() && soak(900).check().is_ok());
        let error = soak(1011).check().unwrap_err().to_string();
        assert!(error.contains("from 1000 to 1011 bytes (1.1 %)"), "{error}");
    }
}
