//! The layout of variables in constant buffers and in structured buffers.

use crate::{
    check::tree::{Field, Numeric, Program, StructId, Type},
    syntax::{
        ast::PackOffset,
        builtin::{Scalar, Shape},
    },
    text::token::Packing,
};

pub(crate) const ROW: u32 = 16;

/// Memory layout rules for variables, under which sizes that exceed 32 bits saturate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LayoutRules {
    /// Constant buffers have rows of 16 bytes, and vectors are packed into a row but do not cross its end.
    /// Elements of arrays, structures, and rows or columns of matrices begin a new row.
    Constant,
    /// Structured buffers are packed without gaps, and a component takes 4 bytes or, for a `double`, 8.
    Structured,
}

impl LayoutRules {
    /// Returns the size of a value in bytes, without padding after its last component, or 0 for an object.
    ///
    /// In a structured buffer, the size of a structure includes the padding to its alignment.
    pub(crate) fn size(self, program: &Program, ty: &Type, packing: Packing) -> u32 {
        match ty {
            Type::Numeric(numeric) => {
                let (vectors, components) = vectors(*numeric, packing);
                let vector = components * component_size(numeric.scalar);
                self.vector_stride(*numeric, packing) * (vectors - 1) + vector
            }
            Type::Array(array) => match self {
                LayoutRules::Constant => self
                    .array_stride(program, &array.element, packing)
                    .saturating_mul(array.length.saturating_sub(1))
                    .saturating_add(self.size(program, &array.element, packing)),
                LayoutRules::Structured => {
                    self.array_stride(program, &array.element, packing).saturating_mul(array.length)
                }
            },
            Type::Struct(id) => self.fields(program, *id, |_, _| {}),
            Type::Error | Type::Void | Type::Object(_) | Type::String => 0,
        }
    }

    pub(crate) fn alignment(self, program: &Program, ty: &Type) -> u32 {
        match (self, ty) {
            (_, Type::Numeric(numeric)) => component_size(numeric.scalar),
            (LayoutRules::Constant, Type::Array(_) | Type::Struct(_)) => {
                // An element without numbers has no size, so it needs no alignment.
                if has_numbers(program, ty) { ROW } else { 1 }
            }
            (LayoutRules::Structured, Type::Array(array)) => self.alignment(program, &array.element),
            (LayoutRules::Structured, Type::Struct(id)) => {
                program[*id].fields.iter().map(|field| self.alignment(program, &field.ty)).max().unwrap_or(1)
            }
            (_, Type::Error | Type::Void | Type::Object(_) | Type::String) => 1,
        }
    }

    /// Returns the offset of a value if all bytes from `offset` on are free.
    pub(crate) fn place(self, program: &Program, ty: &Type, packing: Packing, offset: u32) -> u32 {
        let place = round_up(offset, self.alignment(program, ty));
        match (self, ty) {
            (LayoutRules::Constant, Type::Numeric(_)) => {
                let crosses = place % ROW + self.size(program, ty, packing) > ROW;
                if crosses { round_up(place, ROW) } else { place }
            }
            _ => place,
        }
    }

    /// Returns the distance between consecutive array elements in bytes.
    pub(crate) fn array_stride(self, program: &Program, element: &Type, packing: Packing) -> u32 {
        let size = self.size(program, element, packing);
        match self {
            LayoutRules::Constant => round_up(size, ROW),
            LayoutRules::Structured => size,
        }
    }

    /// Returns the distance in bytes between the rows of a matrix, or between its columns if it is
    /// column-major.
    pub(crate) fn vector_stride(self, matrix: Numeric, packing: Packing) -> u32 {
        let (_, components) = vectors(matrix, packing);
        let size = components * component_size(matrix.scalar);
        match self {
            LayoutRules::Constant => round_up(size, ROW),
            LayoutRules::Structured => size,
        }
    }

    /// Returns the offset of a component from the beginning of a numeric value, in bytes.
    pub(crate) fn component_offset(self, ty: Numeric, packing: Packing, row: u32, column: u32) -> u32 {
        let (vector, component) = match (ty.shape, packing) {
            (Shape::Matrix { .. }, Packing::ColumnMajor) => (column, row),
            _ => (row, column),
        };
        vector * self.vector_stride(ty, packing) + component * component_size(ty.scalar)
    }

    pub(crate) fn field_offsets(self, program: &Program, id: StructId) -> Vec<u32> {
        let mut offsets = Vec::with_capacity(program[id].fields.len());
        self.fields(program, id, |_, offset| offsets.push(offset));
        offsets
    }

    /// Calls `found` with the offset of each field, and returns the size of the structure.
    fn fields(self, program: &Program, id: StructId, mut found: impl FnMut(&Field, u32)) -> u32 {
        let mut end = 0;
        for field in &program[id].fields {
            // An array or structure that contains only objects has no size, but the next field begins a row.
            let is_list = matches!(field.ty, Type::Array(_) | Type::Struct(_));
            if self == LayoutRules::Constant && is_list && !has_numbers(program, &field.ty) {
                end = round_up(end, ROW);
            }
            let offset = self.place(program, &field.ty, field.packing, end);
            found(field, offset);
            end = offset.saturating_add(self.size(program, &field.ty, field.packing));
        }
        match self {
            LayoutRules::Constant => end,
            LayoutRules::Structured => round_up(end, self.alignment(program, &Type::Struct(id))),
        }
    }
}

pub(crate) fn component_size(scalar: Scalar) -> u32 {
    if scalar == Scalar::Double { 8 } else { 4 }
}

/// Returns the number of consecutive vectors and the number of components in each vector.
pub(crate) fn vectors(ty: Numeric, packing: Packing) -> (u32, u32) {
    match (ty.shape, packing) {
        (Shape::Scalar, _) => (1, 1),
        (Shape::Vector(size), _) => (1, size.into()),
        (Shape::Matrix { rows, columns }, Packing::RowMajor) => (rows.into(), columns.into()),
        (Shape::Matrix { rows, columns }, Packing::ColumnMajor) => (columns.into(), rows.into()),
    }
}

pub(crate) fn pack_offset(offset: PackOffset) -> u32 {
    offset.register.saturating_mul(ROW).saturating_add(offset.component.saturating_mul(4))
}

pub(crate) fn has_numbers(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Numeric(_) => true,
        Type::Array(array) => has_numbers(program, &array.element),
        Type::Struct(id) => program[*id].fields.iter().any(|field| has_numbers(program, &field.ty)),
        Type::Error | Type::Void | Type::Object(_) | Type::String => false,
    }
}

/// Rounds up to the next multiple of a size or, if that exceeds `u32`, to the greatest multiple that fits.
pub(crate) fn round_up(offset: u32, size: u32) -> u32 {
    let size = size.max(1);
    offset.checked_next_multiple_of(size).unwrap_or(u32::MAX - u32::MAX % size)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{check::tree::StructType, session::source::Span, syntax::ast::ModifierFlags};

    fn structure(program: &mut Program, fields: &[Type]) -> Type {
        let fields = fields.iter().map(|ty| Field {
            name: Arc::from("f"),
            ty: ty.clone(),
            packing: Packing::ColumnMajor,
            semantic: None,
            flags: ModifierFlags::empty(),
            span: Span::default(),
        });
        program.structs.push(StructType {
            name: Arc::from("S"),
            base: None,
            fields: fields.collect(),
            methods: Vec::new(),
            interfaces: Vec::new(),
            interface: false,
            span: Span::default(),
        });
        Type::Struct(StructId(program.structs.len() as u32 - 1))
    }

    fn matrix(scalar: Scalar, rows: u8, columns: u8) -> Type {
        Type::Numeric(Numeric { scalar, shape: Shape::Matrix { rows, columns } })
    }

    fn offsets(rules: LayoutRules, fields: &[Type]) -> (Vec<u32>, u32) {
        let mut program = Program::default();
        let ty = structure(&mut program, fields);
        let size = rules.size(&program, &ty, Packing::ColumnMajor);
        (rules.field_offsets(&program, StructId(0)), size)
    }

    #[test]
    fn vectors_do_not_cross_rows() {
        let vector = |size| Type::vector(Scalar::Float, size);
        let (places, size) =
            offsets(LayoutRules::Constant, &[vector(2), vector(2), vector(2), vector(3), vector(1)]);
        assert_eq!(places, [0, 8, 16, 32, 44]);
        assert_eq!(size, 48);
        let (places, size) = offsets(LayoutRules::Structured, &[vector(3), vector(4), vector(2)]);
        assert_eq!(places, [0, 12, 28]);
        assert_eq!(size, 36);
    }

    #[test]
    fn a_variable_after_an_array_shares_its_last_row() {
        let array = Type::array(Type::FLOAT, 2);
        let (places, size) = offsets(LayoutRules::Constant, &[Type::FLOAT, array.clone(), Type::FLOAT]);
        assert_eq!(places, [0, 16, 36]);
        assert_eq!(size, 40);
        let (places, size) = offsets(LayoutRules::Structured, &[Type::FLOAT, array, Type::FLOAT]);
        assert_eq!(places, [0, 4, 12]);
        assert_eq!(size, 16);
    }

    #[test]
    fn a_variable_after_an_object_list_begins_a_row() {
        let mut program = Program::default();
        let empty = structure(&mut program, &[]);
        let ty = structure(&mut program, &[Type::FLOAT, empty, Type::FLOAT]);
        let Type::Struct(id) = ty else { panic!() };
        assert_eq!(LayoutRules::Constant.field_offsets(&program, id), [0, 16, 16]);
        assert_eq!(LayoutRules::Structured.field_offsets(&program, id), [0, 4, 4]);
    }

    #[test]
    fn packing_decides_the_layout_of_a_matrix() {
        let rules = LayoutRules::Constant;
        let program = Program::default();
        let ty = matrix(Scalar::Float, 3, 4);
        assert_eq!(rules.size(&program, &ty, Packing::RowMajor), 48);
        assert_eq!(rules.size(&program, &ty, Packing::ColumnMajor), 60);
        assert_eq!(LayoutRules::Structured.size(&program, &ty, Packing::ColumnMajor), 48);
        let numeric = ty.numeric().unwrap();
        assert_eq!(rules.component_offset(numeric, Packing::RowMajor, 1, 2), 24);
        assert_eq!(rules.component_offset(numeric, Packing::ColumnMajor, 1, 2), 36);
        assert_eq!(LayoutRules::Structured.component_offset(numeric, Packing::ColumnMajor, 1, 2), 28);
        // A row-major 1×3 matrix fits into the row of a scalar, but a column-major one needs three rows.
        let row = matrix(Scalar::Float, 1, 3);
        assert_eq!(rules.place(&program, &row, Packing::RowMajor, 4), 4);
        assert_eq!(rules.place(&program, &row, Packing::ColumnMajor, 4), 16);
    }

    #[test]
    fn doubles_have_eight_bytes() {
        let double = Type::scalar(Scalar::Double);
        let (places, size) = offsets(LayoutRules::Constant, &[Type::FLOAT, double.clone(), Type::FLOAT]);
        assert_eq!(places, [0, 8, 16]);
        assert_eq!(size, 20);
        let (places, size) = offsets(LayoutRules::Structured, &[Type::FLOAT, double, Type::FLOAT]);
        assert_eq!(places, [0, 8, 16]);
        assert_eq!(size, 24);
        let program = Program::default();
        let array = Type::array(Type::vector(Scalar::Double, 3), 2);
        assert_eq!(LayoutRules::Constant.size(&program, &array, Packing::RowMajor), 32 + 24);
    }

    #[test]
    fn sizes_saturate_at_32_bits() {
        let mut program = Program::default();
        let mut ty = structure(&mut program, &[Type::vector(Scalar::Float, 4)]);
        for _ in 0..4 {
            ty = Type::array(ty, u32::MAX);
        }
        assert!(LayoutRules::Constant.size(&program, &ty, Packing::RowMajor) > u32::MAX - 64);
        assert_eq!(round_up(u32::MAX, 16), u32::MAX - 15);
    }
}
