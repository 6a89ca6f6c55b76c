//! The encoder: turns a run of command pages into wgpu commands.
//!
//! [`DeviceEncoding`] is the state that all encoding threads share. This folder knows pages, GPU objects and
//! services, while the layers above it assemble runs and submit the encoded commands.
//!
//! Six facts for maintainers:
//!
//! 1. One thread encodes a run, usually into one wgpu encoder and its [`prologue`]. A page begins with the
//!    whole state, so earlier pages do not affect it. The encoder remembers the bindings of wgpu's open pass
//!    ([`parts::passes`]) and does not repeat them, and consecutive pages with the same targets can share a
//!    pass.
//! 2. Setters write into a mirror of the state ([`parts::state`]). A draw ([`draw`]) resolves only the state
//!    that has changed: bind groups ([`bind`]), the pipeline ([`pipeline`]), vertex buffers, viewport and
//!    scissor.
//! 3. A pass begins at its first draw. Clears wait until then ([`clear`]) and become load operations, unless
//!    another command uses the texture first. In that case the clear gets a pass of its own.
//! 4. wgpu never receives a command that it would refuse. Reads beyond the end of a buffer go through
//!    zero-padded copies ([`emulate::guard`]), or the vertex shader reads its buffers itself
//!    ([`emulate::pull`]). Copies that wgpu lacks are split ([`copy`]), and draws that cannot be made are
//!    skipped and reported.
//! 5. An unexpected wgpu error leaves a run without command buffers ([`EncodedRun::error`]), and the
//!    submission of such a run removes the device.

mod accesses;
mod bind;
mod caches;
mod clear;
mod commands;
mod compile;
pub(crate) mod compiler;
mod compute;
mod copy;
mod device_encoding;
mod draw;
pub(crate) mod emulate;
mod emulate_hooks;
mod encoder;
pub(crate) mod fast;
mod fast_hooks;
mod indirect;
pub(crate) mod own_pipelines;
pub(crate) mod parts;
mod pass;
mod pipeline;
mod prologue;
mod queries;
mod recipe;
pub(crate) mod run;
mod temporaries;
#[cfg(test)]
mod tests;
mod writes;

use crate::services::{error_scope::scoped, gpu::Gpu};

use self::encoder::{Encoder, FinishedRun};

pub(crate) use self::{
    caches::WorkerCaches,
    device_encoding::DeviceEncoding,
    parts::layouts::SharedStore as PipelineStore,
    run::{EncodedRun, Run},
};

/// Encodes a run. If it fails, the result contains the error and no command buffers, so the caller can report
/// it.
pub(crate) fn encode_run(encoding: &DeviceEncoding, caches: &mut WorkerCaches, run: Run) -> EncodedRun {
    let Run { pages, draws } = run;
    let gpu = &*encoding.gpu;
    if gpu.is_lost() {
        return EncodedRun { pages, error: Some("the device is lost".to_owned()), ..EncodedRun::default() };
    }
    let _span = tracing::trace_span!("encode", draws).entered();
    caches.begin_run(&gpu.invalidation);
    caches.try_replica(gpu);
    let mut finished = FinishedRun::default();
    let result = scoped(&gpu.device, || {
        let mut encoder = Encoder::new(encoding, caches);
        for page in &pages {
            encoder.encode_page(page);
        }
        finished = encoder.finish();
    });
    let FinishedRun { mut buffers, arguments, queries: (segments, counted), casts, stats } = finished;
    let error = result.err().map(|error| failure(gpu, &error));
    if error.is_some() {
        buffers.clear();
    }
    EncodedRun { command_buffers: buffers, arguments, segments, counted, pages, casts, error, stats }
}

/// Returns the message about a failed run, and removes the device if the GPU is out of memory.
fn failure(gpu: &Gpu, error: &wgpu::Error) -> String {
    if let wgpu::Error::OutOfMemory { .. } = error {
        gpu.lose("the GPU is out of memory");
    }
    error.to_string()
}
