//! Domain shaders in WGSL.

use naga::{
    ArraySize, Binding, BuiltIn, Expression, Function, FunctionArgument, Handle, Module, Scalar,
    StructMember, Type, TypeInner, VectorSize,
};
use onze_ddi::{MAX_CONTROL_POINTS, SystemOutput, TessellatorDomain};

use super::PatchConstants;
use crate::shader::{
    tessellation::DomainStage,
    wgsl_stage::{
        Body, PointArray, Reason, add_placeholder, add_system_outputs, argument, check_members, check_vertex,
        find, is_number, is_struct, number_type, refused, set_entry_point,
    },
};

/// Maximum number of clip distances of a vertex (D3D11: `D3D11_CLIP_OR_CULL_DISTANCE_COUNT`).
const MAX_CLIP_DISTANCES: u32 = 8;

/// The arguments and the result of a shader.
struct Arguments {
    constants: Option<Handle<Type>>,
    points: Option<PointArray>,
    has_location: bool,
    has_number: bool,
    result: Handle<Type>,
}

/// Adds the functions that the driver knows and an entry point that calls them.
pub(in crate::shader) fn convert(
    module: &mut Module,
    name: &str,
    domain: TessellatorDomain,
) -> Result<(DomainStage, Vec<SystemOutput>), Reason> {
    let Some(shader) = find(module, name) else {
        return refused(format!("the source has no function `{name}`"));
    };
    let arguments = check_shader(module, shader, name)?;
    let constants = match arguments.constants {
        Some(constants) => Some(PatchConstants::new(module, constants, domain, false)?),
        None => None,
    };
    let mut system_outputs = Vec::new();
    check_result(module, arguments.result)?;
    add_system_outputs(module, arguments.result, 0, &mut system_outputs)?;
    add_functions(module, name, shader, &arguments, constants.as_ref());
    Ok((DomainStage { domain, points: arguments.points.map(|points| points.count) }, system_outputs))
}

/// Checks the arguments and the result of a shader.
fn check_shader(module: &Module, shader: Handle<Function>, name: &str) -> Result<Arguments, Reason> {
    let function = &module.functions[shader];
    let mut arguments = function.arguments.as_slice();
    let is_location = |argument: &FunctionArgument| {
        module.types[argument.ty].inner == TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::F32 }
    };
    let mut take = |is_it: &dyn Fn(&FunctionArgument) -> bool| {
        let (first, rest) = arguments.split_first().filter(|(first, _)| is_it(first))?;
        arguments = rest;
        Some(first)
    };
    let constants = take(&|argument| is_struct(module, argument.ty)).map(|argument| argument.ty);
    let points = take(&|argument| PointArray::of(module, argument).is_some());
    let points = points.and_then(|argument| PointArray::of(module, argument));
    let has_location = take(&is_location).is_some();
    let has_number = take(&|argument| is_number(module, argument)).is_some();
    let result = function.result.as_ref().map(|result| result.ty);
    let result = result.filter(|result| is_struct(module, *result));
    let (Some(result), []) = (result, arguments) else {
        return refused(format!(
            "`{name}` must be declared as `fn {name}(constants: C, points: array<P, N>, location: vec3f, primitive: u32) -> \
             V`, where C, P and V are structures, and arguments may be absent"
        ));
    };
    if let Some(points) = points {
        if points.count > MAX_CONTROL_POINTS {
            return refused(format!(
                "a patch has at most {MAX_CONTROL_POINTS} control points, not {}",
                points.count
            ));
        }
        check_vertex(module, points.point)?;
    }
    Ok(Arguments { constants, points, has_location, has_number, result })
}

/// Checks the members of the vertices that a shader returns. Clip distances are those of a vertex shader.
fn check_result(module: &Module, result: Handle<Type>) -> Result<(), Reason> {
    let is_clip =
        |member: &StructMember| matches!(member.binding, Some(Binding::BuiltIn(BuiltIn::ClipDistances)));
    check_members(module, result, is_clip)?;
    let TypeInner::Struct { members, .. } = &module.types[result].inner else { return Ok(()) };
    // naga checks the types of built-in values only in entry points.
    if members.iter().any(|member| is_clip(member) && !is_distances(module, member.ty)) {
        return refused(format!(
            "`@builtin(clip_distances)` must be an array of at most {MAX_CLIP_DISTANCES} f32"
        ));
    }
    for name in ["clip_distances", "primitive_id"] {
        let is_it = |member: &StructMember| {
            member.name.as_deref() == Some(name) && matches!(member.binding, Some(Binding::Location { .. }))
        };
        if members.iter().any(is_it) {
            return refused(match name {
                "primitive_id" => {
                    "a domain shader cannot write `primitive_id`, because the pixel shader gets the number of the patch; \
                     give the member another name"
                }
                _ => {
                    "declare `clip_distances` as `@builtin(clip_distances)`, as in a vertex shader, or give the member \
                     another name"
                }
            });
        }
    }
    Ok(())
}

fn is_distances(module: &Module, ty: Handle<Type>) -> bool {
    match module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            module.types[base].inner == TypeInner::Scalar(Scalar::F32) && count.get() <= MAX_CLIP_DISTANCES
        }
        _ => false,
    }
}

/// Adds the functions that the driver knows, and the entry point.
fn add_functions(
    module: &mut Module,
    name: &str,
    shader: Handle<Function>,
    arguments: &Arguments,
    constants: Option<&PatchConstants>,
) {
    let number = number_type(module);
    let location = TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::F32 };
    let location = module.types.insert(Type { name: None, inner: location }, naga::Span::UNDEFINED);
    let of_constants = constants
        .map(|constants| (constants, add_placeholder(module, "constants", Vec::new(), constants.flat)));
    let of_points = arguments.points.map(|points| {
        (points, add_placeholder(module, "point", vec![argument("index", number)], points.point))
    });

    let own = vec![argument("location", location), argument("primitive", number)];
    let mut body = Body::new("domain", own, Some(arguments.result));
    let numbers = [body.argument(0), body.argument(1)];
    let mut values = Vec::new();
    if let Some((constants, function)) = of_constants {
        let flat = body.call(function, Vec::new());
        values.push(constants.unflatten(&mut body, flat));
    }
    if let Some((points, function)) = of_points {
        values.push(body.fetch(points, function));
    }
    let is_used = [arguments.has_location, arguments.has_number];
    values.extend(numbers.into_iter().zip(is_used).filter(|(_, is_used)| *is_used).map(|(value, _)| value));
    let result = body.call(shader, values);
    let domain = body.finish(&mut module.functions, Some(result));
    set_entry_point(module, name, |entry| {
        let values = vec![entry.constant(Expression::ZeroValue(location)), entry.number(0)];
        entry.call(domain, values);
    });
}
