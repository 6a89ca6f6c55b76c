//! The nesting depth of types, which is limited so that functions that process types may recurse.

use super::Checker;
use crate::{
    check::tree::{StructId, Type},
    session::{code::Code, source::Span},
};

/// Maximum nesting depth of structures and arrays. A naga writer recurses once per level and takes 20 KiB of
/// stack in builds without optimisation, and WGSL guarantees only 15 levels.
const MOST_LEVELS: u32 = 64;

impl Checker<'_> {
    fn type_depth(&self, ty: &Type) -> u32 {
        let (mut ty, mut levels) = (ty, 0);
        while let Type::Array(array) = ty {
            levels += 1;
            ty = &array.element;
        }
        match ty {
            Type::Struct(id) => levels + self.depths.get(id.0 as usize).copied().unwrap_or(0),
            _ => levels,
        }
    }

    pub(super) fn check_depth(&mut self, ty: &Type, span: Span) -> bool {
        if self.type_depth(ty) <= MOST_LEVELS {
            return true;
        }
        let message = format!("structures and arrays are nested more than {MOST_LEVELS} deep");
        self.error(Code::LimitExceeded, span, message);
        false
    }

    /// Records the depth of a structure whose fields are known, and removes the fields if the structure is
    /// too deep.
    pub(super) fn note_depth(&mut self, id: StructId) {
        let fields = &self.tree[id].fields;
        let depth = 1 + fields.iter().map(|field| self.type_depth(&field.ty)).max().unwrap_or(0);
        let index = id.0 as usize;
        self.depths.resize(self.depths.len().max(index + 1), 0);
        self.depths[index] = depth;
        let span = self.tree[id].span;
        if !self.check_depth(&Type::Struct(id), span) {
            self.tree[id].fields.clear();
            self.depths[index] = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::expressions::tests::program_codes;

    #[test]
    fn types_are_not_nested_too_deep() {
        let structures = |count: usize| {
            let mut text = "struct A0 { float a; };".to_owned();
            for index in 1..count {
                text += &format!("struct A{index} {{ A{} a; }};", index - 1);
            }
            text + "void f() { }"
        };
        assert_eq!(program_codes(&structures(64)), Vec::<String>::new());
        assert_eq!(program_codes(&structures(65)), ["X9000"]);
        let mut text = "typedef float A0[1];".to_owned();
        for index in 1..64 {
            text += &format!("typedef A{} A{index}[1];", index - 1);
        }
        assert_eq!(program_codes(&format!("{text} void f() {{ }}")), Vec::<String>::new());
        assert_eq!(program_codes(&format!("{text} typedef A63 A64[1]; void f() {{ }}")), ["X9000"]);
    }
}
