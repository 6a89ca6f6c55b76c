//! The device: what all contexts share, and its table.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use arc_swap::ArcSwapOption;
use crossbeam_queue::SegQueue;
use onze_ddi::{
    BindFlags, Cached, CreateDeferredContextArgs, CreateDeviceArgs, CreateDeviceFlags, CreateError,
    CreatedDeferredContext, Dead, DeviceCoreLayer, DeviceFuncs, DriverBug, DriverContext, DriverList,
    DriverObject, DriverStatistics, Ended, Format, FormatSupport, HandleSize, HandleType, HardwareInfo,
    KernelCallbacks, Key, Live, ObjectDesc, ObjectRef, OutOfMemory, PrivateData, ViewDesc, kind,
};

use crate::{
    adapter::cuts_are_dear,
    context,
    encode::{compiler::Compilers, query_parts::PartSet},
    interop,
    objects::{
        allocator::BufferAllocator,
        null_objects::NullObjects,
        query::Query,
        resource::{Makers, Resource},
        shader::{self, Shader},
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState, Sampler},
        view::{BufferView, View},
    },
    record::{command_list::List, object_table::ObjectTable, page::Page, recorder, recycle},
    services::{convert, gone::Gone},
    submit::{run::RunLength, statistics::Counters, swap_chain},
};

/// What all contexts of a device share. Nothing here is written on the path of a draw.
pub(crate) struct Device {
    /// wgpu's device.
    pub(crate) device: wgpu::Device,
    /// wgpu's queue.
    pub(crate) queue: wgpu::Queue,
    /// wgpu's instance, for surfaces.
    pub(crate) instance: wgpu::Instance,
    /// wgpu's adapter, for the capabilities of formats and surfaces.
    pub(crate) adapter: wgpu::Adapter,
    /// wgpu's words about the adapter.
    pub(crate) info: wgpu::AdapterInfo,
    /// The features that the device was made with.
    pub(crate) features: wgpu::Features,
    /// The limits that the device was made with.
    pub(crate) limits: wgpu::Limits,
    /// What the adapter lacks of WebGPU's baseline.
    pub(crate) downlevel: wgpu::DownlevelCapabilities,
    /// The runtime's kernel callbacks.
    pub(crate) kernel: Arc<dyn KernelCallbacks>,
    /// The runtime's callbacks for the device.
    pub(crate) core: Arc<dyn DeviceCoreLayer>,
    /// What empty slots read.
    pub(crate) nulls: NullObjects,
    /// Storage of constant buffers.
    pub(crate) allocator: BufferAllocator,
    /// What every pipeline is compiled with, once the application has given one.
    pub(crate) pipeline_cache: ArcSwapOption<wgpu::PipelineCache>,
    /// Who compiles them.
    pub(crate) compilers: Compilers,
    /// What resources share.
    pub(crate) makers: Makers,
    /// What caches know and is gone.
    pub(crate) gone: Arc<Gone>,
    /// Objects that were destroyed and not yet retired.
    pub(crate) graveyard: SegQueue<DriverObject>,
    /// Room for the parts of queries that waits to be used again.
    pub(crate) part_sets: SegQueue<PartSet>,
    /// Draws after which a page is full.
    pub(crate) page_draws: u32,
    /// How long runs are.
    pub(crate) run_length: RunLength,
    /// Threads that are to encode; 0 for none. There may be fewer.
    pub(crate) workers: u32,
    /// What was done so far.
    pub(crate) counters: Counters,
    /// The device is gone: nothing is submitted any more.
    pub(crate) lost: AtomicBool,
}

/// The device table. On cache lines of its own, as all threads that create something look at it.
#[repr(align(128))]
pub(crate) struct DeviceTable(pub(crate) Arc<Device>);

impl Device {
    /// Reports a mistake of this driver that harms nothing else.
    pub(crate) fn report_bug(&self, words: impl Into<Cow<'static, str>>) {
        let words = words.into();
        tracing::error!("driver bug: {words}");
        self.core.report_bug(DriverBug(words));
    }

    /// Removes the device; only the first reason counts.
    pub(crate) fn lose(&self, reason: impl Into<Cow<'static, str>>) {
        if !self.lost.swap(true, Ordering::AcqRel) {
            let reason = reason.into();
            tracing::error!("the device is lost: {reason}");
            self.core.device_removed(reason);
        }
    }

    /// Whether the device is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// An error if the device is gone.
    pub(crate) fn check_alive(&self) -> Result<(), CreateError> {
        if self.is_lost() { Err(CreateError::DeviceRemoved("the device is lost".into())) } else { Ok(()) }
    }

    /// Retires what was destroyed. Called after submissions and by every flush, on the immediate
    /// context's thread.
    pub(crate) fn drain_graveyard(&self) {
        self.allocator.forget_dropped();
        self.allocator.sweep();
        // Only what is there now: an object's drop may destroy another.
        for _ in 0..self.graveyard.len() {
            let Some(object) = self.graveyard.pop() else { return };
            self.retire(object);
        }
    }

    fn retire(&self, object: DriverObject) {
        let object = match object.downcast::<Page>() {
            Ok(page) => return recycle::go_home(page),
            Err(object) => object,
        };
        let object = match object.downcast::<ObjectTable>() {
            Ok(table) => return recycle::go_home(table),
            Err(object) => object,
        };
        // One that is not submitted yet waits for the next submission.
        if let Ok(list) = object.downcast::<List>()
            && let Err(list) = List::go_home(list)
        {
            self.graveyard.push(list);
        }
    }
}

/// Draws after which a page is full, unless the application has another wish.
const PAGE_DRAWS: u32 = 512;

/// wgpu's own words for what it did not expect.
fn as_bug(error: &wgpu::Error) -> CreateError {
    CreateError::Bug(DriverBug(format!("wgpu: {error}").into()))
}

impl Device {
    /// Joins what the adapter gave with what the runtime said.
    ///
    /// # Errors
    /// The GPU's memory is spent.
    pub(crate) fn new(
        instance: &wgpu::Instance,
        adapter: &wgpu::Adapter,
        (device, queue): (wgpu::Device, wgpu::Queue),
        args: &CreateDeviceArgs,
        hardware: &HardwareInfo,
    ) -> Result<Arc<Self>, OutOfMemory> {
        let downlevel = adapter.get_downlevel_capabilities();
        let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let nulls = NullObjects::new(&device, &downlevel);
        if pollster::block_on(scope.pop()).is_some() {
            return Err(OutOfMemory);
        }
        let gone = Arc::default();
        let allocator = BufferAllocator::new(&device, &queue, &gone);
        let makers = Makers::new(&args.kernel, &allocator);
        let info = adapter.get_info();
        let run_length =
            args.tuning.run_draws.map_or_else(|| RunLength::of(cuts_are_dear(&info)), RunLength::exactly);
        let this = Arc::new(Self {
            allocator,
            makers,
            pipeline_cache: ArcSwapOption::empty(),
            compilers: Compilers::default(),
            features: device.features(),
            limits: device.limits(),
            info,
            downlevel,
            nulls: nulls?,
            device,
            queue,
            instance: instance.clone(),
            adapter: adapter.clone(),
            kernel: args.kernel.clone(),
            core: args.core.clone(),
            gone,
            graveyard: SegQueue::new(),
            part_sets: SegQueue::new(),
            page_draws: args.tuning.page_draws.unwrap_or(PAGE_DRAWS).max(1),
            run_length,
            workers: workers(args, hardware),
            counters: Counters::default(),
            lost: AtomicBool::new(false),
        });
        this.listen();
        Ok(this)
    }

    /// Hears of wgpu's errors. wgpu holds the device weakly: else neither would ever go.
    fn listen(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        self.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| match weak.upgrade() {
            Some(device) => device.uncaptured(&error),
            None => tracing::error!("wgpu: {error}"),
        }));
        let weak = Arc::downgrade(self);
        self.device.set_device_lost_callback(move |reason, words| {
            if reason != wgpu::DeviceLostReason::Destroyed
                && let Some(device) = weak.upgrade()
            {
                device.lose(words);
            }
        });
    }

    /// An error that nobody expected: there is a bug here, or the GPU's memory is spent.
    fn uncaptured(&self, error: &wgpu::Error) {
        if let wgpu::Error::OutOfMemory { .. } = error {
            self.lose("the GPU's memory is spent");
        } else if !self.is_lost() {
            self.report_bug(format!("wgpu: {error}"));
            self.lose(format!("wgpu: {error}"));
        }
    }

    /// Calls wgpu in error scopes of its own. The scopes see this thread only.
    ///
    /// # Errors
    /// The GPU's memory is spent, the device is lost, or wgpu found a mistake of this driver's.
    pub(crate) fn guarded<T>(&self, f: impl FnOnce() -> T) -> Result<T, CreateError> {
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let value = f();
        let wrong = pollster::block_on(validation.pop());
        let spent = pollster::block_on(memory.pop());
        match (wrong, spent) {
            (None, None) => Ok(value),
            (_, Some(_)) => Err(CreateError::OutOfMemory),
            (Some(_), None) if self.is_lost() => Err(CreateError::DeviceRemoved("the device is lost".into())),
            (Some(error), None) => Err(as_bug(&error)),
        }
    }

    /// As [`Device::guarded`], for what only wgpu can judge: its words go to the application.
    ///
    /// # Errors
    /// The GPU's memory is spent, the device is lost, or wgpu refuses.
    pub(crate) fn validated<T>(&self, f: impl FnOnce() -> T) -> Result<T, CreateError> {
        self.guarded(f).map_err(|error| match error {
            CreateError::Bug(DriverBug(words)) => CreateError::Application(words),
            other => other,
        })
    }

    /// What this device can do with a format that it has.
    pub(crate) fn format_features(&self, format: wgpu::TextureFormat) -> wgpu::TextureFormatFeatures {
        if !self.features.contains(format.required_features()) {
            return wgpu::TextureFormatFeatures {
                allowed_usages: wgpu::TextureUsages::empty(),
                flags: wgpu::TextureFormatFeatureFlags::empty(),
            };
        }
        let adapter_decides =
            self.features.contains(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
                || !self.downlevel.flags.contains(wgpu::DownlevelFlags::WEBGPU_TEXTURE_FORMAT_SUPPORT);
        if adapter_decides {
            self.adapter.get_texture_format_features(format)
        } else {
            format.guaranteed_format_features(self.features)
        }
    }

    /// What a shader reads of an aspect of a format.
    pub(crate) fn sample_type(
        &self,
        format: wgpu::TextureFormat,
        aspect: wgpu::TextureAspect,
    ) -> wgpu::TextureSampleType {
        format
            .sample_type(Some(aspect), Some(self.features))
            .unwrap_or(wgpu::TextureSampleType::Float { filterable: false })
    }

    /// Vertex buffers that one input layout can read: wgpu counts them together with the bind groups.
    pub(crate) fn max_vertex_buffers(&self) -> u32 {
        max_vertex_buffers(&self.limits)
    }
}

/// See [`Device::max_vertex_buffers`].
pub(crate) fn max_vertex_buffers(limits: &wgpu::Limits) -> u32 {
    limits
        .max_vertex_buffers
        .min(limits.max_bind_groups_plus_vertex_buffers.saturating_sub(shader::GROUPS as u32))
        .min(32)
}

/// Threads that encode: one processor is left for the application, and more than four threads find
/// nothing to do.
fn workers(args: &CreateDeviceArgs, hardware: &HardwareInfo) -> u32 {
    let without =
        CreateDeviceFlags::SINGLETHREADED | CreateDeviceFlags::PREVENT_INTERNAL_THREADING_OPTIMIZATIONS;
    if !hardware.threads || args.flags.intersects(without) {
        return 0;
    }
    args.tuning.workers.unwrap_or_else(|| hardware.processors.saturating_sub(1).clamp(1, 4))
}

/// The driver's own type of an object that the runtime hands back.
fn own<T: std::any::Any + Send + Sync>(object: &DriverObject) -> Result<Arc<T>, CreateError> {
    object
        .clone()
        .downcast()
        .map_err(|_| CreateError::Bug(DriverBug("an object is of another driver or of another kind".into())))
}

/// An object as the runtime keeps it.
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
            ViewDesc::Texture(desc) => View::new(&self.0, kind, &seen, desc).map(erased),
            ViewDesc::Buffer(desc) => {
                Ok(erased(Arc::new(BufferView { resource: resource.handle, desc: *desc })))
            }
        }
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
        let device = &self.0;
        match desc {
            ObjectDesc::Resource { desc, initial_data } => {
                Resource::new(device, key, desc, initial_data).map(erased)
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
            ObjectDesc::Shader { code, label } => Shader::new(device, code, label).map(erased),
            ObjectDesc::ElementLayout { elements } => ElementLayout::new(device, elements).map(erased),
            ObjectDesc::BlendState(desc) => BlendState::new(device, desc).map(erased),
            ObjectDesc::DepthStencilState(desc) => Ok(erased(DepthStencilState::new(device, desc))),
            ObjectDesc::RasterizerState(desc) => RasterizerState::new(device, desc).map(erased),
            ObjectDesc::Sampler(desc) => Sampler::new(device, desc).map(erased),
            ObjectDesc::Query(kind) => Ok(erased(Query::new(*kind))),
        }
    }

    fn destroy(&self, _kind: HandleType, object: DriverObject) {
        self.0.graveyard.push(object);
    }

    fn destroy_unused(&self, kind: HandleType, object: DriverObject) {
        // Others go with a flush all the same: a buffer is all that applications make and drop by the thousand.
        if object.downcast_ref::<Resource>().is_none_or(|resource| resource.home().is_none()) {
            self.destroy(kind, object);
        }
    }

    fn create_deferred_context(
        &self,
        args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.0.check_alive()?;
        Ok(context::create_deferred(&self.0, args))
    }

    fn recycle_create_deferred_context(
        &self,
        context: DriverContext<Cached>,
        _args: &CreateDeferredContextArgs,
    ) -> Result<CreatedDeferredContext, CreateError> {
        self.0.check_alive()?;
        // Its abandoned recording has left it empty, with its memory.
        Ok(context::created_deferred(context.revive()))
    }

    fn destroy_deferred_context(&self, context: DriverContext<Ended>) {
        drop(context);
    }

    fn recycle_destroy_command_list(&self, mut list: DriverList<Live>) -> DriverList<Dead> {
        match Arc::get_mut(list.object_mut()).and_then(|list| list.downcast_mut::<List>()) {
            Some(list) => list.bury(&self.0.graveyard),
            // It waits to be submitted, or a list that executes it is about to go.
            None => {
                let home = list.object().downcast_ref::<List>().and_then(|list| list.home.as_ref());
                let empty = home.and_then(|home| home.take()).unwrap_or_default();
                self.0.graveyard.push(std::mem::replace(list.object_mut(), empty));
            }
        }
        list.die()
    }

    fn destroy_command_list(&self, mut list: DriverList<Ended>) {
        match Arc::get_mut(list.object_mut()).and_then(|list| list.downcast_mut::<List>()) {
            Some(list) => list.bury(&self.0.graveyard),
            None => self.0.graveyard.push(list.into_inner()),
        }
    }

    fn check_format_support(&self, format: Format) -> FormatSupport {
        format_support(&self.0, format)
    }

    fn check_multisample_quality_levels(&self, _format: Format, sample_count: u32) -> u32 {
        // Resolving does not work yet, so textures of several samples would be of no use.
        u32::from(sample_count == 1)
    }

    fn statistics(&self) -> DriverStatistics {
        self.0.counters.read(&self.0)
    }

    fn driver_object(&self) -> DriverObject {
        erased(Arc::new(interop::Lent::Device(Arc::downgrade(&self.0))))
    }

    fn driver_object_of(&self, _kind: HandleType, object: &DriverObject) -> DriverObject {
        interop::lend(object).map_or_else(|| erased(Arc::new(())), |lent| erased(Arc::new(lent)))
    }

    fn destroy_device(&self, immediate: PrivateData) {
        drop(immediate);
        let device = &self.0;
        while let Some(object) = device.graveyard.pop() {
            drop(object);
        }
        device.allocator.trim();
        if let Err(error) = device.device.poll(wgpu::PollType::wait_indefinitely()) {
            tracing::warn!("the device's last work did not end: {error}");
        }
        device.device.destroy();
    }
}

/// What can be done with a format, from what the adapter says of the wgpu format behind it.
fn format_support(device: &Device, format: Format) -> FormatSupport {
    let mut support = FormatSupport::empty();
    if convert::vertex_format(format).is_some() {
        support |= FormatSupport::BUFFER | FormatSupport::IA_VERTEX_BUFFER;
    }
    if matches!(format, Format::R16_UINT | Format::R32_UINT) {
        support |= FormatSupport::BUFFER | FormatSupport::IA_INDEX_BUFFER;
    }
    // A plane of a depth format is read through a view of its typeless family.
    let is_depth_plane = format.has_depth() && !format.is_depth_stencil() && !format.is_typeless();
    let depth_parent = format.family().depth_stencil_format().and_then(convert::texture_format);
    let physical =
        if is_depth_plane { depth_parent } else { convert::physical_format(format, BindFlags::empty()) };
    let Some(physical) = physical else {
        return support;
    };
    let features = device.format_features(physical);
    if !features.allowed_usages.contains(wgpu::TextureUsages::TEXTURE_BINDING) {
        return support;
    }
    if is_depth_plane {
        return support | FormatSupport::SHADER_LOAD | FormatSupport::SHADER_SAMPLE_COMPARISON;
    }
    support |= FormatSupport::TEXTURE2D | FormatSupport::TEXTURECUBE | FormatSupport::MIP;
    // wgpu copies no other depth to or from memory.
    let moves = !physical.is_depth_stencil_format() || physical == wgpu::TextureFormat::Depth16Unorm;
    support.set(FormatSupport::CPU_LOCKABLE, moves);
    if format.is_typeless() {
        return support | FormatSupport::CAST_WITHIN_BIT_LAYOUT;
    }
    let is_target = features.allowed_usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT);
    if format.is_depth_stencil() {
        support.set(FormatSupport::DEPTH_STENCIL, is_target);
        return support;
    }
    support |= FormatSupport::SHADER_LOAD;
    let filters = device.sample_type(physical, wgpu::TextureAspect::All)
        == wgpu::TextureSampleType::Float { filterable: true };
    let blends = features.flags.contains(wgpu::TextureFormatFeatureFlags::BLENDABLE);
    support.set(FormatSupport::SHADER_SAMPLE, filters);
    // Depth in a colour format cannot be compared by a sampler; R32_FLOAT and R16_UNORM can through
    // the typeless families that they share with depth formats.
    let can_be_depth = matches!(format, Format::R32_FLOAT | Format::R16_UNORM);
    support.set(FormatSupport::SHADER_SAMPLE_COMPARISON, can_be_depth);
    support.set(FormatSupport::RENDER_TARGET, is_target);
    support.set(FormatSupport::BLENDABLE, is_target && blends);
    support.set(FormatSupport::MIP_AUTOGEN, is_target && filters);
    support.set(FormatSupport::DISPLAY, swap_chain::is_displayable(format));
    support
}

#[cfg(test)]
mod tests;
