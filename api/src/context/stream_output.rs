//! Stream output: the buffers that draws write vertices to, and draws of these vertices.

use onze_ddi::{Handle, Key, ResourceHandle, STREAM_OUTPUT_SLOTS};

use super::{
    DeviceContext, EntryParts, Skipped,
    draw::{DrawCall, IndexUse},
    draw_checks::{DrawPart, input::DrawRange},
    hazard::Hazardous,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::{HandleState, ObjectFlags},
    objects::{Buffer, UnorderedAccessView, sealed::Sealed as _},
    report::MessageId,
};

/// A buffer that receives vertices, with the offset of the next vertex (D3D11: one element each of `ppSOTargets` and
/// `pOffsets`).
#[doc(alias = "ppSOTargets")]
#[doc(alias = "pOffsets")]
#[derive(Copy, Clone, Debug)]
pub struct StreamOutputBinding<'a> {
    /// The buffer, which needs [`BindFlags::STREAM_OUTPUT`](onze_ddi::BindFlags::STREAM_OUTPUT).
    pub buffer: &'a Buffer,
    /// Bytes from the start of the buffer to the next vertex, a multiple of 4, or [`Self::APPEND`].
    pub offset: u32,
}

impl<'a> StreamOutputBinding<'a> {
    /// Continues after the last vertex that was written to the buffer.
    pub const APPEND: u32 = u32::MAX;

    /// Creates a binding that writes the next vertex at an offset in bytes.
    pub const fn new(buffer: &'a Buffer, offset: u32) -> Self {
        Self { buffer, offset }
    }

    /// Creates a binding that continues after the last vertex that was written to the buffer.
    pub const fn append(buffer: &'a Buffer) -> Self {
        Self::new(buffer, Self::APPEND)
    }
}

/// Stream-output targets for the slots from 0 on: one binding, or an array, slice or vector of bindings or options.
///
/// The result of [`DeviceContext::so_get_targets`] can be passed to [`DeviceContext::so_set_targets`]. Draws then
/// continue after the vertices that were written before:
///
/// ```
/// # use onze::prelude::*;
/// # fn f(ctx: &mut DeviceContext) {
/// let before = ctx.so_get_targets();
/// // ... draws with other targets, then:
/// ctx.so_set_targets(&before);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "stream-output targets have offsets, but `{Self}` does not",
    label = "expected a `StreamOutputBinding`, an array or a slice of such, or `None`",
    note = "`StreamOutputBinding::new(&buffer, 0)` writes from the start, `StreamOutputBinding::append(&buffer)` continues"
)]
pub trait StreamTargets {
    /// Returns the number of slots that the argument covers.
    fn count(&self) -> usize;
    /// Returns the binding for the slot at `index`, or `None` to unbind the slot.
    fn get(&self, index: usize) -> Option<StreamOutputBinding<'_>>;
}

impl StreamTargets for StreamOutputBinding<'_> {
    fn count(&self) -> usize {
        1
    }
    fn get(&self, _index: usize) -> Option<StreamOutputBinding<'_>> {
        Some(*self)
    }
}

impl StreamTargets for Option<StreamOutputBinding<'_>> {
    fn count(&self) -> usize {
        1
    }
    fn get(&self, _index: usize) -> Option<StreamOutputBinding<'_>> {
        *self
    }
}

/// Implements [`StreamTargets`] for arrays, slices and vectors, where each row has an expression that converts an item
/// to an optional binding.
macro_rules! sequences {
    ($([$($generics:tt)*] $type:ty, $item:ident => $get:expr;)*) => {$(
        impl<$($generics)*> StreamTargets for $type {
            fn count(&self) -> usize {
                self.len()
            }
            fn get(&self, index: usize) -> Option<StreamOutputBinding<'_>> {
                let items: &[_] = &self[..];
                items.get(index).and_then(|$item| $get)
            }
        }
    )*};
}
sequences! {
    [const N: usize] [StreamOutputBinding<'_>; N], item => Some(*item);
    [const N: usize] &[StreamOutputBinding<'_>; N], item => Some(*item);
    [] &[StreamOutputBinding<'_>], item => Some(*item);
    [] &Vec<StreamOutputBinding<'_>>, item => Some(*item);
    [const N: usize] [Option<StreamOutputBinding<'_>>; N], item => *item;
    [const N: usize] &[Option<StreamOutputBinding<'_>>; N], item => *item;
    [] &[Option<StreamOutputBinding<'_>>], item => *item;
    [] &Vec<Option<StreamOutputBinding<'_>>>, item => *item;
    [] &[Option<Buffer>], item => item.as_ref().map(StreamOutputBinding::append);
    [] &Vec<Option<Buffer>>, item => item.as_ref().map(StreamOutputBinding::append);
}

/// The stream targets of a call, checked.
struct CheckedTargets {
    buffers: [Option<ResourceHandle>; STREAM_OUTPUT_SLOTS],
    /// The offset of each buffer, `None` for appending.
    offsets: [Option<u32>; STREAM_OUTPUT_SLOTS],
}

impl DeviceContext {
    /// Binds the buffers that draws write vertices to, from slot 0 on, and unbinds the buffers of all other slots
    /// (D3D11: `SOSetTargets`). Pass `None` to unbind all.
    ///
    /// A draw writes vertices if a shader from
    /// [`create_geometry_shader_with_stream_output`](crate::Device::create_geometry_shader_with_stream_output) is bound
    /// to the geometry stage. Each buffer has a *filled size*, the offset of the next vertex. An offset in this call
    /// sets the filled size, and [`StreamOutputBinding::APPEND`] keeps it. The filled size of a new buffer is 0, and it
    /// stays when the buffer is unbound. If a buffer has no room for a primitive, no buffer of the same stream receives
    /// that primitive or a later one of the draw. If a slot that the shader writes has no buffer, its stream writes nothing.
    /// In a command list, the offsets are set at each execution.
    ///
    /// There are at most four buffers, each in one slot. They need
    /// [`BindFlags::STREAM_OUTPUT`](crate::BindFlags::STREAM_OUTPUT), and offsets are multiples of 4. A call that
    /// breaks one of these rules is skipped and reported as [`MessageId::SetStreamTargetsInvalid`]. The buffers are
    /// unbound from all other slots ([`MessageId::SetStreamTargetsHazard`]).
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn f(ctx: &mut DeviceContext, positions: &Buffer, velocities: &Buffer) {
    /// // From the start of one buffer, after the existing vertices of the other.
    /// ctx.so_set_targets([
    ///     StreamOutputBinding::new(positions, 0),
    ///     StreamOutputBinding::append(velocities),
    /// ]);
    /// // ... draws, then:
    /// ctx.so_set_targets(None);
    /// # }
    /// ```
    #[doc(alias = "SOSetTargets")]
    pub fn so_set_targets(&mut self, targets: impl StreamTargets) {
        let Ok(CheckedTargets { buffers, offsets }) = self.check_stream_targets(&targets) else { return };
        let mut outputs = Hazardous::default();
        buffers.iter().flatten().for_each(|buffer| outputs.add_stream_target(buffer.key()));
        let id = MessageId::SetStreamTargetsHazard;
        self.unbind_inputs_of(&outputs, id);
        for stage in UnorderedAccessView::STAGES {
            self.unbind_unordered_access_of(stage, &outputs, 0..0, id);
        }
        self.bind_stream_targets(&buffers);
        for (target, offset) in buffers.into_iter().zip(offsets) {
            if let (Some(target), Some(offset)) = (target, offset) {
                self.core.with(move |f, cx| f.so_set_offset(cx.entry(), target, offset));
            }
        }
    }

    /// Returns the handles and offsets of targets. If a target cannot be bound, reports the reason and returns
    /// [`Skipped`].
    fn check_stream_targets(&mut self, targets: &impl StreamTargets) -> Result<CheckedTargets, Skipped> {
        let id = MessageId::SetStreamTargetsInvalid;
        let used = ObjectUse::of(Call::SoSetTargets);
        if targets.count() > STREAM_OUTPUT_SLOTS {
            let count = targets.count();
            let text =
                format_args!("{used} was given {count} targets; at most {STREAM_OUTPUT_SLOTS} can be bound");
            self.report(id, text);
            return Err(Skipped);
        }
        let mut checked =
            CheckedTargets { buffers: [None; STREAM_OUTPUT_SLOTS], offsets: [None; STREAM_OUTPUT_SLOTS] };
        for slot in 0..targets.count() {
            let Some(StreamOutputBinding { buffer, offset }) = targets.get(slot) else { continue };
            let used = used.in_slot(slot);
            let state = self.handle_state_for(buffer, used)?;
            if state.flags & ObjectFlags::STREAM_OUTPUT.bits() == 0 {
                self.report_lacks(id, buffer, used, "STREAM_OUTPUT");
                return Err(Skipped);
            }
            let name = || buffer.owner().shared.name();
            if offset != StreamOutputBinding::APPEND && !offset.is_multiple_of(4) {
                let text = format_args!(
                    "{used} was given the offset {offset} for {}; an offset is a multiple of 4, or \
                     `StreamOutputBinding::APPEND`",
                    name()
                );
                self.report_about(id, buffer.key(), text);
                return Err(Skipped);
            }
            let handle = Some(Handle::new(buffer.key()));
            if let Some(other) = checked.buffers.iter().position(|other| *other == handle) {
                let text = format_args!(
                    "{used} was given {}, which is also the target of slot {other}; use a buffer for each slot",
                    name()
                );
                self.report_about(id, buffer.key(), text);
                return Err(Skipped);
            }
            checked.buffers[slot] = handle;
            checked.offsets[slot] = (offset != StreamOutputBinding::APPEND).then_some(offset);
        }
        Ok(checked)
    }

    pub(crate) fn bind_stream_targets(&mut self, targets: &[Option<ResourceHandle>]) {
        let bound = &mut self.core.rt.bound;
        let mut changed = false;
        for slot in 0..STREAM_OUTPUT_SLOTS {
            changed |= bound.stream_targets.set(slot, targets.get(slot).copied().flatten());
        }
        bound.stream_targets.trim();
        if changed {
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            let high = self.core.rt.bound.stream_targets.high();
            let copy = self.core.rt.bound.stream_targets.copy(0..high);
            self.core.with(move |f, cx| f.so_set_targets(cx.entry(), &copy[..high]));
        }
    }

    /// Returns the buffers of the four stream-output slots (D3D11: `SOGetTargets`). They have no offsets, so
    /// [`so_set_targets`](Self::so_set_targets) with the result continues after the existing vertices.
    #[doc(alias = "SOGetTargets")]
    pub fn so_get_targets(&self) -> Vec<Option<Buffer>> {
        let targets = &self.core.rt.bound.stream_targets;
        (0..STREAM_OUTPUT_SLOTS).map(|slot| self.core.object(targets.at(slot).map(|h| h.key()))).collect()
    }

    /// Draws the vertices that stream output has written to the buffer in vertex buffer slot 0, as one instance
    /// (D3D11: `DrawAuto`).
    ///
    /// The number of vertices is the filled size of the buffer minus the offset of its binding, divided by its stride.
    /// The GPU knows the filled size, so the CPU does not wait for it. The bound topology decides which primitives the
    /// vertices form. A stride of 0 draws nothing. The filled size is also set by an offset in
    /// [`so_set_targets`](Self::so_set_targets), even without a draw.
    ///
    /// The buffer needs [`BindFlags::VERTEX_BUFFER`](crate::BindFlags::VERTEX_BUFFER) and
    /// [`BindFlags::STREAM_OUTPUT`](crate::BindFlags::STREAM_OUTPUT). Otherwise the draw is skipped and reported as
    /// [`MessageId::DrawAutoInvalid`]. The rules of [`draw`](Self::draw) also apply.
    ///
    /// ```
    /// # use onze::prelude::*;
    /// # fn f(ctx: &mut DeviceContext, particles: &Buffer) {
    /// // The vertices that earlier draws have written are the input of this draw.
    /// ctx.so_set_targets(None);
    /// ctx.ia_set_vertex_buffers(0, VertexBufferBinding::new(particles, 28));
    /// ctx.draw_auto();
    /// # }
    /// ```
    #[doc(alias = "DrawAuto")]
    pub fn draw_auto(&mut self) {
        if self.check_auto_source() == Ok(()) {
            self.enter_draw(DrawAuto);
        }
    }

    /// Reports a draw of streamed vertices if the buffer in slot 0 has no filled size.
    fn check_auto_source(&self) -> Result<(), Skipped> {
        let key = self.core.rt.bound.vertex_buffers.at(0).buffer.map(|buffer| buffer.key());
        let state = key.and_then(|key| self.core.handles.runtime::<HandleState>(key));
        if state.is_some_and(|state| state.flags & ObjectFlags::STREAM_OUTPUT.bits() != 0) {
            return Ok(());
        }
        self.report_auto_source(key);
        Err(Skipped)
    }

    #[cold]
    #[inline(never)]
    fn report_auto_source(&self, buffer: Option<Key>) {
        let id = MessageId::DrawAutoInvalid;
        match buffer {
            None => self.report(
                id,
                "no buffer is bound there; bind one that stream output has written with `ia_set_vertex_buffers`",
            ),
            Some(key) => {
                let text = format_args!(
                    "{} was created without BindFlags::STREAM_OUTPUT; add the flag to its descriptor, or call `draw`",
                    self.name_of(buffer)
                );
                self.report_about(id, key, text);
            }
        }
    }
}

struct DrawAuto;

impl DrawCall for DrawAuto {
    const INDICES: IndexUse = IndexUse::None;

    #[inline(always)]
    fn enter(self, funcs: &dyn onze_ddi::ContextFuncs, cx: EntryParts<'_>) {
        funcs.draw_auto(cx.entry());
    }
    /// The range is known only to the GPU.
    fn range(&self) -> DrawRange {
        DrawRange::default()
    }
}
