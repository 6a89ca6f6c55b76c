//! The pass for samplers that wgpu does not have.
//!
//! Each expression that samples such a pair of a texture and a sampler becomes the call of a function:
//!
//! * If the sampler only has a bias, the function adds it to the level, and wgpu samples.
//! * Otherwise the function reads and filters the texels itself, by the rules of sections 7.18.5 to 7.18.15
//!   of the functional specification ([`functions`]). The code requires no feature of the adapter, so these
//!   samplers work everywhere.
//!
//! The [key](crate::objects::shader::specialization::sampling) says which code a pair needs. Shaders with
//! other samplers are not rewritten.

mod functions;
mod pair;
mod text;

use naga::{
    Arena, Constant, Expression, GlobalVariable, Handle, Literal, Module, Range, SampleLevel, ScalarKind,
    Span, TypeInner,
};
use onze_ddi::{SampledPair, ShaderReflection, ShaderStage};

use crate::objects::shader::{
    bindings::{RESOURCE_GROUP, binding, sampler_binding},
    rewrite::{
        calls::{self, ExpressionCalls, ReplacementCall},
        image_arguments,
        snippet::Snippet,
        variables::variable_at,
    },
    specialization::sampling::Sampling,
};

use self::pair::{LevelArgument, PairText, SamplingOperation};
use super::{
    context::{ModulePass, PassScope},
    driver_constants,
    wgsl::images::ImageText,
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "sampling",
    scope: PassScope::Shader,
    applies: |context| context.key.seen.samplings.is_some(),
    run: |context| {
        let Some(samplings) = &context.key.seen.samplings else { return };
        let (reflection, block) = (&context.code.reflection, driver_constants::variable(context));
        apply(&mut context.module, reflection, context.stage, samplings, block);
    },
};

/// The variables of a pair, and its code.
struct RewrittenPair {
    image: Handle<GlobalVariable>,
    sampler: Handle<GlobalVariable>,
    pair: PairText,
}

/// Rewrites the samples of a module. `block` is the variable of the driver constants, which exists if any
/// pair's code reads it.
fn apply(
    module: &mut Module,
    reflection: &ShaderReflection,
    stage: ShaderStage,
    samplings: &[Option<Sampling>],
    block: Option<Handle<GlobalVariable>>,
) {
    let pairs: Vec<_> = reflection
        .sampled_pairs
        .iter()
        .zip(samplings)
        .filter_map(|(pair, sampling)| rewritten(module, stage, *pair, (*sampling)?))
        .collect();
    image_arguments::resolve(module, &|variable| {
        pairs.iter().any(|pair| [pair.image, pair.sampler].contains(&variable))
    });
    // The replaced expressions, each with its index in `operations` and the arguments of the call.
    let mut sites = Vec::new();
    let mut operations: Vec<SamplingOperation> = Vec::new();
    for place in calls::places(module) {
        let Some(function) = calls::function_at(module, place) else { continue };
        let all: Vec<_> =
            function.expressions.iter().map(|(handle, found)| (handle, found.clone())).collect();
        for (handle, expression) in all {
            let Some((operation, given)) = sampled(module, place, &expression, &pairs) else { continue };
            let at = operations.iter().position(|known| *known == operation).unwrap_or_else(|| {
                operations.push(operation);
                operations.len() - 1
            });
            sites.push((place, handle, at, given));
        }
    }
    let text = text::text(&pairs.iter().map(|pair| &pair.pair).collect::<Vec<_>>(), &operations);
    let names: Vec<_> = pairs
        .iter()
        .flat_map(|pair| [(pair.pair.image.name.clone(), pair.image), (pair.pair.sampler(), pair.sampler)])
        .collect();
    let variables = names.iter().map(|(name, variable)| (name.as_str(), Some(*variable)));
    let variables: Vec<_> = variables.chain([("driver_constants", block)]).collect();
    let mut functions = Arena::new();
    let by_name = Snippet::new(module, &text, &variables).import(&mut functions);
    let mut calls = ExpressionCalls::new();
    for (place, handle, at, SamplingArguments { arguments, emits }) in sites {
        let Some(&function) = by_name.get(&text::name(at)) else { continue };
        calls.insert((place, handle), ReplacementCall { function, arguments, emits, result: Some(handle) });
    }
    calls::insert(module, functions, &calls, &mut |_, _| None);
}

/// Returns the variables of a pair, and its code.
fn rewritten(
    module: &Module,
    stage: ShaderStage,
    pair: SampledPair,
    sampling: Sampling,
) -> Option<RewrittenPair> {
    let image = variable_at(module, RESOURCE_GROUP, binding(stage, pair.resource))?;
    let sampler = variable_at(module, RESOURCE_GROUP, sampler_binding(stage, pair.sampler))?;
    let [image_type, sampler_type] = [image, sampler].map(|variable| module.global_variables[variable].ty);
    let TypeInner::Image { dim, arrayed, class } = module.types[image_type].inner else {
        return None;
    };
    let TypeInner::Sampler { comparison } = module.types[sampler_type].inner else { return None };
    let image_text = ImageText { name: format!("texture_{}", pair.resource), dim, arrayed, class };
    let pair = PairText { slots: pair, image: image_text, comparison, sampling };
    Some(RewrittenPair { image, sampler, pair })
}

/// The arguments of the call that replaces an expression.
struct SamplingArguments {
    arguments: Vec<Handle<Expression>>,
    /// The arguments that no other statement emits.
    emits: Option<Range<Expression>>,
}

/// Returns the operation of a sampling expression whose pair is rewritten, and adds the arguments of the
/// call.
fn sampled(
    module: &mut Module,
    place: calls::ModuleFunction,
    expression: &Expression,
    pairs: &[RewrittenPair],
) -> Option<(SamplingOperation, SamplingArguments)> {
    let &Expression::ImageSample {
        image,
        sampler,
        gather,
        coordinate,
        array_index,
        offset,
        level,
        depth_ref,
        clamp_to_edge: false,
    } = expression
    else {
        return None;
    };
    let offset = offset.map_or(Some([0; 3]), |offset| offset_of(module, place, offset))?;
    let function = calls::function_at(module, place)?;
    let variable = |handle| match function.expressions.try_get(handle) {
        Ok(Expression::GlobalVariable(variable)) => Some(*variable),
        _ => None,
    };
    let (image, sampler) = (variable(image)?, variable(sampler)?);
    let at = pairs.iter().position(|pair| (pair.image, pair.sampler) == (image, sampler))?;
    let pair = &pairs[at].pair;
    let before = function.expressions.len();
    let mut as_float = |expr| {
        let float = Expression::As { expr, kind: ScalarKind::Float, convert: Some(4) };
        function.expressions.append(float, Span::UNDEFINED)
    };
    let mut arguments = vec![coordinate];
    arguments.extend(array_index.map(&mut as_float));
    let level = match (gather, level) {
        (Some(component), _) => LevelArgument::Gather(component),
        (None, SampleLevel::Auto) => LevelArgument::Auto,
        (None, SampleLevel::Zero) => LevelArgument::Zero,
        (None, SampleLevel::Exact(level)) => {
            // The levels of depth textures are integers in WGSL.
            let is_depth = pair.image.is_depth();
            arguments.push(if is_depth { as_float(level) } else { level });
            LevelArgument::Exact
        }
        (None, SampleLevel::Bias(bias)) => {
            arguments.push(bias);
            LevelArgument::Bias
        }
        (None, SampleLevel::Gradient { x, y }) => {
            arguments.extend([x, y]);
            LevelArgument::Gradient
        }
    };
    arguments.extend(depth_ref);
    let emits = (function.expressions.len() > before).then(|| function.expressions.range_from(before));
    Some((SamplingOperation { pair: at, level, offset }, SamplingArguments { arguments, emits }))
}

/// Returns the components of a constant offset.
fn offset_of(
    module: &mut Module,
    place: calls::ModuleFunction,
    offset: Handle<Expression>,
) -> Option<[i32; 3]> {
    let constants = module.constants.clone();
    let globals = module.global_expressions.clone();
    let function = calls::function_at(module, place)?;
    let mut components = Vec::new();
    constant_components(&function.expressions, &constants, &globals, offset, &mut components)?;
    let mut offset = [0; 3];
    offset.iter_mut().zip(components).for_each(|(to, from)| *to = from);
    Some(offset)
}

/// Appends the integers of a constant expression.
fn constant_components(
    expressions: &Arena<Expression>,
    constants: &Arena<Constant>,
    globals: &Arena<Expression>,
    expression: Handle<Expression>,
    found: &mut Vec<i32>,
) -> Option<()> {
    match expressions.try_get(expression).ok()? {
        Expression::Literal(Literal::I32(value)) => found.push(*value),
        Expression::Literal(Literal::U32(value)) => found.push(*value as i32),
        Expression::Literal(Literal::AbstractInt(value)) => found.push(*value as i32),
        Expression::ZeroValue(_) => {}
        Expression::Splat { value, .. } => {
            constant_components(expressions, constants, globals, *value, found)?;
            found.extend(found.last().copied().map(|value| [value; 2]).into_iter().flatten());
        }
        Expression::Compose { components, .. } => {
            for component in components {
                constant_components(expressions, constants, globals, *component, found)?;
            }
        }
        Expression::Constant(constant) => {
            let init = constants.try_get(*constant).ok()?.init;
            constant_components(globals, constants, globals, init, found)?;
        }
        // The front ends have evaluated all other constant expressions.
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests;
