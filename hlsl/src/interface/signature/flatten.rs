//! Splits a parameter or a result into its elements, in the order of fields and array elements.

use super::{
    ComponentKind, ElementLayout, Interpolation, SignatureElement, component_kind, patches, registers,
    system::{self, SignaturePoint},
};
use crate::{
    check::tree::{Field, Function, Local, Numeric, Parameter, Program, Semantic, Type},
    interface::{bindings::RegisterClass, layout::vectors},
    session::{
        Session,
        code::Code,
        hash::{HashMap, HashSet},
        profile::Profile,
        source::Span,
    },
    syntax::{
        ast::ModifierFlags,
        builtin::{Object, Scalar, Shape},
    },
    text::token::Packing,
};

const MOST_ELEMENTS: usize = 128;
/// Maximum number of clip and cull distances of a vertex (D3D11: `D3D11_CLIP_OR_CULL_DISTANCE_COUNT`).
const MOST_DISTANCES: usize = 8;

#[derive(Clone, Copy)]
pub(super) struct SignatureItem<'a> {
    name: &'a str,
    span: Span,
    flags: ModifierFlags,
    packing: Packing,
}

impl<'a> SignatureItem<'a> {
    pub(super) fn parameter(local: &'a Local, parameter: &Parameter) -> Self {
        Self { name: &local.name, span: local.span, flags: parameter.flags, packing: parameter.packing }
    }

    pub(super) fn result(function: &Function) -> Self {
        let flags = ModifierFlags::empty();
        Self { name: "", span: function.span, flags, packing: function.result_packing }
    }

    fn field(self, field: &'a Field) -> Self {
        let flags = self.flags | field.flags;
        Self { name: &field.name, span: field.span, flags, packing: field.packing }
    }
}

pub(super) struct Flattener<'a> {
    session: &'a mut Session,
    program: &'a Program,
    function: &'a Function,
    profile: Profile,
    point: SignaturePoint,
    /// Whether the function writes the elements, which `point` does not determine because points between two
    /// stages are outputs of one stage and inputs of the next.
    output: bool,
    backwards_compatible: bool,
    elements: Vec<SignatureElement>,
    /// The element of each semantic, by lower-case name and index.
    known: HashMap<(String, u32), usize>,
    /// The spans that were already reported, so that each gets only one message.
    reported: HashSet<Span>,
    full: bool,
}

impl<'a> Flattener<'a> {
    pub(super) fn new(
        session: &'a mut Session,
        program: &'a Program,
        function: &'a Function,
        profile: Profile,
        (point, output): (SignaturePoint, bool),
        backwards_compatible: bool,
    ) -> Self {
        Self {
            session,
            program,
            function,
            profile,
            point,
            output,
            backwards_compatible,
            elements: Vec::new(),
            known: HashMap::default(),
            reported: HashSet::default(),
            full: false,
        }
    }

    pub(super) fn finish(mut self) -> Vec<SignatureElement> {
        let mut elements = std::mem::take(&mut self.elements);
        let is_generated = |system| patches::is_generated(self.point, system);
        registers::assign(&mut elements, self.point.shares_registers(), &is_generated);
        let is_target = |element: &&SignatureElement| element.system == system::SystemValue::Target;
        let registers =
            elements.iter().filter(|element| !is_target(element)).filter_map(|element| element.register);
        let count = registers.max().map_or(0, |last| last + 1);
        let limit = registers::most(self.profile, self.output);
        if count > limit && !self.full {
            let (code, way) =
                if self.output { (Code::MostOutputs, "output") } else { (Code::MostInputs, "input") };
            let message =
                format!("{} {way} limit ({limit}) exceeded, shader uses {count} {way}s", self.profile);
            self.session.error(code, self.function.span, message);
        }
        self.check_distances(&elements);
        elements
    }

    /// Checks the number of clip and cull distances, which have a common limit in Direct3D 11.
    fn check_distances(&mut self, elements: &[SignatureElement]) {
        use system::SystemValue as S;
        let is_distance =
            |element: &&SignatureElement| matches!(element.system, S::ClipDistance | S::CullDistance);
        let mut distances = elements.iter().filter(is_distance);
        let count: usize = distances.clone().map(|element| usize::from(element.components)).sum();
        let Some(last) = distances.next_back().filter(|_| count > MOST_DISTANCES) else { return };
        let code = if self.output { Code::MostOutputs } else { Code::MostInputs };
        let message = format!(
            "a vertex has {count} clip and cull distances; SV_ClipDistance and SV_CullDistance have at most \
             {MOST_DISTANCES} components together"
        );
        self.session.error(code, last.span, message);
    }

    /// Collects the elements of a value. The semantic of a structure or an array applies to all its elements,
    /// with increasing indices, and overrides the semantics of fields.
    pub(super) fn part(
        &mut self,
        ty: &Type,
        place: &SignatureItem<'a>,
        semantic: &mut Option<Semantic>,
        aligned: bool,
    ) -> ElementLayout {
        if self.full {
            return ElementLayout::Nothing;
        }
        match ty {
            Type::Numeric(numeric) => self.numeric(*numeric, place, semantic, aligned),
            Type::Array(array) => {
                let mut parts = Vec::new();
                for _ in 0..array.length {
                    parts.push(self.part(&array.element, place, semantic, true));
                    if self.full || matches!(parts.last(), Some(ElementLayout::Nothing)) {
                        return ElementLayout::Nothing;
                    }
                }
                ElementLayout::List(parts)
            }
            Type::Struct(id) => {
                let program = self.program;
                let fields = program[*id].fields.iter().enumerate();
                let parts = fields.map(|(index, field)| {
                    let place = place.field(field);
                    if semantic.is_some() {
                        self.part(&field.ty, &place, semantic, index == 0)
                    } else {
                        self.part(&field.ty, &place, &mut field.semantic.clone(), index == 0)
                    }
                });
                ElementLayout::List(parts.collect())
            }
            Type::Object(object) => {
                let stream = matches!(
                    object.kind,
                    Object::InputPatch
                        | Object::OutputPatch
                        | Object::PointStream
                        | Object::LineStream
                        | Object::TriangleStream
                );
                // An input may contain objects, because they are bound to registers.
                let is_bound = !self.output && RegisterClass::of(object.kind).is_some();
                if !stream && !is_bound && self.reported.insert(place.span) {
                    self.session.error(
                        Code::InvalidEntryType,
                        place.span,
                        format!(
                            "'{}': {} cannot be an input or output of a stage",
                            place.name,
                            object.kind.name()
                        ),
                    );
                }
                ElementLayout::Nothing
            }
            Type::Error | Type::Void | Type::String => ElementLayout::Nothing,
        }
    }

    fn numeric(
        &mut self,
        ty: Numeric,
        place: &SignatureItem<'a>,
        semantic: &mut Option<Semantic>,
        aligned: bool,
    ) -> ElementLayout {
        let Some(semantic) = semantic else {
            self.report_missing(place);
            return ElementLayout::Nothing;
        };
        let (count, components) = vectors(ty, place.packing);
        let mut elements = Vec::new();
        for _ in 0..count {
            let row = matches!(ty.shape, Shape::Matrix { .. }) && place.packing == Packing::RowMajor;
            let Some(element) =
                self.element(ty.scalar, components as u8, place, semantic, (aligned || count > 1, row))
            else {
                return ElementLayout::Nothing;
            };
            elements.push(element);
            semantic.index = semantic.index.saturating_add(1);
        }
        match (ty.shape, elements.as_slice()) {
            (Shape::Scalar | Shape::Vector(_), [element]) => ElementLayout::Element(*element),
            _ => ElementLayout::Matrix(ty, place.packing, elements),
        }
    }

    fn report_missing(&mut self, place: &SignatureItem<'a>) {
        if !self.reported.insert(place.span) {
            return;
        }
        let function = &self.function.name;
        let (code, message) = if place.name.is_empty() {
            (Code::MissingResultSemantic, format!("'{function}': function return value missing semantics"))
        } else {
            let way = if self.output { "output" } else { "input" };
            let message = format!("'{function}': {way} parameter '{}' missing semantics", place.name);
            (Code::MissingSemantic, message)
        };
        self.session.error(code, place.span, message);
    }

    /// Returns the index of an element, which is added unless one with the same semantic exists.
    fn element(
        &mut self,
        scalar: Scalar,
        components: u8,
        place: &SignatureItem<'a>,
        semantic: &Semantic,
        (aligned, row): (bool, bool),
    ) -> Option<usize> {
        let way = if self.output { "output" } else { "input" };
        let value =
            system::system_value(self.point, self.profile.model, &semantic.name, self.backwards_compatible);
        let system = match value {
            Ok(system) => system,
            Err(fault) => {
                if self.reported.insert(semantic.span) {
                    let hint = system::hint(self.session, fault, self.point, &semantic.name);
                    let message =
                        format!("invalid {} {way} semantic '{}'{hint}", self.profile, semantic.name);
                    self.session.error(Code::InvalidSemantic, semantic.span, message);
                }
                return None;
            }
        };
        if scalar == Scalar::Double {
            if self.reported.insert(place.span) {
                let message = format!("'{}': a double cannot be an input or output of a stage", place.name);
                self.session.error(Code::InvalidEntryType, place.span, message);
            }
            return None;
        }
        let key = (semantic.name.to_ascii_lowercase(), semantic.index);
        if let Some(known) = self.known.get(&key) {
            return self.again(*known, scalar, (components, row), semantic);
        }
        if self.output && self.elements.iter().any(|other| system.excludes(other.system)) {
            if self.reported.insert(semantic.span) {
                let message =
                    format!("output {} used more than once: it is one scalar or vector", semantic.name);
                self.session.error(Code::DuplicateSemantic, semantic.span, message);
            }
            return None;
        }
        if self.elements.len() == MOST_ELEMENTS {
            self.full = true;
            let message = format!("too many {way} values: at most {MOST_ELEMENTS} are allowed");
            let code = if self.output { Code::MostOutputs } else { Code::MostInputs };
            self.session.error(code, place.span, message);
            return None;
        }
        let place_in_list = self.elements.len();
        self.known.insert(key, place_in_list);
        self.elements.push(SignatureElement {
            name: semantic.name.clone(),
            index: semantic.index,
            system,
            scalar,
            components,
            register: None,
            start: 0,
            interpolation: interpolation(place.flags, scalar),
            used: (1 << components) - 1,
            stream: 0,
            // Each tessellation factor begins a register.
            aligned: aligned || patches::is_factor(system),
            row,
            span: semantic.span,
        });
        Some(place_in_list)
    }

    /// Handles a repeated semantic: a repeated input refers to the existing element, but a repeated output is
    /// an error.
    fn again(
        &mut self,
        known: usize,
        scalar: Scalar,
        (components, row): (u8, bool),
        semantic: &Semantic,
    ) -> Option<usize> {
        let element = &self.elements[known];
        let (name, index) = (&semantic.name, semantic.index);
        let message = if self.output {
            format!("output {name}{index} used more than once")
        } else if element.components != components
            || element.row != row
            || kind(element.scalar) != kind(scalar)
        {
            format!("input {name}{index} used more than once with different types")
        } else {
            return Some(known);
        };
        let span = element.span;
        if self.reported.insert(semantic.span) {
            self.session.error(Code::DuplicateSemantic, semantic.span, message);
            self.session.note(span, "the first one is here");
        }
        None
    }
}

/// Returns whether a component type is floating-point, because the types of repeated inputs must agree in
/// this property.
fn kind(scalar: Scalar) -> bool {
    component_kind(scalar) == ComponentKind::Float
}

fn interpolation(flags: ModifierFlags, scalar: Scalar) -> Interpolation {
    let has = |flag| flags.contains(flag);
    if has(ModifierFlags::NO_INTERPOLATION) || component_kind(scalar) != ComponentKind::Float {
        return Interpolation { flat: true, ..Interpolation::default() };
    }
    let without_perspective = has(ModifierFlags::NO_PERSPECTIVE);
    let sample = has(ModifierFlags::SAMPLE);
    Interpolation {
        flat: false,
        without_perspective,
        centroid: !sample && has(ModifierFlags::CENTROID),
        sample,
    }
}
