//! Monitors, their modes, and windows that fill them (DXGI: `IDXGIOutput`).
//!
//! The monitors are those that winit lists on a desktop, while in a browser the lists are empty.

use onze::Rect;
use winit::{
    dpi::PhysicalSize,
    monitor::{MonitorHandle, VideoModeHandle},
    window::{Fullscreen, Window},
};

/// A monitor of the desktop (DXGI: `IDXGIOutput`).
#[doc(alias = "IDXGIOutput")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    monitor: MonitorHandle,
}

/// The properties of a monitor (DXGI: `DXGI_OUTPUT_DESC`).
#[doc(alias = "DXGI_OUTPUT_DESC")]
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutputDesc {
    /// Name of the monitor, or empty if the system has none (DXGI: `DeviceName`).
    pub device_name: String,
    /// Position and size on the desktop, in pixels (DXGI: `DesktopCoordinates`).
    pub desktop_coordinates: Rect,
    /// Display pixels per logical pixel, for example 2 on a high-density display.
    pub scale_factor: f64,
    /// Current refresh rate in refreshes per 1000 seconds, or 0 if the system does not report it.
    pub refresh_rate_millihertz: u32,
}

/// A size and a refresh rate of a monitor (DXGI: `DXGI_MODE_DESC`).
#[doc(alias = "DXGI_MODE_DESC")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModeDesc {
    /// Width in pixels, or 0 in a search to match any width (DXGI: `Width`).
    pub width: u32,
    /// Height in pixels, or 0 in a search to match any height (DXGI: `Height`).
    pub height: u32,
    /// Refreshes per 1000 seconds, or 0 in a search to match any rate (DXGI: `RefreshRate`).
    pub refresh_rate_millihertz: u32,
    /// Bits per pixel, which replace DXGI's `Format`, or 0 in a search to match any depth.
    pub bit_depth: u16,
}

/// How a window is shown on its monitor (DXGI: `DXGI_SWAP_CHAIN_FULLSCREEN_DESC`).
#[doc(alias = "DXGI_SWAP_CHAIN_FULLSCREEN_DESC")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FullScreenDesc {
    /// Whether the window is an ordinary window on the desktop (DXGI: `Windowed`).
    pub windowed: bool,
    /// The mode that the monitor was set to, or `None` if the window is an ordinary window, or if it fills
    /// the monitor without a border.
    pub mode: Option<ModeDesc>,
}

impl ModeDesc {
    fn of(mode: &VideoModeHandle) -> Self {
        let PhysicalSize { width, height } = mode.size();
        Self {
            width,
            height,
            refresh_rate_millihertz: mode.refresh_rate_millihertz(),
            bit_depth: mode.bit_depth(),
        }
    }

    /// Returns the distance of this mode from the requested one, compared first by size, then by bits, then
    /// by refresh rate. For fields that the request leaves at 0, larger values are nearer.
    fn distance(&self, wish: &Self) -> (u64, u64, u64) {
        let away = |found: u32, wanted: u32| match wanted {
            0 => u64::from(u32::MAX - found),
            wanted => u64::from(found.abs_diff(wanted)),
        };
        let size = away(self.width, wish.width) + away(self.height, wish.height);
        let bits = away(self.bit_depth.into(), wish.bit_depth.into());
        (size, bits, away(self.refresh_rate_millihertz, wish.refresh_rate_millihertz))
    }
}

/// Returns the mode with the least distance from the requested one.
fn closest<T>(modes: impl Iterator<Item = T>, desc: impl Fn(&T) -> ModeDesc, wish: &ModeDesc) -> Option<T> {
    modes.min_by_key(|mode| desc(mode).distance(wish))
}

impl Output {
    /// Lists the monitors, beginning with the one that shows the window (DXGI: `IDXGIAdapter::EnumOutputs`).
    /// The list contains all monitors of the desktop, not only those of the adapter that draws.
    #[doc(alias = "EnumOutputs")]
    pub fn enumerate(window: &Window) -> Vec<Self> {
        let current = window.current_monitor();
        let mut monitors: Vec<_> = window.available_monitors().collect();
        monitors.sort_by_key(|monitor| Some(monitor) != current.as_ref());
        monitors.into_iter().map(|monitor| Self { monitor }).collect()
    }

    /// Returns the monitor that shows most of the window, or `None` if the system does not report it (DXGI:
    /// `IDXGISwapChain::GetContainingOutput`).
    #[doc(alias = "GetContainingOutput")]
    pub fn containing(window: &Window) -> Option<Self> {
        window.current_monitor().map(|monitor| Self { monitor })
    }

    /// Returns winit's handle of the monitor, which has more functions than this type.
    pub fn monitor(&self) -> &MonitorHandle {
        &self.monitor
    }

    /// Returns the monitor's name, position and scale (DXGI: `IDXGIOutput::GetDesc`).
    #[doc(alias = "GetDesc")]
    pub fn desc(&self) -> OutputDesc {
        let (place, size) = (self.monitor.position(), self.monitor.size());
        let side = |size: u32| i32::try_from(size).unwrap_or(i32::MAX);
        OutputDesc {
            device_name: self.monitor.name().unwrap_or_default(),
            desktop_coordinates: Rect {
                left: place.x,
                top: place.y,
                right: place.x.saturating_add(side(size.width)),
                bottom: place.y.saturating_add(side(size.height)),
            },
            scale_factor: self.monitor.scale_factor(),
            refresh_rate_millihertz: self.monitor.refresh_rate_millihertz().unwrap_or_default(),
        }
    }

    /// Lists the modes that the monitor can be set to, smallest first (DXGI:
    /// `IDXGIOutput::GetDisplayModeList`).
    #[doc(alias = "GetDisplayModeList")]
    pub fn display_mode_list(&self) -> Vec<ModeDesc> {
        let mut modes: Vec<_> = self.monitor.video_modes().map(|mode| ModeDesc::of(&mode)).collect();
        modes.sort_unstable();
        modes.dedup();
        modes
    }

    /// Returns the mode that is nearest to `wish`, compared first by size, then by bits, then by refresh
    /// rate, or `None` if the monitor has no modes (DXGI: `IDXGIOutput::FindClosestMatchingMode`).
    #[doc(alias = "FindClosestMatchingMode")]
    pub fn find_closest_matching_mode(&self, wish: &ModeDesc) -> Option<ModeDesc> {
        closest(self.monitor.video_modes(), ModeDesc::of, wish).map(|mode| ModeDesc::of(&mode))
    }

    /// Makes a window fill this monitor (DXGI: `IDXGISwapChain::SetFullscreenState` with a target). Without a
    /// mode, the window becomes borderless. With a mode, the window uses the monitor exclusively, and the
    /// monitor is set to its nearest mode.
    ///
    /// The window system may refuse, so check the result with [`full_screen_state`]; the next frame has the
    /// new size.
    #[doc(alias = "SetFullscreenState")]
    pub fn set_full_screen_state(&self, window: &Window, mode: Option<&ModeDesc>) {
        let mode = mode.and_then(|wish| closest(self.monitor.video_modes(), ModeDesc::of, wish));
        let state = match mode {
            Some(mode) => Fullscreen::Exclusive(mode),
            None => Fullscreen::Borderless(Some(self.monitor.clone())),
        };
        window.set_fullscreen(Some(state));
    }
}

/// Returns whether a window fills a monitor, and which monitor if the system reports it (DXGI:
/// `IDXGISwapChain::GetFullscreenState`).
#[doc(alias = "GetFullscreenState")]
pub fn full_screen_state(window: &Window) -> (bool, Option<Output>) {
    let output = |monitor| Output { monitor };
    match window.fullscreen() {
        Some(Fullscreen::Exclusive(mode)) => (true, Some(output(mode.monitor()))),
        Some(Fullscreen::Borderless(monitor)) => {
            (true, monitor.or_else(|| window.current_monitor()).map(output))
        }
        None => (false, None),
    }
}

/// Returns how a window is shown on its monitor (DXGI: `IDXGISwapChain1::GetFullscreenDesc`).
#[doc(alias = "GetFullscreenDesc")]
pub fn full_screen_desc(window: &Window) -> FullScreenDesc {
    match window.fullscreen() {
        Some(Fullscreen::Exclusive(mode)) => {
            FullScreenDesc { windowed: false, mode: Some(ModeDesc::of(&mode)) }
        }
        Some(Fullscreen::Borderless(_)) => FullScreenDesc { windowed: false, mode: None },
        None => FullScreenDesc { windowed: true, mode: None },
    }
}

/// Resizes a window, in pixels. If the window uses its monitor exclusively, the monitor's mode is changed
/// instead (DXGI: `IDXGISwapChain::ResizeTarget`). A size of 0 leaves an ordinary window unchanged.
///
/// The window system may refuse or ask the user. The next frame has the new size.
#[doc(alias = "ResizeTarget")]
pub fn resize_target(window: &Window, target: &ModeDesc) {
    if let Some(Fullscreen::Exclusive(mode)) = window.fullscreen() {
        Output { monitor: mode.monitor() }.set_full_screen_state(window, Some(target));
    } else if target.width > 0 && target.height > 0 {
        // The new size arrives as an event, either immediately or later.
        let _size = window.request_inner_size(PhysicalSize::new(target.width, target.height));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn mode(width: u32, height: u32, hertz: u32, bit_depth: u16) -> ModeDesc {
        ModeDesc { width, height, refresh_rate_millihertz: hertz * 1000, bit_depth }
    }

    const MODES: [ModeDesc; 6] = [
        mode(640, 480, 60, 32),
        mode(1280, 720, 60, 32),
        mode(1280, 720, 144, 32),
        mode(1280, 720, 144, 16),
        mode(1920, 1080, 60, 32),
        mode(1920, 1080, 59, 32),
    ];

    #[test]
    fn the_closest_mode_is_that_of_size_bits_and_rate() {
        for (wish, expected) in [
            (mode(1280, 720, 60, 0), MODES[1]),
            (mode(1280, 720, 0, 0), MODES[2]),
            (mode(1280, 720, 0, 16), MODES[3]),
            (mode(1300, 700, 100, 32), MODES[1]),
            (mode(1, 1, 0, 0), MODES[0]),
            (mode(0, 0, 0, 0), MODES[4]),
            (mode(1920, 1080, 59, 32), MODES[5]),
            (mode(4000, 4000, 59, 16), MODES[5]),
        ] {
            assert_eq!(closest(MODES.into_iter(), |mode| *mode, &wish), Some(expected), "{wish:?}");
        }
        assert_eq!(closest([].into_iter(), |mode| *mode, &MODES[0]), None);
    }
}
