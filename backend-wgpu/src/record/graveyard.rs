//! The graveyard, where destroyed objects wait until a submission allows their retirement.

use crossbeam_queue::SegQueue;
use onze_ddi::DriverObject;

use crate::record::{
    command_list::{List, ListMemory},
    object_table::ObjectTable,
    page::Page,
    recycle,
};

/// Destroyed objects, pushed by any thread and retired only after a submission, because recorded commands may
/// still use them.
#[derive(Debug, Default)]
pub(crate) struct Graveyard(SegQueue<DriverObject>);

impl Graveyard {
    pub(crate) fn push(&self, object: DriverObject) {
        self.0.push(object);
    }

    /// Empties a list but keeps the list's own memory. Its pages and object tables wait for the submission
    /// that may use them, and then return to the context that recorded them.
    pub(crate) fn bury(&self, list: &mut List) {
        list.empty(&mut |part| match part {
            ListMemory::Page(page) => self.push(page),
            ListMemory::Objects(table) => self.push(table),
        });
    }

    /// Retires, on the immediate context's thread, the objects that are in the graveyard when the call
    /// starts. If dropping an object destroys a second object, the second object waits for the next call.
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
        // A list that has not been submitted yet waits for the next submission.
        if let Ok(list) = object.downcast::<List>()
            && let Err(list) = List::send_back(list)
        {
            self.push(list);
        }
    }

    pub(crate) fn clear(&self) {
        while let Some(object) = self.0.pop() {
            drop(object);
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
