//! The device: it makes every object. D3D11: `ID3D11Device`.
//!
//! The calls that make objects stand beside the objects, as `impl Device`.

use std::sync::{Arc, atomic::Ordering};

use onze_ddi::{AdapterInfo, CreateDeviceFlags, FeatureLevel, Format, FormatSupport, FormatSupport2, Label};

use crate::{
    device_core::{
        Attachments, CoreShard, CoreShards, DeviceCore, DeviceRemovedEvent, ObjectShared, attachments,
    },
    report::{Error, InfoQueue},
};

bitflags::bitflags! {
    /// Errors that could raise exceptions. D3D11: `D3D11_RAISE_FLAG`, with its values.
    #[doc(alias = "D3D11_RAISE_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct RaiseFlags: u32 {
        /// An error within the driver. `D3D11_RAISE_FLAG_DRIVER_INTERNAL_ERROR`.
        #[doc(alias = "D3D11_RAISE_FLAG_DRIVER_INTERNAL_ERROR")]
        const DRIVER_INTERNAL_ERROR = 1;
    }
}

bitflags::bitflags! {
    /// Of which textures quality levels are asked. D3D11.2: `D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_FLAG`, with its
    /// values.
    #[doc(alias = "D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_FLAG")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct CheckMultisampleQualityLevelsFlags: u32 {
        /// Tiled ones. `D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_TILED_RESOURCE`.
        #[doc(alias = "D3D11_CHECK_MULTISAMPLE_QUALITY_LEVELS_TILED_RESOURCE")]
        const TILED_RESOURCE = 1;
    }
}

/// D3D11: `D3D11_MAX_MULTISAMPLE_SAMPLE_COUNT`.
const MAX_SAMPLES: u32 = 32;

/// Makes resources, views, states, shaders, queries and deferred contexts, from any thread.
///
/// D3D11: `ID3D11Device`. A cheap clone. The device lives as long as anything that it made.
#[doc(alias = "ID3D11Device")]
#[derive(Clone)]
pub struct Device {
    pub(crate) core: Arc<DeviceCore>,
    shards: Arc<CoreShards>,
    /// The name of what is made through this value.
    new_name: Option<Arc<str>>,
}

impl Device {
    pub(crate) fn from_core(core: &Arc<DeviceCore>) -> Self {
        Self { core: core.clone(), shards: core.shards(), new_name: None }
    }

    /// What the objects hold that the calling thread makes.
    pub(crate) fn here(&self) -> &Arc<CoreShard> {
        self.shards.here()
    }

    /// The same device, which names all that is made through this value. D3D11: `SetPrivateData` with
    /// `WKPDID_D3DDebugObjectName`.
    ///
    /// Messages, errors and graphics debuggers show the name. It works with every call that makes something; a label
    /// in a descriptor goes before it. Views have the name of their resource. Equal state objects are one object, which
    /// keeps its first name.
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

    /// The name of an object whose descriptor has none; empty without one.
    pub(crate) fn new_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or("")
    }

    /// Puts the name that the object would have had before the reason of an error.
    pub(super) fn named(&self, error: Error) -> Error {
        match self.new_name() {
            "" => error,
            name => error.about(format_args!("\"{name}\"")),
        }
    }

    /// The label of a resource whose descriptor has none; `None` if the descriptor is right as it is.
    pub(super) fn missing_label(&self, own: &Label) -> Option<Label> {
        let label = self.new_name.as_deref().filter(|_| own.is_none())?;
        Some(Some(label.to_owned().into()))
    }

    /// The adapter that draws. DXGI: `IDXGIDevice::GetAdapter` and its `GetDesc`.
    #[doc(alias = "GetAdapter")]
    pub fn adapter(&self) -> &AdapterInfo {
        &self.core.adapter
    }

    /// The level that was granted. D3D11: `ID3D11Device::GetFeatureLevel`.
    #[doc(alias = "GetFeatureLevel")]
    pub fn feature_level(&self) -> FeatureLevel {
        self.core.feature_level
    }

    /// The flags of the [descriptor](crate::DeviceDesc) that the device was made with.
    /// D3D11: `ID3D11Device::GetCreationFlags`.
    #[doc(alias = "GetCreationFlags")]
    pub fn creation_flags(&self) -> CreateDeviceFlags {
        self.core.flags
    }

    /// The debug layer's messages. D3D11: `ID3D11InfoQueue`.
    #[doc(alias = "ID3D11InfoQueue")]
    pub fn info_queue(&self) -> &InfoQueue {
        self.core.info()
    }

    /// What can be done with a format; empty for nothing. D3D11: `ID3D11Device::CheckFormatSupport`.
    #[doc(alias = "CheckFormatSupport")]
    pub fn check_format_support(&self, format: Format) -> FormatSupport {
        let _serial = self.core.serial.enter();
        self.core.funcs().check_format_support(format)
    }

    /// What shaders can do with a format through unordered-access views, and what else later versions of Direct3D 11
    /// ask; empty for nothing. D3D11: `D3D11_FEATURE_FORMAT_SUPPORT2`.
    #[doc(alias = "D3D11_FEATURE_FORMAT_SUPPORT2")]
    pub fn check_format_support2(&self, format: Format) -> FormatSupport2 {
        let _serial = self.core.serial.enter();
        self.core.funcs().check_format_support2(format)
    }

    /// Quality levels of targets of a format with a number of samples: 1 if there are such textures, else 0, as without a
    /// format and for more than 32 samples. D3D11: `ID3D11Device::CheckMultisampleQualityLevels`.
    ///
    /// 1 and 4 samples work with most formats; 2, 8 and 16 depend on the adapter. Of a typeless format, the count works
    /// for a colour target and for a depth-stencil target.
    #[doc(alias = "CheckMultisampleQualityLevels")]
    pub fn check_multisample_quality_levels(&self, format: Format, sample_count: u32) -> u32 {
        if format == Format::UNKNOWN || !(1..=MAX_SAMPLES).contains(&sample_count) {
            return 0;
        }
        let _serial = self.core.serial.enter();
        self.core.funcs().check_multisample_quality_levels(format, sample_count)
    }

    /// As [`check_multisample_quality_levels`](Self::check_multisample_quality_levels); 0 for tiled resources, which do not
    /// exist. D3D11.2: `ID3D11Device2::CheckMultisampleQualityLevels1`.
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

    /// The driver's own object, by which an application that names the driver's crate reaches what lies below it:
    /// with `onze_wgpu`, wgpu's objects (`interop`) and the pipeline cache. No D3D11 counterpart.
    ///
    /// Only the driver knows what is in it. It does not keep the device.
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
    /// // What is drawn, or prepared with `prepare_draw`, is now compiled with it.
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

    /// Why the device was removed, or `Ok`. D3D11: `ID3D11Device::GetDeviceRemovedReason`.
    ///
    /// # Errors
    /// [`Error::DeviceRemoved`] with the reason in words.
    #[doc(alias = "GetDeviceRemovedReason")]
    pub fn get_device_removed_reason(&self) -> Result<(), Error> {
        self.core.check_removed()
    }

    /// Tells when the device is removed, to threads and tasks that wait for it.
    /// D3D11.4: `ID3D11Device4::RegisterDeviceRemovedEvent`.
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

    /// Says which errors should raise exceptions. D3D11: `ID3D11Device::SetExceptionMode`.
    ///
    /// The flags are kept and do nothing: an error of the driver removes the device.
    #[doc(alias = "SetExceptionMode")]
    pub fn set_exception_mode(&self, flags: RaiseFlags) {
        self.core.exception_mode.store(flags.bits(), Ordering::Relaxed);
    }

    /// The flags that were set last. D3D11: `ID3D11Device::GetExceptionMode`.
    #[doc(alias = "GetExceptionMode")]
    pub fn exception_mode(&self) -> RaiseFlags {
        RaiseFlags::from_bits_retain(self.core.exception_mode.load(Ordering::Relaxed))
    }

    /// An error unless the object is of this device.
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
