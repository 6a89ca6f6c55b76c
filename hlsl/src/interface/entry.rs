//! Properties of the entry point: its signature, its uniform parameters and its attributes.

use std::sync::Arc;

use crate::{
    check::tree::{
        AttributeValue, BufferId, DeclaredBuffer, FunctionId, Global, GlobalId, Program, Storage, Type,
    },
    interface::{
        bindings::{RegisterClass, objects},
        signature::{Signature, is_uniform, signature, stream},
    },
    session::{
        Session,
        code::Code,
        profile::{Profile, ShaderStage},
    },
    syntax::builtin::{Scalar, Shape},
};

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) signature: Signature,
    pub(crate) origins: Vec<ParameterOrigin>,
    /// The number of threads in a group along x, y and z.
    pub(crate) threads: [u32; 3],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ParameterOrigin {
    Signature,
    /// The parameter is an object or a variable in the buffer `$Params`.
    Uniform(GlobalId),
    /// The parameter is a structure with numbers, which come from the signature, and objects, which belong to
    /// this variable, or it is a stream, which this variable represents.
    Objects(GlobalId),
}

impl ParameterOrigin {
    /// Returns the variable that represents the parameter or its objects.
    pub(crate) fn global(self) -> Option<GlobalId> {
        match self {
            Self::Signature => None,
            Self::Uniform(global) | Self::Objects(global) => Some(global),
        }
    }
}

/// Finds the signature of a function, and creates variables for its uniform parameters.
pub(crate) fn prepare(
    session: &mut Session,
    program: &mut Program,
    function: FunctionId,
    profile: Profile,
    backwards_compatible: bool,
) -> Entry {
    let signature = signature(session, program, function, profile, backwards_compatible);
    let origins = origins(program, function);
    let threads = threads(session, program, function, profile);
    Entry { signature, origins, threads }
}

/// Finds the origin of each parameter's value, and creates variables for uniform parameters.
fn origins(program: &mut Program, id: FunctionId) -> Vec<ParameterOrigin> {
    let function = &program[id];
    let buffer = BufferId(program.buffers.len() as u32);
    let first = program.globals.len() as u32;
    let mut globals = Vec::new();
    let mut variables = Vec::new();
    let mut origins = Vec::new();
    for parameter in &function.parameters {
        let local = function.local(parameter.local);
        let global = GlobalId(first + globals.len() as u32);
        if is_uniform(function, parameter) {
            variables.push(global);
            origins.push(ParameterOrigin::Uniform(global));
        } else if has_registers(program, &local.ty) || stream(program, &local.ty).is_some() {
            origins.push(ParameterOrigin::Objects(global));
        } else {
            origins.push(ParameterOrigin::Signature);
            continue;
        }
        globals.push(Global {
            name: local.name.clone(),
            ty: local.ty.clone(),
            packing: parameter.packing,
            storage: Storage::Uniform { buffer, offset: None },
            constant: true,
            assigned: false,
            registers: parameter.registers.clone(),
            semantic: parameter.semantic.clone(),
            value: parameter.default.clone(),
            span: local.span,
        });
    }
    if !variables.is_empty() {
        let span = function.span;
        program.buffers.push(DeclaredBuffer {
            name: Arc::from("$Params"),
            texture: false,
            registers: Vec::new(),
            variables,
            span,
        });
    }
    program.globals.append(&mut globals);
    origins
}

fn has_registers(program: &Program, ty: &Type) -> bool {
    objects(program, ty).iter().any(|object| RegisterClass::of(object.kind).is_some())
}

/// Returns the arguments of `numthreads`, and reports missing and out-of-range arguments.
fn threads(session: &mut Session, program: &Program, id: FunctionId, profile: Profile) -> [u32; 3] {
    let function = &program[id];
    if profile.stage != ShaderStage::Compute {
        return [1; 3];
    }
    let Some(attribute) = function.attribute("numthreads") else {
        session.error(
            Code::InvalidAttribute,
            function.span,
            format!(
                "'{}': a compute shader needs the attribute numthreads, as in [numthreads(8, 8, 1)]",
                function.name
            ),
        );
        return [1; 3];
    };
    let numbers: Vec<Option<u32>> = attribute
        .arguments
        .iter()
        .map(|argument| match argument {
            AttributeValue::Constant(constant)
                if constant.ty.shape == Shape::Scalar
                    && matches!(constant.ty.scalar, Scalar::Int | Scalar::Uint) =>
            {
                constant.as_integer().and_then(|number| u32::try_from(number).ok())
            }
            _ => None,
        })
        .collect();
    let (most, most_z) = if profile.is_5() { (1024, 64) } else { (768, 1) };
    match numbers[..] {
        [Some(x), Some(y), Some(z)] => {
            let all = u64::from(x) * u64::from(y) * u64::from(z);
            if all == 0 || all > most || z > most_z {
                session.error(
                    Code::ThreadCount,
                    attribute.span,
                    format!(
                        "numthreads({x}, {y}, {z}): each number is at least 1, the last at most {most_z} and the \
                         product at most {most} in {profile}"
                    ),
                );
                return [1; 3];
            }
            [x, y, z]
        }
        _ => {
            session.error(
                Code::ThreadCount,
                attribute.span,
                "numthreads takes three integers that are known and not negative",
            );
            [1; 3]
        }
    }
}
