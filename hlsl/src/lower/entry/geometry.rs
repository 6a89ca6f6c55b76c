//! Geometry shaders, which naga lacks.
//!
//! The module has a function for the shader, which begins with the values of the primitive's vertices, and functions
//! with an empty body for everything that the pipeline does: see [`Compiled::module`](crate::Compiled::module). A
//! compute entry point calls the shader, so that the module is valid without a geometry stage.

use naga::{BuiltIn, Expression, Handle, Literal, ShaderStage, Statement};

use crate::{
    check::tree::{Expr, GlobalId, Method, Numeric, Type},
    interface::{
        entry::ParameterOrigin,
        signature::{ElementLayout, SignatureElement, SystemValue},
    },
    lower::{
        builder::Builder,
        entry::{EntryPoint, SharedLocation, element_name, shared_by, varying},
        lowerer::Lowerer,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
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

/// The structure of a vertex: the position, and the registers.
#[derive(Clone)]
pub(super) struct VertexStruct {
    ty: Handle<naga::Type>,
    members: Vec<VertexMember>,
}

/// A member of the structure of a vertex, which contains some of the elements.
#[derive(Clone)]
struct VertexMember {
    shared: SharedLocation,
    /// The indices of the elements.
    elements: Vec<usize>,
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
            let vertex = self.vertex_struct(&format!("Stream{stream}"), elements.collect());
            let append =
                self.placeholder(&format!("onze.append{stream}"), vertex.as_ref().map(|vertex| vertex.ty));
            let restart = self.placeholder(&format!("onze.restart{stream}"), None);
            self.streams.push(StreamFunctions { global, append, restart, vertex });
        }
        self.written = entry.signature.outputs.iter().map(SignatureElement::all).collect();
    }

    /// Adds the structure of a vertex with these elements, or returns `None` if none of them is used.
    fn vertex_struct(
        &mut self,
        name: &str,
        elements: Vec<(usize, &SignatureElement)>,
    ) -> Option<VertexStruct> {
        let mut members: Vec<(String, naga::Binding, VertexMember)> = Vec::new();
        let is_position = |element: &SignatureElement| element.system == SystemValue::Position;
        let used = elements.iter().filter(|(_, element)| element.used != 0);
        let mut registers: Vec<_> = used
            .clone()
            .filter(|(_, element)| !is_position(element))
            .filter_map(|(_, element)| element.register)
            .collect();
        registers.sort_unstable();
        registers.dedup();
        if let Some((at, element)) = used.clone().find(|(_, element)| is_position(element)) {
            let shared = SharedLocation {
                scalar: naga::Scalar::F32,
                components: 4,
                interpolation: element.interpolation,
            };
            let binding = naga::Binding::BuiltIn(BuiltIn::Position { invariant: false });
            members.push((element_name(element), binding, VertexMember { shared, elements: vec![*at] }));
        }
        for register in registers {
            let own: Vec<_> = used
                .clone()
                .filter(|(_, element)| element.register == Some(register) && !is_position(element))
                .collect();
            let Some(shared) = shared_by(own.iter().map(|(_, element)| *element)) else { continue };
            let names: Vec<_> = own.iter().map(|(_, element)| element_name(element)).collect();
            let member = VertexMember { shared, elements: own.iter().map(|(at, _)| *at).collect() };
            members.push((names.join("_"), varying(register, shared.interpolation), member));
        }
        let types = members
            .iter()
            .map(|(name, _, member)| {
                let SharedLocation { scalar, components, .. } = member.shared;
                (Some(name.clone()), self.vector_type(scalar, components.into()))
            })
            .collect::<Vec<_>>();
        if types.is_empty() {
            return None;
        }
        let ty = self.struct_of(name, types)?;
        let mut whole = self.module.types[ty].clone();
        if let naga::TypeInner::Struct { members: fields, .. } = &mut whole.inner {
            for (field, (_, binding, _)) in fields.iter_mut().zip(&members) {
                field.binding = Some(binding.clone());
            }
        }
        let ty = self.module.types.insert(whole, naga::Span::UNDEFINED);
        Some(VertexStruct { ty, members: members.into_iter().map(|(.., member)| member).collect() })
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

    /// Adds the function that returns a vertex. Without a pipeline, the vertex is zero.
    fn vertex_function(&mut self, vertex: &VertexStruct) -> Handle<naga::Function> {
        let index = self.vector_type(naga::Scalar::U32, 1);
        let mut builder = Builder::new(self, VERTEX);
        builder.argument("index", index);
        builder.function.result = Some(naga::FunctionResult { ty: vertex.ty, binding: None });
        let value = builder.zero_of(vertex.ty);
        builder.push(Statement::Return { value: Some(value) });
        let function = builder.finish();
        self.module.functions.append(function, naga::Span::UNDEFINED)
    }

    /// Adds the shader as a function, and a compute entry point that calls it.
    pub(super) fn geometry_entry(&mut self, name: String, mut function: naga::Function) {
        function.name = Some(GEOMETRY.to_owned());
        let geometry = self.module.functions.append(function, naga::Span::UNDEFINED);
        let mut caller = naga::Function { name: Some(name.clone()), ..naga::Function::default() };
        let span = naga::Span::UNDEFINED;
        let zero = caller.expressions.append(Expression::Literal(Literal::U32(0)), span);
        let call = Statement::Call { function: geometry, arguments: vec![zero, zero], result: None };
        caller.body.push(call, span);
        caller.body.push(Statement::Return { value: None }, span);
        self.module.entry_points.push(naga::EntryPoint {
            name,
            stage: ShaderStage::Compute,
            early_depth_test: None,
            workgroup_size: [1; 3],
            workgroup_size_overrides: None,
            function: caller,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
    }
}

impl Builder<'_, '_> {
    /// Returns the values of all input elements, which are 0 for those of the vertices.
    pub(super) fn geometry_inputs(&mut self, entry: &EntryPoint<'_>) -> Lowered<Vec<Value>> {
        let ty = self.lowerer.vector_type(naga::Scalar::U32, 1);
        let (primitive, instance) = (self.argument("primitive", ty), self.argument("instance", ty));
        let mut values = Vec::new();
        for element in &entry.signature.inputs {
            let wanted = Numeric::vector(element.scalar, element.components);
            let number = match element.system {
                SystemValue::PrimitiveId => primitive,
                SystemValue::GeometryInstanceId => instance,
                _ => self.uint(0),
            };
            let mut components = vec![number];
            while components.len() < usize::from(element.components) {
                components.push(self.uint(0));
            }
            let given = Numeric::vector(Scalar::Uint, element.components);
            let value = self.numeric(given, components);
            values.push(self.convert(value, given, wanted));
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
        let Some(vertex) = self.lowerer.vertex_struct("Vertex", elements) else { return Ok(all) };
        let function = self.lowerer.vertex_function(&vertex);
        for (index, values) in (0..).zip(&mut all) {
            let index = self.uint(index);
            let result = self.add(Expression::CallResult(function));
            self.push(Statement::Call { function, arguments: vec![index], result: Some(result) });
            for (place, member) in (0..).zip(&vertex.members) {
                let whole = self.access(result, place);
                for at in &member.elements {
                    let mut element = entry.signature.inputs[*at].clone();
                    element.start = start(&element);
                    values[*at] = self.element(whole, member.shared, &element);
                }
            }
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

    /// Builds a vertex from the values of its elements. Components without an element are 0.
    fn vertex_value(
        &mut self,
        vertex: &VertexStruct,
        elements: &[SignatureElement],
        values: &[Option<Value>],
    ) -> Value {
        let mut members = Vec::new();
        for VertexMember { shared, elements: own } in &vertex.members {
            let scalar = self.lowerer.vector_type(shared.scalar, 1);
            let zero = self.zero_of(scalar);
            let mut components = vec![zero; shared.components.into()];
            for at in own {
                let (element, Some(value)) = (&elements[*at], values[*at]) else { continue };
                let value = self.as_register(value, element, *shared);
                for component in 0..element.components {
                    let place = usize::from(start(element) + component);
                    components[place] = self.component(value, component.into());
                }
            }
            members.push(self.vector(shared.scalar, components));
        }
        self.compose(vertex.ty, members)
    }
}

/// Returns the first component of an element in its member. The position is a member without other elements.
fn start(element: &SignatureElement) -> u8 {
    if element.system == SystemValue::Position { 0 } else { element.start }
}
