//! Tests of contexts: the pages that they record on a null device, and the results on a real device.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod gpu;
mod lists;
mod lock_free;
mod pages;
mod policy;
mod rotation;
mod submissions;
mod surfaces;

use std::{any::Any, marker::PhantomData, num::NonZeroU32, ops::Range, sync::Arc};

use onze_ddi::*;

use crate::{
    context::{create_deferred, create_immediate},
    device::Device,
    device_table::DeviceTable,
    record::{
        command_list::List,
        deferred::Deferred,
        recorder::{PageSink, Recorder, private_size},
    },
    submit::immediate::Immediate,
    testing::FakeRuntime,
};

/// A fake of the runtime's side of a context, with the bindings and the driver's reports.
#[derive(Default)]
struct RuntimeHalf {
    constants: PerStage<Vec<ConstantBufferBinding>>,
    vertices: Vec<VertexBufferBinding>,
    indices: IndexBufferBinding,
    topology: PrimitiveTopology,
    viewports: Vec<Viewport>,
    rects: Vec<Rect>,
    errors: Vec<ContextError>,
    amortized: u32,
    submissions: Vec<RenderArgs>,
    presents: Vec<PresentArgs>,
}

fn part<T>(all: &[T], slots: Option<Range<u32>>) -> &[T] {
    match slots {
        None => all,
        Some(slots) => all.get(slots.start as usize..slots.end as usize).unwrap_or_default(),
    }
}

/// Returns bindings for the state that some tests bind, and empty bindings for all other state.
macro_rules! shown {
    ($($(#[$doc:meta])* $class:ident $name:ident -> $bound:ty;)*) => {
        impl StateRefresh for RuntimeHalf { $(shown! { @$class $name -> $bound })* }
    };
    (@slots vertex_buffers -> $bound:ty) => {
        fn vertex_buffers(&self, slots: Option<Range<u32>>) -> &[$bound] {
            part(&self.vertices, slots)
        }
    };
    (@one index_buffer -> $bound:ty) => {
        fn index_buffer(&self) -> $bound {
            self.indices
        }
    };
    (@one viewports -> $bound:ty) => {
        fn viewports(&self) -> $bound {
            &self.viewports
        }
    };
    (@one scissor_rects -> $bound:ty) => {
        fn scissor_rects(&self) -> $bound {
            &self.rects
        }
    };
    (@one primitive_topology -> $bound:ty) => {
        fn primitive_topology(&self) -> $bound {
            self.topology
        }
    };
    (@stage_slots constant_buffers -> $bound:ty) => {
        fn constant_buffers(&self, stage: ShaderStage, slots: Option<Range<u32>>) -> &[$bound] {
            part(&self.constants[stage], slots)
        }
    };
    (@one $name:ident -> $bound:ty) => {
        fn $name(&self) -> $bound {
            Default::default()
        }
    };
    (@slots $name:ident -> $bound:ty) => {
        fn $name(&self, _slots: Option<Range<u32>>) -> &[$bound] {
            &[]
        }
    };
    (@stage $name:ident -> $bound:ty) => {
        fn $name(&self, _stage: ShaderStage) -> $bound {
            None
        }
    };
    (@stage_slots $name:ident -> $bound:ty) => {
        fn $name(&self, _stage: ShaderStage, _slots: Option<Range<u32>>) -> &[$bound] {
            &[]
        }
    };
}
state_callbacks!(shown);

impl CoreLayer for RuntimeHalf {
    fn set_error(&mut self, error: ContextError) {
        self.errors.push(error);
    }

    fn perform_amortized_processing(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage) {
        let is_ours = private.is::<Recorder<Immediate>>() || private.is::<Recorder<Deferred>>();
        assert!(is_ours, "the driver passes on its own private data");
        handles.trim();
        self.amortized += 1;
    }

    fn render(&mut self, args: RenderArgs) -> Result<Fence, DeviceRemoved> {
        self.submissions.push(args);
        Ok(Fence(self.submissions.len() as u64))
    }

    fn present(&mut self, args: PresentArgs) -> Result<(), DeviceRemoved> {
        self.presents.push(args);
        Ok(())
    }

    fn set_display_mode(&mut self, _mode: DisplayMode) -> Result<(), DeviceRemoved> {
        Ok(())
    }
}

struct Context<F, E> {
    funcs: F,
    end: PhantomData<E>,
    private: PrivateData,
    handles: HandleStorage,
    core: RuntimeHalf,
}

impl<F, E: PageSink> Context<F, E> {
    fn entry(&mut self) -> Entry<'_> {
        Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core }
    }

    fn closing(&mut self) -> ClosingEntry<'_> {
        ClosingEntry { private: &mut *self.private, handles: &mut self.handles, state: &self.core }
    }

    fn recorder(&mut self) -> &mut Recorder<E> {
        self.private.downcast_mut().unwrap()
    }
}

impl<F: std::ops::Deref<Target: ContextFuncs>, E> Context<F, E> {
    fn bind_constants(&mut self, stage: ShaderStage, slot: u32, binding: ConstantBufferBinding) {
        let bound = &mut self.core.constants[stage];
        if bound.len() <= slot as usize {
            bound.resize(slot as usize + 1, ConstantBufferBinding::default());
        }
        bound[slot as usize] = binding;
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.set_constant_buffers(entry, stage, slot, &[binding]);
    }

    fn bind_vertices(&mut self, slot: u32, binding: VertexBufferBinding) {
        if self.core.vertices.len() <= slot as usize {
            self.core.vertices.resize(slot as usize + 1, VertexBufferBinding::default());
        }
        self.core.vertices[slot as usize] = binding;
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.ia_set_vertex_buffers(entry, slot, &[binding]);
    }

    fn bind_indices(&mut self, binding: IndexBufferBinding) {
        self.core.indices = binding;
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.ia_set_index_buffer(entry, binding);
    }

    fn draw(&mut self) {
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.draw(entry, 3, 0);
    }

    /// Maps the buffer, writes `bytes` starting at `offset`, and unmaps it with the written range.
    fn write(
        &mut self,
        buffer: ResourceHandle,
        map_type: MapType,
        offset: usize,
        bytes: &[u8],
        written: Written,
    ) {
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        let mut memory = self.funcs.dynamic_map(entry, buffer, 0, map_type).unwrap();
        memory.bytes_mut()[offset..offset + bytes.len()].copy_from_slice(bytes);
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.dynamic_unmap(entry, buffer, 0, memory, written);
    }

    fn discard(&mut self, buffer: ResourceHandle, bytes: &[u8]) {
        self.write(buffer, MapType::WriteDiscard, 0, bytes, Written::All);
    }

    fn copy(&mut self, dst: ResourceHandle, src: ResourceHandle) {
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.resource_copy(entry, dst, src);
    }

    fn execute(&mut self, list: &DriverList<Live>) {
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.command_list_execute(entry, list);
        self.core.constants = Default::default();
        self.core.vertices.clear();
        self.core.indices = IndexBufferBinding::default();
    }
}

type ImmediateContext = Context<Box<dyn ImmediateFuncs>, Immediate>;
type DeferredContext = Context<Arc<dyn DeferredFuncs>, Deferred>;

impl ImmediateContext {
    fn immediate(&mut self) -> &mut Immediate {
        &mut self.recorder().end
    }

    fn flush(&mut self) -> bool {
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.flush(entry, FlushFlags::empty())
    }

    fn read(&mut self, staging: ResourceHandle) -> Vec<u8> {
        self.read_subresource(staging, 0).0
    }

    fn read_subresource(&mut self, staging: ResourceHandle, subresource: u32) -> (Vec<u8>, u32) {
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        let memory = self.funcs.staging_map(entry, staging, subresource, MapType::Read, false).unwrap();
        let bytes = (memory.bytes().to_vec(), memory.row_pitch);
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        self.funcs.staging_unmap(entry, staging, subresource, memory, Written::Nothing);
        bytes
    }
}

impl DeferredContext {
    fn finish(&mut self) -> DriverList<Live> {
        self.finish_with(None)
    }

    fn finish_with(&mut self, cached: Option<DriverList<Cached>>) -> DriverList<Live> {
        let entry = Entry { private: &mut *self.private, handles: &mut self.handles, core: &mut self.core };
        let list = self.funcs.create_command_list(entry, cached).unwrap();
        let keys: Vec<_> = self.handles.keys().collect();
        for key in keys {
            self.handles.close(key).unwrap();
        }
        self.core.constants = Default::default();
        list
    }
}

struct Rig {
    runtime: Arc<FakeRuntime>,
    device: Arc<Device>,
    table: DeviceTable,
    context: ImmediateContext,
    keys: u32,
}

fn list(list: &DriverList<Live>) -> Arc<List> {
    list.object().clone().downcast().unwrap()
}

impl Rig {
    fn new((device, runtime): (Arc<Device>, Arc<FakeRuntime>)) -> Self {
        let (funcs, private) = create_immediate(&device.submission);
        let context = Context {
            funcs,
            end: PhantomData,
            private,
            handles: HandleStorage::new(),
            core: RuntimeHalf::default(),
        };
        Self { runtime, table: DeviceTable(device.clone()), device, context, keys: 0 }
    }

    fn noop() -> Self {
        Self::new(crate::testing::noop())
    }

    fn full_page(&self) -> u32 {
        self.device.gpu.policy.page_plain_draws()
    }

    /// Creates a rig on a GPU, or returns `None` if tests may run without a GPU and none exists.
    fn gpu() -> Option<Self> {
        crate::testing::gpu().map(Self::new)
    }

    fn deferred(&self) -> DeferredContext {
        let made = create_deferred(&self.device.gpu, &CreateDeferredContextArgs::default());
        Context {
            funcs: made.funcs,
            end: PhantomData,
            private: made.private.into_inner(),
            handles: HandleStorage::new(),
            core: RuntimeHalf::default(),
        }
    }

    fn create<K: HandleKind>(&mut self, desc: &ObjectDesc<'_>) -> Handle<K> {
        let key = Key::new(self.keys, NonZeroU32::MIN);
        self.keys += 1;
        let mut private = vec![0; private_size(desc.kind())];
        let object = self.table.create(key, desc, &mut private).unwrap();
        assert!(self.context.handles.open(key, private.len(), object, Arc::new(())));
        self.context.handles.private_bytes_mut(key).unwrap().copy_from_slice(&private);
        Handle::new(key)
    }

    fn resource(&mut self, desc: &ResourceDesc, data: &[SubresourceData<'_>]) -> ResourceHandle {
        self.create(&ObjectDesc::Resource { desc, initial_data: data })
    }

    fn buffer(&mut self, desc: BufferDesc, data: Option<&[u8]>) -> ResourceHandle {
        let data: Vec<_> =
            data.iter().map(|bytes| SubresourceData { bytes, row_pitch: 0, depth_pitch: 0 }).collect();
        self.resource(&ResourceDesc::Buffer(desc), &data)
    }

    fn dynamic_constants(&mut self, size: u32) -> ResourceHandle {
        self.buffer(BufferDesc::dynamic(size, BindFlags::CONSTANT_BUFFER), None)
    }

    fn staging(&mut self, size: u32) -> ResourceHandle {
        self.buffer(BufferDesc::staging(size, CpuAccessFlags::READ | CpuAccessFlags::WRITE), None)
    }

    /// Opens a handle in a deferred context, as the runtime does at the handle's first use.
    fn open<K: HandleKind>(&self, context: &mut DeferredContext, handle: Handle<K>) {
        let object = self.context.handles.object(handle).unwrap().clone();
        let key = handle.key();
        assert!(context.handles.open(key, private_size(K::TYPE), object.clone(), Arc::new(())));
        let entry =
            Entry { private: &mut *context.private, handles: &mut context.handles, core: &mut context.core };
        let args = OpenArgs { kind: K::TYPE, key, object: &object, dependency: Dependency::None };
        context.funcs.open(entry, args).unwrap();
    }

    fn destroy<K: HandleKind>(&mut self, handle: Handle<K>) {
        let context = &mut self.context;
        let entry = ClosingEntry {
            private: &mut *context.private,
            handles: &mut context.handles,
            state: &context.core,
        };
        context.funcs.close(entry, K::TYPE, handle.key());
        let (object, _) = context.handles.close(handle.key()).unwrap();
        self.table.destroy(K::TYPE, object);
    }
}
