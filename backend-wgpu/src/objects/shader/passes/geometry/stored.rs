//! The vertex stage of a draw whose expanded vertices are stored: it loads one of them.

use naga::{
    BinaryOperator, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal, Module, Scalar,
    Span, Statement, Type, TypeInner,
};
use onze_ddi::{GeometryProgram, OutputRegister, OutputValue, SystemOutput};

use crate::objects::shader::{
    bindings::PULL_GROUP,
    rewrite::{snippet::Snippet, variables::variable_at},
    specialization::{
        geometry::{GeometryStage, selects},
        pull::VertexPull,
        streams::StreamOutput,
    },
};

use super::{
    APPEND, SystemOutputs, VertexSource, declare_selection, named, selection_variable, set_entry_point,
    text::SELECTION,
};

/// The number of the storage buffer with the vertices.
const BUFFER: u32 = 0;

/// Replaces the module of a vertex shader by one that loads the vertices that a dispatch has stored.
pub(super) fn load_vertices(
    module: &mut Module,
    pull: &VertexPull,
    program: &GeometryProgram,
    stage: &GeometryStage,
    output: &StreamOutput,
) {
    let append = program.streams.first().and(named(module, &format!("{APPEND}0")));
    let vertex = append.and_then(|append| module.functions[append].arguments.first().map(|of| of.ty));
    let Some(vertex) = vertex else { return };
    if selects(&stage.code.reflection) {
        declare_selection(module);
    }
    let known = [
        ("pulled", variable_at(module, PULL_GROUP, 0)),
        ("vertices", variable_at(module, PULL_GROUP, 1 + BUFFER)),
        ("selection", selection_variable(module)),
    ];
    let mut functions = std::mem::take(&mut module.functions);
    let text = text(pull, stage, output);
    let by_name = Snippet::new(module, &text, &known).import(&mut functions);
    module.functions = functions;
    let find = |name: &str| by_name.get(name).copied();
    let (Some(first_word), Some(exists)) = (find("first_word"), find("exists")) else { return };
    let Some(load) = load_function(module, vertex, first_word) else { return };
    let outputs = SystemOutputs::new(module, vertex, &stage.code.reflection);
    let source = VertexSource::Loaded { load, exists };
    set_entry_point(module, vertex, source, &outputs, stage.primitive_location);
    // The shaders of the application are not executed.
    naga::compact::compact(module, naga::compact::KeepUnused::No);
}

/// Returns the functions that find a vertex and decide whether a draw keeps its primitive.
fn text(pull: &VertexPull, stage: &GeometryStage, output: &StreamOutput) -> String {
    let expansion = &stage.expansion;
    let reflection = &stage.code.reflection;
    let place = |value: OutputValue| {
        let is_it = |output: &&SystemOutput| output.value == value && output.stream == 0;
        let found = reflection.system_outputs.iter().find(is_it)?;
        output.word(OutputRegister::Location(found.location), found.component)
    };
    let word = |value| place(value).map_or("0u".into(), |word| format!("vertices[first + {word}u]"));
    let (selection, selects) = match selects(reflection) {
        true => (SELECTION, "is_selected(slice, viewport)"),
        false => ("", "true"),
    };
    format!(
        "
        {pulled}
        @group(0) @binding(2) var<storage> vertices: array<u32>;
        {selection}

        // Returns the position of the first word of an expanded vertex. Draws of instances have one instance here.
        fn first_word(vertex: u32, instance: u32) -> u32 {{
            return pulled.slots[0].x / 4u + vertex * {words}u;
        }}

        // Returns whether the draw keeps the primitive of an expanded vertex.
        fn exists(vertex: u32, instance: u32) -> bool {{
            let first = first_word(vertex / {corners}u * {corners}u, instance);
            let slice = {slice};
            let viewport = {viewport};
            return {selects};
        }}
        ",
        pulled = pull.space.declaration(pull.slots.len()),
        words = output.strides.first().map_or(0, |stride| stride / 4),
        corners = expansion.corners,
        slice = word(OutputValue::RenderTargetArrayIndex),
        viewport = word(OutputValue::ViewportArrayIndex),
    )
}

/// Adds the function that loads a vertex, whose members are stored one after the other.
fn load_function(
    module: &mut Module,
    vertex: Handle<Type>,
    first_word: Handle<Function>,
) -> Option<Handle<Function>> {
    let buffer = variable_at(module, PULL_GROUP, 1 + BUFFER)?;
    let TypeInner::Struct { members, .. } = module.types[vertex].inner.clone() else { return None };
    let word =
        module.types.insert(Type { name: None, inner: TypeInner::Scalar(Scalar::U32) }, Span::UNDEFINED);
    let argument = |name: &str| FunctionArgument { name: Some(name.into()), ty: word, binding: None };
    let mut function = Function {
        name: Some("load_stored".into()),
        arguments: vec![argument("vertex"), argument("instance")],
        result: Some(FunctionResult { ty: vertex, binding: None }),
        ..Function::default()
    };
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let arguments = [0, 1].map(|at| add(Expression::FunctionArgument(at))).to_vec();
    let first = add(Expression::CallResult(first_word));
    let base = add(Expression::GlobalVariable(buffer));
    let mut count = 0;
    let mut shapes = Vec::with_capacity(members.len());
    for member in &members {
        let (size, scalar) = module.types[member.ty].inner.vector_size_and_scalar()?;
        let size = size.map_or(1, |size| size as u32);
        shapes.push((member.ty, size, scalar.kind));
        count += size;
    }
    let places: Vec<_> = (0..count).map(|at| add(Expression::Literal(Literal::U32(at)))).collect();
    let mut places = places.into_iter();
    let start = function.expressions.len();
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let mut values = Vec::with_capacity(shapes.len());
    for (ty, size, kind) in shapes {
        let mut components = Vec::with_capacity(size as usize);
        for right in places.by_ref().take(size as usize) {
            let index = add(Expression::Binary { op: BinaryOperator::Add, left: first, right });
            let pointer = add(Expression::Access { base, index });
            let value = add(Expression::Load { pointer });
            components.push(match kind {
                naga::ScalarKind::Uint => value,
                _ => add(Expression::As { expr: value, kind, convert: None }),
            });
        }
        values.push(match components[..] {
            [only] => only,
            _ => add(Expression::Compose { ty, components }),
        });
    }
    let value = add(Expression::Compose { ty: vertex, components: values });
    let emit = Statement::Emit(function.expressions.range_from(start));
    let call = Statement::Call { function: first_word, arguments, result: Some(first) };
    function.body.push(call, Span::UNDEFINED);
    function.body.push(emit, Span::UNDEFINED);
    function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
    Some(module.functions.append(function, Span::UNDEFINED))
}
