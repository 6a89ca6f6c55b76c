//! The arguments and results of methods of textures, buffers and streams.
//!
//! * [`kinds`] contains the number of coordinates of each object.
//! * [`buffers`] and [`textures`] check the methods.
//! * [`elements`] checks elements, such as `object[place]`.

mod buffers;
mod elements;
mod kinds;
#[cfg(test)]
mod tests;
mod textures;

use crate::{
    check::tree::{Expr, ExprKind, Method, Numeric, ObjectType, Type},
    session::{code::Code, source::Span},
    syntax::{
        ast::Ident,
        builtin::{Object, Scalar},
    },
};

use super::{Checker, evaluate};

struct MethodCall {
    method: Method,
    object: Expr,
    arguments: Vec<Expr>,
    span: Span,
}

impl MethodCall {
    fn make(self, arguments: Vec<Expr>, ty: Type) -> Expr {
        Expr::new(ExprKind::Method(self.method, self.object, arguments), ty, self.span)
    }
}

#[derive(Clone, Debug)]
enum ArgumentSlot {
    Sampler,
    ComparisonSampler,
    In(Type),
    /// A number of `int`s that are added to coordinates, and the permitted range of known values.
    Offset(u8, [i64; 2]),
    /// An output variable with the given number of components.
    Out(Numeric),
}

impl ArgumentSlot {
    fn numbers(scalar: Scalar, size: u8) -> Self {
        ArgumentSlot::In(numbers(scalar, size))
    }
}

/// Returns a scalar type if `size` is 1, and a vector type otherwise.
fn numbers(scalar: Scalar, size: u8) -> Type {
    if size == 1 { Type::scalar(scalar) } else { Type::vector(scalar, size) }
}

/// Returns the `out` argument for the residency status of the accessed memory.
fn status() -> ArgumentSlot {
    ArgumentSlot::Out(Numeric::scalar(Scalar::Uint))
}

impl Checker<'_> {
    pub(crate) fn call_method(&mut self, object: Expr, name: Ident, arguments: Vec<Expr>) -> Expr {
        if object.ty.is_error() || arguments.iter().any(|argument| argument.ty.is_error()) {
            return Expr::error(name.span);
        }
        let text = self.session.names.text(name.name).clone();
        let Some(ty) = object.ty.object().cloned() else { return self.no_such_method(name, None) };
        let Some(method) = Method::from_name(&text) else { return self.no_such_method(name, Some(ty.kind)) };
        let call = MethodCall { method, object, arguments, span: name.span };
        let result = match kinds::texture(ty.kind) {
            Some(texture) => self.texture_method(call, &ty, texture),
            None => self.buffer_method(call, &ty),
        };
        match result {
            Ok(expr) => expr,
            Err(MethodError::NoSuchMethod) => self.no_such_method(name, Some(ty.kind)),
            Err(MethodError::Reported) => Expr::error(name.span),
        }
    }

    /// Checks `object.Length`, which is the size of a texture or the number of elements of a buffer, and
    /// returns `None` for other properties.
    pub(crate) fn object_property(&mut self, object: &Expr, name: Ident) -> Option<Expr> {
        if &**self.session.names.text(name.name) != "Length" {
            return None;
        }
        let kind = object.ty.object()?.kind;
        let components = match kinds::texture(kind) {
            Some(texture) if texture.access == kinds::Access::Cube => return None,
            Some(texture) => texture.place(),
            None if elements::is_buffer_of_elements(kind) => 1,
            None => return None,
        };
        let length = ExprKind::Method(Method::Length, object.clone(), Vec::new());
        Some(Expr::new(length, numbers(Scalar::Uint, components), name.span))
    }

    fn no_such_method(&mut self, name: Ident, of: Option<Object>) -> Expr {
        let text = self.session.names.text(name.name).clone();
        let known = Method::ALL.iter().filter(|method| of.is_some_and(|of| kinds::may_have(of, **method)));
        let hint = self.session.did_you_mean(&text, known.map(|method| method.name()));
        let message = format!("invalid subscript '{text}'{hint}");
        self.error(Code::InvalidSubscript, name.span, message);
        Expr::error(name.span)
    }

    /// Creates the call with converted arguments. Arguments after the first `required` ones are optional.
    fn finish_method(
        &mut self,
        call: MethodCall,
        slots: &[ArgumentSlot],
        required: usize,
        result: Type,
    ) -> Result<Expr, MethodError> {
        if !(required..=slots.len()).contains(&call.arguments.len()) {
            return Err(self.no_matching_method(&call, slots, required));
        }
        let mut converted = Vec::with_capacity(call.arguments.len());
        for (argument, slot) in call.arguments.iter().zip(slots) {
            converted.push(match slot {
                ArgumentSlot::Sampler if is_object(argument, Object::Sampler) => argument.clone(),
                ArgumentSlot::ComparisonSampler if is_object(argument, Object::SamplerComparison) => {
                    argument.clone()
                }
                ArgumentSlot::Sampler | ArgumentSlot::ComparisonSampler => {
                    return Err(self.no_matching_method(&call, slots, required));
                }
                ArgumentSlot::In(ty) => self.convert_implicitly(argument.clone(), ty),
                ArgumentSlot::Offset(size, range) => {
                    let offset = self.convert_implicitly(argument.clone(), &numbers(Scalar::Int, *size));
                    self.check_offset(&offset, *range)?;
                    offset
                }
                ArgumentSlot::Out(ty) => self.out_argument(argument, *ty).ok_or(MethodError::Reported)?,
            });
        }
        Ok(call.make(converted, result))
    }

    fn check_offset(&mut self, offset: &Expr, [least, most]: [i64; 2]) -> Result<(), MethodError> {
        let Some(value) = evaluate(&self.tree, offset, &|_| None) else { return Ok(()) };
        if value.bits.iter().all(|bits| (least..=most).contains(&i64::from((*bits as u32).cast_signed()))) {
            return Ok(());
        }
        let message = format!("texture offsets must be integers from {least} to {most}");
        self.error(Code::OffsetRange, offset.span, message);
        Err(MethodError::Reported)
    }

    fn no_matching_method(
        &mut self,
        call: &MethodCall,
        slots: &[ArgumentSlot],
        required: usize,
    ) -> MethodError {
        let types: Vec<_> = call.arguments.iter().map(|argument| self.tree.type_name(&argument.ty)).collect();
        let message = format!(
            "'{}': no matching {} parameter intrinsic method of {} takes ({}); possible is {}{}",
            call.method.name(),
            call.arguments.len(),
            self.tree.type_name(&call.object.ty),
            types.join(", "),
            self.method_candidate(call.method, slots, required),
            self.sampler_advice(call, slots)
        );
        self.error(Code::NoMatchingFunction, call.span, message);
        MethodError::Reported
    }

    /// Returns a method and the types of its parameters as text, with optional parameters in brackets.
    fn method_candidate(&self, method: Method, slots: &[ArgumentSlot], required: usize) -> String {
        let parameters = slots.iter().enumerate().map(|(index, slot)| {
            let text = match slot {
                ArgumentSlot::Sampler => "SamplerState".to_owned(),
                ArgumentSlot::ComparisonSampler => "SamplerComparisonState".to_owned(),
                ArgumentSlot::In(ty) => self.tree.type_name(ty),
                ArgumentSlot::Offset(size, _) => {
                    format!("{} offset", self.tree.type_name(&numbers(Scalar::Int, *size)))
                }
                ArgumentSlot::Out(ty) => format!("out {}", ty.name()),
            };
            if index < required { text } else { format!("[{text}]") }
        });
        format!("{}({})", method.name(), parameters.collect::<Vec<_>>().join(", "))
    }

    /// Returns advice for a message about a call that uses the wrong sampler type.
    fn sampler_advice(&self, call: &MethodCall, slots: &[ArgumentSlot]) -> &'static str {
        let given = call.arguments.first().and_then(|first| first.ty.object()).map(|object| object.kind);
        match (slots.first(), given) {
            (Some(ArgumentSlot::ComparisonSampler), Some(Object::Sampler)) => {
                "; declare the sampler as SamplerComparisonState"
            }
            (Some(ArgumentSlot::Sampler), Some(Object::SamplerComparison)) => {
                "; declare the sampler as SamplerState"
            }
            _ => "",
        }
    }

    /// Checks `GetDimensions([level], out …)`, which also returns the number of levels if a level is given.
    fn get_dimensions(&mut self, call: MethodCall, counts: usize, levels: bool) -> Result<Expr, MethodError> {
        let out = status();
        let mut slots = vec![out.clone(); counts];
        if levels && call.arguments.len() == counts + 2 {
            slots.insert(0, ArgumentSlot::In(Type::UINT));
            slots.push(out);
        }
        let required = slots.len();
        self.finish_method(call, &slots, required, Type::Void)
    }
}

enum MethodError {
    NoSuchMethod,
    Reported,
}

fn is_object(expr: &Expr, kind: Object) -> bool {
    expr.ty.object().is_some_and(|object| object.kind == kind)
}

fn element_type(object: &ObjectType) -> Type {
    object.element.clone().unwrap_or(Type::vector(Scalar::Float, 4))
}
