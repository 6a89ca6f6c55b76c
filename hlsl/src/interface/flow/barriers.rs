//! Group barriers that only some threads reach, and derivatives in loops that pixels leave at different
//! times.
//!
//! Control flow varies inside an `if`, a `switch` or a loop whose condition varies. It also varies after a
//! `return`, `break` or `continue` that only some threads execute, until the end of the statement or function
//! that they leave. A loop that some threads leave earlier varies completely, because these threads miss the
//! later iterations, unless FXC unrolls it. A call counts as the operations of the called function and its
//! callees.
//!
//! Derivatives, which most texture samples compute, are differences between neighbouring pixels. They are
//! analysed only in loops, because FXC moves them out of branches.

use crate::{
    check::tree::{
        Block, Expr, ExprKind, FunctionId, Intrinsic, Loop, LoopTest, Program, Statement, StatementKind,
        visit,
    },
    interface::{availability, bindings::Usage},
    session::{
        Session,
        code::Code,
        hash::{HashMap, HashSet},
        source::Span,
    },
};

use super::{
    known::StepBudget,
    varying::{Lanes, VaryingMask, VaryingValues},
};

/// An operation that all threads of a group, or all neighbouring pixels, must execute together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CommonOperation {
    Barrier,
    Derivative,
}

impl CommonOperation {
    /// Returns whether an expression itself is such an operation.
    fn is(self, expr: &Expr) -> bool {
        match (&*expr.kind, self) {
            (ExprKind::Intrinsic(which, _), Self::Barrier) => matches!(
                which,
                Intrinsic::AllMemoryBarrierWithGroupSync
                    | Intrinsic::DeviceMemoryBarrierWithGroupSync
                    | Intrinsic::GroupMemoryBarrierWithGroupSync
            ),
            (ExprKind::Intrinsic(which, _), Self::Derivative) => {
                !which.name().starts_with("Evaluate")
                    && !which.name().starts_with("GetRenderTarget")
                    && *which != Intrinsic::Clip
                    && availability::is_for_pixels(*which)
            }
            (ExprKind::Method(method, ..), Self::Derivative) => availability::is_method_for_pixels(*method),
            _ => false,
        }
    }
}

/// Reports barriers of a compute shader that only some threads reach.
pub(super) fn check(
    session: &mut Session,
    program: &Program,
    usage: &Usage,
    entry: FunctionId,
    threads: [u32; 3],
) {
    if threads != [1; 3] {
        follow(session, program, usage, entry, Lanes::Threads(threads), CommonOperation::Barrier);
    }
}

/// Warns of derivatives of a pixel shader in loops that pixels leave at different times.
pub(super) fn check_derivatives(session: &mut Session, program: &Program, usage: &Usage, entry: FunctionId) {
    follow(session, program, usage, entry, Lanes::Pixels, CommonOperation::Derivative);
}

fn follow(
    session: &mut Session,
    program: &Program,
    usage: &Usage,
    entry: FunctionId,
    lanes: Lanes,
    common: CommonOperation,
) {
    let having = functions_with(program, usage, common);
    if !having.contains(&entry) {
        return;
    }
    let steps = StepBudget::default();
    // For each function, the varying components of its arguments, merged over the calls that were analysed so
    // far.
    let mut arguments: HashMap<FunctionId, Vec<VaryingMask>> = HashMap::default();
    // The list is reversed so that callers precede their callees.
    for id in usage.functions.iter().rev().filter(|id| having.contains(*id)) {
        let function = &program[*id];
        let Some(body) = &function.body else { continue };
        let of_calls = arguments.remove(id);
        let parameters = if *id == entry { None } else { Some(of_calls.unwrap_or_default()) };
        let values = VaryingValues::new(program, function, parameters.as_deref(), lanes, &steps);
        let mut walk = BarrierWalk {
            session,
            common,
            having: &having,
            values,
            arguments: &mut arguments,
            differs: None,
            scopes: Vec::new(),
            escapes: None,
            found: Vec::new(),
        };
        walk.scope(ScopeKind::Function, |walk| walk.block(body));
    }
}

/// Returns the functions that contain the operation `common`, directly or through calls.
fn functions_with(program: &Program, usage: &Usage, common: CommonOperation) -> HashSet<FunctionId> {
    let mut having = HashSet::default();
    // The list contains each function after its callees.
    for id in &usage.functions {
        let Some(body) = &program[*id].body else { continue };
        let mut has = false;
        visit::statements(&body.statements, &mut |expr| {
            has |= common.is(expr)
                || matches!(&*expr.kind, ExprKind::Call(callee, _) if having.contains(callee));
        });
        if has {
            having.insert(*id);
        }
    }
    having
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    Function,
    Loop,
    Switch,
}

/// A function, loop or `switch` that jumps can leave.
struct JumpScope {
    kind: ScopeKind,
    /// The condition under which some threads leave the scope permanently, while others may execute further
    /// iterations.
    left: Option<Span>,
}

/// The condition that makes control flow vary, or `None` if it is uniform.
type Differs = Option<Span>;

struct BarrierWalk<'s, 'a> {
    session: &'s mut Session,
    common: CommonOperation,
    having: &'s HashSet<FunctionId>,
    values: VaryingValues<'a>,
    arguments: &'s mut HashMap<FunctionId, Vec<VaryingMask>>,
    /// The condition that only some threads fulfil at the current statement.
    differs: Differs,
    scopes: Vec<JumpScope>,
    /// The outermost scope that only some threads have left so far, and the condition.
    escapes: Option<(usize, Span)>,
    /// The operations in the enclosing loops that all threads reach in the first iteration.
    found: Vec<Span>,
}

impl BarrierWalk<'_, '_> {
    fn block(&mut self, block: &Block) {
        self.statements(&block.statements);
    }

    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Expression(expr) => self.expr(expr),
            StatementKind::Declare(_, value) => value.iter().for_each(|value| self.expr(value)),
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise, .. } => {
                self.expr(condition);
                match self.values.known_condition(condition) {
                    Some(true) => self.block(then),
                    Some(false) => self.block(otherwise),
                    None => self.within(condition, |walk| {
                        walk.block(then);
                        walk.block(otherwise);
                    }),
                }
            }
            StatementKind::Loop(part) => self.any_loop(part),
            StatementKind::Switch { selector, cases, .. } => {
                self.expr(selector);
                self.scope(ScopeKind::Switch, |walk| {
                    walk.within(selector, |walk| cases.iter().for_each(|case| walk.block(&case.body)));
                });
            }
            StatementKind::Break => self.leave(|kind| kind != ScopeKind::Function, true),
            StatementKind::Continue => self.leave(|kind| kind == ScopeKind::Loop, false),
            StatementKind::Discard => {}
            StatementKind::Return(value) => {
                value.iter().for_each(|value| self.expr(value));
                self.leave(|kind| kind == ScopeKind::Function, true);
            }
        }
    }

    /// Analyses statements under a condition.
    fn within(&mut self, condition: &Expr, inside: impl FnOnce(&mut Self)) {
        let outside = self.differs;
        if outside.is_none() && self.values.differs(condition) {
            self.differs = Some(condition.span);
        }
        inside(self);
        self.differs = outside.or(self.escapes.map(|(_, span)| span));
    }

    /// Analyses a scope. Returns the condition under which some threads leave it permanently.
    fn scope(&mut self, kind: ScopeKind, inside: impl FnOnce(&mut Self)) -> Option<Span> {
        let outside = self.differs;
        let index = self.scopes.len();
        self.scopes.push(JumpScope { kind, left: None });
        inside(self);
        let left = self.scopes.pop().and_then(|scope| scope.left);
        self.escapes = self.escapes.filter(|(scope, _)| *scope < index);
        self.differs = outside.or(self.escapes.map(|(_, span)| span));
        left
    }

    /// Records a jump out of the innermost scope that `is_target` accepts.
    fn leave(&mut self, is_target: impl Fn(ScopeKind) -> bool, for_good: bool) {
        let Some(span) = self.differs else { return };
        let Some(target) = self.scopes.iter().rposition(|scope| is_target(scope.kind)) else { return };
        if for_good {
            self.scopes.iter_mut().skip(target).for_each(|scope| scope.left = Some(span));
        }
        if self.escapes.is_none_or(|(scope, _)| target < scope) {
            self.escapes = Some((target, span));
        }
    }

    fn any_loop(&mut self, part: &Loop) {
        self.statements(&part.start);
        let known = part.condition.as_ref().and_then(|condition| self.values.known_condition(condition));
        let first = self.found.len();
        let mut differs = None;
        let left = self.scope(ScopeKind::Loop, |walk| {
            if let Some(condition) = part.condition.as_ref().filter(|_| known.is_none())
                && walk.values.differs(condition)
            {
                differs = Some(condition.span);
            }
            if part.test == LoopTest::Before && known != Some(false) {
                walk.differs = walk.differs.or(differs);
            }
            walk.block(&part.body);
            part.step.iter().chain(&part.condition).for_each(|expr| walk.expr(expr));
        });
        let has_rounds = known != Some(false);
        // FXC unrolls a loop with `[unroll]`, and a loop whose iterations it can count.
        let is_kept =
            part.hints.unroll.is_none() && (part.hints.keep_loop || !self.values.is_countable(part));
        if let Some(span) = left.or(differs).filter(|_| has_rounds && is_kept)
            && let Some(barrier) = self.found.get(first).copied()
        {
            self.report(barrier, span, true);
            // One message per loop is sufficient.
            self.found.truncate(first);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        visit::expressions(expr, &mut |part| match &*part.kind {
            ExprKind::Call(callee, arguments) if self.having.contains(callee) => {
                let masks: Vec<_> = arguments.iter().map(|argument| self.values.argument(argument)).collect();
                match self.arguments.get_mut(callee) {
                    Some(known) => known.iter_mut().zip(masks).for_each(|(known, mask)| *known &= mask),
                    None => {
                        self.arguments.insert(*callee, masks);
                    }
                }
                self.found(part.span);
            }
            _ if self.common.is(part) => self.found(part.span),
            _ => {}
        });
    }

    fn found(&mut self, span: Span) {
        match self.differs {
            Some(condition) if self.common == CommonOperation::Barrier => self.report(span, condition, false),
            _ => self.found.push(span),
        }
    }

    fn report(&mut self, barrier: Span, condition: Span, in_later_rounds: bool) {
        if self.common == CommonOperation::Derivative {
            let message = "gradient instruction used in a loop with varying iteration: pixels leave the loop at different \
                           times, so the derivatives are undefined; use SampleLevel or SampleGrad, or move it out of the \
                           loop";
            self.session.warn(Code::GradientInLoop, barrier, message);
            self.session.note(condition, "this differs between pixels");
            return;
        }
        let when = if in_later_rounds { ", as some leave the loop earlier" } else { "" };
        let message = format!(
            "thread sync operation found in varying flow control{when}: all threads of a group must reach it; move it out \
             of what only some threads do"
        );
        self.session.error(Code::SyncInVaryingFlow, barrier, message);
        self.session.note(condition, "this differs between the threads of a group");
    }
}
