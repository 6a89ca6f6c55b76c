//! The pass that declares the [driver constants](crate::objects::shader::driver_constants), and the code that
//! reads them.

use std::num::NonZeroU32;

use naga::{
    AddressSpace, ArraySize, Expression, Function, GlobalVariable, Handle, Module, ResourceBinding, Scalar,
    Span, StructMember, Type, TypeInner, VectorSize,
};
use onze_ddi::ShaderStage;

use crate::objects::shader::{
    bindings::{RESOURCE_GROUP, driver_binding},
    driver_constants::{
        COUNT_VECTORS, CountSlot, DriverBlock, LOD_VECTORS, LODS_OFFSET, SAMPLER_VECTORS, STARTS_OFFSET,
    },
    rewrite::variables::variable_at,
};

use super::context::{ModulePass, PassContext, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "driver_constants",
    scope: PassScope::Shader,
    applies: |context| context.key.block.is_some(),
    run: |context| {
        variable(context);
    },
};

/// Returns the variable of the driver constants, or `None` if the key has no block.
///
/// Passes that remove unused variables may have removed the block, which is then declared again.
pub(super) fn variable(context: &mut PassContext<'_>) -> Option<Handle<GlobalVariable>> {
    let (stage, block) = (context.stage, context.key.block?);
    let known = variable_at(&context.module, RESOURCE_GROUP, driver_binding(stage));
    Some(known.unwrap_or_else(|| declare(&mut context.module, stage, block)))
}

/// Returns the block's declaration in WGSL, for functions that a pass adds.
pub(super) fn text() -> String {
    format!(
        "
        struct DriverConstants {{
            counts: array<vec4<u32>, {COUNT_VECTORS}>,
            starts: vec4<u32>,
            samplers: array<vec4<f32>, {SAMPLER_VECTORS}>,
            texture_lods: array<vec4<f32>, {LOD_VECTORS}>,
        }}
        @group(0) @binding(0) var<uniform> driver_constants: DriverConstants;
        "
    )
}

/// Returns the WGSL expression for the minimum mip level of a `t` slot.
pub(super) fn texture_lod(slot: u32) -> String {
    format!("driver_constants.texture_lods[{}][{}]", slot / 4, slot % 4)
}

/// Adds the block to a module.
fn declare(module: &mut Module, stage: ShaderStage, size: DriverBlock) -> Handle<GlobalVariable> {
    let mut add = |inner| module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let vector = add(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::U32 });
    let length = ArraySize::Constant(NonZeroU32::MIN.saturating_add(COUNT_VECTORS as u32 - 1));
    let counts = add(TypeInner::Array { base: vector, size: length, stride: size_of::<[u32; 4]>() as u32 });
    let member = |name: &str, ty, offset| StructMember { name: Some(name.into()), ty, binding: None, offset };
    let mut members = vec![member("counts", counts, 0)];
    if size != DriverBlock::Counts {
        members.push(member("starts", vector, STARTS_OFFSET as u32));
    }
    if size == DriverBlock::All {
        let vector = add(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 });
        let length = ArraySize::Constant(NonZeroU32::MIN.saturating_add(SAMPLER_VECTORS as u32 - 1));
        let samplers =
            add(TypeInner::Array { base: vector, size: length, stride: size_of::<[f32; 4]>() as u32 });
        members.push(member("samplers", samplers, DriverBlock::CountsAndStarts.bytes() as u32));
        let length = ArraySize::Constant(NonZeroU32::MIN.saturating_add(LOD_VECTORS as u32 - 1));
        let lods = add(TypeInner::Array { base: vector, size: length, stride: size_of::<[f32; 4]>() as u32 });
        members.push(member("texture_lods", lods, LODS_OFFSET as u32));
    }
    let block = TypeInner::Struct { members, span: size.bytes() as u32 };
    let block = Type { name: Some("DriverConstants".into()), inner: block };
    let ty = module.types.insert(block, Span::UNDEFINED);
    let binding = ResourceBinding { group: RESOURCE_GROUP as u32, binding: driver_binding(stage) };
    let variable = GlobalVariable {
        name: Some("driver_constants".into()),
        space: AddressSpace::Uniform,
        binding: Some(binding),
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    module.global_variables.append(variable, Span::UNDEFINED)
}

/// A value among the block's starts.
#[derive(Copy, Clone, Debug)]
pub(super) enum StartConstant {
    Vertex,
    Instance,
}

/// Adds the expressions that load a start, for the caller to emit. `block` is the expression of the variable.
pub(super) fn load_start(
    function: &mut Function,
    block: Handle<Expression>,
    start: StartConstant,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let starts = add(Expression::AccessIndex { base: block, index: 1 });
    let pointer = add(Expression::AccessIndex { base: starts, index: start as u32 });
    add(Expression::Load { pointer })
}

/// Adds the expressions that load a count, for the caller to emit. `block` is the expression of the variable.
pub(super) fn load_count(
    function: &mut Function,
    block: Handle<Expression>,
    count: CountSlot,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let counts = add(Expression::AccessIndex { base: block, index: 0 });
    let vector = add(Expression::AccessIndex { base: counts, index: count.vector() as u32 });
    let pointer = add(Expression::AccessIndex { base: vector, index: count.component() as u32 });
    add(Expression::Load { pointer })
}
