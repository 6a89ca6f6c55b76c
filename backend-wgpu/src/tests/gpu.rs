//! Tests of contexts on a real device, with checks of the resulting bytes and images.

use onze_ddi::{
    BindFlags, Box3d, BufferDesc, ContextFuncs, CpuAccessFlags, DeviceFuncs, Entry, Format, GetDataError,
    ImmediateFuncs, MapError, MapType, ObjectDesc, QueryData, QueryHandle, QueryType, ResourceDesc,
    ResourceHandle, SubresourceData, Texture2dDesc, Usage, Written,
};

use super::{Rig, list};
use crate::{context::ImmediateTable, encode::compiler::tests::wait_until};

impl Rig {
    fn dynamic_vertices(&mut self, size: u32, data: Option<&[u8]>) -> ResourceHandle {
        self.buffer(BufferDesc::dynamic(size, BindFlags::VERTEX_BUFFER), data)
    }

    fn read_back(&mut self, buffer: ResourceHandle, size: u32) -> Vec<u8> {
        let staging = self.staging(size);
        self.context.copy(staging, buffer);
        let bytes = self.context.read(staging);
        self.destroy(staging);
        bytes
    }

    fn update(
        &mut self,
        resource: ResourceHandle,
        subresource: u32,
        part: Option<Box3d>,
        bytes: &[u8],
        row_pitch: u32,
    ) {
        let data = SubresourceData { bytes, row_pitch, depth_pitch: 0 };
        ImmediateTable::default().resource_update_subresource(
            self.context.entry(),
            resource,
            subresource,
            part,
            data,
        );
    }
}

#[test]
fn a_copy_in_a_list_sees_a_later_discard() {
    let Some(mut rig) = Rig::gpu() else { return };
    for flags in [BindFlags::CONSTANT_BUFFER, BindFlags::VERTEX_BUFFER] {
        let dynamic = rig.buffer(BufferDesc::dynamic(64, flags), None);
        let staging = rig.staging(64);
        rig.context.discard(dynamic, &[1; 64]);
        let mut deferred = rig.deferred();
        rig.open(&mut deferred, dynamic);
        rig.open(&mut deferred, staging);
        deferred.copy(staging, dynamic);
        let finished = deferred.finish();
        rig.context.discard(dynamic, &[2; 64]);
        rig.context.execute(&finished);
        assert_eq!(rig.context.read(staging), [2; 64]);
        rig.context.discard(dynamic, &[3; 64]);
        rig.context.execute(&finished);
        assert_eq!(rig.context.read(staging), [3; 64]);
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_list_replays_its_own_discard() {
    let Some(mut rig) = Rig::gpu() else { return };
    for flags in [BindFlags::CONSTANT_BUFFER, BindFlags::VERTEX_BUFFER] {
        let dynamic = rig.buffer(BufferDesc::dynamic(64, flags), None);
        let staging = rig.staging(64);
        let mut deferred = rig.deferred();
        rig.open(&mut deferred, dynamic);
        rig.open(&mut deferred, staging);
        deferred.discard(dynamic, &[1; 64]);
        deferred.copy(staging, dynamic);
        let finished = deferred.finish();
        for _ in 0..3 {
            rig.context.execute(&finished);
            assert_eq!(rig.context.read(staging), [1; 64]);
            // The buffer's contents are still in the slice of the list's discard, so a write moves the buffer
            // to another slice.
            rig.context.write(dynamic, MapType::WriteNoOverwrite, 4, &[9; 4], Written::Range(4..8));
            let mut expected = vec![1; 64];
            expected[4..8].fill(9);
            assert_eq!(rig.read_back(dynamic, 64), expected);
        }
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_copy_into_an_exported_buffer_spares_the_list() {
    let Some(mut rig) = Rig::gpu() else { return };
    let dynamic = rig.dynamic_vertices(64, None);
    let (staging, source) = (rig.staging(64), rig.dynamic_vertices(32, Some(&[7; 32])));
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, dynamic);
    rig.open(&mut deferred, staging);
    deferred.discard(dynamic, &[1; 64]);
    deferred.copy(staging, dynamic);
    let finished = deferred.finish();
    rig.context.execute(&finished);
    let table = ImmediateTable::default();
    table.resource_copy_region(
        rig.context.entry(),
        dynamic,
        0,
        [8, 0, 0],
        source,
        0,
        Some(Box3d::bytes(0..32)),
    );
    let mut expected = vec![1; 64];
    expected[8..40].fill(7);
    assert_eq!(rig.read_back(dynamic, 64), expected);
    rig.context.execute(&finished);
    assert_eq!(rig.context.read(staging), [1; 64]);
    assert_eq!(rig.read_back(dynamic, 64), [1; 64]);
    rig.runtime.assert_clean();
}

#[test]
fn a_partial_copy_in_a_list_keeps_the_other_bytes() {
    let Some(mut rig) = Rig::gpu() else { return };
    let dynamic = rig.dynamic_vertices(64, Some(&[5; 64]));
    let source = rig.dynamic_vertices(32, Some(&[7; 32]));
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, dynamic);
    rig.open(&mut deferred, source);
    let entry =
        Entry { private: &mut *deferred.private, handles: &mut deferred.handles, core: &mut deferred.core };
    deferred.funcs.resource_copy_region(entry, dynamic, 0, [16, 0, 0], source, 0, Some(Box3d::bytes(0..16)));
    let finished = deferred.finish();
    assert_eq!(list(&finished).exports.len(), 1);
    for contents in [None, Some([6; 64]), Some([8; 64])] {
        if let Some(contents) = contents {
            rig.context.discard(dynamic, &contents);
        }
        rig.context.execute(&finished);
        let mut expected = vec![contents.map_or(5, |c| c[0]); 64];
        expected[16..32].fill(7);
        assert_eq!(rig.read_back(dynamic, 64), expected);
    }
    rig.runtime.assert_clean();
}

#[test]
fn no_overwrite_without_a_discard_keeps_what_was_there() {
    let Some(mut rig) = Rig::gpu() else { return };
    for size in [64, 20 * 1024] {
        for flags in [BindFlags::CONSTANT_BUFFER, BindFlags::VERTEX_BUFFER] {
            let initial = vec![5; size as usize];
            let dynamic = rig.buffer(BufferDesc::dynamic(size, flags), Some(&initial));
            let mut expected = initial;
            for n in 0..3u8 {
                let at = 4 + 8 * usize::from(n);
                rig.context.write(dynamic, MapType::WriteNoOverwrite, at, &[n; 8], Written::All);
                expected[at..at + 8].fill(n);
                if n == 1 {
                    rig.context.flush();
                }
            }
            assert_eq!(rig.read_back(dynamic, size), expected);
        }
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_submission_during_a_map_uploads_what_was_written_before() {
    let Some(mut rig) = Rig::gpu() else { return };
    let dynamic = rig.dynamic_vertices(64, None);
    let staging = rig.staging(64);
    rig.context.discard(dynamic, &[1; 64]);
    rig.context.copy(staging, dynamic);
    let table = ImmediateTable::default();
    let mut memory = table.dynamic_map(rig.context.entry(), dynamic, 0, MapType::WriteNoOverwrite).unwrap();
    assert_eq!(rig.context.read(staging), [1; 64]);
    memory.bytes_mut()[..4].fill(2);
    table.dynamic_unmap(rig.context.entry(), dynamic, 0, memory, Written::Range(0..4));
    let mut expected = vec![1; 64];
    expected[..4].fill(2);
    assert_eq!(rig.read_back(dynamic, 64), expected);
    rig.runtime.assert_clean();
}

#[test]
fn updates_and_copies_happen_in_order() {
    let Some(mut rig) = Rig::gpu() else { return };
    let buffer = rig.buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None);
    let stagings: Vec<_> = (0..4).map(|_| rig.staging(64)).collect();
    for (n, staging) in stagings.iter().enumerate() {
        rig.update(buffer, 0, Some(Box3d::bytes(3..3 + 7 * n as u32)), &[n as u8; 64], 0);
        rig.context.copy(*staging, buffer);
    }
    let mut expected = vec![0; 64];
    for (n, staging) in stagings.iter().enumerate() {
        expected[3..3 + 7 * n].fill(n as u8);
        assert_eq!(rig.context.read(*staging), expected, "after update {n}");
    }
}

#[test]
fn texels_go_up_and_come_back() {
    let Some(mut rig) = Rig::gpu() else { return };
    let desc = Texture2dDesc { array_size: 2, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 20, 10) };
    let texture = rig.resource(&ResourceDesc::from(desc.clone()), &[]);
    let staging_desc = Texture2dDesc {
        usage: Usage::Staging,
        bind_flags: BindFlags::empty(),
        cpu_access_flags: CpuAccessFlags::READ,
        mip_levels: desc.resolved_mip_levels(),
        ..desc.clone()
    };
    let staging = rig.resource(&ResourceDesc::from(staging_desc), &[]);
    let mips = desc.resolved_mip_levels();
    for subresource in 0..desc.subresources() {
        let (width, height) = desc.mip_size(subresource % mips);
        let pitch = width * 4 + 12;
        let bytes: Vec<u8> = (0..pitch * height).map(|n| (n + subresource) as u8).collect();
        rig.update(texture, subresource, None, &bytes, pitch);
    }
    rig.update(texture, mips + 1, Some(Box3d::rect(2, 1, 5, 3)), &[0xee; 24], 12);
    rig.context.copy(staging, texture);
    for subresource in 0..desc.subresources() {
        let (width, height) = desc.mip_size(subresource % mips);
        let (bytes, row_pitch) = rig.context.read_subresource(staging, subresource);
        for y in 0..height {
            for x in 0..width * 4 {
                let updated = subresource == mips + 1 && (2..5).contains(&(x / 4)) && (1..3).contains(&y);
                let expected = if updated { 0xee } else { (y * (width * 4 + 12) + x + subresource) as u8 };
                assert_eq!(bytes[(y * row_pitch + x) as usize], expected, "{subresource} at {x}, {y}");
            }
        }
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_dynamic_texture_shows_its_last_discard() {
    let Some(mut rig) = Rig::gpu() else { return };
    let desc = Texture2dDesc {
        mip_levels: 1,
        usage: Usage::Dynamic,
        cpu_access_flags: CpuAccessFlags::WRITE,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 7, 5)
    };
    let texture = rig.resource(&ResourceDesc::from(desc), &[]);
    let staging = rig.resource(
        &ResourceDesc::from(Texture2dDesc::staging(Format::R8G8B8A8_UNORM, 7, 5, CpuAccessFlags::READ)),
        &[],
    );
    for n in 1..3 {
        let table = ImmediateTable::default();
        let mut memory = table.dynamic_map(rig.context.entry(), texture, 0, MapType::WriteDiscard).unwrap();
        assert_eq!(memory.row_pitch % 256, 0);
        memory.bytes_mut().fill(n);
        table.dynamic_unmap(rig.context.entry(), texture, 0, memory, Written::All);
        rig.context.copy(staging, texture);
        let (bytes, pitch) = rig.context.read_subresource(staging, 0);
        for row in bytes.chunks(pitch as usize) {
            assert_eq!(row[..28], [n; 28]);
        }
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_staging_map_that_must_not_wait_succeeds_in_the_end() {
    let Some(mut rig) = Rig::gpu() else { return };
    let source = rig.dynamic_vertices(1024, Some(&[4; 1024]));
    let staging = rig.staging(1024);
    rig.context.copy(staging, source);
    let mut memory = None;
    wait_until("a later call succeeds", || {
        let table = ImmediateTable::default();
        match table.staging_map(rig.context.entry(), staging, 0, MapType::Read, true) {
            Ok(mapped) => memory = Some(mapped),
            Err(error) => assert_eq!(error, MapError::StillDrawing),
        }
        memory.is_some()
    });
    assert_eq!(memory.unwrap().bytes(), [4; 1024]);
    assert_eq!(rig.context.core.submissions.len(), 1, "the readback is requested once");
    rig.runtime.assert_clean();
}

#[test]
fn a_staging_write_never_overtakes_a_recorded_copy() {
    let Some(mut rig) = Rig::gpu() else { return };
    let (staging, target) =
        (rig.staging(16), rig.buffer(BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None));
    let write = |rig: &mut Rig, value: u8, written: Written| {
        let table = ImmediateTable::default();
        let mut memory = table.staging_map(rig.context.entry(), staging, 0, MapType::Write, false).unwrap();
        memory.bytes_mut()[4..8].fill(value);
        table.staging_unmap(rig.context.entry(), staging, 0, memory, written);
    };
    write(&mut rig, 1, Written::All);
    rig.context.copy(target, staging);
    write(&mut rig, 2, Written::Range(4..8));
    let mut expected = vec![0; 16];
    expected[4..8].fill(1);
    assert_eq!(rig.read_back(target, 16), expected);
    rig.context.copy(target, staging);
    expected[4..8].fill(2);
    assert_eq!(rig.read_back(target, 16), expected);
}

#[test]
fn an_event_is_known_after_its_submission() {
    let Some(mut rig) = Rig::gpu() else { return };
    let query: QueryHandle = rig.create(&ObjectDesc::Query(QueryType::Event.into()));
    let table = ImmediateTable::default();
    let buffer = rig.dynamic_vertices(64, Some(&[1; 64]));
    let staging = rig.staging(64);
    rig.context.copy(staging, buffer);
    table.query_end(rig.context.entry(), query);
    assert_eq!(table.query_get_data(rig.context.entry(), query, true), Err(GetDataError::StillDrawing));
    assert!(rig.context.core.submissions.is_empty());
    wait_until("the event happens", || {
        table.query_get_data(rig.context.entry(), query, false) == Ok(QueryData::Event(true))
    });
    assert_eq!(rig.context.core.submissions.len(), 1);
    // No commands were recorded since then, so the last submission completes a new event immediately.
    table.query_end(rig.context.entry(), query);
    assert_eq!(table.query_get_data(rig.context.entry(), query, false), Ok(QueryData::Event(true)));
    assert_eq!(rig.context.core.amortized, 1, "once after each submission");
}

#[test]
fn memory_is_deallocated_after_its_submission() {
    let Some(mut rig) = Rig::gpu() else { return };
    let before = rig.runtime.bytes();
    let (source, target) = (rig.dynamic_vertices(64, Some(&[1; 64])), rig.staging(64));
    rig.context.copy(target, source);
    rig.destroy(source);
    rig.destroy(target);
    assert_eq!(rig.runtime.bytes(), before + 128, "the recorded commands need the buffers");
    assert!(rig.context.flush());
    assert_eq!(rig.runtime.bytes(), before);
}

#[test]
fn a_lost_device_is_told_once_and_nothing_is_submitted() {
    let Some(mut rig) = Rig::gpu() else { return };
    let (source, target) = (rig.dynamic_vertices(64, Some(&[1; 64])), rig.staging(64));
    rig.device.gpu.lose("the test said so");
    for _ in 0..2 {
        rig.context.copy(target, source);
        assert!(!rig.context.flush());
    }
    assert_eq!(rig.context.core.errors.len(), 1);
    assert!(rig.context.core.submissions.is_empty());
    let answer = ImmediateTable::default().staging_map(rig.context.entry(), target, 0, MapType::Read, false);
    assert!(matches!(answer, Err(MapError::DeviceRemoved(_))));
    rig.table.destroy_deferred_context(onze_ddi::DriverContext::new(rig.deferred().private).end());
}
