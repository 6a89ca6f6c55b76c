use crate::{
    check::tree::{AttributeValue, Function},
    interface::signature::{ElementLayout, Signature},
    output::reflection::{GeometryDesc, InputPrimitive, StreamTopology},
    syntax::{ast::Primitive, builtin::Object},
};

/// Returns the primitives of a geometry shader, or `None` if the function has no primitive.
pub(super) fn desc(function: &Function, signature: &Signature) -> Option<GeometryDesc> {
    let mut parameters = function.parameters.iter().zip(&signature.parameters);
    let (parameter, _) =
        parameters.find(|(_, (input, _))| matches!(input, Some(ElementLayout::Vertices(_))))?;
    let input = match parameter.primitive {
        Some(Primitive::Point) => InputPrimitive::Point,
        Some(Primitive::Line) => InputPrimitive::Line,
        Some(Primitive::Triangle) => InputPrimitive::Triangle,
        Some(Primitive::LineAdjacency) => InputPrimitive::LineAdjacency,
        Some(Primitive::TriangleAdjacency) => InputPrimitive::TriangleAdjacency,
        None => InputPrimitive::Patch(function.local(parameter.local).ty.elements()?.1),
    };
    let streams = signature.streams.iter().map(|stream| match stream.kind {
        Object::LineStream => StreamTopology::LineStrips,
        Object::TriangleStream => StreamTopology::TriangleStrips,
        _ => StreamTopology::Points,
    });
    Some(GeometryDesc {
        input,
        max_vertex_count: number(function, "maxvertexcount").unwrap_or(1),
        instance_count: number(function, "instance").unwrap_or(1),
        streams: streams.collect(),
    })
}

/// Returns the number in an attribute.
fn number(function: &Function, name: &str) -> Option<u32> {
    match &function.attribute(name)?.arguments[..] {
        [AttributeValue::Constant(constant)] => u32::try_from(constant.as_integer()?).ok(),
        _ => None,
    }
}
