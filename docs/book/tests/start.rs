//! The programs of the chapter "Start", and the port of "From D3D11 C++": each draws its picture without a window, and the
//! pictures of the chapter are those.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use image::RgbImage;

/// The ten steps, and the names of their pictures.
const STEPS: [(&str, &str); 10] = [
    (env!("CARGO_BIN_EXE_start_01_window"), "01_window"),
    (env!("CARGO_BIN_EXE_start_02_triangle"), "02_triangle"),
    (env!("CARGO_BIN_EXE_start_03_vertices"), "03_vertices"),
    (env!("CARGO_BIN_EXE_start_04_constants"), "04_constants"),
    (env!("CARGO_BIN_EXE_start_05_cube"), "05_cube"),
    (env!("CARGO_BIN_EXE_start_06_texture"), "06_texture"),
    (env!("CARGO_BIN_EXE_start_07_light"), "07_light"),
    (env!("CARGO_BIN_EXE_start_08_camera"), "08_camera"),
    (env!("CARGO_BIN_EXE_start_09_model"), "09_model"),
    (env!("CARGO_BIN_EXE_start_10_textured_model"), "10_textured_model"),
];

/// Whether there is something to draw with. Without it the test fails, unless that is allowed.
fn has_adapter() -> bool {
    if !onze::enumerate_adapters().is_empty() {
        return true;
    }
    assert!(std::env::var_os("ONZE_ALLOW_NO_GPU").is_some(), "there is no adapter to draw with");
    println!("not run: there is no adapter to draw with");
    false
}

/// The picture that a program draws of its first frame. The debug layer has nothing to say but that the processor draws.
fn picture(program: &str, name: &str) -> RgbImage {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    let output = Command::new(program).args(["--size", "480x270", "--out"]).arg(&path).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {words}");
    let said = words.lines().filter(|line| line.starts_with("onze:") && !line.contains("SoftwareAdapter"));
    assert_eq!(said.collect::<Vec<_>>(), [""; 0], "{name}");
    image::open(&path).unwrap().into_rgb8()
}

/// How many pixels are visibly another. All of them if the sizes differ.
fn differing(a: &RgbImage, b: &RgbImage) -> usize {
    if a.dimensions() != b.dimensions() {
        return a.pixels().len();
    }
    let differs = |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| (0..3).any(|c| a[c].abs_diff(b[c]) > 4);
    a.pixels().zip(b.pixels()).filter(differs).count()
}

#[test]
fn each_step_draws_the_picture_of_the_chapter() {
    if !has_adapter() {
        return;
    }
    let mut last: Option<RgbImage> = None;
    for (program, name) in STEPS {
        let actual = picture(program, name);
        let first = actual.get_pixel(0, 0);
        let is_plain = actual.pixels().all(|pixel| pixel == first);
        assert_eq!(is_plain, name == "01_window", "{name}: one colour");
        if let Some(last) = last.replace(actual.clone()) {
            assert!(differing(&last, &actual) > 1000, "{name} looks like the step before");
        }
        compare(name, &actual);
    }
}

/// Adapters filter and round in their own ways, so a hundredth of the pixels may be another.
/// `ONZE_UPDATE_REFERENCES` has the chapter's picture replaced where more are.
fn compare(name: &str, actual: &RgbImage) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/start/{name}.png"));
    let expected = image::open(&path).unwrap_or_default().into_rgb8();
    let others = differing(actual, &expected);
    if others * 100 <= actual.pixels().len() {
        return;
    }
    assert!(
        std::env::var_os("ONZE_UPDATE_REFERENCES").is_some(),
        "{name}: {others} pixels are others than in {}; the new picture is in {}",
        path.display(),
        env!("CARGO_TARGET_TMPDIR")
    );
    actual.save(&path).unwrap();
}

#[test]
fn the_port_draws_a_triangle() {
    if !has_adapter() {
        return;
    }
    let picture = picture(env!("CARGO_BIN_EXE_port"), "port");
    let background = picture.get_pixel(0, 0);
    let covered = picture.pixels().filter(|pixel| *pixel != background).count();
    assert!(covered > 10_000, "{covered} pixels");
}
