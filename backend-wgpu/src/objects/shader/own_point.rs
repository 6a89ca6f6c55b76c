//! Hull shaders whose control-point function reads only the input control point with its own number.
//!
//! An invocation of such a shader need not run the vertex shader for the other points of the patch. This is decided for
//! the geometry shader that the driver makes from the function ([`super::patches`]).

use std::collections::HashMap;

use naga::{
    Block, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Module, ScalarKind, Statement,
};
use onze_ddi::{InputPrimitive, ShaderCode};

use super::{rewrite::calls::inner_blocks, specialization::geometry::program};

/// The argument of the geometry shader that contains the number of the invocation.
const NUMBER: usize = 1;

/// Returns whether each invocation reads no input control point but that with its own number, or the last one if there are
/// fewer points.
pub(super) fn reads_own_point(code: &ShaderCode) -> bool {
    let Some(program) = program(code) else { return false };
    match (program.input, program.vertex) {
        (InputPrimitive::Patch(points), Some(input_point)) => {
            reads_only_own(&code.module, program.function, input_point, points.saturating_sub(1))
        }
        _ => false,
    }
}

/// Returns whether `run` and the functions that it calls read only the own point with `input_point`. `last` is the number of
/// the last input control point.
fn reads_only_own(module: &Module, run: Handle<Function>, input_point: Handle<Function>, last: u32) -> bool {
    // For each function that is called, which of its arguments are the number in all calls.
    let of_run = (0..module.functions[run].arguments.len()).map(|at| at == NUMBER);
    let mut known = HashMap::from([(run, of_run.collect::<Vec<_>>())]);
    // Functions follow those that they call.
    for (handle, function) in module.functions.iter().rev().filter(|(handle, _)| *handle != input_point) {
        let Some(arguments) = known.get(&handle).cloned() else { continue };
        let numbers = Numbers { module, function, arguments: &arguments, last };
        for_each_call(&function.body, &mut |callee, values| {
            let are_numbers = values.iter().map(|value| numbers.contains(*value));
            let before = known.entry(callee).or_insert_with(|| vec![true; values.len()]);
            before.iter_mut().zip(are_numbers).for_each(|(before, is_number)| *before &= is_number);
        });
    }
    known.get(&input_point).is_none_or(|arguments| arguments.first() == Some(&true))
}

fn for_each_call(block: &Block, call: &mut impl FnMut(Handle<Function>, &[Handle<Expression>])) {
    for statement in block.iter() {
        if let Statement::Call { function, arguments, .. } = statement {
            call(*function, arguments);
        }
        inner_blocks(statement).for_each(|block| for_each_call(block, call));
    }
}

/// The expressions of a function that are the number of the invocation.
struct Numbers<'m> {
    module: &'m Module,
    function: &'m Function,
    /// Which arguments are the number.
    arguments: &'m [bool],
    /// The number of the last input control point, which limits indices.
    last: u32,
}

impl Numbers<'_> {
    fn contains(&self, value: Handle<Expression>) -> bool {
        match self.function.expressions[value] {
            Expression::FunctionArgument(at) => self.arguments.get(at as usize) == Some(&true),
            Expression::Math { fun: MathFunction::Min, arg, arg1: Some(limit), .. } => {
                self.contains(arg) && self.is_last(limit)
            }
            Expression::As { expr, kind: ScalarKind::Sint | ScalarKind::Uint, convert: None } => {
                self.contains(expr)
            }
            Expression::Load { pointer } => match self.function.expressions[pointer] {
                Expression::LocalVariable(variable) => {
                    self.only_value(variable, value).is_some_and(|value| self.contains(value))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_last(&self, value: Handle<Expression>) -> bool {
        let literal = match self.function.expressions[value] {
            Expression::Constant(constant) => {
                &self.module.global_expressions[self.module.constants[constant].init]
            }
            ref expression => expression,
        };
        matches!(literal, Expression::Literal(Literal::U32(last)) if *last == self.last)
    }

    /// Returns the value of a variable at a load, if the function stores a single one, which is known to be before the load.
    fn only_value(
        &self,
        variable: Handle<LocalVariable>,
        load: Handle<Expression>,
    ) -> Option<Handle<Expression>> {
        let expressions = &self.function.expressions;
        let is_variable = |pointer: Handle<Expression>| matches!(expressions[pointer], Expression::LocalVariable(of) if of == variable);
        // The variable is stored and loaded as a whole.
        let is_divided = expressions.iter().any(|(_, expression)| match expression {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => is_variable(*base),
            _ => false,
        });
        let mut is_passed = false;
        for_each_call(&self.function.body, &mut |_, values| {
            is_passed |= values.iter().any(|value| is_variable(*value));
        });
        if is_divided || is_passed || count_stores(&self.function.body, &is_variable) != 1 {
            return None;
        }
        for statement in self.function.body.iter() {
            match statement {
                Statement::Store { pointer, value } if is_variable(*pointer) => return Some(*value),
                Statement::Emit(range) if range.clone().any(|emitted| emitted == load) => return None,
                Statement::Emit(_) | Statement::Store { .. } => {}
                _ => return None,
            }
        }
        None
    }
}

fn count_stores(block: &Block, is_variable: &impl Fn(Handle<Expression>) -> bool) -> usize {
    let of_statement = |statement: &Statement| {
        let own = matches!(statement, Statement::Store { pointer, .. } if is_variable(*pointer));
        usize::from(own)
            + inner_blocks(statement).map(|block| count_stores(block, is_variable)).sum::<usize>()
    };
    block.iter().map(of_statement).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Returns whether a control-point function of a patch with four points reads only its own point.
    fn reads_only(point: &str) -> bool {
        let text = format!(
            "fn input_point(index: u32) -> f32 {{ return 0.0; }}
            fn read(index: u32) -> f32 {{ return 2.0 * input_point(index); }}
            {point}
            fn run(primitive: u32, number: u32) {{ let value = point(number, primitive); }}"
        );
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        let find = |name: &str| {
            let mut functions = module.functions.iter();
            functions.find(|(_, function)| function.name.as_deref() == Some(name)).unwrap().0
        };
        reads_only_own(&module, find("run"), find("input_point"), 3)
    }

    #[test]
    fn reads_of_other_points_are_found() {
        for (body, expected) in [
            ("return input_point(i);", true),
            ("return read(min(i, 3u)) + read(i);", true),
            ("var n: u32; n = i; return read(n);", true),
            ("return f32(primitive);", true),
            ("if i > 2u { return read(i); } return 0.0;", true),
            ("return read(u32(i32(i)));", false),
            ("return read(0u);", false),
            ("return read(primitive);", false),
            ("return read(i + 1u);", false),
            ("return read(min(i, 2u));", false),
            ("return read(i) + read(3u - i);", false),
            ("return input_point(i) + read(0u);", false),
            ("for (var k = 0u; k < 4u; k += 1u) { if read(k) > 0.0 { return 1.0; } } return read(i);", false),
            ("var n: u32; let a = read(n); n = i; return a;", false),
            ("var n: u32; if i > 1u { n = i; } return read(n);", false),
            ("var n: u32; n = i; n = 0u; return read(n);", false),
            ("var n: vec2<u32>; n.x = i; return read(n.y);", false),
        ] {
            let point = format!("fn point(i: u32, primitive: u32) -> f32 {{ {body} }}");
            assert_eq!(reads_only(&point), expected, "{body}");
        }
    }

    #[test]
    fn a_function_with_several_callers_reads_all_their_points() {
        let point = |second: &str| {
            format!(
                "fn both(n: u32) -> f32 {{ return read(n); }}
                fn point(i: u32, primitive: u32) -> f32 {{ return both(i) + both({second}); }}"
            )
        };
        assert!(reads_only(&point("i")));
        assert!(!reads_only(&point("primitive")));
    }
}
