//! Indirect draws and dispatches: the GPU reads their arguments from a buffer, which it may have written itself.

use onze_ddi::{
    ContextFuncs, DispatchIndirectArgs, DrawIndexedInstancedIndirectArgs, DrawInstancedIndirectArgs, Handle,
    MiscFlags, ResourceHandle,
};

use super::{
    DeviceContext, EntryParts,
    draw::DrawCall,
    draw_checks::input::DrawRange,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{Buffer, sealed::Sealed as _},
    report::MessageId,
    validate::flag_names,
};

impl DeviceContext {
    /// Draws with arguments that lie in a buffer at `aligned_byte_offset`, as
    /// [`DrawInstancedIndirectArgs`]. D3D11: `DrawInstancedIndirect`.
    ///
    /// The arguments are those that the buffer has when the GPU comes to the draw: dispatches and copies before it may
    /// write them. The buffer has [`MiscFlags::DRAWINDIRECT_ARGS`], the offset is a multiple of 4, and the arguments lie
    /// within the buffer: otherwise nothing is drawn, and [`MessageId::DrawIndirectInvalid`] is reported. Direct3D 11
    /// leaves arguments beyond the end undefined. All else is as for [`draw`](Self::draw).
    ///
    /// Arguments that reach beyond the vertex buffers draw nothing. Direct3D 11 reads zeros there. With a vertex shader that
    /// reads `vertex_index` or `instance_index`, which count from 0 here too, the draw has a pipeline of its own:
    /// [`prepare_draw`](Self::prepare_draw) does not compile that.
    #[doc(alias = "DrawInstancedIndirect")]
    pub fn draw_instanced_indirect(&mut self, arguments: &Buffer, aligned_byte_offset: u32) {
        let (call, size) = (Call::DrawInstancedIndirect, size_of::<DrawInstancedIndirectArgs>());
        let id = MessageId::DrawIndirectInvalid;
        if let Some(place) = self.indirect_arguments(id, call, arguments, aligned_byte_offset, size) {
            self.enter_draw(DrawIndirect(place));
        }
    }

    /// Draws with arguments that lie in a buffer at `aligned_byte_offset`, as
    /// [`DrawIndexedInstancedIndirectArgs`]. D3D11: `DrawIndexedInstancedIndirect`.
    ///
    /// As [`draw_instanced_indirect`](Self::draw_instanced_indirect); also without an index buffer nothing is drawn, and
    /// arguments that reach beyond its end draw nothing.
    #[doc(alias = "DrawIndexedInstancedIndirect")]
    pub fn draw_indexed_instanced_indirect(&mut self, arguments: &Buffer, aligned_byte_offset: u32) {
        let call = Call::DrawIndexedInstancedIndirect;
        let size = size_of::<DrawIndexedInstancedIndirectArgs>();
        let id = MessageId::DrawIndirectInvalid;
        if let Some(place) = self.indirect_arguments(id, call, arguments, aligned_byte_offset, size) {
            self.enter_indexed_draw(DrawIndexedIndirect(place));
        }
    }

    /// Runs the compute shader in as many groups as lie in a buffer at `aligned_byte_offset`, as
    /// [`DispatchIndirectArgs`]. D3D11: `DispatchIndirect`.
    ///
    /// The buffer and the offset are as for [`draw_instanced_indirect`](Self::draw_instanced_indirect); a call with
    /// others does nothing and reports [`MessageId::DispatchIndirectInvalid`]. With more than 65,535 groups in a
    /// dimension nothing is run, and nothing is reported, as only the GPU knows. The shader may write the buffer. All
    /// else is as for [`dispatch`](Self::dispatch).
    #[doc(alias = "DispatchIndirect")]
    pub fn dispatch_indirect(&mut self, arguments: &Buffer, aligned_byte_offset: u32) {
        let (call, size) = (Call::DispatchIndirect, size_of::<DispatchIndirectArgs>());
        let id = MessageId::DispatchIndirectInvalid;
        if let Some(place) = self.indirect_arguments(id, call, arguments, aligned_byte_offset, size)
            && self.dispatch_ready()
        {
            let Place { buffer, offset } = place;
            self.core.with(move |f, cx| f.dispatch_indirect(cx.entry(), buffer, offset));
        }
    }

    /// The place of arguments of `size` bytes. `None` if they cannot be read; that was reported.
    fn indirect_arguments(
        &mut self,
        id: MessageId,
        call: Call,
        buffer: &Buffer,
        offset: u32,
        size: usize,
    ) -> Option<Place> {
        self.handle_state_for(buffer, ObjectUse::of(call))?;
        let desc = buffer.desc();
        let end = u64::from(offset) + size as u64;
        let name = || buffer.owner().shared.name();
        if !desc.misc_flags.contains(MiscFlags::DRAWINDIRECT_ARGS) {
            let text = format_args!(
                "{} was created without MiscFlags::DRAWINDIRECT_ARGS, found {}; add the flag to its descriptor",
                name(),
                flag_names(desc.misc_flags)
            );
            self.report_about(id, buffer.key(), text);
        } else if !offset.is_multiple_of(4) {
            let text = format_args!("the offset into {} is a multiple of 4, found {offset}", name());
            self.report_about(id, buffer.key(), text);
        } else if end > desc.byte_width.into() {
            let text = format_args!(
                "{} has {} bytes, and the arguments are bytes {offset} to {end}; make it larger, or the offset smaller",
                name(),
                desc.byte_width
            );
            self.report_about(id, buffer.key(), text);
        } else {
            return Some(Place { buffer: Handle::new(buffer.key()), offset });
        }
        None
    }
}

/// Where arguments lie.
struct Place {
    buffer: ResourceHandle,
    offset: u32,
}

struct DrawIndirect(Place);

impl DrawCall for DrawIndirect {
    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        funcs.draw_instanced_indirect(cx.entry(), self.0.buffer, self.0.offset);
    }
    // Only the GPU knows it.
    fn range(&self) -> DrawRange {
        DrawRange::default()
    }
}

struct DrawIndexedIndirect(Place);

impl DrawCall for DrawIndexedIndirect {
    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        funcs.draw_indexed_instanced_indirect(cx.entry(), self.0.buffer, self.0.offset);
    }
    fn range(&self) -> DrawRange {
        DrawRange::default()
    }
}
