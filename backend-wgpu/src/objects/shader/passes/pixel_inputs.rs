//! The pass that replaces those inputs of a pixel shader that the stage before it does not write.
//!
//! * `SV_RenderTargetArrayIndex` and `SV_ViewportArrayIndex` are 0.
//! * After a geometry shader, `SV_PrimitiveID` is the number that the geometry shader has written, or 0 if it
//!   writes none. wgpu's value would count the primitives that wgpu draws.

use naga::{Binding, BuiltIn, Expression, FunctionArgument, Handle, Interpolation, Type};

use crate::objects::shader::{
    rewrite::entry_point::EntryWrapper,
    specialization::pixel_inputs::{PixelInputs, PrimitiveNumber},
};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "pixel_inputs",
    scope: PassScope::Shader,
    applies: |context| context.key.pixel_inputs != PixelInputs::default(),
    run: |context| {
        let inputs = &context.key.pixel_inputs;
        let Some((mut wrapper, given)) = EntryWrapper::without_arguments(&mut context.module, "with_inputs")
        else {
            return;
        };
        wrapper.replace_parts(&context.module.types, &given, &mut |wrapper, ty, binding| {
            replacement(wrapper, inputs, ty, binding)
        });
        wrapper.finish(&mut context.module, |_, _, _, _| None);
    },
};

/// Returns the value that replaces an input, or `None` if the input stays.
fn replacement(
    wrapper: &mut EntryWrapper,
    inputs: &PixelInputs,
    ty: Handle<Type>,
    binding: &Option<Binding>,
) -> Option<Handle<Expression>> {
    match binding {
        Some(Binding::BuiltIn(BuiltIn::PrimitiveIndex)) => match inputs.primitive {
            PrimitiveNumber::OfRasterizer => None,
            PrimitiveNumber::Zero => Some(wrapper.add_plain(Expression::ZeroValue(ty))),
            PrimitiveNumber::At(location) => {
                let binding = Binding::Location {
                    location,
                    interpolation: Some(Interpolation::Flat),
                    sampling: None,
                    blend_src: None,
                    per_primitive: false,
                };
                let name = Some("primitive".into());
                Some(wrapper.add_argument(FunctionArgument { name, ty, binding: Some(binding) }))
            }
        },
        Some(Binding::Location { location, .. }) if inputs.missing.contains(location) => {
            Some(wrapper.add_plain(Expression::ZeroValue(ty)))
        }
        _ => None,
    }
}
