//! The pass that gives a vertex shader's outputs the interpolation that the pixel shader's inputs declare.

use naga::{Binding, Module, Type, TypeInner};

use crate::objects::shader::specialization::varyings::Varying;

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "varyings",
    scope: PassScope::Outputs,
    applies: |context| !context.key.varyings.is_empty(),
    run: |context| apply(&mut context.module, &context.key.varyings),
};

/// Rewrites the outputs of the module's only entry point.
fn apply(module: &mut Module, varyings: &[Varying]) {
    let change = |binding: &mut Option<Binding>| {
        let Some(Binding::Location { location, interpolation, sampling, .. }) = binding else { return };
        if let Some(varying) = varyings.iter().find(|varying| varying.location == *location) {
            (*interpolation, *sampling) = (varying.interpolation, varying.sampling);
        }
    };
    let Some(result) = module.entry_points.first_mut().and_then(|entry| entry.function.result.as_mut())
    else {
        return;
    };
    change(&mut result.binding);
    let Ok(Type { inner: TypeInner::Struct { members, span }, name }) =
        module.types.get_handle(result.ty).cloned()
    else {
        return;
    };
    let mut members = members;
    members.iter_mut().for_each(|member| change(&mut member.binding));
    module.types.replace(result.ty, Type { name, inner: TypeInner::Struct { members, span } });
}
