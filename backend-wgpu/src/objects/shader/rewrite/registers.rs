//! Registers between two stages: the results of a stage become the inputs of the next stage.

use naga::{
    Binding, BuiltIn, Expression, Function, Handle, Literal, Module, Scalar, ScalarKind, Span, Type,
    TypeInner,
};

/// A value in a register, or a system value.
struct Value {
    binding: Option<Binding>,
    ty: Handle<Type>,
}

/// Returns the members of a structure, or the value itself.
fn values(module: &Module, ty: Handle<Type>, binding: Option<&Binding>) -> Vec<Value> {
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => {
            members.iter().map(|member| Value { binding: member.binding.clone(), ty: member.ty }).collect()
        }
        _ => vec![Value { binding: binding.cloned(), ty }],
    }
}

/// Returns whether a value of the next stage comes from a value of the previous stage.
fn is_same_register(from: &Binding, to: &Binding) -> bool {
    match (from, to) {
        (Binding::Location { location: from, .. }, Binding::Location { location: to, .. }) => from == to,
        (Binding::BuiltIn(BuiltIn::Position { .. }), Binding::BuiltIn(BuiltIn::Position { .. })) => true,
        (Binding::BuiltIn(from), Binding::BuiltIn(to)) => from == to,
        (Binding::Location { .. }, Binding::BuiltIn(_)) | (Binding::BuiltIn(_), Binding::Location { .. }) => {
            false
        }
    }
}

/// A value that a stage has returned.
pub(crate) struct Given {
    pub(crate) value: Handle<Expression>,
    pub(crate) ty: Handle<Type>,
    /// The binding of a value that is not a structure.
    pub(crate) binding: Option<Binding>,
}

/// The members of a structure that the next stage reads, with the constants that their conversion needs. Constants are
/// added before the first expression that a statement emits.
pub(crate) struct Targets {
    members: Vec<(Value, Handle<Expression>)>,
    pads: [Handle<Expression>; 3],
}

/// A function under construction that converts the results of a stage to the inputs of the next stage.
pub(crate) struct Conversion<'m> {
    pub(crate) function: Function,
    module: &'m Module,
}

impl<'m> Conversion<'m> {
    pub(crate) const fn new(function: Function, module: &'m Module) -> Self {
        Self { function, module }
    }

    pub(crate) fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Adds the constants for a structure that the next stage reads.
    pub(crate) fn targets(&mut self, wanted: Handle<Type>) -> Targets {
        let pads = [Literal::F32(0.0), Literal::I32(0), Literal::U32(0)]
            .map(|zero| self.add(Expression::Literal(zero)));
        let members = values(self.module, wanted, None).into_iter().map(|value| {
            let zero = self.add(Expression::ZeroValue(value.ty));
            (value, zero)
        });
        Targets { members: members.collect(), pads }
    }

    /// Adds the expressions of a structure whose members come from the registers of a value. Members without a register
    /// are 0.
    pub(crate) fn structure(
        &mut self,
        given: Option<&Given>,
        wanted: Handle<Type>,
        targets: &Targets,
    ) -> Handle<Expression> {
        let outputs = given.map(|of| values(self.module, of.ty, of.binding.as_ref())).unwrap_or_default();
        let is_struct =
            given.is_some_and(|of| matches!(self.module.types[of.ty].inner, TypeInner::Struct { .. }));
        let mut components = Vec::with_capacity(targets.members.len());
        for (value, zero) in &targets.members {
            let from = outputs.iter().zip(0..).find(|(output, _)| {
                output
                    .binding
                    .as_ref()
                    .zip(value.binding.as_ref())
                    .is_some_and(|(from, to)| is_same_register(from, to))
            });
            let found = from.zip(given).and_then(|((output, index), given)| {
                let whole = match is_struct {
                    true => self.add(Expression::AccessIndex { base: given.value, index }),
                    false => given.value,
                };
                self.converted(whole, output.ty, value.ty, targets.pads)
            });
            components.push(found.unwrap_or(*zero));
        }
        self.add(Expression::Compose { ty: wanted, components })
    }

    /// Returns the scalar and the number of components of a type that fits into a register.
    fn components(&self, ty: Handle<Type>) -> Option<(Scalar, usize)> {
        match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) => Some((scalar, 1)),
            TypeInner::Vector { size, scalar } => Some((scalar, size as usize)),
            _ => None,
        }
    }

    /// Returns a value with the components of another type. Missing components are 0, and components of
    /// another kind keep their bits. Returns `None` if this is impossible.
    fn converted(
        &mut self,
        value: Handle<Expression>,
        from: Handle<Type>,
        to: Handle<Type>,
        [float, sint, uint]: [Handle<Expression>; 3],
    ) -> Option<Handle<Expression>> {
        if from == to {
            return Some(value);
        }
        let ((from, given), (scalar, needed)) = (self.components(from)?, self.components(to)?);
        let zero = match scalar.kind {
            ScalarKind::Sint => sint,
            ScalarKind::Uint => uint,
            _ => float,
        };
        let mut component = |at: usize| {
            if at >= given {
                return zero;
            }
            let part = match given {
                1 => value,
                _ => self.add(Expression::AccessIndex { base: value, index: at as u32 }),
            };
            match from.kind == scalar.kind {
                true => part,
                false => self.add(Expression::As { expr: part, kind: scalar.kind, convert: None }),
            }
        };
        let components: Vec<_> = (0..needed).map(&mut component).collect();
        match components[..] {
            [only] => Some(only),
            _ => Some(self.add(Expression::Compose { ty: to, components })),
        }
    }
}
