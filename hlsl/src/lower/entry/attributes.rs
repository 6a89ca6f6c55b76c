//! Attributes at other positions in the pixel: `EvaluateAttributeAtSample` and similar functions.
//!
//! naga has no such operation. However, an attribute without perspective is linear in screen space, and any
//! other attribute is linear after multiplication by 1 / w. The entry point therefore first computes the
//! values at the pixel's centre and their screen-space derivatives, where control flow is still uniform in
//! each quad, and stores them in variables. The value at another position follows from these variables, exact
//! except for rounding.

use naga::{BinaryOperator as Op, MathFunction as Math};

use crate::{
    check::tree::{Expr, ExprKind, FunctionId, Intrinsic, LocalId, Numeric, visit},
    interface::signature::{ElementLayout, SignatureElement},
    lower::{
        builder::{Builder, LocalStorage},
        entry::{SharedLocation, has_location, plane_variables::PrivateVariable, shared},
        lowerer::Lowerer,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

/// The position where an attribute is evaluated.
#[derive(Clone, Copy)]
enum EvaluationPoint {
    /// An offset from the pixel's centre, in pixels.
    Offset([Value; 2]),
    /// The adapter's own value at the centroid.
    Given,
}

/// Returns the part of a parameter that an expression selects with fields and known indices.
fn chosen<'p>(builder: &Builder<'_, '_>, part: &'p ElementLayout, expr: &Expr) -> &'p ElementLayout {
    let (base, index) = match &*expr.kind {
        ExprKind::Field(base, field) => (base, Some(i64::from(*field))),
        ExprKind::Index(base, index) => (base, builder.known_integer(index)),
        ExprKind::Swizzle(base, _) | ExprKind::Elements(base, _) => return chosen(builder, part, base),
        _ => return part,
    };
    let part = chosen(builder, part, base);
    match (part, index.and_then(|index| usize::try_from(index).ok())) {
        (ElementLayout::List(parts), Some(index)) => parts.get(index).unwrap_or(part),
        _ => part,
    }
}

/// Marks the elements of a part.
fn mark(part: &ElementLayout, marked: &mut [bool]) {
    let mut set = |element: usize| marked.iter_mut().skip(element).take(1).for_each(|place| *place = true);
    match part {
        ElementLayout::Element(element) => set(*element),
        ElementLayout::Matrix(_, _, elements) => elements.iter().for_each(|element| set(*element)),
        ElementLayout::List(parts) => parts.iter().for_each(|part| mark(part, marked)),
        ElementLayout::Vertices(vertex) => mark(vertex, marked),
        ElementLayout::Nothing => {}
    }
}

impl<'a> Lowerer<'a> {
    /// Returns the parameter of the entry point that an expression is part of, with the layout of the
    /// parameter.
    fn parameter(&self, function: Option<FunctionId>, expr: &Expr) -> Option<(LocalId, &'a ElementLayout)> {
        let (entry, signature) = self.entry?;
        let ExprKind::Local(local) = *visit::root(expr).kind else { return None };
        if function != Some(entry) {
            return None;
        }
        let parameters = self.program[entry].parameters.iter().zip(&signature.parameters);
        let mut found = parameters.filter(|(parameter, _)| parameter.local == local);
        let (_, (input, _)) = found.next()?;
        Some((local, input.as_ref()?))
    }
}

impl Builder<'_, '_> {
    /// Lowers `EvaluateAttributeAtSample`, `EvaluateAttributeCentroid` and `EvaluateAttributeSnapped`.
    pub(crate) fn evaluate_attribute(
        &mut self,
        which: Intrinsic,
        attribute: &Expr,
        place: Option<&Expr>,
        span: Span,
    ) -> Lowered<Value> {
        let parameter = self.lowerer.parameter(self.source, attribute);
        let Some((local, part)) = parameter.filter(|(local, _)| !self.facts.assigned.contains(local)) else {
            return Err(self.unsupported(
                attribute.span,
                &format!("{} of a copy; name the parameter of the entry point itself", which.name()),
            ));
        };
        let Some((_, signature)) = self.lowerer.entry else {
            return Err(self.unsupported(span, which.name()));
        };
        let mut wanted = vec![false; signature.inputs.len()];
        mark(chosen(self, part, attribute), &mut wanted);
        let target = match (which, place) {
            (Intrinsic::EvaluateAttributeAtSample, Some(sample)) => {
                let sample = self.value_of(sample, Numeric::scalar(Scalar::Uint))?;
                let count = self.target_sample_count();
                let position = self.position_of(sample, count);
                EvaluationPoint::Offset([0, 1].map(|axis| self.component(position, axis)))
            }
            (Intrinsic::EvaluateAttributeSnapped, Some(offset)) => {
                EvaluationPoint::Offset(self.snapped(offset)?)
            }
            _ if signature.runs_per_sample() => EvaluationPoint::Given,
            _ => self.centroid(),
        };
        let mut values = Vec::new();
        for (element, is_wanted) in signature.inputs.iter().zip(&wanted) {
            let value = if *is_wanted {
                self.evaluated(element, target, (local, attribute), span)?
            } else {
                let ty = self.numeric_type(Numeric::vector(element.scalar, element.components));
                self.zero_of(ty)
            };
            values.push((value, element));
        }
        let root = visit::root(attribute);
        let value = self.put_together(part, &root.ty, &values, span)?;
        let ty = self.ty(&root.ty, span)?;
        let variable = self.variable("evaluated", ty);
        self.store(variable, value);
        // The expression is evaluated with the parameter's value at the other position.
        let before = self.locals.insert(local, LocalStorage::Pointer(variable));
        let value = self.expr(attribute);
        match before {
            Some(before) => self.locals.insert(local, before),
            None => self.locals.remove(&local),
        };
        value
    }

    /// Returns an input element at another position.
    fn evaluated(
        &mut self,
        element: &SignatureElement,
        target: EvaluationPoint,
        (local, attribute): (LocalId, &Expr),
        span: Span,
    ) -> Lowered<Value> {
        let Some((location, signature)) = element
            .register
            .filter(|_| has_location(&element))
            .zip(self.lowerer.entry.map(|(_, signature)| signature))
        else {
            let words = format!("an attribute that is {}", element.name);
            return Err(self.unsupported(span, &words));
        };
        let Some(shared) = shared(&signature.inputs, location) else {
            return Err(self.unsupported(span, "an attribute in no register"));
        };
        let interpolation = shared.interpolation;
        let register = match target {
            _ if interpolation.flat => {
                let plane = self.lowerer.plane(location, shared);
                plane.first().map(|value| self.load_private(*value))
            }
            EvaluationPoint::Given => {
                Some(self.given_centroid(location, shared, (local, attribute), span)?)
            }
            EvaluationPoint::Offset(_) if interpolation.centroid => {
                let words = "an attribute that is centroid, at another place; declare it without";
                return Err(self.unsupported(span, words));
            }
            EvaluationPoint::Offset(offset) => {
                let plane = self.lowerer.plane(location, shared);
                let moved = self.at_offset(&plane, offset);
                Some(if interpolation.without_perspective {
                    moved
                } else {
                    let reciprocal = self.lowerer.reciprocal();
                    let reciprocal = self.at_offset(&reciprocal, offset);
                    let reciprocal = self.splat(shared.components.into(), reciprocal);
                    self.binary(Op::Divide, moved, reciprocal)
                })
            }
        };
        let Some(register) = register else {
            return Err(self.unsupported(span, "an attribute without a value"));
        };
        Ok(self.element(register, shared, element))
    }

    /// Returns a value at an offset from the pixel's centre.
    fn at_offset(&mut self, plane: &[PrivateVariable], offset: [Value; 2]) -> Value {
        let mut values: Vec<_> = plane.iter().map(|variable| self.load_private(*variable)).collect();
        let changes = values.split_off(1);
        let mut value = values[0];
        for (change, offset) in changes.into_iter().zip(offset) {
            let step = self.binary(Op::Multiply, change, offset);
            value = self.binary(Op::Add, value, step);
        }
        value
    }

    /// Returns an offset that is given in sixteenths of a pixel. Only the lower four bits are used.
    fn snapped(&mut self, offset: &Expr) -> Lowered<[Value; 2]> {
        let offset = self.value_of(offset, Numeric::vector(Scalar::Int, 2))?;
        Ok([0, 1].map(|axis| {
            let offset = self.component(offset, axis);
            let (eight, fifteen) = (self.int(8), self.int(15));
            let raised = self.binary(Op::Add, offset, eight);
            let bits = self.binary(Op::And, raised, fifteen);
            let snapped = self.binary(Op::Subtract, bits, eight);
            let float = self.convert(snapped, Numeric::scalar(Scalar::Int), Numeric::scalar(Scalar::Float));
            let sixteenth = self.float(1.0 / 16.0);
            self.binary(Op::Multiply, float, sixteenth)
        }))
    }

    /// Returns the centroid: the pixel's centre if all samples are covered, and the first covered sample
    /// otherwise.
    fn centroid(&mut self) -> EvaluationPoint {
        let variable = match self.lowerer.attributes.coverage {
            Some(variable) => variable,
            None => {
                let ty = self.lowerer.vector_type(naga::Scalar::U32, 1);
                let variable = self.lowerer.private("covered_samples".to_owned(), ty);
                self.lowerer.attributes.coverage = Some(variable);
                variable
            }
        };
        let coverage = self.load_private(variable);
        let count = self.target_sample_count();
        let one = self.uint(1);
        let above = self.binary(Op::ShiftLeft, one, count);
        let all = self.binary(Op::Subtract, above, one);
        let covered = self.binary(Op::And, coverage, all);
        let first = self.math(Math::FirstTrailingBit, &[covered]);
        let position = self.position_of(first, count);
        let is_whole = self.binary(Op::Equal, covered, all);
        let zero = self.number(0.0, Numeric::vector(Scalar::Float, 2));
        let position = self.select(is_whole, zero, position);
        EvaluationPoint::Offset([0, 1].map(|axis| self.component(position, axis)))
    }

    /// Returns the adapter's value at the centroid. A program that runs per sample needs it, because it
    /// cannot read which samples of the pixel are covered. The attribute must not be used in any other way.
    fn given_centroid(
        &mut self,
        location: u32,
        shared: SharedLocation,
        (local, attribute): (LocalId, &Expr),
        span: Span,
    ) -> Lowered<Value> {
        let is_alone = matches!(*attribute.kind, ExprKind::Local(_)) && self.is_for_centroids(local);
        let holds_others = self.lowerer.entry.is_some_and(|(_, signature)| {
            let elements = signature.inputs.iter().filter(has_location);
            elements.filter(|element| element.register == Some(location)).count() > 1
        });
        if !shared.interpolation.centroid && (!is_alone || holds_others) {
            let words = "a centroid in a program that runs for each sample; declare the attribute centroid";
            return Err(self.unsupported(span, words));
        }
        let variable = match self.lowerer.attributes.centroids.get(&location) {
            Some(variable) => *variable,
            None => {
                let ty = self.lowerer.vector_type(shared.scalar, shared.components.into());
                let variable = self.lowerer.private(format!("centroid{location}"), ty);
                self.lowerer.attributes.centroids.insert(location, variable);
                variable
            }
        };
        Ok(self.load_private(variable))
    }

    /// Returns whether the entry point uses a parameter only in calls of `EvaluateAttributeCentroid`.
    fn is_for_centroids(&self, local: LocalId) -> bool {
        let Some((entry, _)) = self.lowerer.entry else { return false };
        let Some(body) = &self.lowerer.program[entry].body else { return false };
        let is_it = |expr: &Expr| matches!(*expr.kind, ExprKind::Local(id) if id == local);
        let (mut uses, mut centroids) = (0, 0);
        visit::statements(&body.statements, &mut |expr| {
            uses += usize::from(is_it(expr));
            if let ExprKind::Intrinsic(Intrinsic::EvaluateAttributeAtCentroid, arguments) = &*expr.kind {
                centroids += usize::from(arguments.first().is_some_and(is_it));
            }
        });
        uses == centroids
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::{Code, CompileOptions, compile};

    /// Compiles a pixel shader. Returns WGSL, or the first error.
    fn pixel(parameters: &str, body: &str) -> Result<String, String> {
        let text = format!("float4 main({parameters}) : SV_Target {{ {body} }}");
        match compile(&text, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &CompileOptions::default()) {
            Ok(compiled) => Ok(compiled.wgsl().unwrap()),
            Err(errors) => {
                let first = errors.errors().next().unwrap();
                assert_eq!(first.code, Code::Unsupported, "{first}");
                Err(first.message.clone())
            }
        }
    }

    #[test]
    fn evaluating_an_unsupported_attribute_is_refused() {
        for (parameters, body, words) in [
            ("float4 a : A", "float4 b = a; return EvaluateAttributeAtSample(b, 1);", "of a copy"),
            ("float4 a : A", "a += 1; return EvaluateAttributeSnapped(a, 1);", "of a copy"),
            ("float4 a : SV_Position", "return EvaluateAttributeAtSample(a, 1);", "that is SV_Position"),
            ("centroid float4 a : A", "return EvaluateAttributeAtSample(a, 1);", "that is centroid"),
            (
                "float4 a : A, uint i : SV_SampleIndex",
                "return a * i + EvaluateAttributeCentroid(a);",
                "a centroid in a program that runs for each sample",
            ),
        ] {
            let refused = pixel(parameters, body).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn per_sample_program_uses_the_adapters_centroid() {
        let text = pixel("float4 a : A, uint i : SV_SampleIndex", "return i + EvaluateAttributeCentroid(a);")
            .unwrap();
        assert!(text.contains("@interpolate(perspective, centroid)"), "{text}");
        assert!(!text.contains("sample_mask"), "{text}");
        let text = pixel("float4 a : A", "return EvaluateAttributeCentroid(a);").unwrap();
        assert!(text.contains("@builtin(sample_mask)") && !text.contains("centroid)"), "{text}");
    }

    #[test]
    fn each_system_value_has_one_argument() {
        let text = pixel(
            "float4 p : SV_Position, sample float4 a : A, uint i : SV_SampleIndex",
            "return p + EvaluateAttributeAtSample(a, i);",
        );
        let text = text.unwrap();
        assert_eq!(text.matches("@builtin(position)").count(), 1, "{text}");
        assert_eq!(text.matches("@builtin(sample_index)").count(), 1, "{text}");
    }
}
