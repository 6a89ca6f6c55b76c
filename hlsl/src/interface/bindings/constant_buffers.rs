use crate::{
    check::tree::{BufferId, Global, GlobalId, Program, Storage},
    interface::layout::{LayoutRules, ROW, has_numbers, pack_offset, round_up},
    session::{Session, code::Code, profile::Profile},
};

use super::{Bindings, Usage, reservations::reservation};

const MOST_BYTES: u32 = 4096 * ROW;

/// Computes the layout of all constant buffers, and reports excessive sizes and overlapping variables in used
/// buffers.
pub(super) fn lay_out(
    session: &mut Session,
    program: &Program,
    usage: &Usage,
    profile: Profile,
    bindings: &mut Bindings,
) {
    for index in 0..program.buffers.len() {
        let id = BufferId(index as u32);
        let size = lay_out_buffer(session, program, profile, id, bindings);
        let used = program[id].variables.iter().any(|variable| usage.globals.contains(variable));
        if used {
            check_overlaps(session, program, id, bindings);
        }
        if used && size > MOST_BYTES && !program[id].texture {
            session.error(
                Code::ConstantBufferTooLarge,
                program[id].span,
                format!("constant buffer '{}' has {size} bytes; the most are {MOST_BYTES}", program[id].name),
            );
        }
        bindings.sizes.insert(id, round_up(size, ROW));
    }
}

fn variables(program: &Program, id: BufferId) -> impl Iterator<Item = (GlobalId, &Global)> {
    let variables = program[id].variables.iter().map(|variable| (*variable, &program[*variable]));
    variables.filter(|(_, global)| has_numbers(program, &global.ty))
}

fn lay_out_buffer(
    session: &mut Session,
    program: &Program,
    profile: Profile,
    id: BufferId,
    bindings: &mut Bindings,
) -> u32 {
    let rules = LayoutRules::Constant;
    let mut end = 0;
    let is_globals = id == BufferId(0);
    // In `$Globals`, variables with an explicit register precede the other variables.
    let mut rest = Vec::new();
    for (variable, global) in variables(program, id) {
        let size = rules.size(program, &global.ty, global.packing);
        let register = if is_globals { reservation(session, &global.registers, 'c', profile) } else { None };
        let packed = match global.storage {
            Storage::Uniform { offset, .. } => offset,
            Storage::Static | Storage::GroupShared => None,
        };
        let offset = if let Some(register) = register {
            register.saturating_mul(ROW)
        } else if let Some(packed) = packed {
            pack_offset(packed)
        } else {
            rest.push((variable, global, size));
            continue;
        };
        bindings.offsets.insert(variable, offset);
        end = end.max(offset.saturating_add(size));
    }
    for (variable, global, size) in rest {
        let offset = rules.place(program, &global.ty, global.packing, end);
        bindings.offsets.insert(variable, offset);
        end = offset.saturating_add(size);
    }
    end
}

fn check_overlaps(session: &mut Session, program: &Program, id: BufferId, bindings: &Bindings) {
    let mut places: Vec<(u32, u32, &Global)> = variables(program, id)
        .filter_map(|(variable, global)| {
            let offset = bindings.offsets.get(&variable)?;
            let size = LayoutRules::Constant.size(program, &global.ty, global.packing);
            Some((*offset, offset.saturating_add(size), global))
        })
        .collect();
    places.sort_by_key(|(offset, ..)| *offset);
    let mut furthest: Option<(u32, &Global)> = None;
    for (offset, end, global) in places {
        if let Some((before, other)) = furthest
            && offset < before
        {
            session.error(
                Code::OverlappingVariables,
                global.span,
                format!("'{}' and '{}' overlap in '{}'", other.name, global.name, program[id].name),
            );
            session.note(other.span, format!("'{}' is here", other.name));
            return;
        }
        if furthest.is_none_or(|(before, _)| before < end) {
            furthest = Some((end, global));
        }
    }
}
