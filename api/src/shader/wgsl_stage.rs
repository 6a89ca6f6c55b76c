//! Parts that geometry, hull and domain shaders in WGSL have in common: their structures, functions and entry points.
//!
//! WGSL has none of these stages, so such a shader is an ordinary function. The module gets functions whose names begin
//! with [`PREFIX`], which the driver knows, and a compute entry point that calls them.

use naga::{
    Arena, ArraySize, Binding, BuiltIn, Expression, Function, FunctionArgument, FunctionResult, Handle,
    Literal, Module, Scalar, ShaderStage, Span, Statement, Type, TypeInner,
};
use onze_ddi::{OutputValue, SystemOutput};

use super::geometry::{PREFIX, bindings};

/// Number of locations of a vertex, and maximum number of its members (D3D11: `D3D11_GS_INPUT_REGISTER_COUNT` and
/// `D3D11_GS_OUTPUT_REGISTER_COUNT`).
pub(super) const REGISTERS: usize = 32;

/// The number of components of each location. The last element is for the position.
pub(super) type Registers = [u32; REGISTERS + 1];

/// The rule that a shader breaks, with the name of the function or the number.
pub(super) type Reason = String;

pub(super) fn refused<T>(reason: impl Into<String>) -> Result<T, Reason> {
    Err(reason.into())
}

/// Finds a function of the source.
pub(super) fn find(module: &Module, name: &str) -> Option<Handle<Function>> {
    let mut functions = module.functions.iter();
    functions.find(|(_, function)| function.name.as_deref() == Some(name)).map(|(handle, _)| handle)
}

/// The type of an argument that is an array of vertices or control points.
#[derive(Copy, Clone)]
pub(super) struct PointArray {
    pub(super) array: Handle<Type>,
    /// The type of the elements, a structure.
    pub(super) point: Handle<Type>,
    pub(super) count: u32,
}

impl PointArray {
    /// Reads the type of an argument, and returns `None` unless it is an array of structures.
    pub(super) fn of(module: &Module, argument: &FunctionArgument) -> Option<Self> {
        let TypeInner::Array { base: point, size: ArraySize::Constant(count), .. } =
            module.types[argument.ty].inner
        else {
            return None;
        };
        let array = Self { array: argument.ty, point, count: count.get() };
        is_struct(module, point).then_some(array)
    }
}

pub(super) fn is_struct(module: &Module, ty: Handle<Type>) -> bool {
    matches!(module.types[ty].inner, TypeInner::Struct { .. })
}

pub(super) fn is_number(module: &Module, argument: &FunctionArgument) -> bool {
    module.types[argument.ty].inner == TypeInner::Scalar(Scalar::U32)
}

/// Returns the name of a structure for messages.
pub(super) fn type_name(module: &Module, ty: Handle<Type>) -> &str {
    module.types[ty].name.as_deref().unwrap_or("a structure")
}

/// Checks the members of a vertex, and returns its registers.
pub(super) fn check_vertex(module: &Module, vertex: Handle<Type>) -> Result<Registers, Reason> {
    check_members(module, vertex, |_| false)
}

/// Checks the members of a structure except those that `skip` accepts, and returns its registers.
pub(super) fn check_members(
    module: &Module,
    vertex: Handle<Type>,
    skip: impl Fn(&naga::StructMember) -> bool,
) -> Result<Registers, Reason> {
    let name = type_name(module, vertex);
    let mut registers = [0; REGISTERS + 1];
    let TypeInner::Struct { members, .. } = &module.types[vertex].inner else { return Ok(registers) };
    if members.len() > REGISTERS {
        return refused(format!(
            "`{name}` has {} members, but at most {REGISTERS} are possible",
            members.len()
        ));
    }
    for (member, binding) in members.iter().zip(bindings(module, vertex)) {
        if skip(member) {
            continue;
        }
        let member_name = member.name.as_deref().unwrap_or_default();
        let (size, scalar) = match module.types[member.ty].inner {
            TypeInner::Scalar(scalar) => (1, scalar),
            TypeInner::Vector { size, scalar } => (size as u32, scalar),
            _ => {
                return refused(format!(
                    "the member `{member_name}` of `{name}` must be a scalar or a vector"
                ));
            }
        };
        if ![Scalar::F32, Scalar::I32, Scalar::U32].contains(&scalar) {
            return refused(format!(
                "the components of the member `{member_name}` of `{name}` must be f32, i32 or u32"
            ));
        }
        let (register, attribute) = match binding {
            Some(Binding::BuiltIn(BuiltIn::Position { .. })) => {
                if (size, scalar) != (4, Scalar::F32) {
                    return refused(format!("the position `{member_name}` of `{name}` must be a vec4f"));
                }
                (REGISTERS, "@builtin(position)".to_owned())
            }
            Some(Binding::Location { location, .. }) if (*location as usize) < REGISTERS => {
                (*location as usize, format!("@location({location})"))
            }
            _ => {
                return refused(format!(
                    "the member `{member_name}` of `{name}` needs a @location below {REGISTERS} or @builtin(position)"
                ));
            }
        };
        if std::mem::replace(&mut registers[register], size) != 0 {
            return refused(format!("two members of `{name}` have {attribute}"));
        }
    }
    Ok(registers)
}

/// Adds the members of a vertex whose names are those of system values.
pub(super) fn add_system_outputs(
    module: &Module,
    vertex: Handle<Type>,
    stream: u32,
    all: &mut Vec<SystemOutput>,
) -> Result<(), Reason> {
    let TypeInner::Struct { members, .. } = &module.types[vertex].inner else { return Ok(()) };
    for member in members {
        let Some(Binding::Location { location, .. }) = member.binding else { continue };
        let name = member.name.as_deref().unwrap_or_default();
        let values: &dyn Fn(u32) -> OutputValue = match name {
            "clip_distances" => &OutputValue::ClipDistance,
            "cull_distances" => &OutputValue::CullDistance,
            "layer" => &|_| OutputValue::RenderTargetArrayIndex,
            "viewport" => &|_| OutputValue::ViewportArrayIndex,
            "primitive_id" => &|_| OutputValue::PrimitiveId,
            _ => continue,
        };
        let (size, scalar) = match module.types[member.ty].inner {
            TypeInner::Vector { size, scalar } => (size as u32, scalar),
            TypeInner::Scalar(scalar) => (1, scalar),
            _ => continue,
        };
        let is_distance = name.ends_with("distances");
        if is_distance && scalar != Scalar::F32 {
            return refused(format!("the member `{name}` must be f32, or a vector of f32"));
        }
        if !is_distance && (size, scalar) != (1, Scalar::U32) {
            return refused(format!("the member `{name}` must be u32"));
        }
        let output = |component| SystemOutput { value: values(component), stream, location, component };
        all.extend((0..size).map(output));
    }
    Ok(())
}

/// Returns the type `u32` of a module.
pub(super) fn number_type(module: &mut Module) -> Handle<Type> {
    let number = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    module.types.insert(number, Span::UNDEFINED)
}

pub(super) fn argument(name: &str, ty: Handle<Type>) -> FunctionArgument {
    FunctionArgument { name: Some(name.to_owned()), ty, binding: None }
}

/// A function of the driver while its body is generated.
pub(super) struct Body {
    function: Function,
}

impl Body {
    /// Begins a function whose name is [`PREFIX`] and `name`.
    pub(super) fn new(name: &str, arguments: Vec<FunctionArgument>, result: Option<Handle<Type>>) -> Self {
        let result = result.map(|ty| FunctionResult { ty, binding: None });
        let name = Some(format!("{PREFIX}{name}"));
        Self { function: Function { name, arguments, result, ..Function::default() } }
    }

    /// Adds an expression that needs no `Emit` statement.
    pub(super) fn constant(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    pub(super) fn number(&mut self, number: u32) -> Handle<Expression> {
        self.constant(Expression::Literal(Literal::U32(number)))
    }

    pub(super) fn argument(&mut self, at: u32) -> Handle<Expression> {
        self.constant(Expression::FunctionArgument(at))
    }

    /// Adds an expression and evaluates it.
    pub(super) fn value(&mut self, expression: Expression) -> Handle<Expression> {
        let value = self.constant(expression);
        self.push(Statement::Emit(naga::Range::new_from_bounds(value, value)));
        value
    }

    /// Calls a function that has a result.
    pub(super) fn call(
        &mut self,
        function: Handle<Function>,
        arguments: Vec<Handle<Expression>>,
    ) -> Handle<Expression> {
        let result = self.constant(Expression::CallResult(function));
        self.push(Statement::Call { function, arguments, result: Some(result) });
        result
    }

    /// Calls a function without a result.
    pub(super) fn call_only(&mut self, function: Handle<Function>, arguments: Vec<Handle<Expression>>) {
        self.push(Statement::Call { function, arguments, result: None });
    }

    /// Fetches all elements of an array with a function that returns one of them.
    pub(super) fn fetch(&mut self, array: PointArray, of_index: Handle<Function>) -> Handle<Expression> {
        let components = (0..array.count).map(|index| {
            let index = self.number(index);
            self.call(of_index, vec![index])
        });
        let components = components.collect();
        self.value(Expression::Compose { ty: array.array, components })
    }

    /// Ends the function, and adds it to the functions of the module.
    pub(super) fn finish(
        mut self,
        functions: &mut Arena<Function>,
        value: Option<Handle<Expression>>,
    ) -> Handle<Function> {
        self.push(Statement::Return { value });
        functions.append(self.function, Span::UNDEFINED)
    }

    fn push(&mut self, statement: Statement) {
        self.function.body.push(statement, Span::UNDEFINED);
    }
}

/// Adds a function that returns zeros, and whose body a driver replaces.
pub(super) fn add_placeholder(
    module: &mut Module,
    name: &str,
    arguments: Vec<FunctionArgument>,
    result: Handle<Type>,
) -> Handle<Function> {
    let mut body = Body::new(name, arguments, Some(result));
    let nothing = body.constant(Expression::ZeroValue(result));
    body.finish(&mut module.functions, Some(nothing))
}

/// Replaces the entry points by a compute shader with the name of the shader, whose body `build` fills.
pub(super) fn set_entry_point(module: &mut Module, name: &str, build: impl FnOnce(&mut Body)) {
    let mut body = Body { function: Function { name: Some(name.to_owned()), ..Function::default() } };
    build(&mut body);
    body.push(Statement::Return { value: None });
    module.entry_points = vec![naga::EntryPoint {
        name: name.to_owned(),
        stage: ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size: [1; 3],
        workgroup_size_overrides: None,
        function: body.function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    }];
}
