//! Draws, and the check of the bindings that they need.

use onze_ddi::{ContextFuncs, Key, PrimitiveTopology, ShaderReflection, ShaderStage};

use super::{DeviceContext, EntryParts, bound::Bound, draw_checks::scalar_kind, runtime::RuntimeContext};
use crate::{
    device_core::{ObjectData, ObjectShared},
    report::MessageId,
    shader,
};

impl DeviceContext {
    /// Draws `vertex_count` vertices from `start_vertex`. D3D11: `Draw`.
    ///
    /// What is missing is reported and nothing is drawn: a vertex shader, a topology, an input layout
    /// that feeds the vertex shader, a pixel shader that fits it.
    pub fn draw(&mut self, vertex_count: u32, start_vertex: u32) {
        self.enter_draw(move |f, cx| f.draw(cx.entry(), vertex_count, start_vertex));
    }

    /// Draws `index_count` indices from `start_index`, `base_vertex` added to each. D3D11: `DrawIndexed`.
    ///
    /// As [`draw`](Self::draw); also without an index buffer nothing is drawn.
    pub fn draw_indexed(&mut self, index_count: u32, start_index: u32, base_vertex: i32) {
        self.enter_indexed_draw(move |f, cx| {
            f.draw_indexed(cx.entry(), index_count, start_index, base_vertex);
        });
    }

    /// Draws instances of `vertex_count` vertices. D3D11: `DrawInstanced`.
    pub fn draw_instanced(
        &mut self,
        vertex_count_per_instance: u32,
        instance_count: u32,
        start_vertex: u32,
        start_instance: u32,
    ) {
        self.enter_draw(move |f, cx| {
            f.draw_instanced(
                cx.entry(),
                vertex_count_per_instance,
                instance_count,
                start_vertex,
                start_instance,
            );
        });
    }

    /// Draws instances of `index_count` indices. D3D11: `DrawIndexedInstanced`.
    pub fn draw_indexed_instanced(
        &mut self,
        index_count_per_instance: u32,
        instance_count: u32,
        start_index: u32,
        base_vertex: i32,
        start_instance: u32,
    ) {
        self.enter_indexed_draw(move |f, cx| {
            f.draw_indexed_instanced(
                cx.entry(),
                index_count_per_instance,
                instance_count,
                start_index,
                base_vertex,
                start_instance,
            );
        });
    }

    /// Has compiled what a draw would need with all that is bound now, and draws nothing.
    ///
    /// No D3D11 counterpart: its drivers compile when the first draw comes, and the game stutters. A game
    /// that binds what it will draw with, for example into a command list that it executes while it loads,
    /// and calls this for each combination, has it compiled from the next flush on, by the driver's
    /// threads, several at once. The flush does not wait for them. A draw does, if it comes too early:
    /// [`Statistics::pipelines_compiling`](crate::Statistics) says how many are not ready, and a loading screen may
    /// stay until that is 0. A device without such threads ([`DeviceDesc::workers`](crate::DeviceDesc::workers) is 0,
    /// or its flags ask for none) compiles within the flush.
    ///
    /// What counts are the shaders, the input layout with the strides, the topology, the targets'
    /// formats and the blend, depth-stencil and rasterizer states; for the texture slots, whether what is
    /// bound can be filtered. [`Statistics::pipeline_compilations`](crate::Statistics) counts what a draw
    /// had to wait for all the same. Where something is missing for a draw, that is reported, as for a draw.
    ///
    /// What was compiled can be kept for the next start: [`Device::driver_object`](crate::Device::driver_object).
    pub fn prepare_draw(&mut self) {
        self.enter_draw(move |f, cx| f.prepare_draw(cx.entry()));
    }

    #[inline(always)]
    fn enter_draw(&mut self, draw: impl FnOnce(&dyn ContextFuncs, EntryParts<'_>)) {
        if self.core.rt.draw.ready {
            self.core.with(draw);
        } else {
            self.check_and_draw(false, draw);
        }
    }

    #[inline(always)]
    fn enter_indexed_draw(&mut self, draw: impl FnOnce(&dyn ContextFuncs, EntryParts<'_>)) {
        if self.core.rt.draw.ready && self.core.rt.bound.index_buffer.buffer.is_some() {
            self.core.with(draw);
        } else {
            self.check_and_draw(true, draw);
        }
    }

    /// Slow path: checks the bindings, then draws. Kept out of line so that the fast path spills no registers.
    #[inline(never)]
    fn check_and_draw(&mut self, indexed: bool, draw: impl FnOnce(&dyn ContextFuncs, EntryParts<'_>)) {
        if self.draw_ready() && (!indexed || self.has_indices()) {
            self.core.with(draw);
        }
    }

    fn has_indices(&self) -> bool {
        let bound = self.core.rt.bound.index_buffer.buffer.is_some();
        if !bound {
            self.report(MessageId::DrawIndexedNoIndexBuffer, "no index buffer is bound");
        }
        bound
    }

    /// Whether everything that a draw needs is bound; checked again only after a change.
    #[inline(always)]
    fn draw_ready(&mut self) -> bool {
        if !self.core.rt.owned_maps.is_empty() && self.draws_mapped() {
            return false;
        }
        if self.core.rt.still_fits() {
            (self.core.rt.draw.dirty, self.core.rt.draw.ok) = (false, true);
        }
        // The debug layer looks at every draw that is refused, and again after each change.
        if self.core.rt.draw.dirty || (!self.core.rt.draw.ok && self.core.device.info().is_enabled()) {
            self.check_draw();
        }
        let rt = &mut self.core.rt;
        rt.draw.ready = rt.draw.ok && !rt.draw.dirty && rt.owned_maps.is_empty();
        rt.draw.ok
    }

    /// Reports a mapped resource that a draw would use.
    #[cold]
    fn draws_mapped(&mut self) -> bool {
        self.sweep_owned_maps();
        self.uses_mapped(MessageId::DrawMapped, &self.core.rt.bound.keys())
    }

    #[cold]
    fn check_draw(&mut self) {
        if self.core.rt.lost {
            // What was set since went nowhere, so there is nothing to find.
            self.core.rt.draw.ok = false;
            return;
        }
        let result = self.missing_for_draw();
        self.core.rt.draw.dirty = false;
        self.core.rt.draw.ok = result.is_ok();
        match result {
            Err((id, reason)) => self.report(id, reason),
            Ok(()) if self.core.device.info().is_enabled() => self.report_draw_findings(),
            Ok(()) => {}
        }
    }

    fn missing_for_draw(&mut self) -> Result<(), (MessageId, String)> {
        let bound = &self.core.rt.bound;
        if bound.primitive_topology == PrimitiveTopology::Undefined {
            return Err((MessageId::DrawTopologyUndefined, "the topology is Undefined".to_owned()));
        }
        let parts = parts(bound);
        if self.core.rt.fitting.has(parts) {
            return Ok(());
        }
        let [vertex, pixel] =
            [ShaderStage::Vertex, ShaderStage::Pixel].map(|stage| bound.stages[stage].shader);
        let Some(vs) = vertex.and_then(|h| self.core.shared(h.key())) else {
            return Err((MessageId::DrawNoVertexShader, "no vertex shader is bound".to_owned()));
        };
        let Some(vertex) = reflection(vs) else { return Ok(()) };
        if !vertex.inputs.is_empty() {
            let Some(layout) = bound.input_layout.and_then(|h| self.core.shared(h.key())) else {
                let name = vs.name();
                return Err((
                    MessageId::DrawNoInputLayout,
                    format!("{name} has inputs and no layout is bound"),
                ));
            };
            check_layout(layout, vertex).map_err(|e| (MessageId::DrawInputLayoutMismatch, e))?;
        }
        if let Some(pixel) = pixel.and_then(|h| reflection(self.core.shared(h.key())?)) {
            shader::check_linkage(vertex, pixel).map_err(|e| (MessageId::DrawLinkage, e.to_string()))?;
        }
        self.core.rt.fitting.add(parts);
        Ok(())
    }

    /// Whether something of `keys`, or what a view of them sees, is mapped by a token; that was reported.
    #[cold]
    pub(super) fn uses_mapped(&self, id: MessageId, keys: &[Key]) -> bool {
        let seen = |key: &Key| Some(self.core.shared(*key)?.depends_on.as_ref()?.key);
        let resources: Vec<_> = keys.iter().filter_map(seen).collect();
        let is_used = |key| keys.contains(key) || resources.contains(key);
        let mapped = self.core.rt.owned_maps.iter().find(|m| is_used(&m.map.key));
        if let Some(mapped) = mapped {
            let name = self.core.shared(mapped.map.key).map(ObjectShared::name).unwrap_or_default();
            self.report(id, format_args!("{name} is bound and mapped"));
        }
        mapped.is_some()
    }
}

/// Whether the next draw has been checked.
#[derive(Debug)]
pub(crate) struct DrawState {
    /// The fast path is allowed: the last check passed, nothing has changed since, and no token holds a map.
    pub(crate) ready: bool,
    /// What a draw needs has changed since the last check; with the debug layer, any binding.
    dirty: bool,
    /// The last check passed.
    ok: bool,
    /// The debug layer is on.
    debug: bool,
}

impl DrawState {
    pub(crate) const fn new(debug: bool) -> Self {
        Self { ready: false, dirty: true, ok: false, debug }
    }

    /// Something that a draw needs has changed.
    #[inline]
    pub(crate) fn changed(&mut self) {
        (self.dirty, self.ready) = (true, false);
    }

    /// A binding has changed that only the debug layer checks.
    #[inline]
    pub(crate) fn binding_changed(&mut self) {
        if self.debug {
            self.changed();
        }
    }
}

impl RuntimeContext {
    /// Any binding may have changed.
    pub(crate) fn state_changed(&mut self) {
        self.draw.changed();
        self.dispatch.changed();
    }

    /// The shader of a stage has changed: the next draw, or dispatch, checks whether the shaders fit.
    #[inline]
    pub(crate) fn shader_changed(&mut self, stage: ShaderStage) {
        match stage.graphics() {
            Some(_) => self.draw.changed(),
            None => self.dispatch.changed(),
        }
    }

    /// A slot of a stage has changed, which only the debug layer checks.
    #[inline]
    pub(crate) fn binding_changed(&mut self, stage: ShaderStage) {
        if self.draw.debug {
            self.shader_changed(stage);
        }
    }

    /// Whether the bound shaders and layout are known to fit together, so that the draw needs no check. With the
    /// debug layer on, every change is checked.
    fn still_fits(&self) -> bool {
        !self.draw.debug
            && !self.lost
            && self.bound.primitive_topology != PrimitiveTopology::Undefined
            && self.fitting.has(parts(&self.bound))
    }
}

fn parts(bound: &Bound) -> Parts {
    let [vertex, pixel] =
        [ShaderStage::Vertex, ShaderStage::Pixel].map(|stage| bound.stages[stage].shader.map(|h| h.key()));
    [vertex, pixel, bound.input_layout.map(|h| h.key())]
}

/// A vertex shader, a pixel shader and an input layout.
type Parts = [Option<Key>; 3];

/// A cache of combinations that passed the check, so that switching back to a shader needs no new check.
/// Direct-mapped: a combination may replace another one. Keys are never used again, so entries of destroyed
/// objects do no harm.
#[derive(Debug)]
pub(crate) struct FittingShaders(Box<[Parts; Self::PLACES]>);

impl Default for FittingShaders {
    fn default() -> Self {
        Self(Box::new([[None; 3]; Self::PLACES]))
    }
}

impl FittingShaders {
    const PLACES: usize = 64;

    fn place(parts: &Parts) -> usize {
        let index = |part: Option<Key>| part.map_or(0, Key::index);
        // Different odd factors, so that neighbours in any of the three keys have different places.
        let sum = index(parts[0]).wrapping_mul(11) ^ index(parts[1]) ^ index(parts[2]).wrapping_mul(37);
        sum as usize % Self::PLACES
    }

    fn has(&self, parts: Parts) -> bool {
        // Without a vertex shader nothing fits: an empty place is no match.
        parts[0].is_some() && self.0[Self::place(&parts)] == parts
    }

    fn add(&mut self, parts: Parts) {
        self.0[Self::place(&parts)] = parts;
    }
}

pub(super) fn reflection(shared: &ObjectShared) -> Option<&ShaderReflection> {
    match &shared.data {
        ObjectData::Shader(code) => Some(&code.reflection),
        _ => None,
    }
}

/// Whether a layout, made for another shader perhaps, feeds all inputs of this one with what they take.
fn check_layout(layout: &ObjectShared, vertex: &ShaderReflection) -> Result<(), String> {
    let ObjectData::InputLayout(elements) = &layout.data else { return Ok(()) };
    for input in &vertex.inputs {
        let (name, location) = (&input.semantic_name, input.location);
        let Some(element) = elements.iter().find(|e| e.location == location) else {
            return Err(format!("the bound layout has no element for {name} (location {location})"));
        };
        if scalar_kind(element.format.component_kind()) != input.kind {
            let (format, kind) = (element.format, input.kind);
            return Err(format!(
                "the bound layout has {format:?} for {name} (location {location}), which takes {kind:?}"
            ));
        }
    }
    Ok(())
}
