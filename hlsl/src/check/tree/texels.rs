use super::{Numeric, ObjectType, Program, Type};
use crate::syntax::builtin::{Scalar, Shape};

impl Program {
    /// Returns the type of an object's elements, by default four `float`s. A structure is treated as one
    /// vector of all its members' components, or the result is `None` if the members have different component
    /// types.
    pub(crate) fn texel(&self, object: &ObjectType) -> Option<Numeric> {
        match &object.element {
            None => Some(Numeric::vector(Scalar::Float, 4)),
            Some(Type::Numeric(numeric)) => Some(*numeric),
            Some(element) => {
                let (scalar, count) = self.components(element)?;
                let shape = if count == 1 { Shape::Scalar } else { Shape::Vector(count) };
                Some(Numeric { scalar, shape })
            }
        }
    }

    fn components(&self, ty: &Type) -> Option<(Scalar, u8)> {
        match ty {
            Type::Numeric(numeric) => Some((numeric.scalar, numeric.components() as u8)),
            Type::Struct(id) => {
                let mut fields = self[*id].fields.iter().map(|field| self.components(&field.ty));
                let first = fields.next()??;
                fields.try_fold(first, |(scalar, sum), field| {
                    let (other, count) = field?;
                    (other == scalar).then_some((scalar, sum.saturating_add(count)))
                })
            }
            Type::Array(array) => {
                let (scalar, count) = self.components(&array.element)?;
                Some((scalar, count.saturating_mul(array.length.try_into().unwrap_or(u8::MAX))))
            }
            Type::Error | Type::Void | Type::Object(_) | Type::String => None,
        }
    }
}
