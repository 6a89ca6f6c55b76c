//! The table entries that only the immediate context has.

use std::sync::Arc;

use onze_ddi::{
    ClosingEntry, ColorSpace, CreateError, CreateSwapChainArgs, CreatedSwapChain, DisplayMode, DriverBug,
    DriverObject, Entry, FlushFlags, GetDataError, Handle, HandleType, ImmediateFuncs, Key, MapError,
    MapType, MappedMemory, PresentArgs, PresentError, PresentStatus, QueryData, QueryHandle, ResourceHandle,
    TextureDesc, Written, kind,
};

use crate::{
    context::ImmediateTable,
    objects::{
        query::{Query, QueryEvent},
        resource::Resource,
    },
    record::recorder::{PageSink, Recorder, handle_state::ResourceState},
    submit::{
        immediate::{Immediate, ImmediateScope, bring_to_shadows, foreign, is_known, lost, submit},
        swap_chain::SwapChain,
    },
};

impl ImmediateFuncs for ImmediateTable {
    fn staging_map(
        &self,
        mut entry: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
        do_not_wait: bool,
    ) -> Result<MappedMemory, MapError> {
        let bug = |words: &'static str| MapError::Bug(DriverBug(words.into()));
        let scope = ImmediateScope::enter(&mut entry).ok_or_else(|| MapError::Bug(foreign()))?;
        let resource =
            scope.resource_arc(resource).ok_or(bug("a staging map of a resource that is not open"))?;
        let staging = resource.staging().ok_or(bug("a staging map of another resource"))?;
        if scope.writer.r.gpu.is_lost() {
            return Err(lost().into());
        }
        let submission = scope.writer.r.end.submission();
        if staging.is_stale() {
            bring_to_shadows(&mut entry, &resource, do_not_wait)?;
        } else if map_type != MapType::Read && staging.is_used_by(submission) {
            // Copies that were recorded earlier must not read the newly written data.
            submit(&mut entry, None);
        }
        staging.lend(subresource, map_type).ok_or(bug("a staging resource is mapped already"))
    }

    fn staging_unmap(
        &self,
        mut entry: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        let Some(scope) = ImmediateScope::enter(&mut entry) else {
            return;
        };
        let resource = scope.resource_arc(resource);
        match resource.as_ref().and_then(|resource| resource.staging()) {
            Some(staging) => staging.take_back(&scope.writer.r.gpu.queue, subresource, memory, &written),
            None => scope.writer.bug("a staging unmap of another resource"),
        }
    }

    fn query_get_data(
        &self,
        mut entry: Entry<'_>,
        query: QueryHandle,
        do_not_flush: bool,
    ) -> Result<QueryData, GetDataError> {
        let scope = ImmediateScope::enter(&mut entry).ok_or_else(|| GetDataError::Bug(foreign()))?;
        let gpu = scope.writer.r.gpu.clone();
        let query: Arc<Query> = scope
            .writer
            .handles
            .object_as(query)
            .ok_or(GetDataError::Bug(DriverBug("a query is not open".into())))?;
        if gpu.is_lost() {
            return Err(GetDataError::DeviceRemoved("the device is lost".into()));
        }
        if query.event() == QueryEvent::Recorded && !do_not_flush {
            submit(&mut entry, None);
        }
        let QueryEvent::Submitted(fence) = query.event() else {
            return Err(GetDataError::StillDrawing);
        };
        if !is_known(&mut entry, &query, fence)
            && let Err(error) = gpu.device.poll(wgpu::PollType::Poll)
        {
            gpu.lose(error.to_string());
        }
        let known = is_known(&mut entry, &query, fence);
        if gpu.is_lost() {
            Err(GetDataError::DeviceRemoved("the device is lost".into()))
        } else if known {
            Ok(query.answer(gpu.timestamp_frequency()))
        } else {
            Err(GetDataError::StillDrawing)
        }
    }

    fn flush(&self, mut entry: Entry<'_>, flags: FlushFlags) -> bool {
        let _span = tracing::trace_span!("flush").entered();
        let submitted = submit(&mut entry, None).is_some();
        if let Some(scope) = ImmediateScope::enter(&mut entry) {
            let gpu = &scope.writer.r.gpu;
            // Polling signals fences and lets wgpu release unused resources.
            if !submitted && let Err(error) = gpu.device.poll(wgpu::PollType::Poll) {
                gpu.lose(error.to_string());
            }
            if flags.contains(FlushFlags::TRIM_MEMORY) {
                scope.writer.r.trim();
                scope.writer.r.end.trim();
                let device = scope.writer.r.end.device();
                device.objects.allocator.trim();
                device.encoding.compilers.trim();
                device.encoding.trim();
            }
        }
        submitted
    }

    fn close(&self, entry: ClosingEntry<'_>, kind: HandleType, key: Key) {
        if !matches!(kind, HandleType::Resource | HandleType::Query) {
            return;
        }
        let Some(r) = entry.private.downcast_mut::<Recorder<Immediate>>() else {
            return;
        };
        if kind == HandleType::Query {
            let handle: QueryHandle = Handle::new(key);
            if let Some(query) = entry.handles.object_as::<Query, _>(handle) {
                r.forget_query(&query);
            }
            return;
        }
        let handle: Handle<kind::Resource> = Handle::new(key);
        if let Some(state) = entry.handles.private_mut::<ResourceState, _>(handle) {
            let place = std::mem::take(state).identity;
            r.identities.remove(place, &mut r.uploads);
        }
    }

    fn create_swap_chain(
        &self,
        mut entry: Entry<'_>,
        args: &CreateSwapChainArgs,
    ) -> Result<CreatedSwapChain, PresentError> {
        let scope = ImmediateScope::enter(&mut entry).ok_or_else(|| PresentError::Bug(foreign()))?;
        let swap_chain = SwapChain::new(&scope.writer.r.gpu, args)?;
        Ok(CreatedSwapChain {
            format: swap_chain.format,
            color_spaces: swap_chain.color_spaces.clone(),
            object: Arc::new(swap_chain),
        })
    }

    fn destroy_swap_chain(&self, mut entry: Entry<'_>, swap_chain: DriverObject) {
        // Recorded commands may use the surface's texture, so they are submitted before the surface is
        // closed.
        submit(&mut entry, None);
        if let Some(swap_chain) = swap_chain.downcast_ref::<SwapChain>() {
            swap_chain.close();
        }
    }

    fn create_primary(
        &self,
        mut entry: Entry<'_>,
        swap_chain: &DriverObject,
        desc: &TextureDesc,
        _private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        let scope = ImmediateScope::enter(&mut entry).ok_or_else(|| CreateError::Bug(foreign()))?;
        let objects = &scope.writer.r.end.device().objects;
        Ok(SwapChain::create_primary(swap_chain.downcast_ref(), objects, desc)?)
    }

    fn destroy_primary(&self, mut entry: Entry<'_>, primary: DriverObject) {
        // Recorded commands may use the back buffer, and the submission also releases destroyed views of it.
        submit(&mut entry, None);
        if let Some(resource) = primary.downcast_ref::<Resource>() {
            resource.deallocate_primary();
        }
    }

    fn resize_swap_chain(
        &self,
        mut entry: Entry<'_>,
        swap_chain: &DriverObject,
        width: u32,
        height: u32,
    ) -> Result<(), PresentError> {
        let scope = ImmediateScope::enter(&mut entry).ok_or_else(|| PresentError::Bug(foreign()))?;
        if scope.writer.r.gpu.is_lost() {
            return Err(PresentError::DeviceRemoved("the device is lost".into()));
        }
        let Some(swap_chain) = swap_chain.downcast_ref::<SwapChain>() else {
            return Err(PresentError::Bug(DriverBug("another driver's swap chain was resized".into())));
        };
        scope.core.set_display_mode(DisplayMode { width, height })?;
        swap_chain.resize(width, height);
        Ok(())
    }

    fn set_maximum_frame_latency(&self, _: Entry<'_>, swap_chain: &DriverObject, frames: u32) {
        if let Some(swap_chain) = swap_chain.downcast_ref::<SwapChain>() {
            swap_chain.set_maximum_frame_latency(frames);
        }
    }

    fn set_color_space(&self, _: Entry<'_>, swap_chain: &DriverObject, color_space: ColorSpace) {
        if let Some(swap_chain) = swap_chain.downcast_ref::<SwapChain>() {
            swap_chain.set_color_space(color_space);
        }
    }

    fn test_present(
        &self,
        mut entry: Entry<'_>,
        swap_chain: &DriverObject,
    ) -> Result<PresentStatus, PresentError> {
        let scope = ImmediateScope::enter(&mut entry).ok_or_else(|| PresentError::Bug(foreign()))?;
        let gpu = scope.writer.r.gpu.clone();
        if gpu.is_lost() {
            return Err(PresentError::DeviceRemoved("the device is lost".into()));
        }
        let Some(swap_chain) = swap_chain.downcast_ref::<SwapChain>() else {
            return Err(PresentError::Bug(DriverBug("another driver's swap chain was tested".into())));
        };
        let shows = swap_chain.test(&gpu)?;
        Ok(if shows { PresentStatus::Presented } else { PresentStatus::Occluded })
    }

    fn present(
        &self,
        mut entry: Entry<'_>,
        swap_chain: &DriverObject,
        back_buffer: ResourceHandle,
        sync_interval: u32,
    ) -> Result<PresentStatus, PresentError> {
        let _span = tracing::trace_span!("present").entered();
        let bug = |words: &'static str| PresentError::Bug(DriverBug(words.into()));
        let scope = ImmediateScope::enter(&mut entry).ok_or_else(|| PresentError::Bug(foreign()))?;
        let gpu = scope.writer.r.gpu.clone();
        let removed = || PresentError::DeviceRemoved("the device is lost".into());
        if gpu.is_lost() {
            return Err(removed());
        }
        let swap_chain =
            swap_chain.downcast_ref::<SwapChain>().ok_or(bug("another driver's swap chain is presented"))?;
        let from = scope.writer.texture_now(back_buffer).ok_or(bug("a back buffer is not open"))?;
        swap_chain.set_sync_interval(sync_interval);
        let Some(presentable) = swap_chain.take_presentable(&gpu, &from)? else {
            submit(&mut entry, None);
            return Ok(PresentStatus::Occluded);
        };
        let blit = swap_chain.blit(&scope.writer.r.end.device().encoding, &from, &presentable)?;
        submit(&mut entry, blit);
        if gpu.is_lost() {
            return Err(removed());
        }
        let args = PresentArgs { sync_interval, copied: presentable.is_copied };
        entry.core.present(args).map_err(|_| removed())?;
        swap_chain.show(&gpu, presentable);
        Ok(PresentStatus::Presented)
    }

    fn rotate_resource_identities(&self, mut entry: Entry<'_>, back_buffers: &[ResourceHandle]) {
        // The commands recorded so far refer to the old textures, so their page ends here.
        Immediate::turn_page(&mut entry);
        let Some(mut scope) = ImmediateScope::enter(&mut entry) else {
            return;
        };
        let done = scope.writer.rotate(back_buffers);
        scope.expect_done(done, "a rotation");
        scope.preamble();
        scope.report_memory();
    }
}
