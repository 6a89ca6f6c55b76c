//! Geometry shaders, which naga lacks.
//!
//! The module has a function for the shader, which begins with the values of the primitive's vertices, and functions
//! with an empty body for everything that the pipeline does: see [`Compiled::module`](crate::Compiled::module). A
//! compute entry point calls the shader, so that the module is valid without a geometry stage.

use naga::{Handle, Statement};

use crate::{
    check::tree::{Expr, GlobalId, Method, Numeric, Type},
    interface::{
        entry::ParameterOrigin,
        signature::{ElementLayout, SignatureElement, SystemValue},
    },
    lower::{
        builder::Builder,
        entry::{EntryPoint, vertex::VertexStruct},
        lowerer::Lowerer,
        result::{Lowered, Value},
    },
    session::source::Span,
};

/// The name of the function that executes a geometry shader. HLSL has no such names, so they are unique.
const GEOMETRY: &str = "onze.geometry";

/// The name of the function that returns a vertex of the primitive.
const VERTEX: &str = "onze.vertex";

/// The functions of a stream.
pub(crate) struct StreamFunctions {
    /// The variable that represents the stream's parameter.
    global: GlobalId,
    /// Appends a vertex.
    append: Handle<naga::Function>,
    /// Ends the strip.
    restart: Handle<naga::Function>,
    /// The structure of a vertex, or `None` if a vertex has no elements.
    vertex: Option<VertexStruct>,
}

impl<'a> Lowerer<'a> {
    /// Adds the functions of all streams.
    pub(super) fn add_streams(&mut self, entry: &EntryPoint<'a>) {
        let function = &self.program[entry.function];
        let streams = function.parameters.iter().zip(entry.origins).filter_map(|(parameter, origin)| {
            let ty = &function.local(parameter.local).ty;
            crate::interface::signature::stream(self.program, ty)?;
            match origin {
                ParameterOrigin::Objects(global) => Some(*global),
                ParameterOrigin::Signature | ParameterOrigin::Uniform(_) => None,
            }
        });
        for (stream, global) in streams.collect::<Vec<_>>().into_iter().enumerate() {
            let outputs = entry.signature.outputs.iter().enumerate();
            let elements = outputs.filter(|(_, element)| usize::from(element.stream) == stream);
            let vertex = self.vertex_struct(&format!("Stream{stream}"), elements.collect(), 0);
            let append =
                self.placeholder(&format!("onze.append{stream}"), vertex.as_ref().map(|vertex| vertex.ty));
            let restart = self.placeholder(&format!("onze.restart{stream}"), None);
            self.streams.push(StreamFunctions { global, append, restart, vertex });
        }
        self.written.outputs = entry.signature.outputs.iter().map(SignatureElement::all).collect();
    }

    /// Returns the number of vertices of the primitive.
    fn vertices_of(&self, entry: &EntryPoint<'_>) -> u32 {
        let function = &self.program[entry.function];
        let inputs = function.parameters.iter().zip(&entry.signature.parameters);
        let mut primitives = inputs.filter_map(|(parameter, (input, _))| match input {
            Some(ElementLayout::Vertices(_)) => function.local(parameter.local).ty.elements(),
            _ => None,
        });
        primitives.next().map_or(0, |(_, count)| count)
    }

    /// Adds a function that does nothing.
    fn placeholder(&mut self, name: &str, argument: Option<Handle<naga::Type>>) -> Handle<naga::Function> {
        let mut builder = Builder::new(self, name);
        if let Some(ty) = argument {
            builder.argument("vertex", ty);
        }
        builder.push(Statement::Return { value: None });
        let function = builder.finish();
        self.module.functions.append(function, naga::Span::UNDEFINED)
    }

    /// Adds the shader as a function, and a compute entry point that calls it.
    pub(super) fn geometry_entry(&mut self, name: String, mut function: naga::Function) {
        function.name = Some(GEOMETRY.to_owned());
        let geometry = self.module.functions.append(function, naga::Span::UNDEFINED);
        self.calling_entry(name, &[(geometry, 2)]);
    }
}

impl Builder<'_, '_> {
    /// Returns the values of all input elements, which are 0 for those of the vertices.
    pub(super) fn geometry_inputs(&mut self, entry: &EntryPoint<'_>) -> Lowered<Vec<Value>> {
        let ty = self.lowerer.vector_type(naga::Scalar::U32, 1);
        let (primitive, instance) = (self.argument("primitive", ty), self.argument("instance", ty));
        let number = |builder: &mut Self, system| match system {
            SystemValue::PrimitiveId => primitive,
            SystemValue::GeometryInstanceId => instance,
            _ => builder.uint(0),
        };
        let mut values = Vec::new();
        for element in &entry.signature.inputs {
            let number = number(self, element.system);
            values.push(self.generated(element, number));
        }
        Ok(values)
    }

    /// Returns the values of the elements of each vertex, in the order of the signature.
    pub(super) fn vertices(&mut self, entry: &EntryPoint<'_>) -> Lowered<Vec<Vec<Value>>> {
        let inputs = || entry.signature.inputs.iter().take(entry.signature.vertex_inputs);
        let zeros: Vec<_> = inputs()
            .map(|element| {
                let ty = self.numeric_type(Numeric::vector(element.scalar, element.components));
                self.zero_of(ty)
            })
            .collect();
        let mut all = vec![zeros; self.lowerer.vertices_of(entry) as usize];
        let elements = inputs().enumerate().collect();
        let Some(vertex) = self.lowerer.vertex_struct("Vertex", elements, 0) else { return Ok(all) };
        let function = self.lowerer.vertex_function(VERTEX, &vertex, true);
        for (index, values) in (0..).zip(&mut all) {
            let index = self.uint(index);
            let result = self.call_placeholder(function, vec![index]);
            self.vertex_elements(&vertex, result, &entry.signature.inputs, values);
        }
        Ok(all)
    }

    /// Builds the value of a primitive from the elements of its vertices.
    pub(super) fn primitive(
        &mut self,
        vertex: &ElementLayout,
        ty: &Type,
        vertices: &[Vec<Value>],
        span: Span,
    ) -> Lowered<Value> {
        let Some((element, _)) = ty.elements() else { return self.zero(ty, span) };
        let inputs = self.lowerer.entry.map_or(&[][..], |(_, signature)| &signature.inputs);
        let mut all = Vec::new();
        for values in vertices {
            let elements: Vec<_> = values.iter().copied().zip(inputs).collect();
            all.push(self.put_together(vertex, element, &elements, span)?);
        }
        let ty = self.ty(ty, span)?;
        Ok(self.compose(ty, all))
    }

    /// Lowers a call of a stream's method.
    pub(in crate::lower) fn stream_method(
        &mut self,
        method: Method,
        object: &Expr,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<()> {
        let global = self.object(object)?.id.global;
        let place = self.lowerer.streams.iter().position(|stream| stream.global == global);
        let signature = self.lowerer.entry.map(|(_, signature)| signature);
        let (Some(place), Some(signature)) = (place, signature) else {
            return Err(self.unsupported(span, "such a stream"));
        };
        let StreamFunctions { append, restart, ref vertex, .. } = self.lowerer.streams[place];
        let vertex = vertex.clone();
        let (function, arguments) = match (method, arguments) {
            (Method::Append, [argument]) => {
                let value = self.expr(argument)?;
                let mut values = vec![None; signature.outputs.len()];
                self.take_apart(&signature.streams[place].vertex, value, &mut values);
                let vertex = vertex.map(|vertex| self.vertex_value(&vertex, &signature.outputs, &values));
                (append, vertex.into_iter().collect())
            }
            (Method::RestartStrip, _) => (restart, Vec::new()),
            _ => return Err(self.unsupported(span, method.name())),
        };
        self.push(Statement::Call { function, arguments, result: None });
        Ok(())
    }
}
