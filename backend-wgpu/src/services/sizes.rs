//! Sizes of caches, pools and pages, found by measurement. They are constants, because some are lengths of arrays.

/// Numbers of destroyed objects that the invalidation log keeps for threads that read it late. A thread that missed more drops its whole cache.
pub(crate) const INVALIDATION_LOG: usize = 4096;

/// Shards of the allocator and of the resource factories: as many threads create buffers without sharing memory.
pub(crate) const CACHES: usize = 16;

/// Most bytes of one size class that a shard of the allocator caches, if these are several storages.
pub(crate) const CACHED_BYTES: u64 = 16 * 1024;

/// Late writes from which on a shard looks for those of dropped storages.
pub(crate) const FORGET_LATE_WRITES_AT: usize = 256;

/// Bytes of a chunk of constant buffers, in classes of up to 4096 bytes.
pub(crate) const SMALL_CHUNK: u64 = 256 * 1024;

/// Bytes of a chunk of constant buffers, in larger classes.
pub(crate) const LARGE_CHUNK: u64 = 1024 * 1024;

/// Initial contents of a buffer of at most so many bytes wait for the next submission, which writes them together.
pub(crate) const LARGEST_LATE: u64 = 4096;

/// Submissions between two sweeps of a size class.
pub(crate) const SWEEP_PERIOD: u64 = 32;

/// Chunks that one sweep frees. Each costs some microseconds of the thread that submits.
pub(crate) const CHUNKS_FREED_AT_ONCE: usize = 32;

/// Bytes of a window, whose constants draws choose by index: what every adapter binds as a uniform buffer, and the largest
/// constant buffer of Direct3D 11.
pub(crate) const WINDOW: u32 = 64 * 1024;

/// Commands of a page without a draw that cost about as much as one.
pub(crate) const COMMANDS_PER_DRAW: usize = 16;

/// Commands after which a page is full.
pub(crate) const PAGE_COMMANDS: usize = 32_768;

/// Spare pages, object tables and lists of each kind that a context keeps.
pub(crate) const SPARE_PAGES: usize = 64;

/// Bytes of an upload page that slices are cut from.
pub(crate) const SHARED_PAGE: u32 = 256 * 1024;

/// Larger buffers get an upload page of their own. It bounds what an unmap copies.
pub(crate) const LARGEST_SLICE: u32 = 16 * 1024;

/// Bytes of the smallest upload page.
pub(crate) const SMALLEST_PAGE: u32 = 4 * 1024;

/// Upload pages above this size are no powers of two, but multiples of it.
pub(crate) const COARSE_PAGE: u64 = 1024 * 1024;

/// Submissions for which a free upload page is kept.
pub(crate) const KEEP_FREE_PAGES: u64 = 240;

/// The same for a free upload page of more than [`COARSE_PAGE`] bytes.
pub(crate) const KEEP_LARGE_FREE_PAGES: u64 = 8;

/// Bytes between two written ranges of an upload page below which they are uploaded as one, with what is between.
pub(crate) const NEAR_BYTES: u32 = 1024;

/// Ranges of an upload page that are uploaded apart, besides the one that was written last. With more, all between the last
/// two is uploaded.
pub(crate) const MOST_APART: usize = 15;

/// Runs after which an encoding thread drops a cached object that was not used.
pub(crate) const UNUSED_RUNS: u64 = 256;

/// Runs after which an encoding thread drops cache entries of destroyed objects.
pub(crate) const INVALIDATION_RUNS: u64 = 16;

/// Destroyed objects after which it does so earlier.
pub(crate) const MANY_INVALID: u64 = 256;

/// Most sets of resources that an encoding thread keeps.
pub(crate) const MOST_RESOURCE_SETS: usize = 16_384;

/// Most layouts of draws that an encoding thread keeps.
pub(crate) const MOST_KNOWN_LAYOUTS: usize = 4096;

/// Most bind groups that a worker keeps.
pub(crate) const MOST_GROUPS: usize = 16_384;

/// Most pipelines that are kept by one worker, or by one device, primary ones and replicas each.
pub(crate) const MOST_PIPELINES: usize = 8192;

/// Most layouts of a kind that a device keeps.
pub(crate) const MOST_LAYOUTS: usize = 4096;

/// Entries of a cache that are found without its map; a power of two.
pub(crate) const RECENT_KEYS: usize = 1024;

/// Words of 64 bits of the sets that say which resources a run reads and writes; a power of two.
pub(crate) const RUN_NUMBER_WORDS: usize = 32;

/// Most accesses of a run whose parts are kept. After so many, a copy is hoisted only over other resources.
pub(crate) const MOST_ACCESSES: usize = 1024;

/// Accesses of a run that are not kept again if they come again at once; a power of two.
pub(crate) const RECENT_ACCESSES: usize = 16;

/// Bytes that the merging shader takes at once: what any adapter takes as one binding.
pub(crate) const MERGE_CHUNK: u64 = 8 << 20;

/// Bytes of a buffer that one dispatch fills.
pub(crate) const FILL_CHUNK: u64 = 8 << 20;

/// Query segments in a set: about as many as a run has draws.
pub(crate) const QUERY_SEGMENTS: u32 = 1024;

/// Bytes of a chunk of the upload belt; a larger write gets a chunk of a multiple of this.
pub(crate) const BELT_CHUNK: u64 = 1024 * 1024;

/// Submissions for which the upload belt keeps a chunk that none needs.
pub(crate) const BELT_KEEP_BATCHES: u64 = 240;
