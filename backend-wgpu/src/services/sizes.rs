//! Sizes of caches, pools and pages, found by measurement, which are constants because some are lengths of
//! arrays.

/// Destroyed objects, as numbers, that the invalidation log keeps for threads that read it late. A thread
/// that missed more than these drops its whole cache.
pub(crate) const INVALIDATION_LOG: usize = 4096;

/// Shards of the allocator and of the resource factories, and so the number of threads that can create
/// buffers without sharing memory.
pub(crate) const CACHES: usize = 16;

/// Maximum bytes of one size class that a shard of the allocator caches; at least one storage is cached.
pub(crate) const CACHED_BYTES: u64 = 16 * 1024;

/// Minimum number of late writes for which a shard searches for the writes of dropped storages.
pub(crate) const FORGET_LATE_WRITES_AT: usize = 256;

/// Bytes in a chunk of constant buffers, for size classes up to 4096 bytes.
pub(crate) const SMALL_CHUNK: u64 = 256 * 1024;

/// Bytes in a chunk of constant buffers, for larger size classes.
pub(crate) const LARGE_CHUNK: u64 = 1024 * 1024;

/// Maximum size, in bytes, of a buffer whose initial contents wait for the next submission, which writes them
/// together.
pub(crate) const LARGEST_LATE: u64 = 4096;

/// Submissions between two sweeps of a size class.
pub(crate) const SWEEP_PERIOD: u64 = 32;

/// Maximum chunks that one sweep frees, because each costs some microseconds on the submitting thread.
pub(crate) const CHUNKS_FREED_AT_ONCE: usize = 32;

/// Bytes in a window of constants that draws select by index. Every adapter can bind this size as a uniform
/// buffer, and it is the largest constant buffer of Direct3D 11.
pub(crate) const WINDOW: u32 = 64 * 1024;

/// Commands that cost about as much to encode as one draw, for a page without draws.
pub(crate) const COMMANDS_PER_DRAW: usize = 16;

/// Commands after which a page is full, also without any draws.
pub(crate) const PAGE_COMMANDS: usize = 32_768;

/// Spare pages, object tables and lists that a context keeps, for each kind.
pub(crate) const SPARE_PAGES: usize = 64;

/// Bytes in a shared upload block, where slices are cut one after the other.
pub(crate) const SHARED_BLOCK: u32 = 256 * 1024;

/// Maximum bytes of a buffer in a shared upload block, which bounds the cost of the copy in an unmap. Larger
/// buffers get a block of their own.
pub(crate) const LARGEST_SLICE: u32 = 16 * 1024;

/// Bytes in the smallest upload block.
pub(crate) const SMALLEST_BLOCK: u32 = 4 * 1024;

/// Maximum size, in bytes, of upload blocks that are powers of two. Larger blocks are multiples of it, so
/// that they waste less memory.
pub(crate) const COARSE_BLOCK: u64 = 1024 * 1024;

/// Submissions for which a free upload block is kept.
pub(crate) const KEEP_FREE_BLOCKS: u64 = 240;

/// Submissions for which a free upload block of more than [`COARSE_BLOCK`] bytes is kept.
pub(crate) const KEEP_LARGE_FREE_BLOCKS: u64 = 8;

/// Maximum distance, in bytes, between two written ranges of an upload block that are uploaded as one,
/// including the bytes between them.
pub(crate) const NEAR_BYTES: u32 = 1024;

/// Maximum ranges of an upload block that are uploaded separately, besides the range written last. If there
/// are more, everything between the last two ranges is uploaded.
pub(crate) const MOST_APART: usize = 15;

/// Runs after which an encoding thread drops an unused cached object.
pub(crate) const UNUSED_RUNS: u64 = 256;

/// Runs after which an encoding thread drops cache entries of destroyed objects.
pub(crate) const INVALIDATION_RUNS: u64 = 16;

/// Destroyed objects after which an encoding thread drops their cache entries without waiting for
/// [`INVALIDATION_RUNS`].
pub(crate) const MANY_INVALID: u64 = 256;

/// Maximum sets of resources that an encoding thread keeps.
pub(crate) const MOST_RESOURCE_SETS: usize = 16_384;

/// Maximum draw layouts that an encoding thread keeps.
pub(crate) const MOST_KNOWN_LAYOUTS: usize = 4096;

/// Maximum bind groups that a worker keeps.
pub(crate) const MOST_GROUPS: usize = 16_384;

/// Maximum pipelines kept by one worker or by one device, where primary pipelines and replicas are counted
/// separately.
pub(crate) const MOST_PIPELINES: usize = 8192;

/// Maximum layouts of each kind that a device keeps.
pub(crate) const MOST_LAYOUTS: usize = 4096;

/// Cache entries that are found without a map lookup; a power of two.
pub(crate) const RECENT_KEYS: usize = 1024;

/// Number of 64-bit words in the sets of resources that a run reads and writes; a power of two.
pub(crate) const RUN_NUMBER_WORDS: usize = 32;

/// Maximum accesses of a run whose ranges are kept. After this number, a copy is only hoisted over other
/// resources.
pub(crate) const MOST_ACCESSES: usize = 1024;

/// Recent accesses of a run that are not stored again when they repeat; a power of two.
pub(crate) const RECENT_ACCESSES: usize = 16;

/// Bytes that the merging shader processes at once, which every adapter supports as the size of a binding.
pub(crate) const MERGE_CHUNK: u64 = 8 << 20;

/// Bytes of a buffer that one dispatch fills.
pub(crate) const FILL_CHUNK: u64 = 8 << 20;

/// Query segments in a set, about as many as a run has draws.
pub(crate) const QUERY_SEGMENTS: u32 = 1024;

/// Bytes in a chunk of the upload belt. A larger write gets a chunk whose size is a multiple of this.
pub(crate) const BELT_CHUNK: u64 = 1024 * 1024;

/// Submissions for which the upload belt keeps an unused chunk.
pub(crate) const BELT_KEEP_BATCHES: u64 = 240;
