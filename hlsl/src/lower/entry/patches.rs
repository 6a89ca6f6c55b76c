//! Patches of hull and domain shaders, which naga lacks.
//!
//! The module has functions for the shader, and functions that return zeros for everything that the pipeline passes to
//! it: see [`Compiled::module`](crate::Compiled::module). A compute entry point calls the shader, so that the module is
//! valid without these stages. Control points are read where the program uses them, because a patch may have 32 of them.

use naga::{Expression, Handle, Statement};

use crate::{
    check::tree::{Expr, Numeric, visit},
    interface::{
        signature::{PatchPoint, SignatureElement, SystemValue, patch},
        tessellation::{self, TessellatorDomain},
    },
    lower::{
        builder::Builder,
        entry::{EntryPoint, point_function::PointFunction},
        lowerer::Lowerer,
        places::{PlaceRoot, ValuePlace},
        result::{Lowered, Value},
    },
    session::source::Span,
};

/// The name of the function that returns a control point of the output patch.
const OUTPUT_POINT: &str = "onze.output_point";

impl<'a> Lowerer<'a> {
    /// Adds the functions that return control points. `input` is the name of the one for the stage's inputs, and
    /// `output_reads` contains the components that are read from the hull shader's outputs.
    pub(super) fn add_points(
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

    /// Returns the domain, which the rules of the stages require.
    pub(super) fn domain(&self, entry: &EntryPoint<'_>) -> TessellatorDomain {
        tessellation::domain(&self.program[entry.function]).unwrap_or(TessellatorDomain::Triangle)
    }
}

impl<'a> Builder<'_, 'a> {
    /// Returns the zero of each element.
    pub(super) fn zeros(&mut self, elements: &[SignatureElement]) -> Vec<Value> {
        let zero = |element: &SignatureElement| {
            let ty = self.numeric_type(Numeric::vector(element.scalar, element.components));
            self.zero_of(ty)
        };
        elements.iter().map(zero).collect()
    }

    /// Returns the values of inputs that the pipeline generates, and zeros for all other elements.
    pub(super) fn patch_inputs(
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

    /// Returns the finished function, which begins with the initialisation of `static` variables.
    pub(super) fn finish_program(mut self, result: Option<naga::FunctionResult>) -> Lowered<naga::Function> {
        let start = self.block(|builder| builder.initialize_globals())?;
        let mut function = self.finish();
        let rest = std::mem::replace(&mut function.body, start);
        function.body.extend_block(rest);
        function.result = result;
        Ok(function)
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
pub(super) fn factor_place(
    domain: TessellatorDomain,
    element: &SignatureElement,
    component: u32,
) -> Option<u32> {
    let (first, count) = match element.system {
        SystemValue::TessFactor => (0, domain.edge_factors()),
        _ => (domain.edge_factors(), domain.inside_factors()),
    };
    let index = element.index.checked_add(component)?;
    (index < count).then_some(first + index)
}
