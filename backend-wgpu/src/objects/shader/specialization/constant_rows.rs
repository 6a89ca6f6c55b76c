//! Constant buffers that a shader indexes at run time, and the number of rows that are bound to them.
//!
//! Direct3D 11 compares an index into a constant buffer with the size of the bound buffer. HLSL's constant
//! buffers are arrays of rows, and the declared array may be shorter than the bound buffer. Because a uniform
//! buffer has a fixed size in wgpu, the number of bound rows is part of the key. Most applications bind the
//! declared size, which needs no further module.
//!
//! A uniform buffer of a type other than `struct { array<vec4<f32>, N> }` keeps its declared length.

use std::sync::Arc;

use naga::{AddressSpace, ArraySize, GlobalVariable, Handle, Module, Scalar, TypeInner, VectorSize};
use onze_ddi::{ShaderCode, SlotClass};

use crate::objects::shader::rewrite::accesses::{AccessStep, accesses};

/// Bytes of a row.
pub(crate) const ROW: u32 = 16;

/// A constant buffer that a shader indexes with values known only at run time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenConstants {
    /// The `b` slot.
    pub(crate) slot: u32,
    /// Number of declared rows.
    pub(crate) rows: u32,
}

/// The number of rows bound to a `b` slot, if it exceeds the declared number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BoundRows {
    pub(crate) slot: u32,
    pub(crate) rows: u32,
}

/// The slots with more rows than declared, or `None` if there are none.
pub(crate) type SeenRows = Option<Arc<[BoundRows]>>;

/// Returns the declared rows of a uniform buffer that is an array of rows.
pub(crate) fn rows(module: &Module, variable: Handle<GlobalVariable>) -> Option<u32> {
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

/// Returns the constant buffers whose rows a shader selects at run time.
pub(crate) fn open_constants(code: &ShaderCode) -> Box<[OpenConstants]> {
    let module = &code.module;
    let entry_points = module.entry_points.iter().map(|entry_point| &entry_point.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entry_points);
    let (mut indexed, mut whole) = (Vec::new(), Vec::new());
    for access in functions.flat_map(accesses) {
        match access.key.steps[..] {
            [_, AccessStep::Argument, ..] => indexed.push(access.key.variable),
            // The loaded value has the type of the declared array, so the array must keep its length.
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
