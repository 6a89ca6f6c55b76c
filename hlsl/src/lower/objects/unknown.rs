//! Messages about objects that are not known at compile time.

use crate::{
    check::tree::{Direction, Expr, ExprKind, Program, Statement, StatementKind, visit},
    interface::{
        bindings::{VariableId, object_part},
        stores::object_stores,
    },
    lower::{builder::Builder, result::LoweringFailed},
    session::{code::Code, source::Span},
};

/// Maximum number of assignments in a message.
const MOST_SHOWN: usize = 4;

/// Advice for objects that are selected at run time.
const ADVICE: &str = "use each object where it is chosen, and choose between the results";

impl Builder<'_, '_> {
    /// Reports an object that was never assigned or that is selected at run time. In the second case, notes
    /// show its assignments.
    pub(super) fn unknown_object(&mut self, expr: &Expr) -> LoweringFailed {
        let program = self.lowerer.program;
        let (name, done, places) = match *visit::root(expr).kind {
            ExprKind::Local(local) => {
                let Some(function) = self.source.map(|source| &program[source]) else {
                    return self.unassigned_object("the object", expr.span);
                };
                let body = function.body.iter().flat_map(|body| &body.statements);
                let name = format!("the object of '{}'", function.local(local).name);
                (name, "assigned", assignments(program, body, VariableId::Local(local)))
            }
            ExprKind::Global(global) => {
                let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
                let body = bodies.flat_map(|body| &body.statements);
                let name = format!("the object of '{}'", program[global].name);
                (name, "assigned", assignments(program, body, VariableId::Global(global)))
            }
            ExprKind::Call(function, _) => {
                let body = program[function].body.iter().flat_map(|body| &body.statements);
                (format!("the object that '{}' returns", program[function].name), "returned", returns(body))
            }
            _ => ("the object".to_owned(), "assigned", Vec::new()),
        };
        if let Some(function) = self.parameter_of(expr) {
            let message = format!(
                "{name} must be known when the program is compiled, but a call of '{function}' passes one that is not: {ADVICE}"
            );
            return self.error(Code::Uninitialized, expr.span, message);
        }
        if places.is_empty() {
            return self.unassigned_object(&name, expr.span);
        }
        let variable = object_part(program, expr, &|_| None).map(|part| part.variable);
        if let Some(condition) = variable.and_then(|variable| self.lost.get(&variable).copied()) {
            let feature = format!(
                "{name} changes in a loop whose iterations the compiler cannot count; count them in a local variable \
                 that no inner loop and no switch changes"
            );
            let failed = self.unsupported(expr.span, &feature);
            self.lowerer.session.note(condition, "the loop depends on this condition");
            return failed;
        }
        let message = format!("{name} must be known when the program is compiled: {ADVICE}");
        let failed = self.error(Code::Uninitialized, expr.span, message);
        for place in places.into_iter().take(MOST_SHOWN) {
            self.lowerer.session.note(place, format!("{done} here"));
        }
        failed
    }

    /// Returns the function's name if an expression is part of a parameter whose objects the function does
    /// not replace.
    fn parameter_of(&self, expr: &Expr) -> Option<&str> {
        let ExprKind::Local(local) = *visit::root(expr).kind else { return None };
        let function = &self.lowerer.program[self.source?];
        let parameter = function.parameters.iter().find(|parameter| parameter.local == local)?;
        let is_passed = parameter.direction != Direction::Out && parameter.stores.objects.is_empty();
        is_passed.then_some(&*function.name)
    }

    fn unassigned_object(&mut self, name: &str, span: Span) -> LoweringFailed {
        let message = format!("{name} is used before one is assigned");
        self.error(Code::Uninitialized, span, message)
    }

    /// Reports a conditional expression that selects an object at run time.
    pub(super) fn chosen_object(&mut self, span: Span) -> LoweringFailed {
        self.unsupported(span, &format!("a choice between objects at run time: {ADVICE}"))
    }
}

/// Returns the positions where statements assign an object to a variable.
fn assignments<'t>(
    program: &Program,
    list: impl Iterator<Item = &'t Statement>,
    variable: VariableId,
) -> Vec<Span> {
    let mut places = Vec::new();
    visit::nested_statements(list, &mut |statement| {
        if let StatementKind::Declare(local, Some(value)) = &statement.kind
            && variable == VariableId::Local(*local)
        {
            places.push(value.span);
        }
        visit::own_roots(statement, &mut |root| {
            visit::expressions(root, &mut |expr| {
                object_stores(program, expr, &mut |stored, _| {
                    if stored == variable {
                        places.push(expr.span);
                    }
                });
            });
        });
    });
    places
}

/// Returns the positions of returned values.
fn returns<'t>(list: impl Iterator<Item = &'t Statement>) -> Vec<Span> {
    let mut places = Vec::new();
    visit::nested_statements(list, &mut |statement| {
        if let StatementKind::Return(Some(value)) = &statement.kind {
            places.push(value.span);
        }
    });
    places
}
