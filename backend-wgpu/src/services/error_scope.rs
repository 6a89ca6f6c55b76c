//! Error scopes, which catch the wgpu errors that a function causes.

use crate::services::platform::CAN_WAIT;

/// Runs `work` in one error scope for each element of `kinds`, with the first element as the outermost scope.
/// The scopes apply only to the calling thread.
///
/// Native platforms return the errors immediately. A browser returns them later, so `work` runs without error
/// scopes there, and its errors reach the device's uncaptured-error handler, which removes the device.
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

/// Runs `work` and returns the first wgpu error that it caused, if there is one. A lack of memory comes before other errors,
/// because wgpu rejects every use of an object without memory.
pub(crate) fn scoped<T>(device: &wgpu::Device, work: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
    let kinds = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation];
    let (value, errors) = catch(device, kinds, work);
    first_error(errors).map_or(Ok(value), Err)
}

fn first_error([memory, internal, validation]: [Option<wgpu::Error>; 3]) -> Option<wgpu::Error> {
    memory.or(validation).or(internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_memory_comes_before_other_errors() {
        let validation = || wgpu::Error::Validation { source: "test".into(), description: String::new() };
        let memory = || wgpu::Error::OutOfMemory { source: "test".into() };
        let both = first_error([Some(memory()), None, Some(validation())]);
        assert!(matches!(both, Some(wgpu::Error::OutOfMemory { .. })), "{both:?}");
        let one = first_error([None, None, Some(validation())]);
        assert!(matches!(one, Some(wgpu::Error::Validation { .. })), "{one:?}");
        assert!(first_error([None, None, None]).is_none());
    }
}
