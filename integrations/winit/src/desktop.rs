//! The desktop implementation of `system`: [`run`] returns when the game ends, and device creation blocks.

use onze::{Device, DeviceDesc};
use winit::window::WindowAttributes;

use crate::{
    Game, Result, Setup, WindowDesc,
    window::{App, Created, Screen},
};

/// Runs a game in a window, or draws it without a window if the description has a picture file.
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

/// An empty replacement for the statistics that browsers show in the web page.
pub(crate) struct Report;

impl Report {
    pub(crate) fn new(_: &Device) -> Self {
        Self
    }

    pub(crate) fn frame(&mut self, _: &Device) {}
}

/// Does nothing at the end of the loop, because [`run`] returns the result.
pub(crate) fn ended(_result: &Result<()>) {}
