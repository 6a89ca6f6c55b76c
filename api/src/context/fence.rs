//! Fences, which follow the GPU's progress in the command stream (D3D11.3: `ID3D11Fence`).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use onze_ddi::{FlushFlags, KernelCallbacks as _};

use super::ImmediateContext;
use crate::{
    device_core::{
        Attachments, DeviceCore, attachments,
        platform::{CAN_WAIT, turn},
    },
    objects::Device,
    report::Error,
};

/// Interval at which a waiting thread polls the GPU's progress.
const REST: Duration = Duration::from_micros(200);

/// A number that the GPU updates as it executes commands (D3D11.3: `ID3D11Fence`).
///
/// The immediate context [signals](ImmediateContext::signal) a value at a point of the command stream, and
/// the fence reaches the value when the GPU has finished all commands before that point. A fence is cheap to
/// clone, and any thread can query its value or wait for it.
///
/// ```
/// # use onze::prelude::*;
/// # fn main() -> Result<(), onze::Error> {
/// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
/// let fence = device.create_fence(0);
/// // ... commands ...
/// context.signal(&fence, 1)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| fence.wait_for_value(1, None));
/// });
/// assert_eq!(fence.completed_value(), 1);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "ID3D11Fence")]
#[derive(Clone)]
pub struct Fence {
    shared: Arc<FenceShared>,
}

struct FenceShared {
    values: Mutex<FenceValues>,
    attachments: Attachments,
    /// Must be the last field; see [`ObjectShared::device`](crate::device_core::ObjectShared::device).
    device: Arc<DeviceCore>,
}

/// The values of a fence in the order of their submissions: the value that was reached most recently, and the
/// pending values.
#[derive(Debug)]
struct FenceValues {
    completed: u64,
    /// Pending values, each with the submission that signals it.
    pending: VecDeque<(u64, onze_ddi::Fence)>,
}

impl FenceValues {
    /// Sets `completed` to the last value whose submission has finished.
    fn advance(&mut self, done: onze_ddi::Fence) {
        while let Some((value, _)) = self.pending.front().copied().filter(|(_, at)| *at <= done) {
            self.completed = value;
            self.pending.pop_front();
        }
    }
}

impl FenceShared {
    fn values(&self) -> MutexGuard<'_, FenceValues> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

attachments!(Fence);

impl Fence {
    /// Returns the value that the GPU has reached most recently, or the initial value if it has not reached
    /// any. Once the device has been removed, returns `u64::MAX` (D3D11.3: `GetCompletedValue`).
    #[doc(alias = "GetCompletedValue")]
    pub fn completed_value(&self) -> u64 {
        let device = &self.shared.device;
        if device.removed_reason().is_some() {
            return u64::MAX;
        }
        {
            let _serial = device.serial.enter();
            device.funcs().poll();
        }
        let mut values = self.shared.values();
        values.advance(device.kernel.signalled());
        values.completed
    }

    /// Waits until the fence reaches a value and returns true, or returns false if the timeout passes first
    /// (D3D11.3: `SetEventOnCompletion`, and the wait for its event). Without a timeout, the call waits
    /// indefinitely, even if no thread has signalled the value yet.
    ///
    /// # Errors
    /// [`Error::DeviceRemoved`] if the device was removed before the value was reached;
    /// [`Error::Unsupported`] in a browser, because calls cannot block there. Use
    /// [`wait_for_value_async`](Self::wait_for_value_async) instead.
    #[doc(alias = "SetEventOnCompletion")]
    pub fn wait_for_value(&self, value: u64, timeout: Option<Duration>) -> Result<bool, Error> {
        if self.is_reached(value)? {
            return Ok(true);
        }
        // This check comes before `Instant::now`, because the standard library's clock does not work in a
        // browser either.
        if !CAN_WAIT {
            let words = "calls cannot wait for the GPU in a browser: await `wait_for_value_async`";
            return Err(Error::Unsupported(words.to_owned()));
        }
        let began = Instant::now();
        loop {
            if self.is_reached(value)? {
                return Ok(true);
            }
            let left = timeout.map(|most| most.saturating_sub(began.elapsed()));
            if left == Some(Duration::ZERO) {
                return Ok(false);
            }
            std::thread::sleep(left.map_or(REST, |left| left.min(REST)));
        }
    }

    /// Asynchronous version of [`wait_for_value`](Self::wait_for_value), which also works in a browser
    /// without blocking it, although the first poll of the future blocks on other platforms.
    ///
    /// # Errors
    /// [`Error::DeviceRemoved`] if the device was removed before the value was reached.
    #[doc(alias = "SetEventOnCompletion")]
    pub async fn wait_for_value_async(&self, value: u64) -> Result<(), Error> {
        if CAN_WAIT {
            return self.wait_for_value(value, None).map(drop);
        }
        while !self.is_reached(value)? {
            turn().await;
        }
        Ok(())
    }

    fn is_reached(&self, value: u64) -> Result<bool, Error> {
        let completed = self.completed_value();
        self.shared.device.check_removed()?;
        Ok(completed >= value)
    }

    /// Returns the device that created the fence (D3D11: `ID3D11DeviceChild::GetDevice`).
    #[doc(alias = "GetDevice")]
    pub fn device(&self) -> Device {
        Device::from_core(&self.shared.device)
    }

    fn attachments(&self) -> &Attachments {
        &self.shared.attachments
    }

    fn current_label(&self) -> String {
        self.shared.attachments.name()
    }

    fn check(&self, call: &str, context: &ImmediateContext) -> Result<(), Error> {
        context.core.device.check_removed()?;
        if Arc::ptr_eq(&self.shared.device, &context.core.device) {
            return Ok(());
        }
        let name = self.shared.attachments.name();
        let name = crate::validate::named("fence", &name);
        Err(Error::InvalidArg(format!("`{call}` was given {name}, which belongs to another device")))
    }
}

impl std::fmt::Debug for Fence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fence").field("label", &self.label()).field("values", &*self.shared.values()).finish()
    }
}

impl PartialEq for Fence {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Fence {}

impl Device {
    /// Creates a fence with an initial value (D3D11.3: `ID3D11Device5::CreateFence`).
    #[doc(alias = "CreateFence")]
    pub fn create_fence(&self, initial_value: u64) -> Fence {
        let values = Mutex::new(FenceValues { completed: initial_value, pending: VecDeque::new() });
        let attachments = Attachments::named(self.new_name());
        Fence { shared: Arc::new(FenceShared { values, attachments, device: self.core.clone() }) }
    }
}

impl ImmediateContext {
    /// Submits the recorded commands, and gives the fence the value when the GPU has finished them (D3D11.3:
    /// `ID3D11DeviceContext4::Signal`, and `Flush1` with an event).
    ///
    /// Values usually increase, but the fence can also be set to a smaller value.
    ///
    /// # Errors
    /// [`Error::InvalidArg`] for a fence of another device; [`Error::DeviceRemoved`] if the device was
    /// removed.
    #[doc(alias = "Signal")]
    #[doc(alias = "Flush1")]
    pub fn signal(&mut self, fence: &Fence, value: u64) -> Result<(), Error> {
        fence.check("signal", self)?;
        self.flush_with(FlushFlags::UNLESS_NO_COMMANDS);
        self.core.device.check_removed()?;
        let kernel = &self.core.device.kernel;
        let mut values = fence.shared.values();
        values.advance(kernel.signalled());
        values.pending.push_back((value, onze_ddi::Fence(kernel.submissions())));
        Ok(())
    }

    /// Makes later commands wait until a fence reaches a value (D3D11.3: `ID3D11DeviceContext4::Wait`).
    ///
    /// A device has a single queue that executes commands in order, so the call has no effect if an earlier
    /// call signalled the value. Any other value is refused, because the commands would wait forever.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a value that no earlier call signalled; [`Error::InvalidArg`] for a fence
    /// of another device; [`Error::DeviceRemoved`] if the device was removed.
    #[doc(alias = "Wait")]
    pub fn wait(&mut self, fence: &Fence, value: u64) -> Result<(), Error> {
        fence.check("wait", self)?;
        let values = fence.shared.values();
        if values.completed >= value || values.pending.iter().any(|(coming, _)| *coming >= value) {
            return Ok(());
        }
        let latest = values.pending.back().map_or(values.completed, |(value, _)| *value);
        Err(Error::InvalidCall(format!(
            "`wait` for {value} of a fence that was signalled to {latest}: the commands that follow would wait forever; \
             signal the value first"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_the_order_of_submissions() {
        let at = onze_ddi::Fence;
        let pending = VecDeque::from([(5, at(1)), (9, at(1)), (7, at(3)), (8, at(4))]);
        let mut values = FenceValues { completed: 2, pending };
        for (done, expected) in [(0, 2), (1, 9), (2, 9), (3, 7), (9, 8)] {
            values.advance(at(done));
            assert_eq!(values.completed, expected, "after {done}");
        }
    }
}
