//! Tests that breach the contract's rules for maps, lists and list stages.

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Object, Runtime, faulty::Fault},
    forged, map,
};

/// Puts a slice of `used` bytes for a buffer of 16 bytes into an upload page.
fn wait_slice(r: &mut Runtime, buffer: &Object, used: u32) {
    r.ctx.handles.uploads.lend(zeroed_page(256), 0, used);
    r.ctx.handles.uploads.add(buffer.r(), 0, used);
}

pub(crate) const MAPS: &[Case] = &[
    (Rule::MapTypeAllowed, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        map(&mut r, &buffer, MapType::Read);
    }),
    (Rule::MapOnce, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        let _memory = map(&mut r, &buffer, MapType::WriteDiscard);
        drop(r.immediate.dynamic_map(r.ctx.entry(), buffer.r(), 0, MapType::WriteDiscard));
    }),
    (Rule::MapOnce, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        let _memory = map(&mut r, &buffer, MapType::WriteDiscard);
        wait_slice(&mut r, &buffer, 64);
        r.immediate.flush(r.ctx.entry(), FlushFlags::empty());
    }),
    (Rule::SliceInside, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        wait_slice(&mut r, &buffer, 4);
        r.immediate.flush(r.ctx.entry(), FlushFlags::empty());
    }),
    (Rule::SlicesTaken, Fault::KeepSlices, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        wait_slice(&mut r, &buffer, 64);
        r.immediate.draw(r.ctx.entry(), 3, 0);
    }),
    (Rule::UnmapMapped, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (a, b) = (r.dynamic(), r.dynamic());
        let memory = map(&mut r, &a, MapType::WriteDiscard);
        let _other = map(&mut r, &b, MapType::WriteDiscard);
        r.immediate.dynamic_unmap(r.ctx.entry(), b.r(), 0, memory, Written::All);
    }),
    (Rule::WrittenApart, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        let memory = map(&mut r, &buffer, MapType::WriteDiscard);
        let written = Written::Ranges([0..4, 4..8].into());
        r.immediate.dynamic_unmap(r.ctx.entry(), buffer.r(), 0, memory, written);
    }),
    (Rule::WrittenApart, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        let memory = map(&mut r, &buffer, MapType::WriteDiscard);
        let written = Written::Range(0..memory.bytes().len() as u32 + 1);
        r.immediate.dynamic_unmap(r.ctx.entry(), buffer.r(), 0, memory, written);
    }),
    (Rule::MapsEnded, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (buffer, mut dc) = (r.dynamic(), r.deferred());
        dc.open(&buffer);
        let map = dc.funcs.dynamic_map(dc.ctx.entry(), buffer.r(), 0, MapType::WriteDiscard);
        dc.finish();
        drop(map);
    }),
    (Rule::MapsEnded, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        let _memory = map(&mut r, &buffer, MapType::WriteDiscard);
        r.destroy(buffer);
    }),
    (Rule::DiscardFirst, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (buffer, mut dc) = (r.dynamic(), r.deferred());
        dc.discard(&buffer, 1);
        let list = dc.finish();
        dc.recycle(list);
        dc.open(&buffer);
        let map = dc.funcs.dynamic_map(dc.ctx.entry(), buffer.r(), 0, MapType::WriteNoOverwrite);
        assert!(map.is_err());
    }),
    (Rule::MappedWhole, Fault::SmallMap, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.buffer(BufferDesc::dynamic(32, BindFlags::VERTEX_BUFFER), &[]);
        map(&mut r, &buffer, MapType::WriteDiscard);
    }),
];

pub(crate) const LISTS: &[Case] = &[
    (Rule::RecycledWhenDead, Fault::SameList, |driver| {
        let mut r = Runtime::new(driver);
        let mut dc = r.deferred();
        (0..2).for_each(|_| drop(dc.finish()));
    }),
    // The list changes its stage without a call of the driver's entry.
    (Rule::StageKept, Fault::None, |driver| {
        let mut dc = Runtime::new(driver).deferred();
        let list = dc.finish();
        dc.take_back(list.die());
    }),
    // The list returns to another context.
    (Rule::StageKept, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (mut a, mut b) = (r.deferred(), r.deferred());
        let list = a.finish();
        b.recycle(list);
    }),
    (Rule::StageKept, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let dc = r.deferred();
        r.revived(DriverContext::new(dc.ctx.private).die());
    }),
    (Rule::LostSilent, Fault::OutOfMemory, |driver| {
        let mut dc = Runtime::new(driver).deferred();
        (0..2).for_each(|_| dc.funcs.draw(dc.ctx.entry(), 3, 0));
    }),
    (Rule::LostSilent, Fault::OpenFails, |driver| {
        let mut r = Runtime::new(driver);
        let (q, mut dc) = (r.query(), r.deferred());
        dc.store(&q);
        let args = OpenArgs { kind: q.kind, key: q.key, object: &q.driver, dependency: Dependency::None };
        assert!(dc.funcs.open(dc.ctx.entry(), args).is_err());
        drop(dc.funcs.create_command_list(dc.ctx.entry(), None));
    }),
    (Rule::ListExists, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let list = r.deferred().finish();
        r.device.destroy_command_list(forged(&list).end());
        r.execute(&list);
    }),
    (Rule::RenamableOpen, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let (buffer, mut dc) = (r.dynamic(), r.deferred());
        dc.discard(&buffer, 1);
        let list = dc.finish();
        r.destroy(buffer);
        r.execute(&list);
    }),
    (Rule::StateShowsNewBinding, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        r.immediate.ia_set_primitive_topology(r.ctx.entry(), PrimitiveTopology::LineList);
    }),
    (Rule::StateShowsNewBinding, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let buffer = r.dynamic();
        let bound = [ConstantBufferBinding::whole(Some(buffer.r()))];
        r.immediate.set_constant_buffers(r.ctx.entry(), ShaderStage::Vertex, 0, &bound);
    }),
];
