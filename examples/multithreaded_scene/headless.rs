//! Headless runs: every mode is drawn with every kind of command list, and then the pictures are compared and
//! written to files.

use std::io::ErrorKind;
use std::path::Path;

use onze::AdapterInfo;
use onze::prelude::*;

use crate::args::{AdapterChoice, Args, Lists, Mode, Size};
use crate::error::DemoError;
use crate::gpu::run::Renderer;
use crate::gpu::targets::Targets;
use crate::picture::{Likeness, Picture, differences, write_png};
use crate::plan::Frame;
use crate::print::print;
use crate::progress::Progress;
use crate::raw_wgpu::RawWgpu;
use crate::report::{FrameCost, RAW_WGPU, Report, Row};
use crate::scene::Scene;

/// A device with the uploaded scene, and a measurement for each mode.
struct Setup {
    implementation: Implementation,
    measurements: Vec<Measurement>,
}

enum Implementation {
    /// The library with one kind of command list, and the texture that it draws into.
    Library { lists: Lists, renderer: Box<Renderer>, color: Texture2d, targets: Targets },
    /// wgpu without the library, on one thread or in chunks on several threads.
    RawWgpu(Box<RawWgpu>),
}

/// The measurement of a mode of an implementation, which becomes a row of the table.
struct Measurement {
    mode: Mode,
    threads: usize,
    costs: Vec<FrameCost>,
    /// The last frame's picture, or `None` before that frame was drawn and, with the adapter `noop`, also
    /// afterwards.
    picture: Option<Picture>,
}

impl Setup {
    fn library(args: &Args, lists: Lists, scene: &Scene) -> Result<Self, DemoError> {
        let renderer = Box::new(Renderer::new(args, lists, None, scene)?);
        let color = color_target(&renderer.device, args.size)?;
        let targets = Targets::new(&renderer.device, &color)?;
        let measurements = args
            .mode
            .modes()
            .into_iter()
            .map(|mode| Measurement::new(mode, renderer.threads(mode)))
            .collect();
        Ok(Self { implementation: Implementation::Library { lists, renderer, color, targets }, measurements })
    }

    /// Creates a setup for raw wgpu on the same adapter, with measurements on one thread and on all recording
    /// threads.
    fn raw_wgpu(args: &Args, adapter: &AdapterInfo, scene: &Scene) -> Result<Self, DemoError> {
        let threads = args.recording_threads();
        let raw_wgpu = Box::new(RawWgpu::new(adapter, args.size, threads, scene)?);
        let measurements =
            vec![Measurement::new(Mode::Immediate, 1), Measurement::new(Mode::PerChunk, threads)];
        Ok(Self { implementation: Implementation::RawWgpu(raw_wgpu), measurements })
    }
}

impl Measurement {
    fn new(mode: Mode, threads: usize) -> Self {
        Self { mode, threads, costs: Vec::new(), picture: None }
    }
}

impl Implementation {
    fn draw(&mut self, scene: &Scene, frame: &Frame, mode: Mode) -> Result<FrameCost, DemoError> {
        match self {
            Self::Library { renderer, targets, .. } => {
                Ok(renderer.draw_and_wait(scene, frame, targets, mode)?)
            }
            Self::RawWgpu(raw_wgpu) => raw_wgpu.draw_and_wait(scene, frame, mode),
        }
    }

    fn read(&mut self) -> Result<Vec<u8>, DemoError> {
        match self {
            Self::Library { renderer, color, .. } => Ok(renderer.immediate.read_texture_2d(color, 0)?),
            Self::RawWgpu(raw_wgpu) => raw_wgpu.read_picture(),
        }
    }

    /// Returns the names of the mode and the kind of lists for the table.
    fn labels(&self, mode: Mode) -> [&'static str; 2] {
        match self {
            Self::Library { lists, .. } => [mode.name(), lists.name()],
            Self::RawWgpu(_) => [RAW_WGPU, "-"],
        }
    }

    fn title(&self, measurement: &Measurement) -> String {
        match self {
            Self::Library { lists, .. } => format!("{} with {} lists", measurement.mode.name(), lists.name()),
            Self::RawWgpu(_) => format!("{RAW_WGPU} ({} threads)", measurement.threads),
        }
    }
}

/// Draws all frames, compares the pictures, writes the pictures and the report, and prints the table.
pub(crate) fn run(args: &Args, scene: &Scene) -> Result<(), DemoError> {
    check_writable(&args.out)?;
    check_report_path(&args.report_path())?;
    let (kinds, frames) = (args.lists.kinds(), args.headless_frames());
    let measurements = kinds.len() * args.mode.modes().len() + if args.raw_wgpu { 2 } else { 0 };
    let mut progress = Progress::start(measurements as u64 * u64::from(frames));
    let (mut setups, mut adapter) = (Vec::new(), None);
    for lists in kinds {
        progress.say(&format!("uploading the scene ({} lists)", lists.name()));
        let setup = Setup::library(args, lists, scene)?;
        if let Implementation::Library { renderer, .. } = &setup.implementation {
            adapter.get_or_insert_with(|| renderer.device.adapter().clone());
        }
        setups.push(setup);
    }
    if args.raw_wgpu
        && let Some(adapter) = &adapter
    {
        progress.say(&format!("uploading the scene ({RAW_WGPU})"));
        setups.push(Setup::raw_wgpu(args, adapter, scene)?);
    }
    draw_frames(args, scene, &mut setups, &mut progress)?;
    for setup in &setups {
        if let Implementation::Library { renderer, .. } = &setup.implementation {
            renderer.check_messages()?;
        }
    }
    drop(progress);
    finish(args, adapter.map_or_else(String::new, |adapter| adapter.name), setups)
}

/// Draws each frame once per measurement before the next frame, so that other load on the machine affects all
/// measurements alike.
fn draw_frames(
    args: &Args,
    scene: &Scene,
    setups: &mut [Setup],
    progress: &mut Progress,
) -> Result<(), DemoError> {
    let frames = args.headless_frames();
    let aspect = args.size.width as f32 / args.size.height as f32;
    for number in 0..frames {
        if number.is_multiple_of(frames.div_ceil(8)) {
            progress.say(&format!("frame {} of {frames}", number + 1));
        }
        let frame = Frame::plan(scene, number, aspect);
        for Setup { implementation, measurements } in &mut *setups {
            for measurement in measurements {
                measurement.costs.push(implementation.draw(scene, &frame, measurement.mode)?);
                if number + 1 == frames && args.adapter != Some(AdapterChoice::Noop) {
                    measurement.picture = Some(Picture {
                        name: implementation.title(measurement),
                        pixels: implementation.read()?,
                    });
                }
                progress.step();
            }
        }
    }
    Ok(())
}

/// Writes the pictures and the report, and fails if the pictures differ.
fn finish(args: &Args, adapter: String, setups: Vec<Setup>) -> Result<(), DemoError> {
    let (mut rows, mut pictures, mut raw_wgpu) = (Vec::new(), Vec::new(), Vec::new());
    for Setup { implementation, measurements } in setups {
        for measurement in measurements {
            rows.push(Row::new(
                implementation.labels(measurement.mode),
                measurement.threads,
                &measurement.costs,
            ));
            let Some(picture) = measurement.picture else { continue };
            match implementation {
                Implementation::Library { .. } => pictures.push((measurement.mode, picture)),
                Implementation::RawWgpu(_) => raw_wgpu.push(picture),
            }
        }
    }
    for (number, (mode, picture)) in pictures.iter().enumerate() {
        if !pictures.iter().take(number).any(|(earlier, _)| earlier == mode) {
            write_png(&args.out.join(format!("{}.png", mode.name())), args.size, picture)?;
        }
    }
    if let Some(picture) = raw_wgpu.first() {
        write_png(&args.out.join("raw-wgpu.png"), args.size, picture)?;
    }
    let pictures: Vec<_> = pictures.into_iter().map(|(_, picture)| picture).collect();
    let differences = differences(&pictures);
    let likeness = |picture| pictures.first().map(|first| Likeness::of(first, picture));
    let mut report = Report {
        adapter,
        width: args.size.width,
        height: args.size.height,
        objects: args.objects,
        models: args.models.iter().map(|path| path.display().to_string()).collect(),
        rows,
        identical: (!pictures.is_empty()).then_some(differences.is_empty()),
        differences,
        raw_wgpu: raw_wgpu.iter().filter_map(likeness).reduce(Likeness::worse),
    };
    report.compare();
    say(args, &report, pictures.len())
}

fn say(args: &Args, report: &Report, pictures: usize) -> Result<(), DemoError> {
    let path = args.report_path();
    let json = report.to_json().map_err(|error| DemoError::write(&path, error))?;
    std::fs::write(&path, json).map_err(|error| DemoError::write(&path, error))?;
    print(&format!("{}, {}x{}\n{}", report.adapter, report.width, report.height, report.table()))?;
    if pictures == 0 {
        return print(&format!("report in {}; nothing was drawn\n", path.display()));
    }
    print(&format!("pictures in {}, report in {}\n", args.out.display(), path.display()))?;
    print(&verdict(report, pictures)?)
}

/// Returns a summary of the comparison of pictures, or an error if they differ.
fn verdict(report: &Report, pictures: usize) -> Result<String, DemoError> {
    if !report.differences.is_empty() {
        return Err(DemoError::PicturesDiffer(report.differences.join("; ")));
    }
    let mut words = String::new();
    if pictures > 1 {
        words = format!("all {pictures} pictures are the same to the last bit\n");
    }
    if let Some(likeness) = report.raw_wgpu {
        if !likeness.is_close() {
            return Err(DemoError::PicturesDiffer(format!("that of raw wgpu is {}", likeness.words())));
        }
        words.push_str(&format!("the picture of raw wgpu is {}\n", likeness.words()));
    }
    Ok(words)
}

fn color_target(device: &Device, size: Size) -> Result<Texture2d, onze::Error> {
    let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM_SRGB, size.width, size.height);
    device.create_texture_2d(&desc.label("picture"), None)
}

/// Creates the report's folder, and checks that a file can be written there.
fn check_report_path(path: &Path) -> Result<(), DemoError> {
    if path.is_dir() {
        return Err(DemoError::write(path, "it is a folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), check_writable)
}

/// Checks that files can be written to the folder, because an error is more useful now than after all frames
/// are drawn.
fn check_writable(folder: &Path) -> Result<(), DemoError> {
    std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => DemoError::write(folder, "it is not a folder"),
        _ => DemoError::write(folder, error),
    })?;
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    std::fs::write(&probe, b"").map_err(|error| DemoError::write(folder, error))?;
    let _ = std::fs::remove_file(&probe);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_differ_are_an_error() {
        let report = |differences: &[&str], mean| Report {
            differences: differences.iter().map(|&words| words.to_owned()).collect(),
            raw_wgpu: Some(Likeness { largest: u8::from(mean > 0.0), mean, visible_ppm: 0.0 }),
            ..Report::default()
        };
        let verdict = |report, pictures| verdict(&report, pictures).map_err(|error| error.to_string());
        let same = "the picture of raw wgpu is the same to the last bit\n";
        assert_eq!(verdict(report(&[], 0.0), 1), Ok(same.to_owned()));
        let all = "all 6 pictures are the same to the last bit\n";
        assert_eq!(verdict(report(&[], 0.0), 6), Ok(format!("{all}{same}")));
        let modes = "the pictures differ: a differs; b differs".to_owned();
        assert_eq!(verdict(report(&["a differs", "b differs"], 0.0), 6), Err(modes));
        let raw_wgpu =
            "the pictures differ: that of raw wgpu is different by at most 1 of 255, by 0.5000 in the mean";
        assert_eq!(verdict(report(&[], 0.5), 6), Err(raw_wgpu.to_owned()));
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
