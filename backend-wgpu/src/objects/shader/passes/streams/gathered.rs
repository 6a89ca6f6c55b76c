//! Constant buffers that each thread loads from copies, because the draws of its dispatch have different ones.

use naga::{
    AddressSpace, ArraySize, Block, Expression, Function, GlobalVariable, Handle, MemoryDecorations, Module,
    ResourceBinding, Span, Statement, StorageAccess, Type, TypeInner,
};

use crate::objects::shader::{
    bindings::CONSTANT_GROUP, rewrite::variables::variable_at, specialization::streams::GatheredConstants,
};

/// Turns constant buffers into variables of the thread, and makes `load` fill them from the element with the number in its
/// argument.
pub(super) fn load_constants(module: &mut Module, load: Handle<Function>, gathered: &[GatheredConstants]) {
    let mut function = std::mem::take(module.functions.get_mut(load));
    function.body = Block::new();
    let at = function.expressions.append(Expression::FunctionArgument(0), Span::UNDEFINED);
    for GatheredConstants { binding, stride } in gathered {
        // The merged shaders may use only some of the buffers.
        let Some(variable) = variable_at(module, CONSTANT_GROUP, *binding) else { continue };
        let base = module.global_variables[variable].ty;
        let inner = TypeInner::Array { base, size: ArraySize::Dynamic, stride: *stride };
        let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        let copies = GlobalVariable {
            name: Some("constants_of_draws".into()),
            space: AddressSpace::Storage { access: StorageAccess::LOAD },
            binding: Some(ResourceBinding { group: CONSTANT_GROUP as u32, binding: *binding }),
            ty,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        };
        let copies = module.global_variables.append(copies, Span::UNDEFINED);
        let own = module.global_variables.get_mut(variable);
        (own.space, own.binding) = (AddressSpace::Private, None);
        let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
        let [copies, pointer] = [copies, variable].map(|of| add(Expression::GlobalVariable(of)));
        let element = add(Expression::Access { base: copies, index: at });
        let value = add(Expression::Load { pointer: element });
        let emit = Statement::Emit(naga::Range::new_from_bounds(element, value));
        function.body.push(emit, Span::UNDEFINED);
        function.body.push(Statement::Store { pointer, value }, Span::UNDEFINED);
    }
    *module.functions.get_mut(load) = function;
}
