//! The pass for depth outputs without a depth target.
//!
//! wgpu rejects a pixel shader that writes depth in a pass without a depth target, where Direct3D 11 drops
//! the depth. The depth therefore becomes an output at a location without a target.

use naga::{Binding, BuiltIn, Module, Type, TypeInner};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "depth",
    scope: PassScope::Shader,
    applies: |context| context.key.depth_location.is_some(),
    run: |context| {
        let Some(location) = context.key.depth_location else { return };
        apply(&mut context.module, location);
    },
};

/// Replaces the depth binding of the module's only entry point by a location.
fn apply(module: &mut Module, location: u32) {
    let is_depth = |binding: &Option<Binding>| matches!(binding, Some(Binding::BuiltIn(BuiltIn::FragDepth)));
    let plain = || {
        Some(Binding::Location {
            location,
            interpolation: None,
            sampling: None,
            blend_src: None,
            per_primitive: false,
        })
    };
    for entry_point in &mut module.entry_points {
        let Some(result) = &mut entry_point.function.result else { continue };
        if is_depth(&result.binding) {
            result.binding = plain();
        }
        let Ok(Type { inner: TypeInner::Struct { members, span }, name }) =
            module.types.get_handle(result.ty).cloned()
        else {
            continue;
        };
        let mut members = members;
        for member in members.iter_mut().filter(|member| is_depth(&member.binding)) {
            member.binding = plain();
        }
        let inner = TypeInner::Struct { members, span };
        module.types.replace(result.ty, Type { name, inner });
    }
}
