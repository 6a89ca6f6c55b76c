//! Facts about the registers of a shader that only its HLSL signature has, because the module has no elements.

use onze_ddi::{
    HullProgram, ScalarKind, ShaderCode, ShaderInput, ShaderOutput, ShaderProgram, ShaderReflection,
    ShaderStage,
};
use onze_hlsl::reflection::{ComponentKind, Reflection, SignatureParameter, SystemValue};

/// Completes the reflection of a shader with its signature.
pub(super) fn with_signature(mut code: ShaderCode, hlsl: &Reflection) -> ShaderCode {
    set_component_kinds(hlsl, &mut code);
    if let ShaderProgram::Hull(program) = &code.program {
        add_passed_points(hlsl, program, &mut code.reflection);
    }
    code
}

/// Sets the types of the components at all locations between stages. The inputs of a vertex shader and the outputs of a
/// pixel shader are not between stages, and do not share locations.
fn set_component_kinds(hlsl: &Reflection, code: &mut ShaderCode) {
    let ShaderCode { program, reflection, .. } = code;
    if reflection.stage != ShaderStage::Vertex {
        set_input_kinds(&hlsl.inputs, &mut reflection.inputs);
    }
    if reflection.stage != ShaderStage::Pixel {
        set_output_kinds(&hlsl.outputs, 0, &mut reflection.outputs);
    }
    match program {
        ShaderProgram::EntryPoint(_) => {}
        ShaderProgram::Geometry(program) => {
            for (stream, vertex) in (0..).zip(&mut program.streams) {
                set_output_kinds(&hlsl.outputs, stream, &mut vertex.outputs);
            }
        }
        ShaderProgram::Hull(program) => {
            set_output_kinds(&hlsl.patch_constants, 0, &mut program.patch_outputs);
        }
        ShaderProgram::Domain(program) => {
            set_input_kinds(&hlsl.patch_constants, &mut program.patch_inputs);
        }
    }
}

fn set_input_kinds(parameters: &[SignatureParameter], inputs: &mut [ShaderInput]) {
    for input in inputs {
        input.component_kinds = component_kinds(parameters, input.location, |parameter| parameter.used);
    }
}

fn set_output_kinds(parameters: &[SignatureParameter], stream: u32, outputs: &mut [ShaderOutput]) {
    for output in outputs {
        output.component_kinds = component_kinds(parameters, output.location, |parameter| {
            if parameter.stream == stream { parameter.mask } else { 0 }
        });
    }
}

/// Returns the type of each component of a register. `mask` returns the components of a parameter that count.
fn component_kinds(
    parameters: &[SignatureParameter],
    register: u32,
    mask: impl Fn(&SignatureParameter) -> u8,
) -> [Option<ScalarKind>; 4] {
    [0, 1, 2, 3].map(|component| {
        let has_it = |parameter: &&SignatureParameter| {
            parameter.register == Some(register) && mask(parameter) & 1 << component != 0
        };
        parameters.iter().find(has_it).map(|parameter| match parameter.component_kind {
            ComponentKind::Float => ScalarKind::Float,
            ComponentKind::Int => ScalarKind::Sint,
            ComponentKind::Uint => ScalarKind::Uint,
        })
    })
}

/// Completes the reflection of a hull shader whose input control points are its output. No function of the module has all
/// their elements, so they come from the signature.
fn add_passed_points(hlsl: &Reflection, program: &HullProgram, reflection: &mut ShaderReflection) {
    if program.control_point.is_some() || program.output_points == 0 {
        return;
    }
    reflection.outputs = registers(&hlsl.outputs).map(|register| register.output()).collect();
    reflection.inputs = registers(&hlsl.outputs).map(|register| register.input()).collect();
}

/// A register of a signature, and its first parameter.
struct Register<'a> {
    location: u32,
    components: u8,
    component_kinds: [Option<ScalarKind>; 4],
    first: &'a SignatureParameter,
}

/// Returns the registers of a signature in their order, without that of the position.
fn registers(parameters: &[SignatureParameter]) -> impl Iterator<Item = Register<'_>> {
    let at = |location: u32| {
        let of_register = parameters.iter().filter(move |parameter| {
            parameter.register == Some(location) && parameter.system_value != SystemValue::Position
        });
        let mask = of_register.clone().fold(0, |mask, parameter| mask | parameter.mask);
        let components = (u8::BITS - mask.leading_zeros()) as u8;
        let component_kinds = component_kinds(parameters, location, |parameter| parameter.mask);
        of_register.clone().next().map(|first| Register { location, components, component_kinds, first })
    };
    (0..32).filter_map(at)
}

impl Register<'_> {
    /// Returns the type of all components, or unsigned integers for the bits of components of several types.
    fn kind(&self) -> ScalarKind {
        let mut kinds = self.component_kinds.into_iter().flatten();
        kinds.next().filter(|first| kinds.all(|other| other == *first)).unwrap_or(ScalarKind::Uint)
    }

    fn name(&self) -> String {
        format!("{}{}", self.first.semantic_name, self.first.semantic_index)
    }

    fn output(&self) -> ShaderOutput {
        ShaderOutput {
            location: self.location,
            name: self.name(),
            semantic_name: self.first.semantic_name.to_uppercase(),
            semantic_index: self.first.semantic_index,
            kind: self.kind(),
            components: self.components,
            component_kinds: self.component_kinds,
            interpolation: None,
            sampling: None,
            blend_src: None,
        }
    }

    fn input(&self) -> ShaderInput {
        let ShaderOutput { location, name, semantic_name, semantic_index, kind, components, .. } =
            self.output();
        ShaderInput {
            location,
            name,
            semantic_name,
            semantic_index,
            kind,
            components,
            component_kinds: self.component_kinds,
            interpolation: None,
            sampling: None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use super::*;
    use crate::shader::{ShaderSource, compile};

    const FLOAT: Option<ScalarKind> = Some(ScalarKind::Float);
    const INT: Option<ScalarKind> = Some(ScalarKind::Sint);
    const UINT: Option<ScalarKind> = Some(ScalarKind::Uint);

    fn code(text: &str, stage: ShaderStage) -> ShaderCode {
        compile(ShaderSource::hlsl(text, "main"), stage).unwrap()
    }

    #[test]
    fn each_stream_has_its_own_component_types() {
        let text = "
            struct V { int i : I; nointerpolation float f : F; uint2 u : U; };
            struct A { uint u : U; int i : I; };
            struct B { nointerpolation float f : F; uint u : U; };
            [maxvertexcount(1)] void main(point V v[1], inout PointStream<A> a, inout PointStream<B> b) {
                A x; x.u = v[0].u.y; x.i = v[0].i; a.Append(x);
                B y; y.f = 1; y.u = 2; b.Append(y);
            }";
        let code = code(text, ShaderStage::Geometry);
        assert_eq!(code.reflection.input(0).unwrap().component_kinds, [INT, None, None, UINT]);
        assert_eq!(code.reflection.output(0).unwrap().component_kinds, [UINT, INT, None, None]);
        let ShaderProgram::Geometry(program) = code.program else { panic!("a geometry shader") };
        let kinds: Vec<_> = program.streams.iter().map(|stream| stream.outputs[0].component_kinds).collect();
        assert_eq!(kinds, [[UINT, INT, None, None], [FLOAT, UINT, None, None]]);
    }

    #[test]
    fn passed_control_points_have_the_types_of_the_input() {
        let text = "
            struct P { float4 p : P; int i : I; uint u : U; int2 only : ONLY; };
            struct C { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; int i : I; uint u : U; };
            C constants() { C c; c.edges[0] = c.edges[1] = c.edges[2] = c.inside = 1; c.i = 2; c.u = 3; return c; }
            [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")]
            [outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]
            void main(InputPatch<P, 3> p) {}";
        let code = code(text, ShaderStage::Hull);
        let shared = [INT, UINT, INT, INT];
        let inputs = code.reflection.inputs.iter().map(|input| (input.kind, input.component_kinds));
        let outputs = code.reflection.outputs.iter().map(|output| (output.kind, output.component_kinds));
        let expected = [(ScalarKind::Float, [FLOAT; 4]), (ScalarKind::Uint, shared)];
        assert_eq!(inputs.collect::<Vec<_>>(), expected);
        assert_eq!(outputs.collect::<Vec<_>>(), expected);
        let ShaderProgram::Hull(program) = code.program else { panic!("a hull shader") };
        let constants: Vec<_> = program.patch_outputs.iter().map(|output| output.component_kinds).collect();
        assert_eq!(constants, [[INT, UINT, None, None]]);
    }
}
