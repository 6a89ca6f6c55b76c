//! Multi-draws: consecutive draws, between which nothing is bound, as one indirect command of wgpu.
//!
//! A draw costs wgpu as much whether its arguments are in the command or in a buffer, but one indirect command
//! can make many draws. So the arguments of draws are collected until something else happens in the pass.
//! Their buffer is filled through the [belt](crate::submit::belt), at the start of the submission that contains
//! the run.

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;
use onze_ddi::{DrawIndexedInstancedIndirectArgs, DrawInstancedIndirectArgs};

use crate::{
    record::page::InstancedDraw,
    services::{
        policy::MultiDrawPolicy,
        sizes::{ARGUMENT_WORDS, SPARE_ARGUMENTS},
    },
};

const WORD: usize = size_of::<u32>();
const INDEXED_WORDS: usize = size_of::<DrawIndexedInstancedIndirectArgs>() / WORD;
const PLAIN_WORDS: usize = size_of::<DrawInstancedIndirectArgs>() / WORD;

/// A buffer for the arguments of draws, with its contents.
#[derive(Debug)]
pub(crate) struct DrawArguments {
    pub(crate) buffer: wgpu::Buffer,
    words: Vec<u32>,
}

impl DrawArguments {
    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }
}

/// Buffers for the arguments of draws, which are reused after the submission that reads them. A later
/// submission fills them again, and it is executed after the earlier one.
#[derive(Debug)]
pub(crate) struct SpareArguments {
    device: wgpu::Device,
    spare: ArrayQueue<DrawArguments>,
}

impl SpareArguments {
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        Self { device: device.clone(), spare: ArrayQueue::new(SPARE_ARGUMENTS) }
    }

    fn take(&self) -> DrawArguments {
        self.spare.pop().unwrap_or_else(|| DrawArguments {
            buffer: self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("arguments of draws"),
                size: (ARGUMENT_WORDS * WORD) as u64,
                usage: wgpu::BufferUsages::INDIRECT | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            words: Vec::with_capacity(ARGUMENT_WORDS),
        })
    }

    /// Takes a buffer back, whose readers were submitted, or drops it if there are enough.
    pub(crate) fn put(&self, mut used: DrawArguments) {
        used.words.clear();
        drop(self.spare.push(used));
    }

    pub(crate) fn trim(&self) {
        while self.spare.pop().is_some() {}
    }
}

/// Number of multi-draws, and number of draws in them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MultiDrawCounts {
    pub(crate) calls: u32,
    pub(crate) draws: u32,
}

/// The draws of a run that wait to become one multi-draw, and the arguments of its earlier multi-draws.
#[derive(Debug, Default)]
pub(crate) struct MultiDraws {
    /// `None` if the device makes no multi-draws.
    means: Option<(Arc<SpareArguments>, MultiDrawPolicy)>,
    /// Minimum number of draws in the next multi-draw.
    least: u32,
    open: Option<DrawArguments>,
    full: Vec<DrawArguments>,
    /// Number of waiting draws, whose arguments are at the end of `open`.
    waiting: u32,
    indexed: bool,
    counts: MultiDrawCounts,
}

impl MultiDraws {
    pub(crate) fn new(spare: &Arc<SpareArguments>, policy: MultiDrawPolicy) -> Self {
        Self { means: Some((spare.clone(), policy)), least: policy.first, ..Self::default() }
    }

    /// Ends a pass, in which no draw waits.
    pub(crate) fn end_pass(&mut self) {
        self.least = self.means.as_ref().map_or(0, |(_, policy)| policy.first);
    }

    /// Adds a draw to the waiting draws, or makes it at once if the device makes no multi-draws.
    #[inline]
    pub(crate) fn add(&mut self, pass: &mut wgpu::RenderPass<'static>, indexed: bool, args: &InstancedDraw) {
        if self.waiting != 0 && indexed != self.indexed {
            self.encode(pass);
        }
        let InstancedDraw { count, instance_count, start, base_vertex, start_instance } = *args;
        let has_room =
            self.open.as_ref().is_some_and(|open| open.words.len() + INDEXED_WORDS <= ARGUMENT_WORDS);
        if !has_room && !self.turn_over(pass) {
            encode_draw(pass, indexed, args);
            return;
        }
        let Some(open) = &mut self.open else { return };
        if indexed {
            open.words.extend([count, instance_count, start, base_vertex.cast_unsigned(), start_instance]);
        } else {
            open.words.extend([count, instance_count, start, start_instance]);
        }
        (self.waiting, self.indexed) = (self.waiting + 1, indexed);
    }

    /// Begins another buffer, or returns `false` if the device makes no multi-draws.
    #[cold]
    fn turn_over(&mut self, pass: &mut wgpu::RenderPass<'static>) -> bool {
        self.encode(pass);
        let Some((spare, _)) = &self.means else { return false };
        let full = self.open.replace(spare.take());
        self.full.extend(full);
        true
    }

    /// Returns whether draws wait.
    #[inline]
    pub(crate) const fn has_waiting(&self) -> bool {
        self.waiting != 0
    }

    /// Encodes the waiting draws.
    #[inline(never)]
    pub(crate) fn encode(&mut self, pass: &mut wgpu::RenderPass<'static>) {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(open) = self.open.as_mut().filter(|_| waiting != 0) else { return };
        let words = if self.indexed { INDEXED_WORDS } else { PLAIN_WORDS };
        let first = open.words.len() - waiting as usize * words;
        let draws = open.words.get(first..).unwrap_or_default().chunks_exact(words).map(arguments);
        if waiting < self.least {
            draws.for_each(|args| encode_draw(pass, self.indexed, &args));
            open.words.truncate(first);
            return;
        }
        self.least = self.means.as_ref().map_or(0, |(_, policy)| policy.further);
        self.counts.calls += 1;
        self.counts.draws += draws.map(|args| args.instance_count).sum::<u32>();
        let offset = (first * WORD) as u64;
        if self.indexed {
            pass.multi_draw_indexed_indirect(&open.buffer, offset, waiting);
        } else {
            pass.multi_draw_indirect(&open.buffer, offset, waiting);
        }
    }

    /// Ends the run, and returns the arguments that must be uploaded before it, and the statistics.
    pub(crate) fn finish(self) -> (Vec<DrawArguments>, MultiDrawCounts) {
        let mut all = self.full;
        all.extend(self.open);
        (all, self.counts)
    }
}

/// Reads the arguments of a draw from the words of a buffer.
fn arguments(words: &[u32]) -> InstancedDraw {
    match *words {
        [count, instance_count, start, base_vertex, start_instance] => {
            let base_vertex = base_vertex.cast_signed();
            InstancedDraw { count, instance_count, start, base_vertex, start_instance }
        }
        [count, instance_count, start, start_instance] => {
            InstancedDraw { count, instance_count, start, base_vertex: 0, start_instance }
        }
        _ => InstancedDraw { count: 0, instance_count: 0, start: 0, base_vertex: 0, start_instance: 0 },
    }
}

#[inline]
pub(crate) fn encode_draw(pass: &mut wgpu::RenderPass<'static>, indexed: bool, args: &InstancedDraw) {
    let Some((range, instances)) = args.ranges() else { return };
    if indexed {
        pass.draw_indexed(range, args.base_vertex, instances);
    } else {
        pass.draw(range, instances);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::testing;

    /// Records draws in a pass that is never executed, and returns the arguments and the statistics.
    fn recorded(draws: impl Fn(&mut MultiDraws, &mut wgpu::RenderPass<'static>)) -> Recorded {
        let (device, _runtime) = testing::noop();
        let device = &device.gpu.device;
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d::default(),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let color = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations::default(),
        };
        let desc = wgpu::RenderPassDescriptor {
            color_attachments: &[Some(color)],
            ..wgpu::RenderPassDescriptor::default()
        };
        let mut pass = encoder.begin_render_pass(&desc).forget_lifetime();
        let policy = MultiDrawPolicy { first: 10, further: 4 };
        let mut multi_draws = MultiDraws::new(&Arc::new(SpareArguments::new(device)), policy);
        draws(&mut multi_draws, &mut pass);
        multi_draws.encode(&mut pass);
        multi_draws.finish()
    }

    type Recorded = (Vec<DrawArguments>, MultiDrawCounts);

    fn draw(n: u32) -> InstancedDraw {
        InstancedDraw { count: 3, instance_count: 2, start: n, base_vertex: -5, start_instance: 7 }
    }

    #[test]
    fn arguments_continue_in_the_next_buffer() {
        let (arguments, counts) = recorded(|multi_draws, pass| {
            (0..7000).for_each(|n| multi_draws.add(pass, true, &draw(n)));
        });
        assert_eq!(counts, MultiDrawCounts { calls: 3, draws: 14_000 });
        assert!(arguments.iter().all(|full| full.bytes().len() as u64 <= full.buffer.size()));
        let words: Vec<_> = arguments.iter().flat_map(|full| full.words.clone()).collect();
        let starts = words.chunks(INDEXED_WORDS).map(super::arguments);
        assert!(starts.eq((0..7000).map(draw)));
    }

    #[test]
    fn few_draws_are_made_one_by_one() {
        let (arguments, counts) = recorded(|multi_draws, pass| {
            (0..9).for_each(|n| multi_draws.add(pass, true, &draw(n)));
            (0..9).for_each(|n| multi_draws.add(pass, false, &draw(n)));
        });
        assert_eq!(counts, MultiDrawCounts::default());
        assert!(arguments.iter().all(|unused| unused.bytes().is_empty()), "nothing is uploaded");
    }

    #[test]
    fn further_multi_draws_of_a_pass_may_be_shorter() {
        let (_, counts) = recorded(|multi_draws, pass| {
            for draws in [9, 10, 3, 4, 4] {
                (0..draws).for_each(|n| multi_draws.add(pass, true, &draw(n)));
                multi_draws.encode(pass);
            }
            multi_draws.end_pass();
            (0..4).for_each(|n| multi_draws.add(pass, true, &draw(n)));
        });
        assert_eq!(counts, MultiDrawCounts { calls: 3, draws: 36 });
    }

    #[test]
    fn a_spare_buffer_is_empty() {
        let (device, _runtime) = testing::noop();
        let spare = SpareArguments::new(&device.gpu.device);
        let mut used = spare.take();
        let buffer = used.buffer.clone();
        used.words.push(1);
        spare.put(used);
        let again = spare.take();
        assert!(again.buffer == buffer && again.words.is_empty());
        spare.put(again);
        spare.trim();
        assert!(spare.take().buffer != buffer);
    }
}
