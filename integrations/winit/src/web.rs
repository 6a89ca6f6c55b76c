//! What is special about browsers: a canvas for a window, a loop that does not return, and no call that waits.

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

/// The `id` of the page's canvas for the game.
const CANVAS: &str = "onze";

/// The class of the element that shows an error.
const ERROR_CLASS: &str = "onze-error";

/// The `id` of the element that shows the statistics.
const STATISTICS: &str = "onze-statistics";

/// How often it does.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Starts a game. It begins when the browser comes back to its event loop.
pub(crate) fn run<G: Game + 'static>(
    desc: WindowDesc,
    init: impl FnOnce(&mut Setup<'_>) -> Result<G> + 'static,
) -> Result<()> {
    // The standard error output, to which a panic writes, is lost here.
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

/// Where the window is: in the page's canvas, or in a new one at the end of the page.
pub(crate) fn place(attributes: WindowAttributes) -> WindowAttributes {
    let canvas = element(CANVAS).and_then(|element| element.dyn_into::<HtmlCanvasElement>().ok());
    attributes.with_canvas(canvas).with_append(true)
}

/// The page's element of this `id`.
fn element(id: &str) -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

/// Has a device made, and hands it over in a later turn of the event loop.
pub(crate) fn create_device(desc: DeviceDesc, answer: impl FnOnce(Created) + 'static) {
    spawn_local(async move { answer(create_device_async(&desc).await.map_err(Into::into)) });
}

/// Keeps the last picture of a game that has ended in the page: a canvas without its device is empty.
pub(crate) fn close(screen: Screen) {
    thread_local! {
        static LAST: Cell<Option<Screen>> = const { Cell::new(None) };
    }
    LAST.set(Some(screen));
}

/// Shows in the page what frames are made of.
pub(crate) struct Report {
    /// Since when frames are counted.
    begin: Instant,
    frames: u32,
    /// What there was then.
    before: Statistics,
}

impl Report {
    pub(crate) fn new(device: &Device) -> Self {
        Self { begin: Instant::now(), frames: 0, before: device.statistics() }
    }

    /// A frame has been presented.
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

/// The loop has ended: shows why, as nobody waits for its result.
pub(crate) fn ended(result: &Result<()>) {
    if let Err(error) = result {
        show_error(&error.to_string());
    }
}

/// Shows an error in the console and at the end of the page.
fn show_error(text: &str) {
    console::error_1(&text.into());
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let (Some(body), Ok(element)) = (document.body(), document.create_element("pre")) else { return };
    element.set_class_name(ERROR_CLASS);
    element.set_text_content(Some(text));
    // It is in the console already.
    drop(body.append_child(&element));
}

#[cfg(feature = "args")]
impl WindowDesc {
    /// The same with what the address of the page asks for: `?size=WxH&frames=N`. What it does not know is left to
    /// the page; a value that is wrong is ignored, with an error in the console.
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

/// The value of a name in the query, if it is there and right.
#[cfg(feature = "args")]
fn value<T>(
    query: &web_sys::UrlSearchParams,
    name: &str,
    parse: impl Fn(&str) -> std::result::Result<T, String>,
) -> Option<T> {
    let text = query.get(name)?;
    parse(&text).inspect_err(|words| console::error_1(&format!("{name}={text}: {words}").into())).ok()
}
