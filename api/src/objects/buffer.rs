//! Buffers, the trait of all resources, and eviction priorities (D3D11: `ID3D11Buffer`, `ID3D11Resource`).

use bytemuck::NoUninit;
use onze_ddi::{BindFlags, BufferDesc, ObjectDesc, ResourceDesc, SubresourceData};

use super::{Device, Object, object, sealed::Sealed};
use crate::{
    device_core::ObjectData,
    report::{Error, MessageId},
    validate,
};

object! {
    /// A block of memory for vertices, indices, constants or CPU access (D3D11: `ID3D11Buffer`).
    #[doc(alias = "ID3D11Buffer")]
    Buffer
}

impl Buffer {
    /// Returns the descriptor that the buffer was created with (D3D11: `ID3D11Buffer::GetDesc`).
    #[doc(alias = "GetDesc")]
    pub fn desc(&self) -> &BufferDesc {
        static NONE: std::sync::LazyLock<BufferDesc> = std::sync::LazyLock::new(BufferDesc::default);
        match self.owner.shared.resource_desc() {
            Some(ResourceDesc::Buffer(desc)) => desc,
            Some(ResourceDesc::Texture(_)) | None => &NONE,
        }
    }
}

/// Buffers and textures, which can be copied, updated and mapped (D3D11: `ID3D11Resource`).
#[doc(alias = "ID3D11Resource")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "expected a buffer or a texture, such as `&Buffer` or `&Texture2d`",
    note = "the resource of a view is `view.texture_2d()` or `view.buffer()`"
)]
pub trait Resource: Object {
    /// Returns the descriptor, whose variant is the type of the resource (D3D11: `ID3D11Resource::GetType`
    /// and `GetDesc`).
    #[doc(alias = "GetType")]
    #[doc(alias = "GetDesc")]
    fn resource_desc(&self) -> ResourceDesc;

    /// Returns the priority that was set last, or [`EvictionPriority::NORMAL`] if none was set (D3D11:
    /// `ID3D11Resource::GetEvictionPriority`).
    #[doc(alias = "GetEvictionPriority")]
    fn eviction_priority(&self) -> EvictionPriority {
        self.owner().shared.attachments.eviction_priority().map_or(EvictionPriority::NORMAL, EvictionPriority)
    }

    /// Sets how important it is to keep the resource in GPU memory when memory is scarce (D3D11:
    /// `ID3D11Resource::SetEvictionPriority`).
    ///
    /// The value is stored but has no effect, because the system's GPU driver manages the memory.
    #[doc(alias = "SetEvictionPriority")]
    fn set_eviction_priority(&self, priority: EvictionPriority) {
        self.owner().shared.attachments.set_eviction_priority(priority.0);
    }
}

/// Importance of keeping a resource in GPU memory. The constants are DXGI's named values; values between them
/// are also allowed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EvictionPriority(pub u32);

impl EvictionPriority {
    /// The lowest named priority, for resources to evict first (`DXGI_RESOURCE_PRIORITY_MINIMUM`).
    #[doc(alias = "DXGI_RESOURCE_PRIORITY_MINIMUM")]
    pub const MINIMUM: Self = Self(0x2800_0000);
    /// A priority below the initial priority (`DXGI_RESOURCE_PRIORITY_LOW`).
    #[doc(alias = "DXGI_RESOURCE_PRIORITY_LOW")]
    pub const LOW: Self = Self(0x5000_0000);
    /// The initial priority of all resources (`DXGI_RESOURCE_PRIORITY_NORMAL`).
    #[doc(alias = "DXGI_RESOURCE_PRIORITY_NORMAL")]
    pub const NORMAL: Self = Self(0x7800_0000);
    /// A priority above the initial priority (`DXGI_RESOURCE_PRIORITY_HIGH`).
    #[doc(alias = "DXGI_RESOURCE_PRIORITY_HIGH")]
    pub const HIGH: Self = Self(0xa000_0000);
    /// The highest named priority, for resources to evict last (`DXGI_RESOURCE_PRIORITY_MAXIMUM`).
    #[doc(alias = "DXGI_RESOURCE_PRIORITY_MAXIMUM")]
    pub const MAXIMUM: Self = Self(0xc800_0000);
}

impl Resource for Buffer {
    fn resource_desc(&self) -> ResourceDesc {
        self.owner.shared.renamed(ResourceDesc::Buffer(self.desc().clone()))
    }
}

impl Device {
    /// Creates a buffer with the given contents (D3D11: `ID3D11Device::CreateBuffer`).
    ///
    /// If `contents` is `None`, the buffer reads as zeros.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the usage, bind flags and CPU access cannot be combined, or if the contents
    /// are shorter than `byte_width`; [`Error::OutOfMemory`] if there is not enough memory.
    #[doc(alias = "CreateBuffer")]
    pub fn create_buffer(&self, desc: &BufferDesc, contents: Option<&[u8]>) -> Result<Buffer, Error> {
        let core = &self.core;
        let named = self.missing_label(&desc.label).map(|label| BufferDesc { label, ..desc.clone() });
        let desc = named.as_ref().unwrap_or(desc);
        let label = desc.label.as_deref().unwrap_or("");
        let result = validate::buffer(desc, contents, &core.caps).and_then(|desc| {
            let width = desc.byte_width;
            let desc = ResourceDesc::Buffer(desc);
            let data = contents.map(|bytes| SubresourceData { bytes, row_pitch: width, depth_pitch: width });
            let args = ObjectDesc::Resource { desc: &desc, initial_data: data.as_slice() };
            self.here().create_object(&args, ObjectData::Resource(desc.clone()), label, None)
        });
        Ok(Buffer::from_shared(&core.reject(MessageId::CreateBufferInvalid, result)?.shared))
    }

    /// Creates a buffer with the given contents. It is immutable, except for constant buffers, because constants usually
    /// change, and for buffers that the GPU writes: those with [`BindFlags::STREAM_OUTPUT`],
    /// [`BindFlags::UNORDERED_ACCESS`] or [`BindFlags::RENDER_TARGET`].
    ///
    /// A constant buffer is padded to a multiple of 16 bytes, as Direct3D 11 requires (D3D11:
    /// `ID3D11Device::CreateBuffer`).
    ///
    /// # Errors
    /// Returns the same errors as [`Device::create_buffer`].
    #[doc(alias = "CreateBuffer")]
    pub fn create_buffer_with<T: NoUninit>(
        &self,
        bind_flags: BindFlags,
        contents: &[T],
    ) -> Result<Buffer, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(contents);
        let width = u32::try_from(bytes.len())
            .map_err(|_| Error::InvalidArg("a buffer holds less than 4 GiB".to_owned()))?;
        let written = BindFlags::STREAM_OUTPUT | BindFlags::UNORDERED_ACCESS | BindFlags::RENDER_TARGET;
        if !bind_flags.contains(BindFlags::CONSTANT_BUFFER) {
            let desc = match bind_flags.intersects(written) {
                true => BufferDesc::new(width, bind_flags),
                false => BufferDesc::immutable(width, bind_flags),
            };
            return self.create_buffer(&desc, Some(bytes));
        }
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(16), 0);
        let width = u32::try_from(padded.len())
            .map_err(|_| Error::InvalidArg("a buffer holds less than 4 GiB".to_owned()))?;
        self.create_buffer(&BufferDesc::new(width, bind_flags), Some(&padded))
    }
}
