//! The graveyard: destroyed objects that wait for a submission before they are retired.

use crossbeam_queue::SegQueue;
use onze_ddi::DriverObject;

use crate::record::{
    command_list::{List, ListMemory},
    object_table::ObjectTable,
    page::Page,
    recycle,
};

/// Objects that were destroyed, on any thread. Those that wait here may be in use by what is recorded: they are
/// retired after a submission.
#[derive(Debug, Default)]
pub(crate) struct Graveyard(SegQueue<DriverObject>);

impl Graveyard {
    /// Adds an object. Never waits.
    pub(crate) fn push(&self, object: DriverObject) {
        self.0.push(object);
    }

    /// Empties a list, except for its memory. Its pages and tables wait for the submission that may use them, and then
    /// go back to where they were recorded.
    pub(crate) fn bury(&self, list: &mut List) {
        list.empty(&mut |part| match part {
            ListMemory::Page(page) => self.push(page),
            ListMemory::Objects(table) => self.push(table),
        });
    }

    /// Retires what is there now: an object's drop may destroy another. By the immediate context's thread.
    pub(crate) fn retire(&self) {
        for _ in 0..self.0.len() {
            let Some(object) = self.0.pop() else { return };
            self.retire_one(object);
        }
    }

    fn retire_one(&self, object: DriverObject) {
        let object = match object.downcast::<Page>() {
            Ok(page) => return recycle::send_back(page),
            Err(object) => object,
        };
        let object = match object.downcast::<ObjectTable>() {
            Ok(table) => return recycle::send_back(table),
            Err(object) => object,
        };
        // One that is not submitted yet waits for the next submission.
        if let Ok(list) = object.downcast::<List>()
            && let Err(list) = List::send_back(list)
        {
            self.push(list);
        }
    }

    /// Drops everything, for a device that ends.
    pub(crate) fn clear(&self) {
        while let Some(object) = self.0.pop() {
            drop(object);
        }
    }

    /// Whether nothing waits.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many objects wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
