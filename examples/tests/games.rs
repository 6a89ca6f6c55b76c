//! The examples that are games: their pictures without a window, and what their windows show.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;
#[cfg(target_os = "linux")]
#[path = "support/x11.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod x11;

use std::process::Command;

use image::RgbImage;
use support::{Folder, has_adapter, succeed, text};

fn triangle() -> Command {
    Command::new(env!("CARGO_BIN_EXE_triangle_window"))
}

fn cube() -> Command {
    Command::new(env!("CARGO_BIN_EXE_textured_cube"))
}

fn shadow_map() -> Command {
    Command::new(env!("CARGO_BIN_EXE_shadow_map"))
}

fn sprites() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sprite_batch"))
}

fn bitonic_sort() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bitonic_sort"))
}

fn light_culling() -> Command {
    Command::new(env!("CARGO_BIN_EXE_light_culling"))
}

fn oit() -> Command {
    Command::new(env!("CARGO_BIN_EXE_oit"))
}

fn particles() -> Command {
    Command::new(env!("CARGO_BIN_EXE_particles"))
}

/// The picture that a program writes with some options.
#[track_caller]
fn picture(mut program: Command, name: &str, options: &str) -> RgbImage {
    let folder = Folder::new(&format!("game-{name}"));
    let file = folder.0.join("new folder").join("picture.png");
    succeed(program.args(options.split(' ')).arg("--out").arg(&file));
    image::open(&file).unwrap().into_rgb8()
}

/// Passes if a picture is the stored one: `examples/references/NAME.png`. Adapters filter and round in their own ways,
/// so a hundredth of the pixels may be another, and the others may differ by 4.
#[track_caller]
fn assert_reference(name: &str, actual: &RgbImage) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("references/{name}.png"));
    if std::env::var_os("ONZE_UPDATE_REFERENCES").is_some() {
        actual.save(&path).unwrap();
    }
    let expected = image::open(&path).unwrap().into_rgb8();
    assert_eq!(actual.dimensions(), expected.dimensions(), "{name}");
    let differs = |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| (0..3).any(|c| a[c].abs_diff(b[c]) > 4);
    let others = actual.pixels().zip(expected.pixels()).filter(differs).count();
    if others * 100 > expected.pixels().len() {
        let written = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        actual.save(&written).unwrap();
        panic!("{name}: {others} pixels are others than in {}: see {}", path.display(), written.display());
    }
}

#[test]
fn the_games_draw_their_pictures_without_a_window() {
    if !has_adapter() {
        return;
    }
    assert_reference("triangle_window", &picture(triangle(), "triangle", "--size 160x120"));
    assert_reference("textured_cube", &picture(cube(), "cube", "--size 160x120"));
    // The second one is of another time: the sun, the block in the middle and all shadows have moved.
    assert_reference("shadow_map", &picture(shadow_map(), "shadows", "--size 480x270"));
    assert_reference("shadow_map_later", &picture(shadow_map(), "later", "--size 240x135 --frames 120"));
    assert_reference("sprite_batch", &picture(sprites(), "sprites", "--size 320x240 --frames 20"));
    // The last tiles of each row and each column are not whole.
    assert_reference("light_culling", &picture(light_culling(), "lights", "--size 488x280"));
    assert_reference("oit", &picture(oit(), "oit", "--size 480x270"));
    // By then there were more particles than there are places: places of particles that have ended are in use again.
    assert_reference("particles", &picture(particles(), "particles", "--size 488x280 --frames 140"));
    // The 60th frame is a second later.
    assert_reference("textured_cube_turned", &picture(cube(), "turned", "--size 160x120 --frames 60"));
}

#[test]
fn the_sort_is_drawn_and_compared_for_each_size() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new("sort");
    let file = folder.0.join("picture.png");
    let output = succeed(bitonic_sort().args(["--size", "512x320", "--out"]).arg(&file));
    assert_reference("bitonic_sort", &image::open(&file).unwrap().into_rgb8());
    let words = text(&output.stdout);
    let first_words = words.lines().skip(1).map(|line| line.split_whitespace().next().unwrap());
    let sizes: Vec<u32> = first_words.map(|word| word.parse().unwrap()).collect();
    assert_eq!(sizes, (10..=20).map(|bits| 1 << bits).collect::<Vec<_>>(), "{words}");
}

#[test]
fn a_game_says_what_options_it_has() {
    let help = text(&succeed(triangle().arg("--help")).stdout);
    for option in ["--out <FILE.png>", "--frames <N>", "--size <WxH>", "--full-screen"] {
        assert!(help.contains(option), "{help}");
    }
    let refused = triangle().args(["--size", "0x4"]).output().unwrap();
    assert!(!refused.status.success() && text(&refused.stderr).contains("640x480"));
}

#[cfg(target_os = "linux")]
mod windows {
    use std::process::{Child, ExitStatus, Stdio};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::support::has_display;
    use super::x11::{KEY_ESCAPE, XWindow, largest_difference, look_for};
    use super::*;

    /// The screen, which one test at a time uses: windows would hide each other. None: there is none.
    fn screen() -> Option<MutexGuard<'static, ()>> {
        static SCREEN: Mutex<()> = Mutex::new(());
        (has_display(&["DISPLAY"]) && has_adapter())
            .then(|| SCREEN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A game that runs.
    struct Running(Child);

    impl Running {
        fn start(mut program: Command, options: &str) -> Self {
            program.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
            Self(program.args(options.split(' ')).stdin(Stdio::null()).spawn().unwrap())
        }

        fn window(&self) -> XWindow {
            XWindow::of_process(self.0.id())
        }

        /// Waits until it has ended.
        #[track_caller]
        fn end(mut self) -> ExitStatus {
            look_for(|| self.0.try_wait().unwrap()).expect("it does not end")
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            // Both fail only for a game that has ended already.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn a_resized_window_shows_the_picture_of_its_size() {
        let Some(_screen) = screen() else { return };
        let sizes = [(200, 150), (301, 120), (90, 240), (200, 150)];
        let game = Running::start(triangle(), "--size 200x150");
        let window = game.window();
        for (n, (width, height)) in sizes.into_iter().enumerate() {
            if n > 0 {
                window.resize(width, height);
            }
            let size = format!("{width}x{height}");
            let expected = picture(triangle(), &format!("{n}-{size}"), &format!("--size {size}"));
            window.expect_picture(&format!("triangle-{n}-{size}"), &expected);
        }
        window.ask_to_close();
        assert!(game.end().success());
    }

    #[test]
    fn a_game_moves_until_a_key_ends_it() {
        let Some(_screen) = screen() else { return };
        // An X server begins anew when its last client has gone, and meanwhile refuses the next one.
        let mut connections = Vec::new();
        for program in [cube, bitonic_sort, light_culling, oit, particles] {
            let name = format!("{:?}", program());
            let game = Running::start(program(), "--size 160x120");
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
        assert!(Running::start(cube(), "--size 64x64 --frames 3").end().success());
    }
}
