//! The device, which creates all objects (D3D11: `ID3D11Device`).
//!
//! The calls that create objects are in `impl Device` blocks beside the object types.

use std::sync::{Arc, atomic::Ordering};

use onze_ddi::{AdapterInfo, CreateDeviceFlags, FeatureLevel, Format, FormatSupport, FormatSupport2, Label};

use crate::{
    device_core::{
        Attachments, CoreShard, CoreShards, DeviceCore, DeviceRemovedEvent, ObjectShared, attachments,
    },
    report::{Error, InfoQueue},
};

bitflags::bitflags! {
    /// Errors that can raise exceptions in Direct3D (D3D11: `D3D11_RAISE_FLAG`, with its values).
    #[doc(alias = "D3D11_RAISE_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct RaiseFlags: u32 {
        /// An error within the driver raises an exception (`D3D11_RAISE_FLAG_DRIVER_INTERNAL_ERROR`).
        #[doc(alias = "D3D11_RAISE_FLAG_DRIVER_INTERNAL_ERROR")]
        const DRIVER_INTERNAL_ERROR = 1;
    }
}

bitflags::bitflags! {
    /// The type of textures whose quality levels are queried (D3D11.2:
    /// `D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_FLAG`, with its values).
    #[doc(alias = "D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CheckMultisampleQualityLevelsFlags: u32 {
        /// Queries tiled textures, which no device supports
        /// (`D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_TILED_RESOURCE`).
        #[doc(alias = "D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_TILED_RESOURCE")]
        const TILED_RESOURCE = 1;
    }
}

/// Maximum sample count that can have quality levels (D3D11: `D3D11_MAX_MULTISAMPLE_SAMPLE_COUNT`).
const MAX_SAMPLES: u32 = 32;

/// Creates resources, views, states, shaders, queries and deferred contexts, from any thread.
///
/// The device is cheap to clone, and its objects keep it alive (D3D11: `ID3D11Device`).
#[doc(alias = "ID3D11Device")]
#[derive(Clone)]
pub struct Device {
    pub(crate) core: Arc<DeviceCore>,
    shards: Arc<CoreShards>,
    /// The label of objects that are created through this value.
    new_name: Option<Arc<str>>,
}

impl Device {
    pub(crate) fn from_core(core: &Arc<DeviceCore>) -> Self {
        Self { core: core.clone(), shards: core.shards(), new_name: None }
    }

    /// Returns the shard of object bookkeeping that belongs to the calling thread.
    pub(crate) fn here(&self) -> &Arc<CoreShard> {
        self.shards.here()
    }

    /// Returns a clone of the device that gives `label` to all objects created through it (D3D11:
    /// `SetPrivateData` with `WKPDID_D3DDebugObjectName`).
    ///
    /// Messages, errors and graphics debuggers show the label. It applies to every call that creates an
    /// object, but a label in a descriptor takes precedence. A view has the label of its resource. State
    /// objects with equal descriptors are a single object, which keeps its first label.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, _context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let camera = device.labelled("camera").create_constant_buffer(&[[0.0_f32; 4]; 4])?;
    /// assert_eq!(camera.label(), "camera");
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "WKPDID_D3DDebugObjectName")]
    #[doc(alias = "SetPrivateData")]
    pub fn labelled(&self, label: &str) -> Self {
        Self { new_name: Some(label.into()), ..self.clone() }
    }

    fn attachments(&self) -> &Attachments {
        &self.core.attachments
    }

    fn current_label(&self) -> String {
        self.core.attachments.name()
    }

    /// Returns the label for an object whose descriptor has no label, or an empty string.
    pub(crate) fn new_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or("")
    }

    /// Prefixes an error with the label that the object would have had.
    pub(super) fn named(&self, error: Error) -> Error {
        match self.new_name() {
            "" => error,
            name => error.about(format_args!("\"{name}\"")),
        }
    }

    /// Returns the label for a resource whose descriptor has no label, or `None` if the descriptor needs no
    /// change.
    pub(super) fn missing_label(&self, own: &Label) -> Option<Label> {
        let label = self.new_name.as_deref().filter(|_| own.is_none())?;
        Some(Some(label.to_owned().into()))
    }

    /// Returns the adapter that renders (DXGI: `IDXGIDevice::GetAdapter` and its `GetDesc`).
    #[doc(alias = "GetAdapter")]
    pub fn adapter(&self) -> &AdapterInfo {
        &self.core.adapter
    }

    /// Returns the feature level that the device was created with (D3D11: `ID3D11Device::GetFeatureLevel`).
    #[doc(alias = "GetFeatureLevel")]
    pub fn feature_level(&self) -> FeatureLevel {
        self.core.feature_level
    }

    /// Returns the flags of the [descriptor](crate::DeviceDesc) that the device was created with (D3D11:
    /// `ID3D11Device::GetCreationFlags`).
    #[doc(alias = "GetCreationFlags")]
    pub fn creation_flags(&self) -> CreateDeviceFlags {
        self.core.flags
    }

    /// Returns the queue of the debug layer's messages (D3D11: `ID3D11InfoQueue`).
    #[doc(alias = "ID3D11InfoQueue")]
    pub fn info_queue(&self) -> &InfoQueue {
        self.core.info()
    }

    /// Returns the supported uses of a format, possibly none (D3D11: `ID3D11Device::CheckFormatSupport`).
    #[doc(alias = "CheckFormatSupport")]
    pub fn check_format_support(&self, format: Format) -> FormatSupport {
        let _serial = self.core.serial.enter();
        self.core.funcs().check_format_support(format)
    }

    /// Returns the supported uses of a format through unordered-access views, and uses that later versions of
    /// Direct3D 11 added (D3D11: `D3D11_FEATURE_FORMAT_SUPPORT2`). The result may be empty.
    #[doc(alias = "D3D11_FEATURE_FORMAT_SUPPORT2")]
    pub fn check_format_support2(&self, format: Format) -> FormatSupport2 {
        let _serial = self.core.serial.enter();
        self.core.funcs().check_format_support2(format)
    }

    /// Returns the number of quality levels for targets of a format and sample count: 1 if the device
    /// supports such targets, otherwise 0 (D3D11: `ID3D11Device::CheckMultisampleQualityLevels`). The result
    /// is also 0 for `Format::UNKNOWN` and for more than 32 samples.
    ///
    /// Most formats support 1 and 4 samples, whereas support for 2, 8 and 16 samples depends on the adapter.
    /// If a typeless format has both colour formats and depth formats, the result is 1 only if both types of
    /// targets support the sample count.
    #[doc(alias = "CheckMultisampleQualityLevels")]
    pub fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32 {
        if format == Format::UNKNOWN || !(1..=MAX_SAMPLES).contains(&sample_count) {
            return 0;
        }
        let _serial = self.core.serial.enter();
        self.core.funcs().check_multisample_quality_levels(format, sample_count)
    }

    /// Works like [`check_multisample_quality_levels`](Self::check_multisample_quality_levels), but returns 0
    /// for tiled resources, because they are not supported (D3D11.2:
    /// `ID3D11Device2::CheckMultisampleQualityLevels1`).
    #[doc(alias = "CheckMultisampleQualityLevels1")]
    pub fn check_multisample_quality_levels1(
        &self,
        format: Format,
        sample_count: u32,
        flags: CheckMultisampleQualityLevelsFlags,
    ) -> u32 {
        if !flags.is_empty() {
            return 0;
        }
        self.check_multisample_quality_levels(format, sample_count)
    }

    /// Returns the driver's own device object. No D3D11 counterpart. An application that depends on the
    /// driver's crate can use it to access lower layers: with `onze_wgpu`, the wgpu objects (`interop`) and
    /// the pipeline cache.
    ///
    /// Only the driver knows the contents of the returned object, and the object does not keep the device
    /// alive.
    ///
    /// ```no_run
    /// # #[cfg(feature = "wgpu")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use onze::prelude::*;
    /// use onze_wgpu::pipeline_cache::PipelineCacheFile;
    ///
    /// let (device, mut immediate) = create_device(&DeviceDesc::default())?;
    /// # let path = "pipelines";
    /// let cache = PipelineCacheFile::open(path, &device.driver_object(), |device, desc| {
    ///     // Safety: the path is in the user's folder for caches, and only this program writes there.
    ///     unsafe { device.create_pipeline_cache(desc) }
    /// })?;
    /// println!("pipelines of earlier starts: {:?}", cache.status());
    /// // From now on, draws and `prepare_draw` compile their pipelines with this cache.
    /// immediate.flush();
    /// cache.save()?;
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "wgpu"))]
    /// # fn main() {}
    /// ```
    pub fn driver_object(&self) -> onze_ddi::DriverObject {
        let _serial = self.core.serial.enter();
        self.core.funcs().driver_object()
    }

    /// Returns an error with the reason if the device was removed, or `Ok` otherwise (D3D11:
    /// `ID3D11Device::GetDeviceRemovedReason`).
    ///
    /// # Errors
    /// [`Error::DeviceRemoved`] with the reason if the device was removed.
    #[doc(alias = "GetDeviceRemovedReason")]
    pub fn get_device_removed_reason(&self) -> Result<(), Error> {
        self.core.check_removed()
    }

    /// Returns an event that is set when the device is removed, so that threads and tasks can wait for it
    /// (D3D11.4: `ID3D11Device4::RegisterDeviceRemovedEvent`).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, _context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let removed = device.removed_event();
    /// assert!(!removed.is_set());
    /// // std::thread::spawn(move || if removed.wait(None) { restart() });
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "RegisterDeviceRemovedEvent")]
    pub fn removed_event(&self) -> DeviceRemovedEvent {
        DeviceRemovedEvent { removal: self.core.link.removal.clone() }
    }

    /// Sets the errors that raise exceptions in Direct3D (D3D11: `ID3D11Device::SetExceptionMode`).
    ///
    /// The flags are stored but have no effect, because a driver error removes the device instead.
    #[doc(alias = "SetExceptionMode")]
    pub fn set_exception_mode(&self, flags: RaiseFlags) {
        self.core.exception_mode.store(flags.bits(), Ordering::Relaxed);
    }

    /// Returns the flags that were set last (D3D11: `ID3D11Device::GetExceptionMode`).
    #[doc(alias = "GetExceptionMode")]
    pub fn exception_mode(&self) -> RaiseFlags {
        RaiseFlags::from_bits_retain(self.core.exception_mode.load(Ordering::Relaxed))
    }

    /// Fails unless the object belongs to this device.
    pub(crate) fn own(&self, shared: &ObjectShared) -> Result<(), Error> {
        if shared.is_of(&self.core) {
            Ok(())
        } else {
            Err(Error::InvalidArg(format!(
                "{} was made by another device; objects belong to the device that created them",
                shared.name()
            )))
        }
    }
}

attachments!(Device);

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device")
            .field("adapter", &self.core.adapter.name)
            .field("feature_level", &self.core.feature_level)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.core, &other.core)
    }
}

impl Eq for Device {}
