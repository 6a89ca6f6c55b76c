//! The pass that gives a vertex shader's outputs the interpolation and the type that the pixel shader's inputs declare.
//!
//! The types differ if elements of several types share a register in one of the two shaders, because such a register has
//! the bits of its elements. Bits of integers that become floats are interpolated like the floats beside them, but the
//! pixel shader does not read them.

use naga::{Binding, Expression, FunctionResult, Module, Span, Type, TypeInner};

use crate::objects::shader::{
    rewrite::{
        entry_point::EntryWrapper,
        scalars::{scalar, with_scalar},
    },
    specialization::varyings::Varying,
};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "varyings",
    scope: PassScope::Outputs,
    applies: |context| !context.key.varyings.is_empty(),
    run: |context| apply(&mut context.module, &context.key.varyings),
};

/// Rewrites the outputs of the module's only entry point.
fn apply(module: &mut Module, varyings: &[Varying]) {
    let Some(wrapper) = EntryWrapper::new(module, "before_varyings") else { return };
    wrapper.finish(module, |function, types, base, result| {
        let Type { inner: TypeInner::Struct { mut members, span }, name } =
            types.get_handle(result.ty).ok()?.clone()
        else {
            // A result without a structure is the position.
            return None;
        };
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let mut components = Vec::with_capacity(members.len());
        for (index, member) in (0..).zip(&mut members) {
            let mut value = add(Expression::AccessIndex { base, index });
            if let Some(Binding::Location { location, interpolation, sampling, .. }) = &mut member.binding
                && let Some(varying) = varyings.iter().find(|varying| varying.location == *location)
            {
                (*interpolation, *sampling) = (varying.interpolation, varying.sampling);
                let scalar = scalar(varying.kind);
                if types[member.ty].inner.scalar_kind() != Some(scalar.kind) {
                    member.ty = with_scalar(types, member.ty, scalar)?;
                    value = add(Expression::As { expr: value, kind: scalar.kind, convert: None });
                }
            }
            components.push(value);
        }
        let inner = TypeInner::Struct { members, span };
        let ty = types.insert(Type { name, inner }, Span::UNDEFINED);
        Some((add(Expression::Compose { ty, components }), FunctionResult { ty, binding: None }))
    });
}
