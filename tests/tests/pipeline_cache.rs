//! wgpu's pipeline cache in a file, where draws must produce the same picture whether the cache is used or
//! refused.
#![allow(unsafe_code, reason = "the line that an application with a cache of pipelines has")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use onze::prelude::*;
use onze_tests::{Config, Harness, Quad, Target, drawing::assert_all, on_each, watched_device};
use onze_wgpu::{
    interop,
    pipeline_cache::{PipelineCacheFile, PipelineCacheStatus as Status},
};

const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

/// A folder for the files of one test, removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("onze-cache-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("pipelines")
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn open(path: impl AsRef<Path>, device: &Device) -> io::Result<PipelineCacheFile> {
    PipelineCacheFile::open(path.as_ref(), &device.driver_object(), |device, desc| {
        // Safety: the driver receives only data that this test's devices have saved, and the driver or wgpu
        // refuses a file that a test has modified.
        unsafe { device.create_pipeline_cache(desc) }
    })
}

/// Draws a picture with an application's pipeline, and generates its mips with one of the driver's own
/// pipelines.
fn draw(h: &mut Harness) -> Vec<u32> {
    let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 16, 16));
    target.bind(&mut h.immediate);
    quad.draw(&mut h.immediate, GREEN);
    let desc = Texture2dDesc {
        bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
        misc_flags: MiscFlags::GENERATE_MIPS,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 16, 16)
    };
    let mips = h.device.create_texture_2d(&desc, None).unwrap();
    let view = h.device.create_shader_resource_view(&mips, None).unwrap();
    h.immediate.copy_subresource_region(&mips, 0, [0; 3], &target.texture, 0, None);
    h.immediate.generate_mips(&view);
    let mut texels = target.read(h);
    texels.extend(h.read_u32(&mips, 4));
    h.immediate.clear_state();
    assert_all(&texels, 0xff00_ff00, "target and smallest mip");
    texels
}

#[test]
fn a_saved_cache_is_loaded_and_draws_the_same() {
    let folder = Folder::new();
    let (mut pictures, mut saved) = (Vec::new(), None);
    for _ in 0..2 {
        let Some(mut h) = Harness::start(Config::GPU) else { return };
        let cache = open(folder.file(), &h.device).unwrap();
        let expected = saved.map_or(Status::Missing, |bytes| Status::Loaded { bytes });
        assert_eq!(cache.status(), expected);
        pictures.push(draw(&mut h));
        saved = cache.save().unwrap();
        assert!(saved.is_some_and(|bytes| bytes >= 64), "{saved:?}: wgpu has a header at least");
        assert_eq!(folder.names(), ["pipelines"], "no temporary file is left");
        h.finish();
        assert_eq!(cache.save().unwrap(), None, "the device is gone");
    }
    assert_eq!(pictures[0], pictures[1]);
}

#[test]
fn saving_waits_for_prepared_pipelines() {
    let Some(mut h) = Harness::start(Config::GPU) else { return };
    h.watch.expect(&[MessageId::DrawNothingWritten]);
    let folder = Folder::new();
    let cache = open(folder.file(), &h.device).unwrap();
    let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 4, 4));
    target.bind(&mut h.immediate);
    quad.bind(&mut h.immediate);
    for round in 0..20 {
        for channels in 0..16 {
            let mut desc = BlendDesc { alpha_to_coverage_enable: round % 2 == 0, ..BlendDesc::default() };
            desc.render_target[0].render_target_write_mask = ColorWrite::from_bits_truncate(channels);
            let state = h.device.create_blend_state(&desc).unwrap();
            h.immediate.om_set_blend_state(&state, [1.0; 4], u32::MAX);
            h.immediate.prepare_draw();
        }
        h.immediate.flush();
        if cache.save().unwrap().is_some() {
            assert_eq!(h.device.statistics().pipelines_compiling, 0, "round {round}");
        }
    }
    drop((quad, target));
    h.finish();
}

/// Updates the checksum of a file with a modified header.
fn seal(file: &mut [u8]) {
    file[40..48].fill(0);
    let sum = file.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    file[40..48].copy_from_slice(&sum.to_ne_bytes());
}

/// A description of the damage, the function that damages a file, and the status of the cache that opens the
/// file.
type Damage = (&'static str, fn(&mut Vec<u8>), Status);

const DAMAGES: [Damage; 11] = [
    ("nothing in it", Vec::clear, Status::Truncated),
    ("half a header", |file| file.truncate(20), Status::Truncated),
    ("the last byte is missing", |file| file.truncate(file.len() - 1), Status::Truncated),
    ("something follows", |file| file.push(0), Status::Corrupted),
    ("a text", |file| *file = b"no cache. ".repeat(20), Status::Corrupted),
    ("a flipped bit of the contents", |file| file[90] ^= 4, Status::Corrupted),
    ("a flipped bit of the last byte", |file| *file.last_mut().unwrap() ^= 128, Status::Corrupted),
    ("a flipped bit of the checksum", |file| file[44] ^= 1, Status::Corrupted),
    (
        "another adapter",
        |file| {
            file[24] ^= 1;
            seal(file);
        },
        Status::DeviceMismatch,
    ),
    (
        "another driver",
        |file| {
            file[32] ^= 1;
            seal(file);
        },
        Status::Outdated,
    ),
    // This byte is part of the key that identifies the driver to wgpu.
    (
        "another build of the driver",
        |file| {
            file[48 + 32] ^= 1;
            seal(file);
        },
        Status::Outdated,
    ),
];

#[test]
fn a_damaged_cache_file_is_refused_and_rewritten() {
    on_each(&[Config::GPU], |h| {
        let folder = Folder::new();
        let path = folder.file();
        let bytes = open(&path, &h.device).unwrap().save().unwrap().unwrap();
        let good = fs::read(&path).unwrap();
        for (what, damage, status) in DAMAGES {
            let mut file = good.clone();
            damage(&mut file);
            fs::write(&path, file).unwrap();
            let cache = open(&path, &h.device).unwrap();
            assert_eq!(cache.status(), status, "{what}");
            draw(h);
            cache.save().unwrap();
            assert_eq!(open(&path, &h.device).unwrap().status(), Status::Loaded { bytes }, "after {what}");
        }
        assert!(fs::read(&path).unwrap() == good, "the same pipelines are the same file here");
        let mut same = good.clone();
        seal(&mut same);
        assert!(same == good, "the test's checksum differs from the library's");
    });
}

#[test]
fn devices_without_a_pipeline_cache_still_draw() {
    for driver_type in [DriverType::Null, DriverType::Custom(onze_wgpu::noop_driver())] {
        let desc = DeviceDesc { driver_type, ..Config::NULL.desc() };
        let mut h = Harness::start_with(Config::NULL, &desc).unwrap();
        let folder = Folder::new();
        let cache = PipelineCacheFile::open(folder.file(), &h.device.driver_object(), |_, _| {
            unreachable!("there is nothing to promise")
        });
        let cache = cache.unwrap();
        assert_eq!(cache.status(), Status::Unsupported, "{:?}", desc.driver_type);
        let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 16, 16));
        target.bind(&mut h.immediate);
        quad.draw(&mut h.immediate, GREEN);
        h.immediate.flush();
        assert_eq!(cache.save().unwrap(), None);
        assert_eq!(folder.names(), [""; 0]);
        drop((quad, target));
        h.finish();
    }
}

#[test]
fn file_system_errors_name_the_cache_file() {
    on_each(&[Config::GPU], |h| {
        let folder = Folder::new();
        let error = open(&folder.0, &h.device).unwrap_err().to_string();
        assert!(error.contains(folder.0.to_str().unwrap()), "{error}");
        let path = folder.0.join("missing").join("pipelines");
        let cache = open(&path, &h.device).unwrap();
        assert_eq!(cache.status(), Status::Missing);
        let error = cache.save().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        // A folder has the file's name, so the temporary file can be written but not renamed.
        let cache = open(folder.file(), &h.device).unwrap();
        fs::create_dir(folder.file()).unwrap();
        cache.save().unwrap_err();
        assert_eq!(folder.names(), ["pipelines"], "no temporary file is left");
        draw(h);
    });
}

#[test]
fn another_device_s_cache_is_refused_and_nothing_is_lost() {
    // Both devices use the same adapter, but each has its own wgpu device.
    let mut adapters = enumerate_adapters();
    adapters.sort_by_key(|adapter| adapter.info().kind != AdapterKind::Software);
    let desc = DeviceDesc { adapter: adapters.into_iter().next(), ..Config::GPU.desc() };
    let Some(mut h) = Harness::start_with(Config::GPU, &desc) else { return };
    let (_watch, other, immediate) = watched_device(&desc).unwrap();
    let (wgpu, _) = interop::device_and_queue(&other.driver_object()).unwrap();
    let folder = Folder::new();
    let result = PipelineCacheFile::open(folder.file(), &h.device.driver_object(), |_, desc| {
        // Safety: the file does not exist, so no bytes are passed.
        unsafe { wgpu.create_pipeline_cache(desc) }
    });
    let error = result.unwrap_err().to_string();
    assert!(error.contains(folder.file().to_str().unwrap()), "{error}");
    draw(&mut h);
    h.finish();
    drop((other, immediate));
}
