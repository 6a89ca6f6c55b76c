//! How variables lie in constant buffers and in structured buffers.

use crate::{
    token::Packing,
    tree::{Program, StructId, Type},
};

/// Bytes of a register of a constant buffer.
pub(crate) const ROW: u32 = 16;

/// The rules by which variables lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rules {
    /// Of a constant buffer: rows of 16 bytes, into which vectors are packed without crossing an end; elements of arrays,
    /// structures and vectors of matrices begin a row.
    Constant,
    /// Of a structured buffer: components one behind the other, 4 bytes each, 8 for a `double`.
    Structured,
}

impl Rules {
    /// Bytes of a value, without padding behind its last component. Objects have none.
    pub(crate) fn size(self, _program: &Program, _ty: &Type, _packing: Packing) -> u32 {
        0
    }

    /// Bytes from an element of an array to the next.
    pub(crate) fn array_stride(self, _program: &Program, _element: &Type, _packing: Packing) -> u32 {
        0
    }

    /// Bytes from a row of a matrix (a column, if it is packed by columns) to the next.
    pub(crate) fn vector_stride(self, _columns_or_rows: u32) -> u32 {
        ROW
    }

    /// Where the fields of a structure begin.
    pub(crate) fn field_offsets(self, _program: &Program, _id: StructId) -> Vec<u32> {
        Vec::new()
    }
}
