//! The result of an entry point: a flat structure of the signature elements.

use naga::{BuiltIn, Expression, Statement};

use crate::{
    check::tree::Numeric,
    interface::signature::{SignatureElement, SystemValue},
    lower::{
        builder::Builder,
        entry::{
            EntryPoint, SharedLocation, element_name, has_location, plain, register_scalar, shared, varying,
        },
        result::{Lowered, Value},
        writes,
    },
    session::{profile::ShaderStage, source::Span},
    syntax::builtin::Scalar,
};

/// A member of the result structure.
struct OutputMember {
    name: String,
    value: Value,
    ty: naga::Handle<naga::Type>,
    binding: naga::Binding,
}

impl Builder<'_, '_> {
    /// Returns the values of the output elements. Elements without a value are zero. Elements that a pixel
    /// shader never writes are omitted, so targets keep their contents, and depth and coverage come from the
    /// rasterizer.
    pub(super) fn outputs(
        &mut self,
        entry: &EntryPoint<'_>,
        values: &[Option<Value>],
        span: Span,
    ) -> Lowered<Option<naga::FunctionResult>> {
        let elements = &entry.signature.outputs;
        let values: Vec<Value> = elements
            .iter()
            .zip(values)
            .map(|(element, value)| match value {
                Some(value) => *value,
                None => {
                    let ty = self.numeric_type(Numeric::vector(element.scalar, element.components));
                    self.zero_of(ty)
                }
            })
            .collect();
        let written = writes::written(&self.lowerer.module, &self.function, self.body(), &values);
        let written: Vec<u8> =
            elements.iter().zip(written).map(|(element, written)| written as u8 & element.all()).collect();
        let leaves_out = |written: u8| entry.profile.stage == ShaderStage::Pixel && written == 0;
        let mut members = Vec::new();
        for ((element, value), written) in elements.iter().zip(&values).zip(&written) {
            if !leaves_out(*written) {
                self.system_output(element, *value, &mut members)?;
            }
        }
        self.lowerer.written.outputs = written;
        if matches!(entry.profile.stage, ShaderStage::Vertex | ShaderStage::Domain) {
            self.varyings(elements, &values, &mut members);
            self.clip_distances(elements, &values, &mut members);
            if !elements.iter().any(|element| element.system == SystemValue::Position) {
                let ty = self.lowerer.vector_type(naga::Scalar::F32, 4);
                let value = self.zero_of(ty);
                let binding = naga::Binding::BuiltIn(BuiltIn::Position { invariant: false });
                members.push(OutputMember { name: "SV_Position".to_owned(), value, ty, binding });
            }
        }
        self.return_members(members, span)
    }

    fn return_members(
        &mut self,
        members: Vec<OutputMember>,
        span: Span,
    ) -> Lowered<Option<naga::FunctionResult>> {
        if members.is_empty() {
            self.push(Statement::Return { value: None });
            return Ok(None);
        }
        let types = members.iter().map(|member| (Some(member.name.clone()), member.ty)).collect();
        let Some(ty) = self.lowerer.struct_of("Output", types) else {
            return Err(self.unsupported(span, "so many outputs"));
        };
        let mut whole = self.lowerer.module.types[ty].clone();
        if let naga::TypeInner::Struct { members: fields, .. } = &mut whole.inner {
            for (field, member) in fields.iter_mut().zip(&members) {
                field.binding = Some(member.binding.clone());
            }
        }
        let ty = self.lowerer.module.types.insert(whole, self.span);
        let value = self.compose(ty, members.iter().map(|member| member.value).collect());
        self.push(Statement::Return { value: Some(value) });
        Ok(Some(naga::FunctionResult { ty, binding: None }))
    }

    /// Adds a render target, the position, the depth or the coverage.
    fn system_output(
        &mut self,
        element: &SignatureElement,
        value: Value,
        members: &mut Vec<OutputMember>,
    ) -> Lowered<()> {
        let (scalar, size, binding) = match element.system {
            SystemValue::Undefined | SystemValue::ClipDistance => return Ok(()),
            // The results of a vertex shader have them in their registers.
            SystemValue::CullDistance
            | SystemValue::RenderTargetArrayIndex
            | SystemValue::ViewportArrayIndex => return Ok(()),
            SystemValue::Position => {
                (Scalar::Float, 4, naga::Binding::BuiltIn(BuiltIn::Position { invariant: false }))
            }
            SystemValue::Depth | SystemValue::DepthGreaterEqual | SystemValue::DepthLessEqual => {
                (Scalar::Float, 1, naga::Binding::BuiltIn(BuiltIn::FragDepth))
            }
            SystemValue::Coverage => (Scalar::Uint, 1, naga::Binding::BuiltIn(BuiltIn::SampleMask)),
            SystemValue::Target => {
                let shared = whole(element);
                let value = self.as_register(value, element, shared);
                let ty = self.lowerer.vector_type(shared.scalar, shared.components.into());
                members.push(OutputMember {
                    name: element_name(element),
                    value,
                    ty,
                    binding: plain(element.index),
                });
                return Ok(());
            }
            _ => {
                return Err(self.unsupported(element.span, &super::missing::feature("output", &element.name)));
            }
        };
        let from = Numeric::vector(element.scalar, element.components);
        let same = Numeric::vector(scalar, element.components);
        let value = self.convert(value, from, same);
        let mut components = self.components(value, same);
        components.truncate(size);
        while components.len() < size {
            components.push(self.float(0.0));
        }
        let ty = self.numeric_type(Numeric::vector(scalar, size as u8));
        let value = self.numeric(Numeric::vector(scalar, size as u8), components);
        members.push(OutputMember { name: element_name(element), value, ty, binding });
        Ok(())
    }

    /// Adds the locations that the pixel shader reads.
    fn varyings(&mut self, elements: &[SignatureElement], values: &[Value], members: &mut Vec<OutputMember>) {
        let mut registers: Vec<u32> =
            elements.iter().filter(has_location).filter_map(|element| element.register).collect();
        registers.sort_unstable();
        registers.dedup();
        for register in registers {
            let Some(shared) = shared(elements, register) else { continue };
            let zero = self.lowerer.vector_type(shared.scalar, 1);
            let zero = self.zero_of(zero);
            let mut components = vec![zero; shared.components.into()];
            let mut names = Vec::new();
            for (element, value) in elements.iter().zip(values) {
                if element.register != Some(register) || !has_location(&element) {
                    continue;
                }
                names.push(element_name(element));
                let value = self.as_register(*value, element, shared);
                for component in 0..element.components {
                    components[usize::from(element.start + component)] =
                        self.component(value, component.into());
                }
            }
            let ty = self.lowerer.vector_type(shared.scalar, shared.components.into());
            let value = self.vector(shared.scalar, components);
            let binding = varying(register, shared.interpolation);
            members.push(OutputMember { name: names.join("_"), value, ty, binding });
        }
    }

    /// Converts an element to the component type of its location.
    pub(super) fn as_register(
        &mut self,
        value: Value,
        element: &SignatureElement,
        shared: SharedLocation,
    ) -> Value {
        let own = register_scalar(element);
        let value =
            if element.scalar == Scalar::Bool { self.cast(value, naga::ScalarKind::Uint) } else { value };
        if own == shared.scalar { value } else { self.bitcast(value, shared.scalar.kind) }
    }

    /// Adds all clip distances as one array.
    fn clip_distances(
        &mut self,
        elements: &[SignatureElement],
        values: &[Value],
        members: &mut Vec<OutputMember>,
    ) {
        let mut distances = Vec::new();
        let mut all: Vec<(&SignatureElement, &Value)> = elements
            .iter()
            .zip(values)
            .filter(|(element, _)| element.system == SystemValue::ClipDistance)
            .collect();
        all.sort_by_key(|(element, _)| element.index);
        for (element, value) in all {
            let from = Numeric::vector(element.scalar, element.components);
            let to = Numeric::vector(Scalar::Float, element.components);
            let value = self.convert(*value, from, to);
            distances.extend(self.components(value, to));
        }
        if distances.is_empty() {
            return;
        }
        let float = self.lowerer.vector_type(naga::Scalar::F32, 1);
        let Some(ty) = self.lowerer.array_type(float, distances.len() as u32) else { return };
        let value = self.add(Expression::Compose { ty, components: distances });
        let binding = naga::Binding::BuiltIn(BuiltIn::ClipDistances);
        members.push(OutputMember { name: "SV_ClipDistance".to_owned(), value, ty, binding });
    }
}

/// Returns a location that contains a single element.
fn whole(element: &SignatureElement) -> SharedLocation {
    SharedLocation {
        scalar: register_scalar(element),
        components: element.components,
        interpolation: element.interpolation,
    }
}
