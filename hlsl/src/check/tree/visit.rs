//! Visitors of the typed tree: the variables that expressions assign to, and the nodes that they contain.

use crate::{
    session::{hash::HashSet, source::Span},
    syntax::builtin::Object,
};

use super::{
    Block, Direction, Expr, ExprKind, GlobalId, Intrinsic, LocalId, Loop, Method, Parameter, Program,
    Statement, StatementKind, Type,
};

/// Visits the direct subexpressions of an expression, but not their subexpressions.
pub(crate) fn parts<'t>(expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    match &*expr.kind {
        ExprKind::Error | ExprKind::Constant(_) | ExprKind::Local(_) | ExprKind::Global(_) => {}
        ExprKind::Field(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::Elements(a, _)
        | ExprKind::Negate(a)
        | ExprKind::Not(a)
        | ExprKind::Complement(a)
        | ExprKind::Step(_, a)
        | ExprKind::Convert(a) => visit(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::Update(_, a, b)
        | ExprKind::Comma(a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::Conditional(a, b, c) => {
            visit(a);
            visit(b);
            visit(c);
        }
        ExprKind::Element { object, place, level } => {
            visit(object);
            visit(place);
            if let Some(level) = level {
                visit(level);
            }
        }
        ExprKind::Construct(parts) | ExprKind::Call(_, parts) | ExprKind::Intrinsic(_, parts) => {
            parts.iter().for_each(visit);
        }
        ExprKind::Method(_, object, arguments) => {
            visit(object);
            arguments.iter().for_each(visit);
        }
    }
}

/// Visits an expression and then all its subexpressions.
pub(crate) fn expressions<'t>(expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    visit(expr);
    parts(expr, &mut |part| expressions(part, visit));
}

pub(crate) fn nested_statements<'t>(
    list: impl IntoIterator<Item = &'t Statement>,
    visit: &mut dyn FnMut(&'t Statement),
) {
    for statement in list {
        visit(statement);
        match &statement.kind {
            StatementKind::Block(block) => nested_statements(&block.statements, visit),
            StatementKind::If { then, otherwise, .. } => {
                nested_statements(&then.statements, visit);
                nested_statements(&otherwise.statements, visit);
            }
            StatementKind::Loop(part) => {
                nested_statements(&part.start, visit);
                nested_statements(&part.body.statements, visit);
            }
            StatementKind::Switch { cases, .. } => {
                cases.iter().for_each(|case| nested_statements(&case.body.statements, visit));
            }
            StatementKind::Expression(_)
            | StatementKind::Declare(..)
            | StatementKind::Return(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Discard => {}
        }
    }
}

/// Visits the expressions of a statement, without their subexpressions and without nested statements.
pub(crate) fn own_roots<'t>(statement: &'t Statement, visit: &mut dyn FnMut(&'t Expr)) {
    match &statement.kind {
        StatementKind::Expression(expr) => visit(expr),
        StatementKind::Declare(_, value) | StatementKind::Return(value) => value.iter().for_each(visit),
        StatementKind::If { condition, .. } => visit(condition),
        StatementKind::Loop(part) => part.condition.iter().chain(&part.step).for_each(visit),
        StatementKind::Switch { selector, .. } => visit(selector),
        StatementKind::Block(_) | StatementKind::Break | StatementKind::Continue | StatementKind::Discard => {
        }
    }
}

pub(crate) fn discards(list: &[Statement], found: &mut dyn FnMut(Span)) {
    nested_statements(list, &mut |statement| {
        if matches!(statement.kind, StatementKind::Discard) {
            found(statement.span);
        }
    });
}

pub(crate) fn roots<'t>(list: &'t [Statement], visit: &mut dyn FnMut(&'t Expr)) {
    nested_statements(list, &mut |statement| own_roots(statement, visit));
}

pub(crate) fn statements<'t>(list: &'t [Statement], visit: &mut dyn FnMut(&'t Expr)) {
    roots(list, &mut |expr| expressions(expr, visit));
}

/// Visits all expressions of a loop except its initialization.
pub(crate) fn loop_rounds<'t>(part: &'t Loop, visit: &mut dyn FnMut(&'t Expr)) {
    part.condition.iter().chain(&part.step).for_each(|expr| expressions(expr, visit));
    statements(&part.body.statements, visit);
}

/// Returns the innermost base of an assignable expression, which is its variable.
pub(crate) fn root(expr: &Expr) -> &Expr {
    match &*expr.kind {
        ExprKind::Field(base, _)
        | ExprKind::Index(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::Elements(base, _)
        | ExprKind::Convert(base) => root(base),
        _ => expr,
    }
}

fn root_local(expr: &Expr) -> Option<LocalId> {
    match *root(expr).kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}

/// Visits the targets that an expression stores to, without stores in its subexpressions.
///
/// An argument of a call is a target if the function stores to the parameter. Before `stores` has analysed
/// the functions, and for functions without a body, each `out` and `inout` argument is a target.
pub(crate) fn targets<'t>(program: &Program, expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    written(program, expr, &|parameter| parameter.stores.any, visit);
}

/// Visits the targets that an expression assigns according to its syntax, including each `out` and `inout`
/// argument of a call, without assignments in its subexpressions.
pub(crate) fn outputs<'t>(program: &Program, expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr)) {
    written(program, expr, &|parameter| parameter.direction != Direction::In, visit);
}

fn written<'t>(
    program: &Program,
    expr: &'t Expr,
    is_written: &dyn Fn(&Parameter) -> bool,
    visit: &mut dyn FnMut(&'t Expr),
) {
    match &*expr.kind {
        ExprKind::Assign(target, _) | ExprKind::Update(_, target, _) | ExprKind::Step(_, target) => {
            visit(target);
        }
        ExprKind::Call(function, arguments) => {
            for (argument, parameter) in arguments.iter().zip(&program[*function].parameters) {
                if is_written(parameter) {
                    visit(argument);
                }
            }
        }
        ExprKind::Intrinsic(which, arguments) => {
            let is_output = |(index, _): &(usize, &Expr)| is_output(*which, *index, arguments.len());
            arguments.iter().enumerate().filter(is_output).for_each(|(_, argument)| visit(argument));
        }
        ExprKind::Method(method, object, arguments) => {
            outputs_of_method(*method, object, arguments).iter().for_each(visit);
        }
        _ => {}
    }
}

/// Returns whether an expression lacks side effects, assuming that calls of the program's functions have
/// them.
pub(crate) fn is_pure(expr: &Expr) -> bool {
    let mut is_pure = true;
    expressions(expr, &mut |part| {
        is_pure &= match &*part.kind {
            ExprKind::Assign(..) | ExprKind::Update(..) | ExprKind::Step(..) | ExprKind::Call(..) => false,
            ExprKind::Intrinsic(which, arguments) => {
                let count = arguments.len();
                part.ty != Type::Void && !(0..count).any(|index| is_output(*which, index, count))
            }
            ExprKind::Method(method, object, arguments) => {
                let reads = is_read(*method) || method.name().starts_with("Calculate");
                reads && outputs_of_method(*method, object, arguments).is_empty()
            }
            _ => true,
        };
    });
    is_pure
}

/// Returns whether an intrinsic stores to the argument with an index, given the number of arguments.
fn is_output(which: Intrinsic, index: usize, count: usize) -> bool {
    match which {
        Intrinsic::AsUint | Intrinsic::Frexp | Intrinsic::Modf | Intrinsic::Sincos => index >= 1,
        // The value arguments are between the destination and the output for the original value.
        which if is_atomic(which) => index == 0 || index > values_of_atomic(which.name(), count),
        which if which.name().starts_with("Process") => index >= 2,
        _ => false,
    }
}

fn outputs_of_method<'t>(method: Method, object: &Expr, arguments: &'t [Expr]) -> &'t [Expr] {
    let count = arguments.len();
    let first = if method.name().starts_with("Interlocked") {
        1 + values_of_atomic(method.name(), count)
    } else if method == Method::GetDimensions {
        usize::from(begins_with_level(object, count))
    } else {
        // If the last of several arguments is a `uint`, it is the status of the read.
        let has_status = count > 1 && arguments.last().is_some_and(|last| last.ty == Type::UINT);
        count - usize::from(is_read(method) && has_status)
    };
    arguments.get(first..).unwrap_or_default()
}

fn values_of_atomic(name: &str, count: usize) -> usize {
    (1 + usize::from(name.starts_with("InterlockedCompare"))).min(count)
}

/// Returns whether the first argument of `GetDimensions` is a mip level, which is an input.
fn begins_with_level(object: &Expr, count: usize) -> bool {
    let sizes = match object.ty.object().map(|object| object.kind) {
        Some(Object::Texture1D) => 1,
        Some(Object::Texture1DArray | Object::Texture2D | Object::TextureCube) => 2,
        Some(Object::Texture2DArray | Object::Texture3D | Object::TextureCubeArray) => 3,
        _ => return false,
    };
    count > sizes
}

fn is_read(method: Method) -> bool {
    ["Gather", "Load", "Sample"].iter().any(|name| method.name().starts_with(name))
}

pub(crate) fn is_atomic(which: Intrinsic) -> bool {
    which.name().starts_with("Interlocked")
}

/// Collects the local variables that an expression stores to, without stores in its subexpressions.
pub(crate) fn assigned_by(program: &Program, expr: &Expr, assigned: &mut HashSet<LocalId>) {
    targets(program, expr, &mut |target| {
        assigned.extend(root_local(target));
    });
}

/// Returns the local variables that a block stores to, without counting initializers of declarations.
pub(crate) fn assigned_in(program: &Program, block: &Block) -> HashSet<LocalId> {
    let mut assigned = HashSet::default();
    statements(&block.statements, &mut |expr| assigned_by(program, expr, &mut assigned));
    assigned
}

/// Returns the `groupshared` variables that atomic functions change, each with a path of field indices that
/// does not include array indices.
pub(crate) fn atomics(program: &Program) -> HashSet<(GlobalId, Vec<u32>)> {
    let mut found = HashSet::default();
    for body in program.functions.iter().filter_map(|function| function.body.as_ref()) {
        statements(&body.statements, &mut |expr| {
            let ExprKind::Intrinsic(which, arguments) = &*expr.kind else { return };
            if !is_atomic(*which) {
                return;
            }
            let Some(target) = arguments.first() else { return };
            if let ExprKind::Global(global) = *root(target).kind {
                found.insert((global, fields(target)));
            }
        });
    }
    found
}

/// Returns the indices of the fields on the path from a variable to a part of it.
pub(crate) fn fields(expr: &Expr) -> Vec<u32> {
    match &*expr.kind {
        ExprKind::Field(base, field) => {
            let mut path = fields(base);
            path.push(*field);
            path
        }
        ExprKind::Index(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::Elements(base, _)
        | ExprKind::Convert(base) => fields(base),
        _ => Vec::new(),
    }
}
