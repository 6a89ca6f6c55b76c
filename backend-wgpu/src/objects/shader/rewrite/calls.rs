//! Replacement of expressions and statements by calls of functions that a pass adds.

use std::collections::HashMap;

use naga::{Arena, Block, Expression, Function, Handle, Module, Range, Span, Statement};

/// A function of a module, or `None` for the entry point.
pub(crate) type ModuleFunction = Option<Handle<Function>>;

/// A call that replaces an expression or a statement.
#[derive(Clone, Debug)]
pub(crate) struct ReplacementCall {
    pub(crate) function: Handle<Function>,
    pub(crate) arguments: Vec<Handle<Expression>>,
    /// The arguments that no other statement emits.
    pub(crate) emits: Option<Range<Expression>>,
    /// The expression for the result of the call.
    pub(crate) result: Option<Handle<Expression>>,
}

/// Returns all functions of a module, followed by the entry point.
pub(crate) fn places(module: &Module) -> Vec<ModuleFunction> {
    module.functions.iter().map(|(handle, _)| Some(handle)).chain([None]).collect()
}

/// Returns a function, or the only entry point.
pub(crate) fn function_at(module: &mut Module, place: ModuleFunction) -> Option<&mut Function> {
    match place {
        Some(handle) => Some(module.functions.get_mut(handle)),
        None => module.entry_points.first_mut().map(|entry_point| &mut entry_point.function),
    }
}

/// Calls that replace expressions, which are either emitted or results of statements.
pub(crate) type ExpressionCalls = HashMap<(ModuleFunction, Handle<Expression>), ReplacementCall>;

/// A function that returns the call that replaces a statement, and may add expressions.
pub(crate) type StatementCalls<'a> =
    dyn FnMut(&mut Arena<Expression>, &Statement) -> Option<ReplacementCall> + 'a;

/// Adds `functions` before those of the module, and inserts the calls.
pub(crate) fn insert(
    module: &mut Module,
    mut functions: Arena<Function>,
    calls: &ExpressionCalls,
    of_statement: &mut StatementCalls<'_>,
) {
    let mut inserting = CallInsertion { calls, moved: HashMap::new(), of_statement };
    for (before, mut function, span) in module.functions.drain() {
        inserting.function(&mut function, Some(before));
        inserting.moved.insert(before, functions.append(function, span));
    }
    module.functions = functions;
    for entry in &mut module.entry_points {
        inserting.function(&mut entry.function, None);
    }
}

struct CallInsertion<'a, 'b> {
    calls: &'a ExpressionCalls,
    /// New handles of the module's functions.
    moved: HashMap<Handle<Function>, Handle<Function>>,
    of_statement: &'a mut StatementCalls<'b>,
}

impl CallInsertion<'_, '_> {
    fn function(&mut self, function: &mut Function, place: ModuleFunction) {
        for (handle, expression) in function.expressions.iter_mut() {
            if let Expression::CallResult(callee) = expression {
                *callee = self.moved.get(callee).copied().unwrap_or(*callee);
            } else if let Some(call) = self.calls.get(&(place, handle)) {
                *expression = Expression::CallResult(call.function);
            }
        }
        self.block(&mut function.body, place, &mut function.expressions);
    }

    fn block(&mut self, block: &mut Block, place: ModuleFunction, expressions: &mut Arena<Expression>) {
        let mut new = Block::new();
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            let push = |call: &ReplacementCall, new: &mut Block| {
                if let Some(emitted) = &call.emits {
                    new.push(Statement::Emit(emitted.clone()), span);
                }
                let ReplacementCall { function, result, .. } = *call;
                let arguments = call.arguments.clone();
                new.push(Statement::Call { function, arguments, result }, span);
            };
            if let Statement::Emit(range) = &statement {
                // The call divides the range into the expressions before and after the replaced one.
                let mut part: Option<(Handle<Expression>, Handle<Expression>)> = None;
                let emit = |part: Option<(Handle<Expression>, Handle<Expression>)>, new: &mut Block| {
                    if let Some((first, last)) = part {
                        new.push(Statement::Emit(Range::new_from_bounds(first, last)), span);
                    }
                };
                for handle in range.clone() {
                    let Some(call) = self.calls.get(&(place, handle)) else {
                        part = Some((part.map_or(handle, |(first, _)| first), handle));
                        continue;
                    };
                    emit(part.take(), &mut new);
                    push(call, &mut new);
                }
                emit(part, &mut new);
                continue;
            }
            if let Some(call) = (self.of_statement)(expressions, &statement) {
                push(&call, &mut new);
                continue;
            }
            if let Statement::Call { function, .. } = &mut statement {
                *function = self.moved.get(function).copied().unwrap_or(*function);
            }
            inner_blocks_mut(&mut statement).for_each(|block| self.block(block, place, expressions));
            new.push(statement, span);
        }
        *block = new;
    }
}

/// Returns the blocks within a statement.
pub(crate) fn inner_blocks(statement: &Statement) -> impl Iterator<Item = &Block> {
    let (two, cases) = match statement {
        Statement::Block(block) => ([Some(block), None], &[][..]),
        Statement::If { accept, reject, .. } => ([Some(accept), Some(reject)], &[][..]),
        Statement::Loop { body, continuing, .. } => ([Some(body), Some(continuing)], &[][..]),
        Statement::Switch { cases, .. } => ([None, None], &cases[..]),
        _ => ([None, None], &[][..]),
    };
    two.into_iter().flatten().chain(cases.iter().map(|case| &case.body))
}

/// Returns the blocks within a statement, mutably.
pub(crate) fn inner_blocks_mut(statement: &mut Statement) -> impl Iterator<Item = &mut Block> {
    let (two, cases) = match statement {
        Statement::Block(block) => ([Some(block), None], &mut [][..]),
        Statement::If { accept, reject, .. } => ([Some(accept), Some(reject)], &mut [][..]),
        Statement::Loop { body, continuing, .. } => ([Some(body), Some(continuing)], &mut [][..]),
        Statement::Switch { cases, .. } => ([None, None], &mut cases[..]),
        _ => ([None, None], &mut [][..]),
    };
    two.into_iter().flatten().chain(cases.iter_mut().map(|case| &mut case.body))
}

/// Replaces the functions that a function calls. Those without a replacement stay.
pub(crate) fn replace_callees(
    function: &mut Function,
    replacements: &HashMap<Handle<Function>, Handle<Function>>,
) {
    for (_, expression) in function.expressions.iter_mut() {
        if let Expression::CallResult(callee) = expression {
            *callee = replacements.get(callee).copied().unwrap_or(*callee);
        }
    }
    replace_called(&mut function.body, replacements);
}

fn replace_called(block: &mut Block, replacements: &HashMap<Handle<Function>, Handle<Function>>) {
    for statement in block.iter_mut() {
        if let Statement::Call { function, .. } = statement {
            *function = replacements.get(function).copied().unwrap_or(*function);
        }
        inner_blocks_mut(statement).for_each(|block| replace_called(block, replacements));
    }
}

/// Puts the functions of a module into an order in which each function follows those that it calls.
pub(crate) fn sort_functions(module: &mut Module) {
    let mut sorting = FunctionSorting {
        unsorted: module.functions.drain().map(|(handle, function, _)| (handle, Some(function))).collect(),
        sorted: Arena::new(),
        moved: HashMap::new(),
    };
    for at in 0..sorting.unsorted.len() {
        sorting.sort(at);
    }
    module.functions = sorting.sorted;
    for entry_point in &mut module.entry_points {
        replace_callees(&mut entry_point.function, &sorting.moved);
    }
}

struct FunctionSorting {
    /// The functions with their old handles, which are also their positions.
    unsorted: Vec<(Handle<Function>, Option<Function>)>,
    sorted: Arena<Function>,
    moved: HashMap<Handle<Function>, Handle<Function>>,
}

impl FunctionSorting {
    /// Moves a function to the sorted ones, after those that it calls.
    fn sort(&mut self, at: usize) {
        let Some((handle, function)) = self.unsorted.get_mut(at) else { return };
        let (handle, Some(mut function)) = (*handle, function.take()) else { return };
        let mut callees = Vec::new();
        note_callees(&function.body, &mut callees);
        callees.iter().for_each(|callee| self.sort(callee.index()));
        replace_callees(&mut function, &self.moved);
        self.moved.insert(handle, self.sorted.append(function, Span::UNDEFINED));
    }
}

fn note_callees(block: &Block, callees: &mut Vec<Handle<Function>>) {
    for statement in block.iter() {
        if let Statement::Call { function, .. } = statement {
            callees.push(*function);
        }
        inner_blocks(statement).for_each(|block| note_callees(block, callees));
    }
}
