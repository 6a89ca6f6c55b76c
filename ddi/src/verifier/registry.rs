//! The verifier's registry of a device's live objects, lists and swap chains.
//!
//! An object is identified by the address of the read-only half that the driver returned. A driver may return
//! the same read-only half for several equal objects, so an address may have several records.

use std::collections::{HashMap, HashSet};

use super::breach::{CheckResult, Rule, ensure};
use crate::{
    device::{DriverObject, ObjectDesc},
    handle::{HandleType, Key},
    query::{QueryMiscFlags, QueryType},
    resource::{BindFlags, MiscFlags, ResourceDesc},
    view::ViewDesc,
};

/// The address of an object's read-only half, which identifies the object.
pub(super) type ObjectAddress = usize;

pub(super) fn address(object: &DriverObject) -> ObjectAddress {
    std::sync::Arc::as_ptr(object).cast::<()>().addr()
}

#[derive(Debug)]
struct ObjectRecord {
    kind: HandleType,
    /// `None` for a primary, because the create entry of primaries does not receive a key.
    key: Option<Key>,
    dependency: Option<ObjectAddress>,
    /// The descriptor of a view, or `None` for other objects.
    view: Option<ViewDesc>,
    swap_chain: Option<ObjectAddress>,
    /// Number of deferred contexts that have the object open.
    open_in: u32,
    /// Whether the object's memory may be replaced: true for renamable resources and back buffers.
    renamable: bool,
    bytes: u32,
    /// The bind flags of a resource, or none for other objects.
    bind_flags: BindFlags,
    /// Whether the object is a buffer for the arguments of indirect draws.
    has_arguments: bool,
    /// Number of samples per texel of a texture, or 0 for other objects.
    samples: u32,
    query: Option<QueryType>,
}

/// The stage of a list or of a deferred context; see [`crate::recycle`].
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum LifeStage {
    #[default]
    Live,
    Dead,
    Cached,
}

#[derive(Debug, Default)]
pub(super) struct ListRecord {
    at: LifeStage,
    /// The address of the watch of the context that recorded the list.
    home: ObjectAddress,
    /// The list's renamable resources and back buffers.
    pub(super) renamable: Vec<Key>,
    /// All objects that the list uses, including objects used by the lists that it executes.
    pub(super) objects: Vec<ObjectAddress>,
    /// The queries that begin in the list or in the lists that it executes.
    pub(super) queries: HashSet<Key>,
}

#[derive(Debug, Default)]
pub(super) struct Registry {
    objects: HashMap<ObjectAddress, Vec<ObjectRecord>>,
    keys: HashSet<Key>,
    lists: HashMap<ObjectAddress, ListRecord>,
    listed: HashMap<ObjectAddress, u32>,
    /// Swap chains with their maximum numbers of back buffers.
    swap_chains: HashMap<ObjectAddress, u32>,
}

impl Registry {
    pub(super) fn may_create(&self, key: Key, desc: &ObjectDesc<'_>) -> CheckResult {
        ensure(!self.keys.contains(&key), Rule::KeyUnused, || format!("{key:?}"))?;
        match desc {
            ObjectDesc::Shader { code, stream_output: Some(stream_output), .. } => {
                let is_valid = stream_output.fits(code);
                ensure(is_valid, Rule::StreamDeclaration, || format!("{stream_output:?}"))?;
            }
            ObjectDesc::Query(desc) if desc.misc_flags.contains(QueryMiscFlags::PREDICATEHINT) => {
                let is_occlusion = desc.query == QueryType::OcclusionPredicate;
                ensure(is_occlusion, Rule::StreamQuery, || format!("{:?}", desc.query))?;
            }
            _ => {}
        }
        let Some((resource, _)) = desc.view() else { return Ok(()) };
        let known = self.find(address(resource.object), HandleType::Resource, Some(resource.handle.key()));
        ensure(known.is_some(), Rule::DependencyFirst, || format!("{:?} does not exist", resource.handle))
    }

    pub(super) fn created(&mut self, key: Key, desc: &ObjectDesc<'_>, object: &DriverObject) {
        let dependency = desc.view().map(|(resource, _)| address(resource.object));
        let view = desc.view().map(|(_, view)| *view);
        let (renamable, bytes) = match desc {
            ObjectDesc::Resource { desc, .. } => (desc.is_renamable(), buffer_bytes(desc)),
            _ => (false, 0),
        };
        let bind_flags = match desc {
            ObjectDesc::Resource { desc, .. } => desc.bind_flags(),
            _ => BindFlags::empty(),
        };
        let has_arguments = matches!(desc, ObjectDesc::Resource { desc, .. } if has_arguments(desc));
        let samples = if let ObjectDesc::Resource { desc, .. } = desc { samples(desc) } else { 0 };
        let query = if let ObjectDesc::Query(desc) = desc { Some(desc.query) } else { None };
        self.keys.insert(key);
        let kind = desc.kind();
        let (swap_chain, open_in) = (None, 0);
        let key = Some(key);
        let record = ObjectRecord {
            kind,
            key,
            dependency,
            view,
            swap_chain,
            open_in,
            renamable,
            bytes,
            bind_flags,
            has_arguments,
            samples,
            query,
        };
        self.objects.entry(address(object)).or_default().push(record);
    }

    pub(super) fn may_create_primary(&self, swap_chain: ObjectAddress) -> CheckResult {
        let most = self.swap_chains.get(&swap_chain).copied().unwrap_or(0);
        let known = self.objects.values().flatten().filter(|r| r.swap_chain == Some(swap_chain)).count();
        ensure(known < most as usize, Rule::BackBuffersCounted, || format!("it has {known} of {most}"))
    }

    pub(super) fn created_primary(&mut self, swap_chain: ObjectAddress, object: &DriverObject) {
        let record = ObjectRecord {
            kind: HandleType::Resource,
            key: None,
            dependency: None,
            view: None,
            swap_chain: Some(swap_chain),
            open_in: 0,
            renamable: true,
            bytes: 0,
            bind_flags: BindFlags::empty(),
            has_arguments: false,
            samples: 1,
            query: None,
        };
        self.objects.entry(address(object)).or_default().push(record);
    }

    pub(super) fn may_rotate(&self, resources: &[ObjectAddress]) -> CheckResult {
        let chain = |object: &ObjectAddress| self.find(*object, HandleType::Resource, None)?.swap_chain;
        let mut chains = resources.iter().map(chain);
        let first = chains.next().flatten();
        let one = first.is_some() && chains.all(|chain| chain == first);
        ensure(one, Rule::RotatedTogether, || {
            let found: Vec<_> = resources.iter().map(chain).collect();
            format!("of swap chains {found:?}")
        })?;
        let apart: HashSet<_> = resources.iter().collect();
        ensure(apart.len() > 1 && apart.len() == resources.len(), Rule::RotatedOnce, || {
            format!("{} of {}", apart.len(), resources.len())
        })
    }

    pub(super) fn is(&self, object: ObjectAddress, kind: HandleType) -> bool {
        self.find(object, kind, None).is_some()
    }

    /// Returns the size of a buffer in bytes, or 0 for other objects.
    pub(super) fn buffer_bytes(&self, object: ObjectAddress) -> u32 {
        self.find(object, HandleType::Resource, None).map_or(0, |record| record.bytes)
    }

    /// Returns the bind flags of a resource, or none for other objects.
    pub(super) fn bind_flags(&self, object: ObjectAddress) -> BindFlags {
        self.find(object, HandleType::Resource, None).map_or(BindFlags::empty(), |record| record.bind_flags)
    }

    /// Returns the size of an indirect-argument buffer in bytes, or 0 for other objects.
    pub(super) fn argument_bytes(&self, object: ObjectAddress) -> u32 {
        let record = self.find(object, HandleType::Resource, None).filter(|record| record.has_arguments);
        record.map_or(0, |record| record.bytes)
    }

    /// Returns the number of samples per texel of a texture, or 0 for other objects.
    pub(super) fn samples(&self, object: ObjectAddress) -> u32 {
        self.find(object, HandleType::Resource, None).map_or(0, |record| record.samples)
    }

    pub(super) fn has_counter(&self, object: ObjectAddress, key: Key) -> bool {
        let view = self.find(object, HandleType::UnorderedAccessView, Some(key)).and_then(|r| r.view);
        view.is_some_and(|view| view.buffer().is_some_and(|view| view.counter))
    }

    /// Returns the type of a query, or `None` for other objects.
    pub(super) fn query(&self, object: ObjectAddress, key: Key) -> Option<QueryType> {
        self.find(object, HandleType::Query, Some(key))?.query
    }

    pub(super) fn dependency(
        &self,
        object: ObjectAddress,
        kind: HandleType,
        key: Key,
    ) -> Option<ObjectAddress> {
        self.find(object, kind, Some(key))?.dependency
    }

    pub(super) fn overlap(&self, a: (ObjectAddress, Key), b: (ObjectAddress, Key)) -> bool {
        let find = |(object, key): (ObjectAddress, Key)| {
            let record = self.objects.get(&object)?.iter().find(|record| record.key == Some(key))?;
            Some((record.dependency?, record.view?))
        };
        match (find(a), find(b)) {
            (Some((of, seen)), Some((other, too))) => of == other && seen.overlaps(&too),
            (None, _) | (_, None) => false,
        }
    }

    pub(super) fn open(&mut self, object: ObjectAddress, kind: HandleType, key: Key) -> CheckResult {
        let record = self.find_mut(object, kind, Some(key));
        let lives = record.map(|record| record.open_in += 1);
        ensure(lives.is_some(), Rule::ImmediateFirst, || format!("{kind:?} {key:?} does not exist"))
    }

    pub(super) fn close(&mut self, object: ObjectAddress, kind: HandleType, key: Key) {
        if let Some(record) = self.find_mut(object, kind, Some(key)) {
            record.open_in = record.open_in.saturating_sub(1);
        }
    }

    /// Returns the number of deferred contexts that have an object open.
    pub(super) fn open_in(&self, object: ObjectAddress, kind: HandleType, key: Key) -> u32 {
        self.find(object, kind, Some(key)).map_or(0, |record| record.open_in)
    }

    /// Returns the views of a resource. If several resources share the same read-only half, the owner of a
    /// view is unknown, so this returns no views.
    pub(super) fn views(&self, resource: ObjectAddress) -> impl Iterator<Item = Key> {
        let is_alone = self.objects.get(&resource).is_some_and(|records| records.len() == 1);
        let views =
            self.objects.values().flatten().filter(move |r| is_alone && r.dependency == Some(resource));
        views.filter_map(|record| record.key)
    }

    pub(super) fn exists(&self, object: ObjectAddress) -> bool {
        self.objects.contains_key(&object)
    }

    pub(super) fn is_primary(&self, object: ObjectAddress) -> bool {
        self.objects.get(&object).is_some_and(|records| records.iter().any(|r| r.key.is_none()))
    }

    pub(super) fn with_dependency(&self, object: ObjectAddress) -> impl Iterator<Item = ObjectAddress> {
        let dependency = self.objects.get(&object).and_then(|records| records.first()?.dependency);
        [Some(object), dependency].into_iter().flatten()
    }

    /// Unregisters an object, before its destroy entry is called, and checks that it may be destroyed.
    pub(super) fn destroy(&mut self, object: ObjectAddress, kind: HandleType, primary: bool) -> CheckResult {
        let Some(records) = self.objects.get_mut(&object) else {
            return Err((Rule::DestroyedOnce, format!("there is no such {kind:?}")));
        };
        // If several objects share the same read-only half, this prefers an object that no deferred context
        // has open.
        let matching = |r: &ObjectRecord| r.kind == kind && r.key.is_none() == primary;
        let index = (records.iter().position(|r| matching(r) && r.open_in == 0))
            .or_else(|| records.iter().position(matching));
        let Some(index) = index else {
            let was = records.first().map(|r| (r.kind, r.key.is_none()));
            let details = format!("{kind:?}, primary {primary}; created as {was:?}");
            return Err((Rule::DestroyedAsCreated, details));
        };
        let record = records.swap_remove(index);
        let shared = !records.is_empty();
        if !shared {
            self.objects.remove(&object);
        }
        if let Some(key) = record.key {
            self.keys.remove(&key);
        }
        let name = || format!("{kind:?} {:?}", record.key);
        let lists = if shared { 0 } else { self.listed.remove(&object).unwrap_or(0) };
        ensure(lists == 0, Rule::ListsLast, || format!("{} is used by {lists} lists", name()))?;
        ensure(record.open_in == 0, Rule::ImmediateLast, || {
            format!("{} is open in {}", name(), record.open_in)
        })?;
        let dependants = self.objects.values().flatten().filter(|r| r.dependency == Some(object)).count();
        ensure(shared || dependants == 0, Rule::DependencyLast, || {
            format!("{} has {dependants} views", name())
        })
    }

    /// Registers a list made from a recording, with the objects that are open in the recording and the
    /// objects of the lists that the recording executes.
    pub(super) fn list_created(
        &mut self,
        list: &DriverObject,
        home: ObjectAddress,
        open: &[(ObjectAddress, Key)],
        (mut objects, queries): (Vec<ObjectAddress>, HashSet<Key>),
    ) -> CheckResult {
        let renamable = |(object, key): &&(ObjectAddress, Key)| {
            self.find(*object, HandleType::Resource, Some(*key)).is_some_and(|record| record.renamable)
        };
        let renamable = open.iter().filter(renamable).map(|(_, key)| *key).collect();
        objects.extend(open.iter().map(|(object, _)| *object));
        objects.sort_unstable();
        objects.dedup();
        objects.iter().for_each(|object| *self.listed.entry(*object).or_default() += 1);
        self.put_list(address(list), ListRecord { at: LifeStage::Live, home, renamable, objects, queries })
    }

    fn put_list(&mut self, list: ObjectAddress, known: ListRecord) -> CheckResult {
        let other = self.lists.insert(list, known);
        if let Some(other) = &other {
            self.unlist(other);
        }
        ensure(other.is_none(), Rule::RecycledWhenDead, || "another recording's".into())
    }

    /// Returns the record of a live list, or `None` if no live list has this address.
    pub(super) fn list(&self, list: ObjectAddress) -> Option<&ListRecord> {
        self.lists.get(&list).filter(|list| list.at == LifeStage::Live)
    }

    /// Unregisters a list before it goes to the next stage or is destroyed. Checks that the list is in the
    /// stage `at` and belongs to the context `home`; an argument that is `None` is not checked.
    pub(super) fn take_list(
        &mut self,
        list: ObjectAddress,
        at: Option<LifeStage>,
        home: Option<ObjectAddress>,
    ) -> (CheckResult, ObjectAddress) {
        let Some(known) = self.lists.remove(&list) else {
            return (Err((Rule::DestroyedOnce, "there is no such list".into())), 0);
        };
        self.unlist(&known);
        let there = at.is_none_or(|at| at == known.at) && home.is_none_or(|home| home == known.home);
        let details = || format!("it is {:?}, not {at:?}, or another context's", known.at);
        (ensure(there, Rule::StageKept, details), known.home)
    }

    /// Registers a dead or cached list, which uses no objects.
    pub(super) fn list_went(
        &mut self,
        list: ObjectAddress,
        at: LifeStage,
        home: ObjectAddress,
    ) -> CheckResult {
        self.put_list(list, ListRecord { at, home, ..ListRecord::default() })
    }

    fn unlist(&mut self, list: &ListRecord) {
        for object in &list.objects {
            match self.listed.get_mut(object) {
                Some(lists) if *lists > 1 => *lists -= 1,
                _ => drop(self.listed.remove(object)),
            }
        }
    }

    pub(super) fn swap_chain_created(&mut self, swap_chain: &DriverObject, buffer_count: u32) {
        self.swap_chains.insert(address(swap_chain), buffer_count);
    }

    pub(super) fn destroy_swap_chain(&mut self, swap_chain: ObjectAddress) -> CheckResult {
        let lives = self.swap_chains.remove(&swap_chain).is_some();
        // The address may be reused for another swap chain, so it is removed from the records of the back
        // buffers.
        let left = self.objects.values_mut().flatten().filter(|r| r.swap_chain == Some(swap_chain));
        left.for_each(|record| record.swap_chain = None);
        ensure(lives, Rule::DestroyedOnce, || "there is no such swap chain".into())
    }

    pub(super) fn all_destroyed(&self) -> CheckResult {
        let mut left: Vec<String> = self
            .objects
            .values()
            .flatten()
            .map(|r| format!("{:?} {:?}", r.kind, r.key.map(|key| (key.index(), key.generation()))))
            .collect();
        left.sort();
        let details =
            || format!("{} lists, {} swap chains, {left:?}", self.lists.len(), self.swap_chains.len());
        ensure(
            left.is_empty() && self.lists.is_empty() && self.swap_chains.is_empty(),
            Rule::AllDestroyed,
            details,
        )
    }

    fn find(&self, object: ObjectAddress, kind: HandleType, key: Option<Key>) -> Option<&ObjectRecord> {
        self.objects.get(&object)?.iter().find(|r| matches(r, kind, key))
    }

    fn find_mut(
        &mut self,
        object: ObjectAddress,
        kind: HandleType,
        key: Option<Key>,
    ) -> Option<&mut ObjectRecord> {
        self.objects.get_mut(&object)?.iter_mut().find(|r| matches(r, kind, key))
    }
}

fn matches(record: &ObjectRecord, kind: HandleType, key: Option<Key>) -> bool {
    record.kind == kind && (key.is_none() || record.key.is_none() || record.key == key)
}

fn has_arguments(desc: &ResourceDesc) -> bool {
    match desc {
        ResourceDesc::Buffer(desc) => desc.misc_flags.contains(MiscFlags::DRAWINDIRECT_ARGS),
        ResourceDesc::Texture(_) => false,
    }
}

fn buffer_bytes(desc: &ResourceDesc) -> u32 {
    match desc {
        ResourceDesc::Buffer(desc) => desc.byte_width,
        ResourceDesc::Texture(_) => 0,
    }
}

fn samples(desc: &ResourceDesc) -> u32 {
    match desc {
        ResourceDesc::Buffer(_) => 0,
        ResourceDesc::Texture(desc) => desc.sample_count,
    }
}
