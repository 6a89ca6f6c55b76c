//! Types whose components become numbers of another kind.

use naga::{Handle, Scalar, Span, Type, TypeInner, UniqueArena};
use onze_ddi::ScalarKind;

/// Returns the type of a number of a kind.
pub(crate) const fn scalar(kind: ScalarKind) -> Scalar {
    match kind {
        ScalarKind::Float => Scalar::F32,
        ScalarKind::Sint => Scalar::I32,
        ScalarKind::Uint => Scalar::U32,
    }
}

/// Returns a type with as many components of another type, or `None` if the type is neither a scalar nor a vector.
pub(crate) fn with_scalar(
    types: &mut UniqueArena<Type>,
    ty: Handle<Type>,
    scalar: Scalar,
) -> Option<Handle<Type>> {
    let inner = match types.get_handle(ty).ok()?.inner {
        TypeInner::Scalar(_) => TypeInner::Scalar(scalar),
        TypeInner::Vector { size, .. } => TypeInner::Vector { size, scalar },
        _ => return None,
    };
    Some(types.insert(Type { name: None, inner }, Span::UNDEFINED))
}
