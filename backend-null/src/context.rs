//! The code that immediate and deferred contexts share, with a trait, [`End`], for the differences.

use std::any::Any;

use onze_ddi::*;

use crate::{
    command_list::{Command, NullCommandList},
    device::Device,
    page::Page,
    resource::NullResource,
};

/// The functions that the immediate context and deferred contexts implement differently.
pub(crate) trait End: Send + Sync + 'static {
    type State: Any + Send;

    fn device(&self) -> &Device;
    fn page(state: &mut Self::State) -> &mut Page;

    /// Executes or records a command, which is `None` if it changes no bytes.
    fn command(&self, state: &mut Self::State, draws: u32, command: Option<Command>) -> EntryResult;

    /// Handles a full command buffer at the end of an entry, when no part of `cx` is borrowed any more.
    fn page_full(&self, cx: Entry<'_>);

    fn map(&self, cx: Entry<'_>, of: (ResourceHandle, u32), t: MapType) -> Mapped;
    fn unmap(
        &self,
        cx: Entry<'_>,
        resource: ResourceHandle,
        memory: MappedMemory,
        written: &Written,
    ) -> EntryResult;
}

pub(crate) type EntryResult = Result<(), ContextError>;

pub(crate) type Mapped = Result<MappedMemory, RecordError>;

/// A context table without context state, so that the runtime may replace it between two calls.
pub(crate) struct Context<E>(pub(crate) E);

/// Downcasts the private data and fails only if the runtime passes the data of another driver or of a context
/// of the other type.
pub(crate) fn state<S: Any>(private: &mut (dyn Any + Send)) -> Result<&mut S, DriverBug> {
    private.downcast_mut().ok_or_else(|| DriverBug("the private data belongs to another context".into()))
}

impl<E: End> Context<E> {
    /// Enters the objects that are being bound into the page's table, but after an object's first bind in a
    /// command buffer, further binds cost only a check of the object's private bytes.
    fn enter(&self, cx: Entry<'_>, bound: impl FnOnce(&mut dyn FnMut(HandleType, Key))) {
        let result = state::<E::State>(cx.private).and_then(|state| enter(E::page(state), cx.handles, bound));
        if let Err(bug) = result {
            cx.core.set_error(bug.into());
        }
    }

    fn record(
        &self,
        mut cx: Entry<'_>,
        draws: u32,
        make: impl FnOnce(&mut Page, &mut HandleStorage) -> Result<Option<Command>, DriverBug>,
    ) {
        match self.try_record(cx.reborrow(), draws, make) {
            Ok(false) => {}
            Ok(true) => self.0.page_full(cx),
            Err(error) => cx.core.set_error(error),
        }
    }

    fn try_record(
        &self,
        cx: Entry<'_>,
        draws: u32,
        make: impl FnOnce(&mut Page, &mut HandleStorage) -> Result<Option<Command>, DriverBug>,
    ) -> Result<bool, ContextError> {
        let state = state::<E::State>(cx.private)?;
        let command = make(E::page(state), cx.handles)?;
        let skips = E::page(state).skips;
        let command = command.filter(|command| !(skips && command.is_predicated()));
        self.0.command(state, draws, command)?;
        let page = E::page(state);
        page.count(draws);
        Ok(page.commands >= self.0.device().page_commands)
    }
}

fn enter(
    page: &mut Page,
    handles: &mut HandleStorage,
    visit_all: impl FnOnce(&mut dyn FnMut(HandleType, Key)),
) -> Result<(), DriverBug> {
    let mut result = Ok(());
    visit_all(&mut |_, key| {
        if result.is_ok() {
            result = page.enter(handles, key).map(drop);
        }
    });
    result
}

pub(crate) fn resource(handles: &HandleStorage, handle: ResourceHandle) -> Result<&NullResource, DriverBug> {
    let object = handles.object(handle).and_then(|object| object.downcast_ref());
    object.ok_or_else(|| DriverBug("the handle is not open or not a resource of this driver".into()))
}

macro_rules! null {
    ($($(#[$doc:meta])* $class:ident $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        impl<E: End> ContextFuncs for Context<E> {
            $(null! { @$class fn $name $(<$life>)? ($($arg: $type),*) $(-> $answer)? })*
        }
    };
    (@state fn set_predication $($rest:tt)*) => { null! { @special fn set_predication $($rest)* } };
    // Bound objects are entered into the page's table, and state without objects is ignored. A driver that
    // needs state without objects would fetch it in the preamble.
    (@state fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*)) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) {
            self.enter(cx, |visit| {
                $($arg.for_each_handle(visit);)*
            });
        }
    };
    (@draw fn prepare_draw()) => {
        fn prepare_draw(&self, _cx: Entry<'_>) {}
    };
    (@draw fn $name:ident($($arg:ident: $type:ty),*)) => {
        fn $name(&self, cx: Entry<'_>, $(_: $type),*) {
            self.record(cx, 1, |_, _| Ok(None));
        }
    };
    // A dispatch executes no shader, so every buffer keeps its contents.
    (@dispatch fn $name:ident($($arg:ident: $type:ty),*)) => {
        fn $name(&self, cx: Entry<'_>, $(_: $type),*) {
            self.record(cx, 0, |_, _| Ok(None));
        }
    };
    // An indirect dispatch also executes no shader, and an indirect draw is counted as one draw, regardless
    // of its arguments.
    (@indirect fn dispatch_indirect $($rest:tt)*) => { null! { @command fn dispatch_indirect $($rest)* } };
    (@indirect fn $name:ident($($arg:ident: $type:ty),*)) => {
        fn $name(&self, cx: Entry<'_>, $($arg: $type),*) {
            self.record(cx, 1, |page, handles| {
                $(enter(page, handles, |visit| $arg.for_each_handle(visit))?;)*
                Ok(None)
            });
        }
    };
    (@command fn resource_copy $($rest:tt)*) => { null! { @special fn resource_copy $($rest)* } };
    (@command fn resource_copy_region $($rest:tt)*) => { null! { @special fn resource_copy_region $($rest)* } };
    (@command fn resource_update_subresource $($rest:tt)*) => {
        null! { @special fn resource_update_subresource $($rest)* }
    };
    (@command fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*)) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) {
            self.record(cx, 0, |page, handles| {
                let _ = (&page, &handles);
                $(enter(page, handles, |visit| $arg.for_each_handle(visit))?;)*
                Ok(None)
            });
        }
    };
    (@query $($rest:tt)*) => { null! { @special $($rest)* } };
    (@special fn renew_upload_page $($rest:tt)*) => {};
    (@special fn $name:ident $(<$life:lifetime>)? ($($arg:ident: $type:ty),*) $(-> $answer:ty)?) => {
        fn $name $(<$life>)? (&self, cx: Entry<'_>, $($arg: $type),*) $(-> $answer)? {
            special::$name(self, cx, $($arg),*)
        }
    };
}
context_entries!(null);

/// Entries that differ from all other entries of their class, and entries of classes without a common
/// implementation.
mod special {
    use super::*;

    pub(super) fn resource_copy<E: End>(
        table: &Context<E>,
        cx: Entry<'_>,
        dst: ResourceHandle,
        src: ResourceHandle,
    ) {
        table.record(cx, 0, |page, handles| {
            let (dst, src) = (page.enter(handles, dst.key())?, page.enter(handles, src.key())?);
            Ok(Some(Command::Copy { dst, src }))
        });
    }

    pub(super) fn resource_copy_region<E: End>(
        table: &Context<E>,
        cx: Entry<'_>,
        dst: ResourceHandle,
        dst_subresource: u32,
        dst_at: [u32; 3],
        src: ResourceHandle,
        src_subresource: u32,
        src_box: Option<Box3d>,
    ) {
        table.record(cx, 0, |page, handles| {
            let (dst, src) = (page.enter(handles, dst.key())?, page.enter(handles, src.key())?);
            Ok(Some(Command::CopyRegion { dst, dst_subresource, dst_at, src, src_subresource, src_box }))
        });
    }

    pub(super) fn resource_update_subresource<E: End>(
        table: &Context<E>,
        cx: Entry<'_>,
        dst: ResourceHandle,
        subresource: u32,
        dst_box: Option<Box3d>,
        data: SubresourceData<'_>,
    ) {
        table.record(cx, 0, |page, handles| {
            let region = resource(handles, dst)?.region(subresource, dst_box);
            let dst = page.enter(handles, dst.key())?;
            Ok(Some(Command::Update { dst, subresource, region, bytes: region.pack(&data) }))
        });
    }

    pub(super) fn dynamic_map<E: End>(
        table: &Context<E>,
        cx: Entry<'_>,
        resource: ResourceHandle,
        subresource: u32,
        map_type: MapType,
    ) -> Mapped {
        table.0.map(cx, (resource, subresource), map_type)
    }

    pub(super) fn dynamic_unmap<E: End>(
        table: &Context<E>,
        mut cx: Entry<'_>,
        resource: ResourceHandle,
        _subresource: u32,
        memory: MappedMemory,
        written: Written,
    ) {
        match table.0.unmap(cx.reborrow(), resource, memory, &written) {
            Ok(()) => table.record(cx, 0, |_, _| Ok(None)),
            Err(error) => cx.core.set_error(error),
        }
    }

    /// Only enters the query into the table: there is nothing to measure between begin and end, because
    /// nothing is drawn.
    pub(super) fn query_begin<E: End>(table: &Context<E>, cx: Entry<'_>, query: QueryHandle) {
        table.record(cx, 0, |page, handles| page.enter(handles, query.key()).map(|_| None));
    }

    pub(super) fn query_end<E: End>(table: &Context<E>, cx: Entry<'_>, query: QueryHandle) {
        table.record(cx, 0, |page, handles| Ok(Some(Command::EndQuery(page.enter(handles, query.key())?))));
    }

    /// Every predicate is false, because nothing is drawn.
    pub(super) fn set_predication<E: End>(
        _table: &Context<E>,
        cx: Entry<'_>,
        predication: PredicationBinding,
    ) {
        let result = state::<E::State>(cx.private).and_then(|state| {
            let page = E::page(state);
            page.skips = predication.predicate.is_some() && !predication.value;
            enter(page, cx.handles, |visit| predication.for_each_handle(visit))
        });
        if let Err(bug) = result {
            cx.core.set_error(bug.into());
        }
    }

    pub(super) fn command_list_execute<E: End>(table: &Context<E>, cx: Entry<'_>, list: &DriverList<Live>) {
        // A list has its own table and uses the contents that its resources have when it is executed. This
        // driver does not need the list's renamable resources to be open here, but drivers with a separate
        // identity in each context do.
        let draws = list.object().downcast_ref::<NullCommandList>().map_or(0, |list| list.recording.draws);
        table.record(cx, draws, |page, _| {
            page.skips = false;
            page.objects.push(list.object().clone());
            Ok(Some(Command::Execute(page.objects.len() as u32 - 1)))
        });
    }
}
