//! The pass for constant rows: an index beyond a declared array of constants reads the bound buffer.
//!
//! Direct3D 11 compares an index into a constant buffer with the buffer's size, not with the declared array. HLSL's
//! constant buffers are arrays of rows, so the shader's array gets as many rows as are bound, and [`super::ranges`] makes
//! rows beyond them zero. The numbers of rows are in the key of the module, because a uniform buffer has a fixed size in
//! wgpu. Most applications bind the declared size, which needs no other module.
//!
//! A uniform buffer of a type other than `struct { array<vec4<f32>, N> }` keeps the length that it declares.

use std::{num::NonZeroU32, sync::Arc};

use naga::{
    AddressSpace, ArraySize, GlobalVariable, Handle, Module, ResourceBinding, Scalar, Span, StructMember,
    Type, TypeInner, VectorSize,
};
use onze_ddi::{ShaderCode, SlotClass};

use super::{
    CONSTANT_GROUP,
    accesses::{AccessStep, accesses},
    binding,
};

/// Bytes of a row.
const ROW: u32 = 16;

/// A constant buffer that a shader indexes with values that are known at run time only.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenConstants {
    /// The `b` slot.
    pub(crate) slot: u32,
    /// Declared rows.
    pub(crate) rows: u32,
}

/// The rows that are bound to a `b` slot, if these are more than the shader declares.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BoundRows {
    pub(crate) slot: u32,
    pub(crate) rows: u32,
}

/// The slots of a shader with more rows than declared; `None` if there are none.
pub(crate) type SeenRows = Option<Arc<[BoundRows]>>;

/// The rows of a uniform buffer that is an array of them.
pub(super) fn rows(module: &Module, variable: Handle<GlobalVariable>) -> Option<u32> {
    let variable = &module.global_variables[variable];
    let (AddressSpace::Uniform, TypeInner::Struct { members, .. }) =
        (variable.space, &module.types[variable.ty].inner)
    else {
        return None;
    };
    let [member] = &members[..] else { return None };
    let TypeInner::Array { base, size: ArraySize::Constant(rows), stride: ROW } =
        module.types[member.ty].inner
    else {
        return None;
    };
    let row = TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 };
    (module.types[base].inner == row).then_some(rows.get())
}

/// The constant buffers of a shader whose rows it chooses at run time.
pub(super) fn open_constants(code: &ShaderCode) -> Box<[OpenConstants]> {
    let module = &code.module;
    let entry_points = module.entry_points.iter().map(|entry_point| &entry_point.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entry_points);
    let (mut indexed, mut whole) = (Vec::new(), Vec::new());
    for access in functions.flat_map(accesses) {
        match access.key.steps[..] {
            [_, AccessStep::Argument, ..] => indexed.push(access.key.variable),
            // The type of the value is that of the array.
            [] | [_] => whole.push(access.key.variable),
            [_, AccessStep::Known(_), ..] => {}
        }
    }
    let open = |(handle, variable): (_, &GlobalVariable)| {
        let place = variable.binding.filter(|place| place.group == SlotClass::ConstantBuffer.group())?;
        let rows = rows(module, handle)?;
        let is_open = indexed.contains(&handle) && !whole.contains(&handle);
        is_open.then_some(OpenConstants { slot: place.binding, rows })
    };
    module.global_variables.iter().filter_map(open).collect()
}

/// Gives the constant buffers of a lane as many rows as are bound.
pub(super) fn apply(module: &mut Module, lane: usize, bound: &[BoundRows]) {
    for BoundRows { slot, rows } in bound {
        let place = ResourceBinding { group: CONSTANT_GROUP as u32, binding: binding(lane, *slot) };
        let found = module.global_variables.iter().find(|(_, variable)| variable.binding == Some(place));
        let Some((variable, ty)) = found.map(|(handle, variable)| (handle, variable.ty)) else { continue };
        if let Some(ty) = NonZeroU32::new(*rows).and_then(|rows| lengthened(module, ty, rows)) {
            module.global_variables.get_mut(variable).ty = ty;
        }
    }
}

/// The structure of a constant buffer with another number of rows.
fn lengthened(module: &mut Module, buffer: Handle<Type>, rows: NonZeroU32) -> Option<Handle<Type>> {
    let Type { name, inner: TypeInner::Struct { members, .. } } = module.types[buffer].clone() else {
        return None;
    };
    let member = members.first()?;
    let TypeInner::Array { base, stride, .. } = module.types[member.ty].inner else { return None };
    let array = TypeInner::Array { base, size: ArraySize::Constant(rows), stride };
    let ty = module.types.insert(Type { name: None, inner: array }, Span::UNDEFINED);
    let members = vec![StructMember { ty, ..member.clone() }];
    let inner = TypeInner::Struct { members, span: rows.get().checked_mul(ROW)? };
    Some(module.types.insert(Type { name, inner }, Span::UNDEFINED))
}

#[cfg(test)]
mod tests;
