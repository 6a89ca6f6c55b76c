//! The browser implementation of `system`: the window is a canvas, [`run`] returns immediately, and nothing
//! blocks.

use std::cell::Cell;

use onze::{Device, DeviceDesc, Statistics, create_device_async};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlCanvasElement, console};
use web_time::{Duration, Instant};
use winit::{
    platform::web::{EventLoopExtWebSys as _, WindowAttributesExtWebSys as _},
    window::WindowAttributes,
};

use crate::{
    Game, Result, Setup, WindowDesc,
    window::{App, Created, Screen},
};

/// The `id` of the game's canvas in the web page.
const CANVAS: &str = "onze";

/// The class of the element that shows an error.
const ERROR_CLASS: &str = "onze-error";

/// The `id` of the element that shows the statistics.
const STATISTICS: &str = "onze-statistics";

const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Starts a game, which begins when the browser returns to its event loop.
pub(crate) fn run<G: Game + 'static>(
    desc: WindowDesc,
    init: impl FnOnce(&mut Setup<'_>) -> Result<G> + 'static,
) -> Result<()> {
    // The default panic hook writes to the standard error output, which browsers discard.
    std::panic::set_hook(Box::new(|info| show_error(&info.to_string())));
    let started = start(desc, init);
    ended(&started);
    started
}

fn start<G: Game + 'static>(
    desc: WindowDesc,
    init: impl FnOnce(&mut Setup<'_>) -> Result<G> + 'static,
) -> Result<()> {
    #[cfg(feature = "args")]
    if desc.picture.is_some() {
        return Err("a browser has no files: `WindowDesc::picture` must be `None`".into());
    }
    let (event_loop, app) = App::new(desc, init)?;
    event_loop.spawn_app(app);
    Ok(())
}

/// Makes the web page's canvas the window, or adds a new canvas at the end of the page.
pub(crate) fn place(attributes: WindowAttributes) -> WindowAttributes {
    let canvas = element(CANVAS).and_then(|element| element.dyn_into::<HtmlCanvasElement>().ok());
    attributes.with_canvas(canvas).with_append(true)
}

fn element(id: &str) -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

/// Creates a device and passes it to `answer` in a later iteration of the event loop.
pub(crate) fn create_device(desc: DeviceDesc, answer: impl FnOnce(Created) + 'static) {
    spawn_local(async move { answer(create_device_async(&desc).await.map_err(Into::into)) });
}

/// Keeps the last picture of a finished game in the web page, because a canvas becomes empty without its
/// device.
pub(crate) fn close(screen: Screen) {
    thread_local! {
        static LAST: Cell<Option<Screen>> = const { Cell::new(None) };
    }
    LAST.set(Some(screen));
}

/// Shows frame statistics in the web page.
pub(crate) struct Report {
    begin: Instant,
    frames: u32,
    /// The device's statistics when this object began to count frames.
    before: Statistics,
}

impl Report {
    pub(crate) fn new(device: &Device) -> Self {
        Self { begin: Instant::now(), frames: 0, before: device.statistics() }
    }

    /// Counts a presented frame, and shows the statistics once per [`REPORT_INTERVAL`].
    pub(crate) fn frame(&mut self, device: &Device) {
        self.frames += 1;
        let elapsed = self.begin.elapsed();
        if elapsed < REPORT_INTERVAL {
            return;
        }
        let frames = self.frames;
        let now = Self::new(device);
        let new = now.before - std::mem::replace(self, now).before;
        let Some(element) = element(STATISTICS) else { return };
        let each = |count: u64| count as f64 / f64::from(frames);
        element.set_text_content(Some(&format!(
            "{:.0} frames per second\n\nin each frame:\n{:.0} draws\n{:.0} of them by index\n{:.0} render passes\n\
             {:.1} KB uploaded\n\n{} pipelines compiled while a draw waited\n{} objects\n{:.1} MB in {} allocations",
            f64::from(frames) / elapsed.as_secs_f64(),
            each(new.draws),
            each(new.draws_by_index),
            each(new.passes),
            each(new.uploaded_bytes) / 1e3,
            self.before.pipeline_compilations,
            new.live_objects,
            new.allocated_bytes as f64 / 1e6,
            new.allocations,
        )));
    }
}

/// Shows the error of a finished loop, because `run` has already returned.
pub(crate) fn ended(result: &Result<()>) {
    if let Err(error) = result {
        show_error(&error.to_string());
    }
}

/// Shows an error in the console and at the end of the web page.
fn show_error(text: &str) {
    console::error_1(&text.into());
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let (Some(body), Ok(element)) = (document.body(), document.create_element("pre")) else { return };
    element.set_class_name(ERROR_CLASS);
    element.set_text_content(Some(text));
    // If this fails, the error is still in the console.
    drop(body.append_child(&element));
}

#[cfg(feature = "args")]
impl WindowDesc {
    /// Applies the parameters of the web page's address, `?size=WxH&frames=N`. Unknown parameters are left to
    /// the web page, but if a parameter's value is invalid, the parameter is ignored and an error is written
    /// to the console.
    pub fn with_args(self) -> Self {
        let search = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
        let Ok(query) = web_sys::UrlSearchParams::new_with_str(&search) else { return self };
        let (width, height) = value(&query, "size", crate::size::parse).unwrap_or((self.width, self.height));
        let frames = value(&query, "frames", |text| match text.parse() {
            Ok(0) | Err(_) => Err("expected a number from 1".to_owned()),
            Ok(frames) => Ok(frames),
        });
        Self { width, height, frames: frames.or(self.frames), ..self }
    }
}

/// Returns a parameter's value if it is present and valid.
#[cfg(feature = "args")]
fn value<T>(
    query: &web_sys::UrlSearchParams,
    name: &str,
    parse: impl Fn(&str) -> std::result::Result<T, String>,
) -> Option<T> {
    let text = query.get(name)?;
    parse(&text).inspect_err(|words| console::error_1(&format!("{name}={text}: {words}").into())).ok()
}
