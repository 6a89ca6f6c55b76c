//! The pass for depth without a depth target.
//!
//! wgpu refuses a pixel shader that gives a depth in a pass without a depth target. Direct3D 11 drops the depth. So it
//! becomes an output at a location that has no target.

use naga::{Binding, BuiltIn, Module, Type, TypeInner};

/// Gives the depth of the module's only entry point a location instead.
pub(super) fn apply(module: &mut Module, location: u32) {
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
