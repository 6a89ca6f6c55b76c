//! Counters of a driver's work, which an application can query.
//!
//! ```
//! use onze_ddi::DriverStatistics;
//!
//! // A driver fills in the counters that it supports.
//! let statistics = DriverStatistics { draws: 3, passes: 1, ..Default::default() };
//! assert_eq!(statistics.ways.by_index, 0);
//! ```

/// Number of draws that the driver executes by index ([`DrawsByIndex`](crate::DrawsByIndex)), and number of
/// draws that it executes differently, by reason.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct DrawWays {
    /// Draws executed by index, with constants that are bound for many draws at once.
    pub by_index: u64,
    /// Draws that were merged into the previous draw as instances, by index or because no state had changed.
    pub merged: u64,
    /// Commands of the graphics API that made several draws, with arguments in a buffer of the driver.
    pub multi_draws: u64,
    /// Draws that were made by these commands.
    pub in_multi_draws: u64,
    /// Draws for which the application requested several instances.
    pub instanced: u64,
    /// Draws that read per-instance elements from a vertex buffer.
    pub per_instance_data: u64,
    /// Draws whose pixel shader writes textures or buffers through unordered-access views.
    pub unordered_access: u64,
    /// Draws whose arguments the GPU reads from a buffer.
    pub indirect: u64,
    /// Draws with changes in more than three constant buffers.
    pub too_many_buffers: u64,
    /// Draws whose shaders have no free location for the index.
    pub no_location: u64,
    /// Draws whose constants are stored where the driver cannot index them.
    pub no_window: u64,
    /// Draws on a device or adapter where draws by index are disabled.
    pub switched_off: u64,
}

/// A driver's counters since its device was created, with 0 for counters that the driver does not support.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct DriverStatistics {
    /// Number of the driver's encoding threads, without compiler threads and threads that enter the driver.
    pub workers: u64,
    /// Number of submissions that the application did not request, but that the driver makes when much work
    /// is waiting or the GPU is idle.
    pub early_submissions: u64,
    /// Number of waits for the result of a predicate.
    pub predicate_waits: u64,
    /// Number of submitted draws, including the draws of a list at each execution.
    pub draws: u64,
    /// Number of submitted draws for each way of execution, not including draws in the bundles of lists.
    pub ways: DrawWays,
    /// Number of draws for which a geometry shader's vertices were stored in memory
    /// ([`StoredGeometry`](crate::StoredGeometry)).
    pub stored_draws: u64,
    /// Number of dispatches that have stored these vertices. Small draws can share them.
    pub vertex_batches: u64,
    /// Number of times that dispatches have stored patches for tessellated draws. Small draws can share them.
    pub patch_batches: u64,
    /// Number of submitted command buffers, including the command buffers of a list at each execution.
    pub pages: u64,
    /// Number of bytes of commands in the command buffers, including the data that the commands refer to.
    pub recorded_bytes: u64,
    /// Number of render passes into which the command buffers were encoded.
    pub passes: u64,
    /// Number of bind groups that had to be created for a draw.
    pub bind_group_misses: u64,
    /// Number of pipelines for which a draw had to wait, which can cause visible stutter.
    pub pipeline_compilations: u64,
    /// Number of pipelines that a prepared draw requested before any other draw needed them.
    pub pipelines_prepared: u64,
    /// Number of pipelines that are still being compiled for prepared and flushed draws.
    pub pipelines_compiling: u64,
    /// Number of optional pipelines that are still being compiled. These pipelines will make draws cheaper,
    /// but until they are ready, draws use other pipelines.
    pub pipelines_spare: u64,
    /// Number of bytes transferred from CPU memory to the GPU with submissions, including the contents of
    /// small new buffers.
    pub uploaded_bytes: u64,
    /// Size in bytes of the GPU heaps that buffers are suballocated from.
    pub buffer_heap_bytes: u64,
    /// Number of bytes in the buffer heaps that no buffer uses.
    pub buffer_heap_free_bytes: u64,
    /// Number of padding bytes after buffers in the buffer heaps.
    pub buffer_heap_padding_bytes: u64,
}
