//! Tests of imports, exports, nesting and recycling of command lists.

use std::sync::Arc;

use onze_ddi::{
    BindFlags, BufferDesc, Cached, ConstantBufferBinding, ContextFuncs, DeviceFuncs, DriverList, Entry, Live,
    MapType, ObjectDesc, RasterizerDesc, ShaderStage, Tuning, Written, kind,
};

use super::{DeferredContext, ImmediateContext, Rig, list, pages::binds};
use crate::{
    context::{DeferredTable, ImmediateTable},
    objects::{identity::BufferIdentity, state::RasterizerState},
    record::{
        command::Bind,
        command_list::{ExportedIdentity, ImportSource, List, ListSegment},
        object_table::PageObject,
        page::{CopyCommand, Page},
        run_page::{RunPage, no_imports},
    },
    services::policy::{Policy, tests::with_policy},
    testing::noop_with,
};

pub(super) fn whole(buffer: onze_ddi::ResourceHandle) -> ConstantBufferBinding {
    ConstantBufferBinding::whole(Some(buffer))
}

fn queued(context: &mut ImmediateContext) -> Vec<RunPage> {
    context.immediate().queued()
}

fn identity(context: &mut ImmediateContext, buffer: onze_ddi::ResourceHandle) -> BufferIdentity {
    let entry: &mut Entry<'_> = &mut context.entry();
    crate::submit::immediate::ImmediateScope::enter(entry).unwrap().writer.buffer_identity(buffer).unwrap()
}

#[test]
fn imports_are_resolved_at_each_execution() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(64);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, buffer);
    deferred.bind_constants(ShaderStage::Vertex, 0, whole(buffer));
    deferred.draw();
    let list = deferred.finish();
    rig.context.execute(&list);
    rig.context.discard(buffer, &[1; 64]);
    rig.context.execute(&list);
    let now = identity(&mut rig.context, buffer);
    let pages = queued(&mut rig.context);
    assert_eq!(pages.len(), 2);
    assert!(Arc::ptr_eq(&pages[0].page, &pages[1].page), "the same page, by reference");
    assert!(matches!(pages[0].objects.objects(), [PageObject::Import(0)]));
    assert!(
        pages[0].imports[0].buffer().unwrap().storage.chunk.is_some(),
        "the first identity is the base storage, in a chunk"
    );
    assert!(pages[1].imports[0].buffer().unwrap().is_same(&now), "then the slice");
    assert!(!pages[0].imports[0].buffer().unwrap().is_same(&now));
    rig.runtime.assert_clean();
}

#[test]
fn the_last_identity_of_a_list_becomes_current() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(64);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, buffer);
    deferred.bind_constants(ShaderStage::Vertex, 0, whole(buffer));
    deferred.discard(buffer, &[1; 64]);
    deferred.discard(buffer, &[2; 64]);
    deferred.draw();
    let finished = deferred.finish();
    let before = identity(&mut rig.context, buffer);
    let exports = &list(&finished).exports;
    assert_eq!(exports.len(), 1);
    assert!(identity(&mut rig.context, buffer).is_same(&before), "recording changes nothing");
    rig.context.execute(&finished);
    let ExportedIdentity::Upload { retained, offset } = &exports[0].identity else { panic!("{exports:?}") };
    assert!(identity(&mut rig.context, buffer).is_same(&retained.identity(*offset, 64)));
    assert_eq!(retained.bytes(*offset..offset + 64).unwrap(), [2; 64]);
    rig.runtime.assert_clean();
}

#[test]
fn no_overwrite_after_an_execution_spares_the_list() {
    for flags in [BindFlags::CONSTANT_BUFFER, BindFlags::VERTEX_BUFFER] {
        let mut rig = Rig::noop();
        let buffer = rig.buffer(BufferDesc::dynamic(64, flags), None);
        let mut deferred = rig.deferred();
        rig.open(&mut deferred, buffer);
        deferred.discard(buffer, &[1; 64]);
        deferred.draw();
        let finished = deferred.finish();
        rig.context.execute(&finished);
        let left = identity(&mut rig.context, buffer);
        rig.context.write(buffer, MapType::WriteNoOverwrite, 8, &[9; 4], Written::Range(8..12));
        let moved = identity(&mut rig.context, buffer);
        assert!(!moved.is_same(&left));
        let ExportedIdentity::Upload { retained, offset } = &list(&finished).exports[0].identity else {
            panic!()
        };
        assert_eq!(retained.bytes(*offset..offset + 64).unwrap(), [1; 64]);
        // The second write leaves the buffer where it is, because the slice now belongs to the context.
        rig.context.write(buffer, MapType::WriteNoOverwrite, 16, &[8; 4], Written::Range(16..20));
        assert!(identity(&mut rig.context, buffer).is_same(&moved));
        rig.runtime.assert_clean();
    }
}

/// Uses several buffers with slices in one upload block.
#[test]
fn no_overwrite_after_a_list_keeps_the_buffer_s_own_bytes() {
    for flags in [BindFlags::CONSTANT_BUFFER, BindFlags::VERTEX_BUFFER] {
        let mut rig = Rig::noop();
        let buffers = [(); 3].map(|()| rig.buffer(BufferDesc::dynamic(64, flags), None));
        let mut deferred = rig.deferred();
        for (n, buffer) in (1..).zip(buffers) {
            rig.open(&mut deferred, buffer);
            deferred.discard(buffer, &[n; 64]);
        }
        deferred.draw();
        let finished = deferred.finish();
        rig.context.execute(&finished);
        for (n, buffer) in (1..).zip(buffers) {
            rig.context.write(buffer, MapType::WriteNoOverwrite, 8, &[9; 4], Written::Range(8..12));
            let mut expected = [n; 64];
            expected[8..12].fill(9);
            let table = ImmediateTable::default();
            let map = table.dynamic_map(rig.context.entry(), buffer, 0, MapType::WriteNoOverwrite);
            let memory = map.unwrap();
            assert_eq!(memory.bytes(), expected, "{flags:?}, buffer {n}");
            table.dynamic_unmap(rig.context.entry(), buffer, 0, memory, Written::Nothing);
        }
        rig.runtime.assert_clean();
    }
}

#[test]
fn a_nested_list_sees_what_the_outer_recording_discarded() {
    let mut rig = Rig::noop();
    let (known, unknown, left) =
        (rig.dynamic_constants(64), rig.dynamic_constants(64), rig.dynamic_constants(64));
    let mut inner = rig.deferred();
    for (slot, buffer) in [known, unknown, left].into_iter().enumerate() {
        rig.open(&mut inner, buffer);
        inner.bind_constants(ShaderStage::Vertex, slot as u32, whole(buffer));
    }
    inner.discard(left, &[3; 64]);
    inner.draw();
    let inner = inner.finish();
    let mut outer = rig.deferred();
    for buffer in [known, unknown, left] {
        rig.open(&mut outer, buffer);
    }
    outer.discard(known, &[1; 64]);
    outer.execute(&inner);
    // After the nested list, the discard in that list belongs to the outer recording.
    outer.bind_constants(ShaderStage::Vertex, 0, whole(left));
    outer.draw();
    let outer = outer.finish();
    {
        let outer = list(&outer);
        let nested = outer.segments().find_map(|segment| match segment {
            ListSegment::Nested { bindings, .. } => Some(bindings.start as usize..bindings.end as usize),
            ListSegment::Page(_) => None,
        });
        let nested = &outer.bindings[nested.unwrap()];
        // `left` is an import as well, because it was bound before its discard.
        assert!(matches!(nested, [ImportSource::Local(_), ImportSource::Outer(0), ImportSource::Outer(1)]));
        assert_eq!(outer.exports.len(), 2);
        let [objects] = outer.tables() else { panic!("{outer:?}") };
        assert!(matches!(objects.objects(), [PageObject::Buffer(_)]));
    }
    rig.context.discard(unknown, &[2; 64]);
    let current = identity(&mut rig.context, unknown);
    rig.context.execute(&outer);
    let pages = queued(&mut rig.context);
    assert_eq!(pages.len(), 2);
    assert!(pages[0].imports[1].buffer().unwrap().is_same(&current));
    rig.runtime.assert_clean();
}

#[test]
fn a_recording_begins_with_nothing_even_if_handles_stay_open() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(64);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, buffer);
    deferred.discard(buffer, &[1; 64]);
    deferred.draw();
    let entry =
        Entry { private: &mut *deferred.private, handles: &mut deferred.handles, core: &mut deferred.core };
    deferred.funcs.create_command_list(entry, None).unwrap();
    deferred.bind_constants(ShaderStage::Vertex, 0, whole(buffer));
    let objects = &deferred.recorder().objects;
    assert!(matches!(objects.objects(), [PageObject::Import(0)]), "{objects:?}");
}

#[test]
fn an_abandoned_recording_leaves_nothing() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(64);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, buffer);
    deferred.discard(buffer, &[1; 64]);
    for _ in 0..rig.full_page() + 1 {
        deferred.draw();
    }
    let entry = onze_ddi::ClosingEntry {
        private: &mut *deferred.private,
        handles: &mut deferred.handles,
        state: &deferred.core,
    };
    deferred.funcs.abandon_command_list(entry);
    let finished = list(&deferred.finish());
    assert!(
        finished.segments().next().is_none() && finished.exports.is_empty() && finished.uploads.is_empty()
    );
}

#[test]
fn a_dropped_list_gives_its_memory_back_to_its_context() {
    let mut rig = Rig::noop();
    let buffer = rig.dynamic_constants(64);
    let mut deferred = rig.deferred();
    let mut storages = Vec::new();
    for _ in 0..4 {
        rig.open(&mut deferred, buffer);
        deferred.discard(buffer, &[1; 64]);
        deferred.draw();
        let finished = deferred.finish();
        storages.push(list(&finished).uploads[0].1.storage().buffer_id);
        drop(finished);
    }
    // Dropped storages are reused when the next recording ends.
    storages.sort_unstable();
    storages.dedup();
    assert!(storages.len() <= 2, "{storages:?}");
    rig.context.flush();
}

#[test]
fn nesting_may_be_deeper_than_a_stack() {
    let mut list = Arc::new(List::default());
    for _ in 0..200_000 {
        let mut outer = List::default();
        outer.add_list(list, 0..0, Vec::new(), crate::record::min_lods::MinLods::default());
        outer.add_page(Arc::default());
        list = Arc::new(outer);
    }
    let mut pages = 0;
    list.for_each_page(0..u64::MAX, Arc::from([]), Vec::new(), |_| pages += 1);
    assert_eq!(pages, 200_000);
    drop(list);
}

/// Records a list of `draws` draws with a discard, reusing the memory of another list.
pub(super) fn drawn(
    rig: &Rig,
    deferred: &mut DeferredContext,
    draws: u32,
    cached: Option<DriverList<Cached>>,
) -> DriverList<Live> {
    let buffer = onze_ddi::Handle::new(rig.context.handles.keys().next().unwrap());
    rig.open(deferred, buffer);
    deferred.discard(buffer, &[1; 64]);
    (0..draws).for_each(|_| deferred.draw());
    deferred.finish_with(cached)
}

fn pages(finished: &DriverList<Live>) -> Vec<*const Page> {
    let pages = list(finished);
    let pages = pages.segments().map(|segment| match segment {
        ListSegment::Page(page) => Arc::as_ptr(page),
        ListSegment::Nested { .. } => panic!("nothing was nested"),
    });
    pages.collect()
}

#[test]
fn a_long_list_is_queued_without_its_pages() {
    for next in 0..3 {
        let mut rig = Rig::new(noop_with(Tuning { workers: Some(0), page_draws: None, ..Tuning::default() }));
        rig.dynamic_constants(64);
        let mut deferred = rig.deferred();
        let long = drawn(&rig, &mut deferred, 10_000, None);
        let short = drawn(&rig, &mut deferred, 100, None);
        rig.context.execute(&short);
        rig.context.execute(&long);
        let expected: Vec<_> = pages(&short).into_iter().chain(pages(&long)).collect();
        let found: Vec<_> = queued(&mut rig.context).iter().map(|page| Arc::as_ptr(&page.page)).collect();
        assert!(found == expected);
        let handed = |rig: &mut Rig| rig.context.immediate().pool().handed();
        assert_eq!(handed(&mut rig), 0, "nobody was woken");
        match next {
            0 => (0..rig.full_page()).for_each(|_| rig.context.draw()),
            1 => rig.context.execute(&short),
            _ => assert!(!rig.context.flush(), "the draws have no target"),
        }
        // The last 100 draws wait for more draws, unless the page has enough draws.
        assert_eq!(handed(&mut rig), [11, 10, 11][next]);
        rig.runtime.assert_clean();
    }
}

#[test]
fn a_list_of_which_queries_matter_is_queued_page_by_page() {
    use onze_ddi::{ContextFuncs, ObjectDesc, QueryType, kind};
    let mut rig = Rig::new(noop_with(Tuning { workers: Some(0), page_draws: None, ..Tuning::default() }));
    rig.dynamic_constants(64);
    let query = rig.create::<kind::Query>(&ObjectDesc::Query(QueryType::OcclusionPredicate.into()));
    let mut deferred = rig.deferred();
    let plain = drawn(&rig, &mut deferred, 3000, None);
    rig.open(&mut deferred, query);
    deferred.funcs.clone().query_begin(deferred.entry(), query);
    (0..3000).for_each(|_| deferred.draw());
    deferred.funcs.clone().query_end(deferred.entry(), query);
    let asking = deferred.finish();
    let mut outer = rig.deferred();
    outer.execute(&asking);
    let outer = outer.finish();
    for (asks, list) in [(false, &plain), (true, &asking), (true, &outer)] {
        rig.context.execute(list);
        let handed = rig.context.immediate().pool().handed();
        assert_eq!(handed > 0, asks, "scopes are found in recording order");
        assert!(queued(&mut rig.context).iter().all(|page| page.scopes.is_some() == asks));
        rig.context.flush();
        if !asks {
            let table = ImmediateTable::default();
            table.query_begin(rig.context.entry(), query);
            rig.context.execute(list);
            table.query_end(rig.context.entry(), query);
            assert!(queued(&mut rig.context).iter().any(|page| page.scopes.is_some()));
            rig.context.flush();
        }
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_list_dropped_early_is_recycled_after_its_submission() {
    let mut rig = Rig::new(noop_with(Tuning { workers: Some(1), page_draws: None, ..Tuning::default() }));
    rig.dynamic_constants(64);
    let mut deferred = rig.deferred();
    let (mut cached, mut known) = (None, Vec::new());
    for frame in 0..8 {
        let finished = drawn(&rig, &mut deferred, 2000, cached.take());
        let memory = (Arc::as_ptr(finished.object()).cast::<()>(), pages(&finished));
        let table = Arc::as_ptr(&list(&finished).tables()[0]).cast::<()>();
        rig.context.execute(&finished);
        let dead = rig.table.recycle_destroy_command_list(finished);
        assert_eq!(rig.device.submission.graveyard.len(), 1, "the list waits");
        // An early submission does not retire pages that are not encoded yet.
        rig.device.submission.retire_destroyed();
        assert_eq!(rig.device.submission.graveyard.len(), 1, "the list waits");
        cached = Some(deferred.funcs.clone().recycle_command_list(deferred.closing(), dead));
        rig.context.flush();
        assert!(rig.device.submission.graveyard.is_empty());
        if frame >= 4 {
            assert!(known.contains(&memory.0), "frame {frame}: the memory of a list");
            assert!(known.contains(&table), "frame {frame}: its object table");
            assert!(memory.1.iter().all(|page| known.contains(&page.cast())), "frame {frame}: pages");
        }
        known.extend([memory.0, table]);
        known.extend(memory.1.iter().map(|page| page.cast::<()>()));
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_list_that_waits_is_let_go_when_the_device_is_lost_or_goes() {
    for lost in [true, false] {
        let mut rig = Rig::new(noop_with(Tuning { workers: Some(1), page_draws: None, ..Tuning::default() }));
        rig.dynamic_constants(64);
        let mut deferred = rig.deferred();
        let finished = drawn(&rig, &mut deferred, 3000, None);
        let weak = match list(&finished).segments().next() {
            Some(ListSegment::Page(page)) => Arc::downgrade(page),
            other => panic!("{other:?}"),
        };
        rig.context.execute(&finished);
        rig.table.destroy_command_list(finished.end());
        assert!(weak.upgrade().is_some(), "it waits");
        if lost {
            rig.device.gpu.lose("as a test");
            assert!(!rig.context.flush());
            assert_eq!(rig.context.core.errors.len(), 1, "{:?}", rig.context.core.errors);
        } else {
            drop(deferred);
            let Rig { table, context, .. } = rig;
            table.destroy_device(context.private);
        }
        assert!(weak.upgrade().is_none());
    }
}

#[test]
fn a_list_without_work_is_held_until_the_next_flush() {
    let Some(mut rig) = Rig::gpu() else { return };
    let (buffer, bound) = (rig.dynamic_constants(64), rig.dynamic_constants(64));
    let staging = rig.staging(64);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, buffer);
    rig.open(&mut deferred, bound);
    deferred.bind_constants(ShaderStage::Vertex, 0, whole(bound));
    deferred.discard(buffer, &[7; 64]);
    let finished = deferred.finish();
    let import = Arc::downgrade(&list(&finished).imports[0].resource);
    rig.context.execute(&finished);
    rig.destroy(bound);
    rig.table.destroy_command_list(finished.end());
    assert!(import.upgrade().is_some());
    assert!(!rig.context.flush(), "there is nothing to submit");
    assert!(import.upgrade().is_none());
    rig.context.copy(staging, buffer);
    assert_eq!(rig.context.read(staging), [7; 64]);
    rig.runtime.assert_clean();
}

#[test]
fn a_recording_references_an_object_once() {
    let mut rig = Rig::new(noop_with(Tuning { workers: Some(0), page_draws: Some(10), ..Tuning::default() }));
    let desc = RasterizerDesc::default();
    let handle = rig.create::<kind::RasterizerState>(&ObjectDesc::RasterizerState(&desc));
    let object: Arc<RasterizerState> = rig.context.handles.object_as(handle).unwrap();
    let mut deferred = rig.deferred();
    let table = DeferredTable::default();
    let before = Arc::strong_count(&object);
    let record = |rig: &Rig, deferred: &mut DeferredContext| {
        rig.open(deferred, handle);
        for _ in 0..100 {
            table.rs_set_state(deferred.entry(), Some(handle));
            deferred.draw();
        }
        deferred.finish()
    };
    let first = record(&rig, &mut deferred);
    assert_eq!((pages(&first).len(), Arc::strong_count(&object)), (10, before + 1));
    let second = record(&rig, &mut deferred);
    assert_eq!(Arc::strong_count(&object), before + 2, "each list has its own reference");
    rig.context.execute(&first);
    rig.context.execute(&second);
    rig.context.flush();
    assert_eq!(Arc::strong_count(&object), before + 2, "encoding adds no references");
    for list in [first, second] {
        rig.table.destroy_command_list(list.end());
    }
    rig.context.flush();
    assert_eq!(Arc::strong_count(&object), before);
    rig.runtime.assert_clean();
}

#[test]
fn a_recording_of_more_objects_than_a_table_holds_has_several() {
    const OBJECTS: u32 = 70_000;
    let mut rig = Rig::noop();
    let desc = RasterizerDesc::default();
    let states: Vec<_> = (0..OBJECTS)
        .map(|_| rig.create::<kind::RasterizerState>(&ObjectDesc::RasterizerState(&desc)))
        .collect();
    let mut deferred = rig.deferred();
    let table = DeferredTable::default();
    for state in &states {
        rig.open(&mut deferred, *state);
        table.rs_set_state(deferred.entry(), Some(*state));
        deferred.draw();
    }
    let finished = deferred.finish();
    let recorded = list(&finished);
    assert_eq!(recorded.tables().iter().map(|table| table.len()).sum::<usize>(), OBJECTS as usize);
    let mut pages = Vec::new();
    recorded.for_each_page(0..u64::MAX, no_imports(), Vec::new(), |page| pages.push(page));
    let mut states = states.iter().map(|state| {
        let object: Arc<RasterizerState> = rig.context.handles.object_as(*state).unwrap();
        Arc::as_ptr(&object)
    });
    for page in pages {
        for bind in binds(&page.page.commands) {
            let Bind::RasterizerState(object) = bind else { panic!("{bind:?}") };
            let Some(PageObject::RasterizerState(object)) = page.objects.get(object) else { panic!() };
            assert_eq!(Some(Arc::as_ptr(object)), states.next());
        }
    }
    assert_eq!(states.next(), None);
    rig.runtime.assert_clean();
}

#[test]
fn imports_of_long_lists_settle_in_base_storage() {
    let off = Policy { settled_draws: None, ..Policy::default() };
    for (draws, policy, settles) in
        [(99, Policy::default(), false), (100, Policy::default(), true), (100, off, false)]
    {
        let mut rig = with_policy(policy, Rig::noop);
        let buffer = rig.dynamic_constants(64);
        let mut deferred = rig.deferred();
        rig.open(&mut deferred, buffer);
        deferred.bind_constants(ShaderStage::Vertex, 0, whole(buffer));
        (0..draws).for_each(|_| deferred.draw());
        let list = deferred.finish();
        for execution in 0..4 {
            rig.context.discard(buffer, &[execution; 64]);
            rig.context.execute(&list);
            let pages = queued(&mut rig.context);
            let import = pages.last().unwrap().imports[0].buffer().unwrap();
            let copies: Vec<_> = pages.iter().flat_map(|page| &page.page.copies).collect();
            let is_base = import.storage.chunk.is_some();
            assert_eq!(is_base, settles && execution > 0, "{draws} draws, {execution}");
            let is_brought = matches!(copies[..], [CopyCommand::ToBase { size: 64, .. }]);
            assert_eq!(is_brought, is_base, "{draws} draws, {execution}: {copies:?}");
            rig.context.flush();
        }
        rig.runtime.assert_clean();
    }
}
