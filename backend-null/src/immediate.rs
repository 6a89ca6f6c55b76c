//! The immediate context: executes as it records, submits, retires and presents.

use std::sync::Arc;

use onze_ddi::{
    ContextError, CreateError, CreateSwapChainArgs, DriverBug, DriverObject, Entry, FlushFlags, GetDataError,
    HandleStorage, HandleType, ImmediateFuncs, Key, MapError, MapType, MappedMemory, PresentError,
    PresentStatus, QueryData, QueryHandle, RenderArgs, ResourceDesc, ResourceHandle, Texture2dDesc, Written,
};

use crate::{
    command_list::Command,
    context::{Context, End, state},
    device::Device,
    page::Page,
    query::NullQuery,
    resource::NullResource,
    swap_chain::NullSwapChain,
};

/// What is the immediate context's own.
pub(crate) struct Immediate(pub(crate) Arc<Device>);

/// The private data of the immediate context.
#[derive(Debug)]
pub(crate) struct ImmediateState {
    page: Page,
    /// The number of the submission that is being recorded, from 1.
    submission: u64,
}

impl ImmediateState {
    pub(crate) fn new() -> Self {
        Self { page: Page::new(), submission: 1 }
    }
}

fn resource(handles: &HandleStorage, handle: ResourceHandle) -> Result<&NullResource, DriverBug> {
    handles
        .object(handle)
        .and_then(|object| object.downcast_ref())
        .ok_or_else(|| DriverBug("the handle is not open, or no resource of this driver".into()))
}

impl Immediate {
    /// Submits what was recorded, and retires what was destroyed. False if nothing was recorded.
    ///
    /// The order is the contract's: `render`, amortized processing, deallocations, preamble.
    fn submit(&self, cx: Entry<'_>) -> Result<bool, ContextError> {
        let device = &*self.0;
        let recorded = state::<ImmediateState>(cx.private)?;
        let submits = recorded.page.commands > 0;
        if submits {
            let rendered = cx.core.render(RenderArgs { command_buffers: 1, draws: recorded.page.draws });
            recorded.submission += 1;
            if let Ok(fence) = &rendered {
                // A GPU would say this later. What waits for it looks at `submission` instead.
                device.kernel.signal(*fence);
            }
            if let Err(removed) = rendered {
                // Dropped, not submitted: nothing will ever use what was destroyed.
                drop(recorded.page.begin());
                device.retire();
                return Err(removed);
            }
        }
        drop(recorded.page.begin());
        if submits {
            cx.core.perform_amortized_processing(cx.private, cx.handles);
        }
        // After the amortized processing, in which the runtime destroys what waits for it.
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

    fn command(
        &self,
        state: &mut ImmediateState,
        _draws: u32,
        command: Option<Command>,
    ) -> Result<(), ContextError> {
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

    fn dynamic_map(
        &self,
        _state: &mut ImmediateState,
        handles: &mut HandleStorage,
        handle: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Result<MappedMemory, MapError> {
        // Everything before has been executed, so a DISCARD needs no new memory: the old one, zeroed.
        let mut memory = lend(resource(handles, handle)?, subresource)?;
        if map_type == MapType::WriteDiscard {
            memory.bytes_mut().fill(0);
        }
        Ok(memory)
    }

    fn dynamic_unmap(
        &self,
        _state: &mut ImmediateState,
        handles: &HandleStorage,
        handle: ResourceHandle,
        memory: MappedMemory,
    ) {
        if let Ok(resource) = resource(handles, handle) {
            resource.take_back(memory);
        }
    }
}

fn lend(resource: &NullResource, subresource: u32) -> Result<MappedMemory, MapError> {
    resource.lend(subresource).ok_or_else(|| DriverBug("the subresource is mapped already".into()).into())
}

/// What a submission that failed means to who waits for it.
fn removed(error: ContextError) -> Result<std::borrow::Cow<'static, str>, DriverBug> {
    match error {
        ContextError::DeviceRemoved(reason) => Ok(reason),
        other => Err(DriverBug(other.to_string().into())),
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
            // The commands may be on their way as soon as they are submitted, so a second try succeeds.
            if let Err(error) = self.0.submit(cx.reborrow()) {
                return Err(removed(error).map_or_else(MapError::Bug, MapError::DeviceRemoved));
            }
            if do_not_wait {
                return Err(MapError::StillDrawing);
            }
        }
        lend(resource(cx.handles, handle)?, subresource)
    }

    fn staging_unmap(
        &self,
        cx: Entry<'_>,
        handle: ResourceHandle,
        _subresource: u32,
        memory: MappedMemory,
        _written: Written,
    ) {
        match resource(cx.handles, handle) {
            Ok(resource) => resource.take_back(memory),
            Err(bug) => cx.core.set_error(bug.into()),
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
        let object = object.ok_or_else(|| DriverBug("the handle is not open, or no query".into()))?;
        if object.is_done(submission) {
            return Ok(QueryData::Event(true));
        }
        if !do_not_flush && let Err(error) = self.0.submit(cx) {
            return Err(removed(error).map_or_else(GetDataError::Bug, GetDataError::DeviceRemoved));
        }
        // What was submitted just now is not done yet: no GPU is that fast, and no program may count on it.
        Err(GetDataError::StillDrawing)
    }

    fn flush(&self, mut cx: Entry<'_>, flags: FlushFlags) -> bool {
        // An empty command buffer is never submitted, with or without `UNLESS_NO_COMMANDS`.
        match self.0.submit(cx.reborrow()) {
            Ok(submitted) => {
                if flags.contains(FlushFlags::TRIM_MEMORY)
                    && let Ok(state) = state::<ImmediateState>(cx.private)
                {
                    state.page.objects.shrink_to_fit();
                }
                submitted
            }
            Err(error) => {
                cx.core.set_error(error);
                false
            }
        }
    }

    fn close(&self, _cx: Entry<'_>, _kind: HandleType, _key: Key) {
        // All that the context knows of an object is in the handle's private bytes, which go with it,
        // and in the table, which keeps the object until the submission.
    }

    fn create_swap_chain(
        &self,
        _cx: Entry<'_>,
        _args: &CreateSwapChainArgs,
    ) -> Result<DriverObject, PresentError> {
        Ok(Arc::new(NullSwapChain::default()))
    }

    fn destroy_swap_chain(&self, _cx: Entry<'_>, swap_chain: DriverObject) {
        drop(swap_chain);
    }

    fn create_primary(
        &self,
        _cx: Entry<'_>,
        _swap_chain: &DriverObject,
        desc: &Texture2dDesc,
        _private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        self.0.0.create_resource(&ResourceDesc::Texture2d(desc.clone()), &[], true)
    }

    fn destroy_primary(&self, _cx: Entry<'_>, primary: DriverObject) {
        // Not deferred: the context that may use it is the one that is entered.
        if let Some(resource) = primary.downcast_ref::<NullResource>() {
            self.0.0.deallocate(resource);
        }
    }

    fn resize_swap_chain(
        &self,
        _cx: Entry<'_>,
        _swap_chain: &DriverObject,
        _width: u32,
        _height: u32,
    ) -> Result<(), PresentError> {
        Ok(())
    }

    fn present(
        &self,
        mut cx: Entry<'_>,
        swap_chain: &DriverObject,
        back_buffer: ResourceHandle,
        _sync_interval: u32,
    ) -> Result<PresentStatus, PresentError> {
        // Presenting is a command too, so something is submitted at each present.
        let recorded = state::<ImmediateState>(cx.private)?;
        recorded.page.enter(cx.handles, back_buffer)?;
        recorded.page.count(0);
        if let Err(error) = self.0.submit(cx.reborrow()) {
            return Err(removed(error).map_or_else(PresentError::Bug, PresentError::DeviceRemoved));
        }
        if let Some(swap_chain) = swap_chain.downcast_ref::<NullSwapChain>() {
            swap_chain.count();
        }
        Ok(PresentStatus::Presented)
    }
}
