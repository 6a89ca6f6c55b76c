//! Checks of a draw with a geometry shader.

use onze_ddi::{GeometryProgram, InputPrimitive, ShaderProgram, ShaderStage};

use crate::{
    context::bound::Bound,
    device_core::{ObjectData, ObjectShared},
    report::MessageId,
};

/// Returns the program of a geometry shader.
pub(in crate::context) fn geometry_program(shader: &ObjectShared) -> Option<&GeometryProgram> {
    match &shader.data {
        ObjectData::Shader(shader) => match &shader.code.program {
            ShaderProgram::Geometry(program) => Some(program),
            ShaderProgram::EntryPoint(_) => None,
        },
        _ => None,
    }
}

/// Checks that a geometry shader processes the primitives of the topology, and that the rasterizer gets positions from
/// it.
pub(in crate::context) fn check_geometry(
    shader: &ObjectShared,
    program: &GeometryProgram,
    bound: &Bound,
) -> Result<(), (MessageId, String)> {
    let topology = bound.primitive_topology;
    if !program.input.accepts(topology) {
        let text = format!(
            "{} processes {}, but the topology is PrimitiveTopology::{topology:?}",
            shader.name(),
            primitive_name(program.input)
        );
        return Err((MessageId::DrawGeometryInputMismatch, text));
    }
    let appends = program.streams.first().filter(|stream| stream.append.is_some());
    let rasterizes = bound.stages[ShaderStage::Pixel].shader.is_some() || bound.depth_stencil_view.is_some();
    if rasterizes && appends.is_some_and(|stream| !stream.has_position) {
        return Err((
            MessageId::DrawNoPosition,
            format!("{} appends vertices without a position", shader.name()),
        ));
    }
    Ok(())
}

fn primitive_name(primitive: InputPrimitive) -> String {
    match primitive {
        InputPrimitive::Point => "points".to_owned(),
        InputPrimitive::Line => "lines".to_owned(),
        InputPrimitive::Triangle => "triangles".to_owned(),
        InputPrimitive::LineAdjacency => "lines with adjacency".to_owned(),
        InputPrimitive::TriangleAdjacency => "triangles with adjacency".to_owned(),
        InputPrimitive::Patch(points) => format!("patches of {points} control points"),
    }
}
