//! Types as they are written, and what they are.

use super::Checker;
use crate::{syntax::ast::TypeName, tree::Type};

impl Checker<'_> {
    /// The type that a text means. A structure that is declared in place is declared.
    pub(crate) fn resolve_type(&mut self, _name: &TypeName) -> Type {
        Type::Error
    }
}
