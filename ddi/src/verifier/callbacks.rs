//! The verifier's callbacks, which check when and where the driver calls the runtime.

use std::{
    any::Any,
    borrow::Cow,
    ops::Range,
    sync::{Arc, atomic::Ordering},
};

use super::{
    breach::{Rule, ensure, lock},
    context::VerifiedTable,
    watch::{ContextWatch, DeviceWatch, private_address},
};
use crate::*;

pub(super) struct WatchedKernel {
    pub(super) inner: Arc<dyn KernelCallbacks>,
    pub(super) watch: Arc<DeviceWatch>,
}

impl KernelCallbacks for WatchedKernel {
    fn allocate(&self, args: AllocateArgs) -> Result<Allocation, OutOfMemory> {
        self.watch.called_back("allocate");
        let allocation = self.inner.allocate(args)?;
        for check in lock(&self.watch.memory).allocated(self.watch.place(), &allocation, args) {
            self.watch.record("allocate", check);
        }
        Ok(allocation)
    }

    fn deallocate(&self, allocation: Allocation) {
        self.watch.called_back("deallocate");
        for check in lock(&self.watch.memory).deallocated(&allocation) {
            self.watch.record("deallocate", check);
        }
        self.inner.deallocate(allocation);
    }

    fn signal(&self, fence: Fence) {
        self.watch.called_back("signal");
        self.inner.signal(fence);
    }

    fn signalled(&self) -> Fence {
        self.inner.signalled()
    }
}

pub(super) struct WatchedDeviceCoreLayer {
    pub(super) inner: Arc<dyn DeviceCoreLayer>,
    pub(super) immediate: Arc<ContextWatch>,
}

impl DeviceCoreLayer for WatchedDeviceCoreLayer {
    fn publish_immediate_table(&self, table: Box<dyn ImmediateFuncs>) {
        let watch = self.immediate.clone();
        watch.device.called_back("publish_immediate_table");
        // The lock is held during the call into the runtime, so that tables reach the runtime in the order of
        // their numbers.
        let mut tables = lock(&self.immediate.device.tables);
        tables.newest += 1;
        let number = tables.newest;
        tables.by_thread.insert(std::thread::current().id(), number);
        self.inner.publish_immediate_table(Box::new(VerifiedTable {
            inner: Arc::from(table),
            watch,
            number,
        }));
    }

    fn device_removed(&self, reason: Cow<'static, str>) {
        self.immediate.device.called_back("device_removed");
        self.immediate.device.remove();
        self.inner.device_removed(reason);
    }

    fn report_bug(&self, bug: DriverBug) {
        self.inner.report_bug(bug);
    }

    fn report_unsupported(&self, what: Cow<'static, str>) {
        self.inner.report_unsupported(what);
    }

    fn report_hint(&self, what: Cow<'static, str>) {
        self.inner.report_hint(what);
    }
}

/// The core layer's callbacks for a context, while one of the context's entries runs.
pub(super) struct WatchedCoreLayer<'a> {
    pub(super) inner: &'a mut dyn CoreLayer,
    pub(super) watch: &'a ContextWatch,
    pub(super) entry: &'static str,
    /// The addresses of the entry's private data and handles.
    pub(super) arguments: (usize, usize),
    /// Whether amortized processing still has to follow a reported submission.
    pub(super) owed: bool,
}

impl WatchedCoreLayer<'_> {
    fn asked(&self) -> &dyn CoreLayer {
        let check = ensure(!self.owed, Rule::PreambleAfterAmortized, || "before it".into());
        self.watch.device.record(self.entry, check);
        &*self.inner
    }

    fn within(&self, entry: &'static str, rule: Rule) {
        let check = ensure(self.entry == entry, rule, || format!("within `{}`", self.entry));
        self.watch.device.record(self.entry, check);
    }

    fn allowed(&self, error: &ContextError) -> bool {
        // Destruction cannot fail, but the device can be lost at the same time.
        let ends = matches!(self.entry, "destroy_primary" | "destroy_swap_chain");
        match error {
            ContextError::DeviceRemoved(_) => true,
            ContextError::OutOfMemory => self.watch.deferred && !ends,
            ContextError::Application(_) => !ends,
            ContextError::Bug(_) => false,
        }
    }
}

impl CoreLayer for WatchedCoreLayer<'_> {
    fn set_error(&mut self, error: ContextError) {
        self.watch.device.called_back("set_error");
        let allowed = ensure(self.allowed(&error), Rule::ErrorAllowed, || error.to_string());
        self.watch.device.record(self.entry, allowed);
        match error {
            ContextError::OutOfMemory => lock(&self.watch.state).lost |= self.watch.deferred,
            ContextError::DeviceRemoved(_) | ContextError::Bug(_) => self.watch.device.remove(),
            ContextError::Application(_) => {}
        }
        self.inner.set_error(error);
    }

    fn perform_amortized_processing(&mut self, private: &mut (dyn Any + Send), handles: &mut HandleStorage) {
        let given = (private_address(private), std::ptr::from_ref(handles).addr());
        let same = ensure(given == self.arguments, Rule::CallbackArguments, || "others were passed".into());
        self.watch.device.record(self.entry, same);
        self.watch.amortize(self.entry);
        self.owed = false;
        self.inner.perform_amortized_processing(private, handles);
        self.watch.amortized();
    }

    fn render(&mut self, args: RenderArgs) -> Result<Fence, DeviceRemoved> {
        let check = ensure(!self.watch.deferred, Rule::RenderImmediate, || "on a deferred context".into());
        self.watch.device.record(self.entry, check);
        let fence = self.inner.render(args)?;
        self.watch.device.fence.fetch_max(fence.0, Ordering::Relaxed);
        let check = lock(&self.watch.device.memory).rendered();
        self.watch.device.record(self.entry, check);
        self.watch.rendered();
        self.owed = true;
        Ok(fence)
    }

    fn present(&mut self, args: PresentArgs) -> Result<(), DeviceRemoved> {
        self.within("present", Rule::PresentInPresent);
        self.inner.present(args)
    }

    fn set_display_mode(&mut self, mode: DisplayMode) -> Result<(), DeviceRemoved> {
        self.within("resize_swap_chain", Rule::DisplayModeInResize);
        self.inner.set_display_mode(mode)
    }
}

macro_rules! asked {
    ($($(#[$doc:meta])* $class:ident $name:ident -> $bound:ty;)*) => {
        impl StateRefresh for WatchedCoreLayer<'_> {
            $(asked! { @$class $name -> $bound })*
        }
    };
    (@one $name:ident -> $bound:ty) => {
        fn $name(&self) -> $bound {
            self.asked().$name()
        }
    };
    (@slots $name:ident -> $bound:ty) => {
        fn $name(&self, slots: Option<Range<u32>>) -> &[$bound] {
            self.asked().$name(slots)
        }
    };
    (@stage $name:ident -> $bound:ty) => {
        fn $name(&self, stage: ShaderStage) -> $bound {
            self.asked().$name(stage)
        }
    };
    (@stage_slots $name:ident -> $bound:ty) => {
        fn $name(&self, stage: ShaderStage, slots: Option<Range<u32>>) -> &[$bound] {
            self.asked().$name(stage, slots)
        }
    };
}
state_callbacks!(asked);
