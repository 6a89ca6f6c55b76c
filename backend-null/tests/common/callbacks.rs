//! The callbacks of the kernel, the device and a context, which note their calls.

use std::{
    any::Any,
    borrow::Cow,
    collections::BTreeMap,
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use onze_ddi::*;

use super::Events;

#[derive(Default)]
pub struct Kernel {
    pub live: Mutex<BTreeMap<u64, AllocateArgs>>,
    next: AtomicU64,
    pub one_number: AtomicBool,
    signalled: AtomicU64,
    pub budget: Mutex<Option<u64>>,
    pub on_allocate: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    pub events: Events,
}

impl KernelCallbacks for Kernel {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        if let Some(call) = self.on_allocate.lock().unwrap().take() {
            call();
        }
        let mut live = self.live.lock().unwrap();
        let used: u64 = live.values().map(|a| a.size).sum();
        if self.budget.lock().unwrap().is_some_and(|budget| used + args.size > budget) {
            return Err(OutOfMemory);
        }
        let step = u64::from(!self.one_number.load(Ordering::Relaxed));
        let id = self.next.fetch_add(step, Ordering::Relaxed);
        live.insert(id, args);
        Ok(Allocation::new(id, args.size))
    }

    fn deallocate(&self, allocation: Allocation) {
        self.events.lock().unwrap().push("deallocate".into());
        self.live.lock().unwrap().remove(&allocation.id());
    }

    fn signal(&self, fence: Fence) {
        self.events.lock().unwrap().push(format!("signal {}", fence.0));
        self.signalled.store(fence.0, Ordering::Relaxed);
    }

    fn signalled(&self) -> Fence {
        Fence(self.signalled.load(Ordering::Relaxed))
    }
}

#[derive(Default)]
pub struct Core {
    pub bugs: Mutex<Vec<DriverBug>>,
    pub tables: Mutex<Vec<Box<dyn ImmediateFuncs>>>,
}

impl DeviceCoreLayer for Core {
    fn publish_immediate_table(&self, table: Box<dyn ImmediateFuncs>) {
        self.tables.lock().unwrap().push(table);
    }

    fn device_removed(&self, _reason: Cow<'static, str>) {}

    fn report_bug(&self, bug: DriverBug) {
        self.bugs.lock().unwrap().push(bug);
    }

    fn report_unsupported(&self, _what: Cow<'static, str>) {}

    fn report_hint(&self, _what: Cow<'static, str>) {}
}

impl AdapterCallbacks for Core {
    fn query_adapter_info(&self) -> HardwareInfo {
        HardwareInfo { processors: 1, threads: true, memory_budget: None }
    }
}

type OnAmortize = Box<dyn FnMut(&mut (dyn Any + Send), &mut HandleStorage, &mut Layer) + Send>;

#[derive(Default)]
pub struct Layer {
    pub events: Events,
    pub quiet: bool,
    pub errors: Vec<ContextError>,
    pub removed: bool,
    pub fence: u64,
    pub on_amortize: Option<OnAmortize>,
    pub layout: Option<ElementLayoutHandle>,
    pub vertex: Vec<VertexBufferBinding>,
    pub constants: Vec<ConstantBufferBinding>,
    pub views: Vec<Option<ShaderResourceViewHandle>>,
    pub target: Vec<Option<RenderTargetViewHandle>>,
    pub topology: PrimitiveTopology,
    pub compute_shader: Option<ShaderHandle>,
    /// The shaders of the hull, domain and geometry stages.
    pub patch_shaders: [Option<ShaderHandle>; 3],
    pub unordered: Vec<Option<UnorderedAccessViewHandle>>,
    pub streams: Vec<Option<ResourceHandle>>,
}

impl Layer {
    fn note(&self, event: impl FnOnce() -> String) {
        if !self.quiet {
            self.events.lock().unwrap().push(event());
        }
    }

    pub fn unbind(&mut self) {
        self.layout = None;
        self.vertex.clear();
        self.constants.clear();
        self.views.clear();
        self.target.clear();
        self.topology = PrimitiveTopology::Undefined;
        self.compute_shader = None;
        self.patch_shaders = [None; 3];
        self.unordered.clear();
        self.streams.clear();
    }
}

fn slots<T>(all: &[T], slots: Option<Range<u32>>) -> &[T] {
    match slots {
        None => all,
        Some(slots) => all.get(slots.start as usize..slots.end as usize).unwrap_or_default(),
    }
}

impl CoreLayer for Layer {
    fn set_error(&mut self, error: ContextError) {
        self.errors.push(error);
    }

    fn perform_amortized_processing(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage) {
        self.note(|| "amortized".into());
        if let Some(mut call) = self.on_amortize.take() {
            call(private, handles, self);
        }
    }

    fn render(&mut self, args: RenderArgs) -> Result<Fence, DeviceRemoved> {
        if self.removed {
            return Err(DeviceRemoved("gone".into()));
        }
        self.fence += 1;
        self.note(|| format!("render {} draws", args.draws));
        Ok(Fence(self.fence))
    }

    fn present(&mut self, args: PresentArgs) -> Result<(), DeviceRemoved> {
        self.note(|| format!("present {}", args.sync_interval));
        Ok(())
    }

    fn set_display_mode(&mut self, mode: DisplayMode) -> Result<(), DeviceRemoved> {
        self.note(|| format!("display mode {} x {}", mode.width, mode.height));
        Ok(())
    }
}

/// Returns bindings for the state that some tests bind, and empty slots for all other state.
macro_rules! shown {
    ($($(#[$doc:meta])* $class:ident $name:ident -> $bound:ty;)*) => {
        impl StateRefresh for Layer { $(shown! { @$class $name -> $bound })* }
    };
    (@one input_layout -> $bound:ty) => {
        fn input_layout(&self) -> $bound {
            // A preamble calls this first, so the event marks the preamble.
            self.note(|| "preamble".into());
            self.layout
        }
    };
    (@slots vertex_buffers -> $bound:ty) => {
        fn vertex_buffers(&self, range: Option<Range<u32>>) -> &[$bound] {
            slots(&self.vertex, range)
        }
    };
    (@one primitive_topology -> $bound:ty) => {
        fn primitive_topology(&self) -> $bound {
            self.topology
        }
    };
    (@stage shader -> $bound:ty) => {
        fn shader(&self, stage: ShaderStage) -> $bound {
            let [hull, domain, geometry] = self.patch_shaders;
            match stage {
                ShaderStage::Hull => hull,
                ShaderStage::Domain => domain,
                ShaderStage::Geometry => geometry,
                ShaderStage::Compute => self.compute_shader,
                ShaderStage::Vertex | ShaderStage::Pixel => None,
            }
        }
    };
    (@stage_slots unordered_access_views -> $bound:ty) => {
        fn unordered_access_views(&self, stage: ShaderStage, range: Option<Range<u32>>) -> &[$bound] {
            if stage == ShaderStage::Compute { slots(&self.unordered, range) } else { &[] }
        }
    };
    (@stage_slots constant_buffers -> $bound:ty) => {
        fn constant_buffers(&self, stage: ShaderStage, range: Option<Range<u32>>) -> &[$bound] {
            if stage == ShaderStage::Vertex { slots(&self.constants, range) } else { &[] }
        }
    };
    (@stage_slots shader_resources -> $bound:ty) => {
        fn shader_resources(&self, stage: ShaderStage, range: Option<Range<u32>>) -> &[$bound] {
            if stage == ShaderStage::Pixel { slots(&self.views, range) } else { &[] }
        }
    };
    (@one stream_targets -> $bound:ty) => {
        fn stream_targets(&self) -> $bound {
            &self.streams
        }
    };
    (@one render_targets -> $bound:ty) => {
        fn render_targets(&self) -> $bound {
            TargetsBinding { color: &self.target, depth_stencil: None }
        }
    };
    (@one $name:ident -> $bound:ty) => {
        fn $name(&self) -> $bound {
            Default::default()
        }
    };
    (@slots $name:ident -> $bound:ty) => {
        fn $name(&self, _: Option<Range<u32>>) -> &[$bound] {
            &[]
        }
    };
    (@stage $name:ident -> $bound:ty) => {
        fn $name(&self, _: ShaderStage) -> $bound {
            None
        }
    };
    (@stage_slots $name:ident -> $bound:ty) => {
        fn $name(&self, _: ShaderStage, _: Option<Range<u32>>) -> &[$bound] {
            &[]
        }
    };
}
state_callbacks!(shown);
