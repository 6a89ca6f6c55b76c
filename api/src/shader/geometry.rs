//! Geometry shaders: the functions of a module that the HLSL compiler has made for one.

use naga::{Binding, BuiltIn, Function, Handle, Module, Type, TypeInner};
use onze_ddi::{GeometryProgram, GeometryStream, InputPrimitive, StreamTopology};
use onze_hlsl::reflection::{self, GeometryDesc};

/// Returns the program of a geometry shader, or `None` if the module has no such function.
pub(super) fn program(module: &Module, name: &str, desc: &GeometryDesc) -> Option<GeometryProgram> {
    let streams = desc.streams.iter().enumerate().map(|(stream, topology)| {
        let append = function(module, &format!("append{stream}"));
        GeometryStream {
            topology: match topology {
                reflection::StreamTopology::LineStrips => StreamTopology::LineStrips,
                reflection::StreamTopology::TriangleStrips => StreamTopology::TriangleStrips,
                _ => StreamTopology::Points,
            },
            append,
            restart: function(module, &format!("restart{stream}")),
            has_position: vertex_of(module, append).is_some_and(|vertex| has_position(module, vertex)),
        }
    });
    Some(GeometryProgram {
        name: name.to_owned(),
        input: match desc.input {
            reflection::InputPrimitive::Line => InputPrimitive::Line,
            reflection::InputPrimitive::Triangle => InputPrimitive::Triangle,
            reflection::InputPrimitive::LineAdjacency => InputPrimitive::LineAdjacency,
            reflection::InputPrimitive::TriangleAdjacency => InputPrimitive::TriangleAdjacency,
            reflection::InputPrimitive::Patch(control_points) => InputPrimitive::Patch(control_points),
            _ => InputPrimitive::Point,
        },
        max_vertex_count: desc.max_vertex_count,
        instance_count: desc.instance_count,
        function: function(module, "geometry")?,
        vertex: function(module, "vertex"),
        streams: streams.collect(),
    })
}

/// Returns the function that the compiler has named like this.
fn function(module: &Module, name: &str) -> Option<Handle<Function>> {
    let is_it = |function: &Function| {
        function.name.as_deref().and_then(|own| own.strip_prefix("onze.")) == Some(name)
    };
    module.functions.iter().find(|(_, function)| is_it(function)).map(|(handle, _)| handle)
}

/// Returns the type of the vertices that a function appends.
pub(super) fn vertex_of(module: &Module, append: Option<Handle<Function>>) -> Option<Handle<Type>> {
    module.functions[append?].arguments.first().map(|vertex| vertex.ty)
}

fn has_position(module: &Module, vertex: Handle<Type>) -> bool {
    let TypeInner::Struct { members, .. } = &module.types[vertex].inner else { return false };
    let is_position = |binding: &Binding| matches!(binding, Binding::BuiltIn(BuiltIn::Position { .. }));
    members.iter().any(|member| member.binding.as_ref().is_some_and(is_position))
}
