//! The recorder, which is the driver's private data of an immediate or deferred context.
//!
//! Every entry appends commands to the open page, and the recorder's [`PageSink`], whose type differs between
//! immediate and deferred contexts, receives full pages. Within an entry, a [`PageWriter`] borrows the
//! recorder and the handles, and a [`RecordScope`] adds the runtime's callbacks, so that state from a
//! callback can be written without a copy.
//!
//! An object is entered into the open object table at its first use in that table, so each table holds one
//! reference to it. Its [handle state](handle_state) stores the serial number of the table and the index of
//! the object in it. Therefore a bind or a draw takes no lock and touches no memory that another context
//! touches.

use crate::services::sizes::PAGE_COMMANDS;

mod copy;
mod draw;
mod end;
pub(crate) mod handle_state;
pub(crate) mod identities;
mod map;
mod objects;
mod preamble;
pub(crate) mod predication;
mod query;
pub(crate) mod rename;
mod rotate;
mod state;
mod update;

use std::{any::Any, borrow::Cow, sync::Arc};

use onze_ddi::{
    Box3d, ContextError, CoreLayer, DriverBug, Entry, HandleStorage, ResourceHandle, ShaderStage,
    SubresourceData,
};

pub(crate) use end::PageSink;
pub(crate) use handle_state::{handle_sizes, private_size};

use crate::{
    record::{
        command::{Bind, Binds, Command},
        command_list::List,
        min_lods::MinLods,
        object_table::ObjectTable,
        page::{Page, PagePredicate},
        recorder::{
            identities::Identities,
            query::BegunQuery,
            state::{BoundConstants, BoundView},
        },
        recycle::{Recycle, RecycleQueue, Spare},
        upload::Uploads,
    },
    services::gpu::Gpu,
};

/// A valid call could not be recorded, because of a bug in the driver or because an allocation failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotRecorded;

/// The result of a step of recording. Failed allocations are reported where they fail, and
/// [`RecordScope::expect_done`] reports everything else.
pub(crate) type Recorded<T> = Result<T, NotRecorded>;

/// D3D11's 14 constant-buffer slots of a stage, rounded up to a power of two so that a masked index needs no
/// bounds check.
const CONSTANT_SLOTS: usize = 16;

/// Shader stages, also rounded up to a power of two so that a masked index needs no bounds check.
const STAGE_ROWS: usize = ShaderStage::COUNT.next_power_of_two();

type StageConstants = [[BoundConstants; CONSTANT_SLOTS]; STAGE_ROWS];

const NO_CONSTANTS: StageConstants = [[BoundConstants::NONE; CONSTANT_SLOTS]; STAGE_ROWS];

/// The driver's private data of an immediate or deferred context.
pub(crate) struct Recorder<E> {
    pub(crate) gpu: Arc<Gpu>,
    /// The device policy's maximum number of draws per page.
    page_draws: u32,
    /// The device policy's maximum number of draws per page if the draws are consecutive.
    plain_draws: u32,
    pub(crate) page: Page,
    /// The open object table, which belongs to the open page or, in a recording, to several of its pages.
    pub(crate) objects: ObjectTable,
    /// Number of objects in `objects` that sealed pages have added.
    entered: usize,
    /// The constant buffers that the open page has bound, which show where a renamed buffer is bound without
    /// a call into the runtime. They are empty at the beginning of each page.
    constants: StageConstants,
    /// The views of buffers that the open page has bound to `t` slots, for finding where a renamed buffer is
    /// bound.
    views: Vec<BoundView>,
    /// Serial number of the open object table, stored in handle state and never 0, because 0 means no table.
    pub(crate) serial: u32,
    /// Number of the recording, stored in handle state: never 0, and always 1 on the immediate context.
    pub(crate) recording: u32,
    pub(crate) has_work: bool,
    pub(crate) begun: Vec<BegunQuery>,
    /// The predicate of the following commands, including those of later pages, until another predicate is
    /// set.
    predicate: Option<PagePredicate>,
    /// Whether the copies of the current entry ignore the predicate.
    pub(crate) is_unconditional: bool,
    /// Whether an allocation has failed during the current entry.
    pub(crate) out_of_memory: bool,
    /// The minimum mip levels of textures: all levels that are set on the immediate context, but in a
    /// recording only the levels that the recording has set.
    pub(crate) min_lods: MinLods,
    pub(crate) uploads: Uploads,
    pub(crate) identities: Identities,
    spare_pages: Spare<Page>,
    spare_tables: Spare<ObjectTable>,
    /// Receives the sealed pages, boxed so that the fields for binds and draws are close together in memory.
    pub(crate) end: Box<E>,
}

impl<E: PageSink> Recorder<E> {
    pub(crate) fn new(gpu: &Arc<Gpu>, end: E) -> Self {
        Self {
            gpu: gpu.clone(),
            page_draws: gpu.policy.page_draws,
            plain_draws: gpu.policy.page_plain_draws(),
            page: Page::default(),
            objects: ObjectTable::default(),
            entered: 0,
            constants: NO_CONSTANTS,
            views: Vec::new(),
            serial: 1,
            recording: 1,
            has_work: false,
            begun: Vec::new(),
            predicate: None,
            is_unconditional: false,
            out_of_memory: false,
            min_lods: MinLods::default(),
            uploads: Uploads::new(gpu),
            identities: Identities::default(),
            spare_pages: Spare::default(),
            spare_tables: Spare::default(),
            end: Box::new(end),
        }
    }

    /// Applies the minimum mip levels of textures that are set at the end of a list.
    pub(crate) fn take_min_lods(&mut self, list: &List) {
        if !list.min_lods.is_empty() {
            self.min_lods = list.min_lods.over(&self.min_lods);
            self.min_lods.forget_unused();
        }
    }

    /// Whether one more call might exceed a limit of the open page.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.has_its_draws() || self.has_its_binds()
    }

    /// Whether the page has reached its draw limit, which is higher for consecutive draws, because they take
    /// less memory.
    #[inline]
    fn has_its_draws(&self) -> bool {
        let Page { draws, commands, .. } = &self.page;
        *draws >= self.page_draws
            && (commands.len() >= self.page_draws as usize || *draws >= self.plain_draws)
    }

    #[inline]
    fn has_its_binds(&self) -> bool {
        self.objects.is_full() || self.page.commands.len() >= PAGE_COMMANDS
    }

    #[inline]
    pub(crate) fn is_waited_for(&self) -> bool {
        self.out_of_memory || self.is_full()
    }

    /// Seals the open page and begins the next page with the queries that are active, but without a preamble,
    /// or returns `None` if the page contained only state.
    pub(crate) fn seal(&mut self) -> Option<Arc<Page>> {
        self.constants = NO_CONSTANTS;
        self.views.clear();
        let sealed = if std::mem::take(&mut self.has_work) {
            let known = std::mem::replace(&mut self.entered, self.objects.len());
            self.page.entered = (self.entered - known) as u32;
            Some(self.spare_pages.seal(&mut self.page))
        } else {
            self.page.clear();
            None
        };
        self.page.predicate.clone_from(&self.predicate);
        self.restate_queries();
        sealed
    }

    /// Seals the open object table and begins the next table, which requires a new open page.
    pub(crate) fn seal_objects(&mut self) -> Arc<ObjectTable> {
        let sealed = self.spare_tables.seal(&mut self.objects);
        self.forget_objects();
        sealed
    }

    /// Empties the open object table, which requires a new open page.
    pub(crate) fn forget_objects(&mut self) {
        self.objects.clear();
        self.entered = 0;
        // The serial wraps after four billion tables, but a collision would also need a handle that was
        // unused all that time.
        self.serial = self.serial.checked_add(1).unwrap_or(1);
    }

    /// Takes back a page and its object table for reuse, each only if it has no other owner.
    pub(crate) fn recycle(&mut self, page: Arc<Page>, objects: Arc<ObjectTable>) {
        self.spare_pages.take_back(page);
        self.spare_tables.take_back(objects);
    }

    /// Takes back the pages and object tables that lists have returned.
    pub(crate) fn take_returned(&mut self) {
        self.spare_pages.take_returned();
        self.spare_tables.take_returned();
    }

    pub(crate) fn returned_pages(&self) -> &Arc<RecycleQueue<Page>> {
        self.spare_pages.returned()
    }

    /// The queue through which lists return their object tables.
    pub(crate) fn returned_tables(&self) -> &Arc<RecycleQueue<ObjectTable>> {
        self.spare_tables.returned()
    }

    pub(crate) fn trim(&mut self) {
        self.spare_pages.trim();
        self.spare_tables.trim();
        self.uploads.trim();
    }
}

/// The recorder and the handles: the state of an entry that the setters write.
pub(crate) struct PageWriter<'a, E> {
    pub(crate) r: &'a mut Recorder<E>,
    pub(crate) handles: &'a mut HandleStorage,
}

/// An entry, split into a page writer and the runtime's callbacks.
pub(crate) struct RecordScope<'a, E> {
    pub(crate) writer: PageWriter<'a, E>,
    pub(crate) core: &'a mut dyn CoreLayer,
}

impl<'a, E: PageSink> RecordScope<'a, E> {
    /// Splits an entry, and takes the slices that wait in the upload page. If the private data is not a
    /// recorder of this type, it reports an error and returns `None`.
    #[inline]
    pub(crate) fn enter(entry: &'a mut Entry<'_>) -> Option<Self> {
        let private: &mut (dyn Any + Send) = &mut *entry.private;
        let Some(r) = private.downcast_mut::<Recorder<E>>() else {
            foreign_data(&mut *entry.core);
            return None;
        };
        let has_slices = entry.handles.uploads.has_slices();
        let mut scope =
            Self { writer: PageWriter { r, handles: &mut *entry.handles }, core: &mut *entry.core };
        if has_slices {
            scope.take_slices();
        }
        Some(scope)
    }

    /// Ends the loan of the context's upload page, so that the driver can access the bytes of its block.
    pub(crate) fn take_page_back(&mut self) {
        self.writer.r.uploads.take_page_back(&mut self.writer.handles.uploads);
    }

    /// Called at the end of an entry, to report once if allocations failed during the entry.
    pub(crate) fn report_memory(&mut self) {
        if std::mem::take(&mut self.writer.r.out_of_memory) {
            E::report_spent_memory(self);
        }
    }
}

#[cold]
fn foreign_data(core: &mut dyn CoreLayer) {
    core.set_error(ContextError::Bug(DriverBug("an entry got another context's data".into())));
}

impl<E: PageSink> PageWriter<'_, E> {
    /// Reborrows the writer for a call that is not inlined, so that the writer itself can stay in registers.
    #[inline(always)]
    pub(crate) fn again(&mut self) -> PageWriter<'_, E> {
        PageWriter { r: &mut *self.r, handles: &mut *self.handles }
    }

    #[inline]
    pub(crate) fn push(&mut self, command: Command) {
        self.r.page.commands.push(command);
    }

    /// Appends a short bind to the last command or, if that has no room, as a new command. Inlining makes
    /// packing cheap, because it makes the bind kind a constant in the caller.
    #[inline(always)]
    pub(crate) fn bind(&mut self, bind: Bind) {
        let commands = &mut self.r.page.commands;
        if let Some(Command::Binds(binds)) = commands.last_mut()
            && binds.add(bind)
        {
            return;
        }
        commands.push(Command::Binds(Binds::new(bind)));
    }

    /// Appends a command that does more than set state.
    #[inline]
    pub(crate) fn work(&mut self, command: Command) {
        self.r.has_work = true;
        self.r.page.commands.push(command);
    }

    #[cold]
    pub(crate) fn bug(&self, words: impl Into<Cow<'static, str>>) {
        self.r.gpu.report_bug(words);
    }
}

/// Runs a recording entry, and then turns the page if it is full.
#[inline]
pub(crate) fn record<E: PageSink>(mut entry: Entry<'_>, write: impl FnOnce(&mut RecordScope<'_, E>)) {
    let Some(mut scope) = RecordScope::<E>::enter(&mut entry) else {
        return;
    };
    write(&mut scope);
    if scope.writer.r.is_waited_for() {
        after_entry::<E>(&mut entry);
    }
}

/// Runs an entry that draws. It binds nothing and allocates no memory, so only the draw limit must be checked
/// after it.
#[inline]
pub(crate) fn record_draw<E: PageSink>(mut entry: Entry<'_>, write: impl FnOnce(&mut PageWriter<'_, E>)) {
    let Some(mut scope) = RecordScope::<E>::enter(&mut entry) else {
        return;
    };
    write(&mut scope.writer);
    if scope.writer.r.has_its_draws() {
        after_entry::<E>(&mut entry);
    }
}

/// Runs an entry that binds. It draws nothing and allocates no memory, so only the limits on objects and
/// commands must be checked after it.
#[inline]
pub(crate) fn record_bind<E: PageSink>(mut entry: Entry<'_>, write: impl FnOnce(&mut PageWriter<'_, E>)) {
    let Some(mut scope) = RecordScope::<E>::enter(&mut entry) else {
        return;
    };
    write(&mut scope.writer);
    if scope.writer.r.has_its_binds() {
        after_entry::<E>(&mut entry);
    }
}

/// Runs an update, which without a predicate has a fast path that draws nothing and allocates no memory.
#[inline(always)]
pub(crate) fn record_update<E: PageSink>(
    mut entry: Entry<'_>,
    dst: ResourceHandle,
    subresource: u32,
    dst_box: Option<Box3d>,
    data: SubresourceData<'_>,
) {
    let Some(mut scope) = RecordScope::<E>::enter(&mut entry) else {
        return;
    };
    if scope.writer.r.is_predicated() || !scope.replace(dst, data.bytes) {
        update_any::<E>(entry, dst, subresource, dst_box, data);
    } else if scope.writer.r.has_its_binds() {
        after_entry::<E>(&mut entry);
    }
}

/// Finishes an entry in rare cases: reports a failed allocation and turns a full page.
#[cold]
#[inline(never)]
pub(crate) fn after_entry<E: PageSink>(entry: &mut Entry<'_>) {
    let Some(mut scope) = RecordScope::<E>::enter(entry) else {
        return;
    };
    scope.report_memory();
    if scope.writer.r.is_full() {
        page_full::<E>(entry);
    }
}

#[cold]
fn page_full<E: PageSink>(entry: &mut Entry<'_>) {
    E::turn_page(entry);
    if let Some(mut scope) = RecordScope::<E>::enter(entry) {
        scope.preamble();
    }
}

/// Sets the minimum mip level of a texture for shaders, which begins a new page because the level applies to
/// whole pages.
pub(crate) fn set_min_lod<E: PageSink>(entry: &mut Entry<'_>, resource: ResourceHandle, min_lod: f32) {
    E::turn_page(entry);
    let Some(mut scope) = RecordScope::<E>::enter(entry) else {
        return;
    };
    let memory = scope.writer.resource(resource).ok().and_then(|resource| resource.texture().cloned());
    let min_lods = &mut scope.writer.r.min_lods;
    let done = memory.map(|memory| min_lods.set(&memory, min_lod)).ok_or(NotRecorded);
    if E::IS_IMMEDIATE {
        min_lods.forget_unused();
    }
    scope.expect_done(done, "a least mip level");
    scope.preamble();
    scope.report_memory();
}

#[cold]
#[inline(never)]
fn update_any<E: PageSink>(
    entry: Entry<'_>,
    dst: ResourceHandle,
    subresource: u32,
    dst_box: Option<Box3d>,
    data: SubresourceData<'_>,
) {
    record::<E>(entry, |scope| {
        if !scope.writer.r.is_predicated() && scope.replace_in_next_page(dst, data.bytes) {
            return;
        }
        let done = scope.update(dst, subresource, dst_box, data);
        scope.expect_done(done, "an update");
    });
}

impl<E: PageSink> RecordScope<'_, E> {
    /// Reports a valid call that could not be recorded, except that failed allocations are reported
    /// separately.
    pub(crate) fn expect_done(&mut self, done: Recorded<()>, what: &str) {
        if done.is_err() && !self.writer.r.out_of_memory {
            self.writer.bug(format!("{what} could not be recorded"));
        }
    }
}
