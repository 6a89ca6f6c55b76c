//! The surface of a window, and the texture that it lends for a frame.
//!
//! wgpu lends the texture of a surface from [`Surface::acquire`] to the present. A back buffer of a swap chain that
//! keeps no contents means that texture: [`Surface::acquire_for_frame`] acquires it when a frame first uses the back buffer. A
//! surface that is hidden, busy, outdated or lost lends nothing; then the frame is drawn into the texture that the back
//! buffer was created with, and the present says why nothing is shown.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool};

use onze_ddi::{CreateError, DriverBug, PresentError, WindowHandle};

use crate::{
    objects::texture::TextureMemory,
    services::{convert, gpu::Gpu, ids::unique_id},
};

/// What shows textures: a window, or in tests something that stands for one.
pub(crate) trait Screen: Send {
    /// Adapts to a configuration.
    fn configure(&mut self, gpu: &Gpu, configuration: &wgpu::SurfaceConfiguration);

    /// The next texture, or why there is none.
    fn next(&mut self) -> Answer;

    /// Replaces a screen that was lost.
    ///
    /// # Errors
    /// The window is gone.
    fn renew(&mut self, gpu: &Gpu) -> Result<(), PresentError>;
}

/// What a screen says when it is asked for a texture. wgpu: `CurrentSurfaceTexture`.
pub(crate) enum Answer {
    Picture(Box<dyn Picture>),
    /// A texture, and the configuration does not fit the window any more.
    Suboptimal(Box<dyn Picture>),
    /// The window is hidden or busy.
    Hidden,
    /// The configuration does not fit the window.
    Outdated,
    /// The screen must be replaced.
    Lost,
    /// A bug of ours.
    Invalid,
}

/// A texture that a screen has lent.
pub(crate) trait Picture: Send {
    /// The texture, until it is shown.
    fn texture(&self) -> &wgpu::Texture;

    /// Shows it, after what draws it was submitted.
    fn show(self: Box<Self>, gpu: &Gpu);
}

/// The screen of a swap chain. The thread of the immediate context uses it.
pub(crate) struct Surface {
    state: Mutex<State>,
    present_modes: Vec<wgpu::PresentMode>,
}

struct State {
    /// Goes before the screen that has lent its texture.
    frame: Frame,
    /// None when the swap chain was destroyed: back buffers that live on keep no window open.
    screen: Option<Box<dyn Screen>>,
    configuration: wgpu::SurfaceConfiguration,
    /// The screen was told the configuration, and nothing changed since.
    configured: bool,
}

/// What the screen has said since the last present.
pub(crate) enum Frame {
    /// It was not asked.
    Unasked,
    /// It has lent a texture.
    Lent(Box<dyn Picture>, Arc<TextureMemory>),
    /// It has none: hidden, or an error.
    Refused(Result<(), PresentError>),
}

impl std::fmt::Debug for Surface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surface").field("configuration", &self.lock().configuration).finish_non_exhaustive()
    }
}

/// What a wgpu call that presents may end with.
pub(crate) fn present_error(error: CreateError) -> PresentError {
    match error {
        CreateError::OutOfMemory => PresentError::OutOfMemory,
        CreateError::DeviceRemoved(words) => PresentError::DeviceRemoved(words),
        CreateError::Application(words) => PresentError::SurfaceLost(words),
        CreateError::Bug(bug) => PresentError::Bug(bug),
    }
}

/// A surface that cannot be had.
pub(crate) fn lost(words: impl std::fmt::Display) -> PresentError {
    PresentError::SurfaceLost(words.to_string().into())
}

fn destroyed() -> PresentError {
    lost("the swap chain was destroyed")
}

/// How to wait for the display, by D3D11's sync interval. wgpu cannot wait for several refreshes.
fn present_mode(offered: &[wgpu::PresentMode], sync_interval: u32) -> wgpu::PresentMode {
    let wishes: &[wgpu::PresentMode] = match sync_interval {
        0 => &[wgpu::PresentMode::Immediate, wgpu::PresentMode::Mailbox],
        _ => &[],
    };
    wishes.iter().find(|mode| offered.contains(mode)).copied().unwrap_or(wgpu::PresentMode::Fifo)
}

impl Surface {
    /// Configures a screen.
    ///
    /// # Errors
    /// wgpu refuses the configuration, or the device is lost.
    pub(crate) fn new(
        gpu: &Gpu,
        screen: Box<dyn Screen>,
        configuration: wgpu::SurfaceConfiguration,
        present_modes: Vec<wgpu::PresentMode>,
    ) -> Result<Arc<Self>, PresentError> {
        let mut state =
            State { frame: Frame::Unasked, screen: Some(screen), configuration, configured: false };
        state.configure(gpu)?;
        Ok(Arc::new(Self { state: Mutex::new(state), present_modes }))
    }

    /// The texture of this frame, for a back buffer; `None` if the screen lends none. The first call of a frame acquires
    /// it, which may wait for the display.
    pub(crate) fn acquire_for_frame(&self, gpu: &Gpu) -> Option<Arc<TextureMemory>> {
        let mut state = self.lock();
        state.screen.as_ref()?;
        if let Frame::Unasked = state.frame {
            state.frame = match state.acquire(gpu) {
                Ok(Some(picture)) => {
                    let memory = lent_memory(picture.texture(), &state.configuration);
                    Frame::Lent(picture, memory)
                }
                Ok(None) => Frame::Refused(Ok(())),
                Err(error) => Frame::Refused(Err(error)),
            };
        }
        match &state.frame {
            Frame::Lent(_, memory) => Some(memory.clone()),
            Frame::Unasked | Frame::Refused(_) => None,
        }
    }

    /// Whether the screen lends a texture for this frame. One that has none is asked again.
    ///
    /// # Errors
    /// The window is gone, or the device.
    pub(crate) fn test(&self, gpu: &Gpu) -> Result<bool, PresentError> {
        {
            let mut state = self.lock();
            if let Frame::Refused(_) = state.frame {
                state.frame = Frame::Unasked;
            }
        }
        if self.acquire_for_frame(gpu).is_some() {
            return Ok(true);
        }
        match &self.lock().frame {
            Frame::Refused(Err(error)) => Err(error.clone()),
            Frame::Unasked | Frame::Lent(..) | Frame::Refused(Ok(())) => Ok(false),
        }
    }

    /// Ends the frame: what the screen has said.
    pub(crate) fn end_frame(&self) -> Frame {
        std::mem::replace(&mut self.lock().frame, Frame::Unasked)
    }

    /// The next texture, `None` when the window is hidden or busy.
    ///
    /// # Errors
    /// The window is gone, or the device.
    pub(crate) fn acquire(&self, gpu: &Gpu) -> Result<Option<Box<dyn Picture>>, PresentError> {
        self.lock().acquire(gpu)
    }

    /// How textures that are acquired from now on wait for the display.
    pub(crate) fn set_sync_interval(&self, sync_interval: u32) {
        let mut state = self.lock();
        let mode = present_mode(&self.present_modes, sync_interval);
        if state.configuration.present_mode != mode {
            state.configuration.present_mode = mode;
            state.configured = false;
        }
    }

    /// How many frames may wait, of those that are acquired from now on.
    pub(crate) fn set_maximum_frame_latency(&self, frames: u32) {
        let mut state = self.lock();
        if state.configuration.desired_maximum_frame_latency != frames {
            state.configuration.desired_maximum_frame_latency = frames;
            state.configured = false;
        }
    }

    /// What the numbers of textures mean that are acquired from now on.
    pub(crate) fn set_color_space(&self, color_space: wgpu::SurfaceColorSpace) {
        let mut state = self.lock();
        if state.configuration.color_space != color_space {
            state.configuration.color_space = color_space;
            state.configured = false;
        }
    }

    /// Adapts to a new size of the window; 0 counts as 1. What was acquired is given back. The screen learns of it
    /// when it is asked next.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let mut state = self.lock();
        // What was acquired and not shown is lost to the screen until it is configured again.
        state.configured &= !matches!(state.frame, Frame::Lent(..));
        state.frame = Frame::Unasked;
        let size = (width.max(1), height.max(1));
        if (state.configuration.width, state.configuration.height) != size {
            (state.configuration.width, state.configuration.height) = size;
            state.configured = false;
        }
    }

    /// The swap chain is destroyed: its back buffers mean the textures that they were created with from here on.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.frame = Frame::Unasked;
        state.screen = None;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn configure(&mut self, gpu: &Gpu) -> Result<(), PresentError> {
        let screen = self.screen.as_mut().ok_or_else(destroyed)?;
        gpu.validated(|| screen.configure(gpu, &self.configuration)).map_err(present_error)?;
        self.configured = true;
        Ok(())
    }

    fn acquire(&mut self, gpu: &Gpu) -> Result<Option<Box<dyn Picture>>, PresentError> {
        // An outdated surface is told its configuration again, a lost one is made anew, once.
        for _ in 0..2 {
            if !self.configured {
                self.configure(gpu)?;
            }
            let screen = self.screen.as_mut().ok_or_else(destroyed)?;
            match gpu.guarded(|| screen.next()).map_err(present_error)? {
                Answer::Picture(picture) => return Ok(Some(picture)),
                Answer::Suboptimal(picture) => {
                    self.configured = false;
                    return Ok(Some(picture));
                }
                Answer::Hidden => return Ok(None),
                Answer::Outdated => self.configured = false,
                Answer::Lost => {
                    screen.renew(gpu)?;
                    self.configured = false;
                }
                Answer::Invalid => {
                    return Err(PresentError::Bug(DriverBug("wgpu refused the surface's texture".into())));
                }
            }
        }
        Ok(None)
    }
}

/// The texture of a screen as that of a back buffer.
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
        // The screen's, so it is not destroyed with this.
        lent: AtomicBool::new(true),
        family: None,
        packing: None,
    })
}

/// The screen of a window.
pub(crate) struct WindowScreen {
    /// Kept here to make the surface anew when it is lost.
    window: WindowHandle,
    surface: wgpu::Surface<'static>,
}

impl WindowScreen {
    /// The screen of a window.
    ///
    /// # Errors
    /// The window is gone, or the adapter cannot present to it.
    pub(crate) fn new(gpu: &Gpu, window: &WindowHandle) -> Result<Self, PresentError> {
        let surface = gpu.instance.create_surface(window.clone()).map_err(lost)?;
        if !gpu.adapter.is_surface_supported(&surface) {
            return Err(lost("the adapter cannot present to this window"));
        }
        Ok(Self { window: window.clone(), surface })
    }

    /// What the window can do.
    pub(crate) fn capabilities(&self, gpu: &Gpu) -> wgpu::SurfaceCapabilities {
        self.surface.get_capabilities(&gpu.adapter)
    }
}

impl Screen for WindowScreen {
    fn configure(&mut self, gpu: &Gpu, configuration: &wgpu::SurfaceConfiguration) {
        self.surface.configure(&gpu.device, configuration);
    }

    fn next(&mut self) -> Answer {
        match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture) => Answer::Picture(Box::new(texture)),
            wgpu::CurrentSurfaceTexture::Suboptimal(texture) => Answer::Suboptimal(Box::new(texture)),
            wgpu::CurrentSurfaceTexture::Timeout | wgpu::CurrentSurfaceTexture::Occluded => Answer::Hidden,
            wgpu::CurrentSurfaceTexture::Outdated => Answer::Outdated,
            wgpu::CurrentSurfaceTexture::Lost => Answer::Lost,
            wgpu::CurrentSurfaceTexture::Validation => Answer::Invalid,
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
