//! The pass that replaces size queries by functions that read the driver constants.
//!
//! wgpu binds a null object to an empty slot, and a longer copy in place of a buffer that is shorter than the
//! shader's type. A query would return the size of the substitute, but in Direct3D 11 the size of an empty
//! slot is 0 (`GetDimensions`).
//!
//! The pass finds the queries by the expression handles of the original module, so no earlier pass may change
//! these.

use naga::{
    Arena, BinaryOperator, Expression, Function, FunctionArgument, FunctionResult, GlobalVariable, Handle,
    ImageQuery, Module, Span, Statement, Type,
};
use onze_ddi::ShaderCode;

use crate::objects::shader::{
    counts::{CountedBinding, SizeQuestion, counted_variable, questions},
    rewrite::calls::{self, ExpressionCalls, ReplacementCall},
};

use super::{
    context::{ModulePass, PassScope},
    driver_constants::{self, load_count},
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "counts",
    scope: PassScope::Shader,
    applies: |context| context.key.block.is_some(),
    run: |context| {
        let Some(block) = driver_constants::variable(context) else { return };
        apply(&mut context.module, context.code, block);
    },
};

/// Replaces the queries by calls of functions that read `block`, the variable of the driver constants.
/// `module` may differ from the shader's module in bindings, array lengths and constants, but not in
/// expression handles.
fn apply(module: &mut Module, code: &ShaderCode, block: Handle<GlobalVariable>) {
    // The new functions precede the shader's functions, because functions must precede their callers.
    let mut functions = Arena::new();
    let mut answers = ExpressionCalls::new();
    for question in questions(&code.module) {
        let Some(counted) = counted_variable(&code.module, question.variable) else { continue };
        let Some((function, arguments)) = answering(module, code, block, &question, counted) else {
            continue;
        };
        let function = functions.append(function, Span::UNDEFINED);
        let result = Some(question.expression);
        answers.insert(
            (question.place, question.expression),
            ReplacementCall { function, arguments, emits: None, result },
        );
    }
    calls::insert(module, functions, &answers, &mut |_, _| None);
}

/// Returns the function that computes the size, and the arguments of its call.
fn answering(
    module: &mut Module,
    code: &ShaderCode,
    block: Handle<GlobalVariable>,
    question: &SizeQuestion,
    counted: CountedBinding,
) -> Option<(Function, Vec<Handle<Expression>>)> {
    let (asking, info) = match question.place {
        Some(handle) => (code.module.functions.try_get(handle).ok()?, &code.info[handle]),
        None => (&code.module.entry_points.first()?.function, code.info.get_entry_point(0)),
    };
    // Both modules have the same handles for the shader's types.
    let mut type_of = |expression: Handle<Expression>| match &info[expression].ty {
        naga::proc::TypeResolution::Handle(ty) => *ty,
        naga::proc::TypeResolution::Value(inner) => {
            module.types.insert(Type { name: None, inner: inner.clone() }, Span::UNDEFINED)
        }
    };
    let ty = type_of(question.expression);
    let mut function = Function {
        name: Some("exact_count".into()),
        result: Some(FunctionResult { ty, binding: None }),
        ..Function::default()
    };
    let mut given = Vec::new();
    let query = match asking.expressions.try_get(question.expression).ok()? {
        Expression::ImageQuery { query: ImageQuery::Size { level: Some(level) }, .. } => {
            let ty = type_of(*level);
            function.arguments.push(FunctionArgument { name: Some("level".into()), ty, binding: None });
            given.push(*level);
            let level = function.expressions.append(Expression::FunctionArgument(0), Span::UNDEFINED);
            Some(ImageQuery::Size { level: Some(level) })
        }
        Expression::ImageQuery { query, .. } => Some(*query),
        _ => None,
    };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let block = add(Expression::GlobalVariable(block));
    let image = add(Expression::GlobalVariable(question.variable));
    let before = function.expressions.len();
    let count = load_count(&mut function, block, counted.count);
    let value = query.map_or(count, |query| {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let size = add(Expression::ImageQuery { image, query });
        add(Expression::Binary { op: BinaryOperator::Multiply, left: size, right: count })
    });
    let emitted = function.expressions.range_from(before);
    function.body.push(Statement::Emit(emitted), Span::UNDEFINED);
    function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
    Some((function, given))
}
