//! Executing command lists.

use std::sync::Arc;

use super::{CommandList, DeviceContext, command_list::Recorded, runtime::ContextKind};
use crate::report::MessageId;

impl DeviceContext {
    /// Executes a command list, on the immediate context or into the recording of a deferred one.
    /// D3D11: `ExecuteCommandList`.
    ///
    /// Afterwards the context is in its default state, or, with `restore_context_state`, as it was. A list
    /// can be executed any number of times. One that uses a resource that is mapped here does not run
    /// ([`MessageId::ExecuteCommandListMappedResource`]), nor one that begins or ends a query that is begun
    /// here, or depends on one ([`MessageId::ExecuteCommandListBegunQuery`]); the state is the same afterwards as if it had run.
    /// One of another device is ignored ([`MessageId::ForeignObject`]).
    #[doc(alias = "ExecuteCommandList")]
    pub fn execute_command_list(&mut self, list: &CommandList, restore_context_state: bool) {
        self.sweep_owned_maps();
        let shared = &list.shared;
        if !Arc::ptr_eq(&shared.device, &self.core.device) {
            self.report(
                MessageId::ForeignObject,
                "`execute_command_list` was given a command list that another device made",
            );
            return;
        }
        let saved = restore_context_state.then(|| Arc::new(self.core.rt.bound.clone()));
        // Only this may keep it meanwhile: a list may fill pages, after which the unused is destroyed.
        self.core.rt.saved = saved.clone();
        let mapped = self.core.rt.owned_maps.iter().map(|m| m.map.key).find(|key| shared.uses(*key));
        let mut used = shared.queries.iter().chain(&shared.predicates);
        let begun = used.find(|query| self.core.rt.begun.contains(&query.key));
        if mapped.is_some() {
            let text =
                format_args!("{} is mapped in this context, and the list uses it", self.name_of(mapped));
            self.report_about(MessageId::ExecuteCommandListMappedResource, mapped, text);
            self.clear_state();
        } else if let Some(query) = begun {
            let text = format_args!(
                "{} is begun in this context, and the list begins it, ends it or depends on it",
                query.name()
            );
            self.report_about(MessageId::ExecuteCommandListBegunQuery, query.key, text);
            self.clear_state();
        } else {
            self.run_list(list);
        }
        if let Some(saved) = saved {
            self.apply_state(&saved);
            self.core.rt.saved = None;
        }
    }

    /// Executes a command list; the context is in its default state afterwards. Stands for
    /// `ExecuteCommandList(FALSE)`.
    ///
    /// As [`execute_command_list`](Self::execute_command_list), whose argument restores the state instead. An example is
    /// at [`DeferredContext::finish`](crate::DeferredContext::finish).
    #[doc(alias = "ExecuteCommandList")]
    pub fn execute(&mut self, list: &CommandList) {
        self.execute_command_list(list, false);
    }

    /// Runs a list; the state is the default afterwards.
    fn run_list(&mut self, list: &CommandList) {
        let shared = &list.shared;
        let opens = match &shared.recorded {
            // A replay names every object; the driver needs handles of what gets new identities only.
            Some(Recorded::Software(_)) => &shared.objects,
            Some(Recorded::Driver(_)) | None => &shared.renamable,
        };
        for object in opens {
            if !self.core.ensure_open(object) {
                return;
            }
        }
        match &shared.recorded {
            Some(Recorded::Driver(driver)) => {
                self.core.with(move |f, cx| f.command_list_execute(cx.entry(), driver));
                self.core.rt.bound.reset();
                self.core.rt.state_changed();
            }
            Some(Recorded::Software(recording)) => {
                self.clear_state();
                recording.replay(self);
                self.clear_state();
            }
            // Only a list that nobody holds is empty.
            None => {}
        }
        match &mut self.core.rt.kind {
            ContextKind::Immediate { .. } => shared.queries.iter().for_each(|q| q.set_query_issued()),
            ContextKind::Deferred { nested, .. } => nested.push(shared.clone()),
        }
    }
}
