//! A deferred context, which records commands and turns them into lists.

use std::sync::Arc;

use onze_ddi::*;

use crate::{
    command_list::{Command, NullCommandList, Recording},
    context::{Context, End, EntryResult, Mapped, state},
    device::Device,
    page::{DynamicHot, Page},
    resource::NullResource,
};

/// The table of a deferred context, whose other state is in the context's private data.
pub(crate) struct Deferred {
    pub(crate) device: Arc<Device>,
}

#[derive(Debug, Default)]
pub(crate) struct DeferredState {
    page: Page,
    recording: Recording,
}

impl End for Deferred {
    type State = DeferredState;

    fn device(&self) -> &Device {
        &self.device
    }

    fn page(state: &mut DeferredState) -> &mut Page {
        &mut state.page
    }

    fn command(&self, state: &mut DeferredState, draws: u32, command: Option<Command>) -> EntryResult {
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
        // The full command buffer becomes part of the recording. The next command buffer begins only after
        // the runtime has trimmed its storage, because its preamble then reads only the remaining bindings.
        cx.core.perform_amortized_processing(cx.private, cx.handles);
        let result = state::<DeferredState>(cx.private).and_then(|state| {
            state.page.next();
            // The table is not reset, because it belongs to the whole recording: handles stay open, and their
            // slots stay valid, until the recording ends.
            state.page.preamble(cx.handles, cx.core)
        });
        if let Err(bug) = result {
            cx.core.set_error(bug.into());
        }
    }

    fn map(&self, cx: Entry<'_>, of: (ResourceHandle, u32), t: MapType) -> Mapped {
        let (state, (resource, subresource)) = (state::<DeferredState>(cx.private)?, of);
        let dst = state.page.enter(cx.handles, resource.key())?;
        let object = cx.handles.object_as::<NullResource, _>(resource).ok_or_else(not_dynamic)?;
        let hot = cx.handles.private_mut::<DynamicHot, _>(resource).ok_or_else(not_dynamic)?;
        let Recording { commands, uploads, .. } = &mut state.recording;
        if t == MapType::WriteDiscard {
            commands.push(Command::Upload { dst, subresource, upload: uploads.len() as u32 });
            uploads.push(None);
            hot.upload = uploads.len() as u32;
            return Ok(object.mapped(subresource, None, u64::from(hot.upload - 1)));
        }
        // NO_OVERWRITE continues to write to the memory of this recording's most recent DISCARD, which is
        // safe because the application must not write bytes that earlier commands use.
        let upload = hot.upload.checked_sub(1);
        let page = upload.and_then(|upload| uploads.get_mut(upload as usize)?.take());
        match (upload, &page) {
            (Some(upload), Some(_)) => Ok(object.mapped(subresource, page, WRITES_ON | u64::from(upload))),
            _ => Err(DriverBug("NO_OVERWRITE before a DISCARD, or a second map".into()).into()),
        }
    }

    fn unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        memory: MappedMemory,
        written: &Written,
    ) -> EntryResult {
        let (state, size) = (state::<DeferredState>(cx.private)?, memory.bytes().len() as u32);
        let (page, cookie) = memory.into_page();
        let upload = cookie as u32;
        if let Some(slot) = state.recording.uploads.get_mut(upload as usize) {
            *slot = Some(page);
        }
        if cookie & WRITES_ON != 0 {
            // A copy after the DISCARD may have changed the buffer, so the list also writes the ranges again
            // at this point.
            let dst = state.page.enter(cx.handles, resource.key())?;
            let upload = |range| Command::UploadRange { dst, upload, range };
            state.recording.commands.extend(written.ranges(size).map(upload));
        }
        Ok(())
    }
}

/// Marks the cookie of a NO_OVERWRITE map, whose lower bits contain the index of the memory.
const WRITES_ON: u64 = 1 << 32;

fn not_dynamic() -> DriverBug {
    DriverBug("the handle is not open or not a dynamic resource of this driver".into())
}

impl DeferredFuncs for Context<Deferred> {
    fn open(&self, _cx: Entry<'_>, _args: OpenArgs<'_>) -> Result<(), RecordError> {
        // The private bytes are zeroed, which means "not used yet", and the handle storage already contains
        // the read-only data. A driver that stores more data per resource and context would initialize that
        // data here.
        Ok(())
    }

    fn close(&self, _cx: ClosingEntry<'_>, _kind: HandleType, _key: Key) {
        // The private bytes disappear with the handle, and the list's table keeps the object alive.
    }

    fn recycle_command_list(&self, _cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached> {
        // The list was emptied when it became dead, but a driver whose commands own memory would take that
        // memory back here.
        list.cache()
    }

    fn create_command_list(
        &self,
        cx: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError> {
        let state = state::<DeferredState>(cx.private)?;
        let cached = cached.map(DriverList::into_inner);
        let mut list = cached.unwrap_or_else(|| Arc::new(NullCommandList::default()));
        // This function is the list's only owner, because the list is either new or was emptied before it was
        // cached.
        let next = Arc::get_mut(&mut list).and_then(|list| list.downcast_mut::<NullCommandList>());
        let next = next.ok_or_else(|| DriverBug("the cached list is in use".into()))?;
        std::mem::swap(&mut next.recording, &mut state.recording);
        state.page.skips = false;
        // The recording's table is in the page, and the next recording begins with the memory of an older
        // table.
        next.recording.objects = state.page.begin(std::mem::take(&mut state.recording.objects));
        Ok(DriverList::new(list))
    }

    fn abandon_command_list(&self, cx: ClosingEntry<'_>) {
        if let Ok(state) = state::<DeferredState>(cx.private) {
            state.page.forget();
            state.page.skips = false;
            state.recording.clear();
        }
    }
}
