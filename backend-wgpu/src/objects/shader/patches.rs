//! The shaders that compute patches for the tessellator: geometry shaders of the driver's own, which call the functions
//! of a hull shader.
//!
//! One of them appends an output control point in each invocation, and has an invocation for each point. The other one
//! appends the factors and the other patch constants as a single vertex. So a dispatch can store both like the vertices
//! of any other geometry shader. Patch constants that depend on output control points load them from the stored ones,
//! because the control-point function may change `static` variables and is often expensive.

use naga::{
    Binding, Block, BuiltIn, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal, Module,
    Range, Scalar, Span, Statement, StructMember, Type, TypeInner, VectorSize,
};
use onze_ddi::{
    GeometryProgram, GeometryStream, HullProgram, InputPrimitive, ShaderCode, ShaderOutput, ShaderProgram,
    StreamTopology,
};

use super::rewrite::{calls::sort_functions, scalars::scalar};

/// The location of the first tessellation factor in the stored patch constants. All other patch constants are in
/// registers with lower numbers.
pub(crate) const FIRST_FACTOR: u32 = 64;

/// The name of the function that returns an output control point to the function of patch constants. The driver replaces
/// its body.
pub(crate) const OUTPUT_POINT: &str = "output point of the hull shader";

/// Names of functions while a module is rewritten, because handles change. WGSL has no such names.
const POINT: &str = "control point of the hull shader";
const CONSTANTS: &str = "patch constants of the hull shader";
const INPUT_POINT: &str = "input point of the hull shader";
const APPEND: &str = "append a part of a patch";
const RUN: &str = "run a part of the hull shader";

const fn location_binding(location: u32) -> Binding {
    Binding::Location { location, interpolation: None, sampling: None, blend_src: None, per_primitive: false }
}

/// Returns the program of a hull shader.
pub(crate) fn hull_program(code: &ShaderCode) -> Option<&HullProgram> {
    match &code.program {
        ShaderProgram::Hull(program) => Some(program),
        _ => None,
    }
}

/// Returns a geometry shader that appends the output control points of a patch, one in each invocation, or `None` if
/// there are none.
pub(super) fn control_points(code: &ShaderCode) -> Option<ShaderCode> {
    let program = hull_program(code)?;
    if program.output_points == 0 {
        return None;
    }
    let mut patch = PatchModule::new(code, program);
    // Without a function of its own, an output control point is the input control point with the same index.
    let point = patch.named(POINT).or(patch.named(INPUT_POINT));
    let point = point.unwrap_or_else(|| patch.add_input_point(&code.reflection.outputs));
    let takes_primitive = patch.module.functions[point].arguments.len() == 2;
    let ty = patch.module.functions[point].result.as_ref()?.ty;
    let append = patch.add_append(ty);
    let mut run = Function { name: Some(RUN.into()), arguments: patch.numbers(), ..Function::default() };
    let mut add = |expression| run.expressions.append(expression, Span::UNDEFINED);
    let [primitive, instance] = [0, 1].map(|at| add(Expression::FunctionArgument(at)));
    let vertex = add(Expression::CallResult(point));
    let arguments = if takes_primitive { vec![instance, primitive] } else { vec![instance] };
    run.body = Block::from_vec(vec![
        Statement::Call { function: point, arguments, result: Some(vertex) },
        Statement::Call { function: append, arguments: vec![vertex], result: None },
    ]);
    patch.module.functions.append(run, Span::UNDEFINED);
    patch.finish(code, program.output_points, code.reflection.outputs.clone())
}

/// Returns a geometry shader that appends the patch constants of a patch. The factors have locations from
/// [`FIRST_FACTOR`] on.
pub(super) fn patch_constants(code: &ShaderCode) -> Option<ShaderCode> {
    let program = hull_program(code)?;
    let mut patch = PatchModule::new(code, program);
    let constants = patch.named(CONSTANTS)?;
    let given = patch.module.functions[constants].result.as_ref()?.ty;
    let ty = patch.with_factor_locations(given)?;
    let append = patch.add_append(ty);
    let mut run = Function { name: Some(RUN.into()), arguments: patch.numbers(), ..Function::default() };
    let mut add = |expression| run.expressions.append(expression, Span::UNDEFINED);
    let primitive = add(Expression::FunctionArgument(0));
    let result = add(Expression::CallResult(constants));
    let members = match &patch.module.types[ty].inner {
        TypeInner::Struct { members, .. } => members.len() as u32,
        _ => 0,
    };
    let components: Vec<_> =
        (0..members).map(|index| add(Expression::AccessIndex { base: result, index })).collect();
    let first = components.first().copied()?;
    let vertex = add(Expression::Compose { ty, components });
    run.body = Block::from_vec(vec![
        Statement::Call { function: constants, arguments: vec![primitive], result: Some(result) },
        Statement::Emit(Range::new_from_bounds(first, vertex)),
        Statement::Call { function: append, arguments: vec![vertex], result: None },
    ]);
    patch.module.functions.append(run, Span::UNDEFINED);
    patch.finish(code, 1, program.patch_outputs.clone())
}

/// A copy of a hull shader's module that becomes a geometry shader.
struct PatchModule {
    module: Module,
    word: Handle<Type>,
}

impl PatchModule {
    fn new(code: &ShaderCode, program: &HullProgram) -> Self {
        let mut module = code.module.clone();
        let mut name = |function: Option<Handle<Function>>, name: &str| {
            function.into_iter().for_each(|of| module.functions.get_mut(of).name = Some(name.into()));
        };
        name(program.control_point, POINT);
        name(Some(program.patch_constants), CONSTANTS);
        name(program.input_point, INPUT_POINT);
        name(program.output_point, OUTPUT_POINT);
        let inner = TypeInner::Scalar(Scalar::U32);
        let word = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        Self { module, word }
    }

    fn named(&self, name: &str) -> Option<Handle<Function>> {
        let mut functions = self.module.functions.iter();
        functions.find(|(_, function)| function.name.as_deref() == Some(name)).map(|(handle, _)| handle)
    }

    /// Returns the arguments of a geometry shader: the numbers of the primitive and of the invocation.
    fn numbers(&self) -> Vec<FunctionArgument> {
        let argument =
            |name: &str| FunctionArgument { name: Some(name.into()), ty: self.word, binding: None };
        vec![argument("primitive"), argument("instance")]
    }

    /// Adds the function that appends a vertex, which the driver replaces.
    fn add_append(&mut self, ty: Handle<Type>) -> Handle<Function> {
        let append = Function {
            name: Some(APPEND.into()),
            arguments: vec![FunctionArgument { name: Some("vertex".into()), ty, binding: None }],
            ..Function::default()
        };
        self.module.functions.append(append, Span::UNDEFINED)
    }

    /// Adds the function that returns an input control point, with the position and these elements.
    fn add_input_point(&mut self, elements: &[ShaderOutput]) -> Handle<Function> {
        let mut members = Vec::with_capacity(1 + elements.len());
        let mut add = |module: &mut Module, (scalar, components), binding| {
            let inner = match components {
                2 => TypeInner::Vector { size: VectorSize::Bi, scalar },
                3 => TypeInner::Vector { size: VectorSize::Tri, scalar },
                4 => TypeInner::Vector { size: VectorSize::Quad, scalar },
                _ => TypeInner::Scalar(scalar),
            };
            let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
            // The elements are scalars and vectors, whose sizes and alignments are at most 16 bytes.
            let offset = 16 * members.len() as u32;
            members.push(StructMember { name: None, ty, binding: Some(binding), offset });
        };
        add(&mut self.module, (Scalar::F32, 4), Binding::BuiltIn(BuiltIn::Position { invariant: false }));
        for element in elements {
            let binding = location_binding(element.location);
            add(&mut self.module, (scalar(element.kind), element.components), binding);
        }
        let inner = TypeInner::Struct { span: 16 * members.len() as u32, members };
        let ty = self.module.types.insert(Type { name: Some("InputPoint".into()), inner }, Span::UNDEFINED);
        let mut function = Function {
            name: Some(INPUT_POINT.into()),
            arguments: vec![FunctionArgument { name: Some("index".into()), ty: self.word, binding: None }],
            result: Some(FunctionResult { ty, binding: None }),
            ..Function::default()
        };
        let value = function.expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED);
        function.body = Block::from_vec(vec![Statement::Return { value: Some(value) }]);
        self.module.functions.append(function, Span::UNDEFINED)
    }

    /// Returns a structure like `given`, in which the factors have locations. These are the members without a binding.
    fn with_factor_locations(&mut self, given: Handle<Type>) -> Option<Handle<Type>> {
        let TypeInner::Struct { mut members, span } = self.module.types[given].inner.clone() else {
            return None;
        };
        let factors = members.iter_mut().filter(|member: &&mut StructMember| member.binding.is_none());
        for (factor, location) in factors.zip(FIRST_FACTOR..) {
            factor.binding = Some(location_binding(location));
        }
        let inner = TypeInner::Struct { members, span };
        Some(self.module.types.insert(Type { name: Some("StoredConstants".into()), inner }, Span::UNDEFINED))
    }

    /// Returns the geometry shader, whose entry point calls the function [`RUN`].
    fn finish(
        mut self,
        code: &ShaderCode,
        invocations: u32,
        outputs: Vec<ShaderOutput>,
    ) -> Option<ShaderCode> {
        let run = self.named(RUN)?;
        let entry_point = self.module.entry_points.first_mut()?;
        let mut caller = Function { name: Some(entry_point.name.clone()), ..Function::default() };
        let zero = caller.expressions.append(Expression::Literal(Literal::U32(0)), Span::UNDEFINED);
        let call = Statement::Call { function: run, arguments: vec![zero, zero], result: None };
        caller.body.push(call, Span::UNDEFINED);
        entry_point.function = caller;
        sort_functions(&mut self.module);
        let program = hull_program(code)?;
        let append = self.named(APPEND)?;
        let vertex = self.module.functions[append].arguments.first()?.ty;
        let is_position = |member: &StructMember| {
            matches!(member.binding, Some(Binding::BuiltIn(BuiltIn::Position { .. })))
        };
        let has_position = match &self.module.types[vertex].inner {
            TypeInner::Struct { members, .. } => members.iter().any(is_position),
            _ => false,
        };
        let program = GeometryProgram {
            name: program.name.clone(),
            input: InputPrimitive::Patch(program.input_points),
            max_vertex_count: 1,
            instance_count: invocations,
            function: self.named(RUN)?,
            vertex: self.named(INPUT_POINT),
            streams: vec![GeometryStream {
                topology: StreamTopology::Points,
                append: Some(append),
                restart: None,
                has_position,
                outputs: outputs.clone(),
            }],
        };
        let mut reflection = code.reflection.clone();
        reflection.outputs = outputs;
        let flags = naga::valid::ValidationFlags::all();
        let info =
            naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&self.module);
        debug_assert!(info.is_ok(), "{info:?}");
        Some(ShaderCode {
            info: info.ok()?,
            program: ShaderProgram::Geometry(program),
            reflection,
            module: self.module,
        })
    }
}
