//! Tests of setters and of new layouts.

use onze_ddi::ShaderStage;

use super::*;
use crate::{
    encode::parts::windows::{ConstantSlot, WindowBinding, WindowSlot},
    objects::{allocator::own_storage, shader::IndexedSlot},
    record::command::stage_bit,
    testing,
};

const VERTEX: u8 = stage_bit(ShaderStage::Vertex);
const PIXEL: u8 = stage_bit(ShaderStage::Pixel);

fn indexed(shared: bool) -> ConstantSlot {
    let indexed = IndexedSlot { slot: 0, field: 0, step: 0 };
    ConstantSlot::Indexed(WindowBinding { window: WindowSlot::default(), indexed, at: 0, shared })
}

#[test]
fn everything_is_resolved_again_after_all_has_changed() {
    let mut bindings = Bindings::default();
    let plans = [PipelinePlan::Draw, PipelinePlan::Dispatch];
    for plan in plans {
        bindings.of_mut(plan).take_constants_changed();
        bindings.of_mut(plan).take_resources_changed();
    }
    bindings.change_all();
    for plan in plans {
        let bindings = bindings.of_mut(plan);
        assert!(bindings.take_constants_changed() && bindings.take_resources_changed(), "{plan:?}");
    }
}

#[test]
fn both_stages_of_a_shared_field_learn_of_it() {
    let mut bindings = Bindings::default();
    bindings.set_constant_slot(ShaderStage::Vertex, 3, indexed(false));
    assert!(bindings.window(VERTEX, 3).is_some());
    bindings.set_constant_slot(ShaderStage::Pixel, 3, indexed(true));
    assert!(bindings.window(VERTEX | PIXEL, 3).is_some());
    for stages in [VERTEX, PIXEL] {
        assert!(bindings.window(stages, 3).is_none(), "the other stage keeps its buffer");
    }
}

#[test]
fn slots_of_an_earlier_layout_are_unread() {
    let mut bindings = Bindings::default();
    bindings.set_constant_slot(ShaderStage::Pixel, 0, indexed(false));
    bindings.begin_constants(PipelinePlan::Dispatch);
    assert!(bindings.window(PIXEL, 0).is_some());
    bindings.begin_constants(PipelinePlan::Draw);
    assert!(bindings.window(PIXEL, 0).is_none());
}

#[test]
fn each_buffer_moves_its_own_offset() {
    let (device, _runtime) = testing::noop();
    let usage = wgpu::BufferUsages::STORAGE;
    let storage = own_storage(&device.gpu.device, "elements", 1024, usage).unwrap();
    let part = |offset| BufferPart { storage: &storage, offset, size: 16, format: None };
    let stage = ShaderStage::Vertex;
    let (mut bindings, mut groups) = (Bindings::default(), PendingGroups::default());
    groups.set_offsets(RESOURCE_GROUP, Default::default(), 2);
    for slot in [0, 1] {
        bindings.set_buffer(stage, slot, Some(part(0)));
    }
    bindings.of_mut(stage).take_resources_changed();
    bindings.set_dynamic_buffers(PipelinePlan::Draw, [(stage, 0), (stage, 1)].into_iter());
    assert!(bindings.move_buffer(&mut groups, stage, 0, part(256)));
    assert!(bindings.move_buffer(&mut groups, stage, 1, part(512)));
    groups.set_group(RESOURCE_GROUP, Some(crate::encode::parts::hash::NO_INDEX));
    let offsets: Vec<_> = groups.take_moved().map(|(_, _, offsets)| offsets.to_vec()).collect();
    assert_eq!(offsets, [[256, 512]]);
}
