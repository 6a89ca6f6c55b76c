//! The immediate context. It executes commands while they are recorded, and it submits, retires and presents.

use std::sync::Arc;

use onze_ddi::*;

use crate::{
    command_list::Command,
    context::{Context, End, EntryResult, Mapped, resource, state},
    device::Device,
    page::Page,
    query::NullQuery,
    resource::NullResource,
};

pub(crate) struct Immediate(pub(crate) Arc<Device>);

#[derive(Debug)]
pub(crate) struct ImmediateState {
    pub(crate) page: Page,
    pub(crate) submission: u64,
}

impl Immediate {
    /// Submits the recorded commands and retires destroyed objects, or returns false if no commands were
    /// recorded.
    ///
    /// The contract requires this order: `render`, amortized processing, deallocations, preamble.
    fn submit(&self, cx: Entry<'_>) -> Result<bool, ContextError> {
        let device = &*self.0;
        let recorded = state::<ImmediateState>(cx.private)?;
        let submits = recorded.page.commands > 0;
        let args = RenderArgs { command_buffers: 1, draws: recorded.page.draws };
        recorded.page.forget();
        if submits {
            recorded.submission += 1;
            // If the device is removed, the commands are dropped instead of submitted, so they no longer use
            // the destroyed objects.
            let fence = cx.core.render(args).inspect_err(|_| device.retire())?;
            // A GPU would signal the fence later, so the counter `submission` simulates that delay.
            device.kernel.signal(fence);
            cx.core.perform_amortized_processing(cx.private, cx.handles);
        }
        // Retiring must follow amortized processing, because the runtime destroys waiting objects during that
        // call.
        device.retire();
        state::<ImmediateState>(cx.private)?.page.preamble(cx.handles, cx.core)?;
        Ok(submits)
    }
}

impl End for Immediate {
    type State = ImmediateState;

    fn device(&self) -> &Device {
        &self.0
    }

    fn page(state: &mut ImmediateState) -> &mut Page {
        &mut state.page
    }

    fn command(&self, state: &mut ImmediateState, _draws: u32, command: Option<Command>) -> EntryResult {
        if let Some(command) = command {
            command.run(&state.page.objects, &[], state.submission);
        }
        Ok(())
    }

    fn page_full(&self, mut cx: Entry<'_>) {
        if let Err(error) = self.submit(cx.reborrow()) {
            cx.core.set_error(error);
        }
    }

    fn map(&self, cx: Entry<'_>, of: (ResourceHandle, u32), t: MapType) -> Mapped {
        // All earlier commands have been executed, so a DISCARD zeroes the old memory and reuses it.
        let mut memory = resource(cx.handles, of.0)?.lend(of.1)?;
        if t == MapType::WriteDiscard {
            memory.bytes_mut().fill(0);
        }
        Ok(memory)
    }

    // The memory belongs to the resource, so the written bytes are already in place.
    fn unmap(
        &self,
        cx: Entry<'_>,
        handle: ResourceHandle,
        memory: MappedMemory,
        _written: &Written,
    ) -> EntryResult {
        resource(cx.handles, handle)?.take_back(memory);
        Ok(())
    }
}

impl ImmediateFuncs for Context<Immediate> {
    fn staging_map(
        &self,
        mut cx: Entry<'_>,
        handle: ResourceHandle,
        subresource: u32,
        _map_type: MapType,
        do_not_wait: bool,
    ) -> Result<MappedMemory, MapError> {
        let submission = state::<ImmediateState>(cx.private)?.submission;
        if resource(cx.handles, handle)?.is_used_by(submission) {
            // The simulated GPU completes the commands when they are submitted, so a second attempt succeeds.
            self.0.submit(cx.reborrow())?;
            if do_not_wait {
                return Err(MapError::StillDrawing);
            }
        }
        Ok(resource(cx.handles, handle)?.lend(subresource)?)
    }

    fn staging_unmap(
        &self,
        mut cx: Entry<'_>,
        handle: ResourceHandle,
        _subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        if let Err(error) = self.0.unmap(cx.reborrow(), handle, memory, &written) {
            cx.core.set_error(error);
        }
    }

    fn query_get_data(
        &self,
        cx: Entry<'_>,
        query: QueryHandle,
        do_not_flush: bool,
    ) -> Result<QueryData, GetDataError> {
        let submission = state::<ImmediateState>(cx.private)?.submission;
        let object = cx.handles.object_as::<NullQuery, _>(query);
        let object = object.ok_or_else(|| DriverBug("the handle is not open or not a query".into()))?;
        if let Some(answer) = object.answer(submission) {
            return Ok(answer);
        }
        if !do_not_flush {
            self.0.submit(cx)?;
        }
        // The commands that were just submitted are reported as incomplete, because a GPU would not be that
        // fast and programs must not rely on such speed.
        Err(GetDataError::StillDrawing)
    }

    fn flush(&self, mut cx: Entry<'_>, flags: FlushFlags) -> bool {
        // An empty command buffer is not submitted, with or without `UNLESS_NO_COMMANDS`.
        let submitted = self.0.submit(cx.reborrow()).unwrap_or_else(|error| {
            cx.core.set_error(error);
            false
        });
        if flags.contains(FlushFlags::TRIM_MEMORY)
            && let Ok(state) = state::<ImmediateState>(cx.private)
        {
            state.page.objects.shrink_to_fit();
        }
        submitted
    }

    fn close(&self, _cx: ClosingEntry<'_>, _kind: HandleType, _key: Key) {
        // Nothing to do: the handle's private bytes disappear with the handle, and the table keeps the object
        // alive until the submission.
    }

    fn create_swap_chain(
        &self,
        _cx: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<CreatedSwapChain, PresentError> {
        // The swap chain needs no data, because nothing is shown.
        let own = Format::B8G8R8A8_UNORM_SRGB;
        let format = if args.format == Format::UNKNOWN { own } else { args.format };
        Ok(CreatedSwapChain {
            object: Arc::new(()),
            format,
            color_spaces: vec![ColorSpace::of_format(format)],
        })
    }

    fn destroy_swap_chain(&self, _cx: Entry<'_>, swap_chain: DriverObject) {
        drop(swap_chain);
    }

    fn create_primary(
        &self,
        _cx: Entry<'_>,
        _swap_chain: &DriverObject,
        desc: &TextureDesc,
        _private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        self.0.0.create_resource(&ResourceDesc::Texture(desc.clone()), &[], true)
    }

    fn destroy_primary(&self, _cx: Entry<'_>, primary: DriverObject) {
        match primary.downcast_ref::<NullResource>() {
            // Another device may also use the primary, so its destruction is deferred to the next flush, like
            // that of all shared resources.
            Some(resource) if resource.desc.is_shared() => self.0.0.retired.push(primary),
            // Deallocation is not deferred, because only this context can use the primary.
            Some(resource) => self.0.0.deallocate(resource),
            None => {}
        }
    }

    fn resize_swap_chain(
        &self,
        cx: Entry<'_>,
        _swap_chain: &DriverObject,
        width: u32,
        height: u32,
    ) -> Result<(), PresentError> {
        Ok(cx.core.set_display_mode(DisplayMode { width, height })?)
    }

    fn set_maximum_frame_latency(&self, _: Entry<'_>, _: &DriverObject, _: u32) {}

    fn set_color_space(&self, _: Entry<'_>, _: &DriverObject, _: ColorSpace) {}

    fn test_present(&self, _: Entry<'_>, _: &DriverObject) -> Result<PresentStatus, PresentError> {
        Ok(PresentStatus::Presented)
    }

    fn present(
        &self,
        mut cx: Entry<'_>,
        _swap_chain: &DriverObject,
        back_buffer: ResourceHandle,
        sync_interval: u32,
    ) -> Result<PresentStatus, PresentError> {
        // A present is counted as a command, so every present causes a submission.
        let recorded = state::<ImmediateState>(cx.private)?;
        recorded.page.enter(cx.handles, back_buffer.key())?;
        recorded.page.count(0);
        self.0.submit(cx.reborrow())?;
        cx.core.present(PresentArgs { sync_interval, copied: false })?;
        Ok(PresentStatus::Presented)
    }

    fn rotate_resource_identities(&self, cx: Entry<'_>, back_buffers: &[ResourceHandle]) {
        // The memory can move between the resources, because earlier commands have already been executed, and
        // lists look up the memory when they are executed.
        let resources: Option<Vec<_>> =
            back_buffers.iter().map(|handle| cx.handles.object_as(*handle)).collect();
        match resources {
            Some(resources) => NullResource::rotate(&resources),
            None => cx.core.set_error(DriverBug("a rotating back buffer is not open".into()).into()),
        }
    }
}
