//! Sizes of caches, pools and pages. They were found by measurement. They are constants, because some are
//! array lengths.

/// Maximum number of destroyed objects that the invalidation log keeps for threads that read it late. A
/// thread that has missed more objects drops its whole cache.
pub(crate) const INVALIDATION_LOG: usize = 4096;

/// Number of shards of the allocator and of the resource factories. Up to this many threads can create
/// buffers without sharing memory.
pub(crate) const CACHES: usize = 16;

/// Maximum bytes of one size class that a shard of the allocator caches. A shard may always cache one
/// storage, even a larger one.
pub(crate) const CACHED_BYTES: u64 = 16 * 1024;

/// Minimum number of late writes (initial contents that wait for the next submission) at which a shard
/// discards writes to dropped storages.
pub(crate) const FORGET_LATE_WRITES_AT: usize = 256;

/// Bytes in a chunk of constant buffers, for size classes up to 4096 bytes.
pub(crate) const SMALL_CHUNK: u64 = 256 * 1024;

/// Bytes in a chunk of constant buffers, for larger size classes.
pub(crate) const LARGE_CHUNK: u64 = 1024 * 1024;

/// Maximum size, in bytes, of a buffer whose initial contents wait for the next submission, which writes all
/// waiting contents together.
pub(crate) const LARGEST_LATE: u64 = 4096;

/// Number of submissions between two sweeps of a size class.
pub(crate) const SWEEP_PERIOD: u64 = 32;

/// Maximum number of chunks that one sweep frees, because each takes some microseconds on the submitting
/// thread.
pub(crate) const CHUNKS_FREED_AT_ONCE: usize = 32;

/// Bytes in a window of constants that draws select by index. WebGPU guarantees that a uniform binding can
/// have this size, and it is the size of Direct3D 11's largest constant buffer.
pub(crate) const WINDOW: u32 = 64 * 1024;

/// Number of commands that cost about as much to encode as one draw, for estimating the cost of pages with
/// few draws.
pub(crate) const COMMANDS_PER_DRAW: usize = 16;

/// Number of commands after which a page is full, regardless of its draws.
pub(crate) const PAGE_COMMANDS: usize = 32_768;

/// Maximum number of spare pages that a context keeps. The same limit applies to spare object tables and to
/// spare lists.
pub(crate) const SPARE_PAGES: usize = 64;

/// Bytes in a shared upload block, from which slices are cut one after another.
pub(crate) const SHARED_BLOCK: u32 = 256 * 1024;

/// Smallest alignment of slices in shared upload blocks, in bytes: a cache line.
pub(crate) const SMALLEST_ALIGNMENT: u32 = 64;

/// Maximum bytes of a buffer in a shared upload block, which bounds the cost of the copy in an unmap. Larger
/// buffers get a separate block.
pub(crate) const LARGEST_SLICE: u32 = 16 * 1024;

/// Number of 32-bit words in a buffer for the arguments of multi-draws, which suffices for 3,276 draws with
/// indices.
pub(crate) const ARGUMENT_WORDS: usize = 16 * 1024;

/// Maximum number of spare buffers for the arguments of multi-draws.
pub(crate) const SPARE_ARGUMENTS: usize = 16;

/// Minimum bytes of a buffer of the arena.
pub(crate) const ARENA_CHUNK: u64 = 4 << 20;

/// Bytes in the smallest upload block.
pub(crate) const SMALLEST_BLOCK: u32 = 4 * 1024;

/// Size, in bytes, up to which the sizes of upload blocks are powers of two. The sizes of larger blocks are
/// multiples of this size, so that they waste less memory.
pub(crate) const COARSE_BLOCK: u64 = 1024 * 1024;

/// Number of submissions for which a free upload block is kept.
pub(crate) const KEEP_FREE_BLOCKS: u64 = 240;

/// Number of submissions for which a free upload block of more than [`COARSE_BLOCK`] bytes is kept.
pub(crate) const KEEP_LARGE_FREE_BLOCKS: u64 = 8;

/// Maximum distance, in bytes, between two written ranges of an upload block that are uploaded together with
/// the bytes between them.
pub(crate) const NEAR_BYTES: u32 = 1024;

/// Maximum number of ranges of an upload block that are uploaded separately, in addition to the range written
/// last. Beyond that number, a new range is merged with the range written last, including all bytes between
/// them.
pub(crate) const MOST_APART: usize = 15;

/// Number of runs after which an encoding thread drops an unused cached object.
pub(crate) const UNUSED_RUNS: u64 = 256;

/// Number of runs after which an encoding thread drops cache entries of destroyed objects.
pub(crate) const INVALIDATION_RUNS: u64 = 16;

/// Number of destroyed objects after which an encoding thread drops their cache entries without waiting for
/// [`INVALIDATION_RUNS`].
pub(crate) const MANY_INVALID: u64 = 256;

/// Maximum number of resource sets that an encoding thread keeps.
pub(crate) const MOST_RESOURCE_SETS: usize = 16_384;

/// Maximum number of draw layouts that an encoding thread keeps.
pub(crate) const MOST_KNOWN_LAYOUTS: usize = 4096;

/// Maximum number of bind groups that a worker keeps.
pub(crate) const MOST_GROUPS: usize = 16_384;

/// Maximum number of pipelines that one worker or one device keeps, with primary pipelines and replicas
/// counted separately.
pub(crate) const MOST_PIPELINES: usize = 8192;

/// Maximum number of layouts of each type that a device keeps.
pub(crate) const MOST_LAYOUTS: usize = 4096;

/// Number of cache entries that are found without a map lookup, a power of two.
pub(crate) const RECENT_KEYS: usize = 1024;

/// Number of 64-bit words in the sets of resources that a run reads and writes, a power of two.
pub(crate) const RUN_NUMBER_WORDS: usize = 32;

/// Maximum number of accesses whose ranges are kept in a section of a run. Once a section has more, a command
/// moves into its prologue only over accesses to other resources.
pub(crate) const MOST_ACCESSES: usize = 1024;

/// Number of recent accesses in a run that are not stored again when they repeat, a power of two.
pub(crate) const RECENT_ACCESSES: usize = 16;

/// Maximum bytes that the merging shader processes at once, a binding size that every adapter supports.
pub(crate) const MERGE_CHUNK: u64 = 8 << 20;

/// Maximum bytes of a buffer that one dispatch fills.
pub(crate) const FILL_CHUNK: u64 = 8 << 20;

/// Number of query segments in a set, about the number of draws in a run.
pub(crate) const QUERY_SEGMENTS: u32 = 1024;

/// Bytes in a chunk of the upload belt, or a multiple of this for a larger write.
pub(crate) const BELT_CHUNK: u64 = 1024 * 1024;

/// Number of submissions for which the upload belt keeps an unused chunk.
pub(crate) const BELT_KEEP_BATCHES: u64 = 240;
