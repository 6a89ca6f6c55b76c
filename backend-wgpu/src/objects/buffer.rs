//! Buffers that the GPU reads: their wgpu usages, their base storage and its initial contents.

use std::sync::Arc;

use onze_ddi::{BindFlags, BufferDesc, CreateError, MiscFlags, OutOfMemory, SubresourceData};

use crate::objects::{
    DeviceObjects,
    allocator::{self, BufferCache, LARGEST_LATE, Storage},
};

/// Bind flags of buffers that are bound in bind groups, whose caches are invalidated when such a buffer is
/// destroyed.
const IN_GROUPS: BindFlags =
    BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS).union(BindFlags::STREAM_OUTPUT);

fn usages(desc: &BufferDesc, pulls_vertices: bool) -> wgpu::BufferUsages {
    let bind_flags = desc.bind_flags;
    let mut usages = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    usages.set(wgpu::BufferUsages::VERTEX, bind_flags.contains(BindFlags::VERTEX_BUFFER));
    usages.set(wgpu::BufferUsages::INDEX, bind_flags.contains(BindFlags::INDEX_BUFFER));
    // Whether vertices must be pulled from storage buffers is known only at a draw, which is too late to set the
    // usage. Draws with a geometry shader also read their indices from a storage buffer.
    let is_pulled =
        pulls_vertices && bind_flags.intersects(BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER);
    usages.set(wgpu::BufferUsages::STORAGE, bind_flags.intersects(IN_GROUPS) || is_pulled);
    usages.set(wgpu::BufferUsages::INDIRECT, desc.misc_flags.contains(MiscFlags::DRAWINDIRECT_ARGS));
    usages
}

/// Creates a buffer's base storage with the given contents, or else filled with zeros, through the calling
/// thread's `cache`. Returns an error only if memory is exhausted.
pub(crate) fn create(
    objects: &DeviceObjects,
    cache: &BufferCache,
    desc: &BufferDesc,
    initial_data: &[SubresourceData<'_>],
) -> Result<Arc<Storage>, CreateError> {
    let size = u64::from(desc.byte_width);
    let contents = initial_data.first().and_then(|data| data.bytes.get(..desc.byte_width as usize));
    let constant = desc.bind_flags.contains(BindFlags::CONSTANT_BUFFER);
    let make = || match contents {
        None if constant => objects.allocator.allocate(cache, size),
        Some(contents) if constant => objects.allocator.allocate_with(cache, contents),
        _ => separate(objects, cache, desc, contents),
    };
    // Usually wgpu is called only to allocate memory, and that call has its own error scope. Contents that
    // are sent to wgpu immediately can also exhaust memory, so in that case `make` runs in another error
    // scope.
    let at_once = contents.is_some() && size > LARGEST_LATE;
    let made = if at_once { objects.gpu.guarded(make)? } else { make() };
    let storage = made.map_err(|OutOfMemory| CreateError::OutOfMemory)?;
    cache.add_padding(&storage, size);
    Ok(storage)
}

fn separate(
    objects: &DeviceObjects,
    cache: &BufferCache,
    desc: &BufferDesc,
    contents: Option<&[u8]>,
) -> Result<Arc<Storage>, OutOfMemory> {
    let (size, label) = (u64::from(desc.byte_width), desc.label.as_deref().unwrap_or("unnamed buffer"));
    let usages = usages(desc, objects.gpu.pulls_vertices());
    // wgpu clears unwritten memory when it is bound, but only in whole words, and it panics if an index
    // buffer starts or ends within a word. For this reason, buffers are fully defined here, and wgpu has
    // nothing to clear.
    let fetched = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::INDEX;
    let bound = usages.intersects(fetched | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT);
    let defined = size > LARGEST_LATE && bound && contents.is_none();
    let (gpu, invalidation) = (&objects.gpu, &objects.gpu.invalidation);
    let storage = if desc.bind_flags.intersects(IN_GROUPS) {
        allocator::group_storage(&gpu.device, invalidation, label, size, usages, defined)?
    } else if defined {
        allocator::defined_storage(&gpu.device, label, size, usages)?
    } else {
        allocator::own_storage(&gpu.device, label, size, usages)?
    };
    if defined {
        return Ok(storage);
    }
    match contents {
        Some(contents) if size > LARGEST_LATE => allocator::write(&objects.gpu.queue, &storage, contents),
        None if !bound => {}
        _ => cache.write_late(&storage, contents.unwrap_or_default()),
    }
    Ok(storage)
}
