//! Elements of buffers and texels of textures, such as `object[place]`.

use super::{
    element_type,
    kinds::{self, Access},
    numbers,
};
use crate::{
    check::{
        Checker,
        tree::{Expr, ExprKind},
    },
    session::{code::Code, source::Span},
    syntax::builtin::{Object, ObjectFamily, Scalar},
};

impl Checker<'_> {
    pub(crate) fn element(&mut self, object: Expr, index: Expr) -> Expr {
        let span = self.session.sources.join(object.span, index.span);
        if object.ty.is_error() || index.ty.is_error() {
            return Expr::error(span);
        }
        let Some(ty) = object.ty.object().cloned() else { return self.not_indexable(span) };
        let element = element_type(&ty);
        let coordinates = match kinds::texture(ty.kind) {
            Some(texture) if texture.access != Access::Cube => texture.place(),
            None if is_buffer_of_elements(ty.kind) => 1,
            _ => return self.not_indexable(span),
        };
        let Some(place) = self.place(index, coordinates) else { return Expr::error(span) };
        Expr::new(ExprKind::Element { object, place, level: None }, element, span)
    }

    /// Converts an index to a `uint`, or to a `uint` vector with `coordinates` components.
    fn place(&mut self, index: Expr, coordinates: u8) -> Option<Expr> {
        let fits =
            index.ty.numeric().is_some_and(|ty| ty.rows() == 1 && ty.columns() == usize::from(coordinates));
        if !fits {
            let expected = self.tree.type_name(&numbers(Scalar::Uint, coordinates));
            let found = self.tree.type_name(&index.ty);
            let message = format!(
                "invalid type for index - index must be a scalar, or a vector with the correct number of dimensions: \
                 {expected} expected, {found} found"
            );
            self.error(Code::ScalarIndex, index.span, message);
            return None;
        }
        Some(self.convert_implicitly(index, &numbers(Scalar::Uint, coordinates)))
    }

    fn not_indexable(&mut self, span: Span) -> Expr {
        let message = "array, matrix, vector, or indexable object type expected in index expression";
        self.error(Code::InvalidIndex, span, message);
        Expr::error(span)
    }
}

pub(super) fn is_buffer_of_elements(kind: Object) -> bool {
    matches!(
        kind.family(),
        ObjectFamily::TypedBuffer
            | ObjectFamily::WrittenTypedBuffer
            | ObjectFamily::StructuredBuffer
            | ObjectFamily::WrittenStructuredBuffer
    )
}
