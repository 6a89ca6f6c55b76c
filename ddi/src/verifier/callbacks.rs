//! The runtime's callbacks under watch.

use std::{any::Any, borrow::Cow, ops::Range, sync::Arc};

use super::{
    breach::{Rule, ensure, lock},
    context::Table,
    watch::{ContextWatch, DeviceWatch, private_address},
};
use crate::{
    ContextError, DriverBug, ShaderStage,
    callbacks::{
        AllocateArgs, Allocation, CoreLayer, DeviceCoreLayer, Fence, KernelCallbacks, OutOfMemory,
        RenderArgs, StateRefresh,
    },
    context::{
        BlendBinding, ConstantBufferBinding, DepthStencilBinding, ImmediateFuncs, IndexBufferBinding,
        PrimitiveTopology, Rect, TargetsBinding, VertexBufferBinding, Viewport,
    },
    handle::{
        ElementLayoutHandle, RasterizerStateHandle, SamplerHandle, ShaderHandle, ShaderResourceViewHandle,
    },
    storage::HandleStorage,
};

pub(super) struct WatchedKernel {
    pub(super) inner: Arc<dyn KernelCallbacks>,
    pub(super) watch: Arc<DeviceWatch>,
}

impl KernelCallbacks for WatchedKernel {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        let allocation = self.inner.allocate(args)?;
        lock(&self.watch.allocations).insert(allocation.id(), args.primary);
        Ok(allocation)
    }

    fn deallocate(&self, allocation: Allocation) {
        let known = lock(&self.watch.allocations).remove(&allocation.id()).is_some();
        let check = ensure(known, Rule::DeallocateAllocated, || format!("{allocation:?}"));
        self.watch.record("deallocate", check);
        self.inner.deallocate(allocation);
    }

    fn signal(&self, fence: Fence) {
        self.inner.signal(fence);
    }

    fn signalled(&self) -> Fence {
        self.inner.signalled()
    }
}

pub(super) struct WatchedDeviceCore {
    pub(super) inner: Arc<dyn DeviceCoreLayer>,
    pub(super) immediate: Arc<ContextWatch>,
}

impl DeviceCoreLayer for WatchedDeviceCore {
    fn publish_immediate_table(&self, table: Box<dyn ImmediateFuncs>) {
        let watch = self.immediate.clone();
        self.inner.publish_immediate_table(Box::new(Table { inner: Arc::from(table), watch }));
    }

    fn device_removed(&self, reason: Cow<'static, str>) {
        self.inner.device_removed(reason);
    }

    fn report_bug(&self, bug: DriverBug) {
        self.inner.report_bug(bug);
    }

    fn report_unsupported(&self, what: Cow<'static, str>) {
        self.inner.report_unsupported(what);
    }
}

/// The core layer's callbacks of a context while one of its entries runs.
pub(super) struct WatchedCore<'a> {
    pub(super) inner: &'a mut dyn CoreLayer,
    pub(super) watch: &'a ContextWatch,
    pub(super) entry: &'static str,
    /// Where the entry's private data and handles are.
    pub(super) arguments: (usize, usize),
}

impl CoreLayer for WatchedCore<'_> {
    fn set_error(&mut self, error: ContextError) {
        let allowed = self.watch.deferred || error != ContextError::OutOfMemory;
        let details = || "the immediate context ran out of memory".into();
        self.watch.device.record(self.entry, ensure(allowed, Rule::ErrorAllowed, details));
        self.inner.set_error(error);
    }

    fn perform_amortized_processing(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage) {
        let given = (private_address(private), std::ptr::from_ref(handles).addr());
        let same = ensure(given == self.arguments, Rule::CallbackArguments, || "others were passed".into());
        self.watch.device.record(self.entry, same);
        self.watch.amortize(self.entry);
        self.inner.perform_amortized_processing(private, handles);
        self.watch.amortized();
    }

    fn render(&mut self, args: RenderArgs) -> Result<Fence, ContextError> {
        let check = ensure(!self.watch.deferred, Rule::RenderImmediate, || "on a deferred context".into());
        self.watch.device.record(self.entry, check);
        self.inner.render(args)
    }
}

impl StateRefresh for WatchedCore<'_> {
    fn input_layout(&self) -> Option<ElementLayoutHandle> {
        self.inner.input_layout()
    }

    fn vertex_buffers(&self, slots: Option<Range<u32>>) -> &[VertexBufferBinding] {
        self.inner.vertex_buffers(slots)
    }

    fn index_buffer(&self) -> IndexBufferBinding {
        self.inner.index_buffer()
    }

    fn primitive_topology(&self) -> PrimitiveTopology {
        self.inner.primitive_topology()
    }

    fn shader(&self, stage: ShaderStage) -> Option<ShaderHandle> {
        self.inner.shader(stage)
    }

    fn constant_buffers(&self, stage: ShaderStage, slots: Option<Range<u32>>) -> &[ConstantBufferBinding] {
        self.inner.constant_buffers(stage, slots)
    }

    fn shader_resources(
        &self,
        stage: ShaderStage,
        slots: Option<Range<u32>>,
    ) -> &[Option<ShaderResourceViewHandle>] {
        self.inner.shader_resources(stage, slots)
    }

    fn samplers(&self, stage: ShaderStage, slots: Option<Range<u32>>) -> &[Option<SamplerHandle>] {
        self.inner.samplers(stage, slots)
    }

    fn rasterizer_state(&self) -> Option<RasterizerStateHandle> {
        self.inner.rasterizer_state()
    }

    fn viewports(&self) -> &[Viewport] {
        self.inner.viewports()
    }

    fn scissor_rects(&self) -> &[Rect] {
        self.inner.scissor_rects()
    }

    fn blend_state(&self) -> BlendBinding {
        self.inner.blend_state()
    }

    fn depth_stencil_state(&self) -> DepthStencilBinding {
        self.inner.depth_stencil_state()
    }

    fn render_targets(&self) -> TargetsBinding<'_> {
        self.inner.render_targets()
    }
}
