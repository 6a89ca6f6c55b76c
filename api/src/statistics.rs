//! Statistics: counters of each device, cheap enough to be always enabled.

use std::{ops::Sub, sync::atomic::Ordering::Relaxed};

use crate::Device;

macro_rules! statistics {
    (now { $($(#[$now_doc:meta])* $now:ident,)* } so_far { $($(#[$doc:meta])* $name:ident,)* }) => {
        /// Counters of a device, cheap enough to be always enabled.
        ///
        /// Some fields are current values, and the other fields are totals since the device was created.
        /// Subtract two snapshots to get the totals of one frame:
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

            /// Returns the totals since `earlier`; fields that are current values stay as they are.
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
        /// Objects that exist, including objects that the application has dropped and that await destruction.
        live_objects,
        /// Objects that the application has dropped and that await destruction by a flush.
        awaiting_destruction,
        /// Handles that are open in all contexts of the device.
        open_handles,
        /// Encoding threads that the driver could start, whose number the driver chooses unless
        /// [`DeviceDesc::workers`](crate::DeviceDesc::workers) sets it.
        workers,
        /// Pipelines that the driver's threads have yet to compile, so that after a flush, 0 means that all
        /// pipelines prepared before that flush are ready.
        pipelines_compiling,
        /// Optional pipelines that are not compiled yet, and that make draws cheaper, for example by
        /// selecting constants by index. The driver's threads compile them when there is nothing else to
        /// compile, and no draw waits for them, so a benchmark should wait until this is 0.
        pipelines_spare,
        /// GPU memory allocations that exist at the time of the query.
        allocations,
        /// Bytes of GPU memory in these allocations, at the time of the query.
        allocated_bytes,
        /// Bytes of GPU memory in the buffer heap, from which constant buffers are suballocated. The heap
        /// consists of blocks of 256 KiB, or of 1 MiB for buffers of more than 4096 bytes. A block is freed a
        /// few submissions after its last buffer was dropped.
        buffer_heap_bytes,
        /// Unused bytes of the buffer heap: room for more buffers, or fragmentation.
        buffer_heap_free_bytes,
        /// Bytes of the buffer heap lost to padding, because every buffer is rounded up to a power of two of at least
        /// 256.
        buffer_heap_padding_bytes,
    }
    so_far {
        /// Submissions of recorded commands for execution.
        submissions,
        /// Submissions that the driver started early, because much work was waiting or the GPU was idle.
        early_submissions,
        /// Waits for the result of a query on which commands depended (`set_predication`).
        predicate_waits,
        /// Number of times that the driver called the runtime's amortized processing.
        amortized_calls,
        /// Images that the device's swap chains have presented.
        presents,
        /// Presents that copied the back buffer into the window's memory, because the formats differ, the
        /// contents are kept, or shaders read the back buffer. Other presents show the back buffer itself.
        presents_copied,
        /// Draws that were submitted, where draws of a command list count at every execution.
        draws,
        /// Draws that selected their constants [by index](crate::DrawsByIndex). In this field and in the
        /// `draws_*` fields below, draws that a list keeps encoded count only once.
        draws_by_index,
        /// Draws that became instances of the previous draw, because their arguments are the same and at most their
        /// constants differ.
        draws_merged,
        /// Commands of the graphics API that made several draws, with arguments in a buffer of the driver.
        multi_draws,
        /// Draws that were made by these commands, including merged draws.
        draws_in_multi_draws,
        /// Draws that bind their constants individually because they have several instances, and draws soon
        /// after such a draw with the same shaders.
        draws_alone_instanced,
        /// Draws that bind their constants individually because they read a per-instance vertex buffer.
        draws_alone_per_instance_data,
        /// Draws that bind their constants individually because their pixel shader writes through unordered-access
        /// views.
        draws_alone_unordered_access,
        /// Draws that bind their constants individually because their arguments are in a buffer, and draws soon after
        /// such a draw with the same shaders.
        draws_alone_indirect,
        /// Draws that bind their constants individually because more than three constant buffers change.
        draws_alone_too_many_buffers,
        /// Draws that bind their constants individually because their shaders leave no inter-stage location
        /// free for the index.
        draws_alone_no_location,
        /// Draws that bind their constants individually because a bound buffer is shorter than the shader's
        /// constants, or is in memory where the driver cannot select it by index.
        draws_alone_no_window,
        /// Draws that bind their constants individually because the application or this kind of adapter disables
        /// selection by index.
        draws_alone_switched_off,
        /// Draws for which the vertices of a geometry shader were stored in memory
        /// ([`StoredGeometry`](crate::StoredGeometry)).
        draws_stored,
        /// Dispatches that stored these vertices. Small draws that differ only in their arguments and constants share one.
        vertex_batches,
        /// Groups of dispatches that stored the patches of tessellated draws. Small draws that differ only in their
        /// arguments share a group. A large draw has one, or several if it is drawn in parts.
        patch_batches,
        /// Command buffers of the driver that were submitted, where command buffers of a command list count
        /// at every execution.
        pages,
        /// Bytes of commands that were recorded into these command buffers.
        recorded_bytes,
        /// Render passes.
        passes,
        /// Bind groups that had to be created for a draw.
        bind_group_misses,
        /// Pipelines that a draw had to wait for, which may be visible as stutter. A prepared pipeline also
        /// counts if it was still being compiled at its first draw.
        pipeline_compilations,
        /// Pipelines that [`prepare_draw`](crate::DeviceContext::prepare_draw) requested before any draw.
        pipelines_prepared,
        /// Bytes uploaded to GPU memory with submissions, not including the initial contents of textures and
        /// of buffers of more than 4096 bytes.
        uploaded_bytes,
    }
}

impl Device {
    /// Returns the current values of the device's counters.
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
            multi_draws: driver.ways.multi_draws,
            draws_in_multi_draws: driver.ways.in_multi_draws,
            draws_alone_instanced: driver.ways.instanced,
            draws_alone_per_instance_data: driver.ways.per_instance_data,
            draws_alone_unordered_access: driver.ways.unordered_access,
            draws_alone_indirect: driver.ways.indirect,
            draws_alone_too_many_buffers: driver.ways.too_many_buffers,
            draws_alone_no_location: driver.ways.no_location,
            draws_alone_no_window: driver.ways.no_window,
            draws_alone_switched_off: driver.ways.switched_off,
            draws_stored: driver.stored_draws,
            vertex_batches: driver.vertex_batches,
            patch_batches: driver.patch_batches,
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
