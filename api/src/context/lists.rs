//! Execution of command lists in immediate and deferred contexts.

use std::sync::Arc;

use super::{CommandList, DeviceContext, command_list::Recorded, runtime::ContextKind};
use crate::report::MessageId;

impl DeviceContext {
    /// Executes a command list, or records its execution on a deferred context (D3D11: `ExecuteCommandList`).
    ///
    /// After the list, the context returns to its previous state if `restore_context_state` is true, or to
    /// the default state if it is false. A list can be executed any number of times.
    ///
    /// The list is skipped and reported if it uses a resource that is mapped in this context
    /// ([`MessageId::ExecuteCommandListMappedResource`]), or if it begins, ends or depends on a query that is
    /// active in this context ([`MessageId::ExecuteCommandListBegunQuery`]). After a skipped list, the state
    /// is the same as if the list had been executed. A call with a list of another device has no effect at
    /// all and is reported as [`MessageId::ForeignObject`].
    #[doc(alias = "ExecuteCommandList")]
    pub fn execute_command_list(&mut self, list: &CommandList, restore_context_state: bool) {
        self.sweep_owned_maps();
        let shared = &list.shared;
        if !Arc::ptr_eq(&shared.device, &self.core.device) {
            self.report(
                MessageId::ForeignObject,
                "`execute_command_list` was given a command list of another device",
            );
            return;
        }
        let saved = restore_context_state.then(|| Arc::new(self.core.rt.bound.clone()));
        // Keeps the saved bindings alive, because unused objects may be destroyed when a list fills a command
        // page.
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

    /// Executes a command list and leaves the context in its default state (D3D11:
    /// `ExecuteCommandList(FALSE)`).
    ///
    /// To restore the previous state instead, use [`execute_command_list`](Self::execute_command_list). See
    /// [`DeferredContext::finish`](crate::DeferredContext::finish) for an example.
    #[doc(alias = "ExecuteCommandList")]
    pub fn execute(&mut self, list: &CommandList) {
        self.execute_command_list(list, false);
    }

    /// Runs a list, after which the context is in its default state.
    fn run_list(&mut self, list: &CommandList) {
        let shared = &list.shared;
        let opens = match &shared.recorded {
            // The runtime's replay needs handles for all objects, but a driver's list needs handles only for
            // renamable objects.
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
            // Not reached, because only lists that wait for reuse are empty.
            None => {}
        }
        match &mut self.core.rt.kind {
            ContextKind::Immediate { .. } => shared.queries.iter().for_each(|q| q.set_query_issued()),
            ContextKind::Deferred { nested, .. } => nested.push(shared.clone()),
        }
    }
}
