//! Assignment of registers to signature elements. Small elements may share a register.
//!
//! The rules are FXC's, because the stages of Direct3D 11 match their values by register instead of by name.
//! An element is assigned to the register with the most free components that it may share, or otherwise to a
//! new register. Only elements with the same interpolation mode share a register, and elements of arrays,
//! rows and columns of matrices, and first fields of structures begin a new register.

use super::{Interpolation, SignatureElement, SystemValue};
use crate::session::profile::{Profile, ShaderModel, ShaderStage};

struct PackedRegister {
    /// The number of occupied components, counted from x.
    taken: u8,
    interpolation: Interpolation,
    special: SpecialValue,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SpecialValue {
    No,
    /// In a register, only values of the same kind may follow an index value.
    Index,
    Generated,
}

fn special(value: SystemValue) -> SpecialValue {
    match value {
        SystemValue::RenderTargetArrayIndex | SystemValue::ViewportArrayIndex | SystemValue::PrimitiveId => {
            SpecialValue::Index
        }
        SystemValue::IsFrontFace | SystemValue::SampleIndex => SpecialValue::Generated,
        _ => SpecialValue::No,
    }
}

pub(super) fn most(profile: Profile, output: bool) -> u32 {
    match (profile.stage, profile.model) {
        (ShaderStage::Vertex, ShaderModel::V4_0) => 16,
        (ShaderStage::Geometry, ShaderModel::V4_0) if !output => 16,
        _ => 32,
    }
}

/// Assigns registers to elements, and a separate register to each element unless `share` is set. Generated values are
/// in no register.
pub(super) fn assign(
    elements: &mut [SignatureElement],
    share: bool,
    is_generated: &dyn Fn(SystemValue) -> bool,
) {
    let mut registers: Vec<PackedRegister> = Vec::new();
    for element in elements {
        match element.system {
            SystemValue::Target => {
                element.register = Some(element.index);
                continue;
            }
            SystemValue::Depth
            | SystemValue::DepthGreaterEqual
            | SystemValue::DepthLessEqual
            | SystemValue::StencilRef
            | SystemValue::Coverage
            | SystemValue::InnerCoverage
            | SystemValue::DispatchThreadId
            | SystemValue::GroupId
            | SystemValue::GroupThreadId
            | SystemValue::GroupIndex
            | SystemValue::DomainLocation
            | SystemValue::OutputControlPointId
            | SystemValue::GeometryInstanceId => continue,
            system if is_generated(system) => continue,
            _ => {}
        }
        let (index, start) = find(&registers, element, share).unwrap_or((registers.len(), 0));
        if index == registers.len() {
            registers.push(PackedRegister {
                taken: 0,
                interpolation: element.interpolation,
                special: special(element.system),
            });
        }
        registers[index].taken = start + element.components;
        element.register = Some(index as u32);
        element.start = start;
    }
}

/// Returns the register with the most free components that an element may share, and its first free
/// component.
fn find(registers: &[PackedRegister], element: &SignatureElement, share: bool) -> Option<(usize, u8)> {
    if !share || element.aligned {
        return None;
    }
    let own = special(element.system);
    let may_share = |register: &&(usize, &PackedRegister)| {
        let (_, register) = register;
        let alike = match (own, register.special) {
            (SpecialValue::Generated, other) | (other, SpecialValue::Generated) => {
                other == SpecialValue::Generated && own == other
            }
            (SpecialValue::No, SpecialValue::Index) => false,
            (SpecialValue::No | SpecialValue::Index, _) => register.interpolation == element.interpolation,
        };
        alike && register.taken + element.components <= 4
    };
    // Among registers with equally many free components, the first one is chosen.
    let (index, register) = registers
        .iter()
        .enumerate()
        .filter(|register| may_share(&register))
        .min_by_key(|(index, register)| (register.taken, *index))?;
    Some((index, register.taken))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{session::source::Span, syntax::builtin::Scalar};

    /// Returns the register and the first component of each element. `list` contains the number of components
    /// of each element and whether it begins a register.
    fn places(list: &[(u8, bool, Interpolation)]) -> Vec<(u32, u8)> {
        let list = list.iter().map(|(components, aligned, interpolation)| {
            (SystemValue::Undefined, *components, *aligned, *interpolation)
        });
        places_of(&list.collect::<Vec<_>>())
    }

    /// Like [`places`], but with a system value for each element.
    fn places_of(list: &[(SystemValue, u8, bool, Interpolation)]) -> Vec<(u32, u8)> {
        let mut elements: Vec<SignatureElement> = list
            .iter()
            .map(|(system, components, aligned, interpolation)| SignatureElement {
                name: Arc::from("A"),
                index: 0,
                system: *system,
                scalar: Scalar::Float,
                components: *components,
                register: None,
                start: 0,
                interpolation: *interpolation,
                stream: 0,
                used: 0xf,
                aligned: *aligned,
                row: false,
                span: Span::default(),
            })
            .collect();
        assign(&mut elements, true, &|_| false);
        elements.iter().map(|element| (element.register.unwrap(), element.start)).collect()
    }

    #[test]
    fn elements_go_to_the_emptiest_register() {
        let line = Interpolation::default();
        let flat = Interpolation { flat: true, ..line };
        let list = [
            (4, true, line), // register 0
            (1, true, line), // registers 1 and 2: an array
            (1, true, line),
            (3, true, line),  // register 3
            (1, false, flat), // register 4
            (1, false, flat),
            (3, false, line), // register 1
            (2, false, line), // register 2
            (1, false, line), // register 2: registers 2 and 3 have one free component
            (1, false, line), // register 3
            (2, false, line), // register 5
        ];
        assert_eq!(
            places(&list),
            [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (1, 1), (2, 1), (2, 3), (3, 3), (5, 0)]
        );
    }

    #[test]
    fn only_other_indices_follow_an_index_in_its_register() {
        use SystemValue::{PrimitiveId, RenderTargetArrayIndex, Undefined, ViewportArrayIndex};
        let flat = Interpolation { flat: true, ..Interpolation::default() };
        for index in [PrimitiveId, RenderTargetArrayIndex, ViewportArrayIndex] {
            let list = [index, Undefined, ViewportArrayIndex].map(|system| (system, 1, false, flat));
            assert_eq!(places_of(&list)[..2], [(0, 0), (1, 0)], "{index:?}");
            // An index may follow an ordinary value.
            let list = [Undefined, index].map(|system| (system, 1, false, flat));
            assert_eq!(places_of(&list), [(0, 0), (0, 1)], "{index:?}");
        }
        let list = [PrimitiveId, ViewportArrayIndex, Undefined].map(|system| (system, 1, false, flat));
        assert_eq!(places_of(&list), [(0, 0), (0, 1), (1, 0)]);
    }
}
