//! Draws the pictures of programs without a window, and compares them with stored pictures.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use image::{Rgb, RgbImage};

/// Whether an adapter is available, failing the test if none is, unless `ONZE_ALLOW_NO_GPU` is set.
pub(crate) fn has_adapter() -> bool {
    if !onze::enumerate_adapters().is_empty() {
        return true;
    }
    assert!(std::env::var_os("ONZE_ALLOW_NO_GPU").is_some(), "there is no adapter to draw with");
    println!("not run: there is no adapter to draw with");
    false
}

/// Asserts that a program's debug layer reported no messages, except for two: that rendering falls back to
/// the CPU, and that `device_lost` loses its device.
#[track_caller]
pub(crate) fn assert_silent(program: &Command, output: &Output) {
    let loses_device = program.get_program().to_string_lossy().contains("device_lost");
    let is_expected = |line: &str| {
        line.contains("Warning SoftwareAdapter") || (loses_device && line.contains("Error DeviceRemoved"))
    };
    let words = String::from_utf8_lossy(&output.stderr);
    let said = words.lines().filter(|line| line.starts_with("onze:") && !is_expected(line));
    assert_eq!(said.collect::<Vec<_>>(), [""; 0], "{program:?}");
}

/// Runs a program that writes a picture to a new folder, and returns the picture and the program's output.
#[track_caller]
pub(crate) fn draw(program: &mut Command, name: &str) -> (RgbImage, Output) {
    // Tests in one process may draw pictures with the same name at the same time.
    static DRAWN: AtomicU32 = AtomicU32::new(0);
    let number = DRAWN.fetch_add(1, Ordering::Relaxed);
    let folder = format!("{name}-{}-{number}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let file = folder.join("picture.png");
    let output = program.arg("--out").arg(&file).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program:?}\n{words}");
    assert_silent(program, &output);
    let picture = image::open(&file).unwrap().into_rgb8();
    std::fs::remove_dir_all(&folder).unwrap();
    (picture, output)
}

/// Counts the pixels that differ visibly, or all pixels if the sizes differ.
pub(crate) fn differing(a: &RgbImage, b: &RgbImage) -> usize {
    if a.dimensions() != b.dimensions() {
        return a.pixels().len();
    }
    let differs = |(a, b): &(&Rgb<u8>, &Rgb<u8>)| (0..3).any(|c| a[c].abs_diff(b[c]) > 4);
    a.pixels().zip(b.pixels()).filter(differs).count()
}

/// Fails unless a picture looks like the stored picture. Adapters filter and round differently, so up to a
/// hundredth of the pixels may differ. If `ONZE_UPDATE_REFERENCES` is set, a picture that differs replaces
/// the stored picture instead.
#[track_caller]
pub(crate) fn assert_reference(reference: &Path, actual: &RgbImage) {
    let expected = image::open(reference).unwrap_or_default().into_rgb8();
    let others = differing(actual, &expected);
    if others * 100 <= actual.pixels().len() {
        return;
    }
    if std::env::var_os("ONZE_UPDATE_REFERENCES").is_some() {
        actual.save(reference).unwrap();
        return;
    }
    let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join(reference.file_name().unwrap());
    actual.save(&written).unwrap();
    panic!("{others} pixels differ from {}: see {}", reference.display(), written.display());
}
