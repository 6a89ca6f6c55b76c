//! Comparison of the HLSL signatures of two neighbouring stages: semantics, registers and types.
//!
//! As in Direct3D 11, only registers connect the stages, and each check corresponds to a linkage message of
//! Direct3D's debug layer. Interpolation modes are not compared, because only the pixel shader's mode has an
//! effect.

use onze_hlsl::{
    ShaderStage,
    reflection::{ComponentKind, MinPrecision, Reflection, SignatureParameter, SystemValue},
};

/// Names of two neighbouring stages for messages.
#[derive(Copy, Clone)]
struct StageNames {
    previous: &'static str,
    next: &'static str,
}

/// Describes each input of `next` that `previous` does not write with the same semantic, register and type,
/// unless `next` never reads it. `stream` is the rasterized stream of a geometry shader, and 0 for other shaders.
/// The inputs of a domain shader include patch constants.
pub(super) fn mismatches(previous: &Reflection, stream: u32, next: &Reflection) -> Vec<String> {
    let names = StageNames { previous: stage_name(previous.stage), next: stage_name(next.stage) };
    let outputs: Vec<_> = previous.outputs.iter().filter(|output| output.stream == stream).collect();
    let mut all = of_signature(&outputs, &next.inputs, names);
    if next.stage == ShaderStage::Domain {
        let outputs: Vec<_> = previous.patch_constants.iter().collect();
        all.extend(of_signature(&outputs, &next.patch_constants, names));
    }
    all
}

fn of_signature(
    outputs: &[&SignatureParameter],
    inputs: &[SignatureParameter],
    names: StageNames,
) -> Vec<String> {
    let read = inputs.iter().filter(|input| input.used != 0);
    read.filter_map(|input| mismatch(outputs, input, names)).collect()
}

fn mismatch(
    outputs: &[&SignatureParameter],
    input: &SignatureParameter,
    names: StageNames,
) -> Option<String> {
    let StageNames { previous, next } = names;
    let semantic = semantic(input);
    let register = input.register?;
    let output = outputs.iter().find(|output| has_same_semantic(output, input));
    let place = format!("register {register} ({})", components(input.used));
    let Some(output) = output else {
        return (!is_generated(input.system_value)).then(|| {
            format!(
                "the {next} reads {semantic} from {place}, but the {previous} has no output {semantic} and writes {} there",
                written(outputs, input)
            )
        });
    };
    let differ = |what: &str, of_previous: &str, of_next: &str| {
        Some(format!(
            "{semantic} in {place} {what} {of_previous} in the {previous} and {of_next} in the {next}"
        ))
    };
    if output.system_value != input.system_value {
        return differ("is", &system_words(output.system_value), &system_words(input.system_value));
    }
    if output.register != Some(register) {
        let other = output.register.map_or("no register".to_owned(), |other| format!("register {other}"));
        return Some(format!(
            "the {next} reads {semantic} from {place}, but the {previous} writes it to {other} and writes {} there",
            written(outputs, input)
        ));
    }
    if output.component_kind != input.component_kind {
        return differ("is", kind_name(output.component_kind), kind_name(input.component_kind));
    }
    if output.used == 0 {
        return Some(format!(
            "the {next} reads {semantic} from {place}, but the {previous} declares it and never writes it"
        ));
    }
    if input.used & !output.used != 0 {
        return Some(format!(
            "the {next} reads {semantic} from {place}, but the {previous} writes it to {} of that register",
            components(output.used)
        ));
    }
    if output.min_precision != input.min_precision {
        return differ("has", precision_words(output.min_precision), precision_words(input.min_precision));
    }
    None
}

fn has_same_semantic(a: &SignatureParameter, b: &SignatureParameter) -> bool {
    a.semantic_index == b.semantic_index && a.semantic_name.eq_ignore_ascii_case(&b.semantic_name)
}

/// Whether the rasterizer generates a pixel shader's input if no stage writes it.
const fn is_generated(value: SystemValue) -> bool {
    matches!(
        value,
        SystemValue::IsFrontFace
            | SystemValue::SampleIndex
            | SystemValue::PrimitiveId
            | SystemValue::Coverage
            | SystemValue::InnerCoverage
            | SystemValue::RenderTargetArrayIndex
            | SystemValue::ViewportArrayIndex
    )
}

/// Lists the semantics that the previous stage writes to the components of an input.
fn written(outputs: &[&SignatureParameter], input: &SignatureParameter) -> String {
    let overlaps =
        |output: &&&SignatureParameter| output.register == input.register && output.used & input.used != 0;
    let names: Vec<_> = outputs.iter().filter(overlaps).map(|output| semantic(output)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(" and ") }
}

fn semantic(parameter: &SignatureParameter) -> String {
    format!("`{}{}`", parameter.semantic_name, parameter.semantic_index)
}

/// Formats a component mask for messages, such as `.xy`.
fn components(mask: u8) -> String {
    let mut text = ".".to_owned();
    for (bit, name) in ['x', 'y', 'z', 'w'].into_iter().enumerate() {
        if mask & (1 << bit) != 0 {
            text.push(name);
        }
    }
    text
}

const fn stage_name(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Vertex => "vertex shader",
        ShaderStage::Hull => "hull shader",
        ShaderStage::Domain => "domain shader",
        ShaderStage::Geometry => "geometry shader",
        ShaderStage::Pixel => "pixel shader",
        ShaderStage::Compute => "compute shader",
    }
}

const fn kind_name(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Float => "float",
        ComponentKind::Int => "int",
        ComponentKind::Uint => "uint",
    }
}

fn system_words(value: SystemValue) -> String {
    match value {
        SystemValue::Undefined => "no system value".to_owned(),
        value => format!("the system value {value:?}"),
    }
}

const fn precision_words(precision: MinPrecision) -> &'static str {
    match precision {
        MinPrecision::Float16 => "at least 16 bits (min16float)",
        MinPrecision::Float2_8 => "at least 10 bits (min10float)",
        MinPrecision::Sint16 => "at least 16 bits (min16int)",
        MinPrecision::Uint16 => "at least 16 bits (min16uint)",
        _ => "full precision",
    }
}

#[cfg(test)]
mod tests;
