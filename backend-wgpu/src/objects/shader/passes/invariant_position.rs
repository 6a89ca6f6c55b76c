//! The pass that marks the position of a vertex shader as invariant.
//!
//! The plain form of a shader and the form that draws by index then return the same position to the last bit,
//! so an application's pass that compares depths for equality may use either.

use naga::{Binding, BuiltIn, Handle, Module, ShaderStage, Type, TypeInner, UniqueArena};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "invariant_position",
    scope: PassScope::Outputs,
    applies: |_| true,
    run: |context| apply(&mut context.module),
};

/// Marks the position among the results of the module's vertex shaders.
fn apply(module: &mut Module) {
    let Module { entry_points, types, .. } = module;
    for entry_point in entry_points.iter_mut().filter(|entry| entry.stage == ShaderStage::Vertex) {
        let Some(result) = &mut entry_point.function.result else { continue };
        mark(&mut result.binding);
        mark_members(types, result.ty);
    }
}

/// Marks a binding, and returns whether it was an unmarked position.
fn mark(binding: &mut Option<Binding>) -> bool {
    let is_position = matches!(binding, Some(Binding::BuiltIn(BuiltIn::Position { invariant: false })));
    if is_position {
        *binding = Some(Binding::BuiltIn(BuiltIn::Position { invariant: true }));
    }
    is_position
}

fn mark_members(types: &mut UniqueArena<Type>, ty: Handle<Type>) {
    let Type { name, inner: TypeInner::Struct { mut members, span } } = types[ty].clone() else { return };
    // The replacement must not duplicate a type, and the shader may already have the same type with the mark.
    let marked: Vec<_> = members.iter_mut().map(|member| mark(&mut member.binding)).collect();
    if marked.contains(&true) {
        let new = Type { name: name.clone(), inner: TypeInner::Struct { members, span } };
        if types.get(&new).is_none() {
            types.replace(ty, new);
        }
    }
}
