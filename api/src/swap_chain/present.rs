//! Presents and their flags, and the frames that wait for the display.

use onze_ddi::{Fence, Handle, KernelCallbacks as _, PresentStatus};

use super::{SwapChain, SwapChainDesc, desc::check_counts, no_presenting_half};
use crate::{Error, ImmediateContext, objects::sealed::Sealed as _, report::MessageId};

bitflags::bitflags! {
    /// Options for a present (DXGI: `DXGI_PRESENT`, with its values).
    #[doc(alias = "DXGI_PRESENT")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
    pub struct PresentFlags: u32 {
        /// Presents nothing and returns whether a present would be visible, so that applications can wait
        /// until their window can be seen again (`DXGI_PRESENT_TEST`).
        #[doc(alias = "DXGI_PRESENT_TEST")]
        const TEST = 1;
        /// Allows tearing with an interval of 0, but has no effect because tearing is allowed wherever the
        /// window supports it (`DXGI_PRESENT_ALLOW_TEARING`).
        #[doc(alias = "DXGI_PRESENT_ALLOW_TEARING")]
        const ALLOW_TEARING = 0x200;
        /// Makes a present fail with [`Error::WasStillDrawing`] instead of waiting
        /// (`DXGI_PRESENT_DO_NOT_WAIT`).
        #[doc(alias = "DXGI_PRESENT_DO_NOT_WAIT")]
        const DO_NOT_WAIT = 8;
    }
}

impl SwapChain {
    /// Submits the recorded commands and shows the back buffer (D3D11: `IDXGISwapChain::Present`).
    ///
    /// A sync interval of 0 does not wait, and 1 waits for the next refresh of the display if the system
    /// supports it. Intervals of 2 to 4 act as 1, although Direct3D waits for that many refreshes. If the
    /// back buffer is the window's own memory, a change of the interval takes effect from the next frame on.
    /// If the frame cannot be shown, the call does not fail but returns [`PresentStatus::Occluded`] at once,
    /// so a render loop should sleep before its next frame.
    ///
    /// [`SwapChainDesc::swap_effect`] determines the state of the back buffer afterwards:
    ///
    /// * [`SwapEffect::FlipDiscard`](crate::SwapEffect::FlipDiscard), the default: the contents are
    ///   undefined, so draw or clear the whole back buffer in each frame. It is unbound from the context, so
    ///   bind it again in each frame.
    /// * [`SwapEffect::FlipSequential`](crate::SwapEffect::FlipSequential): the back buffer is unbound, and
    ///   the `n` back buffers rotate. Each back buffer gets the memory of the next one, and the last one gets
    ///   the memory of the first, which is on the screen. After this present, the back buffer therefore
    ///   contains the image that was presented `n - 1` presents earlier. With two buffers, that is the image
    ///   of the present before this one. All back buffers initially contain zeros.
    /// * [`SwapEffect::Sequential`](crate::SwapEffect::Sequential): the back buffer stays bound. A single
    ///   back buffer keeps its contents, and several back buffers rotate.
    /// * [`SwapEffect::Discard`](crate::SwapEffect::Discard): the contents are undefined, and the back buffer
    ///   stays bound.
    ///
    /// The texture and its views stay valid and refer to the new memory. A command list uses the memory that
    /// is current when the immediate context executes the list. A present that returns
    /// [`PresentStatus::Occluded`] does not rotate the buffers.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a sync interval above 4; [`Error::DeviceRemoved`] if the device was removed;
    /// [`Error::Fail`] if the window no longer exists; [`Error::InvalidCall`] for a context of another
    /// device.
    #[doc(alias = "Present")]
    pub fn present(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        let result = self.try_present(context, sync_interval);
        self.device.reject(MessageId::PresentInvalid, result)
    }

    /// Works like [`present`](Self::present), but fails instead of waiting if the GPU has
    /// [`SwapChainDesc::maximum_frame_latency`] unfinished frames (D3D11: `Present` with
    /// `DXGI_PRESENT_DO_NOT_WAIT`).
    ///
    /// # Errors
    /// [`Error::WasStillDrawing`] if the call would have to wait, in which case the recorded commands are
    /// submitted, but nothing is shown and the back buffer keeps its contents. Otherwise returns the same
    /// errors as [`present`](Self::present).
    #[doc(alias = "Present")]
    #[doc(alias = "DXGI_PRESENT_DO_NOT_WAIT")]
    pub fn try_present_now(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        let ready = self.check_context(context).and_then(|()| {
            // The flush also updates which fences the GPU has passed.
            context.flush();
            if self.frames_in_flight() < self.desc.maximum_frame_latency as usize {
                Ok(())
            } else {
                Err(Error::WasStillDrawing)
            }
        });
        match ready {
            Ok(()) => self.present(context, sync_interval),
            Err(Error::WasStillDrawing) => Err(Error::WasStillDrawing),
            refused => {
                self.device.reject(MessageId::PresentInvalid, refused.map(|()| PresentStatus::Occluded))
            }
        }
    }

    /// Works like [`present`](Self::present), but accepts flags (DXGI: `Present` and `Present1`).
    ///
    /// With [`PresentFlags::DO_NOT_WAIT`], the call works like [`try_present_now`](Self::try_present_now).
    /// DXGI flags that [`PresentFlags`] does not define are refused.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for unknown flags, and for [`PresentFlags::ALLOW_TEARING`] with an interval
    /// other than 0. Also returns the errors of [`present`](Self::present).
    #[doc(alias = "Present")]
    #[doc(alias = "Present1")]
    pub fn present_with_flags(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
        flags: PresentFlags,
    ) -> Result<PresentStatus, Error> {
        let unknown = flags.difference(PresentFlags::all()).bits();
        if unknown != 0 {
            let text = format!(
                "{}: the flags have unknown bits {unknown:#x}; pass only flags of `PresentFlags`",
                self.name()
            );
            return self.device.reject(MessageId::PresentInvalid, Err(Error::InvalidArg(text)));
        }
        if flags.contains(PresentFlags::ALLOW_TEARING) && sync_interval != 0 {
            let text =
                format!("{}: ALLOW_TEARING needs a sync interval of 0, found {sync_interval}", self.name());
            return self.device.reject(MessageId::PresentInvalid, Err(Error::InvalidArg(text)));
        }
        if flags.contains(PresentFlags::TEST) {
            let result = self.test(context);
            return self.device.reject(MessageId::PresentInvalid, result);
        }
        if flags.contains(PresentFlags::DO_NOT_WAIT) {
            return self.try_present_now(context, sync_interval);
        }
        self.present(context, sync_interval)
    }

    fn test(&mut self, context: &mut ImmediateContext) -> Result<PresentStatus, Error> {
        self.check_context(context)?;
        self.device.check_removed()?;
        let Some(driver) = &self.driver else { return Err(no_presenting_half()) };
        let status = context.core.with_immediate(|f, cx| f.test_present(cx.entry(), driver));
        status.unwrap_or(Ok(PresentStatus::Occluded)).map_err(|error| self.device.driver_error(error))
    }

    /// Returns the number of images shown since the swap chain was created (DXGI:
    /// `IDXGISwapChain::GetLastPresentCount`).
    #[doc(alias = "GetLastPresentCount")]
    pub fn last_present_count(&self) -> u32 {
        self.presents
    }

    /// Returns the maximum number of frames that may wait for the display (DXGI:
    /// `IDXGISwapChain2::GetMaximumFrameLatency`).
    #[doc(alias = "GetMaximumFrameLatency")]
    pub fn maximum_frame_latency(&self) -> u32 {
        self.desc.maximum_frame_latency
    }

    /// Sets the maximum number of frames that may wait for the display, from the next frame on (DXGI:
    /// `IDXGISwapChain2::SetMaximumFrameLatency`).
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a number outside the range 1 to 16; [`Error::InvalidCall`] for a context of
    /// another device.
    #[doc(alias = "SetMaximumFrameLatency")]
    pub fn set_maximum_frame_latency(
        &mut self,
        context: &mut ImmediateContext,
        frames: u32,
    ) -> Result<(), Error> {
        let desc = SwapChainDesc { maximum_frame_latency: frames, ..self.desc.clone() };
        let checked = self.check_context(context).and_then(|()| check_counts(&desc));
        self.device.reject(MessageId::PresentInvalid, checked)?;
        if let Some(driver) = &self.driver {
            context.core.with_immediate(|f, cx| f.set_maximum_frame_latency(cx.entry(), driver, frames));
        }
        self.desc = desc;
        Ok(())
    }

    /// Returns the number of presents that the GPU has not finished.
    fn frames_in_flight(&mut self) -> usize {
        let done = self.device.kernel.signalled();
        while self.in_flight.front().is_some_and(|fence| *fence <= done) {
            self.in_flight.pop_front();
        }
        self.in_flight.len()
    }

    fn try_present(
        &mut self,
        context: &mut ImmediateContext,
        sync_interval: u32,
    ) -> Result<PresentStatus, Error> {
        self.check_context(context)?;
        if sync_interval > 4 {
            return Err(Error::InvalidArg(format!(
                "{}: the sync interval is {sync_interval} and must be at most 4; pass 1 to wait for the next refresh \
                 of the display, or 0 not to wait",
                self.name()
            )));
        }
        self.device.check_removed()?;
        let buffer = self.get_buffer()?;
        if self.desc.swap_effect.is_flip() {
            for buffer in &self.back_buffers {
                context.unbind_presented(buffer.key());
            }
        }
        context.drain_released();
        _ = context.handle_state(&buffer);
        let handle = Handle::new(buffer.key());
        let Some(driver) = &self.driver else { return Err(no_presenting_half()) };
        let status =
            context.core.with_immediate(|f, cx| f.present(cx.entry(), driver, handle, sync_interval));
        if matches!(status, Some(Ok(PresentStatus::Presented))) {
            self.presents = self.presents.wrapping_add(1);
            self.rotate(context);
            self.frames_in_flight();
            self.in_flight.push_back(Fence(self.device.kernel.submissions()));
        }
        context.drain_released();
        status.unwrap_or(Ok(PresentStatus::Occluded)).map_err(|error| self.device.driver_error(error))
    }

    /// Gives each back buffer the memory of the next one.
    fn rotate(&self, context: &mut ImmediateContext) {
        if self.back_buffers.len() < 2
            || !self.back_buffers.iter().all(|buffer| context.is_known(Some(buffer)))
        {
            return;
        }
        let handles: Vec<_> = self.back_buffers.iter().map(|buffer| Handle::new(buffer.key())).collect();
        context.core.with_immediate(|f, cx| f.rotate_resource_identities(cx.entry(), &handles));
    }
}
