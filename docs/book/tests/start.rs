//! Tests that the programs of the chapters "Start", "HLSL" and "From D3D11 C++" draw their pictures without a
//! window. The pictures of "Start" must match those in the book.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../examples/tests/support/picture.rs"]
mod picture;

use std::path::Path;
use std::process::Command;

use image::RgbImage;

/// The programs of the ten steps, and the names of their pictures.
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

/// Draws the first frame of a program.
fn draw(program: &str, name: &str) -> RgbImage {
    draw_with(&mut Command::new(program), name)
}

/// Draws the first frame with a command that may already have arguments.
fn draw_with(program: &mut Command, name: &str) -> RgbImage {
    picture::draw(program.args(["--size", "480x270"]), name).0
}

#[test]
fn each_step_draws_the_picture_of_the_chapter() {
    if !picture::has_adapter() {
        return;
    }
    let mut last: Option<RgbImage> = None;
    for (program, name) in STEPS {
        let actual = draw(program, name);
        let first = actual.get_pixel(0, 0);
        let is_plain = actual.pixels().all(|pixel| pixel == first);
        assert_eq!(is_plain, name == "01_window", "{name}: one colour");
        if let Some(last) = last.replace(actual.clone()) {
            assert!(picture::differing(&last, &actual) > 1000, "{name} looks like the step before");
        }
        let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/start/{name}.png"));
        picture::assert_reference(&reference, &actual);
    }
}

#[test]
fn each_step_in_hlsl_draws_the_same_picture() {
    if !picture::has_adapter() {
        return;
    }
    // The first step has no shader.
    for (_, name) in &STEPS[1..] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_start_hlsl"));
        let actual = draw_with(program.arg(format!("start_{name}")), name);
        let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/start/{name}.png"));
        picture::assert_reference(&reference, &actual);
    }
}

#[test]
fn the_port_draws_a_triangle() {
    if !picture::has_adapter() {
        return;
    }
    let picture = draw(env!("CARGO_BIN_EXE_port"), "port");
    let background = picture.get_pixel(0, 0);
    let covered = picture.pixels().filter(|pixel| *pixel != background).count();
    assert!(covered > 10_000, "{covered} pixels");
}

#[test]
fn the_shader_in_hlsl_draws_waves() {
    if !picture::has_adapter() {
        return;
    }
    let picture = draw(env!("CARGO_BIN_EXE_hlsl"), "hlsl");
    let background = *picture.get_pixel(0, 0);
    let square = picture.enumerate_pixels().filter(|(_, _, pixel)| **pixel != background).count();
    // The square covers 384 by 216 pixels.
    assert!((80_000..=83_000).contains(&square), "{square} pixels");
    // The centre of the waves is in the middle of this row. 12 waves fit into the square's width, so the row
    // crosses from dark to bright or back about 24 times.
    let y = 27 + 216 * 4 / 10;
    let row: Vec<u8> = (48..432).map(|x| picture.get_pixel(x, y).0[0]).collect();
    let crossings = row.windows(2).filter(|pair| (pair[0] < 100) != (pair[1] < 100)).count();
    assert!((20..=26).contains(&crossings), "{crossings} times from dark to bright or back");
}

#[test]
fn the_shader_that_the_build_script_compiled_draws_stripes() {
    if !picture::has_adapter() {
        return;
    }
    let picture = draw(env!("CARGO_BIN_EXE_hlsl_compiled"), "hlsl_compiled");
    let row: Vec<u8> = (0..480).map(|x| picture.get_pixel(x, 100).0[0]).collect();
    let crossings = row.windows(2).filter(|pair| (pair[0] < 128) != (pair[1] < 128)).count();
    // There are 8 waves, and each goes from dark to bright and back.
    assert!((15..=17).contains(&crossings), "{crossings} times from dark to bright or back");
    assert_eq!(picture.get_pixel(0, 0), picture.get_pixel(0, 269));
}
