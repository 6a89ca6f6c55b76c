//! The pass for textures that a shader declares as multisampled and whose views have one sample.
//!
//! Direct3D 11 reads such textures through views of the multisampled dimension. In wgpu they are not
//! multisampled, so their variables become plain textures, and the sample index becomes the mip level, of
//! which the view has one.

use naga::{Expression, ImageClass, ImageQuery, Module, Type, TypeInner};
use onze_ddi::ShaderStage;

use crate::objects::shader::{
    bindings::{RESOURCE_GROUP, binding},
    rewrite::image_arguments,
    specialization::textures::has_slot,
};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "single_samples",
    scope: PassScope::Shader,
    applies: |context| context.key.seen.single != 0,
    run: |context| apply(&mut context.module, context.stage, context.key.seen.single),
};

/// Makes the textures in these `t` slots single-sampled.
fn apply(module: &mut Module, stage: ShaderStage, slots: u128) {
    let is_single = |of: &naga::ResourceBinding| {
        let mut all = (0..u128::BITS).filter(|slot| has_slot(slots, *slot));
        of.group == RESOURCE_GROUP as u32 && all.any(|slot| binding(stage, slot) == of.binding)
    };
    let variables: Vec<_> = module
        .global_variables
        .iter()
        .filter(|(_, variable)| variable.binding.as_ref().is_some_and(is_single))
        .map(|(handle, _)| handle)
        .collect();
    image_arguments::resolve(module, &|variable| variables.contains(&variable));
    for variable in &variables {
        let ty = module.types[module.global_variables[*variable].ty].clone();
        let TypeInner::Image { dim, arrayed, class } = ty.inner else { continue };
        let class = match class {
            ImageClass::Sampled { kind, .. } => ImageClass::Sampled { kind, multi: false },
            ImageClass::Depth { .. } => ImageClass::Depth { multi: false },
            other => other,
        };
        let inner = TypeInner::Image { dim, arrayed, class };
        let ty = module.types.insert(Type { name: ty.name, inner }, naga::Span::UNDEFINED);
        module.global_variables.get_mut(*variable).ty = ty;
    }
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let points = module.entry_points.iter_mut().map(|point| &mut point.function);
    for function in functions.chain(points) {
        let is_one = |expression: &Expression| match expression {
            Expression::GlobalVariable(variable) => variables.contains(variable),
            _ => false,
        };
        let images: Vec<_> = function
            .expressions
            .iter()
            .filter(|(_, expression)| is_one(expression))
            .map(|(handle, _)| handle)
            .collect();
        for (_, expression) in function.expressions.iter_mut() {
            match expression {
                Expression::ImageLoad { image, sample, level, .. } if images.contains(image) => {
                    *level = sample.take();
                }
                Expression::ImageQuery { image, query } if images.contains(image) => match query {
                    ImageQuery::NumSamples => *query = ImageQuery::NumLevels,
                    ImageQuery::Size { .. } | ImageQuery::NumLevels | ImageQuery::NumLayers => {}
                },
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_single_sampled_slot_loses_its_sample_arguments() {
        let text = "
            @group(0) @binding(10) var one: texture_multisampled_2d<f32>;
            @group(0) @binding(16) var several: texture_multisampled_2d<f32>;
            fn load(image: texture_multisampled_2d<f32>, at: vec2u) -> vec4f { return textureLoad(image, at, 0); }
            @fragment fn main() -> @location(0) vec4f {
                let count = textureNumSamples(one) + textureNumSamples(several);
                return load(one, vec2u()) + load(several, vec2u(count)) + f32(textureDimensions(one).x);
            }";
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        apply(&mut module, ShaderStage::Pixel, 1 << 1);
        let info = crate::objects::shader::passes::tests::languages::validate(&module).unwrap();
        let text = naga::back::wgsl::write_string(&module, &info, naga::back::wgsl::WriterFlags::empty());
        let text = text.unwrap();
        for part in ["one: texture_2d<f32>", "several: texture_multisampled_2d<f32>", "textureNumLevels(one)"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.matches("textureNumSamples").count(), 1, "{text}");
    }
}
