//! Indirect draws: wgpu reads their arguments from a buffer when the GPU executes the draw.
//!
//! Indirect draws are made in the pass and never in a bundle, so a list that is executed again encodes them
//! again. By default (`InstanceFlags::VALIDATION_INDIRECT_CALL`) wgpu compares the arguments with the bound
//! vertex and index buffers on the GPU. It draws nothing if they exceed a buffer. So the vertex shader pulls
//! its vertices ([`super::emulate::pull`]), unless wgpu would compare only indices.
//!
//! A vertex shader that reads SV_VertexID or SV_InstanceID subtracts the base vertex and the start instance
//! ([`crate::objects::shader`]). Both are copied from the arguments into the shader's driver constants before
//! the pass.

use onze_ddi::{DrawIndexedInstancedIndirectArgs, DrawInstancedIndirectArgs, ShaderStage};
use wgpu::util::DeviceExt;

use crate::{
    encode::{
        bind::buffers::Replacement,
        emulate_hooks::{AdjacencyRemoval, GeometryDraws, StreamOutputs, TessellatedDraws, VertexPulling},
        encoder::Encoder,
        fast_hooks::DrawsByIndex,
        parts::{
            accesses::AccessRange,
            draw_path::DrawPath,
            pipeline_plan::PipelinePlan,
            pulled::check_pull,
            ranges::BufferRange,
            streams::StreamArguments,
            vertices::{BufferSubstitutes, DrawArea},
        },
    },
    objects::shader::{STARTS_OFFSET, Shader, driver_binding},
};

const fn argument_bytes(indexed: bool) -> u64 {
    if indexed {
        size_of::<DrawIndexedInstancedIndirectArgs>() as u64
    } else {
        size_of::<DrawInstancedIndirectArgs>() as u64
    }
}

/// Size in bytes of the base vertex and the start instance, which are the last two arguments. A draw without
/// indices has its first vertex instead of a base vertex.
const STARTS_BYTES: u64 = 8;

impl<'r> Encoder<'r> {
    /// Makes a draw whose arguments the GPU reads from the start of `range`.
    pub(super) fn draw_indirect(&mut self, range: BufferRange<'r>, indexed: bool) {
        self.stats.draws += 1;
        let arguments = BufferRange { size: argument_bytes(indexed), ..range };
        if self.queries.has_statistics() {
            self.tell_draws_apart();
        }
        if self.bindings.shader(ShaderStage::Hull).is_some() {
            return self.draw_tessellated(StreamArguments::In(arguments), indexed);
        }
        if self.state.stream_shader.is_some() && !self.write_streams(StreamArguments::In(arguments), indexed)
        {
            self.measure_primitives(StreamArguments::In(arguments), indexed);
            return;
        }
        if self.bindings.shader(ShaderStage::Geometry).is_some() {
            return self.draw_indirect_with_geometry(arguments, indexed);
        }
        let ready = self.prepare_indirect(arguments, indexed);
        if let Some((buffer, offset)) = ready
            && let Some(open) = self.pass.render()
        {
            if indexed {
                open.pass().draw_indexed_indirect(&buffer, offset);
            } else {
                open.pass().draw_indirect(&buffer, offset);
            }
            self.stats.ways[DrawPath::Indirect as usize] += 1;
            if self.draw_writes() {
                self.after_writes();
            }
        }
        if self.starts.take().is_some() {
            // The resources are resolved again, because the next draw has other starts or none.
            self.bindings.of_mut(PipelinePlan::Draw).change_resources();
        }
    }

    /// Draws the vertices that stream output has written to a buffer. `filled` is the storage of its filled size.
    pub(super) fn draw_auto(&mut self, filled: BufferRange<'r>, offset: u32, stride: u32) {
        if let Some(arguments) = self.find_auto_arguments(filled, offset, stride) {
            self.draw_indirect(arguments, false);
        }
    }

    /// Opens the pass and binds everything that it lacks. Returns the buffer and the offset of the arguments,
    /// or `None` if there is nothing to draw.
    fn prepare_indirect(&mut self, arguments: BufferRange<'r>, indexed: bool) -> Option<(wgpu::Buffer, u64)> {
        self.ready.forget();
        self.keep_alone(DrawPath::Indirect);
        let shader = self.bindings.shader(ShaderStage::Vertex)?;
        let reflection = &shader.code.reflection;
        if !(self.wants_pull(shader, indexed) && self.pull_vertices()) {
            self.fetch_vertices();
        }
        let has_step_rates = self.state.layout.is_some_and(|layout| layout.has_step_rates);
        if reflection.uses_vertex_index || reflection.uses_instance_index || has_step_rates {
            let most = self.gpu.limits.max_uniform_buffers_per_shader_stage as usize;
            if reflection.constant_buffers.len() >= most {
                self.report(
                    "indirect draws are skipped: the vertex shader reads SV_VertexID, SV_InstanceID or elements with a step rate, \
                     for which the driver needs a constant buffer, and the adapter has too few",
                );
                return None;
            }
            let offset = arguments.offset + arguments.size - STARTS_BYTES;
            self.starts = Some(BufferRange { offset, size: STARTS_BYTES, ..arguments });
            self.bindings.of_mut(PipelinePlan::Draw).change_resources();
        }
        let (area, substitutes, found) =
            self.in_one_section(|encoder| encoder.resolve_indirect(arguments, indexed))?;
        let is_copy = found.0 != *arguments.buffer;
        self.open_pass_for_draw((!is_copy).then_some(arguments.id));
        self.bind_all(&area, &substitutes, indexed);
        Some(found)
    }

    /// Updates the state and replaces buffers for a draw. Also returns the buffer and the offset of the
    /// arguments, or `None` if there is nothing to draw.
    fn resolve_indirect(
        &mut self,
        arguments: BufferRange<'r>,
        indexed: bool,
    ) -> Option<(DrawArea, BufferSubstitutes, (wgpu::Buffer, u64))> {
        let area = self.resolve_state(PipelinePlan::Draw)?;
        let has_adjacency = self.state.topology.has_adjacency();
        if has_adjacency && !indexed {
            self.report(
                "indirect draws without indices are skipped where the topology has adjacency: the driver needs to know the number \
                 of vertices; draw with indices, or use a topology without adjacency",
            );
            return None;
        }
        let mut substitutes = self.substitute_unaligned(indexed && !has_adjacency)?;
        substitutes.pulled = self.resolve_pulled(&substitutes.pulled_draw()).ok()?;
        let found = if has_adjacency {
            let (indices, arguments) = self.gather_indirect(arguments)?;
            substitutes.set_indices(indices);
            (arguments, 0)
        } else {
            self.arguments(PipelinePlan::Draw, arguments)
        };
        Some((area, substitutes, found))
    }

    /// Returns whether the vertex shader should pull its vertices, because wgpu would draw nothing if the
    /// arguments exceed the buffers. For indexed draws wgpu checks only data per instance, because the GPU
    /// bounds the reads by index.
    fn wants_pull(&self, shader: &Shader, indexed: bool) -> bool {
        let Some(layout) = self.state.layout else { return false };
        let is_bounded = layout.reads_by_instance || (!indexed && !layout.slots.is_empty());
        is_bounded && check_pull(&self.gpu.limits, &shader.bindings(), layout.slots.len() as u32).is_ok()
    }

    /// Makes the driver constants of a vertex shader, with the starts of an indirect draw.
    pub(super) fn driver_constants_at(&mut self, shader: &'r Shader, starts: BufferRange<'r>) -> Replacement {
        let constants = self.driver_constants(ShaderStage::Vertex, shader);
        let buffer = self.gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("driver constants"),
            contents: bytemuck::bytes_of(&constants),
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        });
        let from = AccessRange::bytes(starts.id, starts.offset, starts.size);
        let place = self.place(&[from], &[]);
        let encoder = self.encoder_at(place);
        encoder.copy_buffer_to_buffer(starts.buffer, starts.offset, &buffer, STARTS_OFFSET, starts.size);
        Replacement { binding: driver_binding(ShaderStage::Vertex), buffer }
    }
}
