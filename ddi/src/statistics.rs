//! Counters of a driver's own work, which an application can ask for.
//!
//! ```
//! use onze_ddi::DriverStatistics;
//!
//! // A driver fills in the counters that it supports.
//! let statistics = DriverStatistics { draws: 3, passes: 1, ..Default::default() };
//! assert_eq!(statistics.ways.by_index, 0);
//! ```

/// Numbers of draws by how they were made: by index ([`DrawsByIndex`](crate::DrawsByIndex)), or each with its own
/// bindings for one of several reasons.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct DrawWays {
    /// Draws made by index, with constants that are bound for many draws at once.
    pub by_index: u64,
    /// Draws that became instances of the previous draw, by index or because nothing had changed.
    pub merged: u64,
    /// Draws that the application made with several instances.
    pub instanced: u64,
    /// Draws that read the elements of a vertex buffer per instance.
    pub per_instance_data: u64,
    /// Draws whose pixel shader writes textures or buffers through unordered-access views.
    pub unordered_access: u64,
    /// Draws whose arguments are in a buffer that the GPU reads.
    pub indirect: u64,
    /// Draws with changes in more than three constant buffers.
    pub too_many_buffers: u64,
    /// Draws whose shaders have no free location for the index.
    pub no_location: u64,
    /// Draws whose constants are stored where the driver cannot index them.
    pub no_window: u64,
    /// Draws on a device or an adapter without draws by index.
    pub switched_off: u64,
}

/// A driver's counters since its device was created, with 0 for counters that it does not support.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct DriverStatistics {
    /// Encoding threads of the driver, in addition to those that enter it, without threads that only compile,
    /// which come and go.
    pub workers: u64,
    /// Submissions that the application did not request, made because much work was waiting or the GPU was idle.
    pub early_submissions: u64,
    /// Number of waits for the result of a predicate.
    pub predicate_waits: u64,
    /// Submitted draws, where the draws of a list count at each execution.
    pub draws: u64,
    /// Submitted draws that were not in a bundle of a list, by how they were made.
    pub ways: DrawWays,
    /// Submitted command buffers of the driver, where those of a list count at each execution.
    pub pages: u64,
    /// Bytes of commands in the command buffers, including the data that the commands refer to.
    pub recorded_bytes: u64,
    /// Number of render passes made from the command buffers.
    pub passes: u64,
    /// Number of bind groups that had to be created for a draw.
    pub bind_group_misses: u64,
    /// Pipelines that a draw had to wait for, which may have caused visible stutter.
    pub pipeline_compilations: u64,
    /// Pipelines requested by a prepared draw before any draw needed them.
    pub pipelines_prepared: u64,
    /// Pipelines of prepared and flushed draws that are still being compiled.
    pub pipelines_compiling: u64,
    /// Pipelines still being compiled that make draws cheaper, while draws are made without them.
    pub pipelines_spare: u64,
    /// Bytes transferred from the application's memory to the GPU with submissions, including the contents of small new
    /// buffers.
    pub uploaded_bytes: u64,
    /// Bytes of GPU memory in the heaps that buffers are suballocated from.
    pub buffer_heap_bytes: u64,
    /// Bytes of these heaps that no buffer uses.
    pub buffer_heap_free_bytes: u64,
    /// Bytes of these heaps that pad buffers beyond their size.
    pub buffer_heap_padding_bytes: u64,
}
