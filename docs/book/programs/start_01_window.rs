//! Step 1 of the book's chapter "Start": a window in one colour. Escape closes the window.

// ANCHOR: all
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

fn main() -> onze_winit::Result<()> {
    onze_winit::run(WindowDesc::new("Start", 960, 540).with_args(), |_setup| {
        Ok(|frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            frame.begin([0.03, 0.04, 0.07, 1.0]);
            Ok(())
        })
    })
}
// ANCHOR_END: all
