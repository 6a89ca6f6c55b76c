//! wgpu's pipeline cache in a file, so that the next start of an application compiles less.
//!
//! It pays where drivers leave this to the application, as many on Android do. Most desktop drivers keep what they
//! have compiled in files of their own. So does Mesa for llvmpipe, whose cache here is a header of 96 bytes and makes
//! nothing faster. wgpu has the cache on Vulkan; elsewhere the file is neither read nor written, and the same
//! program works. What is best compiled while a game loads is named by `onze::DeviceContext::prepare_draw`.
//!
//! # The application's promise
//!
//! A Vulkan driver may trust the bytes of a cache like its own code. So [`wgpu::Device::create_pipeline_cache`] is
//! unsafe: its caller promises that they came from [`wgpu::PipelineCache::get_data`]. A [`PipelineCacheFile`] asks
//! it for nothing but what a header and a checksum show to be whole, unchanged, and of the same adapter and driver.
//! But whoever can write to the file can write these as well. That nobody else does is known to the application
//! alone, which chose the path: so the unsafe call is a line of its own. A folder for caches that belongs to the user
//! is a good place; one that other users write to, or a file that came with a download, is none.
//!
//! ```
//! use onze_ddi::DriverObject;
//! use onze_wgpu::pipeline_cache::PipelineCacheFile;
//!
//! /// Right after the device was made; `device` is what `onze::Device::driver_object` answers.
//! fn load(device: &DriverObject, path: &str) -> std::io::Result<PipelineCacheFile> {
//!     let cache = PipelineCacheFile::open(path, device, |device, desc| {
//!         // Safety: the path is in the user's folder for caches, and only this program writes there.
//!         unsafe { device.create_pipeline_cache(desc) }
//!     })?;
//!     println!("the pipeline cache: {:?}", cache.status());
//!     Ok(cache)
//! }
//!
//! /// When the game has loaded, and before the device goes.
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

/// Changes with the header.
const FORMAT: u64 = 1;

/// What was found in the file. If nothing was [`Loaded`](Self::Loaded), the cache begins empty.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PipelineCacheStatus {
    /// What an earlier run compiled.
    Loaded {
        /// Bytes that the driver got.
        bytes: usize,
    },
    /// There is no file: the first start.
    Missing,
    /// The file ends too early.
    Truncated,
    /// The file is not what was written, or no pipeline cache at all.
    Corrupted,
    /// It is of another version of the driver or of this crate.
    Outdated,
    /// It is of another adapter.
    DeviceMismatch,
    /// There is no cache, as the backend has none or the device is another driver's. The file was not looked at.
    Unsupported,
}

/// What a cache is good for. Hashes, as nobody needs the words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Origin {
    adapter: u64,
    driver: u64,
}

impl Origin {
    /// `None` where the backend has no pipeline cache.
    fn new(info: &wgpu::AdapterInfo) -> Option<Self> {
        let adapter = wgpu::util::pipeline_cache_key(info)?;
        let wgpu::AdapterInfo { name, driver, driver_info, .. } = info;
        // Drivers have been known to take the caches of their 32-bit builds for those of 64.
        let (version, bits) = (env!("CARGO_PKG_VERSION"), usize::BITS);
        let driver = format!("{name}\n{driver}\n{driver_info}\n{version}\n{bits}");
        Some(Self { adapter: fnv(adapter.as_bytes()), driver: fnv(driver.as_bytes()) })
    }
}

/// What stands before the contents, in the byte order of the machine.
#[derive(Copy, Clone, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: u64,
    /// Of the contents, in bytes.
    length: u64,
    adapter: u64,
    driver: u64,
    /// Of the header, with 0 here, and the contents.
    checksum: u64,
}

impl Header {
    fn new(origin: Origin, contents: &[u8]) -> Self {
        let Origin { adapter, driver } = origin;
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

/// FNV-1a: the same in every version of Rust, and no single byte changes without it.
fn fnv(bytes: &[u8]) -> u64 {
    fnv_more(0xcbf2_9ce4_8422_2325, bytes)
}

fn fnv_more(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The contents of a file, or why it has none.
fn contents(file: &[u8], origin: Origin) -> Result<&[u8], PipelineCacheStatus> {
    const LENGTH: usize = size_of::<Header>();
    let (header, contents) = file.split_first_chunk::<LENGTH>().ok_or(PipelineCacheStatus::Truncated)?;
    let header: Header = bytemuck::cast(*header);
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
    /// `None` where there is no such thing.
    cache: Option<(wgpu::PipelineCache, Origin)>,
    device: Weak<Device>,
}

impl PipelineCacheFile {
    /// Loads what a file has for a device. All pipelines are compiled with it from now on, in place of the cache
    /// that was opened for the device before, if any. Those that were compiled earlier do not come into it: so this
    /// is best called right after the device was made. From any thread.
    ///
    /// `device` is what `onze::Device::driver_object` answers. `create` is the application's
    /// [promise](self#the-applications-promise): `|device, desc| unsafe { device.create_pipeline_cache(desc) }`. It
    /// is called once, and once more if wgpu refuses what the file has; where the answer is
    /// [`Unsupported`](PipelineCacheStatus::Unsupported), not at all. It must use the device that it gets: at a cache
    /// of another wgpu instance wgpu panics.
    ///
    /// # Errors
    /// The file is there and cannot be read; the text names it. Or the device takes no cache: the one that was
    /// created is another device's, the memory is spent, or the device is lost. Nothing has changed then.
    pub fn open(
        path: impl Into<PathBuf>,
        device: &DriverObject,
        create: impl Fn(&wgpu::Device, &wgpu::PipelineCacheDescriptor<'_>) -> wgpu::PipelineCache,
    ) -> io::Result<Self> {
        let path = path.into();
        let Some((device, origin)) = interop::device(device).and_then(|device| {
            let has = device.gpu.features.contains(wgpu::Features::PIPELINE_CACHE);
            let origin = Origin::new(&device.gpu.info).filter(|_| has)?;
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
                // wgpu knows more of the driver than it says in the adapter's words.
                Err(_) => (PipelineCacheStatus::Outdated, make(&device.gpu, None, &create)),
            },
        };
        let no_cache = "cannot be used";
        let cache = cache.map_err(|error| at(&path, no_cache, io::ErrorKind::Other, &error))?;
        tracing::info!("the pipeline cache {}: {status:?}", path.display());
        device.gpu.pipeline_cache.store(Some(Arc::new(cache.clone())));
        Ok(Self { path, status, cache: Some((cache, origin)), device: Arc::downgrade(&device) })
    }

    /// What was in the file.
    pub fn status(&self) -> PipelineCacheStatus {
        self.status
    }

    /// Saves what was loaded and what was compiled since. Answers the size of that in bytes, without the header;
    /// `None` when there is nothing: the backend has no pipeline cache, or the device is gone. From any thread, also
    /// while others draw.
    ///
    /// It waits for the pipelines that are being compiled: those of all that was drawn or prepared and flushed. The
    /// file is written beside its place and then renamed, so there is always a whole one. Its folder must exist.
    ///
    /// # Errors
    /// The file cannot be written; the text names it. The old one is as it was.
    pub fn save(&self) -> io::Result<Option<usize>> {
        let Some((cache, origin)) = &self.cache else { return Ok(None) };
        self.device.upgrade().inspect(|device| device.encoding.compilers.finish());
        let Some(data) = cache.get_data() else { return Ok(None) };
        let header = Header::new(*origin, &data);
        let file = [bytemuck::bytes_of(&header), &data].concat();
        // A name of its own, as another thread or process of the same application may save, too.
        let mut beside = self.path.clone().into_os_string();
        beside.push(format!(".{}-{}.tmp", std::process::id(), thread_number()));
        let written = fs::write(&beside, file).and_then(|()| fs::rename(&beside, &self.path));
        written.map_err(|error| {
            // It may not even be there.
            drop(fs::remove_file(&beside));
            at(&self.path, "cannot be written", error.kind(), &error)
        })?;
        Ok(Some(data.len()))
    }
}

/// An error that names its file.
fn at(path: &Path, what: &str, kind: io::ErrorKind, error: &dyn std::error::Error) -> io::Error {
    io::Error::new(kind, format!("the pipeline cache {} {what}: {error}", path.display()))
}

/// Has a cache made, and sees that the device takes it.
fn make(
    gpu: &Gpu,
    data: Option<&[u8]>,
    create: &impl Fn(&wgpu::Device, &wgpu::PipelineCacheDescriptor<'_>) -> wgpu::PipelineCache,
) -> Result<wgpu::PipelineCache, CreateError> {
    let desc = wgpu::PipelineCacheDescriptor { label: Some("pipelines"), data, fallback: false };
    gpu.validated(|| {
        let device = &gpu.device;
        let cache = create(device, &desc);
        // wgpu does not say before something is compiled that the cache is of another device.
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

    fn file(origin: Origin) -> Vec<u8> {
        [bytemuck::bytes_of(&Header::new(origin, CONTENTS)), CONTENTS].concat()
    }

    #[test]
    fn a_file_is_read_by_whom_it_was_written_for() {
        let origin = Origin::new(&adapter()).unwrap();
        assert_eq!(contents(&file(origin), origin), Ok(CONTENTS));
        let a = adapter;
        for (other, why) in [
            (wgpu::AdapterInfo { vendor: 7, ..a() }, DeviceMismatch),
            (wgpu::AdapterInfo { device: 7, ..a() }, DeviceMismatch),
            (wgpu::AdapterInfo { name: "another".into(), ..a() }, Outdated),
            (wgpu::AdapterInfo { driver: "another".into(), ..a() }, Outdated),
            (wgpu::AdapterInfo { driver_info: "1.2.4".into(), ..a() }, Outdated),
        ] {
            assert_eq!(contents(&file(Origin::new(&other).unwrap()), origin), Err(why), "{other:?}");
        }
        for backend in [wgpu::Backend::Noop, wgpu::Backend::Gl, wgpu::Backend::Metal, wgpu::Backend::Dx12] {
            assert_eq!(Origin::new(&wgpu::AdapterInfo { backend, ..a() }), None, "{backend:?}");
        }
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_truncated() {
        let origin = Origin::new(&adapter()).unwrap();
        let mut file = file(origin);
        for length in 0..file.len() {
            assert_eq!(contents(&file[..length], origin), Err(Truncated), "{length} bytes");
        }
        file.push(0);
        assert_eq!(contents(&file, origin), Err(Corrupted));
    }

    #[test]
    fn no_bit_can_be_flipped() {
        let origin = Origin::new(&adapter()).unwrap();
        let good = file(origin);
        for (at, bit) in (0..good.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut file = good.clone();
            file[at] ^= 1 << bit;
            let found = contents(&file, origin);
            match at {
                // A number of another format, whatever that is; and a length, longer or shorter.
                8..16 => assert_eq!(found, Err(Outdated), "bit {bit} of byte {at}"),
                16..24 => assert!(matches!(found, Err(Truncated | Corrupted)), "bit {bit} of byte {at}"),
                _ => assert_eq!(found, Err(Corrupted), "bit {bit} of byte {at}"),
            }
        }
    }

    /// Not every adapter shows by what it saves whether a pipeline was compiled with the cache.
    #[test]
    fn no_pipeline_is_compiled_without_the_cache() {
        fn look(folder: &Path, compiled: &mut usize) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    look(&path, compiled);
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
