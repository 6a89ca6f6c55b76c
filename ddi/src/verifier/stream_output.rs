//! The verifier's checks of stream output.

use super::{
    breach::{Rule, ensure, lock},
    context::{VerifiedTable, bound_views},
    registry::{ObjectAddress, address},
    watch::EntryRole,
};
use crate::*;

impl<T: ContextFuncs + ?Sized> VerifiedTable<T> {
    /// Returns the bind flags of a resource.
    fn bind_flags(&self, cx: &Entry<'_>, resource: ResourceHandle) -> BindFlags {
        let object = cx.handles.object(resource).map(address);
        object.map_or(BindFlags::empty(), |object| lock(&self.watch.device.registry).bind_flags(object))
    }

    /// Checks, before a draw, that no stream-output target is an input of the draw.
    pub(super) fn check_stream_targets(&self, entry: &'static str, cx: &Entry<'_>) {
        let targets: Vec<_> = cx.core.stream_targets().iter().flatten().copied().collect();
        if targets.is_empty() {
            return;
        }
        let mut inputs: Vec<_> =
            cx.core.vertex_buffers(None).iter().filter_map(|binding| binding.buffer).collect();
        inputs.extend(cx.core.index_buffer().buffer);
        let mut views = Vec::new();
        for stage in ShaderStage::ALL {
            views.extend(bound_views(cx, cx.core.shader_resources(stage, None)));
        }
        let registry = lock(&self.watch.device.registry);
        let is_input = |target: &&ResourceHandle| {
            let object = cx.handles.object(**target).map(address);
            let is_read = |(view, key): &(ObjectAddress, Key)| {
                object.is_some() && registry.dependency(*view, HandleType::ShaderResourceView, *key) == object
            };
            inputs.contains(target) || views.iter().any(is_read)
        };
        let shared = targets.iter().find(is_input).copied();
        drop(registry);
        self.record(
            entry,
            ensure(shared.is_none(), Rule::StreamTargets, || format!("{shared:?} is an input")),
        );
    }
}

/// Returns the slots without trailing empty ones, which the runtime need not return.
pub(super) fn used<T>(slots: &[Option<T>]) -> &[Option<T>] {
    let used = slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    &slots[..used]
}

pub(super) fn so_set_targets<T: ContextFuncs + ?Sized>(
    table: &VerifiedTable<T>,
    cx: Entry<'_>,
    targets: &[Option<ResourceHandle>],
) {
    let entry = "so_set_targets";
    table.check_handles(entry, cx.handles, &targets);
    let bound: Vec<_> = targets.iter().flatten().collect();
    let is_valid = |(slot, target): (usize, &&ResourceHandle)| {
        table.bind_flags(&cx, **target).contains(BindFlags::STREAM_OUTPUT) && !bound[..slot].contains(target)
    };
    let valid = targets.len() <= STREAM_OUTPUT_SLOTS && bound.iter().enumerate().all(is_valid);
    table.record(entry, ensure(valid, Rule::StreamTargets, || format!("{targets:?}")));
    let shown = used(cx.core.stream_targets()) == used(targets);
    table.record(entry, ensure(shown, Rule::StateShowsNewBinding, || "another binding is shown".into()));
    table.call(entry, EntryRole::State, cx, |t, cx| t.so_set_targets(cx, targets));
}

pub(super) fn so_set_offset<T: ContextFuncs + ?Sized>(
    table: &VerifiedTable<T>,
    cx: Entry<'_>,
    target: ResourceHandle,
    offset: u32,
) {
    let entry = "so_set_offset";
    let is_valid =
        table.bind_flags(&cx, target).contains(BindFlags::STREAM_OUTPUT) && offset.is_multiple_of(4);
    table.record(entry, ensure(is_valid, Rule::StreamOffset, || format!("{offset} of {target:?}")));
    table.uses(entry, cx, target, |t, cx| t.so_set_offset(cx, target, offset));
}

pub(super) fn draw_auto<T: ContextFuncs + ?Sized>(table: &VerifiedTable<T>, cx: Entry<'_>) {
    let entry = "draw_auto";
    let needed = BindFlags::STREAM_OUTPUT | BindFlags::VERTEX_BUFFER;
    let source = cx.core.vertex_buffers(Some(0..1)).first().and_then(|binding| binding.buffer);
    let is_valid = source.is_some_and(|source| table.bind_flags(&cx, source).contains(needed));
    table.record(entry, ensure(is_valid, Rule::AutoSource, || format!("{source:?}")));
    table.check_draw(entry, &cx);
    table.command(entry, cx, |t, cx| t.draw_auto(cx));
}
