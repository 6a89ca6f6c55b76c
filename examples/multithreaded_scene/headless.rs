//! Without a window: every mode with every kind of list, the pictures compared and written.

use std::io::ErrorKind;
use std::path::Path;

use onze::prelude::*;

use crate::args::{Args, Lists, Mode, Size};
use crate::error::DemoError;
use crate::gpu::run::Renderer;
use crate::gpu::targets::Targets;
use crate::print::print;
use crate::progress::Progress;
use crate::report::{Report, Row};
use crate::scene::Scene;

/// What one mode drew last.
struct Picture {
    mode: Mode,
    lists: Lists,
    /// RGBA, rows from the top.
    pixels: Vec<u8>,
}

impl Picture {
    fn name(&self) -> String {
        format!("{} with {} lists", self.mode.name(), self.lists.name())
    }
}

/// Draws, compares, writes the pictures and the report, and prints the table.
pub(crate) fn run(args: &Args, scene: &Scene) -> Result<(), DemoError> {
    check_writable(&args.out)?;
    check_report_path(&args.report_path())?;
    let (kinds, modes, frames) = (args.lists.kinds(), args.mode.modes(), args.headless_frames());
    let mut progress = Progress::start((kinds.len() * modes.len()) as u64 * u64::from(frames));
    let (mut rows, mut pictures, mut adapter) = (Vec::new(), Vec::new(), String::new());
    for lists in kinds {
        progress.say(&format!("uploading the scene ({} lists)", lists.name()));
        let mut renderer = Renderer::new(args, lists, None, scene)?;
        adapter.clone_from(&renderer.device.adapter().name);
        let color = color_target(&renderer.device, args.size)?;
        let targets = Targets::new(&renderer.device, &color)?;
        for &mode in &modes {
            progress.say(&format!("{} with {} lists", mode.name(), lists.name()));
            let mut costs = Vec::new();
            for frame in 0..frames {
                costs.push(renderer.draw_and_wait(scene, frame, &targets, mode)?);
                progress.step();
            }
            rows.push(Row::average(mode, lists, renderer.threads(mode), &costs));
            let pixels = renderer.immediate.read_texture_2d(&color, 0)?;
            pictures.push(Picture { mode, lists, pixels });
        }
        renderer.check_messages()?;
    }
    drop(progress);
    finish(args, adapter, rows, &pictures)
}

/// Writes what was found, and fails if the pictures differ.
fn finish(args: &Args, adapter: String, rows: Vec<Row>, pictures: &[Picture]) -> Result<(), DemoError> {
    let differences = differences(pictures);
    for picture in pictures {
        let is_first = pictures.iter().find(|other| other.mode == picture.mode);
        if is_first.is_some_and(|first| first.lists == picture.lists) {
            let path = args.out.join(format!("{}.png", picture.mode.name()));
            write_png(&path, args.size, &picture.pixels)?;
        }
    }
    let report = Report {
        adapter,
        width: args.size.width,
        height: args.size.height,
        objects: args.objects,
        models: args.models.iter().map(|path| path.display().to_string()).collect(),
        rows,
        identical: differences.is_empty(),
        differences,
    };
    let path = args.report_path();
    let json = report.to_json().map_err(|error| DemoError::write(&path, error))?;
    std::fs::write(&path, json).map_err(|error| DemoError::write(&path, error))?;
    let (out, file) = (args.out.display(), path.display());
    print(&format!("{}, {}x{}\n{}", report.adapter, report.width, report.height, report.table()))?;
    print(&format!("pictures in {out}, report in {file}\n"))?;
    if !report.identical {
        return Err(DemoError::PicturesDiffer(report.differences.join("; ")));
    }
    if pictures.len() > 1 {
        print(&format!("all {} pictures are the same to the last bit\n", pictures.len()))?;
    }
    Ok(())
}

/// The texture that the picture is drawn into.
fn color_target(device: &Device, size: Size) -> Result<Texture2d, Error> {
    let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM_SRGB, size.width, size.height);
    device.create_texture_2d(&desc.label("picture"), None)
}

/// How each picture differs from the first, in words.
fn differences(pictures: &[Picture]) -> Vec<String> {
    let Some((first, others)) = pictures.split_first() else {
        return Vec::new();
    };
    let pixels = |picture: &Picture| picture.pixels.as_chunks::<4>().0.to_vec();
    let expected = pixels(first);
    others
        .iter()
        .filter(|other| other.pixels != first.pixels)
        .map(|other| {
            let actual = pixels(other);
            let count = expected.iter().zip(&actual).filter(|(a, b)| a != b).count();
            format!("{} differs from {} in {count} of {} pixels", other.name(), first.name(), expected.len())
        })
        .collect()
}

/// Creates the report's folder, and makes sure that a file can be written there.
fn check_report_path(path: &Path) -> Result<(), DemoError> {
    if path.is_dir() {
        return Err(DemoError::write(path, "it is a folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), check_writable)
}

/// Creates the folder and a file in it: better now than after all the drawing.
fn check_writable(folder: &Path) -> Result<(), DemoError> {
    std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => DemoError::write(folder, "it is not a folder"),
        _ => DemoError::write(folder, error),
    })?;
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    std::fs::write(&probe, b"").map_err(|error| DemoError::write(folder, error))?;
    // If it cannot be removed, it is empty and does no harm.
    let _ = std::fs::remove_file(&probe);
    Ok(())
}

/// Writes a picture without its alpha, which blending leaves meaningless.
fn write_png(path: &Path, size: Size, pixels: &[u8]) -> Result<(), DemoError> {
    let rgb: Vec<u8> = pixels.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    image::save_buffer(path, &rgb, size.width, size.height, image::ColorType::Rgb8)
        .map_err(|error| DemoError::write(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(mode: Mode, pixels: &[u8]) -> Picture {
        Picture { mode, lists: Lists::Driver, pixels: pixels.to_vec() }
    }

    #[test]
    fn one_bit_is_a_difference_and_is_named() {
        let same = [picture(Mode::Immediate, &[1; 8]), picture(Mode::PerPass, &[1; 8])];
        assert!(differences(&same).is_empty());
        let mut pixels = [1; 8];
        pixels[5] = 0;
        let other = [picture(Mode::Immediate, &[1; 8]), picture(Mode::PerChunk, &pixels)];
        let words = "per-chunk with driver lists differs from immediate with driver lists in 1 of 2 pixels";
        assert_eq!(differences(&other), [words]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_found_out_at_once() {
        let file = std::env::temp_dir().join(format!("onze-demo-test-{}", std::process::id()));
        assert!(std::fs::write(&file, b"not a folder").is_ok());
        let result = check_writable(&file.join("below"));
        assert!(std::fs::remove_file(&file).is_ok());
        let Err(error) = result else { panic!("a file was taken for a folder") };
        assert!(error.to_string().starts_with("cannot write"), "{error}");
    }

    #[test]
    fn a_folder_is_no_file_for_the_report() {
        let folder = std::env::temp_dir();
        let result = check_report_path(&folder).map_err(|error| error.to_string());
        assert_eq!(result, Err(format!("cannot write {}: it is a folder", folder.display())));
        assert!(check_report_path(Path::new("report.json")).is_ok());
    }
}
