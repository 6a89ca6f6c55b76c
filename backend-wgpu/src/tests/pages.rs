//! Tests of the commands that contexts write into pages.

use onze_ddi::{
    BindFlags, BlendBinding, BufferDesc, ConstantBufferBinding, ContextFuncs, Format, IndexBufferBinding,
    MapType, ObjectDesc, PrimitiveTopology, QueryHandle, QueryType, Rect, ShaderStage, SubresourceData,
    VertexBufferBinding, Viewport,
};

use super::{Rig, list};
use crate::{
    context::ImmediateTable,
    record::{
        command::{Bind, Command, NO_OBJECT, SideRange, stage_bit},
        command_list::ListSegment,
        object_table::PageObject,
        page::CopyCommand,
        upload::SHARED_BLOCK,
    },
};

fn constants(commands: &[Command]) -> Vec<(u8, u16, u32, u32)> {
    commands
        .iter()
        .filter_map(|command| match command {
            Command::SetConstantBuffer { slot, object, offset, size, .. } => {
                Some((*slot, *object, *offset, *size))
            }
            _ => None,
        })
        .collect()
}

pub(super) fn binds(commands: &[Command]) -> Vec<Bind> {
    let binds = |command: &Command| if let Command::Binds(binds) = command { Some(*binds) } else { None };
    commands.iter().filter_map(binds).flat_map(|binds| binds.iter().collect::<Vec<_>>()).collect()
}

#[test]
fn an_object_is_entered_once_per_page() {
    let mut rig = Rig::noop();
    let buffer = rig.buffer(BufferDesc::immutable(64, BindFlags::CONSTANT_BUFFER), Some(&[1; 64]));
    for slot in 0..4 {
        rig.context.bind_constants(ShaderStage::Vertex, slot, ConstantBufferBinding::whole(Some(buffer)));
        rig.context.bind_constants(ShaderStage::Pixel, slot, ConstantBufferBinding::whole(Some(buffer)));
    }
    let recorder = rig.context.recorder();
    assert_eq!((recorder.objects.len(), recorder.page.commands.len()), (1, 8));
    rig.runtime.assert_clean();
}

#[test]
fn a_page_restates_its_open_queries() {
    let mut rig = Rig::noop();
    let table = ImmediateTable::default();
    let queries: [QueryHandle; 3] =
        std::array::from_fn(|_| rig.create(&ObjectDesc::Query(QueryType::OcclusionPredicate.into())));
    let begun = |rig: &mut Rig| {
        rig.context.flush();
        let page = &rig.context.recorder().page;
        assert!(page.queries.iter().all(|entered| entered.continues));
        let begins = (0..page.queries.len() as u32).map(Command::BeginQuery);
        assert_eq!(page.commands, begins.collect::<Vec<_>>());
        page.queries.len()
    };
    assert_eq!(begun(&mut rig), 0);
    queries.iter().for_each(|query| table.query_begin(rig.context.entry(), *query));
    assert_eq!([begun(&mut rig), begun(&mut rig)], [3, 3]);
    table.query_end(rig.context.entry(), queries[0]);
    assert_eq!(begun(&mut rig), 2);
    rig.destroy(queries[1]);
    assert_eq!(begun(&mut rig), 1);
    table.query_end(rig.context.entry(), queries[2]);
    assert_eq!(begun(&mut rig), 0);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, queries[0]);
    let funcs = deferred.funcs.clone();
    funcs.query_begin(deferred.entry(), queries[0]);
    funcs.abandon_command_list(deferred.closing());
    assert!(deferred.recorder().page.commands.is_empty(), "an abandoned recording leaves no commands");
    rig.runtime.assert_clean();
}

#[test]
fn a_discard_rebinds_only_the_bound_slots() {
    let mut rig = Rig::noop();
    let (buffer, other) = (rig.dynamic_constants(64), rig.dynamic_constants(64));
    rig.context.bind_constants(ShaderStage::Vertex, 1, ConstantBufferBinding::whole(Some(buffer)));
    rig.context.bind_constants(ShaderStage::Pixel, 5, ConstantBufferBinding::whole(Some(buffer)));
    // Another buffer replaces this binding, although the handle state may still say that `buffer` is bound
    // here.
    rig.context.bind_constants(ShaderStage::Pixel, 7, ConstantBufferBinding::whole(Some(buffer)));
    rig.context.bind_constants(ShaderStage::Pixel, 7, ConstantBufferBinding::whole(Some(other)));
    let before = rig.context.recorder().page.commands.len();
    rig.context.discard(buffer, &[7; 64]);
    let recorder = rig.context.recorder();
    let bound = constants(&recorder.page.commands[before..]);
    assert_eq!(bound.iter().map(|b| b.0).collect::<Vec<_>>(), [1, 5]);
    let Some(PageObject::Buffer(storage)) = recorder.objects.get(bound[0].1) else { panic!() };
    assert_eq!(storage.size, u64::from(SHARED_BLOCK));
    assert_eq!(bound[0].3, 64);
    rig.runtime.assert_clean();
}

/// Uses a small buffer, which shares an upload block, and a larger buffer, which has a separate block.
#[test]
fn a_discard_binds_vertices_and_indices_anew() {
    let flags = BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER;
    for size in [64, 5000] {
        let mut rig = Rig::noop();
        let [buffer, other] = [(); 2].map(|()| rig.buffer(BufferDesc::dynamic(size, flags), None));
        let vertices = |buffer| VertexBufferBinding { buffer: Some(buffer), stride: 8, offset: 16 };
        let indices =
            |buffer| IndexBufferBinding { buffer: Some(buffer), format: Format::R32_UINT, offset: 12 };
        // Returns the commands of a discard, called for the first discard and for later discards of a
        // recording.
        let discard = |rig: &mut Rig, n: u8| {
            let before = rig.context.recorder().page.commands.len();
            rig.context.discard(buffer, &vec![n; size as usize]);
            rig.context.recorder().page.commands[before..].to_vec()
        };
        assert_eq!(discard(&mut rig, 0), [], "the buffer is not bound");
        rig.context.bind_vertices(0, vertices(other));
        rig.context.bind_vertices(3, vertices(buffer));
        rig.context.bind_indices(indices(buffer));
        let mut places = Vec::new();
        for n in 1..3 {
            let bound = discard(&mut rig, n);
            let [
                Command::SetVertexBuffer { slot: 3, object, stride: 8, offset, size: left },
                Command::SetIndexBuffer { wide: true, object: same, offset: start, size: rest },
            ] = bound[..]
            else {
                panic!("{bound:?}")
            };
            assert_eq!((object, offset - 16, left, rest), (same, start - 12, size - 16, size - 12));
            places.push((object, offset));
        }
        assert_ne!(places[0], places[1], "each discard uses another location");
        rig.context.bind_vertices(3, vertices(other));
        assert!(matches!(discard(&mut rig, 3)[..], [Command::SetIndexBuffer { .. }]));
        rig.context.bind_indices(indices(other));
        assert_eq!(discard(&mut rig, 4), []);
        rig.runtime.assert_clean();
    }
}

#[test]
fn equal_bindings_of_two_stages_are_one_command() {
    let mut rig = Rig::noop();
    let (buffer, other) = (rig.dynamic_constants(512), rig.dynamic_constants(64));
    let whole = ConstantBufferBinding::whole(Some(buffer));
    let part = ConstantBufferBinding { num_constants: 16, ..whole };
    let [vertex, pixel] = [ShaderStage::Vertex, ShaderStage::Pixel].map(stage_bit);
    let none = ConstantBufferBinding::whole(None);
    for (in_pixel, expected) in [
        (whole, vec![(vertex | pixel, 512)]),
        (part, vec![(vertex, 512), (pixel, 256)]),
        (ConstantBufferBinding::whole(Some(other)), vec![(vertex, 512)]),
        (none, vec![(vertex, 512)]),
        (whole, vec![(vertex | pixel, 512)]),
    ] {
        rig.context.bind_constants(ShaderStage::Vertex, 3, whole);
        rig.context.bind_constants(ShaderStage::Pixel, 3, in_pixel);
        // The loop runs twice, because the first discard of a recording takes another code path.
        for n in 0..2 {
            let before = rig.context.recorder().page.commands.len();
            rig.context.discard(buffer, &[n; 512]);
            let bound = rig.context.recorder().page.commands[before..].iter().map(|command| match command {
                Command::SetConstantBuffer { stages, slot: 3, size, .. } => (*stages, *size),
                other => panic!("{other:?}"),
            });
            assert_eq!(bound.collect::<Vec<_>>(), expected, "{in_pixel:?}");
        }
    }
    rig.runtime.assert_clean();
}

#[test]
fn draws_with_nothing_between_them_are_one_command() {
    let mut rig = Rig::noop();
    let table = ImmediateTable::default();
    let buffer = rig.dynamic_constants(64);
    for n in 0..3 {
        table.draw_indexed(rig.context.entry(), 3, n, -1);
        table.draw_indexed(rig.context.entry(), 0, n, -1);
    }
    for n in 0..3 {
        table.draw(rig.context.entry(), 6, n);
    }
    table.draw_indexed(rig.context.entry(), 9, 0, 0);
    rig.context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::whole(Some(buffer)));
    for _ in 0..2 {
        table.draw_indexed(rig.context.entry(), 12, 0, 0);
        table.draw_instanced(rig.context.entry(), 4, 2, 0, 0);
        table.draw_instanced(rig.context.entry(), 4, 0, 0, 0);
        table.draw_instanced(rig.context.entry(), 4, 3, 0, 0);
        table.draw_indexed_instanced(rig.context.entry(), 4, 2, 0, 0, 0);
    }
    let page = &rig.context.recorder().page;
    let alone = |index_count| Command::DrawIndexed { index_count, start_index: 0, base_vertex: 0 };
    let instanced = |first| {
        let (plain, indexed) = (first, first + 2);
        [
            alone(12),
            Command::DrawsInstanced { first: plain, count: 2 },
            Command::DrawsIndexedInstanced { first: indexed, count: 1 },
        ]
    };
    let draws: Vec<_> = page.commands.iter().copied().filter(|command| command.is_draw()).collect();
    let mut expected =
        vec![Command::DrawsIndexed { first: 0, count: 3 }, Command::Draws { first: 0, count: 3 }, alone(9)];
    expected.extend(instanced(0));
    expected.extend(instanced(3));
    assert_eq!(draws, expected);
    assert_eq!(page.indexed_draws.iter().map(|draw| draw.start).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(page.plain_draws.iter().map(|draw| draw.start).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(page.instanced_draws.iter().map(|d| d.instance_count).collect::<Vec<_>>(), [2, 3, 2, 2, 3, 2]);
    assert_eq!(page.draws, 15);
}

#[test]
fn short_binds_share_commands_and_keep_their_order() {
    use PrimitiveTopology::{LineList, PointList, TriangleList, TriangleStrip};
    let mut rig = Rig::noop();
    let table = ImmediateTable::default();
    let all = [PointList, LineList, TriangleList, TriangleStrip];
    for topology in all {
        table.ia_set_primitive_topology(rig.context.entry(), topology);
    }
    assert_eq!(rig.context.recorder().page.commands.len(), 2);
    rig.context.draw();
    table.ia_set_primitive_topology(rig.context.entry(), PointList);
    let page = &rig.context.recorder().page;
    assert_eq!(page.commands.len(), 4, "a bind after a draw stays after it");
    let expected: Vec<_> = all.into_iter().chain([PointList]).map(Bind::Topology).collect();
    assert_eq!(binds(&page.commands), expected);
}

#[test]
fn a_blend_factor_is_recorded_when_it_changes() {
    let mut rig = Rig::noop();
    let table = ImmediateTable::default();
    let mut bind = |factor: [f32; 4], sample_mask| {
        let binding = BlendBinding { state: None, factor, sample_mask };
        table.om_set_blend_state(rig.context.entry(), binding);
        rig.context.recorder().page.blend_factors.len()
    };
    assert_eq!(bind([1.0; 4], u32::MAX), 0, "the default");
    assert_eq!([bind([0.5; 4], u32::MAX), bind([0.5; 4], u32::MAX), bind([0.5; 4], 1)], [1, 1, 2]);
    assert_eq!([bind([1.0; 4], u32::MAX), bind([1.0; 4], u32::MAX)], [3, 3]);
    let commands = &rig.context.recorder().page.commands;
    let factors: Vec<_> = commands.iter().filter(|c| matches!(c, Command::SetBlendFactor(_))).collect();
    assert_eq!(factors, [0, 1, 2].map(Command::SetBlendFactor).iter().collect::<Vec<_>>());
    assert_eq!(binds(commands), [Bind::BlendState(NO_OBJECT); 6]);
}

#[test]
fn discards_share_an_upload_page_and_one_object() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(48);
    rig.context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::whole(Some(buffer)));
    let before = rig.context.recorder().page.commands.len();
    for n in 0..10 {
        rig.context.discard(buffer, &[n; 48]);
        rig.context.draw();
    }
    let recorder = rig.context.recorder();
    let bound = constants(&recorder.page.commands[before..]);
    assert!(bound.iter().all(|b| b.1 == bound[0].1), "{bound:?}");
    assert_eq!(bound.iter().map(|b| b.2).collect::<Vec<_>>(), (0..10).map(|n| n * 64).collect::<Vec<_>>());
    assert_eq!(recorder.objects.len(), 2, "the base storage and the upload page");
}

#[test]
fn a_waiting_slice_is_taken_by_the_next_entry() {
    let mut rig = Rig::noop();
    let table = ImmediateTable::default();
    let [first, second] = [16, 80].map(|size| rig.dynamic_constants(size));
    for (slot, buffer) in [first, second].into_iter().enumerate() {
        let binding = ConstantBufferBinding::whole(Some(buffer));
        rig.context.bind_constants(ShaderStage::Vertex, slot as u32, binding);
    }
    let before = rig.context.recorder().page.commands.len();
    table.renew_upload_page(rig.context.entry()).unwrap();
    // The second lap takes the fast path, because the buffers have slices already.
    for lap in 0..2 {
        for (buffer, size) in [(first, 16), (second, 80)] {
            let page = &mut rig.context.handles.uploads;
            let offset = page.next_slice(size).unwrap();
            page.bytes_mut(offset..offset + size).unwrap().fill(lap + 1);
            page.add(buffer, offset, size);
        }
        rig.context.draw();
        assert!(!rig.context.handles.uploads.has_slices());
    }
    let bound = constants(&rig.context.recorder().page.commands[before..]);
    assert_eq!(
        bound.iter().map(|b| (b.2, b.3)).collect::<Vec<_>>(),
        [(0, 16), (128, 80), (256, 16), (384, 80)]
    );
    // A flush takes the page back, and the rest of the page is lent again.
    rig.context.flush();
    assert_eq!(rig.context.handles.uploads.next_slice(16), None);
    table.renew_upload_page(rig.context.entry()).unwrap();
    assert_eq!(rig.context.handles.uploads.next_slice(16), Some(512));
    // A map without overwriting reads the slice.
    let map_type = MapType::WriteNoOverwrite;
    let memory = table.dynamic_map(rig.context.entry(), second, 0, map_type).unwrap();
    assert_eq!(memory.bytes(), [2; 80]);
}

#[test]
fn contents_stay_in_a_page_that_was_taken_back() {
    let mut rig = Rig::noop();
    let table = ImmediateTable::default();
    let [kept, other] = [64, 64].map(|size| rig.dynamic_constants(size));
    let discard = |rig: &mut Rig, buffer, byte| {
        if rig.context.handles.uploads.next_slice(64).is_none() {
            table.renew_upload_page(rig.context.entry()).unwrap();
        }
        let page = &mut rig.context.handles.uploads;
        let offset = page.next_slice(64).unwrap();
        page.bytes_mut(offset..offset + 64).unwrap().fill(byte);
        page.add(buffer, offset, 64);
    };
    let slices = SHARED_BLOCK / 64;
    // The buffer moves to a second page, so that nothing is left in the first one.
    discard(&mut rig, kept, 1);
    (0..slices).for_each(|_| discard(&mut rig, other, 2));
    discard(&mut rig, kept, 3);
    // Enough discards to use every page again.
    for _ in 0..6 {
        rig.context.draw();
        rig.context.flush();
        (0..slices).for_each(|_| discard(&mut rig, other, 4));
    }
    let map_type = MapType::WriteNoOverwrite;
    let memory = table.dynamic_map(rig.context.entry(), kept, 0, map_type).unwrap();
    assert_eq!(memory.bytes(), [3; 64]);
}

#[test]
fn a_window_into_a_constant_buffer_is_cut_to_the_buffer() {
    let mut rig = Rig::noop();
    let buffer = rig.buffer(BufferDesc::new(1024, BindFlags::CONSTANT_BUFFER), None);
    let window =
        |first_constant| ConstantBufferBinding { buffer: Some(buffer), first_constant, num_constants: 32 };
    for (slot, first) in [0, 48, 64].into_iter().enumerate() {
        rig.context.bind_constants(ShaderStage::Vertex, slot as u32, window(first));
    }
    let bound = constants(&rig.context.recorder().page.commands);
    assert_eq!(bound.iter().map(|b| b.3).collect::<Vec<_>>(), [512, 256, 0]);
    assert_eq!(bound[1].2 - bound[0].2, 768);
    assert_eq!(bound[2].1, NO_OBJECT, "no byte of the buffer is left");
}

#[test]
fn a_vertex_buffer_gets_a_page_of_its_own_at_a_discard() {
    let mut rig = Rig::noop();
    let buffer = rig.buffer(BufferDesc::dynamic(100, BindFlags::VERTEX_BUFFER), None);
    rig.context.bind_vertices(3, VertexBufferBinding { buffer: Some(buffer), stride: 20, offset: 40 });
    for n in 0..2 {
        rig.context.discard(buffer, &[n; 100]);
    }
    let recorder = rig.context.recorder();
    let bound: Vec<_> = recorder
        .page
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::SetVertexBuffer { slot: 3, object, stride: 20, offset: 40, size: 60 } => Some(*object),
            _ => None,
        })
        .collect();
    assert_eq!(bound, [0, 1, 2], "the base storage and two pages");
    let Some(PageObject::Buffer(storage)) = recorder.objects.get(2) else { panic!() };
    assert_eq!(storage.size, 4096);
}

#[test]
fn a_page_that_follows_begins_with_the_state() {
    let mut rig = Rig::noop();
    let buffer = rig.buffer(BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), None);
    rig.context.core.topology = PrimitiveTopology::TriangleList;
    let entry = rig.context.entry();
    ImmediateTable::default().ia_set_primitive_topology(entry, PrimitiveTopology::TriangleList);
    rig.context.bind_constants(ShaderStage::Pixel, 0, ConstantBufferBinding::whole(Some(buffer)));
    for _ in 0..rig.full_page() {
        rig.context.draw();
    }
    let recorder = rig.context.recorder();
    assert_eq!(recorder.page.draws, 0, "the full page was sealed");
    assert!(binds(&recorder.page.commands).contains(&Bind::Topology(PrimitiveTopology::TriangleList)));
    assert_eq!(constants(&recorder.page.commands).len(), 1);
    assert_eq!(recorder.objects.len(), 1, "objects are entered again");
    assert_eq!(rig.context.core.amortized, 0, "sealing a page does not submit it");
}

#[test]
fn a_page_records_and_restates_16_viewports() {
    let mut rig = Rig::noop();
    let table = ImmediateTable::default();
    let viewports: [_; 16] = std::array::from_fn(|i| Viewport::sized(i as f32, 1.0));
    let rects: [_; 16] = std::array::from_fn(|i| Rect { right: i as i32, ..Rect::default() });
    let expect = |rig: &mut Rig, viewports: &[Viewport], rects: &[Rect]| {
        let page = &rig.context.recorder().page;
        let last = |pick: fn(&Command) -> Option<SideRange>| page.commands.iter().rev().find_map(pick);
        let range =
            last(|command| if let Command::SetViewports(range) = command { Some(*range) } else { None });
        assert_eq!(range.unwrap_or_default().of(&page.viewports), viewports);
        let range =
            last(|command| if let Command::SetScissorRects(range) = command { Some(*range) } else { None });
        assert_eq!(range.unwrap_or_default().of(&page.rects), rects);
    };
    for count in [2, 16, 0, 16] {
        table.rs_set_viewports(rig.context.entry(), &viewports[..count]);
        table.rs_set_scissor_rects(rig.context.entry(), &rects[16 - count..]);
        expect(&mut rig, &viewports[..count], &rects[16 - count..]);
    }
    (rig.context.core.viewports, rig.context.core.rects) = (viewports.to_vec(), rects.to_vec());
    for _ in 0..rig.full_page() {
        rig.context.draw();
    }
    assert_eq!(rig.context.recorder().page.draws, 0, "the full page was sealed");
    expect(&mut rig, &viewports, &rects);
    rig.runtime.assert_clean();
}

#[test]
fn much_work_is_submitted_unasked_in_order_and_once() {
    let mut rig = Rig::noop();
    let (source, target) = (rig.buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None), rig.staging(64));
    for n in 0..70_000 {
        // Draws without a target are skipped, so the recording is submitted only because of the occasional
        // copies.
        if n % 200 == 0 {
            rig.context.copy(target, source);
        }
        rig.context.draw();
    }
    let early = rig.context.core.submissions.len();
    assert!(early > 0, "this much work is submitted early");
    rig.context.flush();
    let core = &rig.context.core;
    assert_eq!(core.submissions.iter().map(|s| s.draws).sum::<u32>(), 70_000);
    assert_eq!(core.amortized as usize, core.submissions.len());
    rig.runtime.assert_clean();
}

#[test]
fn an_early_submission_in_an_execution_writes_no_state() {
    let mut rig = Rig::noop();
    let buffer = rig.buffer(BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), None);
    let target = rig.staging(64);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, buffer);
    rig.open(&mut deferred, target);
    for n in 0..50_000 {
        if n % 200 == 0 {
            deferred.copy(target, buffer);
        }
        deferred.draw();
    }
    let list = deferred.finish();
    rig.context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::whole(Some(buffer)));
    rig.context.execute(&list);
    assert!(rig.context.core.submissions.is_empty(), "the draws of one list may wait");
    rig.context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::whole(Some(buffer)));
    rig.context.execute(&list);
    assert!(!rig.context.core.submissions.is_empty(), "the draws of two lists are too many to wait");
    assert!(rig.context.recorder().page.commands.is_empty());
}

#[test]
fn a_page_has_room_for_more_draws_if_nothing_is_between_them() {
    let mut rig = Rig::noop();
    let buffers = [(); 2].map(|()| rig.buffer(BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), None));
    for (changes, most) in [(false, rig.full_page()), (true, rig.device.gpu.policy.page_draws)] {
        rig.context.flush();
        let draws = (0..rig.full_page()).take_while(|n| {
            if changes {
                let buffer = buffers[*n as usize % 2];
                rig.context.bind_constants(
                    ShaderStage::Vertex,
                    0,
                    ConstantBufferBinding::whole(Some(buffer)),
                );
            }
            rig.context.draw();
            rig.context.recorder().page.draws != 0
        });
        assert_eq!(draws.count() as u32, most - 1, "the last draw sealed the page");
    }
}

#[test]
fn a_full_deferred_page_runs_amortized_processing() {
    let rig = Rig::noop();
    let mut deferred = rig.deferred();
    for _ in 0..rig.full_page() * 2 + 1 {
        deferred.draw();
    }
    assert_eq!(deferred.core.amortized, 2);
    let list = list(&deferred.finish());
    let draws: Vec<_> = list
        .segments()
        .map(|segment| match segment {
            ListSegment::Page(page) => page.draws,
            ListSegment::Nested { .. } => panic!("nothing was nested"),
        })
        .collect();
    assert_eq!(draws, [rig.full_page(), rig.full_page(), 1]);
}

#[test]
fn state_without_work_is_no_submission_and_keeps_nothing_alive() {
    let mut rig = Rig::noop();
    let before = rig.runtime.bytes();
    let buffer = rig.buffer(BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), None);
    rig.context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::whole(Some(buffer)));
    rig.context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::default());
    rig.destroy(buffer);
    assert!(rig.runtime.bytes() > before);
    assert!(!rig.context.flush());
    assert_eq!(rig.runtime.bytes(), before);
    assert!(rig.context.core.submissions.is_empty());
}

#[test]
fn an_update_of_another_buffer_is_a_copy_in_place() {
    let mut rig = Rig::noop();
    let buffer = rig.buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None);
    let data = SubresourceData { bytes: &[5; 8], row_pitch: 0, depth_pitch: 0 };
    let part = Some(onze_ddi::Box3d::bytes(10..18));
    let entry = rig.context.entry();
    ImmediateTable::default().resource_update_subresource(entry, buffer, 0, part, data);
    let page = &rig.context.recorder().page;
    let [CopyCommand::BufferToBuffer { src, dst, size: 8 }] = &page.copies[..] else { panic!("{page:?}") };
    assert_eq!((src.offset, dst.offset), (0, 10));
    assert_ne!(src.object, dst.object);
}

#[test]
fn a_copy_into_a_renamed_buffer_goes_to_base_storage() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(64);
    let source = rig.buffer(BufferDesc::new(32, BindFlags::VERTEX_BUFFER), None);
    rig.context.bind_constants(ShaderStage::Vertex, 2, ConstantBufferBinding::whole(Some(buffer)));
    rig.context.discard(buffer, &[1; 64]);
    let before = rig.context.recorder().page.commands.len();
    let part = Some(onze_ddi::Box3d::bytes(0..32));
    let table = ImmediateTable::default();
    table.resource_copy_region(rig.context.entry(), buffer, 0, [16, 0, 0], source, 0, part);
    let page = &rig.context.recorder().page;
    let commands = &page.commands[before..];
    assert!(matches!(
        commands,
        [Command::Copy(0), Command::SetConstantBuffer { slot: 2, .. }, Command::Copy(1)]
    ));
    let CopyCommand::ToBase { from, base, size: 64 } = page.copies[0] else { panic!("{page:?}") };
    let CopyCommand::BufferToBuffer { dst, size: 32, .. } = page.copies[1] else { panic!("{page:?}") };
    assert_eq!((dst.object, dst.offset), (base.object, base.offset + 16));
    assert_ne!(from.object, base.object);
    table.resource_copy_region(rig.context.entry(), buffer, 0, [0, 0, 0], source, 0, part);
    assert_eq!(rig.context.recorder().page.copies.len(), 3);
}

#[test]
fn a_stale_handle_is_reported_and_ignored() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(64);
    rig.destroy(buffer);
    rig.context.bind_constants(ShaderStage::Vertex, 0, ConstantBufferBinding::whole(Some(buffer)));
    let page = &rig.context.recorder().page;
    assert!(matches!(page.commands[..], [Command::SetConstantBuffer { object: NO_OBJECT, .. }]));
    assert_eq!(rig.runtime.bugs.lock().unwrap().len(), 1);
}
