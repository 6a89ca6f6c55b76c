//! The pass that turns a domain shader into a vertex shader
//! ([`specialization::tessellation`](crate::objects::shader::specialization::tessellation)).
//!
//! The new entry point finds the location of its domain point with the functions of [`text`], and calls the domain
//! shader. The functions that return parts of the patch load them from the buffer of stored patches.

mod tessellator;
mod text;

pub(crate) use self::tessellator::{TessellatorPart, text as tessellator_text};

use naga::{
    BinaryOperator, Binding, Block, BuiltIn, Expression, Function, FunctionArgument, FunctionResult,
    GlobalVariable, Handle, Interpolation, Literal, Module, Range, Scalar, ScalarKind, Span, Statement,
    StructMember, Type, TypeInner,
};
use onze_ddi::DomainProgram;

use crate::objects::shader::{
    bindings::PULL_GROUP,
    patches::FIRST_FACTOR,
    rewrite::{calls::sort_functions, registers::Given, snippet::Snippet, variables::variable_at},
    specialization::{
        pull::VertexPull,
        streams::StreamOutput,
        tessellation::{DomainStage, PointNumbers, word_of},
    },
};

use super::geometry::named;

/// The names that the functions of a domain shader have while passes rewrite its module, because passes change the
/// handles. WGSL has no such names.
pub(super) const DOMAIN: &str = "domain shader";
const POINT: &str = "control point of the domain shader";
const CONSTANTS: &str = "patch constants of the domain shader";
/// The functions that other passes call: the number of a corner's domain point, and the number of its patch in the
/// instance of the draw.
pub(super) const CORNER_NUMBER: &str = "number of a corner";
pub(super) const CORNER_PATCH: &str = "patch of a corner";

/// Names the functions of a domain shader in its module.
pub(super) fn name_functions(module: &mut Module, program: &DomainProgram) {
    let mut name = |function: Option<Handle<Function>>, name: &str| {
        function.into_iter().for_each(|of| module.functions.get_mut(of).name = Some(name.into()));
    };
    name(Some(program.function), DOMAIN);
    name(program.point, POINT);
    name(program.constants, CONSTANTS);
}

/// Makes the entry point of the module a vertex shader. Other passes have rewritten the module, and [`name_functions`]
/// has named its functions. `is_last` is false if a geometry shader or stream output follows, which number corners.
pub(super) fn apply(module: &mut Module, stage: &DomainStage, pull: &VertexPull, is_last: bool) {
    let known =
        [("pulled", variable_at(module, PULL_GROUP, 0)), ("patches", variable_at(module, PULL_GROUP, 1))];
    let finds_corners = !is_last || stage.numbers == PointNumbers::OfCorner;
    let mut functions = std::mem::take(&mut module.functions);
    let text = text::text(stage, pull, finds_corners);
    let by_name = Snippet::new(module, &text, &known).import(&mut functions);
    module.functions = functions;
    let find = |name: &str| by_name.get(name).copied();
    let found = [find("locate"), find("patch_id"), find("word_of_point"), find("word_of_constants")];
    let [Some(locate), Some(patch_id), Some(of_point), Some(of_constants)] = found else { return };
    let corner_number = find("corner_number");
    for (function, name) in [(corner_number, CORNER_NUMBER), (find("patch_of_corner"), CORNER_PATCH)] {
        function.into_iter().for_each(|of| module.functions.get_mut(of).name = Some(name.into()));
    }
    if let Some(patches) = variable_at(module, PULL_GROUP, 1) {
        if let Some(point) = named(module, POINT) {
            load_members(module, point, patches, of_point, stage.points.as_ref());
        }
        if let Some(constants) = named(module, CONSTANTS) {
            load_members(module, constants, patches, of_constants, Some(&stage.constants));
        }
    }
    let numbers = match stage.numbers {
        PointNumbers::Given => None,
        PointNumbers::OfCorner => corner_number,
    };
    set_entry_point(module, [locate, patch_id], numbers, stage.primitive_location);
    sort_functions(module);
}

/// Makes a function load the members of its result from a buffer. Members that were not stored are 0. `first_word`
/// returns the position of the first word, given the arguments of the function.
pub(super) fn load_members(
    module: &mut Module,
    loader: Handle<Function>,
    buffer: Handle<GlobalVariable>,
    first_word: Handle<Function>,
    stored: Option<&StreamOutput>,
) {
    let Some(ty) = module.functions[loader].result.as_ref().map(|result| result.ty) else { return };
    let TypeInner::Struct { members, .. } = module.types[ty].inner.clone() else { return };
    let mut function = std::mem::take(module.functions.get_mut(loader));
    function.expressions.clear();
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let count = function.arguments.len() as u32;
    let arguments = (0..count).map(|at| add(Expression::FunctionArgument(at))).collect();
    let first = add(Expression::CallResult(first_word));
    let base = add(Expression::GlobalVariable(buffer));
    // The words of each member, and the zeros of those that were not stored.
    let mut factors = 0;
    let mut parts = Vec::with_capacity(members.len());
    for member in &members {
        let Some((size, scalar)) = module.types[member.ty].inner.vector_size_and_scalar() else { return };
        let binding = member.binding.clone().unwrap_or_else(|| {
            factors += 1;
            factor_binding(factors - 1)
        });
        let zero = add(Expression::Literal(match scalar.kind {
            ScalarKind::Sint => Literal::I32(0),
            ScalarKind::Uint => Literal::U32(0),
            _ => Literal::F32(0.0),
        }));
        let word = |component| {
            let word = stored.and_then(|stored| word_of(stored, &binding, component))?;
            Some(add(Expression::Literal(Literal::U32(word))))
        };
        let words: Vec<_> = (0..size.map_or(1, |size| size as u32)).map(word).collect();
        parts.push((member.ty, scalar.kind, zero, words));
    }
    let start = function.expressions.len();
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let mut values = Vec::with_capacity(parts.len());
    for (ty, kind, zero, words) in parts {
        let mut component = |word: Option<Handle<Expression>>| {
            let Some(right) = word else { return zero };
            let index = add(Expression::Binary { op: BinaryOperator::Add, left: first, right });
            let pointer = add(Expression::Access { base, index });
            let value = add(Expression::Load { pointer });
            match kind {
                ScalarKind::Uint => value,
                _ => add(Expression::As { expr: value, kind, convert: None }),
            }
        };
        let components: Vec<_> = words.into_iter().map(&mut component).collect();
        values.push(match components[..] {
            [only] => only,
            _ => add(Expression::Compose { ty, components }),
        });
    }
    let value = add(Expression::Compose { ty, components: values });
    let emit = Statement::Emit(function.expressions.range_from(start));
    function.body = Block::from_vec(vec![
        Statement::Call { function: first_word, arguments, result: Some(first) },
        emit,
        Statement::Return { value: Some(value) },
    ]);
    *module.functions.get_mut(loader) = function;
}

/// Returns the binding of a factor among the stored patch constants.
const fn factor_binding(number: u32) -> Binding {
    flat_binding(FIRST_FACTOR + number)
}

const fn flat_binding(location: u32) -> Binding {
    Binding::Location {
        location,
        interpolation: Some(Interpolation::Flat),
        sampling: None,
        blend_src: None,
        per_primitive: false,
    }
}

/// Sets the entry point, which calls the domain shader. `corner_number` converts the index of the vertex to the number of
/// a domain point, if necessary.
fn set_entry_point(
    module: &mut Module,
    [locate, patch_id]: [Handle<Function>; 2],
    corner_number: Option<Handle<Function>>,
    primitive_location: Option<u32>,
) {
    let Some(domain) = named(module, DOMAIN) else { return };
    let result = module.functions[domain].result.as_mut().map(|result| (result.ty, result.binding.take()));
    let word =
        module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::U32) }, Span::UNDEFINED);
    let mut function = Function {
        arguments: vec![FunctionArgument {
            name: Some("vertex".into()),
            ty: word,
            binding: Some(Binding::BuiltIn(BuiltIn::VertexIndex)),
        }],
        ..Function::default()
    };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let mut number = add(Expression::FunctionArgument(0));
    let mut calls = Vec::new();
    let mut call = |function, arguments, result| calls.push(Statement::Call { function, arguments, result });
    if let Some(of_corner) = corner_number {
        let given = std::mem::replace(&mut number, add(Expression::CallResult(of_corner)));
        call(of_corner, vec![given], Some(number));
    }
    let [location, primitive] = [locate, patch_id].map(|of| add(Expression::CallResult(of)));
    call(locate, vec![number], Some(location));
    call(patch_id, Vec::new(), Some(primitive));
    let value = result.as_ref().map(|_| add(Expression::CallResult(domain)));
    call(domain, vec![location, primitive], value);
    let returned = match (result, value, primitive_location) {
        (Some((ty, binding)), Some(value), None) => {
            function.result = Some(FunctionResult { ty, binding });
            Some(value)
        }
        (result, value, Some(at)) => {
            let given = result.zip(value).map(|((ty, binding), value)| Given { value, ty, binding });
            let (whole, emitted, ty) = with_primitive(module, &mut function, given, (word, primitive), at);
            calls.push(Statement::Emit(emitted));
            function.result = Some(FunctionResult { ty, binding: None });
            Some(whole)
        }
        _ => None,
    };
    calls.push(Statement::Return { value: returned });
    function.body = Block::from_vec(calls);
    if let Some(entry_point) = module.entry_points.first_mut() {
        entry_point.stage = naga::ShaderStage::Vertex;
        entry_point.workgroup_size = [0; 3];
        entry_point.function = function;
    }
}

/// Adds a structure of the results of the domain shader and the number of the patch, and returns its value, the emitted
/// expressions and the type.
fn with_primitive(
    module: &mut Module,
    function: &mut Function,
    result: Option<Given>,
    (word, primitive): (Handle<Type>, Handle<Expression>),
    location: u32,
) -> (Handle<Expression>, Range<Expression>, Handle<Type>) {
    let start = function.expressions.len();
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let (mut members, mut components) = (Vec::new(), Vec::new());
    let mut span = 0;
    if let Some(Given { value, ty, binding }) = result {
        match module.types[ty].inner.clone() {
            TypeInner::Struct { members: own, span: size } => {
                span = size;
                for (index, member) in (0..).zip(own) {
                    components.push(add(Expression::AccessIndex { base: value, index }));
                    members.push(member);
                }
            }
            _ => {
                span = 16;
                components.push(value);
                members.push(StructMember { name: Some("result".into()), ty, binding, offset: 0 });
            }
        }
    }
    components.push(primitive);
    let binding = Some(flat_binding(location));
    members.push(StructMember { name: Some("primitive".into()), ty: word, binding, offset: span });
    let inner = TypeInner::Struct { members, span: span + 16 };
    let ty = module.types.insert(Type { name: Some("WithPrimitive".into()), inner }, Span::UNDEFINED);
    let whole = add(Expression::Compose { ty, components });
    (whole, function.expressions.range_from(start), ty)
}
