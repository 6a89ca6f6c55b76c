//! Hull and domain shaders in WGSL, which are ordinary functions.
//!
//! The module gets functions that call those of the shader with the points and the constants of a patch, and a compute
//! entry point, so that these shaders in WGSL have the same form as in HLSL.

mod domain;
mod hull;

use naga::{
    ArraySize, Binding, Expression, Handle, Module, Scalar, ScalarKind, Span, StructMember, Type, TypeInner,
    proc::Layouter,
};
use onze_ddi::TessellatorDomain;

use super::wgsl_stage::{Body, Reason, Registers, check_members, refused, type_name};

pub(super) use domain::convert as convert_domain;
pub use hull::HullShaderDesc;
pub(super) use hull::convert as convert_hull;

/// The members of a patch's constants that are the factors (HLSL: `SV_TessFactor` and `SV_InsideTessFactor`).
const EDGES: &str = "tess_factor";
const INSIDE: &str = "inside_tess_factor";

/// Maximum number of registers of a patch's constants, in which each factor takes one (D3D11:
/// `D3D11_HS_OUTPUT_PATCH_CONSTANT_REGISTER_COUNT`).
const PATCH_REGISTERS: u32 = 32;

/// The structure of a patch's constants in the source, and its counterpart with factors that are single numbers.
struct PatchConstants {
    declared: Handle<Type>,
    members: Vec<DeclaredMember>,
    /// The structure that begins with all factors, followed by the members with a location in their order.
    flat: Handle<Type>,
}

/// The meaning of a member of the declared structure.
#[derive(Copy, Clone)]
enum DeclaredMember {
    /// Factors from this index on: a number, or an array of `count` numbers.
    Factors { first: u32, array: Option<(Handle<Type>, u32)> },
    /// A member at this index of the flat structure.
    Constant { index: u32 },
}

/// Returns which factors a member has: the index of the first one, and their number.
fn factors_of(member: &StructMember, domain: TessellatorDomain) -> Option<(u32, u32)> {
    match (&member.binding, member.name.as_deref()) {
        (None, Some(EDGES)) => Some((0, domain.edge_factors())),
        (None, Some(INSIDE)) => Some((domain.edge_factors(), domain.inside_factors())),
        _ => None,
    }
}

impl PatchConstants {
    /// Checks a structure of patch constants, and adds its flat counterpart. `writes` is true for a hull shader, which
    /// must have all factors.
    fn new(
        module: &mut Module,
        declared: Handle<Type>,
        domain: TessellatorDomain,
        writes: bool,
    ) -> Result<Self, Reason> {
        let registers = check_members(module, declared, |member| factors_of(member, domain).is_some())?;
        let name = type_name(module, declared).to_owned();
        if has_position(&registers) {
            return refused(format!("`{name}` has a @builtin(position), but patch constants have none"));
        }
        let TypeInner::Struct { members, .. } = module.types[declared].inner.clone() else {
            return refused(format!("`{name}` must be a structure"));
        };
        for (member, count) in [(EDGES, domain.edge_factors()), (INSIDE, domain.inside_factors())] {
            check_factors(module, &name, &members, member, count, writes, domain)?;
        }
        let factors = domain.edge_factors() + domain.inside_factors();
        let mut located: Vec<_> = members.iter().filter_map(location).collect();
        located.sort_by_key(|(location, _)| *location);
        if factors + located.len() as u32 > PATCH_REGISTERS {
            return refused(format!(
                "`{name}` has {} members with a @location; beside the {factors} factors, at most {} are possible",
                located.len(),
                PATCH_REGISTERS - factors
            ));
        }
        let meaning = members.iter().filter_map(|member| {
            if let Some((first, count)) = factors_of(member, domain) {
                let is_array = matches!(module.types[member.ty].inner, TypeInner::Array { .. });
                let array = is_array.then_some((member.ty, count));
                return Some(DeclaredMember::Factors { first, array });
            }
            let (own, _) = location(member)?;
            let index = located.iter().position(|(location, _)| *location == own)? as u32;
            Some(DeclaredMember::Constant { index: factors + index })
        });
        let meaning = meaning.collect();
        let located: Vec<_> = located.into_iter().map(|(_, member)| member.clone()).collect();
        let flat = flat_type(module, domain, &located)?;
        Ok(Self { declared, members: meaning, flat })
    }

    /// Converts a declared structure to a flat one.
    fn flatten(&self, body: &mut Body, declared: Handle<Expression>) -> Handle<Expression> {
        let mut components = Vec::new();
        for (index, member) in (0..).zip(&self.members) {
            let value = body.value(Expression::AccessIndex { base: declared, index });
            match *member {
                DeclaredMember::Factors { first, array: None } => components.push((first, value)),
                DeclaredMember::Factors { first, array: Some((_, count)) } => {
                    for index in 0..count {
                        let factor = body.value(Expression::AccessIndex { base: value, index });
                        components.push((first + index, factor));
                    }
                }
                DeclaredMember::Constant { index } => components.push((index, value)),
            }
        }
        components.sort_by_key(|(index, _)| *index);
        let components = components.into_iter().map(|(_, value)| value).collect();
        body.value(Expression::Compose { ty: self.flat, components })
    }

    /// Converts a flat structure to a declared one.
    fn unflatten(&self, body: &mut Body, flat: Handle<Expression>) -> Handle<Expression> {
        let mut components = Vec::new();
        for member in &self.members {
            components.push(match *member {
                DeclaredMember::Factors { first: index, array: None }
                | DeclaredMember::Constant { index } => {
                    body.value(Expression::AccessIndex { base: flat, index })
                }
                DeclaredMember::Factors { first, array: Some((ty, count)) } => {
                    let factors = (first..first + count)
                        .map(|index| body.value(Expression::AccessIndex { base: flat, index }));
                    let components = factors.collect();
                    body.value(Expression::Compose { ty, components })
                }
            });
        }
        body.value(Expression::Compose { ty: self.declared, components })
    }
}

/// Whether a structure has a position.
fn has_position(registers: &Registers) -> bool {
    registers.last().is_some_and(|components| *components > 0)
}

fn location(member: &StructMember) -> Option<(u32, &StructMember)> {
    match member.binding {
        Some(Binding::Location { location, .. }) => Some((location, member)),
        _ => None,
    }
}

/// Checks the type of the member with the factors of the edges or of the inside.
fn check_factors(
    module: &Module,
    name: &str,
    members: &[StructMember],
    factors: &str,
    count: u32,
    writes: bool,
    domain: TessellatorDomain,
) -> Result<(), Reason> {
    let found =
        members.iter().find(|member| member.binding.is_none() && member.name.as_deref() == Some(factors));
    let domain = format!("TessellatorDomain::{domain:?}");
    let Some(member) = found else {
        if writes && count > 0 {
            return refused(format!(
                "`{name}` must have the member `{factors}: {}` for {domain}",
                factors_type(count)
            ));
        }
        return Ok(());
    };
    let number = TypeInner::Scalar(Scalar::F32);
    let is_valid = match module.types[member.ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            count > 1 && length.get() == count && module.types[base].inner == number
        }
        ref inner => count == 1 && *inner == number,
    };
    match (is_valid, count) {
        (true, _) => Ok(()),
        (false, 0) => {
            refused(format!("`{name}` has the member `{factors}`, but {domain} has no such factors"))
        }
        (false, _) => refused(format!(
            "the member `{factors}` of `{name}` must be {} for {domain}",
            factors_type(count)
        )),
    }
}

fn factors_type(count: u32) -> String {
    match count {
        1 => "f32".to_owned(),
        count => format!("array<f32, {count}>"),
    }
}

/// Adds the structure that begins with single factors, followed by the given members.
fn flat_type(
    module: &mut Module,
    domain: TessellatorDomain,
    located: &[StructMember],
) -> Result<Handle<Type>, Reason> {
    let number = Type { name: None, inner: TypeInner::Scalar(Scalar { kind: ScalarKind::Float, width: 4 }) };
    let number = module.types.insert(number, Span::UNDEFINED);
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
    let edges = (0..domain.edge_factors()).map(|index| format!("edge{index}"));
    let inside = (0..domain.inside_factors()).map(|index| format!("inside{index}"));
    let factor = |name| StructMember { name: Some(name), ty: number, binding: None, offset: 0 };
    let mut members: Vec<_> = edges.chain(inside).map(factor).collect();
    members.extend_from_slice(located);
    let mut end = 0_u32;
    let mut alignment = naga::proc::Alignment::ONE;
    for member in &mut members {
        let layout = layouter[member.ty];
        member.offset = layout.alignment.round_up(end);
        end = member.offset + layout.size;
        alignment = alignment.max(layout.alignment);
    }
    let inner = TypeInner::Struct { members, span: alignment.round_up(end) };
    Ok(module.types.insert(Type { name: Some("PatchConstants".to_owned()), inner }, Span::UNDEFINED))
}
