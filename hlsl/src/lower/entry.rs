//! The entry point. It builds the parameter values from flat arguments, calls the HLSL function and returns a
//! flat structure.
//!
//! Between stages, values are passed in locations that correspond to the registers of Direct3D 11's
//! signatures. Elements that share a register are components of one vector, so stages are matched as in
//! Direct3D 11. Inputs of vertex shaders are numbered without system values and named after their semantics.

mod attributes;
mod domain;
pub(crate) mod geometry;
mod hull;
mod inputs;
mod missing;
mod outputs;
pub(crate) mod patches;
pub(crate) mod plane_variables;
mod planes;
pub(crate) mod point_function;
mod vertex;

use naga::EarlyDepthTest;

use crate::{
    check::tree::{Expr, ExprKind, FunctionId, Numeric, Type},
    interface::{
        bindings::VariableId,
        entry::ParameterOrigin,
        signature::{
            ComponentKind, ElementLayout, Interpolation, Signature, SignatureElement, SystemValue,
            component_kind,
        },
    },
    lower::{
        builder::{Builder, LocalStorage},
        discards,
        lowerer::Lowerer,
        result::{Lowered, Value, naga_span},
    },
    session::{
        profile::{Profile, ShaderStage},
        source::Span,
    },
    syntax::builtin::Scalar,
    text::token::Packing,
};

/// The parts of an entry point.
pub(crate) struct EntryPoint<'s> {
    pub(crate) function: FunctionId,
    pub(crate) profile: Profile,
    pub(crate) signature: &'s Signature,
    /// The origins of the parameters.
    pub(crate) origins: &'s [ParameterOrigin],
    /// The thread group size of a compute shader.
    pub(crate) threads: [u32; 3],
}

/// A function that the pipeline calls: the entry point, or the patch constant function of a hull shader.
struct CalledProgram<'s> {
    function: FunctionId,
    origins: &'s [ParameterOrigin],
    /// The mapping of each parameter to inputs and to outputs.
    parameters: &'s [(Option<ElementLayout>, Option<ElementLayout>)],
    result: Option<&'s ElementLayout>,
    /// The number of output elements.
    outputs: usize,
}

impl<'s> CalledProgram<'s> {
    fn main(entry: &'s EntryPoint<'_>) -> Self {
        Self {
            function: entry.function,
            origins: entry.origins,
            parameters: &entry.signature.parameters,
            result: entry.signature.result.as_ref(),
            outputs: entry.signature.outputs.len(),
        }
    }
}

impl<'a> Lowerer<'a> {
    /// Adds the entry point and all functions that it calls to the module.
    pub(crate) fn entry_point(&mut self, entry: &EntryPoint<'a>) -> Lowered<()> {
        let source = &self.program[entry.function];
        let name = source.name.to_string();
        let early = source.attribute("earlydepthstencil").is_some();
        self.entry = Some((entry.function, entry.signature));
        self.computes = entry.profile.stage == ShaderStage::Compute;
        self.has_spaces = entry.profile.has_spaces();
        self.derivatives_follow =
            discards::derivatives_follow(self.program, entry.function, self.session.limits);
        match entry.profile.stage {
            ShaderStage::Geometry => self.add_streams(entry),
            ShaderStage::Hull => return self.hull_shader(entry),
            ShaderStage::Domain => return self.domain_shader(entry),
            ShaderStage::Vertex | ShaderStage::Pixel | ShaderStage::Compute => {}
        }
        let mut builder = Builder::new(self, &name);
        builder.span = naga_span(source.span);
        let result = builder.entry_body(entry, source.span)?;
        let start = builder.block(|builder| {
            builder.set_attributes(entry);
            builder.initialize_globals()
        })?;
        let mut function = builder.finish();
        let rest = std::mem::replace(&mut function.body, start);
        function.body.extend_block(rest);
        function.result = result;
        if entry.profile.stage == ShaderStage::Geometry {
            self.geometry_entry(name, function);
            return Ok(());
        }
        let stage = match entry.profile.stage {
            ShaderStage::Pixel => naga::ShaderStage::Fragment,
            ShaderStage::Compute => naga::ShaderStage::Compute,
            _ => naga::ShaderStage::Vertex,
        };
        self.module.entry_points.push(naga::EntryPoint {
            name,
            stage,
            early_depth_test: (early && stage == naga::ShaderStage::Fragment)
                .then_some(EarlyDepthTest::Force),
            workgroup_size: if stage == naga::ShaderStage::Compute { entry.threads } else { [0; 3] },
            workgroup_size_overrides: None,
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        Ok(())
    }
}

impl Builder<'_, '_> {
    fn entry_body(&mut self, entry: &EntryPoint<'_>, span: Span) -> Lowered<Option<naga::FunctionResult>> {
        let is_geometry = entry.profile.stage == ShaderStage::Geometry;
        let vertices = if is_geometry { self.vertices(entry)? } else { Vec::new() };
        let inputs = if is_geometry { self.geometry_inputs(entry)? } else { self.inputs(entry)? };
        let elements: Vec<_> = inputs.into_iter().zip(&entry.signature.inputs).collect();
        let values = self.call_program(&CalledProgram::main(entry), &elements, &vertices, span)?;
        if is_geometry {
            self.push(naga::Statement::Return { value: None });
            return Ok(None);
        }
        self.end_discarded()?;
        self.outputs(entry, &values, span)
    }

    /// Calls a function of the program that the pipeline calls, and returns the values of its output elements.
    /// `vertices` contains the elements of the vertices of a primitive.
    fn call_program(
        &mut self,
        program: &CalledProgram<'_>,
        elements: &[(Value, &SignatureElement)],
        vertices: &[Vec<Value>],
        span: Span,
    ) -> Lowered<Vec<Option<Value>>> {
        let function = &self.lowerer.program[program.function];
        let mut arguments = Vec::new();
        let mut variables = Vec::new();
        let parts = program.parameters.iter().zip(program.origins);
        for (parameter, ((input, _), origin)) in function.parameters.iter().zip(parts) {
            let local = function.local(parameter.local);
            let global = |id| Expr::new(ExprKind::Global(id), local.ty.clone(), local.span);
            if let ParameterOrigin::Uniform(id) = origin {
                arguments.push(global(*id));
                variables.push(None);
                continue;
            }
            if let ParameterOrigin::Objects(id) = origin {
                let objects = self.objects_in(&global(*id))?;
                self.objects.insert(VariableId::Local(parameter.local), objects);
            }
            arguments.push(Expr::new(ExprKind::Local(parameter.local), local.ty.clone(), local.span));
            if !self.lowerer.has_data(&local.ty) {
                variables.push(None);
                continue;
            }
            let ty = self.ty(&local.ty, local.span)?;
            let pointer = self.variable(&local.name, ty);
            // An output is initially zero, which does not count as a write.
            if let Some(part) = input {
                let value = match part {
                    ElementLayout::Vertices(vertex) => {
                        self.primitive(vertex, &local.ty, vertices, local.span)?
                    }
                    part => self.put_together(part, &local.ty, elements, local.span)?,
                };
                self.store(pointer, value);
            }
            self.locals.insert(parameter.local, LocalStorage::Pointer(pointer));
            variables.push(Some(pointer));
        }
        let result = self.call(program.function, &arguments, span, 0)?;
        let mut values: Vec<Option<Value>> = vec![None; program.outputs];
        if let (Some(part), Some(value)) = (program.result, result) {
            self.take_apart(part, value, &mut values);
        }
        for ((_, output), pointer) in program.parameters.iter().zip(variables) {
            if let (Some(part), Some(pointer)) = (output, pointer) {
                let value = self.load(pointer);
                self.take_apart(part, value, &mut values);
            }
        }
        Ok(values)
    }

    /// Builds a value from its signature elements.
    fn put_together(
        &mut self,
        part: &ElementLayout,
        ty: &Type,
        elements: &[(Value, &SignatureElement)],
        span: Span,
    ) -> Lowered<Value> {
        match part {
            ElementLayout::Element(element) => {
                let (value, element) = elements[*element];
                Ok(match ty {
                    Type::Numeric(to) => self.element_as(value, element, to.scalar),
                    _ => value,
                })
            }
            ElementLayout::Matrix(numeric, packing, vectors) => {
                let mut values = Vec::new();
                for element in vectors {
                    let (value, element) = elements[*element];
                    values.push(self.element_as(value, element, numeric.scalar));
                }
                Ok(self.matrix_of_vectors(*numeric, *packing, &values))
            }
            ElementLayout::List(parts) => {
                let mut values = Vec::new();
                for (index, part) in parts.iter().enumerate() {
                    let ty = match ty {
                        Type::Array(array) => array.element.clone(),
                        Type::Struct(id) => match self.lowerer.program[*id].fields.get(index) {
                            Some(field) => field.ty.clone(),
                            None => continue,
                        },
                        _ => continue,
                    };
                    if self.lowerer.has_data(&ty) {
                        values.push(self.put_together(part, &ty, elements, span)?);
                    }
                }
                let ty = self.ty(ty, span)?;
                Ok(if values.is_empty() { self.zero_of(ty) } else { self.compose(ty, values) })
            }
            ElementLayout::Vertices(_) | ElementLayout::Nothing => self.zero(ty, span),
        }
    }

    /// Splits a value into its signature elements.
    fn take_apart(&mut self, part: &ElementLayout, value: Value, elements: &mut [Option<Value>]) {
        match part {
            ElementLayout::Element(element) => elements[*element] = Some(value),
            ElementLayout::Matrix(numeric, packing, vectors) => {
                let components = self.components(value, *numeric);
                let (_, size) = crate::interface::layout::vectors(*numeric, *packing);
                for (index, element) in vectors.iter().enumerate() {
                    let row = (0..size as usize).map(|component| {
                        let (row, column) = match packing {
                            Packing::RowMajor => (index, component),
                            Packing::ColumnMajor => (component, index),
                        };
                        components[row * numeric.columns() + column]
                    });
                    let ty = Numeric::vector(numeric.scalar, size as u8);
                    let row = row.collect();
                    elements[*element] = Some(self.numeric(ty, row));
                }
            }
            ElementLayout::List(parts) => {
                let mut place = 0;
                for part in parts {
                    if !matches!(part, ElementLayout::Nothing) {
                        let value = self.access(value, place);
                        self.take_apart(part, value, elements);
                        place += 1;
                    }
                }
            }
            ElementLayout::Vertices(_) | ElementLayout::Nothing => {}
        }
    }

    /// Converts a signature element to a component type. Parameters with different types can share an
    /// element.
    fn element_as(&mut self, value: Value, element: &SignatureElement, scalar: Scalar) -> Value {
        if element.scalar == scalar {
            return value;
        }
        let from = Numeric::vector(element.scalar, element.components);
        self.convert(value, from, from.with(scalar))
    }

    fn matrix_of_vectors(&mut self, ty: Numeric, packing: Packing, vectors: &[Value]) -> Value {
        let mut components = Vec::new();
        for row in 0..ty.rows() {
            for column in 0..ty.columns() {
                let (vector, component) = match packing {
                    Packing::RowMajor => (row, column),
                    Packing::ColumnMajor => (column, row),
                };
                components.push(self.component(vectors[vector], component as u32));
            }
        }
        self.numeric(ty, components)
    }
}

/// The location that the elements of a register share.
#[derive(Clone, Copy)]
struct SharedLocation {
    scalar: naga::Scalar,
    components: u8,
    interpolation: Interpolation,
}

/// Returns whether an element is passed in a location. Other system values may share the element's register.
fn has_location(element: &&SignatureElement) -> bool {
    matches!(
        element.system,
        SystemValue::Undefined
            | SystemValue::ClipDistance
            | SystemValue::CullDistance
            | SystemValue::RenderTargetArrayIndex
            | SystemValue::ViewportArrayIndex
    )
}

/// Returns the location of a register, up to the last used component. If floating-point numbers and integers
/// share a location, both are passed as bits.
fn shared(elements: &[SignatureElement], register: u32) -> Option<SharedLocation> {
    let elements = elements.iter().filter(|element| element.register == Some(register));
    shared_by(elements.filter(has_location))
}

/// Returns the location of the elements of a register.
fn shared_by<'e>(elements: impl Iterator<Item = &'e SignatureElement>) -> Option<SharedLocation> {
    let mut shared: Option<SharedLocation> = None;
    for element in elements {
        let scalar = register_scalar(element);
        let components = element.used_end();
        shared = Some(match shared {
            None => SharedLocation { scalar, components, interpolation: element.interpolation },
            Some(other) => SharedLocation {
                scalar: if other.scalar == scalar { scalar } else { naga::Scalar::U32 },
                components: other.components.max(components),
                interpolation: other.interpolation,
            },
        });
    }
    shared
}

/// Returns the component type of an element in a location.
fn register_scalar(element: &SignatureElement) -> naga::Scalar {
    match component_kind(element.scalar) {
        ComponentKind::Float => naga::Scalar::F32,
        ComponentKind::Int => naga::Scalar::I32,
        ComponentKind::Uint => naga::Scalar::U32,
    }
}

/// Returns the binding of a location with an interpolation mode.
fn varying(location: u32, interpolation: Interpolation) -> naga::Binding {
    let (kind, sampling) = if interpolation.flat {
        (naga::Interpolation::Flat, None)
    } else {
        let kind = if interpolation.without_perspective {
            naga::Interpolation::Linear
        } else {
            naga::Interpolation::Perspective
        };
        let sampling = if interpolation.sample {
            naga::Sampling::Sample
        } else if interpolation.centroid {
            naga::Sampling::Centroid
        } else {
            naga::Sampling::Center
        };
        (kind, Some(sampling))
    };
    naga::Binding::Location {
        location,
        interpolation: Some(kind),
        sampling,
        blend_src: None,
        per_primitive: false,
    }
}

/// Returns the binding of a vertex shader's input or of a render target.
fn plain(location: u32) -> naga::Binding {
    naga::Binding::Location {
        location,
        interpolation: None,
        sampling: None,
        blend_src: None,
        per_primitive: false,
    }
}

/// Returns the name of an element in the module, which is its semantic.
fn element_name(element: &SignatureElement) -> String {
    format!("{}{}", element.name, element.index)
}

#[cfg(test)]
mod tests {
    use crate::{CompileOptions, compile};

    #[test]
    fn a_position_is_not_part_of_its_registers_location() {
        let text = "void main(uint4 v : POSITION, out float t : TEXCOORD, out float3 p : SV_Position) { t = 1; p = 2; }";
        let compiled =
            compile(text, "a.hlsl", "main", "vs_4_0".parse().unwrap(), &CompileOptions::default()).unwrap();
        let wgsl = compiled.wgsl().unwrap();
        assert!(wgsl.contains("@location(0) TEXCOORD0_: f32"), "{wgsl}");
    }

    #[test]
    fn a_system_value_is_not_part_of_its_registers_location() {
        let text = "struct V { float4 p : SV_Position; nointerpolation uint id : ID; };
            float4 main(V v, uint pid : SV_PrimitiveID) : SV_Target { return v.id + pid; }";
        let compiled =
            compile(text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()).unwrap();
        let wgsl = compiled.wgsl().unwrap();
        assert!(wgsl.contains("@location(1) @interpolate(flat) ID0_: u32"), "{wgsl}");
    }
}
