//! Textures with several members, tracked across submissions, so that the members that a run uses are brought
//! up to date before it.

use std::{
    collections::HashMap,
    sync::{Arc, Weak, atomic::Ordering},
};

use crate::{
    encode::{DeviceEncoding, emulate::casts::copy_lacking, parts::member_uses::CastUse},
    objects::{cast_log::CastLog, family::Member, texture::TextureMemory},
};

/// The outdated parts of each texture's members, tracked on the immediate context's thread.
#[derive(Debug, Default)]
pub(super) struct CastState {
    logs: HashMap<u64, (Weak<TextureMemory>, CastLog)>,
    /// Number of logs above which the logs of destroyed textures are dropped.
    most: usize,
}

impl CastState {
    fn log(&mut self, memory: &Arc<TextureMemory>) -> &mut CastLog {
        if self.logs.len() > self.most {
            self.logs.retain(|_, (memory, _)| memory.strong_count() != 0);
            self.most = 2 * self.logs.len() + 64;
        }
        let new = || (Arc::downgrade(memory), CastLog::of_primary(memory.whole()));
        &mut self.logs.entry(memory.id).or_insert_with(new).1
    }

    /// Records commands that update the members used by a run, to be executed before it.
    pub(super) fn before(
        &mut self,
        encoding: &DeviceEncoding,
        uses: &[CastUse],
    ) -> Option<wgpu::CommandBuffer> {
        let mut encoder = None;
        for CastUse { memory, needs, .. } in uses {
            let log = self.log(memory);
            if memory.lent.load(Ordering::Relaxed) {
                // The texture was lent to the application, which may have written to it.
                *log = CastLog::of_primary(memory.whole());
            }
            for member in needs.iter() {
                bring(encoding, &mut encoder, memory, member, log);
            }
        }
        encoder.map(wgpu::CommandEncoder::finish)
    }

    /// Logs a run's writes, and returns commands that must be executed after the run.
    pub(super) fn after(
        &mut self,
        encoding: &DeviceEncoding,
        uses: Vec<CastUse>,
    ) -> Option<wgpu::CommandBuffer> {
        let mut encoder = None;
        for CastUse { memory, log: written, .. } in uses {
            let log = self.log(&memory);
            written.iter().for_each(|written| log.add(*written));
            if memory.lent.load(Ordering::Relaxed) {
                bring(encoding, &mut encoder, &memory, Member::PRIMARY, log);
            }
        }
        encoder.map(wgpu::CommandEncoder::finish)
    }
}

fn bring(
    encoding: &DeviceEncoding,
    encoder: &mut Option<wgpu::CommandEncoder>,
    memory: &TextureMemory,
    member: Member,
    log: &mut CastLog,
) {
    let lacking = log.bring(member, &memory.whole());
    if !lacking.is_empty() {
        let desc = wgpu::CommandEncoderDescriptor { label: Some("casts") };
        let encoder = encoder.get_or_insert_with(|| encoding.gpu.device.create_command_encoder(&desc));
        copy_lacking(encoding, encoder, memory, member, &lacking);
    }
}
