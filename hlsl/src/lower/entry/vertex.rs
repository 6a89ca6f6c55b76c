//! Structures of vertices, control points and patch constants, and the functions that pass them to a shader.

use naga::{BuiltIn, Expression, Handle, Literal, ShaderStage, Statement};

use crate::{
    check::tree::Numeric,
    interface::signature::{SignatureElement, SystemValue, is_factor},
    lower::{
        builder::Builder,
        entry::{SharedLocation, element_name, shared_by, varying},
        lowerer::Lowerer,
        result::Value,
    },
    syntax::builtin::Scalar,
};

/// The structure of a vertex or of patch constants: tessellation factors, the position, and the registers.
#[derive(Clone)]
pub(super) struct VertexStruct {
    pub(super) ty: Handle<naga::Type>,
    /// The number of tessellation factors before the other members.
    factors: u32,
    members: Vec<VertexMember>,
}

/// A member of the structure of a vertex, which contains some of the elements.
#[derive(Clone)]
struct VertexMember {
    shared: SharedLocation,
    /// The indices of the elements.
    elements: Vec<usize>,
}

impl Lowerer<'_> {
    /// Adds a structure with tessellation factors and with these elements, or returns `None` if it would be empty
    /// because no element is used. Elements that are factors are left out.
    pub(super) fn vertex_struct(
        &mut self,
        name: &str,
        elements: Vec<(usize, &SignatureElement)>,
        factors: u32,
    ) -> Option<VertexStruct> {
        let mut members: Vec<(String, naga::Binding, VertexMember)> = Vec::new();
        let is_position = |element: &SignatureElement| element.system == SystemValue::Position;
        let used = elements.iter().filter(|(_, element)| element.used != 0 && !is_factor(element.system));
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
        let float = self.vector_type(naga::Scalar::F32, 1);
        let own = (0..factors).map(|factor| (Some(format!("factor{factor}")), float));
        let types = members
            .iter()
            .map(|(name, _, member)| {
                let SharedLocation { scalar, components, .. } = member.shared;
                (Some(name.clone()), self.vector_type(scalar, components.into()))
            })
            .collect::<Vec<_>>();
        let types: Vec<_> = own.chain(types).collect();
        if types.is_empty() {
            return None;
        }
        let ty = self.struct_of(name, types)?;
        let mut whole = self.module.types[ty].clone();
        if let naga::TypeInner::Struct { members: fields, .. } = &mut whole.inner {
            for (field, (_, binding, _)) in fields.iter_mut().skip(factors as usize).zip(&members) {
                field.binding = Some(binding.clone());
            }
        }
        let ty = self.module.types.insert(whole, naga::Span::UNDEFINED);
        Some(VertexStruct { ty, factors, members: members.into_iter().map(|(.., member)| member).collect() })
    }

    /// Adds the function that returns a vertex, or patch constants if it is not `indexed`. Without a pipeline, its
    /// result is zero.
    pub(super) fn vertex_function(
        &mut self,
        name: &str,
        vertex: &VertexStruct,
        indexed: bool,
    ) -> Handle<naga::Function> {
        let index = self.vector_type(naga::Scalar::U32, 1);
        let mut builder = Builder::new(self, name);
        if indexed {
            builder.argument("index", index);
        }
        builder.function.result = Some(naga::FunctionResult { ty: vertex.ty, binding: None });
        let value = builder.zero_of(vertex.ty);
        builder.push(Statement::Return { value: Some(value) });
        let function = builder.finish();
        self.module.functions.append(function, naga::Span::UNDEFINED)
    }

    /// Adds a compute entry point that only calls functions. Each function has a number of `u32` arguments.
    pub(super) fn calling_entry(&mut self, name: String, functions: &[(Handle<naga::Function>, usize)]) {
        let mut caller = naga::Function { name: Some(name.clone()), ..naga::Function::default() };
        let span = naga::Span::UNDEFINED;
        let zero = caller.expressions.append(Expression::Literal(Literal::U32(0)), span);
        for (function, arguments) in functions {
            let has_result = self.module.functions[*function].result.is_some();
            let result =
                has_result.then(|| caller.expressions.append(Expression::CallResult(*function), span));
            let arguments = vec![zero; *arguments];
            caller.body.push(Statement::Call { function: *function, arguments, result }, span);
        }
        caller.body.push(Statement::Return { value: None }, span);
        self.compute_entry(name, caller);
    }

    /// Adds a compute entry point with one thread.
    pub(super) fn compute_entry(&mut self, name: String, function: naga::Function) {
        self.module.entry_points.push(naga::EntryPoint {
            name,
            stage: ShaderStage::Compute,
            early_depth_test: None,
            workgroup_size: [1; 3],
            workgroup_size_overrides: None,
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
    }
}

impl Builder<'_, '_> {
    /// Adds a call of a function of the pipeline, and returns its result.
    pub(super) fn call_placeholder(
        &mut self,
        function: Handle<naga::Function>,
        arguments: Vec<Value>,
    ) -> Value {
        let result = self.add(Expression::CallResult(function));
        self.push(Statement::Call { function, arguments, result: Some(result) });
        result
    }

    /// Sets the values of the elements that a structure contains.
    pub(super) fn vertex_elements(
        &mut self,
        vertex: &VertexStruct,
        whole: Value,
        elements: &[SignatureElement],
        values: &mut [Value],
    ) {
        for (place, member) in (vertex.factors..).zip(&vertex.members) {
            let whole = self.access(whole, place);
            for at in &member.elements {
                let mut element = elements[*at].clone();
                element.start = start(&element);
                values[*at] = self.element(whole, member.shared, &element);
            }
        }
    }

    /// Returns the value of an input that the pipeline generates as a number. Other components are 0.
    pub(super) fn generated(&mut self, element: &SignatureElement, number: Value) -> Value {
        let mut components = vec![number];
        while components.len() < usize::from(element.components) {
            components.push(self.uint(0));
        }
        let given = Numeric::vector(Scalar::Uint, element.components);
        let value = self.numeric(given, components);
        self.convert(value, given, Numeric::vector(element.scalar, element.components))
    }

    /// Builds a vertex from the values of its elements. Components without an element are 0.
    pub(super) fn vertex_value(
        &mut self,
        vertex: &VertexStruct,
        elements: &[SignatureElement],
        values: &[Option<Value>],
    ) -> Value {
        self.vertex_with(vertex, Vec::new(), elements, values)
    }

    /// Builds a structure from its tessellation factors and the values of its elements.
    pub(super) fn vertex_with(
        &mut self,
        vertex: &VertexStruct,
        factors: Vec<Value>,
        elements: &[SignatureElement],
        values: &[Option<Value>],
    ) -> Value {
        let mut members = factors;
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
