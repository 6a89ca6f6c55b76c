//! The device table, which is free-threaded but needs no lock.

use std::sync::Arc;

use crossbeam_queue::SegQueue;
use onze_ddi::*;

use crate::{
    caps,
    command_list::NullCommandList,
    context::Context,
    deferred::{Deferred, DeferredState},
    page::{DynamicHot, Hot},
    query::NullQuery,
    resource::NullResource,
};

/// Number of commands that fill a command buffer, unless the application's tuning sets another number.
const PAGE_COMMANDS: u32 = 1024;

pub(crate) struct Device {
    pub(crate) kernel: Arc<dyn KernelCallbacks>,
    pub(crate) page_commands: u32,
    pub(crate) recording_budget: u32,
    /// Destroyed objects that unsubmitted commands may still use, added by any thread and retired by the
    /// immediate context's thread.
    pub(crate) retired: SegQueue<DriverObject>,
}

impl Device {
    pub(crate) fn new(args: &CreateDeviceArgs, recording_budget: Option<u32>) -> Self {
        Self {
            kernel: args.kernel.clone(),
            page_commands: args.tuning.page_draws.unwrap_or(PAGE_COMMANDS).max(1),
            recording_budget: recording_budget.unwrap_or(u32::MAX),
            retired: SegQueue::new(),
        }
    }

    /// Deallocates destroyed objects, and must not be called while recorded commands wait for submission,
    /// because these commands may use the objects in the queue.
    pub(crate) fn retire(&self) {
        // Objects that other threads add during this loop wait for the next call, so that the loop
        // terminates.
        for _ in 0..self.retired.len() {
            if let Some(Ok(resource)) = self.retired.pop().map(|o| o.downcast::<NullResource>()) {
                self.deallocate(&resource);
            }
        }
    }

    pub(crate) fn deallocate(&self, resource: &NullResource) {
        if let Some(allocation) = resource.take_allocation() {
            self.kernel.deallocate(allocation);
        }
    }

    pub(crate) fn create_resource(
        &self,
        desc: &ResourceDesc,
        initial_data: &[SubresourceData<'_>],
        primary: bool,
    ) -> Result<DriverObject, CreateError> {
        let args = AllocateArgs { size: NullResource::size(desc), primary, shared: desc.is_shared() };
        let allocation = self.kernel.allocate(args).map_err(|_| CreateError::OutOfMemory)?;
        Ok(Arc::new(NullResource::new(desc, initial_data, allocation)))
    }
}

pub(crate) struct NullDevice(pub(crate) Arc<Device>);

const fn private_size(dynamic: bool) -> usize {
    if dynamic { size_of::<DynamicHot>() } else { size_of::<Hot>() }
}

impl DeviceFuncs for NullDevice {
    fn check_deferred_context_handle_sizes(&self, sizes: Option<&mut [HandleSize]>) -> usize {
        let all = HandleType::ALL.iter().map(|&kind| HandleSize { kind, size: private_size(false) });
        let dynamic = HandleSize { kind: HandleType::Resource, size: private_size(true) };
        if let Some(sizes) = sizes {
            for (to, size) in sizes.iter_mut().zip(all.chain([dynamic])) {
                *to = size;
            }
        }
        HandleType::ALL.len() + 1
    }

    fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize {
        let dynamic = matches!(desc, ObjectDesc::Resource { desc, .. } if desc.usage() == Usage::Dynamic);
        private_size(dynamic)
    }

    fn calc_deferred_context_handle_size(&self, _kind: HandleType, object: &DriverObject) -> usize {
        private_size(object.downcast_ref::<NullResource>().is_some_and(|r| r.desc.usage() == Usage::Dynamic))
    }

    fn create(
        &self,
        _key: Key,
        desc: &ObjectDesc<'_>,
        _private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        // The private bytes stay zeroed, which means "not used yet" (see `Hot`).
        match desc {
            ObjectDesc::Resource { desc, initial_data } => self.0.create_resource(desc, initial_data, false),
            ObjectDesc::Query(asks) => Ok(Arc::new(NullQuery::new(asks.query))),
            other => Ok(Arc::new(other.kind())),
        }
    }

    fn destroy(&self, _kind: HandleType, object: DriverObject) {
        self.0.retired.push(object);
    }

    fn create_deferred_context(
        &self,
        _args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        Ok(CreatedDeferredContext {
            funcs: Arc::new(Context(Deferred { device: self.0.clone() })),
            private: DriverContext::new(Box::new(DeferredState::default())),
        })
    }

    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        _args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        // The context is empty, because its recording was abandoned, but it still has the memory of the
        // recording's commands.
        let funcs = Arc::new(Context(Deferred { device: self.0.clone() }));
        Ok(CreatedDeferredContext { funcs, private: context.revive() })
    }

    fn destroy_deferred_context(&self, context: DriverContext<Ended>) {
        drop(context);
    }

    fn recycle_destroy_command_list(&self, mut list: DriverList<Live>) -> DriverList<Dead> {
        // If an outer list still refers to this list, this list is freed together with the outer list.
        match Arc::get_mut(list.object_mut()).and_then(|list| list.downcast_mut::<NullCommandList>()) {
            Some(list) => list.recording.clear(),
            None => *list.object_mut() = Arc::new(NullCommandList::default()),
        }
        list.die()
    }

    fn destroy_command_list(&self, list: DriverList<Ended>) {
        drop(list);
    }

    fn check_format_support(&self, format: Format) -> FormatSupport {
        caps::format_support(format)
    }

    fn check_format_support2(&self, format: Format) -> FormatSupport2 {
        caps::format_support2(format)
    }

    fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32 {
        caps::multisample_quality_levels(format, sample_count)
    }

    fn destroy_device(&self, immediate: PrivateData) {
        // The immediate context's table may contain the last references to objects that are retired below.
        drop(immediate);
        self.0.retire();
    }
}
