//! The desktop's part of the library: a loop that returns, and calls that wait.

use onze::{Device, DeviceDesc};
use winit::window::WindowAttributes;

use crate::{
    Game, Result, Setup, WindowDesc,
    window::{App, Created, Screen},
};

/// Runs a game in a window, or without one to write a picture.
pub(crate) fn run<G: Game>(desc: WindowDesc, init: impl FnOnce(&mut Setup<'_>) -> Result<G>) -> Result<()> {
    #[cfg(feature = "args")]
    if let Some(path) = desc.picture.clone() {
        return crate::picture::draw(desc, &path, init);
    }
    let (event_loop, mut app) = App::new(desc, init)?;
    event_loop.run_app(&mut app)?;
    app.result
}

pub(crate) fn place(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

pub(crate) fn create_device(desc: DeviceDesc, answer: impl FnOnce(Created)) {
    answer(onze::create_device(&desc).map_err(Into::into));
}

pub(crate) fn close(screen: Screen) {
    drop(screen);
}

/// The statistics of a web page, which a desktop does not have.
pub(crate) struct Report;

impl Report {
    pub(crate) fn new(_: &Device) -> Self {
        Self
    }

    pub(crate) fn frame(&mut self, _: &Device) {}
}

/// Does nothing at the end of the loop, because [`run`] returns the result.
pub(crate) fn ended(_result: &Result<()>) {}
