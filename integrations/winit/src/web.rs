//! What is special about browsers: a canvas for a window, a loop that does not return, and no call that waits.

use std::cell::Cell;

use onze::{DeviceDesc, create_device_async};
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlCanvasElement, console};
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
    let document = web_sys::window().and_then(|window| window.document());
    let element = document.and_then(|document| document.get_element_by_id(CANVAS));
    let canvas = element.and_then(|element| element.dyn_into::<HtmlCanvasElement>().ok());
    attributes.with_canvas(canvas).with_append(true)
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
