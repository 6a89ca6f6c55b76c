//! The pass for loads from textures with a minimum mip level (`SetResourceMinLOD`).
//!
//! A load from a level before the minimum is out of bounds, by section 5.8.5 of the functional specification.
//! The [sampling pass](super::sampling) handles the samples of these textures.

use naga::{Arena, Expression, GlobalVariable, Handle, Module, ScalarKind, Span, TypeInner};
use onze_ddi::ShaderStage;

use crate::objects::shader::{
    bindings::{RESOURCE_GROUP, binding},
    rewrite::{
        calls::{self, ExpressionCalls, ReplacementCall},
        image_arguments,
        snippet::Snippet,
        variables::variable_at,
    },
    specialization::textures::ClampedTexture,
};

use super::{
    context::{ModulePass, PassScope},
    driver_constants::{self, texture_lod},
    wgsl::images::ImageText,
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "clamps",
    scope: PassScope::Shader,
    applies: |context| context.key.seen.clamps.is_some(),
    run: |context| {
        let Some(clamps) = &context.key.seen.clamps else { return };
        let block = driver_constants::variable(context);
        apply(&mut context.module, context.stage, clamps, block);
    },
};

/// Rewrites the loads of a module. `block` is the variable of the driver constants.
fn apply(
    module: &mut Module,
    stage: ShaderStage,
    clamps: &[ClampedTexture],
    block: Option<Handle<GlobalVariable>>,
) {
    let textures: Vec<_> = clamps.iter().filter_map(|clamp| texture(module, stage, *clamp)).collect();
    image_arguments::resolve(module, &|variable| textures.iter().any(|(known, ..)| *known == variable));
    let mut text = driver_constants::text();
    textures.iter().for_each(|(_, image, clamp)| text += &load(image, *clamp));
    let names: Vec<_> = textures.iter().map(|(variable, image, _)| (image.name.clone(), *variable)).collect();
    let variables = names.iter().map(|(name, variable)| (name.as_str(), Some(*variable)));
    let variables: Vec<_> = variables.chain([("driver_constants", block)]).collect();
    let mut functions = Arena::new();
    let by_name = Snippet::new(module, &text, &variables).import(&mut functions);
    let mut calls = ExpressionCalls::new();
    for place in calls::places(module) {
        let Some(function) = calls::function_at(module, place) else { continue };
        let all: Vec<_> =
            function.expressions.iter().map(|(handle, found)| (handle, found.clone())).collect();
        for (handle, expression) in all {
            let Expression::ImageLoad { image, coordinate, array_index, sample: None, level: Some(level) } =
                expression
            else {
                continue;
            };
            let Ok(Expression::GlobalVariable(variable)) = function.expressions.try_get(image) else {
                continue;
            };
            let Some((_, image, _)) = textures.iter().find(|(known, ..)| known == variable) else { continue };
            let Some(&target) = by_name.get(&format!("load_{}", image.name)) else { continue };
            let before = function.expressions.len();
            // The index may be signed or unsigned. Unsigned indices above the signed range become negative,
            // which is out of bounds as well.
            let mut as_signed = |expr| {
                let signed = Expression::As { expr, kind: ScalarKind::Sint, convert: Some(4) };
                function.expressions.append(signed, Span::UNDEFINED)
            };
            let arguments = [Some(coordinate), array_index, Some(level)]
                .into_iter()
                .flatten()
                .map(&mut as_signed)
                .collect();
            let emits = Some(function.expressions.range_from(before));
            let call = ReplacementCall { function: target, arguments, emits, result: Some(handle) };
            calls.insert((place, handle), call);
        }
    }
    calls::insert(module, functions, &calls, &mut |_, _| None);
}

/// Returns the variable of a texture, and the texture's declaration in WGSL.
fn texture(
    module: &Module,
    stage: ShaderStage,
    clamp: ClampedTexture,
) -> Option<(Handle<GlobalVariable>, ImageText, ClampedTexture)> {
    let variable = variable_at(module, RESOURCE_GROUP, binding(stage, clamp.slot))?;
    let ty = module.global_variables[variable].ty;
    let TypeInner::Image { dim, arrayed, class } = module.types[ty].inner else { return None };
    let name = format!("texture_{}", clamp.slot);
    let image = ImageText { name, dim, arrayed, class };
    // WGSL has no loads from cube maps.
    (!class.is_multisampled() && dim != naga::ImageDimension::Cube).then_some((variable, image, clamp))
}

/// Returns the WGSL function that loads from a texture.
fn load(image: &ImageText, clamp: ClampedTexture) -> String {
    let (name, value) = (&image.name, image.value());
    let (layer, given) = if image.arrayed { ("layer: i32, ", "layer, ") } else { ("", "") };
    format!(
        "
        @group(0) @binding({}) var {name}: {};
        fn load_{name}(at: {}, {layer}level: i32) -> {value} {{
            if f32(level) < floor({}) {{ return {}; }}
            return textureLoad({name}, at, {given}level);
        }}",
        clamp.slot + 1,
        image.ty(),
        image.vector("i32"),
        texture_lod(clamp.slot),
        image.missing(clamp.components),
    )
}
