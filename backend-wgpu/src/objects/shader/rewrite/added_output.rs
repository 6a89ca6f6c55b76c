//! An output that a pass adds to a pixel shader.

use naga::{Binding, Expression, FunctionResult, Handle, Module, Span, StructMember, Type, TypeInner};

use super::entry_point::EntryWrapper;

fn binding(location: u32) -> Binding {
    Binding::Location { location, interpolation: None, sampling: None, blend_src: None, per_primitive: false }
}

fn is_at(binding: Option<&Binding>, wanted: u32) -> bool {
    matches!(binding, Some(Binding::Location { location, .. }) if *location == wanted)
}

/// Adds an output to the module's only entry point. No statement may need to emit `value`.
pub(crate) fn add_output(module: &mut Module, location: u32, number: Handle<Type>, value: Expression) {
    let Some(mut wrapper) = EntryWrapper::new(module, "before") else { return };
    let one = wrapper.add_plain(value);
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
        let counted = StructMember { name: Some("added".into()), ty: number, binding: counted, offset: 0 };
        let (mut members, mut components) = (Vec::new(), Vec::new());
        let mut offset = 0;
        for (member, value) in given.into_iter().chain([(counted, one)]) {
            members.push(StructMember { offset, ..member });
            components.push(value);
            // Outputs are scalars and vectors, whose sizes and alignments are at most 16 bytes.
            offset += 16;
        }
        let inner = TypeInner::Struct { members, span: offset };
        let ty = types.insert(Type { name: Some("WithAdded".into()), inner }, Span::UNDEFINED);
        let whole = add(Expression::Compose { ty, components });
        Some((whole, FunctionResult { ty, binding: None }))
    });
}
