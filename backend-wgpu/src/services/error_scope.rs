//! Error scopes: which wgpu errors a piece of work has caused.

use crate::services::platform::CAN_WAIT;

/// Does `work` in an error scope of each of the `kinds`, the first outermost. The scopes see this thread only.
///
/// Natively the answers are there at once. A browser answers later, so there the work has no scopes: its errors reach
/// the device's handler of uncaptured errors, which removes the device.
pub(crate) fn catch<T, const N: usize>(
    device: &wgpu::Device,
    kinds: [wgpu::ErrorFilter; N],
    work: impl FnOnce() -> T,
) -> (T, [Option<wgpu::Error>; N]) {
    let mut errors = [const { None }; N];
    if !CAN_WAIT {
        return (work(), errors);
    }
    let scopes = kinds.map(|kind| device.push_error_scope(kind));
    let value = work();
    for (scope, error) in scopes.into_iter().zip(&mut errors).rev() {
        *error = pollster::block_on(scope.pop());
    }
    (value, errors)
}
