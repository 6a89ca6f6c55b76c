//! Specialisation of functions that take images as arguments, for the images that their callers pass.
//!
//! A pass that replaces an image cannot follow it through an argument. A function with such an argument is
//! therefore copied for each set of variables that callers pass, and the copy uses the variables directly.

use std::collections::HashMap;

use naga::{Arena, Block, Expression, Function, GlobalVariable, Handle, Module, Span, Statement};

use super::calls::inner_blocks_mut;

/// For each argument of a call, the variable if the caller wants it resolved.
type ArgumentImages = Vec<Option<Handle<GlobalVariable>>>;

/// Replaces arguments by variables in all functions, for the variables that `is_wanted` selects.
pub(crate) fn resolve(module: &mut Module, is_wanted: &dyn Fn(Handle<GlobalVariable>) -> bool) {
    let mut resolving = ImageResolver {
        before: std::mem::take(&mut module.functions),
        after: Arena::new(),
        made: HashMap::new(),
        is_wanted,
    };
    for entry_point in &mut module.entry_points {
        resolving.calls(&mut entry_point.function);
    }
    module.functions = resolving.after;
}

struct ImageResolver<'a> {
    before: Arena<Function>,
    /// The new functions, in which callees precede their callers.
    after: Arena<Function>,
    made: HashMap<(Handle<Function>, ArgumentImages), Handle<Function>>,
    is_wanted: &'a dyn Fn(Handle<GlobalVariable>) -> bool,
}

impl ImageResolver<'_> {
    /// Returns the copy of a function for the given variables.
    fn function(&mut self, handle: Handle<Function>, given: ArgumentImages) -> Handle<Function> {
        let key = (handle, given);
        if let Some(made) = self.made.get(&key) {
            return *made;
        }
        let mut function = self.before[handle].clone();
        let mut places = Vec::new();
        let mut left = 0;
        for variable in &key.1 {
            places.push(left);
            left += u32::from(variable.is_none());
        }
        for (_, expression) in function.expressions.iter_mut() {
            if let Expression::FunctionArgument(at) = expression {
                match key.1.get(*at as usize) {
                    Some(Some(variable)) => *expression = Expression::GlobalVariable(*variable),
                    _ => *at = places.get(*at as usize).copied().unwrap_or(*at),
                }
            }
        }
        // A named expression would keep the variable in use.
        let expressions = &function.expressions;
        let is_variable =
            |named: Handle<Expression>| matches!(expressions[named], Expression::GlobalVariable(_));
        function.named_expressions.retain(|named, _| !is_variable(*named));
        let mut variables = key.1.iter();
        function.arguments.retain(|_| variables.next().is_none_or(Option::is_none));
        self.calls(&mut function);
        let made = self.after.append(function, Span::UNDEFINED);
        self.made.insert(key, made);
        made
    }

    /// Redirects a function's calls to the copies for their arguments.
    fn calls(&mut self, function: &mut Function) {
        let mut results = HashMap::new();
        self.block(&mut function.body, &function.expressions, &mut results);
        for (handle, expression) in function.expressions.iter_mut() {
            if let (Expression::CallResult(callee), Some(made)) = (expression, results.get(&handle)) {
                *callee = *made;
            }
        }
    }

    fn block(
        &mut self,
        block: &mut Block,
        expressions: &Arena<Expression>,
        results: &mut HashMap<Handle<Expression>, Handle<Function>>,
    ) {
        for statement in block.iter_mut() {
            if let Statement::Call { function, arguments, result } = statement {
                let variable = |argument: &Handle<Expression>| match expressions.try_get(*argument) {
                    Ok(Expression::GlobalVariable(variable)) => {
                        Some(*variable).filter(|v| (self.is_wanted)(*v))
                    }
                    _ => None,
                };
                let given: ArgumentImages = arguments.iter().map(variable).collect();
                let mut variables = given.clone().into_iter();
                arguments.retain(|_| variables.next().is_none_or(|variable| variable.is_none()));
                *function = self.function(*function, given);
                results.extend(result.map(|result| (result, *function)));
            }
            inner_blocks_mut(statement).for_each(|block| self.block(block, expressions, results));
        }
    }
}
