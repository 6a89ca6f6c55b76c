//! Values that are known at compile time.

use std::cell::Cell;

use crate::{
    check::{
        evaluate,
        tree::{Constant, Expr, ExprKind, Function, LocalId, Program, StatementKind, visit},
    },
    session::hash::{HashMap, HashSet},
};

/// Maximum size of an evaluated expression in nodes.
const MOST_NODES: u32 = 128;

/// Maximum number of nodes that an analysis of a program evaluates.
const MOST_STEPS: u32 = 1 << 18;

/// The number of nodes that an analysis may still evaluate.
#[derive(Debug)]
pub(super) struct StepBudget(Cell<u32>);

impl Default for StepBudget {
    fn default() -> Self {
        Self(Cell::new(MOST_STEPS))
    }
}

/// The value was not computed, because the expression has too many nodes or the budget is used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLong;

/// The variables of a function that have a single value.
pub(super) struct KnownValues<'a> {
    program: &'a Program,
    /// The values of variables that are assigned only by their initializers, each with its number of nodes.
    values: HashMap<LocalId, (&'a Expr, u32)>,
    /// The variables of this kind whose values have too many nodes.
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

    /// Returns the number of nodes of an expression, including the values of its variables, or `None` if
    /// there are too many.
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

    /// Returns the only value of a variable.
    pub(super) fn value(&self, local: LocalId) -> Option<&'a Expr> {
        self.values.get(&local).map(|(value, _)| *value)
    }

    /// Evaluates an expression. `others` returns the values of variables without a single value.
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

    /// Evaluates a condition.
    pub(super) fn condition(&self, condition: &Expr) -> Option<bool> {
        Some(*self.evaluate(condition, &|_| None).ok()??.bits.first()? != 0)
    }
}
