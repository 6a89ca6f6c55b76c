//! Plane equations of attributes, which the entry point computes at its start.

use naga::{
    AddressSpace, BinaryOperator as Op, Binding, BuiltIn, DerivativeAxis as Axis,
    DerivativeControl as Control, Expression, GlobalVariable, Handle, MathFunction as Math,
    MemoryDecorations, Sampling,
};

use crate::lower::{
    builder::Builder,
    entry::{
        EntryPoint, SharedLocation,
        plane_variables::{Attributes, Plane, PrivateVariable},
        shared,
    },
    lowerer::Lowerer,
    result::Value,
};

impl Lowerer<'_> {
    pub(super) fn private(&mut self, name: String, ty: Handle<naga::Type>) -> PrivateVariable {
        let variable = GlobalVariable {
            name: Some(name),
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        };
        self.module.global_variables.append(variable, naga::Span::UNDEFINED)
    }

    /// Returns the variables of a location. Adds them if necessary.
    pub(super) fn plane(&mut self, location: u32, shared: SharedLocation) -> Vec<PrivateVariable> {
        if let Some(plane) = self.attributes.planes.get(&location) {
            return plane.clone();
        }
        let ty = self.vector_type(shared.scalar, shared.components.into());
        let names: &[&str] = if shared.interpolation.flat { &[""] } else { &["", "_x", "_y"] };
        let plane: Vec<_> =
            names.iter().map(|name| self.private(format!("attribute{location}{name}"), ty)).collect();
        self.attributes.planes.insert(location, plane.clone());
        plane
    }

    pub(super) fn reciprocal(&mut self) -> Plane {
        if let Some(plane) = self.attributes.reciprocal {
            return plane;
        }
        let ty = self.vector_type(naga::Scalar::F32, 1);
        let plane = ["", "_x", "_y"].map(|name| self.private(format!("reciprocal_w{name}"), ty));
        self.attributes.reciprocal = Some(plane);
        plane
    }
}

impl Builder<'_, '_> {
    pub(super) fn load_private(&mut self, variable: PrivateVariable) -> Value {
        let pointer = self.add(Expression::GlobalVariable(variable));
        self.load(pointer)
    }

    fn store_private(&mut self, variable: PrivateVariable, value: Value) {
        let pointer = self.add(Expression::GlobalVariable(variable));
        self.store(pointer, value);
    }

    /// Sets the variables of all evaluated attributes. The code belongs to the start of the entry point.
    pub(super) fn set_attributes(&mut self, entry: &EntryPoint<'_>) {
        let Attributes { planes, reciprocal, coverage, centroids } =
            std::mem::take(&mut self.lowerer.attributes);
        if let Some(coverage) = coverage {
            let value = self.built_in_argument("covered", BuiltIn::SampleMask, naga::Scalar::U32, 1);
            self.store_private(coverage, value);
        }
        for (location, variable) in centroids {
            let Some(value) = self.location_value(location, Some(Sampling::Centroid)) else { continue };
            self.store_private(variable, value);
        }
        let reciprocal = reciprocal.map(|plane| self.set_reciprocal(plane));
        for (location, plane) in planes {
            let Some(shared) = shared(&entry.signature.inputs, location) else { continue };
            let Some(value) = self.location_value(location, None) else { continue };
            match *plane.as_slice() {
                [value_at, x, y] => {
                    let plane = [value_at, x, y];
                    self.set_plane(plane, value, shared, reciprocal);
                }
                _ => plane.iter().for_each(|variable| self.store_private(*variable, value)),
            }
        }
    }

    /// Sets the plane of an attribute.
    fn set_plane(
        &mut self,
        plane: Plane,
        value: Value,
        shared: SharedLocation,
        reciprocal: Option<[Value; 3]>,
    ) {
        let interpolation = shared.interpolation;
        let from_center = interpolation.sample.then(|| self.own_sample());
        let mut value = value;
        if let Some([mut factor, changes @ ..]) = reciprocal.filter(|_| !interpolation.without_perspective) {
            for (change, offset) in changes.into_iter().zip(from_center.into_iter().flatten()) {
                let step = self.binary(Op::Multiply, change, offset);
                factor = self.binary(Op::Add, factor, step);
            }
            value = self.binary(Op::Multiply, value, factor);
        }
        self.set_linear(plane, value, from_center);
    }

    /// Sets a plane from a value that is linear in screen space. `from_center` is the offset of the value's
    /// position from the pixel's centre.
    fn set_linear(&mut self, plane: Plane, value: Value, from_center: Option<[Value; 2]>) -> [Value; 3] {
        let changes = [Axis::X, Axis::Y].map(|axis| self.change(value, axis, Control::None));
        let mut center = value;
        for (change, offset) in changes.into_iter().zip(from_center.into_iter().flatten()) {
            let step = self.binary(Op::Multiply, change, offset);
            center = self.binary(Op::Subtract, center, step);
        }
        let values = [center, changes[0], changes[1]];
        plane.into_iter().zip(values).for_each(|(variable, value)| self.store_private(variable, value));
        values
    }

    /// Sets the plane of 1 / w, which is the fourth component of naga's position. If the program runs per
    /// sample, most APIs provide the sample's position and some the pixel's, so the offset is computed from
    /// the position.
    fn set_reciprocal(&mut self, plane: Plane) -> [Value; 3] {
        let position =
            self.built_in_argument("position", BuiltIn::Position { invariant: false }, naga::Scalar::F32, 4);
        let from_center = [0, 1].map(|axis| {
            let place = self.component(position, axis);
            let corner = self.math(Math::Floor, &[place]);
            let inside = self.binary(Op::Subtract, place, corner);
            let half = self.float(0.5);
            self.binary(Op::Subtract, inside, half)
        });
        let reciprocal = self.component(position, 3);
        self.set_linear(plane, reciprocal, Some(from_center))
    }

    /// Returns the position of the sample that the program runs for.
    fn own_sample(&mut self) -> [Value; 2] {
        let sample = self.built_in_argument("sample_number", BuiltIn::SampleIndex, naga::Scalar::U32, 1);
        let count = self.target_sample_count();
        let position = self.position_of(sample, count);
        [0, 1].map(|axis| self.component(position, axis))
    }

    /// Returns the argument of a location. If `other` is given, it becomes the location's interpolation mode.
    fn location_value(&mut self, wanted: u32, other: Option<Sampling>) -> Option<Value> {
        let arguments = &mut self.function.arguments;
        let (index, sampling) =
            (0..).zip(arguments).find_map(|(index, argument)| match &mut argument.binding {
                Some(Binding::Location { location, sampling, .. }) if *location == wanted => {
                    Some((index, sampling))
                }
                _ => None,
            })?;
        if other.is_some() {
            *sampling = other;
        }
        Some(self.add(Expression::FunctionArgument(index)))
    }

    /// Returns the argument of a system value. Adds it if necessary, because each system value may have only
    /// one argument.
    fn built_in_argument(
        &mut self,
        name: &str,
        built_in: BuiltIn,
        scalar: naga::Scalar,
        size: usize,
    ) -> Value {
        let binding = Binding::BuiltIn(built_in);
        let mut arguments = (0..).zip(&self.function.arguments);
        let made = arguments.find(|(_, argument)| argument.binding.as_ref() == Some(&binding));
        match made.map(|(index, _)| index) {
            Some(index) => self.add(Expression::FunctionArgument(index)),
            None => self.built_in(name, built_in, scalar, size),
        }
    }
}
