//! Rules of the stages for primitives, streams, patches and attributes, which the signature does not cover.

mod geometry;
mod hull;
#[cfg(test)]
mod tests;

use crate::{
    Profile, ShaderStage,
    check::{
        evaluate,
        tree::{
            Attribute, AttributeValue, Expr, ExprKind, Function, FunctionId, GlobalId, ObjectType, Parameter,
            Program, Storage, Type, visit,
        },
    },
    interface::{
        bindings::Usage,
        entry::{Entry, ParameterOrigin},
        signature::{patch, stream},
    },
    session::{Session, code::Code, source::Span},
    syntax::builtin::Object,
};

const MOST_POINTS: u32 = 32;

pub(crate) fn check(
    session: &mut Session,
    program: &Program,
    usage: &Usage,
    function: FunctionId,
    profile: Profile,
    entry: &Entry,
) {
    let mut checker = StageChecker { session, program, function: &program[function], profile };
    checker.global_streams(&entry.origins);
    if profile.stage == ShaderStage::Compute && !profile.is_5() {
        checker.shared_elements(usage, entry.threads);
    }
    match profile.stage {
        ShaderStage::Geometry => checker.geometry(usage),
        ShaderStage::Hull => checker.hull(function),
        ShaderStage::Domain => checker.domain(),
        ShaderStage::Vertex | ShaderStage::Pixel | ShaderStage::Compute => checker.no_primitives(),
    }
}

struct StageChecker<'a> {
    session: &'a mut Session,
    program: &'a Program,
    function: &'a Function,
    profile: Profile,
}

impl<'a> StageChecker<'a> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        let name = &self.function.name;
        self.session.error(Code::StageRule, span, format!("'{name}': {}", message.into()));
    }

    fn ty(&self, parameter: &Parameter) -> &'a Type {
        &self.function.local(parameter.local).ty
    }

    fn span(&self, parameter: &Parameter) -> Span {
        self.function.local(parameter.local).span
    }

    /// Reports streams that are not parameters, because only geometry shaders have streams.
    fn global_streams(&mut self, origins: &[ParameterOrigin]) {
        let program = self.program;
        for (id, global) in (0..).map(GlobalId).zip(&program.globals) {
            let is_parameter = origins.iter().any(|origin| origin.global() == Some(id));
            if !is_parameter && stream(program, &global.ty).is_some() {
                self.error(global.span, "streams can only be parameters of a geometry shader");
            }
        }
    }

    /// Before Shader Model 5, a `groupshared` array must have one element for each thread of the group.
    fn shared_elements(&mut self, usage: &Usage, threads: [u32; 3]) {
        let threads = threads.iter().fold(1_u32, |product, count| product.saturating_mul(*count));
        let mut shared: Vec<_> = usage.globals.iter().map(|id| &self.program[*id]).collect();
        shared.retain(|global| global.storage == Storage::GroupShared);
        shared.sort_by_key(|global| global.span.start);
        for global in shared {
            if !matches!(&global.ty, Type::Array(array) if array.length >= threads) {
                let message = format!(
                    "a groupshared variable is an array of an element for each of {threads} threads before shader \
                     model 5.0"
                );
                self.error(global.span, message);
            }
        }
        if threads > 1 {
            self.shared_stores(usage);
        }
    }

    /// Before Shader Model 5, a thread may store only to its own element, whose index is `SV_GroupIndex`.
    fn shared_stores(&mut self, usage: &Usage) {
        let program = self.program;
        let mut wrong = Vec::new();
        for body in usage.functions.iter().filter_map(|id| program[*id].body.as_ref()) {
            visit::statements(&body.statements, &mut |expr| {
                visit::targets(program, expr, &mut |target| {
                    if is_shared_literal(program, target) {
                        wrong.push(target.span);
                    }
                });
            });
        }
        for span in wrong {
            let message = "before shader model 5.0, a thread stores to the element of its SV_GroupIndex only";
            self.error(span, message);
        }
    }

    /// Reports primitives and streams, which are only allowed in geometry shaders, and patches, which are
    /// only allowed in geometry, hull and domain shaders.
    fn no_primitives(&mut self) {
        for parameter in &self.function.parameters {
            let span = self.span(parameter);
            if parameter.primitive.is_some() {
                self.error(span, "only a geometry shader takes primitives");
            } else if patch(self.ty(parameter)).is_some() {
                self.error(span, format!("a {} cannot take patches", self.profile.stage.name()));
            } else if stream(self.program, self.ty(parameter)).is_some() {
                self.error(span, "only a geometry shader has streams");
            }
        }
    }

    /// Checks that a domain shader has a domain and at most one patch parameter, the output of the hull shader.
    fn domain(&mut self) {
        self.domain_attribute();
        let mut patches = 0;
        for parameter in &self.function.parameters {
            let span = self.span(parameter);
            let Some(object) = patch(self.ty(parameter)) else { continue };
            patches += 1;
            if object.kind != Object::OutputPatch {
                self.error(span, "a domain shader takes an OutputPatch, not an InputPatch");
            } else if patches > 1 {
                self.error(span, "a domain shader takes one patch only");
            } else {
                self.points(object, span);
            }
        }
    }

    fn points(&mut self, object: &ObjectType, span: Span) {
        if !(1..=MOST_POINTS).contains(&object.count) {
            let message = format!("a patch has 1 to {MOST_POINTS} control points, not {}", object.count);
            self.error(span, message);
        }
    }

    fn required(&mut self, name: &str) -> Option<&'a Attribute> {
        let attribute = self.function.attribute(name);
        if attribute.is_none() {
            let stage = self.profile.stage.name();
            self.error(self.function.span, format!("a {stage} needs the attribute {name}"));
        }
        attribute
    }

    fn number(&mut self, attribute: &Attribute, least: i64, most: i64) -> Option<u32> {
        let number = match &attribute.arguments[..] {
            [AttributeValue::Constant(constant)] => constant.as_integer(),
            _ => None,
        };
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let message = format!("the attribute {} takes a number from {least} to {most}", attribute.name);
            self.error(attribute.span, message);
        }
        number.and_then(|number| u32::try_from(number).ok())
    }
}

/// Returns whether an expression refers to an element of a `groupshared` array whose index is known at
/// compile time.
fn is_shared_literal(program: &Program, place: &Expr) -> bool {
    match &*place.kind {
        ExprKind::Index(of, index) => match *of.kind {
            ExprKind::Global(id) => {
                program[id].storage == Storage::GroupShared && evaluate(program, index, &|_| None).is_some()
            }
            _ => is_shared_literal(program, of),
        },
        ExprKind::Field(of, _)
        | ExprKind::Swizzle(of, _)
        | ExprKind::Elements(of, _)
        | ExprKind::Convert(of) => is_shared_literal(program, of),
        _ => false,
    }
}
