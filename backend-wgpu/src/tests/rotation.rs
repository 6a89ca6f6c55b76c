//! Tests of rotating back buffers: the textures that pages and lists refer to, and the release of these
//! textures.

use std::sync::{Arc, Weak};

use onze_ddi::{
    BindFlags, ContextFuncs, DeviceFuncs, DriverObject, DsvFlags, Format, Handle, HandleType, ImmediateFuncs,
    Key, ObjectDesc, ObjectRef, RenderTargetViewHandle, ResourceDesc, ResourceHandle, SubresourceRange,
    Texture2dDesc, TextureViewDesc, ViewDesc, ViewDimension, kind,
};

use super::{DeferredContext, Rig, list};
use crate::{
    context::{DeferredTable, ImmediateTable},
    objects::{identity::Identity, resource::Resource, texture::TextureMemory, view::View},
    record::{
        command::Command,
        command_list::{ImportSource, ListSegment},
        object_table::PageObject,
        page::CopyCommand,
        recorder::private_size,
        run_page::RunPage,
    },
};

fn desc() -> Texture2dDesc {
    let bind_flags = BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE;
    Texture2dDesc { bind_flags, ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4) }
}

struct Chain {
    buffers: Vec<ResourceHandle>,
    created_with: Vec<u64>,
}

impl Chain {
    fn new(rig: &mut Rig, count: usize) -> Self {
        let buffers: Vec<_> = (0..count).map(|_| primary(rig)).collect();
        let created_with = buffers.iter().map(|buffer| memory(rig, *buffer).id).collect();
        Self { buffers, created_with }
    }

    fn rotate(&self, rig: &mut Rig) {
        ImmediateTable::default().rotate_resource_identities(rig.context.entry(), &self.buffers);
    }
}

fn primary(rig: &mut Rig) -> ResourceHandle {
    let key = Key::new(rig.keys, std::num::NonZeroU32::MIN);
    rig.keys += 1;
    let mut private = vec![0; private_size(HandleType::Resource)];
    let swap_chain: DriverObject = Arc::new(());
    let table = ImmediateTable::default();
    let made = table.create_primary(rig.context.entry(), &swap_chain, &desc().into(), &mut private).unwrap();
    assert!(rig.context.handles.open(key, private.len(), made, Arc::new(())));
    Handle::new(key)
}

fn memory(rig: &Rig, handle: ResourceHandle) -> Arc<TextureMemory> {
    rig.context.handles.object_as::<Resource, _>(handle).unwrap().texture().unwrap().clone()
}

fn target(rig: &mut Rig, resource: ResourceHandle) -> RenderTargetViewHandle {
    let object = rig.context.handles.object(resource).unwrap().clone();
    let desc = ViewDesc::Texture(TextureViewDesc {
        format: Format::R8G8B8A8_UNORM,
        dimension: ViewDimension::Texture2d,
        range: SubresourceRange::FIRST,
        flags: DsvFlags::empty(),
    });
    let resource = ObjectRef::<kind::Resource> { handle: resource, object: &object };
    rig.create(&ObjectDesc::RenderTargetView { resource, desc: &desc })
}

fn clear(rig: &mut Rig, view: RenderTargetViewHandle) {
    ImmediateTable::default().clear_render_target_view(rig.context.entry(), view, [1.0; 4]);
}

fn clear_in(context: &mut DeferredContext, view: RenderTargetViewHandle) {
    DeferredTable::default().clear_render_target_view(context.entry(), view, [1.0; 4]);
}

/// Returns the textures that a page clears and copies from, in command order.
fn used(page: &RunPage) -> Vec<u64> {
    let object = |command: &Command| match *command {
        Command::ClearRenderTarget { object, .. } => Some(object),
        Command::Copy(at) => match page.page.copies[at as usize] {
            CopyCommand::TextureToTexture { src, .. } => Some(src.object),
            _ => None,
        },
        _ => None,
    };
    let texture = |object| match page.objects.get(object).unwrap() {
        PageObject::View(view) => view.texture,
        PageObject::Texture(memory) => memory.id,
        PageObject::Resource(resource) => resource.texture().unwrap().id,
        PageObject::Import(import) => match &page.imports[*import as usize] {
            Identity::View(view) => view.texture,
            Identity::Texture(memory) => memory.id,
            Identity::Buffer(_) => panic!("a back buffer is not a buffer"),
        },
        other => panic!("{other:?}"),
    };
    page.page.commands.iter().filter_map(object).map(texture).collect()
}

fn queued(rig: &mut Rig) -> Vec<Vec<u64>> {
    rig.context.immediate().queued().iter().map(used).filter(|used| !used.is_empty()).collect()
}

#[test]
fn a_page_names_the_memory_of_its_time() {
    let mut rig = Rig::noop();
    let chain = Chain::new(&mut rig, 3);
    let (first, copy) = (target(&mut rig, chain.buffers[0]), rig.resource(&ResourceDesc::from(desc()), &[]));
    for _ in 0..4 {
        clear(&mut rig, first);
        rig.context.copy(copy, chain.buffers[1]);
        chain.rotate(&mut rig);
    }
    let [a, b, c] = chain.created_with[..] else { panic!() };
    assert_eq!(queued(&mut rig), [[a, b], [b, c], [c, a], [a, b]]);
    rig.runtime.assert_clean();
}

#[test]
fn a_list_means_the_memory_at_its_execution() {
    let mut rig = Rig::noop();
    let chain = Chain::new(&mut rig, 2);
    let (view, copy) = (target(&mut rig, chain.buffers[0]), rig.resource(&ResourceDesc::from(desc()), &[]));
    // The list is recorded once after a rotation and once without a rotation.
    for _ in 0..2 {
        let mut deferred = rig.deferred();
        rig.open(&mut deferred, chain.buffers[0]);
        rig.open(&mut deferred, view);
        rig.open(&mut deferred, copy);
        clear_in(&mut deferred, view);
        deferred.copy(copy, chain.buffers[0]);
        let recorded = deferred.finish();
        assert_eq!(list(&recorded).imports.len(), 2, "the view and the back buffer");
        rig.context.flush();
        let before = memory_now(&mut rig, chain.buffers[0]);
        let other = *chain.created_with.iter().find(|id| **id != before).unwrap();
        for _ in 0..2 {
            rig.context.execute(&recorded);
            chain.rotate(&mut rig);
        }
        rig.context.execute(&recorded);
        assert_eq!(queued(&mut rig), [[before; 2], [other; 2], [before; 2]]);
        chain.rotate(&mut rig);
    }
    rig.runtime.assert_clean();
}

fn memory_now(rig: &mut Rig, buffer: ResourceHandle) -> u64 {
    let entry = &mut rig.context.entry();
    let scope = crate::submit::immediate::ImmediateScope::enter(entry).unwrap();
    scope.writer.texture_now(buffer).unwrap().id
}

#[test]
fn a_view_is_imported_once_however_often_it_is_used() {
    let mut rig = Rig::noop();
    let chain = Chain::new(&mut rig, 2);
    let view = target(&mut rig, chain.buffers[0]);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, chain.buffers[0]);
    rig.open(&mut deferred, view);
    (0..3).for_each(|_| clear_in(&mut deferred, view));
    let inner = deferred.finish();
    assert_eq!(list(&inner).imports.len(), 1);
    // A new recording has no imports, so the objects are opened again, as in the first recording.
    rig.open(&mut deferred, chain.buffers[0]);
    rig.open(&mut deferred, view);
    deferred.execute(&inner);
    clear_in(&mut deferred, view);
    deferred.execute(&inner);
    let outer = deferred.finish();
    let outer = list(&outer);
    assert_eq!(outer.imports.len(), 1);
    let nested = outer.segments().filter(|segment| matches!(segment, ListSegment::Nested { .. })).count();
    assert_eq!(nested, 2);
    assert!(
        outer.bindings.iter().all(|binding| matches!(binding, ImportSource::Outer(0))),
        "{:?}",
        outer.bindings
    );
    rig.runtime.assert_clean();
}

/// Buffers that a long list imports are copied to their base storage, but a back buffer has no base storage.
#[test]
fn a_long_list_leaves_a_back_buffer_where_it_is() {
    let mut rig = Rig::noop();
    let draws = rig.device.gpu.policy.settled_draws.unwrap();
    let chain = Chain::new(&mut rig, 2);
    let view = target(&mut rig, chain.buffers[0]);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, chain.buffers[0]);
    rig.open(&mut deferred, view);
    clear_in(&mut deferred, view);
    (0..draws).for_each(|_| deferred.draw());
    let recorded = deferred.finish();
    for _ in 0..4 {
        rig.context.execute(&recorded);
        rig.context.flush();
        let before = memory_now(&mut rig, chain.buffers[0]);
        chain.rotate(&mut rig);
        assert_ne!(memory_now(&mut rig, chain.buffers[0]), before);
    }
    rig.runtime.assert_clean();
}

#[test]
fn a_texture_that_is_no_back_buffer_is_never_imported() {
    let mut rig = Rig::noop();
    let texture = rig.resource(&ResourceDesc::from(desc()), &[]);
    let (view, copy) = (target(&mut rig, texture), rig.resource(&ResourceDesc::from(desc()), &[]));
    let mut deferred = rig.deferred();
    for handle in [texture, copy] {
        rig.open(&mut deferred, handle);
    }
    rig.open(&mut deferred, view);
    clear_in(&mut deferred, view);
    deferred.copy(copy, texture);
    let recorded = deferred.finish();
    assert!(list(&recorded).imports.is_empty());
    let objects = list(&recorded).tables()[0].objects().to_vec();
    let direct = |object: &PageObject| matches!(object, PageObject::View(_) | PageObject::Resource(_));
    assert!(objects.iter().all(direct), "{objects:?}");
    rig.runtime.assert_clean();
}

#[test]
fn a_view_of_each_memory_is_made_once() {
    let mut rig = Rig::noop();
    let chain = Chain::new(&mut rig, 3);
    let handle = target(&mut rig, chain.buffers[0]);
    let view: Arc<View> = rig.context.handles.object_as(handle).unwrap();
    let memories: Vec<_> = chain.buffers.iter().map(|buffer| memory(&rig, *buffer)).collect();
    let made: Vec<_> = memories.iter().map(|memory| view.of(&rig.device.gpu, memory).unwrap()).collect();
    assert!(Arc::ptr_eq(&made[0], &view));
    for _ in 0..2 {
        for (memory, made) in memories.iter().zip(&made) {
            let again = view.of(&rig.device.gpu, memory).unwrap();
            assert!(Arc::ptr_eq(&again, made) && again.texture == memory.id);
        }
    }
    assert!(made[1..].iter().all(|other| other.following.is_none()), "they follow nothing");
    rig.runtime.assert_clean();
}

/// Destroys back buffers before or after their views, in each order.
#[test]
fn destroyed_back_buffers_leave_nothing() {
    for last in 0..3 {
        let mut rig = Rig::noop();
        let chain = Chain::new(&mut rig, 3);
        let view = target(&mut rig, chain.buffers[0]);
        let memories: Vec<Weak<TextureMemory>> =
            chain.buffers.iter().map(|buffer| Arc::downgrade(&memory(&rig, *buffer))).collect();
        let mut deferred = rig.deferred();
        rig.open(&mut deferred, chain.buffers[0]);
        rig.open(&mut deferred, view);
        clear_in(&mut deferred, view);
        let recorded = deferred.finish();
        for _ in 0..4 {
            clear(&mut rig, view);
            rig.context.execute(&recorded);
            chain.rotate(&mut rig);
            rig.context.flush();
        }
        rig.destroy(view);
        rig.table.destroy_command_list(recorded.end());
        let mut buffers = chain.buffers.clone();
        buffers.swap(2, last);
        for buffer in buffers {
            let before = rig.runtime.bytes();
            let table = ImmediateTable::default();
            ImmediateFuncs::close(&table, rig.context.closing(), HandleType::Resource, buffer.key());
            let (object, _) = rig.context.handles.close(buffer.key()).unwrap();
            table.destroy_primary(rig.context.entry(), object);
            assert_eq!(rig.runtime.bytes(), before - 64, "its memory is returned immediately");
        }
        rig.context.flush();
        assert!(rig.runtime.allocations.lock().unwrap().is_empty());
        let left = memories.iter().filter(|memory| memory.strong_count() > 0).count();
        assert_eq!(left, 0, "textures, with {last} last");
        rig.runtime.assert_clean();
    }
}
