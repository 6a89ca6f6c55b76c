//! Indirect draws and dispatches, whose arguments the GPU reads from a buffer that earlier commands may have
//! written.

use onze_ddi::{
    ContextFuncs, DispatchIndirectArgs, DrawIndexedInstancedIndirectArgs, DrawInstancedIndirectArgs, Handle,
    MiscFlags, ResourceHandle,
};

use super::{
    DeviceContext, EntryParts, Skipped,
    draw::{DrawCall, IndexUse},
    draw_checks::input::DrawRange,
    object_use::{Call, ObjectUse},
};
use crate::{
    objects::{Buffer, sealed::Sealed as _},
    report::MessageId,
    validate::flag_names,
};

impl DeviceContext {
    /// Draws with arguments from a buffer at `aligned_byte_offset`, in the form of
    /// [`DrawInstancedIndirectArgs`] (D3D11: `DrawInstancedIndirect`).
    ///
    /// The GPU reads the arguments when it executes the draw, so earlier dispatches and copies may write
    /// them. The buffer needs [`MiscFlags::DRAWINDIRECT_ARGS`], the offset must be a multiple of 4, and the
    /// arguments must be within the buffer. Otherwise the call is skipped and reported as
    /// [`MessageId::DrawIndirectInvalid`]. In Direct3D 11, arguments outside the buffer are undefined
    /// behaviour. The rules of [`draw`](Self::draw) also apply.
    ///
    /// If the arguments exceed the vertex buffers, nothing is drawn; Direct3D 11 would read zeros outside the
    /// buffers. `vertex_index` and `instance_index` count from 0, as in other draws. A vertex shader that
    /// reads one of them needs a separate pipeline for indirect draws, and
    /// [`prepare_draw`](Self::prepare_draw) does not compile it.
    #[doc(alias = "DrawInstancedIndirect")]
    pub fn draw_instanced_indirect(&mut self, arguments: &Buffer, aligned_byte_offset: u32) {
        let (call, size) = (Call::DrawInstancedIndirect, size_of::<DrawInstancedIndirectArgs>());
        let id = MessageId::DrawIndirectInvalid;
        if let Ok(place) = self.indirect_arguments(id, call, arguments, aligned_byte_offset, size) {
            self.enter_draw(DrawIndirect(place));
        }
    }

    /// Draws with arguments from a buffer at `aligned_byte_offset`, in the form of
    /// [`DrawIndexedInstancedIndirectArgs`] (D3D11: `DrawIndexedInstancedIndirect`).
    ///
    /// Besides the requirements of [`draw_instanced_indirect`](Self::draw_instanced_indirect), an index
    /// buffer must be bound. If the arguments exceed the index buffer, nothing is drawn.
    #[doc(alias = "DrawIndexedInstancedIndirect")]
    pub fn draw_indexed_instanced_indirect(&mut self, arguments: &Buffer, aligned_byte_offset: u32) {
        let call = Call::DrawIndexedInstancedIndirect;
        let size = size_of::<DrawIndexedInstancedIndirectArgs>();
        let id = MessageId::DrawIndirectInvalid;
        if let Ok(place) = self.indirect_arguments(id, call, arguments, aligned_byte_offset, size) {
            self.enter_draw(DrawIndexedIndirect(place));
        }
    }

    /// Runs the compute shader, with the numbers of thread groups read from a buffer at
    /// `aligned_byte_offset`, in the form of [`DispatchIndirectArgs`] (D3D11: `DispatchIndirect`).
    ///
    /// The buffer and the offset must meet the requirements of
    /// [`draw_instanced_indirect`](Self::draw_instanced_indirect). Otherwise the call is skipped and reported
    /// as [`MessageId::DispatchIndirectInvalid`]. If a dimension has more than 65,535 groups, the GPU skips
    /// the dispatch without a report, because only the GPU knows the numbers. The shader may write to the
    /// argument buffer. The rules of [`dispatch`](Self::dispatch) also apply.
    #[doc(alias = "DispatchIndirect")]
    pub fn dispatch_indirect(&mut self, arguments: &Buffer, aligned_byte_offset: u32) {
        let (call, size) = (Call::DispatchIndirect, size_of::<DispatchIndirectArgs>());
        let id = MessageId::DispatchIndirectInvalid;
        if let Ok(place) = self.indirect_arguments(id, call, arguments, aligned_byte_offset, size)
            && self.check_dispatch() == Ok(())
        {
            let ArgumentsLocation { buffer, offset } = place;
            self.core.with(move |f, cx| f.dispatch_indirect(cx.entry(), buffer, offset));
        }
    }

    /// Returns the location of arguments of `size` bytes. If they cannot be read, reports the reason and
    /// returns [`Skipped`].
    fn indirect_arguments(
        &mut self,
        id: MessageId,
        call: Call,
        buffer: &Buffer,
        offset: u32,
        size: usize,
    ) -> Result<ArgumentsLocation, Skipped> {
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
            return Ok(ArgumentsLocation { buffer: Handle::new(buffer.key()), offset });
        }
        Err(Skipped)
    }
}

struct ArgumentsLocation {
    buffer: ResourceHandle,
    offset: u32,
}

struct DrawIndirect(ArgumentsLocation);

impl DrawCall for DrawIndirect {
    const INDICES: IndexUse = IndexUse::None;

    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        funcs.draw_instanced_indirect(cx.entry(), self.0.buffer, self.0.offset);
    }
    // Returns an empty range, because only the GPU knows the range.
    fn range(&self) -> DrawRange {
        DrawRange::default()
    }
}

struct DrawIndexedIndirect(ArgumentsLocation);

impl DrawCall for DrawIndexedIndirect {
    const INDICES: IndexUse = IndexUse::BoundBuffer;

    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        funcs.draw_indexed_instanced_indirect(cx.entry(), self.0.buffer, self.0.offset);
    }
    fn range(&self) -> DrawRange {
        DrawRange::default()
    }
}
