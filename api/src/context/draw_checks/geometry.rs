//! Checks of a draw with a geometry shader.

use onze_ddi::{GeometryProgram, InputPrimitive, OutputRegister, ShaderProgram, StreamOutputDesc};

use super::tessellation::{Tessellation, is_rasterized};
use crate::{
    context::bound::Bound,
    device_core::{ObjectData, ObjectShared},
    report::MessageId,
    shader::Shader,
};

/// Returns the program of a geometry shader.
pub(in crate::context) fn geometry_program(shader: &ObjectShared) -> Option<&GeometryProgram> {
    match &shader.data {
        ObjectData::Shader(shader) => match &shader.code.program {
            ShaderProgram::Geometry(program) => Some(program),
            ShaderProgram::EntryPoint(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => None,
        },
        _ => None,
    }
}

/// Returns the code of a shader with its stream output.
pub(in crate::context) fn shader_data(shader: &ObjectShared) -> Option<&Shader> {
    match &shader.data {
        ObjectData::Shader(shader) => Some(shader),
        _ => None,
    }
}

/// Returns the vertices that a shader writes to buffers, if it does.
pub(in crate::context) fn stream_output(shader: &ObjectShared) -> Option<&StreamOutputDesc> {
    shader_data(shader)?.stream_output.as_deref()
}

/// Checks that the last bound shader before stream output, a vertex or a domain shader, has the outputs that a
/// stream-output shader captures, if the latter was created from such a shader.
pub(in crate::context) fn check_captured_outputs(
    captured: &ObjectShared,
    last: &ObjectShared,
) -> Result<(), (MessageId, String)> {
    let (Some(shader), Some(bound)) = (shader_data(captured), shader_data(last)) else { return Ok(()) };
    let refused = |what: String| {
        let text = format!("{} captures {what}, which {} does not write", captured.name(), last.name());
        Err((MessageId::DrawStreamOutputMismatch, text))
    };
    let entries = shader.stream_output.iter().flat_map(|desc| &desc.entries);
    for entry in entries.filter(|_| shader.is_pass_through()) {
        let OutputRegister::Location(location) = entry.register else {
            if !bound.has_position() {
                return refused("the position".to_owned());
            }
            continue;
        };
        let Some(wanted) = shader.code.reflection.output(location) else { continue };
        let components = entry.first_component + entry.component_count;
        let has_output =
            bound.code.reflection.output(location).is_some_and(|output| {
                output.kind == wanted.kind && u32::from(output.components) >= components
            });
        if !has_output {
            let language = bound.language;
            return refused(format!(
                "{components} components of {} at {}",
                language.scalar_type(wanted.kind),
                language.location(location)
            ));
        }
    }
    Ok(())
}

/// Checks that a geometry shader processes the primitives of the topology or of the tessellator, and that the rasterizer
/// gets positions from it.
pub(in crate::context) fn check_geometry(
    shader: &ObjectShared,
    program: &GeometryProgram,
    bound: &Bound,
    tessellation: Option<&Tessellation<'_>>,
) -> Result<(), (MessageId, String)> {
    let topology = bound.primitive_topology;
    if let Some(tessellation) = tessellation {
        tessellation.check_input(shader, program.input)?;
    } else if !program.input.accepts(topology) {
        let text = format!(
            "{} processes {}, but the topology is PrimitiveTopology::{topology:?}",
            shader.name(),
            primitive_name(program.input)
        );
        return Err((MessageId::DrawGeometryInputMismatch, text));
    }
    let rasterized = shader_data(shader).and_then(Shader::rasterized_stream);
    let rasterized = rasterized.and_then(|stream| program.streams.get(stream as usize));
    let appends = rasterized.filter(|stream| stream.append.is_some());
    if is_rasterized(bound) && appends.is_some_and(|stream| !stream.has_position) {
        return Err((
            MessageId::DrawNoPosition,
            format!("{} appends vertices without a position", shader.name()),
        ));
    }
    Ok(())
}

pub(super) fn primitive_name(primitive: InputPrimitive) -> String {
    match primitive {
        InputPrimitive::Point => "points".to_owned(),
        InputPrimitive::Line => "lines".to_owned(),
        InputPrimitive::Triangle => "triangles".to_owned(),
        InputPrimitive::LineAdjacency => "lines with adjacency".to_owned(),
        InputPrimitive::TriangleAdjacency => "triangles with adjacency".to_owned(),
        InputPrimitive::Patch(points) => format!("patches of {points} control points"),
    }
}
