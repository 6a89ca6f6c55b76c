use crate::{
    check::tree::{BufferId, DeclaredBuffer, GlobalId, Program, Storage, Type},
    session::{
        Session,
        code::Code,
        profile::{Profile, ShaderStage},
        source::Span,
    },
    syntax::builtin::Object,
};

use super::{
    Bindings, ObjectId, RegisterClass, RegisterOwner, RegisterRange, Usage, objects,
    reservations::{reservation, reserved},
};

struct RegisterUser<'a> {
    of: RegisterOwner,
    name: &'a str,
    span: Span,
    reserved: Option<u32>,
    space: u32,
    /// The number of registers that the declaration gets if it is used.
    count: u32,
    /// The number of registers that are reserved for the declaration if it names a register.
    whole: u32,
    used: bool,
    members: Vec<u32>,
}

pub(super) fn assign_class(
    session: &mut Session,
    program: &Program,
    usage: &Usage,
    profile: Profile,
    (class, targets): (RegisterClass, u32),
    bindings: &mut Bindings,
) {
    let items = items(session, program, usage, profile, class);
    let first = match class {
        RegisterClass::Unordered if profile.stage == ShaderStage::Pixel => targets,
        _ => 0,
    };
    let mut taken = Vec::new();
    for item in &items {
        if let Some(register) = item.reserved {
            taken.push((register, register.saturating_add(item.whole)));
        }
    }
    check_overlaps(session, &items, class);
    let limit = class.limit(profile);
    for item in items.iter().filter(|item| item.used) {
        let register = match item.reserved {
            Some(register) if register < first => {
                // In Shader Model 5.1, `u` registers and render targets are numbered separately.
                let (code, beginning) = match profile.has_spaces() {
                    true => (Code::Unsupported, "not supported: "),
                    false => (Code::OverlappingRegisters, ""),
                };
                session.error(
                    code,
                    item.span,
                    format!(
                        "{beginning}'{}': register u{register} is that of a render target; the first free one is u{first}",
                        item.name
                    ),
                );
                register
            }
            Some(register) => register,
            None => {
                let register = lowest_free(&taken, first, item.count);
                taken.push((register, register.saturating_add(item.count)));
                register
            }
        };
        if register.saturating_add(item.count) > limit {
            report_limit(session, item, class, limit, profile);
            continue;
        }
        record(bindings, item, class, register);
    }
}

fn record(bindings: &mut Bindings, item: &RegisterUser<'_>, class: RegisterClass, register: u32) {
    bindings.ranges.push(RegisterRange { of: item.of, class, register, count: item.count });
    let registers = item.members.iter().zip(register..).take(item.count as usize);
    match item.of {
        RegisterOwner::Buffer(id) => {
            bindings.buffers.insert(id, register);
        }
        RegisterOwner::Variable(global) => {
            bindings
                .objects
                .extend(registers.map(|(index, register)| (ObjectId { global, index: *index }, register)));
        }
        RegisterOwner::Combined(global) => {
            bindings
                .combined
                .extend(registers.map(|(index, register)| (ObjectId { global, index: *index }, register)));
        }
    }
}

/// Collects the declarations that may have a register of a class, in the order of assignment.
fn items<'a>(
    session: &mut Session,
    program: &'a Program,
    usage: &Usage,
    profile: Profile,
    class: RegisterClass,
) -> Vec<RegisterUser<'a>> {
    let mut items = Vec::new();
    for index in 0..program.buffers.len() {
        items.extend(buffer(session, program, usage, profile, class, BufferId(index as u32)));
    }
    // `$Params` is the last buffer of the program, but FXC assigns its register after that of `$Globals`.
    if let Some(params) = items.iter().position(|item| item.name == "$Params") {
        let params = items.remove(params);
        let place =
            usize::from(items.first().is_some_and(|item| item.of == RegisterOwner::Buffer(BufferId(0))));
        items.insert(place, params);
    }
    for index in 0..program.globals.len() {
        let id = GlobalId(index as u32);
        if !matches!(program[id].storage, Storage::Uniform { .. }) {
            continue;
        }
        items.extend(variable(session, program, usage, profile, class, id, true));
        items.extend(variable(session, program, usage, profile, class, id, false));
    }
    items.sort_by_key(|item| rank(program, usage, class, item));
    items
}

/// Returns the sort key of an item, which keeps items with equal keys in the order of declaration.
fn rank(program: &Program, usage: &Usage, class: RegisterClass, item: &RegisterUser<'_>) -> (u32, usize) {
    match item.of {
        // Items with the most registers come first, and among equals the order of first use decides.
        RegisterOwner::Combined(id) => {
            let place = usage.combined_order.iter().position(|global| *global == id);
            (u32::MAX - item.count, place.unwrap_or_default() + 1)
        }
        RegisterOwner::Variable(id) if class == RegisterClass::Samplers => {
            (0, usize::from(matches!(program[id].ty, Type::Object(_))))
        }
        RegisterOwner::Variable(_) | RegisterOwner::Buffer(_) => (u32::MAX, usize::MAX),
    }
}

fn buffer<'a>(
    session: &mut Session,
    program: &'a Program,
    usage: &Usage,
    profile: Profile,
    class: RegisterClass,
    id: BufferId,
) -> Option<RegisterUser<'a>> {
    let buffer = &program[id];
    if RegisterClass::of_buffer(buffer.texture) != class {
        return None;
    }
    let used = buffer.variables.iter().any(|variable| usage.globals.contains(variable));
    let reserved = reserved(session, &buffer.registers, class.letter(), profile);
    if used && reserved.is_none() && !profile.has_spaces() {
        check_buffer_register(session, buffer, class);
    }
    Some(RegisterUser {
        of: RegisterOwner::Buffer(id),
        name: &buffer.name,
        span: buffer.span,
        reserved: reserved.map(|register| register.index),
        space: reserved.map_or(0, |register| register.space),
        count: 1,
        whole: 1,
        used,
        members: Vec::new(),
    })
}

/// Reports a register of the wrong class. FXC also accepts `c` registers, which before Shader Model 4 set the
/// location of the buffer's constants. Here `c0` is ignored, and other `c` registers are reported as
/// unsupported.
fn check_buffer_register(session: &mut Session, buffer: &DeclaredBuffer, class: RegisterClass) {
    let kind = if buffer.texture { "tbuffer" } else { "cbuffer" };
    let name = &buffer.name;
    let Some(other) = buffer.registers.iter().find(|other| (other.class, other.index) != ('c', 0)) else {
        return;
    };
    let (code, message) = if other.class == 'c' {
        let message = format!(
            "not supported: '{name}' at register c{}; use packoffset to place the variables of a {kind}",
            other.index
        );
        (Code::Unsupported, message)
    } else {
        (Code::InvalidRegister, format!("'{name}': a {kind} needs a register {}", class.letter()))
    };
    session.error(code, other.span, message);
}

/// Collects the objects of a class in a variable or, if `combined` is set, the textures that are read through
/// the variable's samplers instead.
fn variable<'a>(
    session: &mut Session,
    program: &'a Program,
    usage: &Usage,
    profile: Profile,
    class: RegisterClass,
    id: GlobalId,
    combined: bool,
) -> Option<RegisterUser<'a>> {
    let global = &program[id];
    if combined && class != RegisterClass::Resources {
        return None;
    }
    let wanted = if combined { RegisterClass::Samplers } else { class };
    let members: Vec<u32> = objects(program, &global.ty)
        .iter()
        .zip(0..)
        .filter(|(object, _)| RegisterClass::of(object.kind) == Some(wanted))
        .filter(|(object, _)| !combined || object.kind == Object::Sampler)
        .map(|(_, index)| index)
        .collect();
    if members.is_empty() {
        return None;
    }
    let set = if combined { &usage.combined } else { &usage.objects };
    let is_used = |index: &u32| set.contains(&ObjectId { global: id, index: *index });
    let last = members.iter().rposition(is_used);
    if combined && last.is_none() {
        return None;
    }
    let whole = members.len() as u32;
    // Samplers after the last used one get no registers, but unused textures do.
    let count = match (wanted, last) {
        (RegisterClass::Samplers, Some(last)) => last as u32 + 1,
        _ => whole,
    };
    let register = reserved(session, &global.registers, class.letter(), profile);
    let reserved = register.map(|register| register.index);
    let is_struct = contains_struct(&global.ty);
    if last.is_some() && reserved.is_none() && is_struct && !combined {
        let other = RegisterClass::ALL
            .iter()
            .find(|other| reservation(session, &global.registers, other.letter(), profile).is_some());
        if other.is_some() {
            session.error(
                Code::InvalidRegister,
                global.span,
                format!(
                    "'{}' names registers for some of its objects, but none for those of {}",
                    global.name,
                    class.letter()
                ),
            );
        }
    }
    if let Storage::Uniform { offset: Some(offset), .. } = global.storage
        && class == RegisterClass::Samplers
        && last.is_some()
        && reserved.is_none()
    {
        session.error(
            Code::InvalidRegister,
            offset.span,
            format!("'{}': a sampler with packoffset also needs a register, as in register(s0)", global.name),
        );
    }
    Some(RegisterUser {
        of: if combined { RegisterOwner::Combined(id) } else { RegisterOwner::Variable(id) },
        name: &global.name,
        span: global.span,
        reserved,
        space: register.map_or(0, |register| register.space),
        count,
        whole,
        used: last.is_some(),
        members,
    })
}

fn contains_struct(ty: &Type) -> bool {
    match ty {
        Type::Struct(_) => true,
        Type::Array(array) => contains_struct(&array.element),
        _ => false,
    }
}

/// Returns the first of `count` consecutive free registers, starting the search at `first`.
fn lowest_free(taken: &[(u32, u32)], first: u32, count: u32) -> u32 {
    let mut register = first;
    // The register number only increases, so each range is passed at most once.
    while let Some((_, end)) =
        taken.iter().find(|(start, end)| *start < register.saturating_add(count) && register < *end)
    {
        register = *end;
        if register == u32::MAX {
            break;
        }
    }
    register
}

fn check_overlaps(session: &mut Session, items: &[RegisterUser<'_>], class: RegisterClass) {
    let mut named: Vec<(u32, &RegisterUser<'_>)> =
        items.iter().filter(|item| item.used).filter_map(|item| Some((item.reserved?, item))).collect();
    named.sort_by_key(|(register, _)| *register);
    for pair in named.windows(2) {
        let [(first, one), (second, other)] = pair else { continue };
        if *second < first.saturating_add(one.count) {
            let letter = class.letter();
            let (code, message) = if one.space == other.space {
                let message = format!(
                    "overlapping register semantics not yet implemented '{letter}{second}': '{}' also has it",
                    one.name
                );
                (Code::OverlappingRegisters, message)
            } else {
                let message = format!(
                    "not supported: '{}' in space{} and '{}' in space{} both have the register {letter}{second}; \
                     Direct3D 11 has one space, so give one of them another register",
                    one.name, one.space, other.name, other.space
                );
                (Code::Unsupported, message)
            };
            session.error(code, other.span, message);
            session.note(one.span, format!("'{}' is here", one.name));
        }
    }
}

fn report_limit(
    session: &mut Session,
    item: &RegisterUser<'_>,
    class: RegisterClass,
    limit: u32,
    profile: Profile,
) {
    let what = match class {
        RegisterClass::Constants => "cbuffer",
        RegisterClass::Resources => "texture register index",
        RegisterClass::Samplers => "sampler register index",
        RegisterClass::Unordered => "unordered access view register index",
    };
    if profile.has_spaces() {
        let (name, letter) = (item.name, class.letter());
        let message =
            format!("not supported: '{name}' is beyond the {limit} registers {letter} of Direct3D 11");
        return session.error(Code::Unsupported, item.span, message);
    }
    let code = match class {
        RegisterClass::Constants => Code::MostConstantBuffers,
        _ if item.reserved.is_some() => Code::RegisterOutOfRange,
        _ => Code::MostRegisters,
    };
    session.error(
        code,
        item.span,
        format!(
            "maximum {what} exceeded by '{}': {profile} has {limit} registers {}",
            item.name,
            class.letter()
        ),
    );
}
