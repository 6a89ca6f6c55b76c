//! Checks the signatures of hull and domain shaders, which are not lowered.
//!
//! Their control points each have a separate signature, in addition to the signature of all other parameters.

use super::{
    flatten::{Flattener, SignatureItem},
    is_uniform,
    system::SignaturePoint,
    takes,
};
use crate::{
    check::tree::{AttributeValue, Direction, Function, FunctionId, Program, Semantic, Type},
    session::{
        Session,
        profile::{Profile, ShaderStage},
    },
    syntax::builtin::Object,
};

/// Reports invalid and missing semantics of an entry point and of a hull shader's patch constant function.
pub(super) fn check(
    session: &mut Session,
    program: &Program,
    entry: FunctionId,
    profile: Profile,
    backwards_compatible: bool,
) {
    let mut checker = PrimitiveChecker { session, program, profile, backwards_compatible };
    let function = &program[entry];
    let plain = |output| SignaturePoint::of(profile.stage, output);
    checker.function(function, plain(false), plain(true));
    // The patch constant function has the same patches as the main function.
    if let Some(constants) = patch_constants(program, function).filter(|id| *id != entry) {
        let (input, output) = (SignaturePoint::PatchConstantInput, SignaturePoint::PatchConstantOutput);
        checker.function(&program[constants], input, output);
    }
}

fn patch_constants(program: &Program, function: &Function) -> Option<FunctionId> {
    match &function.attribute("patchconstantfunc")?.arguments[..] {
        [AttributeValue::Text(name)] => program.entry(name),
        _ => None,
    }
}

struct PrimitiveChecker<'a> {
    session: &'a mut Session,
    program: &'a Program,
    profile: Profile,
    backwards_compatible: bool,
}

impl PrimitiveChecker<'_> {
    /// Checks the parameters and the result of a function, where `input` and `output` are the points of
    /// values that are not patches.
    fn function(&mut self, function: &Function, input: SignaturePoint, output: SignaturePoint) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        if function.result != Type::Void {
            outputs.push((
                &function.result,
                SignatureItem::result(function),
                function.result_semantic.clone(),
            ));
        }
        for parameter in &function.parameters {
            let local = function.local(parameter.local);
            let place = SignatureItem::parameter(local, parameter);
            let semantic = parameter.semantic.clone();
            let points = self.points(&local.ty);
            if let Some((ty, point)) = points.filter(|_| input != SignaturePoint::PatchConstantInput) {
                self.elements(function, (point, false), vec![(ty, place, semantic)]);
                continue;
            }
            if is_uniform(function, parameter) || has_stage_rule(input, semantic.as_ref(), &local.ty) {
                continue;
            }
            if takes(function, parameter, Direction::In) {
                inputs.push((&local.ty, place, semantic.clone()));
            }
            if takes(function, parameter, Direction::Out) {
                outputs.push((&local.ty, place, semantic));
            }
        }
        self.elements(function, (input, false), inputs);
        self.elements(function, (output, true), outputs);
    }

    fn elements(
        &mut self,
        function: &Function,
        point: (SignaturePoint, bool),
        values: Vec<(&Type, SignatureItem<'_>, Option<Semantic>)>,
    ) {
        let (program, profile) = (self.program, self.profile);
        let mut flattener =
            Flattener::new(self.session, program, function, profile, point, self.backwards_compatible);
        for (ty, place, mut semantic) in values {
            flattener.part(ty, &place, &mut semantic, false);
        }
        flattener.finish();
    }

    /// Returns the type and the point of a parameter's control points, or `None` for parameters other than patches.
    fn points<'t>(&self, ty: &'t Type) -> Option<(&'t Type, SignaturePoint)> {
        let object = ty.object()?;
        let point = match (object.kind, self.profile.stage) {
            (Object::InputPatch, ShaderStage::Hull) => SignaturePoint::HullPointInput,
            (Object::OutputPatch, ShaderStage::Domain) => SignaturePoint::DomainPointInput,
            _ => return None,
        };
        Some((object.element.as_ref()?, point))
    }
}

/// Returns whether only the rules of the stage apply to a parameter. A numeric parameter of a patch constant
/// function needs a semantic, and a patch is not a value.
fn has_stage_rule(input: SignaturePoint, semantic: Option<&Semantic>, ty: &Type) -> bool {
    let is_bare =
        input == SignaturePoint::PatchConstantInput && semantic.is_none() && matches!(ty, Type::Numeric(_));
    is_bare || ty.object().is_some()
}
