#[cfg(test)]
pub(super) mod tests;

use crate::{
    check::tree::{Constant, Expr, ExprKind, Numeric, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::{self, Ident, Path},
        builtin::{Object, Scalar, Shape},
    },
    text::number::{FloatSuffix, Number},
};

use super::{
    Checker, NameMeaning, convert::conversion, convert::with_scalar, swizzles::swizzle, types::OpenArray,
};

impl Checker<'_> {
    pub(crate) fn expression(&mut self, expr: &ast::Expr) -> Expr {
        let span = expr.span;
        match &*expr.kind {
            ast::ExprKind::Number(number) => Expr::constant(number_constant(*number), span),
            ast::ExprKind::Bool(value) => Expr::constant(Constant::bool(*value), span),
            // Only effects use the text of a string.
            ast::ExprKind::String => Expr::new(ExprKind::Error, Type::String, span),
            ast::ExprKind::Name(path) => self.name(path),
            ast::ExprKind::Unary(op, of) => {
                let of = self.expression(of);
                self.unary(*op, of, span)
            }
            ast::ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expression(a), self.expression(b));
                self.binary(*op, a, b, span)
            }
            ast::ExprKind::Assign(op, a, b) => {
                let (a, b) = (self.expression(a), self.expression(b));
                match op {
                    Some(op) => self.update(*op, a, b, span),
                    None => self.assign(a, b, span),
                }
            }
            ast::ExprKind::Conditional(condition, a, b) => {
                let condition = self.expression(condition);
                let (a, b) = (self.expression(a), self.expression(b));
                self.conditional(condition, a, b, span)
            }
            ast::ExprKind::Comma(a, b) => {
                let (a, b) = (self.expression(a), self.expression(b));
                let ty = b.ty.clone();
                Expr::new(ExprKind::Comma(a, b), ty, span)
            }
            ast::ExprKind::Call(path, arguments) => self.call(path, arguments, span),
            ast::ExprKind::MethodCall(object, name, arguments) => {
                self.method_call(object, *name, arguments, span)
            }
            ast::ExprKind::Construct(name, arguments) => {
                let ty = self.resolve_type(name);
                let arguments = self.expressions(arguments);
                self.construct(&ty, arguments, span)
            }
            ast::ExprKind::Cast(name, dimensions, of) => {
                let ty = self.resolve_type(name);
                let ty = self.resolve_array(ty, dimensions, name.span, OpenArray::Type);
                let of = self.expression(of);
                let mut expr = self.convert_explicitly(of, &ty);
                expr.span = span;
                expr
            }
            ast::ExprKind::Index(of, index) => self.index_expression(of, index, span),
            ast::ExprKind::Member(of, name) => {
                let of = self.expression(of);
                self.member(of, *name, span)
            }
            ast::ExprKind::List(_) => {
                self.error(
                    Code::SyntaxError,
                    span,
                    "a list in braces is only allowed after '=' in a declaration",
                );
                Expr::error(span)
            }
            ast::ExprKind::Effect => {
                let message = "states and shaders of effects must be in global scope";
                self.error(Code::SyntaxError, span, message);
                Expr::error(span)
            }
        }
    }

    pub(super) fn expressions(&mut self, list: &[ast::Expr]) -> Vec<Expr> {
        list.iter().map(|expr| self.expression(expr)).collect()
    }

    /// Checks a condition and converts it to a scalar `bool`.
    pub(crate) fn condition(&mut self, expr: &ast::Expr) -> Expr {
        let condition = self.expression(expr);
        match &condition.ty {
            Type::Error => condition,
            Type::Numeric(numeric) if numeric.components() == 1 => conversion(condition, &Type::BOOL),
            ty => {
                let message = format!(
                    "conditional expressions must evaluate to a scalar, not '{}'",
                    self.tree.type_name(ty)
                );
                self.error(Code::ScalarCondition, expr.span, message);
                Expr::error(expr.span)
            }
        }
    }

    fn name(&mut self, path: &Path) -> Expr {
        let span = path.span;
        match self.lookup(path) {
            Some(None) => Expr::error(span),
            Some(Some(NameMeaning::Local(id))) => {
                let ty = self.local(id).map_or(Type::Error, |local| local.ty.clone());
                Expr::new(ExprKind::Local(id), ty, span)
            }
            Some(Some(NameMeaning::Global(id))) => {
                let ty = self.tree[id].ty.clone();
                Expr::new(ExprKind::Global(id), ty, span)
            }
            Some(Some(NameMeaning::Field(index))) => match self.this(span) {
                Some(this) => self.field(this, index, span),
                None => Expr::error(span),
            },
            Some(Some(NameMeaning::Functions(_))) => {
                let message = format!("'{}' is a function, not a variable", self.path_name(path));
                self.error(Code::NotAVariable, span, message);
                Expr::error(span)
            }
            Some(Some(NameMeaning::Type(_))) => {
                let message = format!("'{}' is a type, not a variable", self.path_name(path));
                self.error(Code::NotAVariable, span, message);
                Expr::error(span)
            }
            None => {
                let is_this = path.scope.is_empty() && &**self.session.names.text(path.name) == "this";
                if let Some(this) = self.this(span).filter(|_| is_this) {
                    return this;
                }
                let hint = self.like_variable(path);
                let message = format!("undeclared identifier '{}'{hint}", self.path_name(path));
                self.error(Code::UndeclaredIdentifier, span, message);
                Expr::error(span)
            }
        }
    }

    pub(super) fn path_name(&self, path: &Path) -> String {
        let names = path.scope.iter().chain([&path.name]);
        let names: Vec<&str> = names.map(|name| &**self.session.names.text(*name)).collect();
        names.join("::")
    }

    pub(super) fn this(&self, span: Span) -> Option<Expr> {
        let structure = self.function.as_ref()?.object?;
        Some(Expr::new(ExprKind::Local(Self::THIS), Type::Struct(structure), span))
    }

    fn field(&self, of: Expr, index: u32, span: Span) -> Expr {
        let field = match of.ty {
            Type::Struct(id) => self.tree[id].fields.get(index as usize),
            _ => None,
        };
        match field {
            Some(field) => Expr::new(ExprKind::Field(of, index), field.ty.clone(), span),
            None => Expr::error(span),
        }
    }

    fn member(&mut self, of: Expr, name: Ident, span: Span) -> Expr {
        let text = self.session.names.text(name.name).clone();
        let mut hint = String::new();
        match of.ty {
            Type::Error => return Expr::error(span),
            Type::Struct(id) => {
                if let Some(index) = self.find_field(id, &text) {
                    return self.field(of, index, span);
                }
                hint = self.like_field(id, &text);
            }
            Type::Numeric(numeric) => {
                if let Ok(found) = swizzle(of, numeric, &text, span) {
                    return found;
                }
            }
            Type::Object(_) => {
                if let Some(mut property) = self.object_property(&of, name) {
                    property.span = span;
                    return property;
                }
            }
            Type::Array(array) if &*text == "Length" => {
                return Expr::constant(Constant::uint(array.length), span);
            }
            Type::Void | Type::Array(_) | Type::String => {}
        }
        self.error(Code::InvalidSubscript, name.span, format!("invalid subscript '{text}'{hint}"));
        Expr::error(span)
    }

    /// Checks `of[index]`, including `texture.mips[level][place]` and `texture.sample[index][place]`.
    fn index_expression(&mut self, of: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
        if let ast::ExprKind::Index(levels, level) = &*of.kind
            && let ast::ExprKind::Member(texture, name) = &*levels.kind
            && matches!(&**self.session.names.text(name.name), "mips" | "sample")
        {
            let texture = self.expression(texture);
            let is_texture = self.has_levels(&texture, *name);
            let level = self.expression(level);
            let place = self.expression(index);
            if is_texture {
                return self.texel_of_level(texture, level, place, span);
            }
            let levels = self.member(texture, *name, levels.span);
            let of = self.index(levels, level, of.span);
            return self.index(of, place, span);
        }
        let (of, index) = (self.expression(of), self.expression(index));
        self.index(of, index, span)
    }

    /// Returns whether a texture has the property with this name, `mips` or `sample`.
    fn has_levels(&self, texture: &Expr, name: Ident) -> bool {
        let Some(object) = texture.ty.object() else { return false };
        let is_multisampled = matches!(object.kind, Object::Texture2DMS | Object::Texture2DMSArray);
        match &**self.session.names.text(name.name) {
            "sample" => is_multisampled,
            _ => matches!(
                object.kind,
                Object::Texture1D
                    | Object::Texture1DArray
                    | Object::Texture2D
                    | Object::Texture2DArray
                    | Object::Texture3D
            ),
        }
    }

    fn texel_of_level(&mut self, texture: Expr, level: Expr, place: Expr, span: Span) -> Expr {
        if level.ty.is_error() || place.ty.is_error() {
            return Expr::error(span);
        }
        let level = self.convert_implicitly(level, &Type::UINT);
        let mut element = self.element(texture, place);
        if let ExprKind::Element { level: place, .. } = &mut *element.kind {
            *place = Some(level);
        }
        element.span = span;
        element
    }

    pub(super) fn index(&mut self, of: Expr, index: Expr, span: Span) -> Expr {
        if of.ty.is_error() || index.ty.is_error() {
            return Expr::error(span);
        }
        let ty = match &of.ty {
            Type::Array(array) => array.element.clone(),
            Type::Numeric(Numeric { scalar, shape: Shape::Vector(_) }) => Type::scalar(*scalar),
            Type::Numeric(Numeric { scalar, shape: Shape::Matrix { columns, .. } }) => {
                Type::vector(*scalar, *columns)
            }
            Type::Object(object) => match (object.kind, &object.element) {
                (Object::InputPatch | Object::OutputPatch, Some(element)) => element.clone(),
                _ => {
                    let mut element = self.element(of, index);
                    element.span = span;
                    return element;
                }
            },
            _ => {
                let message = "array, matrix, vector, or indexable object type expected in index expression";
                self.error(Code::InvalidIndex, of.span, message);
                return Expr::error(span);
            }
        };
        let Some(index) = self.scalar_index(index) else { return Expr::error(span) };
        Expr::new(ExprKind::Index(of, index), ty, span)
    }

    fn scalar_index(&mut self, index: Expr) -> Option<Expr> {
        match index.ty.numeric() {
            Some(numeric) if numeric.shape == Shape::Scalar => {
                let scalar = match numeric.scalar {
                    scalar if scalar.is_float() || scalar.is_unsigned() => Scalar::Uint,
                    _ => Scalar::Int,
                };
                Some(conversion(index, &Type::scalar(scalar)))
            }
            _ => {
                self.error(Code::ScalarIndex, index.span, "invalid type for index - index must be a scalar");
                None
            }
        }
    }

    pub(super) fn construct(&mut self, ty: &Type, arguments: Vec<Expr>, span: Span) -> Expr {
        if ty.is_error() || arguments.iter().any(|argument| argument.ty.is_error()) {
            return Expr::error(span);
        }
        let Type::Numeric(numeric) = *ty else {
            let name = self.tree.type_name(ty);
            let is_sampling = name.starts_with("texture") || name.starts_with("Texture");
            let hint = if is_sampling {
                "; to sample a texture, call its method: t.Sample(s, location)"
            } else {
                ""
            };
            let message = format!("constructors only defined for numeric base types, not for '{name}'{hint}");
            self.error(Code::ConstructorType, span, message);
            return Expr::error(span);
        };
        let mut count = 0_u64;
        let mut parts = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let components = self.tree.numeric_components(&argument.ty);
            match components {
                Some(components) => count = count.saturating_add(components),
                None => {
                    let message =
                        format!("'{}' has no numeric components", self.tree.type_name(&argument.ty));
                    self.error(Code::ConstructorArguments, argument.span, message);
                    return Expr::error(span);
                }
            }
            let is_numeric = argument.ty.numeric().is_some();
            parts.push(match components {
                // A structure or an array is converted to a vector first.
                Some(components @ 1..=4) if !is_numeric => {
                    conversion(argument, &Type::vector(numeric.scalar, components as u8))
                }
                _ => with_scalar(argument, numeric.scalar),
            });
        }
        if count != numeric.components() as u64 || parts.iter().any(|part| part.ty.numeric().is_none()) {
            let message = format!(
                "incorrect number of arguments to numeric-type constructor: '{}' has {} components, and there are {count}",
                numeric.name(),
                numeric.components()
            );
            self.error(Code::ConstructorArguments, span, message);
            return Expr::error(span);
        }
        let bits = parts.iter().map(|part| match &*part.kind {
            ExprKind::Constant(constant) => Some(constant.bits.clone()),
            _ => None,
        });
        if let Some(bits) = bits.collect::<Option<Vec<_>>>() {
            return Expr::constant(Constant { ty: numeric, bits: bits.concat() }, span);
        }
        Expr::new(ExprKind::Construct(parts), ty.clone(), span)
    }
}

fn number_constant(number: Number) -> Constant {
    match number {
        Number::Int { value, unsigned: true } => Constant::uint(value as u32),
        Number::Int { value, unsigned: false } => Constant::int((value as u32).cast_signed()),
        Number::Float { value, suffix } => {
            let (scalar, bits) = match suffix {
                FloatSuffix::Double => (Scalar::Double, value.to_bits()),
                FloatSuffix::Half => (Scalar::Half, (value as f32).to_bits().into()),
                FloatSuffix::None | FloatSuffix::Float => (Scalar::Float, (value as f32).to_bits().into()),
            };
            Constant { ty: Numeric::scalar(scalar), bits: vec![bits] }
        }
    }
}
