//! Values of a function that the compiler knows.

use std::cell::Cell;

use crate::{
    check::{
        evaluate,
        tree::{Constant, Expr, ExprKind, Function, LocalId, Program, StatementKind, visit},
    },
    session::hash::{HashMap, HashSet},
};

/// Expressions of more nodes are not computed.
const MOST_NODES: u32 = 128;

/// So many nodes are computed in an analysis of a program.
const MOST_STEPS: u32 = 1 << 18;

/// The nodes that an analysis may still compute.
#[derive(Debug)]
pub(super) struct StepBudget(Cell<u32>);

impl Default for StepBudget {
    fn default() -> Self {
        Self(Cell::new(MOST_STEPS))
    }
}

/// An expression has too many nodes, or too many were computed before: its value is not looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLong;

/// The variables of a function that have one value.
pub(super) struct KnownValues<'a> {
    program: &'a Program,
    /// The values of variables that nothing else is assigned to, with their nodes, if there are not too many.
    values: HashMap<LocalId, (&'a Expr, u32)>,
    /// The other variables that have one value: its nodes are too many.
    long: HashSet<LocalId>,
    steps: &'a StepBudget,
}

impl<'a> KnownValues<'a> {
    pub(super) fn new(program: &'a Program, function: &'a Function, steps: &'a StepBudget) -> Self {
        let mut known = Self { program, values: HashMap::default(), long: HashSet::default(), steps };
        let Some(body) = &function.body else { return known };
        visit::nested_statements(&body.statements, &mut |statement| {
            if let StatementKind::Declare(local, Some(value)) = &statement.kind
                && function.local(*local).constant
            {
                match known.nodes(value) {
                    Some(nodes) => drop(known.values.insert(*local, (value, nodes))),
                    None => drop(known.long.insert(*local)),
                }
            }
        });
        known
    }

    /// The nodes of an expression, with those of the values of its variables; `None` if there are too many.
    fn nodes(&self, expr: &Expr) -> Option<u32> {
        let mut nodes = 0_u32;
        visit::expressions(expr, &mut |part| {
            let of_local = match &*part.kind {
                ExprKind::Local(local) if self.long.contains(local) => u32::MAX,
                ExprKind::Local(local) => self.values.get(local).map_or(0, |(_, nodes)| *nodes),
                _ => 0,
            };
            nodes = nodes.saturating_add(of_local).saturating_add(1);
        });
        (nodes <= MOST_NODES).then_some(nodes)
    }

    /// The value that a variable always has.
    pub(super) fn value(&self, local: LocalId) -> Option<&'a Expr> {
        self.values.get(&local).map(|(value, _)| *value)
    }

    /// The value of an expression. `others` says those of variables that have no value of their own.
    pub(super) fn evaluate(
        &self,
        expr: &Expr,
        others: &dyn Fn(LocalId) -> Option<Constant>,
    ) -> Result<Option<Constant>, TooLong> {
        let StepBudget(steps) = self.steps;
        let nodes = self.nodes(expr).ok_or(TooLong)?;
        steps.set(steps.get().checked_sub(nodes).ok_or(TooLong)?);
        Ok(self.within(expr, others))
    }

    fn within(&self, expr: &Expr, others: &dyn Fn(LocalId) -> Option<Constant>) -> Option<Constant> {
        evaluate(self.program, expr, &|local| match self.value(local) {
            Some(value) => self.within(value, others),
            None => others(local),
        })
    }

    /// The value of a condition.
    pub(super) fn condition(&self, condition: &Expr) -> Option<bool> {
        Some(*self.evaluate(condition, &|_| None).ok()??.bits.first()? != 0)
    }
}
