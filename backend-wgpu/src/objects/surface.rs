//! The surface of a window, and the texture that it lends for a frame.
//!
//! wgpu lends the texture of a surface from [`Surface::acquire`] until the present. If a swap chain discards
//! its contents after each present, its back buffer refers to that texture. [`Surface::acquire_for_frame`]
//! acquires the texture when a frame first uses the back buffer. A surface that is hidden, busy, outdated or
//! lost lends no texture. The frame is then drawn into the back buffer's original texture, and the present
//! reports why nothing is shown.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool};

use onze_ddi::{CreateError, DriverBug, PresentError, WindowHandle};

use crate::{
    objects::texture::TextureMemory,
    services::{convert, gpu::Gpu, ids::unique_id},
};

/// Presents textures, either in a window or in a test's replacement for a window.
pub(crate) trait Screen: Send {
    fn configure(&mut self, gpu: &Gpu, configuration: &wgpu::SurfaceConfiguration);

    /// Returns the next texture, or the reason why there is none.
    fn next(&mut self) -> ScreenAnswer;

    /// Replaces a lost screen, or returns an error if the window no longer exists.
    fn renew(&mut self, gpu: &Gpu) -> Result<(), PresentError>;
}

/// The result of a request for a screen's next texture (wgpu: `CurrentSurfaceTexture`).
pub(crate) enum ScreenAnswer {
    Picture(Box<dyn Picture>),
    /// A texture that can be used, although the configuration no longer matches the window.
    Suboptimal(Box<dyn Picture>),
    /// The window is hidden or busy, so there is no texture for now.
    Hidden,
    /// The configuration no longer matches the window, so the screen must be configured again.
    Outdated,
    /// The surface was lost, so the screen must be replaced with [`Screen::renew`].
    Lost,
    /// wgpu rejected the request because of a bug in this driver.
    Invalid,
}

pub(crate) trait Picture: Send {
    fn texture(&self) -> &wgpu::Texture;

    /// Shows the texture. The work that draws it must have been submitted.
    fn show(self: Box<Self>, gpu: &Gpu);
}

/// The screen of a swap chain, used only by the immediate context's thread.
pub(crate) struct Surface {
    state: Mutex<SurfaceState>,
    present_modes: Vec<wgpu::PresentMode>,
}

struct SurfaceState {
    /// Declared before the screen, so that the texture is dropped before the screen that lent it.
    frame: ScreenFrame,
    /// The screen, or `None` after the swap chain was destroyed, so that back buffers that still exist do not
    /// keep a window open.
    screen: Option<Box<dyn Screen>>,
    configuration: wgpu::SurfaceConfiguration,
    configured: bool,
}

pub(crate) enum ScreenFrame {
    Unasked,
    Lent(Box<dyn Picture>, Arc<TextureMemory>),
    /// The screen lent no texture, because it is hidden or an error occurred.
    Refused(Result<(), PresentError>),
}

impl std::fmt::Debug for Surface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surface").field("configuration", &self.lock().configuration).finish_non_exhaustive()
    }
}

/// Converts the error of a wgpu call that is made for a present.
pub(crate) fn present_error(error: CreateError) -> PresentError {
    match error {
        CreateError::OutOfMemory => PresentError::OutOfMemory,
        CreateError::DeviceRemoved(words) => PresentError::DeviceRemoved(words),
        CreateError::Application(words) => PresentError::SurfaceLost(words),
        CreateError::Bug(bug) => PresentError::Bug(bug),
    }
}

pub(crate) fn lost(words: impl std::fmt::Display) -> PresentError {
    PresentError::SurfaceLost(words.to_string().into())
}

fn destroyed() -> PresentError {
    lost("the swap chain was destroyed")
}

/// Chooses the present mode for D3D11's sync interval. wgpu cannot wait for more than one refresh, so all
/// intervals of 1 or more have the same mode.
fn present_mode(offered: &[wgpu::PresentMode], sync_interval: u32) -> wgpu::PresentMode {
    let wishes: &[wgpu::PresentMode] = match sync_interval {
        0 => &[wgpu::PresentMode::Immediate, wgpu::PresentMode::Mailbox],
        _ => &[],
    };
    wishes.iter().find(|mode| offered.contains(mode)).copied().unwrap_or(wgpu::PresentMode::Fifo)
}

impl Surface {
    /// Configures a screen, or returns an error if wgpu rejects the configuration or the device is lost.
    pub(crate) fn new(
        gpu: &Gpu,
        screen: Box<dyn Screen>,
        configuration: wgpu::SurfaceConfiguration,
        present_modes: Vec<wgpu::PresentMode>,
    ) -> Result<Arc<Self>, PresentError> {
        let mut state = SurfaceState {
            frame: ScreenFrame::Unasked,
            screen: Some(screen),
            configuration,
            configured: false,
        };
        state.configure(gpu)?;
        Ok(Arc::new(Self { state: Mutex::new(state), present_modes }))
    }

    /// Returns this frame's texture for a back buffer, or `None` if the screen lends none. The first call in
    /// a frame acquires the texture, which may wait for the display.
    pub(crate) fn acquire_for_frame(&self, gpu: &Gpu) -> Option<Arc<TextureMemory>> {
        let mut state = self.lock();
        state.screen.as_ref()?;
        if let ScreenFrame::Unasked = state.frame {
            state.frame = match state.acquire(gpu) {
                Ok(Some(picture)) => {
                    let memory = lent_memory(picture.texture(), &state.configuration);
                    ScreenFrame::Lent(picture, memory)
                }
                Ok(None) => ScreenFrame::Refused(Ok(())),
                Err(error) => ScreenFrame::Refused(Err(error)),
            };
        }
        match &state.frame {
            ScreenFrame::Lent(_, memory) => Some(memory.clone()),
            ScreenFrame::Unasked | ScreenFrame::Refused(_) => None,
        }
    }

    /// Whether the screen lends a texture for this frame. If an earlier request in this frame returned no
    /// texture, this call requests a texture again. Returns an error if the window or the device is lost.
    pub(crate) fn test(&self, gpu: &Gpu) -> Result<bool, PresentError> {
        {
            let mut state = self.lock();
            if let ScreenFrame::Refused(_) = state.frame {
                state.frame = ScreenFrame::Unasked;
            }
        }
        if self.acquire_for_frame(gpu).is_some() {
            return Ok(true);
        }
        match &self.lock().frame {
            ScreenFrame::Refused(Err(error)) => Err(error.clone()),
            ScreenFrame::Unasked | ScreenFrame::Lent(..) | ScreenFrame::Refused(Ok(())) => Ok(false),
        }
    }

    pub(crate) fn end_frame(&self) -> ScreenFrame {
        std::mem::replace(&mut self.lock().frame, ScreenFrame::Unasked)
    }

    /// Returns the next texture, or `None` if the window is hidden or busy. Returns an error if the window or
    /// the device is lost.
    pub(crate) fn acquire(&self, gpu: &Gpu) -> Result<Option<Box<dyn Picture>>, PresentError> {
        self.lock().acquire(gpu)
    }

    /// Sets the sync interval, starting with the next acquired texture.
    pub(crate) fn set_sync_interval(&self, sync_interval: u32) {
        let mut state = self.lock();
        let mode = present_mode(&self.present_modes, sync_interval);
        if state.configuration.present_mode != mode {
            state.configuration.present_mode = mode;
            state.configured = false;
        }
    }

    /// Sets the number of frames that may be queued, starting with the next acquired texture.
    pub(crate) fn set_maximum_frame_latency(&self, frames: u32) {
        let mut state = self.lock();
        if state.configuration.desired_maximum_frame_latency != frames {
            state.configuration.desired_maximum_frame_latency = frames;
            state.configured = false;
        }
    }

    /// Sets the colour space of texture values, starting with the next acquired texture.
    pub(crate) fn set_color_space(&self, color_space: wgpu::SurfaceColorSpace) {
        let mut state = self.lock();
        if state.configuration.color_space != color_space {
            state.configuration.color_space = color_space;
            state.configured = false;
        }
    }

    /// Adapts to a new size of the window and returns an acquired texture to the screen. A width or height of
    /// 0 is changed to 1, and the screen is configured at the next request for a texture.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let mut state = self.lock();
        // The screen must be reconfigured before it can lend a texture that was acquired but not shown.
        state.configured &= !matches!(state.frame, ScreenFrame::Lent(..));
        state.frame = ScreenFrame::Unasked;
        let size = (width.max(1), height.max(1));
        if (state.configuration.width, state.configuration.height) != size {
            (state.configuration.width, state.configuration.height) = size;
            state.configured = false;
        }
    }

    /// Closes the screen because the swap chain is being destroyed, after which its back buffers refer to
    /// their original textures.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.frame = ScreenFrame::Unasked;
        state.screen = None;
    }

    fn lock(&self) -> MutexGuard<'_, SurfaceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SurfaceState {
    fn configure(&mut self, gpu: &Gpu) -> Result<(), PresentError> {
        let screen = self.screen.as_mut().ok_or_else(destroyed)?;
        gpu.validated(|| screen.configure(gpu, &self.configuration)).map_err(present_error)?;
        self.configured = true;
        Ok(())
    }

    fn acquire(&mut self, gpu: &Gpu) -> Result<Option<Box<dyn Picture>>, PresentError> {
        // An outdated surface is configured again, and a lost surface is replaced, but only one retry is
        // made.
        for _ in 0..2 {
            if !self.configured {
                self.configure(gpu)?;
            }
            let screen = self.screen.as_mut().ok_or_else(destroyed)?;
            match gpu.guarded(|| screen.next()).map_err(present_error)? {
                ScreenAnswer::Picture(picture) => return Ok(Some(picture)),
                ScreenAnswer::Suboptimal(picture) => {
                    self.configured = false;
                    return Ok(Some(picture));
                }
                ScreenAnswer::Hidden => return Ok(None),
                ScreenAnswer::Outdated => self.configured = false,
                ScreenAnswer::Lost => {
                    screen.renew(gpu)?;
                    self.configured = false;
                }
                ScreenAnswer::Invalid => {
                    return Err(PresentError::Bug(DriverBug("wgpu refused the surface's texture".into())));
                }
            }
        }
        Ok(None)
    }
}

/// Wraps a screen's texture so that a back buffer can refer to it.
fn lent_memory(texture: &wgpu::Texture, configuration: &wgpu::SurfaceConfiguration) -> Arc<TextureMemory> {
    let format = texture.format();
    Arc::new(TextureMemory {
        depth: None,
        texture: texture.clone(),
        id: unique_id(),
        format,
        twin: convert::srgb_twin(format).filter(|twin| configuration.view_formats.contains(twin)),
        width: texture.width(),
        height: texture.height(),
        samples: 1,
        // The screen owns the texture, so it must not be destroyed here.
        lent: AtomicBool::new(true),
        family: None,
        packing: None,
    })
}

pub(crate) struct WindowScreen {
    /// The window, kept to create the surface again if wgpu reports that the surface was lost.
    window: WindowHandle,
    surface: wgpu::Surface<'static>,
}

impl WindowScreen {
    /// Creates the surface of a window, or returns an error if the window no longer exists or the adapter
    /// cannot present to it.
    pub(crate) fn new(gpu: &Gpu, window: &WindowHandle) -> Result<Self, PresentError> {
        let surface = gpu.instance.create_surface(window.clone()).map_err(lost)?;
        if !gpu.adapter.is_surface_supported(&surface) {
            return Err(lost("the adapter cannot present to this window"));
        }
        Ok(Self { window: window.clone(), surface })
    }

    pub(crate) fn capabilities(&self, gpu: &Gpu) -> wgpu::SurfaceCapabilities {
        self.surface.get_capabilities(&gpu.adapter)
    }
}

impl Screen for WindowScreen {
    fn configure(&mut self, gpu: &Gpu, configuration: &wgpu::SurfaceConfiguration) {
        self.surface.configure(&gpu.device, configuration);
    }

    fn next(&mut self) -> ScreenAnswer {
        match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture) => ScreenAnswer::Picture(Box::new(texture)),
            wgpu::CurrentSurfaceTexture::Suboptimal(texture) => ScreenAnswer::Suboptimal(Box::new(texture)),
            wgpu::CurrentSurfaceTexture::Timeout | wgpu::CurrentSurfaceTexture::Occluded => {
                ScreenAnswer::Hidden
            }
            wgpu::CurrentSurfaceTexture::Outdated => ScreenAnswer::Outdated,
            wgpu::CurrentSurfaceTexture::Lost => ScreenAnswer::Lost,
            wgpu::CurrentSurfaceTexture::Validation => ScreenAnswer::Invalid,
        }
    }

    fn renew(&mut self, gpu: &Gpu) -> Result<(), PresentError> {
        self.surface = gpu.instance.create_surface(self.window.clone()).map_err(lost)?;
        Ok(())
    }
}

impl Picture for wgpu::SurfaceTexture {
    fn texture(&self) -> &wgpu::Texture {
        &self.texture
    }

    fn show(self: Box<Self>, gpu: &Gpu) {
        gpu.queue.present(*self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::PresentMode as P;

    #[test]
    fn interval_zero_presents_without_waiting() {
        assert_eq!(present_mode(&[P::Fifo, P::Mailbox, P::Immediate], 0), P::Immediate);
        assert_eq!(present_mode(&[P::Fifo, P::Mailbox], 0), P::Mailbox);
        assert_eq!(present_mode(&[P::Fifo], 0), P::Fifo);
        assert_eq!(present_mode(&[P::Fifo, P::Immediate], 3), P::Fifo);
    }
}
