//! The inputs of a geometry shader: the results of the vertex shader for all vertices of a primitive.

use naga::{
    ArraySize, Binding, Block, BuiltIn, Expression, Function, FunctionArgument, Handle, Literal, Module,
    Range, Scalar, ScalarKind, Span, Statement, Type, TypeInner,
};

use super::private_variable;

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

/// The inputs and outputs of an entry point that has become a function without bindings.
pub(in crate::objects::shader::passes) struct EntryBindings {
    /// The type and the binding of the result.
    pub(in crate::objects::shader::passes) result: Option<(Handle<Type>, Option<Binding>)>,
    /// The arguments with their bindings.
    pub(in crate::objects::shader::passes) arguments: Vec<FunctionArgument>,
}

/// Turns a vertex shader's entry point into a function without bindings, and returns the bindings.
pub(in crate::objects::shader::passes) fn make_plain(entry_point: &mut Function) -> EntryBindings {
    let result = entry_point.result.as_mut().map(|result| (result.ty, result.binding.take()));
    entry_point.name = Some("vertex_shader".into());
    let arguments = std::mem::take(&mut entry_point.arguments);
    entry_point.arguments =
        arguments.iter().map(|argument| FunctionArgument { binding: None, ..argument.clone() }).collect();
    EntryBindings { result, arguments }
}

/// Returns the values of a vertex shader's arguments, given the numbers of the vertex and of the instance.
pub(in crate::objects::shader::passes) fn vertex_arguments(
    arguments: &[FunctionArgument],
    [number, instance]: [Handle<Expression>; 2],
    mut add: impl FnMut(Expression) -> Handle<Expression>,
) -> Vec<Handle<Expression>> {
    let value = |argument: &FunctionArgument| match argument.binding {
        Some(Binding::BuiltIn(BuiltIn::VertexIndex)) => number,
        Some(Binding::BuiltIn(BuiltIn::InstanceIndex)) => instance,
        _ => add(Expression::ZeroValue(argument.ty)),
    };
    arguments.iter().map(value).collect()
}

/// Turns the vertex shader's entry point into a function, and makes `load` call it and store its result for
/// the geometry shader. `inputs` is the function that returns a vertex of the primitive.
pub(in crate::objects::shader::passes) fn fill_inputs(
    module: &mut Module,
    mut vertex_shader: Function,
    inputs: Handle<Function>,
    load: Handle<Function>,
    vertices: u32,
) {
    let Some(vertex) = module.functions[inputs].result.as_ref().map(|result| result.ty) else { return };
    let EntryBindings { result: outputs, arguments } = make_plain(&mut vertex_shader);
    let outputs_ty = outputs.as_ref().map(|(ty, _)| *ty);
    let outputs = outputs.map(|(ty, binding)| values(module, ty, binding.as_ref())).unwrap_or_default();
    let vertex_shader = module.functions.append(vertex_shader, Span::UNDEFINED);

    let mut layouter = naga::proc::Layouter::default();
    if layouter.update(module.to_ctx()).is_err() {
        return;
    }
    let stride = layouter[vertex].to_stride();
    let size = ArraySize::Constant(std::num::NonZeroU32::new(vertices).unwrap_or(std::num::NonZeroU32::MIN));
    let inner = TypeInner::Array { base: vertex, size, stride };
    let all = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let all = private_variable(module, "vertices", all);
    read_input(module.functions.get_mut(inputs), all);

    let wanted = values(module, vertex, None);
    let mut code = Loading { function: std::mem::take(module.functions.get_mut(load)), module };
    let [at, number, instance] = [0, 1, 2].map(|at| code.add(Expression::FunctionArgument(at)));
    let arguments = vertex_arguments(&arguments, [number, instance], |value| code.add(value));
    let result = outputs_ty.map(|_| code.add(Expression::CallResult(vertex_shader)));
    let base = code.add(Expression::GlobalVariable(all));
    let is_struct =
        outputs_ty.is_some_and(|ty| matches!(code.module.types[ty].inner, TypeInner::Struct { .. }));
    let pads =
        [Literal::F32(0.0), Literal::I32(0), Literal::U32(0)].map(|zero| code.add(Expression::Literal(zero)));
    let zeros: Vec<_> = wanted.iter().map(|value| code.add(Expression::ZeroValue(value.ty))).collect();
    let pointer = code.add(Expression::Access { base, index: at });
    let mut components = Vec::with_capacity(wanted.len());
    for (value, zero) in wanted.iter().zip(zeros) {
        let from = outputs.iter().zip(0..).find(|(output, _)| {
            output
                .binding
                .as_ref()
                .zip(value.binding.as_ref())
                .is_some_and(|(from, to)| is_same_register(from, to))
        });
        let found = from.zip(result).and_then(|((output, index), result)| {
            let whole = match is_struct {
                true => code.add(Expression::AccessIndex { base: result, index }),
                false => result,
            };
            code.converted(whole, output.ty, value.ty, pads)
        });
        components.push(found.unwrap_or(zero));
    }
    let value = code.add(Expression::Compose { ty: vertex, components });
    code.function.body = Block::from_vec(vec![
        Statement::Call { function: vertex_shader, arguments, result },
        Statement::Emit(Range::new_from_bounds(pointer, value)),
        Statement::Store { pointer, value },
    ]);
    let Loading { function, module } = code;
    *module.functions.get_mut(load) = function;
}

/// Sets the body of the function that returns a vertex of the primitive.
fn read_input(function: &mut Function, all: Handle<naga::GlobalVariable>) {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let index = add(Expression::FunctionArgument(0));
    let base = add(Expression::GlobalVariable(all));
    let pointer = add(Expression::Access { base, index });
    let value = add(Expression::Load { pointer });
    function.body = Block::from_vec(vec![
        Statement::Emit(Range::new_from_bounds(pointer, value)),
        Statement::Return { value: Some(value) },
    ]);
}

/// The function that stores a vertex, under construction.
struct Loading<'m> {
    function: Function,
    module: &'m mut Module,
}

impl Loading<'_> {
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
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
