use super::{MOST_POINTS, StageChecker};
use crate::{
    check::tree::{Attribute, AttributeValue, Direction, FunctionId, ObjectType, Type},
    interface::signature::{passed_patch, patch},
    session::source::Span,
    syntax::builtin::Object,
};

const DOMAINS: [(&str, &[&str]); 3] = [
    ("isoline", &["point", "line"]),
    ("tri", &["point", "triangle_cw", "triangle_ccw"]),
    ("quad", &["point", "triangle_cw", "triangle_ccw"]),
];

const PARTITIONINGS: [&str; 4] = ["integer", "pow2", "fractional_even", "fractional_odd"];

impl<'a> StageChecker<'a> {
    pub(super) fn hull(&mut self, entry: FunctionId) {
        let domain = self.domain_attribute();
        let topologies = DOMAINS.iter().find(|(name, _)| Some(*name) == domain);
        if let Some(attribute) = self.required("outputtopology") {
            let all = ["point", "line", "triangle_cw", "triangle_ccw"];
            self.word(attribute, topologies.map_or(&all, |(_, topologies)| topologies));
        }
        if let Some(attribute) = self.required("partitioning") {
            self.word(attribute, &PARTITIONINGS);
        }
        let points = self.required("outputcontrolpoints");
        let points = points.and_then(|attribute| self.number(attribute, 0, MOST_POINTS.into()));
        let input = self.control_points();
        if let (Some(passed), Some(points)) = (passed_patch(self.function), points)
            && ![0, passed.count].contains(&points)
        {
            let message = format!(
                "a hull shader without outputs passes its {} control points on, but outputcontrolpoints is {points}",
                passed.count
            );
            self.error(self.function.span, message);
        }
        if let Some(attribute) = self.required("patchconstantfunc") {
            self.patch_constants(attribute, entry, input, points);
        }
    }

    pub(super) fn domain_attribute(&mut self) -> Option<&'static str> {
        let domains: Vec<_> = DOMAINS.iter().map(|(name, _)| *name).collect();
        self.required("domain").and_then(|attribute| self.word(attribute, &domains))
    }

    fn word<'w>(&mut self, attribute: &Attribute, words: &[&'w str]) -> Option<&'w str> {
        let found = match &attribute.arguments[..] {
            [AttributeValue::Text(text)] => words.iter().find(|word| word.eq_ignore_ascii_case(text)),
            _ => None,
        };
        if found.is_none() {
            let message =
                format!("the attribute {} takes one of: \"{}\"", attribute.name, words.join("\", \""));
            self.error(attribute.span, message);
        }
        found.copied()
    }

    fn control_points(&mut self) -> Option<&'a ObjectType> {
        let mut input = None;
        for parameter in &self.function.parameters {
            let span = self.span(parameter);
            if parameter.direction != Direction::In {
                self.error(span, "a hull shader gives a control point as its result, not in out parameters");
            }
            let Some(object) = patch(self.ty(parameter)) else { continue };
            if object.kind == Object::OutputPatch {
                self.error(span, "an OutputPatch is only for the patch constant function");
            } else if input.is_some() {
                self.error(span, "a hull shader takes one patch only");
            } else {
                self.points(object, span);
                input = Some(object);
            }
        }
        input
    }

    /// Checks the patch constant function, which is the last one with a body if several functions have its
    /// name.
    fn patch_constants(
        &mut self,
        attribute: &Attribute,
        entry: FunctionId,
        input: Option<&ObjectType>,
        points: Option<u32>,
    ) {
        let [AttributeValue::Text(name)] = &attribute.arguments[..] else {
            return self
                .error(attribute.span, "the attribute patchconstantfunc takes the name of a function");
        };
        let program = self.program;
        let Some(id) = program.entry(name) else {
            return self.error(attribute.span, format!("there is no function '{name}' with a body"));
        };
        if id == entry {
            return self.error(attribute.span, "the patch constant function must be another function");
        }
        let function = &program[id];
        for parameter in &function.parameters {
            let local = function.local(parameter.local);
            let fault = match patch(&local.ty) {
                _ if parameter.uniform => Some("the patch constant function has no uniform parameters"),
                Some(object) if object.kind == Object::InputPatch => {
                    let differs = input.is_some_and(|input| {
                        (&input.element, input.count) != (&object.element, object.count)
                    });
                    differs.then_some("its InputPatch must be that of the hull shader")
                }
                Some(object) => {
                    let passed = passed_patch(self.function).and_then(|object| object.element.as_ref());
                    let differs = object.element.as_ref() != Some(passed.unwrap_or(&self.function.result))
                        || points.is_some_and(|points| points != object.count);
                    differs.then_some("its OutputPatch must be of the hull shader's control points")
                }
                None => {
                    let needs = matches!(local.ty, Type::Numeric(_)) && parameter.semantic.is_none();
                    needs.then_some("a parameter of the patch constant function needs a semantic")
                }
            };
            if let Some(fault) = fault {
                let span: Span = local.span;
                self.error(span, format!("'{}': {fault}", local.name));
            }
        }
    }
}
