//! The pass that adds outputs to pixel shaders: a 1 at a location of its own, where samples are counted, and zeros at
//! location 0, where a target is bound that the shader does not write.
//!
//! What the shader itself gives at the counter's location goes nowhere in Direct3D 11, as no target is bound there. So it
//! gives way. The zeros go nowhere either, as the target's write mask is empty: they are there for lavapipe of Mesa 22.3,
//! which crashes at a BGRA target without an output beside one that has one.

use naga::{
    Binding, Constant, Expression, FunctionResult, Handle, Literal, Module, Scalar, Span, StructMember, Type,
    TypeInner, VectorSize,
};
use onze_ddi::ScalarKind;

use super::entry_point::EntryWrapper;

fn binding(location: u32) -> Binding {
    Binding::Location { location, interpolation: None, sampling: None, blend_src: None, per_primitive: false }
}

fn is_at(binding: Option<&Binding>, wanted: u32) -> bool {
    matches!(binding, Some(Binding::Location { location, .. }) if *location == wanted)
}

/// Adds the output that counts.
pub(super) fn apply(module: &mut Module, location: u32) {
    let number =
        module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::F32) }, Span::UNDEFINED);
    add_output(module, location, number, Expression::Literal(Literal::F32(1.0)));
}

/// Adds zeros at location 0, of the kind of the target's numbers.
pub(super) fn fill_first(module: &mut Module, kind: ScalarKind) {
    let scalar = match kind {
        ScalarKind::Float => Scalar::F32,
        ScalarKind::Sint => Scalar::I32,
        ScalarKind::Uint => Scalar::U32,
    };
    let inner = TypeInner::Vector { size: VectorSize::Quad, scalar };
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let init = module.global_expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED);
    let zeros = module.constants.append(Constant { name: None, ty, init }, Span::UNDEFINED);
    add_output(module, 0, ty, Expression::Constant(zeros));
}

/// Adds an output to the module's only entry point, whose value nothing emits.
fn add_output(module: &mut Module, location: u32, number: Handle<Type>, value: Expression) {
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
            // Outputs are scalars and vectors: none is larger than that, nor aligned to more.
            offset += 16;
        }
        let inner = TypeInner::Struct { members, span: offset };
        let ty = types.insert(Type { name: Some("WithAdded".into()), inner }, Span::UNDEFINED);
        let whole = add(Expression::Compose { ty, components });
        Some((whole, FunctionResult { ty, binding: None }))
    });
}
