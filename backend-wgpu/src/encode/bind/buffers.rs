//! Buffers that shaders access through views, and replacements for those that wgpu cannot bind.

use naga::StorageAccess;
use onze_ddi::{ResourceKind, ResourceSlot, ShaderStage, UnorderedAccessKind, ViewDimension};

use crate::{
    encode::{
        bind::buffer_offsets::BufferOffsets,
        emulate_hooks::{ByteCopies, PaddedCopies},
        encoder::Encoder,
        parts::{
            accesses::AccessRange,
            layouts::{SeenViews, dynamic_buffers, view_dimension},
            pipeline_plan::{PipelinePlan, Shaders},
            prologue::CommandPlace,
            ranges::{BufferPart, BufferRange},
        },
    },
    objects::{
        shader::{
            SeenKind, SeenView, Shader, ViewSlot, binding, counter_binding, storage_format, unordered_binding,
        },
        view::{COUNTER_BYTES, View},
    },
    services::gpu::Gpu,
};

/// A buffer that a shader declares, and the buffer that is bound to its slot.
#[derive(Copy, Clone)]
pub(super) struct BufferUse<'r> {
    pub(super) binding: u32,
    pub(super) part: Option<BufferPart<'r>>,
    /// Minimum size that the shader requires, in bytes.
    pub(super) needed: u64,
    pub(super) writes: bool,
    /// Whether the shader declares a typed buffer, for which the layout has an entry only if a buffer is
    /// bound.
    pub(super) typed: bool,
    /// Whether the buffer is bound at a dynamic offset, which is not part of the group's key.
    pub(super) dynamic: bool,
}

impl BufferUse<'_> {
    /// Returns whether the bind group layout has an entry for the buffer.
    pub(super) fn has_binding(&self) -> bool {
        !self.typed || self.part.is_some()
    }
}

/// A buffer that replaces one that wgpu would refuse in a bind group, or that is made for each draw.
pub(crate) struct Replacement {
    pub(crate) binding: u32,
    pub(crate) buffer: wgpu::Buffer,
}

/// Returns whether the adapter supports a storage access to the texels of a view.
fn allows(gpu: &Gpu, view: &View, access: StorageAccess) -> bool {
    use wgpu::TextureFormatFeatureFlags as F;
    let needed = if access.contains(StorageAccess::ATOMIC) {
        F::STORAGE_ATOMIC
    } else if access == StorageAccess::LOAD {
        F::STORAGE_READ_ONLY
    } else if access == StorageAccess::STORE {
        F::STORAGE_WRITE_ONLY
    } else {
        F::STORAGE_READ_WRITE
    };
    storage_format(view.desc.format).is_some() && gpu.format_features(view.format).flags.contains(needed)
}

impl<'r> Encoder<'r> {
    /// Returns the buffers that a shader accesses through views, ordered by slot within four groups:
    /// structured and raw buffers in `t` slots, the same in `u` slots, typed buffers, and the counters of `u`
    /// slots.
    pub(super) fn buffer_uses(
        &self,
        stage: ShaderStage,
        shader: &'r Shader,
    ) -> impl Iterator<Item = BufferUse<'r>> + use<'r, '_> {
        let (state, bindings) = (self.bindings.stage(stage), self.bindings.of(stage));
        let reflection = &shader.code.reflection;
        let of_structures = |part: &BufferPart<'_>| part.format.is_none();
        let most = dynamic_buffers(self.gpu, stage.into());
        let read = reflection.resources.iter().filter_map(move |resource| {
            let ResourceKind::Buffer { size, .. } = resource.kind else { return None };
            let part = state.buffers().get(resource.slot).filter(of_structures);
            Some((binding(stage, resource.slot), part, size))
        });
        let read = read.enumerate().map(move |(at, (binding, part, size))| {
            let (needed, dynamic) = (size.into(), at < most);
            BufferUse { binding, part, needed, writes: false, typed: false, dynamic }
        });
        let written = reflection.unordered_access.iter().filter_map(move |slot| {
            let UnorderedAccessKind::Buffer { size, .. } = slot.kind else { return None };
            let fits =
                |part: &BufferPart<'_>| part.format.is_none_or(|format| slot.kind.has_words_of(format));
            let part = bindings.unordered().get(slot.slot).filter(fits);
            let binding = unordered_binding(stage, slot.slot);
            Some(BufferUse { binding, part, needed: size.into(), writes: true, typed: false, dynamic: false })
        });
        let typed_slots = shader.view_slots.iter().filter(|slot| slot.texture.is_none());
        let typed = typed_slots.map(move |slot| {
            let (binding, part) = (slot.binding(stage), self.typed_part(stage, slot));
            BufferUse { binding, part, needed: 0, writes: slot.unordered, typed: true, dynamic: false }
        });
        let counted = reflection.counters.iter().map(move |counter| {
            let part = bindings.counters().get(counter.slot);
            let binding = counter_binding(stage, counter.slot);
            let needed = COUNTER_BYTES.into();
            BufferUse { binding, part, needed, writes: true, typed: false, dynamic: false }
        });
        read.chain(written).chain(typed).chain(counted)
    }

    /// Returns the buffer in a slot that is declared as a typed buffer, if the shader can access its format.
    pub(super) fn typed_part(&self, stage: ShaderStage, slot: &ViewSlot) -> Option<BufferPart<'r>> {
        let (state, bindings) = (self.bindings.stage(stage), self.bindings.of(stage));
        let part = if slot.unordered {
            bindings.unordered().get(slot.slot)?
        } else {
            state.buffers().get(slot.slot)?
        };
        part.format.is_some_and(|format| slot.takes(format)).then_some(part)
    }

    /// Returns the texture in a `u` slot, if the shader can access it as declared.
    pub(crate) fn written_texture(&self, plan: impl Into<PipelinePlan>, slot: &ViewSlot) -> Option<&'r View> {
        if !slot.unordered {
            return None;
        }
        let plan = plan.into();
        let bindings = self.bindings.of(plan);
        let view = bindings.unordered_texture(slot.slot)?;
        let has_dimension = match slot.texture {
            Some(dimension) => view_dimension(dimension) == view.dimension,
            None => view.desc.dimension == ViewDimension::Texture1d,
        };
        let fits =
            has_dimension && slot.takes_texels(view.desc.format) && allows(self.gpu, view, slot.access);
        let is_apart = || {
            // wgpu tracks a mip level of a 3D texture as a whole, which can have only one use in a pass.
            let mut before = (0..slot.slot).filter_map(|slot| bindings.unordered_texture(slot));
            let is_same = |other: &View| {
                other.texture == view.texture && other.desc.range.first_mip == view.desc.range.first_mip
            };
            self.allows_reading(plan, view) && !before.any(is_same)
        };
        (fits && (view.memory.depth.is_none() || is_apart())).then_some(view)
    }

    /// Returns the 1D texture in a `t` slot, if the shader declares one, and whether it can be filtered.
    pub(super) fn read_row(&self, stage: ShaderStage, slot: &ViewSlot) -> Option<(&'r View, bool)> {
        if slot.unordered {
            return None;
        }
        let shader = self.bindings.shader(stage)?;
        let declared = shader.code.reflection.resource(slot.slot)?;
        self.readable(stage, slot.slot, &declared.kind)
    }

    /// Returns the properties of the bound objects that the code of the shaders depends on.
    pub(super) fn seen_views(&mut self, shaders: &Shaders<'r>) -> SeenViews {
        let mut seen = SeenViews::default();
        for (stage, shader) in shaders.iter() {
            seen[stage].samplings = self.samplings(stage, shader);
            seen[stage].clamps = self.clamps(stage, shader);
            seen[stage].single = self.single_samples(stage, shader);
            seen[stage].others = self.other_kinds(stage, shader);
            seen[stage].rows = self.seen_rows(stage, shader);
            if shader.view_slots.is_empty() {
                continue;
            }
            let views: Vec<_> = shader.view_slots.iter().map(|slot| self.seen_view(stage, slot)).collect();
            seen[stage].views = views.iter().any(Option::is_some).then(|| views.into());
        }
        seen
    }

    /// Returns the `t` slots, as bits, that a shader declares as multisampled and whose textures have one
    /// sample.
    fn single_samples(&self, stage: ShaderStage, shader: &Shader) -> u128 {
        let is_single = |slot: &&ResourceSlot| {
            matches!(slot.kind, ResourceKind::Texture { multisampled: true, .. })
                && self.readable(stage, slot.slot, &slot.kind).is_some_and(|(view, _)| view.samples == 1)
        };
        let slots = shader.code.reflection.resources.iter().filter(is_single);
        slots.fold(0, |slots, slot| slots | 1u128.checked_shl(slot.slot).unwrap_or(0))
    }

    /// Returns the format and the kind of the view in a slot, if the shader's code depends on them.
    fn seen_view(&self, stage: ShaderStage, slot: &ViewSlot) -> Option<SeenView> {
        if let Some(view) = self.written_texture(stage, slot) {
            let kind = match slot.texture {
                None => SeenKind::Row { filters: false },
                Some(_) if view.sees_some_depth_slices() => SeenKind::DepthSlices,
                Some(_) => SeenKind::Texture,
            };
            return Some(SeenView { format: view.desc.format, kind });
        }
        if let Some((view, filters)) = self.read_row(stage, slot) {
            return Some(SeenView { format: view.desc.format, kind: SeenKind::Row { filters } });
        }
        if slot.texture.is_some() {
            return None;
        }
        let format = self.typed_part(stage, slot)?.format?;
        Some(SeenView { format, kind: SeenKind::Buffer })
    }

    /// Returns the range that wgpu can bind for a typed buffer: whole words, from an aligned offset.
    pub(super) fn typed_binding(&self, part: BufferPart<'r>) -> BufferRange<'r> {
        let BufferRange { buffer, id, offset, size } = part.range();
        let end = (offset + size).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let offset = offset - u64::from(self.first_byte(part));
        BufferRange { buffer, id, offset, size: end - offset }
    }

    /// Returns the number of bytes between the bound offset and the first element.
    pub(super) fn first_byte(&self, part: BufferPart<'_>) -> u32 {
        part.offset % self.gpu.limits.min_storage_buffer_offset_alignment
    }

    /// Returns whether wgpu can bind the buffer of a slot as it is. An empty slot is bound as zeros if it is
    /// only read and the null buffer is large enough. A buffer cannot be read while shaders may write any
    /// range of it.
    pub(super) fn binds_directly(&self, plan: PipelinePlan, buffer: &BufferUse<'_>) -> bool {
        let is_written =
            |part: BufferPart<'_>| self.bindings.of(plan).unordered().has(part.storage.buffer_id);
        if !buffer.writes && buffer.part.is_some_and(is_written) {
            return false;
        }
        if buffer.typed {
            return true;
        }
        match buffer.part {
            Some(part) => {
                u64::from(part.size) >= buffer.needed
                    && part.offset.is_multiple_of(self.gpu.limits.min_storage_buffer_offset_alignment)
            }
            None => !buffer.writes && buffer.needed <= self.encoding.objects.nulls.storage.size,
        }
    }

    pub(super) fn replacements(&mut self, shaders: &Shaders<'r>) -> Vec<Replacement> {
        self.bindings.of_mut(shaders.plan).take_copies_back();
        let mut refused = Vec::new();
        for (stage, shader) in shaders.iter() {
            let uses = self.buffer_uses(stage, shader);
            refused.extend(uses.filter(|buffer| !self.binds_directly(shaders.plan, buffer)));
        }
        refused.iter().map(|buffer| self.replacement(shaders.plan, buffer)).collect()
    }

    /// Makes a buffer for a slot whose buffer wgpu would refuse: a zero-padded copy, or zeros for an empty
    /// slot.
    pub(super) fn replacement(&mut self, plan: PipelinePlan, buffer: &BufferUse<'r>) -> Replacement {
        let usage = wgpu::BufferUsages::STORAGE;
        let copy = match buffer.part {
            Some(part) => {
                let range = if buffer.typed { self.typed_binding(part) } else { part.range() };
                let copy = self.padded_copy(range, 0, buffer.needed.max(range.size), usage);
                if buffer.writes {
                    self.bindings.of_mut(plan).copy_back_later(range, copy.clone());
                }
                copy
            }
            None => self.temporary(buffer.needed.max(4), usage),
        };
        Replacement { binding: buffer.binding, buffer: copy }
    }

    /// Copies the bytes that a draw or a dispatch wrote to replacements back to the bound buffers.
    pub(crate) fn copy_back(&mut self, plan: PipelinePlan) {
        for (range, copy) in self.bindings.of_mut(plan).take_copies_back() {
            self.copy_bytes(CommandPlace::Run, (&copy, 0), (range.buffer, range.offset), range.size);
        }
    }

    /// Returns the buffer and the offset of the arguments of an indirect call. wgpu refuses a buffer that
    /// shaders may write, so such arguments are copied, which may end the pass.
    pub(crate) fn arguments(&mut self, plan: PipelinePlan, range: BufferRange<'r>) -> (wgpu::Buffer, u64) {
        if self.bindings.of(plan).unordered().has(range.id) {
            return (self.padded_copy(range, 0, range.size, wgpu::BufferUsages::INDIRECT), 0);
        }
        self.reads(AccessRange::bytes(range.id, range.offset, range.size));
        (range.buffer.clone(), range.offset)
    }

    /// Adds the buffers of a shader to a key, without their dynamic offsets, and declares their accesses.
    /// Returns whether wgpu can bind all of them as they are.
    #[inline(never)]
    pub(super) fn add_buffers(
        &mut self,
        stage: ShaderStage,
        shader: &'r Shader,
        key: &mut Vec<u64>,
        offsets: &mut BufferOffsets,
    ) -> bool {
        let (mut direct, first) = (true, key.len());
        for buffer in self.buffer_uses(stage, shader) {
            let is_direct = self.binds_directly(stage.into(), &buffer);
            direct &= is_direct;
            let (id, offset, size) =
                buffer.part.map_or((0, 0, 0), |part| (part.storage.buffer_id, part.offset, part.size));
            let format = buffer.part.and_then(|part| part.format).map_or(0, |format| format as u64);
            if buffer.dynamic {
                // A replacement is a buffer of its own, so it begins at offset 0.
                offsets.add(buffer.binding, if is_direct { offset } else { 0 });
            }
            key.extend([
                id,
                u64::from(offset) << 32 | u64::from(size),
                format << 2 | u64::from(buffer.dynamic) << 1 | u64::from(buffer.writes),
            ]);
        }
        let textures = key.len();
        if let Some(rows) = self.seen_rows(stage, shader) {
            key.extend(rows.iter().map(|bound| u64::from(bound.slot) << 32 | u64::from(bound.rows)));
        }
        for slot in shader.view_slots.iter().filter(|slot| slot.unordered) {
            key.push(self.written_texture(stage, slot).map_or(0, |view| view.id.get()));
        }
        for buffer in key.get_mut(first..textures).unwrap_or_default().chunks_exact_mut(3) {
            // Shaders access the elements of typed buffers in whole words, so the range is extended to words.
            let (offset, size) = (buffer[1] >> 32, buffer[1] & u64::from(u32::MAX));
            let (first, end) = (offset & !3, (offset + size).next_multiple_of(4));
            let part = AccessRange::bytes(buffer[0], first, end - first);
            if buffer[2] & 1 == 0 {
                self.reads(part);
            } else {
                self.writes(part);
            }
            if buffer[2] & 2 != 0 {
                buffer[1] = size;
            }
        }
        direct
    }
}
