//! The pass for vertex pulling: the vertex shader reads its elements from vertex buffers.
//!
//! wgpu reads elements at strides and offsets that are multiples of 4, within the stride and of some formats
//! only, and refuses draws that reach beyond a buffer. Direct3D 11 has none of these limits. If a draw breaks
//! one, the entry point becomes a function. A new entry point takes only the indices of vertex and instance,
//! reads the elements from storage buffers of words, and calls the function with them.
//!
//! Addresses have 32 bits and wrap around. An element that is not entirely within its buffer is 0 in the
//! components of its format and the default (0, 0, 0, 1) in the others. Without a buffer all components are
//! 0.

use std::{collections::HashMap, fmt::Write as _};

use naga::{
    AddressSpace, Binding, BuiltIn, Expression, Function, FunctionArgument, GlobalVariable, Handle,
    MemoryDecorations, Module, ResourceBinding, Scalar, ScalarKind as Kind, Span, StructMember,
    SwizzleComponent, Type, TypeInner, UniqueArena, VectorSize,
};
use onze_ddi::{ComponentKind, ScalarKind};

use crate::objects::{
    shader::{
        bindings::PULL_GROUP,
        driver_constants::{COUNT_VECTORS, DriverBlock},
        rewrite::{entry_point::EntryWrapper, snippet::Snippet},
        specialization::pull::{PulledElement, PulledSlot, VertexPull},
    },
    state::StepRate,
};

use super::{
    context::{ModulePass, PassScope},
    driver_constants,
    wgsl::elements::{CONVERSIONS, decoded, scalar_name},
};

pub(super) const PASS: ModulePass = ModulePass {
    name: "pull",
    scope: PassScope::Shader,
    applies: |context| context.key.pull.is_some(),
    run: |context| {
        let Some(pull) = &context.key.pull else { return };
        let has_starts = context.key.block == Some(DriverBlock::CountsAndStarts);
        let starts = if has_starts { driver_constants::variable(context) } else { None };
        apply(&mut context.module, pull, starts);
    },
};

impl VertexPull {
    /// Returns the WGSL functions of all elements, each named `element` followed by the location.
    fn text(&self, has_starts: bool) -> String {
        let mut text = format!("{}{CONVERSIONS}", self.space.declaration(self.slots.len()));
        let start = if has_starts { "driver_constants.starts.y" } else { "0u" };
        if has_starts {
            let _ = write!(
                text,
                "
                struct DriverConstants {{ counts: array<vec4<u32>, {COUNT_VECTORS}>, starts: vec4<u32> }}
                @group(0) @binding(1) var<uniform> driver_constants: DriverConstants;"
            );
        }
        let _ = write!(text, "\nfn start() -> u32 {{ return {start}; }}\n");
        for buffer in 0..self.buffers() {
            // `load` returns the four bytes from any address. The index of the second word is beyond the
            // buffer only if the element uses no byte of that word.
            let _ = write!(
                text,
                "
                @group(0) @binding({}) var<storage> buffer{buffer}: array<u32>;
                fn load{buffer}(at: u32) -> u32 {{
                    let low = buffer{buffer}[at / 4u];
                    let shift = at % 4u * 8u;
                    if shift == 0u {{ return low; }}
                    return (low >> shift) | (buffer{buffer}[at / 4u + 1u] << (32u - shift));
                }}",
                buffer + 2
            );
        }
        for (at, slot) in self.slots.iter().enumerate() {
            for element in &slot.elements {
                element.write(&mut text, at, slot);
            }
        }
        text
    }
}

impl PulledElement {
    /// Returns the scalar kind of the shader's input.
    const fn kind(&self) -> ScalarKind {
        match self.format.component_kind() {
            ComponentKind::Uint => ScalarKind::Uint,
            ComponentKind::Sint => ScalarKind::Sint,
            _ => ScalarKind::Float,
        }
    }

    fn write(&self, text: &mut String, at: usize, slot: &PulledSlot) {
        let Self { location, format, offset } = *self;
        // Without a buffer the value is always 0, which needs no function.
        let Some(buffer) = slot.buffer else { return };
        let number = match slot.step {
            StepRate::Vertex => "vertex + pulled.starts.x".to_owned(),
            StepRate::Instances(0) => "start() + pulled.starts.y".to_owned(),
            StepRate::Instances(1) => "instance + pulled.starts.y".to_owned(),
            StepRate::Instances(rate) => {
                format!("start() + pulled.starts.y + (instance - start()) / {rate}u")
            }
        };
        let (kind, bytes) = (scalar_name(self.kind()), format.bytes_per_block());
        let words = 0..bytes.div_ceil(4);
        let variables: String = words.clone().map(|n| format!("var word{n} = 0u;\n")).collect();
        let load = |n: u32| match slot.is_aligned && offset.is_multiple_of(4) {
            true => format!("word{n} = buffer{buffer}[first / 4u + {n}u];\n"),
            false => format!("word{n} = load{buffer}(first + {}u);\n", 4 * n),
        };
        let loads: String = words.map(load).collect();
        let decoded = decoded(format, self.kind());
        let _ = write!(
            text,
            "
            fn element{location}(vertex: u32, instance: u32) -> vec4<{kind}> {{
                let slot = pulled.slots[{at}];
                let offset = ({number}) * slot.z + {offset}u;
                {variables}
                if (slot.y >= {bytes}u) & (offset <= slot.y - {bytes}u) {{
                    let first = slot.x + offset;
                    {loads}
                }}
                return {decoded};
            }}"
        );
    }
}

/// The source of an argument of the wrapped function, or of a member of one.
enum ArgumentSource {
    /// A value that is passed on unchanged.
    Value(Handle<Expression>),
    /// The index of the vertex or of the instance.
    Number(Handle<Expression>),
    /// All four components of an element.
    Element(Handle<Expression>),
}

/// Wraps the module's only entry point. `block` is the variable of the driver constants, if they contain the
/// starts of an indirect draw.
fn apply(module: &mut Module, pull: &VertexPull, block: Option<Handle<GlobalVariable>>) {
    let functions = import(module, pull, block);
    let word = module.types.insert(of_scalar(Scalar::U32), Span::UNDEFINED);
    let Some((mut wrapper, given)) = EntryWrapper::without_arguments(module, "with_elements") else { return };
    let numbers = [BuiltIn::VertexIndex, BuiltIn::InstanceIndex].map(|number| {
        let name = if number == BuiltIn::VertexIndex { "vertex" } else { "instance" };
        let binding = Some(Binding::BuiltIn(number));
        wrapper.add_argument(FunctionArgument { name: Some(name.into()), ty: word, binding })
    });
    // The arguments are added first, because no statement emits them.
    let mut sources = Vec::new();
    for argument in &given {
        for (ty, binding) in parts(&module.types, argument) {
            sources.push(source(&mut wrapper, ty, &binding, numbers, &functions));
        }
    }
    let types = &module.types;
    wrapper.set_arguments(|function| {
        let mut sources = sources.iter();
        let mut make = |argument: &FunctionArgument| {
            let mut values = parts(types, argument)
                .into_iter()
                .zip(sources.by_ref())
                .map(|((ty, _), source)| value(function, types, ty, source))
                .collect::<Vec<_>>();
            match (members(types, argument), values.pop()) {
                (None, Some(value)) => value,
                (_, last) => {
                    values.extend(last);
                    let whole = Expression::Compose { ty: argument.ty, components: values };
                    function.expressions.append(whole, Span::UNDEFINED)
                }
            }
        };
        given.iter().map(&mut make).collect()
    });
    wrapper.finish(module, |_, _, _, _| None);
}

const fn of_scalar(scalar: Scalar) -> Type {
    Type { name: None, inner: TypeInner::Scalar(scalar) }
}

/// Returns the members of an argument whose type is a structure.
fn members<'t>(types: &'t UniqueArena<Type>, argument: &FunctionArgument) -> Option<&'t [StructMember]> {
    match &types.get_handle(argument.ty).ok()?.inner {
        TypeInner::Struct { members, .. } => Some(members),
        _ => None,
    }
}

/// Returns the type and the binding of an argument, or those of its members.
fn parts(types: &UniqueArena<Type>, argument: &FunctionArgument) -> Vec<(Handle<Type>, Option<Binding>)> {
    match members(types, argument) {
        Some(members) => members.iter().map(|member| (member.ty, member.binding.clone())).collect(),
        None => vec![(argument.ty, argument.binding.clone())],
    }
}

/// Returns the source of a part of the arguments, and calls the function of its element.
fn source(
    wrapper: &mut EntryWrapper,
    ty: Handle<Type>,
    binding: &Option<Binding>,
    [vertex, instance]: [Handle<Expression>; 2],
    functions: &HashMap<String, Handle<Function>>,
) -> ArgumentSource {
    match binding {
        Some(Binding::BuiltIn(BuiltIn::VertexIndex)) => ArgumentSource::Number(vertex),
        Some(Binding::BuiltIn(BuiltIn::InstanceIndex)) => ArgumentSource::Number(instance),
        Some(Binding::Location { location, .. }) => match functions.get(&format!("element{location}")) {
            Some(function) => ArgumentSource::Element(wrapper.call(*function, vec![vertex, instance])),
            None => ArgumentSource::Value(wrapper.add_plain(Expression::ZeroValue(ty))),
        },
        Some(Binding::BuiltIn(_)) | None => {
            let (name, binding) = (None, binding.clone());
            ArgumentSource::Value(wrapper.add_argument(FunctionArgument { name, ty, binding }))
        }
    }
}

/// Adds the expressions that convert a source to the type of its part.
fn value(
    function: &mut Function,
    types: &UniqueArena<Type>,
    ty: Handle<Type>,
    source: &ArgumentSource,
) -> Handle<Expression> {
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let inner = types.get_handle(ty).ok().map(|ty| &ty.inner);
    let scalar = inner.and_then(TypeInner::scalar);
    match *source {
        ArgumentSource::Value(value) => value,
        // Indices are signed in GLSL.
        ArgumentSource::Number(number) if scalar.is_some_and(|scalar| scalar.kind == Kind::Sint) => {
            add(Expression::As { expr: number, kind: Kind::Sint, convert: None })
        }
        ArgumentSource::Number(number) => number,
        ArgumentSource::Element(vector) => {
            let pattern =
                [SwizzleComponent::X, SwizzleComponent::Y, SwizzleComponent::Z, SwizzleComponent::W];
            let value = match inner {
                Some(TypeInner::Vector { size: VectorSize::Quad, .. }) => vector,
                Some(TypeInner::Vector { size, .. }) => {
                    add(Expression::Swizzle { size: *size, vector, pattern })
                }
                _ => add(Expression::AccessIndex { base: vector, index: 0 }),
            };
            match scalar {
                Some(Scalar { kind, width }) if width != 4 => {
                    add(Expression::As { expr: value, kind, convert: Some(width) })
                }
                _ => value,
            }
        }
    }
}

/// Adds the variables and the functions that read elements, and returns the functions by name.
fn import(
    module: &mut Module,
    pull: &VertexPull,
    block: Option<Handle<GlobalVariable>>,
) -> HashMap<String, Handle<Function>> {
    // A preliminary type, which the snippet replaces.
    let ty = module.types.insert(of_scalar(Scalar::U32), Span::UNDEFINED);
    let mut declare = |name: &str, binding| {
        let variable = GlobalVariable {
            name: Some(name.into()),
            space: AddressSpace::Uniform,
            binding: Some(ResourceBinding { group: PULL_GROUP as u32, binding }),
            ty,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        };
        module.global_variables.append(variable, Span::UNDEFINED)
    };
    let mut variables = vec![("pulled".to_owned(), declare("pulled", 0))];
    for buffer in 0..pull.buffers() {
        let name = format!("buffer{buffer}");
        let variable = declare(&name, 1 + buffer);
        variables.push((name, variable));
    }
    let known = block.map(|block| ("driver_constants", Some(block)));
    let known: Vec<_> =
        variables.iter().map(|(name, variable)| (name.as_str(), Some(*variable))).chain(known).collect();
    let mut functions = std::mem::take(&mut module.functions);
    let mut snippet = Snippet::new(module, &pull.text(block.is_some()), &known);
    variables.iter().for_each(|(name, _)| snippet.retype(name));
    let by_name = snippet.import(&mut functions);
    module.functions = functions;
    by_name
}

#[cfg(test)]
mod tests;
