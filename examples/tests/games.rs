//! Tests the example programs with windows: the pictures that they draw without a window, and the contents of
//! their windows.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;
#[cfg(target_os = "linux")]
#[path = "support/x11.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod x11;

use std::process::Command;

use image::RgbImage;
use support::picture::{self, has_adapter};
use support::{Folder, scene, succeed, text};

fn program(name: &str) -> Command {
    let one = std::path::Path::new(env!("CARGO_BIN_EXE_triangle_window"));
    Command::new(one.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

#[track_caller]
fn assert_reference(name: &str, actual: &RgbImage) {
    let references = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("references");
    picture::assert_reference(&references.join(name).with_extension("png"), actual);
}

const PICTURES: &[(&str, &str, &str)] = &[
    ("triangle_window", "triangle_window", "--size 160x120"),
    ("textured_cube", "textured_cube", "--size 160x120"),
    ("textured_cube_turned", "textured_cube", "--size 160x120 --frames 60"),
    ("text", "text", "--size 480x270"),
    ("sprite_batch", "sprite_batch", "--size 320x240 --frames 20"),
    ("sprites", "sprites", "--size 480x270"),
    ("shadow_map", "shadow_map", "--size 480x270"),
    // By frame 120, the sun, the block in the middle and all shadows have moved.
    ("shadow_map_later", "shadow_map", "--size 240x135 --frames 120"),
    ("gs_sprites", "gs_sprites", "--size 480x270"),
    ("cube_shadows", "cube_shadows", "--size 480x270"),
    // By frame 90, the cage has turned around the lamp, and the shadows have moved.
    ("cube_shadows_later", "cube_shadows", "--size 240x135 --frames 90"),
    ("fur", "fur", "--size 480x270"),
    ("so_particles", "so_particles", "--size 480x270"),
    // By frame 60, the jets have changed their heights, in one step for each frame after the first.
    ("so_particles_later", "so_particles", "--size 240x135 --frames 60"),
    ("terrain", "terrain", "--size 480x270"),
    // By frame 150, the camera has moved into the next row of patches.
    ("terrain_later", "terrain", "--size 240x135 --frames 150"),
    ("pn_triangles", "pn_triangles", "--size 480x270"),
    ("bezier", "bezier", "--size 480x270"),
    // By frame 120, the tessellation factor has grown, and the control points have twisted.
    ("bezier_later", "bezier", "--size 240x135 --frames 120"),
    ("hair", "hair", "--size 480x270"),
    ("deferred_shading", "deferred_shading", "--size 480x270"),
    // At this size, the last tiles of each row and column are incomplete.
    ("light_culling", "light_culling", "--size 488x280"),
    ("oit", "oit", "--size 480x270"),
    ("post_processing", "post_processing", "--size 480x270"),
    ("model_viewer", "model_viewer", "--size 480x270"),
    // By frame 140, more particles have started than there are slots, so slots of ended particles are reused.
    ("particles", "particles", "--size 488x280 --frames 140"),
    ("multithreaded", "multithreaded", "--size 480x270"),
    // The program loses its device in frame 10, so another device draws the last frames.
    ("device_lost", "device_lost", "--size 480x270 --frames 30"),
    // The bars show their initial values, because no query result has arrived by the first frame.
    ("timing", "timing", "--size 480x270 --frames 1"),
    ("formats", "formats", "--frames 1"),
    ("wgpu_interop", "wgpu_interop", "--size 480x270"),
    ("asteroids_title", "asteroids", "--size 480x270"),
    ("hlsl_triangle", "hlsl_triangle", "--size 160x120"),
    ("hlsl_lit_cube", "hlsl_lit_cube", "--size 320x240"),
    ("hlsl_textured_cube", "hlsl_textured_cube", "--size 160x120"),
    ("hlsl_textured_cube_later", "hlsl_textured_cube", "--size 160x120 --frames 100"),
    ("hlsl_explosion", "hlsl_explosion", "--size 480x270"),
    // By frame 200, the triangles are almost together again.
    ("hlsl_explosion_later", "hlsl_explosion", "--size 240x180 --frames 200"),
    ("hlsl_nbody", "hlsl_nbody", "--size 480x270"),
    ("hlsl_nbody_later", "hlsl_nbody", "--size 480x270 --frames 12"),
    // A busy moment of the recorded input: sparks and rocks have moved for 2,449 steps.
    ("asteroids", "asteroids", "--size 480x270 --input demo --frames 2450"),
];

#[test]
fn the_games_draw_their_pictures_without_a_window() {
    if !has_adapter() {
        return;
    }
    for (name, file, options) in PICTURES {
        let (actual, _) = picture::draw(program(file).args(options.split(' ')), name);
        assert_reference(name, &actual);
    }
}

#[test]
fn the_sort_is_drawn_and_compared_for_each_size() {
    if !has_adapter() {
        return;
    }
    let (actual, output) = picture::draw(program("bitonic_sort").args(["--size", "512x320"]), "bitonic_sort");
    assert_reference("bitonic_sort", &actual);
    let words = text(&output.stdout);
    let first_words = words.lines().skip(1).map(|line| line.split_whitespace().next().unwrap());
    let sizes: Vec<u32> = first_words.map(|word| word.parse().unwrap()).collect();
    assert_eq!(sizes, (10..=20).map(|bits| 1 << bits).collect::<Vec<_>>(), "{words}");
}

/// Compares the pictures with WGSL and with HLSL shaders. Edges may be moved by a pixel, because corners are
/// computed in a different order. Elsewhere, a channel may be rounded to a neighbouring value.
#[track_caller]
fn assert_same(name: &str, wgsl: &RgbImage, hlsl: &RgbImage) {
    assert_eq!(wgsl.dimensions(), hlsl.dimensions(), "{name}");
    let differs = |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| (0..3).any(|c| a[c].abs_diff(b[c]) > 1);
    let others = wgsl.pixels().zip(hlsl.pixels()).filter(differs).count();
    assert!(others * 5000 <= wgsl.pixels().len(), "{name}: {others} pixels differ in HLSL");
}

#[test]
fn shaders_in_hlsl_draw_what_those_in_wgsl_draw() {
    if !has_adapter() {
        return;
    }
    for (name, options) in [("light_culling", "--size 488x280"), ("particles", "--size 488x280 --frames 140")]
    {
        let draw = |more: &[&str]| picture::draw(program(name).args(options.split(' ')).args(more), name).0;
        assert_same(name, &draw(&[]), &draw(&["--hlsl"]));
    }
}

#[test]
fn a_watched_shader_draws_the_same_picture() {
    if !has_adapter() {
        return;
    }
    let options = ["--size", "320x240", "--watch"];
    assert_reference("hlsl_lit_cube", &picture::draw(program("hlsl_lit_cube").args(options), "watched").0);
}

#[test]
fn the_demo_draws_the_same_in_hlsl() {
    if !has_adapter() {
        return;
    }
    let draw = |name, more: &[&str]| {
        let folder = Folder::new(name);
        let options =
            "--frames 1 --size 320x180 --objects 300 --mode immediate --lists driver --verify --out";
        succeed(scene().args(options.split(' ')).arg(&folder.0).args(more));
        image::open(folder.0.join("immediate.png")).unwrap().into_rgb8()
    };
    assert_same("multithreaded_scene", &draw("wgsl", &[]), &draw("hlsl", &["--hlsl"]));
}

#[test]
fn a_game_says_what_options_it_has() {
    let help = text(&succeed(program("triangle_window").arg("--help")).stdout);
    for option in ["--out <FILE.png>", "--frames <N>", "--size <WxH>", "--full-screen"] {
        assert!(help.contains(option), "{help}");
    }
    assert!(!help.contains("--hlsl"), "{help}");
    let help = text(&succeed(program("particles").arg("--help")).stdout);
    assert!(help.contains("--hlsl") && help.contains("--out <FILE.png>"), "{help}");
    let refused = program("triangle_window").args(["--size", "0x4"]).output().unwrap();
    assert!(!refused.status.success() && text(&refused.stderr).contains("640x480"));
}

#[cfg(target_os = "linux")]
mod windows {
    use std::process::{Child, ExitStatus, Stdio};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::support::has_display;
    use super::x11::{KEY_ESCAPE, XWindow, largest_difference, look_for};
    use super::*;

    /// Locks the screen, because windows of concurrent tests would hide each other. Returns `None` without a
    /// display or an adapter.
    fn screen() -> Option<MutexGuard<'static, ()>> {
        static SCREEN: Mutex<()> = Mutex::new(());
        (has_display(&["DISPLAY"]) && has_adapter())
            .then(|| SCREEN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    struct Running(Child);

    impl Running {
        fn start(mut program: Command, options: &str) -> Self {
            program.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
            Self(program.args(options.split(' ')).stdin(Stdio::null()).spawn().unwrap())
        }

        fn window(&self) -> XWindow {
            XWindow::of_process(self.0.id())
        }

        #[track_caller]
        fn end(mut self) -> ExitStatus {
            look_for(|| self.0.try_wait().unwrap()).expect("it does not end")
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            // Both calls fail only if the program has already ended.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn a_resized_window_shows_the_picture_of_its_size() {
        let Some(_screen) = screen() else { return };
        let sizes = [(200, 150), (301, 120), (90, 240), (200, 150)];
        let game = Running::start(program("triangle_window"), "--size 200x150");
        let window = game.window();
        for (n, (width, height)) in sizes.into_iter().enumerate() {
            if n > 0 {
                window.resize(width, height);
            }
            let size = format!("{width}x{height}");
            let expected =
                picture::draw(program("triangle_window").args(["--size", &size]), &format!("{n}-{size}")).0;
            window.expect_picture(&format!("triangle-{n}-{size}"), &expected);
        }
        window.ask_to_close();
        assert!(game.end().success());
    }

    #[test]
    fn a_game_moves_until_a_key_ends_it() {
        let Some(_screen) = screen() else { return };
        // An X server resets when its last client disconnects, and refuses connections during the reset, so
        // keep connections open to prevent that.
        let mut connections = Vec::new();
        for name in ["textured_cube", "bitonic_sort", "light_culling", "oit", "particles"] {
            let game = Running::start(program(name), "--size 160x120");
            let window = game.window();
            let black = RgbImage::new(160, 120);
            let is_drawn = |picture: &RgbImage| largest_difference(picture, &black).is_some_and(|d| d > 60);
            let first = look_for(|| window.pixels().ok().filter(is_drawn));
            let first = first.unwrap_or_else(|| panic!("{name} draws nothing"));
            let moves =
                look_for(|| largest_difference(&window.pixels().unwrap(), &first).filter(|d| *d > 30));
            assert!(moves.is_some(), "{name} does not move");
            window.resize(250, 100);
            let black = RgbImage::new(250, 100);
            let is_drawn = |picture: &RgbImage| largest_difference(picture, &black).is_some_and(|d| d > 60);
            let resized = look_for(|| window.pixels().ok().filter(is_drawn));
            assert!(resized.is_some(), "{name} draws nothing in another size");
            window.press(KEY_ESCAPE);
            assert!(game.end().success(), "{name}");
            connections.push(window);
        }
    }

    #[test]
    fn a_game_ends_after_the_frames_that_were_asked_for() {
        let Some(_screen) = screen() else { return };
        assert!(Running::start(program("textured_cube"), "--size 64x64 --frames 3").end().success());
    }
}
