//! Hull shaders in WGSL: the function of control points and the function of patch constants.

use naga::{Function, FunctionArgument, Handle, Module, Type};
use onze_ddi::{
    MAX_CONTROL_POINTS, MAX_TESS_FACTOR, TessellatorDomain, TessellatorOutput, TessellatorPartitioning,
};

use super::PatchConstants;
use crate::shader::{
    tessellation::HullStage,
    wgsl_stage::{
        Body, PointArray, Reason, add_placeholder, argument, check_vertex, find, is_number, is_struct,
        number_type, refused, set_entry_point,
    },
};

/// Maximum number of components of all control points of an output patch (D3D11:
/// `D3D11_HS_CONTROL_POINT_PHASE_OUTPUT_TOTAL_COMPONENTS`).
const MOST_COMPONENTS: u32 = 3968;

/// The patches and the tessellator's settings of a hull shader in WGSL. In HLSL, these are attributes of the shader.
#[derive(Copy, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HullShaderDesc<'a> {
    /// The shape that the tessellator divides (HLSL: `domain`).
    pub domain: TessellatorDomain,
    /// How the tessellator rounds factors, by default to whole numbers (HLSL: `partitioning`).
    pub partitioning: TessellatorPartitioning,
    /// The primitives that the tessellator generates, by default lines for isolines and clockwise triangles for other
    /// domains (HLSL: `outputtopology`).
    pub output: TessellatorOutput,
    /// Upper limit of all factors, from 1 to 64 and 64 by default (HLSL: `maxtessfactor`).
    pub max_tess_factor: f32,
    /// Number of control points of an input patch, from 1 to 32. Topologies have the same number.
    pub input_control_points: u32,
    /// Number of control points of an output patch, from 0 to 32 (HLSL: `outputcontrolpoints`). It differs from
    /// `input_control_points` only if there is a `control_point_function`, or if it is 0.
    pub output_control_points: u32,
    /// The function that returns an output control point, or `None` if the input control points are the output.
    pub control_point_function: Option<&'a str>,
}

impl<'a> HullShaderDesc<'a> {
    /// Describes a shader that passes `control_points` control points through, with default settings of the tessellator.
    pub const fn new(domain: TessellatorDomain, control_points: u32) -> Self {
        Self {
            domain,
            partitioning: TessellatorPartitioning::Integer,
            output: match domain {
                TessellatorDomain::Isoline => TessellatorOutput::Line,
                TessellatorDomain::Triangle | TessellatorDomain::Quad => TessellatorOutput::TriangleCw,
            },
            max_tess_factor: MAX_TESS_FACTOR,
            input_control_points: control_points,
            output_control_points: control_points,
            control_point_function: None,
        }
    }

    /// Sets the function that returns an output control point, and the number of output control points.
    #[must_use]
    pub const fn with_control_points(self, function: &'a str, output_control_points: u32) -> Self {
        Self { control_point_function: Some(function), output_control_points, ..self }
    }

    /// Sets how the tessellator rounds factors.
    #[must_use]
    pub const fn with_partitioning(self, partitioning: TessellatorPartitioning) -> Self {
        Self { partitioning, ..self }
    }

    /// Sets the primitives that the tessellator generates.
    #[must_use]
    pub const fn with_output(self, output: TessellatorOutput) -> Self {
        Self { output, ..self }
    }

    /// Sets the upper limit of all factors.
    #[must_use]
    pub const fn with_max_tess_factor(self, max_tess_factor: f32) -> Self {
        Self { max_tess_factor, ..self }
    }
}

/// The function of control points.
struct ControlPoint {
    function: Handle<Function>,
    input: Option<PointArray>,
    /// Number of arguments after the input, at most two.
    numbers: usize,
    point: Handle<Type>,
}

/// The function of patch constants.
struct Constants {
    function: Handle<Function>,
    input: Option<PointArray>,
    output: Option<PointArray>,
    has_number: bool,
    result: Handle<Type>,
}

/// Adds the functions that the driver knows and an entry point that calls them.
pub(in crate::shader) fn convert(
    module: &mut Module,
    name: &str,
    desc: &HullShaderDesc<'_>,
) -> Result<HullStage, Reason> {
    check_desc(desc)?;
    let control_point = match desc.control_point_function {
        Some(function) => Some(check_control_point(module, function, desc)?),
        None => None,
    };
    let constants = check_constants(module, name, desc, control_point.as_ref())?;
    let patch = PatchConstants::new(module, constants.result, desc.domain, true)?;
    add_functions(module, name, control_point, &constants, &patch);
    Ok(HullStage {
        input_points: desc.input_control_points,
        output_points: desc.output_control_points,
        domain: desc.domain,
        partitioning: desc.partitioning,
        output: desc.output,
        max_tess_factor: desc.max_tess_factor,
    })
}

fn check_desc(desc: &HullShaderDesc<'_>) -> Result<(), Reason> {
    let (input, output) = (desc.input_control_points, desc.output_control_points);
    if !(1..=MAX_CONTROL_POINTS).contains(&input) {
        return refused(format!(
            "input_control_points is {input}, but must be from 1 to {MAX_CONTROL_POINTS}"
        ));
    }
    if output > MAX_CONTROL_POINTS {
        return refused(format!(
            "output_control_points is {output}, but must be at most {MAX_CONTROL_POINTS}"
        ));
    }
    if desc.control_point_function.is_none() && output != input && output != 0 {
        return refused(format!(
            "output_control_points is {output} and input_control_points is {input}; they can only differ if there is a \
             control_point_function, so set one with `HullShaderDesc::with_control_points`"
        ));
    }
    if desc.control_point_function.is_some() && output == 0 {
        return refused("output_control_points is 0, so there can be no control_point_function");
    }
    if !(1.0..=MAX_TESS_FACTOR).contains(&desc.max_tess_factor) {
        return refused(format!(
            "max_tess_factor is {}, but must be from 1 to {MAX_TESS_FACTOR}",
            desc.max_tess_factor
        ));
    }
    let is_isoline = desc.domain == TessellatorDomain::Isoline;
    let fits = match desc.output {
        TessellatorOutput::Point => true,
        TessellatorOutput::Line => is_isoline,
        TessellatorOutput::TriangleCw | TessellatorOutput::TriangleCcw => !is_isoline,
    };
    if !fits {
        return refused(format!(
            "the output is TessellatorOutput::{:?}, which TessellatorDomain::{:?} does not have; isolines consist of lines, \
             and other domains of triangles",
            desc.output, desc.domain
        ));
    }
    Ok(())
}

/// Takes an array of structures from the front of the arguments.
fn take_array(module: &Module, arguments: &mut &[FunctionArgument]) -> Option<PointArray> {
    let (first, rest) = arguments.split_first()?;
    let array = PointArray::of(module, first)?;
    *arguments = rest;
    Some(array)
}

fn has_count(array: Option<PointArray>, count: u32) -> bool {
    array.is_none_or(|array| array.count == count)
}

/// Returns whether the only array of a patch-constant function has the output control points, because its type is only
/// that of the control_point_function's result.
fn is_of_outputs(array: Option<PointArray>, control_point: Option<&ControlPoint>) -> bool {
    array.zip(control_point).is_some_and(|(array, control_point)| {
        array.point == control_point.point
            && control_point.input.is_none_or(|input| input.point != array.point)
    })
}

fn check_control_point(
    module: &Module,
    name: &str,
    desc: &HullShaderDesc<'_>,
) -> Result<ControlPoint, Reason> {
    let Some(handle) = find(module, name) else {
        return refused(format!("the source has no function `{name}`"));
    };
    let function = &module.functions[handle];
    let mut arguments = function.arguments.as_slice();
    let input = take_array(module, &mut arguments);
    let result = function.result.as_ref().map(|result| result.ty);
    let is_valid = has_count(input, desc.input_control_points)
        && arguments.len() <= 2
        && arguments.iter().all(|argument| is_number(module, argument));
    let Some(point) = result.filter(|result| is_valid && is_struct(module, *result)) else {
        return refused(format!(
            "`{name}` must be declared as `fn {name}(points: array<V, {}>, point: u32, primitive: u32) -> P`, where V and \
             P are structures, and arguments may be absent",
            desc.input_control_points
        ));
    };
    if let Some(input) = input {
        check_vertex(module, input.point)?;
    }
    let components: u32 = check_vertex(module, point)?.iter().sum();
    let all = components * desc.output_control_points;
    if all > MOST_COMPONENTS {
        return refused(format!(
            "{} control points of {components} components make {all}; a patch has at most {MOST_COMPONENTS}",
            desc.output_control_points
        ));
    }
    Ok(ControlPoint { function: handle, input, numbers: arguments.len(), point })
}

fn check_constants(
    module: &Module,
    name: &str,
    desc: &HullShaderDesc<'_>,
    control_point: Option<&ControlPoint>,
) -> Result<Constants, Reason> {
    let Some(handle) = find(module, name) else {
        return refused(format!("the source has no function `{name}`"));
    };
    let function = &module.functions[handle];
    let mut arguments = function.arguments.as_slice();
    let mut input = take_array(module, &mut arguments);
    let mut output = take_array(module, &mut arguments);
    if output.is_none() && is_of_outputs(input, control_point) {
        output = input.take();
    }
    let result = function.result.as_ref().map(|result| result.ty);
    let is_valid = has_count(input, desc.input_control_points)
        && has_count(output, desc.output_control_points)
        && arguments.len() <= 1
        && arguments.iter().all(|argument| is_number(module, argument));
    let Some(result) = result.filter(|result| is_valid && is_struct(module, *result)) else {
        return refused(format!(
            "`{name}` must be declared as `fn {name}(points: array<V, {}>, outputs: array<P, {}>, primitive: u32) -> C`, \
             where V, P and C are structures, and arguments may be absent",
            desc.input_control_points, desc.output_control_points
        ));
    };
    if let Some(input) = input {
        check_vertex(module, input.point)?;
    }
    let type_of = |array: PointArray| super::type_name(module, array.point).to_owned();
    match (control_point, input) {
        (Some(control_point), Some(array))
            if control_point.input.is_some_and(|own| own.point != array.point) =>
        {
            return refused(format!(
                "`{name}` reads control points of type `{}`, but the control_point_function reads another type; both read \
                 the same points",
                type_of(array)
            ));
        }
        (None, None) if desc.output_control_points > 0 => {
            return refused(format!(
                "without a control_point_function, `{name}` must have the argument `points: array<V, {}>`, whose type \
                 declares the members of the control points",
                desc.input_control_points
            ));
        }
        _ => {}
    }
    let point = control_point.map(|control_point| control_point.point).or(input.map(|input| input.point));
    if let Some(array) = output.filter(|array| Some(array.point) != point) {
        return refused(format!(
            "`{name}` reads output control points of type `{}`, but {}",
            type_of(array),
            match point {
                Some(point) => format!("they are of type `{}`", super::type_name(module, point)),
                None => "there are none".to_owned(),
            }
        ));
    }
    Ok(Constants { function: handle, input, output, has_number: !arguments.is_empty(), result })
}

/// Adds the functions that the driver knows, and the entry point.
fn add_functions(
    module: &mut Module,
    name: &str,
    control_point: Option<ControlPoint>,
    constants: &Constants,
    patch: &PatchConstants,
) {
    let number = number_type(module);
    let index = || vec![argument("index", number)];
    let input = constants.input.or(control_point.as_ref().and_then(|control_point| control_point.input));
    let input_point = input.map(|input| add_placeholder(module, "input_point", index(), input.point));
    let output_point =
        constants.output.map(|output| add_placeholder(module, "output_point", index(), output.point));

    let control_point = control_point.map(|control_point| {
        let arguments = vec![argument("index", number), argument("primitive", number)];
        let mut body = Body::new("control_point", arguments, Some(control_point.point));
        let numbers = [body.argument(0), body.argument(1)];
        let mut arguments = Vec::new();
        if let (Some(array), Some(point)) = (control_point.input, input_point) {
            arguments.push(body.fetch(array, point));
        }
        arguments.extend(numbers.into_iter().take(control_point.numbers));
        let result = body.call(control_point.function, arguments);
        body.finish(&mut module.functions, Some(result))
    });

    let mut body = Body::new("patch_constants", vec![argument("primitive", number)], Some(patch.flat));
    let primitive = body.argument(0);
    let mut arguments = Vec::new();
    for (array, point) in [(constants.input, input_point), (constants.output, output_point)] {
        if let (Some(array), Some(point)) = (array, point) {
            arguments.push(body.fetch(array, point));
        }
    }
    arguments.extend(constants.has_number.then_some(primitive));
    let declared = body.call(constants.function, arguments);
    let flat = patch.flatten(&mut body, declared);
    let patch_constants = body.finish(&mut module.functions, Some(flat));

    set_entry_point(module, name, |entry| {
        let zero = entry.number(0);
        if let Some(control_point) = control_point {
            entry.call(control_point, vec![zero; 2]);
        }
        entry.call(patch_constants, vec![zero]);
    });
}
