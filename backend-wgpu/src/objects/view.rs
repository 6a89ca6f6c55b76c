//! Views: the range of a texture or a buffer that a shader or the output merger accesses.

use std::sync::{Arc, OnceLock, atomic::Ordering};

use arc_swap::ArcSwapOption;
use onze_ddi::{
    BufferViewDesc, CreateError, DsvFlags, Format, HandleType, OutOfMemory, ResourceHandle, TextureViewDesc,
    ViewDimension,
};

use crate::{
    objects::{
        allocator::{self, Storage},
        family::Member,
        resource::Resource,
        texture::TextureMemory,
    },
    services::{cache_invalidation::CacheId, convert, gpu::Gpu, packing::Packing},
};

/// A shader-resource or unordered-access view of a buffer. The location of the buffer's bytes is looked up
/// when the view is bound, and again when the buffer gets another identity. For this reason, the view
/// contains no wgpu object except an optional counter.
#[derive(Debug)]
pub(crate) struct BufferView {
    pub(crate) resource: ResourceHandle,
    pub(crate) desc: BufferViewDesc,
    /// The 4 bytes of the view's hidden counter, at the start of a wgpu buffer.
    pub(crate) counter: Option<Arc<Storage>>,
}

pub(crate) const COUNTER_BYTES: u32 = size_of::<u32>() as u32;

impl BufferView {
    /// Creates a view on any thread, with a counter that starts at 0 if the descriptor requests one.
    ///
    /// # Errors
    /// Returns an error if the view exceeds the adapter's limit for a buffer binding, or if memory is
    /// exhausted.
    pub(crate) fn new(
        gpu: &Gpu,
        resource: ResourceHandle,
        desc: &BufferViewDesc,
    ) -> Result<Arc<Self>, CreateError> {
        check_size(&gpu.limits, desc)?;
        let make = || {
            let copied = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
            let usages = wgpu::BufferUsages::STORAGE | copied;
            let size = COUNTER_BYTES.into();
            allocator::group_storage(&gpu.device, &gpu.invalidation, "counter", size, usages, true)
        };
        let counter = if desc.counter {
            gpu.check_alive()?;
            Some(gpu.guarded(make)?.map_err(|OutOfMemory| CreateError::OutOfMemory)?)
        } else {
            None
        };
        Ok(Arc::new(Self { resource, desc: *desc, counter }))
    }
}

/// Checks the size of a view against the adapter's limit for a buffer binding. The binding of a typed view
/// begins at an aligned offset and ends with a whole word.
fn check_size(limits: &wgpu::Limits, desc: &BufferViewDesc) -> Result<(), CreateError> {
    let stride = u64::from(desc.stride);
    let (first, bytes) = (u64::from(desc.first_element) * stride, u64::from(desc.elements) * stride);
    let bound = match desc.typed() {
        Some(_) => {
            let first = first - first % u64::from(limits.min_storage_buffer_offset_alignment);
            let end = u64::from(desc.first_element) * stride + bytes;
            end.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT) - first
        }
        None => bytes,
    };
    let most = limits.max_storage_buffer_binding_size;
    if bound <= most {
        return Ok(());
    }
    let words = format!(
        "the view has {bytes} bytes, and the adapter's shaders see at most {most} bytes of a buffer; make a view of fewer \
         elements, or several views"
    );
    Err(CreateError::Application(words.into()))
}

/// A shader-resource, unordered-access, render-target or depth-stencil view of a texture.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) id: CacheId,
    pub(crate) resource: Arc<Resource>,
    /// The viewed texture, one of several for a back buffer.
    pub(crate) memory: Arc<TextureMemory>,
    /// The viewed member, if the texture has a typeless format.
    pub(crate) member: Member,
    /// For a depth view, the view of the [same depth in another texture](Member::DEPTH), created at the first
    /// request.
    apart: OnceLock<Option<Arc<View>>>,
    pub(crate) texture: u64,
    /// Set if the view follows the identity of its back buffer.
    pub(crate) following: Option<Box<BackBufferFollower>>,
    /// The wgpu view, limited to the first slice if this is a target with several slices, because a wgpu
    /// attachment has one slice.
    pub(crate) texture_view: wgpu::TextureView,
    /// One view per slice if this is a target with several array slices, otherwise empty.
    pub(crate) layer_views: Vec<wgpu::TextureView>,
    pub(crate) format: wgpu::TextureFormat,
    /// The components that draws and clears must not change, because the texture has them but the Direct3D
    /// format does not.
    pub(crate) hidden: wgpu::ColorWrites,
    pub(crate) desc: TextureViewDesc,
    pub(crate) dimension: wgpu::TextureViewDimension,
    pub(crate) sample_type: wgpu::TextureSampleType,
    /// Width of the first viewed mip level in texels.
    pub(crate) width: u32,
    /// Height of the first viewed mip level in texels.
    pub(crate) height: u32,
    pub(crate) samples: u32,
}

#[derive(Debug)]
pub(crate) struct BackBufferFollower {
    /// The back buffer's handle, which has the same value in all contexts.
    pub(crate) back_buffer: ResourceHandle,
    kind: HandleType,
    others: OtherViews,
    /// The latest view of a texture that the surface lends. Older views are dropped, because a surface lends
    /// another texture for each frame.
    lent: ArcSwapOption<View>,
}

/// The views of other textures that a back buffer has referred to. Views are only added to the list, but it
/// stays short, because a swap chain has few textures.
#[derive(Debug, Default)]
struct OtherViews(OnceLock<Box<(Arc<View>, OtherViews)>>);

impl View {
    /// Creates a view of a resource's original texture, on any thread.
    ///
    /// # Errors
    /// Returns an error with the reason if wgpu cannot view the texture in this format.
    pub(crate) fn new(
        gpu: &Gpu,
        kind: HandleType,
        resource: &Arc<Resource>,
        desc: &TextureViewDesc,
    ) -> Result<Arc<Self>, CreateError> {
        Self::make(gpu, kind, resource, created_with(resource)?, desc, None)
    }

    /// Creates a view of a back buffer, on any thread. The view follows the back buffer's identity:
    /// [`View::of`] returns the view of the current texture. Returns the same errors as [`View::new`].
    pub(crate) fn following(
        gpu: &Gpu,
        kind: HandleType,
        (back_buffer, resource): (ResourceHandle, &Arc<Resource>),
        desc: &TextureViewDesc,
    ) -> Result<Arc<Self>, CreateError> {
        let following = Box::new(BackBufferFollower {
            back_buffer,
            kind,
            others: OtherViews::default(),
            lent: ArcSwapOption::empty(),
        });
        Self::make(gpu, kind, resource, created_with(resource)?, desc, Some(following))
    }

    /// Returns the view to use while the back buffer refers to the texture `memory`. It is this view, or a
    /// view of that texture that the first call creates and stores in this view. Only the immediate context's
    /// thread calls this.
    ///
    /// # Errors
    /// Returns the same errors as [`View::new`].
    pub(crate) fn of(
        self: &Arc<Self>,
        gpu: &Gpu,
        memory: &Arc<TextureMemory>,
    ) -> Result<Arc<Self>, CreateError> {
        let Some(following) = self.following.as_ref().filter(|_| self.texture != memory.id) else {
            return Ok(self.clone());
        };
        if memory.lent.load(Ordering::Relaxed) {
            return self.of_lent(gpu, following, memory);
        }
        let mut end = &following.others;
        while let Some(other) = end.0.get() {
            let (view, next) = &**other;
            if view.texture == memory.id {
                return Ok(view.clone());
            }
            end = next;
        }
        let view = Self::make(gpu, following.kind, &self.resource, memory, &self.desc, None)?;
        // If two threads called this at the same time, the second thread would keep its own view.
        drop(end.0.set(Box::new((view.clone(), OtherViews::default()))));
        Ok(view)
    }

    fn of_lent(
        &self,
        gpu: &Gpu,
        following: &BackBufferFollower,
        memory: &Arc<TextureMemory>,
    ) -> Result<Arc<Self>, CreateError> {
        let last = following.lent.load_full();
        if let Some(view) = last.filter(|view| view.texture == memory.id) {
            return Ok(view);
        }
        let view = Self::make(gpu, following.kind, &self.resource, memory, &self.desc, None)?;
        following.lent.store(Some(view.clone()));
        Ok(view)
    }

    fn make(
        gpu: &Gpu,
        kind: HandleType,
        resource: &Arc<Resource>,
        memory: &Arc<TextureMemory>,
        desc: &TextureViewDesc,
        following: Option<Box<BackBufferFollower>>,
    ) -> Result<Arc<Self>, CreateError> {
        gpu.check_alive()?;
        let seen = seen(gpu, memory, resource, kind, desc)?;
        let is_one_plane = desc.flags == DsvFlags::READ_ONLY_DEPTH;
        if is_one_plane && memory.texture.usage().contains(wgpu::TextureUsages::TEXTURE_BINDING) {
            memory.make_depth_member(gpu)?;
        }
        Self::make_seen(gpu, kind, resource, memory, desc, following, &seen)
    }

    /// Returns the view that shaders read instead of this depth view while draws write the texture's stencil,
    /// or `None` if the texture has no [separate copy of its depth](Member::DEPTH).
    pub(crate) fn depth_apart(&self, gpu: &Gpu) -> Option<&Self> {
        let is_depth = self.member == Member::PRIMARY && self.format.has_depth_aspect();
        if !is_depth || !self.memory.has_member(Member::DEPTH) || !self.memory.is_depth(Member::DEPTH) {
            return None;
        }
        let make = || {
            let aspect = wgpu::TextureAspect::DepthOnly;
            let seen = SeenFormat { format: self.format, aspect, member: Member::DEPTH };
            let kind = HandleType::ShaderResourceView;
            Self::make_seen(gpu, kind, &self.resource, &self.memory, &self.desc, None, &seen).ok()
        };
        self.apart.get_or_init(make).as_deref()
    }

    fn make_seen(
        gpu: &Gpu,
        kind: HandleType,
        resource: &Arc<Resource>,
        memory: &Arc<TextureMemory>,
        desc: &TextureViewDesc,
        following: Option<Box<BackBufferFollower>>,
        seen: &SeenFormat,
    ) -> Result<Arc<Self>, CreateError> {
        let texture = memory.member(seen.member);
        let is_target = matches!(kind, HandleType::RenderTargetView | HandleType::DepthStencilView);
        let (dimension, usage) = match kind {
            HandleType::ShaderResourceView => (dimension(gpu, desc)?, wgpu::TextureUsages::TEXTURE_BINDING),
            HandleType::UnorderedAccessView => {
                let written = wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::STORAGE_ATOMIC;
                (dimension(gpu, desc)?, texture.usage() & written)
            }
            // The view covers the whole mip level, and the pass selects one of its depth slices.
            _ if desc.dimension == ViewDimension::Texture3d => {
                (wgpu::TextureViewDimension::D3, wgpu::TextureUsages::RENDER_ATTACHMENT)
            }
            _ => (wgpu::TextureViewDimension::D2, wgpu::TextureUsages::RENDER_ATTACHMENT),
        };
        if usage.is_empty() || !texture.usage().contains(usage) {
            let words = format!("the adapter's textures of {:?} do not allow such views", desc.format);
            return Err(CreateError::Application(words.into()));
        }
        let make = |first_slice: u32, slices: u32| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                label: Some(resource.desc.label()),
                format: Some(seen.format),
                dimension: Some(dimension),
                usage: Some(usage),
                aspect: seen.aspect,
                base_mip_level: desc.range.first_mip,
                mip_level_count: Some(desc.range.mips),
                base_array_layer: first_slice,
                array_layer_count: Some(slices),
            })
        };
        let first = desc.range.first_slice;
        let (texture_view, layer_views) = gpu.guarded(|| {
            if is_target && desc.range.slices > 1 {
                let layers: Vec<_> = (first..first + desc.range.slices).map(|slice| make(slice, 1)).collect();
                (make(first, 1), layers)
            } else {
                (make(first, desc.range.slices), Vec::new())
            }
        })?;
        let (width, height) = memory.mip_size(desc.range.first_mip);
        Ok(Arc::new(Self {
            id: gpu.invalidation.new_id(),
            resource: resource.clone(),
            memory: memory.clone(),
            member: seen.member,
            apart: OnceLock::new(),
            texture: memory.id,
            following,
            texture_view,
            layer_views,
            format: seen.format,
            hidden: memory.packing.map_or(wgpu::ColorWrites::empty(), Packing::hidden),
            desc: *desc,
            dimension,
            sample_type: gpu.sample_type(texture.format(), seen.aspect),
            width,
            height,
            samples: memory.samples,
        }))
    }

    /// Returns the viewed texture or, for a typeless format, the texture of the viewed member.
    pub(crate) fn member_texture(&self) -> &wgpu::Texture {
        self.memory.member(self.member)
    }

    /// Returns the slices of a target, each of which has a view for an attachment and, if the texture is 3D,
    /// a depth slice.
    pub(crate) fn attachments(&self) -> impl ExactSizeIterator<Item = (&wgpu::TextureView, Option<u32>)> {
        let is_one = self.layer_views.is_empty() && self.depth_slice().is_none();
        let count = if is_one { 1 } else { self.desc.range.layers().len() as u32 };
        (0..count).map(|slice| self.attachment(slice))
    }

    /// Returns the view and the depth slice of one of the slices.
    pub(crate) fn attachment(&self, slice: u32) -> (&wgpu::TextureView, Option<u32>) {
        let view = self.layer_views.get(slice as usize).unwrap_or(&self.texture_view);
        (view, self.depth_slice().map(|first| first + slice))
    }

    /// Returns the first depth slice of this target, or `None` if the target is not a 3D texture.
    pub(crate) const fn depth_slice(&self) -> Option<u32> {
        match self.desc.dimension {
            ViewDimension::Texture3d => Some(self.desc.range.first_w),
            _ => None,
        }
    }

    /// Whether the view covers only some of the depth slices of its mip level.
    pub(crate) fn sees_some_depth_slices(&self) -> bool {
        let range = self.desc.range;
        self.memory.depth.is_some_and(|depth| {
            let depth = depth.checked_shr(range.first_mip).unwrap_or(0).max(1);
            (range.first_w, range.w_size) != (0, depth)
        })
    }
}

fn created_with(resource: &Resource) -> Result<&Arc<TextureMemory>, CreateError> {
    resource.texture().ok_or_else(|| {
        CreateError::Application("a view of a texture sees a buffer or a staging resource".into())
    })
}

/// The format, aspect and member that a view uses to access its texture.
struct SeenFormat {
    format: wgpu::TextureFormat,
    aspect: wgpu::TextureAspect,
    member: Member,
}

/// Returns the format, the aspect and the member of a view, or an error with the reason if there is none.
fn seen(
    gpu: &Gpu,
    memory: &TextureMemory,
    resource: &Resource,
    kind: HandleType,
    desc: &TextureViewDesc,
) -> Result<SeenFormat, CreateError> {
    let refuse = |why: &str| {
        let format = convert::resource_format(&resource.desc);
        let text = format!("a texture of {format:?} has no such view of {:?}: {why}", desc.format);
        CreateError::Application(text.into())
    };
    let is_depth = memory.format.is_depth_stencil_format();
    if is_depth && kind == HandleType::DepthStencilView {
        let (format, aspect) = (memory.format, wgpu::TextureAspect::All);
        return Ok(SeenFormat { format, aspect, member: Member::PRIMARY });
    }
    if is_depth && kind != HandleType::ShaderResourceView {
        return Err(refuse("it is a depth texture"));
    }
    if is_depth && desc.format.has_stencil() && !desc.format.has_depth() {
        let (member, format) = memory.stencil_member(gpu)?;
        return Ok(SeenFormat { format, aspect: wgpu::TextureAspect::All, member });
    }
    let reads_depth = desc.format.has_depth() || matches!(desc.format, Format::R32_FLOAT | Format::R16_UNORM);
    if is_depth && reads_depth {
        let aspect = wgpu::TextureAspect::DepthOnly;
        let format = memory.format.aspect_specific_format(aspect).unwrap_or(memory.format);
        return Ok(SeenFormat { format, aspect, member: Member::PRIMARY });
    }
    let Some(format) = convert::texture_format(desc.format) else {
        return Err(refuse("wgpu has no such format"));
    };
    let member = memory.member_of(gpu, format)?.ok_or_else(|| refuse("it is not of the family"))?;
    Ok(SeenFormat { format, aspect: wgpu::TextureAspect::All, member })
}

fn dimension(gpu: &Gpu, desc: &TextureViewDesc) -> Result<wgpu::TextureViewDimension, CreateError> {
    let has_cube_arrays = gpu.downlevel.flags.contains(wgpu::DownlevelFlags::CUBE_ARRAY_TEXTURES);
    match desc.dimension {
        // A 1D texture is viewed as 2D, because it was created as a 2D texture of height 1.
        ViewDimension::Texture1d | ViewDimension::Texture2d | ViewDimension::Texture2dMs => {
            Ok(wgpu::TextureViewDimension::D2)
        }
        ViewDimension::Texture3d => Ok(wgpu::TextureViewDimension::D3),
        // Multisampled arrays are supported if their texture could be created.
        ViewDimension::Texture1dArray | ViewDimension::Texture2dArray | ViewDimension::Texture2dMsArray => {
            Ok(wgpu::TextureViewDimension::D2Array)
        }
        ViewDimension::TextureCube => Ok(wgpu::TextureViewDimension::Cube),
        ViewDimension::TextureCubeArray if has_cube_arrays => Ok(wgpu::TextureViewDimension::CubeArray),
        ViewDimension::TextureCubeArray => {
            Err(CreateError::Application("the adapter has no cube-map arrays (Features::CUBE_ARRAYS)".into()))
        }
    }
}
