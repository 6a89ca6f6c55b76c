//! Statistics: what a driver counts of its own work.
//!
//! ```
//! use onze_ddi::DriverStatistics;
//!
//! // A driver fills in what it counts.
//! let statistics = DriverStatistics { draws: 3, passes: 1, ..Default::default() };
//! assert_eq!(statistics.ways.by_index, 0);
//! ```

/// How draws were made: by index ([`DrawsByIndex`](crate::DrawsByIndex)), or each with its own bindings and why.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct DrawWays {
    /// By index.
    pub by_index: u64,
    /// They became instances of the draw before them, by index or because nothing had changed.
    pub merged: u64,
    /// They have several instances.
    pub instanced: u64,
    /// They read a vertex buffer by instance.
    pub per_instance_data: u64,
    /// Their pixel shader writes through unordered-access views.
    pub unordered_access: u64,
    /// Their arguments lie in a buffer.
    pub indirect: u64,
    /// More than three of their constant buffers change.
    pub too_many_buffers: u64,
    /// The shaders have no location left for the index.
    pub no_location: u64,
    /// Their constants lie where the driver cannot choose them by index.
    pub no_window: u64,
    /// The device or the adapter does not do it.
    pub switched_off: u64,
}

/// What a driver has done since its device was created. What it does not count is 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct DriverStatistics {
    /// Threads that encode for the driver beside those that enter it. Those that only compile come and go, and do not
    /// count.
    pub workers: u64,
    /// Submissions that nobody asked for, because much waited or the GPU had nothing to do.
    pub early_submissions: u64,
    /// Waits for the answer of a query on which commands depended.
    pub predicate_waits: u64,
    /// Draws that were submitted, those of lists each time.
    pub draws: u64,
    /// Those among them that a bundle of a list did not hold, by how they were made.
    pub ways: DrawWays,
    /// Command buffers of the driver's own that were submitted, those of lists each time.
    pub pages: u64,
    /// Bytes of commands in them, with what the commands refer to.
    pub recorded_bytes: u64,
    /// Render passes that they became.
    pub passes: u64,
    /// Groups of bindings that had to be made for a draw.
    pub bind_group_misses: u64,
    /// Pipelines that a draw had to wait for, and the application may have seen stutter.
    pub pipeline_compilations: u64,
    /// Pipelines that a prepared draw has asked for, before any draw.
    pub pipelines_prepared: u64,
    /// Pipelines that are not compiled yet, now: those of draws that were prepared and flushed.
    pub pipelines_compiling: u64,
    /// Pipelines that make draws cheaper, which are not compiled yet: draws are made without them until then.
    pub pipelines_spare: u64,
    /// Bytes that went from the application's memory to the GPU's with submissions, those of small new buffers
    /// included.
    pub uploaded_bytes: u64,
    /// Bytes of GPU memory that buffers are cut from.
    pub buffer_heap_bytes: u64,
    /// Bytes of that which no buffer has.
    pub buffer_heap_free_bytes: u64,
    /// Bytes of the heap that buffers have beyond their own size.
    pub buffer_heap_padding_bytes: u64,
}
