//! Shared helpers for tests that use several crates: checked devices, pictures and random programs.
//!
//! * [`on_each`] runs a test on a device of each configuration. Configurations differ in the driver (null or
//!   wgpu), the threading capabilities, the number of worker threads and the length of command buffers. The
//!   verifier is always enabled, and no object may be left after the test.
//! * [`Watch`] fails a test if its device reported a message that the test did not declare.
//! * [`CommandPath`] runs the same commands on the immediate context, through a list, and through a list in a list.
//! * [`image`] compares pictures with stored references, and [`shapes`] compares them with computed texels.
//! * [`Faults`] makes a driver run out of memory or lose its device.
//! * [`state`] binds an object to every slot and reads every getter.
//! * [`windowless`] provides swap chains without a window.
//!
//! The compiler enforces the threading rule. None of these examples compiles:
//!
//! ```compile_fail,E0599
//! fn finish_on_the_immediate_context(immediate: &mut onze::ImmediateContext) {
//!     let _ = immediate.finish_command_list(false);
//! }
//! ```
//!
//! ```compile_fail,E0599
//! fn get_data_on_a_deferred_context(deferred: &mut onze::DeferredContext, query: &onze::Query) {
//!     let _ = deferred.get_data(query, false);
//! }
//! ```
//!
//! ```compile_fail,E0599
//! fn flush_on_a_deferred_context(deferred: &mut onze::DeferredContext) {
//!     deferred.flush();
//! }
//! ```
//!
//! ```compile_fail,E0277
//! fn swap_the_insides_of_two_contexts(a: &mut onze::DeviceContext, b: &mut onze::DeviceContext) {
//!     std::mem::swap(a, b);
//! }
//! ```
//!
//! ```compile_fail,E0599
//! fn clone_a_context(deferred: &onze::DeferredContext) -> onze::DeferredContext {
//!     deferred.clone()
//! }
//! ```
//!
//! ```compile_fail,E0499
//! fn draw_while_mapped(context: &mut onze::DeviceContext, buffer: &onze::Buffer) {
//!     let mut mapped = context.map(buffer, 0, onze::MapType::WriteDiscard).unwrap();
//!     context.draw(3, 0);
//!     mapped.write(0, &1_u32);
//! }
//! ```
//!
//! ```compile_fail,E0277
//! fn share_a_context(context: std::sync::Arc<onze::ImmediateContext>) {
//!     std::thread::spawn(move || drop(context));
//! }
//! ```
//!
//! ```compile_fail,E0277
//! fn set_a_shader_of_another_stage(context: &mut onze::DeviceContext, shader: &onze::PixelShader) {
//!     context.vs_set_shader(shader);
//! }
//! ```
//!
//! ```compile_fail,E0277
//! fn bind_a_texture_without_a_view(context: &mut onze::DeviceContext, texture: &onze::Texture2d) {
//!     context.ps_set_shader_resources(0, texture);
//! }
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

mod depth;
pub mod drawing;
mod faults;
mod harness;
pub mod image;
mod patience;
mod random;
pub mod shapes;
pub mod state;
#[cfg(test)]
mod suites;
pub mod texels;
mod watch;
mod windowless;

pub use depth::{DEPTHS, DepthScene};
pub use drawing::{Quad, Target};
pub use faults::Faults;
pub use harness::{Backend, CommandPath, Config, Harness, gpu_matrix, matrix, null_matrix, on_each};
pub use patience::{PATIENCE, wait_for, wait_until};
pub use random::Random;
pub use watch::{Watch, watched_device};
pub use windowless::{HIDDEN, NoWindow, windowless};

/// Asserts that a result is `Err(Error::$variant(..))`, and panics with the actual result otherwise.
#[macro_export]
macro_rules! assert_error {
    ($result:expr, $variant:ident $(, $($context:tt)+)?) => {{
        let result = $result;
        assert!(
            matches!(&result, Err(onze::Error::$variant { .. })),
            "expected Error::{}, got {:?}{}",
            stringify!($variant),
            result.as_ref().map(|_| "Ok"),
            String::new() $(+ ": " + &format!($($context)+))?
        );
    }};
}
