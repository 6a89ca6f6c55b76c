//! Limits for the shared memory of a thread group and for the elements of structured buffers.

use std::collections::BTreeSet;

use crate::{
    check::tree::{Global, GlobalId, ObjectType, Program, Storage},
    interface::layout::LayoutRules,
    session::{Session, code::Code, profile::Profile},
    syntax::builtin::ObjectFamily,
};

use super::{ObjectId, Usage, objects};

/// Maximum size of a structured buffer's element in bytes (D3D11:
/// `D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES`).
const MOST_STRIDE: u32 = 2048;

pub(super) fn check(session: &mut Session, program: &Program, usage: &Usage, profile: Profile) {
    shared(session, program, usage, profile);
    // The set sorts the objects in the order of declaration.
    let used: BTreeSet<_> = usage.objects.iter().copied().collect();
    let mut of_global: Option<(GlobalId, Vec<&ObjectType>)> = None;
    for ObjectId { global, index } in used {
        let list = match of_global.take() {
            Some((id, list)) if id == global => list,
            _ => objects(program, &program[global].ty),
        };
        let is_reported = list
            .get(index as usize)
            .is_some_and(|object| is_too_long(session, program, &program[global], object));
        // The list is emptied, because one message per variable is enough.
        of_global = Some((global, if is_reported { Vec::new() } else { list }));
    }
}

fn shared(session: &mut Session, program: &Program, usage: &Usage, profile: Profile) {
    let most: u32 = if profile.is_5() { 32 << 10 } else { 16 << 10 };
    let used: BTreeSet<_> = usage.globals.iter().copied().collect();
    let mut total = 0_u32;
    for global in used.iter().map(|id| &program[*id]) {
        if global.storage == Storage::GroupShared {
            total = total.saturating_add(LayoutRules::Structured.size(program, &global.ty, global.packing));
            if total > most {
                let message = format!(
                    "'{}': the groupshared variables up to this one have {total} bytes; the most in {profile} are {most}",
                    global.name
                );
                return session.error(Code::SharedMemoryTooLarge, global.span, message);
            }
        }
    }
}

fn is_too_long(session: &mut Session, program: &Program, global: &Global, object: &ObjectType) -> bool {
    let is_structured = matches!(
        object.kind.family(),
        ObjectFamily::StructuredBuffer | ObjectFamily::WrittenStructuredBuffer | ObjectFamily::List
    );
    let Some(element) = object.element.as_ref().filter(|_| is_structured) else { return false };
    let size = LayoutRules::Structured.size(program, element, object.packing);
    if size > MOST_STRIDE {
        let name = &global.name;
        let message = format!(
            "'{name}': an element of the structured buffer has {size} bytes; the most are {MOST_STRIDE}"
        );
        session.error(Code::ElementTooLarge, global.span, message);
    }
    size > MOST_STRIDE
}

#[cfg(test)]
mod tests {
    use crate::testing::codes;

    #[test]
    fn a_group_shares_at_most_32_kib() {
        let of = |count: u32, profile: &str| {
            let text = format!(
                "groupshared float4 a[{count}]; groupshared float3 b[4]; groupshared float unused[9000];
                [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {{ a[i] = 1; b[i] = 2; }}"
            );
            codes(&text, profile)
        };
        assert_eq!(of(2045, "cs_5_0"), [] as [u16; 0]);
        assert_eq!(of(2046, "cs_5_0"), [4586]);
        assert_eq!(of(1021, "cs_4_0"), [] as [u16; 0]);
        assert_eq!(of(1022, "cs_4_0"), [4586]);
        assert_eq!(of(60000, "cs_5_0"), [4586]);
    }

    #[test]
    fn an_element_has_at_most_2048_bytes() {
        let of = |buffer: &str, count: u32| {
            let text = format!(
                "struct E {{ float3 a; float b[{count}]; }}; {buffer}<E> b; {buffer}<E> other[2];
                float4 main() : SV_Target {{ return b[0].a.x; }}"
            );
            codes(&text, "ps_5_0")
        };
        assert_eq!(of("StructuredBuffer", 509), [] as [u16; 0]);
        assert_eq!(of("StructuredBuffer", 510), [4599]);
        assert_eq!(of("RWStructuredBuffer", 510), [4599]);
    }
}
