//! Readback of bytes that the GPU has written, for maps.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use onze_ddi::{DriverBug, Entry, MapError, RecordError, ResourceHandle};

use super::{
    ImmediateScope, foreign,
    submission::{lost, submit, wait},
};
use crate::{
    objects::{resource::Resource, staging::readback_buffer},
    services::platform::CAN_WAIT,
};

/// Reads back a dynamic buffer from its base storage and copies it into an upload slice, so that a map can
/// overwrite parts of it. This waits for the GPU, but for most buffers at most once in their lifetime.
pub(super) fn bring_to_upload(entry: &mut Entry<'_>, handle: ResourceHandle) -> Result<(), RecordError> {
    let mut scope = ImmediateScope::enter(entry).ok_or_else(|| RecordError::Bug(foreign()))?;
    let gpu = scope.writer.r.gpu.clone();
    if gpu.is_lost() {
        return Err(lost().into());
    }
    let closed = || RecordError::Bug(DriverBug("a map of a resource that is not open".into()));
    let base = scope.writer.buffer_identity(handle).ok_or_else(closed)?;
    // Storages are padded to a larger multiple, so the rounded size is still inside the storage.
    let size = base.size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let buffer = readback_buffer(&gpu.device, size);
    let mut encoder = gpu
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("read base storage") });
    encoder.copy_buffer_to_buffer(&base.storage.buffer, base.offset, &buffer, 0, size);
    let index = submit(entry, Some(encoder.finish())).ok_or_else(lost)?;
    let arrived = Arc::new(AtomicU8::new(0));
    let signal = arrived.clone();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        signal.store(1 + u8::from(result.is_err()), Ordering::Release);
    });
    wait(&gpu, index)?;
    if arrived.load(Ordering::Acquire) != 1 {
        gpu.lose("a buffer could not be read back");
        return Err(lost().into());
    }
    let view = buffer.get_mapped_range(..).map_err(|_| lost())?;
    let mut scope = ImmediateScope::enter(entry).ok_or_else(|| RecordError::Bug(foreign()))?;
    let state = scope.writer.resource_state(handle).map_err(|_not_open| closed())?;
    let bytes = view.get(..state.size as usize).unwrap_or_default();
    scope.rename_to(handle, &state, bytes).map_err(|_not_recorded| RecordError::OutOfMemory)
}

/// Updates a staging resource's CPU memory with the bytes that the GPU has written.
pub(crate) fn bring_to_shadows(
    entry: &mut Entry<'_>,
    resource: &Resource,
    do_not_wait: bool,
) -> Result<(), MapError> {
    let Some(staging) = resource.staging() else {
        return Err(MapError::Bug(DriverBug("a staging map of a resource without staging memory".into())));
    };
    let gpu = ImmediateScope::enter(entry).ok_or_else(|| MapError::Bug(foreign()))?.writer.r.gpu.clone();
    if staging.arrives_with().is_none() {
        submit(entry, None);
    }
    let submission_index = Some(staging.arrives_with().ok_or_else(lost)?);
    let poll = if do_not_wait {
        wgpu::PollType::Poll
    } else {
        wgpu::PollType::Wait { submission_index, timeout: None }
    };
    if let Err(error) = gpu.device.poll(poll) {
        gpu.lose(error.to_string());
    }
    if gpu.is_lost() {
        return Err(lost().into());
    }
    match staging.show() {
        Ok(true) => Ok(()),
        Ok(false) if do_not_wait || !CAN_WAIT => Err(MapError::StillDrawing),
        Ok(false) => Err(MapError::Bug(DriverBug("a readback did not arrive with its submission".into()))),
        Err(()) => {
            gpu.lose("staging memory could not be read back");
            Err(lost().into())
        }
    }
}
