//! Hull and domain shaders, which naga lacks.
//!
//! The module has functions for the shader, and functions that return zeros for everything that the pipeline passes to
//! it: see [`Compiled::module`](crate::Compiled::module). A compute entry point calls the shader, so that the module is
//! valid without these stages. Control points are read where the program uses them, because a patch may have 32 of them.

use naga::{Expression, Handle, Statement};

use crate::{
    check::tree::{Expr, Numeric, Type, visit},
    interface::{
        entry::ParameterOrigin,
        signature::{PatchConstants, PatchPoint, SignatureElement, SystemValue, is_factor, patch},
        tessellation::{self, TessellatorDomain},
    },
    lower::{
        builder::Builder,
        entry::{CalledProgram, EntryPoint, vertex::VertexStruct},
        lowerer::Lowerer,
        places::{PlaceRoot, ValuePlace},
        result::{Lowered, Value, naga_span},
        writes,
    },
    session::source::Span,
    syntax::builtin::{Object, Scalar},
};

/// The functions of the shader. HLSL has no such names, so they are unique.
const CONTROL_POINT: &str = "onze.control_point";
const PATCH_CONSTANTS: &str = "onze.patch_constants";
const DOMAIN: &str = "onze.domain";

/// The functions that the pipeline provides.
const INPUT_POINT: &str = "onze.input_point";
const OUTPUT_POINT: &str = "onze.output_point";
const POINT: &str = "onze.point";
const CONSTANTS: &str = "onze.constants";

/// The function that returns a control point of a patch as a value of its HLSL type.
pub(crate) struct PointFunction {
    kind: Object,
    ty: Type,
    /// `None` if the type has no data.
    function: Option<Handle<naga::Function>>,
}

impl<'a> Lowerer<'a> {
    /// Adds a hull shader: the function of a control point and that of the patch constants.
    pub(super) fn hull_shader(&mut self, entry: &EntryPoint<'a>) -> Lowered<()> {
        let source = &self.program[entry.function];
        self.partitioning = tessellation::partitioning(source);
        let Some(constants) = entry.signature.constants.as_deref() else {
            return Err(self.unsupported(source.span, "a hull shader without a patch constant function"));
        };
        self.add_points(entry, INPUT_POINT, Some(&constants.point_reads))?;
        let mut functions = Vec::new();
        if entry.signature.result.is_some() && !entry.signature.outputs.is_empty() {
            functions.push((self.control_point(entry)?, 2));
        } else {
            // The hull shader passes its control points on, or has none.
            self.written.outputs = entry.signature.outputs.iter().map(SignatureElement::all).collect();
        }
        functions.push((self.patch_constants(entry, constants)?, 1));
        self.calling_entry(source.name.to_string(), &functions);
        Ok(())
    }

    /// Adds a domain shader as a function.
    pub(super) fn domain_shader(&mut self, entry: &EntryPoint<'a>) -> Lowered<()> {
        let source = &self.program[entry.function];
        self.add_points(entry, POINT, None)?;
        let mut builder = Builder::new(self, DOMAIN);
        builder.span = naga_span(source.span);
        let result = builder.domain_body(entry, source.span)?;
        let function = builder.finish_program(result)?;
        let function = self.module.functions.append(function, naga_span(source.span));
        let location = self.vector_type(naga::Scalar::F32, 3);
        let mut caller = Builder::new(self, &source.name);
        let arguments = vec![caller.zero_of(location), caller.uint(0)];
        if caller.lowerer.module.functions[function].result.is_some() {
            caller.call_placeholder(function, arguments);
        } else {
            caller.push(Statement::Call { function, arguments, result: None });
        }
        caller.push(Statement::Return { value: None });
        let caller = caller.finish();
        self.compute_entry(source.name.to_string(), caller);
        Ok(())
    }

    /// Adds the functions that return control points. `input` is the name of the one for the stage's inputs, and
    /// `output_reads` contains the components that are read from the hull shader's outputs.
    fn add_points(
        &mut self,
        entry: &EntryPoint<'a>,
        input: &str,
        output_reads: Option<&[u8]>,
    ) -> Lowered<()> {
        self.patches = Some(Vec::new());
        for point in &entry.signature.points {
            let (name, structure, elements) = if point.is_output {
                let reads = output_reads.unwrap_or_default().iter().copied().chain(std::iter::repeat(0));
                let mut outputs = entry.signature.outputs.clone();
                outputs.iter_mut().zip(reads).for_each(|(element, used)| element.used = used);
                (OUTPUT_POINT, "OutputPoint", outputs)
            } else {
                let inputs = entry.signature.inputs.iter().take(entry.signature.vertex_inputs);
                (input, "InputPoint", inputs.cloned().collect())
            };
            let function = match self.has_data(&point.ty) {
                true => Some(self.point_function(name, structure, point, &elements)?),
                false => None,
            };
            let added = PointFunction { kind: point.kind, ty: point.ty.clone(), function };
            self.patches.get_or_insert_default().push(added);
        }
        Ok(())
    }

    /// Adds the function that returns a control point as a value of its HLSL type.
    fn point_function(
        &mut self,
        name: &str,
        structure: &str,
        point: &PatchPoint,
        elements: &[SignatureElement],
    ) -> Lowered<Handle<naga::Function>> {
        let span = Span::default();
        let vertex = self.vertex_struct(structure, elements.iter().enumerate().collect(), 0);
        let placeholder = vertex.as_ref().map(|vertex| self.vertex_function(name, vertex, true));
        let number = self.vector_type(naga::Scalar::U32, 1);
        let ty = self.ty(&point.ty, span)?;
        let mut builder = Builder::new(self, &format!("read_{structure}"));
        let index = builder.argument("index", number);
        builder.function.result = Some(naga::FunctionResult { ty, binding: None });
        let mut values = builder.zeros(elements);
        if let Some((vertex, function)) = vertex.as_ref().zip(placeholder) {
            let whole = builder.call_placeholder(function, vec![index]);
            builder.vertex_elements(vertex, whole, elements, &mut values);
        }
        let values: Vec<_> = values.into_iter().zip(elements).collect();
        let value = builder.put_together(&point.layout, &point.ty, &values, span)?;
        builder.push(Statement::Return { value: Some(value) });
        let function = builder.finish();
        Ok(self.module.functions.append(function, naga::Span::UNDEFINED))
    }

    fn control_point(&mut self, entry: &EntryPoint<'a>) -> Lowered<Handle<naga::Function>> {
        let span = self.program[entry.function].span;
        let number = self.vector_type(naga::Scalar::U32, 1);
        let outputs = &entry.signature.outputs;
        let vertex = self.vertex_struct("ControlPoint", outputs.iter().enumerate().collect(), 0);
        let mut builder = Builder::new(self, CONTROL_POINT);
        builder.span = naga_span(span);
        let (point, primitive) = (builder.argument("point", number), builder.argument("primitive", number));
        let inputs = builder.patch_inputs(&entry.signature.inputs, primitive, Some(point));
        let elements: Vec<_> = inputs.into_iter().zip(&entry.signature.inputs).collect();
        let values = builder.call_program(&CalledProgram::main(entry), &elements, &[], span)?;
        builder.lowerer.written.outputs = builder.written_outputs(outputs, &values);
        let result = builder.return_vertex(vertex.as_ref(), Vec::new(), outputs, &values);
        let function = builder.finish_program(result)?;
        Ok(self.module.functions.append(function, naga_span(span)))
    }

    fn patch_constants(
        &mut self,
        entry: &EntryPoint<'a>,
        constants: &PatchConstants,
    ) -> Lowered<Handle<naga::Function>> {
        let source = &self.program[constants.function];
        let span = source.span;
        for parameter in &source.parameters {
            let local = source.local(parameter.local);
            if local.ty.object().is_some() && patch(&local.ty).is_none() {
                let what = "an object as a parameter of the patch constant function; use a global variable";
                return Err(self.unsupported(local.span, what));
            }
        }
        let number = self.vector_type(naga::Scalar::U32, 1);
        let domain = self.domain(entry);
        let factors = domain.edge_factors() + domain.inside_factors();
        let outputs = &constants.outputs;
        let vertex = self.vertex_struct("PatchConstants", outputs.iter().enumerate().collect(), factors);
        let mut builder = Builder::new(self, PATCH_CONSTANTS);
        builder.span = naga_span(span);
        let primitive = builder.argument("primitive", number);
        let inputs = builder.patch_inputs(&constants.inputs, primitive, None);
        let elements: Vec<_> = inputs.into_iter().zip(&constants.inputs).collect();
        let program = CalledProgram {
            function: constants.function,
            origins: &vec![ParameterOrigin::Signature; source.parameters.len()],
            parameters: &constants.parameters,
            result: constants.result.as_ref(),
            outputs: outputs.len(),
        };
        let values = builder.call_program(&program, &elements, &[], span)?;
        builder.lowerer.written.constants = builder.written_outputs(outputs, &values);
        let factors = builder.factors(domain, outputs, &values);
        let result = builder.return_vertex(vertex.as_ref(), factors, outputs, &values);
        let function = builder.finish_program(result)?;
        Ok(self.module.functions.append(function, naga_span(span)))
    }

    /// Returns the domain, which the rules of the stages require.
    fn domain(&self, entry: &EntryPoint<'_>) -> TessellatorDomain {
        tessellation::domain(&self.program[entry.function]).unwrap_or(TessellatorDomain::Triangle)
    }
}

impl<'a> Builder<'_, 'a> {
    /// Returns the zero of each element.
    fn zeros(&mut self, elements: &[SignatureElement]) -> Vec<Value> {
        let zero = |element: &SignatureElement| {
            let ty = self.numeric_type(Numeric::vector(element.scalar, element.components));
            self.zero_of(ty)
        };
        elements.iter().map(zero).collect()
    }

    /// Returns the values of inputs that the pipeline generates, and zeros for all other elements.
    fn patch_inputs(
        &mut self,
        elements: &[SignatureElement],
        primitive: Value,
        point: Option<Value>,
    ) -> Vec<Value> {
        let mut values = self.zeros(elements);
        for (element, value) in elements.iter().zip(&mut values) {
            let number = match element.system {
                SystemValue::PrimitiveId => Some(primitive),
                SystemValue::OutputControlPointId => point,
                _ => None,
            };
            if let Some(number) = number.filter(|_| element.register.is_none()) {
                *value = self.generated(element, number);
            }
        }
        values
    }

    /// Returns the components of outputs that the function may write.
    fn written_outputs(&mut self, elements: &[SignatureElement], values: &[Option<Value>]) -> Vec<u8> {
        let zeros = self.zeros(elements);
        let values: Vec<_> = values.iter().zip(zeros).map(|(value, zero)| value.unwrap_or(zero)).collect();
        let written = writes::written(&self.lowerer.module, &self.function, self.body(), &values);
        elements.iter().zip(written).map(|(element, written)| written as u8 & element.all()).collect()
    }

    /// Returns all tessellation factors of a domain. Factors that are not among the elements are 0.
    fn factors(
        &mut self,
        domain: TessellatorDomain,
        elements: &[SignatureElement],
        values: &[Option<Value>],
    ) -> Vec<Value> {
        let zero = self.float(0.0);
        let mut factors = vec![zero; (domain.edge_factors() + domain.inside_factors()) as usize];
        for (element, value) in elements.iter().zip(values) {
            let Some(value) = value.filter(|_| is_factor(element.system)) else { continue };
            let (from, to) = (Numeric::vector(element.scalar, element.components), Scalar::Float);
            let value = self.convert(value, from, from.with(to));
            for component in 0..u32::from(element.components) {
                let place = factor_place(domain, element, component);
                if let Some(factor) = place.and_then(|place| factors.get_mut(place as usize)) {
                    *factor = self.component(value, component);
                }
            }
        }
        factors
    }

    /// Returns a structure from the function, unless it is empty.
    fn return_vertex(
        &mut self,
        vertex: Option<&VertexStruct>,
        factors: Vec<Value>,
        elements: &[SignatureElement],
        values: &[Option<Value>],
    ) -> Option<naga::FunctionResult> {
        let value = vertex.map(|vertex| self.vertex_with(vertex, factors, elements, values));
        self.push(Statement::Return { value });
        vertex.map(|vertex| naga::FunctionResult { ty: vertex.ty, binding: None })
    }

    /// Returns the finished function, which begins with the initialisation of `static` variables.
    fn finish_program(mut self, result: Option<naga::FunctionResult>) -> Lowered<naga::Function> {
        let start = self.block(|builder| builder.initialize_globals())?;
        let mut function = self.finish();
        let rest = std::mem::replace(&mut function.body, start);
        function.body.extend_block(rest);
        function.result = result;
        Ok(function)
    }

    /// Adds the body of a domain shader and returns its result.
    fn domain_body(&mut self, entry: &EntryPoint<'a>, span: Span) -> Lowered<Option<naga::FunctionResult>> {
        let location = self.lowerer.vector_type(naga::Scalar::F32, 3);
        let number = self.lowerer.vector_type(naga::Scalar::U32, 1);
        let (location, primitive) = (self.argument("location", location), self.argument("primitive", number));
        let inputs = &entry.signature.inputs;
        let mut values = self.patch_inputs(inputs, primitive, None);
        for (element, value) in inputs.iter().zip(&mut values) {
            if element.system == SystemValue::DomainLocation {
                *value = self.domain_location(location, element);
            }
        }
        self.read_constants(entry, &mut values);
        let elements: Vec<_> = values.into_iter().zip(inputs).collect();
        let values = self.call_program(&CalledProgram::main(entry), &elements, &[], span)?;
        self.outputs(entry, &values, span)
    }

    /// Returns the location in the domain, as the type of an element.
    fn domain_location(&mut self, location: Value, element: &SignatureElement) -> Value {
        let zero = self.float(0.0);
        let component = |builder: &mut Self, at: u8| match at {
            0..=2 => builder.component(location, at.into()),
            _ => zero,
        };
        let components = (0..element.components).map(|at| component(self, at)).collect();
        let given = Numeric::vector(Scalar::Float, element.components);
        let value = self.numeric(given, components);
        self.convert(value, given, given.with(element.scalar))
    }

    /// Sets the values of those inputs of a domain shader that are patch constants, if the program reads one.
    fn read_constants(&mut self, entry: &EntryPoint<'a>, values: &mut [Value]) {
        let (inputs, first) = (&entry.signature.inputs, entry.signature.vertex_inputs);
        let constants =
            || inputs.iter().enumerate().skip(first).filter(|(_, element)| element.register.is_some());
        if constants().all(|(_, element)| element.used == 0) {
            return;
        }
        let domain = self.lowerer.domain(entry);
        let count = domain.edge_factors() + domain.inside_factors();
        let Some(vertex) = self.lowerer.vertex_struct("Constants", constants().collect(), count) else {
            return;
        };
        let function = self.lowerer.vertex_function(CONSTANTS, &vertex, false);
        let whole = self.call_placeholder(function, Vec::new());
        self.vertex_elements(&vertex, whole, inputs, values);
        let zero = self.float(0.0);
        for (at, element) in constants().filter(|(_, element)| is_factor(element.system)) {
            let factor = |component| factor_place(domain, element, component).filter(|place| *place < count);
            let places: Vec<_> = (0..u32::from(element.components)).map(factor).collect();
            let components = places
                .into_iter()
                .map(|place| match place {
                    Some(place) => self.access(whole, place),
                    None => zero,
                })
                .collect();
            let given = Numeric::vector(Scalar::Float, element.components);
            let value = self.numeric(given, components);
            values[at] = self.convert(value, given, given.with(element.scalar));
        }
    }

    /// Returns the control point of a patch with an index, as a place that can only be read, or `None` if the
    /// expression is not a patch of a hull or domain shader. An index that is out of range reads the last point.
    pub(in crate::lower) fn point_place(&mut self, base: &Expr, index: &Expr) -> Lowered<Option<ValuePlace>> {
        let (Some(object), Some(points)) = (patch(&base.ty), &self.lowerer.patches) else { return Ok(None) };
        let Some(ty) = &object.element else { return Ok(None) };
        let point = points.iter().find(|point| point.kind == object.kind && point.ty == *ty);
        let Some(function) = point.map(|point| point.function).filter(|_| visit::is_pure(base)) else {
            return Err(self.unsupported(base.span, "such a patch"));
        };
        let index = match self.known_integer(index) {
            Some(known) => match u32::try_from(known).ok().filter(|known| *known < object.count) {
                Some(known) => self.uint(known),
                None => return Err(self.lowerer.index_out_of_bounds(index.span, known, object.count)),
            },
            None => {
                let value = self.expr(index)?;
                let value = self.as_uint(value);
                let last = self.uint(object.count.saturating_sub(1));
                self.math(naga::MathFunction::Min, &[value, last])
            }
        };
        let value = match function {
            Some(function) => self.call_placeholder(function, vec![index]),
            None => self.zero(ty, base.span)?,
        };
        Ok(Some(ValuePlace::new(PlaceRoot::Value(value), ty.clone())))
    }

    /// Returns an integer as an unsigned integer with the same bits.
    fn as_uint(&mut self, value: Value) -> Value {
        match self.inner(value) {
            naga::TypeInner::Scalar(naga::Scalar::U32) => value,
            _ => self.add(Expression::As { expr: value, kind: naga::ScalarKind::Uint, convert: None }),
        }
    }
}

/// Returns the place of a component of a tessellation factor among all factors, or `None` if the domain has no such
/// factor.
fn factor_place(domain: TessellatorDomain, element: &SignatureElement, component: u32) -> Option<u32> {
    let (first, count) = match element.system {
        SystemValue::TessFactor => (0, domain.edge_factors()),
        _ => (domain.edge_factors(), domain.inside_factors()),
    };
    let index = element.index.checked_add(component)?;
    (index < count).then_some(first + index)
}
