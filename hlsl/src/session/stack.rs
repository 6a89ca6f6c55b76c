//! Stack space for deeply nested programs.
//!
//! The parser, the checks, the analyses and the lowering are recursive. [`RecursionLimits::shallow`] limits
//! their stack use to a fraction of the usual stack size of a thread, even in builds without optimisation. A
//! program that exceeds these limits is compiled again with [`RecursionLimits::DEEP`], on a thread with a
//! sufficiently large stack. If this thread cannot be started, the error of the first attempt is reported.

use std::{panic, thread};

use crate::session::Session;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RecursionLimits {
    /// Maximum nesting of statements, parentheses, argument lists and operands of unary operators in the
    /// parser.
    pub(crate) nesting: u32,
    /// Maximum nesting of expressions, such as `n - 1` for a sum of `n` terms.
    pub(crate) expression: u16,
    /// Maximum nesting of nodes in constant evaluation, including the values of named constants.
    pub(crate) evaluation: u32,
    /// Maximum nesting of statements and expressions in the lowering, counting a call as [`CALL_DEPTH`]
    /// levels.
    pub(crate) lowering: usize,
}

/// Maximum number of links of an `else if` chain that stay nested in the module, because handwritten chains
/// are usually shorter.
pub(crate) const CHAIN_LEVELS: usize = 8;

/// The number of nesting levels that a call counts as in the lowering.
pub(crate) const CALL_DEPTH: usize = 16;

/// Stack size in bytes of the thread that compiles deep programs, although only the touched part of the stack
/// uses memory. Without optimisation, the deepest programs in `tests/deep.rs` need less than 48 MiB.
const DEEP_STACK: usize = if cfg!(target_pointer_width = "64") { 256 << 20 } else { 128 << 20 };

impl RecursionLimits {
    /// The limits on the compiler's own thread, whose stack size is [`DEEP_STACK`].
    const DEEP: Self = Self { nesting: 4096, expression: 4096, evaluation: 8192, lowering: 16 << 10 };

    /// The limits on the caller's thread.
    ///
    /// They are larger in browsers, because browsers cannot start the second thread. Programs for browsers
    /// are built with optimisation, so their stack frames are small.
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

/// Runs a step of the compilation and, if it exceeds [`RecursionLimits::shallow`], runs it again with a
/// larger stack.
///
/// The first run must not change the session in a way that affects the second run, except for messages,
/// because this function removes the messages of the first run.
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
