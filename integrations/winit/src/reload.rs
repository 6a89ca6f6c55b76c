//! Recompilation of shaders while the program runs, when their files change.
//!
//! The files are read and compared four times a second. Modification times are not used, because some file
//! systems store them in steps of one or two seconds, and two saves within a step would look the same. A file
//! watcher such as the crate `notify` would avoid reading a few KiB. However, it needs a thread and a library
//! for each operating system, and it misses changes on network drives and container mounts.

use std::{
    fmt,
    ops::Deref,
    path::{Path, PathBuf},
};

use web_time::{Duration, Instant};

use crate::{Frame, Result};

/// Time between two checks of the files, shorter than a switch from the editor to the window takes.
const INTERVAL: Duration = Duration::from_millis(250);

/// Creates the objects from the source in the first file.
type Make<T> = Box<dyn FnMut(&str) -> Result<T>>;

/// Shaders or other objects that are recreated from a file: saving the file replaces them in the running
/// program.
///
/// A `HotReload` dereferences to the objects of the last source that compiled. If a source does not compile,
/// these objects stay in use and [`update`](Self::update) shows the error: it writes the error to the
/// terminal and shows its first line in the window's title. This type is meant for development, and is not
/// available in browsers, which have no files.
///
/// ```no_run
/// use onze::prelude::*;
/// use onze_winit::{Frame, HotReload, WindowDesc};
///
/// # fn main() -> onze_winit::Result<()> {
/// onze_winit::run(WindowDesc::new("Live", 640, 480), |setup| {
///     let device = setup.device.clone();
///     let mut shaders = HotReload::new("src/picture.wgsl", move |text| {
///         let vs = device.create_vertex_shader(ShaderSource::wgsl(text, "vs_main"))?;
///         let ps = device.create_pixel_shader(ShaderSource::wgsl(text, "ps_main"))?;
///         Ok((vs, ps))
///     })?;
///     Ok(move |frame: &mut Frame<'_>| {
///         shaders.update(frame);
///         let context = frame.begin([0.0, 0.0, 0.0, 1.0]);
///         context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
///         context.vs_set_shader(&shaders.0);
///         context.ps_set_shader(&shaders.1);
///         context.draw(3, 0);
///         Ok(())
///     })
/// })
/// # }
/// ```
///
/// The closure may create several objects, such as the file's vertex and pixel shaders and an input layout,
/// and return them as a tuple or a struct. [`watch`](Self::watch) adds files that the source includes.
pub struct HotReload<T> {
    /// The watched files, beginning with the one that contains the source.
    files: Vec<WatchedFile>,
    make: Make<T>,
    current: T,
    error: Option<String>,
    next: Instant,
}

/// The result of a check of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReloadStatus {
    /// No file has changed since the last check, or the next check is not due yet.
    Unchanged,
    /// A file has changed, and the objects have been replaced.
    Replaced,
    /// A file has changed, but a file could not be read or the objects could not be created. The old objects
    /// stay in use, and [`HotReload::error`] returns the reason.
    Failed,
}

struct WatchedFile {
    path: PathBuf,
    /// The file's bytes, or the error message if the file could not be read.
    contents: std::result::Result<Vec<u8>, String>,
}

impl WatchedFile {
    fn new(path: PathBuf) -> Self {
        let contents = read(&path);
        Self { path, contents }
    }

    /// Reads the file again and returns whether its contents have changed.
    fn look(&mut self) -> bool {
        let now = read(&self.path);
        let differs = now != self.contents;
        self.contents = now;
        differs
    }
}

fn read(path: &Path) -> std::result::Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

impl<T> HotReload<T> {
    /// Reads a file and creates objects from its contents.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or `make` fails, because there are no older objects to use
    /// instead.
    pub fn new(path: impl Into<PathBuf>, make: impl FnMut(&str) -> Result<T> + 'static) -> Result<Self> {
        let (file, mut make): (_, Make<T>) = (WatchedFile::new(path.into()), Box::new(make));
        let current = make_from(&mut make, std::slice::from_ref(&file))?;
        Ok(Self { files: vec![file], make, current, error: None, next: Instant::now() + INTERVAL })
    }

    /// Also watches another file, such as one that the source includes.
    pub fn watch(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(WatchedFile::new(path.into()));
        self
    }

    /// Checks the files immediately, and creates the objects again if any file has changed.
    pub fn check(&mut self) -> ReloadStatus {
        self.next = Instant::now() + INTERVAL;
        // This reads every file instead of stopping at the first changed one, so that no change is reported
        // twice.
        let changed = self.files.iter_mut().fold(false, |changed, file| file.look() | changed);
        if !changed {
            return ReloadStatus::Unchanged;
        }
        match make_from(&mut self.make, &self.files) {
            Ok(new) => {
                (self.current, self.error) = (new, None);
                ReloadStatus::Replaced
            }
            Err(error) => {
                self.error = Some(error.to_string());
                ReloadStatus::Failed
            }
        }
    }

    /// Checks the files if the last check was at least a quarter of a second ago, so call this in each frame
    /// before drawing. It shows an error in the terminal and in the window's title, and restores the title
    /// after the error has been fixed.
    pub fn update(&mut self, frame: &Frame<'_>) -> ReloadStatus {
        if Instant::now() < self.next {
            return ReloadStatus::Unchanged;
        }
        let status = self.check();
        let file = self.files.first().map(|file| file.path.display().to_string()).unwrap_or_default();
        match (status, &self.error) {
            (ReloadStatus::Failed, Some(error)) => {
                eprintln!("{file} was not reloaded: {error}");
                let line = error.lines().next().unwrap_or_default();
                frame.set_title(&format!("{} - {line}", frame.title));
            }
            (ReloadStatus::Replaced, _) => {
                eprintln!("{file} was reloaded");
                frame.set_title(frame.title);
            }
            _ => {}
        }
        status
    }

    /// Returns the error of the last attempt to replace the objects, or `None` if that attempt succeeded.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

/// Creates the objects from the contents of the first file, and fails if any file could not be read.
fn make_from<T>(make: &mut Make<T>, files: &[WatchedFile]) -> Result<T> {
    if let Some(error) = files.iter().find_map(|file| file.contents.as_ref().err()) {
        return Err(error.clone().into());
    }
    let text = files.first().and_then(|file| file.contents.as_ref().ok()).map(Vec::as_slice);
    make(&String::from_utf8_lossy(text.unwrap_or_default()))
}

impl<T> Deref for HotReload<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.current
    }
}

impl<T: fmt::Debug> fmt::Debug for HotReload<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HotReload")
            .field("file", &self.files.first().map(|file| &file.path))
            .field("current", &self.current)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use onze::prelude::*;

    use super::*;

    struct File(PathBuf);

    impl File {
        fn new(name: &str, text: &str) -> Self {
            let file = Self(std::env::temp_dir().join(format!("onze-reload-{}-{name}", std::process::id())));
            file.write(text);
            file
        }

        fn write(&self, text: &str) {
            std::fs::write(&self.0, text).unwrap();
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn shader(red: &str) -> String {
        format!("@fragment fn main() -> @location(0) vec4f {{ return vec4f({red}, 0.0, 0.0, 1.0); }}")
    }

    #[test]
    fn a_saved_file_replaces_the_shader() {
        let null = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (device, _context) = create_device(&null).unwrap();
        let file = File::new("saved", &shader("1.0"));
        let mut shader_of = HotReload::new(&file.0, move |text| {
            Ok(device.create_pixel_shader(ShaderSource::wgsl(text, "main"))?)
        })
        .unwrap();
        let first = shader_of.clone();
        assert_eq!(shader_of.check(), ReloadStatus::Unchanged);
        assert!(*shader_of == first);

        file.write(&shader("oops"));
        assert_eq!(shader_of.check(), ReloadStatus::Failed);
        assert!(shader_of.error().unwrap().contains("oops"), "{:?}", shader_of.error());
        assert!(*shader_of == first, "the old shader stays in use");
        assert_eq!(shader_of.check(), ReloadStatus::Unchanged, "an error is reported once");
        assert!(shader_of.error().is_some());

        file.write(&shader("0.5"));
        assert_eq!(shader_of.check(), ReloadStatus::Replaced);
        assert!(*shader_of != first && shader_of.error().is_none());
    }

    #[test]
    fn an_included_file_is_watched_too() {
        let (main, included) = (File::new("main", "main"), File::new("included", "1"));
        let mut made = 0;
        let mut count = HotReload::new(&main.0, move |text| {
            assert_eq!(text, "main");
            made += 1;
            Ok(made)
        })
        .unwrap()
        .watch(&included.0);
        assert_eq!((count.check(), *count), (ReloadStatus::Unchanged, 1));
        included.write("2");
        assert_eq!((count.check(), *count), (ReloadStatus::Replaced, 2));
    }

    #[test]
    fn changes_of_both_files_are_one_replacement() {
        let (main, included) = (File::new("first", "1"), File::new("second", "1"));
        let text = HotReload::new(&main.0, |text| Ok(text.to_owned())).unwrap();
        let mut text = text.watch(&included.0);
        main.write("2");
        included.write("2");
        assert_eq!((text.check(), text.as_str()), (ReloadStatus::Replaced, "2"));
        assert_eq!(text.check(), ReloadStatus::Unchanged);
    }

    #[test]
    fn a_removed_file_keeps_the_object_until_it_returns() {
        let file = File::new("removed", "1");
        let mut text = HotReload::new(&file.0, |text| Ok(text.to_owned())).unwrap();
        std::fs::remove_file(&file.0).unwrap();
        assert_eq!((text.check(), text.as_str()), (ReloadStatus::Failed, "1"));
        assert!(text.error().unwrap().contains("removed"), "{:?}", text.error());
        file.write("2");
        assert_eq!((text.check(), text.as_str()), (ReloadStatus::Replaced, "2"));
        let path = file.0.with_extension("none");
        assert!(HotReload::new(path, |text| Ok(text.to_owned())).is_err());
    }

    #[test]
    fn an_update_looks_only_after_its_interval() {
        let file = File::new("interval", "1");
        let mut text = HotReload::new(&file.0, |text| Ok(text.to_owned())).unwrap();
        let null = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (device, mut context) = create_device(&null).unwrap();
        let target = device.create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        let input = winit_input_helper::WinitInputHelper::new();
        let frame = Frame {
            device: &device,
            context: &mut context,
            target: &target.render_target_view,
            depth: None,
            width: 4,
            height: 4,
            time: 0.0,
            delta: 0.0,
            input: &input,
            window: None,
            title: "Title",
            ends: false,
        };
        file.write("2");
        text.next = Instant::now() + Duration::from_secs(600);
        assert_eq!((text.update(&frame), text.as_str()), (ReloadStatus::Unchanged, "1"));
        text.next = Instant::now();
        assert_eq!((text.update(&frame), text.as_str()), (ReloadStatus::Replaced, "2"));
        assert!(text.next > Instant::now(), "the next check waits for the interval");
    }
}
