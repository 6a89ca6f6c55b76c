//! The input assembler: input layout, vertex and index buffers, and topology.

use onze_ddi::{self as ddi, ElementLayoutHandle, Format, Handle, IndexBufferBinding, PrimitiveTopology};

use super::{
    DeviceContext, Skipped,
    bound::{SlotStore as _, VERTEX_BUFFER_SLOTS},
    draw_checks::DrawPart,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::ObjectFlags,
    objects::{Buffer, Index, IndexBuffer, InputLayout, Nullable, VertexBuffer, sealed::Sealed as _},
    report::MessageId,
    validate,
};

/// Maximum stride of a vertex buffer in bytes (D3D11: `D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES`).
const MAX_STRIDE: u32 = 2048;

/// A buffer for a vertex buffer slot, with its stride and offset (D3D11: one element each of
/// `ppVertexBuffers`, `pStrides` and `pOffsets`).
///
/// A typed [`VertexBuffer`] has a known stride, so it can be bound directly.
#[doc(alias = "pStrides")]
#[doc(alias = "pOffsets")]
#[derive(Copy, Clone, Debug)]
pub struct VertexBufferBinding<'a> {
    /// The buffer, which needs [`BindFlags::VERTEX_BUFFER`](onze_ddi::BindFlags::VERTEX_BUFFER).
    pub buffer: &'a Buffer,
    /// Distance between vertices in bytes, at most 2048.
    pub stride: u32,
    /// Bytes from the start of the buffer to the first vertex.
    pub offset: u32,
}

impl<'a> VertexBufferBinding<'a> {
    /// Creates a binding that starts at the beginning of a buffer, with a stride in bytes.
    pub const fn new(buffer: &'a Buffer, stride: u32) -> Self {
        Self { buffer, stride, offset: 0 }
    }
}

impl<'a, V> From<&'a VertexBuffer<V>> for VertexBufferBinding<'a> {
    /// Creates a binding that starts at the beginning of the buffer, with the stride of the vertex type.
    fn from(buffer: &'a VertexBuffer<V>) -> Self {
        Self::new(buffer.buffer(), VertexBuffer::<V>::STRIDE)
    }
}

/// Vertex buffers for consecutive slots: a single buffer, a pair, an array, a slice or a vector. `None`
/// unbinds a slot.
///
/// The result of [`DeviceContext::ia_get_vertex_buffers`] can be passed to
/// [`DeviceContext::ia_set_vertex_buffers`]:
///
/// ```
/// # use onze::prelude::*;
/// # fn f(ctx: &mut DeviceContext) {
/// let before = ctx.ia_get_vertex_buffers(0, 32);
/// // ... draws with other buffers, then:
/// ctx.ia_set_vertex_buffers(0, &before);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "vertex buffers know their strides, but `{Self}` does not",
    label = "expected a `&VertexBuffer<V>`, a `VertexBufferBinding`, an array or a slice of such, or `None`",
    note = "`VertexBufferBinding::new(&buffer, stride)` gives a buffer a stride: the bytes from one vertex to the next"
)]
pub trait VertexBuffers {
    /// Returns the number of slots that the argument covers.
    fn count(&self) -> usize;
    /// Returns the binding for the slot at `index`, or `None` to unbind the slot.
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>>;
}

impl VertexBuffers for VertexBufferBinding<'_> {
    fn count(&self) -> usize {
        1
    }
    fn get(&self, _index: usize) -> Option<VertexBufferBinding<'_>> {
        Some(*self)
    }
}

impl VertexBuffers for Option<VertexBufferBinding<'_>> {
    fn count(&self) -> usize {
        1
    }
    fn get(&self, _index: usize) -> Option<VertexBufferBinding<'_>> {
        *self
    }
}

impl<const N: usize> VertexBuffers for [VertexBufferBinding<'_>; N] {
    fn count(&self) -> usize {
        N
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        self.as_slice().get(index).copied()
    }
}

impl<const N: usize> VertexBuffers for &[VertexBufferBinding<'_>; N] {
    fn count(&self) -> usize {
        N
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        self.as_slice().get(index).copied()
    }
}

impl VertexBuffers for &[VertexBufferBinding<'_>] {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        <[_]>::get(self, index).copied()
    }
}

impl VertexBuffers for &[Option<VertexBufferBinding<'_>>] {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        <[_]>::get(self, index).copied().flatten()
    }
}

impl<const N: usize> VertexBuffers for &[Option<VertexBufferBinding<'_>>; N] {
    fn count(&self) -> usize {
        N
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        self.as_slice().get(index).copied().flatten()
    }
}

impl<const N: usize> VertexBuffers for [Option<VertexBufferBinding<'_>>; N] {
    fn count(&self) -> usize {
        N
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        self.as_slice().get(index).copied().flatten()
    }
}

/// The buffer, stride and offset of a slot, as [`DeviceContext::ia_get_vertex_buffers`] returns them.
impl VertexBuffers for &[(Option<Buffer>, u32, u32)] {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        let (buffer, stride, offset) = <[_]>::get(self, index)?;
        Some(VertexBufferBinding { buffer: buffer.as_ref()?, stride: *stride, offset: *offset })
    }
}

impl VertexBuffers for &Vec<(Option<Buffer>, u32, u32)> {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        let (buffer, stride, offset) = <[_]>::get(self, index)?;
        Some(VertexBufferBinding { buffer: buffer.as_ref()?, stride: *stride, offset: *offset })
    }
}

impl VertexBuffers for &Vec<VertexBufferBinding<'_>> {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        <[_]>::get(self, index).copied()
    }
}

impl VertexBuffers for &Vec<Option<VertexBufferBinding<'_>>> {
    fn count(&self) -> usize {
        self.len()
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        <[_]>::get(self, index).copied().flatten()
    }
}

impl<V> VertexBuffers for &VertexBuffer<V> {
    fn count(&self) -> usize {
        1
    }
    fn get(&self, _index: usize) -> Option<VertexBufferBinding<'_>> {
        Some((*self).into())
    }
}

/// The slots of the first element, followed by the slots of the second element.
impl<A: VertexBuffers, B: VertexBuffers> VertexBuffers for (A, B) {
    fn count(&self) -> usize {
        self.0.count() + self.1.count()
    }
    fn get(&self, index: usize) -> Option<VertexBufferBinding<'_>> {
        match index.checked_sub(self.0.count()) {
            None => self.0.get(index),
            Some(index) => self.1.get(index),
        }
    }
}

impl DeviceContext {
    /// Binds an input layout, or unbinds it with `None` (D3D11: `IASetInputLayout`).
    #[doc(alias = "IASetInputLayout")]
    pub fn ia_set_input_layout<'a>(&mut self, layout: impl Nullable<'a, InputLayout>) {
        let handle = match layout.object() {
            None => None,
            Some(layout) => match self.handle_state_for(layout, ObjectUse::of(Call::IaSetInputLayout)) {
                Ok(_) => Some(Handle::new(layout.key())),
                Err(Skipped) => return,
            },
        };
        self.bind_input_layout(handle);
    }

    pub(crate) fn bind_input_layout(&mut self, layout: Option<ElementLayoutHandle>) {
        if self.core.rt.bound.input_layout != layout {
            self.core.rt.bound.input_layout = layout;
            self.core.rt.draw.changed();
            self.core.with(move |f, cx| f.ia_set_input_layout(cx.entry(), layout));
        }
    }

    /// Returns the bound input layout, or `None` (D3D11: `IAGetInputLayout`).
    #[doc(alias = "IAGetInputLayout")]
    pub fn ia_get_input_layout(&self) -> Option<InputLayout> {
        self.core.object(self.core.rt.bound.input_layout.map(|h| h.key()))
    }

    /// Binds vertex buffers to consecutive slots (D3D11: `IASetVertexBuffers`).
    ///
    /// Slots must be within `0..32`, strides must be at most 2048 bytes, and every buffer needs
    /// [`BindFlags::VERTEX_BUFFER`](crate::BindFlags::VERTEX_BUFFER). A call that breaks one of these rules
    /// is skipped and reported as [`MessageId::SetVertexBuffersInvalid`]. If an unordered-access view of a
    /// buffer is bound, or if the buffer is a stream-output target, the vertex buffer slot becomes empty, and
    /// this is reported as [`MessageId::SetVertexBuffersHazard`]. Reads outside a buffer return 0.
    #[doc(alias = "IASetVertexBuffers")]
    pub fn ia_set_vertex_buffers(&mut self, start: u32, buffers: impl VertexBuffers) {
        let id = MessageId::SetVertexBuffersInvalid;
        let end = (start as usize).saturating_add(buffers.count());
        if end > VERTEX_BUFFER_SLOTS {
            let count = buffers.count();
            let text = format_args!(
                "{count} buffers from slot {start} on; slots are 0 to {}",
                VERTEX_BUFFER_SLOTS - 1
            );
            self.report(id, text);
            return;
        }
        // A buffer that is bound as an output is skipped, but the other buffers of the call are bound.
        let mut hazards = 0_u32;
        for (i, b) in (0..buffers.count()).filter_map(|i| Some((i, buffers.get(i)?))) {
            let slot = start as usize + i;
            let used = ObjectUse::of(Call::IaSetVertexBuffers).in_slot(slot);
            let Ok(state) = self.handle_state_for(b.buffer, used) else { return };
            if state.flags & ObjectFlags::VERTEX_BUFFER.bits() == 0 {
                self.report_lacks(id, b.buffer, used, "VERTEX_BUFFER");
                return;
            }
            if self.is_written(b.buffer, state) {
                hazards |= 1 << i;
                self.report_written(MessageId::SetVertexBuffersHazard, b.buffer, used);
            }
            if b.stride > MAX_STRIDE {
                let text = format_args!(
                    "the stride of {} in slot {slot} is {} bytes; it is at most {MAX_STRIDE}",
                    b.buffer.owner().shared.name(),
                    b.stride
                );
                self.report(id, text);
                return;
            }
        }
        let binding = |i| match buffers.get(i).filter(|_| hazards & 1 << i == 0) {
            None => ddi::VertexBufferBinding::default(),
            Some(b) => ddi::VertexBufferBinding {
                buffer: Some(Handle::new(b.buffer.key())),
                stride: b.stride,
                offset: b.offset,
            },
        };
        self.bind_vertex_buffers(start as usize, (0..buffers.count()).map(binding));
    }

    /// Reports a buffer that was created without the bind flag that a call needs.
    #[cold]
    pub(super) fn report_lacks(&self, id: MessageId, buffer: &Buffer, used: ObjectUse, flag: &str) {
        let name = buffer.owner().shared.name();
        let found = validate::flag_names(buffer.desc().bind_flags);
        let text = format_args!(
            "{used} was given {name}, which was created without BindFlags::{flag} (it has {found}); add the flag to its \
             descriptor"
        );
        self.report_about(id, buffer.key(), text);
    }

    /// Reports a buffer that is not bound here because it is bound as an output.
    #[cold]
    fn report_written(&self, id: MessageId, buffer: &Buffer, used: ObjectUse) {
        let name = buffer.owner().shared.name();
        let text = format_args!(
            "{used} was given {name}, which a bound unordered-access view or stream-output target may write"
        );
        self.report_about(id, buffer.key(), text);
    }

    pub(crate) fn bind_vertex_buffers(
        &mut self,
        start: usize,
        bindings: impl Iterator<Item = ddi::VertexBufferBinding>,
    ) {
        let slots = &mut self.core.rt.bound.vertex_buffers;
        let Some((first, end)) = slots.store(start, bindings) else { return };
        self.core.rt.draw.binding_changed(DrawPart::INPUT);
        if end == first + 1 {
            let binding = [slots.at(first)];
            self.core.with(move |f, cx| f.ia_set_vertex_buffers(cx.entry(), first as u32, &binding));
        } else {
            let copy = slots.copy(first..end);
            self.core.with(move |f, cx| {
                f.ia_set_vertex_buffers(cx.entry(), first as u32, &copy[..end - first]);
            });
        }
    }

    /// Returns the vertex buffers of `count` slots, each with its stride and offset in bytes, so that the
    /// result can be passed to [`ia_set_vertex_buffers`](Self::ia_set_vertex_buffers) (D3D11:
    /// `IAGetVertexBuffers`).
    #[doc(alias = "IAGetVertexBuffers")]
    pub fn ia_get_vertex_buffers(&self, start: u32, count: u32) -> Vec<(Option<Buffer>, u32, u32)> {
        (start..start.saturating_add(count).min(VERTEX_BUFFER_SLOTS as u32))
            .map(|slot| {
                let b = self.core.rt.bound.vertex_buffers.at(slot as usize);
                (self.core.object(b.buffer.map(|h| h.key())), b.stride, b.offset)
            })
            .collect()
    }

    /// Binds the index buffer, or unbinds it with `None` (D3D11: `IASetIndexBuffer`).
    ///
    /// The format must be `R16_UINT` or `R32_UINT`, and the offset in bytes must be a multiple of the index
    /// size. The buffer needs [`BindFlags::INDEX_BUFFER`](crate::BindFlags::INDEX_BUFFER). A call that breaks
    /// one of these rules is skipped and reported as [`MessageId::SetIndexBufferInvalid`]. If an
    /// unordered-access view of the buffer is bound, or if the buffer is a stream-output target, the call leaves
    /// no index buffer bound and is reported as [`MessageId::SetIndexBufferHazard`]. Indices outside the buffer read as 0.
    #[doc(alias = "IASetIndexBuffer")]
    pub fn ia_set_index_buffer<'a>(
        &mut self,
        buffer: impl Nullable<'a, Buffer>,
        format: Format,
        offset: u32,
    ) {
        let id = MessageId::SetIndexBufferInvalid;
        let Some(buffer) = buffer.object() else {
            self.bind_index_buffer(IndexBufferBinding::default());
            return;
        };
        let size = match format {
            Format::R16_UINT => 2,
            Format::R32_UINT => 4,
            _ => {
                let name = buffer.owner().shared.name();
                let text = format_args!(
                    "{format:?} was given for {name}; indices are Format::R16_UINT (u16) or Format::R32_UINT (u32)"
                );
                self.report(id, text);
                return;
            }
        };
        let used = ObjectUse::of(Call::IaSetIndexBuffer);
        let Ok(state) = self.handle_state_for(buffer, used) else { return };
        if state.flags & ObjectFlags::INDEX_BUFFER.bits() == 0 {
            self.report_lacks(id, buffer, used, "INDEX_BUFFER");
        } else if self.is_written(buffer, state) {
            self.report_written(MessageId::SetIndexBufferHazard, buffer, used);
            self.bind_index_buffer(IndexBufferBinding::default());
        } else if !offset.is_multiple_of(size) {
            let name = buffer.owner().shared.name();
            let text = format_args!(
                "the offset into {name} is {offset} bytes; {format:?} needs a multiple of {size}"
            );
            self.report_about(id, buffer.key(), text);
        } else {
            let buffer = Some(Handle::new(buffer.key()));
            self.bind_index_buffer(IndexBufferBinding { buffer, format, offset });
        }
    }

    /// Binds a typed index buffer, or unbinds the index buffer with `None`, like `IASetIndexBuffer` with the
    /// format of the index type and an offset of 0.
    ///
    /// The rules of [`ia_set_index_buffer`](Self::ia_set_index_buffer) apply.
    #[doc(alias = "IASetIndexBuffer")]
    pub fn ia_set_indices<'a, I: Index + 'a>(&mut self, indices: impl Into<Option<&'a IndexBuffer<I>>>) {
        self.ia_set_index_buffer(indices.into().map(IndexBuffer::buffer), I::FORMAT, 0);
    }

    pub(crate) fn bind_index_buffer(&mut self, binding: IndexBufferBinding) {
        if self.core.rt.bound.index_buffer != binding {
            self.core.rt.bound.index_buffer = binding;
            self.core.rt.draw.binding_changed(DrawPart::INPUT);
            self.core.with(move |f, cx| f.ia_set_index_buffer(cx.entry(), binding));
        }
    }

    /// Returns the index buffer, its format and its offset in bytes (D3D11: `IAGetIndexBuffer`).
    #[doc(alias = "IAGetIndexBuffer")]
    pub fn ia_get_index_buffer(&self) -> (Option<Buffer>, Format, u32) {
        let b = self.core.rt.bound.index_buffer;
        (self.core.object(b.buffer.map(|h| h.key())), b.format, b.offset)
    }

    /// Sets how vertices form primitives, for example points, lines or triangles (D3D11:
    /// `IASetPrimitiveTopology`).
    ///
    /// Topologies with adjacency draw the primitives without the adjacent vertices, unless a geometry shader
    /// reads them. A draw of patches needs a hull and a domain shader, or a geometry shader that processes patches
    /// of this size, and is otherwise refused with [`MessageId::DrawNoHullShader`].
    #[doc(alias = "IASetPrimitiveTopology")]
    pub fn ia_set_primitive_topology(&mut self, topology: PrimitiveTopology) {
        if self.core.rt.bound.primitive_topology != topology {
            self.core.rt.bound.primitive_topology = topology;
            self.core.rt.draw.changed();
            self.core.with(move |f, cx| f.ia_set_primitive_topology(cx.entry(), topology));
        }
    }

    /// Returns the primitive topology that was set last (D3D11: `IAGetPrimitiveTopology`).
    #[doc(alias = "IAGetPrimitiveTopology")]
    pub fn ia_get_primitive_topology(&self) -> PrimitiveTopology {
        self.core.rt.bound.primitive_topology
    }
}
