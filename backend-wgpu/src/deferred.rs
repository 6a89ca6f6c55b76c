//! The table entries that only deferred contexts have.

use std::{any::Any, sync::Arc};

use onze_ddi::{
    Cached, ClosingEntry, Dead, DeferredFuncs, DriverBug, DriverList, DriverObject, Entry, HandleType, Key,
    Live, OpenArgs, RecordError,
};

use crate::{
    context::DeferredTable,
    record::{
        command_list::List,
        deferred::{Deferred, DeferredScope, abandon, finish},
        recorder::Recorder,
    },
};

impl DeferredFuncs for DeferredTable {
    fn open(&self, _cx: Entry<'_>, _args: OpenArgs<'_>) -> Result<(), RecordError> {
        // The private bytes stay zero, because zero means that the recording has no state for the object yet.
        Ok(())
    }

    fn close(&self, _cx: ClosingEntry<'_>, _kind: HandleType, _key: Key) {
        // The recording's own references keep the object alive, and the runtime takes back the private bytes.
    }

    fn recycle_command_list(&self, _cx: ClosingEntry<'_>, list: DriverList<Dead>) -> DriverList<Cached> {
        // The list's pages return separately, after the submission that may use them.
        list.cache()
    }

    fn create_command_list(
        &self,
        mut entry: Entry<'_>,
        cached: Option<DriverList<Cached>>,
    ) -> Result<DriverList<Live>, RecordError> {
        let Some(mut scope) = DeferredScope::enter(&mut entry) else {
            return Err(DriverBug("an entry got another context's data".into()).into());
        };
        scope.take_page_back();
        if scope.writer.r.gpu.is_lost() {
            abandon(scope.writer.r);
            return Err(RecordError::DeviceRemoved("the device is lost".into()));
        }
        let mut list =
            cached.map_or_else(|| Arc::new(List::default()) as DriverObject, DriverList::into_inner);
        match Arc::get_mut(&mut list).and_then(|list| list.downcast_mut()) {
            Some(list) => finish(&mut scope.writer, list),
            None => {
                abandon(scope.writer.r);
                return Err(DriverBug("a cached list is in use, or another driver's".into()).into());
            }
        }
        Ok(DriverList::new(list))
    }

    fn abandon_command_list(&self, entry: ClosingEntry<'_>) {
        let private: &mut (dyn Any + Send) = entry.private;
        if let Some(r) = private.downcast_mut::<Recorder<Deferred>>() {
            r.uploads.take_page_back(&mut entry.handles.uploads);
            abandon(r);
        }
    }
}
