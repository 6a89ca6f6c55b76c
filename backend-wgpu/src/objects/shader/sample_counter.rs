//! The pass for pixel shaders whose samples are counted: an output of 1 at a location of its own.
//!
//! What the shader itself gives at that location goes nowhere in Direct3D 11, as no target is bound there. So it gives way.

use naga::{
    Binding, Expression, FunctionResult, Literal, Module, Scalar, Span, StructMember, Type, TypeInner,
};

use super::entry_point::Wrapper;

fn binding(location: u32) -> Binding {
    Binding::Location { location, interpolation: None, sampling: None, blend_src: None, per_primitive: false }
}

fn is_at(binding: Option<&Binding>, wanted: u32) -> bool {
    matches!(binding, Some(Binding::Location { location, .. }) if *location == wanted)
}

/// Adds the output to the module's only entry point.
pub(super) fn apply(module: &mut Module, location: u32) {
    let number =
        module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::F32) }, Span::UNDEFINED);
    let Some(mut wrapper) = Wrapper::new(module, "uncounted") else { return };
    let one = wrapper.add_plain(Expression::Literal(Literal::F32(1.0)));
    let alone = FunctionResult { ty: number, binding: Some(binding(location)) };
    wrapper.finish_or(module, (one, alone), |function, types, before, result| {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let given = match &types[result.ty].inner {
            TypeInner::Struct { members, .. } => {
                let members = members.clone().into_iter().zip(0..);
                let parts = members.filter(|(member, _)| !is_at(member.binding.as_ref(), location));
                parts
                    .map(|(member, index)| (member, add(Expression::AccessIndex { base: before, index })))
                    .collect()
            }
            _ if is_at(result.binding.as_ref(), location) => Vec::new(),
            _ => {
                let name = Some("output".into());
                vec![(
                    StructMember { name, ty: result.ty, binding: result.binding.clone(), offset: 0 },
                    before,
                )]
            }
        };
        let counted = Some(binding(location));
        let counted = StructMember { name: Some("counted".into()), ty: number, binding: counted, offset: 0 };
        let (mut members, mut components) = (Vec::new(), Vec::new());
        let mut offset = 0;
        for (member, value) in given.into_iter().chain([(counted, one)]) {
            members.push(StructMember { offset, ..member });
            components.push(value);
            // Outputs are scalars and vectors: none is larger than that, nor aligned to more.
            offset += 16;
        }
        let inner = TypeInner::Struct { members, span: offset };
        let ty = types.insert(Type { name: Some("Counted".into()), inner }, Span::UNDEFINED);
        let whole = add(Expression::Compose { ty, components });
        Some((whole, FunctionResult { ty, binding: None }))
    });
}
