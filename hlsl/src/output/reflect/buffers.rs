use crate::{
    check::{
        evaluate,
        tree::{BufferId, Constant, Expr, ExprKind, Numeric, Program, Type},
    },
    interface::{
        bindings::{Bindings, Usage},
        layout::{LayoutRules, component_size},
    },
    output::reflection::{ConstantBuffer, Member, Variable, VariableClass, VariableKind, VariableType},
    syntax::builtin::{Scalar, Shape},
    text::token::Packing,
};

/// Maximum size of a default value in the reflection, in bytes.
const MOST_BYTES: u32 = 1 << 16;

pub(super) fn constant_buffer(
    program: &Program,
    usage: &Usage,
    bindings: &Bindings,
    id: BufferId,
) -> ConstantBuffer {
    let buffer = &program[id];
    let mut variables: Vec<Variable> = buffer
        .variables
        .iter()
        .filter_map(|variable| {
            let global = &program[*variable];
            let offset = *bindings.offsets.get(variable)?;
            let size = LayoutRules::Constant.size(program, &global.ty, global.packing);
            let default_value = global
                .value
                .as_ref()
                .and_then(|value| default_value(program, value, &global.ty, global.packing, size));
            Some(Variable {
                name: global.name.to_string(),
                offset,
                size,
                used: usage.globals.contains(variable),
                ty: variable_type(program, &global.ty, global.packing),
                default_value,
            })
        })
        .collect();
    variables.sort_by_key(|variable| variable.offset);
    ConstantBuffer {
        name: buffer.name.to_string(),
        texture: buffer.texture,
        size: bindings.sizes.get(&id).copied().unwrap_or_default(),
        variables,
    }
}

fn variable_type(program: &Program, ty: &Type, packing: Packing) -> VariableType {
    let mut result = VariableType {
        name: String::new(),
        class: VariableClass::Object,
        kind: VariableKind::Object,
        rows: 1,
        columns: 1,
        elements: 0,
        members: Vec::new(),
    };
    match ty {
        Type::Numeric(numeric) => {
            result.class = match (numeric.shape, packing) {
                (Shape::Scalar, _) => VariableClass::Scalar,
                (Shape::Vector(_), _) => VariableClass::Vector,
                (Shape::Matrix { .. }, Packing::RowMajor) => VariableClass::MatrixRows,
                (Shape::Matrix { .. }, Packing::ColumnMajor) => VariableClass::MatrixColumns,
            };
            result.kind = kind(numeric.scalar);
            result.rows = numeric.rows() as u32;
            result.columns = numeric.columns() as u32;
        }
        Type::Array(array) => {
            result = variable_type(program, &array.element, packing);
            result.elements = result.elements.max(1).saturating_mul(array.length);
        }
        Type::Struct(id) => {
            let structure = &program[*id];
            let offsets = LayoutRules::Constant.field_offsets(program, *id);
            result.name = structure.name.to_string();
            result.class = VariableClass::Struct;
            result.kind = VariableKind::Void;
            result.columns = components(program, ty);
            result.members = structure
                .fields
                .iter()
                .zip(offsets)
                .map(|(field, offset)| Member {
                    name: field.name.to_string(),
                    offset,
                    ty: variable_type(program, &field.ty, field.packing),
                })
                .collect();
        }
        Type::Error | Type::Void | Type::Object(_) | Type::String => {}
    }
    result
}

fn components(program: &Program, ty: &Type) -> u32 {
    match ty {
        Type::Numeric(numeric) => numeric.components() as u32,
        Type::Array(array) => components(program, &array.element).saturating_mul(array.length),
        Type::Struct(id) => program[*id]
            .fields
            .iter()
            .fold(0, |sum: u32, field| sum.saturating_add(components(program, &field.ty))),
        Type::Error | Type::Void | Type::Object(_) | Type::String => 0,
    }
}

fn kind(scalar: Scalar) -> VariableKind {
    match scalar {
        Scalar::Bool => VariableKind::Bool,
        Scalar::Int => VariableKind::Int,
        Scalar::Uint => VariableKind::Uint,
        Scalar::Half | Scalar::Float => VariableKind::Float,
        Scalar::Double => VariableKind::Double,
        Scalar::Min16Float => VariableKind::Min16Float,
        Scalar::Min10Float => VariableKind::Min10Float,
        Scalar::Min16Int => VariableKind::Min16Int,
        Scalar::Min12Int => VariableKind::Min12Int,
        Scalar::Min16Uint => VariableKind::Min16Uint,
    }
}

fn default_value(program: &Program, value: &Expr, ty: &Type, packing: Packing, size: u32) -> Option<Vec<u8>> {
    if size > MOST_BYTES {
        return None;
    }
    let mut bytes = vec![0; size as usize];
    write(program, value, ty, packing, 0, &mut bytes)?;
    Some(bytes)
}

fn write(
    program: &Program,
    value: &Expr,
    ty: &Type,
    packing: Packing,
    offset: u32,
    bytes: &mut [u8],
) -> Option<()> {
    if let Type::Numeric(numeric) = ty {
        let constant = evaluate(program, value, &|_| None)?;
        return (constant.ty.components() == numeric.components())
            .then(|| write_constant(&constant, *numeric, packing, offset, bytes))?;
    }
    match (&*value.kind, ty) {
        (ExprKind::Construct(parts), Type::Array(array)) => {
            let stride = LayoutRules::Constant.array_stride(program, &array.element, packing);
            for (part, index) in parts.iter().zip(0_u32..) {
                let offset = offset.checked_add(stride.checked_mul(index)?)?;
                write(program, part, &array.element, packing, offset, bytes)?;
            }
            Some(())
        }
        (ExprKind::Construct(parts), Type::Struct(id)) => {
            let offsets = LayoutRules::Constant.field_offsets(program, *id);
            for ((part, field), place) in parts.iter().zip(&program[*id].fields).zip(offsets) {
                write(program, part, &field.ty, field.packing, offset.checked_add(place)?, bytes)?;
            }
            Some(())
        }
        _ => None,
    }
}

fn write_constant(
    constant: &Constant,
    ty: Numeric,
    packing: Packing,
    offset: u32,
    bytes: &mut [u8],
) -> Option<()> {
    let size = component_size(ty.scalar) as usize;
    for row in 0..ty.rows() {
        for column in 0..ty.columns() {
            let bits = *constant.bits.get(row * ty.columns() + column)?;
            let place = LayoutRules::Constant.component_offset(ty, packing, row as u32, column as u32);
            let start = offset.checked_add(place)? as usize;
            bytes.get_mut(start..start + size)?.copy_from_slice(bits.to_le_bytes().get(..size)?);
        }
    }
    Some(())
}
