//! The pass that adapts a pixel shader's outputs to the targets and to the blend state.
//!
//! * wgpu requires the target's kind of numbers, where Direct3D 11 stores the bits unchanged.
//! * wgpu requires at least the target's components. Direct3D 11 accepts fewer; this driver sets the others
//!   to 0, and alpha to 1.
//! * A sample mask, or alpha that becomes coverage, can exclude a pixel of a target with one sample. Some
//!   adapters ignore both there, so the shader discards the pixel.
//! * Direct3D 11 blends with the colours of targets 0 and 1 if the blend state uses two sources. WGSL marks
//!   the second source in the shader.
//! * In wgpu alpha becomes coverage only if the first target has alpha. For other targets the shader computes
//!   a sample mask.

use naga::{
    BinaryOperator, Binding, Block, BuiltIn, Expression, FunctionResult, Handle, Literal, Module, Scalar,
    Span, Statement, StructMember, Type, TypeInner, UnaryOperator, VectorSize,
};
use onze_ddi::ScalarKind;

use crate::objects::shader::{
    rewrite::{
        entry_point::EntryWrapper,
        scalars::{scalar, with_scalar},
    },
    specialization::outputs::{AlphaUse, Outputs},
};

use super::context::{ModulePass, PassScope};

pub(super) const PASS: ModulePass = ModulePass {
    name: "outputs",
    scope: PassScope::Shader,
    applies: |context| context.key.outputs != Outputs::default(),
    run: |context| apply(&mut context.module, &context.key.outputs),
};

/// The constants that the pass may need.
struct OutputConstants {
    /// The numbers 0 and 1 as floats, as signed integers and as unsigned integers.
    pads: [[Handle<Expression>; 2]; 3],
    half: Handle<Expression>,
    zero: Handle<Expression>,
    one: Handle<Expression>,
    samples: Handle<Expression>,
}

impl OutputConstants {
    fn new(wrapper: &mut EntryWrapper, samples: u8) -> Self {
        let mut add = |literal| wrapper.add_plain(Expression::Literal(literal));
        let floats = [Literal::F32(0.0), Literal::F32(1.0)].map(&mut add);
        let signed = [Literal::I32(0), Literal::I32(1)].map(&mut add);
        let unsigned = [Literal::U32(0), Literal::U32(1)].map(&mut add);
        Self {
            pads: [floats, signed, unsigned],
            half: add(Literal::F32(0.5)),
            zero: floats[0],
            one: floats[1],
            samples: add(Literal::F32(samples.into())),
        }
    }

    /// Returns 0 and 1 of a scalar type.
    const fn pads(&self, scalar: Scalar) -> Option<[Handle<Expression>; 2]> {
        match scalar {
            Scalar::F32 => Some(self.pads[0]),
            Scalar::I32 => Some(self.pads[1]),
            Scalar::U32 => Some(self.pads[2]),
            _ => None,
        }
    }
}

/// Returns whether a binding is a colour at a location. Both sources of dual-source blending match.
const fn is_at(binding: &Option<Binding>, at: u32) -> bool {
    matches!(binding, Some(Binding::Location { location, .. }) if *location == at)
}

/// Returns whether a binding is the colour whose alpha counts.
const fn is_first(binding: &Option<Binding>) -> bool {
    matches!(binding, Some(Binding::Location { location: 0, blend_src: None | Some(0), .. }))
}

/// Turns a colour into a blend source by its location. Returns `false` for other colours, which have no
/// target.
fn is_source(binding: &mut Option<Binding>) -> bool {
    let Some(Binding::Location { location, blend_src, .. }) = binding else { return true };
    *blend_src = Some(std::mem::take(location));
    blend_src.is_some_and(|source| source < 2)
}

/// One output of the shader.
struct OutputValue {
    name: Option<String>,
    value: Handle<Expression>,
    ty: Handle<Type>,
    binding: Option<Binding>,
}

/// Rewrites the outputs of the module's only entry point.
fn apply(module: &mut Module, outputs: &Outputs) {
    let Some(mut wrapper) = EntryWrapper::new(module, "before_outputs") else { return };
    let samples = if let AlphaUse::Covers(samples) = outputs.alpha { samples } else { 1 };
    let constants = OutputConstants::new(&mut wrapper, samples);
    let Some((value, result)) = wrapper.call_inner() else { return wrapper.end(module, None) };
    let mut parts = parts(&mut wrapper, module, value, &result);
    for part in &mut parts {
        if (0..u8::BITS).any(|at| outputs.widened & (1 << at) != 0 && is_at(&part.binding, at)) {
            widen(&mut wrapper, module, &constants, part);
        }
    }
    // If alpha is used, the key has widened the colour to four components.
    let uses_alpha = outputs.alpha != AlphaUse::Plain;
    let alpha = parts.iter().find(|part| uses_alpha && is_first(&part.binding)).map(|part| part.value);
    let alpha = alpha.map(|base| wrapper.add(Expression::AccessIndex { base, index: 3 }));
    match (outputs.alpha, alpha) {
        (AlphaUse::Kills, Some(alpha)) => {
            let op = BinaryOperator::GreaterEqual;
            let stays = wrapper.add(Expression::Binary { op, left: alpha, right: constants.half });
            let op = UnaryOperator::LogicalNot;
            let condition = wrapper.add(Expression::Unary { op, expr: stays });
            kill(&mut wrapper, condition);
        }
        (AlphaUse::Covers(_), Some(alpha)) => parts.push(coverage(&mut wrapper, module, &constants, alpha)),
        (AlphaUse::Plain, _) | (_, None) => {}
    }
    for (at, kind) in (0..).zip(outputs.recast) {
        let of_target = parts.iter_mut().filter(|part| is_at(&part.binding, at));
        if let Some(kind) = kind {
            of_target.for_each(|part| recast(&mut wrapper, module, kind, part));
        }
    }
    let is_mask = |part: &&OutputValue| matches!(part.binding, Some(Binding::BuiltIn(BuiltIn::SampleMask)));
    if outputs.mask_kills
        && let Some(mask) = parts.iter().find(is_mask)
        && let Some([zero, one]) = scalar_of(module, mask.ty).and_then(|scalar| constants.pads(scalar))
    {
        let op = BinaryOperator::And;
        let bit = wrapper.add(Expression::Binary { op, left: mask.value, right: one });
        let op = BinaryOperator::Equal;
        let condition = wrapper.add(Expression::Binary { op, left: bit, right: zero });
        kill(&mut wrapper, condition);
    }
    if outputs.are_sources {
        parts.retain_mut(|part| is_source(&mut part.binding));
    }
    let given = together(&mut wrapper, module, parts);
    wrapper.end(module, Some(given));
}

fn scalar_of(module: &Module, ty: Handle<Type>) -> Option<Scalar> {
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

/// Splits the function's result into its outputs.
fn parts(
    wrapper: &mut EntryWrapper,
    module: &Module,
    value: Handle<Expression>,
    result: &FunctionResult,
) -> Vec<OutputValue> {
    let TypeInner::Struct { members, .. } = &module.types[result.ty].inner else {
        return vec![OutputValue { name: None, value, ty: result.ty, binding: result.binding.clone() }];
    };
    let part = |(index, member): (u32, &StructMember)| OutputValue {
        name: member.name.clone(),
        value: wrapper.add(Expression::AccessIndex { base: value, index }),
        ty: member.ty,
        binding: member.binding.clone(),
    };
    (0..).zip(members).map(part).collect()
}

/// Extends a colour to four components.
fn widen(
    wrapper: &mut EntryWrapper,
    module: &mut Module,
    constants: &OutputConstants,
    part: &mut OutputValue,
) {
    let (count, scalar) = match module.types[part.ty].inner {
        TypeInner::Scalar(scalar) => (1, scalar),
        TypeInner::Vector { size, scalar } => (size as usize, scalar),
        _ => return,
    };
    let Some([zero, one]) = constants.pads(scalar).filter(|_| count < 4) else { return };
    let mut components = vec![part.value];
    components.extend(std::iter::repeat_n(zero, 3 - count));
    components.push(one);
    let inner = TypeInner::Vector { size: VectorSize::Quad, scalar };
    part.ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    part.value = wrapper.add(Expression::Compose { ty: part.ty, components });
}

/// Reinterprets the bits of a colour as numbers of another kind.
fn recast(wrapper: &mut EntryWrapper, module: &mut Module, kind: ScalarKind, part: &mut OutputValue) {
    let scalar = scalar(kind);
    let Some(ty) = with_scalar(&mut module.types, part.ty, scalar) else { return };
    part.ty = ty;
    part.value = wrapper.add(Expression::As { expr: part.value, kind: scalar.kind, convert: None });
}

/// Discards the pixel if a condition holds.
fn kill(wrapper: &mut EntryWrapper, condition: Handle<Expression>) {
    wrapper.emit();
    let accept = Block::from_vec(vec![Statement::Kill]);
    wrapper.push(Statement::If { condition, accept, reject: Block::new() });
}

/// Computes the sample mask for an alpha value. The number of set bits, from the lowest, is alpha's share of
/// the samples.
fn coverage(
    wrapper: &mut EntryWrapper,
    module: &mut Module,
    constants: &OutputConstants,
    alpha: Handle<Expression>,
) -> OutputValue {
    let binary =
        |wrapper: &mut EntryWrapper, op, left, right| wrapper.add(Expression::Binary { op, left, right });
    let clamp = Expression::Math {
        fun: naga::MathFunction::Clamp,
        arg: alpha,
        arg1: Some(constants.zero),
        arg2: Some(constants.one),
        arg3: None,
    };
    let clamped = wrapper.add(clamp);
    let share = binary(wrapper, BinaryOperator::Multiply, clamped, constants.samples);
    let rounded = binary(wrapper, BinaryOperator::Add, share, constants.half);
    let to_word = Expression::As { expr: rounded, kind: naga::ScalarKind::Uint, convert: Some(4) };
    let bits = wrapper.add(to_word);
    let [_, one] = constants.pads[2];
    let above = binary(wrapper, BinaryOperator::ShiftLeft, one, bits);
    let value = binary(wrapper, BinaryOperator::Subtract, above, one);
    let inner = TypeInner::Scalar(Scalar::U32);
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let binding = Some(Binding::BuiltIn(BuiltIn::SampleMask));
    OutputValue { name: Some("coverage".into()), value, ty, binding }
}

/// Combines the outputs into one result.
fn together(
    wrapper: &mut EntryWrapper,
    module: &mut Module,
    parts: Vec<OutputValue>,
) -> (Handle<Expression>, FunctionResult) {
    if let [part] = &*parts
        && part.binding.is_some()
    {
        return (part.value, FunctionResult { ty: part.ty, binding: part.binding.clone() });
    }
    // Outputs have at most 16 bytes, and their offsets do not matter because they are not in memory.
    const PART: u32 = 16;
    let components = parts.iter().map(|part| part.value).collect();
    let span = PART * parts.len() as u32;
    let member = |(at, part): (u32, OutputValue)| StructMember {
        name: part.name,
        ty: part.ty,
        binding: part.binding,
        offset: PART * at,
    };
    let members = (0..).zip(parts).map(member).collect();
    let outputs = Type { name: Some("Outputs".into()), inner: TypeInner::Struct { members, span } };
    let ty = module.types.insert(outputs, Span::UNDEFINED);
    let whole = wrapper.add(Expression::Compose { ty, components });
    (whole, FunctionResult { ty, binding: None })
}
