//! Draws the example's picture without a window, and compares it with the stored reference.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../tests/support/picture.rs"]
mod picture;

use std::path::Path;
use std::process::Command;

#[test]
fn the_windows_are_drawn_over_the_scene() {
    if !picture::has_adapter() {
        return;
    }
    let program = &mut Command::new(env!("CARGO_BIN_EXE_ui"));
    let (actual, _) = picture::draw(program.args(["--size", "480x270"]), "ui");
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../references/ui.png");
    picture::assert_reference(&reference, &actual);
}
