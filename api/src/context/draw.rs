//! Draws, and the check of their bindings before the driver call.

use onze_ddi::{ContextFuncs, Key, PrimitiveTopology, ShaderReflection, ShaderStage};

use super::{
    DeviceContext, EntryParts, Skipped,
    chain::ChainKey,
    draw_checks::{
        DrawPart,
        geometry::{check_captured_outputs, check_geometry, geometry_program, stream_output},
        input::{DrawRange, Instances},
        scalar_kind,
    },
    runtime::RuntimeContext,
};
use crate::{
    device_core::{InputLayoutData, ObjectData, ObjectShared},
    report::MessageId,
    shader::{ShaderTerms, SourceLanguage},
};

impl DeviceContext {
    /// Draws `vertex_count` vertices starting at `start_vertex` (D3D11: `Draw`).
    ///
    /// A draw needs a vertex shader, a topology, and an input layout that supplies all inputs of the vertex
    /// shader. Every other bound shader, such as the pixel shader, must match the bound shader before it. A
    /// geometry shader must process the primitives of the topology, or those that the tessellator generates. A
    /// hull shader needs a domain shader for the same domain and control points, and a patch list as the
    /// topology. The vertices of a domain or geometry shader need a position if a pixel shader or a
    /// depth-stencil view is bound. A draw that breaks one of these rules is skipped and reported.
    #[doc(alias = "Draw")]
    pub fn draw(&mut self, vertex_count: u32, start_vertex: u32) {
        self.enter_draw(Draw { vertex_count, start_vertex });
    }

    /// Draws `index_count` indices starting at `start_index`, with `base_vertex` added to each index (D3D11:
    /// `DrawIndexed`).
    ///
    /// Besides the requirements of [`draw`](Self::draw), an index buffer must be bound.
    #[doc(alias = "DrawIndexed")]
    pub fn draw_indexed(&mut self, index_count: u32, start_index: u32, base_vertex: i32) {
        self.enter_draw(DrawIndexed { index_count, start_index, base_vertex });
    }

    /// Draws `instance_count` instances of `vertex_count_per_instance` vertices each (D3D11:
    /// `DrawInstanced`).
    #[doc(alias = "DrawInstanced")]
    pub fn draw_instanced(
        &mut self,
        vertex_count_per_instance: u32,
        instance_count: u32,
        start_vertex: u32,
        start_instance: u32,
    ) {
        let vertices = Draw { vertex_count: vertex_count_per_instance, start_vertex };
        self.enter_draw(DrawInstanced { vertices, instance_count, start_instance });
    }

    /// Draws `instance_count` instances of `index_count_per_instance` indices each (D3D11:
    /// `DrawIndexedInstanced`).
    #[doc(alias = "DrawIndexedInstanced")]
    pub fn draw_indexed_instanced(
        &mut self,
        index_count_per_instance: u32,
        instance_count: u32,
        start_index: u32,
        base_vertex: i32,
        start_instance: u32,
    ) {
        let indices = DrawIndexed { index_count: index_count_per_instance, start_index, base_vertex };
        self.enter_draw(DrawIndexedInstanced { indices, instance_count, start_instance });
    }

    /// Compiles the pipeline for a draw with the current bindings, without drawing.
    ///
    /// No D3D11 counterpart: Direct3D 11 drivers compile at the first draw, which causes stutter. To avoid
    /// the stutter, bind the state of each draw while the application loads, for example in a command list,
    /// and call this method for each combination. After the next flush, the driver's threads compile the
    /// pipelines in parallel. The flush does not wait for the pipelines, but a draw waits if its pipeline is
    /// not ready. [`Statistics::pipelines_compiling`](crate::Statistics) returns the number of unfinished
    /// pipelines, so a loading screen can wait until this number is 0. If the device has no such threads,
    /// because [`DeviceDesc::workers`](crate::DeviceDesc::workers) is 0 or because its flags disable them,
    /// the flush compiles the pipelines.
    ///
    /// A combination consists of the shaders, the input layout with the vertex strides, the topology, the
    /// target formats, the blend, depth-stencil and rasterizer states, and, for each texture slot, whether
    /// the bound view can be filtered. [`Statistics::pipeline_compilations`](crate::Statistics) counts the
    /// pipelines that a draw nevertheless had to wait for. A call that does not meet the requirements of a
    /// draw is skipped and reported like a draw.
    ///
    /// With a geometry shader or stream output, the combination includes the format of the indices. Bind an index
    /// buffer only if the draw will have indices. Several instances need other pipelines for stream output and
    /// for stored vertices ([`StoredGeometry`](crate::StoredGeometry)), which this call does not compile.
    ///
    /// [`Device::driver_object`](crate::Device::driver_object) shows how to store compiled pipelines for the
    /// next start of the application.
    pub fn prepare_draw(&mut self) {
        self.enter_draw(PrepareDraw);
    }

    /// Returns whether a draw is possible with the current bindings, and reports missing or suspicious
    /// bindings even if they were reported before (D3D11: `ID3D11Debug::ValidateContext`).
    ///
    /// Draws make the same check, but only after a binding has changed.
    #[doc(alias = "ValidateContext")]
    pub fn validate_context(&mut self) -> bool {
        self.core.rt.draw.changed();
        self.check_bindings() == Ok(())
    }

    #[inline(always)]
    pub(super) fn enter_draw<D: DrawCall>(&mut self, draw: D) {
        let rt = &self.core.rt;
        let has_indices = D::INDICES == IndexUse::None || rt.bound.index_buffer.buffer.is_some();
        if rt.draw.is_fast() && has_indices {
            self.core.with(move |f, cx| draw.enter(f, cx));
        } else {
            self.check_and_draw(draw);
        }
    }

    /// The slow path: checks the bindings and then draws, not inlined so that the fast path spills no
    /// registers.
    ///
    /// The first branch handles a switch to shaders that are known to match, and is not taken with the debug
    /// layer.
    #[inline(never)]
    fn check_and_draw<D: DrawCall>(&mut self, draw: D) {
        let rt = &mut self.core.rt;
        let checked = if rt.owned_maps.is_empty() && rt.still_fits() {
            rt.draw.set_fast();
            self.require_indices(D::INDICES)
        } else {
            self.check_call(&draw)
        };
        if checked == Ok(()) {
            self.core.with(move |f, cx| draw.enter(f, cx));
        }
    }

    /// The slow path of [`Self::check_and_draw`]. If the draw is not possible, reports the reason.
    #[cold]
    #[inline(never)]
    fn check_call<D: DrawCall>(&mut self, draw: &D) -> Result<(), Skipped> {
        self.check_bindings()?;
        self.require_indices(D::INDICES)?;
        if self.core.rt.draw.has_debug_layer() {
            let range = draw.range();
            if !self.core.rt.draw.limits().allow(&range) {
                self.report_range(range);
            }
        }
        Ok(())
    }

    /// Reports a draw with indices if no index buffer is bound.
    #[inline(always)]
    fn require_indices(&self, indices: IndexUse) -> Result<(), Skipped> {
        if indices == IndexUse::None || self.core.rt.bound.index_buffer.buffer.is_some() {
            return Ok(());
        }
        self.report_no_indices();
        Err(Skipped)
    }

    #[cold]
    #[inline(never)]
    fn report_no_indices(&self) {
        let text = "set one with `ia_set_index_buffer`, or call `draw`";
        self.report(MessageId::DrawIndexedNoIndexBuffer, text);
    }

    /// Checks whether all required bindings of a draw are present, and reports the first one that is missing.
    /// The check runs only after a change.
    fn check_bindings(&mut self) -> Result<(), Skipped> {
        if !self.core.rt.owned_maps.is_empty() {
            self.check_draw_maps()?;
        }
        if self.core.rt.still_fits() {
            self.core.rt.draw.set_passed();
        }
        if self.core.rt.draw.needs_check() {
            self.check_draw();
        }
        let rt = &mut self.core.rt;
        if rt.owned_maps.is_empty() {
            rt.draw.leave_slow_path();
        }
        rt.draw.result()
    }

    /// Reports a mapped resource that a draw would use.
    #[cold]
    fn check_draw_maps(&mut self) -> Result<(), Skipped> {
        self.sweep_owned_maps();
        self.refuse_mapped(MessageId::DrawMapped, &self.core.rt.bound.keys())
    }

    #[cold]
    fn check_draw(&mut self) {
        if self.core.rt.lost {
            // A lost recording stores no bindings, so there is nothing to check.
            self.core.rt.draw.changed();
            return;
        }
        let missing = self.missing_for_draw();
        let changed = self.core.rt.draw.take_changed();
        let has_debug_layer = self.core.rt.draw.has_debug_layer();
        match missing {
            Err((id, reason)) => {
                self.report_about(id, ChainKey::of(&self.core.rt.bound), reason);
                if has_debug_layer {
                    // Checks everything again once the draw is possible, in order to find the remaining
                    // mistakes.
                    self.core.rt.draw.changed();
                } else {
                    self.core.rt.draw.set_refused();
                }
            }
            Ok(()) if has_debug_layer => {
                // The driver would refuse such a draw, but without labels in its message.
                match self.check_dual_source() {
                    Ok(()) => self.core.rt.draw.set_passed(),
                    Err(Skipped) => self.core.rt.draw.set_refused(),
                }
                self.report_draw_findings(changed);
            }
            Ok(()) => self.core.rt.draw.set_passed(),
        }
    }

    fn missing_for_draw(&mut self) -> Result<(), (MessageId, String)> {
        let bound = &self.core.rt.bound;
        if bound.primitive_topology == PrimitiveTopology::Undefined {
            let text = "set one with `ia_set_primitive_topology`, such as PrimitiveTopology::TriangleList"
                .to_owned();
            return Err((MessageId::DrawTopologyUndefined, text));
        }
        let geometry = self.stage_shader(ShaderStage::Geometry);
        let tessellation = self.tessellation()?;
        if let Some(tessellation) = &tessellation {
            tessellation.check(bound.primitive_topology)?;
        }
        // Patches can be written to buffers as points, but cannot be rasterized.
        let rasterizes = geometry.and_then(stream_output).is_none_or(|desc| desc.rasterized_stream.is_some());
        if let Some((geometry, program)) =
            geometry.and_then(|shader| Some((shader, geometry_program(shader)?)))
        {
            check_geometry(geometry, program, bound, tessellation.as_ref())?;
        } else if let Some(tessellation) = &tessellation {
            if rasterizes {
                tessellation.check_position(bound)?;
            }
        } else if let Some(points) = bound.primitive_topology.control_points()
            && rasterizes
        {
            let text = format!(
                "the topology is PrimitiveTopology::PatchList{points}; bind a hull shader with `hs_set_shader` and a domain \
                 shader with `ds_set_shader`, bind a geometry shader for patches of {points} control points, or set a \
                 topology of points, lines or triangles with `ia_set_primitive_topology`"
            );
            return Err((MessageId::DrawNoHullShader, text));
        }
        if self.core.rt.fitting.has(bound) {
            return Ok(());
        }
        let Some(vs) = self.stage_shader(ShaderStage::Vertex) else {
            let text = "set one with `vs_set_shader`".to_owned();
            return Err((MessageId::DrawNoVertexShader, text));
        };
        let Some(vertex) = reflection(vs) else { return Ok(()) };
        if let Some(geometry) = geometry {
            check_captured_outputs(geometry, self.stage_shader(ShaderStage::Domain).unwrap_or(vs))?;
        }
        if !vertex.inputs.is_empty() {
            let Some(layout) = bound.input_layout.and_then(|h| self.core.shared(h.key())) else {
                let text = format!(
                    "{} takes {} and no layout is bound; set one with `ia_set_input_layout`",
                    vs.name(),
                    inputs_of(vs, vertex)
                );
                return Err((MessageId::DrawNoInputLayout, text));
            };
            check_layout(layout, vs, vertex).map_err(|e| (MessageId::DrawInputLayoutMismatch, e))?;
        }
        self.check_links()?;
        let rt = &mut self.core.rt;
        rt.fitting.add(&rt.bound);
        Ok(())
    }

    /// Reports a resource with an open map token, if `keys` contains the resource or a view of it.
    #[cold]
    pub(super) fn refuse_mapped(&self, id: MessageId, keys: &[Key]) -> Result<(), Skipped> {
        let seen = |key: &Key| Some(self.core.shared(*key)?.depends_on.as_ref()?.key);
        let resources: Vec<_> = keys.iter().filter_map(seen).collect();
        let is_used = |key| keys.contains(key) || resources.contains(key);
        let Some(mapped) = self.core.rt.owned_maps.iter().find(|m| is_used(&m.map.key)) else {
            return Ok(());
        };
        let name = self.core.shared(mapped.map.key).map(ObjectShared::name).unwrap_or_default();
        self.report_about(id, mapped.map.key, format_args!("{name} is bound and mapped"));
        Err(Skipped)
    }
}

/// Whether a draw reads an index buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum IndexUse {
    None,
    /// The draw reads the bound index buffer, so one must be bound.
    BoundBuffer,
}

pub(super) trait DrawCall {
    const INDICES: IndexUse;

    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>);
    /// Returns the range that the draw reads, for the debug layer.
    fn range(&self) -> DrawRange;
}

struct Draw {
    vertex_count: u32,
    start_vertex: u32,
}

impl DrawCall for Draw {
    const INDICES: IndexUse = IndexUse::None;

    #[inline(always)]
    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        funcs.draw(cx.entry(), self.vertex_count, self.start_vertex);
    }
    fn range(&self) -> DrawRange {
        let count = self.vertex_count;
        if count == 0 {
            return DrawRange::default();
        }
        let vertices = u64::from(count) + u64::from(self.start_vertex);
        DrawRange { vertices, instances: Instances { start: 0, count: 1 }, indices: 0, count }
    }
}

struct DrawIndexed {
    index_count: u32,
    start_index: u32,
    base_vertex: i32,
}

impl DrawCall for DrawIndexed {
    const INDICES: IndexUse = IndexUse::BoundBuffer;

    #[inline(always)]
    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        funcs.draw_indexed(cx.entry(), self.index_count, self.start_index, self.base_vertex);
    }
    fn range(&self) -> DrawRange {
        let count = self.index_count;
        if count == 0 {
            return DrawRange::default();
        }
        let indices = u64::from(count) + u64::from(self.start_index);
        // The index values are unknown here but not negative, so the draw reads no vertex before
        // `base_vertex`.
        let vertices = u64::from(self.base_vertex.max(0).unsigned_abs()) + 1;
        DrawRange { vertices, instances: Instances { start: 0, count: 1 }, indices, count }
    }
}

/// Returns the range of a draw with several instances.
fn instanced(range: DrawRange, count: u32, start: u32) -> DrawRange {
    if range.count == 0 || count == 0 {
        return DrawRange::default();
    }
    DrawRange { instances: Instances { start, count }, ..range }
}

struct DrawInstanced {
    vertices: Draw,
    instance_count: u32,
    start_instance: u32,
}

impl DrawCall for DrawInstanced {
    const INDICES: IndexUse = IndexUse::None;

    #[inline(always)]
    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        let Self { vertices: Draw { vertex_count, start_vertex }, instance_count, start_instance } = self;
        funcs.draw_instanced(cx.entry(), vertex_count, instance_count, start_vertex, start_instance);
    }
    fn range(&self) -> DrawRange {
        instanced(self.vertices.range(), self.instance_count, self.start_instance)
    }
}

struct DrawIndexedInstanced {
    indices: DrawIndexed,
    instance_count: u32,
    start_instance: u32,
}

impl DrawCall for DrawIndexedInstanced {
    const INDICES: IndexUse = IndexUse::BoundBuffer;

    #[inline(always)]
    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        let Self { indices: DrawIndexed { index_count, start_index, base_vertex }, .. } = self;
        let (instances, start) = (self.instance_count, self.start_instance);
        funcs.draw_indexed_instanced(cx.entry(), index_count, instances, start_index, base_vertex, start);
    }
    fn range(&self) -> DrawRange {
        instanced(self.indices.range(), self.instance_count, self.start_instance)
    }
}

/// A draw call that only compiles the pipeline.
struct PrepareDraw;

impl DrawCall for PrepareDraw {
    const INDICES: IndexUse = IndexUse::None;

    #[inline(always)]
    fn enter(self, funcs: &dyn ContextFuncs, cx: EntryParts<'_>) {
        funcs.prepare_draw(cx.entry());
    }
    fn range(&self) -> DrawRange {
        DrawRange::default()
    }
}

impl RuntimeContext {
    /// Records that any binding may have changed, so that the next draw checks all of them.
    pub(crate) fn state_changed(&mut self) {
        self.draw.changed();
        self.dispatch.changed();
    }

    /// Records that the shader of a stage has changed, so that the next draw or dispatch checks whether the
    /// shaders match.
    #[inline]
    pub(crate) fn shader_changed(&mut self, stage: ShaderStage) {
        match stage.graphics() {
            Some(_) => self.draw.changed(),
            None => self.dispatch.changed(),
        }
    }

    #[cold]
    #[inline(never)]
    fn binding_noted(&mut self, stage: ShaderStage) {
        if stage == ShaderStage::Compute {
            self.dispatch.changed();
        } else {
            self.draw.binding_changed(DrawPart::of_stage(stage));
        }
    }

    /// Records for the debug layer, which alone checks slots, that a slot of a stage has changed.
    #[inline]
    pub(crate) fn binding_changed(&mut self, stage: ShaderStage) {
        if self.draw.has_debug_layer() {
            self.binding_noted(stage);
        }
    }

    /// Returns whether the bound shaders and layout are known to match, so that the draw needs no check.
    /// Always false with the debug layer, which checks every change.
    ///
    /// Inlined, because a draw that changes its shaders would otherwise pay for the call.
    #[inline(always)]
    fn still_fits(&self) -> bool {
        !self.draw.has_debug_layer()
            && !self.lost
            && is_drawable(self.bound.primitive_topology)
            && self.fitting.has_short(&self.bound)
    }
}

/// Returns whether draws without a hull shader can use a topology.
#[inline]
const fn is_drawable(topology: PrimitiveTopology) -> bool {
    // Allows all topologies between `Undefined` and the patch lists, which come last.
    (topology as u8).wrapping_sub(1) < PrimitiveTopology::PatchList1 as u8 - 1
}

/// Returns the terms of a shader's source language for its items.
pub(super) fn terms(shared: &ObjectShared) -> Option<ShaderTerms<'_>> {
    match &shared.data {
        ObjectData::Shader(shader) => Some(shader.terms()),
        _ => None,
    }
}

pub(super) fn reflection(shared: &ObjectShared) -> Option<&ShaderReflection> {
    match &shared.data {
        ObjectData::Shader(shader) => Some(&shader.code.reflection),
        _ => None,
    }
}

/// Checks that a layout supplies all inputs of a shader with the right types, even if the layout was created
/// for another shader.
fn check_layout(layout: &ObjectShared, vs: &ObjectShared, vertex: &ShaderReflection) -> Result<(), String> {
    let ObjectData::InputLayout(InputLayoutData { elements, .. }) = &layout.data else { return Ok(()) };
    for input in &vertex.inputs {
        let language = terms(vs).map_or(SourceLanguage::Wgsl, |terms| terms.language);
        let about = || format!("{} takes {}", vs.name(), language.vertex_input(input));
        let Some(element) = elements.iter().find(|e| e.location == input.location) else {
            return Err(format!("{}, and the bound layout has no element for it", about()));
        };
        if scalar_kind(element.format.component_kind()) != input.kind {
            let (format, ty) = (element.format, language.value_type(input.kind, input.components));
            return Err(format!("{} as {ty}, and the bound layout feeds it with {format:?}", about()));
        }
    }
    Ok(())
}

fn inputs_of(vs: &ObjectShared, vertex: &ShaderReflection) -> String {
    let language = terms(vs).map_or(SourceLanguage::Wgsl, |terms| terms.language);
    let names: Vec<_> = vertex.inputs.iter().map(|input| language.vertex_input(input)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;
