//! Buffers that shaders read and write through views, and stand-ins for those that wgpu cannot bind.

use onze_ddi::{ResourceKind, UnorderedAccessKind};

use crate::{
    encode::{
        Encoder,
        accesses::Part,
        layout::{SeenViews, Shaders},
        state::{BufferPart, BufferRange},
    },
    objects::shader::{Shader, ViewSlot, binding, unordered_binding},
};

use super::Kind;

/// What a shader wants of a buffer in a slot, and what is there.
#[derive(Copy, Clone)]
pub(super) struct BufferUse<'r> {
    pub(super) binding: u32,
    pub(super) part: Option<BufferPart<'r>>,
    /// Bytes that the shader wants at least.
    pub(super) needed: u64,
    pub(super) writes: bool,
    /// The shader declares a typed buffer: it has a binding only if there is a view.
    pub(super) typed: bool,
    /// The shader only reads it, and writes to another part of the same wgpu buffer, which wgpu refuses.
    pub(super) beside_writes: bool,
}

impl BufferUse<'_> {
    /// Whether the layout has an entry for it.
    pub(super) fn has_binding(&self) -> bool {
        !self.typed || self.part.is_some()
    }
}

/// A buffer that stands in a bind group for another one that wgpu would refuse there, or for one that is made for each
/// draw.
pub(in crate::encode) struct Replacement {
    pub(in crate::encode) binding: u32,
    pub(in crate::encode) buffer: wgpu::Buffer,
}

impl<'r> Encoder<'r> {
    /// The buffers that a shader reads and writes through views, in the order of their slots: `t`, then `u`, then those
    /// that it declares as typed buffers.
    pub(super) fn buffer_uses<K: Kind>(
        &self,
        lane: usize,
        shader: &'r Shader,
    ) -> impl Iterator<Item = BufferUse<'r>> + use<'r, '_, K> {
        let bindings = K::bindings(self);
        let reflection = &shader.code.reflection;
        let beside_writes = move |part: Option<BufferPart<'_>>| {
            let is_same = |other: BufferPart<'_>| {
                part.is_some_and(|part| part.storage.buffer_id == other.storage.buffer_id)
            };
            reflection
                .unordered_access
                .iter()
                .any(|slot| bindings.unordered.get(slot.slot).is_some_and(is_same))
        };
        let of_structures = |part: &BufferPart<'_>| part.format.is_none();
        let read = reflection.resources.iter().filter_map(move |resource| {
            let ResourceKind::Buffer { size, .. } = resource.kind else { return None };
            let part = bindings.stages.get(lane)?.buffers.get(resource.slot).filter(of_structures);
            let binding = binding(lane, resource.slot);
            let (needed, beside_writes) = (size.into(), beside_writes(part));
            Some(BufferUse { binding, part, needed, writes: false, typed: false, beside_writes })
        });
        let written = reflection.unordered_access.iter().filter_map(move |slot| {
            let UnorderedAccessKind::Buffer { size, .. } = slot.kind else { return None };
            let part = bindings.unordered.get(slot.slot).filter(of_structures);
            let binding = unordered_binding(lane, slot.slot);
            let needed = size.into();
            Some(BufferUse { binding, part, needed, writes: true, typed: false, beside_writes: false })
        });
        let typed = shader.view_slots.iter().map(move |slot| {
            let (binding, part) = (slot.binding(lane), self.typed_part::<K>(lane, slot));
            let beside_writes = !slot.unordered && beside_writes(part);
            BufferUse { binding, part, needed: 0, writes: slot.unordered, typed: true, beside_writes }
        });
        read.chain(written).chain(typed)
    }

    /// What is bound to a slot that is declared as a typed buffer, if it can be read so.
    pub(super) fn typed_part<K: Kind>(&self, lane: usize, slot: &ViewSlot) -> Option<BufferPart<'r>> {
        let bindings = K::bindings(self);
        let part = if slot.unordered {
            bindings.unordered.get(slot.slot)?
        } else {
            bindings.stages.get(lane)?.buffers.get(slot.slot)?
        };
        part.format.is_some_and(|format| slot.takes(format)).then_some(part)
    }

    /// The formats of the bound views for which the code of the shaders depends on them.
    pub(super) fn seen_views<K: Kind>(&self, shaders: &Shaders<'r>) -> SeenViews {
        let mut seen = SeenViews::default();
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = shader.filter(|shader| !shader.view_slots.is_empty()) else { continue };
            let format = |slot| self.typed_part::<K>(lane, slot)?.format;
            let formats: Vec<_> = shader.view_slots.iter().map(format).collect();
            seen[lane] = formats.iter().any(Option::is_some).then(|| formats.into());
        }
        seen
    }

    /// The words that have a typed buffer's elements, from where wgpu can bind them.
    pub(super) fn typed_binding(&self, part: BufferPart<'r>) -> BufferRange<'r> {
        let BufferRange { buffer, id, offset, size } = part.range();
        let end = (offset + size).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let offset = offset - u64::from(self.first_byte(part));
        BufferRange { buffer, id, offset, size: end - offset }
    }

    /// The bytes before the first element there.
    pub(super) fn first_byte(&self, part: BufferPart<'_>) -> u32 {
        part.offset % self.gpu.limits.min_storage_buffer_offset_alignment
    }

    /// Whether wgpu binds what is in a slot as it is. Nothing at all is bound as zeros, if they are only read
    /// and there are enough of them.
    pub(super) fn binds_directly(&self, buffer: &BufferUse<'_>) -> bool {
        if buffer.typed || buffer.beside_writes {
            return !buffer.beside_writes;
        }
        match buffer.part {
            Some(part) => {
                u64::from(part.size) >= buffer.needed
                    && part.offset.is_multiple_of(self.gpu.limits.min_storage_buffer_offset_alignment)
            }
            None => !buffer.writes && buffer.needed <= self.encoding.objects.nulls.storage.size,
        }
    }

    pub(super) fn replacements<K: Kind>(&mut self, shaders: &Shaders<'r>) -> Vec<Replacement> {
        let mut refused = Vec::new();
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            refused.extend(self.buffer_uses::<K>(lane, shader).filter(|buffer| !self.binds_directly(buffer)));
        }
        refused.iter().map(|buffer| self.replacement(buffer)).collect()
    }

    /// A buffer for a slot in which wgpu would refuse what is there: a copy at the start of a buffer, with
    /// zeros behind it, or zeros alone.
    pub(super) fn replacement(&mut self, buffer: &BufferUse<'r>) -> Replacement {
        let usage = wgpu::BufferUsages::STORAGE;
        let copy = match buffer.part {
            Some(part) => {
                let range = if buffer.typed { self.typed_binding(part) } else { part.range() };
                let copy = self.padded_copy(range, 0, buffer.needed.max(range.size), usage);
                if buffer.writes {
                    self.compute.copies_back.push((range, copy.clone()));
                }
                copy
            }
            None => self.temporary(buffer.needed.max(4), usage),
        };
        Replacement { binding: buffer.binding, buffer: copy }
    }

    /// Adds the buffers of a shader to a key, and notes what they read and write. Whether wgpu binds them all.
    #[inline(never)]
    pub(super) fn add_buffers<K: Kind>(
        &mut self,
        lane: usize,
        shader: &'r Shader,
        key: &mut Vec<u64>,
    ) -> bool {
        let (mut direct, first) = (true, key.len());
        for buffer in self.buffer_uses::<K>(lane, shader) {
            direct &= self.binds_directly(&buffer);
            let (id, offset, size) =
                buffer.part.map_or((0, 0, 0), |part| (part.storage.buffer_id, part.offset, part.size));
            let format = buffer.part.and_then(|part| part.format).map_or(0, |format| format as u64);
            key.extend([
                id,
                u64::from(offset) << 32 | u64::from(size),
                format << 1 | u64::from(buffer.writes),
            ]);
        }
        for buffer in key.get(first..).unwrap_or_default().chunks_exact(3) {
            // Elements of typed buffers are read and written with the words that they are in.
            let (offset, size) = (buffer[1] >> 32, buffer[1] & u64::from(u32::MAX));
            let (first, end) = (offset & !3, (offset + size).next_multiple_of(4));
            let part = Part::bytes(buffer[0], first, end - first);
            if buffer[2] & 1 == 0 { self.reads(part) } else { self.writes(part) }
        }
        direct
    }
}
