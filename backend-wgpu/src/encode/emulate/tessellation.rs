//! Draws of patches with a hull and a domain shader.
//!
//! Dispatches before the draw store everything that the domain shader reads ([`super::stored_patches`]). The draw itself is
//! an indirect draw, in which the domain shader takes the place of the vertex shader.
//!
//! The patches beyond the room for indices are the *tail*, a second draw without indices: each vertex finds its patch and
//! its domain point itself. So the memory has a limit that does not depend on the factors, and no number is read back.
//! With a geometry shader or stream output, all patches are in the tail.
//!
//! The patches of large draws are stored and drawn in parts. The number of patches of an indirect draw is known only on the
//! GPU, so it has the parts that one instance of the bound indices or vertices may need. Parts without patches cost little.

use std::sync::Arc;

use onze_ddi::ShaderStage;

use crate::{
    encode::{
        emulate_hooks::{GeometryDraws, StreamOutputs, TessellatedDraws, VertexPulling},
        encoder::Encoder,
        fast_hooks::Bundling,
        own_pipelines::tessellator::TessellatorKey,
        parts::{
            draw_path::DrawPath,
            patches::{StoredPatches, tessellated_topology},
            pulled::PulledDraw,
            streams::StreamArguments,
            vertices::BufferSubstitutes,
        },
    },
    objects::{
        shader::{DomainStage, HeaderWord, PointNumbers, Shader, domain_program},
        state::ElementSlot,
    },
    services::ids::unique_id,
};

impl TessellatedDraws for Encoder<'_> {
    fn draw_tessellated(&mut self, arguments: StreamArguments<'_>, indexed: bool) {
        self.ready.forget();
        self.ready_expansion = None;
        // The draw is never made by index.
        self.path.set_learns(false);
        let Some(shaders) = self.patch_shaders() else { return };
        if let StreamArguments::Known(args) = &arguments
            && self.queries.has_statistics()
        {
            self.count_patches(args);
        }
        self.resolve_targets();
        let sizes = shaders.sizes();
        let most = sizes.most_patches(self.patch_memory().patch_bytes);
        let all = match arguments {
            StreamArguments::Known(args) => {
                let of_instance = u64::from(self.state.topology.primitive_count(args.count));
                of_instance * u64::from(args.instance_count)
            }
            StreamArguments::In(_) => {
                let parts = self.most_indirect_patches(indexed).div_ceil(most.into()).max(1);
                parts.saturating_mul(most.into()).min(u32::MAX.into())
            }
        };
        let Ok(all) = u32::try_from(all) else {
            return self.report(
                "a draw of patches is skipped: it has 2³² patches or more; draw fewer patches or instances",
            );
        };
        let mut is_drawn = false;
        for first in (0..all).step_by(most as usize) {
            let part = [first, (all - first).min(most), all];
            let Some(patches) = self.store_patches(&shaders, arguments, indexed, part) else { return };
            is_drawn |= self.with_patches(patches, Self::draw_patches).is_some();
        }
        if is_drawn {
            self.stats.ways[DrawPath::Indirect as usize] += 1;
        }
    }

    fn prepare_tessellated(&mut self) {
        let Some(shaders) = self.patch_shaders() else { return };
        for part in shaders.parts() {
            let Some(purpose) = part.purpose() else { return };
            // The size of the draws is unknown.
            for gathers in [false, true] {
                self.prepare_stream_pipelines(part.shader, part.output, purpose, gathers);
            }
        }
        self.begin_tessellator(TessellatorKey::new(shaders.program));
        let Some(range) = self.caches.arena.take(self.gpu, 4) else { return };
        self.with_patches(shaders.stored(range, unique_id()), Self::prepare_patches);
    }
}

impl<'r> Encoder<'r> {
    /// Returns the tessellated patches as a part of the domain shader's key.
    pub(in crate::encode) fn domain_stage(
        &self,
        numbers: PointNumbers,
        primitive_location: Option<u32>,
    ) -> Option<Arc<DomainStage>> {
        let patches = self.patches.as_ref()?;
        let output = |shader: Option<&Shader>| shader.and_then(Shader::stored_vertices).cloned();
        Some(Arc::new(DomainStage {
            hull: patches.hull.id.get(),
            program: patches.program.clone(),
            points: output(patches.hull.control_points(self.gpu)),
            constants: output(patches.hull.patch_constants(self.gpu))?,
            numbers,
            primitive_location,
        }))
    }

    /// Returns the number of patches in one instance of an indirect draw that uses all indices or vertices of the bound
    /// buffers.
    fn most_indirect_patches(&self, indexed: bool) -> u64 {
        let state = &self.state;
        let of_vertices = |slot: &ElementSlot| {
            let bound = state.vertex.get(slot.slot as usize)?;
            let vertices = bound.range?.size.checked_div(bound.stride.into())?;
            (!slot.step.is_per_instance()).then_some(vertices)
        };
        let vertices = match indexed {
            true => state.index.range.map_or(0, |range| range.size / state.index.width()),
            false => state.layout.iter().flat_map(|of| &of.slots).filter_map(of_vertices).max().unwrap_or(0),
        };
        vertices / u64::from(state.topology.control_points().unwrap_or(1))
    }

    /// Calls a function while the state is that of draws that read stored patches.
    pub(super) fn with_patches<T>(
        &mut self,
        patches: StoredPatches<'r>,
        draw: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let topology = tessellated_topology(patches.program.output);
        let topology = std::mem::replace(&mut self.state.topology, topology);
        let layout = self.state.layout.take();
        self.patches = Some(patches);
        self.state.dirty_setting();
        self.change_draw_bindings();
        let result = draw(self);
        self.patches = None;
        (self.state.topology, self.state.layout) = (topology, layout);
        self.state.geometry = None;
        self.state.dirty_setting();
        self.state.vertex_dirty = true;
        self.change_draw_bindings();
        self.ready.forget();
        self.ready_expansion = None;
        result
    }

    /// Writes the streams of the stored patches and draws them, as far as they are rasterized.
    fn draw_patches(&mut self) -> Option<()> {
        let patches = self.patches.clone()?;
        let arguments = patches.arguments(HeaderWord::CornerArguments);
        if self.state.stream_shader.is_some() && !self.write_streams(StreamArguments::In(arguments), false) {
            self.measure_primitives(StreamArguments::In(arguments), false);
            return None;
        }
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            self.draw_indirect_with_geometry(arguments, false);
            return Some(());
        }
        // Without positions nothing is rasterized.
        let domain = self.bindings.shader(ShaderStage::Domain)?;
        domain_program(&domain.code).filter(|program| program.has_position)?;
        if patches.has_indices {
            self.draw_corners(&patches, PointNumbers::Given)?;
        }
        if patches.has_tail {
            self.draw_corners(&patches, PointNumbers::OfCorner)?;
        }
        Some(())
    }

    /// Begins to compile the pipelines of draws that read stored patches.
    fn prepare_patches(&mut self) {
        let is_rasterized = self.state.stream_shader.is_none() || self.prepare_streams();
        if !is_rasterized || !self.is_drawable() {
            return;
        }
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            return self.prepare_with_geometry();
        }
        for numbers in [PointNumbers::Given, PointNumbers::OfCorner] {
            self.set_numbers(numbers);
            self.resolve_area();
            self.resolve_groups(self.draw_plan());
            self.resolve_pipeline_later();
        }
    }

    /// Sets the numbers of the vertices in the next draw of wgpu.
    pub(super) fn set_numbers(&mut self, numbers: PointNumbers) {
        if let Some(patches) = &mut self.patches
            && patches.numbers != numbers
        {
            patches.numbers = numbers;
            self.state.dirty_setting();
        }
    }

    /// Draws the stored patches with or without indices.
    fn draw_corners(&mut self, patches: &StoredPatches<'r>, numbers: PointNumbers) -> Option<()> {
        self.set_numbers(numbers);
        let (area, pulled) = self.in_one_section(|encoder| {
            let area = encoder.resolve_state(encoder.draw_plan())?;
            let fetch = encoder.pulled()?.clone();
            let pulled = encoder.find_pulled(&fetch, &PulledDraw::default(), Some(patches.range()))?;
            Some((area, pulled))
        })?;
        self.open_pass_for_draw(Some(patches.id));
        self.choose_bundle(&area, false);
        let indexed = numbers == PointNumbers::Given;
        let index = indexed.then(|| (patches.range.buffer.clone(), true));
        let substitutes = BufferSubstitutes { pulled: Some(pulled), index, ..BufferSubstitutes::default() };
        self.bind_all(&area, &substitutes, indexed);
        let pass = self.pass.render()?.pass();
        match numbers {
            PointNumbers::Given => {
                let arguments = patches.arguments(HeaderWord::IndexedArguments);
                pass.draw_indexed_indirect(arguments.buffer, arguments.offset);
            }
            PointNumbers::OfCorner => {
                let arguments = patches.arguments(HeaderWord::TailArguments);
                pass.draw_indirect(arguments.buffer, arguments.offset);
            }
        }
        if self.draw_writes() {
            self.after_writes();
        }
        Some(())
    }
}
