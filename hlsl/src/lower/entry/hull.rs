//! Hull shaders: the function of a control point, and that of the patch constants.

use naga::{Handle, Statement};

use crate::{
    check::tree::Numeric,
    interface::{
        entry::ParameterOrigin,
        signature::{PatchConstants, SignatureElement, is_factor, patch},
        tessellation::{self, TessellatorDomain},
    },
    lower::{
        builder::Builder,
        entry::{CalledProgram, EntryPoint, patches::factor_place, vertex::VertexStruct},
        lowerer::Lowerer,
        result::{Lowered, Value, naga_span},
        writes,
    },
    syntax::builtin::Scalar,
};

/// The functions of the shader. HLSL has no such names, so they are unique.
const CONTROL_POINT: &str = "onze.control_point";
const PATCH_CONSTANTS: &str = "onze.patch_constants";

/// The name of the function that returns a control point of the input patch.
const INPUT_POINT: &str = "onze.input_point";

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
}

impl Builder<'_, '_> {
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
}
