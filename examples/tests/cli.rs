//! Runs the example programs from the command line, and tests their pictures and error messages.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::path::Path;
use std::process::Command;

use support::picture::has_adapter;
use support::{Folder, has_display, scene, succeed, text};

fn write(folder: &Folder, name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = folder.0.join(name);
    std::fs::write(&path, contents).unwrap();
    path.display().to_string()
}

/// Expects a failing exit status, and a single sentence on the error stream that contains `words`.
#[track_caller]
fn refused(args: &[&str], words: &str) {
    let output = scene().args(args).output().unwrap();
    let errors = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {:?} {errors}", output.status);
    assert_eq!(errors.lines().count(), 1, "{args:?}: {errors}");
    assert!(errors.starts_with("error: ") && errors.contains(words), "{args:?}: {errors}");
    assert!(output.stdout.is_empty(), "{args:?}");
}

#[test]
fn bad_arguments_are_refused_in_one_sentence() {
    refused(&["--size", "0x0"], "1..=16384");
    refused(&["--size", "20000x20"], "1..=16384");
    refused(&["--size", "big"], "such as 1280x720");
    refused(&["--threads", "0"], "--threads");
    refused(&["--threads", "-1"], "expected a whole number");
    refused(&["--frames", "0"], "--frames");
    refused(&["--mode", "sideways"], "per-chunk");
    refused(&["--raw-wgpu", "--window"], "--window");
    refused(&["--no-such-option"], "--no-such-option");
}

#[test]
fn bad_files_are_refused_in_one_sentence() {
    let folder = Folder::new("files");
    refused(&["--model", "no/such/model.glb"], "no/such/model.glb");
    let glb = write(&folder, "cut.glb", b"glTF\x02\0\0\0\xff\0\0\0\x10\0\0\0JSON{\"asset\"");
    refused(&["--model", &glb], "truncated");
    let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["EXT_of_the_future"]}"#;
    let gltf = write(&folder, "future.gltf", json);
    refused(&["--model", &gltf], "EXT_of_the_future");
    let text = write(&folder, "text.glb", "this is no model");
    refused(&["--model", &text], "text.glb");
    let out = format!("{text}/below");
    refused(&["--out", &out], "cannot write");
    refused(&["--out", &text], "it is not a folder");
    let folder_path = folder.0.display().to_string();
    refused(&["--out", &folder_path, "--json", &folder_path], "it is a folder");
    refused(&["--out", &folder_path, "--json", &format!("{out}/r.json")], "cannot write");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = scene().arg("--help").stdout(writer).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

fn extent(path: &Path) -> (u32, u32) {
    image::image_dimensions(path).unwrap()
}

fn report(folder: &Folder) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.0.join("report.json")).unwrap()).unwrap()
}

#[test]
fn every_mode_and_both_kinds_of_lists_draw_the_same_picture() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new("modes");
    let args = "--frames 2 --size 200x120 --objects 150 --threads 3 --verify --out";
    let output = succeed(scene().args(args.split(' ')).arg(&folder.0));
    assert!(text(&output.stdout).contains("all 6 pictures are the same to the last bit"));
    for mode in ["immediate", "per-pass", "per-chunk"] {
        assert_eq!(extent(&folder.0.join(format!("{mode}.png"))), (200, 120));
    }
    let picture = image::open(folder.0.join("immediate.png")).unwrap().into_rgb8();
    let mut colors: Vec<_> = picture.pixels().collect();
    colors.sort_by_key(|color| color.0);
    colors.dedup();
    assert!(colors.len() > 1000, "only {} colours", colors.len());
    let report = report(&folder);
    assert_eq!(report["identical"], true);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| row["draws"].as_u64() > Some(450) && row["frames"] == 1), "{rows:?}");
    assert!(report["raw_wgpu"].is_null() && rows.iter().all(|row| row["submitted_ratio"].is_null()));
    assert!(!folder.0.join("raw-wgpu.png").exists());
}

/// Expects rows for the library and for raw wgpu, with ratios to raw wgpu on one thread.
fn check_ratios(report: &serde_json::Value, library: usize, threads: usize) {
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), library + 2, "{rows:?}");
    let raw_wgpu = rows.iter().filter(|row| row["mode"] == "raw wgpu");
    let raw_wgpu: Vec<_> = raw_wgpu.map(|row| row["threads"].as_u64().unwrap() as usize).collect();
    assert_eq!(raw_wgpu, [1, threads]);
    let base = &rows[library];
    for row in rows {
        assert_eq!(row["draws"], base["draws"], "{row}");
        let number = |row: &serde_json::Value, name: &str| row[name].as_f64().unwrap();
        let ratio = number(row, "submitted_ms") / number(base, "submitted_ms");
        assert!((number(row, "submitted_ratio") - ratio).abs() < 1e-6 && ratio > 0.0, "{row}");
        assert!(number(row, "submitted_ms") >= number(row, "record_ms"), "{row}");
    }
}

#[test]
fn raw_wgpu_draws_the_same_picture() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new("raw-wgpu");
    let args = "--raw-wgpu --frames 2 --size 200x120 --objects 150 --threads 3 --lists driver --out";
    let output = succeed(scene().args(args.split(' ')).arg(&folder.0));
    assert!(text(&output.stdout).contains("the picture of raw wgpu is "));
    let picture = |name: &str| image::open(folder.0.join(name)).unwrap().into_rgb8().into_raw();
    let (ours, raw_wgpu) = (picture("immediate.png"), picture("raw-wgpu.png"));
    assert_eq!(ours.len(), raw_wgpu.len());
    let difference: u64 = ours.iter().zip(&raw_wgpu).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = difference as f64 / ours.len() as f64;
    let report = report(&folder);
    assert!(mean < 0.25 && mean <= report["raw_wgpu"]["mean"].as_f64().unwrap() + 1e-9, "{mean}");
    check_ratios(&report, 3, 3);
}

#[test]
fn without_a_gpu_only_recording_is_measured() {
    let folder = Folder::new("noop");
    let args = "--raw-wgpu --adapter noop --frames 3 --size 64x36 --objects 100 --threads 2 --verify --out";
    let output = succeed(scene().args(args.split(' ')).arg(&folder.0));
    let words = text(&output.stdout);
    assert!(words.contains("nothing was drawn") && words.contains("/ raw wgpu"), "{words}");
    let report = report(&folder);
    assert!(report["identical"].is_null() && report["raw_wgpu"].is_null());
    assert!(!folder.0.join("immediate.png").exists() && !folder.0.join("raw-wgpu.png").exists());
    check_ratios(&report, 6, 2);
}

#[test]
fn workers_and_page_lengths_do_not_change_the_picture() {
    if !has_adapter() {
        return;
    }
    // In the first scene, workers encode several runs of a frame at once, and the second frame reuses results
    // of the first frame.
    let scenes = [
        ("--objects 300 --frames 2", &[" --run-draws 300 --page-draws 1", " --run-draws 100"][..]),
        (
            "--objects 60 --frames 1",
            &[" --run-draws 5 --page-draws 2", " --run-draws 30 --page-draws 7", " --page-draws 100000"],
        ),
    ];
    for (scene_of, all_lengths) in scenes {
        let mut first = None;
        for (workers, lengths) in
            [0, 1, 2, 8].into_iter().flat_map(|n| all_lengths.iter().map(move |d| (n, d)))
        {
            let folder = Folder::new(&format!("pages-{workers}{lengths}"));
            let options = format!("{scene_of} --workers {workers} --threads 3{lengths} --size 100x56 --out");
            let mut scene = scene();
            // The program itself compares the pictures of all modes and list implementations.
            let scene = scene.args(options.split(' ')).arg(&folder.0);
            assert!(text(&succeed(scene).stdout).contains("all 6 pictures are the same"), "{options}");
            let picture = std::fs::read(folder.0.join("per-chunk.png")).unwrap();
            assert!(*first.get_or_insert_with(|| picture.clone()) == picture, "{options}");
        }
    }
}

#[test]
fn real_models_are_drawn() {
    let Some(models) = std::env::var_os("ONZE_MODELS") else {
        println!("not run: ONZE_MODELS names no folder");
        return;
    };
    if !has_adapter() {
        return;
    }
    let folder = Folder::new("models");
    let mut command = scene();
    for model in ["FlightHelmet/FlightHelmet.gltf", "kenney/alien.glb", "kenney/cakeBirthday.glb"] {
        command.arg("--model").arg(Path::new(&models).join(model));
    }
    // Raw wgpu must use the models' images, samplers and materials in the same way as the library.
    let args = "--raw-wgpu --frames 1 --size 160x90 --objects 20 --out";
    succeed(command.args(args.split(' ')).arg(&folder.0));
    let rows = report(&folder)["rows"].as_array().unwrap().clone();
    // The models alone need well over fifty draw calls in the three passes.
    assert!(rows[0]["draws"].as_u64() > Some(150), "{rows:?}");
}

#[test]
fn the_window_opens_and_closes() {
    if !has_display(&["DISPLAY", "WAYLAND_DISPLAY"]) || !has_adapter() {
        return;
    }
    for mode in ["immediate", "per-chunk"] {
        let args = "--window --frames 2 --size 120x80 --objects 20 --verify --mode";
        let output = succeed(scene().args(args.split(' ')).arg(mode));
        assert!(text(&output.stdout).contains("all 2 frames were shown"));
    }
}

#[test]
fn the_triangle_is_drawn() {
    if !has_adapter() {
        return;
    }
    let folder = Folder::new("triangle");
    succeed(Command::new(env!("CARGO_BIN_EXE_triangle")).current_dir(&folder.0));
    let picture = image::open(folder.0.join("target/triangle.png")).unwrap().into_rgb8();
    let top = picture.get_pixel(128, 60).0;
    let (left, right) = (picture.get_pixel(60, 195).0, picture.get_pixel(195, 195).0);
    assert!(top[0] > 200 && right[1] > 180 && left[2] > 200, "{top:?} {left:?} {right:?}");
    assert!(picture.get_pixel(5, 5).0.iter().all(|channel| *channel < 70));
}
