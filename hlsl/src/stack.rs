//! Stack space for deeply nested programs.
//!
//! The parser, the checks, the analyses and the lowering recurse. [`RecursionLimits::shallow`] keeps this recursion
//! within a fraction of the stack that any thread has, even in builds without optimisation. A program that
//! exceeds it is compiled once more with [`RecursionLimits::DEEP`], on a thread whose stack is large enough. If the
//! thread cannot be started, the error of the first attempt is reported.

use std::{panic, thread};

use crate::session::Session;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RecursionLimits {
    /// Maximum nesting of statements, parentheses, argument lists and operands of unary operators in the
    /// parser.
    pub(crate) nesting: u32,
    /// Maximum nesting of expressions, where a sum of `n` terms is `n - 1` deep.
    pub(crate) expression: u16,
    /// Maximum nesting of nodes whose value is computed, also through the values of constants.
    pub(crate) evaluation: u32,
    /// Maximum nesting of statements and expressions in the lowering, where a call counts as [`CALL_DEPTH`].
    pub(crate) lowering: usize,
}

/// Links of an `else if` chain that stay nested in the module, which is more than handwritten chains have.
pub(crate) const CHAIN_LEVELS: usize = 8;

/// The number of levels that a call counts in the lowering.
pub(crate) const CALL_DEPTH: usize = 16;

/// Stack of the thread that compiles deep programs, in bytes, though only the touched part takes memory.
/// Without optimisation, the deepest programs of `tests/deep.rs` need less than 48 MiB.
const DEEP_STACK: usize = if cfg!(target_pointer_width = "64") { 256 << 20 } else { 128 << 20 };

impl RecursionLimits {
    /// The limits on the compiler's own thread, whose stack has [`DEEP_STACK`] bytes.
    const DEEP: Self = Self { nesting: 4096, expression: 4096, evaluation: 8192, lowering: 16 << 10 };

    /// The limits on the caller's thread.
    ///
    /// They are larger in browsers, which start no threads, because programs for browsers are optimised and
    /// their frames are small.
    pub(crate) fn shallow() -> Self {
        if cfg!(target_family = "wasm") {
            Self { nesting: 256, expression: 700, evaluation: 700, lowering: 1024 }
        } else {
            Self { nesting: 64, expression: 64, evaluation: 128, lowering: 256 }
        }
    }

    pub(crate) fn calls(&self) -> u32 {
        (self.lowering / CALL_DEPTH) as u32
    }
}

/// Runs a part of a compilation, and runs it again with more stack if it exceeded [`RecursionLimits::shallow`].
///
/// `run` must leave nothing in the session that changes its second run, except for messages, which are taken
/// back.
pub(crate) fn with_enough_stack<T: Send>(session: &mut Session, run: impl Fn(&mut Session) -> T + Sync) -> T {
    let before = session.diagnostics.clone();
    let result = run(session);
    if !session.too_deep {
        return result;
    }
    let found = std::mem::replace(&mut session.diagnostics, before);
    session.limits = RecursionLimits::DEEP;
    let deep = thread::scope(|scope| {
        let builder = thread::Builder::new().name("onze-hlsl".to_owned()).stack_size(DEEP_STACK);
        builder.spawn_scoped(scope, || run(session)).ok().map(thread::ScopedJoinHandle::join)
    });
    match deep {
        Some(Ok(result)) => result,
        Some(Err(panic)) => panic::resume_unwind(panic),
        None => {
            session.diagnostics = found;
            result
        }
    }
}
