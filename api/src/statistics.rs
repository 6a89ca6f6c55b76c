//! Statistics: what a device counts, always.

use std::{ops::Sub, sync::atomic::Ordering::Relaxed};

use crate::Device;

macro_rules! statistics {
    (now { $($(#[$now_doc:meta])* $now:ident,)* } so_far { $($(#[$doc:meta])* $name:ident,)* }) => {
        /// Numbers about a device, cheap enough to be always counted.
        ///
        /// Some say how it is now, the others what was done so far. The work of a frame is the difference
        /// of two:
        ///
        /// ```
        /// # use onze::prelude::*;
        /// # let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        /// # let (device, mut immediate) = create_device(&desc)?;
        /// let before = device.statistics();
        /// // ... the frame
        /// immediate.flush();
        /// let frame = device.statistics() - before;
        /// println!("{} draws in {} passes", frame.draws, frame.passes);
        /// # Ok::<(), onze::Error>(())
        /// ```
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
        #[non_exhaustive]
        pub struct Statistics {
            $($(#[$now_doc])* pub $now: u64,)*
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Sub for Statistics {
            type Output = Self;

            /// What was done since an earlier moment; what says how it is now stays.
            fn sub(self, earlier: Self) -> Self {
                Self {
                    $($now: self.$now,)*
                    $($name: self.$name.saturating_sub(earlier.$name),)*
                }
            }
        }
    };
}

statistics! {
    now {
        /// Objects that exist.
        live_objects,
        /// Objects that the application has dropped and that wait for a flush.
        awaiting_destruction,
        /// Handles that all contexts have open.
        open_handles,
        /// Threads that encode for the driver, those that could be started; how many, it chooses, unless
        /// [`DeviceDesc::workers`](crate::DeviceDesc::workers) says.
        workers,
        /// Pipelines that the driver's threads have not compiled yet. After a flush, 0 says that all is ready that
        /// was prepared before.
        pipelines_compiling,
        /// Pipelines that make draws cheaper, by index for example, and are not compiled yet: the driver's threads do that
        /// when nothing else is to be compiled, and no draw waits for them. A measurement may wait for 0.
        pipelines_spare,
        /// Allocations of GPU memory.
        allocations,
        /// Bytes in them.
        allocated_bytes,
        /// Bytes of GPU memory that constant buffers are cut from. What was dropped is given back here some
        /// submissions later, in pieces of 256 KiB, and of 1 MiB for buffers of more than 4096 bytes: one buffer
        /// that lives keeps its piece.
        buffer_heap_bytes,
        /// Bytes of that which no buffer has: room for more buffers, or fragmentation.
        buffer_heap_free_bytes,
        /// Bytes of it that buffers have beyond their own size, as each gets a power of two, 256 or more.
        buffer_heap_padding_bytes,
    }
    so_far {
        /// Submissions.
        submissions,
        /// Those among them that nobody asked for, because much waited or the GPU had nothing to do.
        early_submissions,
        /// Waits for the answer of a query on which commands depended (`set_predication`).
        predicate_waits,
        /// Times that the driver let the runtime do its amortized work.
        amortized_calls,
        /// Pictures that went to a window.
        presents,
        /// Those among them whose back buffer was copied into the window's memory, as its format is another, its
        /// contents are kept, or shaders read it. The others show the back buffer itself.
        presents_copied,
        /// Draws that were submitted, those of lists each time.
        draws,
        /// Those among them that chose their constants [by index](crate::DrawsByIndex). Draws that a list keeps encoded
        /// count once in this number and those below.
        draws_by_index,
        /// Draws that became instances of the draw before them: their arguments are the same, and no more than their
        /// constants differ.
        draws_merged,
        /// Draws with several instances, which bind their constants one after the other, and draws soon after one with
        /// the same shaders.
        draws_alone_instanced,
        /// Draws that read a vertex buffer by instance, which do so, too.
        draws_alone_per_instance_data,
        /// Those whose pixel shader writes through unordered-access views.
        draws_alone_unordered_access,
        /// Those whose arguments lie in a buffer, and draws soon after one with the same shaders.
        draws_alone_indirect,
        /// Those of which more than three constant buffers change.
        draws_alone_too_many_buffers,
        /// Those whose shaders leave no location between them.
        draws_alone_no_location,
        /// Those whose constants are shorter than the shader's, or lie where the driver cannot choose them by index.
        draws_alone_no_window,
        /// Those for which it is switched off, by the application or on this kind of adapter.
        draws_alone_switched_off,
        /// Command buffers of the driver's own that were submitted, those of lists each time.
        pages,
        /// Bytes of commands in them.
        recorded_bytes,
        /// Render passes.
        passes,
        /// Groups of bindings that had to be made for a draw.
        bind_group_misses,
        /// Pipelines that a draw had to wait for: what may have been seen as stutter. One that was prepared counts
        /// here, too, if it was still being compiled when the first draw came.
        pipeline_compilations,
        /// Pipelines that [`prepare_draw`](crate::DeviceContext::prepare_draw) has asked for, before any draw.
        pipelines_prepared,
        /// Bytes that were sent to the GPU's memory with submissions. What textures, and buffers of more than 4096
        /// bytes, are made with is not among them.
        uploaded_bytes,
    }
}

impl Device {
    /// Numbers about the device.
    pub fn statistics(&self) -> Statistics {
        let core = &self.core;
        let driver = {
            let _serial = core.serial.enter();
            core.funcs().statistics()
        };
        Statistics {
            live_objects: core.live_objects.get(),
            awaiting_destruction: core.released() as u64,
            open_handles: core.open_handles.sum(),
            workers: driver.workers,
            pipelines_compiling: driver.pipelines_compiling,
            pipelines_spare: driver.pipelines_spare,
            allocations: core.kernel.allocations(),
            allocated_bytes: core.kernel.allocated_bytes(),
            buffer_heap_bytes: driver.buffer_heap_bytes,
            buffer_heap_free_bytes: driver.buffer_heap_free_bytes,
            buffer_heap_padding_bytes: driver.buffer_heap_padding_bytes,
            submissions: core.kernel.submissions(),
            early_submissions: driver.early_submissions,
            predicate_waits: driver.predicate_waits,
            amortized_calls: core.amortized_calls.load(Relaxed),
            presents: core.presents.load(Relaxed),
            presents_copied: core.presents_copied.load(Relaxed),
            draws: driver.draws,
            draws_by_index: driver.ways.by_index,
            draws_merged: driver.ways.merged,
            draws_alone_instanced: driver.ways.instanced,
            draws_alone_per_instance_data: driver.ways.per_instance_data,
            draws_alone_unordered_access: driver.ways.unordered_access,
            draws_alone_indirect: driver.ways.indirect,
            draws_alone_too_many_buffers: driver.ways.too_many_buffers,
            draws_alone_no_location: driver.ways.no_location,
            draws_alone_no_window: driver.ways.no_window,
            draws_alone_switched_off: driver.ways.switched_off,
            pages: driver.pages,
            recorded_bytes: driver.recorded_bytes,
            passes: driver.passes,
            bind_group_misses: driver.bind_group_misses,
            pipeline_compilations: driver.pipeline_compilations,
            pipelines_prepared: driver.pipelines_prepared,
            uploaded_bytes: driver.uploaded_bytes,
        }
    }
}
