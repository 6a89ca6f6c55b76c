//! The device table: entries that create and destroy objects, and queries about formats and statistics.

use std::sync::Arc;

use onze_ddi::{
    Cached, CreateDeferredContextArgs, CreateError, CreatedDeferredContext, Dead, DeviceFuncs, DriverBug,
    DriverContext, DriverList, DriverObject, DriverStatistics, Ended, Format, FormatSupport, FormatSupport2,
    HandleSize, HandleType, Key, Live, ObjectDesc, ObjectRef, PrivateData, ViewDesc, kind,
};

use crate::{
    context,
    device::Device,
    format_support, interop,
    objects::{
        query::Query,
        resource::Resource,
        shader::Shader,
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState, Sampler},
        view::{BufferView, View},
    },
    record::{command_list::List, recorder},
};

/// Aligned so that it shares no cache line with other data, because every thread that creates an object reads
/// the device table.
#[repr(align(128))]
pub(crate) struct DeviceTable(pub(crate) Arc<Device>);

/// Converts an object from the runtime to the driver's own type.
fn own<T: std::any::Any + Send + Sync>(object: &DriverObject) -> Result<Arc<T>, CreateError> {
    object
        .clone()
        .downcast()
        .map_err(|_| CreateError::Bug(DriverBug("an object is of another driver or of another kind".into())))
}

/// Converts an object to the type-erased form in which the runtime stores it.
fn erased<T: std::any::Any + Send + Sync>(object: Arc<T>) -> DriverObject {
    object
}

impl DeviceTable {
    fn view(
        &self,
        kind: HandleType,
        resource: &ObjectRef<'_, kind::Resource>,
        desc: &ViewDesc,
    ) -> Result<DriverObject, CreateError> {
        let seen = own(resource.object)?;
        match desc {
            ViewDesc::Texture(desc) if Resource::is_back_buffer(&seen) => {
                View::following(&self.0.gpu, kind, (resource.handle, &seen), desc).map(erased)
            }
            ViewDesc::Texture(desc) => View::new(&self.0.gpu, kind, &seen, desc).map(erased),
            ViewDesc::Buffer(desc) => BufferView::new(&self.0.gpu, resource.handle, desc).map(erased),
        }
    }
}

impl DeviceTable {
    /// Returns the multisampling support of a format, which is empty if no sample count from 2 to 8 is
    /// supported.
    fn samples_support(&self, format: Format) -> FormatSupport {
        let has_samples = (2..=8).any(|count| self.check_multisample_quality_levels(format, count) > 0);
        if has_samples { format_support::samples_support(format) } else { FormatSupport::empty() }
    }
}

impl DeviceFuncs for DeviceTable {
    fn check_deferred_context_handle_sizes(&self, sizes: Option<&mut [HandleSize]>) -> usize {
        let known = recorder::handle_sizes();
        if let Some(sizes) = sizes {
            for (to, from) in sizes.iter_mut().zip(known) {
                *to = *from;
            }
        }
        known.len()
    }

    fn calc_private_size(&self, desc: &ObjectDesc<'_>) -> usize {
        recorder::private_size(desc.kind())
    }

    fn calc_deferred_context_handle_size(&self, kind: HandleType, _object: &DriverObject) -> usize {
        recorder::private_size(kind)
    }

    fn create(
        &self,
        key: Key,
        desc: &ObjectDesc<'_>,
        _private: &mut [u8],
    ) -> Result<DriverObject, CreateError> {
        let Device { gpu, objects, .. } = &*self.0;
        match desc {
            ObjectDesc::Resource { desc, initial_data } => {
                Resource::new(objects, key, desc, initial_data).map(erased)
            }
            ObjectDesc::ShaderResourceView { resource, desc } => {
                self.view(HandleType::ShaderResourceView, resource, desc)
            }
            ObjectDesc::RenderTargetView { resource, desc } => {
                self.view(HandleType::RenderTargetView, resource, desc)
            }
            ObjectDesc::DepthStencilView { resource, desc } => {
                self.view(HandleType::DepthStencilView, resource, desc)
            }
            ObjectDesc::UnorderedAccessView { resource, desc } => {
                self.view(HandleType::UnorderedAccessView, resource, desc)
            }
            ObjectDesc::Shader { code, stream_output, label } => {
                Shader::new(gpu, code, *stream_output, label).map(erased)
            }
            ObjectDesc::ElementLayout { elements } => ElementLayout::new(gpu, elements).map(erased),
            ObjectDesc::BlendState(desc) => BlendState::new(gpu, desc).map(erased),
            ObjectDesc::DepthStencilState(desc) => Ok(erased(DepthStencilState::new(gpu, desc))),
            ObjectDesc::RasterizerState(desc) => RasterizerState::new(gpu, desc).map(erased),
            ObjectDesc::Sampler(desc) => Sampler::new(gpu, desc).map(erased),
            ObjectDesc::Query(desc) => Ok(erased(Query::new(*desc))),
        }
    }

    fn destroy(&self, _kind: HandleType, object: DriverObject) {
        self.0.submission.graveyard.push(object);
    }

    fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
        // Only buffers are destroyed immediately, because applications create and drop thousands of them,
        // while all other objects wait for the next submission.
        if object.downcast_ref::<Resource>().is_none_or(|resource| resource.base_storage().is_none()) {
            self.destroy(kind, object);
        }
    }

    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.0.gpu.check_alive()?;
        Ok(context::create_deferred(&self.0.gpu, args))
    }

    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        _args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.0.gpu.check_alive()?;
        // The context's recording was abandoned, so the context is empty, but it has kept its memory.
        Ok(context::created_deferred(context.revive()))
    }

    fn destroy_deferred_context(&self, context: DriverContext<Ended>) {
        drop(context);
    }

    fn recycle_destroy_command_list(&self, mut list: DriverList<Live>) -> DriverList<Dead> {
        match Arc::get_mut(list.object_mut()).and_then(|list| list.downcast_mut::<List>()) {
            Some(list) => self.0.submission.graveyard.bury(list),
            // The list still waits for a submission, or another list that executes it has not yet been
            // destroyed.
            None => {
                let recycle_to =
                    list.object().downcast_ref::<List>().and_then(|list| list.recycle_to.as_ref());
                let empty = recycle_to.and_then(|queue| queue.take()).unwrap_or_default();
                self.0.submission.graveyard.push(std::mem::replace(list.object_mut(), empty));
            }
        }
        list.die()
    }

    fn destroy_command_list(&self, mut list: DriverList<Ended>) {
        match Arc::get_mut(list.object_mut()).and_then(|list| list.downcast_mut::<List>()) {
            Some(list) => self.0.submission.graveyard.bury(list),
            None => self.0.submission.graveyard.push(list.into_inner()),
        }
    }

    fn check_format_support(&self, format: Format) -> FormatSupport {
        format_support::format_support(&self.0.gpu, format) | self.samples_support(format)
    }

    fn check_format_support2(&self, format: Format) -> FormatSupport2 {
        format_support::format_support2(&self.0.gpu, format)
    }

    fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32 {
        u32::from(format_support::has_samples(&self.0.gpu, format, sample_count))
    }

    fn statistics(&self) -> DriverStatistics {
        self.0.submission.counters.read(&self.0.encoding)
    }

    fn poll(&self) {
        let gpu = &self.0.gpu;
        if let Err(error) = gpu.device.poll(wgpu::PollType::Poll) {
            gpu.lose(error.to_string());
        }
    }

    fn driver_object(&self) -> DriverObject {
        erased(Arc::new(interop::LentObject::Device(Arc::downgrade(&self.0))))
    }

    fn driver_object_of(&self, _kind: HandleType, object: &DriverObject) -> DriverObject {
        interop::lend(object).map_or_else(|| erased(Arc::new(())), |lent| erased(Arc::new(lent)))
    }

    fn destroy_device(&self, immediate: PrivateData) {
        drop(immediate);
        self.0.submission.graveyard.clear();
        self.0.objects.allocator.trim();
        let device = &self.0.gpu.device;
        if let Err(error) = device.poll(wgpu::PollType::wait_indefinitely()) {
            tracing::warn!("the device's last work did not end: {error}");
        }
        device.destroy();
    }
}

#[cfg(test)]
mod tests;
