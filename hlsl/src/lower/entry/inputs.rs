//! The arguments of an entry point, and the signature elements that they provide.

use naga::{BuiltIn, ScalarKind};

use crate::{
    check::tree::Numeric,
    interface::signature::{SignatureElement, SystemValue},
    lower::{
        builder::Builder,
        entry::{
            EntryPoint, SharedLocation, element_name, has_location, plain, register_scalar, shared, varying,
        },
        result::{Lowered, Value},
    },
    session::{hash::HashMap, profile::ShaderStage},
    syntax::builtin::Scalar,
};

/// The arguments that were added so far.
#[derive(Default)]
struct Arguments {
    /// The values of arguments, by location.
    locations: HashMap<u32, Value>,
    built_in: HashMap<u32, Value>,
    /// Whether the program runs once per sample.
    are_samples: bool,
}

/// Returns whether an element is evaluated at the pixel's centre.
fn is_at_center(element: &SignatureElement) -> bool {
    !element.interpolation.sample
}

impl Builder<'_, '_> {
    /// Returns the values of all input elements.
    pub(super) fn inputs(&mut self, entry: &EntryPoint<'_>) -> Lowered<Vec<Value>> {
        let mut arguments = Arguments::default();
        let mut values = Vec::new();
        let mut vertex_location = 0;
        let elements = &entry.signature.inputs;
        arguments.are_samples = entry.signature.runs_per_sample();
        for element in elements {
            let is_vertex_element = entry.profile.stage == ShaderStage::Vertex
                && matches!(element.system, SystemValue::Undefined | SystemValue::ClipDistance);
            let value = match element.system {
                // The vertex shader need not write an unused input, but input layouts contain all vertex
                // inputs.
                _ if element.used == 0 && !is_vertex_element => {
                    let ty = self.numeric_type(Numeric::vector(element.scalar, element.components));
                    self.zero_of(ty)
                }
                _ if has_location(&element) => {
                    if is_vertex_element {
                        let shared = SharedLocation {
                            scalar: register_scalar(element),
                            components: element.components,
                            interpolation: element.interpolation,
                        };
                        let argument =
                            self.location_argument(&element_name(element), shared, plain(vertex_location));
                        vertex_location += 1;
                        self.element(argument, shared, element)
                    } else {
                        let register = element.register.unwrap_or_default();
                        let Some(shared) = shared(elements, register) else { continue };
                        let argument = match arguments.locations.get(&register) {
                            Some(argument) => *argument,
                            None => self.location_argument(
                                &element_name(element),
                                shared,
                                varying(register, shared.interpolation),
                            ),
                        };
                        arguments.locations.insert(register, argument);
                        self.element(argument, shared, element)
                    }
                }
                _ => self.system_input(element, &mut arguments)?,
            };
            values.push(value);
        }
        Ok(values)
    }

    fn location_argument(&mut self, name: &str, shared: SharedLocation, binding: naga::Binding) -> Value {
        let ty = self.lowerer.vector_type(shared.scalar, shared.components.into());
        let argument = self.argument(name, ty);
        if let Some(argument) = self.function.arguments.last_mut() {
            argument.binding = Some(binding);
        }
        argument
    }

    /// Extracts an element from the location of its register. Components beyond the location are 0.
    pub(super) fn element(
        &mut self,
        argument: Value,
        shared: SharedLocation,
        element: &SignatureElement,
    ) -> Value {
        let wanted = register_scalar(element);
        let own = if element.start == 0 && element.components == shared.components {
            argument
        } else {
            let zero = self.lowerer.vector_type(shared.scalar, 1);
            let components = (element.start..element.start + element.components)
                .map(|component| match component < shared.components {
                    true => self.component(argument, component.into()),
                    false => self.zero_of(zero),
                })
                .collect();
            self.vector(shared.scalar, components)
        };
        let own = if shared.scalar == wanted { own } else { self.bitcast(own, wanted.kind) };
        if element.scalar == Scalar::Bool { self.cast(own, ScalarKind::Bool) } else { own }
    }

    pub(super) fn built_in(
        &mut self,
        name: &str,
        built_in: BuiltIn,
        scalar: naga::Scalar,
        size: usize,
    ) -> Value {
        let ty = self.lowerer.vector_type(scalar, size);
        let argument = self.argument(name, ty);
        if let Some(argument) = self.function.arguments.last_mut() {
            argument.binding = Some(naga::Binding::BuiltIn(built_in));
        }
        argument
    }

    fn system_input(&mut self, element: &SignatureElement, arguments: &mut Arguments) -> Lowered<Value> {
        let number = element.system as u32;
        let (built_in, scalar, size) = match element.system {
            SystemValue::Position => (BuiltIn::Position { invariant: false }, naga::Scalar::F32, 4),
            SystemValue::VertexId => (BuiltIn::VertexIndex, naga::Scalar::U32, 1),
            SystemValue::InstanceId => (BuiltIn::InstanceIndex, naga::Scalar::U32, 1),
            SystemValue::PrimitiveId => (BuiltIn::PrimitiveIndex, naga::Scalar::U32, 1),
            SystemValue::IsFrontFace => (BuiltIn::FrontFacing, naga::Scalar::BOOL, 1),
            SystemValue::SampleIndex => (BuiltIn::SampleIndex, naga::Scalar::U32, 1),
            SystemValue::Coverage => (BuiltIn::SampleMask, naga::Scalar::U32, 1),
            SystemValue::DispatchThreadId => (BuiltIn::GlobalInvocationId, naga::Scalar::U32, 3),
            SystemValue::GroupId => (BuiltIn::WorkGroupId, naga::Scalar::U32, 3),
            SystemValue::GroupThreadId => (BuiltIn::LocalInvocationId, naga::Scalar::U32, 3),
            SystemValue::GroupIndex => (BuiltIn::LocalInvocationIndex, naga::Scalar::U32, 1),
            _ => {
                return Err(self.unsupported(element.span, &super::missing::feature("input", &element.name)));
            }
        };
        let value = match arguments.built_in.get(&number) {
            Some(value) => *value,
            None => {
                let mut value = self.built_in(&element_name(element), built_in, scalar, size);
                if element.system == SystemValue::Position {
                    value = self.d3d_position(value, arguments.are_samples && is_at_center(element));
                }
                arguments.built_in.insert(number, value);
                value
            }
        };
        let wanted = Numeric::vector(element.scalar, element.components);
        if element.system == SystemValue::IsFrontFace {
            return Ok(self.front_face(value, element));
        }
        let from = if scalar == naga::Scalar::F32 { Scalar::Float } else { Scalar::Uint };
        let components = (0..element.components)
            .map(|component| {
                if usize::from(component) < size {
                    self.component(value, component.into())
                } else {
                    self.uint(0)
                }
            })
            .collect();
        let given = Numeric::vector(from, element.components);
        let value = self.numeric(given, components);
        Ok(self.convert(value, given, wanted))
    }

    /// Returns a pixel's position with Direct3D's `w`, the interpolated `w` of the vertices, because WGSL
    /// provides 1 / w. If `centered` is set, the position is that of the pixel's centre instead of the
    /// sample.
    fn d3d_position(&mut self, position: Value, centered: bool) -> Value {
        let mut components: Vec<Value> =
            (0..4).map(|component| self.component(position, component)).collect();
        if centered {
            let half = self.float(0.5);
            for place in components.iter_mut().take(2) {
                let pixel = self.math(naga::MathFunction::Floor, &[*place]);
                *place = self.binary(naga::BinaryOperator::Add, pixel, half);
            }
        }
        let one = self.float(1.0);
        if let Some(w) = components.last_mut() {
            *w = self.binary(naga::BinaryOperator::Divide, one, *w);
        }
        self.vector(naga::Scalar::F32, components)
    }

    /// Returns whether the front face is visible: as a `bool`, as all bits of an integer, or as the sign of a
    /// number. Further components are 0.
    fn front_face(&mut self, value: Value, element: &SignatureElement) -> Value {
        let (given, first) = if element.scalar == Scalar::Bool {
            (Scalar::Bool, value)
        } else {
            let (given, yes, no) = match register_scalar(element).kind {
                ScalarKind::Sint => (Scalar::Int, self.int(-1), self.int(0)),
                ScalarKind::Uint => (Scalar::Uint, self.uint(u32::MAX), self.uint(0)),
                _ => (Scalar::Float, self.float(1.0), self.float(-1.0)),
            };
            (given, self.select(value, yes, no))
        };
        let mut components = vec![first];
        for _ in 1..element.components {
            let zero = self.uint(0);
            components.push(self.convert(zero, Numeric::scalar(Scalar::Uint), Numeric::scalar(given)));
        }
        let given = Numeric::vector(given, element.components);
        let value = self.numeric(given, components);
        self.convert(value, given, Numeric::vector(element.scalar, element.components))
    }
}
