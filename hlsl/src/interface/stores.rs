//! The variables that functions store to, either directly or through called functions.
//!
//! A method receives its object as an `inout` argument, although most methods only read it. [`find`]
//! therefore analyses which parameters, and which objects in parameters, a function really stores to. With
//! this result, the textures in a structure stay known in a loop that calls its methods, and a structure in a
//! constant buffer is read in place.

use std::collections::BTreeMap;

use crate::{
    check::{
        evaluate,
        tree::{
            Direction, Expr, ExprKind, FunctionId, GlobalId, LocalId, ObjectSet, Program, Storage, Stores,
            visit,
        },
    },
    interface::bindings::{VariableId, object_count, object_part},
    session::hash::HashSet,
};

/// Finds the stores of all functions, and the global variables that are never stored to.
pub(crate) fn find(program: &mut Program) {
    for id in callees_first(program) {
        let (parameters, globals) = stores_of(program, id);
        let function = &mut program[id];
        function.object_stores = globals;
        for (parameter, stores) in function.parameters.iter_mut().zip(parameters) {
            parameter.stores = stores;
        }
    }
    find_constants(program);
}

/// Finds the objects of variables that an expression replaces, without those that its subexpressions replace.
pub(crate) fn object_stores(program: &Program, expr: &Expr, found: &mut dyn FnMut(VariableId, ObjectSet)) {
    match &*expr.kind {
        ExprKind::Assign(target, _) => part_stores(program, target, ObjectSet::range(0, u32::MAX), found),
        ExprKind::Call(callee, arguments) => {
            let callee = &program[*callee];
            for (argument, parameter) in arguments.iter().zip(&callee.parameters) {
                part_stores(program, argument, parameter.stores.objects, found);
            }
            for (global, objects) in &callee.object_stores {
                found(VariableId::Global(*global), *objects);
            }
        }
        _ => {}
    }
}

/// Finds the objects of a variable that a store to the objects `stored` of the expression `target` replaces.
fn part_stores(
    program: &Program,
    target: &Expr,
    stored: ObjectSet,
    found: &mut dyn FnMut(VariableId, ObjectSet),
) {
    let count = object_count(program, &target.ty);
    if count == 0 || stored.is_empty() {
        return;
    }
    let known = |index: &Expr| evaluate(program, index, &|_| None)?.as_integer();
    match object_part(program, target, &known) {
        Some(part) if part.count == count => found(part.variable, stored.shifted(part.first, count)),
        Some(part) => found(part.variable, ObjectSet::range(part.first, part.count)),
        None => {
            let variable = match *visit::root(target).kind {
                ExprKind::Local(local) => VariableId::Local(local),
                ExprKind::Global(global) => VariableId::Global(global),
                _ => return,
            };
            found(variable, ObjectSet::range(0, u32::MAX));
        }
    }
}

/// Returns the stores of a function to its parameters and to the objects of global variables.
fn stores_of(program: &Program, id: FunctionId) -> (Vec<Stores>, BTreeMap<GlobalId, ObjectSet>) {
    let function = &program[id];
    let Some(body) = &function.body else {
        let stores = function.parameters.iter().map(|parameter| parameter.stores.clone());
        return (stores.collect(), BTreeMap::new());
    };
    let assigned = visit::assigned_in(program, body);
    let mut locals: BTreeMap<LocalId, ObjectSet> = BTreeMap::new();
    let mut globals: BTreeMap<GlobalId, ObjectSet> = BTreeMap::new();
    visit::statements(&body.statements, &mut |expr| {
        object_stores(program, expr, &mut |variable, objects| match variable {
            VariableId::Local(local) => locals.entry(local).or_default().extend(objects),
            VariableId::Global(global) => globals.entry(global).or_default().extend(objects),
        });
    });
    let parameters = function.parameters.iter().map(|parameter| match parameter.direction {
        // An `in` parameter is a copy, so stores to it do not affect the caller.
        Direction::In => Stores::default(),
        direction => Stores {
            any: direction == Direction::Out || assigned.contains(&parameter.local),
            objects: locals.get(&parameter.local).copied().unwrap_or_default(),
        },
    });
    (parameters.collect(), globals)
}

/// Returns all functions in callees-first order. Functions that call each other lack such an order, but
/// recursion is an error if the entry point reaches it.
fn callees_first(program: &Program) -> Vec<FunctionId> {
    let mut order = Vec::with_capacity(program.functions.len());
    let mut seen = HashSet::default();
    for index in 0..program.functions.len() {
        // The stack is explicit, because a chain of calls may be as long as the source.
        let mut stack = vec![(FunctionId(index as u32), false)];
        while let Some((id, is_left)) = stack.pop() {
            if is_left {
                order.push(id);
            } else if seen.insert(id) {
                stack.push((id, true));
                if let Some(body) = &program[id].body {
                    visit::statements(&body.statements, &mut |expr| {
                        if let ExprKind::Call(callee, _) = *expr.kind {
                            stack.push((callee, false));
                        }
                    });
                }
            }
        }
    }
    order
}

/// Marks `static` variables as constant if no expression stores to them.
fn find_constants(program: &mut Program) {
    let mut assigned = HashSet::default();
    let mut look = |expr: &Expr| {
        visit::targets(program, expr, &mut |target| {
            if let ExprKind::Global(id) = *visit::root(target).kind {
                assigned.insert(id);
            }
        });
    };
    for body in program.functions.iter().filter_map(|function| function.body.as_ref()) {
        visit::statements(&body.statements, &mut look);
    }
    for value in program.globals.iter().filter_map(|global| global.value.as_ref()) {
        visit::expressions(value, &mut look);
    }
    for (id, global) in (0..).map(GlobalId).zip(&mut program.globals) {
        // A value that depends on a local variable is known only during a call.
        let mut names_local = false;
        if let Some(value) = &global.value {
            visit::expressions(value, &mut |expr| {
                names_local |= matches!(*expr.kind, ExprKind::Local(_));
            });
        }
        global.assigned = assigned.contains(&id);
        global.constant |= global.storage == Storage::Static && !global.assigned && !names_local;
    }
}
