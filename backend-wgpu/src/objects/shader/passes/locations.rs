//! The pass that renumbers the locations between a vertex and a pixel shader.

use naga::{
    Binding, Expression, FunctionArgument, FunctionResult, Handle, Module, Span, Type, TypeInner, UniqueArena,
};

use crate::objects::shader::rewrite::entry_point::EntryWrapper;

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "locations",
    scope: PassScope::Outputs,
    applies: |context| context.key.locations.is_some(),
    run: |context| {
        let Some(locations) = &context.key.locations else { return };
        apply(&mut context.module, locations);
    },
};

/// Returns the binding with its new number, or `None` if no pixel shader reads the value.
fn renumbered(binding: &Binding, locations: &[u32]) -> Option<Binding> {
    let mut binding = binding.clone();
    if let Binding::Location { location, .. } = &mut binding {
        *location = locations.iter().position(|other| other == location)? as u32;
    }
    Some(binding)
}

/// Returns a structure with the new locations, and the indices of the members that it keeps. Returns `None`
/// for other types.
fn renumbered_type(
    types: &mut UniqueArena<Type>,
    ty: Handle<Type>,
    locations: &[u32],
) -> Option<(Handle<Type>, Vec<u32>)> {
    let Ok(Type { name, inner: TypeInner::Struct { members, span } }) = types.get_handle(ty).cloned() else {
        return None;
    };
    let (mut kept, mut places) = (Vec::with_capacity(members.len()), Vec::with_capacity(members.len()));
    for (place, mut member) in (0..).zip(members) {
        if let Some(binding) = &member.binding {
            let Some(binding) = renumbered(binding, locations) else { continue };
            member.binding = Some(binding);
        }
        kept.push(member);
        places.push(place);
    }
    let inner = TypeInner::Struct { members: kept, span };
    Some((types.insert(Type { name, inner }, Span::UNDEFINED), places))
}

/// Renumbers the locations between the stages in the module's only entry point.
fn apply(module: &mut Module, locations: &[u32]) {
    match module.entry_points.first().map(|entry| entry.stage) {
        Some(naga::ShaderStage::Vertex) => renumber_result(module, locations),
        Some(naga::ShaderStage::Fragment) => renumber_arguments(module, locations),
        _ => {}
    }
}

fn renumber_result(module: &mut Module, locations: &[u32]) {
    let Some(wrapper) = EntryWrapper::new(module, "before_locations") else { return };
    wrapper.finish(module, |function, types, base, result| {
        // A result without a structure is the position.
        let (ty, places) = renumbered_type(types, result.ty, locations)?;
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let parts = places.into_iter().map(|index| Expression::AccessIndex { base, index });
        let components = parts.map(&mut add).collect();
        Some((add(Expression::Compose { ty, components }), FunctionResult { ty, binding: None }))
    });
}

fn renumber_arguments(module: &mut Module, locations: &[u32]) {
    let Some((mut wrapper, given)) = EntryWrapper::without_arguments(module, "after_locations") else {
        return;
    };
    let mut changed = Vec::with_capacity(given.len());
    for argument in given {
        // The list contains all of the pixel shader's locations, so no argument loses a member.
        let binding = argument.binding.and_then(|binding| renumbered(&binding, locations));
        let structure = renumbered_type(&mut module.types, argument.ty, locations);
        let (ty, places) = structure.map_or((argument.ty, None), |(ty, places)| (ty, Some(places)));
        let value = wrapper.add_argument(FunctionArgument { name: argument.name, ty, binding });
        changed.push((value, argument.ty, places));
    }
    wrapper.set_arguments(|function| {
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let mut arguments = Vec::with_capacity(changed.len());
        for (base, ty, places) in changed {
            arguments.push(match places {
                Some(places) => {
                    let parts = places.into_iter().map(|index| Expression::AccessIndex { base, index });
                    let components = parts.map(&mut add).collect();
                    add(Expression::Compose { ty, components })
                }
                None => base,
            });
        }
        arguments
    });
    wrapper.finish(module, |_, _, _, _| None);
}
