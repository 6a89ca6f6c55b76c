use super::parameter;
use crate::{
    check::tree::Function,
    interface::{
        signature::{Signature, patch},
        tessellation,
    },
    output::reflection::{DomainReflection, HullReflection, SignatureParameter},
    syntax::builtin::Object,
};

/// Returns the patches and the tessellator's settings of a hull shader.
pub(super) fn hull(function: &Function, constants: Option<&Function>) -> Option<HullReflection> {
    let points = |function: &Function| points(function, Object::InputPatch);
    Some(HullReflection {
        input_control_points: points(function).or_else(|| points(constants?)).unwrap_or(0),
        output_control_points: tessellation::output_points(function)?,
        domain: tessellation::domain(function)?,
        partitioning: tessellation::partitioning(function)?,
        output: tessellation::output(function)?,
        max_tess_factor: tessellation::max_factor(function),
    })
}

/// Returns the patches of a domain shader.
pub(super) fn domain(function: &Function) -> Option<DomainReflection> {
    let domain = tessellation::domain(function)?;
    Some(DomainReflection { domain, control_points: points(function, Object::OutputPatch) })
}

/// Returns the patch constants that a domain shader reads, which follow the control points in its inputs.
pub(super) fn read_constants(signature: &Signature) -> Vec<SignatureParameter> {
    let others = signature.inputs.iter().skip(signature.vertex_inputs);
    others.filter(|element| element.register.is_some()).map(parameter).collect()
}

/// Returns the inputs of a hull or domain shader: the elements of control points, and generated values. Both functions
/// of a hull shader may have the same generated value.
pub(super) fn inputs(signature: &Signature) -> Vec<SignatureParameter> {
    let (points, others) = signature.inputs.split_at(signature.vertex_inputs);
    let of_constants = signature.constants.iter().flat_map(|constants| &constants.inputs);
    let generated = others.iter().chain(of_constants).filter(|element| element.register.is_none());
    let mut inputs: Vec<_> = points.iter().map(parameter).collect();
    for element in generated.map(parameter) {
        match inputs
            .iter_mut()
            .find(|input| input.register.is_none() && input.system_value == element.system_value)
        {
            Some(known) => known.used |= element.used,
            None => inputs.push(element),
        }
    }
    inputs
}

fn points(function: &Function, kind: Object) -> Option<u32> {
    let mut types = function.parameters.iter().map(|parameter| &function.local(parameter.local).ty);
    types.find_map(|ty| patch(ty).filter(|object| object.kind == kind).map(|object| object.count))
}
