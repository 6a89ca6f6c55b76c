use super::RegisterClass;
use crate::{
    check::tree::{Program, Register, Type},
    session::{
        Session,
        code::Code,
        profile::{Profile, ShaderStage},
    },
};

/// Reports registers with an invalid profile or class, and two registers for the same profile. In Shader
/// Model 5.1, registers whose class does not fit the type of the declaration are also reported.
pub(super) fn check(session: &mut Session, program: &Program, profile: Profile) {
    if profile.has_spaces() {
        check_classes(session, program);
    }
    let globals = program.globals.iter().map(|global| &global.registers);
    let buffers = program.buffers.iter().map(|buffer| &buffer.registers);
    for registers in globals.chain(buffers) {
        for (index, register) in registers.iter().enumerate() {
            check_one(session, register);
            let other = registers[..index].iter().find(|other| {
                other.profile.is_some()
                    && other.profile == register.profile
                    && other.class == register.class
                    && other.index != register.index
            });
            if let Some(other) = other {
                session.error(
                    Code::OverlappingRegisters,
                    register.span,
                    "two registers for one profile: leave one of them out",
                );
                session.note(other.span, "the other register");
            }
        }
    }
}

/// Reports each declaration whose register class does not fit its type, even if the declaration is unused.
fn check_classes(session: &mut Session, program: &Program) {
    let globals = program.globals.iter().filter_map(|global| {
        let class = class_of(&global.ty)?;
        Some((&global.name, class, &global.registers))
    });
    let buffers = program
        .buffers
        .iter()
        .map(|buffer| (&buffer.name, RegisterClass::of_buffer(buffer.texture), &buffer.registers));
    for (name, class, registers) in globals.chain(buffers) {
        for register in registers.iter().filter(|register| register.class != class.letter()) {
            session.error(
                Code::RegisterClass,
                register.span,
                format!(
                    "incorrect bind semantic: '{name}' needs a register {}, not {}",
                    class.letter(),
                    register.class
                ),
            );
        }
    }
}

fn class_of(ty: &Type) -> Option<RegisterClass> {
    match ty {
        Type::Object(object) => RegisterClass::of(object.kind),
        Type::Array(array) => class_of(&array.element),
        _ => None,
    }
}

fn check_one(session: &mut Session, register: &Register) {
    if !matches!(register.class, 'b' | 't' | 's' | 'u' | 'c' | 'i') {
        session.error(
            Code::InvalidRegister,
            register.span,
            format!(
                "invalid register '{}{}': registers are b, t, s, u and c",
                register.class, register.index
            ),
        );
    }
    if let Some(profile) = &register.profile
        && !is_profile(profile)
    {
        session.error(
            Code::InvalidRegister,
            register.span,
            format!("invalid register profile '{profile}': profiles are ps, vs_5_0 and the like"),
        );
    }
}

/// Returns whether a name is a stage, optionally followed by a version that FXC knows.
fn is_profile(name: &str) -> bool {
    let (prefix, version) = name.split_once('_').unwrap_or((name, "5_0"));
    let is_stage = prefix == "fx" || stage(prefix).is_some();
    let versions = [
        "1_1",
        "1_2",
        "1_3",
        "1_4",
        "2_0",
        "2_a",
        "2_b",
        "2_sw",
        "3_0",
        "3_sw",
        "4_0",
        "4_1",
        "5_0",
        "5_1",
        "4_0_level_9_0",
        "4_0_level_9_1",
        "4_0_level_9_3",
    ];
    is_stage && versions.contains(&version)
}

fn stage(prefix: &str) -> Option<ShaderStage> {
    use ShaderStage::{Compute, Domain, Geometry, Hull, Pixel, Vertex};
    [Vertex, Hull, Domain, Geometry, Pixel, Compute].into_iter().find(|stage| stage.prefix() == prefix)
}

/// Returns the number of the register that a declaration names for a class and a profile, and reports a
/// second register.
pub(super) fn reservation(
    session: &mut Session,
    registers: &[Register],
    class: char,
    profile: Profile,
) -> Option<u32> {
    reserved(session, registers, class, profile).map(|register| register.index)
}

/// Returns the register that a declaration names for a class and a profile, and reports a second register. In
/// Shader Model 5.1, the result is the first register regardless of its profile, as in FXC.
pub(super) fn reserved<'r>(
    session: &mut Session,
    registers: &'r [Register],
    class: char,
    profile: Profile,
) -> Option<&'r Register> {
    let version = profile.to_string();
    if profile.has_spaces() {
        return registers.iter().find(|register| register.class == class);
    }
    let applies = |register: &&Register| {
        register.class == class
            && register
                .profile
                .as_deref()
                .is_none_or(|name| name == profile.stage.prefix() || name == version)
    };
    let mut all = registers.iter().filter(applies);
    let first = all.next()?;
    // Two registers for the same profile were already reported by [`check`].
    if let Some(other) = all.find(|other| other.index != first.index && other.profile != first.profile) {
        session.error(
            Code::OverlappingRegisters,
            other.span,
            format!(
                "both {class}{} and {class}{} are for {profile}: leave one of them out",
                first.index, other.index
            ),
        );
    }
    Some(first)
}
