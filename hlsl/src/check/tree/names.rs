use crate::syntax::builtin::{Object, Shape};

use super::{Direction, FunctionId, Numeric, ObjectType, Program, Type};

impl Numeric {
    pub(crate) fn name(self) -> String {
        let scalar = self.scalar.name();
        match self.shape {
            Shape::Scalar => scalar.to_owned(),
            Shape::Vector(size) => format!("{scalar}{size}"),
            Shape::Matrix { rows, columns } => format!("{scalar}{rows}x{columns}"),
        }
    }
}

impl Program {
    /// Returns the name of a type for messages, such as `float3[4]` or `Texture2D<uint4>`.
    pub(crate) fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Error => "<error>".to_owned(),
            Type::Void => "void".to_owned(),
            Type::Numeric(numeric) => numeric.name(),
            Type::Array(_) => {
                let (mut element, mut lengths) = (ty, String::new());
                while let Type::Array(array) = element {
                    lengths.push_str(&format!("[{}]", array.length));
                    element = &array.element;
                }
                self.type_name(element) + &lengths
            }
            Type::Struct(id) => self[*id].name.to_string(),
            Type::Object(object) => self.object_name(object),
            Type::String => "string".to_owned(),
        }
    }

    /// Returns the declaration of a function, such as `float f(inout float a, int b)`.
    pub(crate) fn signature_text(&self, function: FunctionId) -> String {
        let function = &self[function];
        let parameters = function.parameters.iter().skip(usize::from(function.object.is_some()));
        let parameters = parameters.map(|parameter| {
            let local = function.local(parameter.local);
            let direction = match parameter.direction {
                Direction::In => "",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            };
            format!("{direction}{} {}", self.type_name(&local.ty), local.name)
        });
        let parameters: Vec<_> = parameters.collect();
        format!("{} {}({})", self.type_name(&function.result), function.name, parameters.join(", "))
    }

    fn object_name(&self, object: &ObjectType) -> String {
        let name = object.kind.name();
        let patch = matches!(object.kind, Object::InputPatch | Object::OutputPatch);
        match &object.element {
            Some(element) if patch => format!("{name}<{},{}>", self.type_name(element), object.count),
            Some(element) => format!("{name}<{}>", self.type_name(element)),
            None => name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::builtin::Scalar;

    #[test]
    fn types_are_named_as_they_are_written() {
        let program = Program::default();
        let matrix = Type::Numeric(Numeric {
            scalar: Scalar::Min16Uint,
            shape: Shape::Matrix { rows: 2, columns: 3 },
        });
        assert_eq!(program.type_name(&matrix), "min16uint2x3");
        let array = Type::array(Type::array(Type::vector(Scalar::Half, 1), 3), 2);
        assert_eq!(program.type_name(&array), "half1[2][3]");
    }
}
