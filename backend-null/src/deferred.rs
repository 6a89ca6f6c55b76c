//! A deferred context: records, and makes lists.

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;
use onze_ddi::{
    ContextError, DeferredFuncs, DriverBug, DriverObject, Entry, HandleStorage, HandleType, Key, MapError,
    MapType, MappedMemory, OpenArgs, ResourceHandle,
};

use crate::{
    command_list::{Command, NullCommandList, Recording, Recycled},
    context::{Context, End, state},
    device::Device,
    page::{DynamicHot, Page},
    resource::NullResource,
};

/// Recordings whose memory waits to be used again.
const RECYCLED: usize = 4;

/// What is a deferred context's own. The table is made for one context, and holds what other threads
/// may touch: the memory of its destroyed lists.
pub(crate) struct Deferred {
    device: Arc<Device>,
    recycled: Recycled,
}

impl Deferred {
    pub(crate) fn new(device: Arc<Device>) -> Self {
        Self { device, recycled: Arc::new(ArrayQueue::new(RECYCLED)) }
    }
}

/// The private data of a deferred context.
#[derive(Debug)]
pub(crate) struct DeferredState {
    page: Page,
    recording: Recording,
}

impl DeferredState {
    pub(crate) fn new() -> Self {
        Self { page: Page::new(), recording: Recording::default() }
    }
}

impl End for Deferred {
    type State = DeferredState;

    fn device(&self) -> &Device {
        &self.device
    }

    fn page(state: &mut DeferredState) -> &mut Page {
        &mut state.page
    }

    fn command(
        &self,
        state: &mut DeferredState,
        draws: u32,
        command: Option<Command>,
    ) -> Result<(), ContextError> {
        let recording = &mut state.recording;
        if recording.count >= self.device.recording_budget {
            return Err(ContextError::OutOfMemory);
        }
        recording.count += 1;
        recording.draws += draws;
        recording.commands.extend(command);
        Ok(())
    }

    fn page_full(&self, cx: Entry<'_>) {
        // The command buffer joins the recording and the next one begins. The runtime first gets its
        // chance to trim, as the preamble is written from what it then has.
        cx.core.perform_amortized_processing(cx.private, cx.handles);
        let result = state::<DeferredState>(cx.private).and_then(|state| {
            state.page.next();
            // The table is the recording's: handles stay open until it ends, and so do their slots.
            state.page.preamble(cx.handles, cx.core)
        });
        if let Err(bug) = result {
            cx.core.set_error(bug.into());
        }
    }

    fn dynamic_map(
        &self,
        state: &mut DeferredState,
        handles: &mut HandleStorage,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, MapError> {
        let dst = state.page.enter(handles, resource)?;
        let object = handles.object_as::<NullResource, _>(resource).ok_or_else(not_dynamic)?;
        let hot = handles.private_mut::<DynamicHot, _>(resource).ok_or_else(not_dynamic)?;
        let Recording { commands, uploads, .. } = &mut state.recording;
        if map_type == MapType::WriteDiscard {
            commands.push(Command::Upload { dst, subresource, upload: uploads.len() as u32 });
            uploads.push(None);
            hot.upload = uploads.len() as u32;
            let page = object.fresh(subresource);
            return Ok(object.mapped(subresource, page, u64::from(hot.upload - 1)));
        }
        // NO_OVERWRITE writes on into the memory of this recording's last DISCARD. The application
        // promises not to touch what commands in between have used, so it may be written where it is.
        let upload = hot.upload.checked_sub(1);
        let page = upload.and_then(|upload| uploads.get_mut(upload as usize)?.take());
        match (upload, page) {
            (Some(upload), Some(page)) => Ok(object.mapped(subresource, page, u64::from(upload))),
            _ => Err(DriverBug("NO_OVERWRITE before a DISCARD, or mapped twice".into()).into()),
        }
    }

    fn dynamic_unmap(
        &self,
        state: &mut DeferredState,
        _handles: &HandleStorage,
        _resource: ResourceHandle,
        memory: MappedMemory,
    ) {
        let (page, upload) = memory.into_page();
        if let Some(slot) = state.recording.uploads.get_mut(upload as usize) {
            *slot = Some(page);
        }
    }
}

fn not_dynamic() -> DriverBug {
    DriverBug("the handle is not open, or no dynamic resource of this driver".into())
}

impl DeferredFuncs for Context<Deferred> {
    fn open(&self, _cx: Entry<'_>, _args: OpenArgs<'_>) -> Result<(), ContextError> {
        // The private bytes are zeroed, which means "not used yet". The read-only half stands next to
        // them in the storage. A driver with more to know of a resource in a context would fill it in.
        Ok(())
    }

    fn close(&self, _cx: Entry<'_>, _kind: HandleType, _key: Key) {
        // The private bytes go with the handle; the list's table keeps the object.
    }

    fn create_command_list(&self, cx: Entry<'_>) -> Result<DriverObject, ContextError> {
        let state = state::<DeferredState>(cx.private)?;
        let next = self.0.recycled.pop().unwrap_or_default();
        let mut recording = std::mem::replace(&mut state.recording, next);
        recording.objects = state.page.begin();
        Ok(Arc::new(NullCommandList { recording, recycled: self.0.recycled.clone() }))
    }

    fn abandon_command_list(&self, cx: Entry<'_>) {
        match state::<DeferredState>(cx.private) {
            Ok(state) => {
                drop(state.page.begin());
                state.recording.clear();
            }
            Err(bug) => cx.core.set_error(bug.into()),
        }
    }
}
