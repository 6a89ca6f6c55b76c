//! A window on an X11 display, as seen by a separate client that reads its title and pixels, and presses
//! keys.

use std::time::{Duration, Instant};

use image::{Rgb, RgbImage};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt, EventMask, ImageFormat, ImageOrder,
    InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, KeyPressEvent, MapState, Screen, StackMode, Window,
};
use x11rb::rust_connection::RustConnection;

use crate::support::PATIENCE;

pub(crate) const KEY_M: u32 = 0x6d;
pub(crate) const KEY_SPACE: u32 = 0x20;
pub(crate) const KEY_ESCAPE: u32 = 0xff1b;

const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Polls until `look` returns a value, or returns `None` after [`PATIENCE`].
pub(crate) fn look_for<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let found = look();
        if found.is_some() || start.elapsed() >= PATIENCE {
            return found;
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}

pub(crate) struct XWindow {
    connection: RustConnection,
    screen: Screen,
    window: Window,
}

impl XWindow {
    /// Waits for the window of a process on the display given by `DISPLAY`, and raises it because the server
    /// does not store the pixels of covered windows.
    #[track_caller]
    pub(crate) fn of_process(id: u32) -> Self {
        let (connection, number) = x11rb::connect(None).unwrap();
        let screen = connection.setup().roots[number].clone();
        let window = look_for(|| find(&connection, screen.root, id))
            .unwrap_or_else(|| panic!("process {id} shows no window"));
        let above = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
        connection.configure_window(window, &above).unwrap().check().unwrap();
        Self { connection, screen, window }
    }

    pub(crate) fn title(&self) -> String {
        let (name, kind) = (AtomEnum::WM_NAME, AtomEnum::ANY);
        let title = self.connection.get_property(false, self.window, name, kind, 0, 1024).unwrap();
        String::from_utf8(title.reply().unwrap().value).unwrap()
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.connection.configure_window(self.window, &size).unwrap().check().unwrap();
    }

    #[track_caller]
    pub(crate) fn press(&self, keysym: u32) {
        let parent = InputFocus::PARENT;
        self.connection.set_input_focus(parent, self.window, CURRENT_TIME).unwrap().check().unwrap();
        let kinds = [(KEY_PRESS_EVENT, EventMask::KEY_PRESS), (KEY_RELEASE_EVENT, EventMask::KEY_RELEASE)];
        for (kind, mask) in kinds {
            let event = KeyPressEvent {
                response_type: kind,
                detail: self.keycode(keysym),
                root: self.screen.root,
                event: self.window,
                same_screen: true,
                ..KeyPressEvent::default()
            };
            self.connection.send_event(false, self.window, mask, event).unwrap().check().unwrap();
        }
    }

    pub(crate) fn ask_to_close(&self) {
        let protocols = atom(&self.connection, "WM_PROTOCOLS");
        let delete = [atom(&self.connection, "WM_DELETE_WINDOW"), 0, 0, 0, 0];
        let message = ClientMessageEvent::new(32, self.window, protocols, delete);
        let sent = self.connection.send_event(false, self.window, EventMask::NO_EVENT, message);
        sent.unwrap().check().unwrap();
    }

    pub(crate) fn pixels(&self) -> Result<RgbImage, ReplyError> {
        let extent = self.connection.get_geometry(self.window)?.reply()?;
        let (format, all) = (ImageFormat::Z_PIXMAP, u32::MAX);
        let cookie =
            self.connection.get_image(format, self.window, 0, 0, extent.width, extent.height, all)?;
        let image = cookie.reply()?;
        let setup = self.connection.setup();
        let layout = setup.pixmap_formats.iter().find(|layout| layout.depth == image.depth).unwrap();
        assert_eq!(layout.bits_per_pixel, 32, "the test reads pixels of four bytes");
        let visuals = self.screen.allowed_depths.iter().flat_map(|depth| &depth.visuals);
        let visual = visuals.clone().find(|visual| visual.visual_id == image.visual).unwrap();
        let pixel = |bytes: &[u8; 4]| match setup.image_byte_order {
            ImageOrder::LSB_FIRST => u32::from_le_bytes(*bytes),
            _ => u32::from_be_bytes(*bytes),
        };
        let channel = |pixel: u32, mask: u32| {
            assert_eq!(mask.count_ones(), 8, "the test reads channels of eight bits");
            ((pixel & mask) >> mask.trailing_zeros()) as u8
        };
        let rgb = |bytes| {
            let pixel = pixel(bytes);
            [visual.red_mask, visual.green_mask, visual.blue_mask].map(|mask| channel(pixel, mask))
        };
        let pixels = image.data.as_chunks::<4>().0.iter().flat_map(rgb).collect();
        Ok(RgbImage::from_raw(extent.width.into(), extent.height.into(), pixels).unwrap())
    }

    /// Waits until the window shows a picture, with a tolerance of 1 per channel. On failure, writes the
    /// expected picture, the window's last pixels and their difference as PNG files.
    #[track_caller]
    pub(crate) fn expect_picture(&self, name: &str, expected: &RgbImage) {
        // The server receives a picture shortly after the demo has presented it.
        let mut actual = None;
        let is_shown = look_for(|| {
            let pixels = self.pixels().unwrap_or_else(|error| panic!("{name}: the window has gone: {error}"));
            let difference = largest_difference(&pixels, expected);
            actual = Some(pixels);
            difference.is_some_and(|difference| difference <= 1).then_some(())
        });
        let Some(actual) = actual.filter(|_| is_shown.is_none()) else { return };
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
        let save = |kind, image: &RgbImage| image.save(folder.join(format!("{name}-{kind}.png"))).unwrap();
        save("expected", expected);
        save("actual", &actual);
        if actual.dimensions() == expected.dimensions() {
            let difference = |x, y| {
                let (a, b) = (actual.get_pixel(x, y), expected.get_pixel(x, y));
                Rgb(std::array::from_fn(|channel| a[channel].abs_diff(b[channel]).saturating_mul(16)))
            };
            save("difference", &RgbImage::from_fn(actual.width(), actual.height(), difference));
        }
        panic!(
            "{name}: the window ({:?}) shows another picture than expected ({:?}), largest difference {:?}: \
             see {}",
            actual.dimensions(),
            expected.dimensions(),
            largest_difference(&actual, expected),
            folder.join(format!("{name}-*.png")).display()
        );
    }

    #[track_caller]
    fn keycode(&self, keysym: u32) -> u8 {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = self.connection.get_keyboard_mapping(first, last - first + 1).unwrap();
        let mapping = mapping.reply().unwrap();
        let mut keys = mapping.keysyms.chunks(mapping.keysyms_per_keycode.into());
        let place = keys.position(|keysyms| keysyms[0] == keysym).expect("the keyboard has the key");
        first + place as u8
    }
}

/// Returns the largest difference of any channel, or `None` if the sizes differ.
pub(crate) fn largest_difference(a: &RgbImage, b: &RgbImage) -> Option<u8> {
    let same_size = a.dimensions() == b.dimensions();
    same_size.then(|| a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0))
}

fn atom(connection: &RustConnection, name: &str) -> u32 {
    connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
}

/// Searches a window's descendants for the visible window of a process. The search is recursive, because
/// window managers put windows into frames. Windows may disappear during the search, so a window that causes
/// an error is skipped.
fn find(connection: &RustConnection, parent: Window, process: u32) -> Option<Window> {
    let is_wanted = |window| {
        let (name, kind) = (atom(connection, "_NET_WM_PID"), AtomEnum::CARDINAL);
        let owner = connection.get_property(false, window, name, kind, 0, 1).ok()?.reply().ok()?;
        let state = connection.get_window_attributes(window).ok()?.reply().ok()?.map_state;
        let is_visible = state == MapState::VIEWABLE;
        Some(is_visible && owner.value32()?.next() == Some(process))
    };
    let children = connection.query_tree(parent).ok()?.reply().ok()?.children;
    children.into_iter().find_map(|child| match is_wanted(child) {
        Some(true) => Some(child),
        _ => find(connection, child, process),
    })
}
