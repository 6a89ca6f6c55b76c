//! Messages about objects that are not known when the program is compiled.

use crate::{
    check::tree::{Direction, Expr, ExprKind, Program, Statement, StatementKind, visit},
    interface::{
        bindings::{VariableId, object_part},
        stores::object_stores,
    },
    lower::{builder::Builder, result::LoweringFailed},
    session::{code::Code, source::Span},
};

/// How many assignments a message shows.
const MOST_SHOWN: usize = 4;

/// What to do about an object that is chosen at run time.
const ADVICE: &str = "use each object where it is chosen, and choose between the results";

impl Builder<'_, '_> {
    /// Reports an object that nothing was assigned to, or that is chosen at run time: then it shows where.
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

    /// The name of the function, if an expression is a part of a parameter that nothing in the function replaces.
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

    /// Reports `condition ? object : object`.
    pub(super) fn chosen_object(&mut self, span: Span) -> LoweringFailed {
        self.unsupported(span, &format!("a choice between objects at run time: {ADVICE}"))
    }
}

/// The places where statements give a variable an object.
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

/// Where statements return a value.
fn returns<'t>(list: impl Iterator<Item = &'t Statement>) -> Vec<Span> {
    let mut places = Vec::new();
    visit::nested_statements(list, &mut |statement| {
        if let StatementKind::Return(Some(value)) = &statement.kind {
            places.push(value.span);
        }
    });
    places
}
