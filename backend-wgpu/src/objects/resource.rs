//! Resources: this driver's data for a buffer or a texture.

use std::sync::{Arc, atomic::Ordering};

use crossbeam_queue::ArrayQueue;
use onze_ddi::{
    AllocateArgs, Allocation, BindFlags, CreateError, DrawInstancedIndirectArgs, Key, OutOfMemory,
    ResourceDesc, SubresourceData, Usage,
};

use crate::objects::{
    DeviceObjects,
    allocator::{self, BufferCache, Storage},
    resource_factory::ResourceFactory,
    staging::Staging,
    surface::Surface,
    texture::TextureMemory,
};
use crate::services::gpu::Gpu;

/// Position of the arguments of an automatic draw in the storage of a filled size.
pub(crate) const DRAW_AUTO_OFFSET: u64 = 16;

#[derive(Debug)]
pub(crate) enum ResourceMemory {
    /// A buffer that the GPU reads, and that can have other identities if it is renamable.
    Buffer {
        base: Arc<Storage>,
    },
    /// A texture that the GPU reads, and that can have other identities if it is a back buffer.
    Texture(Arc<TextureMemory>),
    Staging(Staging),
}

/// The runtime's allocation for a resource, taken out when it is returned to the runtime.
enum CountedAllocation {
    Own(Option<Allocation>),
    /// A back buffer's allocation, which may be returned before the resource is dropped.
    Primary(Box<ArrayQueue<Allocation>>),
}

pub(crate) struct Resource {
    /// The description of the resource, with `mip_levels` resolved.
    pub(crate) desc: ResourceDesc,
    pub(crate) key: Key,
    pub(crate) memory: ResourceMemory,
    /// For a buffer that stream output can write, its filled size in bytes, followed by the arguments of the draw
    /// of its vertices ([`DRAW_AUTO_OFFSET`]).
    pub(crate) filled: Option<Arc<Storage>>,
    pub(crate) factory: Arc<ResourceFactory>,
    counted: CountedAllocation,
    surface: Option<Arc<Surface>>,
}

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resource").field("key", &self.key).field("desc", &self.desc).finish_non_exhaustive()
    }
}

impl Resource {
    /// Creates a resource other than a back buffer, on any thread. Returns an error if memory is exhausted or
    /// the adapter lacks a feature, and the error message then contains the name of that feature.
    pub(crate) fn new(
        objects: &DeviceObjects,
        key: Key,
        desc: &ResourceDesc,
        initial_data: &[SubresourceData<'_>],
    ) -> Result<Arc<Self>, CreateError> {
        Self::make(objects, key, desc, initial_data, None)
    }

    /// Creates a back buffer. If there is a surface, the back buffer refers to the textures that the surface
    /// lends. Returns the same errors as [`Resource::new`].
    pub(crate) fn new_primary(
        objects: &DeviceObjects,
        key: Key,
        desc: &ResourceDesc,
        surface: Option<Arc<Surface>>,
    ) -> Result<Arc<Self>, CreateError> {
        Self::make(objects, key, desc, &[], Some(surface))
    }

    fn make(
        objects: &DeviceObjects,
        key: Key,
        desc: &ResourceDesc,
        initial_data: &[SubresourceData<'_>],
        back_buffer: Option<Option<Arc<Surface>>>,
    ) -> Result<Arc<Self>, CreateError> {
        objects.gpu.check_alive()?;
        let primary = back_buffer.is_some();
        let args = AllocateArgs { size: allocation_size(desc), primary, shared: desc.is_shared() };
        let factory = objects.factories.here();
        let allocation = objects.gpu.kernel.allocate(args).map_err(|OutOfMemory| CreateError::OutOfMemory)?;
        let made = make_memory(objects, &factory.cache, desc, initial_data, primary)
            .and_then(|memory| Ok((memory, filled_size(&objects.gpu, desc)?)));
        let (memory, filled) = match made {
            Ok(made) => made,
            Err(error) => {
                objects.gpu.kernel.deallocate(allocation);
                return Err(error);
            }
        };
        let counted = if primary {
            let counted = Box::new(ArrayQueue::new(1));
            // The result can be ignored, because a push to a new, empty queue succeeds.
            drop(counted.push(allocation));
            CountedAllocation::Primary(counted)
        } else {
            CountedAllocation::Own(Some(allocation))
        };
        if memory.is_own() {
            factory.live.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Arc::new(Self {
            desc: desc.clone(),
            key,
            memory,
            filled,
            factory: factory.clone(),
            counted,
            surface: back_buffer.flatten(),
        }))
    }

    /// Returns a back buffer's allocation to the runtime even if the resource still has owners, because the
    /// runtime considers the back buffer destroyed when its destroy entry returns.
    pub(crate) fn deallocate_primary(&self) {
        if let CountedAllocation::Primary(counted) = &self.counted
            && let Some(allocation) = counted.pop()
        {
            self.factory.kernel.deallocate(allocation);
        }
    }

    /// Whether this is a back buffer, whose texture changes over time.
    pub(crate) fn is_back_buffer(&self) -> bool {
        match &self.counted {
            CountedAllocation::Primary(_) => true,
            CountedAllocation::Own(_) => false,
        }
    }

    /// Returns the resource's original texture, or `None` for buffers and staging resources.
    pub(crate) fn texture(&self) -> Option<&Arc<TextureMemory>> {
        match &self.memory {
            ResourceMemory::Texture(texture) => Some(texture),
            ResourceMemory::Buffer { .. } | ResourceMemory::Staging(_) => None,
        }
    }

    /// Returns a back buffer's texture in this frame, for the immediate context. It is the surface's texture,
    /// unless the surface lends none or the application has borrowed the original texture through
    /// [`interop`](crate::interop).
    pub(crate) fn frame_texture(&self, gpu: &Gpu) -> Option<Arc<TextureMemory>> {
        let created_with = self.texture()?;
        let surface = self.surface.as_ref().filter(|_| !created_with.lent.load(Ordering::Relaxed));
        let lent = surface.and_then(|surface| surface.acquire_for_frame(gpu));
        Some(lent.unwrap_or_else(|| created_with.clone()))
    }

    pub(crate) fn base_storage(&self) -> Option<&Arc<Storage>> {
        match &self.memory {
            ResourceMemory::Buffer { base } => Some(base),
            ResourceMemory::Texture(_) | ResourceMemory::Staging(_) => None,
        }
    }

    pub(crate) fn staging(&self) -> Option<&Staging> {
        match &self.memory {
            ResourceMemory::Staging(staging) => Some(staging),
            ResourceMemory::Buffer { .. } | ResourceMemory::Texture(_) => None,
        }
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        let allocation = match &mut self.counted {
            CountedAllocation::Own(allocation) => allocation.take(),
            CountedAllocation::Primary(counted) => counted.pop(),
        };
        if let Some(allocation) = allocation {
            self.factory.kernel.deallocate(allocation);
        }
        if self.memory.is_own() {
            self.factory.live.fetch_sub(1, Ordering::Relaxed);
        }
        if let ResourceMemory::Buffer { base } = &self.memory {
            self.factory.cache.remove_padding(base, allocation_size(&self.desc));
            self.factory.cache.keep(base);
        }
    }
}

impl ResourceMemory {
    fn is_own(&self) -> bool {
        match self {
            Self::Buffer { base } => base.chunk.is_none(),
            Self::Texture(_) | Self::Staging(_) => true,
        }
    }
}

fn make_memory(
    objects: &DeviceObjects,
    cache: &BufferCache,
    desc: &ResourceDesc,
    initial_data: &[SubresourceData<'_>],
    primary: bool,
) -> Result<ResourceMemory, CreateError> {
    if desc.usage() == Usage::Staging {
        return Staging::new(&objects.gpu, desc, initial_data).map(ResourceMemory::Staging);
    }
    match desc {
        ResourceDesc::Buffer(buffer) => crate::objects::buffer::create(objects, cache, buffer, initial_data)
            .map(|base| ResourceMemory::Buffer { base }),
        ResourceDesc::Texture(texture) => {
            crate::objects::texture::create(&objects.gpu, texture, initial_data, primary)
                .map(|memory| ResourceMemory::Texture(Arc::new(memory)))
        }
    }
}

/// Creates the storage of a buffer's filled size, which is 0 at first, if stream output can write the buffer.
fn filled_size(gpu: &Gpu, desc: &ResourceDesc) -> Result<Option<Arc<Storage>>, CreateError> {
    if !desc.bind_flags().contains(BindFlags::STREAM_OUTPUT) {
        return Ok(None);
    }
    let (size, most) = (allocation_size(desc), gpu.limits.max_storage_buffer_binding_size);
    if size > most {
        let words = format!(
            "the buffer has {size} bytes, and the adapter's shaders write at most {most} bytes of a buffer for stream \
             output; use a smaller buffer, or several"
        );
        return Err(CreateError::Application(words.into()));
    }
    let make = || {
        let copied = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let usages = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT | copied;
        let size = DRAW_AUTO_OFFSET + size_of::<DrawInstancedIndirectArgs>() as u64;
        allocator::group_storage(&gpu.device, &gpu.invalidation, "filled size", size, usages, true)
    };
    let storage = gpu.guarded(make)?.map_err(|OutOfMemory| CreateError::OutOfMemory)?;
    Ok(Some(storage))
}

fn allocation_size(desc: &ResourceDesc) -> u64 {
    match desc {
        ResourceDesc::Buffer(d) => u64::from(d.byte_width),
        ResourceDesc::Texture(d) => d.total_bytes(),
    }
}
