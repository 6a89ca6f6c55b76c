//! The signatures of hull and domain shaders: the elements of control points, of patch constants, and of all other
//! inputs.
//!
//! A hull shader has two functions. The main function is the entry point, and its outputs are those of a control point.
//! The patch constant function has a signature of its own.

use std::sync::Arc;

use super::{
    ElementLayout, Signature, SignatureElement, SystemValue,
    flatten::{Flattener, SignatureItem},
    is_uniform,
    system::SignaturePoint,
    takes,
};
use crate::{
    check::tree::{AttributeValue, Direction, Function, FunctionId, ObjectType, Program, Semantic, Type},
    session::{
        Session,
        profile::{Profile, ShaderStage},
    },
    syntax::builtin::Object,
};

/// The control points of a patch that the program can read.
#[derive(Clone, Debug)]
pub(crate) struct PatchPoint {
    /// The object type of the patch. A stage has at most one patch of a type of object.
    pub(crate) kind: Object,
    pub(crate) ty: Type,
    /// The elements of a control point, which are outputs of the hull shader if `is_output` is set and inputs
    /// otherwise.
    pub(crate) layout: ElementLayout,
    pub(crate) is_output: bool,
}

/// The signature of a hull shader's patch constant function.
#[derive(Clone, Debug)]
pub(crate) struct PatchConstants {
    pub(crate) function: FunctionId,
    /// The inputs that the pipeline generates.
    pub(crate) inputs: Vec<SignatureElement>,
    pub(crate) outputs: Vec<SignatureElement>,
    /// The mapping of each parameter to inputs and to outputs. The elements of patches are those of the hull shader.
    pub(crate) parameters: Vec<(Option<ElementLayout>, Option<ElementLayout>)>,
    pub(crate) result: Option<ElementLayout>,
    /// For each output of the hull shader, the components that the function reads from the output patch.
    pub(crate) point_reads: Vec<u8>,
}

/// Returns the function that the attribute `patchconstantfunc` names: the last one with a body if several functions
/// have this name.
fn patch_constant_function(program: &Program, entry: FunctionId) -> Option<FunctionId> {
    match &program[entry].attribute("patchconstantfunc")?.arguments[..] {
        [AttributeValue::Text(name)] => program.entry(name).filter(|id| *id != entry),
        _ => None,
    }
}

/// Returns the patch object of a type, or `None` for other types.
pub(crate) fn patch(ty: &Type) -> Option<&ObjectType> {
    ty.object().filter(|object| matches!(object.kind, Object::InputPatch | Object::OutputPatch))
}

/// Returns the input patch of a hull shader whose main function has no outputs, because such a hull shader passes its
/// control points on.
pub(crate) fn passed_patch(function: &Function) -> Option<&ObjectType> {
    let has_outputs = function.result != Type::Void
        || function.parameters.iter().any(|parameter| parameter.direction != Direction::In);
    let mut patches = function.parameters.iter().filter_map(|parameter| {
        patch(&function.local(parameter.local).ty).filter(|object| object.kind == Object::InputPatch)
    });
    patches.next().filter(|_| !has_outputs)
}

/// Finds the signature of a hull or domain shader. The elements of control points precede all other inputs.
pub(super) fn signature(
    session: &mut Session,
    program: &Program,
    entry: FunctionId,
    profile: Profile,
    backwards_compatible: bool,
) -> Signature {
    let constants = match profile.stage {
        ShaderStage::Hull => patch_constant_function(program, entry),
        _ => None,
    };
    let mut finder = SignatureFinder {
        session,
        program,
        profile,
        backwards_compatible,
        function: &program[entry],
        constants: constants.map(|id| (id, &program[id])),
        signature: Signature::default(),
    };
    finder.points();
    finder.main_function();
    if let Some((id, function)) = finder.constants {
        finder.patch_constants(id, function);
    }
    finder.signature
}

struct SignatureFinder<'a> {
    session: &'a mut Session,
    program: &'a Program,
    profile: Profile,
    backwards_compatible: bool,
    function: &'a Function,
    /// The patch constant function.
    constants: Option<(FunctionId, &'a Function)>,
    signature: Signature,
}

/// The parameters and the result of a function, as elements.
struct FunctionElements {
    inputs: Vec<SignatureElement>,
    outputs: Vec<SignatureElement>,
    parameters: Vec<(Option<ElementLayout>, Option<ElementLayout>)>,
    result: Option<ElementLayout>,
}

impl<'a> SignatureFinder<'a> {
    /// Finds the elements of the control points that the stage reads from its input: those of the first patch of the
    /// main function, or of the patch constant function if the main function has no patch.
    fn points(&mut self) {
        let (kind, point) = match self.profile.stage {
            ShaderStage::Hull => (Object::InputPatch, SignaturePoint::HullPointInput),
            _ => (Object::OutputPatch, SignaturePoint::DomainPointInput),
        };
        let functions = [Some(self.function), self.constants.map(|(_, function)| function)];
        let found = functions.into_iter().flatten().find_map(|function| {
            function.parameters.iter().find_map(|parameter| {
                let object =
                    patch(&function.local(parameter.local).ty).filter(|object| object.kind == kind)?;
                Some((function, parameter, object.element.as_ref()?))
            })
        });
        let Some((function, parameter, ty)) = found else { return };
        let (program, profile) = (self.program, self.profile);
        let mut flattener = Flattener::new(
            self.session,
            program,
            function,
            profile,
            (point, false),
            self.backwards_compatible,
        );
        let place = SignatureItem::parameter(function.local(parameter.local), parameter);
        let layout = flattener.part(ty, &place, &mut parameter.semantic.clone(), false);
        self.signature.inputs = flattener.finish();
        self.signature.vertex_inputs = self.signature.inputs.len();
        self.signature.points.push(PatchPoint { kind, ty: ty.clone(), layout, is_output: false });
    }

    fn main_function(&mut self) {
        let (input, output) =
            (SignaturePoint::of(self.profile.stage, false), SignaturePoint::of(self.profile.stage, true));
        let function = self.function;
        let found = self.function_elements(function, input, output);
        let FunctionElements { inputs, outputs, mut parameters, result } = found;
        let first = self.signature.vertex_inputs;
        for (layout, _) in &mut parameters {
            if let Some(layout) =
                layout.as_mut().filter(|layout| !matches!(layout, ElementLayout::Vertices(_)))
            {
                layout.move_elements(first);
            }
        }
        self.signature.inputs.extend(inputs);
        self.signature.outputs = outputs;
        self.signature.parameters = parameters;
        self.signature.result = result;
        if self.profile.stage == ShaderStage::Hull {
            self.output_points();
        }
    }

    /// Finds the control points that the patch constant function reads from the output patch.
    fn output_points(&mut self) {
        let passed = passed_patch(self.function).and_then(|object| object.element.as_ref());
        let (ty, layout) = match (passed, &self.signature.result) {
            (Some(ty), _) => {
                let count = self.signature.vertex_inputs;
                self.signature.outputs = self.signature.inputs[..count].to_vec();
                let point = self.signature.points.iter().find(|point| point.ty == *ty);
                (ty, point.map(|point| point.layout.clone()))
            }
            (None, result) => (&self.function.result, result.clone()),
        };
        if let Some(layout) = layout {
            let kind = Object::OutputPatch;
            self.signature.points.push(PatchPoint { kind, ty: ty.clone(), layout, is_output: true });
        }
    }

    fn patch_constants(&mut self, id: FunctionId, function: &'a Function) {
        let (input, output) = (SignaturePoint::PatchConstantInput, SignaturePoint::PatchConstantOutput);
        let FunctionElements { inputs, outputs, parameters, result } =
            self.function_elements(function, input, output);
        let point_reads = vec![0; self.signature.outputs.len()];
        self.signature.constants =
            Some(Arc::new(PatchConstants { function: id, inputs, outputs, parameters, result, point_reads }));
    }

    /// Finds the elements of a function, where `input` and `output` are the points of values that are not patches.
    fn function_elements(
        &mut self,
        function: &'a Function,
        input: SignaturePoint,
        output: SignaturePoint,
    ) -> FunctionElements {
        let mut parameters: Vec<_> = function
            .parameters
            .iter()
            .map(|parameter| (self.vertices(&function.local(parameter.local).ty), None))
            .collect();
        let (program, profile, compatible) = (self.program, self.profile, self.backwards_compatible);
        let is_value = |ty: &Type, semantic: Option<&Semantic>| {
            ty.object().is_none() && !lacks_semantic(input, semantic, ty)
        };
        let mut flattener =
            Flattener::new(self.session, program, function, profile, (input, false), compatible);
        for (parameter, (layout, _)) in function.parameters.iter().zip(&mut parameters) {
            let local = function.local(parameter.local);
            if is_value(&local.ty, parameter.semantic.as_ref())
                && !is_uniform(function, parameter)
                && takes(function, parameter, Direction::In)
            {
                let place = SignatureItem::parameter(local, parameter);
                *layout = Some(flattener.part(&local.ty, &place, &mut parameter.semantic.clone(), false));
            }
        }
        let inputs = flattener.finish();
        let mut flattener =
            Flattener::new(self.session, program, function, profile, (output, true), compatible);
        let result = (function.result != Type::Void).then(|| {
            let place = SignatureItem::result(function);
            flattener.part(&function.result, &place, &mut function.result_semantic.clone(), false)
        });
        for (parameter, (_, layout)) in function.parameters.iter().zip(&mut parameters) {
            let local = function.local(parameter.local);
            if is_value(&local.ty, parameter.semantic.as_ref()) && takes(function, parameter, Direction::Out)
            {
                let place = SignatureItem::parameter(local, parameter);
                *layout = Some(flattener.part(&local.ty, &place, &mut parameter.semantic.clone(), false));
            }
        }
        let outputs = flattener.finish();
        FunctionElements { inputs, outputs, parameters, result }
    }

    /// Returns the elements of a patch, or `None` for other types.
    fn vertices(&self, ty: &Type) -> Option<ElementLayout> {
        let object = patch(ty)?;
        let fits =
            |point: &&PatchPoint| point.kind == object.kind && Some(&point.ty) == object.element.as_ref();
        let point = self.signature.points.iter().find(fits)?;
        Some(ElementLayout::Vertices(Box::new(point.layout.clone())))
    }
}

/// Returns whether a parameter of a patch constant function is a number without a semantic, which the rules of the
/// stage report.
fn lacks_semantic(input: SignaturePoint, semantic: Option<&Semantic>, ty: &Type) -> bool {
    input == SignaturePoint::PatchConstantInput && semantic.is_none() && matches!(ty, Type::Numeric(_))
}

/// Returns whether the pipeline generates a value, so that it is in no register.
pub(super) fn is_generated(point: SignaturePoint, system: SystemValue) -> bool {
    let is_input = matches!(
        point,
        SignaturePoint::HullInput | SignaturePoint::PatchConstantInput | SignaturePoint::DomainInput
    );
    is_input && system == SystemValue::PrimitiveId
}

/// Returns whether a value is a tessellation factor.
pub(crate) fn is_factor(system: SystemValue) -> bool {
    matches!(system, SystemValue::TessFactor | SystemValue::InsideTessFactor)
}
