use super::StageChecker;
use crate::{
    check::tree::{Direction, LocalId, ObjectType, Parameter, Program, Type},
    interface::{
        bindings::Usage,
        signature::{is_system_name, patch, stream},
    },
    session::source::Span,
    syntax::{ast::Primitive, builtin::Object},
};

/// Maximum number of vertices that a geometry shader writes, and also of the components in all these
/// vertices.
const MOST_VERTICES: i64 = 1024;
const MOST_STREAMS: usize = 4;
const MOST_INSTANCES: i64 = 32;

struct StreamParameter<'a> {
    local: LocalId,
    object: &'a ObjectType,
    span: Span,
}

impl<'a> StageChecker<'a> {
    pub(super) fn geometry(&mut self, usage: &Usage) {
        let count =
            self.required("maxvertexcount").and_then(|attribute| self.number(attribute, 1, MOST_VERTICES));
        let instances = self.function.attribute("instance");
        let instances = instances.and_then(|attribute| self.number(attribute, 1, MOST_INSTANCES));
        if let (Some(count), Some(instances)) = (count, instances)
            && i64::from(count) * i64::from(instances) > MOST_VERTICES
        {
            let message = format!(
                "maxvertexcount {count} and instance {instances} make {} vertices for a primitive; their product is at \
                 most {MOST_VERTICES}",
                count * instances
            );
            self.error(self.function.span, message);
        }
        if self.function.result != Type::Void {
            self.error(
                self.function.span,
                "a geometry shader appends its vertices to streams and has no result",
            );
        }
        let (mut streams, mut primitive) = (Vec::new(), None);
        for parameter in &self.function.parameters {
            let span = self.span(parameter);
            let ty = self.ty(parameter);
            if let Some((object, alone)) = stream(self.program, ty) {
                let simple = self.profile.is_5() || !is_struct(ty);
                if !alone || !simple {
                    self.error(span, "a stream must be a parameter of its own");
                } else if parameter.direction != Direction::InOut {
                    self.error(span, "a stream must be inout");
                }
                streams.push(StreamParameter { local: parameter.local, object, span });
            } else if parameter.direction != Direction::In {
                self.error(span, "a geometry shader appends its vertices to streams, not to out parameters");
            } else {
                self.geometry_input(parameter, &mut primitive);
            }
        }
        if primitive.is_none() {
            self.error(
                self.function.span,
                "a geometry shader takes a primitive: point, line, triangle, lineadj or triangleadj",
            );
        }
        self.used_streams(usage, &streams, count);
    }

    /// Checks an input, which must be a system value or a primitive of the same type as all other primitives.
    fn geometry_input(&mut self, parameter: &Parameter, primitive: &mut Option<(Option<Primitive>, u32)>) {
        let span = self.span(parameter);
        let ty = self.ty(parameter);
        let found = match (patch(ty), ty, parameter.primitive) {
            (Some(object), ..) if object.kind == Object::OutputPatch => {
                return self.error(span, "a geometry shader cannot take an OutputPatch");
            }
            (Some(_), ..) if !self.profile.is_5() => {
                return self
                    .error(span, "an InputPatch is an input of geometry shaders from shader model 5.0 on");
            }
            (Some(object), _, kind) => {
                self.points(object, span);
                (kind, object.count)
            }
            (None, Type::Array(array), Some(kind)) => (Some(kind), array.length),
            (None, _, Some(_)) => {
                return self.error(span, "a primitive is an array of its vertices");
            }
            (None, ty, None) => {
                // The signature checks whether the stage has this system value.
                let system =
                    parameter.semantic.as_ref().is_some_and(|semantic| is_system_name(&semantic.name));
                if !system && !parameter.uniform && ty.object().is_none() {
                    self.error(
                        span,
                        "an input of a geometry shader is a primitive, SV_PrimitiveID or SV_GSInstanceID",
                    );
                }
                return;
            }
        };
        if let (Some(kind), length) = found
            && vertices(kind) != length
        {
            let message =
                format!("this primitive has {} vertices, but the array has {length}", vertices(kind));
            return self.error(span, message);
        }
        match primitive {
            Some(first) if *first != found => self.error(span, "all inputs must be of one kind of primitive"),
            Some(_) => {}
            None => *primitive = Some(found),
        }
    }

    /// Checks the streams that the function uses.
    fn used_streams(&mut self, usage: &Usage, streams: &[StreamParameter<'a>], count: Option<u32>) {
        let mut used = Vec::new();
        for (index, stream) in streams.iter().enumerate() {
            if !usage.entry_locals.contains(&stream.local) {
                continue;
            }
            if index > 0 && !self.profile.is_5() {
                self.error(stream.span, "there is only one stream before shader model 5.0");
            } else if index >= MOST_STREAMS {
                self.error(stream.span, format!("there are at most {MOST_STREAMS} streams"));
            }
            used.push(stream);
        }
        let points = used.iter().all(|stream| stream.object.kind == Object::PointStream);
        if let [_, second, ..] = used[..]
            && !points
        {
            self.error(second.span, "several streams must all be PointStreams");
        }
        let mut registers: Vec<usize> = Vec::new();
        for stream in used {
            let Some(own) = stream.object.element.as_ref().and_then(|element| self.registers(element)) else {
                return;
            };
            registers.resize(registers.len().max(own.len()), 0);
            for (all, own) in registers.iter_mut().zip(own) {
                *all = (*all).max(own);
            }
        }
        let components: usize = registers.iter().sum();
        let all = components as u64 * u64::from(count.unwrap_or(0));
        if all > MOST_VERTICES as u64 {
            let message = format!(
                "maxvertexcount and the {components} components of a vertex make {all}; their product is at most \
                 {MOST_VERTICES}"
            );
            self.error(self.function.span, message);
        }
    }

    /// Returns the number of used components of each register of a vertex, or `None` if they exceed the
    /// maximum size of a vertex.
    fn registers(&self, element: &Type) -> Option<Vec<usize>> {
        let mut rows = Vec::new();
        rows_of(self.program, element, &mut rows)?;
        let mut registers: Vec<usize> = Vec::new();
        for size in rows {
            match registers.iter_mut().find(|register| **register + size <= 4) {
                Some(register) => *register += size,
                None => registers.push(size),
            }
        }
        Some(registers)
    }
}

/// Collects the sizes of the vectors in a type, or returns `None` if they exceed the maximum size of a
/// vertex.
fn rows_of(program: &Program, ty: &Type, rows: &mut Vec<usize>) -> Option<()> {
    match ty {
        Type::Numeric(numeric) => {
            rows.extend(std::iter::repeat_n(numeric.columns(), numeric.rows()));
        }
        Type::Array(array) => {
            for _ in 0..array.length {
                rows_of(program, &array.element, rows)?;
                if rows.len() > 64 {
                    return None;
                }
            }
        }
        Type::Struct(id) => {
            for field in &program[*id].fields {
                rows_of(program, &field.ty, rows)?;
            }
        }
        _ => {}
    }
    (rows.len() <= 64).then_some(())
}

fn is_struct(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => is_struct(&array.element),
        Type::Struct(_) => true,
        _ => false,
    }
}

fn vertices(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Point => 1,
        Primitive::Line => 2,
        Primitive::Triangle => 3,
        Primitive::LineAdjacency => 4,
        Primitive::TriangleAdjacency => 6,
    }
}
