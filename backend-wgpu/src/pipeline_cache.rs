//! Stores wgpu's pipeline cache in a file, so that the next run of an application compiles fewer pipelines.
//!
//! The file helps where GPU drivers leave caching to the application, as many do on Android. Most desktop
//! drivers store compiled pipelines in their own files. Mesa also does this for llvmpipe, whose data for this
//! file is only a header of 96 bytes and saves no time. wgpu supports the cache on Vulkan only, so on other
//! backends the file is neither read nor written, and the same program works without it. To choose the
//! pipelines that are compiled while a game loads, use `onze::DeviceContext::prepare_draw`.
//!
//! # The application's promise
//!
//! A Vulkan driver may trust the bytes of a cache as it trusts its own code, so
//! [`wgpu::Device::create_pipeline_cache`] is unsafe: the caller promises that the bytes came from
//! [`wgpu::PipelineCache::get_data`]. A [`PipelineCacheFile`] passes contents to the driver only if their
//! header and checksum show that they are complete, unchanged, and made by the same adapter and driver. This
//! does not protect against an attacker, because anyone who can write to the file can also write a valid
//! header. The unsafe call is left to the application, because the application chose the path and only it can
//! know that nobody else writes there. A suitable path is in the user's own cache folder. Folders that other
//! users can write to, and files that came with a download, are unsuitable.
//!
//! ```
//! use onze_ddi::DriverObject;
//! use onze_wgpu::pipeline_cache::PipelineCacheFile;
//!
//! /// Call right after the device was created. `device` is the result of `onze::Device::driver_object`.
//! fn load(device: &DriverObject, path: &str) -> std::io::Result<PipelineCacheFile> {
//!     let cache = PipelineCacheFile::open(path, device, |device, desc| {
//!         // Safety: the path is in the user's folder for caches, and only this program writes there.
//!         unsafe { device.create_pipeline_cache(desc) }
//!     })?;
//!     println!("the pipeline cache: {:?}", cache.status());
//!     Ok(cache)
//! }
//!
//! /// Call when the game has loaded, and before the device is dropped.
//! fn save(cache: &PipelineCacheFile) {
//!     match cache.save() {
//!         Ok(Some(bytes)) => println!("{bytes} bytes for the next start"),
//!         Ok(None) => println!("nothing to save"),
//!         Err(error) => println!("the next start compiles all again: {error}"),
//!     }
//! }
//! ```

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
};

use bytemuck::{Pod, Zeroable};
use onze_ddi::{CreateError, DriverObject};

use crate::{
    device::Device,
    interop,
    services::{gpu::Gpu, sync::thread_number},
};

const MAGIC: [u8; 8] = *b"ONZEPIPE";

/// Format number of the header, to be increased whenever the header changes.
const FORMAT: u64 = 1;

/// Result of reading the file. With any result except [`Loaded`](Self::Loaded), the cache starts empty.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PipelineCacheStatus {
    /// The contents that an earlier run of the application saved were passed to the driver.
    Loaded {
        /// Size of the contents that were passed to the driver, in bytes.
        bytes: usize,
    },
    /// There is no file, for example in the application's first run.
    Missing,
    /// The file is shorter than its header states, or too short for a header.
    Truncated,
    /// The contents do not match the checksum, or the file is not a pipeline cache.
    Corrupted,
    /// The file was written with another version of the driver or of this crate.
    Outdated,
    /// The file was written for another adapter.
    DeviceMismatch,
    /// The backend has no pipeline cache or the device belongs to another driver, so the file was not read.
    Unsupported,
}

/// Identifies the adapter and the driver that a cache is valid for, as hashes because the descriptions are
/// only compared.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct CacheOrigin {
    adapter: u64,
    driver: u64,
}

impl CacheOrigin {
    /// Returns `None` if the backend lacks a pipeline cache. wgpu supports the cache on Vulkan only.
    fn new(info: &wgpu::AdapterInfo) -> Option<Self> {
        let adapter = wgpu::util::pipeline_cache_key(info)?;
        let wgpu::AdapterInfo { name, driver, driver_info, .. } = info;
        // The hash includes the pointer size, because 64-bit builds of some drivers have accepted caches of
        // 32-bit builds.
        let (version, bits) = (env!("CARGO_PKG_VERSION"), usize::BITS);
        let driver = format!("{name}\n{driver}\n{driver_info}\n{version}\n{bits}");
        Some(Self { adapter: fnv(adapter.as_bytes()), driver: fnv(driver.as_bytes()) })
    }
}

/// Precedes the contents in the file, in the machine's byte order.
#[derive(Copy, Clone, Pod, Zeroable)]
#[repr(C)]
struct CacheHeader {
    magic: [u8; 8],
    format: u64,
    /// Length of the contents in bytes, without this header.
    length: u64,
    adapter: u64,
    driver: u64,
    /// Checksum of the header, with this field set to 0, and of the contents.
    checksum: u64,
}

impl CacheHeader {
    fn new(origin: CacheOrigin, contents: &[u8]) -> Self {
        let CacheOrigin { adapter, driver } = origin;
        let length = contents.len() as u64;
        let header = Self { magic: MAGIC, format: FORMAT, length, adapter, driver, checksum: 0 };
        Self { checksum: header.sum(contents), ..header }
    }

    fn sum(self, contents: &[u8]) -> u64 {
        let header = Self { checksum: 0, ..self };
        let start = fnv(bytemuck::bytes_of(&header));
        fnv_more(start, contents)
    }
}

/// Computes an FNV-1a hash, which does not depend on the version of Rust and changes with any single byte.
fn fnv(bytes: &[u8]) -> u64 {
    fnv_more(0xcbf2_9ce4_8422_2325, bytes)
}

fn fnv_more(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns the contents of a file, or the status that explains why they cannot be used.
fn contents(file: &[u8], origin: CacheOrigin) -> Result<&[u8], PipelineCacheStatus> {
    const LENGTH: usize = size_of::<CacheHeader>();
    let (header, contents) = file.split_first_chunk::<LENGTH>().ok_or(PipelineCacheStatus::Truncated)?;
    let header: CacheHeader = bytemuck::cast(*header);
    let length = contents.len() as u64;
    if header.magic != MAGIC {
        Err(PipelineCacheStatus::Corrupted)
    } else if header.format != FORMAT {
        Err(PipelineCacheStatus::Outdated)
    } else if length < header.length {
        Err(PipelineCacheStatus::Truncated)
    } else if length > header.length || header.checksum != header.sum(contents) {
        Err(PipelineCacheStatus::Corrupted)
    } else if header.adapter != origin.adapter {
        Err(PipelineCacheStatus::DeviceMismatch)
    } else if header.driver != origin.driver {
        Err(PipelineCacheStatus::Outdated)
    } else {
        Ok(contents)
    }
}

/// A device's pipeline cache and the file that it is loaded from and saved to.
#[derive(Debug)]
pub struct PipelineCacheFile {
    path: PathBuf,
    status: PipelineCacheStatus,
    cache: Option<(wgpu::PipelineCache, CacheOrigin)>,
    device: Weak<Device>,
}

impl PipelineCacheFile {
    /// Loads a file's contents for a device. Any thread may call this. Afterwards, all of the device's
    /// pipelines are compiled with this cache, which replaces any cache opened earlier for the same device.
    /// Pipelines that were compiled before the call are not added to the cache, so call this right after the
    /// device is created.
    ///
    /// `device` is the result of `onze::Device::driver_object`. `create` makes the application's
    /// [promise](self#the-applications-promise): `|device, desc| unsafe { device.create_pipeline_cache(desc)
    /// }`. It is called once, and a second time if wgpu rejects the file's contents, but it is not called if
    /// the status is [`Unsupported`](PipelineCacheStatus::Unsupported). It must use the device in its
    /// argument, because wgpu panics if the cache belongs to another wgpu instance.
    ///
    /// # Errors
    /// Returns an error that names the file if the file exists but cannot be read. Also fails if the device
    /// rejects the cache, because the cache belongs to another device, memory is exhausted, or the device is
    /// lost. In all these cases, the device keeps its previous cache.
    pub fn open(
        path: impl Into<PathBuf>,
        device: &DriverObject,
        create: impl Fn(&wgpu::Device, &wgpu::PipelineCacheDescriptor<'_>) -> wgpu::PipelineCache,
    ) -> io::Result<Self> {
        let path = path.into();
        let Some((device, origin)) = interop::device(device).and_then(|device| {
            let has = device.gpu.features.contains(wgpu::Features::PIPELINE_CACHE);
            let origin = CacheOrigin::new(&device.gpu.info).filter(|_| has)?;
            Some((device, origin))
        }) else {
            let (status, device) = (PipelineCacheStatus::Unsupported, Weak::new());
            return Ok(Self { path, status, cache: None, device });
        };
        let file = match fs::read(&path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(at(&path, "cannot be read", error.kind(), &error)),
        };
        let found = file.as_deref().map_or(Err(PipelineCacheStatus::Missing), |file| contents(file, origin));
        let (status, cache) = match found {
            Err(status) => (status, make(&device.gpu, None, &create)),
            Ok(data) => match make(&device.gpu, Some(data), &create) {
                Ok(cache) => (PipelineCacheStatus::Loaded { bytes: data.len() }, Ok(cache)),
                // wgpu also checks properties of the driver that the adapter's description does not contain.
                Err(_) => (PipelineCacheStatus::Outdated, make(&device.gpu, None, &create)),
            },
        };
        let no_cache = "cannot be used";
        let cache = cache.map_err(|error| at(&path, no_cache, io::ErrorKind::Other, &error))?;
        tracing::info!("the pipeline cache {}: {status:?}", path.display());
        device.gpu.pipeline_cache.store(Some(Arc::new(cache.clone())));
        Ok(Self { path, status, cache: Some((cache, origin)), device: Arc::downgrade(&device) })
    }

    /// Returns the result of reading the file, which saving the cache does not change.
    pub fn status(&self) -> PipelineCacheStatus {
        self.status
    }

    /// Saves the loaded pipelines and all pipelines compiled since. Any thread may call this, even while
    /// other threads draw. Returns the size of the contents in bytes, without the header, or `None` if there
    /// is nothing to save, because the backend has no pipeline cache or the device no longer exists.
    ///
    /// The call waits for pipelines that are still being compiled for flushed draws and flushed prepared
    /// draws. The file is first written under a temporary name and then renamed, so an interrupted save does
    /// not damage the old file. The file's folder must exist.
    ///
    /// # Errors
    /// Returns an error that names the file if it cannot be written, in which case the old file remains
    /// unchanged.
    pub fn save(&self) -> io::Result<Option<usize>> {
        let Some((cache, origin)) = &self.cache else { return Ok(None) };
        self.device.upgrade().inspect(|device| device.encoding.compilers.finish());
        let Some(data) = cache.get_data() else { return Ok(None) };
        let header = CacheHeader::new(*origin, &data);
        let file = [bytemuck::bytes_of(&header), &data].concat();
        // The temporary name is unique, because another thread or process of the application may be saving at
        // the same time.
        let mut beside = self.path.clone().into_os_string();
        beside.push(format!(".{}-{}.tmp", std::process::id(), thread_number()));
        let written = fs::write(&beside, file).and_then(|()| fs::rename(&beside, &self.path));
        written.map_err(|error| {
            // An error here is ignored, because the temporary file may not exist.
            drop(fs::remove_file(&beside));
            at(&self.path, "cannot be written", error.kind(), &error)
        })?;
        Ok(Some(data.len()))
    }
}

fn at(path: &Path, what: &str, kind: io::ErrorKind, error: &dyn std::error::Error) -> io::Error {
    io::Error::new(kind, format!("the pipeline cache {} {what}: {error}", path.display()))
}

/// Calls `create` for a cache and checks that the device accepts it.
fn make(
    gpu: &Gpu,
    data: Option<&[u8]>,
    create: &impl Fn(&wgpu::Device, &wgpu::PipelineCacheDescriptor<'_>) -> wgpu::PipelineCache,
) -> Result<wgpu::PipelineCache, CreateError> {
    let desc = wgpu::PipelineCacheDescriptor { label: Some("pipelines"), data, fallback: false };
    gpu.validated(|| {
        let device = &gpu.device;
        let cache = create(device, &desc);
        // wgpu does not reject another device's cache until something is compiled with it.
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: desc.label,
            source: wgpu::ShaderSource::Wgsl("@compute @workgroup_size(1) fn main() {}".into()),
        });
        drop(device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: desc.label,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: Some(&cache),
        }));
        cache
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use PipelineCacheStatus::{Corrupted, DeviceMismatch, Outdated, Truncated};

    const CONTENTS: &[u8] = b"what a driver has compiled";

    fn adapter() -> wgpu::AdapterInfo {
        wgpu::AdapterInfo {
            vendor: 1,
            device: 2,
            name: "adapter".into(),
            driver: "driver".into(),
            driver_info: "1.2.3".into(),
            ..wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Vulkan)
        }
    }

    fn file(origin: CacheOrigin) -> Vec<u8> {
        [bytemuck::bytes_of(&CacheHeader::new(origin, CONTENTS)), CONTENTS].concat()
    }

    #[test]
    fn a_file_is_read_by_whom_it_was_written_for() {
        let origin = CacheOrigin::new(&adapter()).unwrap();
        assert_eq!(contents(&file(origin), origin), Ok(CONTENTS));
        let a = adapter;
        for (other, why) in [
            (wgpu::AdapterInfo { vendor: 7, ..a() }, DeviceMismatch),
            (wgpu::AdapterInfo { device: 7, ..a() }, DeviceMismatch),
            (wgpu::AdapterInfo { name: "another".into(), ..a() }, Outdated),
            (wgpu::AdapterInfo { driver: "another".into(), ..a() }, Outdated),
            (wgpu::AdapterInfo { driver_info: "1.2.4".into(), ..a() }, Outdated),
        ] {
            assert_eq!(contents(&file(CacheOrigin::new(&other).unwrap()), origin), Err(why), "{other:?}");
        }
        for backend in [wgpu::Backend::Noop, wgpu::Backend::Gl, wgpu::Backend::Metal, wgpu::Backend::Dx12] {
            assert_eq!(CacheOrigin::new(&wgpu::AdapterInfo { backend, ..a() }), None, "{backend:?}");
        }
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_truncated() {
        let origin = CacheOrigin::new(&adapter()).unwrap();
        let mut file = file(origin);
        for length in 0..file.len() {
            assert_eq!(contents(&file[..length], origin), Err(Truncated), "{length} bytes");
        }
        file.push(0);
        assert_eq!(contents(&file, origin), Err(Corrupted));
    }

    #[test]
    fn no_bit_can_be_flipped() {
        let origin = CacheOrigin::new(&adapter()).unwrap();
        let good = file(origin);
        for (at, bit) in (0..good.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut file = good.clone();
            file[at] ^= 1 << bit;
            let found = contents(&file, origin);
            match at {
                // Bytes 8 to 15 are the format number, and bytes 16 to 23 are the length, which becomes too
                // large or too small.
                8..16 => assert_eq!(found, Err(Outdated), "bit {bit} of byte {at}"),
                16..24 => assert!(matches!(found, Err(Truncated | Corrupted)), "bit {bit} of byte {at}"),
                _ => assert_eq!(found, Err(Corrupted), "bit {bit} of byte {at}"),
            }
        }
    }

    /// Checks the source code of this crate, because on some adapters the saved data does not show whether a
    /// pipeline was compiled with the cache.
    #[test]
    fn no_pipeline_is_compiled_without_the_cache() {
        fn look(folder: &Path, compiled: &mut usize) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    if !path.ends_with("tests") {
                        look(&path, compiled);
                    }
                } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                    let count = |what: &str| code.matches(what).count();
                    let made = count(".create_render_pipeline(") + count(".create_compute_pipeline(");
                    let cached = count("pipeline_cache.load().as_deref()") + count("cache: Some(&cache)");
                    assert_eq!(made, cached, "{}", path.display());
                    *compiled += made;
                }
            }
        }
        let mut compiled = 0;
        look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut compiled);
        assert!(compiled >= 5, "{compiled}: the search finds them");
    }
}
