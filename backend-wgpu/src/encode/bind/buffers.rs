//! Buffers that shaders read and write through views, and stand-ins for those that wgpu cannot bind.

use onze_ddi::{ResourceKind, UnorderedAccessKind};

use crate::{
    encode::{
        Encoder,
        accesses::Part,
        layout::Shaders,
        state::{BufferPart, BufferRange},
    },
    objects::{
        shader::{Shader, binding, counter_binding, unordered_binding},
        view::COUNTER_BYTES,
    },
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
}

/// A buffer that stands in a bind group for another one that wgpu would refuse there, or for one that is made for each
/// draw.
pub(in crate::encode) struct Replacement {
    pub(in crate::encode) binding: u32,
    pub(in crate::encode) buffer: wgpu::Buffer,
}

impl<'r> Encoder<'r> {
    /// The buffers that a shader reads and writes through views, in the order of their slots: `t`, then `u`, then the
    /// counters of `u`.
    pub(super) fn buffer_uses<K: Kind>(
        &self,
        lane: usize,
        shader: &'r Shader,
    ) -> impl Iterator<Item = BufferUse<'r>> + use<'r, '_, K> {
        let bindings = K::bindings(self);
        let reflection = &shader.code.reflection;
        let read = reflection.resources.iter().filter_map(move |resource| {
            let ResourceKind::Buffer { size, .. } = resource.kind else { return None };
            let part = bindings.stages.get(lane)?.buffers.get(resource.slot);
            let binding = binding(lane, resource.slot);
            Some(BufferUse { binding, part, needed: size.into(), writes: false })
        });
        let written = reflection.unordered_access.iter().map(move |slot| {
            let UnorderedAccessKind::Buffer { size, .. } = slot.kind;
            let part = bindings.unordered.get(slot.slot);
            let binding = unordered_binding(lane, slot.slot);
            BufferUse { binding, part, needed: size.into(), writes: true }
        });
        let counted = reflection.counters.iter().map(move |counter| {
            let part = bindings.counters.get(counter.slot);
            let binding = counter_binding(lane, counter.slot);
            BufferUse { binding, part, needed: COUNTER_BYTES.into(), writes: true }
        });
        read.chain(written).chain(counted)
    }

    /// Whether wgpu binds what is in a slot as it is. Nothing at all is bound as zeros, if they are only read
    /// and there are enough of them. A buffer of which another part is written cannot be read beside that.
    pub(super) fn binds_directly<K: Kind>(&self, buffer: &BufferUse<'_>) -> bool {
        match buffer.part {
            Some(part) if !buffer.writes && K::bindings(self).unordered.has(part.storage.buffer_id) => false,
            Some(part) => {
                u64::from(part.size) >= buffer.needed
                    && part.offset.is_multiple_of(self.gpu.limits.min_storage_buffer_offset_alignment)
            }
            None => !buffer.writes && buffer.needed <= self.encoding.objects.nulls.storage.size,
        }
    }

    pub(super) fn replacements<K: Kind>(&mut self, shaders: &Shaders<'r>) -> Vec<Replacement> {
        K::bindings_mut(self).copies_back.clear();
        let mut refused = Vec::new();
        for (lane, shader) in shaders.iter().enumerate() {
            let Some(shader) = *shader else { continue };
            let uses = self.buffer_uses::<K>(lane, shader);
            refused.extend(uses.filter(|buffer| !self.binds_directly::<K>(buffer)));
        }
        refused.iter().map(|buffer| self.replacement::<K>(buffer)).collect()
    }

    /// A buffer for a slot in which wgpu would refuse what is there: a copy at the start of a buffer, with
    /// zeros behind it, or zeros alone.
    pub(super) fn replacement<K: Kind>(&mut self, buffer: &BufferUse<'r>) -> Replacement {
        let usage = wgpu::BufferUsages::STORAGE;
        let copy = match buffer.part {
            Some(part) => {
                let range = part.range();
                let copy = self.padded_copy(range, 0, buffer.needed.max(range.size), usage);
                if buffer.writes {
                    K::bindings_mut(self).copies_back.push((range, copy.clone()));
                }
                copy
            }
            None => self.temporary(buffer.needed.max(4), usage),
        };
        Replacement { binding: buffer.binding, buffer: copy }
    }

    /// After a draw or a dispatch: brings what was written to copies to where it belongs.
    pub(in crate::encode) fn copy_back<K: Kind>(&mut self) {
        for (range, copy) in std::mem::take(&mut K::bindings_mut(self).copies_back) {
            self.copy_bytes((&copy, 0), (range.buffer, range.offset), range.size);
        }
    }

    /// The buffer that has the arguments of an indirect call, and the offset there. wgpu takes them from no buffer that
    /// a shader may write; then it is a copy. May end the pass.
    pub(in crate::encode) fn arguments<K: Kind>(&mut self, range: BufferRange<'r>) -> (wgpu::Buffer, u64) {
        if K::bindings(self).unordered.has(range.id) {
            return (self.padded_copy(range, 0, range.size, wgpu::BufferUsages::INDIRECT), 0);
        }
        self.reads(Part::bytes(range.id, range.offset, range.size));
        (range.buffer.clone(), range.offset)
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
            direct &= self.binds_directly::<K>(&buffer);
            let (id, offset, size) =
                buffer.part.map_or((0, 0, 0), |part| (part.storage.buffer_id, part.offset, part.size));
            key.extend([id, u64::from(offset) << 32 | u64::from(size), buffer.writes.into()]);
        }
        for buffer in key.get(first..).unwrap_or_default().chunks_exact(3) {
            let part = Part::bytes(buffer[0], buffer[1] >> 32, buffer[1] & u64::from(u32::MAX));
            if buffer[2] == 0 { self.reads(part) } else { self.writes(part) }
        }
        direct
    }
}
